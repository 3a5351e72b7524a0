//! A value that is written as one or as a list: a text, a number or a flag.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use diagnostics::marks::without;

/// One value, or several.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMore {
    /// A single value.
    One(#[schemars(with = "PlainValue")] String),
    /// Any of these.
    More(Vec<String>),
}

/// A value as it is written: `madrid` or `true`. A number is always accepted in place of a text.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
#[expect(dead_code, reason = "only its JSON schema is used")]
enum PlainValue {
    Text(String),
    Flag(bool),
}

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<OneOrMore, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = OneOrMore;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a value or a list of values")
            }
            fn visit_str<E>(self, text: &str) -> Result<OneOrMore, E> {
                Ok(OneOrMore::One(without(text)))
            }
            fn visit_bool<E>(self, value: bool) -> Result<OneOrMore, E> {
                Ok(OneOrMore::One(value.to_string()))
            }
            fn visit_i64<E>(self, value: i64) -> Result<OneOrMore, E> {
                Ok(OneOrMore::One(value.to_string()))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut list: A,
            ) -> Result<OneOrMore, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element::<String>()? {
                    values.push(without(&value));
                }
                Ok(OneOrMore::More(values))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}
