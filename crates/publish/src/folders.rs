//! The folders of the output folder, derived from the paths of its files.

use std::path::{Component, Path};

/// The folders above a path: `a` and `a/b` of `a/b/c`.
pub(super) fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// The folders above sorted paths, each once, and the output folder itself.
pub(super) fn folders_of_sorted<'p>(
    paths: impl Iterator<Item = &'p str>,
) -> impl Iterator<Item = &'p str> {
    let mut last = "";
    let above = paths.flat_map(move |path| folders_after(std::mem::replace(&mut last, path), path));
    std::iter::once("").chain(above)
}

/// The folders above a path that are not above the path before it.
pub(super) fn folders_after<'p>(before: &'p str, path: &'p str) -> impl Iterator<Item = &'p str> {
    let same = before
        .bytes()
        .zip(path.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let shared = path.as_bytes()[..same]
        .iter()
        .rposition(|byte| *byte == b'/')
        .map_or(0, |at| at + 1);
    let after = path.as_bytes()[shared..]
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'/');
    after.map(move |(at, _)| &path[..shared + at])
}

/// Removes the folders above a path that are empty.
pub(super) fn remove_empty_folders(out: &Path, path: &str) {
    let folders = Path::new(path)
        .ancestors()
        .skip(1)
        .filter(|folder| !folder.as_os_str().is_empty());
    folders
        .map_while(|folder| std::fs::remove_dir(out.join(folder)).ok())
        .for_each(drop);
}

/// Whether a path stays within the folder that it is below.
pub(super) fn is_below(path: &str) -> bool {
    Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_)))
}

/// Whether a folder is above one of these sorted paths.
pub(super) fn is_folder_of(paths: &[&str], folder: &str) -> bool {
    let below = format!("{folder}/");
    let first = paths.partition_point(|path| *path < below.as_str());
    paths
        .get(first)
        .is_some_and(|path| path.starts_with(&below))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: &[&str] = &["a-b/x", "a/b/c", "a/b/d", "a/e", "f"];

    #[test]
    fn each_folder_is_listed_once_before_its_files() {
        assert_eq!(
            folders_of_sorted(PATHS.iter().copied()).collect::<Vec<_>>(),
            ["", "a-b", "a", "a/b"]
        );
        let after = |before: &'static str| folders_after(before, "a/b/d/e").collect::<Vec<_>>();
        assert_eq!(after("a/b/c"), ["a/b/d"]);
        assert_eq!(after("a/bc/c"), ["a/b", "a/b/d"]);
        assert_eq!(after("a"), ["a", "a/b", "a/b/d"]);
        assert!(after("a/b/d/e").is_empty());
    }

    #[test]
    fn a_folder_is_known_by_the_files_below_it() {
        let is_folder = |folder: &str| is_folder_of(PATHS, folder);
        assert!(["a", "a-b", "a/b"].into_iter().all(is_folder));
        assert!(
            !["a/e", "a/", "b", "f", "g", "a/b/c"]
                .into_iter()
                .any(is_folder)
        );
    }
}
