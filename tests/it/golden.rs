//! Golden tests of complete sites. `UPDATE_SITES=1 cargo test golden` writes the actual output; review the diff.
//!
//! Each case in `tests/sites/<case>/in` is an overlay on `tests/sites/_base`. A file with the content `REMOVED` removes
//! a file of the base. If the site builds, the output is compared with `out/`, else the problems with `problems.txt`.

use std::path::Path;

use crate::site_test::{SiteTest, different, files_below, repository};

#[test]
fn every_case_has_its_expected_output() {
    let update = std::env::var_os("UPDATE_SITES").is_some();
    let mut failures = Vec::new();
    let mut cases = 0;
    for entry in std::fs::read_dir(repository().join("tests/sites"))
        .expect("the cases")
        .flatten()
    {
        if entry.path().join("in").is_dir() {
            cases += 1;
            failures.extend(check(&entry.path(), update));
        }
    }
    assert!(cases >= 10, "only {cases} cases were found");
    assert!(
        failures.is_empty(),
        "{}\nUPDATE_SITES=1 rewrites the cases; review the diff",
        failures.join("\n")
    );
}

fn check(case: &Path, update: bool) -> Option<String> {
    let name = case
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let site = SiteTest::small().overlay(&case.join("in"));
    for (path, bytes) in files_below(&site.path("")) {
        if bytes.trim_ascii() == b"REMOVED" {
            site.remove(&path);
        }
    }
    let run = site.build();
    let expected = case.join("problems.txt");
    if run.status == 0 {
        let mut found = run.files();
        found.remove(".sitegen-files");
        if update {
            let _ = std::fs::remove_dir_all(case.join("out"));
            let _ = std::fs::remove_file(&expected);
            for (path, bytes) in &found {
                let target = case.join("out").join(path);
                std::fs::create_dir_all(target.parent().expect("a parent")).expect("a folder");
                std::fs::write(target, bytes).expect("a file");
            }
            return None;
        }
        let wanted = files_below(&case.join("out"));
        let paths = different(&wanted, &found);
        return paths.first().map(|path| {
            let text = |bytes: Option<&Vec<u8>>| {
                bytes.map_or("(no such file)".into(), |bytes| {
                    String::from_utf8_lossy(bytes).into_owned()
                })
            };
            format!(
                "{name}: {path} differs\n--- wanted\n{}\n--- found\n{}",
                text(wanted.get(*path)),
                text(found.get(*path))
            )
        });
    }
    let found = run.stderr;
    if update {
        let _ = std::fs::remove_dir_all(case.join("out"));
        std::fs::write(expected, found).expect("a file");
        return None;
    }
    let wanted = std::fs::read_to_string(expected).unwrap_or_default();
    (wanted != found)
        .then(|| format!("{name}: the problems differ\n--- wanted\n{wanted}\n--- found\n{found}"))
}
