//! What the templates of the blog receive: a list of posts, an author, a post.

mod answer;
mod drawn;
mod explorer;
mod feeds;
mod published;

use minijinja::Value;
use serde::Serialize;

use crate::content::blog::Author;
use crate::locale::Locale;
use crate::model::blog::{Language, PER_PAGE, Term, pages_of, post_key};
use crate::model::fields::Picture;
use crate::model::{BlogPage, Body, Page, Section, Site};
use crate::routes::{Href, encoded};

use super::context::Values;

/// Words that a reader takes in within a minute.
const WORDS_A_MINUTE: usize = 220;
/// So many headings make a table of contents worth its room.
const CONTENTS_FROM: usize = 4;
/// So many related posts are shown.
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

/// A day for machines and for readers.
#[derive(Serialize)]
struct Day {
    iso: String,
    words: String,
}

/// A link with words, which may be the page's own.
#[derive(Serialize)]
struct Choice {
    label: String,
    link: Href,
    current: bool,
}

/// The pages of a list.
#[derive(Serialize)]
struct Pagination {
    current: usize,
    total: usize,
    pages: Vec<Choice>,
    previous: Option<Href>,
    next: Option<Href>,
}

/// A heading and its anchor.
#[derive(Serialize)]
struct Anchor<'a> {
    text: &'a str,
    id: &'a str,
}

/// The template variable `post` of `templates/pages/blog-post.html`.
#[derive(Serialize)]
pub(super) struct PostContext<'a> {
    title: String,
    date: Option<Day>,
    author: String,
    author_link: Option<Href>,
    author_role: Option<&'a str>,
    picture: Option<Value>,
    body: Option<Value>,
    minutes: usize,
    contents: Vec<Anchor<'a>>,
    tags: Vec<Choice>,
    newer: Option<Choice>,
    older: Option<Choice>,
    related: Vec<Card>,
}

/// The template variable `author` of `templates/pages/blog-author.html`.
#[derive(Serialize)]
pub(super) struct AuthorContext<'a> {
    name: &'a str,
    role: Option<&'a str>,
    description: Option<&'a str>,
    picture: Value,
    posts: Vec<Card>,
    count: usize,
    pagination: Pagination,
}

/// The sections that a page shows: below a post or an author only those that follow the list.
pub(super) fn sections(page: &Page) -> impl Iterator<Item = &Section> {
    let skipped = match page.body {
        Body::Blog(BlogPage::Post(_) | BlogPage::Author(..)) => {
            page.sections.iter().position(|section| section.kind == "blog").map_or(0, |at| at + 1)
        }
        _ => 0,
    };
    page.sections.iter().skip(skipped)
}

fn language<'a>(values: &Values<'a>) -> Option<&'a Language> {
    values.site.blog.languages.get(&values.page.locale)
}

fn here(path: &str) -> Href {
    Href { href: encoded(path), external: false, hreflang: None }
}

/// The posts of a page of a list.
fn on_page(posts: &[usize], number: usize) -> impl Iterator<Item = &usize> {
    posts.iter().skip((number - 1) * PER_PAGE).take(PER_PAGE)
}

fn cards(values: &Values, posts: &[usize], number: usize) -> Vec<Card> {
    on_page(posts, number).map(|index| card(values, *index)).collect()
}

fn pagination(path: &str, posts: usize, current: usize) -> Pagination {
    let total = pages_of(posts);
    let link = |number: usize| here(&if number == 1 { path.to_owned() } else { format!("{path}page/{number}/") });
    Pagination {
        current,
        total,
        pages: (1..=total)
            .map(|number| Choice { label: number.to_string(), link: link(number), current: number == current })
            .collect(),
        previous: (current > 1).then(|| link(current - 1)),
        next: (current < total).then(|| link(current + 1)),
    }
}

