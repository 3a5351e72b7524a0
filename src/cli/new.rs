//! `sitegen new`: creates a site, or a file of a site with what such a file needs.

mod content;
mod entry;
mod example;
mod language;
mod parts;
mod site;

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use ::site::Workspace;
use config::{Config, SnapshotMode};
use diagnostics::problem::{Code, Place, Problem, ProblemSummary, Problems, Severity};
use languages::locale;
use languages::typography::{Languages, samples};
use workspace::{cache, files};

use super::{GlobalOptions, schema, stderr, stdout};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct NewArguments {
    #[command(subcommand)]
    file: Option<NewCommand>,
    /// The new site's folder.
    #[arg(required = true, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// The company's name [default: the folder's name].
    #[arg(long)]
    name: Option<String>,
    /// The languages, the main one first: `en,es` [default: en].
    #[arg(long, value_delimiter = ',', value_name = "CODES")]
    languages: Vec<String>,
    /// Leave out the blog.
    #[arg(long)]
    no_blog: bool,
    /// Create a larger site to learn from, with services, case studies and a lead form.
    #[arg(long)]
    sample: bool,
    /// Start from an example, with its name, languages and content.
    #[arg(long, value_name = "EXAMPLE", value_parser = example::names(), conflicts_with_all = ["name", "languages", "no_blog", "sample"])]
    from: Option<String>,
}

#[derive(Debug, Subcommand)]
enum NewCommand {
    /// Create a post, as a draft.
    Post {
        /// The post's title.
        title: String,
        /// The languages to write it in [default: the main language].
        #[arg(long, value_delimiter = ',', value_name = "CODES")]
        languages: Vec<String>,
    },
    /// Create a page in every language that has no fallback.
    Page {
        /// The page's title.
        title: String,
        /// The languages to write it in. By default, all languages without a fallback.
        #[arg(long, value_delimiter = ',', value_name = "CODES")]
        languages: Vec<String>,
    },
    /// Create an author.
    Author {
        /// The author's name.
        name: String,
    },
    /// Create a sample collection to adapt: its schema, its templates and a first entry.
    Collection {
        /// The collection's name, such as `events`.
        name: String,
    },
    /// Create a collection entry with text in the main language.
    Entry {
        /// The collection's name.
        collection: String,
        /// The entry's name or title.
        title: String,
    },
    /// Create a sample section kind to adapt.
    Section {
        /// The section kind's name, such as `opening_hours`.
        name: String,
    },
    /// Create a sample island to adapt: a React component for pages.
    Island {
        /// The island's name, such as `price-estimate`.
        name: String,
    },
    /// Add a language to `locales` and `fallback`, and create its home page.
    Locale {
        /// The language's code, such as `pt` or `pt-BR`.
        code: String,
    },
}

/// A file to write: its path relative to the site, and its content.
type NewContent = (String, Vec<u8>);

/// The files that a command writes.
struct Created {
    /// New files. If one of them exists, nothing is written.
    files: Vec<NewContent>,
    /// Files of the site with their new content.
    changed: Vec<NewContent>,
    /// The next step for the author.
    next: String,
}

impl Created {
    fn new(files: Vec<NewContent>, next: String) -> Created {
        Created {
            files,
            changed: Vec::new(),
            next,
        }
    }
}

pub(super) fn new(shared: &GlobalOptions, own: NewArguments) -> u8 {
    match (own.file, own.folder) {
        (Some(file), _) => new_file(shared, file),
        (None, Some(folder)) => {
            let answers = Answers {
                name: own.name,
                languages: own.languages,
                blog: !own.no_blog,
                sample: own.sample,
            };
            new_site(shared, &folder, own.from.as_deref(), answers)
        }
        // clap requires one of them.
        (None, None) => 2,
    }
}

