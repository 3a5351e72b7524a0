//! The frame that all pages of a language share: header, footer, company. Its context and its fingerprint are made
//! once per language.

use std::sync::Arc;

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use crate::MADE_BY;
use config::Product;
use config::look::Look;
use content::collections::SETTINGS;
use languages::locale::Direction;
use manifest::{Dependency, Fingerprint};
use site::model::{Brand, LabeledLink, MenuItem, Words};
use site::routes::Href;
use workspace::sources::{Hash, hash_value};

use super::entries::EntryObject;
use super::{Renderer, environment, lent};

/// The context and the dependencies that all pages of a language share.
pub(super) struct Frame {
    /// The context, as a template value.
    pub value: Value,
    /// The hashes of the dependencies that are the same for all pages of this language.
    pub fingerprint: Fingerprint,
}

/// The context that all pages of a language share.
#[derive(Serialize)]
struct FrameContext<'a> {
    site: SiteContext<'a>,
    locale: LocaleContext<'a>,
    menu: Vec<MenuEntryView>,
    call_to_action: MenuLink,
    footer: FooterContext,
    social: Vec<SocialLink<'a>>,
}

#[derive(Serialize)]
struct SiteContext<'a> {
    product: &'a Product,
    company: CompanyContext<'a>,
    customer_app: Option<&'a str>,
    copyright_year: u32,
    base_url: &'a str,
    tag_manager: Option<&'a str>,
    /// Whether the site has dark colors, between which and the others a visitor can choose.
    dark: bool,
    /// The variants of the theme that the site has chosen.
    look: &'a Look,
    /// The banner; `none` if the site asks for no consent.
    consent: Option<ConsentContext<'a>>,
    /// The parameters of campaigns that forms send, separated by blanks; `none` if nothing of a visit is kept.
    campaigns: Option<String>,
    brand: &'a Brand,
    /// Address of the page with the form of the search; `none` if the site has no search.
    search: Option<String>,
    /// The settings that the site declares itself; `none` without them.
    own: Value,
}

/// Who counts visits, for the banner that asks for consent.
#[derive(Serialize)]
struct ConsentContext<'a> {
    service: &'a str,
    purposes: &'a [String],
    privacy: Option<Href>,
}

#[derive(Serialize)]
struct CompanyContext<'a> {
    name: &'a str,
    legal_name: Option<&'a str>,
    email: Option<&'a str>,
    phone: Option<&'a str>,
    emergency_phone: Option<&'a str>,
    address: &'a [String],
    hours: Option<String>,
    founded: Option<u32>,
}

#[derive(Serialize)]
struct LocaleContext<'a> {
    code: &'a str,
    name: &'a str,
    language: &'a str,
    direction: Direction,
    home: String,
}

/// A link, or a label with links below it.
#[derive(Serialize)]
struct MenuEntryView {
    label: String,
    link: Option<Href>,
    children: Option<Vec<MenuLink>>,
}

#[derive(Serialize)]
struct MenuLink {
    label: String,
    link: Href,
}

#[derive(Serialize)]
struct FooterContext {
    tagline: String,
    groups: Vec<FooterGroupView>,
}

#[derive(Serialize)]
struct FooterGroupView {
    title: String,
    links: Vec<MenuLink>,
}

#[derive(Serialize)]
struct SocialLink<'a> {
    name: &'a str,
    icon: &'a str,
    link: Href,
}

