//! Finds the macros in the text of a template, with their arguments:
//! `{% macro action(label, link, variant="primary") %}`.

use serde::Serialize;

/// A macro.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Macro {
    /// Its name.
    pub name: String,
    /// Its arguments, in order.
    pub arguments: Vec<Argument>,
}

/// An argument of a macro.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Its default, as written in the template.
    pub default: Option<String>,
    /// Its description.
    pub meaning: String,
}

/// All macros of a template, in order.
pub(super) fn read(text: &str) -> Vec<Macro> {
    let found = text.split("{%").skip(1).filter_map(|rest| {
        let rest = rest
            .trim_start_matches('-')
            .trim_start()
            .strip_prefix("macro ")?;
        let (name, rest) = rest.split_once('(')?;
        let arguments = parts(rest).into_iter().map(|part| {
            let (name, default) = part
                .split_once('=')
                .map_or((part.as_str(), None), |(name, value)| (name, Some(value)));
            Argument {
                name: name.trim().into(),
                default: default.map(|value| value.trim().into()),
                meaning: String::new(),
            }
        });
        Some(Macro {
            name: name.trim().to_owned(),
            arguments: arguments.collect(),
        })
    });
    found.collect()
}

/// Splits a list of arguments at commas, up to the closing parenthesis. Commas and brackets in quotes or nested
/// brackets are text.
fn parts(text: &str) -> Vec<String> {
    let (mut parts, mut part, mut open, mut quote) = (Vec::new(), String::new(), 0, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(end), _) => quote = (c != end).then_some(end),
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => open += 1,
            (None, ')') if open == 0 => break,
            (None, ')' | ']' | '}') => open -= 1,
            (None, ',') if open == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    parts.push(part);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::read;

    fn check(text: &str, expect: &[&str]) {
        let shown = |found: super::Macro| {
            let argument = |argument: &super::Argument| {
                argument
                    .default
                    .as_ref()
                    .map_or(argument.name.clone(), |value| {
                        format!("{}={value}", argument.name)
                    })
            };
            format!(
                "{}: {}",
                found.name,
                found
                    .arguments
                    .iter()
                    .map(argument)
                    .collect::<Vec<_>>()
                    .join(" | ")
            )
        };
        assert_eq!(
            read(text).into_iter().map(shown).collect::<Vec<_>>(),
            expect
        );
    }

    #[test]
    fn arguments_have_names_and_defaults() {
        check(
            r#"{% macro action(label, variant="primary") -%}"#,
            &[r#"action: label | variant="primary""#],
        );
        check(
            "{%- macro anchor(section) -%}x{% endmacro %}{% macro none() %}",
            &["anchor: section", "none: "],
        );
    }

    #[test]
    fn commas_in_quotes_are_text() {
        check(
            r#"{% macro figure(image, sizes="(max-width: 768px) 100vw, 50vw", more=[1, 2]) %}"#,
            &[r#"figure: image | sizes="(max-width: 768px) 100vw, 50vw" | more=[1, 2]"#],
        );
    }
}
