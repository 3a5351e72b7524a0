//! The kinds of entries: the folder of each, how much it may hold, and whether machines share it.

/// The work that an entry is the result of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Encoded photographs.
    Pictures,
    /// Sharing cards, icons and logos.
    Drawings,
    /// Prerendered islands.
    Islands,
    /// Style sheets and scripts, bundled by esbuild.
    Bundle,
    /// Files compressed for hosts that serve them so.
    Compressed,
    /// The index of the site's search.
    Index,
    /// Responses of a CMS that can be validated with one request.
    Answers,
}

const MB: u64 = 1_000_000;

impl Kind {
    /// All kinds, in the order in which they are listed.
    pub const ALL: [Kind; 7] = [
        Kind::Pictures,
        Kind::Drawings,
        Kind::Islands,
        Kind::Bundle,
        Kind::Compressed,
        Kind::Index,
        Kind::Answers,
    ];

    /// The name of its folder.
    pub fn folder(self) -> &'static str {
        match self {
            Kind::Pictures => "pictures",
            Kind::Drawings => "drawings",
            Kind::Islands => "islands",
            Kind::Bundle => "bundle",
            Kind::Compressed => "compressed",
            Kind::Index => "index",
            Kind::Answers => "blog-answers",
        }
    }

    /// The maximum size of its folder, in bytes. Beyond it, the entries that were not used for the longest time go.
    pub fn limit(self) -> u64 {
        match self {
            Kind::Pictures | Kind::Compressed => 4000 * MB,
            Kind::Drawings | Kind::Islands | Kind::Index | Kind::Answers => 500 * MB,
            Kind::Bundle => 100 * MB,
        }
    }

    /// Whether machines share its entries: they take long to compute, and are the same on every machine.
    pub fn is_shared(self) -> bool {
        !matches!(self, Kind::Bundle | Kind::Answers)
    }
}
