//! A page of the site, in one locale.
//!
//! Every page is a [`Page`] with a URL path, a title, a description and anchors. Its [`Body`] is the source of its
//! content, sections or data, and determines its template. Pages that are generated from data (posts, case studies,
//! filtered lists, the gallery) are in `Site::pages` like all others, so URLs, alternates, link checks, the sitemap and
//! budgets treat all pages alike. Pages that show the sections of another page share them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use content::images::ImageKind;
use content::pages::{Layout, Schema, Status};
use content::sections::{self, Band, SectionKind};
use diagnostics::marks;
use diagnostics::problem::{Source, Span};
use diagnostics::yaml::Spanned;

use super::fields::{Field, Picture, UsedImage, Walk};

/// A page in one locale.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own"
)]
pub struct Page {
    /// Shared by its translations.
    pub key: String,
    /// Its locale.
    pub locale: String,
    /// Its canonical URL path.
    pub path: Spanned<String>,
    /// Its number among the pages of a list; 1 for every other page.
    pub number: usize,
    /// Further URL paths.
    pub also_at: Vec<Spanned<String>>,
    /// The whole `<title>`.
    pub title: String,
    /// Meta description.
    pub description: String,
    /// Exclude the page from search engines.
    pub noindex: bool,
    /// HTTP status: 200, or that of an error page.
    pub status: Status,
    /// The path below which a 404 page is shown for missing addresses, if not the whole locale.
    pub answers_below: Option<Spanned<String>>,
    /// All fragments that links may use.
    pub anchors: Vec<String>,
    /// Its name in breadcrumbs, if set.
    pub label: Option<String>,
    /// Fragments of its sections that are not public now, and why not.
    pub hidden_anchors: Vec<(String, String)>,
    /// The picture for social networks, if set.
    pub image: Option<Picture>,
    /// Type of the page in structured data.
    pub schema: Spanned<Schema>,
    /// Date of the last significant change, `2025-03-31`, if set.
    pub updated: Option<String>,
    /// Do not report that no page links to it.
    pub unlinked: bool,
    /// It shows the words of another language, so it is no translation for search engines.
    pub is_fallback: bool,
    /// The code of the language that lends its title, if it is not in its own.
    pub title_lent_by: Option<String>,
    /// How many kB of HTML it may have, if it has a budget of its own.
    pub html_budget: Option<u32>,
    /// The layout around it.
    pub layout: Layout,
    /// The source of its content, which determines its template.
    pub body: Body,
    /// Breadcrumbs from the home page to the page itself; empty if the page does not show them.
    pub breadcrumb: Vec<Crumb>,
    /// Its sections; pages that are generated from the same file share them.
    pub sections: Arc<[Section]>,
    /// How many of the sections, at the end, are in the text of its post.
    pub in_text: usize,
    /// How many of the sections, at the very end, it shares with other pages (`on_pages`).
    pub shared: usize,
    /// A section could not be read, so anchors and headings are unknown.
    pub partial: bool,
    /// Its source file.
    pub source: Arc<Source>,
    /// The place of its title.
    pub title_span: Span,
    pub(super) description_span: Span,
}

/// The texts of a page for its head.
#[derive(Debug, Default)]
pub(super) struct HeadTexts {
    /// The title.
    pub title: String,
    /// The description.
    pub description: String,
}

impl Page {
    /// Its image, if it is a photograph: social networks show no vector art.
    pub fn photograph(&self, images: &BTreeMap<String, UsedImage>) -> Option<&Picture> {
        let picture = self.image.as_ref()?;
        let file = &images.get(&picture.src)?.file;
        matches!(file.kind, ImageKind::Raster(_)).then_some(picture)
    }

    /// A page that is made from data, with a title and a description. All else is as in a page that states nothing.
    pub(super) fn of_data(
        key: String,
        locale: &str,
        path: Spanned<String>,
        texts: HeadTexts,
        source: &Arc<Source>,
        body: Body,
    ) -> Page {
        Page {
            key,
            locale: locale.to_owned(),
            title_span: path.span,
            description_span: path.span,
            path,
            number: 1,
            also_at: Vec::new(),
            title: texts.title,
            description: texts.description,
            noindex: false,
            status: Status::Found,
            answers_below: None,
            anchors: Vec::new(),
            hidden_anchors: Vec::new(),
            label: None,
            image: None,
            schema: Spanned::default(),
            updated: None,
            unlinked: false,
            html_budget: None,
            is_fallback: false,
            title_lent_by: None,
            layout: Layout::default(),
            body,
            breadcrumb: Vec::new(),
            sections: Arc::new([]),
            in_text: 0,
            shared: 0,
            partial: false,
            source: Arc::clone(source),
        }
    }

    /// Its sections without those that it shares with other pages.
    pub fn own_sections(&self) -> &[Section] {
        &self.sections[..self.sections.len() - self.shared]
    }

