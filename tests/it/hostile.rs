//! Regression tests: malicious or unusual sites that once caused faults.

use std::path::Path;

use crate::site_test::{SiteTest, repository, sitegen};

const HOME: &str = "content/pages/home/en.yaml";

fn home(body: &str) -> String {
    format!(
        "path: /\ntitle: Home\ndescription: The home.\nsections:\n  - kind: hero\n    title: Hello\n{body}"
    )
}

fn problems_of(path: &str, text: &str) -> Vec<String> {
    let run = SiteTest::small().file(path, text).build();
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    run.problems()
}

#[test]
fn a_site_without_locales_is_one_problem() {
    for (from, to) in [
        ("locales: [en, es]", "locales: en"),
        ("locales: [en, es]", "lcales: [en, es]"),
        ("locales: [en, es]", "locales: []"),
    ] {
        let site = SiteTest::small();
        site.edit("content/site.yaml", from, to);
        let run = site.build();
        assert_eq!(
            (run.status, run.problems().len()),
            (1, 1),
            "{to}: {}",
            run.stderr
        );
    }
}

#[test]
fn a_redirect_cannot_write_outside_the_output() {
    for from in [
        "/../../evil",
        "/a/../../evil",
        "//evil",
        "/x%2fy",
        "/_assets",
        "/_sitegen/live",
        "/404.html",
        "/plain.txt",
    ] {
        let site = SiteTest::small();
        site.edit(
            "content/site.yaml",
            "from: /old",
            &format!("from: '{from}'"),
        );
        let run = site.build();
        assert_eq!(
            (run.status, run.problems().len()),
            (1, 1),
            "{from}: {}",
            run.stderr
        );
    }
}

#[test]
fn an_address_cannot_name_another_host() {
    assert_eq!(
        problems_of(
            "content/pages/about/en.yaml",
            "path: //evil.example/\ntitle: A\ndescription: B\nsections:\n  - {kind: hero, title: A, id: team}\n"
        ),
        ["bad-path content/pages/about/en.yaml:1:7"]
    );
}

#[test]
fn a_repository_in_the_output_folder_survives() {
    let site = SiteTest::small();
    site.built();
    std::fs::create_dir_all(site.path("dist/.git/refs/tags")).expect("folders");
    site.write("dist/.git/config", "[core]\n");
    let run = site.built();
    assert!(
        site.path("dist/.git/refs/tags").is_dir(),
        "an empty folder was lost"
    );
    assert_eq!(
        run.stderr.matches("warning[").count(),
        1,
        "one warning for the whole folder: {}",
        run.stderr
    );
}

#[cfg(unix)]
#[test]
fn a_link_in_the_output_folder_stays_a_link() {
    let site = SiteTest::small();
    site.built();
    std::os::unix::fs::symlink("plain.txt", site.path("dist/also.txt")).expect("a link");
    site.built();
    assert!(site.path("dist/also.txt").is_symlink());
}

#[test]
fn a_damaged_bundle_cache_is_rebuilt() {
    let site = SiteTest::small().file(
        "templates/styles/site.css",
        "@layer base; @layer base { body { color: red } }",
    );
    let before = site.built().files();
    for path in crate::site_test::files_below(&site.path(".sitegen/bundle")).into_keys() {
        site.write(&format!(".sitegen/bundle/{path}"), "rubbish");
    }
    assert!(site.built().files() == before);
}

#[test]
fn a_picture_in_running_text_is_rejected() {
    assert_eq!(
        problems_of(
            HOME,
            &home("    lead: \"![x](javascript:alert(1)) ![e](https://evil.example/p.gif)\"\n")
        ),
        [
            "bad-image content/pages/home/en.yaml:7:17",
            "bad-image content/pages/home/en.yaml:7:43"
        ]
    );
}

#[test]
fn a_placeholder_is_checked_in_headings_and_not_in_code() {
    let body = "    lead: |\n      # About {product.nmae}\n\n      `{product.x}` and\n\n          {company.y}\n";
    assert_eq!(
        problems_of(HOME, &home(body)),
        ["unknown-placeholder content/pages/home/en.yaml:8:15"]
    );
}

