//! Values of files as JSON, and what a form means by the values that it gives back.
//!
//! Forms have habits that are no changes: an empty field for an absent key, a toggle that was never touched, a number as
//! text, a text without its last line break. [`meant`] undoes them, so that what is left was changed by a person.

use serde_json::{Number, json};

use diagnostics::problem::Span;
use diagnostics::yaml::{Key, Node, Value, arrangement, distance};

/// Whole numbers beyond this one change in a browser, so they are texts in JSON.
const MAX_SAFE_INTEGER: u64 = 1 << 53;

/// A tree as JSON, without places.
pub(super) fn to_json(node: &Node) -> serde_json::Value {
    match &node.value {
        Value::Null => json!(null),
        Value::Bool(value) => json!(value),
        Value::Int(number) if number.unsigned_abs() > MAX_SAFE_INTEGER => json!(number.to_string()),
        Value::Int(number) => json!(number),
        // `.nan` and `.inf` are no numbers of JSON.
        Value::Float(number) => {
            Number::from_f64(*number).map_or_else(|| json!(number.to_string()), Into::into)
        }
        Value::Text(text) => json!(text),
        Value::List(items) => items.iter().map(to_json).collect(),
        Value::Map(entries) => entries
            .iter()
            .map(|(key, node)| (key.name.clone(), to_json(node)))
            .collect(),
    }
}

/// JSON as a tree. It has no places.
pub(super) fn from_json(json: &serde_json::Value) -> Node {
    node(match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => Value::Int(number),
            (None, Some(number)) => Value::Float(number),
            (None, None) => Value::Text(number.to_string()),
        },
        serde_json::Value::String(text) => Value::Text(text.replace("\r\n", "\n")),
        serde_json::Value::Array(items) => Value::List(items.iter().map(from_json).collect()),
        serde_json::Value::Object(entries) => Value::Map(
            entries
                .iter()
                .map(|(name, json)| {
                    (
                        Key {
                            name: name.clone(),
                            span: Span::default(),
                        },
                        from_json(json),
                    )
                })
                .collect(),
        ),
    })
}

fn node(value: Value) -> Node {
    Node::new(value, Span::default())
}

/// The value that a form means, if it began with `base`: the values of `base` for all that is the same, with the types
/// that they have there.
pub(super) fn meant(base: Option<&Node>, form: &Node) -> Node {
    let base = base.filter(|base| base.value != Value::Null);
    if form.is_blank() {
        return base.filter(|base| base.is_blank()).unwrap_or(form).clone();
    }
    match (base.map(|base| &base.value), &form.value) {
        (Some(Value::List(own)), Value::List(items)) => {
            let alike = |nodes: &[Node]| nodes.iter().map(comparable).collect::<Vec<Node>>();
            let from = arrangement(&alike(own), &alike(items), &distance);
            node(Value::List(
                from.into_iter()
                    .zip(items)
                    .map(|(from, item)| meant(from.map(|at| &own[at]), item))
                    .collect(),
            ))
        }
        (_, Value::List(items)) => node(Value::List(
            items.iter().map(|item| meant(None, item)).collect(),
        )),
        (_, Value::Map(entries)) => {
            let base = base.filter(|base| matches!(base.value, Value::Map(_)));
            node(Value::Map(meant_entries(base, entries)))
        }
        (Some(own), value) => {
            scalar(own, value).map_or_else(|| node(tidied(Some(own), value)), node)
        }
        (None, value) => node(tidied(None, value)),
    }
}

fn meant_entries(base: Option<&Node>, entries: &[(Key, Node)]) -> Vec<(Key, Node)> {
    let mut meant_entries: Vec<(Key, Node)> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let own = base
            .and_then(|base| base.get(&key.name))
            .filter(|own| own.value != Value::Null);
        let node = meant(own, value);
        if !is_untouched(own, &node) {
            meant_entries.push((key.clone(), node));
        }
    }
    // A toggle that is off may be left out.
    if let Some(Value::Map(own)) = base.map(|base| &base.value) {
        meant_entries.extend(
            own.iter()
                .filter(|(key, node)| {
                    node.value == Value::Bool(false)
                        && !entries.iter().any(|(other, _)| other.name == key.name)
                })
                .cloned(),
        );
    }
    meant_entries
}

