//! Posts from WordPress's REST API, as real installations answer it.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use reqwest::Url;
use serde_json::Value;

use crate::config::{BlogSettings, LanguageBy};

use super::fetch::{CmsAnswer, Fetcher, MOST_PAGES, all, further_pages};
use super::raw::{RawPost, author, id, image, text};

/// More is refused by WordPress.
const PER_PAGE: &str = "100";
/// What is asked of a post. `replies` are readers' comments and stay there.
const FIELDS: &str =
    "id,date,modified,slug,link,title,content,excerpt,author,featured_media,tags,lang,translations,_links,_embedded";
/// A list that changes while it is read is read again, so often.
const READINGS: usize = 3;

/// All posts of a language; what could not be used as it came is said by its `faults`.
pub(super) async fn posts(
    fetcher: &Arc<Fetcher>,
    settings: &BlogSettings,
    locale: &str,
) -> Result<Vec<RawPost>, String> {
    let own = settings.languages.get(locale).map_or(locale, |value| value.value.as_str());
    let base = match settings.language_by {
        LanguageBy::BaseUrl => own,
        _ => settings.url.as_ref().map_or("", |url| url.value.as_str()),
    };
    let api = format!("{}/wp-json/wp/v2", base.trim_end_matches('/'));
    let mut narrow: Vec<(&str, String)> = Vec::new();
    match settings.language_by {
        LanguageBy::Parameter => narrow.push((&settings.language_parameter, own.to_owned())),
        LanguageBy::Category => narrow.push(("categories", category(fetcher, &api, own).await?)),
        LanguageBy::BaseUrl => {}
    }
    let mut query = narrow.clone();
    for (name, value) in [
        ("_embed", "author,wp:featuredmedia,wp:term"),
        ("_fields", FIELDS),
        ("orderby", "date"),
        ("order", "desc"),
        ("per_page", PER_PAGE),
    ] {
        query.push((name, value.to_owned()));
    }
    let posts = list(fetcher, &format!("{api}/posts"), &query).await?;
    let tags = if posts.iter().any(|post| post["tags"].as_array().is_some_and(|tags| !tags.is_empty())) {
        // A category narrows posts, not tags.
        narrow.retain(|_| settings.language_by == LanguageBy::Parameter);
        tags(fetcher, &api, narrow).await?
    } else {
        BTreeMap::new()
    };
    let mine = |post: &&Value| match post["lang"].as_str().filter(|_| settings.language_by == LanguageBy::Parameter) {
        Some(language) => language == own,
        None => true,
    };
    Ok(posts.iter().filter(mine).filter_map(|post| read(post, &tags)).collect())
}

/// A whole list, page by page.
async fn list(fetcher: &Arc<Fetcher>, address: &str, query: &[(&str, String)]) -> Result<Vec<Value>, String> {
    let mut why = String::new();
    for _ in 0..READINGS {
        match reading(fetcher, address, query).await? {
            Ok(list) => return Ok(list),
            Err(moved) => why = moved,
        }
    }
    Err(format!("{address}: {why}"))
}

/// One reading. The inner error says that the list changed meanwhile, so that it is read again.
async fn reading(
    fetcher: &Arc<Fetcher>,
    address: &str,
    query: &[(&str, String)],
) -> Result<Result<Vec<Value>, String>, String> {
    let page = |number: u64| {
        let mut url = Url::parse(address).map_err(|error| format!("{address}: {error}"))?;
        let query = query.iter().map(|(name, value)| (*name, value.as_str()));
        url.query_pairs_mut().extend_pairs(query).append_pair("page", &number.to_string());
        Ok::<Url, String>(url)
    };
    let (first, items) = ask(fetcher, page(1)?).await?;
    let Some(mut items) = items else { return Err(format!("{address}: the list has no first page")) };
    if let Some(pages) = first.total_pages {
        let rest = further_pages(address, pages)?.map(|number| {
            let (fetcher, url) = (Arc::clone(fetcher), page(number));
            async move { ask(&fetcher, url?).await }
        });
        for (index, answer) in all(rest.collect()).await.into_iter().enumerate() {
            let (answer, more) = answer?;
            let more = more.filter(|more| !more.is_empty());
            let Some(more) = more else {
                return Ok(Err(format!("page {} of {pages} is not there", index + 2)));
            };
            if answer.total != first.total {
                return Ok(Err("the list changed each time that it was read".into()));
            }
            items.extend(more);
        }
        if items.is_empty() && first.total.unwrap_or_default() > 0 {
            return Ok(Err("the list is said to hold posts, and none came".into()));
        }
    } else {
        // Something between has taken the headers away. The list is read until WordPress says that it has ended.
        let name = |item: &Value| id(&item["id"]).unwrap_or_else(|| item.to_string());
        let mut known: HashSet<String> = items.iter().map(name).collect();
        let mut number = 2;
        while let (_, Some(more)) = ask(fetcher, page(number)?).await? {
            if more.is_empty() {
                break;
            }
            // A server that does not know pages would answer the first one for ever.
            let before = known.len();
            known.extend(more.iter().map(name));
            if known.len() == before {
                return Err(format!("{address}: page {number} repeats those before it"));
            }
            // One that invents items would never end.
            if number == MOST_PAGES {
                return Err(format!("{address}: the list does not end after {MOST_PAGES} pages"));
            }
            items.extend(more);
            number += 1;
        }
    }
    // The list moves while it is read: an item that slid to the next page comes twice.
    let mut seen = HashSet::new();
    items.retain(|item| id(&item["id"]).is_none_or(|id| seen.insert(id)));
    Ok(Ok(items))
}

