//! Finds the file of the output folder that an address leads to. No address leads out of the folder.

use std::path::{Path, PathBuf};

use axum::http::Uri;
use percent_encoding::percent_decode_str;
use site::routes::HOST_FILES;

/// The decoded path. `None` if it would leave the site.
pub(super) fn clean(uri: &Uri) -> Option<String> {
    let path = percent_decode_str(uri.path()).decode_utf8().ok()?;
    let bad = path.contains(['\0', '\\'])
        || path.contains("//")
        || path
            .split('/')
            .any(|segment| segment == ".." || segment == ".");
    (!bad && path.starts_with('/')).then(|| path.into_owned())
}

/// The file of an address in either slash form. Names that begin with a dot are not served, except `/.well-known/`; nor
/// are the configuration files of hosts.
pub(super) fn find(out: &Path, path: &str) -> Option<PathBuf> {
    let visible = path.strip_prefix("/.well-known/").unwrap_or(path);
    let is_for_host = HOST_FILES.contains(&path.trim_start_matches('/'));
    if is_for_host || visible.split('/').any(|segment| segment.starts_with('.')) {
        return None;
    }
    let file = out.join(path.trim_matches('/'));
    let candidates = if path.ends_with('/') {
        vec![file.join("index.html")]
    } else {
        vec![file.clone(), file.join("index.html")]
    };
    let file = candidates.into_iter().find(|file| file.is_file())?;
    // A symbolic link must not expose files outside of the output folder.
    file.canonicalize()
        .ok()?
        .starts_with(out.canonicalize().ok()?)
        .then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(uri: &str, expect: Option<&str>) {
        let uri: Uri = uri.parse().expect("a uri");
        assert_eq!(clean(&uri).as_deref(), expect);
    }

    #[test]
    fn paths_that_leave_the_site_are_refused() {
        check("/a/%2e%2e/b", None);
        check("/../etc/passwd", None);
        check("/a%00b", None);
        check("/a%5Cb", None);
        check("/%ff", None);
    }

    #[test]
    fn other_paths_are_decoded() {
        check("/es/a%C3%B1o/?q=1", Some("/es/año/"));
    }
}
