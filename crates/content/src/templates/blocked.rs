//! Finds what the content security policy of the site blocks in templates: a browser would leave it out, and only its
//! console would tell.
//!
//! Looks at what is written in a template. An address that an expression computes is not known here.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use memchr::memchr2;

use api_types::base_url;
use config::SiteSettings;
use diagnostics::problem::{Code, Problem, Problems, Source, Span};

use super::Templates;

/// Types of scripts that a browser does not run.
const DATA_TYPES: &[&str] = &["application/ld+json", "application/json", "text/plain"];
/// Relations of a `<link>` that a browser fetches.
const FETCHED: &[&str] = &[
    "stylesheet",
    "preload",
    "modulepreload",
    "prefetch",
    "icon",
    "apple-touch-icon",
    "mask-icon",
    "manifest",
];

/// The hosts that the policy of a site allows.
struct Allowed {
    /// The scheme and host of the site.
    site: String,
    scripts: Vec<String>,
    frames: Vec<String>,
    forms: Vec<String>,
}

/// Reports what the policy blocks, at its place in the template. Nothing is reported if the site sets a policy itself.
pub(crate) fn check(settings: &SiteSettings, templates: &Templates) -> Problems {
    let mut problems = Problems::new();
    if settings.sets_policy() {
        return problems;
    }
    let captcha = || {
        settings
            .leads
            .captcha
            .sources()
            .into_iter()
            .map(str::to_owned)
    };
    // The theme has its frame only if the site has a tag manager.
    let tag_manager = std::iter::once("https://www.googletagmanager.com".to_owned());
    let allowed = Allowed {
        site: base_url::parts(settings.base_url()).0.to_owned(),
        scripts: captcha().collect(),
        frames: settings
            .embed_origins()
            .into_iter()
            .chain(tag_manager)
            .chain(captcha())
            .collect(),
        forms: vec![settings.api_url().to_owned()],
    };
    for source in templates
        .html
        .values()
        .filter(|source| source.path.ends_with(".html"))
    {
        check_text(&allowed, source, &mut problems);
    }
    problems
}

fn check_text(allowed: &Allowed, source: &Arc<Source>, problems: &mut Problems) {
    let mut reported = BTreeSet::new();
    for tag in tags(&source.text) {
        let Some((what, hint)) = allowed.refuses(&tag) else {
            continue;
        };
        if reported.insert(tag.at.start) {
            let message = format!("the site's content security policy blocks {what}");
            let problem = Problem::warning(Code::BlockedByPolicy, message);
            problems.push(
                problem
                    .at(source.place(Span::new(tag.at.start, tag.at.end)))
                    .hint(hint),
            );
        }
    }
}

impl Allowed {
    /// The part of a tag that is blocked, and the hint.
    fn refuses(&self, tag: &Tag) -> Option<(String, String)> {
        let name = tag.name.as_str();
        let inline = |what: &str, hint: &str| Some((what.to_owned(), hint.to_owned()));
        if let Some((event, _)) = tag.attributes.iter().find(|(name, _)| is_event(name)) {
            return inline(
                &format!("`{event}=`"),
                "write an island, or a script in `react/`",
            );
        }
        if tag.value("style").is_some() {
            return inline(
                "`style=`",
                "use a class, and write its style in the `.css` file of the template's folder",
            );
        }
        match name {
            "style" => inline(
                "`<style>`",
                "write the style in the `.css` file of the template's folder",
            ),
            "script" if tag.value("src").is_none() => {
                let is_data = tag
                    .value("type")
                    .is_some_and(|kind| DATA_TYPES.contains(&kind));
                let hint = "write an island, or put the script in `static/` and load it with `src`";
                if is_data {
                    None
                } else {
                    inline("a script without `src`", hint)
                }
            }
            "script" => self.foreign(tag, &["src"], &self.scripts, "put the file in `static/`"),
            "iframe" | "frame" => {
                let frame = self.foreign(tag, &["src"], &self.frames, "");
                frame.map(|(what, _)| {
                    let host = tag.value("src").and_then(origin).unwrap_or_default();
                    let hint = format!("add `{{name: …, frame: {host}}}` to `embeds` in `content/site.yaml`");
                    (what, format!("{hint}, and show the frame with `components/embed-frame/embed-frame.html`"))
                })
            }
            "object" | "embed" => inline(
                &format!("`<{name}>`"),
                "use an image, a link or a frame instead",
            ),
            "img" | "source" | "video" | "audio" | "track" | "input" | "image" | "use" => {
                let sources = ["src", "srcset", "poster", "href", "xlink:href"];
                self.foreign(
                    tag,
                    &sources,
                    &[],
                    "put the file in `static/` or `content/images/`",
                )
            }
            "link" => {
                let rel = tag.value("rel").unwrap_or_default().to_ascii_lowercase();
                let is_fetched = rel.split_whitespace().any(|rel| FETCHED.contains(&rel));
                if is_fetched {
                    self.foreign(tag, &["href"], &[], "put the file in `static/`")
                } else {
                    None
                }
            }
            "form" => self.foreign(
                tag,
                &["action"],
                &self.forms,
                "send the form to the site's API",
            ),
            _ => None,
        }
    }

