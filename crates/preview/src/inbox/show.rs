//! Leads as values for the templates of the inbox.

use minijinja::{Value, context};

use api::clock;
use api::leads::{Delivery, DescribedFile, Lead, Listed};
use api_types::forms::Form;
use api_types::lead_site::LeadSite;

use super::words::Language;

/// Characters of the text of a lead in a list.
const EXCERPT: usize = 160;

/// A time such as `2027-01-31 09:30 CET`, and for programs.
fn time(at: clock::Millis, zone: &str) -> Value {
    context! { iso => clock::iso(at), shown => clock::local(at, zone, "%Y-%m-%d %H:%M %Z") }
}

/// The name of a form; that of the lead form is in the language.
fn form(lead: &Lead, language: Language) -> String {
    let name = &lead.contents.form;
    if name.is_empty() {
        language.say("lead_form").to_owned()
    } else {
        name.clone()
    }
}

/// The title of a lead: the visitor's name, or how to reach them.
pub(super) fn title(lead: &Lead, language: Language) -> String {
    let contents = &lead.contents;
    let known = [&contents.name, &contents.email, &contents.phone];
    let found = known.into_iter().find(|text| !text.trim().is_empty());
    found.map_or_else(
        || language.say("without_name").to_owned(),
        |text| one_line(text, EXCERPT),
    )
}

/// A text on one line, cut after so many characters.
fn one_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        line
    } else {
        line.chars().take(most).chain(['…']).collect()
    }
}

/// The form of a lead as the site has it now, and the main language of the site.
fn form_of<'a>(lead: &Lead, site: Option<&'a LeadSite>) -> (Option<&'a Form>, &'a str) {
    let known = site.and_then(|site| {
        Some((
            site.form(&lead.contents.form)?,
            site.locales.first()?.code.as_str(),
        ))
    });
    known.map_or((None, ""), |(form, locale)| (Some(form), locale))
}

/// A line of a list, with choices and entries as their form names them.
pub(super) fn line(listed: &Listed, language: Language, site: Option<&LeadSite>) -> Value {
    let Listed { lead, is_read } = listed;
    let zone = site.map_or("UTC", |site| site.timezone.as_str());
    let title = title(lead, language);
    let (form_of_site, locale) = form_of(lead, site);
    let mut texts: Vec<String> = Vec::new();
    for (_, text) in lead.contents.fields_in(form_of_site, locale) {
        if !text.is_empty() && text != title && !texts.contains(&text) {
            texts.push(text);
        }
    }
    context! {
        id => &lead.id, title => title, is_read => is_read, time => time(lead.at, zone), form => form(lead, language),
        status => lead.status.name(), status_word => language.say(lead.status.name()), is_held => lead.status.is_held(),
        locale => &lead.locale, excerpt => one_line(&texts.join(" · "), EXCERPT),
    }
}

/// A label and a value; empty values are left out.
fn rows(rows: Vec<(&str, String)>) -> Vec<Value> {
    let filled = rows
        .into_iter()
        .filter(|(_, value)| !value.trim().is_empty());
    filled
        .map(|(label, value)| context! { label => label, value => value })
        .collect()
}

/// Everything about a lead, for its page. Fields have their labels in the main language of the site.
pub(super) fn lead(
    lead: &Lead,
    is_read: bool,
    deliveries: &[Delivery],
    to: Language,
    site: Option<&LeadSite>,
) -> Value {
    let contents = &lead.contents;
    let zone = site.map_or("UTC", |site| site.timezone.as_str());
    let (site_form, locale) = form_of(lead, site);
    let answers = contents.fields_in(site_form, locale).map(|(name, text)| {
        let label = site_form.and_then(|form| form.label(name, locale));
        (
            label.unwrap_or_else(|| {
                if contents.form.is_empty() {
                    to.say(name)
                } else {
                    name
                }
            }),
            text,
        )
    });
    let answers = answers.collect();
    let known = vec![
        (to.say("form"), form(lead, to)),
        (to.say("page_language"), lead.locale.clone()),
        (to.say("reason"), lead.reason.clone().unwrap_or_default()),
        (to.say("page"), contents.page.clone()),
        (to.say("version"), contents.version.clone()),
        (
            to.say("mail_to"),
            contents.mail_to.clone().unwrap_or_default(),
        ),
        (to.say("id"), lead.id.clone()),
    ];
    let consents = contents.consents.iter().map(|(name, given)| {
        let words = given.words.clone();
        (
            name.as_str(),
            words.unwrap_or_else(|| format!("{} {}", to.say("words_changed"), given.hash)),
        )
    });
    let mut consents: Vec<(&str, String)> = consents.collect();
    consents.extend(
        contents
            .visits_consent
            .iter()
            .map(|given| (to.say("visits_consent"), given.text())),
    );
    let mut visit = Vec::new();
    if let Some(found) = &contents.visit {
        visit.push((to.say("first_page"), found.entry.clone()));
        visit.push((to.say("referrer"), found.referrer.clone()));
        visit.extend(
            found
                .campaign
                .iter()
                .map(|(name, value)| (name.as_str(), value.clone())),
        );
        visit.push((to.say("build"), found.build.clone()));
    }
    context! {
        id => &lead.id, title => title(lead, to), is_read => is_read, time => time(lead.at, zone),
        status => lead.status.name(), status_word => to.say(lead.status.name()),
        is_held => lead.status.is_held(), email => &contents.email,
        answers => rows(answers), known => rows(known), consents => rows(consents), visit => rows(visit),
        deliveries => deliveries.iter().map(|one| delivery(one, to, zone)).collect::<Vec<_>>(),
        files => contents.files().enumerate().map(|(at, one)| file(at, &one)).collect::<Vec<_>>(),
    }
}

fn delivery(delivery: &Delivery, language: Language, zone: &str) -> Value {
    let state = delivery.state.name();
    context! {
        channel => language.say(delivery.channel.name()), state => state, state_word => language.say(state),
        next => delivery.state.next().map(|at| time(at, zone)), attempts => delivery.attempts, trouble => &delivery.trouble,
    }
}

fn file(at: usize, file: &DescribedFile) -> Value {
    context! { number => at + 1, field => file.field, name => file.name, kind => file.kind, size => size(file.size) }
}

/// A size as people write it.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}
