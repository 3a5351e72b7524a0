//! The links of the header and the footer: those that the settings write out, the entries of collections in their place, and
//! groups of links.

use config::{MenuEntry, SiteSettings};
use diagnostics::problem::{Code, Problem, Problems, did_you_mean};
use diagnostics::yaml::Spanned;
use languages::locale::Locale;

use super::collections::{Collections, Selection};
use super::page::{EntryId, Page};
use super::{LabeledLink, Target, Words};

/// Reports menu entries that lead nowhere, or that name a collection or a field that does not exist.
pub(super) fn check(settings: &SiteSettings, collections: &Collections, problems: &mut Problems) {
    let footer = settings.footer.groups.iter().flat_map(|group| &group.links);
    let menu = settings.header.menu.iter();
    let below = menu.clone().flat_map(|entry| &entry.value.children);
    for (number, Spanned { value: entry, span }) in menu.chain(below).chain(footer).enumerate() {
        let mut report = |code: Code, span, message: String, hint: Option<String>| {
            problems.push(
                Problem::error(code, message)
                    .at(settings.source.place(span))
                    .maybe_hint(hint),
            );
        };
        if let Some(first) = entry.children.first() {
            if number >= settings.header.menu.len() {
                let message =
                    "only a top-level entry in the header menu can have `children`".to_owned();
                report(
                    Code::InvalidValue,
                    first.span,
                    message,
                    Some("move the links up one level".to_owned()),
                );
            } else if entry.to.is_some() || entry.entries.is_some() {
                let message = "an entry with `children` cannot also be a link".to_owned();
                let hint =
                    "move `to` or `entries` into a new entry at the top of `children`".to_owned();
                report(Code::InvalidValue, *span, message, Some(hint));
            } else {
                let missing = settings
                    .locales
                    .iter()
                    .find(|locale| entry.label.get(&locale.value).is_none());
                if let Some(locale) = missing {
                    let message = format!(
                        "a menu group has no label for the locale `{}`",
                        locale.value
                    );
                    let hint = format!("add `{}: …` to its `label`", locale.value);
                    report(Code::TranslationMissing, *span, message, Some(hint));
                }
            }
            continue;
        }
        let of = match (&entry.to, &entry.entries) {
            (Some(_), None) => continue,
            (None, Some(of)) => of,
            (None, None) => {
                let hint = if number < settings.header.menu.len() {
                    "add `to: page:…`, `entries: …` with the name of a collection, or `children: […]`"
                } else {
                    "add `to: page:…`, or `entries: …` with the name of a collection"
                };
                report(
                    Code::MissingKey,
                    *span,
                    "the key `to` is missing here".to_owned(),
                    Some(hint.to_owned()),
                );
                continue;
            }
            (Some(_), Some(of)) => {
                let message =
                    "a menu entry is either a link or the entries of a collection, not both"
                        .to_owned();
                report(
                    Code::InvalidValue,
                    of.span,
                    message,
                    Some("remove `to` or `entries`".to_owned()),
                );
                continue;
            }
        };
        let Some(at) = collections.position(&of.value) else {
            if !collections.broken.contains(&of.value) {
                let near = did_you_mean(
                    &of.value,
                    collections
                        .list
                        .iter()
                        .map(|collection| collection.schema.name),
                );
                report(
                    Code::UnknownId,
                    of.span,
                    format!("there is no collection `{}`", of.value),
                    near,
                );
            }
            continue;
        };
        let schema = collections.list[at].schema;
        if !schema.has_pages() {
            let hint = format!("add `address` to `{}`", schema.source.path);
            report(
                Code::InvalidValue,
                of.span,
                format!("the entries of `{}` have no pages", of.value),
                Some(hint),
            );
        }
        for field in &entry.sort {
            let name = field.value.trim_start_matches('-');
            if schema.fields.field(name).is_none() {
                let (message, near) = schema.fields.unknown(name);
                report(
                    Code::UnknownId,
                    field.span,
                    format!("{message} in `{}`", of.value),
                    near,
                );
            }
        }
    }
}

/// Tells whether a target is a page that other languages have, and this one does not.
pub(super) fn is_elsewhere(to: &str, pages: &[Page], locale: &str) -> bool {
    let Some(key) = to.strip_prefix("page:") else {
        return false;
    };
    let key = key.split(['#', '?']).next().unwrap_or(key);
    let mut found = pages.iter().filter(|page| page.key == key).peekable();
    found.peek().is_some() && found.all(|page| page.locale != locale)
}

/// The links to the entries that a menu lists in a language: those with a page, by their names. Empty for what was reported.
pub(super) fn entries(
    entry: &MenuEntry,
    collections: &Collections,
    locale: &(usize, &Locale),
    all: &[Locale],
) -> Vec<LabeledLink> {
    let Some(of) = &entry.entries else {
        return Vec::new();
    };
    let Some(at) = collections.position(&of.value) else {
        return Vec::new();
    };
    let sort = entry.sort.iter().map(|field| field.value.clone()).collect();
    let order = Selection {
        sort,
        ..Selection::default()
    }
    .apply(collections, at, locale);
    let ids = order.into_iter().map(|entry| EntryId {
        collection: at,
        entry,
    });
    let link = |id: EntryId| LabeledLink {
        label: Words {
            text: collections.name(id, locale),
            lent_by: collections
                .lender_of_name(id, locale.0)
                .map(|at| all[at].code.clone()),
        },
        target: Target {
            to: format!("page:{}", collections.page_key(id)),
            span: of.span,
        },
    };
    ids.filter(|id| {
        collections
            .text(*id, locale.0)
            .is_some_and(|text| text.has_page)
    })
    .take(entry.limit.unwrap_or(usize::MAX))
    .map(link)
    .collect()
}
