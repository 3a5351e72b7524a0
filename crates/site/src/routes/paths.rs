//! Checks the form of addresses.

use schema::types::Slug;

/// The problem with the segments of an address such as `/a/b/`, and the hint. Addresses become folders, so they must
/// not leave `dist/` (`..`), name another host (`//host/`), or be too long for a file system.
pub(super) fn segments_problem(path: &str) -> Option<(String, String)> {
    let inner = path.strip_prefix('/').unwrap_or(path);
    let inner = inner.strip_suffix('/').unwrap_or(inner);
    if inner.is_empty() {
        return (path != "/").then(|| {
            (
                format!("`{path}` is not a URL"),
                "write `/` for the home page".to_owned(),
            )
        });
    }
    let message = if inner.split('/').any(str::is_empty) {
        format!("the URL `{path}` contains two slashes in a row")
    } else if inner.split('/').any(|segment| segment.len() > 200) {
        "the URL has a segment of more than 200 bytes".to_owned()
    } else if inner.split('/').all(Slug::is) {
        return None;
    } else {
        format!(
            "the URL `{path}` contains a space, an uppercase letter or another character that is not allowed in URLs"
        )
    };
    let plain: Vec<String> = inner
        .split('/')
        .map(plain)
        .filter(|segment| !segment.is_empty())
        .collect();
    Some((
        message,
        if plain.is_empty() {
            "choose another URL".into()
        } else {
            format!("write `/{}/`", plain.join("/"))
        },
    ))
}

/// A segment in the allowed form; empty if nothing is left.
fn plain(segment: &str) -> String {
    Slug::of(segment).map(Slug::into_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, hint: Option<&str>) {
        assert_eq!(
            segments_problem(path).map(|(_, hint)| hint).as_deref(),
            hint
        );
    }

    #[test]
    fn plain_addresses_are_allowed() {
        check("/", None);
        check("/es/sobre-nosotros/", None);
        check("/404.html", None);
    }

    #[test]
    fn an_address_cannot_leave_the_site() {
        check("/a/../b/", Some("write `/a/b/`"));
        check("//evil.example/", Some("write `/evil.example/`"));
        check("//", Some("write `/` for the home page"));
    }

    #[test]
    fn letters_of_any_script_are_allowed() {
        check("/es/año-nuevo/日本語/", None);
        check("/Año Nuevo/", Some("write `/año-nuevo/`"));
    }
}
