//! Case studies of the project's own site: counts in the catalog, and generated pages. Problems are tested in
//! `tests/sites/wrong-case-studies`.

use std::collections::BTreeMap;

use diagnostics::problem::Source;
use diagnostics::yaml::{self, Node, Value};

use site::model::Field;
use site::model::collections::Collection;

use crate::site_test::{SiteTest, files_below, repository};

/// The slugs of the studies, sorted.
const SLUGS: [&str; 12] = [
    "4h-youth-platform",
    "bulletin-atomic-scientists",
    "cosecha-marketplace",
    "dejusticia-legal-platform",
    "exchange-network-platform",
    "facial-art-surgery",
    "m3health-platform",
    "ncarb-infrastructure",
    "nulab-maintenance",
    "sidoc-digital-transformation",
    "tabby-mobile-app",
    "zuckerman-law",
];

fn planned() -> site::Workspace {
    let options = config::Options {
        root: repository().into(),
        ..config::Options::default()
    };
    let (config, problems) = config::load(&options);
    assert!(!problems.has_errors(), "{problems:?}");
    let workspace = site::Workspace::open(config.expect("a site"));
    let problems = workspace.problems();
    assert!(problems.is_empty(), "{problems:?}");
    workspace
}

/// The collection of case studies, in English.
fn studies(site: &site::model::Site) -> &Collection {
    &site.collections.list[site
        .collections
        .position("case-studies")
        .expect("the collection")]
}

#[test]
fn filters_count_their_studies() {
    let workspace = planned();
    let site = &workspace.site().site;
    let filters = studies(site).filters.iter().map(|languages| &languages[0]);
    let counts: Vec<Vec<(&str, usize)>> = filters
        .map(|values| {
            values
                .iter()
                .map(|value| (value.key.as_str(), value.entries.len()))
                .collect()
        })
        .collect();
    assert_eq!(
        counts,
        [
            vec![
                ("development-support", 11),
                ("operations-automation", 7),
                ("infrastructure-scale", 4),
                ("seo", 1)
            ],
            vec![
                ("python", 8),
                ("django", 6),
                ("php", 5),
                ("laravel", 2),
                ("wordpress", 3),
                ("drupal", 2)
            ],
            vec![
                ("construction", 1),
                ("ngo", 4),
                ("startups", 2),
                ("health", 3),
                ("others", 4)
            ],
        ]
    );
}

#[test]
fn twelve_studies_have_pictures() {
    let workspace = planned();
    let site = &workspace.site().site;
    let entries = &studies(site).entries;
    let slugs: Vec<&str> = entries.iter().map(|study| study.key.as_str()).collect();
    assert_eq!(slugs, SLUGS);
    let pictures: Vec<String> = files_below(&repository().join("content/images/case-studies"))
        .into_keys()
        .collect();
    for study in entries {
        let fields = &study.texts[0].as_ref().expect("a text").fields;
        let Some(Field::Image(picture)) = fields.get("picture") else {
            panic!("{} has no picture", study.key)
        };
        assert!(
            picture
                .src
                .starts_with(&format!("case-studies/{}.", study.key)),
            "{} shows {}",
            study.key,
            picture.src
        );
    }
    assert_eq!(
        pictures.len(),
        SLUGS.len() + 2,
        "one for work without a study, one for studies without a picture"
    );
}

#[test]
fn durations_and_team_sizes_are_within_range() {
    for slug in SLUGS {
        let path = repository().join(format!("content/case-studies/{slug}.yaml"));
        let text = std::fs::read_to_string(&path).expect("a study");
        let source = Source::new(path.to_string_lossy().into_owned(), text);
        let study = yaml::parse(&source, 0..source.text.len()).expect("valid YAML");
        let text = |key: &str| study.get(key).and_then(Node::as_text).unwrap_or_default();
        let number = |text: &str, unit: &str| {
            text.strip_suffix(unit)
                .and_then(|number| number.parse::<u32>().ok())
        };
        let months = number(text("duration"), " months");
        assert!(
            text("duration") == "Ongoing"
                || months.is_some_and(|months| (4..=18).contains(&months)),
            "{slug}"
        );
        let team = number(text("team_size"), " developers");
        assert!(
            team.is_some_and(|team| (4..=15).contains(&team)),
            "{slug}: {}",
            text("team_size")
        );
        let Some(Value::List(results)) = study.get("results").map(|node| &node.value) else {
            panic!("{slug}: results")
        };
        assert!(results.len() >= 3, "{slug}");
    }
}

