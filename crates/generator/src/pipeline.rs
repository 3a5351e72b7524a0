//! Runs the stages of a build in order: load, resolve, plan, bundle, draw, render, inspect, encode, index, publish.
//! Read this first.
//!
//! A stage returns its value together with its [`Problems`]. An error does not end the run: later stages still run, so
//! that one run reports every mistake, but nothing is published. A consequence of a mistake is not reported as a second
//! one: without a bundle nothing is drawn, and after an error links are not checked, because pages may be missing.
//!
//! [`build`] is the only way to the output folder. `build`, `check` and `serve` differ in [`Purpose`]; after a save, `serve`
//! first builds the impact of the saved text alone, from a plan that is kept ([`BuildScope`]).

mod cache_folder;
mod forms;
mod impact;
mod listed;
mod photographs;
mod search;
mod shown;
mod site_search;
mod start;
mod unfinished;
mod view;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::{MADE_BY, indexing};
use assets::graphics::{self, Drawings};
use assets::islands::Prerenderer;
use assets::output::Output;
use config::Config;
use config::source_index::ChangedKinds;
use content::Suspects;
use content::pages::Status;
use diagnostics::problem::{Code, Problem, Problems};
use foldhash::HashSet;
use languages::typography::Languages;
use manifest::{
    BuildManifest, BuildOutcome, Counts, Impact, ItemHashes, Links, LoadStatus, PageEntry,
    RenderCache, UpToDate,
};
use publish::link_check::{self, LinkChecker, external};
use publish::{OutputState, Publisher, hosts};
use site::model::{Site, shared};
use site::routes::{Route, contract};
use site::{Planned, Workspace};
use translations::PageTranslations;
use workspace::{files::FileLock, parallel, sources::Hash, timings::Timings};

pub use cache_folder::{TemporaryCache, writable};
use forms::FormPages;
pub use listed::{ListedContent, Standing, folded};
use search::{SearchState, publish_search};
pub use shown::ShownPage;
pub use site_search::IndexJob;
use site_search::SearchedPages;
use start::{Start, rendered_pages};
pub use unfinished::Unfinished;
pub use view::{View, drafted};

/// The file of the build lock, in the cache folder: see `files/lock.rs`.
const LOCK: &str = "lock";

/// The purpose of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Publish the result.
    Build,
    /// Publish the result without waiting for photographs: those that are not encoded yet are listed by
    /// [`Plan::unfinished`].
    Preview,
    /// Report problems; write nothing but caches.
    Check {
        /// Write every address to `content/urls.lock`.
        accept_urls: bool,
        /// Request links to other sites, to find those that are dead.
        external: bool,
    },
}

impl Purpose {
    /// A check without options.
    pub const CHECK: Purpose = Purpose::Check {
        accept_urls: false,
        external: false,
    };

    fn publishes(self) -> bool {
        matches!(self, Purpose::Build | Purpose::Preview)
    }
}

/// A finished run.
#[derive(Debug)]
pub struct Report {
    /// The number of pages and assets. If the output was up to date, these are the numbers of the last build.
    pub counts: Counts,
    /// Whether no input had changed since the last build, so that no stage ran.
    pub was_up_to_date: bool,
    /// The posts that changed in the CMS; `None` if no CMS was requested.
    pub changes: Option<content::blog::Changes>,
    /// The number of files written or removed that may change how a page looks. Photographs are not counted: a changed
    /// photograph has a new file name, so the page that shows it is counted.
    pub touched: usize,
    /// The duration of the run.
    pub time: Duration,
}

