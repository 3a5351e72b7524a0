//! Writes what an import makes: posts, pages, authors, redirects, pictures and documents.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use rayon::prelude::*;

use config::Config;
use content::blog::archive::{self, Archive};
use diagnostics::problem::{Code, Place, Problem, Problems};
use diagnostics::yaml;
use workspace::files::{TEXT_LIMIT, not_written};
use workspace::kinds::Kind;

use super::addresses::{self, Redirects, SiteUrls, Tails};
use super::convert::{Converted, Converter, excerpt};
use super::imported_files::{FileOutcome, ImportedFiles, LIST};
use super::page_file::Taken;
use super::placeholder;
use super::plan::{Planned, PlannedPage, comparable};
use super::proof::{ComparedPost, Reasons};
use super::source::{SourcePost, SourceText};
use super::{ImportOptions, ImportReport, PostReport, Step, plain_text};

/// The number of posts that are converted at once, and then written.
const BATCH: usize = 64;

/// A file of redirects below `content/redirects/`, and its first line. Each kind has its own, so that a site on a host
/// that cannot follow one kind can do without it.
const PATHS: (&str, &str) = (
    "wordpress.yaml",
    "The URLs of WordPress, and where they redirect to.",
);
const QUERIES: (&str, &str) = (
    "wordpress-queries.yaml",
    "WordPress URLs with a parameter. Cloudflare and GitHub Pages ignore these.",
);
const FILES: (&str, &str) = (
    "wordpress-files.yaml",
    "WordPress images, and the pages that show them now.",
);

/// The file of a page.
pub(super) fn page_file(key: &str, locale: &str) -> String {
    Kind::Page.file(key, locale)
}

pub(super) struct Writer<'a> {
    config: &'a Config,
    files: ImportedFiles,
    aside: PathBuf,
    converter: &'a Converter<'a>,
    site: &'a SiteUrls<'a>,
    batch: Vec<(&'a Planned<'a>, SourceText)>,
    /// Titles and descriptions of pages.
    taken: Taken,
    /// Files to save: address → where.
    pictures: BTreeMap<String, Vec<String>>,
    documents: BTreeMap<String, Vec<String>>,
    tails: Tails,
    /// Addresses of pictures with the page that shows them.
    uploads: Vec<(String, BTreeSet<String>)>,
    /// Whether evidence is collected for a proof.
    pub with_proof: bool,
    pub report: ImportReport,
    pub problems: Problems,
}

