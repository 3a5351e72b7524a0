//! Caches the metadata of parsed posts, without their bodies: enough for lists, links and fingerprints. Only posts
//! whose files have changed are parsed again; a body is read when its page is rendered or the search index is built.
//!
//! A cached post is valid if the stamp of its file is unchanged, or else if the text has the same hash. So caches can be
//! copied between machines.
//!
//! A post with a problem is not stored, so that the problem is reported again.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

#[cfg(doc)]
use config::source_index::SourceIndex;
use config::{Config, SiteSettings};
use workspace::files::Stamp;
use workspace::sources::{Hash, Shards, hash_value};

use super::{Languages, Post, PostsSchema};

/// A post, and the inputs that it was parsed from. It is written from a reference.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CachedPost<'a, P = Box<Post>> {
    /// The stamp of the file, if each later change is sure to give it another one ([`SourceIndex::settled`]).
    pub stamp: Option<Stamp>,
    /// Hash of the file's text.
    pub source: Hash,
    /// Each picture reference as written, and the key of the picture.
    pub pictures: Cow<'a, [(String, String)]>,
    /// The post without its body.
    pub post: P,
}

/// The posts of the last build, by the path of the file below `content/blog/`.
pub(super) type PostCache = Shards<CachedPost<'static>>;

/// Reads the cache. It is empty if it was written with other settings or another version of sitegen.
pub(super) fn open(config: &Config, languages: &Languages, schema: PostsSchema) -> PostCache {
    // A post is parsed with placeholder values, the locales, their languages, the time zone, and the fields.
    let placeholders: Vec<_> = SiteSettings::PLACEHOLDERS
        .iter()
        .map(|name| config.site.placeholder(name))
        .collect();
    let locales = config.site.locales.iter().map(|code| code.value.as_str());
    let zone = config.site.timezone.name();
    let names = (&config.site.product.names, &config.site.company.names);
    let settings = hash_value(&(
        placeholders,
        names,
        locales.collect::<Vec<_>>(),
        languages,
        zone,
        schema.text,
    ));
    Shards::open(config.paths.cache.join("posts"), crate::MADE_BY, settings)
}
