//! The blog of each locale: posts, tags, authors, and the pages that are generated from them.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use config::SiteSettings;
use content::blog::{Author, BLOG, Part, Post};
use content::collections::AUTHORS;
use content::{BrokenPage, Content};
use diagnostics::marks::TextOrigin;
use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use diagnostics::yaml::Spanned;
use languages::locale::Word;
use schema::types::{Slug, lower_case};
use workspace::parallel;

use super::collections::Collections;
use super::fields::{Picture, UsedImage, Walk};
use super::list::{List, derived_page, fill, lists};
use super::page::{BlogPage, Body, EntryId, Page, Section};

/// Widths of pictures in posts, in CSS pixels: for cards, phones, and the page of the post.
const WIDTHS: &[u32] = &[480, 768, 1200];
/// Widths of portraits, in CSS pixels.
const AVATAR_WIDTHS: &[u32] = &[96];
/// Number of posts on a page of a list.
pub const PER_PAGE: usize = 10;

/// All posts, and the lists that show them.
#[derive(Debug, Default)]
pub struct Blog {
    /// Posts and authors, as read.
    pub content: Arc<content::Blog>,
    /// The blogs by locale, for each locale with a list page.
    pub languages: BTreeMap<String, Language>,
    /// The sections in the text of posts, by the index of the post.
    sections: BTreeMap<usize, Vec<Section>>,
}

/// The blog of one locale.
#[derive(Debug)]
pub struct Language {
    /// Indices of the list page and of its list section.
    pub list: (usize, usize),
    /// Indices of its posts, newest first.
    pub posts: Vec<usize>,
    /// Tags, sorted by slug.
    pub tags: Vec<Term>,
    /// All authors, sorted by slug, including those without posts in this locale.
    pub authors: Vec<Term>,
}

/// A tag or an author, and its posts.
#[derive(Debug)]
pub struct Term {
    /// Display name.
    pub name: String,
    /// Slug in URLs.
    pub slug: String,
    /// Indices of the posts, newest first.
    pub posts: Vec<usize>,
}

impl Blog {
    /// Marks the names of tags, if the settings ask for it. Each is written in several posts.
    pub(super) fn mark_tags(&mut self, settings: &SiteSettings) {
        let Some(marks) = &settings.marks else {
            return;
        };
        let languages = self.languages.values_mut();
        for tag in languages.flat_map(|language| &mut language.tags) {
            tag.name = marks.marked(TextOrigin::Tag(tag.slug.clone()), &tag.name);
        }
    }

    /// The post at an index.
    pub fn post(&self, index: usize) -> &Post {
        &self.content.posts[index]
    }

    /// Whether a page shows text of a CMS, which cannot be fixed in the source files.
    pub fn is_foreign(&self, body: Body) -> bool {
        let shown = match body {
            Body::Blog(BlogPage::Post(index)) => Some(self.post(index)),
            Body::Blog(_) => return self.is_of_cms(),
            _ => None,
        };
        shown.is_some_and(Post::is_of_cms)
    }

    /// Whether the posts are those of a CMS. All come from one source.
    pub fn is_of_cms(&self) -> bool {
        self.content.is_of_cms
    }

    /// The entry of an author; `None` for one of a CMS.
    pub fn author_entry(&self, collections: &Collections, slug: &str) -> Option<EntryId> {
        collections
            .find(AUTHORS, slug)
            .filter(|_| !self.is_of_cms())
    }

    /// The author with a slug.
    pub fn author(&self, slug: &str) -> Option<&Author> {
        self.content.authors.get(slug)
    }
}

/// The key of a post's page.
pub fn post_key(key: &str) -> String {
    format!("{BLOG}/{key}")
}

/// The slug of a tag in URLs.
///
/// ```
/// use site::model::blog::tag_slug;
/// assert_eq!(tag_slug("Site Reliability"), "site-reliability");
/// assert_eq!(tag_slug("CI/CD"), "ci-cd");
/// ```
pub fn tag_slug(name: &str) -> String {
    Slug::of_tag(name).into_string()
}

/// The number of pages of a list; at least 1.
pub fn pages_of(posts: usize) -> usize {
    posts.div_ceil(PER_PAGE).max(1)
}

