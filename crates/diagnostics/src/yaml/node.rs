//! A parsed YAML document as a tree. Every key and value has its span.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::problem::{Problem, Span};

/// A value with its span.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Its span in the file; for a block mapping or list, only its first byte (see [`Node::extent`]).
    pub span: Span,
    /// The span of its text. For an alias (`*name`), it is the span of the anchor's value.
    pub(super) defined: Span,
    /// The path before the keys of this block if they are written one a line: `hero.actions.1` (see
    /// [`super::overlay`]). `None` for a block that is written as one.
    pub(super) prefix: Option<Box<str>>,
    /// The number of the mark before its text (see [`crate::marks`]); 0 for a text without one.
    pub mark: u32,
}

/// A YAML value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value, `null` or `~`.
    Null,
    /// `true` or `false`; `yes` and `no` are text.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// Entries in the order of the file. The parser rejects duplicate keys.
    Map(Vec<(Key, Node)>),
}

/// A key of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// The key.
    pub name: String,
    /// Its span in the file.
    pub span: Span,
}

impl Value {
    /// The type's name in messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Int(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a block of keys",
        }
    }
}

impl Node {
    /// The path from this node to a descendant, for messages: `plans[1].price`. Nodes are compared by address. `None`
    /// if `wanted` is not a descendant.
    pub(super) fn path_to(&self, wanted: *const Node) -> Option<String> {
        fn step(node: &Node, wanted: *const Node, path: &mut String) -> bool {
            if std::ptr::eq(node, wanted) {
                return true;
            }
            let length = path.len();
            let mut enter = |name: &str, child: &Node| {
                path.push_str(name);
                let found = step(child, wanted, path);
                if !found {
                    path.truncate(length);
                }
                found
            };
            match &node.value {
                Value::List(items) => items
                    .iter()
                    .enumerate()
                    .any(|(at, item)| enter(&format!("[{at}]"), item)),
                Value::Map(entries) => entries.iter().any(|(key, child)| {
                    let dot = if length == 0 { "" } else { "." };
                    enter(&format!("{dot}{}", key.name), child)
                }),
                _ => false,
            }
        }
        let mut path = String::new();
        step(self, wanted, &mut path).then_some(path)
    }

    /// Creates a node that is not an alias.
    pub fn new(value: Value, span: Span) -> Node {
        Node {
            value,
            span,
            defined: span,
            prefix: None,
            mark: 0,
        }
    }

    /// Whether it is an alias (`*name`), whose text is written elsewhere.
    pub fn is_alias(&self) -> bool {
        self.span != self.defined
    }

    /// This node with another value, such as some of its keys.
    #[must_use]
    pub fn with_value(&self, value: Value) -> Node {
        Node {
            value,
            span: self.span,
            defined: self.defined,
            prefix: self.prefix.clone(),
            mark: 0,
        }
    }

    /// The value of a key, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(entries) => entries
                .iter()
                .find(|(k, _)| k.name == key)
                .map(|(_, node)| node),
            _ => None,
        }
    }

    /// The value at a path of keys and, in lists, of indices from 0.
    pub fn at(&self, path: &[String]) -> Option<&Node> {
        path.iter().try_fold(self, |node, part| match &node.value {
            Value::List(items) => items.get(part.parse::<usize>().ok()?),
            _ => node.get(part),
        })
    }

    /// The text, if this is text.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The span of this value and all its descendants.
    pub fn extent(&self) -> Span {
        let mut span = self.span;
        match &self.value {
            Value::List(items) => items
                .iter()
                .for_each(|item| span = span.widened(item.extent())),
            Value::Map(entries) => entries.iter().for_each(|(key, node)| {
                span = span.widened(key.span).widened(node.extent());
            }),
            _ => {}
        }
        span
    }

    /// Sets `value` at a path of keys, creating maps as needed. List items are addressed by index. The error is a
    /// message.
    pub fn set(&mut self, path: &[&str], value: Node) -> Result<(), String> {
        let Some((first, rest)) = path.split_first() else {
            *self = value;
            return Ok(());
        };
        if self.value == Value::Null {
            self.value = Value::Map(Vec::new());
        }
        match &mut self.value {
            Value::Map(entries) => {
                let at = entries
                    .iter()
                    .position(|(key, _)| key.name == **first)
                    .unwrap_or_else(|| {
                        let key = Key {
                            name: (*first).to_owned(),
                            span: Span::COMMAND_LINE,
                        };
                        entries.push((key, Node::new(Value::Null, Span::COMMAND_LINE)));
                        entries.len() - 1
                    });
                entries[at].1.set(rest, value)
            }
            Value::List(items) => match first
                .parse::<usize>()
                .ok()
                .and_then(|index| items.get_mut(index))
            {
                Some(item) => item.set(rest, value),
                None => Err(format!(
                    "the list has no item `{first}`; items are counted from 0"
                )),
            },
            other => Err(format!(
                "expected a block of keys before `.{first}`, found {}",
                other.kind()
            )),
        }
    }

    /// Marks a value as one from the command line, which has no span. Numbers become the text that was typed.
    pub(super) fn forget_spans(&mut self, typed: &str) {
        let Span { start, end } = self.defined;
        (self.span, self.defined) = (Span::COMMAND_LINE, Span::COMMAND_LINE);
        match &mut self.value {
            Value::List(items) => items.iter_mut().for_each(|item| item.forget_spans(typed)),
            Value::Map(entries) => entries.iter_mut().for_each(|(key, node)| {
                key.span = Span::COMMAND_LINE;
                node.forget_spans(typed);
            }),
            Value::Int(_) | Value::Float(_) => {
                self.value = Value::Text(
                    typed
                        .get(start as usize..end as usize)
                        .unwrap_or_default()
                        .to_owned(),
                );
            }
            _ => {}
        }
    }

    /// Moves all spans, for a tree whose text became part of a longer one.
    pub fn shift(&mut self, by: usize) {
        (self.span, self.defined) = (self.span.moved(by), self.defined.moved(by));
        match &mut self.value {
            Value::List(items) => items.iter_mut().for_each(|item| item.shift(by)),
            Value::Map(entries) => entries.iter_mut().for_each(|(key, node)| {
                key.span = key.span.moved(by);
                node.shift(by);
            }),
            _ => {}
        }
    }

    /// Adds this node's place to a problem.
    pub fn problem(&self, source: &crate::problem::Source, problem: Problem) -> Problem {
        problem.at(source.place(self.span))
    }
}

fn span_of(location: serde_yaml::Location) -> Span {
    let span = location.span();
    let start = span
        .byte_offset()
        .map_or(0, |at| usize::try_from(at).unwrap_or(usize::MAX));
    let length = span
        .byte_len()
        .map_or(0, |length| usize::try_from(length).unwrap_or(0));
    Span::new(start, start + length)
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        let spanned = serde_yaml::Spanned::<Value>::deserialize(deserializer)?;
        let (span, defined) = (span_of(spanned.referenced), span_of(spanned.defined));
        Ok(Node {
            value: spanned.value,
            span,
            defined,
            prefix: None,
            mark: 0,
        })
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        let spanned = serde_yaml::Spanned::<String>::deserialize(deserializer)?;
        Ok(Key {
            span: span_of(spanned.referenced),
            name: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a YAML value")
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        // A number beyond i64 becomes text: no key of a site needs one.
        Ok(i64::try_from(value).map_or_else(|_| Value::Text(value.to_string()), Value::Int))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }
    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::Text(value))
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::List(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Value::Map(entries))
    }
}
