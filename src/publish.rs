//! Writes outputs as they come into a folder beside `dist/`, and exchanges the two in one step at the end.
//!
//! So a build that fails or is killed leaves `dist/` exactly as it was, and a visitor never meets half a site. A file
//! that has not changed is linked, not written again. `dist/.sitegen-files` lists what sitegen wrote: a file that is
//! not in it is somebody else's, and is kept and named.

pub mod headers;

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::config::Config;
use crate::files;
use crate::output::{Body, Output};
use crate::problem::{Code, Place, Problem, Problems};

/// The list of files that sitegen wrote, one path a line.
pub const RECORD: &str = ".sitegen-files";

/// An unfinished publication. Dropped before [`Publisher::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct Publisher {
    out: PathBuf,
    staging: PathBuf,
    strict: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    folders: HashSet<PathBuf>,
    paths: BTreeSet<String>,
    failure: Option<Problem>,
}

/// What a publication did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Published {
    /// Paths below `dist/`, sorted.
    pub paths: BTreeSet<String>,
}

impl Publisher {
    /// Opens a staging folder beside the output folder. The caller holds the build lock, so what an earlier build left
    /// behind when it was killed can be removed.
    pub fn begin(config: &Config) -> Result<Publisher, Problem> {
        let out = config.out.clone();
        let failed = |error: io::Error| out_failed(&out, &error);
        let parent = out.parent().unwrap_or(Path::new("/"));
        let name = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
        fs_err::create_dir_all(parent).map_err(failed)?;
        let prefix = format!(".{name}.sitegen-");
        for entry in fs_err::read_dir(parent).map_err(failed)?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                let _ = fs_err::remove_dir_all(entry.path());
            }
        }
        let staging = parent.join(format!("{prefix}{}", std::process::id()));
        fs_err::create_dir(&staging).map_err(failed)?;
        Ok(Publisher { out, staging, strict: config.strict, state: Mutex::default() })
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

    /// Puts the result in place.
    pub fn finish(self) -> (Option<Published>, Problems) {
        let mut problems = Problems::new();
        let state = std::mem::take(&mut *self.state());
        if let Some(problem) = state.failure {
            return (None, problem.into());
        }
        if self.out.exists() {
            self.keep_foreign(&state.paths, &mut problems);
        }
        if problems.stop(self.strict) {
            return (None, problems);
        }
        let record: String = state.paths.iter().flat_map(|path| [path.as_str(), "\n"]).collect();
        let placed = fs_err::write(self.staging.join(RECORD), record).and_then(|()| exchange(&self.staging, &self.out));
        if let Err(error) = placed {
            problems.push(out_failed(&self.out, &error));
            return (None, problems);
        }
        (Some(Published { paths: state.paths }), problems)
    }

    /// Carries over what sitegen did not write, and says so.
    fn keep_foreign(&self, paths: &BTreeSet<String>, problems: &mut Problems) {
        let record = std::fs::read_to_string(self.out.join(RECORD)).unwrap_or_default();
        let ours: HashSet<&str> = record.lines().chain([RECORD]).collect();
        for entry in walkdir::WalkDir::new(&self.out).into_iter().flatten().filter(|entry| !entry.file_type().is_dir())
        {
            let path = files::shown(&self.out, entry.path());
            if ours.contains(path.as_str()) {
                continue;
            }
            let place = Place::file(entry.path().to_string_lossy());
            if paths.contains(&path) {
                let problem =
                    Problem::error(Code::ForeignFile, "sitegen did not write this file, and would replace it")
                        .at(place);
                problems.push(problem.hint("move it away, or choose another `--out`"));
                continue;
            }
            let kept = self.staging.join(&path);
            let carried = fs_err::create_dir_all(kept.parent().unwrap_or(&self.staging))
                .and_then(|()| carry(entry.path(), &kept));
            match carried {
                Ok(()) => problems.push(
                    Problem::warning(
                        Code::ForeignFile,
                        "sitegen did not write this file; it is kept, and will be published",
                    )
                    .at(place),
                ),
                Err(error) => problems.push(out_failed(&self.out, &error)),
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

fn carry(from: &Path, to: &Path) -> io::Result<()> {
    if std::fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    fs_err::copy(from, to).map(drop)
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
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let old = staging.with_extension("old");
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
