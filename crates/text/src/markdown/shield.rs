//! Changes what the parser of Markdown would misread, without moving a byte: some characters are replaced with others of
//! the same length, and put back into each event.
//!
//! - Emphasis beside Chinese, Japanese and Korean, as the amendment to `CommonMark` has it: `**重点，**后面` ends at the
//!   comma, although no space follows it. <https://github.com/tats-u/markdown-cjk-friendly>
//! - An amount of money is no mathematics: `$5 and US$6`.
//! - A colon without a blank behind it defines no term: `:::note`, `:smile:`.
//! - An id behind a heading has no emphasis: `{#__call__}`.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Tag};

use crate::sanitize::is_id;

/// Maximum length of an id and the brace behind it, in bytes.
const MAX_ID: usize = 101;

/// A text for the parser, and what was replaced in it.
pub(super) struct Shielded {
    pub text: String,
    /// Pairs of a replacement and the character that it replaces.
    replaced: Vec<(char, char)>,
}

/// Replacements that are letters for the parser: characters for private use, of three bytes.
const LETTERS: std::ops::RangeInclusive<char> = '\u{e000}'..='\u{f8ff}';
/// Replacements that are punctuation for the parser, of three bytes: patterns of Braille.
const MARKS: std::ops::RangeInclusive<char> = '\u{2800}'..='\u{28ff}';
/// The replacement for a dollar sign: sources hold no control characters.
const DOLLAR: char = '\u{1}';
/// The same for a colon.
const COLON: char = '\u{2}';
/// The same for an underscore. The character between them is that of `parts.rs`.
const UNDERSCORE: char = '\u{4}';

/// The text for the parser; `None` if the parser reads it right as it is, which is the usual case.
pub(super) fn shield(text: &str) -> Option<Shielded> {
    let mut changes = Vec::new();
    money(text, &mut changes);
    colons(text, &mut changes);
    ids(text, &mut changes);
    if !text.is_ascii() {
        emphasis(text, &mut changes);
    }
    if changes.is_empty() {
        return None;
    }
    changes.sort_unstable_by_key(|(at, _)| *at);
    changes.dedup_by_key(|(at, _)| *at);
    let mut unused_letters = LETTERS.filter(|c| !text.contains(*c));
    let mut unused_marks = MARKS.filter(|c| !text.contains(*c));
    let mut replaced: Vec<(char, char)> = Vec::new();
    let mut kinds: foldhash::HashMap<(char, Class), char> = foldhash::HashMap::default();
    let mut shielded = String::with_capacity(text.len());
    let mut from = 0;
    for (at, class) in changes {
        let Some(c) = text[at..].chars().next() else {
            continue;
        };
        let replacement = match (kinds.get(&(c, class)), class) {
            (Some(known), _) => Some(*known),
            (None, Class::Money) => Some(DOLLAR),
            (None, Class::Colon) => Some(COLON),
            (None, Class::Underscore) => Some(UNDERSCORE),
            (None, Class::Letter) => unused_letters.next(),
            (None, Class::Mark) => unused_marks.next(),
        };
        let Some(replacement) =
            replacement.filter(|replacement| replacement.len_utf8() == c.len_utf8())
        else {
            continue;
        };
        if kinds.insert((c, class), replacement).is_none() {
            replaced.push((replacement, c));
        }
        shielded.push_str(&text[from..at]);
        shielded.push(replacement);
        from = at + c.len_utf8();
    }
    shielded.push_str(&text[from..]);
    Some(Shielded {
        text: shielded,
        replaced,
    })
}

/// The class of a replacement, for the parser.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Class {
    Money,
    Colon,
    Underscore,
    Letter,
    Mark,
}

/// Finds the dollar signs that neither begin nor end a formula: before a digit, unless what follows up to the next one has a
/// sign that only formulas have.
fn money(text: &str, changes: &mut Vec<(usize, Class)>) {
    let bytes = text.as_bytes();
    let mut signs = memchr::memchr_iter(b'$', bytes).peekable();
    let mut opened = false;
    while let Some(at) = signs.next() {
        if at > 0 && bytes[at - 1] == b'\\'
            || bytes.get(at + 1) == Some(&b'$')
            || at > 0 && bytes[at - 1] == b'$'
        {
            continue;
        }
        if !bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
            opened = !opened;
            continue;
        }
        let is_formula = !opened
            && signs.peek().is_some_and(|end| {
                let inner = &text[at + 1..*end];
                !inner.contains("\n\n") && inner.contains(['\\', '^', '_', '=', '{'])
            });
        if is_formula {
            opened = true;
        } else {
            changes.push((at, Class::Money));
        }
    }
}

