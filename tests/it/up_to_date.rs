//! If nothing changed, a build ends without reading any source. Any change triggers a build.

use std::fs::{self, File};

use crate::incremental::site;
use crate::site_test::{SiteTest, files_below};

const POST: &str = "content/blog/en/note-3.md";

/// Builds, and returns whether there was nothing to do.
fn is_up_to_date(site: &SiteTest, arguments: &[&str], environment: &[(&str, &str)]) -> bool {
    let run = site.run_with(&[&["build"], arguments].concat(), environment);
    assert_eq!(run.status, 0, "{}", run.stderr);
    run.stdout.contains("nothing has changed: ")
}

/// A site that was built, and built again with nothing to do.
fn up_to_date() -> SiteTest {
    let site = site();
    assert!(!is_up_to_date(&site, &[], &[]), "the first build");
    assert!(is_up_to_date(&site, &[], &[]), "the second build");
    site
}

/// Checks that the next build has something to do, and the one after it nothing.
fn is_rebuilt(site: &SiteTest, what: &str) {
    assert!(!is_up_to_date(site, &[], &[]), "{what}");
    assert!(is_up_to_date(site, &[], &[]), "{what}, again");
}

#[test]
fn an_up_to_date_build_reports_the_same_and_writes_nothing() {
    let site = site();
    let first = site.built();
    let times = |site: &SiteTest| {
        let files = files_below(&site.path("dist")).into_keys();
        files
            .map(|path| {
                fs::metadata(site.path("dist").join(path))
                    .and_then(|meta| meta.modified())
                    .ok()
            })
            .collect()
    };
    let before: Vec<_> = times(&site);
    let second = site.built();
    assert_eq!(times(&site), before);
    let counted = |words: &str| words.split_once(" in ").map(|(words, _)| words.to_owned());
    assert_eq!(
        counted(&second.stdout),
        counted(&first.stdout.replace("built", "nothing has changed:"))
    );
    assert_eq!(site.run(&["build", "--verify-cache"]).status, 0);
    assert!(
        site.run(&["build", "--format", "json"])
            .stdout
            .contains("\"pages\"")
    );
}

#[test]
fn any_change_triggers_a_build() {
    let site = up_to_date();
    // The edit keeps the file's length and mtime.
    let file = File::options()
        .write(true)
        .open(site.path(POST))
        .expect("a post");
    let time = file
        .metadata()
        .and_then(|meta| meta.modified())
        .expect("a time");
    site.edit(POST, "The first", "The worst");
    file.set_modified(time).expect("its old time");
    is_rebuilt(&site, "an edited post");
    assert!(
        fs::read_to_string(site.path("dist/notes/note-3/index.html"))
            .is_ok_and(|page| page.contains("The worst"))
    );

    site.write(
        "content/blog/en/note-99.md",
        "---\ntitle: New\ndate: 2024-01-01\nauthor: ana\n---\nText.\n",
    );
    is_rebuilt(&site, "a new post");
    fs::rename(
        site.path("content/blog/en/note-99.md"),
        site.path("content/blog/en/note-98.md"),
    )
    .expect("renamed");
    is_rebuilt(&site, "a renamed post");
    site.remove("content/blog/en/note-98.md");
    is_rebuilt(&site, "a removed post");
    site.write("static/humans.txt", "People\n");
    is_rebuilt(&site, "a static file");
    site.write("templates/pages/blog-post.html", "{% extends \"layouts/base.html\" %}{% block main %}{{ post.body }}{{ post.author_link | pprint }}{{ post.older | pprint }}{% endblock %}\n");
    assert!(!is_up_to_date(&site, &[], &[]), "a template");
    site.write("package.json", "{}");
    assert!(!is_up_to_date(&site, &[], &[]), "a package");
}

#[test]
fn temporary_files_of_editors_are_not_built() {
    let site = up_to_date();
    site.write("content/blog/en/.note-3.md.swp", "~");
    site.write("content/pages/home/en.yaml~", "~");
    assert!(is_up_to_date(&site, &[], &[]));
}

