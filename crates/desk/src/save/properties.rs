//! Properties of saves, on every content file of this repository: nothing changes without a change, and a change touches
//! only the lines of its value. `PROPTEST_CASES=10000` runs more cases.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use diagnostics::problem::{Code, Problem, Source};
use diagnostics::yaml::{self, Node};

use super::blocks::{self, Blocks};
use super::tests::form;
use super::{File, merge, values};

/// Texts that are read in another way without quotes, or are long or odd.
const TEXTS: &[&str] = &[
    "plain",
    "New: text",
    "a #b",
    "- item",
    "@home",
    "{product.name} {company.name}",
    "2018",
    "2026-01-05",
    "true",
    "null",
    "it's \"quoted\"",
    "one\n\ntwo\n  three",
    "tab\tinside",
    "😀 emoji",
    "5\u{a0}%",
    "[link](page:about#top)",
    "back\\slash",
    "ends: ",
    "...",
    "é",
];

/// Content files that are YAML or posts, by path: of the site here, and of a new one.
fn shipped() -> &'static [(String, String)] {
    static FILES: OnceLock<Vec<(String, String)>> = OnceLock::new();
    FILES.get_or_init(|| {
        let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let files = ["content", "starter"]
            .iter()
            .flat_map(|folder| walkdir::WalkDir::new(root.join(folder)).sort_by_file_name());
        let mut shipped = Vec::new();
        for entry in files.flatten().filter(|entry| entry.file_type().is_file()) {
            let path = entry
                .path()
                .strip_prefix(root)
                .expect("below the root")
                .to_string_lossy()
                .into_owned();
            if !path.ends_with(".yaml") && !path.ends_with(".md") {
                continue;
            }
            let text = fs_err::read_to_string(entry.path()).expect("a text");
            // Files of a new site with gaps for names are no YAML yet.
            if values(&path, &text).is_ok() {
                shipped.push((path, text));
            }
        }
        assert!(shipped.len() > 120, "{} files", shipped.len());
        shipped
    })
}

#[test]
fn nothing_changes_without_a_change() {
    for (path, text) in shipped() {
        let saved = merge(&form(path, text), Some(text))
            .unwrap_or_else(|problem| panic!("{path}: {problem:?}"));
        assert_eq!(&saved, text, "{path}");
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(
            merge(&form(path, &crlf), Some(&crlf)).as_ref(),
            Ok(&crlf),
            "{path}"
        );
    }
}

