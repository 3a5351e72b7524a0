//! Runs the esbuild executable: takes the entry points of a job, returns hashed files.
//!
//! esbuild is started only if one of its inputs has changed since the last run: the cache has a record of each job, with
//! the hash of every input in esbuild's metafile, and the output files under their hashes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use config::Config;
use diagnostics::problem::{Code, Place, Problem, Problems, Span};
use workspace::cache::{self, Kind};
use workspace::files::{self, Clock};

use super::content_names;

/// The names of all jobs.
const JOBS: [&str; 3] = ["styles", "browser", "server"];

/// The beginning of the names of folders in which esbuild works, and pagefind.
pub(super) const WORK: &str = "work-";

/// One call of esbuild.
pub(super) struct BundleJob {
    /// The name of the job, one of [`JOBS`].
    pub name: &'static str,
    /// Paths relative to the folder of templates and scripts ([`Paths::theme_root`](config::Paths::theme_root)).
    pub entries: Vec<String>,
    /// Flags in addition to those of every job.
    pub flags: Vec<String>,
}

/// One output file of esbuild.
#[derive(Debug)]
pub(super) struct BundledFile {
    /// Path below the job's output folder.
    pub path: String,
    /// Its entry point; `None` for a shared chunk.
    pub entry: Option<String>,
    /// Paths of the chunks that it imports statically.
    pub imports: Vec<String>,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Bytes after compression with brotli; 0 unless it is a script.
    pub weight: usize,
}

