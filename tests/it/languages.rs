//! Codes of languages, what CLDR knows of them, and languages that show the texts of another one until they are translated.

use std::collections::BTreeMap;

use crate::new_site::new_site;
use crate::site_test::{SiteTest, repository};

const STRUCTURE: &str =
    "sections:\n  hero:\n    kind: hero\n  team:\n    kind: prose\n    id: team\n";
const ENGLISH: &str = "path: /about/\ntitle: About us\ndescription: Who makes the small things.\nhero.title: About us\nteam.body: We are few, and we like it.\n";

const SPANISH: &str = "path: /es/nosotros/\ntitle: Nosotros\ndescription: Quién hace las cosas.\nhero.title: Nosotros\nteam.body: Somos pocos, y nos gusta.\n";

/// Marks the language of sections as the theme does.
const PAGE: &str = "{% extends \"layouts/base.html\" %}{% block main %}{% for section in sections %}{% if section.words_in %}<div lang=\"{{ section.words_in.lang }}\" dir=\"{{ section.words_in.dir }}\">{% endif %}{% include \"sections/\" ~ section.kind ~ \"/\" ~ section.kind ~ \".html\" %}{% if section.words_in %}</div>{% endif %}{% endfor %}{% endblock %}";

/// The small site with a third language, which falls back.
fn with_third(code: &str, from: &str) -> SiteTest {
    let site = SiteTest::small()
        .file("templates/pages/page.html", PAGE)
        .file("content/pages/about/page.yaml", STRUCTURE)
        .file("content/pages/about/en.yaml", ENGLISH)
        .file("content/pages/about/es.yaml", SPANISH)
        .file(
            &format!("content/pages/home/{code}.yaml"),
            format!("path: /{}/\n", code.to_lowercase()),
        );
    site.edit(
        "content/site.yaml",
        "locales: [en, es]",
        &format!("locales: [en, es, {code}]\nfallback: {{{code}: {from}}}"),
    );
    site
}

#[test]
fn a_code_that_does_not_exist_is_answered_with_what_to_write() {
    let site = SiteTest::small();
    for (written, line) in [
        ("xx", "write a code such as `en`, `es` or `pt-BR`"),
        ("german", "write `de`"),
        ("pt_BR", "write `pt-BR`"),
        ("iw", "write `he`"),
        ("en-UK", "write `en-GB`"),
        ("zh-Hanx", "write `zh`, or choose another script"),
        ("ES", "remove one of the two"),
        (
            "en-u-ca-buddhist",
            "write a code such as `en`, `es` or `pt-BR`",
        ),
    ] {
        site.edit(
            "content/site.yaml",
            "locales: [en, es]",
            &format!("locales: [en, es, {written}]"),
        );
        let run = site.run(&["check"]);
        let problems = run.problems();
        assert!(
            problems
                .iter()
                .any(|problem| problem.starts_with("invalid-value content/site.yaml:2:")),
            "{written}: {problems:?}"
        );
        assert!(
            run.stderr.contains(&format!("hint: {line}")),
            "{written}: {}",
            run.stderr
        );
        site.edit(
            "content/site.yaml",
            &format!("locales: [en, es, {written}]"),
            "locales: [en, es]",
        );
    }
}

#[test]
fn a_fallback_names_another_language_of_the_site_and_leads_to_the_main_one() {
    let site = SiteTest::small();
    for (fallback, message) in [
        ("{es: fr}", "`fr` is not a locale in `site.yaml`"),
        ("{fr: en}", "`fr` is not a locale in `site.yaml`"),
        (
            "{en: es}",
            "`en` is the main language, so it cannot have a fallback",
        ),
        ("{es: es}", "the fallbacks of `es` form a loop: es → es"),
    ] {
        site.edit(
            "content/site.yaml",
            "locales: [en, es]",
            &format!("locales: [en, es]\nfallback: {fallback}"),
        );
        let run = site.run(&["check"]);
        assert_eq!(run.status, 1, "{fallback}");
        assert!(run.stderr.contains(message), "{fallback}: {}", run.stderr);
        site.edit(
            "content/site.yaml",
            &format!("locales: [en, es]\nfallback: {fallback}"),
            "locales: [en, es]",
        );
    }
}

