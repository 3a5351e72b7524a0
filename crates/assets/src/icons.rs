//! Icons of `@phosphor-icons/core` as inline SVG. The set has thousands; the file of an icon is read at its first use.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use foldhash::{HashMap, HashMapExt};

use config::Config;
use diagnostics::problem::{Code, Problem, nearest};

const PACKAGE: &str = "@phosphor-icons/core";

/// The style of an icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IconStyle {
    /// Drawn with lines.
    Regular,
    /// Filled.
    Fill,
}

/// The names of all icons, sorted; empty if the set is not installed.
pub fn names(config: &Config) -> Vec<String> {
    let folder = config
        .paths
        .node_modules
        .as_ref()
        .map(|folder| folder.join(PACKAGE).join("assets/regular"));
    let entries = folder
        .and_then(|folder| std::fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            entry
                .file_name()
                .to_str()?
                .strip_suffix(".svg")
                .map(str::to_owned)
        })
        .collect();
    names.sort_unstable();
    names
}

/// The icon set.
#[derive(Debug)]
pub struct Icons {
    folder: Option<PathBuf>,
    /// The content of `package.json` of the installed package.
    version: String,
    cache: Mutex<HashMap<(String, IconStyle), Arc<str>>>,
}

impl Icons {
    pub(super) fn new(node_modules: Option<&Path>) -> Icons {
        let package = node_modules.map(|folder| folder.join(PACKAGE));
        let version = node_modules
            .and_then(|folder| std::fs::read_to_string(Icons::package_file(folder)).ok());
        let folder = package
            .map(|package| package.join("assets"))
            .filter(|folder| folder.is_dir());
        Icons {
            folder,
            version: version.unwrap_or_default(),
            cache: Mutex::new(HashMap::new()),
        }
    }

    /// The file that contains the version of the set.
    pub(super) fn package_file(node_modules: &Path) -> PathBuf {
        node_modules.join(PACKAGE).join("package.json")
    }

    /// A text that identifies the version of the set, for fingerprints.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The `<svg>` of an icon. It is hidden from screen readers, because the text beside it says the same. An error if
    /// the set has no such icon, or if it is not installed.
    pub fn svg(&self, name: &str, style: IconStyle) -> Result<Arc<str>, Problem> {
        let key = (name.to_owned(), style);
        // Poisoned only if another thread panicked; the map is intact.
        let mut cache = self
            .cache
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(svg) = cache.get(&key) {
            return Ok(Arc::clone(svg));
        }
        let svg: Arc<str> = self.load(name, style)?.into();
        cache.insert(key, Arc::clone(&svg));
        Ok(svg)
    }

    fn load(&self, name: &str, style: IconStyle) -> Result<String, Problem> {
        let Some(folder) = &self.folder else {
            return Err(
                Problem::error(Code::BundlerMissing, "the icon set is not installed")
                    .hint("run `npm install` in the site's folder"),
            );
        };
        if !name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        {
            return Err(
                unknown(name).hint("icon names contain only lowercase letters, digits and hyphens")
            );
        }
        let path = match style {
            IconStyle::Regular => folder.join("regular").join(format!("{name}.svg")),
            IconStyle::Fill => folder.join("fill").join(format!("{name}-fill.svg")),
        };
        let text = std::fs::read_to_string(&path)
            .map_err(|_| unknown(name).maybe_hint(self.near(name)))?;
        let inner = text
            .split_once('>')
            .and_then(|(_, rest)| rest.rsplit_once("</svg>"))
            .map(|(inner, _)| inner)
            .unwrap_or_default();
        let class = if is_arrow(name) {
            "icon icon--arrow"
        } else {
            "icon"
        };
        Ok(format!(
            r#"<svg class="{class}" viewBox="0 0 256 256" width="1em" height="1em" fill="currentColor" aria-hidden="true" focusable="false">{inner}</svg>"#
        ))
    }

    fn near(&self, name: &str) -> Option<String> {
        let entries = std::fs::read_dir(self.folder.as_ref()?.join("regular")).ok()?;
        let names: Vec<String> = entries
            .flatten()
            .map(|entry| {
                entry
                    .file_name()
                    .to_string_lossy()
                    .trim_end_matches(".svg")
                    .to_owned()
            })
            .collect();
        nearest(name, names.iter().map(String::as_str))
            .map(|near| format!("did you mean `{near}`?"))
    }
}

/// The problem of a name that no icon has.
fn unknown(name: &str) -> Problem {
    Problem::error(Code::UnknownIcon, format!("there is no icon `{name}`"))
}

/// Whether an icon points along the line. Style sheets mirror it in text from right to left.
fn is_arrow(name: &str) -> bool {
    let mut words = name.split('-');
    matches!(words.next(), Some("arrow" | "caret"))
        && words.any(|word| matches!(word, "left" | "right"))
}
