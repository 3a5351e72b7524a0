//! Pages that are made from data below a page that lists it: case studies, posts.

use std::sync::Arc;

use crate::content::Content;
use crate::locale;
use crate::problem::{Code, Problem, Problems, Span};
use crate::yaml::Spanned;

use super::fields::Field;
use super::pages::{Body, Crumb, Page};

/// The page that lists the data in one language, and the fields of its section that does.
pub(super) struct List<'a> {
    pub page: &'a Page,
    pub words: &'a Field,
}

/// What all pages made from a list have in common with it.
pub(super) fn made(content: &Content, list: &List, key: String, name: String, path: Spanned<String>) -> Page {
    let own = list.page;
    let locale = content.locales.iter().position(|locale| locale.code == own.locale).unwrap_or_default();
    let home = content.locales[locale].word("home", &content.locales[0]).map(str::to_owned);
    let home_path = if locale == 0 { "/".to_owned() } else { format!("/{}/", own.locale) };
    let label = match list.words.get("label") {
        Some(Field::Text(label)) => label.clone(),
        _ => own.title.clone(),
    };
    let breadcrumb = home
        .map(|home| Crumb { label: home, path: home_path })
        .into_iter()
        .chain([Crumb { label, path: own.path.value.clone() }, Crumb { label: name, path: path.value.clone() }])
        .collect();
    Page {
        key,
        locale: own.locale.clone(),
        title_span: path.span,
        description_span: path.span,
        path,
        also_at: Vec::new(),
        title: String::new(),
        description: String::new(),
        noindex: own.noindex,
        status: own.status,
        answers_below: None,
        anchors: Vec::new(),
        label: None,
        image: None,
        schema: Spanned::default(),
        updated: None,
        unlinked: false,
        layout: own.layout.clone(),
        body: Body::Sections,
        breadcrumb,
        sections: Arc::new([]),
        partial: own.partial,
        source: Arc::clone(&own.source),
    }
}

/// A pattern of the list's section with its values. A placeholder that has none stays, and is told once.
pub(super) fn fill(
    pattern: &Field,
    list: &List,
    problems: &mut Problems,
    value: impl Fn(&str) -> Option<String>,
) -> String {
    let Field::Text(pattern) = pattern else { return String::new() };
    let unknown = std::cell::RefCell::new(Vec::new());
    let filled = locale::fill(pattern, |name| {
        value(name).or_else(|| {
            let written = format!("{{{name}}}");
            unknown.borrow_mut().push(written.clone());
            Some(written)
        })
    });
    for written in unknown.into_inner() {
        let source = &list.page.source;
        let place = source.place(source.locate(Span::new(0, source.text.len()), &written));
        if !problems.iter().any(|problem| problem.place.as_ref() == Some(&place)) {
            let message = format!("`{written}` is not a placeholder here");
            problems.push(Problem::error(Code::UnknownPlaceholder, message).at(place));
        }
    }
    filled.unwrap_or_default()
}
