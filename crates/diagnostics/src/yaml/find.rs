//! Finds a key or a value again in the files of a source, for a problem that is noticed when the tree of the file is gone.
//!
//! A search of the text would find the word in a title or an address as well. This one goes through the tree.

use crate::problem::{Place, Source, Span};

use super::{Node, Value, parse};

/// A key with the names of the keys that lead to it, its own last, and its value.
struct Entry {
    path: Vec<String>,
    span: Span,
    value: Node,
}

/// The place of a key, by the last keys that lead to it: `["filters", "city"]`. Of several, the one with the fewest keys before
/// it, then the first. The file as a whole if there is none.
pub fn place_of_key(source: &Source, path: &[&str]) -> Place {
    span_of_key(source, path).map_or_else(
        || Place::file(source.path.clone()),
        |span| source.place(span),
    )
}

/// Like [`place_of_key`], the span; `None` if there is no such key.
pub fn span_of_key(source: &Source, path: &[&str]) -> Option<Span> {
    entries(source, path).first().map(|entry| entry.span)
}

/// The place of a text in the value of a key or below it, by the last keys that lead to it. A value that is this text goes
/// before one that contains it. The place of the key if there is neither.
pub fn place_of_text(source: &Source, path: &[&str], text: &str) -> Place {
    let entries = entries(source, path);
    let texts: Vec<(&str, Span)> = entries
        .iter()
        .flat_map(|entry| texts(&entry.value))
        .collect();
    // Lists of fields to sort by have a sign before the name.
    let whole = texts
        .iter()
        .find(|(written, _)| *written == text || written.strip_prefix('-') == Some(text));
    match whole.or_else(|| texts.iter().find(|(written, _)| written.contains(text))) {
        Some((_, span)) => source.place(source.locate(*span, text)),
        None => place_of_key(source, path),
    }
}

/// The entries of all files of a source to which these keys lead last.
fn entries(source: &Source, path: &[&str]) -> Vec<Entry> {
    let mut all = Vec::new();
    for part in source.parts() {
        if let Ok(node) = parse(source, part) {
            collect(&node, &[], &mut all);
        }
    }
    let wanted: Vec<&str> = path.iter().flat_map(|key| key.split('.')).collect();
    all.retain(|entry| {
        entry
            .path
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .ends_with(&wanted)
    });
    all.sort_by_key(|entry| entry.path.len());
    all
}

fn collect(node: &Node, above: &[String], all: &mut Vec<Entry>) {
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| collect(item, above, all)),
        Value::Map(entries) => {
            for (key, value) in entries {
                // A key may be a path: `hero.title`.
                let path = [
                    above,
                    &key.name.split('.').map(str::to_owned).collect::<Vec<_>>(),
                ]
                .concat();
                collect(value, &path, all);
                all.push(Entry {
                    path,
                    span: key.span,
                    value: value.clone(),
                });
            }
        }
        _ => {}
    }
}

/// The texts of a value with their places, its own first.
fn texts(node: &Node) -> Vec<(&str, Span)> {
    match &node.value {
        Value::Text(text) => vec![(text, node.defined)],
        Value::List(items) => items.iter().flat_map(texts).collect(),
        Value::Map(entries) => entries.iter().flat_map(|(_, node)| texts(node)).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        let words = Source::new(
            "en.yaml".into(),
            "path: /events/\nlist.title: All events by date\n".into(),
        );
        let text = "sections:\n  list: {kind: entries, of: event, sort: [-dat, date]}\n  map: {of: places}\n";
        words
            .followed_by(&Source::new("page.yaml".into(), text.into()))
            .0
    }

    fn check(place: &Place, path: &str, line: u32, column: u32) {
        let start = place
            .range
            .as_ref()
            .map(|range| (range.start.line, range.start.column));
        assert_eq!((place.path.as_str(), start), (path, Some((line, column))));
    }

    #[test]
    fn a_text_is_found_below_its_key_and_nowhere_else() {
        let source = source();
        check(
            &place_of_text(&source, &["of"], "event"),
            "page.yaml",
            2,
            29,
        );
        check(
            &place_of_text(&source, &["map", "of"], "places"),
            "page.yaml",
            3,
            13,
        );
        check(
            &place_of_text(&source, &["sort"], "dat"),
            "page.yaml",
            2,
            44,
        );
        check(
            &place_of_text(&source, &["sort"], "date"),
            "page.yaml",
            2,
            49,
        );
        check(&place_of_text(&source, &["title"], "by"), "en.yaml", 2, 24);
    }

    #[test]
    fn a_key_is_found_by_the_keys_before_it() {
        let source = source();
        check(&place_of_key(&source, &["map", "of"]), "page.yaml", 3, 9);
        check(&place_of_key(&source, &["path"]), "en.yaml", 1, 1);
        check(
            &place_of_text(&source, &["of"], "nothing"),
            "page.yaml",
            2,
            25,
        );
        assert_eq!(place_of_key(&source, &["other"]), Place::file("en.yaml"));
    }

    #[test]
    fn front_matter_is_searched_and_text_is_not() {
        let source = Source::new("a.md".into(), "---\ntitle: A\n---\nend: 1\n".into());
        check(&place_of_key(&source, &["title"]), "a.md", 2, 1);
        assert_eq!(place_of_key(&source, &["end"]), Place::file("a.md"));
    }
}