/// The items of a page; none behind the end of the list.
async fn ask(fetcher: &Fetcher, url: Url) -> Result<(CmsAnswer, Option<Vec<Value>>), String> {
    let (answer, value) = fetcher.json(&url).await?;
    match value {
        Value::Array(items) if answer.status == 200 => Ok((answer, Some(items))),
        value if answer.status == 400 && value["code"] == "rest_post_invalid_page_number" => Ok((answer, None)),
        value if answer.status == 400 && value["code"] == "rest_term_invalid_page_number" => Ok((answer, None)),
        value => {
            let said = text(&value["message"]).map(|message| format!(" ({message})")).unwrap_or_default();
            Err(format!("{url}: status {}{said} where a list was expected", answer.status))
        }
    }
}

async fn category(fetcher: &Fetcher, api: &str, slug: &str) -> Result<String, String> {
    let mut url = Url::parse(&format!("{api}/categories")).map_err(|error| format!("{api}: {error}"))?;
    url.query_pairs_mut().append_pair("slug", slug).append_pair("_fields", "id");
    let (_, items) = ask(fetcher, url).await?;
    let found = items.unwrap_or_default().first().and_then(|category| id(&category["id"]));
    found.ok_or_else(|| format!("the CMS has no category `{slug}`"))
}

/// A tag's name, and the address of its page at the CMS.
type Tag = (String, Option<String>);

/// Tags by their id: an embedded list ends after ten.
async fn tags(
    fetcher: &Arc<Fetcher>,
    api: &str,
    mut query: Vec<(&str, String)>,
) -> Result<BTreeMap<String, Tag>, String> {
    query.push(("_fields", "id,name,link".into()));
    query.push(("per_page", PER_PAGE.into()));
    let tags = list(fetcher, &format!("{api}/tags"), &query).await?;
    Ok(tags.iter().filter_map(named).collect())
}

fn named(tag: &Value) -> Option<(String, Tag)> {
    Some((id(&tag["id"])?, (text(&tag["name"])?, text(&tag["link"]))))
}

/// A post as it came; none when it is not for everybody's eyes.
fn read(post: &Value, tags: &BTreeMap<String, Tag>) -> Option<RawPost> {
    if post["content"]["protected"] == true {
        return None;
    }
    let embedded = &post["_embedded"];
    let mut raw = RawPost {
        id: id(&post["id"]).unwrap_or_default(),
        slug: text(&post["slug"]),
        link: text(&post["link"]),
        title: text(&post["title"]["rendered"]),
        date: text(&post["date"]),
        modified: text(&post["modified"]),
        content: text(&post["content"]["rendered"]),
        excerpt: text(&post["excerpt"]["rendered"]),
        author: author(&embedded["author"][0]),
        image: image(&embedded["wp:featuredmedia"][0]),
        ..RawPost::default()
    };
    if raw.image.is_none() && post["featured_media"].as_u64().is_some_and(|media| media > 0) {
        raw.faults.push("its picture is not there any more".into());
    }
    let terms: BTreeMap<String, Tag> = (embedded["wp:term"].as_array().into_iter().flatten())
        .filter_map(Value::as_array)
        .flatten()
        .filter(|term| term["taxonomy"] == "post_tag")
        .filter_map(named)
        .collect();
    for tag in post["tags"].as_array().into_iter().flatten().filter_map(id) {
        match tags.get(&tag).or_else(|| terms.get(&tag)) {
            Some((name, link)) => {
                raw.tags.push(name.clone());
                raw.tag_links.extend(link.iter().map(|link| (link.clone(), name.clone())));
            }
            None => raw.faults.push(format!("its tag {tag} has no name")),
        }
    }
    if let Value::Object(translations) = &post["translations"] {
        raw.translations = translations.values().filter_map(id).collect();
        raw.translations.sort();
    }
    Some(raw)
}
