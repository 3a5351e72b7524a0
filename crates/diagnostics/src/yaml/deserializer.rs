//! Deserializes serde types from a [`Node`] tree and collects all errors with their places.
//!
//! All unknown keys of a block are reported, because serde passes a struct's field names before values are read.
//! Suggestions prefer keys that the block does not have yet. A wrong type or a missing key stops serde, so the block is
//! read again with a placeholder in that place.

use std::cell::RefCell;
use std::collections::HashSet;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::value::{SeqDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};

use crate::limits::UNKNOWN_KEYS;
use crate::marks::characters;
use crate::problem::{Code, Problem, Problems, Source, Span, did_you_mean, nearest};

use super::failure::{Failure, FailureKind};
use super::node::{Key, Node, Value};
use super::spanned::{SPANNED, SPANNED_FIELDS};

/// The text in place of one that was reported. It is not blank, so that a check for blank texts does not end the block.
const PLACEHOLDER: &str = "\u{0}";
/// Maximum number of errors reported per block. Each one costs another pass over the block.
const ROUNDS: usize = 100;

/// See [`super::read`]. `taken` are further keys of the outermost block in the file, which are not suggested for
/// misspelled keys.
pub(super) fn read<T: DeserializeOwned>(
    source: &Arc<Source>,
    node: &Node,
    taken: &[&str],
    problems: &mut Problems,
) -> Option<T> {
    read_seed(source, node, taken, PhantomData::<T>, problems)
}

/// See [`super::read_seed`].
pub(super) fn read_seed<T, S>(
    source: &Arc<Source>,
    node: &Node,
    taken: &[&str],
    seed: S,
    problems: &mut Problems,
) -> Option<T>
where
    S: for<'de> DeserializeSeed<'de, Value = T> + Copy,
{
    let context = BlockContext {
        source,
        outermost: node,
        taken,
        problems: RefCell::default(),
        broken: RefCell::default(),
        absent: RefCell::default(),
    };
    let mut value = None;
    for round in 0..ROUNDS {
        let reader = Reader {
            node,
            context: &context,
            broken: false,
            is_spanned: false,
        };
        match seed.deserialize(reader) {
            // A value with placeholders is discarded.
            Ok(read) => {
                value = (round == 0).then_some(read);
                break;
            }
            Err(failure) => {
                if !context.report(failure) {
                    break;
                }
            }
        }
    }
    problems.extend(context.problems.into_inner());
    value
}

/// State shared by the readers of one block. Serde stops at the first failure, so a failed value is reported and
/// recorded here, and the block is read again with a placeholder for it, until there are no further failures.
pub(super) struct BlockContext<'a> {
    pub source: &'a Arc<Source>,
    outermost: &'a Node,
    taken: &'a [&'a str],
    problems: RefCell<Problems>,
    broken: RefCell<HashSet<*const Node>>,
    /// The missing keys, each with its block.
    absent: RefCell<Vec<(*const Node, String)>>,
}

