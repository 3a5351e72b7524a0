//! The design tokens in `content/design.yaml`: custom properties by group, and pairs of text and background colors.
//!
//! Shades of a color are listed, not computed: a computed scale does not look even.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use diagnostics::problem::{Code, Problem, Problems, Source, did_you_mean};
use diagnostics::yaml::{self, Key, Node, Spanned, Value};
use workspace::files::FileSet;
use workspace::kinds::Kind;

use super::contrast;
use super::fonts::{self, FONTS, Font};
use super::look::{self, LOOK, Look};
pub use super::token::Token;
use super::token::{css_problem, is_identifier};

/// The colors of covers that are drawn for posts without a picture: background, line and accent, as names of tokens.
pub const COVER_SCHEMES: [[&str; 3]; 5] = [
    ["ink", "paper", "signal"],
    ["signal", "ink", "ink"],
    ["neutral-200", "ink", "growth"],
    ["growth-200", "ink", "ink"],
    ["neutral-700", "paper", "growth"],
];

/// The group of the colors that are other ones where it is dark.
const DARK: &str = "dark";
/// Text and ground of the theme's bands, buttons, panels and messages (`templates/styles/layout.css`).
const BAND_PAIRS: [(&str, &str); 16] = [
    ("ink", "paper"),
    ("ink", "white"),
    ("ink", "signal"),
    ("paper", "ink"),
    ("ink-soft", "paper"),
    ("ink-soft", "white"),
    ("paper-soft", "ink"),
    ("signal-soft", "signal"),
    ("signal", "ink"),
    ("paper", "ink-raised"),
    ("paper-soft", "ink-raised"),
    ("success", "paper"),
    ("success", "white"),
    ("error", "paper"),
    ("error", "white"),
    ("error-on-ink", "ink"),
];

/// The tokens of a site.
#[derive(Debug, Clone, Default)]
pub struct Design {
    /// All tokens, in file order.
    pub tokens: Vec<Token>,
    /// The colors that have another value where it is dark; none in a site that is always light.
    pub dark: Vec<Token>,
    /// The variants of the theme that the site has chosen.
    pub look: Look,
    /// Allowed, then forbidden pairs of text and background; only those whose contrast could be computed.
    pub pairs: Vec<Pair>,
    /// Names of font files to preload, e.g. `instrument-sans-latin-wght-normal`.
    pub preload_fonts: Vec<Spanned<String>>,
    /// Fonts from npm packages, each for a token of the group `font` that there is.
    pub fonts: Vec<Font>,
    /// The file could not be read, which was reported: its tokens are unknown rather than missing.
    pub broken: bool,
    /// The file's text.
    pub source: Option<Arc<Source>>,
}

/// A pair of text and background colors, and its contrast.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Token of the text color.
    pub text: String,
    /// Token of the background color.
    pub ground: String,
    /// Its purpose, or why it is forbidden.
    pub note: Option<String>,
    /// Whether text may use this pair.
    pub allowed: bool,
    /// WCAG 2 contrast ratio.
    pub ratio: f64,
    /// Lightness contrast of APCA.
    pub apca: f64,
}

/// A pair of text and background colors.
#[derive(Deserialize, JsonSchema)]
pub struct DeclaredPair {
    /// The color of the text, a name in `color`.
    text: Spanned<String>,
    /// The color behind it, a name in `color`.
    ground: Spanned<String>,
    /// Its purpose, or why it is forbidden.
    note: Option<String>,
}

/// Reads the file; a site without one has no tokens.
pub fn load(root: &FileSet) -> (Design, Problems) {
    let mut problems = Problems::new();
    let path = root.join(Kind::Design.path());
    if !root.exists(&path) {
        return (Design::default(), problems);
    }
    let read = root
        .read_text(&path)
        .and_then(|source| yaml::parse(&source, 0..source.text.len()).map(|node| (source, node)));
    match read {
        Ok((source, node)) => (design(&source, &node, &mut problems), problems),
        Err(problem) => (
            Design {
                broken: true,
                ..Design::default()
            },
            problem.into(),
        ),
    }
}

