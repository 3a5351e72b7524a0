//! The theme: the templates, scripts and interface words that the program brings. A site that names a version of it
//! (`theme: 0.1.0` in `site.yaml`) holds only what it changes: its own file at the same path wins.
//!
//! esbuild and Node.js read files, so [`Theme::lay_out`] writes the theme, with the site's own files in it, to a folder of
//! the cache. All stages read templates and scripts there. A site with a file of its own for each of the theme's needs no
//! such folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use workspace::cache;
use workspace::files::{self, FileLock, FileSet};

/// The folders of a site whose files replace those of the theme.
pub const FOLDERS: [&str; 2] = ["templates", "react"];
/// The folder of themes below the cache folder.
const FOLDER: &str = "theme";
/// The files that the theme had when the site copied them, with their hashes.
pub const LOCK: &str = "content/theme.lock";
/// The folder of the site with the files of the theme as they were copied: what a merge compares both sides with.
pub const BASES: &str = ".theme-base";
/// How long the files of another version are kept, which another program may still use.
const KEEP_OTHERS: Duration = Duration::from_hours(24);
/// The first lines of the lock file.
const LOCK_HEADER: &str =
    "# The files that were copied from the theme, with their hashes at that time.
# Written by `sitegen theme copy`; commit it with them.
";

/// A file of the theme that the site has copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeCopy {
    /// Its path, in the theme as in the site.
    pub path: String,
    /// The file as it was copied, if that is known.
    pub base: Option<Vec<u8>>,
}

/// The files of a theme by path, with forward slashes. Empty in a program that brings none.
#[derive(Debug, Clone, Default)]
pub struct Theme {
    files: Arc<BTreeMap<String, &'static [u8]>>,
    /// Files that were written to a folder of the cache, or found there, by this process.
    laid_out: Arc<Mutex<BTreeSet<PathBuf>>>,
    /// `MAJOR.MINOR.PATCH`.
    version: &'static str,
}

impl Theme {
    /// A theme with these files.
    pub fn new(version: &'static str, files: BTreeMap<String, &'static [u8]>) -> Theme {
        Theme {
            files: Arc::new(files),
            laid_out: Arc::default(),
            version,
        }
    }

    /// The name of its folder in the cache, which no other version has.
    fn id(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (path, bytes) in &*self.files {
            hasher
                .update(path.as_bytes())
                .update(&bytes.len().to_le_bytes())
                .update(bytes);
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// Its files by path.
    pub fn files(&self) -> impl Iterator<Item = (&str, &'static [u8])> {
        self.files
            .iter()
            .map(|(path, bytes)| (path.as_str(), *bytes))
    }

    /// The bytes of a file.
    pub fn get(&self, path: &str) -> Option<&'static [u8]> {
        self.files.get(path).copied()
    }

    /// A text file as a source, whose path is the one that a site's own file would have.
    pub fn source(&self, path: &str) -> Option<Arc<Source>> {
        let text = String::from_utf8(self.get(path)?.to_vec()).ok()?;
        Some(Arc::new(Source::new(path.to_owned(), text)))
    }

    /// Its version.
    pub fn version(&self) -> &'static str {
        self.version
    }

    /// The folder for its files below the cache folder, relative to it. `None` if the site at `root` has all of them
    /// itself.
    pub fn folder(&self, root: &Path) -> Option<PathBuf> {
        self.files
            .keys()
            .any(|path| is_laid_out(path) && !root.join(path).is_file())
            .then(|| Path::new(FOLDER).join(self.id()))
    }

