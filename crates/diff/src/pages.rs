//! Compares two versions of a page.

use std::collections::{BTreeMap, BTreeSet};

use super::document::{AssetKind, Document, plain, without_hash};
use super::folder::OutputFolder;
use super::{Change, Subject};
use diagnostics::differences::{DiffOp, differences};
use diagnostics::problem::Problem;

/// A difference of weight below this many bytes is not reported.
const LEAST_WEIGHT: u64 = 1000;
/// Names of the head that repeat others: they are reported if the others do not differ.
const REPEATED: [(&str, &str); 4] = [
    ("og:title", "title"),
    ("og:image:alt", "title"),
    ("og:description", "description"),
    ("og:url", "canonical"),
];

/// Finds the differences. `lengths` are those of the two files, `old` and `new` the outputs that they are in.
pub(super) fn changes(
    was: &Document,
    is: &Document,
    lengths: (u64, u64),
    old: &OutputFolder,
    new: &OutputFolder,
) -> Vec<Change> {
    let mut changes = Vec::new();
    head(was, is, &mut changes);
    blocks(was, is, &mut changes);
    links(was, is, &mut changes);
    maps(Subject::Picture, &was.pictures, &is.pictures, &mut changes);
    data(was, is, &mut changes);
    weights(was, is, lengths, old, new, &mut changes);
    changes.sort_by_key(|change| change.subject);
    changes
}

/// The importance of a change: that of its subject, and the number of words that it concerns.
pub(super) fn importance(change: &Change) -> usize {
    match change.subject {
        Subject::Words => {
            word_count(change.old.as_deref()).abs_diff(word_count(change.new.as_deref()))
                + Subject::Words.importance()
        }
        other => other.importance(),
    }
}

/// The number of words of a text.
fn word_count(text: Option<&str>) -> usize {
    text.map_or(0, |text| text.split(' ').count())
}

/// Whether the files differ in more than names of assets.
pub(super) fn differs_in_markup(
    old: &OutputFolder,
    new: &OutputFolder,
    name: &str,
) -> Result<bool, Problem> {
    Ok(plain(&old.text(name)?) != plain(&new.text(name)?))
}

/// The change of a page whose markup differs, and nothing that is compared.
pub(super) fn markup(old: u64, new: u64) -> Change {
    let [old, new] = [old, new].map(|length| Some(format!("{length} bytes")));
    Change {
        subject: Subject::Markup,
        name: "HTML".into(),
        old,
        new,
    }
}

fn head(was: &Document, is: &Document, changes: &mut Vec<Change>) {
    let mut names: BTreeSet<&str> = was
        .head
        .keys()
        .chain(is.head.keys())
        .map(String::as_str)
        .collect();
    names.retain(|name| was.head.get(*name) != is.head.get(*name));
    for &name in &names {
        if REPEATED
            .iter()
            .any(|(repeated, of)| *repeated == name && names.contains(of))
        {
            continue;
        }
        let subject = match name.split([' ', ':']).next() {
            Some("hreflang") => Subject::Hreflang,
            Some("og" | "twitter") => Subject::Sharing,
            _ => Subject::Head,
        };
        let (old, new) = (was.head.get(name).cloned(), is.head.get(name).cloned());
        let name = name.strip_prefix("hreflang ").unwrap_or(name).to_owned();
        changes.push(Change {
            subject,
            name,
            old,
            new,
        });
    }
}

/// Words and headings.
fn blocks(was: &Document, is: &Document, changes: &mut Vec<Change>) {
    if was.blocks == is.blocks && was.headings == is.headings {
        return;
    }
    if was.blocks != is.blocks && sorted(&was.blocks) == sorted(&is.blocks) {
        let first = was
            .blocks
            .iter()
            .zip(&is.blocks)
            .find(|(was, is)| was != is);
        let (old, new) = first.map_or((None, None), |(was, is)| {
            (Some(short(was)), Some(short(is)))
        });
        changes.push(Change {
            subject: Subject::Order,
            name: "the first text that moved".into(),
            old,
            new,
        });
        return;
    }
    let headings: BTreeSet<&str> = was
        .headings
        .iter()
        .chain(&is.headings)
        .filter_map(|heading| heading.get(3..))
        .collect();
    sequences(
        Subject::Heading,
        &was.headings,
        &is.headings,
        changes,
        &|_| false,
    );
    // Texts of headings were compared with their levels.
    sequences(Subject::Words, &was.blocks, &is.blocks, changes, &|text| {
        headings.contains(text)
    });
}

/// Blocks in the order of their texts.
fn sorted(blocks: &[String]) -> Vec<String> {
    let mut sorted = blocks.to_vec();
    sorted.sort_unstable();
    sorted
}

