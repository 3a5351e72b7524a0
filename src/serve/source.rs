//! Finds the source of what was clicked in a page of the preview. Pages hold no marks for it: the text, what surrounds it
//! and where it stands are compared with the texts of the site's files.

mod find;
mod letters;
mod texts;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use diagnostics::problem::{Place, Source};
use generator::config::Config;
use generator::files;
use generator::pipeline::ShownPage;

use super::panel::respond_with;
use super::places::{Link, Links};
use super::{Built, Current, ServerState, address};
use find::Query;
use texts::FileTexts;

pub(super) const PATH: &str = "/_sitegen/source";

/// Bytes of a request. A page sends at most a few thousand letters.
pub(super) const LIMIT: usize = 64 * 1024;
/// The files of a page that a link leads to are read for this many links.
const MAX_LINKS: usize = 4;
/// Only posts with a word of the text are read, if it has one of at least so many letters.
const MIN_WORD: usize = 4;

/// What was clicked, as the script of the preview describes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Clicked {
    /// The address of the page, as the browser has it.
    path: String,
    /// The language of the page, as its markup names it.
    language: String,
    /// The text itself and those of the elements around it, innermost first.
    texts: Vec<String>,
    /// For each of them, how many letters and digits stand in it before the clicked text.
    before: Vec<usize>,
    /// `header` or `footer`, if it stands there; `frame` for what is around the main part otherwise.
    frame: Option<String>,
    /// The index of the section, and the number of sections in the page.
    section: Option<usize>,
    sections: usize,
    /// The addresses of a picture.
    pictures: Vec<String>,
    /// It is a drawing in the page.
    drawing: bool,
    /// The addresses of the links around it or beside it, nearest first.
    near: Vec<String>,
    /// How many elements of the section before it are the same.
    nth: usize,
}

/// Where it is written.
#[derive(Debug, Serialize)]
struct Answer {
    /// Best first.
    found: Vec<Link>,
    /// Where its section begins.
    section: Option<Link>,
    /// The template of its section, if the site has it.
    template: Option<Link>,
    /// The files of the page.
    files: Vec<Link>,
    /// The address of its post in the CMS.
    remote: Option<String>,
}

/// The texts of all files of content but the posts, which are too many to be kept.
#[derive(Debug)]
pub(super) struct Corpus(Vec<FileTexts>);

impl Corpus {
    pub fn read(config: &Config) -> Corpus {
        let root = &config.paths.root;
        let (paths, _) = root.list(&root.join("content"));
        let is_yaml = |path: &&std::path::PathBuf| path.extension().is_some_and(|ending| ending == "yaml");
        let paths: Vec<_> = paths.iter().filter(is_yaml).collect();
        let own = paths.into_par_iter().filter_map(|path| texts::read(root, path, &config.site));
        let mut all: Vec<FileTexts> = own.collect();
        // Words of the theme are in no file of the site: their path says so, and leads nowhere.
        for code in &config.site.locales {
            let name = format!("content/locales/{}.yaml", code.value);
            let words = config.theme.source(&name).filter(|_| config.site.theme.is_some());
            let words = words.map(|words| Source { path: format!("{name} of the theme"), text: words.text.clone() });
            let Some(mut words) = words.and_then(|words| texts::of(Arc::new(words), &config.site)) else { continue };
            // The site's own words replace them.
            let own = all.iter().find(|file| file.source.path == name);
            let own: BTreeSet<&[String]> = own.iter().flat_map(|own| &own.texts).map(|text| &text.path[..]).collect();
            words.texts.retain(|text| !own.contains(&text.path[..]));
            all.push(words);
        }
        Corpus(all)
    }
}

/// Answers with the places of what was clicked.
pub(super) async fn of_clicked(State(shared): State<Arc<ServerState>>, Json(clicked): Json<Clicked>) -> Response {
    // Files are read.
    let answer = tokio::task::spawn_blocking(move || {
        let built = shared.built();
        Some(answer(&shared, &shared.current(), built.as_ref()?, &clicked))
    });
    respond_with(answer.await.ok().flatten())
}

