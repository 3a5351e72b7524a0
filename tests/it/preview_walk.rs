//! Random saves of forms, unsaved texts of forms, and edits of files, while the preview runs: after each of them it comes to
//! the bytes of a clean build.

use std::fs;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::forms::{draft, opened, save};
use crate::incremental;
use crate::serve::Server;
use crate::site_test::{different, files_below};

/// The changes between two comparisons.
const BATCH: usize = 6;

/// The files that are changed, each with a field of its form, and whether a page shows the file.
const FIELDS: &[(&str, &str, bool)] = &[
    ("content/blog/en/note-3.md", "body", true),
    ("content/blog/en/note-3.md", "title", true),
    ("content/blog/es/note-7.md", "body", true),
    ("content/blog/es/note-7.md", "title", true),
    ("content/pages/about/en.yaml", "title", true),
    ("content/pages/about/es.yaml", "description", true),
    ("content/pages/notes/en.yaml", "title", true),
    ("content/authors/ana.yaml", "name", false),
];

#[derive(Debug, Clone, Copy)]
enum Change {
    /// A form is saved.
    Form(usize),
    /// A form is typed in and not saved: nothing may come of it.
    Draft(usize),
    /// A form is typed in and then saved: the page is the one that was shown.
    DraftAndSave(usize),
    /// A file is changed in an editor.
    File(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let field = || select((0..FIELDS.len()).collect::<Vec<_>>());
    prop_oneof![
        field().prop_map(Change::Form),
        field().prop_map(Change::Draft),
        field().prop_map(Change::DraftAndSave),
        field().prop_map(Change::File),
    ]
}

/// The values of a form after a person has typed in one field.
fn typed(server: &Server, path: &str, field: &str, step: usize) -> Value {
    let mut form = opened(server, path);
    form[field] = json!(format!("Typed in step {step}"));
    form
}

/// The page beside a form. While the site is being built, the form asks again.
fn shown(server: &Server, path: &str, values: &Value) -> Value {
    let end = Instant::now() + Duration::from_mins(1);
    loop {
        let (status, answer) = draft(server, path, values);
        if status == 200 {
            return answer;
        }
        assert!(
            status == 503 && Instant::now() < end,
            "{path}: {status} {answer}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Makes a change. Returns the address of the page that was shown beside a form, and its HTML.
fn make(server: &Server, change: Change, step: usize) -> Option<(String, String)> {
    match change {
        Change::Form(at) => {
            let (path, field, _) = FIELDS[at];
            let (status, answer) = save(server, path, &typed(server, path, field, step));
            assert_eq!(status, 200, "{path}: {answer}");
            None
        }
        Change::Draft(at) => {
            let (path, field, is_shown) = FIELDS[at];
            let answer = shown(server, path, &typed(server, path, field, step));
            assert_eq!(answer["html"].is_string(), is_shown, "{path}: {answer}");
            None
        }
        Change::DraftAndSave(at) => {
            let (path, field, _) = FIELDS[at];
            let form = typed(server, path, field, step);
            let shown = shown(server, path, &form);
            let (status, answer) = save(server, path, &form);
            assert_eq!(status, 200, "{path}: {answer}");
            Some((
                shown["address"].as_str()?.to_owned(),
                shown["html"].as_str()?.to_owned(),
            ))
        }
        Change::File(at) => {
            let path = server.site().path(FIELDS[at].0);
            let text = fs::read_to_string(&path).expect("a file");
            fs::write(&path, text.replacen("step", &format!("steps, {step},"), 1))
                .expect("written");
            None
        }
    }
}

/// Waits until the output of the preview has the bytes of a clean build.
fn compare(server: &Server, step: usize) {
    let clean = server.site().path("clean");
    let run = server
        .site()
        .run(&["build", "--out", &clean.to_string_lossy()]);
    assert_eq!(run.status, 0, "step {step}: {}", run.stderr);
    let fresh = files_below(&clean);
    let end = Instant::now() + Duration::from_mins(1);
    loop {
        let own = files_below(&server.site().path("dist"));
        let different = different(&own, &fresh);
        if different.is_empty() {
            break;
        }
        assert!(
            Instant::now() < end,
            "step {step}: {different:?}\n{}",
            server.log()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    fs::remove_dir_all(clean).expect("removed");
}

#[test]
fn forms_unsaved_texts_and_edits_come_to_the_bytes_of_a_clean_build() {
    let server = Server::start(incremental::site(), &[]);
    // As many changes as PROPTEST_CASES says, of which there are 256 by default; a nightly run makes more than a thousand.
    let steps = ProptestConfig::default().cases.div_ceil(8) as usize;
    let mut runner = TestRunner::default();
    for step in 0..steps {
        let change = change().new_tree(&mut runner).expect("a change").current();
        let shown = make(&server, change, step);
        let is_compared = step % BATCH == BATCH - 1 || step + 1 == steps;
        if is_compared || shown.is_some() {
            compare(&server, step);
        }
        if let Some((address, html)) = shown {
            let page = fs::read_to_string(
                server
                    .site()
                    .path("dist")
                    .join(address.trim_start_matches('/'))
                    .join("index.html"),
            );
            assert_eq!(page.expect("a page"), html, "step {step}: {change:?}");
        }
    }
}
