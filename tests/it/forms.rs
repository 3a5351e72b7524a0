//! The forms at `/admin/` of the preview: what they are configured with, what they read and write, and who may.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::new_site::new_site;
use crate::preview::post;
use crate::serve::Server;
use crate::site_test::{SiteTest, files_below, repository};

const HOME: &str = "content/pages/home/en.yaml";

/// A request of Decap. Returns the status and the answer.
pub fn ask(server: &Server, action: &str, params: &Value) -> (u16, Value) {
    let body = json!({"branch": "preview", "action": action, "params": params}).to_string();
    post(server, "/admin/api", &body, "")
}

/// The values of a file as a form gets them, with the text that it begins with.
pub fn opened(server: &Server, path: &str) -> Value {
    let (status, answer) = ask(server, "getEntry", &json!({"path": path}));
    assert_eq!(status, 200, "{answer}");
    serde_json::from_str(answer["data"].as_str().expect("a text")).expect("JSON")
}

/// Saves the values of a form.
pub fn save(server: &Server, path: &str, values: &Value) -> (u16, Value) {
    save_with(server, path, values, &json!([]))
}

fn save_with(server: &Server, path: &str, values: &Value, assets: &Value) -> (u16, Value) {
    let file = json!({"path": path, "slug": "any", "raw": format!("{values}\n")});
    let options = json!({"commitMessage": "Update", "useWorkflow": false});
    ask(
        server,
        "persistEntry",
        &json!({"dataFiles": [file], "assets": assets, "options": options}),
    )
}

pub fn text(server: &Server, path: &str) -> String {
    std::fs::read_to_string(server.site().path(path)).expect(path)
}

pub fn config(server: &Server) -> Value {
    let (status, _, body) = server.get("/admin/config.json");
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).expect("JSON")
}

/// The paths of the files that a configuration lists, and the folders.
fn paths(config: &Value) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut files, mut folders) = (BTreeSet::new(), BTreeSet::new());
    for collection in config["config"]["collections"]
        .as_array()
        .expect("collections")
    {
        folders.extend(collection["folder"].as_str().map(str::to_owned));
        let own = collection["files"].as_array().into_iter().flatten();
        files.extend(own.map(|file| file["file"].as_str().expect("a path").to_owned()));
    }
    (files, folders)
}

#[test]
fn every_file_of_a_site_with_a_schema_has_a_form() {
    let server = Server::start(SiteTest::whole(), &[]);
    let config = config(&server);
    let (files, folders) = paths(&config);
    let content = server.site().path("content");
    let is_yaml = |path: &&String| path.ends_with(".yaml") || path.ends_with(".md");
    for path in files_below(&content).keys().filter(is_yaml) {
        let path = format!("content/{path}");
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        assert!(
            files.contains(&path) || folders.contains(folder),
            "{path} has no form"
        );
    }
    // All languages of a page are below each other, the shared part first.
    let pages = &config["config"]["collections"][0]["files"];
    let labels: Vec<&str> = pages
        .as_array()
        .expect("files")
        .iter()
        .filter_map(|file| file["label"].as_str())
        .take(3)
        .collect();
    assert_eq!(
        labels,
        [
            "About · all languages",
            "About · English",
            "About · Español"
        ]
    );
    assert_eq!(
        config["sitegen"]["addresses"]["content/pages/about/es.yaml"],
        "/es/sobre-nosotros/"
    );
    // A field says what the struct says.
    let title = pages[1]["fields"]
        .as_array()
        .expect("fields")
        .iter()
        .find(|field| field["name"] == "title");
    assert_eq!(title.expect("a field")["hint"], "The whole `<title>`.");
}

#[test]
fn what_is_not_changed_is_not_written() {
    assert!(save_every_form(SiteTest::whole()) > 100);
    assert!(
        save_every_form(SiteTest::from(
            &repository().join("examples/dental-clinics")
        )) > 100
    );
}

