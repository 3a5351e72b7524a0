//! The features that entries of collections share with pages: rename, references, translations, forms. The table of
//! these is in `docs/entries.md`.

use serde_json::{Value, json};

use crate::collections::{EVENT_SCHEMA, built, events};
use crate::forms::{ask, config, opened, save, text};
use crate::language_server::LanguageServer;
use crate::serve::Server;
use crate::site_test::{Run, SiteTest};

const HOME: &str = "content/pages/home/en.yaml";
const ONE: &str = "content/events/one.yaml";
const PLACES: &str = "templates/collections/places/schema.yaml";

/// Events, and prices in a table.
fn site() -> SiteTest {
    let site = events()
        .file(
            "templates/collections/prices/schema.yaml",
            "meaning: Prices.\nsource: {file: prices.csv}\nfields:\n  name: {type: text, words: true, required: true, meaning: Its name.}\n  places: {type: reference, to: places, list: true, meaning: Where.}\n",
        )
        .file("content/prices/prices.csv", "key;name.en;name.es;places\nvip;Front;Primera;hall|yard\nall;Seat;Asiento;yard\n");
    site.edit(
        HOME,
        "of: events",
        "of: events, where: {place: [hall, yard]}",
    );
    site.edit(
        HOME,
        "title: Hello",
        "title: Hello, lead: \"See [one](page:events/one).\"",
    );
    site
}

/// A session of an editor that can rename files.
fn editor(site: &SiteTest) -> (LanguageServer, String) {
    let mut server = LanguageServer::start(site);
    let root = format!("file://{}", site.path("").display())
        .trim_end_matches('/')
        .to_owned();
    let edits = json!({"documentChanges": true, "resourceOperations": ["rename"]});
    let capabilities = json!({"workspace": {"workspaceEdit": edits}});
    server.request(
        1,
        "initialize",
        &json!({"capabilities": capabilities, "rootUri": root}),
    );
    server.notify("initialized", &json!({}));
    (server, root)
}

/// The request about the text behind `before` in a file.
fn at(site: &SiteTest, root: &str, path: &str, before: &str) -> Value {
    let source = std::fs::read_to_string(site.path(path)).expect(path);
    let offset = source.find(before).expect(before) + before.len();
    let (line, start) = (
        source[..offset].matches('\n').count(),
        source[..offset].rfind('\n').map_or(0, |at| at + 1),
    );
    json!({
        "textDocument": {"uri": format!("{root}/{path}")},
        "position": {"line": line, "character": source[start..offset].encode_utf16().count()},
    })
}

/// Renames what is written behind `before`, in all files. The error is the code of a refusal.
pub fn rename(site: &SiteTest, path: &str, before: &str, new: &str) -> Result<(), Value> {
    let (mut server, root) = editor(site);
    let mut params = at(site, &root, path, before);
    params["newName"] = json!(new);
    let edit = server.request(2, "textDocument/rename", &params);
    let Some(changes) = edit["documentChanges"].as_array() else {
        return Err(edit);
    };
    let file = |uri: &Value| {
        uri.as_str()
            .expect("an address")
            .strip_prefix("file://")
            .expect("a file")
            .to_owned()
    };
    for change in changes {
        if change["kind"] == "rename" {
            std::fs::rename(file(&change["oldUri"]), file(&change["newUri"])).expect("a move");
            continue;
        }
        let path = file(&change["textDocument"]["uri"]);
        let mut source = std::fs::read_to_string(&path).expect("a file");
        let offset = |source: &str, position: &Value| {
            let (line, character) = (position["line"].as_u64(), position["character"].as_u64());
            let before = source
                .split_inclusive('\n')
                .take(usize::try_from(line.expect("a line")).expect("small"));
            before.map(str::len).sum::<usize>()
                + usize::try_from(character.expect("a column")).expect("small")
        };
        let mut edits: Vec<(usize, usize, &str)> = change["edits"]
            .as_array()
            .expect("edits")
            .iter()
            .map(|edit| {
                let range = &edit["range"];
                let text = edit["newText"].as_str().expect("a text");
                (
                    offset(&source, &range["start"]),
                    offset(&source, &range["end"]),
                    text,
                )
            })
            .collect();
        edits.sort_unstable();
        for (start, end, text) in edits.into_iter().rev() {
            source.replace_range(start..end, text);
        }
        std::fs::write(path, source).expect("a file");
    }
    Ok(())
}

