//! Pages that are generated from data, with URLs below the page that lists it: posts, the gallery.
//!
//! In each locale, the page with the section `blog` is the list. The pages of posts have URLs below that of the list, and titles from patterns in that section. A locale without such a page has none of
//! them.

use std::collections::{BTreeMap, BTreeSet};

use content::Content;
use content::sections::SectionRole;
use diagnostics::problem::{Code, Place, Problem, Problems};
use diagnostics::yaml::{self, Spanned};
use languages::locale::{self, Word};

use super::fields::Field;
use super::page::{Body, Crumb, HeadTexts, Page};

/// The page that lists the data in one locale, and the fields of its list section.
pub(super) struct List<'a> {
    pub page: &'a Page,
    pub words: &'a Field,
    /// The breadcrumbs of its pages up to the list.
    trail: Vec<Crumb>,
}

/// Finds the page that lists the posts of each locale, by locale code: the indices of the page and of its section. Reports
/// a second list. If a list page of a language is indexed by search engines, its
/// pages with `noindex` do not count, so that a draft of a list is not reported.
pub(super) fn lists(pages: &[Page], problems: &mut Problems) -> BTreeMap<String, (usize, usize)> {
    let owned: BTreeSet<&str> = pages
        .iter()
        .filter(|page| lists_posts(page))
        .map(|page| page.locale.as_str())
        .collect();
    let mut lists: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (index, page) in pages
        .iter()
        .enumerate()
        .filter(|(_, page)| lists_posts(page) || !owned.contains(page.locale.as_str()))
    {
        for (at, _) in page
            .sections
            .iter()
            .enumerate()
            .filter(|(_, section)| section.kind.role == SectionRole::PostList)
        {
            if let Some((first, _)) = lists.get(&page.locale) {
                let message = format!(
                    "`{}` already lists the posts in this language",
                    pages[*first].source.path
                );
                let problem = Problem::error(Code::DuplicateId, message)
                    .at(Place::file(page.source.path.clone()));
                problems.push(
                    problem.hint("keep one list per language, and link to it from other pages"),
                );
            } else {
                lists.insert(page.locale.clone(), (index, at));
            }
        }
    }
    lists
}

/// Tells whether search engines may see a page that lists posts.
fn lists_posts(page: &Page) -> bool {
    !page.noindex
        && page
            .sections
            .iter()
            .any(|section| section.kind.role == SectionRole::PostList)
}

impl<'a> List<'a> {
    /// The list at indices from [`lists`].
    pub(super) fn of(
        content: &Content,
        pages: &'a [Page],
        page: usize,
        section: usize,
    ) -> List<'a> {
        let page = &pages[page];
        let words = &page.sections[section].fields;
        let locale = content
            .locales
            .iter()
            .position(|locale| locale.code == page.locale)
            .unwrap_or_default();
        let home = content.locales[locale].own_word(Word::Home, &content.locales[0]);
        let home_path = format!("{}/", content.locales[locale].prefix);
        let label = match words.get("label") {
            Some(Field::Text(label)) => label.as_str(),
            _ => page.title.as_str(),
        };
        let home = home.map(|home| Crumb {
            label: home.into(),
            lent_by: content.locales[locale]
                .lender(Word::Home.key())
                .map(Into::into),
            path: home_path.into(),
        });
        let lent_by = page.title_lent_by.as_deref().map(Into::into);
        let own = Crumb {
            label: label.into(),
            lent_by,
            path: page.path.value.as_str().into(),
        };
        List {
            page,
            words,
            trail: home.into_iter().chain([own]).collect(),
        }
    }
}

impl List<'_> {
    /// The list with a breadcrumb that does not repeat the name of the product.
    pub(super) fn named_without(mut self, product: &str) -> Self {
        if let Some(own) = self.trail.last_mut()
            && *own.label == *self.page.title
        {
            own.label = self
                .page
                .label
                .as_deref()
                .unwrap_or_else(|| self.page.name(product))
                .into();
        }
        self
    }
}

/// A page below a list, with the properties that it inherits from the list. The caller sets title, description and
/// body.
pub(super) fn derived_page(list: &List, key: String, name: &str, path: Spanned<String>) -> Page {
    let own = list.page;
    let last = Crumb {
        label: name.into(),
        lent_by: None,
        path: path.value.as_str().into(),
    };
    let breadcrumb = list.trail.iter().cloned().chain([last]).collect();
    Page {
        noindex: own.noindex,
        status: own.status,
        layout: own.layout.clone(),
        breadcrumb,
        partial: own.partial,
        ..Page::of_data(
            key,
            &own.locale,
            path,
            HeadTexts::default(),
            &own.source,
            Body::Sections,
        )
    }
}

/// Fills in a pattern of the list section. A placeholder without a value is left unchanged, and reported once.
pub(super) fn fill(
    pattern: &Field,
    list: &List,
    problems: &mut Problems,
    value: impl Fn(&str) -> Option<String>,
) -> String {
    let Field::Text(pattern) = pattern else {
        return String::new();
    };
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
        let place = yaml::place_of_text(source, &["sections"], &written);
        if !problems
            .iter()
            .any(|problem| problem.place.as_ref() == Some(&place))
        {
            let message = format!("`{written}` is not a placeholder here");
            problems.push(Problem::error(Code::UnknownPlaceholder, message).at(place));
        }
    }
    filled.unwrap_or_default()
}