/// Opens the form of every file of a site and saves it as it is. Returns the number of files.
fn save_every_form(site: SiteTest) -> usize {
    let server = Server::start(site, &[]);
    let before = files_below(&server.site().path("content"));
    let mut count = 0;
    for collection in config(&server)["config"]["collections"]
        .as_array()
        .expect("collections")
    {
        let (action, params) = if let Some(folder) = collection["folder"].as_str() {
            (
                "entriesByFolder",
                json!({"folder": folder, "extension": collection["extension"], "depth": 1}),
            )
        } else {
            let files = collection["files"].as_array().into_iter().flatten();
            let files = files.map(|file| json!({"path": file["file"], "label": file["label"]}));
            (
                "entriesByFiles",
                json!({"files": files.collect::<Vec<_>>()}),
            )
        };
        let (status, entries) = ask(&server, action, &params);
        assert_eq!(status, 200, "{entries}");
        for entry in entries.as_array().expect("entries") {
            let path = entry["file"]["path"].as_str().expect("a path");
            let values: Value =
                serde_json::from_str(entry["data"].as_str().expect("a text")).expect("JSON");
            let exists = !values["__sitegen"]["base"].is_null();
            if exists {
                assert_eq!(save(&server, path, &values).0, 200, "{path}");
                count += 1;
            }
        }
    }
    let after = files_below(&server.site().path("content"));
    let changed: Vec<&String> = after
        .iter()
        .filter(|(path, bytes)| before.get(*path) != Some(bytes))
        .map(|(path, _)| path)
        .collect();
    assert!(
        changed.is_empty() && after.len() == before.len(),
        "{changed:?}"
    );
    count
}

#[test]
fn a_field_of_an_entry_may_have_any_name() {
    const NAMES: [&str; 8] = [
        "body", "sitegen", "base", "path", "items", "raw", "draft", "date",
    ];
    let site = SiteTest::small();
    let fields =
        NAMES.map(|name| format!("  {name}: {{type: markdown, words: true, meaning: A text.}}\n"));
    site.write(
        "templates/collections/notes/schema.yaml",
        format!("meaning: A note.\nfields:\n{}", fields.concat()),
    );
    let written = NAMES.map(|name| format!("{name}:\n  en: |\n    Text of {name}.\n"));
    // As one file, and as a folder with the words of a language.
    let (one, words) = ("content/notes/one.yaml", "content/notes/two/en.yaml");
    site.write(one, written.concat());
    site.write(
        words,
        NAMES
            .map(|name| format!("{name}: |\n  Text of {name}.\n"))
            .concat(),
    );
    let server = Server::start(site, &[]);
    for name in NAMES {
        let (before, before_words) = (text(&server, one), text(&server, words));
        let mut form = opened(&server, one);
        form[name]["en"] = json!("Another text.");
        assert_eq!(save(&server, one, &form).0, 200, "{name}");
        let mut form = opened(&server, words);
        form[name] = json!("Another text.");
        assert_eq!(save(&server, words, &form).0, 200, "{name}");
        for (path, before) in [(one, before), (words, before_words)] {
            let after = text(&server, path);
            let lost = before
                .lines()
                .filter(|line| line.contains("Text of") && !after.contains(*line));
            let lost: Vec<&str> = lost.collect();
            assert_eq!(lost.len(), 1, "{path} after a change of `{name}`:\n{after}");
            assert!(
                lost[0].contains(name),
                "{path} after a change of `{name}`:\n{after}"
            );
        }
    }
}

#[test]
fn a_save_changes_its_value_and_nothing_else() {
    let site = SiteTest::small();
    site.edit(HOME, "path: /\n", "# The home page.\npath: /   # of all\n");
    let server = Server::start(site, &[]);
    let before = text(&server, HOME);
    let mut form = opened(&server, HOME);
    form["title"] = json!("Another title: with a colon");
    assert_eq!(save(&server, HOME, &form).0, 200);
    let after = text(&server, HOME);
    let changed: Vec<(&str, &str)> = before
        .lines()
        .zip(after.lines())
        .filter(|(old, new)| old != new)
        .collect();
    assert_eq!(changed.len(), 1, "{after}");
    assert!(
        changed[0].1.contains("Another title: with a colon"),
        "{after}"
    );
    assert_eq!(before.lines().count(), after.lines().count());
}

