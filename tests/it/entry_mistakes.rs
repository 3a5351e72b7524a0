//! Mistakes in entries, schemas and lists as people make them: each is reported at its line, with the others of its file, once.

use crate::collections::{EVENT_SCHEMA, events};
use crate::site_test::SiteTest;

const ONE: &str = "content/events/one.yaml";
const HOME: &str = "content/pages/home/en.yaml";

fn problems(site: &SiteTest) -> Vec<String> {
    site.run(&["check"]).problems()
}

fn output(site: &SiteTest) -> String {
    site.run(&["check"]).stderr
}

/// Events with prices in a table. Every entry needs a cost.
fn prices(rows: &str) -> SiteTest {
    let schema = "meaning: Prices.\nsource: {file: prices.csv}\nfields:\n  title: {type: text, words: true, required: true, \
        meaning: Its name.}\n  cost: {type: amount, required: true, meaning: What it costs.}\n";
    events()
        .file("templates/collections/prices/schema.yaml", schema)
        .file("content/prices/prices.csv", rows)
}

#[test]
fn a_name_in_a_list_is_reported_where_it_is_written() {
    let cases = [
        ("of: events", "of: event", "there is no collection `event`"),
        (
            "of: events",
            "of: events, upcoming: home",
            "there is no field `home`",
        ),
        (
            "of: events",
            "of: events, sort: [-small]",
            "there is no field `small`",
        ),
        (
            "of: events",
            "of: events, where: {things: a}",
            "there is no field `things`",
        ),
        (
            "of: events",
            "of: events, entry: {title: \"{title} {of}\"}",
            "`{of}` is not a placeholder",
        ),
    ];
    for (before, after, message) in cases {
        let site = events();
        // The words are in the description and in the title of the section, too.
        site.edit(
            HOME,
            "The home of small things.",
            "The home of small things, event, {product.name}.",
        );
        site.edit(HOME, before, after);
        let (found, output) = (problems(&site), output(&site));
        assert!(output.contains(message), "{output}");
        let is_at_line = |problem: &String| problem.contains(&format!("{HOME}:6:"));
        assert!(found.iter().any(is_at_line), "{after}: {found:?}");
    }
    let site = events();
    site.edit(HOME, "of: events", "of: workshops");
    assert!(
        output(&site).contains("create it with `sitegen new collection workshops`"),
        "{}",
        output(&site)
    );
}

#[test]
fn a_reference_of_a_schema_is_reported_at_its_collection() {
    let site = events();
    site.edit(
        EVENT_SCHEMA,
        "fields:\n",
        "fields:\n  market_place: {type: text, meaning: Its market.}\n",
    );
    site.edit(EVENT_SCHEMA, "to: places", "to: place");
    // The line of `place`, at the value of `to`.
    assert_eq!(
        problems(&site)[0],
        format!("unknown-id {EVENT_SCHEMA}:13:32"),
        "{}",
        output(&site)
    );
    let site = events();
    site.edit(
        "templates/collections/places/schema.yaml",
        "of: events.place",
        "of: events.plac",
    );
    let expected = "unknown-id templates/collections/places/schema.yaml:5:31";
    assert!(
        problems(&site).contains(&expected.to_owned()),
        "{}",
        output(&site)
    );
}

#[test]
fn every_mistake_of_an_entry_is_reported_at_once() {
    let site = events().file(
        ONE,
        "title: {en: One, es: Uno}\ndate: 31.1.2035\ncloses: soon\nprice: cheap\nplac: hall\n",
    );
    let found = problems(&site);
    for expected in [
        "invalid-value content/events/one.yaml:2:7",
        "invalid-value content/events/one.yaml:3:9",
    ] {
        assert!(found.contains(&expected.to_owned()), "{found:?}");
    }
    assert!(
        found.contains(&"invalid-value content/events/one.yaml:4:8".to_owned()),
        "{found:?}"
    );
    assert!(
        found.contains(&"unknown-key content/events/one.yaml:5:1".to_owned()),
        "{found:?}"
    );
    // A misspelled key is not missing as well.
    assert_eq!(found.len(), 4, "{}", output(&site));
    site.write(ONE, "title: {en: One, es: Uno}\n");
    let found = output(&site);
    for key in ["date", "place"] {
        assert!(
            found.contains(&format!("the key `{key}` is missing here")),
            "{found}"
        );
    }
}

