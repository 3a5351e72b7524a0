//! Metadata of pages: sharing cards, icons, structured data, the sitemap.

use std::collections::BTreeSet;

use image::GenericImageView as _;
use serde_json::Value;

use crate::new_site::new_site;
use crate::site_test::{Run, SiteTest, each, repository};

const HOME: &str = "content/pages/home/en.yaml";
const TITLE: &str = "title: \"{product.name}: home\"";

/// The small site with the project's fonts, tokens, drawings and head template.
fn branded() -> SiteTest {
    let read = |path: &str| {
        std::fs::read(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let site = SiteTest::small();
    for path in [
        "templates/drawings/card.svg",
        "templates/drawings/icon.svg",
        "templates/layouts/head.html",
    ] {
        site.write(path, read(path));
    }
    site.write("static/favicon.svg", read("static/favicon.svg"));
    site.write("content/design.yaml", read("content/design.yaml"));
    site.write(
        "templates/styles/site.css",
        read("templates/styles/fonts.css"),
    );
    site.edit(
        "content/site.yaml",
        "redirects:",
        "icon: favicon.svg\nredirects:",
    );
    let base = "templates/layouts/base.html";
    let text = std::fs::read_to_string(site.path(base)).expect("the layout");
    let (start, end) = (
        text.find("<title>").expect("a title"),
        text.find("</head>").expect("a head"),
    );
    let data = "{% for data in page.structured_data %}<script type=\"application/ld+json\">{{ data }}</script>{% endfor %}";
    site.write(
        base,
        format!(
            "{}{{% include \"layouts/head.html\" %}}{data}\n{}",
            &text[..start],
            &text[end..]
        ),
    );
    site
}

fn with_title(title: &str) -> Run {
    let site = branded();
    site.edit(HOME, TITLE, &format!("title: '{title}'"));
    site.built()
}

/// The decoded card of a page.
fn card(run: &Run, path: &str) -> image::DynamicImage {
    let html = run.page(path).html;
    let at = html.find("/_assets/cards/").expect("a card");
    let name = html[at + 1..].split('"').next().expect("an address");
    let bytes = &run.files()[name];
    assert!(bytes.len() <= 60_000, "{} bytes", bytes.len());
    image::load_from_memory(bytes).expect("a picture")
}

fn is_ink(picture: &image::DynamicImage, x: u32, y: u32) -> bool {
    picture.get_pixel(x, y).0[..3]
        .iter()
        .all(|channel| *channel < 100)
}

/// Checks that the text is inside its area.
fn assert_whole(picture: &image::DynamicImage, title: &str) {
    assert_eq!((picture.width(), picture.height()), (1200, 630));
    let ink: Vec<(u32, u32)> = (0..380)
        .flat_map(|y| (0..1200).map(move |x| (x, y)))
        .filter(|(x, y)| is_ink(picture, *x, *y))
        .collect();
    assert!(ink.len() > 500, "{title}: no text was drawn");
    let outside = ink.iter().find(|(x, y)| *x < 76 || *x > 1124 || *y < 40);
    assert_eq!(outside, None, "{title}: text is outside its area");
}

#[test]
fn a_card_shows_the_complete_title() {
    let long = "A title of three hundred characters that nobody reads to its end ".repeat(5);
    let unbroken =
        "Donaudampfschifffahrtsgesellschaftskapitänspatentprüfungskommissionsvorsitzender"
            .repeat(4);
    for title in ["Short", long.trim(), &unbroken, "Less < more & \"quotes\""] {
        assert_whole(&card(&with_title(title), "/"), title);
    }
}

/// The address and the alternative text of the picture for social networks.
fn share_image(run: &Run, path: &str) -> (String, String) {
    let html = run.page(path).html;
    let value = |property: &str| {
        let start = format!("<meta property=\"{property}\" content=\"");
        let at = html.find(&start).expect(property) + start.len();
        html[at..].split('"').next().expect("a value").to_owned()
    };
    (value("og:image"), value("og:image:alt"))
}

#[test]
fn a_post_without_a_photograph_has_a_card_with_its_title_if_the_site_asks_for_it() {
    let site = new_site(&[]);
    site.write(
        "content/blog/en/plain.md",
        "---\ntitle: A plain post\ndate: 2026-01-02\nauthor: sam-rivera\n---\nText.\n",
    );
    let run = site.built();
    let (card, alt) = share_image(&run, "/blog/plain/");
    let (of_list, _) = share_image(&run, "/blog/");
    assert!(
        card.contains("/_assets/cards/") && card != of_list,
        "{card}"
    );
    assert_eq!(alt, "A plain post");
    // Networks show no vector art, such as the drawings of the sample.
    let (drawn, _) = share_image(&run, "/blog/a-calendar-not-a-hero/");
    assert!(
        drawn.contains("/_assets/cards/") && drawn != of_list,
        "{drawn}"
    );
    // Each step begins with what the last one wrote.
    site.edit("content/blog/en/plain.md", "A plain post", "Another title");
    let run = site.built();
    let (renamed, alt) = share_image(&run, "/blog/plain/");
    assert!(renamed != card && alt == "Another title", "{renamed} {alt}");
    site.edit(
        "content/site.yaml",
        "sharing_cards: true",
        "sharing_cards: false",
    );
    let run = site.built();
    assert_eq!(share_image(&run, "/blog/plain/").0, of_list);
    site.edit(
        "content/site.yaml",
        "sharing_cards: false",
        "sharing_cards: true",
    );
    let run = site.built();
    assert_eq!(share_image(&run, "/blog/plain/").0, renamed);
}

#[test]
fn emoji_are_left_out_of_cards() {
    let plain = card(&with_title("Hello bridge"), "/");
    let smiling = card(&with_title("Hello 👩🏽‍💻 bridge 🌉🇨🇴"), "/");
    assert!(plain == smiling, "characters without a glyph are left out");
}

/// The web fonts have a file for the letters of Polish and their like.
#[test]
fn a_card_takes_each_letter_from_the_file_that_has_it() {
    let drawn = |title: &str| card(&with_title(title), "/");
    // Of letters that are missing, all boxes are alike.
    assert!(
        drawn("gęslą zażółć") != drawn("głslż zaęąół"),
        "boxes in place of letters"
    );
}

/// Writes the packages of a site: those of the project, and Noto fonts, which tests have by another name.
fn with_noto(site: &SiteTest) -> std::path::PathBuf {
    let (from, to) = (repository().join("node_modules"), site.path("packages"));
    std::fs::create_dir_all(to.join("@fontsource")).expect("a folder");
    for entry in std::fs::read_dir(&from).expect("packages").flatten() {
        std::os::unix::fs::symlink(entry.path(), to.join(entry.file_name())).expect("a link");
    }
    for (name, package) in [
        ("noto-sans", "noto-for-tests"),
        ("noto-sans-arabic", "noto-arabic-for-tests"),
    ] {
        std::os::unix::fs::symlink(from.join(package), to.join("@fontsource").join(name))
            .expect("a link");
    }
    to
}

#[test]
fn a_card_takes_letters_that_no_web_font_has_from_noto() {
    let site = branded();
    let packages = with_noto(&site);
    let packages = packages.to_str().expect("a path");
    let drawn = |title: &str| {
        let text = format!("title: '{title}'");
        site.edit(HOME, TITLE, &text);
        let run = site.run_with(&["build"], &[("SITEGEN_NODE_MODULES", packages)]);
        site.edit(HOME, &text, TITLE);
        assert!(
            run.status == 0 && !run.stderr.contains("card-letters"),
            "{title}: {}",
            run.stderr
        );
        let picture = card(&run, "/");
        assert_whole(&picture, title);
        picture
    };
    for (title, other) in [
        ("Привет, мир", "Приует, мир"),
        ("मौसम की खबर", "मौसम की खपर"),
        ("صباح الخير", "مساء الخير"),
    ] {
        assert!(drawn(title) != drawn(other), "{title} is not drawn");
    }
    let right = |picture: &image::DynamicImage| {
        (800..1200).any(|x| (40..380).any(|y| is_ink(picture, x, y)))
    };
    assert!(
        right(&drawn("خبر")) && !right(&drawn("мир")),
        "Arabic begins at the right"
    );
}

#[test]
fn a_title_without_glyphs_is_reported() {
    let site = branded();
    site.edit(HOME, TITLE, "title: שלום עולם");
    let run = site.build();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains(
            "warning[card-letters]: the sharing card for `שלום עולם` leaves out characters that no font has"
        ) && run
            .stderr
            .contains("npm install @fontsource/noto-sans-hebrew"),
        "{}",
        run.stderr
    );
    // The second time, the card is in the cache.
    let again = site.run(&["check", "--strict"]);
    assert!(
        again.stderr.contains("warning[card-letters]"),
        "{}",
        again.stderr
    );
}

#[test]
fn a_card_is_drawn_once() {
    let site = branded();
    site.built();
    let drawn = || {
        std::fs::read_dir(site.path(".sitegen/drawings"))
            .expect("the cache")
            .flatten()
            .map(|entry| {
                (
                    entry.path(),
                    entry
                        .metadata()
                        .and_then(|meta| meta.modified())
                        .expect("a time"),
                )
            })
            .collect::<BTreeSet<_>>()
    };
    let before = drawn();
    site.built();
    assert_eq!(before, drawn());
    site.edit(HOME, TITLE, "title: Smaller things");
    site.built();
    assert_eq!(
        drawn().len(),
        before.len() + 1,
        "one changed title, one new card"
    );
}

#[test]
fn copies_share_a_card_and_error_pages_have_none() {
    let run = branded().built();
    let address = |path: &str| {
        let html = run.page(path).html;
        let at = html.find("og:image\"")?;
        html[at..].split('"').nth(2).map(str::to_owned)
    };
    assert!(address("/es/about/").is_some());
    assert_eq!(address("/es/about/"), address("/es/nosotros/"));
    assert_eq!(address("/404.html"), None);
    run.page("/404.html")
        .lacks("application/ld+json")
        .lacks("og:");
}

#[test]
fn a_page_may_set_its_own_picture() {
    let site = branded();
    image::RgbImage::from_pixel(1600, 800, image::Rgb([90, 100, 95]))
        .save(site.path("content/pages/home/team.jpg"))
        .expect("a picture");
    site.edit(
        HOME,
        "sections:",
        "image: {src: team.jpg, alt: The team}\nsections:",
    );
    let run = site.built();
    run.page("/")
        .contains("property=\"og:image:alt\" content=\"The team\"");
    run.page("/")
        .contains("property=\"og:image:width\" content=\"1200\"")
        .contains("property=\"og:image:height\" content=\"600\"");
    site.write(
        "content/images/team.svg",
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 2 1\" width=\"2\" height=\"1\"/>",
    );
    site.edit(HOME, "src: team.jpg", "src: team.svg");
    let mut problems = site.build().problems();
    // The site has all tokens of this repository, but its style sheets use few of them.
    problems.retain(|problem| !problem.starts_with("unused-token"));
    assert_eq!(problems, ["bad-image content/pages/home/en.yaml:4:14"]);
}

#[test]
fn icons_and_a_manifest_are_generated_from_the_icon() {
    let run = branded().built();
    let files = run.files();
    for (name, size) in [
        ("favicon.png", 48),
        ("apple-touch-icon.png", 180),
        ("icon-192.png", 192),
        ("icon-512.png", 512),
    ] {
        let picture = image::load_from_memory(&files[name]).expect("a picture");
        assert_eq!((picture.width(), picture.height()), (size, size), "{name}");
    }
    let site = branded();
    site.edit(
        "content/site.yaml",
        "company: {name: Small Works",
        "company: {names: {es: Obras Chicas}, name: Small Works",
    );
    let files = site.built().files();
    for (file, name, home, language) in [
        ("site.webmanifest", "Small Works", "/", "en"),
        ("es/site.webmanifest", "Obras Chicas", "/es/", "es"),
    ] {
        let manifest: Value = serde_json::from_slice(&files[file]).expect("JSON");
        let said =
            ["name", "start_url", "lang"].map(|key| manifest[key].as_str().unwrap_or_default());
        assert_eq!(said, [name, home, language], "{file}");
    }
    let site = branded().file("static/icon-192.png", "mine");
    assert_eq!(
        site.built().files()["icon-192.png"],
        b"mine",
        "the author's own file wins"
    );
}

#[test]
fn a_missing_icon_is_reported_at_its_line() {
    let site = branded();
    site.edit(
        "content/site.yaml",
        "icon: favicon.svg",
        "icon: favcion.svg",
    );
    let run = site.build();
    assert!(
        run.stderr.contains("there is no file `static/favcion.svg`")
            && run.stderr.contains("did you mean `favicon.svg`?"),
        "{}",
        run.stderr
    );
}

/// The nodes of a page's graph.
fn graph(run: &Run, path: &str) -> Vec<Value> {
    let html = run.page(path).html;
    let json = html
        .split("application/ld+json\">")
        .nth(1)
        .and_then(|rest| rest.split("</script>").next())
        .expect("a graph");
    let value: Value = serde_json::from_str(json).expect("JSON");
    value["@graph"].as_array().expect("nodes").clone()
}

/// `UPDATE_SITES=1` rewrites the file, as for the golden sites.
#[test]
fn structured_data_matches_the_committed_file() {
    let site = branded();
    site.edit("content/site.yaml", "{name: Small Works}", "{name: Small Works, legal_name: \"Small </script> Works\", email: a@small.example, phone: \"+1-5\", founded: 2013}");
    site.edit(
        "content/pages/about/en.yaml",
        "sections:",
        "schema: about\nupdated: 2025-03-31\nsections:",
    );
    site.write("content/pages/service/en.yaml", "path: /about/service/\ntitle: Service · Small\ndescription: We do it.\nschema: service\nunlinked: true\nsections:\n  - {kind: hero, title: Service}\n");
    site.write("content/pages/contact/en.yaml", "path: /contact/\ntitle: Contact\ndescription: Write.\nschema: contact\nlabel: Write to us\nunlinked: true\nsections:\n  - {kind: hero, title: Contact}\n");
    let run = site.built();
    let kinds = [
        "/",
        "/about/",
        "/about/service/",
        "/contact/",
        "/es/nosotros/",
    ];
    let found: serde_json::Map<String, Value> = kinds
        .iter()
        .map(|path| ((*path).to_owned(), Value::from(graph(&run, path))))
        .collect();
    let text = serde_json::to_string_pretty(&found).expect("JSON") + "\n";
    // Card names are hashes, which are replaced.
    let text = text
        .split("/cards/")
        .enumerate()
        .map(|(index, part)| {
            if index == 0 {
                part.to_owned()
            } else {
                format!("/cards/CARD{}", &part[20..])
            }
        })
        .collect::<String>();
    let file = repository().join("tests/sites/structured-data.json");
    if std::env::var_os("UPDATE_SITES").is_some() {
        std::fs::write(&file, &text).expect("a file");
    }
    assert_eq!(text, std::fs::read_to_string(&file).unwrap_or_default());
}

#[test]
fn every_reference_in_structured_data_resolves() {
    let run = SiteTest::whole().built();
    for path in [
        "/",
        "/about-us/",
        "/contact/",
        "/services/development-support/",
        "/es/servicios/soporte-desarrollo/",
        "/services/maintenance-plans-development-support/",
    ] {
        let nodes = graph(&run, path);
        let ids: BTreeSet<&str> = nodes
            .iter()
            .filter_map(|node| node["@id"].as_str())
            .collect();
        let references = nodes
            .iter()
            .flat_map(|node| node.as_object().into_iter().flatten());
        let references =
            references.filter(|(key, value)| *key != "@id" && value.get("@id").is_some());
        each(references, 1);
        for node in &nodes {
            let references = node
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(key, _)| *key != "@id");
            for reference in
                references.filter_map(|(_, value)| value.as_object().filter(|map| map.len() == 1))
            {
                let id = reference["@id"].as_str().expect("a reference");
                assert!(ids.contains(id), "{path}: {id}");
            }
        }
    }
}