    /// The first address of another host, apart from those that are allowed.
    fn foreign(
        &self,
        tag: &Tag,
        names: &[&str],
        allowed: &[String],
        hint: &str,
    ) -> Option<(String, String)> {
        let values = names.iter().filter_map(|name| tag.value(name));
        let addresses = values
            .flat_map(|value| value.split(", "))
            .filter_map(origin);
        let is_allowed = |host: &str| {
            host == self.site
                || allowed
                    .iter()
                    .any(|source| !source.is_empty() && covers(source, host))
        };
        let host = addresses.into_iter().find(|host| !is_allowed(host))?;
        Some((format!("`{host}` in `<{}>`", tag.name), hint.to_owned()))
    }
}

/// Whether a source of a policy, such as `https://*.example.com/path/`, allows a host.
fn covers(source: &str, host: &str) -> bool {
    let source = base_url::parts(source).0;
    let Some((scheme, pattern)) = source.split_once("://*.") else {
        return source == host;
    };
    host.split_once("://")
        .is_some_and(|(other, name)| other == scheme && name.ends_with(&format!(".{pattern}")))
}

/// The scheme and host of an address of another site; `None` for an address of the site itself, and for one that an
/// expression computes.
fn origin(address: &str) -> Option<&str> {
    let address = address.trim();
    let lower = address.get(..8).unwrap_or(address).to_ascii_lowercase();
    let rest = if lower.starts_with("https://") {
        8
    } else if lower.starts_with("http://") {
        7
    } else if lower.starts_with("//") {
        2
    } else {
        return None;
    };
    let end = address[rest..].find(|c: char| matches!(c, '/' | '?' | '#') || c.is_whitespace());
    let host = &address[..end.map_or(address.len(), |end| rest + end)];
    (!host.contains(['{', '}']) && host.len() > rest).then_some(host)
}

/// Whether an attribute is an event handler, such as `onclick`.
fn is_event(name: &str) -> bool {
    name.strip_prefix("on")
        .is_some_and(|event| event.len() > 2 && event.bytes().all(|b| b.is_ascii_lowercase()))
}

/// A start tag as it is written.
struct Tag {
    name: String,
    /// Names in lower case, and values without quotes.
    attributes: Vec<(String, String)>,
    /// Its name, with the bracket.
    at: Range<usize>,
}

impl Tag {
    fn value(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(own, _)| own == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The start tags of a template, without those in comments.
fn tags(text: &str) -> Vec<Tag> {
    let bytes = text.as_bytes();
    let mut tags = Vec::new();
    let mut at = 0;
    // Every build reads all templates, most of which is neither a tag nor an expression.
    while let Some(next) = memchr2(b'<', b'{', &bytes[at..]) {
        at += next;
        if let Some(end) = skipped(text, at) {
            at = end;
        } else if bytes[at] == b'<' && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic) {
            let (tag, end) = tag(text, at);
            at = end;
            tags.push(tag);
        } else {
            at += 1;
        }
    }
    tags
}

/// The end of an expression, a statement or a comment that begins here.
pub(super) fn skipped(text: &str, at: usize) -> Option<usize> {
    let pairs = [("{{", "}}"), ("{%", "%}"), ("{#", "#}"), ("<!--", "-->")];
    let rest = text.as_bytes().get(at..)?;
    let (begin, end) = pairs
        .into_iter()
        .find(|(begin, _)| rest.starts_with(begin.as_bytes()))?;
    let from = at + begin.len();
    Some(
        text[from..]
            .find(end)
            .map_or(text.len(), |length| from + length + end.len()),
    )
}

/// Where a tag ends whose name ends here.
pub(super) fn tag_end(text: &str, name_end: usize) -> usize {
    attributes(text, name_end).1
}

/// The start tag that begins here, and its end.
fn tag(text: &str, start: usize) -> (Tag, usize) {
    let bytes = text.as_bytes();
    let name_end = start
        + 1
        + bytes[start + 1..]
            .iter()
            .take_while(|byte| is_name(**byte))
            .count();
    let (attributes, end) = attributes(text, name_end);
    (
        Tag {
            name: text[start + 1..name_end].to_ascii_lowercase(),
            attributes,
            at: start..name_end,
        },
        end,
    )
}

/// Whether a name may have this character.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':' | b'_')
}

/// The attributes of a tag from here on, and where it ends.
fn attributes(text: &str, from: usize) -> (Vec<(String, String)>, usize) {
    let bytes = text.as_bytes();
    let mut attributes = Vec::new();
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        if let Some(end) = skipped(text, at) {
            at = end;
        } else if *byte == b'>' {
            at += 1;
            break;
        } else if is_name(*byte) {
            let end = at
                + bytes[at..]
                    .iter()
                    .take_while(|byte| is_name(**byte))
                    .count();
            let attribute = text[at..end].to_ascii_lowercase();
            let equals = end
                + bytes[end..]
                    .iter()
                    .take_while(|b| b.is_ascii_whitespace())
                    .count();
            if bytes.get(equals) == Some(&b'=') {
                let from = equals
                    + 1
                    + bytes[equals + 1..]
                        .iter()
                        .take_while(|b| b.is_ascii_whitespace())
                        .count();
                let (value, end) = value(text, from);
                attributes.push((attribute, value.to_owned()));
                at = end;
            } else {
                attributes.push((attribute, String::new()));
                at = end;
            }
        } else {
            at += 1;
        }
    }
    (attributes, at.min(text.len()))
}

