//! After a post's body was saved, its page is published before the build, with the same bytes.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use config::{self, Config, Options};
use generator::pipeline::{self, BuildScope, Plan, Purpose};
use site::Workspace;
use workspace::timings::Timings;

use crate::incremental::site;
use crate::serve::Server;
use crate::site_test::SiteTest;

const POST: &str = "content/blog/en/note-3.md";
const PAGE: &str = "dist/notes/note-3/index.html";

/// The site of these tests, and its settings. The post has an explicit excerpt, so that its body affects only its own page.
fn unbuilt() -> (SiteTest, Config) {
    let site = site();
    site.edit(POST, "tags:", "excerpt: Said in short.\ntags:");
    let (config, _) = config::load(&Options {
        root: site.path(""),
        ..Options::default()
    });
    (site, config.expect("settings"))
}

/// A site built by this process.
fn built() -> (SiteTest, Config, Plan) {
    let (site, config) = unbuilt();
    let plan = plan_of(&config);
    (site, config, plan)
}

/// The plan of a first build.
pub(crate) fn plan_of(config: &Config) -> Plan {
    let whole = BuildScope::Site(Workspace::open(config.clone()));
    let (built, problems) = pipeline::build(whole, Purpose::Build, &|_| {}, &Timings::off());
    let plan = built.and_then(|built| built.plan);
    plan.unwrap_or_else(|| panic!("{problems:?}"))
}

/// Whether the page of a saved text is published from a plan, before the site is built.
pub(crate) fn publishes_early(plan: &mut Plan, file: &Path) -> bool {
    let text = BuildScope::Text(plan, file);
    let (built, problems) = pipeline::build(text, Purpose::Preview, &|_| {}, &Timings::off());
    assert!(problems.is_empty(), "{problems:?}");
    built.is_some()
}

#[test]
fn an_early_page_has_the_bytes_of_a_build() {
    let (site, config, mut plan) = built();
    // Repeated, while the manifest still has the first version.
    for text in [
        "second",
        "third [link](page:blog/note-4)",
        "fourth\n\n## And a heading\n\n<b>raw</b>",
    ] {
        let written = fs::read_to_string(site.path(POST)).expect("a post");
        let head = written
            .rsplit_once("---\n")
            .expect("front matter")
            .0
            .to_owned();
        site.write(POST, head + "---\nThe " + text + "\n");
        assert!(publishes_early(&mut plan, &site.path(POST)), "{text}");
        let early = fs::read_to_string(site.path(PAGE)).expect("a page");
        assert!(
            early.contains(text.split([' ', '\n']).next().expect("a word")),
            "{early}"
        );
        let clean = site.run(&["build", "--out", &site.path("clean").to_string_lossy()]);
        assert_eq!(clean.status, 0, "{}", clean.stderr);
        assert_eq!(
            fs::read_to_string(site.path("clean/notes/note-3/index.html")).expect("a page"),
            early
        );
        fs::remove_dir_all(site.path("clean")).expect("removed");
    }
    // The next build does not rewrite the page, and updates the manifest.
    let whole = BuildScope::Site(Workspace::open(config));
    let (built, problems) = pipeline::build(whole, Purpose::Build, &|_| {}, &Timings::off());
    let touched = built.map(|built| built.report.touched);
    assert_eq!(touched, Some(0), "{problems:?}");
    assert_eq!(site.run(&["build", "--verify-cache"]).status, 0);
}

#[test]
fn other_changes_and_errors_are_left_to_the_build() {
    let (site, _, mut plan) = built();
    let before = fs::read_to_string(site.path(PAGE)).expect("a page");
    let whole = fs::read_to_string(site.path(POST)).expect("a post");
    for (from, to) in [
        ("Note 3", "Note three"),
        ("in short", "in few words"),
        ("author: ana", "author: leo"),
        ("The first", "[dead](page:nowhere) first"),
        ("The first", "[here](#nowhere) first"),
        ("The first", "![A shape](shared.svg)"),
        ("The first", "![](missing.svg)"),
        ("title: ", "titel: "),
        ("tags:", "draft: true\ntags:"),
    ] {
        site.edit(POST, from, to);
        assert!(!publishes_early(&mut plan, &site.path(POST)), "{to}");
        assert_eq!(
            fs::read_to_string(site.path(PAGE)).expect("a page"),
            before,
            "{to}"
        );
        site.write(POST, &whole);
    }
    site.remove(POST);
    assert!(!publishes_early(&mut plan, &site.path(POST)));
    let settings = site.path("content/site.yaml");
    assert!(!publishes_early(&mut plan, &settings));
}

#[test]
fn a_cache_folder_that_cannot_be_written_does_not_delay_a_page() {
    let (site, own) = unbuilt();
    // Root may write everywhere, so a file in the way stands for a read-only disk.
    site.write(".sitegen", "a file in the way");
    let mut temporary = None;
    let (config, problems) = pipeline::writable(&own, &mut temporary);
    assert_eq!(
        problems
            .iter()
            .map(|problem| problem.code.name())
            .collect::<Vec<_>>(),
        ["cache-unavailable"]
    );
    let config = config.expect("another folder");
    let folder = config.paths.cache.clone();
    let mut plan = plan_of(&config);
    site.edit(POST, "first words", "second words");
    assert!(publishes_early(&mut plan, &site.path(POST)));
    assert!(
        fs::read_to_string(site.path(PAGE))
            .expect("a page")
            .contains("second words")
    );
    // The next build of the process uses the folder again, and the end of the process removes it.
    assert_eq!(
        pipeline::writable(&own, &mut temporary)
            .0
            .map(|config| config.paths.cache),
        Some(folder.clone())
    );
    assert!(folder.is_dir());
    drop(temporary);
    assert!(!folder.exists());
}

/// Repeats a request until the body satisfies a condition, for up to a minute.
fn wait(server: &Server, path: &str, satisfies: impl Fn(&str) -> bool) -> String {
    let end = Instant::now() + Duration::from_mins(1);
    loop {
        let (_, _, body) = server.get(path);
        if satisfies(&body) {
            return body;
        }
        assert!(
            Instant::now() < end,
            "{path} did not change as expected: {body}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_preview_publishes_saved_posts_early_and_then_builds_the_site() {
    let site = site();
    site.edit(POST, "tags:", "excerpt: Said in short.\ntags:");
    let file = site.path(POST);
    let server = Server::start(site, &[]);
    let build = wait(&server, "/build.json", |body| body.contains("build"));
    let before = fs::read_to_string(&file).expect("a post");
    for text in ["second words", "third words"] {
        fs::write(&file, before.replace("first words", text)).expect("written");
        wait(&server, "/notes/note-3/", |body| body.contains(text));
    }
    // Only the full build updates the search index.
    wait(&server, "/build.json", |body| {
        body.contains("build") && body != build
    });
    // A new title also appears in lists, so it needs a full build.
    fs::write(&file, before.replace("Note 3 first", "Note 3 renamed")).expect("written");
    wait(&server, "/notes/page/2/", |body| {
        body.contains("Note 3 renamed")
    });
    wait(&server, "/notes/note-3/", |body| {
        body.contains("first words")
    });
}