/// An event of a run, for a progress bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// Another build of the site holds the lock, and this one waits for it.
    Waiting,
    /// The build cache was read, with this result.
    CacheLoaded(LoadStatus),
    /// The stage of this name begins.
    Stage(&'static str),
    /// The host of the CMS, and the seconds since it was requested.
    WaitingForCms(&'a str, u64),
    /// The number of files that will be rendered.
    Planned(usize),
    /// One of those files was rendered.
    Rendered,
    /// The number of files of photographs that will be encoded.
    Photographs(usize),
    /// One file of this photograph was encoded.
    Encoded(&'a str),
}

/// Everything that pages are rendered from: the site, and what is bundled and drawn for it.
#[derive(Debug)]
pub struct Plan {
    workspace: Workspace,
    /// The headers, redirects and error pages with which `serve` answers.
    pub rules: hosts::Rules,
    host_files: Vec<Output>,
    manifest: assets::Manifest,
    drawings: Drawings,
    /// The work that a [`Purpose::Preview`] has left out.
    pub unfinished: Unfinished,
    /// An error was found, so that words may be missing in pages.
    faults: render::Faults,
}

impl Deref for Plan {
    type Target = Planned;

    fn deref(&self) -> &Planned {
        self.workspace.site()
    }
}

impl Plan {
    /// Reads the site unless it is read, bundles and draws.
    fn make(
        workspace: &Workspace,
        progress: &(dyn Fn(Step) + Sync),
        timings: &Timings,
    ) -> (Plan, Problems) {
        let (planned, found) = workspace.read(timings);
        let mut problems = found.clone();
        let Planned {
            config,
            content,
            site,
            routes,
            ..
        } = planned;
        let rules = hosts::Rules::of(config, site, routes);
        problems.extend(publish::lead_site::check(config, site));
        let host_files = problems.take(hosts::public_files(config, &rules));
        progress(Step::Stage("bundling"));
        let (manifest, found) =
            timings.stage("bundle", || assets::bundle(config, content, &site.images));
        content.images.save();
        // Without a bundle there are no fonts to draw with; the bundling error is reported already.
        let drawings = if found.has_errors() || content.code_leads_out {
            Drawings::default()
        } else {
            progress(Step::Stage("drawing"));
            problems.take(timings.stage("draw", || {
                graphics::draw(config, site, &content.templates, &manifest)
            }))
        };
        problems.extend(found);
        let faults = render::Faults::of(&problems, site);
        let plan = Plan {
            workspace: workspace.clone(),
            rules,
            host_files,
            manifest,
            drawings,
            unfinished: Unfinished::default(),
            faults,
        };
        (plan, problems)
    }

    fn render_inputs<'a>(
        &'a self,
        config: &'a Config,
        islands: &'a Arc<Prerenderer>,
        render_cache: &'a RenderCache<'a>,
        timings: &'a Timings,
    ) -> render::Inputs<'a> {
        render::Inputs {
            settings: &config.site,
            site: &self.site,
            routes: &self.routes,
            manifest: &self.manifest,
            drawings: &self.drawings,
            templates: &self.content.templates,
            islands,
            render_cache,
            timings,
            faults: self.faults,
        }
    }
}

/// The part of a site that is built.
#[derive(Debug)]
pub enum BuildScope<'a> {
    /// All of it.
    Site(Workspace),
    /// The impact of the text that was saved in a file, from the plan of an earlier build, which takes it up. Nothing, if
    /// more may have changed: then the whole site is to be built. It follows in any case, for what is not published early.
    Text(&'a mut Plan, &'a Path),
}

/// A finished build.
#[derive(Debug)]
pub struct Finished {
    /// The numbers of the build.
    pub report: Report,
    /// The plan of the whole site, to render other pages from; `None` if no stage ran.
    pub plan: Option<Plan>,
    /// The address of the page of a saved text, if only its impact was built.
    pub address: Option<String>,
}

impl Finished {
    /// The report alone. Freeing the memory of a large site takes a while, so it happens in the background.
    pub fn into_report(self) -> Report {
        rayon::spawn(move || drop(self.plan));
        self.report
    }
}

