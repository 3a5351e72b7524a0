//! Finds the posts that match a request.
//!
//! A post must contain every word, or another word with the same stem. The last word also matches as a prefix, because
//! it may be incomplete. If nothing matches, each word of at least five letters (`TYPO_LETTERS`) may have one typo: an
//! inserted, missing or wrong letter, or two swapped ones.

use std::io;
use std::sync::LazyLock;

use fst::Automaton;
use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder, SINK_STATE};

use super::analyzer::is_unspaced;
use super::{Index, Matches, Word};

/// Maximum number of words in a search; further words are ignored.
pub const WORDS_MAX: usize = 8;
/// Minimum length for the last word to match as a prefix, in letters.
const PREFIX_LETTERS: usize = 2;
/// Minimum length of a word that may have a typo, in letters.
const TYPO_LETTERS: usize = 5;

/// One edit: an inserted, missing or wrong letter, or two swapped ones.
static ONE_TYPO: LazyLock<LevenshteinAutomatonBuilder> =
    LazyLock::new(|| LevenshteinAutomatonBuilder::new(1, true));

/// A search request.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// The search words; blank matches all posts.
    pub search: &'a str,
    /// The slug of a tag; only posts with it match.
    pub tag: Option<&'a str>,
}

/// A word of the request.
struct QueryWord {
    word: Word,
    /// Whether longer words that begin with it also match.
    is_prefix: bool,
}

impl Index {
    /// The posts that match.
    pub fn find(&self, request: &Request) -> io::Result<Matches> {
        let tagged = match request.tag {
            Some(tag) => {
                let mut matches = Matches::none(self.len());
                self.tags.add_term(tag, &mut matches)?;
                matches
            }
            None => Matches::all(self.len()),
        };
        if request.search.trim().is_empty() || tagged.is_empty() {
            return Ok(tagged);
        }
        let words = self.query_words(request.search);
        if words.is_empty() {
            return Ok(Matches::none(self.len()));
        }
        let exact = self.having_all(&words, &tagged, Index::add_exact)?;
        if !exact.is_empty() || words.iter().all(|query| !may_have_typo(&query.word)) {
            return Ok(exact);
        }
        self.having_all(&words, &tagged, Index::add_similar)
    }

    fn query_words(&self, text: &str) -> Vec<QueryWord> {
        let mut words = self.analyzer.words(text);
        // If there are more words than the limit, the last one kept is not the one being typed.
        let last_is_open = words.len() <= WORDS_MAX;
        words.truncate(WORDS_MAX);
        let last = words.len().saturating_sub(1);
        words
            .into_iter()
            .enumerate()
            .map(|(at, word)| QueryWord {
                is_prefix: at == last && last_is_open && is_long(&word),
                word,
            })
            .collect()
    }

    fn having_all(
        &self,
        words: &[QueryWord],
        among: &Matches,
        add: fn(&Index, &QueryWord, &mut Matches) -> io::Result<()>,
    ) -> io::Result<Matches> {
        let mut matches = among.clone();
        for query in words {
            let mut having = Matches::none(self.len());
            add(self, query, &mut having)?;
            matches.intersect(&having);
            if matches.is_empty() {
                break;
            }
        }
        Ok(matches)
    }

    fn add_exact(&self, query: &QueryWord, matches: &mut Matches) -> io::Result<()> {
        let Word { folded, stem } = &query.word;
        self.stems.add_term(stem, matches)?;
        if query.is_prefix {
            self.words.add_prefix(folded, matches)
        } else {
            self.words.add_term(folded, matches)
        }
    }

    fn add_similar(&self, query: &QueryWord, matches: &mut Matches) -> io::Result<()> {
        self.add_exact(query, matches)?;
        if !may_have_typo(&query.word) {
            return Ok(());
        }
        let folded = &query.word.folded;
        let automaton = if query.is_prefix {
            ONE_TYPO.build_prefix_dfa(folded)
        } else {
            ONE_TYPO.build_dfa(folded)
        };
        self.words.add_accepted(Typo(&automaton), matches)
    }
}

/// Tells whether a word is long enough to stand for all that begin with it.
/// One letter of Chinese may be a word, and the first one of a pair.
fn is_long(word: &Word) -> bool {
    let mut letters = word.folded.chars();
    letters.next().is_some_and(is_unspaced) || letters.nth(PREFIX_LETTERS - 2).is_some()
}

/// Adapts the automaton of a word with at most one typo to the dictionary's interface.
struct Typo<'a>(&'a DFA);

impl Automaton for Typo<'_> {
    type State = u32;

    fn start(&self) -> u32 {
        self.0.initial_state()
    }

    fn is_match(&self, state: &u32) -> bool {
        matches!(self.0.distance(*state), Distance::Exact(_))
    }

    fn can_match(&self, state: &u32) -> bool {
        *state != SINK_STATE
    }

    fn accept(&self, state: &u32, byte: u8) -> u32 {
        self.0.transition(*state, byte)
    }
}

fn may_have_typo(word: &Word) -> bool {
    word.folded.chars().nth(TYPO_LETTERS - 1).is_some()
}
