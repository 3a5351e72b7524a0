//! The resolved site: translations linked by key, texts filled in and rendered, references checked.
//!
//! Everything here is final except URLs, which the next stage plans.

pub mod absent;
pub mod blog;
pub mod brand;
pub mod collections;
mod embeds;
pub mod fields;
pub mod forms;
pub mod gallery;
mod link_texts;
mod list;
mod menus;
pub mod page;
mod pages;
pub mod shared;
pub mod site_search;
pub mod style_guide;

use std::collections::BTreeMap;
use std::sync::Arc;

use config::{MenuEntry, SiteSettings};
use content::collections::POSTS;
use content::sections::SectionRole;
use content::{BrokenPage, Content};
use diagnostics::marks::without;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};
use diagnostics::yaml::Spanned;
use languages::locale::Locale;
use schema::types::Localized;

pub use absent::{Absent, AbsentPage};
pub use blog::Blog;
pub use brand::{Art, Brand};
pub use collections::{Collection, Collections};
pub use fields::{Field, UsedImage};
pub use forms::Forms;
pub use gallery::Gallery;
pub use page::{BlogPage, Body, Crumb, EntryFilterId, EntryId, Page, Section};
pub use style_guide::StyleGuide;
pub use text::rich::{Rich, Target};

/// The resolved site.
#[derive(Debug)]
pub struct Site {
    /// The locales, the default one first.
    pub locales: Vec<Locale>,
    /// All pages. Pages with the same key are translations of each other.
    pub pages: Vec<Page>,
    /// Sections that pages share, as pages without an address: they were added to the pages that show them.
    pub shared: Vec<Page>,
    /// The collections that the site declares.
    pub collections: Arc<Collections>,
    /// The forms that the site declares.
    pub forms: Forms,
    /// Posts, and the pages that list them.
    pub blog: Blog,
    /// The sidebar and color pairs of the style guide.
    pub style_guide: StyleGuide,
    /// The gallery of the style guide.
    pub gallery: Gallery,
    /// The frame of each locale, in the order of `locales`.
    pub frames: Vec<Frame>,
    /// The drawings of the brand.
    pub brand: Brand,
    /// Files in `static/`.
    pub static_files: Vec<content::StaticFile>,
    /// Pictures that a page uses, by their key in [`content::Images`].
    pub images: BTreeMap<String, UsedImage>,
    /// Pages whose files could not be read. Links to them are not reported as dead.
    pub broken_pages: Vec<BrokenPage>,
    /// Pages and posts that are not public now.
    pub absent: Absent,
    /// Where pages lead on when they are gone, now or later.
    pub leads_on: Vec<LeadsOn>,
    /// The text of `site.yaml`, for problems that later stages find.
    pub settings_source: Arc<Source>,
}

/// Where the address of a page leads when it has expired.
#[derive(Debug, Clone)]
pub struct LeadsOn {
    /// The key of the page.
    pub key: String,
    /// Its locale.
    pub locale: String,
    /// The target.
    pub target: Target,
    /// The file that states it.
    pub source: Arc<Source>,
}

/// Header and footer of the pages of a locale.
#[derive(Debug)]
pub struct Frame {
    /// The menu.
    pub menu: Vec<MenuItem>,
    /// The button next to the menu.
    pub call_to_action: LabeledLink,
    /// One line about the company.
    pub tagline: Words,
    /// Columns of links in the footer: title and links.
    pub footer: Vec<(Words, Vec<LabeledLink>)>,
    /// Profiles on social networks: name, icon, URL.
    pub social: Vec<(String, String, Target)>,
    /// The page about privacy, to which the banner links that asks for consent.
    pub privacy: Option<Target>,
    /// Office hours.
    pub hours: Option<Words>,
    /// Postal address, line by line.
    pub address: Vec<String>,
}

/// A text of a language.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// The text.
    pub text: String,
    /// The code of the language that lends it, if it is not in the language of the page.
    pub lent_by: Option<String>,
}

impl Words {
    /// A text in the language of the page.
    pub fn of_page(text: String) -> Words {
        Words {
            text,
            lent_by: None,
        }
    }
}

