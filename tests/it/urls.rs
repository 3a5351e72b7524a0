//! `content/urls.lock`: locked URLs must not disappear.

use crate::site_test::SiteTest;

const LOCK: &str = "content/urls.lock";

fn accepted() -> SiteTest {
    let site = SiteTest::small();
    assert_eq!(site.run(&["check", "--accept-urls"]).status, 0);
    site
}

#[test]
fn a_site_without_a_lock_file_has_no_locked_urls() {
    assert_eq!(SiteTest::small().built().stderr, "");
    let site = accepted();
    let lock = std::fs::read_to_string(site.path(LOCK)).expect("the file");
    assert!(
        lock.ends_with("/\n/about/\n/es/\n/es/about/\n/es/nosotros/\n/old/\n/plain.txt\n"),
        "{lock}"
    );
    assert_eq!(site.run(&["check", "--strict"]).status, 0);
}

#[test]
fn a_removed_page_is_an_error_with_a_redirect_to_add() {
    let site = accepted();
    site.edit(
        "content/pages/about/en.yaml",
        "path: /about/",
        "path: /about-us/",
    );
    let line = "- {from: /about, to: page:about}";
    for command in ["check", "build"] {
        let run = site.run(&[command]);
        assert_eq!(run.status, 1);
        assert!(
            run.stderr.contains(
                "error[url-gone]: `/about/` no longer exists\n  --> content/urls.lock:4:1"
            ),
            "{}",
            run.stderr
        );
        assert!(
            run.stderr.contains(&format!(
                "add to `redirects:` in `content/site.yaml`: `{line}`"
            )),
            "{}",
            run.stderr
        );
    }
    site.edit(
        "content/site.yaml",
        "redirects:\n",
        &format!("redirects:\n  {line}\n"),
    );
    let run = site.built();
    assert!(
        run.stderr
            .contains("warning[url-new]: `/about-us/` is not in `content/urls.lock`"),
        "{}",
        run.stderr
    );
}

/// Not to the home page, which passes a check as well, and sends every visitor away.
#[test]
fn the_suggested_redirect_leads_to_the_page_that_has_moved() {
    let site = accepted();
    site.edit(
        "content/pages/about/en.yaml",
        "path: /about/",
        "path: /what-we-do/",
    );
    let run = site.build();
    assert!(
        run.stderr.contains("`- {from: /about, to: page:about}`"),
        "{}",
        run.stderr
    );
    // Its new URL is accepted already.
    site.write(
        LOCK,
        "/\n/about/\n/es/\n/es/about/\n/es/nosotros/\n/old/\n/plain.txt\n/what-we-do/\n",
    );
    let run = site.build();
    assert!(
        run.stderr.contains("`- {from: /about, to: page:about}`"),
        "{}",
        run.stderr
    );
    // In a language whose URL has no word of the key.
    let site = accepted();
    site.edit(
        "content/pages/about/es.yaml",
        "/es/nosotros/",
        "/es/qué-hacemos/",
    );
    let run = site.build();
    assert!(
        run.stderr
            .contains("`- {from: /es/nosotros, to: page:about}`"),
        "{}",
        run.stderr
    );
}

