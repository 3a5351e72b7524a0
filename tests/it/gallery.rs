//! Every section kind has a template and examples; every example renders.

use std::collections::BTreeSet;

use content::sections::{Kinds, SectionKind, SectionRole};
use diagnostics::yaml::{self, Value};

use crate::site_test::{SiteTest, repository};

fn examples_file(kind: &str) -> std::path::PathBuf {
    repository()
        .join("templates/sections")
        .join(kind)
        .join("examples.yaml")
}

/// The kinds that consist of a component or an island, which has the styles.
const UNSTYLED: [&str; 4] = ["embed", "guide_search", "guide_swatches", "guide_type"];

#[test]
fn kinds_and_folders_are_the_same() {
    let entries = std::fs::read_dir(repository().join("templates/sections"))
        .expect("the folder")
        .flatten();
    // The kind of the page that shows the header, which this site has for itself.
    let folders: BTreeSet<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|kind| kind != "scroll_test")
        .collect();
    let declared: BTreeSet<String> = kinds().map(|kind| kind.name.to_owned()).collect();
    assert_eq!(
        declared, folders,
        "the folders of templates/sections, and the list in crates/content/src/sections/of_theme.rs"
    );
    for kind in &folders {
        let styles = (!UNSTYLED.contains(&kind.as_str())).then(|| format!("{kind}.css"));
        for file in [format!("{kind}.html"), "examples.yaml".to_owned()]
            .into_iter()
            .chain(styles)
        {
            assert!(
                repository()
                    .join("templates/sections")
                    .join(kind)
                    .join(&file)
                    .exists(),
                "templates/sections/{kind}/{file} is missing"
            );
        }
    }
}

/// The kinds of the theme.
fn kinds() -> impl Iterator<Item = &'static SectionKind> {
    let kinds = Kinds::of_theme();
    assert!(kinds.iter().count() >= 44, "the kinds of the theme");
    kinds.iter().collect::<Vec<_>>().into_iter()
}

/// The kinds whose examples need no other content than pages.
fn shown() -> impl Iterator<Item = &'static SectionKind> {
    let others = [
        "accessibility_statement",
        "case_studies",
        "embed",
        "logo_strip",
        "portfolio",
    ];
    kinds().filter(move |kind| !others.contains(&kind.name))
}

/// Kinds that hold the main heading of their page. The form of a page is not among them: the examples show the lead form, and
/// the whole site has a page with it.
fn main_kinds() -> impl Iterator<Item = &'static str> {
    shown()
        .filter(|kind| kind.main_heading && kind.role != SectionRole::Form)
        .map(|kind| kind.name)
}

/// The kinds that can share a page with all others.
fn shared_kinds() -> impl Iterator<Item = &'static str> {
    shown()
        .filter(|kind| !kind.main_heading)
        .map(|kind| kind.name)
}

/// A site with a page of all examples, for designers and for the next test.
fn gallery() -> SiteTest {
    let mut page = String::from(
        "path: /gallery/\ntitle: Gallery\ndescription: Every section with every example.\nnoindex: true\nsections:\n  - {kind: hero, title: Gallery}\n",
    );
    for kind in shared_kinds() {
        for (example, _) in examples(kind) {
            page.push_str(&indent(&example));
        }
    }
    // The page with all examples exceeds the budgets of normal pages.
    let site = SiteTest::whole()
        .argument("--set")
        .argument("budgets.html=440")
        .argument("--set")
        .argument("budgets.css=40")
        .argument("--set")
        .argument("budgets.islands=200")
        .file("content/pages/gallery/en.yaml", page)
        // The examples of `entries` name these.
        .file(
            "templates/collections/events/schema.yaml",
            "meaning: Dates.\nfields:\n  title: {type: text, required: true, meaning: Its name.}\n",
        )
        .file(
            "templates/collections/team/schema.yaml",
            "meaning: People.\nfields:\n  name: {type: text, required: true, meaning: Full name.}\n  role: {type: text, required: true, meaning: Profession.}\n  clinics: {type: text, list: true, meaning: Where.}\n",
        )
        .file("content/team/ana.yaml", "name: Ana\nrole: Dentist\nclinics: [madrid]\n");
    for kind in main_kinds() {
        for (index, (example, _)) in examples(kind).into_iter().enumerate() {
            let page = format!(
                "path: /gallery-{kind}-{index}/\ntitle: \"{kind} {index}\"\ndescription: Example {index} of {kind}.\nnoindex: true\nsections:\n{}",
                indent(&example)
            );
            site.write(
                &format!("content/pages/gallery-{kind}-{index}/en.yaml"),
                page,
            );
        }
    }
    site
}

/// The section of each example as YAML, and its name.
fn examples(kind: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(examples_file(kind)).expect("examples.yaml");
    let source =
        diagnostics::problem::Source::new(examples_file(kind).to_string_lossy().into_owned(), text);
    let node = yaml::parse(&source, 0..source.text.len()).expect("valid YAML");
    let Value::List(items) = &node.value else {
        panic!("{kind}: a list of examples was expected")
    };
    assert!(
        items.len() >= 2,
        "{kind}: a minimal and a full example are required"
    );
    items
        .iter()
        .map(|item| {
            let name = item
                .get("name")
                .and_then(yaml::Node::as_text)
                .unwrap_or_else(|| panic!("{kind}: an example has no name"));
            let section = item
                .get("section")
                .unwrap_or_else(|| panic!("{kind}: an example has no section"));
            (to_yaml(section), name.to_owned())
        })
        .collect()
}

fn indent(section: &str) -> String {
    format!("  - {section}\n")
}

/// Serializes a node as JSON, which is valid YAML.
fn to_yaml(node: &yaml::Node) -> String {
    fn json(node: &yaml::Node) -> serde_json::Value {
        match &node.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Int(value) => (*value).into(),
            Value::Float(value) => (*value).into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(items) => items.iter().map(json).collect(),
            Value::Map(entries) => entries
                .iter()
                .map(|(key, node)| (key.name.clone(), json(node)))
                .collect(),
        }
    }
    json(node).to_string()
}

#[test]
fn every_example_of_every_kind_renders() {
    let run = gallery().built();
    let html = run.page("/gallery/").html.clone();
    let sections = html.matches("<section").count();
    let wanted: usize = shared_kinds().map(|kind| examples(kind).len()).sum();
    assert!(
        sections >= wanted,
        "{sections} sections for {wanted} examples"
    );
    assert_eq!(html.matches("<h1").count(), 1);
    assert!(
        !html.contains("style=\""),
        "an inline style breaks the content security policy"
    );
}

/// Writes the gallery to a folder for viewing: `GALLERY=folder cargo test gallery`.
#[test]
fn the_gallery_can_be_written_to_a_folder() {
    let Some(folder) = std::env::var_os("GALLERY") else {
        return;
    };
    let site = gallery();
    let run = site.run(&["build", "--out", &folder.to_string_lossy()]);
    assert_eq!(run.status, 0, "{}", run.stderr);
}
