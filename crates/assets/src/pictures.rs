//! Pictures for pages: vector art is published as it is, and so are the frames of what moves; photographs get their file names here, and are resized and
//! encoded when their bytes are needed.
//!
//! The widths of photographs are set by `picture_widths` in the schemas of sections and collections,
//! and by `WIDTHS` in `model/blog.rs`.
//!
//! The name of a file contains the hash of its inputs (picture, encoder settings, format, width). So pages are rendered
//! before anything is encoded, and a file that is already published is not encoded again. Encoded files are cached
//! under the same hash.
//!
//! A photograph that a page uses is decoded once, for its color and opacity, so `check` finds damaged files. A photograph whose
//! header declares an absurd size is never decoded. Metadata, such as the location of the camera, is not published.
//! Bytes are read to decode them, and must have the hash that the names were made of.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use pictures::{Animation, Pixels, height_at};

use serde::Serialize;
use unicode_normalization::char::is_combining_mark;

use crate::output::{Output, short_hash};
use config::Config;
use content::images::{ImageKind, Raster, is_of_cms};
use diagnostics::problem::{Code, Place, Problem, Problems};
use site::model::UsedImage;
use workspace::cache::{Kind, Store};
use workspace::parallel;

use super::FOLDER;
use super::encoder::{Encoder, SharpFormat};

/// A picture as pages refer to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// The address of the fallback, for browsers that support neither AVIF nor WebP.
    pub src: String,
    /// Width and height of `src` in pixels; `None` for vector art.
    pub size: Option<(u32, u32)>,
    /// Other formats, in the order of preference: MIME type and `srcset`.
    pub sources: Vec<(&'static str, String)>,
    /// CSS class of the background color that is visible until the picture has loaded; `None` for vector art.
    pub tint: Option<String>,
}

/// All pictures of a site.
#[derive(Debug, Default)]
pub(super) struct PictureSet {
    /// By path below `content/images/`.
    pub pictures: BTreeMap<String, Picture>,
    /// Vector art, ready to publish.
    pub vectors: Vec<Output>,
    /// The encoded files of photographs, see [`super::Manifest::photographs`].
    pub photographs: Vec<Arc<PictureFile>>,
}

/// An encoded file of a photograph. Its name is known from the start; its bytes are encoded on demand.
#[derive(Debug)]
pub struct PictureFile {
    /// Its path below `dist/`.
    pub path: String,
    photograph: Arc<Photograph>,
    format: PictureFormat,
    width: u32,
    /// The name of its entry in the cache.
    entry: String,
    /// Its bytes, if the cache could not be written.
    uncached: OnceLock<Arc<Vec<u8>>>,
}

/// A photograph of the site.
#[derive(Debug)]
struct Photograph {
    /// See [`content::images::Images`].
    name: String,
    file: Arc<Raster>,
    /// The settings in the hash of its names.
    settings: String,
    /// The folder of its entries in the cache.
    folder: String,
    cache: Store,
    encoder: Arc<Encoder>,
    /// Held while it is decoded and resized, so that two threads do not do the same.
    decoding: Mutex<()>,
    decoded: Arc<DecodedCache>,
}

/// The photographs that were decoded and resized last. The files of a photograph are encoded one after the other, each
/// width in two formats. There are about as many entries as threads, because each takes up to 240 MB.
#[derive(Debug, Default)]
struct DecodedCache {
    /// By the name of the photograph.
    whole: Recent<String>,
    /// By name and width.
    resized: Recent<(String, u32)>,
}

#[derive(Debug, Default)]
struct Recent<K>(Mutex<VecDeque<(K, Arc<Pixels>)>>);

/// A format in which a photograph is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PictureFormat {
    /// AVIF: the smallest files, and the slowest to encode.
    Avif,
    /// Lossy WebP.
    WebP,
    /// JPEG, or PNG for a picture with transparency. Quick to encode.
    Fallback,
    /// All frames of a picture that moves, as they are.
    Animation(Animation),
}

impl PictureFormat {
    /// The file extension without a dot.
    fn extension(self, is_opaque: bool) -> &'static str {
        match self {
            PictureFormat::Avif => "avif",
            PictureFormat::WebP => "webp",
            PictureFormat::Fallback if is_opaque => "jpg",
            PictureFormat::Fallback => "png",
            PictureFormat::Animation(animation) => animation.extension(),
        }
    }
}

