//! `build --verify-cache`: builds again with empty caches, and compares every byte. It shows whether caches that were
//! copied from another machine can be trusted.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use config::{BlogSource, Config, Paths, SnapshotMode};
use diagnostics::problem::{Code, Place, Problem, Problems};
use generator::pipeline::{self, BuildScope, Finished, Purpose};
use publish::OldAssets;
use site::Workspace;
use workspace::cache::Store;
use workspace::files;
use workspace::timings::Timings;

/// The maximum number of files listed.
const SHOWN: usize = 20;
/// The remedy for a difference.
const REMEDY: &str = "delete `.sitegen/` and the output folder, and build again";

/// Compares the output folder, just built, with a build without caches. That build encodes every picture, so it takes
/// as long as a first one.
pub fn check(config: &Config) -> Problems {
    let folder = config
        .paths
        .cache
        .join(format!("verify-{}", std::process::id()));
    let problems = compare(config, &folder).unwrap_or_else(|error| {
        let message = format!(
            "the caches could not be verified ({})",
            files::reason(&error)
        );
        Problem::error(Code::OutFailed, message).into()
    });
    // If this fails, the folder only takes up space.
    let _ = fs_err::remove_dir_all(&folder);
    problems
}

fn compare(config: &Config, folder: &Path) -> io::Result<Problems> {
    fs_err::create_dir_all(folder)?;
    let cold = cold(config, folder)?;
    let out = cold.paths.out.clone();
    let whole = BuildScope::Site(Workspace::open(cold));
    let (finished, found) = pipeline::build(whole, Purpose::Build, &|_| {}, &Timings::off());
    if finished.map(Finished::into_report).is_none() {
        return Ok(found);
    }
    // The first build has reported the warnings.
    let mut problems = Problems::new();
    let (warm_files, cold_files) = (listed(&config.paths.out)?, listed(&out)?);
    let mut different = Vec::new();
    // Assets that earlier builds left for open pages are not compared: a build without caches has none.
    let old = OldAssets::of(&config.paths.out);
    let old: BTreeSet<&str> = old.paths().chain([OldAssets::FILE]).collect();
    for path in warm_files
        .union(&cold_files)
        .filter(|path| !old.contains(path.as_str()))
    {
        let [own, other] = [&config.paths.out, &out].map(|out| std::fs::read(out.join(path)).ok());
        if own != other {
            different.push(path);
        }
    }
    for path in different.iter().take(SHOWN) {
        let message = "a build without caches writes this file differently";
        let place = Place::file(files::shown(
            &config.paths.root,
            &config.paths.out.join(path),
        ));
        problems.push(
            Problem::error(Code::CacheDiffers, message)
                .at(place)
                .hint(REMEDY),
        );
    }
    if let Some(more) = different.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let files = if more == 1 { "file" } else { "files" };
        let message = format!("a build without caches writes {more} more {files} differently");
        problems.push(Problem::error(Code::CacheDiffers, message).hint(REMEDY));
    }
    Ok(problems)
}

/// The same site with empty caches. Posts come from the snapshot, because the CMS may have changed since the first
/// build.
fn cold(config: &Config, folder: &Path) -> io::Result<Config> {
    let mut cold = config.clone();
    let cache = folder.join("cache");
    cold.cache = Store::new(&cache, None);
    cold.paths = Paths {
        out: folder.join("dist"),
        search: folder.join("search"),
        cache,
        ..cold.paths
    };
    cold.run.snapshot = SnapshotMode::Offline;
    if config.site.blog.source != BlogSource::Markdown || config.may_fetch_entries() {
        let (from, to) = (
            config
                .site
                .blog
                .snapshot_folder(&config.paths.root, &config.paths.cache),
            cold.site
                .blog
                .snapshot_folder(&cold.paths.root, &cold.paths.cache),
        );
        for entry in walkdir::WalkDir::new(&from)
            .min_depth(1)
            .into_iter()
            .flatten()
            .filter(|_| from != to)
        {
            let target = to.join(entry.path().strip_prefix(&from).unwrap_or(entry.path()));
            if entry.file_type().is_dir() {
                fs_err::create_dir_all(target)?;
            } else {
                fs_err::create_dir_all(target.parent().unwrap_or(&to))?;
                fs_err::copy(entry.path(), target)?;
            }
        }
    }
    Ok(cold)
}

/// The files that sitegen wrote.
fn listed(out: &Path) -> io::Result<BTreeSet<String>> {
    let list = fs_err::read_to_string(out.join(publish::FILE_LIST))?;
    Ok(list.lines().map(str::to_owned).collect())
}
