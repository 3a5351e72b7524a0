//! The search of the whole site: what its index holds, when it is made, and which files and headers come with it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

use crate::new_site::new_site;
use crate::serve::Server;
use crate::site_test::{Run, SiteTest};
use crate::waiting::wait_for;

const SETTINGS: &str = "content/site.yaml";

/// A new site in English and Spanish with a search.
fn site() -> SiteTest {
    let site = new_site(&["--languages", "en,es"]);
    add_search(&site, "search: true");
    site
}

/// Adds a search to a new site, with a page for it in each language.
fn add_search(site: &SiteTest, setting: &str) {
    set(site, setting);
    site.write(
        "content/pages/find/en.yaml",
        "path: /find/\ntitle: Find · {product.name}\ndescription: Find a page.\nsections:\n  - {kind: search, title: Find}\n",
    );
    site.write(
        "content/pages/find/es.yaml",
        "path: /es/hallar/\ntitle: Hallar · {product.name}\ndescription: Hallar una página.\nsections:\n  - {kind: search, title: Hallar}\n",
    );
}

fn set(site: &SiteTest, setting: &str) {
    let settings = std::fs::read_to_string(site.path(SETTINGS)).expect("settings");
    site.write(SETTINGS, format!("{setting}\n{settings}"));
}

/// The files of the index, by path.
fn index(run: &Run) -> BTreeMap<String, Vec<u8>> {
    run.files()
        .into_iter()
        .filter(|(path, _)| path.starts_with("pagefind/"))
        .collect()
}

/// The pages in an index, by address: JSON with the text, the title and the filters of each.
fn pages(run: &Run) -> BTreeMap<String, serde_json::Value> {
    let fragments = index(run)
        .into_iter()
        .filter(|(path, _)| path.ends_with(".pf_fragment"));
    let read = |(_, bytes): (String, Vec<u8>)| {
        let mut text = String::new();
        flate2::read::GzDecoder::new(&bytes[..])
            .read_to_string(&mut text)
            .expect("compressed text");
        let json = text.strip_prefix("pagefind_dcd").expect("a signature");
        let page: serde_json::Value = serde_json::from_str(json).expect("JSON");
        (page["url"].as_str().expect("an address").to_owned(), page)
    };
    fragments.map(read).collect()
}

fn built(site: &SiteTest, arguments: &[&str]) -> Run {
    let run = site.run(&[&["build", "--strict"], arguments].concat());
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    run
}

#[test]
fn each_text_is_indexed_once_at_its_address_and_in_its_language() {
    let site = site();
    let secret = "path: /secret/\ntitle: Secret\ndescription: Not for all.\nindexed: false\nunlinked: true\nsections:\n  - {kind: hero, title: Hidden}\n";
    site.write(
        "content/pages/secret/en.yaml",
        secret.replace("indexed: false", "noindex: true"),
    );
    let run = built(&site, &[]);
    let pages = pages(&run);
    let addresses: Vec<&str> = pages.keys().map(String::as_str).collect();
    assert!(
        ["/", "/services/", "/es/", "/privacy/"]
            .iter()
            .all(|path| addresses.contains(path)),
        "{addresses:?}"
    );
    let left_out = |path: &&&str| {
        path.contains("404")
            || path.contains("find")
            || path.contains("secret")
            || path.contains("tag")
    };
    assert_eq!(addresses.iter().find(left_out), None, "{addresses:?}");
    let text = pages["/services/"]["content"].as_str().expect("text");
    assert!(
        !text.contains("All rights reserved") && !text.contains("Get a quote Get a quote"),
        "{text}"
    );
    let kinds = |path: &str| {
        pages[path]["filters"]["kind"][0]
            .as_str()
            .expect("a kind")
            .to_owned()
    };
    assert_eq!([kinds("/"), kinds("/es/")], ["pages", "pages"]);
    let post = pages
        .values()
        .find(|page| page["filters"]["kind"][0] == "posts")
        .expect("a post");
    assert!(
        post["url"]
            .as_str()
            .is_some_and(|url| url.contains("/blog/")),
        "{post}"
    );
    let entry: serde_json::Value =
        serde_json::from_slice(&run.files()["pagefind/pagefind-entry.json"]).expect("JSON");
    let languages: Vec<&String> = entry["languages"]
        .as_object()
        .expect("languages")
        .keys()
        .collect();
    assert_eq!(languages, ["en", "es"]);
}

