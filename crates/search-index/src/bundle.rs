//! What a build leaves for the API beside `dist/`: the folder `search/`, whose file `site.json` says what the API must
//! know of the site, and lists the other files. Written by the build, read by the API; neither knows the other.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

/// The file's name below the folder.
pub const FILE: &str = "site.json";
/// The form of the folder: of this file, of the index, and of the words in it. An API that knows another one refuses it,
/// and keeps what it has.
pub const VERSION: u32 = 3;

/// What the API knows of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchBundle {
    /// [`VERSION`] when it was written.
    pub version: u32,
    /// Names what is in the folder; `dist/build.json` says the same name. Equal posts have equal names.
    pub build: String,
    /// Where the site is published, without a slash at its end.
    pub base_url: String,
    /// The site's languages, the default one first.
    pub locales: Vec<BundleLocale>,
    /// The other files by their path below the folder.
    pub files: BTreeMap<String, FileSum>,
}

/// A language of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleLocale {
    /// As requests name it: `es`.
    pub code: String,
    /// BCP 47 tag, which says how words are stemmed.
    pub language: String,
    /// The folder of its posts' index, below the folder of the search bundle; none without posts.
    pub index: Option<String>,
    /// The names of the tags of its posts.
    pub categories: Vec<String>,
}

/// By what a file is known to be whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSum {
    /// Its length in bytes.
    pub length: u64,
    /// CRC-32 of its bytes.
    pub crc: u32,
}

impl FileSum {
    /// The sum of these bytes.
    pub fn of(bytes: &[u8]) -> FileSum {
        FileSum { length: bytes.len() as u64, crc: crc32fast::hash(bytes) }
    }
}

/// Reads the search bundle of a folder. The error says in words what is wrong with it.
pub fn read(folder: &Path) -> Result<SearchBundle, String> {
    let path = folder.join(FILE);
    let text = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&text).map_err(|why| format!("{}: {why}", path.display()))
}

/// Reads the text of [`FILE`].
pub fn parse(text: &[u8]) -> Result<SearchBundle, String> {
    #[derive(Deserialize)]
    struct BundleVersion {
        version: u32,
    }
    // The version first: a file of another one may lack what this one has.
    let BundleVersion { version } = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if version != VERSION {
        return Err(format!("has form {version}, and this program reads form {VERSION}"));
    }
    let bundle: SearchBundle = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let is_inside = |path: &String| Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    match bundle
        .files
        .keys()
        .chain(bundle.locales.iter().filter_map(|locale| locale.index.as_ref()))
        .find(|path| !is_inside(path))
    {
        Some(path) => Err(format!("names `{path}`, which lies elsewhere")),
        None => Ok(bundle),
    }
}

impl SearchBundle {
    /// Whether every file of the folder is whole. The error says which one is not.
    pub fn verify(&self, folder: &Path) -> Result<(), String> {
        for (name, wanted) in &self.files {
            let path = folder.join(name);
            let found = sum(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            if found != *wanted {
                return Err(format!("{} is not the file that was built", path.display()));
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
            return Ok(FileSum { length, crc: hasher.finalize() });
        }
        hasher.update(&buffer[..count]);
        length += count as u64;
    }
}
