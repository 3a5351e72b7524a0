//! JSON-LD for search engines, built from the same typed values that the page shows.

use serde::Serialize;

use crate::model::{Field, Page};

use super::context::Values;

/// <https://schema.org/FAQPage>
#[derive(Serialize)]
struct FaqPage {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "mainEntity")]
    main_entity: Vec<Question>,
}

#[derive(Serialize)]
struct Question {
    #[serde(rename = "@type")]
    kind: &'static str,
    name: String,
    #[serde(rename = "acceptedAnswer")]
    accepted_answer: Answer,
}

#[derive(Serialize)]
struct Answer {
    #[serde(rename = "@type")]
    kind: &'static str,
    text: String,
}

/// The JSON-LD documents of a page, ready to stand in a `<script type="application/ld+json">`.
pub(super) fn documents(page: &Page, values: &Values) -> Vec<String> {
    let sections = page.sections.iter().filter(|section| section.kind == "faq");
    let questions: Vec<Question> = sections.flat_map(|section| questions(&section.fields, values)).collect();
    if questions.is_empty() {
        return Vec::new();
    }
    vec![script(&FaqPage { context: "https://schema.org", kind: "FAQPage", main_entity: questions })]
}

fn questions(fields: &Field, values: &Values) -> Vec<Question> {
    let Some(Field::List(items)) = fields.get("items") else { return Vec::new() };
    let question = |item: &Field| match (item.get("question")?, item.get("answer")?) {
        (Field::Text(name), Field::Rich(answer)) => Some(Question {
            kind: "Question",
            name: name.clone(),
            accepted_answer: Answer { kind: "Answer", text: values.html(answer) },
        }),
        _ => None,
    };
    items.iter().filter_map(question).collect()
}

/// `<` is written so that no text can close the script or open a comment in it.
fn script(document: &impl Serialize) -> String {
    // Structs of text always serialise.
    serde_json::to_string(document).unwrap_or_default().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_text_cannot_close_the_script() {
        assert_eq!(super::script(&"</script><!--"), "\"\\u003c/script>\\u003c!--\"");
    }
}
