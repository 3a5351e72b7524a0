//! Tests of `GET /api/posts` and the other routes. Modules that include this file define the `Client`.

use crate::api_site::{ApiAnswer, ApiSite, language, post};

use super::Client;

fn get(api: &Client, target: &str) -> ApiAnswer {
    api.request("GET", target, &[])
}

fn slugs(numbers: impl IntoIterator<Item = u32>) -> Vec<String> {
    numbers
        .into_iter()
        .map(|number| format!("post-{number}"))
        .collect()
}

#[test]
fn posts_come_newest_first_ten_at_a_time() {
    let site = ApiSite::small();
    let api = Client::of(&site);
    let first = get(&api, "/api/posts");
    assert_eq!((first.status, first.slugs()), (200, slugs(1..=10)));
    let json = first.json();
    assert_eq!(
        json["pagination"],
        serde_json::json!({"total": 25, "total_pages": 3, "current_page": 1, "per_page": 10})
    );
    assert_eq!(
        json["categories"],
        serde_json::json!(["Even", "Odd Numbers"])
    );
    assert_eq!(json["posts"][0]["title"], "Number 1");
    assert_eq!(json["posts"][0]["content"], "");
    assert_eq!(get(&api, "/api/posts?page=3").slugs(), slugs(21..=25));
    assert_eq!(
        get(&api, "/api/posts?per_page=100&orderby=date&order=desc").slugs(),
        slugs(1..=25)
    );
    assert_eq!(
        get(&api, "/api/posts?per_page=2&page=2&order=asc").slugs(),
        slugs([23, 22])
    );
}

#[test]
fn a_page_after_the_last_is_empty() {
    let site = ApiSite::small();
    let beyond = get(
        &Client::of(&site),
        "/api/posts?page=1000000000&per_page=100",
    );
    assert_eq!(
        (beyond.status, beyond.slugs().len(), beyond.total()),
        (200, 0, 25)
    );
    assert_eq!(beyond.json()["pagination"]["current_page"], 1_000_000_000);
}

#[test]
fn the_body_is_returned_on_request() {
    let site = ApiSite::small();
    let full = get(&Client::of(&site), "/api/posts?content=full&per_page=1").json();
    assert_eq!(
        full["posts"][0]["content"],
        "<p>Caching <b>post</b>greSQL queries.</p>"
    );
}

#[test]
fn each_language_has_its_own_posts_and_its_own_stems() {
    let site = ApiSite::small();
    let api = Client::of(&site);
    assert_eq!(get(&api, "/api/posts?lang=es").total(), 3);
    assert_eq!(
        get(&api, "/api/posts?lang=es&search=migraciones").slugs(),
        slugs([1, 2])
    );
    assert_eq!(
        get(&api, "/api/posts?lang=es&search=migracion").slugs(),
        slugs([1, 2])
    );
    assert_eq!(
        get(&api, "/api/posts?lang=es&search=MIGRACI%C3%93N%20pequena").slugs(),
        slugs([2])
    );
    assert_eq!(get(&api, "/api/posts?search=migracion").total(), 0);
}

#[test]
fn words_are_found_in_every_part_of_a_post() {
    let english = vec![
        post(1, "Titled zebra", "<p>x</p>", &[]),
        post(2, "x", "<p>Bodied zebra</p>", &[]),
        post(3, "x", "<p>x</p>", &["Tagged zebra"]),
    ];
    let site = ApiSite::new(english, Vec::new());
    let api = Client::of(&site);
    assert_eq!(get(&api, "/api/posts?search=zebra").slugs(), slugs(1..=3));
    assert_eq!(
        get(&api, "/api/posts?search=zebra+tagged").slugs(),
        slugs([3])
    );
    assert_eq!(
        get(&api, "/api/posts?search=about").slugs(),
        slugs(1..=3),
        "the excerpt"
    );
    assert_eq!(
        get(&api, "/api/posts?search=ruiz").slugs(),
        slugs(1..=3),
        "the author"
    );
}

