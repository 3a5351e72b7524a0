//! Hashes values for fingerprints by their JSON, in which positions in files are null: a comment or a blank line in a
//! file changes no fingerprint.

use diagnostics::yaml::without_spans;
use serde::Serialize;

use super::{Hash, hash};

/// The hash of a value. A value that has no JSON (a map whose keys are not texts) has the hash of the error.
pub fn hash_value(value: &(impl Serialize + ?Sized)) -> Hash {
    let json = without_spans(|| serde_json::to_vec(value));
    hash(&json.unwrap_or_else(|error| error.to_string().into_bytes()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use diagnostics::problem::Span;
    use diagnostics::yaml::Spanned;
    use serde::ser::{self, Serializer};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_position_in_a_file_is_not_hashed() {
        let at = |start| Spanned {
            value: "a",
            span: Span::new(start, start + 1),
        };
        assert_eq!(hash_value(&at(1)), hash_value(&at(40)));
        assert_ne!(
            hash_value(&at(1)),
            hash_value(&Spanned {
                value: "b",
                ..at(1)
            })
        );
    }

    #[test]
    fn different_values_have_different_hashes() {
        let values = [
            json!(null),
            json!(false),
            json!(0),
            json!(0.0),
            json!(""),
            json!("0"),
            json!([]),
            json!([[]]),
            json!([[], []]),
            json!(["a", "b"]),
            json!(["ab"]),
            json!(["a", ["b"]]),
            json!({}),
            json!({"a": "b"}),
            json!({"a": {"b": null}}),
            json!([null]),
        ];
        for (at, value) in values.iter().enumerate() {
            for (other, another) in values.iter().enumerate() {
                assert_eq!(
                    hash_value(value) == hash_value(another),
                    at == other,
                    "{value} {another}"
                );
            }
        }
    }

    #[test]
    fn a_value_that_cannot_be_serialized_has_the_hash_of_its_error() {
        struct Broken(&'static str);
        impl Serialize for Broken {
            fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                Err(ser::Error::custom(self.0))
            }
        }
        let of = |why| hash_value(&BTreeMap::from([("a", Broken(why))]));
        assert_eq!(of("x"), of("x"));
        assert_ne!(of("x"), of("y"));
    }
}