#[test]
fn a_byte_order_mark_stays() {
    let site = SiteTest::small();
    site.edit(HOME, "path: /\n", "\u{feff}path: /\n");
    let server = Server::start(site, &[]);
    let mut form = opened(&server, HOME);
    form["title"] = json!("Another title");
    assert_eq!(save(&server, HOME, &form).0, 200);
    let after = text(&server, HOME);
    assert!(
        after.starts_with("\u{feff}path: /\n") && after.contains("Another title"),
        "{after}"
    );
}

#[test]
fn both_changes_are_kept_unless_they_are_of_one_value() {
    let server = Server::start(SiteTest::small(), &[]);
    let mut form = opened(&server, HOME);
    form["title"] = json!("From the form");
    // A path that Decap made a page of is kept as well: the form was open for long.
    server
        .site()
        .edit(HOME, "description: ", "noindex: false\ndescription: ");
    assert_eq!(save(&server, HOME, &form).0, 200);
    let both = text(&server, HOME);
    assert!(
        both.contains("From the form") && both.contains("noindex: false"),
        "{both}"
    );
    // The form still has the text that it began with.
    form["title"] = json!("From the form again");
    let (status, answer) = save(&server, HOME, &form);
    let message = answer["error"].as_str().expect("a message");
    assert_eq!(status, 409, "{answer}");
    assert!(
        message.contains("title") && message.contains("From the form"),
        "{message}"
    );
    assert_eq!(text(&server, HOME), both);
}

/// A form that stays open after a save begins with the text that the answer has: its values, and no change of others.
#[test]
fn a_form_is_saved_again_and_keeps_what_others_have_changed() {
    let server = Server::start(SiteTest::small(), &[]);
    let mut form = opened(&server, HOME);
    let edited = text(&server, HOME).replace("description: ", "description: Changed by another. ");
    server.site().write(HOME, &edited);
    for title in ["Once", "Twice"] {
        form["title"] = json!(title);
        let (status, answer) = save(&server, HOME, &form);
        assert_eq!(status, 200, "{answer}");
        form["__sitegen"]["base"] = answer["bases"][HOME].clone();
        assert!(
            !form["__sitegen"]["base"]
                .as_str()
                .expect("a text")
                .contains("by another"),
            "{answer}"
        );
    }
    let saved = text(&server, HOME);
    assert!(
        saved.contains("\ntitle: \"Twice\"\n") && saved.contains("Changed by another."),
        "{saved}"
    );
}

#[test]
fn a_post_with_a_picture_is_added_and_deleted() {
    let server = Server::start(SiteTest::blog(), &[]);
    let post = "content/blog/en/from-a-form.md";
    let picture = "content/images/uploads/bridge.svg";
    assert_eq!(ask(&server, "getEntry", &json!({"path": post})).0, 404);
    let form = json!({
        "title": "2018", "date": "2024-05-06", "author": "someone",
        "tags": [], "draft": false, "excerpt": "", "body": "Text with *stress*.",
        "image": {"src": "uploads/bridge.svg", "alt": "A bridge"},
    });
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"8\"/>";
    let asset = json!({"path": picture, "content": base64(svg.as_bytes()), "encoding": "base64"});
    let (status, answer) = save_with(&server, post, &form, &json!([asset]));
    assert_eq!(status, 200, "{answer}");
    let written = text(&server, post);
    assert!(
        written.starts_with("---\ntitle: \"2018\"\ndate: 2024-05-06\n"),
        "{written}"
    );
    assert!(
        written.ends_with("---\n\nText with *stress*.\n") && !written.contains("tags"),
        "{written}"
    );
    assert_eq!(text(&server, picture), svg);
    let (_, media) = ask(
        &server,
        "getMedia",
        &json!({"mediaFolder": "content/images/uploads"}),
    );
    assert_eq!(
        (media[0]["name"].as_str(), media[0]["path"].as_str()),
        (Some("bridge.svg"), Some(picture))
    );
    // Somebody else had the same idea.
    assert_eq!(save(&server, post, &form).0, 409);
    assert_eq!(
        ask(&server, "deleteFiles", &json!({"paths": [post, picture]})).0,
        200
    );
    assert!(!server.site().path(post).exists() && !server.site().path(picture).exists());
}

