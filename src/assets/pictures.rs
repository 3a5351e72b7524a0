//! Pictures for pages: vector art as it is; photographs named here, and resized and encoded when their bytes are
//! needed.
//!
//! Which widths a photograph has: `picture_widths` in `content/sections.rs`, and `WIDTHS` in `model/blog.rs` and
//! `model/case_studies.rs`.
//!
//! The name of a file contains the hash of what it is made from (the picture, the encoder's settings, the form, the
//! width). So pages are rendered before anything is encoded, and a file that is published under its name already needs
//! neither cache nor encoder. Encoded files are cached under the same hash.
//!
//! Every photograph is unpacked once, to learn its color and whether it is opaque, so `check` finds a damaged one. One
//! of absurd size is refused by its header and never unpacked. Metadata, such as where a camera stood, is not
//! published.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pictures::{PictureFormat, Pixels, height_at};
use rayon::prelude::*;

use crate::cache;
use crate::config::Config;
use crate::content::images::{ImageKind, shown};
use crate::files;
use crate::model::UsedImage;
use crate::output::{Output, short_hash};
use diagnostics::problem::{Code, Place, Problem, Problems};

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
    /// Class of the color that stands in until the picture is there; none for vector art.
    pub tint: Option<String>,
}

/// All pictures of a site.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    /// By path below `content/images/`.
    pub pictures: BTreeMap<String, Picture>,
    /// Vector art, ready to publish.
    pub vectors: Vec<Output>,
    /// The files that photographs are published as, see [`super::Manifest::photographs`].
    pub photographs: Vec<Arc<PictureFile>>,
}

/// A file that a photograph is published as. Its name is known, its bytes are made when they are asked for.
#[derive(Debug)]
pub struct PictureFile {
    /// Its path below `dist/`.
    pub path: String,
    photograph: Arc<Photograph>,
    form: PictureFormat,
    width: u32,
    cached: PathBuf,
}

/// A photograph of the site.
#[derive(Debug)]
struct Photograph {
    /// See [`crate::content::images::Images`].
    name: String,
    bytes: Arc<Vec<u8>>,
    /// Held while it is unpacked, so that two threads do not do it at once.
    unpacking: Mutex<()>,
    unpacked: Arc<Unpacked>,
}

/// The photographs that were unpacked last: the files of one are made one after the other, and unpacking takes a tenth of
/// the time. As many as threads may work on, because each takes up to 240 MB.
#[derive(Debug, Default)]
struct Unpacked(Mutex<VecDeque<(String, Arc<Pixels>)>>);

/// The width of the fallback: browsers that know neither AVIF nor WebP are old, and so are their screens.
const FALLBACK_WIDTH: u32 = 1200;

/// Names every picture that a page uses. A photograph that no earlier build has seen is unpacked to learn its color, and a
/// damaged one is found.
pub(super) fn prepare(config: &Config, used: &BTreeMap<String, UsedImage>) -> (Prepared, Problems) {
    let unpacked = Arc::new(Unpacked::default());
    let made: Vec<(&String, Result<Prepared, Problem>)> = used
        .par_iter()
        .map(|(name, image)| match &image.file.kind {
            ImageKind::Vector(_) => (name, Ok(vector(name, image))),
            ImageKind::Raster => (name, raster(config, name, image, &unpacked)),
        })
        .collect();
    let (mut prepared, mut problems) = (Prepared::default(), Problems::new());
    for (_, result) in made {
        match result {
            Ok(one) => {
                prepared.pictures.extend(one.pictures);
                prepared.vectors.extend(one.vectors);
                prepared.photographs.extend(one.photographs);
            }
            Err(problem) => problems.push(problem),
        }
    }
    let weight = |file: &Arc<PictureFile>| (Reverse(file.photograph.bytes.len()), file.photograph.name.clone());
    prepared.photographs.sort_by_cached_key(|file| (weight(file), Reverse(file.width), file.form));
    (prepared, problems)
}

fn vector(name: &str, image: &UsedImage) -> Prepared {
    let bytes = Arc::clone(&image.file.bytes);
    let output = Output::bytes(path(name, "", "svg", &short_hash(&bytes)), bytes);
    let picture = Picture { src: format!("/{}", output.path), ..Picture::default() };
    Prepared { pictures: BTreeMap::from([(name.to_owned(), picture)]), vectors: vec![output], photographs: Vec::new() }
}

/// `photos/bridge.jpg` → `_assets/images/photos-bridge-768-<hash>.avif`.
fn path(name: &str, width: &str, extension: &str, hash: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).replace('/', "-");
    let width = if width.is_empty() { String::new() } else { format!("-{width}") };
    format!("{FOLDER}/images/{stem}{width}-{hash}.{extension}")
}

