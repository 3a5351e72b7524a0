//! Texts that another language lends, in pages: each gets the language and the direction that it has, wherever a template
//! writes it. So a voice reads it as what it is, and its full stop is at its end.
//!
//! The reader of such a text marks it ([`marked`]). Marks are characters of a private plane, which templates, filters
//! and islands pass on as letters. After a page is rendered, [`resolve`] turns them into a `span` around the text or,
//! where React or HTML expects no element, into attributes of the one that has nothing else. An image or a control
//! says the language of its attributes. In other attributes and scripts, where nothing can say it, the marks vanish.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use minijinja::Value;
use minijinja::value::{Serde, ValueKind};

use languages::locale::lent::{END, language_at};
pub(super) use languages::locale::lent::{marked, of_code};
use languages::locale::{Direction, Locale};
use schema::{Block, Field, Takes};
use site::model::Words;

/// A language as elements state it.
#[derive(Clone, Copy)]
pub(super) struct Tongue<'a> {
    /// The value of `lang`.
    pub language: &'a str,
    /// The value of `dir`.
    pub direction: &'static str,
}

/// The key of the text of an action.
const LABEL: &str = "label";
/// The elements without content and without an end.
const VOID: [&str; 13] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
];
/// The elements that hold no text beside that of their attributes.
const WITHOUT_TEXT: [&str; 5] = ["area", "iframe", "img", "input", "svg"];
/// The elements whose content is text only: no element can be in them.
const TEXT_ONLY: [&str; 5] = ["option", "script", "style", "textarea", "title"];
/// The element of an island, in which React expects the elements that it has rendered, and no more.
const ISLAND: &str = "sitegen-island";

/// A text as a template gets it.
pub(super) fn words(words: &Words, locales: &[Locale]) -> String {
    of_code(&words.text, words.lent_by.as_deref(), locales)
}

/// A text or HTML of a template, or a list of them, with the mark of a language.
pub(super) fn value(value: Value, lent_by: Option<usize>) -> Value {
    if lent_by.is_none() {
        return value;
    }
    match value.as_str() {
        Some(html) if value.is_safe() => Value::from_safe_string(marked(html, lent_by)),
        Some(text) => Value::from(marked(text, lent_by)),
        // Several texts.
        None if value.kind() == ValueKind::Seq => value
            .try_iter()
            .into_iter()
            .flatten()
            .map(|item| self::value(item, lent_by))
            .collect(),
        // An action or a link: a text beside an address.
        None if value
            .get_attr(LABEL)
            .is_ok_and(|label| label.as_str().is_some()) =>
        {
            let keys = value.try_iter().into_iter().flatten();
            let entry = |key: Value| {
                let item = value.get_item(&key).unwrap_or_default();
                let is_label = key.as_str() == Some(LABEL);
                (
                    key.to_string(),
                    if is_label {
                        self::value(item, lent_by)
                    } else {
                        item
                    },
                )
            };
            Value::from(keys.map(entry).collect::<BTreeMap<String, Value>>())
        }
        None => value,
    }
}

/// The value of a field, with the mark of a language at each of its texts. Names that programs and templates compare have none.
pub(super) fn of_type(value: Value, takes: &Takes, lent_by: Option<usize>) -> Value {
    match takes {
        Takes::Text | Takes::Markdown | Takes::Action => self::value(value, lent_by),
        Takes::Block(_) if lent_by.is_none() => value,
        Takes::Block(_) if value.kind() == ValueKind::Seq => value
            .try_iter()
            .into_iter()
            .flatten()
            .map(|item| of_type(item, takes, lent_by))
            .collect(),
        Takes::Block(block) if value.kind() == ValueKind::Map => of_block(&value, block, lent_by),
        _ => value,
    }
}

/// The same for a field of an entry: what isn't said in each language, such as a name or the key of a page, is the same in
/// all, so that templates can compare it.
pub(super) fn of_field(value: Value, field: &Field, lent_by: Option<usize>) -> Value {
    match &field.takes {
        takes if field.words => of_type(value, takes, lent_by),
        Takes::Block(_) if lent_by.is_none() => value,
        Takes::Block(_) if value.kind() == ValueKind::Seq => value
            .try_iter()
            .into_iter()
            .flatten()
            .map(|item| of_field(item, field, lent_by))
            .collect(),
        Takes::Block(block) if value.kind() == ValueKind::Map => {
            each_field(&value, block, &|item, field| of_field(item, field, lent_by))
        }
        _ => value,
    }
}

