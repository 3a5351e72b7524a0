//! Runs the pagefind executable: takes documents, returns the files of the index that a browser searches.
//!
//! Its mode for other programs (`--service`) takes documents from memory, with the addresses that they have, and in the
//! order in which they are sent, so that the same documents give the same bytes. Over a folder it would index all files of
//! the site, in the order of the file system.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use config::Config;
use diagnostics::problem::{Code, Problem};
use workspace::cache::{self, Kind};
use workspace::files;

use super::esbuild;

/// The folder of the index in the output folder.
pub const INDEX_FOLDER: &str = "pagefind";
/// The folders in it in which each file, or the folder around it, has a name with a hash.
pub const INDEX_HASHED: [&str; 4] = ["filter", "fragment", "index", PARTS];
/// The folder in it of all parts of a language but the first, each in a folder with its own name.
const PARTS: &str = "parts";

/// Parts of the theme's pages that repeat what other pages, or the page itself, have.
const REPEATED: &[&str] = &[
    ".article__contents",
    ".article__foot",
    ".article__related",
    ".breadcrumb",
    ".entries__filters",
    ".pagination",
    ".related",
    "sitegen-island[name=blog-explorer]",
    "sitegen-island[name=case-explorer]",
];

/// Whether a path below `dist/` is that of a file of the index.
pub fn is_index(path: &str) -> bool {
    path.strip_prefix(INDEX_FOLDER)
        .is_some_and(|path| path.starts_with('/'))
}

/// The beginnings of the names of files for interfaces that pages do not load.
const INTERFACES: [&str; 4] = [
    "pagefind-component-ui.",
    "pagefind-highlight.",
    "pagefind-modular-ui.",
    "pagefind-ui.",
];

/// The worker that reads the index in browsers.
const WORKER: &str = "pagefind-worker.js";
/// Stands before its script. Pagefind only logs that a file of the index is missing or damaged, and goes on with what is there,
/// so that visitors would see that nothing was found.
const TELL: &str = "{const log=console.error;console.error=(...lost)=>{log(...lost);postMessage({lost:String(lost[0])})}}\n";

/// The files of an index: their paths below the output folder, sorted, and their bytes.
pub type IndexFiles = Vec<(String, Vec<u8>)>;
/// The file that names the languages of an index and their files.
const ENTRY: &str = "pagefind/pagefind-entry.json";

/// A part of the index of a language.
#[derive(Debug)]
pub struct IndexPart {
    /// The code of the language in lower case.
    pub language: String,
    /// The name of its folder; `None` for the first part.
    pub folder: Option<String>,
    /// Its files, as [`index`] returns them.
    pub files: IndexFiles,
}

/// A page to index.
#[derive(Debug)]
pub struct IndexDocument {
    /// Its address, without the path of `base_url`.
    pub url: String,
    /// A whole HTML document.
    pub html: String,
}

#[derive(Serialize)]
struct PagefindMessage<'a> {
    message_id: usize,
    payload: Request<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type")]
enum Request<'a> {
    NewIndex {
        config: IndexConfig,
    },
    AddFile {
        index_id: usize,
        file_path: Option<&'a str>,
        url: &'a str,
        file_contents: &'a str,
    },
    WriteFiles {
        index_id: usize,
        output_path: String,
    },
}

#[derive(Serialize)]
struct IndexConfig {
    exclude_selectors: &'static [&'static str],
}

#[derive(Deserialize)]
struct Answer {
    message_id: Option<usize>,
    payload: Payload,
}

#[derive(Deserialize)]
struct Payload {
    #[serde(rename = "type")]
    kind: String,
    message: Option<String>,
}

/// The version of pagefind, and what is done with its files; part of the name of an index in the cache.
pub fn indexer(config: &Config) -> String {
    let version = esbuild::version_in(package_file(config));
    format!("{version} 3 {}", REPEATED.join(","))
}

/// The file with the version of the installed package, whether or not it exists.
pub(super) fn package_file(config: &Config) -> Option<PathBuf> {
    Some(
        config
            .paths
            .pagefind
            .as_ref()?
            .parent()?
            .parent()?
            .join("package.json"),
    )
}