/// The maximum width of the fallback, in pixels. Browsers that support neither AVIF nor WebP run on old, small screens.
const FALLBACK_WIDTH: u32 = 1200;

/// Computes the file names of every picture that a page uses. A photograph without a cache entry is decoded; a damaged
/// one is a problem.
pub(super) fn prepare(
    config: &Config,
    used: &BTreeMap<String, UsedImage>,
) -> (PictureSet, Problems) {
    let decoded = Arc::new(DecodedCache::default());
    let has_photographs = used
        .values()
        .any(|image| matches!(image.file.kind, ImageKind::Raster(_)));
    let encoder = match has_photographs.then(|| Encoder::new(config)).transpose() {
        Ok(encoder) => encoder.map(Arc::new),
        // Vector art is checked again once sharp is installed.
        Err(problem) => return (PictureSet::default(), problem.into()),
    };
    let used: Vec<_> = used.iter().collect();
    let results: Vec<(PictureSet, Problems)> =
        parallel::map(&used, |(name, image)| match (&image.file.kind, &encoder) {
            (ImageKind::Raster(file), Some(encoder)) => {
                match raster(config, name, image, file, encoder, &decoded) {
                    Ok(set) => (set, Problems::new()),
                    // Who uploads a damaged file to the CMS must not stop a build.
                    Err(problem) if is_of_cms(name) => {
                        (blank(config, name, image), problem.as_warning().into())
                    }
                    Err(problem) => (PictureSet::default(), problem.into()),
                }
            }
            (ImageKind::Vector { bytes, .. }, _) => {
                (drawing(config, name, Arc::clone(bytes)), Problems::new())
            }
            // The template of covers is never shown itself.
            _ => (drawing(config, name, Arc::default()), Problems::new()),
        });
    let (mut prepared, mut problems) = (PictureSet::default(), Problems::new());
    for result in results {
        let one = problems.take(result);
        prepared.pictures.extend(one.pictures);
        prepared.vectors.extend(one.vectors);
        prepared.photographs.extend(one.photographs);
    }
    prepared.photographs.sort_by_cached_key(|file| {
        (
            (
                Reverse(file.photograph.file.length()),
                file.photograph.name.clone(),
            ),
            Reverse(file.width),
            file.format,
        )
    });
    (prepared, problems)
}

/// An empty drawing of the same size, in place of a picture that cannot be shown.
fn blank(config: &Config, name: &str, image: &UsedImage) -> PictureSet {
    let (width, height) = (image.file.width, image.file.height);
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\"><path fill=\"#ddd\" d=\"M0 0h{width}v{height}H0z\"/></svg>"
    );
    drawing(config, name, Arc::new(svg.into_bytes()))
}

fn drawing(config: &Config, name: &str, bytes: Arc<Vec<u8>>) -> PictureSet {
    let output = Output::bytes(path(name, "", "svg", &short_hash(&bytes)), bytes);
    let picture = Picture {
        src: config.site.href(&format!("/{}", output.path)),
        ..Picture::default()
    };
    let pictures = BTreeMap::from([(name.to_owned(), picture)]);
    PictureSet {
        pictures,
        vectors: vec![output],
        photographs: Vec::new(),
    }
}

/// Maximum length of the part of a name that says which picture it is, in bytes. The end says more than the beginning.
const MAX_STEM: usize = 160;

/// `photos/bridge.jpg` → `_assets/images/photos-bridge-768-<hash>.avif`.
fn path(name: &str, width: &str, extension: &str, hash: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    // A blank ends an address in `srcset`, `#` and `?` end a path, and systems limit the length of names. The hash tells
    // two names apart.
    let stem: String = stem
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '-' | '_' | '.') {
                c
            } else {
                '-'
            }
        })
        .collect();
    let stem = &stem[stem.ceil_char_boundary(stem.len().saturating_sub(MAX_STEM))..];
    let width = if width.is_empty() {
        String::new()
    } else {
        format!("-{width}")
    };
    format!("{FOLDER}/images/{stem}{width}-{hash}.{extension}")
}

