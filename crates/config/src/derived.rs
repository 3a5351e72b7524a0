//! Values derived from the settings of a site: its URLs, and the values of placeholders.

use std::borrow::Cow;

use super::SiteSettings;

impl SiteSettings {
    /// The base URL without a trailing slash: `https://example.com/docs`.
    pub fn base_url(&self) -> &str {
        self.base_url.value.trim_end_matches('/')
    }

    /// The path of the base URL without a trailing slash: `/docs`. Empty if the site is at the root of its host.
    ///
    /// Content, routes and files of `dist/` have no such prefix; only addresses in published files do.
    pub fn base_path(&self) -> &str {
        api_types::base_url::parts(self.base_url()).1
    }

    /// The address of a path of the site (`/about/`) as it is written in published files: `/docs/about/`.
    pub fn href(&self, path: &str) -> String {
        [self.base_path(), path].concat()
    }

    /// The path of the site that an address leads to: the inverse of [`SiteSettings::href`]. An address that is not
    /// below the base path is returned unchanged.
    pub fn path_of<'a>(&self, href: &'a str) -> &'a str {
        href.strip_prefix(self.base_path()).unwrap_or(href)
    }

    /// Scheme and host of the API without a trailing slash; empty if the API is on the site's own host.
    pub fn api_url(&self) -> &str {
        self.api_url
            .as_ref()
            .map_or("", |url| url.value.trim_end_matches('/'))
    }

    /// The address of a path of the API, such as `/api/leads`, as it is written in published files. On the site's own
    /// host the API is below the base path, like the pages.
    pub fn api_href(&self, path: &str) -> String {
        if self.api_url().is_empty() {
            self.href(path)
        } else {
            [self.api_url(), path].concat()
        }
    }

    /// Whether search engines may list the site.
    pub fn is_indexed(&self) -> bool {
        self.indexed.unwrap_or(true)
    }

    /// The first locale. Its URLs have no prefix.
    pub fn default_locale(&self) -> &str {
        self.locales.first().map_or("", |code| code.value.as_str())
    }

    /// `""` for the default locale, `/es` for another, and `/pt-br` for `pt-BR`.
    pub fn prefix(&self, locale: &str) -> String {
        if locale == self.default_locale() {
            String::new()
        } else {
            format!("/{}", locale.to_ascii_lowercase())
        }
    }

    /// The value of a placeholder such as `product.name`; `None` if the name is unknown or the site does not set it.
    /// If its block in `site.yaml` could not be read, the value is empty, to avoid a second problem.
    pub fn placeholder(&self, name: &str) -> Option<Cow<'_, str>> {
        let (product, company, leads) = (&self.product, &self.company, &self.leads);
        let number = |number: Option<u32>| number.map(|number| Cow::Owned(number.to_string()));
        let value = match name {
            "product.name" => Some(product.name.as_str().into()),
            "product.slug" => Some(product.slug.as_str().into()),
            "company.name" => Some(company.name.as_str().into()),
            "company.legal_name" => company.legal_name.as_deref().map(Cow::from),
            "company.email" => company.email.as_deref().map(Cow::from),
            "company.phone" => company.phone.as_deref().map(Cow::from),
            "company.emergency_phone" => company.emergency_phone.as_deref().map(Cow::from),
            "company.founded" => number(company.founded),
            "leads.keep_days" => number(leads.keep_days),
            "leads.keep_months" => number(leads.keep_months()),
            "customer_app" => self.customer_app.as_deref().map(Cow::from),
            _ => return None,
        };
        let block = name.split('.').next().unwrap_or(name);
        value.or_else(|| self.unread.contains(block).then_some(Cow::Borrowed("")))
    }

    /// The names that [`SiteSettings::placeholder`] knows.
    pub const PLACEHOLDERS: &[&str] = &[
        "product.name",
        "product.slug",
        "company.name",
        "company.legal_name",
        "company.email",
        "company.phone",
        "company.emergency_phone",
        "company.founded",
        "leads.keep_days",
        "leads.keep_months",
        "customer_app",
    ];
}
