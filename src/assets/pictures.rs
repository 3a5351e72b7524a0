//! Pictures for pages: photographs resized and written as AVIF, WebP and a fallback; vector art as it is.
//!
//! Encoding takes seconds, so every result is kept in the cache under the hash of the picture and of the settings below.
//! Metadata is not carried over: what a camera wrote (such as where it stood) is not published.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder as _};
use rayon::prelude::*;

use crate::cache;
use crate::config::Config;
use crate::content::images::{ImageKind, shown};
use crate::files;
use crate::model::UsedImage;
use crate::output::{Output, short_hash};
use crate::problem::{Code, Place, Problem, Problems};

use super::FOLDER;

/// What a page needs to show a picture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picture {
    /// The address for browsers that know nothing else.
    pub src: String,
    /// Width and height of `src` in pixels; none for vector art.
    pub size: Option<(u32, u32)>,
    /// Further forms, the smallest first: MIME type and `srcset`.
    pub sources: Vec<(&'static str, String)>,
    /// Class of the colour that stands in until the picture is there; none for vector art.
    pub tint: Option<String>,
}

/// Part of the cache's key: other settings, other files.
const SETTINGS: &str = "1: avif 58/7, webp 74, jpeg 78, lanczos3";
const AVIF_QUALITY: u8 = 58;
/// 1 is best and slowest, 10 worst and fastest.
const AVIF_SPEED: u8 = 7;
const WEBP_QUALITY: f32 = 74.0;
const JPEG_QUALITY: u8 = 78;
/// The width of the fallback: browsers that know neither AVIF nor WebP are old, and so are their screens.
const FALLBACK_WIDTH: u32 = 1200;

/// Prepares every picture that a page uses.
pub(super) fn prepare(
    config: &Config,
    used: &BTreeMap<String, UsedImage>,
) -> ((BTreeMap<String, Picture>, Vec<Output>), Problems) {
    let made: Vec<(&String, Made)> = used
        .par_iter()
        .map(|(name, image)| match &image.file.kind {
            ImageKind::Vector(_) => (name, Ok(vector(name, image))),
            ImageKind::Raster => (name, raster(config, name, image)),
        })
        .collect();
    let (mut pictures, mut outputs, mut problems) = (BTreeMap::new(), Vec::new(), Problems::new());
    for (name, result) in made {
        match result {
            Ok((picture, files)) => {
                pictures.insert(name.clone(), picture);
                outputs.extend(files);
            }
            Err(problem) => problems.push(problem),
        }
    }
    ((pictures, outputs), problems)
}

fn vector(name: &str, image: &UsedImage) -> (Picture, Vec<Output>) {
    let output = named(name, "", "svg", Arc::clone(&image.file.bytes));
    (Picture { src: format!("/{}", output.path), ..Picture::default() }, vec![output])
}

/// `photos/bridge.jpg` → `_assets/images/photos-bridge-768-<hash>.avif`.
fn named(name: &str, width: &str, extension: &str, bytes: Arc<Vec<u8>>) -> Output {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).replace('/', "-");
    let width = if width.is_empty() { String::new() } else { format!("-{width}") };
    Output::bytes(format!("{FOLDER}/images/{stem}{width}-{}.{extension}", short_hash(&bytes)), bytes)
}

/// A picture and the files that it is published as.
type Made = Result<(Picture, Vec<Output>), Problem>;

/// A form in which a photograph is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Avif,
    WebP,
    /// JPEG, or PNG where the picture has transparent parts.
    Fallback,
}