#[test]
fn habits_of_forms_change_no_file() {
    /// The changes that forms make to values that nobody changed.
    fn habits(value: &mut Value) {
        match value {
            Value::Object(entries) => {
                let reversed = std::mem::take(entries).into_iter().rev();
                for (at, (name, mut value)) in reversed.enumerate() {
                    habits(&mut value);
                    let odd = [
                        json!(""),
                        json!(null),
                        json!([]),
                        json!({"x": ""}),
                        json!(false),
                    ];
                    entries.insert(format!("absent-{at}"), odd[at % odd.len()].clone());
                    entries.insert(name, value);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(habits),
            Value::Number(number) => *value = json!(number.to_string()),
            Value::String(text) if text.contains('\n') => {
                *text = text.trim_end().replace('\n', "\r\n");
            }
            _ => {}
        }
    }
    for (path, text) in shipped() {
        let mut form = form(path, text);
        habits(&mut form.values);
        form.body = form
            .body
            .map(|body| format!("\n\n{}\n\n", as_an_editor_writes(&body)));
        let saved =
            merge(&form, Some(text)).unwrap_or_else(|problem| panic!("{path}: {problem:?}"));
        assert_eq!(&saved, text, "{path}");
    }
}

/// Markdown with other bullets, and cells in tables with other spaces.
fn as_an_editor_writes(body: &str) -> String {
    let mut is_code = false;
    let line = |line: &str| {
        is_code ^= line.trim_start().starts_with("```");
        match line.strip_prefix("- ") {
            _ if is_code => line.to_owned(),
            Some(item) => format!("* {item}"),
            None if line.starts_with('|') => line.replace(" |", "    |"),
            None => line.to_owned(),
        }
    };
    body.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A change of a value. The numbers select which one, of those that there are.
#[derive(Debug, Clone, Copy)]
struct Edit {
    kind: Kind,
    at: prop::sample::Index,
    other: prop::sample::Index,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Set,
    RemoveKey,
    AddKey,
    AddItem,
    MoveItem,
    RemoveItem,
}

fn edit() -> impl Strategy<Value = Edit> {
    const KINDS: &[Kind] = &[
        Kind::Set,
        Kind::RemoveKey,
        Kind::AddKey,
        Kind::AddItem,
        Kind::MoveItem,
        Kind::RemoveItem,
    ];
    (
        proptest::sample::select(KINDS),
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
    )
        .prop_map(|(kind, at, other)| Edit { kind, at, other })
}

/// JSON pointers of all values of a kind, as lists of keys and indices.
fn pointers(
    value: &Value,
    is_wanted: &dyn Fn(&Value) -> bool,
    path: &mut Vec<String>,
    found: &mut Vec<Vec<String>>,
) {
    if is_wanted(value) {
        found.push(path.clone());
    }
    let children: Vec<(String, &Value)> = match value {
        Value::Object(entries) => entries
            .iter()
            .map(|(name, value)| (name.clone(), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, value)| (at.to_string(), value))
            .collect(),
        _ => Vec::new(),
    };
    for (name, child) in children {
        path.push(name);
        pointers(child, is_wanted, path, found);
        path.pop();
    }
}

fn at<'a>(value: &'a mut Value, path: &[String]) -> &'a mut Value {
    path.iter().fold(value, |value, name| match value {
        Value::Array(items) => &mut items[name.parse::<usize>().expect("an index")],
        value => &mut value[name.as_str()],
    })
}

/// Changes values. Returns the path of what may change in the file, and whether something was removed.
fn change(values: &mut Value, edit: Edit) -> Option<(Vec<String>, bool)> {
    let is_wanted = |value: &Value| match edit.kind {
        Kind::Set => !value.is_object() && !value.is_array(),
        Kind::RemoveKey | Kind::AddKey => {
            value.as_object().is_some_and(|entries| entries.len() > 1)
        }
        Kind::AddItem | Kind::MoveItem | Kind::RemoveItem => {
            value.as_array().is_some_and(|items| items.len() > 1)
        }
    };
    let mut found = Vec::new();
    pointers(values, &is_wanted, &mut Vec::new(), &mut found);
    if found.is_empty() {
        return None;
    }
    let mut path = edit.at.get(&found).clone();
    let text = TEXTS[edit.other.index(TEXTS.len())];
    let target = at(values, &path);
    match (edit.kind, target) {
        (Kind::Set, value) => {
            *value = match value {
                Value::Bool(on) => json!(!*on),
                Value::Number(_) => json!(edit.other.index(1000)),
                _ => json!(text),
            };
            return Some((path, false));
        }
        (Kind::RemoveKey, Value::Object(entries)) => {
            let name = entries.keys().nth(edit.other.index(entries.len()))?.clone();
            entries.shift_remove(&name);
            path.push(name);
            return Some((path, true));
        }
        (Kind::AddKey, Value::Object(entries)) => {
            entries.insert(
                "zz-new".to_owned(),
                json!({"text": text, "list": [1, text]}),
            );
            path.push("zz-new".to_owned());
            return Some((path, false));
        }
        (Kind::AddItem, Value::Array(items)) => {
            let mut item = items[edit.other.index(items.len())].clone();
            match &mut item {
                Value::Object(entries) => {
                    entries
                        .values_mut()
                        .filter(|value| value.is_string())
                        .for_each(|value| *value = json!(text));
                }
                value => *value = json!(text),
            }
            items.insert(edit.other.index(items.len() + 1), item);
        }
        (Kind::MoveItem, Value::Array(items)) => {
            let other = edit.other.index(items.len());
            items.swap(0, other);
        }
        (Kind::RemoveItem, Value::Array(items)) => {
            items.remove(edit.other.index(items.len()));
            return Some((path, true));
        }
        _ => return None,
    }
    Some((path, false))
}

/// The lines of a value with its key, counted from 0.
fn lines(source: &Source, node: &Node, path: &[String]) -> std::ops::Range<usize> {
    let (mut node, mut start) = (node, None);
    for name in path {
        node = match &node.value {
            yaml::Value::Map(entries) => match entries.iter().find(|(key, _)| &key.name == name) {
                Some((key, value)) => {
                    start = Some(key.span.start);
                    value
                }
                // A new key touches no line, but in brackets.
                None if source.text[node.span.start as usize..].starts_with('{') => break,
                None => return 0..0,
            },
            yaml::Value::List(items) => &items[name.parse::<usize>().expect("an index")],
            _ => return 0..0,
        };
    }
    let extent = node.extent();
    let line = |at: u32| source.text[..at as usize].matches('\n').count();
    let end = source.text[..extent.end as usize]
        .trim_end()
        .len()
        .max(extent.start as usize);
    line(start.unwrap_or(extent.start).min(extent.start))
        ..line(u32::try_from(end).expect("a short file")) + 1
}

/// All comments with their lines.
fn comments(file: &File) -> Vec<(usize, String)> {
    fn texts(node: &Node, spans: &mut Vec<(usize, usize)>) {
        match &node.value {
            yaml::Value::Map(entries) => entries.iter().for_each(|(_, node)| texts(node, spans)),
            yaml::Value::List(items) => items.iter().for_each(|node| texts(node, spans)),
            _ => spans.push((node.span.start as usize, node.span.end as usize)),
        }
    }
    let (mut spans, mut comments, mut end) = (Vec::new(), Vec::new(), file.yaml.start);
    texts(&file.node, &mut spans);
    let text = &file.source.text;
    for (at, _) in text[..file.yaml.end].match_indices('#') {
        let is_text = spans
            .iter()
            .any(|(start, end)| (*start..*end).contains(&at));
        if at >= end && !is_text && (at == 0 || text[..at].ends_with([' ', '\n'])) {
            end = at + text[at..].find('\n').unwrap_or(text.len() - at);
            comments.push((
                text[..at].matches('\n').count(),
                text[at..end].trim().to_owned(),
            ));
        }
    }
    comments
}

/// Values without what says nothing, to compare what was asked for with what was saved.
fn stated(value: &Value) -> Option<Value> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(json!(text.trim_end())),
        Value::Number(number) => Some(json!(number.to_string())),
        Value::Array(items) => {
            let stated = items.iter().map(stated).collect::<Vec<_>>();
            stated.iter().any(Option::is_some).then(|| json!(stated))
        }
        Value::Object(entries) => {
            let sorted: BTreeMap<&String, Value> = entries
                .iter()
                .filter_map(|(name, value)| Some((name, stated(value)?)))
                .collect();
            (!sorted.is_empty()).then(|| json!(sorted))
        }
        Value::Bool(true) => Some(value.clone()),
    }
}

