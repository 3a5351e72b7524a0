//! A form that stays open while its file changes, vanishes, or its preview is started again: it gets a clear message,
//! and nothing that was typed or that others have written is lost.

use serde_json::{Value, json};

use crate::forms::{ask, opened, save, text};
use crate::serve::Server;
use crate::site_test::{SiteTest, files_below};
use crate::waiting::wait_for;

const HOME: &str = "content/pages/home/en.yaml";
const POST: &str = "content/blog/en/a-queue-is-a-table.md";

fn refused(answer: &(u16, Value), words: &[&str]) {
    let message = answer.1["error"].as_str().unwrap_or_default();
    assert_eq!(answer.0, 409, "{}", answer.1);
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
}

#[test]
fn a_form_that_is_open_over_a_day_and_a_restart_is_saved_with_what_others_wrote() {
    let server = Server::start(SiteTest::small(), &[]);
    let mut form = opened(&server, HOME);
    form["title"] = json!("Typed yesterday");
    let site = server.stop();
    // Meanwhile, somebody else has changed another line, and the site was built on another day.
    site.edit(HOME, "description: ", "noindex: false\ndescription: ");
    assert_eq!(site.run(&["build"]).status, 0);
    let server = Server::start(site, &[]);
    let (status, answer) = save(&server, HOME, &form);
    assert_eq!(status, 200, "{answer}");
    let saved = text(&server, HOME);
    assert!(
        saved.contains("Typed yesterday") && saved.contains("noindex: false"),
        "{saved}"
    );
}

#[test]
fn a_form_whose_file_was_deleted_is_told_so_and_writes_nothing() {
    let server = Server::start(SiteTest::whole(), &[]);
    let mut form = opened(&server, POST);
    form["title"] = json!("Typed for long");
    assert_eq!(
        ask(&server, "deleteFiles", &json!({"paths": [POST]})).0,
        200
    );
    let before = files_below(&server.site().path("content"));
    refused(&save(&server, POST, &form), &[POST, "deleted"]);
    assert_eq!(files_below(&server.site().path("content")), before);
    // As a new file of that name, it is all there.
    form["__sitegen"]["base"] = Value::Null;
    assert_eq!(save(&server, POST, &form).0, 200);
    assert!(
        text(&server, POST).contains("Typed for long"),
        "{}",
        text(&server, POST)
    );
}

#[test]
fn a_new_file_with_the_name_of_another_in_another_case_is_refused() {
    let server = Server::start(SiteTest::whole(), &[]);
    let other = "content/blog/en/A-Queue-Is-A-Table.md";
    let values = json!({"title": "Mine", "date": "2025-01-01", "author": "lucia-ortega", "excerpt": "Short.", "body": "Text.\n"});
    let before = files_below(&server.site().path("content"));
    refused(
        &save(&server, other, &values),
        &["a-queue-is-a-table.md", "choose another name"],
    );
    assert_eq!(files_below(&server.site().path("content")), before);
}

/// A date that the form lets through is told by the preview at its line, and corrected in the form.
#[test]
fn impossible_dates_in_a_form_are_told_with_what_to_write() {
    let site = SiteTest::small();
    site.edit(
        "content/site.yaml",
        "locales:",
        "timezone: Europe/Madrid\nlocales:",
    );
    let about = "content/pages/about/en.yaml";
    let server = Server::start(site, &[]);
    for (from, until, words) in [
        ("2027-03-28T02:30", "", "is skipped in Europe/Madrid"),
        (
            "2026-10-25T02:30",
            "",
            "write `2026-10-25T02:30+02:00` for the first",
        ),
        (
            "2027-02-01",
            "2027-01-01",
            "`expires_at` is not later than `publish_at`",
        ),
    ] {
        let mut form = opened(&server, about);
        form["publish_at"] = json!(from);
        if !until.is_empty() {
            form["expires_at"] = json!(until);
        }
        let (_, answer) = crate::forms::draft(&server, about, &form);
        assert!(
            answer["error"]
                .as_str()
                .is_some_and(|told| told.contains(words)),
            "{from}: {answer}"
        );
    }
    // Saved all the same, as any text that is not finished: the preview says what is wrong.
    let mut form = opened(&server, about);
    form["publish_at"] = json!("2027-03-28T02:30");
    assert_eq!(save(&server, about, &form).0, 200);
    wait_for("the message", || {
        server
            .log()
            .contains("is skipped in Europe/Madrid")
            .then_some(())
    });
}

#[test]
fn a_menu_in_a_circle_is_refused_and_changes_nothing() {
    let file = "content/site.yaml";
    let site = SiteTest::small();
    let before = text_of(&site, file);
    // YAML can name a list within itself.
    site.edit(
        file,
        "  menu:\n",
        "  menu: &menu\n    - {label: {en: Round, es: Vuelta}, children: *menu}\n",
    );
    let run = site.run(&["build"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(
        run.stderr.contains("content/site.yaml:") && run.stderr.contains("menu"),
        "{}",
        run.stderr
    );
    site.write(file, before);
    // In the form, a group within a group, as a program may send it.
    let server = Server::start(site, &[]);
    let (_, _, body) = server.get("/admin/menu/entries");
    let mut form: Value = serde_json::from_str(&body).expect("JSON");
    let before = text(&server, file);
    let mut group = json!({"label": {"en": "Round", "es": "Vuelta"}, "links": []});
    for _ in 0..3 {
        group = json!({"label": {"en": "Round", "es": "Vuelta"}, "links": [group]});
    }
    form["header"].as_array_mut().expect("entries").push(group);
    let (status, answer) = crate::preview::post(&server, "/admin/menu/save", &form.to_string(), "");
    assert!(
        status >= 400 && answer["error"].is_string(),
        "{status} {answer}"
    );
    assert_eq!(text(&server, file), before);
}

fn text_of(site: &SiteTest, path: &str) -> String {
    std::fs::read_to_string(site.path(path)).expect(path)
}

/// A form asks for all languages, those that are not announced among them.
#[test]
fn a_new_entry_with_words_in_a_language_that_is_not_announced_is_saved() {
    let site = crate::collections::events();
    site.edit(
        "content/site.yaml",
        "locales: [en, es]",
        "locales: [en, es]\ndraft_locales: [es]",
    );
    let server = Server::start(site, &[]);
    let path = "content/events/three.yaml";
    let values =
        json!({"title": {"en": "Three", "es": "Tres"}, "date": "2035-03-01", "place": "hall"});
    let (status, answer) = save(&server, path, &values);
    assert_eq!(status, 200, "{answer}");
    assert!(
        text(&server, path).contains("es: Tres"),
        "{}",
        text(&server, path)
    );
}