fn design(source: &Arc<Source>, node: &Node, problems: &mut Problems) -> Design {
    let mut design = Design {
        source: Some(source.clone()),
        ..Design::default()
    };
    let mut pairs: Vec<(DeclaredPair, bool)> = Vec::new();
    let mut declared = |group, allowed, problems: &mut Problems| {
        let list: Vec<DeclaredPair> = yaml::read(source, group, problems).unwrap_or_default();
        pairs.extend(list.into_iter().map(|pair| (pair, allowed)));
    };
    let Value::Map(groups) = &node.value else {
        let problem = Problem::error(
            Code::WrongType,
            format!("expected groups of tokens, found {}", node.value.kind()),
        );
        problems.push(
            node.problem(source, problem)
                .hint("write `color:` and the colors below it"),
        );
        return design;
    };
    let mut fonts = None;
    for (key, group) in groups {
        match (key.name.as_str(), &group.value) {
            ("contrast", _) => declared(group, true, problems),
            ("forbidden", _) => declared(group, false, problems),
            ("preload_fonts", _) => {
                design.preload_fonts = yaml::read(source, group, problems).unwrap_or_default();
            }
            (FONTS, _) => fonts = Some(group),
            (LOOK, _) => design.look = Look::read(source, group, problems),
            (DARK, Value::Map(tokens)) => {
                design.dark.extend(
                    tokens
                        .iter()
                        .filter_map(|(key, node)| token(source, "color", key, node, problems)),
                );
            }
            (name, _) if !is_identifier(name) => {
                let message = format!("`{}` is not a valid group name", name.escape_debug());
                let problem = Problem::error(Code::InvalidValue, message);
                let problem = problem.at(source.place(key.span));
                problems.push(problem.hint("use letters, digits, `-` and `_`"));
            }
            (name, Value::Map(tokens)) => {
                design.tokens.extend(
                    tokens
                        .iter()
                        .filter_map(|(key, node)| token(source, name, key, node, problems)),
                );
            }
            (name, other) => {
                let problem = Problem::error(
                    Code::WrongType,
                    format!(
                        "expected tokens in the group `{name}`, found {}",
                        other.kind()
                    ),
                );
                problems.push(group.problem(source, problem));
            }
        }
    }
    if let Some(list) = fonts {
        design.fonts = fonts::read(
            source,
            list,
            |token| design.unknown(fonts::FONT, token),
            problems,
        );
    }
    design
        .tokens
        .iter()
        .for_each(|token| look::check_radius(token, source, problems));
    for token in &design.dark {
        if let Some(problem) = design.unknown("color", &token.name) {
            problems.push(problem.at(source.place(token.span)));
        }
    }
    check_dark(&design, &pairs, source, problems);
    for (pair, allowed) in pairs {
        if let Some(pair) = measure(&design, pair, allowed, source, problems) {
            design.pairs.push(pair);
        }
    }
    design
}

/// Reads one token of a group.
fn token(
    source: &Arc<Source>,
    group: &str,
    key: &Key,
    node: &Node,
    problems: &mut Problems,
) -> Option<Token> {
    let value = yaml::read::<String>(source, node, problems)?;
    if group == "color" && !contrast::is_color(&value) {
        let problem = Problem::error(Code::InvalidValue, format!("`{value}` is not a color"));
        problems.push(
            node.problem(source, problem)
                .hint("write a color such as `\"#F0FF64\"`, in quotes"),
        );
    }
    // Both are written into style sheets as they are.
    if !is_identifier(&format!("{group}-{}", key.name)) {
        let message = format!("`{}` is not a valid token name", key.name.escape_debug());
        let problem = Problem::error(Code::InvalidValue, message).at(source.place(key.span));
        problems.push(problem.hint("use letters, digits, `-` and `_`"));
        return None;
    }
    if let Some(part) = css_problem(&value) {
        let message = format!(
            "`{}` is not a single CSS value: it contains {part}",
            value.escape_debug()
        );
        let problem = Problem::error(Code::InvalidValue, message);
        problems.push(
            node.problem(source, problem)
                .hint("write one value, such as `1.5rem`"),
        );
        return None;
    }
    Some(Token {
        group: group.to_owned(),
        name: key.name.clone(),
        value,
        span: key.span,
    })
}

