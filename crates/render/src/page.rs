//! Renders one page: its context, its template, its style sheets.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

use minijinja::Value;
use minijinja::value::{Serde, merge_maps};

use assets::output::Output;
use content::blog::Part;
use content::pages::FrameKind;
use content::sections::SectionRole;
use diagnostics::problem::Problem;
use manifest::{Dependency, Fingerprint, PageId, PageInput};
use schema::types::Focus;
use site::model::fields::Picture;
use site::model::{BlogPage, Body, Page, Section, Site};
use site::routes::file_of;
use workspace::sources::{Hash, hash_value};

use super::asked::recorded;
use super::context::{AssetsContext, Language, PageContext, PageFields, Step};
use super::environment::render;
use super::values::Values;
use super::{
    Renderer, blog, entries, entry_lists, folders, forms, lent, section_template, site_search,
    style_guide, template_errors,
};

/// The template of a page.
fn template(site: &Site, page: &Page) -> &'static str {
    match page.body {
        Body::Sections if page.layout.frame == FrameKind::StyleGuide => "pages/style-guide.html",
        Body::Sections | Body::Blog(BlogPage::List(_) | BlogPage::Tag(..)) => "pages/page.html",
        Body::Blog(BlogPage::Author(..)) => "pages/blog-author.html",
        Body::Blog(BlogPage::Post(_)) => "pages/blog-post.html",
        Body::Gallery(_) => "pages/style-guide-gallery.html",
        Body::Entry(id) => site.collections.list[id.collection].schema.page_template,
        Body::EntryFilter(id) => site.collections.list[id.collection]
            .schema
            .filter_template
            .unwrap_or("pages/page.html"),
    }
}

/// The HTML of a page.
pub(super) enum Rendered {
    /// The file in the output folder is up to date; the hash of its bytes.
    Unchanged(Hash),
    /// The HTML, rendered now.
    Fresh(String),
}

/// The result of rendering one page.
pub(super) struct PageOutput {
    pub rendered: Rendered,
    /// The style sheets that it loads.
    pub sheets: Arc<[Output]>,
}

/// The key of a page's style sheets: its language, its template, the kinds of its sections, the tints of its pictures, and the folders
/// of the islands in its text.
pub(super) type SheetsFor = (
    String,
    &'static str,
    Vec<&'static str>,
    Vec<String>,
    Vec<String>,
);