#[test]
fn a_search_matches_prefixes_and_typos() {
    let site = ApiSite::small();
    let api = Client::of(&site);
    let total = |search: &str| get(&api, &format!("/api/posts?search={search}")).total();
    for (search, found, why) in [
        ("postgr", 25, "the last word is a prefix"),
        ("po", 25, "from two letters on"),
        ("p", 0, "one letter is too short"),
        ("po+caching", 0, "other words are not prefixes"),
        ("cached", 25, "stems are compared"),
        ("%20++caching%20", 25, "surrounding spaces are ignored"),
        ("caching+zebra", 0, "every word must match"),
        ("postgersql", 25, "two letters swapped"),
        ("postgesql", 25, "one letter missing"),
        ("posttgresql", 25, "one letter inserted"),
        ("pastgr", 25, "one wrong letter in the prefix"),
        ("pastgrasql", 0, "two typos do not match"),
        ("post", 25, "markup does not separate words"),
        ("quiries+caching", 25, "a typo in any word"),
        ("numbr+7", 1, "and exact matches of the others"),
        ("%22%27%3B--", 0, "without words, nothing matches"),
        ("", 25, "an empty search matches all"),
        ("%20%09", 25, "a blank search matches all"),
        ("a+a+a+a+a+a+a+a+caching", 0, "eight words count"),
        (
            "caching+caching+caching+caching+caching+caching+caching+caching+zebra",
            25,
            "further words are ignored",
        ),
    ] {
        assert_eq!(total(search), found, "{search}: {why}");
    }
}

#[test]
fn a_tag_is_named_by_its_slug() {
    let site = ApiSite::small();
    let api = Client::of(&site);
    let tagged = get(&api, "/api/posts?tag=odd-numbers&per_page=2&page=2");
    assert_eq!((tagged.slugs(), tagged.total()), (slugs([5, 7]), 13));
    assert_eq!(
        get(&api, "/api/posts?tag=even&search=number+4").slugs(),
        slugs([4])
    );
    assert_eq!(get(&api, "/api/posts?tag=unknown").total(), 0);
    assert_eq!(get(&api, "/api/posts?tag=").total(), 25);
}

#[test]
fn an_invalid_parameter_is_named_in_the_response() {
    let site = ApiSite::small();
    let api = Client::of(&site);
    for (query, parameter) in [
        ("page=0", "page"),
        ("page=-1", "page"),
        ("page=abc", "page"),
        ("page=1.5", "page"),
        ("page=18446744073709551616", "page"),
        ("page=1000000001", "page"),
        ("page=", "page"),
        ("per_page=0", "per_page"),
        ("per_page=101", "per_page"),
        ("per_page=100000", "per_page"),
        ("order=up", "order"),
        ("orderby=title", "orderby"),
        ("lang=fr", "lang"),
        ("lang=", "lang"),
        ("content=half", "content"),
        ("search=a&search=b", "search"),
        ("page=1&page=1", "page"),
        ("search=%ff", "search"),
    ] {
        let answer = get(&api, &format!("/api/posts?{query}"));
        let json = answer.json();
        assert_eq!(
            (answer.status, json["code"].as_str()),
            (400, Some("bad_parameter")),
            "{query}"
        );
        let message = json["message"].as_str().expect("a message");
        assert!(
            message.starts_with(&format!("`{parameter}` ")),
            "{query}: {message}"
        );
    }
    assert_eq!(
        get(&api, "/api/posts?utm_source=x&utm_source=y&PAGE=0").status,
        200
    );
}

#[test]
fn all_other_responses_are_json() {
    let site = ApiSite::small();
    let api = Client::of(&site);
    for target in [
        "/api",
        "/api/",
        "/api/nothing",
        "/api/posts/1",
        "/api/%ff/..%2f",
    ] {
        let answer = get(&api, target);
        assert_eq!(
            (answer.status, answer.json()["code"].as_str()),
            (404, Some("not_found")),
            "{target}"
        );
    }
    for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"] {
        for target in ["/api/posts", "/api/health", "/api/openapi.json"] {
            let answer = api.request(method, target, &[]);
            assert_eq!(
                (answer.status, answer.header("allow")),
                (405, "GET, HEAD"),
                "{method} {target}"
            );
            assert_eq!(answer.json()["code"], "method_not_allowed");
        }
    }
    let head = api.request("HEAD", "/api/posts", &[]);
    assert_eq!(
        (head.status, head.body.len(), head.header("content-type")),
        (200, 0, "application/json")
    );
}