pub fn read(site: &SiteTest, path: &str) -> String {
    std::fs::read_to_string(site.path(path)).expect(path)
}

#[test]
fn an_entry_is_renamed_in_references_lists_and_tables() {
    let site = site();
    built(&site);
    let page = "templates/collections/events/events.html";
    let list = "{% for event in entries(\"events\", place=[\"hall\", 'yard'], limit=2) %}hall{% endfor %}{% endblock %}";
    site.edit(page, "{% endblock %}", list);
    rename(&site, ONE, "place: ha", "great-hall").expect("an edit");
    assert!(read(&site, ONE).contains("place: great-hall\n"));
    assert!(read(&site, page).contains("place=[\"great-hall\", 'yard'], limit=2) %}hall{%"));
    assert_eq!(
        read(&site, "content/places/great-hall.yaml"),
        "name: Hall\nnear: yard\n"
    );
    assert!(read(&site, "content/places/yard.yaml").contains("near: great-hall"));
    assert!(read(&site, HOME).contains("where: {place: [great-hall, yard]}"));
    assert!(read(&site, "content/prices/prices.csv").contains("Primera;great-hall|yard\n"));
    built(&site).page("/events/one/").contains("<p>Hall</p>");
    // A row is renamed where its key is.
    rename(&site, "content/prices/prices.csv", "\nvi", "front").expect("an edit");
    assert!(read(&site, "content/prices/prices.csv").contains("\nfront;Front;"));
    built(&site);
    for taken in ["yard", "Yard", "a b", ""] {
        rename(&site, ONE, "place: great", taken).expect_err(taken);
    }
    assert!(read(&site, ONE).contains("place: great-hall\n"));
}

#[test]
fn a_renamed_entry_keeps_its_old_address_by_a_redirect() {
    let site = site();
    site.edit(
        EVENT_SCHEMA,
        "sort: [date]",
        "sort: [date]\nfilters: {place: \"/events/at/{slug}/\"}",
    );
    site.write(
        "templates/collections/events/filter.html",
        "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ filter.name }}</h1>{% endblock %}",
    );
    site.edit(
        "templates/sections/entries/entries.html",
        "{% for group",
        "{% for filter in section.filters %}{% for value in filter[\"values\"] %}<a href=\"{{ value.link.href }}\">{{ value.name }}</a>{% endfor %}{% endfor %}{% for group",
    );
    let accepted = site.run(&["check", "--accept-urls"]);
    assert_eq!(accepted.status, 0, "{}", accepted.stderr);
    rename(&site, HOME, "page:events/o", "first").expect("an edit");
    assert!(read(&site, HOME).contains("[one](page:events/first)"));
    assert!(read(&site, "content/events/first.yaml").contains("title: {en: One, es: Uno}"));
    assert!(
        read(&site, "content/site.yaml").contains("{from: /es/events/one, to: page:events/first}")
    );
    assert!(read(&site, "content/urls.lock").contains("\n/events/first/\n"));
    built(&site).page("/events/one/").contains("/events/first/");
    // The pages that list what names an entry have its key in their addresses.
    rename(
        &site,
        "content/events/first.yaml",
        "place: ha",
        "great-hall",
    )
    .expect("an edit");
    assert!(
        read(&site, "content/site.yaml")
            .contains("{from: /events/at/hall, to: page:events/place/great-hall}")
    );
    built(&site)
        .page("/events/at/great-hall/")
        .contains("<h1>Hall</h1>");
}

#[test]
fn an_entry_in_a_folder_is_renamed_with_its_words_and_pictures() {
    let site = site();
    site.remove(ONE);
    site.write(
        "content/events/one/entry.yaml",
        "date: 2035-01-31\nplace: hall\n",
    );
    site.write("content/events/one/en.yaml", "title: One\n");
    site.write("content/events/one/es.yaml", "title: Uno\n");
    assert_eq!(site.run(&["translations", "--accept"]).status, 0);
    rename(&site, HOME, "page:events/o", "first").expect("an edit");
    assert_eq!(read(&site, "content/events/first/es.yaml"), "title: Uno\n");
    assert!(read(&site, "content/translations.lock").contains("\nevents/first es\n"));
    assert!(!site.path("content/events/one/entry.yaml").exists());
    built(&site)
        .page("/es/events/first/")
        .contains("<h1>Uno</h1>");
}

