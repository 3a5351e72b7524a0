//! Fetches posts from a server with the same `GET /api/posts` as this site's API.

use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};
use reqwest::Url;
use serde_json::Value;

use config::BlogSettings;

use super::fetch::{Fetcher, join_all, remaining_pages};
use super::raw::{self, RawPost, author, id, image, text};

/// Posts per request.
const PER_PAGE: u64 = 100;
/// Maximum number of attempts to read a list that changes in between.
const MAX_ATTEMPTS: usize = 3;

/// All posts of a language: the value of `lang`, or the default language for `None`.
pub(super) async fn posts(
    fetcher: &Arc<Fetcher>,
    settings: &BlogSettings,
    parameter: Option<&str>,
    names: &[&'static str],
) -> Result<Vec<RawPost>, String> {
    let base = settings
        .url
        .as_ref()
        .map_or("", |url| url.value.trim_end_matches('/'));
    let mut why = String::new();
    for _ in 0..MAX_ATTEMPTS {
        match read_list(fetcher, &format!("{base}/api/posts"), parameter, names).await? {
            Ok(posts) => return Ok(posts),
            Err(changed) => why = changed,
        }
    }
    Err(format!("{base}/api/posts: {why}"))
}

/// Reads the list once. The inner error means that it changed meanwhile and should be read again.
async fn read_list(
    fetcher: &Arc<Fetcher>,
    address: &str,
    parameter: Option<&str>,
    names: &[&'static str],
) -> Result<Result<Vec<RawPost>, String>, String> {
    let first = page(fetcher, address, parameter, 1).await?;
    let (total, pages) = (first.total, first.pages);
    let rest = remaining_pages(address, pages)?.map(|number| {
        let (fetcher, address, parameter) = (
            Arc::clone(fetcher),
            address.to_owned(),
            parameter.map(str::to_owned),
        );
        async move { page(&fetcher, &address, parameter.as_deref(), number).await }
    });
    let mut items = first.posts;
    for answer in join_all(rest.collect()).await {
        let answer = answer?;
        if answer.total != total {
            return Ok(Err("the list changed during each attempt to read it".into()));
        }
        items.extend(answer.posts);
    }
    let received = items.len();
    let mut seen = HashSet::new();
    // A list that moves on between two requests repeats a post.
    items.retain(|item| {
        id(&item["id"]).is_none_or(|id| seen.insert((id, item["slug"].to_string())))
    });
    if items.len() as u64 != total && received as u64 != total {
        return Ok(Err(format!(
            "the list should have {total} posts, but {} were received",
            items.len()
        )));
    }
    let mut posts: Vec<RawPost> = items.iter().map(|post| read(post, names)).collect();
    tell_apart(&mut posts);
    Ok(Ok(posts))
}

/// Gives a post whose id another post has an id of its own: an id and its slug.
fn tell_apart(posts: &mut [RawPost]) {
    let mut seen = HashSet::new();
    for post in posts.iter_mut().filter(|post| !post.id.is_empty()) {
        if !seen.insert(post.id.clone()) {
            post.faults
                .push(format!("another post has the id {} as well", post.id));
            let slug = post.slug.as_deref().unwrap_or_default();
            post.id = format!("{}-{slug}", post.id);
            seen.insert(post.id.clone());
        }
    }
}

struct Page {
    posts: Vec<Value>,
    total: u64,
    pages: u64,
}

async fn page(
    fetcher: &Fetcher,
    address: &str,
    parameter: Option<&str>,
    number: u64,
) -> Result<Page, String> {
    let mut url = Url::parse(address).map_err(|error| format!("{address}: {error}"))?;
    let (per_page, number) = (PER_PAGE.to_string(), number.to_string());
    let query = [
        ("per_page", per_page.as_str()),
        ("page", &number),
        ("orderby", "date"),
        ("order", "desc"),
        ("content", "full"),
    ];
    url.query_pairs_mut()
        .extend_pairs(query)
        .extend_pairs(parameter.map(|language| ("lang", language)));
    let (answer, mut value) = fetcher.json(&url).await?;
    let pagination = &value["pagination"];
    let (total, pages) = (
        pagination["total"].as_u64(),
        pagination["total_pages"].as_u64(),
    );
    match (answer.status, value.is_object(), total, pages) {
        // A missing or non-array list counts as empty; the total is compared later.
        (200, true, Some(total), Some(pages)) => {
            let posts = match value["posts"].take() {
                Value::Array(posts) => posts,
                _ => Vec::new(),
            };
            Ok(Page {
                posts,
                total,
                pages,
            })
        }
        (200, true, ..) => Err(format!(
            "{url}: the response lacks `pagination.total` or `pagination.total_pages`"
        )),
        (200, ..) => Err(format!("{url}: the response is not an object")),
        (status, ..) => Err(format!("{url}: status {status} instead of posts")),
    }
}

fn read(post: &Value, names: &[&'static str]) -> RawPost {
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
        tags: post["tags"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(text)
            .collect(),
        key: text(&post["key"]),
        fields: raw::fields(&[post, &post["meta"]], names),
        ..RawPost::default()
    }
}
