//! The value `form` of a section `kind: form`: all that a template, or the island of the theme, needs to show the form and to
//! send it. Interface texts are added by the island; a template of the site asks for those that it shows.

mod controls;

use std::collections::BTreeMap;

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use api_types::captcha::{CHALLENGE_PATH, CaptchaProvider};
use api_types::forms as contract;
use api_types::islands::props::{Captcha, FormConsent, FormControl, FormEndpoint, FormStep};
use api_types::leads::{KEY_HEADER, LeadErrorCode, SIGNALS_HEADER};
use content::forms::Call;
use content::sections::SectionRole;
use languages::locale::{Locale, Word, lead_error_key};
use site::model::collections::plain;
use site::model::forms::{FormText, anchor};
use site::model::{Field, Page, Site};

use super::lent;
use super::values::Values;

pub(super) use controls::check;

/// The errors that a browser finds by itself.
const FOUND: &[LeadErrorCode] = &[
    LeadErrorCode::Required,
    LeadErrorCode::OneRequired,
    LeadErrorCode::InvalidEmail,
    LeadErrorCode::InvalidValue,
    LeadErrorCode::OutOfRange,
    LeadErrorCode::CaptchaRequired,
    LeadErrorCode::TooLarge,
];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FormContext {
    name: String,
    id: String,
    action: String,
    #[serde(flatten)]
    endpoint: FormEndpoint,
    locale: String,
    page: String,
    version: String,
    fields: Vec<FormControl>,
    steps: Vec<FormStep>,
    draft: bool,
    summary: Vec<String>,
    is_brisk: bool,
    consents: Vec<FormConsent>,
    require_one_of: Vec<Vec<String>>,
    captcha: Option<Captcha>,
    submit: String,
    success_title: String,
    success_text: String,
    drawing: Option<String>,
    again: Option<String>,
    errors: BTreeMap<String, String>,
    key_header: &'static str,
    signals_header: &'static str,
    email: Option<String>,
    phone: Option<String>,
}

/// The captcha of a form.
pub(super) fn captcha(values: &Values) -> Captcha {
    let (settings, widget) = (values.settings, &values.settings.leads.captcha);
    let facts = widget.provider.facts();
    let is_own = widget.provider == CaptchaProvider::Altcha;
    Captcha {
        script: if is_own {
            settings.api_href(CHALLENGE_PATH)
        } else {
            widget.script()
        },
        interface: facts.interface.to_owned(),
        language_parameter: facts.language_parameter.to_owned(),
        site_key: widget.site_key.clone(),
        language: (values.locale > 0).then(|| values.site.locales[values.locale].language.clone()),
    }
}

/// Whether a page shows a form of the site of which something is so.
pub(super) fn any(site: &Site, page: &Page, is_so: impl Fn(&contract::Form) -> bool) -> bool {
    page.sections.iter().any(|section| match section.kind.role {
        SectionRole::Form => {
            let name = section.fields.get("form").and_then(plain);
            name.and_then(|name| site.forms.named(&name))
                .is_some_and(|form| is_so(&form.contract))
        }
        _ => false,
    })
}