#[test]
fn each_filter_and_each_study_has_its_own_page() {
    let workspace = planned();
    let site = &workspace.site().site;
    let mut titles: BTreeMap<&str, &str> = BTreeMap::new();
    for page in site
        .pages
        .iter()
        .filter(|page| page.key.starts_with("case-studies/"))
    {
        assert!(!page.noindex && page.locale == "en", "{}", page.key);
        let name = ["services", "technologies", "sectors"]
            .iter()
            .zip(["service", "tech", "sector"]);
        let key = name.fold(page.key.clone(), |key, (field, kind)| {
            key.replace(&format!("/{field}/"), &format!("/{kind}/"))
        });
        assert_eq!(page.path.value, format!("/{key}/"));
        assert_eq!(
            page.breadcrumb.last().map(|step| &*step.path),
            Some(page.path.value.as_str())
        );
        assert_eq!(page.breadcrumb.len(), 3, "{}", page.key);
        assert_eq!(
            titles.insert(&page.title, &page.key),
            None,
            "{}",
            page.title
        );
    }
    assert_eq!(titles.len(), SLUGS.len() + 15);
}

#[test]
fn invented_studies_say_so_and_real_ones_do_not() {
    let site = SiteTest::whole();
    let notice = "They don’t describe real work for Zuckerman Law.";
    site.built()
        .page("/case-studies/zuckerman-law/")
        .contains(notice);
    site.edit(
        "content/pages/case-studies/en.yaml",
        "      fictional: true\n",
        "",
    );
    let run = site.built();
    run.page("/case-studies/zuckerman-law/")
        .lacks(notice)
        .lacks("case-study__notice");
    assert_eq!(run.problems(), Vec::<String>::new());
}

#[test]
fn every_study_has_three_related_studies() {
    let run = SiteTest::whole().built();
    for slug in SLUGS {
        let page = run.page(&format!("/case-studies/{slug}/"));
        let html = &page.html;
        assert_eq!(
            html.matches("class=\"case-study-related__item\"").count(),
            3,
            "{slug}"
        );
        let own = format!(
            "class=\"case-study-related__link stretched-link\" href=\"/case-studies/{slug}/\""
        );
        assert!(!html.contains(&own), "{slug}");
    }
}

/// Studies are published in every language that has a page which lists them.
#[test]
fn a_list_in_another_language_has_its_own_pages() {
    let page = |label: &str| {
        format!(
            "  - kind: case_studies\n    label: {label}\n    filtered: &filtered\n      services: {{title: \"{{name}} a\", description: \"{{name}} a.\"}}\n      \
             technologies: {{title: \"{{name}} b\", description: \"{{name}} b.\"}}\n      sectors: {{title: \"{{name}} c\", description: \"{{name}} c.\"}}\n    \
             entry: {{title: \"{{client.name}} {{title}}\", solution: x, closing: {{title: x, actions: []}}}}\n"
        )
    };
    let list = "{% for group in section.groups %}{% for study in group.entries %}<a href=\"{{ study.link.href }}\">{{ study.title }}</a>{% endfor %}{% endfor %}\n";
    let study = "{% extends \"layouts/base.html\" %}\n{% block main %}<h1>{{ entry.title }}</h1>{% endblock %}\n";
    let site = SiteTest::from(&repository().join("tests/sites/_base"))
        .overlay(&repository().join("tests/sites/case-studies/in"))
        .file("templates/sections/case_studies/case_studies.html", list)
        .file(
            "templates/collections/case-studies/case-studies.html",
            study,
        );
    let head = "path: /es/trabajo/\ntitle: Trabajo\ndescription: Lo hecho.\nsections:\n  - {kind: hero, title: Trabajo}\n";
    site.edit(
        "content/pages/about/es.yaml",
        "kind: prose\n",
        "kind: prose\n    id: team\n",
    );
    let words = "title: Un arco\nshort_description: Un arco para el río.\nchallenge: El [otro](page:case-studies/bridge).\n";
    site.write(
        "content/case-studies/arch/es.yaml",
        format!("{words}duration: 4 meses\nteam_size: 4 personas\nresults: [{{name: Peso, text: El doble.}}]\nfeatured_metrics: {{primary: \"2×\", primary_label: carga, secondary: 4, secondary_label: pilares}}\n"),
    );
    site.write(
        "content/pages/work/es.yaml",
        format!("{head}{}", page("Trabajo")),
    );
    let run = site.built();
    run.page("/es/trabajo/")
        .contains("href=\"/es/trabajo/arch/\"");
    run.page("/es/trabajo/sector/rails/")
        .contains("A tunnel")
        .lacks("An arch");
    run.page("/es/trabajo/arch/")
        .contains("<h1>Un arco</h1>")
        .contains("hreflang=\"en\" href=\"https://small.example/work/arch/\"");
    // A study without Spanish words shows English ones, which is no translation.
    run.page("/es/trabajo/tunnel/")
        .contains("<h1><span lang=\"en\" dir=\"ltr\">A tunnel</span></h1>")
        .lacks("hreflang=\"en\" href=\"https://small.example/work/tunnel/\"");
}

