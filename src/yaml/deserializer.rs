//! Reads serde types from a [`Node`] tree and collects what is wrong with its place.
//!
//! Unknown keys do not stop the reading: they are collected, all of them, because serde tells a struct's fields before
//! its values are read. A wrong type or a missing key stops the value being read, and no more.

use std::cell::RefCell;
use std::sync::Arc;

use serde::de::value::StringDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize, Serialize};

use crate::problem::{Code, Problem, Problems, Source, Span, did_you_mean, nearest};

use super::node::{Key, Node, Value};

/// A value that remembers its bytes in the file, so that a later station can point at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its bytes in the file.
    pub span: Span,
}

impl<T> std::ops::Deref for Spanned<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl Serialize for Span {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.start, self.end).serialize(serializer)
    }
}

const SPANNED: &str = "$sitegen::Spanned";
/// The second name cannot be written in YAML by accident, so that it can be taken out of paths in messages.
const SPANNED_FIELDS: &[&str] = &["$span", "$value"];

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SpannedVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for SpannedVisitor<T> {
            type Value = Spanned<T>;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a value with its place")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Spanned<T>, A::Error> {
                access.next_key::<&str>()?;
                let (start, end) = access.next_value()?;
                access.next_key::<&str>()?;
                Ok(Spanned { value: access.next_value()?, span: Span { start, end } })
            }
        }
        deserializer.deserialize_struct(SPANNED, SPANNED_FIELDS, SpannedVisitor(std::marker::PhantomData))
    }
}

/// See [`super::read`]. `taken` are keys of the outermost block that stand elsewhere in the file, and so are not what a
/// misspelt one was meant to be.
pub(super) fn read<T: DeserializeOwned>(
    source: &Arc<Source>,
    node: &Node,
    taken: &[&str],
    problems: &mut Problems,
) -> Option<T> {
    let context = Context { source, outermost: node, taken, problems: RefCell::new(Problems::new()) };
    let reader = Reader { node, context: &context };
    let result = serde_path_to_error::deserialize::<_, T>(reader);
    problems.extend(context.problems.into_inner());
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            let path = error.path().to_string().replace(".$value", "");
            let Failure { span, kind } = error.into_inner();
            let span = span.unwrap_or(node.span);
            match kind {
                FailureKind::AlreadyTold => {}
                FailureKind::Missing(key) => problems.push(
                    Problem::error(Code::MissingKey, format!("the key `{key}` is missing here"))
                        .at(source.place(span))
                        .hint(format!("add `{key}: …`")),
                ),
                FailureKind::Told(mut problem) => {
                    if problem.place.is_none() {
                        problem.place = Some(source.place(span));
                    }
                    if path.contains(['.', '[']) {
                        problem.message = format!("`{path}`: {}", problem.message);
                    }
                    problems.push(*problem);
                }
            }
            None
        }
    }
}

struct Context<'a> {
    source: &'a Arc<Source>,
    outermost: &'a Node,
    taken: &'a [&'a str],
    problems: RefCell<Problems>,
}

/// Why a value could not be read, and where.
#[derive(Debug)]
struct Failure {
    span: Option<Span>,
    kind: FailureKind,
}

#[derive(Debug)]
enum FailureKind {
    /// An unknown key of the same block was already told, and it is this key misspelt.
    AlreadyTold,
    Missing(String),
    Told(Box<Problem>),
}

impl Failure {
    fn new(problem: Problem) -> Failure {
        Failure { span: None, kind: FailureKind::Told(Box::new(problem)) }
    }

    fn at(mut self, span: Span) -> Failure {
        self.span.get_or_insert(span);
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match &self.kind {
            FailureKind::AlreadyTold => f.write_str("a key is misspelt"),
            FailureKind::Missing(key) => write!(f, "`{key}` is missing"),
            FailureKind::Told(problem) => f.write_str(&problem.message),
        }
    }
}

impl std::error::Error for Failure {}

