//! A tokenizer for the output of ammonia, which is regular enough for a linear scan. Not for any other HTML.

use api_types::html::unescape;

/// A token.
#[derive(Debug)]
pub(super) enum HtmlPart<'a> {
    /// Text between tags, escaped.
    Text(&'a str),
    Start(Tag<'a>),
    /// The name of an end tag.
    End(&'a str),
}

/// A start tag.
#[derive(Debug)]
pub(super) struct Tag<'a> {
    pub name: &'a str,
    /// Values are escaped.
    pub attributes: Vec<(&'a str, &'a str)>,
}

impl<'a> HtmlPart<'a> {
    pub fn start(&self) -> Option<&Tag<'a>> {
        match self {
            HtmlPart::Start(tag) => Some(tag),
            _ => None,
        }
    }
}

impl Tag<'_> {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<String> {
        self.attributes
            .iter()
            .find(|(own, _)| *own == name)
            .map(|(_, value)| unescape(value))
    }

    /// The level of a heading, 1 to 6; `None` for other elements.
    pub fn heading_level(&self) -> Option<u8> {
        match self.name.as_bytes() {
            [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
            _ => None,
        }
    }
}

/// Splits HTML into tokens.
pub(super) fn split(html: &str) -> Vec<HtmlPart<'_>> {
    let mut parts = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        if at > 0 {
            parts.push(HtmlPart::Text(&rest[..at]));
        }
        rest = &rest[at + 1..];
        if let Some(end) = rest.strip_prefix('/') {
            let (name, behind) = end.split_once('>').unwrap_or((end, ""));
            parts.push(HtmlPart::End(name));
            rest = behind;
            continue;
        }
        let length = rest.find([' ', '>']).unwrap_or(rest.len());
        let mut tag = Tag {
            name: &rest[..length],
            attributes: Vec::new(),
        };
        rest = &rest[length..];
        while let Some((name, behind)) = rest
            .strip_prefix(' ')
            .and_then(|rest| rest.split_once("=\""))
        {
            let (value, behind) = behind.split_once('"').unwrap_or((behind, ""));
            tag.attributes.push((name, value));
            rest = behind;
        }
        rest = rest.strip_prefix('>').unwrap_or(rest);
        parts.push(HtmlPart::Start(tag));
    }
    if !rest.is_empty() {
        parts.push(HtmlPart::Text(rest));
    }
    parts
}
