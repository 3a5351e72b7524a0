//! Sections that many pages show (`on_pages`), for editors: their rows in the list of all content, their forms, the page beside
//! a form, and where Alt and click lead.

use serde_json::{Value, json};

use crate::content_list::{ask, change, rows};
use crate::forms::{config, draft, opened, save, text};
use crate::preview::source;
use crate::serve::Server;
use crate::shared_sections::shared;
use crate::site_forms::horizon;
use crate::waiting::wait_for;

const PAGE: &str = "content/pages/call/page.yaml";
const ENGLISH: &str = "content/pages/call/en.yaml";
const SPANISH: &str = "content/pages/call/es.yaml";
const KIND: &str = "kind=shared_sections";

/// Language, state and file of each row that fits.
fn listed(server: &Server, question: &str) -> Vec<String> {
    let answer = ask(server, &format!("{KIND}&{question}"));
    let word = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    rows(&answer)
        .iter()
        .map(|row| {
            ["locale", "state", "file"]
                .map(|key| word(row, key))
                .join(" ")
        })
        .collect()
}

#[test]
fn shared_sections_are_listed_with_their_state_and_the_page_that_shows_them() {
    let server = Server::start(shared("on_pages: [\"*\"]\n"), &[]);
    let public = [
        format!("en public {ENGLISH}"),
        format!("es public {SPANISH}"),
    ];
    assert_eq!(listed(&server, ""), public);
    assert_eq!(listed(&server, "language=es"), public[1..]);
    assert_eq!(listed(&server, "q=CALL"), public);
    assert!(listed(&server, "state=problems").is_empty());
    let answer = ask(&server, KIND);
    assert!(
        answer["kinds"]
            .as_array()
            .is_some_and(|kinds| kinds.contains(&json!("shared_sections"))),
        "{answer}"
    );
    let row = &rows(&answer)[1];
    assert_eq!(
        (&row["address"], &row["title"]),
        (&json!("/es/"), &json!("call"))
    );
    assert_eq!(row["form"], "../#/collections/pages/entries/pages-call-es");
    let site = server.stop();
    // One language lends the words of the other.
    site.remove(SPANISH);
    site.edit(
        "content/site.yaml",
        "locales:",
        "fallback: {es: en}\nlocales:",
    );
    let server = Server::start(site, &[]);
    assert_eq!(
        listed(&server, "state=fallback"),
        [format!("es fallback {PAGE}")]
    );
}

#[test]
fn shared_sections_that_are_not_public_stale_or_wrong_are_listed_so() {
    let site = shared("on_pages: [\"*\"]\npublish_at: 2999-01-01\n");
    let server = Server::start(site, &[]);
    let scheduled = [
        format!("en scheduled {ENGLISH}"),
        format!("es scheduled {SPANISH}"),
    ];
    assert_eq!(listed(&server, "state=scheduled"), scheduled);
    let site = server.stop();
    site.edit(PAGE, "publish_at: 2999-01-01\n", "");
    assert_eq!(site.run(&["translations", "--accept"]).status, 0);
    site.edit(ENGLISH, "any day", "today");
    let server = Server::start(site, &[]);
    assert_eq!(
        listed(&server, "state=stale"),
        [format!("es public {SPANISH}")]
    );
    let (_, _, notes) = server.get("/_sitegen/notes?path=/es/");
    assert!(
        notes.contains(SPANISH),
        "a page that shows them says so: {notes}"
    );
    let site = server.stop();
    site.edit("templates/layouts/base.html", "in closing", "in sections");
    let server = Server::start(site, &[]);
    assert_eq!(
        listed(&server, "state=problems"),
        [format!("en public {ENGLISH}")]
    );
}

#[test]
fn a_form_without_words_of_its_folder_is_listed_in_each_language() {
    let server = Server::start(horizon(), &[]);
    let found = listed(&server, "");
    assert_eq!(found.len(), 5, "{found:?}");
    assert!(
        found
            .iter()
            .all(|row| row.ends_with("public content/pages/call-back/page.yaml")),
        "{found:?}"
    );
}

