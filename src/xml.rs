//! XML, written and read: feeds and sitemaps.
//!
//! Texts and attributes are escaped by the writer, so nothing can reach a file unescaped; characters that XML 1.0 cannot
//! hold are left out.

use std::borrow::Cow;

use api_types::html::{escape, unescape};

/// An XML document that is being written.
#[derive(Debug)]
pub(crate) struct Document {
    text: String,
}

/// Attributes in order, each with its plain value.
pub(crate) type Attributes<'a> = &'a [(&'a str, &'a str)];

impl Document {
    /// A document with nothing in it but its declaration.
    pub fn new() -> Document {
        Document { text: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n".to_owned() }
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

    /// Writes an element that holds a plain text.
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

    /// Breaks the line, for people who read the file.
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

/// The text without the characters that no XML 1.0 document may hold (<https://www.w3.org/TR/xml/#charsets>).
fn legal(text: &str) -> Cow<'_, str> {
    // Looks at all bytes at once, because hardly any text holds one: U+FFFE and U+FFFF begin with the last of these.
    if text.bytes().fold(0, |found, byte| found | u8::from(byte < b' ') | u8::from(byte == 0xef)) == 0 {
        return Cow::Borrowed(text);
    }
    let is_illegal =
        |c: char| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    if text.contains(is_illegal) { Cow::Owned(text.replace(is_illegal, "")) } else { Cow::Borrowed(text) }
}

/// The addresses that a sitemap names: of its pages and pictures or of further sitemaps, then of translations. It reads what
/// [`Document`] writes, where an escaped text ends with the next `<` and an attribute with the next `"`; tests read the same
/// files with an XML parser.
pub(crate) fn sitemap_addresses(text: &str) -> Vec<String> {
    let between = |start: &'static str, end: char| {
        text.split(start).skip(1).filter_map(move |rest| rest.split(end).next()).map(unescape)
    };
    between("loc>", '<').filter(|address| !address.trim().is_empty()).chain(between("href=\"", '"')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_back() {
        let addresses = ["https://a.example/what's-new/?a=1&b=2", "https://a.example/\"<>/"];
        let mut document = Document::new();
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
        fn any_text_comes_back_from_a_parser(text in "(\\PC|[ -~&<>\"'\u{0}-\u{c}\u{e}-\u{1f}\u{fffe}]|]]>){0,40}") {
            let mut document = Document::new();
            document.open("urlset", &[("xmlns", "x"), ("title", &text)]);
            document.element("loc", &text);
            document.empty("link", &[("href", &text)]);
            document.close("urlset");
            let written = String::from_utf8(document.into_bytes()).expect("text");
            let read = roxmltree::Document::parse(&written).expect("XML");
            let root = read.root_element();
            let legal = legal(&text);
            assert_eq!(root.first_element_child().and_then(|loc| loc.text()).unwrap_or_default(), legal);
            // Each blank of an attribute is read as a space.
            let value = legal.replace(['\n', '\t'], " ");
            assert_eq!(root.attribute("title"), Some(value.as_str()));
            let expected: Vec<&str> = [&*legal].into_iter().filter(|text| !text.trim().is_empty()).chain([&*legal]).collect();
            assert_eq!(sitemap_addresses(&written), expected);
        }
    }

    #[test]
    fn what_xml_cannot_hold_is_left_out() {
        let mut document = Document::new();
        document.element("title", "a\0b\u{1b}c\u{ffff}\td");
        let text = String::from_utf8(document.into_bytes()).expect("text");
        let read = roxmltree::Document::parse(&text).expect("XML");
        assert_eq!(read.root_element().text(), Some("abc\td"));
    }
}
