//! The format of an entry: a line with the version, a checksum, and the bytes.
//!
//! The checksum covers the path of the entry as well, so that an entry under a wrong name is noticed.

/// The first bytes of each entry. Raise the number when the format changes; entries with another one count as missing.
const MAGIC: &[u8] = b"sitegen cache 1\n";

/// The length of the head, in bytes.
pub(super) const HEAD: usize = MAGIC.len() + blake3::OUT_LEN;

/// The head before the body of the entry at this path.
pub(super) fn head(path: &str, body: &[u8]) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..MAGIC.len()].copy_from_slice(MAGIC);
    head[MAGIC.len()..].copy_from_slice(checksum(path, body).as_bytes());
    head
}

/// The body of an entry. `None` if the entry is damaged, of another version, or belongs to another path.
pub(super) fn body(path: &str, mut entry: Vec<u8>) -> Option<Vec<u8>> {
    let (head, body) = entry.split_at_checked(HEAD)?;
    let checksum = checksum(path, body);
    let is_whole = head.strip_prefix(MAGIC)? == checksum.as_bytes();
    is_whole.then(|| {
        entry.drain(..HEAD);
        entry
    })
}

fn checksum(path: &str, body: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(&(path.len() as u64).to_le_bytes())
        .update(path.as_bytes())
        .update(body)
        .finalize()
}

#[cfg(test)]
mod tests {
    use super::{body, head};

    fn entry(path: &str, body: &[u8]) -> Vec<u8> {
        [&head(path, body), body].concat()
    }

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        for bytes in [&b""[..], b"a picture"] {
            assert_eq!(
                body("pictures/a", entry("pictures/a", bytes)).as_deref(),
                Some(bytes)
            );
        }
    }

    #[test]
    fn a_changed_or_missing_byte_is_damage() {
        let whole = entry("pictures/a", b"a picture");
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert_eq!(body("pictures/a", changed), None, "byte {at}");
            assert_eq!(body("pictures/a", whole[..at].to_vec()), None, "{at} bytes");
        }
    }

    #[test]
    fn an_entry_under_another_name_is_damage() {
        assert_eq!(body("pictures/b", entry("pictures/a", b"a picture")), None);
    }
}
