//! Counts what an export file has, and finds what of it is neither in the site nor in the report of the import.
//!
//! The file is read by [`super::export`], not by the importer, so that what the importer never saw is missed here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use percent_encoding::percent_decode_str;
use serde::Serialize;

use schema::types::Slug;

use super::super::shapes::is_picture_address;
use super::super::source::Numbers;
use super::super::{ImportReport, PostReport};
use super::Lost;
use super::export::{Xml, decoded, parts};
use super::words::{self, Counts, bare, count};

/// How many of each an export file has.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct ExportCounts {
    pub items: usize,
    pub blocks: usize,
    pub fields: usize,
    pub enclosures: usize,
    pub authors: usize,
    pub terms: usize,
    pub comments: usize,
    pub pictures: usize,
}

impl std::fmt::Display for ExportCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let ExportCounts {
            items,
            blocks,
            fields,
            enclosures,
            authors,
            terms,
            comments,
            pictures,
        } = self;
        write!(
            f,
            "{items} items, {blocks} blocks, {pictures} images, {fields} fields, {enclosures} recordings, {authors} authors, \
             {terms} tags and categories, {comments} comments"
        )
    }
}

/// Taxonomies that name a language or a translation, which the folder and `key` of a post show.
const LANGUAGES: [&str; 2] = ["language", "post_translations"];
/// Slugs of the category that WordPress gives to posts without one.
const NO_CATEGORY: [&str; 4] = [
    "uncategorized",
    "sin-categoria",
    "sem-categoria",
    "allgemein",
];
/// Blocks without a text that leave nothing to see.
const EMPTY_BLOCKS: [&str; 8] = [
    "block",
    "footnotes",
    "more",
    "nextpage",
    "separator",
    "social-link",
    "spacer",
    "core/social-link",
];
/// The longest value of a field that is compared, in bytes. Builders of pages keep whole pages in fields.
const LONGEST: usize = 2000;

/// The state of the comparison.
struct Counting<'a> {
    root: &'a Path,
    report: &'a ImportReport,
    home: String,
    /// By number: the file of a post or a page, and its report.
    files: BTreeMap<u64, (&'a str, &'a PostReport)>,
    /// Texts of reusable blocks, and addresses of files, by number.
    reusable: BTreeMap<String, String>,
    media: BTreeMap<u64, String>,
    /// Names by login.
    names: BTreeMap<String, String>,
    redirects: String,
    counted: ExportCounts,
    lost: Vec<Lost>,
}

/// Where the parts of an item may be: its file, its notes, and files next to it.
struct Haystack {
    plain: String,
    counts: Counts,
    /// As it is written: a reference such as `&amp;` in code is text.
    written: Counts,
    without_tags: Counts,
    folded: String,
    /// Shortcodes that a note quotes.
    noted: Vec<String>,
}

/// Counts an export file, and lists what is lost.
pub(crate) fn compare(
    export: &Path,
    root: &Path,
    report: &ImportReport,
) -> std::io::Result<(ExportCounts, Vec<Lost>)> {
    let text = decoded(&fs_err::read(export)?);
    let files = report.posts.iter().chain(&report.pages);
    let mut counting = Counting {
        root,
        report,
        home: bare(&report.evidence.home),
        files: files
            .map(|(file, post)| (post.number, (file.as_str(), post)))
            .collect(),
        reusable: BTreeMap::new(),
        media: BTreeMap::new(),
        names: BTreeMap::new(),
        redirects: all_text(&root.join("content/redirects"), "yaml"),
        counted: ExportCounts::default(),
        lost: Vec::new(),
    };
    let mut seen_fields: BTreeMap<String, usize> = BTreeMap::new();
    let mut unseen_comments = 0;
    let mut numbers = Numbers::default();
    // Items can refer to items below them.
    parts(
        &text,
        &mut |part| match (part.name.as_str(), part.get("wp:post_type")) {
            ("wp:author", _) => {
                counting.names.insert(
                    part.get("wp:author_login").to_owned(),
                    part.get("wp:author_display_name").to_owned(),
                );
            }
            ("item", "attachment") => {
                let address = [part.get("wp:attachment_url"), part.get("guid")]
                    .into_iter()
                    .find(|own| !own.is_empty());
                counting
                    .media
                    .insert(number(&part), address.unwrap_or_default().to_owned());
            }
            ("item", "wp_block") => {
                counting.reusable.insert(
                    part.get("wp:post_id").to_owned(),
                    part.get("content:encoded").to_owned(),
                );
            }
            _ => {}
        },
    );
    parts(&text, &mut |part| match part.name.as_str() {
        "item" => {
            let is_text = matches!(part.get("wp:post_type"), "post" | "page");
            let number = if is_text {
                numbers.own(number(&part))
            } else {
                number(&part)
            };
            counting.item(&part, number, &mut seen_fields, &mut unseen_comments);
        }
        "wp:author" => counting.author(&part),
        "wp:category" | "wp:tag" | "wp:term" => counting.term(&part),
        "description" if !part.text.trim().is_empty() => {
            counting.words(
                "the site",
                "",
                "tagline",
                &part.text,
                &Haystack::of(values(&report.about)),
                None,
            );
        }
        _ => {}
    });
    for (key, seen) in seen_fields {
        let known = report
            .internal_fields
            .get(&key)
            .copied()
            .unwrap_or_default();
        if known < seen {
            counting.lose(
                "fields",
                "",
                "field",
                format!("`{key}`: {} of {seen}", seen - known),
                None,
            );
        }
    }
    let reported = report
        .not_imported
        .iter()
        .filter(|(what, _)| what.starts_with("comments "))
        .map(|(_, count)| count);
    let reported: usize = reported.sum();
    if reported < unseen_comments {
        counting.lose(
            "comments",
            "",
            "comments",
            format!("{} of {unseen_comments}", unseen_comments - reported),
            None,
        );
    }
    let saved: BTreeSet<&String> = report.evidence.saved.values().flatten().collect();
    for file in saved {
        if !root.join(file).is_file() && !report.missing_files.contains_key(file) {
            counting.lose(file, file, "file", file.clone(), None);
        }
    }
    Ok((counting.counted, counting.lost))
}