/// The value of an attribute that begins here, and where the tag goes on. An expression in it may contain quotes.
fn value(text: &str, from: usize) -> (&str, usize) {
    let bytes = text.as_bytes();
    let quote = bytes
        .get(from)
        .copied()
        .filter(|b| matches!(b, b'"' | b'\''));
    let begin = from + usize::from(quote.is_some());
    let mut at = begin;
    while let Some(byte) = bytes.get(at) {
        let ends = match quote {
            Some(quote) => *byte == quote,
            None => byte.is_ascii_whitespace() || *byte == b'>',
        };
        if ends {
            break;
        }
        at = skipped(text, at).unwrap_or(at + 1);
    }
    let at = at.min(text.len());
    (
        &text[begin..at],
        (at + usize::from(quote.is_some())).min(text.len()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnostics::yaml::Spanned;

    fn found(text: &str) -> Vec<String> {
        let mut settings = SiteSettings::at("https://site.example/docs");
        let source = "https://*.captcha.example/api/".to_owned();
        settings.leads.captcha.sources = Some(vec![Spanned {
            value: source,
            ..Spanned::default()
        }]);
        let allowed = Allowed {
            site: "https://site.example".into(),
            scripts: vec!["https://*.captcha.example/api/".into()],
            frames: vec!["https://map.example".into()],
            forms: vec!["https://api.example".into()],
        };
        let source = Arc::new(Source::new("templates/a.html".into(), text.to_owned()));
        let mut problems = Problems::new();
        check_text(&allowed, &source, &mut problems);
        problems
            .iter()
            .map(|problem| {
                problem
                    .message
                    .rsplit("blocks ")
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            })
            .collect()
    }

    #[test]
    fn what_a_browser_would_leave_out_is_found() {
        for (text, expected) in [
            ("<script>a()</script>", "a script without `src`"),
            ("<SCRIPT type=module>a()</SCRIPT>", "a script without `src`"),
            (
                "<script src=\"https://cdn.example/a.js\"></script>",
                "`https://cdn.example` in `<script>`",
            ),
            (
                "<script async src='//cdn.example/a.js'></script>",
                "`//cdn.example` in `<script>`",
            ),
            ("<style>a {}</style>", "`<style>`"),
            ("<p class=\"a\" style=\"color: red\">", "`style=`"),
            ("<p style=\"width: {{ width }}px\">", "`style=`"),
            ("<button onclick=\"go('a > b')\">", "`onclick=`"),
            (
                "<iframe src=\"https://video.example/1\"></iframe>",
                "`https://video.example` in `<iframe>`",
            ),
            (
                "<img alt=\"a > b\" src=https://cdn.example/a.png>",
                "`https://cdn.example` in `<img>`",
            ),
            (
                "<img srcset=\"/a.png 1x, https://cdn.example/b.png 2x\">",
                "`https://cdn.example` in `<img>`",
            ),
            (
                "<video poster=\"https://cdn.example/a.jpg\">",
                "`https://cdn.example` in `<video>`",
            ),
            (
                "<link rel=\"preload stylesheet\" href=\"https://fonts.example/a.css\">",
                "`https://fonts.example` in `<link>`",
            ),
            ("<object data=\"/a.swf\"></object>", "`<object>`"),
            (
                "<form action=\"https://list.example/subscribe\">",
                "`https://list.example` in `<form>`",
            ),
            (
                "<a {% if x %}class=\"{{ y(\"z\") }}\"{% endif %} onfocus=a()>",
                "`onfocus=`",
            ),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
    }

    #[test]
    fn the_rest_is_allowed() {
        for text in [
            "<script src=\"/a.js\"></script><script src=\"{{ js }}\"></script>",
            "<script src=\"https://www.captcha.example/api/a.js\"></script>",
            "<script type=\"application/ld+json\">{{ data }}</script>",
            "<img src=\"https://site.example/docs/a.png\"><img src=\"data:image/png;base64,AA\">",
            "<iframe src=\"https://map.example/a?b=c\"></iframe>",
            "<link rel=\"canonical\" href=\"https://other.example/\"><a href=\"https://other.example/\">a</a>",
            "<form action=\"https://api.example/api/leads\">",
            "{# <script>a()</script> #}<!-- <style></style> -->{{ \"<style>\" }}",
            "<img src=\"https://{{ host }}/a.png\">",
            "a < b and once > 3 <one on=\"1\">",
            "<p data-style=\"a\" data-onclick=\"b\">",
            "<p class=\"",
            "<",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }
}
