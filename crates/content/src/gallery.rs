//! Reads the gallery of the style guide: all section kinds and components that have a template, with their examples
//! (`templates/sections/<kind>/examples.yaml`, `templates/components/<name>/examples.yaml`).
//!
//! It is read only if a page shows it, with the section `guide_gallery`; without one, the examples of the site's own
//! sections are checked. The fields of a section are from its schema, and the arguments of a component from its macros, so
//! the gallery cannot be out of date.

mod component;
mod macros;
mod rows;

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;

use config::Config;
use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use diagnostics::yaml::{self, Node, Spanned, Value};
use schema::types::Link;
use workspace::files;

use super::pages::PageFile;
use super::sections::{self, Kinds, Section, SectionKind, SectionRole};
use super::templates::Templates;

pub use component::ComponentFile;
pub use macros::{Argument, Macro};
pub use rows::{Choice, FieldRow, reference};

/// Name of the file with examples, in the folder of a template.
const FILE: &str = "examples.yaml";

/// The content of the gallery; empty for a site without one.
#[derive(Debug, Clone, Default)]
pub struct Gallery {
    /// Section kinds and components, by family and name.
    pub parts: Vec<PartSource>,
}

/// A section kind or a component.
#[derive(Debug, Clone)]
pub struct PartSource {
    /// Its group.
    pub family: Family,
    /// The name of its folder.
    pub name: String,
    /// Its purpose, in a sentence.
    pub meaning: String,
    /// Its fields or macros.
    pub takes: Given,
    /// Examples, from minimal to complete.
    pub examples: Vec<Example>,
    /// Its `examples.yaml`.
    pub source: Arc<Source>,
}

/// The groups of the gallery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Sections for pages.
    Sections,
    /// Sections for the style guide.
    Guide,
    /// Components of sections and layouts.
    Components,
}

impl Family {
    /// All families, in display order.
    pub const ALL: [Family; 3] = [Family::Sections, Family::Guide, Family::Components];
}

/// The inputs of a section kind or a component.
#[derive(Debug, Clone)]
pub enum Given {
    /// The fields of a section.
    Fields(Arc<[FieldRow]>),
    /// The macros of a component and their arguments.
    Macros(Vec<Macro>),
}

/// An example of a section kind or a component.
#[derive(Debug, Clone)]
pub struct Example {
    /// Its name.
    pub name: String,
    /// Its source code.
    pub code: String,
    /// The source of the variable `values` in the template of a component.
    pub values: Option<String>,
    /// The rendered part; `None` if it is shown on another page only.
    pub preview: Option<Preview>,
    /// A page that shows it.
    pub live: Option<Link>,
}

/// The rendered part of an example.
#[derive(Debug, Clone)]
pub enum Preview {
    /// A section.
    Section(Box<Section>),
    /// The name of a template with the example's code, and its variable `values`.
    Template(String, serde_json::Value),
}

/// Reads the gallery, and adds the examples of components to the templates.
pub(super) fn load(
    config: &Config,
    kinds: &Kinds,
    pages: &[PageFile],
    templates: &mut Templates,
) -> (Gallery, Problems) {
    let mut problems = Problems::new();
    let is_shown = pages
        .iter()
        .flat_map(|page| &page.sections)
        .any(|section| section.kind.role == SectionRole::Gallery);
    if !is_shown {
        check_own(config, kinds, &mut problems);
        return (Gallery::default(), problems);
    }
    let has_template = |name: &str| {
        templates
            .html
            .contains_key(&format!("sections/{name}/{name}.html"))
    };
    let mut shown: Vec<&SectionKind> = kinds
        .iter()
        .filter(|kind| has_template(kind.name))
        .collect();
    shown.sort_by_key(|kind| (family(kind.name), kind.name));
    let folders: BTreeSet<String> = templates
        .html
        .keys()
        .filter_map(|name| component_of(name))
        .collect();
    let mut parts = Vec::new();
    for kind in shown {
        parts.extend(
            read(config, &format!("sections/{}", kind.name), &mut problems).map(
                |(source, node)| {
                    let rows = reference(kind);
                    PartSource {
                        family: family(kind.name),
                        name: kind.name.to_owned(),
                        meaning: kind.meaning.clone(),
                        takes: Given::Fields(rows),
                        examples: section_examples(kind.name, kinds, &source, &node, &mut problems),
                        source,
                    }
                },
            ),
        );
    }
    for name in folders {
        parts.extend(
            read(config, &format!("components/{name}"), &mut problems).and_then(
                |(source, node)| component::read(name, source, &node, templates, &mut problems),
            ),
        );
    }
    (Gallery { parts }, problems)
}

