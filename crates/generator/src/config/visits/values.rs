//! The values that a site gives to the fields of a preset: their types, and templates that they fill in.

use std::collections::BTreeMap;

use diagnostics::problem::{Code, Problem, Problems, Source};
use diagnostics::yaml::{self, Node, Value};
use url::Url;

use super::super::SiteSettings;
use super::preset::{Call, FieldRule, FieldType, Preset};

/// What an event fills in, in the browser.
const OF_EVENTS: [&str; 4] = ["date", "form", "query", "time"];
/// Most bytes of a value.
const MOST: usize = 500;

/// The values by field. A field with a default that needs another value has none without it.
#[derive(Debug, Default)]
pub(super) struct Values(BTreeMap<String, String>);

impl Values {
    /// Reads the fields of a preset from the setting.
    pub fn read(preset: &Preset, settings: &SiteSettings, node: &Node, problems: &mut Problems) -> Values {
        let mut values = Values::default();
        if let Some(id) = &settings.tag_manager {
            values.0.insert("tag_manager".to_owned(), id.value.clone());
        }
        for (name, rule) in &preset.fields {
            let Some(written) = node.get(name) else { continue };
            match value(rule, written) {
                Ok(value) => drop(values.0.insert(name.clone(), value)),
                Err((message, hint)) => {
                    let problem = Problem::error(Code::InvalidValue, message).hint(hint);
                    problems.push(written.problem(&settings.source, problem));
                    // It was given, so it is not missing.
                    values.0.insert(name.clone(), String::new());
                }
            }
        }
        // A default may use another default.
        for _ in 0..preset.fields.len() {
            for (name, rule) in &preset.fields {
                let default = rule.default.as_deref().filter(|_| !values.0.contains_key(name));
                if let Some(Ok(value)) = default.map(|default| values.fill(default)) {
                    values.0.insert(name.clone(), value);
                }
            }
        }
        values
    }

    /// A text with the values, or the name of a field that has none. What an event fills in stays as it is.
    pub fn fill(&self, text: &str) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else { break };
            filled.push_str(before);
            match self.0.get(name) {
                Some(value) => filled.push_str(value),
                None if OF_EVENTS.contains(&name) => filled.extend(["{", name, "}"]),
                None => return Err(name.to_owned()),
            }
            rest = after;
        }
        Ok(filled + rest)
    }

    /// [`Values::fill`] for each text in a value.
    pub fn fill_all(&self, value: &serde_json::Value) -> Result<serde_json::Value, String> {
        Ok(match value {
            serde_json::Value::String(text) => serde_json::Value::String(self.fill(text)?),
            serde_json::Value::Array(values) => {
                serde_json::Value::Array(values.iter().map(|value| self.fill_all(value)).collect::<Result<_, _>>()?)
            }
            serde_json::Value::Object(entries) => {
                let entries = entries.iter().map(|(key, value)| Ok((key.clone(), self.fill_all(value)?)));
                serde_json::Value::Object(entries.collect::<Result<_, String>>()?)
            }
            other => other.clone(),
        })
    }

    /// Whether a condition holds: `always`, or the name of a field that is `true`.
    pub fn holds(&self, condition: &str) -> bool {
        condition == "always" || self.0.get(condition).is_some_and(|value| value == "true")
    }

    /// Whether a call is made with these values.
    pub fn applies(&self, call: &Call) -> bool {
        call.when.as_deref().is_none_or(|field| self.holds(field))
            && call.unless.as_deref().is_none_or(|field| !self.holds(field))
    }
}

