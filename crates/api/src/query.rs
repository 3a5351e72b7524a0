//! Parses query strings. Unknown parameters are ignored. A known parameter given twice is an error, because clients
//! disagree about which value wins.

use std::str::FromStr;

use serde::de::{DeserializeOwned, IntoDeserializer as _};

use super::{ApiError, ErrorCode, form};

/// The known parameters of a request.
#[derive(Debug)]
pub(super) struct Query {
    values: Vec<(&'static str, String)>,
}

impl Query {
    /// Parses a query. `+` is a space, and a `%` without two hex digits is literal, as in browsers.
    pub fn read(query: &str, known: &[&'static str]) -> Result<Query, ApiError> {
        let mut values: Vec<(&'static str, String)> = Vec::new();
        for field in form::fields(query.as_bytes()) {
            let Some(name) = known.iter().find(|known| **known == field.name) else {
                continue;
            };
            if !field.is_utf8 {
                return Err(bad(name, "is not UTF-8"));
            }
            if values.iter().any(|(other, _)| other == name) {
                return Err(bad(name, "is given twice"));
            }
            values.push((name, field.value.into_owned()));
        }
        Ok(Query { values })
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values
            .iter()
            .find(|(own, _)| *own == name)
            .map(|(_, value)| value.as_str())
    }

    /// Parses a whole number in the inclusive range `(least, most)`.
    pub fn number(
        &self,
        name: &str,
        default: u32,
        (least, most): (u32, u32),
    ) -> Result<u32, ApiError> {
        let Some(text) = self.get(name) else {
            return Ok(default);
        };
        let number = Some(text)
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
            .map(u32::from_str);
        match number {
            Some(Ok(number)) if (least..=most).contains(&number) => Ok(number),
            _ => Err(bad(
                name,
                &format!("must be a whole number from {least} to {most}"),
            )),
        }
    }

    /// Parses a value of an enum. `words` lists the allowed values for the error message.
    pub fn choice<T: DeserializeOwned>(
        &self,
        name: &str,
        words: &str,
    ) -> Result<Option<T>, ApiError> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        let chosen: Result<T, serde::de::value::Error> = T::deserialize(text.into_deserializer());
        chosen
            .map(Some)
            .map_err(|_| bad(name, &format!("must be {words}")))
    }
}

/// The error for an invalid parameter.
pub(super) fn bad(name: &str, why: &str) -> ApiError {
    ApiError::new(ErrorCode::BadParameter, format!("`{name}` {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, expect: Result<Option<&str>, &str>) {
        let read = Query::read(query, &["q", "page"]).map_err(|error| error.to_string());
        let found = read.as_ref().map(|query| query.get("q"));
        assert_eq!(found.map_err(String::as_str), expect, "{query}");
    }

    #[test]
    fn values_are_decoded_as_browsers_encode_them() {
        check("q=a+b%20c%2B", Ok(Some("a b c+")));
        check("q=canci%C3%B3n", Ok(Some("canción")));
        check("%71=x", Ok(Some("x")));
        check("q", Ok(Some("")));
        check("", Ok(None));
        check("q=%zz%", Ok(Some("%zz%")));
    }

    #[test]
    fn an_invalid_parameter_is_named() {
        check("q=%ff", Err("`q` is not UTF-8"));
        check("q=1&q=2", Err("`q` is given twice"));
        check("other=%ff&other=1&q=2", Ok(Some("2")));
    }

    #[test]
    fn numbers_are_whole_and_within_limits() {
        let read = |text: &str| {
            let query = Query::read(&format!("page={text}"), &["page"]).expect("a query");
            query
                .number("page", 1, (1, u32::MAX))
                .map_err(|error| error.to_string())
        };
        assert_eq!(read("7"), Ok(7));
        assert_eq!(read("4294967295"), Ok(u32::MAX));
        for wrong in [
            "",
            "0",
            "-1",
            "+1",
            "1.5",
            "abc",
            "0x1",
            "1e3",
            "４",
            "18446744073709551616",
            "4294967296",
        ] {
            assert_eq!(
                read(wrong),
                Err("`page` must be a whole number from 1 to 4294967295".into()),
                "{wrong}"
            );
        }
    }
}
