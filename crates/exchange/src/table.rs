//! Writes and reads units as a table (CSV), for people with a spreadsheet: a row for each unit.
//!
//! It begins with a byte-order mark, without which Excel takes UTF-8 for the encoding of the country. A cell that a spreadsheet
//! would compute, such as `=1+1` or `- item`, begins with an apostrophe, which is taken off again. The id of a unit ends with the
//! hash of the translation before.

use diagnostics::problem::{Problem, Source};

use super::units::{Document, State};
use super::{Returned, ReturnedFile, Text, line_of, unreadable};

const MARK: &str = "\u{feff}";
const HEAD: [&str; 5] = ["id", "source", "target", "note", "state"];
/// The first characters of a cell that a spreadsheet computes, and the apostrophe itself.
const COMPUTED: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\''];

/// The bytes of a table with all units.
pub fn write(documents: &[Document], (from, to): (&str, &str)) -> Vec<u8> {
    let mut table = csv::WriterBuilder::new().from_writer(MARK.as_bytes().to_vec());
    let [id, source, target, note, state] = HEAD;
    // Writing to memory cannot fail.
    let _ = table.write_record([
        id,
        &format!("{source} ({from})"),
        &format!("{target} ({to})"),
        note,
        state,
    ]);
    for document in documents {
        for unit in &document.units {
            let state = match unit.state {
                State::Initial => "initial",
                State::Machine => "machine",
                State::Stale => "stale",
                State::Translated => "translated",
                State::Final => "final",
            };
            let mut notes: Vec<String> = Vec::new();
            notes.extend((!unit.meaning.is_empty()).then(|| unit.meaning.clone()));
            notes.extend((!document.address.is_empty()).then(|| document.address.clone()));
            notes.extend(unit.max.map(|max| format!("at most {max} characters")));
            notes.extend(
                unit.terms
                    .iter()
                    .map(|(term, translation)| format!("term: {term} = {translation}")),
            );
            notes.extend(
                unit.matches
                    .iter()
                    .map(|found| format!("{}% match: {}", found.percent, found.target)),
            );
            let target = unit.target.as_deref().unwrap_or_default();
            let _ = table.write_record([
                &guarded(&format!("{}@{}", document.id(unit), unit.before)),
                &guarded(&unit.source),
                &guarded(target),
                &guarded(&notes.join("\n")),
                state,
            ]);
        }
    }
    table.into_inner().unwrap_or_default()
}

fn guarded(cell: &str) -> String {
    if cell.starts_with(COMPUTED) {
        format!("'{cell}")
    } else {
        cell.to_owned()
    }
}

fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'')
        .filter(|rest| rest.starts_with(COMPUTED))
        .unwrap_or(cell)
}

/// The text of a cell. Spreadsheets break lines within one as Windows does.
fn text_of(cell: &str) -> String {
    unguarded(cell).replace("\r\n", "\n")
}

/// The title of a column: `source` in `source (en)`.
fn title_of(cell: &str) -> String {
    cell.split('(')
        .next()
        .unwrap_or_default()
        .trim()
        .to_lowercase()
}

/// The language of a column: `en` in `source (en)`.
fn language_of(cell: &str) -> Option<String> {
    Some(
        cell.split_once('(')?
            .1
            .trim_end()
            .trim_end_matches(')')
            .to_owned(),
    )
}

