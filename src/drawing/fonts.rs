//! The site's own web fonts, unpacked for drawing, and the way from an SVG to a PNG.
//!
//! Nothing of the machine's own fonts is used, so that the same site draws the same bytes everywhere.

use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

use crate::output::{Body, Output};

/// The fonts, unpacked when the first drawing needs them: with a full cache none does.
pub(super) struct Fonts {
    files: Vec<Output>,
    database: OnceLock<Arc<Database>>,
}

impl Fonts {
    pub(super) fn new(files: Vec<Output>) -> Fonts {
        Fonts { files, database: OnceLock::new() }
    }

    /// The names of the files: each holds the hash of its content.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.path.as_str())
    }

    /// Reads an SVG as it will be drawn, texts laid out.
    pub(super) fn tree(&self, svg: &str) -> Result<Tree, String> {
        let database = self.database.get_or_init(|| Arc::new(unpack(&self.files)));
        let options = Options { fontdb: Arc::clone(database), ..Options::default() };
        Tree::from_str(svg, &options).map_err(|error| error.to_string())
    }

    /// Draws an SVG in its own size.
    pub(super) fn png(&self, svg: &str) -> Result<Vec<u8>, String> {
        let tree = self.tree(svg)?;
        let size = tree.size().to_int_size();
        let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("it is too large")?;
        resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
        encode(&pixels)
    }
}

/// A font that cannot be unpacked is left out: browsers will pass it over, too.
fn unpack(files: &[Output]) -> Database {
    let mut database = Database::new();
    for file in files {
        let Body::Bytes(bytes) = &file.body else { continue };
        let unpacked = wuff::decompress_woff2_with_custom_brotli(bytes, &mut |packed, size| {
            let mut plain = Vec::with_capacity(size);
            brotli::BrotliDecompress(&mut &packed[..], &mut plain)?;
            Ok(plain)
        });
        if let Ok(font) = unpacked {
            database.load_font_data(font);
        }
    }
    database
}

/// Cards have few colours: as a palette they take a third of the bytes, and what anti-aliasing adds beyond 256 colours
/// goes to the nearest of them, which nobody sees.
fn encode(pixels: &Pixmap) -> Result<Vec<u8>, String> {
    let rgba: Vec<u8> = pixels
        .pixels()
        .iter()
        .flat_map(|pixel| {
            let pixel = pixel.demultiply();
            [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]
        })
        .collect();
    let picture = image::RgbaImage::from_raw(pixels.width(), pixels.height(), rgba).ok_or("it has no pixels")?;
    let opaque = picture.pixels().all(|pixel| pixel.0[3] == 255);
    let picture = image::DynamicImage::ImageRgba8(picture);
    let picture = if opaque { image::DynamicImage::ImageRgb8(picture.to_rgb8()) } else { picture };
    let mut png = Vec::new();
    let encoder = image::codecs::png::PngEncoder::new_with_quality(
        &mut png,
        image::codecs::png::CompressionType::Best,
        image::codecs::png::FilterType::Adaptive,
    );
    picture.write_with_encoder(encoder).map_err(|error| error.to_string())?;
    Ok(png)
}
