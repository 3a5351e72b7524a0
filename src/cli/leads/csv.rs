//! Leads as CSV for a spreadsheet, escaped so that no cell is read as a formula.

use api::clock;
use api::leads::Lead;

const HEAD: &str =
    "id,received,language,status,reason,name,email,phone,company,position,service,message,app,app type,app description";

/// The table in RFC 4180, in UTF-8 with a byte order mark, by which spreadsheets recognize the encoding.
pub(super) fn table(leads: &[Lead]) -> String {
    let rows: Vec<String> = leads.iter().map(row).collect();
    format!("\u{feff}{HEAD}\r\n{}", rows.concat())
}

fn row(lead: &Lead) -> String {
    let contents = &lead.contents;
    let received = clock::iso(lead.at);
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
    let cells: Vec<String> = cells.into_iter().map(cell).collect();
    format!("{}\r\n", cells.join(","))
}

/// A quoted cell. Text that a spreadsheet would read as a formula gets an apostrophe, which spreadsheets do not show.
/// Some spreadsheets skip leading blanks before they look for a formula.
fn cell(text: &str) -> String {
    let begins = text.trim_start().chars().next();
    let is_formula =
        begins.is_some_and(|first| "=+-@\t\r|%＝＋－＠".contains(first)) || text.starts_with(['\t', '\r', '\n']);
    let safe = if is_formula { format!("'{text}") } else { text.to_owned() };
    format!("\"{}\"", safe.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::cell;

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
            ("a\",\"=1", "\"a\"\",\"\"=1\""),
            ("two\nlines", "\"two\nlines\""),
            ("", "\"\""),
        ] {
            assert_eq!(cell(text), expect, "{text}");
        }
    }
}
