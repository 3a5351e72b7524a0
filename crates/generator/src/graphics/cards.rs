//! Draws a sharing card for each page: `templates/drawings/card.svg` with the page's title.

use serde_json::json;

use crate::assets::FOLDER;
use crate::content::pages::Status;
use crate::model::{Body, Page, Site};
use crate::output::Output;
use crate::parallel;
use diagnostics::problem::{Problem, Problems};

use super::template::Drawing;
use super::{Card, DrawContext};

const TEMPLATE: &str = "drawings/card.svg";
/// The size in pixels, which social networks show without cropping. The template receives it.
const WIDTH: u32 = 1200;
const HEIGHT: u32 = 630;

pub(super) fn draw(context: &DrawContext, site: &Site) -> ((Vec<Option<Card>>, Vec<Output>), Problems) {
    let none = || vec![None; site.pages.len()];
    let drawing = match context.drawing(TEMPLATE) {
        None => return ((none(), Vec::new()), Problems::new()),
        Some(Err(problem)) => return ((none(), Vec::new()), problem.into()),
        Some(Ok(drawing)) => drawing,
    };
    let drawn: Vec<Option<Result<(Card, Output), Problem>>> =
        parallel::map(&site.pages, |page| wants_card(page).then(|| card(context, &drawing, site, page)));
    let (mut cards, mut files, mut problems) = (Vec::new(), Vec::new(), Problems::new());
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

fn wants_card(page: &Page) -> bool {
    // Posts, entries and parts of the gallery use the card of another page.
    let is_one_of_many = matches!(page.body, Body::Blog(_) | Body::Gallery(_) | Body::Entry(_) | Body::EntryFilter(_));
    page.status == Status::Found && !page.noindex && page.image.is_none() && !is_one_of_many
}

fn card(context: &DrawContext, drawing: &Drawing, site: &Site, page: &Page) -> Result<(Card, Output), Problem> {
    let settings = &context.config.site;
    let locale = &site.locales[site.locale_index(&page.locale)];
    let base = context.config.site.base_url();
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
    Ok((Card { src, width: WIDTH, height: HEIGHT }, Output::bytes(path, png)))
}
