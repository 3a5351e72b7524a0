//! The results of the site search: the kind of each page, the filters of entries, and the pages with its form.

use config::{SEARCH_KINDS, SearchFilter, SiteSettings};
use content::collections::field_at;
use content::pages::{FrameKind, Status};
use content::sections::SectionRole;
use diagnostics::problem::{Code, Place, Problem, Problems, did_you_mean};
use schema::Takes;

use super::page::{BlogPage, Body, Page};
use super::{Collection, Collections, Site};

/// Whether a page has the form of the search.
pub fn has_form(page: &Page) -> bool {
    page.sections
        .iter()
        .any(|section| section.kind.role == SectionRole::SiteSearch)
}

impl Site {
    /// The kind of a page, if the search can find it. Lists, pages that repeat a text at another place or in another language,
    /// and pages that search engines must not list have none.
    pub fn search_kind(&self, page: &Page) -> Option<&str> {
        let repeats = page.is_fallback || page.number > 1 || has_form(page);
        if page.noindex || page.status != Status::Found || repeats {
            return None;
        }
        match page.body {
            Body::Sections if page.layout.frame == FrameKind::StyleGuide => Some("style-guide"),
            Body::Sections => Some("pages"),
            Body::Blog(BlogPage::Post(_)) => Some("posts"),
            Body::Entry(id) => Some(self.collections.list[id.collection].schema.name),
            Body::Blog(_) | Body::Gallery(_) | Body::EntryFilter(_) => None,
        }
    }

    /// The page with the form of the search in a language.
    pub fn search_page(&self, locale: usize) -> Option<&Page> {
        let code = &self.locales[locale].code;
        self.pages.iter().find(|page| {
            page.locale == *code
                && page.body == Body::Sections
                && page.status == Status::Found
                && has_form(page)
        })
    }
}

/// Reports kinds that do not exist, a search that no page shows, and a page that shows a search which the site does not have.
pub(super) fn check(settings: &SiteSettings, site: &Site, problems: &mut Problems) {
    let Some(search) = &settings.search else {
        if let Some(page) = site
            .pages
            .iter()
            .find(|page| page.body == Body::Sections && has_form(page))
        {
            let message = format!(
                "`{}` has a section `kind: search`, but the site has no search",
                page.source.path
            );
            let problem = Problem::warning(Code::MissingKey, message)
                .at(Place::file(settings.source.path.clone()));
            problems.push(problem.hint("write `search: true`, or remove that section"));
        }
        return;
    };
    let known = |collections: &Collections| -> Vec<&str> {
        let collections = collections
            .list
            .iter()
            .filter(|collection| collection.schema.address.is_some());
        SEARCH_KINDS
            .into_iter()
            .chain(collections.map(|collection| collection.schema.name))
            .collect()
    };
    let known = known(&site.collections);
    for kind in &search.kinds {
        let name = kind.name.value.as_str();
        if !known.contains(&name) && !site.collections.broken.contains(name) {
            let message =
                format!("there is no kind `{name}`: no collection with pages has this name");
            let problem =
                Problem::error(Code::UnknownId, message).at(settings.source.place(kind.name.span));
            problems.push(problem.maybe_hint(did_you_mean(name, known.iter().copied())));
        }
    }
    for filter in &search.filters {
        check_filter(settings, filter, &site.collections, problems);
    }
    if !site.pages.iter().any(has_form) && site.broken_pages.is_empty() {
        let message = "the site has a search, but no page with a search form";
        let problem =
            Problem::error(Code::MissingKey, message).at(Place::file(settings.source.path.clone()));
        problems.push(problem.hint("add a page with a `kind: search` section, or remove `search`"));
    }
}

/// Reports collections and fields that a filter names and that do not exist, and fields without values for a choice.
fn check_filter(
    settings: &SiteSettings,
    filter: &SearchFilter,
    collections: &Collections,
    problems: &mut Problems,
) {
    let named = |name: &str| {
        collections
            .position(name)
            .map(|at| collections.list[at].schema)
    };
    let mut report = |problem: Problem, at| problems.push(problem.at(settings.source.place(at)));
    let name = &filter.name;
    let has_field = |collection: &Collection| collection.schema.fields.field(name).is_some();
    if filter.fields.is_empty() {
        let is_known = collections.list.iter().any(has_field);
        if !is_known && collections.broken.is_empty() {
            let fields = collections
                .list
                .iter()
                .flat_map(|collection| &collection.schema.fields.fields);
            let message = format!("no collection has a field `{}`", name.value);
            let near = did_you_mean(name, fields.map(|field| field.name));
            let near = near.unwrap_or_else(|| {
                "name a field for each collection: `fields: {team: clinics}`".to_owned()
            });
            report(
                Problem::error(Code::UnknownId, message).hint(near),
                name.span,
            );
        }
    }
    let of_name = collections
        .list
        .iter()
        .filter(|collection| filter.fields.is_empty() && has_field(collection));
    let of_name = of_name.map(|collection| (collection.schema.name, name));
    let of_fields = filter
        .fields
        .iter()
        .map(|(collection, path)| (collection.as_str(), path));
    for (collection, path) in of_name.chain(of_fields) {
        let Some(schema) = named(collection) else {
            if !collections.broken.contains(collection) {
                let known = collections
                    .list
                    .iter()
                    .map(|collection| collection.schema.name);
                let problem = Problem::error(
                    Code::UnknownId,
                    format!("there is no collection `{collection}`"),
                );
                report(
                    problem.maybe_hint(did_you_mean(collection, known)),
                    path.span,
                );
            }
            continue;
        };
        let takes = match field_at(schema, path, &named) {
            Ok(field) => field.map(|field| &field.takes),
            Err(problem) => {
                report(problem, path.span);
                continue;
            }
        };
        match takes {
            Some(
                Takes::Markdown
                | Takes::Link
                | Takes::Picture
                | Takes::DecorativePicture
                | Takes::Action
                | Takes::Block(_),
            ) => {
                let message = format!("`{collection}.{}` cannot be a filter", path.value);
                let problem = Problem::error(Code::UnknownId, message);
                report(
                    problem.hint(
                        "use a field that is a reference, a choice, text, a number or a flag",
                    ),
                    path.span,
                );
            }
            Some(Takes::Flag)
                if !["true", "false"]
                    .iter()
                    .any(|value| filter.values.contains_key(*value)) =>
            {
                let message = format!(
                    "`{collection}.{}` is `true` or `false`, but has no labels for visitors",
                    path.value
                );
                let problem = Problem::error(Code::MissingKey, message);
                report(
                    problem
                        .hint("add `values: {\"true\": {en: …}}` with a label for each language"),
                    path.span,
                );
            }
            Some(Takes::Choice { names, .. }) => {
                for value in filter
                    .values
                    .keys()
                    .filter(|value| !names.contains(&value.as_str()))
                {
                    let message = format!("`{collection}.{}` has no value `{value}`", path.value);
                    let near = did_you_mean(value, names.iter().copied());
                    report(
                        Problem::error(Code::UnknownId, message).maybe_hint(near),
                        name.span,
                    );
                }
            }
            _ => {}
        }
    }
}
