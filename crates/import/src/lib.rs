//! Imports the blog of a WordPress into the site: posts as Markdown, their pictures, authors, and redirects.
//!
//! The source is an export file or the REST API. Nothing is dropped in silence: what a post of this site cannot hold is
//! replaced or left out with a note in the report. An import may be repeated, and never overwrites the work of a
//! person (`imported_files`).

mod addresses;
mod classic;
mod convert;
mod encoding;
mod evidence;
mod export_file;
mod ids;
mod imported_files;
mod meta;
mod page_file;
mod pages;
mod placeholder;
mod plain;
mod plan;
pub mod proof;
#[cfg(test)]
mod properties;
mod server;
pub mod settle;
mod shapes;
mod shortcodes;
mod simplify;
mod source;
pub mod verify;
mod writer;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use serde::Serialize;

use config::Config;
use content::blog::archive::Archive;
use diagnostics::problem::{Code, Place, Problem, Problems};
use site::model::{BlogPage, Body};
use site::routes::Route;
use site::{Planned, Workspace};
use text::markup::{canonical, markdown, tree};
use workspace::files::not_written;

use addresses::SiteUrls;
use convert::Converter;
use imported_files::{ImportedFiles, LIST};
use pages::Existing;
use plan::{ImportPlan, comparable};
use source::SourceSite;
use writer::Writer;

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
pub struct ImportOptions {
    /// The source.
    pub from: From,
    /// The locale of posts without a language; the default one of the site if it is `None`.
    pub locale: Option<String>,
    /// A copy of `wp-content/uploads`; pictures are requested from the server if it is `None`.
    pub uploads: Option<PathBuf>,
    /// Import no pictures and no documents.
    pub without_pictures: bool,
    /// Collect what [`proof::prove`] compares.
    pub with_proof: bool,
}