/// The values of the fields of a block, such as a section.
pub(super) fn of_block(value: &Value, block: &Block, lent_by: Option<usize>) -> Value {
    each_field(value, block, &|item, field| {
        of_type(item, &field.takes, lent_by)
    })
}

fn each_field(value: &Value, block: &Block, change: &dyn Fn(Value, &Field) -> Value) -> Value {
    let keys = value.try_iter().into_iter().flatten();
    let entry = |key: Value| {
        let item = value.get_item(&key).unwrap_or_default();
        let name = key.to_string();
        let item = match block.field(&name) {
            Some(field) => change(item, field),
            None => item,
        };
        (name, item)
    };
    Value::from(keys.map(entry).collect::<BTreeMap<String, Value>>())
}

/// The languages of a site, in their order.
pub(super) fn tongues(locales: &[Locale]) -> Vec<Tongue<'_>> {
    locales
        .iter()
        .map(|locale| Tongue {
            language: &locale.language,
            direction: if locale.direction == Direction::Rtl {
                "rtl"
            } else {
                "ltr"
            },
        })
        .collect()
}

/// A language as templates see it: `lang` and `dir`. `none` for that of the page.
pub(super) fn tongue(lent_by: Option<usize>, locales: &[Locale]) -> Value {
    lent_by.map_or_else(
        || Value::from(()),
        |at| {
            let Tongue {
                language,
                direction,
            } = tongues(locales)[at];
            Value::from(Serde(BTreeMap::from([
                ("lang", language),
                ("dir", direction),
            ])))
        },
    )
}

/// The language of a mark.
fn language_of<'t>(c: char, tongues: &[Tongue<'t>]) -> Option<Tongue<'t>> {
    tongues.get(language_at(c)?).copied()
}

/// A page in which texts of other languages have their language.
pub(super) fn resolve(html: String, tongues: &[Tongue]) -> String {
    if !html.contains(END) {
        return html;
    }
    let mut page = Page {
        written: String::with_capacity(html.len() + html.len() / 8),
        open: Vec::new(),
        said: Vec::new(),
    };
    let mut rest = html.as_str();
    while let Some(at) =
        rest.find(|c: char| c == '<' || c == END || language_of(c, tongues).is_some())
    {
        page.written.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('<') {
            let length = tag_length(rest);
            let tag = &rest[..length];
            let lent = tag.chars().find_map(|c| language_of(c, tongues));
            page.tag(&page.with_language(plain(tag, tongues), lent));
            rest = &rest[length..];
            continue;
        }
        let mut letters = rest.chars();
        let language = letters.next().and_then(|c| language_of(c, tongues));
        rest = letters.as_str();
        let Some(language) = language else { continue };
        // A text that another one encloses, such as a name in a message, has the language of the outer one.
        let end = end_of(rest, tongues);
        page.text(
            &plain(&rest[..end], tongues),
            language,
            rest[end..].trim_start_matches(END).starts_with("</"),
        );
        rest = &rest[end..];
    }
    page.written.push_str(rest);
    page.written
}

/// Where the text behind a mark ends: at its mark, or where a template has cut that off, at the end of the element around it.
fn end_of(text: &str, tongues: &[Tongue]) -> usize {
    let (mut depth, mut open, mut at) = (0_usize, 0_usize, 0);
    while let Some(c) = text[at..].chars().next() {
        let mut length = c.len_utf8();
        match c {
            '<' => {
                length = tag_length(&text[at..]);
                let tag = &text[at..at + length];
                if tag.starts_with("</") {
                    let Some(rest) = open.checked_sub(1) else {
                        return at;
                    };
                    open = rest;
                } else if !tag.starts_with("<!")
                    && !tag.ends_with("/>")
                    && !VOID.contains(&name_of(tag))
                {
                    open += 1;
                }
            }
            END if depth == 0 => return at,
            END => depth -= 1,
            _ if language_of(c, tongues).is_some() => depth += 1,
            _ => {}
        }
        at += length;
    }
    text.len()
}

/// The name of the element of a tag.
fn name_of(tag: &str) -> &str {
    let name = tag.trim_start_matches(['<', '/']);
    &name[..name
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .unwrap_or(name.len())]
}

