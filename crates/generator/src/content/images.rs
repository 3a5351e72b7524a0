//! Reads pictures from `content/images/` and next to pages, posts and authors: dimensions, and the allowed parts of an
//! SVG.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::build_cache::SourceIndex;
use crate::files::{self, FileSet};
use crate::parallel;
use crate::svg;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};

/// Maximum size of a picture file, in bytes.
const IMAGE_LIMIT: u64 = 40 * 1024 * 1024;

/// All pictures by path (see [`load`]); `None` for one that cannot be used, which was reported.
#[derive(Debug, Clone, Default)]
pub struct Images(pub BTreeMap<String, Option<ImageFile>>);

/// One picture.
#[derive(Debug, Clone)]
pub struct ImageFile {
    /// The content of the file.
    pub bytes: Arc<Vec<u8>>,
    /// Width in CSS pixels, from the file.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Vector or raster.
    pub kind: ImageKind,
}

/// The format of a picture.
#[derive(Debug, Clone, Serialize)]
pub enum ImageKind {
    /// SVG: its `<svg …>…</svg>` element, if a page may contain it; otherwise it is only shown by an `<img>`.
    Vector(Option<String>),
    /// The SVG template of covers, see [`crate::model::brand`].
    Template(String),
    /// A raster format. Never published unchanged, only resized and encoded.
    Raster,
}

/// File extensions of pictures.
pub const ENDINGS: &[&str] = &["svg", "jpg", "jpeg", "png", "webp"];

/// Folders in `content/` that may contain pictures next to their files.
const BESIDE: &[&str] = &["pages", "blog", "authors"];

/// The template of covers.
const COVER: &str = "content/images/brand/cover.svg";

/// First part of the keys of pictures from a CMS.
pub(super) const SNAPSHOT: &str = "blog-snapshot";

/// Whether a picture comes from a CMS, from its key.
pub fn is_of_cms(key: &str) -> bool {
    key.split_once('/').is_some_and(|(folder, _)| folder == SNAPSHOT)
}

/// The path of a picture as problems print it, from its key.
pub fn shown(key: &str) -> String {
    match key.split_once('/') {
        Some((SNAPSHOT, _)) => key.to_owned(),
        Some((folder, _)) if BESIDE.contains(&folder) => format!("content/{key}"),
        _ => format!("content/images/{key}"),
    }
}

/// Whether a file has the extension of a picture.
pub(super) fn is_picture(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
}

/// Reads all pictures. The key is the path below `content/images/`; for pictures next to a page, a post or an author,
/// it is the path below `content/`, such as `pages/about/team.jpg`.
pub(super) fn load(root: &FileSet, sources: &SourceIndex) -> (Images, Problems) {
    let (content, shared) = (root.join("content"), root.join("content/images"));
    let (mut paths, mut problems) = root.list(&shared);
    for folder in BESIDE {
        // Problems in these folders are reported when the other files in them are read.
        let (beside, _) = sources.list(root, &format!("content/{folder}"), &is_picture);
        paths.extend(beside.into_iter().map(|(path, _)| path));
    }
    let name = |path: &Path| files::shown(if path.starts_with(&shared) { &shared } else { &content }, path);
    let read: Vec<(String, Result<ImageFile, Problem>)> =
        parallel::map(&paths, |path| (name(path), load_one(root, path)));
    let mut images = BTreeMap::new();
    for (name, image) in read {
        images.insert(name, image.map_err(|problem| problems.push(problem)).ok());
    }
    (Images(images), problems)
}

/// Reads one picture.
pub(super) fn load_one(root: &FileSet, path: &Path) -> Result<ImageFile, Problem> {
    let name = files::shown(root, path);
    let bad = |why: String| Problem::error(Code::BadImage, why).at(Place::file(name.clone()));
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if extension == "svg" {
        return vector(&*root.read_text(path)?);
    }
    let bytes = root.read_bytes(path, IMAGE_LIMIT)?;
    if matches!(extension, "jpg" | "jpeg" | "png" | "webp") {
        // Read from the header of the file: pictures are decoded only to resize them.
        let size = pictures::dimensions(&bytes);
        let (width, height) = size.map_err(|error| bad(format!("the picture could not be used ({error})")))?;
        return Ok(ImageFile { bytes: Arc::new(bytes), width, height, kind: ImageKind::Raster });
    }
    Err(bad("pictures are SVG, JPEG, PNG or WebP files, with a lower-case extension".into()))
}

/// A drawing, as it is published: written again from its allowed parts.
fn vector(source: &Source) -> Result<ImageFile, Problem> {
    let no_size = || {
        let message = "the SVG has neither `width` and `height` nor a `viewBox`";
        Problem::error(Code::BadImage, message).at(Place::file(source.path.clone()))
    };
    if source.path == COVER {
        // What it renders is checked. The template itself is never shown.
        let size = svg::size_of(&source.text).map_err(|error| refused(source, error.to_string(), error.span()))?;
        let (width, height) = size.ok_or_else(no_size)?;
        return Ok(ImageFile { bytes: Arc::default(), width, height, kind: ImageKind::Template(source.text.clone()) });
    }
    let drawing = checked(source)?;
    let (width, height) = drawing.size.ok_or_else(no_size)?;
    let is_brand = source.path.starts_with("content/images/brand/");
    if let Some(refusal) = drawing.apart.as_ref().or(drawing.costly.as_ref()).filter(|_| is_brand) {
        // Drawings of the brand are parts of pages and of sharing cards.
        let message = format!("a drawing of the brand contains {}, which is not allowed", refusal.part);
        return Err(refused(source, message, refusal.span.clone()));
    }
    let kind = ImageKind::Vector(drawing.apart.is_none().then(|| drawing.text.clone()));
    // A file ends as its author ended it.
    let end = if source.text.ends_with('\n') { "\n" } else { "" };
    Ok(ImageFile { bytes: Arc::new((drawing.text + end).into_bytes()), width, height, kind })
}

/// Checks a drawing; the problem is at the part that is not allowed.
pub(super) fn checked(source: &Source) -> Result<svg::Drawing, Problem> {
    svg::read(&source.text).map_err(|error| refused(source, error.to_string(), error.span()))
}

fn refused(source: &Source, message: String, span: std::ops::Range<usize>) -> Problem {
    let problem = Problem::error(Code::BadImage, message).at(source.place(Span::new(span.start, span.end)));
    problem.hint("remove it, or save the drawing as a plain SVG")
}
