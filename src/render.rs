//! Turns pages into HTML, in parallel. No files, no clock, no environment: the same arguments give the same bytes.

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

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use crate::assets::Manifest;
use crate::config::Config;
use crate::content::Templates;
use crate::drawing::Drawings;
use crate::islands::Prerenderer;
use crate::model::Site;
use crate::output::{Body, Output};
use crate::problem::Problems;
use crate::routes::{Route, Routes, file_of};

pub use blog::{LanguagePosts, posts};

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
}

/// What a page is rendered from.
struct Renderer<'a> {
    config: &'a Config,
    site: &'a Site,
    routes: &'a Routes,
    manifest: &'a Manifest,
    drawings: &'a Drawings,
    templates: &'a Templates,
    environments: Vec<minijinja::Environment<'a>>,
    scales: budget::Scales<'a>,
}

/// Renders everything and hands each output to `sink`.
pub fn render(parts: &Parts, sink: &Sink) -> Problems {
    let Parts { config, site, routes, manifest, drawings, templates, islands } = *parts;
    let mut problems = Problems::new();
    let environments = problems.take(environment::build(site, manifest, templates, islands));
    if problems.has_errors() {
        return problems;
    }
    problems.extend(structured_data::check(config, site));
    problems.extend(lead_form::check(site, manifest));
    let scales = budget::Scales::new(&config.site.budgets);
    let renderer = Renderer { config, site, routes, manifest, drawings, templates, environments, scales };
    let mut addresses: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (path, route) in routes.iter() {
        match route {
            Route::Page { page, .. } => addresses.entry(*page).or_default().push(path),
            Route::Redirect { to } => sink(redirect::render(site, routes, path, to)),
            Route::Static => {}
        }
    }
    let sheets: Mutex<BTreeMap<String, Output>> = Mutex::new(BTreeMap::new());
    let pages: Vec<(usize, Vec<&str>)> = addresses.into_iter().collect();
    let found: Vec<Problems> = pages
        .par_iter()
        .map(|(index, paths)| match renderer.page(*index) {
            Ok((html, styles)) => {
                let page = &site.pages[*index];
                let problems = renderer.scales.weigh(page, &html, &styles, manifest);
                let html = Arc::new(html.into_bytes());
                paths.iter().for_each(|path| sink(Output::bytes(file_of(path), Arc::clone(&html))));
                let mut sheets = sheets.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                sheets.extend(styles.into_iter().map(|sheet| (sheet.path.clone(), sheet)));
                problems
            }
            Err(problem) => problem.into(),
        })
        .collect();
    found.into_iter().for_each(|page| problems.extend(page));
    let sheets = sheets.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    sheets.into_values().chain(manifest.files.iter().cloned()).chain(drawings.files.iter().cloned()).for_each(sink);
    blog::drawings(site, manifest).into_iter().chain(blog::feeds(config, site, routes)).for_each(sink);
    let found = renderer.webmanifest().into_iter().chain(renderer.llms()).chain([renderer.robots()]);
    found.chain(renderer.sitemap()).filter(|output| !renderer.is_authored(&output.path)).for_each(sink);
    for file in &site.static_files {
        sink(Output { path: file.path.clone(), body: Body::File(file.file.clone()) });
    }
    problems
}

impl Renderer<'_> {
    /// Whether the author wrote this file in `static/`: then it is theirs to say what it holds.
    fn is_authored(&self, path: &str) -> bool {
        self.site.static_files.iter().any(|file| file.path == path)
    }
}

/// The folders of style sheets that a page needs.
fn folders(templates: &Templates, template: &str, kinds: impl Iterator<Item = &'static str>) -> BTreeSet<String> {
    let sections = kinds.map(|kind| format!("sections/{kind}/{kind}.html"));
    std::iter::once(template.to_owned()).chain(sections).flat_map(|name| templates.folders(&name)).collect()
}
