//! Keeps assets of earlier builds. A page that is open in a browser loads the scripts and pictures of its own build
//! even after the next deployment. So files below `_assets/` are kept for some days after no page refers to them.
//!
//! [`OldAssets::FILE`] lists them with the time at which they became old. It is in the output folder, not in the cache,
//! so that any later build uses it, including one of another version of sitegen.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Component, Path};

use manifest::BuildManifest;

use super::FILE_LIST;

/// The folder whose files have a hash in their names, so old and new versions do not collide.
pub(super) const ASSETS: &str = "_assets/";
const COMPRESSED: [&str; 2] = [".br", ".gz"];
const SECONDS_PER_DAY: i64 = 86_400;

/// How long old assets are kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeepAssets {
    /// The time of this build, in seconds since 1970.
    pub now: i64,
    /// `assets.keep_days` of `site.yaml`.
    pub days: u32,
}

/// Old assets by their paths below the output folder, with the time at which they became old, in seconds since 1970.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OldAssets(BTreeMap<String, i64>);

impl OldAssets {
    /// The list: one asset per line, the time and the path.
    pub const FILE: &str = ".sitegen-old-assets";

    /// Reads the list in an output folder. A damaged line is ignored, so the time of its file starts again.
    pub fn of(out: &Path) -> OldAssets {
        let text = std::fs::read_to_string(out.join(OldAssets::FILE)).unwrap_or_default();
        OldAssets(
            text.lines()
                .filter_map(|line| {
                    let (since, path) = line.split_once(' ')?;
                    Some((path.to_owned(), since.parse().ok()?))
                })
                .collect(),
        )
    }

    /// The assets in an output folder that this build does not write and that must be kept. `last_build` is the
    /// manifest of the build that wrote the folder; without it, the list of files in the folder is read.
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
        let written = last_build
            .into_iter()
            .flat_map(|last_build| last_build.files.keys())
            .map(String::as_str);
        let known = OldAssets::of(out).0;
        let kept = written
            .chain(list.lines())
            .filter(|path| {
                if !path.starts_with(ASSETS) || is_current(path) {
                    return false;
                }
                // A compressed file is not an old asset while its original is current.
                let is_of_current = COMPRESSED
                    .iter()
                    .filter_map(|ending| path.strip_suffix(ending))
                    .any(is_current);
                // The list is in the output folder, where anyone may have edited it.
                let is_inside = Path::new(path)
                    .components()
                    .all(|part| matches!(part, Component::Normal(_)));
                is_inside && !is_of_current
            })
            .filter_map(|path| {
                // A wrong clock may have written a time in the future.
                let since = known.get(path).copied().unwrap_or(keep.now).min(keep.now);
                let stays = keep.now - since < i64::from(keep.days) * SECONDS_PER_DAY
                    && out.join(path).is_file();
                stays.then(|| (path.to_owned(), since))
            });
        OldAssets(kept.collect())
    }

    /// Whether there are no old assets.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Their paths.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The bytes of the list.
    pub(super) fn serialize(&self) -> Vec<u8> {
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
        let old = OldAssets(BTreeMap::from([
            ("_assets/a b.js".to_owned(), 5),
            ("_assets/c.css".to_owned(), 1 << 40),
        ]));
        std::fs::write(folder.path().join(OldAssets::FILE), old.serialize()).expect("written");
        assert_eq!(OldAssets::of(folder.path()), old);
        std::fs::write(
            folder.path().join(OldAssets::FILE),
            "x _assets/a.js\n\n7 _assets/b.js",
        )
        .expect("written");
        assert_eq!(
            OldAssets::of(folder.path()).paths().collect::<Vec<_>>(),
            ["_assets/b.js"]
        );
    }

    #[test]
    fn an_old_asset_is_kept_for_the_configured_days() {
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
        let kept = |now| {
            OldAssets::kept(folder.path(), None, KeepAssets { now, days: 7 }, &|path| {
                path == "_assets/c.js"
            })
        };
        let since = |entries: &[(&str, i64)]| {
            OldAssets(
                entries
                    .iter()
                    .map(|(path, since)| ((*path).to_owned(), *since))
                    .collect(),
            )
        };
        assert_eq!(
            kept(8 * day - 1),
            since(&[("_assets/a.js", day), ("_assets/b.js", 8 * day - 1)])
        );
        assert_eq!(kept(8 * day), since(&[("_assets/b.js", 8 * day)]));
    }
}
