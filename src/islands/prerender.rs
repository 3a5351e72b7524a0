//! Prerenders islands: takes the markup from memory, from the cache folder, or from Node. Node renders each distinct
//! combination of island and props once.
//!
//! The cache holds one file per rendered island, in a folder named after the bundle's hash. A damaged file is ignored.
//! With a warm cache Node is not started.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::assets::{Islands, Server};
use crate::cache;
use crate::config::Config;
use crate::locale::Locale;
use diagnostics::problem::{Code, Problem, did_you_mean, nearest};

use super::node::{Failure, Node};
use api_types::islands::{ISLANDS, Island};

use super::Markup;

/// Prerenders the islands of a run.
pub struct Prerenderer {
    root: PathBuf,
    node: Option<PathBuf>,
    /// The folder of the cache.
    cache: PathBuf,
    islands: Islands,
    /// The site's languages, the default one first.
    locales: Vec<Locale>,
    /// By the hash of the arguments in the template, before they are checked, because most pages have the same ones.
    markups: Mutex<HashMap<blake3::Hash, Arc<Markup>>>,
    /// The cache keys that this run has used.
    used_keys: Mutex<BTreeSet<String>>,
    process: Mutex<Process>,
}

enum Process {
    NotStarted,
    Running(Node),
    /// It could not be started. Other islands do not try again.
    Unusable(Problem),
}

impl Prerenderer {
    /// A prerenderer for one run of the pipeline. Node is not started yet. It owns its data, because template functions
    /// require `'static`.
    pub fn new(config: &Config, islands: &Islands, locales: &[Locale]) -> Prerenderer {
        Prerenderer {
            root: config.paths.root.clone(),
            node: config.paths.node.clone(),
            cache: config.paths.cache.join("islands"),
            islands: islands.clone(),
            locales: locales.to_vec(),
            markups: Mutex::default(),
            used_keys: Mutex::default(),
            process: Mutex::new(Process::NotStarted),
        }
    }

    /// The scripts of the islands.
    pub fn scripts(&self) -> &Islands {
        &self.islands
    }

    /// The markup of the island `name` with these props (JSON), in the language with the index `locale`. `prefix` makes
    /// the ids of two islands on one page distinct.
    ///
    /// # Errors
    /// A problem without a place; the caller adds the line of the template.
    pub fn markup(&self, name: &str, props: &str, prefix: &str, locale: usize) -> Result<Arc<Markup>, Problem> {
        let locale = &self.locales[locale];
        let key = hash(&[name, props, prefix, &locale.code]);
        if let Some(markup) = lock(&self.markups).get(&key) {
            return Ok(Arc::clone(markup));
        }
        let props = self.checked(name, props, locale)?;
        let html = if self.islands.broken { String::new() } else { self.html(name, &props, prefix)? };
        let markup = Arc::new(Markup { html, props });
        lock(&self.markups).insert(key, Arc::clone(&markup));
        Ok(markup)
    }

    /// The props as the component receives them, with its interface texts.
    fn checked(&self, name: &str, props: &str, locale: &Locale) -> Result<String, Problem> {
        let Some(island) = Island::named(name) else {
            let names = ISLANDS.iter().map(|island| island.name);
            return Err(Problem::error(Code::UnknownIsland, format!("there is no island `{name}`"))
                .maybe_hint(did_you_mean(name, names)));
        };
        if !self.islands.broken && self.islands.server.is_some() && !self.islands.scripts.contains_key(name) {
            return Err(Problem::error(Code::UnknownIsland, format!("the island `{name}` has no component"))
                .hint(format!("write `react/islands/{name}/{name}.tsx`, and add it to `react/islands.ts`")));
        }
        let wrong = |what: String| Problem::error(Code::IslandProps, format!("the island `{name}` {what}"));
        let mut props: Map<String, Value> = serde_json::from_str(props)
            .map_err(|_| wrong("takes its props by name".into()).hint("write `{\"name\": value}`"))?;
        if !island.messages.is_empty() {
            let words = island.messages.iter().map(|key| Ok(((*key).to_owned(), word(key, locale, &self.locales[0])?)));
            let words: Map<String, Value> = words.collect::<Result<_, Problem>>()?;
            if props.insert("messages".into(), Value::Object(words)).is_some() {
                return Err(wrong("gets its `messages` from the locale, not from the template".into()));
            }
        }
        let checked = (island.check)(Value::Object(props)).map_err(|(path, why)| {
            let at = if path == "." || path == "?" { String::new() } else { format!("`{path}`: ") };
            wrong(format!("was given wrong props: {at}{why}"))
                .hint("its props are defined in `crates/api-types/src/islands/props.rs`")
        })?;
        Ok(checked.to_string())
    }

