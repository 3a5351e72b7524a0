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
mod policy;
mod removed;
mod shortcodes;
mod tags;

use std::fmt::Write as _;
use std::sync::LazyLock;

use ammonia::Builder;
use foldhash::{HashSet, HashSetExt};

use api_types::html::{escape, unescape};

use super::highlight::highlight;
use super::rich::{
    Heading, Ids, InlinePicture, LAYOUT_IDS, MARK, Marked, TABLE_END, TABLE_START, Target, slug,
};
use policy::{OWN_POLICY, SPECIAL};
use tags::{HtmlPart, Tag, split};

pub use policy::POLICY;
pub use policy::{OWN_TAGS, TAGS, is_id};
pub use removed::{HtmlBlock, Removed};

/// URL scheme of placeholders for links that Markdown has already collected, while ammonia cleans the text around them.
const OWN_LINK: &str = "sitegen-link";
/// The same for pictures.
const OWN_PICTURE: &str = "sitegen-picture";
/// URL scheme of placeholders for parts that are finished, such as formulas.
const ATOM: &str = "sitegen-part";
/// URL scheme of placeholders for videos, whose frames are removed before ammonia parses the text.
const OWN_VIDEO: &str = "sitegen-video";

/// The number after one of these schemes. Not trusted: the author of a text can write any.
fn own<'a>(address: &'a str, scheme: &str) -> Option<&'a str> {
    address.strip_prefix(scheme)?.strip_prefix(':')
}

/// Returns the target of a film or a sound.
pub type Media<'a> = &'a mut dyn FnMut(&str) -> Option<Target>;

/// Callbacks that resolve links and pictures, and options.
pub struct Open<'a> {
    /// Returns the target of a link, or `None` to remove its `href`. Not called for anchors in the text.
    pub link: &'a mut dyn FnMut(&str) -> Option<Target>,
    /// Returns a picture from its URL and its `alt` attribute, or `None` to remove it.
    pub picture: &'a mut dyn FnMut(&str, Option<&str>) -> Option<InlinePicture>,
    /// Returns the target of a film or sound, or `None` to remove its address. For posts that are files of the site, which
    /// may have more elements than those of a CMS.
    pub media: Option<Media<'a>>,
    /// Remove unknown shortcodes of WordPress.
    pub shortcodes: bool,
}

/// Sanitizes HTML. `marked` may already contain marks, from Markdown.
pub fn clean(marked: Marked, open: Open) -> Marked {
    let html = if marked.has_raw_html {
        unmark(&marked)
    } else {
        marked.html
    };
    let (html, over_limit) = limits::limit(&html);
    let (html, videos) = frames::extract(&html, OWN_VIDEO);
    // The parser writes no-break spaces as entities, and Markdown as they are.
    let policy = if open.media.is_some() {
        &OWN_POLICY
    } else {
        &POLICY
    };
    let html = policy.clean(&html).to_string().replace("&nbsp;", "\u{a0}");
    let html = if open.shortcodes {
        shortcodes::strip(&html)
    } else {
        html
    };
    let parts = split(&html);
    let ids: HashSet<String> = parts
        .iter()
        .filter_map(|part| part.start()?.get("id"))
        .collect();
    let mut taken = Ids::default();
    for id in &ids {
        taken.take(id);
    }
    let levels = parts
        .iter()
        .filter_map(|part| part.start()?.heading_level());
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
            atoms: marked.atoms,
            parts: marked.parts,
            notices: marked.notices,
            over_limit,
            ..Marked::default()
        },
        heading: None,
        inner_headings: 0,
        lead: None,
        first_words: String::new(),
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
            walk.out
                .html
                .push_str(highlight(&block.language, &block.text).trim_end());
            &rest[block.length..]
        } else {
            walk.part(part);
            after
        };
    }
    if walk.out.lead.is_empty() {
        walk.first_words.trim().clone_into(&mut walk.out.lead);
    }
    walk.out
}

/// HTML without tags that would take parsers minutes, see [`limits`].
pub fn limited(html: &str) -> std::borrow::Cow<'_, str> {
    limits::limit(html).0
}

/// Replaces marks with URLs that ammonia keeps.
fn unmark(marked: &Marked) -> String {
    let mut text = String::with_capacity(marked.html.len());
    for (index, part) in marked.html.split(MARK).enumerate() {
        match (index % 2, part.get(..1), part.get(1..)) {
            (1, Some("L"), Some(number)) => drop(write!(text, " href=\"{OWN_LINK}:{number}\"")),
            (1, Some("P"), Some(number)) => {
                let _ = write!(text, "<img src=\"{OWN_PICTURE}:{number}\">");
            }
            (1, Some("A"), Some(number)) => drop(write!(text, "<img src=\"{ATOM}:{number}\">")),
            // Heading ids are left empty, and generated again from the text of the heading, unless the author gave them.
            (1, _, number) => {
                let number: Option<usize> = number.and_then(|number| number.parse().ok());
                let given = number.filter(|number| marked.given_ids.binary_search(number).is_ok());
                let heading = given.and_then(|number| marked.headings.get(number));
                heading
                    .into_iter()
                    .for_each(|heading| text.push_str(&escape(&heading.id)));
            }
            _ => text.push_str(part),
        }
    }
    text
}