/// Builds: the only way to the output folder. `None` if an error stopped the run. Whoever keeps the plan passes a cache
/// folder that is [`writable`], because it is used after this run: for photographs, and for the texts that are saved.
pub fn build(
    scope: BuildScope,
    purpose: Purpose,
    progress: &(dyn Fn(Step) + Sync),
    timings: &Timings,
) -> (Option<Finished>, Problems) {
    let workspace = match scope {
        BuildScope::Site(workspace) => workspace,
        BuildScope::Text(plan, file) => {
            return (plan.publish_text(file), Problems::new());
        }
    };
    let mut temporary = None;
    let (moved, mut problems) = writable(workspace.config(), &mut temporary);
    let workspace = moved.map_or(workspace, Workspace::open);
    let config = workspace.config();
    // It may be slow, so this happens before the lock is taken.
    let has_news = content::is_fetched(config)
        && timings.stage("fetch", || {
            workspace.fetch(&|host: &str, seconds| progress(Step::WaitingForCms(host, seconds)))
        });
    let finished = problems.take(match lock(config, purpose, progress) {
        Ok(_lock) => {
            let start = Start::of(&workspace, purpose, has_news, timings);
            let up_to_date = timings.stage("compare", || start.report_if_up_to_date(config));
            let result = if let Some((report, problems)) = up_to_date {
                let finished = Finished {
                    report,
                    plan: None,
                    address: None,
                };
                (Some(finished), problems)
            } else {
                let run = |workspace: &Workspace| {
                    run_stages(workspace, purpose, &start, start.changes, progress, timings)
                };
                let first = run(&workspace);
                let kept = || {
                    [Suspects::Named, Suspects::All]
                        .into_iter()
                        .filter(|_| first.0.is_none() && first.1.has_errors())
                        .filter_map(|suspects| workspace.without_news(suspects, &first.1))
                        .map(|with_kept| run(&with_kept))
                        .find(|(finished, _)| finished.is_some())
                };
                kept().unwrap_or(first)
            };
            rayon::spawn(move || drop(start));
            result
        }
        Err(problem) => (None, problem.into()),
    });
    // The preview goes on with the cache.
    let timeout = if purpose == Purpose::Preview {
        Duration::ZERO
    } else {
        cache_folder::FLUSH_TIMEOUT
    };
    problems.extend(cache_folder::finish(config, timeout));
    (finished, problems)
}

