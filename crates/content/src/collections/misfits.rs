//! The values of an entry that do not fit their fields, found without reading the site: forms ask before they save.

use std::sync::Arc;

use config::Config;
use diagnostics::problem::{Problems, Source};
use diagnostics::yaml::{self, Node, Value};
use schema::Each;

use super::CollectionSchema;

/// Reports the values in a YAML file of an entry that their fields do not take. Keys of no field and fields without a
/// value are left to the build, as is a file that is no block.
pub fn misfits(
    config: &Config,
    schema: &'static CollectionSchema,
    source: &Arc<Source>,
) -> Problems {
    let mut problems = Problems::new();
    let Ok(node) = yaml::parse(source, 0..source.text.len()) else {
        return problems;
    };
    let Value::Map(entries) = &node.value else {
        return problems;
    };
    for (key, value) in entries {
        let Some(field) = schema.fields.field(&key.name) else {
            continue;
        };
        let texts = field
            .texts(value, &|code| config.site.has_language(code))
            .filter(|_| field.words);
        let values: Vec<&Node> = texts.map_or_else(
            || vec![value],
            |texts| texts.iter().map(|(_, text)| text).collect(),
        );
        for value in values.into_iter().filter(|value| !is_empty(value)) {
            let one = node.with_value(Value::Map(vec![(key.clone(), value.clone())]));
            Each::read(source, one, &schema.fields, &[], &mut problems);
        }
    }
    problems
}

/// Whether a form has left a field without a value.
fn is_empty(node: &Node) -> bool {
    match &node.value {
        Value::Null => true,
        Value::Text(text) => text.trim().is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    }
}
