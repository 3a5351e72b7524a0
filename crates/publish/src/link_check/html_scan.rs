//! Extracts the addresses and ids of a finished file.
//!
//! Tags are found by their brackets and quotes. Character references in addresses, and comments in scripts, are left to
//! html5gum, a tokenizer that follows the standard; reading every page with it took a fifth of a build. A test compares
//! the two on 200,000 random texts.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::quality::FixedState;
use html5gum::emitters::callback::CallbackEvent;
use memchr::{memchr, memchr3, memmem};

use api_types::html::each_event;
use text::xml;

/// The hash of an id. A hash is enough to look an id up, and a large site has many.
pub(super) type Id = u64;

/// The use of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A link for visitors.
    Link,
    /// A browser, search engine or social network fetches it.
    Resource,
}

/// The addresses and ids of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileScan<'a> {
    pub ids: Vec<Id>,
    pub references: Vec<FoundAddress<'a>>,
}

/// An address as it is written, decoded.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FoundAddress<'a> {
    pub address: Cow<'a, str>,
    pub kind: Kind,
    pub hreflang: Option<Cow<'a, str>>,
}

/// The hash of an id.
pub(super) fn id(text: &str) -> Id {
    FixedState::default().hash_one(text)
}

/// Reads pages, sitemaps and the web manifest; each id once, in order. `None` for other files, whose addresses were
/// checked when they were rendered.
pub(super) fn read<'a>(path: &str, bytes: &'a [u8]) -> Option<FileScan<'a>> {
    if path.ends_with(".html") {
        let mut read = html(bytes);
        read.ids.sort_unstable();
        read.ids.dedup();
        read.ids.shrink_to_fit();
        return Some(read);
    }
    let addresses: Vec<String> = if path.starts_with("sitemap") && path.ends_with(".xml") {
        xml::sitemap_addresses(&String::from_utf8_lossy(bytes))
    } else if path.ends_with(".webmanifest") {
        webmanifest(bytes)
    } else {
        return None;
    };
    Some(FileScan {
        ids: Vec::new(),
        references: addresses
            .into_iter()
            .map(|address| FoundAddress {
                address: Cow::Owned(address),
                kind: Kind::Resource,
                hreflang: None,
            })
            .collect(),
    })
}

fn webmanifest(bytes: &[u8]) -> Vec<String> {
    let manifest: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
    let icons = manifest["icons"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|icon| &icon["src"]);
    icons
        .chain([&manifest["start_url"]])
        .filter_map(|address| address.as_str().map(str::to_owned))
        .collect()
}

/// A start tag with the attributes that may contain an address or id.
#[derive(Default)]
struct Tag<'a> {
    name: &'static [u8],
    attributes: Vec<(Attribute, Cow<'a, str>)>,
}

/// An attribute that may contain an address or id, or that says how an address is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attribute {
    Id,
    Rel,
    Src,
    Data,
    Href,
    Action,
    Poster,
    Srcset,
    Content,
    Hreflang,
    Property,
    HttpEquiv,
    ImageSrcset,
}

/// Returns the value of the literal that equals the name, ignoring case. Nearly all names are in lower case, so these
/// are matched first.
macro_rules! known {
    ($name:expr, $($known:literal => $value:expr),*) => {
        match $name {
            $($known => Some($value),)*
            name if name.iter().any(u8::is_ascii_uppercase) => match name {
                $(name if name.eq_ignore_ascii_case($known) => Some($value),)*
                _ => None,
            },
            _ => None,
        }
    };
}

/// The name of an element in lower case, if it is needed here; empty otherwise.
fn element(name: &[u8]) -> &'static [u8] {
    macro_rules! own {
        ($($known:literal)*) => { known!(name, $($known => $known as &[u8]),*) };
    }
    own!(b"a" b"xmp" b"area" b"meta" b"style" b"title" b"script" b"iframe" b"noembed" b"textarea" b"noframes")
        .unwrap_or_default()
}

/// The characters that end parts of a tag.
mod end {
    pub(super) const BLANK: u8 = 1;
    pub(super) const SLASH: u8 = 2;
    pub(super) const CLOSE: u8 = 4;
    pub(super) const EQUALS: u8 = 8;