/// The page of a form that is not saved.
pub fn draft(server: &Server, path: &str, values: &Value) -> (u16, Value) {
    let body = json!({"path": path, "raw": values.to_string()}).to_string();
    post(server, "/admin/draft", &body, "")
}

#[test]
fn a_form_shows_its_page_before_it_is_saved() {
    let server = Server::start(SiteTest::small(), &[]);
    let before = files_below(&server.site().path("content"));
    let mut form = opened(&server, HOME);
    form["title"] = json!("As I type");
    let (status, answer) = draft(&server, HOME, &form);
    assert_eq!((status, &answer["address"]), (200, &json!("/")), "{answer}");
    assert!(
        answer["html"]
            .as_str()
            .expect("a page")
            .contains("<title>As I type"),
        "{answer}"
    );
    // A page and a post that have no file yet.
    let sections = json!([{"kind": "hero", "title": "New here"}]);
    let new = json!({"path": "/new/", "title": "New", "description": "A new page.", "sections": sections});
    let (_, answer) = draft(&server, "content/pages/new-draft/en.yaml", &new);
    assert_eq!(answer["address"], "/new/", "{answer}");
    assert!(
        answer["html"]
            .as_str()
            .expect("a page")
            .contains("New here"),
        "{answer}"
    );
    // A picture that is uploaded with the save.
    let mut shown = new.clone();
    shown["sections"] =
        json!([{"kind": "hero", "title": "A", "figure": {"src": "uploads/new.png", "alt": "New"}}]);
    let (_, answer) = draft(&server, "content/pages/new-draft/en.yaml", &shown);
    assert!(
        answer["html"]
            .as_str()
            .is_some_and(|html| html.contains("<h1>A")),
        "{answer}"
    );
    // A mistake is told with its place.
    form["title"] = json!("{product.nmae}");
    let (status, answer) = draft(&server, HOME, &form);
    let error = answer["error"].as_str().unwrap_or_default();
    assert!(
        status == 200 && error.starts_with(HOME) && error.contains("product.nmae"),
        "{answer}"
    );
    // A file that no page shows, and files that are none of the forms'.
    assert_eq!(
        draft(&server, "content/design.yaml", &json!({})).1["html"],
        Value::Null
    );
    for path in ["content/pages/../../x.yaml", "/etc/passwd", "Cargo.toml"] {
        assert_eq!(draft(&server, path, &new).0, 403, "{path}");
    }
    assert_eq!(post(&server, "/admin/draft", "{}", "").0, 422);
    assert!(
        files_below(&server.site().path("content")) == before,
        "something was saved"
    );
}

