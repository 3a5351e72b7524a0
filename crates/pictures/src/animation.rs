//! Pictures that move: published with all their frames as they are, but without metadata, such as the place of the camera.

use serde::{Deserialize, Serialize};

/// The kinds of files that may move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Animation {
    /// A GIF, also one that does not move: it is small, and its few colors are blurred in other formats.
    Gif,
    /// An animated PNG.
    Png,
    /// An animated WebP.
    WebP,
}

/// The parts of a WebP that belong to the picture.
const WEBP_PARTS: [&[u8; 4]; 7] = [
    b"VP8X", b"ANIM", b"ANMF", b"ICCP", b"ALPH", b"VP8 ", b"VP8L",
];
/// The parts of a PNG that belong to the picture.
const PNG_PARTS: [&[u8; 4]; 16] = [
    b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"acTL", b"fcTL", b"fdAT", b"gAMA", b"cHRM",
    b"sRGB", b"iCCP", b"cICP", b"sBIT", b"bKGD", b"pHYs",
];
/// The length of the name of a part, and of its length.
const HEAD: usize = 8;
const PNG_START: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The applications that tell how often a GIF repeats.
const GIF_APPLICATIONS: [&[u8; 11]; 2] = [b"NETSCAPE2.0", b"ANIMEXTS1.0"];

impl Animation {
    /// Whether a file that begins so moves.
    pub fn of(start: &[u8]) -> Option<Animation> {
        const IS_ANIMATED: u8 = 0b10;
        let place = |name: &[u8]| start.windows(name.len()).position(|bytes| bytes == name);
        if start.starts_with(b"GIF8") {
            return Some(Animation::Gif);
        }
        if start.starts_with(b"RIFF") && start.get(8..16) == Some(b"WEBPVP8X") {
            return start
                .get(20)
                .is_some_and(|flags| flags & IS_ANIMATED != 0)
                .then_some(Animation::WebP);
        }
        (start.starts_with(PNG_START)
            && place(b"acTL").is_some_and(|at| place(b"IDAT").is_none_or(|data| at < data)))
        .then_some(Animation::Png)
    }

    /// The file extension without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Animation::Gif => "gif",
            Animation::Png => "png",
            Animation::WebP => "webp",
        }
    }

    /// The file without metadata. What cannot be read ends it, as in browsers.
    pub fn without_metadata(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Animation::Gif => gif(bytes).unwrap_or_default(),
            Animation::Png => png(bytes),
            Animation::WebP => webp(bytes),
        }
    }
}

fn webp(bytes: &[u8]) -> Vec<u8> {
    /// The flags for EXIF and XMP in the head.
    const METADATA: u8 = 0b1100;
    let mut out = b"RIFF\0\0\0\0WEBP".to_vec();
    let mut rest = bytes.get(12..).unwrap_or_default();
    while let Some(head) = rest.first_chunk::<HEAD>() {
        let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        // A part of an odd length is padded.
        let Some((part, after)) = rest.split_at_checked(HEAD + length + length % 2) else {
            break;
        };
        if WEBP_PARTS.iter().any(|name| part.starts_with(*name)) {
            let at = out.len();
            out.extend_from_slice(part);
            if part.starts_with(b"VP8X") && length > 0 {
                out[at + HEAD] &= !METADATA;
            }
        }
        rest = after;
    }
    let length = u32::try_from(out.len() - HEAD).unwrap_or(u32::MAX);
    out[4..8].copy_from_slice(&length.to_le_bytes());
    out
}

fn png(bytes: &[u8]) -> Vec<u8> {
    const CHECKSUM: usize = 4;
    let mut out = PNG_START.to_vec();
    let mut rest = bytes.get(PNG_START.len()..).unwrap_or_default();
    while let Some(head) = rest.first_chunk::<HEAD>() {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let Some((part, after)) = rest.split_at_checked(HEAD + length + CHECKSUM) else {
            break;
        };
        if PNG_PARTS.iter().any(|name| head.ends_with(*name)) {
            out.extend_from_slice(part);
        }
        rest = after;
    }
    out
}

