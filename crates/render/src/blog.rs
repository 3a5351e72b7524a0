//! Template context of the blog: a list of posts, an author, a post.

mod answers;
mod explorer;
mod fallbacks;
mod feeds;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use content::blog::{Author, Post, PostPart};
use content::sections::SectionRole;
use diagnostics::marks::without;
use diagnostics::problem::Problem;
use manifest::{Dependency, PageInput};
use schema::types::{Focus, Localized};
use site::model::blog::{Language, PER_PAGE, Term, pages_of, post_key};
use site::model::fields::Picture;
use site::model::{BlogPage, Body, EntryId, Page, Section, Site};
use site::routes::{Href, Routes};
use text::rich::{Heading, Piece};
use workspace::sources::{Hash, hash_value};

use super::asked::record;
use super::drawn;
use super::entries::{EntryObject, with_entry};
use super::lent;
use super::values::Values;

/// Reading speed, for the reading time of a post.
const WORDS_PER_MINUTE: usize = 220;
/// Chinese and Japanese, of which a reader takes in several characters at once.
const CHARACTERS_PER_MINUTE: usize = 440;
/// The minimum number of headings (`h2`) for a table of contents.
const CONTENTS_MIN_HEADINGS: usize = 4;
/// The maximum number of related posts.
const RELATED: usize = 3;

/// A post in a list.
#[derive(Serialize)]
pub(super) struct Card {
    title: String,
    link: Href,
    date: Option<Day>,
    author: String,
    excerpt: Option<String>,
    picture: Value,
}

/// A date in ISO 8601, and as text in the page's language.
#[derive(Serialize)]
struct Day {
    iso: String,
    words: String,
}

/// A link with a label, which may lead to the current page.
#[derive(Serialize)]
struct Choice {
    label: String,
    link: Href,
    current: bool,
}

/// The pagination of a list.
#[derive(Serialize)]
struct Pagination {
    /// The address of the list.
    list: String,
    current: usize,
    total: usize,
    /// A selection of the pages, see [`shown_numbers`].
    pages: Vec<Choice>,
    previous: Option<Href>,
    next: Option<Href>,
}

/// A heading and its anchor.
#[derive(Serialize)]
struct Anchor<'a> {
    text: Cow<'a, str>,
    id: &'a str,
}

/// The template variable `post` of `templates/pages/blog-post.html`.
#[derive(Serialize)]
pub(super) struct PostContext<'a> {
    title: Option<&'a str>,
    date: Option<Day>,
    author: Option<&'a str>,
    author_link: Option<Href>,
    author_role: Option<String>,
    picture: Option<Value>,
    body: Option<Value>,
    minutes: usize,
    contents: Vec<Anchor<'a>>,
    tags: Vec<Choice>,
    newer: Option<Choice>,
    older: Option<Choice>,
    related: Vec<Value>,
}

/// The template variable `author` of `templates/pages/blog-author.html`.
#[derive(Serialize)]
pub(super) struct AuthorContext<'a> {
    name: &'a str,
    role: Option<String>,
    description: Option<String>,
    picture: Value,
    posts: Vec<Value>,
    count: usize,
    pagination: Pagination,
    /// Whether the posts could not be loaded. Always false in a build, which publishes nothing without them.
    error: bool,
    /// The message for that case.
    error_message: Option<&'a str>,
}

/// The sections that a page shows. The page of a post or an author shows only those after the list of posts.
pub(super) fn sections(page: &Page) -> impl Iterator<Item = &Section> {
    let skipped = match page.body {
        Body::Blog(BlogPage::Post(_) | BlogPage::Author(..)) => page
            .sections
            .iter()
            .position(|section| section.kind.role == SectionRole::PostList)
            .map_or(0, |at| at + 1),
        _ => 0,
    };
    let own = page.own_sections();
    own.iter().take(own.len() - page.in_text).skip(skipped)
}

/// The sections in the text of a page's post.
pub(super) fn sections_in_text(page: &Page) -> &[Section] {
    let own = page.own_sections();
    &own[own.len() - page.in_text..]
}

pub(super) fn language<'a>(values: &Values<'a>) -> Option<&'a Language> {
    values.site.blog.languages.get(&values.page.locale)
}

/// The tags of a post, by their slugs.
fn tags<'a>(values: &Values<'a>, index: usize) -> impl Iterator<Item = &'a Term> {
    let terms = language(values).map_or(&[] as &[Term], |language| &language.tags);
    values.shared.tags[index]
        .iter()
        .filter_map(|at| terms.get(*at))
}

