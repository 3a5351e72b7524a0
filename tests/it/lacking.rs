//! Content that one language lacks and others have: pages, entries and texts; and template tags without a counterpart.

use crate::collections::events;
use crate::site_forms::horizon;
use crate::site_test::SiteTest;

const TEAM: &str = "templates/collections/team/team.html";

/// The problems of a build, each with its place.
fn problems(site: &SiteTest) -> Vec<String> {
    site.run(&["build"]).problems()
}

/// The output of a build.
fn output(site: &SiteTest) -> String {
    let run = site.run(&["build"]);
    format!("{}{}", run.stdout, run.stderr)
}

#[test]
fn a_tag_of_a_template_that_is_not_closed_is_reported_at_its_line() {
    let site = horizon();
    assert_eq!(problems(&site), Vec::<String>::new());
    site.edit(TEAM, "</h1>", "");
    assert_eq!(problems(&site), [format!("unclosed-tag {TEAM}:3:1")]);
    site.edit(
        TEAM,
        "<h1>{{ entry.name }}",
        "<h1>{{ entry.name }}</h1>\n{% if entry.role %}<section>{% endif %}",
    );
    assert_eq!(problems(&site), [format!("unclosed-tag {TEAM}:4:20")]);
    site.edit(
        TEAM,
        "{% endblock %}",
        "{% if entry.role %}</section>{% endif %}\n</div>\n{% endblock %}",
    );
    assert_eq!(problems(&site), [format!("unclosed-tag {TEAM}:9:1")]);
    site.edit(TEAM, "\n</div>", "");
    assert_eq!(problems(&site), Vec::<String>::new());
}

#[test]
fn a_page_that_one_language_lacks_is_reported_once_for_the_language() {
    let site = horizon();
    site.remove("content/pages/treatments/de.yaml");
    let found = output(&site);
    assert!(
        found.contains("the page `treatments` is missing in `de`"),
        "{found}"
    );
    assert!(
        found.contains("content/pages/treatments/de.yaml`, or write `untranslated: true`"),
        "{found}"
    );
    site.remove("content/pages/careers/de.yaml");
    let found = output(&site);
    assert!(
        found.contains("2 pages are missing in `de`: `careers`, `treatments`"),
        "{found}"
    );
    assert_eq!(found.matches("translation-missing").count(), 1, "{found}");
    // It is meant, or the language is still growing.
    for key in ["careers", "treatments"] {
        let path = format!("content/pages/{key}/en.yaml");
        site.edit(&path, "path:", "untranslated: true\npath:");
    }
    assert_eq!(problems(&site), Vec::<String>::new());
    site.edit("content/pages/careers/en.yaml", "untranslated: true\n", "");
    site.edit(
        "content/site.yaml",
        "product:",
        "fallback: {de: en}\nproduct:",
    );
    assert_eq!(problems(&site), Vec::<String>::new());
}

#[test]
fn an_entry_without_words_in_a_language_is_reported_unless_the_schema_says_what_is_shown() {
    let site = horizon();
    let (ana, marta) = ("content/team/ana-ruiz.yaml", "content/team/marta-gil.yaml");
    site.edit(ana, "es: Odontóloga, ", "");
    let found = output(&site);
    assert!(found.contains("the entry has no text in `es`"), "{found}");
    assert!(
        problems(&site)[0].starts_with(&format!("translation-missing {ana}:")),
        "{found}"
    );
    // Once for a language, however many entries lack it.
    let text = std::fs::read_to_string(site.path(marta)).expect("the entry");
    let role = text
        .lines()
        .find(|line| line.starts_with("role:"))
        .expect("the profession")
        .to_owned();
    site.edit(
        marta,
        &role,
        "role: {en: Dentist, de: Zahnärztin, ar: طبيبة, zh-hans: 牙医}",
    );
    let found = output(&site);
    assert!(
        found.contains("2 entries have no text in `es`: `ana-ruiz`, `marta-gil`"),
        "{found}"
    );
    assert_eq!(problems(&site).len(), 1, "{found}");
    let schema = "templates/collections/team/schema.yaml";
    site.edit(schema, "sort:", "missing: main\nsort:");
    assert_eq!(problems(&site), Vec::<String>::new());
    site.edit(schema, "missing: main", "missing: error");
    assert_eq!(problems(&site).len(), 2);
}

#[test]
fn a_word_that_is_written_for_all_languages_lacks_none() {
    let site = events().file(
        "content/events/two.yaml",
        "title: Two\ndate: 2035-02-28\nplace: yard\n",
    );
    assert_eq!(problems(&site), Vec::<String>::new());
}

#[test]
fn a_required_word_that_one_language_lacks_is_named_with_its_language() {
    let site = horizon();
    let file = "content/treatments/implants.yaml";
    site.edit(file, ", zh-hans: 用钛制牙根支撑新牙。", "");
    let found = output(&site);
    assert!(
        found.contains("`summary` has no text for the locale `zh-hans`"),
        "{found}"
    );
    assert!(
        found.contains("add `zh-hans: …` next to the other languages"),
        "{found}"
    );
    assert_eq!(problems(&site), [format!("translation-missing {file}:5:1")]);
}

#[test]
fn a_required_word_that_a_file_of_a_language_lacks_is_named_with_its_language() {
    let site = events()
        .file("content/places/hall.yaml", "name: Hall\n")
        .file(
            "content/events/fair/entry.yaml",
            "date: 2035-03-31\nplace: hall\n",
        )
        .file("content/events/fair/en.yaml", "title: Fair\n")
        .file("content/events/fair/es.yaml", "closes: 2035-04-01\n");
    let found = output(&site);
    assert!(
        found.contains("`title` has no text for the locale `es`"),
        "{found}"
    );
    assert!(
        found.contains("add `title: …`, as in `content/events/fair/en.yaml`"),
        "{found}"
    );
    assert_eq!(
        problems(&site),
        ["translation-missing content/events/fair/es.yaml"]
    );
}
