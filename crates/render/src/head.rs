//! The `<head>` of a page: the sharing picture, the theme color, the icons, the feeds.

use std::collections::BTreeSet;

use serde::Serialize;

use api_types::forms as contract;
use assets::graphics::Role;
use config::PolicyNeeds;
use content::collections::SETTINGS;
use content::sections::Band;
use schema::types::Embed;
use site::model::{BlogPage, Body, EntryFilterId, EntryId, Page};

use site::routes::Route;

use super::blog::{FeedLink, links, sequence};
use super::{Renderer, entry_feeds, entry_lists, forms, site_search, webmanifest};

/// The `head` of `templates/layouts/head.html`.
#[derive(Serialize)]
pub(super) struct HeadContext<'a> {
    /// The address that search engines list; `None` on a copy of the site that they must not list.
    pub canonical: Option<String>,
    /// `None` on pages with `noindex`, error pages among them.
    pub share: Option<SharingCard<'a>>,
    /// The content security policy, for hosts that set no headers.
    pub policy: Option<String>,
    /// The background color of the header.
    pub theme_color: Option<&'a str>,
    /// The same where it is dark, if it differs.
    pub theme_color_dark: Option<&'a str>,
    pub icons: Vec<IconLink>,
    /// The address of the page before this one in a list.
    pub previous: Option<String>,
    /// The address of the page after it.
    pub next: Option<String>,
    /// The feeds of the list that the page belongs to.
    pub feeds: Vec<FeedLink>,
    /// The address of the web manifest.
    pub webmanifest: Option<String>,
    /// The address of the same content as Markdown.
    pub markdown: Option<String>,
    /// The day on which a post was changed.
    pub modified: Option<String>,
}

/// Open Graph and Twitter card.
#[derive(Serialize)]
pub(super) struct SharingCard<'a> {
    /// `en` or `es_CO`: Open Graph separates language and country with an underscore.
    pub locale: String,
    pub alternate_locales: Vec<String>,
    pub image: Option<ShareImage<'a>>,
}

#[derive(Serialize)]
pub(super) struct ShareImage<'a> {
    pub url: String,
    pub width: u32,
    pub height: u32,
    pub alt: &'a str,
}

#[derive(Serialize)]
pub(super) struct IconLink {
    pub rel: &'static str,
    pub href: String,
    #[serde(rename = "type")]
    pub mime: &'static str,
    pub sizes: String,
}

