//! An upgrade of the theme: what it has changed in copied files is merged with what the site has.

use std::fmt::Write as _;

use crate::new_site::new_site;
use crate::site_test::{SiteTest, files_below};

const HERO: &str = "templates/sections/hero/hero.css";

/// A site with copies, in which the theme has changed a file since: the base is what the theme had, so it differs from what
/// the program brings.
fn upgraded(site: &SiteTest, path: &str, change: impl Fn(&str) -> String) {
    let base = change(&read(site, &format!(".theme-base/{path}")));
    site.write(&format!(".theme-base/{path}"), &base);
    note(site, path, path, &base);
}

/// Notes in the lock that a file was copied with this text.
fn note(site: &SiteTest, was: &str, is: &str, base: &str) {
    let lock = read(site, "content/theme.lock");
    let mut lines = String::new();
    for line in lock.lines() {
        let hash = &blake3::hash(base.as_bytes()).to_hex()[..16];
        let is_it = line.starts_with(&format!("{was} "));
        let _ = if is_it {
            writeln!(lines, "{is} {hash}")
        } else {
            writeln!(lines, "{line}")
        };
    }
    assert_ne!(lock, lines, "the lock lacks {was}");
    site.write("content/theme.lock", lines);
}

fn read(site: &SiteTest, path: &str) -> String {
    std::fs::read_to_string(site.path(path)).expect(path)
}

fn copied(parts: &[&str]) -> SiteTest {
    let site = new_site(&["--no-blog"]);
    let run = site.run(&[&["theme", "copy"], parts].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    site
}

#[test]
fn an_upgrade_merges_what_both_sides_have_changed() {
    let site = copied(&["sections/hero"]);
    let of_theme = read(&site, HERO);
    // The site has one more line at the end, the theme one less at the beginning.
    site.write(HERO, format!("/* old */\n{of_theme}/* mine */\n"));
    upgraded(&site, HERO, |base| format!("/* old */\n{base}"));
    assert_eq!(
        site.run(&["check"]).problems(),
        [format!("theme-changed {HERO}")]
    );
    let diff = site.run(&["theme", "diff"]).stdout;
    for line in [
        format!("--- base/{HERO}\n+++ site/{HERO}"),
        format!("--- base/{HERO}\n+++ theme/{HERO}"),
    ] {
        assert!(diff.contains(&line), "{diff}");
    }
    assert!(
        diff.contains("\n+/* mine */") && diff.contains("\n-/* old */"),
        "{diff}"
    );
    let run = site.run(&["theme", "merge"]);
    assert_eq!(
        (run.status, run.stdout),
        (0, format!("merged   {HERO}\n")),
        "{}",
        run.stderr
    );
    assert_eq!(read(&site, HERO), format!("{of_theme}/* mine */\n"));
    assert_eq!(site.run(&["check"]).problems(), [""; 0]);
    // Again, there is nothing to do.
    let again = site.run(&["theme", "merge"]);
    assert_eq!((again.status, again.stdout.as_str()), (0, ""));
}

#[test]
fn a_conflict_is_marked_and_stops_a_build() {
    let site = copied(&["sections/hero"]);
    let of_theme = read(&site, HERO);
    let first = of_theme.lines().next().expect("a line").to_owned();
    site.edit(HERO, &first, "@layer mine {");
    upgraded(&site, HERO, |base| base.replacen(&first, "@layer old {", 1));
    let run = site.run(&["theme", "merge", "sections/hero"]);
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (1, format!("conflict {HERO}\n").as_str()),
        "{}",
        run.stderr
    );
    assert_eq!(run.problems(), [format!("conflict-marker {HERO}:1:1")]);
    let text = read(&site, HERO);
    let sides = format!(
        "<<<<<<< site\n@layer mine {{\n||||||| base\n@layer old {{\n=======\n{first}\n>>>>>>> theme\n"
    );
    assert!(text.starts_with(&sides), "{text}");
    assert_eq!(
        site.run(&["check"]).problems(),
        [format!("conflict-marker {HERO}:1:1")]
    );
    site.write(HERO, text.replacen(&sides, &format!("{first}\n"), 1));
    assert_eq!(site.run(&["check"]).problems(), [""; 0]);
    assert_eq!(site.run(&["theme", "merge"]).stdout, "");
    assert_eq!(
        site.run(&["theme", "merge", "sections/heroo"]).problems(),
        ["theme-file"]
    );
}

