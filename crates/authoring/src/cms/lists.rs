//! What the fields of forms complete: targets of links, pictures, tags.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use site::content::images;
use site::files::{self, FileSet};
use site::model::{Site, shared};

/// All lists, by the names that fields have for them.
pub(super) fn all(root: &FileSet, site: Option<&Site>) -> Value {
    let keys: BTreeSet<&str> = site.iter().flat_map(|site| &site.pages).map(|page| page.key.as_str()).collect();
    let languages = site.iter().flat_map(|site| site.blog.languages.values());
    let tags: BTreeSet<&str> = languages.flat_map(|language| &language.tags).map(|tag| tag.name.as_str()).collect();
    json!({
        "links": keys.iter().map(|key| format!("page:{key}")).collect::<Vec<_>>(),
        "pages": below(root, "content/pages", &["yaml"]).iter().filter_map(|path| path.split('/').next().map(str::to_owned)).collect::<BTreeSet<_>>(),
        "patterns": site.map(|site| shared::patterns(site).into_keys().collect::<Vec<_>>()).unwrap_or_default(),
        "files": files_below(root),
        "pictures": below(root, "content/images", images::ENDINGS),
        "tags": tags,
        "switch": ["true", "false"],
    })
}

/// The files that are published unchanged.
fn files_below(root: &FileSet) -> Vec<String> {
    let folder = root.join("static");
    let mut paths: Vec<String> = root.list(&folder).0.iter().map(|path| files::shown(&folder, path)).collect();
    paths.sort();
    paths
}

/// The files with these endings in a folder, by their paths below it.
fn below(root: &FileSet, folder: &str, endings: &[&str]) -> Vec<String> {
    let folder = root.join(folder);
    let mut paths: Vec<String> = root.list(&folder).0.iter().map(|path| files::shown(&folder, path)).collect();
    paths.retain(|path| path.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending)));
    paths.sort();
    paths
}
