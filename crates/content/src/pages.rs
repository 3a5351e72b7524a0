//! Reads pages: `content/pages/<key>/<locale>.yaml`. Pages with the same key are translations of each other, and may
//! share what is no word ([`structure`]).

mod borrowed;
mod dates;
pub(super) mod lacking;
mod layout;
pub(crate) mod shared;
mod structure;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use config::Config;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, did_you_mean};
use diagnostics::yaml::{self, Spanned, Value};
use schema::types::{Absence, Dates, Image, Link, Scheduled, When, composed};
use workspace::files::{self, FileSet};
use workspace::kinds::Kind;

use super::origins;
use super::placeholders;
use super::sections::{self, Kinds, Section};

use borrowed::Borrowed;

pub(super) use dates::load_all;
pub use dates::{LoadedPages, WithdrawnPage};
pub use layout::{FrameKind, HeaderLook, Layout, Tone};

pub use shared::KEYS as SHARED_KEYS;
pub use structure::PAGE_KEYS;

/// A page in one locale, as read.
#[derive(Debug, Clone)]
pub struct PageFile {
    /// The folder's name.
    pub key: String,
    /// The file's name.
    pub locale: String,
    /// Everything above `sections`.
    pub head: PageHead,
    /// The sections that could be read; problems of the others were reported.
    pub sections: Vec<Section>,
    /// The sections that are not public now.
    pub hidden: Vec<(Section, Absence)>,
    /// When it is public.
    pub dates: Dates,
    /// Its own dates and those of its sections.
    pub scheduled: Vec<Scheduled>,
    /// A section could not be read, so anchors may be missing.
    pub partial: bool,
    /// Whether its language has a file of it; the words of sections on many pages may all be those of a form.
    pub is_written: bool,
    /// The parts that other languages lend: `title`, `description`, and names of sections, each with the language.
    pub lent: Vec<(String, String)>,
    /// The file's text, for problems that later stages find.
    pub source: Arc<Source>,
}

/// A page whose file could not be read. Links to it are not reported as dead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenPage {
    /// The folder's name.
    pub key: String,
    /// The file's name.
    pub locale: String,
    /// Those of its URL paths that could be read.
    pub paths: Vec<String>,
}

/// The result of reading one file.
pub(super) enum LoadedPage {
    Page(Box<PageFile>),
    /// Sections of other pages, in each language that has no file of them.
    Shared(Vec<LoadedPage>),
    Broken(BrokenPage),
    Nothing,
}

/// The keys of a page except its sections.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PageHead {
    /// Its URL path.
    pub path: Spanned<String>,
    /// Further URL paths of the same page; `path` is the canonical one.
    pub also_at: Vec<Spanned<String>>,
    /// The whole `<title>`.
    pub title: Spanned<String>,
    /// Meta description, one or two sentences.
    pub description: Spanned<String>,
    /// Exclude the page from search engines.
    pub noindex: bool,
    /// HTTP status of the page: 404 and 500 are error pages.
    pub status: Status,
    /// The path below which a 404 page is shown for missing addresses; the whole locale by default.
    pub answers_below: Option<Spanned<String>>,
    /// Fragments that links may use although no element has that id.
    pub anchors: Vec<String>,
    /// Its name in breadcrumbs; defaults to the label in the menu or footer.
    pub label: Option<String>,
    /// The picture for social networks; defaults to a generated card.
    pub image: Option<Image>,
    /// Type of the page in structured data.
    pub schema: Option<Spanned<Schema>>,
    /// Date of the last significant change, `2025-03-31`.
    pub updated: Option<Spanned<String>>,
    /// It is not published before: `2025-03-31`, or `2025-03-31T09:30`.
    pub publish_at: Option<Spanned<When>>,
    /// From when its address is gone, written like `publish_at`.
    pub expires_at: Option<Spanned<When>>,
    /// Where its address leads then, in place of an answer that it is gone.
    pub expired_to: Option<Link>,
    /// Do not report that no page links to it.
    pub unlinked: bool,
    /// How many kB of HTML it may have, in place of `budgets.html` in `site.yaml`.
    pub html_budget: Option<u32>,
    /// It has no counterpart in other languages on purpose, so it does not count as untranslated.
    pub untranslated: bool,
    /// Its sections are shown at the end of other pages, and it has no address: the keys of these pages. `team/*` names all
    /// below a key, and `*` all pages.
    pub on_pages: Vec<Spanned<String>>,
    /// The keys of pages that do not show them, written like `on_pages`.
    pub not_on_pages: Vec<Spanned<String>>,
    /// The layout around the page.
    pub layout: Layout,
    /// The settings that its text describes: a warning tells when they change.
    pub assumes: Assumptions,
    /// The page whose keys it has, but for those that it says itself. They are taken over before it is read.
    #[serde(rename = "like")]
    #[schemars(with = "Option<String>")]
    _like: serde::de::IgnoredAny,
    /// Parsed separately, one by one.
    #[serde(rename = "sections")]
    #[schemars(skip)]
    _sections: serde::de::IgnoredAny,
}

