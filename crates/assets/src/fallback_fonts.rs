//! Noto fonts among the site's packages (`@fontsource/noto-…`): drawings take letters from them that the web fonts lack.
//!
//! A package has a file for each subset of letters, so each file is a family of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::output::{Output, hash};

use super::WebFont;

/// The end of the names of files in the weight and style that are used.
const REGULAR: &str = "-400-normal.woff2";

/// The files and folders in a folder.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
}

/// The files of the fonts, sorted.
pub(super) fn files(node_modules: Option<&Path>) -> Vec<PathBuf> {
    let Some(scope) = node_modules.map(|folder| folder.join("@fontsource")) else {
        return Vec::new();
    };
    let packages = entries(&scope).filter(|package| file_name(package).starts_with("noto-"));
    let files = packages.flat_map(|package| entries(&package.join("files")));
    let mut files: Vec<PathBuf> = files
        .filter(|file| file_name(file).ends_with(REGULAR))
        .collect();
    files.sort();
    files
}

/// The name of a file, empty if it has none.
fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Reads the fonts. One that cannot be read is left out: without it, its letters are reported as missing.
pub(super) fn read(node_modules: Option<&Path>) -> Vec<WebFont> {
    files(node_modules)
        .into_iter()
        .filter_map(|file| {
            let family = file
                .file_name()?
                .to_string_lossy()
                .trim_end_matches(REGULAR)
                .to_owned();
            let bytes = std::fs::read(&file).ok()?;
            let path = format!("{family}-{}.woff2", hash(&[&bytes]));
            Some(WebFont {
                family,
                file: Output::bytes(path, Arc::new(bytes)),
            })
        })
        .collect()
}
