//! The part of a page that languages share: `content/pages/<key>/page.yaml`. It names the sections and has the values
//! that aren't text; the file of a language has the texts, by the names of the sections (`hero.title: …`).
//!
//! Both files become one tree, as if the language had written everything itself, and one source, so that a problem is
//! reported in the file that it is in. If both files set a value, the language file wins.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use diagnostics::problem::{Code, Problem, Problems, Source, did_you_mean};
use diagnostics::yaml::{self, Entry, Key, Node, Value, Words};
use workspace::files::FileSet;

use super::PagePlace;

/// The name of the shared file, where others have a locale.
pub(super) const NAME: &str = "page";

/// The keys of a page: a section cannot have their names.
pub const PAGE_KEYS: &[&str] = &[
    "path",
    "also_at",
    "title",
    "description",
    "noindex",
    "status",
    "answers_below",
    "anchors",
    "label",
    "image",
    "schema",
    "updated",
    "publish_at",
    "expires_at",
    "expired_to",
    "unlinked",
    "html_budget",
    "untranslated",
    "on_pages",
    "not_on_pages",
    "layout",
    "assumes",
    "like",
    "sections",
];

/// The keys that no page takes from the page that it is like.
const OWN_KEYS: &[&str] = &[
    "path",
    "also_at",
    "like",
    "publish_at",
    "expires_at",
    "expired_to",
    "on_pages",
    "not_on_pages",
];

/// A page that was put together from several files.
pub(super) struct Whole {
    /// All files; the first one is that of the language.
    pub source: Arc<Source>,
    /// The page as one tree, whose `sections` are a list.
    pub node: Node,
    /// The names of the sections, in order, and whether this language has words for them; empty without a shared file.
    pub names: Vec<(String, bool)>,
    /// A section is left out because of a problem.
    pub partial: bool,
}

/// Puts a page together. `node` is the file of its language.
///
/// The error is a file that could not be read.
pub(super) fn whole(
    root: &FileSet,
    place: PagePlace,
    source: Arc<Source>,
    node: Node,
    problems: &mut Problems,
) -> Result<Whole, Problem> {
    let PagePlace {
        folder: pages,
        key,
        locale,
    } = place;
    let whole = with_structure(root, &pages.join(key), source, node, problems)?;
    let Some(like) = whole.node.get("like") else {
        return Ok(whole);
    };
    let Some(other) = like.as_text() else {
        let problem = Problem::error(
            Code::WrongType,
            format!("expected the key of a page, found {}", like.value.kind()),
        );
        problems.push(like.problem(&whole.source, problem));
        return Ok(whole);
    };
    let file = pages.join(other).join(format!("{locale}.yaml"));
    let problem = if other.contains(['/', '\\']) || other.starts_with('.') || !root.exists(&file) {
        let keys = root.list(pages).0;
        let own = format!("{locale}.yaml");
        let keys: Vec<String> = keys
            .iter()
            .filter(|path| path.ends_with(&own))
            .filter_map(|path| Some(path.parent()?.file_name()?.to_string_lossy().into_owned()))
            .collect();
        let near = diagnostics::problem::nearest(other, keys.iter().map(String::as_str));
        let problem = Problem::error(
            Code::UnknownId,
            format!("this language has no page `{other}`"),
        );
        Some(problem.maybe_hint(near.map(|near| format!("did you mean `{near}`?"))))
    } else if other == key {
        Some(Problem::error(
            Code::InvalidValue,
            "a page cannot be `like` itself",
        ))
    } else {
        None
    };
    if let Some(problem) = problem {
        problems.push(like.problem(&whole.source, problem));
        return Ok(whole);
    }
    let source = root.read_text(&file)?;
    let node = yaml::parse(&source, 0..source.text.len())?;
    // Problems of the other page are reported with it.
    let model = with_structure(root, &pages.join(other), source, node, &mut Problems::new())?;
    if model.node.get("like").is_some() {
        let hint = format!("write the key of the page that `{other}` names in its own `like`");
        let problem = Problem::error(
            Code::InvalidValue,
            format!("`like` cannot name the page `{other}`, because that page also uses `like`"),
        )
        .hint(hint);
        problems.push(like.problem(&whole.source, problem));
    }
    Ok(whole.like(model))
}