#[test]
fn a_page_without_words_shows_those_of_its_fallback_in_their_language() {
    let site = with_third("zh-Hans", "en");
    // The look belongs to the sections.
    site.edit(
        "content/pages/home/en.yaml",
        "path: /\n",
        "path: /\nlayout: {header: {background: ink}}\n",
    );
    site.edit(
        "templates/layouts/base.html",
        "<body>",
        "<body data-header=\"{{ page.layout.header.background }}\">",
    );
    let run = site.built();
    run.page("/zh-hans/")
        .contains("<html lang=\"zh-Hans\"")
        .contains("data-header=\"ink\"")
        .contains("lang=\"en\" dir=\"ltr\"")
        .contains("<link rel=\"canonical\" href=\"https://small.example/zh-hans/\">")
        .lacks("rel=\"alternate\" hreflang");
    run.page("/")
        .lacks("hreflang=\"zh-Hans\" href=\"https://small.example/zh-hans/\"");
    let listed = site.run(&["translations"]).stdout;
    for line in [
        "pages/home   zh-Hans  untranslated",
        "words        zh-Hans  untranslated",
        "content/site.yaml:",
    ] {
        assert!(
            listed
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains(&line.split_whitespace().collect::<Vec<_>>().join(" ")),
            "{line} is not in {listed}"
        );
    }
}

#[test]
fn a_limit_of_borrowed_texts_is_an_error() {
    let site = with_third("zh-Hans", "en");
    site.edit(
        "content/site.yaml",
        "fallback:",
        "translations: {borrowed: 3}\nfallback:",
    );
    let run = site.run(&["check"]);
    assert_eq!(
        run.problems(),
        ["untranslated content/site.yaml:3:26"],
        "{}",
        run.stderr
    );
    site.edit("content/site.yaml", "borrowed: 3", "borrowed: 300");
    assert_eq!(site.run(&["check"]).problems(), [""; 0]);
}

#[test]
fn a_section_is_whole_in_one_language() {
    let site = with_third("ar", "en").file(
        "content/pages/about/ar.yaml",
        "path: /ar/about/\ntitle: من نحن\ndescription: من يصنع الأشياء الصغيرة.\nhero.title: من نحن\n",
    );
    let run = site.built();
    run.page("/ar/about/")
        .contains("<html lang=\"ar\"")
        .contains("<h1>من نحن</h1>")
        .contains("lang=\"en\" dir=\"ltr\"")
        .contains("We are few, and we like it.")
        .contains("hreflang=\"ar\" href=\"https://small.example/ar/about/\"");
    // With its own words, nothing is lent.
    site.write(
        "content/pages/about/ar.yaml",
        "path: /ar/about/\ntitle: من نحن\ndescription: من يصنع الأشياء الصغيرة.\nhero.title: من نحن\nteam.body: نحن قليلون.\n",
    );
    site.built()
        .page("/ar/about/")
        .lacks("We are few")
        .contains("نحن قليلون");
}

#[test]
fn links_lead_to_the_nearest_language_that_has_the_page() {
    let site = with_third("es-MX", "es")
        .file(
            "content/pages/home/es-MX.yaml",
            "path: /es-mx/\ntitle: Inicio de México\ndescription: La casa.\nsections:\n  - {kind: prose, body: \"[Nosotros](page:about#team)\"}\n  - {kind: hero, title: Hola}\n",
        );
    site.built()
        .page("/es-mx/")
        .contains("href=\"/es/nosotros/#team\"")
        .contains(">Nosotros</a>");
}