impl FrameContext<'_> {
    /// The hash of each value, with its name as an editor knows it.
    fn named(&self) -> impl Iterator<Item = (String, Hash)> {
        // Destructured without `..`, so that a new field cannot be forgotten.
        let FrameContext {
            site,
            locale,
            menu,
            call_to_action,
            footer,
            social,
        } = self;
        let SiteContext {
            product,
            company,
            customer_app,
            copyright_year,
            base_url,
            tag_manager,
            dark,
            look,
            consent,
            campaigns,
            brand,
            search,
            own: settings,
        } = site;
        let FooterContext { tagline, groups } = footer;
        let entries = |what: &str, links: &[MenuLink]| {
            let labels: Vec<&str> = links.iter().map(|link| link.label.as_str()).collect();
            let targets: Vec<&Href> = links.iter().map(|link| &link.link).collect();
            [
                (format!("the label of {what}"), hash_value(&labels)),
                (format!("the URL of {what}"), hash_value(&targets)),
            ]
        };
        let own = [
            ("the product", hash_value(product)),
            ("the company", hash_value(company)),
            ("the URL of the customer login", hash_value(customer_app)),
            ("the copyright year", hash_value(copyright_year)),
            ("`base_url`", hash_value(base_url)),
            ("the tag manager", hash_value(tag_manager)),
            ("`dark` in `content/design.yaml`", hash_value(dark)),
            ("`look` in `content/design.yaml`", hash_value(look)),
            ("the service that counts visits", hash_value(consent)),
            ("`leads.campaigns`", hash_value(campaigns)),
            ("the URL of the search", hash_value(search)),
            ("a drawing in `content/images/brand/`", hash_value(brand)),
            ("the settings of the site", hash_value(settings)),
            ("the language", hash_value(locale)),
            ("the tagline of the footer", hash_value(tagline)),
            (
                "the title of a group in the footer",
                hash_value(&groups.iter().map(|group| &group.title).collect::<Vec<_>>()),
            ),
            ("a social profile", hash_value(social)),
        ];
        let grouped = groups.iter().enumerate().flat_map(move |(at, group)| {
            entries(
                &format!("an entry in group {} of the footer", at + 1),
                &group.links,
            )
        });
        let links = menu.iter().map(|entry| {
            (
                &entry.label,
                entry.children.iter().flatten().map(|link| &link.label),
            )
        });
        let labels: Vec<(&String, Vec<&String>)> = links
            .map(|(label, below)| (label, below.collect()))
            .collect();
        let targets: Vec<(&Option<Href>, Vec<&Href>)> = menu
            .iter()
            .map(|entry| {
                (
                    &entry.link,
                    entry
                        .children
                        .iter()
                        .flatten()
                        .map(|link| &link.link)
                        .collect(),
                )
            })
            .collect();
        let menu = [
            ("the label of a menu entry".to_owned(), hash_value(&labels)),
            ("the URL of a menu entry".to_owned(), hash_value(&targets)),
        ];
        let button =
            entries("the call to action", std::slice::from_ref(call_to_action)).into_iter();
        own.into_iter()
            .map(|(name, hash)| (name.to_owned(), hash))
            .chain(menu)
            .chain(button)
            .chain(grouped)
    }
}

