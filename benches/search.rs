//! The latency of searches in process, one after the other, and the cost of the index. `bench/search` runs it.
//! If `BENCH_JSON` names a file, the figures are also written to it.
//!
//! The texts are a hard case: word frequencies follow Zipf's law, so the most common word is in nearly every post,
//! about a hundred words are in a third of them, and lists of matches are long.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark is told by the environment what to measure"
)]
#![expect(
    clippy::print_stdout,
    reason = "the figures of a benchmark are its result"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use api_types::base_url::Hosts;
use api_types::posts::{Author, AvatarUrls, Post};
use assets::output::Body;
use generator::indexing;
use render::LanguagePosts;
use search_index::{Index, Order, Request};
use serde_json::{Map, Value, json};

/// Number of words in the vocabulary.
const VOCABULARY: usize = 20_000;
/// Number of words in a text.
const WORDS: usize = 150;
/// Number of searches of each kind.
const REQUESTS: usize = 4_000;

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let mut sizes: Vec<usize> = arguments
        .iter()
        .filter_map(|text| text.parse().ok())
        .collect();
    if sizes.is_empty() {
        sizes = vec![1_000, 10_000, 100_000];
    }
    // Figures are for one core, so posts are analyzed on one thread.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread");
    let figures: Vec<Value> = pool.install(|| sizes.into_iter().map(measure).collect());
    if let Some(file) = std::env::var_os("BENCH_JSON") {
        std::fs::write(file, Value::from(figures).to_string()).expect("a file");
    }
}

/// Generates a search.
type MakeSearch = fn(&mut Dice, &[String]) -> String;

