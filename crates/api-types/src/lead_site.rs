//! What a build tells the API so that it can take leads: one file, `leads.json` beside `dist/`. It holds words and pages, so
//! that the index of the posts stays as it is when only these have changed.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The form of the file. An API that knows another one refuses it, and keeps what it has.
pub const VERSION: u32 = 1;

/// What the API knows of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeadSite {
    /// [`VERSION`] when it was written.
    pub version: u32,
    /// Where the site is published, without a slash at its end.
    pub base_url: String,
    /// Where the API has a host of its own: scheme and host. The form that it answers with is sent from there.
    #[serde(default)]
    pub api_url: Option<String>,
    /// The site's languages, the default one first.
    pub locales: Vec<LeadLocale>,
    /// What the site's owner has decided.
    pub rules: LeadRules,
}

/// A language of the site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeadLocale {
    /// As requests name it: `es`.
    pub code: String,
    /// Its words for each code of an error.
    pub errors: BTreeMap<String, String>,
    /// The published page with the form, when there is one that can be sent without script. Where the API has a host of its
    /// own the page says what its addresses are read against.
    pub form: Option<String>,
    /// The address of the page that says thank you: from the root, or whole where the API has a host of its own.
    pub thanks: Option<String>,
}

/// What the site's owner has decided about leads: `leads` in `content/site.yaml`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeadRules {
    /// Leads from the form without script are refused instead of held back.
    pub refuse_without_script: bool,
    /// Leads are refused, too, while the captcha's provider cannot be asked.
    pub refuse_unverified: bool,
    /// Leads are deleted after so many days; never without it.
    pub keep_days: Option<u32>,
}

/// Reads the file. The error says in words what is wrong with it.
pub fn read(path: &Path) -> Result<LeadSite, String> {
    let text = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let site: LeadSite = serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    match site.version {
        VERSION => Ok(site),
        other => Err(format!("{}: has form {other}, and this program reads form {VERSION}", path.display())),
    }
}
