//! `sitegen serve`: the same build, behind a small web server that behaves as the published site does.
//!
//! On each save the site is built again and open pages reload. While the site has problems, each page shows them all.
//! Pages do not wait for photographs: one that is not encoded yet is encoded when a browser asks for it, the others in
//! the background. When the last one is encoded, a build puts all of them into the output folder.

mod encoding;
mod live;
mod respond;
mod watch;

use std::collections::BTreeSet;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::get;
use tokio::sync::broadcast;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate as _, SizeAbove};

use crate::assets::PictureFile;
use crate::build_cache::BuildManifest;
use crate::config::{self, Options};
use crate::pipeline::{self, Plan, Purpose, Report};
use crate::publish::hosts::Rules;
use crate::publish::lead_site;
use crate::timings::Timings;
use api::Api;
use api::leads::{DevCaptcha, StoreSettings};
use diagnostics::problem::{Code, Problem, Problems};

use encoding::{Outcome, Queue};
use watch::Turn;

/// Where `serve` listens unless told otherwise.
pub const DEFAULT_HOST: &str = "127.0.0.1";

/// How long the build may be put off by pages that are published early, in seconds.
const EARLY_MAX: Duration = Duration::from_secs(15);
/// The longest pause in saving that the build waits for after such a page, in seconds.
const BUILD_DELAY_MAX: Duration = Duration::from_secs(3);

/// What was asked for.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The site.
    pub options: Options,
    /// The address to listen on.
    pub host: String,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// Build on each change and reload open pages; otherwise the finished build is served as it is.
    pub watch: bool,
}