fn run_stages(
    workspace: &Workspace,
    purpose: Purpose,
    start: &Start,
    changes: ChangedKinds,
    progress: &(dyn Fn(Step) + Sync),
    timings: &Timings,
) -> (Option<Finished>, Problems) {
    let config = workspace.config();
    let last_build = &start.last_build;
    progress(Step::Stage("reading"));
    // Taken before the output folder is compared, so that no other build changes it in between.
    let claimed = purpose
        .publishes()
        .then(|| publish::claim(&config.paths.out));
    // The output folder is compared while the site is read: neither needs the other.
    let ((mut plan, mut problems), output_state) = parallel::join(
        || Plan::make(workspace, progress, timings),
        || {
            progress(Step::CacheLoaded(start.read_pages(changes, timings)));
            let compared = matches!(claimed, Some(Ok(_)));
            timings.stage("compare", || {
                if compared {
                    OutputState::of(config, last_build)
                } else {
                    OutputState::default()
                }
            })
        },
    );
    // After an error nothing is published, but pages are still rendered, so that one run reports every mistake.
    let is_published = purpose.publishes() && !problems.stop(config.run.strict);
    let begun = claimed
        .filter(|_| is_published)
        .map(|lock| Publisher::begin(config, &output_state, lock?));
    let mut publisher = match begun.transpose() {
        Ok(publisher) => publisher,
        Err(problem) => {
            problems.push(problem);
            return (None, problems);
        }
    };
    let (texts, posts) = is_published
        .then(|| start.impact_of_texts(changes, &plan.site, &output_state))
        .flatten()
        .unzip();
    let islands = Arc::new(Prerenderer::new(
        config,
        &plan.manifest.islands,
        &plan.site.locales,
    ));
    let render_cache = RenderCache::new(
        last_build,
        is_published.then(|| output_state.files()),
        texts.is_none(),
    );
    let inputs = plan.render_inputs(config, &islands, &render_cache, timings);
    let can_render =
        plan.content.locales.iter().all(|locale| !locale.broken) && !plan.content.code_leads_out;
    let renderer = can_render
        .then(|| problems.take(timings.stage("prepare", || render::Renderer::new(&inputs))))
        .flatten();
    let impact = match (texts, &renderer) {
        (Some(texts), _) => texts,
        (None, Some(renderer)) if is_published => timings.stage("compare items", || {
            renderer.impact_of_items(start.has_only_changed_items(changes, &output_state))
        }),
        _ => Impact::Everything,
    };
    let mut kept = Vec::new();
    match (&impact, &renderer, &mut publisher) {
        (Impact::Texts(_), _, Some(publisher)) => publisher.keep_all(),
        (Impact::Items(_), Some(renderer), Some(publisher)) => {
            kept = keep_pages(config, last_build, renderer.other_files(&impact), publisher);
        }
        _ => {}
    }
    // Stays empty if no link has changed.
    let mut links = None;
    let forms = FormPages::of(config, &plan.site);
    let searched = SearchedPages::of(config, &plan.site, &plan.routes).filter(|_| is_published);
    let mut link_problems = Problems::new();
    if let Some(renderer) = renderer {
        progress(Step::Stage("rendering"));
        progress(Step::Planned(plan.output_count(&impact)));
        let mut link_checker = impact.is_everything().then(|| LinkChecker::new(last_build));
        let rendered = Mutex::new(Vec::new());
        problems.extend(timings.stage("render", || {
            renderer.render(&impact, &|output: Output| {
                match &link_checker {
                    Some(link_checker) => {
                        timings.part("inspect", &output.path, || link_checker.add_file(&output));
                    }
                    None => rendered
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(output.clone()),
                }
                forms.add(&output);
                searched.iter().for_each(|searched| searched.add(&output));
                publisher.iter().for_each(|publisher| {
                    timings.part("write", &output.path, || publisher.put(&output));
                });
                progress(Step::Rendered);
            })
        }));
        plan.manifest.sizes.save();
        let rendered = rendered
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let has_other_links = |output| link_check::has_other_links(last_build, output);
        if !impact.is_everything() && rendered.iter().any(has_other_links) {
            let is_of_texts = !impact.includes_others();
            if is_of_texts && (!last_build.has_pages() || start.has_warnings()) {
                // The links of the other pages are unknown, or a warning may have been about these.
                drop((render_cache, publisher));
                return run_stages(
                    workspace,
                    purpose,
                    start,
                    ChangedKinds::ALL,
                    progress,
                    timings,
                );
            }
            let link_checker = link_checker.insert(LinkChecker::new(last_build));
            if is_of_texts {
                let written: HashSet<&str> =
                    rendered.iter().map(|file| file.path.as_str()).collect();
                kept = last_build.files.keys().cloned().collect();
                kept.retain(|file| !written.contains(file.as_str()));
            }
            link_checker.add_unchanged(kept.into_iter());
            rendered
                .iter()
                .for_each(|output| link_checker.add_file(output));
        }
        // After an error pages may be missing, and links to them are not mistakes.
        if let Some(link_checker) = link_checker.filter(|_| !problems.has_errors()) {
            links = Some(link_problems.take(check_links(
                config,
                purpose,
                &plan,
                link_checker,
                progress,
                timings,
            )));
        }
    }
    let has_same_links = links.is_none() && !impact.is_everything() && !problems.has_errors();
    if let Some(last) = last_build.up_to_date.as_ref().filter(|_| has_same_links) {
        link_problems = last.link_problems.clone();
    }
    problems.extend(link_problems.clone());
    problems = start.with_kept_warnings(&impact, problems);
    check_lock_files(&plan, purpose, &mut problems);
    keep_responses(workspace, &mut problems);
    if problems.stop(config.run.strict) {
        return (None, problems);
    }
    let mut touched = 0;
    let mut unfinished = Unfinished::default();
    if let Some(publisher) = publisher.take() {
        let (all, output) = (&plan.manifest.photographs, (&output_state, &publisher));
        let put = unfinished::put(config, purpose, all, searched, output, progress, timings);
        unfinished = problems.take(put);
        let others = (!impact.is_everything()).then_some(last_build);
        let rendered = rendered_pages(&plan.site, &render_cache, &impact);
        let search = problems.take(timings.stage("index", || {
            SearchState::of(
                config,
                &inputs,
                &|file| fingerprint_of(file, &rendered, others),
                last_build,
                progress,
            )
        }));
        plan.host_files.iter().for_each(|file| publisher.put(file));
        problems.extend(forms.publish(config, &plan, &output_state, &publisher));
        indexing::put_build_file(search.build(), &publisher);
        if problems.stop(config.run.strict) {
            return (None, problems);
        }
        let mut manifest =
            BuildManifest::after(last_build, rendered, links, impact.is_everything());
        manifest.items = render_cache.items().unwrap_or_else(|| ItemHashes {
            posts: posts.unwrap_or_default(),
            ..last_build.items.clone()
        });
        let (count, found) = publish_outputs(
            config,
            &inputs,
            publisher,
            manifest,
            &search,
            unfinished.is_empty(),
            || plan.up_to_date(problems.clone(), link_problems, purpose == Purpose::Build),
        );
        touched = count;
        problems.extend(found);
        if problems.stop(config.run.strict) {
            return (None, problems);
        }
    }
    drop((render_cache, publisher));
    plan.unfinished = unfinished;
    let report = plan.report(touched, start.at.elapsed());
    let finished = Finished {
        report,
        plan: Some(plan),
        address: None,
    };
    (Some(finished), problems)
}

