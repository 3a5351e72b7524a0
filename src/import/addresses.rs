//! Which old addresses lead where: links in texts, and redirects for visitors.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use generator::content_types::Slug;

use super::plan::{Plan, comparable};
use super::source::{Source, TermKind};

/// What the addresses of the new site are made of.
pub(super) struct NewSite<'a> {
    /// The address of the blog by locale, such as `/blog/`.
    pub blogs: &'a BTreeMap<String, String>,
    /// The locale of posts without a language.
    pub default: &'a str,
}

/// The links that replace old addresses in texts, by their comparable form.
pub(super) fn links(source: &Source, plan: &Plan, site: &NewSite) -> HashMap<String, String> {
    let mut links = HashMap::new();
    for (path, to) in listings(source, plan, site) {
        links.insert(comparable(&format!("{}{path}", source.home)), to);
    }
    // Posts last, because they take precedence.
    for planned in &plan.posts {
        if !planned.post.link.contains('?') {
            links.insert(comparable(&planned.post.link), format!("page:blog/{}", planned.key));
        }
    }
    links
}

/// Redirects from old paths. Paths that stay as they are have none.
pub(super) fn redirects(source: &Source, plan: &Plan, site: &NewSite) -> BTreeMap<String, String> {
    let mut redirects = BTreeMap::new();
    let home = comparable(&source.home);
    let path_of = |address: &str| {
        let own = comparable(address);
        let path = own.strip_prefix(&home).filter(|path| path.starts_with('/'))?;
        Some(format!("{}/", path.trim_end_matches('/')))
    };
    for (path, to) in listings(source, plan, site) {
        redirects.insert(path, to);
    }
    for media in source.media.values() {
        let parent = plan.by_number.get(&media.parent).map(|at| &plan.posts[*at]);
        let to = parent.filter(|planned| planned.was_public()).map(|planned| format!("page:blog/{}", planned.key));
        if let Some(path) = path_of(&media.link).filter(|_| !media.link.contains('?')) {
            redirects.insert(
                path,
                to.unwrap_or_else(|| site.blogs.get(site.default).cloned().unwrap_or_else(|| "/".to_owned())),
            );
        }
    }
    for planned in plan.posts.iter().filter(|planned| planned.was_public()) {
        let Some(blog) = site.blogs.get(&planned.locale) else { continue };
        let to = format!("{blog}{}/", planned.slug);
        let Some(path) = path_of(&planned.post.link).filter(|_| !planned.post.link.contains('?')) else { continue };
        let parent = path.trim_end_matches('/').rsplit_once('/').map_or("", |(parent, _)| parent);
        redirects.insert(path.clone(), to.clone());
        for old in &planned.post.old_slugs {
            if let Some(slug) = Slug::of(old) {
                redirects.insert(format!("{parent}/{slug}/"), to.clone());
            }
        }
        for tail in ["feed", "amp", "comments"] {
            redirects.insert(format!("{path}{tail}/"), to.clone());
        }
    }
    redirects.retain(|path, to| path != to && !site.is_own(path) && path.len() > 1 && is_path(path));
    redirects
}

impl NewSite<'_> {
    /// Whether the new site has this address itself.
    fn is_own(&self, path: &str) -> bool {
        self.blogs.values().any(|blog| path == blog)
    }
}

/// Whether a redirect may begin at a path: its parts have the form of addresses, which those of WordPress have, too.
fn is_path(path: &str) -> bool {
    path.trim_matches('/').split('/').all(Slug::is)
}

/// Lists of posts: tags, categories, authors, dates, feeds, further pages.
fn listings(source: &Source, plan: &Plan, site: &NewSite) -> BTreeMap<String, String> {
    let mut listings = BTreeMap::new();
    let blog = site.blogs.get(site.default).cloned().unwrap_or_else(|| "/".to_owned());
    let mut add = |path: String, to: &str| {
        let to = to.to_owned();
        listings.insert(format!("{path}feed/"), to.clone());
        listings.insert(path, to);
    };
    let home = comparable(&source.home);
    // The locale of a tag is that of the posts that have it.
    let mut tagged: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut authors: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut months: BTreeSet<String> = BTreeSet::new();
    for planned in plan.posts.iter().filter(|planned| planned.was_public()) {
        for tag in &planned.tags {
            tagged.entry(tag).or_default().insert(&planned.locale);
        }
        authors.entry(&planned.author).or_default().insert(&planned.locale);
        let date = &planned.post.date;
        if let (Some(year), Some(month), Some(day)) = (date.get(..4), date.get(5..7), date.get(8..10)) {
            months.insert(format!("/{year}/"));
            months.insert(format!("/{year}/{month}/"));
            months.insert(format!("/{year}/{month}/{day}/"));
        }
    }
    let locale_of = |locales: Option<&BTreeSet<&str>>| {
        let locales = locales?;
        if locales.contains(site.default) {
            Some(site.default.to_owned())
        } else {
            locales.first().map(|code| (*code).to_owned())
        }
    };
    for date in months {
        add(date, &blog);
    }
    for term in &source.terms {
        let base = if term.kind == TermKind::Tag { "tag" } else { "category" };
        let slug = percent_encoding::percent_decode_str(&term.slug).decode_utf8_lossy().into_owned();
        let name = plan.tags.get(&(term.kind, term.slug.clone()));
        let to = name.and_then(|name| {
            Some(format!("page:blog/tag/{}/{}", locale_of(tagged.get(name.as_str()))?, Slug::of_tag(name)))
        });
        let to = to.unwrap_or_else(|| blog.clone());
        let own = term.link.as_deref().map(comparable);
        let linked = own.as_deref().and_then(|link| link.strip_prefix(&home)).filter(|path| path.starts_with('/'));
        add(linked.map_or_else(|| format!("/{base}/{slug}/"), |path| format!("{path}/")), &to);
        if !term.parent.is_empty() && linked.is_none() {
            add(format!("/{base}/{}/{slug}/", term.parent), &to);
        }
    }
    for (name, slug) in &plan.authors {
        let own = source.authors.get(name).map_or(slug.as_str(), |author| author.slug.as_str());
        let Some(locale) = locale_of(authors.get(slug.as_str())) else { continue };
        let to = site.blogs.get(&locale).map_or_else(|| blog.clone(), |blog| format!("{blog}author/{slug}/"));
        if !own.contains('@')
            && let Some(own) = Slug::of(own)
        {
            add(format!("/author/{own}/"), &to);
        }
    }
    let feed = |kind: &str| site.blogs.get(site.default).map(|blog| format!("{blog}{kind}.xml"));
    for (path, kind) in [
        ("/feed/", "feed"),
        ("/feed/rss/", "feed"),
        ("/feed/rss2/", "feed"),
        ("/feed/atom/", "atom"),
        ("/comments/feed/", "feed"),
    ] {
        if let Some(to) = feed(kind) {
            listings.insert(path.to_owned(), to);
        }
    }
    listings
}
