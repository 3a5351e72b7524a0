//! Facts in the content, repeated here so that they are not changed by accident.

use diagnostics::yaml::{Node, Value};

use crate::site_test::repository;

/// A page of the project's own site, with what its languages share.
fn page(key: &str, locale: &str) -> Node {
    content::pages::tree(&workspace::files::FileSet::open(repository()), key, locale)
        .unwrap_or_else(|problem| panic!("{problem:?}"))
}

fn list<'a>(node: &'a Node, key: &str) -> &'a [Node] {
    match node.get(key).map(|node| &node.value) {
        Some(Value::List(items)) => items,
        _ => &[],
    }
}

fn sections<'a>(page: &'a Node, kind: &str) -> Vec<&'a Node> {
    list(page, "sections")
        .iter()
        .filter(|section| text(section, "kind") == kind)
        .collect()
}

fn text<'a>(node: &'a Node, key: &str) -> &'a str {
    node.get(key).and_then(Node::as_text).unwrap_or_default()
}

/// Every text of a page, joined.
fn words(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        Value::List(items) => items.iter().map(words).collect::<Vec<_>>().join("\n"),
        Value::Map(entries) => entries
            .iter()
            .map(|(_, node)| words(node))
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}

fn titles(section: &Node) -> Vec<&str> {
    list(section, "items")
        .iter()
        .map(|item| text(item, "title"))
        .collect()
}

#[test]
fn plans_are_the_three_of_the_price_list() {
    let page = page("maintenance-plans", "en");
    let table = sections(&page, "pricing_table")[0];
    let rows: Vec<&str> = list(table, "rows")
        .iter()
        .map(|row| text(row, "label"))
        .collect();
    assert_eq!(
        rows,
        [
            "Monthly WordPress updates",
            "Basic WordPress security patches",
            "Support and development",
            "Emergency response time",
            "Service Desk & Issues Management",
            "Cumulative Hours",
            "SEO Monitoring",
            "Performance review",
            "Report",
        ]
    );
    let plans: Vec<(&str, String, Vec<String>)> = list(table, "plans")
        .iter()
        .map(|plan| {
            let price: String = text(plan, "price")
                .chars()
                .filter(char::is_ascii_digit)
                .collect();
            let name = text(plan, "name");
            let values = list(table, "rows").iter().map(|row| {
                let value = row
                    .get("values")
                    .and_then(|values| values.get(name))
                    .expect("a value for each plan");
                match &value.value {
                    Value::Bool(true) => "yes".to_owned(),
                    Value::Bool(false) => "no".to_owned(),
                    Value::Text(text) => text.clone(),
                    other => panic!("{other:?}"),
                }
            });
            (name, price, values.collect())
        })
        .collect();
    let row = |values: &str| values.split(", ").map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(
        plans,
        [
            (
                "Standard",
                "1000".into(),
                row("yes, Next day, 8 hours, 1 hour, yes, no, no, no, no")
            ),
            (
                "Premium",
                "2000".into(),
                row("yes, Next day, 16 hours, 30 minutes, yes, yes, yes, yes, Quarterly")
            ),
            (
                "Premium Plus",
                "5000".into(),
                row("yes, Next day, 43 hours, 30 minutes, yes, yes, yes, yes, Monthly")
            ),
        ]
    );
    let premium = &list(table, "plans")[1];
    assert_eq!(text(premium, "badge"), "Most popular");
    assert_eq!(
        premium.get("featured").map(|node| &node.value),
        Some(&Value::Bool(true))
    );
}

#[test]
fn faqs_have_seven_questions_and_one_is_open() {
    for (key, wanted) in [("maintenance-plans", "hosting"), ("dedicated-team", "")] {
        let page = page(key, "en");
        let faq = sections(&page, "faq")[0];
        let items = list(faq, "items");
        assert_eq!(items.len(), 7, "{key}");
        let open: Vec<usize> = items
            .iter()
            .enumerate()
            .filter(|(_, item)| item.get("open").is_some())
            .map(|(index, _)| index)
            .collect();
        assert_eq!(open.len(), 1, "{key}");
        if wanted.is_empty() {
            assert_eq!(open, [0], "{key}: the first question starts open");
        } else {
            assert!(text(&items[open[0]], "question").contains(wanted), "{key}");
        }
    }
}

#[test]
fn timelines_have_their_own_years() {
    let years = |locale: &str| -> Vec<String> {
        let page = page("about", locale);
        let timeline = sections(&page, "timeline")[0];
        let year = |entry: &Node| match &entry.get("year").expect("a year").value {
            Value::Int(year) => year.to_string(),
            Value::Text(text) => text.clone(),
            other => panic!("{other:?}"),
        };
        list(timeline, "entries").iter().map(year).collect()
    };
    assert_eq!(
        years("en"),
        ["{company.founded}", "2018", "2019", "2022", "2023", "2024"]
    );
    assert_eq!(
        years("es"),
        [
            "{company.founded}",
            "2015",
            "2016",
            "2018",
            "2019",
            "2021",
            "2022",
            "2023",
            "2024",
            "Hoy"
        ]
    );
}

