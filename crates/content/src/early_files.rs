//! Files of `static/` that a post, a page or an entry links to while it is not public: these files have no dates and are
//! published by each build, so whoever opens or guesses the address of one reads it before the day.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};
use percent_encoding::percent_decode_str;
use reqwest::Url;

use config::Config;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};
use diagnostics::yaml;
use schema::types::composed;

use super::Content;
use decoded::Decoded;

mod decoded;

/// The most bytes of the folder of a URL: a longer one is data without spaces.
const FOLDER_MAX: usize = 1024;

/// Warns of each such file, once for each text.
pub(super) fn check(config: &Config, content: &Content) -> Problems {
    let mut problems = Problems::new();
    let sources = not_public(config, content);
    let sections: Vec<(&Arc<Source>, String)> = content
        .page_files()
        .flat_map(|page| page.hidden.iter().map(move |(hidden, _)| (page, hidden)))
        .filter(|(page, hidden)| page.is_written && hidden.lent.is_none())
        .map(|(page, hidden)| (&page.source, hidden.fields.to_string()))
        .collect();
    let links = &config.site.hidden_menu_links;
    if sources.is_empty() && sections.is_empty() && links.is_empty() {
        return problems;
    }
    let files = StaticFiles::of(config, content);
    let mut warn = |place: Place, file: &str| {
        let message = format!("`static/{file}` is public, but this text is not");
        let problem = Problem::warning(Code::BadLink, message).at(place);
        problems.push(problem.hint("remove the file and the link to it until the text is public"));
    };
    for source in sources {
        let mut seen = HashSet::new();
        // A field can name a file without a folder; in the text of Markdown, such a name is no link.
        let fields = if source.path.ends_with(".md") {
            front_matter_end(&source.text)
        } else {
            source.text.len()
        };
        for (at, file) in files.named_in(&source.text, fields) {
            if seen.insert(file) {
                warn(source.place(Span::new(at, at + 1)), file);
            }
        }
    }
    for (source, fields) in sections {
        let mut seen = HashSet::new();
        for (at, file) in files.named_in(&fields, 0) {
            if seen.insert(file) {
                let written = fields[at..].split('"').next().unwrap_or_default();
                warn(yaml::place_of_text(source, &["sections"], written), file);
            }
        }
    }
    let settings = &config.site.source;
    for link in links {
        for (_, file) in files.named_in(&link.0.value, 0) {
            warn(settings.place(link.0.span), file);
        }
    }
    problems
}

/// The files of `static/`, to look for their URLs in texts.
struct StaticFiles<'a> {
    /// The paths in their composed form, with the path as it is listed.
    paths: BTreeMap<String, &'a str>,
    /// The bytes of the longest path, twice: a text may write letters and accents apart.
    longest: usize,
    /// The URL of the site, and the hosts of its languages.
    base: Option<Url>,
    hosts: Vec<String>,
}