#[test]
fn an_unset_placeholder_is_reported() {
    let run = SiteTest::small()
        .file(HOME, home("    lead: Call {company.phone}.\n"))
        .build();
    assert!(
        run.stderr
            .contains("`company.phone` is not set in `content/site.yaml`"),
        "{}",
        run.stderr
    );
}

#[test]
fn headings_of_one_page_never_share_an_id() {
    let body = "    id: same\n    lead: \"## Same\"\n  - kind: prose\n    body: \"## Same\"\n  - kind: prose\n    body: \"## Main\"\n";
    let html = SiteTest::small()
        .file(HOME, home(body))
        .built()
        .page("/")
        .html
        .clone();
    for id in ["id=\"same-2\"", "id=\"same-3\"", "id=\"main-2\""] {
        assert!(html.contains(id), "{id} is missing in {html}");
    }
}

#[test]
fn a_second_style_sheet_in_a_folder_is_reported_instead_of_replacing_the_first() {
    assert_eq!(
        problems_of("templates/sections/prose/zzz.css", "p { color: red }"),
        ["unexpected-file templates/sections/prose/zzz.css"]
    );
}

#[test]
fn a_file_cannot_replace_a_required_folder() {
    assert_eq!(
        problems_of("static/about", "x"),
        ["path-taken content/pages/about/en.yaml:1:7"]
    );
}

#[test]
fn a_language_tag_is_checked() {
    let site = SiteTest::small();
    site.edit(
        "content/locales/es.yaml",
        "language: es",
        "language: 'es\" onclick=\"x'",
    );
    assert_eq!(
        site.build().problems(),
        ["invalid-value content/locales/es.yaml:2:11"]
    );
    let site = SiteTest::small();
    site.edit("content/locales/es.yaml", "language: es", "language: en");
    assert_eq!(
        site.build().problems(),
        ["invalid-value content/locales/es.yaml"]
    );
}

#[test]
fn a_locale_file_that_the_site_does_not_list_is_reported() {
    assert_eq!(
        problems_of("content/locales/pt.yaml", "name: x\n"),
        ["unexpected-file content/locales/pt.yaml"]
    );
}

#[test]
fn one_mistake_in_a_block_of_settings_is_one_problem() {
    for (from, to) in [
        ("{name: Small Works}", "{name: Small Works, founded: -5}"),
        ("{name: Small, slug: small}", "5"),
        ("https://small.example/", "[a]"),
    ] {
        let site = SiteTest::small();
        site.edit("content/site.yaml", from, to);
        assert_eq!(
            site.build().problems().len(),
            1,
            "{to}: {}",
            site.build().stderr
        );
    }
}

#[test]
fn a_broken_page_does_not_make_links_to_its_copies_dead() {
    let site = SiteTest::small();
    site.edit("content/pages/home/es.yaml", "page:about", "/es/about/");
    site.edit(
        "content/pages/about/es.yaml",
        "title: Nosotros",
        "title: [x]",
    );
    assert_eq!(
        site.build().problems(),
        ["wrong-type content/pages/about/es.yaml:3:8"]
    );
}

#[test]
fn a_broken_bundle_is_reported_once() {
    let site = SiteTest::small()
        .file("templates/styles/site.css", "body {")
        .file(
            "content/design.yaml",
            "color: {ink: \"#000000\"}\npreload_fonts: [some-font]\n",
        );
    assert_eq!(site.build().problems().len(), 1);
}

#[test]
fn an_endless_template_is_reported() {
    let loops = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}";
    let found = problems_of("templates/sections/prose/prose.html", loops);
    assert!(
        found[0].starts_with("template-error templates/sections/prose/prose.html"),
        "{found:?}"
    );
}

