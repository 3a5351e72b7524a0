//! Pages whose languages share a structure (`page.yaml`), pages that are like others, and clients. How the bad inputs
//! are answered is in `tests/sites/wrong-words`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::site_test::{SiteTest, files_below, repository};

const STRUCTURE: &str = "sections:\n  hero:\n    kind: hero\n    lead: The team\n  team:\n    kind: prose\n    id: team\n";
const ENGLISH: &str = "path: /about/\ntitle: About us\ndescription: Who makes the small things.\nhero.title: About us\nteam.body: We are few.\n";
const SPANISH: &str = "path: /es/nosotros/\nalso_at: [/es/about/]\ntitle: Nosotros\ndescription: Quién hace las cosas.\nhero.title: Nosotros\nteam.body: Somos pocos.\n";
const ABOUT: &str = "content/pages/about/page.yaml";

fn site() -> SiteTest {
    SiteTest::small()
        .file(ABOUT, STRUCTURE)
        .file("content/pages/about/en.yaml", ENGLISH)
        .file("content/pages/about/es.yaml", SPANISH)
}

/// The lines of two files that are equal, and all their lines, without blank ones.
fn equal_lines(a: &str, b: &str) -> (usize, usize) {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    a.lines()
        .filter(|line| !line.trim().is_empty())
        .for_each(|line| counts.entry(line).or_default().0 += 1);
    b.lines()
        .filter(|line| !line.trim().is_empty())
        .for_each(|line| counts.entry(line).or_default().1 += 1);
    let equal = counts.values().map(|(a, b)| 2 * a.min(b)).sum();
    (equal, counts.values().map(|(a, b)| a + b).sum())
}

#[test]
fn languages_of_a_page_repeat_nothing() {
    let pages = repository().join("content/pages");
    let (mut equal, mut all, mut translated) = (0, 0, 0);
    for path in files_below(&pages)
        .into_keys()
        .filter(|path| path.ends_with("/es.yaml"))
    {
        let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        let spanish = pages.join(&path);
        let (same, lines) = equal_lines(&read(&spanish.with_file_name("en.yaml")), &read(&spanish));
        (equal, all, translated) = (equal + same, all + lines, translated + 1);
    }
    assert!(translated >= 10, "only {translated} pages are translated");
    assert!(
        equal * 20 < all,
        "{equal} of {all} lines are equal in both languages: move them to page.yaml"
    );
}

/// The backgrounds of all sections, in order: they are part of the structure.
fn bands(html: &str) -> Vec<&str> {
    html.match_indices("band band--")
        .map(|(at, _)| html[at..].split(['"', ' ']).nth(1).unwrap_or_default())
        .collect()
}

#[test]
fn a_third_language_needs_words_only() {
    let site = SiteTest::whole();
    site.remove("content/urls.lock");
    site.edit(
        "content/site.yaml",
        "locales: [en, es]",
        "locales: [en, es, pt]",
    );
    for file in files_below(&site.path("content")).into_keys() {
        if file == "site.yaml" || file.starts_with("authors/") && file.ends_with(".yaml") {
            let file = format!("content/{file}");
            site.write(
                &file,
                with_portuguese(&std::fs::read_to_string(site.path(&file)).expect("a text")),
            );
        }
    }
    let locale = std::fs::read_to_string(site.path("content/locales/es.yaml")).expect("a locale");
    let locale = locale
        .replace("name: Español", "name: Português")
        .replace("language: es", "language: pt");
    site.write("content/locales/pt.yaml", locale);
    let words = repository().join("tests/sites/portuguese/pages");
    for (path, text) in files_below(&words) {
        assert!(
            !String::from_utf8_lossy(&text).contains("kind:"),
            "{path} holds words only"
        );
        site.write(&format!("content/pages/{path}"), text);
    }
    let run = site.built();
    run.page("/pt/servicos/")
        .contains("id=\"servicos-principais\"")
        .contains("bridge-dawn")
        .contains("Ver SEO");
    assert_eq!(
        bands(&run.page("/pt/servicos/").html),
        bands(&run.page("/services/").html)
    );
    assert!(bands(&run.page("/services/").html).len() >= 5);
    // This language leaves out some sections of the home page.
    assert!(bands(&run.page("/pt/").html).len() < bands(&run.page("/").html).len());
    run.page("/pt/")
        .contains("Confiam em nós")
        .contains("hreflang=\"es\"");
    run.page("/pt/500.html").contains("Erro do servidor");
}

