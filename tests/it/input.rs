//! Invalid input, and the problems that are reported.

use crate::incremental;
use crate::site_test::SiteTest;

const HOME: &str = "content/pages/home/en.yaml";

fn check(path: &str, bytes: impl AsRef<[u8]>, expect: &[&str]) {
    let run = SiteTest::small().file(path, bytes).build();
    assert_eq!(run.problems(), expect, "{}", run.stderr);
    assert_eq!(run.status, 1);
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
}

fn home(body: &str) -> String {
    format!(
        "path: /\ntitle: Home\ndescription: The home.\nsections:\n  - kind: hero\n    title: Hello\n{body}"
    )
}

#[test]
fn three_files_with_three_mistakes_are_reported_in_one_run() {
    let site = SiteTest::small();
    site.edit("content/site.yaml", "copyright_year:", "copyrigth_year:");
    site.edit(
        "content/pages/about/en.yaml",
        "title: About us\n",
        "title: \"About us\n",
    );
    site.edit("content/pages/home/es.yaml", "page:about", "page:abuot");
    let run = site.build();
    assert_eq!(
        run.problems(),
        [
            "unclosed-quote content/pages/about/en.yaml:2:8",
            "dead-link content/pages/home/es.yaml:7:33",
            "unknown-key content/site.yaml:5:1",
        ],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("did you mean `page:about`?"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_wrong_value_has_no_consequences() {
    let site = crate::new_site::new_site(&["--languages", "en,es"]);
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("the settings");
    let founded = settings
        .lines()
        .find(|line| line.starts_with("  founded:"))
        .expect("a year");
    site.edit("content/site.yaml", founded, "  founded: \"1999\"");
    let run = site.run(&["check"]);
    assert_eq!(run.problems().len(), 1, "{}", run.stderr);
    assert!(
        run.stderr
            .contains("`company.founded`: expected a whole number"),
        "{}",
        run.stderr
    );
    // Two mistakes of one block are two errors, and the block is still known.
    site.edit(
        "content/site.yaml",
        "  founded: \"1999\"",
        "  founded: \"1999\"\n  fuonded: 1999",
    );
    let run = site.run(&["check"]);
    assert_eq!(run.problems().len(), 2, "{}", run.stderr);
}

#[test]
fn errors_are_printed_last() {
    let site = crate::new_site::new_site(&[]);
    site.write("content/pages/zebra/en.yaml", "path: /zebra/\ntitle: \"A \\\"straight\\\" title\"\ndescription: Stripes.\nsections:\n  - {kind: hero, title: Zebra}\n");
    site.edit("content/site.yaml", "copyright_year:", "copyrigth_year:");
    let run = site.run(&["check"]);
    let (warning, error) = (run.stderr.rfind("warning["), run.stderr.find("error["));
    assert!(warning.is_some() && warning < error, "{}", run.stderr);
}

#[test]
fn a_tab_in_yaml() {
    check(
        HOME,
        home("\tlead: x\n"),
        &["tab-indent content/pages/home/en.yaml:7:1"],
    );
}

#[test]
fn a_wrong_indent() {
    check(
        HOME,
        home("      lead: x\n"),
        &["yaml-syntax content/pages/home/en.yaml:7:11"],
    );
}

#[test]
fn a_duplicate_key() {
    check(
        HOME,
        home("    title: Again\n"),
        &["duplicate-key content/pages/home/en.yaml:7:5"],
    );
}

#[test]
fn misspelled_keys_are_all_reported() {
    check(
        HOME,
        home("    leed: x\n    tittle: y\n"),
        &[
            "unknown-key content/pages/home/en.yaml:7:5",
            "unknown-key content/pages/home/en.yaml:8:5",
        ],
    );
}

#[test]
fn text_for_a_flag() {
    check(
        HOME,
        format!("noindex: yes\n{}", home("")),
        &["wrong-type content/pages/home/en.yaml:1:10"],
    );
}

#[test]
fn text_for_a_number() {
    let site = SiteTest::small();
    site.edit(
        "content/site.yaml",
        "copyright_year: 2025",
        "copyright_year: \"2025\"",
    );
    let run = site.build();
    assert_eq!(
        run.problems(),
        ["wrong-type content/site.yaml:5:17"],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("hint: write `2025` without quotes"),
        "{}",
        run.stderr
    );
}

#[test]
fn carriage_returns_and_a_byte_order_mark_are_accepted() {
    let text = format!("\u{feff}{}", home("")).replace('\n', "\r\n");
    SiteTest::small()
        .file(HOME, text)
        .built()
        .page("/")
        .contains("<h1>Hello</h1>");
}

#[test]
fn columns_are_right_after_a_byte_order_mark() {
    check(
        HOME,
        format!("\u{feff}{}", home("    leed: x\n")),
        &["unknown-key content/pages/home/en.yaml:7:5"],
    );
}

#[test]
fn a_file_that_is_not_utf_8() {
    check(
        HOME,
        b"path: /\ntitle: A\xf1o\n",
        &["not-utf8 content/pages/home/en.yaml:2:9"],
    );
}

#[test]
fn an_empty_file() {
    check(HOME, "", &["empty-file content/pages/home/en.yaml"]);
}

#[test]
fn a_file_of_comments() {
    check(
        HOME,
        "# nothing yet\n",
        &["empty-file content/pages/home/en.yaml"],
    );
}

#[test]
fn a_file_of_utf_16() {
    let bytes: Vec<u8> = "\u{feff}path: /\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let run = SiteTest::small().file(HOME, bytes).build();
    assert_eq!(
        run.problems(),
        ["not-utf8 content/pages/home/en.yaml"],
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("the file is UTF-16"), "{}", run.stderr);
}

#[test]
fn a_line_that_is_not_utf_8_is_shown_completely() {
    let run = SiteTest::small()
        .file(HOME, b"path: /\ntitle: A\xf1o nuevo\n")
        .build();
    assert!(
        run.stderr.contains("title: A\u{fffd}o nuevo"),
        "{}",
        run.stderr
    );
}

#[test]
fn carriage_returns_alone_are_line_endings() {
    SiteTest::small()
        .file(HOME, home("").replace('\n', "\r"))
        .built()
        .page("/")
        .contains("<h1>Hello</h1>");
    check(
        HOME,
        home("    leed: x\n").replace('\n', "\r"),
        &["unknown-key content/pages/home/en.yaml:7:5"],
    );
}

#[test]
fn an_alias_of_a_number_is_resolved() {
    let text = "    eyebrow: &year 2013\n    lead: *year\n";
    SiteTest::small()
        .file(HOME, home(text))
        .built()
        .page("/")
        .contains("<p>2013</p>")
        .lacks("*year");
}

#[test]
fn all_wrong_values_of_a_section_are_reported_in_one_run() {
    check(
        HOME,
        home(
            "    band: pink\n    lead: [a]\n    actions: 5\n    size: huge\n    figure: {scr: x}\n",
        ),
        &[
            "invalid-value content/pages/home/en.yaml:7:11",
            "wrong-type content/pages/home/en.yaml:8:11",
            "wrong-type content/pages/home/en.yaml:9:14",
            "invalid-value content/pages/home/en.yaml:10:11",
            "unknown-key content/pages/home/en.yaml:11:14",
        ],
    );
}

#[test]
fn an_invalid_section_kind() {
    for kind in ["5", "[hero]", "", "carousel"] {
        let text = format!(
            "path: /\ntitle: Home\ndescription: The home.\nsections:\n  - kind: {kind}\n    title: x\n"
        );
        let run = SiteTest::small().file(HOME, text).build();
        assert!(
            run.problems()[0].starts_with("unknown-section content/pages/home/en.yaml:5"),
            "{}",
            run.stderr
        );
        assert!(
            run.stderr
                .contains("kinds are the folders in `templates/sections`"),
            "{}",
            run.stderr
        );
        assert!(!run.stderr.contains("org_chart"), "{}", run.stderr);
    }
}

#[test]
fn a_misspelled_kind_key() {
    let text =
        "path: /\ntitle: Home\ndescription: The home.\nsections:\n  - kidn: hero\n    title: x\n";
    let run = SiteTest::small().file(HOME, text).build();
    assert_eq!(
        run.problems()[0],
        "unknown-key content/pages/home/en.yaml:5:5",
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("did you mean `kind`?"),
        "{}",
        run.stderr
    );
}

#[test]
fn facts_of_the_settings_are_written_once() {
    let site = SiteTest::small().file(
        HOME,
        home("    lead: \"{leads.keep_months} months, {leads.keep_days} days.\"\n"),
    );
    site.edit(
        "content/site.yaml",
        "copyright_year:",
        "leads: {keep_days: 730}\ncopyright_year:",
    );
    site.built().page("/").contains("24 months, 730 days.");
    site.edit("content/site.yaml", "keep_days: 730", "keep_days: 100");
    let run = site.build();
    assert_eq!(
        run.problems(),
        ["unknown-placeholder content/pages/home/en.yaml:7:12"],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("`leads.keep_days` is 100, which is not a whole number of months"),
        "{}",
        run.stderr
    );
    site.edit("content/site.yaml", "leads: {keep_days: 100}\n", "");
    let run = site.build();
    assert!(
        run.stderr
            .contains("`leads.keep_days` is not set in `content/site.yaml`"),
        "{}",
        run.stderr
    );
    let run = SiteTest::small()
        .file(HOME, home("    lead: \"{lead.keep_days} days\"\n"))
        .build();
    assert!(
        run.stderr.contains("hint: did you mean `leads.keep_days`?"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_status_out_of_range() {
    let run = SiteTest::small()
        .file(HOME, format!("status: 70000\n{}", home("")))
        .build();
    assert_eq!(
        run.problems(),
        ["invalid-value content/pages/home/en.yaml:1:9"],
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("u16"), "{}", run.stderr);
}

#[test]
fn settings_on_the_command_line_are_verbatim() {
    for name in ["007", "A: B", "#1", "- x", "true", "null", "x  y"] {
        let site = SiteTest::small().argument(&format!("--set=company.name={name}"));
        site.built().page("/").contains(name);
    }
    SiteTest::small()
        .argument("--set=copyright_year=2030")
        .built()
        .page("/")
        .contains("2030");
    let run = SiteTest::small()
        .argument("--set=copyright_year=soon")
        .build();
    assert_eq!(run.problems(), ["wrong-type --set"], "{}", run.stderr);
}

#[test]
fn litter_of_editors_and_systems_is_ignored_everywhere() {
    const LITTER: [&str; 12] = [
        "#en.yaml#",
        "4913",
        "Thumbs.db",
        "desktop.ini",
        ".DS_Store",
        "en.yaml~",
        ".en.yaml.swp",
        "en.yaml.swo",
        "x.yaml.tmp.1234",
        "site.yaml.tmp",
        ".~lock.en.yaml#",
        "~$en.docx",
    ];
    let site = incremental::site()
        .file("static/a/b.txt", "b")
        .file("react/readme.txt", "r");
    for folder in [
        "forms",
        "images/a",
        "redirects",
        "style-guide",
        "authors",
        "locales",
    ] {
        std::fs::create_dir_all(site.path("content").join(folder)).expect("a folder");
    }
    std::fs::create_dir_all(site.path("templates/sections/only-litter")).expect("a folder");
    let clean = site.built().files();
    let folders = ["content", "templates", "static", "react"]
        .map(|folder| walkdir::WalkDir::new(site.path(folder)));
    let folders: Vec<_> = folders
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_type().is_dir())
        .map(|entry| {
            entry
                .path()
                .strip_prefix(site.path(""))
                .expect("below")
                .display()
                .to_string()
        })
        .collect();
    for name in LITTER {
        for folder in &folders {
            // Neither text nor YAML nor a template.
            site.write(&format!("{folder}/{name}"), b"\xff\x00: [{{ {% {");
        }
    }
    site.write("content/pages/.git/config", "[core]");
    for arguments in ["build", "check"] {
        let run = site.run(&[arguments]);
        assert_eq!(
            (run.status, run.problems()),
            (0, Vec::new()),
            "{arguments}: {}",
            run.stderr
        );
    }
    assert!(
        site.built().files() == clean,
        "litter changes what is published"
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_where_a_file_is_expected() {
    let site = SiteTest::small();
    let status = std::process::Command::new("mkfifo")
        .arg(site.path("content/pages/home/pt.yaml"))
        .status();
    assert!(status.expect("mkfifo").success());
    site.remove("content/locales/es.yaml");
    let status = std::process::Command::new("mkfifo")
        .arg(site.path("content/locales/es.yaml"))
        .status();
    assert!(status.expect("mkfifo").success());
    let run = site.build();
    assert_eq!(
        run.problems(),
        [
            "unreadable content/locales/es.yaml",
            "unreadable content/pages/home/pt.yaml"
        ],
        "{}",
        run.stderr
    );
}

#[test]
fn a_file_of_50_megabytes() {
    check(
        HOME,
        vec![b'a'; 50_000_000],
        &["too-large content/pages/home/en.yaml"],
    );
}

#[test]
fn an_alias_bomb() {
    let mut text = String::from("a: &a [x, x, x, x, x, x, x, x, x, x]\n");
    for (name, previous) in ["b", "c", "d", "e", "f", "g", "h", "i"]
        .iter()
        .zip(["a", "b", "c", "d", "e", "f", "g", "h"])
    {
        text.extend([
            name,
            ": &",
            name,
            " [",
            &vec![format!("*{previous}"); 10].join(", "),
            "]\n",
        ]);
    }
    let run = SiteTest::small().file(HOME, text).build();
    assert_eq!(run.status, 1);
    assert!(
        run.problems()[0].starts_with("alias-bomb content/pages/home/en.yaml"),
        "{}",
        run.stderr
    );
}

#[test]
fn deeply_nested_lists() {
    let run = SiteTest::small()
        .file(
            HOME,
            format!("path: {}x{}\n", "[".repeat(20_000), "]".repeat(20_000)),
        )
        .build();
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(
        run.problems()[0].starts_with("yaml-syntax content/pages/home/en.yaml:1:"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("nested too deep"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn a_circular_symbolic_link() {
    let site = SiteTest::small();
    std::os::unix::fs::symlink(
        site.path("content/pages"),
        site.path("content/pages/home/loop"),
    )
    .expect("a link");
    let run = site.build();
    assert_eq!(
        run.problems(),
        ["unreadable content/pages/home/loop"],
        "{}",
        run.stderr
    );
}

#[cfg(unix)]
#[test]
fn a_broken_symbolic_link() {
    let site = SiteTest::small();
    std::os::unix::fs::symlink("/nowhere", site.path("content/pages/home/pt.yaml"))
        .expect("a link");
    let run = site.build();
    assert_eq!(
        run.problems(),
        ["unreadable content/pages/home/pt.yaml"],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("points to `/nowhere`, which could not be read (it does not exist)"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_template_with_a_syntax_error() {
    let run = SiteTest::small()
        .file(
            "templates/sections/prose/prose.html",
            "<p>\n{% if section.id %}\n</p>\n",
        )
        .build();
    assert_eq!(run.problems().len(), 1, "{}", run.stderr);
    assert!(
        run.problems()[0].starts_with("template-syntax templates/sections/prose/prose.html:"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_template_with_an_unknown_variable() {
    let run = SiteTest::small()
        .file(
            "templates/sections/prose/prose.html",
            "<p>{{ section.boddy }}</p>\n",
        )
        .build();
    assert_eq!(
        run.problems(),
        ["template-error templates/sections/prose/prose.html:1:7"],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("`section.boddy` is undefined here"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_template_with_an_unknown_message() {
    let run = SiteTest::small()
        .file(
            "templates/sections/prose/prose.html",
            "<p>{{ t(\"menue\") }}</p>\n",
        )
        .build();
    assert_eq!(
        run.problems()[0],
        "unknown-message templates/sections/prose/prose.html:1:7",
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("did you mean `menu`?"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_invalid_date_is_text_where_text_is_expected() {
    SiteTest::small()
        .file(HOME, home("    eyebrow: 2024-13-40\n"))
        .built();
}

#[test]
fn a_file_in_the_wrong_place() {
    check(
        "content/pages/home.yaml",
        "path: /\n",
        &["unexpected-file content/pages/home.yaml"],
    );
    check(
        "content/page/x.yaml",
        "path: /\n",
        &["unexpected-file content/page"],
    );
    check(
        "content/pages/home/fr.yaml",
        "path: /fr/\n",
        &["unexpected-file content/pages/home/fr.yaml"],
    );
}

#[test]
fn two_pages_on_one_path() {
    let page = "path: /about/\ntitle: Twin\ndescription: A twin.\nsections:\n  - {kind: hero, title: Twin}\n";
    let run = SiteTest::small()
        .file("content/pages/twin/en.yaml", page)
        .build();
    assert_eq!(
        run.problems(),
        ["path-taken content/pages/twin/en.yaml:1:7"],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("`content/pages/about/en.yaml:1:7` uses it"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_page_on_a_file_of_the_static_folder() {
    let site = SiteTest::small().file("static/about/index.html", "x");
    // The file and the page have the same output path.
    assert_eq!(
        site.build().problems(),
        ["path-taken static/about/index.html"]
    );
}

#[test]
fn dead_links_and_anchors() {
    check(
        HOME,
        home(
            "    lead: \"[a](/abuot/) [b](page:abot) [c](#nowhere) [d](page:about#taem) [e](javascript:alert(1))\"\n",
        ),
        &[
            "dead-link content/pages/home/en.yaml:7:16",
            "dead-link content/pages/home/en.yaml:7:29",
            "dead-anchor content/pages/home/en.yaml:7:44",
            "dead-anchor content/pages/home/en.yaml:7:58",
            "bad-link content/pages/home/en.yaml:7:79",
        ],
    );
}

#[test]
fn a_dead_link_in_a_block_scalar_is_reported_at_its_line() {
    check(
        HOME,
        home("    lead: |\n      One line.\n\n      Another [line](page:nothing).\n"),
        &["dead-link content/pages/home/en.yaml:10:22"],
    );
}

#[test]
fn a_missing_picture_without_alt_text() {
    check(
        HOME,
        home("    figure: {src: none.svg}\n"),
        &[
            "missing-image content/pages/home/en.yaml:7:19",
            "missing-alt content/pages/home/en.yaml:7:19",
        ],
    );
}

#[test]
fn a_picture_with_a_script() {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\"><script>alert(1)</script></svg>";
    check(
        "content/images/bad.svg",
        svg,
        &["bad-image content/images/bad.svg:1:59"],
    );
    check(
        "content/images/bad.svg",
        "<svg><g></svg>",
        &["bad-image content/images/bad.svg:1:1"],
    );
    let handler = "<svg viewBox=\"0 0 1 1\" onload=\"x()\"/>";
    check(
        "content/images/bad.svg",
        handler,
        &["bad-image content/images/bad.svg:1:24"],
    );
}

#[test]
fn a_message_that_is_missing_in_a_locale() {
    let site = SiteTest::small();
    site.edit("content/locales/es.yaml", "  menu: Menú\n", "");
    let run = site.build();
    assert!(
        run.problems()
            .contains(&"message-missing content/locales/es.yaml".to_owned()),
        "{}",
        run.stderr
    );
}

#[test]
fn an_unknown_placeholder() {
    check(
        HOME,
        home("    lead: From {company.nmae}, `{product.x}`.\n"),
        &["unknown-placeholder content/pages/home/en.yaml:7:16"],
    );
}

#[test]
fn redirects_that_cannot_work() {
    let site = SiteTest::small();
    let redirects = "redirects:\n  - {from: /about, to: page:home}\n  - {from: /x, to: /y}\n  - {from: /y, to: /x}\n  - {from: /z, to: page:nothing}\n  - {from: /q?a=1&b=2, to: page:home}";
    site.edit(
        "content/site.yaml",
        "redirects:\n  - {from: /old, to: page:about}",
        redirects,
    );
    assert_eq!(
        site.build().problems(),
        [
            "redirect-conflict content/site.yaml:17:12",
            "redirect-conflict content/site.yaml:18:20",
            "redirect-conflict content/site.yaml:19:20",
            "dead-link content/site.yaml:20:20",
            "redirect-conflict content/site.yaml:21:12",
        ]
    );
}

#[test]
fn a_base_url_without_scheme_or_host() {
    for url in [
        "small.example",
        "https://",
        "https:///sub/",
        "ftp://small.example",
    ] {
        let run = SiteTest::small()
            .argument(&format!("--base-url={url}"))
            .build();
        assert_eq!(
            run.problems(),
            ["invalid-value --set"],
            "{url}: {}",
            run.stderr
        );
    }
}
