//! `translations:` in `site.yaml`: how the languages of a site are compared.

use schemars::JsonSchema;
use serde::Deserialize;

use diagnostics::yaml::Spanned;

/// How translations are compared.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TranslationSettings {
    /// How `sitegen check` treats a translation whose counterpart has changed.
    pub stale: StaleTranslations,
    /// The maximum number of texts that a language takes from its fallback: titles, descriptions and sections of pages,
    /// messages and labels.
    pub borrowed: Option<Spanned<usize>>,
    /// The command that writes drafts, for `sitegen translations draft --machine COMMAND`: it reads texts and writes their
    /// translations as lines of JSON. This is only a suggestion: the command runs if the command line repeats it.
    pub machine: Option<Spanned<String>>,
}

/// The reaction of `sitegen check` to a translation whose counterpart has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StaleTranslations {
    /// It warns; with `--strict`, it fails.
    #[default]
    Warn,
    /// Nothing.
    Ignore,
}
