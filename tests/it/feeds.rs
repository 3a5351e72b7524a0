//! Every feed of the site, read twice: with a strict XML or JSON parser that checks the requirements of the formats,
//! and those in XML with a library for their format.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::{Document, Node};
use serde_json::Value;

use crate::site_test::SiteTest;

const ATOM: &str = "http://www.w3.org/2005/Atom";

/// The URL and title of each post in a feed.
type Entries = Vec<(String, String)>;

/// The text of the only child with a name, which must not be empty.
fn one<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    let found: Vec<Node> = node
        .children()
        .filter(|child| child.tag_name().name() == name)
        .collect();
    assert_eq!(
        found.len(),
        1,
        "{} has {} `{name}`",
        node.tag_name().name(),
        found.len()
    );
    let text = found[0].text().unwrap_or_default();
    assert!(!text.trim().is_empty(), "`{name}` is empty");
    text
}

fn children<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children()
        .filter(move |child| child.tag_name().name() == name)
}

/// Whether a percent-encoded URL is that of a file.
fn is_at(address: &str, file: &str) -> bool {
    address.starts_with("https://")
        && percent_encoding::percent_decode_str(address)
            .decode_utf8_lossy()
            .ends_with(&format!("/{file}"))
}

/// Whether a time is RFC 3339 with a zone: `2025-03-14T09:30:00Z`.
fn is_rfc3339(text: &str) -> bool {
    text.len() == 20 && text.ends_with('Z') && schema::types::Moment::parse(text).is_some()
}

/// Checks the elements that RFC 4287 requires.
fn atom(text: &str, own: &str) -> Entries {
    let document = Document::parse(text).expect("well-formed XML");
    let feed = document.root_element();
    assert_eq!(
        (feed.tag_name().name(), feed.tag_name().namespace()),
        ("feed", Some(ATOM))
    );
    let language = feed.attribute(("http://www.w3.org/XML/1998/namespace", "lang"));
    assert!(language.is_some_and(|language| language.len() >= 2));
    one(feed, "title");
    assert!(one(feed, "id").starts_with("https://"));
    assert!(is_rfc3339(one(feed, "updated")));
    let link = |rel: Option<&str>| children(feed, "link").find(|link| link.attribute("rel") == rel);
    assert!(
        link(Some("self"))
            .and_then(|link| link.attribute("href"))
            .is_some_and(|href| is_at(href, own))
    );
    assert!(link(None).and_then(|link| link.attribute("href")).is_some());
    let entry = |entry: Node| {
        let author = children(entry, "author")
            .next()
            .expect("an author, since the feed has none");
        one(author, "name");
        assert!(is_rfc3339(one(entry, "updated")) && is_rfc3339(one(entry, "published")));
        one(entry, "summary");
        assert!(
            children(entry, "category")
                .all(|tag| tag.attribute("term").is_some_and(|term| !term.is_empty()))
        );
        let links: Vec<&str> = children(entry, "link")
            .filter_map(|link| link.attribute("href"))
            .collect();
        assert_eq!(links, [one(entry, "id")]);
        (one(entry, "id").to_owned(), one(entry, "title").to_owned())
    };
    children(feed, "entry").map(entry).collect()
}

