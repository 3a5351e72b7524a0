//! Writes outputs as they come into a folder beside `dist/`, and exchanges the two in one step at the end.
//!
//! So a build that fails or is killed leaves `dist/` exactly as it was, and a visitor never meets half a site. A file
//! that has not changed is linked, not written again. `dist/.sitegen-files` lists what sitegen wrote: a file that is
//! not in it is somebody else's, and is kept and named.

mod compress;
pub mod hosts;
pub mod lead_site;
pub mod urls_lock;

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::config::Config;
use crate::files;
use crate::output::{Body, Output};
use crate::problem::{Code, Place, Problem, Problems};

/// The list of files that sitegen wrote, one path a line.
pub const RECORD: &str = ".sitegen-files";

/// How the previous output is called between two renames, on file systems that cannot exchange folders.
const OLD: &str = "-old";

/// An unfinished publication. Dropped before [`Publisher::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct Publisher {
    out: PathBuf,
    staging: PathBuf,
    /// Where compressed files are kept; absent when none are wanted.
    compressed: Option<PathBuf>,
    strict: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    folders: HashSet<PathBuf>,
    paths: BTreeSet<String>,
    failure: Option<Problem>,
}

impl Publisher {
    /// Opens a staging folder beside the output folder. The caller holds the build lock, so what an earlier build left
    /// behind when it was killed can be removed.
    pub fn begin(config: &Config) -> Result<Publisher, Problem> {
        let compressed = config.precompress.then(|| config.cache.clone());
        Publisher::beside(config.out.clone(), compressed, config.strict)
    }

    /// The same for the folder that the API reads.
    pub fn begin_search(config: &Config) -> Result<Publisher, Problem> {
        Publisher::beside(config.search.clone(), None, config.strict)
    }

