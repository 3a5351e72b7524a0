//! A part of the build manifest that is decoded at its first use, and written as it was read if it was not replaced. A
//! build that renders few pages does not need the links of all others.

use std::io::{self, Write};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::Serialize;

use super::stream::{Written, write};

/// A value, serialized, decoded, or both.
#[derive(Debug, Clone, Default)]
pub struct Part<T> {
    serialized: Option<SerializedPart<T>>,
    value: OnceLock<T>,
}

/// The bytes of a value, their hash, and how they are decoded.
#[derive(Debug, Clone)]
struct SerializedPart<T> {
    bytes: Arc<Vec<u8>>,
    written: Written,
    decode: fn(&[u8]) -> postcard::Result<T>,
}

impl<T: Default + Serialize> Part<T> {
    /// A part of a manifest whose checksum is right.
    pub(super) fn read(bytes: Vec<u8>, written: Written, decode: fn(&[u8]) -> postcard::Result<T>) -> Part<T> {
        let serialized = SerializedPart { bytes: Arc::new(bytes), written, decode };
        Part { serialized: Some(serialized), value: OnceLock::new() }
    }

    /// Writes its bytes. Those that were read are not hashed again.
    pub(super) fn write(&self, file: &mut impl Write) -> io::Result<Written> {
        match &self.serialized {
            Some(part) => file.write_all(&part.bytes).map(|()| part.written),
            None => write(file, &**self),
        }
    }
}

impl<T: Default + Serialize> Deref for Part<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // The checksum was right, and the same version of sitegen wrote it, so decoding cannot fail.
        self.value.get_or_init(|| {
            let decode = |part: &SerializedPart<T>| (part.decode)(&part.bytes).ok();
            self.serialized.as_ref().and_then(decode).unwrap_or_default()
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
