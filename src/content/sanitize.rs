//! Makes foreign HTML safe and gives it the shape of a post: HTML of a CMS, and Markdown that contains raw HTML.
//!
//! HTML is parsed, never searched: ammonia parses it as browsers do and writes what `POLICY` allows. That output is
//! regular, so one walk over its tags does the rest: headings go below the page's own, frames of known video sites
//! become links, wide tables scroll, links and pictures are opened for later stages.
//!
//! No element whose content a parser reads by rules of its own is allowed (`SPECIAL`): what a serializer writes of one
//! can be read in another way, which once let a script out of a frame. `tests/browser/foreign.test.mjs` renders hostile
//! posts without the policy header.

mod code;
mod frames;
mod shortcodes;
mod tags;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

use api_types::html::{escape, unescape};

use super::blog::highlight::highlight;
use super::rich::{Heading, Ids, InlinePicture, MARK, Marked, TABLE_END, TABLE_START, Target, slug};
use tags::{HtmlPart, Tag, split};

/// Elements whose content a parser reads by rules of its own. They go with all that they hold: what is written of them could
/// be read in another way.
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

/// What stays: text, its order and its emphasis, tables, links, pictures. Gone are scripts and what could start one,
/// styles, forms, frames (those of videos become cards in [`frames`]), and all that would reach out of the post into the page.
pub(super) static POLICY: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut policy = Builder::empty();
    policy
        .add_tags([
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
        ])
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

/// Stand for a link and a picture that Markdown has opened already, while ammonia looks at what is around them.
const OWN_LINK: &str = "sitegen-link";
const OWN_PICTURE: &str = "sitegen-picture";
/// Stands for a video, whose frame is taken out before ammonia parses the text.
const OWN_VIDEO: &str = "sitegen-video";

/// The number behind one of these schemes; whoever wrote the text can write any.
fn own<'a>(address: &'a str, scheme: &str) -> Option<&'a str> {
    address.strip_prefix(scheme)?.strip_prefix(':')
}

/// The classes that sitegen itself writes, and those that name a language; a foreign one means nothing here.
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

/// What the source says of links and pictures.
pub struct Open<'a> {
    /// Where a link leads; none when it leads nowhere. It is not asked for the anchors that the text has.
    pub link: &'a mut dyn FnMut(&str) -> Option<Target>,
    /// A picture from its address and its `alt`, if it has one; none when it is left out.
    pub picture: &'a mut dyn FnMut(&str, Option<&str>) -> Option<InlinePicture>,
    /// Unknown shortcodes of WordPress are left out.
    pub shortcodes: bool,
}

/// Makes HTML safe. `marked` holds it with the marks that are there already.
pub fn clean(marked: Marked, open: Open) -> Marked {
    let html = if marked.html.contains(MARK) && marked.has_raw_html { unmark(&marked.html) } else { marked.html };
    let (html, videos) = frames::take_out(&html, OWN_VIDEO);
    let html = POLICY.clean(&html).to_string();
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
            ..Marked::default()
        },
        heading: None,
        inner_headings: 0,
        lead: None,
        divs: Vec::new(),
        depth: 0,
        links: 0,
    };
    let mut rest = parts.as_slice();
    while let [part, after @ ..] = rest {
        rest = if let Some(block) = code::block(rest) {
            walk.out.words += block.text.split_whitespace().count();
            // The source has its own line break behind it.
            walk.out.html.push_str(highlight(&block.language, &block.text).trim_end());
            &rest[block.length..]
        } else {
            walk.part(part);
            after
        };
    }
    walk.out
}

/// Marks as addresses that ammonia lets through.
fn unmark(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    for (index, part) in html.split(MARK).enumerate() {
        match (index % 2, part.get(..1), part.get(1..)) {
            (1, Some("L"), Some(number)) => drop(write!(text, " href=\"{OWN_LINK}:{number}\"")),
            (1, Some("P"), Some(number)) => drop(write!(text, "<img src=\"{OWN_PICTURE}:{number}\">")),
            // An id that is left empty here is made again from the heading's words.
            (1, ..) => {}
            _ => text.push_str(part),
        }
    }
    text
}

struct Walk<'a> {
    open: Open<'a>,
    videos: Vec<frames::Card>,
    /// Ids that the source gives.
    ids: HashSet<String>,
    /// Those, and the ids of headings that had none.
    taken: Ids,
    /// Those that have been written.
    used: HashSet<String>,
    /// The highest level of its headings.
    top: u8,
    out: Marked,
    heading: Option<Heading>,
    /// How many headings are open inside it. A heading cannot hold another, so only their words are kept.
    inner_headings: usize,
    /// The first paragraph, while it is open.
    lead: Option<String>,
    /// Of each open `div`, whether it is the one that we put around a table ourselves.
    divs: Vec<bool>,
    /// How many lists, tables, quotations and figures are open.
    depth: usize,
    /// How many links are open.
    links: usize,
}

impl Walk<'_> {
    fn part(&mut self, part: &HtmlPart) {
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
                let is_ours = tag.get("class").is_some_and(|class| class == "table-scroll");
                self.divs.push(is_ours);
                if !is_ours {
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
            // What scrolls must be within the keyboard's reach.
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

    /// The attributes as ammonia wrote them, each id once.
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

    /// The number of a link's target.
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
        let is_dot =
            ["width", "height"].iter().all(|side| tag.get(side).is_some_and(|side| matches!(side.as_str(), "0" | "1")));
        if is_dot {
            return;
        }
        // WordPress turns emoji into pictures; the sign itself is smaller and reads as what it is.
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

/// Blocks whose paragraphs are not the first words of a post.
fn is_aside(name: &str) -> bool {
    matches!(name, "blockquote" | "ul" | "ol" | "dl" | "figure" | "section" | "details")
}

/// The words of a piece of HTML, without any of its tags.
pub fn plain_text(html: &str) -> String {
    static BARE: LazyLock<Builder<'static>> = LazyLock::new(|| {
        let mut bare = Builder::empty();
        bare.add_clean_content_tags(SPECIAL);
        bare
    });
    unescape(&BARE.clean(html).to_string()).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
