//! Reads the site again after each change, in three threads. One looks at the changed file alone, so that a mistake is shown
//! at once however large the site is; one reads and plans the site; the last one runs the whole check when no change has
//! come for a moment.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use config::{self, Config};
use content::Content;
use diagnostics::problem::{Code, Place, Problem, Severity};
use json_schema::{FileContents, entry_contents};
use languages::locale::Locale;
use site::model::{Body, shared};
use site::{Planned, Workspace};
use workspace::files::{self, FileSet};
use workspace::kinds::Kind;
use workspace::parallel::lower_priority;

use super::revision::{Revision, listed};
use super::{Event, Generator};

/// The whole check begins when no change has come for this time.
const PAUSE: Duration = Duration::from_millis(300);
/// The whole site is read this long after a change: an editor asks about the text right after it, and the answers need the
/// cores first.
const GAP: Duration = Duration::from_millis(20);
/// Bytes of the stack of a thread that reads sites: as many as the main thread of a build has on most systems.
pub(super) const STACK: usize = 8 << 20;

/// A page that links can lead to.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// Its key, such as `about` or `blog/outage`.
    pub key: String,
    pub locale: String,
    pub path: String,
    pub title: String,
    pub description: String,
    pub anchors: Vec<String>,
    /// Its file; `None` for a page that no file of its own describes.
    pub file: Option<PathBuf>,
}

/// The names that content can refer to.
#[derive(Clone, Default)]
pub(super) struct Index {
    pub root: FileSet,
    pub locales: Arc<Vec<Locale>>,
    /// The codes of languages that are not announced yet.
    pub withheld: Vec<String>,
    pub targets: Vec<Target>,
    /// The names that `on_pages` can have, each with its meaning.
    pub patterns: BTreeMap<String, String>,
    pub tags: BTreeSet<String>,
    pub pictures: Vec<String>,
    /// The design tokens, each with its name and its value, by group.
    pub tokens: BTreeMap<String, Vec<(String, String)>>,
    pub icons: Arc<Vec<String>>,
    /// The content of each kind of file.
    pub contents: BTreeMap<Kind, FileContents>,
    /// The collections of the site, by name.
    pub collections: BTreeMap<String, KnownCollection>,
}

/// A collection of the site.
#[derive(Clone)]
pub(super) struct KnownCollection {
    /// The content of its entries.
    pub contents: FileContents,
    /// The files of its entries, by key.
    pub files: BTreeMap<String, PathBuf>,
    /// The keys of its entries, with their names.
    pub entries: Vec<(String, String)>,
}

/// The findings in a revision of the site.
pub(super) struct Findings {
    pub revision: Arc<Revision>,
    pub index: Arc<Index>,
    /// The problems by file. One without a place, or that concerns a folder, is in the settings.
    pub problems: BTreeMap<PathBuf, Vec<Problem>>,
}

impl Index {
    /// The tokens of a group: names and values.
    pub fn tokens_of(&self, group: &str) -> &[(String, String)] {
        self.tokens
            .get(group)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }
}

impl Findings {
    /// Nothing, as long as the first revision is not read.
    pub fn none(revision: Arc<Revision>) -> Findings {
        Findings {
            revision,
            index: Arc::default(),
            problems: BTreeMap::new(),
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "asks the disk itself, not the files of a moment"
    )]
    fn new<'a>(
        index: Arc<Index>,
        revision: Arc<Revision>,
        found: impl IntoIterator<Item = &'a Problem>,
    ) -> Findings {
        let root = &revision.files;
        let mut problems: BTreeMap<PathBuf, Vec<Problem>> = BTreeMap::new();
        for problem in found {
            let named = problem.place.as_ref().map(|place| root.join(&place.path));
            let (path, problem) = match named {
                Some(path) if !path.is_dir() && !problem.place.iter().any(is_no_file) => {
                    (path, problem.clone())
                }
                _ => {
                    let place = problem
                        .place
                        .as_ref()
                        .map(|place| format!("{}: ", place.path));
                    let message = format!("{}{}", place.unwrap_or_default(), problem.message);
                    (
                        root.join(Kind::Site.path()),
                        Problem {
                            message,
                            place: None,
                            ..problem.clone()
                        },
                    )
                }
            };
            problems.entry(path).or_default().push(problem);
        }
        Findings {
            revision,
            index,
            problems,
        }
    }

    /// The problems of one file.
    pub fn of(&self, path: &Path) -> &[Problem] {
        self.problems
            .get(path)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// The problems of one file that reading it alone does not find. `planned` is the site of the same revision.
    fn later<'f>(&'f self, planned: &'f Planned, path: &Path) -> impl Iterator<Item = &'f Problem> {
        self.of(path).iter().filter(|problem| {
            !planned
                .loaded
                .iter()
                .any(|known| known.message == problem.message)
        })
    }
}

