//! The documents: every command can be run, every YAML block is accepted, every link resolves.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use config::{Options, SnapshotMode};
use site::Workspace;
use workspace::files::FileSet;

use crate::site_test::{SiteTest, each, files_below, repository};

/// All documents, by their path in the repository.
pub fn documents() -> Vec<String> {
    let pages = std::fs::read_dir(repository().join("docs"))
        .expect("docs/")
        .flatten();
    let pages = pages.map(|entry| format!("docs/{}", entry.file_name().to_string_lossy()));
    let pages = pages.filter(|path| path.ends_with(".md"));
    let others = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "deploy/README.md",
        "examples/dental-clinics/README.md",
    ]
    .map(str::to_owned);
    let mut all: Vec<String> = others.into_iter().chain(pages).collect();
    all.sort();
    all
}

pub fn text_of(document: &str) -> String {
    std::fs::read_to_string(repository().join(document)).expect("the document")
}

/// The fenced blocks of a language.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let text = text_of(document);
    let fence = format!("```{language}\n");
    let starts = text.split(&fence).skip(1);
    starts
        .filter_map(|rest| rest.split("\n```").next())
        .map(|block| format!("{block}\n"))
        .collect()
}

/// The lines of the `sh` blocks of a document, without comments.
pub fn commands(document: &str) -> Vec<String> {
    commands_in(&blocks(document, "sh").concat())
}