fn answer(shared: &ServerState, current: &Current, built: &Built, clicked: &Clicked) -> Answer {
    let Built { config, plan, .. } = built;
    let root = &config.paths.root;
    let page = plan.shown_page(&address(current, &clicked.path), config.run.now);
    let near: Vec<String> = clicked
        .near
        .iter()
        .take(MAX_LINKS)
        .filter_map(|link| plan.shown_page(&address(current, link), config.run.now))
        .flat_map(|page| page.files)
        .collect();
    let own = page.as_ref().map_or(&[][..], |page| &page.files);
    let corpus = built.corpus.get_or_init(|| Corpus::read(config));
    let read = unkept(config, corpus, own.iter().chain(&near), &clicked.texts);
    // The files of the page first, in their order.
    let of_page = |file: &&FileTexts| own.contains(&file.source.path);
    let mut files: Vec<&FileTexts> = read.iter().chain(&corpus.0).collect();
    files.sort_by_key(|file| own.iter().position(|path| *path == file.source.path).unwrap_or(usize::MAX));
    let of_page: Vec<&FileTexts> = files.iter().copied().filter(of_page).collect();
    let names = find::names(of_page.iter().copied());
    let locale = page.as_ref().map(|page| page.locale.as_str()).or_else(|| language(config, &clicked.language));
    let section = page.as_ref().and_then(|page| section_of(page, clicked));
    let query = Query {
        shown: find::shown(&clicked.texts, &clicked.before),
        frame: clicked.frame.as_deref(),
        section,
        names: &names,
        locale: locale.unwrap_or_default(),
        files: own,
        near: &near,
        nth: clicked.nth,
    };
    let mut found = pictures(built, clicked, &query, &files);
    if found.is_empty() {
        found = find::places(&query, files.iter().copied());
    }
    let section_place = section.and_then(|index| find::section(&of_page, &names, index));
    // A click beside all texts means the section.
    if found.is_empty() && query.shown.is_empty() {
        found.extend(section_place.clone());
    }
    let template = || {
        let kind = page.as_ref()?.sections.get(section?)?;
        let path = format!("templates/sections/{kind}/{kind}.html");
        root.join(&path).is_file().then_some(path)
    };
    let links = Links { root, editor: &shared.editor };
    Answer {
        found: found.iter().map(|place| links.to(place)).collect(),
        section: section_place.as_ref().map(|place| links.to(place)),
        template: template().map(|path| links.to_file(&path)),
        files: own.iter().map(|path| links.to_file(path)).collect(),
        remote: page.and_then(|page| page.remote),
    }
}

/// The files that the corpus does not keep: those of the page and of `near` pages, and posts with a word of the text.
fn unkept<'a>(
    config: &Config,
    corpus: &Corpus,
    wanted: impl Iterator<Item = &'a String>,
    clicked: &'a [String],
) -> Vec<FileTexts> {
    let root = &config.paths.root;
    let kept: BTreeSet<&str> = corpus.0.iter().map(|file| file.source.path.as_str()).collect();
    let wanted: BTreeSet<&str> = wanted.map(String::as_str).filter(|path| !kept.contains(path)).collect();
    let mut read: Vec<FileTexts> =
        wanted.iter().filter_map(|path| texts::read(root, &root.join(path), &config.site)).collect();
    // The innermost text that has such a word: what is around it may stand in several files.
    let longest = |text: &'a String| text.split(|c: char| !c.is_alphabetic()).max_by_key(|word| word.len());
    let Some(word) = clicked.iter().filter_map(longest).find(|word| word.len() >= MIN_WORD) else { return read };
    let (posts, _) = root.list(&root.join("content/blog"));
    let is_other = |path: &&std::path::PathBuf| {
        path.extension().is_some_and(|ending| ending == "md") && !wanted.contains(files::shown(root, path).as_str())
    };
    let others: Vec<_> = posts.iter().filter(is_other).collect();
    let has_word = |path: &Path| fs_err::read_to_string(path).is_ok_and(|text| text.contains(word));
    let found = others.into_par_iter().filter(|path| has_word(path));
    read.extend(found.filter_map(|path| texts::read(root, path, &config.site)).collect::<Vec<_>>());
    read
}

/// Where a picture is named, and the picture itself.
fn pictures(built: &Built, clicked: &Clicked, query: &Query, files: &[&FileTexts]) -> Vec<Place> {
    if clicked.drawing {
        return find::drawings(query, files.iter().copied());
    }
    let root = &built.config.paths.root;
    let shown = |address: &String| {
        let of_static = || {
            let path = built.config.site.path_of(address).trim_start_matches('/');
            let file = format!("static/{}", percent_encoding::percent_decode_str(path).decode_utf8_lossy());
            (!path.is_empty() && root.join(&file).is_file()).then_some(file)
        };
        built.plan.shown_picture(address).or_else(of_static)
    };
    let Some(picture) = clicked.pictures.iter().find_map(shown) else { return Vec::new() };
    let mut found = find::picture(query, files.iter().copied(), &picture);
    found.push(Place::file(picture));
    found
}

/// The index of the clicked section in the plan. Pages of posts and studies have sections of their own before it.
fn section_of(page: &ShownPage, clicked: &Clicked) -> Option<usize> {
    let others = clicked.sections.checked_sub(page.sections.len())?;
    clicked.section?.checked_sub(others)
}

/// The locale that a page's markup names.
fn language<'a>(config: &'a Config, language: &str) -> Option<&'a str> {
    let codes = config.site.locales.iter().map(|code| code.value.as_str());
    codes.into_iter().find(|code| language == *code || language.split('-').next() == Some(code))
}
