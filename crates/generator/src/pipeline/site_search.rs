//! The index of the site's search: takes the text of each page as it is rendered, and publishes the files of the index with
//! the pages.
//!
//! Each language has an index of its own, in parts if it has many pages. Each part is named by a hash of everything that it is
//! made from. While all are the same, pagefind is not started, and the files of the last build stay; otherwise, the parts that
//! have changed are made, at the same time. A page stays in its part, so an edited text costs one part. [`Purpose::Preview`] does not index: it returns an [`IndexJob`], which `serve` runs in
//! the background; the next build takes its result from the cache.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use api_types::html::escape;
use assets::output::{self, Body, Output};
use assets::{IndexDocument, IndexFiles, IndexPart};
use config::{Config, SearchSettings};
use diagnostics::problem::Problem;
use publish::{OutputState, Publisher};
use search_index::elision;
use site::model::{Body as PageBody, Page, Site};
use site::routes::{Routes, file_of};
use workspace::parallel;
use workspace::sources::{Hash, hash, hash_value, hex, keep_value, kept_value};
use workspace::timings::Timings;

use super::{Purpose, Step};

/// The file of the record in the cache folder, followed by a hash of the output folder.
const RECORD: &str = "index/texts";
/// The most pages in a part of an index, on average. More pages make the parts of a language twice as many.
const PART_PAGES: usize = 2_000;

/// The facts about a build's index, for the next build.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Record {
    /// The name of the index.
    index: String,
    /// Its files.
    files: Vec<String>,
    /// By output file of a page: the hash of what its text was taken from, and that of its text.
    texts: BTreeMap<String, (Hash, Hash)>,
}

/// The facts about a page before it is rendered.
struct PageFacts {
    /// The code of its language, which has an index.
    language: String,
    url: String,
    /// The part of the document before the text.
    head: String,
    /// The weights of the main heading and of other headings.
    headings: (f64, f64),
}

/// The document of a page, and the hash of the page that it was taken from.
struct Text {
    page: Hash,
    document: String,
}

/// The pages of a build that the search finds.
pub(super) struct SearchedPages {
    pages: BTreeMap<String, PageFacts>,
    /// The texts of the pages that were rendered.
    rendered: Mutex<BTreeMap<String, Text>>,
    /// The hashes of pages that are as in the output folder.
    unchanged: Mutex<BTreeMap<String, Hash>>,
}

impl SearchedPages {
    /// `None` if the site has no search.
    pub fn of(config: &Config, site: &Site, routes: &Routes) -> Option<SearchedPages> {
        let search = config.site.search.as_ref()?;
        let pages = site
            .pages
            .iter()
            .filter_map(|page| {
                let kind = site.search_kind(page)?;
                let weight = search.weight(kind);
                (weight > 0.0).then(|| {
                    (
                        file_of(&page.path),
                        PageFacts::of(config, site, routes, search, page, kind),
                    )
                })
            })
            .collect();
        Some(SearchedPages {
            pages,
            rendered: Mutex::default(),
            unchanged: Mutex::default(),
        })
    }

    /// Takes the text of an output, if it is one of the pages.
    pub fn add(&self, output: &Output) {
        let Some(facts) = self.pages.get(&output.path) else {
            return;
        };
        match &output.body {
            Body::Bytes(bytes) => {
                let text = Text {
                    page: hash(bytes),
                    document: facts.document(&String::from_utf8_lossy(bytes)),
                };
                lock(&self.rendered).insert(output.path.clone(), text);
            }
            Body::Unchanged(hash) => drop(lock(&self.unchanged).insert(output.path.clone(), *hash)),
            Body::File(_) => {}
        }
    }

