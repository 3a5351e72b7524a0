//! Bundles a site with esbuild: style sheets by folder, the script of every page, a script for each island, and the
//! bundle that prerenders islands.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::output::{Output, short_hash};
use config::Config;
use content::Templates;
use diagnostics::problem::Problems;
use workspace::cache::Kind;
use workspace::{files, parallel};

use super::FOLDER;
use super::esbuild::{self, BundleJob, BundledFile};
use super::language_styles;
use super::styles::SITE;

/// The output of the bundler.
#[derive(Debug, Default)]
pub(super) struct Bundled {
    /// Minified sheets by folder (`components/action`, `islands/header`) or name (`styles/site`).
    pub sheets: BTreeMap<String, String>,
    /// Addresses of the scripts that every page loads.
    pub page_scripts: Vec<String>,
    /// Addresses of those that every page loads as well if the site counts visits or keeps where they began.
    pub visit_scripts: Vec<String>,
    /// The scripts of the islands.
    pub islands: Islands,
    /// Fonts, pictures of style sheets, scripts.
    pub files: Vec<Output>,
    /// Bytes of each script compressed with brotli, by its address.
    pub weights: BTreeMap<String, usize>,
}

/// The scripts of the islands, and the bundle that prerenders them.
#[derive(Debug, Default, Clone)]
pub struct Islands {
    /// The script of each island, by its name.
    pub scripts: BTreeMap<String, Script>,
    /// The script that hydrates any island, with React.
    pub mount: Script,
    /// The bundle that Node runs at build time.
    pub server: Option<PrerenderBundle>,
    /// Bundling failed and was reported, so a missing script is not reported again.
    pub broken: bool,
}

/// A script, and the chunks that it imports.
#[derive(Debug, Default, Clone, serde::Serialize)]
pub struct Script {
    /// Its address.
    pub src: String,
    /// Addresses of the chunks that it imports statically.
    pub imports: Vec<String>,
}

impl super::Manifest {
    /// The bytes of the scripts that each island loads in addition to those of all islands, and of those, compressed with
    /// brotli.
    pub fn island_weights(&self) -> (BTreeMap<String, usize>, usize) {
        let each = self
            .islands
            .additional()
            .map(|(name, scripts)| (name.to_owned(), self.weight(scripts)));
        (each.collect(), self.weight(self.islands.shared()))
    }

    /// The weight of scripts together.
    fn weight(&self, addresses: BTreeSet<&str>) -> usize {
        addresses
            .into_iter()
            .filter_map(|address| self.weights.get(address))
            .sum()
    }
}

impl Islands {
    /// Addresses of the scripts that every island loads: React, and what hydrates an island.
    fn shared(&self) -> BTreeSet<&str> {
        self.mount
            .imports
            .iter()
            .chain([&self.mount.src])
            .map(String::as_str)
            .collect()
    }

    /// Addresses of the scripts that each island loads in addition, some of which other islands load as well.
    fn additional(&self) -> impl Iterator<Item = (&str, BTreeSet<&str>)> {
        let shared = self.shared();
        self.scripts.iter().map(move |(name, script)| {
            let all: BTreeSet<&str> = script
                .imports
                .iter()
                .chain([&script.src])
                .map(String::as_str)
                .collect();
            (name.as_str(), all.difference(&shared).copied().collect())
        })
    }
}

/// The bundle that prerenders islands.
#[derive(Debug, Clone)]
pub struct PrerenderBundle {
    /// The file from which Node loads it. It is written before Node is started.
    pub path: PathBuf,
    /// Its content.
    pub script: Arc<Vec<u8>>,
    /// Hash of its content, part of the cache key of every prerendered island.
    pub hash: String,
}

const LOADER: &str = "react/loader.ts";
const SEARCH: &str = "react/search/search.ts";
const VISITS: &str = "react/visits/visits.ts";
/// For sites that keep where a visit began.
const FIRST_PAGE: &str = "react/first-page.ts";
const MOUNT: &str = "react/hydrate-island.tsx";
const PRERENDER: &str = "react/prerender.tsx";
const ISLANDS: &str = "react/islands";
/// The oldest browsers that scripts and styles support. Pages in older browsers work without script.
const TARGET: &str = "--target=es2022,chrome111,edge111,firefox113,safari16.4";
/// The oldest major version of Node that can prerender.
pub const OLDEST_NODE: u32 = 20;

