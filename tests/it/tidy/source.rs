//! Reads Rust files for the rules: which modules a crate has, and which names the code of each mentions.
//!
//! This is no parser. It cuts comments, texts and tests, and tells names by the signs around them, which is enough for
//! code that rustfmt wrote.

use std::collections::{BTreeMap, BTreeSet};

use crate::site_test::repository;

use super::texts;

/// The code of each module of a crate, by its path, such as `routes::links`. The path of the crate itself is empty.
pub type Modules = BTreeMap<String, String>;

/// The modules of each crate by its name. That of the command line is empty.
pub fn crates() -> BTreeMap<String, Modules> {
    let entries = std::fs::read_dir(repository().join("crates")).expect("crates/").flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let names = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let others = names.map(|name| (name.clone(), modules(&format!("crates/{name}/src"))));
    others.chain([(String::new(), modules("src"))]).collect()
}

/// The modules below a folder such as `src`. Tests are left out, because they may use anything.
pub fn modules(folder: &str) -> Modules {
    let mut modules = Modules::new();
    let mut tests: Vec<String> = Vec::new();
    for (file, text) in texts(folder, &[".rs"]) {
        let path = file[folder.len() + 1..].trim_end_matches(".rs").replace('/', "::");
        let path = if matches!(path.as_str(), "lib" | "main") { String::new() } else { path };
        let text = without_texts(&text);
        let (code, cut) = without_tests(&text);
        let files = cut.iter().filter_map(|item| item.strip_suffix(';')?.rsplit_once("mod "));
        tests.extend(files.map(|(_, name)| joined(&path, name)));
        modules.entry(path).or_default().push_str(&code);
    }
    modules.retain(|module, _| !tests.iter().any(|test| is_within(module, test)));
    modules
}

/// Two paths as one. Either may be empty.
pub fn joined(one: &str, other: &str) -> String {
    [one, other].into_iter().filter(|path| !path.is_empty()).collect::<Vec<_>>().join("::")
}

/// Whether a path is another one, or below it. Every path is below the empty one.
pub fn is_within(path: &str, other: &str) -> bool {
    other.is_empty() || path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The paths in code, name by name. A list in braces gives a path for each of its items.
pub fn paths(code: &str) -> Vec<Vec<&str>> {
    let mut paths = Vec::new();
    let mut before = ' ';
    for (at, c) in code.char_indices() {
        if is_of_name(c) && !is_of_name(before) && !code[..at].ends_with("::") {
            paths.extend(paths_at(&code[at..]).into_iter().filter(|path| path.len() > 1));
        }
        before = c;
    }
    paths
}

/// The module that a path in a module leads to: `super::links::Link` in `routes::redirects` leads to `routes::links`.
/// `None` for a path into another crate.
pub fn target(modules: &Modules, module: &str, path: &[&str]) -> Option<String> {
    let mut target: Vec<&str> = match *path.first()? {
        "crate" => Vec::new(),
        "self" | "super" => module.split("::").collect(),
        _ => return None,
    };
    for name in path {
        match *name {
            "crate" | "self" => {}
            "super" => {
                target.pop();
            }
            name => {
                target.push(name);
                if !modules.contains_key(&target.join("::")) {
                    target.pop();
                    break;
                }
            }
        }
    }
    Some(target.join("::"))
}

/// What code mentions: two names of a path that stand side by side (`fs::read`), and the methods that it calls
/// (`.exists`), also as the end of a path (`Path::exists`).
pub fn mentions(code: &str) -> BTreeSet<String> {
    let mut mentions = BTreeSet::new();
    for path in paths(code) {
        mentions.extend(path.windows(2).map(|pair| pair.join("::")));
        mentions.extend(path.last().map(|name| format!(".{name}")));
    }
    for rest in code.split('.').skip(1) {
        let (name, rest) = rest.split_at(length_of_name(rest));
        if rest.starts_with('(') {
            mentions.insert(format!(".{name}"));
        }
    }
    mentions
}

/// Code without comments, and with nothing between quotes, so that its brackets come in pairs.
fn without_texts(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = match first {
            '/' if rest.starts_with("//") => Some(rest.find('\n').unwrap_or(rest.len())),
            '/' if rest.starts_with("/*") => Some(rest.find("*/").map_or(rest.len(), |at| at + 2)),
            '"' => Some(length_of_text(rest, &code)),
            '\'' => length_of_character(rest),
            _ => None,
        };
        if skipped.is_none() {
            code.push(first);
        }
        rest = &rest[skipped.unwrap_or(first.len_utf8())..];
    }
    code
}