impl<'a> Writer<'a> {
    pub fn new(
        config: &'a Config,
        files: ImportedFiles,
        aside: PathBuf,
        converter: &'a Converter<'a>,
        site: &'a SiteUrls<'a>,
    ) -> Writer<'a> {
        Writer {
            config,
            files,
            aside,
            converter,
            site,
            batch: Vec::with_capacity(BATCH),
            taken: Taken::new(),
            pictures: BTreeMap::new(),
            documents: BTreeMap::new(),
            tails: Tails::new(),
            uploads: Vec::new(),
            with_proof: false,
            report: ImportReport::default(),
            problems: Problems::new(),
        }
    }

    /// Takes the text of a post or a page. Posts are written some at a time.
    pub fn take(&mut self, number: u64, text: SourceText, progress: &(dyn Fn(Step) + Sync)) {
        let plan = self.converter.plan;
        if let Some(at) = plan.page_by_number.get(&number) {
            self.page(&plan.pages[*at], &text);
            progress(Step::Done(&plan.pages[*at].key));
        }
        let Some(at) = plan.by_number.get(&number) else {
            return;
        };
        self.batch.push((&plan.posts[*at], text));
        if self.batch.len() == BATCH {
            self.flush(progress);
        }
    }

    /// Converts and writes the posts that were taken.
    pub fn flush(&mut self, progress: &(dyn Fn(Step) + Sync)) {
        let converter = self.converter;
        let converted: Vec<(&Planned, SourceText, Converted)> = std::mem::take(&mut self.batch)
            .into_par_iter()
            .map(|(planned, text)| {
                let converted = converter.convert(planned, &text);
                (planned, text, converted)
            })
            .collect();
        for (planned, text, converted) in converted {
            progress(Step::Done(&planned.slug));
            let folder = planned.folder();
            let has_folder =
                converter.with_files && !converted.pictures.is_empty() || !text.comments.is_empty();
            let path = if has_folder {
                format!("{folder}/index.md")
            } else {
                format!("{folder}.md")
            };
            if self.is_too_long(
                &converted,
                planned.post.number,
                &planned.slug,
                &planned.post.link,
            ) {
                continue;
            }
            let outcome = self.put(&path, converted.text.as_bytes());
            if self.with_proof && planned.was_public() {
                self.prove(planned, &text, &converted, &path, outcome);
            }
            if !text.comments.is_empty()
                && let Ok(json) = serde_json::to_vec_pretty(&text.comments)
            {
                self.put(&format!("{folder}/comments.json"), &json);
            }
            let pages = 1 + text.content.matches("<!--nextpage-->").count();
            let mut tails: Vec<String> = (2..=pages).map(|number| number.to_string()).collect();
            tails.extend((!text.comments.is_empty()).then(|| "comment-page-1".to_owned()));
            self.tails.insert(planned.post.number, tails);
            let address = self
                .site
                .path_of(&planned.locale, &planned.slug)
                .filter(|_| planned.was_public());
            let mut report = reported(planned.post, &text, &converted);
            report.is_edited = is_edited(outcome);
            self.collect(converted, &folder, address);
            self.report.posts.insert(path, report);
        }
        self.save();
    }

    fn page(&mut self, page: &PlannedPage, text: &SourceText) {
        let converted = self.converter.convert_page(page, text, &mut self.taken);
        if self.is_too_long(&converted, page.post.number, &page.key, &page.post.link) {
            return;
        }
        let path = page_file(&page.key, &page.locale);
        let outcome = self.put(&path, converted.text.as_bytes());
        let mut report = reported(page.post, text, &converted);
        if !text.comments.is_empty() {
            report
                .notes
                .insert("its comments are in the report only".to_owned());
            let comments = text.comments.iter();
            report.fields.extend(
                comments.map(|comment| format!("comment of {}: {}", comment.author, comment.text)),
            );
        }
        report.is_edited = is_edited(outcome);
        let folder = Kind::Page.folder_of(&page.key, "");
        self.collect(converted, &folder, Some(page.path.clone()));
        self.report.pages.insert(path, report);
    }

    /// Notes the files of a converted text.
    fn collect(&mut self, converted: Converted, folder: &str, address: Option<String>) {
        for (file, address) in converted.pictures {
            self.pictures
                .entry(address)
                .or_default()
                .push(format!("{folder}/{file}"));
        }
        for (path, address) in converted.documents {
            let files = self.documents.entry(address).or_default();
            let file = format!("static{path}");
            if !files.contains(&file) {
                files.push(file);
            }
        }
        self.uploads
            .extend(address.map(|address| (address, converted.uploads)));
    }

    fn is_too_long(&mut self, converted: &Converted, number: u64, slug: &str, link: &str) -> bool {
        let is_too_long = converted.text.len() as u64 > TEXT_LIMIT;
        if is_too_long {
            let limit = TEXT_LIMIT / 1_000_000;
            let message = format!(
                "post {number} (`{slug}`) was left out: its text is larger than {limit} MB"
            );
            let place = Place::file(link.to_owned());
            self.problems
                .push(Problem::warning(Code::ImportFailed, message).at(place));
        }
        is_too_long
    }

    /// Writes a file, unless that would lose somebody's work. `None` if it could not be written.
    fn put(&mut self, path: &str, bytes: &[u8]) -> Option<FileOutcome> {
        let outcome = match self.files.put(path, bytes) {
            Ok(outcome) => outcome,
            Err(error) => {
                self.problems.push(not_written(path, &error));
                return None;
            }
        };
        let name = match outcome {
            FileOutcome::Written => "written",
            FileOutcome::Updated => "updated",
            FileOutcome::Unchanged => "unchanged",
            FileOutcome::Kept => "kept",
            FileOutcome::Deleted => "deleted",
            FileOutcome::Conflict => "in conflict",
        };
        *self.report.files.entry(name).or_default() += 1;
        if outcome == FileOutcome::Conflict {
            let aside = workspace::files::shown(&self.config.paths.root, &self.aside.join(path));
            let message = if self.files.is_known(path) {
                "the file was edited, and WordPress has a newer version; the file was left unchanged"
            } else {
                "the file existed before the import and was left unchanged"
            };
            self.problems.push(
                Problem::warning(Code::ImportConflict, message)
                    .at(Place::file(path.to_owned()))
                    .hint(format!("compare it with the new version in `{aside}`")),
            );
            self.report.conflicts.push(path.to_owned());
        }
        Some(outcome)
    }

    /// Notes what a proof compares of a post.
    fn prove(
        &mut self,
        planned: &Planned,
        text: &SourceText,
        converted: &Converted,
        file: &str,
        outcome: Option<FileOutcome>,
    ) {
        let Some(address) = self.site.path_of(&planned.locale, &planned.slug) else {
            return;
        };
        let is_edited = is_edited(outcome);
        let mut left_out = converted.left_out.clone();
        left_out.extend(Converter::filled_in(text, &converted.notes));
        let reasons = Reasons {
            notes: converted.notes.clone(),
            left_out,
            is_edited,
        };
        let evidence = &mut self.report.evidence;
        let from = planned.post.link.clone();
        evidence.compared.push(ComparedPost {
            file: file.to_owned(),
            address,
            from,
            reasons,
        });
        let raw = self.converter.as_cms(planned, text);
        evidence
            .posts
            .entry(planned.locale.clone())
            .or_default()
            .push(raw);
        let rendered = self.converter.pictures_in(planned, text);
        let rendered = rendered.into_iter().filter_map(|(address, full)| {
            let (file, _) = converted
                .pictures
                .iter()
                .find(|(_, address)| **address == full)?;
            Some((address, file.clone()))
        });
        for (address, name) in converted.written.clone().into_iter().chain(rendered) {
            evidence
                .pictures
                .insert(address, format!("{}/{name}", planned.folder()));
        }
    }

    pub fn authors(&mut self, archive: &Archive, options: &ImportOptions) {
        let converter = self.converter;
        let (source, plan) = (converter.source, converter.plan);
        let used: BTreeSet<&str> = plan
            .posts
            .iter()
            .map(|planned| planned.author.as_str())
            .collect();
        let authors = plan
            .authors
            .iter()
            .filter(|(_, slug)| used.contains(slug.as_str()));
        let unused = plan
            .authors
            .iter()
            .filter(|(_, slug)| !used.contains(slug.as_str()));
        let unused = unused
            .filter_map(|(name, _)| source.authors.get(name))
            .map(|author| plain_text(&author.name));
        self.report.authors_without_posts = unused.collect();
        let authors: Vec<_> = authors
            .filter_map(|(name, slug)| Some((source.authors.get(name)?, slug)))
            .collect();
        let mut portraits: HashMap<String, Vec<u8>> = HashMap::new();
        if !options.without_pictures {
            let addresses = authors
                .iter()
                .filter_map(|(author, _)| author.avatar.clone())
                .collect();
            // An author without a portrait gets drawn initials.
            archive.files(addresses, true, &mut |address, bytes| {
                portraits.extend(bytes.ok().map(|bytes| (address.to_owned(), bytes)));
            });
        }
        for (author, slug) in authors {
            let name = plan.renamed_authors.get(slug);
            let name = name.map_or_else(|| plain_text(&author.name), String::clone);
            let mut text = format!("name: {}\n", yaml::value_text(&name, false));
            let description = plain_text(&author.description);
            if !description.is_empty() {
                // WordPress has one text, and shows it in every language.
                text.push_str("description:\n");
                for locale in &self.config.site.locales {
                    let _ = writeln!(
                        text,
                        "  {}: {}",
                        locale.value,
                        yaml::value_text(&description, false)
                    );
                }
            }
            let portrait = author
                .avatar
                .as_ref()
                .and_then(|address| portraits.get(address));
            if let Some((bytes, ending)) =
                portrait.and_then(|bytes| Some((bytes, archive::picture_ending(bytes)?)))
            {
                let _ = writeln!(text, "avatar: {slug}.{ending}");
                self.put(&format!("content/authors/{slug}.{ending}"), bytes);
            }
            self.put(&format!("content/authors/{slug}.yaml"), text.as_bytes());
        }
        if used.contains("") {
            let name = if source.title.is_empty() {
                "Editors".to_owned()
            } else {
                plain_text(&source.title)
            };
            let text = format!("name: {}\n", yaml::value_text(&name, false));
            self.put(
                &format!("content/authors/{}.yaml", converter.no_author),
                text.as_bytes(),
            );
        }
    }

    /// Writes the redirects, those of pictures too.
    pub fn redirects(&mut self) {
        let redirects: Redirects = addresses::redirects(
            self.converter.source,
            self.converter.plan,
            self.site,
            &self.tails,
        );
        let kept = self.documents.values().flatten();
        let kept = kept
            .filter_map(|file| file.strip_prefix("static"))
            .map(str::to_owned)
            .collect();
        let mut uploads = std::mem::take(&mut self.uploads);
        // The order of an export file is not that of the API, and the next import should find the same.
        uploads.sort();
        let files = addresses::files(self.converter.source, &uploads, &kept);
        self.report.redirects_left_out.extend(redirects.left_out);
        for ((name, about), redirects) in [
            (PATHS, redirects.paths),
            (QUERIES, redirects.queries),
            (FILES, files),
        ] {
            self.report.redirects += redirects.len();
            if redirects.is_empty() {
                continue;
            }
            let mut text = format!("# {about} `sitegen import` writes this file.\n");
            for (from, to) in redirects {
                let _ = writeln!(
                    text,
                    "- {{from: {}, to: {}}}",
                    yaml::quoted_text(&from),
                    yaml::quoted_text(&to)
                );
            }
            self.put(&format!("content/redirects/{name}"), text.as_bytes());
        }
    }

    /// Saves pictures next to their posts, and documents below `static/`: from a folder, or from the server.
    pub fn files(
        &mut self,
        archive: &Archive,
        options: &ImportOptions,
        progress: &(dyn Fn(Step) + Sync),
    ) {
        let (pictures, documents) = (
            std::mem::take(&mut self.pictures),
            std::mem::take(&mut self.documents),
        );
        let saved = pictures
            .iter()
            .chain(&documents)
            .map(|(address, files)| (comparable(address), files.clone()));
        self.report.evidence.saved = saved.collect();
        for (wanted, stage, is_picture) in [
            (pictures, "fetching images", true),
            (documents, "fetching documents", false),
        ] {
            let wanted: BTreeMap<String, Vec<String>> = wanted
                .into_iter()
                .filter(|(_, files)| self.is_missing(files))
                .collect();
            progress(Step::Stage(stage, wanted.len()));
            let mut remote = BTreeMap::new();
            for (address, files) in wanted {
                let Some(uploads) = &options.uploads else {
                    remote.insert(address, files);
                    continue;
                };
                progress(Step::Done(&address));
                let found = in_uploads(uploads, &address, is_picture);
                self.file(
                    &files,
                    found.ok_or_else(|| format!("`{address}` is not in the `--uploads` folder")),
                );
            }
            let addresses: Vec<String> = remote.keys().cloned().collect();
            let mut unsaved = 0;
            archive.files(addresses, is_picture, &mut |address, bytes| {
                progress(Step::Done(address));
                let what = if is_picture { "image" } else { "document" };
                let bytes = bytes
                    .map_err(|why| format!("the {what} `{address}` could not be fetched ({why})"));
                self.file(&remote[address], bytes);
                unsaved += 1;
                // An import that is stopped knows what it has.
                if unsaved % BATCH == 0 {
                    self.save();
                }
            });
        }
    }

    /// Whether one of the files is neither there nor was imported before: a person may have removed it.
    fn is_missing(&self, files: &[String]) -> bool {
        files.iter().any(|file| {
            let on_disk = fs_err::read(self.config.paths.root.join(file));
            match on_disk {
                Ok(bytes) => placeholder::is_one(&bytes),
                Err(_) => !self.files.is_known(file),
            }
        })
    }

    fn file(&mut self, files: &[String], bytes: Result<Vec<u8>, String>) {
        match bytes {
            Ok(bytes) => {
                for file in files {
                    self.put(file, &bytes);
                }
            }
            Err(why) => {
                for file in files {
                    self.report.missing_files.insert(file.clone(), why.clone());
                    let Some(bytes) =
                        placeholder::of(file).filter(|_| file.starts_with("content/"))
                    else {
                        continue;
                    };
                    self.put(file, bytes);
                    let name = file.rsplit('/').next().unwrap_or(file);
                    let note = format!("a placeholder replaces `{name}`: {why}");
                    let folder = file.trim_end_matches(name);
                    let all = self.report.posts.iter_mut().chain(&mut self.report.pages);
                    let post = all.into_iter().find(|(post, _)| {
                        post.strip_prefix(folder)
                            .is_some_and(|rest| !rest.contains('/'))
                    });
                    if let Some((_, post)) = post {
                        post.notes.insert(note);
                    }
                }
                let file = files.first().cloned().unwrap_or_default();
                let hint = format!("save the file as `{file}`, or remove it from the post");
                let problem = Problem::warning(Code::ImportFailed, why).at(Place::file(file));
                self.problems.push(problem.hint(hint));
            }
        }
    }

    pub fn save(&mut self) {
        if let Err(error) = self.files.save() {
            self.problems.push(not_written(LIST, &error));
        }
    }
}

