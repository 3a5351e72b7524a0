//! Resolves `site.yaml`, the command-line flags and the environment into [`Config`].
//!
//! No other module of a build reads the environment. The API runs without a site folder and has its own settings
//! (`crates/api`). [`Options`] holds the raw command line, [`Config`] the resolved values.

#![expect(
    clippy::disallowed_methods,
    reason = "ages of files and of requests are measured; no output depends on them; these settings come from the environment"
)]

pub mod addresses;
mod aws;
mod blog;
pub mod contrast;
mod derived;
pub mod design;
mod editor;
pub mod fonts;
mod headers;
mod hosts;
mod languages;
mod leads;
pub mod look;
mod menu_dates;
mod permissions;
mod policy;
mod redirects;
mod remote;
mod search;
mod settings;
mod shared_cache;
pub mod source_index;
pub mod theme;
mod token;
mod translations;
mod visits;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::theme::Theme;
use api_types::base_url::parts;
use diagnostics::problem::{Code, Problem, Problems, Source};
use diagnostics::yaml;
use schema::types::{Moment, When};
use workspace::cache::Store;
pub use workspace::files::CACHE;
use workspace::files::{self, FileSet, absolute};
use workspace::kinds::Kind;

pub use blog::{BlogSettings, BlogSource, Credentials, LanguageBy, OnFailure, SnapshotMode};
pub use editor::Editor;
pub use headers::ResponseHeader;
pub use hosts::host_name;
pub use leads::{CaptchaWidget, LeadsSettings, Unverified, WithoutScript};
pub use permissions::gets_credentials;
pub use policy::PolicyNeeds;
pub use search::{KINDS as SEARCH_KINDS, SearchFilter, SearchSettings};
pub use settings::{
    Assets, Budgets, Company, Footer, FooterGroup, Header, Host, IndexNowSettings, MenuEntry,
    Product, Redirect, SiteSettings, Social,
};
pub use translations::StaleTranslations;
pub use visits::{Preset as VisitsPreset, Visits};

/// All environment variables that sitegen reads.
pub mod environment {
    /// Path of the esbuild executable, for sites whose `node_modules` is not in a parent folder.
    pub const ESBUILD: &str = "SITEGEN_ESBUILD";
    /// Path of the pagefind executable, for sites whose `node_modules` is not in a parent folder.
    pub const PAGEFIND: &str = "SITEGEN_PAGEFIND";
    /// Folder of npm packages (icons, fonts), for sites whose `node_modules` is not in a parent folder.
    pub const NODE_MODULES: &str = "SITEGEN_NODE_MODULES";
    /// Path of the Node executable, if it is not the `node` in `PATH`.
    pub const NODE: &str = "SITEGEN_NODE";
    /// Folders that are searched for Node.
    pub const PATH: &str = "PATH";
    /// The editor that the preview opens files in, if `--editor` does not name one.
    pub const EDITOR: &str = "SITEGEN_EDITOR";
    /// Current time for reproducible builds, in seconds since 1970.
    pub const SOURCE_DATE_EPOCH: &str = "SOURCE_DATE_EPOCH";
    /// Bearer token of the CMS. Sent to the origins of the CMS only, never printed.
    pub const BLOG_TOKEN: &str = "BLOG_TOKEN";
    /// User name for basic authentication at the CMS, together with [`BLOG_PASSWORD`].
    pub const BLOG_USER: &str = "BLOG_USER";
    /// Password of [`BLOG_USER`]; for WordPress, an application password.
    pub const BLOG_PASSWORD: &str = "BLOG_PASSWORD";
    /// The hosts that get these credentials, separated by commas: what content names is not enough.
    pub const BLOG_HOST: &str = "BLOG_HOST";
    /// The folders outside of the site that `linked_folders` of `site.yaml` may name, separated by colons.
    pub const LINKED_FOLDERS: &str = "SITEGEN_LINKED_FOLDERS";
    /// The cache that machines share, if `--cache` does not name one.
    pub const CACHE: &str = "SITEGEN_CACHE";
    /// AWS's variables for another S3 server, for S3 alone or for every service.
    pub const AWS_ENDPOINTS: [&str; 2] = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"];
    /// AWS's variable for the region, if `AWS_REGION` is not set.
    pub const AWS_DEFAULT_REGION: &str = "AWS_DEFAULT_REGION";
    /// AWS's variable for the section of its files that is used.
    pub const AWS_PROFILE: &str = "AWS_PROFILE";
    /// AWS's variable for the file with credentials. Default: `~/.aws/credentials`.
    pub const AWS_CREDENTIALS: &str = "AWS_SHARED_CREDENTIALS_FILE";
    /// AWS's variable for the file with settings. Default: `~/.aws/config`.
    pub const AWS_CONFIG: &str = "AWS_CONFIG_FILE";
    /// The home folder, which has AWS's files.
    pub const HOME: &str = "HOME";
    /// Set to `npm` by the launcher of the npm package, which brings all other packages that a site needs.
    pub const INSTALLED_BY: &str = "SITEGEN_INSTALLED_BY";
    /// Set to `true` by GitHub Actions. Problems are then also printed as annotations.
    pub const GITHUB_ACTIONS: &str = "GITHUB_ACTIONS";
    /// The folder of the repository in GitHub Actions. Annotations name files relative to it.
    pub const GITHUB_WORKSPACE: &str = "GITHUB_WORKSPACE";
}

