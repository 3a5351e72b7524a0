//! The pages of posts and entries without their recorded inputs: their own titles, addresses and translations, and everything
//! that all pages of a language have around them. The same for the other pages of the blog.
//!
//! There are tens of thousands of these pages, and making and hashing their contexts took more than half of a rebuild. With
//! contexts, 15,000 posts of which one had a new title took 4.9 s of CPU time in place of 2.0 s. Everything else that
//! they show is recorded (`asked.rs`).
//!
//! After an edit of items, a page that has asked for none of them is not even compared by its values (`changed.rs`).
//! `tests/it/incremental.rs` and `tests/it/entry_edits.rs`, whose templates print their whole context, and
//! `build --verify-cache` find omissions.

use std::sync::PoisonError;

use minijinja::Value;

use content::blog::Author;
use manifest::{Dependency, Fingerprint};
use site::model::{BlogPage, Body, Page, Section};
use text::rich::Piece;
use workspace::sources::{Hash, hash, hash_value};

use super::page::section_value;
use super::values::Values;
use super::{Renderer, blog, breadcrumbs, entry_lists, webmanifest};

/// The hashes of everything that the pages of a language have around them.
pub(super) struct Around {
    settings: Hash,
    /// Colors, icons, social profiles.
    looks: Hash,
    languages: Hash,
    blog: BlogAround,
}

/// The same for the pages of a blog; empty without one.
#[derive(Default)]
struct BlogAround {
    /// The page that lists the posts, and the looks.
    head: Hash,
    /// The sections below the list, which the page of a post or an author has, too.
    below: Hash,
    /// All sections of the list, without the posts in it.
    sections: Hash,
}

impl Around {
    fn of(renderer: &Renderer, values: &Values) -> Around {
        let Renderer {
            settings,
            site,
            drawings,
            manifest,
            ..
        } = *renderer;
        let own = &site.locales[values.locale];
        let names = site
            .locales
            .iter()
            .map(|locale| (&locale.code, &locale.name, &locale.language));
        let colors: Vec<_> = manifest.styles.tokens("color").collect();
        let social = site.frames.first().map(|frame| &frame.social);
        let looks = hash_value(&(
            colors,
            &drawings.icons,
            social,
            webmanifest::path(drawings, own),
        ));
        let blog = blog::language(values).map_or_else(BlogAround::default, |language| {
            let list = &site.pages[language.list.0];
            let sections = |is_wanted: &dyn Fn(usize) -> bool| {
                let wanted = list
                    .sections
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| is_wanted(*at));
                hash_sections(
                    wanted
                        .map(|(at, section)| section_value(values, section, at != language.list.1)),
                )
            };
            let card = drawings.cards.get(language.list.0);
            BlogAround {
                head: hash_value(&(&list.title, &list.path, &list.layout, card, looks)),
                below: sections(&|at| at > language.list.1),
                sections: sections(&|_| true),
            }
        });
        Around {
            settings: hash_value(settings),
            looks,
            languages: hash_value(&(
                names.collect::<Vec<_>>(),
                own.direction,
                &own.date,
                &own.months,
            )),
            blog,
        }
    }
}

fn hash_sections(sections: impl Iterator<Item = Value>) -> Hash {
    let sections: Vec<Value> = sections.collect();
    if sections.is_empty() {
        Hash::default()
    } else {
        hash_value(&sections)
    }
}

/// Whether everything that a page consists of is known without its context.
pub(super) fn has_own(page: &Page) -> bool {
    matches!(page.body, Body::Entry(_)) && page.own_sections().is_empty()
        || matches!(page.body, Body::Blog(_))
}

/// The hash of all sections of a page.
pub(super) fn hash_sections_of(values: &Values) -> Hash {
    let sections = values.page.sections.iter();
    hash_sections(sections.map(|section| section_value(values, section, true)))
}