/// An entry of the menu.
#[derive(Debug)]
pub enum MenuItem {
    /// A link.
    Link(LabeledLink),
    /// A label with links below it.
    Group(Words, Vec<LabeledLink>),
}

impl Frame {
    /// The links of the menu and of the footer.
    pub fn links(&self) -> impl Iterator<Item = &LabeledLink> {
        let menu = self.menu.iter().flat_map(|item| match item {
            MenuItem::Link(link) => std::slice::from_ref(link),
            MenuItem::Group(_, links) => links,
        });
        menu.chain(self.footer.iter().flat_map(|(_, links)| links))
    }
}

/// A link with its label.
#[derive(Debug, Clone)]
pub struct LabeledLink {
    /// The label.
    pub label: Words,
    /// The target.
    pub target: Target,
}

impl Site {
    /// Index of a locale in `locales`; 0 if it is unknown.
    pub fn locale_index(&self, code: &str) -> usize {
        self.locales
            .iter()
            .position(|locale| locale.code == code)
            .unwrap_or(0)
    }

    /// The entry of an author; `None` for one of a CMS.
    pub fn author_entry(&self, slug: &str) -> Option<EntryId> {
        self.blog.author_entry(&self.collections, slug)
    }

    /// The entry of a post; `None` if nothing in the site shows posts as entries.
    pub fn post_entry(&self, index: usize) -> Option<EntryId> {
        self.collections.find(POSTS, &self.blog.post(index).key)
    }

