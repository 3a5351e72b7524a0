//! The tutorials, followed from the first step to the last, and the commands of other documents that create files.
//!
//! Each fenced block is a step. A block of `sh` is run. A first line `# PATH` names the file of another block: the
//! top-level keys of a `yaml` block replace those of the file, and the lines of a `diff` replace others.

use std::path::PathBuf;

use crate::documents::{commands, commands_in, documents, text_of, with_keys};
use crate::leads_server::{LeadsServer, write};
use crate::new_site::new_site;
use crate::site_test::{SiteTest, sitegen};

const TUTORIAL: &str = "docs/a-site-of-your-own.md";
/// Continues in a new site.
const OWN_PARTS: &str = "docs/own-parts.md";
/// Continues in a new site.
const COLLECTIONS: &str = "docs/collections.md";
/// Continues in a new site.
const FORMS: &str = "docs/forms.md";
/// Whose blocks follow each other.
pub const TUTORIALS: [&str; 4] = [TUTORIAL, OWN_PARTS, COLLECTIONS, FORMS];

/// The fenced blocks of a tutorial with their languages.
fn steps(tutorial: &str) -> Vec<(String, String)> {
    let text = text_of(tutorial);
    // Prose and blocks alternate.
    let blocks = text.split("\n```").skip(1).step_by(2);
    let steps = blocks.filter_map(|block| block.split_once('\n'));
    steps
        .map(|(language, block)| (language.to_owned(), format!("{block}\n")))
        .collect()
}

/// The words of a command. Quotation marks keep the blanks of a word.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in command.split('"').enumerate() {
        if at % 2 == 0 {
            words.extend(part.split_whitespace().map(str::to_owned));
        } else {
            words.push(part.to_owned());
        }
    }
    words
}

/// The text with the lines of a patch in place of others. A blank line ends a hunk.
fn patched(path: &str, text: &str, patch: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    for hunk in patch.trim_end().split("\n\n") {
        let side = |marks: [char; 2]| {
            hunk.lines()
                .filter_map(|line| line.strip_prefix(marks))
                .collect::<Vec<_>>()
        };
        let (old, new) = (side([' ', '-']), side([' ', '+']));
        let found: Vec<usize> = (0..lines.len())
            .filter(|at| lines[*at..].starts_with(&old))
            .collect();
        let [at] = found[..] else {
            panic!(
                "{path} has these lines {} times, not once:\n{hunk}",
                found.len()
            );
        };
        drop(lines.splice(at..at + old.len(), new));
    }
    lines.join("\n") + "\n"
}

/// Does what a block says, in a folder that `cd` changes.
fn follow(tutorial: &str, folder: &mut PathBuf, language: &str, block: &str) {
    if language == "sh" {
        for command in commands_in(block) {
            let words = words(&command);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            match words[..] {
                ["cd", below] => folder.push(below),
                ["sitegen", "serve", ..] | ["npm", ..] => {}
                ["sitegen", ref arguments @ ..] => {
                    let run = sitegen()
                        .args(arguments)
                        .current_dir(&*folder)
                        .output()
                        .expect("sitegen starts");
                    let reported = String::from_utf8_lossy(&run.stderr);
                    assert!(run.status.success(), "{tutorial}: `{command}`\n{reported}");
                }
                _ => panic!("{tutorial}: this test does not know how to run `{command}`"),
            }
        }
        return;
    }
    let (first, block) = block.split_once('\n').expect("a first line");
    let path = first
        .strip_prefix("# ")
        .unwrap_or_else(|| panic!("{tutorial}: `{first}` names no file"));
    let file = folder.join(path);
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    let after = match language {
        "diff" => patched(path, &before, block),
        "yaml" => with_keys(&before, block),
        _ => panic!("{tutorial}: this test does not know what to do with a block of `{language}`"),
    };
    std::fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
    std::fs::write(file, after).expect("a file");
}

