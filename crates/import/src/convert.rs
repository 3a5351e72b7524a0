//! Makes the file of a post: front matter, and the text as Markdown.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use api_types::html::escape;

use diagnostics::yaml;
use schema::types::DateTime;

use super::addresses::Link;
use super::classic::{self, Shortcode};
use super::ids;
use super::markdown::{self, Written};
use super::plain_text;
use super::plan::{ImportPlan, Planned, comparable};
use super::shapes::{squeeze, words_of};
use super::simplify::{self, Lookup};
use super::source::{Media, SourcePost, SourceSite, SourceText, Status};
use super::tree::{self, Node};

/// The number of tags that a post of a CMS may have: the other side of a proof shows no more.
const CMS_TAGS: usize = 50;

/// The parts of the whole site that conversion needs.
pub(super) struct Converter<'a> {
    pub source: &'a SourceSite,
    pub plan: &'a ImportPlan<'a>,
    /// By an address in comparable form: the link that replaces it.
    pub links: &'a HashMap<String, Link>,
    /// By the number of a post or a page: the link to it.
    pub numbers: &'a HashMap<u64, Link>,
    /// By the address of a picture in comparable form: its number in the media library.
    pub media: &'a HashMap<String, u64>,
    /// The name of the author of posts whose author is unknown.
    pub no_author: &'a str,
    /// Whether pictures and documents are saved, so that links to them lead to the saved ones.
    pub with_files: bool,
}

/// A converted post.
#[derive(Debug, Default)]
pub(super) struct Converted {
    /// The text of its file.
    pub text: String,
    /// Pictures to save next to it: file name → address.
    pub pictures: BTreeMap<String, String>,
    /// Other files of the uploads that it links to: path in the site → address.
    pub documents: BTreeMap<String, String>,
    /// The addresses of its pictures and of their smaller copies.
    pub uploads: BTreeSet<String>,
    /// The addresses of pictures as they are written, with the files that stand for them.
    pub written: BTreeMap<String, String>,
    /// Texts that were left out, each with the reason.
    pub left_out: BTreeSet<(String, String)>,
    /// The notes for a person.
    pub notes: BTreeSet<String>,
}

/// The lookup of one post: links relative to it, pictures next to it.
pub(super) struct OfPost<'a> {
    converter: &'a Converter<'a>,
    base: Option<url::Url>,
    locale: &'a str,
    /// File names by address.
    pictures: RefCell<BTreeMap<String, String>>,
    /// Addresses of pictures as they are written, with their files.
    written: RefCell<BTreeMap<String, String>>,
    left_out: RefCell<BTreeSet<(String, String)>>,
    documents: RefCell<BTreeMap<String, String>>,
}

