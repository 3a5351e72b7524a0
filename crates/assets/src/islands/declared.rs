//! The islands that a site adds to those of the theme. Their props are declared in TypeScript, as the type of the first
//! parameter of the component; TypeScript itself tells what that type is
//! (`typescript.rs`). The values of a template are
//! checked against it as those of the theme's islands are against their structs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::TypeScript;
use diagnostics::problem::{Problem, nearest};

/// The props of the islands by name, or why a declaration cannot be used.
pub(super) type Declarations = BTreeMap<String, Result<DeclaredProps, String>>;

/// The props of an island.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct DeclaredProps {
    props: Shape,
    /// The blocks of names that `props` consists of, by number.
    blocks: Vec<BTreeMap<String, Prop>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Prop {
    optional: bool,
    shape: Shape,
}

/// A type of TypeScript, as far as JSON can hold its values.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase")]
enum Shape {
    Any,
    Null,
    Text,
    Number,
    Flag,
    Literal { value: Value },
    Union { of: Vec<Shape> },
    List { of: Box<Shape> },
    Tuple { of: Vec<Shape> },
    Names { of: Box<Shape> },
    Block { number: usize },
    Unusable { written: String },
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Answer {
    Failed { failed: String },
    Props(DeclaredProps),
}

/// Reads the props of these islands.
///
/// # Errors
/// A problem without a place, if TypeScript or Node.js is missing or fails.
pub(super) fn read(typescript: &TypeScript, names: &[&str]) -> Result<Declarations, Problem> {
    let answers: BTreeMap<String, Answer> = typescript.props(names)?;
    let read = answers.into_iter().map(|(name, answer)| match answer {
        Answer::Failed { failed } => (name, Err(failed)),
        Answer::Props(props) => (name, Ok(props)),
    });
    Ok(read.collect())
}

impl DeclaredProps {
    /// The props as the component receives them: `null` for an optional prop is left out. The error is the path of the
    /// invalid value and the reason.
    pub fn check(&self, value: Value) -> Result<Value, (String, String)> {
        self.checked(&self.props, value, ".")
    }

    fn checked(&self, shape: &Shape, value: Value, path: &str) -> Result<Value, (String, String)> {
        match (shape, value) {
            (Shape::List { of }, Value::Array(items)) => {
                let items = items.into_iter().enumerate();
                items
                    .map(|(at, item)| self.checked(of, item, &format!("{path}[{at}]")))
                    .collect()
            }
            (Shape::Tuple { of }, Value::Array(items)) if items.len() == of.len() => {
                let items = of.iter().zip(items).enumerate();
                items
                    .map(|(at, (shape, item))| self.checked(shape, item, &format!("{path}[{at}]")))
                    .collect()
            }
            (Shape::Names { of }, Value::Object(values)) => {
                let values = values.into_iter();
                let values = values.map(|(name, value)| {
                    Ok((name.clone(), self.checked(of, value, &below(path, &name))?))
                });
                values.collect::<Result<Map<_, _>, _>>().map(Value::Object)
            }
            (Shape::Block { number }, Value::Object(values)) => {
                self.block(&self.blocks[*number], values, path)
            }
            (Shape::Union { of }, value) => {
                let fitting = of
                    .iter()
                    .find_map(|shape| self.checked(shape, value.clone(), path).ok());
                // With one block among the shapes, its reason says more than a list of what is possible.
                let blocks: Vec<&Shape> = of
                    .iter()
                    .filter(|shape| matches!(shape, Shape::Block { .. }))
                    .collect();
                match (fitting, blocks.as_slice()) {
                    (Some(value), _) => Ok(value),
                    (None, [block]) if value.is_object() => self.checked(block, value, path),
                    (None, _) => Err((path.to_owned(), unexpected(shape, &value))),
                }
            }
            (Shape::Null, Value::Null) => Ok(Value::Null),
            (Shape::Any, value)
            | (Shape::Text, value @ Value::String(_))
            | (Shape::Number, value @ Value::Number(_))
            | (Shape::Flag, value @ Value::Bool(_)) => Ok(value),
            (Shape::Literal { value: wanted }, value) if is_same(wanted, &value) => Ok(value),
            (_, value) => Err((path.to_owned(), unexpected(shape, &value))),
        }
    }

