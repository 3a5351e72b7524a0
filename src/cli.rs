//! The command line. Each command has its own file; this one holds the shared arguments, the printing and the exit
//! status.
//!
//! Results go to stdout, everything else to stderr. Exit status: 0 no errors, 1 problems in the site, 2 wrong usage,
//! 3 a cause outside the site (a full disk, a busy port, a missing tool).

mod build;
mod cache;
mod changed;
mod cms;
mod diff;
mod explain;
mod fmt;
mod help;
mod hosts;
mod import;
mod indexnow;
mod leads;
mod lsp;
mod new;
mod next_change;
mod progress;
mod routes;
mod schema;
mod serve;
mod theme;
mod translations;
mod visits;
mod why;

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, FromArgMatches as _, Parser, Subcommand, ValueEnum};

use ::schema::types::When;
use config::{self, Config, Options, SnapshotMode};
use diagnostics::problem::{self, Code, Problem, ProblemSummary, Problems, Severity};
use workspace::parallel::lower_priority;

/// Builds multilingual, content-managed company sites from YAML, Markdown and templates.
#[derive(Debug, Parser)]
#[command(name = "sitegen", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    shared: GlobalOptions,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Create a site, or add a post, page, entry or language to one.
    New(new::NewArguments),
    /// Build the site into `dist/`.
    Build(build::BuildArguments),
    /// Report problems without writing the site.
    Check(build::CheckArguments),
    /// Build, serve, and rebuild on each change.
    Serve(serve::ServeArguments),
    /// Run the language server for editors.
    ///
    /// The server communicates over stdin and stdout.
    Lsp,
    /// Correct typography in content: quotes, dashes, units.
    ///
    /// The files are changed in place.
    Fmt(fmt::FmtArguments),
    /// Write configuration for nginx or CloudFront.
    ///
    /// It contains redirects, headers and error pages.
    Hosts(hosts::HostsArguments),
    /// Import a blog: posts, images, authors and redirects.
    Import(import::ImportArguments),
    /// List, show, export, delete and forward leads.
    Leads(leads::LeadsArguments),
    /// Generate editing forms that commit to a Git host.
    ///
    /// `sitegen serve` offers the same forms at `/admin/`, without a Git host.
    Cms(cms::CmsArguments),
    /// List what the cache contains, or remove unused entries.
    Cache(cache::CacheArguments),
    /// List, copy and compare theme files.
    ///
    /// To change a theme file, copy it into the site.
    Theme(theme::ThemeArguments),
    /// Compare two outputs or commits as visitors see them.
    ///
    /// Lists new, missing, moved and changed pages.
    Diff(diff::DiffArguments),
    /// List pages whose text differs from `content/changed.lock`.
    ///
    /// `--accept` updates the record.
    Changed(changed::ChangedArguments),
    /// Tell search engines which published pages have changed.
    #[command(name = "indexnow")]
    IndexNow(indexnow::IndexNowArguments),
    /// Count page views in access logs.
    ///
    /// Reads logs from nginx, CloudFront and Cloudflare.
    Visits(visits::VisitsArguments),
    /// List every URL of the site.
    Routes(routes::RoutesArguments),
    /// Find missing and outdated translations; export and import them.
    ///
    /// Compares pages, posts and locale files in all languages, and their structure.
    Translations(translations::TranslationsArguments),
    /// Print the JSON Schemas of YAML files.
    ///
    /// Editors and pipelines use them. Without a kind of file, lists all kinds.
    Schema(schema::SchemaArguments),
    /// Print when the site must be built next.
    ///
    /// That is when content will be published or will expire.
    NextChange,
    /// Explain why the last build rendered a page, or didn't.
    ///
    /// Without a page, lists all rendered pages.
    Why {
        /// The URL of the page, such as `/about-us/`.
        page: Option<String>,
    },
    /// Explain a problem code and how to fix the problem.
    ///
    /// Without a code, lists all codes.
    Explain {
        /// A code such as `dead-link`.
        code: Option<String>,
    },
    /// Print shell completions.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// The flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = help::OF_EVERY_COMMAND)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag that is typed or not"
)]
struct GlobalOptions {
    /// The site's folder.
    #[arg(long, global = true, default_value = ".", value_name = "FOLDER")]
    root: PathBuf,
    /// The output folder [default: `dist` in the site's folder].
    #[arg(long, global = true, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Override `base_url` in `content/site.yaml`.
    #[arg(long, global = true, value_name = "URL")]
    base_url: Option<String>,
    /// A cache that machines share: a folder, or a bucket in S3 or a compatible store [env: `SITEGEN_CACHE`].
    #[arg(long, global = true, value_name = "FOLDER|s3://BUCKET/PREFIX")]
    cache: Option<String>,
    /// Override a setting in `content/site.yaml`, such as `--set product.name=Acme`. Repeatable.
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The format of problems or of the command's results.
    #[arg(long, global = true, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Treat warnings as errors.
    #[arg(long, global = true)]
    strict: bool,
    /// Also publish drafts, scheduled posts and expired posts.
    #[arg(long, global = true)]
    drafts: bool,
    /// Build the site as of this time, such as `2027-01-15T09:00`, with only the content that is public then.
    #[arg(long, global = true, value_name = "TIME", value_parser = time)]
    at: Option<When>,
    /// Don't contact the CMS; read posts from the snapshot.
    #[arg(long, global = true, conflicts_with_all = ["refresh", "frozen"])]
    offline: bool,
    /// Ignore the snapshot: fetch every post and image from the CMS, even if many posts are gone.
    #[arg(long, global = true, conflicts_with = "frozen")]
    refresh: bool,
    /// Fail if the CMS's posts differ from the snapshot.
    #[arg(long, global = true)]
    frozen: bool,
    /// When to use color; `NO_COLOR` is honored.
    #[arg(long, global = true, value_enum, default_value_t = ColorMode::Auto)]
    color: ColorMode,
    /// Print only problems.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print more details.
    #[arg(short, long, global = true)]
    verbose: bool,
    /// The number of threads [default: one per core].
    #[arg(short = 'j', long, global = true, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// The format of problems, and of the file of `translations export`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text, on stderr.
    Human,
    /// JSON, on stdout.
    Json,
    /// GitHub workflow commands on stdout, in addition to the text on stderr.
    Github,
    /// A SARIF 2.1.0 document for code scanning, on stdout.
    Sarif,
    /// XLIFF 2.1 for translation tools (`translations export` only).
    Xliff,
    /// gettext's PO (`translations export` only).
    Po,
    /// A table for spreadsheets (`translations export` only).
    Csv,
}