/// The settings that the text of a page describes, as a page about privacy does.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Assumptions {
    /// `leads.captcha.provider`.
    pub captcha: Option<Spanned<String>>,
    /// The name of the service that `visits` sets up, such as `Google Analytics`; `none` if visits are not counted.
    pub visits: Option<Spanned<String>>,
}

/// The keys that every page has.
pub const REQUIRED: &[&str] = &["path", "title", "description", "sections"];

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
            other => Err(serde::de::Error::custom(format!(
                "the status of a page is 200, 404 or 500, not {other}"
            ))),
        }
    }
}

impl JsonSchema for Status {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Status".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> schemars::Schema {
        json_schema!({ "enum": [200, 404, 500] })
    }
}

/// Type of a page in structured data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Schema {
    /// A page of no special type.
    #[default]
    Page,
    /// A service of the company.
    Service,
    /// The contact page.
    Contact,
    /// The page about the company.
    About,
}

/// The key and the language of the page in a file, by its path below `folder` (`content/pages`). `None` if it is no page of
/// the site.
fn named<'p>(
    config: &Config,
    folder: &Path,
    path: &Path,
    relative: &'p str,
) -> (Option<(&'p str, &'p str)>, Problems) {
    let place = Place::file(files::shown(&config.paths.root, path));
    let unexpected = |message: String, hint: Option<String>| {
        (
            None,
            Problem::error(Code::UnexpectedFile, message)
                .at(place.clone())
                .maybe_hint(hint)
                .into(),
        )
    };
    let parts = relative.split('/').collect::<Vec<_>>();
    if parts.len() == 2 && super::images::is_picture(path) {
        return (None, Problems::new());
    }
    let (key, locale) = match parts[..] {
        [key, name] if name.ends_with(".yaml") => (key, name.trim_end_matches(".yaml")),
        _ => {
            let hint = "put a page in `content/pages/<key>/<locale>.yaml`";
            return unexpected("nothing reads this file".into(), Some(hint.into()));
        }
    };
    if locale == structure::NAME {
        let files = folder.join(key);
        let languages = config
            .site
            .locales
            .iter()
            .map(|code| &code.value)
            .chain(&config.site.withheld);
        let mut words = languages.map(|code| files.join(format!("{code}.yaml")));
        if words.any(|file| config.paths.root.exists(&file)) {
            return (None, Problems::new());
        }
        let hint = format!(
            "add `content/pages/{key}/{}.yaml` with its text",
            config.site.locales[0].value
        );
        return unexpected("no language has text for this page".into(), Some(hint));
    }
    if config.site.is_withheld(locale) {
        return (None, Problems::new());
    }
    if !config.site.locales.iter().any(|code| code.value == locale) {
        let codes = config.site.locales.iter().map(|code| code.value.as_str());
        return unexpected(
            format!("`{locale}` is not a locale in `site.yaml`"),
            did_you_mean(locale, codes),
        );
    }
    (Some((key, locale)), Problems::new())
}

/// Reads one file in `folder` (`content/pages`).
pub(super) fn load(
    config: &Config,
    kinds: &Kinds,
    folder: &Path,
    path: &Path,
) -> (LoadedPage, Problems) {
    let relative = files::shown(folder, path);
    if let Some(key) = shared::declared(&config.paths.root, path, &relative) {
        return shared::without_files(config, kinds, folder, key);
    }
    let (page, mut problems) = named(config, folder, path, &relative);
    let Some((key, locale)) = page else {
        return (LoadedPage::Nothing, problems);
    };
    let place = PagePlace {
        folder,
        key,
        locale,
    };
    let source = match config.paths.root.read_text(path) {
        Ok(source) => source,
        Err(problem) => return (broken(config, place, &[]), problem.into()),
    };
    let (page, found) = load_text(config, kinds, place, source);
    problems.extend(found);
    (page, problems)
}

/// A page in one language, by the place of its file.
#[derive(Clone, Copy)]
struct PagePlace<'a> {
    /// `content/pages`.
    folder: &'a Path,
    /// The name of its own folder there.
    key: &'a str,
    /// The language.
    locale: &'a str,
}

/// A page that could not be read, with those of its addresses that are known.
fn broken(config: &Config, place: PagePlace, paths: &[String]) -> LoadedPage {
    let paths = paths
        .iter()
        .map(|path| placeholders::fill(path, &config.site))
        .filter(|path| path.starts_with('/'))
        .collect();
    LoadedPage::Broken(BrokenPage {
        key: composed(place.key).into_owned(),
        locale: place.locale.to_owned(),
        paths,
    })
}

