//! `typography` in `content/locales/<code>.yaml`: how a language writes quotes, numbers and dashes. Each key is
//! optional, and what has no key is not checked.

use schemars::JsonSchema;
use serde::Deserialize;

use diagnostics::problem::{Code, Problem, Problems, Source, Span};
use diagnostics::yaml::Spanned;

use schema::types::Customs;

/// How a language writes what keyboards have no keys for.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Typography {
    /// Whether `quotes`, `decimal`, `thousands` and `percent` are those of the language, as CLDR has them, where they are not
    /// set here.
    cldr: bool,
    /// The opening and closing quotes, then those of a quote inside a quote.
    quotes: Option<Spanned<Vec<String>>>,
    /// The character in place of `...`.
    pub ellipsis: Option<String>,
    /// The dash in place of a hyphen between spaces, with the spaces around it, if any.
    pub dash: Option<String>,
    /// The decimal separator.
    pub decimal: Option<Separator>,
    /// The separator between groups of three digits.
    pub thousands: Option<Separator>,
    /// The space between a number and `%`.
    pub percent: Option<Percent>,
    /// The units that a no-break space joins to their number.
    pub units: Vec<String>,
    /// Parts of texts that stay as they are written.
    pub literals: Vec<String>,
}

/// A separator in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Separator {
    /// As in `99.9`, or `1.200.000`.
    #[serde(rename = ".")]
    Period,
    /// As in `99,9`, or `1,200,000`.
    #[serde(rename = ",")]
    Comma,
}

impl Separator {
    /// Its character, and the one that other languages write in its place.
    pub fn and_other(self) -> (char, char) {
        match self {
            Separator::Period => ('.', ','),
            Separator::Comma => (',', '.'),
        }
    }
}

/// The space between a number and `%`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Percent {
    /// Nothing, as in English.
    None,
    /// A no-break space, as in Spanish.
    Space,
}

/// Quotes of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotes<'a> {
    /// Opening and closing quotes.
    pub double: (&'a str, &'a str),
    /// Opening and closing quotes inside others.
    pub single: (&'a str, &'a str),
}

impl Typography {
    /// The quotes, if the site sets them.
    pub fn quotes(&self) -> Option<Quotes<'_>> {
        match self.quotes.as_ref()?.as_slice() {
            [open, close, open_inner, close_inner] => Some(Quotes {
                double: (open, close),
                single: (open_inner, close_inner),
            }),
            _ => None,
        }
    }

    /// With what CLDR has for the language, if the site asks for that. Separators other than `.` and `,` are not checked, nor
    /// is a sign in front of its number.
    pub(super) fn completed(self, customs: &Customs) -> Typography {
        if !self.cldr {
            return self;
        }
        let [decimal, thousands] = [customs.decimal, customs.group].map(|text| match text {
            "." => Some(Separator::Period),
            "," => Some(Separator::Comma),
            _ => None,
        });
        let percent = match customs
            .percent
            .strip_prefix('0')
            .and_then(|rest| rest.strip_suffix('%'))
        {
            Some("") => Some(Percent::None),
            Some(_) => Some(Percent::Space),
            None => None,
        };
        Typography {
            quotes: self.quotes.or_else(|| {
                Some(Spanned {
                    value: customs.quotes(),
                    span: Span::default(),
                })
            }),
            decimal: self.decimal.or(decimal),
            thousands: self.thousands.or(thousands),
            percent: self.percent.or(percent),
            ..self
        }
    }

    /// Whether nothing is checked.
    pub fn is_empty(&self) -> bool {
        let Typography {
            cldr: _,
            quotes,
            ellipsis,
            dash,
            decimal,
            thousands,
            percent,
            units,
            literals: _,
        } = self;
        quotes.is_none()
            && ellipsis.is_none()
            && dash.is_none()
            && decimal.is_none()
            && thousands.is_none()
            && percent.is_none()
            && units.is_empty()
    }

    /// Reports a wrong number of quotes.
    pub(super) fn check(&self, source: &Source, problems: &mut Problems) {
        if let (Some(quotes), None) = (&self.quotes, self.quotes()) {
            let message = format!(
                "expected four quotation marks in `quotes`, found {}",
                quotes.len()
            );
            let problem = Problem::error(Code::InvalidValue, message).at(source.place(quotes.span));
            problems.push(problem.hint("write `[“, ”, ‘, ’]`: the outer pair, then the inner one"));
        }
    }
}
