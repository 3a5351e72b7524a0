//! `sitegen new` and `sitegen theme`: sites that hold content only, and what they change of the theme.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;

use crate::site_test::{SiteTest, files_below, repository, sitegen};

/// A new sample site with these arguments of `sitegen new`.
pub fn new_site(arguments: &[&str]) -> SiteTest {
    small_site(&[&["--sample"], arguments].concat())
}

/// A new site with these arguments of `sitegen new`.
pub fn small_site(arguments: &[&str]) -> SiteTest {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(folder.path(), &[&["new", "acme"], arguments].concat());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    SiteTest::from(&folder.path().join("acme")).with_shared_cache()
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    sitegen()
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("sitegen starts")
}

fn code_of(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.split(['[', ']']).nth(1).unwrap_or_default().to_owned()
}

/// Builds a new site without warnings, and compares the languages of its home pages.
fn check_new(arguments: &[&str], homes: &[(&str, &str)]) {
    let site = small_site(arguments);
    let built = site.run(&["build", "--strict"]);
    assert_eq!(
        built.status, 0,
        "{arguments:?}: {}{}",
        built.stdout, built.stderr
    );
    let checked = site.run(&["check", "--strict"]);
    assert_eq!(
        checked.status, 0,
        "{arguments:?}: {}{}",
        checked.stdout, checked.stderr
    );
    for (address, language) in homes {
        built
            .page(address)
            .contains(&format!("lang=\"{language}\""));
    }
    let of_repository =
        std::fs::read_to_string(repository().join("content/site.yaml")).expect("site.yaml");
    let brand = of_repository
        .lines()
        .find_map(|line| line.strip_prefix("  name: "))
        .expect("a name");
    let names_it = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(brand);
    let found = files_below(&built.out)
        .into_iter()
        .find(|(_, bytes)| names_it(bytes));
    assert_eq!(found.map(|(path, _)| path), None, "a page names {brand}");
}

#[test]
fn a_new_site_builds_without_a_warning() {
    check_new(&[], &[("/", "en")]);
    check_new(
        &["--languages", "es,en", "--name", "Ångström & \"Søn\""],
        &[("/", "es"), ("/en/", "en")],
    );
    check_new(
        &["--languages", "de-AT,sv,ZH-hans", "--no-blog"],
        &[("/", "de-AT"), ("/sv/", "sv"), ("/zh-hans/", "zh-Hans")],
    );
}

/// Each language of the starter has its own text.
#[test]
fn a_new_site_in_all_languages_of_the_theme_builds_without_a_warning() {
    let site = small_site(&["--languages", "en,es,de,fr,it,nl,pl,pt-BR,ar,zh-Hans"]);
    let built = site.run(&["build", "--strict"]);
    assert_eq!(built.status, 0, "{}{}", built.stdout, built.stderr);
    built
        .page("/de/")
        .contains("Sagen Sie in einer Zeile, was Sie tun.")
        .contains("content/pages/home/de.yaml");
    built.page("/pt-br/blog/").contains("Um primeiro artigo");
    let warnings: Vec<String> = built
        .problems()
        .into_iter()
        .filter(|problem| !problem.starts_with("card-letters"))
        .collect();
    assert_eq!(warnings, [""; 0]);
    assert!(!site.path("content/sample.lock").exists());
}

#[test]
fn a_new_site_has_few_files_to_read() {
    for (arguments, most) in [(&[][..], 18), (&["--no-blog"], 14)] {
        let site = small_site(arguments);
        let files: Vec<_> = files_below(&site.path(""))
            .into_iter()
            .filter(|(path, _)| {
                let above = path.split('/').next().unwrap_or_default();
                ["content", "static", ".github"].contains(&above) || above == path
            })
            .collect();
        let lines: usize = files
            .iter()
            .map(|(_, bytes)| String::from_utf8_lossy(bytes).lines().count())
            .sum();
        assert!(files.len() <= most, "{} files", files.len());
        assert!(lines <= 450, "{lines} lines");
    }
}