#[test]
fn pages_are_added_and_deleted() {
    let server = Server::start(SiteTest::small(), &[]);
    let collections = config(&server)["config"]["collections"].clone();
    let mut all = collections.as_array().expect("a list").iter();
    let new = all
        .find(|one| one["name"] == "new-pages")
        .expect("a collection");
    assert_eq!(
        (&new["folder"], &new["path"]),
        (&json!("content/pages"), &json!("{{slug}}/en"))
    );
    let page = "content/pages/visit-us/en.yaml";
    let values = json!({"path": "/visit-us/", "title": "Visit us", "description": "Where we are.", "sections": []});
    assert_eq!(save(&server, page, &values).0, 200);
    assert!(
        text(&server, page).starts_with("path: /visit-us/\ntitle: Visit us\n"),
        "{}",
        text(&server, page)
    );
    let folder = json!({"folder": "content/pages", "extension": "yaml", "depth": 2});
    let listed = || {
        let (_, entries) = ask(&server, "entriesByFolder", &folder);
        let paths = entries
            .as_array()
            .expect("a list")
            .iter()
            .map(|entry| entry["file"]["path"].clone());
        paths
            .filter_map(|path| path.as_str().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    assert!(listed().contains(&page.to_owned()), "{:?}", listed());
    // Another of the same name is not overwritten.
    assert_eq!(save(&server, page, &values).0, 409);
    assert_eq!(
        ask(&server, "deleteFiles", &json!({"paths": [page]})).0,
        200
    );
    assert!(!server.site().path(page).exists());
    // The words of a page whose sections are in another file are no page of their own.
    let words = "path: /visit-us/\ntitle: Visit us\ndescription: Where we are.\n";
    server
        .site()
        .write("content/pages/visit-us/page.yaml", "sections: []\n");
    server.site().write(page, words);
    assert!(!listed().contains(&page.to_owned()), "{:?}", listed());
    for path in [page, "content/pages/visit-us/page.yaml", HOME] {
        assert_eq!(
            ask(&server, "deleteFiles", &json!({"paths": [path]})).0,
            403,
            "{path}"
        );
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let bits = part
            .iter()
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - part.len()));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at > part.len() {
                '='
            } else {
                char::from(letter)
            });
        }
    }
    text
}

#[test]
fn a_translation_that_is_missing_can_be_written() {
    let site = SiteTest::whole();
    site.remove("content/pages/about/es.yaml");
    let server = Server::start(site, &[]);
    let spanish = "content/pages/about/es.yaml";
    assert!(paths(&config(&server)).0.contains(spanish));
    let mut form = opened(&server, spanish);
    assert_eq!(form["__sitegen"]["base"], Value::Null);
    form["path"] = json!("/es/nosotros/");
    form["hero.title"] = json!("Nosotros");
    assert_eq!(save(&server, spanish, &form).0, 200);
    assert_eq!(
        text(&server, spanish),
        "path: /es/nosotros/\nhero.title: Nosotros\n"
    );
}

#[test]
fn only_this_machine_and_this_site_may_edit() {
    let server = Server::start(SiteTest::small(), &[]);
    let body = json!({"action": "info"}).to_string();
    let status = |headers: &str| post(&server, "/admin/api", &body, headers).0;
    assert_eq!(status(""), 200);
    for headers in [
        "Origin: https://other.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
    ] {
        assert_eq!(status(headers), 403, "{headers}");
    }
    for path in ["/admin/", "/admin/config.json", "/admin/picture?src=a.svg"] {
        assert_eq!(server.get_as("rebound.example", path).0, 403, "{path}");
    }
    let (_, head, body) = server.get("/admin/");
    assert!(
        head.contains(
            "content-security-policy: default-src 'none'; script-src 'self' 'unsafe-eval'"
        ),
        "{head}"
    );
    assert!(body.contains("admin.js"), "{body}");
    // Pages of the site keep their policy.
    assert!(!server.get("/").1.contains("unsafe-eval"));
    assert_eq!(server.get("/admin").0, 308);
}

