//! Reads source files. A file that cannot be read is a problem with its path; the other files are still read.
//!
//! Programs that change sources do it with a [`SourceWriter`]: one at a time, and all of a change or none.

mod duplicate;
mod links;
mod lock;
mod set;
mod sources;
mod stamp;
mod transaction;
mod tree;

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use memchr::memmem;
use rustix::fs::{Mode, OFlags};

use diagnostics::problem::{Code, Place, Problem, Source};

pub use duplicate::duplicate;
pub use lock::FileLock;
pub use set::{Draft, FileSet, Overlay};
pub use sources::create_cache_folder;
pub use sources::{CACHE, SourceChange, SourceWriter, before_change, recover_sources, rewrite};
pub use stamp::{Clock, FileState, Stamp, is_one_file_system, nanoseconds};
pub use transaction::{BESIDE, FileOperation, Transaction};
pub use tree::Tree;

/// The absolute path without `.` and `..`. The path need not exist.
pub fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            other => clean.push(other),
        }
    }
    // Resolve symbolic links in the part of the path that exists, so that `--out` cannot reach the sources through one.
    let existing = clean
        .ancestors()
        .find_map(|ancestor| ancestor.canonicalize().ok().map(|real| (ancestor, real)));
    match existing {
        Some((ancestor, real)) => clean.strip_prefix(ancestor).map_or(clean.clone(), |rest| {
            if rest.as_os_str().is_empty() {
                real
            } else {
                real.join(rest)
            }
        }),
        None => clean,
    }
}

/// The source folders of a site.
pub const SOURCES: &[&str] = &["content", "templates", "react", "static"];

/// Maximum size of a text file, in bytes. The longest page of this site has a hundredth of it.
pub const TEXT_LIMIT: u64 = 2 * 1024 * 1024;

/// A path as problems print it: relative to `root`, with forward slashes.
pub fn shown(root: &Path, path: &Path) -> String {
    let shown = below(root, path).map_or_else(
        || path.strip_prefix(root).unwrap_or(path).to_string_lossy(),
        Cow::from,
    );
    if shown.contains('\\') {
        shown.replace('\\', "/")
    } else {
        shown.into_owned()
    }
}

/// The path below `root` if their texts show it. Comparing the parts of both paths takes ten times as long.
fn below<'p>(root: &Path, path: &'p Path) -> Option<&'p str> {
    let below = path
        .to_str()?
        .strip_prefix(root.to_str()?)?
        .strip_prefix('/')?;
    (!below.starts_with(['/', '.'])).then_some(below)
}

fn text(name: String, bytes: Vec<u8>) -> Result<Arc<Source>, Problem> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Problem::error(
            Code::NotUtf8,
            "the file is UTF-16, but sitegen reads only UTF-8",
        )
        .at(Place::file(name))
        .hint("save the file as UTF-8"));
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        // The lossy text equals the file up to the first invalid byte, so the offset is valid.
        let valid = error.utf8_error().valid_up_to();
        let source = Source::new(
            name.clone(),
            String::from_utf8_lossy(error.as_bytes()).into_owned(),
        );
        Problem::error(Code::NotUtf8, "the file is not UTF-8 from here on")
            .at(source.place(diagnostics::problem::Span::new(
                valid,
                valid + char::REPLACEMENT_CHARACTER.len_utf8(),
            )))
            .hint("save the file as UTF-8")
    })?;
    if text.contains('\r') && !text.contains('\n') {
        text = text.replace('\r', "\n");
    }
    let text = text
        .strip_prefix('\u{feff}')
        .map(str::to_owned)
        .unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Problem::error(Code::EmptyFile, "the file is empty")
            .at(Place::file(name))
            .hint("write its content, or delete the file"));
    }
    if let Some(problem) = conflict(&name, &text) {
        return Err(problem);
    }
    let source = Source::new(name, text);
    match diagnostics::text::control_character(&source.text) {
        Some((at, c)) => Err(diagnostics::text::no_control_characters(c)
            .at(source.place(diagnostics::problem::Span::new(at, at + c.len_utf8())))),
        None => Ok(Arc::new(source)),
    }
}

/// Tells whether a line begins here.
fn begins_line(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes()[at - 1] == b'\n'
}

