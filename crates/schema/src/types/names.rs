//! Names of files on other systems. macOS and Windows ignore the case of letters, and macOS also how an accent is encoded: as a
//! part of its letter, or as a character of its own.

use std::borrow::Cow;

use foldhash::HashMap;
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use diagnostics::problem::{Code, Place, Problem};

/// A name in Unicode normalization form C, in which names of files are compared.
///
/// ```
/// assert_eq!(schema::types::composed("cafe\u{301}.jpg"), "caf\u{e9}.jpg");
/// ```
pub fn composed<'a>(name: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
    let name = name.into();
    if name.is_ascii() || is_nfc(&name) {
        name
    } else {
        name.nfc().collect()
    }
}

/// A path that is relative to a folder; `None` if it leads out of what the folder is relative to.
///
/// ```
/// assert_eq!(schema::types::joined("blog/en/a", "../b.md").as_deref(), Some("blog/en/b.md"));
/// assert_eq!(schema::types::joined("blog", "../../b.md"), None);
/// ```
pub fn joined(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The form that a path has in common with all paths that are one file on some system.
pub fn folded(path: &str) -> Cow<'_, str> {
    // Without an end in between, which is several times as fast.
    if path.bytes().fold(true, |is_plain, byte| {
        is_plain & byte.is_ascii() & !byte.is_ascii_uppercase()
    }) {
        return path.into();
    }
    let folded: String = path
        .nfc()
        .collect::<String>()
        .to_lowercase()
        .nfc()
        .collect();
    if folded == path {
        path.into()
    } else {
        folded.into()
    }
}

/// The paths that are one file, or one folder, on some system, by what they have in common. `paths` are all different.
pub fn alike<'a>(paths: impl Iterator<Item = &'a str> + Clone) -> Vec<(String, Vec<&'a str>)> {
    let mut alike: HashMap<String, Vec<&str>> = HashMap::default();
    for path in paths.clone() {
        let form = folded(path);
        if form != path {
            alike.entry(form.into_owned()).or_default().push(path);
        }
    }
    // Most paths are in the form that is compared.
    for path in paths.filter(|_| !alike.is_empty()).collect::<Vec<_>>() {
        if let Some(others) = alike.get_mut(path) {
            others.push(path);
        }
    }
    let mut alike: Vec<_> = alike
        .into_iter()
        .filter(|(_, paths)| paths.len() > 1)
        .collect();
    alike
        .iter_mut()
        .for_each(|(_, paths)| paths.sort_unstable());
    alike.sort_unstable();
    alike
}

/// The problem of two such paths, at the place of the second one.
pub fn one_file([first, second]: [&str; 2], place: Place) -> Problem {
    let what = if second.ends_with('/') {
        "folder"
    } else {
        "file"
    };
    let is_accent = composed(first) == composed(second);
    let ignored = if is_accent {
        "how accents are encoded"
    } else {
        "the case of letters"
    };
    let shown = |path: &str| {
        let path = path.trim_end_matches('/');
        if is_accent {
            path.chars().map(escaped).collect()
        } else {
            path.to_owned()
        }
    };
    let message = format!(
        "`{}` and `{}` are the same {what} on systems that ignore {ignored}",
        shown(first),
        shown(second)
    );
    Problem::error(Code::PathTaken, message)
        .at(place)
        .hint("rename one of the two")
}

/// A letter as it can be read, or its number if it would change the one before.
/// Both would look the same.
fn escaped(c: char) -> String {
    if is_combining_mark(c) {
        c.escape_unicode().to_string()
    } else {
        c.to_string()
    }
}

/// The folders whose addresses sitegen answers itself: the API, what the preview adds to pages, its forms, and the files that
/// browsers keep for a year. A page, a redirect or a file with one of them would take it on a host, or be hidden by it in the
/// preview.
pub const RESERVED_FOLDERS: [&str; 4] = ["api", "_sitegen", "_assets", ADMIN];

/// The folder of the forms. Files of a site may be there, such as the forms of another program.
const ADMIN: &str = "admin";

/// The reserved folder that an address is in.
pub fn reserved_folder(path: &str, is_static: bool) -> Option<&'static str> {
    let path = folded(path);
    let first = path
        .trim_start_matches('/')
        .split(['/', '?'])
        .next()
        .unwrap_or_default();
    RESERVED_FOLDERS
        .into_iter()
        .find(|folder| *folder == first && !(is_static && *folder == ADMIN))
}

/// Whether a text can be the key of an entry.
pub fn is_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(is_of_key)
}

/// Whether a character can be in the key of an entry.
pub fn is_of_key(c: char) -> bool {
    c.is_alphanumeric() && !c.is_uppercase() || super::is_mark(c) || matches!(c, '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_are_one_file_somewhere_are_found() {
        let paths = [
            "a",
            "About/x",
            "about/x",
            "B",
            "caf\u{e9}",
            "cafe\u{301}",
            "CAF\u{c9}",
            "b/c",
        ];
        let alike = alike(paths.into_iter());
        let found: Vec<&[&str]> = alike.iter().map(|(_, paths)| paths.as_slice()).collect();
        assert_eq!(
            found,
            [
                &["About/x", "about/x"][..],
                &["CAF\u{c9}", "cafe\u{301}", "caf\u{e9}"]
            ]
        );
    }

    #[test]
    fn two_names_that_look_the_same_are_told_apart() {
        let problem = one_file(["caf\u{e9}", "cafe\u{301}"], Place::file("x"));
        assert_eq!(
            problem.message,
            "`caf\u{e9}` and `cafe\\u{301}` are the same file on systems that ignore how accents are encoded"
        );
    }
}
