//! Writes `leads.json` for the API: the rules of the site's owner, the error messages, the address of the thank-you
//! page, and the HTML of the form page, which the API fills in for visitors without script.

use std::path::{Path, PathBuf};

use crate::config::{Config, Unverified, WithoutScript};
use crate::locale::{Locale, lead_error_key};
use crate::model::{Page, Site};
use api_types::html::escape;
use api_types::lead_site::{LeadLocale, LeadRules, LeadSite, VERSION};
use api_types::leads::LeadErrorCode;
use diagnostics::problem::{Code, Problem, Problems};
use diagnostics::yaml::Spanned;

use super::out_failed;

/// The attribute of a form that can be submitted without script.
const MARK: &str = "data-lead-form";
/// The tag after which `<base>` is inserted.
const HEAD: &str = "<head>";

/// The path of the file: `leads.json` beside `dist`, `NAME-leads.json` beside an output folder of another name, because
/// two sites may have their output folders side by side.
pub fn path(out: &Path) -> PathBuf {
    match out.file_name().and_then(|name| name.to_str()) {
        Some("dist") | None => out.with_file_name("leads.json"),
        Some(name) => out.with_file_name(format!("{name}-leads.json")),
    }
}

/// Reports pages that `leads` in `site.yaml` names and that do not exist.
pub fn check(config: &Config, site: &Site) -> Problems {
    let mut problems = Problems::new();
    let leads = &config.site.leads;
    for (name, key) in [("form", &leads.form), ("thanks", &leads.thanks)] {
        let Some(key) = key else { continue };
        if !site.pages.iter().any(|page| page.key == key.value) {
            let message = format!("`leads.{name}` names the page `{}`, which does not exist", key.value);
            let place = config.site.source.place(key.span);
            let hint = "write the name of a folder below `content/pages/`";
            problems.push(Problem::error(Code::DeadLink, message).at(place).hint(hint));
        }
    }
    problems
}

/// Writes the file from the pages that were just published, by renaming a temporary file. A file with the same content
/// is not replaced.
pub fn write(config: &Config, site: &Site) -> Problems {
    let leads = &config.site.leads;
    let lead_site = LeadSite {
        version: VERSION,
        base_url: config.site.base_url().to_owned(),
        api_url: Some(config.site.api_url()).filter(|url| !url.is_empty()).map(str::to_owned),
        locales: site.locales.iter().map(|locale| of_locale(config, site, locale)).collect(),
        rules: LeadRules {
            refuse_without_script: leads.without_script == WithoutScript::Refuse,
            refuse_unverified: leads.unverified == Unverified::Refuse,
            keep_days: leads.keep_days,
        },
    };
    let path = path(&config.paths.out);
    // A struct of strings always serializes.
    let mut text = serde_json::to_vec_pretty(&lead_site).unwrap_or_default();
    text.push(b'\n');
    if std::fs::read(&path).is_ok_and(|existing| existing == text) {
        return Problems::new();
    }
    let temporary = path.with_extension("json.new");
    match fs_err::write(&temporary, text).and_then(|()| fs_err::rename(&temporary, &path)) {
        Ok(()) => Problems::new(),
        Err(error) => out_failed(&path, &error).into(),
    }
}

fn of_locale(config: &Config, site: &Site, locale: &Locale) -> LeadLocale {
    let page = |key: &Option<Spanned<String>>| -> Option<&Page> {
        let key = key.as_ref()?;
        site.pages.iter().find(|page| page.key == key.value && page.locale == locale.code)
    };
    let errors = LeadErrorCode::ALL.iter().filter_map(|code| {
        let message = locale.messages.get(&lead_error_key(*code))?;
        Some((code.name().to_owned(), message.value.clone()))
    });
    // The pages of an API on another host load styles from the site, and link and redirect to it.
    let is_own_host = config.site.api_url().is_empty();
    let base = if is_own_host { config.site.base_path() } else { config.site.base_url() };
    let form = page(&config.site.leads.form).and_then(|page| {
        let path = &page.path.value;
        let file = config.paths.out.join(path.trim_start_matches('/')).join("index.html");
        let text = std::fs::read_to_string(file).ok().filter(|text| text.contains(MARK))?;
        let base_tag = || format!("{HEAD}<base href=\"{}\">", escape(&format!("{base}{path}")));
        Some(if is_own_host { text } else { text.replacen(HEAD, &base_tag(), 1) })
    });
    LeadLocale {
        code: locale.code.clone(),
        errors: errors.collect(),
        form,
        thanks: page(&config.site.leads.thanks).map(|page| format!("{base}{}", page.path.value)),
    }
}