/// What is reported to the caller.
#[derive(Debug)]
pub enum Event<'a> {
    /// The server answers at this address.
    Ready(&'a str),
    /// The site was built.
    Built(&'a Report),
    /// The site has problems.
    Problems(&'a Problems),
    /// Captchas are the preview's own, because no secret is set.
    DevCaptcha,
}

/// What is served now. Replaced as a whole after each build.
#[derive(Debug, Clone, Default)]
struct Current {
    /// Names the build, for open pages to compare with their own.
    build: String,
    out: PathBuf,
    /// What is answered beside files.
    rules: Rules,
    /// The script of the captcha's provider, as pages name it.
    captcha: String,
    /// Problems that keep the site from being shown.
    problems: Option<Problems>,
    /// Photographs that pages name and `out` does not hold.
    unencoded: Vec<Arc<PictureFile>>,
}

/// What the handlers share.
#[derive(Debug)]
struct ServerState {
    current: RwLock<Arc<Current>>,
    builds: AtomicU64,
    /// Answers below `/api/`.
    api: Arc<Api>,
    /// Photographs that are still to be encoded.
    photographs: Arc<Queue<PictureFile>>,
    /// So many stand-ins for them are made at once.
    stand_ins: tokio::sync::Semaphore,
    /// Pages name the preview's own captcha in the place of the provider's.
    has_dev_captcha: bool,
    /// Makes open pages reload; absent when nothing is watched.
    reload: Option<broadcast::Sender<()>>,
}

impl ServerState {
    fn current(&self) -> Arc<Current> {
        Arc::clone(&self.current.read().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Serves another build. Open pages reload, unless it is what they show already. `retry` tries photographs again that could
    /// not be encoded.
    fn replace(&self, current: Current, is_known: bool, retry: bool) {
        // While the site has problems, what it showed last goes on being encoded.
        if current.problems.is_none() {
            self.photographs.replace(&current.unencoded, retry);
        }
        let build = if is_known {
            self.current().build.clone()
        } else {
            format!("{}-{}", std::process::id(), self.builds.fetch_add(1, Ordering::Relaxed))
        };
        *self.current.write().unwrap_or_else(std::sync::PoisonError::into_inner) =
            Arc::new(Current { build, ..current });
        self.api.refresh();
        if let Some(reload) = &self.reload {
            // Fails when no page is open, which is fine.
            let _ = reload.send(());
        }
    }
}

/// Serves until the process is told to stop.
pub fn run(settings: Settings, report: impl Fn(Event) + Send + Sync + 'static) -> Result<(), Problem> {
    let report = Arc::new(report);
    let listener = bind(&settings.host, settings.port)?;
    let address = listener.local_addr().map_err(|error| outside("the server could not start", &error))?;
    let (reload, _) = broadcast::channel(4);
    let reload = settings.watch.then_some(reload);
    let wrong = |why| Problem::error(Code::BadSetting, why);
    let (api, dev_captcha) = api_settings(&settings.options, address).map_err(wrong)?;
    let has_dev_captcha = dev_captcha.is_some();
    let api = Api::with_dev_captcha(api, dev_captcha).map_err(wrong)?;
    // Watching begins before the first build, so that a file saved during it is not missed.
    let changes = settings.watch.then(|| watch::start(&settings.options.root));
    let photographs = encode(Arc::clone(&report), changes.as_ref().map(watch::Changes::sender));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let shared = Arc::new(ServerState {
        current: RwLock::default(),
        builds: AtomicU64::new(0),
        api,
        photographs,
        stand_ins: tokio::sync::Semaphore::new(cores),
        has_dev_captcha,
        reload,
    });
    let mut last = None;
    let first = if settings.watch { build(&settings, &*report, &mut last).0 } else { finished(&settings, &*report) };
    if let Some(problem) = first.problems.iter().flatten().find(|problem| problem.code == Code::SiteMissing) {
        return Err(problem.clone());
    }
    shared.replace(first, false, true);
    report(Event::Ready(&format!("http://{address}/")));
    if has_dev_captcha {
        report(Event::DevCaptcha);
    }
    if let Some(mut changes) = changes {
        if let Some(why) = changes.failure.take() {
            let message = format!("not every change will be noticed ({why})");
            report(Event::Problems(&Problem::warning(Code::Unreadable, message).into()));
        }
        let shared = Arc::clone(&shared);
        // When the first page since the last build was published early.
        let mut early: Option<Instant> = None;
        let each = move |turn: Turn| {
            if let Turn::Saved(files) = turn
                && early.is_none_or(|since| since.elapsed() < EARLY_MAX)
                && let Some(pause) = publish_post(&shared, &mut last, files)
            {
                early.get_or_insert_with(Instant::now);
                return Some(pause);
            }
            // When the last photograph is encoded, a build puts all of them into the output folder.
            let is_encoded = matches!(turn, Turn::Encoded);
            let (current, touched) = build(&settings, &*report, &mut last);
            // Nothing is new but the page that was published early, or photographs.
            let is_known = (early.take().is_some() || is_encoded) && touched == 0 && current.problems.is_none();
            shared.replace(current, is_known, !is_encoded);
            None
        };
        std::thread::spawn(move || changes.each(each));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| outside("the server could not start", &error))?;
    runtime.block_on(async {
        let served = async {
            listener.set_nonblocking(true)?;
            tokio::spawn(Arc::clone(&shared.api).work());
            let router = router(&shared).into_make_service_with_connect_info::<SocketAddr>();
            axum::serve(tokio::net::TcpListener::from_std(listener)?, router).await
        };
        tokio::select! {
            result = served => result.map_err(|error| outside("the server stopped", &error)),
            () = api::stopped() => Ok(()),
        }
    })
}

/// The API's settings as the preview wants them: leads lie in the site's folder, and captchas are solved on this machine,
/// with the preview's own captcha where no secret is set.
fn api_settings(options: &Options, address: SocketAddr) -> Result<(api::Settings, Option<DevCaptcha>), String> {
    let mut settings = api::Settings::from_environment()?;
    settings = settings.of_preview(config::search_of(options));
    let leads = &mut settings.leads;
    leads.site = lead_site::path(&config::out_of(options));
    leads.own_host = true;
    leads.local_hosts = true;
    if let Some(StoreSettings::File(path)) = &mut leads.store {
        *path = options.root.join(&*path);
    }
    let mut dev_captcha = None;
    if leads.captcha.is_none() {
        let port = address.port();
        let ip = if address.ip().is_unspecified() { [127, 0, 0, 1].into() } else { address.ip() };
        let (own, captcha) = DevCaptcha::new(&format!("http://{}", SocketAddr::new(ip, port)));
        leads.captcha = Some(captcha);
        dev_captcha = Some(own);
    }
    Ok((settings, dev_captcha))
}

fn router(shared: &Arc<ServerState>) -> Router {
    let mut router = Router::new();
    if shared.reload.is_some() {
        router = router
            .route(live::SCRIPT_PATH, get(live::script))
            .route(live::EVENTS_PATH, get(live::events))
            .route(live::STYLE_PATH, get(live::style));
    }
    let failed = Arc::clone(shared);
    let on_panic = move |_: Box<dyn std::any::Any + Send>| respond::server_error(&failed.current());
    router
        .fallback(respond::page)
        .layer(tower_http::catch_panic::CatchPanicLayer::custom(on_panic))
        .layer(
            CompressionLayer::new().compress_when(
                SizeAbove::new(256)
                    .and(NotForContentType::new("font/"))
                    .and(NotForContentType::IMAGES)
                    .and(NotForContentType::SSE),
            ),
        )
        .with_state(Arc::clone(shared))
        .merge(api::router(&shared.api))
}

/// The last build that was shown.
struct Last {
    config: config::Config,
    /// What its pages were rendered from.
    plan: Plan,
    /// How long it took.
    time: Duration,
}

/// Publishes the page of a post early if nothing but its text was saved. Then the site is to be built after a pause of
/// this length: while somebody is writing, a build would only delay the next page.
fn publish_post(shared: &ServerState, last: &mut Option<Last>, files: &BTreeSet<PathBuf>) -> Option<Duration> {
    let is_shown = shared.current().problems.is_none();
    // Editors that write beside a file and rename name both.
    let mut files = files.iter().filter(|file| file.exists());
    let (Some(file), None) = (files.next(), files.next()) else { return None };
    let Last { config, plan, time } = last.as_mut().filter(|_| is_shown)?;
    let attempt = std::panic::AssertUnwindSafe(|| plan.publish_post(config, file));
    // The build that follows says what is wrong.
    let is_early = std::panic::catch_unwind(attempt).unwrap_or(false);
    is_early.then(|| {
        shared.replace(Current::clone(&shared.current()), false, false);
        (*time * 2).min(BUILD_DELAY_MAX)
    })
}

/// Builds the site and gives what is to be served, and how many files are new. A panic is a mistake of sitegen; the next
/// save gets a new try.
fn build(settings: &Settings, report: &impl Fn(Event), last: &mut Option<Last>) -> (Current, usize) {
    // The memory of a large site is not needed twice, and nobody waits until it is given back.
    let old = last.take();
    rayon::spawn(move || drop(old));
    let attempt = std::panic::AssertUnwindSafe(|| try_build(settings, report, last));
    std::panic::catch_unwind(attempt).unwrap_or_else(|_| {
        let problem = Problem::error(Code::Internal, "sitegen failed over this site; the terminal says where");
        let problems = Some(problem.hint("please report it; a change may already help").into());
        (Current { problems, ..Current::default() }, 0)
    })
}

fn try_build(settings: &Settings, report: &impl Fn(Event), last: &mut Option<Last>) -> (Current, usize) {
    let (config, mut problems) = config::load(&settings.options);
    // Whoever edits waits for each build, and nobody downloads it.
    let config = config.map(|mut config| {
        config.precompress = false;
        // The page reloads by itself after a build.
        config.site.assets.keep_days = 0;
        config
    });
    let Some(config) = config else {
        problems.extend(crate::content::check_syntax(&settings.options.root));
        let problems = problems.sorted();
        report(Event::Problems(&problems));
        return (Current { problems: Some(problems), ..Current::default() }, 0);
    };
    let purpose = if problems.has_errors() { Purpose::CHECK } else { Purpose::Preview };
    let (built, found) = pipeline::run_and_keep(&config, purpose, &|_| {}, &Timings::off());
    problems.extend(found);
    let problems = if settings.options.strict { problems.strict() } else { problems }.sorted();
    if !problems.is_empty() {
        report(Event::Problems(&problems));
    }
    let captcha = config.site.leads.captcha.script.clone();
    let base = Current { out: config.out.clone(), captcha, ..Current::default() };
    match built {
        Some((summary, plan)) if !problems.has_errors() => {
            report(Event::Built(&summary));
            let (rules, unencoded) = (plan.rules().clone(), plan.unencoded().to_vec());
            *last = Some(Last { config, plan, time: summary.time });
            (Current { rules, unencoded, ..base }, summary.touched)
        }
        _ => (Current { problems: Some(problems), ..base }, 0),
    }
}

/// Encodes photographs on threads of its own. When none is left, the watcher is notified, if there is one.
fn encode(
    report: Arc<impl Fn(Event) + Send + Sync + 'static>,
    finished: Option<watch::Sender>,
) -> Arc<Queue<PictureFile>> {
    Queue::start(move |outcome| match outcome {
        Outcome::Failed(problem) => report(Event::Problems(&problem.into())),
        Outcome::Finished => finished.iter().for_each(watch::Sender::encoded),
    })
}

/// The finished build in the output folder, whatever has become of its sources; it is built only when there is none, or when a
/// preview has left it without all of its photographs.
fn finished(settings: &Settings, report: &impl Fn(Event)) -> Current {
    let (config, _) = config::load(&settings.options);
    let out = config.as_ref().map_or_else(|| settings.options.root.join("dist"), |config| config.out.clone());
    let is_unfinished = config.as_ref().is_some_and(BuildManifest::is_unfinished);
    if !out.join(crate::publish::FILE_LIST).exists() || is_unfinished {
        return build(settings, report, &mut None).0;
    }
    let Some(config) = config else { return Current { out, ..Current::default() } };
    let ((_, _, rules), _) = pipeline::plan(&config);
    Current { out, rules, captcha: config.site.leads.captcha.script, ..Current::default() }
}

fn bind(host: &str, port: u16) -> Result<TcpListener, Problem> {
    let unknown = || {
        Problem::error(Code::ListenFailed, format!("`{host}` is not an address of this machine"))
            .hint("write `--host 127.0.0.1`, or `--host 0.0.0.0` for all of them")
    };
    let addresses: Vec<SocketAddr> = (host, port).to_socket_addrs().map_err(|_| unknown())?.collect();
    // A name may stand for both kinds of address; the older one is what other programs expect.
    let address =
        addresses.iter().find(|address| address.is_ipv4()).or(addresses.first()).copied().ok_or_else(unknown)?;
    let again = |port: u16| {
        let named = if host == DEFAULT_HOST { String::new() } else { format!(" --host {host}") };
        format!("`sitegen serve --port {port}{named}`")
    };
    TcpListener::bind(address).map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            let is_free = |next: &u16| TcpListener::bind(SocketAddr::new(address.ip(), *next)).is_ok();
            let free = (port..=u16::MAX).skip(1).take(200).find(is_free);
            let hint = free.map(|free| format!("port {free} is free: {}", again(free)));
            Problem::error(Code::PortBusy, format!("port {port} is in use by another program"))
                .hint("choose another with `--port`")
                .maybe_hint(hint)
        }
        std::io::ErrorKind::PermissionDenied => {
            Problem::error(Code::ListenFailed, format!("port {port} needs more rights"))
                .hint(format!("try {}", again(4000)))
        }
        std::io::ErrorKind::AddrNotAvailable => unknown(),
        _ => outside(&format!("`{address}` cannot be listened on"), &error),
    })
}

fn outside(what: &str, error: &std::io::Error) -> Problem {
    Problem::error(Code::ListenFailed, format!("{what} ({})", crate::files::reason(error)))
}