#[test]
fn a_sample_builds_without_a_warning() {
    check_new(&["--sample"], &[("/", "en")]);
}

#[test]
fn a_sample_in_two_languages_builds_without_a_warning() {
    check_new(
        &[
            "--sample",
            "--languages",
            "es,en",
            "--name",
            "Ångström & \"Søn\"",
        ],
        &[("/", "es"), ("/en/", "en")],
    );
}

#[test]
fn a_sample_in_other_languages_builds_without_a_warning() {
    let check = |languages: &str, more: &[&str], homes: &[(&str, &str)]| {
        check_new(
            &[&["--sample", "--languages", languages], more].concat(),
            homes,
        );
    };
    check(
        "en,es,fr",
        &["--no-blog"],
        &[("/", "en"), ("/es/", "es"), ("/fr/", "fr")],
    );
    check("ar", &[], &[("/", "ar")]);
    check(
        "en,ZH-hans,pt-br",
        &[],
        &[("/", "en"), ("/zh-hans/", "zh-Hans"), ("/pt-br/", "pt-BR")],
    );
    check("es-419", &["--no-blog"], &[("/", "es-419")]);
}

#[test]
fn texts_of_the_sample_stop_no_strict_build_until_they_are_changed() {
    let site = new_site(&["--languages", "ar", "--no-blog"]);
    for command in ["check", "build"] {
        let run = site.run(&[command, "--strict"]);
        let problems = run.problems();
        let is_sample = |problem: &String| problem.starts_with("sample-text content/");
        assert!(
            run.status == 0 && problems.len() > 5 && problems.iter().all(is_sample),
            "{command}: {}",
            run.stderr
        );
    }
    let page = "content/pages/services/ar.yaml";
    site.edit(
        page,
        "Describe the problem in your own words. Naming",
        "Describe your problem in your own words. Naming",
    );
    for command in ["check", "build"] {
        let run = site.run(&[command, "--strict"]);
        let errors: Vec<String> = run
            .problems()
            .into_iter()
            .filter(|problem| !problem.starts_with("sample-text"))
            .collect();
        assert_eq!(run.status, 1, "{command}: {}", run.stderr);
        assert!(
            errors.len() == 1 && errors[0].starts_with(&format!("wrong-language {page}:")),
            "{command}: {errors:?}"
        );
    }
    assert!(
        !new_site(&["--languages", "en,es"])
            .path("content/sample.lock")
            .exists()
    );
}

#[test]
fn new_says_that_texts_are_samples_in_english() {
    let folder = tempfile::tempdir().expect("a folder");
    for (languages, has_samples) in [("ar", true), ("en,es", false)] {
        let output = run(
            folder.path(),
            &["new", languages, "--sample", "--languages", languages],
        );
        let shown = String::from_utf8_lossy(&output.stdout);
        assert_eq!(shown.contains("sample in English"), has_samples, "{shown}");
    }
}

#[test]
fn new_refuses_what_it_cannot_create() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("file"), "").expect("a file");
    std::fs::create_dir(folder.path().join("full")).expect("a folder");
    std::fs::write(folder.path().join("full/file"), "").expect("a file");
    for arguments in [
        &["new", "file"][..],
        &["new", "full"],
        &["new", "site", "--languages", "english"],
        &["new", "site", "--languages", "en,en"],
        &["new", "site", "--languages", "../en"],
        &["new", "site", "--base-url", "acme.com"],
    ] {
        let output = run(folder.path(), arguments);
        assert_eq!(
            (output.status.code(), code_of(&output).as_str()),
            (Some(2), "new-refused"),
            "{arguments:?}"
        );
    }
    assert!(!folder.path().join("site").exists());
    let long = "a".repeat(300);
    for (arguments, expected) in [
        (&["new", ""][..], "a value is required"),
        (&["new", &long], "file name too long"),
        (&["new", "full/file/site"], "is a file"),
    ] {
        let output = run(folder.path(), arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(2) && message.contains(expected),
            "{arguments:?}: {message}"
        );
    }
}

