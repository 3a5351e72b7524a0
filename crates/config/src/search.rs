//! `search:` in `content/site.yaml`: the search of the whole site, which needs no server.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use diagnostics::problem::{Code, Problem, Problems, Source};
use diagnostics::yaml::{Node, Spanned, Value};
use schema::types::Localized;

/// The beginning of the keys of the interface messages of the search.
const MESSAGES: &str = "site_search";

/// The greatest weight that the index holds.
const MAX_WEIGHT: f64 = 10.0;

/// The search of the whole site.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct SearchSettings {
    /// A search engine that the form is sent to in browsers without JavaScript, with the query in the parameter `q`:
    /// `https://duckduckgo.com/?sites=example.com`. Without it, such browsers see a list of the pages.
    pub fallback: Option<Spanned<String>>,
    /// How much a word counts, depending on its place in a page, from 0 to 10.
    pub weights: SearchWeights,
    /// Kinds of pages that visitors can narrow a search to, in this order. Other kinds are searched as well.
    pub kinds: Vec<SearchKind>,
    /// Fields of collections that visitors can narrow a search by, in this order.
    pub filters: Vec<SearchFilter>,
}

/// How much a word counts, depending on its place in a page. A word in the text counts 1.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct SearchWeights {
    /// In the main heading.
    pub title: f64,
    /// In the other headings.
    pub headings: f64,
}

impl Default for SearchWeights {
    fn default() -> SearchWeights {
        SearchWeights {
            title: 7.0,
            headings: 4.0,
        }
    }
}

/// A kind of pages.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct SearchKind {
    /// `pages`, `posts`, `style-guide`, or the name of a collection. The style guide is searched only if it
    /// is listed.
    pub name: Spanned<String>,
    /// Its name for visitors; without one, they cannot choose it.
    #[serde(default)]
    pub label: Localized<String>,
    /// How much its pages count compared with others, from 0 to 10. Pages of a kind with 0 aren't searched.
    #[serde(default = "one")]
    pub weight: f64,
}

/// A field of collections that visitors can narrow a search by.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct SearchFilter {
    /// Its name in URLs: `clinic` in `/find/?clinic=Madrid`.
    pub name: Spanned<String>,
    /// Its name for visitors.
    pub label: Localized<String>,
    /// By collection, the field that has the values, or a path of fields: `{team: clinics, treatments: team.clinics}`.
    /// Default: the field `name` of each collection that has one.
    #[serde(default)]
    pub fields: BTreeMap<String, Spanned<String>>,
    /// Labels for values that aren't readable by themselves: `full_time: {en: Full time, es: Jornada completa}`.
    #[serde(default)]
    pub values: BTreeMap<String, Localized<String>>,
}

impl SearchFilter {
    /// The path of fields with the values of a collection.
    pub fn path(&self, collection: &str) -> Option<&Spanned<String>> {
        if self.fields.is_empty() {
            Some(&self.name)
        } else {
            self.fields.get(collection)
        }
    }
}

fn one() -> f64 {
    1.0
}

/// The parameters of the search page that are no filters. Pagefind keeps `kind` as a filter, too.
const PARAMETERS: [&str; 2] = ["kind", "q"];

/// The names of the kinds that every site may have.
pub const KINDS: [&str; 3] = ["pages", "posts", "style-guide"];

impl SearchSettings {
    /// The kind with a name, if it is listed.
    pub fn kind(&self, name: &str) -> Option<&SearchKind> {
        self.kinds.iter().find(|kind| kind.name.value == name)
    }

    /// How much the pages of a kind count; 0 if they are not searched.
    pub fn weight(&self, kind: &str) -> f64 {
        self.kind(kind)
            .map_or(if kind == "style-guide" { 0.0 } else { 1.0 }, |kind| {
                kind.weight
            })
    }

    /// All texts for visitors.
    pub fn labels(&mut self) -> impl Iterator<Item = &mut Localized<String>> {
        let kinds = self.kinds.iter_mut().map(|kind| &mut kind.label);
        let filters = self.filters.iter_mut();
        kinds.chain(filters.flat_map(|filter| {
            std::iter::once(&mut filter.label).chain(filter.values.values_mut())
        }))
    }

    /// The address of [`SearchSettings::fallback`], if it is one of another site.
    pub fn fallback_url(&self) -> Option<Url> {
        let written = &self.fallback.as_ref()?.value;
        let url = Url::parse(written).ok()?;
        let is_name = url
            .host_str()?
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
        let is_written = written
            .chars()
            .all(|c| !c.is_whitespace() && !c.is_control());
        (url.scheme() == "https" && is_name && is_written && url.username().is_empty())
            .then_some(url)
    }

