//! Draws a sharing card for each page: `templates/drawings/card.svg` with the page's title.

use serde_json::json;

use crate::output::Output;
use crate::{FOLDER, noto_in};
use config::Config;
use content::pages::Status;
use diagnostics::problem::{Code, Problem, Problems};
use site::model::{BlogPage, Body, Page, Site};
use workspace::parallel;

use super::template::CompiledDrawing;
use super::{DrawContext, SharingCard};

const TEMPLATE: &str = "drawings/card.svg";
/// The size in pixels, which social networks show without cropping. The template receives it.
const WIDTH: u32 = 1200;
const HEIGHT: u32 = 630;

pub(super) fn draw(
    context: &DrawContext,
    site: &Site,
) -> ((Vec<Option<SharingCard>>, Vec<Output>), Problems) {
    let none = vec![None; site.pages.len()];
    let drawing = match context.drawing(TEMPLATE) {
        None => return ((none, Vec::new()), Problems::new()),
        Some(Err(problem)) => return ((none, Vec::new()), problem.into()),
        Some(Ok(drawing)) => drawing,
    };
    let drawn: Vec<Option<Result<(SharingCard, Output), Problem>>> =
        parallel::map(&site.pages, |page| {
            wants_card(context.config, site, page).then(|| card(context, &drawing, site, page))
        });
    let (mut cards, mut files, mut problems) = (Vec::new(), Vec::new(), Problems::new());
    let without_letters = parallel::map(&site.pages, |page| {
        wants_card(context.config, site, page).then(|| letters_problem(context, page))
    });
    problems.extend(without_letters.into_iter().flatten().flatten().fold(
        Problems::new(),
        |mut all, problem| {
            all.push(problem);
            all
        },
    ));
    for drawn in drawn {
        cards.push(drawn.and_then(|drawn| match drawn {
            Ok((card, file)) => {
                files.push(file);
                Some(card)
            }
            Err(problem) => {
                problems.push(problem);
                None
            }
        }));
    }
    ((cards, files), problems)
}

/// The warning for letters of a page's title that no font has.
fn letters_problem(context: &DrawContext, page: &Page) -> Option<Problem> {
    let title = page.name(&context.config.site.in_language(&page.locale).product.name);
    // Every font of the Latin script has these, and finding out takes longer than reading a card from the cache.
    if title.chars().all(|c| c < '\u{100}') {
        return None;
    }
    let missing = context.missing_letters(title);
    let script = noto_in(&page.locale, missing.chars().next()?);
    let mut listed: Vec<String> = missing.chars().take(12).map(|c| format!("`{c}`")).collect();
    if missing.chars().count() > listed.len() {
        listed.push("…".to_owned());
    }
    let message = format!(
        "the sharing card for `{title}` leaves out characters that no font has: {}",
        listed.join(", ")
    );
    let problem =
        Problem::warning(Code::CardLetters, message).at(page.source.place(page.title_span));
    Some(problem.hint(format!(
        "run `npm install @fontsource/{script}` in the site's folder, so that sharing cards take these characters from that font"
    )))
}

fn wants_card(config: &Config, site: &Site, page: &Page) -> bool {
    // Lists of posts, entries and parts of the gallery use the card of another page, and so do posts unless a site asks for theirs.
    let is_one_of_many = match page.body {
        Body::Blog(BlogPage::Post(_)) => !config.site.blog.sharing_cards,
        Body::Blog(_) | Body::Gallery(_) | Body::Entry(_) => true,
        // It has the sections of another page.
        Body::EntryFilter(_) => page.own_sections().is_empty(),
        Body::Sections => false,
    };
    let has_photograph = page.photograph(&site.images).is_some();
    page.status == Status::Found && !page.noindex && !has_photograph && !is_one_of_many
}

fn card(
    context: &DrawContext,
    drawing: &CompiledDrawing,
    site: &Site,
    page: &Page,
) -> Result<(SharingCard, Output), Problem> {
    let settings = context.config.site.in_language(&page.locale);
    let locale = &site.locales[site.locale_index(&page.locale)];
    let base = context.config.site.hosts().of_path(&page.path);
    let values = json!({
        "width": WIDTH,
        "height": HEIGHT,
        "page": { "title": page.name(&settings.product.name), "path": page.path.value, "key": page.key },
        "site": {
            "product": settings.product.name,
            "company": settings.company.name,
            "host": base.split_once("://").map_or(base, |(_, host)| host),
        },
        "locale": { "code": locale.code, "language": locale.language, "direction": locale.direction },
    });
    let (png, key) = context.png(drawing, &values)?;
    let path = format!("{FOLDER}/cards/{key}.png");
    let src = settings.href(&format!("/{path}"));
    Ok((
        SharingCard {
            src,
            width: WIDTH,
            height: HEIGHT,
        },
        Output::bytes(path, png),
    ))
}