#[test]
fn a_site_without_a_search_carries_nothing_of_it() {
    let site = new_site(&["--languages", "en,es"]);
    let plain = built(&site, &[]).files();
    set(&site, "search: false");
    let off = built(&site, &[]).files();
    assert_eq!(
        plain.keys().collect::<Vec<_>>(),
        off.keys().collect::<Vec<_>>()
    );
    let named = off.iter().find(|(path, bytes)| {
        let text = String::from_utf8_lossy(bytes);
        path.contains("pagefind")
            || text.contains("site-search")
            || text.contains("header__search")
            || text.contains("wasm")
    });
    assert_eq!(named.map(|(path, _)| path), None);
}

#[test]
fn a_search_that_is_switched_off_leaves_nothing() {
    let site = site();
    assert!(!index(&built(&site, &[])).is_empty());
    let run = site.run(&["build", "--strict", "--set", "search=false"]);
    assert!(
        run.status != 0 && run.stderr.contains("but the site has no search"),
        "{}",
        run.stderr
    );
    ["en", "es"]
        .iter()
        .for_each(|code| site.remove(&format!("content/pages/find/{code}.yaml")));
    let run = site.run(&["build", "--strict", "--set", "search=false"]);
    assert_eq!((run.status, index(&run).len()), (0, 0), "{}", run.stderr);
    assert!(
        !run.out.join("pagefind").exists() && !run.page("index.html").html.contains("data-search")
    );
}

#[test]
fn an_index_is_made_only_of_changed_texts() {
    let site = site();
    let first = built(&site, &[]);
    let (files, times) = (index(&first), times(&first));
    // Another year in the footer changes every page, and no text that is searched.
    let settings = std::fs::read_to_string(site.path(SETTINGS)).expect("settings");
    let year = settings
        .lines()
        .find(|line| line.starts_with("copyright_year"))
        .expect("a year");
    site.edit(SETTINGS, year, "copyright_year: 2031");
    // Without pagefind, a build that starts it fails.
    let broken = site.path("broken-pagefind");
    site.write("broken-pagefind", "#!/bin/sh\nexit 1\n");
    make_executable(&broken);
    let environment = [("SITEGEN_PAGEFIND", broken.to_str().expect("a path"))];
    // The version is that of the package beside the executable.
    let second = site.run(&["build", "--strict"]);
    assert_eq!(second.status, 0, "{}", second.stderr);
    second.page("index.html").contains("2031");
    assert_eq!(index(&second), files);
    assert_eq!(
        self::times(&second),
        times,
        "files of the index were written again"
    );
    let broken = site.run_with(&["build"], &environment);
    assert_ne!(broken.status, 0, "another pagefind makes another index");
    site.edit(
        "content/pages/services/en.yaml",
        "Services: build",
        "Zeppelins: build",
    );
    let third = built(&site, &[]);
    assert_ne!(index(&third), files);
    assert!(
        pages(&third)["/services/"]["meta"]["title"]
            .as_str()
            .is_some_and(|title| title.contains("Zeppelins"))
    );
}

/// When each file of the index was written.
fn times(run: &Run) -> BTreeMap<String, std::time::SystemTime> {
    let time = |path: &String| {
        std::fs::metadata(run.out.join(path))
            .and_then(|meta| meta.modified())
            .expect("a time")
    };
    index(run)
        .into_keys()
        .map(|path| (path.clone(), time(&path)))
        .collect()
}

fn make_executable(file: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).expect("permissions");
}

