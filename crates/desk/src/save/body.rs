//! Merges the Markdown of a form into that of a file, block by block: blocks that mean the same keep their bytes.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::blocks::{self, Block, Blocks};

/// The new Markdown of a file.
pub(super) struct Merged {
    pub text: String,
    /// The meanings that its blocks must have.
    pub meanings: Vec<String>,
}

pub(super) enum Failure {
    /// The form and the file changed the same block, or neighbors. How it begins in the file.
    Conflict(String),
    /// The form's blocks mean something else among those of the file.
    Misread,
}

/// Blocks of one text that stand in the place of blocks of another. Both ranges count blocks.
#[derive(Debug, Clone, PartialEq)]
struct BodyHunk {
    old: Range<usize>,
    new: Range<usize>,
}

/// Applies what differs between `base` and `form` to `disk`. `None` if nothing does.
pub(super) fn merge(
    base: &str,
    form: &str,
    disk: &str,
    is_crlf: bool,
) -> Result<Option<Merged>, Failure> {
    let base = Blocks::of(base);
    let form = repaired(&form.replace("\r\n", "\n"), &base);
    let (form, disk) = (Blocks::of(&form), Blocks::of(disk));
    let in_form = hunks(&base, &form);
    let in_disk = hunks(&base, &disk);
    let links = links(&base, &form, &disk)?;
    if in_form.is_empty() && links.is_empty() {
        return Ok(None);
    }
    let ours = in_form
        .iter()
        .filter_map(|hunk| shifted(hunk, &in_disk, &form, &disk).transpose());
    let ours = ours.collect::<Result<Vec<BodyHunk>, Failure>>()?;
    let mut meanings: Vec<&str> = disk
        .blocks
        .iter()
        .map(|block| block.meaning.as_str())
        .collect();
    for BodyHunk { old, new } in ours.iter().rev() {
        meanings.splice(
            old.clone(),
            form.blocks[new.clone()]
                .iter()
                .map(|block| block.meaning.as_str()),
        );
    }
    let compose = Compose {
        form: &form,
        disk: &disk,
        links: &links,
        is_crlf,
    };
    // Blocks of an editor may run into their neighbors, such as two lists. Then these are taken from the form too.
    let whole = disk.blocks.len().max(form.blocks.len());
    let reaches = if in_disk.is_empty() {
        &[0, 1, 2, whole][..]
    } else {
        &[0][..]
    };
    let mut texts = reaches
        .iter()
        .map(|reach| compose.text(&widened(&ours, *reach, &disk), *reach == 0));
    let text = texts
        .find(|text| blocks::meanings(text) == meanings)
        .ok_or(Failure::Misread)?;
    Ok(Some(Merged {
        text,
        meanings: meanings.into_iter().map(str::to_owned).collect(),
    }))
}

/// The text of an editor that knows no footnotes and no tasks and so escapes their brackets.
fn repaired(form: &str, base: &Blocks) -> String {
    let mut text = form.to_owned();
    for name in &base.footnotes {
        text = text.replace(&format!("\\[^{name}]"), &format!("[^{name}]"));
        text = text.replace(&format!("\\[^{name}\\]"), &format!("[^{name}]"));
    }
    if base.has_tasks {
        for mark in [' ', 'x'] {
            for bullet in ['-', '*', '+'] {
                text = text.replace(
                    &format!("{bullet} \\[{mark}] "),
                    &format!("{bullet} [{mark}] "),
                );
                text = text.replace(
                    &format!("{bullet} \\[{mark}\\] "),
                    &format!("{bullet} [{mark}] "),
                );
            }
        }
    }
    text
}

fn hunks(old: &Blocks, new: &Blocks) -> Vec<BodyHunk> {
    let meanings = |blocks: &[Block]| {
        blocks
            .iter()
            .map(|block| block.meaning.clone())
            .collect::<Vec<_>>()
    };
    let mut hunks: Vec<BodyHunk> = Vec::new();
    for op in capture_diff_slices(
        Algorithm::Myers,
        &meanings(&old.blocks),
        &meanings(&new.blocks),
    ) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (from, to) = (op.old_range(), op.new_range());
        match hunks
            .last_mut()
            .filter(|last| last.old.end == from.start && last.new.end == to.start)
        {
            Some(last) => (last.old.end, last.new.end) = (from.end, to.end),
            None => hunks.push(BodyHunk { old: from, new: to }),
        }
    }
    hunks
}

