//! Lays the words of a language over a structure that all languages share. Both are trees, so that the result is read,
//! and its mistakes are placed, like a file that holds both.
//!
//! A key of words is the path of its text: `hero.actions.1.label` is the label of the first action of `hero`. Blocks
//! work too. Maps are merged key by key, and lists of blocks item by item; any other value replaces the shared one.

use crate::problem::{Code, Problem, Problems, Source, Span};

use super::node::{Key, Node, Value};

/// Words by name, in the order of the file.
#[derive(Debug, Default)]
pub struct Words(Vec<(Key, Entry)>);

/// The value of one name in the texts of a language.
#[derive(Debug)]
pub enum Entry {
    /// A value, written after the name.
    Value(Node),
    /// Words whose keys begin with the name and a dot.
    Block(Words),
}

impl Words {
    /// Reads the entries of a block whose keys are paths.
    pub fn read(source: &Source, entries: Vec<(Key, Node)>, problems: &mut Problems) -> Words {
        let mut words = Words::default();
        for (key, node) in entries {
            let path: Vec<&str> = key.name.split('.').collect();
            if !words.insert(&path, key.span, node) {
                let message = format!("`{}` sets something that is already set above", key.name);
                let problem =
                    Problem::error(Code::DuplicateKey, message).at(source.place(key.span));
                problems.push(problem.hint("remove one of the two"));
            }
        }
        words
    }

    /// Removes what is said about a name.
    pub fn take(&mut self, name: &str) -> Option<(Key, Entry)> {
        let at = self.0.iter().position(|(key, _)| key.name == name)?;
        Some(self.0.remove(at))
    }

    /// The names, each with the span of its first key.
    pub fn names(&self) -> impl Iterator<Item = &Key> {
        self.0.iter().map(|(key, _)| key)
    }

    /// Whether a name has the key `key`.
    pub fn has(&self, name: &str, key: &str) -> bool {
        match self.0.iter().find(|(other, _)| other.name == name) {
            Some((_, Entry::Value(node))) => node.get(key).is_some(),
            Some((_, Entry::Block(words))) => words.names().any(|own| own.name == key),
            None => false,
        }
    }

    /// Adds a value at a path. `false` if there is one.
    fn insert(&mut self, path: &[&str], span: Span, node: Node) -> bool {
        let Some((first, rest)) = path.split_first() else {
            return false;
        };
        let Some(at) = self.0.iter().position(|(key, _)| key.name == **first) else {
            let entry = if rest.is_empty() {
                Entry::Value(node)
            } else {
                let mut words = Words::default();
                words.insert(rest, span, node);
                Entry::Block(words)
            };
            self.0.push((
                Key {
                    name: (*first).to_owned(),
                    span,
                },
                entry,
            ));
            return true;
        };
        let known = &mut self.0[at].1;
        // A block can be continued by paths, and paths by a block.
        if let Entry::Value(Node {
            value: Value::Map(entries),
            ..
        }) = known
        {
            let entries = std::mem::take(entries)
                .into_iter()
                .map(|(key, node)| (key, Entry::Value(node)));
            *known = Entry::Block(Words(entries.collect()));
        }
        match (known, rest, node) {
            (
                Entry::Block(words),
                [],
                Node {
                    value: Value::Map(entries),
                    ..
                },
            ) => {
                // Reports one of several: the rest is found once it is corrected.
                entries
                    .into_iter()
                    .all(|(key, node)| words.insert(&[key.name.as_str()], key.span, node))
            }
            (Entry::Block(words), [_, ..], node) => words.insert(rest, span, node),
            _ => false,
        }
    }
}

/// Lays words over a shared value, whose place is called `name` in messages: `hero`, then `hero.actions.1`.
pub fn overlay(
    shared: Option<Node>,
    words: Option<Entry>,
    name: &str,
    source: &Source,
    problems: &mut Problems,
) -> Option<Node> {
    let shared = shared.map(|mut node| {
        node.set_prefix(name);
        node
    });
    let mut layers = Layers { source, problems };
    match (shared, words) {
        (None, None) => None,
        (Some(shared), None) => Some(shared),
        (None, Some(words)) => Some(layers.alone(words, name)),
        (Some(shared), Some(words)) => Some(layers.lay(shared, words, name)),
    }
}

struct Layers<'a> {
    source: &'a Source,
    problems: &'a mut Problems,
}