#[test]
fn any_change_of_the_output_triggers_a_build() {
    let site = up_to_date();
    let page = site.path("dist/notes/note-3/index.html");
    let whole = fs::read(&page).expect("a page");
    fs::write(&page, "somebody else").expect("written");
    is_rebuilt(&site, "an overwritten page");
    assert_eq!(fs::read(&page).expect("a page"), whole);
    fs::remove_file(&page).expect("removed");
    is_rebuilt(&site, "a page that is gone");
    fs::remove_dir_all(site.path("search")).expect("removed");
    is_rebuilt(&site, "a search that is gone");
    fs::remove_file(site.path("leads.json")).expect("removed");
    is_rebuilt(&site, "a lead file that is gone");
    let manifests = files_below(&site.path(".sitegen/records")).into_keys();
    for manifest in manifests {
        fs::write(site.path(".sitegen/records").join(manifest), "damaged").expect("written");
    }
    is_rebuilt(&site, "a damaged manifest");
    fs::remove_dir_all(site.path(".sitegen")).expect("removed");
    is_rebuilt(&site, "a cache that is gone");
}

#[test]
fn other_settings_trigger_a_build() {
    let site = up_to_date();
    for arguments in [
        ["--base-url", "https://other.example"].as_slice(),
        &["--drafts"],
        &["--precompress"],
    ] {
        assert!(!is_up_to_date(&site, arguments, &[]), "{arguments:?}");
        assert!(!is_up_to_date(&site, &[], &[]), "without {arguments:?}");
    }
}

#[test]
fn warnings_are_reported_each_time() {
    let site = site();
    // No page links to the notes.
    site.edit("content/site.yaml", "to: page:notes", "to: page:about");
    assert!(!is_up_to_date(&site, &[], &[]) && is_up_to_date(&site, &[], &[]));
    let (first, second) = (site.built().problems(), site.built().problems());
    assert!(!first.is_empty() && first == second, "{first:?}");
    // Untracked files among the pages are reported by a full build only.
    site.write("dist/mine.txt", "mine");
    for turn in 0..3 {
        let reported = site.built().problems();
        assert!(
            reported
                .iter()
                .any(|problem| problem.starts_with("foreign-file")),
            "{turn}: {reported:?}"
        );
    }
    site.remove("dist/mine.txt");
    is_rebuilt(&site, "a warning that is gone");
}

#[test]
fn a_build_publishes_a_post_when_it_is_due() {
    let site = site().file(
        "content/blog/en/soon.md",
        "---\ntitle: Soon\ndate: 2025-03-31\npublish_at: 2025-03-31\nexpires_at: 2025-05-01\nauthor: ana\n---\nText.\n",
    );
    let at = |seconds: &str| is_up_to_date(&site, &[], &[("SOURCE_DATE_EPOCH", seconds)]);
    let is_there = || site.path("dist/notes/soon/index.html").exists();
    // 30 March, 1 April and 2 May 2025.
    assert!(!at("1743292800") && !is_there());
    assert!(at("1743292800") && at("1743296400") && !is_there());
    assert!(!at("1743465600") && is_there());
    assert!(at("1743465600"));
    assert!(!at("1746144000") && !is_there());
    assert!(!at("1743465600") && is_there(), "back in time");
}

#[cfg(unix)]
#[test]
fn symbolic_links_in_the_sources_always_trigger_a_build() {
    let site = up_to_date();
    let elsewhere = tempfile::tempdir().expect("a folder");
    fs::write(elsewhere.path().join("terms.txt"), "Terms\n").expect("written");
    std::os::unix::fs::symlink(elsewhere.path(), site.path("static/elsewhere")).expect("a link");
    let settings = fs::read_to_string(site.path("content/site.yaml")).expect("settings");
    let named = format!(
        "{settings}\nlinked_folders: [{}]\n",
        elsewhere.path().display()
    );
    fs::write(site.path("content/site.yaml"), named).expect("written");
    let folder = elsewhere.path().to_str().expect("a path");
    for _ in 0..2 {
        assert!(!is_up_to_date(
            &site,
            &[],
            &[("SITEGEN_LINKED_FOLDERS", folder)]
        ));
    }
}
