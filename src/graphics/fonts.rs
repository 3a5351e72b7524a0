//! The site's own web fonts, unpacked for drawing, and the way from an SVG to a PNG or to outlines.
//!
//! They are the fonts that the style sheets load, under the names that CSS gives them, so a drawing says `font-family`
//! as a style sheet does. Fonts of the machine are never used, so a site draws the same bytes everywhere.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, FaceInfo, ID, Language, Source};
use resvg::usvg::{Options, Tree, WriteOptions};

use crate::assets::WebFont;
use crate::output::Body;

use super::palette;

/// The fonts, unpacked when the first drawing needs them: with a full cache none does.
pub(super) struct Fonts {
    files: Vec<WebFont>,
    database: OnceLock<Arc<Database>>,
}

impl Fonts {
    pub(super) fn new(files: Vec<WebFont>) -> Fonts {
        Fonts { files, database: OnceLock::new() }
    }

    /// The names of the files: each holds the hash of its content.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|font| font.file.path.as_str())
    }

    fn database(&self) -> &Arc<Database> {
        self.database.get_or_init(|| Arc::new(unpack(&self.files)))
    }

    /// The family by which style sheets call a font.
    pub(super) fn family(&self, font: ID) -> Option<String> {
        self.database().face(font)?.families.first().map(|(name, _)| name.clone())
    }

    /// Text in a font that is not there would silently not be drawn, so a list of families, as CSS writes it, must hold
    /// one of the site's.
    pub(super) fn check(&self, families: &str) -> Result<(), String> {
        let own: BTreeSet<&str> = self.files.iter().map(|font| font.family.as_str()).collect();
        if families.split(',').any(|family| own.contains(family.trim().trim_matches(['"', '\'']))) {
            return Ok(());
        }
        let own = own.into_iter().collect::<Vec<_>>().join("`, `");
        Err(if own.is_empty() {
            format!("the style sheets load no font, and the drawing wants {families}")
        } else {
            format!("the style sheets load no font of {families}; they load `{own}`")
        })
    }

    /// Reads an SVG as it will be drawn, texts laid out.
    pub(super) fn tree(&self, svg: &str) -> Result<Tree, String> {
        let options = Options { fontdb: Arc::clone(self.database()), ..Options::default() };
        Tree::from_str(svg, &options).map_err(|error| error.to_string())
    }

    /// The SVG with its texts as outlines, for whoever has not the fonts.
    pub(super) fn outlined(&self, svg: &str) -> Result<String, String> {
        let options = WriteOptions { coordinates_precision: 3, ..WriteOptions::default() };
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

/// A font that cannot be unpacked is left out: browsers will pass it over, too.
fn unpack(fonts: &[WebFont]) -> Database {
    let mut database = Database::new();
    for font in fonts {
        let Body::Bytes(bytes) = &font.file.body else { continue };
        let unpacked = wuff::decompress_woff2_with_custom_brotli(bytes, &mut |packed, size| {
            let mut plain = Vec::with_capacity(size);
            brotli::BrotliDecompress(&mut &packed[..], &mut plain)?;
            Ok(plain)
        });
        let Ok(unpacked) = unpacked else { continue };
        for id in database.load_font_source(Source::Binary(Arc::new(unpacked))) {
            // A font file may call itself otherwise: `Bricolage Grotesque 96pt ExtraBold`.
            if let Some(face) = database.face(id).cloned() {
                database.remove_face(id);
                let families = vec![(font.family.clone(), Language::English_UnitedStates)];
                database.push_face_info(FaceInfo { families, ..face });
            }
        }
    }
    database
}