/// The value of a field as text, or a message and a hint.
fn value(rule: &FieldRule, node: &Node) -> Result<String, (String, String)> {
    let hint = format!("write a value such as `{}`", rule.example);
    let text = match &node.value {
        Value::Text(text) => text.clone(),
        Value::Int(number) => number.to_string(),
        Value::Bool(is_on) if rule.kind == FieldType::YesNo => is_on.to_string(),
        Value::List(items) if rule.kind == FieldType::Hosts => {
            let hosts = items.iter().map(|item| value(&FieldRule { kind: FieldType::Host, ..rule.clone() }, item));
            return Ok(hosts.collect::<Result<Vec<_>, _>>()?.join(" "));
        }
        other => return Err((format!("{} is not a value of this field", other.kind()), hint)),
    };
    let is_id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_line = !text.is_empty() && text.len() <= MOST && !text.chars().any(char::is_control);
    let shown = text.escape_debug();
    let checked = match rule.kind {
        FieldType::Text => is_line.then(|| text.trim().to_owned()).ok_or("a text of one line"),
        FieldType::Id => (is_line && text.chars().all(is_id)).then(|| text.clone()).ok_or("an id"),
        FieldType::Host | FieldType::Hosts => origin(&text).ok_or("the address of a host"),
        FieldType::YesNo => matches!(text.as_str(), "true" | "false").then(|| text.clone()).ok_or("`true` or `false`"),
    };
    let checked = checked.map_err(|what| (format!("`{shown}` is not {what}"), hint.clone()))?;
    if checked.starts_with(&rule.begins) {
        Ok(checked)
    } else {
        Err((format!("`{shown}` does not begin with `{}`", rule.begins), hint))
    }
}

/// Scheme, host and port of an address without a path, as the content security policy has them.
fn origin(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let is_plain = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    origin_of_address(text).filter(|_| is_plain)
}

/// Scheme, host and port of an address. Only an address on the same machine, for trying a service, may have no TLS.
pub(super) fn origin_of_address(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let host = url.host_str()?;
    let is_name = host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    let is_here = matches!(host, "localhost" | "127.0.0.1");
    let is_written = !text.chars().any(|c| c.is_whitespace() || c.is_control()) && url.username().is_empty();
    let is_safe = url.scheme() == "https" || url.scheme() == "http" && is_here;
    (is_safe && is_name && is_written).then(|| url.origin().ascii_serialization())
}

/// Whether a text is a host of the content security policy; that of a preset may have `*` in place of the first name.
pub(super) fn is_host_source(text: &str) -> bool {
    origin(&text.replacen("://*.", "://any.", 1)).is_some()
}

/// Where visitors are asked: areas and places of the time zone database.
pub(super) fn regions(source: &std::sync::Arc<Source>, node: Option<&Node>, problems: &mut Problems) -> Vec<String> {
    let Some(node) = node else { return Vec::new() };
    let regions: Vec<yaml::Spanned<String>> = yaml::read(source, node, problems).unwrap_or_default();
    let is_part = |part: &str| {
        part.len() > 2
            && part.starts_with(|c: char| c.is_ascii_uppercase())
            && part.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '-'))
    };
    for region in regions.iter().filter(|region| !region.split('/').all(is_part)) {
        let message = format!("`{}` is not an area of time zones", region.value.escape_debug());
        let problem = Problem::error(Code::InvalidValue, message).at(source.place(region.span));
        problems.push(problem.hint("write `Europe` or `America/Sao_Paulo`: a page does not know countries"));
    }
    regions.into_iter().map(|region| region.value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_hosts() {
        for good in ["https://stats.example.com", "https://stats.example.com/", "http://127.0.0.1:4000"] {
            assert!(origin(good).is_some(), "{good}");
        }
        for bad in [
            "stats.example.com",
            "http://stats.example.com",
            "https://stats.example.com/x",
            "https://a.example; script-src *",
            "https://a.example\nX-Y: z",
            "https://*.example.com",
            "https://user@a.example",
            "javascript:alert(1)",
            "https://a.example?x",
            "",
        ] {
            assert_eq!(origin(bad), None, "{bad}");
        }
        assert!(is_host_source("https://*.google-analytics.com"));
        assert!(!is_host_source("https://*") && !is_host_source("*") && !is_host_source("https://a.*.com"));
    }

    #[test]
    fn a_template_names_the_field_that_is_missing() {
        let values = Values([("host".to_owned(), "https://a.example".to_owned())].into());
        assert_eq!(values.fill("{host}/x.js").as_deref(), Ok("https://a.example/x.js"));
        assert_eq!(values.fill("{query} {").as_deref(), Ok("{query} {"));
        assert_eq!(values.fill("{id}"), Err("id".to_owned()));
    }
}
