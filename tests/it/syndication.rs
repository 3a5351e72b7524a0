//! One site built from the API of another: the same posts.

use serde_json::Value;

use crate::api_site::Direct;
use crate::serve::Server;
use crate::site_test::SiteTest;

/// Where pictures are published, each 64 pixels wide here.
const PICTURES: &str = "/_assets/images/";
/// How a link out of the site is marked.
const EXTERNAL: &str = " rel=\"external noopener\"";

/// The posts of a built site as its API tells them, texts included.
fn posts(site: &SiteTest, lang: &str) -> Vec<Value> {
    let target = format!("/api/posts?per_page=100&content=full&lang={lang}");
    let answer = Direct::at(site.path("search")).ask("GET", &target, &[]).json();
    assert_eq!(answer["pagination"]["total_pages"], 1);
    answer["posts"].as_array().expect("posts").clone()
}

#[test]
fn a_site_built_from_another_sites_api_has_the_same_posts() {
    let first = SiteTest::whole();
    first.built();
    let wanted = [posts(&first, "en"), posts(&first, "es")];
    let server = Server::start(first, &["--no-watch"]);
    let second = SiteTest::whole();
    std::fs::remove_dir_all(second.path("content/blog")).expect("the posts of the files");
    let url = format!("blog: {{source: posts_api, url: \"{}\"}}\nlocales:", server.url());
    second.edit("content/site.yaml", "locales:", &url);
    second.built();
    for (wanted, lang) in wanted.iter().zip(["en", "es"]) {
        let found = posts(&second, lang);
        assert_eq!(found.len(), wanted.len());
        for (mut found, mut wanted) in found.into_iter().zip(wanted.iter().cloned()) {
            // Pictures were fetched and made anew: other files, the same words about them.
            for post in [&mut found, &mut wanted] {
                post["cover"] = Value::Null;
                post["author"]["avatar_urls"] = Value::Null;
                let alt = post["featured_image"]["alt_text"].clone();
                post["featured_image"] = alt;
                // Two serializers, which need not write quotation marks and empty elements alike.
                let html = post["content"]
                    .as_str()
                    .expect("HTML")
                    .replace("&quot;", "\"")
                    .replace("&#39;", "'")
                    .replace(" />", ">");
                // What is no post is a page of the first site alone, and links still lead there, in no language of ours.
                let html = html
                    .replace(&format!("href=\"{}", server.url()), "href=\"/")
                    .replace(EXTERNAL, "")
                    .replace(" hreflang=\"en\"", "");
                // A fetched picture is named for its address and for the bytes that were fetched; its form is the same.
                let form = |rest: &str| rest.split_once('.').map_or(String::new(), |(_, form)| form.to_owned());
                let html: String = html
                    .split(PICTURES)
                    .map(|part| part.split_once("-64-").map_or(part.to_owned(), |(_, rest)| form(rest)))
                    .collect();
                post["content"] = Value::Array(html.split('\n').map(Value::from).collect());
            }
            let link = wanted["link"].to_string();
            for (name, wanted) in wanted.as_object().expect("a post") {
                match (wanted.as_array(), found[name].as_array()) {
                    (Some(wanted), Some(found)) => {
                        wanted.iter().zip(found).for_each(|(wanted, found)| assert_eq!(found, wanted, "{link} {name}"));
                        assert_eq!(found.len(), wanted.len(), "{link} {name}");
                    }
                    _ => assert_eq!(&found[name], wanted, "{link} {name}"),
                }
            }
        }
    }
}
