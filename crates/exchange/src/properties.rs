//! Properties of the three formats that go to translators and come back: what was written is what is read, and no file that
//! somebody has broken ends the program.

use proptest::prelude::*;

use super::import::resolved;
use super::inline::pieces;
use super::unit::{Document, Match, State, TextPlace, Unit, before};
use super::{ReturnedFile, po, table, xliff};

/// What a text can be made of. XML, PO, tables and Markdown each have signs of their own.
const PIECES: &[&str] = &[
    "word ",
    "ä",
    "日本",
    "\u{a0}",
    "\n",
    "\n\n",
    "- ",
    "## ",
    "**bold**",
    "*a",
    "[us](page:about)",
    "![A cat](cat.jpg)",
    "`code`",
    "{count}",
    "<br>",
    "<b>x</b>",
    "<https://a.example/?b=c&d>",
    "&amp;",
    "&",
    "<",
    "]]>",
    "\"",
    "'",
    "\\",
    "\\n",
    "%s",
    ",",
    ";",
    "\t",
    "=1+1",
    "@x",
    "#",
    "|",
];

fn text() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(PIECES).prop_map(str::to_owned);
    prop::collection::vec(piece, 1..8)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("a text that says something", |text| !text.trim().is_empty())
}

/// The unit of a pair of texts.
fn unit(at: usize, texts: &(String, Option<String>)) -> Unit {
    let (source, target) = texts;
    Unit {
        name: format!("hero.text-{at}"),
        line: 1,
        source: source.clone(),
        target: target.clone(),
        state: if target.is_some() {
            State::Translated
        } else {
            State::Initial
        },
        before: before(target.as_deref()),
        meaning: "A line of the page -- its first.".to_owned(),
        max: Some(80),
        matches: vec![Match {
            percent: 80,
            source: source.clone(),
            target: "Like \"it\" <x>".to_owned(),
        }],
        terms: vec![("word".to_owned(), "palabra".to_owned())],
        place: TextPlace::Yaml {
            path: vec!["hero".to_owned(), format!("text-{at}")],
            locale_at: None,
        },
    }
}

/// A document with a unit for each pair of texts.
fn document(texts: &[(String, Option<String>)]) -> Document {
    Document {
        key: "pages/home".to_owned(),
        reference: "en".to_owned(),
        locale: "es".to_owned(),
        from: "home/en.yaml".to_owned(),
        to: "home/es.yaml".to_owned(),
        address: "/".to_owned(),
        units: texts
            .iter()
            .enumerate()
            .map(|(at, texts)| unit(at, texts))
            .collect(),
    }
}

/// The names and readers of the formats, with the file of a document in each.
fn files(document: &Document) -> [(&'static str, Vec<u8>); 3] {
    let (all, languages) = (std::slice::from_ref(document), ("en", "es"));
    [
        ("a.xlf", xliff::write(all, languages, "site").into_bytes()),
        ("a.po", po::write(all, languages, "site").into_bytes()),
        ("a.csv", table::write(all, languages)),
    ]
}

fn read(name: &str, bytes: &[u8]) -> Option<ReturnedFile> {
    let text = || std::str::from_utf8(bytes).ok();
    match name {
        "a.xlf" => xliff::read(name, text()?).ok(),
        "a.po" => po::read(name, text()?).ok(),
        _ => table::read(name, bytes).ok(),
    }
}

proptest! {
    #[test]
    fn what_is_written_is_what_is_read(texts in prop::collection::vec((text(), prop::option::of(text())), 1..4)) {
        let document = document(&texts);
        for (name, bytes) in files(&document) {
            let file = read(name, &bytes);
            let shown = String::from_utf8_lossy(&bytes).into_owned();
            prop_assert!(file.is_some(), "{}\n{}", name, shown);
            let units = file.expect("a file").units;
            prop_assert_eq!(units.len(), texts.len(), "{}", shown);
            for (unit, (source, target)) in units.iter().zip(&texts) {
                let target_pieces = pieces(target.as_deref().unwrap_or_default());
                let read = unit.target.as_ref().map(|text| resolved(text, &pieces(source), &target_pieces));
                prop_assert_eq!(read, target.clone().map(Ok), "{}", shown);
            }
        }
    }

    #[test]
    fn a_broken_file_is_read_or_refused(
        texts in prop::collection::vec((text(), prop::option::of(text())), 1..3),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, proptest::sample::select(PIECES)), 1..5),
    ) {
        for (name, mut bytes) in files(&document(&texts)) {
            for (at, length, new) in &cuts {
                let start = at.index(bytes.len());
                let end = (start + length).min(bytes.len());
                bytes.splice(start..end, new.bytes());
            }
            read(name, &bytes);
        }
    }
}