#[test]
fn two_lists_of_one_language_are_reported() {
    let site = SiteTest::small().overlay(&repository().join("tests/sites/case-studies/in"));
    let text = std::fs::read_to_string(site.path("content/pages/work/en.yaml")).expect("the list");
    site.write(
        "content/pages/works/en.yaml",
        text.replace("/work/", "/works/"),
    );
    let problems = site.build().problems();
    assert!(
        problems.contains(&"duplicate-id content/pages/works/en.yaml".to_owned()),
        "{problems:?}"
    );
}

#[test]
fn studies_that_no_page_lists_are_reported() {
    let site = SiteTest::small().overlay(&repository().join("tests/sites/case-studies/in"));
    site.edit(
        "content/pages/work/en.yaml",
        "kind: case_studies",
        "kind: prose",
    );
    assert!(
        site.build().stderr.contains("prose"),
        "the section is no longer a list"
    );
    site.write(
        "content/pages/work/en.yaml",
        "path: /work/\ntitle: Work\ndescription: Work.\nsections:\n  - {kind: hero, title: Work}\n",
    );
    for file in ["arch", "tunnel", "bridge"] {
        let path = format!("content/case-studies/{file}.yaml");
        let text = std::fs::read_to_string(site.path(&path)).expect("a study");
        site.write(
            &path,
            text.replace("(page:case-studies/bridge)", "(page:about)"),
        );
    }
    let run = site.built();
    assert!(
        run.stderr
            .contains("no page lists the entries of `case-studies`"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_study_without_a_picture_shows_the_default_one() {
    let run = SiteTest::small()
        .overlay(&repository().join("tests/sites/case-studies/in"))
        .built();
    run.page("/work/arch/")
        .contains("/_assets/images/plan-")
        .contains("alt=\"A plan without a drawing\"");
    run.page("/work/bridge/")
        .contains("alt=\"Five arches over a river\"");
}

#[test]
fn an_item_of_a_portfolio_shows_the_picture_of_its_study_or_its_own() {
    let site = SiteTest::small().overlay(&repository().join("tests/sites/case-studies/in"));
    site.write(
        "templates/sections/portfolio/portfolio.html",
        "{% for item in section.items %}<p>{{ item.study.client.name }}: {{ (item.image or item.study.picture).alt }}</p>{% endfor %}",
    );
    let schema =
        std::fs::read_to_string(repository().join("templates/sections/portfolio/schema.yaml"));
    site.write(
        "templates/sections/portfolio/schema.yaml",
        schema.expect("a schema"),
    );
    let portfolio = "  - kind: portfolio
    title: Work
    items:
      - {study: bridge, label: Read}
      - {study: bridge, image: {src: plan.svg, alt: The plan of the bridge}, label: Read}
";
    site.edit(
        "content/pages/home/en.yaml",
        "page:about#team).\"\n",
        &format!("page:about#team).\"\n{portfolio}"),
    );
    let run = site.built();
    run.page("/")
        .contains("<p>Town: Five arches over a river</p>")
        .contains("<p>Town: The plan of the bridge</p>");
}

#[test]
fn a_new_study_has_all_that_a_study_needs() {
    let site = SiteTest::whole();
    let run = site.run(&[
        "new",
        "entry",
        "case-studies",
        "A bakery that sells out by noon",
    ]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let run = site.run(&["check"]);
    // The first client has a study already, so the two have one title.
    assert_eq!(
        run.problems(),
        ["duplicate-metadata content/case-studies/4h-youth-platform.yaml:1:1"],
        "{}",
        run.stderr
    );
}
