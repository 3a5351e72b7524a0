//! The assets that pages load: style sheets, scripts, fonts, icons and pictures, with hashed names.
//!
//! Beside these, [`graphics`] draws sharing cards, icons and logos, [`islands`] prerenders React components, and [`output`] is
//! a file on its way to `dist/`. Rendering pages and publishing them are crates that use this one.

mod breakpoints;
mod bundle;
mod content_names;
mod encoder;
mod esbuild;
mod fallback_fonts;
mod font_letters;
pub mod graphics;
mod icons;
pub mod islands;
mod language_styles;
mod node;
mod npm_fonts;
pub mod output;
mod pagefind;
mod pictures;
mod styles;
mod typescript;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::output::{Output, compressed, short_hash};
use config::{Config, SiteSettings};
use content::Content;
use diagnostics::problem::Problems;
use site::model::UsedImage;
use workspace::files::SOURCES;
use workspace::sources::{KeptTable, hash};

pub use self::pictures::{Picture, PictureFile};
pub use bundle::{Islands, OLDEST_NODE, PrerenderBundle, Script};
pub use encoder::{Encoder, SharpFormat};
pub use font_letters::{FontLetters, MissingLetters, noto_in};
pub use icons::{IconStyle, Icons, names as icon_names};
pub use node::{LazyNode, NodeProcess};
pub use pagefind::{
    INDEX_FOLDER, INDEX_HASHED, IndexDocument, IndexFiles, IndexPart, cached_index, index, indexer,
    is_index, joined_index, keep_index,
};
pub use styles::Styles;
pub use typescript::TypeScript;

/// The folder of `dist/` for hashed files: a changed file gets a new name.
pub const FOLDER: &str = "_assets";

/// The folders of the styles of the search in the header, and of the form that its dialog fetches. The header does not name
/// them, so that a site without a search does not have them.
const SEARCH_STYLES: &[&str] = &[
    "components/chip",
    "components/search-field",
    "components/site-search",
];

/// The folder of the styles of the banner, which pages have only if the site asks for consent.
const CONSENT_STYLES: &[&str] = &["components/consent"];

/// Identifies these sources of sitegen to the values that are kept: its version, and the hash of this crate and of those that
/// it calls.
const MADE_BY: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("SITEGEN_SOURCES"));

/// The folder of the styles of the switch between light and dark, which pages have only if the site has dark colors.
const SCHEME_STYLES: &[&str] = &["components/scheme"];
/// The script of the switch. It is small and runs before a page is shown, so that none is light for a moment.
const SCHEME: &str = include_str!("scheme.js");

/// Whether a path below `dist/` is that of a picture: a photograph or vector art.
pub fn is_picture(path: &str) -> bool {
    path.strip_prefix(FOLDER)
        .is_some_and(|path| path.starts_with("/images/"))
}

/// All assets of a site.
#[derive(Debug)]
pub struct Manifest {
    /// Style sheets, to be composed for each page.
    pub styles: Styles,
    /// The addresses of the scripts that every page loads: that of the theme, and that of a search.
    pub page_scripts: Vec<String>,
    /// Those that every page loads as well if the site counts visits or keeps where they began. The service decides how much
    /// they weigh, so no budget has them.
    pub visit_scripts: Vec<String>,
    /// The address of the script that decides between light and dark before a page is shown, if the site has dark colors.
    pub scheme_script: Option<String>,
    /// The scripts of the islands.
    pub islands: Islands,
    /// Bytes of each script compressed with brotli, by its address.
    pub weights: BTreeMap<String, usize>,
    /// Bytes of style sheets compressed with brotli, by the hash of their text.
    pub sizes: KeptTable<usize>,
    /// By language, addresses of the fonts that its pages preload.
    pub preload_fonts: BTreeMap<String, Vec<String>>,
    /// Files of the packages that `fonts` in `content/design.yaml` names.
    npm_fonts: Vec<PathBuf>,
    /// The letters of the fonts that `fonts` in `content/design.yaml` names.
    pub font_letters: FontLetters,
    /// The icon set.
    pub icons: Arc<Icons>,
    /// Each picture that a page uses, by its path below `content/images/`.
    pub images: BTreeMap<String, Picture>,
    /// Noto fonts among the site's packages, for letters in drawings that the web fonts lack. They are not published.
    pub fallback_fonts: Vec<WebFont>,
    /// Fonts, scripts and vector art. Style sheets are not among them: they are published when a page uses them.
    pub files: Vec<Output>,
    /// The encoded files of photographs, grouped by photograph; those that take longest to encode come first.
    pub photographs: Vec<Arc<PictureFile>>,
}

/// A web font of the site.
#[derive(Debug, Clone)]
pub struct WebFont {
    /// Its `font-family` in style sheets.
    pub family: String,
    /// Its file.
    pub file: Output,
}

impl Manifest {
    /// The size of a style sheet in bytes, compressed as hosts send it.
    pub fn compressed(&self, css: &[u8]) -> usize {
        self.sizes.get_or(hash(css), || compressed(css))
    }

    /// The web fonts that the style sheets load, preloaded fonts first.
    pub fn fonts(&self, settings: &SiteSettings) -> Vec<WebFont> {
        let mut faces = self.styles.font_faces();
        faces.sort_by_key(|(_, address)| {
            !self
                .preload_fonts
                .values()
                .flatten()
                .any(|early| early == address)
        });
        faces
            .into_iter()
            .filter_map(|(family, address)| {
                let file = self
                    .files
                    .iter()
                    .find(|file| file.path == settings.path_of(address).trim_start_matches('/'))?;
                Some(WebFont {
                    family: family.to_owned(),
                    file: file.clone(),
                })
            })
            .collect()
    }
}

