//! Writes XML (feeds and sitemaps), and reads sitemaps back for the link check.
//!
//! The writer escapes all texts and attributes, and drops characters that XML 1.0 does not allow.

use std::borrow::Cow;

use api_types::html::{escape, unescape};

/// An XML document that is being written.
#[derive(Debug)]
pub struct Document {
    text: String,
}

/// Attributes in order: name and unescaped value.
pub type Attributes<'a> = &'a [(&'a str, &'a str)];

impl Document {
    /// A document that has only its XML declaration yet.
    pub fn begin() -> Document {
        Document {
            text: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n".to_owned(),
        }
    }

    /// Writes a start tag.
    pub fn open(&mut self, name: &str, attributes: Attributes) {
        self.tag(name, attributes);
        self.text.push('>');
    }

    /// Writes an end tag.
    pub fn close(&mut self, name: &str) {
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push('>');
    }

    /// Writes an element with a text, which is escaped.
    pub fn element(&mut self, name: &str, text: &str) {
        self.open(name, &[]);
        self.text.push_str(&escape(&legal(text)));
        self.close(name);
    }

    /// Writes an element without content.
    pub fn empty(&mut self, name: &str, attributes: Attributes) {
        self.tag(name, attributes);
        self.text.push_str("/>");
    }

    /// Breaks the line, so that the file is readable.
    pub fn line(&mut self) {
        self.text.push('\n');
    }

    /// The bytes of the file.
    pub fn into_bytes(self) -> Vec<u8> {
        self.text.into_bytes()
    }

    fn tag(&mut self, name: &str, attributes: Attributes) {
        self.text.push('<');
        self.text.push_str(name);
        for (name, value) in attributes {
            self.text.push(' ');
            self.text.push_str(name);
            self.text.push_str("=\"");
            self.text.push_str(&escape(&legal(value)));
            self.text.push('"');
        }
    }
}

/// The text without the characters that XML 1.0 does not allow (<https://www.w3.org/TR/xml/#charsets>).
fn legal(text: &str) -> Cow<'_, str> {
    // A fast path without branches, because hardly any text holds such a character: U+FFFE and U+FFFF begin with 0xef.
    if text.bytes().fold(0, |found, byte| {
        found | u8::from(byte < b' ') | u8::from(byte == 0xef)
    }) == 0
    {
        return Cow::Borrowed(text);
    }
    if text.contains(is_illegal) {
        Cow::Owned(text.replace(is_illegal, ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// Tells whether XML cannot have a letter.
fn is_illegal(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// The texts between two marks.
fn between(text: &str, start: &'static str, end: char) -> impl Iterator<Item = String> {
    text.split(start)
        .skip(1)
        .filter_map(move |rest| rest.split(end).next())
        .map(unescape)
}

/// The addresses in a sitemap: of its pages and pictures or of further sitemaps, then of translations. It reads only
/// what [`Document`] writes, where a text ends at the next `<` and an attribute at the next `"`; tests read the same
/// files with an XML parser.
pub fn sitemap_addresses(text: &str) -> Vec<String> {
    let locations = between(text, "loc>", '<').filter(|address| !address.trim().is_empty());
    locations.chain(between(text, "href=\"", '"')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_were_written() {
        let addresses = [
            "https://a.example/what's-new/?a=1&b=2",
            "https://a.example/\"<>/",
        ];
        let mut document = Document::begin();
        document.open("urlset", &[("xmlns:xhtml", "http://www.w3.org/1999/xhtml")]);
        document.element("loc", addresses[0]);
        document.empty("xhtml:link", &[("href", addresses[1])]);
        document.close("urlset");
        let text = String::from_utf8(document.into_bytes()).expect("text");
        assert_eq!(sitemap_addresses(&text), addresses);
        let read = roxmltree::Document::parse(&text).expect("XML");
        let link = read.root_element().last_element_child().expect("a link");
        assert_eq!(link.attribute("href"), Some(addresses[1]));
    }

    proptest::proptest! {
        #[test]
        fn a_parser_reads_any_text_as_it_was_written(text in "(\\PC|[ -~&<>\"'\u{0}-\u{c}\u{e}-\u{1f}\u{fffe}]|]]>){0,40}") {
            let mut document = Document::begin();
            document.open("urlset", &[("xmlns", "x"), ("title", &text)]);
            document.element("loc", &text);
            document.empty("link", &[("href", &text)]);
            document.close("urlset");
            let written = String::from_utf8(document.into_bytes()).expect("text");
            let read = roxmltree::Document::parse(&written).expect("XML");
            let root = read.root_element();
            let legal = legal(&text);
            assert_eq!(root.first_element_child().and_then(|loc| loc.text()).unwrap_or_default(), legal);
            // A parser reads a line break or tab in an attribute as a space.
            let value = legal.replace(['\n', '\t'], " ");
            assert_eq!(root.attribute("title"), Some(value.as_str()));
            let expected: Vec<&str> = [&*legal].into_iter().filter(|text| !text.trim().is_empty()).chain([&*legal]).collect();
            assert_eq!(sitemap_addresses(&written), expected);
        }
    }

    #[test]
    fn characters_that_xml_does_not_allow_are_dropped() {
        let mut document = Document::begin();
        document.element("title", "a\0b\u{1b}c\u{ffff}\td");
        let text = String::from_utf8(document.into_bytes()).expect("text");
        let read = roxmltree::Document::parse(&text).expect("XML");
        assert_eq!(read.root_element().text(), Some("abc\td"));
    }
}
