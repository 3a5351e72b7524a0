//! Recorded requests and responses of the API, in `tests/api/`. They are replayed here and by the tests of the islands,
//! so that both sides agree. `UPDATE_API=1 cargo test exchanges` records the responses again; review the diff.

use api::leads::{CaptchaSettings, LeadSettings, StoreSettings};
use api_types::posts::Post;
use serde_json::{Map, Value};

use crate::api_site::{ApiAnswer, ApiSite, Direct};
use crate::cms_server::CmsServer;
use crate::leads_server::{captcha, lead_site, write};
use crate::site_test::repository;

const POSTS: &str = "tests/api/posts.json";
const EXCHANGES: &str = "tests/api/exchanges.json";

fn read(file: &str) -> Value {
    let text = std::fs::read_to_string(repository().join(file))
        .unwrap_or_else(|error| panic!("{file}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Sends the request of an exchange. `body` is JSON or verbatim text; `blanks` is a body of that many spaces.
fn send(api: &Direct, exchange: &Value) -> ApiAnswer {
    let (method, target) = exchange["request"]
        .as_str()
        .and_then(|request| request.split_once(' '))
        .expect("a request");
    let headers = exchange["headers"].as_object().into_iter().flatten();
    let headers: Vec<(&str, &str)> = headers
        .map(|(name, value)| (name.as_str(), value.as_str().expect("a text")))
        .collect();
    let body = match (&exchange["body"], exchange["blanks"].as_u64()) {
        (_, Some(blanks)) => " ".repeat(blanks.try_into().expect("a length")),
        (Value::Null, None) => String::new(),
        (Value::String(text), None) => text.clone(),
        (json, None) => json.to_string(),
    };
    api.send(method, target, &headers, body.as_bytes())
}

/// The exchange with the received response: JSON in `answer`, else the content type in `kind`, and the target of a
/// redirect.
fn answered(exchange: &Value, answer: &ApiAnswer) -> Value {
    let sent = ["request", "headers", "body", "blanks"];
    let mut found: Map<String, Value> = sent
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), exchange.get(*name)?.clone())))
        .collect();
    found.insert("status".into(), answer.status.into());
    for (name, header) in [("location", "location"), ("allow", "allow")] {
        if !answer.header(header).is_empty() {
            found.insert(name.into(), answer.header(header).into());
        }
    }
    match answer.header("content-type") {
        "application/json" => {
            let mut json = answer.json();
            // The build id depends on the format of the index.
            if let Some(build) = json.get_mut("build") {
                *build = "BUILD".into();
            }
            found.insert("answer".into(), json);
        }
        "" => {}
        kind => {
            found.insert("kind".into(), kind.into());
        }
    }
    found.into()
}

/// The API of a site with a limit of two leads per minute, its captcha provider and the folder of its leads.
fn api(site: &ApiSite) -> (Direct, CmsServer, tempfile::TempDir) {
    let (provider, folder) = (captcha(), tempfile::tempdir().expect("a folder"));
    let leads = folder.path().join("leads.json");
    write(&leads, &lead_site().to_string());
    let captcha = CaptchaSettings {
        secret: "s3cret".into(),
        verify_url: Some(provider.url.clone()),
        hosts: Vec::new(),
    };
    let leads = LeadSettings {
        store: Some(StoreSettings::File(folder.path().join("leads.sqlite3"))),
        site: leads,
        per_minute_total: 1,
        captcha: Some(captcha),
        ..LeadSettings::default()
    };
    (Direct::with(site.path(), leads), provider, folder)
}

#[test]
fn recorded_requests_get_their_recorded_responses() {
    let posts = read(POSTS);
    let of =
        |code: &str| -> Vec<Post> { serde_json::from_value(posts[code].clone()).expect("posts") };
    let site = ApiSite::new(of("en"), of("es"));
    let (api, _provider, _folder) = api(&site);
    let mut exchanges = read(EXCHANGES);
    let list = exchanges.as_array_mut().expect("a list");
    assert!(list.len() >= 30, "only {} exchanges were found", list.len());
    let mut differing = Vec::new();
    for exchange in list.iter_mut() {
        let found = answered(exchange, &send(&api, exchange));
        if *exchange != found {
            differing.push(format!("--- wanted\n{exchange:#}\n--- found\n{found:#}"));
            *exchange = found;
        }
    }
    if std::env::var_os("UPDATE_API").is_some() {
        let text = serde_json::to_string_pretty(&exchanges).expect("JSON") + "\n";
        std::fs::write(repository().join(EXCHANGES), text).expect("a file");
        return;
    }
    assert!(
        differing.is_empty(),
        "{}\nUPDATE_API=1 records them again; review the diff",
        differing.join("\n")
    );
}
