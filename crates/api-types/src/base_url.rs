//! The parts of a site's base URL: the generator writes addresses with its path, and the API compares its origin.

/// Splits a base URL without a trailing slash into its origin and its path, which is usually empty.
///
/// ```
/// use api_types::base_url::parts;
/// assert_eq!(parts("https://example.com/docs"), ("https://example.com", "/docs"));
/// assert_eq!(parts("http://localhost:4000/a/b"), ("http://localhost:4000", "/a/b"));
/// assert_eq!(parts("https://example.com"), ("https://example.com", ""));
/// ```
pub fn parts(base_url: &str) -> (&str, &str) {
    let host = base_url.find("://").map_or(0, |at| at + 3);
    base_url.split_at(base_url[host..].find('/').map_or(base_url.len(), |at| host + at))
}
