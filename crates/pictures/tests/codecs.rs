//! Decodes every supported kind of picture, and checks the fallback.

use std::io::Cursor;

use jpeg_encoder::{ColorType, Encoder};
use pictures::{Error, Pixels, decode};

const WIDTH: u16 = 12;
const HEIGHT: u16 = 8;
const RED: [u8; 3] = [200, 30, 30];
const BLUE: [u8; 3] = [30, 30, 200];

/// An interlaced PNG: half red, half blue.
#[rustfmt::skip]
const INTERLACED: [u8; 114] = [
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x0c, 0x00, 0x00, 0x00, 0x08, 0x08, 0x02, 0x00, 0x00, 0x01, 0x35, 0x81, 0xb9, 0x30, 0x00, 0x00, 0x00, 0x09, 0x70,
    0x48, 0x59, 0x73, 0x00, 0x00, 0x03, 0xe8, 0x00, 0x00, 0x03, 0xe8, 0x01, 0xb5, 0x7b, 0x52, 0x6b, 0x00, 0x00, 0x00,
    0x24, 0x49, 0x44, 0x41, 0x54, 0x18, 0x95, 0x63, 0x38, 0x21, 0x27, 0x27, 0x27, 0x77, 0x82, 0xe1, 0x84, 0x9c, 0x1c,
    0x08, 0x23, 0x78, 0x60, 0x36, 0x1a, 0xeb, 0x04, 0x4c, 0x01, 0x9d, 0x85, 0x30, 0xe5, 0x06, 0x4a, 0x11, 0x00, 0xd2,
    0x2f, 0x61, 0x81, 0x26, 0x13, 0xb9, 0xc3, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];
/// An animated WebP: the same picture, followed by a white frame.
#[rustfmt::skip]
const ANIMATED: [u8; 154] = [
    0x52, 0x49, 0x46, 0x46, 0x92, 0x00, 0x00, 0x00, 0x57, 0x45, 0x42, 0x50, 0x56, 0x50, 0x38, 0x58, 0x0a, 0x00, 0x00,
    0x00, 0x02, 0x00, 0x00, 0x00, 0x0b, 0x00, 0x00, 0x07, 0x00, 0x00, 0x41, 0x4e, 0x49, 0x4d, 0x06, 0x00, 0x00, 0x00,
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x41, 0x4e, 0x4d, 0x46, 0x34, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x0b, 0x00, 0x00, 0x07, 0x00, 0x00, 0x64, 0x00, 0x00, 0x02, 0x56, 0x50, 0x38, 0x4c, 0x1c, 0x00, 0x00, 0x00,
    0x2f, 0x0b, 0xc0, 0x01, 0x00, 0x0f, 0x30, 0x1e, 0xf7, 0x50, 0xbd, 0x15, 0xf2, 0xfc, 0x47, 0x0b, 0x04, 0x02, 0x49,
    0x66, 0xfb, 0x93, 0xad, 0x10, 0xd1, 0xff, 0xc8, 0x01, 0x41, 0x4e, 0x4d, 0x46, 0x2a, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x0b, 0x00, 0x00, 0x07, 0x00, 0x00, 0x64, 0x00, 0x00, 0x00, 0x56, 0x50, 0x38, 0x4c, 0x11,
    0x00, 0x00, 0x00, 0x2f, 0x0b, 0xc0, 0x01, 0x00, 0x07, 0xd0, 0xff, 0xfe, 0xf7, 0xbf, 0xff, 0x81, 0x88, 0xe8, 0x7f,
    0x00, 0x00,
];

/// One value per pixel of a picture with a uniform left half and a uniform right half.
fn halves<T: Clone>(left: T, right: T) -> Vec<T> {
    let row: Vec<T> = (0..WIDTH)
        .map(|x| {
            if x < WIDTH / 2 {
                left.clone()
            } else {
                right.clone()
            }
        })
        .collect();
    (0..HEIGHT).flat_map(|_| row.clone()).collect()
}

fn png(
    color: png::ColorType,
    depth: png::BitDepth,
    palette: Option<&[u8]>,
    data: &[u8],
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, WIDTH.into(), HEIGHT.into());
    encoder.set_color(color);
    encoder.set_depth(depth);
    if let Some(palette) = palette {
        encoder.set_palette(palette.to_vec());
    }
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(data).expect("pixels");
    writer.finish().expect("an end");
    bytes
}

fn jpeg(color: ColorType, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    Encoder::new(&mut bytes, 95)
        .encode(data, WIDTH, HEIGHT, color)
        .expect("a picture");
    bytes
}

fn dimensions(bytes: &[u8]) -> Result<(u32, u32), Error> {
    pictures::dimensions(Cursor::new(bytes))
}

fn read(bytes: &[u8]) -> Pixels {
    assert_eq!(dimensions(bytes), Ok((WIDTH.into(), HEIGHT.into())));
    decode(bytes).expect("a picture")
}

/// One pixel from the middle of each half.
fn seen(pixels: &Pixels) -> [[u8; 3]; 2] {
    let size = if pixels.is_opaque() { 3 } else { 4 };
    [2, 9].map(|x| {
        let at = (4 * usize::from(WIDTH) + x) * size;
        [0, 1, 2].map(|channel| pixels.data()[at + channel])
    })
}

#[track_caller]
fn assert_near(found: [[u8; 3]; 2], expected: [[u8; 3]; 2], most: u8) {
    let pairs = found.as_flattened().iter().zip(expected.as_flattened());
    assert!(
        pairs.clone().all(|(a, b)| a.abs_diff(*b) <= most),
        "{found:?} is not {expected:?}"
    );
}

