//! The style sheets of languages, `templates/styles/languages/<code>.css`: fonts and rules that only pages in one language
//! need, and load. `zh.css` is for `zh-Hans` and `zh-Hant`, `zh-Hans.css` for one of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::output::{Output, short_hash};
use config::{Config, SiteSettings};
use content::Design;
use diagnostics::problem::{Code, Place, Problem, Problems, did_you_mean};
use workspace::files;

use super::FOLDER;

/// Where the sheets are below `templates/`, and how their names begin among the bundled sheets.
pub(super) const LANGUAGES: &str = "styles/languages/";

/// The sheets of languages by their names, which begin with [`LANGUAGES`], and their paths.
pub(super) fn entries(config: &Config) -> Vec<(String, String)> {
    let root = config.paths.theme_root();
    // A file that cannot be read is a problem of the templates.
    let (paths, _) = root.list(&root.join("templates").join(LANGUAGES));
    paths
        .iter()
        .filter_map(|path| {
            let path = files::shown(&root, path);
            let name = path
                .strip_prefix("templates/")?
                .strip_suffix(".css")?
                .to_owned();
            Some((path, name))
        })
        .collect()
}

/// The languages of the site, also those that are not public.
pub(super) fn codes(site: &SiteSettings) -> impl Iterator<Item = &str> {
    site.locales
        .iter()
        .map(|code| code.value.as_str())
        .chain(site.withheld.iter().map(String::as_str))
}

/// Reports sheets of the site for languages that it has not. The theme has sheets for many.
pub(super) fn check(config: &Config, problems: &mut Problems) {
    let site = &config.site;
    for (path, name) in entries(config) {
        let code = name.trim_start_matches(LANGUAGES);
        let is_used = codes(site).any(|of_site| is_for(code, of_site));
        let is_of_theme = config.theme.get(&path).is_some();
        if !is_used
            && !is_of_theme
            && config.paths.theme.is_some()
            && config.paths.root.exists(&config.paths.root.join(&path))
        {
            let message =
                format!("the site has no language `{code}`, so nothing loads this style sheet");
            let problem = Problem::warning(Code::UnknownId, message).at(Place::file(path));
            problems.push(problem.maybe_hint(did_you_mean(code, codes(site))));
        }
    }
}

/// Whether the sheet of `zh` is one for `zh-Hans`. Codes are written in any case.
pub(super) fn is_for(sheet: &str, code: &str) -> bool {
    let start = code
        .get(..sheet.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(sheet));
    start && (code.len() == sheet.len() || code[sheet.len()..].starts_with('-'))
}

/// The published sheet of each language of the site that has one, by its code: of all sheets for it, the widest first.
pub(super) fn published(
    config: &Config,
    sheets: &BTreeMap<String, String>,
) -> BTreeMap<String, Output> {
    let of_languages = config.site.locales.iter().filter_map(|code| {
        let code = &code.value;
        // A name comes before those that begin with it.
        let own = sheets
            .iter()
            .filter_map(|(name, css)| Some((name.strip_prefix(LANGUAGES)?, css)));
        let css: String = own
            .filter(|(name, _)| is_for(name, code))
            .map(|(_, css)| css.as_str())
            .collect();
        (!css.is_empty()).then(|| {
            let path = format!(
                "{FOLDER}/{}-{}.css",
                code.to_ascii_lowercase(),
                short_hash(css.as_bytes())
            );
            (
                code.clone(),
                Output::bytes(path, Arc::new(css.into_bytes())),
            )
        })
    });
    of_languages.collect()
}

/// The addresses of the fonts that pages in each language preload: those of `preload_fonts` that one of their style sheets
/// loads. Takes the bundled files and sheets.
pub(super) fn preloads(
    config: &Config,
    design: &Design,
    files: &[Output],
    sheets: &BTreeMap<String, String>,
    problems: &mut Problems,
) -> BTreeMap<String, Vec<String>> {
    let fonts: Vec<&Output> = files
        .iter()
        .filter(|file| file.path.ends_with(".woff2"))
        .collect();
    let mut preloads: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for wanted in &design.preload_fonts {
        let Some(file) = fonts
            .iter()
            .find(|file| file.path.contains(&format!("/{}-", wanted.value)))
        else {
            let names = fonts.iter().filter_map(|file| file.path.rsplit('/').next());
            let stems: Vec<&str> = names
                .filter_map(|name| name.rsplit_once('-').map(|(stem, _)| stem))
                .collect();
            let message = format!("no style sheet loads a font file named `{}`", wanted.value);
            let problem =
                Problem::error(Code::InvalidValue, message).maybe_hint(did_you_mean(wanted, stems));
            problems.push(match &design.source {
                Some(source) => problem.at(source.place(wanted.span)),
                None => problem,
            });
            continue;
        };
        let address = config.site.href(&format!("/{}", file.path));
        let loaded_by: Vec<&str> = sheets
            .iter()
            .filter(|(_, css)| css.contains(&address))
            .map(|(name, _)| name.strip_prefix(LANGUAGES).unwrap_or_default())
            .collect();
        for code in &config.site.locales {
            if loaded_by
                .iter()
                .any(|sheet| sheet.is_empty() || is_for(sheet, code))
            {
                preloads
                    .entry(code.value.clone())
                    .or_default()
                    .push(address.clone());
            }
        }
    }
    preloads
}

#[cfg(test)]
mod tests {
    use super::is_for;

    #[test]
    fn a_sheet_is_for_its_language_and_those_below_it() {
        for (sheet, code, expect) in [
            ("zh", "zh-Hans", true),
            ("zh-hans", "zh-Hans", true),
            ("zh-Hant", "zh-Hans", false),
            ("zh-Hans", "zh", false),
            ("d", "de", false),
            ("de", "de", true),
        ] {
            assert_eq!(is_for(sheet, code), expect, "{sheet} {code}");
        }
    }
}
