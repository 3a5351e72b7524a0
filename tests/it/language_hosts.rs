//! Languages on hosts of their own: one build has the right addresses for all of them, and a preview or a copy is on one host.

use serde_json::Value;

use crate::serve::Server;
use crate::site_test::{Run, SiteTest};

const SITE: &str = "content/site.yaml";

/// The small site with Spanish on a host of its own. Its English menu leads to a page in Spanish alone.
fn with_hosts() -> SiteTest {
    let site = SiteTest::small().file(
        "content/pages/prices/es.yaml",
        "path: /es/precios/\ntitle: Precios\ndescription: Lo que cuesta.\nsections:\n  - kind: hero\n    title: Precios\n    lead: \"Lee [sobre nosotros](page:about), o [lo mismo](/about/).\"\n",
    );
    site.edit(
        SITE,
        "locales:",
        "base_urls: {es: https://small.example.es/}\nlocales:",
    );
    site.edit(
        SITE,
        "to: page:about\n",
        "to: page:about\n    - {label: {en: Prices, es: Precios}, to: page:prices}\n",
    );
    site.edit(
        SITE,
        "redirects:\n",
        "redirects:\n  - {from: /costs, to: page:prices}\n  - {from: /es/costes, to: page:prices}\n  - {from: /es/english, to: https://small.example/about/}\n",
    );
    site
}

fn text(run: &Run, path: &str) -> String {
    String::from_utf8(run.files()[path].clone()).expect("UTF-8")
}

#[test]
fn pages_name_the_host_of_each_language() {
    let site = with_hosts();
    let run = site.built();
    assert_eq!(run.problems(), Vec::<String>::new(), "{}", run.stderr);
    let alternates = [
        "hreflang=\"en\" href=\"https://small.example/about/\"",
        "hreflang=\"es\" href=\"https://small.example.es/es/nosotros/\"",
        "hreflang=\"x-default\" href=\"https://small.example/about/\"",
    ];
    let english = run.page("/about/");
    let spanish = run.page("/es/nosotros/");
    for alternate in alternates {
        english.contains(alternate);
        spanish.contains(alternate);
    }
    english
        .contains("<link rel=\"canonical\" href=\"https://small.example/about/\">")
        // The switch, and the link of the menu to what only the other language has.
        .contains("<a href=\"https://small.example.es/es/nosotros/\" lang=\"es\"")
        .contains("<a href=\"https://small.example.es/es/precios/\" hreflang=\"es\">Prices</a>")
        .contains("<a href=\"/about/\" aria-current=\"page\">About</a>");
    spanish
        .contains("<link rel=\"canonical\" href=\"https://small.example.es/es/nosotros/\">")
        .contains("<a href=\"https://small.example/about/\" lang=\"en\"")
        .contains("<a href=\"/es/precios/\">Precios</a>");
    run.page("/es/precios/")
        .contains("<a href=\"/es/nosotros/\">sobre nosotros</a>")
        .contains("<a href=\"https://small.example/about/\" hreflang=\"en\">lo mismo</a>");

    let sitemap = text(&run, "sitemap.xml");
    for part in [
        "<loc>https://small.example.es/es/precios/</loc>",
        "<loc>https://small.example/</loc>",
    ] {
        assert!(sitemap.contains(part), "{sitemap}");
    }
    assert!(!sitemap.contains("small.example/es/"), "{sitemap}");
    // By it, each host says that the sitemap may speak for it.
    assert!(text(&run, "robots.txt").contains("Sitemap: https://small.example/sitemap.xml\n"));
    let redirects = text(&run, "_redirects");
    for line in [
        "/costs https://small.example.es/es/precios/ 301\n",
        "/es/costes /es/precios/ 301\n",
        "/es/english https://small.example/about/ 301\n",
    ] {
        assert!(redirects.contains(line), "{redirects}");
    }
    run.page("/costs/")
        .contains("url=https://small.example.es/es/precios/");

    // The lead API lets each host send, and says where its pages are.
    let leads: Value =
        serde_json::from_slice(&std::fs::read(site.path("leads.json")).expect("a file"))
            .expect("JSON");
    let host = serde_json::json!([{"locale": "es", "prefix": "/es/", "base_url": "https://small.example.es"}]);
    assert_eq!(
        (&leads["base_url"], &leads["hosts"]),
        (&"https://small.example".into(), &host)
    );
    assert!(
        run.stderr.is_empty() && site.run(&["check", "--strict"]).status <= 1,
        "{}",
        run.stderr
    );
}