/// A list of posts, and the part of it that one page shows.
struct PostList<'a> {
    /// The address of its first page.
    path: String,
    posts: &'a [usize],
    /// The number of the page, from 1.
    number: usize,
    /// Whether links to other pages are `?page=2` (authors) or `page/2/` (all other lists).
    by_query: bool,
}

/// The list that a page shows a part of; `None` if it shows no list.
fn post_list<'a>(site: &'a Site, page: &Page) -> Option<PostList<'a>> {
    let language = site.blog.languages.get(&page.locale)?;
    let base = &site.pages[language.list.0].path.value;
    let (path, posts, number, by_query) = match page.body {
        Body::Blog(BlogPage::List(number)) => (base.clone(), &language.posts, number, false),
        Body::Blog(BlogPage::Tag(at, number)) => {
            let tag = &language.tags[at];
            (
                format!("{base}tag/{}/", tag.slug),
                &tag.posts,
                number,
                false,
            )
        }
        Body::Blog(BlogPage::Author(at, number)) => {
            let author = &language.authors[at];
            (
                format!("{base}author/{}/", author.slug),
                &author.posts,
                number,
                true,
            )
        }
        Body::Sections
            if page
                .sections
                .iter()
                .any(|section| section.kind.role == SectionRole::PostList) =>
        {
            (base.clone(), &language.posts, 1, false)
        }
        _ => return None,
    };
    Some(PostList {
        path,
        posts,
        number,
        by_query,
    })
}

impl<'a> PostList<'a> {
    /// The indices of the posts that the page shows.
    fn shown(&self) -> impl Iterator<Item = usize> + use<'a> {
        self.posts
            .iter()
            .skip((self.number - 1) * PER_PAGE)
            .take(PER_PAGE)
            .copied()
    }

    fn cards(&self, values: &Values) -> Vec<Value> {
        self.shown().map(|index| card(values, index)).collect()
    }

    /// The address of a page, in the form `page/2/`.
    fn address(&self, number: usize) -> String {
        if number == 1 {
            self.path.clone()
        } else {
            format!("{}page/{number}/", self.path)
        }
    }

    fn before(&self) -> Option<usize> {
        (self.number > 1).then(|| self.number - 1)
    }

    fn after(&self) -> Option<usize> {
        (self.number < pages_of(self.posts.len())).then(|| self.number + 1)
    }

    fn pagination(&self, routes: &Routes) -> Pagination {
        let link = |number: usize| {
            if self.by_query {
                let href = format!("{}?page={number}", routes.href(&self.path));
                return Href {
                    href,
                    external: false,
                    hreflang: None,
                };
            }
            here(routes, &self.address(number))
        };
        let total = pages_of(self.posts.len());
        Pagination {
            list: routes.href(&self.path),
            current: self.number,
            total,
            pages: shown_numbers(self.number, total)
                .map(|number| Choice {
                    label: number.to_string(),
                    link: link(number),
                    current: number == self.number,
                })
                .collect(),
            previous: self.before().map(link),
            next: self.after().map(link),
        }
    }
}

/// The page numbers that the pagination links to: the first, the last, and those around the current one.
pub(super) fn shown_numbers(current: usize, total: usize) -> impl Iterator<Item = usize> {
    let around = current.saturating_sub(2).max(1)..=(current + 2).min(total);
    let first = (*around.start() > 1).then_some(1);
    let last = (*around.end() < total).then_some(total);
    first.into_iter().chain(around).chain(last)
}

/// The addresses of the previous and the next page of a list, for the `<head>`.
pub(super) fn sequence(site: &Site, page: &Page) -> (Option<String>, Option<String>) {
    let Some(list) = post_list(site, page) else {
        return (None, None);
    };
    let address = |number| list.address(number);
    (list.before().map(address), list.after().map(address))
}

fn here(routes: &Routes, path: &str) -> Href {
    Href {
        href: routes.href(path),
        external: false,
        hreflang: None,
    }
}

fn day(values: &Values, index: usize) -> Option<Day> {
    let post = values.site.blog.post(index);
    let day = post.date?.local().day;
    let words = values.site.locales[values.locale].date(day);
    let marked = values
        .settings
        .marks
        .as_ref()
        .map(|marks| marks.marked(post.origin_of("date"), &words));
    Some(Day {
        iso: day.to_string(),
        words: marked.unwrap_or(words),
    })
}