/// Changes one value in a form, saves it, and looks at what the file has then.
fn check((path, text): &(String, String), edit: Edit) -> Result<(), TestCaseError> {
    let mut form = form(path, text);
    let Some((place, is_removal)) = change(&mut form.values, edit) else {
        return Ok(());
    };
    let before = File::read(path, text).expect("a file");
    let mut touched = lines(&before.source, &before.node, &place);
    // The key after the first one of an item moves to the line of the dash.
    let is_first = text
        .lines()
        .nth(touched.start)
        .is_some_and(|line| line.trim_start().starts_with("- "));
    touched.end += usize::from(edit.kind == Kind::RemoveKey && is_first);
    let saved = merge(&form, Some(text));
    prop_assert!(saved.is_ok(), "{}: {:?}", path, saved);
    let saved = saved.expect("a text");
    let after = File::read(path, &saved).expect("a file");
    prop_assert_eq!(
        stated(&values(path, &saved).expect("values").0),
        stated(&form.values),
        "{}",
        path
    );
    prop_assert_eq!(before.body(), after.body());
    for op in similar::TextDiff::from_lines(text.as_str(), saved.as_str()).ops() {
        for line in op.old_range() {
            let shown = text.lines().nth(line);
            prop_assert!(
                touched.contains(&line) || matches!(op, similar::DiffOp::Equal { .. }),
                "{}:{}: {:?}\n{}",
                path,
                line + 1,
                shown,
                saved
            );
        }
    }
    let mut left: Vec<String> = comments(&after)
        .into_iter()
        .map(|(_, comment)| comment)
        .collect();
    for (line, comment) in comments(&before) {
        let place = left.iter().position(|other| *other == comment);
        // A comment above the first item that is removed is its own.
        let is_removed =
            is_removal && (touched.start.saturating_sub(3)..touched.end).contains(&line);
        prop_assert!(
            place.is_some() || is_removed,
            "{}:{}: {}\n{}",
            path,
            line + 1,
            comment,
            saved
        );
        place.map(|place| left.remove(place));
    }
    prop_assert!(left.is_empty(), "{:?}", left);
    Ok(())
}

