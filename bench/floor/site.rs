//! The sources of the site (posts, authors, pages, messages) and the template engine.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use minijinja::value::Kwargs;
use minijinja::{Environment, Value, context};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};
use rayon::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{BASE_URL, Result, slug};

#[derive(Deserialize)]
pub(super) struct Front {
    pub title: String,
    pub date: String,
    pub author: String,
    pub tags: Vec<String>,
    pub excerpt: String,
}

#[derive(Deserialize)]
pub(super) struct Author {
    pub name: String,
    pub role: BTreeMap<String, String>,
    pub description: BTreeMap<String, String>,
}

/// `content/locales/<code>.yaml`
#[derive(Deserialize)]
pub(super) struct Words {
    pub name: String,
    pub date: String,
    pub months: Vec<String>,
    pub messages: BTreeMap<String, String>,
}

/// `content/pages/<key>/<locale>.yaml`
#[derive(Deserialize)]
pub(super) struct PageFile {
    pub path: String,
    pub title: String,
    pub description: String,
    pub sections: Vec<serde_json::Map<String, serde_json::Value>>,
}

pub(super) struct Post {
    pub front: Front,
    pub slug: String,
    pub href: String,
    pub body: String,
    pub headings: Vec<(String, String)>,
}

/// A tag or an author, with the indexes of its posts.
pub(super) struct Term {
    pub name: String,
    pub slug: String,
    pub posts: Vec<usize>,
}

pub(super) struct Language {
    pub code: &'static str,
    pub words: Words,
    pub pages: BTreeMap<&'static str, PageFile>,
    pub posts: Vec<Post>,
    pub slugs: BTreeMap<String, usize>,
    pub tags: Vec<Term>,
    pub authors: Vec<Term>,
    pub templates: Environment<'static>,
    /// Template values shared by all pages.
    pub frame: Value,
}

pub(super) fn yaml<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_yaml::from_str(text).map_err(|error| error.to_string().into())
}

pub(super) fn authors(site: &Path) -> Result<BTreeMap<String, Author>> {
    std::fs::read_dir(site.join("content/authors"))?
        .map(|entry| {
            let path = entry?.path();
            let slug = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            Ok((slug, yaml(&std::fs::read_to_string(&path)?)?))
        })
        .collect()
}

/// Renders Markdown. Returns HTML, and the headings with their anchors.
pub(super) fn markdown(text: &str) -> (String, Vec<(String, String)>) {
    let mut events: Vec<Event> = Parser::new_ext(text, Options::empty()).collect();
    let mut headings = Vec::new();
    for at in 0..events.len() {
        if !matches!(events[at], Event::Start(Tag::Heading { .. })) {
            continue;
        }
        let own = events[at..]
            .iter()
            .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
        let words: String = own
            .filter_map(|event| {
                if let Event::Text(text) = event {
                    Some(&**text)
                } else {
                    None
                }
            })
            .collect();
        let anchor = words
            .to_lowercase()
            .split(|c: char| !c.is_alphanumeric())
            .collect::<Vec<_>>()
            .join("-");
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[at] {
            *id = Some(CowStr::from(anchor.clone()));
        }
        headings.push((anchor, words));
    }
    let mut written = String::with_capacity(text.len() * 5 / 4);
    html::push_html(&mut written, events.into_iter());
    (written, headings)
}

impl Post {
    pub(super) fn read(path: &Path, base: &str) -> Result<Post> {
        let text = std::fs::read_to_string(path)?;
        let (front, body) = text[4..].split_once("\n---\n").ok_or("no front matter")?;
        let (body, headings) = markdown(body);
        let slug = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(Post {
            front: yaml(front)?,
            href: format!("{base}{slug}/"),
            slug,
            body,
            headings,
        })
    }

    pub(super) fn url(&self) -> String {
        format!("{BASE_URL}{}", self.href)
    }
}

