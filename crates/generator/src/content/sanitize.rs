//! Sanitizes untrusted HTML and normalizes it for a post: HTML of a CMS, and Markdown that contains raw HTML.
//!
//! HTML is parsed, not searched: ammonia parses it as browsers do and writes what `POLICY` allows. Its output is
//! regular, so one pass over its tags does the rest: heading levels are shifted below the main heading, frames of
//! known video sites become links, tables become scrollable, links and pictures are left unresolved for later stages.
//!
//! Elements with special parsing rules for their content are not allowed (`SPECIAL`): serialized, they can be parsed
//! differently, which once let a script escape from a frame. `tests/browser/foreign.test.mjs` renders hostile posts
//! without the policy header.

mod code;
mod frames;
mod limits;
mod shortcodes;
mod tags;

use std::fmt::Write as _;
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use foldhash::{HashSet, HashSetExt};

use api_types::html::{escape, unescape};

use super::highlight::highlight;
use super::rich::{Heading, Ids, InlinePicture, MARK, Marked, TABLE_END, TABLE_START, Target, slug};
use tags::{HtmlPart, Tag, split};

/// Elements with special parsing rules. They are removed with their content: serialized, they could be parsed
/// differently.
const SPECIAL: [&str; 13] = [
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

/// Allows structure and emphasis of text, tables, links and pictures. Removes scripts and event handlers, styles,
/// forms, frames (those of videos become cards in [`frames`]), and everything that could affect the page outside the
/// post.
pub(super) static POLICY: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut policy = Builder::empty();
    policy
        .add_tags(TAGS)
        .add_clean_content_tags(SPECIAL)
        .add_clean_content_tags(["button", "object", "select"])
        .add_generic_attributes(["id", "lang", "dir", "title"])
        .add_tag_attributes("a", ["href", "hreflang", "role"])
        .add_tag_attributes("abbr", ["title"])
        .add_tag_attributes("code", ["class"])
        .add_tag_attributes("pre", ["class"])
        .add_tag_attributes("col", ["span"])
        .add_tag_attributes("colgroup", ["span"])
        .add_tag_attributes("details", ["open"])
        .add_tag_attributes("div", ["class"])
        .add_tag_attributes("img", ["src", "alt", "width", "height"])
        .add_tag_attributes("li", ["value"])
        .add_tag_attributes("ol", ["start", "reversed"])
        .add_tag_attributes("section", ["class", "role"])
        .add_tag_attributes("span", ["class"])
        .add_tag_attributes("td", ["class", "colspan", "rowspan"])
        .add_tag_attributes("th", ["class", "colspan", "rowspan", "scope"])
        .add_tag_attributes("time", ["datetime"])
        .add_url_schemes(["http", "https", "mailto", "tel", OWN_LINK, OWN_PICTURE, OWN_VIDEO])
        .url_relative(UrlRelative::PassThrough)
        .link_rel(None)
        .attribute_filter(|_, attribute, value| match attribute {
            "class" => own_classes(value).map(Into::into),
            "role" => matches!(value, "doc-noteref" | "doc-backlink" | "doc-endnotes").then(|| value.into()),
            "id" => is_id(value).then(|| value.into()),
            _ => Some(value.into()),
        });
    policy
});

/// URL scheme of placeholders for links that Markdown has already collected, while ammonia cleans the text around them.
const OWN_LINK: &str = "sitegen-link";
/// The same for pictures.
const OWN_PICTURE: &str = "sitegen-picture";
/// URL scheme of placeholders for videos, whose frames are removed before ammonia parses the text.
const OWN_VIDEO: &str = "sitegen-video";

/// The number after one of these schemes. Not trusted: the author of a text can write any.
fn own<'a>(address: &'a str, scheme: &str) -> Option<&'a str> {
    address.strip_prefix(scheme)?.strip_prefix(':')
}