/// The generated fields of the section with a form: the form, and the title and the introduction of the form where the
/// section has none.
pub(super) fn section(values: &Values, fields: &Field) -> Vec<(String, Value)> {
    let nothing = || {
        ["form", "form_words_in"]
            .map(|name| (name.to_owned(), Value::from(())))
            .into()
    };
    let (site, settings) = (values.site, values.settings);
    let locale = (values.locale, &site.locales[values.locale]);
    let Some(form) = fields
        .get("form")
        .and_then(plain)
        .and_then(|name| site.forms.named(&name))
    else {
        return nothing();
    };
    let Some(text) = &form.texts[values.locale] else {
        return nothing();
    };
    let contract = &form.contract;
    let shown = Shown {
        values,
        text,
        locale,
        contract,
        call: form.declaration.call.as_ref(),
    };
    let controls = form
        .declaration
        .fields
        .iter()
        .map(|field| controls::control(&shown, field));
    let html = |path: &[&str]| shown.html(text.at(path)).unwrap_or_default();
    let language = contract.languages.get(&locale.1.code);
    let consents = contract.consents.iter().filter_map(|name| {
        let hash = language?.consents.get(name)?.hash.clone();
        Some(FormConsent {
            name: name.clone(),
            html: inline(&html(&["consent", name])),
            hash,
        })
    });
    let message = |key: &str, otherwise: &str| {
        locale
            .1
            .word(key, &site.locales[0])
            .map_or_else(|| otherwise.to_owned(), str::to_owned)
    };
    let word = |word: Word, otherwise: &str| message(word.key(), otherwise);
    let of_files = [LeadErrorCode::UploadMissing]
        .into_iter()
        .filter(|_| contract.takes_files());
    let errors = FOUND.iter().copied().chain(of_files).map(|code| {
        (
            code.name().to_owned(),
            message(&lead_error_key(code), code.words()),
        )
    });
    let context = FormContext {
        name: contract.name.clone(),
        id: anchor(&contract.name),
        // The fragment leads to the form on the page that the API answers with. The call of leads has its address and no more.
        action: settings.api_href(&match form.declaration.call {
            Some(_) => "/api/leads".to_owned(),
            None => format!("/api/forms/{}#{}", contract.name, anchor(&contract.name)),
        }),
        endpoint: match form.declaration.call {
            Some(_) => FormEndpoint::Leads {
                message: text.text(&["message"]).unwrap_or_default(),
                keys: controls::keys(),
            },
            None => FormEndpoint::Forms {
                uploads: (contract.takes_files() && settings.leads.uploads.is_some())
                    .then(|| settings.api_href(&format!("/api/forms/{}/uploads", contract.name))),
            },
        },
        locale: locale.1.code.clone(),
        page: settings.href(&values.page.path.value),
        version: contract.version.clone(),
        fields: controls.collect(),
        steps: form
            .declaration
            .steps
            .iter()
            .enumerate()
            .map(|(at, step)| controls::step(&shown, at, step))
            .collect(),
        draft: form.declaration.draft,
        summary: form.declaration.summary.clone(),
        // The transitions between steps are slower in the first language.
        is_brisk: values.locale > 0,
        consents: consents.collect(),
        require_one_of: contract.require_one_of.clone(),
        captcha: contract.captcha.then(|| captcha(values)),
        submit: text
            .text(&["submit"])
            .unwrap_or_else(|| word(Word::Submit, "Submit")),
        success_title: text
            .text(&["success", "title"])
            .unwrap_or_else(|| word(Word::FormSent, "Thank you.")),
        success_text: html(&["success", "text"]),
        drawing: form
            .declaration
            .drawing
            .and(site.brand.success.as_ref())
            .map(|art| art.svg.clone()),
        again: text.text(&["success", "again"]),
        errors: errors.collect(),
        key_header: KEY_HEADER,
        signals_header: SIGNALS_HEADER,
        email: settings.company.email.clone(),
        phone: settings.company.phone.clone(),
    };
    // A form that is filled in from the address, or from what was entered before, does not wait for the visitor.
    let is_filled_in = form.declaration.draft
        || form
            .declaration
            .fields
            .iter()
            .any(|field| field.from_query.is_some() || !field.anchors.is_empty());
    let hydrate = if is_filled_in { "load" } else { "interaction" };
    let mut generated = vec![
        ("form".to_owned(), Value::from(Serde(context))),
        ("hydrate".to_owned(), Value::from(hydrate)),
    ];
    let lent_by = site
        .locales
        .iter()
        .position(|other| other.code == text.words_in)
        .filter(|at| *at != values.locale);
    generated.push((
        "form_words_in".to_owned(),
        lent::tongue(lent_by, &site.locales),
    ));
    for (name, of_form) in [("title", "title"), ("intro", "lead")] {
        if is_none(fields.get(name)) {
            let words = text
                .at(&[of_form])
                .map(|words| lent::value(values.field(words), lent_by));
            generated.extend(words.map(|words| (name.to_owned(), words)));
        }
    }
    generated
}

/// The inputs for the parts of a form: the page, and the texts of the form in its language.
struct Shown<'a> {
    values: &'a Values<'a>,
    text: &'a FormText,
    locale: (usize, &'a Locale),
    contract: &'a contract::Form,
    /// The call that sends the form, if it has no address of its own.
    call: Option<&'a Call>,
}

impl Shown<'_> {
    /// Rendered Markdown as HTML.
    fn html(&self, field: Option<&Field>) -> Option<String> {
        match field {
            Some(Field::Rich(rich)) => Some(self.values.html(rich)),
            _ => None,
        }
    }
}

fn is_none(field: Option<&Field>) -> bool {
    matches!(field, None | Some(Field::None))
}

/// A single paragraph without its element, for a label.
fn inline(html: &str) -> String {
    let text = html.trim();
    let inside = text
        .strip_prefix("<p>")
        .and_then(|rest| rest.strip_suffix("</p>"));
    inside
        .filter(|inside| !inside.contains("<p>"))
        .unwrap_or(text)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_becomes_the_text_of_a_label() {
        assert_eq!(inline("<p>I <b>agree</b>.</p>\n"), "I <b>agree</b>.");
        assert_eq!(inline("<p>a</p><p>b</p>"), "<p>a</p><p>b</p>");
    }
}
