//! Files of `static/` that a post, a page or an entry links to while it is not public: these files have no dates and are
//! published by each build, so whoever opens or guesses the address of one reads it before the day.

use std::borrow::Cow;
use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};
use percent_encoding::percent_decode_str;

use config::Config;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};
use diagnostics::yaml;
use schema::types::composed;

use super::Content;

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
    if sources.is_empty() && sections.is_empty() {
        return problems;
    }
    let files: HashSet<&str> = content
        .static_files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    let public = |file: &str, place: Place| {
        let message = format!("`static/{file}` is public, but this text is not");
        Problem::warning(Code::BadLink, message)
            .at(place)
            .hint("remove the file and the link to it until the text is public")
    };
    for source in sources {
        let mut seen = HashSet::new();
        // A field can name a file without a folder; in the text of Markdown, such a name is no link.
        let fields = if source.path.ends_with(".md") {
            front_matter_end(&source.text)
        } else {
            source.text.len()
        };
        let words = words(&source.text).filter(|(span, word)| {
            word.contains('/') || (span.start as usize) < fields && word.contains('.')
        });
        for (span, written) in words {
            if let Some(file) = file_of(config, written, &files)
                && seen.insert(file.clone())
            {
                problems.push(public(&file, source.place(span)));
            }
        }
    }
    for (source, fields) in sections {
        let mut seen = HashSet::new();
        for (_, written) in words(&fields).filter(|(_, word)| word.contains('/')) {
            if let Some(file) = file_of(config, written, &files)
                && seen.insert(file.clone())
            {
                problems.push(public(
                    &file,
                    yaml::place_of_text(source, &["sections"], written),
                ));
            }
        }
    }
    problems
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

/// The parts of a text that may be addresses.
fn words(text: &str) -> impl Iterator<Item = (Span, &str)> {
    let mut next = 0;
    text.split_inclusive(is_between).map(move |part| {
        let (start, word) = (next, part.trim_end_matches(is_between));
        next += part.len();
        (Span::new(start, start + word.len()), word)
    })
}

/// Whether no address has this character.
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

/// The file that an address leads to, below `static/`.
fn file_of(config: &Config, written: &str, files: &HashSet<&str>) -> Option<String> {
    let path = written.split(['#', '?']).next().unwrap_or_default();
    // A full stop behind an address ends the sentence.
    let path = path.trim_end_matches(['.', ':', '!']);
    let host = |url: &str| Some(url.split_once("://")?.1.to_ascii_lowercase());
    let base = host(config.site.base_url.value.trim_end_matches('/')).unwrap_or_default();
    let is_own = host(path).is_some_and(|written| written.starts_with(&base));
    let own = match path.find("://").filter(|_| is_own) {
        Some(scheme) => &path[scheme + "://".len() + base.len()..],
        None => path,
    };
    let own = own.replace("/./", "/");
    let own = own.trim_start_matches("./").trim_start_matches('/');
    let decoded: Cow<str> = percent_decode_str(own).decode_utf8().ok()?;
    let path = composed(&*decoded).into_owned();
    let path = path
        .strip_prefix("static/")
        .map_or_else(|| path.clone(), str::to_owned);
    files.contains(path.as_str()).then_some(path)
}
