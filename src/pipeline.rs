//! The line: load, resolve, plan, bundle, render, publish. Read this first.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::config::Config;
use crate::content::Content;
use crate::content::pages::Status;
use crate::drawing::Drawings;
use crate::inspect::Inspector;
use crate::islands::Prerenderer;
use crate::model::Site;
use crate::output::Output;
use crate::problem::{Code, Problem, Problems};
use crate::publish::{Publisher, Standing, hosts};
use crate::record::{Facts, Memory, Record, Trust};
use crate::routes::{Routes, contract};
use crate::timings::Timings;
use crate::{assets, content, drawing, external, indexing, model, publish, render, routes};

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Publish the result.
    Build,
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
}

/// A finished run.
#[derive(Debug)]
pub struct Report {
    /// Pages by locale code, copies and error pages included.
    pub pages: BTreeMap<String, usize>,
    /// Files that are not pages.
    pub assets: usize,
    /// Bytes of each island's script as a host sends it (brotli), and of what all islands share.
    pub islands: (BTreeMap<String, usize>, usize),
    /// What has changed in the CMS that the posts come from; none when it was not asked.
    pub changes: Option<content::blog::Changes>,
    /// How long it took.
    pub time: Duration,
    /// What `serve` answers beside files.
    pub rules: hosts::Rules,
}

/// Where a run is, for a progress bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Another build of the site is running, and this one waits for it.
    Waiting,
    /// The record of the last build was looked at.
    Recalled(Trust),
    /// A station begins.
    Station(&'static str),
    /// So many files will come.
    Planned(usize),
    /// One of them has come.
    Rendered,
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

/// The whole line. The report is there when nothing stopped it.
pub fn run(
    config: &Config,
    purpose: Purpose,
    progress: &(dyn Fn(Step) + Sync),
    timings: &Timings,
) -> (Option<Report>, Problems) {
    match lock(config, progress) {
        Ok(_lock) => line(config, purpose, progress, timings),
        Err(problem) => (None, problem.into()),
    }
}

fn line(
    config: &Config,
    purpose: Purpose,
    progress: &(dyn Fn(Step) + Sync),
    timings: &Timings,
) -> (Option<Report>, Problems) {
    let mut problems = Problems::new();
    let start = Instant::now();
    progress(Step::Station("reading"));
    let content = problems.take(timings.station("load", || content::load(config)));
    let site = problems.take(timings.station("resolve", || model::resolve(config, &content)));
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
        problems.take(timings.station("draw", || drawing::draw(config, &site, &content.templates, &manifest)))
    };
    problems.extend(found);

    let (record, trust) = timings.station("recall", || Record::open(config));
    progress(Step::Recalled(trust));
    // With an error so far nothing is published, but templates are still tried, so that one run tells everything.
    let is_published = purpose == Purpose::Build && !problems.stop(config.strict);
    let standing =
        timings.station("compare", || if is_published { Standing::of(config, &record) } else { Standing::default() });
    let mut publisher = if is_published {
        match Publisher::begin(config, &standing) {
            Ok(publisher) => Some(publisher),
            Err(problem) => {
                problems.push(problem);
                return (None, problems);
            }
        }
    } else {
        None
    };
    let islands = Arc::new(Prerenderer::new(config, &manifest.islands, &site.locales));
    let memory = Memory::new(&record, is_published.then(|| standing.files()));
    let parts = render::Parts {
        config,
        site: &site,
        routes: &routes,
        manifest: &manifest,
        drawings: &drawings,
        templates: &content.templates,
        islands: &islands,
        memory: &memory,
        timings,
    };
    let mut facts = Default::default();
    if content.locales.iter().all(|locale| !locale.broken) {
        progress(Step::Station("rendering"));
        progress(Step::Planned(routes.iter().count() + manifest.files.len() + drawings.files.len()));
        let inspector = Inspector::new(&record);
        let sink = |output: Output| {
            timings.part("inspect", &output.path, || inspector.see(&output));
            publisher.iter().for_each(|publisher| timings.part("write", &output.path, || publisher.put(&output)));
            progress(Step::Rendered);
        };
        problems.extend(timings.station("render", || render::render(&parts, &sink)));
        // What kept pages ask for is not known, and still wanted.
        if !memory.has_kept() {
            islands.prune();
        }
        // With an error so far pages may be missing, and what leads to them is not another mistake.
        if !problems.has_errors() {
            let inspection = inspector.finish();
            problems.extend(
                timings.station("check links", || inspection.check(config, &site, &routes, &content.templates)),
            );
            if matches!(purpose, Purpose::Check { external: true, .. }) {
                progress(Step::Station("asking other sites"));
                problems.extend(external::check(config, &site, &inspection.outside(config)));
            }
            facts = inspection.into_facts();
        }
    }
    // A page that could not be read still has its address, and would be told as gone.
    if !problems.has_errors() && !config.overridden {
        problems.extend(keep_promises(config, &content, &site, &routes, purpose));
    }
    if problems.stop(config.strict) {
        return (None, problems);
    }
    if let Some(publisher) = publisher.take() {
        let search = config.site.blog.search.then(|| {
            progress(Step::Station("indexing"));
            timings.station("index", || indexing::prepare(config.base_url(), render::posts(&parts)))
        });
        search.iter().for_each(|search| publisher.put(&search.build_file()));
        host_files.iter().for_each(|file| publisher.put(file));
        problems.extend(put_in_place(&parts, publisher, facts, search.as_ref()));
        if problems.stop(config.strict) {
            return (None, problems);
        }
    }
    let assets = manifest.files.len() + drawings.files.len() + site.static_files.len();
    let (islands, changes) = (island_weights(&manifest), content.blog.changes.clone());
    let report = Report { pages: pages(&site), assets, islands, changes, time: start.elapsed(), rules };
    // Giving back the memory of a large site takes a while, and nobody needs to wait for it.
    drop((publisher, memory));
    drop(standing);
    rayon::spawn(move || drop((content, site, routes, manifest, drawings, record)));
    (Some(report), problems)
}

