//! Leads as CSV for a spreadsheet, escaped so that no cell is read as a formula.

use api_types::lead_site::LeadSite;
use api_types::leads::{key, keys};

use crate::clock;

use super::contents::{Contents, VisitsConsent};
use super::lead::Lead;

/// The columns that each lead has.
const HEAD: [&str; 7] = [
    "id", "language", "status", "reason", "name", "email", "phone",
];
/// The columns of an answer to a form that are not fields.
const FORM_HEAD: [&str; 2] = ["form", "page"];
/// The columns of a visit.
const VISIT_HEAD: [&str; 4] = ["first page", "referrer", "campaign", "build"];

/// A column for a field of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Column {
    /// The name of the form; empty for the call `POST /api/leads`.
    form: String,
    field: String,
}

/// The table in RFC 4180, in UTF-8 with a byte order mark, by which spreadsheets recognize the encoding. Each key of the call
/// has a column, and so has each field of each form that was sent.
pub fn table(leads: &[Lead], site: Option<&LeadSite>) -> String {
    let (of_call, of_forms) = (columns_of_call(), columns_of_forms(leads));
    let is_asked = leads
        .iter()
        .any(|lead| lead.contents.visits_consent.is_some());
    let has_visits = leads.iter().any(|lead| lead.contents.visit.is_some());
    let zone = site
        .map(|site| site.timezone.as_str())
        .filter(|zone| !zone.is_empty());
    let mut head: Vec<String> = HEAD.map(str::to_owned).into();
    head.insert(1, format!("received ({})", zone.unwrap_or("UTC")));
    head.extend(of_call.iter().map(|column| column.heading(site)));
    if !of_forms.is_empty() {
        head.extend(FORM_HEAD.map(cell));
        head.extend(of_forms.iter().map(|column| cell(&column.heading(site))));
    }
    head.extend(is_asked.then(|| "visits consent".to_owned()));
    head.extend(
        VISIT_HEAD
            .iter()
            .filter(|_| has_visits)
            .map(|name| (*name).to_owned()),
    );
    let rows = leads.iter().map(|lead| {
        let Contents {
            name,
            email,
            phone,
            form,
            page,
            visits_consent,
            visit,
            ..
        } = &lead.contents;
        let (reason, visit) = (
            lead.reason.clone().unwrap_or_default(),
            visit.clone().unwrap_or_default(),
        );
        let received = zone.map_or_else(
            || clock::iso(lead.at),
            |zone| clock::local(lead.at, zone, "%Y-%m-%d %H:%M:%S"),
        );
        let mut cells = vec![
            lead.id.clone(),
            received,
            lead.locale.clone(),
            lead.status.name().to_owned(),
        ];
        cells.extend([&reason, name, email, phone].map(String::clone));
        cells.extend(
            of_call
                .iter()
                .map(|column| column.value(&lead.contents, site)),
        );
        if !of_forms.is_empty() {
            cells.extend([form.clone(), page.clone()]);
            cells.extend(
                of_forms
                    .iter()
                    .map(|column| column.value(&lead.contents, site)),
            );
        }
        cells.extend(is_asked.then(|| {
            visits_consent
                .as_ref()
                .map(VisitsConsent::text)
                .unwrap_or_default()
        }));
        if has_visits {
            let campaign = visit.campaign_text();
            cells.extend([visit.entry, visit.referrer, campaign, visit.build]);
        }
        cells
            .iter()
            .map(|text| cell(text))
            .collect::<Vec<_>>()
            .join(",")
            + "\r\n"
    });
    format!("\u{feff}{}\r\n{}", head.join(","), rows.collect::<String>())
}

/// The columns of the call. The person has some already.
fn columns_of_call() -> Vec<Column> {
    let others = keys()
        .iter()
        .filter(|key| !HEAD.contains(&key.label.as_str()));
    others
        .map(|key| Column {
            form: String::new(),
            field: key.name().to_owned(),
        })
        .collect()
}

impl Column {
    /// The heading: the form with the label of the field, and with its name if another field has the same label.
    fn heading(&self, site: Option<&LeadSite>) -> String {
        let Column { form, field } = self;
        if let Some(key) = key(field).filter(|_| form.is_empty()) {
            return key.label.clone();
        }
        let known = site.and_then(|site| Some((site.form(form)?, &site.locales.first()?.code)));
        let Some((label, known, locale)) =
            known.and_then(|(known, locale)| Some((known.label(field, locale)?, known, locale)))
        else {
            return format!("{form}.{field}");
        };
        let alike = known
            .fields
            .iter()
            .filter(|other| known.label(&other.name, locale) == Some(label))
            .count();
        if alike > 1 {
            format!("{form}: {label} ({field})")
        } else {
            format!("{form}: {label}")
        }
    }

