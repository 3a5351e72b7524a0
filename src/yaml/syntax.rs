//! Text to [`Node`], and the parser's complaints turned into an editor's words.
//!
//! A parser notices a mistake where it can no longer go on, which is often lines behind the mistake itself: an unclosed
//! quote is noticed at the next line's end. [`explain`] therefore looks at the lines before, too.

use crate::problem::{Code, Place, Problem, Source, Span};

use super::node::Node;

/// Parses a part of a file; spans and places are those of the whole file.
pub(super) fn parse(source: &Source, part: std::ops::Range<usize>) -> Result<Node, Problem> {
    let offset = part.start;
    let text = &source.text[part];
    if let Some(problem) = leading_tab(source, text, offset) {
        return Err(problem);
    }
    let options = serde_yaml::options! {
        strict_booleans: true,
        with_snippet: false,
        duplicate_keys: serde_yaml::options::DuplicateKeyPolicy::Error,
    };
    match serde_yaml::from_str_with_options::<Node>(text, options) {
        Ok(mut node) => {
            node.shift(offset);
            Ok(node)
        }
        Err(error) => Err(explain(source, text, offset, &error)),
    }
}

fn leading_tab(source: &Source, text: &str, offset: usize) -> Option<Problem> {
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        // A tab inside a block of text is that text's business; one before a key or a list item is not.
        if line[..indent].contains('\t') && looks_like_entry(line.trim_start()) {
            let at = offset + line_start + line.find('\t').unwrap_or(0);
            let place = source.place(Span::new(at, at + 1));
            return Some(
                Problem::error(Code::TabIndent, "a tab indents this line, and YAML takes only spaces")
                    .at(place)
                    .hint("replace each tab with two spaces"),
            );
        }
        line_start += line.len();
    }
    None
}

fn looks_like_entry(line: &str) -> bool {
    line.starts_with("- ")
        || line.split_once(':').is_some_and(|(key, rest)| {
            (rest.is_empty() || rest.starts_with([' ', '\r', '\n']))
                && !key.is_empty()
                && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
        })
}

fn explain(source: &Source, text: &str, offset: usize, error: &serde_yaml::Error) -> Problem {
    let first_line = source.text[..offset].matches('\n').count();
    let location = error.location();
    let (line, column) = location
        .map_or((1, 1), |at| (usize::try_from(at.line()).unwrap_or(1), usize::try_from(at.column()).unwrap_or(1)));
    let place = source.place_at(first_line + line, column);
    let words = error.to_string();
    let words = words.split(" at line ").next().unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();

    if let Some(key) = words.strip_prefix("duplicate mapping key: ") {
        let key = key.split(", set ").next().unwrap_or(key);
        let first =
            lines.iter().position(|line| line.trim_start().trim_start_matches("- ").starts_with(&format!("{key}:")));
        let earlier = first
            .filter(|first| first + 1 != line)
            .map(|first| format!("it is already on line {}", first_line + first + 1));
        let width = key.chars().count();
        return Problem::error(Code::DuplicateKey, format!("the key `{key}` stands twice in one block"))
            .at(widen(place, width))
            .hint(earlier.map_or_else(
                || "remove one of the two".to_owned(),
                |earlier| format!("{earlier}; remove one of the two"),
            ));
    }
    if ["alias", "budget", "depth", "recursive"].iter().any(|word| words.to_lowercase().contains(word))
        && !words.contains("unknown anchor")
    {
        return Problem::error(Code::AliasBomb, format!("the file expands to more than any page needs ({words})"))
            .at(place)
            .hint("write the values out instead of `&anchor` and `*alias`");
    }
    if let Some((quote_line, quote_column, quote)) = unclosed_quote(&lines, line) {
        return Problem::error(Code::UnclosedQuote, format!("the text that begins with {quote} here is never closed"))
            .at(source.place_at(first_line + quote_line, quote_column))
            .hint(format!("add {quote} at the end of the text"));
    }
    let current = lines.get(line.saturating_sub(1)).copied().unwrap_or_default();
    Problem::error(Code::YamlSyntax, sentence(words)).at(place).maybe_hint(syntax_hint(&lines, line, current, words))
}

fn widen(mut place: Place, columns: usize) -> Place {
    if let Some(range) = &mut place.range {
        range.end.column = range.start.column + u32::try_from(columns).unwrap_or(1);
    }
    place
}

/// The last line at or before `line` whose value opens a quote and does not close it.
fn unclosed_quote(lines: &[&str], line: usize) -> Option<(usize, usize, &'static str)> {
    lines.iter().enumerate().take(line).rev().find_map(|(index, text)| {
        let value_at = text
            .find(": ")
            .map(|at| at + 2)
            .or_else(|| text.trim_start().starts_with("- ").then(|| text.find("- ").unwrap_or(0) + 2))?;
        let value = text[value_at..].trim_start();
        let column = text.chars().count() - value.chars().count() + 1;
        let (quote, name) = match value.chars().next()? {
            '"' => ('"', "`\"`"),
            '\'' => ('\'', "`'`"),
            _ => return None,
        };
        let body = &value[1..];
        let mut escaped = false;
        let mut open = true;
        for c in body.chars() {
            match c {
                '\\' if quote == '"' => escaped = !escaped,
                c if c == quote && !escaped => open = !open,
                _ => escaped = false,
            }
        }
        open.then_some((index + 1, column, name))
    })
}

/// The parser's words without what an editor cannot use.
fn sentence(words: &str) -> String {
    match words {
        "mapping values are not allowed in this context" => "a `key:` cannot stand here".into(),
        "expected string scalar" => "a key must be plain text".into(),
        w if w.starts_with("multiple YAML documents") => "the file holds a second document after `---`".into(),
        w if w.contains("did not find expected key") => "a key was expected here".into(),
        w if w.contains("did not find expected '-' indicator") => "a list item (`- …`) was expected here".into(),
        w => w.to_owned(),
    }
}

fn syntax_hint(lines: &[&str], line: usize, current: &str, words: &str) -> Option<String> {
    let value = current.split_once(": ").map(|(_, value)| value.trim()).unwrap_or_default();
    if value.starts_with('{') && !value.ends_with('}') {
        return Some(format!("a value that begins with `{{` needs quotes: \"{value}\""));
    }
    if words.contains("mapping values are not allowed") {
        if value.contains(": ") || (value.ends_with(':') && !value.is_empty()) {
            return Some(format!("a value that holds `: ` needs quotes: \"{}\"", value.replace('"', "\\\"")));
        }
        let indent = |text: &str| text.len() - text.trim_start().len();
        let previous =
            lines[..line.saturating_sub(1).min(lines.len())].iter().rev().find(|text| !text.trim().is_empty())?;
        if indent(current) > indent(previous) {
            return Some(format!(
                "indent this line like the one above ({} spaces instead of {})",
                indent(previous),
                indent(current)
            ));
        }
    }
    if words.contains("single-quoted") {
        return Some("write an apostrophe inside single quotes twice (`it''s`), or use double quotes".into());
    }
    if words.contains("unexpected character") || value.starts_with(['@', '`', '%', '*', '&', '!', '|', '>']) {
        return Some("put the value in double quotes".into());
    }
    if words.contains("expected key") || words.contains("indicator") || words.contains("indent") {
        return Some("indent this line like its neighbours, with two spaces for each level".into());
    }
    None
}
