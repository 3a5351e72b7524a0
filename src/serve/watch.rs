//! Waits for saved files.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use notify::{EventKind, RecursiveMode, Watcher};

/// Editors write a file in several steps; the build begins when they have been quiet this long.
const QUIET: Duration = Duration::from_millis(15);
const FOLDERS: &[&str] = &["content", "templates", "react", "static"];

/// Calls `changed` after each change below the site's sources. Returns only when the system stops telling.
pub(super) fn each_change(root: &Path, changed: impl Fn()) {
    let (sender, events) = mpsc::channel();
    let send = move |event: notify::Result<notify::Event>| {
        // Reading a file is an event, too, and the build reads them all.
        if event.is_ok_and(|event| !matches!(event.kind, EventKind::Access(_))) {
            let _ = sender.send(());
        }
    };
    let Ok(mut watcher) = notify::recommended_watcher(send) else { return };
    for folder in FOLDERS.iter().map(|folder| root.join(folder)).filter(|folder| folder.exists()) {
        let _ = watcher.watch(&folder, RecursiveMode::Recursive);
    }
    while events.recv().is_ok() {
        while events.recv_timeout(QUIET).is_ok() {}
        changed();
    }
}
