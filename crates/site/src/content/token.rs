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
