//! `site.yaml`, the flags of the command line and the environment, resolved once into [`Config`].
//!
//! Nothing else in the generator reads the environment. The API runs without a site's folder, and has settings of its
//! own (`crates/api`). [`Options`] is what was typed; [`Config`] is what it means.

mod blog;
mod headers;
mod leads;
mod settings;

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::content_types::Moment;
use crate::files;
use diagnostics::problem::{Code, Problem, Problems, Source};
use diagnostics::yaml;

pub use blog::{BlogSettings, BlogSource, Credentials, LanguageBy, OnFailure, SnapshotMode};
pub use headers::ResponseHeader;
pub use leads::{CaptchaWidget, LeadsSettings, Unverified, WithoutScript};
pub use settings::{
    Assets, Budgets, Company, Footer, FooterGroup, Header, Host, MenuEntry, Product, Redirect, SiteSettings, Social,
};

/// The environment variables that sitegen reads, all of them.
pub mod environment {
    /// Path of esbuild's own executable, for sites whose `node_modules` lies elsewhere.
    pub const ESBUILD: &str = "SITEGEN_ESBUILD";
    /// Folder of npm packages (icons, fonts), for sites whose `node_modules` lies elsewhere.
    pub const NODE_MODULES: &str = "SITEGEN_NODE_MODULES";
    /// Node's executable, where it is not the `node` of the PATH.
    pub const NODE: &str = "SITEGEN_NODE";
    /// Where executables are looked for, Node among them.
    pub const PATH: &str = "PATH";
    /// Seconds since 1970 that count as now, for builds that must give the same bytes again.
    pub const SOURCE_DATE_EPOCH: &str = "SOURCE_DATE_EPOCH";
    /// What the CMS asks for, as `Authorization: Bearer …`. Sent to `blog.url` alone, never printed.
    pub const BLOG_TOKEN: &str = "BLOG_TOKEN";
    /// With [`BLOG_PASSWORD`], a user of the CMS; WordPress calls the password an application password.
    pub const BLOG_USER: &str = "BLOG_USER";
    /// See [`BLOG_USER`].
    pub const BLOG_PASSWORD: &str = "BLOG_PASSWORD";
    /// Set to `true` by GitHub's runner, which then gets annotations, too.
    pub const GITHUB_ACTIONS: &str = "GITHUB_ACTIONS";
}

/// Whether GitHub's runner reads the output.
pub fn in_github_runner() -> bool {
    std::env::var_os(environment::GITHUB_ACTIONS).is_some_and(|value| value == "true")
}

/// What was typed on the command line, as far as it is about the site.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The site's folder.
    pub root: PathBuf,
    /// Where the result goes; `dist` below the root by default.
    pub out: Option<PathBuf>,
    /// Overrides `base_url` of `site.yaml`.
    pub base_url: Option<String>,
    /// `KEY=VALUE` overrides of `site.yaml`.
    pub set: Vec<String>,
    /// Warnings stop the publication, too.
    pub strict: bool,
    /// Text files are also published compressed, whatever `site.yaml` says.
    pub precompress: bool,
    /// Drafts, and posts whose time has not come or is over, are published, too.
    pub drafts: bool,
    /// How to deal with a CMS and the snapshot of it.
    pub snapshot: SnapshotMode,
}

/// What a run needs to know. Does not change after it is made.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
pub struct Config {
    /// The site's folder, absolute.
    pub root: PathBuf,
    /// The output folder, absolute.
    pub out: PathBuf,
    /// Where the index of the posts goes, absolute: beside the output folder.
    pub search: PathBuf,
    /// Caches; safe to delete, safe to copy between machines.
    pub cache: PathBuf,
    /// The folder of npm packages, if there is one.
    pub node_modules: Option<PathBuf>,
    /// esbuild's executable, if it is installed.
    pub esbuild: Option<PathBuf>,
    /// Node's executable, if it is installed. It is started only for islands that no cache knows.
    pub node: Option<PathBuf>,
    /// Warnings stop the publication, too.
    pub strict: bool,
    /// Text files are also published compressed.
    pub precompress: bool,
    /// `--set` was given: this is not the site as it is published, and may have other addresses.
    pub overridden: bool,
    /// Drafts, and posts whose time has not come or is over, are published, too.
    pub drafts: bool,
    /// How to deal with a CMS and the snapshot of it.
    pub snapshot: SnapshotMode,
    /// Who asks the CMS.
    pub credentials: Option<Credentials>,
    /// The moment of this run, which decides what is published of that which has a time.
    pub now: Moment,
    /// When this run began by the clock of the machine, in seconds since 1970, whatever `now` was set to: what the times of
    /// files are compared with.
    pub began: i64,
    /// `content/site.yaml`.
    pub site: SiteSettings,
    /// Its text, for problems found later.
    pub source: Arc<Source>,
}