impl Renderer<'_> {
    /// The settings that the site declares itself. A page that shows them depends on them, as on other entries.
    fn own_settings(&self, locale: usize) -> Value {
        let id = self.site.collections.find(SETTINGS, SETTINGS);
        let views = Arc::downgrade(&self.entries[locale]);
        id.map_or_else(
            || Value::from(()),
            |id| EntryObject::value(&views, &self.site.collections, id),
        )
    }

    /// The context that all pages of a language share, with its fingerprint.
    pub(super) fn frame(&self, locale: usize) -> Frame {
        let (site, settings, frame) = (self.site, self.settings, &self.site.frames[locale]);
        let link = |to: &str| {
            self.routes
                .resolve(site, to, locale, None)
                .unwrap_or_else(|_| Href::as_written(to))
        };
        let words = |words: &Words| lent::words(words, &site.locales);
        let menu_link = |entry: &LabeledLink| MenuLink {
            label: words(&entry.label),
            link: link(&entry.target.to),
        };
        let settings = settings.in_language(&site.locales[locale].code);
        let company = &settings.company;
        let own = &site.locales[locale];
        let context = FrameContext {
            site: SiteContext {
                product: &settings.product,
                company: CompanyContext {
                    name: &company.name,
                    legal_name: company.legal_name.as_deref(),
                    email: company.email.as_deref(),
                    phone: company.phone.as_deref(),
                    emergency_phone: company.emergency_phone.as_deref(),
                    address: &frame.address,
                    hours: frame.hours.as_ref().map(words),
                    founded: company.founded,
                },
                customer_app: settings.customer_app.as_deref(),
                copyright_year: settings.copyright_year,
                base_url: self.routes.hosts().of_locale(&own.code),
                tag_manager: settings.tag_manager_frame(),
                dark: self.manifest.scheme_script.is_some(),
                look: self.manifest.styles.look(),
                consent: settings
                    .visits
                    .as_ref()
                    .filter(|visits| visits.needs_consent)
                    .map(|visits| ConsentContext {
                        service: &visits.title,
                        purposes: &visits.purposes,
                        privacy: frame.privacy.as_ref().map(|target| link(&target.to)),
                    }),
                campaigns: settings.leads.campaign_names().map(|names| names.join(" ")),
                brand: &site.brand,
                search: self.search_address(locale),
                own: self.own_settings(locale),
            },
            locale: LocaleContext {
                code: &own.code,
                name: &own.name,
                language: &own.language,
                direction: own.direction,
                home: settings.href(&self.routes.home(site, locale)),
            },
            menu: frame
                .menu
                .iter()
                .map(|item| match item {
                    MenuItem::Link(entry) => {
                        let MenuLink { label, link } = menu_link(entry);
                        MenuEntryView {
                            label,
                            link: Some(link),
                            children: None,
                        }
                    }
                    MenuItem::Group(label, links) => MenuEntryView {
                        label: words(label),
                        link: None,
                        children: Some(links.iter().map(menu_link).collect()),
                    },
                })
                .collect(),
            call_to_action: menu_link(&frame.call_to_action),
            footer: FooterContext {
                tagline: words(&frame.tagline),
                groups: frame
                    .footer
                    .iter()
                    .map(|(title, links)| FooterGroupView {
                        title: words(title),
                        links: links.iter().map(menu_link).collect(),
                    })
                    .collect(),
            },
            social: frame
                .social
                .iter()
                .map(|(name, icon, target)| SocialLink {
                    name,
                    icon,
                    link: link(&target.to),
                })
                .collect(),
        };
        let mut fingerprint = Fingerprint::default();
        let islands = &self.manifest.islands;
        fingerprint.add(Dependency::Sitegen, &MADE_BY);
        fingerprint.add(Dependency::Settings, &settings.budgets);
        let words = || environment::vocabulary(own, &site.locales);
        fingerprint.add(Dependency::Words, &words().collect::<Vec<_>>());
        fingerprint.add(Dependency::Icons, &self.manifest.icons.version());
        let server = islands.server.as_ref().map(|server| &server.hash);
        fingerprint.add(
            Dependency::Islands,
            &(&islands.scripts, &islands.mount, server, islands.broken),
        );
        fingerprint.add(
            Dependency::StaticFiles,
            &site
                .static_files
                .iter()
                .map(|file| &file.path)
                .collect::<Vec<_>>(),
        );
        fingerprint.add(Dependency::Frame, &context);
        let named = words()
            .map(|(key, word)| (format!("the interface message `{key}`"), hash_value(&word)));
        self.render_cache
            .compare(&own.code, Dependency::Words, named);
        self.render_cache
            .compare(&own.code, Dependency::Frame, context.named());
        let budgets = [(
            "`budgets` in `site.yaml`".to_owned(),
            hash_value(&settings.budgets),
        )];
        self.render_cache
            .compare(&own.code, Dependency::Settings, budgets.into_iter());
        Frame {
            value: Value::from(Serde(context)),
            fingerprint,
        }
    }
}