impl Format {
    /// Whether it is that of a file for people who translate.
    fn is_of_translations(self) -> bool {
        matches!(self, Format::Xliff | Format::Po | Format::Csv)
    }

    /// Whether stdout is one document, so that nothing else may be written there, and stderr needs no text.
    fn is_document(self) -> bool {
        matches!(self, Format::Json | Format::Sarif)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ColorMode {
    Auto,
    Always,
    Never,
}

impl GlobalOptions {
    fn options(&self) -> Options {
        Options {
            root: self.root.clone(),
            out: self.out.clone(),
            base_url: self.base_url.clone(),
            set: self.set.clone(),
            strict: self.strict,
            precompress: false,
            drafts: self.drafts,
            at: self.at,
            snapshot: match (self.offline, self.refresh, self.frozen) {
                (true, ..) => SnapshotMode::Offline,
                (_, true, _) => SnapshotMode::Refresh,
                (.., true) => SnapshotMode::Frozen,
                _ => SnapshotMode::Fallback,
            },
            cache: self.cache.clone(),
            theme: theme::embedded(),
        }
    }

    /// The configuration of the site, and the problems found while reading it.
    fn config(&self) -> (Option<Config>, Problems) {
        config::load(&self.options())
    }

    /// Like [`GlobalOptions::report`], for a command whose result is on stdout: problems go to stderr as text, whatever
    /// `--format` says.
    fn report_beside(&self, problems: Problems) -> u8 {
        GlobalOptions {
            format: Format::Human,
            ..self.clone()
        }
        .report(problems, ProblemSummary::default())
    }

    /// Problems for services, which show them in the repository, whose folder the site may be in.
    fn in_repository(&self, problems: &Problems) -> Problems {
        problems
            .clone()
            .below(&config::path_in_repository(&self.root))
    }

    /// Applies `--strict`, prints the problems, and returns the exit status.
    fn report(&self, problems: Problems, summary: ProblemSummary) -> u8 {
        let problems = if self.strict {
            problems.strict()
        } else {
            problems
        }
        .sorted();
        match self.format {
            Format::Json => stdout(&problem::json(&problems, summary)),
            Format::Github => stdout(&problem::github(&self.in_repository(&problems))),
            Format::Sarif => stdout(&problem::sarif(
                &self.in_repository(&problems),
                env!("CARGO_PKG_VERSION"),
            )),
            Format::Human if config::in_github_runner() => {
                stdout(&problem::github(&self.in_repository(&problems)));
            }
            Format::Human | Format::Xliff | Format::Po | Format::Csv => {}
        }
        if !self.format.is_document() {
            stderr(&problem::human(&problems));
        }
        status(&problems)
    }
}

/// Reads `--at`.
fn time(text: &str) -> Result<When, String> {
    When::parse(text).ok_or_else(|| {
        "write a date such as `2027-01-15`, or a date and a time such as `2027-01-15T09:00`"
            .to_owned()
    })
}

/// Runs the command that the arguments of the process name, and returns the exit status.
pub fn run() -> u8 {
    let mut command = help::command();
    let matches = command.get_matches_mut();
    let arguments = Arguments::from_arg_matches(&matches)
        .unwrap_or_else(|error| error.format(&mut command).exit());
    run_command(arguments)
}

fn run_command(arguments: Arguments) -> u8 {
    let shared = arguments.shared;
    match shared.color {
        ColorMode::Auto => {}
        ColorMode::Always => anstream::ColorChoice::Always.write_global(),
        ColorMode::Never => anstream::ColorChoice::Never.write_global(),
    }
    let is_editor_waiting = matches!(arguments.command, Command::Lsp);
    if shared.threads.is_some() || is_editor_waiting {
        // 0 means all cores.
        let mut pool =
            rayon::ThreadPoolBuilder::new().num_threads(shared.threads.map_or(0, usize::from));
        if is_editor_waiting {
            // They read the site anew after each change. Answers come from other threads.
            pool = pool.start_handler(|_| lower_priority());
        }
        // Fails only if the pool exists already, and nothing has used it yet.
        let _ = pool.build_global();
    }
    if shared.format.is_of_translations()
        && !matches!(&arguments.command, Command::Translations(own) if own.is_export())
    {
        let problem = Problem::error(
            Code::BadSetting,
            "only `sitegen translations export` supports this `--format`",
        );
        let problem = problem.hint("use `human`, `json`, `github` or `sarif` with this command");
        return GlobalOptions {
            format: Format::Human,
            ..shared
        }
        .report(problem.into(), ProblemSummary::default());
    }
    let status = match arguments.command {
        Command::New(own) => new::new(&shared, own),
        Command::Build(own) => build::build(&shared, &own),
        Command::Check(own) => build::check(&shared, &own),
        Command::Serve(own) => serve::serve(&shared, &own),
        Command::Lsp => lsp::lsp(&shared),
        Command::Fmt(own) => fmt::fmt(&shared, &own),
        Command::Hosts(own) => hosts::hosts(&shared, &own),
        Command::Leads(own) => leads::leads(&shared, own),
        Command::IndexNow(own) => indexnow::indexnow(&shared, &own),
        Command::Changed(own) => changed::changed(&shared, &own),
        Command::Cms(own) => cms::cms(&shared, &own),
        Command::Cache(own) => cache::cache(&shared, &own),
        Command::Theme(own) => theme::theme(&shared, own),
        Command::Diff(own) => diff::diff(&shared, &own),
        Command::Routes(own) => routes::routes(&shared, &own),
        Command::Visits(own) => visits::visits(&shared, &own),
        Command::Import(own) => import::import(&shared, &own),
        Command::Translations(own) => translations::translations(&shared, &own),
        Command::Schema(own) => schema::schema(&shared, &own),
        Command::NextChange => next_change::next_change(&shared),
        Command::Why { page } => why::why(&shared, page.as_deref()),
        Command::Explain { code } => explain::explain(code.as_deref()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(
                shell,
                &mut <Arguments as clap::CommandFactory>::command(),
                "sitegen",
                &mut script,
            );
            stdout(&String::from_utf8_lossy(&script));
            0
        }
    };
    if status == 0 && STDOUT_FAILED.load(Ordering::Relaxed) {
        3
    } else {
        status
    }
}

/// Tells whether a problem is outside of the site.
fn is_outside(code: Code) -> bool {
    use Code::{
        BlogUnreachable, BundlerMissing, EntriesSource, FormsMissing, IndexNow, LeadsRemain,
        LeadsUnavailable, ListenFailed, NodeMissing, OutFailed, PortBusy, VisitsLog,
    };
    matches!(
        code,
        BlogUnreachable
            | EntriesSource
            | OutFailed
            | BundlerMissing
            | FormsMissing
            | IndexNow
            | NodeMissing
            | PortBusy
            | ListenFailed
            | LeadsRemain
            | LeadsUnavailable
            | VisitsLog
    )
}

/// Tells whether a problem is in the command.
fn is_of_usage(code: Code) -> bool {
    matches!(
        code,
        Code::SiteMissing
            | Code::BadSetting
            | Code::OutInside
            | Code::NewRefused
            | Code::ThemeFile
            | Code::DiffInput
    )
}

fn status(problems: &Problems) -> u8 {
    let mut errors = problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .peekable();
    if errors.peek().is_none() {
        return 0;
    }
    let codes: Vec<Code> = errors.map(|problem| problem.code).collect();
    if codes.iter().all(|code| is_outside(*code)) {
        3
    } else if codes.iter().all(|code| is_of_usage(*code)) {
        2
    } else {
        1
    }
}

/// Whether writing to stdout has failed, for the exit status. A static, because every command prints.
static STDOUT_FAILED: AtomicBool = AtomicBool::new(false);

/// Writes to stdout. A closed pipe (`sitegen routes | head`) is not an error; a full disk is.
fn stdout(text: &str) {
    let mut stream = anstream::stdout();
    let Err(error) = stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.flush())
    else {
        return;
    };
    if error.kind() != std::io::ErrorKind::BrokenPipe
        && !STDOUT_FAILED.swap(true, Ordering::Relaxed)
    {
        let why = workspace::files::reason(&error);
        let problem = Problem::error(
            Code::StdoutFailed,
            format!("the result could not be written ({why})"),
        );
        stderr(&problem::human_one(&problem));
    }
}

/// Writes to stderr, and ignores a failure: there is nowhere left to report it.
fn stderr(text: &str) {
    let _ = anstream::stderr().write_all(text.as_bytes());
}
