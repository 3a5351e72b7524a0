//! The style guide stays in sync with the tokens: its values come from them, and differences are problems.

use crate::site_test::{Run, SiteTest, repository};

const DESIGN: &str = "content/design.yaml";
const COLORS: &str = "content/pages/style-guide-colors/en.yaml";

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).expect("a file of the site")
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
fn the_kinds_of_the_guide_come_with_its_sidebar() {
    let page = "path: /colors/\ntitle: Colors\ndescription: Our colors.\nunlinked: true\nlayout: {frame: style_guide}\nsections:\n  - {kind: guide_head, title: Colors}\n";
    let site = crate::new_site::small_site(&[]).file("content/pages/colors/en.yaml", page);
    let run = site.build();
    assert_reported(
        &run,
        "unknown-section content/pages/colors/en.yaml:7:",
        "add `content/style-guide/sidebar.yaml`",
    );
    let sidebar = "- {name: Colors, path: page:colors}\n";
    let site = site.file("content/style-guide/sidebar.yaml", sidebar);
    let run = site.built();
    assert!(
        run.page("/colors/").html.contains("guide-head"),
        "{}",
        run.stderr
    );
}

/// Each with a replacement in a file, and what is reported. Those of a color that cannot be read come earlier.
const MISTAKES: [[&str; 5]; 6] = [
    [
        COLORS,
        "{color: growth-800,",
        "{color: growth-80,",
        "unknown-token content/pages/style-guide-colors/en.yaml:",
        "there is no color `growth-80`",
    ],
    [
        DESIGN,
        "success-text: \"#225C00\"",
        "success-text: \"#66A044\"",
        "low-contrast content/design.yaml:",
        "`success-text` on `ground` has a contrast of",
    ],
    [
        DESIGN,
        "{text: white, ground: growth, note",
        "{text: ink, ground: growth, note",
        "invalid-value content/design.yaml:",
        "`ink` on `growth` is forbidden",
    ],
    [
        DESIGN,
        "  control: 4px\n",
        "  control: 4px\n  round: 99px\n",
        "unused-token content/design.yaml:",
        "nothing uses the token `round` in the group `radius`",
    ],
    [
        "content/pages/style-guide-icons/en.yaml",
        "icons: [arrow-right,",
        "icons: [arrow-rihgt,",
        "unknown-icon content/pages/style-guide-icons/en.yaml:",
        "did you mean `arrow-right`?",
    ],
    [
        "content/style-guide/sidebar.yaml",
        "page:style-guide-icons",
        "page:style-guide-icon",
        "dead-link content/style-guide/sidebar.yaml:",
        "did you mean `page:style-guide-icons`?",
    ],
];

#[test]
fn mistakes_in_tokens_swatches_icons_and_links_are_reported_together() {
    let site = SiteTest::whole();
    for [path, from, to, ..] in MISTAKES {
        site.edit(path, from, to);
    }
    let run = site.run(&["check"]);
    for [.., problem, words] in MISTAKES {
        assert_reported(&run, problem, words);
    }
}

#[test]
fn an_invalid_color_is_reported() {
    let site = SiteTest::whole();
    site.edit(DESIGN, "ink-raised: \"#1B2421\"", "ink-raised: \"#1B242\"");
    let run = site.run(&["check"]);
    assert_reported(
        &run,
        "invalid-value content/design.yaml:",
        "`#1B242` is not a color",
    );
}

#[test]
fn the_guide_is_whole() {
    let run = SiteTest::whole().built();
    the_icon_gallery_has_29_inline_icons_in_two_styles(&run);
    downloaded_logos_need_no_font(&run);
    the_current_page_is_marked_in_the_sidebar(&run);
    synonyms_are_in_the_index(&run);
}

fn the_icon_gallery_has_29_inline_icons_in_two_styles(run: &Run) {
    let page = &run.page("/style-guide/styles/icons/").html;
    assert_eq!(page.matches("<symbol id=\"icon-").count(), 58);
    assert_eq!(page.matches("<use href=\"#icon-").count(), 58);
    assert!(!page.contains("<img"), "no icon is a file");
}

fn downloaded_logos_need_no_font(run: &Run) {
    let page = run.page("/style-guide/styles/logo/").html.clone();
    let files: Vec<&str> = page
        .split("href=\"")
        .filter_map(|rest| rest.split('"').next())
        .filter(|href| href.contains("/downloads/"))
        .collect();
    assert!(files.iter().any(|file| file.ends_with(".png")), "{files:?}");
    for file in files.iter().filter(|file| file.ends_with(".svg")) {
        let svg = text(run, file);
        assert!(
            svg.contains("<path") && !svg.contains("<text"),
            "{file} needs a font"
        );
    }
}

fn the_current_page_is_marked_in_the_sidebar(run: &Run) {
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

fn synonyms_are_in_the_index(run: &Run) {
    let page = &run.page("/style-guide/search/").html;
    for word in ["green", "padding"] {
        assert!(read("content/pages/style-guide-search/en.yaml").contains(word));
        assert!(page.contains(word), "{word} finds nothing");
    }
}