/// Reads the examples that the site has itself, for their problems. Those of the theme name pages of another site.
fn check_own(config: &Config, kinds: &Kinds, problems: &mut Problems) {
    for kind in kinds.iter() {
        let path = format!("templates/sections/{}/{FILE}", kind.name);
        if !config.paths.root.join(&path).is_file() {
            continue;
        }
        let Some((source, node)) = read(config, &format!("sections/{}", kind.name), problems)
        else {
            continue;
        };
        if config.theme.get(&path) != Some(source.text.as_bytes()) {
            section_examples(kind.name, kinds, &source, &node, problems);
        }
    }
}

fn family(kind: &str) -> Family {
    if kind.starts_with("guide_") {
        Family::Guide
    } else {
        Family::Sections
    }
}

/// `components/action/action.html` → `action`.
fn component_of(template: &str) -> Option<String> {
    let (folder, _) = template.strip_prefix("components/")?.rsplit_once('/')?;
    Some(folder.to_owned())
}

/// Reads the `examples.yaml` of a folder of `templates/`.
fn read(config: &Config, folder: &str, problems: &mut Problems) -> Option<(Arc<Source>, Node)> {
    let root = config.paths.theme_root();
    let path = root.join("templates").join(folder).join(FILE);
    if !path.exists() {
        let problem = Problem::error(
            Code::ExamplesMissing,
            format!("`templates/{folder}/` has no examples"),
        );
        let problem = problem.at(Place::file(files::shown(&root, &path)));
        problems.push(
            problem.hint(
                "add a list of examples, each beginning with `- name: …`; the style guide shows every template",
            ),
        );
        return None;
    }
    let read = root
        .read_text(&path)
        .and_then(|source| yaml::parse(&source, 0..source.text.len()).map(|node| (source, node)));
    read.map_err(|problem| problems.push(problem)).ok()
}

/// The keys of an example of a section.
#[derive(Deserialize, JsonSchema)]
pub struct SectionExample {
    /// The case that it shows.
    name: Spanned<String>,
    /// The section, as on a page.
    // Parsed separately.
    #[serde(rename = "section")]
    #[schemars(with = "serde_json::Value")]
    _section: IgnoredAny,
    /// A page that shows it.
    live: Option<Link>,
}

fn section_examples(
    kind: &str,
    kinds: &Kinds,
    source: &Arc<Source>,
    node: &Node,
    problems: &mut Problems,
) -> Vec<Example> {
    let mut examples = Vec::new();
    for item in items(source, node, problems) {
        let own: Option<SectionExample> = yaml::read(source, item, problems);
        let Some(written) = item.get("section") else {
            continue;
        };
        if let Some(named) = written
            .get("kind")
            .filter(|named| named.as_text() != Some(kind))
        {
            let other = named.as_text().unwrap_or_default();
            let message =
                format!("this is the folder of `{kind}`, but the example shows `{other}`");
            let problem = named.problem(source, Problem::error(Code::UnknownSection, message));
            problems.push(problem.hint(format!(
                "write `kind: {kind}`, or move the example to the folder of its kind"
            )));
            continue;
        }
        let section = sections::read(source, written, kinds, problems);
        let (Some(own), Some(section)) = (own, section) else {
            continue;
        };
        examples.push(Example {
            name: own.name.value,
            code: item_of_list(&as_written(source, written)),
            values: None,
            preview: own
                .live
                .is_none()
                .then(|| Preview::Section(Box::new(section))),
            live: own.live,
        });
    }
    examples
}

/// The items of a list of examples. Reports an empty list.
fn items<'a>(source: &Source, node: &'a Node, problems: &mut Problems) -> &'a [Node] {
    let message = match &node.value {
        Value::List(items) if !items.is_empty() => return items,
        Value::List(_) | Value::Null => "there are no examples here".to_owned(),
        other => format!("expected a list of examples, found {}", other.kind()),
    };
    problems.push(
        node.problem(source, Problem::error(Code::WrongType, message))
            .hint("begin each example with `- name: …`"),
    );
    &[]
}

/// The source text of a value, without indentation.
fn as_written(source: &Source, node: &Node) -> String {
    let span = node.extent();
    let (start, end) = (span.start as usize, span.end as usize);
    let text = &source.text;
    let before = text[..start].rfind('\n').map_or(0, |at| at + 1);
    // For quoted strings, block scalars and flow collections, the parser reports an end before the last character.
    let end = end + text[end..].find('\n').unwrap_or(text.len() - end);
    let indent = start - before;
    let mut lines = vec![
        text[start..end]
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned(),
    ];
    lines.extend(text[start..end].lines().skip(1).map(|line| {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        line[spaces.min(indent)..].trim_end().to_owned()
    }));
    lines.join("\n").trim_end().to_owned()
}

/// Formats the source of a section as an item of the list `sections`.
fn item_of_list(code: &str) -> String {
    let lines = code.lines().enumerate().map(|(at, line)| match (at, line) {
        (0, line) => format!("- {line}"),
        (_, "") => String::new(),
        (_, line) => format!("  {line}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}
