//! Leads as text for a terminal.

use std::fmt::Write as _;

use api::clock;
use api::leads::{Delivery, DeliveryState, Lead};

/// One lead per line.
pub(super) fn list(leads: &[Lead]) -> String {
    let lines = leads.iter().map(|lead| {
        let contents = &lead.contents;
        let reach = if contents.email.is_empty() {
            &contents.phone
        } else {
            &contents.email
        };
        let time = clock::iso(lead.at);
        format!(
            "{}  {}Z  {:<11}  {}  <{}>  {}\n",
            lead.id,
            &time[..16],
            lead.status.name(),
            contents.name,
            reach,
            contents.topic()
        )
    });
    lines.collect()
}

/// All fields of a lead and its deliveries.
pub(super) fn lead(lead: &Lead, deliveries: &[Delivery]) -> String {
    let contents = &lead.contents;
    let mut text = String::new();
    let mut rows = vec![
        ("id", lead.id.clone()),
        ("received", clock::iso(lead.at)),
        ("language", lead.locale.clone()),
        ("status", lead.status.name().to_owned()),
        ("reason", lead.reason.clone().unwrap_or_default()),
        ("form", contents.form.clone()),
        ("version", contents.version.clone()),
        ("page", contents.page.clone()),
        ("mail to", contents.mail_to.clone().unwrap_or_default()),
    ];
    rows.extend(
        contents
            .fields()
            .map(|(name, text)| (contents.label(name, None, ""), text)),
    );
    let agreed = contents.consents.iter();
    rows.extend(agreed.map(|(name, given)| {
        (
            name.as_str(),
            given.words.as_ref().unwrap_or(&given.hash).clone(),
        )
    }));
    rows.extend(
        contents
            .visits_consent
            .iter()
            .map(|given| ("visits consent", given.text())),
    );
    if let Some(visit) = &contents.visit {
        let of_visit = [
            ("first page", &visit.entry),
            ("referrer", &visit.referrer),
            ("build", &visit.build),
        ];
        rows.extend(of_visit.map(|(label, value)| (label, value.clone())));
        rows.extend(
            visit
                .campaign
                .iter()
                .map(|(name, value)| (name.as_str(), value.clone())),
        );
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
    let tried = if delivery.attempts == 1 {
        "once".to_owned()
    } else {
        format!("{} times", delivery.attempts)
    };
    let trouble = delivery
        .trouble
        .as_ref()
        .map(|why| format!("; last error: {why}"))
        .unwrap_or_default();
    match delivery.state {
        DeliveryState::Done => format!("delivered, tried {tried}"),
        DeliveryState::Due(at) => {
            format!("next attempt at {}, tried {tried}{trouble}", clock::iso(at))
        }
        DeliveryState::Dead => format!("abandoned, tried {tried}{trouble}"),
    }
}