/// The problem of a site with a search for which pagefind is not installed.
pub(super) fn missing(config: &Config) -> Option<Problem> {
    let is_missing = config.site.search.is_some() && config.paths.pagefind.is_none();
    is_missing.then(|| {
        Problem::error(
            Code::BundlerMissing,
            "pagefind is not installed, but the site's search needs it",
        )
        .hint("run `npm install` in the site's folder")
    })
}

/// The files of the index with a name, if the cache has them.
pub fn cached_index(config: &Config, name: &str) -> Option<IndexFiles> {
    postcard::from_bytes(&config.cache.get(Kind::Index, name)?).ok()
}

/// Keeps the files of an index in the cache.
pub fn keep_index(config: &Config, name: &str, files: &IndexFiles) {
    config.cache.put(
        Kind::Index,
        name,
        &postcard::to_allocvec(files).unwrap_or_default(),
    );
}

/// Joins the indexes of all languages, and their parts. Files that all have, such as the scripts, are the same in each. The
/// worker tells which other parts there are.
///
/// # Errors
/// A problem without a place if the list of languages of one cannot be read.
pub fn joined_index(parts: Vec<IndexPart>) -> Result<IndexFiles, Problem> {
    let mut all = BTreeMap::new();
    let mut entry = None;
    let mut folders: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (first, others): (Vec<_>, Vec<_>) =
        parts.into_iter().partition(|part| part.folder.is_none());
    for IndexPart {
        language,
        folder,
        files,
    } in others
    {
        let folder = folder.unwrap_or_default();
        for (path, bytes) in files.into_iter().filter(|(path, _)| is_data(path)) {
            all.insert(
                path.replacen(INDEX_FOLDER, &format!("{INDEX_FOLDER}/{PARTS}/{folder}"), 1),
                bytes,
            );
        }
        folders.entry(language).or_default().push(folder);
    }
    for (path, mut bytes) in first.into_iter().flat_map(|part| part.files) {
        if !folders.is_empty() && path == format!("{INDEX_FOLDER}/{WORKER}") {
            bytes.splice(
                ..0,
                format!("postMessage({})\n", json!({"parts": folders})).into_bytes(),
            );
        }
        if path != ENTRY {
            all.insert(path, bytes);
            continue;
        }
        let mut read: Value = serde_json::from_slice(&bytes).map_err(|error| {
            failed(&format!(
                "pagefind wrote a list of languages that cannot be read ({error})"
            ))
        })?;
        let languages = read["languages"].take();
        let known = entry.get_or_insert_with(|| {
            read["languages"] = json!({});
            read
        });
        if let (Some(known), Value::Object(languages)) =
            (known["languages"].as_object_mut(), languages)
        {
            known.extend(languages);
        }
    }
    all.extend(entry.map(|entry| (ENTRY.to_owned(), entry.to_string().into_bytes())));
    Ok(all.into_iter().collect())
}

/// Whether a file has what was indexed: the scripts of the first part read that of all others.
fn is_data(path: &str) -> bool {
    path == ENTRY
        || path.ends_with(".pf_meta")
        || path.trim_start_matches(INDEX_FOLDER).matches('/').count() > 1
}

/// The problem of a folder for the index.
fn outside(folder: &Path, error: &std::io::Error) -> Problem {
    let message = format!(
        "the search index could not be written to or read from `{}` ({})",
        folder.display(),
        files::reason(error)
    );
    Problem::error(Code::OutFailed, message)
}

/// Indexes documents of one language.
///
/// # Errors
/// A problem without a place if pagefind cannot be started or fails.
pub fn index(config: &Config, documents: &[IndexDocument]) -> Result<IndexFiles, Problem> {
    let Some(pagefind) = &config.paths.pagefind else {
        return Err(failed("pagefind is not installed"));
    };
    let folder = config.paths.cache.join(Kind::Index.folder());
    esbuild::remove_left(&folder);
    let work = folder.join(format!("{}{}", esbuild::WORK, cache::unique_name()));
    fs_err::create_dir_all(&work).map_err(|error| outside(&folder, &error))?;
    let files = run(pagefind, documents, &work)
        .and_then(|()| read(&work).map_err(|error| outside(&folder, &error)));
    let _ = fs_err::remove_dir_all(&work);
    files
}

