//! Pictures of a CMS: fetched once, stored in the snapshot, and published like other pictures.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use reqwest::Url;

use crate::Images;
use crate::images::{ENDINGS, SNAPSHOT};
use config::Config;
use config::source_index::SourceIndex;
use diagnostics::problem::{Code, Place, Problem, Problems};
use workspace::cache;
use workspace::files::Clock;

use super::fetch::{Fetcher, join_all};
use super::snapshot;

/// The keys of pictures in [`Images`], by their URLs.
pub(super) type Pictures = BTreeMap<String, String>;

/// Fetches the pictures that the snapshot lacks, or all if `fresh`. Returns why some could not be fetched, by their URLs.
pub(super) async fn fetch_all(
    config: &Config,
    fetcher: Option<&Arc<Fetcher>>,
    wanted: &BTreeMap<String, String>,
    fresh: bool,
) -> BTreeMap<String, String> {
    let folder = snapshot::folder(config).join("pictures");
    let mut failed = BTreeMap::new();
    if let Some(fetcher) = fetcher {
        fetcher.extend_deadline();
        let missing: Vec<&String> = wanted
            .keys()
            .filter(|url| fresh || find(&folder, url).is_none())
            .collect();
        let requests = missing
            .iter()
            .map(|url| fetch(Arc::clone(fetcher), (*url).clone(), folder.clone()))
            .collect();
        for (url, answer) in missing.into_iter().zip(join_all(requests).await) {
            if let Err(why) = answer {
                failed.insert(url.clone(), why);
            }
        }
    }
    failed
}

/// Adds the pictures in the snapshot to `images`. Those that are missing, which may have `failed`, are left out.
pub(super) fn add(
    config: &Config,
    images: &mut Images,
    sources: &SourceIndex,
    wanted: &BTreeMap<String, String>,
    mut failed: BTreeMap<String, String>,
) -> (Pictures, Problems) {
    let folder = snapshot::folder(config).join("pictures");
    let (mut pictures, mut files) = (Pictures::new(), Vec::new());
    for url in wanted.keys() {
        if let Some(file) = find(&folder, url) {
            let key = format!(
                "{SNAPSHOT}/{}",
                file.file_name().unwrap_or_default().to_string_lossy()
            );
            pictures.insert(url.clone(), key.clone());
            let stamp = sources.settled_file(&file);
            files.push((key, file, stamp));
        } else {
            failed
                .entry(url.clone())
                .or_insert_with(|| "it is not in the snapshot".into());
        }
    }
    let mut damaged = BTreeMap::new();
    images.add(&config.paths.root, &files, &mut |key, problem| {
        drop(damaged.insert(key.to_owned(), problem.message));
    });
    files.iter().for_each(|(key, ..)| images.set_apart(key));
    pictures.retain(|url, key| {
        damaged
            .remove(key)
            .map(|why| failed.insert(url.clone(), why))
            .is_none()
    });
    failed.retain(|url, _| !pictures.contains_key(url));
    let mut problems = Problems::new();
    for (url, why) in failed {
        let problem = Problem::warning(
            Code::BlogPost,
            format!("the image `{url}` is left out ({why})"),
        );
        problems.push(problem.at(Place::file(wanted[&url].clone())));
    }
    (pictures, problems)
}

async fn fetch(fetcher: Arc<Fetcher>, address: String, folder: PathBuf) -> Result<(), String> {
    let url = Url::parse(&address).map_err(|error| error.to_string())?;
    let (ending, bytes) = fetcher
        .get(&url, |answer| match ending(&answer.body) {
            _ if answer.status != 200 => Err(format!("status {}", answer.status)),
            Some(ending) => Ok((ending, answer.body)),
            None => Err("the response is not a JPEG, PNG, WebP, GIF or SVG image".into()),
        })
        .await?;
    fetcher.extend_deadline();
    let file = folder.join(format!("{}.{ending}", stem(&address)));
    cache::keep(&file, &bytes).map_err(|error| {
        format!(
            "it could not be saved: {}",
            workspace::files::reason(&error)
        )
    })?;
    // One of another format is removed last, so that another program always finds one.
    for other in ENDINGS.iter().filter(|other| **other != ending) {
        let _ = std::fs::remove_file(file.with_extension(other));
    }
    Ok(())
}

/// The file extension by the content of a picture: content types and extensions may be wrong.
pub(super) fn ending(body: &[u8]) -> Option<&'static str> {
    let text = || {
        String::from_utf8_lossy(&body[..body.len().min(1000)])
            .trim_start()
            .to_lowercase()
    };
    if body.starts_with(b"\xff\xd8\xff") {
        Some("jpg")
    } else if body.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("png")
    } else if body.starts_with(b"RIFF") && body.get(8..12) == Some(b"WEBP") {
        Some("webp")
    } else if body.starts_with(b"GIF8") {
        Some("gif")
    } else {
        let text = text();
        let is_svg = text.starts_with("<svg") || text.starts_with("<?xml") && text.contains("<svg");
        is_svg.then_some("svg")
    }
}

/// Puts a file into the snapshot as the picture of an address. It is linked, not copied, where the file system can.
pub(super) fn put(config: &Config, address: &str, file: &Path) -> std::io::Result<()> {
    let folder = snapshot::folder(config).join("pictures");
    fs_err::create_dir_all(&folder)?;
    let ending = file
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let target = folder.join(format!("{}.{ending}", stem(address)));
    if target.exists() || std::fs::hard_link(file, &target).is_ok() {
        return Ok(());
    }
    fs_err::copy(file, &target).map(|_| ())
}

fn stem(address: &str) -> String {
    blake3::hash(address.as_bytes()).to_hex()[..24].to_owned()
}

fn find(folder: &Path, address: &str) -> Option<PathBuf> {
    let stem = stem(address);
    ENDINGS
        .iter()
        .map(|ending| folder.join(format!("{stem}.{ending}")))
        .find(|file| file.is_file())
}

/// Removes pictures that are no longer used. Those that were saved after `start` may belong to posts that another program
/// has fetched meanwhile.
pub(super) fn prune(config: &Config, wanted: &BTreeMap<String, String>, start: Option<Clock>) {
    let stems: BTreeSet<String> = wanted.keys().map(|address| stem(address)).collect();
    let Ok(entries) = std::fs::read_dir(snapshot::folder(config).join("pictures")) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_unused = name
            .split_once('.')
            .is_some_and(|(stem, _)| stem.len() == 24 && !stems.contains(stem));
        if is_unused && start.is_none_or(|start| !start.may_be_before_change_of(&entry.path())) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
