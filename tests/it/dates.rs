//! Pages, sections and links of menus that are public for a time, and the site of any day (`--at`).

use schema::types::Moment;

use crate::collections::EVENT_SCHEMA;
use crate::site_test::{Run, SiteTest, repository};

const HOME: &str = "content/pages/home/en.yaml";
const SITE: &str = "content/site.yaml";
const PAGE: &str = "content/pages/offer/page.yaml";

/// 2027-01-15T08:00:00Z, which is 09:00 in Madrid.
const BEGIN: &str = "1800000000";
const BEFORE: &str = "2027-01-15T08:59";
const DURING: &str = "2027-01-15T09:00";
const AFTER: &str = "2027-02-01";

/// A page in two languages that is public for two weeks, with links to it from a text, by its address, and from the menu.
fn site() -> SiteTest {
    let words = |path: &str, title: &str| {
        format!(
            "path: {path}\ntitle: {title}\ndescription: Of {title}.\nhero.title: {title}\nterms.body: Words of {title}.\n"
        )
    };
    let site = SiteTest::small()
        .file(
            PAGE,
            format!("publish_at: {DURING}\nexpires_at: {AFTER}\nsections:\n  hero: {{kind: hero}}\n  terms: {{kind: prose, id: terms}}\n"),
        )
        .file("content/pages/offer/en.yaml", words("/offer/", "Offer"))
        .file("content/pages/offer/es.yaml", words("/es/oferta/", "Oferta"));
    site.edit(
        SITE,
        "locales:",
        "timezone: Europe/Madrid\nllms_txt: true\nlocales:",
    );
    site.edit(
        SITE,
        "  call_to_action:",
        "    - {label: {en: The offer, es: La oferta}, to: page:offer}\n  call_to_action:",
    );
    site.edit(
        HOME,
        "lead: \"",
        "lead: \"See [one](page:offer#terms) and [two](/offer/). ",
    );
    site
}

fn at(site: &SiteTest, time: &str) -> Run {
    let run = site.run(&["build", "--at", time]);
    assert_eq!(run.status, 0, "{time}: {}", run.stderr);
    run
}

fn has(run: &Run, path: &str, text: &str) -> bool {
    String::from_utf8_lossy(&run.files()[path]).contains(text)
}

/// The problems that stop a build with these texts in place of others.
fn refused(site: &SiteTest, path: &str, from: &str, to: &str) -> String {
    let before = std::fs::read_to_string(site.path(path)).expect(path);
    site.edit(path, from, to);
    let run = site.run(&["check"]);
    site.write(path, before);
    assert_eq!(run.status, 1, "{to}: {}", run.stderr);
    run.stderr
}

#[test]
fn a_page_is_public_from_its_first_to_its_last_minute() {
    let site = site();
    for (time, is_there) in [
        (BEFORE, false),
        (DURING, true),
        ("2027-01-31T23:59", true),
        (AFTER, false),
    ] {
        let run = at(&site, time);
        assert_eq!(
            run.files().contains_key("offer/index.html"),
            is_there,
            "{time}"
        );
        assert_eq!(
            run.files().contains_key("es/oferta/index.html"),
            is_there,
            "{time}"
        );
        for file in ["sitemap.xml", "llms.txt"] {
            assert_eq!(has(&run, file, "/offer/"), is_there, "{time}: {file}");
        }
        assert_eq!(
            has(&run, "about/index.html", ">The offer<"),
            is_there,
            "{time}: the menu"
        );
        assert_eq!(
            has(&run, "es/index.html", ">La oferta<"),
            is_there,
            "{time}: the menu"
        );
        let dead = run
            .problems()
            .iter()
            .filter(|problem| problem.starts_with("dead-link"))
            .count();
        assert_eq!(dead, if is_there { 0 } else { 2 }, "{time}: {}", run.stderr);
    }
    let before = at(&site, BEFORE).stderr;
    assert!(
        before.contains("warning[dead-link]: `offer` is not public before 2027-01-15T09:00, so"),
        "{before}"
    );
    let after = at(&site, AFTER).stderr;
    assert!(
        after.contains(
            "warning[dead-link]: `offer` was public until 2027-01-31, so the link goes to `/`"
        ),
        "{after}"
    );
    // A preview shows what is not there yet or no longer, as it shows drafts.
    assert!(
        site.run(&["build", "--drafts", "--at", BEFORE])
            .files()
            .contains_key("offer/index.html")
    );
}

