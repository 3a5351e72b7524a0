//! The HTML that a post can have: one table for the policy that cleans it and for the messages about removed HTML.

use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

use super::super::rich::LAYOUT_IDS;
use super::{ATOM, OWN_LINK, OWN_PICTURE, OWN_VIDEO};

/// Elements with special parsing rules. They are removed with their content: serialized, they could be parsed
/// differently.
pub(super) const SPECIAL: [&str; 13] = [
    "iframe",
    "math",
    "noembed",
    "noframes",
    "noscript",
    "plaintext",
    "script",
    "style",
    "svg",
    "template",
    "textarea",
    "title",
    "xmp",
];

/// The elements that a post may have.
pub const TAGS: [&str; 58] = [
    "a",
    "abbr",
    "b",
    "blockquote",
    "br",
    "caption",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "section",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "u",
    "ul",
    "var",
    "wbr",
];

/// Further elements of posts that are files of the site: sound and film from `static/`, asides, and readings of characters.
pub const OWN_TAGS: [&str; 11] = [
    "aside", "audio", "bdi", "bdo", "rb", "rp", "rt", "ruby", "source", "track", "video",
];

/// The attributes of all elements.
const GENERIC: [&str; 4] = ["id", "lang", "dir", "title"];

/// The attributes of each element.
const ATTRIBUTES: &[(&str, &[&str])] = &[
    ("a", &["href", "hreflang", "role"]),
    ("abbr", &["title"]),
    ("code", &["class"]),
    ("pre", &["class"]),
    ("col", &["span"]),
    ("colgroup", &["span"]),
    ("details", &["open"]),
    ("div", &["class"]),
    ("img", &["src", "alt", "width", "height"]),
    ("li", &["value"]),
    ("ol", &["start", "reversed", "type"]),
    ("section", &["class", "role"]),
    ("span", &["class"]),
    ("td", &["class", "colspan", "rowspan"]),
    ("th", &["class", "colspan", "rowspan", "scope"]),
    ("time", &["datetime"]),
];

/// The attributes of the elements in [`OWN_TAGS`], and of paragraphs in them.
const OWN_ATTRIBUTES: &[(&str, &[&str])] = &[
    ("aside", &["class"]),
    ("p", &["class"]),
    ("audio", &["src", "controls", "loop", "muted", "preload"]),
    ("source", &["src", "type", "media"]),
    ("track", &["src", "kind", "srclang", "label", "default"]),
    (
        "video",
        &[
            "src",
            "poster",
            "controls",
            "loop",
            "muted",
            "playsinline",
            "preload",
            "width",
            "height",
        ],
    ),
];

/// Attributes that sitegen writes itself, so that nothing is lost with them.
const REPLACED: &[(&str, &[&str])] = &[
    ("a", &["rel"]),
    (
        "img",
        &[
            "width",
            "height",
            "loading",
            "decoding",
            "srcset",
            "sizes",
            "fetchpriority",
        ],
    ),
    ("pre", &["tabindex"]),
];

/// The scheme of links to pages by their keys.
const PAGE: &str = "page";
/// Schemes of addresses.
const SCHEMES: [&str; 4] = ["http", "https", "mailto", "tel"];

/// Allows structure and emphasis of text, tables, links and pictures. Removes scripts and event handlers, styles,
/// forms, frames (those of videos become cards in [`super::frames`]), and everything that could affect the page outside
/// the post.
pub static POLICY: LazyLock<Builder<'static>> = LazyLock::new(|| policy(&TAGS, ATTRIBUTES));

/// The same for posts that are files of the site.
pub(super) static OWN_POLICY: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let tags: Vec<&str> = TAGS.into_iter().chain(OWN_TAGS).collect();
    let mut policy = policy(&tags, &[ATTRIBUTES, OWN_ATTRIBUTES].concat());
    policy.add_url_schemes([PAGE]);
    policy
});

fn policy(
    tags: &[&'static str],
    attributes: &[(&'static str, &'static [&'static str])],
) -> Builder<'static> {
    let mut policy = Builder::empty();
    policy
        .add_tags(tags.iter().copied())
        .add_clean_content_tags(SPECIAL)
        .add_clean_content_tags(["button", "object", "select"])
        .add_generic_attributes(GENERIC);
    for (tag, names) in attributes {
        policy.add_tag_attributes(*tag, names.iter().copied());
    }
    policy
        .add_url_schemes(SCHEMES)
        .add_url_schemes([OWN_LINK, OWN_PICTURE, OWN_VIDEO, ATOM])
        .url_relative(UrlRelative::PassThrough)
        .link_rel(None)
        .attribute_filter(|_, attribute, value| match attribute {
            "class" => known_classes(value).map(Into::into),
            "role" => is_role(value).then(|| value.into()),
            "id" => is_id(value).then(|| value.into()),
            _ => Some(value.into()),
        });
    policy
}

/// Whether a post of the site may have an element.
pub(super) fn is_own_tag(name: &str) -> bool {
    TAGS.contains(&name) || OWN_TAGS.contains(&name)
}

/// Tells whether a table has an attribute of a tag.
fn lists(table: &[(&str, &[&str])], tag: &str, name: &str) -> bool {
    table
        .iter()
        .any(|(known, names)| *known == tag && names.contains(&name))
}

/// Whether nothing is lost of an attribute of such an element.
pub(super) fn is_allowed_attribute(tag: &str, name: &str, value: &str) -> bool {
    if lists(REPLACED, tag, name) {
        return true;
    }
    let is_listed =
        GENERIC.contains(&name) || lists(ATTRIBUTES, tag, name) || lists(OWN_ATTRIBUTES, tag, name);
    is_listed
        && match name {
            "class" => value.split_whitespace().all(is_known_class),
            "role" => is_role(value),
            "id" => is_id(value),
            "href" | "src" | "poster" => is_address(value),
            _ => true,
        }
}

/// Whether the policy keeps an address: one within the site, or one with a scheme that it allows.
fn is_address(value: &str) -> bool {
    let value: String = value.chars().filter(|c| !c.is_control()).collect();
    let scheme = value
        .trim()
        .split_once(':')
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    scheme
        .filter(|scheme| {
            scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        })
        .is_none_or(|scheme| SCHEMES.contains(&scheme.as_str()) || scheme == PAGE)
}

fn is_role(value: &str) -> bool {
    matches!(value, "doc-noteref" | "doc-backlink" | "doc-endnotes")
}

/// Whether a class is one of sitegen, or of a language.
pub(super) fn is_known_class(class: &str) -> bool {
    class.starts_with("language-")
        || class.starts_with("code-")
        || class == "callout"
        || class.starts_with("callout-")
        || matches!(
            class,
            "footnotes" | "task" | "task-done" | "table-scroll" | "align-center" | "align-end"
        )
}

/// Keeps the classes of sitegen and those of languages, and drops all others.
fn known_classes(value: &str) -> Option<String> {
    let known: Vec<&str> = value
        .split_whitespace()
        .filter(|class| is_known_class(class))
        .collect();
    (!known.is_empty()).then(|| known.join(" "))
}

/// Whether an element may have an id.
pub fn is_id(value: &str) -> bool {
    value.len() <= 100
        && !LAYOUT_IDS.contains(&value)
        && value.starts_with(char::is_alphabetic)
        && value.chars().all(|c| {
            c.is_alphanumeric()
                || matches!(c, '-' | '_' | '.')
                || unicode_normalization::char::is_combining_mark(c)
        })
}