fn gif(bytes: &[u8]) -> Option<Vec<u8>> {
    const START: usize = 13;
    const END: u8 = b';';
    let table = |flags: u8| {
        if flags & 0x80 == 0 {
            0
        } else {
            3 << ((flags & 7) + 1)
        }
    };
    let mut at = START + table(*bytes.get(10)?);
    let mut out = bytes.get(..at)?.to_vec();
    loop {
        let (head, is_kept) = match *bytes.get(at..).unwrap_or_default() {
            [b',', _, _, _, _, _, _, _, _, flags, ..] => (11 + table(flags), true),
            // How long a frame is shown, and how often all are.
            [b'!', 0xf9, ..] => (2, true),
            [b'!', 0xff, 11, ..] => {
                let name = bytes.get(at + 3..at + 14).unwrap_or_default();
                (
                    2,
                    GIF_APPLICATIONS
                        .iter()
                        .any(|known| name == known.as_slice()),
                )
            }
            [b'!', ..] => (2, false),
            _ => {
                out.push(END);
                return Some(out);
            }
        };
        let end = blocks(bytes, at + head);
        if is_kept {
            let Some(part) = end.and_then(|end| bytes.get(at..end)) else {
                out.push(END);
                return Some(out);
            };
            out.extend_from_slice(part);
        }
        at = end.unwrap_or(bytes.len());
    }
}

/// Where the blocks end that begin there: each begins with its length, and the last one has none.
fn blocks(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let length = usize::from(*bytes.get(at)?);
        at += 1 + length;
        if length == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two frames of one pixel, repeated, with a comment and a place between them.
    fn moving_gif(metadata: &[u8]) -> Vec<u8> {
        let frame = b"!\xf9\x04\0\x0a\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0";
        let start = b"GIF89a\x01\0\x01\0\x80\0\0\xff\0\0\0\0\xff";
        let repeat = b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0";
        [start.as_slice(), repeat, frame, metadata, frame, b";"].concat()
    }

    #[test]
    fn a_gif_keeps_its_frames_and_loses_its_comments() {
        let metadata = b"!\xfe\x06secret\0!\xff\x0bXMP DataXMP\x06secret\0";
        let clean = Animation::Gif.without_metadata(&moving_gif(metadata));
        assert_eq!(clean, moving_gif(b""));
        assert_eq!(Animation::Gif.without_metadata(&clean), clean);
        assert_eq!(crate::dimensions(std::io::Cursor::new(&clean)), Ok((1, 1)));
        assert_eq!(
            crate::decode(&clean).map(|pixels| pixels.average()),
            Ok([255, 0, 0])
        );
    }

    #[test]
    fn a_webp_and_a_png_keep_their_frames_only() {
        let part = |name: &[u8; 4], data: &[u8]| {
            let length = u32::try_from(data.len())
                .expect("a short part")
                .to_le_bytes();
            [name.as_slice(), &length, data, &vec![0; data.len() % 2]].concat()
        };
        let whole = |flags: u8, last: Vec<u8>| {
            let parts = [
                part(b"VP8X", &[flags, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
                part(b"ANMF", b"abc"),
                last,
            ]
            .concat();
            let length = u32::try_from(parts.len() + 4)
                .expect("a short file")
                .to_le_bytes();
            [b"RIFF".as_slice(), &length, b"WEBP", &parts].concat()
        };
        let webp = whole(
            0b1110,
            [part(b"EXIF", b"place"), part(b"XMP ", b"name")].concat(),
        );
        assert_eq!(Animation::of(&webp), Some(Animation::WebP));
        assert_eq!(
            Animation::WebP.without_metadata(&webp),
            whole(0b10, Vec::new())
        );
        let part = |name: &[u8; 4], data: &[u8]| {
            let length = u32::try_from(data.len())
                .expect("a short part")
                .to_be_bytes();
            [length.as_slice(), name, data, b"sum!"].concat()
        };
        let whole = |middle: Vec<u8>| {
            [
                PNG_START,
                &part(b"acTL", b"12"),
                &middle,
                &part(b"IDAT", b"3"),
            ]
            .concat()
        };
        let png = whole(
            [
                part(b"eXIf", b"place"),
                part(b"tEXt", b"name"),
                part(b"fcTL", b"4"),
            ]
            .concat(),
        );
        assert_eq!(Animation::of(&png), Some(Animation::Png));
        assert_eq!(
            Animation::Png.without_metadata(&png),
            whole(part(b"fcTL", b"4"))
        );
        assert_eq!(Animation::of(b"\x89PNG\r\n\x1a\n IDAT acTL"), None);
    }

    #[test]
    fn any_bytes_are_read() {
        let gif = moving_gif(b"!\xfe\x06secret\0");
        for length in 0..gif.len() {
            for animation in [Animation::Gif, Animation::Png, Animation::WebP] {
                assert!(animation.without_metadata(&gif[..length]).len() <= length + 13);
            }
            let _ = crate::decode(&gif[..length]);
        }
    }
}
