//! Every command that a document shows can be run.

use crate::site_test::{SiteTest, repository};

/// The lines of the fenced `sh` blocks of a document, without comments.
fn commands(document: &str) -> Vec<String> {
    let text = std::fs::read_to_string(repository().join(document)).expect("the document");
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks.flat_map(str::lines).map(|line| line.split(" #").next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn commands_of_the_documents_work() {
    let makefile = std::fs::read_to_string(repository().join("Makefile")).expect("the Makefile");
    let mut seen = 0;
    for document in ["README.md", "CONTRIBUTING.md", "docs/development.md"] {
        for command in commands(document) {
            let words: Vec<&str> = command.split_whitespace().collect();
            match words[..] {
                ["make", target, ..] => {
                    assert!(
                        makefile.contains(&format!("\n{target}:")),
                        "{document}: `{command}`, but there is no such target"
                    );
                }
                ["sitegen", "serve", ..] => {}
                ["sitegen", ref rest @ ..] => {
                    let site = SiteTest::small();
                    // Some ask about the last build, and some write a file where they are called.
                    site.built();
                    let run = site.command(rest).current_dir(site.path("")).output().expect("sitegen starts");
                    let told = String::from_utf8_lossy(&run.stderr);
                    assert!(run.status.success(), "{document}: `{command}`\n{told}");
                }
                [program, ..] if program.starts_with("bench/") || program.starts_with("tests/") => {
                    assert!(repository().join(program).exists(), "{document}: `{command}`, but there is no such file");
                }
                _ => {}
            }
            seen += 1;
        }
    }
    assert!(seen >= 7, "only {seen} commands were found");
}

#[test]
fn make_targets_named_in_prose_exist() {
    let makefile = std::fs::read_to_string(repository().join("Makefile")).expect("the Makefile");
    for document in ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "docs/development.md"] {
        let text = std::fs::read_to_string(repository().join(document)).expect("the document");
        for target in text.split("`make ").skip(1).filter_map(|rest| rest.split(['`', ' ']).next()) {
            assert!(makefile.contains(&format!("\n{target}:")), "{document} names `make {target}`");
        }
    }
}

#[test]
fn files_named_by_links_exist() {
    for document in ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "docs/development.md"] {
        let text = std::fs::read_to_string(repository().join(document)).expect("the document");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            let local = !target.is_empty() && !target.contains(':') && !target.contains('{');
            let from = repository().join(document).with_file_name(target);
            assert!(!local || from.exists(), "{document} links to {target}");
        }
    }
}
