//! Warns of drawings in pages that cannot be seen where it is dark: of lines and letters in a color that stays as it is, while
//! the ground below it becomes dark.
//!
//! A line that is drawn after an area whose color stays, and can be seen on the dark ground, may lie on that area, and is not
//! reported: where shapes lie is not computed.

use diagnostics::problem::{Code, Problem, Problems, Span};

use text::svg::{Paint, Part, fixed_paints};
use workspace::files::FileSet;

use super::images::{ImageKind, Images};
use config::contrast::{channels, ratio};
use config::design::Design;

/// The least contrast of a line with its ground (WCAG 2, 1.4.11).
const LINE: f64 = 3.0;
/// The grounds of most drawings, of which a site may have some. Those of a site whose grounds have tokens of their own come first.
const GROUNDS: [&str; 4] = ["ground", "ground-raised", "paper", "white"];

/// Checks the drawings that can be parts of pages; a site without dark colors has none to check.
pub(super) fn check(root: &FileSet, design: &Design, images: &Images) -> Problems {
    let mut problems = Problems::new();
    let grounds: Vec<(&str, [u8; 3])> = GROUNDS
        .iter()
        .filter_map(|name| {
            let dark = design.dark.iter().find(|token| token.name == *name)?;
            Some((*name, channels(&dark.value)?))
        })
        .collect();
    let Some(ground) = grounds.first() else {
        return problems;
    };
    for key in images.keys() {
        let Some(image) = images.get(key) else {
            continue;
        };
        if !matches!(
            &image.kind,
            ImageKind::Vector {
                inline: Some(_),
                ..
            }
        ) {
            continue;
        }
        // A file that cannot be read was reported.
        let Ok(source) = root.read_text(&root.join(&*image.path)) else {
            continue;
        };
        let paints = fixed_paints(&source.text);
        let lost = lost(&paints, &grounds);
        let Some(first) = lost.first() else { continue };
        let contrast = channels(&first.color).map_or(1.0, |color| ratio(color, ground.1));
        let what = if first.part == Part::Text {
            "text"
        } else {
            "line"
        };
        let others = match lost.len() - 1 {
            0 => String::new(),
            1 => "; one more part of the drawing has the same problem".to_owned(),
            count => format!("; {count} more parts of the drawing have the same problem"),
        };
        let message = format!(
            "the {what} color `{}` has a contrast of {contrast:.2}:1 on `{}` in dark mode, but needs {LINE}:1{others}",
            first.color, ground.0
        );
        let hint = "use `currentColor`, which adapts to dark mode; on a `signal` or `growth` background, use the class `art-ink-line`";
        let span = Span::new(first.span.start, first.span.end);
        problems.push(
            Problem::warning(Code::LowContrast, message)
                .at(source.place(span))
                .hint(hint),
        );
    }
    problems
}

/// The lines and letters that can be seen on none of the dark grounds.
fn lost<'p>(paints: &'p [Paint], grounds: &[(&str, [u8; 3])]) -> Vec<&'p Paint> {
    let is_seen = |paint: &Paint| {
        let color = channels(&paint.color);
        color.is_none_or(|color| {
            grounds
                .iter()
                .any(|(_, ground)| ratio(color, *ground) >= LINE)
        })
    };
    let mut has_ground = false;
    let mut lost = Vec::new();
    for paint in paints {
        match paint.part {
            Part::Area => has_ground |= is_seen(paint),
            Part::Line | Part::Text if !has_ground && !is_seen(paint) => lost.push(paint),
            Part::Line | Part::Text => {}
        }
    }
    lost
}
