//! Feeds, and entries of the sitemap.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::site::{Author, Escaped, Language, Post};
use super::{BASE_URL, Head, Result, publish};

/// Maximum number of posts in a feed.
const LENGTH: usize = 20;

impl Language {
    pub(super) fn feeds(
        &self,
        tag: Option<usize>,
        authors: &BTreeMap<String, Author>,
        out: &Path,
    ) -> Result<()> {
        let tag = tag.map(|at| &self.tags[at]);
        let list = &self.pages["blog"];
        let base = tag.map_or_else(
            || list.path.clone(),
            |tag| format!("{}tag/{}/", list.path, tag.slug),
        );
        let title = tag.map_or_else(
            || list.title.clone(),
            |tag| format!("{}: {}", list.title, tag.name),
        );
        let posts: Vec<&Post> = match tag {
            Some(tag) => tag
                .posts
                .iter()
                .take(LENGTH)
                .map(|at| &self.posts[*at])
                .collect(),
            None => self.posts.iter().take(LENGTH).collect(),
        };
        let (home, code) = (format!("{BASE_URL}{base}"), self.code);
        let mut rss = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><channel>\n<title>{0}</title><link>{home}</link><description>{0}</description><language>{code}</language><atom:link href=\"{home}feed.xml\" rel=\"self\" type=\"application/rss+xml\"/>\n",
            Escaped(&title)
        );
        let updated = posts.first().map_or("", |post| &post.front.date);
        let mut atom = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"{code}\">\n<title>{}</title><id>{home}</id><link href=\"{home}\"/><link rel=\"self\" href=\"{home}atom.xml\"/><updated>{updated}Z</updated>\n",
            Escaped(&title)
        );
        let mut items = Vec::new();
        for post in posts {
            let (url, front, author) = (post.url(), &post.front, &authors[&post.front.author].name);
            let tags = |before: &str, after: &str| {
                front.tags.iter().fold(String::new(), |all, tag| {
                    format!("{all}{before}{}{after}", Escaped(tag))
                })
            };
            let (title, excerpt, date) =
                (Escaped(&front.title), Escaped(&front.excerpt), &front.date);
            writeln!(
                rss,
                "<item><title>{title}</title><link>{url}</link><guid>{url}</guid><pubDate>{}</pubDate><dc:creator>{author}</dc:creator>{}<description>{excerpt}</description></item>",
                rfc822(date),
                tags("<category>", "</category>")
            )?;
            writeln!(
                atom,
                "<entry><title>{title}</title><id>{url}</id><link href=\"{url}\"/><updated>{date}Z</updated><published>{date}Z</published><author><name>{author}</name></author>{}<summary>{excerpt}</summary></entry>",
                tags("<category term=\"", "\"/>")
            )?;
            items.push(serde_json::json!({"id": url, "url": url, "title": front.title, "content_text": front.excerpt, "date_published": format!("{date}Z"), "authors": [{"name": author}], "tags": front.tags}));
        }
        let json = serde_json::json!({"version": "https://jsonfeed.org/version/1.1", "title": title, "home_page_url": home, "feed_url": format!("{home}feed.json"), "language": code, "items": items});
        let files = [
            ("feed.xml", rss + "</channel></rss>\n"),
            ("atom.xml", atom + "</feed>\n"),
            ("feed.json", serde_json::to_string_pretty(&json)?),
        ];
        publish(&out.join(base.trim_start_matches('/')), &files)
    }
}

/// The sitemap entry of a page.
pub(super) fn entry(head: &Head, date: Option<&str>) -> String {
    let mut xml = format!("<url><loc>{BASE_URL}{}</loc>", head.path);
    if let Some(date) = date {
        let _ = write!(xml, "<lastmod>{date}</lastmod>");
    }
    for (language, path) in head
        .translations
        .iter()
        .flat_map(|[en, es]| [("en", en), ("es", es), ("x-default", en)])
    {
        let _ = write!(
            xml,
            "<xhtml:link rel=\"alternate\" hreflang=\"{language}\" href=\"{BASE_URL}{path}\"/>"
        );
    }
    xml + "</url>\n"
}

/// Formats a date as `Fri, 14 Mar 2025 09:30:00 GMT`.
fn rfc822(date: &str) -> String {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    // Sakamoto's algorithm: the offset of each month's first weekday.
    const OFFSETS: [usize; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
    let number = |from: usize, to: usize| date[from..to].parse::<usize>().unwrap_or(1);
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let counted = if month < 3 { year - 1 } else { year };
    let weekday =
        (counted + counted / 4 - counted / 100 + counted / 400 + OFFSETS[month - 1] + day) % 7;
    format!(
        "{}, {day:02} {} {year} {} GMT",
        DAYS[weekday],
        MONTHS[month - 1],
        &date[11..19]
    )
}
