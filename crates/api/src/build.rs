//! A build of the site, open for answering. An answer is made from one build alone.

use std::collections::BTreeMap;
use std::path::Path;

use search_index::Index;
use search_index::bundle::{self, SearchBundle};

/// A build whose files are all whole.
#[derive(Debug)]
pub struct Build {
    /// What it says of the site.
    pub bundle: SearchBundle,
    /// By the code of their language.
    pub indexes: BTreeMap<String, Index>,
}

impl Build {
    /// Opens the build of a folder; none when it is the one that is known.
    pub fn newer(folder: &Path, known: Option<&Build>) -> Result<Option<Build>, String> {
        let bundle = bundle::read(folder)?;
        if known.is_some_and(|known| known.bundle == bundle) {
            return Ok(None);
        }
        // Also finds files of another build, when the folder is being replaced at this moment.
        bundle.verify(folder)?;
        let mut indexes = BTreeMap::new();
        for locale in &bundle.locales {
            if let Some(name) = &locale.index {
                indexes.insert(locale.code.clone(), Index::open(&folder.join(name), &locale.language)?);
            }
        }
        Ok(Some(Build { bundle, indexes }))
    }

    /// Whether pages of this origin belong to the site.
    pub fn is_origin(&self, origin: &str) -> bool {
        self.bundle.base_url == origin
    }
}
