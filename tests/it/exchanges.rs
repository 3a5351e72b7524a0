//! Requests and answers of the API, in `tests/api/`: replayed here, and by the tests of the islands, so that both sides
//! keep to the same ones. `UPDATE_API=1 cargo test exchanges` writes the answers anew, to be reviewed as a diff.

use serde_json::Value;
use sitegen::wire::posts::Post;

use crate::api_site::{ApiSite, Direct};
use crate::site_test::repository;

const POSTS: &str = "tests/api/posts.json";
const EXCHANGES: &str = "tests/api/exchanges.json";

fn read(file: &str) -> Value {
    let text = std::fs::read_to_string(repository().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn every_request_gets_its_answer() {
    let posts = read(POSTS);
    let of = |code: &str| -> Vec<Post> { serde_json::from_value(posts[code].clone()).expect("posts") };
    let site = ApiSite::new(of("en"), of("es"));
    let api = Direct::of(&site);
    let mut exchanges = read(EXCHANGES);
    let list = exchanges.as_array_mut().expect("a list");
    assert!(list.len() >= 10, "only {} exchanges were found", list.len());
    let mut differing = Vec::new();
    for exchange in list.iter_mut() {
        let request = exchange["request"].as_str().expect("a request").to_owned();
        let (method, target) = request.split_once(' ').expect("a method and an address");
        let answer = api.ask(method, target, &[]);
        let mut json = answer.json();
        // The name of the build follows from the form of the index.
        if let Some(build) = json.get_mut("build") {
            *build = "BUILD".into();
        }
        let found = serde_json::json!({"request": request, "status": answer.status, "answer": json});
        if *exchange != found {
            differing.push(format!("{request}\n--- wanted\n{exchange:#}\n--- found\n{found:#}"));
            *exchange = found;
        }
    }
    if std::env::var_os("UPDATE_API").is_some() {
        let text = serde_json::to_string_pretty(&exchanges).expect("JSON") + "\n";
        std::fs::write(repository().join(EXCHANGES), text).expect("a file");
        return;
    }
    assert!(differing.is_empty(), "{}\nUPDATE_API=1 writes them anew, to be reviewed as a diff", differing.join("\n"));
}
