//! Converts an SVG to a PNG, or its letters to outlines, with the site's own web fonts.
//!
//! These are the fonts that the style sheets load, with the names that they have in CSS, so a drawing uses
//! `font-family` like a style sheet. Letters that they lack come from the Noto fonts among the site's packages. System
//! fonts are never used, so a site draws the same bytes on every machine.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, FaceInfo, Family, ID, Language, Query, Source, Weight};
use resvg::usvg::{Options, Tree, WriteOptions};

use crate::output::Body;
use crate::{WebFont, unpacked};

use super::palette;

/// Families of CSS that stand for any font of a kind.
const GENERIC: [&str; 6] = [
    "sans-serif",
    "serif",
    "monospace",
    "system-ui",
    "ui-sans-serif",
    "ui-serif",
];

/// The fonts, decompressed when the first drawing needs them. With a full cache no drawing does.
pub(super) struct Fonts {
    files: Vec<WebFont>,
    /// Fonts that are installed for the letters that the site's fonts lack.
    fallback: Vec<WebFont>,
    database: OnceLock<Arc<Database>>,
}

impl Fonts {
    pub(super) fn new(files: Vec<WebFont>, fallback: Vec<WebFont>) -> Fonts {
        Fonts {
            files,
            fallback,
            database: OnceLock::new(),
        }
    }

    /// The names of the files, which contain the hashes of their content.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.all().map(|font| font.file.path.as_str())
    }

    /// The `font-family` of the first font of the style sheets.
    pub(super) fn first(&self) -> Option<&str> {
        self.files.first().map(|font| font.family.as_str())
    }

    fn all(&self) -> impl Iterator<Item = &WebFont> {
        self.files.iter().chain(&self.fallback)
    }

    fn database(&self) -> &Arc<Database> {
        self.database
            .get_or_init(|| Arc::new(decompress(self.all())))
    }

    /// A `font-family` by which a drawing gets just this font in a weight: that of style sheets, or, for a font whose family
    /// has several files, such as one for Polish, the name of its file.
    pub(super) fn family(&self, font: ID, weight: u32) -> Option<String> {
        let database = self.database();
        let names = &database.face(font)?.families;
        let weight = Weight(u16::try_from(weight).unwrap_or(Weight::NORMAL.0));
        let mut names = names.iter().map(|(name, _)| name);
        let alone = names.find(|name| {
            database.query(&Query {
                families: &[Family::Name(name)],
                weight,
                ..Query::default()
            }) == Some(font)
        });
        alone.cloned()
    }

    /// A list of families, as in CSS, that has a font of the site: the list itself or, if it ends with a generic family such as
    /// `sans-serif`, the list behind the first font of the site. Otherwise text would silently not be drawn.
    ///
    /// # Errors
    /// Lists the fonts of the style sheets, if the site has no font, or `families` are others without a generic family.
    pub(super) fn families(&self, families: &str) -> Result<String, String> {
        let mut names = families
            .split(',')
            .map(|family| family.trim().trim_matches(['"', '\'']));
        let known: BTreeSet<&str> = self.files.iter().map(|font| font.family.as_str()).collect();
        if names.clone().any(|family| known.contains(family)) {
            return Ok(families.to_owned());
        }
        let is_open = names
            .next_back()
            .is_some_and(|family| GENERIC.contains(&family));
        if let Some(first) = self.first().filter(|_| is_open) {
            return Ok(format!("\"{first}\", {families}"));
        }
        let known = known.into_iter().collect::<Vec<_>>().join("`, `");
        Err(if known.is_empty() {
            format!("the style sheets load no font, but the drawing uses {families}")
        } else {
            format!("the style sheets do not load {families}; they load `{known}`")
        })
    }

    /// Parses an SVG and lays out its texts.
    pub(super) fn tree(&self, svg: &str) -> Result<Tree, String> {
        let options = Options {
            fontdb: Arc::clone(self.database()),
            ..Options::default()
        };
        Tree::from_str(svg, &options).map_err(|error| error.to_string())
    }

    /// The SVG with its texts as outlines, for machines without the fonts.
    pub(super) fn outlined(&self, svg: &str) -> Result<String, String> {
        let options = WriteOptions {
            coordinates_precision: 3,
            ..WriteOptions::default()
        };
        Ok(self.tree(svg)?.to_string(&options))
    }

    /// Draws an SVG in its own size.
    pub(super) fn png(&self, svg: &str) -> Result<Vec<u8>, String> {
        let tree = self.tree(svg)?;
        let size = tree.size().to_int_size();
        let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("it is too large")?;
        resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
        palette::png(&pixels)
    }
}

/// Decompresses the fonts. A damaged font is left out, as in browsers.
fn decompress<'a>(fonts: impl Iterator<Item = &'a WebFont>) -> Database {
    let mut database = Database::new();
    for font in fonts {
        let Body::Bytes(bytes) = &font.file.body else {
            continue;
        };
        let Some(decompressed) = unpacked(bytes) else {
            continue;
        };
        for id in database.load_font_source(Source::Binary(Arc::new(decompressed))) {
            // The name in the font file may differ from CSS: `Bricolage Grotesque 96pt ExtraBold`.
            if let Some(face) = database.face(id).cloned() {
                database.remove_face(id);
                let names = [&font.family, &font.file.path];
                let families = names
                    .map(|name| (name.clone(), Language::English_UnitedStates))
                    .to_vec();
                database.push_face_info(FaceInfo { families, ..face });
            }
        }
    }
    database
}
