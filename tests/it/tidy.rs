//! Rules of the codebase: module dependencies, file comments, file sizes, forbidden words.

use std::collections::{BTreeMap, BTreeSet};

use crate::site_test::{files_below, repository};

/// Text files below a folder of the repository, by path.
fn texts(folder: &str, endings: &[&str]) -> BTreeMap<String, String> {
    files_below(&repository().join(folder))
        .into_iter()
        .filter(|(path, _)| endings.iter().any(|ending| path.ends_with(ending)))
        .filter_map(|(path, bytes)| Some((format!("{folder}/{path}"), String::from_utf8(bytes).ok()?)))
        .collect()
}

/// All Rust sources of the workspace, by path.
fn sources() -> BTreeMap<String, String> {
    texts("src", &[".rs"]).into_iter().chain(texts("crates", &[".rs"])).collect()
}

/// The module of the generator, or the crate, that a file belongs to: `src/routes/links.rs` belongs to `routes`, and
/// `crates/api/src/leads.rs` to `api`.
fn module(path: &str) -> &str {
    let path = path.strip_prefix("src/").or(path.strip_prefix("crates/")).unwrap_or(path);
    path.split('/').next().unwrap_or(path).trim_end_matches(".rs")
}

/// The code of a file without its tests, which may use anything.
fn code(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or(text)
}

fn arrows_in_code() -> BTreeMap<String, BTreeSet<String>> {
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in texts("src", &[".rs"]) {
        let from = module(&path);
        if matches!(from, "lib" | "main") {
            continue;
        }
        let own = arrows.entry(from.to_owned()).or_default();
        let mentions = code(&text)
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            // The command line belongs to the binary, which uses the library by name.
            .flat_map(|line| {
                let names = ["crate::", "sitegen::"].into_iter().flat_map(|root| line.match_indices(root));
                names.map(move |(at, root)| &line[at + root.len()..])
            });
        for rest in mentions {
            let names: Vec<&str> = match rest.strip_prefix('{') {
                Some(list) => list.split('}').next().unwrap_or_default().split(',').map(str::trim).collect(),
                None => vec![rest],
            };
            for name in names {
                let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if !name.is_empty() && name != from {
                    own.insert(name);
                }
            }
        }
    }
    arrows
}

/// The fenced table of ARCHITECTURE.md, with lines such as `routes → model config problem`.
fn arrows_in_document() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let table =
        text.split("```arrows\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the fenced table of arrows");
    table
        .lines()
        .filter_map(|line| line.split_once('→'))
        .map(|(from, to)| {
            (
                from.trim().to_owned(),
                to.split_whitespace().filter(|name| *name != "(nothing)").map(str::to_owned).collect(),
            )
        })
        .collect()
}

#[test]
fn modules_use_each_other_as_documented() {
    let (code, document) = (arrows_in_code(), arrows_in_document());
    for (from, to) in &code {
        let documented =
            document.get(from).unwrap_or_else(|| panic!("the table in ARCHITECTURE.md has no line for `{from}`"));
        assert_eq!(to, documented, "the modules that `{from}` uses in src/ (left) differ from ARCHITECTURE.md (right)");
    }
    assert_eq!(code.keys().collect::<Vec<_>>(), document.keys().collect::<Vec<_>>());
}

#[test]
fn modules_have_no_cycles() {
    let arrows = arrows_in_document();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    while done.len() < arrows.len() {
        let next = arrows
            .iter()
            .find(|(from, to)| !done.contains(from.as_str()) && to.iter().all(|name| done.contains(name.as_str())));
        let (from, _) = next.unwrap_or_else(|| {
            panic!(
                "these modules form a cycle: {:?}",
                arrows.keys().filter(|name| !done.contains(name.as_str())).collect::<Vec<_>>()
            )
        });
        done.insert(from);
    }
}

#[test]
fn every_file_begins_with_a_description() {
    for (path, text) in sources().into_iter().chain(texts("tests/it", &[".rs"])) {
        assert!(text.starts_with("//! "), "{path} does not begin with a `//!` line");
    }
    for (path, text) in texts("react", &[".ts", ".tsx"]) {
        assert!(text.starts_with("// ") || text.starts_with("/**"), "{path} does not begin with a comment");
    }
}