/// Checks the elements that the RSS 2.0 specification of the RSS Advisory Board requires.
fn rss(text: &str, own: &str) -> Entries {
    let document = Document::parse(text).expect("well-formed XML");
    let root = document.root_element();
    assert_eq!(
        (root.tag_name().name(), root.attribute("version")),
        ("rss", Some("2.0"))
    );
    let channels: Vec<Node> = root.children().filter(Node::is_element).collect();
    let [channel] = channels[..] else {
        panic!("{} channels", channels.len())
    };
    one(channel, "title");
    one(channel, "description");
    one(channel, "language");
    let links: Vec<Node> = children(channel, "link").collect();
    let (own_link, home): (Vec<Node>, Vec<Node>) = links
        .into_iter()
        .partition(|link| link.tag_name().namespace() == Some(ATOM));
    assert!(
        home.len() == 1
            && home[0]
                .text()
                .is_some_and(|text| text.starts_with("https://"))
    );
    assert!(
        own_link[0]
            .attribute("href")
            .is_some_and(|href| is_at(href, own))
    );
    let item = |item: Node| {
        one(item, "description");
        one(item, "creator");
        let date = one(item, "pubDate");
        // `Fri, 14 Mar 2025 09:30:00 GMT`
        assert!(
            date.len() == 29 && &date[3..5] == ", " && date.ends_with(" GMT"),
            "{date}"
        );
        assert_eq!(one(item, "guid"), one(item, "link"));
        (one(item, "link").to_owned(), one(item, "title").to_owned())
    };
    children(channel, "item").map(item).collect()
}

/// <https://www.jsonfeed.org/version/1.1/>
fn json(text: &str, own: &str) -> Entries {
    let feed: Value = serde_json::from_str(text).expect("JSON");
    let text_of = |value: &Value| {
        value
            .as_str()
            .filter(|text| !text.is_empty())
            .expect("a text")
            .to_owned()
    };
    assert_eq!(feed["version"], "https://jsonfeed.org/version/1.1");
    text_of(&feed["title"]);
    text_of(&feed["language"]);
    assert!(is_at(&text_of(&feed["feed_url"]), own));
    assert!(text_of(&feed["home_page_url"]).starts_with("https://"));
    let item = |item: &Value| {
        text_of(&item["content_text"]);
        assert!(is_rfc3339(&text_of(&item["date_published"])));
        let authors = item["authors"].as_array().expect("authors");
        authors
            .iter()
            .for_each(|author| drop(text_of(&author["name"])));
        assert!(!authors.is_empty());
        item["tags"]
            .as_array()
            .expect("tags")
            .iter()
            .for_each(|tag| drop(text_of(tag)));
        assert_eq!(item["id"], item["url"]);
        (text_of(&item["id"]), text_of(&item["title"]))
    };
    feed["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(item)
        .collect()
}

/// The rules of the W3C's feed validator beyond what the formats require.
fn as_the_validator(path: &str, text: &str) {
    let is_forbidden = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t') || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    assert!(
        !text.contains(is_forbidden),
        "{path} has a control character"
    );
    if path.ends_with(".json") {
        return;
    }
    let document = Document::parse(text).expect("well-formed XML");
    let texts = |name: &'static str| {
        let nodes = document
            .descendants()
            .filter(move |node| node.tag_name().name() == name);
        nodes.filter_map(|node| node.text()).collect::<Vec<_>>()
    };
    // Names are text: markup in them would be shown.
    for text in texts("title")
        .into_iter()
        .chain(texts("description"))
        .chain(texts("summary"))
        .chain(texts("name"))
    {
        assert!(
            !["</", "&amp;", "&lt;", "&#"]
                .iter()
                .any(|sign| text.contains(sign)),
            "{path}: {text}"
        );
    }
    for text in texts("pubDate") {
        let read = jiff::fmt::rfc2822::parse(text)
            .unwrap_or_else(|error| panic!("{path}: {text}: {error}"));
        assert!(
            text.starts_with(&read.strftime("%a, ").to_string()),
            "{path}: {text} is another day of the week"
        );
    }
    let newest = texts("updated");
    if let [feed, entries @ ..] = &newest[..] {
        assert!(
            entries.iter().all(|entry| entry <= feed),
            "{path}: an entry is newer than the feed"
        );
    }
    let published = texts("published");
    assert!(
        published.is_sorted_by(|a, b| a >= b),
        "{path} is not sorted: {published:?}"
    );
    for link in texts("link")
        .into_iter()
        .chain(texts("guid"))
        .chain(texts("id"))
    {
        assert!(
            url::Url::parse(link).is_ok() && link.is_ascii(),
            "{path}: {link}"
        );
    }
    assert!(document.root_element().descendants().all(|node| {
        node.attribute("isPermaLink")
            .is_none_or(|is| is == "true" || is == "false")
    }));
}

