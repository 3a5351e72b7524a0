//! A page: `content/pages/<key>/<locale>.yaml`. Pages of one key are translations of each other.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::content_types::Image;
use crate::files;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, did_you_mean};
use diagnostics::yaml::{self, Spanned, Value};

use super::placeholders;
use super::sections::{self, Section};

/// One page in one language, as it was read.
#[derive(Debug, Clone)]
pub struct PageFile {
    /// The folder's name.
    pub key: String,
    /// The file's name.
    pub locale: String,
    /// Everything above `sections`.
    pub head: PageHead,
    /// The sections that could be read; a missing one is a problem already.
    pub sections: Vec<Section>,
    /// A section could not be read, so that anchors may be missing.
    pub partial: bool,
    /// The file's text, for problems found later.
    pub source: Arc<Source>,
}

/// A page that exists but could not be read: links to it are not dead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenPage {
    /// The folder's name.
    pub key: String,
    /// The file's name.
    pub locale: String,
    /// Its addresses, as far as they could be read.
    pub paths: Vec<String>,
}

/// What became of one file.
pub(super) enum Loaded {
    Page(Box<PageFile>),
    Broken(BrokenPage),
    Nothing,
}

/// The keys of a page beside its sections.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct PageHead {
    /// Its address.
    pub path: Spanned<String>,
    /// Further addresses that show the same page; `path` stays the canonical one.
    pub also_at: Vec<Spanned<String>>,
    /// The whole `<title>`.
    pub title: Spanned<String>,
    /// One or two sentences for search engines.
    pub description: Spanned<String>,
    /// Not for search engines.
    pub noindex: bool,
    /// HTTP status the page stands for: 404 and 500 are the error pages.
    pub status: Status,
    /// Where a 404 page answers: for every address below this path that is not there; for the whole locale by default.
    pub answers_below: Option<Spanned<String>>,
    /// Fragments that the page answers to without an element of that id.
    pub anchors: Vec<String>,
    /// Its short name, where the way to a page below it is shown; the menu's or footer's words unless it is set.
    pub label: Option<String>,
    /// The picture that stands for it where it is shared; a drawn card unless it is set.
    pub image: Option<Image>,
    /// What the page is about, for search engines.
    pub schema: Option<Spanned<Schema>>,
    /// When its content last changed in a way that matters to readers: `2025-03-31`.
    pub updated: Option<Spanned<String>>,
    /// No page needs to link to it.
    pub unlinked: bool,
    /// How the frame around the page looks.
    pub layout: Layout,
    /// Read one by one, elsewhere.
    #[serde(rename = "sections")]
    _sections: serde::de::IgnoredAny,
}

const REQUIRED: &[&str] = &["path", "title", "description", "sections"];

/// HTTP status of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub enum Status {
    /// 200.
    #[default]
    Found,
    /// 404.
    NotFound,
    /// 500.
    ServerError,
}

impl Status {
    /// The number.
    pub fn number(self) -> u16 {
        match self {
            Status::Found => 200,
            Status::NotFound => 404,
            Status::ServerError => 500,
        }
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Status, D::Error> {
        match u16::deserialize(deserializer)? {
            200 => Ok(Status::Found),
            404 => Ok(Status::NotFound),
            500 => Ok(Status::ServerError),
            other => Err(serde::de::Error::custom(format!("a page is 200, 404 or 500, not {other}"))),
        }
    }
}

/// What a page is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Schema {
    /// Nothing in particular.
    #[default]
    Page,
    /// Something that the company does for others.
    Service,
    /// How to reach the company.
    Contact,
    /// The company.
    About,
}

/// The frame around a page.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Layout {
    /// The header's looks.
    pub header: HeaderLook,
    /// On a phone, the main heading is scrolled into view half a second after the page has loaded.
    pub scroll_to_hero: bool,
    /// The header stays in sight while the page scrolls.
    pub sticky: bool,
    /// What stands around the page's sections.
    pub frame: FrameKind,
}

/// What stands around a page's sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameKind {
    /// The site's header and footer.
    #[default]
    Site,
    /// The header and sidebar of the style guide, on white.
    StyleGuide,
}