/// Records that a page shows what lists show of a post.
fn record_summary(values: &Values, index: usize) {
    let post = values.shared.id(values.site, index);
    record(PageInput::PostSummary { post });
}

fn card(values: &Values, index: usize) -> Value {
    record_summary(values, index);
    values.shared.cards[index]
        .get_or_init(|| {
            let card = Value::from(Serde(new_card(values, index)));
            let entry = values.site.post_entry(index);
            let entry =
                entry.map(|id| EntryObject::value(&values.entries, &values.site.collections, id));
            entry.map_or_else(|| card.clone(), |entry| with_entry(card.clone(), entry))
        })
        .clone()
}

fn new_card(values: &Values, index: usize) -> Card {
    let post = values.site.blog.post(index);
    Card {
        title: fallbacks::title(values.site, post),
        link: values.link(&format!("page:{}", post_key(&post.key))),
        date: day(values, index),
        author: fallbacks::author(values.settings, values.site, post),
        excerpt: post.excerpt.clone(),
        picture: picture(values, index).unwrap_or_else(|| {
            values
                .shared
                .covers
                .draw(&post.id, &drawn::colors(values.manifest))
                .value(values.settings)
        }),
    }
}

fn picture(values: &Values, index: usize) -> Option<Value> {
    let image = values.site.blog.post(index).image.as_ref()?;
    values.site.images.get(&image.src)?;
    let post = values.site.blog.post(index);
    let mark = values
        .settings
        .marks
        .as_ref()
        .map_or(0, |marks| marks.number(post.origin_of("image")));
    Some(values.picture(&Picture {
        src: image.src.clone(),
        alt: image.alt.clone(),
        focus: image.focus,
        mark,
    }))
}

/// The path of an author's portrait, if the site has such a picture.
fn avatar<'a>(values: &Values<'a>, author: &'a Author) -> Option<&'a str> {
    author
        .avatar
        .as_deref()
        .filter(|src| values.site.images.contains_key(*src))
}

fn portrait(values: &Values, author: &Author) -> Value {
    avatar(values, author).map_or_else(
        || {
            drawn::initials(&without(&author.name), &drawn::colors(values.manifest))
                .value(values.settings)
        },
        |src| {
            values.picture(&Picture {
                src: src.to_owned(),
                alt: String::new(),
                focus: None,
                mark: 0,
            })
        },
    )
}

/// A text in the language of the page, or marked with that of the one that lends it.
fn localized(values: &Values, texts: &Localized<String>) -> Option<String> {
    let locale = &values.page.locale;
    let text = texts.get(locale)?;
    Some(lent::of_code(
        text,
        texts.lender(locale),
        &values.site.locales,
    ))
}

/// The context of an author's page.
pub(super) fn author<'a>(values: &Values<'a>, at: usize) -> Option<AuthorContext<'a>> {
    let term: &Term = &language(values)?.authors[at];
    let slug = term.slug.clone();
    record(PageInput::Author { author: slug });
    let author = values.site.blog.author(&term.slug)?;
    let list = post_list(values.site, values.page)?;
    let text = |texts: &Localized<String>| localized(values, texts);
    Some(AuthorContext {
        name: &author.name,
        role: text(&author.role),
        description: text(&author.description),
        picture: portrait(values, author),
        posts: list.cards(values),
        count: term.posts.len(),
        pagination: list.pagination(values.routes),
        error: false,
        error_message: None,
    })
}

/// The entry of an author; a CMS has authors without one.
pub(super) fn author_entry(values: &Values, at: usize) -> Option<EntryId> {
    values
        .site
        .author_entry(&language(values)?.authors[at].slug)
}

/// The newer and the older post beside a post, among the posts of its language.
fn neighbors(values: &Values, index: usize) -> [Option<usize>; 2] {
    let posts = language(values).map_or(&[] as &[usize], |language| &language.posts);
    let Ok(place) = posts.binary_search(&index) else {
        return [None; 2];
    };
    [place.checked_sub(1), Some(place + 1)].map(|at| posts.get(at?).copied())
}