    /// Reports a fallback that has no URL, weights out of range, labels that lack a language, and names that are there twice.
    pub fn check(&self, locales: &[Spanned<String>], source: &Source, problems: &mut Problems) {
        let mut report = |at: Option<&Spanned<String>>, message: String, hint: &str| {
            let problem = Problem::error(Code::InvalidValue, message).hint(hint);
            problems.push(match at {
                Some(at) => problem.at(source.place(at.span)),
                None => problem.at(diagnostics::problem::Place::file(source.path.clone())),
            });
        };
        if let Some(fallback) = self
            .fallback
            .as_ref()
            .filter(|_| self.fallback_url().is_none())
        {
            let message = format!(
                "`{}` is not the URL of a search engine",
                fallback.value.escape_debug()
            );
            report(
                Some(fallback),
                message,
                "write a URL such as `https://duckduckgo.com/?sites=example.com`",
            );
        }
        for (name, weight) in [
            ("title", self.weights.title),
            ("headings", self.weights.headings),
        ] {
            if !(0.0..=MAX_WEIGHT).contains(&weight) {
                let message =
                    format!("`search.weights.{name}` is {weight}, but weights range from 0 to 10");
                report(None, message, "write a number such as `7`");
            }
        }
        let mut seen = BTreeSet::new();
        for kind in &self.kinds {
            if !(0.0..=MAX_WEIGHT).contains(&kind.weight) {
                let message = format!(
                    "the weight of `{}` is {}, but weights range from 0 to 10",
                    *kind.name, kind.weight
                );
                report(Some(&kind.name), message, "write a number such as `0.5`");
            }
            if !seen.insert(kind.name.value.as_str()) {
                report(
                    Some(&kind.name),
                    format!("the kind `{}` is listed twice", *kind.name),
                    "remove one of the two",
                );
            }
            if let Some(locale) = lacking(locales, &kind.label).filter(|_| !kind.label.0.is_empty())
            {
                let message = format!(
                    "the kind `{}` has no label for the locale `{locale}`",
                    *kind.name
                );
                let hint = format!("add `{locale}: …` to the kind's `label`");
                report(Some(&kind.name), message, &hint);
            }
        }
        seen.clear();
        for filter in &self.filters {
            let (name, at) = (filter.name.value.as_str(), Some(&filter.name));
            let is_name = !name.is_empty()
                && name.chars().all(|c| {
                    c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-')
                });
            if !is_name || PARAMETERS.contains(&name) {
                let message = format!("`{}` is not a valid filter name", name.escape_debug());
                report(
                    at,
                    message,
                    "use lowercase letters, digits, `_` and `-`; `q` and `kind` are reserved",
                );
            }
            if !seen.insert(name) {
                report(
                    at,
                    format!("the filter `{name}` is listed twice"),
                    "remove one of the two",
                );
            }
            if let Some(locale) = lacking(locales, &filter.label) {
                report(
                    at,
                    format!("the filter `{name}` has no label for the locale `{locale}`"),
                    &format!("add `{locale}: …` to the filter's `label`"),
                );
            }
            for (value, words) in &filter.values {
                if let Some(locale) = lacking(locales, words) {
                    let message = format!(
                        "the value `{value}` of `{name}` has no label for the locale `{locale}`"
                    );
                    let hint = format!("add `{locale}: …` to the label of `{value}` in `values`");
                    report(at, message, &hint);
                }
            }
        }
    }
}

/// The first language that a text lacks.
fn lacking<'a>(locales: &'a [Spanned<String>], text: &Localized<String>) -> Option<&'a str> {
    locales
        .iter()
        .map(|locale| locale.value.as_str())
        .find(|locale| text.get(locale).is_none())
}

impl super::SiteSettings {
    /// Whether the site shows an interface message of the theme: those of the search only with a search, and
    /// those of the banner only if it asks for consent.
    pub fn asks_for(&self, message: &str) -> bool {
        (self.search.is_some() || !message.starts_with(MESSAGES)) && self.asks_consent(message)
    }
}

/// The settings as they are written: a block, or `true` for the defaults and `false` for no search.
pub fn expanded(node: &Node) -> Node {
    let Value::Map(entries) = &node.value else {
        return node.clone();
    };
    let entries = entries.iter().filter_map(|(key, value)| {
        let is_on = match &value.value {
            Value::Bool(is_on) => Some(*is_on),
            // The command line gives texts.
            Value::Text(text) => text.parse().ok(),
            _ => None,
        };
        match is_on.filter(|_| key.name == "search") {
            Some(false) => None,
            Some(true) => Some((key.clone(), value.with_value(Value::Map(Vec::new())))),
            None => Some((key.clone(), value.clone())),
        }
    });
    node.with_value(Value::Map(entries.collect()))
}

/// The setting as it is written: a block, `true` or `false`.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
#[expect(dead_code, reason = "only its JSON schema is used")]
pub(crate) enum WrittenSearch {
    Block(SearchSettings),
    Switch(Option<bool>),
}
