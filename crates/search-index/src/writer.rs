//! Writes the index of a language. The bytes depend only on the posts, not on the number of threads.

use std::collections::HashMap;
use std::io;

use foldhash::fast::RandomState;

use crate::{Analyzer, STEMS, TAGS, WORDS, terms};

/// Collects the terms of posts.
///
/// Posts must be added in ascending order of position. To use several threads, create a writer for each part of the
/// list and [append](IndexWriter::append) the parts in order.
pub struct IndexWriter {
    analyzer: Analyzer,
    words: Field,
    stems: Field,
    tags: Field,
    /// Caches the terms of each run of letters, because stemming is slow.
    cache: HashMap<String, CachedRun, RandomState>,
}

/// The facts about a run of letters.
struct CachedRun {
    /// The term numbers of the word and the stem; `None` if the run is no word.
    numbers: Option<(u32, u32)>,
    /// The position of the last post that had it. Most words of a text occur in it again.
    last: u32,
}

/// The terms of a field, each with the positions of its posts in ascending order.
#[derive(Default)]
struct Field {
    numbers: HashMap<String, u32, RandomState>,
    places: Vec<Vec<u32>>,
}

impl IndexWriter {
    /// Creates an empty writer. `language` is a BCP 47 tag, which selects the stemmer.
    pub fn new(language: &str) -> IndexWriter {
        IndexWriter {
            analyzer: Analyzer::new(language),
            words: Field::default(),
            stems: Field::default(),
            tags: Field::default(),
            cache: HashMap::default(),
        }
    }

    /// Adds the post at position `place`: its plain texts, and the slugs of its tags.
    pub fn add<'t>(
        &mut self,
        place: u32,
        texts: impl IntoIterator<Item = &'t str>,
        tags: impl IntoIterator<Item = &'t str>,
    ) {
        for run in texts
            .into_iter()
            .flat_map(crate::analyzer::runs)
            .flat_map(crate::analyzer::parts)
        {
            let numbers = if let Some(known) = self.cache.get_mut(run) {
                if known.last == place {
                    continue;
                }
                known.last = place;
                known.numbers
            } else {
                let word = self.analyzer.word(run);
                let numbers =
                    word.map(|word| (self.words.number(word.folded), self.stems.number(word.stem)));
                self.cache.insert(
                    run.to_owned(),
                    CachedRun {
                        numbers,
                        last: place,
                    },
                );
                numbers
            };
            if let Some((word, stem)) = numbers {
                self.words.note(word, place);
                self.stems.note(stem, place);
            }
        }
        for tag in tags {
            let tag = self.tags.number(tag.to_owned());
            self.tags.note(tag, place);
        }
    }

    /// Adds the posts of another writer, which must all come after those of this one.
    pub fn append(&mut self, other: IndexWriter) {
        self.words.append(other.words);
        self.stems.append(other.stems);
        self.tags.append(other.tags);
    }

    /// The files of the index with their names. Fails if one would be larger than 4 GiB.
    pub fn files(&self) -> io::Result<Vec<(&'static str, Vec<u8>)>> {
        let fields = [
            (WORDS, &self.words),
            (STEMS, &self.stems),
            (TAGS, &self.tags),
        ];
        fields
            .into_iter()
            .map(|(name, field)| Ok((name, field.written()?)))
            .collect()
    }
}

impl Field {
    fn number(&mut self, term: String) -> u32 {
        let places = &mut self.places;
        *self.numbers.entry(term).or_insert_with(|| {
            places.push(Vec::new());
            // A language does not have 2^32 words.
            u32::try_from(places.len() - 1).unwrap_or(u32::MAX)
        })
    }

    fn note(&mut self, number: u32, place: u32) {
        if let Some(places) = self.places.get_mut(number as usize)
            && places.last() != Some(&place)
        {
            places.push(place);
        }
    }

    fn append(&mut self, mut other: Field) {
        for (term, number) in other.numbers {
            let places = std::mem::take(&mut other.places[number as usize]);
            let own = self.number(term) as usize;
            if self.places[own].is_empty() {
                self.places[own] = places;
            } else {
                self.places[own].extend(places);
            }
        }
    }

    fn written(&self) -> io::Result<Vec<u8>> {
        let mut terms: Vec<(&str, &[u32])> = self
            .numbers
            .iter()
            .map(|(term, number)| (term.as_str(), self.places[*number as usize].as_slice()))
            .collect();
        terms.sort_unstable_by_key(|(term, _)| *term);
        terms::written(&terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSTS: [&str; 4] = [
        "Cables carry the deck",
        "The deck",
        "Canción",
        "carrying cables, cables",
    ];

    fn part(range: std::ops::Range<usize>) -> IndexWriter {
        let mut writer = IndexWriter::new("en");
        for place in range {
            let tags = if place == 1 { vec!["decks"] } else { vec![] };
            writer.add(
                u32::try_from(place).expect("a small number"),
                [POSTS[place]],
                tags,
            );
        }
        writer
    }

    #[test]
    fn parts_give_the_same_bytes_as_the_whole() {
        let whole = part(0..4).files().expect("files");
        for cut in 0..=4 {
            let mut writer = part(0..cut);
            writer.append(part(cut..4));
            assert_eq!(writer.files().expect("files"), whole, "cut at {cut}");
        }
    }
}
