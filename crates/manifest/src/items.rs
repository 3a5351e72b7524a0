//! Finds the items, posts and entries of collections, that differ from those of the last build.
//!
//! A post has two hashes: one of everything that lists and other files show of it, and one of its text, which only its own
//! page shows. So a build after an edited text renders one page and looks at no other. What places posts among each other
//! is hashed for all of them.
//!
//! A page's view of entries depends on the texts of their files, on what other entries make of them (the fields of the
//! type `reverse`, whether there is a page) and on `shared`: everything that entries decide together, such as URLs and
//! menus. All of it is hashed here. Schemas, settings and templates are not: the hashes are compared only if no file
//! but those of items has changed.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use content::Blog;
use foldhash::HashSet;
use serde::{Deserialize, Serialize};

use schema::Takes;
use schema::types::Typed;
use site::model::collections::{Collection, Text};
use site::model::{Collections, Field};
use workspace::parallel;
use workspace::sources::{Hash, hash, hash_value};

use super::{RecordedInputs, post_id};

/// The hashes of all items that were published.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemHashes {
    /// Those of posts.
    pub posts: PostHashes,
    /// Those of entries.
    pub entries: EntryHashes,
}

/// The hashes of all published posts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostHashes {
    /// The hash of what decides the order, the URLs and the lists of all posts.
    places: Hash,
    /// 64 bits of the hash of everything about each post but its text.
    summaries: Vec<u64>,
    /// The same of each text.
    texts: Vec<u64>,
}

impl PostHashes {
    /// The hashes of all posts.
    pub fn of(blog: &Blog) -> PostHashes {
        let places: Vec<_> = blog.posts.iter().map(|post| post.place()).collect();
        PostHashes {
            places: hash_of(&places),
            summaries: parallel::map(&blog.posts, |post| {
                first_64_bits(&hash_of(&post.all_but_text()))
            }),
            texts: blog
                .posts
                .iter()
                .map(|post| first_64_bits(&post.fingerprints.body))
                .collect(),
        }
    }

    /// The indices of the posts whose texts differ; `None` if anything else about posts does.
    pub fn changed_texts(&self, last: &PostHashes) -> Option<HashSet<usize>> {
        let is_same = self.places == last.places && self.summaries == last.summaries;
        is_same.then(|| differing(&self.texts, &last.texts).collect())
    }
}

/// The indices at which two lists of the same length differ.
fn differing<'a>(now: &'a [u64], last: &'a [u64]) -> impl Iterator<Item = usize> + 'a {
    let both = now.iter().zip(last).enumerate();
    both.filter(|(_, (now, last))| now != last)
        .map(|(index, _)| index)
}

fn hash_of(value: &impl Serialize) -> Hash {
    // Serializing plain values cannot fail.
    hash(&postcard::to_allocvec(value).unwrap_or_default())
}

/// The first 64 bits of a hash.
fn first_64_bits(hash: &Hash) -> u64 {
    u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|at| hash[at]))
}

/// The hashes of all entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryHashes {
    /// The hash of what entries decide together.
    shared: Hash,
    /// By collection.
    collections: Vec<CollectionHashes>,
}

/// The hashes of the entries of a collection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct CollectionHashes {
    /// The hash of its name, of the keys of its entries, and of the languages that each is in.
    keys: Hash,
    /// 64 bits of the hash of each entry in all languages.
    entries: Vec<u64>,
    /// In each language, the hash of the order of its entries.
    orders: Vec<Hash>,
}

/// The changes in the items of a site, of which none was added, removed or moved.
#[derive(Debug, Default)]
pub struct ChangedItems {
    /// The posts of which lists may show something else, by [`post_id`].
    summaries: HashSet<u64>,
    /// These posts, and those whose texts have changed.
    posts: HashSet<u64>,
    /// The changed entries, as `team/ana-ruiz`.
    entries: HashSet<String>,
    /// The names of their collections.
    collections: BTreeSet<&'static str>,
    /// The names of collections whose order has changed.
    orders: BTreeSet<&'static str>,
}

impl ItemHashes {
    /// The hashes of all items. `shared` is everything else that follows from entries.
    pub fn of(blog: &Blog, collections: &Collections, shared: &[Hash]) -> ItemHashes {
        ItemHashes {
            posts: PostHashes::of(blog),
            entries: EntryHashes::of(collections, shared),
        }
    }

    /// The changes since the last build; `None` if more than what single items say has changed.
    pub fn changes_since(
        &self,
        last: &ItemHashes,
        blog: &Blog,
        collections: &Collections,
    ) -> Option<ChangedItems> {
        let (now, before) = (&self.posts, &last.posts);
        if now.places != before.places {
            return None;
        }
        let id = |index: usize| post_id(&blog.posts[index]);
        let mut changed = self.entries.changes_since(&last.entries, collections)?;
        changed.summaries = differing(&now.summaries, &before.summaries)
            .map(id)
            .collect();
        changed.posts = differing(&now.texts, &before.texts)
            .map(id)
            .chain(changed.summaries.iter().copied())
            .collect();
        Some(changed)
    }
}

