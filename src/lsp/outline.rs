//! The shape of a document: its outline, what can be folded, and the colors in it.

use std::ops::Range;
use std::path::Path;

use lsp_types::{Color, ColorInformation, DocumentSymbol, FoldingRange, FoldingRangeKind, SymbolKind};

use super::text::Text;

/// The outline of a document: the headings of a post, or the keys and sections of a page.
pub(super) fn symbols(path: &Path, text: &Text) -> Vec<DocumentSymbol> {
    let is_post = path.extension().is_some_and(|ending| ending == "md");
    let mut found: Vec<(usize, usize, String, SymbolKind)> = Vec::new();
    let mut in_code = false;
    for line in 0..text.len() {
        let written = text.line(line);
        in_code ^= is_post && written.trim_start().starts_with("```");
        let hashes = written.len() - written.trim_start_matches('#').len();
        if is_post && !in_code && hashes > 0 && written[hashes..].starts_with(' ') {
            found.push((line, hashes, written[hashes..].trim().to_owned(), SymbolKind::STRING));
        } else if !is_post {
            let indent = written.len() - written.trim_start().len();
            let item = written.trim_start();
            if let Some((key, value)) = item.split_once(':').filter(|(key, _)| indent == 0 && !key.starts_with('#')) {
                let kind = if value.trim().is_empty() { SymbolKind::NAMESPACE } else { SymbolKind::PROPERTY };
                found.push((line, 1, key.to_owned(), kind));
            } else if let Some(kind) = item.strip_prefix("- kind: ") {
                found.push((line, 2, kind.to_owned(), SymbolKind::CLASS));
            }
        }
    }
    let starts: Vec<(usize, usize)> = found.iter().map(|(line, level, ..)| (*line, *level)).collect();
    let mut roots: Vec<DocumentSymbol> = Vec::new();
    for (at, (line, level, name, kind)) in found.into_iter().enumerate() {
        let next = starts[at + 1..].iter().find(|(_, other)| *other <= level).map_or(text.len(), |(line, _)| *line);
        let last = next.saturating_sub(1).max(line);
        let start = text.start_of(line);
        let symbol = symbol(name, kind, text, (start..text.start_of(last) + text.line(last).len(), line));
        add(&mut roots, symbol, level);
    }
    roots
}

/// Adds a symbol to the last one that contains it, at most `level` - 1 levels deep.
fn add(list: &mut Vec<DocumentSymbol>, symbol: DocumentSymbol, level: usize) {
    match list.last_mut().filter(|parent| level > 1 && parent.range.end >= symbol.range.end) {
        Some(parent) => add(parent.children.get_or_insert_default(), symbol, level - 1),
        None => list.push(symbol),
    }
}

fn symbol(name: String, kind: SymbolKind, text: &Text, (span, line): (Range<usize>, usize)) -> DocumentSymbol {
    let selection = text.start_of(line)..text.start_of(line) + text.line(line).len();
    #[expect(deprecated, reason = "a field of the type that must be given")]
    DocumentSymbol {
        // Editors refuse an empty name.
        name: if name.is_empty() { "…".to_owned() } else { name },
        detail: None,
        kind,
        tags: None,
        deprecated: None,
        range: text.range(span),
        selection_range: text.range(selection),
        children: None,
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
            let pair =
                if length <= 4 { digits.get(at..=at)?.repeat(2) } else { digits.get(2 * at..2 * at + 2)?.to_owned() };
            Some(f32::from(u8::from_str_radix(&pair, 16).ok()?) / 255.0)
        };
        let alpha = if matches!(length, 4 | 8) { channel(3)? } else { 1.0 };
        let color = Color { red: channel(0)?, green: channel(1)?, blue: channel(2)?, alpha };
        let range = text.range(at..at + 1 + length);
        matches!(length, 3 | 4 | 6 | 8).then_some(ColorInformation { range, color })
    });
    written.collect()
}

