//! Callouts: quotations that begin with a kind, as GitHub has them.

use serde::{Deserialize, Serialize};

/// A kind of callout: `> [!NOTE]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Callout {
    /// Something to know.
    Note,
    /// Advice.
    Tip,
    /// What must be known.
    Important,
    /// What needs attention at once.
    Warning,
    /// What may go wrong.
    Caution,
}

impl Callout {
    /// Its name in classes.
    pub fn name(self) -> &'static str {
        match self {
            Callout::Note => "note",
            Callout::Tip => "tip",
            Callout::Important => "important",
            Callout::Warning => "warning",
            Callout::Caution => "caution",
        }
    }
}
