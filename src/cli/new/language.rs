//! `sitegen new locale`: adds a language to a site, so that only words are left to translate. It adds the code to
//! `locales`, the main language's text to every label that has a text for each language, and files to translate: the
//! interface words, the home page, and the words of the lead form.

use std::path::PathBuf;

use diagnostics::problem::{Place, Problem, Source};
use diagnostics::yaml::{self, Node, Value};
use generator::config::Config;
use generator::content;
use generator::files::FileSet;

use super::super::theme::embedded;
use super::content::{NewFiles, check_language, locale_file, refused};
use super::{Created, NewContent};

/// The settings, which name the languages.
const SETTINGS: &str = "content/site.yaml";
/// Files whose labels have a text for each language.
const LABELED: [&str; 5] = [
    SETTINGS,
    "content/clients.yaml",
    "content/case-studies.yaml",
    "content/lead-form/services.yaml",
    "content/style-guide/sidebar.yaml",
];
/// Folders of such files.
const LABELED_FOLDERS: [&str; 2] = ["content/authors", "content/case-studies"];

/// Adds a language to a site.
pub(super) fn locale(config: &Config, code: &str) -> NewFiles {
    check_language(code)?;
    let known: Vec<&str> = config.site.locales.iter().map(|code| code.value.as_str()).collect();
    let Some(main) = known.first().copied().filter(|main| *main != code) else {
        return Err(refused(format!("`{code}` is the main language of the site")));
    };
    let root = &config.paths.root;
    let (mut created, mut changed, mut labels) = (Vec::new(), Vec::new(), 0);
    let theme = embedded();
    let path = format!("content/locales/{code}.yaml");
    let is_translated = config.site.theme.is_some() && theme.get(&path).is_some();
    if !is_translated && !root.join(&path).exists() {
        created.push(locale_file(&theme, code)?);
    }
    created.extend(home(config, main, code)?);
    let words = |code: &str| format!("content/lead-form/{code}.yaml");
    if root.join(words(main)).is_file() && !root.join(words(code)).exists() {
        created.push((words(code), root.read_text(&root.join(words(main)))?.text.clone().into_bytes()));
    }
    for file in labeled_files(root) {
        let source = root.read_text(&file)?;
        // The check reports a file that cannot be read.
        let Ok(node) = yaml::parse(&source, 0..source.text.len()) else { continue };
        let mut edits = Edits { text: &source.text, known: &known, main, code, inserted: Vec::new() };
        edits.label(&node);
        labels += edits.inserted.len();
        if source.path == SETTINGS && !known.contains(&code) {
            edits.list(node.get("locales"));
        }
        if edits.inserted.is_empty() {
            continue;
        }
        let text = edits.apply();
        let agrees = |text: &str| {
            let after = Source { path: source.path.clone(), text: text.to_owned() };
            let after = yaml::parse(&after, 0..text.len()).ok()?;
            Some(is_extended(&node, &after, main, code))
        };
        if agrees(&text) != Some(true) {
            let message = format!("`{code}` could not be added to this file");
            let problem = refused(message).at(Place::file(source.path.clone()));
            return Err(problem.hint(format!("add `{code}: …` beside each `{main}: …` by hand; nothing was changed")));
        }
        changed.push((source.path.clone(), text.into_bytes()));
    }
    if created.is_empty() && changed.is_empty() {
        return Err(refused(format!("the site has the language `{code}`, and all its labels"))
            .hint("`sitegen translations` lists what is not translated"));
    }
    let next = format!(
        "translate {}; then `sitegen translations` lists the pages that have no `{code}` yet",
        match (created.len(), labels) {
            (0, _) => format!("the {labels} labels that were added"),
            (_, 0) => "the new files".to_owned(),
            _ => format!("the new files, and the {labels} labels that were added"),
        }
    );
    Ok(Created { files: created, changed, next })
}

/// The files with labels that the site has.
fn labeled_files(root: &FileSet) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = LABELED.iter().map(|path| root.join(path)).filter(|path| path.is_file()).collect();
    for folder in LABELED_FOLDERS {
        let (listed, _) = root.list(&root.join(folder));
        found.extend(listed.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "yaml")));
    }
    found
}

/// The home page in the new language: the main one, at the prefix of the language. None if there is one.
fn home(config: &Config, main: &str, code: &str) -> Result<Option<NewContent>, Problem> {
    let (content, _) = content::load(config);
    let (prefix, main_home) = (format!("/{code}/"), format!("{}/", config.site.prefix(main)));
    if content.pages.iter().any(|page| page.head.path.value == prefix) {
        return Ok(None);
    }
    let Some(page) = content.pages.iter().find(|page| page.locale == main && page.head.path.value == main_home) else {
        return Ok(None);
    };
    let path = format!("content/pages/{}/{code}.yaml", page.key);
    if config.paths.root.join(&path).exists() {
        return Ok(None);
    }
    let from = format!("content/pages/{}/{main}.yaml", page.key);
    let source = config.paths.root.read_text(&config.paths.root.join(&from))?;
    let lines = source.text.lines().map(|line| match line.strip_prefix("path:") {
        Some(_) => format!("path: {prefix}\n"),
        None => format!("{line}\n"),
    });
    Ok(Some((path, lines.collect::<String>().into_bytes())))
}

