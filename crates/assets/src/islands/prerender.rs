//! Prerenders islands: takes the markup from memory, from the cache folder, or from Node. Node renders each distinct
//! combination of island and props once.
//!
//! The cache holds an entry per rendered island, under the hashes of the bundle and of the props. A thread that finds it
//! there waits for no other thread, and with a warm cache Node is not started.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use foldhash::HashMap;
use serde_json::{Map, Value};

use crate::{Islands, LazyNode, NodeProcess, PrerenderBundle, TypeScript};
use config::Config;
use diagnostics::problem::{Code, Problem, did_you_mean, nearest};
use languages::locale::{Locale, lent};
use workspace::cache::{self, Kind, Store};
use workspace::files;

use super::declared::{self, Declarations, DeclaredProps};
use super::node::{self, Failure};
use api_types::islands::{ISLANDS, Island};

use super::Markup;

/// Prerenders the islands of a run.
pub struct Prerenderer {
    root: PathBuf,
    node: Option<PathBuf>,
    cache: Store,
    islands: Islands,
    /// The site's languages, the default one first.
    locales: Vec<Locale>,
    typescript: TypeScript,
    /// The props of the islands that the site adds, read when the first one is used.
    declared: OnceLock<Result<Declarations, Problem>>,
    /// By the hash of the arguments in the template, before they are checked, because most pages have the same ones.
    markups: Mutex<HashMap<blake3::Hash, Arc<Markup>>>,
    process: LazyNode,
    /// Held while Node renders an island, so that two threads do not render the same one.
    rendering: Mutex<()>,
}

/// The problem of what an island was given.
fn wrong(name: &str, what: &str) -> Problem {
    Problem::error(Code::IslandProps, format!("the island `{name}` {what}"))
}

