//! A comparison as text for a terminal, and as Markdown for a pull request.

use std::fmt::Write as _;

use super::pages::{kilobytes, short};
use super::{Change, Comparison, PageChange, Subject};
use api_types::html::escape;
use diagnostics::differences::{DiffOp, differences};

/// Words around a difference.
const CONTEXT: usize = 4;
/// The maximum number of lines of a page, and of entries of a list.
const MAX_LINES: usize = 40;
/// Room for the last line of Markdown, which says what is left out.
const LAST_LINE: usize = 200;

/// A heading with its lines.
struct Section {
    heading: String,
    lines: Vec<String>,
}

/// The comparison as text for a terminal.
pub fn text(comparison: &Comparison) -> String {
    let mut text = summary(comparison) + "\n";
    for Section { heading, lines } in sections(comparison) {
        let _ = write!(text, "\n{heading}\n");
        lines.iter().for_each(|line| {
            let _ = writeln!(text, "  {line}");
        });
    }
    for page in &comparison.changed {
        let _ = write!(text, "\n{}  {}\n", page.address, page.title);
        for line in limited(page.changes.iter().map(line)) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

/// The comparison as Markdown of at most `limit` characters, the most changed pages first.
pub fn markdown(comparison: &Comparison, limit: usize) -> String {
    let mut text = format!("**{}**\n", summary(comparison));
    let mut length = text.chars().count();
    let room = limit.saturating_sub(LAST_LINE);
    let mut left_out = 0;
    let sections = sections(comparison).into_iter();
    let sections = sections
        .map(|Section { heading, lines }| format!("\n#### {heading}\n\n{}", fenced(&lines)));
    let pages = comparison.changed.iter().map(|page| {
        let lines = limited(page.changes.iter().map(line));
        let summary = format!(
            "<code>{}</code> {}",
            escape(&page.address),
            escape(&subjects(page))
        );
        format!(
            "\n<details><summary>{summary}</summary>\n\n{}\n</details>\n",
            fenced(&lines)
        )
    });
    for part in sections.chain(pages) {
        let own = part.chars().count();
        if left_out == 0 && length + own <= room {
            text.push_str(&part);
            length += own;
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        let _ = write!(
            text,
            "\n{left_out} more parts were left out. `sitegen diff OLD NEW` shows all of them.\n"
        );
    }
    text.chars().take(limit).collect()
}

/// Lines that Markdown does not change, whatever is in them.
fn fenced(lines: &[String]) -> String {
    let all = lines.join("\n");
    let mut fence = "```".to_owned();
    while all.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}text\n{all}\n{fence}\n")
}

/// One line that counts everything.
fn summary(comparison: &Comparison) -> String {
    let Comparison {
        added,
        removed,
        moved,
        lost_redirects,
        redirects,
        shared,
        changed,
        lists,
        files,
        assets,
        ..
    } = comparison;
    if comparison.is_same() {
        return match comparison.same_but_assets {
            0 => "No differences".to_owned(),
            count => format!(
                "No differences except asset names on {}",
                number(count, "page")
            ),
        };
    }
    let unredirected = moved.iter().filter(|page| !page.is_redirected).count();
    let base_url = usize::from(comparison.base_url.is_some());
    let parts = [
        (base_url, "different base_url", ""),
        (changed.len(), "page changed", "pages changed"),
        (
            shared.len(),
            "change on many pages",
            "changes on many pages",
        ),
        (added.len(), "page added", "pages added"),
        (removed.len(), "page removed", "pages removed"),
        (
            unredirected,
            "page moved without a redirect",
            "pages moved without a redirect",
        ),
        (moved.len() - unredirected, "page moved", "pages moved"),
        (lost_redirects.len(), "redirect lost", "redirects lost"),
        (redirects.len(), "redirect changed", "redirects changed"),
        (
            lists.len(),
            "sitemap or feed changed",
            "sitemaps or feeds changed",
        ),
        (files.len(), "other file changed", "other files changed"),
        (assets.len(), "asset changed", "assets changed"),
    ];
    let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
    parts
        .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
        .collect::<Vec<_>>()
        .join(", ")
}

fn number(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Everything but the pages with changes of their own.
fn sections(comparison: &Comparison) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut push = |heading: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            sections.push(Section {
                heading: heading.to_owned(),
                lines: limited(lines.into_iter()),
            });
        }
    };
    if let Some((was, is)) = &comparison.base_url {
        push("base_url", vec![format!("{was}/ → {is}/")]);
    }
    let lost_moves = comparison.moved.iter().filter(|page| !page.is_redirected);
    let moves = comparison.moved.iter().filter(|page| page.is_redirected);
    push(
        "URLs that no longer work",
        lost_moves
            .map(|page| format!("{} moved to {} without a redirect", page.from, page.to))
            .chain(
                comparison
                    .removed
                    .iter()
                    .map(|page| format!("{} was removed: {}", page.address, page.title)),
            )
            .chain(
                comparison
                    .lost_redirects
                    .iter()
                    .map(|lost| format!("{} redirected to {}", lost.from, lost.to)),
            )
            .collect(),
    );
    push(
        "Moved pages",
        moves
            .map(|page| format!("{} → {}", page.from, page.to))
            .collect(),
    );
    push(
        "Added pages",
        comparison
            .added
            .iter()
            .map(|page| format!("{}  {}", page.address, page.title))
            .collect(),
    );
    push(
        "Redirects",
        comparison
            .redirects
            .iter()
            .map(|redirect| format!("{} → {}", redirect.from, redirect.to))
            .collect(),
    );
    for shared in &comparison.shared {
        let more = if shared.pages > shared.examples.len() {
            ", …"
        } else {
            ""
        };
        let heading = format!("On {}", number(shared.pages, "page"));
        push(
            &heading,
            vec![
                line(&shared.change),
                format!("{}{more}", shared.examples.join(", ")),
            ],
        );
    }
    for list in &comparison.lists {
        let signed = [
            ('-', &list.removed),
            ('+', &list.added),
            ('~', &list.changed),
        ]
        .into_iter();
        let lines = signed.flat_map(|(sign, addresses)| {
            addresses
                .iter()
                .map(move |address| format!("{sign} {address}"))
        });
        push(&list.file, lines.collect());
    }
    for file in &comparison.files {
        let lines = match file.lines.as_slice() {
            [] => vec![format!("{} → {}", length_of(file.old), length_of(file.new))],
            lines => lines.to_vec(),
        };
        push(&file.file, lines);
    }
    push(
        "Assets",
        comparison
            .assets
            .iter()
            .map(|asset| match (asset.old, asset.new) {
                (0, new) => format!("+ {}  {}", asset.name, kilobytes(new)),
                (old, 0) => format!("- {}  {}", asset.name, kilobytes(old)),
                (old, new) if old == new => format!("~ {}  {}", asset.name, kilobytes(new)),
                (old, new) => format!("~ {}  {} → {}", asset.name, kilobytes(old), kilobytes(new)),
            })
            .collect(),
    );
    sections
}

