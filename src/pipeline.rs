//! Runs the stages of a build in order: load, resolve, plan, bundle, draw, render, inspect, encode, index, publish.
//! Read this first.
//!
//! A stage returns its value together with its [`Problems`]. An error does not end the run: later stages still run, so
//! that one run reports every mistake, but nothing is published. A consequence of a mistake is not reported as a second
//! one: without a bundle nothing is drawn, and after an error links are not checked, because pages may be missing.
//!
//! `build`, `check` and `serve` share this code and differ in [`Purpose`]. [`Plan::publish_post`] is the one shortcut.

mod photographs;
mod republish;

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::assets::PictureFile;
use crate::build_cache::{BuildManifest, Counts, Hash, LoadStatus, PageLinks, RenderCache, SourceIndex, UpToDate};
use crate::config::Config;
use crate::content::Content;
use crate::content::pages::Status;
use crate::content_types::Moment;
use crate::graphics::Drawings;
use crate::islands::Prerenderer;
use crate::link_check::{LinkChecker, external};
use crate::model::{BlogPage, Body, Site};
use crate::output::Output;
use crate::publish::{OutputState, Publisher, hosts};
use crate::routes::{Routes, contract, file_of};
use crate::timings::Timings;
use crate::{assets, content, graphics, indexing, model, publish, render, routes};
use diagnostics::problem::{Code, Problem, Problems};

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Publish the result.
    Build,
    /// Publish the result at once: photographs that are not encoded yet are left out, and named by [`Plan::unencoded`].
    Preview,
    /// Look for problems; write nothing but caches.
    Check {
        /// Write every address to `content/urls.lock`.
        accept_urls: bool,
        /// Ask other sites whether links to them still answer.
        external: bool,
    },
}

impl Purpose {
    /// Look for problems, and no more.
    pub const CHECK: Purpose = Purpose::Check { accept_urls: false, external: false };

    fn publishes(self) -> bool {
        matches!(self, Purpose::Build | Purpose::Preview)
    }
}

/// A finished run.
#[derive(Debug)]
pub struct Report {
    /// How much was made, now or by the build that has left nothing to do.
    pub counts: Counts,
    /// Nothing had changed since the last build, which was all that needed to be found out.
    pub was_up_to_date: bool,
    /// What has changed in the CMS that the posts come from; none when it was not asked.
    pub changes: Option<content::blog::Changes>,
    /// How many files that pages are made of were written or removed; photographs are not counted, because a page names another
    /// file when its photograph is another one.
    pub touched: usize,
    /// How long it took.
    pub time: Duration,
}