#[test]
fn search_engines_know_each_host() {
    let site = SiteTest::blog();
    let data = "{% for data in page.structured_data %}<script type=\"application/ld+json\">{{ data }}</script>{% endfor %}";
    site.edit(
        "templates/layouts/base.html",
        "</head>",
        &format!("{data}</head>"),
    );
    site.edit(SITE, "blog: {search: false}", "blog: {}");
    site.write(
        "content/authors/ana.yaml",
        "name: Ana Ruiz\ndescription: {en: Writes., es: Escribe.}\n",
    );
    site.write(
        "content/blog/es/noticias.md",
        "---\ntitle: Noticias\ndate: 2025-07-01\nauthor: ana\n---\nTexto.\n",
    );
    site.edit(
        SITE,
        "locales:",
        "llms_txt: true\nbase_urls: {es: https://other.example}\nlocales:",
    );
    let run = site.built();
    let page = run.page("/es/blog/noticias/").html;
    for part in [
        "\"isPartOf\":{\"@id\":\"https://other.example/#website\"}",
        "\"publisher\":{\"@id\":\"https://bench.example/#organization\"}",
        "\"url\":\"https://other.example/es/blog/noticias/\"",
        "<meta property=\"og:url\" content=\"https://other.example/es/blog/noticias/\">",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let website = page
        .split("\"@type\":\"WebSite\"")
        .nth(1)
        .expect("a site")
        .split("\"@type\"")
        .next()
        .unwrap_or_default();
    assert!(website.contains("\"inLanguage\":[\"es\"]"), "{website}");
    for (file, part) in [
        (
            "es/blog/feed.xml",
            "<link>https://other.example/es/blog/noticias/</link>",
        ),
        (
            "es/blog/atom.xml",
            "<link rel=\"self\" href=\"https://other.example/es/blog/atom.xml\"/>",
        ),
        (
            "es/blog/feed.json",
            "\"feed_url\": \"https://other.example/es/blog/feed.json\"",
        ),
        ("llms.txt", "](https://other.example/es/blog/)"),
    ] {
        assert!(
            text(&run, file).contains(part),
            "{file}: {}",
            text(&run, file)
        );
    }
    // The API of posts answers pages of both hosts.
    let bundle = std::fs::read_to_string(site.path("search/site.json")).expect("a bundle");
    assert!(bundle.contains("\"https://other.example\""), "{bundle}");
}

#[test]
fn a_preview_and_a_copy_have_all_languages_on_one_host() {
    let server = Server::start(with_hosts(), &[]);
    for (path, link) in [
        ("/about/", "<a href=\"/es/nosotros/\" lang=\"es\""),
        ("/es/nosotros/", "<a href=\"/about/\" lang=\"en\""),
        ("/nothing/", "<a href=\"/es/\" lang=\"es\""),
    ] {
        let (_, _, body) = server.get(path);
        assert!(body.contains(link), "{path}: {body}");
    }
    let (_, _, body) = server.get("/about/");
    assert!(
        body.contains("hreflang=\"es\" href=\"https://small.example.es/es/nosotros/\""),
        "{body}"
    );
    let (status, head, _) = server.get("/costs");
    assert!(
        status == 301 && head.contains("location: /es/precios/\r\n"),
        "{head}"
    );
    let site = server.stop();

    let finished = Server::start(site, &["--no-watch"]);
    let (_, _, body) = finished.get("/about/");
    assert!(
        body.contains("<a href=\"/es/nosotros/\" lang=\"es\""),
        "{body}"
    );
    let site = finished.stop();

    let copy = site.argument("--base-url=https://staging.example").built();
    copy.page("/about/")
        .contains("<a href=\"/es/nosotros/\"")
        .lacks("small.example");
}

#[test]
fn a_wrong_host_is_an_error_at_its_line() {
    for (hosts, message) in [
        (
            "{es: https://small.example.es/tienda/}",
            "it has the path `/tienda/`",
        ),
        ("{es: 'https://small.example.es/?a=1'}", "it has a query"),
        (
            "{es: \"https://small.example.es\\n\"}",
            "it has a line break",
        ),
        (
            "{es: http://small.example.es}",
            "uses `http`, but `base_url` uses `https`",
        ),
        (
            "{es: https://SMALL.example}",
            "`small.example` is also the host of `base_url`",
        ),
        (
            "{en: https://small.example.es}",
            "`en` is the main language",
        ),
        (
            "{fr: https://small.example.es}",
            "`base_urls` names `fr`, which is not a locale",
        ),
    ] {
        let site = SiteTest::small();
        site.edit(SITE, "locales:", &format!("base_urls: {hosts}\nlocales:"));
        let run = site.run(&["check"]);
        assert_eq!(
            run.problems(),
            ["invalid-value content/site.yaml:2:17"],
            "{hosts}: {}",
            run.stderr
        );
        assert!(run.stderr.contains(message), "{hosts}: {}", run.stderr);
    }
}

#[test]
fn a_host_without_rules_for_hosts_is_named() {
    for (host, warns) in [
        ("cloudflare", true),
        ("github-pages", true),
        ("netlify", false),
        ("nginx", false),
    ] {
        let site = with_hosts().argument(&format!("--set=host={host}"));
        let run = site.built();
        let warned = run.stderr.contains(
            "can't apply redirect files to individual hosts, so `small.example.es/` does not redirect to `/es/`",
        );
        assert_eq!(warned, warns, "{host}: {}", run.stderr);
    }
    let run = with_hosts().argument("--set=host=netlify").built();
    let redirects = text(&run, "_redirects");
    assert!(
        redirects.starts_with(
            "https://small.example.es/ /es/ 302!\nhttps://small.example/es/* https://small.example.es/es/:splat 301!\n"
        ),
        "{redirects}"
    );
}
