//! Reads the values of declared fields, by serde, as JSON with marked objects.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};

use serde::de::{DeserializeOwned, Visitor};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IgnoredAny, MapAccess, SeqAccess,
    VariantAccess,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::types::{
    Action, Image, Link, MARKDOWN, Markdown, OneOrMore, Reference, TOKEN, TYPED, Token, Typed,
};
use api_types::leads::is_blank;
use diagnostics::marks::without;
use diagnostics::yaml::Spanned;

use super::flag_or_text::FlagOrText;
use super::limits::{Bound, BoundValue, Limits, Pattern};
use super::{Block, Field, Takes};

impl<'de> DeserializeSeed<'de> for &'static Block {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_struct("", &self.names, self)
    }
}

/// Reads a block with one key, as front matter is read key by key; `None` for a key that no field has, which the deserializer
/// has reported.
#[derive(Clone, Copy)]
pub(super) struct OneKey<'a> {
    pub fields: &'static Block,
    /// The values that were read before, by name, with which a date is compared.
    pub before: &'a RefCell<Map<String, Json>>,
}

impl<'de> DeserializeSeed<'de> for OneKey<'_> {
    type Value = Option<Json>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<Json>, D::Error> {
        deserializer.deserialize_struct("", &self.fields.names, self)
    }
}

impl<'de> Visitor<'de> for OneKey<'_> {
    type Value = Option<Json>;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a block of keys")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<Json>, A::Error> {
        let field = map.next_key::<String>()?;
        let Some(field) = field.and_then(|name| self.fields.field(&name)) else {
            return Ok(None);
        };
        let mut before = self.before.borrow_mut();
        let value = self.fields.next_value(&mut map, field, &before)?;
        if self.fields.has_order() {
            before.insert(field.name.to_owned(), value.clone());
        }
        Ok(Some(value))
    }
}

impl<'de> Visitor<'de> for &'static Block {
    type Value = Json;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a block of keys")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut values = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            match self.fields.iter().find(|field| field.name == name) {
                Some(field) => {
                    let value = self.next_value(&mut map, field, &values)?;
                    values.insert(name, value);
                }
                // The deserializer has reported it.
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        for field in &self.fields {
            if !values.contains_key(field.name) {
                let value = field
                    .absent()
                    .ok_or_else(|| A::Error::missing_field(field.name))?;
                values.insert(field.name.to_owned(), value);
            }
        }
        let is_absent = |name: &str| match values.get(name) {
            None | Some(Json::Null) => true,
            Some(Json::Array(items)) => items.is_empty(),
            Some(_) => false,
        };
        for field in &self.fields {
            if let Some(other) = field.required_unless
                && is_absent(field.name)
                && is_absent(other)
            {
                return Err(A::Error::missing_field(field.name));
            }
        }
        Ok(Json::Object(values))
    }
}

impl Block {
    fn has_order(&self) -> bool {
        self.fields.iter().any(|field| field.not_before.is_some())
    }

    fn next_value<'de, A: MapAccess<'de>>(
        &'static self,
        map: &mut A,
        field: &'static Field,
        before: &Map<String, Json>,
    ) -> Result<Json, A::Error> {
        if !self.has_order() {
            return map.next_value_seed(field);
        }
        map.next_value_seed(Ordered {
            field,
            block: self,
            before,
        })
    }
}

/// Reads the value of a field, and compares it with the dates beside it that were read before.
struct Ordered<'a> {
    field: &'static Field,
    block: &'static Block,
    before: &'a Map<String, Json>,
}

impl<'de> DeserializeSeed<'de> for Ordered<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        let value = self.field.deserialize(deserializer)?;
        let Some(date) = typed(&value) else {
            return Ok(value);
        };
        let beside = |name: &str| self.before.get(name).and_then(typed);
        // Either of the two may be written first.
        if let Some(first) = self.field.not_before
            && let Some(other) = beside(first)
            && date.ends_before(&other)
        {
            return Err(D::Error::custom(format!(
                "`{}` is before `{first}` (`{}`)",
                date.machine(),
                other.machine()
            )));
        }
        let later = self
            .block
            .fields
            .iter()
            .filter(|field| field.not_before == Some(self.field.name));
        for field in later {
            if let Some(other) = beside(field.name).filter(|other| other.ends_before(&date)) {
                let message = format!(
                    "`{}` is after `{}` (`{}`)",
                    date.machine(),
                    field.name,
                    other.machine()
                );
                return Err(D::Error::custom(message));
            }
        }
        Ok(value)
    }
}

impl Field {
    fn value<'de, D: Deserializer<'de>>(&'static self, deserializer: D) -> Result<Json, D::Error> {
        if self.map {
            deserializer.deserialize_map(Named(self))
        } else {
            self.of_one_name(deserializer)
        }
    }

    /// Reads one value or a list.
    fn of_one_name<'de, D: Deserializer<'de>>(
        &'static self,
        deserializer: D,
    ) -> Result<Json, D::Error> {
        if self.list {
            deserializer.deserialize_seq(Items(self))
        } else {
            One(self).deserialize(deserializer)
        }
    }
}