/// The length of a file, or `none` if there is no file.
fn length_of(length: Option<u64>) -> String {
    length.map_or("none".to_owned(), kilobytes)
}

/// The first lines, and how many there are more.
fn limited(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = lines.collect();
    if lines.len() > MAX_LINES {
        let more = lines.len() - MAX_LINES;
        lines.truncate(MAX_LINES);
        lines.push(format!("… and {more} more"));
    }
    lines
}

/// The subjects of the changes of a page: `title, 3 texts, 1 link`.
fn subjects(page: &PageChange) -> String {
    let mut parts: Vec<String> = page
        .changes
        .iter()
        .filter(|change| change.subject == Subject::Head)
        .map(|change| change.name.clone())
        .collect();
    for (subject, noun) in [
        (Subject::Hreflang, "alternate"),
        (Subject::Sharing, "sharing value"),
        (Subject::Heading, "heading"),
        (Subject::Words, "text"),
        (Subject::Order, "different order"),
        (Subject::Link, "link"),
        (Subject::Picture, "image"),
        (Subject::Data, "structured value"),
        (Subject::Weight, "weight"),
        (Subject::Markup, "markup change"),
    ] {
        let count = page
            .changes
            .iter()
            .filter(|change| change.subject == subject)
            .count();
        if count > 0 {
            parts.push(number(count, noun));
        }
    }
    parts.join(", ")
}

/// The difference between two texts, word by word.
fn words(change: &Change) -> String {
    match (&change.old, &change.new) {
        (Some(old), Some(new)) => word_diff(old, new),
        (Some(old), None) => format!("[-{}-]", short(old)),
        (None, Some(new)) => format!("{{+{}+}}", short(new)),
        (None, None) => String::new(),
    }
}

/// Both values.
fn both(change: &Change) -> String {
    match (&change.old, &change.new) {
        (Some(old), Some(new)) => format!("{} → {}", short(old), short(new)),
        (Some(old), None) => format!("- {}", short(old)),
        (None, Some(new)) => format!("+ {}", short(new)),
        (None, None) => String::new(),
    }
}

