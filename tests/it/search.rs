//! The search index against a naive search that reads every post: same matches, same order, each on one page.

use std::cell::Cell;
use std::collections::BTreeSet;

use api_types::posts::Post;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;
use search_index::{Analyzer, WORDS_MAX, Word, is_unspaced};

use crate::api_site::{ApiSite, Direct, post};

/// Words with common stems, prefixes, accents and near misses.
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

fn text(words: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = String> {
    vec(select(WORDS), words).prop_map(|words| words.join(" "))
}

/// A typed word: complete, truncated, in capitals or with a typo.
fn typed() -> impl Strategy<Value = String> {
    (select(WORDS), 0..8, any::<Index>()).prop_map(|(word, slip, at)| {
        let mut letters: Vec<char> = word.chars().collect();
        let at = at.index(letters.len());
        match slip {
            0 | 1 => letters.truncate(at + 1),
            2 => drop(letters.remove(at)),
            3 => letters.insert(at, 'x'),
            4 => letters[at] = 'z',
            5 if at > 0 => letters.swap(at - 1, at),
            6 => return word.to_uppercase(),
            _ => {}
        }
        letters.into_iter().collect()
    })
}

/// Posts. Their number is around the size of one or two words of the index's bit sets.
fn posts() -> impl Strategy<Value = Vec<Post>> {
    let count = prop_oneof![0..=2_usize, 30..=40_usize, 62..=65_usize, 126..=130_usize];
    let posts =
        count.prop_flat_map(|count| vec((text(1), text(0..4), select(WORDS), text(1)), count));
    posts.prop_map(|posts| {
        let numbered = (1..)
            .zip(posts)
            .map(|(number, (title, content, tag, excerpt))| {
                let mut post = post(number, &title, &content, &[tag]);
                post.excerpt = excerpt;
                // Many posts have the same date; they are sorted by id, the order in which they were indexed.
                post.date = (number % 3 > 0).then(|| "2025-01-01T00:00:00".to_owned());
                post
            });
        numbered.collect()
    })
}

/// The search text, the number of posts per page, and whether the oldest come first.
fn search() -> impl Strategy<Value = (String, usize, bool)> {
    let length = select(&[0, 1, 1, 1, 2, 2, 3, 9]);
    let words = length
        .prop_flat_map(|length| vec(typed(), length))
        .prop_map(|words| words.join(" "));
    (words, 1..=100_usize, any::<bool>())
}

/// The set of words of a post.
struct Words {
    folded: BTreeSet<String>,
    stems: BTreeSet<String>,
}

fn words_of(analyzer: &Analyzer, post: &Post) -> Words {
    let texts = [&post.title, &post.excerpt, &post.content, &post.author.name]
        .into_iter()
        .chain(&post.tags);
    let words: Vec<Word> = texts
        .flat_map(|text| analyzer.words_in_text(text))
        .collect();
    Words {
        folded: words.iter().map(|word| word.folded.clone()).collect(),
        stems: words.into_iter().map(|word| word.stem).collect(),
    }
}

/// Whether two words differ by at most one edit: an inserted, missing or wrong letter, or two swapped ones.
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

fn has(post: &Words, word: &Word, may_be_prefix: bool, allow_typo: bool) -> bool {
    let letters: Vec<char> = word.folded.chars().collect();
    let is_prefix =
        may_be_prefix && (letters.len() >= 2 || letters.iter().all(|letter| is_unspaced(*letter)));
    let is_like = |known: &String| {
        let known: Vec<char> = known.chars().collect();
        let parts = if is_prefix {
            0..=known.len()
        } else {
            known.len()..=known.len()
        };
        parts.into_iter().any(|end| {
            known[..end] == letters[..]
                || allow_typo && letters.len() >= 5 && is_near(&known[..end], &letters)
        })
    };
    post.stems.contains(&word.stem) || post.folded.iter().any(is_like)
}

/// The matching posts, found by reading all.
fn naive<'p>(analyzer: &Analyzer, posts: &'p [(Post, Words)], search: &str) -> Vec<&'p str> {
    let all = analyzer.words(search);
    let is_blank = search.trim().is_empty();
    let counted = &all[..all.len().min(WORDS_MAX)];
    let found = |allow_typo: bool| {
        let matches = |words: &Words| {
            counted
                .iter()
                .enumerate()
                .all(|(at, word)| has(words, word, at + 1 == all.len(), allow_typo))
        };
        let matching = posts
            .iter()
            .filter(|(_, words)| is_blank || !counted.is_empty() && matches(words));
        matching
            .map(|(post, _)| post.slug.as_str())
            .collect::<Vec<_>>()
    };
    let exact = found(false);
    if exact.is_empty() { found(true) } else { exact }
}

#[test]
fn pagination_returns_each_match_once() {
    let config = ProptestConfig::default();
    let config = ProptestConfig {
        cases: config.cases.div_ceil(16),
        ..config
    };
    let (found_some, found_none) = (Cell::new(0), Cell::new(0));
    let run = TestRunner::new(config).run(&(posts(), vec(search(), 0..80)), |(posts, searches)| {
        let site = ApiSite::new(posts.clone(), Vec::new());
        let (api, analyzer) = (Direct::of(&site), Analyzer::new("en"));
        let posts: Vec<(Post, Words)> = posts
            .into_iter()
            .map(|post| (post.clone(), words_of(&analyzer, &post)))
            .collect();
        for (search, per_page, oldest_first) in searches {
            let mut wanted = naive(&analyzer, &posts, &search);
            if oldest_first {
                wanted.reverse();
            }
            let mut found = Vec::new();
            for page in 1.. {
                let query = percent_encoding::percent_encode(
                    search.as_bytes(),
                    percent_encoding::NON_ALPHANUMERIC,
                );
                let order = if oldest_first { "asc" } else { "desc" };
                let target = format!(
                    "/api/posts?search={query}&per_page={per_page}&page={page}&order={order}"
                );
                let answer = api.request("GET", &target, &[]);
                prop_assert_eq!(
                    answer.total(),
                    wanted.len() as u64,
                    "{:?} among {}",
                    search,
                    posts.len()
                );
                let slugs = answer.slugs();
                if slugs.is_empty() {
                    break;
                }
                found.extend(slugs);
            }
            prop_assert_eq!(
                &found,
                &wanted,
                "{:?} among {}, {} at once",
                search,
                posts.len(),
                per_page
            );
            let count = if found.is_empty() {
                &found_none
            } else {
                &found_some
            };
            count.set(count.get() + 1);
        }
        Ok(())
    });
    run.unwrap_or_else(|failure| panic!("{failure}"));
    let (found_some, found_none) = (found_some.get(), found_none.get());
    assert!(
        found_some > 200 && found_none > 20,
        "the test covered too few searches: {found_some}, {found_none}"
    );
}
