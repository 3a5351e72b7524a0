//! Publishing while the file system fails or the program is killed, at every call: the output is all old or all new.
//!
//! `faults.c` is preloaded into the program with `LD_PRELOAD` and makes one call fail, so the program needs no test
//! code.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::publish::leftovers;
use crate::site_test::{SiteTest, files_below, repository};

/// The preloaded library, compiled once.
pub fn library() -> &'static Path {
    static LIBRARY: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, file) = LIBRARY.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("faults.so");
        let source = repository().join("tests/it/faults.c");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(&file)
            .arg(source)
            .args(["-ldl"])
            .status();
        assert!(built.expect("a C compiler").success());
        (folder, file)
    });
    file
}

/// The fault to inject at a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    FullDisk,
    Kill,
}

type Files = BTreeMap<String, Vec<u8>>;

/// The output folder of these builds. `leads.json` has its name too, so that the writing of it fails as well.
const OUT: &str = "dist-to-fail";

/// The output without the list of files, and `leads.json`.
fn published(site: &SiteTest) -> Files {
    let mut files = files_below(&site.path(OUT));
    files.remove(".sitegen-files");
    let leads = format!("{OUT}-leads.json");
    files.insert(
        format!("../{leads}"),
        std::fs::read(site.path(&leads)).unwrap_or_default(),
    );
    files
}

const HOME: &str = "content/pages/home/en.yaml";
const LONE: &str =
    "path: /lone/\ntitle: Lone\ndescription: Alone.\nsections:\n  - {kind: hero, title: Lone}\n";

/// Changes a page and what the API needs, adds a page and removes one.
fn change(site: &SiteTest) {
    site.edit(HOME, "Hello", "Changed");
    site.edit(
        "content/site.yaml",
        "leads: {keep_days: 20}",
        "leads: {keep_days: 30}",
    );
    site.remove("content/pages/lone/en.yaml");
    site.write(
        "content/pages/newer/en.yaml",
        LONE.replace("lone", "newer/deep").replace("Lone", "Newer"),
    );
}

/// A site that was built once. `forget` also removes its manifest, so that the next build swaps the output folder.
fn built_once(forget: bool) -> SiteTest {
    let site = SiteTest::small().file("content/pages/lone/en.yaml", LONE);
    let out = format!("--out={}", site.path(OUT).display());
    let site = site.argument(&out);
    site.edit(
        "content/site.yaml",
        "base_url:",
        "leads: {keep_days: 20}\nbase_url:",
    );
    site.built();
    if forget {
        std::fs::remove_dir_all(site.path(".sitegen")).expect("the cache");
    }
    site
}

/// Builds with a fault at one call. Returns whether the fault was reached, and whether the build succeeded.
fn build(site: &SiteTest, fault: Fault, at: usize) -> (bool, bool) {
    let done = site.path("fault-done");
    let _ = std::fs::remove_file(&done);
    let mut command = site.command(&["build"]);
    command
        .env("LD_PRELOAD", library())
        .env("FAULT_IN", OUT)
        .env("FAULT_AT", at.to_string())
        .env("FAULT_DONE", &done);
    if fault == Fault::Kill {
        command.env("FAULT_KILL", "1");
    }
    let run = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .expect("sitegen starts");
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(!stderr.contains("panicked"), "{stderr}");
    (done.exists(), run.status.success())
}

/// Makes each call that changes a file in or beside the output fail once.
fn each_call(forget: bool, fault: Fault) {
    let old = published(&built_once(forget));
    let new = {
        let site = built_once(forget);
        change(&site);
        site.built();
        published(&site)
    };
    assert!(old != new);
    let mut faults = 0;
    for at in 0.. {
        let site = built_once(forget);
        change(&site);
        let (reached, succeeded) = build(&site, fault, at);
        if !reached {
            assert!(succeeded, "the build fails without a fault");
            break;
        }
        faults += 1;
        if fault == Fault::Kill {
            // The next run fails at the first page, but first recovers from the interrupted one.
            site.edit(
                "templates/layouts/base.html",
                "<html",
                "{{ nothing_of_that_name }}<html",
            );
            assert!(!site.build().stderr.is_empty());
        }
        let found = published(&site);
        let expected = if succeeded {
            found == new
        } else {
            found == old || fault == Fault::Kill && found == new
        };
        let names: Vec<&String> = found.keys().collect();
        assert!(
            expected,
            "{fault:?} at call {at} leaves a mixed output: {names:?}, the build succeeded: {succeeded}"
        );
        if fault == Fault::Kill {
            site.edit(
                "templates/layouts/base.html",
                "{{ nothing_of_that_name }}",
                "",
            );
        }
        site.built();
        assert!(
            published(&site) == new,
            "{fault:?} at call {at} is not repaired by the next build"
        );
    }
    assert!(faults > 20, "only {faults} calls were made to fail");
}

#[test]
fn a_full_disk_at_any_call_leaves_the_output_as_it_was() {
    each_call(false, Fault::FullDisk);
}

#[test]
fn a_full_disk_while_the_folder_is_swapped_leaves_the_output_as_it_was() {
    each_call(true, Fault::FullDisk);
}

#[test]
fn a_kill_at_any_call_leaves_all_old_or_all_new() {
    each_call(false, Fault::Kill);
}

#[test]
fn a_kill_while_the_folder_is_swapped_leaves_all_old_or_all_new() {
    each_call(true, Fault::Kill);
}

#[test]
fn two_builds_of_one_output_run_one_after_the_other() {
    let (first, second) = (SiteTest::small(), SiteTest::small());
    second.edit(HOME, "Hello", "The other one");
    let out = first.path("shared").display().to_string();
    let start = |site: &SiteTest| {
        site.command(&["build", "--out", &out])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("sitegen starts")
    };
    for _ in 0..8 {
        let running = [start(&first), start(&second)];
        for child in running {
            let run = child.wait_with_output().expect("it ends");
            assert!(
                run.status.success(),
                "{}",
                String::from_utf8_lossy(&run.stderr)
            );
        }
    }
    assert_eq!(leftovers(&first), Vec::<String>::new());
}
