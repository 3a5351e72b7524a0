//! A part of the build manifest that is decoded at its first use, and written as it was read if it was not replaced. A
//! build that renders few pages does not need the links of all others.

use std::io::{self, Write};
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use serde::Serialize;

use super::stream::{Written, write};

/// The place of a part in the file of a manifest, and its hash.
pub(super) type PartPlace = (Range<usize>, Written);

/// A value, serialized, decoded, or both.
#[derive(Debug, Clone, Default)]
pub struct Part<T> {
    serialized: Option<SerializedPart<T>>,
    value: OnceLock<T>,
}

/// The file that holds a value, its place there, its hash, and how it is decoded.
#[derive(Debug, Clone)]
struct SerializedPart<T> {
    file: Arc<Vec<u8>>,
    place: Range<usize>,
    written: Written,
    decode: fn(&[u8]) -> postcard::Result<T>,
}

impl<T: Default + Serialize> Part<T> {
    /// A part of a manifest whose checksums are right.
    pub(super) fn read(
        file: &Arc<Vec<u8>>,
        (place, written): PartPlace,
        decode: fn(&[u8]) -> postcard::Result<T>,
    ) -> Part<T> {
        let serialized = SerializedPart { file: Arc::clone(file), place, written, decode };
        Part { serialized: Some(serialized), value: OnceLock::new() }
    }

    /// Writes its bytes. Those that were read are not hashed again.
    pub(super) fn write(&self, file: &mut impl Write) -> io::Result<Written> {
        match (&self.serialized, self.bytes()) {
            (Some(part), Some(bytes)) => file.write_all(bytes).map(|()| part.written),
            _ => write(file, &**self),
        }
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