#[test]
fn the_tutorial_leads_to_the_site_that_it_promises() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut inside = folder.path().to_owned();
    let steps = steps(TUTORIAL);
    assert!(steps.len() >= 15, "only {} steps were found", steps.len());
    for (language, block) in &steps {
        follow(TUTORIAL, &mut inside, language, block);
    }

    let site = SiteTest::from(&inside);
    let built = site.run(&["build", "--strict"]);
    assert_eq!(built.status, 0, "{}{}", built.stdout, built.stderr);
    built
        .page("/")
        .contains("Bread that is worth the walk.")
        .contains("href=\"/shops/\"")
        .contains("Baked in New York.")
        .contains("hello@my-site.example")
        .contains("rel=\"canonical\" href=\"https://acme.github.io/\"");
    built
        .page("/shops/")
        .contains("<title>Our shops · My Site</title>")
        .contains("href=\"/contact/\"")
        .contains("href=\"/shops/first/\"")
        .contains("Canal Street");
    built
        .page("/shops/first/")
        .contains("Mon–Fri")
        .contains("Our first oven, by the water.");
    built
        .page("/es/tiendas/")
        .contains("lang=\"es\"")
        .contains("Calle del Canal")
        .contains("href=\"/es/tiendas/first/\"");
    built
        .page("/es/tiendas/first/")
        .contains("Nuestro primer horno, junto al agua.")
        .contains("lun–vie")
        .lacks("Canal Street");
    let is_yellow = |(path, bytes): (String, Vec<u8>)| {
        path.ends_with(".css")
            && String::from_utf8_lossy(&bytes)
                .to_uppercase()
                .contains("#FFD54A")
    };
    assert!(
        built.files().into_iter().any(is_yellow),
        "no style sheet has the new color"
    );

    // The mistakes that the tutorial shows.
    let reports = |code: &str| {
        let problems = site.run(&["check"]).problems();
        assert!(
            problems.iter().any(|problem| problem.starts_with(code)),
            "{code} is not in {problems:?}"
        );
    };
    site.edit("content/design.yaml", "#FFD54A", "#5A4FCF");
    reports("low-contrast content/design.yaml:");
    site.edit("content/design.yaml", "#5A4FCF", "#FFD54A");
    for page in ["en", "es", "page"] {
        site.remove(&format!("content/pages/shops/{page}.yaml"));
    }
    site.edit(
        "content/site.yaml",
        "    - label: {en: \"Shops\"}\n      to: page:shops\n",
        "",
    );
    reports("url-gone content/urls.lock:");
    site.edit(
        "content/site.yaml",
        "locales: [en, es]",
        "locales: [en, es, fr]",
    );
    reports("translation-missing content/site.yaml");
    assert_eq!(site.run(&["new", "locale", "fr"]).status, 0);
}

#[test]
fn the_tutorial_of_own_parts_leads_to_what_it_promises() {
    let site = new_site(&[]);
    for (language, block) in &steps(OWN_PARTS) {
        follow(OWN_PARTS, &mut site.path(""), language, block);
    }
    let built = site.run(&["build", "--strict"]);
    assert_eq!(built.status, 0, "{}{}", built.stdout, built.stderr);
    built
        .page("/services/")
        .contains("Servers, backups and <strong>updates</strong>.")
        .contains("max=\"100\"")
        .contains("$ 12</output>");
    site.edit(
        "content/pages/services/en.yaml",
        "price: 12",
        "price: twelve",
    );
    let problems = site.run(&["check"]).problems();
    assert!(
        problems
            .iter()
            .any(|problem| problem.starts_with("wrong-type content/pages/services/en.yaml:"))
    );
}