    /// The sections that it shares with other pages, shown after all others.
    pub fn shared_sections(&self) -> &[Section] {
        &self.sections[self.sections.len() - self.shared..]
    }

    /// Everything of the page that can be seen in its HTML, without its sections and its body.
    pub fn visible(&self) -> impl Serialize + '_ {
        // Destructured without `..`, so that a new field cannot be forgotten.
        let Page {
            key,
            locale,
            path,
            number,
            also_at,
            title,
            description,
            noindex,
            status,
            answers_below: _,
            anchors,
            label,
            hidden_anchors: _,
            image,
            schema,
            updated,
            unlinked: _,
            is_fallback,
            title_lent_by,
            html_budget: _,
            layout,
            body: _,
            breadcrumb,
            sections: _,
            shared: _,
            in_text,
            partial,
            source: _,
            title_span: _,
            description_span: _,
        } = self;
        let image = image
            .as_ref()
            .map(|image| (&image.src, &image.alt, image.focus));
        let also_at: Vec<&str> = also_at.iter().map(|path| path.value.as_str()).collect();
        (
            (
                key,
                locale,
                &path.value,
                number,
                also_at,
                title,
                description,
                noindex,
                status.number(),
                anchors,
                label,
            ),
            (
                image,
                schema.value as u8,
                updated,
                (is_fallback, title_lent_by),
                layout,
                breadcrumb,
                partial,
                in_text,
            ),
        )
    }

    /// The title without the product name at either end: `Services · Product` → `Services`.
    pub fn name(&self, product: &str) -> &str {
        let separator =
            |c: char| c.is_whitespace() || matches!(c, '·' | '|' | '-' | '–' | '—' | ':');
        let title = self.title.trim();
        let after = title
            .strip_suffix(product)
            .filter(|rest| rest.ends_with(separator));
        // Behind the mark, in a page of the preview.
        let before = marks::behind(title)
            .strip_prefix(product)
            .filter(|rest| rest.starts_with(separator));
        let name = after.or(before).map(|rest| rest.trim_matches(separator));
        name.filter(|rest| !rest.is_empty()).unwrap_or(title)
    }
}

/// The source of a page's content. Data is referred to by index in the [`super::Site`], so pages use little memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// Its own sections.
    Sections,
    /// A page of the blog of the page's locale.
    Blog(BlogPage),
    /// A section kind or a component with its examples: its index in `site.gallery`.
    Gallery(usize),
    /// An entry of a collection.
    Entry(EntryId),
    /// The entries of a collection that have a value.
    EntryFilter(EntryFilterId),
}

impl Body {
    /// The index of the post whose page this is.
    pub fn post(self) -> Option<usize> {
        match self {
            Body::Blog(BlogPage::Post(index)) => Some(index),
            _ => None,
        }
    }
}

/// The position of an entry: its collection in `site.collections`, and its place there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId {
    /// The index of the collection.
    pub collection: usize,
    /// The index of the entry in it.
    pub entry: usize,
}

/// The position of a value by which entries are listed: in `site.collections`, in the filters of the collection, and in
/// the values of the page's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryFilterId {
    /// The index of the collection.
    pub collection: usize,
    /// The index of the filter in its schema.
    pub filter: usize,
    /// The index of the value.
    pub value: usize,
}

/// A page of the blog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlogPage {
    /// All posts: the page number, from 2 (page 1 is the list page).
    List(usize),
    /// The posts of a tag: index of the tag, and page number, from 1.
    Tag(usize, usize),
    /// An author and their posts: index of the author, and page number, from 1.
    Author(usize, usize),
    /// A post: its index in `content.posts`.
    Post(usize),
}

/// An item of a breadcrumb.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Crumb {
    /// Its label.
    pub label: Arc<str>,
    /// The code of the language that lends the label, if it is not in that of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lent_by: Option<Arc<str>>,
    /// Its URL path.
    pub path: Arc<str>,
}

/// A resolved section.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its kind.
    pub kind: &'static SectionKind,
    /// Its anchor.
    pub id: Option<String>,
    /// Its background.
    pub band: Band,
    /// Its fields.
    pub fields: Field,
    /// The name of the collection that it lists.
    pub lists: Option<String>,
    /// The language that its words are in, if it is not that of the page.
    pub lent: Option<String>,
    /// Its files, if they are not those of the page.
    pub source: Option<Arc<Source>>,
}

impl Section {
    /// A section of content with its texts filled in.
    pub(super) fn resolve(section: &sections::Section, walk: &mut Walk) -> Section {
        Section {
            kind: section.kind,
            id: section.id.as_ref().map(|id| id.value.clone()),
            band: section.band,
            fields: walk.section(section),
            // The preview marks texts, also this one.
            lists: section.lists().map(marks::without),
            lent: section.lent.clone(),
            source: None,
        }
    }
}