pub(super) fn terms(posts: &[Post], keys: impl Fn(&Post) -> Vec<(String, String)>) -> Vec<Term> {
    let mut found: BTreeMap<String, Term> = BTreeMap::new();
    for (at, post) in posts.iter().enumerate() {
        for (slug, name) in keys(post) {
            let term = found.entry(slug.clone()).or_insert_with(|| Term {
                name,
                slug,
                posts: Vec::new(),
            });
            term.posts.push(at);
        }
    }
    found.into_values().collect()
}

impl Language {
    pub(super) fn read(
        site: &Path,
        code: &'static str,
        authors: &BTreeMap<String, Author>,
    ) -> Result<Language> {
        let words: Words = yaml(&std::fs::read_to_string(
            site.join(format!("content/locales/{code}.yaml")),
        )?)?;
        let mut pages: BTreeMap<&'static str, PageFile> = BTreeMap::new();
        for key in ["home", "about", "blog", "not-found"] {
            if let Ok(text) =
                std::fs::read_to_string(site.join(format!("content/pages/{key}/{code}.yaml")))
            {
                let text = text.replace("{product.name}", "Bench");
                pages.insert(key, yaml(&text)?);
            }
        }
        let files = std::fs::read_dir(site.join("content/blog").join(code))?;
        let files = files
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<Vec<_>>>()?;
        let base = &pages["blog"].path;
        let mut posts = files
            .par_iter()
            .map(|path| Post::read(path, base))
            .collect::<Result<Vec<Post>>>()?;
        posts.par_sort_unstable_by(|a, b| b.front.date.cmp(&a.front.date));
        let slugs = posts
            .iter()
            .enumerate()
            .map(|(at, post)| (post.slug.clone(), at))
            .collect();
        let tags = terms(&posts, |post| {
            post.front
                .tags
                .iter()
                .map(|tag| (slug(tag), tag.clone()))
                .collect()
        });
        let authors = terms(&posts, |post| {
            vec![(
                post.front.author.clone(),
                authors[&post.front.author].name.clone(),
            )]
        });
        let templates = templates(site, &words.messages);
        let (english, spanish) = (code == "en", code == "es");
        let link = |key: &str, label: &str| context! { label, link => context! { href => pages[key].path.as_str() } };
        let (about, home) = if english {
            ("About", "Home")
        } else {
            ("Nosotros", "Inicio")
        };
        let group = context! {
            title => if english { "Pages" } else { "Páginas" },
            links => vec![link("home", home), link("blog", "Blog"), link("about", about)],
        };
        let frame = context! {
            site => context! {
                product => context! { name => "Bench" }, company => context! { name => "Bench Works" }, copyright_year => 2025,
            },
            locale => context! { language => code, home => pages["home"].path.as_str() },
            menu => vec![link("blog", "Blog"), link("about", about)],
            footer => context! {
                tagline => if spanish { "Construido lado a lado." } else { "Built side by side." }, groups => vec![group],
            },
        };
        Ok(Language {
            code,
            words,
            pages,
            posts,
            slugs,
            tags,
            authors,
            templates,
            frame,
        })
    }
}

pub(super) fn templates(site: &Path, messages: &BTreeMap<String, String>) -> Environment<'static> {
    let mut environment = Environment::new();
    if let Ok(syntax) = minijinja::syntax::SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
    {
        environment.set_syntax(syntax);
    }
    environment.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if !value.is_safe() => Ok(write!(out, "{}", Escaped(text))?),
        _ => minijinja::escape_formatter(out, state, value),
    });
    environment.set_loader(minijinja::path_loader(site.join("templates")));
    let messages = messages.clone();
    environment.add_function("t", move |key: &str, values: Kwargs| {
        let text = messages.get(key).cloned().unwrap_or_default();
        values.args().fold(text, |text, name| {
            let value = values
                .get::<Value>(name)
                .map(|value| value.to_string())
                .unwrap_or_default();
            text.replace(&format!("{{{name}}}"), &value)
        })
    });
    environment
}

/// Displays a text with HTML special characters escaped.
pub(super) struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
            f.write_str(&rest[..at])?;
            f.write_str(match rest.as_bytes()[at] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'"' => "&quot;",
                _ => "&#39;",
            })?;
            rest = &rest[at + 1..];
        }
        f.write_str(rest)
    }
}