impl<'a> Renderer<'a> {
    /// Renders a page, unless it is unchanged. `paths` are all addresses of the page, including the canonical one.
    pub(super) fn page(&self, index: usize, paths: &[&str]) -> Result<PageOutput, Problem> {
        let page = &self.site.pages[index];
        let locale = self.site.locale_index(&page.locale);
        let values = self.values(page, locale);
        let shown = blog::shown(&values);
        let sheets = self.sheets(page, &shown);
        let assets = self.assets(&page.locale, &sheets);
        let frame = &self.frames[locale];
        let file = file_of(&page.path);
        let copies: Vec<String> = paths
            .iter()
            .map(|path| file_of(path))
            .filter(|copy| *copy != file)
            .collect();
        let twin = self.twin_file(page);
        let copies = || copies.iter().chain(&twin).map(String::as_str);
        let templates = self.templates_of(page);
        let add_files = |fingerprint: &mut Fingerprint| {
            fingerprint.set(Dependency::Templates, templates);
            fingerprint.add(Dependency::Assets, &assets);
        };
        let mut asked_by_context = BTreeSet::new();
        let mut context = None;
        let own = hash_value(&page.visible());
        let mut fingerprint = if let Some(mut of_page) = self.own(index, &values, own, &shown) {
            add_files(&mut of_page);
            of_page
        } else {
            let (made, asked) = recorded(|| self.context(index, &values, &shown));
            asked_by_context = asked;
            let mut whole = self.fingerprint(&values, context.insert(made));
            add_files(&mut whole);
            whole
        };
        let known = self.render_cache.asked(&file);
        if asked_by_context.is_empty() {
            self.add_inputs(&mut fingerprint, &values, known.iter());
        } else {
            let wanted: BTreeSet<&PageInput> = known.iter().chain(&asked_by_context).collect();
            self.add_inputs(&mut fingerprint, &values, wanted.into_iter());
        }
        let id = PageId {
            file: &file,
            address: &page.path,
            locale: &page.locale,
            own,
        };
        if let Some(hash) = self
            .render_cache
            .lookup(id, copies(), &fingerprint, &|dependency| {
                blog::changed_values(&values, &shown, dependency)
            })
        {
            return Ok(PageOutput {
                rendered: Rendered::Unchanged(hash),
                sheets,
            });
        }
        let mut context = context.unwrap_or_else(|| {
            let (made, asked) = recorded(|| self.context(index, &values, &shown));
            asked_by_context = asked;
            made
        });
        let mut asked_in_text = BTreeSet::new();
        if let (Some(post), Body::Blog(BlogPage::Post(index))) = (&mut context.post, page.body) {
            let head = Value::from(Serde(&context.page));
            let (written, asked) = recorded(|| {
                post.write(&values, index, &|number| {
                    self.part_of_post(&values, index, number, &head)
                })
            });
            written.inspect_err(|_| self.render_cache.forget(&file))?;
            asked_in_text = asked;
        }
        if let Some(gallery) = &mut context.gallery {
            gallery.measure_sheets(self.site, page, self.manifest);
        }
        let environment = &self.environments[locale];
        let mut own = BTreeMap::from([("assets", Value::from(Serde(assets)))]);
        // Fields that a site adds to posts are found beside those of the blog.
        if let (Some(post), Some(entry)) = (
            context.post.take_if(|_| context.entry.is_some()),
            &context.entry,
        ) {
            own.insert(
                "post",
                entries::with_entry(Value::from(Serde(post)), entry.clone()),
            );
        }
        let context = merge_maps([
            Value::from(Serde(context)),
            Value::from(own),
            frame.value.clone(),
        ]);
        let template = template(self.site, page);
        let (html, mut asked) = recorded(|| render(environment, template, context));
        asked.extend(asked_in_text.into_iter().chain(asked_by_context));
        if !asked.iter().eq(&known) {
            self.add_inputs(&mut fingerprint, &values, asked.iter());
            self.render_cache.record(&file, &fingerprint, &asked);
        }
        let html = html.map_err(|error| {
            self.render_cache.forget(&file);
            template_errors::problem(&error, self.templates)
        })?;
        let html = lent::resolve(html, &lent::tongues(&self.site.locales));
        Ok(PageOutput {
            rendered: Rendered::Fresh(html),
            sheets,
        })
    }

    pub(super) fn values<'r>(&'r self, page: &'a Page, locale: usize) -> Values<'r> {
        let Renderer {
            settings,
            site,
            routes,
            manifest,
            ref shared,
            ..
        } = *self;
        let entries = Arc::downgrade(&self.entries[locale]);
        let settings = settings.in_language(&page.locale);
        Values {
            settings,
            site,
            routes,
            manifest,
            shared,
            entries,
            locale,
            page,
        }
    }

