//! Microbenchmarks of the work per post: `cargo bench --bench hot`. Compare the medians of two runs on an idle machine.

use std::fmt::Write as _;
use std::ops::Range;

use diagnostics::problem::{Source, Span};
use diagnostics::yaml;
use divan::{Bencher, black_box};
use search_index::Analyzer;
use text::markdown::{Rules, mark};
use text::rich::{InlinePicture, Marked, Target, count};
use text::sanitize::{Open, clean};

fn main() {
    divan::main();
}

/// A typical post of about 700 words.
fn text() -> String {
    let mut text = String::new();
    for part in 0..7 {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "## Part {part} of the work\n");
        for _ in 0..4 {
            text.push_str("A bridge that nobody looks after is a bridge that somebody will have to *close*, and ");
            text.push_str("[closing](page:contact) costs more than looking after it ever did. Año tras año.\n\n");
        }
        text.push_str(
            "- one `span`\n- two spans\n\n| what | how much |\n|---|---:|\n| steel | 12 |\n\n",
        );
        text.push_str(
            "```rust\nfn load(span: f64) -> f64 {\n    // in kN\n    span * 1.5\n}\n```\n\n",
        );
    }
    text
}

fn marked(text: &str) -> Marked {
    let locate = |_: &str, range: Range<usize>| Span::new(range.start, range.end);
    mark(
        text,
        Rules {
            article: true,
            taken: &[],
            fill: &str::to_owned,
            locate: &locate,
            origin: None,
        },
    )
}

#[divan::bench]
fn markdown(bencher: Bencher) {
    let text = text();
    bencher.bench(|| marked(black_box(&text)));
}

#[divan::bench]
fn pieces(bencher: Bencher) {
    let marked = marked(&text());
    bencher.bench(|| black_box(&marked).finish());
}

#[divan::bench]
fn foreign_html(bencher: Bencher) {
    let html = marked(&text()).html.replace('\0', "");
    bencher.bench(|| {
        let open = Open {
            link: &mut |href| {
                Some(Target {
                    to: href.to_owned(),
                    span: Span::default(),
                })
            },
            picture: &mut |src, _| {
                Some(InlinePicture {
                    src: src.to_owned(),
                    alt: String::new(),
                    span: Span::default(),
                })
            },
            media: None,
            shortcodes: true,
        };
        clean(
            Marked {
                html: black_box(&html).clone(),
                ..Marked::default()
            },
            open,
        )
    });
}

#[divan::bench]
fn front_matter(bencher: Bencher) {
    let text = "title: Slow bridges\ndate: 2025-03-14\nauthor: ana\ntags: [Steel, Care, Spans]\nexcerpt: >\n  Two lines\n  of words.\n";
    let source = Source::new("post.md".into(), text.into());
    bencher.bench(|| yaml::parse(black_box(&source), 0..source.text.len()).is_ok());
}

#[divan::bench]
fn reading_time(bencher: Bencher) {
    let text = text();
    bencher.bench(|| count(black_box(&text)));
}

#[divan::bench]
fn search_terms(bencher: Bencher) {
    let (text, analyzer) = (text(), Analyzer::new("es"));
    bencher.bench(|| analyzer.words(black_box(&text)).len());
}
