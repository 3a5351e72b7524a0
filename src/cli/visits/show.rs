//! The counts as text for a terminal, as JSON, and as CSV.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::count::{GroupRow, LEAST, Shown};

/// The name of small groups together.
const OTHERS: &str = "others, some with fewer than 5";

fn total(count: Option<u64>) -> String {
    count.map_or_else(|| format!("<{LEAST}"), |count| count.to_string())
}

fn name(row: &GroupRow) -> &str {
    row.name.as_deref().unwrap_or(OTHERS)
}

pub(super) fn table(report: &[Shown]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for Shown {
        period,
        totals,
        groups,
    } in report
    {
        let _ = writeln!(text, "{period}");
        for (of, count) in totals {
            let _ = writeln!(text, "{:>9}  {of}", total(*count));
        }
        for (of, rows) in groups.iter().filter(|(_, rows)| !rows.is_empty()) {
            let _ = writeln!(text, "  {of}");
            for row in rows {
                let _ = writeln!(text, "{:>9}  {}", row.count, name(row));
            }
        }
        text.push('\n');
    }
    text
}

pub(super) fn json(report: &[Shown]) -> String {
    let periods = report.iter().map(
        |Shown {
             period,
             totals,
             groups,
         }| {
            let mut object = Map::new();
            object.insert("period".to_owned(), period.as_str().into());
            // `null` is one to four.
            object.extend(
                totals
                    .iter()
                    .map(|(of, count)| (of.replace(' ', "_"), json!(count))),
            );
            object.extend(groups.iter().map(|(of, rows)| {
                let rows = rows
                    .iter()
                    .map(|row| json!({ "name": row.name, "count": row.count }));
                (of.replace(' ', "_"), rows.collect())
            }));
            Value::Object(object)
        },
    );
    let report: Vec<Value> = periods.collect();
    serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
}

pub(super) fn csv(report: &[Shown]) -> String {
    let mut text = "period,kind,name,count\r\n".to_owned();
    for Shown {
        period,
        totals,
        groups,
    } in report
    {
        let totals = totals.iter().map(|(of, count)| (of, "", total(*count)));
        let rows = groups
            .iter()
            .flat_map(|(of, rows)| rows.iter().map(move |row| (of, row)));
        let rows = rows.map(|(of, row)| (of, name(row), row.count.to_string()));
        for (kind, name, count) in totals.chain(rows) {
            // A name from outside must not be a formula.
            let guard = if name.starts_with(['=', '+', '-', '@', '\t', '\r']) {
                "'"
            } else {
                ""
            };
            let _ = write!(
                text,
                "{period},{kind},\"{guard}{}\",{count}\r\n",
                name.replace('"', "\"\"")
            );
        }
    }
    text
}
