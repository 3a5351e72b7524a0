//! The command line: output streams, formats and exit statuses.

use crate::site_test::{SiteTest, sitegen};

#[test]
fn a_build_ends_with_one_line_of_figures_on_stdout() {
    let run = SiteTest::small().built();
    let last = run.stdout.lines().last().expect("a line");
    assert!(
        last.starts_with("built 6 pages (en 3, es 3), 1 asset, 0 warnings in "),
        "{last}"
    );
    assert_eq!(run.stderr, "");
}

#[test]
fn json_is_one_documented_object_on_stdout() {
    let site = SiteTest::small();
    site.edit("content/pages/home/en.yaml", "title: Hello", "titel: Hello");
    let run = site.run(&["check", "--format", "json"]);
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    let value: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(
        value,
        serde_json::json!({"version": 1, "diagnostics": [{
            "code": "unknown-key", "severity": "error", "message": "unknown key `titel`", "path": "content/pages/home/en.yaml",
            "range": {"start": {"line": 6, "column": 5}, "end": {"line": 6, "column": 10}}, "hint": "did you mean `title`?"
        }], "summary": {"errors": 1, "warnings": 0}})
    );
}

#[test]
fn every_format_ends_with_the_same_status() {
    for (edit, status) in [(("Hello", "Hello"), 0), (("page:about", "page:abuot"), 1)] {
        let site = SiteTest::small();
        site.edit("content/pages/home/en.yaml", edit.0, edit.1);
        for format in ["human", "json", "github", "sarif"] {
            assert_eq!(
                site.run(&["build", "--format", format]).status,
                status,
                "{format}"
            );
        }
    }
}

#[test]
fn annotations_name_files_from_the_folder_of_the_repository() {
    let site = SiteTest::small();
    site.edit(
        "content/pages/home/en.yaml",
        "page:about#team",
        "page:abuot",
    );
    let folder = site.path("").canonicalize().expect("a folder");
    let name = folder
        .file_name()
        .and_then(|name| name.to_str())
        .expect("a name");
    let repository = folder.parent().expect("a parent");
    let stdout = |format: &str, workspace: &std::path::Path| {
        let output = site
            .command(&["check", "--format", format])
            .env("GITHUB_WORKSPACE", workspace)
            .output();
        String::from_utf8_lossy(&output.expect("sitegen starts").stdout).to_string()
    };
    let file = |prefix: &str| format!("file={prefix}content/pages/home/en.yaml,line=7");
    assert!(stdout("github", repository).contains(&file(&format!("{name}/"))));
    assert!(stdout("github", &folder).contains(&file("")));
    assert!(stdout("github", &folder.join("elsewhere")).contains(&file("")));
    assert!(
        stdout("sarif", repository)
            .contains(&format!("\"uri\":\"{name}/content/pages/home/en.yaml\""))
    );
    assert!(stdout("json", repository).contains("\"path\":\"content/pages/home/en.yaml\""));
}

#[test]
fn a_document_is_the_only_output() {
    let site = SiteTest::small();
    site.edit(
        "content/pages/home/en.yaml",
        "page:about#team",
        "page:abuot",
    );
    for command in ["check", "build", "fmt"] {
        for format in ["json", "sarif"] {
            let run = site.run(&[command, "--format", format]);
            serde_json::from_str::<serde_json::Value>(&run.stdout)
                .unwrap_or_else(|error| panic!("{command}: {error}"));
            assert_eq!(run.stderr, "", "{command} {format}");
        }
    }
}

#[test]
fn github_gets_annotations_and_the_human_output() {
    let site = SiteTest::small();
    site.edit(
        "content/pages/home/en.yaml",
        "page:about#team",
        "page:abuot",
    );
    let run = site.run(&["check", "--format", "github"]);
    assert!(
        run.stdout.starts_with(
            "::error title=dead-link,file=content/pages/home/en.yaml,line=7,col=28,endColumn=38::"
        ),
        "{}",
        run.stdout
    );
    assert!(
        run.stderr.contains("--> content/pages/home/en.yaml:7:28"),
        "{}",
        run.stderr
    );
    let output = site
        .command(&["check"])
        .env("GITHUB_ACTIONS", "true")
        .output()
        .expect("sitegen starts");
    assert!(String::from_utf8_lossy(&output.stdout).contains("::error title=dead-link"));
}

#[test]
fn check_writes_no_output() {
    let site = SiteTest::small();
    assert_eq!(site.run(&["check"]).status, 0);
    assert!(!site.path("dist").exists());
}

