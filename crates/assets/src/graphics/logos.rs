//! Draws the logo and the isotype for download: `templates/drawings/logo.svg` and `isotype.svg` in each color of the
//! style guide, as SVG with outlined letters and as PNG, both with a transparent background.

use std::sync::Arc;

use serde_json::json;

use crate::output::Output;
use config::SiteSettings;
use content::sections::SectionRole;
use diagnostics::problem::{Code, Place, Problem, Problems};
use site::model::{Field, Site};

use super::DrawContext;
use super::template::CompiledDrawing;

/// The paths of a version below `dist/`: the SVG, then the PNG.
pub fn logo_files(settings: &SiteSettings, mark: &str, variant: &str) -> [String; 2] {
    let stem = format!("downloads/{}-{mark}-{variant}", settings.product.slug);
    [format!("{stem}.svg"), format!("{stem}.png")]
}

/// Draws every version that a section of the style guide shows.
pub(super) fn draw(context: &DrawContext, site: &Site) -> (Vec<Output>, Problems) {
    let (mut outputs, mut problems) = (Vec::new(), Problems::new());
    let sections = site
        .pages
        .iter()
        .flat_map(|page| page.sections.iter().map(move |section| (page, section)));
    for (page, section) in sections.filter(|(_, section)| section.kind.role == SectionRole::Logo) {
        let mark = text(&section.fields, "mark");
        let drawing = match context.drawing(&format!("drawings/{mark}.svg")) {
            Some(Ok(drawing)) => drawing,
            Some(Err(problem)) => {
                problems.push(problem);
                continue;
            }
            None => {
                let message =
                    format!("the style guide shows the drawing `{mark}`, which has no template");
                let problem = Problem::error(Code::BadDrawing, message)
                    .at(Place::file(page.source.path.clone()));
                problems.push(problem.hint(format!("add `templates/drawings/{mark}.svg`")));
                continue;
            }
        };
        let Some(Field::List(variants)) = section.fields.get("variants") else {
            continue;
        };
        for variant in variants {
            match version(context, &drawing, text(variant, "color")) {
                Ok(files) => {
                    let paths = logo_files(&context.config.site, mark, text(variant, "id"));
                    outputs.extend(
                        paths
                            .into_iter()
                            .zip(files)
                            .map(|(path, bytes)| Output::bytes(path, bytes)),
                    );
                }
                Err(problem) => problems.push(problem),
            }
        }
    }
    // Two sections may show the same version.
    outputs.sort_by(|a, b| a.path.cmp(&b.path));
    outputs.dedup_by(|a, b| a.path == b.path);
    (outputs, problems)
}

fn text<'a>(field: &'a Field, name: &str) -> &'a str {
    match field.get(name) {
        Some(Field::Text(text)) => text,
        _ => "",
    }
}

fn version(
    context: &DrawContext,
    drawing: &CompiledDrawing,
    color: &str,
) -> Result<[Arc<Vec<u8>>; 2], Problem> {
    let values = json!({ "product": context.config.site.product.name, "color": color });
    Ok([
        context.outlines(drawing, &values)?,
        context.png(drawing, &values)?.0,
    ])
}
