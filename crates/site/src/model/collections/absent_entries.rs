//! The addresses that entries had until their last day, which lead on, and those that they will have: bookmarks and
//! `urls.lock` keep what they promise when a date passes.

use std::collections::BTreeMap;

use config::SiteSettings;
use content::Content;
use content::collections::Expired;
use diagnostics::problem::Problems;

use super::super::page::Page;
use super::places::{absent_part, address_by, list_pages};
use super::{AbsentEntry, Collections, address_part, resolve_text};

/// The pages of entries that have ended or not begun.
pub(super) fn pages(
    settings: &SiteSettings,
    content: &Content,
    collections: &Collections,
    lists: &[Page],
) -> Vec<AbsentEntry> {
    let mut pages = Vec::new();
    for collection in content
        .collections
        .list
        .iter()
        .filter(|collection| collection.schema.address.is_some())
    {
        let schema = collection.schema;
        for entry in &collection.withdrawn {
            for (locale, text) in content.locales.iter().enumerate().zip(&entry.texts) {
                let Some(written) = text else { continue };
                // A mistake in an entry that nobody sees isn't a problem, and its images are not published.
                let text = resolve_text(
                    settings,
                    content,
                    schema,
                    written,
                    &mut BTreeMap::new(),
                    &mut Problems::new(),
                );
                let Some(at) = collections.position(schema.name) else {
                    continue;
                };
                let list = list_pages(settings, content, &collections.list[at], lists)
                    .into_iter()
                    .nth(locale.0)
                    .flatten();
                let path = schema.address.as_ref().and_then(|address| {
                    address_by(settings, address, list.as_ref(), &locale, |name| {
                        address_part(settings, collections, &entry.key, &text, locale.0, name)
                            .or_else(|| {
                                let at = locale.0;
                                absent_part(settings, content, collections, written, at, name)
                            })
                    })
                });
                if let Some(Ok(path)) = path {
                    let key = format!("{}/{}", schema.name, entry.key);
                    let is_expired = entry.until.is_some_and(|until| until <= collections.now);
                    let leads_on = schema.expired == Expired::List;
                    pages.push(AbsentEntry {
                        key,
                        locale: locale.0,
                        path,
                        is_expired,
                        leads_on,
                    });
                }
            }
        }
    }
    pages
}
