//! `docs/openapi.json` matches the types, and its paths match the router.

use api::document;

use crate::api_site::{ApiSite, Direct};
use crate::site_test::repository;

const FILE: &str = "docs/openapi.json";

#[test]
fn the_committed_document_matches_the_types() {
    let wanted = serde_json::to_string_pretty(&document()).expect("JSON") + "\n";
    let path = repository().join(FILE);
    if std::fs::read_to_string(&path).unwrap_or_default() != wanted {
        std::fs::write(&path, &wanted).expect("the file can be written");
        panic!(
            "{FILE} was out of date with the types in crates/api-types/ and the handlers in crates/api/; it has been regenerated: review and commit it"
        );
    }
}

#[test]
fn every_path_of_the_document_exists() {
    let site = ApiSite::small();
    let api = Direct::of(&site);
    let document = document();
    let paths = document["paths"].as_object().expect("paths");
    assert!(paths.len() >= 3);
    for (path, methods) in paths {
        for method in methods.as_object().expect("methods").keys() {
            let answer = api.request(&method.to_uppercase(), path, &[]);
            let described = methods[method]["responses"].get(answer.status.to_string());
            assert!(
                described.is_some(),
                "{method} {path} answers {}, which is not in the document",
                answer.status
            );
        }
    }
    let text = document.to_string();
    for reference in text
        .split("\"$ref\":\"#")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
    {
        assert!(
            document.pointer(reference).is_some(),
            "{reference} is not in the document"
        );
    }
    for schema in document["components"]["schemas"]
        .as_object()
        .expect("schemas")
        .values()
    {
        assert!(
            schema["description"].is_string(),
            "{schema} has no description"
        );
    }
}