/// The lines of a text for a shell, without comments.
pub fn commands_in(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .map(|line| line.split(" #").next().unwrap_or_default().trim());
    lines
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn commands_of_the_documents_work() {
    let makefile = text_of("Makefile");
    let site = SiteTest::small();
    let mut seen = 0;
    for document in documents() {
        for command in commands(&document) {
            let words: Vec<&str> = command.split_whitespace().collect();
            match words[..] {
                ["make", target, ..] => {
                    assert!(
                        makefile.contains(&format!("\n{target}:")),
                        "{document}: `{command}`, but there is no such target"
                    );
                }
                // `new` and `copy` create files, which are refused a second time: `tutorial.rs` runs each in a new site.
                // `import.rs` runs `import` with an export file, `diff` needs commits, which `diff.rs` makes, `indexnow` a
                // service, which `changed.rs` starts, and `visits` a log, which `visits.rs` writes.
                [
                    "sitegen" | "target/release/sitegen",
                    "serve" | "new" | "import" | "diff" | "indexnow" | "visits",
                    ..,
                ]
                | ["sitegen", "theme", "copy", ..] => {}
                ["sitegen" | "target/release/sitegen", ref rest @ ..] => {
                    // Some commands need a previous build, and some write files to the working directory.
                    site.built();
                    let run = site
                        .command(rest)
                        .current_dir(site.path(""))
                        .output()
                        .expect("sitegen starts");
                    let reported = String::from_utf8_lossy(&run.stderr);
                    assert!(run.status.success(), "{document}: `{command}`\n{reported}");
                }
                [program, ..] if program.starts_with("bench/") || program.starts_with("tests/") => {
                    assert!(
                        repository().join(program).exists(),
                        "{document}: `{command}`, but there is no such file"
                    );
                }
                _ => {}
            }
            seen += 1;
        }
    }
    assert!(seen >= 40, "only {seen} commands were found");
}

/// Problems with the format of a file. Others are ignored: a block may refer to a page or picture that the site does
/// not have.
const SHAPE: &[&str] = &[
    "yaml-syntax",
    "unknown-key",
    "missing-key",
    "wrong-type",
    "invalid-value",
    "unknown-section",
    "duplicate-key",
];

/// The text with its top-level keys replaced by those of a block.
pub fn with_keys(text: &str, block: &str) -> String {
    let is_key = |line: &str| line.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    let key = |line: &str| line.split(':').next().unwrap_or_default().to_owned();
    let replaced: BTreeSet<String> = block.lines().filter(|line| is_key(line)).map(key).collect();
    let mut skips = false;
    let mut rest_of_text = String::new();
    for line in text.lines() {
        skips = if is_key(line) {
            replaced.contains(&key(line))
        } else {
            skips
        };
        if !skips {
            rest_of_text += line;
            rest_of_text.push('\n');
        }
    }
    rest_of_text + block
}

/// The problems that are found before pages are rendered: their codes and files.
fn problems_of_planning(site: &SiteTest) -> Vec<String> {
    let options = Options {
        root: site.path(""),
        snapshot: SnapshotMode::Offline,
        ..Options::default()
    };
    let (workspace, mut problems) = Workspace::load(&options, &FileSet::open(&options.root));
    problems.extend(
        workspace
            .as_ref()
            .map(Workspace::problems)
            .unwrap_or_default(),
    );
    let named = problems.iter().map(|problem| {
        let path = problem.place.as_ref().map_or("", |place| &*place.path);
        format!("{} {path}", problem.code.name())
    });
    named.collect()
}

#[test]
fn yaml_and_posts_in_the_documents_are_accepted() {
    let mut seen = 0;
    let site = SiteTest::whole();
    for path in files_below(&site.path("content/blog")).into_keys() {
        site.remove(&format!("content/blog/{path}"));
    }
    site.write("content/blog/en/a-post.md", "---\ntitel: A\n---\n");
    assert!(
        problems_of_planning(&site).contains(&"unknown-key content/blog/en/a-post.md".to_owned())
    );
    site.remove("content/blog/en/a-post.md");
    // `tutorial.rs` writes the blocks of the tutorial into a new site.
    for document in documents()
        .into_iter()
        .filter(|document| !crate::tutorial::TUTORIALS.contains(&document.as_str()))
    {
        let yaml = blocks(&document, "yaml").into_iter().map(|block| {
            let (first, rest) = block.split_once('\n').expect("a first line");
            let place = first
                .strip_prefix("# ")
                .unwrap_or_else(|| panic!("{document}: `{first}` names no file"));
            (place.to_owned(), rest.to_owned())
        });
        let posts = blocks(&document, "markdown")
            .into_iter()
            .map(|block| ("content/blog/en/a-post.md".to_owned(), block));
        for (place, block) in yaml.chain(posts).collect::<Vec<_>>() {
            let path = place.split(", ").next().unwrap_or_default();
            let own = std::fs::read_to_string(site.path(path)).ok();
            let before = own.clone().unwrap_or_default();
            let text = if place.ends_with("below sections:") {
                let head = before.split("\nsections:").next().unwrap_or_default();
                format!("{head}\nsections:\n{block}")
            } else if path.ends_with(".yaml") && !path.starts_with("templates/") {
                with_keys(&before, &block)
            } else {
                block.clone()
            };
            site.write(path, &text);
            // Only the fonts of npm packages are read later.
            let found = if block.contains("fonts:") {
                site.run(&["check", "--offline"]).problems()
            } else {
                problems_of_planning(&site)
            };
            let wrong: Vec<String> = found
                .into_iter()
                .filter(|problem| {
                    problem.contains(path)
                        && SHAPE.contains(&problem.split(' ').next().unwrap_or_default())
                })
                .collect();
            assert!(wrong.is_empty(), "{document}: {wrong:?} in\n{text}");
            match own {
                Some(own) => site.write(path, own),
                None => site.remove(path),
            }
            seen += 1;
        }
        for block in blocks(&document, "json") {
            assert!(
                serde_json::from_str::<serde_json::Value>(&block).is_ok(),
                "{document}: {block}"
            );
        }
    }
    assert!(seen >= 20, "only {seen} blocks were found");
}

#[test]
fn make_targets_named_in_prose_exist() {
    let makefile = text_of("Makefile");
    let named = documents().into_iter().flat_map(|document| {
        let text = text_of(&document);
        let targets = text
            .split("`make ")
            .skip(1)
            .filter_map(|rest| rest.split(['`', ' ']).next());
        targets
            .map(|target| (document.clone(), target.to_owned()))
            .collect::<Vec<_>>()
    });
    for (document, target) in each(named, 20) {
        assert!(
            makefile.contains(&format!("\n{target}:")),
            "{document} names `make {target}`"
        );
    }
}

/// Each name in the context of a template is in the table of the documents.
#[test]
fn every_name_that_a_template_finds_is_documented() {
    let text = text_of("docs/templates.md");
    let of = |file: &str, structure: &str| -> Vec<String> {
        let source = text_of(&format!("crates/render/src/{file}"));
        let start = source
            .find(&format!("struct {structure}<'a> {{"))
            .unwrap_or_else(|| panic!("no {structure}"));
        let fields = source[start..]
            .lines()
            .skip(1)
            .take_while(|line| *line != "}");
        let names = fields.filter(|line| !line.trim_start().starts_with("//"));
        names
            .filter_map(|line| line.trim().trim_start_matches("pub ").split_once(':'))
            .map(|(name, _)| name.to_owned())
            .collect()
    };
    for (file, structure) in [("context.rs", "PageContext"), ("frame.rs", "FrameContext")] {
        let names = of(file, structure);
        assert!(names.len() >= 6, "{names:?}");
        for name in names {
            assert!(
                text.contains(&format!("\n| `{name}` |")),
                "docs/templates.md lacks `{name}`"
            );
        }
    }
    for (file, structure) in [
        ("context.rs", "PageFields"),
        ("frame.rs", "SiteContext"),
        ("head.rs", "HeadContext"),
    ] {
        for name in of(file, structure) {
            assert!(
                text.contains(&format!("`{name}`")),
                "docs/templates.md lacks `{name}`"
            );
        }
    }
}

/// The anchors of a document's headings, as GitHub writes them.
fn anchors(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("a document");
    let headings = text
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim());
    let anchor = |heading: &str| {
        let letters = heading.to_lowercase().replace(' ', "-");
        letters
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
            .collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    for document in documents() {
        // Code is not checked for links.
        let prose: String = text_of(&document).split("```").step_by(2).collect();
        let text: String = prose.split('`').step_by(2).collect();
        for target in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            if target.contains(':') || target.contains('{') {
                continue;
            }
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let from = repository().join(&document);
            let file: PathBuf = if path.is_empty() {
                from
            } else {
                from.parent().expect("a folder").join(path)
            };
            assert!(file.exists(), "{document} links to {target}");
            let is_there = anchor.is_empty()
                || !path.ends_with(".md")
                || anchors(&file).contains(&anchor.to_owned());
            assert!(
                is_there,
                "{document} links to {target}, but there is no such heading"
            );
        }
    }
}