    /// Publishes the index. Without a published one that is up to date, it comes from the cache or is made now; with
    /// [`Purpose::Preview`] the last one stays, and the job is returned.
    pub fn publish(
        self,
        config: &Config,
        purpose: Purpose,
        (output_state, publisher): (&OutputState, &Publisher),
        progress: &(dyn Fn(Step) + Sync),
        timings: &Timings,
    ) -> Result<Option<Arc<IndexJob>>, Problem> {
        let out = output::hash(&[config.paths.out.to_string_lossy().as_bytes()]);
        let file = config.paths.cache.join(format!("{RECORD}-{out}"));
        let last = kept_value::<Record>(&file, crate::MADE_BY).unwrap_or_default();
        let job = timings.stage("compare text", || self.job(config, output_state, &last));
        let is_whole = last.index == job.name
            && !last.files.is_empty()
            && last
                .files
                .iter()
                .all(|path| output_state.files().contains_key(path.as_str()));
        let kept = last
            .files
            .iter()
            .filter(|path| publisher.keep(path))
            .cloned();
        let (files, unfinished) = if is_whole {
            (kept.collect(), None)
        } else {
            let files = match job.cached() {
                Some(files) => Some(files),
                None if purpose == Purpose::Preview => None,
                None => {
                    progress(Step::Stage("indexing text for the search"));
                    Some(timings.stage("index pages", || job.run())?)
                }
            };
            if let Some(files) = files {
                last.files.iter().for_each(|path| publisher.leave_out(path));
                let names = files.iter().map(|(path, _)| path.clone()).collect();
                let outputs: Vec<Output> = files
                    .into_iter()
                    .map(|(path, bytes)| Output::bytes(path, Arc::new(bytes)))
                    .collect();
                parallel::each(&outputs, |output| publisher.put(output));
                (names, None)
            } else {
                (kept.collect(), Some(Arc::new(job.clone_for_later())))
            }
        };
        let index = if unfinished.is_some() {
            last.index.clone()
        } else {
            job.name.clone()
        };
        let record = Record {
            index,
            files,
            texts: job.texts,
        };
        // Without it, the next build takes all texts again.
        let _ = keep_value(&file, crate::MADE_BY, &record);
        Ok(unfinished)
    }

    /// The texts of all pages. That of a page which was not rendered is known by its hash, and is read if it is needed.
    fn job(self, config: &Config, output_state: &OutputState, last: &Record) -> IndexJob {
        let mut rendered = self
            .rendered
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let unchanged = self
            .unchanged
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let mut pages = Vec::with_capacity(self.pages.len());
        for (file, facts) in self.pages {
            let fresh = rendered.remove(&file);
            let Some(page) = fresh.as_ref().map(|text| text.page).or_else(|| {
                unchanged.get(&file).copied().or_else(|| {
                    output_state
                        .files()
                        .get(file.as_str())
                        .map(|published| published.hash)
                })
            }) else {
                continue;
            };
            let source = hash_value(&(
                page,
                &facts.url,
                &facts.head,
                facts.headings.0,
                facts.headings.1,
            ));
            pages.push((file, source, facts, fresh.map(|text| text.document)));
        }
        let texts = parallel::map(&pages, |(file, source, facts, document)| {
            let known = last
                .texts
                .get(file)
                .filter(|(of, _)| of == source)
                .map(|(_, text)| *text);
            let text = known.filter(|_| document.is_none());
            text.or_else(|| match document {
                Some(document) => Some(hash(document.as_bytes())),
                None => Some(hash(
                    facts
                        .document(&read(&config.paths.out.join(file))?)
                        .as_bytes(),
                )),
            })
        });
        let found =
            pages
                .into_iter()
                .zip(texts)
                .filter_map(|((file, source, facts, document), text)| {
                    let path = config.paths.out.join(&file);
                    Some((
                        file,
                        (source, text?),
                        IndexedPage {
                            path,
                            facts,
                            document,
                        },
                    ))
                });
        let mut job = IndexJob {
            config: config.clone(),
            name: String::new(),
            parts: Vec::new(),
            texts: BTreeMap::new(),
        };
        let mut by_language: BTreeMap<String, Vec<(Hash, Arc<IndexedPage>)>> = BTreeMap::new();
        for (file, sums, page) in found {
            let pages = by_language
                .entry(page.facts.language.to_ascii_lowercase())
                .or_default();
            pages.push((sums.1, Arc::new(page)));
            job.texts.insert(file, sums);
        }
        let indexer = assets::indexer(config);
        for (language, pages) in by_language {
            for (number, pages) in in_parts(pages).into_iter().enumerate() {
                let urls: Vec<(&str, Hash)> = pages
                    .iter()
                    .map(|(text, page)| (page.facts.url.as_str(), *text))
                    .collect();
                let name = hex(&hash_value(&(&indexer, urls)));
                let (language, is_first) = (language.clone(), number == 0);
                job.parts.push(Arc::new(PartIndex {
                    language,
                    is_first,
                    name,
                    pages,
                }));
            }
        }
        let names: Vec<&str> = job.parts.iter().map(|part| part.name.as_str()).collect();
        job.name = hex(&hash_value(&names));
        job
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Poisoned only if another thread panicked while inserting; the map is intact.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read(file: &std::path::Path) -> Option<String> {
    std::fs::read_to_string(file).ok()
}

/// A page that is indexed.
struct IndexedPage {
    /// Its file in the output folder.
    path: PathBuf,
    facts: PageFacts,
    /// `None` for a page that is as in the output folder.
    document: Option<String>,
}

/// The pages of a language, in parts of about [`PART_PAGES`]. The URL of a page decides its part.
fn in_parts(pages: Vec<(Hash, Arc<IndexedPage>)>) -> Vec<Vec<(Hash, Arc<IndexedPage>)>> {
    let count = pages.len().div_ceil(PART_PAGES).max(1).next_power_of_two();
    let mut parts = vec![Vec::new(); count];
    for (text, page) in pages {
        let [first, second, ..] = hash(page.facts.url.as_bytes());
        parts[usize::from(u16::from_le_bytes([first, second])) % count].push((text, page));
    }
    parts
}

/// A part of the index of a language.
struct PartIndex {
    language: String,
    is_first: bool,
    name: String,
    /// In the order of their files, each with the hash of its text.
    pages: Vec<(Hash, Arc<IndexedPage>)>,
}

impl PartIndex {
    fn with(&self, files: IndexFiles) -> IndexPart {
        let folder = (!self.is_first).then(|| self.name.clone());
        IndexPart {
            language: self.language.clone(),
            folder,
            files,
        }
    }

    /// The files of the part, from the cache or made now. Pages that have changed meanwhile are as they are now.
    fn files(&self, config: &Config) -> Result<IndexFiles, Problem> {
        if let Some(files) = assets::cached_index(config, &self.name) {
            return Ok(files);
        }
        let documents = parallel::map(&self.pages, |(text, page)| {
            let html = page
                .document
                .clone()
                .or_else(|| Some(page.facts.document(&read(&page.path)?)))?;
            let is_same = hash(html.as_bytes()) == *text;
            Some((
                is_same,
                IndexDocument {
                    url: page.facts.url.clone(),
                    html,
                },
            ))
        });
        let is_same = documents
            .iter()
            .all(|document| document.as_ref().is_some_and(|(is_same, _)| *is_same));
        let documents: Vec<IndexDocument> = documents
            .into_iter()
            .flatten()
            .map(|(_, document)| document)
            .collect();
        let files = assets::index(config, &documents)?;
        if is_same {
            assets::keep_index(config, &self.name, &files);
        }
        Ok(files)
    }
}

/// An index that is not made yet.
pub struct IndexJob {
    config: Config,
    name: String,
    /// Those of all languages.
    parts: Vec<Arc<PartIndex>>,
    texts: BTreeMap<String, (Hash, Hash)>,
}

impl std::fmt::Debug for IndexJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexJob")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl IndexJob {
    /// The name of the index, a hash of everything that it is made from.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn clone_for_later(&self) -> IndexJob {
        let (config, name) = (self.config.clone(), self.name.clone());
        IndexJob {
            config,
            name,
            parts: self.parts.clone(),
            texts: self.texts.clone(),
        }
    }

