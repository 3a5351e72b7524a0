//! Reads pictures from `content/images/` and next to pages, posts and authors: dimensions, and whether an SVG is safe
//! to publish.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::build_cache::SourceIndex;
use crate::files;
use crate::parallel;
use diagnostics::problem::{Code, Place, Problem, Problems};

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
    /// SVG: its `<svg …>…</svg>` element.
    Vector(String),
    /// A raster format. Never published unchanged, only resized and encoded.
    Raster,
}

/// File extensions of pictures.
pub const ENDINGS: &[&str] = &["svg", "jpg", "jpeg", "png", "webp"];

/// Folders in `content/` that may contain pictures next to their files.
const BESIDE: &[&str] = &["pages", "blog", "authors"];

/// First part of the keys of pictures from a CMS.
pub(super) const SNAPSHOT: &str = "blog-snapshot";

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
pub(super) fn load(root: &Path, sources: &SourceIndex) -> (Images, Problems) {
    let (content, shared) = (root.join("content"), root.join("content/images"));
    let (mut paths, mut problems) = files::list(root, &shared);
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
pub(super) fn load_one(root: &Path, path: &Path) -> Result<ImageFile, Problem> {
    let name = files::shown(root, path);
    let bad = |why: String| Problem::error(Code::BadImage, why).at(Place::file(name.clone()));
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let bytes = files::read_bytes(root, path, IMAGE_LIMIT)?;
    if matches!(extension, "jpg" | "jpeg" | "png" | "webp") {
        // Read from the header of the file: pictures are decoded only to resize them.
        let size = pictures::dimensions(&bytes);
        let (width, height) = size.map_err(|error| bad(format!("the picture could not be used ({error})")))?;
        return Ok(ImageFile { bytes: Arc::new(bytes), width, height, kind: ImageKind::Raster });
    }
    if extension != "svg" {
        return Err(bad("pictures are SVG, JPEG, PNG or WebP files, with a lower-case extension".into()));
    }
    let text = String::from_utf8(bytes).map_err(|_| bad("the SVG is not UTF-8".into()))?;
    let document =
        roxmltree::Document::parse(&text).map_err(|error| bad(format!("the SVG is not valid XML: {error}")))?;
    let element = document.root_element();
    if element.tag_name().name() != "svg" {
        return Err(bad("the file is not an SVG".into()));
    }
    if let Some(why) = document.descendants().find_map(unsafe_part) {
        return Err(bad(format!("the SVG contains {why}, which is not allowed")));
    }
    let (width, height) =
        size(element).ok_or_else(|| bad("the SVG has neither `width` and `height` nor a `viewBox`".into()))?;
    let svg = text[element.range()].to_owned();
    Ok(ImageFile { bytes: Arc::new(text.clone().into_bytes()), width, height, kind: ImageKind::Vector(svg) })
}

/// Describes what a published SVG must not contain: scripts, external references, and ids or styles that could conflict
/// with the page.
fn unsafe_part(node: roxmltree::Node) -> Option<String> {
    let name = node.tag_name().name();
    if matches!(name, "script" | "foreignObject" | "iframe" | "style") {
        return Some(format!("a `<{name}>`"));
    }
    node.attributes().find_map(|attribute| {
        let (name, value) = (attribute.name(), attribute.value());
        if name.starts_with("on") {
            Some(format!("the event handler `{name}`"))
        } else if name == "style" {
            Some("a `style` attribute".to_owned())
        } else if name == "id" {
            Some(format!("the id `{value}`, which may not be unique on a page"))
        } else if name == "href" || value.contains("url(") {
            Some(format!("the reference `{value}`"))
        } else {
            None
        }
    })
}

fn size(element: roxmltree::Node) -> Option<(u32, u32)> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a sensible size")]
    let whole = |value: f64| (value.is_finite() && (1.0..100_000.0).contains(&value)).then_some(value.round() as u32);
    let number = |name| {
        element.attribute(name).and_then(|value| value.trim_end_matches("px").parse::<f64>().ok()).and_then(whole)
    };
    if let (Some(width), Some(height)) = (number("width"), number("height")) {
        return Some((width, height));
    }
    let parts: Vec<f64> =
        element.attribute("viewBox")?.split([' ', ',']).filter_map(|part| part.parse().ok()).collect();
    match parts[..] {
        [_, _, width, height] => Some((whole(width)?, whole(height)?)),
        _ => None,
    }
}
