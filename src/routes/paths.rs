//! How an address is written.

use crate::content::rich::slug;

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
    } else if inner.split('/').all(is_segment) {
        return None;
    } else {
        format!("the address `{path}` holds more than lower-case letters, digits, hyphens and slashes")
    };
    let plain: Vec<String> = inner.split('/').map(plain).filter(|segment| !segment.is_empty()).collect();
    Some((
        message,
        if plain.is_empty() { "choose another address".into() } else { format!("write `/{}/`", plain.join("/")) },
    ))
}

fn is_segment(segment: &str) -> bool {
    let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.');
    !segment.is_empty() && !segment.starts_with('.') && segment.chars().all(fine)
}

/// A segment as it may be written: lower case, without accents, at most 200 letters.
fn plain(segment: &str) -> String {
    let unaccented = |c: char| match c {
        'á' | 'à' | 'â' | 'ä' | 'ã' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'ö' | 'õ' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ñ' => 'n',
        'ç' => 'c',
        c => c,
    };
    slug(segment).chars().map(unaccented).filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(200).collect()
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
        check("//evil.example/", Some("write `/evil-example/`"));
        check("//", Some("write `/` for the home page"));
    }

    #[test]
    fn accents_are_taken_off() {
        check("/Año Nuevo/", Some("write `/ano-nuevo/`"));
    }
}
