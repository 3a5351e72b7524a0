//! One side of a comparison: the files of an output folder, with their hashes where a build manifest knows them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use foldhash::HashSet;

use diagnostics::problem::{Code, Problem};
use manifest::BuildManifest;
use publish::{FILE_LIST, OldAssets, modified};
use workspace::kinds::Kind;
use workspace::sources::Hash;
use workspace::{files, parallel};

/// The cache folder of a site.
const CACHE: &str = ".sitegen";
/// Endings of compressed copies, which follow from their originals.
const COMPRESSED: [&str; 2] = [".br", ".gz"];
/// Endings of parts of the index of the search, which follow from the pages; the file that names them stays.
const INDEX: [&str; 4] = [".pf_filter", ".pf_fragment", ".pf_index", ".pf_meta"];
/// Files that differ after each build, and say nothing about the site.
const OF_BUILDS: [&str; 3] = ["build.json", FILE_LIST, OldAssets::FILE];

/// An output folder.
#[derive(Debug)]
pub struct OutputFolder {
    root: PathBuf,
    /// A text, and what is read in its place.
    replaced: Option<(String, String)>,
    /// By path below the folder: without compressed copies and parts of the index, and without assets that are kept for open pages.
    pub files: BTreeMap<String, FileInfo>,
}

/// A file of an output.
#[derive(Debug, Clone, Copy)]
pub struct FileInfo {
    /// Its length in bytes.
    pub length: u64,
    /// The hash of its bytes, if the manifest of the build still fits.
    pub hash: Option<Hash>,
}

/// Refuses a folder.
fn refused(named: &Path, what: &str, hint: &str) -> Result<OutputFolder, Problem> {
    Err(Problem::error(Code::DiffInput, format!("`{}` {what}", named.display())).hint(hint))
}

impl OutputFolder {
    /// Lists the files of an output. `site` is the folder of a site whose cache may have the manifest.
    pub fn read(named: &Path, site: &Path) -> Result<OutputFolder, Problem> {
        let root = match named.canonicalize() {
            Ok(root) if root.is_dir() => root,
            Ok(_) => {
                return refused(
                    named,
                    "is a file, not an output folder",
                    "name the folder that `sitegen build` writes",
                );
            }
            Err(error) => {
                let why = format!("could not be read ({})", files::reason(&error));
                return refused(named, &why, "check the name, or run `sitegen build` first");
            }
        };
        let listed = std::fs::read_to_string(root.join(FILE_LIST)).ok();
        if listed.is_none() && root.join(Kind::Site.path()).is_file() {
            return refused(
                named,
                "is a site, not its output",
                "build it, then name its `dist` folder",
            );
        }
        let names: Vec<String> = if let Some(list) = &listed {
            list.lines().map(str::to_owned).collect()
        } else {
            // Archives of continuous integration leave out files whose names begin with a dot.
            let all = walkdir::WalkDir::new(&root).into_iter().flatten();
            let all = all.filter(|entry| entry.file_type().is_file());
            all.map(|entry| files::shown(&root, entry.path())).collect()
        };
        let old_assets = OldAssets::of(&root);
        let old: HashSet<&str> = old_assets.paths().collect();
        let names: Vec<&String> = names
            .iter()
            .filter(|name| {
                let is_copy = COMPRESSED
                    .iter()
                    .chain(&INDEX)
                    .any(|ending| name.ends_with(ending));
                !is_copy && !OF_BUILDS.contains(&name.as_str()) && !old.contains(name.as_str())
            })
            .collect();
        let manifest = manifest(&root, site);
        let found: Vec<Option<FileInfo>> = parallel::map(&names, |name: &&String| {
            let meta = std::fs::symlink_metadata(root.join(name.as_str()))
                .ok()
                .filter(std::fs::Metadata::is_file)?;
            let known = manifest
                .as_ref()
                .and_then(|manifest| manifest.files.get(name.as_str()));
            let known = known
                .filter(|known| known.length == meta.len() && known.modified == modified(&meta));
            Some(FileInfo {
                length: meta.len(),
                hash: known.map(|known| known.hash),
            })
        });
        let missing: Vec<&String> = names
            .iter()
            .zip(&found)
            .filter(|(_, info)| info.is_none())
            .map(|(name, _)| *name)
            .collect();
        if let Some(first) = missing.first() {
            let message = format!(
                "is an incomplete output: it lacks {} of its {} files, such as `{first}`",
                missing.len(),
                names.len()
            );
            return refused(named, &message, "build it again, or copy the whole output");
        }
        let files: BTreeMap<String, FileInfo> = names
            .into_iter()
            .zip(found)
            .filter_map(|(name, info)| Some((name.clone(), info?)))
            .collect();
        if !files.keys().any(|name| is_page(name)) {
            return refused(
                named,
                "contains no pages",
                "name the folder that `sitegen build` writes, or run `sitegen build` first",
            );
        }
        Ok(OutputFolder {
            root,
            replaced: None,
            files,
        })
    }

    /// The bytes of a file.
    pub fn bytes(&self, name: &str) -> Result<Vec<u8>, Problem> {
        fs_err::read(self.root.join(name)).map_err(|error| {
            let message = format!("`{name}` could not be read ({})", files::reason(&error));
            Problem::error(Code::DiffInput, message)
                .hint("run the command again, and don't build into the folder until it ends")
        })
    }

    /// The text of a file; other bytes become `\u{fffd}`.
    pub fn text(&self, name: &str) -> Result<String, Problem> {
        let text = self
            .bytes(name)
            .map(|bytes| match String::from_utf8(bytes) {
                Ok(text) => text,
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            })?;
        Ok(match &self.replaced {
            Some((from, to)) => text.replace(from, to),
            None => text,
        })
    }

    /// Reads another text in place of one, in all files.
    pub(super) fn read_as(&mut self, from: &str, to: &str) {
        self.replaced = Some((from.to_owned(), to.to_owned()));
    }
}

/// The files that both sides have and whose bytes differ. Only files of the same length without a hash are read.
pub(super) fn different<'a>(
    old: &'a OutputFolder,
    new: &OutputFolder,
) -> Result<Vec<&'a str>, Problem> {
    let both: Vec<(&str, &FileInfo, &FileInfo)> = old
        .files
        .iter()
        .filter_map(|(name, info)| Some((name.as_str(), info, new.files.get(name)?)))
        .collect();
    let found: Result<Vec<Option<&str>>, Problem> = parallel::map(
        &both,
        |(name, was, is): &(&'a str, &FileInfo, &FileInfo)| match (was.hash, is.hash) {
            _ if was.length != is.length => Ok(Some(*name)),
            (Some(was), Some(is)) => Ok((was != is).then_some(*name)),
            _ => Ok((old.bytes(name)? != new.bytes(name)?).then_some(*name)),
        },
    )
    .into_iter()
    .collect();
    Ok(found?.into_iter().flatten().collect())
}

/// Whether a file is a page.
pub(super) fn is_page(name: &str) -> bool {
    name.ends_with(".html")
}

/// The address of a file: `about/index.html` → `/about/`.
pub fn address_of(name: &str) -> String {
    match name.strip_suffix("index.html") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => format!("/{folder}"),
        _ => format!("/{name}"),
    }
}

/// The manifest of the build that wrote a folder: from the cache beside it, or from that of the site.
fn manifest(root: &Path, site: &Path) -> Option<BuildManifest> {
    let mut caches = root
        .parent()
        .into_iter()
        .chain([site])
        .map(|folder| folder.join(CACHE));
    caches.find_map(|cache| BuildManifest::of_folder(&cache, root))
}
