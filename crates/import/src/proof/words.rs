//! Takes HTML apart for counting, by its brackets: words, signs, addresses, pictures and blocks.
//!
//! Two texts are compared without what conversion may change: emphasis within words, quotes, dashes, and escapes.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;

/// Elements within a word.
const INLINE: [&str; 30] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font",
    "i", "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup",
    "tt", "u", "var", "wbr",
];
/// Shortcodes of WordPress and of common plugins that the importer draws: they are no text.
const DRAWN: [&str; 33] = [
    "audio",
    "bash",
    "caption",
    "cc",
    "code",
    "css",
    "embed",
    "fn",
    "footnote",
    "gallery",
    "html",
    "instagram",
    "java",
    "javascript",
    "js",
    "json",
    "php",
    "playlist",
    "python",
    "ref",
    "ruby",
    "shell",
    "source",
    "sourcecode",
    "sql",
    "tiktok",
    "twitter",
    "video",
    "vimeo",
    "wp_caption",
    "xml",
    "yaml",
    "youtube",
];
/// Attributes whose values readers may perceive.
const READABLE: [&str; 2] = ["alt", "title"];
/// Attributes with addresses.
const ADDRESSES: [&str; 4] = ["href", "src", "data", "poster"];

/// The parts of a text.
#[derive(Debug, Default)]
pub(super) struct TextParts {
    /// Text without tags.
    pub text: String,
    /// Values of attributes that readers perceive.
    pub values: Vec<String>,
    /// Addresses of links, frames, recordings.
    pub addresses: Vec<String>,
    pub pictures: Vec<String>,
    /// Names of the files of galleries, by number.
    pub numbers: Vec<u64>,
    /// Blocks of the editor, each with its settings; whether WordPress fills them in.
    pub blocks: Vec<(String, String, bool)>,
}

/// Takes HTML apart. If `joined`, an element within a word does not end it: `<b>W</b>ord`.
pub(super) fn parts(html: &str, joined: bool) -> TextParts {
    let mut parts = TextParts::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        parts.text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            let (comment, after) = comment.split_once("-->").unwrap_or((comment, ""));
            let comment = comment.trim();
            if let Some(block) = comment.strip_prefix("wp:") {
                let inner = block.trim_end_matches('/').trim();
                let (name, settings) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
                parts.blocks.push((
                    name.to_owned(),
                    settings.trim().to_owned(),
                    block.ends_with('/'),
                ));
            }
            rest = after;
            continue;
        }
        let name: String = rest[1..]
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        let name = name.to_ascii_lowercase();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            parts.text.push('<');
            rest = &rest[1..];
            continue;
        }
        let length = tag_length(rest);
        let tag = &rest[..length];
        rest = &rest[length..];
        if !(joined && INLINE.contains(&name.as_str())) {
            parts.text.push(' ');
        }
        if matches!(name.as_str(), "script" | "style") && !tag.starts_with("</") {
            let end = rest
                .to_ascii_lowercase()
                .find(&format!("</{name}"))
                .unwrap_or(rest.len());
            rest = &rest[end..];
        }
        for (key, value) in attributes(tag) {
            let value = decoded(&value);
            let behind = value
                .split("background-image")
                .skip(1)
                .filter_map(|rest| rest.split("url(").nth(1)?.split(')').next());
            let behind = behind.map(|address| address.trim_matches(['"', '\'']).to_owned());
            parts.addresses.extend(behind.filter(|_| key == "style"));
            if READABLE.contains(&key.as_str()) {
                parts.values.push(value);
            } else if ADDRESSES.contains(&key.as_str()) {
                if name == "img" {
                    &mut parts.pictures
                } else {
                    &mut parts.addresses
                }
                .push(value);
            }
        }
    }
    parts.text.push_str(rest);
    let text = std::mem::take(&mut parts.text);
    let text = without_shortcodes(&text, &mut parts);
    parts.text = without_addresses(&decoded(&text), &mut parts.addresses);
    parts
}

/// Text with its references to characters replaced, as a browser does: `&hellip;`.
pub(super) fn decoded(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    super::super::tree::text(&super::super::tree::parse(&text.replace('<', "&lt;")))
}

/// The length of a tag; `>` in a quoted value does not end it.
fn tag_length(text: &str) -> usize {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match quote {
            None if c == '>' => return at + 1,
            None if c == '"' || c == '\'' => quote = Some(c),
            Some(open) if open == c => quote = None,
            _ => {}
        }
    }
    text.find('>').map_or(text.len(), |at| at + 1)
}

fn attributes(tag: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = tag;
    while let Some(at) = rest.find('=') {
        let key = rest[..at]
            .trim_end()
            .rsplit(|c: char| c.is_whitespace() || c == '"' || c == '\'')
            .next();
        let key = key.unwrap_or_default().to_ascii_lowercase();
        let value = rest[at + 1..].trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, after) = match quote {
            Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            None => value.split_at(
                value
                    .find(|c: char| c.is_whitespace() || c == '>')
                    .unwrap_or(value.len()),
            ),
        };
        found.push((key, value.to_owned()));
        rest = after;
    }
    found
}