/// The items that differ, those in the same place as pairs.
fn sequences(
    subject: Subject,
    was: &[String],
    is: &[String],
    changes: &mut Vec<Change>,
    is_skipped: &dyn Fn(&str) -> bool,
) {
    for op in differences(was, is) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, new) = (&was[op.old_range()], &is[op.new_range()]);
        for at in 0..old.len().max(new.len()) {
            let [old, new] = [old.get(at), new.get(at)]
                .map(|text| text.filter(|text| !is_skipped(text)).cloned());
            if old.is_some() || new.is_some() {
                changes.push(Change {
                    subject,
                    name: String::new(),
                    old,
                    new,
                });
            }
        }
    }
}

/// Links that lead elsewhere, are new or gone. One that has another text has other words.
fn links(was: &Document, is: &Document, changes: &mut Vec<Change>) {
    let (gone, fresh): (Vec<_>, Vec<_>) = (
        was.links.difference(&is.links).collect(),
        is.links.difference(&was.links).collect(),
    );
    for (links, others, is_gone) in [(&gone, &fresh, true), (&fresh, &gone, false)] {
        for (href, text) in links
            .iter()
            .filter(|(href, _)| others.iter().all(|(other, _)| other != href))
        {
            let text = Some(text.clone());
            let (old, new) = if is_gone { (text, None) } else { (None, text) };
            changes.push(Change {
                subject: Subject::Link,
                name: href.clone(),
                old,
                new,
            });
        }
    }
}

fn maps(
    subject: Subject,
    was: &BTreeMap<String, String>,
    is: &BTreeMap<String, String>,
    changes: &mut Vec<Change>,
) {
    for name in was.keys().chain(is.keys()).collect::<BTreeSet<_>>() {
        let (old, new) = (was.get(name), is.get(name));
        if old != new {
            changes.push(Change {
                subject,
                name: name.clone(),
                old: old.cloned(),
                new: new.cloned(),
            });
        }
    }
}

/// Values of structured data, without those that repeat the title, the description or an address of the page.
fn data(was: &Document, is: &Document, changes: &mut Vec<Change>) {
    let mut found = Vec::new();
    maps(Subject::Data, &was.data, &is.data, &mut found);
    changes.extend(found.into_iter().filter(|change| {
        !["title", "description", "canonical"].iter().any(|name| {
            let (old, new) = (head_value(was, name), head_value(is, name));
            old != new && change.old.is_some() && change.old == old && change.new == new
        })
    }));
}

/// The value of a name in the head of a page.
fn head_value(page: &Document, name: &str) -> Option<String> {
    page.head.get(name).cloned()
}

/// The bytes that the page loads, by kind of file.
fn weights(
    was: &Document,
    is: &Document,
    lengths: (u64, u64),
    old: &OutputFolder,
    new: &OutputFolder,
    changes: &mut Vec<Change>,
) {
    let assets = [
        AssetKind::Styles,
        AssetKind::Scripts,
        AssetKind::Fonts,
        AssetKind::Pictures,
    ]
    .map(|kind| (kind.name(), weight(was, old, kind), weight(is, new, kind)));
    for (name, was, is) in [("HTML", lengths.0, lengths.1)].into_iter().chain(assets) {
        if was.abs_diff(is) >= LEAST_WEIGHT {
            let (old, new) = (Some(kilobytes(was)), Some(kilobytes(is)));
            changes.push(Change {
                subject: Subject::Weight,
                name: name.to_owned(),
                old,
                new,
            });
        }
    }
}

fn weight(page: &Document, folder: &OutputFolder, kind: AssetKind) -> u64 {
    page.assets
        .get(&kind)
        .into_iter()
        .flatten()
        .map(|address| {
            // Addresses begin with the path of `base_url`, names of files do not.
            let name = address
                .rfind("_assets/")
                .map_or(address.trim_start_matches('/'), |at| &address[at..]);
            folder.files.get(name).map_or(0, |file| file.length)
        })
        .sum()
}

/// `12345` → `12.3 kB`.
pub(super) fn kilobytes(bytes: u64) -> String {
    if bytes < 1000 {
        format!("{bytes} bytes")
    } else {
        format!("{}.{} kB", bytes / 1000, bytes % 1000 / 100)
    }
}

/// The first words of a text.
pub(super) fn short(text: &str) -> String {
    const LENGTH: usize = 80;
    match text.char_indices().nth(LENGTH) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

/// The name of an asset without its hash, from the path of its file.
pub(super) fn asset_name(path: &str) -> Option<String> {
    path.strip_prefix("_assets/").map(without_hash)
}
