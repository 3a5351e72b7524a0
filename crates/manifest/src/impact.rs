//! Which outputs a change of the sources affects. A build, and the early publishing of a post in the preview, find the
//! impact of a change, and one render stage renders it.

use foldhash::HashSet;

/// The outputs that are rendered, or compared with those of the last build. All others are known to be up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Impact {
    /// These pages, by their indices in `Site::pages`, and no other output: only the texts of posts have changed.
    Texts(HashSet<usize>),
    /// These pages, and all outputs that are no pages: only posts and entries have changed.
    Items(HashSet<usize>),
    /// Anything may have changed.
    Everything,
}

impl Impact {
    /// Whether every output is affected.
    pub fn is_everything(&self) -> bool {
        *self == Impact::Everything
    }

    /// Whether outputs that are no pages are affected: feeds, the sitemap, what is drawn and bundled.
    pub fn includes_others(&self) -> bool {
        !matches!(self, Impact::Texts(_))
    }

    /// Whether the page with this index in `Site::pages` is affected.
    pub fn includes(&self, page: usize) -> bool {
        match self {
            Impact::Texts(pages) | Impact::Items(pages) => pages.contains(&page),
            Impact::Everything => true,
        }
    }

    /// The affected pages, if they are known one by one.
    pub fn pages(&self) -> impl Iterator<Item = usize> {
        let pages = match self {
            Impact::Texts(pages) | Impact::Items(pages) => Some(pages),
            Impact::Everything => None,
        };
        pages.into_iter().flatten().copied()
    }
}