impl Converter<'_> {
    /// Converts a post with its text.
    pub fn convert(&self, planned: &Planned, text: &SourceText) -> Converted {
        let post = planned.post;
        let (nodes, own, mut notes) = self.simplified(post, &planned.locale, text);
        let Written { markdown, as_html } = markdown::write(&nodes);
        let markdown = without_placeholders(&markdown, "<!-- -->");
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        as_html
            .into_iter()
            .for_each(|kind| *kinds.entry(kind).or_default() += 1);
        for (kind, count) in kinds {
            notes.insert(format!(
                "{count} × `<{kind}>` stayed HTML, because Markdown can't express it"
            ));
        }
        let picture = post
            .picture
            .and_then(|number| self.source.media.get(&number).map(|media| (number, media)));
        if post.picture.is_some_and(|number| number > 0) && picture.is_none() {
            notes.insert("its featured image is not in the media library".to_owned());
        }
        let image = picture.and_then(|(number, media)| {
            let file = own.picture(&media.address)?;
            Some((file, own.alt(Some(number), &media.address)))
        });
        let head = self.front_matter(planned, text, image, &mut notes);
        own.finish(format!("{head}{markdown}"), notes)
    }

    /// The simplified tree of a text, the lookup that knows its files, and notes.
    pub fn simplified<'b>(
        &'b self,
        post: &SourcePost,
        locale: &'b str,
        text: &SourceText,
    ) -> (Vec<Node>, OfPost<'b>, BTreeSet<String>) {
        let mut notes = notes_of(post, text);
        let own = OfPost {
            converter: self,
            locale,
            base: self.base(&post.link),
            pictures: RefCell::default(),
            written: RefCell::default(),
            left_out: RefCell::default(),
            documents: RefCell::default(),
        };
        let html = self.html(post, text, &mut notes);
        let (nodes, found) = simplify::simplify(tree::parse(&html), &own);
        notes.extend(found);
        (nodes, own, notes)
    }

    /// The HTML of a post: as visitors get it, or made from the stored text.
    pub fn html(
        &self,
        post: &SourcePost,
        text: &SourceText,
        notes: &mut BTreeSet<String>,
    ) -> String {
        let mut html = if post.is_rendered {
            // Shortcodes of plugins that were removed are text for visitors, and no text of the author.
            let (mut extra, mut count) = (String::new(), 0);
            classic::shortcodes(&text.content, &mut |code| {
                self.shortcode(post.number, code, &mut extra, &mut count, notes)
            })
        } else {
            self.stored(post.number, text, post.footnotes.as_deref(), notes)
        };
        // A plugin plays them above or below the text.
        for address in post
            .enclosures
            .iter()
            .filter(|address| !html.contains(address.as_str()))
            .collect::<BTreeSet<_>>()
        {
            let name = address.rsplit('/').next().unwrap_or(address);
            notes.insert(format!(
                "the recording `{address}` from the podcast feed is now a link at the end of the text"
            ));
            let _ = write!(
                html,
                "<p><a href=\"{}\">{}</a></p>",
                escape(address),
                escape(name)
            );
        }
        html
    }

    pub fn base(&self, link: &str) -> Option<url::Url> {
        let home = url::Url::parse(&format!("{}/", self.source.home)).ok()?;
        Some(home.join(link).unwrap_or(home))
    }

    /// The HTML that WordPress would make of a stored text.
    fn stored(
        &self,
        number: u64,
        text: &SourceText,
        footnotes: Option<&str>,
        notes: &mut BTreeSet<String>,
    ) -> String {
        let mut extra = String::new();
        let mut count = 0;
        let mut html = classic::html(&text.content, &mut |code: &Shortcode| {
            self.shortcode(number, code, &mut extra, &mut count, notes)
        });
        let written: Vec<serde_json::Value> = footnotes
            .and_then(|json| serde_json::from_str(json).ok())
            .unwrap_or_default();
        for note in written {
            if let (Some(id), Some(content)) = (note["id"].as_str(), note["content"].as_str()) {
                let _ = write!(extra, "<li id=\"{}\">{content}</li>", escape(id));
            }
        }
        if !extra.is_empty() {
            let _ = write!(html, "<ol class=\"wp-block-footnotes\">{extra}</ol>");
        }
        html
    }

    fn front_matter(
        &self,
        planned: &Planned,
        text: &SourceText,
        image: Option<(String, Option<String>)>,
        notes: &mut BTreeSet<String>,
    ) -> String {
        let post = planned.post;
        let mut title = plain_text(&post.title);
        if title.is_empty() {
            notes.insert("it has no title; its URL is used instead".to_owned());
            title = words_of(&planned.slug);
        }
        let date = date(&post.date)
            .or_else(|| date(&post.modified))
            .unwrap_or_else(|| {
                notes.insert("it has no date; 1970-01-01 is used instead".to_owned());
                "1970-01-01".to_owned()
            });
        let mut out = format!(
            "---\ntitle: {}\ndate: {date}\n",
            yaml::value_text(&title, false)
        );
        if let Some(modified) =
            self::date(&post.modified).filter(|modified| modified[..10] != date[..10])
        {
            let _ = writeln!(out, "modified: {modified}");
        }
        if let Some(name) = self.plan.renamed_authors.get(&planned.author) {
            notes.insert(format!(
                "another author has the same name, so this one is `{name}`"
            ));
        }
        let author = if planned.author.is_empty() {
            self.no_author
        } else {
            planned.author.as_str()
        };
        if planned.author.is_empty() {
            notes.insert(format!(
                "its author was deleted in WordPress; `{author}` is used instead"
            ));
        }
        let _ = writeln!(out, "author: {}", yaml::value_text(author, false));
        if planned.tags.len() > CMS_TAGS {
            notes.insert(format!(
                "it has {} tags, but a CMS post can have at most {CMS_TAGS}",
                planned.tags.len()
            ));
        }
        if !planned.tags.is_empty() {
            let tags: Vec<String> = planned
                .tags
                .iter()
                .map(|tag| yaml::value_text(tag, true))
                .collect();
            let _ = writeln!(out, "tags: [{}]", tags.join(", "));
        }
        let is_made = post.is_rendered && text.excerpt.contains("[&hellip;]");
        if let Some(excerpt) = excerpt(post, text).filter(|_| !is_made) {
            let _ = writeln!(out, "excerpt: {}", yaml::value_text(&excerpt, false));
        }
        if let Some((file, alt)) = image {
            let said = alt.map_or_else(
                || {
                    notes.insert(
                        "its featured image has no alternative text, so it is decorative"
                            .to_owned(),
                    );
                    "decorative: true".to_owned()
                },
                |alt| format!("alt: {}", yaml::value_text(&alt, true)),
            );
            let _ = writeln!(
                out,
                "image: {{src: {}, {said}}}",
                yaml::value_text(&file, true)
            );
        }
        if planned.key != planned.slug {
            let _ = writeln!(out, "key: {}", yaml::value_text(&planned.key, false));
        }
        match post.status {
            Status::Published => {}
            Status::Draft => out.push_str("draft: true\n"),
            Status::Private => {
                notes.insert("it was private or had a password, so it is a draft now".to_owned());
                out.push_str("draft: true\n");
            }
            Status::Scheduled => {
                let at = if post.date_utc.is_empty() {
                    &post.date
                } else {
                    &post.date_utc
                };
                let _ = writeln!(out, "publish_at: {}Z", at.replace(' ', "T"));
            }
        }
        out + "---\n"
    }
}