/// Keeps the files of pages that are as in the last build, and the style sheets that they load, because these are written
/// with pages. Returns what was kept.
fn keep_pages(
    config: &Config,
    last_build: &BuildManifest,
    mut files: Vec<String>,
    publisher: &Publisher,
) -> Vec<String> {
    let base = config.site.base_path();
    let sheets = last_build.pages().links.style_sheets(&files).into_iter();
    let sheets = sheets.filter_map(|sheet| sheet.strip_prefix(base)?.strip_prefix('/'));
    files.extend(sheets.map(str::to_owned));
    files.retain(|file| publisher.keep(file));
    files
}

/// Keeps what was fetched, if nothing is wrong with the site that is made of it.
fn keep_responses(workspace: &Workspace, problems: &mut Problems) {
    if !problems.stop(workspace.config().run.strict) {
        problems.extend(workspace.keep_responses());
    }
}

/// Compares the texts and addresses with those that were accepted.
fn check_lock_files(plan: &Plan, purpose: Purpose, problems: &mut Problems) {
    problems.extend(check_texts(plan, purpose));
    // The address of a page that could not be read is unknown, so it would be reported as removed.
    if !problems.has_errors() && !plan.config.run.may_change_addresses() {
        problems.extend(check_urls_lock(plan, purpose));
    }
}

/// The fingerprint of the page in an output file. With `last`, pages that were not looked at are those of the last build.
fn fingerprint_of(
    file: &str,
    rendered: &BTreeMap<String, Option<PageEntry>>,
    last: Option<&BuildManifest>,
) -> Option<Hash> {
    match (rendered.get(file), last) {
        (None, Some(last)) => last
            .pages()
            .entries
            .get(file)
            .map(|entry| entry.fingerprint),
        (entry, _) => Some(entry?.as_ref()?.fingerprint),
    }
}

impl Plan {
    fn report(&self, touched: usize, time: Duration) -> Report {
        Report {
            counts: self.counts(),
            was_up_to_date: false,
            changes: self.content.blog.changes.clone(),
            touched,
            time,
        }
    }

