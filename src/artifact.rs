//! What a build leaves for the API beside `dist/`: the folder `search/`, whose file `site.json` says what the API must
//! know of the site. Written by the build, read by the API; neither knows the other.

pub mod leads;

use std::path::Path;

use serde::{Deserialize, Serialize};

/// The file's name below the folder.
pub const FILE: &str = "site.json";
/// The form of the file. An API that knows another one refuses it, and keeps what it has.
pub const VERSION: u32 = 1;

/// What the API knows of the site.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Artifact {
    /// [`VERSION`] when it was written.
    pub version: u32,
    /// Names the build, the same as in `dist/`.
    pub build: String,
    /// Where the site is published, without a slash at its end.
    pub base_url: String,
    /// The site's languages, the default one first.
    pub locales: Vec<ArtifactLocale>,
}

/// A language of the site.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ArtifactLocale {
    /// As requests name it: `es`.
    pub code: String,
    /// The folder of its posts' index, below the folder of the artefact; none without a blog.
    pub index: Option<String>,
}

/// Reads the artefact of a folder. The error says in words what is wrong with it.
pub fn read(folder: &Path) -> Result<Artifact, String> {
    let path = folder.join(FILE);
    let text = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let artifact: Artifact = serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    match artifact.version {
        VERSION => Ok(artifact),
        other => Err(format!("{}: has form {other}, and this program reads form {VERSION}", path.display())),
    }
}