/// A change of the form, with the blocks of the file that it replaces. `None` if the file has the same change.
fn shifted(
    hunk: &BodyHunk,
    in_disk: &[BodyHunk],
    form: &Blocks,
    disk: &Blocks,
) -> Result<Option<BodyHunk>, Failure> {
    let mut at = hunk.old.start;
    for other in in_disk {
        if other.old.start <= hunk.old.end && hunk.old.start <= other.old.end {
            let meanings = |blocks: &Blocks, range: &Range<usize>| {
                blocks.blocks[range.clone()]
                    .iter()
                    .map(|block| block.meaning.clone())
                    .collect::<Vec<_>>()
            };
            let is_same =
                other.old == hunk.old && meanings(form, &hunk.new) == meanings(disk, &other.new);
            let begins = disk
                .blocks
                .get(other.new.start)
                .map(|_| disk.written(other.new.start));
            return if is_same {
                Ok(None)
            } else {
                Err(Failure::Conflict(begins.unwrap_or_default().to_owned()))
            };
        }
        if other.old.end < hunk.old.start {
            at = at + other.new.len() - other.old.len();
        }
    }
    Ok(Some(BodyHunk {
        old: at..at + hunk.old.len(),
        new: hunk.new.clone(),
    }))
}

/// Changes with more blocks around each.
fn widened(hunks: &[BodyHunk], reach: usize, disk: &Blocks) -> Vec<BodyHunk> {
    let mut wide: Vec<BodyHunk> = Vec::new();
    for (at, BodyHunk { old, new }) in hunks.iter().enumerate() {
        let floor = at.checked_sub(1).map_or(0, |before| hunks[before].old.end);
        let ceiling = hunks
            .get(at + 1)
            .map_or(disk.blocks.len(), |next| next.old.start);
        let (before, after) = (reach.min(old.start - floor), reach.min(ceiling - old.end));
        let hunk = BodyHunk {
            old: old.start - before..old.end + after,
            new: new.start - before..new.end + after,
        };
        match wide
            .last_mut()
            .filter(|last| last.old.end >= hunk.old.start)
        {
            Some(last) => (last.old.end, last.new.end) = (hunk.old.end, hunk.new.end),
            None => wide.push(hunk),
        }
    }
    wide
}

/// A change of the definition of a link: the bytes of the file that it replaces, or none for a new one, and the bytes of
/// the form.
type LinkChange = (Option<Range<usize>>, Range<usize>);

/// Definitions that the form has changed or added. Those that it lacks stay: editors write the address into each link.
fn links(base: &Blocks, form: &Blocks, disk: &Blocks) -> Result<Vec<LinkChange>, Failure> {
    let mut changes = Vec::new();
    for (name, definition) in &form.definitions {
        let (before, now) = (base.definitions.get(name), disk.definitions.get(name));
        let target = Some(&definition.target);
        if target == before.map(|before| &before.target) || target == now.map(|now| &now.target) {
            continue;
        }
        match now {
            Some(now) if Some(&now.target) != before.map(|before| &before.target) => {
                return Err(Failure::Conflict(disk.text[now.range.clone()].to_owned()));
            }
            now => changes.push((now.map(|now| now.range.clone()), definition.range.clone())),
        }
    }
    Ok(changes)
}

/// Puts a text together from blocks of the file and of the form.
struct Compose<'a> {
    form: &'a Blocks<'a>,
    disk: &'a Blocks<'a>,
    links: &'a [LinkChange],
    is_crlf: bool,
}

