//! Watches the source folders for changes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use notify::{EventKind, RecursiveMode, Watcher};

use generator::files::{SOURCES, is_litter};

/// Editors write a file in several steps; the build starts when no event has arrived for this time.
const DEBOUNCE: Duration = Duration::from_millis(15);
/// The maximum time for which events may delay the build.
const DEBOUNCE_MAX: Duration = Duration::from_millis(300);

/// A reason to build.
#[derive(Clone, Copy)]
pub(super) enum WatchEvent<'a> {
    /// These files were changed or removed.
    Saved(&'a BTreeSet<PathBuf>),
    /// The requested time has passed without a change.
    Pause,
    /// No photograph is left to encode.
    Encoded,
}

/// A message to the build thread.
enum Message {
    Changed(Vec<PathBuf>),
    Encoded,
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

/// The changes in the source folders of a site since [`start`].
pub(super) struct Changes {
    events: mpsc::Receiver<Message>,
    sender: mpsc::Sender<Message>,
    /// Watching ends when it is dropped.
    watcher: Option<notify::RecommendedWatcher>,
    root: PathBuf,
    folders: Vec<PathBuf>,
    /// The reason why some folders are not watched.
    pub failure: Option<String>,
}

/// Starts to watch.
pub(super) fn start(root: &Path) -> Changes {
    let (sender, events) = mpsc::channel();
    let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
    let folders: Vec<PathBuf> = SOURCES.iter().map(|folder| root.join(folder)).collect();
    let sources = folders.clone();
    let own = sender.clone();
    let send = move |event: notify::Result<notify::Event>| {
        // Reads are events as well, and the build reads all sources; the root also contains files that the build
        // writes.
        let is_ours = |event: &notify::Event| {
            let is_source = |path: &PathBuf| sources.iter().any(|folder| path.starts_with(folder));
            !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(is_source)
        };
        if let Ok(event) = event
            && is_ours(&event)
        {
            let _ = sender.send(Message::Changed(event.paths));
        }
    };
    let mut changes = Changes { events, sender: own, watcher: None, root, folders, failure: None };
    match notify::recommended_watcher(send) {
        Ok(watcher) => changes.watcher = Some(watcher),
        Err(error) => changes.failure = Some(error.to_string()),
    }
    // The root itself is watched, because a source folder may be created or removed, for example by switching branches.
    changes.watch(&changes.root.clone(), RecursiveMode::NonRecursive);
    changes.watch_folders();
    changes
}

/// Whether a file, or a folder on the way to it, is one that no build reads.
fn is_unread(root: &Path, file: &Path) -> bool {
    let below = file.strip_prefix(root).unwrap_or(file);
    below.components().any(|part| is_litter(&part.as_os_str().to_string_lossy()))
}

impl Changes {
    /// Another sender of messages.
    pub(super) fn sender(&self) -> Sender {
        Sender(self.sender.clone())
    }

    fn watch(&mut self, folder: &Path, mode: RecursiveMode) {
        if let Some(Err(error)) = self.watcher.as_mut().map(|watcher| watcher.watch(folder, mode)) {
            self.failure.get_or_insert(format!("`{}`: {error}", folder.display()));
        }
    }

    fn watch_folders(&mut self) {
        for folder in self.folders.clone().into_iter().filter(|folder| folder.exists()) {
            self.watch(&folder, RecursiveMode::Recursive);
        }
    }

    /// Calls `handle` after each change with the changed files. If it returns a duration, it is called again when
    /// nothing has changed for that time. Returns only when the system sends no more events.
    pub(super) fn each(&mut self, mut handle: impl FnMut(WatchEvent) -> Option<Duration>) {
        let (mut pause, root) = (None, self.root.clone());
        loop {
            let message = match pause
                .map_or_else(|| self.events.recv().map_err(Into::into), |pause| self.events.recv_timeout(pause))
            {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => {
                    pause = handle(WatchEvent::Pause);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let first = Instant::now();
            let mut files = BTreeSet::new();
            let mut is_encoded = false;
            let mut take = |message: Message| match message {
                Message::Changed(paths) => files.extend(paths),
                Message::Encoded => is_encoded = true,
            };
            take(message);
            while first.elapsed() < DEBOUNCE_MAX
                && let Ok(message) = self.events.recv_timeout(DEBOUNCE)
            {
                take(message);
            }
            // A folder that was created again must be watched again.
            if self.folders.iter().any(|folder| files.contains(folder)) {
                self.watch_folders();
            }
            files.retain(|file| !is_unread(&root, file));
            if !files.is_empty() {
                pause = handle(WatchEvent::Saved(&files));
            } else if is_encoded {
                pause = handle(WatchEvent::Encoded);
            }
        }
    }
}