#[test]
fn every_kind_of_png_is_read() {
    let colors = halves(RED, BLUE).concat();
    let wide: Vec<u8> = colors.iter().flat_map(|value| [*value, 77]).collect();
    let gray = halves([90], [160]).concat();
    let half_clear = halves([200, 30, 30, 255], [30, 30, 200, 90]).concat();
    let opaque = halves([200, 30, 30, 255], [30, 30, 200, 255]).concat();
    let (eight, sixteen) = (png::BitDepth::Eight, png::BitDepth::Sixteen);
    assert_near(
        seen(&read(&png(png::ColorType::Rgb, eight, None, &colors))),
        [RED, BLUE],
        0,
    );
    assert_near(
        seen(&read(&png(png::ColorType::Rgb, sixteen, None, &wide))),
        [RED, BLUE],
        1,
    );
    assert_near(
        seen(&read(&png(png::ColorType::Grayscale, eight, None, &gray))),
        [[90; 3], [160; 3]],
        0,
    );
    let palette = png(
        png::ColorType::Indexed,
        eight,
        Some(&[RED, BLUE].concat()),
        &halves([0], [1]).concat(),
    );
    assert_near(seen(&read(&palette)), [RED, BLUE], 0);
    let clear = read(&png(png::ColorType::Rgba, eight, None, &half_clear));
    assert!(!clear.is_opaque());
    assert_near(seen(&clear), [RED, BLUE], 0);
    let gray_alpha = halves([90, 255], [160, 20]).concat();
    assert!(
        !read(&png(
            png::ColorType::GrayscaleAlpha,
            eight,
            None,
            &gray_alpha
        ))
        .is_opaque()
    );
    assert!(
        read(&png(png::ColorType::Rgba, eight, None, &opaque)).is_opaque(),
        "an alpha that no pixel uses"
    );
    assert_near(seen(&read(&INTERLACED)), [RED, BLUE], 0);
}

#[test]
fn every_kind_of_jpeg_is_read() {
    let colors = halves(RED, BLUE).concat();
    assert_near(seen(&read(&jpeg(ColorType::Rgb, &colors))), [RED, BLUE], 30);
    let gray = halves([90], [160]).concat();
    assert_near(
        seen(&read(&jpeg(ColorType::Luma, &gray))),
        [[90; 3], [160; 3]],
        8,
    );
    // Ink on white paper: no cyan is full red.
    let ink = halves([0, 255, 255, 0], [255, 255, 0, 0]).concat();
    for color in [ColorType::Cmyk, ColorType::CmykAsYcck] {
        let found = seen(&read(&jpeg(color, &ink)));
        assert!(
            found[0][0] > 180 && found[0][2] < 80 && found[1][2] > 180 && found[1][0] < 80,
            "{found:?}"
        );
    }
}

#[test]
fn an_animation_gives_its_first_frame() {
    assert_near(seen(&read(&ANIMATED)), [RED, BLUE], 0);
}

#[test]
fn damaged_pictures_are_rejected() {
    let whole = jpeg(ColorType::Rgb, &halves(RED, BLUE).concat());
    let why = |bytes: &[u8]| decode(bytes).expect_err("a damaged picture").to_string();
    assert_eq!(why(&whole[..whole.len() / 2]), "it is truncated");
    assert_eq!(
        why(b"<!doctype html>"),
        "it is not a JPEG, PNG, WebP or GIF image"
    );
    assert!(decode(&INTERLACED[..INTERLACED.len() / 2]).is_err());
    assert!(decode(&ANIMATED[..ANIMATED.len() / 2]).is_err());
    for end in 0..whole.len() {
        let _: Result<Pixels, Error> = decode(&whole[..end]);
    }
}

#[test]
fn an_oversized_picture_is_rejected_from_its_header() {
    let mut bytes = jpeg(ColorType::Luma, &halves([90], [160]).concat());
    let head = bytes
        .windows(2)
        .position(|pair| pair == [0xff, 0xc0])
        .expect("a frame");
    bytes[head + 5..head + 9].copy_from_slice(&[0xfd, 0xe8, 0xfd, 0xe8]);
    let why = dimensions(&bytes)
        .expect_err("65,000 pixels a side")
        .to_string();
    assert!(why.contains("65000 × 65000 pixels"), "{why}");
    assert_eq!(
        decode(&bytes)
            .expect_err("65,000 pixels a side")
            .to_string(),
        why
    );
}

#[test]
fn the_fallback_shows_the_same_picture_and_the_same_bytes_each_time() {
    let pixels = read(&INTERLACED);
    let encode = || pixels.resized(6).and_then(|small| small.fallback());
    let bytes = encode().expect("an encoded picture");
    assert_eq!(encode().as_ref(), Ok(&bytes));
    assert_eq!(dimensions(&bytes), Ok((6, 4)));
    let [red, _, blue] = decode(&bytes).expect("a picture").average();
    assert!(
        red.abs_diff(115) < 12 && blue.abs_diff(115) < 12,
        "{red} {blue}"
    );
}

/// Odd sizes, a single pixel, and transparency.
#[test]
fn odd_sizes_are_encoded() {
    for (width, height) in [(1, 1), (3, 5), (17, 9)] {
        let bytes = Pixels::solid(width, height, RED)
            .fallback()
            .expect("an encoded picture");
        assert_eq!(dimensions(&bytes), Ok((width, height)));
    }
    let half_clear = halves([200, 30, 30, 255], [30, 30, 200, 90]).concat();
    let clear = read(&png(
        png::ColorType::Rgba,
        png::BitDepth::Eight,
        None,
        &half_clear,
    ));
    let small = clear.resized(7).expect("a smaller picture");
    assert!(!small.is_opaque() && small.width() == 7 && small.height() == 4);
    assert_eq!(decode(&clear.fallback().expect("a PNG")), Ok(clear));
}