/// Whether a file has other content than the import gave it.
fn is_edited(outcome: Option<FileOutcome>) -> bool {
    matches!(
        outcome,
        Some(FileOutcome::Kept | FileOutcome::Conflict | FileOutcome::Deleted) | None
    )
}

/// The facts about a post or a page that a person should know.
fn reported(post: &SourcePost, text: &SourceText, converted: &Converted) -> PostReport {
    let mut fields: Vec<String> = post
        .fields
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let is_hidden = excerpt(post, text) != post.description.as_deref().map(plain_text);
    fields.extend(
        post.description
            .iter()
            .filter(|_| is_hidden)
            .map(|text| format!("description: {text}")),
    );
    PostReport {
        from: post.link.clone(),
        number: post.number,
        notes: converted.notes.clone(),
        left_out: converted.left_out.iter().cloned().collect(),
        fields,
        is_edited: false,
    }
}

/// The bytes of a file in a copy of the uploads.
fn in_uploads(uploads: &Path, address: &str, is_picture: bool) -> Option<Vec<u8>> {
    let path = comparable(address);
    let (_, below) = path.split_once("/uploads/")?;
    let is_inside = Path::new(below)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let bytes = is_inside
        .then(|| fs_err::read(uploads.join(below)).ok())
        .flatten()?;
    (!is_picture || archive::picture_ending(&bytes).is_some()).then_some(bytes)
}
