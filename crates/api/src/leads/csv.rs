//! Leads as CSV for a spreadsheet, escaped so that no cell is read as a formula.

use api_types::lead_site::LeadSite;

use crate::clock;

use super::lead::{Lead, VisitsConsent};

const HEAD: &str =
    "language,status,reason,name,email,phone,company,position,service,message,app,app type,app description";

/// The columns of an answer to a form that are not fields.
const FORM_HEAD: [&str; 2] = ["form", "page"];

/// The table in RFC 4180, in UTF-8 with a byte order mark, by which spreadsheets recognize the encoding. Leads from forms of
/// the site add columns: each field of each form has one.
pub fn table(leads: &[Lead], site: Option<&LeadSite>) -> String {
    let columns = columns(leads);
    let is_asked = leads.iter().any(|lead| lead.contents.visits_consent.is_some());
    let consent = |lead: &Lead| {
        let given = lead.contents.visits_consent.as_ref().map(VisitsConsent::text);
        if is_asked { format!(",{}", cell(&given.unwrap_or_default())) } else { String::new() }
    };
    let has_visits = leads.iter().any(|lead| lead.contents.visit.is_some());
    let visit = |lead: &Lead| {
        let visit = lead.contents.visit.clone().unwrap_or_default();
        let cells =
            [&visit.entry, &visit.referrer, &visit.campaign_text(), &visit.build].map(|text| cell(text)).join(",");
        if has_visits { format!(",{cells}") } else { String::new() }
    };
    let line = |lead: &Lead| format!("{}{}{}\r\n", row(lead, &columns, site), consent(lead), visit(lead));
    let rows: Vec<String> = leads.iter().map(line).collect();
    let of_forms = if columns.is_empty() { Vec::new() } else { FORM_HEAD.map(cell).to_vec() };
    let fields = columns.iter().map(|(form, field)| cell(&heading(form, field, site)));
    let head = of_forms.into_iter().chain(fields).map(|name| [",", name.as_str()].concat()).collect::<String>();
    let asked = if is_asked { ",visits consent" } else { "" };
    let visited = if has_visits { ",first page,referrer,campaign,build" } else { "" };
    let zone = site.map(|site| site.timezone.as_str()).filter(|zone| !zone.is_empty()).unwrap_or("UTC");
    format!("\u{feff}id,received ({zone}),{HEAD}{head}{asked}{visited}\r\n{}", rows.concat())
}

/// The heading of a column: the form with the label of the field, and with its name if another field has the same label.
fn heading(form: &str, field: &str, site: Option<&LeadSite>) -> String {
    let known = site.and_then(|site| Some((site.form(form)?, &site.locales.first()?.code)));
    let Some((label, known, locale)) =
        known.and_then(|(known, locale)| Some((known.label(field, locale)?, known, locale)))
    else {
        return format!("{form}.{field}");
    };
    let alike = known.fields.iter().filter(|other| known.label(&other.name, locale) == Some(label)).count();
    if alike > 1 { format!("{form}: {label} ({field})") } else { format!("{form}: {label}") }
}

/// The forms and their fields, in the order in which they are answered first; consents follow the fields of their form.
fn columns(leads: &[Lead]) -> Vec<(String, String)> {
    let mut columns: Vec<(String, String)> = Vec::new();
    for answers in leads.iter().filter_map(|lead| lead.contents.form.as_ref()) {
        let names = answers.answers.keys().chain(answers.consents.keys());
        for name in names {
            let column = (answers.form.clone(), name.clone());
            if !columns.contains(&column) {
                let last = columns.iter().rposition(|(form, _)| *form == answers.form);
                columns.insert(last.map_or(columns.len(), |last| last + 1), column);
            }
        }
    }
    columns
}

/// The cells of the columns of forms.
fn form_cells(lead: &Lead, columns: &[(String, String)], site: Option<&LeadSite>) -> Vec<String> {
    if columns.is_empty() {
        return Vec::new();
    }
    let Some(answers) = &lead.contents.form else { return vec![cell(""); FORM_HEAD.len() + columns.len()] };
    let known = site.and_then(|site| Some((site.form(&answers.form)?, site.locales.first()?.code.as_str())));
    let texts: Vec<(&str, String)> =
        answers.texts_in(known.map(|(form, _)| form), known.map_or("", |(_, locale)| locale)).collect();
    let value = |(form, name): &(String, String)| {
        let text = texts.iter().find(|(field, _)| field == name).map(|(_, text)| text.as_str());
        let agreed = || answers.consents.get(name).map(|given| given.words.as_deref().unwrap_or(given.hash.as_str()));
        if *form == answers.form { text.or_else(agreed).unwrap_or_default() } else { "" }
    };
    let known = [answers.form.as_str(), answers.page.as_str()];
    known.into_iter().chain(columns.iter().map(value)).map(cell).collect()
}