    /// The answer to the field, or the words of the consent; empty for a lead of another form.
    fn value(&self, contents: &Contents, site: Option<&LeadSite>) -> String {
        if contents.form != self.form {
            return String::new();
        }
        let agreed = contents
            .consents
            .get(&self.field)
            .map(|given| given.words.as_ref().unwrap_or(&given.hash));
        if contents.answers.contains_key(&self.field) {
            let known = site.and_then(|site| {
                Some((site.form(&self.form)?, site.locales.first()?.code.as_str()))
            });
            let (form, locale) = known.map_or((None, ""), |(form, locale)| (Some(form), locale));
            let mut fields = contents.fields_in(form, locale);
            fields
                .find(|(field, _)| *field == self.field)
                .map(|(_, text)| text)
                .unwrap_or_default()
        } else {
            agreed.cloned().unwrap_or_default()
        }
    }
}

/// The forms and their fields, in the order in which they are answered first; consents follow the fields of their form.
fn columns_of_forms(leads: &[Lead]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for contents in leads
        .iter()
        .map(|lead| &lead.contents)
        .filter(|contents| !contents.form.is_empty())
    {
        for name in contents.answers.keys().chain(contents.consents.keys()) {
            let column = Column {
                form: contents.form.clone(),
                field: name.clone(),
            };
            if !columns.contains(&column) {
                let last = columns.iter().rposition(|other| other.form == column.form);
                columns.insert(last.map_or(columns.len(), |last| last + 1), column);
            }
        }
    }
    columns
}

/// Characters with which spreadsheets begin a formula, some of them in their wide form.
const FORMULA: &str = "=+-@|%＝＋－＠";
/// The characters that separate cells for one spreadsheet or another, whichever separator the table was written with:
/// their languages decide. A line break ends a row for those.
const SEPARATORS: &str = ",;\t\n\r";

/// A quoted cell.
pub fn cell(text: &str) -> String {
    format!("\"{}\"", guarded(text).replace('"', "\"\""))
}

/// The text with an apostrophe wherever a cell may begin and a formula would. Blanks and quotes are skipped before it:
/// some spreadsheets skip blanks, and a quote may be read as the beginning of a quoted cell.
pub(super) fn guarded(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let begins = |c: char| FORMULA.contains(c);
        let skipped = |c: char| c == '"' || (c.is_whitespace() && !SEPARATORS.contains(c));
        if rest.trim_start_matches(skipped).starts_with(begins)
            || (safe.is_empty() && rest.starts_with(['\t', '\r']))
        {
            safe.push('\'');
        }
        let Some(at) = rest.find(|c| SEPARATORS.contains(c)) else {
            break;
        };
        let (cell, after) = rest.split_at(at + 1);
        safe.push_str(cell);
        rest = after;
    }
    safe + rest
}

#[cfg(test)]
mod tests {
    use api_types::lead_site::LeadSite;
    use proptest::prelude::*;

    use super::super::contents::Contents;
    use super::super::lead::{Lead, Status};
    use super::{cell, guarded, table};

    fn lead(form: &str, answers: serde_json::Value) -> Lead {
        let page = if form.is_empty() { "" } else { "/a/" }.to_owned();
        let answers = serde_json::from_value(answers).expect("an object");
        let contents = Contents {
            name: "Ana".into(),
            form: form.into(),
            page,
            answers,
            ..Contents::default()
        };
        Lead {
            id: "1".into(),
            at: 0,
            locale: "en".into(),
            status: Status::Verified,
            reason: None,
            contents,
        }
    }

    #[test]
    fn each_field_of_each_form_has_a_column() {
        let forms = [
            lead("", serde_json::json!({"name": "Ana", "appType": "app"})),
            lead(
                "visit",
                serde_json::json!({"clinic": "madrid", "times": ["a", "b"]}),
            ),
            lead("letter", serde_json::json!({"email": "=ana@example.com"})),
            lead(
                "visit",
                serde_json::json!({"clinic": "berlin", "note": "x"}),
            ),
        ];
        let rows: Vec<Vec<String>> = read(&table(&forms, None), b',', true);
        assert_eq!(
            rows[0][..15].join(","),
            "id,received (UTC),language,status,reason,name,email,phone,company,position,service,message,app,app type,app description"
        );
        assert_eq!(
            (&*rows[1][5], &*rows[1][13], &*rows[2][5], &*rows[2][13]),
            ("Ana", "app", "Ana", "")
        );
        let of_forms: Vec<&[String]> = rows.iter().map(|row| &row[15..]).collect();
        assert_eq!(
            of_forms[0],
            [
                "form",
                "page",
                "visit.clinic",
                "visit.times",
                "visit.note",
                "letter.email"
            ]
        );
        assert_eq!(of_forms[1], ["", "", "", "", "", ""]);
        assert_eq!(of_forms[2], ["visit", "/a/", "madrid", "a, b", "", ""]);
        assert_eq!(
            of_forms[3],
            ["letter", "/a/", "", "", "", "'=ana@example.com"]
        );
        assert_eq!(of_forms[4], ["visit", "/a/", "berlin", "", "x", ""]);
        assert!(rows.iter().all(|row| row.len() == rows[0].len()));
        assert_eq!(
            read(&table(&forms[..1], None), b',', true)[0].len(),
            15,
            "a table without forms is as before"
        );
    }

