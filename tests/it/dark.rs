//! Colors for visitors who prefer it dark: tokens, contrast, and the choice that needs no React.

use std::io::Write as _;

use crate::new_site::new_site;
use crate::site_test::{Run, SiteTest};

const DESIGN: &str = "content/design.yaml";

const DARK: &str = "
dark:
  paper: \"#101D1A\"
  white: \"#172723\"
  ink: \"#E9F0EC\"
  signal: \"#4B3F86\"
  growth: \"#1F6A46\"
  ink-soft: \"#B4C4BD\"
  paper-soft: \"#3F524C\"
  signal-soft: \"#D9D0FF\"
  ink-raised: \"#CFDAD5\"
  line: \"#E9F0EC1F\"
  line-strong: \"#E9F0EC52\"
  line-on-ink: \"#101D1A30\"
  line-on-signal: \"#E9F0EC33\"
  success: \"#7FDDA6\"
  success-ground: \"#12352A\"
  error: \"#FFA796\"
  error-ground: \"#3B1712\"
  error-on-ink: \"#A8321F\"
  ground: \"#101D1A\"
  ground-raised: \"#172723\"
  ground-ink: \"#E9F0EC\"
  text: \"#E9F0EC\"
  text-soft: \"#B4C4BD\"
  success-text: \"#7FDDA6\"
  error-text: \"#FFA796\"
";

/// A new site with these dark colors instead of its own, which are at the end of its design.
fn site(dark: &str) -> SiteTest {
    let site = new_site(&["--no-blog"]);
    let design = std::fs::read_to_string(site.path(DESIGN)).expect("a design");
    let (light, _) = design
        .split_once("\n# Where visitors prefer it dark")
        .expect("dark colors");
    site.write(DESIGN, format!("{light}\n{dark}"));
    site
}

/// The bytes of the page and of what it loads at once, compressed.
fn weight(run: &Run) -> usize {
    let files = run.files();
    let mut addresses = vec!["index.html"];
    let html = run.page("/").html;
    let loaded = html
        .split(['"', ' '])
        .filter_map(|part| part.strip_prefix('/'));
    addresses.extend(loaded.filter(|path| path.ends_with(".css") || path.ends_with(".js")));
    addresses.sort_unstable();
    addresses.dedup();
    let compressed = |bytes: &[u8]| {
        let mut writer = brotli::CompressorWriter::new(Vec::new(), 4096, 11, 22);
        writer.write_all(bytes).expect("memory");
        writer.into_inner().len()
    };
    addresses
        .iter()
        .filter_map(|path| files.get(*path))
        .map(|bytes| compressed(bytes))
        .sum()
}

#[test]
fn dark_colors_are_used_where_it_is_dark_and_where_a_visitor_says_so() {
    let light = site("").built();
    light
        .page("/")
        .lacks("color-scheme")
        .lacks("prefers-color-scheme")
        .lacks("scheme-");
    let run = site(DARK).built();
    assert_eq!(run.problems(), [""; 0]);
    let page = run.page("/");
    // The script runs before anything is shown, and the choice works on its page without it.
    page.contains("<script src=\"/_assets/scheme-")
        .contains("name=\"color-scheme\" value=\"dark\"")
        .contains("content=\"#E9F0EC\" media=\"(prefers-color-scheme: dark)\"");
    let files = run.files();
    let css = files
        .iter()
        .find(|(path, _)| path.starts_with("_assets/site-") && path.ends_with(".css"));
    let css = String::from_utf8_lossy(css.expect("a sheet").1).into_owned();
    for part in [
        "@media screen and (prefers-color-scheme:dark){:root:not(",
        "color-scheme:dark;--color-paper:#101D1A",
        ".scheme{",
    ] {
        assert!(css.contains(part), "{part}");
    }
    let more = weight(&run) - weight(&light);
    assert!(more <= 1500, "dark colors add {more} bytes to a page");
    // Nothing of it is in a site without dark colors.
    assert!(!light.files().keys().any(|path| path.contains("scheme")));
}

