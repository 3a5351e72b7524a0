//! Entries from one file or answer: rows of a CSV file, or a list in JSON or YAML. Each becomes a tree like that of an entry with a
//! file of its own, with the places of its values.
//!
//! A column is a field; `name.es` is the text of a word in one language. Several values in a cell are separated by `|`.

use std::collections::HashSet;
use std::sync::Arc;

use diagnostics::limits::{COLUMNS, ROWS};
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span, nearest};
use diagnostics::yaml::{self, Key, Node, Value};
use schema::types::Slug;
use schema::{Block, Field, Takes};

use super::NAMES;

/// The column or key with the key of an entry.
pub const KEY: &str = "key";
/// The characters that can separate the columns of a CSV file.
const SEPARATORS: [char; 3] = [';', '\t', ','];
/// Separates the values in a cell.
const SEPARATOR: char = '|';

/// The problems of a table.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// With the table as a whole.
    pub whole: Problems,
    /// With rows that are no entries.
    pub of_rows: Problems,
}

/// Reads the entries: their keys and their values.
pub fn read(source: &Arc<Source>, fields: &Block, problems: &mut Problems) -> Vec<(String, Node)> {
    let mut faults = Faults::default();
    let entries = read_rows(source, fields, &mut faults);
    problems.extend(faults.whole);
    problems.extend(faults.of_rows);
    entries
}

/// Like [`read`], and tells the faults of rows from those of the table.
pub(super) fn read_rows(
    source: &Arc<Source>,
    fields: &Block,
    faults: &mut Faults,
) -> Vec<(String, Node)> {
    let is_csv = is_csv(source);
    let rows = rows_of(source, fields, faults);
    let mut problems = Problems::new();
    let mut entries: Vec<(String, Node)> = Vec::with_capacity(rows.len());
    let mut keys = HashSet::with_capacity(rows.len());
    for row in rows {
        let text = named(&row);
        let Value::Map(mut values) = row.value else {
            if is_csv {
                // It was reported.
                continue;
            }
            let message = format!("expected an entry, found {}", row.value.kind());
            problems.push(Problem::error(Code::WrongType, message).at(source.place(row.span)));
            continue;
        };
        let given = values
            .iter()
            .position(|(key, _)| key.name == KEY)
            .map(|at| values.remove(at).1);
        let key = text.and_then(|text| Slug::of(&text)).map(Slug::into_string);
        // The keys of a row of a CSV file are in its first line.
        let span = match (&given, values.first()) {
            (Some(given), _) if is_csv => given.span,
            (_, Some((key, _))) if !is_csv => key.span,
            _ => row.span,
        };
        let Some(key) = key else {
            let problem = Problem::error(
                Code::MissingKey,
                "this entry has neither a `key` nor a name",
            )
            .at(source.place(span));
            problems.push(
                problem.hint("add a column or key named `key`, with a short name for the URL"),
            );
            continue;
        };
        if !keys.insert(key.clone()) {
            let problem = Problem::error(
                Code::DuplicateId,
                format!("another entry has the key `{key}`"),
            );
            problems.push(
                problem
                    .at(source.place(span))
                    .hint("give one of them a different `key`"),
            );
            continue;
        }
        entries.push((key, Node::new(Value::Map(values), span)));
    }
    faults.of_rows.extend(problems);
    entries
}

/// The rows as they are written, with what is wrong with them.
fn rows_of(source: &Arc<Source>, fields: &Block, faults: &mut Faults) -> Vec<Node> {
    let rows = if is_csv(source) {
        csv(source, fields, faults)
    } else {
        let rows = list(source, &mut faults.whole).into_iter();
        rows.map(|row| with_languages(source, fields, row, &mut faults.of_rows))
            .collect()
    };
    if rows.len() > ROWS {
        let message = format!(
            "the table has {} entries, but the limit is {ROWS}",
            rows.len()
        );
        let problem =
            Problem::error(Code::InvalidValue, message).at(Place::file(source.path.clone()));
        faults
            .whole
            .push(problem.hint(
                "split it into several collections, or leave out entries that no page shows",
            ));
        return Vec::new();
    }
    rows
}

/// The rows as they are written, with their keys. None of a table with more than it can have: some of them would be others
/// tomorrow.
pub fn rows(source: &Arc<Source>, fields: &Block, problems: &mut Problems) -> Vec<Node> {
    let mut faults = Faults::default();
    let rows = rows_of(source, fields, &mut faults);
    problems.extend(faults.whole);
    problems.extend(faults.of_rows);
    rows
}