/// A text without marks.
fn plain(text: &str, tongues: &[Tongue]) -> String {
    text.chars()
        .filter(|c| *c != END && language_of(*c, tongues).is_none())
        .collect()
}

/// The length of a tag or a comment at the beginning of a text. A `>` in a quoted value does not end a tag.
fn tag_length(text: &str) -> usize {
    if text.starts_with("<!--") {
        return text.find("-->").map_or(text.len(), |at| at + "-->".len());
    }
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return at + 1,
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    text.len()
}

/// The part of a page that is written.
struct Page {
    written: String,
    /// The names of the elements around the next text that hold text only, and of islands.
    open: Vec<String>,
    /// The elements around the next text that say a language: the name, the language, and how many elements of this name are open
    /// in it.
    said: Vec<(String, String, usize)>,
}

impl Page {
    /// A tag that says the language of its attributes, if its element can.
    fn with_language(&self, tag: String, lent: Option<Tongue>) -> String {
        let Some(Tongue {
            language,
            direction,
        }) = lent.filter(|lent| {
            WITHOUT_TEXT.contains(&name_of(&tag))
                && self.open.is_empty()
                && !tag.contains(" lang=")
                && !self.says(lent.language)
        })
        else {
            return tag;
        };
        let (start, end) = match tag.strip_suffix("/>") {
            Some(start) => (start, "/>"),
            None => (tag.strip_suffix('>').unwrap_or(&tag), ">"),
        };
        format!("{start} lang=\"{language}\" dir=\"{direction}\"{end}")
    }

    /// Whether the element around the next text says this language.
    fn says(&self, language: &str) -> bool {
        let last = self.said.last();
        last.is_some_and(|(_, said, _)| said == language)
    }

