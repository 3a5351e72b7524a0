//! Checks that every address in a finished file exists. Files are read on their way to the output folder.
//!
//! The plan stage has resolved the links in content; this one finds literal addresses in templates. It runs in `build`
//! as well as in `check`, because a dead address must not be published. Each page is read on the thread that rendered
//! it, and only its addresses and ids are kept. A mistake is reported once, however many pages contain it, and at the
//! line of the template if a template contains it.
//!
//! A dead address is an error. A page without links to it is a warning, so that an editor can preview a new page.

mod address_check;
pub mod external;
mod html_scan;
mod orphans;
mod targets;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;

use assets::output::{Body, Output};
use config::SiteSettings;
use content::Templates;
use diagnostics::problem::{Place, Problems};
use manifest::{BuildManifest, Links, PageLinks, Reference};
use schema::types::{alike, one_file};
use site::model::Site;
use site::routes::{Route, Routes, file_of, numbered};
use workspace::parallel;

use address_check::AddressCheck;
use html_scan::Kind;
use targets::Target;

/// Collects the links of finished files.
#[derive(Debug)]
pub struct LinkChecker<'a> {
    /// The manifest of the last build, which has the links of unchanged files.
    previous: &'a BuildManifest,
    table: Mutex<LinkTable>,
}

#[derive(Debug, Default)]
struct LinkTable {
    /// Unsorted, because sorting all of them at the end is faster.
    files: Vec<(String, Option<Arc<PageLinks>>)>,
    /// The number of each address.
    names: HashMap<String, u32>,
}

/// Whether a finished file has other ids or addresses than that of the last build. False for a file whose addresses are
/// not read.
pub fn has_other_links(last_build: &BuildManifest, output: &Output) -> bool {
    let read = match &output.body {
        Body::Bytes(bytes) => html_scan::read(&output.path, bytes),
        Body::File(_) | Body::Unchanged(_) => None,
    };
    let known = last_build.files.get(&output.path).map(|file| file.links);
    read.is_some_and(|read| known != Some(read.sum()))
}

/// The links of all finished files.
#[derive(Debug)]
pub struct LinkReport {
    /// Every file below `dist/`, with its links if it was read.
    files: BTreeMap<String, Option<Arc<PageLinks>>>,
    names: Vec<String>,
}

/// The finished files by number, and the target of each name.
struct FileIndex<'a> {
    files: Vec<(&'a str, Option<&'a PageLinks>)>,
    /// The page that a file shows.
    pages: Vec<Option<usize>>,
    /// The target of each name, and the file that serves it.
    targets: Vec<(Target, Option<usize>)>,
}

/// Tells whether an output file is one of `static/`.
fn is_static(routes: &Routes, file: &str) -> bool {
    routes.get(&format!("/{file}")) == Some(&Route::Static)
}

/// The number of a page's file. A page is found with or without the trailing slash.
fn number_of(numbers: &HashMap<&str, usize>, path: &str) -> Option<usize> {
    let found = numbers.get(file_of(path).as_str());
    found
        .or_else(|| numbers.get(file_of(&format!("{path}/")).as_str()))
        .copied()
}

impl<'a> LinkChecker<'a> {
    /// Starts with the numbers that names had in the last build, so that its `PageLinks` remain valid.
    pub fn new(previous: &'a BuildManifest) -> LinkChecker<'a> {
        let names = (0_u32..)
            .zip(&previous.pages().links.names)
            .map(|(number, name)| (name.clone(), number))
            .collect();
        LinkChecker {
            previous,
            table: Mutex::new(LinkTable {
                names,
                ..LinkTable::default()
            }),
        }
    }

    /// Adds a file and reads its links. Files of `static/` are not read.
    pub fn add_file(&self, output: &Output) {
        let read = match &output.body {
            Body::Bytes(bytes) => html_scan::read(&output.path, bytes),
            Body::File(_) => None,
            Body::Unchanged(_) => {
                self.add_unchanged(std::iter::once(output.path.clone()));
                return;
            }
        };
        let Some(read) = read else {
            self.table().files.push((output.path.clone(), None));
            return;
        };
        let sum = read.sum();
        let mut table = self.table();
        // Borrowed: a list that is made of an owned one keeps the memory of that one, which is many times as large.
        let references = read
            .references
            .iter()
            .map(|found| {
                let name = table.number(&found.address);
                let hreflang = found
                    .hreflang
                    .as_ref()
                    .map(|language| table.number(language));
                Reference::new(name, found.kind == Kind::Link, hreflang)
            })
            .collect();
        let links = PageLinks {
            sum,
            ids: read.ids,
            references,
        };
        table
            .files
            .push((output.path.clone(), Some(Arc::new(links))));
    }

    /// Adds files as they were in the last build.
    pub fn add_unchanged(&self, paths: impl Iterator<Item = String>) {
        let known = &self.previous.pages().links.files;
        let files = paths.map(|path| {
            let links = known.get(&path).cloned();
            (path, links)
        });
        self.table().files.extend(files);
    }

    /// Adds a file that is written later and contains no links.
    pub fn add_unread_file(&self, path: &str) {
        self.table().files.push((path.to_owned(), None));
    }

    /// Ends the collection, after all files were added.
    pub fn finish(self) -> LinkReport {
        let LinkTable { mut files, names } = self
            .table
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let mut list = vec![String::new(); names.len()];
        for (name, number) in names {
            list[number as usize] = name;
        }
        parallel::sort_by(&mut files, |(a, _), (b, _)| a.cmp(b));
        LinkReport {
            files: files.into_iter().collect(),
            names: list,
        }
    }

    fn table(&self) -> MutexGuard<'_, LinkTable> {
        // Poisoned only if another thread panicked; the table is intact.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LinkTable {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.insert(name.to_owned(), next);
        next
    }
}

