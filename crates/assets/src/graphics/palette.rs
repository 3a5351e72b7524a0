//! Encodes a PNG with a palette. Drawings have few colors, so this takes a third of the bytes. Colors beyond the 256
//! most frequent ones come from anti-aliasing, and are replaced with the nearest of those, which is not visible.

use std::cmp::Reverse;

use foldhash::{HashMap, HashMapExt};
use resvg::tiny_skia::Pixmap;

type Color = [u8; 4];

/// Encodes the pixels as a PNG.
pub(super) fn png(pixels: &Pixmap) -> Result<Vec<u8>, String> {
    let colors: Vec<Color> = pixels
        .pixels()
        .iter()
        .map(|pixel| {
            let pixel = pixel.demultiply();
            [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]
        })
        .collect();
    let (palette, indices) = reduce(&colors);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(
        palette
            .iter()
            .flat_map(|color| [color[0], color[1], color[2]])
            .collect::<Vec<u8>>(),
    );
    if palette.iter().any(|color| color[3] < u8::MAX) {
        encoder.set_trns(palette.iter().map(|color| color[3]).collect::<Vec<u8>>());
    }
    encoder.set_compression(png::Compression::Balanced);
    // Neighboring indices of a palette are not similar colors, so filters cannot predict them.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header().map_err(|error| error.to_string())?;
    writer
        .write_image_data(&indices)
        .map_err(|error| error.to_string())?;
    writer.finish().map_err(|error| error.to_string())?;
    Ok(file)
}

/// Colors with their lengths: most neighboring pixels are equal, so each run is looked up once.
fn runs(colors: &[Color]) -> impl Iterator<Item = (Color, usize)> {
    colors
        .chunk_by(|a, b| a == b)
        .map(|run| (run[0], run.len()))
}

/// A palette of at most 256 colors, the most frequent first, and the index in it for each pixel.
fn reduce(colors: &[Color]) -> (Vec<Color>, Vec<u8>) {
    let mut counts: HashMap<Color, usize> = HashMap::new();
    runs(colors).for_each(|(color, length)| *counts.entry(color).or_default() += length);
    let mut ranked: Vec<(Color, usize)> = counts.into_iter().collect();
    ranked.sort_unstable_by_key(|(color, count)| (Reverse(*count), *color));
    let palette: Vec<Color> = ranked.iter().take(256).map(|(color, _)| *color).collect();
    let numbers = ranked.iter().map(|(color, _)| {
        let nearest = (0..=u8::MAX)
            .zip(&palette)
            .min_by_key(|(_, known)| distance(*color, **known));
        (*color, nearest.map_or(0, |(number, _)| number))
    });
    let numbers: HashMap<Color, u8> = numbers.collect();
    let indices = runs(colors)
        .flat_map(|(color, length)| std::iter::repeat_n(numbers[&color], length))
        .collect();
    (palette, indices)
}

fn distance(a: Color, b: Color) -> u32 {
    a.into_iter()
        .zip(b)
        .map(|(a, b)| u32::from(a.abs_diff(b)).pow(2))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colors_are_unchanged() {
        let colors = [[1, 2, 3, 255], [9, 9, 9, 255], [1, 2, 3, 255], [0, 0, 0, 0]];
        let (palette, indices) = reduce(&colors);
        assert!(
            indices
                .iter()
                .zip(&colors)
                .all(|(index, color)| palette[usize::from(*index)] == *color)
        );
        assert_eq!(palette[0], [1, 2, 3, 255], "the most frequent comes first");
    }

    #[test]
    fn a_rare_color_is_replaced_with_the_nearest() {
        let mut colors: Vec<Color> = (0..=255)
            .flat_map(|gray| [[gray, gray, gray, 255]; 2])
            .collect();
        colors.push([100, 101, 100, 255]);
        let (palette, indices) = reduce(&colors);
        assert_eq!(palette.len(), 256);
        assert_eq!(palette[usize::from(indices[512])], [100, 100, 100, 255]);
    }
}
