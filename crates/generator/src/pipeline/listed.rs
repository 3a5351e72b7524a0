//! All content of a site with its state: pages, sections on many pages, posts, authors and entries in each language, for the
//! list of the forms. It takes what a build has planned, and reads no file.

use std::collections::BTreeSet;

use content::WithdrawnPage;
use content::blog::PostState;
use content::collections::AUTHORS;
use diagnostics::problem::Source;
use diagnostics::yaml;
use schema::types::{Absence, Moment};
use site::model::{BlogPage, Body, EntryId, Page, shared};

use super::Plan;

pub use search_index::folded;

/// The kind of sections on many pages. No collection has a name like it.
const SHARED_SECTIONS: &str = "shared_sections";

/// A page, sections on many pages, a post, an author or an entry, in one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedContent {
    /// Its title or its name; its key if it has none.
    pub title: String,
    /// Shared by its translations.
    pub key: String,
    /// The code of its language.
    pub locale: String,
    /// `page`, `shared_sections`, `post`, `author`, or the name of its collection.
    pub kind: String,
    /// Its file below the folder of the site, or its address in a CMS.
    pub file: String,
    /// All of its files: the words of a page, and what its languages share.
    pub files: Vec<String>,
    /// Its path in the plan, that of the first page for sections on many pages; `None` if no page shows it.
    pub address: Option<String>,
    /// Whether visitors see it.
    pub standing: Standing,
    /// Who wrote it.
    pub person: Option<String>,
}

/// Whether visitors see something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// They do.
    Public,
    /// They do, in the words of another language.
    Fallback,
    /// Not until somebody says so.
    Draft,
    /// From this time on.
    Scheduled(Moment),
    /// Until this time.
    Expired(Moment),
}

impl From<PostState> for Standing {
    fn from(state: PostState) -> Standing {
        match state {
            PostState::Draft => Standing::Draft,
            PostState::Scheduled(from) => Standing::Scheduled(from),
            PostState::Expired(until) => Standing::Expired(until),
        }
    }
}

impl From<Absence> for Standing {
    fn from(absence: Absence) -> Standing {
        match absence {
            Absence::Scheduled(from) => Standing::Scheduled(from),
            Absence::Expired(until) => Standing::Expired(until),
        }
    }
}

impl Plan {
    /// All content, sorted by kind, title and language. The name of the product is left out at the end of titles.
    pub fn listed(&self) -> Vec<ListedContent> {
        let mut all: Vec<ListedContent> = self
            .site
            .pages
            .iter()
            .filter_map(|page| self.listed_page(page))
            .collect();
        all.extend(self.entries_without_page());
        all.extend(self.shared_sections());
        let withdrawn_sections = self.content.withdrawn_sections.iter();
        all.extend(withdrawn_sections.map(|sections| withdrawn(sections, SHARED_SECTIONS)));
        all.extend(
            self.content
                .withdrawn_pages
                .iter()
                .map(|page| withdrawn(page, "page")),
        );
        all.extend(self.withdrawn_entries());
        let shown: BTreeSet<String> = all.iter().map(|one| one.file.clone()).collect();
        all.extend(
            self.unpublished_posts()
                .filter(|post| !shown.contains(&post.file)),
        );
        all.sort_by_cached_key(|one| {
            (
                one.kind.clone(),
                folded(&one.title),
                one.locale.clone(),
                one.key.clone(),
            )
        });
        all
    }

    /// `None` for pages that list others, and for those of the style guide.
    fn listed_page(&self, page: &Page) -> Option<ListedContent> {
        let post = page.body.post().map(|index| self.site.blog.post(index));
        let kind = match page.body {
            Body::Sections => "page",
            Body::Entry(id) => self.site.collections.list[id.collection].schema.name,
            Body::Blog(BlogPage::Post(_)) => "post",
            Body::Blog(BlogPage::Author(_, 1)) => AUTHORS,
            Body::Blog(_) | Body::Gallery(_) | Body::EntryFilter(_) => return None,
        };
        let mut files = own_files(&page.source);
        let title = match page.body {
            Body::Blog(BlogPage::Author(at, _)) => {
                let term = self
                    .site
                    .blog
                    .languages
                    .get(&page.locale)?
                    .authors
                    .get(at)?;
                files = self.site.author_files(&term.slug, &page.locale);
                term.name.clone()
            }
            Body::Entry(id) => self.entry_name(id, &page.locale),
            _ => post
                .and_then(|post| post.title.clone())
                .unwrap_or_else(|| page.name(&self.config.site.product.name).to_owned()),
        };
        if let Some(post) = post {
            files = vec![post.origin.path().to_owned()];
        }
        let public = if page.is_fallback {
            Standing::Fallback
        } else {
            Standing::Public
        };
        Some(ListedContent {
            title,
            key: page.key.clone(),
            locale: page.locale.clone(),
            kind: kind.to_owned(),
            file: files.first()?.clone(),
            files,
            address: Some(page.path.value.clone()),
            standing: post
                .and_then(|post| post.state(self.config.run.now))
                .map_or(public, Standing::from),
            person: post
                .and_then(|post| post.author.as_deref())
                .map(|slug| self.author_name(slug)),
        })
    }