/// Reports the columns of required fields that a CSV file lacks, each once, and returns them.
pub fn missing_columns(
    source: &Source,
    fields: &Block,
    problems: &mut Problems,
) -> Vec<&'static str> {
    if !is_csv(source) {
        return Vec::new();
    }
    let mut lines = source.text.lines();
    let first = lines.next().unwrap_or_default();
    let head = if declares_separator(first) {
        lines.next().unwrap_or_default()
    } else {
        first
    };
    let columns: Vec<&str> = head
        .split(SEPARATORS)
        .map(|name| name.trim().trim_matches('"'))
        .collect();
    let has = |name: &str| {
        columns
            .iter()
            .any(|column| column.split('.').next() == Some(name))
    };
    let near = |name: &str| {
        columns
            .iter()
            .any(|column| nearest(column, [name]).is_some())
    };
    let required = fields.fields.iter().filter(|field| field.required);
    let missing: Vec<&'static str> = required
        .map(|field| field.name)
        .filter(|name| !has(name) && !near(name))
        .collect();
    for name in &missing {
        let problem = Problem::error(
            Code::MissingKey,
            format!("there is no column `{name}`, which every entry needs"),
        );
        let place = source.place(source.locate(Span::new(0, source.text.len()), head.trim_end()));
        let each = if fields.field(name).is_some_and(|field| field.words) {
            format!(", or one for each language, such as `{name}.en`")
        } else {
            String::new()
        };
        problems.push(
            problem
                .at(place)
                .hint(format!("add a column `{name}`{each}")),
        );
    }
    missing
}

/// Whether the first line of a CSV file is the one that Excel writes before the head: `sep=;`.
fn declares_separator(first: &str) -> bool {
    first
        .get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("sep="))
}

/// Whether a source is CSV. An answer of an address has no ending that one could rely on.
pub fn is_csv(source: &Source) -> bool {
    let is_json = source.text.trim_start().starts_with(['[', '{']);
    source.path.ends_with(".csv") || source.path.contains("://") && !is_json
}

/// The text that the key of an entry is made of: its `key`, or else its name.
pub(super) fn named(row: &Node) -> Option<String> {
    [KEY]
        .into_iter()
        .chain(NAMES)
        .find_map(|name| text_of(row.get(name)?))
}

/// The text of a value; of a word the first language.
fn text_of(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(text) => Some(text.clone()),
        Value::Int(number) => Some(number.to_string()),
        Value::Map(texts) => texts.first().and_then(|(_, node)| text_of(node)),
        _ => None,
    }
}

/// A list in JSON or YAML.
fn list(source: &Arc<Source>, problems: &mut Problems) -> Vec<Node> {
    match yaml::parse(source, 0..source.text.len()) {
        Ok(Node {
            value: Value::List(items),
            ..
        }) => items,
        // A block of keys, each with its fields. An answer that is a block may be the words of an error.
        Ok(Node {
            value: Value::Map(entries),
            ..
        }) if !source.path.contains("://") => entries
            .into_iter()
            .map(|(key, node)| {
                let Value::Map(mut values) = node.value else {
                    return node;
                };
                let named = Node::new(Value::Text(key.name), key.span);
                values.insert(
                    0,
                    (
                        Key {
                            name: KEY.to_owned(),
                            span: key.span,
                        },
                        named,
                    ),
                );
                Node::new(Value::Map(values), node.span)
            })
            .collect(),
        Ok(node) => {
            let message = format!("expected a list of entries, found {}", node.value.kind());
            problems.push(node.problem(source, Problem::error(Code::WrongType, message)));
            Vec::new()
        }
        Err(problem) => {
            problems.push(problem);
            Vec::new()
        }
    }
}

