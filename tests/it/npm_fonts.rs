//! Fonts by the names of their npm packages: what pages load of them, and what is said of a package that does not fit.

use std::path::Path;

use crate::site_test::{Run, SiteTest, repository};

const DESIGN: &str = "content/design.yaml";
const TOKENS: &str = "font:\n  text: Arial, sans-serif\n  display: Georgia, serif\n";

/// The small site, whose texts have the tokens of `font`, with the packages of the project, a font of the tests by the name of
/// its package, and a package that is written here: `inter-ui`.
pub fn site() -> SiteTest {
    let site = SiteTest::small().file(
        "templates/styles/site.css",
        "body { font-family: var(--font-text) }\nh1 { font-family: var(--font-display) }\n",
    );
    let head = "{% for href in assets.css %}<link rel=\"stylesheet\" href=\"{{ href }}\">{% endfor %}\n\
                {% for href in assets.preload %}<link rel=\"preload\" as=\"font\" href=\"{{ href }}\" crossorigin>{% endfor %}\n</head>";
    site.edit("templates/layouts/base.html", "</head>", head);
    let (from, to) = (repository().join("node_modules"), site.path("packages"));
    std::fs::create_dir_all(to.join("@fontsource")).expect("a folder");
    let link = |from: &Path, to: &Path| std::os::unix::fs::symlink(from, to).expect("a link");
    for entry in std::fs::read_dir(&from).expect("packages").flatten() {
        link(&entry.path(), &to.join(entry.file_name()));
    }
    link(
        &from.join("noto-for-tests"),
        &to.join("@fontsource/noto-sans"),
    );
    let file = from.join("noto-for-tests/files/noto-sans-latin-400-normal.woff2");
    site.write(
        "packages/inter-ui/web/inter.woff2",
        std::fs::read(file).expect("a font"),
    );
    site.write(
        "packages/inter-ui/package.json",
        "{\"style\": \"web/inter.css\"}",
    );
    let css = "@font-face { font-family: Inter; src: url(inter.woff2) format('woff2') }\n* { display: none }\n";
    site.write("packages/inter-ui/web/inter.css", css);
    site
}

/// Builds with fonts, which are written as in the file.
pub fn build(site: &SiteTest, fonts: &str) -> Run {
    site.write(DESIGN, format!("{TOKENS}fonts:\n{fonts}"));
    run(site, "build")
}

pub fn run(site: &SiteTest, command: &str) -> Run {
    let packages = site.path("packages");
    site.run_with(
        &[command],
        &[("SITEGEN_NODE_MODULES", packages.to_str().expect("a path"))],
    )
}

/// The style sheets of a page, the shared one first.
fn sheets(run: &Run, page: &str) -> Vec<String> {
    let files = run.files();
    let html = run.page(page).html;
    let names = html
        .split("rel=\"stylesheet\" href=\"/")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    names
        .map(|name| String::from_utf8(files[name].clone()).expect("UTF-8"))
        .collect()
}

/// The addresses of the files that a style sheet or a page names after some letters.
fn addresses<'t>(text: &'t str, before: &str) -> Vec<&'t str> {
    text.split(before)
        .skip(1)
        .filter_map(|rest| rest.split([')', '"']).next())
        .collect()
}

#[test]
fn fonts_of_packages_are_loaded_by_the_pages_that_they_are_for() {
    let site = site();
    let run = build(
        &site,
        "  - {token: text, package: \"@fontsource-variable/instrument-sans\", preload: true}\n\
         \x20 - {token: text, package: \"@fontsource/noto-sans\", weights: [400], italic: true, languages: [es]}\n\
         \x20 - {token: display, package: \"@fontsource/noto-sans\", weights: [400], italic: true, languages: [es]}\n",
    );
    assert_eq!(
        (run.status, run.problems()),
        (0, Vec::new()),
        "{}",
        run.stderr
    );
    let english = sheets(&run, "/about/");
    assert_eq!(english.len(), 1);
    let stack =
        "\"Instrument Sans Variable\",\"Instrument Sans Variable Fallback text\",Arial, sans-serif";
    for part in [
        "@font-face{font-family:\"Instrument Sans Variable\";font-weight:400 700;font-display:swap;src:url(/_assets/files/",
        &format!("--font-text:{stack};"),
        ";unicode-range:U+0-FF,U+131,",
    ] {
        assert!(english[0].contains(part), "{part}: {}", english[0]);
    }
    let files = run.files();
    let loaded = addresses(&english[0], "url(/");
    assert_eq!(loaded.len(), 2, "latin and latin-ext");
    assert!(loaded.iter().all(|file| files[*file].starts_with(b"wOF2")));
    let early = addresses(&run.page("/about/").html, "as=\"font\" href=\"/").concat();
    assert!(
        loaded.contains(&early.as_str()) && early.contains("instrument-sans-latin-wght-normal-"),
        "{early}"
    );
    let spanish = sheets(&run, "/es/nosotros/");
    assert_eq!((spanish.len(), &spanish[0]), (2, &english[0]));
    assert!(spanish[1].contains(&format!(
        ":root{{--font-text:\"Noto Sans\",\"Noto Sans Fallback text\",{stack}}}"
    )));
    assert!(
        spanish[1].contains("font-style:italic;font-weight:400;")
            && !spanish[1].contains("font-weight:700")
    );
    let rules = |css: &str| addresses(css, "url(/").len();
    assert_eq!(
        rules(&spanish[1]),
        16,
        "eight subsets, upright and slanted, once for both tokens"
    );
    assert!(
        spanish[1].contains("local(\"Times New Roman\")"),
        "the second token ends with `serif`"
    );
    assert!(
        !english[0].contains("Noto"),
        "pages in English stay without the font of the Spanish ones"
    );
    let packages = site.path("packages");
    let again = site.run_with(
        &["build", "--verify-cache"],
        &[("SITEGEN_NODE_MODULES", packages.to_str().expect("a path"))],
    );
    assert_eq!(again.status, 0, "{}", again.stderr);
}

