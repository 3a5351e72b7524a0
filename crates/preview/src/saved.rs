//! Which pages the last save changed, and why: what `sitegen why` says, for the panel of the preview.

use serde::Serialize;

use config::Config;
use manifest::{BuildManifest, RebuildReason};

use super::href;

/// How many pages are listed.
const MAX_LISTED: usize = 500;

/// The effects of the last save.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct LastSave {
    /// The files that were saved, below the folder of the site. Empty for the build at the start.
    pub files: Vec<String>,
    /// The pages that were rendered, by address.
    pub pages: Vec<SavedPage>,
    /// How many pages were rendered; not all of them may be listed.
    #[cfg_attr(test, ts(type = "number"))]
    pub rendered: usize,
    /// How many pages there are.
    #[cfg_attr(test, ts(type = "number"))]
    pub total: usize,
}

/// A page that was rendered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct SavedPage {
    /// As a browser has it, with the base path.
    pub address: String,
    pub reasons: Vec<String>,
}

impl LastSave {
    /// The page of one post, which was published before the build.
    pub fn of_post(config: &Config, file: String, address: Option<&str>, total: usize) -> LastSave {
        LastSave {
            files: vec![file],
            pages: address
                .map(|address| SavedPage {
                    address: href(config, address),
                    reasons: vec!["the text of its post".to_owned()],
                })
                .into_iter()
                .collect(),
            rendered: 1,
            total,
        }
    }

    /// Reads what the last build noted.
    pub fn read(config: &Config, files: Vec<String>) -> LastSave {
        let manifest = BuildManifest::load(config, generator::MADE_BY).unwrap_or_default();
        let mut pages: Vec<SavedPage> = Vec::new();
        for entry in manifest
            .pages()
            .entries
            .values()
            .filter(|entry| entry.reason != RebuildReason::Unchanged)
        {
            let reasons = manifest
                .reasons(entry)
                .into_iter()
                .map(str::to_owned)
                .collect();
            pages.push(SavedPage {
                address: href(config, &entry.address),
                reasons,
            });
        }
        pages.sort_by(|a, b| a.address.cmp(&b.address));
        let (rendered, total) = (pages.len(), manifest.pages().entries.len());
        pages.truncate(MAX_LISTED);
        LastSave {
            files,
            pages,
            rendered,
            total,
        }
    }
}