#[test]
fn an_editor_finds_the_references_and_the_file_of_an_entry() {
    let site = site();
    let (mut server, root) = editor(&site);
    let mut params = at(&site, &root, ONE, "place: ha");
    params["context"] = json!({"includeDeclaration": true});
    let found = server.request(2, "textDocument/references", &params);
    let found: Vec<&str> = found
        .as_array()
        .expect("places")
        .iter()
        .filter_map(|place| place["uri"].as_str())
        .collect();
    for file in [
        "events/one.yaml",
        "places/yard.yaml",
        "pages/home/en.yaml",
        "prices/prices.csv",
    ] {
        assert!(
            found.iter().any(|uri| uri.ends_with(file)),
            "{file} is not in {found:?}"
        );
    }
    for (path, before, file) in [
        (ONE, "place: ha", "content/places/hall.yaml"),
        (HOME, "page:events/o", ONE),
        (HOME, "where: {place: [ha", "content/places/hall.yaml"),
    ] {
        let found = server.request(
            3,
            "textDocument/definition",
            &at(&site, &root, path, before),
        );
        assert!(found.to_string().contains(file), "{path} {before}: {found}");
    }
}

fn rows(run: &Run) -> Vec<String> {
    let lines = run.stdout.lines().filter(|line| !line.starts_with(' '));
    lines
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn words_of_entries_are_compared_and_accepted_like_those_of_pages() {
    let site = site();
    site.write(
        "content/events/three/entry.yaml",
        "date: 2035-05-05\nplace: hall\n",
    );
    site.write("content/events/three/en.yaml", "title: Three\n");
    let listed = rows(&site.run(&["translations"]));
    let has = |rows: &[String], start: &str| rows.iter().any(|row| row.starts_with(start));
    assert!(has(&listed, "events/one es unconfirmed"), "{listed:?}");
    assert!(
        has(
            &listed,
            "events/two es missing: content/events/two.yaml has no text in `es`; add it there"
        ),
        "{listed:?}"
    );
    assert!(
        has(
            &listed,
            "events/three es missing: only content/events/three/en.yaml exists"
        ),
        "{listed:?}"
    );
    assert!(has(&listed, "prices/vip es unconfirmed"), "{listed:?}");
    assert!(!has(&listed, "places/"), "facts are no words: {listed:?}");
    assert_eq!(site.run(&["translations", "--accept"]).status, 0);
    assert!(!has(&rows(&site.run(&["translations"])), "events/one"));
    // A fact is no word.
    site.edit(ONE, "2035-01-31", "2035-02-01");
    assert!(!has(&rows(&site.run(&["translations"])), "events/one"));
    site.edit(ONE, "en: One", "en: First");
    site.edit("content/prices/prices.csv", "Front", "Front row");
    let listed = rows(&site.run(&["translations"]));
    assert!(
        has(&listed, "events/one es stale: `en` has changed"),
        "{listed:?}"
    );
    assert!(
        has(&listed, "prices/vip es stale: `en` has changed"),
        "{listed:?}"
    );
    let run = site.run(&["check"]);
    assert!(
        run.stderr.contains("warning[stale-translation]")
            && run.stderr.contains(&format!("--> {ONE}:1:")),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("sitegen translations --accept events/one/es"),
        "{}",
        run.stderr
    );
    assert_eq!(
        site.run(&["translations", "--accept", "events/one/es", "prices/vip"])
            .status,
        0
    );
    assert!(!site.run(&["check"]).stderr.contains("stale-translation"));
}

/// A collection of forms.
fn form<'a>(config: &'a Value, name: &str) -> &'a Value {
    let all = config["config"]["collections"]
        .as_array()
        .expect("collections");
    all.iter()
        .find(|collection| collection["name"] == name)
        .unwrap_or_else(|| panic!("no `{name}`"))
}

fn field<'a>(form: &'a Value, name: &str) -> &'a Value {
    let fields = form["fields"].as_array().expect("fields");
    fields
        .iter()
        .find(|field| field["name"] == name)
        .unwrap_or_else(|| panic!("no `{name}` in {form}"))
}

