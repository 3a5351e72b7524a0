//! A site built from the API of another site has the same posts.

use serde_json::Value;

use crate::api_site::Direct;
use crate::serve::Server;
use crate::site_test::SiteTest;

/// The folder of published pictures. In this test, all are 64 pixels wide.
const PICTURES: &str = "/_assets/images/";
/// The attribute of external links.
const EXTERNAL: &str = " rel=\"external noopener\"";

/// The posts of a built site from its API, including bodies.
fn posts(site: &SiteTest, lang: &str) -> Vec<Value> {
    let target = format!("/api/posts?per_page=100&content=full&lang={lang}");
    let answer = Direct::at(site.path("search"))
        .request("GET", &target, &[])
        .json();
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
    let url = format!("blog: {{source: posts_api, url: \"{}\"}}", server.url());
    second.edit("content/site.yaml", "blog: {sharing_cards: false}", &url);
    second.built();
    for (wanted, lang) in wanted.iter().zip(["en", "es"]) {
        let found = posts(&second, lang);
        assert_eq!(found.len(), wanted.len());
        for (mut found, mut wanted) in found.into_iter().zip(wanted.iter().cloned()) {
            // Pictures were downloaded and encoded again: the files differ, the alternative texts do not.
            for post in [&mut found, &mut wanted] {
                post["cover"] = Value::Null;
                post["author"]["avatar_urls"] = Value::Null;
                let alt = post["featured_image"]["alt_text"].clone();
                post["featured_image"] = alt;
                // Two serializers write quotation marks and void elements differently.
                let html = post["content"]
                    .as_str()
                    .expect("HTML")
                    .replace("&quot;", "\"")
                    .replace("&#39;", "'")
                    .replace(" />", ">");
                // Links to pages other than posts are external links to the first site, without `hreflang`.
                let html = html
                    .replace(&format!("href=\"{}", server.url()), "href=\"/")
                    .replace(EXTERNAL, "")
                    .replace(" hreflang=\"en\"", "");
                // The name of a downloaded picture contains hashes of its URL and bytes; only the format is compared.
                let (before, pictures) = html.split_once(PICTURES).unwrap_or((&html, ""));
                let formats = pictures
                    .split(PICTURES)
                    .map(|part| part.split_once('.').map_or(part, |(_, rest)| rest));
                let html = before.to_owned() + &formats.collect::<String>();
                post["content"] = Value::Array(html.split('\n').map(Value::from).collect());
            }
            let link = wanted["link"].to_string();
            for (name, wanted) in wanted.as_object().expect("a post") {
                match (wanted.as_array(), found[name].as_array()) {
                    (Some(wanted), Some(found)) => {
                        wanted
                            .iter()
                            .zip(found)
                            .for_each(|(wanted, found)| assert_eq!(found, wanted, "{link} {name}"));
                        assert_eq!(found.len(), wanted.len(), "{link} {name}");
                    }
                    _ => assert_eq!(&found[name], wanted, "{link} {name}"),
                }
            }
        }
    }
}
