//! Siblings of mistakes that were mended before: each of these results was wrong for another input of a known kind.

use crate::site_forms::contact;
use crate::site_test::SiteTest;

const SCHEMA: &str = "templates/collections/works/schema.yaml";
const TEMPLATE: &str = "templates/collections/works/works.html";
const LIST: &str = "content/pages/works/en.yaml";

/// Works of two levels, some of them online, with a page that lists them.
fn works() -> SiteTest {
    let site = SiteTest::small();
    for (locale, yes) in [("en", "Yes"), ("es", "Sí")] {
        let words = format!("messages:\n  \"yes\": {yes}\n  \"no\": \"No\"\n");
        let file = format!("content/locales/{locale}.yaml");
        site.edit(&file, "messages:\n", &words);
    }
    let mut site = site
        .file(
            SCHEMA,
            "meaning: What was made.
address: \"{list}{slug}/\"
title: \"{title}\"
description: \"About {title}\"
sort: [title]
missing: main
filters:
  level: {address: \"{list}level/{slug}/\", title: \"Works: {name}\"}
  online: {address: \"{list}online/{slug}/\", title: \"Online: {name}\"}
fields:
  title: {type: text, words: true, required: true, meaning: Its name.}
  level: {type: choice, choices: {hard: {en: Hard, es: Difícil}, easy: {en: Easy, es: Fácil}}, required: true, meaning: How hard it is.}
  online: {type: flag, meaning: Whether it is online.}
  start: {type: moment, meaning: When it begins.}
  seen: {type: datetime, meaning: When it was seen.}
  hours: {type: hours, meaning: When it is open.}
  file: {type: file, meaning: A file.}
  from: {type: date, meaning: From when it is public.}
  note: {type: text, words: true, meaning: A note.}
  results:
    type: block
    list: true
    words: true
    meaning: What came of it.
    fields:
      name: {type: text, required: true, meaning: What.}
      kind: {type: choice, choices: {big: Large, low: Small}, required: true, meaning: How much.}
",
        )
        .file(
            TEMPLATE,
            "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ entry.title }}</h1><p>{{ entry.seen }} {{ entry.hours }}</p><i>{{ t(\"yes\") }} {{ t(\"no\") }}</i>\
             {% for one in entry.results %}<dt>{{ one.name }}</dt>{% if one.kind == \"big\" %}<dd>+</dd>{% endif %}{% endfor %}{% endblock %}",
        )
        .file(
            "templates/sections/entries/entries.html",
            "<section>{% for group in section.groups %}<h3>{{ group.name }}</h3>{% for entry in group.entries %}\
             <a href=\"{{ entry.link.href }}\">{{ entry.title }}</a>{% endfor %}{% endfor %}\
             {% for filter in section.filters %}{% for option in filter[\"values\"] %}<s>{{ option.name }}</s>\
             <a href=\"{{ option.link.href }}\">+</a>{% endfor %}{% endfor %}</section>",
        )
        .file(
            LIST,
            "path: /works/\ntitle: Works\ndescription: What was made.\nunlinked: true\nsections:\n  - {kind: hero, title: Works}\n  \
             - {kind: entries, of: works}\n  - {kind: entries, of: works, limit: 1}\n  - {kind: entries, of: works, group: level}\n",
        );
    for (key, level, online) in [
        ("a", "easy", true),
        ("b", "hard", false),
        ("c", "hard", true),
    ] {
        site = site.file(
            &format!("content/works/{key}.yaml"),
            format!("title: {{en: Work {key}}}\nlevel: {level}\nonline: {online}\n"),
        );
    }
    site
}

#[test]
fn a_page_by_a_value_limits_its_lists_after_it_has_narrowed_them() {
    let run = works().built();
    // The second list has one work of the level, though the first of all works has another.
    run.page("/works/level/hard/")
        .contains("<h3></h3><a href=\"/works/b/\">Work b</a><s>");
    // Groups of a choice are in the order of the schema, values of a flag in the words of the language.
    run.page("/works/")
        .contains("<h3>Hard</h3><a href=\"/works/b/\">Work b</a><a href=\"/works/c/\">Work c</a><h3>Easy</h3>")
        .contains("<s>No</s>")
        .contains("<s>Yes</s>");
    run.page("/works/online/true/")
        .contains("<title>Online: Yes");
    // Nobody has to link to the list, which links to the works and their other pages.
    assert!(!run.stderr.contains("orphan-page"), "{}", run.stderr);
}

#[test]
fn midnight_is_a_time_and_skipped_hours_are_none() {
    let site = works().argument("--set").argument("timezone=Europe/Madrid");
    site.write(
        "content/works/a.yaml",
        "title: {en: Work a}\nlevel: easy\nseen: 2030-01-01T00:00\nhours: \"Mo-Fr 09:00-19:00; PH off\"\n",
    );
    site.built()
        .page("/works/a/")
        .contains("January 1, 2030, 00:00")
        .contains("Public holidays closed");
    site.write(
        "content/works/a.yaml",
        "title: {en: Work a}\nlevel: easy\nstart: 2030-03-31T02:30\n",
    );
    let run = site.build();
    assert!(
        run.stderr.contains("is skipped in Europe/Madrid") && run.stderr.contains("a.yaml:3"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_date_of_a_post_keeps_its_offset() {
    let site = SiteTest::blog()
        .argument("--set")
        .argument("timezone=Europe/Madrid");
    site.write("content/authors/ana.yaml", "name: Ana\n");
    site.write(
        "content/blog/en/late.md",
        "---\ntitle: Late\ndate: 2025-01-15T23:30-05:00\nauthor: ana\n---\nText.\n",
    );
    let run = site.built();
    run.page("/blog/late/").contains("January 15, 2025");
    let json = String::from_utf8(run.files()["blog/feed.json"].clone()).expect("a feed");
    assert!(json.contains("\"2025-01-16T05:30:00+01:00\""), "{json}");
    let feed = String::from_utf8(run.files()["blog/feed.xml"].clone()).expect("a feed");
    assert!(feed.contains("Thu, 16 Jan 2025 04:30:00"), "{feed}");
}

#[test]
fn a_text_that_is_null_in_one_language_is_as_good_as_left_out() {
    let site = works();
    site.write(
        "content/works/a.yaml",
        "title: {en: Work a}\nlevel: easy\nnote: {en: A note, es: null}\n",
    );
    site.built().page("/works/a/").contains("Work a");
}

#[test]
fn a_list_in_json_can_name_languages_as_columns_do() {
    let site = works();
    site.edit(
        SCHEMA,
        "sort: [title]\n",
        "sort: [title]\nsource: {file: works.json}\n",
    );
    let table = |text: &str| site.write("content/works/works.json", text);
    table(
        "[{\"key\": \"j\", \"title.en\": \"Jetty\", \"title.es\": \"Muelle\", \"level\": \"easy\"}]",
    );
    site.built().page("/works/j/").contains("<h1>Jetty</h1>");
    table(
        "[{\"key\": \"j\", \"title\": \"Jetty\", \"title.es\": \"Muelle\", \"level\": \"easy\"}]",
    );
    let run = site.build();
    assert!(
        run.stderr
            .contains("`title` and `title.es` both set the same field"),
        "{}",
        run.stderr
    );
}

#[test]
fn tags_that_differ_in_their_case_alone_are_one_in_each_language() {
    let site = SiteTest::blog();
    site.edit("content/locales/es.yaml", "language: es", "language: tr");
    site.write("content/authors/ana.yaml", "name: Ana\n");
    for (number, tag) in [
        "Diyarbakır",
        "Diyarbakır",
        "DİYARBAKIR",
        "Straße",
        "STRASSE",
    ]
    .iter()
    .enumerate()
    {
        for locale in ["en", "es"] {
            site.write(
                &format!("content/blog/{locale}/post-{number}.md"),
                format!("---\ntitle: Post {number}\ndate: 2025-01-0{}\nauthor: ana\ntags: [{tag}]\n---\nText {number} in {locale}.\n", number + 1),
            );
        }
    }
    let run = site.build();
    let tags = |locale: &str| {
        let of_tag = format!("{locale}blog/tag/");
        let files = run.files();
        let pages = files
            .keys()
            .filter(|file| file.starts_with(&of_tag) && file.ends_with("/index.html"));
        pages.count()
    };
    assert_eq!((tags(""), tags("es/")), (3, 2), "{}", run.stderr);
}

#[test]
fn a_pattern_of_redirects_leaves_out_error_pages() {
    let site = SiteTest::blog();
    site.write(
        "content/redirects/a.yaml",
        "- {from: \"/old/*\", to: \"/blog/*\"}\n",
    );
    let run = site.built();
    let files = run.files();
    assert!(files.keys().any(|file| file.starts_with("old/")));
    let errors: Vec<&String> = files
        .keys()
        .filter(|file| file.starts_with("old/") && file.contains("404"))
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn files_that_sitegen_writes_have_no_other_use() {
    for (path, text, place) in [
        (
            "content/redirects/a.yaml",
            "- {from: /sitemap.xml, to: /about/}\n",
            "a.yaml:1",
        ),
        (
            "content/redirects/a.yaml",
            "- {from: /robots.txt, to: /about/}\n",
            "a.yaml:1",
        ),
        (
            "content/redirects/a.yaml",
            "- {from: /blog/feed.xml, to: /about/}\n",
            "a.yaml:1",
        ),
        (
            "content/pages/robots/en.yaml",
            "path: /robots.txt/\ntitle: Robots\ndescription: Robots.\nsections:\n  - {kind: hero, title: Robots}\n",
            "en.yaml:1",
        ),
    ] {
        let run = SiteTest::blog().file(path, text).build();
        assert!(
            run.status == 1 && run.stderr.contains("itself") && run.stderr.contains(place),
            "{text}: {}",
            run.stderr
        );
    }
    let run = SiteTest::blog()
        .file("static/robots.txt", "User-agent: *\n")
        .built();
    assert_eq!(run.files()["robots.txt"], b"User-agent: *\n");
}

#[test]
fn a_file_of_what_is_not_public_is_named_wherever_it_is_written() {
    let site = works();
    site.edit(
        SCHEMA,
        "sort: [title]\n",
        "sort: [title]\npublish: {from: from}\n",
    );
    site.write("static/plan.pdf", "%PDF-1.7\n");
    site.write("static/offer.pdf", "%PDF-1.7\n");
    site.write(
        "content/works/a.yaml",
        "{title: {en: Work a}, level: easy,\n\n from: 2099-01-01, file: plan.pdf}\n",
    );
    site.edit(
        LIST,
        "  - {kind: entries, of: works, limit: 1}\n",
        "  - {kind: prose, publish_at: 2099-01-01, title: Soon, body: \"Read HTTPS://Small.example/offer.pdf.\"}\n",
    );
    for file in [
        "files/price (1).pdf",
        "files/a,b=c.pdf",
        "files/año.pdf",
        "files/entity.pdf",
        "files/dots.pdf",
        "files/port.pdf",
        "files/menu.pdf",
        "files/escape.pdf",
        "files/about",
        "files/ñ",
    ] {
        site.write(&format!("static/{file}"), "%PDF-1.7\n");
    }
    site.write(
        "content/authors/ana.yaml",
        "name: Ana\nrole: {en: Editor, es: Editora}\ndescription: {en: A., es: A.}\n",
    );
    site.write(
        "content/blog/en/soon.md",
        "---\ntitle: Soon\ndate: 2026-01-01\nauthor: ana\npublish_at: 2099-01-01\n---\n[a](/files/price%20(1).pdf) [b](</files/a,b=c.pdf>)\n[c](/files/an\u{303}o.pdf) [d](/files/entity&#46;pdf)\n[e](/x/../files/./dots.pdf?a#b) [f](https://small.example:443/files/port.pdf)\n[g](/files/escape\\.pdf) /files/about.html /files/ñandú https://other.example/files/menu.pdf\n",
    );
    site.edit(
        "content/site.yaml",
        "  groups: []\n",
        "  groups:\n    - {title: {en: Soon, es: Pronto}, links: [{label: {en: Soon, es: Pronto}, to: /files/menu.pdf, publish_at: 2099-01-01}]}\n",
    );
    let run = site.build();
    let soon = "content/blog/en/soon.md";
    assert!(
        !run.stderr.contains("static/files/about`") && !run.stderr.contains("static/files/ñ`"),
        "{}",
        run.stderr
    );
    for (file, place) in [
        ("plan.pdf", "content/works/a.yaml:3"),
        ("offer.pdf", LIST),
        ("files/price (1).pdf", &format!("{soon}:7:5")),
        ("files/a,b=c.pdf", &format!("{soon}:7:34")),
        ("files/año.pdf", &format!("{soon}:8")),
        ("files/entity.pdf", &format!("{soon}:8")),
        ("files/dots.pdf", &format!("{soon}:9")),
        ("files/port.pdf", &format!("{soon}:9")),
        ("files/escape.pdf", &format!("{soon}:10")),
        ("files/menu.pdf", "content/site.yaml:"),
    ] {
        let message = format!("`static/{file}` is public, but this text is not");
        let after = run.stderr.split(&message).nth(1).unwrap_or_default();
        assert!(
            after
                .lines()
                .nth(1)
                .is_some_and(|line| line.contains(place)),
            "{file}: {}",
            run.stderr
        );
    }
}

#[test]
fn the_texts_of_a_block_that_another_language_lends_have_its_language() {
    let site = works();
    site.write(
        "content/pages/works/es.yaml",
        "path: /es/works/\ntitle: Obras\ndescription: Lo hecho.\nunlinked: true\nsections:\n  - {kind: hero, title: Obras}\n  - {kind: entries, of: works}\n",
    );
    site.write(
        "content/works/a.yaml",
        "title: {en: Work a, es: Obra a}\nlevel: easy\nresults: {en: [{name: Eight of ten, kind: big}]}\n",
    );
    site.edit(
        "content/site.yaml",
        "locales: [en, es]",
        "locales: [en, es]\nfallback: {es: en}",
    );
    let run = site.build();
    run.page("/es/works/a/")
        .contains("<dt><span lang=\"en\" dir=\"ltr\">Eight of ten</span></dt><dd>+</dd>");
    run.page("/works/a/").contains("<dt>Eight of ten</dt>");
}

#[test]
fn an_entry_in_markdown_names_the_field_for_a_key_of_other_programs() {
    let site = works();
    site.edit(
        SCHEMA,
        "fields:\n  title",
        "fields:\n  modified: {type: date, meaning: When it was changed.}\n  body: {type: markdown, words: true, meaning: About it.}\n  title",
    );
    site.write(
        "content/works/en/d.md",
        "---\ntitle: Work d\nlevel: easy\nlastmod: 2030-01-01\npermalink: /d/\n---\nText.\n",
    );
    let run = site.build();
    assert!(
        run.stderr.contains("did you mean `modified`?") && !run.stderr.contains("rename the file"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_mistake_in_the_footer_is_one_mistake() {
    let site = SiteTest::small();
    site.edit(
        "content/site.yaml",
        "footer:\n",
        "footer:\n  groups: [{title: {en: More, es: Más}, itemz: []}]\n",
    );
    let run = site.build();
    assert!(!run.stderr.contains("footer.tagline"), "{}", run.stderr);
}

#[test]
fn a_translator_gets_no_settings_of_a_section() {
    let site = SiteTest::small();
    site.write(
        "content/pages/about/en.yaml",
        "path: /about/\ntitle: About\ndescription: About us.\nassumes: {visits: none}\nsections:\n  - {kind: hero, band: ink, title: About}\n  - {kind: prose, band: signal, title: Last, body: The last one.}\n",
    );
    let run = site.run(&["translations", "export", "es"]);
    assert!(
        run.stdout.contains("<source>The last one.</source>"),
        "{}",
        run.stdout
    );
    for setting in ["signal", "ink", "none"] {
        assert!(
            !run.stdout.contains(&format!("<source>{setting}</source>")),
            "{setting}: {}",
            run.stdout
        );
    }
}

/// Names of fields and choices may be those of keys that programs read elsewhere.
#[test]
fn a_translator_gets_the_labels_of_all_fields_of_a_form() {
    let site = contact();
    site.write(
        "content/forms/contact/form.yaml",
        "fields:\n  email: {type: email, required: true}\n  kind: {type: choice, choices: [link, code]}\n  date: {type: date, min: tomorrow}\ncaptcha: false\nsteps: [[email, kind], [date]]\n",
    );
    site.write(
        "content/forms/contact/en.yaml",
        "title: Write\nfields:\n  email: {label: Your email}\n  kind: {label: What sort, choices: {link: By link, code: By code}}\n  date: {label: Which day}\n",
    );
    std::fs::remove_file(site.path("content/forms/contact/es.yaml")).expect("removed");
    // A field with a mistake is a field all the same.
    let run = site.run(&["check"]);
    assert!(!run.stderr.contains("has no field"), "{}", run.stderr);
    site.edit("content/forms/contact/form.yaml", "tomorrow", "today");
    let run = site.run(&["translations", "export", "es"]);
    for label in ["Your email", "What sort", "By link", "By code", "Which day"] {
        assert!(
            run.stdout.contains(&format!("<source>{label}</source>")),
            "{label}: {}",
            run.stdout
        );
    }
}

#[test]
fn an_entry_without_a_page_is_a_part_of_the_list_in_feeds() {
    let site = works();
    site.edit(SCHEMA, "address: \"{list}{slug}/\"\n", "");
    site.edit(
        SCHEMA,
        "title: \"{title}\"\ndescription: \"About {title}\"\n",
        "",
    );
    site.edit(
        SCHEMA,
        "sort: [title]\n",
        "sort: [title]\nfeed: {date: start}\n",
    );
    std::fs::remove_file(site.path(TEMPLATE)).expect("removed");
    site.edit(
        "content/works/a.yaml",
        "level: easy",
        "level: easy\nstart: 2035-01-01",
    );
    site.edit(
        "templates/sections/entries/entries.html",
        "{{ entry.link.href }}",
        "/works/",
    );
    let run = site.build();
    let feed = String::from_utf8(run.files()["works/feed.json"].clone()).expect("a feed");
    assert!(feed.contains("https://small.example/works/#a\""), "{feed}");
}

#[test]
fn groups_stay_together_on_numbered_pages() {
    let site = works();
    site.edit(
        LIST,
        "of: works, group: level}",
        "of: works, group: level, per_page: 2}",
    );
    site.edit(LIST, "  - {kind: entries, of: works, limit: 1}\n", "");
    site.edit(LIST, "  - {kind: entries, of: works}\n", "");
    let run = site.build();
    // Easy is the second of the schema, although its entry is the first by title.
    run.page("/works/")
        .contains("<h3>Hard</h3>")
        .contains("Work b")
        .contains("Work c")
        .lacks("<h3>Easy");
    run.page("/works/page/2/")
        .contains("<h3>Easy</h3>")
        .contains("Work a")
        .lacks("<h3>Hard");
}

#[test]
fn two_collections_on_one_page_cannot_both_have_its_feeds() {
    let site = works();
    let schema = std::fs::read_to_string(site.path(SCHEMA)).expect("a schema");
    let schema = schema.replace(
        "sort: [title]\n",
        "sort: [title]\nfeed: {date: start, calendar: true}\n",
    );
    site.write(SCHEMA, &schema);
    site.write(
        "templates/collections/others/schema.yaml",
        schema
            .split("filters:")
            .next()
            .expect("a start")
            .replace("{list}", "/others/")
            + schema
                .split_once("fields:")
                .map(|(_, fields)| format!("fields:{fields}"))
                .expect("fields")
                .as_str(),
    );
    let template = std::fs::read_to_string(site.path(TEMPLATE)).expect("a template");
    site.write("templates/collections/others/others.html", template);
    site.write(
        "content/others/o.yaml",
        "title: {en: Other}\nlevel: easy\nstart: 2035-01-01\n",
    );
    let list = std::fs::read_to_string(site.path(LIST)).expect("a page");
    site.write(LIST, format!("{list}  - {{kind: entries, of: others}}\n"));
    let run = site.run(&["check"]);
    assert!(
        run.problems().iter().any(
            |problem| problem.starts_with("path-taken templates/collections/works/schema.yaml")
        ) && run.stderr.contains("lists `others` and `works`"),
        "{}",
        run.stderr
    );
}

/// A day with a length of time is a number of whole days, also where a clock changes.
#[test]
fn an_event_of_days_with_a_length_is_all_day() {
    let site = works();
    site.edit(
        SCHEMA,
        "sort: [title]\n",
        "sort: [title]\nfeed: {date: start, end: length, calendar: true}\n",
    );
    site.edit(
        SCHEMA,
        "  seen: ",
        "  length: {type: duration, meaning: How long it takes.}\n  seen: ",
    );
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("settings");
    site.write(
        "content/site.yaml",
        format!("{settings}timezone: America/New_York\n"),
    );
    for (key, length) in [("a", "2 d"), ("b", "2 h")] {
        let file = format!("content/works/{key}.yaml");
        let text = std::fs::read_to_string(site.path(&file)).expect("an entry");
        // The clock is set back on the second day.
        site.write(
            &file,
            format!("{text}start: 2035-11-03\nlength: {length}\n"),
        );
    }
    let run = site.build();
    let calendar = String::from_utf8(run.files()["works/calendar.ics"].clone()).expect("UTF-8");
    for day in ["20351105", "20351104"] {
        let times = format!("DTSTART;VALUE=DATE:20351103\r\nDTEND;VALUE=DATE:{day}\r\n");
        assert!(calendar.contains(&times), "{day}: {calendar}");
    }
}

/// A talk of three days that has begun is before one that is over, and the build that follows its end is known.
#[test]
fn an_event_with_a_length_is_not_over_when_it_has_begun() {
    let site = works();
    site.edit(
        SCHEMA,
        "sort: [title]\n",
        "sort: [title]\nfeed: {date: start, end: length}\n",
    );
    site.edit(
        SCHEMA,
        "  seen: ",
        "  length: {type: duration, meaning: How long it takes.}\n  seen: ",
    );
    for (key, start, length) in [
        ("a", "2035-11-02", "3 d"),
        ("b", "2035-11-03T10:00", "30 min"),
    ] {
        let file = format!("content/works/{key}.yaml");
        let text = std::fs::read_to_string(site.path(&file)).expect("an entry");
        site.write(&file, format!("{text}start: {start}\nlength: {length}\n"));
    }
    let first = |at: &str| -> String {
        let run = site.run(&["build", "--at", at]);
        let feed: serde_json::Value =
            serde_json::from_slice(&run.files()["works/feed.json"]).expect("JSON");
        let url = feed["items"][0]["url"].as_str().expect("a URL");
        url.trim_end_matches('/')
            .rsplit('/')
            .next()
            .expect("a key")
            .to_owned()
    };
    assert_eq!(first("2035-11-03T10:20:00Z"), "a");
    // Both last: the one that began first.
    assert_eq!(first("2035-11-04T23:59:00Z"), "a");
    // Both are over: the one that began last.
    assert_eq!(first("2035-11-05T00:00:00Z"), "b");
    let next = |at: &str| {
        let run = site.run(&["next-change", "--at", at]);
        run.stdout.lines().next().unwrap_or_default().to_owned()
    };
    assert!(
        next("2035-11-03T10:20:00Z").starts_with("2035-11-03T10:30"),
        "{}",
        next("2035-11-03T10:20:00Z")
    );
    assert!(
        next("2035-11-04T12:00:00Z").starts_with("2035-11-05"),
        "{}",
        next("2035-11-04T12:00:00Z")
    );
}