fn raster(config: &Config, name: &str, image: &UsedImage) -> Made {
    let cached = Cached::open(config, name, image);
    let widths = widths(image);
    let wanted: Vec<(Form, u32)> = [Form::Avif, Form::WebP]
        .into_iter()
        .flat_map(|form| widths.iter().map(move |width| (form, *width)))
        .chain([(Form::Fallback, fallback_width(&widths))])
        .collect();
    let (opaque, tint) = cached.facts()?;
    let mut files = Vec::new();
    let mut srcsets: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    let mut src = String::new();
    // Smaller ones first: they are quick, and a problem with the picture shows at once.
    let encoded: Vec<Result<Arc<Vec<u8>>, Problem>> =
        wanted.par_iter().map(|(form, width)| cached.get(*form, *width, opaque)).collect();
    for ((form, width), bytes) in wanted.into_iter().zip(encoded) {
        let output = named(name, &width.to_string(), form.extension(opaque), bytes?);
        let address = format!("/{}", output.path);
        match form {
            Form::Fallback => src = address,
            Form::Avif => srcsets.entry("image/avif").or_default().push(format!("{address} {width}w")),
            Form::WebP => srcsets.entry("image/webp").or_default().push(format!("{address} {width}w")),
        }
        files.push(output);
    }
    let width = fallback_width(&widths);
    let size = Some((width, height_at(width, image.file.width, image.file.height)));
    let sources = srcsets.into_iter().map(|(mime, parts)| (mime, parts.join(", "))).collect();
    Ok((Picture { src, size, sources, tint: Some(tint) }, files))
}

/// The widths asked for, none wider than the picture itself; the picture's own when all are.
fn widths(image: &UsedImage) -> BTreeSet<u32> {
    let natural = image.file.width;
    let fitting: BTreeSet<u32> = image.widths.iter().copied().filter(|width| *width < natural).collect();
    let capped = image.widths.iter().any(|width| *width >= natural).then_some(natural);
    fitting.into_iter().chain(capped).collect()
}

/// The height of a picture when it is resized to a width.
fn height_at(width: u32, natural_width: u32, natural_height: u32) -> u32 {
    let height = u64::from(natural_height) * u64::from(width) / u64::from(natural_width.max(1));
    u32::try_from(height.max(1)).unwrap_or(u32::MAX)
}

fn fallback_width(widths: &BTreeSet<u32>) -> u32 {
    widths
        .iter()
        .copied()
        .filter(|width| *width <= FALLBACK_WIDTH)
        .max()
        .or(widths.first().copied())
        .unwrap_or(FALLBACK_WIDTH)
}

impl Form {
    fn extension(self, opaque: bool) -> &'static str {
        match self {
            Form::Avif => "avif",
            Form::WebP => "webp",
            Form::Fallback if opaque => "jpg",
            Form::Fallback => "png",
        }
    }
}

/// The cache's folder of one picture.
struct Cached<'a> {
    folder: PathBuf,
    image: &'a UsedImage,
    place: Place,
    /// Unpacked at most once, and only when something is missing.
    pixels: std::sync::OnceLock<Result<DynamicImage, String>>,
}