    /// The style sheets of a page, composed once for all pages with the same key.
    fn sheets(&self, page: &Page, shown: &[usize]) -> Arc<[Output]> {
        let mut classes = BTreeSet::new();
        let mut add = |src: &str, focus: Option<Focus>| {
            let tint = self
                .manifest
                .images
                .get(src)
                .and_then(|prepared| prepared.tint.as_deref());
            classes.extend(tint.map(Cow::Borrowed));
            classes.extend(focus.map(|focus| Cow::Owned(focus.class())));
        };
        let mut add_picture = |picture: &Picture| add(&picture.src, picture.focus);
        self.site
            .fields(page)
            .for_each(|fields| fields.pictures(&mut add_picture));
        entry_lists::pictures(self.site, page, &mut add_picture);
        blog::pictures(self.site, page, shown).for_each(|(src, focus)| add(src, focus));
        let kinds = self.section_templates(page);
        if let Body::Gallery(_) = page.body {
            let mut used = folders(self.templates, template(self.site, page), kinds.into_iter());
            used.extend(
                style_guide::templates(self.site, page)
                    .flat_map(|name| self.templates.folders(name)),
            );
            return self
                .manifest
                .styles
                .for_page(&page.locale, &used, classes.iter().map(AsRef::as_ref))
                .into();
        }
        let islands = self.islands_in_text(page);
        let classes = classes.into_iter().map(Cow::into_owned).collect();
        let wanted: SheetsFor = (
            page.locale.clone(),
            template(self.site, page),
            kinds,
            classes,
            islands,
        );
        let mut known = self.composed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sheets) = known.get(&wanted) {
            return Arc::clone(sheets);
        }
        let mut used = folders(self.templates, wanted.1, wanted.2.iter().copied());
        used.extend(wanted.4.iter().cloned());
        let sheets: Arc<[Output]> = self
            .manifest
            .styles
            .for_page(&wanted.0, &used, wanted.3.iter().map(String::as_str))
            .into();
        known.insert(wanted, Arc::clone(&sheets));
        sheets
    }

    /// The folders of the islands in the text of a page's post.
    fn islands_in_text(&self, page: &Page) -> Vec<String> {
        let parts = page
            .body
            .post()
            .map_or(&[] as &[Part], |post| &self.site.blog.post(post).parts);
        let names = parts.iter().filter_map(|part| match part {
            Part::Island(call) => Some(format!("islands/{}", call.name)),
            _ => None,
        });
        names.collect()
    }

    /// A section or an island in the text of a post.
    fn part_of_post(
        &self,
        values: &Values,
        post: usize,
        number: usize,
        page: &Value,
    ) -> Result<String, Problem> {
        let post = self.site.blog.post(post);
        let environment = &self.environments[values.locale];
        let context = |given: BTreeMap<&'static str, Value>| {
            // The ids of islands begin with the number of the part.
            let given = given
                .into_iter()
                .chain([("part", Value::from(number))])
                .collect::<BTreeMap<_, _>>();
            merge_maps([
                Value::from(given),
                Value::from(BTreeMap::from([("page", page.clone())])),
                self.frames[values.locale].value.clone(),
            ])
        };
        match post.parts.get(number) {
            Some(Part::Section(..)) => {
                let before = post.parts[..number]
                    .iter()
                    .filter(|part| matches!(part, Part::Section(..)))
                    .count();
                let Some(section) = blog::sections_in_text(values.page).get(before) else {
                    return Ok(String::new());
                };
                let context = context(BTreeMap::from([(
                    "section",
                    section_value(values, section, true),
                )]));
                let html = render(environment, &section_template(section.kind.name), context)
                    .map_err(|error| template_errors::problem(&error, self.templates))?;
                Ok(format!("<div class=\"post-part\">{html}</div>"))
            }
            Some(Part::Island(call)) => {
                let arguments = [
                    ("name", Value::from(call.name.as_str())),
                    ("props", Value::from(Serde(&call.props))),
                    ("directive", Value::from(call.directive.as_str())),
                ];
                let html = environment.render_str(
                    "{{ island(name, props, directive) }}",
                    context(BTreeMap::from(arguments)),
                );
                html.map_err(|error| {
                    template_errors::problem(&error, self.templates)
                        .at(post.origin.places().place(call.span))
                })
            }
            Some(Part::Broken) | None => Ok(String::new()),
        }
    }

    /// The names of the kinds of a page's sections, and the templates of the cards that they show.
    fn section_templates(&self, page: &Page) -> Vec<&'static str> {
        let cards = page.sections.iter().filter_map(|section| {
            let at = self.site.collections.position(section.lists.as_deref()?)?;
            let card = self.site.collections.list[at].schema.card_template;
            self.templates.html.contains_key(card).then_some(card)
        });
        page.sections
            .iter()
            .map(|section| section.kind.name)
            .chain(cards)
            .collect()
    }

    /// The fingerprint of a page, without its templates and assets.
    fn fingerprint(&self, values: &Values, context: &PageContext) -> Fingerprint {
        let mut fingerprint = self.frames[values.locale].fingerprint.clone();
        // Destructured without `..`, so that a new field cannot be forgotten. Pages of posts and authors are compared
        // without their contexts.
        let PageContext {
            page,
            head,
            languages,
            sidebar,
            sections,
            closing,
            post: _,
            author: _,
            gallery,
            entry,
            filter,
            list,
        } = context;
        fingerprint.add(Dependency::Page, page);
        fingerprint.add(Dependency::Head, head);
        fingerprint.add(Dependency::Languages, languages);
        fingerprint.add(Dependency::Sidebar, sidebar);
        let named =
            (1..)
                .zip(blog::sections(values.page))
                .map(|(number, section)| match &section.id {
                    Some(id) => format!("the section `{id}`, or what it lists"),
                    None => format!(
                        "section {number} (`{}`), or what it lists",
                        section.kind.name
                    ),
                });
        fingerprint.add_sections(
            named.zip(sections.iter().map(hash_value)).collect(),
            gallery,
        );
        fingerprint.add(Dependency::Closing, closing);
        fingerprint.add(Dependency::Entry, &(entry, filter, list));
        fingerprint
    }

    /// The hash of the texts of all templates that a page uses.
    fn templates_of(&self, page: &Page) -> Hash {
        if let Body::Gallery(_) = page.body {
            let sections = page
                .sections
                .iter()
                .map(|section| section_template(section.kind.name));
            let examples = style_guide::templates(self.site, page).map(str::to_owned);
            let names = sections
                .chain(examples)
                .chain([template(self.site, page).to_owned()]);
            let used: BTreeSet<String> = names
                .flat_map(|name| self.templates.used_by(&name))
                .collect();
            return hash_value(&self.texts(&used));
        }
        let wanted = (template(self.site, page), self.section_templates(page));
        let mut known = self
            .template_hashes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(hash) = known.get(&wanted) {
            return *hash;
        }
        let hash = hash_value(&self.texts(&self.templates_used(page)));
        known.insert(wanted, hash);
        hash
    }

    /// The names of all templates that a page uses.
    pub(super) fn templates_used(&self, page: &Page) -> BTreeSet<String> {
        let sections = self
            .section_templates(page)
            .into_iter()
            .map(section_template);
        let names = sections.chain([template(self.site, page).to_owned()]);
        names
            .flat_map(|name| self.templates.used_by(&name))
            .collect()
    }

    /// The templates of these names, with their texts.
    fn texts<'n>(&self, names: &'n BTreeSet<String>) -> Vec<(&'n str, Option<&str>)> {
        names
            .iter()
            .map(|name| {
                (
                    name.as_str(),
                    self.templates
                        .html
                        .get(name)
                        .map(|source| source.text.as_str()),
                )
            })
            .collect()
    }

    fn assets(&self, language: &str, sheets: &[Output]) -> AssetsContext {
        AssetsContext {
            css: sheets
                .iter()
                .map(|sheet| self.settings.href(&format!("/{}", sheet.path)))
                .collect(),
            js: self
                .manifest
                .page_scripts
                .iter()
                .chain(&self.manifest.visit_scripts)
                .cloned()
                .collect(),
            preload: self
                .manifest
                .preload_fonts
                .get(language)
                .cloned()
                .unwrap_or_default(),
            scheme: self.manifest.scheme_script.clone(),
        }
    }

    fn context(&self, index: usize, values: &Values<'a>, shown: &[usize]) -> PageContext<'_> {
        let (site, page, locale) = (self.site, values.page, values.locale);
        PageContext {
            page: PageFields {
                key: &page.key,
                title: &page.title,
                description: &page.description,
                path: self.routes.href(&page.path),
                url: self.routes.absolute(&page.path),
                noindex: page.noindex || !self.settings.is_indexed(),
                status: page.status.number(),
                layout: &page.layout,
                list: entry_lists::list_place(values)
                    .map(|place| self.routes.href(&site.pages[place.page].path)),
                breadcrumb: page
                    .breadcrumb
                    .iter()
                    .map(|step| Step::of(step, &site.locales))
                    .collect(),
                alternates: self.routes.alternates(site, page),
                structured_data: self
                    .structured_data(index, values)
                    .map(Value::from_safe_string)
                    .into_iter()
                    .collect(),
            },
            head: self.head(index),
            languages: site
                .locales
                .iter()
                .enumerate()
                .map(|(index, other)| Language {
                    code: &other.code,
                    name: &other.name,
                    language: &other.language,
                    href: self
                        .routes
                        .link(&self.routes.translation(site, page, index), &page.path),
                    current: index == locale,
                })
                .collect(),
            sidebar: style_guide::sidebar(values),
            sections: blog::sections(page)
                .map(|section| section_value(values, section, true))
                .collect(),
            closing: page
                .shared_sections()
                .iter()
                .map(|section| section_value(values, section, true))
                .collect(),
            post: match page.body {
                Body::Blog(BlogPage::Post(index)) => Some(blog::post(values, index, shown)),
                _ => None,
            },
            author: match page.body {
                Body::Blog(BlogPage::Author(at, _)) => blog::author(values, at),
                _ => None,
            },
            gallery: style_guide::gallery(values),
            entry: match page.body {
                Body::Entry(id) => Some(id),
                Body::Blog(BlogPage::Author(at, _)) => blog::author_entry(values, at),
                Body::Blog(BlogPage::Post(index)) => site.post_entry(index),
                _ => None,
            }
            .map(|id| entries::EntryObject::value(&values.entries, &site.collections, id)),
            list: entry_lists::list(values),
            filter: match page.body {
                Body::EntryFilter(id) => Some(entry_lists::filter(values, id)),
                _ => None,
            },
        }
    }
}

