//! Checks the patterns of addresses in a schema. An address that no language can have, or that an entry may lack a part of, is
//! one mistake, however many entries there are.

use std::cell::LazyCell;
use std::sync::Arc;

use config::SiteSettings;
use diagnostics::problem::{Code, Problem, Problems, Source, Span};
use diagnostics::yaml::{self, Node, Value};
use languages::locale::placeholder_names;
use schema::Field;

use super::{CollectionSchema, LIST_ADDRESS, PerLanguage};

/// Reports addresses of entries and of filters.
pub(super) fn check(schema: &CollectionSchema, settings: &SiteSettings, problems: &mut Problems) {
    let Some(address) = &schema.address else {
        return;
    };
    let source = &schema.source;
    // Read again for the place of a mistake only: schemas are remembered, and this runs before each build.
    let tree = LazyCell::new(|| yaml::parse(source, 0..source.text.len()).ok());
    let at = || tree.as_ref()?.get("address");
    form(source, address, &at, settings, problems);
    if let Some(field) = address.texts().find_map(|text| optional(schema, text)) {
        let message = format!("the URL needs `{}`, but the field is optional", field.name);
        let problem = Problem::error(Code::CollectionSchema, message).at(place(source, at()));
        problems.push(problem.hint(format!(
            "add `required: true` to `{0}`, or remove `{0}` from `address`",
            field.name
        )));
    }
    for filter in &schema.filters {
        form(
            source,
            &filter.address,
            &|| {
                let written = tree.as_ref()?.get("filters")?.get(&filter.field)?;
                written.get("address").or(Some(written))
            },
            settings,
            problems,
        );
    }
}

/// Reports a pattern with a brace that is never closed: it would be taken for a text without fields.
pub(super) fn closed(source: &Arc<Source>, node: &Node, problems: &mut Problems) -> Option<()> {
    let texts: Vec<&Node> = match &node.value {
        Value::Map(entries) => entries.iter().map(|(_, text)| text).collect(),
        _ => vec![node],
    };
    for text in texts {
        let written = text.as_text().unwrap_or_default();
        let open = written.split('{').skip(1).find(|part| !part.contains('}'));
        if let Some(open) = open {
            let name: String = open
                .chars()
                .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
                .collect();
            let message = format!("`{{{name}` has no closing brace");
            let problem = text.problem(source, Problem::error(Code::CollectionSchema, message));
            problems.push(problem.hint(format!("write `{{{name}}}`")));
            return None;
        }
    }
    Some(())
}

fn place(source: &Arc<Source>, node: Option<&Node>) -> diagnostics::problem::Place {
    source.place(node.map_or(Span::default(), |node| node.span))
}

/// A field in an address that an entry may lack.
fn optional<'a>(schema: &'a CollectionSchema, address: &str) -> Option<&'a Field> {
    placeholder_names(address).find_map(|name| {
        let field = schema.fields.field(name.split('.').next()?)?;
        let may_lack = field
            .absent()
            .is_some_and(|value| value.is_null() || value.is_array());
        may_lack.then_some(field)
    })
}

/// Reports an address without a slash at its beginning or its end, or with the prefix of another language than its own.
fn form<'n>(
    source: &Arc<Source>,
    address: &PerLanguage,
    node: &dyn Fn() -> Option<&'n Node>,
    settings: &SiteSettings,
    problems: &mut Problems,
) {
    let texts: Vec<(Option<&str>, &str)> = match address {
        PerLanguage::All(text) => vec![(None, text)],
        PerLanguage::Each(texts) => texts
            .iter()
            .map(|(code, text)| (Some(code.as_str()), text.as_str()))
            .collect(),
    };
    for (code, text) in texts {
        let is_below = text.starts_with(LIST_ADDRESS);
        let start = if text.starts_with('/') || is_below {
            ""
        } else {
            "/"
        };
        let end = if text.ends_with('/') { "" } else { "/" };
        let wrong = if !start.is_empty() || !end.is_empty() {
            let what = if start.is_empty() { "end" } else { "begin" };
            Some((
                format!("the URL `{text}` does not {what} with a slash"),
                format!("{start}{text}{end}"),
            ))
        } else {
            let prefix = code.map(|code| settings.prefix(code)).filter(|_| !is_below);
            let is_known =
                code.is_some_and(|code| settings.locales.iter().any(|known| known.value == code));
            prefix
                .filter(|prefix| is_known && !text.starts_with(&format!("{prefix}/")))
                .map(|prefix| {
                    let code = code.unwrap_or_default();
                    let message = format!(
                        "the URL of a page in the locale `{code}` must begin with `{prefix}/`"
                    );
                    (message, format!("{prefix}{text}"))
                })
        };
        if let Some((message, right)) = wrong {
            let at = node().and_then(|node| match (&node.value, code) {
                (Value::Map(_), Some(code)) => node.get(code),
                _ => Some(node),
            });
            let problem = Problem::error(Code::BadPath, message).at(place(source, at));
            problems.push(problem.hint(format!("write `{right}`")));
        }
    }
}