impl<'de> DeserializeSeed<'de> for &'static Field {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        match self.absent() {
            Some(absent) => deserializer.deserialize_option(Or {
                seed: WholeField(self),
                absent,
            }),
            None => self.value(deserializer),
        }
    }
}

/// Reads the value of a field: one, or a list.
struct WholeField(&'static Field);

impl<'de> DeserializeSeed<'de> for WholeField {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        self.0.value(deserializer)
    }
}

/// Reads a value, or takes another in place of one that is `null` or was reported.
struct Or<S> {
    seed: S,
    absent: Json,
}

impl<'de, S: DeserializeSeed<'de, Value = Json>> Visitor<'de> for Or<S> {
    type Value = Json;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a value")
    }

    fn visit_none<E>(self) -> Result<Json, E> {
        Ok(self.absent)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        self.seed.deserialize(deserializer)
    }
}

/// Reads a block of names, each with a value or a list.
struct Named(&'static Field);

impl<'de> Visitor<'de> for Named {
    type Value = Json;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a block of names")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        // By name, whatever the order in the file.
        let mut values = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            values.insert(name, map.next_value_seed(OfOneName(self.0))?);
        }
        Ok(values.into_iter().collect())
    }
}

/// Reads the value of one name of a block.
struct OfOneName(&'static Field);

impl<'de> DeserializeSeed<'de> for OfOneName {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        self.0.of_one_name(deserializer)
    }
}

/// Reads a list.
struct Items(&'static Field);

impl<'de> Visitor<'de> for Items {
    type Value = Json;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let (mut items, mut texts) = (Vec::new(), HashSet::new());
        while let Some(item) = list.next_element_seed(Item {
            field: self.0,
            before: &mut texts,
        })? {
            items.push(item);
        }
        // In place of an item that was reported.
        items.retain(|item| !item.is_null());
        Ok(Json::Array(items))
    }
}

/// Reads an item of a list: neither an empty text nor one that the list has already.
struct Item<'a> {
    field: &'static Field,
    /// The texts before it.
    before: &'a mut HashSet<String>,
}

impl<'de> DeserializeSeed<'de> for Item<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        let item = deserializer.deserialize_option(Or {
            seed: One(self.field),
            absent: Json::Null,
        })?;
        if let Some(text) = item.as_str() {
            let text = without(text);
            if is_blank(&text) {
                return Err(D::Error::custom(
                    "this item is empty; write text, or remove it",
                ));
            }
            if self.before.contains(&text) {
                return Err(D::Error::custom(format!(
                    "`{text}` is listed twice; remove one of the two"
                )));
            }
            self.before.insert(text);
        }
        Ok(item)
    }
}

/// Reads one value of a field.
#[derive(Clone, Copy)]
struct One(&'static Field);

impl<'de> DeserializeSeed<'de> for One {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        let value = match &self.0.takes {
            Takes::Text => read_as::<String, D>(deserializer),
            Takes::Markdown => read_as::<Markdown, D>(deserializer),
            Takes::Link => read_as::<Link, D>(deserializer),
            Takes::Number => read_as::<i64, D>(deserializer),
            Takes::Flag => read_as::<bool, D>(deserializer),
            Takes::Picture => read_as::<Image, D>(deserializer),
            Takes::DecorativePicture => {
                let src = Spanned::<String>::deserialize(deserializer)?;
                let image = Image {
                    src,
                    alt: None,
                    decorative: true,
                    focus: None,
                };
                Ok(serde_json::to_value(image).unwrap_or_default())
            }
            Takes::Action => read_as::<Action, D>(deserializer),
            Takes::Choice { names, .. } => {
                let value = deserializer.deserialize_enum("", names, Variant(names))?;
                Ok(value
                    .as_str()
                    .map_or_else(|| value.clone(), |key| self.0.takes.choice(key)))
            }
            Takes::Block(block) => block.deserialize(deserializer),
            Takes::Like(around) => match around.block() {
                Some(block) => block.deserialize(deserializer),
                // A schema that is not kept reads no values.
                None => IgnoredAny::deserialize(deserializer).map(|_| Json::Null),
            },
            Takes::Name => Spanned::<String>::deserialize(deserializer)
                .map(|name| Json::from(without(&name.value))),
            Takes::FlagOrText => deserializer.deserialize_any(FlagOrText),
            Takes::Values => read_as::<OneOrMore, D>(deserializer),
            Takes::Token(group) => {
                let Spanned { value, span } = Spanned::<String>::deserialize(deserializer)?;
                Ok(
                    json!({TOKEN: Token { group: (*group).to_owned(), name: without(&value), span }}),
                )
            }
            Takes::Typed(typed) => {
                let Spanned { value, span } = Spanned::<String>::deserialize(deserializer)?;
                typed
                    .parse(&without(&value), span)
                    .map(|value| marked(&value))
                    .map_err(D::Error::custom)
            }
            Takes::Reference(to) => {
                let Spanned { value, span } = Spanned::<String>::deserialize(deserializer)?;
                Ok(marked(&Typed::Reference(Reference {
                    to: (*to).to_owned(),
                    key: without(&value),
                    span,
                })))
            }
            Takes::Reverse(collection, field) => {
                let message = format!(
                    "`{}` is computed from `{field}` in `{collection}`; remove it here",
                    self.0.name
                );
                Err(D::Error::custom(message))
            }
        }?;
        let problem = if self.0.required && has_blank_text(&value) {
            Some(format!(
                "`{}` is required, but this text is empty",
                self.0.name
            ))
        } else {
            self.0.limits.problem(&value, &self.0.meaning)
        };
        match problem {
            Some(message) => Err(D::Error::custom(message)),
            None => Ok(value),
        }
    }
}

