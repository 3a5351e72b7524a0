//! Letters of pages that a font lacks: what is said of them, where, and how often.

use crate::npm_fonts::{build, run, site};
use crate::site_test::Run;

const ABOUT: &str = "content/pages/about/en.yaml";
const INSTRUMENT: &str = "@fontsource-variable/instrument-sans";
const INTER: &str = "packages/inter-ui/web/inter.css";

fn letters(run: &Run) -> Vec<String> {
    run.problems()
        .into_iter()
        .filter(|problem| problem.contains("font-letters"))
        .collect()
}

#[test]
fn a_letter_that_a_font_lacks_is_reported_once_where_the_font_is_named() {
    let site = site();
    let fonts = format!(
        "  - {{token: text, package: \"@fontsource/noto-sans\", weights: [400]}}\n  - {{token: display, package: \"{INSTRUMENT}\"}}\n"
    );
    // The font of texts has the letter, and a word in another script is set in a font of the machine.
    site.edit(ABOUT, "body: We are", "body: Phở, Привет, 字, мир, we are");
    site.edit(
        ABOUT,
        "kind: hero\n    title: About us",
        "kind: hero\n    title: Über Привет",
    );
    let fine = build(&site, &fonts);
    assert_eq!(
        (fine.status, fine.problems()),
        (0, Vec::new()),
        "{}",
        fine.stderr
    );
    site.edit(ABOUT, "title: Über Привет", "title: Phở, phở và Ế");
    let one = build(&site, &fonts);
    assert_eq!(
        (one.status, letters(&one).len(), one.problems().len()),
        (0, 1, 1),
        "{}",
        one.stderr
    );
    let message = format!(
        "warning[font-letters]: `{INSTRUMENT}` lacks `Ế`, `ở`, which `/about/` ({ABOUT}) uses in the font `display`"
    );
    assert!(one.stderr.contains(&message), "{}", one.stderr);
    assert!(
        letters(&one)[0].ends_with("content/design.yaml:6:31"),
        "{:?}",
        one.problems()
    );
    // It stays until it is mended: pages that have not changed are not rendered again otherwise.
    let again = run(&site, "build");
    assert_eq!(
        again.stderr.matches(&message).count(),
        1,
        "{}",
        again.stderr
    );
    site.edit(
        "content/pages/home/es.yaml",
        "title: Hola",
        "title: Hola, Ế",
    );
    let two = run(&site, "check");
    assert!(
        two.stderr
            .contains(&format!("({ABOUT}) and one more page use in the font")),
        "{}",
        two.stderr
    );
    site.edit(
        "content/pages/home/es.yaml",
        "title: Hola, Ế",
        "title: Hola",
    );
    site.edit(ABOUT, "title: Phở, phở và Ế", "title: Pho");
    assert_eq!(run(&site, "build").problems(), Vec::<String>::new());
}

#[test]
fn a_file_without_a_letter_of_its_range_lacks_it() {
    let site = site();
    site.edit(ABOUT, "body: We are", "body: Erdő, señor, we are");
    let alone = build(&site, "  - {token: text, package: inter-ui}\n");
    assert!(
        alone.stderr.contains("`inter-ui` lacks `ő`, which"),
        "{}",
        alone.stderr
    );
    // A range that promises more than the file has is no better.
    site.edit(
        INTER,
        "format('woff2')",
        "format('woff2'); unicode-range: U+0-2AF",
    );
    let ranged = run(&site, "build");
    assert!(
        ranged.stderr.contains("`inter-ui` lacks `ő`, which"),
        "{}",
        ranged.stderr
    );
    // Another font of the token has it.
    let more = "  - {token: text, package: inter-ui}\n  - {token: text, package: \"@fontsource/noto-sans\"}\n";
    assert_eq!(letters(&build(&site, more)), Vec::<String>::new());
}

#[test]
fn a_font_without_the_letters_of_a_language_is_reported_once_for_the_language() {
    let site = site();
    site.edit(
        INTER,
        "format('woff2')",
        "format('woff2'); unicode-range: U+600-6FF",
    );
    let all = build(&site, "  - {token: text, package: inter-ui}\n");
    assert_eq!((all.status, letters(&all).len()), (0, 2), "{}", all.stderr);
    for said in [
        "`inter-ui` has no letters for `en`, so browsers choose another font for pages in this language",
        "add `{token: text, package: \"@fontsource/noto-sans\", languages: [es]}` to `fonts`, or set `languages` to the languages",
    ] {
        assert!(all.stderr.contains(said), "{}", all.stderr);
    }
    let spanish = build(
        &site,
        "  - {token: text, package: inter-ui, languages: [es]}\n",
    );
    assert_eq!(letters(&spanish).len(), 1, "{}", spanish.stderr);
    assert!(
        spanish
            .stderr
            .contains("languages: [es]}` to `fonts`, and remove `es` here"),
        "{}",
        spanish.stderr
    );
}