#[test]
fn a_template_that_doubles_what_it_writes_is_reported() {
    let doubles = "{% set ns = namespace(text=\"ab\") %}\n{% for at in range(40) %}\n\
        {% set twice %}{{ ns.text }}{{ ns.text }}{% endset %}{% set ns.text = twice %}{% endfor %}{{ ns.text }}";
    let run = SiteTest::small()
        .file("templates/sections/prose/prose.html", doubles)
        .build();
    assert!(
        run.stderr
            .contains("--> templates/sections/prose/prose.html:3:"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("a string is larger than 16 MB"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_template_that_prints_without_an_end_is_reported() {
    let line = "x".repeat(60);
    let prints = format!(
        "{{% set x = \"{line}\" %}}\n{{% for at in range(9000) %}}{{{{ x * 100000 }}}}{{% endfor %}}"
    );
    let hidden = format!("{{% set all %}}{prints}{{% endset %}}");
    for template in [prints, hidden] {
        let run = SiteTest::small()
            .file("templates/sections/prose/prose.html", template)
            .build();
        assert!(
            run.stderr
                .contains("--> templates/sections/prose/prose.html:2:")
                && run.stderr.contains("a page prints more than 128 MB"),
            "{}",
            run.stderr
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_write_error_on_stdout_exits_with_status_3() {
    let full = || {
        std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("/dev/full")
    };
    let status = SiteTest::small()
        .command(&["routes"])
        .stdout(full())
        .status()
        .expect("sitegen starts");
    assert_eq!(status.code(), Some(3));
}

#[test]
fn an_invalid_number_of_threads_is_rejected() {
    for threads in ["0", "5000", "18446744073709551615"] {
        assert_eq!(
            sitegen()
                .args(["check", "-j", threads])
                .output()
                .expect("sitegen starts")
                .status
                .code(),
            Some(2),
            "{threads}"
        );
    }
}

#[test]
fn a_strict_build_counts_warnings_as_errors() {
    let site = SiteTest::small();
    site.built();
    site.write("dist/mine.txt", "mine");
    let run = site.run(&["build", "--strict"]);
    assert!(
        run.stderr
            .contains("1 error, 0 warnings; nothing was published"),
        "{}",
        run.stderr
    );
}

#[test]
fn serving_a_folder_without_a_site_fails_immediately() {
    let run = sitegen()
        .args(["serve", "--root", "/nonexistent", "--port", "0"])
        .output()
        .expect("sitegen starts");
    assert_eq!(run.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn the_output_may_be_a_link_to_a_folder() {
    let site = SiteTest::small();
    std::fs::create_dir(site.path("real")).expect("a folder");
    std::os::unix::fs::symlink(site.path("real"), site.path("dist")).expect("a link");
    site.built();
    site.built();
    assert!(site.path("dist").is_symlink() && site.path("real/index.html").exists());
}

#[test]
fn wrong_plans_of_a_row_are_reported_in_the_page_not_in_the_template() {
    let problems = |values: &str| {
        let row = format!("      - {{label: Hours, values: {{{values}}}}}\n");
        let plan = |name: &str| {
            format!(
                "      - {{name: {name}, price: $1, period: a month, action: {{label: Go, to: page:home}}}}\n"
            )
        };
        let plans = [plan("Basic"), plan("Large")].concat();
        let page = home(&format!(
            "  - kind: pricing_table\n    title: Plans\n    rows:\n{row}    plans:\n{plans}"
        ));
        let site = SiteTest::small().file(
            "templates/sections/pricing_table/pricing_table.html",
            "<table></table>\n",
        );
        site.file(HOME, page).build().problems()
    };
    assert_eq!(
        problems("Basic: 4"),
        ["missing-key content/pages/home/en.yaml:10:17"]
    );
    let unknown = problems("Basic: 4, Large: true, Lrge: 8");
    assert!(
        unknown.contains(&"unknown-id content/pages/home/en.yaml:10:56".to_owned()),
        "{unknown:?}"
    );
}

#[test]
fn an_item_of_a_portfolio_names_a_study_or_says_everything() {
    let problems = |item: &str| {
        let site = SiteTest::small().overlay(&repository().join("tests/sites/case-studies/in"));
        let schema =
            std::fs::read_to_string(repository().join("templates/sections/portfolio/schema.yaml"));
        site.write(
            "templates/sections/portfolio/schema.yaml",
            schema.expect("a schema"),
        );
        site.write(
            "templates/sections/portfolio/portfolio.html",
            "{{ section.title }}",
        );
        site.write(
            HOME,
            home(&format!("  - kind: portfolio\n    title: Work\n    items:\n      - {{{item}, label: Read}}\n")),
        );
        site.build().problems()
    };
    let unknown = problems("study: no-such-study");
    assert!(
        unknown.contains(&"unknown-id content/pages/home/en.yaml:10:17".to_owned()),
        "{unknown:?}"
    );
    let missing = problems(
        "title: A bridge, text: It holds., metric: 9, metric_label: crossings, to: page:home",
    );
    let is_client =
        |problem: &String| problem.starts_with("missing-key content/pages/home/en.yaml:10:");
    assert_eq!(
        missing.iter().filter(|problem| is_client(problem)).count(),
        1,
        "{missing:?}"
    );
}

/// Builds a site with a link, and checks that nothing it leads to is read.
fn check_link(site: &SiteTest, link: &str, target: &Path) {
    let link = site.path(link);
    std::fs::create_dir_all(link.parent().expect("a parent")).expect("a folder");
    let _ = std::fs::remove_file(&link).or_else(|_| std::fs::remove_dir_all(&link));
    std::os::unix::fs::symlink(target, &link).expect("a link");
    let run = site.build();
    let all = format!("{}{}", run.stdout, run.stderr);
    assert!(
        run.status == 1 && all.contains("error[link-outside]"),
        "{}: {all}",
        link.display()
    );
    assert!(!all.contains("s3cret"), "{}: {all}", link.display());
    assert!(!run.out.exists(), "{}", link.display());
    std::fs::remove_file(&link).expect("the link");
}

#[test]
fn nothing_outside_of_the_site_is_read_through_a_link() {
    let outside = tempfile::tempdir().expect("a folder");
    let secret = outside.path().join("secret.yaml");
    std::fs::write(&secret, "s3cret: [\n").expect("a file");
    std::fs::create_dir(outside.path().join("folder")).expect("a folder");
    std::fs::write(outside.path().join("folder/s3cret.md"), "s3cret").expect("a file");
    std::fs::write(outside.path().join("folder/a.svg"), "<svg>s3cret").expect("a file");
    let site = SiteTest::small();
    site.write("leads.json", "s3cret");
    site.write("notes/a.txt", "s3cret");
    for link in [
        "static/env.txt",
        "static/a/b.svg",
        "content/pages/secret/en.yaml",
        "content/pages/secret/page.yaml",
        "content/images/secret.svg",
        "content/images/secret.jpg",
        "content/blog/en/secret.md",
        "content/authors/secret.yaml",
        "content/design.yaml",
        "content/changed.lock",
        "content/urls.lock",
        "content/locales/en.yaml",
        "content/redirects/secret.yaml",
        "templates/pages/secret.html",
        "react/islands/secret/secret.tsx",
    ] {
        // The small site has some of these files itself.
        let kept = std::fs::read(site.path(link)).ok();
        check_link(&site, link, &secret);
        if let Some(bytes) = kept {
            site.write(link, bytes);
        }
    }
    check_link(&site, "static/environ.txt", Path::new("/proc/self/environ"));
    check_link(&site, "static/folder", &outside.path().join("folder"));
    check_link(
        &site,
        "content/images/folder",
        &outside.path().join("folder"),
    );
    check_link(&site, "content/blog/en", &outside.path().join("folder"));
    check_link(&site, "static/leads.json", &site.path("leads.json"));
    check_link(&site, "static/up.json", Path::new("../leads.json"));
    check_link(&site, "static/notes", Path::new("../notes"));
    check_link(&site, "static/chain.txt", &{
        std::os::unix::fs::symlink(&secret, site.path("notes/b.txt")).expect("a link");
        site.path("notes/b.txt")
    });
}

#[test]
fn a_site_whose_settings_are_a_link_out_of_it_is_not_read() {
    let outside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("site.yaml"), "s3cret: [\n").expect("a file");
    let site = SiteTest::small();
    check_link(
        &site,
        "content/site.yaml",
        &outside.path().join("site.yaml"),
    );
}

#[test]
fn a_link_may_lead_to_a_named_folder_and_within_the_site() {
    let outside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("shared.txt"), "shared").expect("a file");
    let site = SiteTest::small().file("static/own.txt", "own");
    std::os::unix::fs::symlink(outside.path(), site.path("static/shared")).expect("a link");
    std::os::unix::fs::symlink("own.txt", site.path("static/also.txt")).expect("a link");
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("settings");
    let folder = outside.path().to_str().expect("a path");
    site.write(
        "content/site.yaml",
        format!("{settings}\nlinked_folders: [{folder}]\n"),
    );
    let run = site.run_with(&["build"], &[("SITEGEN_LINKED_FOLDERS", folder)]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for (file, text) in [("shared/shared.txt", "shared"), ("also.txt", "own")] {
        assert_eq!(
            std::fs::read_to_string(run.out.join(file)).expect("a file"),
            text
        );
    }
    // Content alone allows nothing.
    for environment in [&[][..], &[("SITEGEN_LINKED_FOLDERS", "/nothing:/usr")]] {
        let run = site.run_with(&["build"], environment);
        assert_eq!(run.status, 1, "{}", run.stderr);
        assert!(
            run.stderr
                .contains(&format!("hint: set `SITEGEN_LINKED_FOLDERS={folder}`")),
            "{}",
            run.stderr
        );
    }
    site.write(
        "content/site.yaml",
        format!("{settings}\nlinked_folders: [gone]\n"),
    );
    assert!(site.build().stderr.contains("there is no folder `gone`"));
}

/// The setting that names other folders is below `content`, so the environment alone allows a link in its place.
#[test]
fn content_may_be_a_link_that_the_environment_allows() {
    let outside = tempfile::tempdir().expect("a folder");
    let folder = outside.path().canonicalize().expect("a folder");
    let content = folder.join("content");
    let site = SiteTest::small();
    let status = std::process::Command::new("mv")
        .args([site.path("content"), content.clone()])
        .status();
    assert!(status.expect("mv").success());
    std::os::unix::fs::symlink(&content, site.path("content")).expect("a link");
    let run = site.build();
    assert_eq!(run.problems(), ["link-outside content"], "{}", run.stderr);
    let hint = format!(
        "allow links to the folder with `SITEGEN_LINKED_FOLDERS={}` in the environment",
        content.display()
    );
    assert!(run.stderr.contains(&hint), "{}", run.stderr);
    let allowed = folder.to_str().expect("a path");
    let run = site.run_with(&["build"], &[("SITEGEN_LINKED_FOLDERS", allowed)]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    run.page("/").contains("<h1");
    let system = [("SITEGEN_LINKED_FOLDERS", "/")];
    std::fs::remove_file(site.path("content")).expect("a link");
    std::os::unix::fs::symlink("/etc", site.path("content")).expect("a link");
    assert_eq!(site.run_with(&["build"], &system).status, 1);
}

#[test]
fn no_setting_opens_the_system_a_home_or_a_repository() {
    let outside = tempfile::tempdir().expect("a folder");
    let home = outside.path().join("homes/ana");
    std::fs::create_dir_all(home.join("shared/.git")).expect("folders");
    std::fs::write(home.join("shared/.git/config"), "s3cret").expect("a file");
    let (git, homes) = (home.join("shared/.git"), outside.path().join("homes"));
    let secret = git.join("config");
    let settings =
        std::fs::read_to_string(SiteTest::small().path("content/site.yaml")).expect("settings");
    let home_path = home.to_str().expect("a path");
    let environment = [("SITEGEN_LINKED_FOLDERS", "/"), ("HOME", home_path)];
    for (folder, target) in [
        (Path::new("/"), Path::new("/proc/self/environ")),
        (Path::new("/proc"), Path::new("/proc/self/environ")),
        (Path::new("/proc/self"), Path::new("/proc/self/environ")),
        (Path::new("/sys"), Path::new("/sys/kernel")),
        (Path::new("/dev"), Path::new("/dev/null")),
        (Path::new("/etc"), Path::new("/etc/passwd")),
        (&*homes, &*secret),
        (&*home, &*secret),
        (&*git, &*secret),
    ] {
        let site = SiteTest::small();
        std::fs::create_dir_all(site.path("static")).expect("a folder");
        std::os::unix::fs::symlink(target, site.path("static/secret.txt")).expect("a link");
        site.write(
            "content/site.yaml",
            format!("{settings}\nlinked_folders: [{}]\n", folder.display()),
        );
        let run = site.run_with(&["build"], &environment);
        let of_setting = run
            .problems()
            .iter()
            .any(|problem| problem.starts_with("link-outside content/site.yaml:"));
        assert!(
            run.status == 1 && of_setting,
            "{}: {}",
            folder.display(),
            run.stderr
        );
        assert!(!run.out.join("secret.txt").exists(), "{}", folder.display());
    }
    // A folder of a home may be one, without its repository.
    let site = SiteTest::small();
    std::os::unix::fs::symlink(&secret, site.path("static/config.txt")).expect("a link");
    site.write(
        "content/site.yaml",
        format!("{settings}\nlinked_folders: [{home_path}/shared]\n"),
    );
    let run = site.run_with(&["build"], &environment);
    assert_eq!(
        run.problems(),
        ["link-outside static/config.txt"],
        "{}",
        run.stderr
    );
}

#[test]
fn the_output_cannot_replace_another_site() {
    let (site, other) = (SiteTest::small(), SiteTest::small());
    for out in [
        other.path(""),
        other.path("content"),
        other.path("content/pages"),
        other.path("static/x"),
    ] {
        let before = crate::site_test::files_below(&other.path(""));
        let run = site.run(&["build", "--out", out.to_str().expect("a path")]);
        assert_eq!(
            (run.status, run.problems()),
            (2, vec!["out-inside-sources".to_owned()]),
            "{}",
            run.stderr
        );
        assert_eq!(crate::site_test::files_below(&other.path("")), before);
    }
    // A folder for the output of several sites is one that a person may have made in any of them.
    let run = site.run(&[
        "build",
        "--out",
        other.path("public").to_str().expect("a path"),
    ]);
    assert_eq!(run.status, 0, "{}", run.stderr);
}

#[test]
fn names_that_differ_in_case_only_are_errors() {
    let site = SiteTest::small()
        .file("static/Readme.txt", "a")
        .file("static/README.txt", "b")
        .file("static/caf\u{e9}.txt", "c")
        .file("static/cafe\u{301}.txt", "d")
        .file("static/About/index.html", "e");
    let run = site.build();
    let wrong = ["About/index.html", "Readme.txt", "caf\u{e9}.txt"]
        .map(|path| format!("path-taken static/{path}"));
    assert_eq!(
        (run.status, run.problems()),
        (1, wrong.to_vec()),
        "{}",
        run.stderr
    );
}

#[test]
fn an_element_with_very_many_attributes_is_read_in_a_moment() {
    let attributes = (0..150_000)
        .map(|number| format!(" a{number}"))
        .collect::<Vec<_>>()
        .concat();
    let html = format!("<p{attributes}>wide</p>");
    let post = format!("---\ntitle: A\ndate: 2025-03-31\nauthor: ana\n---\n\n{html}\n");
    let site = SiteTest::small().file("static/wide.html", &html);
    assert_eq!(site.build().status, 0);
    let run = site.file("content/blog/en/wide.md", post).build();
    assert!(
        run.stderr.contains("too many attributes on one element"),
        "{}",
        run.stderr
    );
}

/// The API, what the preview adds and the forms answer there: a page or a redirect would take their addresses on a host.
#[test]
fn nothing_takes_the_addresses_of_the_api_the_preview_and_the_forms() {
    let page = |path: &str| {
        format!(
            "path: {path}\ntitle: A\ndescription: B.\nunlinked: true\nsections:\n  - {{kind: hero, title: A}}\n"
        )
    };
    for path in [
        "/api/",
        "/api/leads/",
        "/admin/",
        "/admin/draft/",
        "/_sitegen/",
        "/_sitegen/live.js/",
    ] {
        let run = SiteTest::small()
            .file("content/pages/taken/en.yaml", page(path))
            .build();
        let problems = run.problems();
        let is_reported = problems
            .iter()
            .any(|problem| problem.contains("content/pages/taken/en.yaml:1:"));
        assert!(
            run.status == 1 && is_reported,
            "{path}: {problems:?} {}",
            run.stderr
        );
        let copy = page("/taken/").replace("title: A", &format!("also_at: [{path}]\ntitle: A"));
        assert_eq!(
            SiteTest::small()
                .file("content/pages/taken/en.yaml", copy)
                .build()
                .status,
            1,
            "{path}"
        );
    }
    let redirects = [
        "{from: /api/leads, to: \"https://evil.example/\"}",
        "{from: /api, to: \"page:about\"}",
        "{from: /API/leads, to: \"page:about\"}",
        "{from: \"/%61pi/leads\", to: \"page:about\"}",
        "{from: \"/api/*\", to: \"https://evil.example/\"}",
        "{from: \"/api/posts?page_id=1\", to: \"page:about\"}",
        "{from: /api/leads, gone: true}",
        "{from: /_sitegen/live.js, to: \"page:about\"}",
        "{from: /admin/, to: \"https://evil.example/\"}",
        "{from: \"/admin/*\", to: \"https://evil.example/\"}",
    ];
    for redirect in redirects {
        let run = SiteTest::small()
            .file("content/redirects/taken.yaml", format!("- {redirect}\n"))
            .build();
        let problems = run.problems();
        assert_eq!(problems.len(), 1, "{redirect}: {problems:?} {}", run.stderr);
        assert!(
            run.status == 1
                && problems[0].starts_with("redirect-conflict content/redirects/taken.yaml:1:")
        );
    }
    for file in [
        "static/api/leads",
        "static/API/x.json",
        "static/_sitegen/live.js",
    ] {
        let run = SiteTest::small().file(file, "x").build();
        assert_eq!(
            (run.status, run.problems()),
            (1, vec![format!("path-taken {file}")]),
            "{}",
            run.stderr
        );
    }
    // Names that only begin alike, and the page of another program's forms.
    let site = SiteTest::small()
        .file("content/pages/taken/en.yaml", page("/api-guide/"))
        .file(
            "static/admin/index.html",
            "<!doctype html><title>Forms</title>",
        )
        .file("static/api.txt", "x");
    let run = site.build();
    assert_eq!(run.status, 0, "{}", run.stderr);
}

/// Each language multiplies pages, words and checks: a thousand of them took 1.4 GB.
#[test]
fn more_languages_than_a_site_can_have_are_reported_before_they_are_read() {
    let codes: Vec<String> = ('a'..='z')
        .flat_map(|a| ('a'..='z').map(move |b| format!("q{a}{b}")))
        .collect();
    let site = SiteTest::small();
    site.edit(
        "content/site.yaml",
        "locales: [en, es]",
        &format!("locales: [en, es, {}]", codes.join(", ")),
    );
    let run = site.run(&["check"]);
    assert!(
        run.stderr
            .contains("`locales` has 678 locales, but the limit is 200"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains(&codes[400]), "{}", run.stderr);
}
