//! The props of the island `blog-explorer`, but for its words: the list of posts that a page begins with.

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use crate::config::OnFailure;
use crate::islands::props::{DateWords, Link, NumberedPage, Topic};
use crate::model::blog::{PER_PAGE, pages_of};
use crate::model::{BlogPage, Body, Field};
use crate::render::context::Values;
use crate::routes::encoded;
use crate::wire::posts::{Pagination, Post};

use super::language;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Explorer {
    posts: Vec<Post>,
    pagination: Pagination,
    pages: Vec<NumberedPage>,
    heading: String,
    lead: String,
    topics: Vec<Topic>,
    selected_tag: Option<String>,
    tag_slug: Option<String>,
    base: Link,
    api: String,
    lang: Option<String>,
    team: String,
    dates: DateWords,
    placeholders: bool,
    error: bool,
    error_message: Option<String>,
}

/// What the section that lists posts receives beside its own fields.
pub(in crate::render) fn explorer(values: &Values, fields: &Field) -> Vec<(String, Value)> {
    let (site, settings) = (values.site, &values.config.site);
    let language = language(values);
    let Some(list) = super::listed(site, values.page) else { return Vec::new() };
    let tag = match values.page.body {
        Body::Blog(BlogPage::Tag(tag, _)) => language.map(|language| &language.tags[tag]),
        _ => None,
    };
    let base = language.map_or(&values.page.path.value, |language| &site.pages[language.list.0].path.value);
    let text = |name: &str| match fields.get(name) {
        Some(Field::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let locale = &site.locales[values.locale];
    let explorer = Explorer {
        posts: list.shown().map(|index| super::answers::post(values, index)).collect(),
        pagination: Pagination {
            total: count(list.posts.len()),
            total_pages: count(pages_of(list.posts.len())),
            current_page: count(list.number),
            per_page: count(PER_PAGE),
        },
        pages: super::shown_numbers(list.number, pages_of(list.posts.len()))
            .map(|number| NumberedPage { number: count(number), link: here(&list.address(number)) })
            .collect(),
        heading: tag.map_or_else(|| text("title"), |tag| text("tagged_title").replace("{tag}", &tag.name)),
        lead: match fields.get("lead") {
            Some(Field::Rich(rich)) => values.html(rich),
            _ => String::new(),
        },
        topics: language
            .iter()
            .flat_map(|language| &language.tags)
            .map(|term| {
                let current = tag.is_some_and(|tag| tag.slug == term.slug);
                let to = if current { base.clone() } else { format!("{base}tag/{}/", term.slug) };
                Topic { name: term.name.clone(), link: here(&to), current }
            })
            .collect(),
        selected_tag: tag.map(|tag| tag.name.clone()),
        tag_slug: tag.map(|tag| tag.slug.clone()),
        base: here(base),
        api: format!("{}/api/posts", values.config.api_url()),
        lang: (values.locale > 0).then(|| locale.code.clone()),
        team: locale.word("team", &site.locales[0]).unwrap_or_default().replace("{product}", &settings.product.name),
        dates: DateWords {
            pattern: locale.date.clone().unwrap_or_else(|| "{year}-{month}-{day}".into()),
            months: if locale.months.is_empty() {
                (1..=12).map(|month| format!("{month:02}")).collect()
            } else {
                locale.months.clone()
            },
        },
        placeholders: settings.blog.on_failure == OnFailure::Placeholder,
        error: false,
        error_message: None,
    };
    vec![("explorer".into(), Value::from(Serde(explorer)))]
}

fn here(path: &str) -> Link {
    Link { href: encoded(path), external: false, hreflang: None }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
