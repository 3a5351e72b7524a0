//! The feeds of a collection in each language: RSS, Atom and JSON Feed, and a calendar (`calendar.ics`) of its dates. They
//! are below the page that lists the collection.

use std::sync::Arc;

use assets::output::Output;
use config::SiteSettings;
use schema::types::{Moment, Typed, Zone};
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
        let Some(options) = &site.collections.list[at].schema.feed else {
            continue;
        };
        for locale in 0..site.locales.len() {
            let Some(list) = list_of(site, at, locale) else {
                continue;
            };
            let dated = dated_entries(site, routes, list, at, locale);
            if options.calendar {
                let path = format!("{}{CALENDAR}", list.path.value.trim_start_matches('/'));
                outputs.push(Output::bytes(
                    path,
                    Arc::new(calendar(site, routes, list, &dated)),
                ));
            }
            outputs.extend(written(
                &feed(settings, site, list, locale, dated, options.items),
                routes,
            ));
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
    own.flat_map(|_| links(routes, &page.path.value, &page.title))
        .collect()
}

/// The page that lists a collection in a language.
fn list_of(site: &Site, at: usize, locale: usize) -> Option<&Page> {
    site.collections.list[at].lists[locale].map(|place| &site.pages[place.page])
}

/// An entry with a date.
struct Dated<'a> {
    url: String,
    title: String,
    summary: &'a str,
    start: &'a Typed,
    end: Option<&'a Typed>,
    begins: Moment,
    /// When it was published, if a field of the entry says so.
    published: Option<Moment>,
}

/// The entries of a collection that have a date, in order of time.
fn dated_entries<'a>(
    site: &'a Site,
    routes: &Routes,
    list: &Page,
    at: usize,
    locale: usize,
) -> Vec<Dated<'a>> {
    let collections = &*site.collections;
    let collection = &collections.list[at];
    let Some(options) = &collection.schema.feed else {
        return Vec::new();
    };
    let zone = &collections.zone;
    let language = (locale, &site.locales[locale]);
    let mut dated = Vec::new();
    for entry in &collection.order[locale] {
        let id = EntryId {
            collection: at,
            entry: *entry,
        };
        let Some(start) = typed(collections, id, locale, &options.date) else {
            continue;
        };
        let Some(begins) = start.beginning(zone) else {
            continue;
        };
        let key = &collection.entries[*entry].key;
        let page = routes
            .page(&collections.page_key(id), locale)
            .map(|index| &site.pages[index]);
        let name = |path: &str| collections.value(id, &language, path);
        // Without a page, an entry is a part of the page that lists it.
        let url = page.map_or_else(
            || format!("{}#{key}", routes.absolute(&list.path.value)),
            |page| routes.absolute(&page.path.value),
        );
        let field = |name: &Option<String>| typed(collections, id, locale, name.as_deref()?);
        dated.push(Dated {
            url,
            title: name("title")
                .or_else(|| name("name"))
                .unwrap_or_else(|| key.clone()),
            summary: page.map_or("", |page| page.description.as_str()),
            start,
            end: field(&options.end),
            begins,
            published: field(&collection.schema.publish.0).and_then(|from| from.beginning(zone)),
        });
    }
    dated.sort_by_key(|entry| entry.begins);
    dated
}

/// The value of a field with a date or a length of time.
fn typed<'a>(
    collections: &'a Collections,
    id: EntryId,
    locale: usize,
    field: &str,
) -> Option<&'a Typed> {
    match collections.text(id, locale)?.fields.get(field)? {
        Field::Typed(typed) => Some(typed),
        _ => None,
    }
}