/// The values measured by hand for the theme (`templates/styles/fonts.css`) are those that the program measures.
#[test]
fn the_face_that_stands_in_has_the_size_of_the_font() {
    let run = build(
        &site(),
        "  - {token: text, package: \"@fontsource-variable/instrument-sans\"}\n",
    );
    let css = &sheets(&run, "/about/")[0];
    let rule = css
        .split("@font-face{")
        .find(|rule| rule.contains("Variable Fallback"))
        .expect("a rule");
    let percent = |name: &str| -> f64 {
        let value = rule
            .split_once(&format!("{name}:"))
            .and_then(|(_, rest)| rest.split('%').next());
        value
            .and_then(|value| value.parse().ok())
            .unwrap_or_else(|| panic!("{name} in {rule}"))
    };
    for (name, by_hand) in [
        ("size-adjust", 102.3),
        ("ascent-override", 94.8),
        ("descent-override", 24.4),
    ] {
        assert!((percent(name) - by_hand).abs() < 2.0, "{name}: {rule}");
    }
    assert!(rule.contains("src:local(\"Arial\")"));
}

#[test]
fn a_package_without_fontsources_files_brings_its_fonts_and_nothing_else() {
    let site = site();
    let fonts = "  - {token: text, package: inter-ui}\n";
    let css = sheets(&build(&site, fonts), "/about/").concat();
    assert!(
        css.contains("@font-face{font-family:\"Inter\";font-weight:400;")
            && !css.contains("display:none"),
        "{css}"
    );
    // An update of the package is noticed.
    site.edit(
        "packages/inter-ui/web/inter.css",
        "font-family: Inter;",
        "font-family: Inter; font-weight: 100 900;",
    );
    let changed = sheets(&run(&site, "build"), "/about/").concat();
    assert!(changed.contains("font-weight:100 900;"), "{changed}");
    // A style sheet cannot publish what is outside of its package.
    site.edit(
        "packages/inter-ui/web/inter.css",
        "url(inter.woff2)",
        "url(../../secret.woff2)",
    );
    site.write("packages/secret.woff2", "secret");
    let run = run(&site, "build");
    assert!(
        run.status == 1 && run.stderr.contains("use none of its WOFF2 files"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_font_that_does_not_fit_is_reported_where_it_is_named() {
    let site = site();
    for (font, wrong, message, hint) in [
        (
            "token: text, package: \"@fontsource/lora\"",
            "\"@fontsource/lora",
            "the package `@fontsource/lora` is not installed",
            "run `npm install @fontsource/lora`",
        ),
        (
            "token: text, package: \"@fontsource/noto-sans\", weights: [400, 450]",
            "450",
            "`@fontsource/noto-sans` has no weight 450",
            "write a weight that the package has: 100, 200, 300, 400, 500, 600, 700, 800, 900",
        ),
        (
            "token: text, package: \"@fontsource-variable/instrument-sans\", weights: [900]",
            "900",
            "`@fontsource-variable/instrument-sans` has no weight 900",
            "write a weight that the package has: 400 to 700",
        ),
        (
            "token: text, package: inter-ui, italic: true",
            "true",
            "`inter-ui` has no italic style",
            "remove `italic`",
        ),
        (
            "token: text, package: react",
            "react",
            "the package `react` has no style sheet",
            "choose a package that has `index.css`",
        ),
        (
            "token: text, package: ../secret",
            "../secret",
            "`../secret` is not a valid package name",
            "that the package has on npm",
        ),
        (
            "token: text, package: \"@fontsource/noto-sans/400.css\"",
            "\"@fontsource",
            "is not a valid package name",
            "write `@fontsource/noto-sans`, without a path",
        ),
        (
            "token: texd, package: inter-ui",
            "texd",
            "the group `font` has no token `texd`",
            "did you mean `text`",
        ),
        (
            "token: text, package: inter-ui, languages: [fr]",
            "fr",
            "the site has no language `fr`",
            "",
        ),
        (
            "token: text, package: inter-ui, wieghts: [400]",
            "wieghts",
            "wieghts",
            "did you mean `weights`",
        ),
    ] {
        let run = build(&site, &format!("  - {{{font}}}\n"));
        // A package that has to be installed first has a status of its own.
        let status = if hint.contains("npm install") { 3 } else { 1 };
        assert_eq!(run.status, status, "{font}");
        let written = format!("  - {{{font}}}");
        let place = format!("5:{}", written.find(wrong).expect("what is wrong") + 1);
        let is_at = run
            .problems()
            .iter()
            .any(|problem| problem.ends_with(&format!("{DESIGN}:{place}")));
        let says = run.stderr.contains(message) && run.stderr.contains(hint);
        assert!(
            is_at && says && run.problems().len() == 1,
            "{font}: {}",
            run.stderr
        );
    }
}
