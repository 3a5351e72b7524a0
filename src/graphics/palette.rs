//! Pixels as a PNG with a palette: drawings have few colours, so it takes a third of the bytes. What anti-aliasing adds
//! beyond the 256 most frequent colours goes to the nearest of them, which nobody sees.

use std::cmp::Reverse;
use std::collections::HashMap;

use resvg::tiny_skia::Pixmap;

type Colour = [u8; 4];

/// The finished file.
pub(super) fn png(pixels: &Pixmap) -> Result<Vec<u8>, String> {
    let colours: Vec<Colour> = pixels
        .pixels()
        .iter()
        .map(|pixel| {
            let pixel = pixel.demultiply();
            [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]
        })
        .collect();
    let (palette, indices) = reduce(&colours);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.iter().flat_map(|colour| [colour[0], colour[1], colour[2]]).collect::<Vec<u8>>());
    if palette.iter().any(|colour| colour[3] < u8::MAX) {
        encoder.set_trns(palette.iter().map(|colour| colour[3]).collect::<Vec<u8>>());
    }
    encoder.set_compression(png::Compression::High);
    // Neighbouring numbers of a palette are not neighbouring colours, so there is nothing to predict.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header().map_err(|error| error.to_string())?;
    writer.write_image_data(&indices).map_err(|error| error.to_string())?;
    writer.finish().map_err(|error| error.to_string())?;
    Ok(file)
}

/// At most 256 colours, the most frequent first, and the number of one for each pixel.
fn reduce(colours: &[Colour]) -> (Vec<Colour>, Vec<u8>) {
    let mut counts: HashMap<Colour, usize> = HashMap::new();
    // Most neighbours are equal: a run of them is looked up once.
    let runs = || colours.chunk_by(|a, b| a == b).map(|run| (run[0], run.len()));
    runs().for_each(|(colour, length)| *counts.entry(colour).or_default() += length);
    let mut ranked: Vec<(Colour, usize)> = counts.into_iter().collect();
    ranked.sort_unstable_by_key(|(colour, count)| (Reverse(*count), *colour));
    let palette: Vec<Colour> = ranked.iter().take(256).map(|(colour, _)| *colour).collect();
    let number = |colour: Colour| {
        (0..=u8::MAX).zip(&palette).min_by_key(|(_, known)| distance(colour, **known)).map_or(0, |(number, _)| number)
    };
    let numbers: HashMap<Colour, u8> = ranked.iter().map(|(colour, _)| (*colour, number(*colour))).collect();
    let indices = runs().flat_map(|(colour, length)| std::iter::repeat_n(numbers[&colour], length)).collect();
    (palette, indices)
}

fn distance(a: Colour, b: Colour) -> u32 {
    a.into_iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_stay_as_they_are() {
        let colours = [[1, 2, 3, 255], [9, 9, 9, 255], [1, 2, 3, 255], [0, 0, 0, 0]];
        let (palette, indices) = reduce(&colours);
        assert!(indices.iter().zip(&colours).all(|(index, colour)| palette[usize::from(*index)] == *colour));
        assert_eq!(palette[0], [1, 2, 3, 255], "the most frequent comes first");
    }

    #[test]
    fn a_rare_colour_goes_to_the_nearest() {
        let mut colours: Vec<Colour> = (0..=255).flat_map(|grey| [[grey, grey, grey, 255]; 2]).collect();
        colours.push([100, 101, 100, 255]);
        let (palette, indices) = reduce(&colours);
        assert_eq!(palette.len(), 256);
        assert_eq!(palette[usize::from(indices[512])], [100, 100, 100, 255]);
    }
}
