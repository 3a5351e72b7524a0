//! Waiting for what a program does in the background.

use std::time::{Duration, Instant};

/// How long a test waits: an attempt that is interrupted is repeated when its claim ends, after 30 seconds.
pub const WAIT_MAX: Duration = Duration::from_secs(90);

/// Waits until a condition returns a value.
///
/// # Panics
///
/// If none comes within [`WAIT_MAX`].
pub fn wait_for<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = condition() {
            return value;
        }
        assert!(
            start.elapsed() < WAIT_MAX,
            "timeout while waiting for {what}"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}