/// Whether the place is the command line.
fn is_no_file(place: &Place) -> bool {
    place.path == "--set"
}

/// Hands revisions to the threads.
pub(super) struct Analyst {
    /// The number of the newest revision. What was found for an older one is dropped.
    newest: Arc<AtomicU64>,
    workers: Vec<Sender<Arc<Revision>>>,
}

impl Analyst {
    /// Starts the threads.
    pub fn start(generator: Generator, events: &Sender<Event>) -> Analyst {
        let newest = Arc::new(AtomicU64::new(0));
        let shared = Arc::new(Mutex::new(AnalystState::default()));
        let mut workers = Vec::new();
        for work in [
            AnalystWorker::glance,
            AnalystWorker::plan,
            AnalystWorker::check,
        ] {
            let (sender, revisions) = mpsc::channel();
            workers.push(sender);
            let (newest, shared) = (Arc::clone(&newest), Arc::clone(&shared));
            let worker = AnalystWorker {
                generator,
                newest,
                shared,
                events: events.clone(),
            };
            // Without a thread, as without a site, there are no names and no problems; files are still outlined.
            let _ = std::thread::Builder::new()
                .stack_size(STACK)
                .spawn(move || work(&worker, &revisions));
        }
        Analyst { newest, workers }
    }

    /// Reads a new revision.
    pub fn read(&self, revision: &Arc<Revision>) {
        self.newest.store(revision.number, Ordering::SeqCst);
        for worker in &self.workers {
            // Fails if the thread could not be started.
            let _ = worker.send(Arc::clone(revision));
        }
    }
}

/// The state that all threads share.
#[derive(Default)]
struct AnalystState {
    index: Arc<Index>,
    /// The problems that the last reading found.
    early: Vec<Problem>,
    /// The problems that only the whole check finds. They may be out of date.
    late: Vec<Problem>,
    /// The last findings in the whole site.
    last: Option<Arc<Findings>>,
}

impl AnalystState {
    fn keep(&mut self, findings: Findings) -> Arc<Findings> {
        let findings = Arc::new(findings);
        self.last = Some(Arc::clone(&findings));
        findings
    }
}

struct AnalystWorker {
    generator: Generator,
    newest: Arc<AtomicU64>,
    shared: Arc<Mutex<AnalystState>>,
    events: Sender<Event>,
}

impl AnalystWorker {
    /// Looks at each changed file alone.
    fn glance(&self, revisions: &mpsc::Receiver<Arc<Revision>>) {
        while let Ok(first) = revisions.recv() {
            let revision = revisions.try_iter().last().unwrap_or(first);
            let Ok(Some(findings)) = survived(|| self.quick(&revision)) else {
                continue;
            };
            let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            // Unless the whole site was read meanwhile.
            if shared
                .last
                .as_ref()
                .is_none_or(|last| last.revision.number < revision.number)
                && self.events.send(Event::Found(Arc::new(findings))).is_err()
            {
                return;
            }
        }
    }

    /// Reads and plans each revision, as often as it can. Answers come first.
    fn plan(&self, revisions: &mpsc::Receiver<Arc<Revision>>) {
        lower_priority();
        while let Ok(first) = revisions.recv() {
            std::thread::sleep(GAP);
            let revision = revisions.try_iter().last().unwrap_or(first);
            let (index, problems) = survived(|| read(self.generator, &revision))
                .unwrap_or_else(|problem| (Index::default(), vec![problem]));
            if !self.is_newest(&revision) && !index.root.as_os_str().is_empty() {
                // Outdated; the next round is waiting. Names are still better than older ones.
                self.shared
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .index = Arc::new(index);
                continue;
            }
            let findings = {
                let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
                if !index.root.as_os_str().is_empty() {
                    shared.index = Arc::new(index);
                }
                let late = shared.late.iter().filter(|late| !problems.contains(late));
                let hidden = hidden(shared.last.as_deref(), &revision, &problems);
                let found = problems.iter().chain(late).chain(&hidden);
                let findings =
                    Findings::new(Arc::clone(&shared.index), Arc::clone(&revision), found);
                shared.early = problems;
                shared.keep(findings)
            };
            if self.events.send(Event::Found(findings)).is_err() {
                return;
            }
            // So that whoever asks for a name next need not wait for all files to be read.
            let _ = survived(|| revision.names_soon().is_some());
        }
    }