/// Keeps the classes of sitegen and those of languages, and drops all others.
fn own_classes(value: &str) -> Option<String> {
    let is_own = |class: &&str| {
        class.starts_with("language-")
            || class.starts_with("code-")
            || matches!(*class, "footnotes" | "task" | "task-done" | "table-scroll" | "align-center" | "align-end")
    };
    let own: Vec<&str> = value.split_whitespace().filter(is_own).collect();
    (!own.is_empty()).then(|| own.join(" "))
}

fn is_id(value: &str) -> bool {
    value.len() <= 100
        && value.starts_with(char::is_alphabetic)
        && value.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

/// Callbacks that resolve links and pictures, and options.
pub struct Open<'a> {
    /// Returns the target of a link, or `None` to remove its `href`. Not called for anchors in the text.
    pub link: &'a mut dyn FnMut(&str) -> Option<Target>,
    /// Returns a picture from its URL and its `alt` attribute, or `None` to remove it.
    pub picture: &'a mut dyn FnMut(&str, Option<&str>) -> Option<InlinePicture>,
    /// Remove unknown shortcodes of WordPress.
    pub shortcodes: bool,
}

/// Sanitizes HTML. `marked` may already contain marks, from Markdown.
pub fn clean(marked: Marked, open: Open) -> Marked {
    let html = if marked.html.contains(MARK) && marked.has_raw_html { unmark(&marked.html) } else { marked.html };
    let (html, over_limit) = limits::limit(&html);
    let (html, videos) = frames::extract(&html, OWN_VIDEO);
    // The parser writes no-break spaces as entities, and Markdown as they are.
    let html = POLICY.clean(&html).to_string().replace("&nbsp;", "\u{a0}");
    let html = if open.shortcodes { shortcodes::strip(&html) } else { html };
    let parts = split(&html);
    let ids: HashSet<String> = parts.iter().filter_map(|part| part.start()?.get("id")).collect();
    let mut taken = Ids::default();
    for id in &ids {
        taken.take(id);
    }
    let levels = parts.iter().filter_map(|part| part.start()?.heading_level());
    let top = levels.min().unwrap_or(2);
    let mut walk = Walk {
        open,
        videos,
        ids,
        taken,
        used: HashSet::new(),
        top,
        out: Marked {
            html: String::with_capacity(html.len()),
            targets: marked.targets,
            pictures: marked.pictures,
            over_limit,
            ..Marked::default()
        },
        heading: None,
        inner_headings: 0,
        lead: None,
        divs: Vec::new(),
        depth: 0,
        links: 0,
        is_pre_start: false,
    };
    let mut rest = parts.as_slice();
    while let [part, after @ ..] = rest {
        rest = if let Some(block) = code::block(rest) {
            walk.out.words += block.text.split_whitespace().count();
            // The source already contains a line break after the block.
            walk.out.html.push_str(highlight(&block.language, &block.text).trim_end());
            &rest[block.length..]
        } else {
            walk.part(part);
            after
        };
    }
    walk.out
}

/// HTML without tags that would take parsers minutes, see [`limits`].
pub fn limited(html: &str) -> std::borrow::Cow<'_, str> {
    limits::limit(html).0
}

/// Replaces marks with URLs that ammonia keeps.
fn unmark(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    for (index, part) in html.split(MARK).enumerate() {
        match (index % 2, part.get(..1), part.get(1..)) {
            (1, Some("L"), Some(number)) => drop(write!(text, " href=\"{OWN_LINK}:{number}\"")),
            (1, Some("P"), Some(number)) => drop(write!(text, "<img src=\"{OWN_PICTURE}:{number}\">")),
            // Heading ids are left empty, and generated again from the text of the heading.
            (1, ..) => {}
            _ => text.push_str(part),
        }
    }
    text
}