/// Where a run is, for a progress bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// Another build of the site is running, and this one waits for it.
    Waiting,
    /// The manifest of the last build was loaded, or not.
    Recalled(LoadStatus),
    /// A station begins.
    Station(&'static str),
    /// A CMS (its host) has been waited for so many seconds.
    Asking(&'a str, u64),
    /// So many files will come.
    Planned(usize),
    /// One of them has come.
    Rendered,
    /// So many photographs will be encoded.
    Photographs(usize),
    /// A file of this photograph has been encoded.
    Encoded(&'a str),
}

/// Everything up to the addresses, without rendering.
pub fn plan(config: &Config) -> ((Site, Routes, hosts::Rules), Problems) {
    let mut problems = Problems::new();
    let content = problems.take(content::load(config));
    let site = problems.take(model::resolve(config, &content));
    let routes = problems.take(routes::plan(config, &site));
    let rules = hosts::Rules::of(config, &site, &routes);
    ((site, routes, rules), problems)
}

/// Everything that pages are rendered from.
#[derive(Debug)]
pub struct Plan {
    content: Content,
    changes: Option<content::blog::Changes>,
    /// When other posts are published, if nobody writes one.
    next_change: Option<Moment>,
    site: Site,
    routes: Routes,
    rules: hosts::Rules,
    host_files: Vec<Output>,
    manifest: assets::Manifest,
    drawings: Drawings,
    unencoded: Vec<Arc<PictureFile>>,
}

impl Plan {
    /// Loads, resolves, plans, bundles and draws.
    fn make(config: &Config, progress: &(dyn Fn(Step) + Sync), timings: &Timings) -> (Plan, Problems) {
        let mut problems = Problems::new();
        let mut content = problems.take(timings.station("load", || {
            content::load_with_progress(config, &|host, seconds| progress(Step::Asking(host, seconds)))
        }));
        let site = problems.take(timings.station("resolve", || model::resolve(config, &content)));
        // The site has the posts now, and is the only one that does.
        let blog = std::mem::take(&mut content.blog);
        let (changes, next_change) = (blog.changes.clone(), blog.next_change.as_ref().map(|change| change.at));
        drop(blog);
        let routes = problems.take(timings.station("plan", || routes::plan(config, &site)));
        let rules = hosts::Rules::of(config, &site, &routes);
        problems.extend(publish::lead_site::check(config, &site));
        let host_files = problems.take(hosts::public_files(config, &rules));
        progress(Step::Station("bundling"));
        let (manifest, found) = timings.station("bundle", || assets::bundle(config, &content, &site.images));
        // Without a bundle there are no fonts to draw with, which is not another mistake.
        let drawings = if found.has_errors() {
            Drawings::default()
        } else {
            progress(Step::Station("drawing"));
            problems.take(timings.station("draw", || graphics::draw(config, &site, &content.templates, &manifest)))
        };
        problems.extend(found);
        let unencoded = Vec::new();
        let plan =
            Plan { content, changes, next_change, site, routes, rules, host_files, manifest, drawings, unencoded };
        (plan, problems)
    }

    fn parts<'a>(
        &'a self,
        config: &'a Config,
        islands: &'a Arc<Prerenderer>,
        render_cache: &'a RenderCache<'a>,
        timings: &'a Timings,
    ) -> render::Parts<'a> {
        render::Parts {
            config,
            site: &self.site,
            routes: &self.routes,
            manifest: &self.manifest,
            drawings: &self.drawings,
            templates: &self.content.templates,
            islands,
            render_cache,
            timings,
        }
    }
}

/// The whole line. The report is there when nothing stopped it.
pub fn run(
    config: &Config,
    purpose: Purpose,
    progress: &(dyn Fn(Step) + Sync),
    timings: &Timings,
) -> (Option<Report>, Problems) {
    let start = Instant::now();
    let _lock = match lock(config, progress) {
        Ok(lock) => lock,
        Err(problem) => return (None, problem.into()),
    };
    let mut sources = None;
    if purpose == Purpose::Build {
        sources = timings.station("look", || SourceIndex::scan(config));
        if let Some((report, problems)) = timings.station("compare", || nothing_to_do(config, sources.as_ref(), start))
        {
            return (Some(report), problems);
        }
    }
    let (built, problems) = line(config, purpose, sources, start, progress, timings);
    let report = built.map(|(report, plan)| {
        // Giving back the memory of a large site takes a while, and nobody needs to wait for it.
        rayon::spawn(move || drop(plan));
        report
    });
    (report, problems)
}

/// What to report, and to say again, when the last build left all that this one would make.
fn nothing_to_do(config: &Config, sources: Option<&SourceIndex>, start: Instant) -> Option<(Report, Problems)> {
    let last_build = BuildManifest::load_if_up_to_date(config, sources?)?;
    let is_whole = OutputState::of(config, &last_build).is_whole(config)
        && last_build.search.as_ref().is_none_or(|(_, build)| indexing::has(&config.search, build));
    let UpToDate { counts, problems, .. } = last_build.up_to_date.filter(|_| is_whole)?;
    BuildManifest::note_up_to_date(config);
    Some((Report { counts, was_up_to_date: true, changes: None, touched: 0, time: start.elapsed() }, problems))
}

/// The same, and what the pages were rendered from.
pub fn run_and_keep(
    config: &Config,
    purpose: Purpose,
    progress: &(dyn Fn(Step) + Sync),
    timings: &Timings,
) -> (Option<(Report, Plan)>, Problems) {
    match lock(config, progress) {
        // Whoever keeps the plan wants it made.
        Ok(_lock) => line(config, purpose, None, Instant::now(), progress, timings),
        Err(problem) => (None, problem.into()),
    }
}

