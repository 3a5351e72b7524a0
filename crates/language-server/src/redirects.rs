//! Edits of the redirects in `content/site.yaml` that leave the rest of the file as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use diagnostics::problem::Source;
use diagnostics::yaml::{self, Node, Value};

type Edits = Vec<(Range<usize>, String)>;

/// A text as a value of YAML, in quotes if it needs them, also inside of brackets.
pub(super) fn scalar(text: &str) -> String {
    yaml::value_text(text, true)
}

/// The edits that redirect the addresses in `gone` to their targets, and that remove redirects from `fresh` addresses,
/// which are pages now. `None` if the file is written in a way that is not understood.
pub(super) fn edits(
    source: &Source,
    gone: &BTreeMap<String, String>,
    fresh: &BTreeSet<&str>,
) -> Option<Edits> {
    let text = source.text.as_str();
    let root = yaml::parse(source, 0..text.len()).ok()?;
    let line = |from: &str, to: &str| {
        let from = from.trim_end_matches('/');
        format!(
            "{{from: {}, to: {}}}",
            scalar(if from.is_empty() { "/" } else { from }),
            scalar(to)
        )
    };
    let lines: Vec<String> = gone.iter().map(|(from, to)| line(from, to)).collect();
    let Some(list) = root.get("redirects") else {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let block = format!("{end}\nredirects:\n{}", block(&lines, 2));
        return Some(if lines.is_empty() {
            Vec::new()
        } else {
            vec![(text.len()..text.len(), block)]
        });
    };
    let items = match &list.value {
        Value::List(items) => items.as_slice(),
        Value::Null => &[],
        _ => return None,
    };
    let is_flow = is_flow(list, text);
    let mut edits = rewritten(list, text, gone, fresh)?;
    let is_left = edits.iter().filter(|(_, new)| new.is_empty()).count() < items.len();
    if lines.is_empty() {
        return Some(if is_left || items.is_empty() {
            edits
        } else {
            vec![(
                whole_lines(text, key_start(&root)?..list.extent().end as usize),
                String::new(),
            )]
        });
    }
    if is_flow {
        let last = items
            .last()
            .map_or(list.span.start as usize + 1, |item| extent(item, text).end);
        let end = last + text[last..].find(']')?;
        let comma = if is_left { ", " } else { "" };
        edits.push((end..end, format!("{comma}{}", lines.join(", "))));
        return Some(edits);
    }
    // Below the last item, or below the key.
    let (last, indent) = match items.last() {
        Some(item) => {
            let start = extent(item, text).start;
            let line = &text[text[..start].rfind('\n').map_or(0, |at| at + 1)..start];
            (extent(item, text).end, line.len() - line.trim_start().len())
        }
        None => (key_start(&root)?, 2),
    };
    let end = text[last..]
        .find('\n')
        .map_or(text.len(), |at| last + at + 1);
    let open = if text[..end].ends_with('\n') {
        ""
    } else {
        "\n"
    };
    edits.push((end..end, [open, &block(&lines, indent)].concat()));
    Some(edits)
}

/// The edits of a file with redirects only, which gets no new ones.
pub(super) fn edits_of_list(
    source: &Source,
    gone: &BTreeMap<String, String>,
    fresh: &BTreeSet<&str>,
) -> Option<Edits> {
    let list = yaml::parse(source, 0..source.text.len()).ok()?;
    rewritten(&list, &source.text, gone, fresh)
}

fn is_flow(list: &Node, text: &str) -> bool {
    text[list.span.start as usize..].starts_with('[')
}

/// The edits of the redirects that are there.
fn rewritten(
    list: &Node,
    text: &str,
    gone: &BTreeMap<String, String>,
    fresh: &BTreeSet<&str>,
) -> Option<Edits> {
    let Value::List(items) = &list.value else {
        return Some(Edits::new());
    };
    let is_flow = is_flow(list, text);
    let mut edits = Edits::new();
    for item in items {
        let (from, to) = (item.get("from")?.as_text()?, item.get("to")?);
        let extent = extent(item, text);
        if fresh.contains(with_slash(from).as_str()) {
            edits.push((
                if is_flow {
                    with_comma(text, extent)
                } else {
                    whole_lines(text, extent)
                },
                String::new(),
            ));
        } else if let Some(target) = to.as_text().and_then(|to| gone.get(&with_slash(to))) {
            edits.push((to.span.start as usize..to.span.end as usize, scalar(target)));
        }
    }
    Some(edits)
}

/// A list with an item on each line.
fn block(items: &[String], indent: usize) -> String {
    let indent = " ".repeat(indent);
    items
        .iter()
        .flat_map(|item| [indent.as_str(), "- ", item, "\n"])
        .collect()
}

fn with_slash(path: &str) -> String {
    format!("{}/", path.trim_end_matches('/'))
}

/// The range of an item, with the bracket that closes it.
fn extent(node: &Node, text: &str) -> Range<usize> {
    let span = node.extent();
    let (start, end) = (span.start as usize, span.end as usize);
    let is_flow = text[start..].starts_with('{');
    start..if is_flow {
        text[end..].find('}').map_or(end, |at| end + at + 1)
    } else {
        end
    }
}

