//! The floor of `bench/compare`: a minimal program that builds the benchmark's site. It reads the posts, parses front
//! matter and Markdown, renders the templates of `bench/sites/sitegen`, and writes the files, on all cores.
//!
//! It supports only this site, and has no checks, link resolution, caches or comparisons. Its time is that of the
//! libraries and the file system; the difference to sitegen is the cost of sitegen's features.
//!
//!     floor SITE OUT

mod feeds;
mod site;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use minijinja::{Value, context};
use rayon::prelude::*;

use feeds::entry;
use site::{Author, Language, Term, authors, markdown};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

const BASE_URL: &str = "https://bench.example";
const PER_PAGE: usize = 10;
const CONTENTS_FROM: usize = 4;
const NOT_FOUND: &str = "not-found";
/// Media type and file name of each feed format.
const FEEDS: [(&str, &str); 3] = [
    ("application/rss+xml", "feed.xml"),
    ("application/atom+xml", "atom.xml"),
    ("application/feed+json", "feed.json"),
];

/// The metadata of a page.
#[derive(Default)]
struct Head {
    title: String,
    description: String,
    path: String,
    /// Paths of the English and the Spanish version.
    translations: Option<[String; 2]>,
    feeds: Vec<(String, String)>,
    neighbors: (Option<String>, Option<String>),
}

#[derive(Clone, Copy)]
enum Page {
    Fixed(&'static str),
    /// A page of a list: an index of the tag or author, and the page number.
    All(usize),
    Tag(usize, usize),
    Author(usize, usize),
    Post(usize),
    Feeds(Option<usize>),
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, site, out] = &arguments[..] else {
        return Err("usage: floor SITE OUT".into());
    };
    let (site, out) = (Path::new(site), Path::new(out));
    let authors = authors(site)?;
    let languages = [
        Language::read(site, "en", &authors)?,
        Language::read(site, "es", &authors)?,
    ];
    std::fs::create_dir_all(out)?;
    std::fs::copy(site.join("static/site.css"), out.join("site.css"))?;
    std::fs::write(
        out.join("robots.txt"),
        format!("User-agent: *\nAllow: /\n\nSitemap: {BASE_URL}/sitemap.xml\n"),
    )?;
    let jobs: Vec<(usize, Page)> = (0..2)
        .flat_map(|at| languages[at].jobs().into_iter().map(move |page| (at, page)))
        .collect();
    let entries = jobs
        .par_iter()
        .map(|(at, page)| languages[*at].write(*page, &languages[1 - at], &authors, out))
        .collect::<Result<Vec<String>>>()?;
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n";
    std::fs::write(
        out.join("sitemap.xml"),
        format!("{head}{}</urlset>\n", entries.concat()),
    )?;
    Ok(())
}

fn slug(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}

/// The path of a page of a list.
fn numbered(base: &str, number: usize) -> String {
    if number == 1 {
        base.to_owned()
    } else {
        format!("{base}page/{number}/")
    }
}

fn pages_of(posts: usize) -> usize {
    posts.div_ceil(PER_PAGE).max(1)
}

impl Language {
    fn jobs(&self) -> Vec<Page> {
        let of = |term: &Term| 1..=pages_of(term.posts.len());
        let tags = self
            .tags
            .iter()
            .enumerate()
            .flat_map(|(at, tag)| of(tag).map(move |number| Page::Tag(at, number)));
        let authors = self
            .authors
            .iter()
            .enumerate()
            .flat_map(|(at, author)| of(author).map(move |number| Page::Author(at, number)));
        self.pages
            .keys()
            .filter(|key| **key != "blog")
            .map(|key| Page::Fixed(key))
            .chain((1..=pages_of(self.posts.len())).map(Page::All))
            .chain(tags)
            .chain(authors)
            .chain((0..self.posts.len()).map(Page::Post))
            .chain([Page::Feeds(None)])
            .chain((0..self.tags.len()).map(|at| Page::Feeds(Some(at))))
            .collect()
    }

