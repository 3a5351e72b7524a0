//! Which old addresses lead where: links in texts, and redirects for visitors.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Display;

use percent_encoding::percent_decode_str;

use schema::types::Slug;
use site::routes::is_old_path;

use super::plan::{ImportPlan, comparable};
use super::source::{Numbers, SourceSite, Term, TermKind};

/// Parameters that advertisements and newsletters add to a URL.
const CLICK_IDS: [&str; 9] = [
    "fbclid", "gclid", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "mc_cid", "mc_eid",
];

/// The parts that the new site's URLs are made of.
pub(super) struct SiteUrls<'a> {
    /// The address of the blog by locale, such as `/blog/`.
    pub blogs: &'a BTreeMap<String, String>,
    /// The locale of posts without a language.
    pub default: &'a str,
    /// The addresses of pages that the site has before the import.
    pub own: &'a BTreeSet<String>,
}

/// Last segments below the addresses of posts, by the number of the post.
pub(super) type Tails = HashMap<u64, Vec<String>>;

/// Redirects, by what a host must look at.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    /// From paths.
    pub paths: BTreeMap<String, String>,
    /// From paths with a parameter, such as `/?p=123`.
    pub queries: BTreeMap<String, String>,
    /// Notes about paths that cannot be redirected.
    pub left_out: BTreeSet<String>,
}

impl Redirects {
    /// Adds a redirect from a parameter of the home page. A number that the import gave leads nowhere.
    fn query(&mut self, home: &str, name: &str, value: impl Display, to: &str) {
        let value = value.to_string();
        if !value.parse().is_ok_and(Numbers::is_made_up) {
            self.queries
                .insert(format!("{home}?{name}={value}"), to.to_owned());
        }
    }
}

/// A path without the parameters that tell where a visitor came from.
pub(super) fn without_campaign(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else {
        return path.to_owned();
    };
    let mut own = String::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let name = pair.split('=').next().unwrap_or_default();
        if !name.starts_with("utm_") && !CLICK_IDS.contains(&name) {
            own.push(if own.is_empty() { '?' } else { '&' });
            own.push_str(pair);
        }
    }
    format!("{path}{own}")
}

