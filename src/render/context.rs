//! The template context: one typed struct for a page, and sections as values.

use std::borrow::Cow;
use std::collections::BTreeMap;

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use crate::assets::Manifest;
use crate::config::SiteSettings;
use crate::content::images::ImageKind;
use crate::content::pages::Layout;
use crate::content::rich::{InlinePicture, Piece};
use crate::locale::Direction;
use crate::model::fields::Picture;
use crate::model::{Crumb, Field, Page, Rich, Site};
use crate::routes::{Alternate, Href, Routes};
use api_types::html::escape;

use super::blog::PostViews;
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

/// Converts fields to template values, for one page.
pub(super) struct Values<'a> {
    pub settings: &'a SiteSettings,
    pub site: &'a Site,
    pub routes: &'a Routes,
    pub manifest: &'a Manifest,
    pub shared: &'a PostViews,
    pub locale: usize,
    pub page: &'a Page,
}

impl Values<'_> {
    /// Resolves a link. The plan stage has checked all links, so none is dead here.
    pub fn link(&self, to: &str) -> Href {
        self.routes.resolve(self.site, to, self.locale, Some(self.page)).unwrap_or_else(|_| Href::as_written(to))
    }

    pub fn field(&self, field: &Field) -> Value {
        match field {
            Field::None => Value::from(()),
            Field::Bool(value) => Value::from(*value),
            Field::Text(text) => Value::from(text.as_str()),
            Field::Rich(rich) => Value::from_safe_string(self.html(rich)),
            Field::Link(target) => Value::from(Serde(self.link(&target.to))),
            Field::Image(picture) => self.picture(picture),
            Field::List(items) => items.iter().map(|item| self.field(item)).collect::<Vec<_>>().into(),
            Field::Map(entries) => Value::from(
                entries.iter().map(|(key, field)| (key.clone(), self.field(field))).collect::<BTreeMap<_, _>>(),
            ),
        }
    }

    pub fn html(&self, rich: &Rich) -> String {
        rich.pieces.iter().map(|piece| self.piece(piece)).collect()
    }

    /// The HTML of a piece of rich text, with the attributes of its link, or its picture, filled in.
    pub fn piece<'p>(&self, piece: &'p Piece) -> Cow<'p, str> {
        match piece {
            Piece::Html(text) => text.as_str().into(),
            Piece::Link(target) => attributes(&self.link(&target.to)).into(),
            Piece::Picture(picture) => self.inline_picture(picture).into(),
        }
    }

    /// A picture in rich text, with its size, so that the layout does not shift, and with lazy loading.
    fn inline_picture(&self, picture: &InlinePicture) -> String {
        let (width, height) =
            self.site.images.get(&picture.src).map_or((0, 0), |used| (used.file.width, used.file.height));
        let prepared = self.manifest.images.get(&picture.src).cloned().unwrap_or_default();
        let source = |(mime, srcset): &(&str, String)| {
            format!("<source type=\"{mime}\" srcset=\"{srcset}\" sizes=\"(min-width: 768px) 736px, 100vw\">")
        };
        let sources = prepared.sources.iter().map(source).collect::<Vec<_>>().concat();
        let class = prepared.tint.map(|tint| format!(" class=\"{tint}\"")).unwrap_or_default();
        format!(
            "<picture>{sources}<img src=\"{}\" alt=\"{}\" width=\"{width}\" height=\"{height}\" loading=\"lazy\" decoding=\"async\"{class}></picture>",
            prepared.src,
            escape(&picture.alt)
        )
    }

    pub fn picture(&self, picture: &Picture) -> Value {
        let file = self.site.images.get(&picture.src).map(|image| &image.file);
        let prepared = self.manifest.images.get(&picture.src).cloned().unwrap_or_default();
        let svg = file.and_then(|file| match &file.kind {
            ImageKind::Vector(svg) => Some(Value::from_safe_string(with_role(svg, &picture.alt))),
            ImageKind::Raster => None,
        });
        let source = |(mime, srcset): &(&'static str, String)| {
            Value::from(BTreeMap::from([("type", Value::from(*mime)), ("srcset", Value::from(srcset.as_str()))]))
        };
        Value::from(BTreeMap::from([
            ("src", Value::from(prepared.src.as_str())),
            ("alt", Value::from(picture.alt.as_str())),
            ("width", Value::from(file.map_or(0, |file| file.width))),
            ("height", Value::from(file.map_or(0, |file| file.height))),
            ("sources", Value::from(prepared.sources.iter().map(source).collect::<Vec<_>>())),
            ("tint", prepared.tint.as_deref().map_or_else(|| Value::from(()), Value::from)),
            ("svg", svg.unwrap_or_else(|| Value::from(()))),
        ]))
    }
}

/// Sets `role="img"` and `aria-label`, or `aria-hidden` for decorative art.
fn with_role(svg: &str, alt: &str) -> String {
    let role = if alt.is_empty() {
        r#" aria-hidden="true" focusable="false""#.to_owned()
    } else {
        format!(r#" role="img" aria-label="{}""#, escape(alt))
    };
    svg.replacen("<svg", &format!("<svg{role}"), 1)
}

/// The attributes of a link in rich text.
fn attributes(link: &Href) -> String {
    let hreflang = link.hreflang.as_ref().map(|language| format!(" hreflang=\"{language}\"")).unwrap_or_default();
    let external = if link.external { " rel=\"external noopener\"" } else { "" };
    format!(" href=\"{}\"{hreflang}{external}", escape(&link.href))
}
