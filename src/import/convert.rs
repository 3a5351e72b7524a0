//! Makes the file of a post: front matter, and the text as Markdown.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use api_types::html::escape;

use generator::content_types::DateTime;

use super::classic::{self, Shortcode};
use super::markdown::{self, Written};
use super::plain_text;
use super::plan::{Plan, Planned, comparable};
use super::shapes::{squeeze, words_of};
use super::simplify::{self, Lookup};
use super::source::{Media, Source, SourceText, Status};
use super::tree::{self, Node};

/// What conversion needs of the whole site.
pub(super) struct Converter<'a> {
    pub source: &'a Source,
    pub plan: &'a Plan<'a>,
    /// By an address in comparable form: the link that replaces it.
    pub links: &'a HashMap<String, String>,
    /// By the address of a picture in comparable form: its number in the media library.
    pub media: &'a HashMap<String, u64>,
    /// The name of the author of posts whose author is unknown.
    pub no_author: &'a str,
}

/// A converted post.
#[derive(Debug, Default)]
pub(super) struct Converted {
    /// The text of its file.
    pub text: String,
    /// Pictures to save next to it: file name → address.
    pub pictures: BTreeMap<String, String>,
    /// What a person should know about it.
    pub notes: BTreeSet<String>,
}

/// The lookup of one post: links relative to it, pictures next to it.
struct OfPost<'a> {
    converter: &'a Converter<'a>,
    base: Option<url::Url>,
    /// File names by address.
    pictures: RefCell<BTreeMap<String, String>>,
}