impl LinkReport {
    /// Reports dead addresses and, if there are none, pages without links to them.
    pub fn check(
        &self,
        settings: &SiteSettings,
        site: &Site,
        routes: &Routes,
        templates: &Templates,
    ) -> Problems {
        let numbered = self.numbered(settings, routes);
        let mut problems = self.check_alike(routes);
        problems.extend(
            AddressCheck {
                names: &self.names,
                numbered: &numbered,
                settings,
                site,
                routes,
                templates,
            }
            .problems(),
        );
        // With broken links, pages without links to them may be a consequence.
        if problems.is_empty() {
            problems.extend(orphans::check(&numbered, site, routes));
        }
        problems
    }

    /// Reports files that some systems take for one: `static/Robots.txt` and the generated `robots.txt`.
    fn check_alike(&self, routes: &Routes) -> Problems {
        let mut problems = Problems::new();
        for (_, files) in alike(self.files.keys().map(String::as_str)) {
            let (written, mut all): (Vec<&str>, Vec<&str>) =
                files.into_iter().partition(|file| is_static(routes, file));
            all.extend(written);
            for pair in all.windows(2) {
                let place = if is_static(routes, pair[1]) {
                    format!("static/{}", pair[1])
                } else {
                    pair[1].to_owned()
                };
                problems.push(one_file([pair[0], pair[1]], Place::file(place)));
            }
        }
        problems
    }

    /// The links of all files, for the manifest. Unused names are dropped once they are more than half.
    pub fn into_links(self) -> Links {
        let LinkReport { files, names } = self;
        let mut links: BTreeMap<String, Arc<PageLinks>> = files
            .into_iter()
            .filter_map(|(file, links)| Some((file, links?)))
            .collect();
        let mut used = vec![false; names.len()];
        for reference in links.values().flat_map(|links| &links.references) {
            used[reference.name as usize] = true;
            if let Some(language) = reference.hreflang() {
                used[language as usize] = true;
            }
        }
        if used.iter().filter(|used| **used).count() * 2 >= names.len() {
            return Links {
                names,
                files: links,
            };
        }
        let mut numbers = vec![0; names.len()];
        let mut kept = Vec::new();
        for (number, name) in names
            .into_iter()
            .enumerate()
            .filter(|(number, _)| used[*number])
        {
            numbers[number] = u32::try_from(kept.len()).unwrap_or(u32::MAX);
            kept.push(name);
        }
        for reference in links
            .values_mut()
            .flat_map(|links| &mut Arc::make_mut(links).references)
        {
            let hreflang = reference.hreflang().map(|name| numbers[name as usize]);
            *reference = Reference::new(
                numbers[reference.name as usize],
                reference.is_link(),
                hreflang,
            );
        }
        Links {
            names: kept,
            files: links,
        }
    }

    /// Every `http` address of other sites that a page links to, with the first file that contains it.
    pub fn outside(&self, settings: &SiteSettings) -> BTreeMap<&str, &str> {
        let outside: Vec<bool> = self
            .names
            .iter()
            .map(|name| name.starts_with("http") && Target::read(settings, name) == Target::Outside)
            .collect();
        let mut found = BTreeMap::new();
        for (file, links) in self
            .files
            .iter()
            .filter_map(|(file, links)| Some((file, links.as_ref()?)))
        {
            for reference in links
                .references
                .iter()
                .filter(|reference| reference.is_link())
            {
                let name = reference.name as usize;
                if outside[name] {
                    found
                        .entry(self.names[name].as_str())
                        .or_insert(file.as_str());
                }
            }
        }
        found
    }

    /// Resolves each address once, however many pages contain it.
    fn numbered(&self, settings: &SiteSettings, routes: &Routes) -> FileIndex<'_> {
        let files: Vec<_> = self
            .files
            .iter()
            .map(|(file, links)| (file.as_str(), links.as_deref()))
            .collect();
        let numbers: HashMap<&str, usize> = files
            .iter()
            .enumerate()
            .map(|(at, (file, _))| (*file, at))
            .collect();
        let targets = parallel::map(&self.names, |address: &String| {
            match Target::read(settings, address) {
                Target::Inside { path, anchor } => {
                    // `/list/?page=2` is the page `/list/page/2/`, if it exists.
                    let query = address
                        .split('#')
                        .next()
                        .and_then(|address| address.split_once('?'));
                    let page = query.and_then(|(_, query)| numbered::page(&path, query));
                    let page = page.and_then(|page| Some((number_of(&numbers, &page)?, page)));
                    let (number, path) = page.map_or_else(
                        || (number_of(&numbers, &path), path),
                        |(number, page)| (Some(number), page),
                    );
                    (Target::Inside { path, anchor }, number)
                }
                target => (target, None),
            }
        });
        let mut pages = vec![None; files.len()];
        for (path, route) in routes.iter() {
            if let (Route::Page { page, .. }, Some(number)) =
                (route, numbers.get(file_of(path).as_str()))
            {
                pages[*number] = Some(*page);
            }
        }
        FileIndex {
            files,
            pages,
            targets,
        }
    }
}