fn raster(
    config: &Config,
    name: &str,
    image: &UsedImage,
    file: &Arc<Raster>,
    encoder: &Arc<Encoder>,
    decoded: &Arc<DecodedCache>,
) -> Result<PictureSet, Problem> {
    let settings = format!("{}, {}\n", pictures::SETTINGS, encoder.settings);
    let hash = blake3::Hash::from_bytes(file.hash(&settings)?).to_hex();
    let photograph = Arc::new(Photograph {
        name: name.to_owned(),
        file: Arc::clone(file),
        settings,
        folder: hash[..32].to_owned(),
        cache: config.cache.clone(),
        encoder: Arc::clone(encoder),
        decoding: Mutex::default(),
        decoded: Arc::clone(decoded),
    });
    let (is_opaque, tint) = photograph.facts()?;
    let moving = file.animation();
    let widths = if moving.is_some() {
        BTreeSet::from([image.file.width])
    } else {
        widths(image)
    };
    let file = |format: PictureFormat, width: u32| {
        let extension = format.extension(is_opaque);
        // A still picture of the same width has another name.
        let variant = match format {
            PictureFormat::Animation(_) => "moving".to_owned(),
            _ => width.to_string(),
        };
        let name_hash = short_hash(format!("{hash} {variant} {extension}").as_bytes());
        Arc::new(PictureFile {
            path: path(name, &width.to_string(), extension, &name_hash),
            photograph: Arc::clone(&photograph),
            format,
            width,
            entry: photograph.entry(&format!("{variant}.{extension}")),
            uncached: OnceLock::new(),
        })
    };
    let mut photographs = Vec::new();
    let mut sources = Vec::new();
    let formats = [
        (PictureFormat::Avif, "image/avif"),
        (PictureFormat::WebP, "image/webp"),
    ];
    for (format, mime) in formats.into_iter().filter(|_| moving.is_none()) {
        let files: Vec<Arc<PictureFile>> =
            widths.iter().map(|width| file(format, *width)).collect();
        let base = config.site.base_path();
        let srcset: Vec<String> = files
            .iter()
            .map(|file| format!("{base}/{} {}w", file.path, file.width))
            .collect();
        sources.push((mime, srcset.join(", ")));
        photographs.extend(files);
    }
    let (width, format) = match moving {
        Some(animation) => (image.file.width, PictureFormat::Animation(animation)),
        None => (fallback_width(&widths), PictureFormat::Fallback),
    };
    let fallback = file(format, width);
    let picture = Picture {
        src: config.site.href(&format!("/{}", fallback.path)),
        size: Some((width, height_at(width, image.file.width, image.file.height))),
        sources,
        tint: Some(tint),
    };
    photographs.push(fallback);
    Ok(PictureSet {
        pictures: BTreeMap::from([(name.to_owned(), picture)]),
        vectors: Vec::new(),
        photographs,
    })
}

