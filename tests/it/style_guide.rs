//! The style guide stays in sync with the tokens: its values come from them, and differences are problems.

use crate::site_test::{Run, SiteTest, repository};

const DESIGN: &str = "content/design.yaml";
const COLORS: &str = "content/pages/style-guide-colors/en.yaml";

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).expect("a file of the site")
}

/// Replaces text in a file of the project's site, and checks the site.
fn checked(path: &str, from: &str, to: &str) -> Run {
    let site = SiteTest::whole();
    site.edit(path, from, to);
    site.run(&["check"])
}

/// The text of a published file.
fn text(run: &Run, address: &str) -> String {
    String::from_utf8(run.files()[address.trim_start_matches('/')].clone()).expect("text")
}

#[track_caller]
fn assert_reported(run: &Run, problem: &str, words: &str) {
    assert!(
        run.problems()
            .iter()
            .any(|found| found.starts_with(problem)),
        "{problem} is not reported:\n{}",
        run.stderr
    );
    assert!(
        run.stderr.contains(words),
        "{words:?} is not in the output:\n{}",
        run.stderr
    );
}

#[test]
fn a_changed_token_changes_the_site_and_the_guide() {
    let site = SiteTest::whole();
    site.edit(DESIGN, "growth-800: \"#174000\"", "growth-800: \"#173F02\"");
    let run = site.built();
    let page = &run.page("/style-guide/styles/colors/").html;
    assert!(
        page.contains("fill=\"#173F02\""),
        "the swatch is drawn from the token"
    );
    assert!(page.contains("23 63 2"), "red, green and blue follow");
    assert!(!page.contains("#174000"));
    let sheet = page
        .split("href=\"")
        .filter_map(|rest| rest.split('"').next())
        .find(|href| href.contains("/site-"));
    let sheet = text(&run, sheet.expect("the shared style sheet"));
    assert!(
        sheet.contains("--color-growth-800:#173F02"),
        "the site's style sheet has the new value"
    );
}

#[test]
fn a_swatch_of_an_unknown_token_is_reported() {
    let run = checked(COLORS, "{color: growth-800,", "{color: growth-80,");
    assert_reported(
        &run,
        "unknown-token content/pages/style-guide-colors/en.yaml:",
        "there is no color `growth-80`",
    );
}

#[test]
fn a_pair_with_low_contrast_is_reported() {
    let run = checked(
        DESIGN,
        "success-text: \"#225C00\"",
        "success-text: \"#66A044\"",
    );
    assert_reported(
        &run,
        "low-contrast content/design.yaml:",
        "`success-text` on `ground` has a contrast of",
    );
}

#[test]
fn a_forbidden_pair_with_good_contrast_is_reported() {
    let run = checked(
        DESIGN,
        "{text: white, ground: growth, note",
        "{text: ink, ground: growth, note",
    );
    assert_reported(
        &run,
        "invalid-value content/design.yaml:",
        "`ink` on `growth` is forbidden",
    );
}

#[test]
fn an_invalid_color_is_reported() {
    let run = checked(DESIGN, "ink-raised: \"#1B2421\"", "ink-raised: \"#1B242\"");
    assert_reported(
        &run,
        "invalid-value content/design.yaml:",
        "`#1B242` is not a color",
    );
}

#[test]
fn an_unused_token_is_reported_at_its_name() {
    let run = checked(
        DESIGN,
        "  control: 4px\n",
        "  control: 4px\n  round: 99px\n",
    );
    assert_reported(
        &run,
        "unused-token content/design.yaml:",
        "nothing uses the token `round` in the group `radius`",
    );
}

#[test]
fn an_unknown_icon_is_reported_at_its_name() {
    let run = checked(
        "content/pages/style-guide-icons/en.yaml",
        "icons: [arrow-right,",
        "icons: [arrow-rihgt,",
    );
    assert_reported(
        &run,
        "unknown-icon content/pages/style-guide-icons/en.yaml:",
        "did you mean `arrow-right`?",
    );
}

#[test]
fn a_dead_link_in_the_sidebar_is_reported() {
    let run = checked(
        "content/style-guide/sidebar.yaml",
        "page:style-guide-icons",
        "page:style-guide-icon",
    );
    assert_reported(
        &run,
        "dead-link content/style-guide/sidebar.yaml:",
        "did you mean `page:style-guide-icons`?",
    );
}

#[test]
fn the_icon_gallery_has_29_inline_icons_in_two_styles() {
    let run = SiteTest::whole().built();
    let page = &run.page("/style-guide/styles/icons/").html;
    assert_eq!(page.matches("<symbol id=\"icon-").count(), 58);
    assert_eq!(page.matches("<use href=\"#icon-").count(), 58);
    assert!(!page.contains("<img"), "no icon is a file");
}

#[test]
fn downloaded_logos_need_no_font() {
    let run = SiteTest::whole().built();
    let page = run.page("/style-guide/styles/logo/").html.clone();
    let files: Vec<&str> = page
        .split("href=\"")
        .filter_map(|rest| rest.split('"').next())
        .filter(|href| href.contains("/downloads/"))
        .collect();
    assert!(files.iter().any(|file| file.ends_with(".png")), "{files:?}");
    for file in files.iter().filter(|file| file.ends_with(".svg")) {
        let svg = text(&run, file);
        assert!(
            svg.contains("<path") && !svg.contains("<text"),
            "{file} needs a font"
        );
    }
}

#[test]
fn the_current_page_is_marked_in_the_sidebar() {
    let run = SiteTest::whole().built();
    let page = &run.page("/style-guide/styles/colors/").html;
    let (_, sidebar) = page.split_once("guide-frame__nav").expect("the sidebar");
    let (sidebar, _) = sidebar.split_once("</nav>").expect("its end");
    let marked: Vec<&str> = sidebar
        .split("<a ")
        .skip(1)
        .filter(|link| {
            link.split('>')
                .next()
                .is_some_and(|tag| tag.contains("aria-current=\"page\""))
        })
        .collect();
    assert_eq!(marked.len(), 1);
    assert!(marked[0].contains("href=\"/style-guide/styles/colors/\""));
}

#[test]
fn synonyms_are_in_the_index() {
    let run = SiteTest::whole().built();
    let page = &run.page("/style-guide/search/").html;
    for word in ["green", "padding"] {
        assert!(read("content/pages/style-guide-search/en.yaml").contains(word));
        assert!(page.contains(word), "{word} finds nothing");
    }
}
