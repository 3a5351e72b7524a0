//! The blocks of a Markdown text as units: which block of a translation belongs to which block of the source, although one of
//! them has more.

use std::collections::BTreeMap;

use diagnostics::problem::Source;
use languages::typography::parts_of_post;
use translations::{lock, texts};

use super::unit::{States, TextPlace, Unit, before};

/// The parts of a file that are YAML and Markdown.
pub(super) fn parts(source: &Source) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    if source.path.ends_with(".md") {
        parts_of_post(&source.text)
    } else {
        (0..source.text.len(), 0..0)
    }
}

/// The blocks of a body: the span and the text of each.
pub(super) fn blocks(
    source: &Source,
    body: std::ops::Range<usize>,
) -> Vec<(std::ops::Range<usize>, String)> {
    let span = |span: diagnostics::problem::Span| span.start as usize..span.end as usize;
    texts::blocks(&source.text, body)
        .into_iter()
        .map(span)
        .map(|range| (range.clone(), source.text[range].to_owned()))
        .collect()
}

/// Whether a block is code, which is the same in all languages.
pub(super) fn is_code(block: &str) -> bool {
    block.starts_with("```") || block.starts_with("~~~")
}

/// Blocks with their spans.
type Blocks = [(std::ops::Range<usize>, String)];

/// The units of a body.
pub(super) fn body_units(
    source: &Source,
    there: &Blocks,
    here: &Blocks,
    states: &States,
) -> Vec<Unit> {
    let aligned = align(there, here, states);
    let mut names = BTreeMap::new();
    let mut units = Vec::new();
    for (at, (range, text)) in there.iter().enumerate() {
        if is_code(text) || !text.chars().any(char::is_alphabetic) {
            continue;
        }
        let times = names
            .entry(lock::of_text(text))
            .and_modify(|times| *times += 1)
            .or_insert(1);
        let again = if *times == 1 {
            String::new()
        } else {
            format!(".{times}")
        };
        let target = aligned[at];
        let (translation, state) = states.of(text, target.map(|target| here[target].1.as_str()));
        let line = source.text[..range.start].matches('\n').count() + 1;
        units.push(Unit {
            name: format!("body.{}{again}", lock::of_text(text)),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            source: text.clone(),
            before: before(translation.as_deref()),
            target: translation,
            state,
            meaning: String::new(),
            max: None,
            matches: Vec::new(),
            terms: Vec::new(),
            place: TextPlace::Body { at, target },
        });
    }
    units
}

/// The block of the translation that belongs to each block of the source. Blocks that agreed are recognized by their hashes,
/// those between them by their number, if that is the same.
fn align(there: &Blocks, here: &Blocks, states: &States) -> Vec<Option<usize>> {
    if there.len() == here.len() {
        return (0..there.len()).map(Some).collect();
    }
    let mut aligned = vec![None; there.len()];
    let Some(known) = states.known else {
        return aligned;
    };
    // Bodies are at the end of the lists, so that pairs are counted from there.
    let pairs = known
        .there
        .texts
        .iter()
        .rev()
        .zip(known.here.texts.iter().rev());
    let pairs: BTreeMap<&String, &String> = pairs.collect();
    let mut next = 0;
    for (at, (_, text)) in there.iter().enumerate() {
        let Some(hash) = pairs.get(&lock::of_text(text)) else {
            continue;
        };
        if let Some(found) = here[next..]
            .iter()
            .position(|(_, text)| lock::of_text(text) == **hash)
        {
            aligned[at] = Some(next + found);
            next += found + 1;
        }
    }
    let mut at = 0;
    while at < there.len() {
        if aligned[at].is_some() {
            at += 1;
            continue;
        }
        let end = (at..there.len())
            .find(|next| aligned[*next].is_some())
            .unwrap_or(there.len());
        let first = if at == 0 {
            0
        } else {
            aligned[at - 1].map_or(0, |target| target + 1)
        };
        let last = aligned.get(end).copied().flatten().unwrap_or(here.len());
        if last >= first && last - first == end - at {
            (at..end).for_each(|one| aligned[one] = Some(first + one - at));
        }
        at = end;
    }
    aligned
}