    /// Writes the theme to `target`, with the files of the site at `root` in place of its own. Files that are the same
    /// already are not touched.
    pub fn lay_out(&self, root: &FileSet, target: &Path) -> Problems {
        let mut problems = Problems::new();
        // A check at the same time must not put back a file that was saved after it read it. Without the lock, writing
        // fails as well, which is reported. While it is held, nothing runs on the threads of rayon: one of them that waited for
        // a part of this could begin another build, which would wait for the lock, and both would wait forever.
        let _lock = fs_err::create_dir_all(target.parent().unwrap_or(target))
            .and_then(|()| FileLock::take(&target.with_extension("lock")));
        let mut own = BTreeMap::new();
        for folder in FOLDERS {
            let files = problems.take(root.list(&root.join(folder)));
            own.extend(
                files
                    .into_iter()
                    .map(|file| (files::shown(root, &file), file)),
            );
        }
        let theirs = self
            .files
            .keys()
            .filter(|path| is_laid_out(path) && !own.contains_key(*path));
        let wanted: BTreeSet<&str> = own.keys().chain(theirs).map(String::as_str).collect();
        // Poisoned only if another thread panicked; the set is intact.
        let laid_out = || self.laid_out.lock().unwrap_or_else(PoisonError::into_inner);
        let put = |path: &&str| {
            let file = target.join(path);
            let bytes = match own.get(*path) {
                Some(own) => {
                    laid_out().remove(&file);
                    fs_err::read(own).map_err(|error| unreadable(path, &error))?
                }
                // `serve` builds after each save, and the theme does not change.
                None if laid_out().contains(&file) && file.is_file() => return Ok(()),
                None => self.get(path).unwrap_or_default().to_vec(),
            };
            let is_there = fs_err::read(&file).is_ok_and(|present| present == bytes);
            let written = if is_there {
                Ok(())
            } else {
                cache::keep(&file, &bytes)
            };
            if written.is_ok() && !own.contains_key(*path) {
                laid_out().insert(file.clone());
            }
            written.map_err(|error| {
                let message = format!("the theme could not be written ({})", files::reason(&error));
                Problem::error(Code::OutFailed, message).at(Place::file(file.display().to_string()))
            })
        };
        wanted
            .iter()
            .filter_map(|path| put(path).err())
            .for_each(|problem| problems.push(problem));
        let (present, _) = FileSet::open(target).list(target);
        for file in present
            .iter()
            .filter(|file| !wanted.contains(files::shown(target, file).as_str()))
        {
            // A file that stays is one too many, which the next run tries to remove again.
            let _ = fs_err::remove_file(file);
        }
        remove_others(target);
        problems
    }

    /// Warns of files that were copied from a theme that has changed them since, or has them no more, and refuses a site
    /// that was made for a later version. `named` is the version in `site.yaml`, with its place.
    pub fn check(&self, root: &FileSet, named: &str, place: Option<Place>) -> Problems {
        let mut problems = Problems::new();
        if self.files.is_empty() {
            return problems;
        }
        match (numbers(named), numbers(self.version)) {
            (Some(named_numbers), Some(own)) if named_numbers <= own => {}
            (named_numbers, _) => {
                let (message, hint) = if named_numbers.is_some() {
                    let message = format!(
                        "the site needs theme version {named}, but this program includes version {}",
                        self.version
                    );
                    (
                        message,
                        "update sitegen, or lower `theme` to this version and check the site"
                            .to_owned(),
                    )
                } else {
                    let message = format!("`{named}` is not a theme version");
                    (
                        message,
                        format!(
                            "write the version of the program: `theme: {}`",
                            self.version
                        ),
                    )
                };
                let mut problem = Problem::error(Code::ThemeVersion, message).hint(hint);
                problem.place = place;
                problems.push(problem);
            }
        }
        for (path, copied) in read_lock(root) {
            if !root.join(&path).is_file() {
                continue;
            }
            let (message, hint) = match self.get(&path) {
                Some(bytes) if hash(bytes) == copied => continue,
                Some(_) => (
                    "the theme has changed this file since it was copied",
                    format!(
                        "`sitegen theme diff {path}` compares your copy with the theme's file, and `sitegen theme merge {path}` merges the theme's changes into your copy"
                    ),
                ),
                None => (
                    "the theme does not have this file anymore",
                    format!(
                        "check whether a template still uses it, then remove its line from `{LOCK}`"
                    ),
                ),
            };
            problems.push(
                Problem::warning(Code::ThemeChanged, message)
                    .at(Place::file(path))
                    .hint(hint),
            );
        }
        problems
    }

