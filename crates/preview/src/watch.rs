//! Watches the source folders for changes, also those that links in them lead to.
//!
//! The saves of one moment are one change. `notify-debouncer-full` could collect them, but a save would reach the
//! browser later, and a program that waits would not sleep: it looks at its queue four times within its delay, which is
//! 260 times a second for 15 ms. It also hands over each file when that file is quiet, so that a switch of branches would
//! be built many times.
//!
//! A build is also due when a date of the site passes. The thread sleeps until then, and looks at the clock once a minute,
//! because a machine that was suspended, or whose clock was set, is woken late.
//!
//! Changes that the system could not report are not guessed: after an overflow, and after an error, everything is
//! watched anew and rebuilt.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{ErrorKind, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use config::{self, Options};
use diagnostics::problem::{Code, Problem, Problems};
use schema::types::Moment;
use workspace::files::{FileSet, SOURCES, is_litter, reason};
use workspace::kinds::Kind;

/// Editors write a file in several steps; the build starts when no event has arrived for this time.
const DEBOUNCE: Duration = Duration::from_millis(15);
/// The same time if all programs that wrote the files have closed them, which only Linux reports.
const DEBOUNCE_CLOSED: Duration = Duration::from_millis(5);
/// The maximum time for which events may delay the build.
const DEBOUNCE_MAX: Duration = Duration::from_millis(300);
/// From this number of files, no author has saved them: a branch is switched, or an import runs.
const MANY: usize = 200;
/// Both times for so many files, so that one build follows.
const DEBOUNCE_MANY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));

/// The longest sleep before a date, after which the clock is looked at again.
const CLOCK_CHECK: Duration = Duration::from_mins(1);

/// The file that names the folders which links may lead to.
const SETTINGS: &str = Kind::Site.path();

/// A reason to build.
pub(super) enum WatchEvent<'a> {
    /// These files were changed or removed.
    Saved(&'a BTreeSet<PathBuf>),
    /// Any file may have changed. The problems say why not all changes are noticed, if the author can help that.
    Lost(Problems),
    /// The requested time has passed without a change.
    Pause,
    /// No photograph is left to encode.
    Encoded,
    /// A date of the site has passed.
    Due,
}

/// A message to the build thread.
enum Message {
    Changed(Vec<PathBuf>, WritingProgress),
    Lost(Problems),
    Encoded,
}

/// The progress of a program that writes a file, according to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WritingProgress {
    /// It may write more.
    Open,
    /// It has written all, and the change was reported before.
    Closed,
    /// The whole file is there.
    Done,
}

impl WritingProgress {
    /// `None` for an event that changes no file. Some programs remove a file before they write it again.
    fn of(kind: EventKind) -> Option<WritingProgress> {
        match kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => {
                Some(WritingProgress::Closed)
            }
            // Reads are events as well, and the build reads all sources.
            EventKind::Access(_) => None,
            EventKind::Modify(
                ModifyKind::Name(RenameMode::To | RenameMode::Both) | ModifyKind::Metadata(_),
            ) => Some(WritingProgress::Done),
            _ => Some(WritingProgress::Open),
        }
    }
}

/// The messages of one moment.
#[derive(Default)]
struct Batch {
    files: BTreeSet<PathBuf>,
    /// Those that may be written further.
    open: BTreeSet<PathBuf>,
    lost: Option<Problems>,
    is_encoded: bool,
}

impl Batch {
    fn add(&mut self, paths: Vec<PathBuf>, writing: WritingProgress) {
        for path in &paths {
            match writing {
                WritingProgress::Open => self.open.insert(path.clone()),
                WritingProgress::Closed | WritingProgress::Done => self.open.remove(path),
            };
        }
        if writing != WritingProgress::Closed {
            self.files.extend(paths);
        }
    }

    /// Whether nothing has changed: a file was closed whose change was handled before.
    fn is_empty(&self) -> bool {
        self.files.is_empty() && self.lost.is_none() && !self.is_encoded
    }