#[test]
fn a_required_text_is_not_empty() {
    for empty in ["\"\"", "\"  \""] {
        let site = events();
        site.edit(ONE, "en: One", &format!("en: {empty}"));
        assert_eq!(
            problems(&site),
            ["invalid-value content/events/one.yaml:1:13"],
            "{}",
            output(&site)
        );
        assert!(output(&site).contains("`title` is required, but this text is empty"));
    }
}

#[test]
fn a_row_of_a_table_is_named_by_its_line() {
    let site =
        prices("key,title.en,title.es,cost\na,Cut,Corte,12 EUR\nb,Wash,Lavado,\nc,Dry,Secado,\n");
    assert_eq!(
        problems(&site),
        [
            "missing-key content/prices/prices.csv:3:1",
            "missing-key content/prices/prices.csv:4:1"
        ],
        "{}",
        output(&site)
    );
    assert!(
        output(&site).contains("this row has no value in the column `cost`"),
        "{}",
        output(&site)
    );
    let site = prices(
        "key,title.en,title.es,cost\na,Cut,Corte,12 EUR\nb,Wash,Lavado,9 EUR\na,Dry,Secado,4 EUR\n",
    );
    assert_eq!(
        problems(&site),
        ["duplicate-id content/prices/prices.csv:4:1"],
        "{}",
        output(&site)
    );
    // A column that is not there is one mistake.
    let site = prices("key,title.en,title.es\na,Cut,Corte\nb,Wash,Lavado\n");
    assert_eq!(
        problems(&site),
        ["missing-key content/prices/prices.csv:1:1"],
        "{}",
        output(&site)
    );
    assert!(
        output(&site).contains("there is no column `cost`"),
        "{}",
        output(&site)
    );
}

#[test]
fn words_in_one_language_are_noticed() {
    let site = events();
    site.edit(ONE, "{en: One, es: Uno}", "One");
    site.edit(
        EVENT_SCHEMA,
        "fields:\n",
        "fields:\n  note: {type: text, words: true, meaning: A note.}\n",
    );
    site.edit(ONE, "price", "note: {en: Come, es: Venid}\nprice");
    assert_eq!(
        problems(&site),
        ["translation-missing content/events/one.yaml:1:1"],
        "{}",
        output(&site)
    );
    assert!(
        output(&site).contains("write the text in each language: `title: {…: …, es: …}`"),
        "{}",
        output(&site)
    );
    site.edit(ONE, "title: One", "title: {en: One, es: Uno}");
    assert_eq!(problems(&site), Vec::<String>::new());
    site.edit(ONE, "note: {en: Come, es: Venid}", "note: Come");
    assert_eq!(
        problems(&site),
        ["translation-missing content/events/one.yaml:4:1"],
        "{}",
        output(&site)
    );
    assert!(
        output(&site).contains("so only pages in `en` show it"),
        "{}",
        output(&site)
    );
}

#[test]
fn a_word_beside_the_facts_that_each_language_has_is_noticed() {
    let site = events()
        .file(
            "content/events/fair/entry.yaml",
            "title: Market\ndate: 2035-03-31\nplace: hall\n",
        )
        .file("content/events/fair/en.yaml", "title: Fair\n")
        .file("content/events/fair/es.yaml", "title: Feria\n");
    assert_eq!(
        problems(&site),
        ["duplicate-id content/events/fair/entry.yaml:1:1"],
        "{}",
        output(&site)
    );
    assert!(
        output(&site).contains("so this text is not shown"),
        "{}",
        output(&site)
    );
}

#[test]
fn a_required_reference_to_what_a_language_leaves_out_is_noticed() {
    let site = events();
    let schema = "templates/collections/places/schema.yaml";
    site.edit(
        schema,
        "fields:\n",
        "missing: leave_out\nfields:\n  note: {type: text, words: true, meaning: A note.}\n",
    );
    site.write("content/places/hall.yaml", "name: Hall\nnote: {en: Come}\n");
    assert_eq!(
        problems(&site)[0],
        "translation-missing content/events/one.yaml:3:8",
        "{}",
        output(&site)
    );
    assert!(
        output(&site).contains("`places/hall` is left out in `es`"),
        "{}",
        output(&site)
    );
}