    /// The files of all indexes, if the cache has them.
    fn cached(&self) -> Option<IndexFiles> {
        let cached = self
            .parts
            .iter()
            .map(|part| Some(part.with(assets::cached_index(&self.config, &part.name)?)));
        assets::joined_index(cached.collect::<Option<Vec<_>>>()?).ok()
    }

    /// Makes the indexes that the cache lacks, and keeps them there.
    ///
    /// # Errors
    /// A problem without a place if pagefind cannot be started or fails.
    pub fn run(&self) -> Result<IndexFiles, Problem> {
        let made: Vec<Result<IndexPart, Problem>> =
            parallel::map(&self.parts, |part| Ok(part.with(part.files(&self.config)?)));
        assets::joined_index(made.into_iter().collect::<Result<_, _>>()?)
    }
}

impl PageFacts {
    fn of(
        config: &Config,
        site: &Site,
        routes: &Routes,
        search: &SearchSettings,
        page: &Page,
        kind: &str,
    ) -> PageFacts {
        let weight = search.weight(kind);
        let language = &site.locales[site.locale_index(&page.locale)].language;
        let title = escape(page.name(&config.site.in_language(&page.locale).product.name));
        let mut head = format!(
            "<!doctype html><html lang=\"{language}\"><head><title>{title}</title>\
            <meta data-pagefind-meta=\"title[content]\" content=\"{title}\">\
            <meta data-pagefind-filter=\"kind[content]\" content=\"{}\">",
            escape(kind)
        );
        for (name, value) in filters(search, site, page) {
            let _ = write!(
                head,
                "<meta data-pagefind-filter=\"{name}[content]\" content=\"{}\">",
                escape(&value)
            );
        }
        let _ = write!(head, "</head><body data-pagefind-weight=\"{weight}\">");
        let url = routes.href(&page.path);
        let url = url
            .strip_prefix(config.site.base_path())
            .unwrap_or(&url)
            .to_owned();
        let language = language.clone();
        PageFacts {
            language,
            url,
            head,
            headings: (
                (search.weights.title * weight).min(10.0),
                (search.weights.headings * weight).min(10.0),
            ),
        }
    }