impl Converter<'_> {
    /// Converts a post with its text.
    pub fn convert(&self, planned: &Planned, text: &SourceText) -> Converted {
        let post = planned.post;
        let own = OfPost { converter: self, base: self.base(&post.link), pictures: RefCell::default() };
        let mut notes = BTreeSet::new();
        let html = if post.is_rendered {
            text.content.clone()
        } else {
            self.stored(post.number, text, post.footnotes.as_deref(), &mut notes)
        };
        let (nodes, found) = simplify::simplify(tree::parse(&html), &own);
        notes.extend(found);
        let Written { markdown, as_html } = markdown::write(&nodes);
        let markdown = without_placeholders(&markdown);
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        as_html.into_iter().for_each(|kind| *kinds.entry(kind).or_default() += 1);
        for (kind, count) in kinds {
            notes.insert(format!("{count} × `<{kind}>` stayed HTML, because Markdown cannot say it"));
        }
        let picture = post.picture.and_then(|number| self.source.media.get(&number).map(|media| (number, media)));
        if post.picture.is_some_and(|number| number > 0) && picture.is_none() {
            notes.insert("its featured picture is not in the media library".to_owned());
        }
        let image = picture.and_then(|(number, media)| {
            let file = own.picture(&media.address)?;
            Some((file, own.alt(Some(number), &media.address)))
        });
        let head = self.front_matter(planned, text, image, &mut notes);
        Converted {
            text: format!("{head}{markdown}"),
            pictures: own.pictures.into_inner().into_iter().map(|(address, file)| (file, address)).collect(),
            notes,
        }
    }

    fn base(&self, link: &str) -> Option<url::Url> {
        let home = url::Url::parse(&format!("{}/", self.source.home)).ok()?;
        Some(home.join(link).unwrap_or(home))
    }

    /// The HTML that WordPress would make of a stored text.
    fn stored(&self, number: u64, text: &SourceText, footnotes: Option<&str>, notes: &mut BTreeSet<String>) -> String {
        let mut extra = String::new();
        let mut count = 0;
        let mut expand = |code: &Shortcode| self.shortcode(number, code, &mut extra, &mut count, notes);
        let mut html = classic::html(&text.content, &mut expand);
        let written: Vec<serde_json::Value> =
            footnotes.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
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

    /// The HTML of a shortcode; `None` if it is not one, so that the text stays.
    fn shortcode(
        &self,
        post: u64,
        code: &Shortcode,
        extra: &mut String,
        count: &mut usize,
        notes: &mut BTreeSet<String>,
    ) -> Option<String> {
        let content = code.content.unwrap_or_default();
        let first = || code.attributes.iter().find(|(name, _)| name.is_empty()).map(|(_, value)| value.clone());
        let address = || {
            code.get("src")
                .or(code.get("url"))
                .map(str::to_owned)
                .or_else(first)
                .unwrap_or_else(|| content.trim().to_owned())
        };
        match code.name {
            "caption" | "wp_caption" => {
                let (picture, words) = match content
                    .rfind("/>")
                    .map(|at| at + 2)
                    .or_else(|| content.rfind("</a>").map(|at| at + 4))
                    .or_else(|| content.rfind('>').map(|at| at + 1))
                {
                    Some(end) => content.split_at(end),
                    None => ("", content),
                };
                let (picture, words) = match words.trim_start().strip_prefix("</a>") {
                    Some(rest) => (format!("{picture}</a>"), rest),
                    None => (picture.to_owned(), words),
                };
                let words = code.get("caption").unwrap_or(words).trim();
                Some(format!("\n\n<figure>{picture}<figcaption>{words}</figcaption></figure>\n\n"))
            }
            "gallery" | "playlist" => {
                let ids: Vec<u64> = code
                    .get("ids")
                    .or(code.get("include"))
                    .unwrap_or_default()
                    .split([',', ' '])
                    .filter_map(|id| id.trim().parse().ok())
                    .collect();
                let of_post = || {
                    self.source
                        .media
                        .iter()
                        .filter(|(_, media)| media.parent == post)
                        .map(|(number, _)| *number)
                        .collect()
                };
                let ids: Vec<u64> = if ids.is_empty() { of_post() } else { ids };
                let mut html = String::from("\n\n<figure class=\"gallery\">");
                for id in ids {
                    let Some(media) = self.source.media.get(&id) else {
                        notes.insert(format!("picture {id} of a gallery is not in the media library"));
                        continue;
                    };
                    let caption = if media.caption.trim().is_empty() {
                        String::new()
                    } else {
                        format!("<figcaption>{}</figcaption>", media.caption)
                    };
                    let _ = write!(
                        html,
                        "<figure><img class=\"wp-image-{id}\" src=\"{}\" alt=\"{}\">{caption}</figure>",
                        escape(&media.address),
                        escape(&media.alt)
                    );
                }
                Some(html + "</figure>\n\n")
            }
            "embed" | "youtube" | "vimeo" | "tiktok" | "twitter" | "instagram" => Some(format!(
                "\n\n<figure class=\"wp-block-embed\"><div class=\"wp-block-embed__wrapper\">{}</div></figure>\n\n",
                escape(&address())
            )),
            "audio" | "video" => {
                let named = ["mp3", "mp4", "m4a", "m4v", "ogg", "ogv", "wav", "webm"]
                    .into_iter()
                    .find_map(|name| code.get(name));
                Some(format!("\n\n<{0} src=\"{1}\"></{0}>\n\n", code.name, escape(named.unwrap_or(&address()))))
            }
            "code" | "sourcecode" | "source" | "cc" => {
                let language =
                    code.get("language").or(code.get("lang")).map(str::to_owned).or_else(first).unwrap_or_default();
                Some(classic::code_block(&language, content))
            }
            "php" | "js" | "javascript" | "css" | "html" | "xml" | "bash" | "shell" | "sql" | "python" | "java"
            | "ruby" | "json" | "yaml"
                if code.content.is_some() =>
            {
                Some(classic::code_block(code.name, content))
            }
            "footnote" | "ref" | "fn" if code.content.is_some() => {
                *count += 1;
                let _ = write!(extra, "<li id=\"note-{count}\">{content}</li>");
                Some(format!("<sup class=\"fn\" data-fn=\"note-{count}\"><a href=\"#note-{count}\">{count}</a></sup>"))
            }
            // Known names that wrap text; a name that no plugin has is likely text in brackets.
            name if !code.attributes.is_empty() || code.content.is_some() || name.contains(['_', '-']) => {
                notes.insert(format!(
                    "the shortcode `[{name}]` was removed{}",
                    if content.is_empty() { "" } else { ", and its text was kept" }
                ));
                Some(content.to_owned())
            }
            _ => None,
        }
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
            notes.insert("it has no title; its address stands for it".to_owned());
            title = words_of(&planned.slug);
        }
        let date = date(&post.date).or_else(|| date(&post.modified)).unwrap_or_else(|| {
            notes.insert("it has no date; 1970-01-01 stands for it".to_owned());
            "1970-01-01".to_owned()
        });
        let mut out = format!("---\ntitle: {}\ndate: {date}\n", scalar(&title));
        if let Some(modified) = self::date(&post.modified).filter(|modified| modified[..10] != date[..10]) {
            let _ = writeln!(out, "modified: {modified}");
        }
        let author = if planned.author.is_empty() { self.no_author } else { planned.author.as_str() };
        if planned.author.is_empty() {
            notes.insert(format!("its author was deleted in WordPress; `{author}` stands for them"));
        }
        let _ = writeln!(out, "author: {}", scalar(author));
        if !planned.tags.is_empty() {
            let tags: Vec<String> = planned.tags.iter().map(|tag| flow(tag)).collect();
            let _ = writeln!(out, "tags: [{}]", tags.join(", "));
        }
        let excerpt = plain_text(&text.excerpt);
        let excerpt = excerpt.trim_end_matches("[…]").trim_end_matches("[...]").trim();
        let is_made = post.is_rendered && text.excerpt.contains("[&hellip;]");
        if !excerpt.is_empty() && !is_made {
            let _ = writeln!(out, "excerpt: {}", scalar(excerpt));
        }
        if let Some((file, alt)) = image {
            let said = alt.map_or_else(
                || {
                    notes.insert("its featured picture has no alternative text, so it is decorative".to_owned());
                    "decorative: true".to_owned()
                },
                |alt| format!("alt: {}", flow(&alt)),
            );
            let _ = writeln!(out, "image: {{src: {}, {said}}}", flow(&file));
        }
        if planned.key != planned.slug {
            let _ = writeln!(out, "key: {}", scalar(&planned.key));
        }
        match post.status {
            Status::Published => {}
            Status::Draft => out.push_str("draft: true\n"),
            Status::Private => {
                notes.insert("it was private or had a password, and is a draft now".to_owned());
                out.push_str("draft: true\n");
            }
            Status::Scheduled => {
                let at = if post.date_utc.is_empty() { &post.date } else { &post.date_utc };
                let _ = writeln!(out, "publish_at: {}Z", at.replace(' ', "T"));
            }
        }
        out + "---\n"
    }
}