    fn base(&self) -> &str {
        &self.pages["blog"].path
    }

    fn both(&self, other: &Language, path: impl Fn(&Language) -> String) -> [String; 2] {
        if self.code == "en" {
            [path(self), path(other)]
        } else {
            [path(other), path(self)]
        }
    }

    fn day(&self, date: &str) -> Value {
        let month = date[5..7].parse().map_or(0, |month: usize| month - 1);
        let words = self
            .words
            .date
            .replace("{month}", &self.words.months[month])
            .replace("{year}", &date[..4]);
        context! { iso => &date[..10], words => words.replace("{day}", date[8..10].trim_start_matches('0')) }
    }

    /// Writes the files of a job. Returns the sitemap entry.
    fn write(
        &self,
        page: Page,
        other: &Language,
        authors: &BTreeMap<String, Author>,
        out: &Path,
    ) -> Result<String> {
        let own_feed = || (self.pages["blog"].title.clone(), self.base().to_owned());
        let (template, head, content) = match page {
            Page::Feeds(tag) => return self.feeds(tag, authors, out).map(|()| String::new()),
            Page::Fixed(key) => {
                let file = &self.pages[key];
                let sections: Vec<Value> = file
                    .sections
                    .iter()
                    .map(|section| self.section(section))
                    .collect();
                let head = Head {
                    title: file.title.clone(),
                    description: file.description.clone(),
                    path: file.path.clone(),
                    translations: (key != NOT_FOUND)
                        .then(|| self.both(other, |own| own.pages[key].path.clone())),
                    ..Head::default()
                };
                ("pages/page.html", head, context! { sections })
            }
            Page::All(number) => {
                let file = &self.pages["blog"];
                let all: Vec<usize> = (0..self.posts.len())
                    .skip((number - 1) * PER_PAGE)
                    .take(PER_PAGE)
                    .collect();
                let head = self.list_head(
                    &file.title,
                    &file.description,
                    self.base(),
                    number,
                    self.posts.len(),
                );
                let translations =
                    (number == 1).then(|| self.both(other, |own| own.base().to_owned()));
                let list = self.list(self.base(), None, number, self.posts.len(), &all, authors);
                (
                    "pages/page.html",
                    Head {
                        translations,
                        feeds: vec![own_feed()],
                        ..head
                    },
                    context! { sections => vec![list] },
                )
            }
            Page::Tag(at, number) => {
                let tag = &self.tags[at];
                let base = format!("{}tag/{}/", self.base(), tag.slug);
                let words = self.pages["blog"].sections[0]["tag"]["description"]
                    .as_str()
                    .unwrap_or_default();
                let head = self.list_head(
                    &format!("{} · Bench", tag.name),
                    &words.replace("{tag}", &tag.name),
                    &base,
                    number,
                    tag.posts.len(),
                );
                let shown =
                    &tag.posts[(number - 1) * PER_PAGE..(number * PER_PAGE).min(tag.posts.len())];
                let list = self.list(&base, Some(tag), number, tag.posts.len(), shown, authors);
                let feeds = vec![
                    (format!("{}: {}", self.pages["blog"].title, tag.name), base),
                    own_feed(),
                ];
                (
                    "pages/page.html",
                    Head { feeds, ..head },
                    context! { sections => vec![list] },
                )
            }
            Page::Author(at, number) => {
                let term = &self.authors[at];
                let author = &authors[&term.slug];
                let base = |own: &Language| format!("{}author/{}/", own.base(), term.slug);
                let words = self.pages["blog"].sections[0]["author"]["description"]
                    .as_str()
                    .unwrap_or_default();
                let head = self.list_head(
                    &format!("{} · Bench", term.name),
                    &words.replace("{name}", &term.name),
                    &base(self),
                    number,
                    term.posts.len(),
                );
                let content = context! { author => self.author(term, author, number, &base(self)) };
                let translations = (number == 1).then(|| self.both(other, base));
                (
                    "pages/blog-author.html",
                    Head {
                        translations,
                        feeds: vec![own_feed()],
                        ..head
                    },
                    content,
                )
            }
            Page::Post(at) => {
                let post = &self.posts[at];
                let translated = other.slugs.contains_key(&post.slug);
                let head = Head {
                    title: format!("{} · Bench", post.front.title),
                    description: post.front.excerpt.clone(),
                    path: post.href.clone(),
                    translations: translated
                        .then(|| self.both(other, |own| format!("{}{}/", own.base(), post.slug))),
                    feeds: vec![own_feed()],
                    ..Head::default()
                };
                (
                    "pages/blog-post.html",
                    head,
                    context! { post => self.post(at, &authors[&post.front.author]) },
                )
            }
        };
        let html = self
            .templates
            .get_template(template)?
            .render(context! { ..content, ..self.head(&head, other), ..self.frame.clone() })?;
        let path = head.path.trim_start_matches('/');
        if matches!(page, Page::Fixed(NOT_FOUND)) {
            std::fs::write(out.join(path), html)?;
            return Ok(String::new());
        }
        publish(&out.join(path), &[("index.html", html)])?;
        let date = if let Page::Post(at) = page {
            Some(&self.posts[at].front.date[..10])
        } else {
            None
        };
        Ok(entry(&head, date))
    }

