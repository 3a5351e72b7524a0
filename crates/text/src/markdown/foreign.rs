//! Finds the markup of other programs, which a page would show as text: each kind is reported once a post, with what to
//! write instead.

use std::ops::Range;

use diagnostics::problem::{Code, Problem};

type Notice = (Range<usize>, Problem);

/// The kinds that were found so far.
#[derive(Default)]
pub(super) struct Foreign {
    found: Vec<&'static str>,
}

/// A kind of markup.
struct Kind {
    /// The sign that every markup of this kind has, one of [`sign`].
    sign: u16,
    /// As a message names it.
    name: &'static str,
    hint: &'static str,
    /// The bytes of the first one in a text; the flag is whether the text begins its line.
    find: fn(&str, bool) -> Option<Range<usize>>,
}

/// Signs of markup: a character together with the one behind it, so that few texts have one.
mod sign {
    pub const SHORTCODE: u16 = 1;
    pub const TEMPLATE: u16 = 1 << 1;
    pub const ATTRIBUTES: u16 = 1 << 2;
    pub const ADMONITION: u16 = 1 << 3;
    pub const CONTENTS: u16 = 1 << 4;
    pub const WIKI: u16 = 1 << 5;
    pub const NOTE: u16 = 1 << 6;
    pub const HIGHLIGHT: u16 = 1 << 7;
    pub const SUPERSCRIPT: u16 = 1 << 8;
    pub const ABBREVIATION: u16 = 1 << 9;
    pub const EMOJI: u16 = 1 << 10;
    pub const FORMULA: u16 = 1 << 11;

    /// The signs in a text.
    pub fn all(text: &str) -> u16 {
        let bytes = text.as_bytes();
        let signs = bytes.iter().enumerate().filter(|(_, byte)| {
            matches!(
                **byte,
                b'{' | b'[' | b':' | b'!' | b'?' | b'=' | b'^' | b'\\'
            )
        });
        signs.fold(0, |found, (at, byte)| {
            let after = bytes.get(at + 1).copied().unwrap_or_default();
            let sign = match (byte, after) {
                (b'{', b'{') => SHORTCODE | TEMPLATE,
                (b'{', b'%') => TEMPLATE,
                (b'{', b':') => ATTRIBUTES,
                (b'[', b'[') => WIKI | CONTENTS,
                (b'[', _) if bytes[..at].ends_with(b"*") => ABBREVIATION,
                (b'[', b'T' | b't') => CONTENTS | SHORTCODE,
                (b'[', b'a'..=b'z') => SHORTCODE,
                (b':', b':') | (b'!', b'!') | (b'?', b'?') => ADMONITION,
                (b':', b'a'..=b'z') => EMOJI,
                (b'=', b'=') => HIGHLIGHT,
                (b'^', b'[') => NOTE | SUPERSCRIPT,
                (b'^', _) => SUPERSCRIPT,
                (b'\\', b'(' | b'[') => FORMULA,
                _ => 0,
            };
            found | sign
        })
    }
}

/// Languages of code blocks that other programs draw.
const DIAGRAMS: &[&str] = &[
    "mermaid",
    "plantuml",
    "puml",
    "graphviz",
    "dot",
    "d2",
    "nomnoml",
    "vega",
    "vega-lite",
    "wavedrom",
    "goat",
    "bytefield",
];

