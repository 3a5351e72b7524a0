//! The API's log: one line of JSON for each event. Words of a lead never get here; whoever writes an event names what it
//! tells, and a test reads what was logged of hostile leads.

use std::io::Write as _;

use serde_json::{Map, Value};

use super::clock;

/// Where events are told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Log {
    /// To the standard error.
    #[default]
    Lines,
    /// Nowhere: somebody looks at another output.
    Silent,
}

impl Log {
    /// Tells of an event.
    pub fn event(self, event: &str, fields: &[(&str, Value)]) {
        if self == Log::Silent {
            return;
        }
        let mut line = Map::new();
        line.insert("time".into(), clock::iso(clock::now()).into());
        line.insert("event".into(), event.into());
        line.extend(fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        // A log that nobody takes must not stop the API.
        let _ = writeln!(std::io::stderr().lock(), "{}", Value::from(line));
    }
}
