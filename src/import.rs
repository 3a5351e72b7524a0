//! Imports the blog of a WordPress into the site: posts as Markdown, their pictures, authors, and redirects.
//!
//! The source is an export file or the REST API. Nothing is dropped in silence: what a post of this site cannot hold is
//! replaced or left out with a note in the report. An import may be repeated, and never overwrites the work of a
//! person (`imported_files`).

mod addresses;
mod canonical;
mod classic;
mod convert;
mod export_file;
mod html;
mod imported_files;
mod inline;
mod markdown;
mod plan;
mod server;
mod shapes;
mod simplify;
mod source;
mod tree;
pub mod verify;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rayon::prelude::*;
use serde::Serialize;

use diagnostics::problem::{Code, Place, Problem, Problems};
use generator::config::Config;
use generator::content::blog::archive::{self, Archive};
use generator::content_types::Slug;
use generator::files::{TEXT_LIMIT, not_written};
use generator::model::{BlogPage, Body};
use generator::pipeline;

use addresses::NewSite;
use convert::{Converted, Converter, scalar};
use imported_files::{ImportedFiles, LIST, Outcome};
use plan::{Plan, Planned, comparable};
use source::{Source, SourceText};

/// The file of redirects from the addresses of WordPress.
pub const REDIRECTS: &str = "content/redirects/wordpress.yaml";
/// The number of posts that are converted at once, and then written.
const BATCH: usize = 64;

/// Where posts come from.
#[derive(Debug, Clone)]
pub enum From {
    /// An export file of WordPress.
    ExportFile(PathBuf),
    /// The home page of a WordPress.
    Server(url::Url),
}

/// Choices of the person who imports.
#[derive(Debug, Clone)]
pub struct Options {
    /// The source.
    pub from: From,
    /// The locale of posts without a language; the default one of the site if it is `None`.
    pub locale: Option<String>,
    /// A copy of `wp-content/uploads`; pictures are requested from the server if it is `None`.
    pub uploads: Option<PathBuf>,
    /// Import no pictures.
    pub without_pictures: bool,
}

/// An event of an import, for a progress bar.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// A stage begins, with the number of its parts.
    Stage(&'static str, usize),
    /// A part is done.
    Done(&'a str),
}

/// What an import did.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// How many files were written, updated, unchanged, kept, deleted by a person, or in conflict.
    pub files: BTreeMap<&'static str, usize>,
    /// Each post with what a person should know about it, by its file.
    pub posts: BTreeMap<String, PostReport>,
    /// What was not imported, with how many there were.
    pub not_imported: BTreeMap<String, usize>,
    /// The number of redirects.
    pub redirects: usize,
    /// Files that both a person and WordPress have changed.
    pub conflicts: Vec<String>,
}

/// An imported post.
#[derive(Debug, Default, Serialize)]
pub struct PostReport {
    /// Its address in WordPress.
    pub from: String,
    /// What is different, and why.
    pub notes: BTreeSet<String>,
}

