//! The content of WordPress, whichever way it was read: from an export file or from its REST API.

use std::collections::{BTreeMap, BTreeSet};

use super::addresses::{decoded, path_below};
use super::ids;

/// Everything but the texts of posts, which are read one by one.
#[derive(Debug, Default)]
pub(super) struct SourceSite {
    /// The home page, without a trailing slash.
    pub home: String,
    /// The language of the site, such as `en-US`.
    pub language: Option<String>,
    pub title: String,
    /// Authors by the name that posts use: the login name or the number.
    pub authors: BTreeMap<String, SourceAuthor>,
    pub posts: Vec<SourcePost>,
    /// Numbers and addresses of posts whose text only those see who have its password.
    pub locked: BTreeMap<u64, String>,
    /// Files of the media library by their number.
    pub media: BTreeMap<u64, Media>,
    /// Texts of reusable blocks by their number.
    pub reusable: BTreeMap<u64, String>,
    /// The anchors that links in all texts name.
    pub anchors: BTreeSet<String>,
    /// Numbers of pages without a text: one of them lists posts, and the others show nothing.
    pub empty_pages: BTreeSet<u64>,
    /// Tags and categories.
    pub terms: BTreeSet<Term>,
    /// The content that is not imported, by its kind, with how many there were.
    pub others: BTreeMap<String, usize>,
    /// The items that are no posts, pages or files, by number, with what they are.
    pub skipped: BTreeMap<u64, String>,
    /// Texts about the site and its tags and categories that no page shows: what each is about, and the text.
    pub about: BTreeMap<String, String>,
    /// Fields of items that only WordPress itself reads, with how many there were.
    pub internal_fields: BTreeMap<String, usize>,
}

impl SourceSite {
    /// The path of a URL below the home page, if it has no parameters.
    pub fn old_path(&self, address: &str) -> Option<String> {
        path_below(&self.home, address).filter(|_| !address.contains('?'))
    }

    /// Notes the anchors that the links in a text name.
    pub fn note_anchors(&mut self, html: &str) {
        for link in html.split("href=").skip(1) {
            let mut parts = link.split(['"', '\'', '>']);
            let address = parts.next().filter(|own| !own.is_empty()).or(parts.next());
            if let Some((_, anchor)) = address.and_then(|address| address.split_once('#')) {
                self.anchors.insert(decoded(&ids::elsewhere(anchor)));
            }
        }
    }

    /// Notes an item that is not imported.
    pub fn skip(&mut self, post: &SourcePost, what: String) {
        self.skipped.insert(
            post.number,
            format!("{what}: {}", super::plain_text(&post.title)),
        );
        *self.others.entry(what).or_default() += 1;
    }
}

/// Numbers of posts and pages. One whose number another has gets its own, the same whenever the file is read.
#[derive(Debug, Default)]
pub(super) struct Numbers(BTreeSet<u64>);

impl Numbers {
    /// No WordPress has as many items.
    const STEP: u64 = 1 << 40;

    /// Whether no item of the file has the number.
    pub fn is_made_up(number: u64) -> bool {
        number >= Numbers::STEP
    }

    /// The number of the next one.
    pub fn own(&mut self, written: u64) -> u64 {
        let mut own = written;
        while !self.0.insert(own) {
            own = own.wrapping_add(Numbers::STEP);
        }
        own
    }
}

/// A person who writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SourceAuthor {
    /// Its number, as in `/?author=2`; 0 if it is unknown.
    pub number: u64,
    /// The name in the address of the author's page.
    pub slug: String,
    pub name: String,
    pub description: String,
    /// The address of the portrait.
    pub avatar: Option<String>,
}

/// A tag or a category.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Term {
    /// `tag` or `category`, as in the default addresses.
    pub kind: TermKind,
    /// The last part of its address.
    pub slug: String,
    /// The slug of the category above it.
    pub parent: String,
    /// The name, as text.
    pub name: String,
    /// The page that lists its posts, if WordPress says it.
    pub link: Option<String>,
    /// Its number, as in `/?cat=3`; 0 if it is unknown.
    pub number: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TermKind {
    #[default]
    Tag,
    Category,
}

/// A file of the media library.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Media {
    pub address: String,
    pub alt: String,
    pub caption: String,
    /// The page of the file itself.
    pub link: String,
    /// The number of the post that it was uploaded for.
    pub parent: u64,
    /// Names of the smaller copies that WordPress made, in the same folder: `boat-300x200.png`.
    pub copies: Vec<String>,
    /// Its title and its description, which only its own page shows.
    pub texts: Vec<String>,
}

/// Whether a post is public.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Status {
    #[default]
    Published,
    Draft,
    Scheduled,
    /// For users of WordPress, or behind a password. Imported as a draft.
    Private,
}

/// A post or a page, without its text.
#[derive(Debug, Clone, Default)]
pub(super) struct SourcePost {
    pub number: u64,
    pub is_page: bool,
    /// The number of the page above it; 0 for none.
    pub parent: u64,
    /// May be empty for drafts, and percent-encoded.
    pub slug: String,
    pub link: String,
    /// HTML.
    pub title: String,
    /// Local time: `2024-05-06 07:08:09`.
    pub date: String,
    /// The same in UTC; empty for some drafts.
    pub date_utc: String,
    pub modified: String,
    pub status: Status,
    /// Visitors could see its address and its title, and read it with a password.
    pub is_protected: bool,
    /// A key of [`SourceSite::authors`]; empty if the account was deleted.
    pub author: String,
    /// Names of all authors, where a plugin gives a post several.
    pub authors: Vec<String>,
    /// The description that an SEO plugin shows to search engines.
    pub description: Option<String>,
    /// Addresses of recordings that feeds announce.
    pub enclosures: Vec<String>,
    /// Values that have no place in a post: fields, and terms of other taxonomies, by their names.
    pub fields: Vec<(String, String)>,
    /// The number of the featured picture.
    pub picture: Option<u64>,
    pub tags: Vec<Term>,
    /// The code of its language, if a language plugin says it.
    pub language: Option<String>,
    /// The id that its translations share.
    pub translations: Option<String>,
    /// Former slugs.
    pub old_slugs: Vec<String>,
    /// The notes of the block `footnotes`, as JSON.
    pub footnotes: Option<String>,
    /// Whether the text is what visitors get, not what the editor stores.
    pub is_rendered: bool,
}

/// The text of a post.
#[derive(Debug, Clone, Default)]
pub(super) struct SourceText {
    pub content: String,
    /// The HTML that visitors of WordPress get, if WordPress sends it beside the stored text.
    pub rendered: Option<String>,
    /// HTML.
    pub excerpt: String,
    pub comments: Vec<Comment>,
}

/// A comment of a reader. Addresses and networks of readers are not kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub(super) struct Comment {
    pub id: u64,
    /// The comment that it answers; 0 for none.
    pub parent: u64,
    pub author: String,
    pub date: String,
    /// HTML, as it was written.
    pub text: String,
}
