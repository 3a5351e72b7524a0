//! The site at one moment: its settings and its files, read and planned once, at its first use. A build, the language
//! server, the forms, the preview and the importer all come from a change to the site through a [`Workspace`].
//!
//! Here is decided whether responses of a CMS and of addresses are good: only the whole site shows whether one has a mistake
//! that stops it. A good one is kept once the site is rendered without an error.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use diagnostics::problem::{Problem, Problems, Severity};

use crate::model::{self, BlogPage, Body, Site, shared};
use crate::routes::{self, Route, Routes};
use config::source_index::SourceIndex;
use config::{Config, Options, SnapshotMode};
use content::blog::Post;
use content::{Blog, Content, FetchedPosts, Suspects, origins};
use workspace::files::FileSet;
use workspace::timings::Timings;

/// The cache of the islands of marked pages, in the cache folder. It is of one marked site: others have other marks.
pub const MARKED: &str = "marked";

/// A site at one moment. It is a value: a change makes another one. Clones share what is read.
#[derive(Debug, Clone)]
pub struct Workspace {
    config: Arc<Config>,
    /// The problems that were found while the settings were read.
    in_settings: Arc<Problems>,
    reading: Arc<Reading>,
}

/// The parts of a workspace that are read at their first use.
#[derive(Debug, Default)]
struct Reading {
    fetched: Mutex<Option<FetchedPosts>>,
    sources: OnceLock<SourceIndex>,
    planned: OnceLock<(Planned, Problems)>,
    /// The new responses that the site was read with, until they are kept.
    good: Mutex<Option<FetchedPosts>>,
}

/// A change of a site.
#[derive(Debug)]
pub enum SiteChange {
    /// Files are read as in this set: with texts that are not saved.
    Files(FileSet),
    /// Texts are marked with where they are written.
    Marks,
}

/// A site, as it was read and planned.
#[derive(Debug)]
pub struct Planned {
    /// The settings.
    pub config: Arc<Config>,
    /// The content.
    pub content: Content,
    /// The problems that were found while settings and files were read one by one.
    pub loaded: Vec<Problem>,
    /// The model that is made of it.
    pub site: Site,
    /// Every address, and what is there.
    pub routes: Routes,
}

impl Workspace {
    /// The site of these settings.
    pub fn open(config: Config) -> Workspace {
        Workspace {
            config: Arc::new(config),
            in_settings: Arc::default(),
            reading: Arc::default(),
        }
    }

    /// The site of these options and files, with the problems in its settings. `None` if it has no settings; then there are
    /// the problems in the syntax of the other files as well.
    pub fn load(options: &Options, files: &FileSet) -> (Option<Workspace>, Problems) {
        let (config, mut problems) = config::load_from(options, files.clone());
        if config.is_none() {
            problems.extend(content::check_syntax(files));
        }
        let workspace = config.map(|config| Workspace {
            in_settings: Arc::new(problems.clone()),
            ..Workspace::open(config)
        });
        (workspace, problems)
    }

