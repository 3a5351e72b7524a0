//! A part of the build manifest that is decoded at its first use, and written as it was read if it was not replaced. A
//! build that renders few pages does not need the links of all others.

use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value, serialized, decoded, or both.
#[derive(Debug, Clone, Default)]
pub struct Part<T> {
    /// The file that holds it, and its place there.
    serialized: Option<(Arc<Vec<u8>>, Range<usize>)>,
    value: OnceLock<T>,
}

impl<T: Default + Serialize + DeserializeOwned> Part<T> {
    /// A part of a manifest whose checksums are right.
    pub(super) fn read(file: &Arc<Vec<u8>>, place: Range<usize>) -> Part<T> {
        Part { serialized: Some((Arc::clone(file), place)), value: OnceLock::new() }
    }

    /// The bytes to write.
    pub(super) fn serialize(&self) -> postcard::Result<Vec<u8>> {
        self.bytes().map_or_else(|| postcard::to_allocvec(&**self), |bytes| Ok(bytes.to_vec()))
    }

    fn bytes(&self) -> Option<&[u8]> {
        let (file, place) = self.serialized.as_ref()?;
        file.get(place.clone())
    }
}

impl<T: Default + Serialize + DeserializeOwned> Deref for Part<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // The checksum was right, and the same version of sitegen wrote it, so decoding cannot fail.
        self.value.get_or_init(|| self.bytes().and_then(|bytes| postcard::from_bytes(bytes).ok()).unwrap_or_default())
    }
}

impl<T> From<T> for Part<T> {
    fn from(value: T) -> Part<T> {
        Part { serialized: None, value: OnceLock::from(value) }
    }
}

impl<T: Default + Serialize + DeserializeOwned + PartialEq> PartialEq for Part<T> {
    fn eq(&self, other: &Part<T>) -> bool {
        **self == **other
    }
}

impl<T: Default + Serialize + DeserializeOwned + Eq> Eq for Part<T> {}