impl BlockContext<'_> {
    /// Reports a failure. Returns whether another pass can find more.
    fn report(&self, failure: Failure) -> bool {
        let Failure { span, node, kind } = failure;
        let place = self.source.place(span.unwrap_or(self.outermost.span));
        let Some(node) = node else { return false };
        match kind {
            FailureKind::AlreadyReported => {}
            FailureKind::Missing {
                key,
                prefix,
                is_reported,
            } => {
                if !is_reported {
                    let (message, hint) = match prefix {
                        None => (
                            format!("the key `{key}` is missing here"),
                            format!("add `{key}: …`"),
                        ),
                        Some(prefix) => (
                            format!("`{prefix}.{key}` is missing"),
                            format!("add `{prefix}.{key}: …` to `{}`", self.source.path),
                        ),
                    };
                    self.push(
                        Problem::error(Code::MissingKey, message)
                            .at(place)
                            .hint(hint),
                    );
                }
                self.absent.borrow_mut().push((node, key));
                return true;
            }
            FailureKind::Report(mut problem) => {
                problem.place.get_or_insert(place);
                let path = self.outermost.path_to(node).unwrap_or_default();
                if path.contains(['.', '[']) {
                    problem.message = format!("`{path}`: {}", problem.message);
                }
                self.push(*problem);
            }
        }
        self.broken.borrow_mut().insert(node) && !std::ptr::eq(node, self.outermost)
    }

    /// Adds a problem unless it is known: each round finds the same unknown keys.
    fn push(&self, problem: Problem) {
        let mut problems = self.problems.borrow_mut();
        if !problems.iter().any(|known| *known == problem) {
            problems.push(problem);
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub node: &'a Node,
    pub context: &'a BlockContext<'a>,
    /// The value was already reported as wrong, so it deserializes to a placeholder of any type.
    broken: bool,
    /// It is the value of a `Spanned`, whose place is known without a mark.
    is_spanned: bool,
}

impl<'a> Reader<'a> {
    /// The failure of a value that is no block of some keys; a hint names the first ones.
    fn no_block(self, fields: &[&str]) -> Failure {
        const NAMED: usize = 3;
        let failure = self.wrong_type("a block of keys");
        let is_written = self.node.span != Span::COMMAND_LINE;
        if !(is_written && matches!(self.node.value, Value::Text(_) | Value::Int(_))) {
            return failure;
        }
        let keys: Vec<String> = fields
            .iter()
            .take(NAMED)
            .map(|key| format!("`{key}: …`"))
            .collect();
        failure.with_hint(format!(
            "write keys below it, each on its own line: {}",
            keys.join(", ")
        ))
    }

    /// The value as text. Numbers keep their notation: `1.50` is text where text is expected.
    pub fn text(self) -> Option<String> {
        match &self.node.value {
            _ if self.broken => Some(PLACEHOLDER.to_owned()),
            Value::Text(text) => Some(text.clone()),
            Value::Int(value) => Some(self.number_text().unwrap_or_else(|| value.to_string())),
            Value::Float(value) => Some(self.number_text().unwrap_or_else(|| value.to_string())),
            _ => None,
        }
    }

    /// The value as text behind its mark, if it has one.
    fn marked_text(self) -> Option<String> {
        let text = self.text()?;
        let has_mark =
            self.node.mark != 0 && !self.is_spanned && !self.broken && !text.trim().is_empty();
        Some(if has_mark {
            characters(self.node.mark) + &text
        } else {
            text
        })
    }

    /// The source text of a number. For an alias, it is the text at the anchor.
    pub fn number_text(self) -> Option<String> {
        let Span { start, end } = self.node.defined;
        self.context
            .source
            .text
            .get(start as usize..end as usize)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    }

    fn done<T>(self, result: Result<T, Failure>) -> Result<T, Failure> {
        result.map_err(|failure| self.placed(failure))
    }

    fn placed(self, failure: Failure) -> Failure {
        if self.broken {
            Failure::already_reported()
        } else {
            failure.at(self.node)
        }
    }

    fn child(self, node: &'a Node) -> Reader<'a> {
        Reader {
            node,
            broken: self.broken
                || self
                    .context
                    .broken
                    .borrow()
                    .contains(&std::ptr::from_ref(node)),
            is_spanned: false,
            ..self
        }
    }

    fn visit_items<'de, V: Visitor<'de>>(
        self,
        items: &'a [Node],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.done(visitor.visit_seq(ItemAccess {
            rest: items.iter(),
            placeholders: 0,
            parent: self,
        }))
    }

    fn visit_entries<'de, V: Visitor<'de>>(
        self,
        entries: impl Iterator<Item = (&'a str, Span, Reader<'a>)>,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.done(visitor.visit_map(EntryAccess {
            rest: map_entries(entries),
            value: None,
        }))
    }

    /// Reports unknown keys. Returns the known keys that they are probably misspellings of.
    fn report_unknown_keys(
        self,
        entries: &[(Key, Node)],
        fields: &[&'static str],
    ) -> Vec<&'static str> {
        let taken: &[&str] = if std::ptr::eq(self.node, self.context.outermost) {
            self.context.taken
        } else {
            &[]
        };
        let free: Vec<&'static str> = fields
            .iter()
            .copied()
            .filter(|field| {
                !entries.iter().any(|(key, _)| key.name == *field) && !taken.contains(field)
            })
            .collect();
        let mut misspelled = Vec::new();
        for (at, key) in entries
            .iter()
            .filter(|(key, _)| !fields.contains(&key.name.as_str()))
            .enumerate()
            .map(|(at, (key, _))| (at, key))
            .take(UNKNOWN_KEYS + 1)
        {
            if at == UNKNOWN_KEYS {
                let message = format!("the block has more than {UNKNOWN_KEYS} unknown keys");
                let problem = Problem::error(Code::UnknownKey, message);
                self.context
                    .push(problem.at(self.context.source.place(key.span)));
                break;
            }
            misspelled.extend(nearest(&key.name, free.iter().copied()));
            let taken = fields.iter().copied().filter(|field| !free.contains(field));
            // In a table, the other column may be that of another language.
            let is_table = self.context.source.path.ends_with(".csv");
            let near_taken = nearest(&key.name, free.iter().copied())
                .is_none()
                .then(|| nearest(&key.name, taken))
                .flatten();
            let hint = near_taken
                .map(|near| {
                    if is_table {
                        format!("correct the name of the column: did you mean `{near}`?")
                    } else {
                        format!("`{near}` is already set; remove one of the two")
                    }
                })
                .or_else(|| did_you_mean(&key.name, free.iter().copied()))
                .or_else(|| did_you_mean(&key.name, fields.iter().copied()));
            let problem = Problem::error(Code::UnknownKey, format!("unknown key `{}`", key.name));
            self.context.push(
                problem
                    .at(self.context.source.place(key.span))
                    .maybe_hint(hint),
            );
        }
        misspelled
    }

    /// The entry of a field that is missing or cannot be read.
    fn placeholder(self, field: &'static str) -> (&'static str, Span, Reader<'a>) {
        (
            field,
            self.node.span,
            Reader {
                broken: true,
                ..self
            },
        )
    }

    /// The entries of a struct, and the keys that are probably misspelled in it.
    fn entries_of_struct(
        self,
        name: &str,
        fields: &'static [&'static str],
    ) -> Result<(std::vec::IntoIter<MapEntry<'a>>, Vec<&'static str>), Failure> {
        if name == SPANNED {
            let [span, value] = SPANNED_FIELDS;
            let rest = vec![
                MapEntry {
                    key: span,
                    span: None,
                    value: EntryValue::Place(self.node.span),
                },
                MapEntry {
                    key: value,
                    span: None,
                    value: EntryValue::Node(Reader {
                        is_spanned: true,
                        ..self
                    }),
                },
            ];
            return Ok((rest.into_iter(), Vec::new()));
        }
        if self.broken {
            return Ok((
                map_entries(fields.iter().map(|field| self.placeholder(field))),
                Vec::new(),
            ));
        }
        let Value::Map(entries) = &self.node.value else {
            return Err(self.no_block(fields));
        };
        let misspelled = self.report_unknown_keys(entries, fields);
        let known = self
            .entries(entries)
            .filter(|(key, ..)| fields.contains(key));
        let absent = self.context.absent.borrow();
        let placeholders = fields
            .iter()
            .copied()
            .filter(|key| {
                absent
                    .iter()
                    .any(|(node, absent)| std::ptr::eq(*node, self.node) && absent == key)
            })
            .map(|field| self.placeholder(field));
        Ok((map_entries(known.chain(placeholders)), misspelled))
    }

    /// A failure in a struct, with what is known of it here.
    fn failure_of_struct(self, name: &str, misspelled: &[&str], failure: Failure) -> Failure {
        if name == SPANNED {
            return failure;
        }
        let mut failure = self.placed(failure);
        if let FailureKind::Missing {
            key,
            prefix,
            is_reported,
        } = &mut failure.kind
            && failure
                .node
                .is_some_and(|node| std::ptr::eq(node, self.node))
        {
            prefix.clone_from(&self.node.prefix);
            *is_reported = misspelled.contains(&key.as_str());
        }
        failure
    }

    fn entries(
        self,
        entries: &'a [(Key, Node)],
    ) -> impl Iterator<Item = (&'a str, Span, Reader<'a>)> {
        entries
            .iter()
            .map(move |(key, node)| (key.name.as_str(), key.span, self.child(node)))
    }
}

