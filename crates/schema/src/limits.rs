//! The limits of the values of a field: `min`, `max` and `pattern` in a schema.

use std::cmp::Ordering;

use crate::types::Typed;
use diagnostics::yaml::Spanned;

use super::type_name::TypeName;
use super::{Field, FieldEntry, SchemaReader};

/// The values that a field accepts of those that its type has.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Limits {
    pub min: Option<Bound>,
    pub max: Option<Bound>,
    pub pattern: Option<Pattern>,
}

/// The least or the greatest value: of a text its number of characters.
#[derive(Debug, PartialEq)]
pub struct Bound {
    pub written: String,
    pub value: BoundValue,
}

impl Eq for Bound {}

#[derive(Debug, PartialEq)]
pub enum BoundValue {
    Number(i64),
    Typed(Typed),
}

/// A pattern that a whole text has to match.
#[derive(Debug)]
pub struct Pattern(pub regex::Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

impl Field {
    /// The least and the greatest number, or number of characters.
    pub fn bounds(&self) -> [Option<i64>; 2] {
        [&self.limits.min, &self.limits.max].map(|bound| match bound.as_ref()?.value {
            BoundValue::Number(number) => Some(number),
            BoundValue::Typed(_) => None,
        })
    }

    /// The regular expression that its texts match.
    pub fn pattern(&self) -> Option<&str> {
        let Pattern(regex) = self.limits.pattern.as_ref()?;
        Some(regex.as_str())
    }
}

impl SchemaReader<'_> {
    /// The limits of the values. `None` if one is wrong, which was reported.
    pub fn limits(&mut self, entry: &FieldEntry) -> Option<Limits> {
        let takes = entry.takes.value;
        let mut bound = |key: &str, written: Option<&Spanned<String>>| -> Option<Option<Bound>> {
            let Some(Spanned { value: text, span }) = written else {
                return Some(None);
            };
            if !takes.has_bounds() {
                let hint = format!(
                    "remove `{key}`; only text, numbers, amounts, dates and durations can have it"
                );
                self.report_at(
                    *span,
                    format!("a field of this type cannot have `{key}`"),
                    hint,
                );
                return None;
            }
            let value = match takes.typed() {
                Some(typed) => typed.parse(text, *span).map(BoundValue::Typed),
                None => text
                    .parse()
                    .map(BoundValue::Number)
                    .map_err(|_| format!("`{text}` is not a whole number")),
            };
            match value {
                Ok(value) => Some(Some(Bound {
                    written: text.clone(),
                    value,
                })),
                Err(message) => {
                    let hint = if takes == TypeName::Text {
                        format!("write a number of characters as `{key}`, such as `{key}: 80`")
                    } else {
                        format!("write a value of the field's type as `{key}`")
                    };
                    self.report_at(*span, message, hint);
                    None
                }
            }
        };
        let (min, max) = (
            bound("min", entry.min.as_ref())?,
            bound("max", entry.max.as_ref())?,
        );
        self.possible(entry, min.as_ref(), max.as_ref())?;
        let pattern = match &entry.pattern {
            None => None,
            Some(pattern) if takes != TypeName::Text => {
                self.report_at(
                    pattern.span,
                    "only a text field can have a `pattern`",
                    "remove `pattern`",
                );
                return None;
            }
            Some(Spanned { value, span }) => match regex::Regex::new(&format!("^(?:{value})$")) {
                Ok(regex) => Some(Pattern(regex)),
                Err(error) => {
                    let message = format!(
                        "`{value}` is not a valid regular expression ({})",
                        reason(&error)
                    );
                    self.report_at(*span, message, "correct it, or remove it");
                    return None;
                }
            },
        };
        Some(Limits { min, max, pattern })
    }

    /// Reports limits that no value meets.
    fn possible(
        &mut self,
        entry: &FieldEntry,
        min: Option<&Bound>,
        max: Option<&Bound>,
    ) -> Option<()> {
        let is_text = entry.takes.value == TypeName::Text;
        for (key, bound, written) in [("min", min, &entry.min), ("max", max, &entry.max)] {
            let (
                Some(Bound {
                    value: BoundValue::Number(count),
                    ..
                }),
                Some(written),
            ) = (bound, written)
            else {
                continue;
            };
            let least = i64::from(key == "max");
            if is_text && *count < least {
                let message = format!("the `{key}` of a text field cannot be {count}");
                self.report_at(
                    written.span,
                    message,
                    format!("write {least} or more, or remove `{key}`"),
                );
                return None;
            }
        }
        let (Some(min), Some(max), Some(written)) = (min, max, &entry.max) else {
            return Some(());
        };
        let order = match (&min.value, &max.value) {
            (BoundValue::Number(min), BoundValue::Number(max)) => Some(min.cmp(max)),
            (BoundValue::Typed(min), BoundValue::Typed(max)) => min.compare(max),
            _ => None,
        };
        let message = match order {
            Some(Ordering::Less | Ordering::Equal) => return Some(()),
            Some(Ordering::Greater) => {
                format!(
                    "`max: {}` is less than `min: {}`, so no value is valid",
                    max.written, min.written
                )
            }
            None => format!(
                "`min: {}` and `max: {}` cannot be compared",
                min.written, max.written
            ),
        };
        self.report_at(written.span, message, "correct one of the two");
        None
    }
}

/// Why a pattern is not read: the last line of what the parser says.
fn reason(error: &regex::Error) -> String {
    let words = error.to_string();
    let last = words.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ")
        .trim_end_matches('.')
        .to_lowercase()
}
