//! The fingerprints of blog pages, computed without their contexts.
//!
//! There are tens of thousands of these pages, and making and hashing their contexts took more than half of a rebuild.
//! So a post has two hashes (`Fingerprints`): one of everything that other pages show of it, and one of its body. The
//! fingerprint of a page is computed from those of the posts that it shows.
//!
//! Unlike other fingerprints, these list the dependencies of a page. If you add a field to the context of a blog page,
//! add it here; if you add a field of a post to lists, add it to `PostSummary` in `crates/site/src/content/blog/post.rs`. Hashing the
//! contexts instead, with the cards of posts hashed once, was tried: 15,000 posts of which one had a new title took 4.9 s
//! of CPU time in place of 2.0 s.
//! `tests/it/incremental.rs`, whose templates print their whole context, and `build --verify-cache` find omissions.

use std::collections::BTreeSet;

use minijinja::Value;

use crate::values::Values;
use crate::{Renderer, webmanifest};
use content::blog::{Author, PostPart};
use manifest::{Dependency, Fingerprint};
use site::model::blog::post_key;
use site::model::{BlogPage, Body, Page, Section};
use text::rich::Piece;
use workspace::sources::{Hash, hash, hash_value};

use super::{post_list, sequence};

/// The hashes that all blog pages of one language have in common, whatever posts there are.
pub(crate) struct Commons {
    fingerprint: Fingerprint,
    languages: Hash,
    /// The sections on the page of a post or an author.
    below: Hash,
    /// The sections on the page of a list, without the posts in it, and the tags.
    around: Hash,
}

/// Makes the context of a section, with or without its generated fields. Blog pages may have sections of every kind, so
/// `page.rs` passes this in.
type SectionValue<'a> = dyn Fn(&Section, bool) -> Value + 'a;

