//! Reads the files that authors write. What cannot be read is a problem that names the file, never a stop.

use std::path::Path;
use std::sync::Arc;

use crate::problem::{Code, Place, Problem, Problems, Source};

/// Larger text files are refused unread; the longest page of a site is a hundredth of this.
pub const TEXT_LIMIT: u64 = 2 * 1024 * 1024;

/// A path below the site's folder as problems print it: relative, with forward slashes.
pub fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// Reads a text file: UTF-8, not empty, not huge; a byte-order mark is dropped, line ends stay as they are.
pub fn read_text(root: &Path, path: &Path) -> Result<Arc<Source>, Problem> {
    let name = shown(root, path);
    let bytes = read_bytes(root, path, TEXT_LIMIT)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]).into_owned();
        let source = Source { path: name.clone(), text: valid };
        let end = source.text.len();
        Problem::error(Code::NotUtf8, "the file is not UTF-8 from here on")
            .at(source.place(crate::problem::Span::new(end, end)))
            .hint("save the file with the encoding UTF-8")
    })?;
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Problem::error(Code::EmptyFile, "the file is empty")
            .at(Place::file(name))
            .hint("write its content, or delete the file"));
    }
    Ok(Arc::new(Source { path: name, text }))
}

/// Reads a file of at most `limit` bytes.
pub fn read_bytes(root: &Path, path: &Path, limit: u64) -> Result<Vec<u8>, Problem> {
    let name = shown(root, path);
    let unreadable = |error: std::io::Error| {
        Problem::error(Code::Unreadable, format!("the file could not be read ({})", reason(&error)))
            .at(Place::file(name.clone()))
    };
    let size = std::fs::metadata(path).map_err(unreadable)?.len();
    if size > limit {
        let message = format!("the file has {} MB, and at most {} MB are read", size / 1_000_000, limit / 1_000_000);
        return Err(Problem::error(Code::TooLarge, message).at(Place::file(name)));
    }
    std::fs::read(path).map_err(unreadable)
}

/// All files below `folder`, sorted by path; a folder that is not there has none. Names that begin with a dot, and
/// editors' backup files, are passed over.
pub fn list(root: &Path, folder: &Path) -> (Vec<std::path::PathBuf>, Problems) {
    let mut files = Vec::new();
    let mut problems = Problems::new();
    if !folder.exists() {
        return (files, problems);
    }
    let visible = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0 || !(name.starts_with('.') || name.ends_with('~') || name.ends_with(".swp"))
    };
    for entry in walkdir::WalkDir::new(folder).follow_links(true).sort_by_file_name().into_iter().filter_entry(visible)
    {
        match entry {
            Ok(entry) if entry.file_type().is_file() => files.push(entry.into_path()),
            Ok(_) => {}
            Err(error) => {
                let place = error.path().map(|path| Place::file(shown(root, path)));
                let why = match (error.loop_ancestor(), error.io_error()) {
                    (Some(ancestor), _) => format!("this link leads back to `{}`, in a circle", shown(root, ancestor)),
                    (None, Some(io)) => format!("it could not be read ({})", reason(io)),
                    (None, None) => error.to_string(),
                };
                let mut problem = Problem::error(Code::Unreadable, why);
                problem.place = place;
                problems.push(problem);
            }
        }
    }
    (files, problems)
}

/// An input/output error in words, without the operating system's number.
pub fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "it does not exist".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::StorageFull => "the disk is full".into(),
        std::io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".into(),
        _ => error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase(),
    }
}
