//! Publishes a build: writes outputs to a staging folder beside the output folder, then moves them into place.
//!
//! - Few changes (up to `IN_PLACE_MAX_FILES`, or `IN_PLACE_MAX_FRACTION` of the site if that is more) are moved one by
//!   one: first assets, then new pages, to which nothing links yet, then changed pages; files are removed last. If a
//!   step fails, `transaction` undoes the previous ones. `leads.json`, beside the output folder, is one of them.
//! - Many changes, and a first build, exchange the two folders in one step (`renameat2` with `RENAME_EXCHANGE`), with
//!   hard links to the files that have not changed.
//!
//! Always exchanging the folders would be simpler, but with 30,000 pages the hard links take longer than all other
//! stages after an edit.
//!
//! The build manifest is removed before the first file is changed. So the next build does not trust the output of a
//! killed build, and compares every file. `.sitegen-files` lists the files that sitegen wrote; any other file is kept
//! and reported. `docs/publishing.md` lists the guarantees.
//!
//! [`manifest`] tells what the last build wrote; [`link_check`] reads the
//! finished pages for dead addresses, and [`hosts`] writes the rules for their hosts.

mod compress;
mod folders;
mod form_mails;
pub mod hosts;
pub mod lead_site;
pub mod link_check;
mod old_assets;
mod output_folder;
mod output_state;
mod untracked;
pub mod urls_lock;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::{HashSet, HashSetExt};

use assets::output::{Body, Output};
use config::Config;
use diagnostics::problem::{Problem, Problems};
use manifest::Published;
use workspace::cache::Store;
use workspace::files::{self, BESIDE, FileLock, FileOperation};
use workspace::parallel;
use workspace::sources::{Hash, hash};

use hosts::FileLimits;

use folders::{folders_of, folders_of_sorted, is_below, is_folder_of, remove_empty_folders};
pub use old_assets::OldAssets;
use old_assets::{ASSETS, KeepAssets};
use output_folder::{
    LEADS, OLD, OutputKind, exchange, move_leads, out_failed, prefix, rescue, transaction,
};
pub use output_folder::{claim, remove_search, replace_file};
pub use output_state::OutputState;

/// The list of files that sitegen wrote, one path per line.
pub const FILE_LIST: &str = ".sitegen-files";

/// An empty file in the staging folder, whose mtime is the current time by the clock of the file system.
const CLOCK: &str = ".sitegen-clock";

/// Up to this many changed files are moved into place one by one, whatever the size of the site.
const IN_PLACE_MAX_FILES: usize = 100;
/// More files are moved one by one up to this fraction of all files: one in ten.
const IN_PLACE_MAX_FRACTION: usize = 10;

/// An unfinished publication. Dropping it without [`Publisher::finish`] removes the staging folder.
#[derive(Debug)]
pub struct Publisher<'a> {
    out: PathBuf,
    staging: PathBuf,
    /// The cache of compressed files; `None` without `--precompress`.
    compressed: Option<Store>,
    strict: bool,
    /// How long files below `_assets/` are kept after no page refers to them; `None` if all of them stay.
    keep_assets: Option<KeepAssets>,
    /// Whether there is an output folder.
    is_replacing: bool,
    /// The output folder before this publication.
    existing: &'a OutputState<'a>,
    state: Mutex<State>,
    /// The limits of the host.
    limits: Option<FileLimits>,
    /// Keeps other builds from writing to the output folder. Fields drop in order, so it is released last.
    _lock: FileLock,
}

#[derive(Debug, Default)]
struct State {
    folders: HashSet<PathBuf>,
    /// Every file of this publication.
    files: BTreeMap<String, Published>,
    /// The files in the staging folder.
    staged: BTreeSet<String>,
    /// Whether there is a new `leads.json`.
    has_leads: bool,
    failure: Option<Problem>,
}

/// The contents of the output folder after a publication.
#[derive(Debug, Default)]
pub struct Publication {
    /// Every file that sitegen wrote.
    pub files: BTreeMap<String, Published>,
    /// See [`BuildManifest::folders`](manifest::BuildManifest::folders).
    pub folders: Vec<u64>,
    /// See [`BuildManifest::scanned_at`](manifest::BuildManifest::scanned_at).
    pub scanned_at: u64,
    /// Files that were written or removed.
    pub touched: BTreeSet<String>,
}

