//! The group `look` of `content/design.yaml`: choices between variants of the theme that are no single value of CSS, and the
//! limits of those tokens that the theme draws with.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use diagnostics::problem::{Code, Problem, Problems, Source};
use diagnostics::yaml::{self, Node, Spanned};

use super::token::Token;

/// The name of the group.
pub const LOOK: &str = "look";
/// How many columns the lines divide if a site says nothing else.
const LINES: u16 = 12;
/// The most lines that a band can have between its columns.
const MAX_LINES: u16 = 24;
/// The largest radius of buttons, fields and pictures, in CSS pixels: more would cut off what they hold.
const MAX_RADIUS: f64 = 24.0;
/// CSS pixels in a `rem`.
const REM: f64 = 16.0;
/// Distances below this number of steps are between parts of one thing, and stay.
const WIDE_STEP: u16 = 4;

/// The variants of the theme that a site has chosen.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Look {
    /// The arrangement of the header.
    pub header: HeaderLook,
    /// How groups of the menu open.
    pub menu: MenuLook,
    /// The arrangement of the footer.
    pub footer: FooterLook,
    /// The distances between parts of a page.
    pub density: Density,
    /// How many columns the lines behind a band divide; `None` for no lines.
    pub lines: Option<u16>,
}

/// The arrangement of the header on wide screens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeaderLook {
    /// Logo, menu and button in a line.
    #[default]
    Bar,
    /// The logo in the middle, above the menu.
    Centered,
    /// The menu beside the logo, the button at the end.
    Start,
}

/// How the groups of the menu open on wide screens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MenuLook {
    /// A list below the label.
    #[default]
    Lists,
    /// Columns over the full width below the header.
    Wide,
}

/// The arrangement of the footer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FooterLook {
    /// Columns of links, on ink.
    #[default]
    Columns,
    /// Columns of links, in the colors of the page.
    Paper,
    /// All links in a few lines, on ink.
    Compact,
}

/// The distances between parts of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Density {
    /// Two thirds of the tokens.
    Compact,
    /// The tokens as they are.
    #[default]
    Normal,
    /// A third more.
    Airy,
}

/// The keys of the group.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DeclaredLook {
    /// The arrangement of the header on wide screens.
    header: HeaderLook,
    /// How groups of the menu open on wide screens.
    menu: MenuLook,
    /// The arrangement of the footer.
    footer: FooterLook,
    /// The distances between parts of a page.
    density: Density,
    /// How many columns the lines behind a band divide, 12 without the key; 0 draws none.
    grid_lines: Option<Spanned<u16>>,
}

impl Default for Look {
    fn default() -> Look {
        Look {
            header: HeaderLook::default(),
            menu: MenuLook::default(),
            footer: FooterLook::default(),
            density: Density::default(),
            lines: Some(LINES),
        }
    }
}

impl Look {
    /// Reads the group. What is wrong in it is reported, and stays as the theme has it.
    pub fn read(source: &Arc<Source>, node: &Node, problems: &mut Problems) -> Look {
        let declared: DeclaredLook = yaml::read(source, node, problems).unwrap_or_default();
        let mut lines = Some(LINES);
        if let Some(count) = declared.grid_lines {
            if count.value > MAX_LINES {
                let message = format!("`grid_lines` cannot be {}", count.value);
                let problem =
                    Problem::error(Code::InvalidValue, message).at(source.place(count.span));
                problems.push(problem.hint(format!(
                    "write a number from 1 to {MAX_LINES}, or 0 for no lines"
                )));
            } else {
                lines = Some(count.value).filter(|count| *count > 0);
            }
        }
        let DeclaredLook {
            header,
            menu,
            footer,
            density,
            ..
        } = declared;
        Look {
            header,
            menu,
            footer,
            density,
            lines,
        }
    }

    /// The value of a token of the group `space`, with the density.
    pub fn spaced(&self, token: &Token) -> String {
        let factor = match self.density {
            Density::Compact => "0.66",
            Density::Normal => return token.value.clone(),
            Density::Airy => "1.33",
        };
        let is_wide = token
            .name
            .parse::<u16>()
            .map_or(token.name == "section", |step| step >= WIDE_STEP);
        if token.group == "space" && is_wide {
            format!("calc({factor}*{})", bracketed(&token.value))
        } else {
            token.value.clone()
        }
    }
}

