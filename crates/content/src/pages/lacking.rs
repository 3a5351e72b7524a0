//! Pages that one language lacks and others have, although neither the page nor `fallback` says that this is meant.

use std::collections::{BTreeMap, BTreeSet};

use config::Config;
use diagnostics::problem::{Code, Place, Problem, Problems};
use schema::types::composed;

use super::{LoadedPages, PageFile};

/// How many pages a message names.
const NAMED: usize = 3;

/// Warns, once for each language, of pages that it lacks and several others have. A page in one language is meant for that one,
/// and a language with a fallback is still growing: `sitegen translations` lists what these lack.
pub(crate) fn check(config: &Config, pages: &LoadedPages) -> Problems {
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let public = pages.public.iter().map(|page| (&page.key, &page.locale));
    let broken = pages.broken.iter().map(|page| (&page.key, &page.locale));
    let withdrawn = pages.withdrawn.iter().map(|page| (&page.key, &page.locale));
    for (key, locale) in public.chain(broken).chain(withdrawn) {
        known.entry(key).or_default().insert(locale);
    }
    let alone: BTreeSet<&str> = pages
        .public
        .iter()
        .filter(|page| page.head.untranslated)
        .map(|page| page.key.as_str())
        .collect();
    let mut problems = Problems::new();
    for code in config.site.locales.iter().map(|code| code.value.as_str()) {
        if config.site.fallback.contains_key(code) {
            continue;
        }
        let home = format!("{}/", config.site.prefix(code));
        // Without a home page, a language is not there at all, which is reported.
        if !pages
            .public
            .iter()
            .any(|page| page.locale == code && page.head.path.value == home)
        {
            continue;
        }
        let lacking: Vec<&PageFile> = known
            .iter()
            .filter(|(key, locales)| {
                locales.len() > 1 && !locales.contains(code) && !alone.contains(*key)
            })
            .filter_map(|(key, _)| {
                pages
                    .public
                    .iter()
                    .find(|page| composed(&page.key) == **key)
            })
            .collect();
        let Some(first) = lacking.first() else {
            continue;
        };
        let named: Vec<String> = lacking
            .iter()
            .take(NAMED)
            .map(|page| format!("`{}`", page.key))
            .collect();
        let message = match (lacking.len(), lacking.len() - named.len()) {
            (1, _) => format!("the page `{}` is missing in `{code}`", first.key),
            (count, 0) => format!(
                "{count} pages are missing in `{code}`: {}",
                named.join(", ")
            ),
            (count, rest) => format!(
                "{count} pages are missing in `{code}`: {} and {rest} more",
                named.join(", ")
            ),
        };
        let hint = format!(
            "add `content/pages/{}/{code}.yaml`, or write `untranslated: true` in a page that is only for other languages",
            first.key
        );
        let place = Place::file(first.source.paths().next().unwrap_or_default().to_owned());
        problems.push(
            Problem::warning(Code::TranslationMissing, message)
                .at(place)
                .hint(hint),
        );
    }
    problems
}
