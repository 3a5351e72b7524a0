//! Reads the types of the props of a site's own islands with TypeScript, an npm package that only such sites need.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use config::Config;
use diagnostics::problem::{Code, Problem};
use workspace::cache::{Kind, Store};
use workspace::files::{self, FileSet};

use super::bundle::component;
use super::node::NodeProcess;

const SCRIPT: &str = include_str!("typescript.js");
/// The package, in the folder of npm packages.
const PACKAGE: &str = "typescript/package.json";
/// How to install it. Later versions are not written in JavaScript, and have another API.
const INSTALL: &str = "run `npm install --save-dev typescript@6`";
/// Timeout for reading the types of all islands, which takes a few seconds.
const TIMEOUT: Duration = Duration::from_mins(2);

/// The compiler of a site, for its islands.
#[derive(Debug)]
pub struct TypeScript {
    theme: FileSet,
    node: Option<PathBuf>,
    packages: Option<PathBuf>,
    cache: Store,
}

impl TypeScript {
    /// The compiler of a site. Nothing is started yet.
    pub fn new(config: &Config) -> TypeScript {
        TypeScript {
            theme: config.paths.theme_root(),
            node: config.paths.node.clone(),
            packages: config.paths.node_modules.clone(),
            cache: config.cache.clone(),
        }
    }

    /// A site without packages.
    #[cfg(test)]
    pub fn none() -> TypeScript {
        TypeScript {
            theme: FileSet::open(Path::new("")),
            node: None,
            packages: None,
            cache: Store::new(Path::new(""), None),
        }
    }

    /// The props of these islands by name, as the script describes them. They come from the cache if no script of the
    /// site has changed.
    ///
    /// # Errors
    /// A problem without a place, if TypeScript or Node.js is missing or fails.
    pub fn props<T: Serialize + DeserializeOwned>(
        &self,
        names: &[&str],
    ) -> Result<BTreeMap<String, T>, Problem> {
        let version = self
            .packages
            .as_deref()
            .and_then(|packages| fs_err::read(packages.join(PACKAGE)).ok());
        let (Some(version), Some(packages)) = (version, &self.packages) else {
            let names = names.join("`, `");
            let message = format!(
                "TypeScript is not installed, but it is needed to read the props of the islands (`{names}`)"
            );
            return Err(Problem::error(Code::BundlerMissing, message).hint(INSTALL));
        };
        let entry = self.entry(&version);
        let kept = self
            .cache
            .get(Kind::Islands, &entry)
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let Some(props) = kept {
            return Ok(props);
        }
        let props = self.ask(packages, names)?;
        // A script that was saved meanwhile may have been read after that.
        if self.entry(&version) == entry {
            // Types are texts, lists and blocks of names, which always serialize.
            self.cache.put(
                Kind::Islands,
                &entry,
                &serde_json::to_vec(&props).unwrap_or_default(),
            );
        }
        Ok(props)
    }

    /// The name of the entry in the cache: all scripts may declare types of props.
    fn entry(&self, version: &[u8]) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(SCRIPT.as_bytes()).update(version);
        let (mut scripts, _) = self.theme.list(&self.theme.join("react"));
        scripts.sort_unstable();
        for file in scripts.iter().filter(|file| {
            file.extension()
                .is_some_and(|ending| ending == "ts" || ending == "tsx")
        }) {
            let text = fs_err::read(file).unwrap_or_default();
            let name = files::shown(&self.theme, file);
            hasher
                .update(name.as_bytes())
                .update(&text.len().to_le_bytes())
                .update(&text);
        }
        let hash = hasher.finalize().to_hex();
        format!("props/{}/{}", &hash[..2], &hash[2..32])
    }

    fn ask<T: DeserializeOwned>(
        &self,
        packages: &Path,
        names: &[&str],
    ) -> Result<BTreeMap<String, T>, Problem> {
        let request: BTreeMap<&str, PathBuf> = names
            .iter()
            .map(|name| (*name, self.theme.join(component(name))))
            .collect();
        let arguments = [
            OsStr::new("--eval"),
            OsStr::new(SCRIPT),
            packages.as_os_str(),
        ];
        let purpose = "reads the props of islands";
        let process = NodeProcess::start(
            self.node.as_deref(),
            purpose,
            &arguments,
            &self.theme,
            TIMEOUT,
        )?;
        process
            .ask(&request, "reading the types", TIMEOUT)
            .map_err(|why| Problem::error(Code::IslandProps, why).hint(INSTALL))
    }
}
