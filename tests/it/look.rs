//! The variants of the theme that a site chooses in `look` of `content/design.yaml`, and the limits of its tokens.

use crate::new_site::new_site;
use crate::site_test::{Run, SiteTest};

const DESIGN: &str = "content/design.yaml";

/// A new site with more in its design.
fn site(look: &str) -> SiteTest {
    let site = new_site(&["--no-blog"]);
    let design = std::fs::read_to_string(site.path(DESIGN)).expect("a design");
    site.write(DESIGN, design + look);
    site
}

/// The style sheet that all pages have.
fn sheet(run: &Run) -> String {
    let files = run.files();
    let css = files
        .iter()
        .find(|(path, _)| path.starts_with("_assets/site-") && path.ends_with(".css"));
    String::from_utf8_lossy(css.expect("a sheet").1).into_owned()
}

#[test]
fn a_site_that_chooses_nothing_has_what_the_theme_has() {
    let run = site("").built();
    assert_eq!(run.problems(), [""; 0]);
    run.page("/")
        .lacks("header--wide")
        .lacks("header--centered")
        .lacks("footer--");
    let css = sheet(&run);
    assert!(
        css.contains("--look-grid-lines:12") && css.contains("--space-8:64px"),
        "{css}"
    );
}

#[test]
fn variants_of_header_menu_and_footer_are_chosen() {
    let site = site("look: {header: centered, menu: wide, footer: paper}\n");
    let run = site.built();
    assert_eq!(run.problems(), [""; 0]);
    run.page("/")
        .contains("header--centered header--wide\"")
        .contains("class=\"footer footer--paper\"");
    // Another choice changes the pages of the next build.
    site.edit(DESIGN, "header: centered", "header: start");
    site.edit(DESIGN, "footer: paper", "footer: compact");
    site.built()
        .page("/")
        .contains("header--start header--wide\"")
        .contains("footer--compact");
}

#[test]
fn distances_and_lines_follow_the_look() {
    let css = sheet(&site("look: {density: compact, grid_lines: 6}\n").built());
    assert!(
        css.contains("--look-grid-lines:6") && css.contains("--space-8:calc(0.66*64px)"),
        "{css}"
    );
    assert!(css.contains("--space-1:8px"), "{css}");
    let css = sheet(&site("look: {density: airy, grid_lines: 0}\n").built());
    assert!(
        css.contains(".band::before{display:none}") && !css.contains("--look-grid-lines:"),
        "{css}"
    );
    assert!(css.contains("--space-section:calc(1.33*clamp("), "{css}");
}

#[test]
fn mistakes_in_the_look_are_named_with_their_line() {
    for (look, message, hint) in [
        (
            "look: {grid_lines: 40}\n",
            "`grid_lines` cannot be 40",
            "write a number from 1 to 24",
        ),
        ("look: {menu: wyde}\n", "wyde", "wide"),
        ("look: {heeder: start}\n", "heeder", "header"),
        ("look: wide\n", "content/design.yaml", ""),
    ] {
        let run = site(look).run(&["check"]);
        assert!(
            run.status == 1 && run.stderr.contains(message) && run.stderr.contains(hint),
            "{look}: {}",
            run.stderr
        );
        assert_eq!(
            run.problems()
                .iter()
                .filter(|problem| problem.contains(DESIGN))
                .count(),
            1,
            "{}",
            run.stderr
        );
    }
    let site = site("");
    site.edit(DESIGN, "  control: ", "  control: 40px # was ");
    let run = site.run(&["check"]);
    assert!(
        run.stderr
            .contains("`40px` is not a valid radius for buttons, fields and images"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("write a length from `0px` to `24px`"),
        "{}",
        run.stderr
    );
}

/// The lines of a sharing card are those of the pages.
#[test]
fn the_lines_of_sharing_cards_follow_the_look() {
    let cards = |look: &str| -> Vec<Vec<u8>> {
        let files = site(look).built().files();
        files
            .into_iter()
            .filter(|(path, _)| path.starts_with("_assets/cards/"))
            .map(|(_, bytes)| bytes)
            .collect()
    };
    let (default, twelve, none) = (
        cards(""),
        cards("look: {grid_lines: 12}\n"),
        cards("look: {grid_lines: 0}\n"),
    );
    assert!(!default.is_empty() && default.len() == none.len());
    assert_eq!(
        default.iter().collect::<std::collections::BTreeSet<_>>(),
        twelve.iter().collect()
    );
    assert!(
        none.iter().all(|card| !default.contains(card)),
        "a card has lines that the pages have not"
    );
}