/// Whether sitegen runs in GitHub Actions.
pub fn in_github_runner() -> bool {
    std::env::var_os(environment::GITHUB_ACTIONS).is_some_and(|value| value == "true")
}

/// The path from the repository to the site `root` in GitHub Actions, with a slash at its end; empty if the site is the
/// repository, or if it is not in one.
pub fn path_in_repository(root: &Path) -> String {
    path_in(environment::GITHUB_WORKSPACE)
        .and_then(|folder| {
            let (folder, root) = (folder.canonicalize().ok()?, root.canonicalize().ok()?);
            let path = root.strip_prefix(folder).ok()?.to_str()?.to_string();
            (!path.is_empty()).then(|| path + "/")
        })
        .unwrap_or_default()
}

/// Whether sitegen was started by its npm package.
pub fn is_installed_by_npm() -> bool {
    std::env::var_os(environment::INSTALLED_BY).is_some_and(|value| value == "npm")
}

/// Command-line options that concern the site, unresolved.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The site folder.
    pub root: PathBuf,
    /// The output folder; defaults to `dist` in the site folder.
    pub out: Option<PathBuf>,
    /// Overrides `base_url` of `site.yaml`.
    pub base_url: Option<String>,
    /// `KEY=VALUE` overrides of `site.yaml`.
    pub set: Vec<String>,
    /// Warnings prevent publishing, as errors do.
    pub strict: bool,
    /// Publish compressed copies of text files, even if `site.yaml` does not ask for them.
    pub precompress: bool,
    /// Publish drafts, scheduled posts, expired posts and languages that are not announced as well.
    pub drafts: bool,
    /// The time that decides what is public, in place of the current one.
    pub at: Option<When>,
    /// How to use the CMS and its snapshot.
    pub snapshot: SnapshotMode,
    /// The cache that machines share: a folder, or `s3://BUCKET/PREFIX`.
    pub cache: Option<String>,
    /// The theme that the program brings.
    pub theme: Theme,
}

/// The resolved configuration of a run. Immutable. Stages that need only a part of it receive only that part: those
/// that resolve, plan and render receive [`SiteSettings`], and cannot see a folder.
#[derive(Debug, Clone)]
pub struct Config {
    /// `content/site.yaml`.
    pub site: SiteSettings,
    /// Folders and programs.
    pub paths: Paths,
    /// Options of this run.
    pub run: RunOptions,
    /// The store in the cache folder.
    pub cache: Store,
    /// The theme of the site; empty if it names none.
    pub theme: Theme,
}