/// A change as one line.
fn line(change: &Change) -> String {
    let Change {
        subject,
        name,
        old,
        new,
    } = change;
    match subject {
        Subject::Head if matches!(name.as_str(), "title" | "description") => {
            format!("{name}: {}", words(change))
        }
        Subject::Head | Subject::Sharing => format!("{name}: {}", both(change)),
        Subject::Hreflang => format!("hreflang {name}: {}", both(change)),
        Subject::Heading => format!("heading: {}", words(change)),
        Subject::Words => format!("text: {}", words(change)),
        Subject::Order => {
            let (old, new) = (
                old.as_deref().unwrap_or_default(),
                new.as_deref().unwrap_or_default(),
            );
            format!("order: “{new}” is now where “{old}” was")
        }
        Subject::Link | Subject::Picture => match (old, new) {
            (Some(_), Some(_)) => format!("image {name}: alt {}", words(change)),
            (old, new) => {
                let sign = if old.is_some() { '-' } else { '+' };
                let text = old
                    .as_ref()
                    .or(new.as_ref())
                    .filter(|text| !text.is_empty());
                let text = text
                    .map(|text| format!(" ({})", short(text)))
                    .unwrap_or_default();
                format!(
                    "{}: {sign} {name}{text}",
                    if *subject == Subject::Link {
                        "link"
                    } else {
                        "image"
                    }
                )
            }
        },
        Subject::Data => format!("data {name}: {}", both(change)),
        Subject::Weight => format!("weight of {name}: {}", both(change)),
        Subject::Markup => format!("markup: {}", both(change)),
    }
}

/// The words that differ, with a few around them: `… for [-three-]{+four+} years …`.
fn word_diff(old: &str, new: &str) -> String {
    let (was, is): (Vec<&str>, Vec<&str>) = (old.split(' ').collect(), new.split(' ').collect());
    let ops = differences(&was, &is);
    let mut parts: Vec<String> = Vec::new();
    let last = ops.len().saturating_sub(1);
    for (at, op) in ops.iter().enumerate() {
        let (removed, added) = (was[op.old_range()].join(" "), is[op.new_range()].join(" "));
        match op {
            DiffOp::Equal { .. } => {
                let words = &was[op.old_range()];
                let (before, after) = (
                    if at == 0 { 0 } else { CONTEXT },
                    if at == last { 0 } else { CONTEXT },
                );
                if words.len() <= before + after {
                    parts.push(removed);
                } else {
                    parts.extend((before > 0).then(|| words[..before].join(" ")));
                    parts.push("…".to_owned());
                    parts.extend((after > 0).then(|| words[words.len() - after..].join(" ")));
                }
            }
            DiffOp::Delete { .. } => parts.push(format!("[-{}-]", short(&removed))),
            DiffOp::Insert { .. } => parts.push(format!("{{+{}+}}", short(&added))),
            DiffOp::Replace { .. } => {
                parts.push(format!("[-{}-]{{+{}+}}", short(&removed), short(&added)));
            }
        }
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_differ_are_shown_with_some_around_them() {
        for (old, new, expect) in [
            ("a b c", "a x c", "a [-b-]{+x+} c"),
            ("a b", "a b c", "a b {+c+}"),
            (
                "one two three four five six seven",
                "one two three four five six eight",
                "… three four five six [-seven-]{+eight+}",
            ),
            (
                "x 1 2 3 4 5 6 7 8 9 y",
                "z 1 2 3 4 5 6 7 8 9",
                "[-x-]{+z+} 1 2 3 4 … 6 7 8 9 [-y-]",
            ),
        ] {
            assert_eq!(word_diff(old, new), expect);
        }
    }

    #[test]
    fn markdown_has_a_limit_and_cannot_be_broken() {
        let comparison = Comparison {
            changed: (0..5000)
                .map(|at| PageChange {
                    address: format!("/{at}/"),
                    title: String::new(),
                    changes: vec![Change {
                        subject: Subject::Words,
                        name: String::new(),
                        old: Some(format!("```` <b>{at}")),
                        new: Some("</details>".into()),
                    }],
                })
                .collect(),
            ..Comparison::default()
        };
        let text = markdown(&comparison, 10_000);
        assert!(
            text.chars().count() <= 10_000 && text.chars().count() > 9_000,
            "{}",
            text.len()
        );
        assert!(
            text.starts_with("**5000 pages changed**") && text.contains("more parts were left out"),
            "{text}"
        );
        assert!(
            text.contains("`````text"),
            "a fence that its content does not close"
        );
    }
}