/// Takes over the posts, and registers their pictures.
pub(super) fn resolve(
    settings: &SiteSettings,
    content: &Content,
    used: &mut BTreeMap<String, UsedImage>,
    problems: &mut Problems,
) -> Blog {
    let blog = Arc::clone(&content.blog);
    let nowhere = Arc::new(Source::new(String::new(), String::new()));
    let mut walk = Walk::new(settings, &nowhere, &content.images, used, problems);
    walk.widths = WIDTHS;
    for post in &blog.posts {
        let places = post.origin.places();
        let own = post.image.iter().map(|image| (&image.src, image.span));
        for (src, span) in own.chain(post.pictures().map(|picture| (&picture.src, picture.span))) {
            walk.use_picture(src, || places.place(span));
        }
    }
    walk.widths = AVATAR_WIDTHS;
    for author in blog.authors.values() {
        if let Some(avatar) = &author.avatar {
            // That of an entry is used already, at its place.
            walk.use_picture(avatar, || Place::file(avatar.clone()));
        }
    }
    let mut sections = BTreeMap::new();
    for (index, post) in blog
        .posts
        .iter()
        .enumerate()
        .filter(|(_, post)| !post.parts.is_empty())
    {
        // Ids of headings in all its sections differ.
        let mut taken = post.body.links().anchors.to_vec();
        let mut found = Vec::new();
        for part in &post.parts {
            let Part::Section(section, source) = part else {
                continue;
            };
            let settings = settings.in_language(&post.locale);
            let mut walk = Walk::new(settings, source, &content.images, used, problems);
            walk.taken.append(&mut taken);
            found.push(Section::resolve(section, &mut walk));
            taken = walk.taken;
        }
        sections.insert(index, found);
    }
    Blog {
        content: blog,
        languages: BTreeMap::new(),
        sections,
    }
}

/// Generates the pages of the blog in each locale with a list page. Also returns the pages of posts that could not be
/// read.
pub(super) fn pages(
    content: &Content,
    blog: &mut Blog,
    pages: &[Page],
    problems: &mut Problems,
) -> (Vec<Page>, Vec<BrokenPage>) {
    let (mut all, mut broken) = (Vec::with_capacity(blog.content.posts.len()), Vec::new());
    for (locale, place) in lists(pages, problems) {
        let list = List::of(content, pages, place.0, place.1);
        let language = language(blog, list.page, place, problems);
        language_pages(content, blog, &language, &list, &mut all, problems);
        let unread = content
            .blog
            .broken_posts
            .iter()
            .filter(|post| post.locale == locale);
        broken.extend(unread.map(|post| BrokenPage {
            key: post_key(&post.slug),
            locale: post.locale.clone(),
            paths: vec![format!("{}{}/", list.page.path.value, post.slug)],
        }));
        blog.languages.insert(locale, language);
    }
    unlisted(content, blog, pages, problems);
    (all, broken)
}

/// Reports languages whose posts have no address, because no page lists them, as one does in another language. A page that
/// could not be read may do so.
fn unlisted(content: &Content, blog: &Blog, pages: &[Page], problems: &mut Problems) {
    let Some(listed) = blog
        .languages
        .values()
        .next()
        .map(|language| &pages[language.list.0])
    else {
        return;
    };
    for locale in content
        .locales
        .iter()
        .filter(|locale| !blog.languages.contains_key(&locale.code))
    {
        let mut posts = blog
            .content
            .posts
            .iter()
            .filter(|post| post.locale == locale.code);
        let Some(first) = posts.next() else { continue };
        if content
            .broken_pages
            .iter()
            .any(|page| page.locale == locale.code)
        {
            continue;
        }
        let other = content
            .locales
            .iter()
            .find(|other| other.code == listed.locale);
        let path = listed.path.value.as_str();
        let below = other
            .and_then(|other| path.strip_prefix(&other.prefix))
            .unwrap_or(path);
        let (prefix, key, code) = (&locale.prefix, &listed.key, &locale.code);
        let hint = format!("write `path: {prefix}{below}` in `content/pages/{key}/{code}.yaml`");
        let (what, are) = match posts.count() {
            0 => ("a post".to_owned(), "is"),
            more => (format!("{} posts", more + 1), "are"),
        };
        let message = format!(
            "{what} in `{}` {are} not published: no page lists posts in this language",
            locale.code
        );
        problems.push(
            Problem::warning(Code::UnlistedPosts, message)
                .at(first.origin.whole())
                .hint(hint),
        );
    }
}

