//! JSON-LD for search engines, built from the values that the page shows: one graph per page, whose nodes refer to each
//! other by `@id`.

mod check;
mod entry;
mod nodes;

use assets::graphics::Role;
use config::SiteSettings;
use content::blog::Post;
use content::pages::Schema;
use content::sections::SectionRole;
use schema::types::{When, Zone};
use site::model::{BlogPage, Body, Crumb, Field, Page};

use super::values::Values;
use super::{Renderer, breadcrumbs};
use nodes::{
    Answer, BlogPosting, ContactPoint, FaqPage, Graph, GraphEntry, ImageObject, ImageUrl, ListItem,
    Node, Organization, Person, Question, Reference, Service, TrailOfPages, WebPage, WebSite,
    Writer,
};

pub(super) use check::check;

impl Renderer<'_> {
    /// The graph of a page, escaped for `<script type="application/ld+json">`. `None` on pages with `noindex`, error
    /// pages among them.
    pub(super) fn structured_data(&self, index: usize, values: &Values) -> Option<String> {
        let page = &self.site.pages[index];
        if page.noindex {
            return None;
        }
        let url = self.routes.absolute(&page.path);
        let own_id = |fragment: &str| format!("{url}#{fragment}");
        let trail = breadcrumbs::trail(self.settings, self.site, self.routes, page);
        let write = |node: Node| serde_json::value::to_raw_value(&node).unwrap_or_default();
        let settings = values.settings;
        let company = self.company[values.locale].get_or_init(|| {
            [
                write(Node::Organization(self.organization(settings))),
                write(Node::WebSite(self.website(settings, values.locale))),
            ]
        });
        let mut graph: Vec<GraphEntry> = company
            .iter()
            .map(|node| GraphEntry::Written(node))
            .collect();
        let faq: Vec<Question> = faq_items(page)
            .map(|item| question(&item, values))
            .collect();
        let service = (page.schema.value == Schema::Service).then(|| Service {
            id: own_id("service"),
            name: breadcrumbs::label(self.settings, self.site, self.routes, page).text,
            description: &page.description,
            url: url.clone(),
            provider: self.reference("organization"),
        });
        let about = match page.schema.value {
            Schema::Service => Some(Reference {
                id: own_id("service"),
            }),
            Schema::About | Schema::Contact => Some(self.reference("organization")),
            Schema::Page => None,
        };
        let breadcrumb = (!trail.is_empty()).then(|| Reference {
            id: own_id("breadcrumb"),
        });
        let web_page = WebPage {
            id: own_id("webpage"),
            url: url.clone(),
            name: &page.title,
            description: &page.description,
            is_part_of: Reference {
                id: self.website_id(values.locale),
            },
            about,
            breadcrumb,
            primary_image_of_page: self
                .share_image(index)
                .map(|image| ImageUrl { url: image.url }),
            in_language: &self.site.locales[values.locale].language,
            date_modified: page.updated.as_deref(),
        };
        let posting = match page.body {
            Body::Blog(BlogPage::Post(post)) => {
                Some(self.posting(index, self.site.blog.post(post), values))
            }
            _ => None,
        };
        let web_page = match page.schema.value {
            Schema::Contact => Node::ContactPage(web_page),
            Schema::About => Node::AboutPage(web_page),
            Schema::Page | Schema::Service => Node::WebPage(web_page),
        };
        graph.push(web_page.into());
        if !trail.is_empty() {
            let item_list_element = (1..)
                .zip(&trail)
                .map(|(position, crumb)| self.list_item(position, crumb))
                .collect();
            graph.push(
                Node::BreadcrumbList(TrailOfPages {
                    id: own_id("breadcrumb"),
                    item_list_element,
                })
                .into(),
            );
        }
        let service = service.map(Node::Service);
        graph.extend(
            service
                .into_iter()
                .chain(posting.map(Node::BlogPosting))
                .map(GraphEntry::from),
        );
        if let Body::Entry(id) = page.body
            && let Some(node) = entry::node(values, id)
        {
            graph.push(GraphEntry::Declared(node));
        }
        if !faq.is_empty() {
            graph.push(
                Node::FAQPage(FaqPage {
                    id: own_id("faq"),
                    url,
                    main_entity: faq,
                })
                .into(),
            );
        }
        Some(script(&Graph {
            context: "https://schema.org",
            graph,
        }))
    }

    fn posting<'a>(&'a self, index: usize, post: &'a Post, values: &Values) -> BlogPosting<'a> {
        let page = &self.site.pages[index];
        let url = self.routes.absolute(&page.path);
        let author = post
            .author
            .as_deref()
            .and_then(|slug| self.site.blog.author(slug));
        let author = author.and_then(|author| {
            let own = self
                .routes
                .page(&format!("blog/author/{}", author.slug), values.locale)?;
            Some(Person {
                name: author.name.clone(),
                url: self.routes.absolute(&self.site.pages[own].path),
            })
        });
        BlogPosting {
            id: format!("{url}#post"),
            headline: breadcrumbs::label(self.settings, self.site, self.routes, page).text,
            description: &page.description,
            main_entity_of_page: Reference {
                id: format!("{url}#webpage"),
            },
            date_published: post
                .date
                .map(|date| as_written(date, &self.settings.timezone)),
            date_modified: post
                .modified
                .or(post.date)
                .map(|date| as_written(date, &self.settings.timezone)),
            author: author.map_or_else(
                || Writer::Company(self.reference("organization")),
                Writer::Person,
            ),
            image: self
                .share_image(index)
                .map(|image| ImageUrl { url: image.url }),
            in_language: &self.site.locales[values.locale].language,
            publisher: self.reference("organization"),
            keywords: &post.tags,
            word_count: post.words,
            url,
        }
    }

    fn reference(&self, fragment: &str) -> Reference {
        Reference {
            id: format!("{}#{fragment}", self.routes.absolute("/")),
        }
    }

    fn organization<'s>(&'s self, settings: &'s SiteSettings) -> Organization<'s> {
        let company = &settings.company;
        let logo = self
            .drawings
            .icons
            .iter()
            .rev()
            .find(|icon| icon.role == Role::App);
        let profiles = self
            .site
            .frames
            .iter()
            .take(1)
            .flat_map(|frame| &frame.social)
            .map(|(_, _, to)| to.to.as_str());
        let languages = || {
            self.site
                .locales
                .iter()
                .map(|locale| locale.language.as_str())
                .collect()
        };
        let office = (company.email.is_some() || company.phone.is_some()).then(|| ContactPoint {
            contact_type: "customer support",
            telephone: company.phone.as_deref(),
            email: company.email.as_deref(),
            available_language: languages(),
        });
        let emergency = company
            .emergency_phone
            .as_deref()
            .map(|phone| ContactPoint {
                contact_type: "emergency",
                telephone: Some(phone),
                email: None,
                available_language: languages(),
            });
        Organization {
            id: self.reference("organization").id,
            name: &company.name,
            legal_name: company.legal_name.as_deref(),
            url: self.routes.absolute("/"),
            logo: logo.map(|icon| ImageObject {
                url: self.routes.absolute_href(&icon.src),
                width: icon.size,
                height: icon.size,
            }),
            same_as: profiles
                .filter(|address| address.starts_with("http"))
                .collect(),
            contact_point: office.into_iter().chain(emergency).collect(),
            founding_date: company.founded.map(|year| year.to_string()),
        }
    }

    /// Each host is a site, to search engines.
    fn website_id(&self, locale: usize) -> String {
        format!(
            "{}/#website",
            self.routes
                .hosts()
                .of_locale(&self.site.locales[locale].code)
        )
    }

    fn website<'s>(&'s self, settings: &'s SiteSettings, locale: usize) -> WebSite<'s> {
        let hosts = self.routes.hosts();
        let base_url = hosts.of_locale(&self.site.locales[locale].code);
        let here = self
            .site
            .locales
            .iter()
            .filter(|other| hosts.of_locale(&other.code) == base_url);
        WebSite {
            id: self.website_id(locale),
            url: format!("{base_url}/"),
            name: &settings.product.name,
            publisher: self.reference("organization"),
            in_language: here.map(|locale| locale.language.as_str()).collect(),
        }
    }

    fn list_item(&self, position: u32, crumb: &Crumb) -> ListItem {
        ListItem {
            position,
            name: crumb.label.to_string(),
            item: self.routes.absolute(&crumb.path),
        }
    }
}