#[test]
fn no_site_is_created_inside_of_a_site() {
    let site = new_site(&["--no-blog"]);
    for folder in ["Our team", "content/pages/team", "../acme/x"] {
        let output = run(&site.path(""), &["new", folder]);
        let message = String::from_utf8_lossy(&output.stderr);
        // The folder of the test has another name.
        let is_inside = !folder.starts_with("..");
        assert_eq!(output.status.success(), !is_inside, "{folder}: {message}");
        assert_eq!(
            message.contains("hint: `sitegen new page TITLE`"),
            is_inside,
            "{folder}: {message}"
        );
    }
    let outside = site.path("").parent().expect("a parent").join("acme");
    std::fs::remove_dir_all(outside).expect("the site beside it");
}

#[test]
fn a_language_shows_the_texts_of_the_main_one_until_it_has_its_own() {
    let site = new_site(&[]);
    for (code, written) in [
        ("fr", "fr"),
        ("es", "es"),
        ("PT-br", "pt-BR"),
        ("es-MX", "es-MX"),
    ] {
        let run = site.run(&["new", "locale", code]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert!(
            run.stdout
                .contains(&format!("created content/pages/home/{written}.yaml\n")),
            "{}",
            run.stdout
        );
        assert!(
            run.stdout.contains("changed content/site.yaml\n"),
            "{}",
            run.stdout
        );
    }
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("site.yaml");
    assert!(
        settings.contains("\nlocales: [en, fr, es, pt-BR, es-MX]  # the first"),
        "{settings}"
    );
    assert!(
        settings.contains("\nfallback: {fr: en, es: en, pt-BR: en, es-MX: es}\n"),
        "{settings}"
    );
    let built = site.run(&["build", "--strict"]);
    assert_eq!(built.status, 0, "{}{}", built.stdout, built.stderr);
    built
        .page("/fr/")
        .contains("<html lang=\"fr\"")
        .contains("lang=\"en\" dir=\"ltr\"");
    built.page("/pt-br/").contains("<html lang=\"pt-BR\"");
    // The theme has the interface words in Spanish, and so has the Spanish of Mexico.
    built.page("/es/").contains("Saltar al contenido");
    built.page("/es-mx/").contains("Saltar al contenido");
    assert_eq!(
        site.run(&["new", "locale", "FR"]).problems(),
        ["new-refused"],
        "the site has it"
    );
    assert_eq!(
        site.run(&["new", "locale", "en"]).problems(),
        ["new-refused"],
        "the main language"
    );
}

#[test]
fn new_files_pass_the_check() {
    let site = new_site(&["--languages", "en,es"]);
    for arguments in [
        &["new", "author", "Ana Díaz"][..],
        &[
            "new",
            "post",
            "How we plan: a release",
            "--languages",
            "en,es",
        ],
        &["new", "page", "Our team"],
        &["new", "post", "How we build"],
        &["new", "entry", "case-studies", "A shop that never closes"],
        &["new", "entry", "case-studies", "Another shop"],
    ] {
        let run = site.run(arguments);
        assert_eq!(run.status, 0, "{}", run.stderr);
    }
    // Nothing links to the page, and the texts to replace are those of the other language, which the author is told.
    let check = site.run(&["check", "--drafts"]);
    let expect = [
        "untranslated content/blog/es/how-we-plan-a-release.md:2:8",
        "orphan-page content/pages/our-team/en.yaml",
        "orphan-page content/pages/our-team/es.yaml",
        "untranslated content/pages/our-team/es.yaml:6:12",
    ];
    assert_eq!(
        (check.status, check.problems()),
        (0, expect.map(str::to_owned).to_vec()),
        "{}",
        check.stderr
    );
}

#[test]
fn a_page_is_written_in_a_language_that_shows_another_until_then() {
    let site = new_site(&["--no-blog"]);
    assert_eq!(site.run(&["new", "locale", "es"]).status, 0);
    let run = site.run(&["new", "page", "Our team"]);
    assert_eq!(
        run.stdout,
        "created content/pages/our-team/page.yaml\ncreated content/pages/our-team/en.yaml\n"
    );
    assert!(
        run.stderr
            .contains("`sitegen new page \"Our team\" --languages es`"),
        "{}",
        run.stderr
    );
    site.edit(
        "content/pages/our-team/en.yaml",
        "  Write Markdown here.",
        "  Five people.\n\n  And a dog.",
    );
    let run = site.run(&["new", "page", "Our team", "--languages", "es"]);
    assert_eq!(
        run.stdout, "created content/pages/our-team/es.yaml\n",
        "{}",
        run.stderr
    );
    // To be translated, with the address of the language.
    let text = std::fs::read_to_string(site.path("content/pages/our-team/es.yaml"));
    let text = text.expect("a page");
    assert!(
        text.starts_with("path: /es/our-team/\n")
            && text.ends_with("  Five people.\n\n  And a dog.\n"),
        "{text}"
    );
    assert!(
        !run.stderr.contains("--languages"),
        "nothing is left: {}",
        run.stderr
    );
    assert_eq!(
        site.run(&["new", "page", "Jobs", "--languages", "fr"])
            .problems(),
        ["new-refused"]
    );
    // Editors know the language and the fields of a collection without another command.
    assert_eq!(site.run(&["new", "collection", "courses"]).status, 0);
    let schema = std::fs::read_to_string(site.path(".vscode/schemas/collection-courses.json"))
        .expect("a schema");
    assert!(schema.contains("\"es\""), "{schema}");
    let fields = std::fs::read_to_string(site.path("templates/collections/courses/schema.yaml"))
        .expect("a schema");
    assert!(
        fields.contains(" moment,") && fields.contains(" embed,"),
        "{fields}"
    );
    // Posts, authors and case studies are declared by the theme.
    let refused = site.run(&["new", "collection", "authors"]);
    assert!(
        refused
            .stderr
            .contains("the theme already has a collection `authors`"),
        "{}",
        refused.stderr
    );
    assert_eq!(
        site.run(&["new", "entry", "courses", ""]).problems(),
        ["new-refused"]
    );
}

#[test]
fn the_theme_shows_a_template_without_copying_it() {
    let site = new_site(&["--no-blog"]);
    let shown = site.run(&["theme", "show", "components/figure/figure.html"]);
    assert!(
        shown.stdout.contains("{% macro figure(image"),
        "{}",
        shown.stdout
    );
    let shown = site.run(&["theme", "show", "components/figure"]);
    assert!(
        shown
            .stdout
            .contains("==> templates/components/figure/figure.css\n"),
        "{}",
        shown.stdout
    );
    assert!(
        !site.path("templates/components").exists() && !site.path("content/theme.lock").exists()
    );
    assert_eq!(
        site.run(&["theme", "show", "components/figur"]).problems(),
        ["theme-file"]
    );
}

/// A step that is added to `build` and a job that needs it must not run in an hour without a change.
#[test]
fn the_shipped_workflow_skips_all_of_a_build_that_is_not_due() {
    let site = new_site(&["--no-blog"]);
    let text =
        std::fs::read_to_string(site.path(".github/workflows/site.yml")).expect("a workflow");
    let (_, build) = text.split_once("\n  build:\n").expect("a job");
    assert!(
        build.contains("    needs: dates\n    if: needs.dates.outputs.due == 'true'\n"),
        "{build}"
    );
    assert!(
        !build.contains("- if:"),
        "a step decides by itself: {build}"
    );
}

#[test]
fn new_files_replace_none() {
    let site = new_site(&[]);
    assert_eq!(
        site.run(&["new", "author", "Sam Rivera"]).problems(),
        ["new-refused content/authors/sam-rivera.yaml"]
    );
    assert_eq!(
        site.run(&["new", "post", "Hola", "--languages", "es"])
            .problems(),
        ["new-refused"]
    );
    assert_eq!(
        site.run(&["new", "page", " – "]).problems(),
        ["new-refused"]
    );
    assert_eq!(
        site.run(&["new", "locale", "en"]).problems(),
        ["new-refused"]
    );
    site.remove("content/authors/sam-rivera.yaml");
    assert_eq!(
        site.run(&["new", "post", "Without an author"]).problems(),
        ["new-refused"]
    );
}

#[test]
fn a_file_of_the_site_wins_over_the_theme() {
    let site = new_site(&["--no-blog"]);
    let copied = site.run(&["theme", "copy", "layouts/base.html"]);
    assert_eq!(
        (copied.status, copied.stdout.as_str()),
        (0, "copied templates/layouts/base.html\n")
    );
    site.edit(
        "templates/layouts/base.html",
        "</body>",
        "<!-- own --></body>",
    );
    site.write("content/locales/en.yaml", "messages:\n  menu: Contents\n");
    let built = site.built();
    built
        .page("/")
        .contains("<!-- own -->")
        .contains("Contents");
    // The theme's file is back without the site's own, and so are its words.
    site.remove("templates/layouts/base.html");
    site.remove("content/locales/en.yaml");
    site.built()
        .page("/")
        .lacks("<!-- own -->")
        .lacks("Contents");
}

#[test]
fn a_mistake_in_a_copy_is_reported_at_its_place() {
    let site = new_site(&["--no-blog"]);
    assert_eq!(site.run(&["theme", "copy", "sections/hero"]).status, 0);
    site.edit(
        "templates/sections/hero/hero.html",
        "{%",
        "{% nonsense %}{%",
    );
    let problems = site.build().problems();
    let expected = "templates/sections/hero/hero.html:";
    assert!(
        problems.iter().any(|problem| problem.contains(expected)),
        "{problems:?}"
    );
    site.write("content/locales/en.yaml", "messages:\n  mneu: Contents\n");
    let problems = site.build().problems();
    assert!(
        problems
            .iter()
            .any(|problem| problem.contains("content/locales/en.yaml:2:")),
        "{problems:?}"
    );
}

#[test]
fn the_theme_has_every_template_and_script_of_the_repository() {
    let expected: BTreeSet<String> = ["templates", "react"]
        .iter()
        .flat_map(|folder| {
            let paths = files_below(&repository().join(folder))
                .into_keys()
                .filter(|path| !path.contains(".test."));
            paths.map(move |path| format!("{folder}/{path}"))
        })
        .collect();
    let output = run(repository(), &["theme", "list"]);
    let text = String::from_utf8(output.stdout).expect("text");
    let lines = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(state, path)| (state, path.trim().to_owned()));
    let found: BTreeSet<String> = lines
        .filter(|(_, path)| expected.contains(path))
        .map(|(_, path)| path)
        .collect();
    // Cargo does not notice a new file in these folders: `touch src/cli/theme.rs` makes it look.
    assert_eq!(
        found, expected,
        "the theme in the program is out of date: run `touch src/cli/theme.rs`"
    );
    assert!(
        !text.contains("changed "),
        "the theme in the program differs from the repository"
    );
}

