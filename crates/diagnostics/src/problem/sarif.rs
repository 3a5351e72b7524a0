//! Formats problems as SARIF 2.1.0, the format of code scanning services.
//!
//! A problem with a place is a result. A problem of the command line or the machine has no place, so it is a notification
//! of the run: services reject results without a location. The rules are all problem codes with their explanations, even
//! those without a result, so that a service closes an alert instead of forgetting its rule.
//!
//! The format is specified at <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};

use super::{Code, Place, Problem, Problems, Severity};

/// The characters that a path can contain and a URI reference cannot.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b':')
    .add(b'\\');

/// Returns the document as one line with a line break. `version` is that of the program.
pub fn sarif(problems: &Problems, version: &str) -> String {
    let (results, notifications): (Vec<&Problem>, Vec<&Problem>) =
        problems.iter().partition(|problem| problem.place.is_some());
    let notifications: Vec<Value> = notifications
        .into_iter()
        .map(|problem| {
            json!({
                "level": level(problem.severity),
                "message": {"text": text(problem)},
                "associatedRule": {"id": problem.code.name(), "index": index(problem.code)},
            })
        })
        .collect();
    let document = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "sitegen",
                "semanticVersion": version,
                "rules": Code::ALL.iter().map(|code| rule(*code)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": !problems.has_errors(),
                "toolExecutionNotifications": notifications,
            }],
            "results": results.into_iter().map(result).collect::<Vec<_>>(),
        }],
    });
    format!("{document}\n")
}

fn rule(code: Code) -> Value {
    let explanation = code.explanation();
    let first = explanation
        .split_once(". ")
        .map_or(explanation, |(first, _)| first);
    json!({
        "id": code.name(),
        "shortDescription": {"text": format!("{}.", first.trim_end_matches('.'))},
        "fullDescription": {"text": explanation},
        "help": {"text": explanation, "markdown": explanation},
    })
}

fn result(problem: &Problem) -> Value {
    json!({
        "ruleId": problem.code.name(),
        "ruleIndex": index(problem.code),
        "level": level(problem.severity),
        "message": {"text": text(problem)},
        "locations": problem.place.iter().map(|place| json!({"physicalLocation": location(place)})).collect::<Vec<_>>(),
    })
}

fn location(place: &Place) -> Value {
    let uri = utf8_percent_encode(&place.path, ESCAPED).to_string();
    let mut location = json!({"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}});
    if let Some(range) = place.range {
        location["region"] = json!({
            "startLine": range.start.line,
            "startColumn": range.start.column,
            "endLine": range.end.line,
            "endColumn": range.end.column,
        });
    }
    location
}

/// The position of a code in the list of rules.
fn index(code: Code) -> usize {
    Code::ALL
        .iter()
        .position(|other| *other == code)
        .unwrap_or_default()
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// The message with its hint. Braces stay single: a message without `arguments` has no placeholders, and services show its
/// text as it is.
fn text(problem: &Problem) -> String {
    let hint = problem
        .hint
        .as_ref()
        .map(|hint| format!("\nhint: {hint}"))
        .unwrap_or_default();
    format!("{}{hint}", problem.message)
}

#[cfg(test)]
mod tests {
    use super::super::{Position, Range};
    use super::*;

    fn document(problems: impl IntoIterator<Item = Problem>) -> Value {
        let mut list = Problems::new();
        problems.into_iter().for_each(|problem| list.push(problem));
        serde_json::from_str(&sarif(&list, "1.2.3")).expect("JSON")
    }

    #[test]
    fn a_result_names_its_rule_and_its_range() {
        let at = |line, column| Position { line, column };
        let range = Some(Range {
            start: at(3, 1),
            end: at(3, 8),
        });
        let place = Place {
            path: "content/a b#ñ.yaml".to_string(),
            range,
            line_text: None,
            line_from: 0,
        };
        let document = document([Problem::error(Code::UnknownKey, "unknown key")
            .at(place)
            .hint("did you mean?")]);
        let run = &document["runs"][0];
        let result = &run["results"][0];
        assert_eq!(
            result["message"]["text"],
            "unknown key\nhint: did you mean?"
        );
        let location = &result["locations"][0]["physicalLocation"];
        assert_eq!(
            location["artifactLocation"]["uri"],
            "content/a%20b%23%C3%B1.yaml"
        );
        assert_eq!(
            location["region"],
            json!({"startLine": 3, "startColumn": 1, "endLine": 3, "endColumn": 8})
        );
        let index = serde_json::from_value::<usize>(result["ruleIndex"].clone()).expect("an index");
        let rule = &run["tool"]["driver"]["rules"][index];
        assert_eq!(
            (&rule["id"], &result["ruleId"]),
            (&json!("unknown-key"), &json!("unknown-key"))
        );
        assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    }

    #[test]
    fn a_problem_without_a_place_is_a_notification() {
        let document = document([Problem::warning(
            Code::CacheUnavailable,
            "the cache is away",
        )]);
        let run = &document["runs"][0];
        assert_eq!(run["results"], json!([]));
        let notification = &run["invocations"][0]["toolExecutionNotifications"][0];
        assert_eq!(
            (&notification["level"], &notification["message"]["text"]),
            (&json!("warning"), &json!("the cache is away"))
        );
        assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    }

    #[test]
    fn a_short_description_is_the_first_sentence() {
        for code in Code::ALL {
            let short = rule(*code)["shortDescription"]["text"]
                .as_str()
                .expect("text")
                .to_string();
            assert!(
                code.explanation().starts_with(short.trim_end_matches('.')),
                "{}",
                code.name()
            );
        }
    }
}