impl EntryHashes {
    /// The hashes of all entries. `shared` is everything else that follows from entries.
    fn of(collections: &Collections, shared: &[Hash]) -> EntryHashes {
        let of_collections = collections.list.iter().map(CollectionHashes::of).collect();
        EntryHashes {
            shared: hash_value(shared),
            collections: of_collections,
        }
    }

    /// The changes since the last build; `None` if more than the texts of entries has changed.
    fn changes_since(&self, last: &EntryHashes, collections: &Collections) -> Option<ChangedItems> {
        let is_same =
            self.shared == last.shared && self.collections.len() == last.collections.len();
        let mut both = self.collections.iter().zip(&last.collections);
        if !is_same || !both.clone().all(|(now, last)| now.keys == last.keys) {
            return None;
        }
        let mut changed = ChangedItems::default();
        for collection in &collections.list {
            let (now, last) = both.next()?;
            let name = collection.schema.name;
            for (entry, hashes) in collection
                .entries
                .iter()
                .zip(now.entries.iter().zip(&last.entries))
            {
                if hashes.0 != hashes.1 {
                    changed.entries.insert(format!("{name}/{}", entry.key));
                    changed.collections.insert(name);
                }
            }
            if now.orders != last.orders {
                changed.orders.insert(name);
            }
        }
        Some(changed)
    }
}

impl CollectionHashes {
    fn of(collection: &Collection) -> CollectionHashes {
        let mut keys = collection.schema.name.to_owned();
        for entry in &collection.entries {
            keys.extend(["\n", &entry.key, " "]);
            keys.extend(
                entry
                    .texts
                    .iter()
                    .map(|text| if text.is_some() { '1' } else { '0' }),
            );
        }
        let reverse: Vec<&str> = collection
            .schema
            .fields
            .fields
            .iter()
            .filter(|field| matches!(field.takes, Takes::Reverse(..)))
            .map(|field| field.name)
            .collect();
        let entries = parallel::map(&collection.entries, |entry| {
            let mut written = String::new();
            for text in &entry.texts {
                if let Some(text) = text {
                    // Posts are no files of entries, and each one of a table is in the file of all.
                    add(
                        &mut written,
                        text,
                        &reverse,
                        entry.row > 0 || collection.schema.is_of_posts(),
                    );
                }
                written.push('\0');
            }
            first_64_bits(&hash(written.as_bytes()))
        });
        let orders = collection.order.iter().map(hash_value).collect();
        CollectionHashes {
            keys: hash(keys.as_bytes()),
            entries,
            orders,
        }
    }
}

/// Adds everything that the values of an entry in a language follow from.
fn add(written: &mut String, text: &Text, reverse: &[&str], is_hashed_whole: bool) {
    // Writing to a text cannot fail.
    let _ = write!(written, "{} {} ", text.words_in, text.has_page);
    if is_hashed_whole {
        let _ = write!(written, "{:?}", text.fields);
    } else {
        written.extend([text.source.path.as_str(), "\0", text.source.text.as_str()]);
    }
    for name in reverse {
        let Some(Field::List(entries)) = text.fields.get(name) else {
            continue;
        };
        written.push('\0');
        for entry in entries {
            let Field::Typed(typed) = entry else { continue };
            if let Typed::Reference(reference) = &**typed {
                written.extend([reference.key.as_str(), "\n"]);
            }
        }
    }
}

impl ChangedItems {
    /// Whether lists may show something else of a post.
    pub fn has_summary(&self, post: u64) -> bool {
        self.summaries.contains(&post)
    }

    /// Whether a post or its text has changed.
    pub fn has_post(&self, post: u64) -> bool {
        self.posts.contains(&post)
    }

    /// Whether an entry, `team/ana-ruiz`, has changed.
    pub fn has(&self, entry: &str) -> bool {
        self.entries.contains(entry)
    }

    /// Whether an entry of a collection has changed.
    pub fn has_of(&self, collection: &str) -> bool {
        self.collections.contains(collection)
    }

    /// Whether entries of a collection are in another order.
    pub fn has_order_of(&self, collection: &str) -> bool {
        self.orders.contains(collection)
    }

    /// Whether one of these inputs may be another than before.
    pub fn touch(&self, inputs: &RecordedInputs) -> bool {
        !self.is_empty() && inputs.read().iter().any(|input| input.is_touched_by(self))
    }

    fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.orders.is_empty() && self.posts.is_empty()
    }
}
