//! The values in a table of plans: `true`, `false` or text, by the name of the plan.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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
        struct ValueVisitor;
        impl serde::de::Visitor<'_> for ValueVisitor {
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
        deserializer.deserialize_any(ValueVisitor)
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

/// A value for each plan, in file order.
#[derive(Debug, Clone)]
pub struct PlanValues(pub Vec<(String, PlanValue)>);

impl<'de> Deserialize<'de> for PlanValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PlanValues, D::Error> {
        struct InOrder;
        impl<'de> serde::de::Visitor<'de> for InOrder {
            type Value = PlanValues;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a value for each plan")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut access: A) -> Result<PlanValues, A::Error> {
                let mut values = Vec::new();
                while let Some(entry) = access.next_entry()? {
                    values.push(entry);
                }
                Ok(PlanValues(values))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

impl Serialize for PlanValues {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (plan, value) in &self.0 {
            map.serialize_entry(plan, value)?;
        }
        map.end()
    }
}

impl JsonSchema for PlanValues {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PlanValues".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": PlanValue::json_schema(generator) })
    }
}
