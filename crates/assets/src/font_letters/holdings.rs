//! The letters that a font file holds, and those for which browsers load it.

use std::sync::{Arc, OnceLock};

use skrifa::{FontRef, MetadataProvider as _};

use crate::output::{Body, Output, hash};
use workspace::cache::{Kind, Store};

use super::super::unpacked;
use super::scripts::WritingScript;

/// The first and the last letter of a range, both in it.
type LetterRange = (u32, u32);

/// A face of a font.
#[derive(Debug)]
pub(super) struct FaceLetters {
    /// The `unicode-range` of its rule; empty if browsers load it for all letters.
    claimed: Vec<LetterRange>,
    bytes: Option<Arc<Vec<u8>>>,
    cache: Store,
    /// Found when it is asked for. Everything that it claims, if the file is damaged: that is no fault of a page.
    held: OnceLock<Vec<LetterRange>>,
}

impl FaceLetters {
    pub(super) fn new(cache: &Store, claimed: Vec<LetterRange>, file: &Output) -> FaceLetters {
        let bytes = match &file.body {
            Body::Bytes(bytes) => Some(Arc::clone(bytes)),
            Body::File(_) | Body::Unchanged(_) => None,
        };
        FaceLetters {
            claimed,
            bytes,
            cache: cache.clone(),
            held: OnceLock::new(),
        }
    }

    /// Whether browsers take a letter from it.
    pub(super) fn has(&self, letter: char) -> bool {
        is_in(&self.claimed, letter) && is_in(self.held(), letter)
    }

    /// Whether browsers look for a letter in it; for one without a `unicode-range`, whether it has the letter.
    pub(super) fn claims(&self, letter: char) -> bool {
        if self.claimed.is_empty() {
            is_in(self.held(), letter)
        } else {
            is_in(&self.claimed, letter)
        }
    }

    /// Whether it claims some letter of a script.
    pub(super) fn claims_some(&self, script: &WritingScript) -> bool {
        let ranges = if self.claimed.is_empty() {
            self.held()
        } else {
            &self.claimed
        };
        script.ranges.iter().any(|of| {
            ranges
                .iter()
                .any(|(first, last)| *first <= of.1 && of.0 <= *last)
        })
    }

    fn held(&self) -> &[LetterRange] {
        self.held.get_or_init(|| {
            let Some(bytes) = &self.bytes else {
                return Vec::new();
            };
            let name = format!("{}.cmap", hash(&[bytes]));
            let kept = self
                .cache
                .get(Kind::Drawings, &name)
                .and_then(|kept| postcard::from_bytes(&kept).ok());
            kept.unwrap_or_else(|| {
                let held = read(bytes).unwrap_or_default();
                self.cache.put(
                    Kind::Drawings,
                    &name,
                    &postcard::to_allocvec(&held).unwrap_or_default(),
                );
                held
            })
        })
    }
}

/// Whether ranges have a letter. Without any range they have all.
fn is_in(ranges: &[LetterRange], letter: char) -> bool {
    ranges.is_empty()
        || ranges
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&u32::from(letter)))
}

/// The letters of a WOFF2 font as ranges, in their order; `None` if it is damaged.
fn read(font: &[u8]) -> Option<Vec<LetterRange>> {
    let plain = unpacked(font)?;
    let font = FontRef::new(&plain).ok()?;
    let mut letters: Vec<u32> = font
        .charmap()
        .mappings()
        .map(|(letter, _)| letter)
        .collect();
    letters.sort_unstable();
    let mut ranges: Vec<LetterRange> = Vec::new();
    for letter in letters {
        match ranges.last_mut() {
            Some((_, last)) if letter <= *last + 1 => *last = letter,
            _ => ranges.push((letter, letter)),
        }
    }
    Some(ranges)
}