    /// The files that a site has copied, by its lock file.
    pub fn copies(&self, root: &FileSet) -> Vec<ThemeCopy> {
        read_lock(root)
            .into_iter()
            .map(|(path, locked)| {
                let is_base = |bytes: &Vec<u8>| hash(bytes) == locked;
                let read = |path: PathBuf| fs_err::read(path).ok();
                let kept = read(root.join(BASES).join(&path));
                // A file that was copied before bases were kept is known as long as one side has not changed it. A checkout
                // on Windows may have other ends of lines.
                let sources = [
                    kept.clone(),
                    kept.and_then(|kept| {
                        String::from_utf8(kept)
                            .map(|text| text.replace("\r\n", "\n").into_bytes())
                            .ok()
                    }),
                    self.get(&path).map(<[u8]>::to_vec),
                ];
                let base = sources.into_iter().flatten().find(is_base);
                let base = base.or_else(|| read(root.join(&path)).filter(is_base));
                ThemeCopy { path, base }
            })
            .collect()
    }

    /// Notes files in the lock file of a site as they are in this theme, and keeps them for a merge. Those that are
    /// `gone` lose their lines.
    pub fn lock(&self, root: &FileSet, paths: &[String], gone: &[String]) -> std::io::Result<()> {
        let mut lines = read_lock(root);
        for path in paths {
            if let Some(bytes) = self.get(path) {
                cache::keep(&root.join(BASES).join(path), bytes)?;
            }
        }
        for path in gone {
            lines.remove(path);
            // It may never have been kept.
            let _ = fs_err::remove_file(root.join(BASES).join(path));
        }
        lines.extend(
            paths
                .iter()
                .filter_map(|path| Some((path.clone(), hash(self.get(path)?)))),
        );
        let lines: Vec<String> = lines
            .iter()
            .map(|(path, hash)| format!("{path} {hash}\n"))
            .collect();
        cache::keep(
            &root.join(LOCK),
            format!("{LOCK_HEADER}{}", lines.concat()).as_bytes(),
        )
    }
}

/// Whether a file of the theme is written to its folder. Words are merged with those of the site instead.
fn is_laid_out(path: &str) -> bool {
    !path.starts_with("content/")
}

/// The lines of the lock file: hashes by path. A line that is none of them is ignored.
fn read_lock(root: &FileSet) -> BTreeMap<String, String> {
    let text = root
        .read_text(&root.join(LOCK))
        .map(|source| source.text.clone())
        .unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(' '))
        .map(|(path, hash)| (path.to_owned(), hash.trim().to_owned()))
        .collect()
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_owned()
}

/// `1.20.3` → `[1, 20, 3]`.
fn numbers(version: &str) -> Option<[u32; 3]> {
    let parts: Vec<u32> = version
        .split('.')
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    parts.try_into().ok()
}

fn unreadable(path: &str, error: &std::io::Error) -> Problem {
    let message = format!("the file could not be read ({})", files::reason(error));
    Problem::error(Code::Unreadable, message).at(Place::file(path))
}

/// A file of a site's templates, as the last run of any command has found it: its own one, or that of the theme in its
/// cache. `None` if neither has it.
pub fn template(root: &FileSet, path: &str) -> Option<PathBuf> {
    let own = root.join(path);
    if root.exists(&own) {
        return Some(own);
    }
    let themes = fs_err::read_dir(root.join(files::CACHE).join(FOLDER))
        .into_iter()
        .flatten()
        .flatten();
    let mut found: Vec<PathBuf> = themes
        .map(|theme| theme.path().join(path))
        .filter(|file| file.is_file())
        .collect();
    found.sort_by_key(|file| {
        file.parent()
            .and_then(|folder| folder.metadata().ok()?.modified().ok())
    });
    found.pop()
}