fn language(blog: &Blog, page: &Page, list: (usize, usize), problems: &mut Problems) -> Language {
    let posts: Vec<usize> = (0..blog.content.posts.len())
        .filter(|index| blog.post(*index).locale == page.locale)
        .collect();
    let (mut tags, mut authors): (BTreeMap<String, Term>, BTreeMap<String, Term>) =
        Default::default();
    let add = |terms: &mut BTreeMap<String, Term>, name: &str, slug: String, index: usize| {
        let term = terms.entry(slug.clone()).or_insert_with(|| Term {
            name: name.to_owned(),
            slug: slug.clone(),
            posts: Vec::new(),
        });
        if term.posts.last() != Some(&index) {
            term.posts.push(index);
        }
    };
    // Authors without posts in this locale have a page as well.
    for author in blog.content.authors.values() {
        let (name, slug) = (author.name.clone(), author.slug.clone());
        authors.insert(
            slug.clone(),
            Term {
                name,
                slug,
                posts: Vec::new(),
            },
        );
    }
    let mut slugs: HashMap<&str, String> = HashMap::new();
    for index in &posts {
        let post = blog.post(*index);
        for tag in &post.tags {
            let slug = slugs.entry(tag).or_insert_with(|| tag_slug(tag)).clone();
            let first = tags
                .get(&slug)
                .filter(|term| term.name != *tag && !post.is_of_cms());
            if let Some(first) = first.filter(|first| lower_case(&first.name) != lower_case(tag)) {
                let message = format!(
                    "the tags `{}` and `{tag}` have the same URL, `…/tag/{slug}/`",
                    first.name
                );
                let problem = Problem::warning(Code::DuplicateId, message).at(post.origin.whole());
                problems.push(problem.hint(format!(
                    "posts tagged `{tag}` are listed under `{}`: use one of the two tags in all posts, or rename one",
                    first.name
                )));
            }
            add(&mut tags, tag, slug, *index);
        }
        if let Some(author) = post.author.as_deref().and_then(|slug| blog.author(slug)) {
            add(&mut authors, &author.name, author.slug.clone(), *index);
        }
    }
    Language {
        list,
        posts,
        tags: tags.into_values().collect(),
        authors: authors.into_values().collect(),
    }
}

/// A list of posts with several pages.
struct PagedList<'a> {
    key: String,
    /// Its name in breadcrumbs.
    name: &'a str,
    /// URL path of its first page.
    path: String,
    /// Title and description of its first page.
    words: (String, String),
    /// Number of the first page to generate: 2 if page 1 is the list page, else 1.
    from: usize,
    posts: usize,
    body: &'a dyn Fn(usize) -> BlogPage,
}