impl Lookup for OfPost<'_> {
    fn link(&self, address: &str) -> Option<String> {
        if address.starts_with('#') {
            return (address.len() > 1).then(|| address.to_owned());
        }
        let compact: String = address.chars().filter(|c| !c.is_control()).collect();
        if let Some(rest) = compact.strip_prefix("mailto:").or(compact.strip_prefix("tel:")) {
            return (!rest.is_empty()).then(|| compact.clone());
        }
        let url = match &self.base {
            Some(base) => base.join(&compact).ok()?,
            None => url::Url::parse(&compact).ok()?,
        };
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        let fragment = url.fragment().map(|fragment| format!("#{fragment}")).unwrap_or_default();
        let converter = self.converter;
        let home = comparable(&converter.source.home);
        let own = comparable(url.as_str());
        if own == home || own.starts_with(&format!("{home}/")) {
            let number = url
                .query_pairs()
                .find(|(name, _)| matches!(&**name, "p" | "page_id"))
                .and_then(|(_, number)| number.parse().ok());
            let by_number = number.and_then(|number: u64| converter.plan.by_number.get(&number));
            if let Some(planned) = by_number.map(|at| &converter.plan.posts[*at]) {
                return Some(format!("page:blog/{}{fragment}", planned.key));
            }
            if let Some(link) = converter.links.get(&own) {
                return Some(format!("{link}{fragment}"));
            }
        }
        Some(url.to_string())
    }

    fn picture(&self, address: &str) -> Option<String> {
        let url = match &self.base {
            Some(base) => base.join(address.trim()).ok()?,
            None => url::Url::parse(address.trim()).ok()?,
        };
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        let full = self.converter.full_size(url.as_str());
        let mut pictures = self.pictures.borrow_mut();
        if let Some(file) = pictures.get(&full) {
            return Some(file.clone());
        }
        let file = file_name(&full, &pictures);
        pictures.insert(full, file.clone());
        Some(file)
    }

    fn alt(&self, number: Option<u64>, address: &str) -> Option<String> {
        let converter = self.converter;
        let number = number.or_else(|| converter.media.get(&comparable(&converter.full_size(address))).copied())?;
        let Media { alt, caption, .. } = converter.source.media.get(&number)?;
        [squeeze(alt), plain_text(caption)].into_iter().find(|words| !words.is_empty())
    }

    fn reusable(&self, number: u64) -> Option<Vec<Node>> {
        let text = self.converter.source.reusable.get(&number)?;
        Some(tree::parse(&classic::html(text, &mut |_| None)))
    }
}

