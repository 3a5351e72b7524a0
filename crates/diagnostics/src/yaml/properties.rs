//! Property tests: reading any text as YAML never panics, reports only existing places, and accepts JSON.
//! `PROPTEST_CASES=100000` runs more cases.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::json;

use super::{
    Node, Spanned, Value, distance, edit, key_text, load, parse, quoted_text, scalar, value_text,
    write,
};
use crate::problem::{Code, Problems, Source, Span};
use crate::text::control_character;

/// Pieces whose meaning depends on their context.
const PIECES: &[&str] = &[
    "a",
    "title",
    ": ",
    ":",
    "- ",
    "-",
    "\n",
    "\n  ",
    "\n    ",
    "  ",
    "\t",
    "#",
    " # x\n",
    "'",
    "\"",
    "''",
    "\\",
    "\\n",
    "\\u00e9",
    "|\n",
    ">-\n",
    "|+2\n",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&x ",
    "*x",
    "<<: ",
    "!",
    "!!str ",
    "!a ",
    "? ",
    "~",
    "null",
    "true",
    "yes",
    "No",
    "0",
    "-1",
    "1_000",
    "0x1f",
    "1e3",
    ".5",
    ".inf",
    ".nan",
    "9999999999999999999",
    "2024-01-01",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "@",
    "`",
    "ñ",
    "日",
    "\u{1f600}",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "\r\n",
    "\r",
    "years: ",
    "open: ",
    "link: ",
    "nested:\n",
    "true\n",
    "[1, 2]\n",
];

/// A struct with every kind of type that settings use.
#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields)]
struct Every {
    title: String,
    years: Vec<u32>,
    open: Option<bool>,
    share: f64,
    link: Option<Spanned<String>>,
    nested: Option<Box<Every>>,
    named: BTreeMap<String, i64>,
    kind: Kind,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    #[default]
    Plain,
    TwoWords,
}

fn source(text: &str) -> Arc<Source> {
    Arc::new(Source::new("c.yaml".into(), text.to_owned()))
}

fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        20 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Any value that both YAML and JSON can express.
fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|value| json!(value)),
        any::<i64>().prop_map(|value| json!(value)),
        (-1e9..1e9_f64).prop_map(|value| json!(value)),
        "(\\PC|[ \n\t\"'#:]){0,12}".prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(|items| json!(items)),
            prop::collection::btree_map("[a-z #:\"é]{1,6}", inner, 0..6)
                .prop_map(|entries| json!(entries)),
        ]
    })
}

/// A block that says something.
fn entries() -> impl Strategy<Value = serde_json::Value> {
    let entries = prop::collection::btree_map("[a-z #:\"é]{1,6}", value(), 0..6);
    entries.prop_map(|mut entries| {
        entries.insert("id".to_owned(), json!("x"));
        json!(entries)
    })
}

fn every() -> impl Strategy<Value = serde_json::Value> {
    let flat = (
        "\\PC{0,12}",
        prop::collection::vec(any::<u32>(), 0..4),
        proptest::option::of(any::<bool>()),
        -1e6..1e6_f64,
        prop::collection::btree_map("[a-z]{1,4}", any::<i64>(), 0..3),
        prop_oneof![Just("plain"), Just("two-words")],
    );
    let flat = flat.prop_map(|(title, years, open, share, named, kind)| {
        json!({"title": title, "years": years, "open": open, "share": share, "link": title, "named": named, "kind": kind})
    });
    (flat.clone(), proptest::option::of(flat)).prop_map(|(mut outer, inner)| {
        outer["nested"] = json!(inner);
        outer
    })
}

/// Converts a tree to JSON.
fn plain(node: &Node) -> serde_json::Value {
    match &node.value {
        Value::Null => json!(null),
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Float(value) => json!(value),
        Value::Text(text) => json!(text),
        Value::List(items) => items.iter().map(plain).collect(),
        Value::Map(entries) => entries
            .iter()
            .map(|(key, node)| (key.name.clone(), plain(node)))
            .collect(),
    }
}

