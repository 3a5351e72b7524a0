//! Which outputs a change of the sources affects. A build, and the early publishing of a post in the preview, find the
//! impact of a change, and one render stage renders it.

use foldhash::HashSet;

/// The outputs that are rendered, or compared with those of the last build. All others are known to be up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Impact {
    /// Nothing but the texts of some posts has changed: their pages, by their indices in `Site::pages`.
    Texts(HashSet<usize>),
    /// Anything may have changed.
    Everything,
}

impl Impact {
    /// Whether every output is affected.
    pub fn is_everything(&self) -> bool {
        *self == Impact::Everything
    }

    /// Whether the page with this index in `Site::pages` is affected.
    pub fn includes(&self, page: usize) -> bool {
        match self {
            Impact::Texts(pages) => pages.contains(&page),
            Impact::Everything => true,
        }
    }

    /// The affected pages, if they are known one by one.
    pub fn pages(&self) -> impl Iterator<Item = usize> {
        let pages = match self {
            Impact::Texts(pages) => Some(pages),
            Impact::Everything => None,
        };
        pages.into_iter().flatten().copied()
    }
}
