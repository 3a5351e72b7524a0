//! Reads the values that a site gives to the fields of a preset, and checks their types.

use diagnostics::problem::{Code, Problem, Problems, Source};
use diagnostics::yaml::{self, Node, Value};
use url::Url;

use super::super::SiteSettings;
use super::filling::Values;
use super::preset::{FieldRule, Preset, VisitsFieldType};

/// Most bytes of a value.
const MOST: usize = 500;

/// Reads the fields of a preset from the setting.
pub(super) fn read(
    preset: &Preset,
    settings: &SiteSettings,
    node: &Node,
    problems: &mut Problems,
) -> Values {
    let mut values = Values::default();
    if let Some(id) = &settings.tag_manager {
        values.insert("tag_manager".to_owned(), id.value.clone());
    }
    for (name, rule) in &preset.fields {
        let Some(written) = node.get(name) else {
            continue;
        };
        match value(rule, written) {
            Ok(value) => values.insert(name.clone(), value),
            Err((message, hint)) => {
                let problem = Problem::error(Code::InvalidValue, message).hint(hint);
                problems.push(written.problem(&settings.source, problem));
                // It was given, so it is not missing.
                values.insert(name.clone(), String::new());
            }
        }
    }
    // A default may use another default.
    for _ in 0..preset.fields.len() {
        for (name, rule) in &preset.fields {
            let default = rule.default.as_deref().filter(|_| !values.has(name));
            if let Some(Ok(value)) = default.map(|default| values.fill(default)) {
                values.insert(name.clone(), value);
            }
        }
    }
    values
}

/// The value of a field as text, or a message and a hint.
fn value(rule: &FieldRule, node: &Node) -> Result<String, (String, String)> {
    let hint = format!("write a value such as `{}`", rule.example);
    let text = match &node.value {
        Value::Text(text) => text.clone(),
        Value::Int(number) => number.to_string(),
        Value::Bool(is_on) if rule.kind == VisitsFieldType::YesNo => is_on.to_string(),
        Value::List(items) if rule.kind == VisitsFieldType::Hosts => {
            let hosts = items.iter().map(|item| {
                value(
                    &FieldRule {
                        kind: VisitsFieldType::Host,
                        ..rule.clone()
                    },
                    item,
                )
            });
            return Ok(hosts.collect::<Result<Vec<_>, _>>()?.join(" "));
        }
        other => {
            return Err((format!("expected text, found {}", other.kind()), hint));
        }
    };
    let is_line = !text.is_empty() && text.len() <= MOST && !text.chars().any(char::is_control);
    let shown = text.escape_debug();
    let checked = match rule.kind {
        VisitsFieldType::Text => is_line
            .then(|| text.trim().to_owned())
            .ok_or("a single line of text"),
        VisitsFieldType::Id => (is_line
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .then(|| text.clone())
        .ok_or("an id"),
        VisitsFieldType::Host | VisitsFieldType::Hosts => {
            origin_of_host(&text).ok_or("the URL of a host")
        }
        VisitsFieldType::YesNo => matches!(text.as_str(), "true" | "false")
            .then(|| text.clone())
            .ok_or("`true` or `false`"),
    };
    let checked = checked.map_err(|what| (format!("`{shown}` is not {what}"), hint.clone()))?;
    if checked.starts_with(&rule.begins) {
        Ok(checked)
    } else {
        Err((
            format!("`{shown}` does not begin with `{}`", rule.begins),
            hint,
        ))
    }
}

/// Scheme, host and port of an address without a path, as the content security policy has them.
pub fn origin_of_host(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let is_plain = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    origin_of_address(text).filter(|_| is_plain)
}

/// Scheme, host and port of an address. Only an address on the same machine, for trying a service, may have no TLS.
pub(super) fn origin_of_address(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let host = url.host_str()?;
    // A host with `*` is no name, and names of other scripts become ASCII.
    let is_name = host
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    let is_here = matches!(host, "localhost" | "127.0.0.1");
    let is_written =
        !text.chars().any(|c| c.is_whitespace() || c.is_control()) && url.username().is_empty();
    let is_safe = url.scheme() == "https" || url.scheme() == "http" && is_here;
    (is_safe && is_name && is_written).then(|| url.origin().ascii_serialization())
}

/// Whether a text is a host of the content security policy; that of a preset may have `*` in place of the first name.
pub(super) fn is_host_source(text: &str) -> bool {
    origin_of_host(&text.replacen("://*.", "://any.", 1)).is_some()
}

/// Where visitors are asked: areas and places of the time zone database.
pub(super) fn regions(
    source: &std::sync::Arc<Source>,
    node: Option<&Node>,
    problems: &mut Problems,
) -> Vec<String> {
    let Some(node) = node else { return Vec::new() };
    let regions: Vec<yaml::Spanned<String>> =
        yaml::read(source, node, problems).unwrap_or_default();
    for region in regions
        .iter()
        .filter(|region| !region.split('/').all(is_part))
    {
        let message = format!(
            "`{}` is neither a time zone nor an area with time zones",
            region.value.escape_debug()
        );
        let problem = Problem::error(Code::InvalidValue, message).at(source.place(region.span));
        problems.push(
            problem.hint(
                "write an area or a time zone, such as `Europe` or `America/Sao_Paulo`; a country does not work, because a page cannot tell a visitor's country",
            ),
        );
    }
    regions.into_iter().map(|region| region.value).collect()
}

/// Tells whether a text can be one part of the name of an area of time zones.
fn is_part(part: &str) -> bool {
    part.len() > 2
        && part.starts_with(|c: char| c.is_ascii_uppercase())
        && part
            .chars()
            .all(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_hosts() {
        for good in [
            "https://stats.example.com",
            "https://stats.example.com/",
            "http://127.0.0.1:4000",
        ] {
            assert!(origin_of_host(good).is_some(), "{good}");
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
            assert_eq!(origin_of_host(bad), None, "{bad}");
        }
        assert!(is_host_source("https://*.google-analytics.com"));
        assert!(
            !is_host_source("https://*")
                && !is_host_source("*")
                && !is_host_source("https://a.*.com")
        );
    }
}
