//! Finds the font files of a package: which of its style sheets has the weights that a site wants.
//!
//! Packages of Fontsource have a sheet for each weight (`400.css`, `400-italic.css`), or one for all weights of a variable font
//! (`wght.css`, `wght-italic.css`). Others have one sheet: `index.css`, or the `style` of their `package.json`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use config::fonts::Font;
use diagnostics::problem::{Code, Problem, Span};
use workspace::files;

use super::faces::{self, Face};

/// The weights of a site that names none, of those that a package has: that of texts, and that of headings.
const USUAL: [u16; 2] = [400, 700];

/// The contents of a package.
#[derive(Debug, Default)]
pub(super) struct FontPackage {
    /// Faces, and the paths of their files.
    pub faces: Vec<(Face, PathBuf)>,
    /// The files that were read, or looked for, apart from fonts.
    pub inputs: Vec<PathBuf>,
}

/// Finds the faces of a font. Errors are those of a person who wrote its name or its weights, with the span of what is wrong.
pub(super) fn find(
    node_modules: Option<&Path>,
    font: &Font,
) -> Result<FontPackage, (Problem, Span)> {
    let name = font.package.value.as_str();
    let folder = node_modules
        .map(|folder| folder.join(name))
        .filter(|folder| folder.is_dir());
    let Some(folder) = folder else {
        let problem = Problem::error(
            Code::BundlerMissing,
            format!("the package `{name}` is not installed"),
        );
        return Err((
            problem.hint(format!("run `npm install {name}` in the site's folder")),
            font.package.span,
        ));
    };
    let mut package = FontPackage::default();
    let numbered = numbered(&folder);
    let sheets = if numbered.is_empty() {
        variable(&folder, font)?
    } else {
        of_weights(&numbered, font)?
    };
    for sheet in sheets {
        let path = folder.join(&sheet);
        let css = fs_err::read_to_string(&path).map_err(|error| {
            let problem = refused(format!(
                "`{sheet}` in `{name}` cannot be read ({})",
                files::reason(&error)
            ));
            (
                problem.hint(format!("run `npm install {name}` again")),
                font.package.span,
            )
        })?;
        let base = path.parent().unwrap_or(&folder).to_owned();
        for face in faces::read(&css) {
            let file = base.join(&face.file);
            if is_within(&folder, &file) {
                package.faces.push((face, file));
            }
        }
        package.inputs.push(path);
    }
    package.inputs.push(folder.join("package.json"));
    if package.faces.is_empty() {
        let problem = refused(format!(
            "the style sheets of `{name}` use none of its WOFF2 files"
        ));
        let hint = "choose a package whose style sheets load its WOFF2 files with `@font-face`, such as one from Fontsource";
        return Err((problem.hint(hint), font.package.span));
    }
    choose(&mut package.faces, font)?;
    Ok(package)
}

/// A problem with the name of a package.
fn refused(message: String) -> Problem {
    Problem::error(Code::InvalidValue, message)
}

/// The weights that have a style sheet each, in their order.
fn numbered(folder: &Path) -> BTreeSet<u16> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .strip_suffix(".css")?
                .parse()
                .ok()
        })
        .collect()
}

/// The style sheets of the weights of a font, which are among those that the package has.
fn of_weights(numbered: &BTreeSet<u16>, font: &Font) -> Result<Vec<String>, (Problem, Span)> {
    for weight in &font.weights {
        if !numbered.contains(&weight.value) {
            return Err((
                no_weight(font, weight.value, numbered.iter().map(u16::to_string)),
                weight.span,
            ));
        }
    }
    let mut weights: Vec<u16> = font.weights.iter().map(|weight| weight.value).collect();
    if weights.is_empty() {
        weights.extend(USUAL.iter().filter(|usual| numbered.contains(usual)));
    }
    if weights.is_empty() {
        weights.extend(numbered.first());
    }
    let styles: &[&str] = if font.has_italic() {
        &["", "-italic"]
    } else {
        &[""]
    };
    Ok(weights
        .iter()
        .flat_map(|weight| {
            styles
                .iter()
                .map(move |style| format!("{weight}{style}.css"))
        })
        .collect())
}

/// The style sheets of a package that has none for a single weight.
fn variable(folder: &Path, font: &Font) -> Result<Vec<String>, (Problem, Span)> {
    let declared = fs_err::read(folder.join("package.json")).ok();
    let declared =
        declared.and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
    let style = declared
        .as_ref()
        .and_then(|package| package["style"].as_str());
    let Some(sheet) = ["wght.css", "index.css"]
        .into_iter()
        .chain(style)
        .find(|sheet| is_within(folder, &folder.join(sheet)))
    else {
        let message = format!("the package `{}` has no style sheet", font.package.value);
        let problem = Problem::error(Code::InvalidValue, message);
        let hint = "choose a package that has `index.css`, such as one from Fontsource";
        return Err((problem.hint(hint), font.package.span));
    };
    let italic = format!("{}-italic.css", sheet.trim_end_matches(".css"));
    let italic = Some(italic).filter(|path| font.has_italic() && folder.join(path).is_file());
    Ok(std::iter::once(sheet.to_owned()).chain(italic).collect())
}

/// Keeps the faces in the weights and styles of a font.
fn choose(faces: &mut Vec<(Face, PathBuf)>, font: &Font) -> Result<(), (Problem, Span)> {
    if let Some(italic) = font.italic.as_ref().filter(|italic| italic.value)
        && !faces.iter().any(|(face, _)| face.is_italic)
    {
        let problem = Problem::error(
            Code::InvalidValue,
            format!("`{}` has no italic style", font.package.value),
        );
        return Err((
            problem.hint("remove `italic`: browsers then slant the upright letters"),
            italic.span,
        ));
    }
    faces.retain(|(face, _)| font.has_italic() || !face.is_italic);
    for weight in &font.weights {
        if !faces.iter().any(|(face, _)| face.has_weight(weight.value)) {
            let ranges: BTreeSet<(u16, u16)> = faces.iter().map(|(face, _)| face.weights).collect();
            let shown = ranges.iter().map(|(first, last)| {
                if first == last {
                    first.to_string()
                } else {
                    format!("{first} to {last}")
                }
            });
            return Err((no_weight(font, weight.value, shown), weight.span));
        }
    }
    faces.retain(|(face, _)| {
        font.weights.is_empty()
            || font
                .weights
                .iter()
                .any(|weight| face.has_weight(weight.value))
    });
    Ok(())
}

fn no_weight(font: &Font, weight: u16, known: impl Iterator<Item = String>) -> Problem {
    let message = format!("`{}` has no weight {weight}", font.package.value);
    let known = known.collect::<Vec<_>>().join(", ");
    Problem::error(Code::InvalidValue, message)
        .hint(format!("write a weight that the package has: {known}"))
}

/// Whether a file is there, in a folder. Links are followed: some programs install packages as links.
fn is_within(folder: &Path, file: &Path) -> bool {
    folder
        .canonicalize()
        .ok()
        .zip(file.canonicalize().ok())
        .is_some_and(|(folder, file)| file.starts_with(folder) && file.is_file())
}