#[test]
fn routes_lists_every_address() {
    let run = SiteTest::small().run(&["routes", "--json"]);
    let rows: Vec<serde_json::Value> = serde_json::from_str(&run.stdout).expect("JSON");
    let row = |path: &str| {
        rows.iter()
            .find(|row| row["path"] == path)
            .unwrap_or_else(|| panic!("no row for {path}"))
    };
    assert_eq!(
        (&row("/old/")["kind"], &row("/old/")["to"]),
        (&"redirect".into(), &"/about/".into())
    );
    assert_eq!(
        (&row("/es/about/")["kind"], &row("/es/about/")["canonical"]),
        (&"copy".into(), &"/es/nosotros/".into())
    );
    assert_eq!(row("/404.html")["status"], 404);
}

#[test]
fn explain_covers_each_code_and_suggests_a_similar_one() {
    let run = |arguments: &[&str]| sitegen().args(arguments).output().expect("sitegen starts");
    let list = String::from_utf8(run(&["explain"]).stdout).expect("UTF-8");
    for code in list
        .lines()
        .filter_map(|line| line.split_whitespace().next())
    {
        let reported = run(&["explain", code]);
        assert!(
            reported.status.success() && reported.stdout.len() > code.len() + 30,
            "{code}"
        );
    }
    let misspelled = run(&["explain", "ded-link"]);
    assert_eq!(misspelled.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&misspelled.stderr).contains("did you mean `dead-link`?"));
}

#[test]
fn wrong_usage_is_status_2() {
    let status = |arguments: &[&str]| {
        sitegen()
            .args(arguments)
            .output()
            .expect("sitegen starts")
            .status
            .code()
    };
    assert_eq!(status(&["biuld"]), Some(2));
    assert_eq!(status(&["build", "--root", "/nonexistent"]), Some(2));
    assert_eq!(
        SiteTest::small().run(&["build", "--set", "nothing"]).status,
        2
    );
}

#[test]
fn a_misspelled_setting_is_reported() {
    let run = SiteTest::small().run(&["build", "--set", "prodcut.name=x"]);
    assert_eq!(run.status, 1);
    assert!(
        run.stderr.contains("unknown key `prodcut`") && run.stderr.contains("--set"),
        "{}",
        run.stderr
    );
}

#[test]
fn color_is_off_unless_requested() {
    let site = SiteTest::small();
    site.edit("content/pages/home/en.yaml", "page:about", "page:abuot");
    assert!(!site.run(&["check"]).stderr.contains('\u{1b}'));
    assert!(
        site.run(&["check", "--color", "always"])
            .stderr
            .contains('\u{1b}')
    );
}

#[test]
fn completions_name_the_commands() {
    let output = sitegen()
        .args(["completions", "bash"])
        .output()
        .expect("sitegen starts");
    assert!(String::from_utf8_lossy(&output.stdout).contains("no-watch"));
}

#[test]
fn a_missing_bundler_exits_with_status_3_and_a_hint() {
    let site = SiteTest::small().file("templates/styles/site.css", "body { color: red }");
    let output = site
        .command(&["build"])
        .env("SITEGEN_NODE_MODULES", site.path("none"))
        .output()
        .expect("sitegen starts");
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("run `npm install`"));
}

#[test]
fn icons_that_are_not_installed_are_one_problem() {
    let site = SiteTest::small()
        .file(
            "templates/layouts/base.html",
            "<!doctype html>\n<title>{{ page.title }}</title>{{ icon(\"globe\") }}",
        )
        .file(
            "templates/components/action/action.html",
            "{{ icon(\"arrow-right\") }}",
        );
    let output = site
        .command(&["check", "--format", "json"])
        .env("SITEGEN_NODE_MODULES", site.path("none"))
        .output()
        .expect("sitegen starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        text.matches("the icon set is not installed").count(),
        1,
        "{text}"
    );
}

#[test]
fn an_invalid_style_sheet_is_reported_at_its_place() {
    let run = SiteTest::small()
        .file("templates/styles/site.css", "body {\n  color: red;\n")
        .build();
    assert_eq!(run.status, 1);
    assert!(
        run.problems()[0].starts_with("bundle templates/styles/site.css:"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_undefined_custom_property_is_reported() {
    let site = SiteTest::small()
        .file(
            "templates/styles/site.css",
            "body { color: var(--color-inc) }\np { color: var(--color-ink) }",
        )
        .file("content/design.yaml", "color: {ink: \"#000000\"}\n");
    let run = site.build();
    assert_eq!(
        run.problems(),
        ["unknown-token templates/styles/site.css:1:19"],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("did you mean `--color-ink`?"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_color_pair_with_low_contrast_is_reported() {
    let design = "color: {ink: \"#777777\", paper: \"#FFFFFF\"}\ncontrast:\n  - {text: ink, ground: paper}\n";
    let run = SiteTest::small()
        .file("content/design.yaml", design)
        .build();
    assert_eq!(
        run.problems(),
        ["low-contrast content/design.yaml:3:12"],
        "{}",
        run.stderr
    );
}
