//! Counts leads by what is known of them: `sitegen leads report --by form,locale`.

use std::collections::BTreeMap;

use clap::ValueEnum;
use serde_json::{Value, json};

use api::clock;
use api::leads::{Lead, csv};

/// The columns that leads are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum By {
    /// The form; empty for the lead form.
    Form,
    /// The path of the page with the form.
    Page,
    /// The language of the page.
    Locale,
    /// The verification status.
    Status,
    /// The first page of the visit.
    Entry,
    /// The host that linked to the first page.
    Referrer,
    /// The campaign's parameters.
    Campaign,
    /// The version of the form: it changes with its fields and consent texts.
    Version,
    /// The build of the site that was online at the time.
    Build,
    /// The month in which the lead was received, in UTC.
    Month,
}

impl By {
    fn name(self) -> &'static str {
        match self {
            By::Form => "form",
            By::Page => "page",
            By::Locale => "locale",
            By::Status => "status",
            By::Entry => "entry",
            By::Referrer => "referrer",
            By::Campaign => "campaign",
            By::Version => "version",
            By::Build => "build",
            By::Month => "month",
        }
    }

    fn value(self, lead: &Lead) -> String {
        let contents = &lead.contents;
        let visit = contents.visit.as_ref();
        match self {
            By::Form => contents.form.clone(),
            By::Page => contents.page.clone(),
            By::Locale => lead.locale.clone(),
            By::Status => lead.status.name().to_owned(),
            By::Entry => visit.map(|visit| visit.entry.clone()).unwrap_or_default(),
            By::Referrer => visit
                .map(|visit| visit.referrer.clone())
                .unwrap_or_default(),
            By::Campaign => visit
                .map(api::leads::Visit::campaign_text)
                .unwrap_or_default(),
            By::Version => contents.version.clone(),
            By::Build => visit.map(|visit| visit.build.clone()).unwrap_or_default(),
            By::Month => clock::iso(lead.at)[..7].to_owned(),
        }
    }
}

/// The counts, greatest first, and the values that they are of.
pub(super) fn counts(leads: &[Lead], by: &[By]) -> Vec<(usize, Vec<String>)> {
    let mut counts: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for lead in leads {
        *counts
            .entry(by.iter().map(|by| by.value(lead)).collect())
            .or_default() += 1;
    }
    let mut counts: Vec<(usize, Vec<String>)> = counts
        .into_iter()
        .map(|(values, count)| (count, values))
        .collect();
    counts.sort_by(|(a, _), (b, _)| b.cmp(a));
    counts
}

/// One line for each count.
pub(super) fn text(counts: &[(usize, Vec<String>)]) -> String {
    let lines = counts.iter().map(|(count, values)| {
        let values: Vec<&str> = values
            .iter()
            .map(|value| if value.is_empty() { "-" } else { value })
            .collect();
        format!("{count:>7}  {}\n", values.join("  "))
    });
    lines.collect()
}

/// A table for spreadsheets.
pub(super) fn csv(counts: &[(usize, Vec<String>)], by: &[By]) -> String {
    let head: String = by.iter().flat_map(|by| [",", by.name()]).collect();
    let rows = counts.iter().map(|(count, values)| {
        let cells: String = values
            .iter()
            .flat_map(|value| [",".to_owned(), csv::cell(value)])
            .collect();
        format!("{count}{cells}\r\n")
    });
    format!("\u{feff}count{head}\r\n{}", rows.collect::<String>())
}

/// A list of objects, with `count` and the values by name.
pub(super) fn json(counts: &[(usize, Vec<String>)], by: &[By]) -> Value {
    let objects = counts.iter().map(|(count, values)| {
        let mut object = json!({ "count": count });
        for (by, value) in by.iter().zip(values) {
            object[by.name()] = value.as_str().into();
        }
        object
    });
    objects.collect()
}
