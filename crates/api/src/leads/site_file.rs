//! `leads.json` as the API sees it: read again when it changes, and kept as it was while it cannot be read.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use api_types::lead_site::{self, LeadSite};

/// The mtime and length of a file. A file with the same stamp is not read again.
type FileStamp = (Option<SystemTime>, u64);

/// The file that a build wrote.
#[derive(Debug)]
pub struct SiteFile {
    path: PathBuf,
    /// The last contents that could be read, with the stamp of the file. `None` before the first ones.
    last: RwLock<Option<(FileStamp, Arc<LeadSite>)>>,
}

impl SiteFile {
    /// The file at this path, which may not exist yet.
    pub fn new(path: PathBuf) -> SiteFile {
        SiteFile {
            path,
            last: RwLock::default(),
        }
    }

    /// Why the file cannot be read, if it is there.
    pub fn failure(&self) -> Option<String> {
        self.path
            .exists()
            .then(|| lead_site::read(&self.path).err())
            .flatten()
    }

    /// The contents. If the file cannot be read, the last valid contents are returned.
    pub fn get(&self) -> Option<Arc<LeadSite>> {
        let known = std::fs::metadata(&self.path)
            .map(|meta| (meta.modified().ok(), meta.len()))
            .ok();
        let last = self
            .last
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        match (known, last) {
            (Some(known), Some((last, site))) if known == last => Some(site),
            (Some(known), last) => match lead_site::read(&self.path) {
                Ok(site) => {
                    let site = Arc::new(site);
                    *self.last.write().unwrap_or_else(PoisonError::into_inner) =
                        Some((known, Arc::clone(&site)));
                    Some(site)
                }
                Err(_) => last.map(|(_, site)| site),
            },
            (None, last) => last.map(|(_, site)| site),
        }
    }
}
