//! Fetches posts from the REST API of WordPress, and tolerates the deviations of real installations.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};
use reqwest::Url;
use serde_json::Value;

use config::{BlogSettings, LanguageBy};

use super::fetch::{CmsResponse, Fetcher, MAX_PAGES, join_all, remaining_pages};
use super::raw::{self, RawPost, author, id, image, text};

/// Items per request; the maximum that WordPress allows.
const PER_PAGE: &str = "100";
/// The requested fields of a post. Comments of readers (`replies`) are omitted.
const FIELDS: &str = "id,date,modified,slug,link,title,content,excerpt,author,featured_media,tags,lang,translations,_links,_embedded";
/// The same for a site that adds fields to posts: WordPress keeps them in `meta`, and the plugin ACF in `acf`.
const WITH_CUSTOM_FIELDS: &str = concat!(
    "id,date,modified,slug,link,title,content,excerpt,author,featured_media,tags,lang,translations,_links,_embedded",
    ",meta,acf"
);
/// Maximum number of attempts to read a list that changes in between.
const MAX_ATTEMPTS: usize = 3;

/// All posts of a locale. Problems of single posts are in [`RawPost::faults`].
pub(super) async fn posts(
    fetcher: &Arc<Fetcher>,
    settings: &BlogSettings,
    locale: &str,
    names: &[&'static str],
) -> Result<Vec<RawPost>, String> {
    let own = settings
        .languages
        .get(locale)
        .map_or(locale, |value| value.value.as_str());
    let base = match settings.language_by {
        LanguageBy::BaseUrl => own,
        _ => settings.url.as_ref().map_or("", |url| url.value.as_str()),
    };
    let api = format!("{}/wp-json/wp/v2", base.trim_end_matches('/'));
    let mut filter: Vec<(&str, String)> = Vec::new();
    match settings.language_by {
        LanguageBy::Parameter => filter.push((&settings.language_parameter, own.to_owned())),
        LanguageBy::Category => filter.push(("categories", category(fetcher, &api, own).await?)),
        LanguageBy::BaseUrl => {}
    }
    let mut query = filter.clone();
    for (name, value) in [
        ("_embed", "author,wp:featuredmedia,wp:term"),
        (
            "_fields",
            if names.is_empty() {
                FIELDS
            } else {
                WITH_CUSTOM_FIELDS
            },
        ),
        ("orderby", "date"),
        ("order", "desc"),
        ("per_page", PER_PAGE),
    ] {
        query.push((name, value.to_owned()));
    }
    let posts = list(fetcher, &format!("{api}/posts"), &query).await?;
    let tags = if posts
        .iter()
        .any(|post| post["tags"].as_array().is_some_and(|tags| !tags.is_empty()))
    {
        // A category filters posts, not tags.
        filter.retain(|_| settings.language_by == LanguageBy::Parameter);
        tags(fetcher, &api, filter).await?
    } else {
        BTreeMap::new()
    };
    Ok(posts
        .iter()
        .filter(|post| {
            match post["lang"]
                .as_str()
                .filter(|_| settings.language_by == LanguageBy::Parameter)
            {
                Some(language) => language == own,
                None => true,
            }
        })
        .filter_map(|post| read(post, &tags, names))
        .collect())
}

/// Reads all pages of a list.
pub(super) async fn list(
    fetcher: &Arc<Fetcher>,
    address: &str,
    query: &[(&str, String)],
) -> Result<Vec<Value>, String> {
    let mut why = String::new();
    for _ in 0..MAX_ATTEMPTS {
        match read_list(fetcher, address, query).await? {
            Ok(list) => return Ok(list),
            Err(changed) => why = changed,
        }
    }
    Err(format!("{address}: {why}"))
}

/// Reads the list once. The inner error means that it changed meanwhile and should be read again.
async fn read_list(
    fetcher: &Arc<Fetcher>,
    address: &str,
    query: &[(&str, String)],
) -> Result<Result<Vec<Value>, String>, String> {
    let page = |number: u64| {
        let mut url = Url::parse(address).map_err(|error| format!("{address}: {error}"))?;
        let query = query.iter().map(|(name, value)| (*name, value.as_str()));
        url.query_pairs_mut()
            .extend_pairs(query)
            .append_pair("page", &number.to_string());
        Ok::<Url, String>(url)
    };
    let (first, items) = fetch_page(fetcher, page(1)?).await?;
    let Some(mut items) = items else {
        return Err(format!("{address}: the list has no first page"));
    };
    if let Some(pages) = first.total_pages {
        let rest = remaining_pages(address, pages)?.map(|number| {
            let (fetcher, url) = (Arc::clone(fetcher), page(number));
            async move { fetch_page(&fetcher, url?).await }
        });
        for (index, answer) in join_all(rest.collect()).await.into_iter().enumerate() {
            let (answer, more) = answer?;
            let more = more.filter(|more| !more.is_empty());
            let Some(more) = more else {
                return Ok(Err(format!("page {} of {pages} is missing", index + 2)));
            };
            if answer.total != first.total {
                return Ok(Err("the list changed during each attempt to read it".into()));
            }
            items.extend(more);
        }
        if items.is_empty() && first.total.unwrap_or_default() > 0 {
            return Ok(Err(
                "the list should have posts, but none were received".into()
            ));
        }
    } else {
        // A proxy may have removed the headers. Read pages until WordPress reports the end of the list.
        let name = |item: &Value| id(&item["id"]).unwrap_or_else(|| item.to_string());
        let mut known: HashSet<String> = items.iter().map(name).collect();
        let mut number = 2;
        while let (_, Some(more)) = fetch_page(fetcher, page(number)?).await? {
            if more.is_empty() {
                break;
            }
            // A server that ignores `page` would return the first page forever.
            let before = known.len();
            known.extend(more.iter().map(name));
            if known.len() == before {
                return Err(format!("{address}: page {number} repeats earlier pages"));
            }
            // A server that generates items would never end.
            if number == MAX_PAGES {
                return Err(format!(
                    "{address}: the list has more than {MAX_PAGES} pages"
                ));
            }
            items.extend(more);
            number += 1;
        }
    }
    // If the list grows meanwhile, an item may be on two pages.
    let mut seen = HashSet::new();
    items.retain(|item| id(&item["id"]).is_none_or(|id| seen.insert(id)));
    Ok(Ok(items))
}

/// The items of a page; `None` after the end of the list.
async fn fetch_page(
    fetcher: &Fetcher,
    url: Url,
) -> Result<(CmsResponse, Option<Vec<Value>>), String> {
    let (answer, value) = fetcher.json(&url).await?;
    match value {
        Value::Array(items) if answer.status == 200 => Ok((answer, Some(items))),
        value if answer.status == 400 && value["code"] == "rest_post_invalid_page_number" => {
            Ok((answer, None))
        }
        value if answer.status == 400 && value["code"] == "rest_term_invalid_page_number" => {
            Ok((answer, None))
        }
        value => {
            let message = text(&value["message"])
                .map(|message| format!(" ({message})"))
                .unwrap_or_default();
            Err(format!(
                "{url}: status {}{message} instead of a list",
                answer.status
            ))
        }
    }
}

async fn category(fetcher: &Fetcher, api: &str, slug: &str) -> Result<String, String> {
    let mut url =
        Url::parse(&format!("{api}/categories")).map_err(|error| format!("{api}: {error}"))?;
    url.query_pairs_mut()
        .append_pair("slug", slug)
        .append_pair("_fields", "id");
    let (_, items) = fetch_page(fetcher, url).await?;
    let found = items
        .unwrap_or_default()
        .first()
        .and_then(|category| id(&category["id"]));
    found.ok_or_else(|| format!("the CMS has no category `{slug}`"))
}

/// The name of a tag, and the URL of its page in the CMS.
type Tag = (String, Option<String>);

/// Tags by id. Requested separately, because embedded lists are limited to ten.
async fn tags(
    fetcher: &Arc<Fetcher>,
    api: &str,
    mut query: Vec<(&str, String)>,
) -> Result<BTreeMap<String, Tag>, String> {
    query.push(("_fields", "id,name,link".into()));
    query.push(("per_page", PER_PAGE.into()));
    let tags = list(fetcher, &format!("{api}/tags"), &query).await?;
    Ok(tags.iter().filter_map(read_tag).collect())
}

fn read_tag(tag: &Value) -> Option<(String, Tag)> {
    Some((id(&tag["id"])?, (text(&tag["name"])?, text(&tag["link"]))))
}

/// Converts a post. `None` for password-protected posts.
fn read(post: &Value, tags: &BTreeMap<String, Tag>, names: &[&'static str]) -> Option<RawPost> {
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
        fields: raw::fields(&[&post["acf"], &post["meta"]], names),
        ..RawPost::default()
    };
    if raw.image.is_none()
        && post["featured_media"]
            .as_u64()
            .is_some_and(|media| media > 0)
    {
        raw.faults.push("its image no longer exists".into());
    }
    let terms: BTreeMap<String, Tag> = (embedded["wp:term"].as_array().into_iter().flatten())
        .filter_map(Value::as_array)
        .flatten()
        .filter(|term| term["taxonomy"] == "post_tag")
        .filter_map(read_tag)
        .collect();
    for tag in post["tags"].as_array().into_iter().flatten().filter_map(id) {
        match tags.get(&tag).or_else(|| terms.get(&tag)) {
            Some((name, link)) => {
                raw.tags.push(name.clone());
                raw.tag_links
                    .extend(link.iter().map(|link| (link.clone(), name.clone())));
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