    /// The kind of each byte; 0 for all others.
    pub(super) const KINDS: [u8; 256] = {
        let mut kinds = [0; 256];
        kinds[b' ' as usize] = BLANK;
        kinds[b'\t' as usize] = BLANK;
        kinds[b'\n' as usize] = BLANK;
        kinds[b'\r' as usize] = BLANK;
        kinds[b'\x0c' as usize] = BLANK;
        kinds[b'/' as usize] = SLASH;
        kinds[b'>' as usize] = CLOSE;
        kinds[b'=' as usize] = EQUALS;
        kinds
    };
}

/// A part of a text, borrowed if the text is.
fn part<'a>(text: &Cow<'a, str>, pick: fn(&str) -> &str) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(pick(text)),
        Cow::Owned(text) => Cow::Owned(pick(text).to_owned()),
    }
}

/// The attribute of this name, if it is needed here.
fn attribute(name: &[u8]) -> Option<Attribute> {
    known!(name,
        b"id" => Attribute::Id,
        b"rel" => Attribute::Rel,
        b"src" => Attribute::Src,
        b"data" => Attribute::Data,
        b"href" => Attribute::Href,
        b"action" => Attribute::Action,
        b"poster" => Attribute::Poster,
        b"srcset" => Attribute::Srcset,
        b"content" => Attribute::Content,
        b"hreflang" => Attribute::Hreflang,
        b"property" => Attribute::Property,
        b"http-equiv" => Attribute::HttpEquiv,
        b"imagesrcset" => Attribute::ImageSrcset
    )
}

/// Reads a page as a browser does. Every page of a build is read here, so tags are found only by their brackets and
/// quotes; anything else (a character reference or a line end in an attribute, a comment in a script) is left to
/// [`standard`]. A test compares both.
fn html(bytes: &[u8]) -> FileScan<'_> {
    let Ok(text) = str::from_utf8(bytes) else {
        return standard(bytes);
    };
    let mut read = FileScan::default();
    let mut tag = Tag::default();
    let mut at = 0;
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        let start = at + found;
        let rest = &bytes[start..];
        let next = rest.get(1).copied().unwrap_or_default();
        if next == b'!' && rest.starts_with(b"<!--") {
            at = start + comment_length(rest);
        } else if matches!(next, b'!' | b'?') {
            at = start + memchr(b'>', rest).map_or(rest.len(), |end| end + 1);
        } else if next.is_ascii_alphabetic()
            || next == b'/' && rest.get(2).is_some_and(u8::is_ascii_alphabetic)
        {
            // Nearly all end tags are a name only.
            if next == b'/'
                && rest[2..].iter().find(|byte| !byte.is_ascii_alphanumeric()) == Some(&b'>')
            {
                at = start + memchr(b'>', rest).map_or(rest.len(), |end| end + 1);
                continue;
            }
            let (length, needs_standard) = tag.read(&text[start..]);
            at = start + length;
            if next == b'/' {
                continue;
            }
            if needs_standard {
                read.extend(standard(&bytes[start..at]));
            } else {
                tag.collect(&mut read);
            }
            let name = tag.name;
            if is_text_only(name) {
                let text = text_length(&bytes[at..], name);
                if name == b"script" && memmem::find(&bytes[at..at + text], b"<!--").is_some() {
                    return standard(bytes);
                }
                at += text;
            }
        } else if next == b'/' {
            // `</>` is ignored, `</3>` is a comment.
            at = start + memchr(b'>', rest).map_or(rest.len(), |end| end + 1);
        } else {
            at = start + 1;
        }
    }
    read
}

/// The address in the content of `<meta http-equiv=refresh>`: `0; url=/new/`.
fn behind_url(content: &str) -> &str {
    content
        .split_once("url=")
        .map_or("", |(_, address)| address.trim())
}

/// Whether the element contains only text.
fn is_text_only(name: &[u8]) -> bool {
    matches!(
        name,
        b"script"
            | b"style"
            | b"textarea"
            | b"title"
            | b"xmp"
            | b"iframe"
            | b"noembed"
            | b"noframes"
    )
}