struct Walk<'a> {
    open: Open<'a>,
    videos: Vec<frames::Card>,
    /// Ids in the source.
    ids: HashSet<String>,
    /// Ids in the source, and ids generated for headings.
    taken: Ids,
    /// Ids that have been written.
    used: HashSet<String>,
    /// The lowest level number of all headings.
    top: u8,
    out: Marked,
    heading: Option<Heading>,
    /// Number of open headings inside `heading`. Headings cannot be nested, so only their text is kept.
    inner_headings: usize,
    /// Text of the first paragraph, while it is open.
    lead: Option<String>,
    /// For each open `div`, whether it is the container of a table that sitegen added.
    divs: Vec<bool>,
    /// Number of open lists, tables, quotations and figures.
    depth: usize,
    /// Number of open links.
    links: usize,
    /// The last part was the start of a `pre`.
    is_pre_start: bool,
}

impl Walk<'_> {
    fn part(&mut self, part: &HtmlPart) {
        // A parser drops one line break at the beginning.
        if self.is_pre_start && matches!(part, HtmlPart::Text(text) if text.starts_with('\n')) {
            self.out.html.push('\n');
        }
        self.is_pre_start = part.start().is_some_and(|tag| tag.name == "pre");
        match part {
            HtmlPart::Text(text) => self.text(text),
            HtmlPart::End(name) => self.end(name),
            HtmlPart::Start(tag) => self.start(tag),
        }
    }

    fn text(&mut self, text: &str) {
        let words = unescape(text);
        self.out.words += super::rich::words(&words);
        if let Some(heading) = &mut self.heading {
            heading.text.push_str(&words);
        }
        if let Some(lead) = &mut self.lead {
            lead.push_str(&words);
        }
        self.out.html.push_str(text);
    }

    fn start(&mut self, tag: &Tag) {
        match tag.name {
            "img" => self.image(tag),
            "a" => {
                self.links += 1;
                self.out.html.push_str("<a");
                self.attributes(tag, &["href", "hreflang"]);
                let href = tag.get("href").unwrap_or_default();
                if href.strip_prefix('#').is_some_and(|anchor| self.ids.contains(anchor)) {
                    let _ = write!(self.out.html, " href=\"{}\"", escape(&href));
                } else if let Some(number) = self.link(&href) {
                    let _ = write!(self.out.html, "{MARK}L{number}{MARK}");
                }
                self.out.html.push('>');
            }
            "table" => {
                self.depth += 1;
                self.out.html.push_str(TABLE_START.trim_end_matches('>'));
                self.attributes(tag, &[]);
                self.out.html.push('>');
            }
            "div" => {
                let is_container = tag.get("class").is_some_and(|class| class == "table-scroll");
                self.divs.push(is_container);
                if !is_container {
                    self.plain(tag, "");
                }
            }
            "br" => {
                self.text(" ");
                self.out.html.truncate(self.out.html.len() - 1);
                self.out.html.push_str("<br>");
            }
            "p" => {
                if self.depth == 0 && self.out.lead.is_empty() {
                    self.lead = Some(String::new());
                }
                self.plain(tag, "");
            }
            // Scrollable blocks must be focusable with the keyboard.
            "pre" => self.plain(tag, " tabindex=\"0\""),
            name => {
                if tag.heading_level().is_some() && self.heading.is_some() {
                    self.inner_headings += 1;
                } else if let Some(level) = tag.heading_level() {
                    let level = (level - self.top + 2).min(6);
                    let id = tag.get("id").filter(|id| !self.used.contains(id)).unwrap_or_default();
                    self.used.insert(id.clone());
                    let number = self.out.headings.len();
                    let _ = write!(self.out.html, "<h{level} id=\"{MARK}H{number}{MARK}\">");
                    self.heading = Some(Heading { level, id, text: String::new() });
                } else {
                    self.depth += usize::from(is_aside(name));
                    self.plain(tag, "");
                }
            }
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "div" if self.divs.pop() == Some(true) => {}
            "table" => {
                self.depth = self.depth.saturating_sub(1);
                self.out.html.push_str(TABLE_END);
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if self.inner_headings > 0 => self.inner_headings -= 1,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                if let Some(mut heading) = self.heading.take() {
                    heading.text = heading.text.split_whitespace().collect::<Vec<_>>().join(" ");
                    if heading.id.is_empty() {
                        heading.id = self.taken.unique(&slug(&heading.text));
                    }
                    self.used.insert(heading.id.clone());
                    let _ = write!(self.out.html, "</h{}>", heading.level);
                    self.out.headings.push(heading);
                }
            }
            name => {
                self.depth -= usize::from(is_aside(name) && self.depth > 0);
                self.links -= usize::from(name == "a" && self.links > 0);
                if name == "p"
                    && let Some(lead) = self.lead.take()
                {
                    lead.trim().clone_into(&mut self.out.lead);
                }
                self.out.html.push_str("</");
                self.out.html.push_str(name);
                self.out.html.push('>');
            }
        }
    }

    fn plain(&mut self, tag: &Tag, more: &str) {
        self.out.html.push('<');
        self.out.html.push_str(tag.name);
        self.attributes(tag, &[]);
        self.out.html.push_str(more);
        self.out.html.push('>');
    }

    /// Writes the attributes, except `but` and duplicate ids.
    fn attributes(&mut self, tag: &Tag, but: &[&str]) {
        for (name, value) in tag.attributes.iter().filter(|(name, _)| !but.contains(name)) {
            if *name == "id" {
                if !self.used.insert(unescape(value)) {
                    continue;
                }
                self.out.anchors.push(unescape(value));
            }
            let _ = write!(self.out.html, " {name}=\"{value}\"");
        }
    }

    /// The index of a link's target.
    fn link(&mut self, href: &str) -> Option<usize> {
        let href = href.trim();
        if let Some(number) = own(href, OWN_LINK) {
            return number.parse().ok().filter(|number| *number < self.out.targets.len());
        }
        self.out.targets.push((self.open.link)(href)?);
        Some(self.out.targets.len() - 1)
    }

    fn image(&mut self, tag: &Tag) {
        let Some(src) = tag.get("src") else { return };
        if let Some(number) = own(&src, OWN_PICTURE) {
            if number.parse().is_ok_and(|number: usize| number < self.out.pictures.len()) {
                let _ = write!(self.out.html, "{MARK}P{number}{MARK}");
            }
            return;
        }
        if let Some(number) = own(&src, OWN_VIDEO) {
            if let Some(video) = number.parse().ok().and_then(|number: usize| self.videos.get(number)) {
                self.out.html.push_str(&video.html(self.links > 0));
            }
            return;
        }
        let is_tracking_pixel =
            ["width", "height"].iter().all(|side| tag.get(side).is_some_and(|side| matches!(side.as_str(), "0" | "1")));
        if is_tracking_pixel {
            return;
        }
        // WordPress replaces emoji with pictures; use the character in `alt` instead.
        let alt = tag.get("alt").unwrap_or_default();
        if !alt.is_empty()
            && alt.chars().count() <= 8
            && !alt.contains(|c: char| c.is_alphanumeric() || c.is_whitespace())
        {
            self.text(&escape(&alt));
            return;
        }
        if let Some(picture) = (self.open.picture)(&src, tag.get("alt").as_deref()) {
            self.out.pictures.push(picture);
            let _ = write!(self.out.html, "{MARK}P{}{MARK}", self.out.pictures.len() - 1);
        }
    }
}

/// Whether paragraphs in this block do not count as the first paragraph of a post.
fn is_aside(name: &str) -> bool {
    matches!(name, "blockquote" | "ul" | "ol" | "dl" | "figure" | "section" | "details")
}

/// The plain text of HTML, with collapsed whitespace. No-break spaces stay, because they join a number to its unit.
pub fn plain_text(html: &str) -> String {
    static BARE: LazyLock<Builder<'static>> = LazyLock::new(|| {
        let mut bare = Builder::empty();
        bare.add_clean_content_tags(SPECIAL);
        bare
    });
    let (html, _) = limits::limit(html);
    let text = unescape(&BARE.clean(&html).to_string());
    let words = text.split(|c: char| c.is_whitespace() && c != '\u{a0}').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").trim().to_owned()
}

#[cfg(test)]
mod tests;
