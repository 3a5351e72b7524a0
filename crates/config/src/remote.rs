//! Whether a site takes entries from addresses. This is asked before any schema is read, so it looks for the words only: a
//! schema that has them for another reason costs a build without shortcuts, and no mistake.

use super::Config;
use workspace::kinds::Kind;

impl Config {
    /// Whether a collection of the site may have its entries from an address.
    pub fn may_fetch_entries(&self) -> bool {
        let folder = self.paths.root.join(Kind::Collection.folder());
        if !self.paths.root.exists(&folder) {
            return false;
        }
        let schemas = self
            .paths
            .root
            .list(&folder)
            .0
            .into_iter()
            .filter(|path| path.ends_with("schema.yaml"));
        schemas
            .filter_map(|path| self.paths.root.read_text(&path).ok())
            .any(|source| source.text.contains("source:") && source.text.contains("url:"))
    }
}