/// What can be folded: blocks of YAML and lists, front matter, the parts below headings, code, and comments of several lines.
pub(super) fn folds(path: &Path, text: &Text) -> Vec<FoldingRange> {
    let is_post = path.extension().is_some_and(|ending| ending == "md");
    let mut found: Vec<(usize, usize, Option<FoldingRangeKind>)> = Vec::new();
    let yaml = if !is_post {
        0..text.len()
    } else if text.line(0).trim_end() == "---" {
        let end = (1..text.len()).find(|line| text.line(*line).trim_end() == "---").unwrap_or(text.len() - 1);
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
    let fold = |(start, end, kind)| FoldingRange {
        start_line: u32::try_from(start).unwrap_or(u32::MAX),
        end_line: u32::try_from(end).unwrap_or(u32::MAX),
        kind,
        ..FoldingRange::default()
    };
    found.into_iter().map(fold).collect()
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
                || column == above && content.starts_with("- ") && !text.line(line).trim_start().starts_with("- ")
        };
        while let Some((start, _)) = open.pop_if(|(start, above)| !is_below(*above, *start)) {
            found.push((start, last, None));
        }
        open.push((line, column));
        last = line;
    }
    if let Some(start) = comment {
        found.push((start, lines.end.saturating_sub(1), Some(FoldingRangeKind::Comment)));
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

    #[test]
    fn sections_are_below_their_list() {
        let text = Text::new("title: A\nsections:\n  - kind: hero\n    title: B\n  - kind: faq\n");
        let found = symbols(Path::new("a.yaml"), &text);
        let names = |list: &[DocumentSymbol]| list.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&found), ["title", "sections"]);
        assert_eq!(names(found[1].children.as_ref().expect("sections")), ["hero", "faq"]);
        let text = Text::new("# A\n\n```sh\n# no\n```\n\n## B\n\n# C\n");
        let found = symbols(Path::new("a.md"), &text);
        assert_eq!(names(&found), ["A", "C"]);
        assert_eq!(names(found[0].children.as_ref().expect("headings")), ["B"]);
    }

    fn check_folds(path: &str, text: &str, expect: &[(u32, u32)]) {
        let found: Vec<(u32, u32)> =
            folds(Path::new(path), &Text::new(text)).iter().map(|fold| (fold.start_line, fold.end_line)).collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn blocks_and_lists_can_be_folded() {
        check_folds("a.yaml", "a: 1\nb:\n  c: 1\n  d:\n    e: 2\n\nf: 1\n", &[(1, 4), (3, 4)]);
        check_folds("a.yaml", "s:\n- kind: a\n  t: 1\n- kind: b\n", &[(0, 3), (1, 2)]);
        check_folds("a.yaml", "s:\n  - kind: a\n    t: 1\n", &[(0, 2), (1, 2)]);
        check_folds("a.yaml", "# One\n# two\na: |\n  text\n  more\n", &[(0, 1), (2, 4)]);
        check_folds("a.yaml", "", &[]);
    }

    #[test]
    fn posts_are_folded_at_their_headings() {
        let text = "---\ntitle: A\n---\nText\n\n## B\n\nx\n\n### C\ny\n\n## D\n```sh\n# no\n```\n";
        check_folds("a.md", text, &[(0, 2), (5, 10), (9, 10), (12, 15), (13, 15)]);
        check_folds("a.md", "---\nnever: closed", &[(0, 1)]);
        check_folds("a.md", "No front matter\n", &[]);
    }

    #[test]
    fn colors_of_tokens_are_shown() {
        let text = Text::new("color:\n  ink: \"#0E1412\"\n  line: \"#0E141280\"\n  # Not one\n");
        let found = colors(Path::new("content/design.yaml"), &text);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].range.start, lsp_types::Position { line: 1, character: 8 });
        assert!((found[1].color.alpha - 128.0 / 255.0).abs() < 1e-6);
        assert!(colors(Path::new("content/site.yaml"), &text).is_empty());
    }
}
