//! Fonts from npm packages, which `fonts` in `content/design.yaml` names: their files, their `@font-face` rules, and the tokens
//! that begin with them.
//!
//! A font for all pages is in the shared style sheet, one for some languages in the sheets of these. Browsers load a file only
//! for a page that has one of its characters.

pub(super) mod faces;
mod fallback;
mod package;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use crate::output::{Output, short_hash};
use config::Config;
use config::fonts::{FONT, Font};
use content::Design;
use diagnostics::problem::{Code, Problem, Problems, Span, did_you_mean};
use schema::types::name_of;
use workspace::files;

use self::faces::{Face, quoted};
use super::bundle::Bundled;
use super::language_styles::{LANGUAGES, codes, is_for};
use super::styles::SITE;
use super::{FOLDER, unpacked};

/// The weight that is preloaded, and whose size the fallback has, or the one nearest to it.
const REGULAR: u16 = 400;

/// The changes that fonts of packages make, besides the bundled sheets.
#[derive(Debug, Default)]
pub(super) struct NpmFonts {
    /// The design, whose tokens begin with the fonts.
    pub design: Design,
    /// By language, addresses of the files that its pages load at once.
    pub preloads: BTreeMap<String, Vec<String>>,
    /// The files of packages that were read.
    pub inputs: Vec<PathBuf>,
}

/// A font whose files are there.
struct Found<'a> {
    font: &'a Font,
    /// The name of its family, and that of the face that stands in for it.
    families: Vec<String>,
    /// The rules of its faces.
    css: String,
    /// Its upright faces, and their addresses.
    faces: Vec<(Face, String)>,
}

/// Reads the packages, and adds their files and rules to those that were bundled.
pub(super) fn add(
    config: &Config,
    design: &Design,
    bundled: &mut Bundled,
    problems: &mut Problems,
) -> NpmFonts {
    let mut fonts = NpmFonts {
        design: design.clone(),
        ..NpmFonts::default()
    };
    let Some(source) = design.source.as_ref().filter(|_| !design.fonts.is_empty()) else {
        return fonts;
    };
    let mut all = Vec::new();
    for font in &design.fonts {
        for (problem, span) in unknown_languages(config, font) {
            problems.push(problem.at(source.place(span)));
        }
        match read(config, design, font, bundled, &mut fonts.inputs) {
            Ok(found) => all.push(found),
            Err((problem, span)) => problems.push(problem.at(source.place(span))),
        }
    }
    for found in all
        .iter()
        .rev()
        .filter(|found| found.font.languages.is_empty())
    {
        extend(
            bundled.sheets.entry(SITE.to_owned()).or_default(),
            &found.css,
        );
        let tokens = fonts.design.tokens.iter_mut();
        for token in
            tokens.filter(|token| token.group == FONT && token.name == found.font.token.value)
        {
            token.value = stack(std::iter::once(found), &token.value);
        }
    }
    for code in &config.site.locales {
        let of_language: Vec<&Found> = all
            .iter()
            .filter(|found| found.font.languages.iter().any(|of| is_for(of, code)))
            .collect();
        let for_all = all.iter().filter(|found| found.font.languages.is_empty());
        let early = of_language
            .iter()
            .copied()
            .chain(for_all)
            .filter(|found| found.font.preload);
        let early: Vec<String> = early
            .filter_map(|found| early_file(&found.faces, code))
            .map(str::to_owned)
            .collect();
        if !early.is_empty() {
            fonts.preloads.insert(code.value.clone(), early);
        }
        let mut css = String::new();
        of_language
            .iter()
            .for_each(|found| extend(&mut css, &found.css));
        for token in fonts.design.group(FONT) {
            let begins = of_language
                .iter()
                .copied()
                .filter(|found| found.font.token.value == token.name);
            if begins.clone().next().is_some() {
                // Writing to a text does not fail.
                let _ = writeln!(
                    css,
                    ":root{{{}:{}}}",
                    token.property(),
                    stack(begins, &token.value)
                );
            }
        }
        if !css.is_empty() {
            // Before the rules of the site's own sheet, which win.
            bundled
                .sheets
                .entry(format!("{LANGUAGES}{}", code.value))
                .or_default()
                .insert_str(0, &css);
        }
    }
    fonts
}

