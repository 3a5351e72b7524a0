//! `typography` of a locale: warnings of a build, and the corrections of `sitegen fmt`. How problems read is in
//! `tests/sites/typography`; the rules for one text are tested beside them.

use diagnostics::problem::Source;
use diagnostics::yaml::{self, Node, Value, Written};

use crate::site_test::{SiteTest, files_below, repository};

const SPANISH: &str = "name: Español\nlanguage: es\ntypography:\n  quotes: [“, ”, ‘, ’]\n  decimal: \",\"\n  percent: space\n  units: [ms]\nmessages:\n  menu: Menú\n  copyright: \"© {year} {company}\"\n";
const POST: &str = "---\ntitle: \"El 5% y \\\"algo\\\"\"\ndate: 2025-01-02\nauthor: ana\n---\r\nTarda 20 ms, `20 ms` o [más](https://a.example/5%25 \"x\").\n";

fn site() -> SiteTest {
    let about = "path: /es/nosotros/\ntitle: Nosotros\ndescription: \"Arriba el 99.9% del tiempo.\"\nsections:\n  - {kind: hero, title: Nosotros}\n";
    SiteTest::small()
        .file("content/locales/es.yaml", SPANISH)
        .file("content/pages/about/es.yaml", about)
        .file("content/blog/es/uno.md", POST)
}

fn mistakes(site: &SiteTest) -> Vec<String> {
    let problems = site.run(&["check"]).problems();
    problems
        .into_iter()
        .filter_map(|problem| Some(problem.strip_prefix("typography ")?.to_owned()))
        .collect()
}

#[test]
fn each_language_has_its_own_rules() {
    let site = site();
    site.edit(
        "content/site.yaml",
        "es: Cosas pequeñas.",
        "es: \"Cosas 'pequeñas'.\"",
    );
    site.edit(
        "content/pages/home/en.yaml",
        "title: Hello",
        "title: It's 99,9 % up",
    );
    assert_eq!(
        mistakes(&site),
        [
            "content/blog/es/uno.md:2:12",
            "content/blog/es/uno.md:2:17",
            "content/blog/es/uno.md:2:23",
            "content/blog/es/uno.md:6:7",
            "content/pages/about/es.yaml:3:25",
            "content/site.yaml:14:43",
            "content/site.yaml:14:52",
        ]
    );
}

#[test]
fn a_locale_without_typography_is_not_checked() {
    let site = SiteTest::small();
    site.edit(
        "content/pages/home/en.yaml",
        "title: Hello",
        "title: It's 99,9 % \"up\" - or so...",
    );
    assert_eq!(mistakes(&site), [""; 0]);
    assert_eq!(site.run(&["fmt", "--check"]).status, 0);
}

/// Quotes, the decimal separator and the space in front of `%`, from the name of the language alone.
#[test]
fn a_language_writes_as_cldr_has_it() {
    let written = "  quotes: [“, ”, ‘, ’]\n  decimal: \",\"\n  percent: space\n";
    let with = |keys: &str| site().file("content/locales/es.yaml", SPANISH.replace(written, keys));
    let site = with("  cldr: true\n");
    assert_eq!(site.run(&["fmt"]).status, 0);
    let read = |path: &str| std::fs::read_to_string(site.path(path)).expect(path);
    assert!(
        read("content/blog/es/uno.md").contains("El 5\\u00A0% y “algo”"),
        "{}",
        read("content/blog/es/uno.md")
    );
    assert!(
        read("content/pages/about/es.yaml").contains("99,9\\u00A0%"),
        "{}",
        read("content/pages/about/es.yaml")
    );
    // A setting beside it wins.
    let site = with("  cldr: true\n  quotes: [«, », “, ”]\n");
    assert_eq!(site.run(&["fmt"]).status, 0);
    let post = std::fs::read_to_string(site.path("content/blog/es/uno.md")).expect("the post");
    assert!(post.contains("«algo»"), "{post}");
}

#[test]
fn four_quotes_are_needed() {
    let site = site();
    site.edit("content/locales/es.yaml", "[“, ”, ‘, ’]", "[“, ”]");
    let run = site.build();
    assert!(
        run.problems()
            .contains(&"invalid-value content/locales/es.yaml:4:11".to_owned()),
        "{}",
        run.stderr
    );
}