/// Text without markup, on one line.
fn plain_text(html: &str) -> String {
    let text = if html.contains(['<', '&']) { tree::text(&tree::parse(html)) } else { html.to_owned() };
    let is_shown = |c: &char| !c.is_control() || c.is_whitespace();
    text.chars().filter(is_shown).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Imports into the site of `config`. Progress is reported; a problem of one post does not stop the others.
pub fn run(config: &Config, options: &Options, progress: &(dyn Fn(Step) + Sync)) -> (Report, Problems) {
    match import(config, options, progress) {
        Ok(done) => done,
        Err(problem) => (Report::default(), (*problem).into()),
    }
}

fn import(
    config: &Config,
    options: &Options,
    progress: &(dyn Fn(Step) + Sync),
) -> Result<(Report, Problems), Box<Problem>> {
    let locales: Vec<String> = config.site.locales.iter().map(|code| code.value.clone()).collect();
    let default = match &options.locale {
        None => locales.first().cloned().unwrap_or_default(),
        Some(code) if locales.contains(code) => code.clone(),
        Some(code) => {
            let problem = Problem::error(Code::ImportFailed, format!("the site has no language `{code}`"));
            return Err(Box::new(problem.hint(format!("add it first: `sitegen new locale {code}`"))));
        }
    };
    let archive = Archive::new(
        config,
        match &options.from {
            From::Server(home) => Some(home.clone()),
            From::ExportFile(_) => None,
        },
    );
    let archive = archive.map_err(|why| Box::new(Problem::error(Code::ImportFailed, why)))?;
    progress(Step::Stage("reading", 0));
    let mut texts = HashMap::new();
    let source = match &options.from {
        From::ExportFile(file) => export_file::read(file)?,
        From::Server(home) => {
            let (source, read) = server::read(&archive, home)?;
            texts = read;
            source
        }
    };
    let plan = plan::plan(&source, &locales, &default);
    let blogs = blogs(config);
    let site = NewSite { blogs: &blogs, default: &default };
    let links = addresses::links(&source, &plan, &site);
    let media = source.media.iter().map(|(number, media)| (comparable(&media.address), *number)).collect();
    let no_author = Slug::of(&source.title).map_or_else(|| "editors".to_owned(), Slug::into_string);
    let converter = Converter { source: &source, plan: &plan, links: &links, media: &media, no_author: &no_author };
    let aside = config.paths.cache.join("import");
    let opened = ImportedFiles::open(&config.paths.root, aside.clone());
    let files = opened.map_err(|error| Box::new(not_written(LIST, &error)))?;
    let mut writer = Writer { config, files, aside, report: Report::default(), problems: Problems::new() };
    writer.report.not_imported = not_imported(&source, &plan);
    progress(Step::Stage("converting", plan.posts.len()));
    let mut pictures = Wanted::default();
    let mut batch: Vec<(&Planned, SourceText)> = Vec::with_capacity(BATCH);
    let mut take = |number: u64, text: SourceText| {
        let Some(at) = plan.by_number.get(&number) else { return };
        batch.push((&plan.posts[*at], text));
        if batch.len() == BATCH {
            writer.posts(&converter, &mut batch, &mut pictures, options, progress);
        }
    };
    match &options.from {
        From::ExportFile(file) => export_file::texts(file, &mut take)?,
        From::Server(_) => {
            for planned in &plan.posts {
                take(planned.post.number, texts.remove(&planned.post.number).unwrap_or_default());
            }
        }
    }
    writer.posts(&converter, &mut batch, &mut pictures, options, progress);
    writer.authors(&source, &plan, &converter, &archive, options);
    writer.redirects(addresses::redirects(&source, &plan, &site));
    if !options.without_pictures {
        writer.pictures(pictures, &archive, options, progress);
    }
    writer.save();
    Ok((writer.report, writer.problems))
}

/// The address of each language's blog.
fn blogs(config: &Config) -> BTreeMap<String, String> {
    let ((site, ..), _) = pipeline::plan(config);
    let first = |page: &generator::model::Page| match page.body {
        Body::Blog(BlogPage::List(1)) => true,
        Body::Sections => {
            page.sections.iter().any(|section| section.kind.role == generator::content::sections::SectionRole::PostList)
        }
        _ => false,
    };
    let pages = site.pages.iter().filter(|page| first(page));
    pages.map(|page| (page.locale.clone(), page.path.value.clone())).collect()
}

fn not_imported(source: &Source, plan: &Plan) -> BTreeMap<String, usize> {
    let mut others = source.others.clone();
    for (language, count) in &plan.other_languages {
        others.insert(format!("posts in `{language}`, which is no language of the site"), *count);
    }
    if plan.pages > 0 {
        others.insert("pages".to_owned(), plan.pages);
    }
    others
}

/// Pictures to fetch: address → the files that they are saved as.
#[derive(Debug, Default)]
struct Wanted(BTreeMap<String, Vec<String>>);

struct Writer<'a> {
    config: &'a Config,
    files: ImportedFiles,
    aside: PathBuf,
    report: Report,
    problems: Problems,
}