/// Writes a new file, and returns its mtime. A file that is there may be a link, or a hard link to a published file, and
/// is not written to.
fn write(file: &Path, bytes: &[u8]) -> io::Result<u64> {
    let mut open = fs_err::File::create_new(file)?;
    open.write_all(bytes)?;
    Ok(modified(&open.metadata()?))
}

/// Reads and hashes a file. `None` if it is not a regular file.
fn published(file: &Path) -> Option<Published> {
    let meta = std::fs::symlink_metadata(file)
        .ok()
        .filter(std::fs::Metadata::is_file)?;
    let hash = hash(&std::fs::read(file).ok()?);
    Some(Published {
        hash,
        length: meta.len(),
        modified: modified(&meta),
        is_compressed: false,
        links: 0,
    })
}

/// The mtime in nanoseconds since 1970.
pub fn modified(meta: &std::fs::Metadata) -> u64 {
    let since = meta
        .modified()
        .ok()
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    since
        .and_then(|since| u64::try_from(since.as_nanos()).ok())
        .unwrap_or_default()
}

/// Makes the folder beside the output folder, without those of builds that were killed.
fn staging(out: &Path, lock: &FileLock) -> io::Result<PathBuf> {
    let parent = out.parent().unwrap_or(Path::new("/"));
    let prefix = prefix(out);
    for entry in fs_err::read_dir(parent)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix) && name.ends_with(OLD) && !out.exists() {
            // A build was killed between two renames: this is the previous output.
            fs_err::rename(entry.path(), out)?;
        } else if name.starts_with(&prefix) && !lock.has_name(&name) {
            fs_err::remove_dir_all(entry.path())?;
        }
    }
    let staging = parent.join(format!("{prefix}{}", std::process::id()));
    fs_err::create_dir(&staging)?;
    Ok(staging)
}