#[test]
fn the_redirect_of_an_entry_that_has_moved_leads_to_it() {
    let site = events();
    assert_eq!(site.run(&["check", "--accept-urls"]).status, 0);
    site.edit(
        EVENT_SCHEMA,
        "address: /events/{slug}/",
        "address: \"/events/{title}/\"",
    );
    site.edit(ONE, "en: One, es: Uno", "en: Two or three, es: Dos");
    site.edit("content/events/two.yaml", "en: Two", "en: One or none");
    let found = output(&site);
    for key in ["one", "two"] {
        assert!(
            found.contains(&format!("{{from: /events/{key}, to: page:events/{key}}}")),
            "{found}"
        );
    }
}

#[test]
fn a_date_that_no_list_asks_for_changes_nothing() {
    let site = events();
    let next = || site.run(&["next-change"]).stdout;
    assert!(next().starts_with("nothing is scheduled"), "{}", next());
    site.edit(HOME, "of: events", "of: events, upcoming: date");
    assert_eq!(next().lines().next(), Some("2035-02-01T00:00:00Z"));
    assert!(
        next().ends_with("lists as begun or past content/events/one.yaml\n"),
        "{}",
        next()
    );
    let json = site.run(&["next-change", "--format", "json"]).stdout;
    assert!(
        json.contains("\"passed\":[\"content/events/one.yaml\"]"),
        "{json}"
    );
    // One file, once.
    site.edit(ONE, "price", "closes: 2035-01-31\nprice");
    assert_eq!(next().matches(ONE).count(), 1, "{}", next());
}

#[test]
fn a_misspelled_language_is_one_mistake() {
    let site = events();
    site.edit(
        EVENT_SCHEMA,
        "fields:\n",
        "fields:\n  note: {type: text, words: true, meaning: A note.}\n",
    );
    site.edit(ONE, "es: Uno}", "Es: Uno}\nnote: {en: Come, es: Venid}");
    assert_eq!(
        problems(&site),
        ["unknown-id content/events/one.yaml:1:18"],
        "{}",
        output(&site)
    );
    assert!(
        output(&site).contains("did you mean `es`?"),
        "{}",
        output(&site)
    );
}

#[test]
fn a_field_that_is_no_field_of_words_anymore_is_one_mistake() {
    let site = events();
    site.edit(
        EVENT_SCHEMA,
        "title: {type: text, words: true,",
        "title: {type: text,",
    );
    assert_eq!(
        problems(&site),
        [format!("collection-schema {EVENT_SCHEMA}:8:3")],
        "{}",
        output(&site)
    );
    assert!(
        output(&site).contains("`title` has text for each language in 2 entries"),
        "{}",
        output(&site)
    );
    assert!(
        output(&site).contains("add `words: true`"),
        "{}",
        output(&site)
    );
    // One entry of several is wrong itself.
    let site = events().file(
        "content/events/three.yaml",
        "title: {en: Three}\ndate: 2035-03-01\nplace: yard\n",
    );
    site.edit(
        "content/places/hall.yaml",
        "name: Hall",
        "name: {en: Hall, es: Sala}",
    );
    assert_eq!(
        problems(&site),
        ["wrong-type content/places/hall.yaml:1:7"],
        "{}",
        output(&site)
    );
    assert!(
        output(&site).contains("add `words: true` to `name`"),
        "{}",
        output(&site)
    );
}