#[test]
fn they_are_withdrawn_and_brought_back_from_the_list() {
    let server = Server::start(shared("on_pages: [\"*\"]\n"), &[]);
    let before = text(&server, PAGE);
    let asked = json!({"action": "withdraw", "file": ENGLISH, "to": "", "everywhere": true});
    let (status, answer) = change(&server, &asked);
    assert_eq!(
        (status, &answer["files"]),
        (200, &json!([PAGE])),
        "{answer}"
    );
    assert!(
        text(&server, PAGE).contains("expires_at: "),
        "{}",
        text(&server, PAGE)
    );
    let site = server.stop();
    site.run(&["build"]).page("/").lacks("Call us");
    let server = Server::start(site, &[]);
    assert_eq!(listed(&server, "state=expired").len(), 2);
    assert_eq!(
        change(
            &server,
            &json!({"action": "restore", "file": ENGLISH, "until": ""})
        )
        .0,
        200
    );
    assert_eq!(text(&server, PAGE), before);
}

/// The fields of the form of a file.
fn fields(config: &Value, file: &str) -> Vec<String> {
    let collections = config["config"]["collections"]
        .as_array()
        .expect("collections");
    let files = collections
        .iter()
        .flat_map(|one| one["files"].as_array().into_iter().flatten());
    let form = files
        .into_iter()
        .find(|one| one["file"] == file)
        .unwrap_or_else(|| panic!("no form of {file}"));
    let fields = form["fields"].as_array().expect("fields").iter();
    fields
        .map(|field| field["name"].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn their_form_asks_for_the_pages_and_for_no_address() {
    let server = Server::start(shared("on_pages: [\"*\"]\n"), &[]);
    let config = config(&server);
    let mut of_page = fields(&config, PAGE);
    of_page.sort();
    assert_eq!(
        of_page,
        [
            "expires_at",
            "not_on_pages",
            "on_pages",
            "publish_at",
            "sections",
            "untranslated"
        ]
    );
    let of_words = fields(&config, ENGLISH);
    assert!(of_words.contains(&"line".to_owned()), "{of_words:?}");
    for name in ["path", "title", "description", "on_pages", "layout"] {
        assert!(!of_words.contains(&name.to_owned()), "{name}: {of_words:?}");
    }
    // A page is not asked on which pages it is shown.
    let of_home = fields(&config, "content/pages/home/en.yaml");
    assert!(
        of_home.contains(&"title".to_owned()) && !of_home.contains(&"on_pages".to_owned()),
        "{of_home:?}"
    );
    let patterns = config["sitegen"]["lists"]["patterns"]
        .as_array()
        .expect("patterns");
    assert!(
        ["*", "home", "about"]
            .iter()
            .all(|known| patterns.contains(&json!(known))),
        "{patterns:?}"
    );
}

#[test]
fn their_form_saves_words_and_shows_the_page_beside_it() {
    let server = Server::start(shared("on_pages: [\"*\"]\n"), &[]);
    let mut form = opened(&server, SPANISH);
    form["line.title"] = json!("Llámanos hoy");
    let (status, answer) = draft(&server, SPANISH, &form);
    assert_eq!(
        (status, &answer["address"]),
        (200, &json!("/es/")),
        "{answer}"
    );
    assert!(
        answer["html"]
            .as_str()
            .is_some_and(|html| html.contains("Llámanos hoy")),
        "{answer}"
    );
    assert_eq!(save(&server, SPANISH, &form).0, 200);
    assert_eq!(text(&server, SPANISH), "line.title: Llámanos hoy\n");
    let mut form = opened(&server, PAGE);
    form["on_pages"] = json!(["nowhere"]);
    // While the site is being built after the save, nothing else is told.
    wait_for("the mistake", || {
        let (_, answer) = draft(&server, PAGE, &form);
        let told = "no page with the key `nowhere`";
        answer["error"]
            .as_str()
            .is_some_and(|error| error.contains(told))
            .then_some(answer)
    });
    form["on_pages"] = json!(["home"]);
    assert_eq!(save(&server, PAGE, &form).0, 200);
    assert!(
        text(&server, PAGE).contains("home"),
        "{}",
        text(&server, PAGE)
    );
}

#[test]
fn a_click_with_alt_finds_the_file_of_their_words() {
    let server = Server::start(shared("on_pages: [\"*\"]\n"), &[]);
    assert_eq!(
        source(&server, "/", "Call us any day"),
        Some(format!("{ENGLISH}:1"))
    );
    assert_eq!(
        source(&server, "/es/", "Llámanos cualquier día"),
        Some(format!("{SPANISH}:1"))
    );
}
