//! Names the values that changed since the last build as an editor knows them, for `sitegen why`.
//!
//! A fingerprint says which kind of dependency changed. What all pages of a language share (header and footer, interface
//! texts, settings) is also hashed value by value here, once per language, so that the changed ones can be named.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Dependency, Hash};

/// The shared values of all languages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedValues(BTreeMap<(String, u8), ValueGroup>);

/// The values that one dependency consists of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ValueGroup {
    /// The first 4 bytes of the hash of each value, by its name.
    hashes: BTreeMap<String, u32>,
    /// The names of the values that differ from those of the last build.
    changed: Vec<String>,
}

impl SharedValues {
    /// Adds the values of a dependency, with their names, and compares them with those of the last build.
    pub fn add(
        &mut self,
        last: &SharedValues,
        locale: &str,
        dependency: Dependency,
        values: impl Iterator<Item = (String, Hash)>,
    ) {
        let key = (locale.to_owned(), dependency as u8);
        let hashes: BTreeMap<String, u32> =
            values.map(|(name, hash)| (name, first(&hash))).collect();
        let changed = last.0.get(&key).map_or_else(Vec::new, |last| {
            let names = hashes.keys().chain(
                last.hashes
                    .keys()
                    .filter(|name| !hashes.contains_key(*name)),
            );
            names
                .filter(|name| hashes.get(*name) != last.hashes.get(*name))
                .cloned()
                .collect()
        });
        self.0.insert(key, ValueGroup { hashes, changed });
    }

    /// The names of the values of a dependency that changed; empty if they are unknown.
    pub fn changed(&self, locale: &str, dependency: u8) -> &[String] {
        self.0
            .get(&(locale.to_owned(), dependency))
            .map_or(&[], |group| group.changed.as_slice())
    }
}

/// The first 4 bytes of a hash.
pub(super) fn first(hash: &Hash) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|at| hash[at]))
}