impl Lookup for OfPost<'_> {
    fn language(&self) -> &str {
        self.locale
    }

    fn link(&self, address: &str) -> Option<String> {
        if address.starts_with('#') {
            return (address.len() > 1).then(|| address.to_owned());
        }
        let compact: String = address.chars().filter(|c| !c.is_control()).collect();
        if let Some(rest) = compact
            .strip_prefix("mailto:")
            .or(compact.strip_prefix("tel:"))
        {
            return (!rest.is_empty()).then(|| compact.clone());
        }
        let url = match &self.base {
            Some(base) => base.join(&compact).ok()?,
            None => url::Url::parse(&compact).ok()?,
        };
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        let fragment = url
            .fragment()
            .map(|anchor| format!("#{}", ids::elsewhere(anchor)));
        let fragment = fragment.unwrap_or_default();
        let converter = self.converter;
        let home = comparable(&converter.source.home);
        let own = comparable(url.as_str());
        if own == home || own.starts_with(&format!("{home}/")) {
            let number = url
                .query_pairs()
                .find(|(name, _)| matches!(&**name, "p" | "page_id"))
                .and_then(|(_, number)| number.parse().ok());
            if let Some(link) = number.and_then(|number: u64| converter.numbers.get(&number)) {
                return Some(format!("{}{fragment}", self.written_link(link)));
            }
            if let Some(path) = document(&url).filter(|_| converter.with_files) {
                self.documents
                    .borrow_mut()
                    .insert(path.clone(), url.to_string());
                return Some(format!("{path}{fragment}"));
            }
            if let Some(link) = converter.links.get(&own) {
                return Some(format!("{}{fragment}", self.written_link(link)));
            }
        }
        Some(url.to_string())
    }

    fn is_linked(&self, anchor: &str) -> bool {
        self.converter.source.anchors.contains(anchor)
    }

    fn picture(&self, address: &str) -> Option<String> {
        if !self.converter.with_files {
            return None;
        }
        let url = match &self.base {
            Some(base) => base.join(address.trim()).ok()?,
            None => url::Url::parse(address.trim()).ok()?,
        };
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        let full = self.converter.full_size(url.as_str());
        let mut pictures = self.pictures.borrow_mut();
        let known = pictures.get(&full).cloned();
        let file = known.unwrap_or_else(|| file_name(&full, &pictures));
        pictures.insert(full, file.clone());
        self.written
            .borrow_mut()
            .insert(url.to_string(), file.clone());
        Some(file)
    }

    fn left_out(&self, text: &str, why: &str) {
        self.left_out
            .borrow_mut()
            .insert((squeeze(text), why.to_owned()));
    }

    fn alt(&self, number: Option<u64>, address: &str) -> Option<String> {
        let converter = self.converter;
        let number = number.or_else(|| {
            converter
                .media
                .get(&comparable(&converter.full_size(address)))
                .copied()
        })?;
        described(converter.source.media.get(&number)?)
    }

    fn reusable(&self, number: u64) -> Option<Vec<Node>> {
        let text = self.converter.source.reusable.get(&number)?;
        Some(tree::parse(&classic::html(text, &mut |_| {
            classic::Expanded::Text
        })))
    }
}