/// The bytes of each island's own script, and of what all share.
fn island_weights(manifest: &assets::Manifest) -> (BTreeMap<String, usize>, usize) {
    let weight = |address: &str| manifest.weights.get(address).copied().unwrap_or(0);
    let own = manifest.islands.scripts.iter().map(|(name, script)| (name.clone(), weight(&script.src)));
    (own.collect(), manifest.islands.shared().into_iter().map(weight).sum())
}

/// Publishes the pages, leaves the record for the next build, and then writes what the API reads.
fn put_in_place(
    parts: &render::Parts,
    publisher: Publisher,
    (names, facts): (Vec<String>, BTreeMap<String, Facts>),
    search: Option<&indexing::Search>,
) -> Problems {
    let render::Parts { config, site, memory, timings, .. } = *parts;
    let (files, mut problems) = timings.station("publish", || publisher.finish(|| Record::discard(config)));
    if problems.stop(config.strict) {
        return problems;
    }
    let made = Record { files, pages: memory.take(), names, facts };
    timings.station("remember", || made.save(config));
    problems.extend(publish::lead_site::write(config, site));
    problems.extend(timings.station("publish search", || publish_search(config, search)));
    problems
}

/// Writes what the API reads, unless it is there already; without a search, takes away what an earlier build wrote. After
/// the pages: until the API has seen the new posts it answers with the old ones, whose pages are still there.
fn publish_search(config: &Config, search: Option<&indexing::Search>) -> Problems {
    let Some(search) = search else { return publish::withdraw(&config.search) };
    if search.is_in(&config.search) {
        return Problems::new();
    }
    let outputs = match search.outputs() {
        Ok(outputs) => outputs,
        Err(why) => return Problem::error(Code::Internal, format!("the posts could not be indexed: {why}")).into(),
    };
    let nothing = Standing::default();
    match Publisher::begin_search(config, &nothing) {
        Ok(publisher) => {
            outputs.iter().for_each(|output| publisher.put(output));
            publisher.finish(|| Ok(())).1
        }
        Err(problem) => problem.into(),
    }
}

/// Compares the addresses with those of `content/urls.lock`, or writes them there.
fn keep_promises(config: &Config, content: &Content, site: &Site, routes: &Routes, purpose: Purpose) -> Problems {
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

/// Two builds of one site take turns: they share the cache and the output folder.
fn lock(config: &Config, progress: &(dyn Fn(Step) + Sync)) -> Result<File, Problem> {
    let failed = |error: std::io::Error| {
        Problem::error(
            Code::OutFailed,
            format!(
                "the cache folder `{}` could not be written ({})",
                config.cache.display(),
                crate::files::reason(&error)
            ),
        )
    };
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