#[test]
fn other_files_than_content_are_refused() {
    let site = SiteTest::small();
    site.write("secret.yaml", "a: 1\n");
    site.write("content/pages/home/notes.txt", "text");
    std::os::unix::fs::symlink("../../..", site.path("content/pages/out")).expect("a link");
    let server = Server::start(site, &[]);
    let files = || {
        let mut files = files_below(&server.site().path("content"));
        files.extend(files_below(&server.site().path("static")));
        files.insert(
            "secret".to_owned(),
            text(&server, "secret.yaml").into_bytes(),
        );
        files
    };
    let before = files();
    for path in [
        "secret.yaml",
        "../secret.yaml",
        "content/pages/../../secret.yaml",
        "content/pages/home/notes.txt",
        "content/pages/home/.en.yaml",
        "/etc/passwd",
        "content\\pages\\home\\en.yaml",
        "content/pages/home//en.yaml",
        "content/blog/en/../../../../x.md",
        "content/images/uploads/page.html",
        "content/images/uploads/a/b.png",
        "content/images/photo.png",
        "",
    ] {
        let (status, answer) = save(&server, path, &json!({"a": 1}));
        assert_eq!(status, 403, "{path}: {answer}");
        assert_eq!(
            ask(&server, "getEntry", &json!({"path": path})).0,
            403,
            "{path}"
        );
        let asset = json!({"path": path, "content": "", "encoding": "base64"});
        assert_eq!(
            ask(&server, "persistMedia", &json!({"asset": asset})).0,
            403,
            "{path}"
        );
        assert_eq!(
            ask(&server, "deleteFiles", &json!({"paths": [path]})).0,
            403,
            "{path}"
        );
    }
    // A page that the site needs is not deleted, nor is a file with a schema outside of the site.
    assert_eq!(
        ask(&server, "deleteFiles", &json!({"paths": [HOME]})).0,
        403
    );
    assert_eq!(
        save(&server, "content/pages/out/en.yaml", &json!({"a": 1})).0,
        403
    );
    for path in [
        "..%2f..%2fsecret.yaml",
        "%2e%2e/site.yaml",
        "page.svg%00",
        "secret.yaml",
        "..%2f..%2fa.svg",
    ] {
        assert_eq!(
            server
                .get(&format!(
                    "/admin/picture?src={path}&beside=content/site.yaml"
                ))
                .0,
            404,
            "{path}"
        );
    }
    assert_eq!(server.get("/admin/decap/..%2f..%2f..%2fsecret.yaml").0, 404);
    assert!(files() == before, "a file has changed");
}

#[test]
fn requests_that_are_not_understood_write_nothing() {
    let server = Server::start(SiteTest::small(), &[]);
    let before = text(&server, HOME);
    for body in [
        "",
        "{",
        "[]",
        "7",
        r#"{"action": "persistEntry"}"#,
        r#"{"action": "rm", "params": {}}"#,
    ] {
        assert_eq!(post(&server, "/admin/api", body, "").0, 422, "{body}");
    }
    for raw in ["", "{\"title\":", "[]", "\"text\"", "title: x"] {
        let file = json!({"path": HOME, "slug": "home", "raw": raw});
        let (status, answer) = ask(
            &server,
            "persistEntry",
            &json!({"dataFiles": [file], "assets": []}),
        );
        assert_eq!(status, 422, "{raw}: {answer}");
    }
    let asset =
        json!({"path": "content/images/uploads/a.png", "content": "%%%", "encoding": "base64"});
    assert_eq!(
        ask(&server, "persistMedia", &json!({"asset": asset})).0,
        422
    );
    assert_eq!(text(&server, HOME), before);
    // One file of several that cannot be saved: none is.
    let mut form = opened(&server, HOME);
    form["title"] = json!("Changed");
    let files = json!([
        {"path": HOME, "slug": "a", "raw": form.to_string()},
        {"path": "content/site.yaml", "slug": "b", "raw": "{"},
    ]);
    assert_eq!(
        ask(
            &server,
            "persistEntry",
            &json!({"dataFiles": files, "assets": []})
        )
        .0,
        422
    );
    assert_eq!(text(&server, HOME), before);
}

#[test]
fn a_site_with_a_page_there_keeps_it_and_nothing_of_the_forms_is_published() {
    let site = SiteTest::small();
    site.write(
        "static/admin/index.html",
        "<!doctype html><title>Own</title>",
    );
    let server = Server::start(site, &[]);
    assert!(
        server.get("/admin/").2.contains("<title>Own"),
        "{}",
        server.get("/admin/").2
    );
    let server = Server::start(SiteTest::small(), &[]);
    let published = files_below(&server.site().path("dist"));
    assert_eq!(server.get("/admin/").0, 200);
    assert_eq!(server.get("/admin/config.json").0, 200);
    assert!(
        files_below(&server.site().path("dist")) == published,
        "a published file has changed"
    );
    assert!(
        !published.keys().any(|path| path.contains("admin")),
        "{:?}",
        published.keys()
    );
}

