//! Duplicates a file without following a link, and without writing to a file that is there.
//!
//! Not `std::fs::copy`: it reads what is behind a link, even a device without an end, and empties the file that it
//! copies to, which may be the same one under another name.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// Makes `to` the same file as `from`: a hard link, or a copy where the file system has none. A symbolic link is
/// duplicated as a link.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] if there is anything at `to`.
pub fn duplicate(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::hard_link(from, to) {
        Ok(()) => Ok(()),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound
            ) =>
        {
            Err(error)
        }
        Err(_) => copy(from, to),
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let kind = fs_err::symlink_metadata(from)?.file_type();
    if kind.is_symlink() {
        return fs_err::os::unix::fs::symlink(fs_err::read_link(from)?, to);
    }
    if !kind.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "a pipe, a socket or a device cannot be copied",
        ));
    }
    // It may have become a link or a pipe since.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut read = File::from(rustix::fs::open(from, flags, Mode::empty())?);
    let mut written = fs_err::File::create_new(to)?;
    io::copy(&mut read, &mut written)?;
    written.set_permissions(read.metadata()?.permissions())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_copy_follows_no_link_and_replaces_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "text").expect("a file");
        fs::set_permissions(at("file"), fs::Permissions::from_mode(0o640)).expect("permissions");
        for (name, target) in [
            ("file-link", "file"),
            ("dangling", "nowhere"),
            ("circular", "circular"),
            ("up", ".."),
        ] {
            symlink(target, at(name)).expect("a link");
            copy(&at(name), &at(&format!("{name}-copy"))).expect("copied");
            assert_eq!(
                fs::read_link(at(&format!("{name}-copy"))).expect("a link"),
                Path::new(target)
            );
        }
        copy(&at("file"), &at("copy")).expect("copied");
        assert_eq!(fs::read(at("copy")).expect("a file"), b"text");
        assert_eq!(
            fs::metadata(at("copy"))
                .expect("a file")
                .permissions()
                .mode()
                & 0o777,
            0o640
        );
        for there in ["copy", "file", "file-link", "dangling", "circular"] {
            for way in [copy, duplicate] {
                let error = way(&at("file"), &at(there)).expect_err("there is something");
                assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{there}");
            }
        }
        assert_eq!(fs::read(at("file")).expect("a file"), b"text");
        assert!(!at("nowhere").exists());
    }
}
