//! The failures of values that have another type than was expected, each with what to write.

use crate::problem::{Code, Problem, Span};

use super::deserializer::Reader;
use super::failure::Failure;
use super::node::{Node, Value};
use super::pairs::quoted;

impl<'a> Reader<'a> {
    pub fn wrong_type(self, expected: &str) -> Failure {
        let found = match &self.node.value {
            Value::Text(text) if text.chars().count() <= 40 => format!("the text `{text}`"),
            Value::Bool(value) => format!("`{value}`"),
            Value::Int(_) | Value::Float(_) => {
                format!("the number `{}`", self.text().unwrap_or_default())
            }
            other => other.kind().to_owned(),
        };
        let message = match self.node.value {
            Value::Null => format!("expected {expected}, found no value"),
            _ => format!("expected {expected}, found {found}"),
        };
        let problem = Problem::error(Code::WrongType, message);
        let hint = match (&self.node.value, expected) {
            (Value::Text(text), "true or false")
                if matches!(text.to_lowercase().as_str(), "yes" | "on" | "si" | "sí") =>
            {
                Some("write `true`".to_owned())
            }
            (Value::Text(text), "true or false") if matches!(text.to_lowercase().as_str(), "no" | "off") => {
                Some("write `false`".to_owned())
            }
            (_, "a whole number") if self.without_zeros().is_some() => {
                self.without_zeros().map(|digits| format!("write it without zeros in front: `{digits}`"))
            }
            (Value::Text(text), "a whole number") if text.parse::<f64>().is_ok() => {
                Some(format!("write `{text}` without quotes"))
            }
            (Value::Bool(value), "text") => Some(format!("put it in quotes: \"{value}\"")),
            (Value::Text(_), "a list") if self.typed().is_some() => Some("write a list, such as `[one, two]`".to_owned()),
            (Value::Text(_), "a list") => Some("write each item on its own line, beginning with `- `".to_owned()),
            (Value::List(items), "text") if self.begins_with('[') => Some(match self.only(items) {
                Some(item) => format!("write one value: `{item}`; text that begins with `[` needs quotes"),
                None => "write one value; text that begins with `[` needs quotes".to_owned(),
            }),
            (Value::List(_), "text") => Some("write one value instead of the list".to_owned()),
            (Value::Map(entries), "text") if !entries.is_empty() && entries.iter().all(|(key, _)| is_language(&key.name)) => Some(
                "write one value; only a field with `words: true` in its schema has one for each language".to_owned(),
            ),
            (Value::Map(entries), "text") if entries.len() == 1 && self.begins_with('{') => {
                Some("text that begins with `{` needs quotes".to_owned())
            }
            (Value::Text(_) | Value::Int(_), "a block of keys") if self.node.span != Span::COMMAND_LINE => {
                Some("write `key: value`, each key on its own line".to_owned())
            }
            (Value::Null, _) => Some(match self.comment() {
                Some(comment) => format!("`#` begins a comment; put the text in quotes: {}", quoted(comment)),
                None => "write a value after the colon, or remove the key".to_owned(),
            }),
            (_, "true or false") => Some("write `true` or `false`".to_owned()),
            (_, "a whole number") => Some("write digits only, such as `3`".to_owned()),
            (_, "a number") => Some("write a number, such as `0.5`".to_owned()),
            _ => None,
        };
        Failure::new(problem.maybe_hint(hint)).at(self.node)
    }

    /// The digits of a number that is written with zeros in front, such as `07`.
    fn without_zeros(self) -> Option<&'a str> {
        let Span { start, end } = self.node.span;
        let written = &self.context.source.text;
        let written = written.get(start as usize..end as usize)?.trim();
        let digits = written.strip_prefix('0')?.trim_start_matches('0');
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
    }

    /// The only item of a list, as it is written.
    fn only(self, items: &'a [Node]) -> Option<&'a str> {
        let [item] = items else { return None };
        let Span { start, end } = item.span;
        let is_plain = !matches!(item.value, Value::List(_) | Value::Map(_));
        self.context
            .source
            .text
            .get(start as usize..end as usize)
            .filter(|text| is_plain && !text.trim().is_empty())
    }

    /// Whether the value begins with a bracket: without quotes, `title: {product.name}` is a YAML map.
    fn begins_with(self, bracket: char) -> bool {
        self.context
            .source
            .text
            .get(self.node.span.start as usize..)
            .is_some_and(|text| text.starts_with(bracket))
    }

    /// The comment in place of the value: `title: #1 page`.
    fn comment(self) -> Option<&'a str> {
        let rest = self
            .context
            .source
            .text
            .get(self.node.span.start as usize..)?;
        let line = rest
            .lines()
            .next()?
            .trim_start_matches([':', '-', ' ', '\t']);
        line.starts_with('#').then(|| line.trim_end())
    }

    /// The text of a value from the command line, which may be a number or boolean although it is text.
    pub fn typed(self) -> Option<&'a str> {
        self.node
            .as_text()
            .filter(|_| self.node.span == Span::COMMAND_LINE)
    }

    /// The notation of a whole number that is not the decimal one.
    pub fn other_base(self) -> Option<String> {
        matches!(self.node.value, Value::Int(_))
            .then(|| self.number_text())?
            .filter(|text| has_other_base(text))
    }

    pub fn not_decimal(self) -> Failure {
        let written = self.other_base().unwrap_or_default();
        let Value::Int(value) = &self.node.value else {
            return self.wrong_type("a whole number");
        };
        let message = format!("`{written}` is not a decimal number, and YAML reads it as {value}");
        Failure::new(Problem::error(Code::InvalidValue, message).hint(format!("write `{value}`")))
            .at(self.node)
    }
}

/// Whether a key looks like the code of a language: `en`, `pt-br`.
fn is_language(key: &str) -> bool {
    let mut parts = key.split('-');
    parts
        .next()
        .is_some_and(|part| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_alphabetic()))
        && parts.all(|part| (2..=4).contains(&part.len()))
}

/// Whether a number is written in another base than ten, or with a zero before it, which some programs read as one.
fn has_other_base(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+']);
    digits.len() > 1 && digits.starts_with('0') && !digits.contains(['.', 'e', 'E'])
}