    /// How long no message may come before it is handled, and after which time it is in any case.
    fn debounce(&self) -> (Duration, Duration) {
        if self.files.len() >= MANY || self.lost.is_some() {
            DEBOUNCE_MANY
        } else if self.open.is_empty() {
            (DEBOUNCE_CLOSED, DEBOUNCE_MAX)
        } else {
            (DEBOUNCE, DEBOUNCE_MAX)
        }
    }
}

/// Sends the build thread messages other than file changes.
pub(super) struct Sender(mpsc::Sender<Message>);

impl Sender {
    /// No photograph is left to encode.
    pub fn encoded(&self) {
        // Fails only if the build thread has ended.
        let _ = self.0.send(Message::Encoded);
    }
}

/// Where sources are. All paths are canonical but for those of links.
struct Places {
    /// The source folders.
    folders: Vec<PathBuf>,
    /// Links in them, and the files and folders that they lead to.
    links: Vec<(PathBuf, PathBuf)>,
}

impl Places {
    /// The paths at which a build reads a changed file. None if it reads no such file: the system also reports files that
    /// the build writes.
    fn sources(&self, changed: &Path) -> Vec<PathBuf> {
        let in_folder = self
            .folders
            .iter()
            .filter(|folder| changed.starts_with(folder))
            .map(|_| changed.to_owned());
        let through_link = self.links.iter().filter_map(|(link, target)| {
            let below = changed.strip_prefix(target).ok()?;
            Some(if below.as_os_str().is_empty() {
                link.clone()
            } else {
                link.join(below)
            })
        });
        in_folder
            .chain(through_link)
            .filter(|file| !self.is_unread(file))
            .collect()
    }

    /// Whether a file, or a folder on the way to it, is one that no build reads.
    fn is_unread(&self, file: &Path) -> bool {
        let below = self
            .folders
            .iter()
            .find_map(|folder| file.strip_prefix(folder).ok())
            .unwrap_or(file);
        below
            .components()
            .any(|part| is_litter(&part.as_os_str().to_string_lossy()))
    }

    /// Whether a folder is watched with all below it.
    fn holds(&self, folder: &Path) -> bool {
        let targets = self
            .links
            .iter()
            .map(|(_, target)| target)
            .filter(|target| target.is_dir());
        self.folders
            .iter()
            .chain(targets)
            .any(|known| folder.starts_with(known))
    }
}

/// The changes in the source folders of a site since [`start`].
pub(super) struct SavedChanges {
    messages: mpsc::Receiver<Message>,
    sender: mpsc::Sender<Message>,
    /// Watching ends when it is dropped.
    watcher: Option<RecommendedWatcher>,
    options: Options,
    root: FileSet,
    places: Arc<RwLock<Places>>,
    /// Why some changes will not be noticed.
    pub failures: Problems,
}

/// Starts to watch.
pub(super) fn start(options: &Options) -> SavedChanges {
    let (sender, messages) = mpsc::channel();
    // Systems report canonical paths, and a build reads canonical ones.
    let root = FileSet::open(&options.root);
    let folders = SOURCES.iter().map(|folder| root.join(folder)).collect();
    let places = Arc::new(RwLock::new(Places {
        folders,
        links: Vec::new(),
    }));
    let (options, failures) = (options.clone(), Problems::new());
    let mut changes = SavedChanges {
        messages,
        sender,
        watcher: None,
        options,
        root,
        places,
        failures,
    };
    changes.restart();
    changes
}

impl SavedChanges {
    /// Another sender of messages.
    pub(super) fn sender(&self) -> Sender {
        Sender(self.sender.clone())
    }

