//! Reads pictures from `content/images/` and next to pages, posts and authors: dimensions, and the allowed parts of an
//! SVG.

mod raster;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use serde::Serialize;

use config::Config;
use config::source_index::SourceIndex;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};
use schema::types::{composed, joined};
use text::svg;
use workspace::files::{self, FileSet, Stamp};
use workspace::parallel;
use workspace::sources::{keep_value, kept_value};

use raster::KnownRaster;
pub use raster::Raster;

/// All pictures by path (see [`load`]) in normalization form C; `None` for one that cannot be used, which was reported.
#[derive(Debug, Clone, Default)]
pub struct Images {
    files: BTreeMap<String, Option<ImageFile>>,
    /// The file with what the next build has to know of photographs, so that it opens none.
    table: PathBuf,
    /// Its content.
    known: BTreeMap<String, KnownRaster>,
}

/// One picture.
#[derive(Debug, Clone)]
pub struct ImageFile {
    /// Its path as problems print it.
    pub path: Arc<str>,
    /// Width in CSS pixels, from the file.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Vector or raster.
    pub kind: ImageKind,
    /// The stamp of the file, if each later change is sure to give it another one.
    stamp: Option<Stamp>,
}

/// The format of a picture.
#[derive(Debug, Clone, Serialize)]
pub enum ImageKind {
    /// SVG.
    Vector {
        /// The file as it is published.
        #[serde(skip)]
        bytes: Arc<Vec<u8>>,
        /// Its `<svg …>…</svg>` element, if a page may contain it; otherwise it is only shown by an `<img>`.
        inline: Option<String>,
    },
    /// The SVG template of covers, see `site::model::brand`.
    Template(String),
    /// A raster format. Resized and encoded, or without its metadata if it moves.
    Raster(#[serde(skip)] Arc<Raster>),
}

/// File extensions of pictures.
pub const ENDINGS: &[&str] = &["svg", "jpg", "jpeg", "png", "webp", "gif"];

/// Folders in `content/` that may contain pictures next to their files.
const BESIDE: &[&str] = &["pages", "blog"];

/// The template of covers.
const COVER: &str = "content/images/brand/cover.svg";

/// First part of the keys of pictures from a CMS.
pub(super) const SNAPSHOT: &str = "blog-snapshot";

/// Whether a picture comes from a CMS, from its key.
pub fn is_of_cms(key: &str) -> bool {
    key.split_once('/')
        .is_some_and(|(folder, _)| folder == SNAPSHOT)
}

/// The folders below `content/` whose pictures lie next to a file, the nearest first. `path` begins at the site's folder.
/// The post `blog/en/launch/index.md` has those of its folder and of `blog/en`.
pub fn folders_of(path: &str) -> Vec<&str> {
    let Some((folder, name)) = path
        .strip_prefix("content/")
        .and_then(|below| below.rsplit_once('/'))
    else {
        return Vec::new();
    };
    let above = folder.rsplit_once('/').map(|(above, _)| above);
    let is_own = name == "index.md" && above.is_some_and(|above| above.starts_with("blog/"));
    std::iter::once(folder)
        .chain(above.filter(|_| is_own))
        .collect()
}

/// The keys that a reference to a picture can mean, in the order in which they are looked for: the name of one in the
/// folders, which are below `content/`, or else a path below `content/images/`. A reference may be written as the name
/// of the file, or as an address: `./my%20photo.jpg`.
fn keys_of<'a>(folders: &'a [&'a str], written: &'a str) -> impl Iterator<Item = String> {
    let decoded = move || {
        let path = written.split(['?', '#']).next()?;
        percent_decode_str(path).decode_utf8().ok()
    };
    let names = std::iter::once(Cow::from(written)).chain(std::iter::once_with(decoded).flatten());
    names.flat_map(move |name| {
        let folders = folders.iter().copied().chain([""]);
        folders.filter_map(move |folder| Some(composed(&joined(folder, &name)?).into_owned()))
    })
}

/// The file of a picture that a file of the site references, by the rules of [`Images::find`]. It is for editors, which
/// name pictures that no build has read yet. `path` begins at the site's folder.
pub fn file_of(root: &FileSet, path: &str, written: &str) -> Option<PathBuf> {
    let content = root.join("content");
    let folders = folders_of(path);
    // No picture has an empty part in its key, and a path that begins with `/` would lead out of the site.
    let keys = keys_of(&folders, written).filter(|key| key.split('/').all(|part| !part.is_empty()));
    let mut files = keys.flat_map(|key| {
        let is_shared = key.starts_with("images/");
        let beside = (!is_shared).then(|| content.join(&key));
        beside.into_iter().chain([content.join("images").join(key)])
    });
    files.find_map(|file| {
        if is_picture(&file) {
            on_disk(root, file)
        } else {
            None
        }
    })
}

/// The file whose path has this form once it is composed.
fn on_disk(root: &FileSet, file: PathBuf) -> Option<PathBuf> {
    if root.exists(&file) {
        return Some(file);
    }
    let wanted = files::shown(root, &file);
    let all = if wanted.is_ascii() {
        Vec::new()
    } else {
        root.list(file.parent()?).0
    };
    all.into_iter()
        .find(|other| composed(files::shown(root, other)) == wanted)
}

/// Whether a file has the extension of a picture.
pub fn is_picture(path: &Path) -> bool {
    path.extension().is_some_and(|ending| {
        ENDINGS
            .iter()
            .any(|known| ending.eq_ignore_ascii_case(known))
    })
}

impl Images {
    /// A picture by its key.
    pub fn get(&self, key: &str) -> Option<&ImageFile> {
        self.files.get(key)?.as_ref()
    }

