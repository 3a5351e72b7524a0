//! `sitegen serve`: the same build, behind a web server that behaves like the published site.
//!
//! After each save the site is rebuilt and open pages reload. While the site has errors, every page shows the list of
//! problems. Pages do not wait for photographs: a photograph is encoded when a browser requests it, and the others in
//! the background. When the last one is encoded, a build writes all of them to the output folder.
//!
//! `/admin/` edits the site in forms (`admin.rs`). A panel, and a click with Alt, show on each page where it comes from
//! (`panel.rs`, `source.rs`). Both are for whoever started the server (`gate.rs`, `endpoints.rs`).
//!
//! The inbox for leads (`inbox.rs`) is a server of its own with the same gate.

mod admin;
mod content_list;
mod encoding;
mod endpoints;
mod gate;
pub mod inbox;
mod live;
mod menu_form;
mod notes;
mod outputs;
mod panel;
mod places;
mod respond;
mod saved;
mod source;
mod table;
mod watch;

use std::collections::BTreeSet;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use tokio::sync::broadcast;

use api::Api;
use api::leads::{DevCaptcha, StoreSettings};
use api::listen::Limits;
use assets::PictureFile;
use config::{self, Config, Editor, Options};
use diagnostics::problem::{Code, Problem, Problems};
use generator::pipeline::{
    self, BuildScope, Finished, IndexJob, Plan, Purpose, Report, TemporaryCache, View,
};
use manifest::BuildManifest;
use publish::hosts::Rules;
use publish::lead_site;
use site::Workspace;
use translations::PageTranslations;
use workspace::files::{self, FileSet};
use workspace::timings::Timings;

use content_list::ContentList;
use encoding::{Encode, EncodingOutcome, PhotographQueue};
use gate::Gate;
use saved::LastSave;
use watch::WatchEvent;

pub use gate::Access;

/// How the preview is started.
const COMMAND: gate::ServerCommand = gate::ServerCommand {
    name: "sitegen serve",
    behind_proxy: "--behind-proxy",
};

/// The default value of `--host`.
pub const DEFAULT_HOST: &str = "127.0.0.1";

/// Bytes of the stack of a thread that builds or answers: as many as the main thread of a build has on most systems.
const STACK: usize = 8 << 20;

/// The maximum time for which publishing single posts early may postpone the build.
const EARLY_MAX: Duration = Duration::from_secs(15);
/// The maximum time without saves that the build waits for after a post was published early.
const BUILD_DELAY_MAX: Duration = Duration::from_secs(3);

/// The settings of the preview server.
#[derive(Debug, Clone)]
pub struct PreviewSettings {
    /// The options of the build.
    pub options: Options,
    /// The address to listen on.
    pub host: String,
    /// The port; 0 picks a free one.
    pub port: u16,
    /// Whether to build on each change and reload open pages; otherwise the finished build is served as it is.
    pub watch: bool,
    /// The editor in which pages of the preview open their sources.
    pub editor: Editor,
    /// Who may ask.
    pub access: Access,
    /// Whether leads are stored and delivered as the environment says, instead of in the folder of the site.
    pub uses_lead_settings: bool,
}

