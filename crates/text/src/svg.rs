//! Checks drawings (SVG) and writes them again from the parts that are allowed.
//!
//! A drawing is code to a browser: it can hold scripts, event handlers, documents, animations that set links, and addresses
//! of other hosts. A list of what is forbidden can be got around, because a page reads a drawing as HTML and a file is read
//! as XML. So the file is parsed once, elements and attributes of fixed lists are kept, and the text that is published is
//! written here from the tree. Whatever would be lost to readers is an error for the author instead.
//!
//! Takes the text of a file and gives a [`Drawing`]. Knows no files and no pages.

mod cost;
mod lists;
mod paints;
#[cfg(test)]
mod tests;
mod values;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::Range;

use roxmltree::{Node, ParsingOptions};

use api_types::html::escape;
use diagnostics::limits::{DRAWING_NODES, XML_DEPTH, excess_of_xml};

pub use paints::{Paint, Part, fixed as fixed_paints};

use lists::{
    ANIMATED, ATTRIBUTES, ELEMENTS, FREE_TEXT, IGNORED, PROGRAMS, PROPERTIES, WITH_TEXT, WORDS,
};

const NAMESPACE: &str = "http://www.w3.org/2000/svg";
const XLINK: &str = "http://www.w3.org/1999/xlink";

/// A checked drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// The drawing as written again: one `<svg>` element, which means the same to a parser of XML and to one of HTML.
    pub text: String,
    /// The text that is published for the file itself: that of its author, unless a part of it was not checked as browsers
    /// read it (a document type, another encoding). Then the drawing as written again, with all of its ids.
    pub file: String,
    /// Width and height in CSS pixels, if the drawing has them or a `viewBox`.
    pub size: Option<(u32, u32)>,
    /// The first part that would affect a page around the drawing, such as an id. The drawing can then be shown as a
    /// picture of its own, and not as a part of the page.
    pub apart: Option<Refusal>,
    /// The first part that takes too long to draw during a build, such as a filter.
    pub costly: Option<Refusal>,
}

/// A part of a drawing that is not allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The part, after "the SVG contains": "a `<script>`".
    pub part: String,
    /// Its range in the text, in bytes.
    pub span: Range<usize>,
}

/// The reason why a text is not a drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SvgError {
    /// The text is no SVG: the sentence, and the byte at which it is wrong.
    NotSvg(String, usize),
    /// It is one, with a part that is not allowed.
    Refused(Refusal),
}

impl std::fmt::Display for SvgError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SvgError::NotSvg(why, _) => f.write_str(why),
            SvgError::Refused(refusal) => {
                write!(f, "the SVG contains {}, which is not allowed", refusal.part)
            }
        }
    }
}

impl SvgError {
    /// Where it is wrong, in bytes of the text.
    pub fn span(&self) -> Range<usize> {
        match self {
            SvgError::NotSvg(_, at) => *at..*at,
            SvgError::Refused(refusal) => refusal.span.clone(),
        }
    }
}

/// The size of a drawing whose parts are not checked: a template of drawings.
pub fn size_of(text: &str) -> Result<Option<(u32, u32)>, SvgError> {
    let (text, _) = without_doctype(text)?;
    let document = roxmltree::Document::parse(text);
    let document = document
        .map_err(|error| SvgError::NotSvg(format!("the SVG is not valid XML: {error}"), 0))?;
    Ok(size(document.root_element()))
}