fn line(
    config: &Config,
    purpose: Purpose,
    sources: Option<SourceIndex>,
    start: Instant,
    progress: &(dyn Fn(Step) + Sync),
    timings: &Timings,
) -> (Option<(Report, Plan)>, Problems) {
    progress(Step::Station("reading"));
    // Before the output folder is compared.
    let claimed = purpose.publishes().then(|| publish::claim(&config.out));
    let last = OnceLock::new();
    // The last build is loaded while the site is read: neither needs the other.
    let ((mut plan, mut problems), (output_state, status)) = rayon::join(
        || Plan::make(config, progress, timings),
        || {
            let (manifest, status) = timings.station("recall", || BuildManifest::load(config));
            let last_build = last.get_or_init(|| manifest);
            let compared = matches!(claimed, Some(Ok(_)));
            let compare = || if compared { OutputState::of(config, last_build) } else { OutputState::default() };
            (timings.station("compare", compare), status)
        },
    );
    let last_build = last.get_or_init(BuildManifest::default);
    progress(Step::Recalled(status));
    // With an error so far nothing is published, but templates are still tried, so that one run reports everything.
    let is_published = purpose.publishes() && !problems.stop(config.strict);
    let begin = |claimed: Result<_, _>| claimed.and_then(|lock| Publisher::begin(config, &output_state, lock));
    let mut publisher = match claimed.filter(|_| is_published).map(begin).transpose() {
        Ok(publisher) => publisher,
        Err(problem) => {
            problems.push(problem);
            return (None, problems);
        }
    };
    let islands = Arc::new(Prerenderer::new(config, &plan.manifest.islands, &plan.site.locales));
    let render_cache = RenderCache::new(last_build, is_published.then(|| output_state.files()));
    let parts = plan.parts(config, &islands, &render_cache, timings);
    let mut links = Default::default();
    if plan.content.locales.iter().all(|locale| !locale.broken) {
        progress(Step::Station("rendering"));
        let (files, drawn) = (plan.manifest.files.len(), plan.drawings.files.len());
        progress(Step::Planned(plan.routes.iter().count() + files + drawn));
        let link_checker = LinkChecker::new(last_build);
        let sink = |output: Output| {
            timings.part("inspect", &output.path, || link_checker.see(&output));
            publisher.iter().for_each(|publisher| timings.part("write", &output.path, || publisher.put(&output)));
            progress(Step::Rendered);
        };
        problems.extend(timings.station("render", || render::render(&parts, &sink)));
        plan.manifest.photographs.iter().for_each(|file| link_checker.expect(&file.path));
        // The islands of unchanged pages are not known, and still needed.
        if !render_cache.has_unchanged() {
            islands.prune();
        }
        // With an error so far pages may be missing, and what leads to them is not another mistake.
        if !problems.has_errors() {
            let link_report = link_checker.finish();
            let check = || link_report.check(config, &plan.site, &plan.routes, &plan.content.templates);
            problems.extend(timings.station("check links", check));
            if matches!(purpose, Purpose::Check { external: true, .. }) {
                progress(Step::Station("asking other sites"));
                problems.extend(external::check(config, &plan.site, &link_report.outside(config)));
            }
            links = link_report.into_links();
        }
    }
    // A page that could not be read still has its address, and would be reported as gone.
    if !problems.has_errors() && !config.overridden {
        problems.extend(keep_promises(config, &plan, purpose));
    }
    if problems.stop(config.strict) {
        return (None, problems);
    }
    let mut touched = 0;
    let mut unencoded = Vec::new();
    if let Some(publisher) = publisher.take() {
        let put = || photographs::put(&plan.manifest.photographs, purpose, &publisher, progress, timings);
        unencoded = problems.take(timings.station("encode", put));
        if config.site.blog.search {
            progress(Step::Station("indexing"));
        }
        let search = problems.take(timings.station("index", || Indexed::of(&parts, last_build)));
        search.build().into_iter().for_each(|build| publisher.put(&indexing::build_file(build)));
        plan.host_files.iter().for_each(|file| publisher.put(file));
        if problems.stop(config.strict) {
            return (None, problems);
        }
        let up_to_date = || plan.up_to_date(config, sources?, problems.clone());
        let (count, found) = put_in_place(&parts, publisher, links, &search, &unencoded, up_to_date);
        touched = count;
        problems.extend(found);
        if problems.stop(config.strict) {
            return (None, problems);
        }
    }
    drop((render_cache, publisher));
    plan.unencoded = unencoded;
    let report = plan.report(touched, start.elapsed());
    drop(output_state);
    // As with the plan, nobody needs to wait for this.
    rayon::spawn(move || drop(last));
    (Some((report, plan)), problems)
}