/// Removes the folders of other versions that have not been written for a day.
fn remove_others(target: &Path) {
    let Some(folder) = target.parent() else {
        return;
    };
    for entry in fs_err::read_dir(folder).into_iter().flatten().flatten() {
        let age = entry
            .metadata()
            .and_then(|meta| meta.modified())
            .ok()
            .and_then(|modified| modified.elapsed().ok());
        if entry.path() != target && age.is_some_and(|age| age > KEEP_OTHERS) {
            // Another program may use it, so that it cannot be removed everywhere.
            let _ = fs_err::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workspace::parallel;

    fn theme(files: &[(&str, &'static str)]) -> Theme {
        Theme::new(
            "1.2.0",
            files
                .iter()
                .map(|(path, text)| ((*path).to_owned(), text.as_bytes()))
                .collect(),
        )
    }

    fn write(folder: &Path, path: &str, text: &str) {
        cache::keep(&folder.join(path), text.as_bytes()).expect("a file");
    }

    #[test]
    fn a_file_of_the_site_replaces_that_of_the_theme() {
        let (site, target) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        let theme = theme(&[
            ("templates/a.html", "a"),
            ("templates/b.html", "b"),
            ("content/locales/en.yaml", ""),
        ]);
        write(site.path(), "templates/b.html", "own");
        write(target.path(), "templates/old.html", "of another run");
        assert!(
            theme
                .lay_out(&FileSet::open(site.path()), target.path())
                .is_empty()
        );
        let (files, _) = FileSet::open(target.path()).list(target.path());
        let found: Vec<_> = files
            .iter()
            .map(|file| {
                (
                    files::shown(target.path(), file),
                    std::fs::read_to_string(file).expect("a file"),
                )
            })
            .collect();
        let expected = [("templates/a.html", "a"), ("templates/b.html", "own")];
        assert_eq!(
            found,
            expected.map(|(path, text)| (path.to_owned(), text.to_owned()))
        );
    }

    /// A server plans a form's change on a thread of its own while its build plans on those of rayon.
    #[test]
    fn plans_at_the_same_time_never_wait_for_each_other_forever() {
        let (site, target) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        let names: Vec<String> = (0..200)
            .map(|number| format!("templates/{number}.html"))
            .collect();
        let theme = Theme::new(
            "1.2.0",
            names
                .iter()
                .map(|name| (name.clone(), name.clone().leak().as_bytes()))
                .collect(),
        );
        let (done, ended) = std::sync::mpsc::channel();
        let target = target.path().join("theme");
        for number in 0..8 {
            let (theme, site, target, done) = (
                theme.clone(),
                site.path().to_owned(),
                target.clone(),
                done.clone(),
            );
            std::thread::spawn(move || {
                for _ in 0..20 {
                    let lay_out = || theme.lay_out(&FileSet::open(&site), &target);
                    let problems = if number % 2 == 0 {
                        lay_out()
                    } else {
                        parallel::join(lay_out, || ()).0
                    };
                    assert!(problems.is_empty());
                }
                done.send(()).expect("a test that waits");
            });
        }
        for _ in 0..8 {
            ended
                .recv_timeout(std::time::Duration::from_mins(2))
                .expect("a plan waits forever");
        }
    }

    #[test]
    fn a_site_with_every_file_needs_no_folder() {
        let site = tempfile::tempdir().expect("a folder");
        let theme = theme(&[("templates/a.html", "a")]);
        assert!(theme.folder(site.path()).is_some());
        write(site.path(), "templates/a.html", "own");
        assert_eq!(theme.folder(site.path()), None);
    }

    #[test]
    fn a_copy_that_the_theme_has_changed_since_is_reported() {
        let site = tempfile::tempdir().expect("a folder");
        let before = theme(&[("templates/a.html", "a"), ("templates/gone.html", "")]);
        for path in ["templates/a.html", "templates/gone.html"] {
            write(site.path(), path, "own");
        }
        before
            .lock(
                &FileSet::open(site.path()),
                &["templates/a.html".into(), "templates/gone.html".into()],
                &[],
            )
            .expect("a lock");
        assert!(
            before
                .check(&FileSet::open(site.path()), "1.2.0", None)
                .is_empty()
        );
        let after = theme(&[("templates/a.html", "new")]);
        let problems = after.check(&FileSet::open(site.path()), "1.2.0", None);
        let places: Vec<_> = problems
            .iter()
            .filter_map(|problem| Some(problem.place.as_ref()?.path.clone()))
            .collect();
        assert_eq!(places, ["templates/a.html", "templates/gone.html"]);
    }

    #[test]
    fn a_site_of_a_later_version_is_refused() {
        let site = tempfile::tempdir().expect("a folder");
        let theme = theme(&[("templates/a.html", "a")]);
        for (named, is_refused) in [
            ("1.2.0", false),
            ("0.9.9", false),
            ("1.2.1", true),
            ("latest", true),
            ("1.2", true),
        ] {
            assert_eq!(
                theme
                    .check(&FileSet::open(site.path()), named, None)
                    .has_errors(),
                is_refused,
                "{named}"
            );
        }
    }
}