#[test]
fn a_response_is_cached_until_the_next_build() {
    let site = ApiSite::small();
    let api = Client::of(&site);
    let answer = get(&api, "/api/posts?search=caching");
    assert!(
        answer
            .header("cache-control")
            .starts_with("public, max-age="),
        "{:?}",
        answer.headers
    );
    let tag = answer.header("etag").to_owned();
    let again = |tag: &str| {
        api.request(
            "GET",
            "/api/posts?search=caching",
            &[("if-none-match", tag)],
        )
    };
    let same = again(&tag);
    assert_eq!(
        (same.status, same.body.len(), same.header("etag")),
        (304, 0, tag.as_str())
    );
    assert_eq!(again(&format!("\"x\", {tag}")).status, 304);
    assert_eq!(again("\"x\"").status, 200);
    let wrong = api.request("GET", "/api/posts?page=0", &[("if-none-match", "*")]);
    assert_eq!(
        (wrong.status, wrong.header("cache-control")),
        (400, "no-store")
    );
    site.build(vec![language("en", vec![post(1, "Caching", "", &[])])]);
    assert_eq!(again(&tag).status, 200, "another build has other answers");
}

#[test]
fn a_newer_build_is_loaded_unless_it_is_damaged() {
    let site = ApiSite::small();
    let api = Client::of(&site);
    let health = || {
        get(&api, "/api/health").json()["build"]
            .as_str()
            .expect("a build")
            .to_owned()
    };
    let first = health();
    site.build(vec![language("en", vec![post(1, "One", "", &[])])]);
    assert_eq!(get(&api, "/api/posts").total(), 1);
    let second = health();
    assert_ne!(first, second);
    let entries = || {
        walkdir::WalkDir::new(site.path())
            .into_iter()
            .flatten()
            .filter(|entry| entry.file_type().is_file())
    };
    let count = entries().count();
    for broken in 0..count {
        for damage in ["cut", "garbled", "gone"] {
            site.build(vec![language(
                "en",
                vec![post(1, "One", "", &[]), post(2, "Two", "", &[])],
            )]);
            let file = entries().nth(broken).expect("a file").into_path();
            let mut bytes = std::fs::read(&file).expect("a file");
            match damage {
                "cut" => bytes.truncate(bytes.len() / 2),
                "garbled" => bytes.iter_mut().for_each(|byte| *byte ^= 0x55),
                _ => {}
            }
            // The file is replaced, not rewritten, because the old one is memory-mapped.
            std::fs::remove_file(&file).expect("a file to remove");
            if damage != "gone" {
                std::fs::write(&file, bytes).expect("a file");
            }
            assert_eq!(
                (health(), get(&api, "/api/posts").total()),
                (second.clone(), 1),
                "{} {damage}",
                file.display()
            );
        }
    }
    site.build(vec![language(
        "en",
        vec![post(1, "One", "", &[]), post(2, "Two", "", &[])],
    )]);
    assert_eq!(get(&api, "/api/posts").total(), 2);
}

#[test]
fn without_a_build_the_api_is_unavailable() {
    let site = ApiSite::small();
    std::fs::rename(site.path(), site.path().with_extension("away")).expect("a folder");
    let api = Client::of(&site);
    for target in ["/api/health", "/api/posts"] {
        let answer = get(&api, target);
        assert_eq!(
            (answer.status, answer.json()["code"].as_str()),
            (503, Some("unavailable")),
            "{target}"
        );
    }
    std::fs::rename(site.path().with_extension("away"), site.path()).expect("a folder");
    assert_eq!(get(&api, "/api/posts").total(), 25);
}

#[test]
fn only_allowed_origins_may_read_responses() {
    let site = ApiSite::small();
    let api = Client::of(&site);
    let allowed = |method: &str, origin: &str| {
        let answer = api.request(
            method,
            "/api/posts",
            &[("origin", origin), ("access-control-request-method", "GET")],
        );
        answer.header("access-control-allow-origin").to_owned()
    };
    for method in ["GET", "OPTIONS"] {
        assert_eq!(
            allowed(method, "https://site.example"),
            "https://site.example"
        );
        assert_eq!(
            allowed(method, "https://preview.example"),
            "https://preview.example"
        );
        for other in [
            "https://evil.example",
            "http://site.example",
            "null",
            "https://site.example.evil.example",
        ] {
            assert_eq!(allowed(method, other), "", "{other}");
        }
    }
}

#[test]
fn responses_are_compressed_and_have_a_request_id() {
    let site = ApiSite::small();
    let api = Client::of(&site);
    for accepted in ["gzip", "gzip, deflate, br, zstd"] {
        let answer = api.request("GET", "/api/posts", &[("accept-encoding", accepted)]);
        assert_eq!(answer.header("content-encoding"), "gzip", "{accepted}");
        assert!(
            answer.header("vary").contains("accept-encoding"),
            "{:?}",
            answer.headers
        );
    }
    let id = |given: &str| {
        api.request("GET", "/api/health", &[("x-request-id", given)])
            .header("x-request-id")
            .to_owned()
    };
    assert_eq!(id("1-67891233-abcdef"), "1-67891233-abcdef");
    let made = id("<script>");
    assert!(made.len() == 16 && made != id("<script>"), "{made}");
}

