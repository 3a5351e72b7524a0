//! Rules of the codebase: which crates use each other, file comments, file sizes, forbidden words.

use std::collections::{BTreeMap, BTreeSet};

use crate::site_test::{each, files_below, repository};

/// Text files below a folder of the repository, by path.
fn texts(folder: &str, endings: &[&str]) -> BTreeMap<String, String> {
    files_below(&repository().join(folder))
        .into_iter()
        .filter(|(path, _)| endings.iter().any(|ending| path.ends_with(ending)))
        .filter_map(|(path, bytes)| {
            Some((format!("{folder}/{path}"), String::from_utf8(bytes).ok()?))
        })
        .collect()
}

/// All Rust sources of the workspace, by path.
fn sources() -> BTreeMap<String, String> {
    texts("src", &[".rs"])
        .into_iter()
        .chain(texts("crates", &[".rs"]))
        .collect()
}

/// The crates of this repository.
fn names_of_crates() -> BTreeSet<String> {
    let folders = std::fs::read_dir(repository().join("crates"))
        .expect("crates/")
        .flatten();
    let folders = folders.filter(|folder| folder.path().join("Cargo.toml").exists());
    folders
        .filter_map(|folder| folder.file_name().into_string().ok())
        .collect()
}

/// The crates of this repository that each of them uses, from its manifest.
fn crates_in_manifests() -> BTreeMap<String, BTreeSet<String>> {
    let all = names_of_crates();
    let uses = |file: &str| -> BTreeSet<String> {
        let text = std::fs::read_to_string(repository().join(file)).expect("a manifest");
        let list = text
            .split("\n[dependencies]\n")
            .nth(1)
            .unwrap_or_default()
            .split("\n[")
            .next()
            .unwrap_or_default();
        let names = list
            .lines()
            .filter_map(|line| line.split(['.', ' ']).next());
        names
            .filter(|name| all.contains(*name))
            .map(str::to_owned)
            .collect()
    };
    let of = |name: &String| (name.clone(), uses(&format!("crates/{name}/Cargo.toml")));
    all.iter()
        .map(of)
        .chain([("sitegen".to_owned(), uses("Cargo.toml"))])
        .collect()
}

#[test]
fn crates_stand_below_those_that_they_use() {
    let text =
        std::fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let names = text
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name);
    let names = names.filter_map(|name| {
        if name == "src/" {
            Some("sitegen")
        } else {
            name.strip_prefix("crates/")
        }
    });
    let order: Vec<&str> = names.collect();
    let manifests = crates_in_manifests();
    assert_eq!(
        manifests
            .keys()
            .map(String::as_str)
            .collect::<BTreeSet<_>>(),
        order.iter().copied().collect()
    );
    for (at, name) in order.iter().enumerate() {
        for used in &manifests[*name] {
            assert!(
                order[..at].contains(&used.as_str()),
                "`{name}` uses `{used}`, which stands below it in ARCHITECTURE.md"
            );
        }
    }
}

/// `Word` is what the check for unused interface messages knows of Rust code.
#[test]
fn messages_that_code_reads_are_listed() {
    let code: String = sources()
        .into_iter()
        .filter(|(path, _)| !path.ends_with("src/locale.rs"))
        .map(|(_, text)| text)
        .collect();
    for word in languages::locale::Word::ALL {
        let name = format!("Word::{word:?}");
        assert!(
            code.contains(&format!("{name},")) || code.contains(&format!("{name})")),
            "nothing uses `{name}`"
        );
    }
    assert!(
        !code.contains(".word(\""),
        "call `own_word`, so that the message is not reported as unused"
    );
}

#[test]
fn every_file_begins_with_a_description() {
    for (path, text) in each(
        sources().into_iter().chain(texts("tests/it", &[".rs"])),
        600,
    ) {
        assert!(
            text.starts_with("//! "),
            "{path} does not begin with a `//!` line"
        );
    }
    for (path, text) in each(texts("react", &[".ts", ".tsx"]), 80) {
        assert!(
            text.starts_with("// ") || text.starts_with("/**"),
            "{path} does not begin with a comment"
        );
    }
}

