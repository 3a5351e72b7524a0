//! `sitegen diff`: each change in `tests/it/diff/changes.yaml` is made to a new site, and the comparison of its output
//! with that of the site before must be the one in `tests/it/diff/<name>.txt`.
//! `UPDATE_DIFFS=1 cargo test diff::` writes the files; review the diff.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::site_test::{Run, SiteTest, files_below, repository, sitegen};

/// The clock of new sites and builds: dates are part of the expected texts.
const NOW: (&str, &str) = ("SOURCE_DATE_EPOCH", "1750000000");

/// A change of the site.
#[derive(Deserialize)]
struct Change {
    name: String,
    /// Texts to replace: file, old, new.
    #[serde(default)]
    edit: Vec<(String, String, String)>,
    /// Files to write.
    #[serde(default)]
    write: BTreeMap<String, String>,
    #[serde(default)]
    remove: Vec<String>,
    /// Further arguments of the build.
    #[serde(default)]
    build: Vec<String>,
}

/// A new site in English and Spanish, and its output in `old/dist`.
fn site() -> SiteTest {
    let folder = tempfile::tempdir().expect("a folder");
    let new = sitegen()
        .args(["new", "acme", "--sample", "--languages", "en,es"])
        .current_dir(folder.path())
        .env(NOW.0, NOW.1)
        .status();
    assert!(new.expect("sitegen starts").success());
    let site = SiteTest::from(&folder.path().join("acme")).argument("--set=assets.keep_days=0");
    // A redirect and a page of its own, for changes of them.
    site.write("static/notes.txt", "One.\nTwo.\nThree.\n");
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("site.yaml");
    let redirects =
        "\nredirects:\n  - {from: /old-about, to: page:about}\n  - {from: /team, to: page:about}\n";
    site.write("content/site.yaml", settings + redirects);
    build(&site, "old", &[]);
    site
}

fn build(site: &SiteTest, out: &str, arguments: &[String]) {
    let out = site.path(out).join("dist").display().to_string();
    let arguments: Vec<&str> = ["build", "--out", &out]
        .into_iter()
        .chain(arguments.iter().map(String::as_str))
        .collect();
    let run = site.run_with(&arguments, &[NOW]);
    assert_eq!(run.status, 0, "{}", run.stderr);
}

fn diff(site: &SiteTest, arguments: &[&str]) -> Run {
    let [old, new] = ["old/dist", "new/dist"].map(|path| site.path(path).display().to_string());
    site.run(&[&["diff", &old, &new], arguments].concat())
}

/// Sizes depend on styles and scripts of the theme, which the text is not about.
fn without_sizes(text: &str) -> String {
    let is_size =
        |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == '.') && !word.is_empty();
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let shown = words.iter().enumerate().map(|(at, word)| {
            let is_unit = words
                .get(at + 1)
                .is_some_and(|unit| matches!(*unit, "kB" | "bytes"));
            if is_unit && is_size(word) { "N" } else { word }
        });
        shown.collect::<Vec<_>>().join(" ") + "\n"
    });
    lines.collect()
}

#[test]
fn every_change_has_its_expected_summary() {
    let update = std::env::var_os("UPDATE_DIFFS").is_some();
    let folder = repository().join("tests/it/diff");
    let changes = std::fs::read_to_string(folder.join("changes.yaml")).expect("the changes");
    let changes: Vec<Change> = serde_yaml::from_str(&changes).expect("changes");
    assert!(
        changes.len() >= 30,
        "only {} changes were found",
        changes.len()
    );
    let (site, mut failures) = (site(), Vec::new());
    let before = files_below(&site.path("content"));
    for change in &changes {
        for (file, old, new) in &change.edit {
            site.edit(file, old, new);
        }
        change
            .write
            .iter()
            .for_each(|(file, text)| site.write(file, text));
        change.remove.iter().for_each(|file| site.remove(file));
        build(&site, "new", &change.build);
        let found = diff(&site, &["--exit-code"]);
        let text = without_sizes(&found.stdout);
        assert_eq!(
            found.status,
            i32::from(!text.starts_with("No differences")),
            "{}: {text}",
            change.name
        );
        let expected = folder.join(format!("{}.txt", change.name));
        if update {
            std::fs::write(&expected, &text).expect("a file");
        } else if std::fs::read_to_string(&expected).unwrap_or_default() != text {
            failures.push(format!("{}: found\n{text}", change.name));
        }
        // The site as it was.
        for path in files_below(&site.path("content"))
            .keys()
            .filter(|path| !before.contains_key(*path))
        {
            site.remove(&format!("content/{path}"));
        }
        before.iter().for_each(|(path, bytes)| {
            if std::fs::read(site.path("content").join(path)).ok().as_ref() != Some(bytes) {
                site.write(&format!("content/{path}"), bytes);
            }
        });
        change
            .write
            .keys()
            .filter(|path| !path.starts_with("content/"))
            .for_each(|path| site.remove(path));
        for (file, old, new) in change
            .edit
            .iter()
            .filter(|(file, ..)| !file.starts_with("content/"))
        {
            site.edit(file, new, old);
        }
    }
    let names: Vec<String> = changes
        .iter()
        .map(|change| format!("{}.txt", change.name))
        .collect();
    for file in files_below(&folder)
        .into_keys()
        .filter(|file| file.ends_with(".txt") && !names.contains(file))
    {
        failures.push(format!("{file}: no change has this name"));
    }
    assert!(
        failures.is_empty(),
        "{}\nUPDATE_DIFFS=1 rewrites the files; review the diff",
        failures.join("\n")
    );
}

