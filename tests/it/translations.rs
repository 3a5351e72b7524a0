//! `sitegen translations`, `content/translations.lock`, and what `check` says about translations.

use std::process::Command;

use crate::serve::Server;
use crate::site_test::{Run, SiteTest, files_below};

const LOCK: &str = "content/translations.lock";

/// The small site with three posts, of which two are translations of each other.
fn site() -> SiteTest {
    let post = |title: &str, rest: &str| {
        format!(
            "---\ntitle: {title}\ndate: 2025-01-01\nauthor: ana\n{rest}---\n\n{title} begins.\n\n## One\n\nMore.\n"
        )
    };
    SiteTest::small()
        .file("content/authors/ana.yaml", "name: Ana\n")
        .file("content/blog/en/hello.md", post("Hello", "key: greeting\n"))
        .file("content/blog/es/hola.md", post("Hola", "key: greeting\n"))
        .file("content/blog/en/alone.md", post("Alone", ""))
}

fn accepted() -> SiteTest {
    let site = site();
    assert_eq!(translations(&site, &["--accept"]).status, 0);
    site
}

fn translations(site: &SiteTest, arguments: &[&str]) -> Run {
    site.run(&[&["translations"], arguments].concat())
}

/// The lines of the list that do not begin with a space, without those of `locales`.
fn rows(site: &SiteTest) -> Vec<String> {
    let run = translations(site, &[]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let lines = run.stdout.lines().filter(|line| !line.starts_with(' '));
    lines
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// The stale translations that `check` reports, each as `path:line`.
fn stale(site: &SiteTest) -> Vec<String> {
    let run = site.run(&["check", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let problems = document["diagnostics"].as_array().expect("a list").iter();
    let stale = problems.filter(|problem| problem["code"] == "stale-translation");
    stale
        .map(|problem| {
            assert_eq!(problem["severity"], "warning");
            format!(
                "{}:{}",
                problem["path"].as_str().expect("a path"),
                problem["range"]["start"]["line"]
            )
        })
        .collect()
}

#[test]
fn a_text_that_is_removed_from_a_translation_is_missed_there() {
    let home =
        |title: &str, lines: &str| format!("title: {title}\ndescription: {title} 2026\n{lines}");
    let site = SiteTest::small()
        .file(
            "content/pages/home/page.yaml",
            "sections:\n  hero: {kind: hero}\n",
        )
        .file(
            "content/pages/home/en.yaml",
            home("Home", "path: /\nhero.title: Hello\nhero.lead: Welcome.\n"),
        )
        .file(
            "content/pages/home/es.yaml",
            home(
                "Inicio",
                "path: /es/\nhero.title: Hola\nhero.lead: Hola a todos.\n",
            ),
        );
    assert_eq!(translations(&site, &["--accept"]).status, 0);
    site.edit(
        "content/pages/home/es.yaml",
        "hero.lead: Hola a todos.\n",
        "",
    );
    let run = site.run(&["check"]);
    assert_eq!(
        run.problems(),
        ["stale-translation content/pages/home/es.yaml"],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("`hero.lead` was removed here, but `en` still has it"),
        "{}",
        run.stderr
    );
    // Removed from both, it is no difference that somebody must look at twice.
    site.edit("content/pages/home/en.yaml", "hero.lead: Welcome.\n", "");
    let run = site.run(&["check"]);
    assert!(!run.stderr.contains("was removed here"), "{}", run.stderr);
}

#[test]
fn translations_are_unconfirmed_until_they_are_accepted() {
    let site = site();
    assert_eq!(
        rows(&site),
        [
            "blog/alone es missing: only content/blog/en/alone.md exists",
            "blog/greeting es unconfirmed: nobody has confirmed yet that it matches `en`",
            "locales es unconfirmed: nobody has confirmed yet that it matches `en`",
            "pages/about es unconfirmed: nobody has confirmed yet that it matches `en`",
            "pages/home es unconfirmed: nobody has confirmed yet that it matches `en`",
            "pages/not-found es missing: only content/pages/not-found/en.yaml exists",
            "6 translations: 2 missing, 4 unconfirmed",
        ]
    );
    assert!(
        stale(&site).is_empty(),
        "a site without a lock file has agreed on nothing"
    );
    let run = translations(&site, &["--accept"]);
    assert_eq!(
        run.stdout,
        "recorded in content/translations.lock that 4 translations are up to date\n"
    );
    assert!(stale(&site).is_empty());
    assert!(rows(&site).contains(&"6 translations: 4 up to date, 2 missing".to_owned()));
}

#[test]
fn what_has_no_counterpart_on_purpose_is_not_missing() {
    let site = site();
    site.edit(
        "content/blog/en/alone.md",
        "author: ana\n",
        "author: ana\nuntranslated: true\n",
    );
    site.edit(
        "content/pages/not-found/en.yaml",
        "sections:",
        "untranslated: true\nsections:",
    );
    assert!(
        rows(&site).iter().all(|row| !row.contains("missing")),
        "{:?}",
        rows(&site)
    );
    assert_eq!(site.run(&["check"]).status, 0);
}

#[test]
fn a_translation_is_stale_if_its_counterpart_has_changed() {
    let site = accepted();
    site.edit(
        "content/pages/home/en.yaml",
        "title: Hello",
        "title: Welcome",
    );
    assert_eq!(stale(&site), ["content/pages/home/es.yaml:6"]);
    assert_eq!(site.run(&["check"]).status, 0);
    assert_eq!(site.run(&["check", "--strict"]).status, 1);
    let run = translations(&site, &["pages/home"]);
    let expect = "pages/home  es  stale: `en` has changed\n  content/pages/home/en.yaml:6 sections.1.title\n    \
                  - (text that isn't in Git)\n    + Welcome\n1 translation: 1 stale\n";
    assert_eq!(run.stdout, expect);

    translations(&site, &["--accept", "blog/greeting"]);
    assert_eq!(stale(&site).len(), 1, "another translation was accepted");
    translations(&site, &["--accept", "pages/home/es"]);
    assert!(stale(&site).is_empty());
    assert_eq!(site.run(&["check", "--strict"]).status, 0);
}

#[test]
fn a_strict_build_fails_for_what_fails_a_strict_check() {
    let site = accepted();
    site.edit(
        "content/pages/home/en.yaml",
        "title: Hello",
        "title: Welcome",
    );
    let run = site.run(&["build"]);
    assert_eq!(
        (run.status, run.problems()),
        (0, Vec::new()),
        "{}",
        run.stderr
    );
    // Nothing has changed since, and the last build did not look for it.
    let run = site.run(&["build", "--strict"]);
    assert_eq!(
        (run.status, run.problems()),
        (1, site.run(&["check", "--strict"]).problems()),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("`en` has changed") && run.stderr.contains("nothing was published"),
        "{}",
        run.stderr
    );
    translations(&site, &["--accept"]);
    for _ in 0..2 {
        let run = site.run(&["build", "--strict"]);
        assert_eq!(
            (run.status, run.problems()),
            (0, Vec::new()),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn each_language_can_be_the_one_that_has_changed() {
    let site = accepted();
    site.edit("content/blog/es/hola.md", "More.", "Más.");
    assert_eq!(stale(&site), ["content/blog/en/hello.md:2"]);
    assert!(
        rows(&site)[1]
            .starts_with("blog/greeting es ahead: `en` is stale, because `es` has changed")
    );
    site.edit("content/blog/en/hello.md", "More.", "A lot more.");
    assert_eq!(stale(&site), ["content/blog/es/hola.md:2"]);
    assert!(rows(&site)[1].starts_with("blog/greeting es both have changed"));
}

#[test]
fn layout_comments_and_addresses_are_no_texts() {
    let site = accepted();
    site.edit(
        "content/pages/about/en.yaml",
        "path:",
        "# A comment.\npath:",
    );
    site.edit(
        "content/blog/en/hello.md",
        "date: 2025-01-01",
        "date: 2025-01-02",
    );
    site.edit("content/blog/en/hello.md", "More.\n", "More.  \n\n\n");
    assert!(stale(&site).is_empty());
}

#[test]
fn a_site_may_ignore_stale_translations() {
    let site = accepted();
    site.edit(
        "content/pages/home/en.yaml",
        "title: Hello",
        "title: Welcome",
    );
    site.edit(
        "content/site.yaml",
        "locales:",
        "translations: {stale: ignore}\nlocales:",
    );
    assert!(stale(&site).is_empty());
    assert!(
        rows(&site).iter().any(|row| row.contains("stale")),
        "the list still has it"
    );
}

#[test]
fn differences_in_structure_are_listed() {
    let site = accepted();
    site.edit(
        "content/pages/home/es.yaml",
        "lead:",
        "note: Nota.\n    lead:",
    );
    site.edit(
        "content/blog/es/hola.md",
        "More.",
        "Más.\n\n## Two\n\n```sh\nls\n```",
    );
    let listed = translations(&site, &["pages/home", "blog/greeting"]).stdout;
    assert!(
        listed.contains("`sections.1`: only `es` has `note`\n"),
        "{listed}"
    );
    assert!(
        listed.contains("headings: 1 in `en`, 2 in `es`\n  sections: 1 in `en`, 2 in `es`\n"),
        "{listed}"
    );
    assert!(
        listed.contains("code blocks: 0 in `en`, 1 in `es`\n"),
        "{listed}"
    );
    site.edit(
        "content/pages/home/es.yaml",
        "kind: hero",
        "kind: prose\n    body: Hola.",
    );
    let listed = translations(&site, &["pages/home"]).stdout;
    assert!(
        listed.contains("section 1: `hero` in `en`, `prose` in `es`\n"),
        "{listed}"
    );
}

#[test]
fn git_knows_what_a_text_was() {
    let site = accepted();
    let git = |arguments: &[&str]| {
        let settings = [
            "-c",
            "user.name=Ana",
            "-c",
            "user.email=ana@example.com",
            "-c",
            "init.defaultBranch=main",
        ];
        let run = Command::new("git")
            .current_dir(site.path(""))
            .args(settings)
            .args(arguments)
            .output();
        assert!(run.expect("git").status.success(), "{arguments:?}");
    };
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message=Agree"]);
    site.edit(
        "content/blog/en/hello.md",
        "Hello begins.",
        "Hello has begun.\n\nReally.",
    );
    site.edit("content/blog/en/hello.md", "## One\n\n", "");
    git(&["commit", "--quiet", "--all", "--message=Change"]);
    let listed = translations(&site, &["blog/greeting"]).stdout;
    for change in [
        "    - Hello begins.\n    + Hello has begun.\n",
        "    - ## One\n    + Really.\n",
    ] {
        assert!(listed.contains(change), "{listed}");
    }
}

#[test]
fn a_lock_file_that_was_merged_by_hand_is_a_problem_at_its_line() {
    let site = accepted();
    let lock = std::fs::read_to_string(site.path(LOCK)).expect("the file");
    site.write(
        LOCK,
        lock.replacen("pages/home es\n", "<<<<<<< ours\npages/home es\n", 1),
    );
    let run = site.run(&["check"]);
    assert_eq!(run.status, 1);
    assert!(
        run.stderr
            .contains("error[translations-lock]: the entry for `<<<<<<<` in `ours` is damaged"),
        "{}",
        run.stderr
    );
    let run = translations(&site, &["--accept", "pages/home"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert_eq!(
        std::fs::read_to_string(site.path(LOCK)).expect("the file"),
        lock
    );
    site.write(LOCK, [0x61, 0xff]);
    assert!(site.run(&["check"]).stderr.contains("error[not-utf8]"));
}

#[test]
fn nothing_is_accepted_while_a_file_cannot_be_read() {
    let site = accepted();
    let lock = std::fs::read(site.path(LOCK)).expect("the file");
    site.edit("content/pages/home/es.yaml", "title:", "title: [");
    let run = translations(&site, &["--accept"]);
    assert_eq!(run.status, 1);
    assert!(
        run.stderr.contains("content/pages/home/es.yaml"),
        "{}",
        run.stderr
    );
    assert_eq!(std::fs::read(site.path(LOCK)).expect("the file"), lock);
}

#[test]
fn an_unknown_translation_gets_a_suggestion() {
    let run = translations(&site(), &["pages/hom"]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr
            .contains("there is no translation `pages/hom`\n  hint: did you mean `pages/home`?"),
        "{}",
        run.stderr
    );
}

#[test]
fn programs_get_the_list_as_json() {
    let site = accepted();
    site.edit(
        "content/pages/home/en.yaml",
        "title: Hello",
        "title: Welcome",
    );
    let run = translations(&site, &["--format", "json"]);
    let rows: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let home = rows
        .as_array()
        .expect("a list")
        .iter()
        .find(|row| row["key"] == "pages/home")
        .expect("home");
    let expect = serde_json::json!({
        "key": "pages/home", "locale": "es", "reference": "en", "path": "content/pages/home/es.yaml",
        "state": "stale", "structure": [], "untranslated": [],
        "changes": [{"name": "sections.1.title", "line": 6, "now": "Welcome"}],
    });
    assert_eq!(*home, expect);
}

/// The preview says on a page that its translation is out of date, also after a save, and no published file knows of it.
#[test]
fn the_preview_says_which_page_is_out_of_date() {
    let site = accepted();
    let home = "content/pages/home/en.yaml";
    site.edit(home, "title: Hello", "title: Hello again");
    let server = Server::start(site, &[]);
    let notes = |path: &str| -> Vec<serde_json::Value> {
        let (status, head, body) = server.get(&format!("/_sitegen/notes?path={path}"));
        assert_eq!(status, 200, "{path}");
        assert!(head.contains("cache-control: no-store"), "{head}");
        serde_json::from_str(&body).expect("JSON")
    };
    let found = notes("/es/");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0]["place"]
            .as_str()
            .expect("a place")
            .starts_with("content/pages/home/es.yaml:"),
        "{found:?}"
    );
    assert!(
        found[0]["message"]
            .as_str()
            .expect("a message")
            .contains("has changed since"),
        "{found:?}"
    );
    assert!(
        found[0]["hint"]
            .as_str()
            .expect("a hint")
            .contains("sitegen translations --accept pages/home/es")
    );
    // A source language is not out of date; nor is a page that does not exist.
    for path in ["/", "/about/", "/es/about/", "/nothing/", "/%ff", ""] {
        assert_eq!(notes(path), Vec::<serde_json::Value>::new(), "{path}");
    }
    assert_eq!(notes("/es").len(), 1, "both forms of the address");
    // Its files are read again each time.
    server
        .site()
        .edit(home, "title: Hello again", "title: Hello");
    assert_eq!(notes("/es/"), Vec::<serde_json::Value>::new());
    let (_, _, script) = server.get("/_sitegen/live.js");
    assert!(script.contains("sitegen-note"), "{script}");
    let site = server.stop();
    for (path, bytes) in files_below(&site.path("dist")) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            !text.contains("sitegen-note") && !text.contains("_sitegen/"),
            "{path} knows of the preview"
        );
    }
}
