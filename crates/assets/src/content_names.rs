//! Names bundled files by their content. esbuild's own hashes cover the paths of its inputs, so they differ between two
//! machines, or between two places of the cache, although the content is the same.

use std::collections::BTreeMap;

use memchr::memmem;

use crate::output::short_hash;

/// The length of esbuild's hash in a file name.
const HASH_LENGTH: usize = 8;

/// The new names of files whose names hold a hash, by old name. Files may refer to each other by name, in circles too.
pub(super) fn names(files: &BTreeMap<String, Vec<u8>>) -> BTreeMap<String, String> {
    let hashed: Vec<(&str, &[u8])> = files
        .iter()
        .filter(|(path, _)| parts(path).is_some())
        .map(|(path, bytes)| (path.as_str(), &bytes[..]))
        .collect();
    // Where each file refers to which other, in order.
    let references: Vec<Vec<(usize, usize)>> = hashed
        .iter()
        .map(|(_, bytes)| {
            let mut found = Vec::new();
            for (target, (path, _)) in hashed.iter().enumerate() {
                found.extend(
                    memmem::find_iter(bytes, file_name(path).as_bytes()).map(|at| (at, target)),
                );
            }
            found.sort_unstable();
            found
        })
        .collect();
    // The content with names left out, then everything that a file refers to, in the order of the references.
    let alone: Vec<String> = (0..hashed.len())
        .map(|index| {
            let (path, bytes) = hashed[index];
            let mut text = stem(path).as_bytes().to_vec();
            let mut from = 0;
            for (at, target) in &references[index] {
                text.extend_from_slice(&bytes[from..*at]);
                text.push(0);
                from = at + file_name(hashed[*target].0).len();
            }
            text.extend_from_slice(&bytes[from..]);
            short_hash(&text)
        })
        .collect();
    hashed
        .iter()
        .enumerate()
        .filter_map(|(index, (path, _))| {
            let (stem, ending) = parts(path)?;
            let mut order = vec![index];
            let mut next = 0;
            while let Some(file) = order.get(next) {
                for (_, target) in &references[*file] {
                    if !order.contains(target) {
                        order.push(*target);
                    }
                }
                next += 1;
            }
            let whole = order
                .iter()
                .map(|index| alone[*index].as_str())
                .collect::<String>();
            Some((
                (*path).to_owned(),
                format!("{stem}-{}{ending}", short_hash(whole.as_bytes())),
            ))
        })
        .collect()
}

/// Replaces the names of files in a text.
pub(super) fn replace(bytes: &mut Vec<u8>, names: &BTreeMap<String, String>) {
    for (old, new) in names {
        let (old, new) = (file_name(old).as_bytes(), file_name(new).as_bytes());
        let mut from = 0;
        while let Some(at) = memmem::find(&bytes[from..], old) {
            let at = from + at;
            bytes.splice(at..at + old.len(), new.iter().copied());
            from = at + new.len();
        }
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// `chunk` of `a/chunk-ABCD2345.js`, which has no folder: files of one name are told apart by their content.
fn stem(path: &str) -> &str {
    parts(path).map_or(path, |(stem, _)| file_name(stem))
}

/// `a/chunk` and `.js` of `a/chunk-ABCD2345.js`; `None` for a name without a hash.
fn parts(path: &str) -> Option<(&str, &str)> {
    let dot = path.rfind('.')?;
    let (stem, hash) = path[..dot].rsplit_once('-')?;
    let is_hash = hash.len() == HASH_LENGTH
        && hash
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    is_hash.then(|| (stem, &path[dot..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files with esbuild's hashes in place of `{a}`, `{b}` and `{c}`, renamed.
    fn renamed([a, b, c]: [&str; 3]) -> BTreeMap<String, String> {
        let files = [
            (
                "app",
                "{a}",
                ".js",
                "import\"./chunk-{b}.js\";import(\"./page-{c}.js\")",
            ),
            ("chunk", "{b}", ".js", "export{}"),
            (
                "page",
                "{c}",
                ".js",
                "import\"./app-{a}.js\";import\"./chunk-{b}.js\"",
            ),
        ];
        let fill = |text: &str| text.replace("{a}", a).replace("{b}", b).replace("{c}", c);
        let files = files.map(|(stem, hash, ending, text)| {
            (
                format!("{stem}-{}{ending}", fill(hash)),
                fill(text).into_bytes(),
            )
        });
        let files = BTreeMap::from(files);
        let names = names(&files);
        files
            .into_iter()
            .map(|(path, mut bytes)| {
                replace(&mut bytes, &names);
                (
                    names[&path].clone(),
                    String::from_utf8(bytes).expect("text"),
                )
            })
            .collect()
    }

    #[test]
    fn names_follow_from_the_content_alone() {
        let one = renamed(["AAAAAAAA", "BBBBBBBB", "CCCCCCCC"]);
        assert_eq!(one, renamed(["ZZZZZZZZ", "Y2345678", "XXXXXXXX"]));
        assert!(one.keys().all(
            |name| !name.contains("AAAA") && name.len() == name.find('-').expect("a hash") + 14
        ));
        let app = &one
            .iter()
            .find(|(name, _)| name.starts_with("app-"))
            .expect("the entry")
            .1;
        assert!(
            one.keys()
                .filter(|name| !name.starts_with("app-"))
                .all(|name| app.contains(name.as_str())),
            "{app}"
        );
    }

    #[test]
    fn a_name_changes_with_every_file_that_is_referred_to() {
        let name = |text: &str| {
            let files = [
                ("a-AAAAAAAA.js", "import\"./b-BBBBBBBB.js\""),
                ("b-BBBBBBBB.js", text),
                ("plain.js", "x"),
            ];
            names(
                &files
                    .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()))
                    .into(),
            )["a-AAAAAAAA.js"]
                .clone()
        };
        assert_ne!(name("1"), name("2"));
    }
}
