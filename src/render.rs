//! Turns pages into HTML, in parallel. Reads neither a clock nor the environment: the same arguments give the same
//! bytes, on any number of threads, whichever other pages are rendered.
//!
//! Three inputs are fetched when a page needs them: the file of an icon (a site uses few of thousands), the text of a
//! post that is not in memory, and the markup of an island, from its cache or from Node.

mod blog;
mod breadcrumbs;
mod budget;
mod case_studies;
mod context;
mod environment;
mod head;
mod island;
mod lead_form;
mod page;
mod redirect;
mod robots;
mod sitemap;
mod structured_data;
mod style_guide;
mod webmanifest;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock};

use rayon::prelude::*;
use serde_json::value::RawValue;

use crate::assets::Manifest;
use crate::build_cache::{Hash, RenderCache};
use crate::config::Config;
use crate::content::Templates;
use crate::graphics::Drawings;
use crate::islands::Prerenderer;
use crate::model::{BlogPage, Body as PageBody, Site};
use crate::output::{Body, Output};
use crate::routes::{Route, Routes, file_of};
use crate::timings::Timings;
use diagnostics::problem::Problems;

use page::{PageOutput, Rendered, SheetsFor};

pub use blog::{LanguagePosts, posts};

/// So many pages are one piece of work. Left alone, a thread keeps a quarter of a large site to itself, and the others wait.
const AT_ONCE: usize = 32;

/// Takes outputs as they come, from several threads.
pub type Sink<'a> = dyn Fn(Output) + Sync + 'a;

/// What is rendered.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    /// Settings.
    pub config: &'a Config,
    /// Pages and what they are made from.
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
    /// Who takes the time.
    pub timings: &'a Timings,
}

/// What a page is rendered from.
struct Renderer<'a> {
    config: &'a Config,
    site: &'a Site,
    routes: &'a Routes,
    manifest: &'a Manifest,
    drawings: &'a Drawings,
    templates: &'a Templates,
    render_cache: &'a RenderCache<'a>,
    shared: blog::PostViews,
    /// What the structured data of every page says of the company and the site.
    company: OnceLock<[Box<RawValue>; 2]>,
    environments: Vec<minijinja::Environment<'a>>,
    /// By locale.
    frames: Vec<page::Frame>,
    /// What the pages of its blog have in common, by locale.
    blog_commons: Vec<OnceLock<blog::Commons>>,
    scales: budget::Scales<'a>,
    composed: Mutex<HashMap<SheetsFor, Arc<[Output]>>>,
    template_hashes: Mutex<HashMap<(&'static str, Vec<&'static str>), Hash>>,
}