/// The header's looks.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default)]
pub struct HeaderLook {
    /// Its ground.
    pub background: sections::Band,
    /// Its words: for a light ground `dark`, for a dark one `light`.
    pub text: Tone,
    /// Its logo.
    pub logo: Tone,
}

impl Default for HeaderLook {
    fn default() -> HeaderLook {
        HeaderLook { background: sections::Band::Paper, text: Tone::Dark, logo: Tone::Dark }
    }
}

/// Dark or light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// Ink.
    Dark,
    /// Paper.
    Light,
}

/// Reads one file below `folder` (`content/pages`).
pub(super) fn load(config: &Config, folder: &Path, path: &Path) -> (Loaded, Problems) {
    let mut problems = Problems::new();
    let relative = files::shown(folder, path);
    let place = Place::file(files::shown(&config.root, path));
    let unexpected = |message: String, hint: Option<String>| {
        Problem::error(Code::UnexpectedFile, message).at(place.clone()).maybe_hint(hint)
    };
    let parts = relative.split('/').collect::<Vec<_>>();
    if parts.len() == 2 && super::images::is_picture(path) {
        return (Loaded::Nothing, problems);
    }
    let (key, locale) = match parts[..] {
        [key, name] if name.ends_with(".yaml") => (key, name.trim_end_matches(".yaml")),
        _ => {
            let hint = "a page is `content/pages/<key>/<locale>.yaml`";
            return (Loaded::Nothing, unexpected("nothing reads this file".into(), Some(hint.into())).into());
        }
    };
    if !config.site.locales.iter().any(|code| code.value == locale) {
        let codes = config.site.locales.iter().map(|code| code.value.as_str());
        return (
            Loaded::Nothing,
            unexpected(format!("`{locale}` is not a locale of `site.yaml`"), did_you_mean(locale, codes)).into(),
        );
    }
    let broken = |paths: Vec<String>| {
        let paths =
            paths.iter().map(|path| placeholders::fill(path, config)).filter(|path| path.starts_with('/')).collect();
        Loaded::Broken(BrokenPage { key: key.to_owned(), locale: locale.to_owned(), paths })
    };
    let source = match files::read_text(&config.root, path) {
        Ok(source) => source,
        Err(problem) => return (broken(Vec::new()), problem.into()),
    };
    let node = match yaml::parse(&source, 0..source.text.len()) {
        Ok(node) => node,
        Err(problem) => {
            problems.push(problem);
            return (broken(written_path(&source.text)), problems);
        }
    };
    let (head, read) = yaml::read_by_key::<PageHead>(&source, &node, REQUIRED, &mut problems);
    let list = match node.get("sections") {
        Some(yaml::Node { value: Value::List(items), .. }) => items.as_slice(),
        Some(other) => {
            let problem =
                Problem::error(Code::WrongType, format!("a list of sections was expected, not {}", other.value.kind()));
            problems.push(
                other.problem(&source, problem).hint("write each section on its own line, beginning with `- kind: `"),
            );
            &[]
        }
        None => &[],
    };
    let sections: Vec<Section> = list.iter().filter_map(|item| sections::read(&source, item, &mut problems)).collect();
    let partial = sections.len() < list.len();
    let page = if REQUIRED.iter().all(|key| read.iter().any(|read| read == key)) {
        Loaded::Page(Box::new(PageFile {
            key: key.to_owned(),
            locale: locale.to_owned(),
            head,
            sections,
            partial,
            source,
        }))
    } else {
        broken(addresses(&node))
    };
    (page, problems)
}

/// The address in a file that is not valid YAML, as far as a line says it.
fn written_path(text: &str) -> Vec<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("path:"));
    line.map(|path| path.split(" #").next().unwrap_or(path).trim().trim_matches(['"', '\'']).to_owned())
        .into_iter()
        .collect()
}

/// The addresses of a page whose other keys could not all be read.
fn addresses(node: &yaml::Node) -> Vec<String> {
    let copies = match node.get("also_at").map(|node| &node.value) {
        Some(Value::List(items)) => items.as_slice(),
        _ => &[],
    };
    node.get("path").into_iter().chain(copies).filter_map(yaml::Node::as_text).map(str::to_owned).collect()
}
