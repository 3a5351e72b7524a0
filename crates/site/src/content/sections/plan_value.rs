//! A value in a table of plans: `true`, `false` or text.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A value of a plan: included, not included, or an amount.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum PlanValue {
    /// Shown as a check mark or a cross.
    Included(bool),
    /// Text.
    Amount(String),
}

impl<'de> Deserialize<'de> for PlanValue {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<PlanValue, D::Error> {
        struct PlanValueVisitor;
        impl serde::de::Visitor<'_> for PlanValueVisitor {
            type Value = PlanValue;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("`true`, `false` or text")
            }
            fn visit_bool<E>(self, value: bool) -> Result<PlanValue, E> {
                Ok(PlanValue::Included(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<PlanValue, E> {
                Ok(PlanValue::Amount(value.to_string()))
            }
            fn visit_f64<E>(self, value: f64) -> Result<PlanValue, E> {
                Ok(PlanValue::Amount(value.to_string()))
            }
            fn visit_str<E>(self, value: &str) -> Result<PlanValue, E> {
                Ok(PlanValue::Amount(value.to_owned()))
            }
        }
        deserializer.deserialize_any(PlanValueVisitor)
    }
}

impl JsonSchema for PlanValue {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PlanValue".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["boolean", "string"] })
    }
}
