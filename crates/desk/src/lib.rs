//! Forms for people who do not write YAML: the configuration of Decap CMS for the files of a site, what its forms complete,
//! and what they save.
//!
//! `serve` answers at `/admin/` with forms that are made from the site as it is; `sitegen cms` writes the same page for a
//! published site, whose forms commit to a Git host.

mod actions;
mod collections;
mod decap;
mod entries;
mod fields;
mod lists;
mod menu;
mod places;
mod protocol;
pub mod save;
mod words;

use std::path::Path;

use serde_json::{Map, Value, json};

use config::{BlogSource, Config};
use content::images;
use diagnostics::yaml::{self, Node};
use site::model::Site;
use site::planned;
use workspace::files::{self, FileSet};
use workspace::kinds::Kind;
use workspace::media_types;

use collections::Collections;

pub use actions::{Withdrawal, move_page, restore, withdraw};
pub use decap::{PAGE_FILES, Scripts};
pub use menu::{menu, save_menu};
pub use places::form_of;
pub use protocol::{MAX_REQUEST, answer, draft};

/// The Content Security Policy of the page: Decap CMS makes functions and styles from text, so the page is
/// never under that of the site.
pub const POLICY: &str = "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; \
                          img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' data: blob:; \
                          frame-src 'self' blob:; worker-src 'self' blob:; base-uri 'none'; form-action 'self'; \
                          frame-ancestors 'none'";
/// Where the forms put pictures that are uploaded, below `content/images/`.
const UPLOADS: &str = "uploads";

/// Where the forms save.
#[derive(Debug, Clone)]
pub enum Backend {
    /// In the folder of the site, through the preview at this address: `/admin/api`.
    Preview(String),
    /// In a repository of a Git host. The keys are those of Decap: `name`, `repo`, `branch`, `base_url` …
    Git(Map<String, Value>),
}

/// The data for the page of the forms: `config` is that of Decap, `sitegen` the part that this program adds to it.
///
/// `site` is the last one that was planned, if there was one: without it, addresses and tags are not known.
pub fn config(config: &Config, site: Option<&Site>, backend: &Backend) -> Value {
    let root = &config.paths.root;
    let languages = languages(config, site);
    let (kinds, _) = json_schema::kinds(config);
    let addresses = site.map(planned::addresses).unwrap_or_default();
    let declared = content::collections_of(config);
    let post = entries::front_matter(&declared, &languages);
    let collections = Collections::new(root, &languages, &addresses, &kinds, post);
    let (mut all, mut formats) = (Vec::new(), Vec::new());
    let entries = entries::all(root, &declared, &languages, &|folder| {
        collections.preview_path(folder)
    });
    // A Git host lists all files of a folder, also those of pages that have their sections in another one.
    let new_pages = matches!(backend, Backend::Preview(_))
        .then(|| collections.whole_pages())
        .flatten();
    let all_of_site = collections
        .all(config.site.blog.source == BlogSource::Markdown)
        .into_iter();
    for mut collection in all_of_site.chain(new_pages).chain(entries) {
        let name = collection.json["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let extension = collection.json["extension"]
            .as_str()
            .unwrap_or("yaml")
            .to_owned();
        collection.json["format"] = json!(format!("sitegen-{name}"));
        // Said again for each, so that the library lists the pictures for a new entry too.
        collection.json["media_folder"] = json!(format!("/content/images/{UPLOADS}"));
        collection.json["public_folder"] = json!(UPLOADS);
        formats.push(json!({
            "name": format!("sitegen-{name}"), "extension": extension, "kind": collection.format, "rules": collection.rules,
        }));
        all.push(collection.json);
    }
    let (backend, is_preview) = match backend {
        Backend::Preview(address) => (
            json!({"name": "proxy", "proxy_url": address, "branch": "preview"}),
            true,
        ),
        Backend::Git(keys) => (json!(keys), false),
    };
    let spanish = languages
        .first()
        .is_some_and(|(code, _)| code.starts_with("es"));
    json!({
        "config": {
            "backend": backend,
            "load_config_file": false,
            "publish_mode": "simple",
            "locale": if spanish { "es" } else { "en" },
            "site_url": config.site.base_url(),
            "show_preview_links": true,
            "media_folder": format!("content/images/{UPLOADS}"),
            "public_folder": UPLOADS,
            "slug": {"encoding": "ascii", "clean_accents": true},
            "collections": all,
            // Another address may not show pages of the site in a frame.
            "editor": {"preview": is_preview},
        },
        "sitegen": {
            "preview": is_preview,
            "base_path": config.site.base_path(),
            "formats": formats,
            "types": collections.sections(),
            "lists": lists::all(root, site),
            "addresses": addresses,
        },
    })
}

/// Codes and names of the languages of the site, the default first.
fn languages(config: &Config, site: Option<&Site>) -> Vec<(String, String)> {
    let name = |code: &str| {
        let locale = site.and_then(|site| site.locales.iter().find(|locale| locale.code == code));
        locale.map_or_else(|| code.to_owned(), |locale| locale.name.clone())
    };
    config
        .site
        .locales
        .iter()
        .map(|code| (code.value.clone(), name(&code.value)))
        .collect()
}

/// Whether a path below the folder of the site is one that forms read and write: a file with a schema, or a picture that
/// may be uploaded. It has no `..`, and no part of it leads out of the folder.
fn is_editable(root: &FileSet, path: &str) -> bool {
    let is_known =
        Kind::of(path).is_some() || is_upload(path) || entries::collection_of(root, path).is_some();
    // The nearest folder that exists must lie in the site, wherever links lead.
    let file = root.join(path);
    let real = file
        .ancestors()
        .find_map(|parent| parent.canonicalize().ok());
    let is_inside = real
        .zip(root.canonicalize().ok())
        .is_some_and(|(real, root)| real.starts_with(root));
    is_plain(path) && is_known && is_inside
}

/// Whether a path has no parts such as `..`, and nothing hidden.
fn is_plain(path: &str) -> bool {
    !path.contains(['\\', '\0'])
        && path
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.'))
}

/// The values of a YAML file of the site. `None` if there is none, or if it is broken, which a build reports.
fn node(root: &FileSet, path: &str) -> Option<Node> {
    let source = root.read_text(&root.join(path)).ok()?;
    yaml::parse(&source, 0..source.text.len()).ok()
}

/// Whether a path is that of a picture that forms upload.
fn is_upload(path: &str) -> bool {
    let name = path
        .strip_prefix("content/images/")
        .and_then(|below| below.strip_prefix(UPLOADS)?.strip_prefix('/'));
    name.is_some_and(|name| !name.contains('/')) && images::is_picture(Path::new(path))
}

/// A picture as it is on disk, with its content type. `written` is how the file `path` of the site names it.
pub fn picture(root: &FileSet, path: &str, written: &str) -> Option<(String, Vec<u8>)> {
    let file = images::file_of(root, path, written)?;
    let real = file.canonicalize().ok()?;
    let content = root.join("content").canonicalize().ok()?;
    let shown = files::shown(root, &file);
    let is_inside = real.starts_with(&content) && is_plain(&shown);
    let bytes = root
        .read_bytes(&real, MAX_REQUEST as u64)
        .ok()
        .filter(|_| is_inside)?;
    Some((media_types::header(&shown), bytes))
}