struct Walk<'a> {
    open: Open<'a>,
    videos: Vec<frames::VideoLink>,
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
    /// The first words outside of headings, for a text without a paragraph of its own.
    first_words: String,
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
        let count = super::rich::count(&words);
        self.out.words += count.words;
        self.out.ideographs += count.ideographs;
        if let Some(heading) = &mut self.heading {
            heading.text.push_str(&words);
        } else if self.first_words.len() < 1_000 {
            self.first_words.push_str(&words);
        }
        if let Some(lead) = &mut self.lead {
            lead.push_str(&words);
        }
        self.out.html.push_str(text);
    }

    fn start(&mut self, tag: &Tag) {
        // Words of two blocks are two words.
        if matches!(
            tag.name,
            "blockquote" | "dd" | "div" | "dt" | "li" | "p" | "td" | "th"
        ) {
            self.first_words.push(' ');
        }
        match tag.name {
            "img" => self.image(tag),
            "a" => {
                self.links += 1;
                self.out.html.push_str("<a");
                self.attributes(tag, &["href", "hreflang"]);
                let href = tag.get("href").unwrap_or_default();
                if href
                    .strip_prefix('#')
                    .is_some_and(|anchor| self.ids.contains(anchor))
                {
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
                let is_container = tag
                    .get("class")
                    .is_some_and(|class| class == "table-scroll");
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
            "audio" | "source" | "track" | "video" => self.media(tag),
            // Scrollable blocks must be focusable with the keyboard.
            "pre" => self.plain(tag, " tabindex=\"0\""),
            name => {
                if tag.heading_level().is_some() && self.heading.is_some() {
                    self.inner_headings += 1;
                } else if let Some(level) = tag.heading_level() {
                    let level = (level - self.top + 2).min(6);
                    let id = tag
                        .get("id")
                        .filter(|id| !self.used.contains(id) && !LAYOUT_IDS.contains(&id.as_str()))
                        .unwrap_or_default();
                    self.used.insert(id.clone());
                    let number = self.out.headings.len();
                    let _ = write!(self.out.html, "<h{level} id=\"{MARK}H{number}{MARK}\">");
                    self.heading = Some(Heading {
                        level,
                        id,
                        text: String::new(),
                    });
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
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if self.inner_headings > 0 => {
                self.inner_headings -= 1;
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                if let Some(mut heading) = self.heading.take() {
                    heading.text = heading
                        .text
                        .split_whitespace()
                        .collect::<Vec<_>>()
                        .join(" ");
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
        for (name, value) in tag
            .attributes
            .iter()
            .filter(|(name, _)| !but.contains(name))
        {
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
            return number
                .parse()
                .ok()
                .filter(|number| *number < self.out.targets.len());
        }
        self.out.targets.push((self.open.link)(href)?);
        Some(self.out.targets.len() - 1)
    }

    /// A film or a sound, whose addresses are resolved like those of links.
    fn media(&mut self, tag: &Tag) {
        self.out.html.push('<');
        self.out.html.push_str(tag.name);
        self.attributes(tag, &["src", "poster"]);
        for (name, kind) in [("src", 'S'), ("poster", 'O')] {
            let target = tag
                .get(name)
                .zip(self.open.media.as_mut())
                .and_then(|(address, media)| media(address.trim()));
            if let Some(target) = target {
                self.out.targets.push(target);
                let _ = write!(
                    self.out.html,
                    "{MARK}{kind}{}{MARK}",
                    self.out.targets.len() - 1
                );
            }
        }
        self.out.html.push('>');
    }

    fn image(&mut self, tag: &Tag) {
        let Some(src) = tag.get("src") else { return };
        if let Some(number) = own(&src, OWN_PICTURE) {
            if number
                .parse()
                .is_ok_and(|number: usize| number < self.out.pictures.len())
            {
                let _ = write!(self.out.html, "{MARK}P{number}{MARK}");
            }
            return;
        }
        if let Some(number) = own(&src, ATOM) {
            if number
                .parse()
                .is_ok_and(|number: usize| number < self.out.atoms.len())
            {
                let _ = write!(self.out.html, "{MARK}A{number}{MARK}");
            }
            return;
        }
        if let Some(number) = own(&src, OWN_VIDEO) {
            if let Some(video) = number
                .parse()
                .ok()
                .and_then(|number: usize| self.videos.get(number))
            {
                self.out.html.push_str(&video.html(self.links > 0));
            }
            return;
        }
        let is_tracking_pixel = ["width", "height"].iter().all(|side| {
            tag.get(side)
                .is_some_and(|side| matches!(side.as_str(), "0" | "1"))
        });
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
            let _ = write!(
                self.out.html,
                "{MARK}P{}{MARK}",
                self.out.pictures.len() - 1
            );
        }
    }
}

/// Whether paragraphs in this block do not count as the first paragraph of a post.
fn is_aside(name: &str) -> bool {
    matches!(
        name,
        "aside" | "blockquote" | "ul" | "ol" | "dl" | "figure" | "section" | "details"
    )
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
    let words = text
        .split(|c: char| c.is_whitespace() && c != '\u{a0}')
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").trim().to_owned()
}

#[cfg(test)]
mod tests;