#[test]
fn the_same_texts_give_the_same_index() {
    let site = site();
    let first = built(&site, &[]).files();
    std::fs::remove_dir_all(site.path("dist")).expect("an output folder");
    std::fs::remove_dir_all(site.path(".sitegen")).expect("a cache");
    let again = site.run_with(&["build", "--strict"], &[("RAYON_NUM_THREADS", "1")]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert!(again.files() == first, "another build gave other bytes");
    std::fs::remove_dir_all(site.path("dist")).expect("an output folder");
    assert!(
        built(&site, &[]).files() == first,
        "the index from the cache differs"
    );
}

#[test]
fn weights_and_kinds_are_those_of_the_settings() {
    let site = new_site(&[]);
    let kinds =
        "{name: posts, label: {en: Articles}, weight: 0}, {name: pages, label: {en: Pages}}";
    let fallback = "fallback: \"https://find.example/?sites=acme.example&a=b\"";
    add_search(
        &site,
        &format!("search: {{weights: {{headings: 9}}, kinds: [{kinds}], {fallback}}}"),
    );
    site.remove("content/pages/find/es.yaml");
    let run = built(&site, &["--set", "host=netlify"]);
    assert!(
        pages(&run)
            .values()
            .all(|page| page["filters"]["kind"][0] != "posts")
    );
    let page = run.page("find/index.html");
    page.contains("value=\"pages\">Pages</label>")
        .lacks("Articles</label>");
    page.contains("action=\"https://find.example/\"")
        .contains("name=\"sites\" value=\"acme.example\"");
    page.contains("form-action 'self' https://find.example")
        .lacks("wasm-unsafe-eval");
    run.page("index.html")
        .lacks("find.example")
        .contains("href=\"/find/\" aria-keyshortcuts");
    let headers = String::from_utf8_lossy(&run.files()["_headers"]).into_owned();
    assert!(
        headers.contains("script-src 'self' 'wasm-unsafe-eval' "),
        "{headers}"
    );
    assert!(
        headers.contains("/pagefind/index/*\n  Cache-Control: public, max-age=31536000, immutable"),
        "{headers}"
    );
}

/// Adds a collection whose entries have pages.
fn add_collection(site: &SiteTest, name: &str, fields: &str) {
    let folder = format!("templates/collections/{name}");
    site.write(
        &format!("{folder}/schema.yaml"),
        format!("meaning: Things.\naddress: \"/{name}/{{slug}}/\"\ntitle: \"{{name}}\"\ndescription: \"{{name}}\"\nfields:\n{fields}"),
    );
    let template = "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ entry.name }}</h1>{% endblock %}";
    site.write(&format!("{folder}/{name}.html"), template);
}

const NAME: &str = "  name: {type: text, words: true, required: true, meaning: Its name.}\n";

/// The folders of the parts of the index.
fn parts(run: &Run) -> BTreeSet<String> {
    let files = index(run).into_keys();
    files
        .filter_map(|path| {
            path.strip_prefix("pagefind/parts/")?
                .split('/')
                .next()
                .map(str::to_owned)
        })
        .collect()
}

/// The files with what each part of the index consists of.
fn metas(run: &Run) -> BTreeSet<String> {
    index(run)
        .into_keys()
        .filter(|path| path.ends_with(".pf_meta"))
        .collect()
}

#[test]
fn a_large_index_is_made_in_parts_of_which_an_edited_text_changes_one() {
    let site = new_site(&["--languages", "en,es"]);
    add_search(&site, "search: true");
    add_collection(&site, "rooms", NAME);
    site.edit(
        "templates/collections/rooms/schema.yaml",
        "meaning: Things.",
        "meaning: Rooms.\nsource: {file: rooms.csv}",
    );
    let row = |number: usize| format!("room-{number},Room {number},Sala {number}\n");
    let table: String = (0..4_000).map(row).collect();
    site.write(
        "content/rooms/rooms.csv",
        format!("key,name.en,name.es\n{table}"),
    );
    let first = site.run(&["build"]);
    assert_eq!(first.status, 0, "{}", first.stderr);
    let (of_first, metas_of_first) = (parts(&first), metas(&first));
    assert_eq!(
        of_first.len(),
        6,
        "three beside the first one of each language: {of_first:?}"
    );
    let worker =
        String::from_utf8_lossy(&index(&first)["pagefind/pagefind-worker.js"]).into_owned();
    let told = worker
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("postMessage(")?.strip_suffix(')'));
    let told: serde_json::Value = serde_json::from_str(told.expect("a message")).expect("JSON");
    for language in ["en", "es"] {
        let folders = told["parts"][language].as_array().expect("folders");
        assert!(
            folders.len() == 3
                && folders
                    .iter()
                    .all(|name| of_first.contains(name.as_str().expect("a name")))
        );
    }
    let found = pages(&first);
    assert!((0..4_000).all(|number| found.contains_key(&format!("/es/rooms/room-{number}/"))));
    site.edit("content/rooms/rooms.csv", "Sala 77\n", "Salón 77\n");
    let second = site.run(&["build"]);
    assert_eq!(second.status, 0, "{}", second.stderr);
    let kept = metas(&second).intersection(&metas_of_first).count();
    assert_eq!(
        (kept, metas(&second).len()),
        (7, 8),
        "one of the parts is another one"
    );
    assert_eq!(
        pages(&second)["/es/rooms/room-77/"]["meta"]["title"],
        "Salón 77"
    );
}