#[test]
fn dates_of_a_language_are_checked() {
    let site = SiteTest::small();
    let locale = "content/locales/es.yaml";
    let eleven = "months: [enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre, octubre, diciembre]\nmessages:";
    for (line, message) in [
        (eleven, "expected 12 names in `months`, found 11"),
        (
            "weekdays: [lu]\nmessages:",
            "expected 7 names in `weekdays`, found 1",
        ),
        (
            "date: \"{d}/{m}\"\nmessages:",
            "a date pattern cannot contain `{d}`",
        ),
        (
            "date: \"{day} de {month}\"\nmessages:",
            "the date pattern lacks `{year}`",
        ),
    ] {
        site.edit(locale, "messages:", line);
        let run = site.run(&["check"]);
        assert!(run.stderr.contains(message), "{line}: {}", run.stderr);
        assert!(
            run.problems()[0].starts_with("invalid-value content/locales/es.yaml:"),
            "{:?}",
            run.problems()
        );
        site.edit(locale, line, "messages:");
    }
}

#[test]
fn words_have_a_text_for_each_category_of_numbers_that_the_language_needs() {
    let site = with_third("pl", "en");
    site.edit(
        "content/locales/en.yaml",
        "messages:",
        "messages:\n  pages: {one: \"{count} page\", other: \"{count} pages\"}",
    );
    site.edit(
        "content/locales/es.yaml",
        "messages:",
        "messages:\n  pages: {one: \"{count} página\", other: \"{count} páginas\"}",
    );
    let template = "templates/pages/page.html";
    site.edit(
        template,
        "{% for section in sections %}",
        "<p>{{ t(\"pages\", count=1) }}, {{ t(\"pages\", count=4) }}</p>{% for section in sections %}",
    );
    let run = site.built();
    run.page("/es/").contains("1 página, 4 páginas");
    // The words are lent, and so are their categories.
    let lent = |text: &str| format!("<span lang=\"en\" dir=\"ltr\">{text}</span>");
    run.page("/pl/")
        .contains(&format!("{}, {}", lent("1 page"), lent("4 pages")));
    site.write(
        "content/locales/pl.yaml",
        "messages:\n  pages: {one: \"{count} strona\", other: \"{count} strony\"}\n",
    );
    let run = site.run(&["check"]);
    assert_eq!(
        run.problems(),
        ["message-placeholder content/locales/pl.yaml:2:10"],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("there is no text for `few` and `many`"),
        "{}",
        run.stderr
    );
    site.write(
        "content/locales/pl.yaml",
        "messages:\n  pages: {one: \"{count} strona\", few: \"{count} strony\", many: \"{count} stron\", other: \"{count} strony\"}\n",
    );
    site.built().page("/pl/").contains("1 strona, 4 strony");
}

#[test]
fn texts_that_were_copied_and_not_translated_are_reported_and_not_accepted() {
    let site = SiteTest::small()
        .file("content/pages/about/page.yaml", STRUCTURE)
        .file("content/pages/about/en.yaml", ENGLISH)
        .file(
            "content/pages/about/es.yaml",
            ENGLISH.replace("/about/", "/es/about/"),
        );
    let run = site.run(&["check"]);
    let copied: Vec<String> = run
        .problems()
        .into_iter()
        .filter(|problem| problem.starts_with("untranslated"))
        .collect();
    assert_eq!(
        copied,
        ["untranslated content/pages/about/es.yaml:3:14"],
        "{}",
        run.stderr
    );
    let accepted = site.run(&["translations", "--accept", "pages/about/es"]);
    assert_eq!(
        (accepted.status, accepted.problems().len()),
        (1, 1),
        "{}",
        accepted.stderr
    );
    let all = site.run(&["translations", "--accept"]);
    assert!(
        all.stdout.contains("; not translated yet: 1"),
        "{}",
        all.stdout
    );
    assert!(
        !std::fs::read_to_string(site.path("content/translations.lock"))
            .expect("a lock")
            .contains("pages/about")
    );
}

/// The site of the brief, in five languages, one of which is not announced yet.
fn with_draft() -> SiteTest {
    let site = SiteTest::from(&repository().join("examples/dental-clinics"));
    let locales = "locales: [en, es, de, ar, zh-hans]";
    site.edit(
        "content/site.yaml",
        locales,
        &format!("{locales}\ndraft_locales: [de]"),
    );
    site
}

