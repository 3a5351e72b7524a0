//! The props of the island `blog-explorer`, without its interface texts: the list of posts in the prerendered page. Its
//! links to tags and to further pages are HTML of the template, because they do not change in the browser.

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use crate::asked::record;
use crate::values::Values;
use api_types::islands::props::{DateWords, Link};
use api_types::posts::Pagination;
use config::OnFailure;
use languages::locale::Word;
use manifest::PageInput;
use site::model::blog::{PER_PAGE, Term, pages_of};
use site::model::{BlogPage, Body, Field};

use super::language;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Explorer {
    posts: Vec<Value>,
    pagination: Pagination,
    heading: String,
    lead: String,
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

/// A tag that filters the list of posts, as the macro `chip` shows it.
#[derive(Serialize)]
struct Topic {
    name: String,
    link: Link,
    /// Whether the list shows the posts of this tag.
    current: bool,
}

/// The generated fields of the section that lists posts: the props of the island, and what the template adds to them.
pub(crate) fn explorer(values: &Values, fields: &Field) -> Vec<(String, Value)> {
    let (site, settings) = (values.site, values.settings);
    let language = language(values);
    let Some(list) = super::post_list(site, values.page) else {
        return Vec::new();
    };
    let tag = match values.page.body {
        Body::Blog(BlogPage::Tag(tag, _)) => language.map(|language| &language.tags[tag]),
        _ => None,
    };
    let base = language.map_or(&values.page.path.value, |language| {
        &site.pages[language.list.0].path.value
    });
    let text = |name: &str| match fields.get(name) {
        Some(Field::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let locale = &site.locales[values.locale];
    let explorer = Explorer {
        posts: list.shown().map(|index| answer(values, index)).collect(),
        pagination: Pagination {
            total: count(list.posts.len()),
            total_pages: count(pages_of(list.posts.len())),
            current_page: count(list.number),
            per_page: count(PER_PAGE),
        },
        heading: tag.map_or_else(
            || text("title"),
            |tag| text("tagged_title").replace("{tag}", &tag.name),
        ),
        lead: match fields.get("lead") {
            Some(Field::Rich(rich)) => values.html(rich),
            _ => String::new(),
        },
        selected_tag: tag.map(|tag| tag.name.clone()),
        tag_slug: tag.map(|tag| tag.slug.clone()),
        base: here(values, base),
        api: settings.api_href("/api/posts"),
        lang: (values.locale > 0).then(|| locale.code.clone()),
        team: locale
            .own_word(Word::Team, &site.locales[0])
            .unwrap_or_default()
            .replace("{product}", &settings.product.name),
        dates: DateWords {
            pattern: locale.date.clone(),
            months: locale.months.clone(),
        },
        placeholders: settings.blog.on_failure == OnFailure::Placeholder,
        error: false,
        error_message: None,
    };
    vec![
        ("explorer".into(), Value::from(Serde(explorer))),
        ("topics".into(), Value::from(topics(values, base))),
        (
            "pages".into(),
            Value::from(Serde(list.pagination(values.routes))),
        ),
    ]
}

/// A post as the API returns it and the island expects it.
fn answer(values: &Values, index: usize) -> Value {
    super::record_summary(values, index);
    if let Some(author) = values.site.blog.post(index).author.clone() {
        record(PageInput::AuthorSummary { author });
    }
    values.shared.answers[index]
        .get_or_init(|| Value::from(Serde(super::answers::post(values, index))))
        .clone()
}

/// The links to all tags. The link of the current tag leads back to the full list.
fn topics(values: &Values, base: &str) -> Vec<Value> {
    record(PageInput::Tags);
    let tags = language(values).map_or(&[] as &[Term], |language| &language.tags);
    let topic = |term: &Term, current: bool| {
        let to = if current {
            base.to_owned()
        } else {
            format!("{base}tag/{}/", term.slug)
        };
        Value::from(Serde(Topic {
            name: term.name.clone(),
            link: here(values, &to),
            current,
        }))
    };
    let mut topics = values.shared.topics[values.locale]
        .get_or_init(|| tags.iter().map(|term| topic(term, false)).collect())
        .clone();
    if let Body::Blog(BlogPage::Tag(current, _)) = values.page.body {
        topics[current] = topic(&tags[current], true);
    }
    topics
}

fn here(values: &Values, path: &str) -> Link {
    Link {
        href: values.routes.href(path),
        external: false,
        hreflang: None,
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