/// The length of a comment in bytes, including its end.
fn comment_length(text: &[u8]) -> usize {
    if text.starts_with(b"<!-->") {
        return 5;
    }
    if text.starts_with(b"<!--->") {
        return 6;
    }
    let ends = [&b"-->"[..], b"--!>"].into_iter();
    let end = ends
        .filter_map(|end| Some(4 + memmem::find(&text[4..], end)? + end.len()))
        .min();
    end.unwrap_or(text.len())
}

/// The length of the text in bytes, up to the end tag of an element that contains only text.
fn text_length(text: &[u8], name: &[u8]) -> usize {
    memmem::find_iter(text, b"</")
        .find(|at| {
            let rest = &text[at + 2..];
            rest.get(..name.len())
                .is_some_and(|own| own.eq_ignore_ascii_case(name))
                && rest
                    .get(name.len())
                    .is_some_and(|next| next.is_ascii_whitespace() || matches!(next, b'/' | b'>'))
        })
        .unwrap_or(text.len())
}

/// The position of the next byte of one of these kinds.
fn until(text: &[u8], from: usize, kinds: u8) -> usize {
    text[from..]
        .iter()
        .position(|byte| end::KINDS[usize::from(*byte)] & kinds != 0)
        .map_or(text.len(), |length| from + length)
}

/// The position of the next byte of another kind.
fn behind(text: &[u8], from: usize, kinds: u8) -> usize {
    text[from..]
        .iter()
        .position(|byte| end::KINDS[usize::from(*byte)] & kinds == 0)
        .map_or(text.len(), |length| from + length)
}

/// Reads a page exactly as the standard requires.
fn standard(bytes: &[u8]) -> FileScan<'static> {
    let mut read = FileScan::default();
    let mut tag = Tag::default();
    let mut name_of_value = None;
    each_event(bytes, &mut |event, _| match event {
        CallbackEvent::OpenStartTag { name } => {
            tag.name = element(name);
            tag.attributes.clear();
        }
        CallbackEvent::AttributeName { name } => name_of_value = attribute(name),
        CallbackEvent::AttributeValue { value } => {
            let text = Cow::Owned(String::from_utf8_lossy(value).into_owned());
            tag.attributes
                .extend(name_of_value.take().map(|name| (name, text)));
        }
        CallbackEvent::CloseStartTag { .. } => tag.collect(&mut read),
        _ => {}
    });
    read
}