/// Reads a table. The error has the line that is broken.
pub fn read(path: &str, bytes: &[u8]) -> Result<ReturnedFile, Problem> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        let line = bytes
            .split(|byte| *byte == b'\n')
            .position(|line| std::str::from_utf8(line).is_err())
            .unwrap_or(0)
            + 1;
        let problem = unreadable(
            path,
            format!("line {line} is not UTF-8: the table was saved in an older encoding"),
        );
        return Err(problem.hint(
            "save it again as `CSV UTF-8` in Excel, or with the encoding `UTF-8` in LibreOffice",
        ));
    };
    let text = text.strip_prefix(MARK).unwrap_or(text);
    // Excel reads and writes a first line such as `sep=;`.
    let named = text
        .lines()
        .next()
        .and_then(|line| line.trim_end().trim_matches('"').strip_prefix("sep="));
    let named = named.and_then(|rest| rest.chars().next().or(Some('\t')));
    let (text, before) = match text.split_once('\n').filter(|_| named.is_some()) {
        Some((_, rest)) => (rest, 1),
        None => (text, 0),
    };
    let first = text.split(['\n', '\r']).next().unwrap_or_default();
    // Separators within quotes are text: every second part is outside of them.
    let outside: String = first.split('"').step_by(2).collect();
    let usual = [',', ';', '\t']
        .into_iter()
        .max_by_key(|delimiter| outside.matches(*delimiter).count())
        .unwrap_or(',');
    let delimiter = named.unwrap_or(usual);
    let mut table = csv::ReaderBuilder::new()
        .delimiter(u8::try_from(delimiter).unwrap_or(b','))
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut columns: Option<[Option<usize>; 5]> = None;
    let mut file = ReturnedFile::default();
    // The reader counts a line break of Windows with the row that follows it.
    let (mut counted, mut line) = (0, before + 1);
    for row in table.records() {
        let row = row.map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line);
            unreadable(path, format!("line {line} is not a table row"))
        })?;
        let start = row
            .position()
            .map_or(0, |at| usize::try_from(at.byte()).unwrap_or(usize::MAX))
            .min(text.len());
        let start = start
            + text.as_bytes()[start..]
                .iter()
                .take_while(|byte| matches!(byte, b'\r' | b'\n'))
                .count();
        line += u32::try_from(text[counted..start].matches('\n').count()).unwrap_or(u32::MAX / 2);
        counted = start;
        let Some(columns) = columns else {
            let found = HEAD.map(|name| row.iter().position(|cell| title_of(cell) == name));
            file.source_language = found[1].and_then(|at| language_of(&row[at]));
            file.language = found[2].and_then(|at| language_of(&row[at]));
            if found[..3].iter().any(Option::is_none) {
                let problem = unreadable(
                    path,
                    "the first row does not name the columns `id`, `source` and `target`",
                );
                return Err(problem
                    .at(line_of(&Source::new(path.to_owned(), text.to_owned()), 1))
                    .hint("keep the first row of the table; commas, semicolons and tabs can separate cells"));
            }
            columns = Some(found);
            continue;
        };
        let cells = columns.map(|column| column.and_then(|at| row.get(at)).unwrap_or_default());
        if row.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let state = match cells[4].trim().to_lowercase().as_str() {
            "final" | "reviewed" => State::Final,
            // People change a translation, and not the cell beside it.
            "draft" => State::Initial,
            _ => State::Translated,
        };
        let source = text_of(cells[1]);
        let target = Some(text_of(cells[2]))
            .filter(|text| !text.is_empty())
            .map(Text::plain);
        let id = text_of(cells[0]).trim().to_owned();
        let (id, before) = match id.rsplit_once('@') {
            Some((id, before)) => (id.to_owned(), Some(before.to_owned())),
            None => (id, None),
        };
        file.units.push(Returned {
            id,
            source: Text::plain(source),
            target,
            state,
            before,
            line,
        });
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_would_be_computed_are_guarded() {
        for cell in [
            "=1+1", "- item", "@x", "'tis", "+1", "plain", "", "'", "\tx",
        ] {
            let guarded = guarded(cell);
            assert!(
                !guarded.starts_with(['=', '+', '-', '@', '\t']),
                "{guarded}"
            );
            assert_eq!(unguarded(&guarded), cell);
        }
        assert_eq!(
            unguarded("'tis typed by a translator"),
            "'tis typed by a translator"
        );
    }

    #[test]
    fn other_separators_are_read_and_older_encodings_are_refused() {
        for table in [
            "id;source;target;note;state\na#b;x,y;\"z\"\"\";;final\n",
            "\u{feff}id\tsource\ttarget\na#b\tx,y\t\"z\"\"\"\n",
        ] {
            let file = read("a.csv", table.as_bytes()).expect("a table");
            assert_eq!((file.units.len(), file.units[0].line), (1, 2));
            assert_eq!(file.units[0].target, Some(Text::plain("z\"")));
        }
        let file =
            read("a.csv", b"sep=;\r\nid;source;target\r\na#b;x, y; z, \r\n").expect("a table");
        assert_eq!(
            (file.units[0].line, file.units[0].target.clone()),
            (3, Some(Text::plain(" z, ")))
        );
        let file = read(
            "a.csv",
            b"id\t\"source (en; de, fr)\"\ttarget\ra#b\tx\ty\rc#d\tx\tz\r",
        )
        .expect("a table");
        assert_eq!(
            (file.units.len(), file.units[1].target.clone()),
            (2, Some(Text::plain("z")))
        );
        let problem = read("a.csv", b"id,source,target\na#b,x,f\xfcr\n").expect_err("Latin-1");
        assert!(
            problem.message.starts_with("line 2 is not UTF-8"),
            "{}",
            problem.message
        );
        assert!(problem.hint.is_some_and(|hint| hint.contains("CSV UTF-8")));
        assert!(read("a.csv", b"a|b\n").is_err());
    }
}
