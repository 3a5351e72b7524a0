//! The props of the island `lead-form`, without its interface texts.

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use crate::assets::{IconStyle, Manifest};
use api_types::islands::props::{AppKind, Captcha, LeadChoice, LeadService, LeadSteps, Link, StepWords};
use api_types::leads::{ELAPSED, HONEYPOT, KEY_HEADER, LIMITS, LeadLimits, SIGNALS_HEADER};
use diagnostics::problem::{Problem, Problems};
use diagnostics::yaml::Spanned;
use site::model::{Field, Site};

use super::values::Values;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LeadFormContext {
    choices: Vec<LeadChoice>,
    app_types: Vec<AppKind>,
    steps: LeadSteps,
    limits: LeadLimits,
    api: String,
    locale: String,
    key_header: &'static str,
    signals_header: &'static str,
    honeypot: &'static str,
    elapsed: &'static str,
    captcha: Captcha,
    is_brisk: bool,
    home: Link,
    privacy: String,
    email: Option<String>,
    phone: Option<String>,
    drawing: Option<String>,
}

/// The generated fields of the section with the form.
pub(super) fn form(values: &Values, fields: &Field) -> Vec<(String, Value)> {
    let locale = &values.site.locales[values.locale];
    let settings = values.settings;
    let language = values.site.lead_form.languages.get(&locale.code);
    let Some(language) = language else {
        return vec![("form".into(), Value::from(()))];
    };
    let icon = |name: &Spanned<String>| icon(values.manifest, name).map(|svg| svg.to_string()).unwrap_or_default();
    let link = |to: &str| {
        let href = values.link(to);
        Link { href: href.href, external: href.external, hreflang: href.hreflang }
    };
    let choices = language.choices.iter().map(|choice| LeadChoice {
        id: choice.id.clone(),
        icon: icon(&choice.icon),
        title: choice.title.clone(),
        text: choice.text.clone(),
        services: choice
            .services
            .iter()
            .map(|service| LeadService {
                id: service.id.clone(),
                icon: icon(&service.icon),
                title: service.title.clone(),
                request: service.request.clone(),
                description: service.description.clone(),
                details: service.has_details_page.then(|| link(&service.link.to)),
                hashes: service.hashes.clone(),
            })
            .collect(),
    });
    let step = |words: &site::content::lead_form::StepWords| StepWords {
        label: words.label.clone(),
        title: words.title.clone(),
        text: words.text.clone(),
    };
    let form = LeadFormContext {
        choices: choices.collect(),
        app_types: language.app_types.iter().map(|(id, name)| AppKind { id: id.clone(), name: name.clone() }).collect(),
        steps: LeadSteps {
            choice: step(&language.steps.choice),
            service: step(&language.steps.service),
            contact: step(&language.steps.contact),
            project: step(&language.steps.project),
            success: step(&language.steps.success),
        },
        limits: LIMITS,
        api: settings.api_href("/api/leads"),
        locale: locale.code.clone(),
        key_header: KEY_HEADER,
        signals_header: SIGNALS_HEADER,
        honeypot: HONEYPOT,
        elapsed: ELAPSED,
        captcha: super::forms::captcha(values),
        // The transitions between steps are slower in the first language.
        is_brisk: values.locale > 0,
        home: Link {
            href: settings.href(&values.routes.home(values.site, values.locale)),
            external: false,
            hreflang: None,
        },
        privacy: match fields.get("privacy") {
            Some(Field::Rich(rich)) => values.html(rich),
            _ => String::new(),
        },
        email: settings.company.email.clone(),
        phone: settings.company.phone.clone(),
        drawing: values.site.brand.success.as_ref().map(|art| art.svg.clone()),
    };
    vec![("form".into(), Value::from(Serde(form)))]
}

fn icon(manifest: &Manifest, name: &Spanned<String>) -> Result<std::sync::Arc<str>, Problem> {
    manifest.icons.svg(&name.value, IconStyle::Regular)
}

/// Reports icons of the form that the set does not have.
pub(super) fn check(site: &Site, manifest: &Manifest) -> Problems {
    let mut problems = Problems::new();
    // All languages have the same icons.
    let (Some(language), Some(source)) = (site.lead_form.languages.values().next(), &site.lead_form.source) else {
        return problems;
    };
    let of_services = language.choices.iter().flat_map(|choice| &choice.services).map(|service| &service.icon);
    for name in language.choices.iter().map(|choice| &choice.icon).chain(of_services) {
        if let Err(problem) = icon(manifest, name) {
            problems.push(problem.at(source.place(name.span)));
        }
    }
    problems
}
