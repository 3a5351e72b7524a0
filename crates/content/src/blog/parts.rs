//! Reads the sections and islands that a post shows in its text (`content/markdown/parts.rs` finds them). A section is
//! checked like one of a page, and the arguments of an island are JSON, so that no post runs code of a template.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::sections::{self, Kinds, Section, SectionRole};
use diagnostics::problem::{Code, Problem, Problems, Source, Span};
use diagnostics::yaml::{self, Value};
use text::markdown::parts::{cut, kind};

/// A part of a post's text that the site's templates show.
#[derive(Debug, Clone)]
pub enum Part {
    /// `:::quote`, and the file that it is written in.
    Section(Box<Section>, Arc<Source>),
    /// `{{ island("seats", {"price": 12}, "visible") }}`.
    Island(IslandCall),
    /// It has a problem, which was reported.
    Broken,
}

/// The arguments of an island.
#[derive(Debug, Clone)]
pub struct IslandCall {
    /// Its name.
    pub name: String,
    /// Its props.
    pub props: Json,
    /// When it wakes.
    pub directive: String,
    /// Where it is written.
    pub span: Span,
}

/// Where the fields of the sections in the text of a post are, as YAML.
pub fn fields_of_sections(text: &str) -> Vec<Range<usize>> {
    let parts = cut(text).map(|cut| cut.parts).unwrap_or_default();
    parts
        .into_iter()
        .filter_map(|part| {
            let first = text[part.clone()]
                .lines()
                .next()
                .filter(|line| kind(line).is_some())?;
            Some(part.start + first.len()..part.end - 3)
        })
        .collect()
}

/// Reads the part in a range of the text that begins at `start` of a file.
pub(super) fn read(
    source: &Arc<Source>,
    start: usize,
    part: &Range<usize>,
    kinds: &Kinds,
    problems: &mut Problems,
) -> Part {
    let range = start + part.start..start + part.end;
    let text = &source.text[range.clone()];
    let first = text.lines().next().unwrap_or_default();
    match kind(first) {
        Some(name) => {
            let span = Span::new(range.start + 3, range.start + 3 + name.len());
            let fields = range.start + first.len()..range.end - 3;
            section(source, name, span, fields, kinds, problems).map_or(Part::Broken, |section| {
                Part::Section(Box::new(section), Arc::clone(source))
            })
        }
        None => island(source, range, problems).map_or(Part::Broken, Part::Island),
    }
}

fn section(
    source: &Arc<Source>,
    name: &str,
    span: Span,
    fields: Range<usize>,
    kinds: &Kinds,
    problems: &mut Problems,
) -> Option<Section> {
    let kind = sections::kind_of(name, kinds).map_err(|problem| {
        problems.extend(
            problem
                .map(|problem| problem.at(source.place(span)).into())
                .unwrap_or_default(),
        );
    });
    let kind = kind.ok()?;
    let is_for_pages = kind.main_heading
        || !matches!(
            kind.role,
            SectionRole::Content | SectionRole::Questions | SectionRole::Plans
        );
    if is_for_pages {
        let message = format!("a `{name}` section is for pages, not for posts");
        let problem = Problem::error(Code::UnknownSection, message).at(source.place(span));
        problems.push(problem.hint("link to a page that has one"));
        return None;
    }
    let node = yaml::parse(source, fields)
        .map_err(|problem| problems.push(problem))
        .ok()?;
    let node = if matches!(node.value, Value::Null) {
        node.with_value(Value::Map(Vec::new()))
    } else {
        node
    };
    let Value::Map(_) = &node.value else {
        let message = format!("expected a block of keys, found {}", node.value.kind());
        let problem = Problem::error(Code::WrongType, message).at(source.place(span));
        problems.push(problem.hint(format!(
            "write the section's keys, such as `text: …`, between `:::{name}` and `:::`"
        )));
        return None;
    };
    let section = sections::read_fields(kind, source, &node, problems)?;
    if let Some(date) = section.dates.iter().flatten().next() {
        let message = "a section in a post cannot have its own dates";
        let problem = Problem::error(Code::InvalidValue, message).at(source.place(date.span));
        problems.push(problem.hint("write `publish_at` and `expires_at` at the top of the post"));
    }
    Some(section)
}

fn island(source: &Source, range: Range<usize>, problems: &mut Problems) -> Option<IslandCall> {
    let span = Span::new(range.start, range.end);
    let text = source.text[range].trim_matches(['{', '}']).trim();
    let inner = text
        .strip_prefix("island(")
        .and_then(|text| text.strip_suffix(')'))
        .unwrap_or_default();
    let read: Result<(String, Json, String), _> = serde_json::from_str(&format!("[{inner}]"));
    match read {
        Ok((name, props, directive)) => Some(IslandCall {
            name,
            props,
            directive,
            span,
        }),
        Err(error) => {
            let message = format!("the island's arguments cannot be read: {}", reason(&error));
            let problem = Problem::error(Code::IslandProps, message).at(source.place(span));
            problems
                .push(problem.hint(
                    "write `{{ island(\"its-name\", {\"prop\": \"value\"}, \"visible\") }}`",
                ));
            None
        }
    }
}

/// Without the place in the arguments, which is none in the file.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ")
        .next()
        .unwrap_or_default()
        .to_owned()
}