impl Prerenderer {
    /// A prerenderer for one run of the pipeline. Node is not started yet. It owns its data, because template functions
    /// require `'static`.
    pub fn new(config: &Config, islands: &Islands, locales: &[Locale]) -> Prerenderer {
        Prerenderer {
            root: config.paths.root.to_path_buf(),
            node: config.paths.node.clone(),
            cache: config.cache.clone(),
            islands: islands.clone(),
            locales: locales.to_vec(),
            typescript: TypeScript::new(config),
            declared: OnceLock::new(),
            markups: Mutex::default(),
            process: LazyNode::default(),
            rendering: Mutex::default(),
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
    pub fn markup(
        &self,
        name: &str,
        props: &str,
        prefix: &str,
        locale: usize,
    ) -> Result<Arc<Markup>, Problem> {
        let locale = &self.locales[locale];
        let key = hash(&[name, props, prefix, &locale.code]);
        if let Some(markup) = lock(&self.markups).get(&key) {
            return Ok(Arc::clone(markup));
        }
        let props = self.checked(name, props, locale)?;
        let html = if self.islands.broken {
            String::new()
        } else {
            self.html(name, &props, prefix)?
        };
        let markup = Arc::new(Markup { html, props });
        lock(&self.markups).insert(key, Arc::clone(&markup));
        Ok(markup)
    }

    /// The props as the component receives them, with its interface texts.
    fn checked(&self, name: &str, props: &str, locale: &Locale) -> Result<String, Problem> {
        let island = Island::named(name);
        let has_script = self.islands.scripts.contains_key(name);
        if island.is_none() && !has_script {
            if self.islands.broken {
                return Ok(String::new());
            }
            let names = ISLANDS
                .iter()
                .map(|island| island.name)
                .chain(self.islands.scripts.keys().map(String::as_str));
            return Err(Problem::error(
                Code::UnknownIsland,
                format!("there is no island `{name}`"),
            )
            .maybe_hint(did_you_mean(name, names)));
        }
        if !self.islands.broken && self.islands.server.is_some() && !has_script {
            return Err(Problem::error(
                Code::UnknownIsland,
                format!("the island `{name}` has no component"),
            )
            .hint(format!(
                "write `react/islands/{name}/{name}.tsx`, and add it to `react/islands.ts`"
            )));
        }
        let mut props: Map<String, Value> = serde_json::from_str(props).map_err(|_| {
            wrong(name, "takes its props by name").hint("write `{\"name\": value}`")
        })?;
        if let Some(island) = island.filter(|island| !island.messages.is_empty()) {
            let words = island
                .messages
                .iter()
                .map(|key| Ok(((*key).to_owned(), word(key, locale, &self.locales)?)));
            let words: Map<String, Value> = words.collect::<Result<_, Problem>>()?;
            if props
                .insert("messages".into(), Value::Object(words))
                .is_some()
            {
                return Err(wrong(
                    name,
                    "gets its `messages` from the locale, not from the template",
                ));
            }
        }
        let props = Value::Object(props);
        let (checked, declared_in) = match island {
            Some(island) => (
                (island.check)(props),
                "crates/api-types/src/islands/props.rs".to_owned(),
            ),
            None => (
                self.declared(name)?.check(props),
                format!("react/islands/{name}/{name}.tsx"),
            ),
        };
        let checked = checked.map_err(|(path, why)| {
            let at = if path == "." || path == "?" {
                String::new()
            } else {
                format!("`{path}`: ")
            };
            wrong(name, &format!("was given the wrong props: {at}{why}")).hint(format!(
                "pass the props that are defined in `{declared_in}`"
            ))
        })?;
        Ok(checked.to_string())
    }

    /// The props that an island of the site declares.
    fn declared(&self, name: &str) -> Result<&DeclaredProps, Problem> {
        let declared = self.declared.get_or_init(|| {
            let names = self.islands.scripts.keys().map(String::as_str);
            let added: Vec<&str> = names.filter(|name| Island::named(name).is_none()).collect();
            declared::read(&self.typescript, &added)
        });
        match declared.as_ref().map_err(Problem::clone)?.get(name) {
            Some(Ok(props)) => Ok(props),
            Some(Err(why)) => {
                let message = format!("the props of the island `{name}` could not be read: {why}");
                Err(Problem::error(Code::IslandProps, message).hint(format!(
                    "correct `react/islands/{name}/{name}.tsx`; `sitegen new island NAME` creates an example"
                )))
            }
            None => Err(Problem::error(
                Code::Internal,
                format!("TypeScript reported nothing about the island `{name}`"),
            )),
        }
    }

    fn html(&self, name: &str, props: &str, prefix: &str) -> Result<String, Problem> {
        let Some(server) = &self.islands.server else {
            return Err(Problem::error(
                Code::UnknownIsland,
                "the site has islands, but no `react/prerender.tsx` to prerender them",
            )
            .hint("write `react/prerender.tsx`, or copy it from sitegen's repository"));
        };
        let entry = entry(server, name, props, prefix);
        if let Some(html) = self
            .cache
            .get(Kind::Islands, &entry)
            .and_then(|bytes| String::from_utf8(bytes).ok())
        {
            return Ok(html);
        }
        let _rendering = lock(&self.rendering);
        // Another thread may have rendered it while this one waited.
        if let Some(html) = self
            .cache
            .get_local(Kind::Islands, &entry)
            .and_then(|bytes| String::from_utf8(bytes).ok())
        {
            return Ok(html);
        }
        let html = self.request(server, name, props, prefix)?;
        self.cache.put(Kind::Islands, &entry, html.as_bytes());
        Ok(html)
    }

    fn start(&self, server: &PrerenderBundle) -> Result<NodeProcess, Problem> {
        cache::keep(&server.path, &server.script).map_err(|error| {
            let message = format!(
                "the script that prerenders islands could not be written ({})",
                files::reason(&error)
            );
            Problem::error(Code::OutFailed, message)
        })?;
        node::start(self.node.as_deref(), &server.path, &self.root)
    }

    fn request(
        &self,
        server: &PrerenderBundle,
        name: &str,
        props: &str,
        prefix: &str,
    ) -> Result<String, Problem> {
        let process = self.process.get(|| self.start(server))?;
        node::render(&process, name, props, prefix).map_err(|failure| match failure {
            Failure::Island(problem) => problem,
            Failure::Process(problem) => {
                self.process.discard(&process);
                problem
            }
        })
    }
}

fn word(key: &str, locale: &Locale, all: &[Locale]) -> Result<Value, Problem> {
    let default = &all[0];
    locale
        .word(key, default)
        .map(|word| Value::from(lent::of_code(word, locale.lender(key), all)))
        .ok_or_else(|| {
            let near = nearest(key, default.messages.keys().map(String::as_str))
                .map(|near| format!("did you mean `{near}`?"));
            Problem::error(
                Code::UnknownMessage,
                format!("there is no interface message `{key}`, which an island needs"),
            )
            .hint("add it to the files in `content/locales/`")
            .maybe_hint(near)
        })
}

/// The name of an island's entry in the cache.
fn entry(server: &PrerenderBundle, name: &str, props: &str, prefix: &str) -> String {
    let key = hash(&[name, props, prefix]).to_hex();
    format!("{}/{}/{}", server.hash, &key[..2], &key[2..32])
}

/// The hash of several texts. Each is preceded by its length, so that `["ab", "c"]` and `["a", "bc"]` differ.
fn hash(parts: &[&str]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher
            .update(&part.len().to_le_bytes())
            .update(part.as_bytes());
    }
    hasher.finalize()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Poisoned only if another thread panicked; the value is intact.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_cached_island_does_not_wait_for_node() {
        let folder = tempfile::tempdir().expect("a folder");
        let server = PrerenderBundle {
            path: PathBuf::new(),
            script: Arc::default(),
            hash: "bundle".into(),
        };
        let prerenderer = Arc::new(Prerenderer {
            root: PathBuf::new(),
            node: None,
            cache: Store::new(folder.path(), None),
            islands: Islands {
                server: Some(server.clone()),
                ..Islands::default()
            },
            locales: Vec::new(),
            typescript: TypeScript::none(),
            declared: OnceLock::new(),
            markups: Mutex::default(),
            process: LazyNode::default(),
            rendering: Mutex::default(),
        });
        prerenderer.cache.put(
            Kind::Islands,
            &entry(&server, "faq", "{}", "i0-"),
            b"<p>cached</p>",
        );
        let _node_is_busy = lock(&prerenderer.rendering);
        let (send, receive) = std::sync::mpsc::channel();
        let other = Arc::clone(&prerenderer);
        std::thread::spawn(move || send.send(other.html("faq", "{}", "i0-").ok()));
        let html = receive
            .recv_timeout(Duration::from_secs(30))
            .expect("an answer while Node is busy");
        assert_eq!(html.as_deref(), Some("<p>cached</p>"));
    }
}
