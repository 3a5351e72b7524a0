//! A cache of the addresses of other sites that answered within the last day.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use config::Config;
use diagnostics::problem::{Code, Problem, Problems};
use workspace::{cache, files};

/// The lifetime of a good answer, in seconds: a day.
const LIFETIME: u64 = 24 * 60 * 60;

/// The addresses that answered, with the time of each answer in seconds since 1970.
pub(super) struct AnswerCache {
    file: PathBuf,
    now: u64,
    answered: BTreeMap<String, u64>,
}

impl AnswerCache {
    /// Loads the cache. A damaged file and expired entries are ignored.
    #[expect(
        clippy::disallowed_methods,
        reason = "ages of files and of requests are measured; no output depends on them"
    )]
    pub fn open(config: &Config) -> AnswerCache {
        let file = config.paths.cache.join("external.json");
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        let text = std::fs::read(&file).unwrap_or_default();
        let mut answered: BTreeMap<String, u64> = serde_json::from_slice(&text).unwrap_or_default();
        answered.retain(|_, then| is_recent(now, *then));
        AnswerCache {
            file,
            now,
            answered,
        }
    }

    pub fn answered(&self, address: &str) -> bool {
        self.answered
            .contains_key(address.split('#').next().unwrap_or(address))
    }

    pub fn remember(&mut self, address: &str) {
        self.answered.insert(address.to_owned(), self.now);
    }

    /// Saves the cache, with what another check has saved since.
    pub fn close(mut self) -> Problems {
        let text = std::fs::read(&self.file).unwrap_or_default();
        let others: BTreeMap<String, u64> = serde_json::from_slice(&text).unwrap_or_default();
        for (address, then) in others {
            if is_recent(self.now, then) {
                self.answered.entry(address).or_insert(then);
            }
        }
        let text = serde_json::to_vec_pretty(&self.answered).unwrap_or_default();
        cache::keep(&self.file, &text).map_or_else(
            |error| {
                let message = format!(
                    "the cache of other sites' responses could not be written ({})",
                    files::reason(&error)
                );
                Problem::warning(Code::OutFailed, message).into()
            },
            |()| Problems::new(),
        )
    }
}

fn is_recent(now: u64, then: u64) -> bool {
    now.checked_sub(then).is_some_and(|age| age < LIFETIME)
}