fn with_structure(
    root: &FileSet,
    folder: &Path,
    source: Arc<Source>,
    node: Node,
    problems: &mut Problems,
) -> Result<Whole, Problem> {
    let file = folder.join(format!("{NAME}.yaml"));
    if !root.exists(&file) {
        return Ok(Whole {
            source,
            node,
            names: Vec::new(),
            partial: false,
        });
    }
    let shared = root.read_text(&file)?;
    let mut structure = yaml::parse(&shared, 0..shared.text.len())?;
    let (both, offset) = source.followed_by(&shared);
    structure.shift(offset);
    let mut composer = Composer {
        structure: &shared.path,
        both: &both,
        problems,
        names: Vec::new(),
        partial: false,
    };
    let node = composer.compose(structure, node);
    let (names, partial) = (composer.names, composer.partial);
    Ok(Whole {
        source: Arc::new(both),
        node,
        names,
        partial,
    })
}

/// A page in a language that lends its words.
pub(super) struct Lender {
    /// The language.
    pub locale: String,
    /// Its title and its description, and what is lent with them.
    pub head: BTreeMap<&'static str, Node>,
    /// Its sections that have words, by name.
    pub sections: BTreeMap<String, Node>,
    /// All its sections, if they are not shared.
    pub list: Vec<Node>,
}

/// The words of a page that is shown in a language without a file for them.
pub(super) const LENT_HEAD: [&str; 2] = ["title", "description"];
/// The look of a page that has no sections of its own: it belongs to those that it shows.
pub(super) const LENT_LOOK: &str = "layout";
/// What a page without a title of its own takes from the one that it shows: a text is public as long as in its own language,
/// and as hard to find.
pub(super) const LENT_STATE: [&str; 6] = [
    "noindex",
    "unlinked",
    "status",
    "publish_at",
    "expires_at",
    "expired_to",
];

/// The sections of a page in other languages, after the source of the page, which comes with theirs. Languages that cannot be
/// read lend nothing, which is reported with their pages.
pub(super) fn lenders<'a>(
    root: &FileSet,
    place: PagePlace,
    locales: impl Iterator<Item = &'a str>,
    mut source: Arc<Source>,
) -> (Arc<Source>, Vec<Lender>) {
    let mut lenders = Vec::new();
    for locale in locales {
        let folder = place.folder.join(place.key);
        let file = folder.join(format!("{locale}.yaml"));
        let Ok(own) = root.read_text(&file) else {
            continue;
        };
        let Ok(node) = yaml::parse(&own, 0..own.text.len()) else {
            continue;
        };
        let whole = with_structure(root, &folder, own, node, &mut Problems::new());
        let Ok(Whole {
            source: own,
            mut node,
            names,
            ..
        }) = whole
        else {
            continue;
        };
        let (both, offset) = source.followed_by(&own);
        node.shift(offset);
        source = Arc::new(both);
        let Value::Map(mut entries) = node.value else {
            continue;
        };
        let head = LENT_HEAD
            .into_iter()
            .chain([LENT_LOOK])
            .chain(LENT_STATE)
            .filter_map(|key| Some((key, take(&mut entries, key)?.1)))
            .collect();
        let sections = take(&mut entries, "sections").map(|(_, node)| node.value);
        let list = if let Some(Value::List(list)) = sections {
            list
        } else {
            Vec::new()
        };
        let named = names
            .iter()
            .zip(&list)
            .filter(|((_, has_words), _)| *has_words);
        let sections = named
            .map(|((name, _), node)| (name.clone(), node.clone()))
            .collect();
        let list = if names.is_empty() { list } else { Vec::new() };
        lenders.push(Lender {
            locale: locale.to_owned(),
            head,
            sections,
            list,
        });
    }
    (source, lenders)
}