/// An event of an import, for a progress bar.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// A stage begins, with the number of its parts.
    Stage(&'static str, usize),
    /// A part is done.
    Done(&'a str),
}

/// The result of an import.
#[derive(Debug, Default, Serialize)]
pub struct ImportReport {
    /// How many files were written, updated, unchanged, kept, deleted by a person, or in conflict.
    pub files: BTreeMap<&'static str, usize>,
    /// Each post with what a person should know about it, by its file.
    pub posts: BTreeMap<String, PostReport>,
    /// The same of each page.
    pub pages: BTreeMap<String, PostReport>,
    /// The content that was not imported, with how many there were.
    pub not_imported: BTreeMap<String, usize>,
    /// Items that were not imported, by number, with what they are.
    pub skipped: BTreeMap<u64, String>,
    /// Texts about the site, its tags and its files that no page shows.
    pub about: BTreeMap<String, String>,
    /// Fields that only WordPress itself reads, with how many there were.
    pub internal_fields: BTreeMap<String, usize>,
    /// Names of authors without an imported post.
    pub authors_without_posts: BTreeSet<String>,
    /// Addresses of files in the media library that no imported text shows or links to.
    pub unused_files: BTreeSet<String>,
    /// Files of the site that could not be had, each with the reason. Links to them lead to the old site.
    pub missing_files: BTreeMap<String, String>,
    /// The number of redirects.
    pub redirects: usize,
    /// Redirects that the site cannot have, each with the reason.
    pub redirects_left_out: BTreeSet<String>,
    /// Files that both a person and WordPress have changed.
    pub conflicts: Vec<String>,
    /// The data that a proof compares.
    #[serde(skip)]
    pub evidence: proof::Evidence,
}

/// An imported post.
#[derive(Debug, Default, Clone, Serialize)]
pub struct PostReport {
    /// Its address in WordPress.
    pub from: String,
    /// Its number in WordPress.
    pub number: u64,
    /// The differences, each with the reason.
    pub notes: BTreeSet<String>,
    /// Texts that were left out, with the reason of each.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, String>,
    /// Fields of plugins that the site has no place for, as `name: value`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Whether its file has other content than the import gave it, because a person has edited or deleted it.
    #[serde(skip)]
    pub is_edited: bool,
}

/// Text without markup, on one line.
fn plain_text(html: &str) -> String {
    let text = if html.contains(['<', '&']) {
        tree::text(&tree::parse(html))
    } else {
        html.to_owned()
    };
    text.chars()
        .filter(|c| !c.is_control() || c.is_whitespace())
        .collect::<String>()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Imports into the site of `config`. Progress is reported; a problem of one post does not stop the others.
pub fn run(
    config: &Config,
    options: &ImportOptions,
    progress: &(dyn Fn(Step) + Sync),
) -> (ImportReport, Problems) {
    match import(config, options, progress) {
        Ok(done) => done,
        Err(problem) => (ImportReport::default(), (*problem).into()),
    }
}

fn import(
    config: &Config,
    options: &ImportOptions,
    progress: &(dyn Fn(Step) + Sync),
) -> Result<(ImportReport, Problems), Box<Problem>> {
    let locales: Vec<String> = config
        .site
        .locales
        .iter()
        .map(|code| code.value.clone())
        .collect();
    let default = match &options.locale {
        None => locales.first().cloned().unwrap_or_default(),
        Some(code) if locales.contains(code) => code.clone(),
        Some(code) => {
            let problem = Problem::error(
                Code::ImportFailed,
                format!("the site has no language `{code}`"),
            );
            return Err(Box::new(
                problem.hint(format!("add it first: `sitegen new locale {code}`")),
            ));
        }
    };
    let home = match &options.from {
        From::Server(home) => Some(home.clone()),
        From::ExportFile(_) => None,
    };
    let aside = config.paths.cache.join("import");
    let archive = Archive::new(config, home, Some(aside.join("answers")));
    let archive = archive.map_err(|why| Box::new(Problem::error(Code::ImportFailed, why)))?;
    progress(Step::Stage("reading", 0));
    let mut texts = HashMap::new();
    let source = match &options.from {
        From::ExportFile(file) => export_file::read(file)?,
        From::Server(home) => {
            let (source, read) = server::read(&archive, home).map_err(|why| {
                let problem = Problem::error(
                    Code::ImportFailed,
                    format!("WordPress could not be read: {why}"),
                );
                problem
                    .at(Place::file(home.to_string()))
                    .hint("check the URL; nothing was imported")
            })?;
            texts = read;
            source
        }
    };
    let opened = ImportedFiles::open(&config.paths.root, aside.clone());
    let files = opened.map_err(|error| Box::new(not_written(LIST, &error)))?;
    let (blogs, existing) = existing(config, &files);
    let mut plan = plan::plan(&source, &locales, &default);
    pages::plan(&mut plan, &source, &locales, &default, &blogs, &existing);
    let own: BTreeSet<String> = existing.pages.keys().cloned().collect();
    let site = SiteUrls {
        blogs: &blogs,
        default: &default,
        own: &own,
    };
    let (links, numbers) = addresses::links(&source, &plan, &site);
    let media = source
        .media
        .iter()
        .map(|(number, media)| (comparable(&media.address), *number))
        .collect();
    let no_author =
        plan::key_of(&plain_text(&source.title)).unwrap_or_else(|| "editors".to_owned());
    let with_files = !options.without_pictures;
    let converter = Converter {
        source: &source,
        plan: &plan,
        links: &links,
        numbers: &numbers,
        media: &media,
        no_author: &no_author,
        with_files,
    };
    let mut writer = Writer::new(config, files, aside, &converter, &site);
    writer.report.evidence.home.clone_from(&source.home);
    writer.with_proof = options.with_proof;
    writer.report.not_imported = not_imported(&source, &plan);
    writer.report.skipped = source.skipped.clone();
    writer.report.skipped.extend(plan.left_out_items.clone());
    writer.report.about = about(&source, &plan);
    writer
        .report
        .internal_fields
        .clone_from(&source.internal_fields);
    progress(Step::Stage(
        "converting",
        plan.posts.len() + plan.pages.len(),
    ));
    match &options.from {
        From::ExportFile(file) => export_file::texts(file, &mut |number, text| {
            writer.take(number, text, progress);
        })?,
        From::Server(_) => {
            for number in plan
                .posts
                .iter()
                .map(|own| own.post.number)
                .chain(plan.pages.iter().map(|own| own.post.number))
            {
                writer.take(number, texts.remove(&number).unwrap_or_default(), progress);
            }
        }
    }
    writer.flush(progress);
    writer.authors(&archive, options);
    writer.redirects();
    if with_files {
        writer.files(&archive, options, progress);
    }
    let saved = &writer.report.evidence.saved;
    let unused = source
        .media
        .values()
        .filter(|media| !saved.contains_key(&comparable(&media.address)));
    writer.report.unused_files = unused.map(|media| media.address.clone()).collect();
    writer.save();
    archive.forget();
    Ok((writer.report, writer.problems))
}

/// The address of each language's blog, and the pages that the site has.
fn existing(config: &Config, files: &ImportedFiles) -> (BTreeMap<String, String>, Existing) {
    let workspace = Workspace::open(config.clone());
    let Planned { site, routes, .. } = workspace.site();
    let blogs = site.pages.iter().filter(|page| match page.body {
        Body::Blog(BlogPage::List(1)) => true,
        Body::Sections => page
            .sections
            .iter()
            .any(|section| section.kind.role == content::sections::SectionRole::PostList),
        _ => false,
    });
    let blogs = blogs
        .map(|page| (page.locale.clone(), page.path.value.clone()))
        .collect();
    let mut existing = Existing {
        pages: BTreeMap::new(),
        keys: BTreeSet::new(),
    };
    for (address, route) in routes.iter() {
        let Route::Page { page, .. } = route else {
            continue;
        };
        let page = &site.pages[*page];
        if matches!(page.body, Body::Blog(BlogPage::Post(_))) {
            continue;
        }
        let is_imported = files.is_known(&writer::page_file(&page.key, &page.locale));
        if !is_imported {
            existing.keys.insert(page.key.clone());
        }
        existing
            .pages
            .insert(address.to_owned(), (page.key.clone(), is_imported));
    }
    (blogs, existing)
}

/// The texts that no page shows: about the site, about its tags, and about files of the media library.
fn about(source: &SourceSite, plan: &ImportPlan) -> BTreeMap<String, String> {
    let mut about = source.about.clone();
    let used: BTreeSet<&String> = plan
        .posts
        .iter()
        .flat_map(|planned| &planned.tags)
        .collect();
    let names = source
        .terms
        .iter()
        .map(|term| plain_text(&term.name))
        .filter(|name| !used.contains(name));
    let unused = names
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect::<Vec<_>>()
        .join(", ");
    about.extend((!unused.is_empty()).then(|| {
        (
            "tags and categories that no imported post has".to_owned(),
            unused,
        )
    }));
    let texts = source
        .media
        .values()
        .filter(|media| !media.texts.is_empty() || !media.caption.is_empty());
    about.extend(texts.map(|media| {
        let texts = media
            .texts
            .iter()
            .chain([&media.caption, &media.alt])
            .filter(|text| !text.is_empty());
        (
            media.address.clone(),
            texts
                .map(|text| plain_text(text))
                .collect::<Vec<_>>()
                .join("; "),
        )
    }));
    about
}

fn not_imported(source: &SourceSite, plan: &ImportPlan) -> BTreeMap<String, usize> {
    let mut others = source.others.clone();
    for (language, count) in &plan.other_languages {
        others.insert(
            format!("posts and pages in `{language}`, which is not a language of the site"),
            *count,
        );
    }
    others.extend(
        plan.left_out
            .iter()
            .map(|(why, count)| ((*why).to_owned(), *count)),
    );
    others
}
