//! Marks texts of content with where they are written, if the settings ask for it: for one page of the preview, never for
//! a build (see [`diagnostics::marks`]).

use std::sync::Arc;

use serde::de::DeserializeOwned;

use config::SiteSettings;
use diagnostics::marks::{Marks, TextOrigin};
use diagnostics::problem::{Problems, Source, Span};
use diagnostics::yaml::{self, Node, Value, Written};

/// Keys whose values are plain texts that programs compare. All others that programs read have types of their own, or a
/// place, and get no mark from the deserializer.
const COMPARED: &[&str] = &["icon", "id"];

/// Marks all texts of a tree but those that programs compare. A text that is already marked comes from another file.
pub fn mark_tree(settings: &SiteSettings, source: &Arc<Source>, node: &mut Node) {
    if let Some(marks) = &settings.marks {
        walk(marks, source, node);
    }
}

/// Parses a whole file, marks its texts if the settings ask for it, and reads a type from it.
pub(super) fn load<T: DeserializeOwned>(
    settings: &SiteSettings,
    source: &Arc<Source>,
    problems: &mut Problems,
) -> Option<T> {
    let mut node = yaml::parse(source, 0..source.text.len())
        .map_err(|problem| problems.push(problem))
        .ok()?;
    mark_tree(settings, source, &mut node);
    yaml::read(source, &node, problems)
}

fn walk(marks: &Marks, source: &Arc<Source>, node: &mut Node) {
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(|item| walk(marks, source, item)),
        Value::Map(entries) => {
            for (key, value) in entries {
                let last = key.name.rsplit('.').next().unwrap_or_default();
                if !COMPARED.contains(&last) {
                    walk(marks, source, value);
                }
            }
        }
        Value::Text(_) | Value::Int(_) | Value::Float(_) if node.mark == 0 => {
            node.mark = marks.number(TextOrigin::Written(Arc::clone(source), node.span));
        }
        _ => {}
    }
}

/// A text behind the mark of its span, if marks are asked for.
pub fn marked(settings: &SiteSettings, source: &Arc<Source>, span: Span, text: String) -> String {
    match &settings.marks {
        Some(marks) => marks.marked(TextOrigin::Written(Arc::clone(source), span), &text),
        None => text,
    }
}

/// Makes the marks of the parts of a Markdown text, by their offsets in it. `span` is that of the text in its file.
pub fn of_markdown<'a>(
    settings: &'a SiteSettings,
    source: &'a Arc<Source>,
    span: Span,
    text: &str,
) -> Option<impl Fn(usize) -> String + use<'a>> {
    let marks = settings.marks.as_ref()?;
    let written = Written::of(source, &Node::new(Value::Text(text.to_owned()), span));
    Some(move |at: usize| {
        let span = written
            .as_ref()
            .map_or(span, |written| written.span(at..at + 1));
        marks.mark(TextOrigin::Written(Arc::clone(source), span))
    })
}
