//! Decodes the text of an export file, whatever its first line declares.
//!
//! Databases of old blogs hold bytes of windows-1252 in texts that are declared as ISO-8859-1 or even as UTF-8. Browsers
//! read the first as windows-1252, and so does this; in UTF-8, each byte that is no character is read alone.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read as _, Seek as _};

use encoding_rs::{Encoding, WINDOWS_1252};

/// Why a file cannot be read.
pub(super) enum Failure {
    File(io::Error),
    /// The name of an encoding that nobody knows.
    Unknown(String),
}

/// The size of a part that is read at once.
const BUFFER: usize = 1 << 16;

/// Opens a file as UTF-8. One in another encoding is converted in memory.
pub(super) fn open(file: &std::path::Path) -> Result<Box<dyn BufRead>, Failure> {
    let mut bytes = File::open(file).map_err(Failure::File)?;
    let mut head = Vec::new();
    bytes
        .by_ref()
        .take(200)
        .read_to_end(&mut head)
        .map_err(Failure::File)?;
    bytes.rewind().map_err(Failure::File)?;
    let encoding = match Encoding::for_bom(&head) {
        Some((encoding, _)) => Some(encoding),
        None => match declared(&head) {
            None => None,
            Some(name) => Some(Encoding::for_label(name.as_bytes()).ok_or(Failure::Unknown(name))?),
        },
    };
    let is_utf8 = encoding.is_none_or(|encoding| encoding == encoding_rs::UTF_8);
    let mut reader = BufReader::with_capacity(BUFFER, bytes);
    if is_utf8 && is_valid(&mut reader).map_err(Failure::File)? {
        reader.rewind().map_err(Failure::File)?;
        return Ok(Box::new(reader));
    }
    reader.rewind().map_err(Failure::File)?;
    let mut all = Vec::new();
    reader.read_to_end(&mut all).map_err(Failure::File)?;
    let text = match encoding.filter(|_| !is_utf8) {
        Some(encoding) => encoding.decode(&all).0.into_owned(),
        None => repaired(&all),
    };
    Ok(Box::new(Cursor::new(text.into_bytes())))
}

/// The encoding in the first line: `<?xml version="1.0" encoding="ISO-8859-1"?>`.
fn declared(head: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(head);
    let (_, rest) = head.split("?>").next()?.split_once("encoding=")?;
    let name = rest
        .trim_start_matches(['"', '\''])
        .split(['"', '\'', ' '])
        .next()?;
    Some(name.to_ascii_lowercase())
}

/// Whether a file is UTF-8, without holding it in memory.
fn is_valid(reader: &mut impl BufRead) -> io::Result<bool> {
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        if std::str::from_utf8(&line).is_err() {
            return Ok(false);
        }
        line.clear();
    }
    Ok(true)
}

/// Text in UTF-8 with single bytes of windows-1252 in it.
fn repaired(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.push_str(&WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0);
    }
    text
}

/// Text without control characters. U+0080 to U+009F are bytes of windows-1252 that were read as ISO-8859-1: browsers show
/// `&#147;` as `“`. Others come from word processors, in which they are breaks.
pub(super) fn without_controls(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains(is_control) {
        return text.into();
    }
    text.chars()
        .map(|c| match u8::try_from(u32::from(c)) {
            Ok(0..0x80) if is_control(c) => " ".to_owned(),
            Ok(byte) if is_control(c) => WINDOWS_1252
                .decode_without_bom_handling(&[byte])
                .0
                .into_owned(),
            _ => c.to_string(),
        })
        .collect()
}

/// Tells whether a letter is a control character that texts do not have.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expect: &str) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("export.xml");
        fs_err::write(&file, bytes).expect("a file");
        let mut text = String::new();
        let opened = open(&file);
        assert!(opened.is_ok(), "{expect}");
        opened
            .ok()
            .map(|mut reader| reader.read_to_string(&mut text));
        assert_eq!(
            text.trim_start_matches('\u{feff}').rsplit('>').next(),
            Some(expect)
        );
    }

    #[test]
    fn every_byte_is_the_character_that_browsers_show() {
        check(
            b"<?xml encoding=\"ISO-8859-1\"?>\x93caf\xe9\x94 \x80",
            "“café” €",
        );
        check(b"<?xml encoding='windows-1251' ?>\xcf\xf0", "Пр");
        check("<?xml encoding=\"UTF-8\"?>“é”".as_bytes(), "“é”");
        check(
            b"<?xml encoding=\"UTF-8\"?>caf\xc3\xa9 \x93it\x92s\x94",
            "café “it’s”",
        );
        check(b"\xff\xfea\0>\0b\0", "b");
    }

    #[test]
    fn references_to_control_characters_are_what_was_meant() {
        assert_eq!(without_controls("\u{93}a\u{94} \u{85}é"), "“a” …é");
        assert_eq!(without_controls("a\u{b}b\n\u{7f}c"), "a b\n c");
    }
}