/// Sections of more lines are divided, or become a page: a page answers one question. Rows of a table are looked up and code
/// is not read line by line, so they do not count. `scripts/words.mjs` checks the same before anything is compiled.
const SECTION_LINES: usize = 40;

/// The lines of each section of a text with its heading, without code and tables.
fn sections(text: &str) -> Vec<(String, usize)> {
    let mut all = vec![("the beginning".to_owned(), 0)];
    let mut in_code = false;
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        if in_code || is_fence || line.trim().is_empty() || line.trim_start().starts_with('|') {
            continue;
        }
        if line.starts_with('#') {
            all.push((line.trim_start_matches('#').trim().to_owned(), 0));
        } else if let Some((_, lines)) = all.last_mut() {
            *lines += 1;
        }
    }
    all
}

#[test]
fn documents_stay_short_enough_to_read() {
    let mut seen = 0;
    for document in documents() {
        let text = text_of(&document);
        if document.starts_with("docs/") || document == "CONTRIBUTING.md" {
            for (heading, lines) in sections(&text) {
                assert!(
                    lines <= SECTION_LINES,
                    "{document}: \"{heading}\" has {lines} lines; the limit is {SECTION_LINES}"
                );
                seen += 1;
            }
        }
        let limit = match document.as_str() {
            "README.md" => 8_500,
            "ARCHITECTURE.md" => 12_000,
            _ => usize::MAX,
        };
        assert!(
            text.len() <= limit,
            "{document} has {} bytes; the limit is {limit}",
            text.len()
        );
        let mut in_code = false;
        for (number, line) in text.lines().enumerate() {
            in_code ^= line.trim_start().starts_with("```");
            let may_be_long =
                in_code || line.starts_with('|') || line.contains("](") || line.contains("://");
            let width = line.chars().count();
            assert!(
                may_be_long || width <= 110,
                "{document}:{} is {width} characters wide",
                number + 1
            );
        }
    }
    assert!(seen > 300, "only {seen} sections were found");
}

#[test]
fn each_page_has_a_title_of_its_own_and_says_for_whom_it_is() {
    let mut titles = BTreeSet::new();
    for document in documents()
        .iter()
        .filter(|path| path.starts_with("docs/") && *path != "docs/README.md")
    {
        let text = text_of(document);
        let (title, rest) = text.split_once("\n\n").expect("a title and a text");
        assert!(
            title.starts_with("# ") && titles.insert(title.to_owned()),
            "{document}: another page is called {title}"
        );
        assert!(
            rest.starts_with("This page "),
            "{document} does not begin with whose question it answers"
        );
    }
    assert!(titles.len() > 70, "only {} pages were found", titles.len());
}

#[test]
fn the_index_links_to_every_page() {
    let index = text_of("docs/README.md");
    for document in documents()
        .iter()
        .filter_map(|path| path.strip_prefix("docs/"))
        .filter(|name| *name != "README.md")
    {
        assert!(
            index.contains(&format!("]({document})")),
            "docs/README.md does not link to {document}"
        );
    }
}

