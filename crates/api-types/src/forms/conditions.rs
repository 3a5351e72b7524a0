//! The dependencies of a form's field: the answers under which it is shown, and the choices that they offer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::FormField;

/// Any value, in a condition.
pub const ANY: &str = "*";

/// A field, and the values of which it must have one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The name of the field.
    pub field: String,
    /// The values; of a flag `true` or `false`. [`ANY`] stands for every value.
    pub values: Vec<String>,
}

/// The choices that each value of another field offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct ChoicesBy {
    /// The name of the other field, a choice or a reference.
    pub field: String,
    /// The choices by its values. A value without an entry offers none.
    pub choices: BTreeMap<String, Vec<String>>,
}

impl ChoicesBy {
    /// The choices that these values of the other field offer.
    pub fn offered<'a>(&'a self, values: &'a [String]) -> impl Iterator<Item = &'a str> {
        values
            .iter()
            .filter_map(|value| self.choices.get(value))
            .flatten()
            .map(String::as_str)
    }
}

impl FormField {
    /// The names of the fields whose answers decide whether it is shown, and with which choices.
    pub fn depends_on(&self) -> impl Iterator<Item = &str> {
        let conditions = self
            .shown_when
            .iter()
            .map(|condition| condition.field.as_str());
        conditions.chain(self.choices_by.iter().map(|by| by.field.as_str()))
    }

    /// Whether it is shown to a visitor with these answers: `values_of` gives those to a field, of a flag `true` or `false`.
    pub fn is_shown(&self, values_of: impl Fn(&str) -> Vec<String>) -> bool {
        let is_wanted = |condition: &Condition, value: &String| {
            condition.values.contains(value) || condition.values.iter().any(|wanted| wanted == ANY)
        };
        let holds = |condition: &Condition| {
            values_of(&condition.field)
                .iter()
                .any(|value| is_wanted(condition, value))
        };
        let offers = |by: &ChoicesBy| by.offered(&values_of(&by.field)).next().is_some();
        self.shown_when.iter().all(holds) && self.choices_by.iter().all(offers)
    }
}