/// Finds the colons at the beginning of a line that define no term. The line below the head of a table may begin so.
fn colons(text: &str, changes: &mut Vec<(usize, Class)>) {
    for at in memchr::memchr_iter(b':', text.as_bytes()) {
        let start = at
            - text.as_bytes()[..at]
                .iter()
                .rev()
                .take_while(|byte| matches!(byte, b' ' | b'\t' | b'>'))
                .count();
        let is_free = start == 0 || text.as_bytes()[start - 1] == b'\n';
        if !is_free || text[at + 1..].starts_with([' ', '\t']) {
            continue;
        }
        let line = text[start..].lines().next().unwrap_or_default();
        if line.contains(|c: char| !matches!(c, '|' | ':' | '-' | ' ' | '\t' | '>'))
            || !line.contains('-')
        {
            changes.push((at, Class::Colon));
        }
    }
}

/// Finds the underscores of ids behind headings, which are no emphasis: `## Title {#__call__}`.
fn ids(text: &str, changes: &mut Vec<(usize, Class)>) {
    for at in memchr::memmem::find_iter(text.as_bytes(), "{#") {
        // An id is short, so that a line of braces takes no quadratic time.
        let near = &text[at + 2..text.floor_char_boundary(at + 2 + MAX_ID)];
        let Some((id, _)) = near.split_once('}') else {
            continue;
        };
        let behind = text[at + 3 + id.len()..].trim_start_matches(['#', ' ', '\t', '\r']);
        if is_id(id) && (behind.is_empty() || behind.starts_with('\n')) {
            let underscores = id
                .match_indices('_')
                .map(|(from, _)| (at + 2 + from, Class::Underscore));
            changes.extend(underscores);
        }
    }
}

/// Finds the characters beside runs of `*` and `~` that the parser has to take for a letter, or for punctuation.
fn emphasis(text: &str, changes: &mut Vec<(usize, Class)>) {
    let bytes = text.as_bytes();
    let mut end = 0;
    for at in memchr::memchr2_iter(b'*', b'~', bytes) {
        if at < end {
            continue;
        }
        // An escaped sign is text, and the run begins behind it.
        if text.as_bytes()[..at]
            .iter()
            .rev()
            .take_while(|byte| **byte == b'\\')
            .count()
            % 2
            == 1
        {
            end = at + 1;
            continue;
        }
        end = at
            + bytes[at..]
                .iter()
                .take_while(|byte| **byte == bytes[at])
                .count();
        let before = text[..at].chars().next_back();
        let (Some(before), Some(after)) = (before, text[end..].chars().next()) else {
            continue;
        };
        if before.is_ascii() && after.is_ascii() {
            continue;
        }
        for (at, c, other) in [
            (at - before.len_utf8(), before, after),
            (end, after, before),
        ] {
            let class = if is_mark(other) {
                Class::Mark
            } else {
                Class::Letter
            };
            if is_cjk(c) && !c.is_whitespace() && (class == Class::Mark) != is_punctuation(c) {
                changes.push((at, class));
            }
        }
    }
}

/// Tells whether a letter is punctuation other than that of Chinese, Japanese and Korean.
fn is_mark(c: char) -> bool {
    is_punctuation(c) && !is_cjk(c)
}

/// Whether a character is punctuation or a symbol, as `CommonMark` means it.
fn is_punctuation(c: char) -> bool {
    !(c.is_alphanumeric()
        || c.is_whitespace()
        || c.is_control()
        || unicode_normalization::char::is_combining_mark(c)
        || LETTERS.contains(&c))
}

/// Whether a character belongs to Chinese, Japanese or Korean: letters, and full-width punctuation.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x1100..=0x11ff | 0x2e80..=0x303f | 0x3040..=0xa4cf | 0xa960..=0xa97f | 0xac00..=0xd7ff
        | 0xf900..=0xfaff | 0xfe30..=0xfe4f | 0xff00..=0xffef | 0x1b000..=0x1b16f | 0x20000..=0x3ffff)
}