impl Converter<'_> {
    /// The address of a picture in full size: `photo-300x200.jpg` is a copy that WordPress made of `photo.jpg`.
    fn full_size(&self, address: &str) -> String {
        let plain = address.split(['?', '#']).next().unwrap_or(address);
        let Some((stem, ending)) = plain.rsplit_once('.') else { return plain.to_owned() };
        let full = stem.rsplit_once('-').filter(|(_, size)| {
            size.split_once('x').is_some_and(|(width, height)| {
                [width, height]
                    .iter()
                    .all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
            })
        });
        if let Some((stem, _)) = full {
            for candidate in [format!("{stem}.{ending}"), format!("{stem}-scaled.{ending}")] {
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
    let name = percent_encoding::percent_decode_str(name).decode_utf8_lossy().to_lowercase();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    let ending = match ending {
        "png" | "webp" | "svg" => ending,
        _ => "jpg",
    };
    let stem = generator::content_types::Slug::of(stem)
        .map_or_else(|| "picture".to_owned(), generator::content_types::Slug::into_string);
    let mut own = format!("{stem}.{ending}");
    let mut number = 2;
    while taken.values().any(|known| *known == own) {
        own = format!("{stem}-{number}.{ending}");
        number += 1;
    }
    own
}

/// Parts braces from what they hold, where this site would take them for a placeholder: `{product.name}`.
fn without_placeholders(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(at) = rest.find('{') {
        let (before, after) = rest.split_at(at + 1);
        out.push_str(before);
        let name = after.split('}').next().filter(|name| name.len() < after.len()).unwrap_or_default();
        if name.contains('.') && name.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '.' | '_')) {
            out.push_str("<!-- -->");
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
    Some(text.get(..16).unwrap_or(&text).trim_end_matches("T00:00").to_owned())
}

/// A text as a value in YAML: plain if nothing in it has a meaning, else in quotes.
pub(super) fn scalar(text: &str) -> String {
    let is_plain = text.starts_with(char::is_alphabetic)
        && !text.contains([':', '#', '"', '\\', '{', '}', '[', ']', '\n', '\t', '&', '*', '`', '|', '>'])
        && text.trim() == text
        && !is_keyword(text);
    if is_plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// The same inside of `[…]` and `{…}`.
fn flow(text: &str) -> String {
    if text.contains(',') { serde_json::Value::from(text).to_string() } else { scalar(text) }
}

fn is_keyword(text: &str) -> bool {
    matches!(
        text.to_lowercase().as_str(),
        "true" | "false" | "yes" | "no" | "on" | "off" | "null" | "y" | "n" | "inf" | "nan"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_lose_what_says_nothing() {
        assert_eq!(date("2024-05-06 07:08:09").as_deref(), Some("2024-05-06T07:08"));
        assert_eq!(date("2024-05-06 00:00:00").as_deref(), Some("2024-05-06"));
        assert_eq!(date("0000-00-00 00:00:00"), None);
        assert_eq!(date(""), None);
    }

    #[test]
    fn values_are_quoted_where_yaml_needs_it() {
        for (text, expect) in [
            ("A title", "A title"),
            ("A: b", "\"A: b\""),
            ("2024", "\"2024\""),
            ("true", "\"true\""),
            ("¿Qué?", "\"¿Qué?\""),
        ] {
            assert_eq!(scalar(text), expect);
        }
    }
}
