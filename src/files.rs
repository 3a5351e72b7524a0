//! Reads source files. A file that cannot be read is a problem with its path; the other files are still read.

mod stamp;
mod tree;
pub mod unsaved;

use std::path::Path;
use std::sync::Arc;

use diagnostics::problem::{Code, Place, Problem, Problems, Source};

pub use stamp::{Clock, FileState, Stamp, is_one_file_system};
pub use tree::Tree;

/// The source folders of a site.
pub const SOURCES: &[&str] = &["content", "templates", "react", "static"];

/// Maximum size of a text file, in bytes. The longest page of this site has a hundredth of it.
pub const TEXT_LIMIT: u64 = 2 * 1024 * 1024;

/// A path as problems print it: relative to `root`, with forward slashes.
pub fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// Reads a text file without its byte-order mark. Line endings stay as they are, except that files with carriage
/// returns only (classic Mac OS) get line feeds.
///
/// Fails if the file is not UTF-8, is empty, is larger than [`TEXT_LIMIT`] or contains control characters.
pub fn read_text(root: &Path, path: &Path) -> Result<Arc<Source>, Problem> {
    read_text_as(shown(root, path), path)
}

/// Like [`read_text`]; `name` is the path in problems.
pub fn read_text_as(name: String, path: &Path) -> Result<Arc<Source>, Problem> {
    let bytes = read_bytes_as(&name, path, TEXT_LIMIT)?;
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Problem::error(Code::NotUtf8, "the file is UTF-16, and only UTF-8 is read")
            .at(Place::file(name))
            .hint("save the file with the encoding UTF-8"));
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        // The lossy text equals the file up to the first invalid byte, so the offset is valid.
        let valid = error.utf8_error().valid_up_to();
        let source = Source { path: name.clone(), text: String::from_utf8_lossy(error.as_bytes()).into_owned() };
        Problem::error(Code::NotUtf8, "the file is not UTF-8 from here on")
            .at(source.place(diagnostics::problem::Span::new(valid, valid + char::REPLACEMENT_CHARACTER.len_utf8())))
            .hint("save the file with the encoding UTF-8")
    })?;
    if text.contains('\r') && !text.contains('\n') {
        text = text.replace('\r', "\n");
    }
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Problem::error(Code::EmptyFile, "the file is empty")
            .at(Place::file(name))
            .hint("write its content, or delete the file"));
    }
    let source = Source { path: name, text };
    match diagnostics::text::control_character(&source.text) {
        Some((at, c)) => Err(diagnostics::text::no_control_characters(c)
            .at(source.place(diagnostics::problem::Span::new(at, at + c.len_utf8())))),
        None => Ok(Arc::new(source)),
    }
}

/// Reads a regular file of at most `limit` bytes.
pub fn read_bytes(root: &Path, path: &Path, limit: u64) -> Result<Vec<u8>, Problem> {
    read_bytes_as(&shown(root, path), path, limit)
}

fn read_bytes_as(name: &str, path: &Path, limit: u64) -> Result<Vec<u8>, Problem> {
    let unreadable = |error: std::io::Error| {
        Problem::error(Code::Unreadable, format!("the file could not be read ({})", reason(&error)))
            .at(Place::file(name))
    };
    if let Some(text) = unsaved::text(path) {
        return Ok(text.as_bytes().to_vec());
    }
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(not_a_file(name.to_owned(), metadata.is_dir()));
    }
    let size = metadata.len();
    if size > limit {
        let message = format!("the file has {} MB, and at most {} MB are read", size / 1_000_000, limit / 1_000_000);
        return Err(Problem::error(Code::TooLarge, message).at(Place::file(name)));
    }
    std::fs::read(path).map_err(unreadable)
}

/// The problem of a path that is not a regular file. Reading a pipe could block forever, and a device may have no end.
fn not_a_file(name: String, is_folder: bool) -> Problem {
    let what = if is_folder { "a folder" } else { "a pipe, a socket or a device" };
    Problem::error(Code::Unreadable, format!("this is {what}, and a file was expected"))
        .at(Place::file(name))
        .hint("remove it, or put a file in its place")
}

/// Whether this is a hidden file or a temporary file of an editor or desktop: backups, lock files, previews. `4913` is
/// the file that Vim creates to test whether a folder is writable.
pub fn is_litter(name: &str) -> bool {
    name.starts_with('.')
        || name.ends_with('~')
        || name.ends_with(".swp")
        || name.len() > 1 && name.starts_with('#') && name.ends_with('#')
        || matches!(name, "4913" | "Thumbs.db" | "desktop.ini")
}

/// All files below `folder`, sorted by path; empty if the folder does not exist. Hidden and temporary files are skipped
/// (see [`is_litter`]), symbolic links are followed.
pub fn list(root: &Path, folder: &Path) -> (Vec<std::path::PathBuf>, Problems) {
    let mut files = Vec::new();
    let mut problems = Problems::new();
    if !folder.exists() {
        return (files, problems);
    }
    let visible = |entry: &walkdir::DirEntry| entry.depth() == 0 || !is_litter(&entry.file_name().to_string_lossy());
    for entry in walkdir::WalkDir::new(folder).follow_links(true).into_iter().filter_entry(visible) {
        match entry {
            Ok(entry) if entry.file_type().is_file() => files.push(entry.into_path()),
            Ok(entry) if entry.file_type().is_dir() => {}
            Ok(entry) => problems.push(not_a_file(shown(root, entry.path()), false)),
            Err(error) => {
                let place = error.path().map(|path| Place::file(shown(root, path)));
                let why = match (error.loop_ancestor(), error.io_error()) {
                    (Some(ancestor), _) => format!("this symbolic link leads back to `{}`", shown(root, ancestor)),
                    (None, Some(io)) => format!("it could not be read ({})", reason(io)),
                    (None, None) => error.to_string(),
                };
                let mut problem = Problem::error(Code::Unreadable, why);
                problem.place = place;
                problems.push(problem);
            }
        }
    }
    // Sort slashes before all other characters, so that the files of a folder stay together.
    files.sort_by_cached_key(|file| {
        let mut path = file.as_os_str().as_encoded_bytes().to_vec();
        path.iter_mut().filter(|byte| **byte == b'/').for_each(|byte| *byte = 0);
        path
    });
    (files, problems)
}

/// The problem of a file that could not be written. `path` is relative to the folder of the site.
pub fn not_written(path: &str, error: &std::io::Error) -> Problem {
    Problem::error(Code::OutFailed, format!("the file could not be written ({})", reason(error))).at(Place::file(path))
}

/// The message of an I/O error without the error number of the operating system.
pub fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "it does not exist".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::StorageFull => "the disk is full".into(),
        std::io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".into(),
        _ => error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase(),
    }
}