#[test]
fn fmt_corrects_mistakes_and_nothing_else() {
    let site = site();
    let before = files_below(&site.path("content"));
    let run = site.run(&["fmt", "--check"]);
    assert_eq!(
        (run.status, files_below(&site.path("content")) == before),
        (1, true),
        "{}",
        run.stderr
    );
    assert_eq!(
        run.stdout,
        "would change content/blog/es/uno.md\nwould change content/pages/about/es.yaml\n"
    );
    let run = site.run(&["fmt"]);
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (
            0,
            "changed content/blog/es/uno.md\nchanged content/pages/about/es.yaml\n"
        )
    );
    let mut expect = before;
    let post = POST
        .replace("5% y \\\"algo\\\"", "5\\u00A0% y “algo”")
        .replacen("20 ms", "20\u{a0}ms", 1);
    expect.insert("blog/es/uno.md".into(), post.into_bytes());
    let about = String::from_utf8(expect["pages/about/es.yaml"].clone()).expect("UTF-8");
    expect.insert(
        "pages/about/es.yaml".into(),
        about.replace("99.9%", "99,9\\u00A0%").into_bytes(),
    );
    assert!(files_below(&site.path("content")) == expect);
    assert_eq!(mistakes(&site), [""; 0]);
    assert_eq!(
        (
            site.run(&["fmt"]).stdout,
            site.run(&["fmt", "--check"]).status
        ),
        (String::new(), 0)
    );
}

/// Settings of a form, and values that the schemas of the site say are no texts.
#[test]
fn fmt_writes_into_texts_only() {
    let site = site();
    site.edit(
        "content/locales/en.yaml",
        "language: en",
        "language: en\ntypography: {quotes: [“, ”, ‘, ’], units: [MB, EUR, km]}",
    );
    let field = |kind: &str| {
        format!(
            "meaning: A.\nfields:\n  size: {{type: {kind}, meaning: S.}}\n  text: {{type: text, meaning: T.}}\n"
        )
    };
    let files = [
        ("templates/sections/offer/schema.yaml", field("amount")),
        ("templates/sections/offer/offer.html", "<p>{{ section.text }}</p>".to_owned()),
        ("templates/collections/posts/schema.yaml", field("amount")),
        ("content/forms/contact/form.yaml", "fields:\n  email: {type: email}\n  scan: {type: file, accept: [application/pdf], most: 5 MB}\n  code: {type: text, pattern: \"5 km\"}\ncaptcha: false\n".to_owned()),
        ("content/forms/contact/en.yaml", "fields:\n  email: {label: Email}\n  scan: {label: At most 5 MB}\n  code: {label: C}\n".to_owned()),
        ("content/blog/en/one.md", "---\ntitle: \"5 km away\"\ndate: 2025-01-02\nauthor: ana\nsize: 5 EUR\n---\nText.\n".to_owned()),
        ("content/pages/offer/en.yaml", "path: /offer/\ntitle: Offer\ndescription: An offer.\nsections:\n  - {kind: offer, size: 5 EUR, text: It costs 5 EUR.}\n".to_owned()),
    ];
    for (path, text) in &files {
        site.write(path, text);
    }
    assert_eq!(site.run(&["fmt"]).status, 0);
    let read = |path: &str| std::fs::read_to_string(site.path(path)).expect(path);
    let expect = |path: &str, from: &str| {
        let (_, before) = files
            .iter()
            .find(|(other, _)| *other == path)
            .expect("a file");
        let right = from.replace(' ', "\u{a0}");
        let escaped = from.replace(' ', "\\u00A0");
        let after = read(path);
        assert!(
            after == before.replacen(from, &right, 1)
                || after == before.replacen(from, &escaped, 1),
            "{after}"
        );
    };
    assert_eq!(read("content/forms/contact/form.yaml"), files[3].1);
    expect("content/forms/contact/en.yaml", "5 MB");
    expect("content/blog/en/one.md", "5 km");
    let page = read("content/pages/offer/en.yaml");
    assert!(
        page.contains("size: 5 EUR,") && page.contains("costs 5\u{a0}EUR"),
        "{page}"
    );
}

#[test]
fn fmt_takes_files_and_folders_of_content() {
    let site = site();
    let blog = site.path("content/blog").to_string_lossy().into_owned();
    assert_eq!(
        site.run(&["fmt", &blog]).stdout,
        "changed content/blog/es/uno.md\n"
    );
    let templates = site.path("templates").to_string_lossy().into_owned();
    let run = site.run(&["fmt", &templates]);
    assert!(
        run.status == 1 && run.stderr.contains("`templates` is not in `content/`"),
        "{}",
        run.stderr
    );
}

/// A text that cannot be located is not checked, so each of the project's own must be.
#[test]
fn every_text_of_the_content_is_located() {
    fn texts(source: &Source, node: &Node) -> usize {
        match &node.value {
            Value::Text(text) => {
                assert!(
                    Written::of(source, node).is_some(),
                    "{}: {text}",
                    source.path
                );
                1
            }
            Value::List(items) => items.iter().map(|item| texts(source, item)).sum(),
            Value::Map(entries) => entries.iter().map(|(_, node)| texts(source, node)).sum(),
            _ => 0,
        }
    }
    let mut seen = 0;
    for (path, bytes) in files_below(&repository().join("content"))
        .into_iter()
        .filter(|(path, _)| path.ends_with(".yaml"))
    {
        let source = Source::new(path, String::from_utf8(bytes).expect("UTF-8"));
        seen += texts(
            &source,
            &yaml::parse(&source, 0..source.text.len()).expect("valid YAML"),
        );
    }
    assert!(seen > 2_000, "only {seen} texts were found");
}