/// The language and the direction of a section whose words are not in the language of the page.
fn words_in(values: &Values, section: &Section) -> Value {
    lent::tongue(lender_of(values, section), &values.site.locales)
}

/// The index of the language that lends the texts of a section.
pub(super) fn lender_of(values: &Values, section: &Section) -> Option<usize> {
    let code = section.lent.as_ref()?;
    let mut locales = values.site.locales.iter();
    locales.position(|locale| locale.code == *code)
}

/// The context of a section, with or without its generated fields (lists of posts, studies and the like).
pub(super) fn section_value(values: &Values, section: &Section, with_generated: bool) -> Value {
    let common = [
        ("kind".to_owned(), Value::from(section.kind.name)),
        // On a page of the gallery the name of the part is the `h1`, so headings of examples are `h2`.
        (
            "heading".to_owned(),
            Value::from(if matches!(values.page.body, Body::Gallery(_)) {
                "h2"
            } else {
                "h1"
            }),
        ),
        (
            "id".to_owned(),
            section
                .id
                .as_deref()
                .map_or_else(|| Value::from(()), Value::from),
        ),
        ("band".to_owned(), Value::from(Serde(section.band))),
        ("words_in".to_owned(), words_in(values, section)),
    ];
    let own = match &section.fields {
        site::model::Field::Map(entries) => entries
            .iter()
            .map(|(key, field)| (key.clone(), values.field(field)))
            .collect(),
        _ => Vec::new(),
    };
    let generated = match section.kind.role {
        _ if !with_generated => Vec::new(),
        SectionRole::PostList => blog::explorer(values, &section.fields),
        SectionRole::Entries => entry_lists::section(values, section),
        SectionRole::Form => forms::section(values, &section.fields),
        SectionRole::SiteSearch => site_search::section(values),
        role => style_guide::generated(values, role, &section.fields),
    };
    Value::from(
        common
            .into_iter()
            .chain(own)
            .chain(generated)
            .collect::<std::collections::BTreeMap<_, _>>(),
    )
}
