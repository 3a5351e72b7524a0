//! Removes shortcodes from the HTML of WordPress. If their plugin is not active, they are sent as text:
//! `[gallery ids=”1,2”]`.

use super::tags::{HtmlPart, split};

/// Maximum length of a shortcode, in bytes. A gallery that lists its pictures has a few hundred.
const MAX_LENGTH: usize = 2_000;

/// Removes `[name key=value …]` and `[/name]` outside code. Other brackets such as `[sic]` and `[1]` are text.
pub(super) fn strip(html: &str) -> String {
    if !html.contains('[') {
        return html.to_owned();
    }
    let mut out = String::with_capacity(html.len());
    let mut in_code = 0_usize;
    let mut from = 0;
    for part in split(html) {
        match part {
            HtmlPart::Start(tag) if is_code(tag.name) => in_code += 1,
            HtmlPart::End(name) if is_code(name) => in_code = in_code.saturating_sub(1),
            HtmlPart::Text(text) if in_code == 0 && text.contains('[') => {
                // The parts are slices of `html`, so the tags between them are copied unchanged.
                let start = text.as_ptr() as usize - html.as_ptr() as usize;
                out.push_str(&html[from..start]);
                out.push_str(&stripped(text));
                from = start + text.len();
            }
            _ => {}
        }
    }
    out.push_str(&html[from..]);
    out
}

fn is_code(name: &str) -> bool {
    matches!(name, "pre" | "code" | "kbd" | "samp")
}

fn stripped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        // Each bracket looks at a few letters only: a text of brackets would take quadratic time otherwise.
        let near = &rest[..rest.floor_char_boundary(MAX_LENGTH)];
        let length = near
            .find(']')
            .filter(|end| is_shortcode(&near[1..*end]))
            .map_or(0, |end| end + 1);
        if length == 0 {
            out.push('[');
            rest = &rest[1..];
        } else {
            rest = &rest[length..];
        }
    }
    out + rest
}

fn is_shortcode(inner: &str) -> bool {
    if let Some(name) = inner.strip_prefix('/') {
        return is_name(name);
    }
    match inner.split_once([' ', '\u{a0}']) {
        Some((name, arguments)) => {
            is_name(name) && arguments.contains('=') && !arguments.contains('[')
        }
        None => matches!(
            inner,
            "gallery" | "caption" | "embed" | "video" | "audio" | "playlist" | "toc"
        ),
    }
}

/// Tells whether a text can be the name of a shortcode.
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-'))
}