/// Checks a drawing.
pub fn read(text: &str) -> Result<Drawing, SvgError> {
    if let Some((at, what)) = excess_of_xml(text) {
        return Err(SvgError::NotSvg(format!("in the SVG, {what}"), at));
    }
    let original = text;
    let (text, offset) = without_doctype(original)?;
    let options = ParsingOptions {
        nodes_limit: DRAWING_NODES,
        ..ParsingOptions::default()
    };
    let document = roxmltree::Document::parse_with_options(text, options).map_err(|error| {
        let at = error.pos();
        let line_start = text
            .split_inclusive('\n')
            .take((at.row as usize).saturating_sub(1))
            .map(str::len)
            .sum::<usize>();
        SvgError::NotSvg(
            format!("the SVG is not valid XML: {error}"),
            (offset + line_start).min(offset + text.len()),
        )
    })?;
    let root = document.root_element();
    if root.tag_name().name() != "svg"
        || !matches!(root.tag_name().namespace(), None | Some(NAMESPACE))
    {
        return Err(SvgError::NotSvg(
            "the file is not an SVG".to_owned(),
            offset + root.range().start,
        ));
    }
    let mut writer = Writer::default();
    let written = document
        .root()
        .children()
        .try_for_each(|node| writer.node(node, 0));
    let cost = written.and_then(|()| cost::check(root, &writer.referenced));
    let costly = cost.map_err(|refusal| SvgError::Refused(refusal.moved(offset)))?;
    let Writer {
        out,
        apart,
        ids,
        referenced,
        ..
    } = writer;
    // An id that nothing refers to is left out: drawing programs give one to each shape.
    let used: HashSet<&str> = referenced.iter().map(String::as_str).collect();
    let named = ids
        .iter()
        .find(|(id, ..)| used.contains(id.as_str()))
        .map(|(id, _, span)| {
            Refusal::of(
                format!("the id `{id}` (another image on the page may have it)"),
                span.clone(),
            )
        });
    let is_as_checked = offset == 0 && is_utf8(original);
    let file = if is_as_checked {
        original.to_owned()
    } else {
        with_ids(&out, &ids, |_| true)
    };
    let text = with_ids(&out, &ids, |id| used.contains(id));
    let apart = [named, apart]
        .into_iter()
        .flatten()
        .min_by_key(|refusal| refusal.span.start);
    Ok(Drawing {
        text,
        file,
        size: size(root),
        apart: apart.map(|refusal| refusal.moved(offset)),
        costly: costly.map(|refusal| refusal.moved(offset)),
    })
}

/// A written drawing with those of its ids that are kept.
fn with_ids(
    out: &str,
    ids: &[(String, usize, Range<usize>)],
    is_kept: impl Fn(&str) -> bool,
) -> String {
    let mut text = String::with_capacity(out.len());
    let mut from = 0;
    for (id, at, _) in ids {
        text.push_str(&out[from..*at]);
        if is_kept(id) {
            // Writing to a string cannot fail.
            let _ = write!(text, " id=\"{}\"", escape(id));
        }
        from = *at;
    }
    text.push_str(&out[from..]);
    text
}

/// Reads UTF-16, whose bytes `unit` puts in order.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    String::from_utf16_lossy(
        &bytes
            .as_chunks()
            .0
            .iter()
            .map(|pair| unit(*pair))
            .collect::<Vec<_>>(),
    )
}

/// Whether the first element of a file is that of a drawing, with any prefix and in UTF-8 or UTF-16. A document type with
/// entities, which can hide it, counts as one.
pub fn is_drawing(bytes: &[u8]) -> bool {
    let text = match bytes {
        [0xff, 0xfe, ..] | [b'<', 0, ..] => utf16(bytes, u16::from_le_bytes),
        [0xfe, 0xff, ..] | [0, b'<', ..] => utf16(bytes, u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    };
    let mut rest = &text[prolog_end(&text)..];
    loop {
        if let Some(instruction) = rest.strip_prefix("<?") {
            let end = instruction.split_once("?>");
            rest = end.map_or("", |(_, behind)| behind);
        } else if let Some(doctype) = rest.strip_prefix("<!DOCTYPE") {
            match doctype.find(['>', '[']) {
                Some(end) if doctype.as_bytes()[end] == b'>' => rest = &doctype[end + 1..],
                _ => return true,
            }
        } else {
            break;
        }
        rest = &rest[prolog_end(rest)..];
    }
    let name = rest.strip_prefix('<').unwrap_or_default();
    let name = name
        .split(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))
        .next()
        .unwrap_or_default();
    name.rsplit(':').next() == Some("svg")
}