impl Renderer<'_> {
    fn commons(&self, values: &Values, section_value: &SectionValue) -> Commons {
        let (settings, site, drawings, manifest) =
            (self.settings, self.site, self.drawings, self.manifest);
        let mut fingerprint = self.frames[values.locale].fingerprint.clone();
        let Some(language) = super::language(values) else {
            return Commons {
                fingerprint,
                languages: Hash::default(),
                below: Hash::default(),
                around: Hash::default(),
            };
        };
        let list = &site.pages[language.list.0];
        fingerprint.set(Dependency::Settings, hash_value(settings));
        let names = site
            .locales
            .iter()
            .map(|locale| (&locale.code, &locale.name, &locale.language));
        let own = &site.locales[values.locale];
        let languages = hash_value(&(
            names.collect::<Vec<_>>(),
            own.direction,
            &own.date,
            &own.months,
        ));
        let colors: Vec<_> = manifest.styles.tokens("color").collect();
        let card = drawings.cards.get(language.list.0);
        let social = site.frames.first().map(|frame| &frame.social);
        let address = webmanifest::path(drawings, own);
        fingerprint.set(
            Dependency::Head,
            hash_value(&(
                &list.title,
                &list.path,
                &list.layout,
                colors,
                card,
                &drawings.icons,
                social,
                address,
            )),
        );
        let sections = |is_wanted: &dyn Fn(usize) -> bool| {
            let wanted = list
                .sections
                .iter()
                .enumerate()
                .filter(|(at, _)| is_wanted(*at));
            let values = wanted.map(|(at, section)| section_value(section, at != language.list.1));
            hash_value(&values.collect::<Vec<_>>())
        };
        let topics: Vec<_> = language
            .tags
            .iter()
            .map(|tag| (&tag.name, &tag.slug))
            .collect();
        Commons {
            fingerprint,
            languages,
            below: sections(&|at| at > language.list.1),
            around: hash(&[sections(&|_| true), hash_value(&topics)].concat()),
        }
    }

    /// The fingerprint of a blog page. `shown` are the posts that it shows beside its own.
    pub(crate) fn blog_fingerprint(
        &self,
        page: &Page,
        kind: BlogPage,
        values: &Values,
        shown: &[usize],
        section_value: &SectionValue,
    ) -> Fingerprint {
        let (site, routes) = (self.site, self.routes);
        let commons =
            self.blog_commons[values.locale].get_or_init(|| self.commons(values, section_value));
        let mut fingerprint = commons.fingerprint.clone();
        fingerprint.add(
            Dependency::Page,
            &(
                (
                    &page.key,
                    &page.title,
                    &page.description,
                    &page.path.value,
                    page.noindex,
                    page.status.number(),
                ),
                (&page.layout, &page.breadcrumb, &page.label, &page.updated),
                (page.schema.value as u8, sequence(site, page)),
            ),
        );
        let translations =
            || (0..site.locales.len()).map(|locale| routes.translation(site, page, locale));
        let translations = (
            routes.alternates(site, page),
            translations().collect::<Vec<_>>(),
        );
        fingerprint.set(
            Dependency::Languages,
            hash(&[commons.languages, hash_value(&translations)].concat()),
        );
        let closing = page
            .shared_sections()
            .iter()
            .map(|section| section_value(section, true));
        fingerprint.add(Dependency::Closing, &closing.collect::<Vec<_>>());
        let posts = shown
            .iter()
            .map(|post| self.summary(*post))
            .collect::<Vec<_>>()
            .concat();
        let list = || {
            let list = post_list(site, page);
            list.map(|list| format!("{} {} {}", list.number, list.posts.len(), list.path))
                .unwrap_or_default()
        };
        match kind {
            BlogPage::Post(index) => {
                fingerprint.set(Dependency::Sections, commons.below);
                let parts = super::sections_in_text(page)
                    .iter()
                    .map(|section| section_value(section, true));
                let parts = hash_value(&parts.collect::<Vec<_>>());
                let post = [self.post_hash(values, index).as_slice(), &posts, &parts].concat();
                fingerprint.set(Dependency::Post, hash(&post));
            }
            BlogPage::Author(at, _) => {
                fingerprint.set(Dependency::Sections, commons.below);
                let slug =
                    super::language(values).map(|language| language.authors[at].slug.as_str());
                let author = self.author_hash(slug, &page.locale);
                fingerprint.set(
                    Dependency::Author,
                    hash(&[author.as_slice(), list().as_bytes(), &posts].concat()),
                );
            }
            BlogPage::List(_) | BlogPage::Tag(..) => {
                let tag = match kind {
                    BlogPage::Tag(at, _) => {
                        super::language(values).map(|language| language.tags[at].name.as_str())
                    }
                    _ => None,
                };
                let about = format!("{} {}", list(), tag.unwrap_or_default());
                let authors: BTreeSet<&str> = shown
                    .iter()
                    .filter_map(|post| site.blog.post(*post).author.as_deref())
                    .collect();
                let authors: Vec<Hash> = authors
                    .into_iter()
                    .map(|slug| self.answer_hash(slug, &page.locale))
                    .collect();
                let parts = [
                    commons.around.as_slice(),
                    about.as_bytes(),
                    &posts,
                    &authors.concat(),
                ];
                fingerprint.set(Dependency::Sections, hash(&parts.concat()));
            }
        }
        fingerprint
    }

    /// The hash of everything that other pages show of a post.
    fn summary(&self, index: usize) -> Hash {
        *self.shared.summaries[index].get_or_init(|| {
            let post = self.site.blog.post(index);
            let picture = post
                .image
                .as_ref()
                .map(|image| self.picture_hash(&image.src))
                .unwrap_or_default();
            let author = self.author_of(index).map(|author| &author.name);
            hash(&[post.fingerprints.summary, hash_value(&author), picture].concat())
        })
    }

    /// The hash of everything that the page of a post shows of it and of its neighbors, with links and pictures
    /// resolved.
    fn post_hash(&self, values: &Values, index: usize) -> Hash {
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
        for neighbor in super::neighbors(values, index) {
            bytes.extend(
                neighbor
                    .map(|other| self.summary(other))
                    .unwrap_or_default(),
            );
        }
        for term in super::tags(values, index) {
            bytes.extend_from_slice(term.name.as_bytes());
            bytes.push(0);
        }
        for piece in &post.body.links().pieces {
            match piece {
                // Part of the fingerprint of the body.
                Piece::Html(_) | Piece::Part(..) => {}
                Piece::Link(_) | Piece::Word(_) | Piece::Media(..) => {
                    bytes.extend(hash(values.piece(piece).as_bytes()));
                }
                Piece::Picture(picture) => bytes.extend(self.picture_hash(&picture.src)),
            }
        }
        hash(&bytes)
    }

    fn author_of(&self, post: usize) -> Option<&Author> {
        self.site
            .blog
            .author(self.site.blog.post(post).author.as_deref()?)
    }

    /// The hash of everything that the page of an author shows of the author.
    fn author_hash(&self, slug: Option<&str>, locale: &str) -> Hash {
        let Some(author) = slug.and_then(|slug| self.site.blog.author(slug)) else {
            return Hash::default();
        };
        let Author {
            slug,
            name,
            role,
            description,
            avatar,
        } = author;
        let picture = avatar.as_deref().map(|src| self.picture_hash(src));
        hash_value(&(
            slug,
            name,
            role.get(locale),
            description.get(locale),
            picture,
        ))
    }

    /// The hash of an author as the API returns it with a post, which is how the island of a list has it.
    fn answer_hash(&self, slug: &str, locale: &str) -> Hash {
        let Some(author) = self.site.blog.author(slug) else {
            return Hash::default();
        };
        let avatar = author.avatar.as_deref().map(|src| self.picture_hash(src));
        hash_value(&(slug, author.description.get(locale), avatar))
    }

    /// The hash of everything that a template can read of a picture.
    fn picture_hash(&self, src: &str) -> Hash {
        let used = self
            .site
            .images
            .get(src)
            .map(|used| (used.file.width, used.file.height, &used.file.kind));
        hash_value(&(src, used, self.manifest.images.get(src)))
    }
}

/// The indices of the posts that a blog page shows beside its own.
pub(crate) fn shown(values: &Values) -> Vec<usize> {
    match values.page.body {
        Body::Blog(BlogPage::Post(index)) => super::related(super::tags(values, index), index),
        _ => post_list(values.site, values.page)
            .into_iter()
            .flat_map(|list| list.shown())
            .collect(),
    }
}

/// The names of the values of posts that changed, among those that a page shows: its own post, and the `shown` ones.
pub(crate) fn changed_values(
    values: &Values,
    shown: &[usize],
    dependency: Dependency,
) -> Vec<String> {
    if !matches!(
        dependency,
        Dependency::Post | Dependency::Author | Dependency::Sections
    ) {
        return Vec::new();
    }
    let blog = &values.site.blog;
    let own = values.page.body.post();
    let neighbors = own
        .into_iter()
        .flat_map(|index| super::neighbors(values, index))
        .flatten();
    let mut names = BTreeSet::new();
    for index in own
        .into_iter()
        .chain(neighbors)
        .chain(shown.iter().copied())
    {
        let post = blog.post(index);
        let parts = blog.content.edits.get(post.origin.path());
        // Other pages show no text of a post.
        let parts = parts
            .into_iter()
            .flatten()
            .filter(|part| own == Some(index) || **part != PostPart::Text);
        names.extend(parts.map(|part| format!("the {} of `{}`", part.name(), post_key(&post.key))));
    }
    names.into_iter().collect()
}