    /// The key of a picture that a file of the site references, of one that cannot be used too; `None` if there is none.
    /// `path` begins at the site's folder.
    pub fn find(&self, path: &str, written: &str) -> Option<String> {
        keys_of(&folders_of(path), written).find(|key| self.files.contains_key(key))
    }

    /// The keys of all pictures.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Keeps what the next build has to know of photographs. A failure is ignored: that build is only slower.
    pub fn save(&self) {
        let known = self.files.iter().filter_map(|(key, image)| match image {
            Some(ImageFile {
                kind: ImageKind::Raster(raster),
                stamp,
                ..
            }) => Some((key.clone(), raster.known(*stamp)?)),
            _ => None,
        });
        let known = known.collect();
        if self.known != known {
            let _ = keep_value(&self.table, crate::MADE_BY, &known);
        }
    }

    /// Adds pictures, with their files and stamps. Problems are passed to `failed`.
    pub(super) fn add(
        &mut self,
        root: &FileSet,
        pictures: &[(String, PathBuf, Option<Stamp>)],
        failed: &mut dyn FnMut(&str, Problem),
    ) {
        let read = parallel::map(
            pictures,
            |(key, file, stamp): &(String, PathBuf, Option<Stamp>)| {
                load_one(root, file, *stamp, self.known.get(key))
            },
        );
        for ((key, ..), image) in pictures.iter().zip(read) {
            let image = image.map_err(|problem| failed(key, problem)).ok();
            self.files.insert(key.clone(), image);
        }
    }

