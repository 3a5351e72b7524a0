//! Plans the pages of WordPress, which are no posts: the key and the address of each.
//!
//! Addresses stay as they are, below the prefix of their language. The page that is the front of the site and the page
//! that lists posts are not imported: the site has its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use schema::types::{Slug, reserved_folder};

use super::plan::{ImportPlan, PlannedPage, locale, shared_keys, unique};
use super::source::{SourcePost, SourceSite, Status};

/// The content of the site before the import.
pub(super) struct Existing {
    /// Pages by address: their keys, and whether an import has written them.
    pub pages: BTreeMap<String, (String, bool)>,
    /// Keys of pages that no import has written.
    pub keys: BTreeSet<String>,
}

/// Adds the pages to the plan.
pub(super) fn plan<'a>(
    plan: &mut ImportPlan<'a>,
    source: &'a SourceSite,
    locales: &[String],
    default: &str,
    blogs: &BTreeMap<String, String>,
    existing: &Existing,
) {
    let by_number: HashMap<u64, &SourcePost> = source
        .posts
        .iter()
        .filter(|post| post.is_page)
        .map(|post| (post.number, post))
        .collect();
    let mut taken = BTreeSet::new();
    let mut keys: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for post in source.posts.iter().filter(|post| post.is_page) {
        if post.status != Status::Published {
            plan.leave_out(post, "pages that are not public");
            continue;
        }
        let old = source.old_path(&post.link);
        let named = post.language.clone().or_else(|| {
            let first = old.as_deref()?.split('/').nth(1)?;
            locales.iter().skip(1).find(|code| *code == first).cloned()
        });
        let Some(locale) = locale(named.as_deref(), locales, default) else {
            plan.leave_out_language(post, named.as_deref());
            continue;
        };
        let prefix = if locales.first() == Some(&locale) {
            String::new()
        } else {
            format!("/{locale}")
        };
        let segments = old.unwrap_or_else(|| chain(post, &by_number));
        let below = segments
            .strip_prefix(&prefix)
            .filter(|rest| rest.starts_with('/'))
            .unwrap_or(&segments);
        let mut segments: Vec<String> = below
            .split('/')
            .filter_map(|part| Slug::of(part).map(Slug::into_string))
            .collect();
        if let Some(first) = segments.first_mut()
            && reserved_folder(&format!("{prefix}/{first}/"), false).is_some()
        {
            *first = format!("about-{}", first.trim_start_matches('_'));
        }
        let path = format!(
            "{prefix}/{}",
            segments
                .iter()
                .flat_map(|part| [part, "/"])
                .collect::<String>()
        );
        if segments.is_empty() {
            plan.leave_out(post, "front pages, which the site's own home pages replace");
            continue;
        }
        if blogs.values().any(|blog| *blog == path) || is_posts_page(source, post) {
            plan.posts_pages.insert(post.number, path);
            plan.leave_out(
                post,
                "pages without text or with a list of posts, which the site's blog replaces",
            );
            continue;
        }
        let known = existing.pages.get(&path);
        if known.is_some_and(|(_, is_imported)| !is_imported) || !taken.insert(path.clone()) {
            plan.leave_out(post, "pages whose URL the site already has");
            continue;
        }
        let key = known.map_or_else(
            || {
                let own = segments.join("-");
                let own = if existing.keys.contains(&own) {
                    format!("{own}-wordpress")
                } else {
                    own
                };
                unique(keys.entry(locale.clone()).or_default(), &own)
            },
            |(key, _)| key.clone(),
        );
        plan.page_by_number.insert(post.number, plan.pages.len());
        plan.pages.push(PlannedPage {
            post,
            locale,
            key,
            path,
        });
    }
    let pages: Vec<_> = plan
        .pages
        .iter()
        .map(|own| (own.post, own.locale.as_str(), own.key.as_str()))
        .collect();
    for (at, key) in shared_keys(&pages, locales) {
        plan.pages[at].key = key;
    }
}

/// Whether a page may be the one that lists posts. Neither an export file nor the API names it, but it has no text; another
/// page without a text shows nothing, so that the blog is no worse.
fn is_posts_page(source: &SourceSite, post: &SourcePost) -> bool {
    source.empty_pages.contains(&post.number)
}

/// The path of a page from the slugs of the pages above it, for sites whose addresses are queries.
fn chain(post: &SourcePost, by_number: &HashMap<u64, &SourcePost>) -> String {
    let (mut slugs, mut at) = (Vec::new(), Some(post));
    while let Some(page) = at.filter(|_| slugs.len() < 20) {
        slugs.push(if page.slug.is_empty() {
            format!("page-{}", page.number)
        } else {
            page.slug.clone()
        });
        at = by_number.get(&page.parent).copied();
    }
    slugs
        .iter()
        .rev()
        .flat_map(|slug| ["/", slug])
        .chain(["/"])
        .collect()
}
