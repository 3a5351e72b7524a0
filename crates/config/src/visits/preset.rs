//! The file of a preset: the fields that a site gives, what the service loads and from where, and how it is told of an
//! event.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::filling::Values;

/// A preset: `templates/visits/<name>.yaml`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "VisitsPreset")]
pub struct Preset {
    /// The name of the service for visitors.
    pub title: String,
    /// The page of the service that explains its script, for whoever reads the file.
    pub docs: String,
    /// The values that a site gives, by their names.
    pub fields: BTreeMap<String, FieldRule>,
    /// The address of the script; empty if there is none.
    pub script: String,
    /// Attributes of the element of the script.
    pub attributes: BTreeMap<String, String>,
    /// The hosts that the service uses beside that of the script.
    pub hosts: Hosts,
    /// When a visitor has to agree: `always`, `never`, or a field that makes it necessary.
    pub consent: String,
    /// The purposes of the service.
    pub purposes: Vec<String>,
    /// The keys of Google's Consent Mode that are denied at first and granted when the visitor agrees.
    pub consent_mode: Vec<String>,
    /// Cookies that the service sets, which are removed when the visitor withdraws. `*` is any text.
    pub cookies: Vec<String>,
    /// The calls before the script is loaded.
    pub start: Vec<Call>,
    /// The call after a lead was stored.
    pub lead: Option<Call>,
    /// The call after a search without results.
    pub search: Option<Call>,
}

/// A value that a site gives.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "VisitsField")]
pub struct FieldRule {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: VisitsFieldType,
    /// The explanation, for whoever reads the file.
    pub meaning: String,
    /// A value as a hint shows it.
    pub example: String,
    /// The value without one of the site; may use other fields.
    pub default: Option<String>,
    /// The beginning that each value has.
    pub begins: String,
}

/// The type of a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VisitsFieldType {
    /// Any text of one line.
    #[default]
    Text,
    /// Letters, digits, hyphens, underscores and periods.
    Id,
    /// Scheme and host.
    Host,
    /// A list of hosts.
    Hosts,
    /// `true` or `false`.
    YesNo,
}

/// Hosts by the directive of the policy.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "VisitsHosts")]
pub struct Hosts {
    /// Scripts.
    pub script: Vec<String>,
    /// Requests of scripts.
    pub connect: Vec<String>,
    /// Pictures, with which some services count.
    pub img: Vec<String>,
    /// Frames.
    pub frame: Vec<String>,
}

impl Hosts {
    fn lists(&mut self) -> [&mut Vec<String>; 4] {
        [
            &mut self.script,
            &mut self.connect,
            &mut self.img,
            &mut self.frame,
        ]
    }

    /// All hosts, those of several directives repeated.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        [&self.script, &self.connect, &self.img, &self.frame]
            .into_iter()
            .flatten()
    }

    /// The hosts with the values of a site, or the name of a field without one.
    pub(super) fn filled(&self, values: &Values) -> Result<Hosts, String> {
        let mut hosts = self.clone();
        for list in hosts.lists() {
            let filled: Result<Vec<String>, String> =
                list.iter().map(|host| values.fill(host)).collect();
            // A field with several hosts fills in all of them.
            *list = filled?
                .iter()
                .flat_map(|text| text.split_whitespace())
                .map(str::to_owned)
                .collect();
        }
        Ok(hosts)
    }

    /// Removes what is listed twice.
    pub fn unify(&mut self) {
        for list in self.lists() {
            let mut seen = std::collections::BTreeSet::new();
            list.retain(|host| seen.insert(host.clone()));
        }
    }
}

/// A call of the service. One of the four names is set.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "VisitsCall")]
pub struct Call {
    /// A global function: `umami.track`.
    pub call: Option<String>,
    /// A global list to which each of the values is added: `_paq`.
    pub push: Option<String>,
    /// A global list to which the values are added as Google's `gtag` does.
    pub gtag: Option<String>,
    /// A parameter of a request for the page itself, which the access log has.
    pub head: Option<String>,
    /// The values. `{name}` is that of a field, or `{form}`, `{query}`, `{date}` and `{time}` as the event has them.
    pub with: Vec<serde_json::Value>,
    /// A field that has to be `true`.
    pub when: Option<String>,
    /// A field that has to be `false`.
    pub unless: Option<String>,
}

impl Call {
    fn named(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let named = [
            ("call", &self.call),
            ("push", &self.push),
            ("gtag", &self.gtag),
            ("head", &self.head),
        ];
        named
            .into_iter()
            .filter_map(|(kind, name)| Some((kind, name.as_deref()?)))
    }

    /// Whether one thing is called.
    pub fn is_whole(&self) -> bool {
        self.named().count() == 1
    }

    /// Whether the call is made with these values.
    pub(super) fn applies(&self, values: &Values) -> bool {
        self.when.as_deref().is_none_or(|field| values.holds(field))
            && self
                .unless
                .as_deref()
                .is_none_or(|field| !values.holds(field))
    }

    /// The call as the script reads it: kind, name, values.
    pub(super) fn filled(&self, values: &Values) -> Result<serde_json::Value, String> {
        let (kind, name) = self.named().next().unwrap_or_default();
        let with: Result<Vec<_>, String> = self
            .with
            .iter()
            .map(|value| values.fill_all(value))
            .collect();
        Ok(serde_json::json!([kind, name, with?]))
    }
}