/// Says if browsers read a file in the encoding in which it was checked: another one that it declares can hide tags.
fn is_utf8(text: &str) -> bool {
    let declaration = text.trim_start_matches('\u{feff}').strip_prefix("<?xml");
    let declaration = declaration
        .and_then(|rest| rest.split_once("?>"))
        .map_or("", |(declaration, _)| declaration);
    let encoding = declaration
        .split_once("encoding")
        .map(|(_, rest)| rest.trim_start_matches([' ', '\t', '\r', '\n', '=']));
    encoding.is_none_or(|value| {
        let value = value.trim_start_matches(['"', '\'']).to_ascii_lowercase();
        value
            .strip_prefix("utf-8")
            .is_some_and(|rest| rest.starts_with(['"', '\'']))
    })
}

impl Refusal {
    fn of(part: impl Into<String>, span: Range<usize>) -> Refusal {
        Refusal {
            part: part.into(),
            span,
        }
    }

    fn moved(self, by: usize) -> Refusal {
        Refusal {
            span: self.span.start + by..self.span.end + by,
            ..self
        }
    }
}

/// The text behind a document type, and where it begins. Drawing programs of old write one; entities are refused, because
/// they are a language of their own in which a small file becomes a large one.
///
/// Only what may stand before a document type is cut with it: an XML declaration, comments and space. The letters
/// `<!DOCTYPE` anywhere else, such as in `CDATA`, are text of the drawing, and a processing instruction is a style sheet
/// that browsers run.
fn without_doctype(text: &str) -> Result<(&str, usize), SvgError> {
    let start = prolog_end(text);
    let Some(doctype) = text[start..].strip_prefix("<!DOCTYPE") else {
        return Ok((text, 0));
    };
    let end = doctype
        .find(['>', '[', '<'])
        .filter(|at| doctype.as_bytes()[*at] == b'>');
    let behind = &doctype[end.ok_or_else(|| {
        SvgError::Refused(Refusal::of(
            "a document type with entities",
            start..start + "<!DOCTYPE".len(),
        ))
    })? + 1..];
    Ok((behind, text.len() - behind.len()))
}

/// The byte behind the XML declaration, the comments and the space that a file may begin with.
fn prolog_end(text: &str) -> usize {
    let mut rest = text.trim_start_matches('\u{feff}');
    if rest
        .strip_prefix("<?xml")
        .is_some_and(|rest| rest.starts_with(char::is_whitespace))
    {
        rest = rest.split_once("?>").map_or("", |(_, behind)| behind);
    }
    loop {
        rest = rest.trim_start();
        let Some((_, behind)) = rest
            .strip_prefix("<!--")
            .and_then(|rest| rest.split_once("-->"))
        else {
            return text.len() - rest.len();
        };
        rest = behind;
    }
}

/// The range of a start tag, as far as the name of the element is long.
fn start_tag(node: Node) -> Range<usize> {
    let (range, text) = (node.range(), node.document().input_text());
    let end = (range.start + 1 + node.tag_name().name().len()).min(range.end);
    // A prefix before the name may hold longer letters.
    range.start..text.floor_char_boundary(end)
}

/// Writes the allowed parts of a tree.
#[derive(Default)]
struct Writer {
    out: String,
    /// Ids, where they would be written, and their ranges in the source.
    ids: Vec<(String, usize, Range<usize>)>,
    /// Ids that a value refers to.
    referenced: Vec<String>,
    apart: Option<Refusal>,
    /// Whether this is within a part that is checked and not written: what a program keeps for itself.
    silent: bool,
}

impl Writer {
    fn node(&mut self, node: Node, depth: usize) -> Result<(), Refusal> {
        match node.node_type() {
            roxmltree::NodeType::Element => self.element(node, depth),
            roxmltree::NodeType::Text => {
                self.text(node);
                Ok(())
            }
            roxmltree::NodeType::PI => {
                let name = node.pi().map(|pi| pi.target).unwrap_or_default();
                Err(Refusal::of(
                    format!("the processing instruction `{name}`"),
                    node.range(),
                ))
            }
            roxmltree::NodeType::Comment | roxmltree::NodeType::Root => Ok(()),
        }
    }