const KINDS: &[Kind] = &[
    Kind {
        sign: sign::SHORTCODE,
        name: "the shortcode",
        hint: "write Markdown or HTML in its place: an image, a table, `<details>`, or a link to the video",
        find: |text, _| {
            between(text, "{{<", ">}}")
                .or_else(|| between(text, "{{%", "%}}"))
                .or_else(|| wordpress(text))
        },
    },
    Kind {
        sign: sign::TEMPLATE,
        name: "the template tag",
        hint: "write the text that the tag would print, or a placeholder such as `{product.name}`; put `\\` before the tag to show it as text",
        find: |text, _| {
            let tag = between(text, "{%", "%}").or_else(|| between(text, "{{", "}}"))?;
            let is_shortcode = text[..tag.start].ends_with('{')
                || text[tag.start + 2..].trim_start().starts_with(['<', '%']);
            (!is_shortcode).then_some(tag)
        },
    },
    Kind {
        sign: sign::ATTRIBUTES,
        name: "the attribute list",
        hint: "remove it; write `## Heading {#id}` to give a heading an id",
        find: |text, _| between(text, "{:", "}"),
    },
    Kind {
        sign: sign::ADMONITION,
        name: "the admonition",
        hint: "write `> [!NOTE]`, and begin each line of the note below with `> `",
        find: |text, begins| {
            [":::", "!!! ", "??? "].into_iter().find_map(|mark| {
                let at = lines(text, begins).find(|at| text[*at..].starts_with(mark))?;
                let name = text[at + mark.len()..].trim_start();
                name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '{')
                    .then(|| at..line_end(text, at))
            })
        },
    },
    Kind {
        sign: sign::CONTENTS,
        name: "the table of contents",
        hint: "remove it: a post with several headings gets one automatically",
        find: |text, begins| {
            ["[TOC]", "[toc]", "[[toc]]", "[[TOC]]", "[[_TOC_]]"]
                .into_iter()
                .find_map(|mark| {
                    let at = lines(text, begins)
                        .find(|at| text[*at..line_end(text, *at)].trim() == mark)?;
                    Some(at..at + mark.len())
                })
        },
    },
    Kind {
        sign: sign::WIKI,
        name: "the wiki link",
        hint: "write `[the text](/its/url/)`, or `![what it shows](image.jpg)` for an image",
        find: |text, _| {
            between(text, "[[", "]]").filter(|found| !text[found.clone()].contains('\n'))
        },
    },
    Kind {
        sign: sign::NOTE,
        name: "the inline footnote",
        hint: "write `[^1]`, and `[^1]: …` on a separate line",
        find: |text, _| between(text, "^[", "]"),
    },
    Kind {
        sign: sign::HIGHLIGHT,
        name: "the highlight",
        hint: "write `<mark>…</mark>`",
        find: |text, _| around(text, "=="),
    },
    Kind {
        sign: sign::SUPERSCRIPT,
        name: "the superscript",
        hint: "write `<sup>…</sup>`",
        find: |text, _| {
            let found = around(text, "^")?;
            let is_tight = text[..found.start].ends_with(char::is_alphanumeric);
            (is_tight && found.len() <= 12 && !text[found.clone()].contains(' ')).then_some(found)
        },
    },
    Kind {
        sign: sign::ABBREVIATION,
        name: "the abbreviation",
        hint: "write `<abbr title=\"…\">…</abbr>` where it is used in the text",
        find: |text, begins| {
            let at = lines(text, begins).find(|at| text[*at..].starts_with("*["))?;
            let inner = between(&text[at..line_end(text, at)], "*[", "]:")?;
            Some(at + inner.start..at + inner.end)
        },
    },
    Kind {
        sign: sign::EMOJI,
        name: "the emoji name",
        hint: "write the character itself",
        find: |text, _| {
            let found = around(text, ":")?;
            let name = &text[found.start + 1..found.end - 1];
            let is_name = name.len() > 2
                && name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.bytes().all(|byte| {
                    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_+-".contains(&byte)
                });
            let is_free = !text[..found.start].ends_with(char::is_alphanumeric)
                && !text[found.end..].starts_with(char::is_alphanumeric);
            (is_name && is_free).then_some(found)
        },
    },
    Kind {
        sign: sign::FORMULA,
        name: "the formula",
        hint: "write `$…$`, or `$$…$$` for a formula on its own line",
        find: |text, _| between(text, "\\(", "\\)").or_else(|| between(text, "\\[", "\\]")),
    },
];