/// Prints the figures of one size, and returns them. Times are in milliseconds, sizes in kB a post.
fn measure(posts: usize) -> Value {
    let mut dice = Dice(0x5eed_0f5e_a2c4_0001);
    let vocabulary: Vec<String> = (0..VOCABULARY).map(|_| dice.invented()).collect();
    let generated: Vec<(Post, Vec<String>)> = (0..posts)
        .map(|number| post(&mut dice, &vocabulary, number))
        .collect();
    let language = LanguagePosts {
        locale: "en".into(),
        language: "en".into(),
        categories: Vec::new(),
        posts: generated,
    };

    let folder = tempfile::tempdir_in("target").expect("a folder");
    let started = Instant::now();
    let search = indexing::prepare(
        Hosts {
            main: "https://site.example",
            languages: &[],
        },
        vec![language],
    );
    let outputs = search.outputs().expect("an index");
    let time = started.elapsed();
    let (mut index_bytes, mut all_bytes) = (0, 0);
    for output in outputs {
        let Body::Bytes(bytes) = output.body else {
            continue;
        };
        all_bytes += bytes.len();
        if !output.path.ends_with("/cards") && !output.path.ends_with("/bodies") {
            index_bytes += bytes.len();
        }
        let target = folder.path().join(&output.path);
        std::fs::create_dir_all(target.parent().expect("a parent")).expect("a folder");
        std::fs::write(target, bytes.as_slice()).expect("a file");
    }
    let started = Instant::now();
    assert!(
        !indexing::has(Path::new("nowhere"), search.build())
            && indexing::has(folder.path(), search.build())
    );
    let unchanged = started.elapsed();

    let started = Instant::now();
    let index = Index::open(&folder.path().join("en"), "en").expect("an index");
    let opened = started.elapsed();
    let kinds: [(&str, MakeSearch); 4] = [
        ("mixed", mixed),
        ("one common word", common),
        ("unfinished word", unfinished),
        ("typo", typo),
    ];
    println!("{posts} posts");
    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    let each = |bytes: usize| bytes as f64 / posts as f64 / 1e3;
    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    let rate = posts as f64 / time.as_secs_f64();
    println!(
        "  index          {rate:>9.0} posts a second and core, {:.2} kB a post, {:.2} kB with the posts",
        each(index_bytes),
        each(all_bytes)
    );
    println!(
        "  unchanged, open {:>8.2} ms, {:.2} ms",
        ms(unchanged),
        ms(opened)
    );
    let mut searches = Map::new();
    for (name, make_search) in kinds {
        let requests: Vec<String> = (0..REQUESTS)
            .map(|_| make_search(&mut dice, &vocabulary))
            .collect();
        let mut found = 0;
        let mut times: Vec<Duration> = requests
            .iter()
            .map(|search| {
                let started = Instant::now();
                let matches = index.find(&Request { search, tag: None }).expect("matches");
                found += usize::from(!matches.is_empty());
                for place in matches.page(Order::Newest, 0, 10) {
                    let card = index.card(place).expect("a post");
                    let post: Post = serde_json::from_slice(card.as_ref()).expect("a post");
                    std::hint::black_box(post);
                }
                std::hint::black_box(matches.total());
                started.elapsed()
            })
            .collect();
        times.sort_unstable();
        let (p50, p99) = (ms(times[REQUESTS / 2]), ms(times[REQUESTS * 99 / 100]));
        println!(
            "  {name:<16} {p50:>7.3} ms p50, {p99:.3} ms p99, {found} of {REQUESTS} found something"
        );
        searches.insert(
            name.to_owned(),
            json!({"p50": p50, "p99": p99, "found": found, "of": REQUESTS}),
        );
    }
    json!({
        "posts": posts,
        "per_second": rate,
        "index_kb": each(index_bytes),
        "all_kb": each(all_bytes),
        "unchanged": ms(unchanged),
        "open": ms(opened),
        "searches": searches,
    })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A seeded random number generator (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % limit
    }

    fn invented(&mut self) -> String {
        const SYLLABLES: &[&str] = &[
            "ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "xo",
            "zu", "tra", "ple", "ing", "er", "ción", "ñe", "sto", "qui", "and", "est",
        ];
        (0..2 + self.below(3))
            .map(|_| SYLLABLES[self.below(SYLLABLES.len())])
            .collect()
    }

    /// Chooses a word with a frequency by Zipf's law.
    fn word<'v>(&mut self, vocabulary: &'v [String]) -> &'v str {
        let bits = self.below(1 << 30);
        #[expect(clippy::cast_precision_loss, reason = "30 bits")]
        let share = bits as f64 / f64::from(1 << 30);
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let rank = (vocabulary.len() as f64).powf(share) - 1.0;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "within the vocabulary"
        )]
        let rank = rank as usize;
        &vocabulary[rank.min(vocabulary.len() - 1)]
    }

    fn text(&mut self, vocabulary: &[String], words: usize) -> String {
        (0..words)
            .map(|_| self.word(vocabulary))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

fn post(dice: &mut Dice, vocabulary: &[String], number: usize) -> (Post, Vec<String>) {
    let slug = format!("post-{number}");
    let tag = format!("tag-{}", number % 40);
    let post = Post {
        id: slug.clone(),
        key: slug.clone(),
        title: dice.text(vocabulary, 6),
        link: format!("/blog/{slug}/"),
        slug,
        date: Some("2025-01-01T00:00:00".into()),
        modified: None,
        content: format!("<p>{}</p>", dice.text(vocabulary, WORDS)),
        excerpt: dice.text(vocabulary, 20),
        author: Author {
            name: "Ana Ruiz".into(),
            slug: "ana-ruiz".into(),
            description: String::new(),
            avatar_urls: AvatarUrls::default(),
        },
        featured_image: None,
        cover: None,
        tags: vec![tag.clone()],
    };
    (post, vec![tag])
}

/// One to four words with the frequencies of the texts. The last one is incomplete or has a typo.
fn mixed(dice: &mut Dice, vocabulary: &[String]) -> String {
    let mut words: Vec<String> = (0..=dice.below(3))
        .map(|_| dice.word(vocabulary).to_owned())
        .collect();
    if dice.below(10) == 0 {
        words.push(typo(dice, vocabulary));
    } else {
        words.push(unfinished(dice, vocabulary));
    }
    words.join(" ")
}

fn common(dice: &mut Dice, vocabulary: &[String]) -> String {
    vocabulary[dice.below(100)].clone()
}

fn unfinished(dice: &mut Dice, vocabulary: &[String]) -> String {
    let word: Vec<char> = dice.word(vocabulary).chars().collect();
    word[..2 + dice.below(word.len() - 1)].iter().collect()
}

fn typo(dice: &mut Dice, vocabulary: &[String]) -> String {
    let mut word: Vec<char> = vocabulary[dice.below(vocabulary.len())].chars().collect();
    let at = dice.below(word.len());
    word[at] = 'w';
    word.into_iter().collect()
}