#[test]
fn forms_list_every_collection_with_a_widget_for_each_type() {
    let site = site();
    site.edit(
        PLACES,
        "fields:\n",
        "fields:\n  draft: {type: flag, meaning: Not public yet.}\n  hours: {type: hours, meaning: When.}\n",
    );
    site.write("content/places/cellar.yaml", "name: Cellar\ndraft: true\n");
    site.write(
        "content/events/three/entry.yaml",
        "date: 2035-05-05\nplace: hall\n",
    );
    site.write("content/events/three/en.yaml", "title: Three\n");
    let server = Server::start(site, &[]);
    let config = config(&server);
    let events = form(&config, "entries-events");
    assert_eq!(
        (&events["folder"], &events["create"]),
        (&json!("content/events"), &json!(true))
    );
    assert_eq!(field(events, "date")["input"], "date");
    assert_eq!(field(events, "price")["placeholder"], "120 EUR");
    let languages = field(events, "title")["fields"]
        .as_array()
        .expect("languages");
    assert_eq!(languages.len(), 2);
    // A reference is chosen by the name of its entry; one that is not public yet can be named, too.
    let options = field(events, "place")["options"].to_string();
    assert_eq!(field(events, "place")["widget"], "select");
    assert!(
        options.contains("hall: Hall") && options.contains("cellar"),
        "{options}"
    );
    assert_eq!(
        field(form(&config, "entries-places"), "hours")["placeholder"],
        "Mo-Fr 09:00-19:00; Sa 10:00-14:00"
    );
    let places = form(&config, "entries-places")["fields"].to_string();
    assert!(
        !places.contains("\"events\""),
        "a computed field is edited: {places}"
    );
    let folders = form(&config, "folders-events")["files"]
        .as_array()
        .expect("files");
    let files: Vec<&str> = folders
        .iter()
        .filter_map(|file| file["file"].as_str())
        .collect();
    let names = ["entry", "en", "es"].map(|name| format!("content/events/three/{name}.yaml"));
    assert_eq!(files, names);
}

#[test]
fn a_form_saves_an_entry_and_creates_one() {
    let server = Server::start(site(), &[]);
    let mut values = opened(&server, ONE);
    values["place"] = json!("yard");
    values["title"]["es"] = json!("Primero");
    let (status, answer) = save(&server, ONE, &values);
    assert_eq!(status, 200, "{answer}");
    assert_eq!(
        text(&server, ONE),
        "title: {en: One, es: Primero}\ndate: 2035-01-31\nplace: yard\nprice: 5 EUR\n"
    );
    // A word that is written without its language stays so.
    server.site().write(
        "content/events/two.yaml",
        "# Two\ntitle: Two\ndate: 2035-02-28\nplace: yard\n",
    );
    let mut values = opened(&server, "content/events/two.yaml");
    assert_eq!(values["title"], json!({"en": "Two"}));
    values["title"]["en"] = json!("Second");
    assert_eq!(save(&server, "content/events/two.yaml", &values).0, 200);
    assert_eq!(
        text(&server, "content/events/two.yaml"),
        "# Two\ntitle: Second\ndate: 2035-02-28\nplace: yard\n"
    );
    let new = json!({"title": {"en": "New"}, "date": "2036-01-01", "place": "hall"});
    assert_eq!(save(&server, "content/events/new.yaml", &new).0, 200);
    assert!(text(&server, "content/events/new.yaml").contains("date: 2036-01-01"));
    // Some systems take names that differ in case for one, and a folder is an entry, too.
    server.site().write(
        "content/events/folder/entry.yaml",
        "date: 2035-05-05\nplace: hall\n",
    );
    for taken in ["new", "New", "ONE", "folder"] {
        let path = format!("content/events/{taken}.yaml");
        let (status, answer) = save(&server, &path, &new);
        assert_eq!(status, 409, "{taken}: {answer}");
    }
    for path in [
        "content/evets/a.yaml",
        "content/events/a/b/c.yaml",
        "content/events/../site.yaml",
        "content/events/a.html",
    ] {
        assert_eq!(save(&server, path, &new).0, 403, "{path}");
    }
    assert_eq!(
        ask(
            &server,
            "deleteFiles",
            &json!({"paths": ["content/events/new.yaml"]})
        )
        .0,
        200
    );
    assert!(!server.site().path("content/events/new.yaml").exists());
}

