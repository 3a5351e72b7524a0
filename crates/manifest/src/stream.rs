//! Writes a value while it is serialized, and hashes it on the way: all pages of a large site would take 20 MB.

use std::io::{self, Write};

use postcard::ser_flavors::Flavor;
use serde::{Deserialize, Serialize};

/// Bytes that are hashed and written at once. Hashing is slower for pieces of less than some KiB.
const CHUNK: usize = 64 * 1024;

/// A value in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Written {
    /// The BLAKE3 hash of its bytes.
    pub sum: [u8; 32],
    /// Its length in bytes.
    pub length: u64,
}

/// Receives the bytes of a value.
struct Stream<'a, W> {
    file: &'a mut W,
    /// The bytes that are not written yet.
    chunk: Vec<u8>,
    hasher: blake3::Hasher,
    /// The first failure of the file, which `postcard` has no error for.
    result: io::Result<()>,
}

/// Serializes a value into a file.
pub(super) fn write(file: &mut impl Write, value: &impl Serialize) -> io::Result<Written> {
    let chunk = Vec::with_capacity(CHUNK);
    let mut stream = Stream {
        file,
        chunk,
        hasher: blake3::Hasher::new(),
        result: Ok(()),
    };
    let done = postcard::serialize_with_flavor(value, &mut stream);
    stream.result.and(done.map_err(io::Error::other))
}

impl<W: Write> Stream<'_, W> {
    fn flush(&mut self) -> postcard::Result<()> {
        self.hasher.update(&self.chunk);
        self.result = self.file.write_all(&self.chunk);
        self.chunk.clear();
        self.result
            .as_ref()
            .map_err(|_| postcard::Error::SerializeBufferFull)
            .copied()
    }
}

impl<W: Write> Flavor for &mut Stream<'_, W> {
    type Output = Written;

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.chunk.extend_from_slice(bytes);
        if self.chunk.len() < CHUNK {
            Ok(())
        } else {
            self.flush()
        }
    }

    fn finalize(self) -> postcard::Result<Written> {
        self.flush()?;
        Ok(Written {
            sum: *self.hasher.finalize().as_bytes(),
            length: self.hasher.count(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with room for this many bytes.
    struct Disk(usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self
                .0
                .checked_sub(bytes.len())
                .ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn value() -> Vec<(String, u32)> {
        (0..20_000)
            .map(|number| (format!("name {number}"), number))
            .collect()
    }

    #[test]
    fn a_streamed_value_has_the_bytes_of_one_in_memory() {
        let mut file = Vec::new();
        let written = write(&mut file, &value()).expect("written");
        assert!(file.len() > 3 * CHUNK);
        assert_eq!(Some(&file), postcard::to_allocvec(&value()).ok().as_ref());
        assert_eq!(
            written,
            Written {
                sum: *blake3::hash(&file).as_bytes(),
                length: file.len() as u64
            }
        );
    }

    #[test]
    fn a_full_disk_is_an_error_at_any_chunk() {
        for room in [0, CHUNK, 3 * CHUNK] {
            let error = write(&mut Disk(room), &value()).expect_err("a full disk");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{room} bytes");
        }
    }
}