/// A site with people, the places where they work, and what is done there.
fn site_with_people(filters: &str) -> SiteTest {
    let site = new_site(&["--languages", "en,es"]);
    add_search(&site, &format!("search: {{filters: [{filters}]}}"));
    let fields = "  place: {type: reference, to: places, list: true, meaning: Where.}\n  \
        part_time: {type: flag, meaning: Whether.}\n  level: {type: choice, choices: {junior: First years., senior: Later.}, meaning: How long.}\n  \
        about: {type: markdown, meaning: More.}\n";
    add_collection(&site, "people", &format!("{NAME}{fields}"));
    add_collection(&site, "places", NAME);
    add_collection(
        &site,
        "courses",
        &format!("{NAME}  by: {{type: reference, to: people, list: true, meaning: Who.}}\n"),
    );
    site.write("content/places/bern.yaml", "name: {en: Berne, es: Berna}\n");
    site.write(
        "content/places/genf.yaml",
        "name: {en: Geneva, es: Ginebra}\n",
    );
    site.write(
        "content/people/ana.yaml",
        "name: {en: Ana, es: Ana}\nplace: [bern, genf]\npart_time: true\nlevel: senior\n",
    );
    site.write(
        "content/courses/knots.yaml",
        "name: {en: Knots, es: Nudos}\nby: [ana]\n",
    );
    site
}

