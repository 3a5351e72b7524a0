//! Which posts match a request.
//!
//! Every word must be in the post, as it is or by its stem; the last one also as the beginning of a word, because it may
//! still be typed. When nothing matches, each word of at least five letters (`TYPO_LETTERS`) may have one typo: a letter too
//! many, too few or wrong, or two swapped.

use std::io;
use std::sync::LazyLock;

use fst::Automaton;
use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder, SINK_STATE};

use super::{Index, Matches, Word};

/// Words behind these do not count.
pub const WORDS_MAX: usize = 8;
/// The last word counts as a beginning from so many letters on.
const PREFIX_LETTERS: usize = 2;
/// One typo is forgiven in words of so many letters.
const TYPO_LETTERS: usize = 5;

/// One edit: a letter too many, too few or wrong, or two swapped.
static ONE_TYPO: LazyLock<LevenshteinAutomatonBuilder> = LazyLock::new(|| LevenshteinAutomatonBuilder::new(1, true));

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
                self.tags.add_term(tag, &mut matches)?;
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
        let mut words: Vec<Word> = self.analyzer.words(text).take(WORDS_MAX + 1).collect();
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
        self.stems.add_term(stem, matches)?;
        if wanted.may_go_on { self.words.add_prefix(folded, matches) } else { self.words.add_term(folded, matches) }
    }

    fn add_similar(&self, wanted: &Wanted, matches: &mut Matches) -> io::Result<()> {
        self.add_exact(wanted, matches)?;
        if !may_have_typo(&wanted.word) {
            return Ok(());
        }
        let folded = &wanted.word.folded;
        let automaton = if wanted.may_go_on { ONE_TYPO.build_prefix_dfa(folded) } else { ONE_TYPO.build_dfa(folded) };
        self.words.add_accepted(Typo(&automaton), matches)
    }
}

/// The automaton of a word with at most one typo, as the dictionary asks it.
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