fn number(item: &Xml) -> u64 {
    item.get("wp:post_id").parse().unwrap_or_default()
}

fn values(map: &BTreeMap<String, String>) -> String {
    map.iter()
        .flat_map(|(key, value)| [key, "\n", value, "\n"])
        .collect()
}

/// The text of all files with an ending in a folder.
fn all_text(folder: &Path, ending: &str) -> String {
    let entries = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let files = entries.filter(|path| path.extension().is_some_and(|own| own == ending));
    files
        .filter_map(|path| fs_err::read_to_string(path).ok())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The slug that the name of a saved picture begins with: `/uploads/Boat_One-300x200.png` → `boat_one`.
fn stem(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let name = bare(path).rsplit('/').next().unwrap_or_default().to_owned();
    let stem = name
        .rsplit_once('.')
        .map_or(name.as_str(), |(stem, _)| stem);
    let stem = stem
        .rsplit_once('-')
        .filter(|(_, size)| is_size(size))
        .map_or(stem, |(stem, _)| stem);
    let stem = stem.strip_suffix("-scaled").unwrap_or(stem);
    Slug::of(stem).map_or_else(|| "picture".to_owned(), Slug::into_string)
}

/// Tells whether a text is a size, as `300x200`.
fn is_size(size: &str) -> bool {
    size.split_once('x').is_some_and(|(a, b)| {
        !a.is_empty() && format!("{a}{b}").bytes().all(|b| b.is_ascii_digit())
    })
}

impl Haystack {
    fn of(text: String) -> Haystack {
        let plain = words::decoded(&text);
        let quoted = text
            .lines()
            .filter_map(|line| line.strip_prefix("the shortcode `")?.split('`').next());
        let noted = quoted.map(str::to_owned).collect();
        let without_tags = words::parts(&text, true).text;
        Haystack {
            counts: count(&plain, false),
            written: count(&text, false),
            without_tags: count(&without_tags, false),
            folded: percent_decode_str(&plain)
                .decode_utf8_lossy()
                .to_lowercase(),
            noted,
            plain: text,
        }
    }

    fn has(&self, word: &str, times: usize) -> bool {
        [&self.counts, &self.written, &self.without_tags]
            .iter()
            .any(|counts| counts.get(word).is_some_and(|found| *found >= times))
    }

    fn missing(&self, text: &str) -> Vec<String> {
        count(text, true)
            .into_iter()
            .filter(|(word, times)| !self.has(word, *times))
            .map(|(word, _)| word)
            .collect()
    }
}

impl Counting<'_> {
    fn lose(&mut self, item: &str, file: &str, what: &str, text: String, reason: Option<&str>) {
        self.lost.push(Lost {
            item: item.to_owned(),
            file: file.to_owned(),
            what: what.to_owned(),
            text,
            reason: reason.map(str::to_owned),
        });
    }

    /// Reports the words of a text that are not where they should be.
    fn words(
        &mut self,
        item: &str,
        file: &str,
        what: &str,
        text: &str,
        place: &Haystack,
        reason: Option<&str>,
    ) {
        let text = place.noted.iter().fold(text.to_owned(), |text, shortcode| {
            text.replace(shortcode, " ")
        });
        let text = text.as_str();
        let missing = [true, false].map(|joined| place.missing(&words::parts(text, joined).text));
        let [joined, apart] = missing;
        let missing = if apart.len() < joined.len() {
            apart
        } else {
            joined
        };
        if !missing.is_empty() {
            self.lose(item, file, what, missing.join(" "), reason);
        }
    }

    fn item(
        &mut self,
        item: &Xml,
        number: u64,
        fields: &mut BTreeMap<String, usize>,
        unseen_comments: &mut usize,
    ) {
        self.counted.items += 1;
        let title = item.get("title").to_owned();
        let name = format!("{} {number} `{title}`", item.get("wp:post_type"));
        for comment in item.all("wp:comment") {
            self.counted.comments += 1;
            let is_public = comment.get("wp:comment_approved") == "1"
                && matches!(comment.get("wp:comment_type"), "" | "comment");
            *unseen_comments += usize::from(!is_public);
        }
        let Some((file, report)) = self.files.get(&number).copied() else {
            match item.get("wp:post_type") {
                "attachment" => self.attachment(item, &name),
                "wp_block" => {}
                _ if self.report.skipped.contains_key(&number) => {}
                _ => self.lose(&name, "", "item", title, None),
            }
            return;
        };
        let reason = report.is_edited.then_some(super::reasons::EDITED);
        let place = self.place(file, report);
        self.words(&name, file, "title", &title, &place, reason);
        self.words(
            &name,
            file,
            "excerpt",
            item.get("excerpt:encoded"),
            &place,
            reason,
        );
        self.content(&name, file, item.get("content:encoded"), &place, reason);
        if file.ends_with(".md") {
            self.post(item, &name, file, &place, reason);
        }
        for term in item.all("category") {
            let (domain, nicename) = (term.attribute("domain"), term.attribute("nicename"));
            if LANGUAGES.contains(&domain.as_str()) || NO_CATEGORY.contains(&nicename.as_str()) {
                continue;
            }
            // Pages have no tags.
            let has_tags = file.ends_with(".md")
                || !matches!(domain.as_str(), "category" | "post_tag" | "tag" | "");
            // Names that differ in case only are one tag.
            if has_tags
                && !place
                    .folded
                    .contains(&words::decoded(term.text.trim()).to_lowercase())
            {
                self.words(&name, file, "tag", &term.text, &place, reason);
            }
        }
        for comment in item.all("wp:comment") {
            let is_public = comment.get("wp:comment_approved") == "1"
                && matches!(comment.get("wp:comment_type"), "" | "comment");
            if is_public {
                let text = format!(
                    "{} {}",
                    comment.get("wp:comment_author"),
                    comment.get("wp:comment_content")
                );
                self.words(&name, file, "comment", &text, &place, reason);
            }
        }
        for field in item.all("wp:postmeta") {
            self.counted.fields += 1;
            self.field(field, &name, file, &place, fields, reason);
        }
    }

    /// The text of an item in the site: its file, files of its folder, its notes and fields.
    fn place(&self, file: &str, report: &PostReport) -> Haystack {
        let mut text = fs_err::read_to_string(self.root.join(file)).unwrap_or_default();
        let folder = Path::new(file).with_extension("");
        let folder = if file.ends_with("/index.md") {
            folder.parent().unwrap_or(&folder).to_owned()
        } else {
            folder
        };
        let comments = all_text(&self.root.join(folder), "json");
        text.push_str(
            &comments
                .replace("\\n", " ")
                .replace("\\t", " ")
                .replace("\\r", " ")
                .replace("\\\"", "\""),
        );
        let notes = report
            .notes
            .iter()
            .chain(&report.fields)
            .map(String::as_str);
        for part in notes.chain(
            report
                .left_out
                .iter()
                .flat_map(|(text, why)| [text.as_str(), why.as_str()]),
        ) {
            text.push('\n');
            text.push_str(part);
        }
        Haystack::of(text)
    }

    fn content(
        &mut self,
        name: &str,
        file: &str,
        html: &str,
        place: &Haystack,
        reason: Option<&str>,
    ) {
        self.words(name, file, "text", html, place, reason);
        let found = words::parts(html, true);
        for value in &found.values {
            self.words(
                name,
                file,
                "description of an image or link",
                value,
                place,
                reason,
            );
        }
        let pictures = found.pictures.iter().cloned();
        let pictures = pictures.chain(
            found
                .numbers
                .iter()
                .filter_map(|number| self.media.get(number).cloned()),
        );
        for address in pictures.collect::<Vec<_>>() {
            self.counted.pictures += 1;
            // A picture of an emoji is the emoji, which is counted as its description.
            let is_there = address.starts_with("data:")
                || address.contains("/images/core/emoji/")
                || place.folded.contains(&stem(&address))
                || place.folded.contains(&bare(&address).to_lowercase());
            if !is_there {
                self.lose(name, file, "image", address, reason);
            }
        }
        for address in &found.addresses {
            if !self.has_address(address, place) {
                self.lose(name, file, "URL", address.clone(), reason);
            }
        }
        for (block, settings, is_filled_in) in found.blocks {
            self.counted.blocks += 1;
            if block == "block" {
                let reference = settings.split("\"ref\":").nth(1).unwrap_or_default();
                let reference: String = reference
                    .trim()
                    .chars()
                    .take_while(char::is_ascii_digit)
                    .collect();
                if let Some(text) = self.reusable.get(&reference).cloned() {
                    self.words(name, file, "reusable block", &text, place, reason);
                }
            } else if is_filled_in && !EMPTY_BLOCKS.contains(&block.as_str()) {
                let plain = settings
                    .replace("\\u003c", "<")
                    .replace("\\u003e", ">")
                    .replace("\\u0026", "&")
                    .replace("\\n", " ");
                let is_named = place.plain.contains(&format!("`{block}`"));
                if is_named {
                    self.words(name, file, "block", &plain, place, reason);
                } else {
                    self.lose(name, file, "block", block, reason);
                }
            }
        }
    }

    /// Whether an address is in a text, or leads to the old site itself: links there are compared page by page.
    fn has_address(&self, address: &str, place: &Haystack) -> bool {
        let plain = bare(address);
        let is_own = plain.starts_with(&self.home) || address.starts_with(['/', '#', '?', '.']);
        let is_outside =
            address.contains("://") || address.starts_with("//") || address.starts_with("mailto:");
        if plain.is_empty() || is_own && !address.contains("/wp-content/") || !is_outside && !is_own
        {
            return true;
        }
        // A picture that led to itself leads nowhere.
        if is_own || is_picture_address(address) {
            return place.folded.contains(&stem(address))
                || place.folded.contains(&plain.to_lowercase());
        }
        // A video may be shown by its number, in another form of its address.
        let path = plain.split(['?', '#']).next().unwrap_or_default();
        let last = path.rsplit('/').next().unwrap_or_default();
        let number = plain
            .split("v=")
            .nth(1)
            .map_or(last, |rest| rest.split('&').next().unwrap_or_default());
        place.folded.contains(&plain.to_lowercase())
            || number.len() > 5 && place.plain.contains(number)
            || number.bytes().all(|byte| byte.is_ascii_digit())
                && number.len() > 3
                && place.plain.contains(number)
    }

    fn post(&mut self, item: &Xml, name: &str, file: &str, place: &Haystack, reason: Option<&str>) {
        let day = item.get("wp:post_date").get(..10).unwrap_or_default();
        if !day.starts_with("0000") && !place.plain.contains(day) {
            self.lose(name, file, "date", day.to_owned(), reason);
        }
        let status = item.get("wp:status");
        let is_marked = match status {
            "future" => place.plain.contains("\npublish_at:"),
            "draft" | "pending" | "private" => place.plain.contains("\ndraft: true"),
            _ => true,
        };
        if !is_marked {
            self.lose(name, file, "status", status.to_owned(), reason);
        }
        let login = item.get("dc:creator");
        let author = place
            .plain
            .lines()
            .find_map(|line| line.strip_prefix("author: "))
            .unwrap_or_default()
            .trim_matches(['"', '\'']);
        let text = fs_err::read_to_string(self.root.join(format!("content/authors/{author}.yaml")))
            .unwrap_or_default();
        let known = self.names.get(login).filter(|name| !name.is_empty());
        // A login name may be an address, which stays in WordPress.
        let shown = known
            .map_or(login.split('@').next().unwrap_or_default(), String::as_str)
            .to_owned();
        self.words(name, file, "author", &shown, &Haystack::of(text), reason);
    }

    fn field(
        &mut self,
        field: &Xml,
        name: &str,
        file: &str,
        place: &Haystack,
        internal: &mut BTreeMap<String, usize>,
        reason: Option<&str>,
    ) {
        let (key, value) = (field.get("wp:meta_key"), field.get("wp:meta_value"));
        let is_reported = place.plain.contains(&format!("\n{key}: "));
        match key {
            "_wp_old_slug" if self.redirects.contains(value) || Slug::of(value).is_none() => {}
            "_thumbnail_id" => {
                let media = value
                    .parse::<u64>()
                    .ok()
                    .and_then(|number| self.media.get(&number));
                let is_there = media.map_or(place.plain.contains("featured image"), |address| {
                    place.folded.contains(&stem(address))
                });
                if value.parse::<u64>().is_ok_and(|number| number > 0) && !is_there {
                    self.lose(
                        name,
                        file,
                        "featured image",
                        media.cloned().unwrap_or_default(),
                        reason,
                    );
                }
            }
            "footnotes" => {
                let notes: Vec<serde_json::Value> = serde_json::from_str(value).unwrap_or_default();
                for note in notes {
                    self.words(
                        name,
                        file,
                        "footnote",
                        note["content"].as_str().unwrap_or_default(),
                        place,
                        reason,
                    );
                }
            }
            "enclosure" => {
                self.counted.enclosures += 1;
                let address = value.lines().next().unwrap_or_default();
                let last = bare(address)
                    .rsplit('/')
                    .next()
                    .unwrap_or_default()
                    .to_lowercase();
                if !place.folded.contains(&last) {
                    self.lose(name, file, "enclosure", address.to_owned(), reason);
                }
            }
            _ if key.starts_with("_wpml_") => {}
            _ if self.report.internal_fields.contains_key(key) => {
                *internal.entry(key.to_owned()).or_default() += 1;
            }
            _ => {
                let end = (0..=value.len().min(LONGEST))
                    .rev()
                    .find(|at| value.is_char_boundary(*at));
                let value = &value[..end.unwrap_or_default()];
                let parts = words::parts(value, true);
                let missing = place.missing(&parts.text);
                // A number is likely somewhere in the text, too.
                let is_told = is_reported
                    || value.len() > 3
                    || place.plain.contains(&format!("\nexcerpt: {value}"));
                if !is_told || !missing.is_empty() {
                    self.lose(
                        name,
                        file,
                        "field",
                        format!("{key}: {}", missing.join(" ")),
                        reason,
                    );
                }
            }
        }
    }

    fn attachment(&mut self, item: &Xml, name: &str) {
        let address = self.media.get(&number(item)).cloned().unwrap_or_default();
        let is_saved = self
            .report
            .evidence
            .saved
            .contains_key(&super::comparable(&address));
        if !is_saved && !self.report.unused_files.contains(&address) {
            self.lose(name, "", "file", address.clone(), None);
        }
        let about = Haystack::of(self.report.about.get(&address).cloned().unwrap_or_default());
        for part in ["content:encoded", "excerpt:encoded"] {
            self.words(name, "", "text of a file", item.get(part), &about, None);
        }
    }

    fn author(&mut self, author: &Xml) {
        self.counted.authors += 1;
        let name = author.get("wp:author_display_name");
        let mut text = all_text(&self.root.join("content/authors"), "yaml");
        text.extend(
            self.report
                .authors_without_posts
                .iter()
                .flat_map(|name| ["\n", name]),
        );
        self.words(
            "the site",
            "content/authors",
            "author",
            name,
            &Haystack::of(text),
            None,
        );
    }

    fn term(&mut self, term: &Xml) {
        self.counted.terms += 1;
        if term
            .children
            .iter()
            .any(|part| NO_CATEGORY.contains(&part.text.trim()))
        {
            return;
        }
        let names =
            ["wp:cat_name", "wp:tag_name", "wp:term_name"].map(|key| term.get(key).to_owned());
        let texts = [
            "wp:category_description",
            "wp:tag_description",
            "wp:term_description",
        ]
        .map(|key| term.get(key).to_owned());
        let tags = self
            .files
            .values()
            .filter_map(|(file, _)| fs_err::read_to_string(self.root.join(file)).ok());
        let tags = tags.filter_map(|text| {
            text.lines()
                .find(|line| line.starts_with("tags: "))
                .map(str::to_owned)
        });
        let tags: String = tags.collect::<Vec<_>>().join("\n") + "\n" + &values(&self.report.about);
        let place = Haystack::of(tags);
        for text in names.iter().chain(&texts) {
            self.words("the site", "", "tag or category", text, &place, None);
        }
    }
}