    /// The number of files of an impact.
    fn output_count(&self, impact: &Impact) -> usize {
        if !impact.includes_others() {
            return impact.pages().count();
        }
        let routes = self.routes.iter().filter(
            |(_, route)| !matches!(route, Route::Page { page, .. } if !impact.includes(*page)),
        );
        routes.count() + self.manifest.files.len() + self.drawings.files.len()
    }

    fn counts(&self) -> Counts {
        let Plan {
            manifest, drawings, ..
        } = self;
        let files = manifest.files.len() + manifest.photographs.len() + drawings.files.len();
        let assets = files + self.site.static_files.len();
        Counts {
            pages: pages(&self.site),
            assets,
            islands: manifest.island_weights(),
        }
    }

    fn up_to_date(
        &self,
        problems: Problems,
        link_problems: Problems,
        is_whole: bool,
    ) -> Option<UpToDate> {
        let config = &self.config;
        let leads = publish::lead_site::path(&config.paths.out);
        let packages = assets::packages(config, &self.manifest);
        UpToDate::new(
            config,
            self.workspace.sources(),
            packages,
            leads,
            self.next_change(),
            BuildOutcome {
                counts: self.counts(),
                problems,
                link_problems,
                is_whole,
            },
        )
    }

    /// The translations of all pages, to ask about by the address of a page.
    pub fn translations(&self) -> PageTranslations {
        let posts = &self.site.blog.content.posts;
        let pages = self
            .routes
            .iter()
            .filter_map(|(address, route)| match route {
                Route::Page { page, .. } => {
                    let page = &self.site.pages[*page];
                    let shared =
                        shared::shown_by(&self.site, page).map(|sections| sections.key.as_str());
                    Some((
                        address,
                        std::iter::once(page.key.as_str()).chain(shared).collect(),
                        page.locale.as_str(),
                    ))
                }
                Route::Redirect { .. } | Route::Static => None,
            });
        PageTranslations::new(&self.config, &self.content, posts, pages)
    }
}

/// Publishes the pages and the files of the API, and saves the manifest for the next build. Returns
/// [`Report::touched`].
fn publish_outputs(
    config: &Config,
    inputs: &render::Inputs,
    publisher: Publisher,
    mut manifest: BuildManifest,
    search: &SearchState,
    is_finished: bool,
    up_to_date: impl FnOnce() -> Option<UpToDate>,
) -> (usize, Problems) {
    let render::Inputs {
        render_cache,
        timings,
        ..
    } = *inputs;
    // Publishing waits for the file system, so posts are indexed meanwhile.
    let ((publication, mut problems), outputs) = parallel::join(
        || {
            timings.stage("publish", || {
                publisher.finish(|| {
                    BuildManifest::discard(config)?;
                    // Noted before the pages are published: if the run is killed, the next one still encodes the photographs, and
                    // makes the index.
                    if is_finished {
                        Ok(())
                    } else {
                        BuildManifest::note_unfinished(config, true)
                    }
                })
            })
        },
        || {
            timings.stage("save pages", || manifest.save_pages(config));
            timings.stage("index text", || search.outputs(config))
        },
    );
    if problems.stop(config.run.strict) {
        return (0, problems);
    }
    let publish::Publication {
        files,
        folders,
        scanned_at,
        touched,
    } = publication;
    if is_finished && let Err(error) = BuildManifest::note_unfinished(config, false) {
        problems.push(cache_failed(config, &error));
    }
    let touched = touched
        .iter()
        .filter(|path| {
            let is_other =
                [indexing::BUILD_FILE, publish::OldAssets::FILE].contains(&path.as_str());
            !is_other && !assets::is_index(path) && !assets::is_picture(path)
        })
        .count();
    problems.extend(timings.stage("publish search", || publish_search(config, search, outputs)));
    // A problem found while publishing may be fixed without a change of the sources, so the next build must run.
    let up_to_date = if problems.is_empty() {
        up_to_date()
    } else {
        None
    };
    let (values, search) = (render_cache.take_values(), search.for_manifest());
    manifest.set_files(files, render_cache.last_build());
    (manifest.folders, manifest.scanned_at) = (folders, scanned_at);
    (manifest.values, manifest.search, manifest.up_to_date) = (values, search, up_to_date);
    timings.stage("save cache", || manifest.save(config, MADE_BY));
    rayon::spawn(move || drop(manifest));
    (touched, problems)
}

