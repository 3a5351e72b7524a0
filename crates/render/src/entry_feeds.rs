//! The feeds of a collection in each language: RSS, Atom and JSON Feed, and a calendar (`calendar.ics`) of its dates. They
//! are below the page that lists the collection.

use std::cmp::Reverse;
use std::sync::Arc;

use assets::output::Output;
use site::config::SiteSettings;
use site::content_types::{DateTime, Typed, Zone};
use site::model::{Body, Collections, EntryId, Field, Page, Site};
use site::routes::Routes;

use super::blog::{Feed, FeedEntry, FeedLink, links, written};

/// The name of the file of a calendar.
const CALENDAR: &str = "calendar.ics";
/// The maximum length of a line of a calendar, in bytes (RFC 5545, 3.1).
const LINE: usize = 75;

/// The feeds of all collections that have them.
pub(super) fn feeds(settings: &SiteSettings, site: &Site, routes: &Routes) -> Vec<Output> {
    let mut outputs = Vec::new();
    for at in 0..site.collections.list.len() {
        for locale in 0..site.locales.len() {
            let Some((list, feed)) = feed(settings, site, routes, at, locale) else { continue };
            if site.collections.list[at].schema.feed.as_ref().is_some_and(|feed| feed.calendar) {
                let path = format!("{}{CALENDAR}", list.path.value.trim_start_matches('/'));
                outputs.push(Output::bytes(path, Arc::new(calendar(&feed, routes))));
            }
            outputs.extend(written(&feed, routes));
        }
    }
    outputs
}

/// The feeds of the collections that a page lists, for its head.
pub(super) fn links_of(site: &Site, routes: &Routes, page: &Page) -> Vec<FeedLink> {
    // Other pages list no collection, and there are many of them.
    if page.body != Body::Sections {
        return Vec::new();
    }
    let locale = site.locale_index(&page.locale);
    let own = (0..site.collections.list.len()).filter(|at| {
        let has_feed = site.collections.list[*at].schema.feed.is_some();
        has_feed && list_of(site, *at, locale).is_some_and(|list| std::ptr::eq(list, page))
    });
    own.flat_map(|_| links(routes, &page.path.value, &page.title)).collect()
}

/// The page that lists a collection in a language.
fn list_of(site: &Site, at: usize, locale: usize) -> Option<&Page> {
    site.collections.list[at].lists[locale].map(|place| &site.pages[place.page])
}

fn feed<'a>(
    settings: &'a SiteSettings,
    site: &'a Site,
    routes: &Routes,
    at: usize,
    locale: usize,
) -> Option<(&'a Page, Feed<'a>)> {
    let collection = &site.collections.list[at];
    let options = collection.schema.feed.as_ref()?;
    let list = list_of(site, at, locale)?;
    let about = &site.locales[locale];
    let mut entries: Vec<FeedEntry> = Vec::new();
    for entry in &collection.order[locale] {
        let id = EntryId { collection: at, entry: *entry };
        let Some(date) = date(&site.collections, id, locale, &options.date) else { continue };
        let page = routes.page(&site.collections.page_key(id), locale).map(|index| &site.pages[index]);
        let value = |path: &str| site.collections.value(id, &(locale, about), path);
        let title = value("title").or_else(|| value("name")).unwrap_or_else(|| collection.entries[*entry].key.clone());
        // Without a page, an entry is a part of the page that lists it.
        let own = || format!("{}#{}", list.path.value, collection.entries[*entry].key);
        entries.push(FeedEntry {
            url: routes.absolute(&page.map_or_else(own, |page| page.path.value.clone())),
            title,
            summary: page.map_or("", |page| page.description.as_str()).into(),
            author: settings.in_language(&about.code).company.name.clone(),
            date,
            modified: None,
            tags: &[],
        });
    }
    entries.sort_by_key(|entry| Reverse(entry.date));
    entries.truncate(options.items);
    let feed = Feed {
        path: list.path.value.clone(),
        title: list.title.clone(),
        language: &about.language,
        zone: &settings.timezone,
        entries,
    };
    Some((list, feed))
}

/// The date of an entry, from a field.
fn date(collections: &Collections, id: EntryId, locale: usize, field: &str) -> Option<DateTime> {
    match collections.text(id, locale)?.fields.get(field)? {
        Field::Typed(typed) => match &**typed {
            Typed::Date(day) => DateTime::parse(&day.to_string()),
            Typed::DateTime(date) => Some(*date),
            Typed::Moment(when) => Some(when.local()),
            _ => None,
        },
        _ => None,
    }
}

/// The dates as iCalendar (RFC 5545). Without a time zone of the site, a time is the local one of whoever reads it.
fn calendar(feed: &Feed, routes: &Routes) -> Vec<u8> {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        // A line is folded after 75 bytes, and a folded line begins with a space.
        let whole = format!("{name}:{value}");
        let mut length = 0;
        for c in whole.chars() {
            if length + c.len_utf8() > LINE {
                text.push_str("\r\n ");
                length = 1;
            }
            text.push(c);
            length += c.len_utf8();
        }
        text.push_str("\r\n");
    };
    line("BEGIN", "VCALENDAR");
    line("VERSION", "2.0");
    line("PRODID", &format!("-//{}//sitegen//EN", routes.absolute("/")));
    line("X-WR-CALNAME", &escaped(&feed.title));
    for entry in &feed.entries {
        let is_local = *feed.zone == Zone::default();
        let (date, sign) =
            if entry.date.is_midnight() || is_local { (entry.date, "") } else { (feed.zone.in_utc(entry.date), "Z") };
        let digits: String = date.to_string().replace(['-', ':'], "");
        let start = format!("{digits}{sign}");
        let (name, start) = if entry.date.is_midnight() {
            ("DTSTART;VALUE=DATE", digits.split('T').next().unwrap_or_default())
        } else {
            ("DTSTART", start.as_str())
        };
        line("BEGIN", "VEVENT");
        line("UID", &entry.url);
        // The same content gives the same bytes, so the stamp is the date, and not the time of the build.
        let stamp = feed.zone.in_utc(entry.date).to_string().replace(['-', ':'], "");
        line("DTSTAMP", &format!("{stamp}Z"));
        line(name, start);
        line("SUMMARY", &escaped(&entry.title));
        if !entry.summary.is_empty() {
            line("DESCRIPTION", &escaped(&entry.summary));
        }
        line("URL", &entry.url);
        line("END", "VEVENT");
    }
    line("END", "VCALENDAR");
    text.into_bytes()
}

/// A text of a calendar: the characters that separate values are escaped.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | ';' | ',' => escaped.extend(['\\', c]),
            '\n' => escaped.push_str("\\n"),
            '\r' => {}
            c => escaped.push(c),
        }
    }
    escaped
}
