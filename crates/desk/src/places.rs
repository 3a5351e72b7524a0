//! Where the form of a file is: the part of its address after `/admin/`, as Decap makes it from the names of collections in
//! `collections.rs` and `entries.rs`.

use workspace::files::FileSet;
use workspace::kinds::Kind;

use super::entries;

/// The address of the form of a file, below that of the forms; `None` for a file that has none.
///
/// `content/blog/en/a.md` has `#/collections/posts-en/entries/a`.
pub fn form_of(root: &FileSet, path: &str) -> Option<String> {
    let (stem, ending) = path.strip_prefix("content/")?.rsplit_once('.')?;
    let parts: Vec<&str> = stem.split('/').collect();
    let (collection, entry) = match (
        Kind::of(path).map(|item| item.kind),
        parts.as_slice(),
        ending,
    ) {
        (Some(Kind::Page | Kind::PageStructure), ["pages", key, file], _) => {
            ("pages".to_owned(), format!("pages-{key}-{file}"))
        }
        (Some(Kind::Post), ["blog", code, slug], _) => {
            (format!("posts-{code}"), (*slug).to_owned())
        }
        (Some(Kind::Post), ["blog", code, slug, "index"], _) => (
            format!("posts-{code}-with-pictures"),
            format!("{slug}/index"),
        ),
        (_, [name, key], "yaml") if is_entry(root, path) && entries::is_single(root, path) => {
            (format!("entries-{name}"), (*key).to_owned())
        }
        (_, [name, file], "yaml") if is_entry(root, path) && !file.is_empty() => {
            (format!("entries-{name}"), format!("table-{name}"))
        }
        (_, [name, key, file], "yaml") if is_entry(root, path) => {
            (format!("folders-{name}"), format!("{name}-{key}-{file}"))
        }
        (_, [name, code, key], "md") if is_entry(root, path) => {
            (format!("entries-{name}-{code}"), (*key).to_owned())
        }
        _ => return None,
    };
    Some(format!("#/collections/{collection}/entries/{entry}"))
}

fn is_entry(root: &FileSet, path: &str) -> bool {
    entries::collection_of(root, path).is_some()
}
