//! Assets of earlier builds. A page that is open in a browser loads the scripts and pictures of the build that made it, also
//! after the next deployment. So files below `_assets/` stay for some days after no page names them.
//!
//! [`OldAssets::FILE`] in the output folder lists them with the time since when they are old. It lies there, and not in a
//! cache, so that it holds for whatever builds into the folder next, another version of sitegen included.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Component, Path};

use crate::build_cache::BuildManifest;

use super::FILE_LIST;

/// The folder whose files have a hash in their names, so that old and new ones stand side by side.
const ASSETS: &str = "_assets/";
const COMPRESSED: [&str; 2] = [".br", ".gz"];
const SECONDS_PER_DAY: i64 = 86_400;

/// How long old assets stay.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KeepAssets {
    /// The moment of this build, in seconds since 1970.
    pub now: i64,
    /// `assets.keep_days` of `site.yaml`.
    pub days: u32,
}

/// Old assets, by their paths below the output folder: since when they are old, in seconds since 1970.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OldAssets(BTreeMap<String, i64>);

impl OldAssets {
    /// Lists them: a line for each, with the seconds and the path.
    pub const FILE: &str = ".sitegen-old-assets";

    /// The list in an output folder. A line that is damaged is left out: its file is old since the next build then.
    pub fn of(out: &Path) -> OldAssets {
        let text = std::fs::read_to_string(out.join(OldAssets::FILE)).unwrap_or_default();
        let line = |line: &str| {
            let (since, path) = line.split_once(' ')?;
            Some((path.to_owned(), since.parse().ok()?))
        };
        OldAssets(text.lines().filter_map(line).collect())
    }

    /// The assets in an output folder that this build does not write, and that stay after it. `last_build` is the manifest
    /// of the build that wrote the folder; without one, the folder's own list of files says what was written there.
    pub(super) fn kept(
        out: &Path,
        last_build: Option<&BuildManifest>,
        keep: KeepAssets,
        is_current: &dyn Fn(&str) -> bool,
    ) -> OldAssets {
        let list = match last_build {
            Some(_) => String::new(),
            None => std::fs::read_to_string(out.join(FILE_LIST)).unwrap_or_default(),
        };
        let written = last_build.into_iter().flat_map(|last_build| last_build.files.keys()).map(String::as_str);
        let known = OldAssets::of(out).0;
        let is_old = |path: &&str| {
            if !path.starts_with(ASSETS) || is_current(path) {
                return false;
            }
            // Compressed forms go with the file that they are of.
            let is_of_current = COMPRESSED.iter().filter_map(|ending| path.strip_suffix(ending)).any(is_current);
            // The list lies where anybody may have edited it.
            let is_inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
            is_inside && !is_of_current
        };
        let kept = written.chain(list.lines()).filter(is_old).filter_map(|path| {
            // A clock that was wrong may have written a time in the future.
            let since = known.get(path).copied().unwrap_or(keep.now).min(keep.now);
            let stays = keep.now - since < i64::from(keep.days) * SECONDS_PER_DAY && out.join(path).is_file();
            stays.then(|| (path.to_owned(), since))
        });
        OldAssets(kept.collect())
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Their paths.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The bytes of the list.
    pub(super) fn written(&self) -> Vec<u8> {
        let mut text = String::new();
        for (path, since) in &self.0 {
            let _ = writeln!(text, "{since} {path}");
        }
        text.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = OldAssets(BTreeMap::from([("_assets/a b.js".to_owned(), 5), ("_assets/c.css".to_owned(), 1 << 40)]));
        std::fs::write(folder.path().join(OldAssets::FILE), old.written()).expect("written");
        assert_eq!(OldAssets::of(folder.path()), old);
        std::fs::write(folder.path().join(OldAssets::FILE), "x _assets/a.js\n\n7 _assets/b.js").expect("written");
        assert_eq!(OldAssets::of(folder.path()).paths().collect::<Vec<_>>(), ["_assets/b.js"]);
    }

    #[test]
    fn an_old_asset_stays_for_its_days() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("_assets")).expect("a folder");
        for file in ["_assets/a.js", "_assets/b.js", "_assets/c.js", "page.html"] {
            std::fs::write(folder.path().join(file), "x").expect("written");
        }
        let day = SECONDS_PER_DAY;
        std::fs::write(
            folder.path().join(FILE_LIST),
            "_assets/a.js\n_assets/b.js\n_assets/c.js\n_assets/gone.js\npage.html\n",
        )
        .expect("written");
        std::fs::write(
            folder.path().join(OldAssets::FILE),
            format!("{} _assets/a.js\n{} _assets/b.js\n", day, 99 * day),
        )
        .expect("written");
        let kept =
            |now| OldAssets::kept(folder.path(), None, KeepAssets { now, days: 7 }, &|path| path == "_assets/c.js");
        let since = |entries: &[(&str, i64)]| {
            OldAssets(entries.iter().map(|(path, since)| ((*path).to_owned(), *since)).collect())
        };
        assert_eq!(kept(8 * day - 1), since(&[("_assets/a.js", day), ("_assets/b.js", 8 * day - 1)]));
        assert_eq!(kept(8 * day), since(&[("_assets/b.js", 8 * day)]));
    }
}