    fn section(&self, section: &serde_json::Map<String, serde_json::Value>) -> Value {
        let text = |key: &str| section.get(key).and_then(|value| value.as_str());
        let html = |text: &str| {
            let linked = self
                .pages
                .iter()
                .fold(text.to_owned(), |text, (key, page)| {
                    text.replace(&format!("(page:{key})"), &format!("({})", page.path))
                });
            Value::from_safe_string(markdown(&linked).0)
        };
        context! { kind => text("kind"), title => text("title"), lead => text("lead").map(html), body => text("body").map(html) }
    }

    fn list_head(
        &self,
        title: &str,
        description: &str,
        base: &str,
        number: usize,
        posts: usize,
    ) -> Head {
        let further = self.pages["blog"].sections[0]["further"]
            .as_str()
            .unwrap_or_default();
        let text = |title: &str| {
            if number == 1 {
                title.to_owned()
            } else {
                further
                    .replace("{title}", title)
                    .replace("{number}", &number.to_string())
            }
        };
        let neighbors = (
            (number > 1).then(|| numbered(base, number - 1)),
            (number < pages_of(posts)).then(|| numbered(base, number + 1)),
        );
        Head {
            title: text(title),
            description: text(description),
            path: numbered(base, number),
            neighbors,
            ..Head::default()
        }
    }

    fn list(
        &self,
        base: &str,
        tag: Option<&Term>,
        number: usize,
        count: usize,
        shown: &[usize],
        authors: &BTreeMap<String, Author>,
    ) -> Value {
        let topics: Vec<Value> = self
            .tags
            .iter()
            .map(|own| {
                let current = tag.is_some_and(|tag| tag.slug == own.slug);
                let href = if current {
                    self.base().to_owned()
                } else {
                    format!("{}tag/{}/", self.base(), own.slug)
                };
                context! { name => own.name.as_str(), current, link => context! { href } }
            })
            .collect();
        let posts: Vec<Value> = shown.iter().map(|at| &self.posts[*at]).map(|post| context! {
            link => post.href.as_str(), title => post.front.title.as_str(), excerpt => post.front.excerpt.as_str(), date => post.front.date.as_str(),
            author => context! { name => authors[&post.front.author].name.as_str() },
        }).collect();
        let lead = self.pages["blog"].sections[0]["lead"]
            .as_str()
            .unwrap_or_default();
        context! { kind => "blog", topics, pages => context! { list => base }, explorer => context! {
            heading => tag.map_or_else(|| "Blog".to_owned(), |tag| format!("Blog: {}", tag.name)),
            lead => markdown(lead).0, posts,
            dates => context! { pattern => self.words.date.as_str(), months => self.words.months.clone() },
            pagination => context! { current_page => number, total_pages => pages_of(count) },
        } }
    }