#[test]
fn theme_commands_say_what_they_cannot_do() {
    let site = new_site(&["--no-blog"]);
    assert_eq!(
        site.run(&["theme", "copy", "sections/heroo"]).problems(),
        ["theme-file"]
    );
    assert_eq!(site.run(&["theme", "copy", "sections/hero"]).status, 0);
    site.edit("templates/sections/hero/hero.css", "{", "{ ");
    assert_eq!(
        site.run(&["theme", "copy", "sections/hero"]).problems(),
        ["theme-file templates/sections/hero/hero.css"]
    );
    let diff = site.run(&["theme", "diff"]);
    assert!(
        diff.stdout
            .starts_with("--- theme/templates/sections/hero/hero.css\n+++ site/"),
        "{}",
        diff.stdout
    );
    assert_eq!(
        site.run(&["theme", "copy", "--force", "sections/hero"])
            .status,
        0
    );
    assert_eq!(site.run(&["theme", "diff"]).stdout, "");
    // A copy from another theme, and a site of a later one.
    let lock = std::fs::read_to_string(site.path("content/theme.lock")).expect("a lock");
    let hash = lock
        .lines()
        .last()
        .and_then(|line| line.split(' ').nth(1))
        .expect("a hash")
        .to_owned();
    site.edit("content/theme.lock", &hash, "0000000000000000");
    assert_eq!(
        site.run(&["check"]).problems(),
        ["theme-changed templates/sections/hero/schema.yaml"]
    );
    assert_eq!(
        site.run(&["theme", "copy", "--keep", "sections/hero"])
            .status,
        0
    );
    assert_eq!(site.run(&["check"]).problems(), [""; 0]);
    site.edit("content/site.yaml", "theme: 0.", "theme: 99.");
    assert_eq!(
        site.run(&["check"]).problems(),
        ["theme-version content/site.yaml:2:8"]
    );
}

