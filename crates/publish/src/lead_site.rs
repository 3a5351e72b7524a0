//! Makes `leads.json` for the API: the rules of the site's owner, the error messages, the address of the thank-you page,
//! and the HTML of the form page, which the API fills in for visitors without script. It is published with the pages, in
//! one transaction.

use std::path::{Path, PathBuf};

use api_types::forms::Form;
use api_types::html::escape;
use api_types::lead_site::{LeadLocale, LeadRules, LeadSite};
use api_types::leads::LeadErrorCode;
use config::{Config, Unverified, WithoutScript};
use diagnostics::problem::{Code, Problem, Problems};
use languages::locale::{Locale, lead_error_key};
use site::model::forms::{Form as SiteForm, mistakes};
use site::model::{Page, Site};
use site::routes::Routes;
use workspace::sources::{self, Hash};

use super::form_mails::FormMails;

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
        let is_public = |key: &str| site.pages.iter().any(|page| page.key == key);
        if is_public(&key.value) {
            continue;
        }
        if let Some(absent) = site.absent.of_key(&key.value, 0) {
            let message = format!(
                "the page `{}` of `leads.{name}` {}",
                key.value, absent.reason
            );
            let place = config.site.source.place(key.span);
            let hint = "name another page, or change the dates of this one";
            problems.push(
                Problem::warning(Code::DeadLink, message)
                    .at(place)
                    .hint(hint),
            );
        } else {
            let message = format!(
                "`leads.{name}` names the page `{}`, which does not exist",
                key.value
            );
            let place = config.site.source.place(key.span);
            let hint = "write the name of a folder below `content/pages/`";
            problems.push(Problem::error(Code::DeadLink, message).at(place).hint(hint));
        }
    }
    problems
}

/// The forms with an address of their own that visitors can see. One that is sent by `POST /api/leads` has none.
fn own_forms(site: &Site) -> impl Iterator<Item = &SiteForm> {
    site.forms
        .list
        .iter()
        .filter(|form| form.declaration.call.is_none() && !form.is_early)
}

/// The page with the lead form in each language, and a page with each form of the site, by their index in `Site::pages`.
pub fn form_pages<'a>(config: &'a Config, site: &'a Site) -> impl Iterator<Item = usize> + 'a {
    let key = config
        .site
        .leads
        .form
        .as_ref()
        .map(|key| key.value.as_str());
    let pages = site
        .pages
        .iter()
        .enumerate()
        .filter(move |(_, page)| Some(page.key.as_str()) == key);
    let of_forms = own_forms(site).flat_map(|form| form.pages.iter().flatten().copied());
    pages.map(|(index, _)| index).chain(of_forms)
}

/// The bytes of the file. `html` returns the HTML of a page.
pub fn text(
    config: &Config,
    site: &Site,
    routes: &Routes,
    html: &dyn Fn(&Page) -> Option<String>,
) -> Vec<u8> {
    let leads = &config.site.leads;
    let forms: Vec<Form> = own_forms(site)
        .map(|form| of_form(config, site, routes, form, html))
        .collect();
    let lead_site = LeadSite {
        version: LeadSite::version_of(leads.captcha.provider, &forms),
        base_url: config.site.base_url().to_owned(),
        hosts: config.site.hosts().languages.to_vec(),
        api_url: Some(config.site.api_url())
            .filter(|url| !url.is_empty())
            .map(str::to_owned),
        locales: site
            .locales
            .iter()
            .map(|locale| of_locale(config, site, locale, html))
            .collect(),
        timezone: Some(config.site.timezone.name())
            .filter(|zone| *zone != "UTC")
            .unwrap_or_default()
            .to_owned(),
        rules: LeadRules {
            refuse_without_script: leads.without_script == WithoutScript::Refuse,
            refuse_unverified: leads.unverified == Unverified::Refuse,
            keep_days: leads.keep_days,
            campaigns: leads.campaign_names(),
            uploads: leads.uploads().map(str::to_owned),
            captcha: leads.captcha.provider,
        },
        forms,
    };
    // A struct of strings always serializes.
    let mut text = serde_json::to_vec_pretty(&lead_site).unwrap_or_default();
    text.push(b'\n');
    text
}

/// The file that the last build wrote; `None` if there is none, or another format.
pub fn last(config: &Config) -> Option<LeadSite> {
    api_types::lead_site::read(&path(&config.paths.out)).ok()
}