/// The problem with a text in which a merge has left both sides of a conflict, at its first marker. Markdown may show
/// markers in a block of code that is marked as `diff`.
pub fn conflict(path: &str, text: &str) -> Option<Problem> {
    // Both ends, because one alone may be a line of some other text.
    let mut starts = memmem::find_iter(text.as_bytes(), "<<<<<<< ")
        .filter(|at| begins_line(text, *at))
        .peekable();
    starts.peek()?;
    let last = memmem::find_iter(text.as_bytes(), ">>>>>>> ")
        .filter(|at| begins_line(text, *at))
        .last()?;
    let at =
        starts.find(|at| *at < last && !(path.ends_with(".md") && is_in_diff(&text[..*at])))?;
    let source = Source::new(path.to_owned(), text.to_owned());
    let place = source.place(diagnostics::problem::Span::new(at, at + 7));
    let problem = Problem::error(
        Code::ConflictMarker,
        "a merge has left both sides of a conflict here",
    )
    .at(place);
    Some(problem.hint("keep the version you want, and remove the lines that begin with `<<<<<<<`, `=======` and `>>>>>>>`"))
}

/// Whether a text ends in a block of code that is marked as `diff`.
fn is_in_diff(before: &str) -> bool {
    let mut open: Option<(&str, bool)> = None;
    for line in before.lines().map(str::trim_start) {
        let end = line.find(|c| c != '`' && c != '~').unwrap_or(line.len());
        let (fence, info) = line.split_at(end);
        match open {
            _ if fence.len() < 3 => {}
            Some((opened, _)) if fence.starts_with(opened) && info.trim().is_empty() => open = None,
            Some(_) => {}
            None => open = Some((fence, info.trim().split([' ', '{']).next() == Some("diff"))),
        }
    }
    open.is_some_and(|(_, is_diff)| is_diff)
}

/// The problem of a file that could not be read; `name` is its path in problems.
pub fn unreadable(name: &str, error: &std::io::Error) -> Problem {
    Problem::error(
        Code::Unreadable,
        format!("the file could not be read ({})", reason(error)),
    )
    .at(Place::file(name))
}

/// Opening a pipe would block until another process writes to it.
const FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// Opens a file if no part of its path is a symbolic link; the kernel looks at that anyway. `None` if one is, or if the
/// file cannot be opened, or by a kernel that cannot tell.
fn open_without_links(path: &Path) -> Option<rustix::fd::OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, ResolveFlags, openat2};
        openat2(CWD, path, FLAGS, Mode::empty(), ResolveFlags::NO_SYMLINKS).ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        None
    }
}

fn too_large(name: &str, size: u64, limit: u64) -> Problem {
    let message = format!(
        "the file is {} MB, but the limit is {} MB",
        size.div_ceil(1_000_000),
        limit / 1_000_000
    );
    Problem::error(Code::TooLarge, message).at(Place::file(name))
}

/// The problem of a path that is not a regular file. Reading a pipe could block forever, and a device may have no end.
fn not_a_file(name: String, is_folder: bool) -> Problem {
    let what = if is_folder {
        "a folder"
    } else {
        "a pipe, a socket or a device"
    };
    Problem::error(Code::Unreadable, format!("expected a file, found {what}"))
        .at(Place::file(name))
        .hint("remove it, or put a file in its place")
}

/// Hidden names that a site publishes: addresses that standards define (RFC 8615), and the file by which GitHub Pages leaves a
/// site as it is.
pub const PUBLISHED_HIDDEN: [&str; 2] = [".well-known", ".nojekyll"];

