//! Warns of letters that a font of `fonts` in `content/design.yaml` lacks: once for each font, with the first page that has some.

use std::collections::{BTreeMap, BTreeSet};

use assets::{Manifest, MissingLetters};
use diagnostics::problem::{Code, Place, Problem, Problems};
use site::model::{Body, Page};

/// How many letters a warning lists.
const LISTED: usize = 12;

/// The letters of a page that a font lacks.
pub(super) struct PageLetters {
    missing: MissingLetters,
    /// The address of the page, and its file.
    path: String,
    source: String,
}

/// Looks up the letters of a page. The gallery shows parts out of their pages.
pub(super) fn check(page: &Page, html: &str, manifest: &Manifest) -> Vec<PageLetters> {
    if matches!(page.body, Body::Gallery(_)) {
        return Vec::new();
    }
    let found = manifest
        .font_letters
        .missing(&page.locale, html)
        .into_iter();
    found
        .map(|missing| PageLetters {
            missing,
            path: page.path.value.clone(),
            source: page.source.path.clone(),
        })
        .collect()
}

/// The letters that many pages use and a token's font lacks.
#[derive(Default)]
struct UnprintedLetters<'p> {
    letters: BTreeSet<char>,
    /// The addresses of the pages, with their files.
    pages: BTreeSet<(&'p str, &'p str)>,
}

/// Reports letters where their font is named.
pub(super) fn together(found: &[PageLetters]) -> Problems {
    let mut fonts: BTreeMap<(&str, &str, &str, u32), (&Place, UnprintedLetters)> = BTreeMap::new();
    for PageLetters {
        missing:
            MissingLetters {
                place,
                package,
                token,
                letters,
            },
        path,
        source,
    } in found
    {
        let line = place.range.map_or(0, |range| range.start.line);
        let (_, missing) = fonts
            .entry((&place.path, package, token, line))
            .or_insert((place, UnprintedLetters::default()));
        missing.letters.extend(letters);
        missing.pages.insert((path, source));
    }
    let mut problems = Problems::new();
    for ((_, package, token, _), (place, UnprintedLetters { letters, pages })) in fonts {
        let Some((path, source)) = pages.first() else {
            continue;
        };
        let mut listed: Vec<String> = letters
            .iter()
            .take(LISTED)
            .map(|letter| format!("`{letter}`"))
            .collect();
        match letters.len().saturating_sub(LISTED) {
            0 => {}
            1 => listed.push("and one more letter".to_owned()),
            more => listed.push(format!("and {more} more letters")),
        }
        let others = match pages.len() - 1 {
            0 => String::new(),
            1 => " and one more page".to_owned(),
            count => format!(" and {count} more pages"),
        };
        let verb = if pages.len() == 1 { "uses" } else { "use" };
        let message = format!(
            "`{package}` lacks {}, which `{path}` ({source}){others} {verb} in the font `{token}`",
            listed.join(", ")
        );
        let problem = Problem::warning(Code::FontLetters, message).at(place.clone());
        problems.push(problem.hint(
            "choose a font with the missing letters, or add another font for the languages of these pages",
        ));
    }
    problems
}