impl<'a> StaticFiles<'a> {
    fn of(config: &Config, content: &'a Content) -> StaticFiles<'a> {
        let files = || content.static_files.iter().map(|file| file.path.as_str());
        let hosts = config.site.hosts();
        let urls = std::iter::once(hosts.main);
        let urls = urls.chain(hosts.languages.iter().map(|host| host.base_url.as_str()));
        let host = |url: &str| Some(Url::parse(url).ok()?.host_str()?.to_owned());
        let main = format!("{}/", hosts.main.trim_end_matches('/'));
        StaticFiles {
            paths: files()
                .map(|file| (composed(file).into_owned(), file))
                .collect(),
            longest: files().map(str::len).max().unwrap_or_default() * 2,
            hosts: urls.filter_map(host).collect(),
            base: Url::parse(&main).ok(),
        }
    }

    /// The files that a text names, with the offset of the name. Before the offset `fields`, a name needs no folder.
    fn named_in(&self, text: &str, fields: usize) -> Vec<(usize, &'a str)> {
        let text = Decoded::of(text);
        let mut found = Vec::new();
        // The start of what may be a URL.
        let mut start = 0;
        for (at, c) in text.text.char_indices() {
            if is_between(c) {
                start = at + c.len_utf8();
            }
            let is_field = at == start && text.offset(at) < fields;
            let (folder, rest) = if c == '/' {
                (&text.text[start..=at], &text.text[at + 1..])
            } else if is_field && !is_between(c) {
                ("", &text.text[at..])
            } else {
                continue;
            };
            let file = self.folder(folder).and_then(|mut path| {
                path.push_str(&rest[..rest.floor_char_boundary(self.longest)]);
                self.beginning(&composed(path))
            });
            let file = file.filter(|file| c == '/' || file.contains('.'));
            found.extend(file.map(|file| (text.offset(start), file)));
        }
        found
    }

    /// The folder below `static/` that the beginning of a URL leads to; `None` if that is on another site.
    fn folder(&self, written: &str) -> Option<String> {
        let base = self.base.as_ref().filter(|_| written.len() < FOLDER_MAX)?;
        let url = base.join(written).ok()?;
        let is_own = self.hosts.iter().any(|host| url.host_str() == Some(host));
        let path = percent_decode_str(url.path()).decode_utf8().ok()?;
        let below = path
            .strip_prefix(base.path())
            .or_else(|| path.strip_prefix('/'));
        let below = below.filter(|_| is_own)?;
        Some(below.strip_prefix("static/").unwrap_or(below).to_owned())
    }

    /// The file whose path a text begins with; what follows can't belong to the path.
    fn beginning(&self, text: &str) -> Option<&'a str> {
        let mut head = text;
        loop {
            let (path, file) = self.paths.range::<str, _>(upto(head)).next_back()?;
            let same = common(path, head);
            if same == path.len() && is_end(&text[same..]) {
                return Some(file);
            }
            head = &head[..head.floor_char_boundary(same.min(head.len() - 1))];
        }
    }
}

/// A range of texts that ends with this one.
fn upto(text: &str) -> (Bound<&str>, Bound<&str>) {
    (Bound::Unbounded, Bound::Included(text))
}

/// Whether a path can end before this text. A dot belongs to it only if a name follows.
fn is_end(text: &str) -> bool {
    let after = text.trim_start_matches('.');
    let has_dot = after.len() < text.len();
    let is_part = |c: char| c.is_alphanumeric() || !has_dot && matches!(c, '-' | '_' | '/');
    !after.starts_with(is_part)
}

/// The texts of what is not public now: drafts, and what has not begun or has ended.
fn not_public(config: &Config, content: &Content) -> Vec<Arc<Source>> {
    let root = &config.paths.root;
    let posts = content
        .blog
        .unpublished
        .iter()
        .filter(|post| !post.origin.contains("://"));
    let posts = posts.filter_map(|post| root.read_text(&root.join(&post.origin)).ok());
    let entries = content
        .collections
        .list
        .iter()
        .flat_map(|collection| &collection.withdrawn);
    let entries = entries.map(|entry| Arc::clone(&entry.source));
    let pages = content
        .withdrawn_pages
        .iter()
        .chain(&content.withdrawn_sections)
        .filter(|page| page.is_written);
    let mut sources: Vec<Arc<Source>> = posts
        .chain(entries)
        .chain(pages.map(|page| Arc::clone(&page.source)))
        .collect();
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources.dedup_by(|a, b| a.path == b.path);
    sources
}

/// The offset behind the front matter of a Markdown file; 0 if it has none.
fn front_matter_end(text: &str) -> usize {
    let inside = text.strip_prefix("---").unwrap_or_default();
    inside.find("\n---").map_or(0, |end| end + "---".len())
}

/// The length of what two texts begin with.
fn common(a: &str, b: &str) -> usize {
    let pairs = a.chars().zip(b.chars());
    pairs
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum()
}

/// Whether no URL begins before this character and ends behind it.
fn is_between(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\''
                | '('
                | ')'
                | '<'
                | '>'
                | '['
                | ']'
                | '{'
                | '}'
                | '`'
                | ','
                | ';'
                | '|'
                | '='
        )
}