/// A file in which each Spanish text is repeated as a Portuguese one.
fn with_portuguese(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().collect();
    let mut out: Vec<String> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        out.push(match line.split_once(", es: ") {
            Some((before, spanish)) => {
                let spanish = spanish.trim_end_matches('}');
                format!("{before}, es: {spanish}, pt: {spanish}}}")
            }
            None => (*line).to_owned(),
        });
        // The end of a Spanish block.
        let first = (0..=at)
            .rev()
            .find(|first| lines[*first].trim_start().starts_with("es:"));
        if let Some(first) = first
            && lines[first + 1..=at]
                .iter()
                .all(|line| indent(line) > indent(lines[first]))
            && lines
                .get(at + 1)
                .is_none_or(|next| indent(next) <= indent(lines[first]))
        {
            out.push(lines[first].replacen("es:", "pt:", 1));
            out.extend(lines[first + 1..=at].iter().map(|line| (*line).to_owned()));
        }
    }
    out.join("\n") + "\n"
}

#[test]
fn a_change_of_the_structure_rebuilds_each_language() {
    let site = site();
    site.built();
    site.edit(ABOUT, "lead: The team", "lead: Who we are");
    let run = site.built();
    for path in ["/about/", "/es/nosotros/", "/es/about/"] {
        run.page(path).contains("Who we are").lacks("The team");
    }
    site.edit(ABOUT, "id: team", "id: people");
    let run = site.build();
    assert_eq!(
        run.problems(),
        ["dead-anchor content/pages/home/en.yaml:7:28"],
        "{}",
        run.stderr
    );
    site.edit(ABOUT, "id: people", "id: team");
    let run = site.built();
    let clean = self::site()
        .file(ABOUT, STRUCTURE.replace("The team", "Who we are"))
        .built();
    assert_eq!(
        run.page("/es/nosotros/").html,
        clean.page("/es/nosotros/").html
    );
    // Without the structure, the words are no page.
    site.remove(ABOUT);
    assert_eq!(site.build().status, 1);
}

#[test]
fn a_language_may_differ_from_what_is_shared() {
    let site = site();
    site.edit(
        "content/pages/about/es.yaml",
        "hero.title:",
        "hero.lead: null\nhero.title:",
    );
    let run = site.built();
    run.page("/about/").contains("<p>The team</p>");
    run.page("/es/nosotros/")
        .lacks("The team")
        .contains("<section id=\"team\">");
    site.edit(
        "content/pages/about/es.yaml",
        "hero.lead: null",
        "hero.lead: Propio.\nteam.id: equipo",
    );
    site.built()
        .page("/es/nosotros/")
        .contains("<p>Propio.</p>")
        .contains("<section id=\"equipo\">");
}

#[test]
fn a_wrong_structure_is_reported_once() {
    let site = site();
    site.edit(ABOUT, "kind: prose", "kind: prsoe");
    let run = site.build();
    assert!(
        run.problems()
            .contains(&"unknown-section content/pages/about/page.yaml:6:11".to_owned()),
        "{}",
        run.stderr
    );
    assert_eq!(
        run.stderr.matches("prsoe").count(),
        2,
        "the message and the line: {}",
        run.stderr
    );
}

#[test]
fn a_broken_structure_does_not_make_links_to_its_pages_dead() {
    let site = site();
    site.write(ABOUT, "sections:\n  hero: \"never closed\n");
    assert_eq!(
        site.build().problems(),
        ["unclosed-quote content/pages/about/page.yaml:2:9"]
    );
}

#[test]
fn a_page_with_a_structure_has_its_address_in_routes() {
    let run = site().run(&["routes"]);
    assert!(
        run.stdout.contains("/es/nosotros/") && run.stdout.contains("/about/"),
        "{}",
        run.stdout
    );
}

