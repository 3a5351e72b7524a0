//! The fields of collections and settings whose values programs read, such as dates, amounts and durations: they have a notation of
//! their own, which is not that of texts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::files::{self, FileSet};
use diagnostics::yaml::{self, Node, Value};

/// Types of fields with texts.
const WITH_WORDS: &[&str] = &["text", "markdown", "picture", "link", "action", "block"];
/// The folder with the schemas of collections, and the schema of settings.
const COLLECTIONS: &str = "templates/collections";
const SETTINGS: (&str, &str) = ("settings", "templates/settings.yaml");

/// The names of such fields, by the folder or the name of the file below `content/`. A schema that cannot be read was
/// reported.
pub(super) fn fields(root: &FileSet) -> BTreeMap<String, BTreeSet<String>> {
    let folder = root.join(COLLECTIONS);
    let (paths, _) = root.list(&folder);
    let collections = paths.into_iter().filter_map(|path| {
        let shown = files::shown(&folder, &path);
        shown.strip_suffix("/schema.yaml").map(|name| (name.to_owned(), path.clone()))
    });
    let settings = Some((SETTINGS.0.to_owned(), root.join(SETTINGS.1))).filter(|(_, path)| root.exists(path));
    let named = |(name, path): (String, PathBuf)| {
        let source = root.read_text(&path).ok()?;
        let node = yaml::parse(&source, 0..source.text.len()).ok()?;
        let mut names = BTreeSet::new();
        collect(node.get("fields")?, &mut names);
        Some((name, names))
    };
    collections.chain(settings).filter_map(named).collect()
}

fn collect(fields: &Node, names: &mut BTreeSet<String>) {
    let Value::Map(fields) = &fields.value else { return };
    for (key, field) in fields {
        let takes = field.get("type").and_then(Node::as_text);
        if takes.is_some_and(|takes| !WITH_WORDS.contains(&takes)) {
            names.insert(key.name.clone());
        }
        if let Some(inner) = field.get("fields") {
            collect(inner, names);
        }
    }
}