impl Writer<'_> {
    /// Converts and writes some posts.
    fn posts(
        &mut self,
        converter: &Converter,
        batch: &mut Vec<(&Planned, SourceText)>,
        pictures: &mut Wanted,
        options: &Options,
        progress: &(dyn Fn(Step) + Sync),
    ) {
        let converted: Vec<(&Planned, SourceText, Converted)> = std::mem::take(batch)
            .into_par_iter()
            .map(|(planned, text)| {
                let converted = converter.convert(planned, &text);
                (planned, text, converted)
            })
            .collect();
        for (planned, text, mut converted) in converted {
            progress(Step::Done(&planned.slug));
            let folder = format!("content/blog/{}/{}", planned.locale, planned.slug);
            if options.without_pictures {
                converted.pictures.clear();
            }
            let has_folder = !converted.pictures.is_empty() || !text.comments.is_empty();
            let path = if has_folder { format!("{folder}/index.md") } else { format!("{folder}.md") };
            if converted.text.len() as u64 > TEXT_LIMIT {
                let message = format!(
                    "post {} (`{}`) is left out: its text has more than {} MB",
                    planned.post.number,
                    planned.slug,
                    TEXT_LIMIT / 1_000_000
                );
                self.problems
                    .push(Problem::warning(Code::ImportFailed, message).at(Place::file(planned.post.link.clone())));
                continue;
            }
            self.put(&path, converted.text.as_bytes());
            if !text.comments.is_empty()
                && let Ok(json) = serde_json::to_vec_pretty(&text.comments)
            {
                self.put(&format!("{folder}/comments.json"), &json);
            }
            for (file, address) in converted.pictures {
                pictures.0.entry(address).or_default().push(format!("{folder}/{file}"));
            }
            let report = PostReport { from: planned.post.link.clone(), notes: converted.notes };
            self.report.posts.insert(path, report);
        }
        self.save();
    }

    fn put(&mut self, path: &str, bytes: &[u8]) {
        let outcome = match self.files.put(path, bytes) {
            Ok(outcome) => outcome,
            Err(error) => {
                self.problems.push(not_written(path, &error));
                return;
            }
        };
        let name = match outcome {
            Outcome::Written => "written",
            Outcome::Updated => "updated",
            Outcome::Unchanged => "unchanged",
            Outcome::Kept => "kept",
            Outcome::Deleted => "deleted",
            Outcome::Conflict => "in conflict",
        };
        *self.report.files.entry(name).or_default() += 1;
        if outcome == Outcome::Conflict {
            let aside = generator::files::shown(&self.config.paths.root, &self.aside.join(path));
            let message = if self.files.is_known(path) {
                "the file was edited, and WordPress has a newer version; it stays as it is"
            } else {
                "the file was there before the import; it stays as it is"
            };
            self.problems.push(
                Problem::warning(Code::ImportConflict, message)
                    .at(Place::file(path.to_owned()))
                    .hint(format!("compare it with the new version in `{aside}`")),
            );
            self.report.conflicts.push(path.to_owned());
        }
    }

    fn authors(&mut self, source: &Source, plan: &Plan, converter: &Converter, archive: &Archive, options: &Options) {
        let used: BTreeSet<&str> = plan.posts.iter().map(|planned| planned.author.as_str()).collect();
        let authors = plan.authors.iter().filter(|(_, slug)| used.contains(slug.as_str()));
        let authors: Vec<_> = authors.filter_map(|(name, slug)| Some((source.authors.get(name)?, slug))).collect();
        let mut portraits: HashMap<String, Vec<u8>> = HashMap::new();
        if !options.without_pictures {
            let addresses = authors.iter().filter_map(|(author, _)| author.avatar.clone()).collect();
            // An author without a portrait gets drawn initials.
            archive.pictures(addresses, &mut |address, bytes| {
                portraits.extend(bytes.ok().map(|bytes| (address.to_owned(), bytes)));
            });
        }
        for (author, slug) in authors {
            let mut text = format!("name: {}\n", scalar(&plain_text(&author.name)));
            let description = plain_text(&author.description);
            if !description.is_empty() {
                let first = plan.posts.iter().find(|planned| planned.author == *slug);
                let locale = first.map_or("", |planned| planned.locale.as_str());
                let _ = writeln!(text, "description:\n  {locale}: {}", scalar(&description));
            }
            let portrait = author.avatar.as_ref().and_then(|address| portraits.get(address));
            if let Some((bytes, ending)) = portrait.and_then(|bytes| Some((bytes, archive::picture_ending(bytes)?))) {
                let _ = writeln!(text, "avatar: {slug}.{ending}");
                self.put(&format!("content/authors/{slug}.{ending}"), bytes);
            }
            self.put(&format!("content/authors/{slug}.yaml"), text.as_bytes());
        }
        if used.contains("") {
            let name = if source.title.is_empty() { "Editors".to_owned() } else { plain_text(&source.title) };
            let text = format!("name: {}\n", scalar(&name));
            self.put(&format!("content/authors/{}.yaml", converter.no_author), text.as_bytes());
        }
    }

    fn redirects(&mut self, redirects: BTreeMap<String, String>) {
        self.report.redirects = redirects.len();
        if redirects.is_empty() {
            return;
        }
        let mut text =
            "# The addresses of WordPress, and where they lead now. `sitegen import` writes this file.\n".to_owned();
        for (from, to) in redirects {
            let _ = writeln!(text, "- {{from: {}, to: {}}}", quoted(&from), quoted(&to));
        }
        self.put(REDIRECTS, text.as_bytes());
    }

    /// Saves pictures next to their posts, from a folder or from the server.
    fn pictures(&mut self, wanted: Wanted, archive: &Archive, options: &Options, progress: &(dyn Fn(Step) + Sync)) {
        let is_missing = |files: &Vec<String>| {
            files.iter().any(|file| !self.config.paths.root.join(file).is_file() && !self.files.is_known(file))
        };
        let wanted: Vec<(String, Vec<String>)> = wanted.0.into_iter().filter(|(_, files)| is_missing(files)).collect();
        progress(Step::Stage("fetching pictures", wanted.len()));
        let (mut remote, mut found) = (Vec::new(), Vec::new());
        for (address, files) in wanted {
            match options.uploads.as_deref().and_then(|uploads| in_uploads(uploads, &address)) {
                Some(bytes) => found.push((files, Ok(bytes))),
                None if options.uploads.is_some() => {
                    found.push((files, Err(format!("`{address}` is not in the folder of `--uploads`"))));
                }
                None => remote.push((address, files)),
            }
        }
        for (files, bytes) in found {
            progress(Step::Done(files.first().map_or("", String::as_str)));
            self.picture(&files, bytes);
        }
        let by_address: HashMap<String, Vec<String>> = remote.into_iter().collect();
        let addresses: Vec<String> = by_address.keys().cloned().collect();
        let writer = Mutex::new(self);
        archive.pictures(addresses, &mut |address, bytes| {
            progress(Step::Done(address));
            if let (Some(files), Ok(mut writer)) = (by_address.get(address), writer.lock()) {
                writer.picture(
                    files,
                    bytes.map_err(|why| format!("the picture `{address}` could not be fetched ({why})")),
                );
            }
        });
    }

    fn picture(&mut self, files: &[String], bytes: Result<Vec<u8>, String>) {
        match bytes {
            Ok(bytes) => files.iter().for_each(|file| self.put(file, &bytes)),
            Err(why) => {
                let place = Place::file(files.first().cloned().unwrap_or_default());
                self.problems.push(
                    Problem::warning(Code::ImportFailed, why)
                        .at(place)
                        .hint("put the picture there, or remove it from the post"),
                );
            }
        }
    }

    fn save(&mut self) {
        if let Err(error) = self.files.save() {
            self.problems.push(not_written(LIST, &error));
        }
    }
}

/// The bytes of a picture in a copy of the uploads.
fn in_uploads(uploads: &Path, address: &str) -> Option<Vec<u8>> {
    let path = comparable(address);
    let (_, below) = path.split_once("/uploads/")?;
    let is_inside = Path::new(below).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    is_inside
        .then(|| fs_err::read(uploads.join(below)).ok())
        .flatten()
        .filter(|bytes| archive::picture_ending(bytes).is_some())
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