fn word(locale: &Locale, site: &Site, key: &str) -> String {
    let own = locale.messages.get(key).or_else(|| site.locales[0].messages.get(key));
    own.map_or_else(|| key.to_owned(), |word| word.value.clone())
}

/// What the spec says in the place of what a post lacks.
fn title(values: &Values, index: usize) -> String {
    let site = values.site;
    let title = site.blog.post(index).title.clone();
    title.unwrap_or_else(|| word(&site.locales[values.locale], site, "untitled_post"))
}

fn author_name(values: &Values, index: usize) -> String {
    let blog = &values.site.blog;
    let known = blog.post(index).author.as_deref().and_then(|slug| blog.author(slug));
    known.map_or_else(
        || word(&values.site.locales[values.locale], values.site, "unknown_author"),
        |author| author.name.clone(),
    )
}

fn day(values: &Values, index: usize) -> Option<Day> {
    let date = values.site.blog.post(index).date?;
    Some(Day { iso: date.day.to_string(), words: values.site.locales[values.locale].date(date.day) })
}

fn card(values: &Values, index: usize) -> Card {
    let post = values.site.blog.post(index);
    Card {
        title: title(values, index),
        link: values.link(&format!("page:{}", post_key(&post.key))),
        date: day(values, index),
        author: author_name(values, index),
        excerpt: post.excerpt.clone(),
        picture: picture(values, index)
            .unwrap_or_else(|| drawn::cover(&post.id, &drawn::colours(values.manifest)).value()),
    }
}

fn picture(values: &Values, index: usize) -> Option<Value> {
    let image = values.site.blog.post(index).image.as_ref()?;
    values.site.images.get(&image.src)?;
    Some(values.picture(&Picture { src: image.src.clone(), alt: image.alt.clone() }))
}

/// The picture of an author's portrait among the site's pictures, when there is one.
fn avatar<'a>(values: &Values<'a>, author: &'a Author) -> Option<&'a str> {
    author.avatar.as_deref().filter(|src| values.site.images.contains_key(*src))
}

fn portrait(values: &Values, author: &Author) -> Value {
    avatar(values, author).map_or_else(
        || drawn::initials(&author.name, &drawn::colours(values.manifest)).value(),
        |src| values.picture(&Picture { src: src.to_owned(), alt: String::new() }),
    )
}

fn portrait_address(values: &Values, author: &Author) -> String {
    let known = avatar(values, author).and_then(|src| values.manifest.images.get(src));
    known.map_or_else(
        || drawn::initials(&author.name, &drawn::colours(values.manifest)).address(),
        |picture| picture.src.clone(),
    )
}

/// What the page of an author receives.
pub(super) fn author<'a>(values: &Values<'a>, at: usize, number: usize) -> Option<AuthorContext<'a>> {
    let term: &Term = &language(values)?.authors[at];
    let author = values.site.blog.author(&term.slug)?;
    let base = &values.site.pages[language(values)?.list.0].path.value;
    let text = |texts: &'a crate::fields::Localized<String>| texts.get(&values.page.locale).map(String::as_str);
    Some(AuthorContext {
        name: &author.name,
        role: text(&author.role),
        description: text(&author.description),
        picture: portrait(values, author),
        posts: cards(values, &term.posts, number),
        count: term.posts.len(),
        pagination: pagination(&format!("{base}author/{}/", term.slug), term.posts.len(), number),
    })
}