/// The feed of a list: what is not over, the next first, then what has been, the newest first.
fn feed<'a>(
    settings: &'a SiteSettings,
    site: &'a Site,
    list: &Page,
    locale: usize,
    mut dated: Vec<Dated<'a>>,
    items: usize,
) -> Feed<'a> {
    let (now, zone) = (site.collections.now, &site.collections.zone);
    dated.sort_by_key(|entry| {
        if entry.passes(zone) > now {
            (0, entry.begins.0)
        } else {
            (1, -entry.begins.0)
        }
    });
    let about = &site.locales[locale];
    let author = &settings.in_language(&about.code).company.name;
    let entries = dated.into_iter().take(items).map(|entry| FeedEntry {
        // Readers hide what is published in the future.
        date: entry
            .published
            .or(Some(entry.begins))
            .filter(|date| *date <= now),
        url: entry.url,
        title: entry.title,
        summary: entry.summary.into(),
        author: author.clone(),
        modified: None,
        tags: &[],
    });
    Feed {
        path: list.path.value.clone(),
        title: list.title.clone(),
        language: &about.language,
        zone: &settings.timezone,
        entries: entries.collect(),
    }
}

/// The lines of a calendar.
#[derive(Default)]
struct Lines(String);

impl Lines {
    /// Adds a line. It is folded after 75 bytes, and a folded line begins with a space.
    fn add(&mut self, name: &str, value: &str) {
        let mut length = 0;
        for c in name.chars().chain([':']).chain(value.chars()) {
            if length + c.len_utf8() > LINE {
                self.0.push_str("\r\n ");
                length = 1;
            }
            self.0.push(c);
            length += c.len_utf8();
        }
        self.0.push_str("\r\n");
    }

    /// Adds a time: a day, or a moment in UTC.
    fn add_time(&mut self, name: &str, moment: Moment, day_in: Option<&Zone>) {
        match day_in {
            Some(zone) => self.add(
                &format!("{name};VALUE=DATE"),
                &zone.day(moment).replace('-', ""),
            ),
            None => self.add(name, &moment.to_string().replace(['-', ':'], "")),
        }
    }
}

/// The dates as iCalendar (RFC 5545), all of them.
fn calendar(site: &Site, routes: &Routes, list: &Page, dated: &[Dated]) -> Vec<u8> {
    let zone = &site.collections.zone;
    let mut lines = Lines::default();
    lines.add("BEGIN", "VCALENDAR");
    lines.add("VERSION", "2.0");
    lines.add(
        "PRODID",
        &format!("-//{}//sitegen//EN", routes.absolute("/")),
    );
    lines.add("X-WR-CALNAME", &escaped(&list.title));
    for entry in dated {
        lines.add("BEGIN", "VEVENT");
        lines.add("UID", &entry.url);
        // The same content gives the same bytes, so the stamp is not the time of the build.
        lines.add_time("DTSTAMP", entry.published.unwrap_or(Moment(0)), None);
        // Both are days, or both are moments. The end of days is the day after the last one.
        let is_length = |end: &Typed| end.is_day() || matches!(end, Typed::Duration(_));
        let is_day = entry.start.is_day() && entry.end.is_none_or(is_length);
        let day_in = is_day.then_some(zone);
        lines.add_time("DTSTART", entry.begins, day_in);
        if let Some(ends) = entry.ends(zone).filter(|ends| *ends > entry.begins) {
            lines.add_time("DTEND", ends, day_in);
        }
        lines.add("SUMMARY", &escaped(&entry.title));
        if !entry.summary.is_empty() {
            lines.add("DESCRIPTION", &escaped(entry.summary));
        }
        lines.add("URL", &entry.url);
        lines.add("END", "VEVENT");
    }
    lines.add("END", "VCALENDAR");
    lines.0.into_bytes()
}

impl Dated<'_> {
    /// When it is over.
    fn passes(&self, zone: &Zone) -> Moment {
        self.ends(zone)
            .or_else(|| self.start.end(zone))
            .unwrap_or(self.begins)
    }

    /// When it ends: by a date, or a length of time after its beginning.
    fn ends(&self, zone: &Zone) -> Option<Moment> {
        self.end?.end_from(self.start, zone)
    }
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
