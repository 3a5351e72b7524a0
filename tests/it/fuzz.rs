//! The nightly runs with random inputs: every property test is in one of them, and none runs without tests.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::site_test::{each, files_below, repository};

/// The parts of `scripts/fuzz`, each with its modules and files.
fn parts() -> BTreeMap<String, Vec<(String, String)>> {
    let output = Command::new("bash")
        .arg("scripts/fuzz")
        .arg("--list")
        .current_dir(repository())
        .output();
    let output = output.expect("the script starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut parts: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in String::from_utf8(output.stdout).expect("text").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [part, _, module, file] = words[..] else {
            panic!("`{line}` is not a part, a crate, a module and a file")
        };
        parts
            .entry(part.to_owned())
            .or_default()
            .push((module.to_owned(), file.to_owned()));
    }
    parts
}

#[test]
fn every_property_test_is_in_a_part() {
    let listed: Vec<String> = parts()
        .into_values()
        .flatten()
        .map(|(_, file)| file)
        .collect();
    let once: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(once.len(), listed.len(), "a file is in two parts");
    let sources = files_below(&repository().join("crates"));
    let with_properties = sources.into_iter().filter(|(path, bytes)| {
        let text = String::from_utf8_lossy(bytes);
        path.ends_with(".rs")
            && path.contains("/src/")
            && (text.contains("proptest!") || text.contains("proptest::"))
    });
    for (path, _) in each(with_properties, 26) {
        assert!(
            once.contains(&format!("crates/{path}")),
            "{path} has properties, and no part of scripts/fuzz runs them"
        );
    }
}

#[test]
fn every_part_runs_at_night() {
    let nightly = std::fs::read_to_string(repository().join(".github/workflows/nightly.yml"))
        .expect("the workflow");
    let matrix = nightly
        .lines()
        .find_map(|line| line.trim().strip_prefix("part: [")?.strip_suffix(']'));
    let at_night: BTreeSet<&str> = matrix.expect("a list of parts").split(", ").collect();
    let parts = parts();
    assert_eq!(at_night, parts.keys().map(String::as_str).collect());
    // Of the modules of a part, each begins with the name of a file or folder that is there.
    for (module, file) in each(parts.into_values().flatten(), 26) {
        let first = module.split("::").next().expect("a name");
        assert!(
            file.contains(&format!("/src/{first}")),
            "{module} is not in {file}"
        );
    }
}

#[test]
fn a_part_without_tests_is_an_error() {
    let run = |part: &str| {
        Command::new("bash")
            .args(["scripts/fuzz", part, "0"])
            .current_dir(repository())
            .output()
    };
    let unknown = run("previews").expect("the script starts");
    assert_eq!(unknown.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&unknown.stderr)
            .contains("parts: drawings hosts posts forms leads preview")
    );
}