/// The folders and programs of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Paths {
    /// The files of the site.
    pub root: FileSet,
    /// The output folder, absolute.
    pub out: PathBuf,
    /// The folder of the search index, absolute, next to the output folder.
    pub search: PathBuf,
    /// The cache folder. It can be deleted, and copied between machines.
    pub cache: PathBuf,
    /// The folder of the theme, relative to the cache folder; `None` if the site has all of its files itself.
    pub theme: Option<PathBuf>,
    /// The folder for temporary files of the system, used if the cache folder cannot be written.
    #[serde(skip)]
    pub temporary: PathBuf,
    /// The folder of npm packages, if there is one.
    pub node_modules: Option<PathBuf>,
    /// The esbuild executable, if it is installed.
    pub esbuild: Option<PathBuf>,
    /// The pagefind executable, if it is installed.
    pub pagefind: Option<PathBuf>,
    /// The Node executable, if it is installed. It is started only to prerender islands that are not in the cache.
    pub node: Option<PathBuf>,
}

impl Paths {
    /// The folder whose `templates/` and `react/` are read: the site itself, or the theme with the site's files in it.
    pub fn theme_root(&self) -> FileSet {
        self.theme.as_ref().map_or_else(
            || self.root.clone(),
            |theme| self.root.at(self.cache.join(theme)),
        )
    }
}

/// The options of one run, from the command line, the environment and the clock. Serialized to compare runs: without
/// the clock, and without credentials.
#[derive(Debug, Clone, Serialize)]
pub struct RunOptions {
    /// Warnings prevent publishing, as errors do.
    pub strict: bool,
    /// Publish compressed copies of text files.
    pub precompress: bool,
    /// The values of `--set` and `--base-url`, as `KEY=VALUE`.
    pub overrides: Vec<String>,
    /// Publish drafts, scheduled posts and expired posts as well.
    pub drafts: bool,
    /// How to use the CMS and its snapshot.
    pub snapshot: SnapshotMode,
    /// Credentials for requests to the CMS.
    #[serde(skip)]
    pub credentials: Option<Credentials>,
    /// The hosts that get the credentials.
    #[serde(skip)]
    pub credential_hosts: Vec<String>,
    /// The current time, or that of `--at`. Decides what is public.
    #[serde(skip)]
    pub now: Moment,
    /// The current time, or `SOURCE_DATE_EPOCH`. Decides how old files are.
    #[serde(skip)]
    pub clock: Moment,
}

impl RunOptions {
    /// Whether addresses may differ from those of the published site, because a setting other than the base URL is
    /// overridden.
    pub fn may_change_addresses(&self) -> bool {
        self.overrides
            .iter()
            .any(|setting| !setting.starts_with("base_url="))
    }
}

/// Checks that a folder, as it is named on the command line, is a site.
pub fn check_site(root: &Path) -> Result<(), Problem> {
    if absolute(root).join(Kind::Site.path()).exists() {
        return Ok(());
    }
    let message = format!(
        "`{}` is not a site: it has no `content/site.yaml`",
        root.display()
    );
    Err(Problem::error(Code::SiteMissing, message).hint(
        "name the site's folder with `--root FOLDER`, or create a site with `sitegen new FOLDER`",
    ))
}

/// Reads `site.yaml`, applies the overrides, and looks for esbuild and Node. Returns no configuration if the file
/// cannot be read or lists no locale.
pub fn load(options: &Options) -> (Option<Config>, Problems) {
    load_from(options, FileSet::open(&options.root))
}