impl Compose<'_> {
    /// `moved` says whether a block of the form that stood elsewhere in the file keeps its bytes.
    fn text(&self, hunks: &[BodyHunk], moved: bool) -> String {
        let Compose { form, disk, .. } = self;
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        let mut taken: Vec<Range<usize>> = Vec::new();
        for hunk in hunks {
            let new = self.blocks(hunk, hunks, moved);
            if let (Some(first), Some(last)) =
                (form.blocks.get(hunk.new.start), hunk.new.end.checked_sub(1))
            {
                taken.push(first.range.start..form.blocks[last].range.end.max(first.range.start));
            }
            edits.push(self.edit(&hunk.old, &new));
        }
        let replaced: Vec<Range<usize>> = edits.iter().map(|(range, _)| range.clone()).collect();
        let mut added = String::new();
        for (own, new) in self.links {
            let written = &form.text[new.clone()];
            match own {
                Some(own) if !is_inside(&replaced, own) => {
                    edits.push((own.clone(), written.to_owned()));
                }
                _ if is_inside(&taken, new) => {}
                _ => added = format!("{added}\n{written}"),
            }
        }
        let mut text = disk.text.to_owned();
        edits.sort_by_key(|(range, _)| range.start);
        for (range, new) in edits.into_iter().rev() {
            text.replace_range(range, &self.with_line_breaks(new));
        }
        if !added.is_empty() {
            let end = text.trim_end().len();
            let gap = if text.is_empty() { "" } else { "\n" };
            let line_break = if end == text.len() { "\n" } else { "" };
            text.insert_str(
                end,
                &self.with_line_breaks(format!("{gap}{added}{line_break}")),
            );
        }
        text
    }

    fn with_line_breaks(&self, text: String) -> String {
        if self.is_crlf {
            text.replace('\n', "\r\n")
        } else {
            text
        }
    }

    /// The bytes of the blocks of a change.
    fn blocks(&self, hunk: &BodyHunk, hunks: &[BodyHunk], moved: bool) -> String {
        let Compose { form, disk, .. } = self;
        let gone = hunks
            .iter()
            .flat_map(|hunk| hunk.old.clone())
            .filter(|_| moved);
        let known: HashMap<&str, usize> = gone
            .map(|at| (disk.blocks[at].meaning.as_str(), at))
            .collect();
        let mut text = String::new();
        for at in hunk.new.clone() {
            match known.get(form.blocks[at].meaning.as_str()) {
                Some(own) => text.push_str(&disk.written(*own).replace("\r\n", "\n")),
                None => text.push_str(form.written(at)),
            }
            if at + 1 < hunk.new.end {
                text.push_str(form.gap_after(at));
            }
        }
        text
    }

    /// The edit that writes `new` in the place of blocks. Definitions of links between them stay.
    fn edit(&self, old: &Range<usize>, new: &str) -> (Range<usize>, String) {
        let disk = self.disk;
        let place = |at: usize| disk.blocks[at].range.clone();
        let (count, is_last) = (disk.blocks.len(), old.end == disk.blocks.len());
        let range = match (old.is_empty(), new.is_empty()) {
            (true, _) if old.start > 0 => place(old.start - 1).end..place(old.start - 1).end,
            (true, _) if count > 0 => place(0).start..place(0).start,
            (true, _) => disk.text.len()..disk.text.len(),
            (false, true) if old.start > 0 => place(old.start - 1).end..place(old.end - 1).end,
            (false, true) if !is_last => place(old.start).start..place(old.end).start,
            _ => place(old.start).start..place(old.end - 1).end,
        };
        let mut kept: Vec<&blocks::Definition> = disk
            .definitions
            .values()
            .filter(|own| range.start <= own.range.start && own.range.end <= range.end)
            .filter(|own| {
                !disk.blocks[old.clone()].iter().any(|block| {
                    block.range.start <= own.range.start && own.range.end <= block.range.end
                })
            })
            .collect();
        kept.sort_by_key(|own| own.range.start);
        let kept = kept
            .into_iter()
            .map(|own| &disk.text[own.range.clone()])
            .collect::<Vec<_>>()
            .join("\n");
        let parts: Vec<&str> = [new, &kept]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        let text = parts.join("\n\n");
        let text = match (old.is_empty(), new.is_empty()) {
            (true, _) if old.start > 0 => format!("\n\n{text}"),
            (true, _) if count > 0 => format!("{text}\n\n"),
            (true, _) if disk.text.ends_with('\n') => format!("{text}\n"),
            (true, _) => format!("\n{text}\n"),
            (false, true) if kept.is_empty() => text,
            (false, true) if old.start > 0 => format!("\n\n{text}"),
            (false, true) if !is_last => format!("{text}\n\n"),
            _ => text,
        };
        (range, text)
    }
}

/// Tells whether one of some ranges contains a place.
fn is_inside(ranges: &[Range<usize>], place: &Range<usize>) -> bool {
    ranges
        .iter()
        .any(|range| range.start <= place.start && place.end <= range.end)
}