impl OfPost<'_> {
    /// A link as it is written in a text of this language.
    fn written_link<'b>(&self, link: &'b Link) -> &'b str {
        match &link.page {
            Some((locale, path)) if locale != self.locale => path,
            _ => &link.to,
        }
    }

    /// The file of a picture next to the post.
    pub fn picture_file(&self, address: &str) -> Option<String> {
        self.picture(address)
    }

    /// The alternative text that the media library has for a picture.
    pub fn media_alt(&self, number: u64) -> Option<String> {
        self.alt(Some(number), "")
    }

    /// The converted post with all files that were looked up.
    pub fn finish(self, text: String, notes: BTreeSet<String>) -> Converted {
        let pictures = self.pictures.into_inner();
        let written = self.written.into_inner();
        let mut uploads: BTreeSet<String> = written.keys().cloned().collect();
        for full in pictures.keys() {
            uploads.insert(full.clone());
            let media = self
                .converter
                .media
                .get(&comparable(full))
                .and_then(|own| self.converter.source.media.get(own));
            let folder = full.rsplit_once('/').map_or("", |(folder, _)| folder);
            uploads.extend(
                media
                    .into_iter()
                    .flat_map(|own| &own.copies)
                    .map(|name| format!("{folder}/{name}")),
            );
        }
        Converted {
            text,
            pictures: pictures
                .into_iter()
                .map(|(address, file)| (file, address))
                .collect(),
            documents: self.documents.into_inner(),
            uploads,
            written,
            left_out: self.left_out.into_inner(),
            notes,
        }
    }
}

/// Notes about what a post has beside its text.
fn notes_of(post: &SourcePost, text: &SourceText) -> BTreeSet<String> {
    let mut notes = BTreeSet::new();
    if post.authors.len() > 1 {
        notes.insert(format!(
            "it has several authors ({}), but the site shows only one",
            post.authors.join(", ")
        ));
    }
    let names: BTreeSet<&str> = post.fields.iter().map(|(name, _)| name.as_str()).collect();
    if !names.is_empty() {
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        notes.insert(format!("its fields are in the report only: {names}"));
    }
    if post.description.is_some() && !plain_text(&text.excerpt).is_empty() {
        notes.insert(
            "it has an excerpt, so its description for search engines is in the report only"
                .to_owned(),
        );
    }
    notes
}

/// The excerpt of a post as text; else the description that a plugin shows to search engines.
pub(super) fn excerpt(post: &SourcePost, text: &SourceText) -> Option<String> {
    let written = plain_text(&text.excerpt);
    let written = written
        .trim_end_matches("[…]")
        .trim_end_matches("[...]")
        .trim()
        .to_owned();
    Some(written)
        .filter(|text| !text.is_empty())
        .or_else(|| post.description.as_deref().map(plain_text))
        .filter(|text| !text.is_empty())
}

/// The media library's description of an image: its alternative text, else its caption.
pub(super) fn described(media: &Media) -> Option<String> {
    [plain_alt(&media.alt), plain_text(&media.caption)]
        .into_iter()
        .find(|words| !words.is_empty())
}

/// An alternative text of the media library as WordPress shows it: plain text from which it takes what looks like tags.
pub(super) fn plain_alt(alt: &str) -> String {
    let mut out = String::with_capacity(alt.len());
    let mut rest = alt;
    while let Some(start) = rest.find('<') {
        let is_tag = rest[start + 1..]
            .starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!'));
        let end = rest[start..]
            .find('>')
            .filter(|_| is_tag)
            .map(|end| start + end + 1);
        out.push_str(&rest[..end.map_or(start + 1, |_| start)]);
        rest = &rest[end.unwrap_or(start + 1)..];
    }
    out.push_str(rest);
    squeeze(&out)
}

