//! A file of terms with their postings, the lists of posts that contain each term.
//!
//! ```text
//! length of the dictionary, number of terms    two numbers of eight bytes, little-endian
//! dictionary                                   an `fst` map: term → its rank in byte order
//! ends                                         four bytes per term: the end offset of its postings
//! postings                                     of the first term, the second, …
//! ```
//!
//! Postings are the positions of posts in one of two encodings, whichever is shorter: LEB128 deltas or a bit set.
//! Roaring bitmaps were considered, but they take twice the space for the short lists that most terms have, and must be
//! decoded into a bit set anyway.

use std::io;
use std::path::Path;

use fst::{Automaton, IntoStreamer as _, Map, MapBuilder, Streamer as _};

use crate::Matches;
use crate::file::{IndexFile, damaged};

/// Size of the header, two numbers, in bytes.
const HEAD: u64 = 16;
/// First byte of delta-encoded postings.
const DIFFERENCES: u8 = 0;
/// First byte of postings encoded as a bit set.
const BITS: u8 = 1;

/// The terms of a field.
pub(crate) struct FieldTerms {
    dictionary: Map<Vec<u8>>,
    ends: Vec<u32>,
    /// The offset of the postings in the file.
    postings: u64,
    file: IndexFile,
}

impl FieldTerms {
    /// Opens a file and verifies its dictionary and its table. The error is a message with the file's name.
    pub(crate) fn open(path: &Path) -> Result<FieldTerms, String> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let file = IndexFile::open(path)?;
        FieldTerms::read(file).map_err(|_| format!("{name} is damaged"))
    }

    fn read(file: IndexFile) -> io::Result<FieldTerms> {
        let (length, count) = (file.number(0)?, file.number(8)?);
        let ends_at = HEAD.checked_add(length).ok_or_else(damaged)?;
        let postings = count
            .checked_mul(4)
            .and_then(|bytes| bytes.checked_add(ends_at))
            .ok_or_else(damaged)?;
        let dictionary = Map::new(file.read(HEAD, ends_at)?).map_err(|_| damaged())?;
        // Reading a corrupt dictionary could panic or loop.
        dictionary.as_fst().verify().map_err(|_| damaged())?;
        let table = file.read(ends_at, postings)?;
        let ends: Vec<u32> = table
            .as_chunks()
            .0
            .iter()
            .map(|bytes: &[u8; 4]| u32::from_le_bytes(*bytes))
            .collect();
        let last = ends.last().copied().unwrap_or(0);
        if dictionary.len() != ends.len() || postings + u64::from(last) != file.length() {
            return Err(damaged());
        }
        Ok(FieldTerms {
            dictionary,
            ends,
            postings,
            file,
        })
    }

    /// Adds the posts that have a term.
    pub(crate) fn add_term(&self, term: &str, matches: &mut Matches) -> io::Result<()> {
        match self.dictionary.get(term) {
            Some(rank) => self.add_ranks(rank, rank, matches),
            None => Ok(()),
        }
    }

    /// Adds the posts that have a term with a prefix.
    pub(crate) fn add_prefix(&self, prefix: &str, matches: &mut Matches) -> io::Result<()> {
        let mut end = prefix.as_bytes().to_vec();
        // UTF-8 contains no byte 0xff, so the increment does not overflow, and the result is after all terms with the
        // prefix.
        if let Some(last) = end.last_mut() {
            *last += 1;
        }
        let mut stream = self.dictionary.range().ge(prefix).lt(end).into_stream();
        // Ranks are consecutive, and so are their postings, so one read is sufficient.
        let Some((_, first)) = stream.next() else {
            return Ok(());
        };
        let mut last = first;
        while let Some((_, rank)) = stream.next() {
            last = rank;
        }
        self.add_ranks(first, last, matches)
    }

    /// Adds the posts that have a term accepted by the automaton.
    pub(crate) fn add_accepted(
        &self,
        automaton: impl Automaton,
        matches: &mut Matches,
    ) -> io::Result<()> {
        let mut stream = self.dictionary.search(automaton).into_stream();
        while let Some((_, rank)) = stream.next() {
            self.add_ranks(rank, rank, matches)?;
        }
        Ok(())
    }

    fn add_ranks(&self, first: u64, last: u64, matches: &mut Matches) -> io::Result<()> {
        let (first, last) = (rank(first)?, rank(last)?);
        let ends = self.ends.get(first..=last).ok_or_else(damaged)?;
        let start = first.checked_sub(1).map_or(0, |before| self.ends[before]);
        let end = ends.last().copied().unwrap_or(start);
        let bytes = self.file.read(
            self.postings + u64::from(start),
            self.postings + u64::from(end),
        )?;
        let mut at = 0;
        for end in ends {
            let end = end.checked_sub(start).ok_or_else(damaged)? as usize;
            add_postings(bytes.get(at..end).ok_or_else(damaged)?, matches)?;
            at = end;
        }
        Ok(())
    }
}

fn rank(number: u64) -> io::Result<usize> {
    usize::try_from(number).map_err(|_| damaged())
}