#[test]
fn files_stay_small_enough_to_read() {
    let mut sizes: Vec<(usize, String)> =
        sources().into_iter().map(|(path, text)| (text.lines().count(), path)).collect();
    sizes.sort();
    for (lines, path) in &sizes {
        assert!(*lines <= 600 || path.ends_with("content/sections.rs"), "{path} has {lines} lines: split it");
    }
    let nine_of_ten = &sizes[sizes.len() * 9 / 10 - 1];
    assert!(nine_of_ten.0 <= 400, "more than a tenth of the files have over 400 lines, such as {nine_of_ten:?}");
}

#[test]
fn file_names_are_specific() {
    for path in ["src", "crates", "react"].iter().flat_map(|folder| files_below(&repository().join(folder)).into_keys())
    {
        for word in ["util", "common", "misc", "helper", "manager", "processor", "service"] {
            assert!(!path.to_lowercase().contains(word), "{path}");
        }
    }
}

/// Interface messages belong in content. Any letters between tags count as text.
#[test]
fn templates_contain_no_visible_text() {
    for (path, text) in texts("templates", &[".html"]) {
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
            rest = rest[at..].find(close).map_or("", |end| &rest[at + end + close.len()..]);
        }
        plain.push_str(rest);
        for part in plain.split('>').skip(1) {
            let words = part.split('<').next().unwrap_or_default();
            // A macro may consist of attributes, which are inserted into a tag elsewhere.
            let words: Vec<&str> = words.split_whitespace().filter(|word| !word.contains("=\"")).collect();
            let words = words.join(" ").replace("&nbsp;", "").replace("&copy;", "");
            assert!(
                !words.chars().any(char::is_alphabetic),
                "{path} contains the text {:?}: move it to content/locales",
                words.trim()
            );
        }
        for attribute in ["alt=\"", "aria-label=\"", "placeholder=\"", "title=\""] {
            for value in text.split(attribute).skip(1).map(|rest| rest.split('"').next().unwrap_or_default()) {
                assert!(value.is_empty() || value.contains('{'), "{path}: {attribute}{value}\" contains text");
            }
        }
    }
}

/// The generator does not depend on a company.
#[test]
fn the_brand_is_in_content_only() {
    let settings = std::fs::read_to_string(repository().join("content/site.yaml")).expect("site.yaml");
    let slug = settings
        .lines()
        .find_map(|line| line.trim().strip_prefix("slug: "))
        .expect("the product's slug")
        .trim()
        .to_owned();
    let places = ["src", "crates", "templates", "react", "tests"];
    for (path, text) in places
        .iter()
        .flat_map(|folder| texts(folder, &[".rs", ".html", ".css", ".ts", ".tsx", ".mjs", ".yaml", ".txt"]))
    {
        assert!(!text.to_lowercase().contains(&slug), "{path} names the brand");
    }
    // In content, the slug may be a common word, but the name as it is written is not allowed.
    let name = settings.lines().find_map(|line| line.trim().strip_prefix("name: ")).expect("the product's name").trim();
    let pages = texts("content", &[".yaml"]);
    for (path, text) in pages.iter().filter(|(path, _)| !path.ends_with("site.yaml")) {
        assert!(!text.contains(name), "{path} names the brand: write {{product.name}}");
    }
}

/// Which modules may write files, start processes, use the network, and read the environment and the clock.
/// ARCHITECTURE.md documents the same rules.
#[test]
fn external_access_is_limited_to_documented_modules() {
    let rules: &[(&str, &[&str])] = &[
        ("fs_err::write", &["publish", "cache", "assets", "pipeline", "timings"]),
        ("Command::new", &["assets", "islands"]),
        ("tokio::net", &["serve", "api", "site-api"]),
        ("reqwest", &["addresses", "content", "link_check", "api"]),
        ("std::env", &["config", "api"]),
        // `link_check` expires cached responses of other sites; the output does not depend on them.
        ("SystemTime::now", &["config", "link_check", "api"]),
    ];
    for (path, text) in sources() {
        for (what, where_) in rules {
            let outside = code(&text).contains(what) && !where_.contains(&module(&path));
            assert!(!outside, "{path} uses {what}, which belongs to {where_:?}");
        }
    }
}