impl Whole {
    /// Takes whatever this page does not say from another one.
    fn like(self, mut model: Whole) -> Whole {
        let (both, offset) = self.source.followed_by(&model.source);
        model.node.shift(offset);
        let partial = self.partial || model.partial;
        let (Value::Map(mut entries), Value::Map(others)) = (self.node.value, model.node.value)
        else {
            return Whole {
                source: Arc::new(both),
                node: Node::new(Value::Map(KeyedNodes::new()), self.node.span),
                names: Vec::new(),
                partial,
            };
        };
        for (key, node) in others {
            if !OWN_KEYS.contains(&key.name.as_str()) && !is_said(&entries, &key.name) {
                entries.push((key, node));
            }
        }
        // Sections of the other page have the names that they have there.
        let names = if is_said(&entries, "sections") && !self.names.is_empty() {
            self.names
        } else {
            model.names
        };
        Whole {
            source: Arc::new(both),
            node: Node::new(Value::Map(entries), self.node.span),
            names,
            partial,
        }
    }
}

/// Tells whether entries have a key.
fn is_said(entries: &KeyedNodes, name: &str) -> bool {
    entries.iter().any(|(key, _)| key.name == name)
}

struct Composer<'a> {
    /// The path of the shared file.
    structure: &'a str,
    both: &'a Source,
    problems: &'a mut Problems,
    /// See [`Whole::names`].
    names: Vec<(String, bool)>,
    partial: bool,
}

type KeyedNodes = Vec<(Key, Node)>;

