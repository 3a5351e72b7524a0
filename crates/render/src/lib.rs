//! Renders pages to HTML, in parallel. It reads neither a clock nor the environment: the same inputs give the same
//! bytes, on any number of threads, whichever other pages are rendered.
//!
//! Three inputs are loaded on demand: the file of an icon (a site uses few of thousands), the body of a post that is
//! not in memory, and the markup of an island, from the cache or from Node.

mod accessibility;
mod asked;
mod blog;
mod breadcrumbs;
mod budget;
mod changed;
mod context;
mod drawn;
mod entries;
mod entry_feeds;
mod entry_lists;
mod environment;
mod font_letters;
mod forms;
mod frame;
mod head;
mod island;
mod lent;
mod own;
mod page;
mod post_views;
mod redirect;
mod related;
mod robots;
mod site_search;
mod sitemap;
mod structured_data;
mod style_guide;
mod template_errors;
mod twins;
mod typed;
mod values;
mod webmanifest;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use foldhash::HashMap;
use rayon::prelude::*;
use serde_json::value::RawValue;

use assets::Manifest;
use assets::graphics::Drawings;
use assets::islands::Prerenderer;
use assets::output::{Body, Output};
use config::SiteSettings;
use content::Templates;
use content::sections::Band;
use diagnostics::problem::{Code, Place, Problem, Problems};
use manifest::{Impact, RenderCache};
use site::model::Site;
use site::routes::{Route, Routes, file_of};
use workspace::parallel;
use workspace::sources::Hash;
use workspace::timings::Timings;

use page::{PageOutput, Rendered, SheetsFor};
use template_errors::Failure;

pub use blog::{LanguagePosts, posts};

/// Identifies what renders pages: its version, and the hash of its sources and of those that it calls.
const MADE_BY: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("SITEGEN_SOURCES"));

/// The maximum number of pages per task. By default, rayon gives one thread up to a quarter of a large site, and the
/// other threads wait for it at the end.
const PAGES_PER_TASK: usize = 32;

/// Receives outputs as they are rendered, from several threads.
pub type Sink<'a> = dyn Fn(Output) + Sync + 'a;

/// The inputs of the render stage.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// Settings.
    pub settings: &'a SiteSettings,
    /// Pages and their content.
    pub site: &'a Site,
    /// Addresses.
    pub routes: &'a Routes,
    /// Style sheets, scripts, pictures.
    pub manifest: &'a Manifest,
    /// Cards and icons.
    pub drawings: &'a Drawings,
    /// Templates.
    pub templates: &'a Templates,
    /// The markup of islands.
    pub islands: &'a Arc<Prerenderer>,
    /// The pages of the last build.
    pub render_cache: &'a RenderCache<'a>,
    /// Measures the rendering of each page.
    pub timings: &'a Timings,
    /// The errors of earlier stages, of which others may be a consequence.
    pub faults: Faults,
}

/// The errors of the stages before the pages are rendered.
#[derive(Debug, Clone, Copy)]
pub struct Faults {
    /// There are some, so a page may lack its words because of them.
    has_errors: bool,
    /// A reference leads to no entry, so a template may find nothing to show.
    has_dead_references: bool,
}

impl Faults {
    /// The errors among the problems.
    pub fn of(problems: &Problems, site: &Site) -> Faults {
        let has_errors = problems.has_errors();
        // A page is left out without a word only if nothing is published.
        Faults {
            has_errors,
            has_dead_references: has_errors && site.collections.has_dead_references,
        }
    }
}

/// The findings in a page: problems of its own, and those that are reported once for many pages.
type Found = (
    Problems,
    Vec<budget::Excess>,
    Vec<font_letters::PageLetters>,
);