#[test]
fn a_language_that_is_not_announced_is_in_previews_alone() {
    let site = with_draft();
    let names = |files: &BTreeMap<String, Vec<u8>>| -> Vec<String> {
        let named = files.iter().filter(|(path, bytes)| {
            let text = String::from_utf8_lossy(bytes);
            path.starts_with("de/")
                || ["/de/", "hreflang=\"de\"", "Behandlungen"]
                    .iter()
                    .any(|part| text.contains(part))
        });
        named.map(|(path, _)| path.clone()).collect()
    };
    let run = site.run(&["build"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let published = run.files();
    assert_eq!(names(&published), Vec::<String>::new());
    assert!(published.contains_key("es/index.html") && published.contains_key("ar/index.html"));
    let drafts = site.run(&["build", "--drafts"]);
    assert_eq!(drafts.status, 0, "{}", drafts.stderr);
    let found = drafts.files();
    assert!(
        found.contains_key("de/behandlungen/implants/index.html"),
        "{:?}",
        found.keys()
    );
    drafts.page("index.html").contains("hreflang=\"de\"");
    // The remaining files have the bytes of a site that never had the language.
    let again = site.run(&["build"]);
    assert_eq!(names(&again.files()), Vec::<String>::new());
    assert!(
        again.files() == published,
        "a build after one with drafts has other bytes"
    );
}

#[test]
fn a_check_does_not_fail_for_a_language_that_is_not_announced() {
    let site = with_draft();
    let before = site.run(&["check"]);
    assert_eq!(before.status, 0, "{}", before.stderr);
    site.edit("content/pages/team/de.yaml", "path:", "paht:");
    site.write("content/clinics/berlin/de.yaml", "nonsense: [");
    let after = site.run(&["check"]);
    assert_eq!((after.status, after.problems()), (0, before.problems()));
    let drafts = site.run(&["check", "--drafts"]);
    assert!(
        drafts.status != 0 && drafts.stderr.contains("paht"),
        "{}",
        drafts.stderr
    );
    // Whoever translates sees it, announced or not.
    let site = with_draft();
    site.remove("content/pages/team/de.yaml");
    let listed = site.run(&["translations"]);
    let is_it = |line: &str| {
        line.starts_with("pages/team ") && line.contains(" de ") && line.contains("missing")
    };
    assert!(
        listed.stdout.lines().any(is_it),
        "{}{}",
        listed.stdout,
        listed.stderr
    );
}

#[test]
fn a_language_that_is_not_announced_is_one_of_the_site_and_lends_nothing() {
    let site = with_third("fr", "es");
    let draft = |code: &str| {
        site.edit(
            "content/site.yaml",
            "fallback:",
            &format!("draft_locales: [{code}]\nfallback:"),
        );
    };
    for (code, message) in [
        (
            "en",
            "`en` is the main language, which every build includes",
        ),
        ("de", "`de` is not a locale in `site.yaml`"),
    ] {
        draft(code);
        let run = site.run(&["check"]);
        assert!(
            run.status != 0 && run.stderr.contains(message),
            "{code}: {}",
            run.stderr
        );
        site.edit(
            "content/site.yaml",
            &format!("draft_locales: [{code}]\n"),
            "",
        );
    }
    // French shows Spanish texts, and those of the main language while Spanish is not announced.
    site.edit(
        "content/site.yaml",
        "fallback: {fr: es}",
        "draft_locales: [es]\nfallback: {fr: es, es: en}",
    );
    site.write("content/pages/about/fr.yaml", "path: /fr/a-propos/\n");
    let run = site.run(&["build"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    run.page("fr/a-propos/index.html")
        .contains("We are few")
        .lacks("Somos pocos");
    let drafts = site.run(&["build", "--drafts"]);
    assert_eq!(drafts.status, 0, "{}", drafts.stderr);
    drafts
        .page("fr/a-propos/index.html")
        .contains("Somos pocos");
}

#[test]
fn names_are_those_of_the_language() {
    let site = SiteTest::from(&repository().join("examples/dental-clinics"));
    let (product, company) = (
        "product: {name: Horizon Dental, slug: horizon}",
        "company: {name: Horizon Dental Group}",
    );
    site.edit(
        "content/site.yaml",
        product,
        "product: {name: Horizon Dental, slug: horizon, names: {zh-hans: 地平线口腔, ar: هورايزن}}",
    );
    site.edit(
        "content/site.yaml",
        company,
        "company: {name: Horizon Dental Group, names: {zh-hans: 地平线口腔集团}}",
    );
    let run = site.run(&["build"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let title = |path: &str, name: &str| {
        run.page(path)
            .contains(&format!("· {name}</title>"))
            .lacks("{product");
    };
    title("zh-hans/treatments/implants/index.html", "地平线口腔");
    title("zh-hans/treatments/index.html", "地平线口腔");
    title("ar/treatments/index.html", "هورايزن");
    title("es/tratamientos/index.html", "Horizon Dental");
    run.page("zh-hans/index.html")
        .contains("地平线口腔集团")
        .lacks("Horizon Dental");
    run.page("ar/index.html").contains("Horizon Dental Group");
    run.page("index.html")
        .lacks("地平线口腔")
        .contains("Horizon Dental Group");
    site.edit(
        "content/site.yaml",
        "names: {zh-hans: 地平线口腔,",
        "names: {zh-hnas: 地平线口腔,",
    );
    let run = site.run(&["check"]);
    assert!(
        run.status != 0 && run.stderr.contains("did you mean `zh-hans`?"),
        "{}",
        run.stderr
    );
}

#[test]
fn names_in_the_theme_are_those_of_the_language() {
    let site = new_site(&["--languages", "en,es", "--name", "Acme"]);
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("settings");
    let named = settings.replacen("product:\n", "product:\n  names: {es: Ácme}\n", 1);
    let named = named.replacen("company:\n", "company:\n  names: {es: Grupo Ácme}\n", 1);
    assert_ne!(named, settings);
    site.write("content/site.yaml", named);
    site.run(&["build"]);
    let run = site.run(&["build", "--strict"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let home = run.page("es/index.html");
    home.contains("<meta property=\"og:site_name\" content=\"Ácme\">")
        .contains("\"name\":\"Grupo Ácme\"");
    home.contains("\"name\":\"Ácme\"").lacks(">Acme<");
    run.page("index.html")
        .contains("content=\"Acme\"")
        .lacks("Ácme");
    let post = run
        .files()
        .into_iter()
        .find(|(path, _)| path.starts_with("es/blog/") && path.ends_with("/index.html"));
    assert!(post.is_some_and(|(_, html)| String::from_utf8_lossy(&html).contains("· Ácme")));
}

#[test]
fn posts_of_a_language_without_a_list_are_not_lost_silently() {
    let site = new_site(&["--languages", "en,es,de"]);
    let post = "---\ntitle: Notizen\ndate: 2001-01-05\nauthor: sam-rivera\nexcerpt: Kurz.\n---\nWir haben das Dach repariert.\n";
    site.write("content/blog/de/notizen.md", post);
    let checked = site.run(&["check"]);
    assert_eq!(
        checked.problems(),
        ["unlisted-posts content/blog/de/notizen.md"]
    );
    let hint = "write `path: /de/blog/` in `content/pages/blog/de.yaml`";
    assert!(checked.stderr.contains(hint), "{}", checked.stderr);
    site.write("content/pages/blog/de.yaml", "path: /de/blog/\n");
    let built = site.build();
    assert_eq!(built.problems(), [""; 0], "{}", built.stderr);
    built
        .page("/de/blog/notizen/")
        .contains("Wir haben das Dach repariert.");
    // A list that cannot be read is one problem.
    site.write("content/pages/blog/de.yaml", "path: [\n");
    site.write("content/pages/blog/en.yaml", "path: [\n");
    assert!(!site.run(&["check"]).stderr.contains("unlisted-posts"));
}