#[test]
fn the_code_map_names_files_and_items_that_exist() {
    let text = text_of("docs/code-map.md");
    let mut seen = 0;
    for line in text.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let code = |cell: &str| {
            cell.split('`')
                .skip(1)
                .step_by(2)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let Some(at) = cells
            .iter()
            .position(|cell| cell.starts_with('`') && cell.contains('/'))
        else {
            continue;
        };
        let items = cells.get(at + 1).map(|cell| code(cell)).unwrap_or_default();
        // `<kind>` stands for any name.
        let is_path = |code: &String| code.contains('/') && !code.contains('<');
        for file in code(cells[at]).into_iter().filter(is_path) {
            let path = repository().join(&file);
            assert!(path.exists(), "no file {file}");
            seen += 1;
            let text = std::fs::read_to_string(path).unwrap_or_default();
            for item in &items {
                assert!(
                    text.contains(item.as_str()),
                    "{file} does not contain {item}"
                );
                seen += 1;
            }
        }
    }
    assert!(seen >= 60, "only {seen} files and items were found");
}

/// The package `sitegen` on npm is another project, which a command without the scope would install and run.
#[test]
fn every_command_of_npm_names_the_package_with_its_scope() {
    let folders = [
        "src",
        "crates",
        "starter",
        "docs",
        "npm",
        "editors",
        "templates",
        "deploy",
        ".github",
        "scripts",
    ];
    let files = folders
        .iter()
        .flat_map(|folder| walkdir::WalkDir::new(repository().join(folder)));
    let files = files
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path);
    let top = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "action.yml"]
        .map(|file| repository().join(file));
    let mut commands = 0;
    for file in files.chain(top).filter(|file| {
        !file
            .components()
            .any(|part| part.as_os_str() == "node_modules")
    }) {
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        for line in text.lines() {
            let words: Vec<&str> = line
                .split(|c: char| c.is_whitespace() || "`\"',[](){}".contains(c))
                .filter(|word| !word.is_empty())
                .collect();
            let runs = words
                .iter()
                .position(|word| matches!(*word, "npx" | "npm" | "pnpm" | "yarn" | "bunx"));
            let Some(at) = runs else { continue };
            let mut rest = words[at + 1..].iter().skip_while(|word| {
                word.starts_with('-')
                    || matches!(
                        **word,
                        "install"
                            | "i"
                            | "add"
                            | "exec"
                            | "dlx"
                            | "arguments"
                            | "args"
                            | "command:"
                    )
            });
            commands += usize::from(line.contains("@sitegen/cli"));
            let first = rest.next().copied().unwrap_or_default();
            let is_scoped = words[at..].iter().any(|word| word.contains("@sitegen/cli"));
            assert!(
                first.split('@').next() != Some("sitegen") || is_scoped,
                "{}: {line}",
                file.display()
            );
        }
    }
    assert!(commands > 5, "the documents show commands of npm");
}

/// The tables of docs/promises.md and docs/promises-leads.md, those of what entries have and of a client's brief: each promise
/// stands beside a test that holds it.
#[test]
fn every_promise_names_a_test_that_is_there() {
    let rows_of = |page: &str, heading: &str, least: usize| -> Vec<String> {
        let text = text_of(page);
        let (_, table) = text.split_once(heading).expect("the table");
        let rows = table
            .lines()
            .filter(|line| line.starts_with("| ") && line.contains("`: "));
        let rows: Vec<String> = rows.map(str::to_owned).collect();
        assert!(
            rows.len() > least,
            "the table of {page} has {} rows",
            rows.len()
        );
        rows
    };
    let promises = rows_of("docs/promises.md", "# Promises and their tests", 50);
    let of_leads = rows_of(
        "docs/promises-leads.md",
        "# Promises about leads and forms, and their tests",
        20,
    );
    let of_entries = rows_of("docs/entries.md", "## Pages and entries compared", 20);
    let of_a_brief = rows_of("docs/brief.md", "# A client's brief", 35);
    for row in promises
        .iter()
        .chain(&of_leads)
        .chain(&of_entries)
        .chain(&of_a_brief)
    {
        let (_, named) = row.rsplit_once("| `").expect("a test");
        let (file, name) = named
            .trim_end_matches(" |")
            .split_once("`: ")
            .expect("a file and a name");
        let path = if file.contains('/') {
            file.to_owned()
        } else {
            format!("tests/it/{file}")
        };
        let source = std::fs::read_to_string(repository().join(&path))
            .unwrap_or_else(|_| panic!("{row}: no {path}"));
        let is_there = if path.ends_with(".rs") {
            let at = source
                .find(&format!("fn {name}("))
                .unwrap_or_else(|| panic!("{row}: no such test"));
            // A property takes its inputs from a macro, which has the attribute.
            source[..at].rsplit("\n\n").next().is_some_and(|before| {
                before.contains("#[test]") || before.contains("#[tokio::test")
            })
        } else {
            source.contains(&format!("\"{name}\""))
        };
        assert!(is_there, "{row}: `{name}` is no test in {path}");
    }
}
