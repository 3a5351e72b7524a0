//! The template context of one page: a typed struct, in which sections are values.

use minijinja::Value;
use serde::Serialize;

use content::pages::Layout;
use languages::locale::{Locale, lent};
use site::model::Crumb;
use site::routes::Alternate;

use super::head::HeadContext;

/// The context of one page, in addition to that of its frame.
#[derive(Serialize)]
pub(super) struct PageContext<'a> {
    pub page: PageFields<'a>,
    pub head: HeadContext<'a>,
    pub languages: Vec<Language<'a>>,
    pub sidebar: Vec<super::style_guide::SidebarLink<'a>>,
    pub sections: Vec<Value>,
    /// The sections that it shares with other pages.
    pub closing: Vec<Value>,
    pub post: Option<super::blog::PostContext<'a>>,
    pub author: Option<super::blog::AuthorContext<'a>>,
    pub gallery: Option<super::style_guide::GalleryContext<'a>>,
    /// The entry whose page this is.
    pub entry: Option<Value>,
    /// The fields of the section that lists the collection of this page.
    pub list: Option<Value>,
    /// The value by which this page lists entries.
    pub filter: Option<Value>,
}

#[derive(Serialize)]
pub(super) struct PageFields<'a> {
    pub key: &'a str,
    pub title: &'a str,
    pub description: &'a str,
    pub path: String,
    pub url: String,
    pub noindex: bool,
    pub status: u16,
    pub layout: &'a Layout,
    /// The address of the page that lists the collection of this page.
    pub list: Option<String>,
    pub alternates: Vec<Alternate>,
    pub breadcrumb: Vec<Step<'a>>,
    pub structured_data: Vec<Value>,
}

#[derive(Serialize)]
pub(super) struct Step<'a> {
    pub label: String,
    pub path: &'a str,
}

impl<'a> Step<'a> {
    pub fn of(step: &'a Crumb, locales: &[Locale]) -> Step<'a> {
        Step {
            label: lent::of_code(&step.label, step.lent_by.as_deref(), locales),
            path: &step.path,
        }
    }
}

#[derive(Serialize)]
pub(super) struct Language<'a> {
    pub code: &'a str,
    pub name: &'a str,
    pub language: &'a str,
    pub href: String,
    pub current: bool,
}

#[derive(Serialize)]
pub(super) struct AssetsContext {
    pub css: Vec<String>,
    pub js: Vec<String>,
    pub preload: Vec<String>,
    /// The script that decides between light and dark; `none` if the site has no dark colors.
    pub scheme: Option<String>,
}
