//! A build of the site, open for answering. An answer is made from one build alone.

use std::collections::BTreeMap;
use std::path::Path;

use crate::artifact::{self, Artifact};
use crate::search::Index;

/// A build whose files are all whole.
#[derive(Debug)]
pub struct Build {
    /// What it says of the site.
    pub artifact: Artifact,
    /// By the code of their language.
    pub indexes: BTreeMap<String, Index>,
}

impl Build {
    /// Opens the build of a folder; none when it is the one that is known.
    pub fn newer(folder: &Path, known: Option<&Build>) -> Result<Option<Build>, String> {
        let artifact = artifact::read(folder)?;
        if known.is_some_and(|known| known.artifact == artifact) {
            return Ok(None);
        }
        // Also finds files of another build, when the folder is being replaced at this moment.
        artifact.verify(folder)?;
        let mut indexes = BTreeMap::new();
        for locale in &artifact.locales {
            if let Some(name) = &locale.index {
                indexes.insert(locale.code.clone(), Index::open(&folder.join(name), &locale.language)?);
            }
        }
        Ok(Some(Build { artifact, indexes }))
    }

    /// Whether pages of this origin belong to the site.
    pub fn is_origin(&self, origin: &str) -> bool {
        self.artifact.base_url == origin
    }
}
