//! What search engines require of a type and the site does not give. Most of it cannot be missing, because it is a field
//! of the type; the rest is reported here, at the line that asks for it.

use crate::config::Config;
use crate::content::pages::Schema;
use crate::model::{Page, Site};
use diagnostics::problem::{Code, Place, Problem, Problems};

use super::faq_items;

/// Looks at every page that search engines may list.
pub(in crate::render) fn check(config: &Config, site: &Site) -> Problems {
    let mut problems = Problems::new();
    for page in site.pages.iter().filter(|page| !page.noindex) {
        if let Some((what, setting)) = lacking(config, page.schema.value) {
            let message = format!("search engines ask for {what} here, and `content/site.yaml` does not give it");
            let place = page.source.place(page.schema.span);
            problems.push(Problem::error(Code::IncompleteData, message).at(place).hint(format!("add {setting}")));
        }
        problems.extend(check_faq(page));
    }
    problems
}

/// What the company of a page with this subject lacks, and the setting to add.
fn lacking(config: &Config, schema: Schema) -> Option<(&'static str, &'static str)> {
    let company = &config.site.company;
    let needs_identity = matches!(schema, Schema::Service | Schema::About);
    if needs_identity && company.legal_name.is_none() {
        return Some(("the company's legal name", "`legal_name: …` below `company:`"));
    }
    if needs_identity && config.site.icon.is_none() {
        return Some(("the company's logo", "`icon: …`, an SVG of `static/`"));
    }
    let needs_contact = schema == Schema::Contact && company.email.is_none() && company.phone.is_none();
    needs_contact.then_some(("a way to reach the company", "`email: …` or `phone: …` below `company:`"))
}

fn check_faq(page: &Page) -> Problems {
    let mut problems = Problems::new();
    for (question, answer) in faq_items(page) {
        let message = if question.trim().is_empty() {
            "a question of the `faq` section is empty".to_owned()
        } else if answer.pieces.is_empty() {
            format!("the question `{question}` has no answer")
        } else {
            continue;
        };
        let problem = Problem::error(Code::IncompleteData, message).at(Place::file(page.source.path.clone()));
        problems.push(problem.hint("write it, or remove the entry"));
    }
    problems
}
