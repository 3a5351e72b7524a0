//! Reads the clients, `content/clients.yaml`: who is named, with which logo and link. Case studies and strips of logos
//! name a client by its key.
//!
//! A key is replaced in the tree of a file, before the file is read as a type, so that pages with written-out logos and
//! pages with keys are the same to all that follows.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::config::SiteSettings;
use crate::content_types::Link;
use crate::files::FileSet;
use diagnostics::problem::{Code, Problem, Problems, Source, Span, did_you_mean};
use diagnostics::yaml::{self, Key, Node, Value};

use super::origins;

const FILE: &str = "content/clients.yaml";

/// The clients of a site.
pub(super) struct Clients {
    source: Arc<Source>,
    entries: Vec<(Key, Node)>,
}

/// The keys of a client, for the check of their names and types.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Client {
    /// The name, as everyone writes it.
    #[serde(rename = "name")]
    _name: String,
    /// The logo: an SVG in one color.
    #[serde(rename = "logo")]
    _logo: Option<String>,
    /// Where its logo leads, such as its case study. Checked where it is used.
    #[serde(rename = "to")]
    #[schemars(with = "Option<Link>")]
    _to: Option<IgnoredAny>,
}

impl Clients {
    /// Reads the file. `None` if there is none, or if it could not be read, which [`check`] reports.
    pub(super) fn read(root: &FileSet) -> Option<Clients> {
        Clients::try_read(root)?.ok()
    }

    fn try_read(root: &FileSet) -> Option<Result<Clients, Problem>> {
        let path = root.join(FILE);
        let read = || {
            let source = root.read_text(&path)?;
            let node = yaml::parse(&source, 0..source.text.len())?;
            match node.value {
                Value::Map(entries) => Ok(Clients { source, entries }),
                ref other => {
                    let message = format!("a block of clients was expected, not {}", other.kind());
                    let problem = node.problem(&source, Problem::error(Code::WrongType, message));
                    Err(problem.hint("write the key of each client on its own line, with its keys below: `name: …`"))
                }
            }
        };
        root.exists(&path).then(read)
    }

    /// Marks its texts, if the settings ask for it.
    pub(super) fn mark(&mut self, settings: &SiteSettings) {
        let Clients { source, entries } = self;
        entries.iter_mut().for_each(|(_, node)| origins::mark_tree(settings, source, node));
    }

    /// The keys of all clients, in order.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(key, _)| key.name.as_str())
    }

    fn find(&self, written: &Node, source: &Source, problems: &mut Problems) -> Option<&(Key, Node)> {
        let name = written.as_text()?;
        let found = self.entries.iter().find(|(key, _)| key.name == name);
        if found.is_none() {
            let problem = Problem::error(Code::UnknownId, format!("`{FILE}` has no client `{name}`"));
            let near = did_you_mean(name, self.keys());
            let near = near.unwrap_or_else(|| format!("add `{name}: {{name: …}}` to it"));
            problems.push(written.problem(source, problem).hint(near));
        }
        found
    }

    /// Replaces the key of a case study's client by the name.
    pub(super) fn name_in_study(&self, study: &mut Node, source: &Source, problems: &mut Problems) {
        let Value::Map(entries) = &mut study.value else { return };
        let Some((_, client)) = entries.iter_mut().find(|(key, _)| key.name == "client") else { return };
        let found = self.find(client, source, problems);
        if let Some(name) = found.and_then(|(_, node)| node.get("name"))
            && let Some(text) = name.as_text()
        {
            client.value = Value::Text(text.to_owned());
            client.mark = name.mark;
        }
    }
}

/// Checks the keys of all clients.
pub(super) fn check(root: &FileSet) -> Problems {
    let mut problems = Problems::new();
    match Clients::try_read(root) {
        Some(Ok(clients)) => {
            for (_, node) in &clients.entries {
                yaml::read::<Client>(&clients.source, node, &mut problems);
            }
        }
        Some(Err(problem)) => problems.push(problem),
        None => {}
    }
    problems
}

/// Replaces the keys of clients in the strips of logos of a page by what the clients' file says.
pub(super) fn fill_logos(root: &FileSet, source: Arc<Source>, page: &mut Node, problems: &mut Problems) -> Arc<Source> {
    let mut strips: Vec<&mut Vec<Node>> = logo_lists(page).collect();
    strips.retain(|items| items.iter().any(|item| item.as_text().is_some()));
    if strips.is_empty() {
        return source;
    }
    let Some(mut clients) = Clients::read(root) else { return source };
    let (both, offset) = source.followed_by(&clients.source);
    clients.entries.iter_mut().for_each(|(key, node)| {
        node.shift(offset);
        key.span = Span::new(key.span.start as usize + offset, key.span.end as usize + offset);
    });
    for items in strips {
        items.retain_mut(|item| {
            if item.as_text().is_none() {
                return true;
            }
            let Some((key, client)) = clients.find(item, &both, problems) else { return false };
            match logo(client) {
                Ok(logo) => {
                    *item = Node::new(logo, item.span);
                    true
                }
                Err(missing) => {
                    let message = format!("`{}` is shown as a logo, and has no `{missing}`", key.name);
                    let problem = Problem::error(Code::MissingKey, message).at(both.place(key.span));
                    problems.push(problem.hint(format!("add `{missing}: …`")));
                    false
                }
            }
        });
    }
    Arc::new(both)
}

/// The lists `logos` of all sections.
fn logo_lists(page: &mut Node) -> impl Iterator<Item = &mut Vec<Node>> {
    items(page, "sections").into_iter().flatten().filter_map(|section| items(section, "logos"))
}

fn items<'a>(node: &'a mut Node, key: &str) -> Option<&'a mut Vec<Node>> {
    let Value::Map(entries) = &mut node.value else { return None };
    match &mut entries.iter_mut().find(|(own, _)| own.name == key)?.1.value {
        Value::List(items) => Some(items),
        _ => None,
    }
}

/// A logo as a page writes it out, or the key that the client lacks.
fn logo(client: &Node) -> Result<Value, &'static str> {
    let [name, logo, to] = ["name", "logo", "to"].map(|key| client.get(key).cloned().ok_or(key));
    let (name, logo, to) = (name?, logo?, to?);
    let span = logo.span;
    let entry = |key: &str, node: Node| (Key { name: key.to_owned(), span }, node);
    let mark = Node::new(Value::Map(vec![entry("src", logo), entry("alt", name.clone())]), span);
    Ok(Value::Map(vec![entry("name", name), entry("mark", mark), entry("to", to)]))
}