/// The rows of a CSV file.
fn csv(source: &Arc<Source>, fields: &Block, faults: &mut Faults) -> Vec<Node> {
    let text = &source.text;
    let first = text.lines().next().unwrap_or_default();
    // Spreadsheets of countries with a decimal comma separate columns with semicolons.
    let separator = SEPARATORS
        .into_iter()
        .max_by_key(|separator| (first.matches(*separator).count(), *separator == ','))
        .unwrap_or(',');
    let is_declared = declares_separator(first);
    let separator = first
        .chars()
        .nth(4)
        .filter(|_| is_declared)
        .unwrap_or(separator);
    let mut rows = match cells(text, separator) {
        Ok(rows) => rows.into_iter().skip(usize::from(is_declared)),
        Err(span) => {
            let problem = Problem::error(
                Code::UnclosedQuote,
                "this cell begins with a quote that is never closed",
            );
            faults.whole.push(
                problem
                    .at(source.place(span))
                    .hint("add the closing `\"`; in a quoted cell, write `\"\"` for each `\"`"),
            );
            return Vec::new();
        }
    };
    let Some(head) = rows.next() else {
        let problem = Problem::error(Code::EmptyFile, "the table is empty");
        let place = Place::file(source.path.clone());
        faults.whole.push(problem.at(place));
        return Vec::new();
    };
    if head.len() > COLUMNS {
        let message = format!(
            "the table has {} columns, but the limit is {COLUMNS}",
            head.len()
        );
        faults
            .whole
            .push(Problem::error(Code::InvalidValue, message).at(source.place(head[COLUMNS].1)));
        return Vec::new();
    }
    let columns: Vec<(String, Span)> = head
        .into_iter()
        .map(|(name, span)| (name.trim().to_owned(), span))
        .collect();
    if !columns_are_clear(source, fields, &columns, &mut faults.whole) {
        return Vec::new();
    }
    // A text such as the words of an error would be a table without entries.
    let is_known = |name: &str| {
        let name = name.split('.').next().unwrap_or(name);
        name == KEY || fields.field(name).is_some()
    };
    if !columns.iter().any(|(name, _)| is_known(name)) {
        let message = "none of the columns is a field of the collection";
        let place = source.place(columns[0].1);
        let problem = Problem::error(Code::UnknownKey, message).at(place);
        faults.whole.push(problem.hint(
            "write the names of fields into the first line, and a column `key` for the URLs",
        ));
        return Vec::new();
    }
    let mut nodes = Vec::new();
    for row in rows.filter(|row| row.iter().any(|(text, _)| !text.trim().is_empty())) {
        let place = row.first().map_or(Span::default(), |(_, span)| *span);
        if row.len() > columns.len() {
            let message = format!(
                "this row has more cells than the table has columns ({} instead of {})",
                row.len(),
                columns.len()
            );
            let problem = Problem::error(Code::InvalidValue, message).at(source.place(place));
            let is_late_quote = |cell: &str| cell.starts_with(' ') && cell.trim().starts_with('"');
            let has_late_quote = row.iter().any(|(text, _)| is_late_quote(text));
            faults.of_rows.push(problem.hint(if has_late_quote {
                "remove the space before the quote: a cell is in quotes only if it begins with one"
            } else {
                "if a cell contains the separator, put the cell in quotes"
            }));
            nodes.push(Node::new(Value::Null, place));
            continue;
        }
        let mut values: Vec<(Key, Node)> = Vec::new();
        for ((name, at), (text, span)) in columns.iter().zip(row) {
            let text = text.trim();
            if text.is_empty() || name.is_empty() {
                continue;
            }
            let (field, language) = name
                .split_once('.')
                .map_or((name.as_str(), None), |(field, code)| (field, Some(code)));
            let declared = fields.field(field);
            let node = cell(declared, text, span);
            let key = |name: &str| Key {
                name: name.to_owned(),
                span: *at,
            };
            match language {
                None => values.push((key(field), node)),
                Some(code) => add_language(&mut values, key(field), key(code), node),
            }
        }
        nodes.push(Node::new(Value::Map(values), place));
    }
    nodes
}

/// Adds the text of a field in one language to those in others.
fn add_language(values: &mut Vec<(Key, Node)>, field: Key, code: Key, text: Node) {
    let known = values.iter_mut().find(|(key, _)| key.name == field.name);
    if let Some((_, known)) = known
        && let Value::Map(texts) = &mut known.value
    {
        texts.push((code, text));
        return;
    }
    let span = text.span;
    values.push((field, Node::new(Value::Map(vec![(code, text)]), span)));
}

/// A row of a list whose keys can name languages, as the columns of a table do: `title.en`.
fn with_languages(
    source: &Arc<Source>,
    fields: &Block,
    row: Node,
    problems: &mut Problems,
) -> Node {
    let parts = |name: &str| {
        let (field, code) = name.split_once('.')?;
        let field = fields.field(field).filter(|field| field.words)?;
        Some((field.name, code.to_owned()))
    };
    let Value::Map(entries) = &row.value else {
        return row;
    };
    if entries.iter().all(|(key, _)| parts(&key.name).is_none()) {
        return row;
    }
    let mut values: Vec<(Key, Node)> = Vec::with_capacity(entries.len());
    let plain = |field: &str| entries.iter().find(|(key, _)| key.name == field);
    for (key, node) in entries {
        let Some((field, code)) = parts(&key.name) else {
            values.push((key.clone(), node.clone()));
            continue;
        };
        if let Some((other, _)) = plain(field) {
            let message = format!("`{field}` and `{}` both set the same field", key.name);
            let problem = Problem::error(Code::DuplicateKey, message).at(source.place(other.span));
            problems.push(problem.hint("remove one of them"));
            continue;
        }
        let key = |name: &str| Key {
            name: name.to_owned(),
            span: key.span,
        };
        add_language(&mut values, key(field), key(&code), node.clone());
    }
    row.with_value(Value::Map(values))
}

