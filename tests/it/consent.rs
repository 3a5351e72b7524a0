//! The service that counts visits: what of it the output holds, what the policy of each page allows, and what is said about
//! a wrong setting. `tests/browser/consent.test.mjs` tries the banner.

use crate::new_site::new_site;
use crate::site_test::{Run, SiteTest};

const SETTINGS: &str = "content/site.yaml";

fn site(visits: &str) -> SiteTest {
    let site = new_site(&["--languages", "en,es", "--no-blog"]);
    set(&site, visits);
    site
}

fn set(site: &SiteTest, visits: &str) {
    let settings = std::fs::read_to_string(site.path(SETTINGS)).expect("settings");
    let rest: Vec<&str> = settings
        .lines()
        .filter(|line| !line.starts_with("visits:"))
        .collect();
    site.write(SETTINGS, format!("{visits}\n{}\n", rest.join("\n")));
    // What the page about privacy says of visits is corrected by hand.
    for code in ["en", "es"] {
        let page = format!("content/pages/privacy/{code}.yaml");
        let Ok(text) = std::fs::read_to_string(site.path(&page)) else {
            continue;
        };
        let rest: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with("assumes:"))
            .collect();
        site.write(&page, rest.join("\n") + "\n");
    }
}

fn built(site: &SiteTest, arguments: &[&str]) -> Run {
    let run = site.run(&[&["build", "--strict"], arguments].concat());
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    run
}

