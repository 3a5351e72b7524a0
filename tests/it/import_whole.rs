//! Whole imports into new sites: nothing of an export is lost in silence, and the site builds without a warning.

use std::fs;

use serde_json::Value;

use crate::new_site::new_site;
use crate::site_test::{SiteTest, repository};

/// An export file of these tests.
fn source(name: &str) -> String {
    repository()
        .join("tests/import")
        .join(name)
        .to_string_lossy()
        .into_owned()
}

/// Imports a file into a new site, proves the import, and builds the site as `--strict` demands. Returns the report of
/// the proof.
fn imported(site: &SiteTest, file: &str) -> Value {
    let uploads = site.path("uploads");
    fs::create_dir_all(&uploads).expect("a folder");
    let (proof, uploads) = (site.path("proof"), uploads.to_string_lossy().into_owned());
    let run = site.run(&[
        "import",
        "wordpress",
        file,
        "--uploads",
        &uploads,
        "--report",
        &proof.to_string_lossy(),
    ]);
    let report = fs::read_to_string(proof.join("report.json")).unwrap_or_default();
    assert_eq!(
        run.status, 0,
        "{file}: {}{}\n{report}",
        run.stdout, run.stderr
    );
    let built = site.run(&["build", "--strict"]);
    assert_eq!(built.status, 0, "{file}: {}{}", built.stdout, built.stderr);
    crate::policy::check(site);
    // A post without a text has no summary, and these tests want one.
    if !file.contains("unit-test") {
        crate::feeds::check(&crate::site_test::files_below(&site.path("dist")));
    }
    serde_json::from_str(&report).expect("JSON")
}

fn read(site: &SiteTest, file: &str) -> String {
    fs::read_to_string(site.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn words_in_brackets_stay_in_the_text() {
    let site = new_site(&[]);
    imported(&site, &source("cases/w15-brackets.xml"));
    let text = read(&site, "content/blog/en/brackets.md").replace('\\', "");
    for words in [
        "[via Bob]",
        "[UPDATE: it works now]",
        "[Editor’s note: moved]",
        "“teh [sic] cat”",
        "[citation needed]",
        "[translated from German]",
        "[a, b]",
        "English part Parte",
        "[This whole sentence is in brackets.]",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn bytes_of_windows_are_the_characters_that_were_meant() {
    let site = new_site(&[]);
    imported(&site, &source("cases/w03-cp1252.xml"));
    let text = read(&site, "content/blog/en/quotes.md");
    assert!(text.contains("He said “hello” – it’s €5…"), "{text}");
}

#[test]
fn descriptions_and_recordings_of_plugins_are_kept_or_noted() {
    let site = new_site(&[]);
    let proof = imported(&site, &source("cases/w12-yoast.xml"));
    assert_eq!(
        (&proof["counted"]["fields"], &proof["counted"]["enclosures"]),
        (&4.into(), &1.into()),
        "{proof:#}"
    );
    let text = read(&site, "content/blog/en/yoast.md");
    assert!(
        text.contains("excerpt: A hand-written description.\n"),
        "{text}"
    );
    assert!(
        text.contains("[a.mp3](https://old.example/a.mp3)"),
        "{text}"
    );
    let report = read(&site, ".sitegen/import/report.json");
    assert!(
        report.contains("_yoast_wpseo_title: SEO title")
            && report.contains("rank_math_description: RM"),
        "{report}"
    );
}

#[test]
fn redirects_of_an_import_never_hide_its_pages() {
    for case in ["w05-subdir", "w06-blogpage"] {
        let site = new_site(&[]);
        imported(&site, &source(&format!("cases/{case}.xml")));
        let report = read(&site, ".sitegen/import/report.json");
        assert!(
            report.contains("a redirect was left out"),
            "{case}: {report}"
        );
        // Nothing has changed, so nothing is written again.
        let again = site.run(&["import", "wordpress", &source(&format!("cases/{case}.xml"))]);
        assert_eq!(again.status, 0, "{}", again.stderr);
        assert!(
            again.stdout.contains("unchanged") && !again.stdout.contains(" updated"),
            "{}",
            again.stdout
        );
    }
}

#[test]
fn everything_that_themes_are_tested_with_is_imported() {
    let site = new_site(&[]);
    let proof = imported(&site, &source("unit-test.xml"));
    assert!(
        proof["counted"]["items"].as_u64() > Some(50),
        "{}",
        proof["counted"]
    );
    assert_eq!(proof["unexplained"], 0, "{proof:#}");
    let long = read(&site, "content/blog/en/a-very-long-post.md");
    assert!(long.contains("\nhtml_budget: "), "{}", &long[..300]);
    let titles = ["same-title", "same-title-2"]
        .map(|slug| read(&site, &format!("content/blog/en/{slug}.md")));
    assert!(
        titles[0].lines().nth(1) != titles[1].lines().nth(1),
        "{titles:?}"
    );
    let report = read(&site, ".sitegen/import/report.json");
    for note in [
        "a background image",
        "a placeholder replaces",
        "has the same title",
        "its HTML budget was raised",
    ] {
        assert!(report.contains(note), "{note}");
    }
    // A picture that is found later takes the place of its placeholder.
    let picture = image::RgbImage::from_pixel(40, 20, image::Rgb([9, 90, 160]));
    fs::create_dir_all(site.path("uploads/2013/03")).expect("a folder");
    picture
        .save(site.path("uploads/2013/03/horizontal.jpg"))
        .expect("a picture");
    let uploads = site.path("uploads").to_string_lossy().into_owned();
    let again = site.run(&[
        "import",
        "wordpress",
        &source("unit-test.xml"),
        "--uploads",
        &uploads,
    ]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    let found =
        fs::read(site.path("content/blog/en/template-featured-image-horizontal/horizontal.jpg"))
            .expect("a picture");
    assert_eq!(
        found,
        fs::read(site.path("uploads/2013/03/horizontal.jpg")).expect("a picture")
    );
}

#[test]
fn text_that_looks_like_markup_of_others_stays_text() {
    let site = new_site(&[]);
    let export = std::fs::read_to_string(source("cases/w15-brackets.xml")).expect("an export file");
    let (start, rest) = export
        .split_once("<content:encoded><![CDATA[")
        .expect("a text");
    let (_, end) = rest.split_once("]]>").expect("its end");
    let text = "Use {{ name }}, {% if x %}, {: .y } and :smile:, a ==b== c, x^2^.\u{b}And a break.\n\n:::quote\ntext: a\n:::\n\n\
                {{ island(\"x\", {}, \"none\") }}";
    site.write(
        "export.xml",
        format!("{start}<content:encoded><![CDATA[{text}]]>{end}"),
    );
    imported(&site, &site.path("export.xml").to_string_lossy());
    let run = site.built();
    let page = run.page("/blog/brackets/");
    for words in [
        "{{ name }}, {% if x %}, {: .y } and :smile:, a ==b== c, x^2^. And a break.",
        ":::quote",
        "{{ island(",
    ] {
        page.contains(words);
    }
}