fn new_file(shared: &GlobalOptions, file: NewCommand) -> u8 {
    let (config, problems) = shared.config();
    let Some(config) = config else {
        return shared.report(problems, ProblemSummary::default());
    };
    let files = match file {
        NewCommand::Post { title, languages } => content::post(&config, &title, &languages),
        NewCommand::Page { title, languages } => content::page(&config, &title, &languages),
        NewCommand::Author { name } => entry::author(&config, &name),
        NewCommand::Collection { name } => parts::collection(&config, &name),
        NewCommand::Entry { collection, title } => entry::entry(&config, &collection, &title),
        NewCommand::Section { name } => parts::section(&name),
        NewCommand::Island { name } => parts::island(&config, &name),
        NewCommand::Locale { code } => language::locale(&config, &code),
    };
    let written = files.and_then(|created| {
        write(&config.paths.root, &created)?;
        // Editors know the new kind, the new language, and fields that were declared meanwhile, from then on.
        let (config, problems) = shared.config();
        let Some(config) = config else {
            return Ok((problems, created));
        };
        schema::refresh(&config)?;
        Ok((errors_of(config, &created), created))
    });
    match written {
        Ok((
            errors,
            Created {
                files,
                changed,
                next,
            },
        )) => {
            if !shared.format.is_document() {
                files
                    .iter()
                    .for_each(|(path, _)| stdout(&format!("created {path}\n")));
                changed
                    .iter()
                    .for_each(|(path, _)| stdout(&format!("changed {path}\n")));
            }
            if !shared.quiet && !next.is_empty() {
                stderr(&format!("{next}\n"));
            }
            // The file is there, and has something to correct: a value to fill in, or a name that the site can't have.
            if errors.has_errors() {
                shared.report(errors, ProblemSummary::default());
            }
            0
        }
        Err(problem) => shared.report(problem.into(), ProblemSummary::default()),
    }
}

/// The errors that a check finds in new files.
fn errors_of(mut config: Config, created: &Created) -> Problems {
    // Nobody waits for a CMS.
    config.run.snapshot = SnapshotMode::Kept;
    let is_new = |place: &Place| created.files.iter().any(|(path, _)| *path == place.path);
    Workspace::open(config).problems().without(|problem| {
        problem.severity != Severity::Error || !problem.place.as_ref().is_some_and(is_new)
    })
}

/// Writes new and changed files. If a new one exists, none is written.
fn write(root: &Path, created: &Created) -> Result<(), Problem> {
    let Created { files, changed, .. } = created;
    if let Some((path, _)) = files.iter().find(|(path, _)| root.join(path).exists()) {
        let problem = Problem::error(Code::NewRefused, "this file already exists")
            .at(Place::file(path.as_str()));
        return Err(problem.hint("choose another name, or edit the file"));
    }
    files.iter().chain(changed).try_for_each(|(path, bytes)| {
        cache::keep(&root.join(path), bytes).map_err(|error| files::not_written(path, &error))
    })
}

/// The choices that a new site depends on.
struct Answers {
    name: Option<String>,
    languages: Vec<String>,
    blog: bool,
    sample: bool,
}

