//! Symbolic links in the source folders of a site. A link may lead to a place in these folders, or in a folder that
//! `linked_folders` of `site.yaml` names and the environment allows; for `content` itself, the environment is enough. Nothing
//! else is read through one: a link in a pull request could publish any file of the machine that builds it, or print a part
//! of it in a message.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use diagnostics::problem::{Code, Place, Problem};

use super::{FileSet, SOURCES, is_litter, shown};

/// The links in the source folders that a build follows, with the files and folders that they lead to, which are
/// canonical. A source folder may be one.
pub(super) fn followed(root: &FileSet) -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut folders: Vec<PathBuf> = SOURCES.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        let entries = walkdir::WalkDir::new(&folder)
            .into_iter()
            .filter_entry(|entry| {
                entry.depth() == 0 || !is_litter(&entry.file_name().to_string_lossy())
            });
        for entry in entries.flatten() {
            let link = entry.path();
            // The contents of a linked folder are listed after the link was found.
            if !entry.path_is_symlink()
                || entry.depth() == 0 && seen.contains(link)
                || problem(root, link).is_some()
            {
                continue;
            }
            let Ok(target) = link.canonicalize() else {
                continue;
            };
            if entry.depth() > 0 && target.is_dir() && seen.insert(target.clone()) {
                seen.insert(link.to_owned());
                folders.push(link.to_owned());
            }
            found.push((link.to_owned(), target));
        }
    }
    found
}

/// The problem of a path below `root` that leads out of the site through a link. `None` for a path that does not exist.
pub(super) fn problem(root: &FileSet, path: &Path) -> Option<Problem> {
    let (real_root, target) = (root.canonicalize().ok()?, path.canonicalize().ok()?);
    let below = path
        .strip_prefix(root)
        .or_else(|_| path.strip_prefix(&real_root))
        .ok()?;
    if real_root.join(below) == target {
        return None;
    }
    let is_source = below
        .iter()
        .next()
        .is_some_and(|first| SOURCES.iter().any(|folder| first == *folder));
    let is_inside = if is_source {
        SOURCES
            .iter()
            .any(|folder| target.starts_with(real_root.join(folder)))
    } else {
        target.starts_with(&real_root)
    };
    if is_inside || root.is_linked(&target) {
        return None;
    }
    // The settings are below `content`, and everything below it leads out if it does.
    let content = root.join("content");
    let is_content = content.is_symlink() && path.starts_with(&content);
    let (path, target) = match content.canonicalize() {
        Ok(linked) if is_content && target.starts_with(&linked) => (&*content, linked),
        _ => (path, target),
    };
    let folder = if target.is_dir() {
        &target
    } else {
        target.parent().unwrap_or(&target)
    };
    let message = format!(
        "this symbolic link points to `{}`, which is not in a source folder of the site",
        target.display()
    );
    let named = if path == content {
        String::new()
    } else {
        format!(
            "`linked_folders: [{}]` in `content/site.yaml` and ",
            folder.display()
        )
    };
    let hint = format!(
        "put a copy in its place, or allow links to the folder with {named}`SITEGEN_LINKED_FOLDERS={}` in the environment",
        folder.display()
    );
    Some(
        Problem::error(Code::LinkOutside, message)
            .at(Place::file(shown(root, path)))
            .hint(hint),
    )
}
