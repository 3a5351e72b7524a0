//! The keys of a field in `form.yaml`, as they are written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use api_types::forms::{AnswerType, Condition};
use diagnostics::yaml::Spanned;
use schema::types::OneOrMore;

use super::Look;

/// The keys of a field.
#[derive(Deserialize, JsonSchema)]
pub(super) struct FieldEntry {
    /// The type of its value.
    #[serde(rename = "type")]
    #[schemars(schema_with = "types")]
    pub(super) takes: Spanned<AnswerType>,
    /// The field must have a value while it is shown.
    #[serde(default)]
    pub(super) required: bool,
    /// The field takes several of its choices.
    #[serde(default)]
    pub(super) list: bool,
    /// The number of lines shown for a text of several lines.
    pub(super) lines: Option<Spanned<u32>>,
    /// The smallest number, or the first day; `today` is the day on which the answer is sent.
    pub(super) min: Option<Spanned<String>>,
    /// The largest number, the last day, or the maximum number of files in a list.
    pub(super) max: Option<Spanned<String>>,
    /// The maximum number of characters, or the maximum size of a file: `10 MB`.
    #[schemars(extend("type" = ["integer", "string", "null"]))]
    pub(super) most: Option<Spanned<String>>,
    /// The media types of the files that it accepts: `[image/jpeg, application/pdf]`.
    #[serde(default)]
    pub(super) accept: Vec<Spanned<String>>,
    /// A regular expression that the whole text matches.
    pub(super) pattern: Option<Spanned<String>>,
    /// The values of a choice, in order.
    #[serde(default)]
    pub(super) choices: Vec<Spanned<String>>,
    /// The collection whose entries a reference names.
    pub(super) to: Option<Spanned<String>>,
    /// How browsers fill it in for a person: `name`, `organization`, `postal-code`.
    pub(super) autocomplete: Option<Spanned<String>>,
    /// The choice that is selected at first.
    pub(super) default: Option<Spanned<String>>,
    /// How its choices are shown, instead of in a menu: `buttons`, `cards` or `radios`.
    pub(super) look: Option<Spanned<Look>>,
    /// The icons of its choices, on cards: `{implants: tooth}`.
    #[serde(default)]
    pub(super) icons: BTreeMap<String, Spanned<String>>,
    /// The parameter of the page's URL that fills it in: a link to `/appointment/?treatment=implants` selects a treatment.
    pub(super) from_query: Option<Spanned<String>>,
    /// The field is shown only while another field has a value, or one of several: `{insured: true}`.
    #[serde(default)]
    pub(super) shown_when: BTreeMap<String, OneOrMore>,
    /// The choices for each answer to another field, instead of `choices`: `{place: {roof: [tiles, gutter], wall:
    /// [crack]}}`. For a reference, the field of its entries that names the entry of another reference: `{clinic: clinics}`.
    #[serde(default)]
    pub(super) choices_by: BTreeMap<String, Spanned<Offered>>,
    /// By choice, the fragments of the page's URL that select it: a link to `/repair/#roof`.
    #[serde(default)]
    pub(super) anchors: BTreeMap<String, OneOrMore>,
}

/// The schema of `type`.
fn types(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "string", "enum": AnswerType::ALL })
}

/// The choices that the answer to another field offers.
#[derive(Clone, JsonSchema)]
#[schemars(untagged)]
pub(super) enum Offered {
    /// The field of entries that names the other entry.
    By(String),
    /// The choices for each value, in order.
    Choices(
        #[schemars(with = "BTreeMap<String, Vec<String>>")] Vec<(String, Vec<Spanned<String>>)>,
    ),
}

impl<'de> Deserialize<'de> for Offered {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Offered, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Offered;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str(
                    "a list of choices for each value of the other field, or the name of a field",
                )
            }
            fn visit_str<E>(self, text: &str) -> Result<Offered, E> {
                Ok(Offered::By(text.to_owned()))
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Offered, A::Error> {
                let mut lists = Vec::new();
                while let Some(list) = map.next_entry()? {
                    lists.push(list);
                }
                Ok(Offered::Choices(lists))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// The answers that stand above each later step.
#[derive(Clone, JsonSchema)]
#[schemars(untagged)]
pub(super) enum Summary {
    /// All of them, or none.
    All(bool),
    /// Those to some fields.
    Fields(#[schemars(with = "Vec<String>")] Vec<Spanned<String>>),
}

impl<'de> Deserialize<'de> for Summary {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Summary, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Summary;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("`true`, `false` or a list of fields")
            }
            fn visit_bool<E>(self, value: bool) -> Result<Summary, E> {
                Ok(Summary::All(value))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut list: A,
            ) -> Result<Summary, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = list.next_element()? {
                    names.push(name);
                }
                Ok(Summary::Fields(names))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// The conditions under which a field is shown.
pub(super) fn conditions(written: BTreeMap<String, OneOrMore>) -> Vec<Condition> {
    written
        .into_iter()
        .map(|(field, values)| Condition {
            field,
            values: all_of(values),
        })
        .collect()
}

/// One value, or several, as a list.
pub(super) fn all_of(values: OneOrMore) -> Vec<String> {
    match values {
        OneOrMore::One(value) => vec![value],
        OneOrMore::More(values) => values,
    }
}