    /// Watches everything anew.
    fn restart(&mut self) {
        // The old one is dropped first: the system limits their number.
        self.watcher = None;
        let (places, sender) = (Arc::clone(&self.places), self.sender.clone());
        // Links are followed here, because not every system can, and because some lead out of the site.
        let settings = notify::Config::default().with_follow_symlinks(false);
        let watcher = RecommendedWatcher::new(
            move |event: notify::Result<notify::Event>| {
                let message = match event {
                    Err(error) => Message::Lost(problem(&error).into()),
                    Ok(event) if event.need_rescan() => Message::Lost(Problems::new()),
                    Ok(event) => {
                        let Some(writing) = WritingProgress::of(event.kind) else {
                            return;
                        };
                        let places = places.read().unwrap_or_else(PoisonError::into_inner);
                        let files: Vec<PathBuf> = event
                            .paths
                            .iter()
                            .flat_map(|path| places.sources(path))
                            .collect();
                        if files.is_empty() {
                            return;
                        }
                        Message::Changed(files, writing)
                    }
                };
                // Fails only if the build thread has ended.
                let _ = sender.send(message);
            },
            settings,
        );
        match watcher {
            Ok(watcher) => self.watcher = Some(watcher),
            Err(error) => self.failures.push(problem(&error)),
        }
        // The root itself is watched, because a source folder may be created or removed, for example by switching
        // branches.
        self.watch(&self.root.clone(), RecursiveMode::NonRecursive);
        for folder in SOURCES {
            self.watch(&self.root.join(folder), RecursiveMode::Recursive);
        }
        self.places
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .links
            .clear();
        self.follow();
    }

    fn watch(&mut self, folder: &Path, mode: RecursiveMode) {
        match self
            .watcher
            .as_mut()
            .map(|watcher| watcher.watch(folder, mode))
        {
            // A folder that is created later is noticed by the folder above it.
            Some(Err(error)) if !is_absent(&error) && self.failures.is_empty() => {
                self.failures.push(problem(&error));
            }
            _ => {}
        }
    }

