//! The error type of the deserializer, with messages for authors.
//!
//! Serde's messages ("invalid value: integer `70000`, expected u16") name Rust types, which authors do not know.

use serde::de::{self, Expected, Unexpected};

use crate::problem::{Code, Problem, Span, did_you_mean};

use super::node::Node;

/// Why and where a value could not be read.
#[derive(Debug)]
pub(super) struct Failure {
    /// The innermost known span.
    pub span: Option<Span>,
    /// The innermost node that could not be read. The pointer is compared but never dereferenced.
    pub node: Option<*const Node>,
    /// The reason.
    pub kind: FailureKind,
}

#[derive(Debug)]
pub(super) enum FailureKind {
    /// A part of this value was already reported.
    AlreadyReported,
    /// A key is missing; `prefix` is that of its block. `is_reported` means that it is misspelled, which was reported as
    /// an unknown key.
    Missing {
        key: String,
        prefix: Option<Box<str>>,
        is_reported: bool,
    },
    /// A problem that must be reported.
    Report(Box<Problem>),
}

impl Failure {
    pub fn new(problem: Problem) -> Failure {
        Failure {
            span: None,
            node: None,
            kind: FailureKind::Report(Box::new(problem)),
        }
    }

    pub fn already_reported() -> Failure {
        Failure {
            span: None,
            node: None,
            kind: FailureKind::AlreadyReported,
        }
    }

    /// Replaces the hint of a problem.
    pub fn with_hint(mut self, hint: String) -> Failure {
        if let FailureKind::Report(problem) = &mut self.kind {
            problem.hint = Some(hint);
        }
        self
    }

    /// Sets the place, unless a more deeply nested one is known.
    pub fn at(mut self, node: &Node) -> Failure {
        self.span.get_or_insert(node.span);
        self.node.get_or_insert(std::ptr::from_ref(node));
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match &self.kind {
            FailureKind::AlreadyReported => f.write_str("part of this could not be read"),
            FailureKind::Missing { key, .. } => write!(f, "`{key}` is missing"),
            FailureKind::Report(problem) => f.write_str(&problem.message),
        }
    }
}

impl std::error::Error for Failure {}

impl de::Error for Failure {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Failure::new(Problem::error(Code::InvalidValue, message.to_string()))
    }

    fn missing_field(field: &'static str) -> Self {
        Failure {
            span: None,
            node: None,
            kind: FailureKind::Missing {
                key: field.to_owned(),
                prefix: None,
                is_reported: false,
            },
        }
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Failure::new(
            Problem::error(
                Code::InvalidValue,
                format!("`{variant}` is not allowed here"),
            )
            .maybe_hint(did_you_mean(variant, expected.iter().copied())),
        )
    }

    fn invalid_type(unexpected: Unexpected, expected: &dyn Expected) -> Self {
        let message = match unexpected {
            Unexpected::Unit | Unexpected::Option => format!("expected {expected}, found no value"),
            found => format!("expected {expected}, found {}", words(found)),
        };
        Failure::new(Problem::error(Code::WrongType, message))
    }

    fn invalid_value(unexpected: Unexpected, expected: &dyn Expected) -> Self {
        let number = match unexpected {
            Unexpected::Signed(number) => Some(i128::from(number)),
            Unexpected::Unsigned(number) => Some(i128::from(number)),
            _ => None,
        };
        let problem = match (number, largest(&expected.to_string())) {
            (Some(number), Some(largest)) => {
                let why = if number < 0 {
                    "below zero"
                } else {
                    "too large"
                };
                Problem::error(
                    Code::InvalidValue,
                    format!("the number `{number}` is {why}"),
                )
                .hint(format!("write a whole number from 0 to {largest}"))
            }
            _ => Problem::error(
                Code::InvalidValue,
                format!("expected {expected}, found {}", words(unexpected)),
            ),
        };
        Failure::new(problem)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        // Serde's text is "a tuple of size 2".
        let expected = expected.to_string();
        let message = match expected
            .rsplit(' ')
            .next()
            .and_then(|word| word.parse::<usize>().ok())
        {
            Some(wanted) => format!("expected a list with {wanted} items, found {length}"),
            None => format!("expected {expected}, found a list (length {length})"),
        };
        Failure::new(Problem::error(Code::WrongType, message))
    }
}

/// The maximum of an unsigned Rust integer type. Content types have no signed integers.
fn largest(name: &str) -> Option<u64> {
    match name {
        "u8" => Some(u8::MAX.into()),
        "u16" => Some(u16::MAX.into()),
        "u32" => Some(u32::MAX.into()),
        "u64" | "usize" => Some(u64::MAX),
        _ => None,
    }
}

fn words(unexpected: Unexpected) -> String {
    match unexpected {
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Unsigned(number) => format!("the number `{number}`"),
        Unexpected::Signed(number) => format!("the number `{number}`"),
        Unexpected::Float(number) => format!("the number `{number}`"),
        Unexpected::Char(text) => format!("the text `{text}`"),
        Unexpected::Str(text) if text.chars().count() <= 40 => format!("the text `{text}`"),
        Unexpected::Str(_) => "text".into(),
        Unexpected::Unit | Unexpected::Option => "nothing".into(),
        Unexpected::Seq => "a list".into(),
        Unexpected::Map | Unexpected::StructVariant => "a block of keys".into(),
        other => other.to_string(),
    }
}