/// A list of posts: its old addresses, and where it is now.
struct AddressListing {
    /// Paths with a slash at both ends. A feed lies below each.
    paths: Vec<String>,
    /// Parameters with their values.
    queries: Vec<(&'static str, String)>,
    to: String,
    /// How many posts it lists.
    count: usize,
}

/// The number of posts on a page of a list that WordPress begins with. A smaller one gives more pages, so this errs on
/// the side of too many redirects only if the site shows more.
const PER_PAGE: usize = 10;

/// The link that replaces an old URL in a text.
#[derive(Debug, Clone)]
pub(super) struct Link {
    /// A page by its key, or a path.
    pub to: String,
    /// Its language and its path, if it is a page. A key leads to the reader's language, and a path to this one.
    pub page: Option<(String, String)>,
}

/// The links that replace old addresses in texts, by their comparable form, and those of posts and pages by number.
pub(super) fn links(
    source: &SourceSite,
    plan: &ImportPlan,
    site: &SiteUrls,
) -> (HashMap<String, Link>, HashMap<u64, Link>) {
    let (mut links, mut by_number) = (HashMap::new(), HashMap::new());
    for listing in listings(source, plan, site) {
        for path in listing.paths {
            let to = listing.to.clone();
            links.insert(
                comparable(&format!("{}{path}", source.home)),
                Link { to, page: None },
            );
        }
    }
    // Posts and pages last, because they take precedence.
    let pages = plan.pages.iter().map(|page| {
        let link = Link {
            to: format!("page:{}", page.key),
            page: Some((page.locale.clone(), page.path.clone())),
        };
        (page.post, link)
    });
    let posts = plan.posts.iter().map(|planned| {
        let path = site
            .path_of(&planned.locale, &planned.slug)
            .filter(|_| planned.was_public());
        let page = path.map(|path| (planned.locale.clone(), path));
        (
            planned.post,
            Link {
                to: format!("page:blog/{}", planned.key),
                page,
            },
        )
    });
    for (post, link) in pages.chain(posts) {
        if !post.link.contains('?') {
            links.insert(comparable(&post.link), link.clone());
        }
        by_number.insert(post.number, link);
    }
    (links, by_number)
}

/// The path of an address below the home page's host, decoded, with a slash at its end. `None` for other hosts.
pub(super) fn path_below(home: &str, address: &str) -> Option<String> {
    let (home, own) = (comparable(home), comparable(address));
    let host = home.split('/').next().unwrap_or_default();
    let path = own
        .strip_prefix(host)
        .filter(|path| path.is_empty() || path.starts_with('/'))?;
    Some(format!("{}/", path.trim_end_matches('/')))
}

/// Redirects from old addresses. Those that stay as they are have none.
/// `tails` are last segments below the addresses of posts: `2` for the second page of a long one.
pub(super) fn redirects(
    source: &SourceSite,
    plan: &ImportPlan,
    site: &SiteUrls,
    tails: &Tails,
) -> Redirects {
    let mut all = Redirects::default();
    // Parameters stand behind the home page, which may lie below a path.
    let home = path_below(&source.home, &source.home).unwrap_or_else(|| "/".to_owned());
    for listing in listings(source, plan, site) {
        for path in listing.paths {
            let path = format!("{}{path}", home.trim_end_matches('/'));
            all.paths.insert(format!("{path}feed/"), listing.to.clone());
            for number in 2..=listing.count.div_ceil(PER_PAGE) {
                all.paths
                    .insert(format!("{path}page/{number}/"), listing.to.clone());
            }
            all.paths.insert(path, listing.to.clone());
        }
        for (name, value) in listing.queries {
            all.query(&home, name, value, &listing.to);
        }
    }
    for (kind, file) in [
        ("", "feed"),
        ("rss/", "feed"),
        ("rss2/", "feed"),
        ("rdf/", "feed"),
        ("atom/", "atom"),
    ] {
        let Some(blog) = site.blogs.get(site.default) else {
            continue;
        };
        all.paths
            .insert(format!("{home}feed/{kind}"), format!("{blog}{file}.xml"));
        if let Some(kind) = kind.strip_suffix('/') {
            all.query(&home, "feed", kind, &format!("{blog}{file}.xml"));
        }
    }
    if let Some(blog) = site.blogs.get(site.default) {
        all.paths
            .insert(format!("{home}comments/feed/"), format!("{blog}feed.xml"));
        // The list of all posts, which may be at the home page or at a page of its own.
        let lists = plan
            .posts_pages
            .values()
            .map(String::as_str)
            .chain([home.as_str()]);
        for list in lists {
            for number in 2..=plan.posts.len().div_ceil(PER_PAGE) {
                all.paths
                    .insert(format!("{list}page/{number}/"), blog.clone());
            }
        }
        for (number, list) in &plan.posts_pages {
            all.query(&home, "page_id", number, blog);
            all.query(&home, "p", number, blog);
            all.paths
                .insert(format!("{list}feed/"), format!("{blog}feed.xml"));
            all.paths.insert(list.clone(), blog.clone());
        }
    }
    // The query goes along: `/index.php?p=123` leads to `/?p=123`, and that to the post.
    all.paths.insert(format!("{home}index.php"), home.clone());
    let blog = site.blog();
    for (number, media) in &source.media {
        let post = plan
            .by_number
            .get(&media.parent)
            .map(|at| &plan.posts[*at])
            .filter(|post| post.was_public());
        let page = plan
            .page_by_number
            .get(&media.parent)
            .map(|at| plan.pages[*at].path.clone());
        let to = post
            .and_then(|post| site.path_of(&post.locale, &post.slug))
            .or(page)
            .unwrap_or_else(|| blog.clone());
        all.query(&home, "attachment_id", number, &to);
        if let Some(path) = source.old_path(&media.link) {
            all.paths.insert(path, to);
        }
    }
    for page in &plan.pages {
        all.query(&home, "page_id", page.post.number, &page.path);
        all.query(&home, "p", page.post.number, &page.path);
        let Some(path) = source.old_path(&page.post.link) else {
            continue;
        };
        all.paths.insert(format!("{path}feed/"), page.path.clone());
        all.paths.insert(path, page.path.clone());
    }
    // Posts behind a password are drafts now or could not be read, and their addresses were known.
    let protected = plan
        .posts
        .iter()
        .filter(|planned| planned.post.is_protected);
    let protected = protected.map(|planned| {
        (
            planned.post.number,
            planned.post.link.as_str(),
            site.blogs.get(&planned.locale),
        )
    });
    let locked = source
        .locked
        .iter()
        .map(|(number, link)| (*number, link.as_str(), site.blogs.get(site.default)));
    for (number, link, to) in protected.chain(locked) {
        if let (Some(path), Some(to)) = (source.old_path(link), to) {
            all.query(&home, "p", number, to);
            all.paths.insert(format!("{path}feed/"), to.clone());
            all.paths.insert(path, to.clone());
        }
    }
    for planned in plan.posts.iter().filter(|planned| planned.was_public()) {
        let Some(to) = site.path_of(&planned.locale, &planned.slug) else {
            continue;
        };
        all.query(&home, "p", planned.post.number, &to);
        let Some(path) = source.old_path(&planned.post.link) else {
            continue;
        };
        let parent = path
            .trim_end_matches('/')
            .rsplit_once('/')
            .map_or("", |(parent, _)| parent);
        for old in &planned.post.old_slugs {
            let slug = percent_decode_str(old).decode_utf8_lossy();
            if !slug.is_empty() {
                all.paths.insert(format!("{parent}/{slug}/"), to.clone());
            }
        }
        let own = tails
            .get(&planned.post.number)
            .into_iter()
            .flatten()
            .map(String::as_str);
        for tail in ["feed", "amp", "comments"].into_iter().chain(own) {
            all.paths.insert(format!("{path}{tail}/"), to.clone());
        }
        all.paths.insert(path, to);
    }
    // A query of the home page would lead to itself on hosts that append it again.
    all.queries.retain(|_, to| *to != home);
    let pages = plan.pages.iter().map(|page| page.path.as_str());
    let own: BTreeSet<&str> = site.own.iter().map(String::as_str).chain(pages).collect();
    // Some file systems hold one of two names that differ in case only.
    let mut taken: BTreeSet<String> = own.iter().map(|path| path.to_lowercase()).collect();
    let Redirects {
        paths, left_out, ..
    } = &mut all;
    paths.retain(|path, to| {
        if path == to || own.contains(path.as_str()) || path.len() < 2 {
            return false;
        }
        let is_possible = is_old_path(path) && taken.insert(path.to_lowercase());
        if !is_possible {
            left_out.insert(if is_old_path(path) {
                format!("`{path}` differs only in case from another URL, so it has no redirect")
            } else {
                format!("`{path}` cannot be redirected")
            });
        }
        is_possible
    });
    all
}

/// Redirects from the addresses of pictures to the pages that show them. `used` has the addresses with their pages: the
/// first page that shows a picture gets its visitors. `kept` are paths of files that stay.
pub(super) fn files(
    source: &SourceSite,
    used: &[(String, BTreeSet<String>)],
    kept: &BTreeSet<String>,
) -> BTreeMap<String, String> {
    let (mut redirects, mut seen) = (BTreeMap::new(), BTreeSet::new());
    for (to, addresses) in used {
        for path in addresses
            .iter()
            .filter_map(|address| path_below(&source.home, address))
        {
            let path = path.trim_end_matches('/');
            let folded = path.to_lowercase();
            // Two names that differ in case only cannot both be redirected: some file systems hold one of them.
            if !kept.contains(path)
                && is_old_path(path)
                && path.contains('.')
                && seen.insert(folded)
            {
                redirects.insert(path.to_owned(), to.clone());
            }
        }
    }
    redirects
}

impl SiteUrls<'_> {
    /// The blog of the default language.
    fn blog(&self) -> String {
        self.blogs
            .get(self.default)
            .cloned()
            .unwrap_or_else(|| "/".to_owned())
    }

