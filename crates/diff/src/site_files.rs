//! Compares the files that are no pages: sitemaps, feeds, assets, and texts such as `robots.txt`.

use std::collections::{BTreeMap, BTreeSet};

use super::document::{plain, without_hash};
use super::folder::{OutputFolder, is_page};
use super::pages::asset_name;
use super::{AssetChange, Comparison, FileChange, ListChange};
use diagnostics::differences::{DiffOp, differences};
use diagnostics::limits::excess_of_xml;
use diagnostics::problem::Problem;
use text::xml;
use workspace::sources::{Hash, hash};

/// The maximum number of lines of a file that are kept.
const MAX_LINES: usize = 40;

/// The text of a file, or nothing.
fn text(folder: &OutputFolder, name: &str) -> Result<String, Problem> {
    if folder.files.contains_key(name) {
        folder.text(name)
    } else {
        Ok(String::new())
    }
}

pub(super) fn compare(
    old: &OutputFolder,
    new: &OutputFolder,
    differing: &[&str],
    comparison: &mut Comparison,
) -> Result<(), Problem> {
    let names = old
        .files
        .keys()
        .chain(new.files.keys())
        .map(String::as_str)
        .collect::<BTreeSet<_>>();
    let differing: BTreeSet<&str> = differing.iter().copied().collect();
    for name in names
        .into_iter()
        .filter(|name| !is_page(name) && asset_name(name).is_none())
    {
        let (was, is) = (old.files.get(name), new.files.get(name));
        if was.is_some() && is.is_some() && !differing.contains(name) {
            continue;
        }
        let (before, after) = (text(old, name)?, text(new, name)?);
        if let (Some(before), Some(after)) = (entries(name, &before), entries(name, &after)) {
            comparison.lists.extend(list(name, &before, &after));
            continue;
        }
        let (before, after) = (plain(&before), plain(&after));
        if was.is_some() && is.is_some() && before == after {
            continue;
        }
        let is_text = [&before, &after]
            .iter()
            .all(|text| !text.contains(['\0', '\u{fffd}']));
        let lines = if is_text && was.is_some() && is.is_some() {
            lines(&before, &after)
        } else {
            Vec::new()
        };
        let [old, new] = [was, is].map(|info| info.map(|info| info.length));
        comparison.files.push(FileChange {
            file: name.to_owned(),
            old,
            new,
            lines,
        });
    }
    comparison.assets = assets(old, new)?;
    Ok(())
}

/// The addresses in a sitemap, or the entries of a feed by address with all that they say. `None` for other files.
fn entries(name: &str, text: &str) -> Option<BTreeMap<String, String>> {
    let file = name.rsplit('/').next().unwrap_or_default();
    if !file.ends_with(".xml") {
        return None;
    }
    if file.starts_with("sitemap") {
        return Some(
            xml::sitemap_addresses(text)
                .into_iter()
                .map(|address| (address, String::new()))
                .collect(),
        );
    }
    if text.is_empty() {
        return Some(BTreeMap::new());
    }
    let document = Some(text).filter(|text| excess_of_xml(text).is_none())?;
    let document = roxmltree::Document::parse(document).ok()?;
    let kind = document.root_element().tag_name().name();
    let entry = match kind {
        "rss" => "item",
        "feed" => "entry",
        _ => return None,
    };
    let found = document
        .descendants()
        .filter(|node| node.has_tag_name(entry) || node.tag_name().name() == entry);
    let entries = found.filter_map(|node| {
        let link = node
            .children()
            .find(|child| child.tag_name().name() == "link")?;
        let address = link.attribute("href").or_else(|| link.text())?;
        Some((address.to_owned(), plain(&text[node.range()])))
    });
    Some(entries.collect())
}

fn list(
    name: &str,
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Option<ListChange> {
    let [added, removed] = [(after, before), (before, after)].map(|(one, other)| {
        one.keys()
            .filter(|address| !other.contains_key(*address))
            .cloned()
            .collect::<Vec<_>>()
    });
    let changed: Vec<String> = before
        .iter()
        .filter(|(address, text)| after.get(*address).is_some_and(|now| now != *text))
        .map(|(address, _)| address.clone())
        .collect();
    let change = ListChange {
        file: name.to_owned(),
        added,
        removed,
        changed,
    };
    let is_same = change.added.is_empty() && change.removed.is_empty() && change.changed.is_empty();
    (!is_same).then_some(change)
}

fn lines(before: &str, after: &str) -> Vec<String> {
    let (was, is): (Vec<&str>, Vec<&str>) = (
        before.split_inclusive('\n').collect(),
        after.split_inclusive('\n').collect(),
    );
    let mut lines = Vec::new();
    for op in differences(&was, &is)
        .iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
    {
        lines.extend(
            was[op.old_range()]
                .iter()
                .map(|line| format!("- {}", line.trim_end())),
        );
        lines.extend(
            is[op.new_range()]
                .iter()
                .map(|line| format!("+ {}", line.trim_end())),
        );
    }
    if let Some(more) = lines.len().checked_sub(MAX_LINES).filter(|more| *more > 0) {
        lines.truncate(MAX_LINES);
        lines.push(format!("… and {more} more lines"));
    }
    lines
}

/// Assets that differ, by name. Several files may have one name, such as the scripts that islands share.
fn assets(old: &OutputFolder, new: &OutputFolder) -> Result<Vec<AssetChange>, Problem> {
    let (was, is) = (by_name(old), by_name(new));
    let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
    let none = Vec::new();
    let mut changes = Vec::new();
    for name in names {
        let (before, after) = (
            was.get(name).unwrap_or(&none),
            is.get(name).unwrap_or(&none),
        );
        // A file with the same name has the same bytes: the hash is that of its content.
        if before == after || contents(old, before)? == contents(new, after)? {
            continue;
        }
        let [old, new] = [(old, before), (new, after)]
            .map(|(folder, paths)| paths.iter().map(|path| folder.files[*path].length).sum());
        changes.push(AssetChange {
            name: name.clone(),
            old,
            new,
        });
    }
    changes.sort_by(|a, b| {
        b.old
            .abs_diff(b.new)
            .cmp(&a.old.abs_diff(a.new))
            .then_with(|| a.name.cmp(&b.name))
    });
    Ok(changes)
}

/// The paths of assets, by their names without hashes.
fn by_name(folder: &OutputFolder) -> BTreeMap<String, Vec<&str>> {
    let mut names: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for path in folder.files.keys() {
        if let Some(name) = asset_name(path) {
            names.entry(name).or_default().push(path);
        }
    }
    names
}

/// The hashes of the contents of files, without the names of other assets in them.
fn contents(folder: &OutputFolder, paths: &[&str]) -> Result<Vec<Hash>, Problem> {
    let mut hashes = paths
        .iter()
        .map(|path| {
            let bytes = folder.bytes(path)?;
            Ok(match String::from_utf8(bytes) {
                Ok(text) => hash(without_names(&text).as_bytes()),
                Err(error) => hash(error.as_bytes()),
            })
        })
        .collect::<Result<Vec<Hash>, Problem>>()?;
    hashes.sort_unstable();
    Ok(hashes)
}

/// A script or style sheet without the hashes in the names of files beside it: `./chunk-SQE76S5B.js`.
fn without_names(text: &str) -> String {
    let mut parts = text.split("./");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|c: char| !(c.is_ascii_alphanumeric() || "-_./".contains(c)))
            .unwrap_or(part.len());
        plain.push_str("./");
        plain.push_str(&without_hash(&part[..end]));
        plain.push_str(&part[end..]);
    }
    self::plain(&plain)
}
