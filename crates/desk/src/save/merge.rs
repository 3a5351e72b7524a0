//! Merges the values of a form into those of a file that may have changed since the form was opened.
//!
//! Three trees of values: the *base*, with which the form began, what the form says now, and what the file on the disk
//! says now. A value that one side left as it was has the value of the other side.

use diagnostics::problem::{Code, Problem, Source};
use diagnostics::yaml::{Key, Node, Value, arrangement, distance};

/// A value that the form and the file have changed, each in another way.
pub(super) struct Conflict {
    /// The path of the value, with items counted from 1: `hero.actions.1.label`.
    path: String,
    /// The value in the file now. `None` if it has no such value any more.
    now: Option<Node>,
}

/// The values that the file must have.
pub(super) fn merge(base: &Node, form: &Node, disk: &Node) -> Result<Node, Conflict> {
    let merged = value(Some(base), Some(form), Some(disk), "")?;
    Ok(merged.unwrap_or_else(|| disk.with_value(Value::Null)))
}

/// Merges one value. `None` is one that is not there.
fn value(
    base: Option<&Node>,
    form: Option<&Node>,
    disk: Option<&Node>,
    path: &str,
) -> Result<Option<Node>, Conflict> {
    let is_same = |one: Option<&Node>, other: Option<&Node>| match (one, other) {
        (Some(one), Some(other)) => distance(one, other) == 0,
        (one, other) => !is_said(one) && !is_said(other),
    };
    if is_same(base, form) || is_same(form, disk) {
        return Ok(disk.cloned());
    }
    if is_same(base, disk) {
        return Ok(form.cloned());
    }
    match (
        base.map(|base| &base.value),
        form.map(|form| &form.value),
        disk.map(|disk| &disk.value),
    ) {
        (base, Some(Value::Map(form)), Some(Value::Map(own))) => {
            let base = match base {
                Some(Value::Map(base)) => &base[..],
                _ => &[],
            };
            entries(base, form, own, path)
                .map(|merged| disk.map(|disk| disk.with_value(Value::Map(merged))))
        }
        (Some(Value::List(base)), Some(Value::List(form)), Some(Value::List(own))) => {
            let merged = items(base, form, own, path)?;
            merged.map_or_else(
                || {
                    Err(Conflict {
                        path: path.to_owned(),
                        now: disk.cloned(),
                    })
                },
                |merged| Ok(disk.map(|disk| disk.with_value(Value::List(merged)))),
            )
        }
        _ => Err(Conflict {
            path: path.to_owned(),
            now: disk.filter(|disk| !disk.is_blank()).cloned(),
        }),
    }
}

/// Tells whether there is a node with a value.
fn is_said(node: Option<&Node>) -> bool {
    node.is_some_and(|node| !node.is_blank())
}

type Entries = [(Key, Node)];

/// Keys in the order of the form, then those that only the file has.
fn entries(
    base: &Entries,
    form: &Entries,
    disk: &Entries,
    path: &str,
) -> Result<Vec<(Key, Node)>, Conflict> {
    fn get<'a>(entries: &'a Entries, name: &str) -> Option<&'a Node> {
        entries
            .iter()
            .find(|(key, _)| key.name == name)
            .map(|(_, node)| node)
    }
    let only = disk
        .iter()
        .filter(|(key, _)| get(form, &key.name).is_none());
    let mut merged = Vec::new();
    for (key, _) in form.iter().chain(only) {
        let name = &key.name;
        let node = value(
            get(base, name),
            get(form, name),
            get(disk, name),
            &below(path, name),
        )?;
        merged.extend(node.map(|node| (key.clone(), node)));
    }
    Ok(merged)
}

/// Items of a list. `None` if both sides added, moved or removed items.
fn items(
    base: &[Node],
    form: &[Node],
    disk: &[Node],
    path: &str,
) -> Result<Option<Vec<Node>>, Conflict> {
    let in_form = arrangement(base, form, &distance);
    let in_disk = arrangement(base, disk, &distance);
    let is_in_place = |from: &[Option<usize>]| from.iter().copied().eq((0..base.len()).map(Some));
    // The side that arranged the items, the other one, and whether the first is the form.
    let (from, arranged, other, is_form) = if is_in_place(&in_form) {
        (&in_disk, disk, form, false)
    } else if is_in_place(&in_disk) {
        (&in_form, form, disk, true)
    } else {
        return Ok(None);
    };
    for (at, item) in base
        .iter()
        .enumerate()
        .filter(|(at, _)| !from.contains(&Some(*at)))
    {
        if distance(item, &other[at]) > 0 {
            let now = is_form.then(|| other[at].clone());
            return Err(Conflict {
                path: below(path, &(at + 1).to_string()),
                now,
            });
        }
    }
    let mut merged = Vec::with_capacity(arranged.len());
    for (at, (item, origin)) in arranged.iter().zip(from).enumerate() {
        let Some(origin) = *origin else {
            merged.push(item.clone());
            continue;
        };
        let (form, disk) = if is_form {
            (item, &other[origin])
        } else {
            (&other[origin], item)
        };
        let number = if is_form { origin } else { at };
        let node = value(
            Some(&base[origin]),
            Some(form),
            Some(disk),
            &below(path, &(number + 1).to_string()),
        )?;
        merged.push(node.unwrap_or_else(|| disk.with_value(Value::Null)));
    }
    Ok(Some(merged))
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

impl Conflict {
    #[cfg(test)]
    pub fn path(&self) -> &str {
        &self.path
    }

    pub fn problem(&self, source: &Source) -> Problem {
        let Conflict { path, now } = self;
        let (place, now) = match now {
            Some(node) => (
                source.place(node.span),
                format!("the value is now {}", described(node)),
            ),
            None => (
                diagnostics::problem::Place::file(source.path.clone()),
                "the file no longer has this value".to_owned(),
            ),
        };
        let name = if path.is_empty() {
            "the value".to_owned()
        } else {
            format!("`{path}`")
        };
        let message = format!("{name} was changed in the file while the form was open: {now}");
        Problem::error(Code::SaveConflict, message)
            .at(place)
            .hint(super::RELOAD)
    }
}

/// A value in a sentence.
fn described(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => format!("`{}`", super::shortened(text)),
        Value::List(items) if items.len() == 1 => "a list of one item".to_owned(),
        Value::List(items) => format!("a list of {} items", items.len()),
        Value::Map(_) => "a block of values".to_owned(),
        Value::Null => "empty".to_owned(),
        Value::Bool(value) => format!("`{value}`"),
        Value::Int(number) => format!("`{number}`"),
        Value::Float(number) => format!("`{number}`"),
    }
}

/// The value at a path as [`diagnostics::yaml::Stuck`] names it.
pub(super) fn find<'a>(node: &'a Node, path: &str) -> Option<&'a Node> {
    if path.is_empty() {
        return Some(node);
    }
    let rest = |name: &str| {
        let rest = path.strip_prefix(name)?;
        if rest.is_empty() {
            Some(rest)
        } else {
            rest.strip_prefix('.')
        }
    };
    match &node.value {
        // Keys may hold dots themselves.
        Value::Map(entries) => entries
            .iter()
            .find_map(|(key, node)| find(node, rest(&key.name)?)),
        Value::List(items) => items
            .iter()
            .enumerate()
            .find_map(|(at, node)| find(node, rest(&(at + 1).to_string())?)),
        _ => None,
    }
}
