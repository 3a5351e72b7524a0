//! The pages of a built site: languages, alternates, addresses.

use crate::site_test::{SiteTest, repository};

#[test]
fn both_languages_are_built_and_linked() {
    let run = SiteTest::small().built();
    run.page("/")
        .contains("<h1>Hello</h1>")
        .contains("<link rel=\"canonical\" href=\"https://small.example/\">")
        .contains("hreflang=\"es\" href=\"https://small.example/es/\"")
        .contains("hreflang=\"x-default\" href=\"https://small.example/\"")
        .contains("<a href=\"/about/#team\">");
    run.page("/es/nosotros/")
        .contains("lang=\"es\"")
        .contains("aria-current=\"page\"")
        .contains("<a href=\"/about/\" lang=\"en\" hreflang=\"en\">English</a>");
}

#[test]
fn a_copy_is_the_same_page_with_one_canonical_address() {
    let run = SiteTest::small().built();
    let copy = run.page("/es/about/");
    assert_eq!(copy.html, run.page("/es/nosotros/").html);
    copy.contains("<link rel=\"canonical\" href=\"https://small.example/es/nosotros/\">");
}

#[test]
fn an_untranslated_page_has_no_alternates_and_its_switch_leads_home() {
    let page = "path: /lone/\ntitle: Lone\ndescription: Only in English.\nsections:\n  - {kind: hero, title: Lone}\n";
    let run = SiteTest::small()
        .file("content/pages/lone/en.yaml", page)
        .built();
    run.page("/lone/")
        .lacks("rel=\"alternate\"")
        .contains("<a href=\"/es/\" lang=\"es\" hreflang=\"es\">Español</a>");
}

#[test]
fn a_link_to_a_page_of_another_language_has_hreflang() {
    let page = "path: /lone/\ntitle: Lone\ndescription: Only in English.\nsections:\n  - {kind: hero, title: Lone}\n";
    let site = SiteTest::small().file("content/pages/lone/en.yaml", page);
    site.edit("content/pages/home/es.yaml", "page:about", "page:lone");
    site.built()
        .page("/es/")
        .contains("<a href=\"/lone/\" hreflang=\"en\">");
}

#[test]
fn a_redirect_has_a_page_for_hosts_without_redirect_rules() {
    SiteTest::small()
        .built()
        .page("/old/")
        .contains("content=\"0; url=/about/\"")
        .contains("noindex");
}

#[test]
fn a_setting_on_the_command_line_overrides_the_file() {
    let run = SiteTest::small()
        .argument("--set")
        .argument("product.name=Otra & más")
        .built();
    run.page("/")
        .contains("<title>Otra &amp; más: home</title>");
}

#[test]
fn a_base_url_on_the_command_line_overrides_the_file() {
    SiteTest::small()
        .argument("--base-url=http://localhost:9/")
        .built()
        .page("/")
        .contains("href=\"http://localhost:9/\"");
}

/// Another company changes only `site.yaml`, and the output no longer contains the first one's name.
#[test]
fn a_second_brand_is_content_only() {
    let settings =
        std::fs::read_to_string(crate::site_test::repository().join("content/site.yaml"))
            .expect("site.yaml");
    let name = |block: &str| {
        let at = settings.find(&format!("\n{block}:")).expect("the block");
        let line = settings[at..]
            .lines()
            .find(|line| line.trim_start().starts_with("name:"))
            .expect("a name");
        line.split_once(':')
            .map(|(_, name)| name.trim().to_owned())
            .expect("a value")
    };
    let (product, company) = (name("product"), name("company"));
    let site = SiteTest::whole();
    // The URL lock lists addresses with the first brand.
    site.remove("content/urls.lock");
    let text = settings
        .replace(&format!("name: {company}"), "name: Andén Works")
        .replace(&company, "Andén Works")
        .replace(&format!("name: {product}"), "name: Andén");
    let text = text
        .replace(&format!("slug: {}", product.to_lowercase()), "slug: anden")
        .replace(&product.to_lowercase(), "anden")
        .replace(&product.to_uppercase(), "ANDEN");
    site.write("content/site.yaml", text);
    let run = site.built();
    for (path, bytes) in run.files() {
        if path.ends_with(".woff2") {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        // The name as it is written, and addresses that contain it. In lower case it may be a common word.
        for name in [
            product.clone(),
            company.clone(),
            product.to_uppercase(),
            format!("-{}/", product.to_lowercase()),
        ] {
            assert!(
                !text.contains(&name),
                "{path} still names the first brand: {name}"
            );
        }
    }
    run.page("/get-anden/").contains("Andén");
    run.page("/es/obtener-anden/").contains("Andén");
}

/// An unknown tag gets the general 404 page, although the blog has its own error page.
#[test]
fn an_error_page_may_serve_further_addresses() {
    let site = SiteTest::small();
    let edit = |to: &str| {
        let text = std::fs::read_to_string(
            repository().join("tests/sites/_base/content/pages/not-found/en.yaml"),
        );
        site.write(
            "content/pages/not-found/en.yaml",
            format!("also_at: [{to}]\n{}", text.expect("the page")),
        );
    };
    edit("/list/tag/404.html");
    let run = site.built();
    assert_eq!(
        run.page("/list/tag/404.html").html,
        run.page("/404.html").html
    );
    for (wrong, hint) in [
        ("/list/tag/", "the 404 page is served from"),
        ("/List/404.html", "contains a space, an uppercase letter"),
        ("/es/list/404.html", "is the prefix of another locale"),
    ] {
        edit(wrong);
        let run = site.build();
        assert_eq!(
            run.problems(),
            ["bad-path content/pages/not-found/en.yaml:1:11"],
            "{wrong}"
        );
        assert!(run.stderr.contains(hint), "{}", run.stderr);
    }
}

/// A third language needs only content: a messages file and translated pages, no Rust and no templates.
#[test]
fn a_third_locale_is_content_only() {
    let site = SiteTest::small()
        .file("content/locales/pt.yaml", "name: Português\nlanguage: pt\nmessages:\n  menu: Menu\n  copyright: \"© {year} {company}\"\n")
        .file("content/pages/home/pt.yaml", "path: /pt/\ntitle: \"{product.name}: início\"\ndescription: A casa das coisas pequenas.\nsections:\n  - {kind: hero, title: Olá}\n");
    site.edit(
        "content/site.yaml",
        "locales: [en, es]",
        "locales: [en, es, pt]",
    );
    site.edit(
        "content/site.yaml",
        "es: Nosotros}",
        "es: Nosotros, pt: Sobre}",
    );
    site.edit(
        "content/site.yaml",
        "es: Cosas pequeñas.}",
        "es: Cosas pequeñas., pt: Coisas pequenas.}",
    );
    site.edit(
        "content/site.yaml",
        "    es: {label: Inicio, to: page:home}",
        "    es: {label: Inicio, to: page:home}\n    pt: {label: Início, to: page:home}",
    );
    let run = site.built();
    run.page("/pt/")
        .contains("lang=\"pt\"")
        .contains("<h1>Olá</h1>")
        .contains("hreflang=\"pt\" href=\"https://small.example/pt/\"");
    run.page("/")
        .contains("hreflang=\"pt\" href=\"https://small.example/pt/\"")
        .contains(">Português</a>");
    run.page("/about/")
        .contains("<a href=\"/pt/\" lang=\"pt\" hreflang=\"pt\">Português</a>");
}
