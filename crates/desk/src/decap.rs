//! The files of the page of the forms: those of this program, and Decap CMS, which is fetched once from the npm registry.
//!
//! Decap is not a dependency in `package.json`: its script is all that is used, and its package brings hundreds of others.
//! `npm pack` fetches the package as npm is configured here (a registry, a proxy, a cache), and nothing of it is run
//! before its hash was compared with the one below.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use diagnostics::problem::{Code, Problem};
use workspace::files::FileSet;
use workspace::{cache, files};

use super::is_plain;

/// The files of this program, by name.
pub const PAGE_FILES: &[(&str, &str)] = &[
    ("index.html", include_str!("page/index.html")),
    ("admin.css", include_str!("page/admin.css")),
    ("admin.js", include_str!("page/admin.js")),
    ("compare.js", include_str!("page/compare.js")),
    ("convert.js", include_str!("page/convert.js")),
    ("git-host.js", include_str!("page/git-host.js")),
    ("merge.js", include_str!("page/merge.js")),
    ("preview.js", include_str!("page/preview.js")),
    ("widgets.js", include_str!("page/widgets.js")),
    ("words.js", include_str!("page/words.js")),
    ("yaml-file.js", include_str!("page/yaml-file.js")),
];

/// A package of npm, and which of its files are taken.
struct Package {
    name: &'static str,
    version: &'static str,
    /// SHA-512 of the archive, in base64.
    hash: &'static str,
    /// The folder of the page that the files go to.
    folder: &'static str,
    /// The beginning of the paths of files in the archive, which is cut off.
    prefix: &'static str,
    ending: &'static str,
}

/// The forms, and what writes YAML without losing comments where no preview does.
const PACKAGES: [Package; 2] = [
    Package {
        name: "decap-cms",
        version: "3.16.3",
        hash: "hf+dPlCh7TJmWl8+6VRzHYOWhri5xgUknrZbDewaWe4s9B7xJ8PQugp2QHeSldMUKzav6+z0oIpwUYhUJDYtYw==",
        folder: "decap",
        prefix: "package/dist/",
        ending: "decap-cms.js",
    },
    Package {
        name: "yaml",
        version: "2.9.1",
        hash: "3NxN8+78OdzbT7C/WjGsyfPAtJaN3FNDsWxv7Y7mcDsT/oOmgW8BpyQQFFBnvZE3j9Y2Sdz1ULFLezL7Eb2yFw==",
        folder: "yaml",
        prefix: "package/browser/dist/",
        ending: ".js",
    },
];

/// Maximum size of a file in an archive, in bytes.
const FILE_LIMIT: u64 = 32 << 20;

/// A page asks for several files at once, and only one of these requests may fetch.
static FETCHING: Mutex<()> = Mutex::new(());

/// The scripts that were fetched, in the cache folder.
#[derive(Debug, Clone)]
pub struct Scripts {
    folder: PathBuf,
}

impl Scripts {
    /// Those in a cache folder, fetched if it does not have them. Takes seconds the first time.
    ///
    /// # Errors
    /// A problem without a place if npm is missing, if there is no network, or if a package is not the expected one.
    pub fn fetch(cache: &Path) -> Result<Scripts, Problem> {
        let versions: Vec<String> = PACKAGES.iter().map(Package::spec).collect();
        let folder = cache.join(cache::FORMS).join(versions.join("+"));
        let scripts = Scripts { folder };
        // Poisoned only if another one panicked while it fetched.
        let _one = FETCHING.lock().unwrap_or_else(PoisonError::into_inner);
        let is_complete = PACKAGES
            .iter()
            .all(|package| scripts.folder.join(package.marker()).is_file());
        if !is_complete {
            let archives = pack(&versions, &scripts.folder)?;
            for (package, archive) in PACKAGES.iter().zip(archives) {
                package.unpack(&archive, &scripts.folder)?;
            }
        }
        Ok(scripts)
    }