/// Like [`load`], for the files of the site as an editor has them.
pub fn load_from(options: &Options, root: FileSet) -> (Option<Config>, Problems) {
    let mut problems = Problems::new();
    let root = permissions::with_linked_content(root);
    let path = root.join(Kind::Site.path());
    if let Err(problem) = check_site(&options.root) {
        return (None, problem.into());
    }
    // Before anything is read.
    if let Err(error) = files::recover_sources(&root) {
        return (None, files::not_written("content", &error).into());
    }
    let source = match root.read_text(&path) {
        Ok(source) => source,
        Err(problem) => return (None, problem.into()),
    };
    let mut node = match yaml::parse(&source, 0..source.text.len()) {
        Ok(node) => node,
        Err(problem) => return (None, problem.into()),
    };
    let published_at = node
        .get("base_url")
        .and_then(yaml::Node::as_text)
        .map(ToOwned::to_owned);
    let base_url = options.base_url.iter().map(|url| format!("base_url={url}"));
    let overrides: Vec<String> = options.set.iter().cloned().chain(base_url).collect();
    for setting in &overrides {
        if let Err(problem) = apply(&mut node, setting) {
            problems.push(problem);
        }
    }
    // A copy on another host, such as that for staging, has all languages there.
    if let (Some(_), yaml::Value::Map(entries)) = (&options.base_url, &mut node.value) {
        entries.retain(|(key, _)| key.name != "base_urls");
    }
    let mut site = settings::read(&source, &node, options.drafts, &mut problems);
    site.indexed
        .get_or_insert(!options.drafts && published_at.is_none_or(|url| is_on_host(&site, &url)));
    let root = problems.take(permissions::with_linked(root, &site));
    site.redirects.extend(problems.take(redirects::read(&root)));
    let theme = if site.theme.is_some() {
        options.theme.clone()
    } else {
        Theme::default()
    };
    site.visits = visits::read(&root, &theme, &site, node.get("visits"), &mut problems);
    if site.locales.is_empty() {
        // Reported above. Without a locale there are no pages to check.
        return (None, problems);
    }
    let out = out_of(options);
    let search = search_folder(&out);
    let refused = out_refused(&root, &out, &search);
    problems.extend(refused.map_or_else(Problems::new, Problems::from));
    let node_modules = path_in(environment::NODE_MODULES).or_else(|| find_node_modules(&root));
    let esbuild = path_in(environment::ESBUILD).or_else(|| find_esbuild(node_modules.as_deref()?));
    let pagefind =
        path_in(environment::PAGEFIND).or_else(|| find_pagefind(node_modules.as_deref()?));
    let node = path_in(environment::NODE).or_else(find_node);
    let folder = root.join(CACHE);
    let cache = Store::new(
        &folder,
        problems.take(shared_cache::place(options.cache.as_deref())),
    );
    let clock = now();
    let run = RunOptions {
        strict: options.strict,
        precompress: options.precompress || site.precompress,
        drafts: options.drafts,
        overrides,
        snapshot: options.snapshot,
        credentials: blog::credentials(),
        credential_hosts: permissions::credential_hosts(),
        now: options
            .at
            .map_or(clock, |at| problems.take(time_of(at, &site))),
        clock,
    };
    if run.credentials.is_some() {
        let problem =
            permissions::check_credentials(&site.blog, run.snapshot, &run.credential_hosts, &site);
        problems.extend(problem.map_or_else(Problems::new, Problems::from));
    }
    site.localize();
    site.keep_public((!run.drafts).then_some(run.now), &mut problems);
    let temporary = std::env::temp_dir();
    let theme_folder = theme.folder(&root);
    let paths = Paths {
        root,
        search,
        out,
        cache: folder,
        theme: theme_folder,
        temporary,
        node_modules,
        esbuild,
        pagefind,
        node,
    };
    (
        Some(Config {
            site,
            paths,
            run,
            cache,
            theme,
        }),
        problems,
    )
}

/// The time of `--at`, in the time zone of the site.
fn time_of(at: When, site: &SiteSettings) -> (Moment, Problems) {
    match at.moment(&site.timezone) {
        Ok(moment) => (moment, Problems::new()),
        Err((message, hint)) => {
            let problem = Problem::error(Code::BadSetting, format!("`--at`: {message}")).hint(hint);
            (at.in_utc(), problem.into())
        }
    }
}

