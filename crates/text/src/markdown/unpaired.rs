//! Finds markup whose other half is missing: a reference without a footnote, a fence or a comment that is never closed.

use std::ops::Range;

use diagnostics::problem::{Code, Problem};

use crate::sanitize::HtmlBlock;

/// Maximum number of references without a footnote that are looked for in one text.
const MAX_REFERENCES: usize = 100;
/// Maximum length of the name of a footnote, in bytes.
const MAX_NAME: usize = 100;

type Notice = (Range<usize>, Problem);

/// The problem of a code block whose fence is never closed, so that the rest of the text is code.
pub(super) fn fence(text: &str, range: &Range<usize>) -> Option<Notice> {
    let block = text.get(range.clone())?;
    let sign = block.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let opening = block.chars().take_while(|c| *c == sign).count();
    let mut lines = block.trim_end().lines();
    let first = lines.next()?;
    let last = lines
        .next_back()
        .unwrap_or_default()
        .trim_start_matches(['>', ' ', '\t'])
        .trim_end();
    if last.chars().count() >= opening && last.chars().all(|c| c == sign) {
        return None;
    }
    let fence: String = std::iter::repeat_n(sign, opening).collect();
    let problem = Problem::warning(
        Code::UnpairedMarkup,
        "the code block is never closed, so the text after it is shown as code",
    );
    Some((
        range.start..range.start + first.len(),
        problem.hint(format!(
            "write `{fence}` on its own line, where the code ends"
        )),
    ))
}

/// The problem of a comment that is never closed, so that the rest of the text is not shown.
pub(super) fn comment(block: &HtmlBlock) -> Option<Notice> {
    let at = block
        .html()
        .rfind("<!--")
        .filter(|at| !block.html()[*at..].contains("-->"))?;
    let problem = Problem::warning(
        Code::UnpairedMarkup,
        "the comment is never closed, so the text after it is not shown",
    );
    let at = block.place(at);
    Some((
        at..at + 4,
        problem.hint("write `-->` where the comment ends"),
    ))
}

/// References in a text for which there is no footnote: the parser leaves them as text.
pub(super) fn references(words: &str, text: &str, range: &Range<usize>) -> Vec<Notice> {
    if !words.contains("[^") {
        return Vec::new();
    }
    let written = text.get(range.clone()).unwrap_or_default();
    let found = written
        .match_indices("[^")
        .take(MAX_REFERENCES)
        .filter_map(|(at, _)| {
            // A name is short, so that a text of brackets takes no quadratic time.
            let near = &written[at + 2..written.floor_char_boundary(at + 2 + MAX_NAME)];
            let (name, _) = near.split_once(']')?;
            let is_name = !name.is_empty()
                && !name.contains(|c: char| c.is_whitespace() || matches!(c, '[' | '^'));
            let is_escaped =
                written[..at].ends_with('\\') || at == 0 && text[..range.start].ends_with('\\');
            if !is_name || is_escaped {
                return None;
            }
            let at = range.start + at;
            let problem = Problem::warning(
                Code::UnpairedMarkup,
                format!("there is no footnote `{name}`"),
            );
            let hint = format!(
                "write `[^{name}]: …` on its own line, or `\\[^{name}]` to show it as text"
            );
            Some((at..at + name.len() + 3, problem.hint(hint)))
        });
    found.collect()
}