impl Config {
    /// The base URL without a slash at its end.
    pub fn base_url(&self) -> &str {
        self.site.base_url.value.trim_end_matches('/')
    }

    /// Scheme and host of the API, without a slash at its end; empty when it answers on the site's own host.
    pub fn api_url(&self) -> &str {
        self.site.api_url.as_ref().map_or("", |url| url.value.trim_end_matches('/'))
    }

    /// The first locale: the one whose addresses have no prefix.
    pub fn default_locale(&self) -> &str {
        self.site.locales.first().map_or("", |code| code.value.as_str())
    }

    /// `""` for the default locale, `/es` for another.
    pub fn prefix(&self, locale: &str) -> String {
        if locale == self.default_locale() { String::new() } else { format!("/{locale}") }
    }

    /// The value of a placeholder such as `product.name`; `None` when there is no such name, or the site does not set it.
    /// While its block in `site.yaml` is broken, which is a problem already, its value is empty rather than missing.
    pub fn placeholder(&self, name: &str) -> Option<&str> {
        let company = &self.site.company;
        let value = match name {
            "product.name" => Some(self.site.product.name.as_str()),
            "product.slug" => Some(self.site.product.slug.as_str()),
            "company.name" => Some(company.name.as_str()),
            "company.legal_name" => company.legal_name.as_deref(),
            "company.email" => company.email.as_deref(),
            "company.phone" => company.phone.as_deref(),
            "company.emergency_phone" => company.emergency_phone.as_deref(),
            "customer_app" => self.site.customer_app.as_deref(),
            _ => return None,
        };
        let block = name.split('.').next().unwrap_or(name);
        value.or_else(|| self.site.unread.contains(block).then_some(""))
    }

    /// The names that [`Config::placeholder`] knows.
    pub const PLACEHOLDERS: &[&str] = &[
        "product.name",
        "product.slug",
        "company.name",
        "company.legal_name",
        "company.email",
        "company.phone",
        "company.emergency_phone",
        "customer_app",
    ];
}

/// Reads `site.yaml`, applies the overrides, and finds the tools.
pub fn load(options: &Options) -> (Option<Config>, Problems) {
    let mut problems = Problems::new();
    let root = absolute(&options.root);
    let path = root.join("content/site.yaml");
    if !path.exists() {
        let message = format!("`{}` is not a site: it has no `content/site.yaml`", options.root.display());
        problems.push(Problem::error(Code::SiteMissing, message).hint("name the site's folder with `--root FOLDER`"));
        return (None, problems);
    }
    let source = match files::read_text(&root, &path) {
        Ok(source) => source,
        Err(problem) => return (None, problem.into()),
    };
    let mut node = match yaml::parse(&source, 0..source.text.len()) {
        Ok(node) => node,
        Err(problem) => return (None, problem.into()),
    };
    let base_url = options.base_url.iter().map(|url| format!("base_url={url}"));
    for setting in options.set.iter().cloned().chain(base_url) {
        if let Err(problem) = apply(&mut node, &setting) {
            problems.push(problem);
        }
    }
    let site = settings::read(&source, &node, &mut problems);
    if site.locales.is_empty() {
        // Told already; without a language there is no page to look at.
        return (None, problems);
    }
    let out = out_of(options);
    if let Some(problem) = out_problem(&root, &out) {
        problems.push(problem);
    }
    let node_modules = path_in(environment::NODE_MODULES).or_else(|| find_node_modules(&root));
    let esbuild = path_in(environment::ESBUILD).or_else(|| find_esbuild(node_modules.as_deref()?));
    let node = path_in(environment::NODE).or_else(find_node);
    let cache = root.join(".sitegen");
    let config = Config {
        root,
        search: search_folder(&out),
        out,
        cache,
        node_modules,
        esbuild,
        node,
        strict: options.strict,
        precompress: options.precompress || site.precompress,
        drafts: options.drafts,
        overridden: !options.set.is_empty(),
        snapshot: options.snapshot,
        credentials: blog::credentials(),
        now: now(),
        began: clock(),
        site,
        source,
    };
    (Some(config), problems)
}