pub(super) fn run(config: &Config, templates: &Templates) -> (Bundled, Problems) {
    let islands = islands(config);
    let ((sheets, browser), server) = parallel::join(
        || {
            parallel::join(
                || styles(config, templates, &islands),
                || browser(config, &islands),
            )
        },
        || server(config),
    );
    let mut problems = Problems::new();
    let mut bundled = Bundled::default();
    match sheets {
        Ok((sheets, files)) => {
            bundled.sheets = sheets;
            bundled.files.extend(files);
        }
        Err(found) => problems.extend(found),
    }
    match browser {
        Ok(([page_scripts, visit_scripts], scripts, files, weights)) => {
            bundled.weights = weights;
            (bundled.page_scripts, bundled.visit_scripts) = (page_scripts, visit_scripts);
            bundled.islands = scripts;
            bundled.files.extend(files);
        }
        Err(found) => problems.extend(found),
    }
    match server {
        Ok(server) => bundled.islands.server = server,
        Err(found) => problems.extend(found),
    }
    if problems.has_errors() {
        let islands = Islands {
            broken: true,
            ..Islands::default()
        };
        return (
            Bundled {
                islands,
                ..Bundled::default()
            },
            problems,
        );
    }
    (bundled, problems)
}

/// The islands: names of the folders in `react/islands/` that contain a component of the same name.
fn islands(config: &Config) -> Vec<String> {
    let root = config.paths.theme_root();
    let entries = std::fs::read_dir(root.join(ISLANDS))
        .into_iter()
        .flatten()
        .flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names
        .filter(|name| root.join(component(name)).is_file())
        .collect();
    names.sort_unstable();
    names
}

/// The file of an island, relative to the theme.
pub(super) fn component(name: &str) -> String {
    format!("{ISLANDS}/{name}/{name}.tsx")
}

type Sheets = (BTreeMap<String, String>, Vec<Output>);

fn styles(config: &Config, templates: &Templates, islands: &[String]) -> Result<Sheets, Problems> {
    let root = config.paths.theme_root();
    let site = (format!("templates/{SITE}.css"), SITE.to_owned());
    let own = templates
        .styles
        .iter()
        .map(|(folder, path)| (files::shown(&root, path), folder.clone()));
    let of_islands = islands.iter().map(|name| {
        (
            format!("{ISLANDS}/{name}/{name}.css"),
            format!("islands/{name}"),
        )
    });
    let of_languages = language_styles::entries(config);
    let entries: BTreeMap<String, String> = std::iter::once(site)
        .chain(own)
        .chain(of_islands)
        .chain(of_languages)
        .filter(|(path, _)| root.join(path).is_file())
        .collect();
    if entries.is_empty() {
        return Ok(Sheets::default());
    }
    let flags = [
        "--entry-names=[dir]/[name]-[hash]",
        "--asset-names=files/[name]-[hash]",
        "--loader:.woff2=file",
        "--loader:.svg=file",
        "--loader:.png=file",
        TARGET,
        &format!("--public-path={}/{FOLDER}", config.site.base_path()),
    ];
    let job = BundleJob {
        name: "styles",
        entries: entries.keys().cloned().collect(),
        flags: flags.map(str::to_owned).into(),
    };
    let (mut sheets, mut files) = Sheets::default();
    for file in esbuild::run(config, &job)? {
        match file.entry.as_ref().and_then(|entry| entries.get(entry)) {
            Some(name) => drop(sheets.insert(
                name.clone(),
                String::from_utf8_lossy(&file.bytes).into_owned(),
            )),
            None => files.push(published(file)),
        }
    }
    Ok((sheets, files))
}

type BundledScripts = (
    [Vec<String>; 2],
    Islands,
    Vec<Output>,
    BTreeMap<String, usize>,
);

/// The URL of a bundled file.
fn address(config: &Config, path: &str) -> String {
    config.site.href(&format!("/{FOLDER}/{path}"))
}