/// The fields of esbuild's metafile that are needed.
#[derive(Deserialize)]
struct Metafile {
    inputs: BTreeMap<String, serde_json::Value>,
    outputs: BTreeMap<String, MetaOutput>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MetaOutput {
    entry_point: Option<String>,
    #[serde(default)]
    imports: Vec<MetaImport>,
    /// The modules in it; none in a chunk that holds only esbuild's own functions.
    #[serde(default)]
    inputs: BTreeMap<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct MetaImport {
    path: String,
    kind: String,
}

/// The record of a job in the cache.
#[derive(Serialize, Deserialize, PartialEq)]
struct CachedBundle {
    /// esbuild's version, and all arguments.
    command: Vec<String>,
    /// The content hash of each input, by path relative to the folder of templates and scripts.
    inputs: BTreeMap<String, String>,
    /// The output files, by path below the output folder.
    outputs: BTreeMap<String, CachedBundleFile>,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct CachedBundleFile {
    entry_point: Option<String>,
    imports: Vec<String>,
    /// Bytes after compression with brotli. Stored, because compressing React takes as long as the rest of a build.
    weight: usize,
    /// The BLAKE3 hash of the file, under which the cache has it.
    hash: String,
}

/// Runs a job, or returns the cached output if no input has changed: the output files, by path.
pub(super) fn run(config: &Config, job: &BundleJob) -> Result<Vec<BundledFile>, Problems> {
    let (command, root) = (command(config, job), config.paths.theme_root());
    if let Some(record) = record(config, job.name)
        && record.command == command
        && record
            .inputs
            .iter()
            .all(|(path, hash)| file_hash(&root.join(path)).as_ref() == Some(hash))
        && let Some(files) = cached_files(config, record.outputs)
    {
        return Ok(files);
    }
    execute(config, job, command)
}

/// The inputs of all bundles in the cache, relative to the folder of templates and scripts. They may include inputs of a bundle that is no longer
/// used.
pub(super) fn inputs(config: &Config) -> BTreeSet<String> {
    JOBS.iter()
        .filter_map(|job| record(config, job))
        .flat_map(|record| record.inputs.into_keys())
        .collect()
}

/// The name of a job's record in the cache.
fn record_name(job: &str) -> String {
    format!("{job}.json")
}

fn record(config: &Config, job: &str) -> Option<CachedBundle> {
    serde_json::from_slice(&config.cache.get(Kind::Bundle, &record_name(job))?).ok()
}

/// The files of a record; `None` if one is missing.
fn cached_files(
    config: &Config,
    outputs: BTreeMap<String, CachedBundleFile>,
) -> Option<Vec<BundledFile>> {
    let files = outputs.into_iter().map(|(path, file)| {
        let bytes = config.cache.get(Kind::Bundle, &file.hash)?;
        Some(BundledFile {
            path,
            entry: file.entry_point,
            imports: file.imports,
            weight: file.weight,
            bytes,
        })
    });
    files.collect()
}

/// The line with the version in the `package.json` of an npm package; empty if there is none.
pub(super) fn version_in(package: Option<PathBuf>) -> String {
    let text = package.and_then(|file| std::fs::read_to_string(file).ok());
    let text = text.unwrap_or_default();
    let line = text.lines().find(|line| line.contains("\"version\""));
    line.unwrap_or_default().trim().to_owned()
}

fn command(config: &Config, job: &BundleJob) -> Vec<String> {
    let esbuild = config.paths.esbuild.as_deref();
    let package = esbuild.and_then(|path| Some(path.parent()?.parent()?.join("package.json")));
    // The number changes with what is done to the output.
    let version = format!("{} 3", version_in(package));
    let flags = [
        "--bundle",
        "--minify",
        "--charset=utf8",
        "--outbase=.",
        "--legal-comments=none",
        "--log-limit=0",
        "--color=false",
    ];
    std::iter::once(version)
        .chain(flags.into_iter().map(str::to_owned))
        .chain(job.flags.iter().cloned())
        .chain(job.entries.iter().cloned())
        .collect()
}

fn file_hash(path: &Path) -> Option<String> {
    Some(
        blake3::hash(&std::fs::read(path).ok()?)
            .to_hex()
            .to_string(),
    )
}

/// The problem of something that failed in the cache.
fn outside(folder: &Path, what: &str, error: &std::io::Error) -> Problems {
    let problem = Problem::error(
        Code::OutFailed,
        format!("{what} failed ({})", files::reason(error)),
    );
    problem
        .hint(format!(
            "check the folder `{}`; it is safe to delete",
            folder.display()
        ))
        .into()
}

#[expect(clippy::disallowed_methods, reason = "runs a program of others")]
fn execute(
    config: &Config,
    job: &BundleJob,
    command: Vec<String>,
) -> Result<Vec<BundledFile>, Problems> {
    let Some(esbuild) = &config.paths.esbuild else {
        let problem = Problem::error(
            Code::BundlerMissing,
            "esbuild is not installed, but the site has style sheets or scripts",
        );
        return Err(problem
            .hint("run `npm install` in the site's folder")
            .into());
    };
    let conflicts = conflicts(config);
    if !conflicts.is_empty() {
        return Err(conflicts);
    }
    let folder = config.paths.cache.join(Kind::Bundle.folder());
    remove_left(&folder);
    // A check may bundle at the same time as a build.
    let work = folder.join(format!("{WORK}{}-{}", job.name, cache::unique_name()));
    let clock = work.join("clock");
    let created = fs_err::create_dir_all(&work).and_then(|()| fs_err::write(&clock, []));
    created.map_err(|error| outside(&folder, "creating the cache folder", &error))?;
    let clock = Clock::of(&clock);
    let run = Command::new(esbuild)
        .args(&command[1..])
        .arg(format!("--outdir={}", work.join("out").display()))
        .arg(format!("--metafile={}", work.join("meta.json").display()))
        .current_dir(config.paths.theme_root())
        .envs(
            config
                .paths
                .node_modules
                .as_ref()
                .map(|folder| ("NODE_PATH", folder)),
        )
        .output();
    let finished = run.map_err(|error| {
        let message = format!(
            "`{}` could not be started ({})",
            esbuild.display(),
            files::reason(&error)
        );
        Problems::from(
            Problem::error(Code::BundlerMissing, message)
                .hint("run `npm install` in the site's folder"),
        )
    })?;
    let messages = String::from_utf8_lossy(&finished.stderr);
    let problems = read_messages(config, &messages);
    if !finished.status.success() || !problems.is_empty() {
        let _ = fs_err::remove_dir_all(&work);
        if !problems.is_empty() {
            return Err(problems);
        }
        let message = format!("esbuild failed ({}): {}", finished.status, messages.trim());
        return Err(Problem::error(Code::BundlerMissing, message)
            .hint("run `npm install` in the site's folder")
            .into());
    }
    let (record, files) = read_output(config, &work, command)
        .map_err(|error| outside(&folder, "reading esbuild's result", &error))?;
    let _ = fs_err::remove_dir_all(&work);
    for (file, cached) in files.iter().zip(record.outputs.values()) {
        config.cache.put(Kind::Bundle, &cached.hash, &file.bytes);
    }
    // The inputs are hashed after esbuild has read them. One that was saved meanwhile may have other bytes now.
    let root = config.paths.theme_root();
    if !record
        .inputs
        .keys()
        .any(|path| clock.is_none_or(|clock| clock.may_be_before_change_of(&root.join(path))))
    {
        config.cache.put(
            Kind::Bundle,
            &record_name(job.name),
            &serde_json::to_vec(&record).unwrap_or_default(),
        );
    }
    Ok(files)
}

/// Styles and scripts of the site in which a merge has left both sides. esbuild would report what it makes of the markers.
fn conflicts(config: &Config) -> Problems {
    const ENDINGS: [&str; 6] = ["css", "js", "json", "mjs", "ts", "tsx"];
    let root = &config.paths.root;
    let mut problems = Problems::new();
    for path in ["templates", "react"]
        .iter()
        .flat_map(|folder| root.list(&root.join(folder)).0)
    {
        let is_bundled = path
            .extension()
            .is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
        let text = is_bundled.then(|| fs_err::read(&path).ok()).flatten();
        let text = text
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default();
        problems.extend(
            files::conflict(&files::shown(root, &path), &text)
                .map(Problems::from)
                .unwrap_or_default(),
        );
    }
    problems
}

/// Removes the work folders that killed runs have left. Those of the last hour may be in use.
pub(super) fn remove_left(folder: &Path) {
    const IN_USE: Duration = Duration::from_hours(1);
    for left in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let age = left
            .metadata()
            .and_then(|meta| meta.modified())
            .ok()
            .and_then(|modified| modified.elapsed().ok());
        if left.file_name().to_string_lossy().starts_with(WORK)
            && age.is_some_and(|age| age > IN_USE)
        {
            let _ = fs_err::remove_dir_all(left.path());
        }
    }
}

/// The path of an output file below the folder of all. esbuild's paths are relative to its working folder, with `../`
/// if the cache is outside of it.
fn below(path: &str, work: &Path, out: &str) -> String {
    let inside = path.split_once(&format!(
        "{}/out/",
        work.file_name().unwrap_or_default().to_string_lossy()
    ));
    inside
        .map_or_else(|| path.trim_start_matches(out), |(_, rest)| rest)
        .to_owned()
}

/// The output files in a folder, and the record of them.
fn read_output(
    config: &Config,
    work: &Path,
    command: Vec<String>,
) -> std::io::Result<(CachedBundle, Vec<BundledFile>)> {
    let meta: Metafile = serde_json::from_slice(&fs_err::read(work.join("meta.json"))?)?;
    let root = config.paths.theme_root();
    let out = files::shown(&root, &work.join("out"));
    let extra = ["package.json", "tsconfig.json"].map(str::to_owned);
    let inputs = meta
        .inputs
        .into_keys()
        .chain(extra)
        .filter_map(|path| Some((path.clone(), file_hash(&root.join(&path))?)))
        .collect();
    let (mut outputs, mut files) = (BTreeMap::new(), Vec::new());
    let meta_outputs: BTreeMap<String, MetaOutput> = meta
        .outputs
        .into_iter()
        .map(|(path, output)| (below(&path, work, &out), output))
        .collect();
    let mut contents = meta_outputs
        .keys()
        .map(|path| Ok((path.clone(), fs_err::read(work.join("out").join(path))?)))
        .collect::<std::io::Result<BTreeMap<String, Vec<u8>>>>()?;
    let names = content_names::names(&contents);
    for (path, output) in &meta_outputs {
        let mut bytes = contents.remove(path).unwrap_or_default();
        let at_once = output
            .imports
            .iter()
            .filter(|import| import.kind == "import-statement");
        let mut imports: Vec<String> = at_once
            .map(|import| below(&import.path, work, &out))
            .collect();
        imports.retain(|import| {
            let is_helper = meta_outputs
                .get(import)
                .is_some_and(|output| output.inputs.is_empty());
            !(is_helper && drop_import(&mut bytes, import))
        });
        content_names::replace(&mut bytes, &names);
        imports
            .iter_mut()
            .for_each(|import| *import = names.get(import).unwrap_or(import).clone());
        let path = names.get(path).unwrap_or(path).clone();
        let weight = if path.ends_with(".js") {
            crate::output::compressed(&bytes)
        } else {
            0
        };
        let hash = blake3::hash(&bytes).to_hex().to_string();
        let cached = CachedBundleFile {
            entry_point: output.entry_point.clone(),
            imports: imports.clone(),
            weight,
            hash,
        };
        outputs.insert(path.clone(), cached);
        let entry = output.entry_point.clone();
        files.push(BundledFile {
            path,
            entry,
            imports,
            bytes,
            weight,
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok((
        CachedBundle {
            command,
            inputs,
            outputs,
        },
        files,
    ))
}

/// Removes `import"./chunk.js";` from a script if it imports no name. esbuild writes it to keep the order of chunks, but
/// a chunk with only its own functions does nothing when it is loaded, and costs a request.
fn drop_import(script: &mut Vec<u8>, chunk: &str) -> bool {
    let import = format!("import\"./{chunk}\";");
    let Some(at) = memchr::memmem::find(script, import.as_bytes()) else {
        return false;
    };
    script.drain(at..at + import.len());
    true
}

/// Parses esbuild's messages: `✘ [ERROR] text`, then an indented `path:line:column:`. Warnings are errors as well: they
/// mean that a style sheet does not do what its author wrote.
fn read_messages(config: &Config, messages: &str) -> Problems {
    let mut problems = Problems::new();
    let mut lines = messages.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(message) = ["✘ [ERROR] ", "▲ [WARNING] "]
            .iter()
            .find_map(|mark| line.strip_prefix(mark))
        else {
            continue;
        };
        let message = message
            .strip_suffix(']')
            .and_then(|rest| rest.rsplit_once(" ["))
            .map_or(message, |(text, _)| text);
        let mut problem = Problem::error(Code::Bundle, message);
        while let Some(next) = lines.next_if(|next| !next.starts_with(['✘', '▲'])) {
            if problem.place.is_none() && next.starts_with("    ") {
                problem.place = place(config, next.trim());
            }
        }
        problems.push(problem);
    }
    problems
}

/// Parses `path:line:column:`. esbuild counts columns in bytes from 0.
fn place(config: &Config, text: &str) -> Option<Place> {
    let (rest, column) = text.strip_suffix(':')?.rsplit_once(':')?;
    let (path, line) = rest.rsplit_once(':')?;
    let (line, column) = (line.parse::<usize>().ok()?, column.parse::<usize>().ok()?);
    let root = config.paths.theme_root();
    let Ok(source) = root.read_text(&root.join(path)) else {
        return Some(Place::file(path));
    };
    let line_start: usize = source
        .text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    Some(source.place(Span::new(line_start + column, line_start + column + 1)))
}
