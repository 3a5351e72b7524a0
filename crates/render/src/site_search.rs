//! The values of the search of the site: the link in the header, and the form of the section `kind: search`.

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use assets::INDEX_FOLDER;
use config::SearchSettings;
use schema::types::Localized;
use site::model::{Body, Page};
use site::routes::Href;

use super::Renderer;
use super::lent;
use super::values::Values;

#[derive(Serialize)]
struct SearchContext {
    /// The address of the index.
    index: String,
    /// The path of the site, which addresses in the index do not have.
    base: String,
    /// Where browsers without JavaScript send the form, and the values that it sends with the words; `none` if nowhere.
    action: Option<String>,
    parameters: Vec<Parameter>,
    kinds: Vec<Choice>,
    filters: Vec<Choice>,
    /// The pages of the language, for browsers without JavaScript.
    pages: Vec<PageLink>,
}

#[derive(Serialize)]
struct Parameter {
    name: String,
    value: String,
}

#[derive(Serialize)]
struct Choice {
    name: String,
    label: String,
}

#[derive(Serialize)]
struct PageLink {
    label: String,
    link: Href,
}

/// Whether a page has the form of the search.
pub(super) fn is_on(page: &Page) -> bool {
    site::model::site_search::has_form(page)
}

impl Renderer<'_> {
    /// The address of the page with the form of the search in a language; `None` if the site has no search.
    pub(super) fn search_address(&self, locale: usize) -> Option<String> {
        self.settings.search.as_ref()?;
        Some(self.routes.href(&self.site.search_page(locale)?.path))
    }
}

/// The generated field of the section with the form.
pub(super) fn section(values: &Values) -> Vec<(String, Value)> {
    let (site, settings) = (values.site, values.settings);
    let code = &site.locales[values.locale].code;
    let default = SearchSettings::default();
    let search = settings.search.as_ref().unwrap_or(&default);
    let kinds = search.kinds.iter().filter(|kind| kind.weight > 0.0);
    let fallback = search.fallback_url();
    let parameters = fallback.iter().flat_map(|url| url.query_pairs());
    // The gallery shows an example, which does not follow the pages of the site.
    let is_example = matches!(values.page.body, Body::Gallery(_));
    let shown = site.pages.iter().filter(|page| {
        !is_example
            && page.locale == *code
            && page.number == 1
            && site.search_kind(page) == Some("pages")
    });
    let locales = &values.site.locales;
    let label = |labels: &Localized<String>| {
        Some(lent::of_code(
            labels.get(code)?,
            labels.lender(code),
            locales,
        ))
    };
    let name = |page: &Page| {
        lent::of_code(
            page.name(&settings.product.name),
            page.title_lent_by.as_deref(),
            locales,
        )
    };
    let context = SearchContext {
        index: settings.href(&format!("/{INDEX_FOLDER}/")),
        base: settings.href("/"),
        parameters: parameters
            .map(|(name, value)| Parameter {
                name: name.into(),
                value: value.into(),
            })
            .collect(),
        action: fallback.map(|mut url| {
            url.set_query(None);
            url.into()
        }),
        kinds: kinds
            .filter_map(|kind| {
                Some(Choice {
                    name: kind.name.value.clone(),
                    label: label(&kind.label)?,
                })
            })
            .collect(),
        filters: search
            .filters
            .iter()
            .filter_map(|filter| {
                Some(Choice {
                    name: filter.name.value.clone(),
                    label: label(&filter.label)?,
                })
            })
            .collect(),
        pages: shown
            .map(|page| PageLink {
                label: name(page),
                link: Href {
                    href: values.routes.href(&page.path),
                    external: false,
                    hreflang: None,
                },
            })
            .collect(),
    };
    vec![("search".to_owned(), Value::from(Serde(context)))]
}