    fn beside(out: PathBuf, compressed: Option<PathBuf>, strict: bool) -> Result<Publisher, Problem> {
        let failed = |error: io::Error| out_failed(&out, &error);
        let parent = out.parent().unwrap_or(Path::new("/"));
        let name = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
        fs_err::create_dir_all(parent).map_err(failed)?;
        let prefix = format!(".{name}.sitegen-");
        for entry in fs_err::read_dir(parent).map_err(failed)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(&prefix) && name.ends_with(OLD) && !out.exists() {
                // Killed between two renames: this is the previous output.
                fs_err::rename(entry.path(), &out).map_err(failed)?;
            } else if name.starts_with(&prefix) {
                fs_err::remove_dir_all(entry.path()).map_err(failed)?;
            }
        }
        let staging = parent.join(format!("{prefix}{}", std::process::id()));
        fs_err::create_dir(&staging).map_err(failed)?;
        Ok(Publisher { out, staging, compressed, strict, state: Mutex::default() })
    }

    /// Takes one output. The first failure is kept for [`Publisher::finish`], and what comes after it is not written.
    pub fn put(&self, output: &Output) {
        if self.state().failure.is_some() {
            return;
        }
        if let Err(error) = self.write(output) {
            let problem = out_failed(&self.out, &error);
            self.state().failure.get_or_insert(problem);
        }
    }

    fn write(&self, output: &Output) -> io::Result<()> {
        // Addresses were checked when they were planned; nothing may ever be written beside the staging folder.
        if !Path::new(&output.path).components().all(|part| matches!(part, std::path::Component::Normal(_))) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("`{}` leads out of it", output.path)));
        }
        let target = self.staging.join(&output.path);
        let folder = target.parent().unwrap_or(&self.staging);
        let new = {
            let mut state = self.state();
            state.paths.insert(output.path.clone());
            state.folders.insert(folder.to_owned())
        };
        if new {
            fs_err::create_dir_all(folder)?;
        }
        let previous = self.out.join(&output.path);
        let bytes;
        let bytes: &[u8] = match &output.body {
            Body::Bytes(bytes) => bytes,
            Body::File(file) => {
                bytes = fs_err::read(file)?;
                &bytes
            }
        };
        let is_plain =
            std::fs::symlink_metadata(&previous).is_ok_and(|meta| meta.is_file() && meta.len() == bytes.len() as u64);
        if is_plain
            && std::fs::read(&previous).is_ok_and(|old| old == bytes)
            && std::fs::hard_link(&previous, &target).is_ok()
        {
            return Ok(());
        }
        fs_err::write(target, bytes)
    }

    /// Puts the result in place, unless a problem stops it.
    pub fn finish(self) -> Problems {
        let mut problems = Problems::new();
        if let Err(error) = self.compress() {
            self.state().failure.get_or_insert(out_failed(&self.out, &error));
        }
        let state = std::mem::take(&mut *self.state());
        if let Some(problem) = state.failure {
            return problem.into();
        }
        if self.out.exists() {
            self.keep_foreign(&state.paths, &mut problems);
        }
        if problems.stop(self.strict) {
            return problems;
        }
        let record: String = state.paths.iter().flat_map(|path| [path.as_str(), "\n"]).collect();
        let placed = fs_err::write(self.staging.join(RECORD), record).and_then(|()| exchange(&self.staging, &self.out));
        if let Err(error) = placed {
            problems.push(out_failed(&self.out, &error));
        }
        problems
    }

    /// Once all files are there, so that none that the site has itself is replaced.
    fn compress(&self) -> io::Result<()> {
        let Some(cache) = self.compressed.as_ref().filter(|_| self.state().failure.is_none()) else { return Ok(()) };
        let paths = self.state().paths.clone();
        let take = |path: String, bytes: Vec<u8>| self.write(&Output::bytes(path, Arc::new(bytes)));
        compress::each(&self.staging, &paths, cache, &take)
    }

    /// Carries over what sitegen did not write, empty folders and links included, and says so: once for a whole folder.
    fn keep_foreign(&self, paths: &BTreeSet<String>, problems: &mut Problems) {
        let record = std::fs::read_to_string(self.out.join(RECORD)).unwrap_or_default();
        let ours: HashSet<&str> = record.lines().chain([RECORD]).collect();
        let files = ours.iter().copied().chain(paths.iter().map(String::as_str));
        let our_folders: HashSet<&str> = files.flat_map(folders_of).collect();
        let mut told: Option<String> = None;
        for entry in walkdir::WalkDir::new(&self.out).min_depth(1).sort_by_file_name() {
            let carried = entry.map_err(io::Error::from).and_then(|entry| {
                let path = files::shown(&self.out, entry.path());
                let is_folder = entry.file_type().is_dir();
                if ours.contains(path.as_str()) || is_folder && our_folders.contains(path.as_str()) {
                    return Ok(());
                }
                let place = Place::file(entry.path().to_string_lossy());
                if paths.contains(&path) || our_folders.contains(path.as_str()) {
                    let problem = Problem::error(Code::ForeignFile, "sitegen did not write this, and would replace it");
                    problems.push(problem.at(place).hint("move it away, or choose another `--out`"));
                    return Ok(());
                }
                if !told.as_ref().is_some_and(|folder| path.starts_with(folder.as_str())) {
                    let what = if is_folder { "folder" } else { "file" };
                    let message = format!("sitegen did not write this {what}; it is kept, and will be published");
                    problems.push(Problem::warning(Code::ForeignFile, message).at(place));
                    told = is_folder.then(|| format!("{path}/"));
                }
                carry(&entry, &self.staging.join(&path))
            });
            if let Err(error) = carried {
                problems.push(out_failed(&self.out, &error));
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Poisoned only when another thread panicked while inserting a name; the sets are whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        // After the exchange this is the previous output; before it, the unfinished one. Either way it is done with.
        let _ = fs_err::remove_dir_all(&self.staging);
    }
}

/// Takes a folder away that an earlier build wrote; one without [`RECORD`] is somebody's own.
pub fn withdraw(folder: &Path) -> Problems {
    if !folder.join(RECORD).exists() {
        return Problems::new();
    }
    match fs_err::remove_dir_all(folder) {
        Ok(()) => Problems::new(),
        Err(error) => out_failed(folder, &error).into(),
    }
}

/// The folders above a path: `a` and `a/b` of `a/b/c`.
fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

fn carry(entry: &walkdir::DirEntry, to: &Path) -> io::Result<()> {
    if entry.file_type().is_dir() {
        fs_err::create_dir_all(to)?;
        let mut permissions = entry.metadata()?.permissions();
        // What lies in it must be carried, too, and the folder be removable when something fails.
        #[cfg(unix)]
        std::os::unix::fs::PermissionsExt::set_mode(
            &mut permissions,
            std::os::unix::fs::PermissionsExt::mode(&entry.metadata()?.permissions()) | 0o700,
        );
        return fs_err::set_permissions(to, permissions);
    }
    fs_err::create_dir_all(to.parent().unwrap_or(to))?;
    #[cfg(unix)]
    if entry.file_type().is_symlink() {
        return fs_err::os::unix::fs::symlink(fs_err::read_link(entry.path())?, to);
    }
    if std::fs::hard_link(entry.path(), to).is_ok() {
        return Ok(());
    }
    fs_err::copy(entry.path(), to).map(drop)
}

/// Both folders swap names in one step, so that at no moment the output is missing or mixed.
fn exchange(staging: &Path, out: &Path) -> io::Result<()> {
    if !out.exists() {
        return fs_err::rename(staging, out);
    }
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, staging, CWD, out, RenameFlags::EXCHANGE) {
            Ok(()) => return Ok(()),
            // The file system cannot exchange: two renames are the next best.
            Err(
                rustix::io::Errno::INVAL
                | rustix::io::Errno::NOSYS
                | rustix::io::Errno::NOTSUP
                | rustix::io::Errno::XDEV,
            ) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let old = staging.with_file_name(format!("{}{OLD}", staging.file_name().unwrap_or_default().to_string_lossy()));
    fs_err::rename(out, &old)?;
    fs_err::rename(staging, out).inspect_err(|_| {
        let _ = fs_err::rename(&old, out);
    })?;
    fs_err::remove_dir_all(old)
}

fn out_failed(out: &Path, error: &io::Error) -> Problem {
    let problem =
        Problem::error(Code::OutFailed, format!("`{}` could not be written ({})", out.display(), files::reason(error)));
    match error.kind() {
        io::ErrorKind::StorageFull => problem.hint("free some space; the previous output is unchanged"),
        io::ErrorKind::ResourceBusy => {
            problem.hint("the folder is a mount point; name a folder inside it with `--out`")
        }
        _ => problem.hint("the previous output is unchanged"),
    }
}
