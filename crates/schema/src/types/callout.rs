//! Callouts: quotations that begin with a kind, as GitHub has them.

use serde::{Deserialize, Serialize};

/// A kind of callout: `> [!NOTE]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Callout {
    /// Something to know.
    Note,
    /// Advice.
    Tip,
    /// Something that must be known.
    Important,
    /// Something that needs attention at once.
    Warning,
    /// Something that can go wrong.
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