/// Other words are not missing: the site takes them from the theme.
#[test]
fn theme_diff_shows_the_words_that_a_site_changes() {
    let site = new_site(&["--no-blog"]);
    site.write("content/locales/en.yaml", "messages:\n  menu: Contents\n");
    let diff = site.run(&["theme", "diff"]).stdout;
    let lines: Vec<&str> = diff
        .lines()
        .filter(|line| line.starts_with(['+', '-']))
        .collect();
    let expected = [
        "--- theme/content/locales/en.yaml",
        "+++ site/content/locales/en.yaml",
        "-  menu: Menu",
        "+  menu: Contents",
    ];
    assert_eq!(lines, expected, "{diff}");
}

#[test]
fn a_new_site_has_no_drawings_of_another_company() {
    // The output keeps no files of the builds before.
    let site = new_site(&[]).argument("--set=assets.keep_days=0");
    for name in ["a-calendar-not-a-hero", "before-you-ask-for-a-quote"] {
        let path = format!("content/blog/en/{name}.md");
        let text = std::fs::read_to_string(site.path(&path)).expect("a post");
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with("image"))
            .collect();
        site.write(&path, lines.join("\n"));
    }
    let covers = |site: &SiteTest| -> Vec<String> {
        let files = site.built().files();
        let drawn = files
            .into_iter()
            .filter(|(path, _)| path.contains("/drawn-"));
        drawn
            .map(|(_, bytes)| String::from_utf8(bytes).expect("SVG"))
            .collect()
    };
    let tiles = covers(&site);
    assert!(
        tiles.len() == 2 && tiles.iter().all(|svg| svg.contains("fill-opacity=\".16\"")),
        "{tiles:?}"
    );

    // The brand's own drawing replaces them.
    let own = "<svg viewBox=\"0 0 12 4\"><path fill=\"{{ ground }}\" d=\"M0 0h{{ 6 + pick(6) }}v4H0z\"/></svg>";
    site.write("content/images/brand/cover.svg", own);
    assert!(
        covers(&site)
            .iter()
            .all(|svg| svg.contains(" viewBox=\"0 0 12 4\"><path fill=\"#"))
    );
    site.write(
        "content/images/brand/cover.svg",
        own.replace("pick(6)", "pick(0)"),
    );
    assert_eq!(
        site.build().problems(),
        ["bad-drawing content/images/brand/cover.svg:1:1"]
    );
    site.write(
        "content/images/brand/cover.svg",
        own.replace("ground", "grond"),
    );
    let run = site.build();
    assert!(
        run.stderr.contains("`grond` is undefined here"),
        "{}",
        run.stderr
    );
}