/// Reads a feed with the library `atom_syndication`.
fn read_atom(bytes: &[u8], path: &str) -> Entries {
    let feed =
        atom_syndication::Feed::read_from(bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(
        !feed.title().value.is_empty() && feed.lang().is_some(),
        "{path}"
    );
    feed.entries()
        .iter()
        .map(|entry| {
            assert!(
                entry.published().is_some() && entry.summary().is_some(),
                "{path}: {}",
                entry.id()
            );
            let names: Vec<&str> = entry
                .authors()
                .iter()
                .map(atom_syndication::Person::name)
                .collect();
            assert!(
                !names.is_empty() && names.iter().all(|name| !name.is_empty()),
                "{path}: {}",
                entry.id()
            );
            let link = entry.links().first().map_or("", |link| link.href());
            (link.to_owned(), entry.title().value.clone())
        })
        .collect()
}

/// Reads a feed with the library `rss`.
fn read_rss(bytes: &[u8], path: &str) -> Entries {
    let channel = rss::Channel::read_from(bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(
        !channel.title().is_empty() && channel.language().is_some(),
        "{path}"
    );
    channel
        .items()
        .iter()
        .map(|item| {
            let link = item.link().unwrap_or_default().to_owned();
            assert!(
                item.pub_date().is_some() && item.description().is_some(),
                "{path}: {link}"
            );
            let creators = item
                .dublin_core_ext()
                .map_or(&[][..], |core| core.creators());
            assert!(
                !creators.is_empty() && creators.iter().all(|name| !name.is_empty()),
                "{path}: {link}"
            );
            (link, item.title().unwrap_or_default().to_owned())
        })
        .collect()
}

/// Checks every feed among the files of a site. Returns how many there are of each format.
pub fn check(files: &BTreeMap<String, Vec<u8>>) -> BTreeMap<&str, usize> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut lists: BTreeMap<&str, BTreeSet<Entries>> = BTreeMap::new();
    for (path, bytes) in files {
        let Some((folder, name)) = path.rsplit_once('/') else {
            continue;
        };
        let text = || std::str::from_utf8(bytes).expect("UTF-8");
        let entries = match name {
            "atom.xml" => atom(text(), path),
            "feed.xml" => rss(text(), path),
            "feed.json" => json(text(), path),
            _ => continue,
        };
        as_the_validator(path, text());
        let ids: BTreeSet<&String> = entries.iter().map(|(id, _)| id).collect();
        assert_eq!(ids.len(), entries.len(), "{path} names a post twice");
        for (address, _) in &entries {
            let own = address
                .strip_prefix("https://")
                .and_then(|rest| rest.split_once('/'))
                .map_or("", |(_, path)| path);
            assert!(
                files.contains_key(&format!("{own}index.html")),
                "{path}: {address} is not there"
            );
        }

        let theirs = match name {
            "atom.xml" => read_atom(&bytes[..], path),
            "feed.xml" => read_rss(&bytes[..], path),
            // A JSON feed has no reader beside that of JSON.
            _ => entries.clone(),
        };
        assert_eq!(theirs, entries, "{path} is parsed differently");
        *seen.entry(name).or_default() += 1;
        lists.entry(folder).or_default().insert(entries);
    }
    for (folder, lists) in lists {
        assert_eq!(lists.len(), 1, "the three feeds of {folder} differ");
    }
    seen
}

#[test]
fn every_feed_is_valid() {
    let files = SiteTest::whole().built().files();
    let seen = check(&files);
    let counts: Vec<usize> = seen.values().copied().collect();
    assert!(
        counts.len() == 3
            && counts
                .iter()
                .all(|count| *count == counts[0] && *count > 20),
        "{seen:?}"
    );
}
