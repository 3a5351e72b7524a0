//! Posts from an API that answers `GET /api/posts` as this site's own does.

use std::collections::HashSet;
use std::sync::Arc;

use reqwest::Url;
use serde_json::Value;

use crate::config::BlogSettings;

use super::fetch::{Fetcher, all, further_pages};
use super::raw::{RawPost, author, id, image, text};

const PER_PAGE: u64 = 100;
/// A list that changes while it is read is read again, so often.
const READINGS: usize = 3;

/// All posts of a language; `parameter` says which one, and none the default one.
pub(super) async fn posts(
    fetcher: &Arc<Fetcher>,
    settings: &BlogSettings,
    parameter: Option<&str>,
) -> Result<Vec<RawPost>, String> {
    let base = settings.url.as_ref().map_or("", |url| url.value.trim_end_matches('/'));
    let mut why = String::new();
    for _ in 0..READINGS {
        match reading(fetcher, &format!("{base}/api/posts"), parameter).await? {
            Ok(posts) => return Ok(posts),
            Err(moved) => why = moved,
        }
    }
    Err(format!("{base}/api/posts: {why}"))
}

/// One reading. The inner error says that the list changed meanwhile, so that it is read again.
async fn reading(
    fetcher: &Arc<Fetcher>,
    address: &str,
    parameter: Option<&str>,
) -> Result<Result<Vec<RawPost>, String>, String> {
    let first = page(fetcher, address, parameter, 1).await?;
    let (total, pages) = (first.total, first.pages);
    let rest = further_pages(address, pages)?.map(|number| {
        let (fetcher, address, parameter) = (Arc::clone(fetcher), address.to_owned(), parameter.map(str::to_owned));
        async move { page(&fetcher, &address, parameter.as_deref(), number).await }
    });
    let mut items = first.posts;
    for answer in all(rest.collect()).await {
        let answer = answer?;
        if answer.total != total {
            return Ok(Err("the list changed each time that it was read".into()));
        }
        items.extend(answer.posts);
    }
    let came = items.len();
    let mut seen = HashSet::new();
    items.retain(|item| id(&item["id"]).is_none_or(|id| seen.insert(id)));
    if items.len() as u64 != total && came as u64 != total {
        return Ok(Err(format!("the list is said to hold {total} posts, and {} came", items.len())));
    }
    Ok(Ok(items.iter().map(read).collect()))
}

struct Page {
    posts: Vec<Value>,
    total: u64,
    pages: u64,
}

async fn page(fetcher: &Fetcher, address: &str, parameter: Option<&str>, number: u64) -> Result<Page, String> {
    let mut url = Url::parse(address).map_err(|error| format!("{address}: {error}"))?;
    let (per_page, number) = (PER_PAGE.to_string(), number.to_string());
    let query = [
        ("per_page", per_page.as_str()),
        ("page", &number),
        ("orderby", "date"),
        ("order", "desc"),
        ("content", "full"),
    ];
    url.query_pairs_mut().extend_pairs(query).extend_pairs(parameter.map(|language| ("lang", language)));
    let (answer, mut value) = fetcher.json(&url).await?;
    let pagination = &value["pagination"];
    let (total, pages) = (pagination["total"].as_u64(), pagination["total_pages"].as_u64());
    match (answer.status, value.is_object(), total, pages) {
        // A missing or non-array list counts as an empty one, which its total must agree with.
        (200, true, Some(total), Some(pages)) => {
            let posts = match value["posts"].take() {
                Value::Array(posts) => posts,
                _ => Vec::new(),
            };
            Ok(Page { posts, total, pages })
        }
        (200, true, ..) => Err(format!("{url}: the answer does not say how many posts and pages there are")),
        (200, ..) => Err(format!("{url}: the answer is not an object")),
        (status, ..) => Err(format!("{url}: status {status} where posts were expected")),
    }
}

fn read(post: &Value) -> RawPost {
    RawPost {
        id: id(&post["id"]).unwrap_or_default(),
        slug: text(&post["slug"]),
        link: text(&post["link"]),
        title: text(&post["title"]),
        date: text(&post["date"]),
        modified: text(&post["modified"]),
        content: text(&post["content"]),
        excerpt: text(&post["excerpt"]),
        author: author(&post["author"]),
        image: image(&post["featured_image"]),
        tags: post["tags"].as_array().into_iter().flatten().filter_map(text).collect(),
        key: text(&post["key"]),
        ..RawPost::default()
    }
}