/// Whether a text, or the text of Markdown, has no letters.
fn has_blank_text(value: &Json) -> bool {
    let text = match value {
        Json::String(text) => Some(text.as_str()),
        // A marked object has one key.
        Json::Object(marked) => match marked.get(MARKDOWN) {
            Some(Json::Object(spanned)) => spanned.get("value").and_then(Json::as_str),
            Some(text) => text.as_str(),
            None => None,
        },
        _ => None,
    };
    text.is_some_and(|text| is_blank(&without(text)))
}

/// A value as a marked object.
pub fn marked(value: &Typed) -> Json {
    json!({TYPED: value})
}

/// The value of a marked object.
pub fn typed(value: &Json) -> Option<Typed> {
    serde_json::from_value(value.get(TYPED)?.clone()).ok()
}

impl Limits {
    /// The reason why a value is not accepted.
    fn problem(&self, value: &Json, meaning: &str) -> Option<String> {
        if *self == Limits::default() {
            return None;
        }
        let typed = typed(value);
        let compared = |bound: &Bound| match (&bound.value, value, &typed) {
            (BoundValue::Number(limit), Json::String(text), _) => Some(
                i64::try_from(text.chars().count())
                    .unwrap_or(i64::MAX)
                    .cmp(limit),
            ),
            (BoundValue::Number(limit), Json::Number(number), _) => {
                Some(number.as_i64()?.cmp(limit))
            }
            (BoundValue::Typed(limit), _, Some(value)) => value.compare(limit),
            _ => None,
        };
        let shown = typed
            .as_ref()
            .map_or_else(|| value.to_string(), Typed::machine);
        let is_text = value.is_string();
        let what = |bound: &Bound| {
            if is_text && bound.value == BoundValue::Number(1) {
                "1 character".to_owned()
            } else if is_text {
                format!("{} characters", bound.written)
            } else {
                format!("`{}`", bound.written)
            }
        };
        if let Some(bound) = self
            .min
            .as_ref()
            .filter(|bound| compared(bound) == Some(Ordering::Less))
        {
            return Some(if is_text {
                format!("the text is shorter than {}", what(bound))
            } else {
                format!(
                    "`{shown}` is less than {}, the minimum that the schema allows",
                    what(bound)
                )
            });
        }
        if let Some(bound) = self
            .max
            .as_ref()
            .filter(|bound| compared(bound) == Some(Ordering::Greater))
        {
            return Some(if is_text {
                format!("the text is longer than {}", what(bound))
            } else {
                format!(
                    "`{shown}` is more than {}, the maximum that the schema allows",
                    what(bound)
                )
            });
        }
        for bound in self.min.iter().chain(&self.max) {
            if let (BoundValue::Typed(_), Some(value), None) =
                (&bound.value, &typed, compared(bound))
            {
                let (shown, limit) = (value.machine(), &bound.written);
                return Some(format!(
                    "`{shown}` cannot be compared with `{limit}`, the limit that the schema sets"
                ));
            }
        }
        let Pattern(pattern) = self.pattern.as_ref()?;
        let text = without(value.as_str()?);
        let written = pattern
            .as_str()
            .trim_start_matches("^(?:")
            .trim_end_matches(")$");
        let meaning = meaning.trim().trim_end_matches('.');
        (!pattern.is_match(&text)).then(|| {
            format!("`{text}` does not match the pattern `{written}` in the schema ({meaning})")
        })
    }
}

/// Reads a value of a type of the theme, with its marks for the walk over the fields.
fn read_as<'de, T: DeserializeOwned + Serialize, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Json, D::Error> {
    let value = T::deserialize(deserializer)?;
    // Texts, numbers and marked objects always serialize.
    Ok(serde_json::to_value(value).unwrap_or_default())
}

/// Reads one of several names.
struct Variant(&'static [&'static str]);

impl<'de> Visitor<'de> for Variant {
    type Value = Json;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a name")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Json, A::Error> {
        let (name, variant) = access.variant::<String>()?;
        variant.unit_variant()?;
        if self.0.contains(&name.as_str()) {
            Ok(Json::from(name))
        } else {
            Err(A::Error::unknown_variant(&name, self.0))
        }
    }
}
