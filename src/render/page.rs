//! One page: its context, its template, its style sheets.

use std::collections::BTreeSet;

use minijinja::Value;
use minijinja::value::Serde;

use crate::content::pages::FrameKind;
use crate::model::fields::Picture;
use crate::model::{BlogPage, Body, LabelledLink, Page};
use crate::output::Output;
use crate::problem::Problem;

use super::context::{
    AssetsContext, CompanyContext, FooterContext, FooterGroup, Language, LocaleContext, MenuLink, PageContext,
    PageFields, SiteContext, SocialLink, Values,
};
use super::{Renderer, blog, case_studies, environment, folders, lead_form, style_guide};

/// The template of a page.
fn template(page: &Page) -> &'static str {
    match page.body {
        Body::Sections if page.layout.frame == FrameKind::StyleGuide => "pages/style-guide.html",
        Body::Sections | Body::Filtered(_) | Body::Blog(BlogPage::List(_) | BlogPage::Tag(..)) => "pages/page.html",
        Body::CaseStudy(_) => "pages/case-study.html",
        Body::Blog(BlogPage::Author(..)) => "pages/blog-author.html",
        Body::Blog(BlogPage::Post(_)) => "pages/blog-post.html",
    }
}

impl Renderer<'_> {
    /// The HTML of a page, and the style sheets that it names.
    pub(super) fn page(&self, index: usize) -> Result<(String, Vec<Output>), Problem> {
        let page = &self.site.pages[index];
        let locale = self.site.locale_index(&page.locale);
        let used = folders(self.templates, template(page), page.sections.iter().map(|section| section.kind));
        let mut tints = BTreeSet::new();
        let mut tint = |picture: &Picture| {
            let prepared = self.manifest.images.get(&picture.src);
            tints.extend(prepared.and_then(|prepared| prepared.tint.as_deref()));
        };
        self.site.fields(page).for_each(|fields| fields.pictures(&mut tint));
        case_studies::pictures(self.site, page).for_each(&mut tint);
        tints.extend(
            blog::pictures(self.site, page)
                .into_iter()
                .filter_map(|src| self.manifest.images.get(src).and_then(|prepared| prepared.tint.as_deref())),
        );
        let sheets = self.manifest.styles.for_page(&used, &tints);
        let context = self.context(index, locale, &sheets);
        let environment = &self.environments[locale];
        let html = environment.get_template(template(page)).and_then(|template| template.render(Serde(context)));
        let html = html.map_err(|error| environment::problem(&error, self.templates))?;
        Ok((html, sheets))
    }

    fn context<'a>(&'a self, index: usize, locale: usize, sheets: &[Output]) -> PageContext<'a> {
        let page = &self.site.pages[index];
        let (site, settings, frame) = (self.site, &self.config.site, &self.site.frames[locale]);
        let values = Values { config: self.config, site, routes: self.routes, manifest: self.manifest, locale, page };
        let menu_link =
            |entry: &LabelledLink| MenuLink { label: entry.label.clone(), link: values.link(&entry.target.to) };
        let company = &settings.company;
        let own = &site.locales[locale];
        PageContext {
            site: SiteContext {
                product: &settings.product,
                company: CompanyContext {
                    name: &company.name,
                    legal_name: company.legal_name.as_deref(),
                    email: company.email.as_deref(),
                    phone: company.phone.as_deref(),
                    emergency_phone: company.emergency_phone.as_deref(),
                    address: &frame.address,
                    hours: frame.hours.as_deref(),
                    founded: company.founded,
                },
                customer_app: settings.customer_app.as_deref(),
                copyright_year: settings.copyright_year,
                base_url: self.config.base_url(),
                tag_manager: settings.tag_manager.as_ref().map(|id| id.value.as_str()),
            },
            locale: LocaleContext {
                code: &own.code,
                name: &own.name,
                language: &own.language,
                direction: own.direction,
                home: self.routes.home(site, locale),
            },
            page: PageFields {
                key: &page.key,
                title: &page.title,
                description: &page.description,
                path: &page.path,
                url: self.routes.absolute(&page.path),
                noindex: page.noindex,
                status: page.status.number(),
                layout: &page.layout,
                breadcrumb: &page.breadcrumb,
                alternates: self.routes.alternates(site, page),
                structured_data: self
                    .structured_data(index, &values)
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
                    href: self.routes.translation(site, page, index),
                    current: index == locale,
                })
                .collect(),
            menu: frame.menu.iter().map(menu_link).collect(),
            call_to_action: menu_link(&frame.call_to_action),
            footer: FooterContext {
                tagline: &frame.tagline,
                groups: frame
                    .footer
                    .iter()
                    .map(|(title, links)| FooterGroup { title, links: links.iter().map(menu_link).collect() })
                    .collect(),
            },
            social: frame
                .social
                .iter()
                .map(|(name, icon, target)| SocialLink { name, icon, link: values.link(&target.to) })
                .collect(),
            sidebar: style_guide::sidebar(&values),
            sections: blog::sections(page).map(|section| section_value(&values, section)).collect(),
            study: match page.body {
                Body::CaseStudy(index) => Some(case_studies::study(&values, index)),
                Body::Sections | Body::Filtered(_) | Body::Blog(_) => None,
            },
            post: match page.body {
                Body::Blog(BlogPage::Post(index)) => Some(blog::post(&values, index)),
                _ => None,
            },
            author: match page.body {
                Body::Blog(BlogPage::Author(at, _)) => blog::author(&values, at),
                _ => None,
            },
            assets: AssetsContext {
                css: sheets.iter().map(|sheet| format!("/{}", sheet.path)).collect(),
                js: self.manifest.script.iter().cloned().collect(),
                preload: self.manifest.preload_fonts.clone(),
            },
        }
    }
}

fn section_value(values: &Values, section: &crate::model::Section) -> Value {
    let common = [
        ("kind".to_owned(), Value::from(section.kind)),
        ("id".to_owned(), section.id.as_deref().map_or_else(|| Value::from(()), Value::from)),
        ("band".to_owned(), Value::from(Serde(section.band))),
    ];
    let own = match &section.fields {
        crate::model::Field::Map(entries) => {
            entries.iter().map(|(key, field)| (key.clone(), values.field(field))).collect()
        }
        _ => Vec::new(),
    };
    let made = match section.kind {
        "case_studies" => case_studies::list(values),
        "blog" => blog::explorer(values, &section.fields),
        "lead_form" => lead_form::form(values, &section.fields),
        kind => style_guide::made(values, kind, &section.fields),
    };
    Value::from(common.into_iter().chain(own).chain(made).collect::<std::collections::BTreeMap<_, _>>())
}
