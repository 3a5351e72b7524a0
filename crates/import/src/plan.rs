//! Decides where everything goes: the language, the file and the key of each post, and what each old address leads to.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use percent_encoding::percent_decode_str;

use schema::types::{Slug, is_of_key};
use workspace::kinds::Kind;

use super::source::{SourcePost, SourceSite, Status, Term, TermKind};

/// First segments of addresses below the blog that are no posts.
const RESERVED: [&str; 3] = ["page", "tag", "author"];

/// Categories that WordPress gives to posts without one.
const NO_CATEGORY: [&str; 4] = [
    "uncategorized",
    "sin-categoria",
    "sem-categoria",
    "allgemein",
];

/// A post with its place in the site.
#[derive(Debug)]
pub(super) struct Planned<'a> {
    pub post: &'a SourcePost,
    pub locale: String,
    pub slug: String,
    /// The key that posts share if they are translations of each other.
    pub key: String,
    /// The slug of its author's file.
    pub author: String,
    /// Names of its tags.
    pub tags: Vec<String>,
}

/// A page with its place in the site.
#[derive(Debug)]
pub(super) struct PlannedPage<'a> {
    pub post: &'a SourcePost,
    pub locale: String,
    /// Its folder below `content/pages/`, which translations share.
    pub key: String,
    /// Its address in the site.
    pub path: String,
}

/// The plan of an import.
#[derive(Debug, Default)]
pub(super) struct ImportPlan<'a> {
    pub posts: Vec<Planned<'a>>,
    /// By a key of [`SourceSite::authors`]: the slug of the file.
    pub authors: BTreeMap<String, String>,
    /// Names of tags by the kind and the slug of a term.
    pub tags: BTreeMap<(TermKind, String), String>,
    /// Posts of languages that the site does not have, by the language.
    pub other_languages: BTreeMap<String, usize>,
    pub pages: Vec<PlannedPage<'a>>,
    /// By number: the page's place in `pages`.
    pub page_by_number: HashMap<u64, usize>,
    /// Addresses of pages that list posts, by number.
    pub posts_pages: BTreeMap<u64, String>,
    /// Pages that are not imported, by the reason.
    pub left_out: BTreeMap<&'static str, usize>,
    /// Posts and pages that are not imported, by number, with their titles and the reason.
    pub left_out_items: BTreeMap<u64, String>,
    /// Names of authors, by their slugs, whose own name another author has.
    pub renamed_authors: BTreeMap<String, String>,
    /// By number: the post's place in `posts`.
    pub by_number: HashMap<u64, usize>,
}

/// Plans the import into a site with these locales, of which the first is the default. Posts without a language are in
/// `default`.
pub(super) fn plan<'a>(
    source: &'a SourceSite,
    locales: &[String],
    default: &str,
) -> ImportPlan<'a> {
    let mut plan = ImportPlan {
        tags: tags(source),
        ..ImportPlan::default()
    };
    let mut slugs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut taken_authors = BTreeSet::new();
    for (name, author) in &source.authors {
        // A login name may be an address, which stays in WordPress.
        let own = Some(author.slug.as_str())
            .filter(|slug| !slug.contains('@'))
            .and_then(key_of);
        let slug = own
            .or_else(|| key_of(&author.name))
            .unwrap_or_else(|| "author".to_owned());
        plan.authors
            .insert(name.clone(), unique(&mut taken_authors, &slug));
    }
    for post in &source.posts {
        if post.is_page {
            continue;
        }
        let Some(locale) = locale(post.language.as_deref(), locales, default) else {
            plan.leave_out_language(post, post.language.as_deref());
            continue;
        };
        let title = super::plain_text(&post.title);
        let written = [post.slug.as_str(), title.as_str()]
            .into_iter()
            .find_map(|name| Slug::of(name).filter(|slug| !RESERVED.contains(&slug.as_str())));
        let slug = written.map_or_else(|| format!("post-{}", post.number), Slug::into_string);
        let slug = unique(slugs.entry(locale.clone()).or_default(), &slug);
        let author = plan.authors.get(&post.author).cloned().unwrap_or_default();
        let mut names: Vec<String> = Vec::new();
        for term in &post.tags {
            let Some(name) = plan.tags.get(&(term.kind, term.slug.clone())) else {
                continue;
            };
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        plan.by_number.insert(post.number, plan.posts.len());
        plan.posts.push(Planned {
            post,
            locale,
            key: slug.clone(),
            slug,
            author,
            tags: names,
        });
    }
    let posts: Vec<_> = plan
        .posts
        .iter()
        .map(|own| (own.post, own.locale.as_str(), own.key.as_str()))
        .collect();
    for (at, key) in shared_keys(&posts, locales) {
        plan.posts[at].key = key;
    }
    let used: BTreeSet<&str> = plan.posts.iter().map(|own| own.author.as_str()).collect();
    let mut names = BTreeSet::new();
    for (login, slug) in &plan.authors {
        let name = super::plain_text(&source.authors[login].name);
        // Their pages would have one title.
        if used.contains(slug.as_str()) && !names.insert(name.clone()) {
            let name = format!("{name} ({slug})");
            plan.renamed_authors.insert(slug.clone(), name);
        }
    }
    plan
}

/// The key of an entry for a name. A key has fewer signs than a slug: `1.5` is `1-5`.
pub(super) fn key_of(name: &str) -> Option<String> {
    let slug = Slug::of(name)?;
    let key: String = slug
        .as_str()
        .chars()
        .map(|c| if is_of_key(c) { c } else { '-' })
        .collect();
    Slug::of(&key).map(Slug::into_string)
}

