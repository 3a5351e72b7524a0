//! The shape of a document: its outline, what can be folded, and the colors in it.

use std::ops::Range;
use std::path::Path;

use lsp_types::{
    Color, ColorInformation, DocumentSymbol, FoldingRange, FoldingRangeKind, SymbolKind,
};
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};

use diagnostics::problem::{Source, Span};
use diagnostics::yaml::{self, Node, Value};

use super::text::Text;

/// Keys that name an item of a list in its outline, the first of them that it has.
const NAMES: [&str; 6] = ["kind", "name", "title", "label", "id", "from"];
/// The maximum number of levels of an outline. A tree of YAML is less deep than that of a hostile file.
const MAX_DEPTH: usize = 12;

/// The outline of a document: the headings of a post, or the keys and sections of a file of YAML.
pub(super) fn symbols(path: &Path, text: &Text) -> Vec<DocumentSymbol> {
    if path.extension().is_some_and(|ending| ending == "md") {
        return headings(text);
    }
    let source = Source::new(path.to_string_lossy().into_owned(), text.text.to_string());
    let tree = yaml::parse(&source, 0..source.text.len()).or_else(|problem| {
        // While a line is being typed, the outline is that of the lines above.
        let range = problem.place.and_then(|place| place.range);
        let line = range.map_or(0, |range| (range.start.line as usize).saturating_sub(1));
        yaml::parse(&source, 0..text.start_of(line))
    });
    tree.map(|tree| of_tree(&tree, text, 0)).unwrap_or_default()
}

