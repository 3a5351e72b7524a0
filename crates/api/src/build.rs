//! A build of the site, loaded for serving. Each response is computed from a single build.

use std::collections::BTreeMap;
use std::path::Path;

use search_index::Index;
use search_index::bundle::{self, SearchBundle};

use api_types::base_url;

/// A build whose files have all been verified.
#[derive(Debug)]
pub struct Build {
    /// The manifest of the search bundle.
    pub bundle: SearchBundle,
    /// The indexes by locale code.
    pub indexes: BTreeMap<String, Index>,
}

impl Build {
    /// Opens the build in a folder. Returns `None` if it is the build in `known`.
    pub fn newer(folder: &Path, known: Option<&Build>) -> Result<Option<Build>, String> {
        let bundle = bundle::read(folder)?;
        if known.is_some_and(|known| known.bundle == bundle) {
            return Ok(None);
        }
        // This also detects files of another build, in case the folder is being replaced right now.
        bundle.verify(folder)?;
        let mut indexes = BTreeMap::new();
        for locale in &bundle.locales {
            if let Some(name) = &locale.index {
                indexes.insert(
                    locale.code.clone(),
                    Index::open(&folder.join(name), &locale.language)?,
                );
            }
        }
        Ok(Some(Build { bundle, indexes }))
    }

    /// Whether pages of this origin belong to the site.
    pub fn is_origin(&self, origin: &str) -> bool {
        let base_urls = std::iter::once(&self.bundle.base_url).chain(&self.bundle.other_base_urls);
        base_urls
            .into_iter()
            .any(|base_url| base_url::parts(base_url).0 == origin)
    }
}