/// Renders pages one by one, with values that several pages share.
pub struct Renderer<'a> {
    inputs: Inputs<'a>,
    settings: &'a SiteSettings,
    site: &'a Site,
    routes: &'a Routes,
    manifest: &'a Manifest,
    drawings: &'a Drawings,
    templates: &'a Templates,
    render_cache: &'a RenderCache<'a>,
    shared: post_views::PostViews,
    /// The entries of collections, by locale.
    entries: Vec<Arc<entries::EntryViews>>,
    /// By locale, the JSON-LD nodes of the company and of the site, which are in the graph of every page.
    company: Vec<OnceLock<[Box<RawValue>; 2]>>,
    /// By locale.
    environments: Vec<minijinja::Environment<'a>>,
    /// By locale.
    frames: Vec<frame::Frame>,
    /// The hashes of everything that pages of a locale have around them, by locale.
    around: Vec<OnceLock<own::Around>>,
    /// The hashes of the list that the pages of entries show, by collection and locale.
    lists_of_entries: Mutex<HashMap<(usize, usize), Hash>>,
    budget_checker: budget::BudgetChecker<'a>,
    composed: Mutex<HashMap<SheetsFor, Arc<[Output]>>>,
    template_hashes: Mutex<HashMap<(&'static str, Vec<&'static str>), Hash>>,
}

impl Renderer<'_> {
    /// Renders the outputs of an impact, and passes each to `sink`.
    pub fn render(self, impact: &Impact, sink: &Sink) -> Problems {
        let Inputs {
            site,
            routes,
            manifest,
            settings,
            ..
        } = self.inputs;
        let mut addresses: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for (path, route) in routes.iter() {
            match route {
                Route::Page { page, .. } if impact.includes(*page) => {
                    addresses.entry(*page).or_default().push(path);
                }
                Route::Redirect { to } if impact.includes_others() => {
                    sink(redirect::render(site, routes, path, to));
                }
                Route::Page { .. } | Route::Redirect { .. } | Route::Static => {}
            }
        }
        let pages = addresses.into_iter().collect();
        let mut problems = Problems::new();
        if impact.includes_others() {
            problems.extend(structured_data::check(settings, site));
            problems.extend(forms::check(site, manifest));
            // Files about all pages do not need rendered pages.
            let (replaced, found) = parallel::join(
                || render_others(&self.inputs, &self, sink),
                || render_pages(&self.inputs, &self, pages, sink),
            );
            problems.extend(replaced);
            problems.extend(found);
        } else {
            problems.extend(render_pages(&self.inputs, &self, pages, sink));
        }
        // Freeing the memory takes a while, so it happens in the background.
        let shared = self.shared;
        rayon::spawn(move || drop(shared));
        problems
    }

    /// The files of the pages that an impact does not affect, with those beside them.
    pub fn other_files(&self, impact: &Impact) -> Vec<String> {
        let pages = self.inputs.routes.iter().filter_map(|(path, route)| {
            let Route::Page { page, .. } = route else {
                return None;
            };
            (!impact.includes(*page)).then_some((path, &self.site.pages[*page]))
        });
        pages
            .flat_map(|(path, page)| std::iter::once(file_of(path)).chain(self.twin_file(page)))
            .collect()
    }
}