/// Where the key `redirects` begins.
fn key_start(root: &Node) -> Option<usize> {
    let Value::Map(entries) = &root.value else {
        return None;
    };
    let (key, _) = entries.iter().find(|(key, _)| key.name == "redirects")?;
    Some(key.span.start as usize)
}

/// The lines that a range is on.
fn whole_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    start
        ..text[range.end..]
            .find('\n')
            .map_or(text.len(), |at| range.end + at + 1)
}

/// A range with the comma behind it, or the one before it.
fn with_comma(text: &str, range: Range<usize>) -> Range<usize> {
    let rest = &text[range.end..];
    match rest.trim_start().strip_prefix(',') {
        Some(after) => range.start..text.len() - after.trim_start().len(),
        None => text[..range.start].trim_end().trim_end_matches(',').len()..range.end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, gone: &[(&str, &str)], fresh: &[&str], expect: &str) {
        let source = Source::new("content/site.yaml".into(), text.into());
        let gone = gone
            .iter()
            .map(|(from, to)| ((*from).to_owned(), (*to).to_owned()))
            .collect();
        let mut edits =
            edits(&source, &gone, &fresh.iter().copied().collect()).expect("understood");
        edits.sort_by_key(|(range, _)| range.start);
        let mut edited = text.to_owned();
        for (range, new) in edits.into_iter().rev() {
            edited.replace_range(range, &new);
        }
        assert_eq!(edited, expect, "{text}");
        yaml::parse(&Source::new(String::new(), edited.clone()), 0..edited.len())
            .expect("valid YAML");
    }

    const NEW: &[(&str, &str)] = &[("/old/", "page:new")];

    #[test]
    fn redirects_are_added_where_the_others_are() {
        check(
            "a: 1\n",
            NEW,
            &[],
            "a: 1\n\nredirects:\n  - {from: /old, to: page:new}\n",
        );
        check(
            "a: 1",
            NEW,
            &[],
            "a: 1\n\nredirects:\n  - {from: /old, to: page:new}\n",
        );
        check(
            "redirects:\n\nb: 2\n",
            NEW,
            &[],
            "redirects:\n  - {from: /old, to: page:new}\n\nb: 2\n",
        );
        check(
            "redirects: []\nb: 2\n",
            NEW,
            &[],
            "redirects: [{from: /old, to: page:new}]\nb: 2\n",
        );
        check(
            "redirects:\n  # Note\n  - {from: /a, to: page:b}  # why\n\nb: 2\n",
            NEW,
            &[],
            "redirects:\n  # Note\n  - {from: /a, to: page:b}  # why\n  - {from: /old, to: page:new}\n\nb: 2\n",
        );
        check(
            "redirects:\n- from: /a\n  to: page:b\nb: 2\n",
            NEW,
            &[],
            "redirects:\n- from: /a\n  to: page:b\n- {from: /old, to: page:new}\nb: 2\n",
        );
        check(
            "redirects: [{from: /a, to: page:b}]\n",
            NEW,
            &[],
            "redirects: [{from: /a, to: page:b}, {from: /old, to: page:new}]\n",
        );
    }

    #[test]
    fn redirects_of_pages_are_removed_and_chains_are_shortened() {
        check(
            "redirects:\n  - {from: /back, to: page:x}\n  - {from: /a, to: /old/}\n",
            NEW,
            &["/back/"],
            "redirects:\n  - {from: /a, to: page:new}\n  - {from: /old, to: page:new}\n",
        );
        check(
            "redirects:\n  - {from: /back, to: page:x}\nb: 1\n",
            NEW,
            &["/back/"],
            "redirects:\n  - {from: /old, to: page:new}\nb: 1\n",
        );
        check(
            "redirects: [{from: /back, to: page:x}]\n",
            NEW,
            &["/back/"],
            "redirects: [{from: /old, to: page:new}]\n",
        );
        check("a: 1\n", &[], &["/x/"], "a: 1\n");
        let text = "- {from: /x, to: page:y}\n- from: /z\n  to: /old/\n";
        let source = Source::new("content/redirects/import.yaml".into(), text.into());
        let gone = BTreeMap::from([("/old/".to_owned(), "page:new".to_owned())]);
        let found = edits_of_list(&source, &gone, &BTreeSet::from(["/x/"])).expect("understood");
        assert_eq!(found.len(), 2);
        assert_eq!(
            (&text[found[0].0.clone()], &text[found[1].0.clone()]),
            ("- {from: /x, to: page:y}\n", "/old/")
        );
        check(
            "a: 1\nredirects:\n  - {from: /x, to: page:y}\nb: 2\n",
            &[],
            &["/x/"],
            "a: 1\nb: 2\n",
        );
    }

    #[test]
    fn values_have_quotes_where_they_need_them() {
        for (text, expect) in [
            ("DevOps", "DevOps"),
            ("C++", "C++"),
            ("Site Reliability", "Site Reliability"),
            ("/a/b", "/a/b"),
            ("2024", "\"2024\""),
            ("No", "\"No\""),
            ("a, b", "\"a, b\""),
            ("say \"x\"", "say \"x\""),
            ("# x", "\"# x\""),
        ] {
            assert_eq!(scalar(text), expect);
        }
    }
}
