//! Pages that are made from data below the page that lists it: case studies, posts, the gallery.
//!
//! The page of a language with the section `blog` or `case_studies` is its list. The pages of its posts or studies have
//! addresses below its own, and titles from patterns in that section. A language without such a page has none of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::content::Content;
use crate::locale;
use diagnostics::problem::{Code, Place, Problem, Problems, Span};
use diagnostics::yaml::Spanned;

use super::fields::Field;
use super::pages::{Body, Crumb, Page};

/// The page that lists the data in one language, and the fields of its section that does.
pub(super) struct List<'a> {
    pub page: &'a Page,
    pub words: &'a Field,
}

/// The page that lists something in each language, by its code: the positions of the page and of its section that does.
/// `what` is listed by sections of `kind`. A trial page that search engines shall not list may show it, too; what hangs below
/// belongs to the other one.
pub(super) fn lists(
    pages: &[Page],
    kind: &str,
    what: &str,
    problems: &mut Problems,
) -> BTreeMap<String, (usize, usize)> {
    let is_public = |page: &Page| !page.noindex && page.sections.iter().any(|section| section.kind == kind);
    let is_owned = pages.iter().any(is_public);
    let mut lists: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (index, page) in pages.iter().enumerate().filter(|(_, page)| !is_owned || is_public(page)) {
        for (at, _) in page.sections.iter().enumerate().filter(|(_, section)| section.kind == kind) {
            if let Some((first, _)) = lists.get(&page.locale) {
                let message = format!("`{}` lists the {what} of this language already", pages[*first].source.path);
                let problem = Problem::error(Code::DuplicateId, message).at(Place::file(page.source.path.clone()));
                problems.push(problem.hint("one page of a language lists them: all others link to it"));
            } else {
                lists.insert(page.locale.clone(), (index, at));
            }
        }
    }
    lists
}

impl<'a> List<'a> {
    /// The list that [`lists`] found.
    pub(super) fn of(pages: &'a [Page], (page, section): (usize, usize)) -> List<'a> {
        let page = &pages[page];
        List { page, words: &page.sections[section].fields }
    }
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

/// A pattern of the list's section with its values. A placeholder that has none stays, and is reported once.
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