/// Renders pages, given by their indices with all addresses of each, and writes their style sheets. Posts come first:
/// their texts are dropped before lists make the cards of all posts.
fn render_pages(
    inputs: &Inputs,
    renderer: &Renderer,
    mut pages: Vec<(usize, Vec<&str>)>,
    sink: &Sink,
) -> Problems {
    let Inputs {
        site,
        manifest,
        render_cache,
        timings,
        ..
    } = *inputs;
    let sheets: Mutex<BTreeMap<String, Output>> = Mutex::new(BTreeMap::new());
    let failures: Mutex<Vec<Failure>> = Mutex::default();
    // Posts in the order in which they were read, because posts that are close in memory are then freed together.
    let origin = |index: usize| Some(site.blog.post(site.pages[index].body.post()?).origin.path());
    parallel::sort_by(&mut pages, |(a, _), (b, _)| origin(*a).cmp(&origin(*b)));
    let render = |(index, paths): &(usize, Vec<&str>)| {
        let page = &site.pages[*index];
        let PageOutput {
            rendered,
            sheets: own,
        } = match timings.part("page", &page.path, || renderer.page(*index, paths)) {
            Ok(output) => output,
            Err(problem)
                if inputs.faults.has_dead_references
                    && template_errors::follows_from_reference(&problem) =>
            {
                return (Problems::new(), Vec::new(), Vec::new());
            }
            Err(problem) => {
                let failure = Failure {
                    problem,
                    path: &page.path,
                    used: renderer.templates_used(page),
                };
                failures
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .push(failure);
                return (Problems::new(), Vec::new(), Vec::new());
            }
        };
        let (body, problems, excesses, letters) = match rendered {
            Rendered::Unchanged(hash) => (
                Body::Unchanged(hash),
                Problems::new(),
                Vec::new(),
                Vec::new(),
            ),
            Rendered::Fresh(html) => {
                let (mut problems, excesses) = renderer
                    .budget_checker
                    .check(page, site, &html, &own, manifest);
                if !inputs.faults.has_errors {
                    problems.extend(timings.part("accessibility", &page.path, || {
                        accessibility::check(site, page, &html)
                    }));
                }
                let letters = font_letters::check(page, &html, manifest);
                if !problems.is_empty() || !excesses.is_empty() || !letters.is_empty() {
                    render_cache.forget(&file_of(&page.path));
                }
                (
                    Body::Bytes(Arc::new(html.into_bytes())),
                    problems,
                    excesses,
                    letters,
                )
            }
        };
        paths.iter().for_each(|path| {
            sink(Output {
                path: file_of(path),
                body: body.clone(),
            });
        });
        renderer.twin(*index, &body).into_iter().for_each(sink);
        let mut sheets = sheets
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        for sheet in own
            .iter()
            .filter(|sheet| !sheets.contains_key(&sheet.path))
            .collect::<Vec<_>>()
        {
            sheets.insert(sheet.path.clone(), sheet.clone());
        }
        (problems, excesses, letters)
    };
    let render_all = |pages: &[(usize, Vec<&str>)]| -> Vec<Found> {
        pages
            .par_iter()
            .with_max_len(PAGES_PER_TASK)
            .map(render)
            .collect()
    };
    let (others, posts) =
        pages.split_at(pages.partition_point(|(index, _)| origin(*index).is_none()));
    let found = [posts, others].map(render_all);
    let (mut problems, mut excesses, mut letters) = (Problems::new(), Vec::new(), Vec::new());
    for (of_page, over, missing) in found.into_iter().rev().flatten() {
        problems.extend(of_page);
        excesses.extend(over);
        letters.extend(missing);
    }
    let failures = failures
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    problems.extend(template_errors::together(failures, renderer.templates));
    problems.extend(budget::together(excesses));
    problems.extend(font_letters::together(&letters));
    let sheets = sheets
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    sheets.into_values().for_each(sink);
    problems
}

/// Renders feeds, the sitemap and other files about all pages, and writes assets and static files. Reports generated files
/// that static ones replace.
fn render_others(inputs: &Inputs, renderer: &Renderer, sink: &Sink) -> Problems {
    let Inputs {
        settings,
        site,
        routes,
        manifest,
        drawings,
        ..
    } = *inputs;
    drawn::outputs(site, manifest, &renderer.shared.covers)
        .into_iter()
        .for_each(sink);
    let feeds = blog::feeds(settings, site, routes)
        .into_iter()
        .chain(entry_feeds::feeds(settings, site, routes));
    let found = site
        .locales
        .iter()
        .filter_map(|locale| renderer.webmanifest(locale))
        .chain(renderer.llms())
        .chain([renderer.robots()])
        .chain(renderer.indexnow_key());
    let sitemap = renderer.settings.is_indexed().then(|| renderer.sitemap());
    let mut replaced = Problems::new();
    for output in feeds.chain(found).chain(sitemap.into_iter().flatten()) {
        if !renderer.is_authored(&output.path) {
            sink(output);
            continue;
        }
        let message = format!(
            "this file is published in place of the `{}` that the build generates",
            output.path
        );
        let problem = Problem::warning(Code::GeneratedReplaced, message);
        replaced.push(
            problem
                .at(Place::file(format!("static/{}", output.path)))
                .hint("remove it to publish the generated one"),
        );
    }
    manifest
        .files
        .iter()
        .cloned()
        .chain(drawings.files.iter().cloned())
        .for_each(sink);
    for file in &site.static_files {
        let body = file
            .written
            .clone()
            .map_or_else(|| Body::File(file.file.clone()), Body::Bytes);
        sink(Output {
            path: file.path.clone(),
            body,
        });
    }
    replaced
}