#[test]
fn a_search_is_narrowed_by_fields_in_the_words_of_the_language() {
    let place =
        "{name: place, label: {en: Place, es: Lugar}, fields: {people: place, courses: by.place}}";
    let hours = "{name: hours, label: {en: Hours, es: Horas}, fields: {people: part_time}, \
        values: {\"true\": {en: Part-time, es: Media jornada}}}";
    let level = "{name: level, label: {en: Level, es: Nivel}}";
    let site = site_with_people(&[place, hours, level].join(", "));
    let run = site.run(&["build"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let pages = pages(&run);
    let filters = |path: &str, name: &str| pages[path]["filters"][name].to_string();
    assert_eq!(filters("/people/ana/", "place"), r#"["Berne","Geneva"]"#);
    assert_eq!(
        filters("/es/people/ana/", "place"),
        r#"["Berna","Ginebra"]"#
    );
    assert_eq!(
        filters("/es/courses/knots/", "place"),
        r#"["Berna","Ginebra"]"#
    );
    assert_eq!(filters("/people/ana/", "hours"), r#"["Part-time"]"#);
    assert_eq!(filters("/es/people/ana/", "hours"), r#"["Media jornada"]"#);
    assert_eq!(filters("/people/ana/", "level"), r#"["senior"]"#);
    assert_eq!(filters("/", "place"), "null");
    let page = run.page("es/hallar/index.html");
    page.contains("<span class=\"search-field__label\">Lugar</span>")
        .contains("name=\"place\" data-search-filter");
}

#[test]
fn mistakes_in_filters_are_reported() {
    let site = site_with_people("");
    let settings = std::fs::read_to_string(site.path(SETTINGS)).expect("settings");
    let check = |filter: &str, expected: &str| {
        site.write(
            SETTINGS,
            settings.replacen("filters: []", &format!("filters: [{filter}]"), 1),
        );
        let run = site.run(&["check"]);
        assert!(
            run.status != 0 && run.stderr.contains(expected),
            "{filter}: {}",
            run.stderr
        );
    };
    let label = "label: {en: Place, es: Lugar}";
    check(
        "{name: place, label: {en: Place}}",
        "the filter `place` has no label for the locale `es`",
    );
    check(
        &format!("{{name: plaec, {label}}}"),
        "did you mean `place`?",
    );
    check(
        &format!("{{name: q, {label}, fields: {{people: place}}}}"),
        "`q` is not a valid filter name",
    );
    check(
        &format!("{{name: kind, {label}, fields: {{people: place}}}}"),
        "`kind` is not a valid filter name",
    );
    check(
        &format!("{{name: \"a\\\"><b>\", {label}, fields: {{people: place}}}}"),
        "is not a valid filter name",
    );
    check(
        &format!("{{name: place, {label}}}, {{name: place, {label}}}"),
        "the filter `place` is listed twice",
    );
    check(
        &format!("{{name: a, {label}, fields: {{peopel: place}}}}"),
        "did you mean `people`?",
    );
    check(
        &format!("{{name: a, {label}, fields: {{people: plaec}}}}"),
        "did you mean `place`?",
    );
    check(
        &format!("{{name: a, {label}, fields: {{courses: by.plaec}}}}"),
        "did you mean `place`?",
    );
    check(
        &format!("{{name: a, {label}, fields: {{people: about}}}}"),
        "`people.about` cannot be a filter",
    );
    check(
        &format!("{{name: a, {label}, fields: {{people: part_time}}}}"),
        "is `true` or `false`, but has no labels for visitors",
    );
    let value = "fields: {people: level}, values: {senor: {en: Senior, es: Sénior}}";
    check(
        &format!("{{name: a, {label}, {value}}}"),
        "did you mean `senior`?",
    );
    let value = "fields: {people: level}, values: {senior: {en: Senior}}";
    check(
        &format!("{{name: a, {label}, {value}}}"),
        "the value `senior` of `a` has no label for the locale `es`",
    );
}

#[test]
fn addresses_in_the_index_are_without_the_path_of_the_site() {
    let site = site();
    let run = built(&site, &["--set", "base_url=https://acme.example/docs"]);
    assert!(
        pages(&run).keys().all(|path| !path.starts_with("/docs")),
        "{:?}",
        pages(&run).keys()
    );
    run.page("find/index.html")
        .contains("data-index=\"/docs/pagefind/\"")
        .contains("data-base=\"/docs/\"");
}

#[test]
fn mistakes_in_the_settings_are_reported() {
    let site = new_site(&[]);
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("the settings");
    let check = |setting: &str, expected: &str| {
        site.write("content/site.yaml", &settings);
        add_search(&site, setting);
        site.remove("content/pages/find/es.yaml");
        let run = site.build();
        assert!(
            run.status != 0 && run.stderr.contains(expected),
            "{setting}: {}",
            run.stderr
        );
    };
    check(
        "search: {fallback: \"javascript:alert(1)\"}",
        "is not the URL of a search engine",
    );
    check(
        "search: {fallback: \"https://x.example/;script-src *\"}",
        "is not the URL of a search engine",
    );
    check(
        "search: {weights: {title: 11}}",
        "weights range from 0 to 10",
    );
    check("search: {kinds: [{name: post}]}", "did you mean `posts`?");
    check(
        "search: {kinds: [{name: posts}, {name: posts}]}",
        "is listed twice",
    );
    check(
        "search: {kinds: [{name: posts, label: {es: Artículos}}]}",
        "has no label for the locale `en`",
    );
    check("search: {wights: {}}", "did you mean `weights`?");
    site.write("content/site.yaml", &settings);
    site.remove("content/pages/find/en.yaml");
    set(&site, "search: true");
    let run = site.build();
    assert!(
        run.stderr
            .contains("the site has a search, but no page with a search form"),
        "{}",
        run.stderr
    );
    let site = self::site();
    site.write("static/pagefind/pagefind.js", "");
    let run = site.build();
    assert!(
        run.stderr
            .contains("sitegen writes the files in `pagefind/` itself"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_missing_pagefind_is_reported_like_other_packages() {
    let site = site();
    std::fs::create_dir(site.path("node_modules")).expect("a folder");
    let empty = site.path("node_modules");
    let run = site.run_with(
        &["check"],
        &[("SITEGEN_NODE_MODULES", empty.to_str().expect("a path"))],
    );
    assert!(
        run.stderr
            .contains("pagefind is not installed, but the site's search needs it"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("run `npm install` in the site's folder"),
        "{}",
        run.stderr
    );
}

/// The name of the index that a server has, once it has another one than `known`.
fn served_index(server: &Server, known: &str) -> String {
    let ask = || {
        let (status, _, body) = server.get("/pagefind/pagefind-entry.json");
        (status == 200 && body != known).then_some(serde_json::Value::String(body))
    };
    wait_for("an index", ask).as_str().expect("text").to_owned()
}

#[test]
fn in_the_preview_the_index_follows_a_save() {
    let server = Server::start(site(), &[]);
    let first = served_index(&server, "");
    server.site().edit(
        "content/pages/services/en.yaml",
        "Services: build",
        "Zeppelins: build",
    );
    let shows = || {
        server
            .get("/services/")
            .2
            .contains("Zeppelins: build")
            .then_some(serde_json::Value::Null)
    };
    wait_for("the page", shows);
    assert_ne!(served_index(&server, &first), first);
    let (_, head, _) = server.get("/pagefind/pagefind-worker.js");
    assert!(
        head.contains("text/javascript") && head.contains("'wasm-unsafe-eval'"),
        "{head}"
    );
}
