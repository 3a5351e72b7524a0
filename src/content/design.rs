//! The design tokens of `content/design.yaml`: custom properties by group, and the pairs of colours that carry text.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use crate::files;
use crate::problem::{Code, Problem, Problems, Source, did_you_mean};
use crate::yaml::{self, Node, Spanned, Value};

/// The tokens of a site.
#[derive(Debug, Clone, Default)]
pub struct Design {
    /// Every token in the order of the file.
    pub tokens: Vec<Token>,
    /// Names of font files to fetch early, e.g. `instrument-sans-latin-wght-normal`.
    pub preload_fonts: Vec<Spanned<String>>,
    /// The file could not be read, which is a problem already: its tokens are unknown rather than missing.
    pub broken: bool,
    /// The file's text.
    pub source: Option<Arc<Source>>,
}

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// `color` of `--color-ink`.
    pub group: String,
    /// `ink` of `--color-ink`.
    pub name: String,
    /// A CSS value.
    pub value: String,
}

impl Token {
    /// The custom property, e.g. `--color-ink`.
    pub fn property(&self) -> String {
        format!("--{}-{}", self.group, self.name)
    }
}

#[derive(Deserialize)]
struct Pair {
    text: Spanned<String>,
    on: Spanned<String>,
}

/// WCAG 2 asks for this contrast of body text, level AA.
const MINIMUM_CONTRAST: f64 = 4.5;

/// Reads the file; a site without one has no tokens.
pub(super) fn load(root: &Path) -> (Design, Problems) {
    let mut problems = Problems::new();
    let path = root.join("content/design.yaml");
    if !path.exists() {
        return (Design::default(), problems);
    }
    let read = files::read_text(root, &path)
        .and_then(|source| yaml::parse(&source, 0..source.text.len()).map(|node| (source, node)));
    match read {
        Ok((source, node)) => (design(&source, &node, &mut problems), problems),
        Err(problem) => (Design { broken: true, ..Design::default() }, problem.into()),
    }
}

fn design(source: &Arc<Source>, node: &Node, problems: &mut Problems) -> Design {
    let mut design = Design { source: Some(source.clone()), ..Design::default() };
    let mut pairs: Vec<Pair> = Vec::new();
    let Value::Map(groups) = &node.value else {
        let problem = Problem::error(Code::WrongType, "groups of tokens were expected");
        problems.push(node.problem(source, problem).hint("write `color:` and the colours below it"));
        return design;
    };
    for (key, group) in groups {
        match (key.name.as_str(), &group.value) {
            ("contrast", _) => pairs = yaml::read(source, group, problems).unwrap_or_default(),
            ("preload_fonts", _) => design.preload_fonts = yaml::read(source, group, problems).unwrap_or_default(),
            (name, Value::Map(tokens)) => {
                for (token, value) in tokens {
                    if let Some(value) = yaml::read::<String>(source, value, problems) {
                        design.tokens.push(Token { group: name.to_owned(), name: token.name.clone(), value });
                    }
                }
            }
            (name, other) => {
                let problem = Problem::error(
                    Code::WrongType,
                    format!("the group `{name}` holds {}, and tokens were expected", other.kind()),
                );
                problems.push(group.problem(source, problem));
            }
        }
    }
    for pair in &pairs {
        check_contrast(&design, pair, source, problems);
    }
    design
}

fn check_contrast(design: &Design, pair: &Pair, source: &Source, problems: &mut Problems) {
    let mut colour = |name: &Spanned<String>| {
        let colours: Vec<&Token> = design.tokens.iter().filter(|token| token.group == "color").collect();
        let Some(token) = colours.iter().find(|token| token.name == name.value) else {
            let problem = Problem::error(Code::UnknownToken, format!("there is no colour `{}`", name.value))
                .at(source.place(name.span))
                .maybe_hint(did_you_mean(name, colours.iter().map(|token| token.name.as_str())));
            problems.push(problem);
            return None;
        };
        let parsed = luminance(&token.value);
        if parsed.is_none() {
            let problem = Problem::error(
                Code::InvalidValue,
                format!("the contrast of `{}` can only be computed for a colour such as #0E1412", token.value),
            );
            problems.push(problem.at(source.place(name.span)));
        }
        parsed
    };
    let (Some(text), Some(on)) = (colour(&pair.text), colour(&pair.on)) else { return };
    let ratio = contrast(text, on);
    if ratio < MINIMUM_CONTRAST {
        let message = format!(
            "`{}` on `{}` has a contrast of {ratio:.2}:1, and text needs {MINIMUM_CONTRAST}:1",
            pair.text.value, pair.on.value
        );
        problems.push(Problem::error(Code::LowContrast, message).at(source.place(pair.text.span)));
    }
}

/// WCAG 2 contrast ratio of two relative luminances.
pub fn contrast(a: f64, b: f64) -> f64 {
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Relative luminance (WCAG 2) of `#RRGGBB`; an alpha channel has no luminance of its own.
pub fn luminance(hex: &str) -> Option<f64> {
    let digits = hex.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let channel = |at: usize| {
        let value = f64::from(u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()?) / 255.0;
        Some(if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) })
    };
    Some(0.2126 * channel(0)? + 0.7152 * channel(2)? + 0.0722 * channel(4)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_on_white_is_21_to_1() {
        let ratio = contrast(luminance("#000000").expect("a colour"), luminance("#FFFFFF").expect("a colour"));
        assert!((ratio - 21.0).abs() < 0.001);
    }

    #[test]
    fn a_colour_with_alpha_has_no_luminance() {
        assert_eq!(luminance("#0E14121F"), None);
    }
}