impl Foreign {
    /// The markup in a text, which is written at `range` of the source.
    pub fn find(&mut self, words: &str, source: &str, range: &Range<usize>) -> Vec<Notice> {
        let signs = sign::all(words);
        if signs == 0 {
            return Vec::new();
        }
        let written = source.get(range.clone()).unwrap_or_default();
        let begins = source[..range.start].ends_with('\n') || range.start == 0 || {
            let line = source[..range.start].rfind('\n').map_or(0, |at| at + 1);
            source[line..range.start]
                .trim_matches([' ', '>', '\t', '-', '*', '\\'])
                .is_empty()
        };
        let mut notices: Vec<Notice> = Vec::new();
        for kind in KINDS {
            if signs & kind.sign == 0 || self.found.contains(&kind.name) {
                continue;
            }
            let Some(found) = (kind.find)(words, begins) else {
                continue;
            };
            let literal = &words[found];
            let literal = literal.lines().next().unwrap_or_default();
            let at = match kind.name {
                // A backslash is written twice.
                "the formula" => written.find(&literal[..2]),
                _ => written.find(literal),
            };
            let Some(at) = at else { continue };
            let at = range.start + at;
            // An escaped sign says that the author means the text: `\{{ name }}`.
            if kind.name != "the formula" && source[..at].ends_with('\\') {
                continue;
            }
            // `{{< x >}}` is no template tag, too.
            if notices.iter().any(|(known, _)| known.contains(&at)) {
                continue;
            }
            self.found.push(kind.name);
            notices.push((
                at..(at + literal.len()).min(source.len()),
                problem(kind.name, literal, kind.hint),
            ));
        }
        notices
    }

    /// The problem of a code block that another program would draw.
    pub fn diagram(&mut self, language: &str, range: &Range<usize>) -> Option<Notice> {
        if !DIAGRAMS.contains(&language) || self.found.contains(&"the diagram") {
            return None;
        }
        self.found.push("the diagram");
        let hint =
            "export it as an SVG next to the post, and write `![what it shows](diagram.svg)`";
        Some((
            range.start..range.start + 3,
            problem("the diagram in", language, hint),
        ))
    }
}

fn problem(name: &str, literal: &str, hint: &str) -> Problem {
    let short: String = literal.chars().take(40).collect();
    let dots = if short.len() < literal.len() {
        "…"
    } else {
        ""
    };
    Problem::warning(
        Code::ForeignMarkup,
        format!("{name} `{short}{dots}` is shown as text"),
    )
    .hint(hint)
}

/// The first text between two marks, with them.
fn between(text: &str, start: &str, end: &str) -> Option<Range<usize>> {
    let at = text.find(start)?;
    let length = text[at + start.len()..].find(end)?;
    (length > 0).then(|| at..at + start.len() + length + end.len())
}

/// The first text between two equal marks on a line, with them, which neither begins nor ends with a blank.
fn around(text: &str, mark: &str) -> Option<Range<usize>> {
    let marks: Vec<usize> = text
        .match_indices(mark)
        .map(|(at, _)| at)
        .take(64)
        .collect();
    marks.windows(2).find_map(|pair| {
        let inner = &text[pair[0] + mark.len()..pair[1]];
        let is_tight = !inner.is_empty()
            && inner.trim() == inner
            && !inner.contains('\n')
            && !inner.starts_with(mark);
        is_tight.then(|| pair[0]..pair[1] + mark.len())
    })
}

/// A shortcode of WordPress: `[gallery ids="1,2"]`.
fn wordpress(text: &str) -> Option<Range<usize>> {
    text.match_indices('[').take(64).find_map(|(at, _)| {
        let inner = text[at + 1..].split_once(']')?.0;
        let (name, arguments) = inner.split_once(' ')?;
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte)
            });
        (is_name && arguments.contains("=\"")).then(|| at..at + inner.len() + 2)
    })
}

/// Where the lines of a text begin.
fn lines(text: &str, begins: bool) -> impl Iterator<Item = usize> {
    let first = begins.then_some(0);
    first
        .into_iter()
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..]
        .find('\n')
        .map_or(text.len(), |length| at + length)
}