/// The packages of npm that a new site asks for are those that this repository builds its own site with.
#[test]
fn a_new_site_asks_for_the_packages_of_this_repository() {
    let dependencies = |path: &Path| {
        let text = std::fs::read_to_string(path).expect("package.json");
        let package: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        package["dependencies"].clone()
    };
    let site = new_site(&[]);
    assert_eq!(
        dependencies(&site.path("package.json")),
        dependencies(&repository().join("package.json"))
    );
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = sitegen();
    command
        .args(["new", "acme"])
        .current_dir(folder.path())
        .env("SITEGEN_INSTALLED_BY", "npm");
    assert!(command.status().expect("sitegen starts").success());
    let packages = dependencies(&folder.path().join("acme/package.json"));
    assert_eq!(
        packages,
        serde_json::json!({ "@sitegen/cli": env!("CARGO_PKG_VERSION") })
    );
}

#[test]
fn a_collection_that_was_deleted_can_be_created_again() {
    let site = new_site(&["--no-blog"]);
    let create = || site.run(&["new", "collection", "events"]);
    assert_eq!(create().status, 0);
    assert_eq!(site.run(&["check"]).status, 0);
    let first = "content/events/first.yaml";
    site.edit(first, "A first entry", "My entry");
    // The schema alone, then the entries, too.
    for folders in [
        &["templates/collections/events"][..],
        &["templates/collections/events", "content/events"],
    ] {
        folders
            .iter()
            .for_each(|folder| std::fs::remove_dir_all(site.path(folder)).expect(folder));
        let run = create();
        assert_eq!(run.status, 0, "{}", run.stderr);
        let is_kept = std::fs::read_to_string(site.path(first))
            .expect(first)
            .contains("My entry");
        assert_eq!(is_kept, folders.len() == 1);
        assert_eq!(site.run(&["check"]).status, 0);
    }
}

