//! Collections that a site declares in YAML: entries, references, lists and pages in several languages.

use crate::site_test::{Run, SiteTest, repository};

pub const EVENT_SCHEMA: &str = "templates/collections/events/schema.yaml";

/// A group of dental clinics in five languages, all of its content in collections.
fn horizon() -> SiteTest {
    SiteTest::from(&repository().join("examples/dental-clinics"))
}

/// Lets an event be at several places, in its schema and in the templates that show it.
fn let_events_have_several_places(site: &SiteTest) {
    site.edit(
        EVENT_SCHEMA,
        "{type: reference, to: places, required: true,",
        "{type: reference, to: places, list: true,",
    );
    site.edit(
        "templates/collections/events/events.html",
        "{{ entry.place.name }}",
        "{% for place in entry.place %}{{ place.name }}.{% endfor %}",
    );
    site.edit(
        "templates/sections/entries/entries.html",
        "{{ entry.place.name }}",
        "",
    );
}

/// The small site with events, places and a list.
pub fn events() -> SiteTest {
    SiteTest::small()
        .file(
            EVENT_SCHEMA,
            "meaning: Dates.
address: /events/{slug}/
title: \"{title}: an event\"
description: \"{title} at {place.name}\"
sort: [date]
publish: {until: closes}
fields:
  title: {type: text, words: true, required: true, meaning: Its name.}
  date: {type: date, required: true, meaning: The day.}
  closes: {type: date, meaning: The last day on which it is shown.}
  price: {type: amount, min: 1 EUR, meaning: What it costs.}
  place: {type: reference, to: places, required: true, meaning: Where it is.}
",
        )
        .file(
            "templates/collections/events/events.html",
            "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ entry.title }}</h1><p>{{ entry.place.name }}</p>{% endblock %}",
        )
        .file(
            "templates/collections/places/schema.yaml",
            "meaning: Where events are.
fields:
  name: {type: text, required: true, unique: true, meaning: Its name.}
  near: {type: reference, to: places, meaning: Another one.}
  events: {type: reverse, of: events.place, meaning: What happens here.}
",
        )
        .file("content/places/hall.yaml", "name: Hall\nnear: yard\n")
        .file("content/places/yard.yaml", "name: Yard\nnear: hall\n")
        .file("content/events/one.yaml", "title: {en: One, es: Uno}\ndate: 2035-01-31\nplace: hall\nprice: 5 EUR\n")
        .file("content/events/two.yaml", "title: {en: Two}\ndate: 2035-02-28\nplace: yard\n")
        .file(
            "templates/sections/entries/entries.html",
            "{% for group in section.groups %}{% for entry in group.entries %}<a href=\"{{ entry.link.href }}\">{{ entry }}</a> {{ entry.place.name }}{% endfor %}{% endfor %}",
        )
        .file(
            "content/pages/home/en.yaml",
            "path: /\ntitle: Home\ndescription: The home of small things.\nsections:\n  - {kind: hero, title: Hello}\n  - {kind: entries, of: events}\n",
        )
        .file(
            "content/pages/home/es.yaml",
            "path: /es/\ntitle: Inicio\ndescription: El inicio de las cosas pequeñas.\nsections:\n  - {kind: hero, title: Hola}\n  - {kind: entries, of: events}\n",
        )
}