/// The pages of the second language have no words of their keys in their URLs.
#[test]
fn of_several_pages_that_move_at_once_each_leads_to_its_own() {
    let mut site = SiteTest::small();
    for (key, en, es) in [
        ("team", "/team/", "/es/equipo/"),
        ("prices", "/prices/", "/es/precios/"),
        ("jobs", "/jobs/", "/es/empleo/"),
    ] {
        for (locale, path) in [("en", en), ("es", es)] {
            site = site.file(
                &format!("content/pages/{key}/{locale}.yaml"),
                format!("path: {path}\ntitle: {key} {locale}\ndescription: About {key} in {locale}.\nunlinked: true\nsections:\n  - {{kind: hero, title: {key}}}\n"),
            );
        }
    }
    assert_eq!(site.run(&["check", "--accept-urls"]).status, 0);
    let moves = |site: &SiteTest, new: [&str; 3]| {
        for ((key, old), new) in [
            ("team", "equipo"),
            ("prices", "precios"),
            ("jobs", "empleo"),
        ]
        .into_iter()
        .zip(new)
        {
            let (file, old) = (
                format!("content/pages/{key}/es.yaml"),
                format!("/es/{old}/"),
            );
            site.edit(
                &file,
                &format!("path: {old}"),
                &format!("path: /es/{new}/ # {old}"),
            );
        }
        site.build().stderr
    };
    let found = moves(&site, ["nuestro-equipo", "los-precios", "empleos"]);
    for (from, key) in [
        ("equipo", "team"),
        ("precios", "prices"),
        ("empleo", "jobs"),
    ] {
        let line = format!("`- {{from: /es/{from}, to: page:{key}}}`\n");
        assert!(found.contains(&line), "{line}{found}");
    }
    // Nobody knows which is which: the hint says so.
    for (key, old, new) in [
        ("team", "nuestro-equipo", "quienes"),
        ("prices", "los-precios", "tarifas"),
        ("jobs", "empleos", "vacantes"),
    ] {
        site.edit(
            &format!("content/pages/{key}/es.yaml"),
            &format!("/es/{old}/"),
            &format!("/es/{new}/"),
        );
    }
    let found = site.build().stderr;
    assert!(
        found.contains("`- {from: /es/equipo, to: page:jobs}`, or write `to: page:prices` or `to: page:team` if the page has moved there"),
        "{found}"
    );
}

#[test]
fn the_suggested_redirect_leads_to_the_parent_page() {
    let site = SiteTest::small().file(
        "content/pages/team/en.yaml",
        "path: /about/team/\ntitle: Team\ndescription: Us.\nunlinked: true\nsections:\n  - {kind: hero, title: Team}\n",
    );
    site.run(&["check", "--accept-urls"]);
    site.remove("content/pages/team/en.yaml");
    let run = site.build();
    assert!(
        run.stderr
            .contains("`- {from: /about/team, to: page:about}`"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_new_page_is_a_warning_and_fails_a_strict_check() {
    let site = accepted().file(
        "content/pages/team/en.yaml",
        "path: /team/\ntitle: Team\ndescription: Us.\nunlinked: true\nsections:\n  - {kind: hero, title: Team}\n",
    );
    assert_eq!(site.run(&["build"]).status, 0);
    assert_eq!(site.run(&["check", "--strict"]).status, 1);
    assert_eq!(site.run(&["check", "--accept-urls", "--strict"]).status, 0);
    assert_eq!(site.run(&["check", "--strict"]).status, 0);
}

#[test]
fn an_invalid_page_is_not_reported_as_removed() {
    let site = accepted();
    site.edit(
        "content/pages/about/en.yaml",
        "title: About",
        "titel: About",
    );
    assert!(!site.build().stderr.contains("url-gone"));
    let before = std::fs::read(site.path(LOCK)).expect("the file");
    assert_eq!(site.run(&["check", "--accept-urls"]).status, 1);
    assert_eq!(
        before,
        std::fs::read(site.path(LOCK)).expect("the file"),
        "a site with errors does not change the lock file"
    );
}

#[test]
fn a_product_slug_on_the_command_line_does_not_affect_locked_urls() {
    let site = accepted();
    assert_eq!(
        site.run(&["check", "--set", "product.slug=other", "--strict"])
            .status,
        0
    );
}

#[test]
fn an_invalid_line_in_the_lock_file_is_reported() {
    let site = accepted();
    site.edit(LOCK, "/about/\n", "/about/\n<<<<<<< HEAD\n");
    assert_eq!(
        site.build().problems(),
        ["invalid-value content/urls.lock:5:1"]
    );
}