/// The context of a post's page, without the body.
pub(super) fn post<'a>(values: &Values<'a>, index: usize, related: &[usize]) -> PostContext<'a> {
    let (site, blog) = (values.site, &values.site.blog);
    let post = blog.post(index);
    record(PageInput::Post {
        post: values.shared.id(values.site, index),
    });
    let language = language(values);
    let author = post.author.as_deref().and_then(|slug| blog.author(slug));
    let base = language.map_or("/", |language| {
        site.pages[language.list.0].path.value.as_str()
    });
    let [newer, older] = neighbors(values, index).map(|other| {
        record_summary(values, other?);
        let other = blog.post(other?);
        let link = values.link(&format!("page:{}", post_key(&other.key)));
        Some(Choice {
            label: fallbacks::title(site, other),
            link,
            current: false,
        })
    });
    PostContext {
        title: post.title.as_deref(),
        date: day(values, index),
        author: author.map(|author| author.name.as_str()),
        author_link: author.map(|author| values.link(&format!("page:blog/author/{}", author.slug))),
        author_role: author.and_then(|author| localized(values, &author.role)),
        picture: picture(values, index),
        body: None,
        minutes: minutes(post.words, post.ideographs),
        contents: if post
            .headings
            .iter()
            .filter(|heading| heading.level == 2)
            .count()
            >= CONTENTS_MIN_HEADINGS
        {
            let own = post.headings.iter().filter(|heading| heading.level == 2);
            own.map(|heading| Anchor {
                text: heading.text.as_str().into(),
                id: &heading.id,
            })
            .collect()
        } else {
            Vec::new()
        },
        tags: tags(values, index)
            .map(|term| Choice {
                label: term.name.clone(),
                link: here(values.routes, &format!("{base}tag/{}/", term.slug)),
                current: false,
            })
            .collect(),
        newer,
        older,
        related: related.iter().map(|other| card(values, *other)).collect(),
    }
}

impl PostContext<'_> {
    /// Adds the body of the post. Separate from [`post`], because it is loaded only if the page is rendered. `part` writes a
    /// section or an island in it, by its number. An error if the source file cannot be read again.
    pub(super) fn write(
        &mut self,
        values: &Values,
        index: usize,
        part: &dyn Fn(usize) -> Result<String, Problem>,
    ) -> Result<(), Problem> {
        let post = values.site.blog.post(index);
        let text = post.text(values.settings)?;
        let pieces = text.pieces.iter().map(|piece| match piece {
            Piece::Part(number, _) => part(*number).map(Cow::Owned),
            other => Ok(values.piece(other)),
        });
        let body: String = pieces.collect::<Result<_, Problem>>()?;
        // The search index is built from all bodies after the pages are rendered.
        if !values.settings.blog.search {
            post.drop_body();
        }
        let marked = post.marked_headings(values.settings).into_iter().flatten();
        let mut marked: HashMap<String, Heading> = marked
            .map(|heading| (heading.id.clone(), heading))
            .collect();
        for anchor in &mut self.contents {
            if let Some(heading) = marked.remove(anchor.id) {
                anchor.text = heading.text.into();
            }
        }
        self.body = (!body.is_empty()).then(|| Value::from_safe_string(body));
        Ok(())
    }
}

/// The indices of the posts that a page shows beside its own.
pub(super) fn shown(values: &Values) -> Vec<usize> {
    match values.page.body {
        Body::Blog(BlogPage::Post(index)) => related(tags(values, index), index),
        _ => post_list(values.site, values.page)
            .into_iter()
            .flat_map(|list| list.shown())
            .collect(),
    }
}

/// The place of a page of the blog among the others, for a hash: which posts it links to, its part of a list, the tags that
/// it names.
pub(super) fn place(values: &Values, shown: &[usize]) -> Vec<u8> {
    let (site, body) = (values.site, values.page.body);
    let own = body.post();
    let mut place = Vec::new();
    let mut add = |text: &str| {
        place.extend(text.as_bytes());
        place.push(0);
    };
    let language = language(values);
    match body {
        Body::Blog(BlogPage::Tag(at, _)) => language
            .into_iter()
            .flat_map(|own| named(&own.tags[at]))
            .for_each(&mut add),
        Body::Blog(BlogPage::Author(at, _)) => language
            .into_iter()
            .for_each(|own| add(&own.authors[at].slug)),
        _ => own
            .into_iter()
            .flat_map(|index| tags(values, index))
            .flat_map(named)
            .for_each(&mut add),
    }
    if let Some(list) = post_list(site, values.page) {
        add(&format!(
            "{} {} {}",
            list.number,
            list.posts.len(),
            list.path
        ));
    }
    let neighbors = own
        .map(|index| neighbors(values, index))
        .unwrap_or_default();
    for index in shown.iter().copied().map(Some).chain(neighbors) {
        let id = index.map_or(0, |index| values.shared.id(site, index));
        place.extend(id.to_le_bytes());
    }
    place
}

