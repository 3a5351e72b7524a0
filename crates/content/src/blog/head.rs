//! The front matter of a post, read by the schema of the collection of posts: the fields that the blog shows itself, and
//! those that a site adds.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};
use diagnostics::yaml::{self, Key, Node, Spanned, Value};
use schema::types::{Focus, IMAGE, Image, Typed, When};
use schema::{Block, OneKey, is_before, typed};

use super::added::AddedFields;
use super::schema::is_of_blog;

/// The values of the front matter that could be read.
pub(super) struct Head(Vec<(Key, Node, Json)>);

impl Head {
    /// Reads front matter key by key, so that one mistake does not make the other values unknown.
    pub fn read(
        fields: &'static Block,
        required: &[&str],
        source: &Arc<Source>,
        node: Node,
        problems: &mut Problems,
    ) -> Head {
        let read = yaml::read_each(source, node, required, OneKey(fields), problems);
        let known = read
            .into_iter()
            .filter_map(|(key, node, value)| Some((key, node, value?)));
        let head = Head(known.collect());
        let value = |name: &str| {
            head.0
                .iter()
                .find(|(key, ..)| key.name == name)
                .map(|(_, node, value)| (node, value))
        };
        for field in &fields.fields {
            let (Some(first), Some((node, date))) = (field.not_before, value(field.name)) else {
                continue;
            };
            if value(first).is_some_and(|(_, other)| is_before(date, other)) {
                let problem = Problem::error(
                    Code::InvalidValue,
                    format!("`{}` is before `{first}`", field.name),
                );
                problems.push(node.problem(source, problem));
            }
        }
        for field in &fields.fields {
            let Some(other) = field.required_unless else {
                continue;
            };
            if !head.has(field.name) && !head.has(other) {
                let problem = Problem::error(
                    Code::MissingKey,
                    format!("the key `{}` is missing", field.name),
                );
                problems.push(
                    problem
                        .at(Place::file(source.path.clone()))
                        .hint(format!("add `{}: …`", field.name)),
                );
            }
        }
        head
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

    /// A text.
    pub fn text(&mut self, name: &str) -> Option<Spanned<String>> {
        match self.take(name)? {
            (node, Json::String(value)) => Some(Spanned {
                value,
                span: node.span,
            }),
            _ => None,
        }
    }

    /// The texts of a list.
    pub fn texts(&mut self, name: &str) -> Vec<Spanned<String>> {
        let Some((node, Json::Array(values))) = self.take(name) else {
            return Vec::new();
        };
        let spans = match &node.value {
            Value::List(items) => items.iter().map(|item| item.span).collect(),
            _ => vec![node.span; values.len()],
        };
        values
            .into_iter()
            .zip(spans)
            .filter_map(|(value, span)| match value {
                Json::String(value) => Some(Spanned { value, span }),
                _ => None,
            })
            .collect()
    }

    /// A point in time.
    pub fn when(&mut self, name: &str) -> Option<Spanned<When>> {
        let (node, value) = self.take(name)?;
        match typed(&value)? {
            Typed::Moment(value) => Some(Spanned {
                value,
                span: node.span,
            }),
            _ => None,
        }
    }

    /// The key of an entry.
    pub fn reference(&mut self, name: &str) -> Option<Spanned<String>> {
        let (node, value) = self.take(name)?;
        match typed(&value)? {
            Typed::Reference(reference) => Some(Spanned {
                value: reference.key,
                span: node.span,
            }),
            _ => None,
        }
    }

    /// A picture.
    pub fn image(&mut self, name: &str) -> Option<Image> {
        let (_, mut value) = self.take(name)?;
        let parts: (String, Span, Option<String>, bool, Option<Focus>) =
            serde_json::from_value(value.get_mut(IMAGE)?.take()).ok()?;
        let (value, span, alt, decorative, focus) = parts;
        Some(Image {
            src: Spanned { value, span },
            alt,
            decorative,
            focus,
        })
    }

    /// Whether a flag is set.
    pub fn flag(&mut self, name: &str) -> bool {
        self.take(name)
            .is_some_and(|(_, value)| value == Json::Bool(true))
    }

    /// A number that is not negative.
    pub fn number(&mut self, name: &str) -> Option<u32> {
        u32::try_from(self.take(name)?.1.as_u64()?).ok()
    }

    /// The values of the fields that the site adds; `head` is the file up to the end of the front matter.
    pub fn added(self, head: &str) -> Option<Box<AddedFields>> {
        let added = self
            .0
            .into_iter()
            .filter(|(key, ..)| !is_of_blog(&key.name));
        let values: Map<String, Json> = added.map(|(key, _, value)| (key.name, value)).collect();
        (!values.is_empty()).then(|| Box::new(AddedFields::new(&values, head)))
    }
}