/// Reports pairs of colors that cannot be read where it is dark: those that the site declares, and those of bands, buttons
/// and drawings.
fn check_dark(
    design: &Design,
    pairs: &[(DeclaredPair, bool)],
    source: &Source,
    problems: &mut Problems,
) {
    if design.dark.is_empty() {
        return;
    }
    let declared = pairs.iter().filter(|(_, allowed)| *allowed);
    let declared = declared.map(|(pair, _)| (pair.text.value.as_str(), pair.ground.value.as_str()));
    let all: BTreeSet<(&str, &str)> = declared.chain(BAND_PAIRS.iter().copied()).collect();
    for (text, ground) in all {
        let dark = |name: &str| design.dark.iter().find(|token| token.name == name);
        let value = |name: &str| {
            dark(name).map_or_else(|| design.value("color", name), |token| Some(&token.value))
        };
        let channels = |name: &str| value(name).and_then(contrast::channels);
        let Some(ratio) = channels(text)
            .zip(channels(ground))
            .map(|(text, ground)| contrast::ratio(text, ground))
        else {
            continue;
        };
        // At a color that differs where it is dark; without one, the pair is reported where it is light.
        let Some(token) = dark(text)
            .or_else(|| dark(ground))
            .filter(|_| ratio < contrast::MINIMUM)
        else {
            continue;
        };
        let minimum = contrast::MINIMUM;
        let message = format!(
            "`{text}` on `{ground}` has a contrast of {ratio:.2}:1 in dark mode, but text needs {minimum}:1"
        );
        let problem = Problem::error(Code::LowContrast, message).at(source.place(token.span));
        let of = |name: &str| value(name).and_then(contrast::channels).unwrap_or_default();
        problems.push(problem.hint(format!(
            "under `dark`, {}",
            passing(text, of(text), ground, of(ground))
        )));
    }
}

impl Design {
    /// The value of a token.
    pub fn value(&self, group: &str, name: &str) -> Option<&str> {
        let mut tokens = self.tokens.iter();
        tokens
            .find(|token| token.group == group && token.name == name)
            .map(|token| token.value.as_str())
    }

    /// The tokens of a group, in their order.
    pub fn group<'a>(&'a self, group: &'a str) -> impl Iterator<Item = &'a Token> {
        self.tokens.iter().filter(move |token| token.group == group)
    }

    /// The problem of a reference to an unknown token; `None` if it exists. The caller adds the location.
    pub fn unknown(&self, group: &str, name: &str) -> Option<Problem> {
        let is_known = self.value(group, name).is_some();
        (!is_known && !self.broken).then(|| {
            let message = if group == "color" {
                format!("there is no color `{name}`")
            } else {
                format!("the group `{group}` has no token `{name}`")
            };
            Problem::error(Code::UnknownToken, message).maybe_hint(did_you_mean(
                name,
                self.group(group).map(|token| token.name.as_str()),
            ))
        })
    }
}

/// The nearest colors that pass, of the text or of its ground.
fn passing(text: &str, color: [u8; 3], ground: &str, below: [u8; 3]) -> String {
    let nearest = [
        (text, contrast::nearest(color, below)),
        (ground, contrast::nearest(below, color)),
    ];
    let nearest = nearest
        .into_iter()
        .filter_map(|(name, color)| Some(format!("`{name}: \"{}\"`", contrast::hex(color?))));
    let nearest = nearest.collect::<Vec<_>>();
    format!(
        "{} is the nearest color with enough contrast; other pairs may need a change, too",
        nearest.join(" or ")
    )
}