    fn block(
        &self,
        props: &BTreeMap<String, Prop>,
        mut values: Map<String, Value>,
        path: &str,
    ) -> Result<Value, (String, String)> {
        if let Some(name) = values.keys().find(|name| !props.contains_key(*name)) {
            let near = nearest(name, props.keys().map(String::as_str));
            let near = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
            return Err((path.to_owned(), format!("unknown prop `{name}`{near}")));
        }
        let mut checked = Map::new();
        for (name, Prop { optional, shape }) in props {
            let value = match values.remove(name) {
                None | Some(Value::Null) if *optional => continue,
                Some(value) => value,
                None if matches!(shape, Shape::Any) => continue,
                None if matches!(shape, Shape::Unusable { .. }) => {
                    return Err((below(path, name), unexpected(shape, &Value::Null)));
                }
                None => return Err((path.to_owned(), format!("missing prop `{name}`"))),
            };
            checked.insert(
                name.clone(),
                self.checked(shape, value, &below(path, name))?,
            );
        }
        Ok(Value::Object(checked))
    }
}

/// Whether a value is the literal; TypeScript writes `1.0` as `1`.
fn is_same(wanted: &Value, value: &Value) -> bool {
    wanted == value || wanted.is_number() && wanted.as_f64() == value.as_f64()
}

/// The path of a value in another.
fn below(path: &str, name: &str) -> String {
    if path == "." {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

fn unexpected(shape: &Shape, value: &Value) -> String {
    let expected = words(shape);
    let convert = match (shape, value) {
        (Shape::Number, Value::String(text)) if text.parse::<f64>().is_ok() => {
            "; write `value | float`"
        }
        _ => "",
    };
    if let Shape::Unusable { .. } = shape {
        return format!("{expected}, which a template cannot pass; make the prop optional");
    }
    format!("expected {expected}, found {}{convert}", found(value))
}

/// The expected shape, as text.
fn words(shape: &Shape) -> String {
    match shape {
        Shape::Any => "any value".to_owned(),
        Shape::Null => "`none`".to_owned(),
        Shape::Text => "text".to_owned(),
        Shape::Number => "a number".to_owned(),
        Shape::Flag => "true or false".to_owned(),
        Shape::Literal {
            value: Value::String(text),
        } => format!("`{text}`"),
        Shape::Literal { value } => format!("`{value}`"),
        Shape::List { .. } => "a list".to_owned(),
        Shape::Tuple { of } => format!("a list of {} values", of.len()),
        Shape::Names { .. } | Shape::Block { .. } => "an object".to_owned(),
        Shape::Union { of } => of.iter().map(words).collect::<Vec<_>>().join(" or "),
        Shape::Unusable { written } => format!("its type is `{written}`"),
    }
}

fn found(value: &Value) -> String {
    match value {
        Value::Null => "`none`".to_owned(),
        Value::Bool(value) => format!("`{value}`"),
        Value::Number(number) => format!("the number `{number}`"),
        Value::String(text) => format!("the text `{text:.40}`"),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// `{label: string, price: number, kind?: "a" | "b", parts: Part[], note?: string | null}`, where
    /// `Part = {name: string, parts?: Part[]}`.
    fn props() -> DeclaredProps {
        let optional = |shape: Value| json!({"optional": true, "shape": shape});
        let required = |shape: Value| json!({"optional": false, "shape": shape});
        let parts = json!({"is": "list", "of": {"is": "block", "number": 1}});
        let literal = |value: &str| json!({"is": "literal", "value": value});
        serde_json::from_value(json!({"props": {"is": "block", "number": 0}, "blocks": [
            {
                "label": required(json!({"is": "text"})),
                "price": required(json!({"is": "number"})),
                "kind": optional(json!({"is": "union", "of": [literal("a"), literal("b")]})),
                "parts": required(parts.clone()),
                "note": optional(json!({"is": "union", "of": [{"is": "null"}, {"is": "text"}]})),
            },
            {"name": required(json!({"is": "text"})), "parts": optional(parts)},
        ]}))
        .expect("shapes")
    }

    #[test]
    fn values_are_checked_at_any_depth() {
        let good = json!({"label": "x", "price": 1.5, "kind": null, "parts": [{"name": "a", "parts": [{"name": "b"}]}]});
        let mut checked = props().check(good).expect("no mistake");
        assert!(
            checked
                .as_object_mut()
                .and_then(|props| props.remove("kind"))
                .is_none(),
            "null for an optional prop"
        );
        let with = |name: &str, value: Value| {
            let mut props = json!({"label": "x", "price": 1, "parts": []});
            props[name] = value;
            props
        };
        for (value, path, why) in [
            (
                with("price", json!("2")),
                "price",
                "expected a number, found the text `2`; write `value | float`",
            ),
            (
                with("kind", json!("c")),
                "kind",
                "expected `a` or `b`, found the text `c`",
            ),
            (
                with("lable", json!("y")),
                ".",
                "unknown prop `lable` (did you mean `label`?)",
            ),
            (
                with("parts", json!([{"name": "a", "parts": [{}]}])),
                "parts[0].parts[0]",
                "missing prop `name`",
            ),
            (
                json!({"label": "x", "parts": []}),
                ".",
                "missing prop `price`",
            ),
        ] {
            assert_eq!(props().check(value), Err((path.to_owned(), why.to_owned())));
        }
    }
}
