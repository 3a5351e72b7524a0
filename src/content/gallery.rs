//! The gallery of the style guide: every section kind and every component that has a template, with the examples that
//! lie beside it (`templates/sections/<kind>/examples.yaml`, `templates/components/<name>/examples.yaml`).
//!
//! Read only by a site that shows it, with the section `guide_gallery`. The fields of a section come from its struct, the
//! arguments of a component from its macros, so that the gallery cannot say what is not so.

mod component;
mod fields;
mod macros;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::config::Config;
use crate::content_types::Link;
use crate::files;
use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use diagnostics::yaml::{self, Node, Spanned, Value};

use super::pages::PageFile;
use super::sections::{self, KINDS, Section};
use super::templates::Templates;

pub use fields::{Choice, FieldRow, Takes, of_kind};
pub use macros::{Argument, Macro};

/// The kind of section that lists the gallery.
pub const LIST: &str = "guide_gallery";
/// What lies beside a template.
const FILE: &str = "examples.yaml";

/// Everything that the gallery shows; empty for a site that has none.
#[derive(Debug, Clone, Default)]
pub struct Gallery {
    /// Family by family, by name.
    pub parts: Vec<PartSource>,
}

/// A section kind or a component.
#[derive(Debug, Clone)]
pub struct PartSource {
    /// What it is.
    pub family: Family,
    /// The name of its folder.
    pub name: String,
    /// What it is for, in a sentence.
    pub meaning: String,
    /// What an author gives it.
    pub takes: Given,
    /// From the least that it needs to all that it can.
    pub examples: Vec<Example>,
    /// Its `examples.yaml`.
    pub source: Arc<Source>,
}

/// The groups of the gallery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Sections of the site's own pages.
    Sections,
    /// Sections that show the design itself.
    Guide,
    /// What sections and frames are made of.
    Components,
}

impl Family {
    /// All, in the order of the gallery.
    pub const ALL: [Family; 3] = [Family::Sections, Family::Guide, Family::Components];
}