/// The path at which a file of the uploads stays; `None` for other addresses.
fn document(url: &url::Url) -> Option<String> {
    let path = percent_encoding::percent_decode_str(url.path())
        .decode_utf8()
        .ok()?;
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_plain = !path.contains(['\\', '\0', '?', '#', '{', '}'])
        && !path.chars().any(char::is_control)
        && path
            .split('/')
            .skip(1)
            .all(|part| !part.is_empty() && !part.starts_with('.'));
    // A page would have no ending, and a program is not copied.
    let is_file = name
        .rsplit_once('.')
        .is_some_and(|(_, ending)| !matches!(ending, "php" | "html" | "htm" | ""));
    (path.contains("/wp-content/uploads/") && is_plain && is_file).then(|| path.into_owned())
}

impl Converter<'_> {
    /// The address of a picture in full size: `photo-300x200.jpg` is a copy that WordPress made of `photo.jpg`.
    pub fn full_size(&self, address: &str) -> String {
        let plain = address.split(['?', '#']).next().unwrap_or(address);
        let Some((stem, ending)) = plain.rsplit_once('.') else {
            return plain.to_owned();
        };
        let full = stem.rsplit_once('-').filter(|(_, size)| {
            size.split_once('x').is_some_and(|(width, height)| {
                [width, height].iter().all(|number| {
                    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
                })
            })
        });
        if let Some((stem, _)) = full {
            for candidate in [
                format!("{stem}.{ending}"),
                format!("{stem}-scaled.{ending}"),
            ] {
                if self.media.contains_key(&comparable(&candidate)) {
                    return candidate;
                }
            }
        }
        plain.to_owned()
    }
}

/// The name of a picture's file next to the post: short, lower case, and free.
fn file_name(address: &str, taken: &BTreeMap<String, String>) -> String {
    let name = address.rsplit('/').next().unwrap_or_default();
    let name = percent_encoding::percent_decode_str(name)
        .decode_utf8_lossy()
        .to_lowercase();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    let ending = match ending {
        "gif" | "png" | "webp" | "svg" => ending,
        _ => "jpg",
    };
    let stem = schema::types::Slug::of(stem)
        .map_or_else(|| "picture".to_owned(), schema::types::Slug::into_string);
    let mut own = format!("{stem}.{ending}");
    let mut number = 2;
    while taken.values().any(|known| *known == own) {
        own = format!("{stem}-{number}.{ending}");
        number += 1;
    }
    own
}

/// Parts braces from what they hold, where this site would take them for a placeholder: `{product.name}`.
pub(super) fn without_placeholders(markdown: &str, between: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(at) = rest.find('{') {
        let (before, after) = rest.split_at(at + 1);
        out.push_str(before);
        let name = after
            .split('}')
            .next()
            .filter(|name| name.len() < after.len())
            .unwrap_or_default();
        if name.contains('.')
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || matches!(c, '.' | '_'))
        {
            out.push_str(between);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// `2024-05-06 07:08:09` → `2024-05-06T07:08`; `None` for an empty or an impossible date.
fn date(text: &str) -> Option<String> {
    let text = text.trim().replace(' ', "T");
    DateTime::parse_local(&text)?;
    if text.starts_with("0000") || text.len() < 10 {
        return None;
    }
    Some(
        text.get(..16)
            .unwrap_or(&text)
            .trim_end_matches("T00:00")
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_lose_what_says_nothing() {
        assert_eq!(
            date("2024-05-06 07:08:09").as_deref(),
            Some("2024-05-06T07:08")
        );
        assert_eq!(date("2024-05-06 00:00:00").as_deref(), Some("2024-05-06"));
        assert_eq!(date("0000-00-00 00:00:00"), None);
        assert_eq!(date(""), None);
    }

    #[test]
    fn an_alternative_text_has_no_tags() {
        for (alt, expect) in [
            ("A <b>boat</b>", "A boat"),
            ("1 < 2 > 0", "1 < 2 > 0"),
            ("<3 \"x\"", "<3 \"x\""),
            ("a <", "a <"),
        ] {
            assert_eq!(plain_alt(alt), expect);
        }
    }
}