impl Renderer<'_> {
    pub(super) fn head(&self, index: usize) -> HeadContext<'_> {
        let page = &self.site.pages[index];
        let (previous, next) = sequence(self.site, page);
        let of_entries = entry_lists::sequence(self.routes, page);
        let (previous, next) = (previous.or(of_entries.0), next.or(of_entries.1));
        HeadContext {
            canonical: self
                .settings
                .is_indexed()
                .then(|| self.routes.absolute(&page.path)),
            previous: previous.map(|path| self.routes.absolute(&path)),
            next: next.map(|path| self.routes.absolute(&path)),
            policy: self.settings.page_policy(&PolicyNeeds {
                captcha: forms::any(self.site, page, |form| form.captcha),
                uploads: forms::any(self.site, page, contract::Form::takes_files),
                search: site_search::is_on(page),
                embeds: self.frames_of(page),
            }),
            share: (!page.noindex).then(|| self.share(index)),
            theme_color: self.color(page.layout.header.background),
            theme_color_dark: self.dark_color(page.layout.header.background),
            icons: self.icon_links(),
            feeds: if self.settings.is_indexed() {
                self.feed_links(index)
            } else {
                Vec::new()
            },
            webmanifest: webmanifest::path(
                self.drawings,
                &self.site.locales[self.site.locale_index(&page.locale)],
            )
            .map(|path| self.routes.href(&path)),
            markdown: self
                .twin_file(page)
                .map(|file| self.routes.href(&format!("/{file}"))),
            modified: page
                .body
                .post()
                .and_then(|post| self.site.blog.post(post).changed(&self.settings.timezone))
                .map(|at| at.local().day.to_string()),
        }
    }

    /// The origins of the frames that a page can show. A template can show the fields of any entry on the page of an entry and
    /// in a list, and the settings of the site everywhere.
    fn frames_of(&self, page: &Page) -> BTreeSet<String> {
        let has_entries = matches!(page.body, Body::Entry(_) | Body::EntryFilter(_))
            || page.sections.iter().any(|section| section.lists.is_some());
        let known = self.settings.embed_origins();
        if has_entries || known.is_empty() {
            return known;
        }
        let mut origins = BTreeSet::new();
        let locale = self.site.locale_index(&page.locale);
        let settings = self.site.collections.find(SETTINGS, SETTINGS);
        let settings = settings
            .and_then(|id| self.site.collections.text(id, locale))
            .map(|text| &text.fields);
        self.site.fields(page).chain(settings).for_each(|fields| {
            fields.embeds(&mut |embed: &Embed| {
                origins.insert(embed.origin.clone());
            });
        });
        // Examples of the gallery name hosts that a site need not have.
        origins.intersection(&known).cloned().collect()
    }

    fn share(&self, index: usize) -> SharingCard<'_> {
        let page = &self.site.pages[index];
        let language = |page: &Page| {
            self.site.locales[self.site.locale_index(&page.locale)]
                .language
                .replace('-', "_")
        };
        let translations =
            (0..self.site.locales.len()).filter_map(|locale| self.routes.page(&page.key, locale));
        let others = translations
            .filter(|other| *other != index)
            .map(|other| &self.site.pages[other]);
        SharingCard {
            locale: language(page),
            alternate_locales: others
                .filter(|other| !other.noindex)
                .map(language)
                .collect(),
            image: self.share_image(index),
        }
    }

    /// The feeds of the blog, and on a tag's pages those of the tag.
    fn feed_links(&self, index: usize) -> Vec<FeedLink> {
        let page = &self.site.pages[index];
        let own = entry_feeds::links_of(self.site, self.routes, page);
        let Some(language) = self.site.blog.languages.get(&page.locale) else {
            return own;
        };
        let list = &self.site.pages[language.list.0];
        let mut feeds = own;
        if let Body::Blog(BlogPage::Tag(tag, _)) = page.body {
            let tag = &language.tags[tag];
            let path = format!("{}tag/{}/", list.path.value, tag.slug);
            feeds.extend(links(
                self.routes,
                &path,
                &format!("{}: {}", list.title, tag.name),
            ));
        }
        if matches!(page.body, Body::Blog(_)) || index == language.list.0 {
            feeds.extend(links(self.routes, &list.path.value, &list.title));
        }
        feeds
    }

    /// Whether a card was drawn with the title of a page.
    pub(super) fn has_card(&self, index: usize) -> bool {
        matches!(self.drawings.cards.get(index), Some(Some(_)))
    }

    /// The sharing picture: the page's own photograph, or else its card.
    pub(super) fn share_image(&self, index: usize) -> Option<ShareImage<'_>> {
        let page = &self.site.pages[index];
        if let Some(own) = page.photograph(&self.site.images) {
            let prepared = self.manifest.images.get(&own.src)?;
            let (width, height) = prepared.size?;
            return Some(ShareImage {
                url: self.routes.absolute_href(&prepared.src),
                width,
                height,
                alt: &own.alt,
            });
        }
        // Pages without a card use that of the page that lists them, or else that of the home page.
        let index = match (page.body, self.site.blog.languages.get(&page.locale)) {
            _ if self.has_card(index) => index,
            (Body::Blog(_), Some(language)) => language.list.0,
            (Body::Gallery(_), _) => self.site.gallery.list,
            (Body::EntryFilter(_), _) if !page.own_sections().is_empty() => index,
            (
                Body::Entry(EntryId { collection, .. })
                | Body::EntryFilter(EntryFilterId { collection, .. }),
                _,
            ) => {
                let locale = self.site.locale_index(&page.locale);
                let list =
                    self.site.collections.list[collection].lists[locale].map(|place| place.page);
                list.unwrap_or_else(|| {
                    match self.routes.get(&self.routes.home(self.site, locale)) {
                        Some(Route::Page { page, .. }) => *page,
                        _ => index,
                    }
                })
            }
            _ => index,
        };
        let page = &self.site.pages[index];
        let card = self.drawings.cards.get(index)?.as_ref()?;
        let alt = page.name(&self.settings.in_language(&page.locale).product.name);
        Some(ShareImage {
            url: self.routes.absolute_href(&card.src),
            width: card.width,
            height: card.height,
            alt,
        })
    }

    /// The color of a background where it is dark: that of its ground, or of the token of the brand on a site whose grounds have no
    /// tokens of their own.
    fn dark_color(&self, background: Band) -> Option<&str> {
        let ground = match background {
            Band::Paper => "ground",
            Band::White => "ground-raised",
            Band::Ink => "ground-ink",
            Band::Signal => "signal",
        };
        self.manifest
            .styles
            .dark(ground)
            .or_else(|| self.manifest.styles.dark(background.name()))
    }

    /// The PNG icons, and the SVG for browsers that support it.
    fn icon_links(&self) -> Vec<IconLink> {
        let mark = self
            .settings
            .icon
            .as_ref()
            .map(|icon| format!("/{}", icon.value));
        let mark = mark
            .filter(|path| self.routes.get(path).is_some())
            .map(|path| self.settings.href(&path));
        let link = |rel, href, mime, sizes| IconLink {
            rel,
            href,
            mime,
            sizes,
        };
        let drawn = self.drawings.icons.iter().filter_map(|icon| {
            let sizes = format!("{0}x{0}", icon.size);
            match icon.role {
                Role::Tab => Some(link("icon", icon.src.clone(), "image/png", sizes)),
                Role::Touch => Some(link(
                    "apple-touch-icon",
                    icon.src.clone(),
                    "image/png",
                    sizes,
                )),
                Role::App | Role::Maskable => None,
            }
        });
        // Browsers use the last icon that they support.
        let (tab, touch): (Vec<_>, Vec<_>) = drawn.partition(|icon| icon.rel == "icon");
        let svg = mark.map(|href| link("icon", href, "image/svg+xml", "any".into()));
        tab.into_iter().chain(svg).chain(touch).collect()
    }
}
