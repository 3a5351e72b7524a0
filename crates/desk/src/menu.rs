//! The menus of the header and of the footer as a form: entries, their order, their groups and their labels.
//!
//! The form gets a tree of entries, each with the place that it has in `content/site.yaml`, and gives it back in another
//! order. First the lines of the entries are moved as they are, with their comments; then labels and targets are changed like
//! any value of a form. The settings are written in one transaction, or not at all.

use workspace::kinds::Kind;

mod lines;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use config::Options;
use diagnostics::problem::{Code, Place, Problem, Source};
use diagnostics::yaml;
use workspace::files::{self, FileSet, SourceChange};

use super::protocol::{Refusal, answered, claim, write};
use super::save::{self, Form};

/// The file with the menus.
const FILE: &str = Kind::Site.path();

/// A list of entries in the settings.
struct Menu {
    /// Its name in the form.
    name: &'static str,
    /// The keys that lead to it.
    path: [&'static str; 2],
    /// The key of the label of its own entries; links below them have `label`.
    label: &'static str,
    /// The key of the links of a group.
    links: &'static str,
}

const MENUS: [Menu; 2] = [
    Menu {
        name: "header",
        path: ["header", "menu"],
        label: "label",
        links: "children",
    },
    Menu {
        name: "footer",
        path: ["footer", "groups"],
        label: "title",
        links: "links",
    },
];

/// An entry as the form gives it back.
#[derive(Debug, Clone, Deserialize)]
struct Entry {
    /// Where it is in the file: `2`, or `2.0` for the first link of the third entry. `None` for a new one.
    id: Option<String>,
    /// Its labels by language.
    label: Map<String, Value>,
    /// Its target.
    to: Option<String>,
    /// The links of a group; `None` for a link.
    links: Option<Vec<Entry>>,
}

/// Changes the values of an entry that the file has; the key of its label, and the entry as the form gives it back.
type Change<'a> = &'a dyn Fn(&mut Map<String, Value>, &str, &Entry);

/// The menus as the form gives them back.
#[derive(Debug, Deserialize)]
struct Asked {
    /// The text of the settings that the form began with.
    base: String,
    header: Vec<Entry>,
    footer: Vec<Entry>,
}

/// The menus of a site, as [`super::answer`]: `{base, header, footer}`, where an entry is `{id, label, to, collection, from,
/// until, links}`.
pub fn menu(root: &FileSet) -> (u16, Value) {
    let read = || {
        let text = root.read_text(&root.join(FILE))?.text.clone();
        let values = values(&text)?;
        let mut answer = json!({"base": text});
        for menu in &MENUS {
            let shown = menu.entries(&values).iter().enumerate();
            answer[menu.name] = shown
                .map(|(at, entry)| menu.shown(entry, &at.to_string(), true))
                .collect();
        }
        Ok(answer)
    };
    answered(read())
}

/// Saves the menus, as [`super::answer`]: `{files}` have changed. Refused if the menus have changed in the file since the form
/// was opened, or if the site had a new error.
pub fn save_menu(root: &FileSet, options: &Options, asked: Value) -> (u16, Value) {
    let saved = || {
        let asked: Asked = serde_json::from_value(asked)
            .map_err(|error| Refusal(422, format!("the form could not be read: {error}")))?;
        let writer = claim(root)?;
        let before = files::before_change(root, FILE);
        let disk = root.read_text(&root.join(FILE))?.text.clone();
        let text = changed(&disk, &asked)?;
        if text == disk {
            return Ok(Vec::new());
        }
        if let Some(error) =
            language_server::new_error(root, options, &[(FILE.to_owned(), text.clone())])
        {
            return Err(Refusal(409, format!("{error}; nothing was saved")));
        }
        write(&writer, &[SourceChange::to_text(FILE, before, &text)])?;
        Ok(vec![FILE])
    };
    answered(saved().map(|files| json!({"files": files})))
}

/// The text of the settings with the menus that are asked for.
fn changed(disk: &str, asked: &Asked) -> Result<String, Refusal> {
    let (mut text, now, before) = (disk.to_owned(), values(disk)?, values(&asked.base)?);
    let mut wanted = now.clone();
    for (menu, tree) in MENUS.iter().zip([&asked.header, &asked.footer]) {
        let own = menu.entries(&now);
        if own != menu.entries(&before) {
            let message = "the menu was changed in the file while the form was open";
            let hint = "nothing was saved: note your changes, reload the page, and make them again";
            return Err(Problem::error(Code::SaveConflict, message)
                .at(Place::file(FILE))
                .hint(hint)
                .into());
        }
        let kept = menu.list(own, tree, &|_, _, _| {})?;
        if kept != *own
            && let Some(moved) = menu.moved(&text, tree)
            && values(&moved).is_ok_and(|values| values == with(&text, menu, &kept))
        {
            text = moved;
        }
        let list = menu.list(own, tree, &relabel)?;
        if list != *own {
            menu.set(&mut wanted, list);
        }
    }
    let form = Form {
        path: FILE.to_owned(),
        base: Some(text.clone()),
        values: wanted,
        body: None,
        orders: Vec::new(),
    };
    Ok(save::merge(&form, Some(&text))?)
}

/// The values of a text with another list of a menu.
fn with(text: &str, menu: &Menu, list: &[Value]) -> Value {
    let mut values = values(text).unwrap_or_default();
    menu.set(&mut values, list.to_vec());
    values
}

fn values(text: &str) -> Result<Value, Refusal> {
    Ok(save::values(FILE, text)?.0)
}

/// Gives an entry the labels and the target of the form.
fn relabel(entry: &mut Map<String, Value>, key: &str, asked: &Entry) {
    let mut label = entry
        .get(key)
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    for (code, text) in &asked.label {
        match text.as_str().map(str::trim) {
            None | Some("") => drop(label.shift_remove(code)),
            Some(text) => drop(label.insert(code.clone(), json!(text))),
        }
    }
    if !label.is_empty() || entry.contains_key(key) {
        entry.insert(key.to_owned(), Value::Object(label));
    }
    if let Some(to) = asked
        .to
        .as_deref()
        .map(str::trim)
        .filter(|_| asked.links.is_none())
    {
        if to.is_empty() {
            entry.shift_remove("to");
        } else {
            entry.insert("to".to_owned(), json!(to));
        }
    }
}

impl Menu {
    /// Its entries in the values of the settings.
    fn entries<'a>(&self, values: &'a Value) -> &'a Vec<Value> {
        static NONE: Vec<Value> = Vec::new();
        values[self.path[0]][self.path[1]]
            .as_array()
            .unwrap_or(&NONE)
    }

    fn set(&self, values: &mut Value, list: Vec<Value>) {
        values[self.path[0]][self.path[1]] = Value::Array(list);
    }

    /// The key of the label at a level.
    fn label(&self, is_top: bool) -> &'static str {
        if is_top { self.label } else { "label" }
    }

    /// An entry for the form.
    fn shown(&self, entry: &Value, id: &str, is_top: bool) -> Value {
        let links = entry[self.links]
            .as_array()
            .filter(|_| is_top)
            .map(|links| {
                let shown = links.iter().enumerate();
                shown
                    .map(|(at, link)| self.shown(link, &format!("{id}.{at}"), false))
                    .collect::<Vec<Value>>()
            });
        let label = entry[self.label(is_top)].clone();
        json!({
            "id": id, "label": if label.is_object() { label } else { json!({}) }, "to": entry["to"],
            "collection": entry["entries"], "from": entry["publish_at"], "until": entry["expires_at"], "links": links,
        })
    }

    /// The entries of a tree as values. Those that the file has keep what they have, apart from `change`.
    fn list(&self, own: &[Value], tree: &[Entry], change: Change) -> Result<Vec<Value>, Refusal> {
        let mut seen = BTreeSet::new();
        self.level(own, tree, true, &mut seen, change)
    }

    fn level(
        &self,
        own: &[Value],
        tree: &[Entry],
        is_top: bool,
        seen: &mut BTreeSet<String>,
        change: Change,
    ) -> Result<Vec<Value>, Refusal> {
        let mut list = Vec::with_capacity(tree.len());
        for entry in tree {
            let known = entry.id.as_deref().map(|id| {
                let found = self.at(own, id).filter(|_| seen.insert(id.to_owned()));
                found.ok_or_else(|| {
                    refused(format!(
                        "the menu has no entry `{id}`, or it was sent twice"
                    ))
                })
            });
            let is_new = known.is_none();
            let mut values = known
                .transpose()?
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default();
            let label = self.label(is_top);
            // Links of the footer's groups have another key for their label than the groups.
            if is_new {
                relabel(&mut values, label, entry);
            } else {
                change(&mut values, label, entry);
            }
            match &entry.links {
                Some(_) if !is_top => {
                    return Err(refused("a group can't be inside another group".to_owned()));
                }
                Some(links) if links.is_empty() => {
                    let name = entry
                        .label
                        .values()
                        .find_map(Value::as_str)
                        .unwrap_or_default();
                    let hint = "move a link into it, or remove the group";
                    return Err(refused(format!("the group “{name}” has no links: {hint}")));
                }
                Some(links) => {
                    let links = self.level(own, links, false, seen, change)?;
                    values.insert(self.links.to_owned(), Value::Array(links));
                }
                None if is_top && self.label != "label" => {
                    return Err(refused("a footer link must be in a group".to_owned()));
                }
                None => drop(values.shift_remove(self.links)),
            }
            list.push(Value::Object(values));
        }
        Ok(list)
    }

    /// The entry at a place, such as `2.0`.
    fn at<'a>(&self, own: &'a [Value], id: &str) -> Option<&'a Value> {
        let mut numbers = id.split('.').map(str::parse::<usize>);
        let entry = own.get(numbers.next()?.ok()?)?;
        match numbers.next() {
            None => Some(entry),
            Some(number) => entry[self.links].get(number.ok()?),
        }
    }

    /// The text of the settings with the lines of its entries in the order of a tree. `None` if the entries are not written one
    /// below the other.
    fn moved(&self, text: &str, tree: &[Entry]) -> Option<String> {
        let source = Source::new(FILE.to_owned(), text.to_owned());
        let node = yaml::parse(&source, 0..text.len()).ok()?;
        let above = node.get(self.path[0])?;
        lines::arranged(
            text,
            above,
            self.path[1],
            self.links,
            &self.slots(tree, true)?,
        )
    }

    fn slots(&self, tree: &[Entry], is_top: bool) -> Option<Vec<lines::Slot>> {
        tree.iter()
            .map(|entry| {
                let links = entry.links.as_ref().map(|links| self.slots(links, false));
                let links = match links {
                    Some(links) => Some(links?),
                    None => None,
                };
                let mut new = Map::new();
                if entry.id.is_none() {
                    relabel(&mut new, self.label(is_top), entry);
                }
                Some(lines::Slot {
                    id: entry.id.clone(),
                    new: Value::Object(new),
                    links,
                })
            })
            .collect()
    }
}

/// A refusal of a tree, after which nothing was saved.
fn refused(message: String) -> Refusal {
    Refusal(422, message + "; nothing was saved")
}
