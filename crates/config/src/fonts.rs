//! The list `fonts` of `content/design.yaml`: fonts by the names of their npm packages. The build looks into the packages.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use diagnostics::problem::{Code, Problem, Problems, Source};
use diagnostics::yaml::{self, Node, Spanned};

/// The name of the list.
pub const FONTS: &str = "fonts";
/// The group of the tokens that fonts begin.
pub const FONT: &str = "font";
/// The longest name of a package that npm takes.
const MAX_NAME: usize = 214;

/// A font from a package.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Font {
    /// The token of the group `font` that begins with this font, such as `text`.
    pub token: Spanned<String>,
    /// The npm package that holds the font, such as `@fontsource-variable/source-sans-3`.
    pub package: Spanned<String>,
    /// Weights to load, such as 400 and 700; without them 400 and 700, or all of a variable font.
    #[serde(default)]
    pub weights: Vec<Spanned<u16>>,
    /// Loads slanted letters, too.
    pub italic: Option<Spanned<bool>>,
    /// Codes of the languages whose pages load the font; without them, all pages do.
    #[serde(default)]
    pub languages: Vec<Spanned<String>>,
    /// Pages load the file with the letters of their language before anything else.
    #[serde(default)]
    pub preload: bool,
}

impl Font {
    /// Whether slanted letters are loaded, too.
    pub fn has_italic(&self) -> bool {
        self.italic.as_ref().is_some_and(|italic| italic.value)
    }
}

/// Reads the list. A font for a token that is not there, or from what is no package, is reported and left out. `unknown` gives
/// the problem of a token that the group `font` lacks.
pub fn read(
    source: &Arc<Source>,
    node: &Node,
    unknown: impl Fn(&str) -> Option<Problem>,
    problems: &mut Problems,
) -> Vec<Font> {
    let mut fonts: Vec<Font> = yaml::read(source, node, problems).unwrap_or_default();
    fonts.retain(|font| {
        let token = unknown(&font.token).map(|problem| problem.at(source.place(font.token.span)));
        let package = package_problem(&font.package)
            .map(|problem| problem.at(source.place(font.package.span)));
        let is_good = token.is_none() && package.is_none();
        token
            .into_iter()
            .chain(package)
            .for_each(|problem| problems.push(problem));
        is_good
    });
    fonts
}

/// The problem of a text that cannot be the name of an npm package; a path into a package is none.
fn package_problem(name: &str) -> Option<Problem> {
    let is_name = match name.strip_prefix('@') {
        Some(scoped) => scoped
            .split_once('/')
            .is_some_and(|(scope, rest)| is_part(scope) && is_part(rest)),
        None => is_part(name),
    };
    if is_name && name.len() <= MAX_NAME {
        return None;
    }
    let problem = Problem::error(
        Code::InvalidValue,
        format!("`{}` is not a valid package name", name.escape_debug()),
    );
    let parts = name
        .split('/')
        .take(if name.starts_with('@') { 2 } else { 1 })
        .collect::<Vec<_>>()
        .join("/");
    Some(if parts != name && package_problem(&parts).is_none() {
        problem.hint(format!(
            "write `{parts}`, without a path; `weights` and `italic` select its files"
        ))
    } else {
        problem.hint("write the name that the package has on npm, such as `@fontsource/lora`")
    })
}

/// Tells whether a text can be one part of the name of a package.
fn is_part(part: &str) -> bool {
    !part.is_empty()
        && !part.starts_with(['.', '_'])
        && part.chars().all(|c| {
            c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.' | '~')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_a_name_without_a_path() {
        for good in [
            "inter-ui",
            "@fontsource/lora",
            "@fontsource-variable/source-sans-3",
            "a.b_c~1",
        ] {
            assert!(package_problem(good).is_none(), "{good}");
        }
        let hint = |name: &str| {
            package_problem(name)
                .and_then(|problem| problem.hint)
                .expect("a problem with a hint")
        };
        assert!(hint("@fontsource/lora/400.css").contains("write `@fontsource/lora`,"));
        assert!(hint("inter-ui/inter.css").contains("write `inter-ui`,"));
        for bad in [
            "",
            "@",
            "@fontsource",
            "@/lora",
            "../lora",
            "./lora",
            "/lora",
            "Lora",
            "a b",
            "..",
            "@a/..",
            "a\\b",
        ] {
            assert!(hint(bad).contains("that the package has on npm"), "{bad}");
        }
    }
}