#[test]
fn calls_to_action_link_to_their_service() {
    for (key, locale, anchor) in [
        ("development-support", "en", "ai-development-support"),
        ("development-support", "es", "ai-development-support"),
        ("operations-automation", "en", "operations-automation"),
        ("operations-automation", "es", "operations-automation"),
        ("infrastructure-scale", "en", "infrastructure-scale"),
        ("infrastructure-scale", "es", "infrastructure-scale"),
        ("seo", "en", "search-engine-optimization-seo"),
        ("seo", "es", "search-engine-optimization-seo"),
    ] {
        let page = page(key, locale);
        let wanted = format!("page:lead-form#{anchor}");
        assert!(
            words(sections(&page, "hero")[0]).contains(&wanted),
            "{key}/{locale}: the hero leads to {wanted}"
        );
        assert!(
            words(sections(&page, "call_to_action")[0]).contains(&wanted),
            "{key}/{locale}: the closing band leads to {wanted}"
        );
    }
}

#[test]
fn specified_texts_are_on_their_pages() {
    for (key, wanted) in [
        (
            "home",
            vec![
                "Start Now",
                "How we do it",
                "Trusted by",
                "Give your team superpowers",
            ],
        ),
        ("about", vec!["Passion", "Innovation", "Transparency"]),
        (
            "services",
            vec!["Core Services", "Legacy Services", "Get {product.name}"],
        ),
        ("development-support", vec!["What You Get"]),
        (
            "infrastructure-scale",
            vec![
                "What You Get",
                "99.9%",
                "AWS",
                "Google Cloud",
                "Azure",
                "DigitalOcean",
                "Hetzner",
            ],
        ),
        ("operations-automation", vec!["View all services"]),
        (
            "maintenance-plans",
            vec![
                "Key Characteristics",
                "Packages and Pricing",
                "Schedule a meeting",
                "Get in touch",
                "Get {product.name}",
            ],
        ),
        (
            "dedicated-team",
            vec![
                "Productivity",
                "Schedule a meeting",
                "Monday to Friday",
                "Django",
                "Laravel",
                "Vue",
                "React",
            ],
        ),
        ("seo", vec!["Let´s talk"]),
        (
            "not-found",
            vec![
                "Page Not Found",
                "Sorry, the page you are looking for could not be found. It may have been moved, deleted, or you entered the wrong URL.",
            ],
        ),
        (
            "server-error",
            vec![
                "Server Error",
                "Something went wrong on our end. Please try again later.",
            ],
        ),
        (
            "lead-form",
            vec![
                "Get {product.name}",
                "Start to build or upgrade your business.",
                "Already a customer? Log in",
                "I just want to contact the provider.",
            ],
        ),
    ] {
        let words = words(&page(key, "en"));
        for text in wanted {
            assert!(
                words.contains(text),
                "content/pages/{key}/en.yaml lacks “{text}”"
            );
        }
    }
    let values = words(&page("about", "es"));
    for text in ["Pasión", "Innovación", "Transparencia"] {
        assert!(
            values.contains(text),
            "content/pages/about/es.yaml lacks “{text}”"
        );
    }
}

#[test]
fn lists_have_the_specified_number_of_items() {
    let count = |key: &str, locale: &str, kind: &str| {
        let page = page(key, locale);
        sections(&page, kind)
            .iter()
            .map(|section| titles(section).len().max(list(section, "items").len()))
            .collect::<Vec<_>>()
    };
    assert_eq!(count("maintenance-plans", "en", "features")[0], 6);
    assert_eq!(count("seo", "es", "checklist"), [7]);
    assert_eq!(count("seo", "en", "phases"), [4]);
    assert_eq!(count("seo", "es", "phases"), [4]);
    assert_eq!(count("home", "en", "spans"), [3]);
    assert_eq!(count("home", "es", "portfolio"), [3]);
    for key in [
        "development-support",
        "operations-automation",
        "infrastructure-scale",
    ] {
        assert_eq!(count(key, "es", "features")[0], 3, "{key}");
    }
    let page = page("seo", "en");
    assert!(
        sections(&page, "features")
            .iter()
            .any(|section| titles(section).len() == 6),
        "six AEO techniques"
    );
    assert!(
        sections(&page, "features")
            .iter()
            .any(|section| titles(section).len() == 4),
        "four technical features"
    );
}
