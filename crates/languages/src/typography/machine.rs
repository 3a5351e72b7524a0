//! The fields of collections, posts, sections and settings whose values programs read, such as dates, amounts and durations: they
//! have a notation of their own, which is not that of texts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use diagnostics::yaml::{self, Node, Value};
use workspace::files::{self, FileSet};
use workspace::kinds::Kind;

/// Types of fields with texts.
const WITH_WORDS: &[&str] = &["text", "markdown", "picture", "link", "action", "block"];
/// The folders with the schemas of collections and sections, and the schema of settings.
const COLLECTIONS: &str = Kind::Collection.folder();
const SECTIONS: &str = "templates/sections";
const SETTINGS: (&str, &str) = ("settings", "templates/settings.yaml");
/// The schema of posts, and the folder of their files.
const POSTS: (&str, &str) = ("posts", "blog");

/// The names of such fields. A schema that cannot be read was reported.
pub(super) struct MachineFields {
    /// By the folder or the name of the file below `content/`.
    files: BTreeMap<String, BTreeSet<String>>,
    /// By the kind of the section.
    sections: BTreeMap<String, BTreeSet<String>>,
}

impl MachineFields {
    /// Those of the schemas of a site.
    pub fn of(root: &FileSet) -> MachineFields {
        let mut files = below(root, COLLECTIONS);
        if let Some(names) = names(root, &root.join(SETTINGS.1)) {
            files.insert(SETTINGS.0.to_owned(), names);
        }
        if let Some(names) = files.remove(POSTS.0) {
            files.insert(POSTS.1.to_owned(), names);
        }
        MachineFields {
            files,
            sections: below(root, SECTIONS),
        }
    }

    /// Those of a file, by its path below `content/`.
    pub fn of_file(&self, path: &str) -> Option<&BTreeSet<String>> {
        let first = path.split('/').next().unwrap_or_default();
        self.files.get(first.strip_suffix(".yaml").unwrap_or(first))
    }

    /// Those of a section, by its kind.
    pub fn of_section(&self, kind: &str) -> Option<&BTreeSet<String>> {
        self.sections.get(kind)
    }
}

/// The names in the schemas below a folder, by the name of the folder of each.
fn below(root: &FileSet, folder: &str) -> BTreeMap<String, BTreeSet<String>> {
    let folder = root.join(folder);
    root.list(&folder)
        .0
        .into_iter()
        .filter_map(|path| {
            let name = files::shown(&folder, &path)
                .strip_suffix("/schema.yaml")?
                .to_owned();
            Some((name, names(root, &path)?))
        })
        .collect()
}

fn names(root: &FileSet, path: &Path) -> Option<BTreeSet<String>> {
    let source = Some(path)
        .filter(|path| root.exists(path))
        .and_then(|path| root.read_text(path).ok())?;
    let node = yaml::parse(&source, 0..source.text.len()).ok()?;
    let mut names = BTreeSet::new();
    collect(node.get("fields")?, &mut names);
    Some(names)
}

fn collect(fields: &Node, names: &mut BTreeSet<String>) {
    let Value::Map(fields) = &fields.value else {
        return;
    };
    for (key, field) in fields {
        let takes = field.get("type").and_then(Node::as_text);
        let has_notation = takes.is_some_and(|takes| !WITH_WORDS.contains(&takes));
        if has_notation || field.get("pattern").is_some() {
            names.insert(key.name.clone());
        }
        if let Some(inner) = field.get("fields") {
            collect(inner, names);
        }
    }
}