impl Composer<'_> {
    fn compose(&mut self, structure: Node, words: Node) -> Node {
        let span = words.span;
        let Some(mut shared) = self.entries(structure) else {
            return words;
        };
        let Some(mut words) = self.entries(words) else {
            return Node::new(Value::Map(shared), span);
        };
        let sections = take(&mut shared, "sections").map(|(_, node)| node);
        let order = sections.as_ref().and_then(|_| take(&mut words, "sections"));
        let mut words = Words::read(self.both, words, self.problems);
        let sections = sections.map(|sections| {
            let shared = self.named_sections(sections);
            self.sections(shared, order, &mut words)
        });
        for key in PAGE_KEYS {
            let own = take(&mut shared, key);
            let (key_of_words, entry) = words.take(key).unzip();
            let key = own.as_ref().map(|(key, _)| key.clone()).or(key_of_words);
            let own = own.map(|(_, node)| node);
            let name = key.as_ref().map_or("", |key| key.name.as_str());
            if let Some(node) = yaml::overlay(own, entry, name, self.both, self.problems)
                && let Some(key) = key.clone()
            {
                shared.push((key, node));
            }
        }
        match sections {
            // Whatever is left names nothing, and is reported as an unknown key.
            None => shared.extend(self.rest(&mut words)),
            Some((list, names)) => {
                self.report_unknown(&words, &names);
                let key = Key {
                    name: "sections".to_owned(),
                    span,
                };
                shared.push((key, Node::new(Value::List(list), span)));
            }
        }
        Node::new(Value::Map(shared), span)
    }

    /// The entries of a file.
    fn entries(&mut self, node: Node) -> Option<KeyedNodes> {
        match node.value {
            Value::Map(entries) => Some(entries),
            ref other => {
                let message = format!("expected a block of keys, found {}", other.kind());
                self.problems
                    .push(node.problem(self.both, Problem::error(Code::WrongType, message)));
                self.partial = true;
                None
            }
        }
    }

    /// The sections of the structure, by name.
    fn named_sections(&mut self, sections: Node) -> KeyedNodes {
        let Value::Map(mut entries) = sections.value else {
            let message = format!("expected named sections, found {}", sections.value.kind());
            let problem = sections.problem(self.both, Problem::error(Code::WrongType, message));
            self.problems.push(problem.hint(
                "put each section's name, such as `hero:`, on its own line, with the section's keys below",
            ));
            self.partial = true;
            return KeyedNodes::new();
        };
        entries.retain_mut(|(key, node)| {
            let message = if PAGE_KEYS.contains(&key.name.as_str()) {
                "is a key of every page, so no section can have this name"
            } else if key.name.contains('.') {
                "has a dot, which separates a section from its keys"
            } else {
                // Whatever is wrong with a section that nobody gives words is in this line.
                node.span = key.span;
                return true;
            };
            let problem = Problem::error(Code::InvalidValue, format!("`{}` {message}", key.name));
            self.problems.push(
                problem
                    .at(self.both.place(key.span))
                    .hint("give the section another name"),
            );
            self.partial = true;
            false
        });
        entries
    }

    /// The sections of a language in its order, and all names that words can begin with.
    fn sections(
        &mut self,
        mut shared: KeyedNodes,
        order: Option<(Key, Node)>,
        words: &mut Words,
    ) -> (Vec<Node>, Vec<String>) {
        let is_shared =
            |shared: &KeyedNodes, name: &str| shared.iter().any(|(key, _)| key.name == name);
        let own: Vec<Key> = words
            .names()
            .filter(|key| {
                !PAGE_KEYS.contains(&key.name.as_str())
                    && !is_shared(&shared, &key.name)
                    && words.has(&key.name, "kind")
            })
            .cloned()
            .collect();
        let names: Vec<String> = shared
            .iter()
            .map(|(key, _)| key)
            .chain(&own)
            .map(|key| key.name.clone())
            .collect();
        let order = if let Some((key, list)) = order {
            self.order(&key, list, &names)
        } else {
            own.iter()
                .for_each(|key| self.report_without_place(key, &names));
            shared.iter().map(|(key, _)| key.name.clone()).collect()
        };
        let mut list = Vec::new();
        for name in &order {
            let (key, node) = take(&mut shared, name).unzip();
            let entry = words.take(name);
            let has_kind = node
                .as_ref()
                .is_some_and(|node: &Node| node.get("kind").is_some())
                || entry.as_ref().is_some_and(|(_, entry)| has_kind(entry));
            if let Some(key) = &key
                && !has_kind
            {
                let problem = Problem::error(
                    Code::MissingKey,
                    format!("the section `{name}` has no `kind`"),
                );
                self.problems.push(
                    problem
                        .at(self.both.place(key.span))
                        .hint("add `kind: …`, such as `kind: hero`"),
                );
                self.partial = true;
                continue;
            }
            let entry = entry.map(|(_, entry)| entry);
            let has_words = entry.is_some();
            if let Some(section) = yaml::overlay(node, entry, name, self.both, self.problems) {
                list.push(section);
                self.names.push((name.clone(), has_words));
            }
        }
        for name in names.iter().filter(|name| !order.contains(name)) {
            if let Some((key, _)) = words.take(name)
                && is_shared(&shared, name)
            {
                let message = format!("`sections` leaves out `{name}`, which has text here");
                let problem =
                    Problem::error(Code::WordsMismatch, message).at(self.both.place(key.span));
                self.problems
                    .push(problem.hint(format!("add `{name}` to `sections`, or remove its text")));
            }
        }
        (list, names)
    }

    /// Reports a section of a language that does not list its sections.
    fn report_without_place(&mut self, key: &Key, names: &[String]) {
        let message = format!("the section `{}` has no position on the page", key.name);
        let problem = Problem::error(Code::WordsMismatch, message).at(self.both.place(key.span));
        let hint = format!(
            "list all sections in order: `sections: [{}]`",
            names.join(", ")
        );
        self.problems.push(problem.hint(hint));
        self.partial = true;
    }

    /// The names that a language lists.
    fn order(&mut self, key: &Key, list: Node, names: &[String]) -> Vec<String> {
        let mut order: Vec<String> = Vec::new();
        let Value::List(items) = list.value else {
            let message = format!("expected a list of names, found {}", list.value.kind());
            let problem = Problem::error(Code::WrongType, message).at(self.both.place(key.span));
            self.problems
                .push(problem.hint(format!("write `sections: [{}]`", names.join(", "))));
            return names.to_vec();
        };
        for item in &items {
            let problem = match item.as_text() {
                Some(name) if order.iter().any(|known| known == name) => {
                    Problem::error(Code::WordsMismatch, format!("`{name}` is listed twice"))
                }
                Some(name) if names.iter().any(|known| known == name) => {
                    order.push(name.to_owned());
                    continue;
                }
                Some(name) => {
                    let message = format!("`{}` has no section `{name}`", self.structure);
                    let near = did_you_mean(name, names.iter().map(String::as_str));
                    Problem::error(Code::WordsMismatch, message).maybe_hint(near)
                }
                None => {
                    let message = format!(
                        "expected the name of a section, found {}",
                        item.value.kind()
                    );
                    let hint = format!(
                        "`{}` contains the sections; list their names",
                        self.structure
                    );
                    Problem::error(Code::WrongType, message).hint(hint)
                }
            };
            self.problems.push(item.problem(self.both, problem));
            self.partial = true;
        }
        order
    }

    /// Reports words that are neither of the page nor of one of its sections.
    fn report_unknown(&mut self, words: &Words, names: &[String]) {
        if names.is_empty() {
            // The sections could not be read, which was reported.
            return;
        }
        for key in words.names() {
            let known = names
                .iter()
                .map(String::as_str)
                .chain(PAGE_KEYS.iter().copied());
            let near = diagnostics::problem::nearest(&key.name, known)
                .map(|near| format!("did you mean `{near}`?"));
            let hint = near.unwrap_or_else(|| {
                format!(
                    "choose one of its sections ({}), or add a `kind` to a section that only this language has",
                    quoted(names)
                )
            });
            let message = format!("`{}` has no section `{}`", self.structure, key.name);
            let problem =
                Problem::error(Code::WordsMismatch, message).at(self.both.place(key.span));
            self.problems.push(problem.hint(hint));
        }
    }

    fn rest(&mut self, words: &mut Words) -> KeyedNodes {
        let names: Vec<String> = words.names().map(|key| key.name.clone()).collect();
        let mut rest = KeyedNodes::new();
        for name in names {
            if let Some((key, entry)) = words.take(&name)
                && let Some(node) =
                    yaml::overlay(None, Some(entry), &name, self.both, self.problems)
            {
                rest.push((key, node));
            }
        }
        rest
    }
}

