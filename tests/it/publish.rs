//! The output folder: reproducible, consistent at any time, and untracked files are kept.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

use crate::site_test::{SiteTest, files_below};

#[test]
fn builds_give_the_same_bytes_again_and_on_any_number_of_threads() {
    let whole = || SiteTest::whole().without_shared_cache();
    let first = whole().argument("-j1").built().files();
    let second = whole().argument("-j2").built().files();
    assert!(
        first == second,
        "the bytes differ: {:?}",
        first
            .keys()
            .zip(second.keys())
            .find(|(a, b)| a != b || first[*a] != second[*b])
    );
    let site = whole();
    site.built();
    assert!(
        site.built().files() == first,
        "a second build in the same folder gives other bytes"
    );
}

#[test]
fn a_failing_build_leaves_the_output_as_it_was() {
    let site = SiteTest::small();
    let before = site.built().files();
    site.edit("content/pages/home/en.yaml", "page:about", "page:nothing");
    let run = site.build();
    assert_eq!(run.status, 1);
    assert!(
        run.stderr.contains("nothing was published"),
        "{}",
        run.stderr
    );
    assert!(run.files() == before);
    assert_eq!(leftovers(&site), Vec::<String>::new());
}

#[test]
fn a_failing_template_leaves_the_output_as_it_was() {
    let site = SiteTest::small();
    let before = site.built().files();
    site.write("templates/sections/prose/prose.html", "{{ nothing }}");
    assert_eq!(site.build().status, 1);
    assert!(site.build().files() == before);
}