/// What an author gives a part.
#[derive(Debug, Clone)]
pub enum Given {
    /// The fields of a section.
    Fields(&'static [FieldRow]),
    /// The macros of a component and their arguments.
    Macros(Vec<Macro>),
}

/// A part as it can be used.
#[derive(Debug, Clone)]
pub struct Example {
    /// What sets it apart.
    pub name: String,
    /// What an author writes.
    pub code: String,
    /// What the template of a component calls `values`, as it is written.
    pub values: Option<String>,
    /// What is drawn; nothing for what can only be seen on a page of its own.
    pub drawn: Option<Drawn>,
    /// The page that shows it.
    pub live: Option<Link>,
}

/// What is drawn for an example.
#[derive(Debug, Clone)]
pub enum Drawn {
    /// A section.
    Section(Box<Section>),
    /// A template made of the example's text, and what it calls `values`.
    Template(String, serde_json::Value),
}

/// Reads the gallery, and adds the examples of components to the templates.
pub(super) fn load(config: &Config, pages: &[PageFile], templates: &mut Templates) -> (Gallery, Problems) {
    let mut problems = Problems::new();
    let is_shown = pages.iter().flat_map(|page| &page.sections).any(|section| section.kind == LIST);
    if !is_shown {
        return (Gallery::default(), problems);
    }
    let has_template = |kind: &&&str| templates.html.contains_key(&format!("sections/{kind}/{kind}.html"));
    let mut kinds: Vec<&'static str> = KINDS.iter().filter(has_template).copied().collect();
    kinds.sort_by_key(|kind| (family(kind), *kind));
    let folders: BTreeSet<String> = templates.html.keys().filter_map(|name| component_of(name)).collect();
    let mut parts = Vec::new();
    for kind in kinds {
        parts.extend(read(config, &format!("sections/{kind}"), &mut problems).map(|(source, node)| PartSource {
            family: family(kind),
            name: kind.to_owned(),
            meaning: fields::meaning_of_kind(kind),
            takes: Given::Fields(of_kind(kind)),
            examples: section_examples(kind, &source, &node, &mut problems),
            source,
        }));
    }
    for name in folders {
        parts.extend(
            read(config, &format!("components/{name}"), &mut problems)
                .and_then(|(source, node)| component::read(name, source, &node, templates, &mut problems)),
        );
    }
    (Gallery { parts }, problems)
}

fn family(kind: &str) -> Family {
    if kind.starts_with("guide_") { Family::Guide } else { Family::Sections }
}

/// `components/action/action.html` → `action`.
fn component_of(template: &str) -> Option<String> {
    let (folder, _) = template.strip_prefix("components/")?.rsplit_once('/')?;
    Some(folder.to_owned())
}

/// Reads the `examples.yaml` of a folder of `templates/`.
fn read(config: &Config, folder: &str, problems: &mut Problems) -> Option<(Arc<Source>, Node)> {
    let path = config.root.join("templates").join(folder).join(FILE);
    if !path.exists() {
        let problem = Problem::error(Code::ExamplesMissing, format!("`templates/{folder}/` has no examples"));
        let problem = problem.at(Place::file(files::shown(&config.root, &path)));
        problems
            .push(problem.hint("add a list of `- name: …` with what is drawn: the style guide shows every template"));
        return None;
    }
    let read = files::read_text(&config.root, &path)
        .and_then(|source| yaml::parse(&source, 0..source.text.len()).map(|node| (source, node)));
    read.map_err(|problem| problems.push(problem)).ok()
}

/// The keys of an example of a section.
#[derive(Deserialize)]
struct SectionExample {
    name: Spanned<String>,
    /// Read by itself, as on a page.
    #[serde(rename = "section")]
    _section: IgnoredAny,
    live: Option<Link>,
}

fn section_examples(kind: &str, source: &Arc<Source>, node: &Node, problems: &mut Problems) -> Vec<Example> {
    let mut examples = Vec::new();
    for item in items(source, node, problems) {
        let own: Option<SectionExample> = yaml::read(source, item, problems);
        let Some(written) = item.get("section") else { continue };
        if let Some(named) = written.get("kind").filter(|named| named.as_text() != Some(kind)) {
            let other = named.as_text().unwrap_or_default();
            let message = format!("this is the folder of `{kind}`, and the example shows `{other}`");
            let problem = named.problem(source, Problem::error(Code::UnknownSection, message));
            problems.push(problem.hint(format!("write `kind: {kind}`, or move the example to the other folder")));
            continue;
        }
        let section = sections::read(source, written, problems);
        let (Some(own), Some(section)) = (own, section) else { continue };
        examples.push(Example {
            name: own.name.value,
            code: item_of_list(&as_written(source, written)),
            values: None,
            drawn: own.live.is_none().then(|| Drawn::Section(Box::new(section))),
            live: own.live,
        });
    }
    examples
}

/// The items of a list of examples, which is not empty.
fn items<'a>(source: &Source, node: &'a Node, problems: &mut Problems) -> &'a [Node] {
    let message = match &node.value {
        Value::List(items) if !items.is_empty() => return items,
        Value::List(_) | Value::Null => "there is no example here".to_owned(),
        other => format!("a list of examples was expected, not {}", other.kind()),
    };
    problems.push(node.problem(source, Problem::error(Code::WrongType, message)).hint("begin each with `- name: …`"));
    &[]
}

/// The text of a value as its author wrote it, moved to the left.
fn as_written(source: &Source, node: &Node) -> String {
    let span = node.extent();
    let (start, end) = (span.start as usize, span.end as usize);
    let text = &source.text;
    let before = text[..start].rfind('\n').map_or(0, |at| at + 1);
    // A quoted text, a text of several lines and a bracket end behind what the parser calls their last byte.
    let end = end + text[end..].find('\n').unwrap_or(text.len() - end);
    let indent = start - before;
    let moved = |line: &str| {
        let kept = line.len() - line.trim_start_matches(' ').len();
        line[kept.min(indent)..].trim_end().to_owned()
    };
    let mut lines = vec![text[start..end].lines().next().unwrap_or_default().to_owned()];
    lines.extend(text[start..end].lines().skip(1).map(moved));
    lines.join("\n").trim_end().to_owned()
}

/// As an item of the list `sections` of a page.
fn item_of_list(code: &str) -> String {
    let lines = code.lines().enumerate().map(|(at, line)| match (at, line) {
        (0, line) => format!("- {line}"),
        (_, "") => String::new(),
        (_, line) => format!("  {line}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}