/// Tells whether a field of a form was left as empty as it is in the file.
fn is_untouched(own: Option<&Node>, node: &Node) -> bool {
    node.is_blank() && own.is_none_or(|own| !own.is_blank())
        || node.value == Value::Bool(false) && own.is_none()
}

/// The value of a scalar that the form gives back in another type, or in other white space. `None` if it is another one.
fn scalar(own: &Value, form: &Value) -> Option<Value> {
    let is_same = match (own, form) {
        (Value::Text(own), Value::Text(text)) => is_same_text(own, text),
        (Value::Text(own), Value::Int(_) | Value::Float(_)) => {
            let given = number(form)?;
            if own
                .trim()
                .parse::<f64>()
                .is_ok_and(|own| is_equal(own, given))
            {
                return Some(Value::Text(own.clone()));
            }
            return Some(Value::Text(given.to_string()));
        }
        (Value::Float(own), Value::Text(text)) if !own.is_finite() => *text == own.to_string(),
        (Value::Int(_) | Value::Float(_), Value::Text(text)) => {
            let given = numeric(text)?;
            if own == &given
                || number(own)
                    .zip(number(&given))
                    .is_some_and(|(own, given)| is_equal(own, given))
            {
                return Some(own.clone());
            }
            return Some(given);
        }
        (Value::Text(own), Value::Bool(value)) => own == &value.to_string(),
        (Value::Bool(_), Value::Text(text)) => return text.trim().parse().ok().map(Value::Bool),
        _ => {
            number(own)
                .zip(number(form))
                .is_some_and(|(own, form)| is_equal(own, form))
                || own == form
        }
    };
    is_same.then(|| own.clone())
}

#[expect(
    clippy::float_cmp,
    reason = "a number that is written another way is the same one"
)]
fn is_equal(one: f64, other: f64) -> bool {
    one == other
}

#[expect(
    clippy::cast_precision_loss,
    reason = "larger numbers are texts in JSON"
)]
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

/// The number that a text field shows. A text such as `007` or `1e3` is not one that a field shows.
fn numeric(text: &str) -> Option<Value> {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let whole = digits.split('.').next().unwrap_or_default();
    let has_zeros = whole.len() > 1 && whole.starts_with('0');
    if whole.is_empty() || has_zeros || !digits.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return None;
    }
    text.parse()
        .ok()
        .map(Value::Int)
        .or_else(|| text.parse().ok().map(Value::Float))
}

/// Whether two texts are the same but for white space that a text area or an editor of Markdown changes.
fn is_same_text(own: &str, text: &str) -> bool {
    let own = own.replace("\r\n", "\n");
    // Two spaces at the end of a line are a line break of Markdown.
    let line = |line: &str| {
        let trimmed = line.trim_end();
        if line.len() > trimmed.len() + 1 {
            format!("{trimmed}  ")
        } else {
            trimmed.to_owned()
        }
    };
    let is_long = own.contains('\n') || text.contains('\n');
    own == text
        || is_long
            && own
                .trim_end()
                .split('\n')
                .map(line)
                .eq(text.trim_end().split('\n').map(line))
}

/// A new scalar, whose text ends like the one before.
fn tidied(own: Option<&Value>, value: &Value) -> Value {
    let Value::Text(text) = value else {
        return value.clone();
    };
    let end = match own {
        Some(Value::Text(own)) => &own[own.trim_end_matches('\n').len()..],
        _ => "",
    };
    if text.contains('\n') || !end.is_empty() {
        return Value::Text(format!("{}{end}", text.trim_end()));
    }
    Value::Text(text.clone())
}

/// A value in a form that is the same whichever habits a form has, to find out which items of two lists are the same.
fn comparable(value: &Node) -> Node {
    node(match &value.value {
        Value::Int(_) | Value::Float(_) => {
            Value::Text(number(&value.value).unwrap_or_default().to_string())
        }
        Value::Bool(false) => Value::Null,
        Value::Text(text) => Value::Text(match numeric(text).as_ref().and_then(number) {
            Some(number) => number.to_string(),
            None => text
                .lines()
                .map(str::trim_end)
                .collect::<Vec<_>>()
                .join("\n")
                .trim_end()
                .to_owned(),
        }),
        Value::List(items) => Value::List(items.iter().map(comparable).collect()),
        Value::Map(entries) => Value::Map(
            entries
                .iter()
                .map(|(key, node)| (key.clone(), comparable(node)))
                .collect(),
        ),
        other => other.clone(),
    })
}