#[test]
fn a_merge_names_what_the_theme_has_moved_and_what_is_gone() {
    let site = copied(&["sections/hero"]);
    let (old, base) = ("templates/sections/top/top.css", read(&site, HERO));
    let mine = format!("{base}/* mine */\n");
    site.write(old, &mine);
    site.remove(HERO);
    std::fs::remove_file(site.path(".theme-base").join(HERO)).expect("a base");
    site.write(&format!(".theme-base/{old}"), format!("/* old */\n{base}"));
    note(&site, HERO, old, &format!("/* old */\n{base}"));
    let run = site.run(&["theme", "merge"]);
    assert_eq!((run.status, run.stdout.as_str()), (0, ""));
    assert_eq!(run.problems(), [format!("theme-changed {old}")]);
    assert!(
        run.stderr
            .contains(&format!("the theme has moved this file to `{HERO}`")),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains(&format!("`git mv {old} {HERO}`")),
        "{}",
        run.stderr
    );
    // After the move, the same merge takes over what the theme has changed on the way.
    site.write(HERO, format!("/* old */\n{mine}"));
    site.remove(old);
    let run = site.run(&["theme", "merge"]);
    assert_eq!(
        (run.status, run.stdout),
        (0, format!("merged   {HERO}\n")),
        "{}",
        run.stderr
    );
    assert_eq!(read(&site, HERO), mine);
    assert!(!read(&site, "content/theme.lock").contains(old));
    // A file that is like no other.
    let html = "templates/sections/hero/hero.html";
    let gone = "templates/sections/gone/gone.html";
    site.write(gone, "of another time\n");
    site.write(&format!(".theme-base/{gone}"), "of another time\n");
    note(&site, html, gone, "of another time\n");
    let run = site.run(&["theme", "merge"]);
    assert!(
        run.stderr
            .contains("the theme does not have this file anymore"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_upgrade_and_a_way_back_keep_the_changes_of_thirty_copies() {
    let site = copied(&["sections", "components"]);
    let paths: Vec<String> = files_below(&site.path("templates"))
        .into_keys()
        .filter(|path| path.ends_with(".css"))
        .take(30)
        .collect();
    assert_eq!(paths.len(), 30);
    let mut expected = Vec::new();
    for path in &paths {
        let path = format!("templates/{path}");
        let of_theme = read(&site, &path);
        site.write(&path, format!("/* before */\n{of_theme}\n/* mine */\n"));
        upgraded(&site, &path, |base| format!("/* before */\n{base}"));
        expected.push((path, format!("{of_theme}\n/* mine */\n")));
    }
    let run = site.run(&["theme", "merge"]);
    assert_eq!(
        (run.status, run.stdout.lines().count()),
        (0, 30),
        "{}",
        run.stderr
    );
    for (path, text) in &expected {
        assert_eq!(&read(&site, path), text, "{path}");
    }
    // The version before: what the program brings lacks what a later theme had.
    for (path, text) in &expected {
        site.write(path, format!("/* later */\n{text}"));
        upgraded(&site, path, |base| format!("/* later */\n{base}"));
    }
    assert_eq!(site.run(&["theme", "merge"]).status, 0);
    for (path, text) in &expected {
        assert_eq!(&read(&site, path), text, "{path}");
    }
}

#[test]
fn a_copy_without_a_base_is_named() {
    let site = copied(&["sections/hero"]);
    site.edit(HERO, "{", "{ ");
    upgraded(&site, HERO, |base| format!("/* old */\n{base}"));
    std::fs::remove_dir_all(site.path(".theme-base")).expect("bases");
    let run = site.run(&["theme", "merge"]);
    assert!(
        run.stderr.contains("is not in `.theme-base/`"),
        "{}",
        run.stderr
    );
    // Whoever has not changed a copy loses nothing.
    let old = "/* old */\n";
    site.write(HERO, old);
    note(&site, HERO, HERO, old);
    assert_eq!(
        site.run(&["theme", "merge"]).stdout,
        format!("merged   {HERO}\n")
    );
}

#[test]
fn markers_of_a_merge_are_refused_in_every_file() {
    let marked = "<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> theirs\n";
    let site = SiteTest::small();
    for path in [
        "content/pages/about/en.yaml",
        "content/site.yaml",
        "templates/sections/prose/prose.html",
        "content/locales/es.yaml",
    ] {
        let text = read(&site, path);
        site.write(path, format!("{text}{marked}"));
        let line = text.lines().count() + 1;
        let run = site.run(&["check"]);
        assert_eq!(
            (run.status, run.problems()),
            (1, vec![format!("conflict-marker {path}:{line}:1")]),
            "{path}"
        );
        site.write(path, text);
    }
    let post = |text: &str| format!("---\ntitle: News\ndate: 2025-03-14\nauthor: ana\n---\n{text}");
    let blog = SiteTest::blog();
    blog.write(
        "content/authors/ana.yaml",
        "name: Ana Ruiz\ndescription: {en: Writes., es: Escribe.}\n",
    );
    blog.write(
        "content/blog/en/a.md",
        post(&format!("Text.\n\n```\ncode\n```\n\n{marked}")),
    );
    assert_eq!(
        blog.run(&["check"]).problems(),
        ["conflict-marker content/blog/en/a.md:12:1"]
    );
    // Text of a post about git, and half of a marker.
    blog.write(
        "content/blog/en/a.md",
        post(&format!("```diff\n{marked}```\n\nSee below.\n\n=======\n")),
    );
    let run = blog.run(&["check"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    // Styles and scripts, which other programs read.
    let site = copied(&["sections/hero", "islands/menu"]);
    for path in [HERO, "react/islands/menu/menu.tsx"] {
        let text = read(&site, path);
        site.write(path, format!("{text}{marked}"));
        let line = text.lines().count() + 1;
        let problems = site.run(&["check"]).problems();
        assert!(
            problems.contains(&format!("conflict-marker {path}:{line}:1")),
            "{problems:?}"
        );
        site.write(path, text);
    }
}

#[test]
fn the_list_of_the_theme_knows_the_kinds_of_the_site() {
    let site = new_site(&["--no-blog"]);
    assert_eq!(site.run(&["new", "section", "price_list"]).status, 0);
    let list = site.run(&["theme", "list"]).stdout;
    assert!(
        list.lines()
            .any(|line| line == "own     templates/sections/price_list/price_list.html"),
        "{list}"
    );
    assert!(
        list.lines().any(|line| line == format!("theme   {HERO}")),
        "{list}"
    );
}