    fn element(&mut self, node: Node, depth: usize) -> Result<(), Refusal> {
        let name = node.tag_name().name();
        let tag = start_tag(node);
        if depth > XML_DEPTH {
            return Err(Refusal::of(
                format!("elements nested more than {XML_DEPTH} levels deep"),
                tag,
            ));
        }
        let of_program = match node.tag_name().namespace() {
            None | Some(NAMESPACE) => false,
            Some(other) if PROGRAMS.iter().any(|known| other.contains(known)) => true,
            Some(_) => {
                return Err(Refusal::of(
                    format!("a `<{name}>` from another namespace"),
                    tag,
                ));
            }
        };
        if !of_program && !ELEMENTS.contains(&name) {
            return Err(Refusal::of(format!("a `<{name}>`"), tag));
        }
        let was_silent = self.silent;
        // HTML reads elements in a title or a description as its own, and no browser shows them.
        let in_words = node
            .parent_element()
            .is_some_and(|parent| WORDS.contains(&parent.tag_name().name()));
        self.silent |= of_program || in_words || name == "metadata";
        if !self.silent {
            self.out.push('<');
            self.out.push_str(name);
            // A file without the namespace is an SVG to a page and nothing to an `<img>`.
            if depth == 0 {
                let _ = write!(self.out, " xmlns=\"{NAMESPACE}\"");
            }
        }
        if !of_program {
            node.attributes()
                .try_for_each(|attribute| self.attribute(node, &attribute))?;
        }
        if name == "style" {
            let css: String = node
                .descendants()
                .filter_map(|node| node.is_text().then(|| node.text()).flatten())
                .collect();
            values::style_sheet(&css, &mut self.referenced)
                .map_err(|part| Refusal::of(format!("a `<style>` with {part}"), tag.clone()))?;
            self.set_apart("a `<style>`", tag.clone());
        }
        let open = self.out.len();
        if !self.silent {
            self.out.push('>');
        }
        node.children()
            .try_for_each(|child| self.node(child, depth + 1))?;
        if !self.silent && self.out.len() == open + 1 {
            self.out.insert(open, '/');
        } else if !self.silent {
            self.out.push_str("</");
            self.out.push_str(name);
            self.out.push('>');
        }
        self.silent = was_silent;
        Ok(())
    }

    /// Writes text that is shown, and space between elements. Other text has no effect.
    fn text(&mut self, node: Node) {
        let text = node.text().unwrap_or_default();
        let is_shown = node
            .parent_element()
            .is_some_and(|parent| WITH_TEXT.contains(&parent.tag_name().name()));
        if !self.silent && (is_shown || node.parent_element().is_some() && text.trim().is_empty()) {
            self.out.push_str(&escape(text));
        }
    }