    /// Watches what links lead to. Returns whether any of it was not watched before.
    fn follow(&mut self) -> bool {
        // The settings name the folders that links may lead to.
        let files = config::load(&self.options)
            .0
            .map_or_else(|| self.root.clone(), |config| config.paths.root);
        let links = files.links();
        let known = {
            let mut places = self.places.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut places.links, links.clone())
        };
        let targets = links.into_iter().map(|(_, target)| target);
        let new: Vec<PathBuf> = targets
            .filter(|target| known.iter().all(|(_, known)| known != target))
            .collect();
        new.iter().for_each(|target| self.watch_target(target));
        !new.is_empty()
    }

    fn watch_target(&mut self, target: &Path) {
        let (is_held, above) = {
            let places = self.places.read().unwrap_or_else(PoisonError::into_inner);
            let is_source = places
                .folders
                .iter()
                .any(|folder| target.starts_with(folder));
            (
                is_source,
                target
                    .parent()
                    .filter(|above| *above != &*self.root && !places.holds(above))
                    .map(Path::to_owned),
            )
        };
        if is_held {
            return;
        }
        // Editors replace a file by another one, and a folder may be removed and created again.
        if let Some(above) = above {
            self.watch(&above, RecursiveMode::NonRecursive);
        }
        if target.is_dir() {
            self.watch(target, RecursiveMode::Recursive);
        }
    }

    /// Watches what was created: folders that replace watched ones, and what new links lead to. When it returns, whatever
    /// is changed from now on is reported, and whatever was changed before is there for the build to read.
    fn watch_new(&mut self, files: &BTreeSet<PathBuf>) {
        let (folders, links) = {
            let places = self.places.read().unwrap_or_else(PoisonError::into_inner);
            (places.folders.clone(), places.links.clone())
        };
        for folder in folders.iter().filter(|folder| files.contains(*folder)) {
            self.watch(folder, RecursiveMode::Recursive);
        }
        for (_, target) in links.iter().filter(|(link, _)| files.contains(link)) {
            self.watch_target(target);
        }
        let kinds = files
            .iter()
            .filter_map(|file| Some(file.symlink_metadata().ok()?.file_type()));
        let new: Vec<_> = kinds.filter(|kind| !kind.is_file()).collect();
        if !new.is_empty() || links.iter().any(|(link, _)| files.contains(link)) {
            self.follow();
        }
        // On Linux, the thread that reports changes also watches new folders. It does that before it answers.
        if cfg!(target_os = "linux") && new.iter().any(std::fs::FileType::is_dir) {
            self.watch(&self.root.clone(), RecursiveMode::NonRecursive);
        }
    }

    /// Waits for messages, until none comes for a while. Without any within `longest`, the error is a timeout.
    fn next(&self, longest: Option<Duration>) -> Result<Batch, RecvTimeoutError> {
        let mut message = match longest {
            Some(longest) => self.messages.recv_timeout(longest)?,
            None => self.messages.recv()?,
        };
        let (start, mut batch) = (Instant::now(), Batch::default());
        loop {
            match message {
                Message::Changed(paths, writing) => batch.add(paths, writing),
                Message::Lost(problems) => batch.lost.get_or_insert_default().extend(problems),
                Message::Encoded => batch.is_encoded = true,
            }
            if batch.is_empty() {
                return Ok(batch);
            }
            let (delay, max) = batch.debounce();
            if start.elapsed() >= max {
                return Ok(batch);
            }
            message = match self.messages.recv_timeout(delay) {
                Ok(message) => message,
                Err(_) => return Ok(batch),
            };
        }
    }

    /// Calls `handle` after each change with the changed files. If it returns a duration, it is called again when
    /// nothing has changed for that time; it is also called when the moment of `due` has come. Returns only when the system
    /// sends no more events.
    pub(super) fn each(
        &mut self,
        due: impl Fn() -> Option<Moment>,
        mut handle: impl FnMut(WatchEvent) -> Option<Duration>,
    ) {
        let settings = self.root.join(SETTINGS);
        let mut pause = None;
        // The date after which a build has followed.
        let mut handled = None;
        // The build has read where links may lead to.
        let mut are_new_settings = true;
        loop {
            if std::mem::take(&mut are_new_settings) && self.follow() {
                // The changes in the new folders since they were read are unknown.
                let _ = self.sender.send(Message::Lost(Problems::new()));
            }
            // A build that failed has not moved the date: the next save builds again.
            let next_due = due().filter(|due| handled != Some(*due));
            let until_due = next_due.map(|due| sleep_before(due, config::now()));
            let longest = pause.into_iter().chain(until_due).min();
            pause = match self.next(longest) {
                Ok(Batch {
                    lost: Some(problems),
                    ..
                }) => {
                    self.restart();
                    let failures = std::mem::take(&mut self.failures);
                    are_new_settings = true;
                    handle(WatchEvent::Lost(if failures.is_empty() {
                        problems
                    } else {
                        failures
                    }))
                }
                Ok(Batch { files, .. }) if !files.is_empty() => {
                    self.watch_new(&files);
                    are_new_settings = files.contains(&settings);
                    handle(WatchEvent::Saved(&files))
                }
                Ok(Batch {
                    is_encoded: true, ..
                }) => handle(WatchEvent::Encoded),
                Err(RecvTimeoutError::Timeout)
                    if next_due.is_some_and(|due| due <= config::now()) =>
                {
                    handled = next_due;
                    handle(WatchEvent::Due)
                }
                Err(RecvTimeoutError::Timeout) if pause.is_some() && pause == longest => {
                    handle(WatchEvent::Pause)
                }
                Ok(_) | Err(RecvTimeoutError::Timeout) => pause,
                Err(RecvTimeoutError::Disconnected) => return,
            };
        }
    }
}

/// How long to sleep before a moment: not at all after it.
fn sleep_before(due: Moment, now: Moment) -> Duration {
    let seconds = u64::try_from(due.0.saturating_sub(now.0)).unwrap_or(0);
    Duration::from_secs(seconds).min(CLOCK_CHECK)
}

fn is_absent(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}