/// The locale of the site for a language of WordPress: `es`, `es-ES` and `es_ES` are `es`.
pub(super) fn locale(language: Option<&str>, locales: &[String], default: &str) -> Option<String> {
    let Some(language) = language.map(|language| language.replace('_', "-").to_lowercase()) else {
        return Some(default.to_owned());
    };
    let exact = locales.iter().find(|code| code.to_lowercase() == language);
    let main = language.split('-').next().unwrap_or_default();
    exact
        .or_else(|| {
            locales
                .iter()
                .find(|code| code.to_lowercase().split('-').next() == Some(main))
        })
        .cloned()
}

pub(super) fn unique(taken: &mut BTreeSet<String>, slug: &str) -> String {
    let mut own = slug.to_owned();
    let mut number = 2;
    while !taken.insert(own.clone()) {
        own = format!("{slug}-{number}");
        number += 1;
    }
    own
}

/// The names of tags. Categories become tags; names that would have one address are one tag.
fn tags(source: &SourceSite) -> BTreeMap<(TermKind, String), String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut tags = BTreeMap::new();
    let used: BTreeSet<&Term> = source.posts.iter().flat_map(|post| &post.tags).collect();
    for term in used
        .into_iter()
        .chain(&source.terms)
        .filter(|term| !is_no_category(term))
    {
        let name = super::plain_text(&term.name);
        if name.is_empty() {
            continue;
        }
        let name = names
            .entry(Slug::of_tag(&name).into_string())
            .or_insert(name)
            .clone();
        tags.insert((term.kind, term.slug.clone()), name);
    }
    tags
}

/// Whether a term says that a post has no category.
pub(super) fn is_no_category(term: &Term) -> bool {
    term.kind == TermKind::Category && NO_CATEGORY.contains(&term.slug.as_str())
}

/// The keys of translations: that of the one in the first locale. `all` are posts or pages with their locales and their
/// own keys; a key that another one of a language has stays with that one.
pub(super) fn shared_keys(
    all: &[(&SourcePost, &str, &str)],
    locales: &[String],
) -> Vec<(usize, String)> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, (post, ..)) in all.iter().enumerate() {
        if let Some(group) = post.translations.as_deref() {
            groups.entry(group).or_default().push(at);
        }
    }
    let mut taken: BTreeSet<(&str, &str)> =
        all.iter().map(|(_, locale, key)| (*locale, *key)).collect();
    let mut shared = Vec::new();
    for members in groups.into_values() {
        let Some(first) = members
            .iter()
            .copied()
            .min_by_key(|at| locales.iter().position(|code| code == all[*at].1))
        else {
            continue;
        };
        let key = all[first].2;
        let others = members.into_iter().filter(|at| *at != first);
        shared.extend(
            others
                .filter(|at| taken.insert((all[*at].1, key)))
                .map(|at| (at, key.to_owned())),
        );
    }
    shared
}

impl ImportPlan<'_> {
    /// Leaves out a page.
    pub fn leave_out(&mut self, post: &SourcePost, why: &'static str) {
        *self.left_out.entry(why).or_default() += 1;
        self.left_out_items.insert(
            post.number,
            format!("{why}: {}", super::plain_text(&post.title)),
        );
    }

    /// Leaves out a post or a page of a language that the site does not have.
    pub fn leave_out_language(&mut self, post: &SourcePost, language: Option<&str>) {
        let language = language.unwrap_or_default();
        *self.other_languages.entry(language.to_owned()).or_default() += 1;
        self.left_out_items.insert(
            post.number,
            format!("in `{language}`: {}", super::plain_text(&post.title)),
        );
    }
}

impl Planned<'_> {
    /// Whether visitors of WordPress could read it.
    pub fn was_public(&self) -> bool {
        self.post.status == Status::Published
    }

    /// The folder of its file, if it has one, and of its pictures.
    pub fn folder(&self) -> String {
        format!("{}/{}", Kind::Post.folder_of("", &self.locale), self.slug)
    }
}

/// An address without scheme, port, query, fragment and trailing slash, decoded, for comparison.
pub(super) fn comparable(address: &str) -> String {
    let rest = address
        .split_once("://")
        .map_or(address, |(_, rest)| rest)
        .trim_start_matches("//");
    let rest = rest
        .split(['?', '#'])
        .next()
        .unwrap_or_default()
        .trim_end_matches('/');
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let host = host
        .split(':')
        .next()
        .unwrap_or_default()
        .trim_start_matches("www.")
        .to_lowercase();
    format!("{host}{}", percent_decode_str(path).decode_utf8_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_plugins_are_those_of_the_site() {
        let locales = ["en".to_owned(), "es".to_owned(), "pt-br".to_owned()];
        let check = |language: Option<&str>, expect: Option<&str>| {
            assert_eq!(
                locale(language, &locales, "en").as_deref(),
                expect,
                "{language:?}"
            );
        };
        check(None, Some("en"));
        check(Some("es_CO"), Some("es"));
        check(Some("pt-BR"), Some("pt-br"));
        check(Some("pt"), Some("pt-br"));
        check(Some("fr"), None);
    }

    #[test]
    fn addresses_are_compared_without_what_varies() {
        assert_eq!(
            comparable("http://www.Blog.example:8080/caf%C3%A9/?x=1#a"),
            "blog.example/café"
        );
        assert_eq!(comparable("//blog.example/"), "blog.example");
    }
}