fn raster(config: &Config, name: &str, image: &UsedImage, unpacked: &Arc<Unpacked>) -> Result<Prepared, Problem> {
    let photograph = Arc::new(Photograph {
        name: name.to_owned(),
        bytes: Arc::clone(&image.file.bytes),
        unpacking: Mutex::default(),
        unpacked: Arc::clone(unpacked),
    });
    let hash =
        blake3::Hasher::new().update(pictures::SETTINGS.as_bytes()).update(&photograph.bytes).finalize().to_hex();
    let folder = config.cache.join("pictures").join(&hash[..32]);
    let (is_opaque, tint) = photograph.facts(&folder.join("facts"))?;
    let widths = widths(image);
    let file = |form: PictureFormat, width: u32| {
        let extension = form.extension(is_opaque);
        let name_hash = short_hash(format!("{hash} {width} {extension}").as_bytes());
        Arc::new(PictureFile {
            path: path(name, &width.to_string(), extension, &name_hash),
            photograph: Arc::clone(&photograph),
            form,
            width,
            cached: folder.join(format!("{width}.{extension}")),
        })
    };
    let mut photographs = Vec::new();
    let mut sources = Vec::new();
    for (form, mime) in [(PictureFormat::Avif, "image/avif"), (PictureFormat::WebP, "image/webp")] {
        let files: Vec<Arc<PictureFile>> = widths.iter().map(|width| file(form, *width)).collect();
        let srcset: Vec<String> = files.iter().map(|file| format!("/{} {}w", file.path, file.width)).collect();
        sources.push((mime, srcset.join(", ")));
        photographs.extend(files);
    }
    let width = fallback_width(&widths);
    let fallback = file(PictureFormat::Fallback, width);
    let picture = Picture {
        src: format!("/{}", fallback.path),
        size: Some((width, height_at(width, (image.file.width, image.file.height)))),
        sources,
        tint: Some(tint),
    };
    photographs.push(fallback);
    Ok(Prepared { pictures: BTreeMap::from([(name.to_owned(), picture)]), vectors: Vec::new(), photographs })
}

/// The widths asked for, none wider than the picture itself; the picture's own when all are.
fn widths(image: &UsedImage) -> BTreeSet<u32> {
    let natural = image.file.width;
    let fitting: BTreeSet<u32> = image.widths.iter().copied().filter(|width| *width < natural).collect();
    let capped = image.widths.iter().any(|width| *width >= natural).then_some(natural);
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
    /// Where the photograph lies, as problems print it.
    pub fn source(&self) -> String {
        shown(&self.photograph.name)
    }

    /// Whether it was encoded before.
    pub fn is_encoded(&self) -> bool {
        self.cached.metadata().is_ok_and(|meta| meta.is_file() && meta.len() > 0)
    }

    /// Whether it is quick to encode: a fraction of the time that the other forms take.
    pub fn is_quick(&self) -> bool {
        self.form == PictureFormat::Fallback
    }

    /// Its bytes: from the cache, or encoded now, which takes up to some seconds on one thread.
    pub fn bytes(&self) -> Result<Arc<Vec<u8>>, Problem> {
        if let Ok(bytes) = std::fs::read(&self.cached)
            && !bytes.is_empty()
        {
            return Ok(Arc::new(bytes));
        }
        let bytes = self.encode(self.form)?;
        cache::keep(&self.cached, &bytes).map_err(|error| {
            let message = format!("the picture cache could not be written ({})", files::reason(&error));
            Problem::error(Code::OutFailed, message).at(self.photograph.place())
        })?;
        Ok(Arc::new(bytes))
    }

    /// The same picture in the form that is quick to encode, and the ending of a file in that form.
    pub fn stand_in(&self) -> Result<(&'static str, Vec<u8>), Problem> {
        let pixels = self.photograph.pixels()?;
        Ok((PictureFormat::Fallback.extension(pixels.is_opaque()), self.encode(PictureFormat::Fallback)?))
    }

    fn encode(&self, form: PictureFormat) -> Result<Vec<u8>, Problem> {
        let pixels = self.photograph.pixels()?;
        self.photograph.attempt(|| pixels.encode(form, self.width))
    }
}

impl Photograph {
    /// Whether the picture is opaque, and its tint as a class name: from the cache's file, or found out now.
    fn facts(&self, file: &std::path::Path) -> Result<(bool, String), Problem> {
        if let Ok(text) = std::fs::read_to_string(file)
            && let Some((opaque, tint)) = text.split_once(' ')
            && tint.len() == 11
        {
            return Ok((opaque == "opaque", tint.to_owned()));
        }
        let pixels = self.pixels()?;
        let [red, green, blue] = pixels.average();
        let tint = format!("tint-{red:02x}{green:02x}{blue:02x}");
        let opaque = if pixels.is_opaque() { "opaque" } else { "clear" };
        cache::keep(file, format!("{opaque} {tint}").as_bytes()).map_err(|error| {
            let message = format!("the picture cache could not be written ({})", files::reason(&error));
            Problem::error(Code::OutFailed, message)
        })?;
        Ok((pixels.is_opaque(), tint))
    }

    fn pixels(&self) -> Result<Arc<Pixels>, Problem> {
        let _unpacking = self.unpacking.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pixels) = self.unpacked.get(&self.name) {
            return Ok(pixels);
        }
        let pixels = Arc::new(self.attempt(|| pictures::decode(&self.bytes))?);
        self.unpacked.put(&self.name, &pixels);
        Ok(pixels)
    }

    /// A panic over a strange picture is a problem with this picture, and no other has to suffer for it.
    fn attempt<T>(&self, work: impl FnOnce() -> Result<T, pictures::Error>) -> Result<T, Problem> {
        let done = std::panic::catch_unwind(AssertUnwindSafe(work));
        let why = match done {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "sitegen failed over it; the terminal says where".to_owned(),
        };
        Err(Problem::error(Code::BadImage, format!("the picture could not be used ({why})")).at(self.place()))
    }

    fn place(&self) -> Place {
        Place::file(shown(&self.name))
    }
}

impl Unpacked {
    fn get(&self, name: &str) -> Option<Arc<Pixels>> {
        self.list().iter().find(|(known, _)| known == name).map(|(_, pixels)| Arc::clone(pixels))
    }

    fn put(&self, name: &str, pixels: &Arc<Pixels>) {
        let most = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) + 1;
        let mut list = self.list();
        list.push_back((name.to_owned(), Arc::clone(pixels)));
        while list.len() > most {
            list.pop_front();
        }
    }

    fn list(&self) -> MutexGuard<'_, VecDeque<(String, Arc<Pixels>)>> {
        // Poisoned only when another thread panicked while inserting; the list is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
