//! How an address is written.

use crate::content_types::Slug;

/// What is wrong with the segments of an address such as `/a/b/`, and how to write it. Addresses become folders, so
/// nothing may climb out of `dist/`, start another host's address (`//host/`), or be too long for a file system.
pub(super) fn segments_problem(path: &str) -> Option<(String, String)> {
    let inner = path.strip_prefix('/').unwrap_or(path);
    let inner = inner.strip_suffix('/').unwrap_or(inner);
    if inner.is_empty() {
        return (path != "/")
            .then(|| (format!("`{path}` is not an address"), "write `/` for the home page".to_owned()));
    }
    let message = if inner.split('/').any(str::is_empty) {
        format!("the address `{path}` holds two slashes in a row")
    } else if inner.split('/').any(|segment| segment.len() > 200) {
        "the address holds a part of more than 200 letters".to_owned()
    } else if inner.split('/').all(Slug::is) {
        return None;
    } else {
        format!("the address `{path}` holds a space, an upper-case letter or a character that no address takes")
    };
    let plain: Vec<String> = inner.split('/').map(plain).filter(|segment| !segment.is_empty()).collect();
    Some((
        message,
        if plain.is_empty() { "choose another address".into() } else { format!("write `/{}/`", plain.join("/")) },
    ))
}

/// A segment as it may be written.
fn plain(segment: &str) -> String {
    Slug::of(segment).map(Slug::into_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, hint: Option<&str>) {
        assert_eq!(segments_problem(path).map(|(_, hint)| hint).as_deref(), hint);
    }

    #[test]
    fn plain_addresses_are_fine() {
        check("/", None);
        check("/es/sobre-nosotros/", None);
        check("/404.html", None);
    }

    #[test]
    fn an_address_cannot_climb_or_name_another_host() {
        check("/a/../b/", Some("write `/a/b/`"));
        check("//evil.example/", Some("write `/evil.example/`"));
        check("//", Some("write `/` for the home page"));
    }

    #[test]
    fn letters_of_any_script_are_fine() {
        check("/es/año-nuevo/日本語/", None);
        check("/Año Nuevo/", Some("write `/año-nuevo/`"));
    }
}