#[test]
fn a_language_without_posts_has_none() {
    let site = ApiSite::new(vec![post(1, "One", "", &[])], Vec::new());
    let answer = get(&Client::of(&site), "/api/posts?lang=es&search=one");
    assert_eq!((answer.status, answer.total()), (200, 0));
    assert_eq!(answer.json()["pagination"]["total_pages"], 1);
}

#[test]
fn the_document_names_the_languages_of_the_site() {
    let site = ApiSite::small();
    let document = get(&Client::of(&site), "/api/openapi.json").json();
    let parameters = document["paths"]["/api/posts"]["get"]["parameters"]
        .as_array()
        .expect("parameters");
    let lang = parameters
        .iter()
        .find(|parameter| parameter["name"] == "lang")
        .expect("a parameter");
    assert_eq!(lang["schema"]["enum"], serde_json::json!(["en", "es"]));
}

#[test]
fn any_query_gets_a_list_or_a_clear_error() {
    let site = ApiSite::small();
    let api = Client::of(&site);
    let long = "caching+".repeat(7_500);
    let marks = format!("e{}", "%CC%81".repeat(300));
    let bomb = format!("%28{}%29*%24", "a%2B".repeat(500));
    let pairs = "search=a&".repeat(2_000);
    let repeated = format!("x=1&{}", "y=2&".repeat(5_000));
    let mut targets: Vec<String> = [
        long.as_str(),
        &"a".repeat(60_000),
        &marks,
        &bomb,
        "%00",
        "a%00b",
        "%F0%9F%98%80",
        "%D9%85%D8%B1%D8%AD%D8%A8%D8%A7",
        "%E2%80%AEabc%E2%80%AC",
        "%27%20OR%201%3D1%3B%20DROP%20TABLE%20posts%3B--",
        "%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "%ff%fe",
        "%c0%ae%c0%ae",
        "%ed%a0%80",
        "%",
        "%%%",
        "%zz",
        "*:*",
        "title:caching",
        "caching~2",
        "(((",
        "%22caching",
        "[a TO z]",
    ]
    .iter()
    .map(|search| format!("/api/posts?search={}", search.replace(' ', "+")))
    .collect();
    targets.extend([
        format!("/api/posts?{pairs}"),
        format!("/api/posts?{repeated}"),
        "/api/posts?".into(),
        "/api/posts?&&==&=".into(),
        "/api/posts?tag=%00".into(),
        "/api/posts?tag=../../etc/passwd".into(),
        format!("/api/posts?tag={}", "x".repeat(60_000)),
        "/api/posts?lang=../en".into(),
        "/api/posts?page=99999999999999999999999999999999".into(),
        "/api/posts?page=%2B1".into(),
        "/api/posts?%70age=0".into(),
    ]);
    for target in targets {
        let answer = api.request("GET", &target, &[]);
        let (json, shown) = (answer.json(), &target[..target.len().min(80)]);
        match answer.status {
            200 => assert!(
                json["posts"].is_array() && json["pagination"]["total"].is_u64(),
                "{shown}: {json}"
            ),
            400 => assert!(
                json["code"] == "bad_parameter" && json["message"].is_string(),
                "{shown}: {json}"
            ),
            status => panic!("{shown}: {status} {json}"),
        }
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        for inside in ["src/", "tantivy", "panicked", "/tmp", "os error"] {
            assert!(!text.contains(inside), "{shown} reveals internals: {text}");
        }
    }
}

#[test]
fn the_first_request_after_a_build_passes_cors() {
    let site = ApiSite::small();
    let aside = site.path().with_file_name("aside");
    for method in ["GET", "OPTIONS"] {
        std::fs::rename(site.path(), &aside).expect("no build yet");
        let api = Client::of(&site);
        assert_eq!(get(&api, "/api/health").status, 503);
        std::fs::rename(&aside, site.path()).expect("the first build");
        let headers = [
            ("origin", "https://site.example"),
            ("access-control-request-method", "GET"),
        ];
        let answer = api.request(method, "/api/posts", &headers);
        assert_eq!(
            (answer.status, answer.header("access-control-allow-origin")),
            (200, "https://site.example"),
            "{method}"
        );
    }
}
