//! A file of records with random access: their number, the end offset of each, and their bytes.
//!
//! Numbers are u64 in little-endian order.

use std::io;
use std::path::Path;

use crate::file::{IndexFile, damaged};

/// Size of a number in the file, in bytes.
const NUMBER: u64 = 8;

/// Records, read from an open file.
pub struct Records {
    file: IndexFile,
    count: u32,
}

/// Serializes records to the bytes of a file.
pub fn written(records: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let length: usize = records.iter().map(|record| record.as_ref().len()).sum();
    let mut bytes = Vec::with_capacity((records.len() + 1) * 8 + length);
    bytes.extend((records.len() as u64).to_le_bytes());
    let mut end = 0;
    for record in records {
        end += record.as_ref().len() as u64;
        bytes.extend(end.to_le_bytes());
    }
    records
        .iter()
        .for_each(|record| bytes.extend(record.as_ref()));
    bytes
}

impl Records {
    /// Opens a file and checks that its table matches its length. The error is a message with the file's name.
    pub(super) fn open(path: &Path) -> Result<Records, String> {
        let file = IndexFile::open(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Records::of(file).map_err(|_| format!("{name} is damaged"))
    }

    fn of(file: IndexFile) -> io::Result<Records> {
        let count = u32::try_from(file.number(0)?).map_err(|_| damaged())?;
        let records = Records { file, count };
        let bytes = if count == 0 {
            0
        } else {
            records.file.number(NUMBER * u64::from(count))?
        };
        if bytes.checked_add(records.data()) != Some(records.file.length()) {
            return Err(damaged());
        }
        Ok(records)
    }

    /// The offset of the first record.
    fn data(&self) -> u64 {
        NUMBER * (u64::from(self.count) + 1)
    }

    /// The number of records.
    pub(super) fn len(&self) -> u32 {
        self.count
    }

    /// The record at an index. Fails if the index is out of range or the table is damaged.
    pub(super) fn get(&self, index: u32) -> io::Result<Vec<u8>> {
        if index >= self.count {
            return Err(damaged());
        }
        let at = NUMBER * (u64::from(index) + 1);
        let start = if index == 0 {
            0
        } else {
            self.file.number(at - NUMBER)?
        };
        let end = self.file.number(at)?;
        let [start, end] =
            [start, end].map(|offset| self.data().checked_add(offset).ok_or_else(damaged));
        self.file.read(start?, end?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("x"), bytes).expect("a file");
        let records = Records::open(&folder.path().join("x"))?;
        (0..records.len())
            .map(|at| records.get(at).map_err(|error| error.to_string()))
            .collect()
    }

    #[test]
    fn written_records_are_read_back() {
        for records in [vec![], vec!["a"], vec!["", "é", "", "long text"]] {
            let wanted: Vec<Vec<u8>> = records
                .iter()
                .map(|text| text.as_bytes().to_vec())
                .collect();
            assert_eq!(read(&written(&records)), Ok(wanted));
        }
    }

    #[test]
    fn a_damaged_file_is_an_error_and_never_a_panic() {
        let whole = written(&["one", "two"]);
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err(), "{length} bytes");
        }
        for at in 0..24 {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            let _ = read(&bytes);
        }
        assert!(read(&[0xff; 8]).is_err());
    }
}