    #[test]
    fn a_column_has_the_label_of_its_field_in_the_main_language() {
        let site = serde_json::json!({
            "version": 2, "base_url": "https://a.example", "locales": [{"code": "es", "errors": {}}, {"code": "en", "errors": {}}],
            "rules": {"refuse_without_script": false, "refuse_unverified": false}, "timezone": "America/Bogota",
            "forms": [{
                "name": "visit", "version": "1", "captcha": false,
                "fields": [
                    {"name": "clinic", "type": "text", "most": 9}, {"name": "times", "type": "text", "most": 9},
                    {"name": "note", "type": "text", "most": 9},
                ],
                "languages": {
                    "es": {"labels": {"clinic": "Clínica", "times": "Nota", "note": "Nota"}, "names": {"clinic": {"a": "Norte"}}},
                    "en": {"labels": {"clinic": "Clinic"}},
                },
            }],
        });
        let site: LeadSite = serde_json::from_value(site).expect("a site");
        let answers = serde_json::json!({"clinic": "a", "times": "b", "note": "c", "gone": "d"});
        let rows = read(&table(&[lead("visit", answers)], Some(&site)), b',', true);
        assert_eq!(
            [&rows[0][1], &rows[1][1]],
            ["received (America/Bogota)", "1969-12-31 19:00:00"]
        );
        assert_eq!(rows[1][17..], ["Norte", "b", "c", "d"]);
        assert_eq!(
            rows[0][17..],
            [
                "visit: Clínica",
                "visit: Nota (times)",
                "visit: Nota (note)",
                "visit.gone"
            ]
        );
    }

    #[test]
    fn nothing_is_a_formula_and_nothing_leaves_its_cell() {
        for (text, expect) in [
            ("plain", "\"plain\""),
            ("=1+1", "\"'=1+1\""),
            (" =1", "\"' =1\""),
            ("+57 2 555", "\"'+57 2 555\""),
            ("-1", "\"'-1\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("＝1", "\"'＝1\""),
            ("\t=1", "\"'\t'=1\""),
            ("a\",\"=1", "\"a\"\",'\"\"=1\""),
            ("hello;=1+1", "\"hello;'=1+1\""),
            ("hello; \"=1+1", "\"hello;' \"\"=1+1\""),
            ("a\tb\t=1", "\"a\tb\t'=1\""),
            ("two\nlines", "\"two\nlines\""),
            ("two\n=1", "\"two\n'=1\""),
            ("two\r\n=1", "\"two\r\n'=1\""),
            ("a = b, c - d", "\"a = b, c - d\""),
            ("", "\"\""),
        ] {
            assert_eq!(cell(text), expect, "{text}");
        }
    }

    /// The cells of a table, read with a separator.
    fn read(table: &str, separator: u8, quotes: bool) -> Vec<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .quoting(quotes)
            .has_headers(false)
            .flexible(true)
            .from_reader(table.as_bytes());
        reader
            .records()
            .map(|row| row.expect("a row").iter().map(str::to_owned).collect())
            .collect()
    }

    proptest! {
        #[test]
        fn no_spreadsheet_reads_a_formula_whichever_separator_it_has(
            texts in prop::collection::vec("[a-b=+\\-@|%;,\t\r\n\"' ＝]{0,12}", 2..5)
        ) {
            let row: Vec<String> = texts.iter().map(|text| cell(text)).collect();
            let table = format!("{}\r\n", row.join(","));
            let guarded: Vec<String> = texts.iter().map(|text| guarded(text)).collect();
            prop_assert_eq!(read(&table, b',', true), vec![guarded.clone()]);
            for (text, guarded) in texts.iter().zip(&guarded) {
                prop_assert_eq!(text.replace('\'', ""), guarded.replace('\'', ""), "only apostrophes are added");
            }
            for separator in [b',', b';', b'\t'] {
                for quotes in [true, false] {
                    for found in read(&table, separator, quotes).concat() {
                        for line in found.split(['\n', '\r']) {
                            let begins = line.trim_start().trim_start_matches('"').trim_start().chars().next();
                            prop_assert!(!begins.is_some_and(|c| "=+-@|%＝＋－＠".contains(c)), "{found:?} in {table:?}");
                        }
                    }
                }
            }
        }
    }
}
