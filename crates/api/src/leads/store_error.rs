//! Why an operation of a store, or of what it keeps files in, failed.

use std::fmt;

/// Why a store operation failed. The visitor is asked to try again; the details are logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// The queue is full.
    Busy,
    /// The store cannot be read or written. The message contains no data of a lead.
    Unavailable(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Busy => to.write_str("too many leads are waiting to be stored"),
            StoreError::Unavailable(why) => to.write_str(why),
        }
    }
}
