//! The feeds of each language and of each tag: RSS, Atom and JSON Feed, with the newest posts and their summaries.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

use assets::output::Output;
use config::SiteSettings;
use schema::types::{DateTime, Moment, Zone};
use site::model::Site;
use site::routes::Routes;
use text::xml::Document;

use super::fallbacks;

/// The maximum number of posts in a feed.
const LENGTH: usize = 20;

/// A link to a feed, in the `<head>` of a page.
#[derive(Debug, Clone, Serialize, PartialEq, Eq)]
pub(crate) struct FeedLink {
    pub kind: &'static str,
    pub title: String,
    pub href: String,
}

/// The content of a feed, in any format.
pub(crate) struct Feed<'a> {
    /// The address of the list.
    pub path: String,
    pub title: String,
    pub language: &'a str,
    /// The time zone of the dates.
    pub zone: &'a Zone,
    pub entries: Vec<FeedEntry<'a>>,
}

impl Feed<'_> {
    fn rfc3339(&self, date: Moment) -> String {
        self.zone.stamp_of(date)
    }
}

pub(crate) struct FeedEntry<'a> {
    pub url: String,
    pub title: String,
    pub summary: Cow<'a, str>,
    pub author: String,
    /// When it was published; `None` if that is not known, as of an event to come.
    pub date: Option<Moment>,
    /// The date of the last change, if there was one.
    pub modified: Option<Moment>,
    pub tags: &'a [String],
}

/// A JSON Feed: <https://www.jsonfeed.org/version/1.1/>.
#[derive(Serialize)]
struct JsonFeed<'a> {
    version: &'static str,
    title: &'a str,
    home_page_url: String,
    feed_url: String,
    language: &'a str,
    items: Vec<JsonItem<'a>>,
}

#[derive(Serialize)]
struct JsonItem<'a> {
    id: &'a str,
    url: &'a str,
    title: &'a str,
    /// The summary. The format requires this field or `content_html`.
    content_text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_published: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_modified: Option<String>,
    authors: Vec<JsonAuthor<'a>>,
    tags: &'a [String],
}

#[derive(Serialize)]
struct JsonAuthor<'a> {
    name: &'a str,
}

/// All feeds of a site.
pub(crate) fn feeds(settings: &SiteSettings, site: &Site, routes: &Routes) -> Vec<Output> {
    let mut outputs = Vec::new();
    for (locale, language) in &site.blog.languages {
        let list = &site.pages[language.list.0];
        let tag = &site.locales[site.locale_index(locale)].language;
        let all = feed(
            settings,
            site,
            routes,
            list.path.value.clone(),
            list.title.clone(),
            tag,
            &language.posts,
        );
        outputs.extend(written(&all, routes));
        for term in &language.tags {
            let path = format!("{}tag/{}/", list.path.value, term.slug);
            let title = format!("{}: {}", list.title, term.name);
            outputs.extend(written(
                &feed(settings, site, routes, path, title, tag, &term.posts),
                routes,
            ));
        }
    }
    outputs
}

/// The feeds of a list, for the head of its pages.
pub(crate) fn links(routes: &Routes, path: &str, title: &str) -> Vec<FeedLink> {
    let kinds = [
        ("application/rss+xml", "feed.xml"),
        ("application/atom+xml", "atom.xml"),
        ("application/feed+json", "feed.json"),
    ];
    kinds
        .map(|(kind, file)| FeedLink {
            kind,
            title: title.to_owned(),
            href: routes.href(&format!("{path}{file}")),
        })
        .into()
}