    /// The files of an author in a language.
    pub fn author_files(&self, slug: &str, code: &str) -> Vec<String> {
        let text = self
            .author_entry(slug)
            .and_then(|id| self.collections.text(id, self.locale_index(code)));
        let paths = text.into_iter().flat_map(|text| text.source.paths());
        paths
            .filter(|path| !path.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// Whether a page shows text of a CMS: one of a post, or that of all posts in a list.
    pub fn is_foreign(&self, page: &Page) -> bool {
        self.blog.is_foreign(page.body)
            || self.blog.is_of_cms()
                && page
                    .sections
                    .iter()
                    .any(|section| section.kind.role == SectionRole::PostList)
    }

    /// All field trees of a page: those of its sections, and that of its entry or gallery entry.
    pub fn fields<'a>(&'a self, page: &'a Page) -> impl Iterator<Item = &'a Field> {
        self.own_fields(page)
            .chain(page.shared_sections().iter().map(|section| &section.fields))
    }

    /// Those whose places are in the files of the page: without the sections that it shares with others.
    pub fn own_fields<'a>(&'a self, page: &'a Page) -> impl Iterator<Item = &'a Field> {
        let data = match page.body {
            Body::Gallery(index) => Some(&self.gallery.parts[index].values),
            Body::Entry(id) => self
                .collections
                .text(id, self.locale_index(&page.locale))
                .map(|text| &text.fields),
            Body::Blog(BlogPage::Post(index)) => {
                let id = self.post_entry(index);
                id.and_then(|id| self.collections.text(id, self.locale_index(&page.locale)))
                    .map(|text| &text.fields)
            }
            Body::Sections | Body::Blog(_) | Body::EntryFilter(_) => None,
        };
        page.own_sections()
            .iter()
            .map(|section| &section.fields)
            .chain(data)
    }
}

/// Resolves the content of all source files.
pub fn resolve(settings: &SiteSettings, content: &Content) -> (Site, Problems) {
    let mut problems = Problems::new();
    let mut used = BTreeMap::new();
    let mut pages: Vec<Page> = content
        .pages
        .iter()
        .map(|file| {
            pages::resolve(
                settings.in_language(&file.locale),
                file,
                &content.images,
                &mut used,
                &mut problems,
            )
        })
        .collect();
    let shared = shared::resolve(settings, content, &mut used, &mut problems);
    let (mut collections, derived, pictures) =
        collections::resolve(settings, content, &mut pages, &mut problems);
    collections::check_sections(content, &mut collections, &shared, &mut problems);
    pages.extend(derived);
    // The pictures of entries are used before these, once it is known which entries pages show.
    let mut used_later = BTreeMap::new();
    let mut blog = blog::resolve(settings, content, &mut used_later, &mut problems);
    let (derived, broken_posts) = blog::pages(content, &mut blog, &pages, &mut problems);
    pages.extend(derived);
    let (gallery, derived) =
        gallery::resolve(settings, content, &pages, &mut used_later, &mut problems);
    pages.extend(derived);
    shared::add(content, &shared, &mut pages, &mut problems);
    let forms = forms::resolve(
        settings,
        content,
        &collections,
        &mut pages,
        &mut used_later,
        &mut problems,
    );
    collections::use_pictures(content, &collections, &pages, &gallery, pictures, &mut used);
    for (src, image) in used_later {
        used.entry(src)
            .or_insert_with(|| image.clone())
            .widths
            .extend(image.widths);
    }
    for page in pages.iter_mut().filter(|page| !states_change(page, &blog)) {
        let recorded = content
            .changed_lock
            .get(&page.path.value)
            .and_then(|recorded| recorded.day.as_ref());
        // The day on which a post was published is that of its first text.
        page.updated = recorded.max(page.updated.as_ref()).cloned();
    }
    embeds::check(settings, &[&pages, &shared], &collections, &mut problems);
    pages::check(&pages, &blog, &collections, &mut problems);
    let style_guide = problems.take(style_guide::resolve(settings, content));
    menus::check(settings, &collections, &mut problems);
    let locales = content.locales.iter().enumerate();
    let absent = absent::resolve(settings, content, &pages, &blog, &collections);
    let frames = locales
        .map(|locale| {
            frame(
                settings,
                &collections,
                &|to: &str| absent::is_absent(to, &pages, &absent, &collections),
                &pages,
                &locale,
                &content.locales,
                &mut problems,
            )
        })
        .collect();
    let leads_on = content.pages.iter().filter_map(|page| {
        let to = page.head.expired_to.as_ref()?;
        let to = Spanned {
            value: content::placeholders::fill(&to.0, settings),
            span: to.0.span,
        };
        Some(absent::leads_on(&page.key, &page.locale, &to, &page.source))
    });
    let leads_on = leads_on
        .chain(absent.pages.iter().filter_map(|page| page.leads_on.clone()))
        .collect();
    // Addresses and titles of pages have the names without marks.
    blog.mark_tags(settings);
    let site = Site {
        locales: content.locales.clone(),
        pages,
        shared,
        collections: Arc::new(collections),
        forms,
        blog,
        style_guide,
        gallery,
        frames,
        brand: brand::resolve(&content.images),
        static_files: content.static_files.clone(),
        images: used,
        broken_pages: content
            .broken_pages
            .iter()
            .cloned()
            .chain(broken_posts)
            .collect(),
        absent,
        leads_on,
        settings_source: settings.source.clone(),
    };
    site_search::check(settings, &site, &mut problems);
    link_texts::check(&site, &mut problems);
    (site, problems)
}

/// Whether a page states itself when it was last changed. The record of changes knows the days of all others.
fn states_change(page: &Page, blog: &Blog) -> bool {
    page.body.post().map_or(page.updated.is_some(), |post| {
        blog.post(post).modified.is_some()
    })
}

fn frame(
    settings: &SiteSettings,
    collections: &Collections,
    is_absent: &dyn Fn(&str) -> bool,
    pages: &[Page],
    language: &(usize, &Locale),
    all: &[Locale],
    problems: &mut Problems,
) -> Frame {
    let locale = language.1.code.as_str();
    let settings = settings.in_language(locale);
    let fill = |text: &str| content::placeholders::fill(text, settings);
    let mut missing = |what: &str, span: Option<Span>| {
        let place = span.map_or_else(
            || Place::file(settings.source.path.clone()),
            |span| settings.source.place(span),
        );
        let problem = Problem::error(
            Code::TranslationMissing,
            format!("{what} has no text for the locale `{locale}`"),
        )
        .at(place)
        .hint(format!("add `{locale}: …` next to the other languages"));
        problems.push(problem);
    };
    let mut words = |what: &str, texts: &Localized<String>, span: Option<Span>| {
        let Some(text) = texts.get(locale) else {
            missing(what, span);
            return Words::default();
        };
        Words {
            text: fill(text),
            lent_by: texts.lender(locale).map(str::to_owned),
        }
    };
    let address = settings
        .company
        .address
        .iter()
        .map(|line| fill(line))
        .collect();
    let target = |link: &schema::types::Link| Target {
        to: without(&fill(&link.0.value)),
        span: link.0.span,
    };
    let mut links = |entries: &[Spanned<MenuEntry>]| -> Vec<LabeledLink> {
        entries
            .iter()
            .flat_map(|entry| match &entry.value.to {
                Some(to) => {
                    let what = format!("the link to `{}`", to.0.value);
                    let label = words(&what, &entry.value.label, Some(to.0.span));
                    let link = LabeledLink {
                        label,
                        target: target(to),
                    };
                    // A language that names no link of its own to a page that it lacks has none.
                    let is_left_out = is_absent(&link.target.to)
                        || link.label.lent_by.is_some()
                            && menus::is_elsewhere(&link.target.to, pages, locale);
                    if is_left_out { Vec::new() } else { vec![link] }
                }
                None => menus::entries(&entry.value, collections, language, all),
            })
            .collect()
    };
    let mut menu: Vec<MenuItem> = Vec::new();
    for entry in &settings.header.menu {
        if entry.value.children.is_empty() {
            menu.extend(
                links(std::slice::from_ref(entry))
                    .into_iter()
                    .map(MenuItem::Link),
            );
        } else {
            let below = links(&entry.value.children);
            if !below.is_empty() {
                let label = &entry.value.label;
                let text = label
                    .get(locale)
                    .map(|label| fill(label))
                    .unwrap_or_default();
                let lent_by = label.lender(locale).map(str::to_owned);
                menu.push(MenuItem::Group(Words { text, lent_by }, below));
            }
        }
    }
    let links: Vec<Vec<LabeledLink>> = settings
        .footer
        .groups
        .iter()
        .map(|group| links(&group.links))
        .collect();
    let titles: Vec<Words> = settings
        .footer
        .groups
        .iter()
        .map(|group| words("a group in the footer", &group.title, None))
        .collect();
    // A footer that could not be read was reported.
    let is_unread = settings.footer.tagline.0.is_empty()
        && diagnostics::yaml::span_of_key(&settings.source, &["footer", "tagline"]).is_some();
    let tagline = if is_unread {
        Words::default()
    } else {
        words("`footer.tagline`", &settings.footer.tagline, None)
    };
    let actions = &settings.header.call_to_action;
    if actions.get(locale).is_none() && !actions.0.is_empty() {
        words("`header.call_to_action`", &Localized::default(), None);
    }
    let call_to_action = actions.get(locale).map_or_else(
        || LabeledLink {
            label: Words::default(),
            target: Target {
                to: "/".into(),
                span: Span::COMMAND_LINE,
            },
        },
        |action| {
            let label = Words {
                text: fill(&action.label),
                lent_by: actions.lender(locale).map(str::to_owned),
            };
            LabeledLink {
                label,
                target: target(&action.to),
            }
        },
    );
    Frame {
        menu,
        call_to_action,
        tagline,
        footer: titles
            .into_iter()
            .zip(links)
            .filter(|(_, links)| !links.is_empty())
            .collect(),
        social: settings
            .social
            .iter()
            .map(|social| (social.name.clone(), social.icon.clone(), target(&social.to)))
            .collect(),
        privacy: settings
            .visits
            .as_ref()
            .and_then(|visits| visits.privacy.as_ref())
            .map(|to| Target {
                to: to.value.clone(),
                span: to.span,
            }),
        address,
        hours: settings
            .company
            .hours
            .as_ref()
            .map(|hours| words("`company.hours`", hours, None)),
    }
}
