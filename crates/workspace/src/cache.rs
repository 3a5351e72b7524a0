//! The cache: results that are expensive to compute, kept between builds and shared between machines.
//!
//! [`Store`] keeps entries under names that contain a hash of their inputs. Each entry is written in one step and has a
//! checksum, so several builds may use a folder at the same time, and an entry that is damaged, or of another version,
//! counts as missing. A cache therefore never changes a result. [`keep`] writes files that are not such entries, like
//! the manifest of the last build.

mod entry;
mod kind;
mod place;
mod prune;
mod shared;
mod store;

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

pub use kind::Kind;
pub use place::Place;
pub use prune::{RemovedFiles, Usage, prune, remove_all, usage};
pub use shared::shared_entries;
pub use store::Store;

/// The folder of the scripts that `/admin/` of the preview shows forms with, in the cache folder.
pub const FORMS: &str = "forms";

/// Makes the names of temporary files unique within this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Makes them unique among processes, also of other machines that write to the same folder: process ids are not enough,
/// because in containers they are often the same.
static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish());

/// Extension of temporary files. A killed build leaves them behind, and [`prune`] removes them after a day.
const TEMPORARY: &str = "part";

/// A name for temporary files that no other process has, and that this one gives once.
pub fn unique_name() -> String {
    format!("{:016x}-{}", *PROCESS, NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Replaces `file` with the bytes in one step. Creates its folder if necessary.
pub fn keep(file: &Path, bytes: &[u8]) -> io::Result<()> {
    keep_with(file, |written| written.write_all(bytes))
}

/// Creates a file and its folder.
fn create(file: &Path) -> io::Result<fs_err::File> {
    fs_err::create_dir_all(file.parent().unwrap_or(file))?;
    fs_err::File::create(file)
}

/// Like [`keep`], for what `write` writes.
pub fn keep_with(
    file: &Path,
    write: impl FnOnce(&mut fs_err::File) -> io::Result<()>,
) -> io::Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    // Hidden, so that no build reads one that was left behind by a kill.
    let beside = file.with_file_name(format!(".{name}.{}.{TEMPORARY}", unique_name()));
    // Another process may remove the empty folder between the two calls.
    let mut written = create(&beside).or_else(|_| create(&beside))?;
    let done = write(&mut written).and_then(|()| fs_err::rename(&beside, file));
    if done.is_err() {
        let _ = fs_err::remove_file(&beside);
    }
    done
}