#[test]
fn dark_colors_are_checked_as_light_ones_are() {
    let site = site(DARK);
    for (from, to, expected) in [
        (
            "ink: \"#E9F0EC\"",
            "ink: \"#4F5653\"",
            "`ink` on `paper` has a contrast of",
        ),
        (
            "signal: \"#4B3F86\"",
            "signal: \"#CBBCFF\"",
            "`ink` on `signal` has a contrast of",
        ),
        (
            "growth: \"#1F6A46\"",
            "growth: \"#63C892\"",
            "`growth` on `ground-ink` has a contrast of",
        ),
    ] {
        let before = std::fs::read_to_string(site.path(DESIGN)).expect("a design");
        site.write(
            DESIGN,
            before.replacen(&format!("  {from}\n"), &format!("  {to}\n"), 1),
        );
        let run = site.run(&["check"]);
        site.write(DESIGN, &before);
        assert!(
            run.status == 1 && run.stderr.contains(expected),
            "{to}: {}",
            run.stderr
        );
        assert!(
            run.stderr.contains("in dark mode, but text needs 4.5:1"),
            "{}",
            run.stderr
        );
    }
    site.edit(DESIGN, "dark:\n", "dark:\n  papper: \"#000000\"\n");
    let run = site.run(&["check"]);
    assert!(
        run.stderr.contains("there is no color `papper`") && run.stderr.contains("`paper`?"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_designers_file_with_hundreds_of_unused_tokens_gives_a_short_list() {
    let token = |number: u32| format!("  blue-{number}: \"#0000{:02X}\"\n", number % 256);
    let tokens: Vec<String> = (0..400).map(token).collect();
    let site = site("");
    site.edit(
        DESIGN,
        "  # Quieter ink",
        &format!("{}  # Quieter ink", tokens.concat()),
    );
    let run = site.run(&["check"]);
    let warnings = run
        .problems()
        .iter()
        .filter(|problem| problem.starts_with("unused-token"))
        .count();
    assert_eq!((run.status, warnings), (0, 10), "{}", run.stderr);
    assert!(
        run.stderr.contains(
            "nothing uses the token `blue-9` in the group `color`; 390 more tokens after it are unused, too"
        ),
        "{}",
        run.stderr
    );
}

const HERO: &str = "content/images/figures/hero.svg";

#[test]
fn lines_of_a_drawing_that_cannot_be_seen_where_it_is_dark_are_reported() {
    let site = site(DARK);
    let drawing = std::fs::read_to_string(site.path(HERO)).expect("a drawing");
    let at = drawing
        .find("<path class=\"art-ink-line\"")
        .expect("a line on an area in signal");
    let check = |from: &str, to: &str| {
        assert!(drawing[at..].contains(from), "{from}");
        site.write(
            HERO,
            format!("{}{}", &drawing[..at], drawing[at..].replacen(from, to, 1)),
        );
        site.run(&["check"])
    };
    let fixed = check(" class=\"art-ink-line\"", "");
    assert_eq!(fixed.status, 0, "{}", fixed.stderr);
    for said in [
        "the line color `#14322d` has a contrast of 1.2",
        " on `ground` in dark mode, but needs 3:1",
        "the class `art-ink-line`",
    ] {
        assert!(fixed.stderr.contains(said), "{}", fixed.stderr);
    }
    let line = drawing[..at].matches('\n').count() + 1;
    assert_eq!(fixed.problems(), [format!("low-contrast {HERO}:{line}:9")]);
    // A light line can be seen, and so can a dark one on an area that stays light.
    let light = check(
        " class=\"art-ink-line\" stroke=\"#14322d\"",
        " stroke=\"#cbbcff\"",
    );
    assert_eq!(light.problems(), [""; 0], "{}", light.stderr);
    let area = check(
        "<path class=\"art-ink-line\"",
        "<path fill=\"#ffffff\" d=\"M0 0h9v9z\"/><path",
    );
    assert_eq!(area.problems(), [""; 0], "{}", area.stderr);
    let text = check(
        "<path class",
        "<text x=\"1\" y=\"9\" fill=\"#000\">A</text><path class",
    );
    assert!(
        text.stderr
            .contains("the text color `#000000` has a contrast of 1."),
        "{}",
        text.stderr
    );
    // A site that is always light has nothing to report.
    site.edit(DESIGN, DARK, "");
    assert_eq!(site.run(&["check"]).problems(), [""; 0]);
}
