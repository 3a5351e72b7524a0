//! The form for menus at `/admin/menu/` of the preview: what it reads, and what it writes into the settings.

use serde_json::{Value, json};

use crate::forms::text;
use crate::preview::post as post_json;
use crate::serve::Server;
use crate::site_test::SiteTest;

const FILE: &str = "content/site.yaml";

fn entries(server: &Server) -> Value {
    let (status, _, body) = server.get("/admin/menu/entries");
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).expect("JSON")
}

fn save(server: &Server, form: &Value) -> (u16, Value) {
    post_json(server, "/admin/menu/save", &form.to_string(), "")
}

fn site() -> SiteTest {
    let site = SiteTest::small();
    site.edit(
        FILE,
        "      to: page:about\n",
        "      to: page:about # us\n    # A group.\n    - label: {en: More, es: Más}\n      children:\n        - {label: {en: Start, es: Inicio}, to: page:home}\n",
    );
    // The template of the small site shows links only.
    site.edit(
        "templates/layouts/base.html",
        "{% for entry in menu %}",
        "{% for entry in menu if entry.link %}",
    );
    site
}

#[test]
fn an_entry_moves_into_a_group_and_the_site_follows() {
    let server = Server::start(site(), &[]);
    let before = text(&server, FILE);
    let mut form = entries(&server);
    assert_eq!(form["languages"][1][0], "es");
    assert!(
        form["targets"]
            .as_array()
            .is_some_and(|targets| targets.contains(&json!("page:about"))),
        "{form}"
    );
    assert_eq!(
        save(&server, &form),
        (200, json!({"files": []})),
        "nothing has changed"
    );
    let about = form["header"].as_array_mut().expect("a list").remove(0);
    form["header"][0]["links"]
        .as_array_mut()
        .expect("a list")
        .push(about);
    assert_eq!(save(&server, &form), (200, json!({"files": [FILE]})));
    let after = text(&server, FILE);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&after), sorted(&before), "{after}");
    assert!(
        after.contains(
            "        - label: {en: About, es: Nosotros}\n          to: page:about # us\n"
        ),
        "{after}"
    );
    // The form that was open before knows nothing of it.
    let (status, answer) = save(&server, &form);
    assert!(
        status == 409
            && answer["error"]
                .as_str()
                .is_some_and(|why| why.contains("changed in the file")),
        "{answer}"
    );
    let checked = server.stop().run(&["check"]);
    assert_eq!(checked.status, 0, "{}", checked.stderr);
}

#[test]
fn a_menu_with_a_mistake_is_not_saved() {
    let server = Server::start(site(), &[]);
    let before = text(&server, FILE);
    let mut form = entries(&server);
    form["header"][0]["to"] = json!("page:abuot");
    let (status, answer) = save(&server, &form);
    let error = answer["error"].as_str().unwrap_or_default();
    assert!(
        status == 409 && error.contains("content/site.yaml:") && error.contains("abuot"),
        "{status} {answer}"
    );
    let mut form = entries(&server);
    form["header"][1]["label"] = json!({"en": "More", "es": ""});
    let (status, answer) = save(&server, &form);
    assert!(
        status == 409
            && answer["error"]
                .as_str()
                .is_some_and(|why| why.contains("`es`")),
        "{status} {answer}"
    );
    let mut form = entries(&server);
    form["header"][1]["links"] = json!([]);
    assert_eq!(save(&server, &form).0, 422);
    assert_eq!(save(&server, &json!({"header": []})).0, 422);
    assert_eq!(text(&server, FILE), before);
}

#[test]
fn only_the_author_has_the_form() {
    let server = Server::start(SiteTest::small(), &[]);
    for path in ["/admin/menu/", "/admin/menu/entries", "/admin/menu/tree.js"] {
        assert_eq!(server.stranger("GET", path, "").0, 403, "{path}");
        assert_eq!(server.get(path).0, 200, "{path}");
    }
}
