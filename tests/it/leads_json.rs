//! `leads.json` holds the pages as they are published, whichever of them a build renders.

use std::fs;

use serde_json::Value;

use crate::site_test::SiteTest;

const ABOUT: &str = "content/pages/about/en.yaml";

/// The form in `leads.json` for a language.
fn form(site: &SiteTest, at: usize) -> String {
    let leads: Value =
        serde_json::from_slice(&fs::read(site.path("leads.json")).expect("a file")).expect("JSON");
    leads["locales"][at]["form"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// The page of the form as it is published, with what an API on another host needs.
fn published(site: &SiteTest, base: &str) -> String {
    let page = fs::read_to_string(site.path("dist/about/index.html")).expect("a page");
    if base.is_empty() {
        page
    } else {
        page.replacen("<head>", &format!("<head><base href=\"{base}/about/\">"), 1)
    }
}

#[test]
fn the_form_is_that_of_the_published_page() {
    for (settings, base) in [
        ("", ""),
        (
            "api_url: https://api.small.example\n",
            "https://small.example",
        ),
    ] {
        let site = SiteTest::small();
        site.edit(
            "templates/layouts/base.html",
            "<body",
            "<body data-lead-form",
        );
        site.edit(
            "content/site.yaml",
            "base_url:",
            &format!("{settings}leads:\n  form: about\nbase_url:"),
        );
        site.built();
        let first = form(&site, 0);
        assert!(
            !first.is_empty() && first == published(&site, base),
            "{first}"
        );
        assert!(!form(&site, 1).is_empty());
        // Another page is rendered, and that of the form is not.
        site.edit("content/pages/home/en.yaml", "Hello", "Hello again");
        site.edit(
            "content/site.yaml",
            "form: about",
            "form: about\n  keep_days: 30",
        );
        site.built();
        assert_eq!(form(&site, 0), first);
        // The file is gone, or somebody has changed it.
        site.remove("leads.json");
        site.built();
        assert_eq!(form(&site, 0), first);
        let text = fs::read_to_string(site.path("leads.json")).expect("a file");
        site.write(
            "leads.json",
            text.replace("data-lead-form", "data-lead-form data-of-somebody"),
        );
        site.built();
        assert_eq!(form(&site, 0), first);
        // The page changes.
        site.edit(ABOUT, "We are {company.name}.", "Write to {company.name}.");
        site.built();
        let last = form(&site, 0);
        assert!(
            last != first
                && last.contains("Write to Small Works.")
                && last == published(&site, base),
            "{last}"
        );
        assert_eq!(site.run(&["build", "--verify-cache"]).status, 0);
    }
}