    /// The findings that are known at once if one page or post has changed: the problems in this file alone, and those
    /// that the last reading found elsewhere. Reading the whole site takes longer the larger it is.
    fn quick(&self, revision: &Arc<Revision>) -> Option<Findings> {
        let file = revision.changed.as_ref()?;
        let (last, index) = {
            let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            (shared.last.clone()?, Arc::clone(&shared.index))
        };
        let workspace = last.revision.workspace()?;
        let found = workspace.check(&revision.files, file)?;
        let found = if revision.options.strict {
            found.strict()
        } else {
            found
        };
        let shown = files::shown(&revision.files, file);
        let here = found
            .iter()
            .filter(|problem| {
                problem
                    .place
                    .as_ref()
                    .is_some_and(|place| place.path == shown)
            })
            .chain(last.later(workspace.site(), file));
        let here = here.cloned().collect();
        let mut problems = last.problems.clone();
        problems.insert(file.clone(), here);
        Some(Findings {
            revision: Arc::clone(revision),
            index,
            problems,
        })
    }

    /// Runs the whole check after each pause.
    fn check(&self, revisions: &mpsc::Receiver<Arc<Revision>>) {
        lower_priority();
        while let Ok(mut revision) = revisions.recv() {
            loop {
                match revisions.recv_timeout(PAUSE) {
                    Ok(next) => revision = next,
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
            let is_outdated = || !self.is_newest(&revision);
            // Both would wait for the same cores, and the editor waits for the plan.
            let _ = survived(|| revision.read().1.len());
            let problems = survived(|| check(self.generator, &revision, &is_outdated))
                .unwrap_or_else(|problem| vec![problem]);
            if is_outdated() {
                continue;
            }
            let findings = {
                let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
                let late = problems
                    .iter()
                    .filter(|problem| !shared.early.contains(problem))
                    .cloned()
                    .collect();
                shared.late = late;
                let findings = Findings::new(Arc::clone(&shared.index), revision, &problems);
                shared.keep(findings)
            };
            if self.events.send(Event::Found(findings)).is_err() {
                return;
            }
        }
    }

    fn is_newest(&self, revision: &Revision) -> bool {
        self.newest.load(Ordering::SeqCst) == revision.number
    }
}

/// The problems of the changed file before a mistake in it kept the rest of it from being read. Until the next pause,
/// the mistake that is being typed does not hide them.
fn hidden(last: Option<&Findings>, revision: &Revision, problems: &[Problem]) -> Vec<Problem> {
    let found = || {
        let (last, file) = (last?, revision.changed.as_ref()?);
        let shown = files::shown(&revision.files, file);
        let (before, now) = (last.revision.workspace()?, revision.workspace()?);
        let kept = last
            .later(before.site(), file)
            .filter(|problem| {
                !problems
                    .iter()
                    .any(|known| known.message == problem.message)
            })
            .cloned();
        now.site()
            .loaded
            .iter()
            .any(|problem| {
                problem.severity == Severity::Error
                    && problem
                        .place
                        .as_ref()
                        .is_some_and(|place| place.path == shown)
            })
            .then(|| kept.collect())
    };
    found().unwrap_or_default()
}

/// The result of reading the site. A panic is a bug of sitegen, which is reported like the problems of the site; the
/// next change is read again.
fn survived<T>(read: impl FnOnce() -> T) -> Result<T, Problem> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|_| {
        let message =
            "an internal error occurred while reading this site; see the log of the language server";
        Problem::error(Code::Internal, message)
            .hint("please report this bug; another edit might avoid it")
    })
}