/// Texts to insert into a file.
struct Edits<'a> {
    text: &'a str,
    /// The languages of the site.
    known: &'a [&'a str],
    main: &'a str,
    code: &'a str,
    /// Offsets, and what to insert there.
    inserted: Vec<(usize, String)>,
}

impl Edits<'_> {
    /// Adds the language to each block of texts in the languages of the site.
    fn label(&mut self, node: &Node) {
        match &node.value {
            Value::List(items) => items.iter().for_each(|item| self.label(item)),
            Value::Map(_) if is_localized(node, self.known, self.main) && node.get(self.code).is_some() => {}
            Value::Map(_) if is_localized(node, self.known, self.main) => {
                let at = if self.text[node.span.start as usize..].starts_with('{') {
                    self.in_braces(node)
                } else {
                    self.in_block(node)
                };
                self.inserted.extend(at);
            }
            Value::Map(entries) => entries.iter().for_each(|(_, value)| self.label(value)),
            _ => {}
        }
    }

    /// Adds the language to the list of languages.
    fn list(&mut self, list: Option<&Node>) {
        let Some(Node { value: Value::List(items), span, .. }) = list else { return };
        let Some(last) = items.last() else { return };
        let (start, last) = (span.start as usize, last.span.start as usize);
        if self.text[start..].starts_with('[') {
            let end = closing(self.text, start);
            let trimmed = self.text[start..end].trim_end();
            let comma = if trimmed.ends_with(',') { " " } else { ", " };
            self.inserted.push((start + trimmed.len(), format!("{comma}{}", self.code)));
        } else {
            let line = self.text[..last].rfind('\n').map_or(0, |at| at + 1);
            let end = self.text[last..].find('\n').map_or(self.text.len(), |at| last + at);
            self.inserted.push((end, format!("\n{}{}", &self.text[line..last], self.code)));
        }
    }

    /// `{en: Services}` → `{en: Services, fr: Services}`.
    fn in_braces(&self, node: &Node) -> Option<(usize, String)> {
        let Value::Map(entries) = &node.value else { return None };
        let start = node.span.start as usize;
        let end = closing(self.text, start);
        let at = entries.iter().position(|(key, _)| key.name == self.main)?;
        let value = entries[at].1.span.start as usize;
        let until = entries.get(at + 1).map_or(end, |(key, _)| key.span.start as usize);
        let value = self.text.get(value..until)?.trim_end().trim_end_matches(',').trim_end();
        let trimmed = self.text[start..end].trim_end();
        let comma = if trimmed.ends_with(',') { " " } else { ", " };
        Some((start + trimmed.len(), format!("{comma}{}: {value}", self.code)))
    }

    /// Adds the lines of the main language once more, after those of the last one.
    fn in_block(&self, node: &Node) -> Option<(usize, String)> {
        let Value::Map(entries) = &node.value else { return None };
        let at = entries.iter().position(|(key, _)| key.name == self.main)?;
        let start = |at: usize| entries[at].0.span.start as usize;
        let line = |offset: usize| self.text[..offset].rfind('\n').map_or(0, |at| at + 1);
        let column = start(at) - line(start(at));
        let end = |at: usize| {
            let next = entries.get(at + 1).map(|(key, _)| line(key.span.start as usize));
            let region = &self.text[start(at)..next.unwrap_or(self.text.len())];
            start(at) + own_lines(region, column)
        };
        let entry = self.text.get(start(at)..end(at))?;
        let (_, value) = entry.split_once(':')?;
        Some((end(entries.len() - 1), format!("\n{}{}:{value}", " ".repeat(column), self.code)))
    }

    fn apply(mut self) -> String {
        self.inserted.sort_by_key(|(at, _)| *at);
        let mut text = self.text.to_owned();
        self.inserted.iter().rev().for_each(|(at, new)| text.insert_str(*at, new));
        text
    }
}

/// The length of the lines that belong to a key at this column: its own, and those that are indented more. Blank lines
/// and comments after them do not count.
fn own_lines(region: &str, column: usize) -> usize {
    let (mut length, mut at) = (0, 0);
    for (number, line) in region.split_inclusive('\n').enumerate() {
        let text = line.trim();
        let indent = line.len() - line.trim_start_matches(' ').len();
        let is_item = indent == column && text.starts_with("- ");
        if number > 0 && !text.is_empty() && indent <= column && !is_item {
            break;
        }
        at += line.len();
        if number == 0 || !(text.is_empty() || text.starts_with('#')) {
            length = at - (line.len() - line.trim_end().len());
        }
    }
    length
}

