//! The output of templates: texts, numbers, and objects with a text of their own; nothing for a value that is `none`,
//! such as a field that was left out. The engine prints others as a programmer would write them: `False`, `[]`.

use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Output, State, Value};

/// How many names of a block a hint has.
const NAMED: usize = 3;

/// A value that is no text for visitors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unprintable {
    kind: ValueKind,
    /// Names of values in a block.
    names: Vec<String>,
}

impl std::fmt::Display for Unprintable {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.describe("this value").0)
    }
}

impl std::error::Error for Unprintable {}

impl Unprintable {
    /// The reason why a template cannot print a value, if there is one. Objects that show a text are not for this.
    pub fn of(value: &Value) -> Option<Unprintable> {
        let kind = value.kind();
        let names = match kind {
            ValueKind::Bool | ValueKind::Seq | ValueKind::Iterable => Vec::new(),
            ValueKind::Map => value
                .try_iter()
                .into_iter()
                .flatten()
                .map(|name| name.to_string())
                .take(NAMED)
                .collect(),
            _ => return None,
        };
        Some(Unprintable { kind, names })
    }

    /// Writes a value, unless it is no text for visitors.
    pub fn print(out: &mut Output, state: &mut State, value: &Value) -> Result<(), Error> {
        match Unprintable::of(value) {
            Some(unprintable) => Err(unprintable.into_error()),
            None if value.is_none() => Ok(()),
            None => minijinja::escape_formatter(out, state, value),
        }
    }

    /// The error for the engine, which adds the place.
    fn into_error(self) -> Error {
        Error::new(ErrorKind::InvalidOperation, self.to_string()).with_source(self)
    }

    /// The message and what to write, given the expression as it is written.
    pub fn describe(&self, written: &str) -> (String, String) {
        match self.kind {
            ValueKind::Bool => (
                format!(
                    "`{written}` is true or false, which visitors would read as `True` or `False`"
                ),
                format!(
                    "print text in the page's language: `{{{{ t(\"…\") if {written} else t(\"…\") }}}}`"
                ),
            ),
            ValueKind::Map => {
                let names: Vec<String> = self
                    .names
                    .iter()
                    .map(|name| format!("`{written}.{name}`"))
                    .collect();
                let names = if names.is_empty() {
                    format!("`{written}.…`")
                } else {
                    names.join(", ")
                };
                (
                    format!("`{written}` is a block of values, not text"),
                    format!("print one of them, such as {names}"),
                )
            }
            _ => (
                format!("`{written}` is a list, and would be printed with brackets"),
                format!(
                    "write `{{{{ {written} | join(\", \") }}}}`, or a loop: `{{% for item in {written} %}}`"
                ),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_visitors_cannot_read_is_not_printed() {
        let of =
            |value: Value| Unprintable::of(&value).map(|found| found.describe("entry.doors").0);
        assert_eq!(of(Value::from("a")), None);
        assert_eq!(of(Value::from(1.5)), None);
        assert_eq!(of(Value::from_safe_string("<b>".to_owned())), None);
        assert_eq!(of(Value::from(())), None);
        assert_eq!(of(Value::UNDEFINED), None);
        for (value, expected) in [
            (
                Value::from(false),
                "`entry.doors` is true or false, which visitors would read as `True` or `False`",
            ),
            (
                Value::from(vec!["a"]),
                "`entry.doors` is a list, and would be printed with brackets",
            ),
            (
                Value::from_pairs([("a", 1)]),
                "`entry.doors` is a block of values, not text",
            ),
        ] {
            assert_eq!(of(value).as_deref(), Some(expected));
        }
    }
}
