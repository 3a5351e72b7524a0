//! Waits for saved files.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use notify::{EventKind, RecursiveMode, Watcher};

/// Editors write a file in several steps; the build begins when they have been quiet this long.
const QUIET: Duration = Duration::from_millis(15);
const FOLDERS: &[&str] = &["content", "templates", "react", "static"];

/// Changes below a site's sources, from the moment of [`start`].
pub(super) struct Changes {
    events: mpsc::Receiver<()>,
    /// Tells no more once it is dropped.
    _watcher: Option<notify::RecommendedWatcher>,
}

/// Begins to watch.
pub(super) fn start(root: &Path) -> Changes {
    let (sender, events) = mpsc::channel();
    let send = move |event: notify::Result<notify::Event>| {
        // Reading a file is an event, too, and the build reads them all.
        if event.is_ok_and(|event| !matches!(event.kind, EventKind::Access(_))) {
            let _ = sender.send(());
        }
    };
    let mut watcher = notify::recommended_watcher(send).ok();
    for folder in FOLDERS.iter().map(|folder| root.join(folder)).filter(|folder| folder.exists()) {
        if let Some(watcher) = &mut watcher {
            let _ = watcher.watch(&folder, RecursiveMode::Recursive);
        }
    }
    Changes { events, _watcher: watcher }
}

impl Changes {
    /// Calls `changed` after each change. Returns only when the system stops telling.
    pub(super) fn each(&self, changed: impl Fn()) {
        while self.events.recv().is_ok() {
            while self.events.recv_timeout(QUIET).is_ok() {}
            changed();
        }
    }
}