/// An event that is reported to the caller.
#[derive(Debug)]
pub enum ServerEvent<'a> {
    /// The server listens at this address.
    Ready(&'a str),
    /// The site was built.
    Built(&'a Report),
    /// The site has problems.
    Problems(&'a Problems),
    /// The preview takes leads.
    Leads {
        /// The development captcha is used, because no captcha secret is set.
        has_dev_captcha: bool,
        /// The API refuses leads, because the environment says so.
        is_off: bool,
        /// The ways by which leads leave this machine, if the environment says so.
        ways: Option<Vec<String>>,
    },
}

/// The build that is served. Replaced as a whole after each build.
#[derive(Debug, Clone, Default)]
struct Current {
    /// The path that the site is mounted at, without a trailing slash; usually empty.
    base_path: String,
    /// The id of the build, which open pages compare with their own.
    build: String,
    out: PathBuf,
    /// Headers, redirects and error pages.
    rules: Rules,
    /// The address of the captcha provider's script, as it is written in pages.
    captcha: String,
    /// Problems that are shown instead of the site.
    problems: Option<Problems>,
    /// The files of photographs that are not encoded yet.
    unencoded: Vec<Arc<PictureFile>>,
    /// The index of the search, if it is out of date.
    unindexed: Option<Arc<IndexJob>>,
    /// Which translations are out of date.
    translations: Arc<PageTranslations>,
    /// Whether the site has pages where the forms would be.
    has_admin_pages: bool,
}

/// The state that the handlers share.
#[derive(Debug)]
struct ServerState {
    current: RwLock<Arc<Current>>,
    /// The last good build, while no other one runs.
    built: Mutex<Option<Arc<Built>>>,
    builds: AtomicU64,
    /// Answers below `/api/`.
    api: Arc<Api>,
    /// Photographs that are still to be encoded.
    photographs: Arc<PhotographQueue<PictureFile>>,
    /// The index of the search that is still to be made.
    index: Arc<PhotographQueue<IndexJob>>,
    /// Limits how many fallbacks for photographs are encoded at the same time.
    fallback_permits: tokio::sync::Semaphore,
    /// Whether pages load the development captcha instead of the provider's.
    has_dev_captcha: bool,
    /// Makes open pages reload; `None` without watching.
    reload: Option<broadcast::Sender<()>>,
    /// Who may ask.
    gate: Gate,
    /// The folder of the site, absolute.
    root: FileSet,
    /// The options of the command, with the theme of the program.
    options: Options,
    editor: Editor,
}

impl ServerState {
    /// Whoever answers a request keeps it for as long as that takes, and stops neither a build nor other requests.
    fn built(&self) -> Option<Arc<Built>> {
        self.built
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn current(&self) -> Arc<Current> {
        Arc::clone(
            &self
                .current
                .read()
                .unwrap_or_else(std::sync::PoisonError::into_inner),
        )
    }

    /// Serves another build. Open pages reload, unless they show the same already (`is_known`). `retry` encodes again
    /// the photographs that failed.
    fn replace(&self, current: Current, is_known: bool, retry: bool) {
        // While the site has problems, the photographs of the last good build are still encoded.
        if current.problems.is_none() {
            self.photographs.replace(&current.unencoded, retry);
            self.index.replace(current.unindexed.as_slice(), retry);
        }
        let build = if is_known {
            self.current().build.clone()
        } else {
            format!(
                "{}-{}",
                std::process::id(),
                self.builds.fetch_add(1, Ordering::Relaxed)
            )
        };
        // Without settings, the base path is unknown, and open pages still have the old one.
        let is_unknown = current.out.as_os_str().is_empty();
        let base_path = if is_unknown {
            self.current().base_path.clone()
        } else {
            current.base_path.clone()
        };
        *self
            .current
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = Arc::new(Current {
            base_path,
            build,
            ..current
        });
        self.api.refresh();
        if let Some(reload) = &self.reload {
            // Fails if no page is open.
            let _ = reload.send(());
        }
    }
}

/// Serves until the process receives a signal to stop. An error if the server cannot listen, or if there is no site.
pub fn run(
    settings: PreviewSettings,
    report: impl Fn(ServerEvent) + Send + Sync + 'static,
) -> Result<(), Problem> {
    let report = Arc::new(report);
    let listener = bind(&settings.host, settings.port, COMMAND)?;
    let address = listener
        .local_addr()
        .map_err(|error| outside("the server could not start", &error))?;
    let (reload, _) = broadcast::channel(4);
    let reload = settings.watch.then_some(reload);
    settings.access.check()?;
    let gate = Gate::new(address, &settings.host, settings.access.clone(), COMMAND)?;
    let (api, dev_captcha) =
        api_settings(&settings, address).map_err(|why| Problem::error(Code::BadSetting, why))?;
    let has_dev_captcha = dev_captcha.is_some();
    let api = Api::with_dev_captcha(api, dev_captcha)
        .map_err(|why| Problem::error(Code::BadSetting, why))?;
    // Watching starts before the first build, so that no save during it is missed.
    let changes = settings.watch.then(|| watch::start(&settings.options));
    let photographs = encode(
        Arc::clone(&report),
        changes.as_ref().map(watch::SavedChanges::sender),
    );
    let index = encode(
        Arc::clone(&report),
        changes.as_ref().map(watch::SavedChanges::sender),
    );
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let shared = Arc::new(ServerState {
        current: RwLock::default(),
        built: Mutex::default(),
        builds: AtomicU64::new(0),
        api,
        photographs,
        index,
        fallback_permits: tokio::sync::Semaphore::new(cores),
        has_dev_captcha,
        reload,
        gate,
        root: FileSet::open(&settings.options.root),
        options: settings.options.clone(),
        editor: settings.editor.clone(),
    });
    // Removed at the end of this function, whatever the threads are doing.
    let temporary = Arc::new(Mutex::new(None));
    let first = if settings.watch {
        build(
            &settings,
            &*report,
            &shared.built,
            &temporary,
            Saved::default(),
        )
        .0
    } else {
        finished(&settings, &*report, &temporary)
    };
    if let Some(problem) = first
        .problems
        .iter()
        .flatten()
        .find(|problem| problem.code == Code::SiteMissing)
    {
        return Err(problem.clone());
    }
    shared.replace(first, false, true);
    // Nothing is for authors in a finished build.
    let query = if settings.watch {
        shared.gate.query()
    } else {
        String::new()
    };
    report(ServerEvent::Ready(&format!(
        "http://{address}{}/{query}",
        shared.current().base_path
    )));
    let ways = settings
        .uses_lead_settings
        .then(|| shared.api.ways_of_leads());
    report(ServerEvent::Leads {
        has_dev_captcha,
        is_off: !shared.api.takes_leads(),
        ways,
    });
    if let Some(changes) = changes {
        rebuild(
            changes,
            settings,
            Arc::clone(&shared),
            Arc::clone(&temporary),
            report,
        )?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(STACK)
        .build()
        .map_err(|error| outside("the server could not start", &error))?;
    let result = runtime.block_on(async {
        let served = async {
            listener.set_nonblocking(true)?;
            tokio::spawn(Arc::clone(&shared.api).work());
            let (listener, limits) = (
                tokio::net::TcpListener::from_std(listener)?,
                Limits::of(shared.api.settings()),
            );
            api::listen::serve(
                listener,
                endpoints::router(&shared),
                limits,
                std::future::pending(),
            )
            .await;
            Ok(())
        };
        tokio::select! {
            result = served => result.map_err(|error| outside("the server stopped", &error)),
            () = api::stopped() => Ok(()),
        }
    });
    temporary
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    result
}

/// Starts the thread that builds the site after each change.
fn rebuild(
    mut changes: watch::SavedChanges,
    settings: PreviewSettings,
    shared: Arc<ServerState>,
    temporary: Arc<Mutex<Option<TemporaryCache>>>,
    report: Arc<impl Fn(ServerEvent) + Send + Sync + 'static>,
) -> Result<(), Problem> {
    let failures = std::mem::take(&mut changes.failures);
    if !failures.is_empty() {
        report(ServerEvent::Problems(&failures));
    }
    let (dated, is_fixed) = (Arc::clone(&shared), settings.options.at.is_some());
    // The time at which the first page since the last build was published early.
    let mut early: Option<Instant> = None;
    // The files that were saved since the last build.
    let mut saved: BTreeSet<PathBuf> = BTreeSet::new();
    let each = move |event: WatchEvent| {
        if let WatchEvent::Saved(files) = event {
            saved.extend(files.iter().cloned());
            if early.is_none_or(|since| since.elapsed() < EARLY_MAX)
                && let Some(pause) = build_text(&shared, files)
            {
                early.get_or_insert_with(Instant::now);
                return Some(pause);
            }
        }
        if let WatchEvent::Lost(problems) = &event
            && !problems.is_empty()
        {
            report(ServerEvent::Problems(problems));
        }
        // When the last photograph is encoded, a build writes all of them to the output folder.
        let is_encoded = matches!(event, WatchEvent::Encoded);
        let saved = Saved {
            files: std::mem::take(&mut saved)
                .iter()
                .map(|file| workspace::files::shown(&shared.root, file))
                .collect(),
            // Photographs are no save.
            known: shared
                .built()
                .filter(|_| is_encoded)
                .map(|built| built.saved().clone()),
        };
        let (current, touched) = build(&settings, &*report, &shared.built, &temporary, saved);
        // Whether open pages are up to date: the build changed only the post that was published early, or
        // photographs.
        let is_known =
            (early.take().is_some() || is_encoded) && touched == 0 && current.problems.is_none();
        shared.replace(current, is_known, !is_encoded);
        None
    };
    let started = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            // With `--at`, no date passes.
            changes.each(
                move || dated.built().filter(|_| !is_fixed)?.plan.next_change(),
                each,
            );
        });
    // Without the thread, nothing would be rebuilt.
    started
        .map(drop)
        .map_err(|error| outside("the server could not start", &error))
}

/// The settings of the API in the preview: leads are stored in the folder of the site and delivered to nobody, and a
/// development captcha is used. If the environment is asked for them, what it leaves open is so.
fn api_settings(
    preview: &PreviewSettings,
    address: SocketAddr,
) -> Result<(api::Settings, Option<DevCaptcha>), String> {
    let options = &preview.options;
    let read = if preview.uses_lead_settings {
        api::Settings::from_environment
    } else {
        api::Settings::standard
    };
    let mut settings = read()?.of_preview(config::search_of(options));
    let leads = &mut settings.leads;
    leads.site = lead_site::path(&config::out_of(options));
    leads.own_host = true;
    leads.local_hosts = true;
    if let Some(StoreSettings::File(path)) = &mut leads.store {
        *path = options.root.join(&*path);
        // A build reads these folders, and what it reads there it publishes; SQLite's files are nobody else's to open.
        let read = ["content", "static", "templates"].map(|folder| options.root.join(folder));
        // A link may lead to a file that does not exist yet.
        let target = fs_err::read_link(&*path).ok();
        let target = target.and_then(|target| Some(path.parent()?.join(target)));
        let file = files::absolute(target.as_ref().unwrap_or(path));
        let mut folders = read.into_iter().chain([config::out_of(options)]);
        if folders.any(|folder| file.starts_with(files::absolute(&folder))) {
            return Err(format!(
                "LEADS_STORE: `{}` is in a folder that the build reads or publishes; name a file elsewhere",
                path.display()
            ));
        }
    }
    let mut dev_captcha = None;
    if leads.captcha.is_none() {
        let port = address.port();
        let ip = if address.ip().is_unspecified() {
            [127, 0, 0, 1].into()
        } else {
            address.ip()
        };
        let (own, captcha) = DevCaptcha::new(&format!("http://{}", SocketAddr::new(ip, port)));
        leads.captcha = Some(captcha);
        dev_captcha = Some(own);
    }
    Ok((settings, dev_captcha))
}

/// The last successful build.
#[derive(Debug)]
struct Built {
    plan: Plan,
    /// The duration of the build.
    time: Duration,
    warnings: Problems,
    /// The files that were saved before it.
    files: Vec<String>,
    /// Which translations are out of date.
    translations: Arc<PageTranslations>,
    /// Their effects; read when someone asks.
    saved: OnceLock<LastSave>,
    /// The site with marked texts; read when someone asks.
    marked: OnceLock<View>,
    /// All content with its state; made when someone asks.
    listed: OnceLock<ContentList>,
}

impl Built {
    /// The effects of the last save.
    fn saved(&self) -> &LastSave {
        self.saved
            .get_or_init(|| LastSave::read(&self.plan.config, self.files.clone()))
    }
}

/// The facts about the save that a build follows.
#[derive(Debug, Default)]
struct Saved {
    /// The files below the folder of the site.
    files: Vec<String>,
    /// The findings of an earlier build about it, for a build that follows no save.
    known: Option<LastSave>,
}

/// The path of a page as the plan has it, from an address as a browser has it.
fn address(current: &Current, path: &str) -> String {
    let path = path.strip_prefix(&current.base_path).unwrap_or(path);
    let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
    if path.ends_with(".html") {
        path.into_owned()
    } else {
        format!("{}/", path.trim_end_matches('/'))
    }
}

/// The address of a page as a browser has it, from its path in the plan.
fn href(config: &Config, path: &str) -> String {
    config.site.href(&site::routes::encoded(path))
}

/// Builds the impact of a saved text alone if nothing else has changed. Returns the time without saves after which the
/// whole site must be built: during writing, that would only delay the next early page.
fn build_text(shared: &ServerState, files: &BTreeSet<PathBuf>) -> Option<Duration> {
    let is_shown = shared.current().problems.is_none();
    // An editor that writes to a temporary file and renames it changes two files, one of which no longer exists.
    let mut files = files.iter().filter(|file| file.exists());
    let (Some(file), None) = (files.next(), files.next()) else {
        return None;
    };
    let mut built = shared.built.lock().unwrap_or_else(PoisonError::into_inner);
    // While a request reads it, a build is made.
    let built = built.as_mut().filter(|_| is_shown).and_then(Arc::get_mut)?;
    let Built {
        plan,
        time,
        saved,
        listed,
        ..
    } = built;
    let attempt = std::panic::AssertUnwindSafe(|| {
        let text = BuildScope::Text(plan, file);
        pipeline::build(text, Purpose::Preview, &|_| {}, &Timings::off()).0
    });
    // After a panic, the build that follows reports the problem.
    let early = std::panic::catch_unwind(attempt).unwrap_or_default();
    early.map(|Finished { address, .. }| {
        let shown = workspace::files::shown(&shared.root, file);
        let total = plan.site.pages.len();
        *saved = LastSave::of_post(&plan.config, shown, address.as_deref(), total).into();
        *listed = OnceLock::new();
        shared.replace(Current::clone(&shared.current()), false, false);
        (*time * 2).min(BUILD_DELAY_MAX)
    })
}

/// Builds the site. Returns the build to serve, and the number of changed files. A panic is a bug of sitegen; it is
/// reported as a problem, and the next save builds again.
fn build(
    settings: &PreviewSettings,
    report: &impl Fn(ServerEvent),
    slot: &Mutex<Option<Arc<Built>>>,
    temporary: &Mutex<Option<TemporaryCache>>,
    saved: Saved,
) -> (Current, usize) {
    // Freed before the build, so that two copies of a large site are not in memory; in the background, because it is
    // slow.
    let old = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    rayon::spawn(move || drop(old));
    let attempt =
        std::panic::AssertUnwindSafe(|| try_build(settings, report, slot, temporary, saved));
    std::panic::catch_unwind(attempt).unwrap_or_else(|_| {
        let problem = Problem::error(
            Code::Internal,
            "an internal error occurred while building this site; see the terminal",
        );
        let problems = Some(
            problem
                .hint("please report this bug; another edit might avoid it")
                .into(),
        );
        (
            Current {
                problems,
                ..Current::default()
            },
            0,
        )
    })
}

fn try_build(
    settings: &PreviewSettings,
    report: &impl Fn(ServerEvent),
    slot: &Mutex<Option<Arc<Built>>>,
    temporary: &Mutex<Option<TemporaryCache>>,
    saved: Saved,
) -> (Current, usize) {
    let (workspace, mut problems) = load(settings);
    let Some(workspace) = workspace else {
        let problems = problems.sorted();
        report(ServerEvent::Problems(&problems));
        return (
            Current {
                problems: Some(problems),
                ..Current::default()
            },
            0,
        );
    };
    let mut config = workspace.config().clone();
    // Compressing would delay each build.
    config.run.precompress = false;
    // Open pages reload after a build, so they do not load old assets.
    config.site.assets.keep_days = 0;
    let mut temporary = temporary.lock().unwrap_or_else(PoisonError::into_inner);
    let moved = problems.take(pipeline::writable(&config, &mut temporary));
    let config = moved.unwrap_or(config);
    drop(temporary);
    let base = Current {
        base_path: config.site.base_path().to_owned(),
        out: config.paths.out.clone(),
        captcha: config.site.leads.captcha.script(),
        ..Current::default()
    };
    let purpose = if problems.has_errors() {
        Purpose::CHECK
    } else {
        Purpose::Preview
    };
    let whole = BuildScope::Site(Workspace::open(config));
    let (finished, found) = pipeline::build(whole, purpose, &|_| {}, &Timings::off());
    problems.extend(found);
    let problems = if settings.options.strict {
        problems.strict()
    } else {
        problems
    }
    .sorted();
    if !problems.is_empty() {
        report(ServerEvent::Problems(&problems));
    }
    match finished {
        Some(Finished {
            report: summary,
            plan: Some(plan),
            ..
        }) if !problems.has_errors() => {
            report(ServerEvent::Built(&summary));
            let (rules, unfinished) = (plan.rules.clone(), &plan.unfinished);
            let (unencoded, unindexed) = (unfinished.photographs.clone(), unfinished.index.clone());
            let translations = Arc::new(plan.translations());
            let has_admin_pages = admin::has_pages(&plan.site);
            let built = Built {
                plan,
                time: summary.time,
                warnings: problems,
                files: saved.files,
                translations: Arc::clone(&translations),
                saved: saved.known.map_or_else(OnceLock::new, OnceLock::from),
                marked: OnceLock::new(),
                listed: OnceLock::new(),
            };
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(built));
            (
                Current {
                    rules,
                    unencoded,
                    unindexed,
                    translations,
                    has_admin_pages,
                    ..base
                },
                summary.touched,
            )
        }
        _ => (
            Current {
                problems: Some(problems),
                ..base
            },
            0,
        ),
    }
}

/// The site as it is on the disk.
fn load(settings: &PreviewSettings) -> (Option<Workspace>, Problems) {
    let options = &settings.options;
    Workspace::load(options, &FileSet::open(&options.root))
}

/// Starts the threads that encode photographs, or make the index. When none is left, they notify the watcher, if there is one.
fn encode<F: Encode>(
    report: Arc<impl Fn(ServerEvent) + Send + Sync + 'static>,
    finished: Option<watch::Sender>,
) -> Arc<PhotographQueue<F>> {
    PhotographQueue::start(move |outcome| match outcome {
        EncodingOutcome::Failed(problem) => report(ServerEvent::Problems(&problem.into())),
        EncodingOutcome::Finished => finished.iter().for_each(watch::Sender::encoded),
    })
}

/// The finished build in the output folder, even if its sources have changed. The site is built only if there is no
/// build, or if photographs or the index of its search are missing.
fn finished(
    settings: &PreviewSettings,
    report: &impl Fn(ServerEvent),
    temporary: &Mutex<Option<TemporaryCache>>,
) -> Current {
    let (workspace, problems) = load(settings);
    let config = workspace.as_ref().map(Workspace::config);
    let out = config.map_or_else(
        || settings.options.root.join("dist"),
        |config| config.paths.out.clone(),
    );
    let is_unfinished = config.is_some_and(BuildManifest::is_unfinished);
    if !out.join(publish::FILE_LIST).exists() || is_unfinished {
        return build(
            settings,
            report,
            &Mutex::default(),
            temporary,
            Saved::default(),
        )
        .0;
    }
    if !problems.is_empty() {
        report(ServerEvent::Problems(&problems.sorted()));
    }
    let Some(workspace) = workspace else {
        return Current {
            out,
            ..Current::default()
        };
    };
    let config = workspace.config();
    let planned = workspace.site();
    let rules = Rules::of(config, &planned.site, &planned.routes);
    let base_path = config.site.base_path().to_owned();
    Current {
        base_path,
        out,
        rules,
        captcha: config.site.leads.captcha.script(),
        ..Current::default()
    }
}

/// The problem of a host that is another machine's.
fn unknown(host: &str) -> Problem {
    Problem::error(
        Code::ListenFailed,
        format!("`{host}` is not a host name or IP address of this machine"),
    )
    .hint("write `--host 127.0.0.1`, or `--host 0.0.0.0` for all addresses")
}

fn bind(host: &str, port: u16, command: gate::ServerCommand) -> Result<TcpListener, Problem> {
    let addresses: Vec<SocketAddr> = (host, port)
        .to_socket_addrs()
        .map_err(|_| unknown(host))?
        .collect();
    // A host name may resolve to IPv4 and IPv6 addresses; other programs expect IPv4.
    let address = addresses
        .iter()
        .find(|address| address.is_ipv4())
        .or(addresses.first())
        .copied()
        .ok_or_else(|| unknown(host))?;
    let host_flag = if host == DEFAULT_HOST {
        String::new()
    } else {
        format!(" --host {host}")
    };
    TcpListener::bind(address).map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            let free = (port..=u16::MAX)
                .skip(1)
                .take(200)
                .find(|next| TcpListener::bind(SocketAddr::new(address.ip(), *next)).is_ok());
            let hint = free.map(|free| {
                format!(
                    "port {free} is free: `{} --port {free}{host_flag}`",
                    command.name
                )
            });
            Problem::error(
                Code::PortBusy,
                format!("port {port} is in use by another program"),
            )
            .hint("choose a different port with `--port`")
            .maybe_hint(hint)
        }
        std::io::ErrorKind::PermissionDenied => Problem::error(
            Code::ListenFailed,
            format!("sitegen has no permission to listen on port {port}"),
        )
        .hint(format!("try `{} --port 4000{host_flag}`", command.name)),
        std::io::ErrorKind::AddrNotAvailable => unknown(host),
        _ => outside(
            &format!("the server could not listen on `{address}`"),
            &error,
        ),
    })
}

fn outside(what: &str, error: &std::io::Error) -> Problem {
    Problem::error(
        Code::ListenFailed,
        format!("{what} ({})", workspace::files::reason(error)),
    )
}
