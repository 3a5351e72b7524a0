//! `sitegen new FOLDER --from EXAMPLE`: a new site with the content of an example, in the theme and the look of the
//! example. The folders of examples also have what the tests of sitegen need; that is left out.

use std::collections::BTreeMap;

use clap::builder::PossibleValuesParser;
use include_dir::{Dir, include_dir};

use diagnostics::problem::{Problem, Source};
use diagnostics::yaml::{self, Node, Value};
use workspace::kinds::Kind;

use super::super::theme::files_of;
use super::NewContent;
use super::site::{self, NewSite};

static EXAMPLES: Dir = include_dir!("$CARGO_MANIFEST_DIR/examples");

/// The folders of an example that a site gets, and their places there; the last one wins.
const FOLDERS: [(&str, &str); 4] = [
    ("content", "content"),
    ("static", "static"),
    ("templates/collections", "templates/collections"),
    ("look", ""),
];

/// The names of the examples, for the command line.
pub(super) fn names() -> PossibleValuesParser {
    let names = EXAMPLES
        .dirs()
        .filter_map(|example| example.path().to_str());
    PossibleValuesParser::new(names.collect::<Vec<_>>())
}

/// All files of a site that begins as an example.
pub(super) fn files(example: &str, base_url: Option<&str>) -> Result<Vec<NewContent>, Problem> {
    let mut own = own_files(example);
    let path = Kind::Site.path();
    let settings = String::from_utf8_lossy(own.remove(path).unwrap_or_default()).into_owned();
    let source = Source::new(format!("examples/{example}/{path}"), settings);
    let node = yaml::parse(&source, 0..source.text.len())?;
    let name = node
        .get("product")
        .and_then(|product| product.get("name"))
        .and_then(Node::as_text)
        .unwrap_or(example);
    let languages = match node.get("locales").map(|locales| &locales.value) {
        Some(Value::List(codes)) => codes
            .iter()
            .filter_map(Node::as_text)
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    };
    let wanted = NewSite {
        name: name.to_owned(),
        languages,
        blog: false,
        sample: true,
        base_url: base_url.map(str::to_owned),
    };
    // The samples of a new site make room for the example.
    let mut files: BTreeMap<String, Vec<u8>> = site::files(&wanted)?
        .into_iter()
        .filter(|(path, _)| !is_sample(path))
        .collect();
    let starter = String::from_utf8_lossy(files.get(path).map(Vec::as_slice).unwrap_or_default())
        .into_owned();
    files.extend(own.into_iter().map(|(path, bytes)| (path, bytes.to_vec())));
    files.insert(
        path.to_owned(),
        settings_of(&starter, &source.text, base_url).into_bytes(),
    );
    Ok(files.into_iter().collect())
}

/// The files of an example that a site gets, by their paths in the site.
fn own_files(example: &str) -> BTreeMap<String, &'static [u8]> {
    let mut files = BTreeMap::new();
    for (from, to) in FOLDERS {
        let from = format!("{example}/{from}/");
        let Some(folder) = EXAMPLES.get_dir(from.trim_end_matches('/')) else {
            continue;
        };
        files.extend(files_of(folder).filter_map(|(path, bytes)| {
            let path = path.strip_prefix(&from)?;
            Some((
                if to.is_empty() {
                    path.to_owned()
                } else {
                    format!("{to}/{path}")
                },
                bytes,
            ))
        }));
    }
    files
}

/// Whether a file of a new site is part of its samples.
fn is_sample(path: &str) -> bool {
    let is_in_folder = path
        .strip_prefix("content/")
        .is_some_and(|path| path.contains('/'));
    path.starts_with("static/") || is_in_folder && !path.starts_with(Kind::Locale.folder())
}

/// The settings of an example with what a new site says about itself: the version of the theme, and the icon.
fn settings_of(starter: &str, example: &str, base_url: Option<&str>) -> String {
    let about = starter
        .lines()
        .filter(|line| line.starts_with("theme:") || line.starts_with("icon:"));
    let own = example.lines().map(|line| match base_url {
        Some(url) if line.starts_with("base_url:") => format!("base_url: {url}"),
        _ => line.to_owned(),
    });
    about
        .map(str::to_owned)
        .chain(own)
        .map(|line| line + "\n")
        .collect()
}
