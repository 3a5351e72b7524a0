//! Caches the metadata of parsed posts, without their bodies: enough for lists, links and fingerprints. Only posts
//! whose files have changed are parsed again; a body is read when its page is rendered or the search index is built.
//!
//! A cached post is valid if the stamp of its file is unchanged, or else if the text has the same hash. So caches can be
//! copied between machines.
//!
//! Posts are stored in 64 files (shards) by the hash of their path, so that an edit rewrites only one of them. A post
//! with a problem is not stored, so that the problem is reported again.

use std::borrow::Cow;
use std::mem;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use crate::config::{Config, SiteSettings};
use crate::files::Stamp;
use crate::parallel;
#[cfg(doc)]
use crate::sources::SourceIndex;
use crate::sources::{Hash, hash_value, keep_value, kept_value};

use super::{Languages, Post, PostsSchema};

/// Number of shards.
const SHARDS: usize = 64;

/// A post, and the inputs that it was parsed from. It is written from a reference.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CachedPost<'a, P = Box<Post>> {
    /// Path of its file below `content/blog/`.
    pub path: Cow<'a, str>,
    /// The stamp of the file, if each later change is sure to give it another one ([`SourceIndex::settled`]).
    pub stamp: Option<Stamp>,
    /// Hash of the file's text.
    pub source: Hash,
    /// Each picture reference as written, and the key of the picture.
    pub pictures: Cow<'a, [(String, String)]>,
    /// The post without its body.
    pub post: P,
}

#[derive(Debug, Default)]
struct Shard {
    /// By path, which they do not contain themselves.
    posts: HashMap<String, CachedPost<'static>>,
    /// Number of posts in the file.
    count: usize,
}

impl Shard {
    fn of(posts: Vec<CachedPost<'static>>) -> Shard {
        let count = posts.len();
        let by_path = |mut cached: CachedPost<'static>| (mem::take(&mut cached.path).into_owned(), cached);
        Shard { posts: posts.into_iter().map(by_path).collect(), count }
    }
}

/// The posts of the last build.
#[derive(Debug)]
pub(super) struct PostCache {
    folder: PathBuf,
    /// Hash of the settings.
    settings: Hash,
    shards: Vec<Mutex<Shard>>,
}

impl PostCache {
    /// Reads the cache. It is empty if it was written with other settings or another version of sitegen.
    pub fn open(config: &Config, languages: &Languages, schema: PostsSchema) -> PostCache {
        let folder = config.paths.cache.join("posts");
        // What a post is parsed with: the values of placeholders, the locales, their languages, the time zone, and the fields.
        let placeholders: Vec<_> =
            SiteSettings::PLACEHOLDERS.iter().map(|name| config.site.placeholder(name)).collect();
        let locales = config.site.locales.iter().map(|code| code.value.as_str());
        let zone = config.site.timezone.name();
        let names = (&config.site.product.names, &config.site.company.names);
        let settings = hash_value(&(placeholders, names, locales.collect::<Vec<_>>(), languages, zone, schema.text));
        let shard = |number: usize| {
            let (made_with, posts): (Hash, Vec<CachedPost>) = kept_value(&folder.join(number.to_string()))?;
            (made_with == settings).then(|| Shard::of(posts))
        };
        let numbers: Vec<usize> = (0..SHARDS).collect();
        let shards = parallel::map(&numbers, |number| Mutex::new(shard(*number).unwrap_or_default()));
        PostCache { folder, settings, shards }
    }

    /// The cached post of a file.
    pub fn take(&self, path: &str) -> Option<CachedPost<'static>> {
        lock(&self.shards[shard_of(path)]).posts.remove(path)
    }

    /// Saves posts for the next build, each with a flag whether its cache entry is stale. Errors are ignored: without
    /// the cache the next build is only slower.
    pub fn save(&self, posts: &[(CachedPost<&Post>, bool)]) {
        let mut shards: Vec<(usize, Vec<&CachedPost<&Post>>, bool)> =
            (0..SHARDS).map(|at| (at, Vec::new(), false)).collect();
        for (post, is_stale) in posts {
            let (_, shard, has_stale) = &mut shards[shard_of(&post.path)];
            shard.push(post);
            *has_stale |= is_stale;
        }
        parallel::each(&shards, |(number, posts, has_stale)| {
            let file = self.folder.join(number.to_string());
            let old = lock(&self.shards[*number]).count;
            if posts.is_empty() && old > 0 {
                let _ = fs_err::remove_file(file);
            } else if *has_stale || posts.len() != old {
                let _ = keep_value(&file, &(self.settings, posts));
            }
        });
    }
}

fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    // The lock cannot be poisoned: no code panics while holding it.
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

fn shard_of(path: &str) -> usize {
    path.bytes().fold(0, |sum: usize, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % SHARDS
}
