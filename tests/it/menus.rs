//! The menu of the header: links, groups of links, and mistakes in them.

use crate::site_test::SiteTest;

/// The small site with this entry in its menu.
fn with(entry: &str) -> SiteTest {
    let site = SiteTest::small();
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("settings");
    assert!(settings.contains("  menu:\n"), "{settings}");
    site.write(
        "content/site.yaml",
        settings.replacen("  menu:\n", &format!("  menu:\n    - {entry}\n"), 1),
    );
    site.write(
        "templates/layouts/base.html",
        "<!doctype html><title>{{ page.title }}</title><nav>{% for entry in menu %}{% if entry.children %}<b>{{ entry.label }}</b>\
         {% for child in entry.children %}<a href=\"{{ child.link.href }}\">{{ child.label }}</a>{% endfor %}{% else %}\
         <a href=\"{{ entry.link.href }}\">{{ entry.label }}</a>{% endif %}{% endfor %}</nav>{% block main %}{% endblock %}",
    );
    site
}

#[test]
fn a_group_of_the_menu_has_a_label_and_links_in_each_language() {
    let run = with(
        "{label: {en: More, es: Más}, children: [{label: {en: Who, es: Quién}, to: page:about}, {label: {en: Top, es: Arriba}, to: page:home}]}",
    )
    .build();
    run.page("index.html")
        .contains("<nav><b>More</b><a href=\"/about/\">Who</a><a href=\"/\">Top</a><a ");
    run.page("es/index.html")
        .contains("<nav><b>Más</b><a href=\"/es/")
        .contains(">Quién</a>");
}

#[test]
fn mistakes_in_groups_are_reported_once_at_their_place() {
    let child = "{label: {en: A, es: A}, to: page:about}";
    for (entry, message) in [
        (
            format!("{{label: {{en: A, es: A}}, to: page:about, children: [{child}]}}"),
            "an entry with `children` cannot also be a link",
        ),
        (
            format!(
                "{{label: {{en: A, es: A}}, children: [{{label: {{en: B, es: B}}, children: [{child}]}}]}}"
            ),
            "only a top-level entry in the header menu can have `children`",
        ),
        (
            format!("{{label: {{en: A}}, children: [{child}]}}"),
            "a menu group has no label for the locale `es`",
        ),
        (
            "{label: {en: A, es: A}, children: [{label: {en: B, es: B}, to: page:nowhere}]}"
                .to_owned(),
            "page:nowhere",
        ),
        (
            "{label: {en: A, es: A}, children: [{label: {en: B, es: B}}]}".to_owned(),
            "the key `to` is missing here",
        ),
        (
            "{label: {en: A, es: A}, children: []}".to_owned(),
            "the key `to` is missing here",
        ),
    ] {
        let run = with(&entry).run(&["check"]);
        let found: Vec<String> = run
            .problems()
            .into_iter()
            .filter(|problem| problem.contains("content/site.yaml"))
            .collect();
        assert!(run.stderr.contains(message), "{entry}: {}", run.stderr);
        let languages = if message == "page:nowhere" { 2 } else { 1 };
        assert!(
            !found.is_empty() && found.len() <= languages,
            "{entry}: {}",
            run.stderr
        );
    }
}

#[test]
fn a_menu_leaves_out_pages_that_its_language_has_neither_words_nor_a_page_for() {
    let site = SiteTest::small();
    site.edit(
        "content/site.yaml",
        "locales:",
        "fallback: {es: en}\nlocales:",
    );
    site.remove("content/pages/about/es.yaml");
    site.edit(
        "content/site.yaml",
        "groups: []",
        "groups: [{title: {en: More}, links: [{label: {en: Who}, to: page:about}]}]",
    );
    site.write(
        "templates/layouts/base.html",
        "<!doctype html><title>{{ page.title }}</title><nav>{% for entry in menu %}<a href=\"{{ entry.link.href }}\"\
         {% if entry.link.hreflang %} hreflang=\"{{ entry.link.hreflang }}\"{% endif %}>{{ entry.label }}</a>\
         {% endfor %}</nav>{% for group in footer.groups %}<b>{{ group.title }}</b>{% endfor %}{{ t(\"copyright\", year=1, company=1) }}\
         {% block main %}{% endblock %}",
    );
    // It has a word, so somebody means the page in the other language.
    site.built()
        .page("/es/")
        .contains("<nav><a href=\"/about/\" hreflang=\"en\">Nosotros</a></nav>");
    site.edit(
        "content/site.yaml",
        "{en: About, es: Nosotros}",
        "{en: About}",
    );
    site.built().page("/es/").contains("<nav></nav>");
    site.built()
        .page("/")
        .contains("<nav><a href=\"/about/\">About</a></nav>");
    // A page of its own needs no word of its own.
    site.write("content/pages/about/es.yaml", "path: /es/nosotros/\n");
    site.built()
        .page("/es/")
        .contains("<a href=\"/es/nosotros/\">");
}