fn named(term: &Term) -> [&str; 2] {
    [&term.name, &term.slug]
}

/// The hash of all tags of the language, as lists name them.
pub(super) fn hash_of_tags(values: &Values) -> Hash {
    let tags = language(values).map_or(&[] as &[Term], |language| &language.tags);
    hash_value(&tags.iter().map(named).collect::<Vec<_>>())
}

/// The names of the values of posts that changed, among those that a page shows: its own post, and the `shown` ones.
pub(super) fn changed_values(
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
        .flat_map(|index| neighbors(values, index))
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

/// The posts that share the most tags with a post, newer posts first among equals. Only the 20 newest posts of each tag
/// are considered, so that the work does not grow with the blog.
fn related<'t>(tags: impl Iterator<Item = &'t Term>, index: usize) -> Vec<usize> {
    let mut shared: Vec<(usize, usize)> = Vec::new();
    for other in tags
        .flat_map(|term| term.posts.iter().take(20))
        .filter(|other| **other != index)
    {
        match shared.iter_mut().find(|(_, known)| known == other) {
            Some((count, _)) => *count += 1,
            None => shared.push((1, *other)),
        }
    }
    shared.sort_by_key(|(count, other)| (std::cmp::Reverse(*count), *other));
    shared
        .into_iter()
        .take(RELATED)
        .map(|(_, other)| other)
        .collect()
}

/// The paths of all pictures on a page of the blog: of the post itself, and of the `shown` posts.
pub(super) fn pictures<'a>(
    site: &'a Site,
    page: &Page,
    shown: &[usize],
) -> impl Iterator<Item = (&'a str, Option<Focus>)> {
    let heads = shown
        .iter()
        .filter_map(|index| site.blog.post(*index).image.as_ref());
    heads
        .map(|image| (image.src.as_str(), image.focus))
        .chain(own_pictures(site, page))
}

/// The pictures of a page's own post, see [`pictures`]: its main picture, and those in its body.
pub(super) fn own_pictures<'a>(
    site: &'a Site,
    page: &Page,
) -> impl Iterator<Item = (&'a str, Option<Focus>)> + use<'a> {
    let post = page.body.post().map(|index| site.blog.post(index));
    let head = post
        .and_then(|post| post.image.as_ref())
        .map(|image| (image.src.as_str(), image.focus));
    head.into_iter().chain(
        post.into_iter()
            .flat_map(Post::pictures)
            .map(|picture| (picture.src.as_str(), None)),
    )
}

pub use answers::{LanguagePosts, posts};
pub(super) use explorer::explorer;
pub(super) use feeds::{Feed, FeedEntry, FeedLink, feeds, links, written};

/// The reading time of a text with so many words, some of which are characters of Chinese or kana.
fn minutes(words: usize, ideographs: usize) -> usize {
    // In halves of a word, so that no rounding adds up.
    let halves = 2 * words.saturating_sub(ideographs)
        + ideographs * 2 * WORDS_PER_MINUTE / CHARACTERS_PER_MINUTE;
    halves.div_ceil(2 * WORDS_PER_MINUTE).max(1)
}

#[cfg(test)]
mod tests {
    use super::{minutes, shown_numbers};

    fn check(current: usize, total: usize, shown: &[usize]) {
        assert_eq!(
            shown_numbers(current, total).collect::<Vec<_>>(),
            shown,
            "page {current} of {total}"
        );
    }

    #[test]
    fn chinese_is_read_in_characters() {
        assert_eq!([minutes(0, 0), minutes(220, 0), minutes(221, 0)], [1, 1, 2]);
        assert_eq!([minutes(3_000, 3_000), minutes(660, 440)], [7, 2]);
    }

    #[test]
    fn a_page_links_to_the_ends_of_its_list_and_to_its_neighbors() {
        check(1, 1, &[1]);
        check(1, 9, &[1, 2, 3, 9]);
        check(5, 9, &[1, 3, 4, 5, 6, 7, 9]);
        check(9, 9, &[1, 7, 8, 9]);
        check(3, 5, &[1, 2, 3, 4, 5]);
    }
}