/// The text without the tags of shortcodes that are drawn. What these show is added to `parts`.
fn without_shortcodes(text: &str, parts: &mut TextParts) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('[') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let name: String = rest[1..]
            .trim_start_matches('/')
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        // The end of a shortcode that was removed; its beginning is in a note.
        let is_end = rest.starts_with(&format!("[/{name}]"));
        let end = rest
            .find(']')
            .filter(|_| is_end || DRAWN.contains(&name.as_str()));
        let Some(end) = end else {
            out.push('[');
            rest = &rest[1..];
            continue;
        };
        for (key, value) in attributes(&rest[..end]) {
            match key.as_str() {
                "caption" => parts.values.push(value),
                "ids" | "include" => {
                    parts.numbers.extend(
                        value
                            .split(',')
                            .filter_map(|id| id.trim().parse::<u64>().ok()),
                    );
                }
                "src" | "url" | "mp3" | "mp4" | "m4a" | "ogg" | "wav" | "webm" => {
                    parts.addresses.push(value);
                }
                _ => {}
            }
        }
        out.push(' ');
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

/// The text without addresses in it, which may become links, cards or players.
fn without_addresses(text: &str, addresses: &mut Vec<String>) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("http") {
        let is_address = rest[at..].starts_with("http://") || rest[at..].starts_with("https://");
        let length = if is_address {
            rest[at..]
                .find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '[' | ']'))
                .unwrap_or(rest.len() - at)
        } else {
            4
        };
        out.push_str(&rest[..at]);
        if is_address {
            addresses.push(
                rest[at..at + length]
                    .trim_end_matches(['.', ',', ')', ';', ':', '!', '?'])
                    .to_owned(),
            );
            out.push(' ');
        } else {
            out.push_str("http");
        }
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    out
}

/// Words, and signs that are no letters, with how often each occurs.
pub(super) type Counts = BTreeMap<String, usize>;

/// The words and signs of a text. Of those in an export, `is_export`, quotes in ASCII are not counted: typography changes
/// them.
pub(super) fn count(text: &str, is_export: bool) -> Counts {
    let mut counts = Counts::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        // Signs of Markdown may be within a word: `**W**ord`.
        if matches!(
            c,
            '*' | '_' | '~' | '`' | '\\' | '\u{ad}' | '\u{200b}'
                ..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{fe0f}'
        ) {
            continue;
        }
        if c.is_alphanumeric() {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            *counts.entry(std::mem::take(&mut word)).or_default() += 1;
        }
        if let Some(sign) = sign(c).filter(|_| !(is_export && c.is_ascii())) {
            *counts.entry(sign.to_string()).or_default() += 1;
        }
    }
    counts
}

/// A sign that conversion keeps. Quotes and dashes are those of the language; other signs in ASCII are also markup.
fn sign(c: char) -> Option<char> {
    match c {
        '“' | '”' | '„' | '«' | '»' | '"' | '‘' | '’' | '‚' | '‹' | '›' | '\'' | '″' | '′' => {
            Some('"')
        }
        '–' | '—' | '―' | '‒' => Some('–'),
        '…' => None,
        c if c.is_ascii() || c.is_whitespace() || c.is_control() => None,
        c => Some(c),
    }
}

/// An address without what varies: the scheme, `www.`, escapes, a slash at the end.
pub(super) fn bare(address: &str) -> String {
    let rest = address.trim();
    let rest = rest
        .split_once("://")
        .map_or(rest, |(_, rest)| rest)
        .trim_start_matches("//");
    percent_decode_str(rest.trim_start_matches("www.").trim_end_matches('/'))
        .decode_utf8_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_no_text() {
        let html = "<!-- wp:image {\"id\":1} --><p class=\"a > b\">W<b>or</b>d &amp; €5 [caption id=\"x\" caption=\"C\"]x[/caption] [via Bob] \
                    <a href='https://e.example/a?b&amp;c' title=T>l</a></p><script>var x</script><!-- wp:latest /-->https://v.example/1.";
        let parts = parts(html, true);
        let words: Vec<String> = count(&parts.text, true).into_keys().collect();
        assert_eq!(words, ["5", "Bob", "Word", "l", "via", "x", "€"]);
        assert_eq!(parts.values, ["T", "C"]);
        assert_eq!(
            parts.addresses,
            ["https://e.example/a?b&c", "https://v.example/1"]
        );
        assert_eq!(parts.blocks[1], ("latest".into(), String::new(), true));
        assert_eq!(count("**W**ord [via](x)", false)["Word"], 1);
    }
}