    fn attribute(&mut self, node: Node, attribute: &roxmltree::Attribute) -> Result<(), Refusal> {
        let (name, value, span) = (attribute.name(), attribute.value(), attribute.range());
        let element = node.tag_name().name();
        let is_link = name == "href" && matches!(attribute.namespace(), None | Some(XLINK));
        let is_xml = attribute.namespace() == Some("http://www.w3.org/XML/1998/namespace")
            && matches!(name, "lang" | "space");
        match attribute.namespace() {
            None => {}
            _ if is_link || is_xml => {}
            Some(XLINK)
                if matches!(
                    name,
                    "type" | "show" | "actuate" | "title" | "role" | "arcrole"
                ) =>
            {
                return Ok(());
            }
            Some(other) if PROGRAMS.iter().any(|known| other.contains(known)) => return Ok(()),
            Some(_) => {
                return Err(Refusal::of(
                    format!("the attribute `{name}` from another namespace"),
                    span,
                ));
            }
        }
        if is_xml {
            return self.write(&format!("xml:{name}"), value);
        }
        if name.len() > 2
            && name
                .get(..2)
                .is_some_and(|start| start.eq_ignore_ascii_case("on"))
        {
            return Err(Refusal::of(format!("the event handler `{name}`"), span));
        }
        if IGNORED.contains(&name) || name.starts_with("data-") {
            return Ok(());
        }
        if !(ATTRIBUTES.contains(&name) || PROPERTIES.contains(&name) || name.starts_with("aria-"))
        {
            return Err(Refusal::of(format!("the attribute `{name}`"), span));
        }
        match name {
            "id" => {
                if !self.silent {
                    self.ids.push((value.to_owned(), self.out.len(), span));
                }
                Ok(())
            }
            "href" => {
                let is_bitmap = ["png", "jpeg", "jpg", "gif", "webp"].iter().any(|kind| {
                    value
                        .trim_start()
                        .strip_prefix("data:image/")
                        .is_some_and(|rest| rest.starts_with(kind))
                });
                match value.trim().strip_prefix('#') {
                    Some(id) => self.referenced.push(id.to_owned()),
                    None if element == "image" && is_bitmap => {}
                    None => {
                        return Err(Refusal::of(
                            format!("the reference `{}`", short(value)),
                            span,
                        ));
                    }
                }
                self.set_apart(&format!("the reference `{}`", short(value)), span);
                self.write(name, value.trim())
            }
            "style" => {
                let style = values::declarations(value, &mut self.referenced)
                    .map_err(|part| Refusal::of(format!("{part} in `{name}`"), span.clone()))?;
                if style.is_empty() {
                    return Ok(());
                }
                self.set_apart("a `style` attribute", span);
                self.write(name, &style)
            }
            "attributeName" if !(PROPERTIES.contains(&value) || ANIMATED.contains(&value)) => Err(
                Refusal::of(format!("an animation of `{}`", short(value)), span),
            ),
            _ if FREE_TEXT.contains(&name) || name.starts_with("aria-") => {
                // `begin="button.click"` names an element.
                if matches!(name, "begin" | "end") {
                    self.referenced
                        .extend(value.split([';', '.']).map(|part| part.trim().to_owned()));
                }
                self.write(name, value)
            }
            _ => {
                let known = self.referenced.len();
                values::check(value, &mut self.referenced)
                    .map_err(|part| Refusal::of(format!("{part} in `{name}`"), span.clone()))?;
                if self.referenced.len() > known {
                    self.set_apart(&format!("the reference `{}`", short(value)), span);
                }
                self.write(name, value)
            }
        }
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the last call of each branch above"
    )]
    fn write(&mut self, name: &str, value: &str) -> Result<(), Refusal> {
        if !self.silent {
            let _ = write!(self.out, " {name}=\"{}\"", escape(value));
        }
        Ok(())
    }

    fn set_apart(&mut self, part: &str, span: Range<usize>) {
        if !self.silent && self.apart.is_none() {
            self.apart = Some(Refusal::of(part, span));
        }
    }
}

/// The beginning of a value, for messages.
fn short(value: &str) -> String {
    let start: String = value.chars().take(60).collect();
    if start.len() < value.len() {
        start + "…"
    } else {
        start
    }
}

/// A length in whole pixels, if it is a sensible one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be a sensible size"
)]
fn whole(value: f64) -> Option<u32> {
    (value.is_finite() && (1.0..100_000.0).contains(&value)).then_some(value.round() as u32)
}

fn size(element: Node) -> Option<(u32, u32)> {
    let named = ["width", "height"].map(|name| {
        element
            .attribute(name)
            .and_then(|value| whole(value.trim_end_matches("px").parse().ok()?))
    });
    if let [Some(width), Some(height)] = named {
        return Some((width, height));
    }
    let parts: Vec<f64> = element
        .attribute("viewBox")?
        .split([' ', ',', '\n', '\t'])
        .filter_map(|part| part.parse().ok())
        .collect();
    match parts[..] {
        [_, _, width, height] => Some((whole(width)?, whole(height)?)),
        _ => None,
    }
}
