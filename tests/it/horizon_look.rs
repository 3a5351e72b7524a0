//! The brief's clinics in the theme, with a look of their own: nothing of the project's own site, or of a new one, is left.

use std::collections::BTreeSet;
use std::path::Path;

use crate::new_site::new_site;
use crate::site_test::{Run, SiteTest, files_below, repository};

const LANGUAGES: &str = "en,es,de,ar,zh-hans";
/// The samples in a new site that are to be replaced.
const SAMPLES: [&str; 8] = [
    "case-studies",
    "clients",
    "forms",
    "images",
    "pages",
    "sectors",
    "services",
    "technologies",
];
/// The endings of what people see as a picture, or read in.
const PICTURES: [&str; 8] = ["svg", "png", "ico", "jpg", "webp", "avif", "woff2", "woff"];

/// A new site whose samples are replaced by the content of the clinics and by their look.
pub fn clinics() -> SiteTest {
    let site = new_site(&[
        "--languages",
        LANGUAGES,
        "--no-blog",
        "--name",
        "Horizon Dental",
    ]);
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("settings");
    let theme = settings
        .lines()
        .find(|line| line.starts_with("theme:"))
        .expect("the version of the theme");
    for folder in SAMPLES
        .map(|name| format!("content/{name}"))
        .iter()
        .map(String::as_str)
        .chain(["static"])
    {
        std::fs::remove_dir_all(site.path(folder)).expect("samples of a new site");
    }
    let sites = repository().join("examples");
    let (brief, look) = (
        sites.join("dental-clinics"),
        sites.join("dental-clinics/look"),
    );
    for part in ["content", "static", "templates/collections"] {
        for (path, bytes) in files_below(&brief.join(part)) {
            site.write(&format!("{part}/{path}"), bytes);
        }
    }
    let site = site.overlay(&look);
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("settings");
    site.write(
        "content/site.yaml",
        format!("{theme}\nicon: favicon.svg\n{settings}"),
    );
    site
}

/// The colors of a design, without black and white.
fn colors(design: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(design).expect("a design");
    let values = text
        .split("\"#")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    let colors = values
        .filter(|value| value.len() == 6)
        .map(|value| format!("#{}", value.to_ascii_lowercase()));
    colors
        .filter(|color| !["#ffffff", "#000000"].contains(&color.as_str()))
        .collect()
}

/// The outlines of all drawings in a folder that are long enough to tell one drawing from another.
fn outlines(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, bytes) in files_below(folder) {
        if path.ends_with(".svg") {
            let text = String::from_utf8(bytes).expect("UTF-8");
            let lines = text
                .split(" d=\"")
                .skip(1)
                .filter_map(|rest| rest.split('"').next());
            found.extend(
                lines
                    .filter(|line| line.len() >= 16 && !line.contains("{{"))
                    .map(str::to_owned),
            );
        }
    }
    found
}

fn pictures(run: &Run) -> impl Iterator<Item = (String, Vec<u8>)> {
    let is_picture = |path: &String| {
        PICTURES
            .iter()
            .any(|ending| path.ends_with(&format!(".{ending}")))
    };
    run.files()
        .into_iter()
        .filter(move |(path, _)| is_picture(path))
}

/// The name and the slug of the project's own product, and the name of its company.
fn brand() -> Vec<String> {
    let settings =
        std::fs::read_to_string(repository().join("content/site.yaml")).expect("site.yaml");
    let value = |key: &str| {
        settings
            .lines()
            .find_map(|line| line.strip_prefix(key))
            .map(str::trim)
            .map(str::to_lowercase)
    };
    ["  name: ", "  slug: "]
        .iter()
        .filter_map(|key| value(key))
        .collect()
}

#[test]
fn nothing_of_the_projects_site_or_of_a_new_one_is_left_in_the_clinics() {
    let run = clinics().built();
    let is_said = |problem: &String| !problem.starts_with("card-letters");
    assert_eq!(
        run.problems()
            .into_iter()
            .filter(is_said)
            .collect::<Vec<_>>(),
        [""; 0],
        "{}",
        run.stderr
    );
    let (shipped, starter) = (SiteTest::whole().built(), new_site(&[]).built());
    let foreign: BTreeSet<Vec<u8>> = pictures(&shipped)
        .chain(pictures(&starter))
        .map(|(_, bytes)| bytes)
        .collect();
    assert!(
        foreign.len() > 60,
        "{} pictures to compare with",
        foreign.len()
    );
    let shared: Vec<String> = pictures(&run)
        .filter(|(_, bytes)| foreign.contains(bytes))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(shared, [""; 0], "pictures or fonts of other sites");

    let repository = repository();
    let here = colors(&repository.join("examples/dental-clinics/look/content/design.yaml"));
    let mut lines = BTreeSet::new();
    let mut inks = BTreeSet::new();
    for folder in ["content", "starter/content"] {
        lines.extend(outlines(&repository.join(folder).join("images")));
        inks.extend(colors(&repository.join(folder).join("design.yaml")));
    }
    lines.extend(outlines(&repository.join("starter/sample/content/images")));
    lines.extend(outlines(&repository.join("starter/static")));
    lines.extend(outlines(&repository.join("static")));
    assert!(
        lines.len() > 60 && inks.len() > 30,
        "{} outlines, {} colors",
        lines.len(),
        inks.len()
    );
    assert_eq!(
        here.intersection(&inks).count(),
        0,
        "the look has colors of another site"
    );
    let names = brand();
    assert!(names.len() == 2, "{names:?}");
    let mut left = Vec::new();
    for (path, bytes) in run.files() {
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        let lower = text.to_lowercase();
        left.extend(
            names
                .iter()
                .filter(|name| lower.contains(*name))
                .map(|name| format!("{path}: {name}")),
        );
        left.extend(
            inks.iter()
                .filter(|color| lower.contains(*color))
                .map(|color| format!("{path}: {color}")),
        );
        left.extend(
            lines
                .iter()
                .filter(|line| text.contains(*line))
                .map(|line| format!("{path}: {line}")),
        );
    }
    assert_eq!(left, [""; 0], "words, colors or drawings of other sites");
}