/// The length of a text with its quotes. The code before it tells where a raw text (`r#"`) ends.
fn length_of_text(rest: &str, before: &str) -> usize {
    let start = before.trim_end_matches('#');
    if start.ends_with('r') {
        let end = format!("\"{}", "#".repeat(before.len() - start.len()));
        return rest[1..].find(&end).map_or(rest.len(), |at| 1 + at + end.len());
    }
    let mut is_escaped = false;
    let end = rest[1..].find(|c: char| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    end.map_or(rest.len(), |at| at + 2)
}

/// The length of a character with its quotes, such as `'\n'`. `None` for a lifetime.
fn length_of_character(rest: &str) -> Option<usize> {
    let inside = &rest[1..];
    let first = inside.chars().next()?;
    // What is escaped may be a quote itself.
    let least = if first == '\\' { 2 } else { first.len_utf8() };
    let more = inside.get(least..)?.find('\'')?;
    (first == '\\' || more == 0).then_some(least + more + 2)
}

/// Code without the items marked `#[cfg(test)]`, and these items.
fn without_tests(code: &str) -> (String, Vec<&str>) {
    let (mut kept, mut tests) = (String::new(), Vec::new());
    let mut rest = code;
    while let Some(at) = rest.find("#[cfg(test)]") {
        let (before, from) = rest.split_at(at);
        let (test, after) = from.split_at(length_of_item(from));
        kept.push_str(before);
        tests.push(test);
        rest = after;
    }
    kept.push_str(rest);
    (kept, tests)
}

/// The length of an item: to its semicolon, or to the brace that closes it.
fn length_of_item(item: &str) -> usize {
    let mut depth = 0;
    for (at, c) in item.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 && matches!(c, ';' | '}') {
            return at + 1;
        }
    }
    item.len()
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn length_of_name(text: &str) -> usize {
    text.find(|c: char| !is_of_name(c)).unwrap_or(text.len())
}

/// The paths that begin here: one, or one for each item of a list in braces.
fn paths_at(text: &str) -> Vec<Vec<&str>> {
    let text = text.trim_start();
    if let Some(list) = text.strip_prefix('{') {
        return items(list).into_iter().flat_map(paths_at).collect();
    }
    let length = if text.starts_with('*') { 1 } else { length_of_name(text) };
    let (name, rest) = text.split_at(length);
    if name.is_empty() {
        return vec![Vec::new()];
    }
    let rests = rest.strip_prefix("::").map_or_else(|| vec![Vec::new()], paths_at);
    rests.into_iter().map(|rest| [vec![name], rest].concat()).collect()
}

/// The items of a list, which begins after its opening brace.
fn items(list: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let (mut start, mut depth) = (0, 0);
    for (at, c) in list.char_indices() {
        match c {
            ',' | '}' if depth == 0 => {
                items.push(list[start..at].trim());
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

#[test]
fn only_tests_are_cut_and_lists_give_each_of_their_paths() {
    let text = r##"
        #[cfg(test)]
        mod tests;
        use super::{links::{self, Link}, paths}; // use crate::comment::A;
        #[cfg(test)]
        mod more { const BRACE: (char, &str) = ('{', "\"{"); fn not() { crate::test::B } }
        fn raw<'a>() -> bool { r#"crate::text::"C"#.is_empty() && '"' != '\'' }
        fn looks(a: &Path, b: &[&Path]) -> bool { a.exists() && b.iter().all(Path::is_dir) }
        use crate::after::D;
    "##;
    let code = without_texts(text);
    let (code, tests) = without_tests(&code);
    assert_eq!(tests.len(), 2);
    assert!(tests[0].ends_with("mod tests;"), "{}", tests[0]);
    let found: Vec<String> = paths(&code).iter().map(|path| path.join("::")).collect();
    let expected = [
        "super::links::self",
        "super::links::Link",
        "super::paths",
        "links::self",
        "links::Link",
        "Path::is_dir",
        "crate::after::D",
    ];
    assert_eq!(found, expected);
    assert!([".exists", ".is_dir", ".is_empty", "after::D"].iter().all(|name| mentions(&code).contains(*name)));
}