    /// Changes a drawing of a CMS: it is shown by an `<img>`, and is never a part of a page's own HTML.
    pub(super) fn set_apart(&mut self, key: &str) {
        if let Some(Some(ImageFile {
            kind: ImageKind::Vector { inline, .. },
            ..
        })) = self.files.get_mut(key)
        {
            *inline = None;
        }
    }
}

/// Reads all pictures. The key is the path below `content/images/`; for pictures next to a page, a post, an author or an
/// entry of a collection, it is the path below `content/`, such as `pages/about/team.jpg`.
pub(super) fn load(
    config: &Config,
    sources: &SourceIndex,
    collections: &[String],
) -> (Images, Problems) {
    let root = &config.paths.root;
    let (content, shared) = (root.join("content"), root.join("content/images"));
    let (mut files, mut problems) = sources.list(root, "content/images", &|_| true);
    for folder in BESIDE
        .iter()
        .copied()
        .chain(collections.iter().map(String::as_str))
    {
        // Problems in these folders are reported when the other files in them are read.
        files.extend(
            sources
                .list(root, &format!("content/{folder}"), &is_picture)
                .0,
        );
    }
    let key = |file: &Path| {
        let folder = if file.starts_with(&shared) {
            &shared
        } else {
            &content
        };
        composed(files::shown(folder, file)).into_owned()
    };
    let pictures: Vec<_> = files
        .into_iter()
        .map(|(file, stamp)| {
            // Without an index, a link leads to a file that has a stamp of its own.
            let stamp = stamp.map_or_else(
                || sources.settled_file(&file),
                |stamp| sources.settled(stamp),
            );
            (key(&file), file, stamp)
        })
        .collect();
    let table = config.paths.cache.join("photographs");
    let known = kept_value(&table, crate::MADE_BY).unwrap_or_default();
    let mut images = Images {
        files: BTreeMap::new(),
        table,
        known,
    };
    images.add(root, &pictures, &mut |_, problem| problems.push(problem));
    for image in images.files.values().flatten() {
        if matches!(&image.kind, ImageKind::Raster(raster) if raster.is_stilled()) {
            let limit = raster::MAX_ANIMATION / 1_000_000;
            let message = format!(
                "the image is animated and larger than {limit} MB, so pages show only its first frame"
            );
            let hint = "convert it to a video in `static/`, and write `<video src=\"/…\" controls loop muted playsinline></video>`";
            problems.push(
                Problem::warning(Code::BadImage, message)
                    .at(Place::file(image.path.to_string()))
                    .hint(hint),
            );
        }
    }
    (images, problems)
}

/// Reads one picture.
fn load_one(
    root: &FileSet,
    file: &Path,
    stamp: Option<Stamp>,
    known: Option<&KnownRaster>,
) -> Result<ImageFile, Problem> {
    // Cameras write `IMG_0001.JPG`.
    let extension = file
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_lowercase();
    let extension = extension.as_str();
    if extension == "svg" {
        return vector(&*root.read_text(file)?);
    }
    if !ENDINGS.contains(&extension) {
        // A file that cannot be read has no other problem.
        root.open_file(file, raster::LIMIT)?;
        let message = "the file is not an SVG, JPEG, PNG, WebP or GIF image";
        return Err(
            Problem::error(Code::BadImage, message).at(Place::file(files::shown(root, file)))
        );
    }
    let raster = Raster::open(root, file, stamp, known)?;
    let ((width, height), path) = (raster.size(), raster.shown().into());
    Ok(ImageFile {
        path,
        width,
        height,
        kind: ImageKind::Raster(Arc::new(raster)),
        stamp,
    })
}

/// A drawing, as it is published: written again from its allowed parts.
fn vector(source: &Source) -> Result<ImageFile, Problem> {
    let no_size = || {
        let message = "the SVG has neither `width` and `height` nor a `viewBox`";
        Problem::error(Code::BadImage, message).at(Place::file(source.path.clone()))
    };
    if source.path == COVER {
        // Its output is checked. The template itself is never shown.
        let size = svg::size_of(&source.text)
            .map_err(|error| refused(source, error.to_string(), error.span()))?;
        let (width, height) = size.ok_or_else(no_size)?;
        return Ok(drawn(
            source,
            width,
            height,
            ImageKind::Template(source.text.clone()),
        ));
    }
    let drawing = checked(source)?;
    let (width, height) = drawing.size.ok_or_else(no_size)?;
    let is_brand = source.path.starts_with("content/images/brand/");
    if let Some(refusal) = drawing
        .apart
        .as_ref()
        .or(drawing.costly.as_ref())
        .filter(|_| is_brand)
    {
        // Drawings of the brand are parts of pages and of sharing cards.
        let message = format!(
            "the drawing contains {}, which is not allowed in brand drawings",
            refusal.part
        );
        return Err(refused(source, message, refusal.span.clone()));
    }
    let inline = drawing.apart.is_none().then(|| drawing.text.clone());
    // A file ends as its author ended it.
    let end = if source.text.ends_with('\n') {
        "\n"
    } else {
        ""
    };
    let bytes = Arc::new((drawing.text + end).into_bytes());
    Ok(drawn(
        source,
        width,
        height,
        ImageKind::Vector { bytes, inline },
    ))
}

fn drawn(source: &Source, width: u32, height: u32, kind: ImageKind) -> ImageFile {
    ImageFile {
        path: source.path.as_str().into(),
        width,
        height,
        kind,
        stamp: None,
    }
}

/// Checks a drawing; the problem is at the part that is not allowed.
pub(super) fn checked(source: &Source) -> Result<svg::Drawing, Problem> {
    svg::read(&source.text).map_err(|error| refused(source, error.to_string(), error.span()))
}

fn refused(source: &Source, message: String, span: std::ops::Range<usize>) -> Problem {
    // Text that is not an SVG has no part that could be removed.
    let has_part = !span.is_empty();
    let problem =
        Problem::error(Code::BadImage, message).at(source.place(Span::new(span.start, span.end)));
    problem.hint(if has_part {
        "remove this part, or save the drawing as plain SVG"
    } else {
        "save the drawing as plain SVG"
    })
}
