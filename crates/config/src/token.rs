//! A design token: a name in a group of `content/design.yaml`, with a CSS value.

use diagnostics::problem::Span;

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// `color` of `--color-ink`.
    pub group: String,
    /// `ink` of `--color-ink`.
    pub name: String,
    /// A CSS value.
    pub value: String,
    /// Span of its name in the file.
    pub span: Span,
}

impl Token {
    /// The custom property, e.g. `--color-ink`.
    pub fn property(&self) -> String {
        format!("--{}-{}", self.group, self.name)
    }
}

/// Whether a text can be a part of the name of a custom property.
pub fn is_identifier(name: &str) -> bool {
    name.chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

/// The part of a text that would end a declaration, or begin another rule, when it is written into a style sheet.
pub fn css_problem(value: &str) -> Option<String> {
    let mut open = Vec::new();
    let mut chars = value.chars().peekable();
    if value.trim().is_empty() {
        return Some("no value".to_owned());
    }
    while let Some(c) = chars.next() {
        match c {
            '"' | '\'' => loop {
                match chars.next() {
                    Some(end) if end == c => break,
                    Some('\\' | '\n' | '\r' | '\x0c') | None => {
                        return Some("a string that is not closed".to_owned());
                    }
                    Some(_) => {}
                }
            },
            '(' => open.push(')'),
            '[' => open.push(']'),
            ')' | ']' if open.pop() != Some(c) => return Some(format!("an extra `{c}`")),
            '{' | '}' | ';' | '@' | '<' | '!' | '\\' => return Some(format!("`{c}`")),
            '/' if chars.peek() == Some(&'*') => return Some("a comment".to_owned()),
            _ => {}
        }
    }
    let lower = value.to_ascii_lowercase();
    // Its address may hold brackets and quotes that are no brackets and quotes of CSS.
    if lower.contains("url(") {
        return Some("a URL".to_owned());
    }
    (!open.is_empty()).then(|| {
        format!(
            "a bracket that is not closed (`{}` is missing)",
            open[open.len() - 1]
        )
    })
}
