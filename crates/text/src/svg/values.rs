//! Checks values of attributes and style sheets in a drawing: they may refer to parts of the same drawing, and to nothing
//! else.

use super::lists::{FUNCTIONS, PROPERTIES, STYLE_ONLY};

/// Finds a part of a value that is not allowed: an unknown function, an address, an escape that would hide one.
/// Ids that the value refers to go to `refers`.
pub(super) fn check(value: &str, refers: &mut Vec<String>) -> Result<(), String> {
    if value.contains('\\') {
        return Err("a backslash".into());
    }
    let mut rest = value;
    while let Some(at) = rest.find('(') {
        let name = rest[..at]
            .rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
            .next();
        let name = name.unwrap_or_default().to_ascii_lowercase();
        rest = &rest[at + 1..];
        if name == "url" {
            let (inner, behind) = rest.split_once(')').unwrap_or((rest, ""));
            let address = inner.trim().trim_matches(['"', '\'']).trim();
            let Some(id) = address.strip_prefix('#') else {
                return Err(format!("the URL `{address}`"));
            };
            refers.push(id.to_owned());
            rest = behind;
        // A parenthesis without a name groups: `@media (…)`, `calc((…))`, `d="M…"` has none.
        } else if !name.is_empty() && !FUNCTIONS.contains(&name.as_str()) && !is_condition(&name) {
            return Err(format!("the function `{name}`"));
        }
    }
    Ok(())
}

/// Words before a parenthesis in the condition of `@media`, and selectors.
fn is_condition(name: &str) -> bool {
    matches!(
        name,
        "and" | "or" | "not" | "media" | "is" | "where" | "nth-child" | "nth-of-type" | "lang"
    )
}

/// The declarations of a `style` attribute that are allowed, written again. Properties that are unknown, such as those of
/// drawing programs, are left out; a value of one that would load something is refused all the same, because a file of
/// `static/` is published as its author wrote it.
pub(super) fn declarations(style: &str, refers: &mut Vec<String>) -> Result<String, String> {
    let mut kept: Vec<String> = Vec::new();
    for declaration in style.split(';') {
        let (name, value) = declaration.split_once(':').unwrap_or(("", declaration));
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        if PROPERTIES.contains(&name.as_str()) || STYLE_ONLY.contains(&name.as_str()) {
            check(value, refers)?;
            kept.push(format!("{name}:{value}"));
        } else {
            check(declaration, &mut Vec::new())?;
        }
    }
    Ok(kept.join(";"))
}

/// Checks the text of a `<style>`. It may contain rules, conditions and animations, and refer to nothing outside.
pub(super) fn style_sheet(css: &str, refers: &mut Vec<String>) -> Result<(), String> {
    for (at, _) in css.match_indices('@') {
        let name: String = css[at + 1..]
            .chars()
            .take_while(|c| c.is_ascii_alphabetic() || *c == '-')
            .collect();
        let is_known = ["media", "keyframes", "supports"]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known));
        if !is_known {
            return Err(format!("`@{name}`"));
        }
    }
    // Each id that the style sheet names: more than its selectors, colors among them, which does no harm.
    refers.extend(css.match_indices('#').map(|(at, _)| {
        css[at + 1..]
            .chars()
            .take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'))
            .collect()
    }));
    check(css, refers)
}