/// Reads the text of one file: the page of a key in a language.
fn load_text(
    config: &Config,
    kinds: &Kinds,
    place: PagePlace,
    source: Arc<Source>,
) -> (LoadedPage, Problems) {
    let mut problems = Problems::new();
    let broken = |paths: &[String]| broken(config, place, paths);
    let node = match yaml::parse(&source, 0..source.text.len()) {
        Ok(node) => node,
        Err(problem) => {
            problems.push(problem);
            return (broken(&written_path(&source.text)), problems);
        }
    };
    let known = addresses(&node);
    let structure::Whole {
        source,
        mut node,
        names,
        mut partial,
    } = match structure::whole(&config.paths.root, place, source, node, &mut problems) {
        Ok(whole) => whole,
        Err(problem) => {
            problems.push(problem);
            return (broken(&known), problems);
        }
    };
    let mut borrowed = Borrowed::default();
    let source = borrowed.head(config, place, source, &mut node);
    origins::mark_tree(&config.site, &source, &mut node);
    let is_shared = node.get(shared::KEY).is_some();
    let required = if is_shared {
        shared::REQUIRED
    } else {
        REQUIRED
    };
    let (head, read) = yaml::read_by_key::<PageHead>(&source, &node, required, &mut problems);
    let list = list_of_sections(&source, &node, &mut problems);
    let mut sections = Vec::with_capacity(list.len());
    for (at, item) in list.iter().enumerate() {
        let mut of_section = Problems::new();
        let section = sections::read(&source, item, kinds, &mut of_section);
        let (section, of_section) =
            borrowed.section((section, of_section), names.get(at), |node, problems| {
                sections::read(&source, node, kinds, problems)
            });
        sections.extend(section);
        problems.extend(of_section);
    }
    partial |= sections.len() < list.len();
    if is_shared {
        shared::check(&source, &node, &sections, &mut problems);
    }
    let (dates, (sections, hidden), scheduled) = dates::of_page(
        config,
        place.locale,
        &source,
        &head,
        sections,
        &mut problems,
    );
    let page = if required
        .iter()
        .all(|key| read.iter().any(|read| read == key))
    {
        LoadedPage::Page(Box::new(PageFile {
            key: composed(place.key).into_owned(),
            locale: place.locale.to_owned(),
            head,
            sections,
            hidden,
            dates,
            scheduled,
            partial,
            is_written: true,
            lent: borrowed.lent,
            source,
        }))
    } else {
        broken(&addresses(&node))
    };
    (page, problems)
}

/// The sections of a page, which may be missing.
fn list_of_sections<'n>(
    source: &Source,
    node: &'n yaml::Node,
    problems: &mut Problems,
) -> &'n [yaml::Node] {
    match node.get("sections") {
        Some(yaml::Node {
            value: Value::List(items),
            ..
        }) => items.as_slice(),
        Some(other) => {
            let problem = Problem::error(
                Code::WrongType,
                format!("expected a list of sections, found {}", other.value.kind()),
            );
            problems.push(
                other
                    .problem(source, problem)
                    .hint("begin each section with `- kind: …`"),
            );
            &[]
        }
        None => &[],
    }
}

/// The tree of one page as it is read: its words with what its languages share. The error is a file that could not be
/// read; mistakes in the content of the files are not reported.
pub fn tree(root: &FileSet, key: &str, locale: &str) -> Result<yaml::Node, Problem> {
    let folder = root.join(Kind::Page.folder());
    let source = root.read_text(&folder.join(key).join(format!("{locale}.yaml")))?;
    let node = yaml::parse(&source, 0..source.text.len())?;
    let mut problems = Problems::new();
    let place = PagePlace {
        folder: &folder,
        key,
        locale,
    };
    structure::whole(root, place, source, node, &mut problems).map(|whole| whole.node)
}

/// The path in a file that is not valid YAML, if a line begins with `path:`.
fn written_path(text: &str) -> Vec<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("path:"));
    line.map(|path| {
        path.split(" #")
            .next()
            .unwrap_or(path)
            .trim()
            .trim_matches(['"', '\''])
            .to_owned()
    })
    .into_iter()
    .collect()
}

/// The URL paths of a page of which another key could not be read.
fn addresses(node: &yaml::Node) -> Vec<String> {
    let copies = match node.get("also_at").map(|node| &node.value) {
        Some(Value::List(items)) => items.as_slice(),
        _ => &[],
    };
    node.get("path")
        .into_iter()
        .chain(copies)
        .filter_map(yaml::Node::as_text)
        .map(str::to_owned)
        .collect()
}