    /// The address of a post.
    pub fn path_of(&self, locale: &str, slug: &str) -> Option<String> {
        Some(format!("{}{slug}/", self.blogs.get(locale)?))
    }
}

/// The locale of a list: the default one, if it has posts in it.
fn first_locale<'a>(locales: &BTreeSet<&'a str>, default: &str) -> Option<&'a str> {
    locales.get(default).or(locales.first()).copied()
}

/// Lists of posts: tags, categories, authors and dates.
fn listings(source: &SourceSite, plan: &ImportPlan, site: &SiteUrls) -> Vec<AddressListing> {
    let mut listings = Vec::new();
    let blog = site.blog();
    // The locale of a tag is that of the posts that have it.
    let mut tagged: BTreeMap<(TermKind, &str), BTreeSet<&str>> = BTreeMap::new();
    let mut authors: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    // How many posts each list has.
    let mut dates: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    let mut of_terms: BTreeMap<(TermKind, &str), usize> = BTreeMap::new();
    let mut of_authors: BTreeMap<&str, usize> = BTreeMap::new();
    for planned in plan.posts.iter().filter(|planned| planned.was_public()) {
        authors
            .entry(&planned.author)
            .or_default()
            .insert(&planned.locale);
        *of_authors.entry(&planned.author).or_default() += 1;
        for term in &planned.post.tags {
            let term = (term.kind, term.slug.as_str());
            tagged.entry(term).or_default().insert(&planned.locale);
            *of_terms.entry(term).or_default() += 1;
        }
        let date = &planned.post.date;
        if let (Some(year), Some(month), Some(day)) =
            (date.get(..4), date.get(5..7), date.get(8..10))
        {
            for of_date in [(year, "", ""), (year, month, ""), (year, month, day)] {
                *dates.entry(of_date).or_default() += 1;
            }
        }
    }
    for ((year, month, day), count) in dates {
        let parts: String = [year, month, day]
            .iter()
            .filter(|part| !part.is_empty())
            .flat_map(|part| [part, "/"])
            .collect();
        let queries = vec![("m", format!("{year}{month}{day}"))];
        listings.push(AddressListing {
            paths: vec![format!("/{parts}")],
            queries,
            to: blog.clone(),
            count,
        });
    }
    let parents: HashMap<&str, &str> = source
        .terms
        .iter()
        .filter(|term| term.kind == TermKind::Category && !term.parent.is_empty())
        .map(|term| (term.slug.as_str(), term.parent.as_str()))
        .collect();
    let home = comparable(&source.home);
    for term in &source.terms {
        let name = plan.tags.get(&(term.kind, term.slug.clone()));
        let to = name.and_then(|name| {
            Some(format!(
                "page:blog/tag/{}/{}",
                first_locale(tagged.get(&(term.kind, term.slug.as_str()))?, site.default)?,
                Slug::of_tag(name)
            ))
        });
        let own = term.link.as_deref().map(comparable);
        let linked = own
            .as_deref()
            .and_then(|link| link.strip_prefix(&home))
            .filter(|path| path.starts_with('/'));
        let paths =
            linked.map_or_else(|| paths_of(term, &parents), |path| vec![format!("{path}/")]);
        let mut queries = Vec::new();
        match term.kind {
            TermKind::Tag => queries.push(("tag", term.slug.clone())),
            TermKind::Category if term.number > 0 => queries.push(("cat", term.number.to_string())),
            TermKind::Category => {}
        }
        let count = of_terms
            .get(&(term.kind, term.slug.as_str()))
            .copied()
            .unwrap_or_default();
        listings.push(AddressListing {
            paths,
            queries,
            to: to.unwrap_or_else(|| blog.clone()),
            count,
        });
    }
    for (name, slug) in &plan.authors {
        let author = source.authors.get(name);
        let own = author.map_or(slug.as_str(), |author| author.slug.as_str());
        // An author without a public post has no page.
        let own_blog = authors
            .get(slug.as_str())
            .and_then(|locales| site.blogs.get(first_locale(locales, site.default)?));
        let to = own_blog.map_or_else(|| blog.clone(), |blog| format!("{blog}author/{slug}/"));
        // A login name may be an address, which stays in WordPress.
        let own = Some(own)
            .filter(|own| !own.contains('@'))
            .and_then(|own| Slug::of(&nicename(own)));
        let paths = own.iter().map(|own| format!("/author/{own}/")).collect();
        let number = author
            .map(|author| author.number)
            .filter(|number| *number > 0);
        let queries = number
            .map(|number| ("author", number.to_string()))
            .into_iter();
        let queries = queries
            .chain(own.map(|own| ("author_name", own.into_string())))
            .collect();
        let count = of_authors.get(slug.as_str()).copied().unwrap_or_default();
        listings.push(AddressListing {
            paths,
            queries,
            to,
            count,
        });
    }
    for listing in &mut listings {
        listing
            .queries
            .retain(|(_, value)| site::routes::is_value(value));
    }
    listings
}

/// The name in the address of an author's page, which WordPress makes of a login name: `Ana.Ruiz` → `ana-ruiz`. An
/// export file has login names only.
fn nicename(login: &str) -> String {
    let lower = login.to_lowercase().replace(['.', ' '], "-");
    lower
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '%'))
        .collect()
}

/// The addresses of a tag or a category in an export file: alone, and below the categories above it.
fn paths_of(term: &Term, parents: &HashMap<&str, &str>) -> Vec<String> {
    let base = if term.kind == TermKind::Tag {
        "tag"
    } else {
        "category"
    };
    let mut below = decoded(&term.slug);
    let mut paths = vec![format!("/{base}/{below}/")];
    let mut at = term.parent.as_str();
    while !at.is_empty() && paths.len() < 10 {
        below = format!("{}/{below}", decoded(at));
        paths.push(format!("/{base}/{below}/"));
        at = parents.get(at).copied().unwrap_or_default();
    }
    paths
}

/// A part of a URL without percent encoding.
pub(super) fn decoded(part: &str) -> String {
    percent_decode_str(part).decode_utf8_lossy().into_owned()
}