#[test]
fn the_address_of_an_expired_page_is_gone_or_leads_on() {
    let site = site();
    let nginx = |time: &str| {
        let run = site.run(&[
            "hosts",
            &site.path("deploy").to_string_lossy(),
            "--at",
            time,
        ]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        std::fs::read_to_string(site.path("deploy/nginx.conf")).expect("a configuration")
    };
    for time in [BEFORE, DURING] {
        assert!(!nginx(time).contains("410"), "{time}");
    }
    let text = nginx(AFTER);
    for line in [
        "location = \"/offer/\" {",
        "location = \"/offer\" {",
        "location = \"/es/oferta/\" {",
    ] {
        let found = text.lines().find(|own| own.starts_with(line));
        assert!(
            found.is_some_and(|own| own.ends_with("return 410; }")),
            "{line} {found:?}"
        );
    }
    let routes = site.run(&["routes", "--at", AFTER]).stdout;
    assert!(
        routes
            .lines()
            .any(|line| line.starts_with("/offer/") && line.contains("410")),
        "{routes}"
    );
    site.edit(PAGE, "sections:", "expired_to: page:about\nsections:");
    let run = at(&site, AFTER);
    run.page("/offer/").contains("url=/about/");
    run.page("/es/oferta/").contains("url=/es/nosotros/");
    run.page("/").contains("href=\"/about/\">one");
    // The page that it leads to may expire, too.
    site.write("content/pages/next/en.yaml", "path: /next/\ntitle: Next\ndescription: What is next.\nuntranslated: true\nexpires_at: 2027-01-20\nexpired_to: page:about\nsections:\n  - {kind: hero, title: Next}\n");
    site.edit(PAGE, "expired_to: page:about", "expired_to: page:next");
    site.edit(
        SITE,
        "redirects:",
        "redirects:\n  - {from: /promo/, to: page:offer}\n  - {from: /old/*, to: /offer/*}",
    );
    let run = at(&site, AFTER);
    for path in ["/offer/", "/promo/", "/old/", "/next/"] {
        run.page(path).contains("url=/about/");
    }
    run.page("/").contains("href=\"/about/\">one");
    site.edit(
        SITE,
        "\n  - {from: /promo/, to: page:offer}\n  - {from: /old/*, to: /offer/*}",
        "",
    );
    site.edit(PAGE, "expired_to: page:next", "expired_to: page:about");
    site.remove("content/pages/next/en.yaml");
    // A mistake in the target is found before the page expires.
    let problem = refused(&site, PAGE, "page:about", "page:abuot");
    assert!(
        problem.contains("did you mean `page:about`?") && problem.contains("page.yaml:3:13"),
        "{problem}"
    );
    assert!(refused(&site, PAGE, "page:about", "page:offer").contains("cannot redirect to itself"));
    // Another page can take the address.
    site.write("content/pages/next/en.yaml", "path: /offer/\ntitle: Next\ndescription: What is next.\nunlinked: true\nuntranslated: true\npublish_at: 2027-02-01\nsections:\n  - {kind: hero, title: Next}\n");
    at(&site, AFTER)
        .page("/offer/")
        .contains("<title>Next</title>");
    at(&site, DURING)
        .page("/offer/")
        .contains("<title>Offer</title>");
}

#[test]
fn a_day_that_passes_breaks_no_promise_about_addresses() {
    let site = site();
    site.edit(HOME, "See [one](page:offer#terms) and [two](/offer/). ", "");
    site.edit(
        SITE,
        "    - {label: {en: The offer, es: La oferta}, to: page:offer}\n",
        "",
    );
    site.edit(PAGE, "sections:", "unlinked: true\nsections:");
    for accepted in [BEFORE, DURING] {
        assert_eq!(
            site.run(&["check", "--accept-urls", "--at", accepted])
                .status,
            0
        );
        for time in [BEFORE, DURING, AFTER] {
            let run = site.run(&["build", "--strict", "--at", time]);
            assert_eq!(run.status, 0, "{accepted}, {time}: {}", run.stderr);
        }
    }
}

/// Pages by a tag or a value, and numbered pages, go with the last post or entry that they list.
#[test]
fn a_day_that_passes_takes_pages_of_lists_along() {
    let post = |number: usize, more: &str| {
        format!(
            "---\ntitle: News {number}\ndate: 2026-12-{number:02}\nauthor: ana\n{more}---\nText {number}.\n"
        )
    };
    let site = SiteTest::blog();
    site.write(
        "content/authors/ana.yaml",
        "name: Ana Ruiz\ndescription: {en: Writes., es: Escribe.}\n",
    );
    for number in 1..=10 {
        site.write(&format!("content/blog/en/n{number}.md"), post(number, ""));
    }
    site.write(
        "content/blog/en/rare.md",
        post(20, &format!("tags: [Rare]\nexpires_at: {DURING}\n")),
    );
    site.write(
        "content/blog/en/later.md",
        post(21, &format!("publish_at: {AFTER}\n")),
    );
    let accepted = site.run(&["check", "--accept-urls", "--at", BEFORE]);
    assert_eq!(accepted.status, 0, "{}", accepted.stderr);
    let lock = std::fs::read_to_string(site.path("content/urls.lock")).expect("the URLs");
    for url in ["tag/rare/", "page/2/", "later/"] {
        assert!(lock.contains(&format!("/{url}\n")), "{url}: {lock}");
    }
    for time in [BEFORE, DURING, AFTER] {
        let run = site.run(&["build", "--strict", "--at", time]);
        let urls: Vec<String> = run
            .problems()
            .into_iter()
            .filter(|problem| problem.starts_with("url-"))
            .collect();
        assert_eq!(urls, [""; 0], "{time}: {}", run.stderr);
    }
    // Who deletes a post with the only one of its tags breaks a promise.
    site.remove("content/blog/en/later.md");
    site.remove("content/blog/en/rare.md");
    // A draft has no day on which it comes.
    site.write("content/blog/en/draft.md", post(22, "draft: true\n"));
    let run = site.run(&["check", "--at", BEFORE]);
    assert!(
        run.stderr.contains("tag/rare/` no longer exists"),
        "{}",
        run.stderr
    );
}

#[test]
fn sections_and_links_of_menus_have_dates() {
    let site = site();
    site.edit(HOME, "sections:\n  - kind: hero\n", &format!("sections:\n  - {{kind: hero, title: Winter, expires_at: {DURING}}}\n  - kind: hero\n    publish_at: {DURING}\n"));
    site.edit(HOME, "page:about#team", "page:about#summer");
    site.edit("content/pages/about/en.yaml", "    body: We are {company.name}.", "    body: We are {company.name}.\n  - {kind: prose, id: summer, body: Warm days., publish_at: 2027-06-01, expires_at: 2027-09-01T00:00+02:00}");
    site.edit(SITE, "  groups: []", "  groups:\n    - title: {en: More, es: Más}\n      links:\n        - {label: {en: Rest, es: Resto}, to: page:about, expires_at: 2027-03-01}");
    site.edit(
        SITE,
        "      to: page:about\n",
        "      to: page:about\n      publish_at: 2027-06-01\n",
    );
    site.edit("templates/layouts/base.html", "<main>", "{% for group in footer.groups %}{% for item in group.links %}<i>{{ item.label }}</i>{% endfor %}{% endfor %}<main>");
    let winter = at(&site, BEFORE);
    winter
        .page("/")
        .contains("Winter")
        .lacks("Hello")
        .contains("<i>Rest</i>")
        .lacks(">About</a>");
    winter.page("/about/").lacks("Warm days");
    let link = at(&site, "2027-03-01");
    link.page("/")
        .contains("Hello")
        .lacks("Winter")
        .lacks("<i>Rest</i>")
        .contains("href=\"/about/\">about us");
    assert!(
        link.stderr
            .contains("the section `#summer` on `/about/` is not public before 2027-06-01, so"),
        "{}",
        link.stderr
    );
    let summer = at(&site, "2027-06-01");
    summer
        .page("/")
        .contains("href=\"/about/#summer\"")
        .contains(">About</a>");
    summer.page("/about/").contains("Warm days");
    at(&site, "2027-09-01").page("/about/").lacks("Warm days");
}

#[test]
fn the_next_change_of_a_site_includes_all_dates() {
    let site = site();
    site.edit(
        "content/pages/about/en.yaml",
        "    id: team\n",
        &format!("    id: team\n    publish_at: {DURING}\n"),
    );
    site.edit(
        SITE,
        "      to: page:about\n",
        &format!("      to: page:about\n      expires_at: {DURING}\n"),
    );
    let next = |time: &str, more: &[&str]| {
        site.run(&[&["next-change", "--at", time], more].concat())
            .stdout
    };
    let expected = "2027-01-15T08:00:00Z\nin 1 minute:\n  publishes content/pages/about/en.yaml:9\n  publishes content/pages/offer/en.yaml\n  publishes content/pages/offer/es.yaml\n  withdraws content/site.yaml:10\n";
    assert_eq!(next(BEFORE, &[]), expected);
    // A CMS is not asked, and all else is known without it.
    assert_eq!(
        next(
            BEFORE,
            &[
                "--set",
                "blog.source=wordpress",
                "--set",
                "blog.url=http://127.0.0.1:1/"
            ]
        ),
        expected
    );
    assert!(
        next(DURING, &[]).starts_with("2027-01-31T23:00:00Z\n"),
        "{}",
        next(DURING, &[])
    );
    assert!(next(AFTER, &[]).starts_with("nothing is scheduled"));
}

#[test]
fn the_site_of_another_day_has_the_bytes_of_that_day() {
    let clock = site().run_with(&["build"], &[("SOURCE_DATE_EPOCH", BEGIN)]);
    assert_eq!(clock.status, 0, "{}", clock.stderr);
    assert!(
        clock.files() == at(&site(), DURING).files(),
        "--at differs from the clock"
    );
    // A build after a minute that matters equals a clean one, in each direction.
    let site = site();
    for time in [BEFORE, DURING, AFTER, DURING, BEFORE] {
        let again = site.run(&["build", "--verify-cache", "--at", time]);
        assert_eq!(again.status, 0, "{time}: {}", again.stderr);
    }
    let wrong = site.run(&["build", "--at", "2027-03-28T02:30"]);
    assert!(
        wrong.status == 2 && wrong.stderr.contains("is skipped in Europe/Madrid"),
        "{}",
        wrong.stderr
    );
    assert!(
        site.run(&["build", "--at", "soon"])
            .stderr
            .contains("write a date such as")
    );
}

#[test]
fn impossible_dates_are_refused_at_their_place() {
    let site = site();
    let dates = format!("publish_at: {DURING}");
    for (date, expected) in [
        ("2027-02-30", "the date `2027-02-30` does not exist"),
        ("soon", "`soon` is not a date"),
        (
            "2027-02-01",
            "`expires_at` is not later than `publish_at`, so this would never be public",
        ),
        (
            "2027-03-28T02:30",
            "`2027-03-28T02:30` is skipped in Europe/Madrid: the clocks go forward",
        ),
        (
            "2026-10-25T02:30",
            "write `2026-10-25T02:30+02:00` for the first, or `2026-10-25T02:30+01:00` for the second",
        ),
    ] {
        let problem = refused(&site, PAGE, &dates, &format!("publish_at: {date}"));
        assert!(
            problem.contains(expected) && problem.contains("content/pages/offer/page.yaml:"),
            "{date}: {problem}"
        );
    }
    let section = "    id: team\n    publish_at: 2027-01-02\n    expires_at: 2027-01-01\n";
    let problem = refused(
        &site,
        "content/pages/about/en.yaml",
        "    id: team\n",
        section,
    );
    assert!(
        problem.contains("content/pages/about/en.yaml:10:17"),
        "{problem}"
    );
    let link = "      to: page:about\n      publish_at: 2027-01-02\n      expires_at: 2027-01-01\n";
    assert!(
        refused(&site, SITE, "      to: page:about\n", link).contains("content/site.yaml:13:19")
    );
    let home = refused(
        &site,
        HOME,
        "sections:",
        "expires_at: 2027-01-01\nsections:",
    );
    assert!(
        home.contains("the home page and error pages are always public"),
        "{home}"
    );
    let zone = refused(&site, SITE, "Europe/Madrid", "Europe/Madird");
    assert!(
        zone.contains(
            "there is no time zone `Europe/Madird`: write a name such as `Europe/Madrid`"
        ),
        "{zone}"
    );
}

#[test]
fn a_link_to_a_post_that_is_not_public_names_the_date() {
    let post = |dates: &str| {
        format!("---\ntitle: News\ndate: 2026-12-01\nauthor: ana\nkey: news\n{dates}---\nText.\n")
    };
    let site = SiteTest::blog();
    site.write(
        "content/authors/ana.yaml",
        "name: Ana Ruiz\ndescription: {en: Writes., es: Escribe.}\n",
    );
    site.write("content/blog/en/news.md", post("publish_at: 2027-01-15\n"));
    site.write(
        "content/blog/en/other.md",
        "---\ntitle: Other\ndate: 2026-12-02\nauthor: ana\n---\nSee [a](page:blog/news) and [b](news.md).\n",
    );
    let run = site.run(&["build", "--at", "2027-01-14"]);
    let warnings = run
        .stderr
        .matches("`blog/news` is not public before 2027-01-15")
        .count();
    assert_eq!((run.status, warnings), (0, 2), "{}", run.stderr);
}

/// The step of the shipped workflow that decides whether a scheduled job builds, run as a runner does, but for the wait.
#[cfg(target_os = "linux")]
#[test]
fn the_shipped_workflow_builds_at_the_minute_of_a_date() {
    let workflow = std::fs::read_to_string(
        repository().join("starter/sample/dot-github/workflows/site.yml.j2"),
    )
    .expect("a file");
    let (_, step) = workflow.split_once("- id: dates").expect("the step");
    let script = step
        .split_once("run: |\n")
        .expect("a script")
        .1
        .split("\n\n  # ")
        .next()
        .expect("its end");
    let site = site();
    let program = format!(
        "{} --root {}",
        env!("CARGO_BIN_EXE_sitegen"),
        site.path("").display()
    );
    let script = script.replace(
        "npx --yes --package=@sitegen/cli@{{ version }} sitegen",
        &program,
    );
    let script = format!(
        "set -eo pipefail\nsleep() {{ echo \"slept $1\" >> \"$GITHUB_OUTPUT\"; }}\n{script}"
    );
    let now = i64::try_from(std::time::UNIX_EPOCH.elapsed().expect("a clock").as_secs())
        .expect("seconds");
    let decide = |from: i64| {
        let text = std::fs::read_to_string(site.path(PAGE)).expect("a page");
        let (_, rest) = text.split_once("sections:").expect("sections");
        site.write(
            PAGE,
            format!("publish_at: {}\nsections:{rest}", Moment(now + from)),
        );
        site.write("output", "");
        let mut run = std::process::Command::new("bash");
        run.args(["-c", &script])
            .env("GITHUB_OUTPUT", site.path("output"))
            .env_remove("SOURCE_DATE_EPOCH");
        let run = run.output().expect("bash");
        assert!(
            run.status.success(),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
        std::fs::read_to_string(site.path("output")).expect("the output")
    };
    let soon = decide(1800);
    let slept: i64 = soon
        .trim_start_matches("slept ")
        .split('\n')
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    assert!(
        (1700..=1800).contains(&slept) && soon.ends_with("due=true\n"),
        "{soon}"
    );
    assert_eq!(decide(-1800), "due=true\n", "a job that began late");
    assert_eq!(decide(3 * 3600), "");
    assert_eq!(decide(-3 * 3600), "", "nothing is scheduled");
}

#[test]
fn a_file_that_is_redirected_keeps_its_promise() {
    let site = SiteTest::small().file("content/urls.lock", "/doc.pdf\n");
    let gone = site.build().stderr;
    assert!(
        gone.contains("`/doc.pdf` no longer exists") && gone.contains("{from: /doc.pdf, to: …}"),
        "{gone}"
    );
    for redirect in [
        "{from: /doc.pdf, to: page:about}",
        "{from: /doc.pdf, gone: true}",
    ] {
        let site = SiteTest::small().file("content/urls.lock", "/doc.pdf\n");
        site.edit(SITE, "redirects:", &format!("redirects:\n  - {redirect}"));
        let stderr = site.built().stderr;
        assert!(!stderr.contains("/doc.pdf"), "{stderr}");
    }
}

#[test]
fn an_address_that_nothing_took_over_is_gone() {
    let site = SiteTest::small();
    site.edit(
        SITE,
        "redirects:",
        "host: netlify\nredirects:\n  - {from: /offer, gone: true}",
    );
    site.write("content/urls.lock", "/offer/\n");
    let run = site.built();
    assert!(!run.stderr.contains("url-gone"), "{}", run.stderr);
    assert!(
        has(&run, "_redirects", "/offer/ /404.html 410!"),
        "Netlify has no rule"
    );
    for (redirect, expected) in [
        (
            "{from: /offer, gone: true, to: page:about}",
            "has both `to` and `gone: true`",
        ),
        ("{from: /offer}", "hint: add `to: page:…`, or `gone: true`"),
        (
            "{from: /offer/*, gone: true}",
            "hint: list the paths one by one",
        ),
        (
            "{from: \"/?p=12\", gone: true}",
            "hint: list the paths one by one",
        ),
        (
            "{from: /about, gone: true}",
            "`/about/` is a URL of the site",
        ),
    ] {
        let problem = refused(&site, SITE, "{from: /offer, gone: true}", redirect);
        assert!(problem.contains(expected), "{redirect}: {problem}");
    }
}

#[test]
fn an_entry_that_ends_before_it_begins_is_refused() {
    let site = crate::collections::events();
    site.edit(
        EVENT_SCHEMA,
        "publish: {until: closes}",
        "publish: {from: date, until: closes}",
    );
    site.edit(
        "content/events/one.yaml",
        "price: 5 EUR",
        "closes: 2020-01-01",
    );
    let run = site.run(&["check"]);
    assert!(
        run.stderr
            .contains("`closes` is not later than `date`, so this would never be public"),
        "{}",
        run.stderr
    );
    assert!(
        run.problems()
            .iter()
            .any(|problem| problem.starts_with("invalid-value content/events/one.yaml:"))
    );
}

#[test]
fn a_page_that_only_borrows_its_text_has_the_dates_of_that_text() {
    let site = site();
    site.edit(SITE, "locales:", "fallback: {es: en}\nlocales:");
    let dates = format!("publish_at: {DURING}\nexpires_at: {AFTER}\nnoindex: true\n");
    site.edit(
        PAGE,
        &format!("publish_at: {DURING}\nexpires_at: {AFTER}\n"),
        "",
    );
    site.edit(
        "content/pages/offer/en.yaml",
        "title:",
        &format!("{dates}title:"),
    );
    site.write("content/pages/offer/es.yaml", "path: /es/oferta/\n");
    for (time, is_there) in [(BEFORE, false), (DURING, true), (AFTER, false)] {
        let run = at(&site, time);
        for file in ["offer/index.html", "es/oferta/index.html"] {
            assert_eq!(run.files().contains_key(file), is_there, "{time}: {file}");
        }
        assert!(!has(&run, "sitemap.xml", "oferta"), "{time}");
    }
    at(&site, DURING)
        .page("/es/oferta/")
        .contains("<meta name=\"robots\" content=\"noindex");
    // What the page itself says comes first.
    site.write(
        "content/pages/offer/es.yaml",
        format!(
            "path: /es/oferta/\nnoindex: false\nexpires_at: 2040-01-01\npublish_at: {BEFORE}\n"
        ),
    );
    let run = at(&site, AFTER);
    assert!(!run.files().contains_key("offer/index.html"));
    run.page("/es/oferta/").lacks("noindex");
}

#[test]
fn posts_are_sorted_in_the_time_zone() {
    let site = SiteTest::blog();
    site.edit(SITE, "locales:", "timezone: Europe/Madrid\nlocales:");
    site.write(
        "content/authors/ana.yaml",
        "name: Ana Ruiz\ndescription: {en: Writes., es: Escribe.}\n",
    );
    // 10:00, 9:00 and 10:30 in UTC, and the changes at 9:00, 9:30 and 10:15.
    for (slug, date, modified) in [
        ("eleven", "2025-01-15T11:00", "2025-01-15T10:00+01:00"),
        ("ten", "2025-01-15T10:00", "2025-01-15T09:30Z"),
        ("zulu", "2025-01-15T10:30Z", "2025-01-15T11:15"),
    ] {
        site.write(
            &format!("content/blog/en/{slug}.md"),
            format!("---\ntitle: Post {slug}\ndate: {date}\nmodified: {modified}\nauthor: ana\n---\nText of {slug}.\n"),
        );
    }
    let run = site.built();
    let list = run.page("/blog/").html;
    let places = ["zulu", "eleven", "ten"].map(|slug| list.find(&format!("/blog/{slug}/")));
    assert!(places.is_sorted() && places[0].is_some(), "{places:?}");
    // Only a change after the post was published is one.
    for (time, is_there) in [("T10:30", true), ("T11:15", false)] {
        let updated = format!("<updated>2025-01-15{time}:00+01:00<");
        assert_eq!(has(&run, "blog/atom.xml", &updated), is_there, "{time}");
    }
}

#[test]
fn feeds_have_the_dates_of_the_time_zone() {
    let site = SiteTest::blog();
    let data = "{% for data in page.structured_data %}<script type=\"application/ld+json\">{{ data }}</script>{% endfor %}";
    site.edit(
        "templates/layouts/base.html",
        "</head>",
        &format!("{data}</head>"),
    );
    site.write(
        "content/authors/ana.yaml",
        "name: Ana Ruiz\ndescription: {en: Writes., es: Escribe.}\n",
    );
    site.write(
        "content/blog/en/news.md",
        "---\ntitle: News\ndate: 2025-07-01T09:30\nauthor: ana\n---\nText.\n",
    );
    site.edit(SITE, "locales:", "timezone: Europe/Madrid\nlocales:");
    let run = site.built();
    assert!(
        has(&run, "blog/feed.xml", "Tue, 01 Jul 2025 07:30:00 GMT"),
        "RSS"
    );
    assert!(
        has(
            &run,
            "blog/atom.xml",
            "<published>2025-07-01T09:30:00+02:00<"
        ),
        "Atom"
    );
    assert!(
        has(&run, "blog/feed.json", "\"2025-07-01T09:30:00+02:00\""),
        "JSON Feed"
    );
    let post = "blog/news/index.html";
    assert!(
        has(
            &run,
            post,
            "\"datePublished\":\"2025-07-01T09:30:00+02:00\""
        ),
        "JSON-LD"
    );
}

#[test]
fn a_file_that_is_public_before_its_text_is_reported() {
    let site = site()
        .file("static/files/the plan.pdf", "%PDF-1.7")
        .file("static/files/open.pdf", "%PDF-1.7");
    let link = "Words of Offer with [it](/files/the%20plan.pdf#page=2), [again](/files/the%20plan.pdf) and [x](/files/none).";
    site.edit("content/pages/offer/en.yaml", "Words of Offer.", link);
    site.edit(
        "content/pages/offer/es.yaml",
        "Words of Oferta.",
        "En [él](https://small.example/files/open.pdf).",
    );
    let post = "---\ntitle: Later\ndate: 2027-01-15\npublish_at: 2027-01-15T09:00\nauthor: ana\n---\nRead <a href=\"/files/open.pdf\">it</a>.\n";
    site.write("content/blog/en/later.md", post);
    site.write("content/authors/ana.yaml", "name: Ana Ruiz\n");
    let reported = |time: &str| {
        let problems = site.run(&["check", "--at", time]).problems();
        problems
            .into_iter()
            .filter_map(|problem| Some(problem.strip_prefix("bad-link ")?.to_owned()))
            .collect::<Vec<_>>()
    };
    let page = [
        "content/pages/offer/en.yaml:5:38",
        "content/pages/offer/es.yaml:5:21",
    ];
    assert_eq!(
        reported(BEFORE),
        [&["content/blog/en/later.md:7:15"][..], &page[..]].concat()
    );
    assert_eq!(reported(DURING), [""; 0]);
    assert_eq!(reported(AFTER), page);
}

#[test]
fn dates_of_lists_and_of_pages_that_settings_name_stop_no_build() {
    for key in ["blog", "case-studies", "lead-form", "lead-thanks"] {
        let site = SiteTest::whole();
        for language in ["en", "es"] {
            let page = format!("content/pages/{key}/{language}.yaml");
            if site.path(&page).exists() {
                site.edit(&page, "path: ", "expires_at: 2027-01-02\npath: ");
            }
        }
        let run = site.run(&["check", "--at", "2027-01-03"]);
        assert_eq!(run.status, 0, "{key}: {}", run.stderr);
        let reason = format!("`{key}`");
        assert!(
            run.stderr.contains(&reason) && run.stderr.contains("was public until 2027-01-01"),
            "{key}: {}",
            run.stderr
        );
    }
}

#[test]
fn a_redirect_to_what_is_not_public_stops_no_build() {
    let site = site();
    let redirects = "redirects:\n  - {from: /leaflet, to: page:offer}\n  - {from: \"/?p=9\", to: page:offer}\n  - {from: \"/former/*\", to: \"/offer/*\"}\n";
    site.edit(SITE, "redirects:\n", redirects);
    for (time, status) in [(BEFORE, 302), (DURING, 301), (AFTER, 301)] {
        at(&site, time);
        // Browsers remember a 301, so they would never ask for the page.
        let routes = site.run(&["routes", "--at", time]).stdout;
        let mut lines = routes.lines();
        let status = format!("  {status}  redirect");
        assert!(
            lines.any(|line| line.starts_with("/leaflet/") && line.contains(&status)),
            "{routes}"
        );
    }
}

#[test]
fn links_to_pages_that_entries_bring_stop_no_build_when_the_entries_end() {
    let site = crate::collections::events();
    site.edit(
        crate::collections::EVENT_SCHEMA,
        "fields:\n",
        "filters: {place: \"/events/at/{slug}/\"}\nfields:\n",
    );
    site.write(
        "templates/collections/events/filter.html",
        "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ filter.name }}</h1>{% endblock %}",
    );
    site.edit(
        "content/events/one.yaml",
        "price: 5 EUR",
        "closes: 2034-12-31",
    );
    site.edit(
        "content/pages/home/en.yaml",
        "title: Hello",
        "title: Hello, lead: \"[there](/events/at/hall/) and [then](/events/one/)\"",
    );
    site.edit(
        SITE,
        "redirects:\n",
        "redirects:\n  - {from: /hall, to: /events/at/hall/}\n",
    );
    let accepted = site.run(&["check", "--accept-urls"]);
    assert_eq!(accepted.status, 0, "{}", accepted.stderr);
    let run = at(&site, "2035-01-01");
    assert!(
        run.stderr
            .contains("there is no page at `/events/at/hall/` now, so the link goes to `/`"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_url_of_an_entry_is_promised_before_its_first_day() {
    let site = crate::collections::events();
    site.edit(
        crate::collections::EVENT_SCHEMA,
        "publish: {until: closes}",
        "publish: {from: date}",
    );
    let lock = || std::fs::read_to_string(site.path("content/urls.lock")).expect("a file");
    let accepted = site.run(&["check", "--accept-urls"]);
    assert_eq!(accepted.status, 0, "{}", accepted.stderr);
    assert!(lock().contains("/events/one/\n"), "{}", lock());
    for time in ["2030-01-01", "2035-02-01", "2036-01-01"] {
        let run = site.run(&["check", "--strict", "--at", time]);
        assert!(!run.stderr.contains("url-"), "{time}: {}", run.stderr);
    }
}

#[test]
fn a_hidden_list_excuses_no_dead_link_elsewhere() {
    for (more, problem) in [
        (
            "  - {kind: prose, body: \"[no page](/nowhere/)\"}\n",
            "error[dead-link]: there is no page at `/nowhere/`",
        ),
        ("", "error[url-gone]: `/gone/`"),
    ] {
        let site = crate::collections::events();
        site.edit(
            "content/pages/home/en.yaml",
            "  - {kind: entries, of: events}\n",
            &format!("  - {{kind: entries, of: events, publish_at: 2099-01-01}}\n{more}"),
        );
        site.write("content/urls.lock", "/gone/\n");
        let run = site.build();
        assert!(run.stderr.contains(problem), "{}", run.stderr);
    }
}
