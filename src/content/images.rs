//! Pictures below `content/images/`: which exist, how large they are, and whether they are safe to publish.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use crate::files;
use diagnostics::problem::{Code, Place, Problem, Problems};

/// Larger pictures are refused unread.
const IMAGE_LIMIT: u64 = 40 * 1024 * 1024;

/// All pictures by their path (see [`load`]); `None` for one that could not be used, which is a problem already.
#[derive(Debug, Clone, Default)]
pub struct Images(pub BTreeMap<String, Option<ImageFile>>);

/// One picture.
#[derive(Debug, Clone)]
pub struct ImageFile {
    /// Its bytes.
    pub bytes: Arc<Vec<u8>>,
    /// Width in CSS pixels, as the file says.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Drawn or photographed.
    pub kind: ImageKind,
}

/// What a picture is made of.
#[derive(Debug, Clone)]
pub enum ImageKind {
    /// Vector art: its `<svg …>…</svg>` element.
    Vector(String),
    /// Pixels; published resized, never as they are.
    Raster,
}

/// Endings of files that are pictures.
pub const ENDINGS: &[&str] = &["svg", "jpg", "jpeg", "png", "webp"];

/// Folders below `content/` whose files may have pictures beside them.
const BESIDE: &[&str] = &["pages", "blog", "authors"];

/// Where the keys of a CMS's pictures begin.
pub(super) const SNAPSHOT: &str = "blog-snapshot";

/// Where a picture lies, from its key, as problems print it.
pub fn shown(key: &str) -> String {
    match key.split_once('/') {
        Some((SNAPSHOT, _)) => key.to_owned(),
        Some((folder, _)) if BESIDE.contains(&folder) => format!("content/{key}"),
        _ => format!("content/images/{key}"),
    }
}

/// Whether a file is a picture by its name.
pub(super) fn is_picture(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
}

/// Reads all pictures: those below `content/images/` by their path there, and those beside a page, a post or an author by
/// their path below `content/`, such as `pages/about/team.jpg`.
pub(super) fn load(root: &Path) -> (Images, Problems) {
    let (content, shared) = (root.join("content"), root.join("content/images"));
    let (mut paths, mut problems) = files::list(root, &shared);
    for folder in BESIDE {
        // What cannot be read there is reported where the files beside the pictures are read.
        let (beside, _) = files::list(root, &content.join(folder));
        paths.extend(beside.into_iter().filter(|path| is_picture(path)));
    }
    let name = |path: &Path| files::shown(if path.starts_with(&shared) { &shared } else { &content }, path);
    let read: Vec<(String, Result<ImageFile, Problem>)> =
        paths.par_iter().map(|path| (name(path), load_one(root, path))).collect();
    let mut images = BTreeMap::new();
    for (name, image) in read {
        images.insert(name, image.map_err(|problem| problems.push(problem)).ok());
    }
    (Images(images), problems)
}

/// Reads one picture, whatever lists it.
pub(super) fn load_one(root: &Path, path: &Path) -> Result<ImageFile, Problem> {
    let name = files::shown(root, path);
    let bad = |why: String| Problem::error(Code::BadImage, why).at(Place::file(name.clone()));
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let bytes = files::read_bytes(root, path, IMAGE_LIMIT)?;
    if matches!(extension, "jpg" | "jpeg" | "png" | "webp") {
        // From the head of the file: a picture is unpacked only when it must be resized.
        let size = pictures::dimensions(&bytes);
        let (width, height) = size.map_err(|error| bad(format!("the picture could not be used ({error})")))?;
        return Ok(ImageFile { bytes: Arc::new(bytes), width, height, kind: ImageKind::Raster });
    }
    if extension != "svg" {
        return Err(bad("pictures are SVG, JPEG, PNG or WebP files, with an ending in lower case".into()));
    }
    let text = String::from_utf8(bytes).map_err(|_| bad("the SVG is not UTF-8".into()))?;
    let document =
        roxmltree::Document::parse(&text).map_err(|error| bad(format!("the SVG is not valid XML: {error}")))?;
    let element = document.root_element();
    if element.tag_name().name() != "svg" {
        return Err(bad("the file is not an SVG".into()));
    }
    if let Some(why) = document.descendants().find_map(unsafe_part) {
        return Err(bad(format!("the SVG holds {why}, which is refused")));
    }
    let (width, height) =
        size(element).ok_or_else(|| bad("the SVG has neither `width` and `height` nor a `viewBox`".into()))?;
    let svg = text[element.range()].to_owned();
    Ok(ImageFile { bytes: Arc::new(text.clone().into_bytes()), width, height, kind: ImageKind::Vector(svg) })
}

/// What a published SVG may not hold: it could act, leak, or clash with the page around it.
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
            Some(format!("the id `{value}`, which could stand twice on a page"))
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