/// Whether a file or folder of this name is hidden, or left by an editor or a desktop: backups, lock files, previews. A
/// build reads none of them, wherever it is, and the preview does not notice them.
pub fn is_litter(name: &str) -> bool {
    const ENDINGS: [&str; 7] = [
        "~",
        ".swp",
        ".swo",
        ".swx",
        ".tmp",
        "___jb_tmp___",
        "___jb_old___",
    ];
    // `4913` is the file by which Vim tests whether a folder is writable.
    const NAMES: [&str; 5] = ["4913", "Thumbs.db", "ehthumbs.db", "desktop.ini", "Icon\r"];
    name.starts_with('.') && !PUBLISHED_HIDDEN.contains(&name)
        || name.starts_with("~$")
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || name.len() > 1 && name.starts_with('#') && name.ends_with('#')
        // `page.yaml.tmp.1234` or `page.yaml.tmp.1234.1700000000000`, with the number of the process.
        || name
            .split_once(".tmp.")
            .is_some_and(|(_, rest)| rest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-')))
        || NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// A path to sort by. Slashes come before all other characters, so that the files of a folder stay together.
fn in_order(path: &[u8]) -> Vec<u8> {
    path.iter()
        .map(|byte| if *byte == b'/' { 0 } else { *byte })
        .collect()
}

/// Whether a file, or a folder on the way to it, is hidden or temporary.
fn is_litter_below(folder: &Path, file: &Path) -> bool {
    let below = file.strip_prefix(folder).unwrap_or(file);
    below
        .components()
        .any(|part| is_litter(&part.as_os_str().to_string_lossy()))
}

/// The problem of a file that could not be written. `path` is relative to the folder of the site.
pub fn not_written(path: &str, error: &std::io::Error) -> Problem {
    Problem::error(
        Code::OutFailed,
        format!("the file could not be written ({})", reason(error)),
    )
    .at(Place::file(path))
}

/// The problem of files that were not saved, at one of them. `outcome` says what follows for the author, and `again` what to do
/// if somebody else has changed a file meanwhile.
pub fn not_saved(path: &str, error: &std::io::Error, (outcome, again): (&str, &str)) -> Problem {
    if error.kind() != std::io::ErrorKind::ResourceBusy {
        return not_written(path, error).hint(outcome);
    }
    let problem = Problem::error(Code::SaveConflict, error.to_string()).at(Place::file(path));
    problem.hint(format!("{outcome}: {again}"))
}

/// The message of an I/O error without the error number of the operating system.
pub fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "it does not exist".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::StorageFull => "the disk is full".into(),
        std::io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".into(),
        _ => error
            .to_string()
            .split(" (os error")
            .next()
            .unwrap_or_default()
            .to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn litter_is_told_from_files_of_the_site() {
        let litter = [
            ".DS_Store",
            ".git",
            ".#a.yaml",
            ".~lock.a.odt#",
            ".a.yaml.swp",
            "a.yaml.swp",
            "a.yaml.swo",
            "a.yaml~",
            "~",
            "#a.yaml#",
            "##",
            "4913",
            "Thumbs.db",
            "thumbs.db",
            "desktop.ini",
            "Desktop.ini",
            "Icon\r",
            "~$a.docx",
            "a.yaml.tmp",
            "a.yaml.tmp.1234",
            "a.yaml.tmp.1234.1700000000000",
            "a.yaml.tmp.12-3",
            "a.yaml___jb_tmp___",
        ];
        let kept = [
            "a.yaml",
            "#",
            "#a",
            "a#",
            "49130",
            "~a",
            "a.tmp.jpg",
            "a.tmp.b1",
            "tmp",
            "tmp.1",
            "swp",
            "thumbs.dbx",
            "icon",
        ];
        assert_eq!(
            litter
                .into_iter()
                .filter(|name| !is_litter(name))
                .collect::<Vec<_>>(),
            [""; 0]
        );
        assert_eq!(
            kept.into_iter()
                .filter(|name| is_litter(name))
                .collect::<Vec<_>>(),
            [""; 0]
        );
    }

    #[test]
    fn a_path_is_shown_below_the_root() {
        let paths = [
            "/site/a/b.md",
            "/site//a",
            "/site/./a",
            "/site/.a",
            "/sites/a",
            "/site",
            "/site/a\\b",
            "/site/..a",
        ];
        let shown = paths.map(|path| shown(Path::new("/site"), Path::new(path)));
        assert_eq!(
            shown,
            ["a/b.md", "a", "a", ".a", "/sites/a", "", "a/b", "..a"]
        );
        assert_eq!(super::shown(Path::new("/"), Path::new("/a")), "a");
        assert_eq!(super::shown(Path::new("a/"), Path::new("a/b")), "b");
    }
}