#[test]
fn a_strict_build_publishes_nothing_on_a_warning() {
    let site = SiteTest::small();
    site.built();
    site.write("dist/notes.txt", "mine");
    let before = files_below(&site.path("dist"));
    site.edit("content/pages/home/en.yaml", "Hello", "Changed");
    let run = site.run(&["build", "--strict"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(
        run.files() == before,
        "a failed strict build has published files"
    );
}

#[test]
fn a_page_removed_from_content_is_removed_from_the_output() {
    let site = SiteTest::small().file(
        "content/pages/lone/en.yaml",
        "path: /lone/\ntitle: Lone\ndescription: Alone.\nsections:\n  - {kind: hero, title: Lone}\n",
    );
    assert!(site.built().files().contains_key("lone/index.html"));
    site.remove("content/pages/lone/en.yaml");
    let run = site.built();
    assert!(!run.files().contains_key("lone/index.html"));
    assert!(!site.path("dist/lone").exists());
}

/// The files below `_assets/` after a build at a time, in seconds since the Unix epoch.
fn assets_at(site: &SiteTest, now: u64) -> BTreeSet<String> {
    let run = site.run_with(&["build"], &[("SOURCE_DATE_EPOCH", &now.to_string())]);
    assert!(
        run.status == 0 && !run.stderr.contains("foreign-file"),
        "{}",
        run.stderr
    );
    let files = run.files();
    let listed: BTreeSet<&str> = std::str::from_utf8(&files[".sitegen-files"])
        .expect("text")
        .lines()
        .collect();
    let written: BTreeSet<&str> = files
        .keys()
        .map(String::as_str)
        .filter(|path| *path != ".sitegen-files")
        .collect();
    assert_eq!(listed, written);
    files
        .into_keys()
        .filter(|path| path.starts_with("_assets/images/shared"))
        .collect()
}

#[test]
fn open_pages_find_their_assets_after_a_deployment() {
    const DAY: u64 = 86_400;
    let now = std::time::UNIX_EPOCH.elapsed().expect("a time").as_secs();
    // Both in place and by swapping the folder, as the first build with another version of sitegen does.
    for exchanges in [false, true] {
        let site = crate::incremental::site().file(
            "content/blog/en/note-3.md",
            "---\ntitle: Note\ndate: 2024-01-01\nauthor: ana\n---\nA text.\n\n![A shape](shared.svg)\n",
        );
        site.edit("content/site.yaml", "keep_days: 0", "keep_days: 7");
        let draw = |width: usize| {
            site.write(
                "content/images/shared.svg",
                crate::incremental::picture(width),
            );
            if exchanges {
                std::fs::remove_dir_all(site.path(".sitegen")).expect("removed");
            }
        };
        let first = assets_at(&site, now);
        assert_eq!(first.len(), 1);
        draw(130);
        let second = assets_at(&site, now + DAY);
        assert!(second.len() == 2 && second.is_superset(&first));
        let verified = site.run_with(
            &["build", "--verify-cache"],
            &[("SOURCE_DATE_EPOCH", &(now + DAY).to_string())],
        );
        assert_eq!(verified.status, 0, "{}", verified.stderr);
        // The first expires, the second becomes unused now, and is current again when it is used again.
        draw(140);
        let third = assets_at(&site, now + 8 * DAY);
        assert!(third.len() == 2 && third.is_disjoint(&first));
        draw(130);
        assert_eq!(assets_at(&site, now + 14 * DAY), third);
        site.edit("content/site.yaml", "keep_days: 7", "keep_days: 0");
        let last = assets_at(&site, now + 14 * DAY);
        assert!(last.len() == 1 && last.is_subset(&second));
        assert!(!site.path("dist/.sitegen-old-assets").exists());
    }
}

#[test]
fn untracked_files_are_kept_and_listed() {
    let site = SiteTest::small();
    site.built();
    site.write("dist/notes/mine.txt", "mine");
    let run = site.built();
    assert!(
        run.stderr.contains("warning[foreign-file]") && run.stderr.contains("dist/notes"),
        "{}",
        run.stderr
    );
    assert_eq!(run.files()["notes/mine.txt"], b"mine");
}

/// Certbot writes challenges into the published folder while it renews a certificate.
#[test]
fn a_renewal_of_a_certificate_stops_no_strict_build() {
    let site = SiteTest::small();
    site.built();
    site.write("dist/.well-known/acme-challenge/token", "proof");
    let run = site.run(&["build", "--strict"]);
    assert_eq!((run.status, run.problems().len()), (0, 0), "{}", run.stderr);
    assert_eq!(
        std::fs::read(site.path("dist/.well-known/acme-challenge/token")).expect("the file"),
        b"proof"
    );
    // Also beside files of the site.
    site.write(
        "static/.well-known/security.txt",
        "Contact: mailto:a@example.com\nExpires: 2099-01-01T00:00:00Z\n",
    );
    site.run(&["check", "--accept-urls"]);
    let run = site.run(&["build", "--strict"]);
    assert!(!run.stderr.contains("foreign-file"), "{}", run.stderr);
    assert!(site.path("dist/.well-known/acme-challenge/token").exists());
    site.write("dist/.well-known/other/mine.txt", "mine");
    assert!(site.build().stderr.contains("warning[foreign-file]"));
}

#[test]
fn files_in_a_folder_whose_pages_are_all_removed_are_kept() {
    let site = SiteTest::small();
    for number in 0..101 {
        let path =
            format!("path: /far/{number}/\ntitle: Page {number}\ndescription: Number {number}.\n");
        site.write(
            &format!("content/pages/p{number}/en.yaml"),
            path + "sections: [{kind: hero, title: A}]\n",
        );
    }
    site.built();
    site.write("dist/far/mine.txt", "mine");
    // So many that the folders are exchanged.
    (0..101).for_each(|number| site.remove(&format!("content/pages/p{number}/en.yaml")));
    let run = site.built();
    assert!(run.stderr.contains("dist/far"), "{}", run.stderr);
    assert_eq!(run.files()["far/mine.txt"], b"mine");
    assert!(!run.out.join("far/0").exists());
}

#[test]
fn untracked_files_are_never_replaced() {
    let site = SiteTest::small();
    site.write("dist/index.html", "mine");
    let run = site.build();
    assert_eq!(run.problems().len(), 1, "{}", run.stderr);
    assert!(
        run.problems()[0].starts_with("foreign-file"),
        "{}",
        run.stderr
    );
    assert_eq!(run.files()["index.html"], b"mine");
}

#[test]
fn a_modified_output_file_is_rewritten() {
    let site = SiteTest::small();
    let before = site.built().files();
    site.write("dist/index.html", "changed");
    assert!(site.built().files() == before);
}

#[test]
fn the_output_must_not_be_inside_the_sources() {
    for out in ["content/out", "templates", ".", "..", "static/x"] {
        let site = SiteTest::small();
        let run = site.run(&["build", "--out", &site.path(out).to_string_lossy()]);
        assert_eq!(
            (run.status, run.problems()),
            (2, vec!["out-inside-sources".to_owned()]),
            "{out}: {}",
            run.stderr
        );
        assert!(site.path("content/site.yaml").exists());
    }
}

#[test]
fn the_index_of_posts_takes_no_folder_of_others() {
    let site = SiteTest::small();
    site.built();
    site.write("search/notes.txt", "mine");
    let run = site.run(&["build", "--set", "blog.search=false"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let left = std::fs::read_dir(site.path("search")).expect("the folder");
    let left: Vec<_> = left.flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["notes.txt"]);

    // The pages of another site, or of this one, or its sources.
    let other = site.path("www/search");
    let run = site.run(&["build", "--out", &other.to_string_lossy()]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let out = site.path("www/dist").to_string_lossy().into_owned();
    let run = site.run(&["build", "--out", &out]);
    assert!(
        run.status != 0 && run.stderr.contains("it has the pages of a site"),
        "{}",
        run.stderr
    );
    assert!(other.join("index.html").exists());
    let run = site.run(&["build", "--out", &out, "--set", "blog.search=false"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(other.join("index.html").exists());
}

#[cfg(unix)]
#[test]
fn a_link_leads_the_index_of_posts_nowhere_else() {
    for target in ["dist", "content"] {
        let site = SiteTest::small();
        site.built();
        std::fs::remove_dir_all(site.path("search")).expect("the index");
        std::os::unix::fs::symlink(target, site.path("search")).expect("a link");
        let run = site.run(&["build"]);
        assert_eq!(
            run.problems(),
            vec!["out-inside-sources".to_owned()],
            "{target}: {}",
            run.stderr
        );
        assert!(site.path("dist/index.html").exists());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_exits_with_status_3() {
    // /proc rejects new folders, as a full or read-only disk does.
    let site = SiteTest::small();
    let run = site.run(&["build", "--out", "/proc/sitegen-test"]);
    assert_eq!(
        (run.status, run.problems()),
        (3, vec!["out-failed".to_owned()]),
        "{}",
        run.stderr
    );
}

/// Kills builds at different times while the site changes, and checks every link in the output.
#[test]
fn a_killed_build_leaves_complete_pages_and_the_next_one_repairs_the_output() {
    let site = SiteTest::whole().without_shared_cache();
    site.built();
    let home = "content/pages/home/en.yaml";
    let text = std::fs::read_to_string(site.path(home)).expect("the home page");
    for round in 0..12_u64 {
        site.write(
            home,
            text.replacen(
                "description: \"",
                &format!("description: \"Round {round}. "),
                1,
            ),
        );
        site.write(&format!("content/pages/extra-{round}/en.yaml"), format!("path: /extra-{round}/\ntitle: Extra {round}\ndescription: Extra page {round}.\nsections:\n  - {{kind: hero, title: Extra, lead: \"[home](page:home)\"}}\n"));
        let mut child = site
            .command(&["build"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("sitegen starts");
        // The delay selects when the build is killed; it does not wait for a condition.
        std::thread::sleep(Duration::from_millis(round * 12));
        let _ = child.kill();
        let _ = child.wait();
        assert_links_resolve(&site);
    }
    let repaired = site.built().files();
    assert_eq!(leftovers(&site), Vec::<String>::new());
    std::fs::remove_dir_all(site.path("dist")).expect("the output");
    std::fs::remove_dir_all(site.path(".sitegen")).expect("the cache");
    assert!(
        site.built().files() == repaired,
        "the next build differs from a clean one"
    );
}

fn assert_links_resolve(site: &SiteTest) {
    let files = files_below(&site.path("dist"));
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".html")) {
        let html = String::from_utf8_lossy(bytes);
        for link in html
            .split(" href=\"/")
            .skip(1)
            .chain(html.split(" src=\"/").skip(1))
        {
            let link = link.split(['"', '#', '?']).next().unwrap_or_default();
            let link = &*percent_encoding::percent_decode_str(link).decode_utf8_lossy();
            let file = site::routes::file_of(&format!("/{link}"));
            assert!(
                files.contains_key(&file),
                "{path} links to /{link}, which is not there"
            );
        }
    }
}

/// Temporary files and folders that builds left behind.
pub fn leftovers(site: &SiteTest) -> Vec<String> {
    let entries = std::fs::read_dir(site.path(""))
        .expect("the site")
        .flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(".sitegen-"))
        .collect()
}