/// Renders one page, by its index in `Site::pages`. Returns its HTML and the style sheets that it loads.
pub fn page(inputs: &Inputs, index: usize) -> Result<(String, Arc<[Output]>), Problems> {
    let (renderer, problems) = Renderer::new(inputs);
    let Some(renderer) = renderer else {
        return Err(problems);
    };
    let PageOutput { rendered, sheets } = renderer.page(index, &[])?;
    match rendered {
        Rendered::Fresh(html) => Ok((html, sheets)),
        Rendered::Unchanged(_) => Err(problems),
    }
}

impl<'a> Renderer<'a> {
    /// Prepares the rendering; `None` if a template could not be read.
    pub fn new(inputs: &Inputs<'a>) -> (Option<Renderer<'a>>, Problems) {
        let Inputs {
            settings,
            site,
            routes,
            manifest,
            drawings,
            templates,
            render_cache,
            ..
        } = *inputs;
        let mut problems = Problems::new();
        // Without any page, which is an error that was reported.
        let Some(first_page) = site.pages.first() else {
            return (None, problems);
        };
        let shared = problems.take(post_views::PostViews::new(site));
        let entries: Vec<Arc<entries::EntryViews>> = (0..site.locales.len())
            .map(|locale| {
                let values = |id, views: &Weak<entries::EntryViews>| {
                    // A bare `#anchor` in a text of an entry is on the page of the entry.
                    let key = site.collections.page_key(id);
                    let page = routes
                        .page(&key, locale)
                        .map_or(first_page, |index| &site.pages[index]);
                    let (shared, entries) = (&shared, Weak::clone(views));
                    let values = values::Values {
                        settings,
                        site,
                        routes,
                        manifest,
                        shared,
                        entries,
                        locale,
                        page,
                    };
                    entry_lists::entry_values(&values, id)
                };
                entries::EntryViews::new(site, locale, &values, &|at,
                                                                  views: &Weak<
                    entries::EntryViews,
                >| {
                    let (shared, entries, page) = (&shared, Weak::clone(views), first_page);
                    let values = values::Values {
                        settings,
                        site,
                        routes,
                        manifest,
                        shared,
                        entries,
                        locale,
                        page,
                    };
                    entry_lists::filters(&values, at)
                })
            })
            .collect();
        let environments = problems.take(environment::build(inputs, &entries));
        // A template that could not be read was reported, and all that includes it would be too.
        if problems.has_errors() || !templates.broken.is_empty() {
            return (None, problems);
        }
        let mut renderer = Renderer {
            inputs: *inputs,
            settings,
            site,
            routes,
            manifest,
            drawings,
            templates,
            render_cache,
            shared,
            entries,
            company: site.locales.iter().map(|_| OnceLock::new()).collect(),
            environments,
            frames: Vec::new(),
            around: site.locales.iter().map(|_| OnceLock::new()).collect(),
            lists_of_entries: Mutex::default(),
            budget_checker: budget::BudgetChecker::new(&settings.budgets),
            composed: Mutex::default(),
            template_hashes: Mutex::default(),
        };
        renderer.frames = (0..site.locales.len())
            .map(|locale| renderer.frame(locale))
            .collect();
        (Some(renderer), problems)
    }

    /// Whether `static/` contains this file. It then replaces the generated one.
    fn is_authored(&self, path: &str) -> bool {
        self.site.static_files.iter().any(|file| file.path == path)
    }

    /// The background color of a band, from the design tokens.
    fn color(&self, band: Band) -> Option<&str> {
        self.manifest
            .styles
            .tokens("color")
            .find(|(token, _)| *token == band.name())
            .map(|(_, value)| value)
    }
}

/// The template of a kind of section.
fn section_template(kind: &str) -> String {
    // The card of a collection has its own path.
    if kind.ends_with(".html") {
        kind.to_owned()
    } else {
        format!("sections/{kind}/{kind}.html")
    }
}

/// The folders whose style sheets a page needs.
fn folders(
    templates: &Templates,
    template: &str,
    kinds: impl Iterator<Item = &'static str>,
) -> BTreeSet<String> {
    let sections = kinds.map(section_template);
    std::iter::once(template.to_owned())
        .chain(sections)
        .flat_map(|name| templates.folders(&name))
        .collect()
}
