//! Leads as text for a terminal.

use std::fmt::Write as _;

use api::clock;
use api::leads::{Delivery, DeliveryState, Lead};

/// One lead per line.
pub(super) fn list(leads: &[Lead]) -> String {
    let lines = leads.iter().map(|lead| {
        let contents = &lead.contents;
        let reach = if contents.email.is_empty() { &contents.phone } else { &contents.email };
        let time = clock::iso(lead.at);
        format!(
            "{}  {}Z  {:<11}  {}  <{}>  {}\n",
            lead.id,
            &time[..16],
            lead.status.name(),
            contents.name,
            reach,
            contents.form_name().unwrap_or(&contents.project_type)
        )
    });
    lines.collect()
}

/// All fields of a lead and its deliveries.
pub(super) fn lead(lead: &Lead, deliveries: &[Delivery]) -> String {
    let empty = String::new();
    let contents = &lead.contents;
    let received = clock::iso(lead.at);
    let status = lead.status.name().to_owned();
    let rows = [
        ("id", &lead.id),
        ("received", &received),
        ("language", &lead.locale),
        ("status", &status),
        ("reason", lead.reason.as_ref().unwrap_or(&empty)),
        ("name", &contents.name),
        ("email", &contents.email),
        ("phone", &contents.phone),
        ("company", &contents.company),
        ("position", &contents.position),
        ("service", &contents.project_type),
        ("app", contents.app_name.as_ref().unwrap_or(&empty)),
        ("app type", contents.app_type.as_ref().unwrap_or(&empty)),
        ("app description", contents.app_description.as_ref().unwrap_or(&empty)),
        ("message", &contents.message),
    ];
    let mut text = String::new();
    let mut rows: Vec<(&str, String)> = rows.into_iter().map(|(label, value)| (label, value.clone())).collect();
    if let Some(form) = &contents.form {
        // Name, address and number are among the answers.
        rows.retain(|(label, _)| !matches!(*label, "name" | "email" | "phone"));
        rows.extend([("form", form.form.clone()), ("version", form.version.clone()), ("page", form.page.clone())]);
        rows.extend(form.mail_to.iter().map(|address| ("mail to", address.clone())));
        rows.extend(form.texts());
        let agreed = form.consents.iter();
        rows.extend(agreed.map(|(name, given)| (name.as_str(), given.words.as_ref().unwrap_or(&given.hash).clone())));
    }
    rows.extend(contents.visits_consent.iter().map(|given| ("visits consent", given.text())));
    if let Some(visit) = &contents.visit {
        let of_visit = [("first page", &visit.entry), ("referrer", &visit.referrer), ("build", &visit.build)];
        rows.extend(of_visit.map(|(label, value)| (label, value.clone())));
        rows.extend(visit.campaign.iter().map(|(name, value)| (name.as_str(), value.clone())));
    }
    for (label, value) in rows.into_iter().filter(|(_, value)| !value.is_empty()) {
        let value = value.replace('\n', &format!("\n{:17}", ""));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{label:<15}  {value}");
    }
    for delivery in deliveries {
        let _ = writeln!(text, "{:<15}  {}", delivery.channel.name(), state(delivery));
    }
    text
}

fn state(delivery: &Delivery) -> String {
    let tried = if delivery.attempts == 1 { "once".to_owned() } else { format!("{} times", delivery.attempts) };
    let trouble = delivery.trouble.as_ref().map(|why| format!("; the last time: {why}")).unwrap_or_default();
    match delivery.state {
        DeliveryState::Done => format!("delivered, tried {tried}"),
        DeliveryState::Due(at) => format!("will be tried at {}, tried {tried}{trouble}", clock::iso(at)),
        DeliveryState::Dead => format!("given up, tried {tried}{trouble}"),
    }
}
