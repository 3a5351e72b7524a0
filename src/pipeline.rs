//! The line: load, resolve, plan, bundle, render, publish. Read this first.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::config::Config;
use crate::content::pages::Status;
use crate::islands::Prerenderer;
use crate::model::Site;
use crate::problem::{Code, Problem, Problems};
use crate::publish::{Publisher, hosts};
use crate::routes::Routes;
use crate::{assets, content, model, render, routes};

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Publish the result.
    Build,
    /// Look for problems; write nothing but caches.
    Check,
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
pub fn run(config: &Config, purpose: Purpose, progress: &(dyn Fn(Step) + Sync)) -> (Option<Report>, Problems) {
    let mut problems = Problems::new();
    let _lock = match lock(config, progress) {
        Ok(lock) => lock,
        Err(problem) => return (None, problem.into()),
    };
    let start = Instant::now();
    progress(Step::Station("reading"));
    let content = problems.take(content::load(config));
    let site = problems.take(model::resolve(config, &content));
    let routes = problems.take(routes::plan(config, &site));
    let rules = hosts::Rules::of(config, &site, &routes);
    let host_files = problems.take(hosts::public_files(config, &rules));
    progress(Step::Station("bundling"));
    let manifest = problems.take(assets::bundle(config, &content, &site.images));

    // With an error so far nothing is published, but templates are still tried, so that one run tells everything.
    let publisher = if purpose == Purpose::Build && !problems.stop(config.strict) {
        match Publisher::begin(config) {
            Ok(publisher) => Some(publisher),
            Err(problem) => {
                problems.push(problem);
                return (None, problems);
            }
        }
    } else {
        None
    };
    if content.locales.iter().all(|locale| !locale.broken) {
        progress(Step::Station("rendering"));
        progress(Step::Planned(routes.iter().count() + manifest.files.len()));
        let sink = |output| {
            publisher.iter().for_each(|publisher| publisher.put(&output));
            progress(Step::Rendered);
        };
        let islands = Arc::new(Prerenderer::new(config, &manifest.islands, &site.locales));
        problems.extend(render::render(config, &site, &routes, &manifest, &content.templates, &islands, &sink));
        islands.prune();
    }
    if problems.stop(config.strict) {
        return (None, problems);
    }
    if let Some(publisher) = publisher {
        host_files.iter().for_each(|file| publisher.put(file));
        problems.extend(publisher.finish());
        if problems.stop(config.strict) {
            return (None, problems);
        }
    }
    let assets = manifest.files.len() + site.static_files.len();
    let own = manifest.islands.scripts.iter().map(|(name, script)| (name.clone(), script.weight));
    let shared = manifest.islands.shared().into_iter().filter_map(|address| manifest.weights.get(address));
    let islands = (own.collect(), shared.sum());
    let changes = content.blog.changes;
    (Some(Report { pages: pages(&site), assets, islands, changes, time: start.elapsed(), rules }), problems)
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
