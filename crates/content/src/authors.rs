//! Reads the authors of posts from the entries of the collection [`AUTHORS`], as posts and their lists show them.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use config::Config;
use schema::types::{IMAGE, Localized};

use super::blog::Author;
use super::collections::{AUTHORS, Collections, EntryFile};
use super::{Images, placeholders};

/// The authors of the site. One that could not be read has its key as name, so that the problem is reported once and not
/// for each post.
pub(super) fn of(
    config: &Config,
    collections: &Collections,
    images: &Images,
) -> BTreeMap<String, Author> {
    let Some(collection) = collections.named(AUTHORS) else {
        return BTreeMap::new();
    };
    let unread = collection
        .broken
        .iter()
        .map(|key| (key.clone(), unread(key)));
    let read = collection
        .entries
        .iter()
        .map(|entry| (entry.key.clone(), author(config, entry, images)));
    unread.chain(read).collect()
}

fn unread(key: &str) -> Author {
    Author {
        slug: key.to_owned(),
        name: key.to_owned(),
        role: Localized::default(),
        description: Localized::default(),
        avatar: None,
    }
}

fn author(config: &Config, entry: &EntryFile, images: &Images) -> Author {
    let words = |field: &str| {
        let locales = &config.site.locales;
        let texts =
            locales
                .iter()
                .zip(&entry.texts)
                .enumerate()
                .filter_map(|(at, (locale, text))| {
                    let text = text.as_ref()?;
                    let written = text.values.text(field)?;
                    let filled =
                        placeholders::fill(&written, config.site.in_language(&locale.value));
                    let words_in = text.lent.get(field).copied().unwrap_or(text.words_in);
                    let lender = locales.get(words_in).filter(|_| words_in != at);
                    Some((&locale.value, filled, lender.map(|lender| &lender.value)))
                });
        let mut localized = Localized::from(BTreeMap::new());
        for (locale, filled, lender) in texts {
            localized.add(locale, filled, lender.map(String::as_str));
        }
        localized
    };
    Author {
        name: placeholders::fill(
            &entry.name().unwrap_or_else(|| entry.key.clone()),
            &config.site,
        ),
        role: words("role"),
        description: words("description"),
        avatar: portrait(entry, images),
        ..unread(&entry.key)
    }
}

/// The key of the portrait; `None` without one, or if it is not there, which is reported with the entry.
fn portrait(entry: &EntryFile, images: &Images) -> Option<String> {
    let text = entry.texts.iter().flatten().next()?;
    let picture = text.values.get("avatar")?;
    let written = picture.get(IMAGE)?.get(0).and_then(Json::as_str)?;
    images.find(&text.source.path, written)
}
