//! The same content gives the same bytes: in another folder, with the theme, the cache and the packages in other places, and
//! with another user, umask, time zone, locale and number of threads.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::new_site::new_site;
use crate::site_test::{SiteTest, files_below, repository};

type Files = BTreeMap<String, Vec<u8>>;

/// A copy of a site, which is deleted with this value.
struct Copied {
    _folder: TempDir,
    root: PathBuf,
}

/// Builds a site with a command in front of the program and flags behind it, and returns its output.
fn built_with(root: &Path, command: &[&str], flags: &[&str], variables: &[(&str, &str)]) -> Files {
    let program = env!("CARGO_BIN_EXE_sitegen");
    let [first, rest @ ..] = command else {
        panic!("no command")
    };
    let mut build = Command::new(first);
    build
        .args(rest)
        .arg(program)
        .arg("build")
        .args(flags)
        .current_dir(root);
    build
        .env("SITEGEN_NODE_MODULES", repository().join("node_modules"))
        .envs(variables.iter().copied());
    let output = build.output().expect("the command starts");
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    files_below(&root.join("dist"))
}

fn built(root: &Path, command: &[&str], variables: &[(&str, &str)]) -> Files {
    built_with(root, command, &[], variables)
}

/// The same site in another folder, without what was built.
fn copy(site: &SiteTest, below: &str) -> Copied {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join(below);
    for (path, bytes) in files_below(&site.path("")) {
        if !path.starts_with("dist/") && !path.starts_with(".sitegen/") {
            let file = root.join(path);
            std::fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
            std::fs::write(file, bytes).expect("a file");
        }
    }
    Copied {
        _folder: folder,
        root,
    }
}

/// The packages that are bundled, as copies in another place. The others are links.
fn packages(to: &Path) -> PathBuf {
    let (from, to) = (
        repository().join("node_modules"),
        to.join("elsewhere/node_modules"),
    );
    std::fs::create_dir_all(&to).expect("a folder");
    for entry in std::fs::read_dir(&from).expect("packages").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_bundled = ["react", "scheduler", "@fontsource"]
            .iter()
            .any(|start| name.starts_with(start));
        if !is_bundled {
            symlink(entry.path(), to.join(name)).expect("a link");
            continue;
        }
        for file in walkdir::WalkDir::new(entry.path())
            .into_iter()
            .flatten()
            .filter(|file| file.file_type().is_file())
        {
            let target = to.join(file.path().strip_prefix(&from).expect("a package"));
            std::fs::create_dir_all(target.parent().expect("a parent")).expect("a folder");
            std::fs::copy(file.path(), target).expect("a copy");
        }
    }
    to
}

fn check(name: &str, expected: &Files, found: &Files) {
    let paths = expected.keys().chain(found.keys());
    let other: Vec<&String> = paths
        .filter(|path| expected.get(*path) != found.get(*path))
        .collect();
    assert!(
        other.is_empty(),
        "{name}: {} files differ: {:?}",
        other.len(),
        &other[..other.len().min(8)]
    );
}

#[test]
fn the_same_content_gives_the_same_bytes_anywhere() {
    let site = new_site(&["--languages", "en,es"]);
    let expected = built(&site.path(""), &["env"], &[]);
    assert!(
        expected.keys().filter(|path| path.ends_with(".js")).count() > 5,
        "the site has scripts"
    );

    let deep = copy(&site, "a/much/deeper folder/with-a-longer-name/site");
    check(
        "another folder",
        &expected,
        &built(&deep.root, &["env"], &[]),
    );

    let elsewhere = tempfile::tempdir().expect("a folder");
    let modules = packages(elsewhere.path());
    let place = modules.to_str().expect("a path");
    check(
        "other packages",
        &expected,
        &built(
            &copy(&site, "b").root,
            &["env"],
            &[("SITEGEN_NODE_MODULES", place)],
        ),
    );

    let zone = [
        ("TZ", "Asia/Kathmandu"),
        ("LC_ALL", "tr_TR.UTF-8"),
        ("LANG", "tr_TR.UTF-8"),
        ("HOME", "/nonexistent"),
    ];
    let umask = ["sh", "-c", "umask 077; exec \"$0\" \"$@\""];
    check(
        "umask, zone and locale",
        &expected,
        &built(&copy(&site, "c").root, &umask, &zone),
    );

    check(
        "one thread",
        &expected,
        &built(
            &copy(&site, "d").root,
            &["env"],
            &[("RAYON_NUM_THREADS", "1")],
        ),
    );

    // The caches are elsewhere for the second build of this command, which compares all files.
    let verified = copy(&site, "e");
    check(
        "verified",
        &expected,
        &built_with(&verified.root, &["env"], &["--verify-cache"], &[]),
    );
}

/// Another user can read the packages of the repository only where its folders let everybody in.
#[test]
fn another_user_builds_the_same_bytes() {
    let is_root = rustix::process::geteuid().is_root();
    let as_nobody = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "--",
    ];
    let can_read = |path: &Path| {
        let test = Command::new(as_nobody[0])
            .args(&as_nobody[1..])
            .args(["test", "-r"])
            .arg(path)
            .status();
        test.is_ok_and(|status| status.success())
    };
    if !is_root
        || !can_read(&repository().join("node_modules/react/package.json"))
        || !can_read(Path::new(env!("CARGO_BIN_EXE_sitegen")))
    {
        return;
    }
    let site = new_site(&["--languages", "en", "--no-blog"]);
    let expected = built(&site.path(""), &["env"], &[]);
    let other = copy(&site, "f");
    let given = Command::new("chown")
        .args(["-R", "65534:65534"])
        .arg(&other.root)
        .status();
    assert!(given.expect("chown starts").success());
    check(
        "another user",
        &expected,
        &built(&other.root, &as_nobody, &[("HOME", "/nonexistent")]),
    );
}
