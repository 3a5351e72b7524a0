//! The page that lists a collection, pages by the values of a field, related entries, and words that editors give to them.

use crate::collections::events;
use crate::new_site::small_site;
use crate::site_test::SiteTest;

const LIST: &str = "content/pages/works/en.yaml";
const SCHEMA: &str = "templates/collections/works/schema.yaml";

/// The small site with works below the page that lists them, filtered by topic, and with related works.
fn works() -> SiteTest {
    let site = SiteTest::small();
    site.edit(
        "content/pages/home/en.yaml",
        "page:about#team",
        "page:works",
    );
    site
        .file(
            SCHEMA,
            "meaning: What was made.
address: \"{list}{slug}/\"
title: \"{title}\"
description: \"{text}\"
label: \"{topics.name}\"
filters:
  topics: {address: \"{list}about/{slug}/\", empty: true}
fields:
  title: {type: text, words: true, required: true, meaning: Its name.}
  text: {type: text, words: true, required: true, meaning: What it is.}
  topics: {type: reference, to: topics, list: true, meaning: What it is about.}
  year: {type: number, required_unless: topics, meaning: When it was made.}
",
        )
        .file(
            "templates/collections/works/works.html",
            "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ entry.title }}</h1><p>{{ entry.text }}</p>\
             {% for topic in filters(entry).topics %}<a href=\"{{ topic.link.href }}\">{{ topic.name }} {{ topic.count }}</a>{% endfor %}\
             {% for other in related(entry, by=[\"topics\"], sort=\"title\", limit=2) %}<b>{{ other.title }}</b>{% endfor %}\
             <i>{{ list.empty }}</i>{% for step in page.breadcrumb %}<u>{{ step.label }}</u>{% endfor %}{% endblock %}",
        )
        .file(
            "templates/collections/topics/schema.yaml",
            "meaning: A topic.\nsource: {file: topics.yaml}\nfields:\n  name: {type: text, words: true, required: true, meaning: Its name.}\n",
        )
        .file("content/topics/topics.yaml", "wood: {name: Wood}\nstone: {name: {en: Stone, es: Piedra}}\nair: {name: Air}\n")
        .file("content/works/a.yaml", "title: {en: Arch, es: Arco}\ntext: {en: An arch., es: Un arco.}\ntopics: [stone, wood]\n")
        .file("content/works/b.yaml", "title: Barn\ntext: A barn.\ntopics: [wood]\n")
        .file("content/works/c.yaml", "title: Column\ntext: A column.\ntopics: [wood, stone]\n")
        .file("content/works/d.yaml", "title: Dome\ntext: A dome.\nyear: 1999\n")
        .file(
            "templates/sections/entries/entries.html",
            "{% if filter is defined and filter %}<em>{{ filter.name }}</em>{% endif %}{% for group in section.groups %}{% for entry in group.entries %}\
             <a href=\"{{ entry.link.href }}\">{{ entry.title }}</a>{% endfor %}{% endfor %}\
             {% for option in section.filters[0][\"values\"] %}<s>{{ option.name }} {{ option.count }}</s>{% endfor %}\
             {% for option in section.filters[0][\"values\"] %}<a href=\"{{ option.link.href }}\">+</a>{% endfor %}",
        )
        .file(
            LIST,
            "path: /works/\ntitle: Works\ndescription: What was made.\nunlinked: true\nsections:\n  - {kind: hero, title: Works}\n  \
             - kind: entries\n    of: works\n    empty: Nothing yet\n    entry: {title: \"{title} · our work\"}\n    \
             filtered:\n      topics: {title: \"Made of {name}\", description: \"{count} works of {name}.\"}\n",
        )
}

#[test]
fn entries_are_below_the_page_that_lists_them_with_its_words() {
    let site = works();
    let run = site.built();
    run.page("/works/a/")
        .contains("<title>Arch · our work</title>")
        .contains("content=\"An arch.\"")
        .contains("<i>Nothing yet</i>")
        .contains("<u>Stone, Wood</u>");
    assert!(
        !run.files().contains_key("es/works/a/index.html"),
        "Spanish has no page that lists works"
    );
    let list = std::fs::read_to_string(site.path(LIST)).expect("the list");
    let spanish = list
        .replace("/works/", "/es/obras/")
        .replace("our work", "obra")
        .replace("title: Works", "title: Obras");
    site.write(
        "content/pages/works/es.yaml",
        spanish.replace("What was made.", "Lo que se hizo."),
    );
    let run = site.built();
    run.page("/es/obras/a/")
        .contains("<title>Arco · obra</title>")
        .contains("hreflang=\"en\" href=\"https://small.example/works/a/\"");
    run.page("/es/obras/about/stone/")
        .contains("<em>Piedra</em>");
    site.edit(LIST, "unlinked: true", "unlinked: true\nnoindex: true");
    site.built().page("/works/a/").contains("noindex");
}

#[test]
fn a_page_by_a_value_has_the_sections_of_the_list() {
    let run = works().built();
    run.page("/works/")
        .contains("<s>Wood 3</s><s>Stone 2</s><s>Air 0</s>")
        .lacks("<em>");
    run.page("/works/about/stone/")
        .contains("<title>Made of Stone</title>")
        .contains("content=\"2 works of Stone.\"")
        .contains("<em>Stone</em>")
        .contains("<a href=\"/works/a/\">Arch</a><a href=\"/works/c/\">Column</a>")
        .lacks("Barn");
    run.page("/works/about/air/")
        .contains("<em>Air</em>")
        .lacks("Arch");
}

#[test]
fn a_page_by_a_value_says_which_in_its_heading_and_has_pages_of_its_own() {
    let site = works();
    site.edit(LIST, "    of: works\n", "    of: works\n    per_page: 1\n");
    site.edit(
        LIST,
        "  - {kind: hero, title: Works}\n",
        "  - {kind: hero, title: Works}\n  - {kind: entries, of: works, limit: 1}\n",
    );
    site.edit(
        "templates/sections/entries/entries.html",
        "{% for option in section.filters[0][\"values\"] %}<s>",
        "{% for option in section.filters[0][\"values\"] if section.is_list %}<s>",
    );
    site.edit(
        "templates/sections/entries/entries.html",
        "{% for group",
        "{% if section.filter %}<var>{{ section.filter.key }}</var>{% endif %}{% if section.pages %}<i>{{ section.pages.total }}</i>{% endif %}{% for group",
    );
    let run = site.built();
    run.page("/works/")
        .contains("Works</h1>")
        .contains("<i>4</i>");
    let list = String::from_utf8_lossy(&run.files()["works/index.html"]).into_owned();
    assert_eq!(
        list.matches("<s>Wood 3</s>").count(),
        1,
        "the links by value are in the section of the list alone"
    );
    run.page("/works/about/stone/")
        .contains("Made of Stone</h1>")
        .contains("<var>stone</var><i>2</i>")
        .contains("Arch")
        .lacks("Column");
    run.page("/works/about/stone/page/2/")
        .contains("Made of Stone</h1>")
        .contains("Column");
    assert!(
        !run.files()
            .contains_key("works/about/stone/page/3/index.html")
    );
    assert!(
        !run.files()
            .contains_key("works/about/air/page/2/index.html")
    );
}

#[test]
fn a_further_section_of_which_nothing_is_left_is_not_on_the_page_of_a_value() {
    let site = small_site(&[]);
    site.write(
        "templates/collections/works/schema.yaml",
        "meaning: Works.\nfilters:\n  topic: {address: \"/works/about/{slug}/\"}\n\
         fields:\n  title: {type: text, required: true, meaning: Its name.}\n  topic: {type: choice, choices: {wood: Wood, stone: Stone}, meaning: A topic.}\n",
    );
    site.write("content/works/a.yaml", "title: Arch\ntopic: stone\n");
    site.write("content/works/b.yaml", "title: Barn\ntopic: wood\n");
    site.write(
        "content/pages/works/en.yaml",
        "path: /works/\ntitle: Works\ndescription: All works.\nunlinked: true\nsections:\n  - {kind: hero, title: Works}\n\
         \x20 - {kind: entries, of: works, where: {topic: wood}, limit: 1, title: In wood}\n  - {kind: entries, of: works, empty: Nothing}\n",
    );
    let run = site.built();
    run.page("/works/").contains("In wood");
    run.page("/works/about/wood/").contains("In wood");
    run.page("/works/about/stone/")
        .lacks("In wood")
        .contains("Arch");
}

#[test]
fn related_entries_share_most_values_and_an_entry_shows_its_own() {
    let run = works().built();
    run.page("/works/a/")
        .contains("<b>Column</b><b>Barn</b>")
        .contains(
            "<a href=\"/works/about/stone/\">Stone 2</a><a href=\"/works/about/wood/\">Wood 3</a>",
        );
    run.page("/works/d/")
        .contains("<b>Arch</b><b>Barn</b>")
        .lacks("works/about");
}

#[test]
fn a_list_is_rendered_again_for_the_fields_that_it_shows_and_no_others() {
    let site = works();
    site.built();
    let rendered = |path: &str| site.run(&["why", path]).stdout.contains("was rendered");
    site.edit(
        "content/works/b.yaml",
        "text: A barn.",
        "text: A large barn.",
    );
    site.built().page("/works/b/").contains("A large barn.");
    assert!(rendered("/works/b/") && !rendered("/works/") && !rendered("/works/a/"));
    site.edit("content/works/b.yaml", "title: Barn", "title: Old barn");
    let run = site.built();
    run.page("/works/").contains("Old barn");
    run.page("/works/a/")
        .contains("<b>Column</b><b>Old barn</b>");
    // Another entry becomes the nearest one, without a change of its own.
    site.edit(
        "content/works/c.yaml",
        "topics: [wood, stone]",
        "topics: [air]",
    );
    site.built()
        .page("/works/a/")
        .contains("<b>Old barn</b><b>Column</b>");
    let checked = site.run(&["build", "--strict", "--verify-cache"]);
    assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
}

#[test]
fn mistakes_in_lists_are_reported_at_their_place() {
    let site = works();
    for (path, old, new, expected) in [
        (
            LIST,
            "{title} · our",
            "{titel} · our",
            "`{titel}` is not a placeholder here",
        ),
        (
            LIST,
            "{title} · our",
            "{titel} · our",
            "hint: did you mean `title`?",
        ),
        (
            LIST,
            "Made of {name}",
            "Made of {nam}",
            "content/pages/works/en.yaml:12:",
        ),
        (
            LIST,
            "      topics:",
            "      topic:",
            "`works` has no filter `topic`",
        ),
        (
            "content/works/a.yaml",
            "[stone, wood]",
            "[stone, wood, stone]",
            "error[duplicate-id]: `stone` is listed twice",
        ),
        (
            "content/works/d.yaml",
            "year: 1999\n",
            "",
            "the key `year` is missing here",
        ),
        (
            SCHEMA,
            "required_unless: topics",
            "required_unless: topic",
            "there is no field `topic` in the same block as `year`",
        ),
        (
            SCHEMA,
            "address: \"{list}{slug}/\"",
            "address: \"{list}\"",
            "`address` is the same for all entries",
        ),
        (
            SCHEMA,
            "address: \"{list}{slug}/\"",
            "address: \"/x/{list}{slug}/\"",
            "there is no field `list`",
        ),
        (SCHEMA, "empty: true", "empty: perhaps", "error[wrong-type]"),
        (
            "templates/collections/works/works.html",
            "by=[\"topics\"]",
            "by=[\"topic\"]",
            "there is no field `topic` in `works`",
        ),
    ] {
        let text = std::fs::read_to_string(site.path(path)).expect(path);
        assert!(text.contains(old), "{path}: {old}");
        site.write(path, text.replace(old, new));
        let run = site.build();
        assert!(
            run.stderr.contains(expected),
            "{path}: {new}\n{}",
            run.stderr
        );
        site.write(path, text);
    }
    assert_eq!(site.build().problems(), Vec::<String>::new());
}

#[test]
fn a_part_of_a_list_is_not_the_page_that_lists_all() {
    let site = works();
    site.edit(
        "content/pages/home/en.yaml",
        "page:works).\"\n",
        "page:works).\"\n  - {kind: entries, of: works, limit: 1}\n",
    );
    let run = site.built();
    run.page("/works/b/").contains("our work");
    let list = std::fs::read_to_string(site.path(LIST)).expect("the list");
    site.write(
        "content/pages/works-2/en.yaml",
        list.replace("/works/", "/works-2/"),
    );
    let run = site.build();
    assert!(
        run.stderr
            .contains("already lists `works` in this language"),
        "{}",
        run.stderr
    );
    site.remove("content/pages/works-2/en.yaml");
    site.edit(LIST, "    of: works\n", "    of: topics\n");
    site.edit(
        "content/pages/home/en.yaml",
        "  - {kind: entries, of: works, limit: 1}\n",
        "",
    );
    let run = site.build();
    assert!(
        run.stderr.contains("no page lists the entries of `works`"),
        "{}",
        run.stderr
    );
}

/// A list of a collection whose addresses are elsewhere can be repeated.
#[test]
fn a_collection_with_addresses_of_its_own_has_as_many_lists_as_pages_want() {
    let site = events();
    let home = std::fs::read_to_string(site.path("content/pages/home/en.yaml")).expect("the page");
    let list = &home[home.find("  - {kind: entries").expect("a list")..];
    site.write(
        "content/pages/dates/en.yaml",
        format!("path: /dates/\ntitle: Dates\ndescription: All dates.\nunlinked: true\nsections:\n  - {{kind: hero, title: Dates}}\n{list}"),
    );
    assert_eq!(site.build().problems(), Vec::<String>::new());
}

/// Halls that are let until a day, events whose URL has the hall, and a list of the events by a flag.
fn halls() -> SiteTest {
    let site = works();
    site.edit(LIST, "of: works", "of: shows\n    group: free");
    site.edit(LIST, "entry: {title: \"{title} · our work\"}", "");
    site.edit(
        LIST,
        "filtered:\n      topics: {title: \"Made of {name}\", description: \"{count} works of {name}.\"}\n",
        "",
    );
    for work in ["a", "b", "c", "d"] {
        site.remove(&format!("content/works/{work}.yaml"));
    }
    site.file(
        "templates/collections/halls/schema.yaml",
        "meaning: A hall.\npublish: {until: last}\nfields:\n  name: {type: text, words: true, required: true, meaning: Its name.}\n  \
         last: {type: date, meaning: Its last day.}\n",
    )
    .file("content/halls/blue.yaml", "name: {en: Blue Hall, es: Sala azul}\nlast: 2035-01-31\n")
    .file(
        "templates/collections/shows/schema.yaml",
        "meaning: A show.\naddress: \"{list}{hall}/{hall.name}/{slug}/\"\ntitle: \"{title}\"\ndescription: \"{title}\"\nfields:\n  \
         title: {type: text, words: true, required: true, meaning: Its name.}\n  \
         hall: {type: reference, to: halls, required: true, meaning: Where it is.}\n  \
         free: {type: flag, meaning: Whether it costs nothing.}\n",
    )
    .file(
        "templates/collections/shows/shows.html",
        "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ entry.title }}</h1><b>{{ entry.hall.name if entry.hall }}</b>{% endblock %}",
    )
    .file("content/shows/gala.yaml", "title: Gala\nhall: blue\nfree: true\n")
    .file(
        "templates/sections/entries/entries.html",
        "{% for group in section.groups %}<h2>{{ group.name }}</h2>{% for entry in group.entries %}\
         <a href=\"{{ entry.link.href }}\">{{ entry.title }}</a>{% endfor %}{% endfor %}",
    )
}

#[test]
fn a_url_stays_when_the_entry_that_it_names_is_no_longer_public() {
    let site = halls();
    for (day, hall) in [("2035-01-31", "Blue Hall"), ("2035-02-01", "")] {
        let run = site.run(&["build", "--at", day]);
        assert_eq!(run.status, 0, "{day}: {}", run.stderr);
        run.page("/works/blue/blue-hall/gala/")
            .contains(&format!("<h1>Gala</h1><b>{hall}</b>"));
    }
}

#[test]
fn a_url_that_needs_an_entry_with_a_mistake_is_no_mistake_of_its_own() {
    let site = halls();
    site.edit("content/shows/gala.yaml", "blue", "bleu");
    assert_eq!(
        site.build().problems(),
        ["unknown-id content/shows/gala.yaml:2:7"]
    );
    let site = halls();
    site.edit("content/halls/blue.yaml", "2035-01-31", "soon");
    assert_eq!(
        site.build().problems(),
        ["invalid-value content/halls/blue.yaml:2:7"]
    );
}

#[test]
fn groups_by_a_flag_are_called_yes_and_no() {
    let site = halls().file(
        "content/shows/opera.yaml",
        "title: Opera\nhall: blue\nfree: false\n",
    );
    for (code, yes) in [("en", "yes: Yes\n  no: No"), ("es", "yes: Sí\n  no: No")] {
        let file = format!("content/locales/{code}.yaml");
        site.edit(&file, "messages:", &format!("messages:\n  {yes}"));
    }
    let run = site.run(&["build", "--at", "2035-01-01"]);
    run.page("/works/")
        .contains("<h2>Yes</h2><a href=\"/works/blue/blue-hall/gala/\">Gala</a>")
        .contains("<h2>No</h2><a href=\"/works/blue/blue-hall/opera/\">Opera</a>");
}

#[test]
fn different_values_with_one_url_are_reported() {
    let site = halls();
    site.edit(
        "templates/collections/shows/schema.yaml",
        "title: \"{title}\"\n",
        "title: \"{title}\"\nfilters: {styles: \"{list}in/{slug}/\"}\n",
    );
    site.edit(
        "templates/collections/shows/schema.yaml",
        "free: {",
        "styles: {type: text, list: true, meaning: Its styles.}\n  free: {",
    );
    site.edit(
        "content/shows/gala.yaml",
        "free: true",
        "styles: [\"C#\", Jazz]",
    );
    let site = site.file(
        "content/shows/opera.yaml",
        "title: Opera\nhall: blue\nstyles: [C-, jazz]\n",
    );
    let run = site.run(&["check", "--at", "2035-01-01"]);
    assert!(
        run.stderr
            .contains("the values `C#` and `C-` of `styles` have the same URL")
            && !run.stderr.contains("`Jazz`"),
        "{}",
        run.stderr
    );
}