#[test]
fn a_page_about_privacy_that_settings_contradict_is_reported() {
    let site = new_site(&[]);
    assert_eq!(site.run(&["check", "--strict"]).problems(), [""; 0]);
    let run = site.run(&["check", "--set", "leads.captcha.provider=none"]);
    assert!(
        run.stderr
            .contains("this page was written for `captcha: recaptcha`, but the site uses `none`"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("--> content/pages/privacy/en.yaml:"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("then write `captcha: none`"),
        "{}",
        run.stderr
    );
    let visits = "visits: {preset: google_analytics, measurement_id: G-ABC123}\nproduct:";
    site.edit("content/site.yaml", "product:", visits);
    let run = site.run(&["check"]);
    let message = "this page was written for `visits: none`, but the site uses `Google Analytics`";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    assert!(
        run.stderr.contains("then write `visits: google_analytics`"),
        "{}",
        run.stderr
    );
    let page = "content/pages/privacy/en.yaml";
    for name in ["google_analytics", "Google Analytics"] {
        site.edit(page, "visits: none", &format!("visits: {name}"));
        let run = site.run(&["check"]);
        assert!(!run.stderr.contains("privacy/en.yaml"), "{}", run.stderr);
        site.edit(page, &format!("visits: {name}"), "visits: none");
    }
    site.edit(
        "content/site.yaml",
        visits,
        "tag_manager: GTM-ABC1234\nproduct:",
    );
    let run = site.run(&["check"]);
    let message = message.replace("Analytics", "Tag Manager");
    assert!(run.stderr.contains(&message), "{}", run.stderr);
}

#[test]
fn titles_may_be_in_any_script() {
    let site = new_site(&[]);
    for (arguments, path) in [
        (["new", "post", "東京の夏"], "content/blog/en/東京の夏.md"),
        (["new", "page", "日本"], "content/pages/日本/en.yaml"),
        (
            ["new", "post", "Oﬃce ﬁre"],
            "content/blog/en/office-fire.md",
        ),
        (
            ["new", "post", "Łódź: l’Œuvre, Straße"],
            "content/blog/en/lodz-loeuvre-strasse.md",
        ),
        (
            ["new", "author", "हिन्दी लेखक"],
            "content/authors/हिन्दी-लेखक.yaml",
        ),
    ] {
        let run = site.run(&arguments);
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert!(site.path(path).exists(), "{path}: {}", run.stdout);
    }
    let run = site.run(&["check"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
}

#[test]
fn a_site_without_any_page_is_told_which_are_missing() {
    let site = new_site(&["--languages", "en,es"]);
    std::fs::remove_dir_all(site.path("content/pages")).expect("its pages");
    for folder in [false, true] {
        if folder {
            std::fs::create_dir(site.path("content/pages")).expect("a folder");
        }
        let run = site.run(&["build"]);
        assert!(
            run.status == 1
                && run
                    .stderr
                    .contains("the locale `es` has no home page at `/es/`"),
            "{}",
            run.stderr
        );
    }
}