/// Whether a site is built for the host of a URL; a site that is built for another one is a copy, such as that for staging.
fn is_on_host(site: &SiteSettings, url: &str) -> bool {
    let host = |url: &str| {
        parts(url)
            .0
            .split_once("://")
            .map_or("", |(_, host)| host)
            .to_ascii_lowercase()
    };
    host(site.base_url()) == host(url)
}

/// The keys of `site.yaml` with texts that pages show.
const SHOWN_SETTINGS: &[&str] = &["company", "header", "footer", "social"];

impl Config {
    /// This configuration for a page whose texts are marked with where they are written. `mark` marks a part of the
    /// settings. The islands of such a page are kept in a cache of their own, because no build has the same.
    #[must_use]
    pub fn marked(
        &self,
        folder: &Path,
        mark: &dyn Fn(&SiteSettings, &Arc<Source>, &mut yaml::Node),
    ) -> Config {
        let mut config = self.clone();
        config.cache = Store::new(folder, None);
        config.site.marks = Some(Arc::default());
        let source = Arc::clone(&self.site.source);
        let Ok(mut node) = yaml::parse(&source, 0..source.text.len()) else {
            return config;
        };
        for setting in &self.run.overrides {
            // A mistake in one was reported.
            let _ = apply(&mut node, setting);
        }
        if let yaml::Value::Map(entries) = &mut node.value {
            let shown = entries
                .iter_mut()
                .filter(|(key, _)| SHOWN_SETTINGS.contains(&key.name.as_str()));
            shown.for_each(|(_, value)| mark(&config.site, &source, value));
        }
        let mut read = settings::read(&source, &node, self.run.drafts, &mut Problems::new());
        read.keep_public(
            (!self.run.drafts).then_some(self.run.now),
            &mut Problems::new(),
        );
        let site = &mut config.site;
        (site.company, site.header, site.footer, site.social) =
            (read.company, read.header, read.footer, read.social);
        site.localize();
        config
    }
}

/// The output folder of a preview with drafts, below the folder of the site: what is not published yet must not be in
/// `dist/`.
pub const PREVIEW: &str = ".sitegen/preview/dist";

/// The folder of the search index for these options.
pub fn search_of(options: &Options) -> PathBuf {
    search_folder(&out_of(options))
}

/// The output folder for these options.
pub fn out_of(options: &Options) -> PathBuf {
    absolute(
        options
            .out
            .as_deref()
            .unwrap_or(&absolute(&options.root).join("dist")),
    )
}

/// `search` next to `dist`, `NAME-search` next to any other output folder, so that two sites can be built side by side.
fn search_folder(out: &Path) -> PathBuf {
    let name = match out.file_name().and_then(|name| name.to_str()) {
        Some("dist") | None => "search".to_owned(),
        Some(name) => format!("{name}-search"),
    };
    // Like the output folder, it may be a link to the place where the API reads it.
    absolute(&out.with_file_name(name))
}

/// The current time, or `SOURCE_DATE_EPOCH`.
pub fn now() -> Moment {
    let fixed = std::env::var(environment::SOURCE_DATE_EPOCH)
        .ok()
        .and_then(|seconds| seconds.trim().parse().ok());
    Moment(fixed.unwrap_or_else(clock))
}

fn clock() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
        .cast_signed()
}

fn apply(node: &mut yaml::Node, setting: &str) -> Result<(), Problem> {
    let Some((key, value)) = setting.split_once('=') else {
        return Err(
            Problem::error(Code::BadSetting, format!("`--set {setting}` has no `=`"))
                .hint("write `--set KEY=VALUE`, such as `--set product.name=Otra`"),
        );
    };
    let path: Vec<&str> = key.split('.').collect();
    if path.iter().any(|part| part.is_empty()) {
        let what = if key.is_empty() {
            "no key"
        } else {
            "a key with an empty part"
        };
        return Err(
            Problem::error(Code::BadSetting, format!("`--set {setting}` has {what}"))
                .hint("write `--set KEY=VALUE`, such as `--set product.name=Otra`"),
        );
    }
    node.set(&path, yaml::scalar(value))
        .map_err(|why| Problem::error(Code::BadSetting, format!("`--set {setting}`: {why}")))
}