    fn tag(&mut self, tag: &str) {
        let closes = tag.starts_with("</");
        let name = name_of(tag);
        if closes && self.open.last().is_some_and(|open| open == name) {
            self.open.pop();
        } else if !closes && (name == ISLAND || TEXT_ONLY.contains(&name)) {
            self.open.push(name.to_owned());
        }
        let own = tag
            .split(" lang=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .filter(|_| !closes && !VOID.contains(&name));
        let within = self.said.last_mut().filter(|(known, ..)| known == name);
        match (own, within) {
            (Some(language), _) => self.said.push((name.to_owned(), language.to_owned(), 0)),
            (None, Some((_, _, depth))) if closes && *depth == 0 => drop(self.said.pop()),
            (None, Some((_, _, depth))) if closes => *depth -= 1,
            (None, Some((_, _, depth))) if !tag.ends_with("/>") => *depth += 1,
            (None, _) => {}
        }
        self.written.push_str(tag);
    }

    /// Writes a text of a language. `is_last` tells whether the element that it is in ends behind it.
    fn text(&mut self, text: &str, tongue: Tongue, is_last: bool) {
        let Tongue {
            language,
            direction,
        } = tongue;
        let holds_nothing = self
            .open
            .last()
            .is_some_and(|name| name == "script" || name == "style");
        if self.says(language) || holds_nothing {
            self.written.push_str(text);
        } else if self.open.is_empty() {
            // Around paragraphs, a block. Around words, nothing that moves them to the other side of their line.
            let name = if text.trim_start().starts_with('<') {
                "div"
            } else {
                "span"
            };
            let _ = write!(
                self.written,
                "<{name} lang=\"{language}\" dir=\"{direction}\">{text}</{name}>"
            );
        } else {
            // No element can be added: the one that holds nothing else says it.
            let before = self
                .written
                .strip_suffix('>')
                .filter(|before| is_last && !before.ends_with('/'));
            let tag = before
                .and_then(|before| before.rfind('<'))
                .map(|at| &self.written[at..]);
            if tag.is_some_and(|tag| !tag.starts_with("</") && !tag.contains(" lang=")) {
                let end = self.written.len() - 1;
                self.written
                    .insert_str(end, &format!(" lang=\"{language}\" dir=\"{direction}\""));
            }
            self.written.push_str(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `[…]` in a page is a text that English lends to Arabic.
    fn check(page: &str, expected: &str) {
        let mark = marked("x", Some(1));
        let begin = mark.chars().next().expect("a mark");
        let html: String = page
            .chars()
            .map(|c| {
                if c == '[' {
                    begin
                } else if c == ']' {
                    END
                } else {
                    c
                }
            })
            .collect();
        let tongues = [("ar", "rtl"), ("en", "ltr")].map(|(language, direction)| Tongue {
            language,
            direction,
        });
        assert_eq!(resolve(html, &tongues), expected, "{page}");
    }

    #[test]
    fn a_text_gets_an_element_or_that_which_holds_text_only_says_its_language() {
        check(
            "<p>[Teeth for life.]</p>",
            "<p><span lang=\"en\" dir=\"ltr\">Teeth for life.</span></p>",
        );
        check(
            "<option value=\"[a]\">[A]</option>",
            "<option value=\"a\" lang=\"en\" dir=\"ltr\">A</option>",
        );
    }

    #[test]
    fn a_language_is_said_once() {
        check(
            "<li lang=\"en\" dir=\"ltr\"><b>[A]</b></li>",
            "<li lang=\"en\" dir=\"ltr\"><b>A</b></li>",
        );
        check(
            "<div lang=\"en\"><div>x</div>[A]</div><p>[B]</p>",
            "<div lang=\"en\"><div>x</div>A</div><p><span lang=\"en\" dir=\"ltr\">B</span></p>",
        );
    }

    #[test]
    fn a_text_beside_others_gets_an_element() {
        check(
            "<a>[A] <b>2</b></a>",
            "<a><span lang=\"en\" dir=\"ltr\">A</span> <b>2</b></a>",
        );
        check(
            "<div><p>x</p>[<p>A</p>]</div>",
            "<div><p>x</p><div lang=\"en\" dir=\"ltr\"><p>A</p></div></div>",
        );
        check(
            "<p>[Un m</p><p>[b]</p>",
            "<p><span lang=\"en\" dir=\"ltr\">Un m</span></p><p><span lang=\"en\" dir=\"ltr\">b</span></p>",
        );
        check(
            "<div>[<p>a<br>b</p>]</div>",
            "<div><div lang=\"en\" dir=\"ltr\"><p>a<br>b</p></div></div>",
        );
        check(
            "<p>x [A [b] c]</p>",
            "<p>x <span lang=\"en\" dir=\"ltr\">A b c</span></p>",
        );
    }

    #[test]
    fn attributes_scripts_and_islands_get_no_element() {
        check(
            "<nav aria-label=\"[A > B]\">x</nav>",
            "<nav aria-label=\"A > B\">x</nav>",
        );
        check("<script>f(\"[A]\")</script>", "<script>f(\"A\")</script>");
        check("<!-- [A] -->", "<!-- A -->");
        check(
            "<sitegen-island props='{\"a\":\"[A]\"}'><a href=\"/\">[A]</a><b>[A]<i></i></b></sitegen-island>",
            "<sitegen-island props='{\"a\":\"A\"}'><a href=\"/\" lang=\"en\" dir=\"ltr\">A</a><b>A<i></i></b></sitegen-island>",
        );
    }

    #[test]
    fn pictures_and_controls_say_the_language_of_their_attributes() {
        check(
            "<p><img src=\"a\" alt=\"[A]\">[B]</p>",
            "<p><img src=\"a\" alt=\"A\" lang=\"en\" dir=\"ltr\"><span lang=\"en\" dir=\"ltr\">B</span></p>",
        );
        check(
            "<svg role=\"img\" aria-label=\"[A]\"><g/></svg><input placeholder=\"[A]\"/>[B]",
            "<svg role=\"img\" aria-label=\"A\" lang=\"en\" dir=\"ltr\"><g/></svg>\
             <input placeholder=\"A\" lang=\"en\" dir=\"ltr\"/><span lang=\"en\" dir=\"ltr\">B</span>",
        );
        check(
            "<div lang=\"en\"><img alt=\"[A]\"></div>",
            "<div lang=\"en\"><img alt=\"A\"></div>",
        );
        check(
            "<sitegen-island><img alt=\"[A]\"></sitegen-island>",
            "<sitegen-island><img alt=\"A\"></sitegen-island>",
        );
    }

    #[test]
    fn a_page_without_such_texts_keeps_its_bytes() {
        let page = "<p>a</p>".to_owned();
        assert_eq!(resolve(page.clone(), &[]), page);
        assert_eq!(marked(" ", Some(0)), " ");
        assert_eq!(marked("a", None), "a");
    }
}