impl<'a> Publisher<'a> {
    /// Creates a staging folder beside the output folder, and removes what killed builds left there.
    ///
    /// `lock` is the lock of the output folder, taken before the `existing` output was compared.
    pub fn begin(
        config: &Config,
        existing: &'a OutputState<'a>,
        lock: FileLock,
    ) -> Result<Publisher<'a>, Problem> {
        let compressed = config.run.precompress.then(|| config.cache.clone());
        let days = config.site.assets.keep_days;
        let keep_assets = (days > 0).then_some(KeepAssets {
            now: config.run.clock.0,
            days,
        });
        let (out, strict) = (config.paths.out.clone(), config.run.strict);
        let mut publisher = Publisher::beside(
            OutputKind::Site,
            out,
            compressed,
            strict,
            keep_assets,
            existing,
            lock,
        )?;
        publisher.limits = FileLimits::of(config);
        Ok(publisher)
    }

    /// Like [`Publisher::begin`], for `search/`. That folder has no manifest, so `nothing` is an empty state.
    pub fn begin_search(
        config: &Config,
        nothing: &'a OutputState<'a>,
    ) -> Result<Publisher<'a>, Problem> {
        let lock = claim(&config.paths.search)?;
        Publisher::beside(
            OutputKind::Search,
            config.paths.search.clone(),
            None,
            config.run.strict,
            None,
            nothing,
            lock,
        )
    }

    fn beside(
        kind: OutputKind,
        out: PathBuf,
        compressed: Option<Store>,
        strict: bool,
        keep_assets: Option<KeepAssets>,
        existing: &'a OutputState<'a>,
        lock: FileLock,
    ) -> Result<Publisher<'a>, Problem> {
        if let Some(problem) = kind.problem(&out) {
            return Err(problem);
        }
        let staging = staging(&out, &lock).map_err(|error| out_failed(&out, &error))?;
        let (is_replacing, state) = (out.exists(), Mutex::default());
        Ok(Publisher {
            out,
            staging,
            compressed,
            strict,
            keep_assets,
            is_replacing,
            existing,
            state,
            limits: None,
            _lock: lock,
        })
    }

    /// Writes one output. [`Publisher::finish`] reports the first failure; outputs after a failure are not written.
    pub fn put(&self, output: &Output) {
        if self.state().failure.is_some() {
            return;
        }
        if let Err(error) = self.write(output) {
            let problem = out_failed(&self.out, &error);
            self.state().failure.get_or_insert(problem);
        }
    }

    /// Publishes `leads.json` with the other files, unless it has these bytes already.
    pub fn put_leads(&self, bytes: &[u8]) {
        if std::fs::read(lead_site::path(&self.out)).is_ok_and(|known| known == bytes) {
            return;
        }
        let written = write(&self.staging.join(LEADS), bytes);
        let mut state = self.state();
        state.has_leads = true;
        if let Err(error) = written {
            state
                .failure
                .get_or_insert_with(|| out_failed(&self.out, &error));
        }
    }

    /// Keeps all unchanged files, old assets as well: this publication consists of the files that are put. Compressed
    /// copies are kept later, if the files that they are made from are unchanged.
    pub fn keep_all(&mut self) {
        self.keep_assets = None;
        let known = self
            .existing
            .last_build
            .into_iter()
            .flat_map(|last_build| last_build.files.keys());
        let kept =
            known.filter_map(|path| Some((path.clone(), *self.existing.files.get(path.as_str())?)));
        let kept = kept.filter(|(_, published)| !published.is_compressed);
        // Sorted, so collecting is faster than inserting.
        let kept = kept.collect();
        self.state().files = kept;
    }

    /// Keeps the published file at this path, if it is unchanged. For files with a hash in their names, whose content
    /// need not be compared.
    pub fn keep(&self, path: &str) -> bool {
        let published = self.existing.files.get(path);
        if let Some(published) = published {
            self.state().files.insert(path.to_owned(), *published);
        }
        published.is_some()
    }

    /// Takes a kept file out of this publication, so that it is removed.
    pub fn leave_out(&self, path: &str) {
        self.state().files.remove(path);
    }

    /// A hash of what has been put: of pages and of the files that they load by name. Old assets have no part in it, and
    /// `except` neither, the file that has the hash.
    pub fn content_hash(&self, except: &str) -> Hash {
        let state = self.state();
        let mut all = Vec::new();
        for (path, file) in &state.files {
            if ![except, OldAssets::FILE].contains(&path.as_str()) && !path.starts_with(ASSETS) {
                all.extend([path.as_bytes(), &[0], &file.hash].concat());
            }
        }
        hash(&all)
    }

    fn write(&self, output: &Output) -> io::Result<()> {
        // The plan stage has checked the paths. This is a second guard against writing outside the staging folder.
        if !is_below(&output.path) {
            let message = format!("`{}` is outside the output folder", output.path);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let read;
        let (bytes, hash): (&[u8], _) = match &output.body {
            Body::Bytes(bytes) => (bytes, hash(bytes)),
            Body::File(file) => {
                read = fs_err::read(file)?;
                (&read, hash(&read))
            }
            Body::Unchanged(hash) => (&[], *hash),
        };
        if let Some(published) = self
            .existing
            .files
            .get(output.path.as_str())
            .filter(|published| published.hash == hash)
        {
            self.state().files.insert(output.path.clone(), *published);
            return Ok(());
        }
        if self.already_on_disk(&output.path, hash, bytes.len() as u64) {
            return Ok(());
        }
        if let Body::Unchanged(_) = output.body {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!("`{}` is gone", output.path),
            ));
        }
        let target = self.staging.join(&output.path);
        let folder = target.parent().unwrap_or(&self.staging);
        let new = self.state().folders.insert(folder.to_owned());
        if new {
            fs_err::create_dir_all(folder)?;
        }
        let may_have_same = self.existing.last_build.is_none() && self.is_replacing;
        // Without a manifest, the published file may still have the same content.
        let modified = match may_have_same
            .then(|| self.link(&output.path, bytes, &target))
            .flatten()
        {
            Some(modified) => modified,
            None => match write(&target, bytes) {
                // Another thread has claimed this folder and has not created it yet.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    fs_err::create_dir_all(folder)?;
                    write(&target, bytes)?
                }
                written => written?,
            },
        };
        let mut state = self.state();
        state.files.insert(
            output.path.clone(),
            Published {
                hash,
                length: bytes.len() as u64,
                modified,
                is_compressed: false,
                links: 0,
            },
        );
        state.staged.insert(output.path.clone());
        Ok(())
    }

    /// Whether a file that was changed after the last build happens to have these bytes already.
    fn already_on_disk(&self, path: &str, own: Hash, length: u64) -> bool {
        let is_known = self
            .existing
            .last_build
            .is_some_and(|last_build| last_build.files.contains_key(path));
        if !is_known || self.existing.files.contains_key(path) {
            return false;
        }
        let file = self.out.join(path);
        let Ok(meta) = std::fs::symlink_metadata(&file) else {
            return false;
        };
        let is_same = meta.is_file()
            && meta.len() == length
            && std::fs::read(&file).is_ok_and(|bytes| hash(&bytes) == own);
        if is_same {
            let published = Published {
                hash: own,
                length,
                modified: modified(&meta),
                is_compressed: false,
                links: 0,
            };
            self.state().files.insert(path.to_owned(), published);
        }
        is_same
    }

    /// Hard-links the file of the previous output to `target` if it has these bytes, and returns its mtime.
    fn link(&self, path: &str, bytes: &[u8], target: &Path) -> Option<u64> {
        let previous = self.out.join(path);
        let meta = std::fs::symlink_metadata(&previous).ok()?;
        let is_same = meta.is_file()
            && meta.len() == bytes.len() as u64
            && std::fs::read(&previous).is_ok_and(|old| old == bytes)
            && std::fs::hard_link(&previous, target).is_ok();
        is_same.then(|| modified(&meta))
    }

    /// Moves the outputs into place, unless a problem stops the publication. Calls `before_change` before the first
    /// file of the output folder is changed.
    pub fn finish(self, before_change: impl FnOnce() -> io::Result<()>) -> (Publication, Problems) {
        let mut problems = Problems::new();
        if let Err(error) = self.compress().and_then(|()| self.keep_old_assets()) {
            self.state()
                .failure
                .get_or_insert(out_failed(&self.out, &error));
        }
        let state = std::mem::take(&mut *self.state());
        if let Some(problem) = state.failure {
            return (Publication::default(), problem.into());
        }
        let scanned_at = match self.clock() {
            Ok(scanned_at) => scanned_at,
            Err(error) => return (Publication::default(), out_failed(&self.out, &error).into()),
        };
        let removed = self.removed(&state);
        let is_small = self.is_small(&state, &removed);
        let mut shared = HashSet::new();
        if self.out.exists() {
            shared = self.keep_untracked(&state.files, &removed, is_small, &mut problems);
        }
        if let Some(limits) = &self.limits {
            problems.extend(
                limits.check(
                    state
                        .files
                        .iter()
                        .map(|(path, file)| (path.as_str(), file.length)),
                ),
            );
        }
        if problems.stop(self.strict) {
            return (Publication::default(), problems);
        }
        let result = before_change().and_then(|()| {
            if is_small {
                self.replace(&state, &removed)
            } else {
                self.exchange(&state)
            }
        });
        let result =
            result.and_then(|()| self.publication(state, scanned_at, is_small, &removed, &shared));
        (
            result
                .map_err(|error| problems.push(out_failed(&self.out, &error)))
                .unwrap_or_default(),
            problems,
        )
    }

    /// Reads the mtimes of the folders. Those with untracked files get 0, so that every build reads them.
    fn publication(
        &self,
        state: State,
        scanned_at: u64,
        is_small: bool,
        removed: &[&str],
        shared: &HashSet<String>,
    ) -> io::Result<Publication> {
        let State { files, staged, .. } = state;
        let touched: HashSet<&str> = {
            let paths = staged
                .iter()
                .map(String::as_str)
                .chain(removed.iter().copied());
            paths.flat_map(folders_of).chain([""]).collect()
        };
        let ours: Vec<&str> = folders_of_sorted(files.keys().map(String::as_str)).collect();
        let folders = parallel::map(&ours, |folder: &&str| {
            let is_unchanged = is_small && !touched.contains(folder);
            match self.existing.folders.get(*folder).filter(|_| is_unchanged) {
                Some(known) => Ok(*known),
                None if shared.contains(*folder) => Ok(0),
                None => fs_err::symlink_metadata(self.out.join(folder)).map(|meta| modified(&meta)),
            }
        })
        .into_iter()
        .collect::<io::Result<_>>()?;
        let touched = staged
            .into_iter()
            .chain(removed.iter().map(|path| (*path).to_owned()))
            .collect();
        Ok(Publication {
            files,
            folders,
            scanned_at,
            touched,
        })
    }

    /// The current time in nanoseconds since 1970, by the clock of the output folder's file system. Read before the
    /// scan for untracked files: a file that is added later gives its folder a later mtime, so the next build finds it.
    /// 0 if staging and output folder are on different file systems.
    fn clock(&self) -> io::Result<u64> {
        let clock = self.staging.join(CLOCK);
        let time = write(&clock, &[])?;
        fs_err::remove_file(&clock)?;
        let is_shared = !self.out.exists() || files::is_one_file_system(&self.staging, &self.out);
        Ok(if is_shared { time } else { 0 })
    }

    /// The files that the last build wrote and this one does not.
    fn removed(&self, state: &State) -> Vec<&'a str> {
        let files = self
            .existing
            .last_build
            .into_iter()
            .map(|last_build| last_build.files.keys());
        // Comparing all of them in order is faster than looking up each one.
        let files = files
            .filter(|files| !files.clone().eq(state.files.keys()))
            .flatten();
        files
            .map(String::as_str)
            .filter(|path| !state.files.contains_key(*path))
            .collect()
    }

    /// Whether the files can be moved one by one: the changes are few, and none of them turns a file into a folder.
    fn is_small(&self, state: &State, removed: &[&str]) -> bool {
        let Some(last_build) = self.existing.last_build else {
            return false;
        };
        state.staged.len() + removed.len()
            <= IN_PLACE_MAX_FILES.max(state.files.len() / IN_PLACE_MAX_FRACTION)
            && state.staged.iter().all(|path| {
                !folders_of(path).any(|folder| last_build.files.contains_key(folder))
                    && !self.out.join(path).is_dir()
            })
    }

    /// Exchanges the output folder with the staging folder, after adding hard links to the unchanged files.
    fn exchange(&self, state: &State) -> io::Result<()> {
        let kept: Vec<&String> = state
            .files
            .keys()
            .filter(|path| !state.staged.contains(*path))
            .collect();
        let folders: BTreeSet<&Path> = kept
            .iter()
            .filter_map(|path| Path::new(path).parent())
            .collect();
        for folder in folders {
            let folder = self.staging.join(folder);
            if !state.folders.contains(&folder) {
                fs_err::create_dir_all(folder)?;
            }
        }
        parallel::try_each(&kept, |path| {
            let (from, to) = (self.out.join(path), self.staging.join(path));
            files::duplicate(&from, &to)
        })?;
        write(
            &self.staging.join(FILE_LIST),
            listed(&state.files).as_bytes(),
        )?;
        let is_first = !self.out.exists();
        exchange(&self.staging, &self.out)?;
        move_leads(&self.out).inspect_err(|_| {
            // If this fails as well, the next build moves it.
            let _ = if is_first {
                fs_err::rename(&self.out, &self.staging)
            } else {
                exchange(&self.staging, &self.out)
            };
        })?;
        rescue(&self.staging, &self.out)
    }

    /// Moves the staged files into place, all or none: first assets, then new pages, to which nothing links yet, then
    /// changed pages, then the list of files. Files are removed last.
    fn replace(&self, state: &State, removed: &[&str]) -> io::Result<()> {
        let last_build = self.existing.last_build;
        let mut staged: Vec<&String> = state.staged.iter().collect();
        staged.sort_by_key(|path| {
            (
                path.ends_with(".html"),
                last_build.is_some_and(|last_build| last_build.files.contains_key(*path)),
            )
        });
        let files: Vec<PathBuf> = staged.iter().map(|path| self.staging.join(path)).collect();
        let mut changes: Vec<(&str, FileOperation)> = staged
            .iter()
            .zip(&files)
            .map(|(path, file)| (path.as_str(), FileOperation::Put(file)))
            .collect();
        let is_listed = self
            .existing
            .last_build
            .is_some_and(|last_build| last_build.files.keys().eq(state.files.keys()));
        let list = self.staging.join(FILE_LIST);
        if !is_listed {
            write(&list, listed(&state.files).as_bytes())?;
            changes.push((FILE_LIST, FileOperation::Put(&list)));
        }
        let leads = self.staging.join(LEADS);
        let path = lead_site::path(&self.out);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let beside = format!("{BESIDE}{name}");
        if state.has_leads {
            changes.push((&beside, FileOperation::Put(&leads)));
        }
        changes.extend(removed.iter().map(|path| (*path, FileOperation::Remove)));
        transaction(&self.out).apply(&changes)?;
        removed
            .iter()
            .for_each(|path| remove_empty_folders(&self.out, path));
        Ok(())
    }

    /// Adds compressed files. Called after all other outputs, so that it does not replace a compressed file of the
    /// site.
    fn compress(&self) -> io::Result<()> {
        let Some(cache) = self
            .compressed
            .as_ref()
            .filter(|_| self.state().failure.is_none())
        else {
            return Ok(());
        };
        let (paths, staged): (BTreeSet<String>, BTreeSet<String>) = {
            let state = self.state();
            (state.files.keys().cloned().collect(), state.staged.clone())
        };
        // The copy of an unchanged file is unchanged, too, unless an author wrote it.
        compress::each(
            &paths,
            &|path: &str| {
                if staged.contains(path) {
                    self.staging.join(path)
                } else {
                    self.out.join(path)
                }
            },
            &|path: &str, copy: &str| {
                let is_unchanged = self.existing.files.contains_key(path) && !staged.contains(path);
                is_unchanged
                    && self
                        .existing
                        .files
                        .get(copy)
                        .is_some_and(|copy| copy.is_compressed)
                    && self.keep(copy)
            },
            cache,
            &|path: String, bytes: Vec<u8>| {
                self.write(&Output::bytes(path.clone(), Arc::new(bytes)))?;
                self.state()
                    .files
                    .entry(path)
                    .and_modify(|published| published.is_compressed = true);
                Ok(())
            },
        )
    }

    /// Takes over the files below `_assets/` that earlier builds wrote and this one does not, for as long as open pages
    /// may still ask for them.
    fn keep_old_assets(&self) -> io::Result<()> {
        let Some(keep) = self.keep_assets.filter(|_| self.state().failure.is_none()) else {
            return Ok(());
        };
        let old = {
            let files = &mut self.state().files;
            let old = OldAssets::kept(&self.out, self.existing.last_build, keep, &|path: &str| {
                files.contains_key(path)
            });
            if old.is_empty() {
                return Ok(());
            }
            for path in old.paths() {
                let known = self.existing.files.get(path).copied();
                let Some(published) = known.or_else(|| published(&self.out.join(path))) else {
                    continue;
                };
                files.insert(path.to_owned(), published);
            }
            old
        };
        self.write(&Output::bytes(OldAssets::FILE, Arc::new(old.serialize())))
    }

    /// Reports untracked files, empty folders and symbolic links; an untracked folder is reported once. If the output
    /// folder is about to be exchanged (`in_place` is false), it copies or links them to the staging folder. Returns
    /// the folders that hold untracked files.
    fn keep_untracked(
        &self,
        files: &BTreeMap<String, Published>,
        removed: &[&str],
        in_place: bool,
        problems: &mut Problems,
    ) -> HashSet<String> {
        let mut changed = self
            .existing
            .changed_folders(files.keys().map(String::as_str));
        // They are sorted. What a folder holds that loses all of its pages is kept as well.
        changed.extend(self.existing.changed_folders(removed.iter().copied()));
        if changed.is_empty() {
            return HashSet::new();
        }
        let list = std::fs::read_to_string(self.out.join(FILE_LIST)).unwrap_or_default();
        let mut ours: Vec<&str> = list.lines().chain([FILE_LIST]).collect();
        ours.sort_unstable();
        let new: Vec<&str> = files.keys().map(String::as_str).collect();
        changed.extend(self.existing.changed_folders(ours.iter().copied()));
        let found = untracked::find(
            &self.out,
            &changed.into_iter().collect::<Vec<_>>(),
            &|path: &str, is_folder: bool| {
                ours.binary_search(&path).is_ok()
                    || is_folder && (is_folder_of(&ours, path) || is_folder_of(&new, path))
            },
        );
        let mut folders = HashSet::new();
        for entry in found {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    problems.push(out_failed(&self.out, &error));
                    continue;
                }
            };
            folders.insert(untracked::folder_of(&entry.path).to_owned());
            let path = &entry.path;
            if files.contains_key(path) || is_folder_of(&ours, path) || is_folder_of(&new, path) {
                problems.push(entry.in_the_way());
                continue;
            }
            if !entry.is_of_certificates() {
                problems.push(entry.kept());
            }
            if !in_place && let Err(problem) = entry.carry(&self.staging.join(&entry.path)) {
                problems.push(problem);
            }
        }
        folders
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Poisoned only if another thread panicked while inserting; the sets are intact.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Publisher<'_> {
    fn drop(&mut self) {
        // After the exchange this folder is the previous output, before it the unfinished one. Neither is needed.
        let _ = fs_err::remove_dir_all(&self.staging);
    }
}

fn listed(files: &BTreeMap<String, Published>) -> String {
    files
        .keys()
        .flat_map(|path| [path.as_str(), "\n"])
        .collect()
}