impl<'a> Cached<'a> {
    fn open(config: &Config, name: &str, image: &'a UsedImage) -> Cached<'a> {
        let mut key = image.file.bytes.to_vec();
        key.extend(SETTINGS.bytes());
        let hash = blake3::hash(&key).to_hex();
        let place = Place::file(shown(name));
        Cached {
            folder: config.cache.join("pictures").join(&hash[..32]),
            image,
            place,
            pixels: std::sync::OnceLock::new(),
        }
    }

    /// Whether the picture is opaque, and its tint as a class name.
    fn facts(&self) -> Result<(bool, String), Problem> {
        let file = self.folder.join("facts");
        if let Ok(text) = std::fs::read_to_string(&file)
            && let Some((opaque, tint)) = text.split_once(' ')
            && tint.len() == 11
        {
            return Ok((opaque == "opaque", tint.to_owned()));
        }
        let pixels = self.pixels()?;
        let opaque = !pixels.color().has_alpha() || pixels.to_rgba8().pixels().all(|pixel| pixel.0[3] == 255);
        let average = pixels.resize_exact(1, 1, FilterType::Triangle).to_rgb8();
        let [red, green, blue] = average.get_pixel(0, 0).0;
        let tint = format!("tint-{red:02x}{green:02x}{blue:02x}");
        Self::keep(&file, format!("{} {tint}", if opaque { "opaque" } else { "clear" }).as_bytes())?;
        Ok((opaque, tint))
    }

    /// The encoded bytes, from the cache or made now.
    fn get(&self, form: Form, width: u32, opaque: bool) -> Result<Arc<Vec<u8>>, Problem> {
        let file = self.folder.join(format!("{width}.{}", form.extension(opaque)));
        if let Ok(bytes) = std::fs::read(&file)
            && !bytes.is_empty()
        {
            return Ok(Arc::new(bytes));
        }
        let pixels = self.pixels()?;
        let height = height_at(width, pixels.width(), pixels.height());
        let resized = if width == pixels.width() {
            pixels.clone()
        } else {
            pixels.resize_exact(width, height, FilterType::Lanczos3)
        };
        let bytes = encode(&resized, form, opaque).map_err(|error| self.bad(&error))?;
        Self::keep(&file, &bytes)?;
        Ok(Arc::new(bytes))
    }

    fn pixels(&self) -> Result<&DynamicImage, Problem> {
        self.pixels.get_or_init(|| unpack(&self.image.file.bytes)).as_ref().map_err(|error| self.bad(error))
    }

    fn bad(&self, error: &str) -> Problem {
        Problem::error(Code::BadImage, format!("the picture could not be used ({error})")).at(self.place.clone())
    }

    fn keep(file: &Path, bytes: &[u8]) -> Result<(), Problem> {
        cache::keep(file, bytes).map_err(|error| {
            let message = format!("the picture cache could not be written ({})", files::reason(&error));
            Problem::error(Code::OutFailed, message)
        })
    }
}

fn unpack(bytes: &[u8]) -> Result<DynamicImage, String> {
    // Decoders fill what a cut-off JPEG lacks with grey; its end mark tells.
    if bytes.starts_with(&[0xff, 0xd8]) && !bytes.windows(2).rev().take(4096).any(|pair| pair == [0xff, 0xd9]) {
        return Err("it is cut off".into());
    }
    let words = |error: image::ImageError| error.to_string();
    let reader = image::ImageReader::new(std::io::Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| error.to_string())?;
    let mut decoder = reader.into_decoder().map_err(words)?;
    let orientation = decoder.orientation().unwrap_or(image::metadata::Orientation::NoTransforms);
    let mut pixels = DynamicImage::from_decoder(decoder).map_err(words)?;
    pixels.apply_orientation(orientation);
    Ok(pixels)
}

fn encode(pixels: &DynamicImage, form: Form, opaque: bool) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let flat =
        if opaque { DynamicImage::ImageRgb8(pixels.to_rgb8()) } else { DynamicImage::ImageRgba8(pixels.to_rgba8()) };
    let done = match form {
        // One thread: more would cut the picture into tiles, and the bytes would depend on the machine.
        Form::Avif => flat.write_with_encoder(
            image::codecs::avif::AvifEncoder::new_with_speed_quality(&mut bytes, AVIF_SPEED, AVIF_QUALITY)
                .with_num_threads(Some(1)),
        ),
        Form::WebP => {
            let (width, height) = (flat.width(), flat.height());
            let encoder = match &flat {
                DynamicImage::ImageRgba8(_) => webp::Encoder::from_rgba(flat.as_bytes(), width, height),
                _ => webp::Encoder::from_rgb(flat.as_bytes(), width, height),
            };
            return Ok(encoder.encode(WEBP_QUALITY).to_vec());
        }
        Form::Fallback if opaque => {
            flat.write_with_encoder(image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY))
        }
        Form::Fallback => flat.write_with_encoder(image::codecs::png::PngEncoder::new(&mut bytes)),
    };
    done.map(|()| bytes).map_err(|error| error.to_string())
}