impl Shielded {
    /// An event with the characters that were replaced in its texts.
    pub fn restored<'e>(&self, event: Event<'e>) -> Event<'e> {
        match event {
            Event::Text(text) => Event::Text(self.text(text)),
            Event::Code(text) => Event::Code(self.text(text)),
            Event::InlineMath(text) => Event::InlineMath(self.text(text)),
            Event::DisplayMath(text) => Event::DisplayMath(self.text(text)),
            Event::Html(text) => Event::Html(self.text(text)),
            Event::InlineHtml(text) => Event::InlineHtml(self.text(text)),
            Event::FootnoteReference(name) => Event::FootnoteReference(self.text(name)),
            Event::Start(Tag::FootnoteDefinition(name)) => {
                Event::Start(Tag::FootnoteDefinition(self.text(name)))
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(self.text(info))))
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let (dest_url, title, id) = (self.text(dest_url), self.text(title), self.text(id));
                Event::Start(Tag::Link {
                    link_type,
                    dest_url,
                    title,
                    id,
                })
            }
            Event::Start(Tag::Image {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let (dest_url, title, id) = (self.text(dest_url), self.text(title), self.text(id));
                Event::Start(Tag::Image {
                    link_type,
                    dest_url,
                    title,
                    id,
                })
            }
            other => other,
        }
    }

    fn text<'e>(&self, text: CowStr<'e>) -> CowStr<'e> {
        if !text.contains(is_replacement) {
            return text;
        }
        let original = text.chars().map(|c| {
            let replaced = is_replacement(c).then(|| {
                self.replaced
                    .iter()
                    .find(|(replacement, _)| *replacement == c)
            });
            replaced.flatten().map_or(c, |(_, original)| *original)
        });
        original.collect::<String>().into()
    }
}

/// Tells whether a letter stands for another one.
fn is_replacement(c: char) -> bool {
    matches!(c, DOLLAR | COLON | UNDERSCORE) || LETTERS.contains(&c) || MARKS.contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let shielded = shield(text);
        let parsed = shielded
            .as_ref()
            .map_or(text, |shielded| shielded.text.as_str());
        assert_eq!(parsed.len(), text.len(), "{text}");
        let options = super::super::options(true);
        let events = pulldown_cmark::Parser::new_ext(parsed, options);
        let restored = events.map(|event| {
            shielded
                .as_ref()
                .map_or(event.clone(), |shielded| shielded.restored(event))
        });
        let mut html = String::new();
        pulldown_cmark::html::push_html(&mut html, restored);
        assert_eq!(html.trim_end(), format!("<p>{expect}</p>"), "{text}");
    }

    #[test]
    fn emphasis_ends_beside_full_width_punctuation() {
        check(
            "**这是重点，**后面继续。",
            "<strong>这是重点，</strong>后面继续。",
        );
        check(
            "これは**「重要」**です。**終わり。**次。",
            "これは<strong>「重要」</strong>です。<strong>終わり。</strong>次。",
        );
        check(
            "한국어 **강조(괄호)**는 됩니다.",
            "한국어 <strong>강조(괄호)</strong>는 됩니다.",
        );
        check(
            "见*[链接](/a)*。和~~（旧）~~新",
            "见<em><a href=\"/a\">链接</a></em>。和<del>（旧）</del>新",
        );
        check(
            "**`代码`**は、*a*b",
            "<strong><code>代码</code></strong>は、<em>a</em>b",
        );
        // Beside other scripts the rules are those of CommonMark.
        check("a**\"b\"**c **é.**x", "a**\"b\"**c **é.**x");
        // One and two signs do not match: together they are three.
        check("\\**（重）**后", "**（重）**后");
    }

    #[test]
    fn an_amount_is_no_formula() {
        for text in [
            "$5 and $6",
            "costs $5, or US$6, or 7$",
            "$1,000–$2,000 and $3",
        ] {
            check(text, text);
        }
        check(
            "$x_1$ for $5",
            "<span class=\"math math-inline\">x_1</span> for $5",
        );
        check(
            "$5x = y$ and $a$",
            "<span class=\"math math-inline\">5x = y</span> and <span class=\"math math-inline\">a</span>",
        );
    }

    #[test]
    fn a_colon_without_a_blank_defines_no_term() {
        check(":::note", ":::note");
        check("A\n:smile: b", "A\n:smile: b");
    }

    proptest::proptest! {
        #[test]
        fn what_is_replaced_comes_back(text in "([*~$5a 。，「」重は각. \u{2801}\u{e000}]|\\PC){0,60}") {
            let Some(shielded) = shield(&text) else { return Ok(()) };
            assert_eq!(shielded.text.len(), text.len());
            assert_eq!(&*shielded.text(shielded.text.as_str().into()), text.as_str());
        }
    }
}
