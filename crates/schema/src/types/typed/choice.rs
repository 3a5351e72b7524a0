//! A value of a choice that has a name in each language.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A value of a choice with its names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The value, as it is written.
    pub key: String,
    /// Its names by the code of the language.
    pub names: BTreeMap<String, String>,
    /// Its place among the choices of the schema.
    pub place: u32,
}

impl Choice {
    /// Its name in a language; `pt-BR` has that of `pt` if it has none. Otherwise that in the first of the languages that stand
    /// in, then any, then the value.
    pub fn name(&self, code: &str, stand_ins: &[String]) -> &str {
        self.own_name(code)
            .or_else(|| self.names.get(self.lender(code, stand_ins)?))
            .map_or(&self.key, String::as_str)
    }

    /// The code of the language whose name stands in for one in this language.
    pub fn lender<'a>(&'a self, code: &str, stand_ins: &'a [String]) -> Option<&'a str> {
        if self.own_name(code).is_some() {
            return None;
        }
        let named = |code: &&String| self.names.contains_key(*code);
        stand_ins
            .iter()
            .find(named)
            .or_else(|| self.names.keys().next())
            .map(String::as_str)
    }

    fn own_name(&self, code: &str) -> Option<&String> {
        let mut nearest = std::iter::successors(Some(code), |code| {
            code.rsplit_once('-').map(|(rest, _)| rest)
        });
        nearest.find_map(|code| self.names.get(code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_has_the_name_of_the_nearest_language() {
        let names = [("en", "Easy"), ("es", "Fácil")]
            .map(|(code, name)| (code.to_owned(), name.to_owned()));
        let choice = Choice {
            key: "easy".into(),
            names: names.into(),
            place: 0,
        };
        assert_eq!(
            ["es", "es-MX", "fr"].map(|code| choice.name(code, &[])),
            ["Fácil", "Fácil", "Easy"]
        );
        assert_eq!(
            ["es", "es-MX", "fr"].map(|code| choice.lender(code, &[])),
            [None, None, Some("en")]
        );
        let stand_ins = ["ar", "es", "en"].map(ToOwned::to_owned);
        assert_eq!(choice.name("fr", &stand_ins), "Fácil");
        assert_eq!(choice.lender("fr", &stand_ins), Some("es"));
        assert_eq!(
            Choice {
                key: "easy".into(),
                names: BTreeMap::new(),
                place: 0
            }
            .name("en", &[]),
            "easy"
        );
    }
}