/// The problems that `sitegen check` reports, in its order.
///
/// It ends by unwinding, as of a panic, when the revision is outdated: nobody waits for it anymore, and a large site takes
/// all cores for seconds.
fn check(
    generator: Generator,
    revision: &Revision,
    is_outdated: &(dyn Fn() -> bool + Sync),
) -> Vec<Problem> {
    let options = &revision.options;
    let (workspace, mut problems) = Workspace::load(options, &revision.files);
    if let Some(workspace) = workspace {
        let end_if_outdated = || {
            if is_outdated() {
                std::panic::resume_unwind(Box::new(()));
            }
        };
        problems.extend((generator.check)(workspace, &end_if_outdated));
    }
    listed(options, problems)
}

/// The names of a revision, and the problems in it. The index is empty if there is no site.
fn read(generator: Generator, revision: &Revision) -> (Index, Vec<Problem>) {
    let (workspace, problems) = revision.read();
    let index = workspace
        .as_ref()
        .map(|workspace| index(generator, workspace.site()));
    (index.unwrap_or_default(), problems.clone())
}

/// The names of all icons. There are thousands, and they change only when packages are installed.
fn icons(generator: Generator, config: &Config) -> Arc<Vec<String>> {
    static KNOWN: OnceLock<Arc<Vec<String>>> = OnceLock::new();
    Arc::clone(KNOWN.get_or_init(|| Arc::new((generator.icons)(config))))
}

/// The collections of a site, by name.
fn collections(content: &Content, root: &FileSet) -> BTreeMap<String, KnownCollection> {
    let languages: Vec<&str> = content
        .locales
        .iter()
        .map(|locale| locale.code.as_str())
        .collect();
    let known = content.collections.list.iter().map(|collection| {
        let public = collection
            .entries
            .iter()
            .map(|entry| (&entry.key, &entry.source));
        let withdrawn = collection
            .withdrawn
            .iter()
            .map(|entry| (&entry.key, &entry.source));
        let files = public
            .chain(withdrawn)
            .map(|(key, source)| (key.clone(), root.join(&source.path)));
        let known = KnownCollection {
            contents: entry_contents(&content.collections, collection, &languages),
            files: files.collect(),
            entries: collection
                .entries
                .iter()
                .map(|entry| (entry.key.clone(), entry.name().unwrap_or_default()))
                .collect(),
        };
        (collection.schema.name.to_owned(), known)
    });
    known.collect()
}

fn index(generator: Generator, planned: &Planned) -> Index {
    let (config, content, site) = (&planned.config, &planned.content, &planned.site);
    let root = config.paths.root.clone();
    let posts = content.blog.posts.iter().filter_map(|post| {
        Some((
            (format!("blog/{}", post.key), post.locale.clone()),
            post.origin.file()?,
        ))
    });
    let posts: BTreeMap<(String, String), PathBuf> = posts.collect();
    let targets = site.pages.iter().map(|page| {
        let own = match page.body {
            Body::Entry(_) => root.join(&page.source.path),
            _ => root.join(Kind::Page.file(&page.key, &page.locale)),
        };
        let file = posts
            .get(&(page.key.clone(), page.locale.clone()))
            .cloned()
            .or_else(|| root.exists(&own).then_some(own));
        Target {
            key: page.key.clone(),
            locale: page.locale.clone(),
            path: page.path.value.clone(),
            title: page.title.clone(),
            description: page.description.clone(),
            anchors: page.anchors.clone(),
            file,
        }
    });
    let mut tokens: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for token in &content.design.tokens {
        tokens
            .entry(token.group.clone())
            .or_default()
            .push((token.name.clone(), token.value.clone()));
    }
    Index {
        locales: Arc::new(content.locales.clone()),
        withheld: planned.config.site.withheld.clone(),
        targets: targets.collect(),
        patterns: shared::patterns(site),
        tags: content
            .blog
            .posts
            .iter()
            .flat_map(|post| post.tags.iter().cloned())
            .collect(),
        pictures: content.images.keys().map(str::to_owned).collect(),
        tokens,
        icons: icons(generator, config),
        contents: Kind::all()
            .map(|kind| (kind, json_schema::contents(kind, &content.kinds)))
            .collect(),
        collections: collections(content, &root),
        root,
    }
}