/// Changes a block of the text of a post in its form, saves it, and looks at what the file has then.
fn check_text((path, text): &(String, String), edit: Edit) -> Result<(), TestCaseError> {
    let mut form = form(path, text);
    let before = File::read(path, text).expect("a file");
    let written = as_an_editor_writes(form.body.as_deref().unwrap_or_default());
    let blocks = Blocks::of(&written);
    let mut parts: Vec<String> = (0..blocks.blocks.len())
        .map(|at| blocks.written(at).to_owned())
        .collect();
    let at = edit.at.index(parts.len());
    let other = edit.other.index(parts.len());
    let new = format!("New *{other}* words.\n\n- a list\n\nMore.");
    let touched = match edit.kind {
        Kind::Set => {
            parts[at] = new;
            vec![at]
        }
        Kind::AddKey | Kind::AddItem => {
            parts.insert(at, new);
            Vec::new()
        }
        Kind::RemoveKey | Kind::RemoveItem => {
            parts.remove(at);
            vec![at]
        }
        Kind::MoveItem => {
            let part = parts.remove(at);
            parts.insert(other.min(parts.len()), part);
            (at.min(other)..=at.max(other)).collect()
        }
    };
    let asked = parts.join("\n\n");
    form.body = Some(asked.clone());
    let saved = merge(&form, Some(text));
    prop_assert!(saved.is_ok(), "{}: {:?}", path, saved);
    let after = File::read(path, &saved.expect("a text")).expect("a file");
    prop_assert_eq!(
        blocks::meanings(after.body()),
        blocks::meanings(&asked),
        "{}",
        path
    );
    let own = Blocks::of(before.body());
    for at in (0..own.blocks.len()).filter(|at| !touched.contains(at)) {
        prop_assert!(
            after.body().contains(own.written(at)),
            "{}: {}\n{}",
            path,
            own.written(at),
            after.body()
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4 * ProptestConfig::default().cases, ..ProptestConfig::default() })]

    #[test]
    fn a_change_touches_the_lines_of_its_value(file in any::<prop::sample::Index>(), edit in edit()) {
        check(file.get(shipped()), edit)?;
    }

    #[test]
    fn several_changes_are_saved_and_no_comment_is_lost(
        file in any::<prop::sample::Index>(),
        edits in prop::collection::vec(edit(), 2..9),
    ) {
        let (path, text) = file.get(shipped());
        let mut form = form(path, text);
        let removals = edits.iter().filter_map(|edit| change(&mut form.values, *edit)).filter(|(_, removal)| *removal);
        let has_removals = removals.count() > 0;
        prop_assume!(stated(&form.values).is_some());
        let saved = merge(&form, Some(text));
        prop_assert!(saved.is_ok(), "{}: {:?}", path, saved);
        let saved = saved.expect("a text");
        prop_assert_eq!(stated(&values(path, &saved).expect("values").0), stated(&form.values), "{}", path);
        let sorted = |text: &str| {
            let mut all: Vec<String> =
                comments(&File::read(path, text).expect("a file")).into_iter().map(|(_, comment)| comment).collect();
            all.sort();
            all
        };
        prop_assert!(has_removals || sorted(text) == sorted(&saved), "{}\n{}", path, saved);
    }

    #[test]
    fn a_change_of_a_text_touches_its_block(file in any::<prop::sample::Index>(), edit in edit()) {
        let posts: Vec<_> = shipped().iter().filter(|(path, _)| path.ends_with(".md")).collect();
        check_text(posts[file.index(posts.len())], edit)?;
    }

    #[test]
    fn two_forms_are_saved_in_any_order(file in any::<prop::sample::Index>(), edits in (edit(), edit())) {
        let (path, text) = file.get(shipped());
        let forms = [edits.0, edits.1].map(|edit| {
            let mut form = form(path, text);
            change(&mut form.values, edit);
            form
        });
        let saved = |first: usize| {
            let disk = merge(&forms[first], Some(text)).expect("the file did not change");
            merge(&forms[1 - first], Some(&disk)).map(|text| stated(&values(path, &text).expect("values").0))
        };
        let is_conflict = |saved: &Result<Option<Value>, Problem>| {
            let is_named = |problem: &Problem| {
                problem.code == Code::SaveConflict || problem.message.starts_with("nothing would be left")
            };
            saved.as_ref().is_err_and(is_named)
        };
        match (saved(0), saved(1)) {
            (Ok(one), Ok(other)) => prop_assert_eq!(one, other),
            (one, other) => prop_assert!(is_conflict(&one) && is_conflict(&other), "{:?}\n{:?}", one, other),
        }
    }
}