/// The forms of a site that names a version of the theme are those of the theme's collections, too.
#[test]
fn a_site_with_errors_has_the_forms_of_its_theme() {
    let site = new_site(&["--no-blog"]);
    let names = |server: &Server| -> Vec<String> {
        let collections = config(server)["config"]["collections"].clone();
        let names = collections.as_array().expect("collections").iter();
        names
            .map(|collection| collection["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let server = Server::start(site, &[]);
    let whole = names(&server);
    assert!(
        whole.iter().any(|name| name == "entries-notices"),
        "{whole:?}"
    );
    let site = server.stop();
    site.write(HOME, "path: /\nsections: [\n");
    assert_eq!(names(&Server::start(site, &[])), whole);
}

#[test]
fn the_page_works_while_the_site_has_errors() {
    let server = Server::start(SiteTest::small().file(HOME, "path: /\nsections: [\n"), &[]);
    let (files, _) = paths(&config(&server));
    assert!(
        files.contains(HOME) && files.contains("content/site.yaml"),
        "{files:?}"
    );
    // A file that is no YAML cannot be shown in a form, and the message says where it ends to be.
    let (status, answer) = ask(&server, "getEntry", &json!({"path": HOME}));
    assert_eq!(status, 409, "{answer}");
    assert!(
        answer["error"]
            .as_str()
            .is_some_and(|text| text.contains(HOME)),
        "{answer}"
    );
}

#[test]
fn a_configuration_for_a_git_host_is_printed() {
    let site = SiteTest::small();
    let run = site.run(&[
        "cms",
        "--print",
        "--repo",
        "company/website",
        "--option",
        "base_url=https://login.example",
    ]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let config: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(
        config["backend"],
        json!({"name": "github", "repo": "company/website", "branch": "main", "base_url": "https://login.example"})
    );
    let run = site.run(&["cms", "--print"]);
    assert_eq!(
        (run.status, run.problems()),
        (2, vec!["bad-setting".to_owned()]),
        "{}",
        run.stderr
    );
    // A folder with something else in it is not overwritten.
    site.write("forms/notes.txt", "mine");
    let run = site.run(&["cms", "--repo", "company/website"]);
    assert_eq!(
        (run.status, run.problems()),
        (2, vec!["new-refused forms".to_owned()]),
        "{}",
        run.stderr
    );
}

/// Deep values in each format that a draft holds: none is saved, and none ends the process that reads it.
#[test]
fn no_draft_ends_the_preview() {
    let server = Server::start(SiteTest::blog(), &[]);
    let nested = |open: &str, close: &str, count: usize| {
        format!("{}a{}", open.repeat(count), close.repeat(count))
    };
    let texts = [
        format!("$${}$$", nested("\\sqrt{", "}", 1_000)),
        format!("$${}$$", nested("{", "}", 2_000)),
        format!("$${}$$", nested("\\begin{matrix}", "\\end{matrix}", 3_000)),
        format!("${}$", nested("x^{", "}", 5_000)),
        nested("> ", "", 20_000),
        nested("[", "](/)", 20_000),
        nested("<div>", "</div>", 20_000),
        nested("*", "*", 20_000),
        nested("{x, plural, other {", "}}", 5_000),
        nested("::: hero\n", "\n:::", 2_000),
    ];
    for text in texts {
        let post = json!({"title": "Deep", "date": "2025-03-14", "author": "ana", "body": text});
        let (status, answer) = draft(&server, "content/blog/en/deep.md", &post);
        assert!(status < 500, "{status} {answer}");
        let page = json!({"path": "/deep/", "title": "Deep", "description": text, "sections": [{"kind": "prose", "body": text}]});
        assert!(draft(&server, "content/pages/deep/en.yaml", &page).0 < 500);
        assert_eq!(server.get("/about/").0, 200);
    }
}