#[test]
fn the_tutorial_of_collections_leads_to_what_it_promises() {
    let site = new_site(&["--languages", "en,es"]);
    for (language, block) in &steps(COLLECTIONS) {
        // The last block is a line of a template.
        if !language.is_empty() {
            follow(COLLECTIONS, &mut site.path(""), language, block);
        }
    }
    // The workflow of the site runs this.
    let check = site.run(&["check", "--strict"]);
    assert_eq!(check.status, 0, "{}", check.stderr);
    let built = site.run(&["build", "--strict"]);
    assert_eq!(built.status, 0, "{}{}", built.stdout, built.stderr);
    built
        .page("/services/")
        .contains("Come and see")
        .contains("href=\"/events/first/\"");
    built
        .page("/es/events/first/")
        .contains("Una primera entrada en events");
    built
        .page("/events/first/")
        .contains("<li>40</li>")
        .contains("\"startDate\":\"2040-01-15\"");
    site.edit("content/events/first.yaml", "place: first", "place: frist");
    let problems = site.run(&["check"]).problems();
    assert!(
        problems
            .iter()
            .any(|problem| problem.starts_with("unknown-id content/events/first.yaml:")),
        "{problems:?}"
    );
}

#[test]
fn the_tutorial_of_forms_leads_to_a_stored_answer() {
    let site = new_site(&[]);
    let steps = steps(FORMS);
    for (language, block) in steps
        .iter()
        .filter(|(language, _)| matches!(&**language, "sh" | "yaml" | "diff"))
    {
        follow(FORMS, &mut site.path(""), language, block);
    }
    let built = site.run(&["build", "--strict"]);
    assert_eq!(built.status, 0, "{}{}", built.stdout, built.stderr);
    built
        .page("/contact/")
        .contains("Come and see us")
        .contains("data-form=\"visit\"")
        .contains("what you keep</a>.");
    let server = LeadsServer::start();
    let leads = std::fs::read_to_string(site.path("leads.json")).expect("leads.json");
    write(&server.path("leads.json"), &leads);
    let leads: serde_json::Value = serde_json::from_str(&leads).expect("JSON");
    let hash = leads["forms"][0]["languages"]["en"]["consents"]["privacy"]["hash"]
        .as_str()
        .expect("a hash");
    let (_, answer) = steps
        .iter()
        .find(|(language, _)| language == "json")
        .expect("an answer");
    let head = "POST /api/forms/visit HTTP/1.1\r\nContent-Type: application/json\r\n";
    let answered = server.send(head, &answer.replace('…', hash));
    assert_eq!(answered.code(), "200 null", "{answered:?}");
    let (_, listed, _) = server.leads(&["list", "--form", "visit"]);
    assert!(listed.contains("Ana  <ana@example.com>  visit"), "{listed}");
    let (_, table, _) = server.leads(&["export", "--form", "visit", "--csv"]);
    assert!(
        table.contains("visit: What for?") && table.contains("I have read what you keep."),
        "{table}"
    );
    // The mistake in the last steps: fields that are not there.
    let answered = server.send(head, &answer.replace("talk", "other").replace('…', hash));
    assert!(
        answered.status == 422 && answered.json()["errors"]["what"].is_string(),
        "{answered:?}"
    );
}

#[test]
fn commands_of_the_documents_that_create_files_work() {
    let mut seen = 0;
    for document in documents()
        .iter()
        .filter(|document| !TUTORIALS.contains(&document.as_str()))
    {
        for command in commands(document) {
            let words = words(&command);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            if !matches!(
                words[..],
                ["sitegen", "new", ..] | ["sitegen", "theme", "copy", ..]
            ) {
                continue;
            }
            let site = new_site(&[]);
            let outside = tempfile::tempdir().expect("a folder");
            // A site is not created inside of another one.
            let run = if let ["sitegen", "new", _] = words[..] {
                sitegen()
                    .args(&words[1..])
                    .current_dir(outside.path())
                    .output()
            } else {
                site.command(&words[1..])
                    .current_dir(site.path(""))
                    .output()
            };
            let run = run.expect("sitegen starts");
            let reported = String::from_utf8_lossy(&run.stderr);
            assert!(run.status.success(), "{document}: `{command}`\n{reported}");
            seen += 1;
        }
    }
    assert!(seen >= 3, "only {seen} commands were found");
}