    /// The document that is indexed: the main part of a page, with the weights of headings.
    fn document(&self, html: &str) -> String {
        let start = html.find("<main").or_else(|| html.find("<body"));
        let main = start.map_or(html, |start| &html[start..]);
        let main = main
            .rfind("</main>")
            .map_or(main, |end| &main[..end + "</main>".len()]);
        let mut document = String::with_capacity(self.head.len() + main.len() + 200);
        document.push_str(&self.head);
        let mut rest = main;
        let has_elision = elision::has_elision(&self.language);
        // The id of a section, until its heading: a result leads to headings with an id.
        let mut of_section = None;
        while let Some(at) = rest.find('<') {
            let tag = &rest[at..];
            let tag = &tag[..tag.find('>').map_or(tag.len(), |end| end + 1)];
            let level = heading_level(tag);
            document.push_str(&elision::findable(&rest[..at], has_elision));
            rest = &rest[at + tag.len()..];
            if tag.starts_with("<section") {
                of_section = id_of(tag);
            }
            let Some(level) = level else {
                document.push_str(tag);
                continue;
            };
            let weight = if level == '1' {
                self.headings.0
            } else {
                self.headings.1
            };
            let _ = write!(document, "<h{level} data-pagefind-weight=\"{weight}\"");
            if let Some(id) = of_section
                .take()
                .filter(|_| level != '1' && id_of(tag).is_none())
            {
                let _ = write!(document, " id=\"{id}\"");
            }
            document.push_str(&tag[3..]);
        }
        document.push_str(&elision::findable(rest, has_elision));
        document.push_str("</body></html>");
        document
    }
}

/// The level of a tag that begins a heading.
fn heading_level(tag: &str) -> Option<char> {
    let mut signs = tag.strip_prefix("<h")?.chars();
    let level = signs.next().filter(|level| ('1'..='6').contains(level))?;
    signs
        .next()
        .filter(|next| *next == '>' || next.is_ascii_whitespace())
        .map(|_| level)
}

/// The id of a tag as it is written.
fn id_of(tag: &str) -> Option<&str> {
    tag.split_once(" id=\"")?.1.split('"').next()
}

/// The values of an entry by which visitors can narrow a search, each with the name of its filter.
fn filters<'a>(search: &'a SearchSettings, site: &Site, page: &Page) -> Vec<(&'a str, String)> {
    let PageBody::Entry(id) = page.body else {
        return Vec::new();
    };
    let collection = site.collections.list[id.collection].schema.name;
    let index = site.locale_index(&page.locale);
    let locale = (index, &site.locales[index]);
    search
        .filters
        .iter()
        .flat_map(|filter| {
            let values = filter
                .path(collection)
                .map(|path| site.collections.names(id, &locale, path));
            let mut values: Vec<String> = values
                .into_iter()
                .flatten()
                .map(|value| {
                    match filter
                        .values
                        .get(&value)
                        .and_then(|words| words.get(&page.locale))
                    {
                        Some(words) => words.clone(),
                        None => value,
                    }
                })
                .collect();
            values.sort();
            values.dedup();
            values
                .into_iter()
                .map(|value| (filter.name.value.as_str(), value))
                .collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_the_main_part_with_weights() {
        let facts = PageFacts {
            language: "en".into(),
            url: "/".into(),
            head: "H".into(),
            headings: (7.0, 2.5),
        };
        let page = "<html><header>menu</header><main id=\"main\"><h1>A</h1><hr><h2 id=\"b\">B</h2>\
            <section id=\"c\"><h2 class=\"y\">C</h2><h3>D</h3></section></main><footer>f</footer>";
        let expect = "H<main id=\"main\"><h1 data-pagefind-weight=\"7\">A</h1><hr>\
            <h2 data-pagefind-weight=\"2.5\" id=\"b\">B</h2><section id=\"c\">\
            <h2 data-pagefind-weight=\"2.5\" id=\"c\" class=\"y\">C</h2>\
            <h3 data-pagefind-weight=\"2.5\">D</h3></section></main></body></html>";
        assert_eq!(facts.document(page), expect);
        let facts = PageFacts {
            language: "fr-CA".into(),
            ..facts
        };
        let apostrophe = "\u{f0027} ";
        assert_eq!(
            facts.document("<main><p title=\"l'œ\">L’<em>œil</em></p></main>"),
            format!(
                "H<main><p title=\"l'œ\">L’{apostrophe}<em>oeil-\u{f0153}\u{100002}</em></p></main></body></html>"
            )
        );
    }
}