impl Plan {
    fn report(&self, touched: usize, time: Duration) -> Report {
        Report { counts: self.counts(), was_up_to_date: false, changes: self.changes.clone(), touched, time }
    }

    fn counts(&self) -> Counts {
        let Plan { site, manifest, drawings, .. } = self;
        let files = manifest.files.len() + manifest.photographs.len() + drawings.files.len();
        let assets = files + site.static_files.len();
        Counts { pages: pages(site), assets, islands: island_weights(manifest) }
    }

    fn up_to_date(&self, config: &Config, sources: SourceIndex, problems: Problems) -> Option<UpToDate> {
        let leads = publish::lead_site::path(&config.out);
        UpToDate::new(config, sources, assets::packages(config), leads, self.next_change, (self.counts(), problems))
    }

    /// What `serve` answers beside files.
    pub fn rules(&self) -> &hosts::Rules {
        &self.rules
    }

    /// The photographs that pages name and the output folder does not hold, because they are not encoded yet. None after a
    /// [`Purpose::Build`].
    pub fn unencoded(&self) -> &[Arc<PictureFile>] {
        &self.unencoded
    }
}

/// The bytes of each island's own script, and of what all share.
fn island_weights(manifest: &assets::Manifest) -> (BTreeMap<String, usize>, usize) {
    let weight = |address: &str| manifest.weights.get(address).copied().unwrap_or(0);
    let own = manifest.islands.scripts.iter().map(|(name, script)| (name.clone(), weight(&script.src)));
    (own.collect(), manifest.islands.shared().into_iter().map(weight).sum())
}

/// Publishes the pages and what the API reads, and saves the manifest for the next build.
fn put_in_place(
    parts: &render::Parts,
    publisher: Publisher,
    (names, links): (Vec<String>, BTreeMap<String, Arc<PageLinks>>),
    search: &Indexed,
    unencoded: &[Arc<PictureFile>],
    up_to_date: impl FnOnce() -> Option<UpToDate>,
) -> (usize, Problems) {
    let render::Parts { config, site, render_cache, timings, .. } = *parts;
    let (placed, mut problems) = timings.station("publish", || {
        publisher.finish(|| {
            BuildManifest::discard(config)?;
            // Before the pages, so that a run that is killed leaves no page whose photographs nobody misses.
            if unencoded.is_empty() { Ok(()) } else { BuildManifest::note_unfinished(config, true) }
        })
    });
    if problems.stop(config.strict) {
        return (0, problems);
    }
    let publish::Placed { files, folders, looked, touched } = placed;
    if unencoded.is_empty()
        && let Err(error) = BuildManifest::note_unfinished(config, false)
    {
        problems.push(cache_failed(config, &error));
    }
    let is_page_part = |path: &&String| {
        ![indexing::BUILD_FILE, publish::OldAssets::FILE].contains(&path.as_str()) && !assets::is_photograph(path)
    };
    let touched = touched.iter().filter(is_page_part).count();
    problems.extend(publish::lead_site::write(config, site));
    problems.extend(timings.station("publish search", || publish_search(config, search)));
    // What has been found here may be mended without a change of the sources.
    let up_to_date = if problems.is_empty() { up_to_date() } else { None };
    let (pages, search) = (render_cache.take(), search.for_manifest());
    let manifest = BuildManifest { files, folders, looked, pages, names, links, search, up_to_date };
    timings.station("remember", || manifest.save(config));
    rayon::spawn(move || drop(manifest));
    (touched, problems)
}

/// What the API searches.
enum Indexed {
    /// Nothing: the site does not want a search.
    No,
    /// What it searches already, by what it was made from and its name: no post has changed.
    Unchanged(Hash, String),
    /// This, and what it was made from when all of that is remembered.
    Fresh(Option<Hash>, indexing::Search),
}