    fn author(&self, term: &Term, author: &Author, number: usize, base: &str) -> Value {
        let shown = &term.posts[(number - 1) * PER_PAGE..(number * PER_PAGE).min(term.posts.len())];
        let posts: Vec<Value> = shown.iter().map(|at| &self.posts[*at]).map(|post| context! {
                    link => context! { href => post.href.as_str() }, title => post.front.title.as_str(), excerpt => post.front.excerpt.as_str(),
                    author => author.name.as_str(), date => self.day(&post.front.date),
                }).collect();
        let pagination =
            context! { list => base, current => number, total => pages_of(term.posts.len()) };
        context! {
                    name => author.name.as_str(), role => author.role[self.code].as_str(), description => author.description[self.code].as_str(),
                    count => term.posts.len(), posts, pagination,
        }
    }

    fn post(&self, at: usize, author: &Author) -> Value {
        let post = &self.posts[at];
        let neighbor = |at: Option<usize>| {
            let other = self.posts.get(at?)?;
            Some(
                context! { label => other.front.title.as_str(), link => context! { href => other.href.as_str() } },
            )
        };
        let headings = if post.headings.len() >= CONTENTS_FROM {
            &post.headings[..]
        } else {
            &[]
        };
        let mut tags: Vec<(String, &String)> =
            post.front.tags.iter().map(|tag| (slug(tag), tag)).collect();
        tags.sort_unstable();
        let tags: Vec<Value> = tags
            .iter()
            .map(|(slug, name)| {
                context! {
                    label => name.as_str(), link => context! { href => format!("{}tag/{slug}/", self.base()) },
                }
            })
            .collect();
        context! {
            title => post.front.title.as_str(), author => author.name.as_str(), author_role => author.role[self.code].as_str(),
            author_link => context! { href => format!("{}author/{}/", self.base(), post.front.author) },
            date => self.day(&post.front.date),
            contents => headings.iter().map(|(id, text)| context! { id, text }).collect::<Vec<_>>(),
            body => Value::from_safe_string(post.body.clone()),
            tags, older => neighbor(Some(at + 1)), newer => neighbor(at.checked_sub(1)),
        }
    }

    fn head(&self, head: &Head, other: &Language) -> Value {
        let absolute = |path: &String| format!("{BASE_URL}{path}");
        let alternates: Vec<Value> = head
            .translations
            .iter()
            .flat_map(|[en, es]| [("en", en), ("es", es), ("x-default", en)])
            .map(|(hreflang, path)| context! { hreflang, url => absolute(path) })
            .collect();
        let feeds: Vec<Value> = head
            .feeds
            .iter()
            .flat_map(|(title, base)| {
                FEEDS.map(|(kind, file)| context! { kind, title, href => format!("{base}{file}") })
            })
            .collect();
        let there = head
            .translations
            .as_ref()
            .map_or(&other.pages["home"].path, |both| {
                &both[usize::from(self.code == "en")]
            });
        context! {
            page => context! { title => head.title.as_str(), description => head.description.as_str(), path => head.path.as_str(), url => absolute(&head.path), alternates },
            head => context! { previous => head.neighbors.0.as_ref().map(absolute), next => head.neighbors.1.as_ref().map(absolute), feeds },
            languages => vec![context! { current => false, href => there, language => other.code, name => other.words.name.as_str() }],
        }
    }
}

/// Writes files to a folder, which is created if missing.
fn publish(folder: &Path, files: &[(&str, String)]) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for (name, text) in files {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(())
}
