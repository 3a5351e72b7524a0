//! The front matter of Markdown files, posts and entries: where it is, and front matter as other programs write it, whose keys and
//! format are named.

use std::ops::Range;

use diagnostics::problem::{Code, Problem, Problems, Source, Span};
use schema::Block;
use workspace::kinds::Kind;

/// Splits a Markdown file into the byte ranges of front matter and body, without the lines `---`.
///
/// # Errors
/// The file does not begin with front matter, or it is not closed.
pub fn split(source: &Source) -> Result<(Range<usize>, Range<usize>), Problem> {
    let text = &source.text;
    let begins = text
        .lines()
        .next()
        .is_some_and(|line| line.trim_end() == "---");
    let start = text.find('\n').map_or(text.len(), |at| at + 1);
    if !begins && let Some(problem) = of_others(source) {
        return Err(problem);
    }
    if !begins {
        let (message, hint) = if Kind::Post.has(&source.path) || source.path.contains("://") {
            (
                "a post must begin with front matter: its title, date and author between two `---` lines",
                "write `---`, `title: …`, `date: 2025-03-31`, `author: …` and `---`, each on its own line",
            )
        } else {
            (
                "a Markdown entry must begin with front matter: its fields between two `---` lines",
                "write `---`, a `field: …` line for each field of its schema, and `---`, each on its own line",
            )
        };
        return Err(Problem::error(Code::MissingKey, message)
            .at(source.place(Span::new(0, start)))
            .hint(hint));
    }
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Ok((start..at, at + line.len()..text.len()));
        }
        at += line.len();
    }
    Err(
        Problem::error(Code::YamlSyntax, "the front matter is never closed")
            .at(source.place(Span::new(0, 3)))
            .hint("write a `---` line between the keys and the text"),
    )
}

/// Keys of other programs, and those of posts that mean the same, which entries may have, too.
const COUNTERPARTS: &[(&str, &str)] = &[
    ("abstract", "excerpt"),
    ("authors", "author"),
    ("banner", "image"),
    ("categories", "tags"),
    ("category", "tags"),
    ("cover", "image"),
    ("created", "date"),
    ("date_published", "date"),
    ("description", "excerpt"),
    ("expiryDate", "expires_at"),
    ("featured_image", "image"),
    ("featuredImage", "image"),
    ("heroImage", "image"),
    ("keywords", "tags"),
    ("last_modified_at", "modified"),
    ("lastmod", "modified"),
    ("ogImage", "image"),
    ("pubDate", "date"),
    ("pubDatetime", "date"),
    ("publishDate", "publish_at"),
    ("subtitle", "excerpt"),
    ("summary", "excerpt"),
    ("teaser", "excerpt"),
    ("thumbnail", "image"),
    ("topics", "tags"),
    ("translationKey", "key"),
    ("unlisted", "draft"),
    ("unpublishdate", "expires_at"),
    ("updated", "modified"),
    ("updatedDate", "modified"),
];

/// Keys of other programs for what a post has in another way.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (
        &["slug", "url", "permalink"],
        "remove it: the URL comes from the file name, so rename the file to change the URL",
    ),
    (
        &["aliases", "redirect_from", "redirect_to"],
        "remove it, and add the old URLs to `content/redirects/`: `- {from: /old/, to: /blog/new/}`",
    ),
    (
        &["layout", "type", "template", "view"],
        "remove it: all posts use the same layout, `templates/components/article/`",
    ),
    (
        &["published"],
        "remove it, or write `draft: true` for a post that is not published",
    ),
    (
        &["toc", "math", "comments", "weight", "pin", "order"],
        "remove it: posts do not support it",
    ),
    (
        &["lang", "language", "locale"],
        "remove it: the folder, `content/blog/<locale>/`, sets the language",
    ),
];

/// The problems of front matter, with the field that there is in the hint of a key that is unknown. The editor offers the key
/// as a fix.
pub(super) fn with_counterparts(problems: &Problems, fields: &Block) -> Problems {
    let mut told = Problems::new();
    for problem in problems {
        let key = problem
            .message
            .strip_prefix("unknown key `")
            .and_then(|rest| rest.strip_suffix('`'));
        let path = problem.place.as_ref().map_or("", |place| &place.path);
        let hint = key
            .filter(|_| problem.code == Code::UnknownKey && path.ends_with(".md"))
            .and_then(|key| hint(key, fields, Kind::Post.has(path)));
        told.push(problem.clone().maybe_hint(hint));
    }
    told
}

fn hint(key: &str, fields: &Block, is_of_post: bool) -> Option<String> {
    let counterpart = COUNTERPARTS
        .iter()
        .find(|(other, known)| other.eq_ignore_ascii_case(key) && fields.field(known).is_some());
    let elsewhere = || {
        ELSEWHERE
            .iter()
            .find(|(others, _)| others.contains(&key))
            .map(|(_, hint)| (*hint).to_owned())
    };
    counterpart
        .map(|(_, known)| format!("did you mean `{known}`?"))
        .or_else(|| elsewhere().filter(|_| is_of_post))
}

/// The problem of front matter in another format, by the first line of a file.
fn of_others(source: &Source) -> Option<Problem> {
    let line = source.text.lines().next()?.trim_end();
    let (format, hint) = if line == "+++" {
        (
            "TOML",
            "replace both `+++` lines with `---`, and write `title: A plan` instead of `title = \"A plan\"`",
        )
    } else if line.starts_with('{') {
        (
            "JSON",
            "write it between two `---` lines, as `title: A plan`, without braces or commas",
        )
    } else {
        return None;
    };
    let problem = Problem::error(
        Code::YamlSyntax,
        format!("the front matter is {format}, but it must be YAML"),
    );
    Some(
        problem
            .at(source.place(Span::new(0, line.len())))
            .hint(hint),
    )
}
