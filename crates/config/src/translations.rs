//! `translations:` in `site.yaml`: how the languages of a site are compared.

use schemars::JsonSchema;
use serde::Deserialize;

use diagnostics::yaml::Spanned;

/// How translations are compared.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TranslationSettings {
    /// The reaction of `sitegen check` to a translation whose counterpart has changed.
    pub stale: StaleTranslations,
    /// How many texts of a language may come from its fallback: titles, descriptions and sections of pages, words and labels.
    pub borrowed: Option<Spanned<usize>>,
    /// The command that writes drafts, for `sitegen translations draft --machine COMMAND`: it reads texts and writes their
    /// translations as lines of JSON. It is only suggested, and runs if the command line repeats it.
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