    fn html(&self, name: &str, props: &str, prefix: &str) -> Result<String, Problem> {
        let Some(server) = &self.islands.server else {
            return Err(Problem::error(
                Code::UnknownIsland,
                "the site has islands, but nothing to prerender them with",
            )
            .hint("write `react/prerender.tsx`, or copy it from sitegen's repository"));
        };
        let key = hash(&[name, props, prefix]).to_hex().to_string();
        let file = self.folder(server).join(&key[..2]).join(&key[2..32]);
        // Held while Node renders, so that two threads do not request the same island.
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        lock(&self.used_keys).insert(key);
        if let Some(html) = read(&file) {
            return Ok(html);
        }
        let html = self.request(&mut process, server, name, props, prefix)?;
        // A failure is ignored, because it only makes the next build slower.
        let _ = cache::keep(&file, format!("{}\n{html}", blake3::hash(html.as_bytes()).to_hex()).as_bytes());
        Ok(html)
    }

    fn request(
        &self,
        process: &mut Process,
        server: &Server,
        name: &str,
        props: &str,
        prefix: &str,
    ) -> Result<String, Problem> {
        if let Process::NotStarted = process {
            *process = match Node::start(self.node.as_deref(), &server.path, &self.root) {
                Ok(node) => Process::Running(node),
                Err(problem) => Process::Unusable(problem),
            };
        }
        let node = match process {
            Process::Running(node) => node,
            Process::Unusable(problem) => return Err(problem.clone()),
            Process::NotStarted => return Err(Problem::error(Code::Internal, "Node.js was not started")),
        };
        node.render(name, props, prefix).map_err(|failure| match failure {
            Failure::Island(problem) => problem,
            Failure::Process(problem) => {
                *process = Process::NotStarted;
                problem
            }
        })
    }

    fn folder(&self, server: &Server) -> PathBuf {
        self.cache.join(&server.hash)
    }

    /// Removes cache entries of other bundles, and those that this run did not use once they are more than half.
    pub fn prune(&self) {
        let Some(server) = &self.islands.server else { return };
        let own = self.folder(server);
        for other in entries(&self.cache).filter(|folder| *folder != own) {
            let _ = fs_err::remove_dir_all(other);
        }
        let used_keys = lock(&self.used_keys);
        let files: Vec<PathBuf> = entries(&own).flat_map(|folder| entries(&folder).collect::<Vec<_>>()).collect();
        if files.len() <= 2 * used_keys.len() + 256 {
            return;
        }
        let used: BTreeSet<PathBuf> = used_keys.iter().map(|key| own.join(&key[..2]).join(&key[2..32])).collect();
        for file in files.into_iter().filter(|file| !used.contains(file)) {
            let _ = fs_err::remove_file(file);
        }
    }
}

fn word(key: &str, locale: &Locale, default: &Locale) -> Result<Value, Problem> {
    locale.word(key, default).map(Value::from).ok_or_else(|| {
        let near =
            nearest(key, default.messages.keys().map(String::as_str)).map(|near| format!("did you mean `{near}`?"));
        Problem::error(Code::UnknownMessage, format!("there is no interface word `{key}`, which an island needs"))
            .hint("add it to the files in `content/locales/`")
            .maybe_hint(near)
    })
}

fn read(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let (hash, html) = text.split_once('\n')?;
    (blake3::hash(html.as_bytes()).to_hex().as_str() == hash).then(|| html.to_owned())
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// The hash of several texts. Each is preceded by its length, so that `["ab", "c"]` and `["a", "bc"]` differ.
fn hash(parts: &[&str]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&part.len().to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Poisoned only if another thread panicked; the map is intact.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
