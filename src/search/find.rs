//! Which posts match a request.
//!
//! Every word must be in the post, as it is or by its stem; the last one also as the beginning of a word, because it may
//! still be typed. When nothing matches, each long word may have one letter too much, too few, wrong, or two swapped.

use std::io;

use tantivy::Term;
use tantivy::index::InvertedIndexReader;
use tantivy::postings::TermInfo;
use tantivy::query::FuzzyTermQuery;
use tantivy::schema::{Field, IndexRecordOption};

use super::{Index, Matches, Word};

/// Words behind these do not count.
pub const WORDS_MAX: usize = 8;
/// The last word counts as a beginning from so many letters on.
const PREFIX_LETTERS: usize = 2;
/// One typo is forgiven in words of so many letters.
const TYPO_LETTERS: usize = 5;

/// What is looked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// Words; blank for all posts.
    pub search: &'a str,
    /// The slug of a tag that posts must have.
    pub tag: Option<&'a str>,
}

/// A word of the request.
struct Wanted {
    word: Word,
    /// A post may have a longer word that begins with it.
    may_go_on: bool,
}

impl Index {
    /// The posts that match.
    pub fn find(&self, request: &Request) -> io::Result<Matches> {
        let tagged = match request.tag {
            Some(tag) => {
                let mut matches = Matches::none(self.len());
                add_term(&self.tags, tag, &mut matches)?;
                matches
            }
            None => Matches::all(self.len()),
        };
        if request.search.trim().is_empty() || tagged.is_empty() {
            return Ok(tagged);
        }
        let words = self.wanted(request.search);
        if words.is_empty() {
            return Ok(Matches::none(self.len()));
        }
        let exact = self.having_all(&words, &tagged, Index::add_exact)?;
        if !exact.is_empty() || words.iter().all(|wanted| !may_have_typo(&wanted.word)) {
            return Ok(exact);
        }
        self.having_all(&words, &tagged, Index::add_similar)
    }

    fn wanted(&self, text: &str) -> Vec<Wanted> {
        let mut words: Vec<Word> = self.analyser.words(text).take(WORDS_MAX + 1).collect();
        // With more words than count, the last one that does is not the one being typed.
        let last_is_open = words.len() <= WORDS_MAX;
        words.truncate(WORDS_MAX);
        let last = words.len().saturating_sub(1);
        let is_open = |at: usize, word: &Word| {
            at == last && last_is_open && word.folded.chars().nth(PREFIX_LETTERS - 1).is_some()
        };
        words.into_iter().enumerate().map(|(at, word)| Wanted { may_go_on: is_open(at, &word), word }).collect()
    }

    fn having_all(
        &self,
        words: &[Wanted],
        among: &Matches,
        add: fn(&Index, &Wanted, &mut Matches) -> io::Result<()>,
    ) -> io::Result<Matches> {
        let mut matches = among.clone();
        for wanted in words {
            let mut having = Matches::none(self.len());
            add(self, wanted, &mut having)?;
            matches.intersect(&having);
            if matches.is_empty() {
                break;
            }
        }
        Ok(matches)
    }

    fn add_exact(&self, wanted: &Wanted, matches: &mut Matches) -> io::Result<()> {
        let Word { folded, stem } = &wanted.word;
        add_term(&self.stems, stem, matches)?;
        if !wanted.may_go_on {
            return add_term(&self.words, folded, matches);
        }
        let mut stream = self.words.terms().range().ge(folded).lt(after(folded)).into_stream()?;
        while stream.advance() {
            add_posts(&self.words, stream.value(), matches)?;
        }
        Ok(())
    }

    fn add_similar(&self, wanted: &Wanted, matches: &mut Matches) -> io::Result<()> {
        self.add_exact(wanted, matches)?;
        if !may_have_typo(&wanted.word) {
            return Ok(());
        }
        // The automaton is made from the text alone, whichever field it is said to belong to.
        let term = Term::from_field_text(Field::from_field_id(0), &wanted.word.folded);
        let query = if wanted.may_go_on {
            FuzzyTermQuery::new_prefix(term, 1, true)
        } else {
            FuzzyTermQuery::new(term, 1, true)
        };
        let automaton = query.automaton().map_err(io::Error::other)?;
        let mut stream = self.words.terms().search(automaton).into_stream()?;
        while stream.advance() {
            add_posts(&self.words, stream.value(), matches)?;
        }
        Ok(())
    }
}

fn may_have_typo(word: &Word) -> bool {
    word.folded.chars().nth(TYPO_LETTERS - 1).is_some()
}

/// The first text that comes after all that begin with this one.
fn after(prefix: &str) -> Vec<u8> {
    let mut bytes = prefix.as_bytes().to_vec();
    // No byte of UTF-8 is 0xff.
    if let Some(last) = bytes.last_mut() {
        *last += 1;
    }
    bytes
}

fn add_term(index: &InvertedIndexReader, text: &str, matches: &mut Matches) -> io::Result<()> {
    match index.terms().get(text)? {
        Some(info) => add_posts(index, &info, matches),
        None => Ok(()),
    }
}

fn add_posts(index: &InvertedIndexReader, info: &TermInfo, matches: &mut Matches) -> io::Result<()> {
    let mut postings = index.read_block_postings_from_terminfo(info, IndexRecordOption::Basic)?;
    while !postings.docs().is_empty() {
        postings.docs().iter().for_each(|place| matches.insert(*place));
        postings.advance();
    }
    Ok(())
}