/// Adds those rules, each in a line, that a style sheet has not: a font may begin several tokens.
fn extend(css: &mut String, rules: &str) {
    for rule in rules.split_inclusive('\n') {
        if !css.contains(rule) {
            css.push_str(rule);
        }
    }
}

/// The families of fonts before those of a token.
fn stack<'a>(fonts: impl Iterator<Item = &'a Found<'a>>, rest: &str) -> String {
    let families = fonts
        .flat_map(|found| &found.families)
        .map(|family| quoted(family));
    families
        .chain([rest.to_owned()])
        .collect::<Vec<_>>()
        .join(",")
}

/// Reads a font, and adds its files.
fn read<'a>(
    config: &Config,
    design: &Design,
    font: &'a Font,
    bundled: &mut Bundled,
    inputs: &mut Vec<PathBuf>,
) -> Result<Found<'a>, (Problem, Span)> {
    let package = package::find(config.paths.node_modules.as_deref(), font)?;
    let mut found = Found {
        font,
        families: Vec::new(),
        css: String::new(),
        faces: Vec::new(),
    };
    let mut fallback: Option<(u16, Arc<Vec<u8>>)> = None;
    inputs.extend(package.inputs);
    for (face, path) in package.faces {
        let bytes = fs_err::read(&path).map_err(|error| {
            let message = format!(
                "a font file in `{}` cannot be read ({})",
                font.package.value,
                files::reason(&error)
            );
            let problem = Problem::error(Code::InvalidValue, message);
            (
                problem.hint(format!("run `npm install {}` again", font.package.value)),
                font.package.span,
            )
        })?;
        let bytes = Arc::new(bytes);
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        let file = Output::bytes(
            format!("{FOLDER}/files/{stem}-{}.woff2", short_hash(&bytes)),
            Arc::clone(&bytes),
        );
        let address = config.site.href(&format!("/{}", file.path));
        inputs.push(path);
        // The theme, or another font of the list, may load the same file.
        if !bundled.files.iter().any(|other| other.path == file.path) {
            bundled.files.push(file);
        }
        found.css.push_str(&face.rule(&address));
        if !found.families.contains(&face.family) {
            found.families.push(face.family.clone());
        }
        if face.is_italic {
            continue;
        }
        let distance = distance(&face);
        if face.covers('a')
            && fallback
                .as_ref()
                .is_none_or(|(nearest, _)| distance < *nearest)
        {
            fallback = Some((distance, bytes));
        }
        found.faces.push((face, address));
    }
    // Of two tokens that begin with one font, each may have another weight and another stack.
    let rest = design.value(FONT, &font.token).unwrap_or_default();
    if let Some((_, bytes)) = fallback
        && let Some(family) = found
            .families
            .first()
            .map(|family| format!("{family} Fallback {}", font.token.value))
        && let Some(rule) = unpacked(&bytes).and_then(|plain| fallback::rule(&family, &plain, rest))
    {
        found.css.push_str(&rule);
        found.families.push(family);
    }
    Ok(found)
}

/// How far a face is from the weight of texts.
fn distance(face: &Face) -> u16 {
    REGULAR.abs_diff(REGULAR.clamp(face.weights.0, face.weights.1))
}

/// The address of the file that has most letters of the name of a language in that language, in the weight of texts. `None` if
/// no file has any.
fn early_file<'f>(faces: &'f [(Face, String)], code: &str) -> Option<&'f str> {
    let name = name_of(code).to_lowercase();
    let best = faces
        .iter()
        .map(|face| {
            (
                name.chars()
                    .filter(|c| c.is_alphabetic() && face.0.covers(*c))
                    .count(),
                face,
            )
        })
        .filter(|(letters, _)| *letters > 0)
        .min_by_key(|(letters, (face, _))| (std::cmp::Reverse(*letters), distance(face)))?;
    Some(&best.1.1)
}

/// The problems of languages that the site has not.
fn unknown_languages(config: &Config, font: &Font) -> Vec<(Problem, Span)> {
    let site = &config.site;
    let unknown = font
        .languages
        .iter()
        .filter(|of| !codes(site).any(|code| is_for(of, code)));
    unknown
        .map(|of| {
            let message = format!("the site has no language `{}`", of.value);
            (
                Problem::error(Code::UnknownId, message).maybe_hint(did_you_mean(of, codes(site))),
                of.span,
            )
        })
        .collect()
}