#[test]
fn missing_structured_data_is_reported_at_the_schema() {
    let site = SiteTest::small();
    site.edit(
        "content/pages/about/en.yaml",
        "sections:",
        "schema: service\nsections:",
    );
    let run = site.build();
    assert!(
        run.stderr
            .contains("hint: add `legal_name: …` below `company:`"),
        "{}",
        run.stderr
    );
    site.edit(
        "content/pages/about/en.yaml",
        "schema: service",
        "schema: contact",
    );
    assert!(
        site.build()
            .stderr
            .contains("hint: add `email: …` or `phone: …` below `company:`")
    );
    site.edit(
        "content/pages/about/en.yaml",
        "schema: contact",
        "schema: servcie",
    );
    assert!(
        site.build().stderr.contains("did you mean `service`?"),
        "{}",
        site.build().stderr
    );
}

#[test]
fn a_noindex_page_is_neither_an_alternate_nor_in_the_sitemap() {
    let site = SiteTest::small();
    site.edit(
        "content/pages/about/es.yaml",
        "sections:",
        "noindex: true\nsections:",
    );
    let run = site.built();
    run.page("/about/").lacks("hreflang=\"x-default\"");
    let sitemap = String::from_utf8(run.files()["sitemap.xml"].clone()).expect("text");
    assert!(
        sitemap.contains("<loc>https://small.example/about/</loc></url>"),
        "{sitemap}"
    );
    for absent in ["nosotros", "/es/about/", "/old", "404"] {
        assert!(!sitemap.contains(absent), "{absent}: {sitemap}");
    }
}

