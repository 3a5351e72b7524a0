//! The search bundle: the folder `search/` beside `dist/`, which a build writes for the API. Its manifest `site.json`
//! describes the site and lists the other files.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

/// The name of the manifest in the folder.
pub const FILE: &str = "site.json";
/// The format version of the folder: of the manifest, the index, and the analysis of words. An API that expects another
/// version rejects the bundle and keeps the previous one.
pub const VERSION: u32 = 4;

/// The manifest of the search bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchBundle {
    /// The [`VERSION`] that it was written with.
    pub version: u32,
    /// The build id, a hash of the contents. It is also in `dist/build.json`.
    pub build: String,
    /// The base URL of the site, without a trailing slash.
    pub base_url: String,
    /// The base URLs of languages that are on a host of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_base_urls: Vec<String>,
    /// The site's locales, the default one first.
    pub locales: Vec<BundleLocale>,
    /// Checksums of the other files by path relative to the folder.
    pub files: BTreeMap<String, FileSum>,
}

/// A locale of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleLocale {
    /// The locale's code, as in the `lang` parameter: `es`.
    pub code: String,
    /// BCP 47 tag, which selects the stemmer.
    pub language: String,
    /// The folder of the index, relative to the search bundle; `None` without posts.
    pub index: Option<String>,
    /// The names of the tags of its posts.
    pub categories: Vec<String>,
}

/// The checksum of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSum {
    /// Its length in bytes.
    pub length: u64,
    /// CRC-32 of its bytes.
    pub crc: u32,
}

impl FileSum {
    /// Computes the checksum of bytes.
    pub fn of(bytes: &[u8]) -> FileSum {
        FileSum {
            length: bytes.len() as u64,
            crc: crc32fast::hash(bytes),
        }
    }
}

/// Reads the manifest in a folder. The error is a message with the path.
pub fn read(folder: &Path) -> Result<SearchBundle, String> {
    let path = folder.join(FILE);
    let text = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&text).map_err(|why| format!("{}: {why}", path.display()))
}

/// Parses the manifest. Fails if its version differs from [`VERSION`], or if a path leaves the folder.
pub fn parse(text: &[u8]) -> Result<SearchBundle, String> {
    #[derive(Deserialize)]
    struct BundleVersion {
        version: u32,
    }
    // The version is parsed first: other versions may lack required fields.
    let BundleVersion { version } =
        serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if version != VERSION {
        return Err(format!(
            "has format version {version}, but this program reads version {VERSION}"
        ));
    }
    let bundle: SearchBundle = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    match bundle
        .files
        .keys()
        .chain(
            bundle
                .locales
                .iter()
                .filter_map(|locale| locale.index.as_ref()),
        )
        .find(|path| {
            !Path::new(path)
                .components()
                .all(|part| matches!(part, Component::Normal(_)))
        }) {
        Some(path) => Err(format!(
            "the file lists `{path}`, which is outside its folder"
        )),
        None => Ok(bundle),
    }
}

impl SearchBundle {
    /// Verifies the checksums of all files. The error names the first file that differs.
    pub fn verify(&self, folder: &Path) -> Result<(), String> {
        for (name, wanted) in &self.files {
            let path = folder.join(name);
            let found = sum(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            if found != *wanted {
                return Err(format!("{} does not match its checksum", path.display()));
            }
        }
        Ok(())
    }
}

fn sum(path: &Path) -> io::Result<FileSum> {
    let mut file = std::fs::File::open(path)?;
    let (mut hasher, mut length) = (crc32fast::Hasher::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(FileSum {
                length,
                crc: hasher.finalize(),
            });
        }
        hasher.update(&buffer[..count]);
        length += count as u64;
    }
}