#[test]
fn a_form_does_not_save_a_value_that_its_field_does_not_take() {
    let server = Server::start(site(), &[]);
    let before = text(&server, ONE);
    let mut values = opened(&server, ONE);
    values["price"] = json!("a hundred");
    let (status, answer) = save(&server, ONE, &values);
    let said = answer.to_string();
    assert!(
        status == 422 && said.contains("a hundred") && said.contains("nothing was saved"),
        "{said}"
    );
    assert_eq!(text(&server, ONE), before);
    // A mistake that the file has already does not stop another change.
    server.site().edit(ONE, "price: 5 EUR", "price: five");
    let mut values = opened(&server, ONE);
    values["title"]["en"] = json!("First");
    assert_eq!(save(&server, ONE, &values).0, 200);
    assert!(
        text(&server, ONE).contains("First"),
        "{}",
        text(&server, ONE)
    );
}

#[test]
fn forms_name_what_they_list_and_ask_for_what_is_required() {
    let site = site();
    site.write(
        "content/forms/visit/form.yaml",
        "fields:\n  name: {type: text, required: true}\n",
    );
    site.write(
        "content/forms/visit/en.yaml",
        "fields:\n  name: {label: Your name}\nsubmit: Send\n",
    );
    let server = Server::start(site, &[]);
    let config = config(&server);
    let labels: Vec<&str> = config["config"]["collections"]
        .as_array()
        .expect("collections")
        .iter()
        .filter_map(|collection| collection["label"].as_str())
        .collect();
    assert!(
        labels.contains(&"Forms") && labels.contains(&"Form texts"),
        "{labels:?}"
    );
    assert!(
        labels
            .iter()
            .all(|label| label.starts_with(char::is_uppercase)),
        "{labels:?}"
    );
    // Nothing is in Markdown, so the collection is listed once.
    assert_eq!(
        labels
            .iter()
            .filter(|label| label.starts_with("Events"))
            .count(),
        1,
        "{labels:?}"
    );
    let files = form(&config, "data-form-words")["files"].to_string();
    assert!(files.contains("Visit · English"), "{files}");
    let languages = field(form(&config, "entries-events"), "title")["fields"]
        .as_array()
        .expect("languages")
        .clone();
    assert_eq!(
        [&languages[0]["required"], &languages[1]["required"]],
        [&json!(true), &json!(false)]
    );
}

#[test]
fn the_address_of_an_entry_that_has_ended_leads_on() {
    let site = site();
    site.edit(ONE, "price: 5 EUR", "closes: 2034-12-24");
    assert_eq!(site.run(&["check", "--accept-urls"]).status, 0);
    site.edit(ONE, "closes: 2034-12-24", "closes: 2020-03-31");
    let run = site.build();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        !run.stderr.contains("url-gone"),
        "a day that passes stops a build: {}",
        run.stderr
    );
    run.page("/es/events/one/")
        .contains("url=/es/")
        .lacks("<h1>");
    assert!(!site.run(&["check"]).stderr.contains("url-new"));
    // A redirect of the site is first.
    site.edit(
        "content/site.yaml",
        "redirects:",
        "redirects:\n  - {from: /events/one, to: page:about}",
    );
    site.build().page("/events/one/").contains("url=/about/");
    site.edit(
        "content/site.yaml",
        "redirects:\n  - {from: /events/one, to: page:about}",
        "redirects:",
    );
    site.edit(
        EVENT_SCHEMA,
        "publish: {until: closes}",
        "publish: {until: closes}\nexpired: gone",
    );
    let run = site.build();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        !run.files().contains_key("events/one/index.html"),
        "an entry that is gone has an address"
    );
    site.edit(EVENT_SCHEMA, "expired: gone", "expired: gne");
    assert!(
        site.run(&["check"]).stderr.contains("did you mean `gone`?"),
        "{}",
        site.run(&["check"]).stderr
    );
}

