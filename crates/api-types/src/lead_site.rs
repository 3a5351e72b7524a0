//! `leads.json`, which a build writes beside `dist/` for the lead endpoint of the API. It holds messages and pages, and
//! is separate from the search bundle so that changing these does not invalidate the index of posts.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The format version of the file. An API that expects another version rejects the file and keeps the previous one.
pub const VERSION: u32 = 1;

/// The contents of `leads.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeadSite {
    /// The [`VERSION`] that it was written with.
    pub version: u32,
    /// The base URL of the site, without a trailing slash.
    pub base_url: String,
    /// Scheme and host of the API, if it runs on a separate host. Form pages that it returns are submitted from there.
    #[serde(default)]
    pub api_url: Option<String>,
    /// The site's locales, the default one first.
    pub locales: Vec<LeadLocale>,
    /// The rules set in `content/site.yaml`.
    pub rules: LeadRules,
}

/// A locale of the site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeadLocale {
    /// The locale's code, as in the `lang` parameter: `es`.
    pub code: String,
    /// The message for each error code.
    pub errors: BTreeMap<String, String>,
    /// The HTML of the published page with the form, if it can be submitted without JavaScript. If the API runs on a
    /// separate host, the HTML has a `<base>` element.
    pub form: Option<String>,
    /// The URL of the thank-you page: root-relative, or absolute if the API runs on a separate host.
    pub thanks: Option<String>,
}

/// The `leads` section of `content/site.yaml`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeadRules {
    /// Whether to reject leads sent without JavaScript instead of quarantining them.
    pub refuse_without_script: bool,
    /// Whether to reject leads while the captcha provider is unreachable.
    pub refuse_unverified: bool,
    /// The number of days after which leads are deleted. `None` keeps them forever.
    pub keep_days: Option<u32>,
}

/// Reads and parses the file. The error names the file and the reason.
pub fn read(path: &Path) -> Result<LeadSite, String> {
    let text = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let site: LeadSite = serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    match site.version {
        VERSION => Ok(site),
        other => {
            Err(format!("{}: has format version {other}, and this program reads version {VERSION}", path.display()))
        }
    }
}