#[test]
fn a_folder_of_a_collection_that_is_gone_is_one_mistake() {
    let gone =
        |site: &SiteTest, folder: &str| std::fs::remove_dir_all(site.path(folder)).expect(folder);
    let site = events();
    site.edit(
        HOME,
        "title: Hello}",
        "title: Hello, lead: \"[One](page:events/one).\"}",
    );
    site.edit(
        "templates/collections/places/schema.yaml",
        "  events: {type: reverse, of: events.place,",
        "  events: {type: text,",
    );
    assert_eq!(problems(&site), Vec::<String>::new(), "{}", output(&site));
    // The schema, while the entries are there.
    gone(&site, "templates/collections/events");
    assert_eq!(
        problems(&site),
        ["unexpected-file content/events"],
        "{}",
        output(&site)
    );
    assert!(
        output(&site).contains("restore `templates/collections/events/schema.yaml`"),
        "{}",
        output(&site)
    );
    // Both.
    gone(&site, "content/events");
    site.edit(HOME, ", lead: \"[One](page:events/one).\"", "");
    assert_eq!(
        problems(&site),
        [format!("unknown-id {HOME}:6:25")],
        "{}",
        output(&site)
    );
    assert!(
        output(&site).contains("but 2 sections list its entries"),
        "{}",
        output(&site)
    );
    // The entries that others name.
    let site = events();
    gone(&site, "content/places");
    assert_eq!(
        problems(&site),
        ["unknown-id content/events/one.yaml:3:8"],
        "{}",
        output(&site)
    );
    assert!(
        output(&site).contains("`places` has no entries, but is referenced 2 times"),
        "{}",
        output(&site)
    );
}

#[test]
fn a_template_error_waits_for_dead_references_only() {
    let template = "templates/collections/events/events.html";
    let found = |site: &SiteTest| {
        problems(site)
            .iter()
            .filter(|found| found.contains(template))
            .count()
    };
    let with_error = || {
        let site = events();
        site.edit(template, "entry.place.name", "entry.place.name.first");
        site
    };
    assert_eq!(found(&with_error()), 1);
    // The menu names a collection that does not exist.
    let site = with_error();
    site.edit(
        "content/site.yaml",
        "  menu:\n",
        "  menu:\n    - {entries: evnts}\n",
    );
    assert!(
        output(&site).contains("there is no collection `evnts`"),
        "{}",
        output(&site)
    );
    assert_eq!(found(&site), 1, "{}", output(&site));
    // The entry that the template reads is not there, or could not be read.
    let site = events();
    site.edit(ONE, "place: hall", "place: hull");
    assert_eq!(
        problems(&site),
        ["unknown-id content/events/one.yaml:3:8"],
        "{}",
        output(&site)
    );
    let site = events();
    site.edit("content/places/hall.yaml", "near: yard", "neer: yard");
    assert_eq!(
        problems(&site),
        ["unknown-key content/places/hall.yaml:2:1"],
        "{}",
        output(&site)
    );
}