/// What the page of a post receives.
pub(super) fn post<'a>(values: &Values<'a>, index: usize) -> PostContext<'a> {
    let (site, blog) = (values.site, &values.site.blog);
    let post = blog.post(index);
    let language = language(values);
    let author = post.author.as_deref().and_then(|slug| blog.author(slug));
    let base = language.map_or("/", |language| site.pages[language.list.0].path.value.as_str());
    let place = language.and_then(|language| language.posts.iter().position(|other| *other == index));
    let neighbour = |step: isize| {
        let at = place?.checked_add_signed(step)?;
        let other = *language?.posts.get(at)?;
        let link = values.link(&format!("page:{}", post_key(&blog.post(other).key)));
        Some(Choice { label: title(values, other), link, current: false })
    };
    let terms = language.map_or(&[] as &[Term], |language| &language.tags);
    let tags = terms.iter().filter(|term| term.posts.binary_search(&index).is_ok());
    let body = values.html(&post.body);
    PostContext {
        title: title(values, index),
        date: day(values, index),
        author: author_name(values, index),
        author_link: author.map(|author| values.link(&format!("page:blog/author/{}", author.slug))),
        author_role: author.and_then(|author| author.role.get(&values.page.locale)).map(String::as_str),
        picture: picture(values, index),
        body: (!body.is_empty()).then(|| Value::from_safe_string(body)),
        minutes: post.words.div_ceil(WORDS_A_MINUTE).max(1),
        contents: if post.headings.iter().filter(|heading| heading.level == 2).count() >= CONTENTS_FROM {
            let own = post.headings.iter().filter(|heading| heading.level == 2);
            own.map(|heading| Anchor { text: &heading.text, id: &heading.id }).collect()
        } else {
            Vec::new()
        },
        tags: tags
            .clone()
            .map(|term| Choice {
                label: term.name.clone(),
                link: here(&format!("{base}tag/{}/", term.slug)),
                current: false,
            })
            .collect(),
        newer: neighbour(-1),
        older: neighbour(1),
        related: related(tags, index).into_iter().map(|other| card(values, other)).collect(),
    }
}

/// The posts that share most tags with one; of equals the newer one. Only the newest of each tag are looked at, so that
/// the work does not grow with the blog.
fn related<'t>(tags: impl Iterator<Item = &'t Term>, index: usize) -> Vec<usize> {
    let mut shared: Vec<(usize, usize)> = Vec::new();
    for other in tags.flat_map(|term| term.posts.iter().take(20)).filter(|other| **other != index) {
        match shared.iter_mut().find(|(_, known)| known == other) {
            Some((count, _)) => *count += 1,
            None => shared.push((1, *other)),
        }
    }
    shared.sort_by_key(|(count, other)| (std::cmp::Reverse(*count), *other));
    shared.into_iter().take(RELATED).map(|(_, other)| other).collect()
}

/// The pictures that a page of the blog shows.
pub(super) fn pictures<'a>(site: &'a Site, page: &Page) -> Vec<&'a str> {
    let blog = &site.blog;
    let Some(language) = blog.languages.get(&page.locale) else { return Vec::new() };
    let listed: Vec<usize> = match page.body {
        Body::Blog(BlogPage::List(number)) => on_page(&language.posts, number).copied().collect(),
        Body::Blog(BlogPage::Tag(at, number)) => on_page(&language.tags[at].posts, number).copied().collect(),
        Body::Blog(BlogPage::Author(at, number)) => on_page(&language.authors[at].posts, number).copied().collect(),
        Body::Blog(BlogPage::Post(index)) => {
            let tags = language.tags.iter().filter(|term| term.posts.binary_search(&index).is_ok());
            related(tags, index).into_iter().chain([index]).collect()
        }
        Body::Sections if page.sections.iter().any(|section| section.kind == "blog") => {
            on_page(&language.posts, 1).copied().collect()
        }
        _ => Vec::new(),
    };
    let inline = match page.body {
        Body::Blog(BlogPage::Post(index)) => blog.post(index).pictures().map(|picture| picture.src.as_str()).collect(),
        _ => Vec::new(),
    };
    let heads = listed.into_iter().filter_map(|index| blog.post(index).image.as_ref()).map(|image| image.src.as_str());
    heads.chain(inline).collect()
}

pub(super) use drawn::outputs as drawings;
pub(super) use explorer::explorer;
pub(super) use feeds::{FeedLink, feeds, links};
pub use published::{LanguagePosts, posts};