    /// A file by its path in the folder of the page, such as `decap/decap-cms.js`. No path leads out of the folder.
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        is_plain(path).then(|| std::fs::read(self.folder.join(path)).ok())?
    }

    /// Whether a path is that of a file that is fetched.
    pub fn have(path: &str) -> bool {
        PACKAGES
            .iter()
            .any(|package| path.split('/').next() == Some(package.folder))
    }

    /// The paths of all files.
    pub fn paths(&self) -> Vec<String> {
        let paths = FileSet::open(&self.folder).list(&self.folder).0;
        let paths = paths.iter().map(|path| files::shown(&self.folder, path));
        paths.filter(|path| path.contains('/')).collect()
    }
}

impl Package {
    fn spec(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// Written when all files of the package are there.
    fn marker(&self) -> String {
        format!("{}.complete", self.name)
    }

    /// Takes the files out of an archive whose hash is the expected one.
    fn unpack(&self, archive: &[u8], folder: &Path) -> Result<(), Problem> {
        let hash = BASE64_STANDARD.encode(ring::digest::digest(&ring::digest::SHA512, archive));
        if hash != self.hash {
            let message = format!(
                "`{}` from the registry isn't the package that sitegen expects",
                self.spec()
            );
            let hint = "find out why before you use it: the package may have been tampered with";
            return Err(Problem::error(Code::FormsMissing, message).hint(hint));
        }
        let failed = |error: std::io::Error| {
            let message = format!(
                "`{}` could not be unpacked ({})",
                self.spec(),
                files::reason(&error)
            );
            Problem::error(Code::FormsMissing, message)
        };
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(archive));
        for entry in archive.entries().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path().map_err(failed)?.to_string_lossy().into_owned();
            let Some(name) = path
                .strip_prefix(self.prefix)
                .filter(|name| name.ends_with(self.ending))
            else {
                continue;
            };
            // The hash vouches for the names, but no archive may write elsewhere.
            if name.split('/').any(|part| part == "..") {
                continue;
            }
            let name = name.to_owned();
            let mut bytes = Vec::new();
            entry
                .take(FILE_LIMIT)
                .read_to_end(&mut bytes)
                .map_err(failed)?;
            cache::keep(&folder.join(self.folder).join(name), &bytes).map_err(failed)?;
        }
        cache::keep(&folder.join(self.marker()), b"").map_err(failed)
    }
}

/// Fetches packages with npm. Returns their archives, in their order.
#[expect(clippy::disallowed_methods, reason = "runs a program of others")]
fn pack(specs: &[String], folder: &Path) -> Result<Vec<Vec<u8>>, Problem> {
    let failed = |why: String| {
        let message = format!(
            "the forms need {}, which npm could not fetch: {why}",
            specs.join(" and ")
        );
        Problem::error(Code::FormsMissing, message)
            .hint("connect this machine to the network once; after that, the forms work offline")
    };
    // Another process may fetch at the same time.
    let work = folder.join(format!(".fetching-{}", std::process::id()));
    fs_err::create_dir_all(&work).map_err(|error| {
        let message = format!(
            "the folder `{}` could not be made ({})",
            work.display(),
            files::reason(&error)
        );
        Problem::error(Code::FormsMissing, message)
    })?;
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let output = Command::new(npm)
        .arg("pack")
        .args(specs)
        .args([
            "--ignore-scripts",
            "--prefer-offline",
            "--silent",
            "--pack-destination",
        ])
        .arg(&work)
        // The settings of the project that contains the site do not matter.
        .current_dir(&work)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| {
            let why = format!("`npm` could not be started ({})", files::reason(&error));
            failed(why).hint("install Node.js, which npm comes with")
        })?;
    let archives = specs
        .iter()
        .map(|spec| std::fs::read(work.join(format!("{}.tgz", spec.replace('@', "-")))))
        .collect::<Result<Vec<_>, _>>();
    let _ = fs_err::remove_dir_all(&work);
    archives.map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        let line = said
            .lines()
            .find(|line| line.contains("error"))
            .or(said.lines().next());
        failed(line.map_or_else(
            || "npm wrote no archive".to_owned(),
            |line| line.trim().to_owned(),
        ))
    })
}