    /// The site after a change. Nothing is asked of a CMS: somebody waits for an answer, and the reading before has fetched
    /// what there is.
    #[must_use]
    pub fn with(&self, change: SiteChange) -> Workspace {
        let mut config = (*self.config).clone();
        config.run.snapshot = SnapshotMode::Offline;
        match change {
            SiteChange::Files(files) => {
                config.paths.root = config.paths.root.as_of(&files);
                Workspace::open(config)
            }
            SiteChange::Marks => {
                let islands = config.paths.cache.join(MARKED);
                let marked = Workspace::open(config.marked(&islands, &origins::mark_tree));
                let known = Some(&*self.site().content.blog);
                let (sources, timings) = (marked.sources(), Timings::off());
                let read = read_once(&marked.config, sources, None, known, &timings);
                let _ = marked.reading.planned.set(read);
                marked
            }
        }
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Fetches the posts of a CMS and entries from addresses before the site is read. It may be slow, so this comes before
    /// any lock. Meanwhile, `on_wait` is called once a second with the host of the CMS and the elapsed seconds. Returns whether
    /// there is anything new.
    pub fn fetch(&self, on_wait: &dyn Fn(&str, u64)) -> bool {
        let fetched = content::fetch_posts(&self.config, on_wait);
        let has_news = fetched.as_ref().is_some_and(FetchedPosts::has_news);
        if let Ok(mut kept) = self.reading.fetched.lock() {
            *kept = fetched;
        }
        has_news
    }

    /// Keeps the new responses that the site was read with. Whoever renders calls this once there is no error.
    pub fn keep_responses(&self) -> Problems {
        let good = self.reading.good.lock().ok();
        let good = good.and_then(|mut good| good.take());
        good.map_or_else(Problems::new, |good| {
            good.keep(&self.config, &Problems::new())
        })
    }

    /// The site with the kept responses in place of new ones that may be the cause of these errors; `None` if there are none.
    #[must_use]
    pub fn without_news(&self, suspects: Suspects, problems: &Problems) -> Option<Workspace> {
        let good = self.reading.good.lock().ok()?;
        let rest = good.as_ref()?.without(&self.config, suspects, problems)?;
        let reading = Reading {
            fetched: Mutex::new(Some(rest)),
            ..Reading::default()
        };
        Some(Workspace {
            reading: Arc::new(reading),
            ..self.clone()
        })
    }

    /// The files as they were listed before they were read.
    pub fn sources(&self) -> &SourceIndex {
        self.reading
            .sources
            .get_or_init(|| SourceIndex::scan(&self.config))
    }

    /// The site, read and planned at its first use.
    pub fn site(&self) -> &Planned {
        &self.read(&Timings::off()).0
    }

    /// The problems that were found while the site was read and planned.
    pub fn problems(&self) -> Problems {
        self.read(&Timings::off()).1.clone()
    }

    /// The same as both, with the time that each stage takes.
    pub fn read(&self, timings: &Timings) -> &(Planned, Problems) {
        self.reading.planned.get_or_init(|| {
            let sources = self.sources();
            let kept = self.reading.fetched.lock().ok();
            let fetched = kept.and_then(|mut kept| kept.take());
            let fetched = fetched.or_else(|| content::fetch_posts(&self.config, &|_, _| ()));
            let (mut planned, problems, good) = read(&self.config, sources, fetched, timings);
            if let Ok(mut kept) = self.reading.good.lock() {
                *kept = good;
            }
            planned.loaded.extend(self.in_settings.iter().cloned());
            (planned, problems)
        })
    }

    /// The problems in one page or post as it is in other files, without reading all others again; `None` for another kind of
    /// file, whose problems only a whole reading finds.
    pub fn check(&self, files: &FileSet, file: &Path) -> Option<Problems> {
        let mut config = (*self.config).clone();
        config.paths.root = config.paths.root.as_of(files);
        let (_, problems) = self.site().content.reread(&config, file)?;
        Some(problems)
    }

    /// Reads a saved post again and, if only its text has changed, takes it up in place. Returns the index of its page.
    /// `None` if more may have changed, if the post has a problem, or if somebody else has this reading: then the site has to
    /// be read again.
    pub fn take_up(&mut self, file: &Path) -> Option<usize> {
        let (planned, _) = Arc::get_mut(&mut self.reading)?.planned.get_mut()?;
        let (index, page, post) = planned.new_text(file)?;
        let anchors = post.body.links().anchors.to_vec();
        // Both the content and the site have the posts.
        planned.content.blog = Arc::default();
        let blog = Arc::get_mut(&mut planned.site.blog.content);
        let put = blog.map(|blog| blog.posts[index] = post);
        planned.content.blog = Arc::clone(&planned.site.blog.content);
        put?;
        planned.site.pages[page].anchors = anchors;
        Some(page)
    }
}

impl Planned {
    /// The post in a file with its new text, its index and that of its page; `None` if something else may have changed.
    fn new_text(&self, file: &Path) -> Option<(usize, usize, Box<Post>)> {
        let posts = &self.content.blog.posts;
        let index = posts.iter().position(|post| post.origin.is(file))?;
        let (post, problems) = self.content.reread(&self.config, file)?;
        let post = post.filter(|_| problems.is_empty())?;
        let pages = &self.site.pages;
        let page = pages
            .iter()
            .position(|page| page.body == Body::Blog(BlogPage::Post(index)))?;
        let is_canonical = matches!(
            self.routes.get(&pages[page].path),
            Some(Route::Page { page: canonical, .. }) if *canonical == page
        );
        let is_only_text = posts[index].all_but_text() == post.all_but_text();
        (is_only_text && is_canonical && self.links_are_alive(page, &post))
            .then_some((index, page, post))
    }

