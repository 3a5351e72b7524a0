//! Reads an export file for the proof, by other code than the importer's: whole, by its brackets, with every field.
//!
//! It knows nothing of posts. What the importer misreads or skips is here all the same.

use api_types::html::unescape;
use encoding_rs::{Encoding, WINDOWS_1252};

/// An element with its text and the elements in it.
#[derive(Debug, Default, Clone)]
pub(super) struct Xml {
    pub name: String,
    pub attributes: String,
    pub text: String,
    pub children: Vec<Xml>,
}

impl Xml {
    /// The text of the first child with a name, without spaces around it.
    pub fn get(&self, name: &str) -> &str {
        self.children
            .iter()
            .find(|child| child.name == name)
            .map_or("", |child| child.text.trim())
    }

    /// The children with a name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Xml> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> String {
        let rest = self
            .attributes
            .split(&format!("{name}="))
            .nth(1)
            .unwrap_or_default();
        let value = rest
            .get(1..)
            .and_then(|value| value.split(&rest[..1]).next());
        unescape(value.unwrap_or_default())
    }
}

/// The text of a file: as UTF-8 if it is, else as what it declares.
pub(super) fn decoded(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
    let label = head
        .split("encoding=")
        .nth(1)
        .and_then(|rest| rest.split(['"', '\'']).nth(1));
    let encoding = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let encoding = encoding.or_else(|| Encoding::for_label(label?.as_bytes()));
    // A file that declares UTF-8 without being so has bytes of the encoding that its database had.
    let encoding = encoding
        .filter(|encoding| *encoding != encoding_rs::UTF_8)
        .unwrap_or(WINDOWS_1252);
    encoding.decode(bytes).0.into_owned()
}

/// The text behind a mark.
fn after<'a>(text: &'a str, mark: &str) -> &'a str {
    text.split_once(mark).map_or("", |(_, after)| after)
}

/// Calls `take` with each child of `<channel>`.
pub(super) fn parts(text: &str, take: &mut dyn FnMut(Xml)) {
    let mut open: Vec<Xml> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        if let Some(last) = open.last_mut() {
            last.text.push_str(&unescape(&rest[..at]));
        }
        rest = &rest[at..];
        if let Some(data) = rest.strip_prefix("<![CDATA[") {
            let (data, after) = data.split_once("]]>").unwrap_or((data, ""));
            if let Some(last) = open.last_mut() {
                last.text.push_str(data);
            }
            rest = after;
        } else if rest.starts_with("<!--") {
            rest = after(rest, "-->");
        } else if rest.starts_with("<?") || rest.starts_with("<!") {
            rest = after(rest, ">");
        } else {
            let (tag, after) = rest[1..].split_once('>').unwrap_or((&rest[1..], ""));
            rest = after;
            let is_end = tag.starts_with('/');
            if !is_end {
                let plain = tag.trim_end_matches('/');
                let (name, attributes) =
                    plain.split_once(char::is_whitespace).unwrap_or((plain, ""));
                open.push(Xml {
                    name: name.to_owned(),
                    attributes: attributes.to_owned(),
                    ..Xml::default()
                });
            }
            if is_end || tag.ends_with('/') {
                let Some(done) = open.pop() else { continue };
                match open.last_mut() {
                    Some(channel) if channel.name == "channel" => take(done),
                    Some(parent) => parent.children.push(done),
                    None => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_read() {
        let text = "<?xml version=\"1.0\"?><!-- a > --><rss><channel><title>A &amp; B</title><item><x:y a=\"1\" b='&lt;2'>\
                    one <![CDATA[<two>]]]]><![CDATA[>]]></x:y><empty/></item></channel></rss>";
        let mut found = Vec::new();
        parts(text, &mut |part| found.push(part));
        assert_eq!((found.len(), found[0].text.as_str()), (2, "A & B"));
        assert_eq!(found[1].get("x:y"), "one <two>]]>");
        assert_eq!(found[1].children[0].attribute("b"), "<2");
        assert_eq!(found[1].children[1].name, "empty");
    }

    #[test]
    fn bytes_of_windows_are_what_browsers_show() {
        assert_eq!(
            decoded(b"<?xml encoding=\"ISO-8859-1\"?>\x93"),
            "<?xml encoding=\"ISO-8859-1\"?>“"
        );
    }
}
