//! Content types of HTTP by file extension: one table for `serve`, and for hosts whose own table is old or missing.

/// Extension and content type, sorted by extension. Text files are always UTF-8.
pub const TYPES: &[(&str, &str)] = &[
    ("atom", "application/atom+xml"),
    ("avif", "image/avif"),
    ("br", "application/octet-stream"),
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("doc", "application/msword"),
    (
        "docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ico", "image/x-icon"),
    ("ics", "text/calendar"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("jsonld", "application/ld+json"),
    ("m4a", "audio/mp4"),
    ("map", "application/json"),
    ("md", "text/markdown"),
    ("mjs", "text/javascript"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("ogg", "audio/ogg"),
    ("otf", "font/otf"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    (
        "pptx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ),
    ("rss", "application/rss+xml"),
    ("svg", "image/svg+xml"),
    ("ttf", "font/ttf"),
    ("txt", "text/plain"),
    ("vcf", "text/vcard"),
    ("vtt", "text/vtt"),
    ("wasm", "application/wasm"),
    ("wav", "audio/wav"),
    ("webm", "video/webm"),
    ("webmanifest", "application/manifest+json"),
    ("webp", "image/webp"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("xls", "application/vnd.ms-excel"),
    (
        "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
    ("xml", "application/xml"),
    ("zip", "application/zip"),
];

/// The content type of a file with an unknown extension.
pub const UNKNOWN: &str = "application/octet-stream";

/// Whether a type is sent with `charset=utf-8`, without which old clients guess.
pub fn has_charset(kind: &str) -> bool {
    kind.starts_with("text/")
        || matches!(
            kind,
            "application/xml" | "application/atom+xml" | "application/rss+xml"
        )
}

/// Whether files of a type become smaller by compression.
pub fn is_compressible(kind: &str) -> bool {
    has_charset(kind)
        || kind.ends_with("json")
        || matches!(kind, "image/svg+xml" | "application/wasm")
}

/// The content type of a file, by its extension in any case: cameras write `IMG_0001.JPG`.
///
/// ```
/// use workspace::media_types::of;
/// assert_eq!(of("es/index.html"), "text/html");
/// assert_eq!(of("IMG_0001.JPG"), "image/jpeg");
/// assert_eq!(of("CNAME"), "application/octet-stream");
/// ```
pub fn of(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let ending = ending.bytes().map(|byte| byte.to_ascii_lowercase());
    let found = TYPES.binary_search_by(|(known, _)| known.bytes().cmp(ending.clone()));
    found.map_or(UNKNOWN, |at| TYPES[at].1)
}

/// The value of `Content-Type` for a file.
pub fn header(path: &str) -> String {
    let kind = of(path);
    if has_charset(kind) {
        format!("{kind}; charset=utf-8")
    } else {
        kind.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_so_that_it_can_be_searched() {
        assert!(TYPES.is_sorted_by(|(a, _), (b, _)| a < b));
    }

    #[test]
    fn text_is_utf_8() {
        assert_eq!(header("a.txt"), "text/plain; charset=utf-8");
        assert_eq!(header("sitemap.xml"), "application/xml; charset=utf-8");
        assert_eq!(header("a.webmanifest"), "application/manifest+json");
        assert_eq!(header("a.b/c"), "application/octet-stream");
    }
}