    fn links_are_alive(&self, page: usize, post: &Post) -> bool {
        let locale = self.site.locale_index(&self.site.pages[page].locale);
        // An anchor on the page itself may be new: a build looks it up.
        post.links().map(|target| &target.to).all(|to| {
            !to.starts_with('#') && self.routes.resolve(&self.site, to, locale, None).is_ok()
        })
    }
}

/// Loads, resolves and plans what was listed and fetched. New answers are good if the site has no mistake that it would
/// not have without them, today and with all that is not public yet; otherwise it is read with the kept ones, if that helps.
/// Returns the good ones last. With a mistake that others make, nothing is rendered, so they are kept at once.
fn read(
    config: &Arc<Config>,
    sources: &SourceIndex,
    fetched: Option<FetchedPosts>,
    timings: &Timings,
) -> (Planned, Problems, Option<FetchedPosts>) {
    let once = |fetched| read_once(config, sources, fetched, None, timings);
    let Some(new) = fetched.clone().filter(FetchedPosts::is_new) else {
        let (planned, problems) = once(fetched);
        return (planned, problems, None);
    };
    let (first, mut problems) = once(fetched);
    problems.extend(new.shrunk(config, &first.content));
    let later = |fetched: &FetchedPosts, content: &Content| {
        errors_later(config, sources, fetched, content, timings)
    };
    let early = later(&new, &first.content);
    let mut all = problems.clone();
    all.extend(early.clone());
    let mut is_to_blame = false;
    for suspects in [Suspects::Named, Suspects::All]
        .into_iter()
        .filter(|_| all.has_errors())
    {
        let Some(rest) = new.without(config, suspects, &all) else {
            continue;
        };
        let (again, found) = once(Some(rest.clone()));
        let helps = is_one_gone(&problems, &found);
        if !found.has_errors() && (helps || is_one_gone(&early, &later(&rest, &again.content))) {
            return (again, found, Some(rest));
        }
        is_to_blame = helps;
    }
    if problems.has_errors() && !is_to_blame {
        problems.extend(new.keep(config, &problems));
    }
    let good = (!problems.has_errors()).then_some(new);
    (first, problems, good)
}

/// Whether one of these errors is not among others.
fn is_one_gone(problems: &Problems, others: &Problems) -> bool {
    errors(problems).any(|error| errors(others).all(|other| other != error))
}

/// The errors that the site will have when all entries are public; none if they are now.
fn errors_later(
    config: &Arc<Config>,
    sources: &SourceIndex,
    fetched: &FetchedPosts,
    content: &Content,
    timings: &Timings,
) -> Problems {
    let collections = &content.collections.list;
    if collections.iter().all(|one| one.withdrawn.is_empty()) {
        return Problems::new();
    }
    let mut config = (**config).clone();
    config.run.drafts = true;
    let fetched = Some(fetched.clone());
    let (_, problems) = read_once(&Arc::new(config), sources, fetched, None, timings);
    problems.without(|problem| problem.severity != Severity::Error)
}

fn read_once(
    config: &Arc<Config>,
    sources: &SourceIndex,
    fetched: Option<FetchedPosts>,
    known: Option<&Blog>,
    timings: &Timings,
) -> (Planned, Problems) {
    let mut problems = Problems::new();
    let load = || content::load_listed(config, sources, fetched, known);
    let content = problems.take(timings.stage("load", load));
    let loaded = problems.iter().cloned().collect();
    let site = problems.take(timings.stage("resolve", || model::resolve(&config.site, &content)));
    let routes = problems.take(timings.stage("plan", || routes::plan(&config.site, &site)));
    let planned = Planned {
        config: Arc::clone(config),
        content,
        loaded,
        site,
        routes,
    };
    (planned, problems)
}

fn errors(problems: &Problems) -> impl Iterator<Item = &Problem> {
    problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
}

/// The address of the page that shows a file first, by the path of the file.
pub fn addresses(site: &Site) -> BTreeMap<String, String> {
    let mut addresses = BTreeMap::new();
    let of_shared = site
        .shared
        .iter()
        .filter_map(|sections| Some((sections, shared::shown_on(site, sections)?)));
    for (written, page) in site.pages.iter().map(|page| (page, page)).chain(of_shared) {
        for file in written
            .source
            .paths()
            .filter(|file| !file.is_empty() && !file.contains("://"))
        {
            addresses
                .entry(file.to_owned())
                .or_insert_with(|| page.path.value.clone());
        }
    }
    addresses
}