impl de::Error for Failure {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Failure::new(Problem::error(Code::InvalidValue, message.to_string()))
    }

    fn missing_field(field: &'static str) -> Self {
        Failure { span: None, kind: FailureKind::Missing(field.to_owned()) }
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Failure::new(
            Problem::error(Code::InvalidValue, format!("`{variant}` is not possible here"))
                .maybe_hint(did_you_mean(variant, expected.iter().copied())),
        )
    }
}

#[derive(Clone, Copy)]
struct Reader<'a> {
    node: &'a Node,
    context: &'a Context<'a>,
}

impl<'a> Reader<'a> {
    fn wrong_type(self, expected: &str) -> Failure {
        let found = match &self.node.value {
            Value::Text(text) if text.chars().count() <= 40 => format!("the text `{text}`"),
            Value::Bool(value) => format!("`{value}`"),
            Value::Int(value) => format!("the number `{value}`"),
            Value::Float(value) => format!("the number `{value}`"),
            other => other.kind().to_owned(),
        };
        let message = match self.node.value {
            Value::Null => format!("{expected} was expected, and there is nothing"),
            _ => format!("{expected} was expected, not {found}"),
        };
        let problem = Problem::error(Code::WrongType, message);
        let hint = match (&self.node.value, expected) {
            (Value::Text(text), "true or false")
                if matches!(text.to_lowercase().as_str(), "yes" | "on" | "si" | "sí") =>
            {
                Some("write `true`".to_owned())
            }
            (Value::Text(text), "true or false") if matches!(text.to_lowercase().as_str(), "no" | "off") => {
                Some("write `false`".to_owned())
            }
            (Value::Text(text), "a whole number") if text.parse::<f64>().is_ok() => {
                Some(format!("write `{text}` without quotes"))
            }
            (Value::Bool(value), "text") => Some(format!("put it in quotes: \"{value}\"")),
            (Value::Text(_), "a list") => Some("write each item on its own line, beginning with `- `".to_owned()),
            (Value::Map(entries), "text") if entries.len() == 1 && self.written_like_placeholder() => {
                Some("a text that begins with `{` needs quotes".to_owned())
            }
            (Value::Null, _) => Some("write a value after the colon, or remove the key".to_owned()),
            _ => None,
        };
        Failure::new(problem.maybe_hint(hint)).at(self.node.span)
    }

    /// `title: {product.name}` without quotes is a map to YAML.
    fn written_like_placeholder(self) -> bool {
        self.context.source.text.get(self.node.span.start as usize..).is_some_and(|text| text.starts_with('{'))
    }

    /// Text as it was written: `2013` and `1.50` are text where text is wanted.
    fn text(self) -> Option<String> {
        match &self.node.value {
            Value::Text(text) => Some(text.clone()),
            Value::Int(value) => Some(self.written().unwrap_or_else(|| value.to_string())),
            Value::Float(value) => Some(self.written().unwrap_or_else(|| value.to_string())),
            _ => None,
        }
    }