impl Layers<'_> {
    fn lay(&mut self, mut shared: Node, words: Entry, name: &str) -> Node {
        let words = match (&shared.value, words) {
            (
                Value::Map(_),
                Entry::Value(Node {
                    value: Value::Map(entries),
                    ..
                }),
            ) => Words(
                entries
                    .into_iter()
                    .map(|(key, node)| (key, Entry::Value(node)))
                    .collect(),
            ),
            (
                Value::List(own),
                Entry::Value(Node {
                    value: Value::List(items),
                    span,
                    ..
                }),
            ) if are_blocks(own) && are_blocks(&items) => {
                return self.lay_list(shared, items, span, name);
            }
            (Value::Map(_) | Value::List(_), Entry::Block(words)) => words,
            (_, words) => return self.alone(words, name),
        };
        match &mut shared.value {
            Value::Map(entries) => {
                // A missing key is missing in the texts.
                shared.span = words.0.first().map_or(shared.span, |(key, _)| key.span);
                for (key, entry) in words.0 {
                    let name = format!("{name}.{}", key.name);
                    if let Some((_, node)) =
                        entries.iter_mut().find(|(own, _)| own.name == key.name)
                    {
                        *node = self.lay(taken(node), entry, &name);
                    } else {
                        let node = self.alone(entry, &name);
                        entries.push((key, node));
                    }
                }
            }
            Value::List(items) => {
                for (key, entry) in words.0 {
                    let name = format!("{name}.{}", key.name);
                    let count = items.len();
                    let item = key
                        .name
                        .parse::<usize>()
                        .ok()
                        .and_then(|at| items.get_mut(at.wrapping_sub(1)));
                    if let Some(item) = item {
                        *item = self.lay(taken(item), entry, &name);
                    } else {
                        let message = format!(
                            "there is no `{name}`: the shared list has {}",
                            items_of(count)
                        );
                        self.report(
                            key.span,
                            message,
                            "name an item by its number, counting from 1",
                        );
                    }
                }
            }
            _ => {}
        }
        shared
    }

    /// Lays a list over a list, item by item.
    fn lay_list(&mut self, mut shared: Node, items: Vec<Node>, span: Span, name: &str) -> Node {
        let Value::List(own) = &mut shared.value else {
            return shared;
        };
        if own.len() != items.len() {
            let message = format!(
                "`{name}` has {} here, but {} in the shared list",
                items_of(items.len()),
                own.len()
            );
            let hint = "write the text of each shared item, in the same order, or write the whole list in each language";
            self.report(span, message, hint);
        }
        // The problem is reported once, not again for each item without words.
        own.truncate(items.len());
        for (at, (own, item)) in own.iter_mut().zip(items).enumerate() {
            *own = self.lay(
                taken(own),
                Entry::Value(item),
                &format!("{name}.{}", at + 1),
            );
        }
        shared
    }

    /// Words about which the structure says nothing. If their names are numbers, they are the items of a list.
    fn alone(&mut self, words: Entry, name: &str) -> Node {
        let words = match words {
            Entry::Value(node) => return node,
            Entry::Block(words) => words,
        };
        let span = words.0.first().map_or(Span::default(), |(key, _)| key.span);
        let is_list = words
            .names()
            .all(|key| key.name.bytes().all(|byte| byte.is_ascii_digit()));
        let mut entries = Vec::new();
        for (at, (key, entry)) in words.0.into_iter().enumerate() {
            let name = format!("{name}.{}", key.name);
            if is_list && key.name != (at + 1).to_string() {
                let message = format!("`{name}` is not the next item: expected `{}`", at + 1);
                self.report(key.span, message, "number the items from 1, in order");
            }
            let node = self.alone(entry, &name);
            entries.push((key, node));
        }
        let value = if is_list {
            Value::List(entries.into_iter().map(|(_, node)| node).collect())
        } else {
            Value::Map(entries)
        };
        Node {
            prefix: Some(name.into()),
            ..Node::new(value, span)
        }
    }

    fn report(&mut self, span: Span, message: String, hint: &str) {
        self.problems.push(
            Problem::error(Code::WordsMismatch, message)
                .at(self.source.place(span))
                .hint(hint),
        );
    }
}

fn taken(node: &mut Node) -> Node {
    std::mem::replace(node, Node::new(Value::Null, Span::default()))
}

fn items_of(count: usize) -> String {
    if count == 1 {
        "1 item".to_owned()
    } else {
        format!("{count} items")
    }
}

fn are_blocks(items: &[Node]) -> bool {
    items.iter().all(|item| matches!(item.value, Value::Map(_)))
}

impl Node {
    /// Names the keys of all blocks of this value, so that a missing one can be named with its path.
    fn set_prefix(&mut self, name: &str) {
        match &mut self.value {
            Value::Map(entries) => {
                self.prefix = Some(name.into());
                entries
                    .iter_mut()
                    .for_each(|(key, node)| node.set_prefix(&format!("{name}.{}", key.name)));
            }
            Value::List(items) => {
                for (at, item) in items.iter_mut().enumerate() {
                    item.set_prefix(&format!("{name}.{}", at + 1));
                }
            }
            _ => {}
        }
    }
}