impl<'a> FileScan<'a> {
    /// A hash of all ids and addresses.
    pub fn sum(&self) -> u64 {
        let mut hasher = FixedState::default().build_hasher();
        self.ids.hash(&mut hasher);
        for FoundAddress {
            address,
            kind,
            hreflang,
        } in &self.references
        {
            (address, *kind == Kind::Link, hreflang).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn extend(&mut self, other: FileScan<'a>) {
        self.ids.extend(other.ids);
        self.references.extend(other.references);
    }
}

impl<'a> Tag<'a> {
    /// Reads the tag at the beginning of a text. Returns its length in bytes, and whether an attribute contains
    /// something that only [`standard`] can read. A tag without an end is ignored.
    fn read(&mut self, source: &'a str) -> (usize, bool) {
        use end::{BLANK, CLOSE, EQUALS, SLASH};
        let text = source.as_bytes();
        let start = if text[1] == b'/' { 2 } else { 1 };
        let mut at = until(text, start, BLANK | SLASH | CLOSE);
        self.name = element(&text[start..at]);
        self.attributes.clear();
        let mut needs_standard = false;
        loop {
            at = behind(text, at, BLANK | SLASH);
            match text.get(at) {
                None => {
                    self.name = &[];
                    self.attributes.clear();
                    return (text.len(), false);
                }
                Some(b'>') => return (at + 1, needs_standard),
                Some(_) => {}
            }
            // An equals sign at the beginning is part of the name.
            let end = until(text, at + 1, BLANK | SLASH | CLOSE | EQUALS);
            let name = &text[at..end];
            at = behind(text, end, BLANK);
            if text.get(at) != Some(&b'=') {
                continue;
            }
            at = behind(text, at + 1, BLANK);
            let value = match text.get(at) {
                Some(quote @ (b'"' | b'\'')) => {
                    let end = memchr(*quote, &text[at + 1..])
                        .map_or(text.len(), |length| at + 1 + length);
                    let value = &source[at + 1..end];
                    at = (end + 1).min(text.len());
                    value
                }
                Some(b'>') => "",
                _ => {
                    let end = until(text, at, BLANK | CLOSE);
                    let value = &source[at..end];
                    at = end;
                    value
                }
            };
            if let Some(name) = attribute(name).filter(|_| !value.is_empty()) {
                needs_standard |= memchr3(b'&', b'\0', b'\r', value.as_bytes()).is_some();
                self.attributes.push((name, Cow::Borrowed(value)));
            }
        }
    }

    fn get(&self, name: Attribute) -> Option<&Cow<'a, str>> {
        self.attributes
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    fn collect(&self, read: &mut FileScan<'a>) {
        if self.attributes.is_empty() {
            return;
        }
        read.ids
            .extend(self.get(Attribute::Id).map(|name| id(name)));
        let mut add = |address: Cow<'a, str>, kind: Kind| {
            let hreflang = self
                .get(Attribute::Hreflang)
                .cloned()
                .filter(|_| kind == Kind::Link);
            read.references.push(FoundAddress {
                address,
                kind,
                hreflang,
            });
        };
        match self.name {
            b"a" | b"area" => {
                // Share links have `nofollow`: they do not lead visitors to a page of the site, and are not requested
                // in the check of other sites.
                let is_nofollow = self
                    .get(Attribute::Rel)
                    .is_some_and(|rel| rel.split_whitespace().any(|word| word == "nofollow"));
                let kind = if is_nofollow {
                    Kind::Resource
                } else {
                    Kind::Link
                };
                self.get(Attribute::Href)
                    .into_iter()
                    .for_each(|address| add(part(address, str::trim), kind));
            }
            b"meta" => {
                let shared = self
                    .get(Attribute::Property)
                    .is_some_and(|property| ["og:image", "og:url"].contains(&&**property));
                let content = self.get(Attribute::Content);
                content
                    .filter(|_| shared)
                    .into_iter()
                    .for_each(|address| add(part(address, str::trim), Kind::Resource));
                let is_refresh = self
                    .get(Attribute::HttpEquiv)
                    .is_some_and(|equivalent| equivalent == "refresh");
                let refresh = content.filter(|content| is_refresh && content.contains("url="));
                refresh
                    .into_iter()
                    .for_each(|content| add(part(content, behind_url), Kind::Resource));
            }
            _ => {
                for name in [
                    Attribute::Href,
                    Attribute::Src,
                    Attribute::Poster,
                    Attribute::Data,
                    Attribute::Action,
                ] {
                    self.get(name)
                        .into_iter()
                        .for_each(|address| add(part(address, str::trim), Kind::Resource));
                }
                for name in [Attribute::Srcset, Attribute::ImageSrcset] {
                    let candidates = self.get(name).into_iter().flat_map(|list| list.split(", "));
                    let addresses =
                        candidates.filter_map(|candidate| candidate.split_whitespace().next());
                    addresses
                        .for_each(|address| add(Cow::Owned(address.to_owned()), Kind::Resource));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn check(html: &str, wanted: &[&str]) {
        let read = read("a/index.html", html.as_bytes()).expect("a page");
        let found: Vec<&str> = read
            .references
            .iter()
            .map(|found| &*found.address)
            .collect();
        assert_eq!(found, wanted, "{html}");
    }

    #[test]
    fn links_and_resources_are_found() {
        check(
            "<a href=/a/>x</a><img src='/b.png' alt=''><link rel=icon href=\"/c.svg\">",
            &["/a/", "/b.png", "/c.svg"],
        );
        check(
            "<source srcset=\"/a.avif 480w, /b.avif 768w\">",
            &["/a.avif", "/b.avif"],
        );
        check(
            "<form action=/send><video poster=/p.jpg src=/v.mp4></video>",
            &["/send", "/v.mp4", "/p.jpg"],
        );
        check(
            "<meta property=og:image content=https://x/y.png><meta name=description content=z>",
            &["https://x/y.png"],
        );
        check(
            "<meta http-equiv=refresh content=\"0; url=/new/\">",
            &["/new/"],
        );
        check("<svg><use href=\"#arc\"/></svg>", &["#arc"]);
    }

    #[test]
    fn a_nofollow_link_is_not_followed() {
        let kind = |html: &str| {
            read("a/index.html", html.as_bytes())
                .expect("a page")
                .references[0]
                .kind
        };
        assert_eq!(
            kind("<a href=https://x.example/share rel='external nofollow'>x</a>"),
            Kind::Resource
        );
        assert_eq!(
            kind("<a href=https://x.example/ rel=external>x</a>"),
            Kind::Link
        );
    }

    #[test]
    fn references_are_decoded() {
        check("<a href=\"/?a=1&amp;b=2\">x</a>", &["/?a=1&b=2"]);
        check(
            "<a href=/a\0b><a href='/a\r\nb'>",
            &["/a\u{fffd}b", "/a\nb"],
        );
    }

    #[test]
    fn text_comments_and_scripts_are_ignored() {
        check(
            "<!-- <a href=/a/> --><script>'<a href=/b/>'</script><p>&lt;a href=/c/&gt;</p><title><a href=/d/></title>",
            &[],
        );
    }

    const PARTS: &[&str] = &[
        "<a href=",
        "\"/x/\"",
        "'/y/'",
        "/z",
        " id=",
        "id",
        ">",
        "<",
        "</",
        "/",
        "=",
        " ",
        "\n",
        "<!--",
        "-->",
        "--!>",
        "<!",
        "<img src=",
        "&amp;",
        "&",
        "a",
        "\"",
        "'",
        "<title>",
        "</title>",
        "<TITLE ",
        "</style >",
        "<style>",
        "<script>",
        "</script>",
        "<svg><use HREF=",
        "<p",
        "<meta property=og:url content=",
        " rel=nofollow",
        "?",
        "<?",
        "ñ",
        "-",
    ];

    proptest::proptest! {
        #![proptest_config(ProptestConfig { cases: 400 * ProptestConfig::default().cases, ..ProptestConfig::default() })]

        #[test]
        fn tags_are_found_as_the_standard_requires(parts in vec(select(PARTS), 1..15)) {
            let text = parts.concat();
            assert_eq!(html(text.as_bytes()), standard(text.as_bytes()), "{text}");
        }

        #[test]
        fn invalid_utf_8_is_read(mut text in vec(select(PARTS), 1..10).prop_map(|parts| parts.concat().into_bytes()), at: usize, byte: u8) {
            let at = at % text.len();
            text[at] = byte;
            assert_eq!(html(&text), standard(&text), "{text:?}");
        }
    }

    #[test]
    fn ids_are_found() {
        let read = read("a/index.html", b"<h2 id=team>x</h2>").expect("a page");
        assert!(read.ids.contains(&id("team")) && !read.ids.contains(&id("x")));
    }

    #[test]
    fn sitemaps_and_manifests_are_read() {
        let found = |path, text: &str| {
            let read = read(path, text.as_bytes()).expect("a readable file");
            read.references
                .into_iter()
                .map(|found| found.address.into_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found(
                "sitemap.xml",
                "<urlset xmlns:x=\"x\" xmlns:i=\"i\"><url><loc>https://x/what&#39;s/</loc><x:link href=\"https://x/es/\"/>\
                 <i:loc>https://x/a.jpg</i:loc></url></urlset>"
            ),
            ["https://x/what's/", "https://x/a.jpg", "https://x/es/"]
        );
        assert_eq!(
            found(
                "site.webmanifest",
                r#"{"start_url":"/","icons":[{"src":"/i.png"}]}"#
            ),
            ["/i.png", "/"]
        );
        assert!(super::read("notes.txt", b"<a href=/a/>").is_none());
    }
}