#[test]
fn files_stay_small_enough_to_read() {
    let mut sizes: Vec<(usize, String)> = sources()
        .into_iter()
        .map(|(path, text)| (length(&text), path))
        .collect();
    sizes.sort();
    for (characters, path) in &sizes {
        assert!(
            *characters <= 24_000,
            "{path} has {characters} characters: split it"
        );
    }
    let nine_of_ten = &sizes[sizes.len() * 9 / 10 - 1];
    assert!(
        nine_of_ten.0 <= 13_000,
        "more than a tenth of the files have over 13,000 characters, such as {nine_of_ten:?}"
    );
}

/// The length of a file in characters, without blanks and line breaks: a formatter does not change it.
fn length(text: &str) -> usize {
    text.chars().filter(|one| !one.is_whitespace()).count()
}

#[test]
fn file_names_are_specific() {
    let folders = ["src", "crates", "react"].iter();
    for path in each(
        folders.flat_map(|folder| files_below(&repository().join(folder)).into_keys()),
        700,
    ) {
        for word in [
            "util",
            "common",
            "misc",
            "helper",
            "manager",
            "processor",
            "service",
        ] {
            assert!(!path.to_lowercase().contains(word), "{path}");
        }
    }
}

/// Interface messages belong in content. Any letters between tags count as text.
#[test]
fn templates_contain_no_visible_text() {
    for (path, text) in each(texts("templates", &[".html"]), 70) {
        let mut plain = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find('{') {
            plain.push_str(&rest[..at]);
            let close = match rest.as_bytes().get(at + 1) {
                Some(b'{') => "}}",
                Some(b'%') => "%}",
                Some(b'#') => "#}",
                _ => "{",
            };
            rest = rest[at..]
                .find(close)
                .map_or("", |end| &rest[at + end + close.len()..]);
        }
        plain.push_str(rest);
        for part in plain.split('>').skip(1) {
            let words = part.split('<').next().unwrap_or_default();
            // A macro may consist of attributes, which are inserted into a tag elsewhere.
            let words: Vec<&str> = words
                .split_whitespace()
                .filter(|word| !word.contains("=\""))
                .collect();
            let words = words.join(" ").replace("&nbsp;", "").replace("&copy;", "");
            assert!(
                !words.chars().any(char::is_alphabetic),
                "{path} contains the text {:?}: move it to content/locales",
                words.trim()
            );
        }
        for attribute in ["alt=\"", "aria-label=\"", "placeholder=\"", "title=\""] {
            for value in text
                .split(attribute)
                .skip(1)
                .map(|rest| rest.split('"').next().unwrap_or_default())
            {
                assert!(
                    value.is_empty() || value.contains('{'),
                    "{path}: {attribute}{value}\" contains text"
                );
            }
        }
    }
}

/// The generator does not depend on a company.
#[test]
fn the_brand_is_in_content_only() {
    let settings =
        std::fs::read_to_string(repository().join("content/site.yaml")).expect("site.yaml");
    let slug = settings
        .lines()
        .find_map(|line| line.trim().strip_prefix("slug: "))
        .expect("the product's slug")
        .trim()
        .to_owned();
    let places = ["src", "crates", "templates", "react", "tests"];
    for (path, text) in places.iter().flat_map(|folder| {
        texts(
            folder,
            &[
                ".rs", ".html", ".css", ".ts", ".tsx", ".mjs", ".yaml", ".txt",
            ],
        )
    }) {
        assert!(
            !text.to_lowercase().contains(&slug),
            "{path} names the brand"
        );
    }
    // In content, the slug may be a common word, but the name as it is written is not allowed.
    let name = settings
        .lines()
        .find_map(|line| line.trim().strip_prefix("name: "))
        .expect("the product's name")
        .trim();
    let pages = texts("content", &[".yaml"]);
    for (path, text) in pages
        .iter()
        .filter(|(path, _)| !path.ends_with("site.yaml"))
    {
        assert!(
            !text.contains(name),
            "{path} names the brand: write {{product.name}}"
        );
    }
}