fn failed(why: &str) -> Problem {
    Problem::error(Code::BundlerMissing, why.to_owned())
        .hint("run `npm install` in the site's folder")
}

/// A process that does not outlive the run that started it.
struct PagefindService(Child);

impl Drop for PagefindService {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "runs a program of others")]
fn run(pagefind: &Path, documents: &[IndexDocument], work: &Path) -> Result<(), Problem> {
    let started = Command::new(pagefind)
        .arg("--service")
        .current_dir(work)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let started = started.map_err(|error| {
        failed(&format!(
            "`{}` could not be started ({})",
            pagefind.display(),
            files::reason(&error)
        ))
    })?;
    let mut service = PagefindService(started);
    let (Some(mut stdin), Some(stdout)) = (service.0.stdin.take(), service.0.stdout.take()) else {
        return Err(failed("the streams of pagefind could not be opened"));
    };
    let last = documents.len() + 1;
    std::thread::scope(|scope| {
        // Fails only if pagefind has ended, which is noticed below. It ends with its input, so that stays open.
        let _input = scope.spawn(move || send(&mut stdin, documents, work).map(|()| stdin));
        // pagefind answers each message with one that ends with a comma.
        for answer in BufReader::new(stdout).split(b',') {
            let answer = answer.ok().and_then(|answer| STANDARD.decode(answer).ok());
            let Some(Answer {
                message_id,
                payload,
            }) = answer.and_then(|answer| serde_json::from_slice(&answer).ok())
            else {
                break;
            };
            if payload.kind == "Error" {
                let page = message_id
                    .and_then(|id| documents.get(id.checked_sub(1)?))
                    .map(|page| page.url.as_str());
                let page = page.map(|url| format!(" at `{url}`")).unwrap_or_default();
                let why = payload.message.unwrap_or_default();
                drop(service);
                return Err(failed(&format!("pagefind failed{page}: {why}")));
            }
            if message_id == Some(last) {
                drop(service);
                return Ok(());
            }
        }
        let status = service
            .0
            .wait()
            .map(|status| status.to_string())
            .unwrap_or_default();
        Err(failed(&format!(
            "pagefind exited before the index was complete ({status})"
        )))
    })
}

/// Writes a message.
fn message(to: &mut impl Write, message_id: usize, payload: Request) -> std::io::Result<()> {
    let json = serde_json::to_vec(&PagefindMessage {
        message_id,
        payload,
    })
    .map_err(std::io::Error::other)?;
    to.write_all(STANDARD.encode(json).as_bytes())?;
    to.write_all(b",")
}

fn send(to: &mut impl Write, documents: &[IndexDocument], work: &Path) -> std::io::Result<()> {
    let mut to = std::io::BufWriter::with_capacity(1 << 16, to);
    message(
        &mut to,
        0,
        Request::NewIndex {
            config: IndexConfig {
                exclude_selectors: REPEATED,
            },
        },
    )?;
    for (at, IndexDocument { url, html }) in documents.iter().enumerate() {
        message(
            &mut to,
            at + 1,
            Request::AddFile {
                index_id: 0,
                file_path: None,
                url,
                file_contents: html,
            },
        )?;
    }
    let output_path = work.to_string_lossy().into_owned();
    message(
        &mut to,
        documents.len() + 1,
        Request::WriteFiles {
            index_id: 0,
            output_path,
        },
    )?;
    to.flush()
}

/// The files in a folder and in the folders in it, sorted by path.
fn read(work: &Path) -> std::io::Result<IndexFiles> {
    let mut found = Vec::new();
    let mut folders = vec![work.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let below = path
                .strip_prefix(work)
                .unwrap_or(&path)
                .to_string_lossy()
                .replace('\\', "/");
            if !INTERFACES.iter().any(|name| below.starts_with(name)) {
                let mut bytes = fs_err::read(&path)?;
                if below == WORKER {
                    bytes.splice(..0, TELL.bytes());
                }
                found.push((format!("{INDEX_FOLDER}/{below}"), bytes));
            }
        }
    }
    found.sort();
    Ok(found)
}