/// Renders everything and hands each output to `sink`.
pub fn render(parts: &Parts, sink: &Sink) -> Problems {
    let Parts { config, site, routes, manifest, drawings, render_cache, timings, .. } = *parts;
    let (renderer, mut problems) = Renderer::new(parts);
    let Some(renderer) = renderer else { return problems };
    problems.extend(structured_data::check(config, site));
    problems.extend(lead_form::check(site, manifest));
    let mut addresses: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (path, route) in routes.iter() {
        match route {
            Route::Page { page, .. } => addresses.entry(*page).or_default().push(path),
            Route::Redirect { to } => sink(redirect::render(site, routes, path, to)),
            Route::Static => {}
        }
    }
    let sheets: Mutex<BTreeMap<String, Output>> = Mutex::new(BTreeMap::new());
    let mut pages: Vec<(usize, Vec<&str>)> = addresses.into_iter().collect();
    // Posts in the order in which they were read: what lies together in memory is given back together.
    let origin = |index: usize| match site.pages[index].body {
        PageBody::Blog(BlogPage::Post(post)) => Some(site.blog.post(post).origin.path()),
        _ => None,
    };
    pages.par_sort_by(|(a, _), (b, _)| origin(*a).cmp(&origin(*b)));
    let all = pages.par_iter().with_max_len(AT_ONCE).map(|(index, paths)| {
        let page = &site.pages[*index];
        let PageOutput { rendered, sheets: own } =
            match timings.part("page", &page.path, || renderer.page(*index, paths)) {
                Ok(output) => output,
                Err(problem) => return problem.into(),
            };
        let (body, problems) = match rendered {
            Rendered::Unchanged(hash) => (Body::Unchanged(hash), Problems::new()),
            Rendered::Fresh(html) => {
                let problems = renderer.scales.weigh(page, site.blog.is_foreign(page.body), &html, &own, manifest);
                if !problems.is_empty() {
                    render_cache.forget(&file_of(&page.path));
                }
                (Body::Bytes(Arc::new(html.into_bytes())), problems)
            }
        };
        paths.iter().for_each(|path| sink(Output { path: file_of(path), body: body.clone() }));
        let mut sheets = sheets.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for sheet in own.iter().filter(|sheet| !sheets.contains_key(&sheet.path)).collect::<Vec<_>>() {
            sheets.insert(sheet.path.clone(), sheet.clone());
        }
        problems
    });
    // What follows from all pages needs none of them rendered.
    let further = || {
        blog::drawings(site, manifest).into_iter().chain(blog::feeds(config, site, routes)).for_each(sink);
        let found = renderer.webmanifest().into_iter().chain(renderer.llms()).chain([renderer.robots()]);
        found.chain(renderer.sitemap()).filter(|output| !renderer.is_authored(&output.path)).for_each(sink);
    };
    let ((), found) = rayon::join(further, || all.collect::<Vec<Problems>>());
    found.into_iter().for_each(|page| problems.extend(page));
    let sheets = sheets.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    sheets.into_values().chain(manifest.files.iter().cloned()).chain(drawings.files.iter().cloned()).for_each(sink);
    for file in &site.static_files {
        sink(Output { path: file.path.clone(), body: Body::File(file.file.clone()) });
    }
    // Giving back the memory takes a while, and nobody needs to wait for it.
    let shared = renderer.shared;
    rayon::spawn(move || drop(shared));
    problems
}

/// Renders one page alone, by its position: its HTML, and the style sheets that it names.
pub fn page(parts: &Parts, index: usize) -> Result<(String, Arc<[Output]>), Problems> {
    let (renderer, problems) = Renderer::new(parts);
    let Some(renderer) = renderer else { return Err(problems) };
    let PageOutput { rendered, sheets } = renderer.page(index, &[])?;
    match rendered {
        Rendered::Fresh(html) => Ok((html, sheets)),
        Rendered::Unchanged(_) => Err(problems),
    }
}

impl<'a> Renderer<'a> {
    fn new(parts: &Parts<'a>) -> (Option<Renderer<'a>>, Problems) {
        let Parts { config, site, routes, manifest, drawings, templates, islands, render_cache, .. } = *parts;
        let (environments, problems) = environment::build(site, manifest, templates, islands);
        if problems.has_errors() {
            return (None, problems);
        }
        let mut renderer = Renderer {
            config,
            site,
            routes,
            manifest,
            drawings,
            templates,
            render_cache,
            shared: blog::PostViews::new(site),
            company: OnceLock::new(),
            environments,
            frames: Vec::new(),
            blog_commons: site.locales.iter().map(|_| OnceLock::new()).collect(),
            scales: budget::Scales::new(&config.site.budgets),
            composed: Mutex::default(),
            template_hashes: Mutex::default(),
        };
        renderer.frames = (0..site.locales.len()).map(|locale| renderer.frame(locale)).collect();
        (Some(renderer), problems)
    }

    /// Whether the author wrote this file in `static/`: then it is theirs to say what it holds.
    fn is_authored(&self, path: &str) -> bool {
        self.site.static_files.iter().any(|file| file.path == path)
    }
}

/// The template of a kind of section.
fn section_template(kind: &str) -> String {
    format!("sections/{kind}/{kind}.html")
}

/// The folders of style sheets that a page needs.
fn folders(templates: &Templates, template: &str, kinds: impl Iterator<Item = &'static str>) -> BTreeSet<String> {
    let sections = kinds.map(section_template);
    std::iter::once(template.to_owned()).chain(sections).flat_map(|name| templates.folders(&name)).collect()
}
