//! Reads the values of a block one by one, so that a mistake in one does not make the others unknown: front matter, what a
//! CMS sent, and the file of an entry with mistakes.

use std::cell::RefCell;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};
use diagnostics::yaml::{self, Key, Node, Spanned, Value};

use crate::types::{IMAGE, Image, Typed};

use super::values::OneKey;
use super::{Block, typed};

/// The values of a block that could be read, in the order in which they were written.
#[derive(Debug)]
pub struct Each(Vec<(Key, Node, Json)>);

impl Each {
    /// Reads the values. The keys that are `required` and missing are reported.
    pub fn read(
        source: &Arc<Source>,
        node: Node,
        fields: &'static Block,
        required: &[&str],
        problems: &mut Problems,
    ) -> Each {
        let before = RefCell::new(Map::new());
        let key = OneKey {
            fields,
            before: &before,
        };
        let read = yaml::read_each(source, node, required, key, problems);
        let known = read
            .into_iter()
            .filter_map(|(key, node, value)| Some((key, node, value?)));
        Each(known.collect())
    }

    /// Reports fields without a value that must have one, because another field has none.
    pub fn lacking(&self, source: &Source, fields: &Block, problems: &mut Problems) {
        for field in &fields.fields {
            let lacks = |other| !self.has(field.name) && !self.has(other);
            if field.required_unless.is_some_and(lacks) {
                let message = format!("the key `{}` is missing", field.name);
                let problem = Problem::error(Code::MissingKey, message);
                let problem = problem.at(Place::file(source.path.clone()));
                problems.push(problem.hint(format!("add `{}: …`", field.name)));
            }
        }
    }

    /// Whether a key could be read.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, ..)| key.name == name)
    }

    fn take(&mut self, name: &str) -> Option<(Node, Json)> {
        let at = self.0.iter().position(|(key, ..)| key.name == name)?;
        let (_, node, value) = self.0.swap_remove(at);
        (!value.is_null()).then_some((node, value))
    }

    /// A text, a number, a flag, or a list of them; `None` if the field has no value.
    pub fn plain<T: DeserializeOwned>(&mut self, name: &str) -> Option<Spanned<T>> {
        let (node, value) = self.take(name)?;
        Some(Spanned {
            value: serde_json::from_value(value).ok()?,
            span: node.span,
        })
    }

    /// The texts of a list, with the span of each.
    pub fn texts(&mut self, name: &str) -> Vec<Spanned<String>> {
        let Some((node, Json::Array(values))) = self.take(name) else {
            return Vec::new();
        };
        let spans = match &node.value {
            Value::List(items) => items.iter().map(|item| item.span).collect(),
            _ => vec![node.span; values.len()],
        };
        let text = |(value, span): (Json, Span)| match value {
            Json::String(value) => Some(Spanned { value, span }),
            _ => None,
        };
        values.into_iter().zip(spans).filter_map(text).collect()
    }

    /// A value of a type that is written as text.
    pub fn typed(&mut self, name: &str) -> Option<Spanned<Typed>> {
        let (node, value) = self.take(name)?;
        Some(Spanned {
            value: typed(&value)?,
            span: node.span,
        })
    }

    /// An image.
    pub fn image(&mut self, name: &str) -> Option<Image> {
        let (_, mut value) = self.take(name)?;
        let (value, span, alt, decorative, focus) =
            serde_json::from_value(value.get_mut(IMAGE)?.take()).ok()?;
        Some(Image {
            src: Spanned { value, span },
            alt,
            decorative,
            focus,
        })
    }

    /// The values that were not taken, by name.
    pub fn rest(self) -> Map<String, Json> {
        let rest = self.0.into_iter();
        rest.map(|(key, _, value)| (key.name, value)).collect()
    }
}
