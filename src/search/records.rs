//! A file of many records, any of which can be read by itself: how many there are, where each ends, and their bytes.

use std::io;
use std::path::Path;

use tantivy::Directory as _;
use tantivy::directory::{FileSlice, MmapDirectory, OwnedBytes};

/// Bytes of a number in the file.
const NUMBER: usize = 8;

/// Records, read from a mapped file.
pub struct Records {
    ends: OwnedBytes,
    data: FileSlice,
    count: u32,
}

/// The bytes of a file of these records.
pub fn written(records: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let length: usize = records.iter().map(|record| record.as_ref().len()).sum();
    let mut bytes = Vec::with_capacity((records.len() + 1) * NUMBER + length);
    bytes.extend((records.len() as u64).to_le_bytes());
    let mut end = 0;
    for record in records {
        end += record.as_ref().len() as u64;
        bytes.extend(end.to_le_bytes());
    }
    records.iter().for_each(|record| bytes.extend(record.as_ref()));
    bytes
}

impl Records {
    /// Opens a file of a folder.
    pub(super) fn open(directory: &MmapDirectory, name: &str) -> Result<Records, String> {
        let damaged = || format!("{name} is damaged");
        let file = directory.open_read(Path::new(name)).map_err(|error| error.to_string())?;
        let length = file.num_bytes().get_bytes();
        if length < NUMBER as u64 {
            return Err(damaged());
        }
        let (head, rest) = file.split(NUMBER);
        let count = number(&head.read_bytes().map_err(|error| error.to_string())?, 0).ok_or_else(damaged)?;
        let count = u32::try_from(count).map_err(|_| damaged())?;
        let table = count as usize * NUMBER;
        if (length - NUMBER as u64) < table as u64 {
            return Err(damaged());
        }
        let (ends, data) = rest.split(table);
        let ends = ends.read_bytes().map_err(|error| error.to_string())?;
        let last = if count == 0 { Some(0) } else { number(&ends, count as usize - 1) };
        if last != Some(data.num_bytes().get_bytes()) {
            return Err(damaged());
        }
        Ok(Records { ends, data, count })
    }

    /// How many there are.
    pub(super) fn len(&self) -> u32 {
        self.count
    }

    /// One of them.
    pub(super) fn get(&self, index: u32) -> io::Result<OwnedBytes> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the table of records is damaged");
        let index = index as usize;
        let start = if index == 0 { Some(0) } else { number(&self.ends, index - 1) };
        let (start, end) = start.zip(number(&self.ends, index)).ok_or_else(damaged)?;
        if start > end || end > self.data.num_bytes().get_bytes() {
            return Err(damaged());
        }
        let place = |number: u64| usize::try_from(number).map_err(|_| damaged());
        self.data.read_bytes_slice(place(start)?..place(end)?)
    }
}

fn number(bytes: &[u8], index: usize) -> Option<u64> {
    let bytes = bytes.get(index * NUMBER..)?.first_chunk::<NUMBER>()?;
    Some(u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("x"), bytes).expect("a file");
        let records = Records::open(&MmapDirectory::open(folder.path()).expect("a folder"), "x")?;
        (0..records.len())
            .map(|at| records.get(at).map(|bytes| bytes.to_vec()).map_err(|error| error.to_string()))
            .collect()
    }

    #[test]
    fn what_is_written_is_read() {
        for records in [vec![], vec!["a"], vec!["", "é", "", "long text"]] {
            let wanted: Vec<Vec<u8>> = records.iter().map(|text| text.as_bytes().to_vec()).collect();
            assert_eq!(read(&written(&records)), Ok(wanted));
        }
    }

    #[test]
    fn a_damaged_file_is_told_and_never_fatal() {
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