fn take(entries: &mut KeyedNodes, name: &str) -> Option<(Key, Node)> {
    let at = entries.iter().position(|(key, _)| key.name == name)?;
    Some(entries.remove(at))
}

fn has_kind(entry: &Entry) -> bool {
    match entry {
        Entry::Value(node) => node.get("kind").is_some(),
        Entry::Block(words) => words.names().any(|key| key.name == "kind"),
    }
}

fn quoted(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use diagnostics::problem::{Code, Problems, Source};
    use diagnostics::yaml;

    use super::PAGE_KEYS;
    use crate::pages::PageHead;

    #[test]
    fn page_keys_are_those_of_a_page() {
        for key in PAGE_KEYS {
            let source = Arc::new(Source::new("a".into(), format!("{key}: x\n")));
            let node = yaml::parse(&source, 0..source.text.len()).expect("valid YAML");
            let mut problems = Problems::new();
            yaml::read::<PageHead>(&source, &node, &mut problems);
            assert!(
                problems
                    .iter()
                    .all(|problem| problem.code != Code::UnknownKey),
                "{key}"
            );
        }
        // An unknown key is answered with all known ones.
        let source = Arc::new(Source::new("a".into(), "zzzzzz: x\n".into()));
        let node = yaml::parse(&source, 0..source.text.len()).expect("valid YAML");
        let mut problems = Problems::new();
        yaml::read::<PageHead>(&source, &node, &mut problems);
        let hint = problems
            .iter()
            .find_map(|problem| problem.hint.clone())
            .expect("a hint");
        assert!(
            PAGE_KEYS
                .iter()
                .all(|key| hint.contains(&format!("`{key}`"))),
            "{hint}"
        );
        assert_eq!(hint.matches('`').count(), 2 * PAGE_KEYS.len(), "{hint}");
    }
}
