//! EXIF orientation: reading it, and rotating pictures upright.

use crate::Error;

/// The value of the EXIF tag, 1 to 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Orientation(u8);

/// The stored pixels are already upright.
pub(crate) const UPRIGHT: Orientation = Orientation(1);

/// The number of the EXIF tag `Orientation`.
const TAG: u16 = 0x0112;
/// The TIFF type of an unsigned 16-bit value.
const SHORT: u16 = 3;

impl Orientation {
    /// Reads an EXIF block, with or without the prefix `Exif\0\0`. Returns [`UPRIGHT`] if the tag is missing or
    /// invalid.
    pub fn read(exif: &[u8]) -> Orientation {
        read_tag(exif.strip_prefix(b"Exif\0\0").unwrap_or(exif)).unwrap_or(UPRIGHT)
    }

    /// Whether the orientation swaps width and height.
    pub fn is_sideways(self) -> bool {
        self.0 >= 5
    }

    /// Rotates and mirrors pixels of `N` bytes each. Fails if `data` does not match the size.
    pub fn turn<const N: usize>(
        self,
        width: u32,
        height: u32,
        data: Vec<u8>,
    ) -> Result<Vec<u8>, Error> {
        if self == UPRIGHT {
            return Ok(data);
        }
        let (pixels, rest) = data.as_chunks::<N>();
        let (width, height) = (width as usize, height as usize);
        if pixels.len() != width * height || !rest.is_empty() {
            return Err(Error::new("its data does not match its size"));
        }
        let (out_width, out_height) = if self.is_sideways() {
            (height, width)
        } else {
            (width, height)
        };
        let mut turned = Vec::with_capacity(data.len());
        for y in 0..out_height {
            for x in 0..out_width {
                let (from_x, from_y) = match self.0 {
                    2 => (width - 1 - x, y),
                    3 => (width - 1 - x, height - 1 - y),
                    4 => (x, height - 1 - y),
                    5 => (y, x),
                    6 => (y, height - 1 - x),
                    7 => (width - 1 - y, height - 1 - x),
                    _ => (width - 1 - y, x),
                };
                turned.extend_from_slice(&pixels[from_y * width + from_x]);
            }
        }
        Ok(turned)
    }
}

/// Reads the tag from the first image file directory of a TIFF structure.
fn read_tag(tiff: &[u8]) -> Option<Orientation> {
    let is_little = match tiff.get(..2)? {
        b"II" => true,
        b"MM" => false,
        _ => return None,
    };
    let short = |at: usize| {
        let bytes = [*tiff.get(at)?, *tiff.get(at.checked_add(1)?)?];
        Some(if is_little {
            u16::from_le_bytes(bytes)
        } else {
            u16::from_be_bytes(bytes)
        })
    };
    let (first, second) = (usize::from(short(4)?), usize::from(short(6)?));
    let directory = if is_little {
        second << 16 | first
    } else {
        first << 16 | second
    };
    let entries = usize::from(short(directory)?);
    // An entry takes 12 bytes: tag, type, count, value.
    let mut at = (0..entries).map(|entry| directory + 2 + 12 * entry);
    let at = at.find(|at| short(*at) == Some(TAG) && short(at + 2) == Some(SHORT))?;
    let value = u8::try_from(short(at + 8)?).ok()?;
    (1..=8).contains(&value).then_some(Orientation(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exif(value: u8) -> Vec<u8> {
        [
            b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".as_slice(),
            &[value, 0, 0, 0, 0, 0, 0],
        ]
        .concat()
    }

    #[test]
    fn both_byte_orders_are_read() {
        assert_eq!(Orientation::read(&exif(6)), Orientation(6));
        let little = b"II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x08\0\0\0\0\0\0\0";
        assert_eq!(Orientation::read(little), Orientation(8));
    }

    #[test]
    fn invalid_exif_is_upright() {
        let whole = exif(6);
        for end in 0..26 {
            assert_eq!(Orientation::read(&whole[..end]), UPRIGHT, "{end} bytes");
        }
        assert_eq!(Orientation::read(&exif(9)), UPRIGHT);
        assert_eq!(Orientation::read(b"MM\0\x2a\xff\xff\xff\xff"), UPRIGHT);
    }

    /// Expected results for the stored picture `ab / cd / ef`.
    #[test]
    fn every_orientation_is_turned_as_the_standard_says() {
        let stored = b"abcdef".to_vec();
        let expected: [&[u8]; 8] = [
            b"abcdef", b"badcfe", b"fedcba", b"efcdab", b"acebdf", b"ecafdb", b"fdbeca", b"bdface",
        ];
        for (value, expected) in (1..=8).zip(expected) {
            let turned = Orientation(value).turn::<1>(2, 3, stored.clone());
            assert_eq!(turned.as_deref(), Ok(expected), "orientation {value}");
        }
    }
}
