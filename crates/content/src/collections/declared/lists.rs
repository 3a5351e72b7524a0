//! Reads the keys of a schema that make lists of entries, `filters` and `feed`, and that name one: `source`.

use std::sync::Arc;

use diagnostics::problem::{Code, Problem, Problems, Source, Span, did_you_mean};
use diagnostics::yaml::{self, Node, Spanned, Value};
use schema::types::FieldType;
use schema::{Block, Field, Takes};

use super::{
    FeedFile, FeedOptions, FilterSchema, LIST_ADDRESS, TableSource, Use, paths, per_language,
};

/// The placeholders of the patterns of a filter.
pub const FILTER_PLACEHOLDERS: [&str; 4] = ["name", "slug", "key", "count"];

/// Reads the fields by whose values there are pages. `None` if one is wrong, which was reported.
pub(super) fn filters(
    node: &Node,
    source: &Arc<Source>,
    fields: &Block,
    problems: &mut Problems,
) -> Option<Vec<FilterSchema>> {
    let Value::Map(entries) = &node.value else {
        let message = format!("expected a block of fields, found {}", node.value.kind());
        problems.push(node.problem(source, Problem::error(Code::WrongType, message)));
        return None;
    };
    let mut filters = Vec::new();
    for (key, value) in entries {
        let wrong = match fields.field(&key.name).map(|field| &field.takes) {
            Some(Takes::Reference(_) | Takes::Choice { .. } | Takes::Text | Takes::Flag) => None,
            Some(_) => Some((
                format!("`{}` cannot be a filter", key.name),
                Some("only references, choices, text and flags can be filters".to_owned()),
            )),
            None => Some(fields.unknown(&key.name)),
        };
        if let Some((message, hint)) = wrong {
            problems.push(
                Problem::error(Code::UnknownId, message)
                    .at(source.place(key.span))
                    .maybe_hint(hint),
            );
            return None;
        }
        let (address, title, description) = match value.get("address") {
            Some(address) => (address, value.get("title"), value.get("description")),
            None => (value, None, None),
        };
        let mut unknown_names = [Some(address), title, description]
            .into_iter()
            .flatten()
            .flat_map(unknown);
        if let Some((name, span)) = unknown_names.next() {
            let message = format!("`{{{name}}}` is not a placeholder here");
            let problem = Problem::error(Code::UnknownPlaceholder, message).at(source.place(span));
            problems.push(problem.maybe_hint(did_you_mean(&name, FILTER_PLACEHOLDERS)));
            return None;
        }
        let mut optional = |node: Option<&Node>| match node {
            Some(node) => per_language(source, node, problems).map(Some),
            None => Some(None),
        };
        let (title, description) = (optional(title)?, optional(description)?);
        let address = per_language(source, address, problems)?;
        let empty = match value.get("empty") {
            Some(empty) => yaml::read(source, empty, problems)?,
            None => false,
        };
        filters.push(FilterSchema {
            field: key.name.clone(),
            span: key.span,
            address,
            title,
            description,
            empty,
        });
    }
    Some(filters)
}

/// Returns the placeholders in the patterns of a filter that its pages do not have.
fn unknown(pattern: &Node) -> impl Iterator<Item = (String, Span)> {
    let names = paths(pattern)
        .into_iter()
        .filter_map(|(used, span)| match used {
            Use::Path(name) if LIST_ADDRESS != format!("{{{name}}}") => Some((name, span)),
            _ => None,
        });
    names.filter(|(name, _)| !FILTER_PLACEHOLDERS.contains(&name.as_str()))
}

/// A file or an address, with its place.
type Named = Option<(String, Span)>;

/// The file or the address that holds all entries. `None` if it is wrong, which was reported.
pub(super) fn table(
    node: &Node,
    table: TableSource,
    source: &Arc<Source>,
    problems: &mut Problems,
) -> Option<(Named, Named)> {
    let mut refused = |span: Span, message: String, hint: &str| {
        problems.push(
            Problem::error(Code::CollectionSchema, message)
                .at(source.place(span))
                .hint(hint),
        );
        None
    };
    if let (Some(_), Some(written)) = (&table.file, &table.on_error) {
        let message =
            "`on_error` is only for entries from a URL, but these come from a file".to_owned();
        return refused(
            written.span,
            message,
            "remove `on_error`, and correct any errors in the file",
        );
    }
    match (table.file, table.url) {
        (Some(file), None) => Some((Some((file.value, file.span)), None)),
        (None, Some(url)) => {
            let parsed = reqwest::Url::parse(&url.value).ok().filter(|parsed| {
                matches!(parsed.scheme(), "http" | "https")
                    && parsed.username().is_empty()
                    && parsed.password().is_none()
            });
            if parsed.is_none() {
                let message = format!("`{}` is not a valid URL for a table", url.value);
                return refused(
                    url.span,
                    message,
                    "write a URL such as `https://api.example/prices.csv`, without a password",
                );
            }
            Some((None, Some((url.value, url.span))))
        }
        (Some(_), Some(url)) => refused(
            url.span,
            "a source is a file or a URL, not both".to_owned(),
            "remove `file` or `url`",
        ),
        (None, None) => {
            let message = "this source names neither a file nor a URL".to_owned();
            refused(
                node.span,
                message,
                "write `source: {file: prices.csv}` or `source: {url: …}`",
            )
        }
    }
}

fn is_duration(field: &Field) -> bool {
    !field.list && matches!(field.takes, Takes::Typed(FieldType::Duration))
}

/// Reads the options of feeds. `None` if they are wrong, which was reported.
pub(super) fn feed(
    feed: &Spanned<FeedFile>,
    source: &Source,
    fields: &Block,
    problems: &mut Problems,
) -> Option<FeedOptions> {
    let named = feed
        .date
        .as_ref()
        .map(|date| (date.value.as_str(), date.span));
    let found = match named {
        Some((name, _)) => fields.field(name).filter(|field| field.is_date()),
        None => fields.fields.iter().find(|field| field.is_date()),
    };
    let Some(field) = found else {
        let (message, hint, span) = match named {
            Some((name, span)) => (
                format!("`{name}` is not a field with a single date"),
                "name a field of the type `date` or `datetime`",
                span,
            ),
            None => (
                "a feed needs a field with a date".to_owned(),
                "add a field of the type `date` or `datetime`, or remove `feed`",
                feed.span,
            ),
        };
        let problem = Problem::error(Code::CollectionSchema, message).at(source.place(span));
        problems.push(problem.hint(hint));
        return None;
    };
    let date = field.name.to_owned();
    let end = match &feed.end {
        None => fields
            .fields
            .iter()
            .find(|end| end.not_before == Some(field.name) && end.is_date()),
        Some(end) => {
            let found = fields
                .field(&end.value)
                .filter(|end| end.is_date() || is_duration(end));
            if found.is_none() {
                let message = format!(
                    "`{}` is not a field with a single date or a duration",
                    end.value
                );
                let problem =
                    Problem::error(Code::CollectionSchema, message).at(source.place(end.span));
                problems.push(
                    problem.hint("name the field that says when an entry ends, or remove `end`"),
                );
                return None;
            }
            found
        }
    };
    let end = end.map(|end| end.name.to_owned());
    Some(FeedOptions {
        items: feed.items,
        calendar: feed.calendar,
        date,
        end,
    })
}
