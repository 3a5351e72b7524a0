//! The parts of a page that a reader, a search engine and a network notice: its words in blocks, headings, links,
//! images, the values of its head, structured data, and the files that it loads.
//!
//! Names of assets are without their hashes, so that a page that only loads the next version of a file is the same.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use html5gum::{HtmlString, Spanned, Token};
use serde_json::Value;

use api_types::html::each_token;

/// Elements whose text is no part of a page.
pub(super) const SILENT: [&[u8]; 5] = [b"script", b"style", b"template", b"svg", b"title"];
/// Elements without an end tag.
pub(super) const VOID: [&[u8]; 14] = [
    b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta", b"param",
    b"source", b"track", b"wbr",
];
/// Elements that are part of a line of text.
const INLINE: [&[u8]; 26] = [
    b"a", b"abbr", b"b", b"bdi", b"bdo", b"cite", b"code", b"data", b"del", b"dfn", b"em", b"i",
    b"ins", b"kbd", b"mark", b"q", b"s", b"samp", b"small", b"span", b"strong", b"sub", b"sup",
    b"time", b"u", b"var",
];

/// A page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Document {
    /// Where it leads to, if it is a redirect.
    pub redirect: Option<String>,
    /// Title, description, canonical address, robots, language, alternates and values for sharing, by name.
    pub head: BTreeMap<String, String>,
    /// Its texts in order, one for each paragraph, heading, item or cell.
    pub blocks: Vec<String>,
    /// Its headings in order: `h2 What it costs`.
    pub headings: Vec<String>,
    /// The addresses of its links with their texts.
    pub links: BTreeSet<(String, String)>,
    /// Its pictures, each with its alternative text.
    pub pictures: BTreeMap<String, String>,
    /// The values of its structured data, by path.
    pub data: BTreeMap<String, String>,
    /// The files that it loads, as they are named: styles, scripts, fonts, pictures.
    pub assets: BTreeMap<AssetKind, BTreeSet<String>>,
}

/// The use of a file that a page loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AssetKind {
    Styles,
    Scripts,
    Fonts,
    Pictures,
}

impl AssetKind {
    pub fn name(self) -> &'static str {
        match self {
            AssetKind::Styles => "styles",
            AssetKind::Scripts => "scripts",
            AssetKind::Fonts => "fonts",
            AssetKind::Pictures => "images",
        }
    }
}

/// The attributes of a tag.
pub(super) struct Attributes<'a>(pub(super) &'a BTreeMap<HtmlString, Spanned<HtmlString, usize>>);

impl<'a> Attributes<'a> {
    /// The value of an attribute; empty if there is none.
    pub(super) fn get(&self, name: &str) -> Cow<'a, str> {
        self.0
            .get(name.as_bytes())
            .map_or(Cow::Borrowed(""), |value| String::from_utf8_lossy(value))
    }
}

/// Reads a page.
pub(super) fn read(html: &str) -> Document {
    let mut reader = Reader::default();
    each_token(html, &mut |token| match token {
        Token::StartTag(tag) => {
            reader.start(&tag.name, &Attributes(&tag.attributes), tag.self_closing);
        }
        Token::EndTag(tag) => reader.end(&tag.name),
        Token::String(text) => reader.text(&String::from_utf8_lossy(&text)),
        _ => {}
    });
    reader.finish()
}

/// The state between two tags.
#[derive(Default)]
struct Reader {
    page: Document,
    /// The text of the block that is being read.
    block: String,
    /// The element whose text is not read, and how often it is open.
    silent: Option<(Vec<u8>, usize)>,
    /// The text of an element of the head, or of a script with data.
    raw: String,
    is_data: bool,
    heading: Option<(String, String)>,
    link: Option<(String, String)>,
    /// How many drawings with an alternative text were found in the page itself.
    drawings: usize,
    /// Whether the best source of the next picture was found already.
    has_source: bool,
}