/// Where the index of the posts goes for these options.
pub fn search_of(options: &Options) -> PathBuf {
    search_folder(&out_of(options))
}

/// Where the result goes for these options.
pub fn out_of(options: &Options) -> PathBuf {
    absolute(options.out.as_deref().unwrap_or(&absolute(&options.root).join("dist")))
}

/// `search` beside `dist`. Beside a folder of another name it has that name, too: two sites may be built side by side.
fn search_folder(out: &Path) -> PathBuf {
    match out.file_name().and_then(|name| name.to_str()) {
        Some("dist") | None => out.with_file_name("search"),
        Some(name) => out.with_file_name(format!("{name}-search")),
    }
}

fn now() -> Moment {
    let fixed = std::env::var(environment::SOURCE_DATE_EPOCH).ok().and_then(|seconds| seconds.trim().parse().ok());
    Moment(fixed.unwrap_or_else(clock))
}

fn clock() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()).cast_signed()
}

fn apply(node: &mut yaml::Node, setting: &str) -> Result<(), Problem> {
    let Some((key, value)) = setting.split_once('=') else {
        return Err(Problem::error(Code::BadSetting, format!("`--set {setting}` has no `=`"))
            .hint("write `--set product.name=Otra`"));
    };
    let path: Vec<&str> = key.split('.').collect();
    if path.iter().any(|part| part.is_empty()) {
        return Err(Problem::error(Code::BadSetting, format!("`--set {setting}` has no key"))
            .hint("write `--set product.name=Otra`"));
    }
    node.set(&path, yaml::scalar(value))
        .map_err(|why| Problem::error(Code::BadSetting, format!("`--set {setting}`: {why}")))
}

/// Absolute and without `.` and `..`, whether or not it exists.
pub fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            other => clean.push(other),
        }
    }
    // Links are followed as far as the path exists, so that `--out` cannot reach the sources through one.
    let existing = clean.ancestors().find_map(|ancestor| ancestor.canonicalize().ok().map(|real| (ancestor, real)));
    match existing {
        Some((ancestor, real)) => clean
            .strip_prefix(ancestor)
            .map_or(clean.clone(), |rest| if rest.as_os_str().is_empty() { real } else { real.join(rest) }),
        None => clean,
    }
}

/// Publishing replaces the whole folder, so it may hold nothing else.
fn out_problem(root: &Path, out: &Path) -> Option<Problem> {
    const SOURCES: &[&str] = &[
        "content",
        "templates",
        "react",
        "static",
        "src",
        "tests",
        "deploy",
        "node_modules",
        "target",
        ".git",
        ".github",
        ".sitegen",
    ];
    let inside = SOURCES
        .iter()
        .find(|folder| out.starts_with(root.join(folder)) && !(**folder == "target" && out != root.join("target")));
    let why = if root.starts_with(out) {
        "it holds the site itself".to_owned()
    } else if let Some(folder) = inside {
        format!("it lies inside `{folder}/`")
    } else if out.is_file() {
        "it is a file".to_owned()
    } else {
        return None;
    };
    Some(
        Problem::error(
            Code::OutInside,
            format!("`--out {}` is refused: {why}, and publishing replaces the whole folder", out.display()),
        )
        .hint("leave `--out` away for `dist/`, or name a folder of its own"),
    )
}

/// The path in an environment variable; an empty one is as good as none.
fn path_in(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn find_node_modules(root: &Path) -> Option<PathBuf> {
    root.ancestors().map(|folder| folder.join("node_modules")).find(|folder| folder.is_dir())
}

fn find_node() -> Option<PathBuf> {
    let path = std::env::var_os(environment::PATH)?;
    std::env::split_paths(&path)
        .flat_map(|folder| [folder.join("node"), folder.join("node.exe")])
        .find(|file| file.is_file())
}

/// esbuild's npm package starts its executable through Node; the executable itself lies in the platform's package.
fn find_esbuild(node_modules: &Path) -> Option<PathBuf> {
    let folders = std::fs::read_dir(node_modules.join("@esbuild")).ok()?;
    let mut found: Vec<PathBuf> = folders
        .flatten()
        .flat_map(|folder| [folder.path().join("bin/esbuild"), folder.path().join("esbuild.exe")])
        .filter(|path| path.is_file())
        .collect();
    found.sort();
    found.into_iter().next()
}
