//! The site of the brief grows from one language to five. Four people translate at different speeds, each file is a commit,
//! and every commit passes `check --strict`.

use std::collections::BTreeMap;

use crate::site_forms::horizon;
use crate::site_test::{SiteTest, files_below};

const SITE: &str = "content/site.yaml";
const LOCALES: &str = "locales: [en, es, de, ar, zh-hans]";

/// The files of each language that the main one has, by language, without its home page.
type Work = BTreeMap<&'static str, Vec<(String, Vec<u8>)>>;

/// How many files each person translates a week, and whether the language is announced from its home page on, with texts in
/// English until they are translated.
const PEOPLE: [(&str, usize, bool); 4] = [
    ("es", 2, false),
    ("de", 5, true),
    ("ar", 4, false),
    ("zh-hans", 3, true),
];

/// The site in English alone, and what the others will write.
fn in_english() -> (SiteTest, Work) {
    let site = horizon();
    let mut work = Work::new();
    for (path, bytes) in files_below(&site.path("content")) {
        let language = PEOPLE
            .iter()
            .find(|(code, ..)| path.ends_with(&format!("/{code}.yaml")));
        if let Some((code, ..)) = language {
            site.remove(&format!("content/{path}"));
            work.entry(code)
                .or_default()
                .push((format!("content/{path}"), bytes));
        }
    }
    let drafts: Vec<&str> = PEOPLE.iter().map(|(code, ..)| *code).collect();
    site.edit(SITE, LOCALES, &format!("{LOCALES}\n{}", settings(&drafts)));
    (site, work)
}

/// The languages that are not announced, and whose texts stand for what is not translated yet.
fn settings(drafts: &[&str]) -> String {
    format!(
        "draft_locales: [{}]\nfallback: {{de: en, zh-hans: en, ar: en}}\n",
        drafts.join(", ")
    )
}

/// Announces a language.
fn announce(site: &SiteTest, drafts: &mut Vec<&str>, code: &str) {
    let before = settings(drafts);
    drafts.retain(|draft| *draft != code);
    site.edit(SITE, &before, &settings(drafts));
}

#[track_caller]
fn is_green(site: &SiteTest, commit: &str) {
    let run = site.run(&["check", "--strict"]);
    assert_eq!(run.status, 0, "{commit}: {}", run.stderr);
}

#[test]
fn a_site_grows_to_five_languages_and_is_never_red() {
    let (site, mut work) = in_english();
    is_green(&site, "English alone");
    let mut drafts: Vec<&str> = PEOPLE.iter().map(|(code, ..)| *code).collect();
    let commit = |path: &str, bytes: &[u8]| {
        site.write(path, bytes);
        is_green(&site, path);
    };
    for (code, ..) in PEOPLE.iter().filter(|(.., at_once)| *at_once) {
        let files = work.get_mut(code).expect("files");
        let home = files
            .iter()
            .position(|(path, _)| path.contains("pages/home/"))
            .expect("a home page");
        let (path, bytes) = files.remove(home);
        commit(&path, &bytes);
        announce(&site, &mut drafts, code);
        is_green(&site, &format!("{code} is announced"));
    }
    let (mut commits, mut weeks) = (0, 0);
    while work.values().any(|files| !files.is_empty()) {
        weeks += 1;
        for (code, speed, _) in PEOPLE {
            let files = work.get_mut(code).expect("files");
            // One begins with the last pages, the next with the first words.
            let taken = files.len().min(speed);
            let part: Vec<_> = if speed % 2 == 0 {
                files.drain(..taken).rev().collect()
            } else {
                files.split_off(files.len() - taken)
            };
            let is_complete = files.is_empty();
            for (path, bytes) in part {
                commits += 1;
                commit(&path, &bytes);
            }
            if is_complete && drafts.contains(&code) {
                announce(&site, &mut drafts, code);
                is_green(&site, &format!("{code} is complete"));
            }
        }
    }
    assert!(
        commits > 40 && weeks >= 4,
        "{commits} commits in {weeks} weeks"
    );
    assert!(drafts.is_empty());

    // In the end, nothing shows that the languages came one after another.
    site.edit(SITE, &settings(&[]), "");
    let (grown, whole) = (site.built(), horizon().built());
    assert!(
        grown.files() == whole.files(),
        "the site is another one than if all had delivered together"
    );
}

#[test]
fn a_commit_that_only_looks_like_a_translation_is_red() {
    let (site, mut work) = in_english();
    let drafts: Vec<&str> = PEOPLE.iter().map(|(code, ..)| *code).collect();
    site.edit(
        SITE,
        &settings(&drafts),
        &settings(&["es", "ar", "zh-hans"]),
    );
    for (path, bytes) in work.remove("de").expect("files") {
        site.write(&path, bytes);
    }
    is_green(&site, "German is complete");
    let english =
        std::fs::read_to_string(site.path("content/pages/careers/en.yaml")).expect("a page");
    let german =
        std::fs::read_to_string(site.path("content/pages/careers/de.yaml")).expect("a page");
    let path = german
        .lines()
        .find(|line| line.starts_with("path:"))
        .expect("an address");
    let copied: Vec<&str> = english
        .lines()
        .map(|line| {
            if line.starts_with("path:") {
                path
            } else {
                line
            }
        })
        .collect();
    let more = "list.intro: \"We look for people who like to listen, to explain and to work in a small team of friends.\"";
    site.write(
        "content/pages/careers/en.yaml",
        format!("{english}\n{more}\n"),
    );
    site.write(
        "content/pages/careers/de.yaml",
        format!("{}\n{more}\n", copied.join("\n")),
    );
    let run = site.run(&["check", "--strict"]);
    assert_ne!(run.status, 0, "a page was copied and not translated");
    let copied = "untranslated content/pages/careers/de.yaml:5:13".to_owned();
    assert_eq!(run.problems(), [copied], "{}", run.stderr);
    site.write("content/pages/careers/de.yaml", german);
    let run = site.run(&["check", "--strict"]);
    assert_eq!(
        run.status, 0,
        "without the new text, German shows it in English: {}",
        run.stderr
    );
}