impl Reader {
    fn start(&mut self, name: &[u8], attributes: &Attributes, is_closed: bool) {
        if let Some((silent, depth)) = &mut self.silent {
            if silent.as_slice() == name && !is_closed {
                *depth += 1;
            }
            return;
        }
        if !INLINE.contains(&name)
            && !matches!(
                name,
                b"br" | b"wbr" | b"img" | b"picture" | b"source" | b"svg"
            )
        {
            self.break_block();
        }
        match name {
            b"html" => self.set_head("language", &attributes.get("lang")),
            b"meta" => self.meta(attributes),
            b"link" => self.link_element(attributes),
            b"br" => self.block.push(' '),
            b"a" if !attributes.get("href").is_empty() => {
                self.link = Some((plain(&attributes.get("href")), String::new()));
            }
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => {
                self.heading = Some((String::from_utf8_lossy(name).into_owned(), String::new()));
            }
            b"script" if !attributes.get("src").is_empty() => {
                self.load(AssetKind::Scripts, &attributes.get("src"));
            }
            b"picture" => self.has_source = false,
            b"svg" if !attributes.get("aria-label").is_empty() => {
                self.drawings += 1;
                let name = format!("drawing {}", self.drawings);
                self.page
                    .pictures
                    .insert(name, attributes.get("aria-label").into_owned());
            }
            b"source" if !attributes.get("srcset").is_empty() && !self.has_source => {
                self.has_source = true;
                self.load(AssetKind::Pictures, largest(&attributes.get("srcset")));
            }
            b"img" => {
                let src = attributes.get("src");
                self.page
                    .pictures
                    .entry(plain(&src))
                    .or_insert_with(|| attributes.get("alt").into_owned());
                if !std::mem::take(&mut self.has_source) {
                    self.load(AssetKind::Pictures, &src);
                }
            }
            _ => {}
        }
        if SILENT.contains(&name) && !VOID.contains(&name) && !is_closed {
            self.is_data = name == b"script" && attributes.get("type") == "application/ld+json";
            self.raw.clear();
            self.silent = Some((name.to_vec(), 1));
        }
    }

    fn end(&mut self, name: &[u8]) {
        if let Some((silent, depth)) = &mut self.silent {
            if silent.as_slice() == name {
                *depth -= 1;
                if *depth == 0 {
                    self.silent = None;
                    let raw = std::mem::take(&mut self.raw);
                    match name {
                        b"title" => self.set_head("title", &one_line(&raw)),
                        b"script" if self.is_data => self.structured_data(&raw),
                        _ => {}
                    }
                }
            }
            return;
        }
        match name {
            b"a" => {
                if let Some((href, text)) = self.link.take() {
                    self.page.links.insert((href, one_line(&text)));
                }
            }
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => {
                if let Some((level, text)) = self.heading.take() {
                    self.page
                        .headings
                        .push(format!("{level} {}", one_line(&text)));
                }
            }
            _ => {}
        }
        if !INLINE.contains(&name) {
            self.break_block();
        }
    }

    fn text(&mut self, text: &str) {
        if self.silent.is_some() {
            self.raw.push_str(text);
            return;
        }
        self.block.push_str(text);
        for (_, own) in self.heading.iter_mut().chain(self.link.iter_mut()) {
            own.push_str(text);
        }
    }

    fn break_block(&mut self) {
        let text = one_line(&std::mem::take(&mut self.block));
        if !text.is_empty() {
            // Guides show the markup of pages.
            let text = if text.contains("_assets/") {
                plain(&text)
            } else {
                text
            };
            self.page.blocks.push(text);
        }
    }

    fn set_head(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.page.head.insert(name.to_owned(), value.to_owned());
        }
    }

    fn meta(&mut self, attributes: &Attributes) {
        let content = attributes.get("content");
        if attributes.get("http-equiv").eq_ignore_ascii_case("refresh") {
            self.page.redirect = content
                .split_once("url=")
                .map(|(_, to)| to.trim().to_owned());
            return;
        }
        match &*attributes.get("name") {
            name @ ("description" | "robots") => self.set_head(name, &content),
            name if name.starts_with("twitter:") => self.set_head(name, &plain(&content)),
            _ => {}
        }
        let property = attributes.get("property");
        if property.starts_with("og:") {
            self.set_head(&property, &plain(&content));
        }
    }

    fn link_element(&mut self, attributes: &Attributes) {
        let href = attributes.get("href");
        match &*attributes.get("rel") {
            "canonical" => self.set_head("canonical", &href),
            "alternate" if !attributes.get("hreflang").is_empty() => {
                self.set_head(&format!("hreflang {}", attributes.get("hreflang")), &href);
            }
            "alternate" => self.set_head(&format!("alternate {}", attributes.get("type")), &href),
            "stylesheet" => self.load(AssetKind::Styles, &href),
            "preload" if attributes.get("as") == "font" => self.load(AssetKind::Fonts, &href),
            _ => {}
        }
    }

    fn load(&mut self, kind: AssetKind, address: &str) {
        if !address.starts_with("data:") {
            self.page
                .assets
                .entry(kind)
                .or_default()
                .insert(address.to_owned());
        }
    }

    fn structured_data(&mut self, text: &str) {
        match serde_json::from_str(text) {
            Ok(value) => flatten("", &value, &mut self.page.data),
            Err(_) => self.set_head("structured data", "not JSON"),
        }
    }

    fn finish(mut self) -> Document {
        self.break_block();
        self.page
    }
}