/// Adds the pages of a language.
fn language_pages(
    content: &Content,
    blog: &Blog,
    language: &Language,
    list: &List,
    pages: &mut Vec<Page>,
    problems: &mut Problems,
) -> Option<()> {
    let base = list.page.path.value.as_str();
    let locale = &list.page.locale;
    let all = PagedList {
        key: "blog".to_owned(),
        name: &list.page.title,
        path: base.to_owned(),
        words: (list.page.title.clone(), list.page.description.clone()),
        from: 2,
        posts: language.posts.len(),
        body: &BlogPage::List,
    };
    list_pages(list, &all, pages, problems)?;
    // Authors are the same in all languages.
    let tags = (
        "tag",
        "tag",
        format!("blog/tag/{locale}"),
        &language.tags,
        BlogPage::Tag as fn(usize, usize) -> BlogPage,
    );
    let authors = (
        "author",
        "name",
        "blog/author".to_owned(),
        &language.authors,
        BlogPage::Author as _,
    );
    for (kind, placeholder, keys, terms, body) in [tags, authors] {
        for (at, Term { name, slug, posts }) in terms.iter().enumerate() {
            let paged = PagedList {
                key: format!("{keys}/{slug}"),
                name,
                path: format!("{base}{kind}/{slug}/"),
                words: words(list, kind, placeholder, name, problems)?,
                from: 1,
                posts: posts.len(),
                body: &|number| body(at, number),
            };
            list_pages(list, &paged, pages, problems)?;
        }
    }
    let pattern = list.words.get("post")?;
    let own = content.locales.iter().find(|own| own.code == *locale);
    let untitled = own
        .and_then(|own| own.own_word(Word::NoTitle, &content.locales[0]))
        .map(str::to_owned);
    let own = |index: &usize| {
        let mut problems = Problems::new();
        let post = blog.post(*index);
        let name = post
            .title
            .clone()
            .or_else(|| untitled.clone())
            .unwrap_or_else(|| post.slug.clone());
        let title = fill(pattern, list, &mut problems, |wanted| {
            (wanted == "title").then(|| name.clone())
        });
        let path = Spanned {
            value: format!("{base}{}/", post.slug),
            span: list.page.path.span,
        };
        let in_text = blog
            .sections
            .get(index)
            .map_or(&[] as &[Section], Vec::as_slice);
        let sections = match in_text {
            [] => Arc::clone(&list.page.sections),
            _ => list.page.sections.iter().chain(in_text).cloned().collect(),
        };
        let mut anchors = post.body.links().anchors.to_vec();
        for section in in_text {
            anchors.extend(section.id.clone());
            section
                .fields
                .anchors(&mut |anchor| anchors.push(anchor.to_owned()));
        }
        let page = Page {
            title,
            description: post.excerpt.clone().unwrap_or_else(|| name.clone()),
            anchors,
            label: Some(name.clone()),
            image: post.image.as_ref().map(|image| Picture {
                mark: 0,
                src: image.src.clone(),
                alt: image.alt.clone(),
                focus: image.focus,
            }),
            updated: post
                .modified
                .or(post.date)
                .map(|date| date.local().day.to_string()),
            body: Body::Blog(BlogPage::Post(*index)),
            sections,
            in_text: in_text.len(),
            source: Arc::new(Source::new(post.origin.path().to_owned(), String::new())),
            ..derived_page(list, post_key(&post.key), &name, path)
        };
        (page, problems)
    };
    let posts: Vec<(Page, Problems)> = parallel::map(&language.posts, own);
    pages.reserve(posts.len());
    for (page, found) in posts {
        pages.push(page);
        problems.extend(found);
    }
    Some(())
}

/// Title and description from the patterns of the list section.
fn words(
    list: &List,
    kind: &str,
    placeholder: &str,
    name: &str,
    problems: &mut Problems,
) -> Option<(String, String)> {
    let value = |wanted: &str| (wanted == placeholder).then(|| name.to_owned());
    let words = list.words.get(kind)?;
    Some((
        fill(words.get("title")?, list, problems, value),
        fill(words.get("description")?, list, problems, value),
    ))
}

/// Adds the pages of a list. All pages but the first have a numbered title.
fn list_pages(
    list: &List,
    paged: &PagedList,
    pages: &mut Vec<Page>,
    problems: &mut Problems,
) -> Option<()> {
    let further = list.words.get("further")?;
    for number in paged.from..=pages_of(paged.posts) {
        let mut numbered = |text: &str| match number {
            1 => text.to_owned(),
            _ => fill(further, list, problems, |name| match name {
                "title" => Some(text.to_owned()),
                "number" => Some(number.to_string()),
                _ => None,
            }),
        };
        let (path, key) = match number {
            1 => (paged.path.clone(), paged.key.clone()),
            _ => (
                format!("{}page/{number}/", paged.path),
                format!("{}/{}/page/{number}", paged.key, list.page.locale),
            ),
        };
        let path = Spanned {
            value: path,
            span: list.page.path.span,
        };
        pages.push(Page {
            title: numbered(&paged.words.0),
            description: numbered(&paged.words.1),
            anchors: list.page.anchors.clone(),
            body: Body::Blog((paged.body)(number)),
            sections: Arc::clone(&list.page.sections),
            // Only their page in another locale links to an author without posts.
            noindex: list.page.noindex || paged.posts == 0,
            unlinked: paged.posts == 0,
            ..derived_page(list, key, paged.name, path)
        });
    }
    Some(())
}