/// Adds the positions of a term. [`Matches`] ignores positions beyond the list.
fn add_postings(postings: &[u8], matches: &mut Matches) -> io::Result<()> {
    let (form, bytes) = postings.split_first().ok_or_else(damaged)?;
    match *form {
        BITS => {
            matches.add_bits(bytes);
            Ok(())
        }
        DIFFERENCES => {
            let (mut place, mut number, mut shift) = (0_u32, 0_u32, 0);
            for byte in bytes {
                number |= u32::from(byte & 0x7f)
                    .checked_shl(shift)
                    .ok_or_else(damaged)?;
                shift += 7;
                if byte & 0x80 == 0 {
                    place = place.wrapping_add(number);
                    matches.insert(place);
                    (number, shift) = (0, 0);
                }
            }
            Ok(())
        }
        _ => Err(damaged()),
    }
}

/// Serializes terms to the bytes of a file. `terms` must be in byte order, each with its positions in ascending order.
pub(crate) fn written(terms: &[(&str, &[u32])]) -> io::Result<Vec<u8>> {
    let mut dictionary = MapBuilder::memory();
    let (mut ends, mut postings) = (Vec::with_capacity(terms.len() * 4), Vec::new());
    for (rank, (term, places)) in terms.iter().enumerate() {
        dictionary
            .insert(term, rank as u64)
            .map_err(io::Error::other)?;
        write_postings(places, &mut postings);
        ends.extend(
            u32::try_from(postings.len())
                .map_err(|_| {
                    io::Error::other("the index of one language cannot be larger than 4 GiB")
                })?
                .to_le_bytes(),
        );
    }
    let dictionary = dictionary.into_inner().map_err(io::Error::other)?;
    let mut bytes = Vec::with_capacity(16 + dictionary.len() + ends.len() + postings.len());
    bytes.extend((dictionary.len() as u64).to_le_bytes());
    bytes.extend((terms.len() as u64).to_le_bytes());
    [dictionary, ends, postings]
        .iter()
        .for_each(|part| bytes.extend_from_slice(part));
    Ok(bytes)
}

fn write_postings(places: &[u32], out: &mut Vec<u8>) {
    let start = out.len();
    out.push(DIFFERENCES);
    let mut before = 0;
    for place in places {
        let mut rest = place.wrapping_sub(before);
        before = *place;
        while rest >= 0x80 {
            out.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        out.push((rest & 0x7f) as u8);
    }
    let bits = places.last().map_or(0, |last| *last as usize / 8 + 1);
    if bits < out.len() - start - 1 {
        out.truncate(start);
        out.push(BITS);
        out.resize(start + 1 + bits, 0);
        for place in places {
            out[start + 1 + *place as usize / 8] |= 1 << (place % 8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: u32 = 1_000;

    fn open(bytes: &[u8]) -> Result<FieldTerms, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("words");
        std::fs::write(&path, bytes).expect("a file");
        FieldTerms::open(&path)
    }

    fn places(add: impl FnOnce(&mut Matches) -> io::Result<()>) -> Vec<u32> {
        let mut matches = Matches::none(LENGTH);
        add(&mut matches).expect("postings");
        matches.page(crate::Order::Newest, 0, LENGTH)
    }

    #[test]
    fn terms_are_found_with_their_posts() {
        let all: Vec<u32> = (0..LENGTH).collect();
        let rare = [0, 127, 128, 300, 999];
        let bytes = written(&[
            ("cable", &rare),
            ("cables", &[4]),
            ("deck", &all),
            ("ñu", &[7]),
        ])
        .expect("bytes");
        let terms = open(&bytes).expect("terms");
        assert_eq!(places(|found| terms.add_term("cable", found)), rare);
        assert_eq!(places(|found| terms.add_term("deck", found)), all);
        assert_eq!(places(|found| terms.add_term("dec", found)), [] as [u32; 0]);
        assert_eq!(
            places(|found| terms.add_prefix("cab", found)),
            [0, 4, 127, 128, 300, 999]
        );
        assert_eq!(places(|found| terms.add_prefix("ñ", found)), [7]);
        assert_eq!(places(|found| terms.add_prefix("x", found)), [] as [u32; 0]);
    }

    #[test]
    fn a_file_may_have_no_terms() {
        let terms = open(&written(&[]).expect("bytes")).expect("terms");
        assert_eq!(places(|found| terms.add_prefix("a", found)), [] as [u32; 0]);
    }

    #[test]
    fn a_damaged_file_is_an_error_and_never_a_panic() {
        let whole = written(&[("cable", &[1, 5]), ("deck", &[2])]).expect("bytes");
        for length in 0..whole.len() {
            assert!(open(&whole[..length]).is_err(), "{length} bytes");
        }
        for at in 0..whole.len() {
            for flipped in [0x01, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] ^= flipped;
                if let Ok(terms) = open(&bytes) {
                    let mut matches = Matches::none(LENGTH);
                    let _ = terms.add_term("cable", &mut matches);
                    let _ = terms.add_prefix("d", &mut matches);
                }
            }
        }
    }
}