#[test]
fn a_comparison_has_three_formats_and_gates() {
    let site = site();
    site.edit("content/pages/about/es.yaml", "path: /es/", "path: /es/x-");
    site.edit(
        "content/pages/home/en.yaml",
        "Web software that people keep using.",
        "Web software that people </details> use.",
    );
    build(&site, "new", &[]);
    assert_eq!(diff(&site, &[]).status, 0);
    assert_eq!(diff(&site, &["--fail-on-lost"]).status, 1);
    let markdown = diff(&site, &["--markdown"]).stdout;
    assert!(
        markdown.starts_with("**")
            && markdown.contains("<details><summary><code>/</code> 1 heading"),
        "{markdown}"
    );
    assert!(
        markdown.contains("that people [-keep using.-]{+</details> use.+}\n"),
        "{markdown}"
    );
    let short = diff(&site, &["--markdown", "--limit", "400"]).stdout;
    assert!(
        short.chars().count() <= 400 && short.contains("more parts were left out"),
        "{short}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&diff(&site, &["--format", "json"]).stdout).expect("JSON");
    assert_eq!(json["moved"][0]["is_redirected"], false);
    assert!(
        json["changed"]
            .as_array()
            .expect("pages")
            .iter()
            .any(|page| page["address"] == "/"),
        "{json}"
    );
    // Without the manifests of the builds, as after another version of sitegen, files are compared by their bytes.
    let text = diff(&site, &[]).stdout;
    std::fs::remove_dir_all(site.path(".sitegen/records")).expect("the manifests");
    assert_eq!(diff(&site, &[]).stdout, text);
}

#[test]
fn what_is_no_output_is_reported() {
    let site = SiteTest::small();
    site.built();
    site.write("empty/file.txt", "");
    let check = |old: &str, new: &str, expected: &str| {
        let run = site
            .command(&["diff", old, new])
            .current_dir(site.path(""))
            .output()
            .expect("sitegen starts");
        let message = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{old} {new}: {message}");
        assert!(
            message.contains("error[diff-input]") && message.contains(expected),
            "{old} {new}: {message}"
        );
    };
    check("dist", "empty", "contains no pages");
    check("empty/file.txt", "dist", "is a file, not an output");
    check(".", "dist", "is a site, not its output");
    check("dist", "no-such-thing", "is neither a folder nor a commit");
}

#[test]
fn half_an_output_is_refused_and_archives_without_hidden_files_are_not() {
    let site = SiteTest::small();
    let run = site.built();
    for (path, bytes) in run.files() {
        site.write(&format!("copy/{path}"), bytes);
    }
    let diff = || site.run(&["diff", &site.path("copy").display().to_string()]);
    assert_eq!(
        (diff().status, diff().stdout.as_str()),
        (0, "No differences\n")
    );
    site.remove("copy/about/index.html");
    let found = diff();
    assert_eq!(found.status, 2);
    assert!(
        found
            .stderr
            .contains("is an incomplete output: it lacks 1 of"),
        "{}",
        found.stderr
    );
    site.remove("copy/.sitegen-files");
    assert!(
        diff().stdout.starts_with("1 page added"),
        "{}",
        diff().stdout
    );
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let settings = [
        "-c",
        "user.name=Ana",
        "-c",
        "user.email=ana@example.com",
        "-c",
        "commit.gpgsign=false",
    ];
    let output = Command::new("git")
        .args(settings)
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("git starts");
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

/// The site is in a folder of its repository.
#[test]
fn commits_are_built_and_compared() {
    let repository = tempfile::tempdir().expect("a folder");
    let root: PathBuf = repository.path().join("web site");
    std::fs::create_dir(&root).expect("a folder");
    let site = SiteTest::small();
    for (path, bytes) in files_below(&site.path("")) {
        let target = root.join(path);
        std::fs::create_dir_all(target.parent().expect("a parent")).expect("a folder");
        std::fs::write(target, bytes).expect("a file");
    }
    let about = root.join("content/pages/about/en.yaml");
    let text = std::fs::read_to_string(&about).expect("a page");
    let commit = |text: &str, message: &str| {
        std::fs::write(&about, text).expect("a page");
        git(&root, &["add", "."]);
        git(&root, &["commit", "--quiet", "-m", message]);
    };
    git(repository.path(), &["init", "--quiet"]);
    std::fs::write(root.join(".gitignore"), ".sitegen/\ndist/\nsearch/\n").expect("a file");
    commit(&text, "one");
    commit(&text.replace("title: ", "title: New "), "two");
    commit(&text.replace("title: ", "titel: "), "broken");
    let diff = |arguments: &[&str]| {
        sitegen()
            .arg("diff")
            .args(arguments)
            .arg("--root")
            .arg(&root)
            .output()
            .expect("sitegen starts")
    };
    let saved = repository.path().join("saved").display().to_string();
    let run = diff(&["HEAD~2", "HEAD~1", "--save", &saved]);
    let (found, reported) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    assert_eq!(run.status.code(), Some(0), "{reported}");
    assert!(found.contains("title: {+New+} "), "{found}");
    assert!(
        Path::new(&saved)
            .join("old/dist/about/index.html")
            .is_file(),
        "the outputs were kept"
    );
    // An output and a commit, and a commit with a mistake.
    let output = format!("{saved}/new/dist");
    assert_eq!(
        String::from_utf8_lossy(&diff(&[&output, "HEAD~1"]).stdout),
        "No differences\n"
    );
    let run = diff(&["HEAD~1", "HEAD"]);
    let reported = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{reported}");
    assert!(
        reported.contains("unknown key `titel`") && reported.contains("`HEAD` could not be built"),
        "{reported}"
    );
    assert_eq!(
        git(&root, &["worktree", "list"]).lines().count(),
        1,
        "worktrees are removed"
    );
    assert_eq!(git(&root, &["status", "--porcelain"]), "?? saved/\n");
}

/// The content of a site may be in a repository of its own.
#[test]
fn commits_whose_content_is_a_submodule_are_built_and_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let (texts, root) = (folder.path().join("texts"), folder.path().join("site"));
    let site = SiteTest::small();
    for (path, bytes) in files_below(&site.path("")) {
        let target = match path.strip_prefix("content/") {
            Some(below) => texts.join(below),
            None => root.join(path),
        };
        std::fs::create_dir_all(target.parent().expect("a parent")).expect("a folder");
        std::fs::write(target, bytes).expect("a file");
    }
    for repository in [&texts, &root] {
        std::fs::create_dir_all(repository).expect("a folder");
        git(repository, &["init", "--quiet"]);
    }
    git(&texts, &["add", "."]);
    git(&texts, &["commit", "--quiet", "-m", "one"]);
    std::fs::write(root.join(".gitignore"), ".sitegen/\ndist/\nsearch/\n").expect("a file");
    let address = texts.display().to_string();
    git(
        &root,
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            &address,
            "content",
        ],
    );
    git(&root, &["add", "."]);
    git(&root, &["commit", "--quiet", "-m", "one"]);
    let (about, content) = (
        root.join("content/pages/about/en.yaml"),
        root.join("content"),
    );
    let text = std::fs::read_to_string(&about).expect("a page");
    std::fs::write(&about, text.replace("title: ", "title: New ")).expect("a page");
    git(&content, &["commit", "--quiet", "-a", "-m", "two"]);
    git(&root, &["commit", "--quiet", "-a", "-m", "two"]);
    let run = sitegen()
        .args(["diff", "HEAD~1", "HEAD", "--root"])
        .arg(&root)
        .output()
        .expect("sitegen starts");
    let (found, reported) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    assert_eq!(run.status.code(), Some(0), "{reported}");
    assert!(found.contains("title: {+New+} "), "{found}");
    for repository in [&root, &content] {
        assert_eq!(
            git(repository, &["worktree", "list"]).lines().count(),
            1,
            "worktrees are removed"
        );
    }
}
