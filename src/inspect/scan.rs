//! Reads a finished file: the addresses that it names, and the ids that it answers to.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

/// An id, as a hash: a large site has many, and only asks whether one is there.
pub(super) type Id = u64;

/// How an address is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A reader may follow it.
    Link,
    /// The browser, a search engine or a network fetches it.
    Resource,
}

/// What a file holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Read {
    pub ids: BTreeSet<Id>,
    pub references: Vec<Found>,
}

/// An address as it is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub address: String,
    pub kind: Kind,
    pub hreflang: Option<String>,
}

/// The hash under which an id is kept.
pub(super) fn id(text: &str) -> Id {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Reads pages, sitemaps and the web manifest; other files name nothing that was not looked up when they were made.
pub(super) fn read(path: &str, bytes: &[u8]) -> Option<Read> {
    if path.ends_with(".html") {
        return Some(html(bytes));
    }
    let addresses: Vec<String> = if path.starts_with("sitemap") && path.ends_with(".xml") {
        sitemap(bytes)
    } else if path.ends_with(".webmanifest") {
        webmanifest(bytes)
    } else {
        return None;
    };
    let found = |address| Found { address, kind: Kind::Resource, hreflang: None };
    Some(Read { ids: BTreeSet::new(), references: addresses.into_iter().map(found).collect() })
}

fn sitemap(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let between = |start: &'static str, end: char| {
        text.split(start)
            .skip(1)
            .filter_map(move |rest| rest.split(end).next())
            .map(|address| address.replace("&amp;", "&"))
    };
    between("loc>", '<').filter(|address| !address.trim().is_empty()).chain(between("href=\"", '"')).collect()
}

fn webmanifest(bytes: &[u8]) -> Vec<String> {
    let manifest: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
    let icons = manifest["icons"].as_array().into_iter().flatten().map(|icon| &icon["src"]);
    icons.chain([&manifest["start_url"]]).filter_map(|address| address.as_str().map(str::to_owned)).collect()
}

/// The attributes of a start tag that matter here.
#[derive(Default)]
struct Tag {
    name: Vec<u8>,
    attribute: Vec<u8>,
    attributes: Vec<(Vec<u8>, String)>,
}

const ATTRIBUTES: &[&[u8]] = &[
    b"action",
    b"content",
    b"data",
    b"href",
    b"hreflang",
    b"http-equiv",
    b"id",
    b"imagesrcset",
    b"poster",
    b"property",
    b"rel",
    b"src",
    b"srcset",
];

fn html(bytes: &[u8]) -> Read {
    let mut read = Read::default();
    let mut tag = Tag::default();
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                tag.name.clear();
                tag.name.extend_from_slice(name);
                tag.attributes.clear();
            }
            CallbackEvent::AttributeName { name } => {
                tag.attribute.clear();
                tag.attribute.extend_from_slice(name);
            }
            CallbackEvent::AttributeValue { value } if ATTRIBUTES.contains(&tag.attribute.as_slice()) => {
                let text = String::from_utf8_lossy(value).into_owned();
                tag.attributes.push((std::mem::take(&mut tag.attribute), text));
            }
            CallbackEvent::CloseStartTag { .. } => tag.collect(&mut read),
            _ => {}
        }
        None
    });
    emitter.naively_switch_states(true);
    // Reading from memory cannot fail.
    let _ = Tokenizer::new_with_emitter(bytes, emitter).finish();
    read
}