/// Bundles style sheets and scripts, and gives every asset a name with the hash of its content.
pub fn bundle(
    config: &Config,
    content: &Content,
    used_images: &BTreeMap<String, UsedImage>,
) -> (Manifest, Problems) {
    let mut problems = Problems::new();
    let mut bundled = if content.code_leads_out {
        // Nothing is published, and esbuild would read what the links lead to.
        bundle::Bundled {
            islands: bundle::Islands {
                broken: true,
                ..Default::default()
            },
            ..Default::default()
        }
    } else {
        problems.take(bundle::run(config, &content.templates))
    };
    breakpoints::resolve(&content.design, &mut bundled.sheets);
    let failed = bundled.islands.broken;
    let fonts = npm_fonts::add(config, &content.design, &mut bundled, &mut problems);
    let mut preload_fonts = BTreeMap::new();
    if !failed {
        language_styles::check(config, &mut problems);
        preload_fonts = language_styles::preloads(
            config,
            &content.design,
            &bundled.files,
            &bundled.sheets,
            &mut problems,
        );
        for (code, addresses) in &fonts.preloads {
            let known = preload_fonts.entry(code.clone()).or_default();
            let new: Vec<String> = addresses
                .iter()
                .filter(|address| !known.contains(address))
                .cloned()
                .collect();
            known.extend(new);
        }
    }
    let mut files = bundled.files;
    let prepared = problems.take(pictures::prepare(config, used_images));
    files.extend(prepared.vectors);
    let search = SEARCH_STYLES
        .iter()
        .filter(|_| config.site.search.is_some());
    let asks = config
        .site
        .visits
        .as_ref()
        .is_some_and(|visits| visits.needs_consent);
    let has_dark = !content.design.dark.is_empty();
    let schemes = SCHEME_STYLES.iter().filter(|_| has_dark);
    let more: Vec<&str> = search
        .chain(CONSENT_STYLES.iter().filter(|_| asks))
        .chain(schemes)
        .copied()
        .collect();
    let scheme = has_dark.then(scheme_script);
    let font_letters = FontLetters::new(
        config,
        &fonts.design,
        &bundled.sheets,
        &files,
        &mut problems,
    );
    let of_languages = language_styles::published(config, &bundled.sheets);
    let styles = Styles::new(
        &fonts.design,
        &content.templates,
        bundled.sheets,
        &more,
        of_languages,
    );
    if !failed && !content.design.broken {
        styles.check(config, content, &mut problems);
    }
    pagefind::missing(config)
        .into_iter()
        .for_each(|problem| problems.push(problem));
    let icons = Arc::new(Icons::new(config.paths.node_modules.as_deref()));
    for (source, icon) in content::style_guide::icons(content.page_files()) {
        for style in [IconStyle::Regular, IconStyle::Fill] {
            if let Err(problem) = icons.svg(&icon.name, style) {
                problems.push(problem.at(source.place(icon.span)));
                break;
            }
        }
    }
    let manifest = Manifest {
        styles,
        page_scripts: bundled.page_scripts,
        visit_scripts: bundled.visit_scripts,
        scheme_script: scheme
            .as_ref()
            .map(|script| config.site.href(&format!("/{}", script.path))),
        islands: bundled.islands,
        weights: bundled.weights,
        sizes: KeptTable::open(config.paths.cache.join("texts/sizes"), MADE_BY),
        preload_fonts,
        npm_fonts: fonts.inputs,
        font_letters,
        fallback_fonts: fallback_fonts::read(config.paths.node_modules.as_deref()),
        icons,
        images: prepared.pictures,
        files: files.into_iter().chain(scheme).collect(),
        photographs: prepared.photographs,
    };
    (manifest, problems)
}

/// The inputs of bundles, icons and photographs outside the source folders, whether or not they exist: files of
/// packages, esbuild and its settings. Paths may be relative to the root.
pub fn packages(config: &Config, manifest: &Manifest) -> impl Iterator<Item = PathBuf> {
    let root = config.paths.theme_root();
    let inputs = esbuild::inputs(config)
        .into_iter()
        .filter(move |path| {
            !SOURCES
                .iter()
                .any(|folder| Path::new(path).starts_with(folder))
        })
        .map(move |path| root.join(path));
    let settings = ["package.json", "tsconfig.json"]
        .into_iter()
        .map(PathBuf::from);
    let icons = config
        .paths
        .node_modules
        .as_deref()
        .map(Icons::package_file);
    let sharp = encoder::package_file(config);
    let pagefind = pagefind::package_file(config);
    let fonts = fallback_fonts::files(config.paths.node_modules.as_deref());
    let fonts = fonts.into_iter().chain(manifest.npm_fonts.clone());
    inputs
        .chain(settings)
        .chain(icons)
        .chain(sharp)
        .chain(pagefind)
        .chain(fonts)
        .chain(config.paths.esbuild.clone())
}

/// Unpacks a WOFF2 font; `None` if it is damaged.
pub fn unpacked(font: &[u8]) -> Option<Vec<u8>> {
    wuff::decompress_woff2_with_custom_brotli(font, &mut |packed: &[u8], size| {
        let mut plain = Vec::with_capacity(size);
        brotli::BrotliDecompress(&mut &packed[..], &mut plain)?;
        Ok(plain)
    })
    .ok()
}

/// The script of the switch between light and dark, without the blanks at the beginnings of its lines.
fn scheme_script() -> Output {
    let bytes = SCHEME
        .lines()
        .map(str::trim_start)
        .collect::<Vec<_>>()
        .join("\n")
        .into_bytes();
    Output::bytes(
        format!("{FOLDER}/scheme-{}.js", short_hash(&bytes)),
        Arc::new(bytes),
    )
}