#[test]
fn a_menu_lists_entries_by_name() {
    const SITE: &str = "content/site.yaml";
    let site = site();
    site.edit(
        "templates/layouts/base.html",
        "<main>",
        "<nav>{% for item in menu %}<a href=\"{{ item.link.href }}\">{{ item.label }}</a>{% endfor %}</nav>{% for group in footer.groups %}{% for item in group.links %}<i>{{ item.label }}</i>{% endfor %}{% endfor %}<main>",
    );
    let text = read(&site, SITE);
    let start = text.find("  menu:").expect("a menu") + "  menu:".len();
    let item = "\n    - {entries: events, sort: [-date], limit: 1}";
    let rest = text[start..].strip_prefix(" []").unwrap_or(&text[start..]);
    site.write(SITE, format!("{}{item}{rest}", &text[..start]));
    let run = built(&site);
    run.page("/about/")
        .contains("<nav><a href=\"/events/two/\">Two</a>");
    run.page("/es/")
        .contains("<nav><a href=\"/es/events/two/\"><span lang=\"en\" dir=\"ltr\">Two</span></a>");
    site.edit(SITE, "limit: 1", "limit: 9");
    built(&site)
        .page("/es/")
        .contains("<a href=\"/es/events/one/\">Uno</a>");
    // A new name is in the menu of every page.
    site.edit(ONE, "es: Uno", "es: Primero");
    let run = site.run(&["build", "--strict", "--verify-cache"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    run.page("/es/events/two/").contains(">Primero</a>");
    for (new, expected) in [
        ("{entries: evnts}", "hint: did you mean `events`?"),
        ("{entries: places}", "the entries of `places` have no pages"),
        (
            "{entries: events, sort: [dte]}",
            "hint: did you mean `date`?",
        ),
        ("{entries: events, to: /}", "not both"),
        ("{label: {en: A, es: B}}", "error[missing-key]"),
    ] {
        let before = read(&site, SITE);
        site.edit(SITE, "{entries: events, sort: [-date], limit: 9}", new);
        let run = site.run(&["check"]);
        assert!(
            run.status == 1 && run.stderr.contains(expected),
            "{new}\n{}",
            run.stderr
        );
        site.write(SITE, before);
    }
}

#[test]
fn structured_data_is_checked_against_the_vocabulary_of_schema_org() {
    let site = site();
    let data = "\"@type\": Event\n  name: \"{title}\"\n  startDate: \"{date}\"\n  location: {\"@type\": Place, name: \"{place.name}\"}\n";
    site.edit(
        EVENT_SCHEMA,
        "sort: [date]",
        &format!("sort: [date]\nstructured_data:\n  {data}"),
    );
    built(&site);
    for (old, new, expected) in [
        (
            "\"@type\": Event",
            "\"@type\": Evnt",
            "schema.org has no type `Evnt`",
        ),
        ("startDate:", "starDate:", "hint: did you mean `startDate`?"),
        ("\"@type\": Place", "\"@type\": Plce", "schema.yaml:10:23"),
        (
            "  location: {\"@type\": Place, name: \"{place.name}\"}\n",
            "",
            "search engines require `location` for the type `Event`",
        ),
    ] {
        let before = read(&site, EVENT_SCHEMA);
        site.edit(EVENT_SCHEMA, old, new);
        let run = site.run(&["check"]);
        assert!(
            run.status == 1 && run.stderr.contains(expected),
            "{new}\n{}",
            run.stderr
        );
        let of_entries = run
            .problems()
            .into_iter()
            .filter(|problem| problem.contains("content/events/"))
            .count();
        assert_eq!(
            of_entries, 0,
            "a mistake in a schema is reported at entries: {}",
            run.stderr
        );
        site.write(EVENT_SCHEMA, before);
    }
}

#[test]
fn pictures_lie_beside_an_entry() {
    let site = site();
    site.edit(
        EVENT_SCHEMA,
        "fields:\n",
        "fields:\n  body: {type: markdown, words: true, meaning: Its text.}\n",
    );
    site.edit(
        "templates/collections/events/events.html",
        "<h1>",
        "{{ entry.body or \"\" }}<h1>",
    );
    let drawing = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 8 4\"><path d=\"M0 0h8v4z\"/></svg>\n";
    site.write(
        "content/events/three/entry.yaml",
        "date: 2035-05-05\nplace: hall\n",
    );
    site.write("content/events/three/plan.svg", drawing);
    site.write(
        "content/events/three/en.yaml",
        "title: Three\nbody: |\n  The way.\n\n  ![A plan](plan.svg)\n",
    );
    site.write(
        "content/events/en/four.md",
        "---\ntitle: Four\ndate: 2035-06-06\nplace: hall\n---\n![A map](map.svg)\n",
    );
    site.write("content/events/en/map.svg", drawing);
    let run = built(&site);
    run.page("/events/three/").contains("alt=\"A plan\"");
    run.page("/es/events/three/").contains("alt=\"A plan\"");
    run.page("/events/four/").contains("alt=\"A map\"");
    site.remove("content/events/three/plan.svg");
    let run = site.run(&["check"]);
    assert!(
        run.status == 1 && run.stderr.contains("content/events/three/en.yaml:5:"),
        "{}",
        run.stderr
    );
}

#[test]
fn entries_are_in_the_files_that_list_pages() {
    let site = site();
    site.edit(
        "content/site.yaml",
        "redirects:",
        "llms_txt: true\nredirects:",
    );
    let run = built(&site);
    let file = |path: &str| String::from_utf8(run.files()[path].clone()).expect("UTF-8");
    assert!(
        file("llms.txt").contains("https://small.example/events/one/"),
        "{}",
        file("llms.txt")
    );
    assert!(file("sitemap.xml").contains("https://small.example/es/events/one/"));
    let before = site.path("before");
    let copied = std::process::Command::new("cp")
        .arg("-r")
        .arg(site.path("dist"))
        .arg(&before)
        .status();
    assert!(copied.expect("cp").success());
    site.edit(ONE, "en: One", "en: First");
    built(&site);
    let after = site.path("dist");
    let run = site.run(&[
        "diff",
        before.to_str().expect("a path"),
        after.to_str().expect("a path"),
    ]);
    assert!(
        run.stdout.contains("/events/one/"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    assert!(
        site.run(&["why", "/events/one/"])
            .stdout
            .contains("was rendered again")
    );
    // Alt and click opens the file.
    let server = Server::start(site, &[]);
    let config = config(&server);
    assert_eq!(config["sitegen"]["addresses"][ONE], "/events/one/");
}

#[test]
fn a_list_of_entries_has_pages() {
    let site = events();
    for locale in ["en", "es"] {
        site.edit(
            &format!("content/pages/home/{locale}.yaml"),
            "of: events",
            "of: events, per_page: 1",
        );
    }
    site.edit(
        "templates/sections/entries/entries.html",
        "{% for group",
        "{% for page in section.pages.pages %}<a href=\"{{ page.link.href }}\"{% if page.current %} aria-current=\"page\"{% endif %}>{{ page.label }}</a>{% endfor %}{% if section.pages.next %}<a rel=\"next\" href=\"{{ section.pages.next.href }}\"></a>{% endif %}{% for group",
    );
    let run = built(&site);
    run.page("/")
        .contains("/events/one/")
        .lacks("/events/two/")
        .contains("<a rel=\"next\" href=\"/page/2/\">");
    run.page("/page/2/")
        .contains("<a href=\"/events/two/\">")
        .lacks("/events/one/")
        .contains("<link rel=\"canonical\" href=\"https://small.example/page/2/\">")
        .contains("hreflang=\"es\" href=\"https://small.example/es/page/2/\"")
        .contains("<a href=\"/page/2/\" aria-current=\"page\">2</a>")
        .lacks("rel=\"next\"");
    run.page("/es/page/2/")
        .contains("<a href=\"/es/page/2/\" aria-current=\"page\">");
    let sitemap = String::from_utf8(run.files()["sitemap.xml"].clone()).expect("UTF-8");
    assert!(
        sitemap.contains("<loc>https://small.example/page/2/</loc>"),
        "{sitemap}"
    );
    site.write(
        "content/events/three.yaml",
        "title: {en: Three, es: Tres}\ndate: 2035-01-01\nplace: hall\n",
    );
    let run = site.run(&["build", "--strict", "--verify-cache"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    run.page("/page/3/").contains("/events/two/");
    run.page("/page/2/").contains("/events/one/");
    site.remove("content/events/three.yaml");
    assert!(!site.build().files().contains_key("page/3/index.html"));
}