fn row(lead: &Lead, columns: &[(String, String)], site: Option<&LeadSite>) -> String {
    let contents = &lead.contents;
    let zone = site.map(|site| site.timezone.as_str()).filter(|zone| !zone.is_empty());
    let received = zone.map_or_else(|| clock::iso(lead.at), |zone| clock::local(lead.at, zone, "%Y-%m-%d %H:%M:%S"));
    let optional = |text: &'_ Option<String>| text.clone().unwrap_or_default();
    let (reason, app_name) = (optional(&lead.reason), optional(&contents.app_name));
    let (app_type, app_description) = (optional(&contents.app_type), optional(&contents.app_description));
    let cells = [
        lead.id.as_str(),
        &received,
        &lead.locale,
        lead.status.name(),
        &reason,
        &contents.name,
        &contents.email,
        &contents.phone,
        &contents.company,
        &contents.position,
        &contents.project_type,
        &contents.message,
        &app_name,
        &app_type,
        &app_description,
    ];
    let cells: Vec<String> = cells.into_iter().map(cell).chain(form_cells(lead, columns, site)).collect();
    cells.join(",")
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
        if rest.trim_start_matches(skipped).starts_with(begins) || (safe.is_empty() && rest.starts_with(['\t', '\r'])) {
            safe.push('\'');
        }
        let Some(at) = rest.find(|c| SEPARATORS.contains(c)) else { break };
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

    use super::super::lead::{Answers, Contents, Lead, Status};
    use super::{cell, guarded, table};

    fn lead(form: Option<(&str, serde_json::Value)>) -> Lead {
        let answers = |(name, answers): (&str, serde_json::Value)| {
            let answers = answers.as_object().expect("an object").clone();
            Box::new(Answers { form: name.into(), page: "/a/".into(), answers, ..Answers::default() })
        };
        let contents = Contents { name: "Ana".into(), form: form.map(answers), ..Contents::default() };
        Lead { id: "1".into(), at: 0, locale: "en".into(), status: Status::Verified, reason: None, contents }
    }

    #[test]
    fn each_field_of_each_form_has_a_column() {
        let forms = [
            lead(None),
            lead(Some(("visit", serde_json::json!({"clinic": "madrid", "times": ["a", "b"]})))),
            lead(Some(("letter", serde_json::json!({"email": "=ana@example.com"})))),
            lead(Some(("visit", serde_json::json!({"clinic": "berlin", "note": "x"})))),
        ];
        let rows: Vec<Vec<String>> = read(&table(&forms, None), b',', true);
        let of_forms: Vec<&[String]> = rows.iter().map(|row| &row[15..]).collect();
        assert_eq!(of_forms[0], ["form", "page", "visit.clinic", "visit.times", "visit.note", "letter.email"]);
        assert_eq!(of_forms[1], ["", "", "", "", "", ""]);
        assert_eq!(of_forms[2], ["visit", "/a/", "madrid", "a, b", "", ""]);
        assert_eq!(of_forms[3], ["letter", "/a/", "", "", "", "'=ana@example.com"]);
        assert_eq!(of_forms[4], ["visit", "/a/", "berlin", "", "x", ""]);
        assert!(rows.iter().all(|row| row.len() == rows[0].len()));
        assert_eq!(read(&table(&forms[..1], None), b',', true)[0].len(), 15, "a table without forms is as before");
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
        let rows = read(&table(&[lead(Some(("visit", answers)))], Some(&site)), b',', true);
        assert_eq!([&rows[0][1], &rows[1][1]], ["received (America/Bogota)", "1969-12-31 19:00:00"]);
        assert_eq!(rows[1][17..], ["Norte", "b", "c", "d"]);
        assert_eq!(rows[0][17..], ["visit: Clínica", "visit: Nota (times)", "visit: Nota (note)", "visit.gone"]);
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
        reader.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect()).collect()
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