/// Computes the contrast of a declared pair. An allowed pair must have the minimum contrast, a forbidden one must
/// not: the style guide shows both.
fn measure(
    design: &Design,
    pair: DeclaredPair,
    allowed: bool,
    source: &Source,
    problems: &mut Problems,
) -> Option<Pair> {
    let mut color = |name: &Spanned<String>| {
        let token = design
            .tokens
            .iter()
            .find(|token| token.group == "color" && token.name == name.value);
        let Some(Token { value, span, .. }) = token else {
            if let Some(problem) = design.unknown("color", name) {
                problems.push(problem.at(source.place(name.span)));
            }
            return None;
        };
        let channels = contrast::channels(value);
        // A value that isn't a color was reported, and a color is one mistake, however many pairs have it.
        if channels.is_none() && contrast::is_color(value) {
            let message = format!(
                "`{}` is listed in `contrast` or `forbidden`, but the contrast of `{value}` cannot be computed",
                name.value
            );
            let problem = Problem::error(Code::InvalidValue, message).at(source.place(*span));
            if !problems
                .iter()
                .any(|known| known.place == problem.place && known.message == problem.message)
            {
                problems.push(problem.hint("write a color such as `\"#0E1412\"`"));
            }
        }
        channels
    };
    let (text, ground) = (color(&pair.text), color(&pair.ground));
    let (text, ground) = text.zip(ground)?;
    let (ratio, apca) = (contrast::ratio(text, ground), contrast::apca(text, ground));
    let (minimum, names) = (
        contrast::MINIMUM,
        format!("`{}` on `{}`", pair.text.value, pair.ground.value),
    );
    if allowed && ratio < minimum {
        let message = format!("{names} has a contrast of {ratio:.2}:1, but text needs {minimum}:1");
        let problem = Problem::error(Code::LowContrast, message).at(source.place(pair.text.span));
        problems.push(problem.hint(passing(&pair.text, text, &pair.ground, ground)));
    } else if !allowed && ratio >= minimum {
        let message =
            format!("{names} is forbidden, but its contrast of {ratio:.2}:1 is enough for text");
        let problem = Problem::error(Code::InvalidValue, message).at(source.place(pair.text.span));
        problems.push(problem.hint("move the pair to `contrast`, or remove the pair"));
    }
    Some(Pair {
        text: pair.text.value,
        ground: pair.ground.value,
        note: pair.note,
        allowed,
        ratio,
        apca,
    })
}

#[cfg(test)]
mod tests {
    use cssparser::{ParseError, Parser, Token};
    use proptest::prelude::*;

    use super::*;

    /// The number of values in a style sheet that has one declaration with this value, as CSS reads it; `None` if it has
    /// anything else.
    fn is_one_declaration(value: &str) -> bool {
        let css = format!(":root{{--a-b:{value}}}p{{}}");
        let mut parser = Parser::new(&css);
        let mut blocks = 0;
        let mut others = Vec::new();
        while let Ok(token) = parser.next() {
            let token = token.clone();
            if matches!(token, Token::CurlyBracketBlock) {
                blocks += 1;
                let parsed: Result<(), ParseError<()>> = parser.parse_nested_block(|inner| {
                    while let Ok(token) = inner.next() {
                        if matches!(
                            token,
                            Token::Semicolon
                                | Token::BadString(_)
                                | Token::BadUrl(_)
                                | Token::CurlyBracketBlock
                                | Token::AtKeyword(_)
                        ) {
                            return Err(ParseError::unexpected_token());
                        }
                    }
                    Ok(())
                });
                if parsed.is_err() {
                    return false;
                }
            } else {
                others.push(format!("{token:?}"));
            }
        }
        blocks == 2 && others.len() == 3
    }

    #[test]
    fn a_value_cannot_leave_its_declaration() {
        for bad in [
            "red;} body{color:red",
            "red}",
            "{",
            "@import 'a'",
            "red; --b: c",
            "/* ",
            "\"a",
            "'a\nb'",
            "a)",
            "(a",
            "[",
            "\\",
            "red !important",
            "</style>",
            "url(a b",
            "url(x)",
            "",
            " ",
        ] {
            assert!(css_problem(bad).is_some(), "{bad}");
        }
        for good in [
            "#0E1412",
            "1.5rem",
            "clamp(1rem, 2vw + (1rem * 2), 3rem)",
            "\"Instrument Sans\", 'Noto', sans-serif",
            "0 1px 2px rgb(0 0 0 / 10%)",
            "cubic-bezier(.2, 0, 0, 1)",
            "var(--color-ink)",
            "1 / 2",
            "\"a;b}\"",
            "-1px",
            "50%",
            "U+26",
        ] {
            assert_eq!(css_problem(good), None, "{good}");
            assert!(is_one_declaration(good), "{good}");
        }
    }

    proptest! {
        #[test]
        fn every_accepted_value_is_one_declaration(value in "[a-z0-9 #%.,()\\[\\]{};:@!<>'\"/*\\\\\n-]{0,12}") {
            if css_problem(&value).is_none() {
                prop_assert!(is_one_declaration(&value), "{value:?}");
            }
        }
    }
}