/// A value as a factor.
fn bracketed(value: &str) -> String {
    if value.contains(' ') && !value.ends_with(')') {
        format!("({value})")
    } else {
        value.to_owned()
    }
}

/// Reports a radius that cuts off what buttons and pictures hold. Other units than `px` and `rem` are not compared.
pub fn check_radius(token: &Token, source: &Source, problems: &mut Problems) {
    if token.group != "radius" || token.name != "control" {
        return;
    }
    let pixels = |unit: &str, factor: f64| {
        token
            .value
            .strip_suffix(unit)?
            .trim()
            .parse::<f64>()
            .ok()
            .map(|n| n * factor)
    };
    let radius = if token.value == "0" {
        Some(0.0)
    } else {
        pixels("px", 1.0).or_else(|| pixels("rem", REM))
    };
    if radius.is_some_and(|radius| !(0.0..=MAX_RADIUS).contains(&radius)) {
        let message = format!(
            "`{}` is not a valid radius for buttons, fields and images",
            token.value
        );
        let problem = Problem::error(Code::InvalidValue, message).at(source.place(token.span));
        problems.push(problem.hint(format!("write a length from `0px` to `{MAX_RADIUS}px`")));
    }
}

#[cfg(test)]
mod tests {
    use diagnostics::problem::Span;

    use super::*;

    fn read(text: &str) -> (Look, Vec<String>) {
        let source = Arc::new(Source::new("design.yaml".to_owned(), text.to_owned()));
        let node = yaml::parse(&source, 0..text.len()).expect("YAML");
        let mut problems = Problems::new();
        let look = Look::read(&source, &node, &mut problems);
        (
            look,
            problems
                .iter()
                .map(|problem| problem.message.clone())
                .collect(),
        )
    }

    fn token(name: &str, value: &str) -> Token {
        let (group, name) = name.split_once('.').expect("a group");
        Token {
            group: group.to_owned(),
            name: name.to_owned(),
            value: value.to_owned(),
            span: Span::new(0, 0),
        }
    }

    #[test]
    fn what_is_not_chosen_is_as_the_theme_has_it() {
        let (look, problems) = read("header: bar\n");
        assert_eq!((look, problems.len()), (Look::default(), 0));
        let (look, problems) = read("menu: wide\ngrid_lines: 0\n");
        assert_eq!(problems, [""; 0]);
        assert_eq!((look.menu, look.lines), (MenuLook::Wide, None));
    }

    #[test]
    fn a_wrong_choice_is_reported_and_changes_nothing() {
        for wrong in [
            "grid_lines: 25\n",
            "grid_lines: -1\n",
            "grid_lines: many\n",
            "menu: huge\n",
            "heeder: bar\n",
        ] {
            let (look, problems) = read(wrong);
            assert_eq!(
                (look, problems.len()),
                (Look::default(), 1),
                "{wrong}: {problems:?}"
            );
        }
    }

    #[test]
    fn density_changes_the_wide_distances() {
        let (look, _) = read("density: compact\n");
        assert_eq!(
            look.spaced(&token("space.section", "clamp(64px, 9vw, 144px)")),
            "calc(0.66*clamp(64px, 9vw, 144px))"
        );
        assert_eq!(look.spaced(&token("space.8", "64px")), "calc(0.66*64px)");
        assert_eq!(
            look.spaced(&token("space.8", "2px + 1vw")),
            "calc(0.66*(2px + 1vw))"
        );
        assert_eq!(look.spaced(&token("space.1", "8px")), "8px");
        assert_eq!(look.spaced(&token("type.8", "64px")), "64px");
    }

    #[test]
    fn a_radius_is_within_its_limits() {
        let problem = |value: &str| {
            let source = Source::new("design.yaml".to_owned(), value.to_owned());
            let mut problems = Problems::new();
            check_radius(&token("radius.control", value), &source, &mut problems);
            problems.iter().count()
        };
        for good in [
            "0",
            "0px",
            "4px",
            "24px",
            "1.5rem",
            "0.25em",
            "var(--space-1)",
            "50%",
        ] {
            assert_eq!(problem(good), 0, "{good}");
        }
        for bad in ["25px", "-1px", "2rem", "999px"] {
            assert_eq!(problem(bad), 1, "{bad}");
        }
    }
}
