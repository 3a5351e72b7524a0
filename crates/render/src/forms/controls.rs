//! The fields and the steps of a form as its island takes them, with the words of a language.

use api_types::forms::AnswerType;
use api_types::html::escape;
use api_types::islands::props::{FormChoice, FormControl, FormKey, FormStep};
use api_types::leads::{self, LeadKey, LeadValue};
use content::forms::{DeclaredField, Look};
use diagnostics::problem::Problems;
use site::model::Site;
use site::model::forms::{mistakes, options, words_of};

use assets::{IconStyle, Manifest};

use super::Shown;

/// A field with its words.
pub(super) fn control(shown: &Shown, declared: &DeclaredField) -> FormControl {
    let field = &declared.field;
    let name = field.name.as_str();
    let words = |key: &str| shown.text.text(&["fields", name, key]);
    // Those of a reference are in the contract.
    let choices_by = shown.contract.field(name);
    let choices_by = choices_by.and_then(|field| field.choices_by.clone());
    let choices = match &declared.to {
        Some(to) => {
            let entries = options(&shown.values.site.collections, &to.value, &shown.locale);
            // Without script all choices are there, but none that every answer refuses.
            let is_offered = |choice: &String| {
                let by = choices_by.as_ref();
                by.is_none_or(|by| by.choices.values().flatten().any(|one| one == choice))
            };
            entries
                .into_iter()
                .filter(|(value, _)| is_offered(value))
                .map(|(value, label)| FormChoice {
                    value,
                    label,
                    text: None,
                    icon: None,
                    preview: None,
                    anchors: Vec::new(),
                })
                .collect()
        }
        None => field
            .choices
            .iter()
            .map(|value| choice(shown, declared, value))
            .collect(),
    };
    let default = &shown.values.site.locales[0];
    let key = shown.call.map(|call| call.key_of(name));
    FormControl {
        name: name.to_owned(),
        key: key
            .flatten()
            .map(LeadKey::name)
            .filter(|key| *key != name)
            .map(str::to_owned),
        unsent: key.is_some_and(|key| key.is_none()).then_some(true),
        labelled: key
            .flatten()
            .is_some_and(|key| key.value == LeadValue::Label)
            .then_some(true),
        mistakes: Some(mistakes(shown.text, field, shown.locale.1, default))
            .filter(|kinds| !kinds.is_empty()),
        default: declared.default.as_ref().map(|choice| choice.value.clone()),
        unchosen: words("unchosen"),
        takes: field.takes,
        label: words("label").unwrap_or_else(|| name.to_owned()),
        hint: words("hint"),
        error: words("error"),
        required: field.required,
        list: field.list,
        lines: declared.lines,
        min: field.min.clone(),
        max: field.max.clone(),
        most: field.most,
        pattern: field.pattern.clone(),
        accept: (field.takes == AnswerType::File).then(|| field.accept.join(",")),
        choices,
        shown_when: field.shown_when.clone(),
        choices_by,
        autocomplete: declared.autocomplete.clone(),
        look: declared.look.map(|look| look.name().to_owned()),
        from_query: declared.from_query.clone(),
    }
}

fn choice(shown: &Shown, declared: &DeclaredField, value: &str) -> FormChoice {
    let words = |key: &str| ["fields", declared.field.name.as_str(), key, value].map(str::to_owned);
    let text = |key: &str| shown.text.text(&words(key).each_ref().map(String::as_str));
    let icon = declared
        .icons
        .get(value)
        .filter(|_| matches!(declared.look, Some(Look::Buttons | Look::Cards)));
    let icon = icon.and_then(|name| {
        shown
            .values
            .manifest
            .icons
            .svg(&name.value, IconStyle::Regular)
            .ok()
    });
    let label = text("choices").unwrap_or_else(|| value.to_owned());
    let preview = shown.html(
        shown
            .text
            .at(&words("previews").each_ref().map(String::as_str)),
    );
    let chosen = shown.text.text(&["fields", &declared.field.name, "chosen"]);
    let preview = preview.map(|html| match chosen {
        Some(words) => {
            format!(
                "<p class=\"form__recommended\">{}</p>{html}",
                escape(&words.replace("{choice}", &label))
            )
        }
        None => html,
    });
    FormChoice {
        value: value.to_owned(),
        label,
        text: text("texts"),
        icon: icon.map(|svg| svg.to_string()),
        preview,
        anchors: declared.anchors.get(value).cloned().unwrap_or_default(),
    }
}

/// The keys of the call that sends a form, with values of fields as they are.
pub(super) fn keys() -> Vec<FormKey> {
    let answers = leads::keys()
        .iter()
        .filter(|key| matches!(key.value, LeadValue::Answer | LeadValue::Label));
    answers
        .map(|key| FormKey {
            name: key.name().to_owned(),
            optional: key.optional,
        })
        .collect()
}

/// A step, from 0, with the names of its fields.
pub(super) fn step(shown: &Shown, at: usize, fields: &[String]) -> FormStep {
    let words = shown.text.step(at);
    let text = |key: &str| words.and_then(|words| words.get(key)).and_then(words_of);
    let html = |key: &str| {
        shown
            .html(words.and_then(|words| words.get(key)))
            .unwrap_or_default()
    };
    let title = text("title").unwrap_or_default();
    FormStep {
        fields: fields.to_vec(),
        label: text("label").unwrap_or_else(|| title.clone()),
        title,
        text: html("text"),
        note: Some(html("note")).filter(|note| !note.is_empty()),
    }
}

/// Reports icons of cards that the set does not have.
pub(crate) fn check(site: &Site, manifest: &Manifest) -> Problems {
    let mut problems = Problems::new();
    for form in &site.forms.list {
        for icon in form
            .declaration
            .fields
            .iter()
            .flat_map(|field| field.icons.values())
        {
            if let Err(problem) = manifest.icons.svg(&icon.value, IconStyle::Regular) {
                problems.push(problem.at(form.source.place(icon.span)));
            }
        }
    }
    problems
}
