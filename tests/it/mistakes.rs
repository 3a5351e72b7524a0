//! Mistakes of people who write a collection: each is one problem, at its place, with what to write instead. The inputs
//! are those of people who tried it.

use crate::collections::{EVENT_SCHEMA, built, events};
use crate::site_test::SiteTest;

const ONE: &str = "content/events/one.yaml";
const HOME: &str = "content/pages/home/en.yaml";
const PAGE: &str = "templates/collections/events/events.html";

/// A collection with a field of many types.
fn site() -> SiteTest {
    let site = events();
    site.edit(
        EVENT_SCHEMA,
        "fields:\n",
        "fields:
  doors: {type: datetime, meaning: When the doors open.}
  last: {type: date, not_before: date, meaning: The last day.}
  length: {type: duration, meaning: How long.}
  mail: {type: email, meaning: Mail.}
  contact: {type: phone, meaning: Who answers.}
  code: {type: text, pattern: \"[A-Z]{2}[0-9]+\", meaning: A code.}
  level: {type: choice, meaning: For whom., choices: {easy: For all, hard: For few}}
  online: {type: flag, meaning: Is it online.}
  seats: {type: number, min: 1, meaning: How many people.}
  tags: {type: text, list: true, meaning: Tags.}
",
    );
    site.edit(
        ONE,
        "price: 5 EUR",
        "price: 5 EUR\nlevel: easy\ntags: [music]\nonline: true\nseats: 40",
    );
    built(&site);
    site
}

/// Makes one edit, checks the site, and undoes it. The output must have one error, or one warning, with these parts.
fn check(site: &SiteTest, (path, old, new): (&str, &str, &str), expected: &[&str]) {
    let before = std::fs::read_to_string(site.path(path)).expect(path);
    site.edit(path, old, new);
    let run = site.run(&["check"]);
    for part in expected {
        assert!(
            run.stderr.contains(part),
            "{path}: {new}\n{part}\n{}",
            run.stderr
        );
    }
    let count = run.stderr.matches("error[").count() + run.stderr.matches("warning[").count();
    assert_eq!(count, 1, "{path}: {new}\n{}", run.stderr);
    site.write(path, &before);
}

#[test]
fn a_template_prints_no_value_that_visitors_cannot_read() {
    let site = site();
    let print = |expression: &str, expected: &[&str]| {
        let new = format!("<p>{expression}</p>{{% endblock %}}");
        check(&site, (PAGE, "{% endblock %}", &new), expected);
    };
    print(
        "{{ entry.tags }}",
        &[
            "error[template-error]: `entry.tags` is a list",
            "events.html:1:",
            "{{ entry.tags | join(\", \") }}",
        ],
    );
    print("{{ entry.online }}", &["`entry.online` is true or false"]);
    print(
        "{{ entry.link }}",
        &["`entry.link` is a block of values", "`entry.link.href`"],
    );
    site.edit(
        PAGE,
        "{% endblock %}",
        "[{{ entry.doors }}] {{ entry.doors or \"none yet\" }} {{ entry.place }} {{ entry.tags | join }}{% endblock %}",
    );
    built(&site)
        .page("/events/one/")
        .contains("[] none yet")
        .contains("Hall");
}

#[test]
fn what_a_template_does_not_show_is_reported() {
    let site = site();
    check(
        &site,
        (PAGE, "{% block main %}", "{% block man %}"),
        &[
            "`layouts/base.html` has no block `man`",
            "events.html:1:",
            "did you mean `main`?",
        ],
    );
    check(
        &site,
        (
            "templates/pages/page.html",
            "{% block main %}",
            "<p>a</p>{% block main %}",
        ),
        &["this is not inside a block", "page.html:2:"],
    );
    check(
        &site,
        (PAGE, "{{ entry.title }}", "{{ entry.title }"),
        &["error[template-syntax]", "events.html:1:"],
    );
    check(
        &site,
        (
            PAGE,
            "{{ entry.title }}",
            "{% for a in entry.tags %}\n{{ a }}",
        ),
        &[
            "`{% for %}` is not closed",
            "add `{% endfor %}` before `{% endblock %}` on line 2",
        ],
    );
    check(
        &site,
        (PAGE, "{{ entry.title }}", "{% if entry.tags %}"),
        &["`{% if %}` is not closed"],
    );
    check(
        &site,
        (PAGE, "layouts/base.html", "layouts/bse.html"),
        &[
            "there is no template `layouts/bse.html`",
            "did you mean `layouts/base.html`?",
        ],
    );
    check(
        &site,
        (
            PAGE,
            "{{ entry.title }}",
            "{% include \"collections/events/events.html\" %}",
        ),
        &["this template includes itself", "events.html:1:"],
    );
    let page = std::fs::read_to_string(site.path(PAGE)).expect("a template");
    site.remove(PAGE);
    let run = site.run(&["check"]);
    assert!(
        run.stderr
            .contains("the entries of `events` have pages, but there is no template for them")
    );
    assert_eq!(run.stderr.matches("error[").count(), 1, "{}", run.stderr);
    site.write(PAGE, &page);
}

#[test]
fn names_in_templates_that_do_not_exist_are_suggested() {
    let site = site();
    let print = |expression: &str, expected: &[&str]| {
        check(
            &site,
            (
                PAGE,
                "{{ entry.title }}",
                &format!("{{{{ {expression} }}}}"),
            ),
            expected,
        );
    };
    print(
        "entres(\"events\")",
        &[
            "there is no function `entres` here",
            "did you mean `entries`?",
        ],
    );
    print(
        "entry.title | uper",
        &["there is no filter `uper`", "did you mean `upper`?"],
    );
    print(
        "entry.date | date(\"d\")",
        &[
            "there is no filter `date`",
            "dates and amounts need none: they are printed",
        ],
    );
    print("entries()", &["`entries` needs the name of a collection"]);
    print(
        "entries(\"events\", limit=-1)",
        &["`limit: -1` shows no entries"],
    );
    print(
        "related(entry)",
        &["`related` needs the fields to compare entries by"],
    );
    print("icon()", &["an argument is missing"]);
    check(
        &site,
        (
            "templates/sections/hero/hero.html",
            "<h1>",
            "{{ t(\"menoo\") }}<h1>",
        ),
        &["there is no interface message `menoo`"],
    );
}

#[test]
fn a_list_asks_only_for_what_entries_can_have() {
    let site = site();
    let list = |keys: &str, expected: &[&str]| {
        let list = "  - {kind: entries, of: events}\n";
        check(
            &site,
            (
                HOME,
                list,
                &format!("{list}  - {{kind: entries, of: events, {keys}}}\n"),
            ),
            expected,
        );
    };
    list(
        "where: {place: hal}",
        &["`places` has no entry `hal`", "did you mean `hall`?"],
    );
    list(
        "where: {place: [hall, hal]}",
        &["`places` has no entry `hal`"],
    );
    list(
        "where: {level: medium}",
        &["`level` has no choice `medium`", "`easy`, `hard`"],
    );
    list(
        "where: {seats: many}",
        &["expected a whole number for `seats`, found `many`"],
    );
    list("where: {date: tomorrow}", &["`tomorrow` is not a date"]);
    list(
        "where: {tags: musik}",
        &[
            "warning[unknown-id]: no entry of `events` has `musik`",
            "did you mean `music`?",
        ],
    );
    list(
        "where: {online: yes}",
        &["expected `true` or `false` for `online`, found `yes`"],
    );
    list("upcoming: title", &["`title` is not a single date"]);
    list(
        "upcoming: date, past: date",
        &["a date in `date` cannot be both upcoming and past"],
    );
    list("limit: 0", &["`limit: 0` shows no entries"]);
    list("per_page: 0", &["`per_page: 0` shows no entries"]);
    let call = |arguments: &str, expected: &[&str]| {
        let new = format!(
            "{{% for e in entries(\"events\", {arguments}) %}}{{{{ e }}}}{{% endfor %}}{{% endblock %}}"
        );
        check(&site, (PAGE, "{% endblock %}", &new), expected);
    };
    call("level=\"medium\"", &["`level` has no choice `medium`"]);
    call(
        "seats=\"forty\"",
        &["expected a whole number for `seats`, found `forty`"],
    );
    call("upcoming=\"title\"", &["`title` is not a single date"]);
    // A value that entries do have is found, however it is written.
    site.edit(ONE, "price: 5 EUR", "price: 5.5 EUR");
    site.edit(
        PAGE,
        "{% endblock %}",
        "[{% for e in entries(\"events\", online=true, price=\"5.50 EUR\", seats=40) %}{{ e }}{% endfor %}]{% endblock %}",
    );
    built(&site).page("/events/one/").contains("[One]");
}

#[test]
fn a_value_is_what_its_type_says() {
    let site = site();
    let value = |line: &str, expected: &[&str]| check(&site, (ONE, "price: 5 EUR", line), expected);
    value(
        "mail: mailto:ana@example.com",
        &["write `ana@example.com`", "one.yaml:4:7"],
    );
    value(
        "contact: \"910000000\"",
        &["`910000000` has no country code"],
    );
    value("contact: \"0034910000000\"", &["write `+34910000000`"]);
    value(
        "price: 1.200 EUR",
        &["amounts in EUR have 2 decimals", "`1200 EUR`"],
    );
    value(
        "price: 1.200,00 EUR",
        &["write thousands without a separator: `1200.00 EUR`"],
    );
    value("price: 12 XYZ", &["`XYZ` is not a currency code"]);
    value("price: 12.50 JPY", &["amounts in JPY have no decimals"]);
    value("price: 5 USD", &["`5 USD` cannot be compared with `1 EUR`"]);
    value(
        "doors: 2026-05-01",
        &["`2026-05-01` has no time; write `2026-05-01T18:30`"],
    );
    value(
        "last: 0000-01-01",
        &["the date `0000-01-01` does not exist"],
    );
    value(
        "code: ab12",
        &["does not match the pattern `[A-Z]{2}[0-9]+`", "(A code)"],
    );
    value("length: 1.5 h", &["`1.5 h` is not a duration"]);
    check(
        &site,
        (ONE, "seats: 40", "seats: 0o10"),
        &[
            "`0o10` is not a decimal number",
            "write `8`",
            "one.yaml:8:8",
        ],
    );
    check(
        &site,
        (ONE, "tags: [music]", "tags: [\"\"]"),
        &["this item is empty", "one.yaml:6:8"],
    );
    check(
        &site,
        (ONE, "[music]", "[music, music]"),
        &["`music` is listed twice", "one.yaml:6:15"],
    );
    check(
        &site,
        (ONE, "level: easy", "level: [easy]"),
        &["write one value: `easy`"],
    );
    check(
        &site,
        (ONE, "level: easy", "code: {en: A1, es: B1}"),
        &[
            "`code` has text for each language, but the field does not have `words: true`",
            "one.yaml:5:7",
        ],
    );
    // The notation of a duration is none of typography.
    site.edit(ONE, "price: 5 EUR", "length: 1 h 30 min");
    assert_eq!(
        site.run(&["check", "--strict"]).status,
        0,
        "{}",
        site.run(&["check", "--strict"]).stderr
    );
}

#[test]
fn a_date_does_not_precede_the_one_that_the_schema_names() {
    let site = site();
    site.edit(ONE, "price: 5 EUR", "last: 2035-01-31");
    built(&site);
    check(
        &site,
        (ONE, "last: 2035-01-31", "last: 2035-01-30"),
        &["`2035-01-30` is before `date` (`2035-01-31`)", ":4:7"],
    );
    let text = std::fs::read_to_string(site.path(ONE)).expect("an entry");
    site.write(
        ONE,
        text.replace("last: 2035-01-31\n", "")
            .replace("date: 2035", "last: 2035-01-30\ndate: 2035"),
    );
    let run = site.run(&["check"]);
    assert!(
        run.stderr
            .contains("`2035-01-31` is after `last` (`2035-01-30`)"),
        "{}",
        run.stderr
    );
    site.write(ONE, &text);
    let schema = |new: &str, expected: &[&str]| {
        check(&site, (EVENT_SCHEMA, "not_before: date", new), expected);
    };
    schema(
        "not_before: dat",
        &[
            "`dat` is not a date of the same type as `last` in the same block",
            "did you mean `date`?",
        ],
    );
    schema(
        "not_before: title",
        &["`title` is not a date of the same type as `last` in the same block"],
    );
    check(
        &site,
        (
            EVENT_SCHEMA,
            "mail: {type: email,",
            "mail: {type: email, not_before: date,",
        ),
        &["only a single date can have `not_before`"],
    );
}

#[test]
fn a_schema_that_nothing_meets_is_one_problem() {
    let site = site();
    let schema =
        |old: &str, new: &str, expected: &[&str]| check(&site, (EVENT_SCHEMA, old, new), expected);
    schema(
        "min: 1, meaning",
        "min: 10, max: 5, meaning",
        &["`max: 5` is less than `min: 10`", "schema.yaml:16:"],
    );
    schema(
        "title: {type: text,",
        "title: {type: text, max: -1,",
        &["the `max` of a text field cannot be -1"],
    );
    schema(
        "min: 1 EUR,",
        "min: 1 EUR, max: 5 USD,",
        &["`min: 1 EUR` and `max: 5 USD` cannot be compared"],
    );
    schema(
        "/events/{slug}/",
        "events/{slug}",
        &[
            "does not begin with a slash",
            "write `/events/{slug}/`",
            ":2:10",
        ],
    );
    schema(
        "address: /events/{slug}/",
        "address: {en: \"/events/{slug}/\", es: \"/eventos/{slug}/\"}",
        &["must begin with `/es/`", "write `/es/eventos/{slug}/`"],
    );
    schema(
        "/events/{slug}/",
        "/events/{level}/{slug}/",
        &["the URL needs `level`, but the field is optional"],
    );
    schema("  mail:", "  slug:", &["every entry already has `slug`"]);
    schema(
        "[A-Z]{2}[0-9]+",
        "[A-Z",
        &["is not a valid regular expression (unclosed character class)"],
    );
    schema(
        "choices: {easy: For all, hard: For few}",
        "choices: {}",
        &["this block is empty"],
    );
}

#[test]
fn a_column_of_a_table_is_named_once_and_as_its_field() {
    let site = site()
        .file(
            "templates/collections/prices/schema.yaml",
            "meaning: Prices.\nsource: {file: prices.csv}\nfields:\n  title: {type: text, words: true, required: true, meaning: Its name.}\n  cost: {type: amount, meaning: Its cost.}\n",
        )
        .file("content/prices/prices.csv", "sep=;\nkey;title.en;title.es;cost\na;Cut;Corte;12 EUR\n");
    built(&site);
    let table = |new: &str, expected: &[&str]| {
        check(
            &site,
            ("content/prices/prices.csv", "key;title.en", new),
            expected,
        );
    };
    table(
        "Key;title.en",
        &["there is no field `Key`", "write `key`", "prices.csv:2:1"],
    );
    table(
        "key;Title.en",
        &["there is no field `Title`", "write `title.en`"],
    );
    table(
        "key;title.es",
        &["there are two columns `title.es`", "prices.csv:2:14"],
    );
}

#[test]
fn a_dead_reference_is_not_reported_again_by_the_template_that_shows_it() {
    let site = site();
    check(
        &site,
        (ONE, "place: hall", "place: hal"),
        &["`places` has no entry `hal`"],
    );
    site.edit(PAGE, "{{ entry.title }}", "{{ entry.place }}");
    check(
        &site,
        (ONE, "place: hall", "place: hal"),
        &["`places` has no entry `hal`"],
    );
}
