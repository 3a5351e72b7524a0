//! The names of types, as a schema writes them.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::types::FieldType;

use super::Scope;

/// The value of `type` in a schema.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TypeName {
    Text,
    Name,
    Markdown,
    Link,
    Number,
    Decimal,
    Amount,
    Flag,
    #[serde(rename = "flag_or_text")]
    FlagOrText,
    Values,
    Choice,
    Date,
    DateTime,
    Moment,
    Duration,
    Hours,
    Coordinates,
    Email,
    Phone,
    Picture,
    File,
    Embed,
    Action,
    Reference,
    Reverse,
    Token,
    Block,
    Like,
}

impl TypeName {
    /// The type of the values that are written as text.
    pub fn typed(self) -> Option<FieldType> {
        Some(match self {
            TypeName::Date => FieldType::Date,
            TypeName::DateTime => FieldType::DateTime,
            TypeName::Moment => FieldType::Moment,
            TypeName::Decimal => FieldType::Decimal,
            TypeName::Amount => FieldType::Amount,
            TypeName::Email => FieldType::Email,
            TypeName::Phone => FieldType::Phone,
            TypeName::File => FieldType::File,
            TypeName::Hours => FieldType::Hours,
            TypeName::Coordinates => FieldType::Coordinates,
            TypeName::Duration => FieldType::Duration,
            TypeName::Embed => FieldType::Embed,
            TypeName::Text
            | TypeName::Name
            | TypeName::Markdown
            | TypeName::Link
            | TypeName::Number
            | TypeName::Flag
            | TypeName::FlagOrText
            | TypeName::Values
            | TypeName::Choice
            | TypeName::Picture
            | TypeName::Action
            | TypeName::Reference
            | TypeName::Reverse
            | TypeName::Token
            | TypeName::Block
            | TypeName::Like => return None,
        })
    }

    /// Whether only sections have fields of the type.
    pub fn is_of_sections(self) -> bool {
        use TypeName::{FlagOrText, Like, Name, Token, Values};
        matches!(self, FlagOrText | Like | Name | Token | Values)
    }

    /// Whether its values have an order, or for a text a length.
    pub fn has_bounds(self) -> bool {
        use TypeName::{Amount, Date, DateTime, Decimal, Duration, Moment, Number, Text};
        matches!(
            self,
            Text | Number | Decimal | Amount | Date | DateTime | Moment | Duration
        )
    }
}

#[cfg(test)]
impl FieldType {
    /// All types.
    pub(crate) fn all() -> impl Iterator<Item = FieldType> {
        let schema = schemars::schema_for!(TypeName).to_value();
        let names: Vec<TypeName> = serde_json::from_value(schema["enum"].clone()).expect("names");
        names.into_iter().filter_map(TypeName::typed)
    }
}

/// The names of the types that fields can have here, as a schema writes them.
pub fn type_names(scope: Scope) -> Vec<String> {
    let schema = schemars::schema_for!(TypeName).to_value();
    let names = schema["enum"].as_array().into_iter().flatten();
    let is_possible = |name: &&Json| match TypeName::deserialize(*name) {
        Ok(TypeName::Reverse) => matches!(scope, Scope::Collection | Scope::Posts),
        Ok(takes) => scope == Scope::Section || !takes.is_of_sections(),
        Err(_) => false,
    };
    names
        .filter(is_possible)
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}
