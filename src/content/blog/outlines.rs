//! What earlier builds know of posts: everything but the text, which is enough for lists, links and keys. Only posts
//! whose files have changed are parsed again; a text is read when its page is rendered or the search index is made.
//!
//! An outline is valid if the stamp of the file is the same and older than the granularity of any file system, or else
//! if the text has the same hash. So caches can be copied between machines.
//!
//! Outlines are stored in 64 files of the cache folder, by path, so that an edit writes one of them again. A post with
//! a problem is not stored: it is parsed again until it has none.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::build_cache::{Hash, MADE_BY, hash};
use crate::cache;
use crate::config::Config;
use crate::files::Stamp;

use super::Post;

/// Begins every shelf.
const HEAD: &[u8] = b"sitegen posts\n";
const SHELVES: usize = 64;

/// A post, and what it was read from.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept<'a> {
    /// Its file below `content/blog/`.
    pub path: Cow<'a, str>,
    /// The file as it stood.
    pub stamp: Option<Stamp>,
    /// The hash of its text.
    pub source: Hash,
    /// Each picture that it names, and the key under which it was found.
    pub pictures: Cow<'a, [(String, String)]>,
    /// Its outline.
    pub post: Cow<'a, Post>,
}

#[derive(Debug, Default)]
struct Shelf {
    /// When the build that wrote it began, in seconds since 1970.
    at: i64,
    posts: HashMap<String, Kept<'static>>,
    /// How many it held.
    count: usize,
}

/// What earlier builds know of posts.
#[derive(Debug)]
pub(super) struct Outlines {
    folder: PathBuf,
    /// The settings that the text of a post can depend on.
    settings: Hash,
    /// When reading began, in seconds since 1970.
    began: i64,
    shelves: Vec<Shelf>,
}

impl Outlines {
    /// What is in the cache; nothing when other settings or another version of sitegen made it.
    pub fn open(config: &Config) -> Outlines {
        let folder = config.cache.join("posts");
        // Placeholders take values from all over the settings.
        let settings = hash(format!("{:?}", config.site).as_bytes());
        let shelf = |number: usize| {
            let bytes = std::fs::read(folder.join(number.to_string())).ok()?;
            read(&bytes, settings)
        };
        let shelves = (0..SHELVES).into_par_iter().map(|number| shelf(number).unwrap_or_default()).collect();
        Outlines { folder, settings, began: config.began, shelves }
    }

    /// What is known of a file, and whether a file with the same stamp is sure to be the same.
    pub fn take(&mut self, path: &str) -> Option<(Kept<'static>, bool)> {
        let shelf = &mut self.shelves[shelf_of(path)];
        let kept = shelf.posts.remove(path)?;
        let is_settled = kept.stamp.is_some_and(|stamp| stamp.is_older_than(shelf.at));
        Some((kept, is_settled))
    }

    /// Leaves posts for the next build, each with whether it is news. Without them that one is slower, and nothing else.
    pub fn keep(&self, posts: &[(Kept, bool)]) {
        let mut shelves: Vec<(Vec<&Kept>, bool)> = (0..SHELVES).map(|_| (Vec::new(), false)).collect();
        for (post, is_news) in posts {
            let (shelf, has_news) = &mut shelves[shelf_of(&post.path)];
            shelf.push(post);
            *has_news |= is_news;
        }
        shelves.par_iter().zip(&self.shelves).enumerate().for_each(|(number, ((posts, has_news), old))| {
            let file = self.folder.join(number.to_string());
            if posts.is_empty() && old.count > 0 {
                let _ = fs_err::remove_file(file);
            } else if (*has_news || posts.len() != old.count)
                && let Ok(body) = postcard::to_allocvec(&(MADE_BY, self.settings, self.began, posts))
            {
                let _ = cache::keep(&file, &[HEAD, blake3::hash(&body).as_bytes(), &body].concat());
            }
        });
    }
}

fn shelf_of(path: &str) -> usize {
    usize::from(hash(path.as_bytes())[0]) % SHELVES
}

fn read(bytes: &[u8], settings: Hash) -> Option<Shelf> {
    let (sum, body) = bytes.strip_prefix(HEAD)?.split_at_checked(32)?;
    if blake3::hash(body).as_bytes() != sum {
        return None;
    }
    let ((made_by, made_with, at), rest): ((&str, Hash, i64), _) = postcard::take_from_bytes(body).ok()?;
    if made_by != MADE_BY || made_with != settings {
        return None;
    }
    let posts: Vec<Kept> = postcard::from_bytes(rest).ok()?;
    let count = posts.len();
    Some(Shelf { at, posts: posts.into_iter().map(|kept| (kept.path.clone().into_owned(), kept)).collect(), count })
}