/// The requested widths, without those wider than the picture, which are replaced by the picture's own width.
fn widths(image: &UsedImage) -> BTreeSet<u32> {
    let natural = image.file.width;
    let fitting: BTreeSet<u32> = image
        .widths
        .iter()
        .copied()
        .filter(|width| *width < natural)
        .collect();
    let capped = image
        .widths
        .iter()
        .any(|width| *width >= natural)
        .then_some(natural);
    fitting.into_iter().chain(capped).collect()
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

impl PictureFile {
    /// The path of the photograph, as problems print it.
    pub fn source(&self) -> String {
        self.photograph.file.shown()
    }

    /// Whether the cache holds its bytes.
    pub fn is_encoded(&self) -> bool {
        self.photograph.cache.has(Kind::Pictures, &self.entry)
    }

    /// Whether it takes a fraction of the time of the other formats to encode.
    pub fn is_quick(&self) -> bool {
        matches!(
            self.format,
            PictureFormat::Fallback | PictureFormat::Animation(_)
        )
    }

    /// Its bytes: from the cache, or encoded now, which takes up to a few seconds on one thread. An error if the
    /// photograph is damaged.
    pub fn bytes(&self) -> Result<Arc<Vec<u8>>, Problem> {
        let cache = &self.photograph.cache;
        if let Some(bytes) = self
            .uncached
            .get()
            .cloned()
            .or_else(|| cache.get(Kind::Pictures, &self.entry).map(Arc::new))
        {
            return Ok(bytes);
        }
        let bytes = Arc::new(self.encode(self.format)?);
        if !cache.put(Kind::Pictures, &self.entry, &bytes) {
            // The preview asks for the bytes again.
            let _ = self.uncached.set(Arc::clone(&bytes));
        }
        Ok(bytes)
    }

    /// The same picture in the fallback format, which is quick to encode: file extension and bytes.
    pub fn fallback(&self) -> Result<(&'static str, Vec<u8>), Problem> {
        let pixels = self.photograph.resized(self.width)?;
        Ok((
            PictureFormat::Fallback.extension(pixels.is_opaque()),
            self.encode(PictureFormat::Fallback)?,
        ))
    }

    fn encode(&self, format: PictureFormat) -> Result<Vec<u8>, Problem> {
        if let PictureFormat::Animation(animation) = format {
            return Ok(
                animation.without_metadata(&self.photograph.file.bytes(&self.photograph.settings)?)
            );
        }
        let resized = self.photograph.resized(self.width)?;
        let format = match format {
            PictureFormat::Avif => SharpFormat::Avif,
            PictureFormat::WebP => SharpFormat::WebP,
            PictureFormat::Fallback | PictureFormat::Animation(_) => {
                return self.photograph.attempt(|| resized.fallback());
            }
        };
        self.photograph
            .encoder
            .encode(&resized, format, &self.photograph.place())
    }
}

impl Photograph {
    /// The name of an entry in the cache.
    fn entry(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }

    /// Whether the picture is opaque, and its tint as a CSS class: from the cache, or computed now.
    fn facts(&self) -> Result<(bool, String), Problem> {
        let entry = self.entry("facts");
        let cached = self
            .cache
            .get(Kind::Pictures, &entry)
            .and_then(|bytes| String::from_utf8(bytes).ok());
        if let Some((opaque, tint)) = cached.as_deref().and_then(|text| text.split_once(' ')) {
            return Ok((opaque == "opaque", tint.to_owned()));
        }
        let pixels = self.pixels(&self.turn())?;
        let [red, green, blue] = pixels.average();
        let tint = format!("tint-{red:02x}{green:02x}{blue:02x}");
        let opaque = if pixels.is_opaque() {
            "opaque"
        } else {
            "clear"
        };
        self.cache.put(
            Kind::Pictures,
            &entry,
            format!("{opaque} {tint}").as_bytes(),
        );
        Ok((pixels.is_opaque(), tint))
    }

    /// The turn of this thread to decode and resize.
    fn turn(&self) -> MutexGuard<'_, ()> {
        self.decoding.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pixels(&self, _turn: &MutexGuard<()>) -> Result<Arc<Pixels>, Problem> {
        self.decoded.whole.get_or(self.name.clone(), || {
            let bytes = self.file.bytes(&self.settings)?;
            self.attempt(|| pictures::decode(&bytes).map(Arc::new))
        })
    }

    fn resized(&self, width: u32) -> Result<Arc<Pixels>, Problem> {
        let turn = self.turn();
        self.decoded.resized.get_or((self.name.clone(), width), || {
            let whole = self.pixels(&turn)?;
            self.attempt(|| match whole.resized(width)? {
                Cow::Borrowed(_) => Ok(Arc::clone(&whole)),
                Cow::Owned(resized) => Ok(Arc::new(resized)),
            })
        })
    }

    /// Turns a panic of the decoder or encoder into a problem with this picture, so that the build goes on.
    fn attempt<T>(&self, work: impl FnOnce() -> Result<T, pictures::Error>) -> Result<T, Problem> {
        let result = std::panic::catch_unwind(AssertUnwindSafe(work));
        let why = match result {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "an internal error occurred; see the message above".to_owned(),
        };
        Err(Problem::error(
            Code::BadImage,
            format!("the image could not be used ({why})"),
        )
        .at(self.place()))
    }

    fn place(&self) -> Place {
        Place::file(self.file.shown())
    }
}

impl<K: PartialEq> Recent<K> {
    fn get_or(
        &self,
        key: K,
        make: impl FnOnce() -> Result<Arc<Pixels>, Problem>,
    ) -> Result<Arc<Pixels>, Problem> {
        if let Some((_, pixels)) = self.list().iter().find(|(known, _)| *known == key) {
            return Ok(Arc::clone(pixels));
        }
        let pixels = make()?;
        let most = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) + 1;
        let mut list = self.list();
        list.push_back((key, Arc::clone(&pixels)));
        while list.len() > most {
            list.pop_front();
        }
        Ok(pixels)
    }

    fn list(&self) -> MutexGuard<'_, VecDeque<(K, Arc<Pixels>)>> {
        // Poisoned only if another thread panicked while inserting; the list is intact.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