fn new_site(shared: &GlobalOptions, folder: &Path, example: Option<&str>, answers: Answers) -> u8 {
    let root = files::absolute(folder);
    let fail = |problem: Problem| shared.report(problem.into(), ProblemSummary::default());
    if let Err(problem) = site::check_folder(folder, &root) {
        return fail(problem);
    }
    let files = match example {
        Some(example) => example::files(example, shared.base_url.as_deref()),
        None => site::files(&wanted_site(shared, &root, answers)),
    };
    let files = match files {
        Ok(files) => files,
        Err(problem) => return fail(problem),
    };
    let created = Created::new(files, String::new());
    if let Err(problem) = write(&root, &created) {
        return fail(problem);
    }
    // Those of the kinds of sections and of the collections that the theme declares are known when the site is there.
    let options = config::Options {
        root: root.clone(),
        ..shared.options()
    };
    let mut has_samples = false;
    if let (Some(config), _) = config::load(&options) {
        match schema::refresh(&config).and_then(|()| note_sample(&config, &root)) {
            Ok(are_noted) => has_samples = are_noted,
            Err(problem) => return fail(problem),
        }
    }
    if shared.quiet || shared.format.is_document() {
        return 0;
    }
    let shown = folder.display().to_string();
    let enter = if shown == "." {
        String::new()
    } else {
        format!("  cd {}\n", in_shell(&shown))
    };
    let serve = if config::is_installed_by_npm() {
        "npm start"
    } else {
        "sitegen serve"
    };
    let samples = if has_samples {
        "some of the text is a sample in English: `sitegen check` lists it until you replace it\n"
    } else {
        ""
    };
    let (of_editors, own): (Vec<_>, Vec<_>) = created
        .files
        .iter()
        .partition(|(path, _)| path.starts_with(".vscode/"));
    stdout(&format!(
        "created {} with {} files, and {} for Visual Studio Code\n{samples}\nnext:\n{enter}  npm install\n  {serve}\n",
        if shown == "." { "the site" } else { &shown },
        own.len(),
        of_editors.len()
    ));
    0
}

/// The site that the command line describes, completed by whoever sits at a terminal.
fn wanted_site(shared: &GlobalOptions, root: &Path, mut answers: Answers) -> site::NewSite {
    let mut base_url = shared.base_url.clone();
    if io::stdin().is_terminal() && io::stderr().is_terminal() && !shared.quiet {
        ask(root, &mut answers, &mut base_url);
    }
    let name = answers
        .name
        .filter(|name| !name.trim().is_empty())
        .unwrap_or_else(|| site::name_of(root));
    if answers.languages.is_empty() {
        answers.languages.push("en".to_owned());
    }
    site::NewSite {
        name,
        languages: answers.languages,
        blog: answers.blog,
        sample: answers.sample,
        base_url,
    }
}

/// Notes which texts are the sample's and in another language than their file. Returns whether there are any.
fn note_sample(config: &Config, root: &Path) -> Result<bool, Problem> {
    let (locales, _) = locale::load(&config.paths.root, &config.site, &config.theme);
    let languages = Languages {
        locales: &locales,
        withheld: &config.site.withheld,
    };
    let Some(text) = samples::lock(&config.paths.root, languages) else {
        return Ok(false);
    };
    let lock = vec![(samples::FILE.to_owned(), text.into_bytes())];
    write(root, &Created::new(lock, String::new())).map(|()| true)
}

/// Asks for what the command line does not say. An empty answer is the default.
fn ask(root: &Path, answers: &mut Answers, base_url: &mut Option<String>) {
    if answers.name.is_none() {
        answers.name = Some(answer("Company name", &site::name_of(root)));
    }
    if answers.languages.is_empty() {
        let languages = answer("Languages, the main one first (en, es, …)", "en");
        answers.languages = languages
            .split([',', ' '])
            .filter(|code| !code.is_empty())
            .map(str::to_owned)
            .collect();
    }
    if answers.blog {
        let yes = answer("Add a blog?", "yes");
        answers.blog = !yes.to_lowercase().starts_with('n');
    }
    if base_url.is_none() {
        let address = answer(
            "URL of the site",
            &site::address_of(answers.name.as_deref().unwrap_or_default()),
        );
        *base_url = Some(address);
    }
}

fn answer(question: &str, default: &str) -> String {
    stderr(&format!("{question} [{default}]: "));
    let mut line = String::new();
    // A closed terminal answers nothing.
    let _ = io::stdin().lock().read_line(&mut line);
    let given = line.trim();
    if given.is_empty() {
        default.to_owned()
    } else {
        given.to_owned()
    }
}

/// A path as one word of a shell.
fn in_shell(path: &str) -> String {
    let is_plain = path
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-'));
    if is_plain {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}