/// The day alone if no time is written, which is midnight.
fn as_written(date: When, zone: &Zone) -> String {
    if date.local().is_midnight() && !date.has_offset() {
        date.local().day.to_string()
    } else {
        date.stamp(zone)
    }
}

/// The questions and answers of all `faq` sections of a page.
fn faq_items(page: &Page) -> impl Iterator<Item = (&str, &site::model::Rich)> {
    // Questions on every page are those of no page.
    let lists = page
        .own_sections()
        .iter()
        .filter(|section| section.kind.role == SectionRole::Questions)
        .map(|section| section.fields.get("items"));
    let items = lists.filter_map(|list| match list {
        Some(Field::List(items)) => Some(items),
        _ => None,
    });
    items
        .flatten()
        .filter_map(|item| match (item.get("question")?, item.get("answer")?) {
            (Field::Text(question), Field::Rich(answer)) => Some((question.as_str(), answer)),
            _ => None,
        })
}

fn question(item: &(&str, &site::model::Rich), values: &Values) -> Question {
    Question {
        name: item.0.to_owned(),
        accepted_answer: Answer {
            text: values.html(item.1),
        },
    }
}

/// The JSON of a graph, with `<` escaped, so that no text can close the script or open a comment in it.
fn script(document: &impl serde::Serialize) -> String {
    // A struct of strings always serializes.
    serde_json::to_string(document)
        .unwrap_or_default()
        .replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_text_cannot_close_the_script() {
        assert_eq!(
            super::script(&"</script><!--"),
            "\"\\u003c/script>\\u003c!--\""
        );
    }
}