macro_rules! scalar {
    ($($method:ident $variant:ident $visit:ident $expected:literal)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
            let value = match &self.node.value {
                _ if self.broken => Some(Default::default()),
                Value::$variant(value) => Some(*value),
                _ => self.typed().and_then(|text| text.parse().ok()),
            };
            match value {
                Some(_) if !self.broken && self.other_base().is_some() => Err(self.not_decimal()),
                Some(value) => self.done(visitor.$visit(value)),
                None => Err(self.wrong_type($expected)),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match &self.node.value {
            _ if self.broken => self.done(visitor.visit_bool(false)),
            Value::Null => self.done(visitor.visit_unit()),
            Value::Bool(value) => self.done(visitor.visit_bool(*value)),
            // A type that accepts any value gets a number as text, with its notation: `1.50` may be a price.
            Value::Int(_) | Value::Float(_) => {
                self.done(visitor.visit_string(self.marked_text().unwrap_or_default()))
            }
            Value::Text(text) => match self.typed().and_then(|text| text.parse().ok()) {
                Some(value) => self.done(visitor.visit_bool(value)),
                None if self.node.mark == 0 => self.done(visitor.visit_str(text)),
                None => self.done(visitor.visit_string(self.marked_text().unwrap_or_default())),
            },
            Value::List(items) => self.visit_items(items, visitor),
            Value::Map(entries) => self.visit_entries(self.entries(entries), visitor),
        }
    }

    scalar! {
        deserialize_bool Bool visit_bool "true or false"
        deserialize_i8 Int visit_i64 "a whole number"
        deserialize_i16 Int visit_i64 "a whole number"
        deserialize_i32 Int visit_i64 "a whole number"
        deserialize_i64 Int visit_i64 "a whole number"
        deserialize_u8 Int visit_i64 "a whole number"
        deserialize_u16 Int visit_i64 "a whole number"
        deserialize_u32 Int visit_i64 "a whole number"
        deserialize_u64 Int visit_i64 "a whole number"
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_f64(visitor)
    }

    #[expect(clippy::cast_precision_loss, reason = "settings are small numbers")]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        let value = match &self.node.value {
            _ if self.broken => Some(0.0),
            Value::Int(value) => Some(*value as f64),
            Value::Float(value) => Some(*value),
            _ => self.typed().and_then(|text| text.parse().ok()),
        };
        match value.filter(|value| value.is_finite()) {
            Some(value) => self.done(visitor.visit_f64(value)),
            None => Err(self.wrong_type("a number")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.marked_text() {
            Some(text) => self.done(visitor.visit_string(text)),
            None => Err(self.wrong_type("text")),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_str(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        Reader {
            is_spanned: true,
            ..self
        }
        .deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        let Span { start, end } = self.node.span;
        match self.node.value {
            _ if self.broken => self.done(visitor.visit_none()),
            // `title:` without a value is an unfinished line; an explicit `null` or `~` is `None`.
            Value::Null if start != end || self.node.span == Span::COMMAND_LINE => {
                self.done(visitor.visit_none())
            }
            Value::Null => Err(self.wrong_type("a value")),
            _ => self.done(visitor.visit_some(self)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.done(visitor.visit_newtype_struct(self))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match &self.node.value {
            _ if self.broken => self.visit_items(&[], visitor),
            Value::List(items) => self.visit_items(items, visitor),
            _ => Err(self.wrong_type("a list")),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        if self.broken {
            return self.done(visitor.visit_seq(ItemAccess {
                rest: [].iter(),
                placeholders: length,
                parent: self,
            }));
        }
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match &self.node.value {
            _ if self.broken => self.visit_entries(std::iter::empty(), visitor),
            Value::Map(entries) => self.visit_entries(self.entries(entries), visitor),
            _ => Err(self.wrong_type("a block of keys")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        // Not generic, so that it is compiled once rather than for each struct.
        let (rest, misspelled) = self.entries_of_struct(name, fields)?;
        let value = visitor.visit_map(EntryAccess { rest, value: None });
        value.map_err(|failure| self.failure_of_struct(name, &misspelled, failure))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        let placeholder = variants
            .first()
            .filter(|_| self.broken)
            .map(|first| (*first).to_owned());
        match placeholder.or_else(|| self.text()) {
            Some(text) => self.done(visitor.visit_enum(text.into_deserializer())),
            None => Err(self.wrong_type("text")),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.node.value {
            _ if self.broken => self.done(visitor.visit_unit()),
            Value::Null => self.done(visitor.visit_unit()),
            _ => Err(self.wrong_type("nothing")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! { i128 u128 bytes byte_buf unit_struct tuple_struct }
}

/// The items of a list, followed by placeholders for a fixed-size tuple.
struct ItemAccess<'a> {
    rest: std::slice::Iter<'a, Node>,
    placeholders: usize,
    parent: Reader<'a>,
}

impl<'de> SeqAccess<'de> for ItemAccess<'_> {
    type Error = Failure;
    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Failure> {
        let node = match self.rest.next() {
            Some(node) => node,
            None if self.placeholders == 0 => return Ok(None),
            None => {
                self.placeholders -= 1;
                self.parent.node
            }
        };
        let reader = self.parent.child(node);
        reader.done(seed.deserialize(reader)).map(Some)
    }
    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len() + self.placeholders)
    }
}

/// An entry of a struct or a map.
struct MapEntry<'a> {
    key: &'a str,
    /// The span of the key in the file.
    span: Option<Span>,
    value: EntryValue<'a>,
}

enum EntryValue<'a> {
    Node(Reader<'a>),
    /// The first field of a `Spanned`.
    Place(Span),
}

fn map_entries<'a>(
    entries: impl Iterator<Item = (&'a str, Span, Reader<'a>)>,
) -> std::vec::IntoIter<MapEntry<'a>> {
    entries
        .map(|(key, span, reader)| MapEntry {
            key,
            span: Some(span),
            value: EntryValue::Node(reader),
        })
        .collect::<Vec<_>>()
        .into_iter()
}

/// The entries of structs and maps. A single type keeps compile time low: each content type is compiled once per access
/// type.
struct EntryAccess<'a> {
    rest: std::vec::IntoIter<MapEntry<'a>>,
    value: Option<EntryValue<'a>>,
}

impl<'de> MapAccess<'de> for EntryAccess<'_> {
    type Error = Failure;
    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Failure> {
        let Some(MapEntry { key, span, value }) = self.rest.next() else {
            return Ok(None);
        };
        self.value = Some(value);
        let name: StrDeserializer<Failure> = key.into_deserializer();
        seed.deserialize(name).map(Some).map_err(|failure| Failure {
            span: failure.span.or(span),
            ..failure
        })
    }
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Failure> {
        match self
            .value
            .take()
            .expect("serde asks for a value only after its key")
        {
            // An error from a type's own `Deserialize` has no place yet; it concerns this value.
            EntryValue::Node(reader) => reader.done(seed.deserialize(reader)),
            EntryValue::Place(Span { start, end }) => {
                seed.deserialize(SeqDeserializer::new([start, end].into_iter()))
            }
        }
    }
}