fn feed<'a>(
    settings: &'a SiteSettings,
    site: &'a Site,
    routes: &Routes,
    path: String,
    title: String,
    language: &'a str,
    posts: &[usize],
) -> Feed<'a> {
    let zone = &settings.timezone;
    Feed {
        path,
        title,
        language,
        zone,
        entries: posts
            .iter()
            .filter_map(|index| {
                let post = site.blog.post(*index);
                let base = site
                    .blog
                    .languages
                    .get(&post.locale)
                    .map_or("/", |own| &site.pages[own.list.0].path.value);
                Some(FeedEntry {
                    url: routes.absolute(&format!("{base}{}/", post.slug)),
                    title: fallbacks::title(site, post),
                    summary: post.excerpt.as_deref().unwrap_or_default().into(),
                    author: fallbacks::author(settings, site, post),
                    // Feeds require a date, so a post without one is left out.
                    date: Some(post.date?.beginning(zone)),
                    modified: post.changed(zone).map(|date| date.beginning(zone)),
                    tags: &post.tags,
                })
            })
            .take(LENGTH)
            .collect(),
    }
}

pub(crate) fn written(feed: &Feed, routes: &Routes) -> Vec<Output> {
    let own = |file: &str| routes.absolute(&format!("{}{file}", feed.path));
    let output = |file: &str, bytes: Vec<u8>| {
        Output::bytes(
            format!("{}{file}", feed.path.trim_start_matches('/')),
            Arc::new(bytes),
        )
    };
    vec![
        output("feed.xml", rss(feed, &own(""), &own("feed.xml"))),
        output("atom.xml", atom(feed, &own(""), &own("atom.xml"))),
        output("feed.json", json(feed, own(""), own("feed.json"))),
    ]
}

fn rss(feed: &Feed, home: &str, own: &str) -> Vec<u8> {
    let mut xml = Document::begin();
    let namespaces = [
        ("version", "2.0"),
        ("xmlns:atom", "http://www.w3.org/2005/Atom"),
        ("xmlns:dc", "http://purl.org/dc/elements/1.1/"),
    ];
    xml.open("rss", &namespaces);
    xml.open("channel", &[]);
    xml.line();
    xml.element("title", &feed.title);
    xml.element("link", home);
    xml.element("description", &feed.title);
    xml.element("language", feed.language);
    xml.empty(
        "atom:link",
        &[
            ("href", own),
            ("rel", "self"),
            ("type", "application/rss+xml"),
        ],
    );
    xml.line();
    for entry in &feed.entries {
        xml.open("item", &[]);
        xml.element("title", &entry.title);
        xml.element("link", &entry.url);
        xml.element("guid", &entry.url);
        if let Some(date) = entry.date {
            xml.element("pubDate", &DateTime::of(date).rfc822());
        }
        xml.element("dc:creator", &entry.author);
        for tag in entry.tags {
            xml.element("category", tag);
        }
        xml.element("description", &entry.summary);
        xml.close("item");
        xml.line();
    }
    xml.close("channel");
    xml.close("rss");
    xml.line();
    xml.into_bytes()
}

fn atom(feed: &Feed, home: &str, own: &str) -> Vec<u8> {
    // The format requires a date, which an event to come may lack.
    let newest = feed
        .entries
        .iter()
        .filter_map(|entry| entry.modified.or(entry.date))
        .max();
    let updated = newest.map_or_else(
        || "1970-01-01T00:00:00Z".to_owned(),
        |date| feed.rfc3339(date),
    );
    let mut xml = Document::begin();
    xml.open(
        "feed",
        &[
            ("xmlns", "http://www.w3.org/2005/Atom"),
            ("xml:lang", feed.language),
        ],
    );
    xml.line();
    xml.element("title", &feed.title);
    xml.element("id", home);
    xml.empty("link", &[("href", home)]);
    xml.empty("link", &[("rel", "self"), ("href", own)]);
    xml.element("updated", &updated);
    xml.line();
    for entry in &feed.entries {
        xml.open("entry", &[]);
        xml.element("title", &entry.title);
        xml.element("id", &entry.url);
        xml.empty("link", &[("href", &entry.url)]);
        let changed = entry.modified.or(entry.date);
        xml.element(
            "updated",
            &changed.map_or_else(|| updated.clone(), |date| feed.rfc3339(date)),
        );
        if let Some(date) = entry.date {
            xml.element("published", &feed.rfc3339(date));
        }
        xml.open("author", &[]);
        xml.element("name", &entry.author);
        xml.close("author");
        for tag in entry.tags {
            xml.empty("category", &[("term", tag)]);
        }
        xml.element("summary", &entry.summary);
        xml.close("entry");
        xml.line();
    }
    xml.close("feed");
    xml.line();
    xml.into_bytes()
}

