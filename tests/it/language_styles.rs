//! Style sheets of languages: pages in another language load nothing of them.

use std::collections::BTreeMap;

use crate::new_site::new_site;
use crate::site_test::{Run, SiteTest};

const MAIN: &str = "instrument-sans-latin-wght-normal";
const OTHER: &str = "bricolage-grotesque-latin-wght-normal";

fn face(family: &str, package: &str, file: &str) -> String {
    format!(
        "@font-face {{ font-family: {family}; src: url(\"@fontsource-variable/{package}/files/{file}.woff2\") }}\n\
         body {{ font-family: {family} }}\n"
    )
}

/// The small site with a font for every language.
fn with_font() -> SiteTest {
    let site = SiteTest::small()
        .file(
            "templates/styles/site.css",
            face("Main", "instrument-sans", MAIN),
        )
        .file("content/design.yaml", format!("preload_fonts: [{MAIN}]\n"));
    let head = "{% for href in assets.css %}<link rel=\"stylesheet\" href=\"{{ href }}\">{% endfor %}\n\
                {% for href in assets.preload %}<link rel=\"preload\" as=\"font\" href=\"{{ href }}\" crossorigin>{% endfor %}\n</head>";
    site.edit("templates/layouts/base.html", "</head>", head);
    site
}

/// The style sheets that a page names, and their bytes.
fn sheets(run: &Run, page: &str) -> BTreeMap<String, usize> {
    let files = run.files();
    let html = run.page(page).html;
    let names = html
        .split("rel=\"stylesheet\" href=\"/")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    names
        .map(|name| (name.to_owned(), files[name].len()))
        .collect()
}

#[test]
fn a_font_of_a_language_is_loaded_by_its_pages_alone() {
    let site = with_font();
    let before = site.built().page("/about/").html;
    site.write(
        "templates/styles/languages/es.css",
        face("Other", "bricolage-grotesque", OTHER),
    );
    site.write(
        "content/design.yaml",
        format!("preload_fonts: [{MAIN}, {OTHER}]\n"),
    );
    let run = site.built();
    assert_eq!(run.problems(), Vec::<String>::new());
    assert_eq!(
        run.page("/about/").html,
        before,
        "pages in English stay as they were"
    );
    assert_eq!(sheets(&run, "/about/").len(), 1);
    assert_eq!(sheets(&run, "/es/nosotros/").len(), 2);
    run.page("/about/")
        .contains(&format!("href=\"/_assets/files/{MAIN}"))
        .lacks("bricolage");
    run.page("/es/nosotros/")
        .contains("href=\"/_assets/es-")
        .contains(&format!("as=\"font\" href=\"/_assets/files/{MAIN}"))
        .contains(&format!("as=\"font\" href=\"/_assets/files/{OTHER}"));
    let spanish = run.page("/es/nosotros/").html;
    // A change of the sheet renders the pages that load it.
    site.edit(
        "templates/styles/languages/es.css",
        "body {",
        "body { color: red;",
    );
    let changed = site.built();
    assert_ne!(changed.page("/es/nosotros/").html, spanish);
    assert_eq!(changed.page("/about/").html, before);
    assert_eq!(site.run(&["build", "--verify-cache"]).status, 0);
}

#[test]
fn english_pages_of_a_site_with_chinese_have_no_byte_for_it() {
    let css = |languages: &str| {
        let site = new_site(&["--languages", languages, "--name", "Acme"]);
        let run = site.built();
        (sheets(&run, "/"), run)
    };
    let (english, _) = css("en");
    let (with_chinese, run) = css("en,zh-Hans,ar");
    // The names of sheets have a hash of their bytes.
    assert_eq!(english, with_chinese);
    assert!(!english.is_empty());
    let chinese = sheets(&run, "/zh-hans/");
    let own: Vec<&String> = chinese
        .keys()
        .filter(|name| !english.contains_key(*name))
        .collect();
    assert!(
        own.iter().any(|name| name.starts_with("_assets/zh-hans-")),
        "{chinese:?}"
    );
    let text = String::from_utf8(
        run.files()[*own
            .iter()
            .find(|name| name.contains("zh-hans-"))
            .expect("a sheet")]
        .clone(),
    );
    assert!(
        text.expect("UTF-8").contains("text-emphasis"),
        "the theme emphasizes Chinese with dots"
    );
    assert!(
        sheets(&run, "/ar/")
            .keys()
            .any(|name| name.starts_with("_assets/ar-"))
    );
}

#[test]
fn a_sheet_for_a_language_that_the_site_lacks_is_reported() {
    let site = new_site(&["--languages", "en,zh-Hans", "--name", "Acme"]);
    site.write("templates/styles/languages/zh.css", "em { color: red }\n");
    site.write(
        "templates/styles/languages/zh-Hant.css",
        "em { color: red }\n",
    );
    let run = site.build();
    assert!(
        run.problems()
            .contains(&"unknown-id templates/styles/languages/zh-Hant.css".to_owned())
            && run
                .stderr
                .contains("the site has no language `zh-Hant`, so nothing loads this style sheet")
            && !run.stderr.contains("languages/zh.css"),
        "{}",
        run.stderr
    );
}