/// The HTML of a page that has not changed since the file was written, if the file has it: `hash` is the page's.
pub fn html_in(last: &LeadSite, config: &Config, page: &Page, hash: Hash) -> Option<String> {
    let of_lead_form = last
        .locales
        .iter()
        .filter(|locale| locale.code == page.locale);
    let of_forms = last
        .forms
        .iter()
        .filter_map(|form| form.languages.get(&page.locale)?.page.as_ref());
    let mut pages = of_lead_form
        .filter_map(|locale| locale.form.as_ref())
        .chain(of_forms);
    pages.find_map(|known| {
        let html = match base_tag(config, page) {
            Some(tag) => known.replacen(&tag, HEAD, 1),
            None => known.clone(),
        };
        (sources::hash(html.as_bytes()) == hash).then_some(html)
    })
}

/// The pages of an API on another host load styles from the site, and link and redirect to it.
fn base<'a>(config: &'a Config, page: &Page) -> &'a str {
    if is_own_host(config) {
        config.site.base_path()
    } else {
        config.site.hosts().of_path(&page.path)
    }
}

fn is_own_host(config: &Config) -> bool {
    config.site.api_url().is_empty()
}

/// The tags in place of [`HEAD`] in the page of an API on another host.
fn base_tag(config: &Config, page: &Page) -> Option<String> {
    (!is_own_host(config)).then(|| {
        format!(
            "{HEAD}<base href=\"{}\">",
            escape(&format!("{}{}", base(config, page), page.path.value))
        )
    })
}

/// A form as the API needs it, with a page that shows it in each language.
fn of_form(
    config: &Config,
    site: &Site,
    routes: &Routes,
    form: &SiteForm,
    html: &dyn Fn(&Page) -> Option<String>,
) -> Form {
    let mut contract = form.contract.clone();
    for (index, (locale, shown)) in site.locales.iter().zip(&form.pages).enumerate() {
        let Some(language) = contract.languages.get_mut(&locale.code) else {
            continue;
        };
        if let Some(text) = &form.texts[index] {
            for field in &contract.fields {
                let label = text.text(&["fields", &field.name, "label"]);
                language
                    .labels
                    .extend(label.map(|label| (field.name.clone(), label)));
                let messages = mistakes(text, field, locale, &site.locales[0]);
                if !messages.is_empty() {
                    language.mistakes.insert(field.name.clone(), messages);
                }
            }
        }
        let mails = FormMails {
            site,
            routes,
            form,
            locale: (index, locale),
        };
        language.names = mails.names();
        language.answer = mails.answer();
        language.confirm = mails.confirm();
        let page = shown.map(|index| &site.pages[index]);
        language.page = page.and_then(|page| Some(with_base(config, page, &html(page)?)));
        let thanks = form.declaration.thanks.as_ref();
        language.thanks = thanks.and_then(|key| {
            let page = site
                .pages
                .iter()
                .find(|page| page.key == key.value && page.locale == locale.code)?;
            Some(format!("{}{}", base(config, page), page.path.value))
        });
    }
    contract
}

/// The HTML of a page as the API answers with it.
fn with_base(config: &Config, page: &Page, html: &str) -> String {
    base_tag(config, page).map_or_else(|| html.to_owned(), |tag| html.replacen(HEAD, &tag, 1))
}

fn of_locale(
    config: &Config,
    site: &Site,
    locale: &Locale,
    html: &dyn Fn(&Page) -> Option<String>,
) -> LeadLocale {
    let [form, thanks] = [&config.site.leads.form, &config.site.leads.thanks].map(|key| {
        let key = key.as_ref()?;
        site.pages
            .iter()
            .find(|page| page.key == key.value && page.locale == locale.code)
    });
    let errors = LeadErrorCode::ALL.iter().filter_map(|code| {
        let message = locale.messages.get(&lead_error_key(*code))?;
        Some((code.name().to_owned(), message.value.clone()))
    });
    let form = form.and_then(|page| {
        let text = html(page).filter(|text| text.contains(MARK))?;
        Some(with_base(config, page, &text))
    });
    LeadLocale {
        code: locale.code.clone(),
        errors: errors.collect(),
        form,
        thanks: thanks.map(|page| format!("{}{}", base(config, page), page.path.value)),
    }
}