/// The message for an error of the system, and the hint about it.
fn problem(error: &notify::Error) -> Problem {
    let (why, hint) = match &error.kind {
        ErrorKind::MaxFilesWatch => (
            "the system can't watch any more folders".to_owned(),
            Some(
                "raise its limit with `sudo sysctl fs.inotify.max_user_watches=524288`, and start `sitegen serve` again",
            ),
        ),
        ErrorKind::Io(error)
            if error.raw_os_error() == Some(rustix::io::Errno::MFILE.raw_os_error()) =>
        {
            (
                "too many programs are watching folders".to_owned(),
                Some(
                    "raise the limit with `sudo sysctl fs.inotify.max_user_instances=1024`, and start `sitegen serve` again",
                ),
            )
        }
        ErrorKind::Io(error) => (reason(error), None),
        ErrorKind::Generic(why) => (why.clone(), None),
        ErrorKind::PathNotFound => ("the folder does not exist".to_owned(), None),
        _ => ("it gives no reason".to_owned(), None),
    };
    let place = error
        .paths
        .first()
        .map_or_else(String::new, |path| format!("`{}`: ", path.display()));
    let message = format!("the system doesn't report all file changes ({place}{why})");
    let hint = hint.unwrap_or("restart `sitegen serve` if a change does not appear");
    Problem::warning(Code::Unreadable, message).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_slept_for_and_a_clock_that_was_set_is_noticed_within_a_minute() {
        let sleep = |due: i64, now: i64| sleep_before(Moment(due), Moment(now)).as_secs();
        assert_eq!(sleep(1_000, 990), 10);
        assert_eq!(sleep(1_000, 1_000), 0);
        // The machine was suspended until after the date, or its clock was set forward, or back.
        assert_eq!([sleep(1_000, 5_000), sleep(1_000_000, 990)], [0, 60]);
        assert_eq!(
            [sleep(i64::MAX, i64::MIN), sleep(i64::MIN, i64::MAX)],
            [60, 0]
        );
    }

    #[test]
    fn a_file_that_was_closed_is_waited_for_less_long() {
        let open = EventKind::Modify(ModifyKind::Any);
        let [closed, read] = [AccessMode::Write, AccessMode::Read]
            .map(|mode| EventKind::Access(AccessKind::Close(mode)));
        assert_eq!(WritingProgress::of(read), None);
        let mut batch = Batch::default();
        let mut add = |path: &str, kind: EventKind| {
            batch.add(
                vec![PathBuf::from(path)],
                WritingProgress::of(kind).expect("a change"),
            );
            (batch.files.len(), batch.debounce().0)
        };
        assert_eq!(
            add("a", closed),
            (0, DEBOUNCE_CLOSED),
            "its change was handled"
        );
        assert_eq!(add("a", open), (1, DEBOUNCE));
        assert_eq!(add("b", open), (2, DEBOUNCE));
        assert_eq!(
            add("a", closed),
            (2, DEBOUNCE),
            "the other one is still open"
        );
        assert_eq!(add("b", closed), (2, DEBOUNCE_CLOSED));
        assert_eq!(add("a", open), (2, DEBOUNCE), "it is written again");
        assert_eq!(
            add("a", EventKind::Modify(ModifyKind::Name(RenameMode::To))),
            (2, DEBOUNCE_CLOSED)
        );
        assert_eq!(
            add("a", EventKind::Modify(ModifyKind::Name(RenameMode::From))),
            (2, DEBOUNCE),
            "it may come back"
        );
    }

    #[test]
    fn a_change_is_one_of_the_files_that_a_build_reads() {
        let at = |path: &str| PathBuf::from(path);
        let folders = vec![at("/site/content"), at("/site/static")];
        let links = vec![
            (at("/site/content/images/shared"), at("/shared/pictures")),
            (at("/site/content/terms.md"), at("/shared/terms.md")),
            (at("/site/static/same"), at("/site/content/images")),
        ];
        let places = Places { folders, links };
        let sources = |path: &str| {
            let files = places.sources(Path::new(path));
            files
                .iter()
                .map(|file| file.display().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(sources("/site/content/a.md"), ["/site/content/a.md"]);
        assert_eq!(sources("/site/content"), ["/site/content"]);
        assert_eq!(
            sources("/shared/pictures/a/b.jpg"),
            ["/site/content/images/shared/a/b.jpg"]
        );
        assert_eq!(sources("/shared/terms.md"), ["/site/content/terms.md"]);
        assert_eq!(
            sources("/site/content/images/a.svg"),
            ["/site/content/images/a.svg", "/site/static/same/a.svg"]
        );
        for unread in [
            "/site/dist/a",
            "/shared/other",
            "/site/contents/a",
            "/site/content/.git/a",
            "/shared/pictures/a~",
        ] {
            assert_eq!(sources(unread), [""; 0], "{unread}");
        }
    }
}