impl Renderer<'_> {
    /// The fingerprint of a page without its templates, its assets and its recorded inputs; `None` for a page of which only
    /// the context shows what it consists of. `visible` is the hash of what it says itself, `shown` are the posts that it
    /// shows beside its own.
    pub(super) fn own(
        &self,
        index: usize,
        values: &Values,
        visible: Hash,
        shown: &[usize],
    ) -> Option<Fingerprint> {
        let (site, routes, page) = (self.site, self.routes, values.page);
        if !has_own(page) {
            return None;
        }
        let is_entry = matches!(page.body, Body::Entry(_));
        let around = self.around[values.locale].get_or_init(|| Around::of(self, values));
        let mut fingerprint = self.frames[values.locale].fingerprint.clone();
        fingerprint.set(Dependency::Settings, around.settings);
        let trail = is_entry.then(|| breadcrumbs::trail(self.settings, site, routes, page));
        fingerprint.add(Dependency::Page, &(visible, trail));
        let head = match page.body {
            Body::Entry(id) => {
                let list = self.list_of_entries(id.collection, values);
                let image = hash_value(&self.share_image(index));
                hash(&[around.looks, list, image].concat())
            }
            _ if page.image.is_some() || self.has_card(index) => {
                let image = hash_value(&self.share_image(index));
                hash(&[around.blog.head, image].concat())
            }
            // It has the card of the list.
            _ => around.blog.head,
        };
        fingerprint.set(Dependency::Head, head);
        let translations = (0..site.locales.len())
            .map(|locale| routes.translation(site, page, locale))
            .collect::<Vec<_>>();
        let translations = hash_value(&(routes.alternates(site, page), translations));
        fingerprint.set(
            Dependency::Languages,
            hash(&[around.languages, translations].concat()),
        );
        let section = |section: &Section| section_value(values, section, true);
        fingerprint.set(
            Dependency::Closing,
            hash_sections(page.shared_sections().iter().map(section)),
        );
        if let Body::Blog(kind) = page.body {
            let sections = match kind {
                BlogPage::Post(_) | BlogPage::Author(..) => around.blog.below,
                BlogPage::List(_) | BlogPage::Tag(..) => around.blog.sections,
            };
            let in_text = hash_sections(blog::sections_in_text(page).iter().map(section));
            let place = blog::place(values, shown);
            fingerprint.set(
                Dependency::Sections,
                hash(&[sections.as_slice(), &in_text, &place].concat()),
            );
        }
        Some(fingerprint)
    }

    /// The hash of everything that the pages of the blog in a language have around them.
    pub(super) fn hash_around(&self, locale: usize) -> Option<Hash> {
        let code = &self.site.locales[locale].code;
        let page = self.site.pages.iter().find(|page| page.locale == *code)?;
        let values = self.values(page, locale);
        let around = self.around[locale].get_or_init(|| Around::of(self, &values));
        let BlogAround {
            head,
            below,
            sections,
        } = around.blog;
        Some(hash(&[around.languages, head, below, sections].concat()))
    }

    /// The hash of what the page of an entry shows of its collection and of the page that lists it. The form for debugging has
    /// every part of the schema, such as its structured data.
    fn list_of_entries(&self, collection: usize, values: &Values) -> Hash {
        let mut known = self
            .lists_of_entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *known.entry((collection, values.locale)).or_insert_with(|| {
            let place = entry_lists::list_place(values);
            let path = place.map(|place| &self.site.pages[place.page].path.value);
            let schema = self.site.collections.list[collection].schema;
            let schema = hash(format!("{schema:?}").as_bytes());
            hash_value(&(path, entry_lists::list(values), schema))
        })
    }

    /// The hash of everything that lists show of a post.
    pub(super) fn summary(&self, index: usize) -> Hash {
        *self.shared.summaries[index].get_or_init(|| {
            let post = self.site.blog.post(index);
            let picture = post
                .image
                .as_ref()
                .map(|image| self.hash_of_picture(&image.src))
                .unwrap_or_default();
            let author = self.author_of(index).map(|author| &author.name);
            hash(&[post.fingerprints.summary, hash_value(&author), picture].concat())
        })
    }

    /// The hash of everything that the page of a post shows of it, with links and pictures resolved.
    pub(super) fn hash_of_post(&self, values: &Values, index: usize) -> Hash {
        let post = self.site.blog.post(index);
        let author = self
            .author_of(index)
            .map(|author| (&author.slug, author.role.get(&values.page.locale)));
        let mut bytes = [
            self.summary(index),
            post.fingerprints.body,
            hash_value(&author),
        ]
        .concat();
        for piece in &post.body.links().pieces {
            match piece {
                // Part of the fingerprint of the body.
                Piece::Html(_) | Piece::Part(..) => {}
                Piece::Link(_) | Piece::Word(_) | Piece::Media(..) => {
                    bytes.extend(hash(values.piece(piece).as_bytes()));
                }
                Piece::Picture(picture) => bytes.extend(self.hash_of_picture(&picture.src)),
            }
        }
        hash(&bytes)
    }

    fn author_of(&self, post: usize) -> Option<&Author> {
        self.site
            .blog
            .author(self.site.blog.post(post).author.as_deref()?)
    }

    /// The hash of everything that lists in a language show of an author, whose name is that of the post.
    pub(super) fn author_summary(&self, slug: &str, locale: &str) -> Hash {
        let Some(author) = self.site.blog.author(slug) else {
            return Hash::default();
        };
        let picture = author
            .avatar
            .as_deref()
            .map(|src| self.hash_of_picture(src));
        hash_value(&(slug, author.description.get(locale), picture))
    }

    /// The hash of everything that the page of an author in a language shows.
    pub(super) fn hash_of_author(&self, slug: &str, locale: &str) -> Hash {
        let Some(author) = self.site.blog.author(slug) else {
            return Hash::default();
        };
        let Author {
            slug,
            name,
            role,
            description,
            avatar,
        } = author;
        let picture = avatar.as_deref().map(|src| self.hash_of_picture(src));
        hash_value(&(
            slug,
            name,
            role.get(locale),
            description.get(locale),
            picture,
        ))
    }

    /// The hash of everything that a template can read of a picture.
    fn hash_of_picture(&self, src: &str) -> Hash {
        let used = self
            .site
            .images
            .get(src)
            .map(|used| (used.file.width, used.file.height, &used.file.kind));
        hash_value(&(src, used, self.manifest.images.get(src)))
    }
}
