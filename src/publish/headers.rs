//! The response headers of every page, in one place for all hosts.

use crate::config::SiteSettings;

/// Name and value of each header.
pub fn security(settings: &SiteSettings) -> Vec<(&'static str, String)> {
    vec![
        ("content-security-policy", content_security_policy(settings)),
        ("x-content-type-options", "nosniff".into()),
        ("referrer-policy", "strict-origin-when-cross-origin".into()),
        ("permissions-policy", "camera=(), microphone=(), geolocation=(), browsing-topics=()".into()),
        ("cross-origin-opener-policy", "same-origin".into()),
        ("strict-transport-security", "max-age=31536000; includeSubDomains".into()),
    ]
}

fn content_security_policy(settings: &SiteSettings) -> String {
    let frames = if settings.tag_manager.is_some() { "https://www.googletagmanager.com" } else { "'none'" };
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        &format!("frame-src {frames}"),
        "form-action 'self'",
        "frame-ancestors 'self'",
        "base-uri 'none'",
    ]
    .join("; ")
}

/// The file of `static/` that tells browsers which pages to fetch before they are asked for. Named in a header, because
/// an inline script would need a hole in the content security policy.
pub const SPECULATION_RULES: &str = "speculation-rules.json";

/// How long a browser may keep a file: for ever when its name holds its hash, else until it has asked again.
pub fn cache_control(path: &str) -> &'static str {
    if path.starts_with(&format!("/{}/", crate::assets::FOLDER)) {
        "public, max-age=31536000, immutable"
    } else {
        "public, max-age=0, must-revalidate"
    }
}
