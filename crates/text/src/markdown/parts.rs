//! Finds the sections and islands of the site in the text of a post: `:::quote` … `:::` with the fields of the section as
//! YAML, and `{{ island("seats", {"price": 12}, "visible") }}` on a line of its own.
//!
//! Each is replaced for the parser by a comment of the same length, so that no byte of the text moves. What is in a code
//! block is code, and a word of other programs, such as `:::note`, stays text, which is reported (see `foreign.rs`).

use std::ops::Range;

/// The names of callouts in other programs.
const CALLOUTS: &[&str] = &[
    "note",
    "tip",
    "info",
    "important",
    "warning",
    "danger",
    "caution",
    "details",
    "success",
    "error",
    "abstract",
    "example",
    "question",
    "spoiler",
    "center",
    "left",
    "right",
    "container",
    "tabs",
    "tab",
    "raw",
    "warn",
    "alert",
];

/// Behind the beginning of a comment: the number of a part follows. Sources hold no control characters.
const SIGN: &str = "<!--\u{3}";
const END: &str = "-->";
/// Maximum number of parts of a text.
const MAX: usize = 90;

/// A text for the parser, and the bytes of its parts.
pub struct ShieldedText {
    /// The text, with a comment in place of each part.
    pub text: String,
    /// Where the parts are, in order.
    pub parts: Vec<Range<usize>>,
}

/// Cuts out the parts of a text; `None` if it has none, which is the usual case.
pub fn cut(text: &str) -> Option<ShieldedText> {
    let bytes = text.as_bytes();
    if [":::", "{{"]
        .iter()
        .all(|sign| memchr::memmem::find(bytes, sign.as_bytes()).is_none())
    {
        return None;
    }
    let parts = find(text);
    if parts.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (number, part) in parts.iter().enumerate() {
        out.push_str(&text[from..part.start]);
        let comment = format!("{SIGN}{number}{END}");
        out.push_str(&comment);
        out.extend(std::iter::repeat_n(' ', part.len() - comment.len()));
        from = part.end;
    }
    out.push_str(&text[from..]);
    Some(ShieldedText { text: out, parts })
}

/// The number of the part for which the parser found this comment.
pub(super) fn number(html: &str) -> Option<usize> {
    html.strip_prefix(SIGN)?.split_once(END)?.0.parse().ok()
}

fn find(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    // The sign of the open code block, and how often it is written.
    let mut fence: Option<(char, usize)> = None;
    // Where the open section begins.
    let mut open: Option<usize> = None;
    // Found once: a text may begin many sections.
    let last_end = text
        .rmatch_indices(":::")
        .find(|(at, _)| is_end(text, *at))
        .map_or(0, |(at, _)| at);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, words) = (at, line.trim_end());
        at += line.len();
        if let Some(begin) = open {
            if words == ":::" {
                parts.push(begin..start + words.len());
                open = None;
            }
            continue;
        }
        let inner = words.trim_start_matches([' ', '>']);
        let sign = inner
            .chars()
            .next()
            .filter(|c| matches!(c, '`' | '~'))
            .unwrap_or_default();
        let length = inner.chars().take_while(|c| *c == sign).count();
        match fence {
            Some((opening, least))
                if sign == opening && length >= least && inner.len() == length =>
            {
                fence = None;
            }
            None if matches!(sign, '`' | '~') && length >= 3 => fence = Some((sign, length)),
            None if parts.len() == MAX => return parts,
            None if kind(words).is_some() && last_end >= at => open = Some(start),
            None if is_island(words) => parts.push(start..start + words.len()),
            Some(_) | None => {}
        }
    }
    parts
}

/// Whether the sign at a byte is a line of its own, which ends a section.
fn is_end(text: &str, at: usize) -> bool {
    let behind = text[at + 3..].trim_start_matches([' ', '\t', '\r']);
    (at == 0 || text[..at].ends_with('\n')) && (behind.is_empty() || behind.starts_with('\n'))
}

/// The kind of the section that begins with this line.
pub fn kind(line: &str) -> Option<&str> {
    let name = line.strip_prefix(":::")?.trim_end();
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() > 2
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    (is_name && !CALLOUTS.contains(&name)).then_some(name)
}

fn is_island(line: &str) -> bool {
    let inner = line
        .strip_prefix("{{")
        .and_then(|line| line.strip_suffix("}}"));
    inner.is_some_and(|inner| inner.trim().starts_with("island(") && inner.trim().ends_with(')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_islands_are_found() {
        let text = "A\n:::faq\n:::\n\n{{ island(\"x\", {}, \"none\") }}\n\n:::quote  \ntext: |\n  ```\n:::\nB";
        let found = cut(text).expect("parts");
        let parts: Vec<&str> = found.parts.iter().map(|part| &text[part.clone()]).collect();
        assert_eq!(
            parts,
            [
                ":::faq\n:::",
                "{{ island(\"x\", {}, \"none\") }}",
                ":::quote  \ntext: |\n  ```\n:::"
            ]
        );
        assert_eq!(found.text.len(), text.len());
        assert_eq!(number("<!--\u{3}12-->  \n"), Some(12));
    }

    #[test]
    fn code_and_words_of_others_stay() {
        for text in [
            "```\n:::quote\n:::\n```",
            "~~~~\n```\n:::quote\n:::\n~~~~",
            "> ```\n> x\n> ```\n:::note\nx\n:::",
            ":::quote\nnever closed",
            " :::quote\n:::",
            "::: quote\n:::",
            ":::quote{.x}\n:::",
            "a {{ island(\"x\", {}, \"none\") }}",
            "{{ t(\"menu\") }}",
        ] {
            assert!(cut(text).is_none(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_byte_moves(text in "(:::[a-z]{0,4}|\n|```|\\{\\{ island\\(\\) }}|a|é| |>){0,40}") {
            let Some(found) = cut(&text) else { return Ok(()) };
            assert_eq!(found.text.len(), text.len());
            let mut from = 0;
            for part in found.parts {
                assert_eq!(&found.text[from..part.start], &text[from..part.start]);
                from = part.end;
            }
        }
    }
}
