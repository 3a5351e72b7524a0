//! Writes units as XLIFF 2.1: a file for each file of the site, with notes, length limits, terms, matches of the translation
//! memory, and inline codes whose originals are beside the text.

use std::fmt::Write as _;

pub use super::xliff_reader::read;

use super::inline::{Piece, pieces};
use super::units::{Document, State, Unit};
use super::xliff_reader::{BEFORE_NOTE, SITE_NOTE};

/// The namespaces of the core and of the modules.
const NAMESPACES: &str = "xmlns=\"urn:oasis:names:tc:xliff:document:2.0\" \
     xmlns:mtc=\"urn:oasis:names:tc:xliff:matches:2.0\" xmlns:gls=\"urn:oasis:names:tc:xliff:glossary:2.0\" \
     xmlns:slr=\"urn:oasis:names:tc:xliff:sizerestriction:2.0\"";

/// The text of a file with all units. `site` is the address of the site.
pub fn write(documents: &[Document], (from, to): (&str, &str), site: &str) -> String {
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xliff {NAMESPACES} version=\"2.1\" srcLang=\"{from}\" trgLang=\"{to}\">\n"
    );
    for document in documents {
        file(&mut text, document, site);
    }
    text.push_str("</xliff>\n");
    text
}

fn file(text: &mut String, document: &Document, site: &str) {
    let Document {
        key, from, address, ..
    } = document;
    let _ = writeln!(
        text,
        "  <file id=\"{}\" original=\"{}\" xml:space=\"preserve\">",
        name_token(key),
        attribute(from)
    );
    if document.units.iter().any(|unit| unit.max.is_some()) {
        text.push_str("    <slr:profiles generalProfile=\"xliff:codepoints\"/>\n");
    }
    let _ = writeln!(
        text,
        "    <notes>\n      <note category=\"{SITE_NOTE}\">{}</note>",
        escaped(site)
    );
    if !address.is_empty() {
        let _ = writeln!(
            text,
            "      <note category=\"page\">{}</note>",
            escaped(address)
        );
    }
    text.push_str("    </notes>\n");
    document
        .units
        .iter()
        .for_each(|one| unit(text, document, one));
    text.push_str("  </file>\n");
}

fn unit(text: &mut String, document: &Document, unit: &Unit) {
    let limit = unit
        .max
        .map(|max| format!(" slr:sizeRestriction=\"{max}\""))
        .unwrap_or_default();
    let _ = writeln!(
        text,
        "    <unit id=\"{}\" name=\"{}\"{limit}>",
        name_token(&unit.name),
        attribute(&document.id(unit))
    );
    if !unit.matches.is_empty() {
        text.push_str("      <mtc:matches>\n");
        for found in &unit.matches {
            let _ = writeln!(
                text,
                "        <mtc:match ref=\"#s1\" matchQuality=\"{0}.0\" similarity=\"{0}.0\" origin=\"memory.tmx\">\n          \
                 <source>{1}</source>\n          <target>{2}</target>\n        </mtc:match>",
                found.percent,
                escaped(&found.source),
                escaped(&found.target)
            );
        }
        text.push_str("      </mtc:matches>\n");
    }
    if !unit.terms.is_empty() {
        text.push_str("      <gls:glossary>\n");
        for (term, translation) in &unit.terms {
            let _ = writeln!(
                text,
                "        <gls:glossEntry>\n          <gls:term>{}</gls:term>\n          \
                 <gls:translation>{}</gls:translation>\n        </gls:glossEntry>",
                escaped(term),
                escaped(translation)
            );
        }
        text.push_str("      </gls:glossary>\n");
    }
    let _ = writeln!(
        text,
        "      <notes>\n        <note category=\"place\">{}:{}</note>",
        escaped(&document.from),
        unit.line
    );
    if !unit.meaning.is_empty() {
        let _ = writeln!(
            text,
            "        <note category=\"meaning\">{}</note>",
            escaped(&unit.meaning)
        );
    }
    let _ = writeln!(
        text,
        "        <note category=\"{BEFORE_NOTE}\">{}</note>\n      </notes>",
        unit.before
    );
    let source = pieces(&unit.source);
    let target = unit
        .target
        .as_deref()
        .map(|target| Coded::of_target(&source, target));
    let source = Coded::of_source(&source);
    data(text, &source, target.as_ref());
    let state = match unit.state {
        State::Initial => "state=\"initial\"",
        State::Machine => "state=\"initial\" subState=\"sitegen:machine\"",
        State::Stale => "state=\"initial\" subState=\"sitegen:stale\"",
        State::Translated => "state=\"translated\"",
        State::Final => "state=\"final\"",
    };
    let _ = writeln!(
        text,
        "      <segment id=\"s1\" {state}>\n        <source>{}</source>",
        source.text
    );
    if let Some(target) = &target {
        let _ = writeln!(text, "        <target>{}</target>", target.text);
    }
    text.push_str("      </segment>\n    </unit>\n");
}