/// The sources of a directive in the policy of a page, without those of every site.
fn sources(run: &Run, path: &str, directive: &str) -> Vec<String> {
    let html = &run.page(path).html;
    let policy = html
        .split("Content-Security-Policy\" content=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let found = policy
        .expect("a policy")
        .split("; ")
        .find_map(|part| part.strip_prefix(&format!("{directive} ")));
    let of_all = ["'self'", "data:", "'none'"];
    found
        .unwrap_or_default()
        .split(' ')
        .filter(|source| !of_all.contains(source))
        .map(str::to_owned)
        .collect()
}

fn script(run: &Run) -> Option<String> {
    // The scripts of earlier builds are kept for open pages.
    let page = run.page("index.html").html;
    let (_, rest) = page.split_once("/_assets/visits-")?;
    let name = format!("_assets/visits-{}", rest.split('"').next()?);
    run.files()
        .get(&name)
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

#[test]
fn visits_are_counted_on_the_host_of_each_language_and_on_no_other() {
    let preset = "visits: {preset: plausible, domain: clinic.example}";
    let site = site(&format!("{preset}\nbase_urls: {{es: https://acme.es/}}"));
    let text = script(&built(&site, &[])).expect("a script");
    // The script has them as JSON in a text of its own.
    let origins = text.replace('\\', "");
    assert!(
        origins.contains("\"origins\":[\"https://acme.example\",\"https://acme.es\"]"),
        "{text}"
    );
}

#[test]
fn a_site_that_counts_nothing_carries_nothing_of_it() {
    let site = new_site(&["--languages", "en,es", "--no-blog"]);
    let plain = built(&site, &[]).files();
    let told = plain.iter().find(|(path, bytes)| {
        let text = String::from_utf8_lossy(bytes);
        path.contains("visits")
            || text.contains("data-consent-")
            || text.contains("sitegen.consent")
    });
    assert_eq!(told.map(|(path, _)| path), None);
    set(&site, "visits: null");
    assert!(built(&site, &[]).files() == plain, "`null` is no setting");
}

#[test]
fn a_preset_gets_its_hosts_in_every_page_and_nothing_else() {
    let site = site("visits: {preset: plausible, domain: clinic.example}");
    let run = built(&site, &["--set", "host=netlify"]);
    for path in ["index.html", "es/index.html", "404.html"] {
        assert_eq!(
            sources(&run, path, "script-src"),
            ["https://plausible.io"],
            "{path}"
        );
        assert_eq!(
            sources(&run, path, "connect-src"),
            ["https://plausible.io"],
            "{path}"
        );
        assert_eq!(sources(&run, path, "img-src"), [] as [&str; 0], "{path}");
        assert_eq!(sources(&run, path, "frame-src"), [] as [&str; 0], "{path}");
    }
    let headers = String::from_utf8_lossy(&run.files()["_headers"]).into_owned();
    assert!(
        headers.contains("script-src 'self' https://www.google.com/recaptcha/"),
        "{headers}"
    );
    assert!(
        headers.contains(" https://plausible.io; style-src"),
        "{headers}"
    );
    run.page("index.html")
        .contains("<script type=\"module\" src=\"/_assets/visits-")
        .lacks("data-consent-");
    let script = script(&run).expect("a script");
    assert!(
        script.contains("clinic.example") && script.contains("https://plausible.io/js/script.js"),
        "{script}"
    );
    assert!(
        !script.contains("localStorage"),
        "the code that asks is left out"
    );

    set(
        &site,
        "visits: {preset: plausible, domain: other.example, host: \"https://stats.clinic.example/\"}",
    );
    let run = built(&site, &[]);
    assert_eq!(
        sources(&run, "index.html", "script-src"),
        ["https://stats.clinic.example"]
    );
    assert!(
        self::script(&run).is_some_and(|script| script.contains("other.example")),
        "another value is another script"
    );
}

#[test]
fn each_preset_is_whole() {
    let site = new_site(&["--languages", "en,es", "--no-blog"]);
    for (preset, asks, img) in [
        (
            "umami, host: \"https://u.example\", website_id: a-1",
            false,
            "",
        ),
        (
            "matomo, host: \"https://m.example\", site_id: 3",
            false,
            "https://m.example",
        ),
        (
            "matomo, host: \"https://m.example\", site_id: 3, cookies: true",
            true,
            "https://m.example",
        ),
        (
            "goatcounter, code: clinic",
            false,
            "https://clinic.goatcounter.com",
        ),
        (
            "google_analytics, measurement_id: G-AB12",
            true,
            "https://*.google-analytics.com https://*.googletagmanager.com",
        ),
        ("access_logs", false, ""),
    ] {
        set(
            &site,
            &format!("visits: {{preset: {preset}, privacy: page:privacy}}"),
        );
        let run = built(&site, &[]);
        assert_eq!(
            sources(&run, "index.html", "img-src").join(" "),
            img,
            "{preset}"
        );
        let page = run.page("es/index.html");
        assert_eq!(page.html.contains("data-consent-banner"), asks, "{preset}");
        assert_eq!(page.html.contains("data-consent-change"), asks, "{preset}");
        assert_eq!(
            page.html.contains("¿Nos permites contar tu visita?"),
            asks,
            "{preset}"
        );
        let script = script(&run).expect("a script");
        assert_eq!(
            script.contains("disableCookies"),
            preset.starts_with("matomo") && !asks,
            "{preset}"
        );
        assert_eq!(script.contains("localStorage"), asks, "{preset}");
    }
}

#[test]
fn the_frame_of_the_tag_manager_stays_unless_visitors_are_asked() {
    let site = site("tag_manager: GTM-AB1");
    let run = built(&site, &[]);
    run.page("index.html")
        .contains("https://www.googletagmanager.com/ns.html?id=GTM-AB1");
    assert_eq!(sources(&run, "index.html", "script-src"), [] as [&str; 0]);
    // The container is that of the key. Nobody can be asked without script, so the frame goes.
    set(
        &site,
        "visits: {preset: tag_manager, hosts: [\"https://ads.example\"]}",
    );
    let run = built(&site, &[]);
    run.page("index.html")
        .lacks("ns.html")
        .contains("data-consent-banner");
    assert_eq!(
        sources(&run, "index.html", "script-src"),
        ["https://www.googletagmanager.com", "https://ads.example"]
    );
    assert_eq!(
        sources(&run, "index.html", "frame-src"),
        ["https://ads.example"]
    );
    assert!(script(&run).is_some_and(|script| script.contains("gtm.js?id=GTM-AB1")));
}

#[test]
fn a_site_can_bring_a_preset() {
    let site = site("visits: {preset: tally, key: abc}");
    let preset = "title: Tally\nfields: {key: {type: id, example: abc}}\nscript: \"https://tally.example/{key}.js\"\nconsent: always\npurposes: [statistics]\n";
    site.write("templates/visits/tally.yaml", preset);
    let run = built(&site, &[]);
    assert_eq!(
        sources(&run, "index.html", "script-src"),
        ["https://tally.example"]
    );
    run.page("index.html")
        .contains("Tally stores data on your device");
    site.write(
        "templates/visits/tally.yaml",
        preset.replace("https://tally.example/", "https://tally.example;x "),
    );
    let run = site.build();
    assert!(
        run.stderr.contains("is not the URL of a script"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("templates/visits/tally.yaml"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_wrong_setting_is_reported_at_its_place() {
    let site = new_site(&["--no-blog"]);
    for (visits, place, message, hint) in [
        (
            "visits: plausible",
            "1:9",
            "expected a block with a preset",
            "visits: {preset: plausible",
        ),
        (
            "visits: {domain: a.example}",
            "1:9",
            "the key `preset` is missing",
            "`plausible`",
        ),
        (
            "visits: {preset: plausibel, domain: a}",
            "1:18",
            "there is no preset `plausibel`",
            "did you mean `plausible`?",
        ),
        (
            "visits: {preset: ../site}",
            "1:18",
            "there is no preset `../site`",
            "valid values: `access_logs`",
        ),
        (
            "visits: {preset: plausible}",
            "1:9",
            "needs the field `domain`",
            "add `domain: example.com`",
        ),
        (
            "visits: {preset: plausible, domian: a}",
            "1:29",
            "has no field `domian`",
            "did you mean `domain`?",
        ),
        (
            "visits: {preset: google_analytics, measurement_id: UA-1}",
            "1:52",
            "does not begin with `G-`",
            "G-AB12CD34EF",
        ),
        (
            "visits: {preset: matomo, site_id: 1, host: \"https://a.example; script-src *\"}",
            "1:44",
            "is not the URL of a host",
            "https://",
        ),
        (
            "visits: {preset: matomo, site_id: 1, host: \"https://a.example\\nX: y\"}",
            "1:44",
            "is not the URL of a host",
            "https://",
        ),
        (
            "visits: {preset: matomo, site_id: 1, host: \"http://a.example\"}",
            "1:44",
            "is not the URL of a host",
            "https://",
        ),
        (
            "visits: {preset: umami, host: \"https://*.example\", website_id: a}",
            "1:31",
            "is not the URL of a host",
            "https://",
        ),
        (
            "visits: {preset: umami, host: \"https://u.example\", website_id: \"a b\"}",
            "1:64",
            "is not an id",
            "write a value such as",
        ),
        (
            "visits: {preset: goatcounter}",
            "1:9",
            "needs the field `code` or `host`",
            "add `code: clinic`",
        ),
        (
            "visits: {preset: access_logs, keep_days: 9000}",
            "1:42",
            "must be from 1 to 730",
            "365",
        ),
        (
            "visits: {preset: access_logs, regions: [EU]}",
            "1:41",
            "`EU` is neither a time zone nor an area with time zones",
            "`Europe`",
        ),
        (
            "visits: {preset: google_analytics, measurement_id: G-1, privacy: page:privcy}",
            "1:66",
            "page:privcy",
            "page:privacy",
        ),
    ] {
        set(&site, visits);
        let run = site.run(&["check"]);
        let found = |text: &str| {
            assert!(
                run.stderr.contains(text),
                "{visits}: no {text:?} in {}",
                run.stderr
            );
        };
        assert_eq!(run.status, 1, "{visits}: {}", run.stderr);
        [&format!("content/site.yaml:{place}\n"), message, hint]
            .iter()
            .for_each(|text| found(text));
    }
}
