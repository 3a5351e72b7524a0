//! Reports properties that search engines require and that the site does not define. Most properties cannot be missing,
//! because they are required fields of the types in `nodes`; the others are reported here.

use config::SiteSettings;
use content::pages::Schema;
use diagnostics::problem::{Code, Place, Problem, Problems};
use site::model::{Page, Site};

use super::faq_items;

/// Checks every page without `noindex`.
pub(crate) fn check(settings: &SiteSettings, site: &Site) -> Problems {
    let mut problems = Problems::new();
    for page in site.pages.iter().filter(|page| !page.noindex) {
        if let Some((what, setting)) = lacking(settings, page.schema.value) {
            let message = format!(
                "search engines require {what} here, but it is missing from `content/site.yaml`"
            );
            let place = page.source.place(page.schema.span);
            problems.push(
                Problem::error(Code::IncompleteData, message)
                    .at(place)
                    .hint(format!("add {setting}")),
            );
        }
        problems.extend(check_faq(page));
    }
    problems
}

/// A property of the company that a page of this type requires and that is missing, and the setting to add.
fn lacking(settings: &SiteSettings, schema: Schema) -> Option<(&'static str, &'static str)> {
    let company = &settings.company;
    let needs_identity = matches!(schema, Schema::Service | Schema::About);
    if needs_identity && company.legal_name.is_none() {
        return Some((
            "the company's legal name",
            "`legal_name: …` below `company:`",
        ));
    }
    if needs_identity && settings.icon.is_none() {
        return Some(("the company's logo", "`icon: …`, an SVG in `static/`"));
    }
    let needs_contact =
        schema == Schema::Contact && company.email.is_none() && company.phone.is_none();
    needs_contact.then_some((
        "a way to reach the company",
        "`email: …` or `phone: …` below `company:`",
    ))
}

fn check_faq(page: &Page) -> Problems {
    let mut problems = Problems::new();
    for (question, answer) in faq_items(page) {
        let (message, hint) = if question.trim().is_empty() {
            (
                "a question in the `faq` section is empty".to_owned(),
                "write the question, or remove the entry",
            )
        } else if answer.pieces.is_empty() {
            (
                format!("the question `{question}` has no answer"),
                "write the answer, or remove the entry",
            )
        } else {
            continue;
        };
        let problem =
            Problem::error(Code::IncompleteData, message).at(Place::file(page.source.path.clone()));
        problems.push(problem.hint(hint));
    }
    problems
}
