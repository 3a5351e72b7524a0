//! Values that are a flag or a text.

use std::fmt;

use serde::de::Visitor;
use serde_json::Value as Json;

/// Reads `true`, `false` or a text.
pub struct FlagOrText;

impl Visitor<'_> for FlagOrText {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("`true`, `false` or text")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::from(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::from(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::from(value))
    }
}