#[test]
fn dates_in_the_sitemap_come_from_the_page() {
    let site = SiteTest::small();
    site.edit(
        "content/pages/about/en.yaml",
        "sections:",
        "updated: 2025-03-31\nsections:",
    );
    let sitemap = String::from_utf8(site.built().files()["sitemap.xml"].clone()).expect("text");
    assert_eq!(sitemap.matches("<lastmod>").count(), 1);
    site.edit("content/pages/about/en.yaml", "2025-03-31", "2025-02-30");
    assert!(
        site.build()
            .stderr
            .contains("the date `2025-02-30` does not exist")
    );
}

#[test]
fn robots_txt_names_the_sitemap_unless_overridden() {
    let robots = |site: SiteTest| {
        String::from_utf8(site.built().files()["robots.txt"].clone()).expect("text")
    };
    assert!(robots(SiteTest::small()).contains("Sitemap: https://small.example/sitemap.xml"));
    assert_eq!(
        robots(SiteTest::small().file("static/robots.txt", "User-agent: *\n")),
        "User-agent: *\n"
    );
}

#[test]
fn llms_txt_is_generated_if_enabled() {
    let site = SiteTest::small();
    assert!(!site.built().files().contains_key("llms.txt"));
    site.edit(
        "content/site.yaml",
        "redirects:",
        "llms_txt: true\nredirects:",
    );
    let list = String::from_utf8(site.built().files()["llms.txt"].clone()).expect("text");
    assert!(
        list.starts_with("# Small\n") && list.contains("(https://small.example/about/): "),
        "{list}"
    );
}

#[test]
fn a_missing_description_is_reported() {
    let site = SiteTest::small();
    site.edit(
        "content/pages/about/en.yaml",
        "description:",
        "descriptoin:",
    );
    assert!(site.build().stderr.contains("did you mean `description`?"));
}

#[test]
fn a_failed_bundle_is_not_also_reported_as_a_bad_drawing() {
    let site = branded().file("templates/styles/site.css", "body {");
    assert_eq!(site.build().problems().len(), 1, "{}", site.build().stderr);
}