pub fn built(site: &SiteTest) -> Run {
    let run = site.run(&["build", "--strict"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    run
}

#[test]
fn the_site_of_a_company_in_five_languages_is_content_and_templates_only() {
    let site = horizon();
    let run = built(&site);
    // A value that is written once is shown in each language, as the language writes it.
    run.page("/treatments/implants/")
        .contains("€1,200")
        .contains("Dr. Ana Ruiz");
    run.page("/es/tratamientos/implants/")
        .contains("1200\u{a0}€")
        .contains("Una raíz de titanio");
    run.page("/de/behandlungen/implants/")
        .contains("1.200\u{a0}€")
        .contains("<h1>Implantate</h1>");
    run.page("/ar/treatments/implants/")
        .contains("dir=\"rtl\"")
        .contains("زراعة الأسنان")
        .contains("1,200\u{a0}€");
    run.page("/zh-hans/treatments/implants/")
        .contains("种植牙")
        .contains("datetime=\"PT1H30M\"");
    // Between words from right to left, the parts of a duration or a number stay in their order.
    run.page("/ar/treatments/implants/")
        .contains("\u{2068}1\u{a0}س و30\u{a0}د\u{2069}")
        .contains("\u{2068}1,200\u{a0}€\u{2069}");
    run.page("/ar/clinics/madrid/")
        .contains("\u{2068}+34 910 000 001\u{2069}");
    run.page("/clinics/madrid/")
        .contains("+34 910 000 001")
        .lacks("\u{2068}");
    // Opening hours, and everyone who names the clinic.
    run.page("/de/praxen/madrid/")
        .contains("<li>Mo–Fr 09:00–20:00</li><li>Sa 10:00–14:00</li>")
        .contains("/de/team/ana-ruiz/")
        .contains("/de/team/marta-gil/")
        .lacks("jan-weber")
        .contains("\"@type\":\"Dentist\"")
        .contains("\"opens\":\"09:00\",\"closes\":\"20:00\"")
        .contains("\"employee\":[{\"@id\":\"https://horizon.example/de/team/ana-ruiz/#entry\"}");
    run.page("/clinics/dubai/")
        .contains("{\"@type\":\"OpeningHoursSpecification\",\"dayOfWeek\":[\"Sunday\"]}");
    // All translations are tied.
    run.page("/team/ana-ruiz/")
        .contains("hreflang=\"zh-Hans\"")
        .contains("href=\"https://horizon.example/ar/team/ana-ruiz/\"");
    // A person is in the group of each of their clinics.
    let team = run.page("/team/");
    assert_eq!(
        team.html.matches("/team/leyla-haddad/").count(),
        2,
        "{}",
        team.html
    );
    // Dates decide what is upcoming, past and gone.
    run.page("/")
        .contains("Open day")
        .contains("living with implants")
        .contains("(PDF, 0.1\u{a0}kB)");
    run.page("/es/empleo/")
        .contains("Odontólogo en Berlín")
        .lacks("Madrid");
    // The address of an expired job leads to those that are open.
    run.page("/jobs/hygienist-madrid/")
        .contains("url=")
        .lacks("<h1>");
    // Words that a language lacks are those of the main one, and say so.
    run.page("/es/").contains("<li lang=\"en\" dir=\"ltr\">");
    // A page of another language's words is no translation.
    run.page("/de/press/new-clinic/")
        .contains("<h1><span lang=\"en\" dir=\"ltr\">A sixth clinic, in Dubai</span></h1>")
        .lacks("hreflang=\"es\" href=\"https");
    run.page("/es/press/new-clinic/")
        .contains("1 de febrero de 2026")
        .contains("/es/team/omar-nasser/".replace("team", "equipo").as_str());
}

#[test]
fn one_more_person_is_one_file() {
    let site = horizon();
    built(&site);
    let text = "name: Dr. Eva Marín\nclinics: [sevilla]\nspeaks: [es]\nrole: {en: Dentist, es: Odontóloga, de: Zahnärztin, ar: طبيبة أسنان, zh-hans: 牙医}\n";
    site.write("content/team/eva-marin.yaml", text);
    let run = built(&site);
    run.page("/es/clinicas/sevilla/").contains("Dr. Eva Marín");
    run.page("/zh-hans/team/eva-marin/").contains("牙医");
    let again = site.run(&["build", "--strict", "--verify-cache"]);
    assert_eq!(again.status, 0, "{}{}", again.stdout, again.stderr);
}

#[test]
fn a_page_is_rendered_again_for_the_entries_that_it_shows_and_no_others() {
    let site = events();
    built(&site);
    site.edit("content/places/hall.yaml", "name: Hall", "name: Great Hall");
    let run = built(&site);
    run.page("/events/one/").contains("<p>Great Hall</p>");
    run.page("/").contains("Great Hall");
    let why = |path: &str| site.run(&["why", path]).stdout;
    assert!(
        why("/events/one/").contains("the entries of collections that it shows"),
        "{}",
        why("/events/one/")
    );
    assert!(
        !why("/events/two/").contains("was rendered"),
        "{}",
        why("/events/two/")
    );
    for (path, text) in [
        (
            "content/events/three.yaml",
            "title: {en: Three, es: Tres}\ndate: 2035-03-01\nplace: hall\n",
        ),
        (
            "content/events/one.yaml",
            "title: {en: One, es: Primero}\ndate: 2036-01-31\nplace: yard\n",
        ),
        ("content/places/yard.yaml", "name: Court\n"),
    ] {
        site.write(path, text);
        let checked = site.run(&["build", "--strict", "--verify-cache"]);
        assert_eq!(
            checked.status, 0,
            "{path}\n{}{}",
            checked.stdout, checked.stderr
        );
    }
    site.remove("content/events/three.yaml");
    let checked = site.run(&["build", "--strict", "--verify-cache"]);
    assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    let order: Vec<usize> = ["Two", "One"]
        .map(|name| checked.page("/").html.find(name).expect(name))
        .into();
    assert!(order[0] < order[1], "the list is not sorted by date");
}

#[test]
fn mistakes_in_entries_and_schemas_are_reported_at_their_place() {
    const ONE: &str = "content/events/one.yaml";
    const HOME: &str = "content/pages/home/en.yaml";
    let site = events();
    let page = "templates/collections/events/events.html";
    for (path, old, new, expected) in [
        (
            ONE,
            "place: hall",
            "place: hal",
            "error[unknown-id]: `places` has no entry `hal`",
        ),
        (
            ONE,
            "place: hall",
            "place: hal",
            "content/events/one.yaml:3:8",
        ),
        (
            ONE,
            "place: hall",
            "place: hal",
            "hint: did you mean `hall`?",
        ),
        (
            ONE,
            "place: hall",
            "plase: hall",
            "hint: did you mean `place`?",
        ),
        (
            ONE,
            "place: hall\n",
            "",
            "error[missing-key]: the key `place` is missing here",
        ),
        (
            ONE,
            "2035-01-31",
            "2035-02-31",
            "the date `2035-02-31` does not exist",
        ),
        (
            ONE,
            "2035-01-31",
            "31/01/2035",
            "write the year, month and day, as in",
        ),
        (
            ONE,
            "5 EUR",
            "5 €",
            "write the number and its currency code",
        ),
        (
            ONE,
            "5 EUR",
            "0.50 EUR",
            "is less than `1 EUR`, the minimum that the schema allows",
        ),
        (
            ONE,
            "{en: One, es: Uno}",
            "{en: One, fr: Un}",
            "`fr` is not a locale in `site.yaml`",
        ),
        (
            "content/places/yard.yaml",
            "name: Yard",
            "name: Hall",
            "error[duplicate-id]: `Hall` is also the `name` of",
        ),
        (
            "content/places/yard.yaml",
            "name: Yard",
            "events: [one]\nname: Yard",
            "is computed from `place` in `events`",
        ),
        (
            EVENT_SCHEMA,
            "to: places",
            "to: place",
            "error[unknown-id]: there is no collection `place`",
        ),
        (
            EVENT_SCHEMA,
            "{place.name}",
            "{place.nam}",
            "there is no field `nam` in `places`",
        ),
        (
            EVENT_SCHEMA,
            "sort: [date]",
            "sort: [dat]",
            "there is no field `dat` in `events`",
        ),
        (
            EVENT_SCHEMA,
            "until: closes",
            "until: title",
            "`title` is not a field with a single date",
        ),
        (
            EVENT_SCHEMA,
            "type: date,",
            "type: dat,",
            "hint: did you mean `date`?",
        ),
        (
            EVENT_SCHEMA,
            "  closes:",
            "  link:",
            "error[collection-schema]: every entry already has `link`",
        ),
        (
            EVENT_SCHEMA,
            "title: \"{title}: an event\"\n",
            "",
            "error[collection-schema]: the entry pages have no `title`",
        ),
        (
            EVENT_SCHEMA,
            "/events/{slug}/",
            "/events/",
            "`address` is the same for all entries",
        ),
        (
            EVENT_SCHEMA,
            "{title}: an event",
            "Events",
            "`title` is the same for all entries",
        ),
        (
            HOME,
            "of: events",
            "of: event",
            "there is no collection `event`",
        ),
        (
            HOME,
            "of: events",
            "of: events, sort: [plaze]",
            "there is no field `plaze` in `events`",
        ),
        (
            HOME,
            "of: events",
            "of: events, search: Find, per_page: 2",
            "error[invalid-value]: a search within the page finds",
        ),
        (
            HOME,
            "title: Hello",
            "title: Hello, lead: \"[a](page:events/tree)\"",
            "error[dead-link]",
        ),
        (page, "entry.title", "entry.titel", "error[template-error]"),
        (
            page,
            "{{ entry.title }}",
            "{{ t(\"menu\", count=entry.typo) }}",
            "the value of the argument `count` is undefined",
        ),
        (
            page,
            "{{ entry.title }}",
            "{{ entries(\"event\") }}",
            "there is no collection `event`",
        ),
        (
            page,
            "{{ entry.title }}",
            "{{ entries(\"events\", place=\"hal\") }}",
            "`places` has no entry `hal`",
        ),
        (
            page,
            "{{ entry.title }}",
            "{{ entries(\"events\", plase=1) }}",
            "there is no field `plase` in `events`",
        ),
    ] {
        let before = std::fs::read_to_string(site.path(path)).expect("a file");
        site.edit(path, old, new);
        let run = site.run(&["check"]);
        assert_eq!(run.status, 1, "{path}: {new}\n{}", run.stderr);
        assert!(
            run.stderr.contains(expected),
            "{path}: {new}\n{}",
            run.stderr
        );
        site.write(path, &before);
    }
    assert_eq!(
        site.run(&["check"]).status,
        0,
        "{}",
        site.run(&["check"]).stderr
    );
}

#[test]
fn two_entries_cannot_have_one_address() {
    let site = events();
    site.edit(EVENT_SCHEMA, "/events/{slug}/", "/events/{date}/");
    site.write(
        "content/events/three.yaml",
        "title: {en: Three, es: Tres}\ndate: 2035-01-31\nplace: hall\n",
    );
    let run = site.run(&["check"]);
    assert!(
        run.stderr
            .contains("error[path-taken]: the URL `/events/2035-01-31/` is already taken"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("content/events/three.yaml")
            && run.stderr.contains("content/events/one.yaml"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_new_required_field_is_one_problem_for_each_entry() {
    let site = events();
    for number in 0..200 {
        let text = format!(
            "title: {{en: Number {number}, es: Número {number}}}\ndate: 2035-01-31\nplace: hall\n"
        );
        site.write(&format!("content/events/n{number}.yaml"), text);
    }
    site.edit(
        EVENT_SCHEMA,
        "  price: {type: amount,",
        "  price: {type: amount, required: true,",
    );
    let problems = site.run(&["check"]).problems();
    let missing = problems
        .iter()
        .filter(|problem| problem.starts_with("missing-key"))
        .count();
    assert_eq!(
        (missing, problems.len()),
        (201, 201),
        "{:?}",
        &problems[..problems.len().min(5)]
    );
    // A mistake in the schema is reported alone.
    site.edit(EVENT_SCHEMA, "to: places", "to: plaices");
    let problems = site.run(&["check"]).problems();
    assert!(
        problems
            .iter()
            .any(|problem| problem
                .starts_with("unknown-id templates/collections/events/schema.yaml")),
        "{problems:?}"
    );
}

#[test]
fn a_link_to_an_entry_that_has_expired_does_not_stop_a_build() {
    let site = events();
    site.edit(
        "content/events/one.yaml",
        "price: 5 EUR",
        "closes: 2020-03-31",
    );
    site.edit(
        "content/pages/home/en.yaml",
        "title: Hello",
        "title: Hello, lead: \"[one](page:events/one)\"",
    );
    let run = site.build();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stderr
            .contains("`events/one` was public until 2020-03-31"),
        "{}",
        run.stderr
    );
    run.page("/")
        .contains("<a href=\"/\">one</a>")
        .lacks("/events/one/");
    run.page("/events/one/").contains("url=/").lacks("<h1>");
    let drafts = site.run(&["build", "--drafts"]);
    drafts
        .page("/")
        .contains("<a href=\"/events/one/\">one</a>");
}

#[test]
fn the_next_change_of_a_site_includes_the_dates_of_entries() {
    let site = events();
    site.edit(
        "content/events/one.yaml",
        "price: 5 EUR",
        "closes: 2034-12-24",
    );
    let run = site.run(&["next-change"]);
    assert!(
        run.stdout.starts_with("2034-12-25T00:00:00Z"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("withdraws content/events/one.yaml"),
        "{}",
        run.stdout
    );
}

#[test]
fn words_may_be_in_one_file_in_files_or_in_markdown() {
    let site = events()
        .file(
            "content/events/three/entry.yaml",
            "date: 2035-05-05\nplace: hall\n",
        )
        .file("content/events/three/en.yaml", "title: Three\n")
        .file("content/events/three/es.yaml", "title: Tres\nplace: yard\n");
    let run = built(&site);
    run.page("/events/three/")
        .contains("<h1>Three</h1><p>Hall</p>");
    // The language decides.
    run.page("/es/events/three/")
        .contains("<h1>Tres</h1><p>Yard</p>");
    site.write("content/events/three/fr.yaml", "title: Trois\n");
    assert!(
        site.run(&["check"])
            .stderr
            .contains("`fr` is not a locale in `site.yaml`")
    );
    site.remove("content/events/three/fr.yaml");
    site.write("content/events/three.yaml", "date: 2035-05-05\n");
    assert!(
        site.run(&["check"])
            .stderr
            .contains("already contains this part of the entry")
    );
    site.remove("content/events/three.yaml");
    site.write("content/events/notes.txt", "a note");
    assert!(
        site.run(&["check"])
            .stderr
            .contains("nothing reads this file")
    );
}

#[test]
fn a_collection_has_pages_by_the_values_of_a_field() {
    let site = events().file(
        "templates/collections/events/filter.html",
        "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ filter.name }} ({{ filter.count }})</h1>{% for entry in filter.entries %}<a href=\"{{ entry.link.href }}\">{{ entry.title }}</a>{% endfor %}{% endblock %}",
    );
    site.edit(
        EVENT_SCHEMA,
        "sort: [date]",
        "sort: [date]\nfilters: {place: \"/events/at/{slug}/\"}",
    );
    site.edit(
        "templates/sections/entries/entries.html",
        "{% for group",
        "{% for filter in section.filters %}{% for value in filter[\"values\"] %}<a href=\"{{ value.link.href }}\">{{ value.name }} {{ value.count }}</a>{% endfor %}{% endfor %}{% for group",
    );
    let run = built(&site);
    run.page("/")
        .contains("<a href=\"/events/at/hall/\">Hall 1</a>");
    run.page("/es/events/at/yard/")
        .contains("<h1>Yard (1)</h1>")
        .contains("hreflang=\"en\"")
        .contains("/es/events/two/");
    run.page("/events/at/hall/")
        .contains("<title>Home: Hall · Small</title>");
    site.write(
        "content/events/three.yaml",
        "title: {en: Three, es: Tres}\ndate: 2035-03-01\nplace: hall\n",
    );
    let run = site.run(&["build", "--strict", "--verify-cache"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    run.page("/events/at/hall/")
        .contains("<h1>Hall (2)</h1>")
        .contains("Three");
    site.edit(EVENT_SCHEMA, "{place:", "{plase:");
    assert!(
        site.run(&["check"])
            .stderr
            .contains("hint: did you mean `place`?")
    );
    site.edit(EVENT_SCHEMA, "{plase:", "{date:");
    assert!(
        site.run(&["check"])
            .stderr
            .contains("`date` cannot be a filter")
    );
    site.edit(EVENT_SCHEMA, "{date:", "{place:");
    site.remove("templates/collections/events/filter.html");
    // Without a template, they have the sections of the page that lists the collection.
    site.run(&["build"])
        .page("/events/at/hall/")
        .contains("<a href=\"/events/at/yard/\">Yard 1</a>")
        .lacks("Two");
    for page in ["content/pages/home/en.yaml", "content/pages/home/es.yaml"] {
        site.edit(page, "  - {kind: entries, of: events}\n", "");
    }
    assert!(
        site.run(&["check"])
            .stderr
            .contains("the pages of `filters` have no template")
    );
}

#[test]
fn a_collection_has_feeds_and_a_calendar_in_each_language() {
    let site = events();
    site.edit(
        EVENT_SCHEMA,
        "sort: [date]",
        "sort: [date]\nfeed: {items: 1, calendar: true}",
    );
    let run = built(&site);
    let file = |path: &str| String::from_utf8(run.files()[path].clone()).expect("UTF-8");
    for (path, text) in [
        ("feed.xml", "<link>https://small.example/events/one/</link>"),
        (
            "es/atom.xml",
            "<id>https://small.example/es/events/one/</id>",
        ),
        ("feed.json", "\"id\": \"https://small.example/events/one/\""),
    ] {
        assert!(file(path).contains(text), "{path}\n{}", file(path));
        assert!(
            !file(path).contains("/events/two/"),
            "{path} has more than the next entry"
        );
        // Readers hide what is published in the future.
        assert!(
            !["pubDate", "<published", "date_published"]
                .iter()
                .any(|date| file(path).contains(date)),
            "{path}"
        );
    }
    for text in [
        "DTSTART;VALUE=DATE:20350131\r\nSUMMARY:One\r\n",
        "DTSTART;VALUE=DATE:20350228\r\nSUMMARY:Two\r\n",
    ] {
        assert!(
            file("calendar.ics").contains(text),
            "{}",
            file("calendar.ics")
        );
    }
    assert!(
        file("calendar.ics").lines().all(|line| line.len() <= 75),
        "{}",
        file("calendar.ics")
    );
    site.edit(
        EVENT_SCHEMA,
        "calendar: true}",
        "calendar: true, date: title}",
    );
    assert!(
        site.run(&["check"])
            .stderr
            .contains("`title` is not a field with a single date")
    );
}

/// A collection of fairs from a beginning to an end, in London.
fn fairs() -> SiteTest {
    let site = events()
        .file(
            "templates/collections/fairs/schema.yaml",
            "meaning: Fairs.\naddress: /fairs/{slug}/\ntitle: \"{title}: a fair\"\ndescription: \"About {title}\"\nsort: [start]\n\
             feed: {items: 2, calendar: true}\nstructured_data: {\"@type\": CreativeWork, name: \"{title}\", dateCreated: \"{start}\"}\n\
             fields:\n  title: {type: text, required: true, meaning: Its name.}\n  \
             start: {type: moment, required: true, meaning: The beginning.}\n  \
             end: {type: moment, not_before: start, meaning: The end.}\n",
        )
        .file(
            "templates/sections/entries/entries.html",
            "{% for group in section.groups %}{% for entry in group.entries %}<a href=\"{{ entry.link.href }}\">{{ entry }}</a>{% endfor %}{% endfor %}",
        )
        .file(
            "templates/collections/fairs/fairs.html",
            "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ entry.title }}</h1>{% for data in page.structured_data %}<script type=\"application/ld+json\">{{ data }}</script>{% endfor %}{% endblock %}",
        )
        .file("content/pages/fairs/en.yaml", "path: /fairs/\ntitle: Fairs in town\ndescription: All fairs.\nsections:\n  - {kind: hero, title: Fairs}\n  - {kind: entries, of: fairs}\n");
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("settings");
    site.write(
        "content/site.yaml",
        format!("{settings}timezone: Europe/London\n"),
    );
    for (key, dates) in [
        ("days", "start: 2035-06-01\nend: 2035-06-04"),
        (
            "offset",
            "start: 2035-01-15T18:30+05:30\nend: 2035-01-15T20:00+05:30",
        ),
        ("summer", "start: 2035-07-15T18:30"),
        ("midnight", "start: 2036-01-01T00:00"),
        ("mixed", "start: 2035-08-01T10:00\nend: 2035-08-02"),
        (
            "yesterday",
            "start: 2020-03-01T10:00\nend: 2020-03-01T11:00",
        ),
    ] {
        site.write(
            &format!("content/fairs/{key}.yaml"),
            format!("title: The {key}\n{dates}\n"),
        );
    }
    site
}

/// The keys of the fairs in the order of their list.
fn listed_fairs(site: &SiteTest) -> Vec<String> {
    let page = site.built().page("/fairs/").html;
    page.split("href=\"/fairs/")
        .skip(1)
        .filter_map(|link| Some(link.split_once("/\"")?.0.to_owned()))
        .collect()
}

#[test]
fn times_with_and_without_an_offset_are_in_one_order() {
    let site = fairs();
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("settings");
    site.write(
        "content/site.yaml",
        settings.replace("Europe/London", "America/New_York"),
    );
    std::fs::remove_dir_all(site.path("content/fairs")).expect("the fairs");
    // 14:00, 11:00, 3:00 and 4:00 in UTC.
    for (key, start) in [
        ("ten", "2035-05-01T10:00"),
        ("tokyo", "2035-05-01T20:00+09:00"),
        ("zulu", "2035-05-01T03:00Z"),
        ("day", "2035-05-01"),
    ] {
        site.write(
            &format!("content/fairs/{key}.yaml"),
            format!("title: The {key}\nstart: {start}\n"),
        );
    }
    assert_eq!(listed_fairs(&site), ["zulu", "day", "tokyo", "ten"]);
}

#[test]
fn an_end_is_compared_with_its_beginning_in_the_time_zone() {
    let site = fairs();
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("settings");
    for (zone, start, end, is_right) in [
        // 8:00 in UTC, and 9:00.
        (
            "Europe/Madrid",
            "2035-05-01T10:00",
            "2035-05-01T09:00Z",
            true,
        ),
        (
            "Europe/Madrid",
            "2035-05-01T09:00Z",
            "2035-05-01T10:00",
            false,
        ),
        // 14:00 in UTC, and 12:00.
        (
            "America/New_York",
            "2035-05-01T10:00",
            "2035-05-01T21:00+09:00",
            false,
        ),
        // A day lasts until the next one.
        ("Europe/Madrid", "2035-05-01T12:00", "2035-05-01", true),
        ("Europe/Madrid", "2035-05-01T12:00Z", "2035-05-01", true),
        ("Europe/Madrid", "2035-05-01T12:00", "2035-04-30", false),
    ] {
        site.write("content/site.yaml", settings.replace("Europe/London", zone));
        // Either of the two may be written first.
        for text in [
            format!("start: {start}\nend: {end}"),
            format!("end: {end}\nstart: {start}"),
        ] {
            site.write(
                "content/fairs/days.yaml",
                format!("title: The days\n{text}\n"),
            );
            let run = site.run(&["check"]);
            assert_eq!(run.status == 0, is_right, "{zone}: {text}: {}", run.stderr);
        }
    }
}

#[test]
fn amounts_are_sorted_by_currency_and_then_by_value() {
    let site = fairs();
    site.edit(
        "templates/collections/fairs/schema.yaml",
        "sort: [start]",
        "sort: [price]",
    );
    site.edit(
        "templates/collections/fairs/schema.yaml",
        "fields:\n",
        "fields:\n  price: {type: amount, meaning: What it costs.}\n",
    );
    std::fs::remove_dir_all(site.path("content/fairs")).expect("the fairs");
    let mut expected = Vec::new();
    for currency in ["EUR", "USD"] {
        for value in 1..60 {
            expected.push(format!("{}-{value}", currency.to_lowercase()));
            site.write(
                &format!("content/fairs/{}-{value}.yaml", currency.to_lowercase()),
                format!(
                    "title: The {value} {currency}\nstart: 2035-01-01\nprice: {value} {currency}\n"
                ),
            );
        }
    }
    assert_eq!(listed_fairs(&site), expected);
}

#[test]
fn a_calendar_has_each_time_as_it_was_meant() {
    let run = fairs().built();
    let calendar = String::from_utf8(run.files()["fairs/calendar.ics"].clone()).expect("UTF-8");
    for (key, times) in [
        // The end of days is the day after the last one.
        (
            "days",
            "DTSTART;VALUE=DATE:20350601\r\nDTEND;VALUE=DATE:20350605",
        ),
        (
            "offset",
            "DTSTART:20350115T130000Z\r\nDTEND:20350115T143000Z",
        ),
        ("summer", "DTSTART:20350715T173000Z"),
        ("midnight", "DTSTART:20360101T000000Z"),
        (
            "mixed",
            "DTSTART:20350801T090000Z\r\nDTEND:20350802T230000Z",
        ),
        (
            "yesterday",
            "DTSTART:20200301T100000Z\r\nDTEND:20200301T110000Z",
        ),
    ] {
        let event = format!(
            "UID:https://small.example/fairs/{key}/\r\nDTSTAMP:19700101T000000Z\r\n{times}\r\nSUMMARY:The {key}\r\n"
        );
        assert!(calendar.contains(&event), "{event}\n{calendar}");
    }
    run.page("/fairs/offset/")
        .contains("\"dateCreated\":\"2035-01-15T18:30:00+05:30\"");
    run.page("/fairs/summer/")
        .contains("\"dateCreated\":\"2035-07-15T18:30:00+01:00\"");
}

#[test]
fn a_feed_begins_with_what_comes_next() {
    let site = fairs();
    let titles = |run: &crate::site_test::Run| -> Vec<String> {
        let feed: serde_json::Value =
            serde_json::from_slice(&run.files()["fairs/feed.json"]).expect("JSON");
        feed["items"]
            .as_array()
            .expect("items")
            .iter()
            .map(|item| item["title"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(titles(&site.built()), ["The offset", "The days"]);
    // A fair that is on is not over.
    assert_eq!(
        titles(&site.run(&["build", "--at", "2035-06-03"])),
        ["The days", "The summer"]
    );
    let late = site.run(&["build", "--at", "2035-12-31"]);
    assert_eq!(titles(&late), ["The midnight", "The mixed"]);
    let feed = String::from_utf8(late.files()["fairs/feed.xml"].clone()).expect("UTF-8");
    assert_eq!(feed.matches("<pubDate>").count(), 1, "{feed}");
    assert!(
        feed.contains("<pubDate>Wed, 01 Aug 2035 09:00:00 GMT</pubDate>"),
        "{feed}"
    );
}

#[test]
fn a_list_shows_what_is_current_from_its_first_day_to_its_last() {
    let site = fairs();
    let list = |period: &str, at: &str| -> Vec<String> {
        let page = format!(
            "path: /fairs/\ntitle: Fairs in town\ndescription: All fairs.\nsections:\n  - {{kind: hero, title: Fairs}}\n  - {{kind: entries, of: fairs, {period}: start}}\n"
        );
        site.write("content/pages/fairs/en.yaml", page);
        let run = site.run(&["build", "--at", at]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        let html = run.page("/fairs/").html;
        ["days", "mixed", "summer"]
            .iter()
            .filter(|key| html.contains(&format!("/fairs/{key}/")))
            .map(|key| (*key).to_owned())
            .collect()
    };
    assert_eq!(
        list("upcoming", "2035-05-31T23:00"),
        ["days", "mixed", "summer"]
    );
    assert_eq!(list("current", "2035-05-31T22:59"), [""; 0]);
    assert_eq!(list("current", "2035-06-01"), ["days"]);
    assert_eq!(list("upcoming", "2035-06-01"), ["mixed", "summer"]);
    assert_eq!(list("current", "2035-06-04T22:59"), ["days"]);
    assert_eq!(list("current", "2035-06-05"), [""; 0]);
    // What is on is not past, and what has no end ends on the day on which it begins.
    assert_eq!(list("past", "2035-06-04T22:59"), [""; 0]);
    assert_eq!(list("past", "2035-06-05"), ["days"]);
    let fair = std::fs::read_to_string(site.path("content/fairs/days.yaml")).expect("a fair");
    site.edit("content/fairs/days.yaml", "end: ", "# end: ");
    assert_eq!(list("current", "2035-06-01T22:00"), ["days"]);
    assert_eq!(list("past", "2035-06-01T22:00"), [""; 0]);
    assert_eq!(list("past", "2035-06-02"), ["days"]);
    site.write("content/fairs/days.yaml", fair);
    assert_eq!(list("current", "2035-06-01"), ["days"]);
    site.edit(
        "templates/collections/fairs/schema.yaml",
        "not_before: start, ",
        "",
    );
    assert!(
        site.run(&["check"])
            .stderr
            .contains("`start` has no end date, so no entry of `fairs` can be current")
    );
}

#[test]
fn entries_may_be_rows_of_a_table() {
    const SCHEMA: &str = "templates/collections/prices/schema.yaml";
    const TABLE: &str = "content/prices/prices.csv";
    let site = events()
        .file(
            SCHEMA,
            "meaning: Prices.\nsource: {file: prices.csv}\nfields:\n  name: {type: text, words: true, required: true, meaning: Its name.}\n  price: {type: amount, required: true, meaning: Its price.}\n  places: {type: reference, to: places, list: true, meaning: Where.}\n  stars: {type: number, meaning: Of five.}\n",
        )
        .file(TABLE, "\u{feff}key;name.en;name.es;price;places;stars\r\nvip;\"Front; row\";Primera fila;120 EUR;hall|yard;5\r\nall;Seat;;20 EUR;;\r\n");
    site.edit(
        "templates/layouts/base.html",
        "<main>",
        "{% for price in entries(\"prices\") %}<p{% if price.lang %} lang=\"{{ price.lang }}\"{% endif %}>{{ price.key }} {{ price.name }} {{ price.price.number }}{% for place in price.places %} {{ place.name }}{% endfor %}</p>{% endfor %}<main>",
    );
    let run = built(&site);
    run.page("/about/")
        .contains("<p>vip Front; row 120 Hall Yard</p>")
        .contains("<p>all Seat 20</p>");
    run.page("/es/")
        .contains("<p>vip Primera fila 120 Hall Yard</p>")
        .contains("<p lang=\"en\">all Seat 20</p>");
    for (old, new, expected) in [
        ("120 EUR", "120", "content/prices/prices.csv:2:31"),
        ("hall|yard", "hall|yad", "hint: did you mean `yard`?"),
        (";price;", ";prize;", "hint: did you mean `price`?"),
        (
            "name.es",
            "nmae.es",
            "hint: correct the name of the column: did you mean `name`?",
        ),
        (
            "all;Seat",
            "vip;Seat",
            "error[duplicate-id]: another entry has the key `vip`",
        ),
        (
            "20 EUR;;",
            "20 EUR;;;;",
            "this row has more cells than the table has columns (8 instead of 6)",
        ),
        ("\"Front; row\"", "\"Front; row", "error[unclosed-quote]"),
        (
            ";\"Front; row\"",
            "; \"Front; row\"",
            "hint: remove the space before the quote",
        ),
        (
            ";5\r",
            ";five\r",
            "expected a whole number, found the text `five`",
        ),
        (";5\r", ";05\r", "`05` is not a decimal number\n"),
        (
            ";5\r",
            ";99999999999999999999\r",
            "hint: write a smaller number",
        ),
    ] {
        let before = std::fs::read_to_string(site.path(TABLE)).expect("a file");
        site.edit(TABLE, old, new);
        let run = site.run(&["check"]);
        assert!(
            run.status == 1 && run.stderr.contains(expected),
            "{new}\n{}",
            run.stderr
        );
        site.write(TABLE, &before);
    }
    // The same in JSON.
    site.remove(TABLE);
    site.edit(SCHEMA, "prices.csv", "prices.json");
    assert!(
        site.run(&["check"])
            .stderr
            .contains("there is no table `content/prices/prices.json`")
    );
    site.write(
        "content/prices/prices.json",
        "[{\"key\": \"vip\", \"name\": {\"en\": \"Front\"}, \"price\": \"9 EUR\", \"stars\": 4}]",
    );
    built(&site).page("/about/").contains("<p>vip Front 9</p>");
}

#[test]
fn settings_of_a_site_are_declared_and_shown_on_every_page() {
    let site = events()
        .file(
            "templates/settings.yaml",
            "meaning: What editors change.\nfields:\n  notice: {type: text, words: true, meaning: Shown on all pages.}\n  until: {type: date, meaning: Its last day.}\n",
        )
        .file("content/settings.yaml", "notice: {en: Closed on Monday, es: Cerrado el lunes}\nuntil: 2035-12-25\n");
    site.edit(
        "templates/layouts/base.html",
        "<main>",
        "{% if site.own.notice %}<p>{{ site.own.notice }} {{ site.own.until.year }}</p>{% endif %}<main>",
    );
    let run = built(&site);
    run.page("/about/").contains("<p>Closed on Monday 2035</p>");
    run.page("/es/events/one/")
        .contains("<p>Cerrado el lunes 2035</p>");
    site.edit("content/settings.yaml", "Closed on Monday", "Open again");
    let run = site.run(&["build", "--strict", "--verify-cache"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    run.page("/about/").contains("<p>Open again 2035</p>");
    site.edit("content/settings.yaml", "notice", "notce");
    assert!(
        site.run(&["check"])
            .stderr
            .contains("hint: did you mean `notice`?")
    );
    site.remove("templates/settings.yaml");
    assert!(
        site.run(&["check"])
            .stderr
            .contains("nothing reads `settings.yaml`")
    );
}

#[test]
fn a_reference_to_an_entry_that_a_language_leaves_out_leaves_a_gap_there() {
    let site = events();
    site.edit(
        "templates/collections/places/schema.yaml",
        "fields:\n  name: {type: text, required: true, unique: true,",
        "missing: leave_out\nfields:\n  name: {type: text, words: true, required: true,",
    );
    site.write("content/places/hall.yaml", "name: {en: Hall, es: Sala}\n");
    site.write("content/places/yard.yaml", "name: {en: Yard}\n");
    let_events_have_several_places(&site);
    site.edit(EVENT_SCHEMA, " at {place.name}", " in a place, {date}");
    site.write(
        "content/events/one.yaml",
        "title: {en: One, es: Uno}\ndate: 2035-01-31\nplace: [hall, yard]\n",
    );
    site.write(
        "content/events/two.yaml",
        "title: {en: Two, es: Dos}\ndate: 2035-02-28\nplace: [yard]\n",
    );
    let run = built(&site);
    run.page("/events/one/").contains("<p>Hall.Yard.</p>");
    run.page("/es/events/one/").contains("<p>Sala.</p>");
    run.page("/es/events/two/").contains("<p></p>");
}

#[test]
fn a_language_that_names_a_draft_changes_no_other_language() {
    let site = events();
    site.edit(
        "templates/collections/places/schema.yaml",
        "fields:\n",
        "fields:\n  draft: {type: flag, meaning: Not public yet.}\n",
    );
    site.edit(
        "content/places/yard.yaml",
        "name: Yard",
        "draft: true\nname: Yard",
    );
    let_events_have_several_places(&site);
    site.edit(EVENT_SCHEMA, " at {place.name}", " on {date}");
    site.edit("content/events/two.yaml", "place: yard", "place: [hall]");
    site.remove("content/events/one.yaml");
    site.write(
        "content/events/one/en.yaml",
        "title: One\ndate: 2035-01-31\nplace: [hall]\n",
    );
    site.write(
        "content/events/one/es.yaml",
        "title: Uno\nplace: [yard, hall]\n",
    );
    let run = built(&site);
    run.page("/events/one/")
        .contains("<h1>One</h1><p>Hall.</p>");
    run.page("/es/events/one/")
        .contains("<h1>Uno</h1><p>Hall.</p>");
}

#[test]
fn a_choice_has_a_name_in_each_language() {
    let site = events();
    let names = "{second: {en: Advanced, es: Avanzado}, first: {en: Easy, es: Fácil}}";
    site.edit(
        EVENT_SCHEMA,
        "fields:\n",
        &format!(
            "filters: {{level: \"/level/{{slug}}/\"}}\nfields:\n  level: {{type: choice, choices: {names}, default: first, meaning: For whom.}}\n"
        ),
    );
    site.write(
        "templates/collections/events/events.html",
        "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ entry.title }}</h1><p>{{ entry.level }} {{ entry.level.value }}</p>\
         {% for other in entries(\"events\", level=\"first\") %}<b>{{ other.title }}</b>{% endfor %}\
         {% for value in filters(\"events\").level %}<a href=\"{{ value.link.href }}\">{{ value.name }}</a>{% endfor %}{% endblock %}",
    );
    site.write(
        "templates/collections/events/filter.html",
        "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ filter.name }}</h1>{% endblock %}",
    );
    let run = built(&site);
    run.page("/events/one/")
        .contains("<p>Easy first</p>")
        .contains("<b>One</b>")
        .contains("/level/first/\">Easy</a>");
    run.page("/es/events/one/")
        .contains("<p>Fácil first</p>")
        .contains("/es/level/first/\">Fácil</a>");
    run.page("/es/level/first/").contains("<h1>Fácil</h1>");
    site.edit(EVENT_SCHEMA, "en: Easy, es: Fácil", "en: Easy");
    let run = site.run(&["check"]);
    assert!(
        run.stderr
            .contains("the choice `first` has no name in the language `es`"),
        "{}",
        run.stderr
    );
    site.edit(EVENT_SCHEMA, "{en: Easy}", "Easy");
    let run = site.run(&["check"]);
    assert!(
        run.stderr
            .contains("other choices of this field have a name in each language"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_new_collection_cannot_have_the_folder_of_something_else() {
    let site = events();
    for (name, expected) in [
        ("blog", "`content/blog/` already contains something else"),
        ("Ev ents", "can't be used as a name"),
        ("events", "already exists"),
    ] {
        let run = site.run(&["new", "collection", name]);
        assert!(
            run.status != 0 && run.stderr.contains(expected),
            "{name}: {}",
            run.stderr
        );
    }
    site.edit(
        EVENT_SCHEMA,
        "meaning: Where it is.",
        "meaning: \"Where it is.\\nAny of them.\"",
    );
    let run = site.run(&["new", "entry", "evets", "A title"]);
    assert!(
        run.stderr.contains("there is no collection `evets`")
            && run.stderr.contains("did you mean `events`?"),
        "{}",
        run.stderr
    );
    let run = site.run(&["new", "entry", "events", "A title"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let text =
        std::fs::read_to_string(site.path("content/events/a-title.yaml")).expect("the entry");
    assert!(
        text.contains("title: {en: \"A title\"}\n") && text.contains("\n# price: 120 EUR\n"),
        "{text}"
    );
    assert!(text.contains("# Where it is.\n# Any of them.\n"), "{text}");
    assert!(
        text.contains("\nplace: hall\n"),
        "a required reference names an entry: {text}"
    );
    assert_eq!(
        site.run(&["check"]).status,
        0,
        "{}",
        site.run(&["check"]).stderr
    );
}

#[test]
fn a_template_that_lists_everything_on_every_page_ends() {
    let site = events();
    for number in 0..300 {
        let text = format!(
            "title: {{en: Number {number}, es: Número {number}}}\ndate: 2035-01-31\nplace: hall\n"
        );
        site.write(&format!("content/events/n{number}.yaml"), text);
    }
    site.edit(
        "templates/collections/events/events.html",
        "<p>",
        "{% for other in entries(\"events\", place=entry.place) %}{{ other.title }}{% endfor %}<p>",
    );
    let run = built(&site);
    run.page("/events/n7/").contains("Number 299");
}