/// The values of a JSON document by path: `Article.author.name`. Objects of a graph have the name of their type.
fn flatten(path: &str, value: &Value, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(entries) if path.is_empty() && entries.contains_key("@graph") => {
            for item in entries["@graph"].as_array().into_iter().flatten() {
                let name = item["@type"].as_str().unwrap_or("data");
                flatten(name, item, found);
            }
        }
        Value::Object(entries) => {
            let dot = if path.is_empty() { "" } else { "." };
            entries
                .iter()
                .for_each(|(key, value)| flatten(&format!("{path}{dot}{key}"), value, found));
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(at, item)| flatten(&format!("{path}[{}]", at + 1), item, found));
        }
        Value::String(text) => drop(found.insert(path.to_owned(), plain(text))),
        other => drop(found.insert(path.to_owned(), other.to_string())),
    }
}

/// The last address of a `srcset`, which is the largest in pages of sitegen.
fn largest(srcset: &str) -> &str {
    srcset
        .rsplit(", ")
        .next()
        .and_then(|part| part.split(' ').next())
        .unwrap_or_default()
}

fn one_line(text: &str) -> String {
    let text = text.trim();
    if text.is_ascii()
        && !text
            .bytes()
            .any(|byte| matches!(byte, b'\n' | b'\t' | b'\r' | b'\x0c'))
        && !text.contains("  ")
    {
        return text.to_owned();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text in which the names of assets have no hashes: `/_assets/site-4bnkxmqu3l.css` → `/_assets/site.css`.
pub(super) fn plain(text: &str) -> String {
    const FOLDER: &str = "_assets/";
    let mut parts = text.split(FOLDER);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|c: char| !(c.is_ascii_alphanumeric() || "-_./%".contains(c)))
            .unwrap_or(part.len());
        plain.push_str(FOLDER);
        plain.push_str(&without_hash(&part[..end]));
        plain.push_str(&part[end..]);
    }
    plain
}

/// The path of an asset without its hash: `images/team-480-xbohvajhxu.avif` → `images/team-480.avif`.
pub(super) fn without_hash(path: &str) -> String {
    let (folder, name) = path
        .rsplit_once('/')
        .map_or(("", path), |(folder, name)| (&path[..=folder.len()], name));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let stem = match stem.rsplit_once('-') {
        Some((stem, hash)) if is_hash(hash) => stem,
        _ if stem.len() == 20 && stem.bytes().all(|byte| byte.is_ascii_hexdigit()) => "*",
        _ => stem,
    };
    format!(
        "{folder}{stem}{}{ending}",
        if ending.is_empty() { "" } else { "." }
    )
}

/// Tells whether a text is a hash that the build or esbuild puts into a name.
fn is_hash(text: &str) -> bool {
    match text.len() {
        8 => text
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()),
        10 => text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_assets_lose_their_hashes() {
        for (name, expect) in [
            ("site-4bnkxmqu3l.css", "site.css"),
            ("chunk-SQE76S5B.js", "chunk.js"),
            ("images/team-480-xbohvajhxu.avif", "images/team-480.avif"),
            ("cards/9dfd2eaa271902ee1955.png", "cards/*.png"),
            ("images/a-long-name.svg", "images/a-long-name.svg"),
        ] {
            assert_eq!(without_hash(name), expect);
        }
        let text = "/_assets/a-4bnkxmqu3l.css 480w, https://x.example/_assets/b-SQE76S5B.js\"";
        assert_eq!(
            plain(text),
            "/_assets/a.css 480w, https://x.example/_assets/b.js\""
        );
    }

    #[test]
    fn a_page_is_read_as_people_and_programs_see_it() {
        let page = read(
            "<html lang=en><head><title>Home &amp; away</title><meta name=description content=D>\
             <link rel=canonical href=https://x.example/><link rel=alternate hreflang=es href=/es/>\
             <script type=application/ld+json>{\"@graph\":[{\"@type\":\"Article\",\"author\":[{\"name\":\"Ana\"}]}]}</script>\
             <script>let words = 'none';</script></head>\
             <body><h1>Hello <em>you</em></h1><p>One\n two <a href=/a/>three</a>.<svg><title>x</title></svg></p>\
             <ul><li>four<li>five</ul><img src=/_assets/a-4bnkxmqu3l.png alt=A></body>",
        );
        assert_eq!(page.head["title"], "Home & away");
        assert_eq!(page.head["hreflang es"], "/es/");
        assert_eq!(page.blocks, ["Hello you", "One two three.", "four", "five"]);
        assert_eq!(page.headings, ["h1 Hello you"]);
        assert!(page.links.contains(&("/a/".to_owned(), "three".to_owned())));
        assert_eq!(page.pictures["/_assets/a.png"], "A");
        assert_eq!(page.data["Article.author[1].name"], "Ana");
    }
}