/// The offset of the bracket that closes the one at `start`; the end of the text if there is none.
fn closing(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut at, mut before) = (0_usize, start, b' ');
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            // A quotation mark inside of a word is a letter.
            quote @ (b'"' | b'\'') if matches!(before, b'{' | b'[' | b',' | b':') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += if quote == b'"' && bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'#' if at > 0 && bytes[at - 1].is_ascii_whitespace() => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
            }
            _ => {}
        }
        before = match bytes.get(at) {
            Some(byte) if !byte.is_ascii_whitespace() => *byte,
            _ => before,
        };
        at += 1;
    }
    text.len()
}

/// Whether a block holds a value for some languages of the site, the main one among them.
fn is_localized(node: &Node, known: &[&str], main: &str) -> bool {
    let Value::Map(entries) = &node.value else { return false };
    node.get(main).is_some() && entries.iter().all(|(key, _)| known.contains(&key.name.as_str()))
}

/// Whether a file says what it did before, and has values of the main language as those of the new one, where it had
/// none.
fn is_extended(before: &Node, after: &Node, main: &str, code: &str) -> bool {
    match (&before.value, &after.value) {
        (Value::Map(old), Value::Map(new)) => {
            new.iter().all(|(key, value)| match before.get(&key.name) {
                Some(known) => is_extended(known, value, main, code),
                None => key.name == code && before.get(main).is_some_and(|main| plain(main) == plain(value)),
            }) && old.iter().all(|(key, _)| after.get(&key.name).is_some())
        }
        (Value::List(old), Value::List(new)) => {
            // The list of languages has one more.
            let rest = &new[old.len().min(new.len())..];
            let is_same = old.iter().zip(new).all(|(old, new)| is_extended(old, new, main, code));
            is_same && (rest.is_empty() || matches!(rest, [added] if added.as_text() == Some(code)))
        }
        (old, new) => old == new,
    }
}

/// A value without its places.
fn plain(node: &Node) -> serde_json::Value {
    match &node.value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Float(value) => (*value).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(items) => items.iter().map(plain).collect(),
        Value::Map(entries) => entries.iter().map(|(key, value)| (key.name.clone(), plain(value))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, expect: &str) {
        let source = Source { path: "a.yaml".into(), text: before.into() };
        let node = yaml::parse(&source, 0..before.len()).expect("YAML");
        let known = ["en", "es"];
        let mut edits = Edits { text: before, known: &known, main: "en", code: "fr", inserted: Vec::new() };
        edits.label(&node);
        edits.list(node.get("locales"));
        let after = edits.apply();
        assert_eq!(after, expect);
        let parsed = Source { path: "a.yaml".into(), text: after.clone() };
        let parsed = yaml::parse(&parsed, 0..after.len()).expect("YAML");
        assert!(is_extended(&node, &parsed, "en", "fr"), "{after}");
    }

    #[test]
    fn a_label_in_braces_gets_the_language() {
        check("a: {en: Services}\n", "a: {en: Services, fr: Services}\n");
        check(
            "a: { en: \"One, {two}\", es: 'Un''o' } # x\n",
            "a: { en: \"One, {two}\", es: 'Un''o', fr: \"One, {two}\" } # x\n",
        );
        check("a: {es: Dos, en: it's, }\n", "a: {es: Dos, en: it's, fr: it's }\n");
        check(
            "- label: {en: {label: Go, to: /a/}}\n  to: x\n",
            "- label: {en: {label: Go, to: /a/}, fr: {label: Go, to: /a/}}\n  to: x\n",
        );
        check("a: {en: A,\n    es: B}\n", "a: {en: A,\n    es: B, fr: A}\n");
    }

    #[test]
    fn a_label_in_a_block_gets_the_language() {
        check("a:\n  en: Services\n\n# next\nb: c\n", "a:\n  en: Services\n  fr: Services\n\n# next\nb: c\n");
        check(
            "a:\n  en: |\n    One\n\n    two\n  es: Dos\nb: c",
            "a:\n  en: |\n    One\n\n    two\n  es: Dos\n  fr: |\n    One\n\n    two\nb: c",
        );
        check("- en: A # first\n  es: B\n- en: C\n", "- en: A # first\n  es: B\n  fr: A # first\n- en: C\n  fr: C\n");
        check("a:\n  en:\n  - one\n  - two\nb: c\n", "a:\n  en:\n  - one\n  - two\n  fr:\n  - one\n  - two\nb: c\n");
        check("en: A\n", "en: A\nfr: A\n");
        check("en: A", "en: A\nfr: A");
    }

    #[test]
    fn other_blocks_stay() {
        for text in ["a: {en: A, other: B}\n", "a: {es: B}\n", "a: {en: A, es: B, fr: C}\n", "a: [en, es]\n"] {
            check(text, text);
        }
    }

    #[test]
    fn the_list_of_languages_gets_the_language() {
        check("locales: [en]  # the first\n", "locales: [en, fr]  # the first\n");
        check("locales:\n  - en\n  - es # two\na: b\n", "locales:\n  - en\n  - es # two\n  - fr\na: b\n");
    }
}