impl Tag {
    fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name.as_bytes()).map(|(_, value)| value.as_str())
    }

    fn collect(&self, read: &mut Read) {
        read.ids.extend(self.get("id").map(id));
        let mut add = |address: &str, kind: Kind| {
            let hreflang = self.get("hreflang").map(str::to_owned).filter(|_| kind == Kind::Link);
            read.references.push(Found { address: address.trim().to_owned(), kind, hreflang });
        };
        match self.name.as_slice() {
            b"a" | b"area" => {
                // `nofollow` is written on links that only pass something on (share this page): no reader follows them to
                // a page of the site, and another site is not asked about them.
                let passes_on =
                    self.get("rel").is_some_and(|rel| rel.split_whitespace().any(|word| word == "nofollow"));
                let kind = if passes_on { Kind::Resource } else { Kind::Link };
                self.get("href").into_iter().for_each(|address| add(address, kind));
            }
            b"meta" => {
                let shared = ["og:image", "og:url"].map(Some).contains(&self.get("property"));
                self.get("content").filter(|_| shared).into_iter().for_each(|address| add(address, Kind::Resource));
                let refresh = self.get("content").filter(|_| self.get("http-equiv") == Some("refresh"));
                let address = refresh.and_then(|content| content.split_once("url=")).map(|(_, address)| address);
                address.into_iter().for_each(|address| add(address, Kind::Resource));
            }
            _ => {
                for name in ["href", "src", "poster", "data", "action"] {
                    self.get(name).into_iter().for_each(|address| add(address, Kind::Resource));
                }
                for name in ["srcset", "imagesrcset"] {
                    let candidates = self.get(name).into_iter().flat_map(|list| list.split(", "));
                    let addresses = candidates.filter_map(|candidate| candidate.split_whitespace().next());
                    addresses.for_each(|address| add(address, Kind::Resource));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, wanted: &[&str]) {
        let read = read("a/index.html", html.as_bytes()).expect("a page");
        let found: Vec<&str> = read.references.iter().map(|found| found.address.as_str()).collect();
        assert_eq!(found, wanted, "{html}");
    }

    #[test]
    fn links_and_resources_are_found() {
        check(
            "<a href=/a/>x</a><img src='/b.png' alt=''><link rel=icon href=\"/c.svg\">",
            &["/a/", "/b.png", "/c.svg"],
        );
        check("<source srcset=\"/a.avif 480w, /b.avif 768w\">", &["/a.avif", "/b.avif"]);
        check("<form action=/send><video poster=/p.jpg src=/v.mp4></video>", &["/send", "/v.mp4", "/p.jpg"]);
        check(
            "<meta property=og:image content=https://x/y.png><meta name=description content=z>",
            &["https://x/y.png"],
        );
        check("<meta http-equiv=refresh content=\"0; url=/new/\">", &["/new/"]);
        check("<svg><use href=\"#arc\"/></svg>", &["#arc"]);
    }

    #[test]
    fn a_link_that_passes_something_on_is_not_followed() {
        let kind = |html: &str| read("a/index.html", html.as_bytes()).expect("a page").references[0].kind;
        assert_eq!(kind("<a href=https://x.example/share rel='external nofollow'>x</a>"), Kind::Resource);
        assert_eq!(kind("<a href=https://x.example/ rel=external>x</a>"), Kind::Link);
    }

    #[test]
    fn references_are_decoded() {
        check("<a href=\"/?a=1&amp;b=2\">x</a>", &["/?a=1&b=2"]);
    }

    #[test]
    fn text_comments_and_scripts_are_passed_over() {
        check(
            "<!-- <a href=/a/> --><script>'<a href=/b/>'</script><p>&lt;a href=/c/&gt;</p><title><a href=/d/></title>",
            &[],
        );
    }

    #[test]
    fn ids_are_kept() {
        let read = read("a/index.html", b"<h2 id=team>x</h2>").expect("a page");
        assert!(read.ids.contains(&id("team")) && !read.ids.contains(&id("x")));
    }

    #[test]
    fn sitemaps_and_manifests_are_read() {
        let found = |path, text: &str| {
            let read = read(path, text.as_bytes()).expect("a readable file");
            read.references.into_iter().map(|found| found.address).collect::<Vec<_>>()
        };
        assert_eq!(
            found(
                "sitemap.xml",
                "<url><loc>https://x/</loc><xhtml:link href=\"https://x/es/\"/><image:loc>https://x/a.jpg</image:loc></url>"
            ),
            ["https://x/", "https://x/a.jpg", "https://x/es/"]
        );
        assert_eq!(found("site.webmanifest", r#"{"start_url":"/","icons":[{"src":"/i.png"}]}"#), ["/i.png", "/"]);
        assert!(super::read("notes.txt", b"<a href=/a/>").is_none());
    }
}
