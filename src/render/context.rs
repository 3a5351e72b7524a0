//! The template context: one typed struct for a page, and sections as values.

use minijinja::Value;
use serde::Serialize;

use crate::content::pages::Layout;
use crate::locale::Direction;
use crate::model::Crumb;
use crate::routes::{Alternate, Href};

use super::head::HeadContext;

/// The context that all pages of a language share.
#[derive(Serialize)]
pub(super) struct FrameContext<'a> {
    pub site: SiteContext<'a>,
    pub locale: LocaleContext<'a>,
    pub menu: Vec<MenuLink>,
    pub call_to_action: MenuLink,
    pub footer: FooterContext<'a>,
    pub social: Vec<SocialLink<'a>>,
}

/// The context of one page, in addition to the shared one.
#[derive(Serialize)]
pub(super) struct PageContext<'a> {
    pub page: PageFields<'a>,
    pub head: HeadContext<'a>,
    pub languages: Vec<Language<'a>>,
    pub sidebar: Vec<super::style_guide::SidebarLink<'a>>,
    pub sections: Vec<Value>,
    pub study: Option<super::case_studies::StudyContext<'a>>,
    pub post: Option<super::blog::PostContext<'a>>,
    pub author: Option<super::blog::AuthorContext<'a>>,
    pub gallery: Option<super::style_guide::GalleryContext<'a>>,
}

#[derive(Serialize)]
pub(super) struct SiteContext<'a> {
    pub product: &'a crate::config::Product,
    pub company: CompanyContext<'a>,
    pub customer_app: Option<&'a str>,
    pub copyright_year: u32,
    pub base_url: &'a str,
    pub tag_manager: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct CompanyContext<'a> {
    pub name: &'a str,
    pub legal_name: Option<&'a str>,
    pub email: Option<&'a str>,
    pub phone: Option<&'a str>,
    pub emergency_phone: Option<&'a str>,
    pub address: &'a [String],
    pub hours: Option<&'a str>,
    pub founded: Option<u32>,
}

#[derive(Serialize)]
pub(super) struct LocaleContext<'a> {
    pub code: &'a str,
    pub name: &'a str,
    pub language: &'a str,
    pub direction: Direction,
    pub home: String,
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
    pub alternates: Vec<Alternate>,
    pub breadcrumb: &'a [Crumb],
    pub structured_data: Vec<Value>,
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
pub(super) struct MenuLink {
    pub label: String,
    pub link: Href,
}

#[derive(Serialize)]
pub(super) struct FooterContext<'a> {
    pub tagline: &'a str,
    pub groups: Vec<FooterGroup<'a>>,
}

#[derive(Serialize)]
pub(super) struct FooterGroup<'a> {
    pub title: &'a str,
    pub links: Vec<MenuLink>,
}

#[derive(Serialize)]
pub(super) struct SocialLink<'a> {
    pub name: &'a str,
    pub icon: &'a str,
    pub link: Href,
}

#[derive(Serialize)]
pub(super) struct AssetsContext {
    pub css: Vec<String>,
    pub js: Vec<String>,
    pub preload: Vec<String>,
}