impl Indexed {
    fn of(parts: &render::Parts, last_build: &BuildManifest) -> (Indexed, Problems) {
        let render::Parts { config, site, render_cache, .. } = *parts;
        if !config.site.blog.search {
            return (Indexed::No, Problems::new());
        }
        let sum = render_cache.sum(post_files(site).iter().map(String::as_str));
        match &last_build.search {
            Some((made_from, build)) if Some(*made_from) == sum && indexing::has(&config.search, build) => {
                (Indexed::Unchanged(*made_from, build.clone()), Problems::new())
            }
            _ => match render::posts(parts) {
                Ok(posts) => (Indexed::Fresh(sum, indexing::prepare(config.base_url(), posts)), Problems::new()),
                Err(problem) => (Indexed::No, problem.into()),
            },
        }
    }

    /// The name of the build.
    fn build(&self) -> Option<&str> {
        match self {
            Indexed::No => None,
            Indexed::Unchanged(_, build) => Some(build),
            Indexed::Fresh(_, search) => Some(search.build()),
        }
    }

    /// What the next build shall find.
    fn for_manifest(&self) -> Option<(Hash, String)> {
        match self {
            Indexed::No => None,
            Indexed::Unchanged(made_from, build) => Some((*made_from, build.clone())),
            Indexed::Fresh(made_from, search) => made_from.map(|made_from| (made_from, search.build().to_owned())),
        }
    }
}

/// The files of all posts' pages.
fn post_files(site: &Site) -> Vec<String> {
    let posts = site.pages.iter().filter(|page| matches!(page.body, Body::Blog(BlogPage::Post(_))));
    posts.map(|page| file_of(&page.path)).collect()
}

/// Writes what the API reads, unless it is there already; without a search, takes away what an earlier build wrote. After
/// the pages: until the API has seen the new posts it answers with the old ones, whose pages are still there.
fn publish_search(config: &Config, search: &Indexed) -> Problems {
    let search = match search {
        Indexed::No => return publish::remove_output(&config.search),
        Indexed::Fresh(_, search) if !indexing::has(&config.search, search.build()) => search,
        Indexed::Unchanged(..) | Indexed::Fresh(..) => return Problems::new(),
    };
    let outputs = match search.outputs() {
        Ok(outputs) => outputs,
        Err(why) => return Problem::error(Code::Internal, format!("the posts could not be indexed: {why}")).into(),
    };
    let nothing = OutputState::default();
    match Publisher::begin_search(config, &nothing) {
        Ok(publisher) => {
            outputs.iter().for_each(|output| publisher.put(output));
            publisher.finish(|| Ok(())).1
        }
        Err(problem) => problem.into(),
    }
}

/// Compares the addresses with those of `content/urls.lock`, or writes them there.
fn keep_promises(config: &Config, plan: &Plan, purpose: Purpose) -> Problems {
    let Plan { content, site, routes, .. } = plan;
    match &content.urls_lock {
        _ if matches!(purpose, Purpose::Check { accept_urls: true, .. }) => {
            publish::urls_lock::write(config, contract::FILE, &contract::text(site, routes))
        }
        Some(lock) => contract::check(site, routes, lock),
        None => Problems::new(),
    }
}

fn pages(site: &Site) -> BTreeMap<String, usize> {
    let mut pages: BTreeMap<String, usize> = site.locales.iter().map(|locale| (locale.code.clone(), 0)).collect();
    for page in &site.pages {
        *pages.entry(page.locale.clone()).or_default() +=
            1 + if page.status == Status::Found { page.also_at.len() } else { 0 };
    }
    pages
}

fn cache_failed(config: &Config, error: &std::io::Error) -> Problem {
    let (cache, why) = (config.cache.display(), crate::files::reason(error));
    Problem::error(Code::OutFailed, format!("the cache folder `{cache}` could not be written ({why})"))
}

/// Two builds of one site take turns: they share the cache and the output folder.
fn lock(config: &Config, progress: &(dyn Fn(Step) + Sync)) -> Result<File, Problem> {
    let failed = |error: std::io::Error| cache_failed(config, &error);
    fs_err::create_dir_all(&config.cache).map_err(failed)?;
    let ignore = config.cache.join(".gitignore");
    if !ignore.exists() {
        fs_err::write(ignore, "*\n").map_err(failed)?;
    }
    let lock = File::create(config.cache.join("lock")).map_err(failed)?;
    if let Err(TryLockError::WouldBlock) = lock.try_lock() {
        progress(Step::Waiting);
    }
    lock.lock().map_err(failed)?;
    Ok(lock)
}