/// Checks the links of all files.
fn check_links(
    config: &Config,
    purpose: Purpose,
    plan: &Plan,
    link_checker: LinkChecker,
    progress: &(dyn Fn(Step) + Sync),
    timings: &Timings,
) -> (Links, Problems) {
    plan.manifest
        .photographs
        .iter()
        .for_each(|file| link_checker.add_unread_file(&file.path));
    let link_report = link_checker.finish();
    let mut problems = timings.stage("check links", || {
        link_report.check(
            &config.site,
            &plan.site,
            &plan.routes,
            &plan.content.templates,
        )
    });
    if matches!(purpose, Purpose::Check { external: true, .. }) {
        progress(Step::Stage("requesting links to other sites"));
        problems.extend(external::check(
            config,
            &plan.site,
            &link_report.outside(&config.site),
        ));
    }
    (link_report.into_links(), problems)
}

/// Checks the texts of all content, which reads every post and changes no page: a build does so only if a warning stops it.
fn check_texts(plan: &Plan, purpose: Purpose) -> Problems {
    let config = &plan.config;
    if !(matches!(purpose, Purpose::Check { .. }) || purpose == Purpose::Build && config.run.strict)
    {
        return Problems::new();
    }
    let languages = Languages {
        locales: &plan.content.locales,
        withheld: &config.site.withheld,
    };
    let mut problems =
        languages::typography::check(&config.paths.root, languages, &config.paths.cache);
    problems.extend(translations::check(
        config,
        &plan.content,
        &plan.site.blog.content.posts,
    ));
    problems
}

/// Compares the addresses with `content/urls.lock`, or writes them there.
fn check_urls_lock(plan: &Plan, purpose: Purpose) -> Problems {
    let Planned {
        config,
        content,
        site,
        routes,
        ..
    } = &**plan;
    match &content.urls_lock {
        _ if matches!(
            purpose,
            Purpose::Check {
                accept_urls: true,
                ..
            }
        ) =>
        {
            let known = content.urls_lock.as_ref().map(|lock| lock.text.as_str());
            publish::urls_lock::write(config, contract::FILE, known, &contract::text(site, routes))
        }
        Some(lock) => contract::check(site, routes, lock),
        None => Problems::new(),
    }
}

fn pages(site: &Site) -> BTreeMap<String, usize> {
    let mut pages: BTreeMap<String, usize> = site
        .locales
        .iter()
        .map(|locale| (locale.code.clone(), 0))
        .collect();
    for page in &site.pages {
        *pages.entry(page.locale.clone()).or_default() += 1 + if page.status == Status::Found {
            page.also_at.len()
        } else {
            0
        };
    }
    pages
}

fn cache_failed(config: &Config, error: &std::io::Error) -> Problem {
    let (cache, why) = (
        config.paths.cache.display(),
        workspace::files::reason(error),
    );
    Problem::error(
        Code::OutFailed,
        format!("sitegen could not write to the cache folder `{cache}` ({why})"),
    )
}

/// Takes the build lock, and waits for it if another build of the site is running. A check needs none, because it
/// publishes nothing and keeps no manifest.
fn lock(
    config: &Config,
    purpose: Purpose,
    progress: &(dyn Fn(Step) + Sync),
) -> Result<Option<FileLock>, Problem> {
    let cache = &config.paths.cache;
    workspace::files::create_cache_folder(cache)
        .and_then(|()| {
            purpose
                .publishes()
                .then(|| FileLock::take_after(&cache.join(LOCK), || progress(Step::Waiting)))
                .transpose()
        })
        .map_err(|error| cache_failed(config, &error))
}