/// Checks that the span of each key and value is within the text.
fn spans(text: &str, node: &Node) -> Result<(), TestCaseError> {
    let part = |span: Span| text.get(span.start as usize..span.end as usize);
    prop_assert!(part(node.span).is_some(), "{:?} of {:?}", node.span, text);
    prop_assert!(
        part(node.extent()).is_some(),
        "{:?} of {:?}",
        node.extent(),
        text
    );
    match &node.value {
        Value::List(items) => items.iter().try_for_each(|item| spans(text, item)),
        Value::Map(entries) => entries.iter().try_for_each(|(key, node)| {
            prop_assert!(part(key.span).is_some(), "{:?} of {:?}", key.span, text);
            spans(text, node)
        }),
        _ => Ok(()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20 * ProptestConfig::default().cases, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_tree_or_a_problem_at_a_place(text in soup()) {
        let source = source(&text);
        if let Ok(node) = parse(&source, 0..text.len()) {
            spans(&text, &node)?;
        }
        let mut problems = Problems::new();
        let read: Option<Every> = load(&source, &mut problems);
        prop_assert!(read.is_some() || problems.iter().next().is_some(), "no value was read, and no problem was reported");
        for problem in &problems {
            let range = problem.place.as_ref().and_then(|place| place.range);
            let lines = u32::try_from(text.split(['\n', '\r', '\u{85}', '\u{2028}']).count()).expect("few lines");
            prop_assert!(range.is_none_or(|range| range.start.line >= 1 && range.start.line <= lines + 1), "{:?}", problem);
        }
    }

    #[test]
    fn front_matter_has_the_places_of_its_file(text in soup(), before in "---[ \t]{0,3}\r?\n") {
        let whole = source(&format!("{before}{text}"));
        let (alone, part) = (parse(&source(&text), 0..text.len()), parse(&whole, before.len()..before.len() + text.len()));
        prop_assert_eq!(alone.is_ok(), part.is_ok());
        if let (Ok(alone), Ok(part)) = (alone, part) {
            prop_assert_eq!(plain(&alone), plain(&part));
            prop_assert_eq!(alone.span.start as usize + before.len(), part.span.start as usize);
        }
    }

    #[test]
    fn json_is_read_as_json(value in value()) {
        let text = value.to_string();
        let node = parse(&source(&text), 0..text.len());
        // Only `null` may fail, because an empty file is an error.
        if let Ok(node) = &node {
            spans(&text, node)?;
            prop_assert_eq!(plain(node), value);
        } else {
            prop_assert!(value.is_null(), "{:?}: {:?}", text, node);
        }
    }

    #[test]
    fn types_are_read_as_from_json(value in every()) {
        let text = value.to_string();
        let mut problems = Problems::new();
        let read: Option<Every> = load(&source(&text), &mut problems);
        prop_assert!(problems.iter().next().is_none(), "{:?}", problems.iter().collect::<Vec<_>>());
        let read = read.expect("a value");
        prop_assert_eq!(&json!(read.title), &value["title"]);
        prop_assert_eq!(&json!(read.years), &value["years"]);
        prop_assert_eq!(&json!(read.named), &value["named"]);
        prop_assert_eq!(read.link.map(|link| link.value), value["link"].as_str().map(str::to_owned));
        prop_assert_eq!(read.nested.is_some(), value["nested"].is_object());
        prop_assert_eq!(read.kind == Kind::TwoWords, value["kind"] == "two-words");
    }

    #[test]
    fn any_command_line_value_is_read(text in soup()) {
        let node = scalar(&text);
        if !text.trim_start().starts_with(['[', '{', '"', '\'']) {
            prop_assert_eq!(node.as_text(), Some(text.as_str()));
        }
    }

    #[test]
    fn any_values_are_written_and_changed_to_any_others(from in entries(), to in entries(), is_json in any::<bool>()) {
        let tree = |value: &serde_json::Value| {
            let text = value.to_string();
            parse(&source(&text), 0..text.len()).expect("JSON")
        };
        let (before, wanted) = (tree(&from), tree(&to));
        let text = if is_json { from.to_string() } else { write(&before) };
        let file = source(&text);
        prop_assert_eq!(distance(&parse(&file, 0..text.len()).expect("YAML"), &before), 0, "{}", text);
        let changed = edit(&file, 0..text.len(), &wanted);
        prop_assert!(changed.is_ok(), "{:?}\n{}\n{}", changed, text, to);
        let changed = changed.expect("a text");
        prop_assert_eq!(distance(&parse(&source(&changed), 0..changed.len()).expect("YAML"), &wanted), 0, "{}", changed);
    }

    #[test]
    fn any_text_is_changed_or_refused(text in soup(), to in value()) {
        let file = source(&text);
        let json = to.to_string();
        let wanted = parse(&source(&json), 0..json.len());
        if let (Ok(before), Ok(mut wanted)) = (parse(&file, 0..text.len()), wanted) {
            let same = edit(&file, 0..text.len(), &before);
            prop_assert_eq!(same.as_deref(), Ok(text.as_str()));
            // Most values stay, as after a change in a form.
            if let (Value::Map(own), Value::Map(others)) = (&before.value, &mut wanted.value) {
                others.retain(|(key, _)| before.get(&key.name).is_none());
                others.extend(own.iter().skip(1).cloned());
            }
            if let Ok(changed) = edit(&file, 0..text.len(), &wanted) {
                let after = parse(&source(&changed), 0..changed.len());
                prop_assert_eq!(distance(&after.expect("YAML"), &wanted), 0, "{}", changed);
            }
        }
    }
}

/// Texts that are easily read as something else.
const HOSTILE: &[&str] = &[
    "",
    " ",
    "~",
    "null",
    "true",
    "No",
    "off",
    "y",
    "0",
    "-1",
    "+1",
    "1_000",
    "0x1f",
    "0o17",
    "0b1",
    "1e3",
    ".5",
    ".inf",
    "-.inf",
    ".NaN",
    "nan",
    "1:30",
    "2024-05-06",
    "2024-05-06T07:08:09Z",
    "a: b",
    "a:",
    ":a",
    "a :b",
    "a #b",
    "#a",
    "a#b",
    "- a",
    "-",
    "--",
    "---",
    "...",
    "--- a",
    "? a",
    "?",
    "&a",
    "*a",
    "!a",
    "!!str a",
    "%a",
    "@a",
    "`a",
    "|",
    ">-",
    "|+2",
    "[a]",
    "a]",
    "{a}",
    "a}",
    "{a: b}",
    ",",
    "a, b",
    "=",
    "<<",
    "'a'",
    "\"a\"",
    "a'b",
    "a\"b",
    "\\",
    "a\\",
    "a\\nb",
    "a\nb",
    "a\n",
    "\na",
    "a\r\nb",
    "a\rb",
    "a\tb",
    "\ta",
    " a",
    "a ",
    "a\u{a0}",
    "\u{a0}",
    "\u{feff}a",
    "a\u{feff}",
    "\u{0}",
    "\u{1b}",
    "\u{7f}",
    "\u{85}",
    "\u{9f}",
    "\u{ad}",
    "\u{200b}",
    "\u{200e}",
    "\u{2028}",
    "\u{2029}",
    "\u{fffe}",
    "\u{ffff}",
    "\u{fffd}",
    "\u{e000}",
    "\u{10ffff}",
    "😀",
    "👩‍👩‍👧",
    "¿Qué?",
    "é",
    "e\u{301}",
    "中文",
    "«a»",
];

/// Whether each way of writing a text is read as the same text.
fn assert_read_back(text: &str) {
    if control_character(text).is_some() {
        // No file may hold one, however it is written. It stays visible, and is reported at its place.
        let written = value_text(text, false);
        assert!(!written.contains(char::is_control), "{written:?}");
        assert_eq!(
            serde_json::from_str::<String>(&written).expect("JSON"),
            text
        );
        let source = Source::new("a.yaml".to_owned(), format!("a: {written}\n"));
        let refused = parse(&source, 0..source.text.len()).expect_err("a problem");
        assert_eq!(refused.code, Code::ControlCharacter);
        return;
    }
    let read = |yaml: &str| {
        let source = Source::new("a.yaml".to_owned(), yaml.to_owned());
        parse(&source, 0..yaml.len())
            .unwrap_or_else(|problem| panic!("{text:?} in {yaml:?}: {problem:?}"))
    };
    let value = |yaml: String, path: &str| {
        let found = read(&yaml)
            .get(path)
            .cloned()
            .unwrap_or_else(|| panic!("{text:?} in {yaml:?}: no `{path}`"));
        let item = match &found.value {
            Value::List(items) => items.get(1).cloned(),
            _ => Some(found),
        };
        assert_eq!(
            item.as_ref().and_then(Node::as_text),
            Some(text),
            "{yaml:?}"
        );
    };
    value(format!("a: {}\nb: 1\n", value_text(text, false)), "a");
    value(
        format!("a: {} # note\nb: 1\n", value_text(text, false)),
        "a",
    );
    value(format!("a:\n  - b\n  - {}\n", value_text(text, false)), "a");
    value(format!("a: [b, {}, c]\n", value_text(text, true)), "a");
    value(format!("a: [b,{}]\n", value_text(text, true)), "a");
    value(
        format!(
            "{{b: {}, a: {}}}\n",
            value_text(text, true),
            value_text(text, true)
        ),
        "a",
    );
    value(format!("a: {}\n", quoted_text(text)), "a");
    assert_eq!(
        serde_json::from_str::<String>(&quoted_text(text)).expect("JSON"),
        text
    );
    let other = if text == "c" { "e" } else { "c" };
    for yaml in [
        format!("{}: b\n{other}: d\n", key_text(text, false)),
        format!("{other}: d\n{}:\n  - b\n", key_text(text, false)),
        format!("{{{other}: d, {}: b}}\n", key_text(text, true)),
    ] {
        let node = read(&yaml);
        let Value::Map(entries) = &node.value else {
            panic!("{yaml:?} is no block")
        };
        assert!(
            entries.iter().any(|(key, _)| key.name == text),
            "{text:?} as a key: {yaml:?}"
        );
    }
}

#[test]
fn hostile_texts_are_read_back() {
    HOSTILE.iter().for_each(|text| assert_read_back(text));
}

proptest! {
    #[test]
    fn any_text_is_read_back(
        text in prop_oneof![
            ".*",
            "(?s).{0,6}",
            prop::collection::vec(prop::sample::select(HOSTILE), 1..4).prop_map(|parts| parts.concat()),
            prop::collection::vec(prop::sample::select(PIECES), 1..5).prop_map(|parts| parts.concat()),
        ],
    ) {
        assert_read_back(&text);
    }
}
