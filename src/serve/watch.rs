//! Waits for saved files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use notify::{EventKind, RecursiveMode, Watcher};

use crate::files::{SOURCES, is_litter};

/// Editors write a file in several steps; the build begins when no event has come for this time.
const DEBOUNCE: Duration = Duration::from_millis(15);
/// The longest time that events may delay the build.
const DEBOUNCE_MAX: Duration = Duration::from_millis(300);

/// What has happened.
#[derive(Clone, Copy)]
pub(super) enum Turn<'a> {
    /// These files have changed, or are gone.
    Saved(&'a BTreeSet<PathBuf>),
    /// Nothing, for as long as was asked for.
    Pause,
    /// No photograph is left to encode.
    Encoded,
}

/// A message to the thread that builds.
enum Message {
    Changed(Vec<PathBuf>),
    Encoded,
}

/// Sends messages other than changes of files.
pub(super) struct Sender(mpsc::Sender<Message>);

impl Sender {
    /// No photograph is left to encode.
    pub fn encoded(&self) {
        // Fails when nobody builds any more, which is fine.
        let _ = self.0.send(Message::Encoded);
    }
}

/// Changes below a site's sources, from the moment of [`start`].
pub(super) struct Changes {
    events: mpsc::Receiver<Message>,
    sender: mpsc::Sender<Message>,
    /// Sends nothing more once it is dropped.
    watcher: Option<notify::RecommendedWatcher>,
    folders: Vec<PathBuf>,
    /// Why not everything is watched.
    pub failure: Option<String>,
}

/// Begins to watch.
pub(super) fn start(root: &Path) -> Changes {
    let (sender, events) = mpsc::channel();
    let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
    let folders: Vec<PathBuf> = SOURCES.iter().map(|folder| root.join(folder)).collect();
    let sources = folders.clone();
    let own = sender.clone();
    let send = move |event: notify::Result<notify::Event>| {
        // Reading a file is an event, too, and the build reads them all; and the root also holds what the build writes.
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
    let mut changes = Changes { events, sender: own, watcher: None, folders, failure: None };
    match notify::recommended_watcher(send) {
        Ok(watcher) => changes.watcher = Some(watcher),
        Err(error) => changes.failure = Some(error.to_string()),
    }
    // The root itself is watched, because one of the folders may come or go, as it does when a branch is changed.
    changes.watch(&root, RecursiveMode::NonRecursive);
    changes.watch_folders();
    changes
}

impl Changes {
    /// For other senders of messages.
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

    /// Calls `turn` after each change with the files that it concerns, and when nothing has changed for as long as it asked
    /// for the last time. Returns only when the system sends no more events.
    pub(super) fn each(&mut self, mut turn: impl FnMut(Turn) -> Option<Duration>) {
        let mut pause = None;
        loop {
            let message = match pause
                .map_or_else(|| self.events.recv().map_err(Into::into), |pause| self.events.recv_timeout(pause))
            {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => {
                    pause = turn(Turn::Pause);
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
            // A folder that was made anew is another folder to the system.
            if self.folders.iter().any(|folder| files.contains(folder)) {
                self.watch_folders();
            }
            files.retain(|file| !is_litter(&file.file_name().unwrap_or_default().to_string_lossy()));
            if !files.is_empty() {
                pause = turn(Turn::Saved(&files));
            } else if is_encoded {
                pause = turn(Turn::Encoded);
            }
        }
    }
}
