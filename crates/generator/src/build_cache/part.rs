//! A part of the build manifest that is decoded at its first use, and written as it was read if it was not replaced. A
//! build that renders few pages does not need the links of all others.

use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use serde::Serialize;

/// A value, serialized, decoded, or both.
#[derive(Debug, Clone, Default)]
pub struct Part<T> {
    serialized: Option<SerializedPart<T>>,
    value: OnceLock<T>,
}

/// The file that holds a value, its place there, and how it is decoded.
#[derive(Debug, Clone)]
struct SerializedPart<T> {
    file: Arc<Vec<u8>>,
    place: Range<usize>,
    decode: fn(&[u8]) -> postcard::Result<T>,
}

impl<T: Default + Serialize> Part<T> {
    /// A part of a manifest whose checksums are right.
    pub(super) fn read(file: &Arc<Vec<u8>>, place: Range<usize>, decode: fn(&[u8]) -> postcard::Result<T>) -> Part<T> {
        Part { serialized: Some(SerializedPart { file: Arc::clone(file), place, decode }), value: OnceLock::new() }
    }

    /// The bytes to write.
    pub(super) fn serialize(&self) -> postcard::Result<Vec<u8>> {
        self.bytes().map_or_else(|| postcard::to_allocvec(&**self), |bytes| Ok(bytes.to_vec()))
    }

    fn bytes(&self) -> Option<&[u8]> {
        let SerializedPart { file, place, .. } = self.serialized.as_ref()?;
        file.get(place.clone())
    }
}

impl<T: Default + Serialize> Deref for Part<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // The checksum was right, and the same version of sitegen wrote it, so decoding cannot fail.
        self.value.get_or_init(|| {
            let decode = self.serialized.as_ref().map(|part| part.decode);
            decode.zip(self.bytes()).and_then(|(decode, bytes)| decode(bytes).ok()).unwrap_or_default()
        })
    }
}

impl<T> From<T> for Part<T> {
    fn from(value: T) -> Part<T> {
        Part { serialized: None, value: OnceLock::from(value) }
    }
}

impl<T: Default + Serialize + PartialEq> PartialEq for Part<T> {
    fn eq(&self, other: &Part<T>) -> bool {
        **self == **other
    }
}

impl<T: Default + Serialize + Eq> Eq for Part<T> {}