#[test]
fn an_error_page_says_only_what_differs() {
    let like = "like: not-found\npath: /things/404.html\nanswers_below: /things/\ndescription: There is no such thing.\n";
    let site = SiteTest::small().file("content/pages/things-not-found/en.yaml", like);
    let run = site.built();
    run.page("/things/404.html")
        .contains("<h1>Page not found</h1>");
    site.edit(
        "content/pages/not-found/en.yaml",
        "    title: Page not found",
        "    title: Nothing here",
    );
    site.built()
        .page("/things/404.html")
        .contains("<h1>Nothing here</h1>");
}

#[test]
fn a_text_in_another_language_is_a_warning() {
    let spanish = "Los lectores llegan todos a la vez y de todas partes, así que rehicimos la caché y el flujo editorial \
        para que cada uno reciba su página sin esperar. Una hora tranquila cuesta menos que una hora pico, y eso se \
        nota en la factura del mes, que ahora es más corta y más fácil de leer.";
    let site = SiteTest::small();
    site.edit(
        "content/pages/about/en.yaml",
        "body: We are {company.name}.",
        &format!("body: {spanish}"),
    );
    site.edit(
        "content/pages/about/es.yaml",
        "body: Somos {company.name}.",
        &format!("body: {spanish}"),
    );
    let run = site.run(&["check"]);
    assert_eq!(
        run.problems(),
        ["wrong-language content/pages/about/en.yaml:9:11"],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("in Spanish, but the language of its file is English"),
        "{}",
        run.stderr
    );
}

/// The schema of a part of the theme.
fn of_theme(part: &str) -> String {
    std::fs::read_to_string(
        repository()
            .join("templates")
            .join(part)
            .join("schema.yaml"),
    )
    .expect("a schema")
}

#[test]
fn a_client_is_named_by_its_key() {
    let strip = "path: /clients/\ntitle: Clients\ndescription: Whom we work for.\nunlinked: true\nsections:\n  - {kind: hero, title: Clients}\n  - {kind: logo_strip, title: Clients, clients: [acme]}\n";
    let site = SiteTest::small()
        .file("content/clients/clients.yaml", "acme: {name: Acme & Co, logo: {src: acme.svg, decorative: true}, to: page:about}\n")
        .file("templates/collections/clients/schema.yaml", of_theme("collections/clients"))
        .file("templates/sections/logo_strip/schema.yaml", of_theme("sections/logo_strip"))
        .file("content/images/acme.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\"><path d=\"M0 0h9v9z\"/></svg>")
        .file("templates/sections/logo_strip/logo_strip.html", "{% for client in section.clients %}<a href=\"{{ client.to.href }}\">{{ client.name }} {{ client.logo.width }}</a>{% endfor %}")
        .file("content/pages/clients/en.yaml", strip);
    site.built()
        .page("/clients/")
        .contains("<a href=\"/about/\">Acme &amp; Co 9</a>");
    site.edit("content/clients/clients.yaml", "page:about", "page:abuot");
    assert_eq!(
        site.build().problems(),
        ["dead-link content/clients/clients.yaml:1:70"]
    );
    site.edit("content/clients/clients.yaml", "page:abuot", "page:home");
    site.built().page("/clients/").contains("<a href=\"/\">");
}

#[test]
fn a_shared_link_names_an_anchor_of_each_language_also_with_a_fallback() {
    let call = "  call:\n    kind: prose\n    body: \"[The team](#team).\"\n";
    let site = site().file(ABOUT, format!("{STRUCTURE}{call}"));
    site.edit(
        "content/site.yaml",
        "locales: [en, es]",
        "locales: [en, es]\nfallback: {es: en}",
    );
    site.built();
    site.edit(
        "content/pages/about/es.yaml",
        "team.body:",
        "team.id: equipo\nteam.body:",
    );
    let run = site.run(&["check"]);
    assert_eq!(
        run.problems(),
        [format!("dead-anchor {ABOUT}:10:23")],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("nothing on `/es/nosotros/` has the anchor `#team`"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("the page in `en` has this anchor"),
        "{}",
        run.stderr
    );
    // The words of the fallback name the anchors of its page.
    site.edit(ABOUT, "    body: \"[The team](#team).\"\n", "");
    site.edit(
        "content/pages/about/en.yaml",
        "team.body:",
        "call.body: \"[The team](#team).\"\nteam.body:",
    );
    site.built()
        .page("/es/nosotros/")
        .contains("The team</a>")
        .lacks("#team");
}
