//! The completions in the fields of forms: targets of links, images, tags.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use content::images;
use site::model::{Site, shared};
use workspace::files::{self, FileSet};
use workspace::kinds::Kind;

/// All lists, by the names that fields have for them.
pub(super) fn all(root: &FileSet, site: Option<&Site>) -> Value {
    let keys: BTreeSet<&str> = site
        .iter()
        .flat_map(|site| &site.pages)
        .map(|page| page.key.as_str())
        .collect();
    let languages = site.iter().flat_map(|site| site.blog.languages.values());
    let tags: BTreeSet<&str> = languages
        .flat_map(|language| &language.tags)
        .map(|tag| tag.name.as_str())
        .collect();
    let pages = below(root, Kind::Page.folder(), |path: &Path| {
        path.extension().is_some_and(|ending| ending == "yaml")
    });
    let page_keys: BTreeSet<&str> = pages
        .iter()
        .filter_map(|path| path.split('/').next())
        .collect();
    json!({
        "links": keys.iter().map(|key| format!("page:{key}")).collect::<Vec<_>>(),
        "pages": page_keys,
        "patterns": site.map(|site| shared::patterns(site).into_keys().collect::<Vec<_>>()).unwrap_or_default(),
        "files": below(root, "static", |_| true),
        "pictures": below(root, "content/images", images::is_picture),
        "tags": tags,
        "switch": ["true", "false"],
    })
}

/// The files in a folder that are wanted, by their paths below it.
fn below(root: &FileSet, folder: &str, is_wanted: impl Fn(&Path) -> bool) -> Vec<String> {
    let folder = root.join(folder);
    let wanted = root
        .list(&folder)
        .0
        .into_iter()
        .filter(|path| is_wanted(path));
    let mut paths: Vec<String> = wanted.map(|path| files::shown(&folder, &path)).collect();
    paths.sort();
    paths
}