#[test]
fn a_pattern_names_a_part_of_a_value_that_its_type_has() {
    let site = events();
    site.edit(EVENT_SCHEMA, "  closes:", "  start: {type: moment, required: true, meaning: When it is.}\n  where: {type: coordinates, meaning: Its place.}\n  closes:");
    site.edit(
        EVENT_SCHEMA,
        "/events/{slug}/",
        "/events/{start.year}/{start.date}/{slug}/",
    );
    site.edit(
        "templates/collections/places/schema.yaml",
        "  near:",
        "  opened: {type: date, meaning: Since when.}\n  near:",
    );
    site.edit(
        "content/places/hall.yaml",
        "near:",
        "opened: 1999-05-04\nnear:",
    );
    site.edit(
        "content/places/yard.yaml",
        "near:",
        "opened: 1999-05-05\nnear:",
    );
    site.edit(
        EVENT_SCHEMA,
        "\"{title}: an event\"",
        "\"{title} in {start.year} on {start.date}, {place}\"",
    );
    site.edit(
        EVENT_SCHEMA,
        "sort: [date]\n",
        "sort: [date]\nstructured_data:\n  \"@type\": Place\n  name: \"{title}\"\n  geo: {\"@type\": GeoCoordinates, latitude: \"{where.latitude}\", longitude: \"{where.longitude}\"}\n",
    );
    for (path, start) in [
        (ONE, "2035-01-31"),
        ("content/events/two.yaml", "2035-02-28T18:30"),
    ] {
        site.edit(
            path,
            "date:",
            &format!("start: {start}\nwhere: 42.4201, 0.9912\ndate:"),
        );
    }
    let printed = "{% for data in page.structured_data %}{{ data }}{% endfor %}</p>";
    site.edit("templates/collections/events/events.html", "</p>", printed);
    let run = site.build();
    run.page("/events/2035/2035-01-31/one/")
        .contains("<title>One in 2035 on January 31, 2035, Hall");
    run.page("/events/2035/2035-01-31/one/")
        .contains(r#""latitude":"42.4201","longitude":"0.9912""#);
    let wrong = [
        (
            "{start.date}/{slug}",
            "{start.yeer}/{slug}",
            "write `start.value`, `start.date`, `start.time`, `start.year`, `start.day`",
        ),
        (
            "{where.latitude}",
            "{where.lat}",
            "write `where.value`, `where.latitude`, `where.longitude`, or `where`",
        ),
        (
            "at {place.name}",
            "at {place.link}",
            "there is no field `link`",
        ),
        (
            "at {place.name}",
            "at {price.amount}",
            "write `price.value`, `price.number`, `price.currency`",
        ),
    ];
    for (before, after, hint) in wrong {
        site.edit(EVENT_SCHEMA, before, after);
        assert_eq!(problems(&site).len(), 1, "{}", output(&site));
        assert!(output(&site).contains(hint), "{}", output(&site));
        site.edit(EVENT_SCHEMA, after, before);
    }
    // A date behind a reference is in ISO 8601, too.
    site.edit(EVENT_SCHEMA, "{start.date}/{slug}", "{place.opened}/{slug}");
    site.build()
        .page("/events/2035/1999-05-04/one/")
        .contains("<h1>One</h1>");
    site.edit(
        HOME,
        "of: events",
        "of: events, entry: {title: \"{title} {start.yeer}\"}",
    );
    assert!(
        output(&site).contains("`{start.yeer}` is not a placeholder here"),
        "{}",
        output(&site)
    );
    assert!(
        output(&site).contains("write `start.value`"),
        "{}",
        output(&site)
    );
}

#[test]
fn a_pattern_of_a_filter_has_only_the_placeholders_of_its_pages() {
    let site = events();
    let filters = "filters: {place: {address: \"/at/{slug}/\", title: \"In {nme}\", description: \"{count} in {name}\"}}\n";
    site.edit(
        EVENT_SCHEMA,
        "sort: [date]\n",
        &format!("sort: [date]\n{filters}"),
    );
    assert!(
        output(&site).contains("`{nme}` is not a placeholder here"),
        "{}",
        output(&site)
    );
    assert!(
        output(&site).contains("did you mean `name`?"),
        "{}",
        output(&site)
    );
}

#[test]
fn a_table_has_a_text_for_all_languages_or_one_for_each() {
    for head in ["key,title,title.es,cost", "key,title.es,title,cost"] {
        let site = prices(&format!("{head}\na,Cut,Corte,12 EUR\n"));
        let column = head.find("title,").map_or(0, |at| at + 1);
        assert_eq!(
            problems(&site),
            [format!(
                "duplicate-key content/prices/prices.csv:1:{column}"
            )],
            "{}",
            output(&site)
        );
        assert!(
            output(&site).contains("the columns `title` and `title.es` both set the same field"),
            "{}",
            output(&site)
        );
        assert!(
            output(&site).contains("give `title` a language too, such as `title.en`"),
            "{}",
            output(&site)
        );
    }
}

#[test]
fn a_cell_of_another_type_is_answered_in_words_for_cells() {
    let site = prices("key,title.en,title.es,cost,seats,free\na,Cut,Corte,12 EUR,12.0,perhaps\n");
    let fields = "  seats: {type: number, meaning: How many.}\n  free: {type: flag, meaning: Costs nothing.}\n  cost:";
    site.edit(
        "templates/collections/prices/schema.yaml",
        "  cost:",
        fields,
    );
    let found = output(&site);
    assert!(
        found.contains("write only digits in the cell, such as `12`"),
        "{found}"
    );
    assert!(
        found.contains("write `true` or `false` in the cell"),
        "{found}"
    );
    assert!(!found.contains("quotes"), "{found}");
}

#[test]
fn null_is_no_value_whatever_the_type() {
    let types = [
        "text",
        "number",
        "flag",
        "date",
        "amount, list: true",
        "text, list: true",
        "reference, to: places, list: true",
        "choice, choices: {a: A., b: B.}",
        "choice, choices: {a: A., b: B.}, default: b",
        "markdown",
    ];
    for kind in types {
        let site = events();
        site.edit(
            EVENT_SCHEMA,
            "  closes:",
            &format!("  more: {{type: {kind}, meaning: More.}}\n  closes:"),
        );
        site.edit(ONE, "date:", "more: null\ndate:");
        assert!(problems(&site).is_empty(), "{kind}: {}", output(&site));
    }
}

#[test]
fn null_in_one_language_is_a_text_that_is_lent() {
    let site = events();
    site.edit(
        "content/site.yaml",
        "locales: [en, es]",
        "locales: [en, es]\nfallback: {es: en}",
    );
    site.edit(
        EVENT_SCHEMA,
        "  closes:",
        "  more: {type: text, words: true, meaning: More.}\n  closes:",
    );
    site.edit(ONE, "date:", "more: {en: Lent., es: null}\ndate:");
    site.edit(
        "templates/collections/events/events.html",
        "{% block main %}",
        "{% block main %}<b>{{ entry.more }}</b>",
    );
    let run = site.build();
    run.page("/es/events/one/").contains("Lent.");
}

#[test]
fn an_error_in_a_macro_names_its_caller_and_a_page() {
    let site = events().file(
        "templates/components/go/go.html",
        "{% macro away(link) %}<i>{{ link.hreff }}</i>{% endmacro %}\n{% macro go(link) %}<a href=\"{{ link.to.href }}\">x</a>{% endmacro %}\n",
    );
    let template = "templates/collections/events/events.html";
    site.edit(
        template,
        "{% block main %}",
        "{% block main %}{% from \"components/go/go.html\" import go %}{{ go(entry.link) }}",
    );
    let run = site.run(&["check"]);
    assert_eq!(
        run.problems(),
        ["template-error templates/components/go/go.html:2:37"],
        "{}",
        run.stderr
    );
    let expected = format!("used by `{template}`, on `/es/events/one/` and 3 more pages");
    assert!(run.stderr.contains(&expected), "{}", run.stderr);
}

#[test]
fn the_link_of_a_value_is_one_for_macros_and_a_text() {
    let site = events();
    site.edit(
        EVENT_SCHEMA,
        "  closes:",
        "  phone: {type: phone, meaning: Who answers.}\n  closes:",
    );
    site.edit(ONE, "date:", "phone: +34 910 000 000\ndate:");
    let shown = "{% if entry.phone %}<a href=\"{{ entry.phone.link }}\" data-same=\"{{ entry.phone.link.href }}\">{{ entry.phone }}</a>\
        {% if entry.phone.link.external %}away{% endif %}{% endif %}</p>";
    site.edit("templates/collections/events/events.html", "</p>", shown);
    let run = site.build();
    run.page("/events/one/").contains(
        "<a href=\"tel:+34910000000\" data-same=\"tel:+34910000000\">+34 910 000 000</a></p>",
    );
}

#[test]
fn a_page_over_budget_is_told_of_a_setting_that_it_has() {
    let site = events().argument("--set=budgets.html=0.01");
    let found = output(&site);
    for part in found
        .split("error[")
        .filter(|part| part.contains("over-budget") || part.contains("its budget is"))
    {
        let has_own = part.contains("content/pages/");
        assert_eq!(part.contains("set its `html_budget`"), has_own, "{part}");
        assert_eq!(
            part.contains("raise `budgets.html` in `content/site.yaml`"),
            !has_own,
            "{part}"
        );
    }
    assert!(
        found.contains("set its `html_budget`") && found.contains("raise `budgets.html`"),
        "{found}"
    );
}

#[test]
fn public_holidays_are_words_in_each_language() {
    let site = events();
    site.edit(
        EVENT_SCHEMA,
        "  closes:",
        "  open: {type: hours, meaning: When.}\n  closes:",
    );
    site.edit(ONE, "date:", "open: Mo-Fr 09:00-14:00; PH off\ndate:");
    site.edit(
        "templates/collections/events/events.html",
        "</p>",
        "</p><p>{{ entry.open }}</p>",
    );
    let run = site.build();
    run.page("/events/one/")
        .contains("Public holidays ")
        .lacks("PH");
    run.page("/es/events/one/").contains("estivos ").lacks("PH");
    site.edit(ONE, "PH off", "Jul-Aug off");
    assert!(
        output(&site).contains("`Jul-Aug off` contains months and dates"),
        "{}",
        output(&site)
    );
}