fn json(feed: &Feed, home_page_url: String, feed_url: String) -> Vec<u8> {
    let items = feed
        .entries
        .iter()
        .map(|entry| JsonItem {
            id: &entry.url,
            url: &entry.url,
            title: &entry.title,
            content_text: &entry.summary,
            date_published: entry.date.map(|date| feed.rfc3339(date)),
            date_modified: entry.modified.map(|date| feed.rfc3339(date)),
            authors: vec![JsonAuthor {
                name: &entry.author,
            }],
            tags: entry.tags,
        })
        .collect();
    let feed = JsonFeed {
        version: "https://jsonfeed.org/version/1.1",
        title: &feed.title,
        home_page_url,
        feed_url,
        language: feed.language,
        items,
    };
    // A struct of strings always serializes.
    let mut json = serde_json::to_vec_pretty(&feed).unwrap_or_default();
    json.push(b'\n');
    json
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Text as a CMS may send it, without the characters that are rejected on import.
    fn text() -> impl Strategy<Value = String> {
        "(\\PC|[&<>\"'\\]]|&amp;|&#39;|<b>|\n){0,30}"
    }

    proptest! {
        #[test]
        fn feeds_say_what_posts_say(
            posts in prop::collection::vec((text(), text(), text(), text()), 0..4),
            title in text(),
        ) {
            let posts: Vec<_> = posts.iter().enumerate().map(|(number, (title, summary, author, tag))| {
                let path = site::routes::encoded(&format!("/blog/{}/", schema::types::Slug::or_hash(title, "post")));
                (format!("https://a.example{path}?{number}"), title.clone(), summary.clone(), author.clone(), vec![tag.clone()])
            }).collect();
            let date = Moment::parse("2025-03-14T09:30:00");
            let entries = posts.iter().map(|(url, title, summary, author, tags)| {
                FeedEntry { url: url.clone(), title: title.clone(), summary: summary.into(), author: author.clone(), date, modified: None, tags }
            });
            let zone = Zone::default();
            let feed = Feed { path: "/blog/".into(), title: title.clone(), language: "en", zone: &zone, entries: entries.collect() };
            // All three formats contain the same values.
            let read = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
            let (home, own) = ("https://a.example/blog/", "https://a.example/blog/feed.xml");
            let texts = [read(rss(&feed, home, own)), read(atom(&feed, home, own))];
            for (xml, item, url) in [(&texts[0], "item", "link"), (&texts[1], "entry", "id")] {
                let read = roxmltree::Document::parse(xml).expect("XML");
                let items: Vec<_> = read.descendants().filter(|node| node.tag_name().name() == item).collect();
                prop_assert_eq!(items.len(), posts.len());
                for (item, post) in items.iter().zip(&posts) {
                    let said = |name: &str| {
                        item.descendants().find(|node| node.tag_name().name() == name).and_then(|node| node.text()).unwrap_or_default()
                    };
                    prop_assert_eq!((said(url), said("title")), (post.0.as_str(), post.1.as_str()));
                    let author = if said("creator").is_empty() { said("name") } else { said("creator") };
                    prop_assert_eq!(author, &post.3);
                }
            }
            let json: serde_json::Value = serde_json::from_slice(&json(&feed, home.into(), own.into())).expect("JSON");
            prop_assert_eq!(json["title"].as_str(), Some(title.as_str()));
            for (item, post) in json["items"].as_array().expect("items").iter().zip(&posts) {
                prop_assert_eq!((item["title"].as_str(), item["content_text"].as_str()), (Some(&*post.1), Some(&*post.2)));
            }
        }
    }
}
