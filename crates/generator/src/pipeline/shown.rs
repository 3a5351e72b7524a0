//! The facts in a build's plan about one page: which files it comes from, and which image a published file shows.
//! The preview asks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use content::blog::{Origin, Post, PostState, Unpublished};
use schema::types::Moment;
use site::model::{BlogPage, Body, Page};
use site::routes::Route;

use super::Plan;

/// A page of the site, by its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownPage {
    /// The address that was asked for.
    pub address: String,
    /// Shared by its translations.
    pub key: String,
    /// The code of its language.
    pub locale: String,
    /// Its kind, such as `post`.
    pub kind: &'static str,
    /// The files that it comes from below the folder of the site, its own first.
    pub files: Vec<String>,
    /// The address of its post in the CMS.
    pub remote: Option<String>,
    /// The kinds of its sections, in order.
    pub sections: Vec<&'static str>,
    /// Why its post is not published.
    pub state: Option<PostState>,
    /// The addresses of the page in all languages that it has, by their codes.
    pub translations: Vec<(String, String)>,
    /// The languages that the page lacks.
    pub missing: Vec<String>,
}

impl Plan {
    /// The page at an address below the base path; `None` if there is none.
    pub fn shown_page(&self, address: &str) -> Option<ShownPage> {
        let Some(Route::Page { page, .. }) = self.routes.get(address) else {
            return None;
        };
        let page = &self.site.pages[*page];
        let post = self.post_of(page.body);
        let (mut translations, mut missing) = (Vec::new(), Vec::new());
        for (index, locale) in self.site.locales.iter().enumerate() {
            match self.routes.page(&page.key, index) {
                Some(other) => translations.push((
                    locale.code.clone(),
                    self.site.pages[other].path.value.clone(),
                )),
                None => missing.push(locale.code.clone()),
            }
        }
        Some(ShownPage {
            address: address.to_owned(),
            key: page.key.clone(),
            locale: page.locale.clone(),
            kind: kind(page.body),
            files: self.files_of(page),
            remote: post.and_then(|post| match &post.origin {
                Origin::Address(address) => Some(address.clone()),
                Origin::File { .. } => None,
            }),
            sections: page
                .sections
                .iter()
                .map(|section| section.kind.name)
                .collect(),
            state: post.and_then(|post| post.state(self.config.run.now)),
            translations,
            missing,
        })
    }

    fn post_of(&self, body: Body) -> Option<&Post> {
        body.post().map(|index| self.site.blog.post(index))
    }

    /// The files that a page comes from: its own, those of the sections that it shares with another page, and that of
    /// its author.
    fn files_of(&self, page: &Page) -> Vec<String> {
        let of_shared = page
            .shared_sections()
            .iter()
            .filter_map(|section| section.source.as_ref());
        let sources = std::iter::once(&page.source).chain(of_shared);
        let mut files: Vec<String> = sources
            .flat_map(|source| source.paths())
            .map(str::to_owned)
            .collect();
        for other in self
            .site
            .pages
            .iter()
            .filter(|other| {
                !page.sections.is_empty() && Arc::ptr_eq(&other.sections, &page.sections)
            })
            .filter(|other| other.body == Body::Sections)
        {
            files.extend(other.source.paths().map(str::to_owned));
        }
        let author = match page.body {
            Body::Blog(BlogPage::Author(index, _)) => {
                let language = self.site.blog.languages.get(&page.locale);
                language
                    .and_then(|language| language.authors.get(index))
                    .map(|author| author.slug.clone())
            }
            body => self.post_of(body).and_then(|post| post.author.clone()),
        };
        files.extend(
            author
                .into_iter()
                .flat_map(|slug| self.site.author_files(&slug, &page.locale)),
        );
        let mut known = BTreeSet::new();
        files
            .retain(|file| !file.is_empty() && !file.contains("://") && known.insert(file.clone()));
        files
    }

    /// When the site must be built again without an edit, because something begins or ends to be public.
    pub fn next_change(&self) -> Option<Moment> {
        let change = self.content.next_change(self.config.run.now)?;
        Some(change.at)
    }

    /// The posts that are not published now, each with its address if `--drafts` shows it.
    pub fn unpublished(&self) -> Vec<(&Unpublished, Option<String>)> {
        let content = &self.site.blog.content;
        if content.unpublished.is_empty() {
            return Vec::new();
        }
        let posts = self
            .site
            .pages
            .iter()
            .filter_map(|page| Some((self.post_of(page.body)?, page)));
        let addresses: BTreeMap<&str, &str> = posts
            .map(|(post, page)| (post.origin.path(), page.path.value.as_str()))
            .collect();
        content
            .unpublished
            .iter()
            .map(|one| {
                (
                    one,
                    addresses
                        .get(one.origin.as_str())
                        .map(|address| (*address).to_owned()),
                )
            })
            .collect()
    }
}

/// The name of a page's kind, for people.
fn kind(body: Body) -> &'static str {
    match body {
        Body::Sections => "page",
        Body::Gallery(_) => "part of the style guide",
        Body::Entry(_) => "entry of a collection",
        Body::EntryFilter(_) => "filtered list of a collection",
        Body::Blog(BlogPage::List(_)) => "page of the blog",
        Body::Blog(BlogPage::Tag(..)) => "posts with a tag",
        Body::Blog(BlogPage::Author(..)) => "author",
        Body::Blog(BlogPage::Post(_)) => "post",
    }
}