    fn written(self) -> Option<String> {
        let Span { start, end } = self.node.span;
        self.context.source.text.get(start as usize..end as usize).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    fn done<T>(self, result: Result<T, Failure>) -> Result<T, Failure> {
        result.map_err(|failure| failure.at(self.node.span))
    }

    fn visit_entries<'de, V: Visitor<'de>>(self, entries: &'a [(Key, Node)], visitor: V) -> Result<V::Value, Failure> {
        self.done(visitor.visit_map(Entries { rest: entries.iter(), value: None, context: self.context }))
    }
}

macro_rules! scalar {
    ($($method:ident $variant:ident $visit:ident $expected:literal)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
            match &self.node.value {
                Value::$variant(value) => self.done(visitor.$visit(*value)),
                _ => Err(self.wrong_type($expected)),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match &self.node.value {
            Value::Null => self.done(visitor.visit_unit()),
            Value::Bool(value) => self.done(visitor.visit_bool(*value)),
            Value::Int(value) => self.done(visitor.visit_i64(*value)),
            Value::Float(value) => self.done(visitor.visit_f64(*value)),
            Value::Text(text) => self.done(visitor.visit_str(text)),
            Value::List(items) => self.done(visitor.visit_seq(Items { rest: items.iter(), context: self.context })),
            Value::Map(entries) => self.visit_entries(entries, visitor),
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
        match &self.node.value {
            Value::Int(value) => self.done(visitor.visit_f64(*value as f64)),
            Value::Float(value) => self.done(visitor.visit_f64(*value)),
            _ => Err(self.wrong_type("a number")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.text() {
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
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.node.value {
            // `title:` with nothing behind it is an unfinished line, not a wish for nothing.
            Value::Null if self.node.span.start != self.node.span.end => self.done(visitor.visit_none()),
            Value::Null => Err(self.wrong_type("a value")),
            _ => self.done(visitor.visit_some(self)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Failure> {
        self.done(visitor.visit_newtype_struct(self))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match &self.node.value {
            Value::List(items) => self.done(visitor.visit_seq(Items { rest: items.iter(), context: self.context })),
            _ => Err(self.wrong_type("a list")),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match &self.node.value {
            Value::Map(entries) => self.visit_entries(entries, visitor),
            _ => Err(self.wrong_type("a block of keys")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        if name == SPANNED {
            return visitor.visit_map(SpannedParts { reader: self, next: 0 });
        }
        let Value::Map(entries) = &self.node.value else {
            return Err(self.wrong_type("a block of keys"));
        };
        let mut misspelt = Vec::new();
        for (key, _) in entries.iter().filter(|(key, _)| !fields.contains(&key.name.as_str())) {
            let taken: &[&str] = if std::ptr::eq(self.node, self.context.outermost) { self.context.taken } else { &[] };
            let is_free = |field: &&str| !entries.iter().any(|(key, _)| key.name == *field) && !taken.contains(field);
            let free: Vec<&str> = fields.iter().copied().filter(is_free).collect();
            misspelt.extend(nearest(&key.name, free.iter().copied()));
            let hint = did_you_mean(&key.name, free.iter().copied())
                .or_else(|| did_you_mean(&key.name, fields.iter().copied()));
            let problem = Problem::error(Code::UnknownKey, format!("unknown key `{}`", key.name))
                .at(self.context.source.place(key.span))
                .maybe_hint(hint);
            self.context.problems.borrow_mut().push(problem);
        }
        let known = entries.iter().filter(|(key, _)| fields.contains(&key.name.as_str()));
        let known: Vec<&(Key, Node)> = known.collect();
        let result = visitor.visit_map(KnownEntries { rest: known.into_iter(), value: None, context: self.context });
        self.done(result.map_err(|failure| match &failure.kind {
            FailureKind::Missing(key) if misspelt.contains(&key.as_str()) => {
                Failure { kind: FailureKind::AlreadyTold, ..failure }
            }
            _ => failure,
        }))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        match self.text() {
            Some(text) => self.done(visitor.visit_enum(text.into_deserializer())),
            None => Err(self.wrong_type("text")),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.node.value {
            Value::Null => self.done(visitor.visit_unit()),
            _ => Err(self.wrong_type("nothing")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! { i128 u128 bytes byte_buf unit_struct tuple_struct }
}

struct SpannedParts<'a> {
    reader: Reader<'a>,
    next: usize,
}

impl<'de> MapAccess<'de> for SpannedParts<'_> {
    type Error = Failure;
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Failure> {
        self.next += 1;
        let name = SPANNED_FIELDS.get(self.next - 1);
        name.map(|name| seed.deserialize(de::value::BorrowedStrDeserializer::new(name))).transpose()
    }
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Failure> {
        if self.next == 1 {
            let Span { start, end } = self.reader.node.span;
            return seed.deserialize(de::value::SeqDeserializer::new([start, end].into_iter()));
        }
        seed.deserialize(self.reader)
    }
}

struct Items<'a> {
    rest: std::slice::Iter<'a, Node>,
    context: &'a Context<'a>,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Failure;
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Failure> {
        self.rest.next().map(|node| seed.deserialize(Reader { node, context: self.context })).transpose()
    }
    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Entries<'a, I> {
    rest: I,
    value: Option<&'a Node>,
    context: &'a Context<'a>,
}

type KnownEntries<'a> = Entries<'a, std::vec::IntoIter<&'a (Key, Node)>>;

impl<'a, 'de, I: Iterator<Item = &'a (Key, Node)>> MapAccess<'de> for Entries<'a, I> {
    type Error = Failure;
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Failure> {
        let Some((key, node)) = self.rest.next() else { return Ok(None) };
        self.value = Some(node);
        let name: StringDeserializer<Failure> = key.name.clone().into_deserializer();
        seed.deserialize(name).map(Some).map_err(|failure| failure.at(key.span))
    }
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Failure> {
        let node = self.value.take().expect("serde asks for a value only after its key");
        // A type's own complaint has no place yet, and it is about this value.
        seed.deserialize(Reader { node, context: self.context }).map_err(|failure| failure.at(node.span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize, Debug, Default, PartialEq)]
    #[serde(default)]
    struct Card {
        title: String,
        years: Vec<u32>,
        open: bool,
        link: Option<Spanned<String>>,
    }

    fn problems(text: &str) -> Vec<String> {
        let source = Arc::new(Source { path: "c.yaml".into(), text: text.into() });
        let mut problems = Problems::new();
        super::super::load::<Card>(&source, &mut problems);
        problems
            .iter()
            .map(|problem| {
                let range = problem.place.as_ref().and_then(|place| place.range).expect("a place");
                let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
                format!(
                    "{}:{} {}: {}{hint}",
                    range.start.line,
                    range.start.column,
                    problem.code.name(),
                    problem.message
                )
            })
            .collect()
    }

    #[test]
    fn all_unknown_keys_are_told_at_once() {
        assert_eq!(
            problems("titel: x\nopen: true\nyaers: [1]\n"),
            [
                "1:1 unknown-key: unknown key `titel` (did you mean `title`?)",
                "3:1 unknown-key: unknown key `yaers` (did you mean `years`?)"
            ]
        );
    }

    #[test]
    fn a_wrong_type_names_its_path() {
        assert_eq!(
            problems("years: [2013, x]\n"),
            ["1:15 wrong-type: `years[1]`: a whole number was expected, not the text `x`"]
        );
    }

    #[test]
    fn yes_is_text_and_the_hint_says_true() {
        assert_eq!(
            problems("open: yes\n"),
            ["1:7 wrong-type: true or false was expected, not the text `yes` (write `true`)"]
        );
    }

    #[test]
    fn a_number_is_text_where_text_is_wanted() {
        let source = Arc::new(Source { path: "c.yaml".into(), text: "title: 2013.50\nlink: 7\n".into() });
        let card: Card = super::super::load(&source, &mut Problems::new()).expect("a card");
        assert_eq!(
            (card.title.as_str(), card.link.map(|link| (link.value, link.span))),
            ("2013.50", Some(("7".into(), Span::new(21, 22))))
        );
    }

    #[test]
    fn an_unclosed_quote_is_named_where_it_opens() {
        assert_eq!(
            problems("title: \"never closed\nopen: true\n"),
            [
                "1:8 unclosed-quote: the text that begins with `\"` here is never closed (add `\"` at the end of the text)"
            ]
        );
    }

    #[test]
    fn a_placeholder_without_quotes_is_explained() {
        assert_eq!(
            problems("title: {product.name}\n"),
            ["1:8 wrong-type: text was expected, not a block of keys (a text that begins with `{` needs quotes)"]
        );
    }

    #[test]
    fn a_tab_is_a_tab() {
        assert_eq!(
            problems("title: x\n\tyears: [1]\n"),
            ["2:1 tab-indent: a tab indents this line, and YAML takes only spaces (replace each tab with two spaces)"]
        );
    }

    #[test]
    fn a_second_key_names_the_first() {
        assert_eq!(
            problems("title: x\nopen: true\ntitle: y\n"),
            [
                "3:1 duplicate-key: the key `title` stands twice in one block (it is already on line 1; remove one of the two)"
            ]
        );
    }
}