/// The keys of a map, and the items of a list that have a name.
fn of_tree(node: &Node, text: &Text, depth: usize) -> Vec<DocumentSymbol> {
    let below = |node: &Node| {
        if depth < MAX_DEPTH {
            of_tree(node, text, depth + 1)
        } else {
            Vec::new()
        }
    };
    match &node.value {
        Value::Map(entries) => entries
            .iter()
            .map(|(key, value)| {
                let is_block = matches!(value.value, Value::Map(_) | Value::List(_));
                let kind = if is_block {
                    SymbolKind::NAMESPACE
                } else {
                    SymbolKind::PROPERTY
                };
                let name = range_of(key.span);
                let whole = name.start..range_of(value.extent()).end.max(name.end);
                symbol(key.name.clone(), kind, text, whole, name, below(value))
            })
            .collect(),
        Value::List(items) => items
            .iter()
            .filter_map(|item| {
                let (name, at) = NAMES.iter().find_map(|name| {
                    let value = item.get(name)?;
                    Some((value.as_text()?.to_owned(), range_of(value.span)))
                })?;
                Some(symbol(
                    name,
                    SymbolKind::CLASS,
                    text,
                    range_of(item.extent()),
                    at,
                    below(item),
                ))
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn range_of(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// The headings of a post, each with those of lower levels below it.
fn headings(text: &Text) -> Vec<DocumentSymbol> {
    let body = (0..text.len())
        .filter(|line| text.line(*line).trim_end() == "---")
        .nth(1);
    let from = if text.line(0).trim_end() == "---" {
        body.map_or(0, |line| text.start_of(line + 1))
    } else {
        0
    };
    let mut found: Vec<(HeadingLevel, Range<usize>, String)> = Vec::new();
    let mut is_inside = false;
    for (event, range) in Parser::new(&text.text[from..]).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                found.push((level, from + range.start..from + range.end, String::new()));
                is_inside = true;
            }
            Event::End(TagEnd::Heading(_)) => is_inside = false,
            Event::Text(part) | Event::Code(part) if is_inside => {
                if let Some((.., name)) = found.last_mut() {
                    name.push_str(&part);
                }
            }
            _ => {}
        }
    }
    let starts: Vec<(HeadingLevel, usize)> = found
        .iter()
        .map(|(level, range, _)| (*level, range.start))
        .collect();
    let mut roots: Vec<DocumentSymbol> = Vec::new();
    let mut open: Vec<HeadingLevel> = Vec::new();
    for (at, (level, range, name)) in found.into_iter().enumerate() {
        let next = starts[at + 1..]
            .iter()
            .find(|(other, _)| *other <= level)
            .map_or(text.text.len(), |(_, at)| *at);
        while open.pop_if(|above| *above >= level).is_some() {}
        let end = range.start + text.text[range.start..next].trim_end().len();
        let line = range.start..range.start + text.text[range.clone()].trim_end().len();
        let symbol = symbol(
            name,
            SymbolKind::STRING,
            text,
            range.start..end,
            line,
            Vec::new(),
        );
        add(&mut roots, symbol, open.len());
        open.push(level);
    }
    roots
}

/// Adds a symbol below the last one of the list, so many levels deep.
fn add(list: &mut Vec<DocumentSymbol>, symbol: DocumentSymbol, depth: usize) {
    match list.last_mut().filter(|_| depth > 0) {
        Some(parent) => add(parent.children.get_or_insert_default(), symbol, depth - 1),
        None => list.push(symbol),
    }
}

/// A symbol with its whole range and that of its name.
fn symbol(
    name: String,
    kind: SymbolKind,
    text: &Text,
    whole: Range<usize>,
    selection: Range<usize>,
    children: Vec<DocumentSymbol>,
) -> DocumentSymbol {
    // An editor refuses a name outside of its symbol.
    let whole = whole.start.min(selection.start)..whole.end.max(selection.end);
    #[expect(deprecated, reason = "a field of the type that must be given")]
    DocumentSymbol {
        // Editors refuse an empty name.
        name: if name.trim().is_empty() {
            "…".to_owned()
        } else {
            name
        },
        detail: None,
        kind,
        tags: None,
        deprecated: None,
        range: text.range(whole),
        selection_range: text.range(selection),
        children: (!children.is_empty()).then_some(children),
    }
}

/// The colors that are written in the design tokens.
pub(super) fn colors(path: &Path, text: &Text) -> Vec<ColorInformation> {
    if path.file_name().is_none_or(|name| name != "design.yaml") {
        return Vec::new();
    }
    let written = text.text.match_indices('#').filter_map(|(at, _)| {
        let rest = &text.text[at + 1..];
        let length = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        let digits = &rest[..length];
        let channel = |at: usize| -> Option<f32> {
            let pair = if length <= 4 {
                digits.get(at..=at)?.repeat(2)
            } else {
                digits.get(2 * at..2 * at + 2)?.to_owned()
            };
            Some(f32::from(u8::from_str_radix(&pair, 16).ok()?) / 255.0)
        };
        let alpha = if matches!(length, 4 | 8) {
            channel(3)?
        } else {
            1.0
        };
        let color = Color {
            red: channel(0)?,
            green: channel(1)?,
            blue: channel(2)?,
            alpha,
        };
        let range = text.range(at..at + 1 + length);
        matches!(length, 3 | 4 | 6 | 8).then_some(ColorInformation { range, color })
    });
    written.collect()
}

/// The parts that can be folded: YAML blocks and lists, front matter, parts below headings, code, and long comments.
pub(super) fn folds(path: &Path, text: &Text) -> Vec<FoldingRange> {
    let is_post = path.extension().is_some_and(|ending| ending == "md");
    let mut found: Vec<(usize, usize, Option<FoldingRangeKind>)> = Vec::new();
    let yaml = if !is_post {
        0..text.len()
    } else if text.line(0).trim_end() == "---" {
        let end = (1..text.len())
            .find(|line| text.line(*line).trim_end() == "---")
            .unwrap_or(text.len() - 1);
        found.push((0, end, None));
        1..end
    } else {
        0..0
    };
    if is_post {
        found.extend(of_markdown(text, yaml.end));
    }
    found.extend(of_yaml(text, yaml));
    found.retain(|(start, end, _)| end > start);
    found.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
    found
        .into_iter()
        .map(|(start, end, kind)| FoldingRange {
            start_line: u32::try_from(start).unwrap_or(u32::MAX),
            end_line: u32::try_from(end).unwrap_or(u32::MAX),
            kind,
            ..FoldingRange::default()
        })
        .collect()
}

/// A line with deeper lines below it, and comments.
fn of_yaml(text: &Text, lines: Range<usize>) -> Vec<(usize, usize, Option<FoldingRangeKind>)> {
    let mut found = Vec::new();
    // Lines that are open, with their columns.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut last = lines.start;
    let mut comment: Option<usize> = None;
    for line in lines.clone() {
        let written = text.line(line);
        let content = written.trim_start();
        if content.starts_with('#') {
            comment.get_or_insert(line);
            continue;
        }
        if let Some(start) = comment.take() {
            found.push((start, line - 1, Some(FoldingRangeKind::Comment)));
        }
        if content.is_empty() {
            continue;
        }
        let column = written.len() - content.len();
        // An item of a list may stand at the column of its key.
        let is_below = |above: usize, line: usize| {
            column > above
                || column == above
                    && content.starts_with("- ")
                    && !text.line(line).trim_start().starts_with("- ")
        };
        while let Some((start, _)) = open.pop_if(|(start, above)| !is_below(*above, *start)) {
            found.push((start, last, None));
        }
        open.push((line, column));
        last = line;
    }
    if let Some(start) = comment {
        found.push((
            start,
            lines.end.saturating_sub(1),
            Some(FoldingRangeKind::Comment),
        ));
    }
    found.extend(open.into_iter().map(|(start, _)| (start, last, None)));
    found
}

/// The parts below headings, up to the next one of the same level, and blocks of code.
fn of_markdown(text: &Text, from: usize) -> Vec<(usize, usize, Option<FoldingRangeKind>)> {
    let mut found = Vec::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let (mut code, mut last) = (None, from);
    for line in from..text.len() {
        let written = text.line(line);
        if written.trim_start().starts_with("```") {
            match code.take() {
                Some(start) => found.push((start, line, None)),
                None => code = Some(line),
            }
        }
        let level = written.len() - written.trim_start_matches('#').len();
        if code.is_none() && level > 0 && written[level..].starts_with(' ') {
            while let Some((start, _)) = open.pop_if(|(_, other)| *other >= level) {
                found.push((start, last, None));
            }
            open.push((line, level));
        }
        if !written.trim().is_empty() {
            last = line;
        }
    }
    found.extend(open.into_iter().map(|(start, _)| (start, last, None)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[DocumentSymbol]) -> Vec<&str> {
        list.iter().map(|one| one.name.as_str()).collect()
    }

    fn children(symbol: &DocumentSymbol) -> Vec<&str> {
        symbol.children.as_deref().map(names).unwrap_or_default()
    }

    #[test]
    fn sections_are_below_their_list() {
        let text = Text::new(
            "title: A\nsections:\n  - kind: hero\n    title: \"a: b\"\n    actions: [{label: Go, to: page:a}]\n  - {kind: faq}\n\
             note: |\n  not: a key\n# no: key\n",
        );
        let found = symbols(Path::new("a.yaml"), &text);
        assert_eq!(names(&found), ["title", "sections", "note"]);
        assert_eq!(children(&found[1]), ["hero", "faq"]);
        let hero = &found[1].children.as_ref().expect("sections")[0];
        assert_eq!(children(hero), ["kind", "title", "actions"]);
        assert_eq!(hero.range.end.line, 4);
        assert_eq!(children(&hero.children.as_ref().expect("keys")[2]), ["Go"]);
        let typing = Text::new("title: A\nsections:\n  - kind: hero\n  - kind: \"faq\nmore: 1\n");
        assert_eq!(
            names(&symbols(Path::new("a.yaml"), &typing)),
            ["title", "sections"]
        );
        assert!(symbols(Path::new("a.yaml"), &Text::new("")).is_empty());
    }

    #[test]
    fn headings_contain_those_of_lower_levels() {
        let text = Text::new(
            "---\ntitle: X\n---\n# A `b`\n\n```sh\n# no\n```\n\n### Deep\n\nB\n---\n\n# C\n\n## \n",
        );
        let found = symbols(Path::new("a.md"), &text);
        assert_eq!(names(&found), ["A b", "C"]);
        assert_eq!(children(&found[0]), ["Deep", "B"]);
        assert_eq!(children(&found[1]), ["…"]);
        assert_eq!(
            (found[0].range.start.line, found[0].range.end.line),
            (3, 12)
        );
    }

    fn check_folds(path: &str, text: &str, expect: &[(u32, u32)]) {
        let found: Vec<(u32, u32)> = folds(Path::new(path), &Text::new(text))
            .iter()
            .map(|fold| (fold.start_line, fold.end_line))
            .collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn blocks_and_lists_can_be_folded() {
        check_folds(
            "a.yaml",
            "a: 1\nb:\n  c: 1\n  d:\n    e: 2\n\nf: 1\n",
            &[(1, 4), (3, 4)],
        );
        check_folds(
            "a.yaml",
            "s:\n- kind: a\n  t: 1\n- kind: b\n",
            &[(0, 3), (1, 2)],
        );
        check_folds("a.yaml", "s:\n  - kind: a\n    t: 1\n", &[(0, 2), (1, 2)]);
        check_folds(
            "a.yaml",
            "# One\n# two\na: |\n  text\n  more\n",
            &[(0, 1), (2, 4)],
        );
        check_folds("a.yaml", "", &[]);
    }

    #[test]
    fn posts_are_folded_at_their_headings() {
        let text = "---\ntitle: A\n---\nText\n\n## B\n\nx\n\n### C\ny\n\n## D\n```sh\n# no\n```\n";
        check_folds(
            "a.md",
            text,
            &[(0, 2), (5, 10), (9, 10), (12, 15), (13, 15)],
        );
        check_folds("a.md", "---\nnever: closed", &[(0, 1)]);
        check_folds("a.md", "No front matter\n", &[]);
    }

    #[test]
    fn colors_of_tokens_are_shown() {
        let text = Text::new("color:\n  ink: \"#0E1412\"\n  line: \"#0E141280\"\n  # Not one\n");
        let found = colors(Path::new("content/design.yaml"), &text);
        assert_eq!(found.len(), 2);
        assert_eq!(
            found[0].range.start,
            lsp_types::Position {
                line: 1,
                character: 8
            }
        );
        assert!((found[1].color.alpha - 128.0 / 255.0).abs() < 1e-6);
        assert!(colors(Path::new("content/site.yaml"), &text).is_empty());
    }
}