/// The problem of an output folder that contains the site or is one of its source folders.
fn out_refused(root: &Path, out: &Path, search: &Path) -> Option<Problem> {
    if let Some(why) = out_problem(root, out) {
        let message = format!("`--out {}` is refused: {why}", out.display());
        let problem = Problem::error(Code::OutInside, message);
        return Some(problem.hint("omit `--out` to use `dist/`, or name a separate folder"));
    }
    let why = if search.starts_with(out) || out.starts_with(search) {
        Some(format!("the pages are in `{}`", out.display()))
    } else {
        out_problem(root, search).filter(|_| out != root.join(PREVIEW))
    }?;
    let message = format!("the search index can't be in `{}`: {why}", search.display());
    let hint =
        "it is beside the output folder: remove the link, or name another folder with `--out`";
    Some(Problem::error(Code::OutInside, message).hint(hint))
}

/// Why nothing can be published to a folder.
fn out_problem(root: &Path, out: &Path) -> Option<String> {
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
        CACHE,
    ];
    if out == root.join(PREVIEW) {
        return None;
    }
    // Another site, or one of its source folders.
    let other = out
        .ancestors()
        .find(|folder| *folder != root && folder.join(Kind::Site.path()).is_file());
    let in_other = other.and_then(|site| {
        let below = out.strip_prefix(site).ok()?.iter().next();
        let is_source =
            below.is_none_or(|first| files::SOURCES.iter().any(|folder| first == *folder));
        is_source.then(|| format!("it belongs to the site in `{}`", site.display()))
    });
    let inside = SOURCES.iter().find(|folder| {
        out.starts_with(root.join(folder)) && !(**folder == "target" && out != root.join("target"))
    });
    let replaced = |why: String| format!("{why}, and publishing replaces the whole folder");
    if root.starts_with(out) {
        Some(replaced("it contains the site itself".to_owned()))
    } else if let Some(why) = in_other {
        Some(replaced(why))
    } else if let Some(folder) = inside {
        Some(replaced(format!("it is inside `{folder}/`")))
    } else {
        out.is_file()
            .then(|| "it is a file, not a folder".to_owned())
    }
}

/// The path in an environment variable; `None` if it is unset or empty.
fn path_in(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// The text in an environment variable; `None` if it is unset or empty.
fn text_in(variable: &str) -> Option<String> {
    std::env::var(variable)
        .ok()
        .filter(|value| !value.is_empty())
}

fn find_node_modules(root: &Path) -> Option<PathBuf> {
    root.ancestors()
        .map(|folder| folder.join("node_modules"))
        .find(|folder| folder.is_dir())
}

fn find_node() -> Option<PathBuf> {
    let path = std::env::var_os(environment::PATH)?;
    std::env::split_paths(&path)
        .flat_map(|folder| [folder.join("node"), folder.join("node.exe")])
        .find(|file| file.is_file())
}

/// The executable is in the npm package of the platform; that of the `esbuild` package itself is a Node script.
fn find_esbuild(node_modules: &Path) -> Option<PathBuf> {
    find_executable(
        &node_modules.join("@esbuild"),
        &["bin/esbuild", "esbuild.exe"],
    )
}

/// Like [`find_esbuild`], for pagefind; the extended one divides Chinese and Japanese into words.
fn find_pagefind(node_modules: &Path) -> Option<PathBuf> {
    find_executable(
        &node_modules.join("@pagefind"),
        &["bin/pagefind_extended", "bin/pagefind_extended.exe"],
    )
}

/// The first executable with one of these paths in a package of a scope.
fn find_executable(scope: &Path, paths: &[&str]) -> Option<PathBuf> {
    let folders = std::fs::read_dir(scope).ok()?;
    let mut found: Vec<PathBuf> = folders
        .flatten()
        .flat_map(|folder| paths.iter().map(move |path| folder.path().join(path)))
        .filter(|path| path.is_file())
        .collect();
    found.sort();
    found.into_iter().next()
}
