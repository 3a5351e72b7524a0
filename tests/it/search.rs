//! Searching against a search that reads every post: the same matches, in order, each on one page.

use std::collections::BTreeSet;

use api_types::posts::Post;
use search_index::{Analyser, WORDS_MAX, Word};

use crate::api_site::{ApiSite, Direct, post};
use crate::dice::Dice;

/// Words that share stems, beginnings, accents and near misses.
const WORDS: &[&str] = &[
    "cache",
    "caches",
    "cached",
    "caching",
    "cachet",
    "query",
    "queries",
    "quarry",
    "postgres",
    "PostgreSQL",
    "post",
    "posts",
    "migración",
    "migracion",
    "migrate",
    "migration",
    "migrations",
    "naïve",
    "naive",
    "índice",
    "indices",
    "index",
    "ﬁle",
    "file",
    "Straße",
    "strasse",
    "an",
    "a",
    "2025",
    "20",
    "C3PO",
    "supercalifragilistic",
    "東京",
    "データ",
];

impl Dice {
    fn word(&mut self) -> String {
        WORDS[self.below(WORDS.len())].to_owned()
    }

    fn text(&mut self, words: usize) -> String {
        (0..words).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    /// A word as somebody types it: whole, cut, in capitals or with a slip.
    fn typed(&mut self) -> String {
        let word = self.word();
        let mut letters: Vec<char> = word.chars().collect();
        let at = self.below(letters.len());
        match self.below(8) {
            0 | 1 => letters.truncate(at + 1),
            2 => drop(letters.remove(at)),
            3 => letters.insert(at, 'x'),
            4 => letters[at] = 'z',
            5 if at > 0 => letters.swap(at - 1, at),
            6 => return word.to_uppercase(),
            _ => {}
        }
        letters.into_iter().collect()
    }
}

/// Every word of a post, by itself.
struct Words {
    folded: BTreeSet<String>,
    stems: BTreeSet<String>,
}

fn words_of(analyser: &Analyser, post: &Post) -> Words {
    let texts = [&post.title, &post.excerpt, &post.content, &post.author.name].into_iter().chain(&post.tags);
    let words: Vec<Word> = texts.flat_map(|text| analyser.words(text)).collect();
    Words {
        folded: words.iter().map(|word| word.folded.clone()).collect(),
        stems: words.into_iter().map(|word| word.stem).collect(),
    }
}

/// Whether two words differ in one letter too many, too few or wrong, or in two that are swapped, or not at all.
fn is_near(a: &[char], b: &[char]) -> bool {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[same..], &b[same..]);
    let swapped = a.len() > 1 && b.len() > 1 && (a[0], a[1]) == (b[1], b[0]) && a[2..] == b[2..];
    a == b
        || swapped
        || !a.is_empty() && !b.is_empty() && a[1..] == b[1..]
        || !a.is_empty() && a[1..] == *b
        || !b.is_empty() && b[1..] == *a
}

fn has(post: &Words, word: &Word, may_go_on: bool, forgiving: bool) -> bool {
    let letters: Vec<char> = word.folded.chars().collect();
    let goes_on = may_go_on && letters.len() >= 2;
    let is_like = |known: &String| {
        let known: Vec<char> = known.chars().collect();
        let parts = if goes_on { 0..=known.len() } else { known.len()..=known.len() };
        parts.into_iter().any(|end| {
            known[..end] == letters[..] || forgiving && letters.len() >= 5 && is_near(&known[..end], &letters)
        })
    };
    post.stems.contains(&word.stem) || post.folded.iter().any(is_like)
}

/// The posts that match, by reading them all.
fn naive<'p>(analyser: &Analyser, posts: &'p [(Post, Words)], search: &str) -> Vec<&'p str> {
    let all: Vec<Word> = analyser.words(search).collect();
    let is_blank = search.trim().is_empty();
    let counted = &all[..all.len().min(WORDS_MAX)];
    let found = |forgiving: bool| {
        let matches = |words: &Words| {
            counted.iter().enumerate().all(|(at, word)| has(words, word, at + 1 == all.len(), forgiving))
        };
        let matching = posts.iter().filter(|(_, words)| is_blank || !counted.is_empty() && matches(words));
        matching.map(|(post, _)| post.slug.as_str()).collect::<Vec<_>>()
    };
    let exact = found(false);
    if exact.is_empty() { found(true) } else { exact }
}

#[test]
fn paging_gives_each_match_once_and_no_other() {
    let mut dice = Dice(0x5eed_1e55_c0ff_ee00);
    let (mut found_some, mut found_none) = (0, 0);
    for round in 0..6 {
        let count = [0, 1, 40, 63, 64, 130][round];
        let posts: Vec<Post> = (1..=count)
            .map(|number| {
                let length = dice.below(4);
                let (title, text) = (dice.text(1), dice.text(length));
                let tag = dice.word();
                let mut post = post(number, &title, &text, &[&tag]);
                post.excerpt = dice.text(1);
                // Many posts of one day: their ids decide, and the writer was given them in that order.
                post.date = (number % 3 > 0).then(|| "2025-01-01T00:00:00".to_owned());
                post
            })
            .collect();
        let site = ApiSite::new(posts.clone(), Vec::new());
        let (api, analyser) = (Direct::of(&site), Analyser::new("en"));
        let posts: Vec<(Post, Words)> =
            posts.into_iter().map(|post| (post.clone(), words_of(&analyser, &post))).collect();
        for _ in 0..120 {
            let length = [0, 1, 1, 1, 2, 2, 3, 9][dice.below(8)];
            let search = (0..length).map(|_| dice.typed()).collect::<Vec<_>>().join(" ");
            let mut wanted = naive(&analyser, &posts, &search);
            let per_page = 1 + dice.below(100);
            let order = if dice.below(2) == 0 { "desc" } else { "asc" };
            if order == "asc" {
                wanted.reverse();
            }
            let mut found = Vec::new();
            for page in 1.. {
                let query = percent_encoding::percent_encode(search.as_bytes(), percent_encoding::NON_ALPHANUMERIC);
                let target = format!("/api/posts?search={query}&per_page={per_page}&page={page}&order={order}");
                let answer = api.ask("GET", &target, &[]);
                assert_eq!(answer.total(), wanted.len() as u64, "{search:?} among {count}");
                let slugs = answer.slugs();
                if slugs.is_empty() {
                    break;
                }
                found.extend(slugs);
            }
            assert_eq!(found, wanted, "{search:?} among {count}, {per_page} at once, {order}");
            if found.is_empty() { found_none += 1 } else { found_some += 1 }
        }
    }
    assert!(found_some > 200 && found_none > 50, "the test looked at too little: {found_some}, {found_none}");
}