fn data(text: &mut String, source: &Coded, target: Option<&Coded>) {
    let all: Vec<&(String, String)> = source
        .data
        .iter()
        .chain(target.into_iter().flat_map(|target| &target.data))
        .collect();
    if all.is_empty() {
        return;
    }
    text.push_str("      <originalData>\n");
    for (id, code) in all {
        let _ = writeln!(text, "        <data id=\"{id}\">{}</data>", escaped(code));
    }
    text.push_str("      </originalData>\n");
}

/// A text with elements for its codes.
struct Coded {
    text: String,
    /// The originals of the codes, by the names that the text refers to them with.
    data: Vec<(String, String)>,
}

impl Coded {
    fn of_source(source: &[Piece]) -> Coded {
        let mut coded = Coded {
            text: String::new(),
            data: Vec::new(),
        };
        for piece in source {
            coded.add(piece, source, |number| number.to_string(), |_| true);
        }
        coded
    }

    /// A translation, whose codes are those of the source wherever they are the same.
    fn of_target(source: &[Piece], target: &str) -> Coded {
        let target = pieces(target);
        let names = code_names(source, &target);
        let mut coded = Coded {
            text: String::new(),
            data: Vec::new(),
        };
        for piece in &target {
            coded.add(
                piece,
                &target,
                |number| names[number - 1].clone(),
                |name| name.starts_with('t'),
            );
        }
        coded
    }

    fn add(
        &mut self,
        piece: &Piece,
        all: &[Piece],
        name: impl Fn(usize) -> String,
        is_new: impl Fn(&str) -> bool,
    ) {
        match piece {
            Piece::Text(text) => self.text.push_str(&escaped(text)),
            Piece::Open(number, code) => {
                let name = name(*number);
                let close = all.iter().find_map(|piece| match piece {
                    Piece::Close(other, code) if other == number => Some(code.clone()),
                    _ => None,
                });
                let kind = match code.as_str() {
                    "[" => " type=\"link\"",
                    "![" => " type=\"image\"",
                    _ => " type=\"fmt\"",
                };
                let _ = write!(
                    self.text,
                    "<pc id=\"{name}\"{kind} canCopy=\"no\" canDelete=\"no\" dataRefStart=\"d{name}\" dataRefEnd=\"e{name}\">"
                );
                if is_new(&name) {
                    self.data.push((format!("d{name}"), code.clone()));
                    self.data
                        .push((format!("e{name}"), close.unwrap_or_default()));
                }
            }
            Piece::Close(..) => self.text.push_str("</pc>"),
            Piece::Alone(number, code) => {
                let name = name(*number);
                let _ = write!(
                    self.text,
                    "<ph id=\"{name}\" canCopy=\"no\" canDelete=\"no\" dataRef=\"d{name}\" disp=\"{}\"/>",
                    attribute(code.trim())
                );
                if is_new(&name) {
                    self.data.push((format!("d{name}"), code.clone()));
                }
            }
        }
    }
}

/// The names of the codes of a translation, by their numbers: those of the same codes in the source, or `t1` for one that the
/// source does not have.
pub(super) fn code_names(source: &[Piece], target: &[Piece]) -> Vec<String> {
    let mut free = codes_of(source);
    let mut names = Vec::new();
    for (number, code) in codes_of(target) {
        let found = free.iter().position(|(_, other)| *other == code);
        names.push(match found {
            Some(at) => free.remove(at).0.to_string(),
            None => format!("t{number}"),
        });
    }
    names
}

/// The codes of a text by number: the beginning, and the end of those that have words.
pub(super) fn codes_of(pieces: &[Piece]) -> Vec<(usize, (String, Option<String>))> {
    let mut codes: Vec<(usize, (String, Option<String>))> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(_) => {}
            Piece::Open(number, code) => codes.push((*number, (code.clone(), Some(String::new())))),
            Piece::Alone(number, code) => codes.push((*number, (code.clone(), None))),
            Piece::Close(number, code) => {
                if let Some((_, known)) = codes.iter_mut().find(|(other, _)| other == number) {
                    known.1 = Some(code.clone());
                }
            }
        }
    }
    codes
}

/// A name as XML allows it for identifiers: `pages/home` becomes `pages_x2f_home`.
pub(super) fn name_token(name: &str) -> String {
    let mut token = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':') {
            token.push(c);
        } else {
            let _ = write!(token, "_x{:x}_", u32::from(c));
        }
    }
    token
}

/// Text between tags. Characters that XML does not have are elements.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\r' => escaped.push_str("&#13;"),
            c if is_forbidden(c) => drop(write!(escaped, "<cp hex=\"{:04X}\"/>", u32::from(c))),
            c => escaped.push(c),
        }
    }
    escaped
}

fn is_forbidden(c: char) -> bool {
    c < ' ' && c != '\t' && c != '\n' || matches!(c, '\u{fffe}' | '\u{ffff}')
}

fn attribute(text: &str) -> String {
    let shown: String = text.chars().filter(|c| !is_forbidden(*c)).collect();
    escaped(&shown)
        .replace('"', "&quot;")
        .replace('\n', "&#10;")
        .replace('\t', "&#9;")
}