    fn author_name(&self, slug: &str) -> String {
        self.site
            .blog
            .author(slug)
            .map_or_else(|| slug.to_owned(), |author| author.name.clone())
    }

    fn entry_name(&self, id: EntryId, code: &str) -> String {
        let at = self.site.locale_index(code);
        self.site
            .collections
            .name(id, &(at, &self.site.locales[at]))
    }

    /// Entries that are shown in pages of others only.
    fn entries_without_page(&self) -> Vec<ListedContent> {
        let mut rows = Vec::new();
        for (collection, of_kind) in self.site.collections.list.iter().enumerate() {
            for (entry, own) in of_kind.entries.iter().enumerate() {
                for (locale, text) in own.texts.iter().enumerate() {
                    let Some(text) = text.as_ref().filter(|text| !text.has_page) else {
                        continue;
                    };
                    let (code, files) = (&self.site.locales[locale].code, own_files(&text.source));
                    // The blog has their pages, and lists posts itself.
                    if of_kind.schema.is_of_posts() {
                        continue;
                    }
                    if of_kind.schema.name == AUTHORS && self.site.blog.languages.contains_key(code)
                    {
                        continue;
                    }
                    let Some(file) = files.first().cloned() else {
                        continue;
                    };
                    rows.push(ListedContent {
                        title: self.entry_name(EntryId { collection, entry }, code),
                        key: own.key.clone(),
                        locale: code.clone(),
                        kind: of_kind.schema.name.to_owned(),
                        file,
                        files,
                        address: None,
                        standing: if text.words_in == locale {
                            Standing::Public
                        } else {
                            Standing::Fallback
                        },
                        person: None,
                    });
                }
            }
        }
        rows
    }

    /// The sections on many pages that are public, in each language.
    fn shared_sections(&self) -> impl Iterator<Item = ListedContent> {
        let read = self.content.shared_sections.iter().zip(&self.site.shared);
        read.filter_map(|(file, sections)| {
            let files = files_of_page(&file.source, file.is_written);
            let is_lent = !file.sections.is_empty()
                && file.sections.iter().all(|section| section.lent.is_some());
            Some(ListedContent {
                title: file.key.clone(),
                key: file.key.clone(),
                locale: file.locale.clone(),
                kind: SHARED_SECTIONS.to_owned(),
                file: files.first()?.clone(),
                files,
                address: shared::shown_on(&self.site, sections).map(|page| page.path.value.clone()),
                standing: if is_lent {
                    Standing::Fallback
                } else {
                    Standing::Public
                },
                person: None,
            })
        })
    }

    /// Entries that are not public now, once for all languages.
    fn withdrawn_entries(&self) -> Vec<ListedContent> {
        let locale = self
            .site
            .locales
            .first()
            .map(|locale| locale.code.clone())
            .unwrap_or_default();
        let mut rows = Vec::new();
        let others = self
            .content
            .collections
            .list
            .iter()
            .filter(|collection| !collection.schema.is_of_posts());
        for collection in others {
            rows.extend(collection.withdrawn.iter().map(|entry| ListedContent {
                title: title_in(&entry.source).unwrap_or_else(|| entry.key.clone()),
                key: entry.key.clone(),
                locale: locale.clone(),
                kind: collection.schema.name.to_owned(),
                file: entry.source.path.clone(),
                files: own_files(&entry.source),
                address: None,
                standing: match (entry.from, entry.until) {
                    (Some(from), _) if from > self.config.run.now => Standing::Scheduled(from),
                    (_, Some(until)) => Standing::Expired(until),
                    _ => Standing::Draft,
                },
                person: None,
            }));
        }
        rows
    }

    fn unpublished_posts(&self) -> impl Iterator<Item = ListedContent> {
        self.site
            .blog
            .content
            .unpublished
            .iter()
            .map(|post| ListedContent {
                title: post.title.clone(),
                key: post.page.0.clone(),
                locale: post.locale.clone(),
                kind: "post".to_owned(),
                file: post.origin.clone(),
                files: vec![post.origin.clone()],
                address: None,
                standing: post.state.into(),
                person: None,
            })
    }
}

/// A page, or sections on many pages, that are not public now.
fn withdrawn(page: &WithdrawnPage, kind: &str) -> ListedContent {
    let files = files_of_page(&page.source, page.is_written);
    ListedContent {
        title: title_in(&page.source).unwrap_or_else(|| page.key.clone()),
        key: page.key.clone(),
        locale: page.locale.clone(),
        kind: kind.to_owned(),
        file: files.first().unwrap_or(&page.source.path).clone(),
        files,
        address: None,
        standing: page.absence.into(),
        person: None,
    }
}

/// The files of a page: without that of its language if nobody has written one.
fn files_of_page(source: &Source, is_written: bool) -> Vec<String> {
    own_files(source)
        .into_iter()
        .filter(|path| is_written || *path != source.path)
        .collect()
}

fn own_files(source: &Source) -> Vec<String> {
    source
        .paths()
        .filter(|path| !path.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The title or the name that is written in a YAML file.
fn title_in(source: &Source) -> Option<String> {
    let node = yaml::parse(source, 0..source.text.len()).ok()?;
    ["title", "name"]
        .iter()
        .find_map(|key| node.get(key)?.as_text().map(str::to_owned))
}