/// Reports columns with one name, and names that are nearly those of fields. Every row would be wrong.
fn columns_are_clear(
    source: &Arc<Source>,
    fields: &Block,
    columns: &[(String, Span)],
    problems: &mut Problems,
) -> bool {
    let mut are_clear = true;
    for (at, (name, span)) in columns
        .iter()
        .enumerate()
        .filter(|(_, (name, _))| !name.is_empty())
    {
        if columns[..at].iter().any(|(other, _)| other == name) {
            let problem = Problem::error(
                Code::DuplicateKey,
                format!("there are two columns `{name}`"),
            );
            problems.push(
                problem
                    .at(source.place(*span))
                    .hint("remove one of them, or give it another name"),
            );
            are_clear = false;
        }
        let first = name.split('.').next().unwrap_or(name);
        if first == name
            && let Some((part, _)) = columns
                .iter()
                .find(|(part, _)| part.strip_prefix(first).is_some_and(is_part))
        {
            let message = format!("the columns `{name}` and `{part}` both set the same field");
            let problem = Problem::error(Code::DuplicateKey, message).at(source.place(*span));
            let free = ["en", "es"].map(|code| format!("{name}.{code}"));
            let free = free
                .iter()
                .find(|free| columns.iter().all(|(name, _)| name != *free));
            problems.push(problem.hint(match free {
                Some(free) => {
                    format!("remove one of them, or give `{name}` a language too, such as `{free}`")
                }
                None => format!("remove the column `{name}`"),
            }));
            are_clear = false;
        }
        let lower = first.to_lowercase();
        if fields.field(first).is_none()
            && first != lower
            && (lower == KEY || fields.field(&lower).is_some())
        {
            let problem = Problem::error(Code::UnknownKey, format!("there is no field `{first}`"));
            let hint = format!("write `{lower}{}`", &name[first.len()..]);
            problems.push(problem.at(source.place(*span)).hint(hint));
            are_clear = false;
        }
    }
    are_clear
}

/// Whether a name of a column goes on with a part of its field: `.es`.
fn is_part(rest: &str) -> bool {
    rest.starts_with('.')
}

/// The value of a cell, by the type of its field.
fn cell(field: Option<&Field>, text: &str, span: Span) -> Node {
    let one = |text: &str| {
        let value = match field.map(|field| &field.takes) {
            Some(Takes::Number) => text.parse().map(Value::Int).ok(),
            Some(Takes::Flag) => text.to_lowercase().parse().map(Value::Bool).ok(),
            _ => None,
        };
        Node::new(value.unwrap_or_else(|| Value::Text(text.to_owned())), span)
    };
    if field.is_some_and(|field| field.list) {
        let items = text
            .split(SEPARATOR)
            .map(str::trim)
            .filter(|item| !item.is_empty());
        return Node::new(Value::List(items.map(one).collect()), span);
    }
    one(text)
}

/// The cells of each row, with their places. The error is the place of a quote that is never closed.
fn cells(text: &str, separator: char) -> Result<Vec<Vec<(String, Span)>>, Span> {
    let (mut rows, mut row) = (Vec::new(), Vec::new());
    let mut rest = text.char_indices().peekable();
    while rest.peek().is_some() {
        let start = rest.peek().map_or(text.len(), |(at, _)| *at);
        let mut cell = String::new();
        if rest.next_if(|(_, c)| *c == '"').is_some() {
            loop {
                match rest.next() {
                    Some((_, '"')) if rest.next_if(|(_, c)| *c == '"').is_some() => cell.push('"'),
                    Some((_, '"')) => break,
                    Some((_, c)) => cell.push(c),
                    None => return Err(Span::new(start, start + 1)),
                }
            }
        }
        while let Some((_, c)) = rest.next_if(|(_, c)| *c != separator && *c != '\n') {
            cell.push(c);
        }
        let end = rest.peek().map_or(text.len(), |(at, _)| *at);
        let written = cell.trim_end_matches('\r');
        row.push((
            written.to_owned(),
            Span::new(start, end - (cell.len() - written.len())),
        ));
        match rest.next() {
            Some((at, c)) if c == separator => {
                if rest.peek().is_none() {
                    row.push((String::new(), Span::new(at + 1, at + 1)));
                }
            }
            _ => rows.push(std::mem::take(&mut row)),
        }
    }
    if !row.is_empty() {
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_may_hold_separators_quotes_and_line_ends() {
        let read = |text: &str| {
            let rows = cells(text, ';').expect("closed quotes");
            rows.into_iter()
                .map(|row| row.into_iter().map(|(text, _)| text).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        assert_eq!(read("a;b\r\n1;2\r\n"), [["a", "b"], ["1", "2"]]);
        assert_eq!(read("\"a;\"\"b\"\"\nc\";d"), [["a;\"b\"\nc", "d"]]);
        assert_eq!(read("a;\n;"), [["a", ""], ["", ""]]);
        assert_eq!(read(""), Vec::<Vec<String>>::new());
        assert_eq!(cells("a;\"b", ';'), Err(Span::new(2, 3)));
    }
}