/// The script that was made of a source.
fn script(config: &Config, files: &[BundledFile], source: &str) -> Option<Script> {
    let file = files
        .iter()
        .find(|file| file.entry.as_deref() == Some(source))?;
    let imports = file
        .imports
        .iter()
        .map(|path| address(config, path))
        .collect();
    Some(Script {
        src: address(config, &file.path),
        imports,
    })
}

fn browser(config: &Config, islands: &[String]) -> Result<BundledScripts, Problems> {
    let root = config.paths.theme_root();
    let has_search = config.site.search.is_some();
    // The values of the service are part of its script, so that pages do not repeat them.
    let visits = config.site.visits.as_ref().map(|visits| {
        // As a text: esbuild would put an object into a file of its own, which every other script imports.
        let values = serde_json::Value::String(visits.script.to_string());
        [
            format!("--define:VISITS={values}"),
            format!("--define:ASKS={}", visits.needs_consent),
        ]
    });
    let keeps_visit = config.site.leads.campaign_names().is_some();
    let of_pages = [
        (LOADER, true),
        (SEARCH, has_search),
        (VISITS, visits.is_some()),
        (FIRST_PAGE, keeps_visit),
    ];
    let of_pages: Vec<&str> = of_pages
        .into_iter()
        .filter_map(|(path, is_used)| is_used.then_some(path))
        .collect();
    let entries: Vec<String> = of_pages
        .iter()
        .map(|path| (*path).to_owned())
        .chain(islands.iter().map(|name| component(name)))
        .filter(|path| root.join(path).is_file())
        .collect();
    if entries.is_empty() {
        return Ok(BundledScripts::default());
    }
    let flags = [
        "--format=esm",
        "--splitting",
        "--jsx=automatic",
        "--define:process.env.NODE_ENV=\"production\"",
        "--entry-names=[name]-[hash]",
        "--chunk-names=[name]-[hash]",
        "--loader:.svg=text",
        TARGET,
    ];
    let flags = flags
        .into_iter()
        .map(str::to_owned)
        .chain(visits.into_iter().flatten())
        .collect();
    let job = BundleJob {
        name: "browser",
        entries,
        flags,
    };
    let files = esbuild::run(config, &job)?;
    let scripts = Islands {
        scripts: islands
            .iter()
            .filter_map(|name| Some((name.clone(), script(config, &files, &component(name))?)))
            .collect(),
        mount: script(config, &files, MOUNT).unwrap_or_default(),
        ..Islands::default()
    };
    let of_pages = [[LOADER, SEARCH], [VISITS, FIRST_PAGE]].map(|group| {
        group
            .into_iter()
            .filter_map(|source| Some(script(config, &files, source)?.src))
            .collect()
    });
    let weights = files
        .iter()
        .map(|file| (address(config, &file.path), file.weight))
        .collect();
    Ok((
        of_pages,
        scripts,
        files.into_iter().map(published).collect(),
        weights,
    ))
}

fn server(config: &Config) -> Result<Option<PrerenderBundle>, Problems> {
    if !config.paths.theme_root().join(PRERENDER).is_file() {
        return Ok(None);
    }
    let target = format!("--target=node{OLDEST_NODE}");
    let flags = [
        "--platform=node",
        "--format=cjs",
        "--out-extension:.js=.cjs",
        "--jsx=automatic",
        "--define:process.env.NODE_ENV=\"production\"",
        "--entry-names=[name]",
        "--loader:.svg=text",
        // A stack trace of a component shows its source file and line.
        "--sourcemap=inline",
        "--sources-content=false",
        "--keep-names",
        &target,
    ];
    let job = BundleJob {
        name: "server",
        entries: vec![PRERENDER.to_owned()],
        flags: flags.map(str::to_owned).into(),
    };
    // As deep in the cache folder as the folder that esbuild writes to, because source maps contain relative paths.
    let folder = config
        .paths
        .cache
        .join(Kind::Bundle.folder())
        .join("node/out");
    let file = esbuild::run(config, &job)?.into_iter().next();
    Ok(file.map(|file| PrerenderBundle {
        path: folder.join(&file.path),
        hash: short_hash(&file.bytes),
        script: Arc::new(file.bytes),
    }))
}

fn published(file: BundledFile) -> Output {
    Output::bytes(format!("{FOLDER}/{}", file.path), Arc::new(file.bytes))
}
