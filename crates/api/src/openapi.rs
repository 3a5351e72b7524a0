//! `GET /api/openapi.json`: the OpenAPI document, generated from the request and response types.
//!
//! To add an endpoint, add `#[utoipa::path]` to its handler and a line to `paths(…)` below. The committed
//! `docs/openapi.json` does not depend on a site; the endpoint adds the languages and the forms of the current site.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use utoipa::OpenApi;

use api_types::forms::{self, AnswerType, Form, FormField};
use api_types::leads as call;

use super::{Api, Build, health, leads, posts};

/// The contents of the document.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "sitegen site API",
        description = "Lists and searches posts, and accepts leads. Responses are JSON. Errors are `{code, message}`, except for leads, whose responses have the field `success`."
    ),
    paths(
        posts::get,
        leads::post,
        leads::post_form,
        leads::uploads::post,
        health::get,
        get
    )
)]
struct Document;

/// The document without languages, as in `docs/openapi.json`.
pub fn document() -> Value {
    let mut document = serde_json::to_value(Document::openapi()).unwrap_or_default();
    add_keys(&mut document);
    document
}

/// Adds the keys of the call `POST /api/leads`, which are data.
fn add_keys(document: &mut Value) {
    let json = "A lead, as the form sends it. Fields that were left blank are empty or missing.";
    let plain = "A lead sent by a browser without JavaScript: URL-encoded, and without a captcha. Fields that were left blank are \
                 empty or missing.";
    for (name, kind, is_plain, text) in [
        ("LeadRequest", "application/json", false, json),
        (
            "PlainLead",
            "application/x-www-form-urlencoded",
            true,
            plain,
        ),
    ] {
        let content = &mut document["paths"]["/api/leads"]["post"]["requestBody"]["content"][kind];
        content["schema"] = json!({"$ref": format!("#/components/schemas/{name}")});
        document["components"]["schemas"][name] = lead_schema(text, is_plain);
    }
    let names = call::keys()
        .iter()
        .map(call::LeadKey::name)
        .chain([call::TOKEN]);
    let names: Vec<Option<&str>> = names.map(Some).chain([None]).collect();
    document["components"]["schemas"]["LeadAnswer"]["properties"]["field"]["enum"] = json!(names);
}

/// The JSON schema of a lead.
fn lead_schema(text: &str, is_plain: bool) -> Value {
    let others: &[(&str, &str)] = if is_plain {
        &[
            (call::LANGUAGE, "The language of the response."),
            (call::HONEYPOT, "The honeypot field, which is hidden."),
            (
                call::ELAPSED,
                "The time between showing and submitting the form, in milliseconds.",
            ),
        ]
    } else {
        &[(call::TOKEN, "The token of the solved captcha.")]
    };
    let other = |(name, text): &(&str, &str)| {
        (
            (*name).to_owned(),
            json!({"type": "string", "description": text, "default": ""}),
        )
    };
    let keys = call::keys()
        .iter()
        .filter(|key| is_plain || key.value != call::LeadValue::Plain);
    let keys = keys.map(|key| {
        (
            key.name().to_owned(),
            key_schema(key, key.optional && !is_plain),
        )
    });
    let properties: Map<String, Value> = keys.chain(others.iter().map(other)).collect();
    let required: Vec<&str> = call::keys()
        .iter()
        .filter(|key| is_plain && key.field.required)
        .map(call::LeadKey::name)
        .collect();
    let mut schema = json!({"type": "object", "description": text, "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// The JSON schema of a key's value. One that is optional may be `null`.
fn key_schema(key: &call::LeadKey, optional: bool) -> Value {
    let blank = if optional { Value::Null } else { "".into() };
    let kind = if optional {
        json!(["string", "null"])
    } else {
        json!("string")
    };
    let mut schema = json!({"type": kind, "description": key.text, "default": blank});
    if !key.field.choices.is_empty() {
        let choices = key.field.choices.iter().map(|choice| json!(choice));
        schema["enum"] = choices.chain([blank]).collect();
    }
    schema
}

/// The document for a site: the parameter `lang` lists its languages.
fn of_site(site: &Build) -> Value {
    let mut document = document();
    let codes: Vec<&str> = site
        .bundle
        .locales
        .iter()
        .map(|locale| locale.code.as_str())
        .collect();
    let parameters = document
        .pointer_mut("/paths/~1api~1posts/get/parameters")
        .and_then(Value::as_array_mut);
    for parameter in parameters
        .into_iter()
        .flatten()
        .filter(|parameter| parameter["name"] == "lang")
    {
        parameter["schema"] = json!({"type": "string", "enum": codes});
    }
    document
}

/// Adds an address for each form of the site, with its fields, in place of the one that stands for all.
fn add_forms(document: &mut Value, forms: &[Form]) {
    let Some(paths) = document["paths"].as_object_mut() else {
        return;
    };
    let Some(pattern) = paths.shift_remove("/api/forms/{name}") else {
        return;
    };
    for form in forms {
        let mut path = pattern.clone();
        let operation = &mut path["post"];
        operation["operationId"] = json!(format!("form_{}", form.name));
        operation["summary"] = json!(
            form.languages
                .values()
                .next()
                .map_or("", |language| language.title.as_str())
        );
        if let Some(parameters) = operation["parameters"].as_array_mut() {
            parameters.retain(|parameter| parameter["name"] != "name");
        }
        if let Some(content) = operation
            .pointer_mut("/requestBody/content")
            .and_then(Value::as_object_mut)
        {
            content.retain(|kind, _| form.takes_files() || kind != "multipart/form-data");
            content
                .iter_mut()
                .for_each(|(kind, body)| body["schema"] = form_schema(form, kind));
        }
        paths.insert(format!("/api/forms/{}", form.name), path);
    }
}

/// The JSON schema of an answer to a form, in a media type.
fn form_schema(form: &Form, kind: &str) -> Value {
    let one = |field: &FormField| match field.takes {
        AnswerType::Flag => json!({"type": "boolean"}),
        AnswerType::Number => {
            let bound =
                |bound: &Option<String>| bound.as_ref().and_then(|text| text.parse::<i64>().ok());
            json!({"type": "integer", "minimum": bound(&field.min), "maximum": bound(&field.max)})
        }
        AnswerType::Date => json!({"type": "string", "format": "date"}),
        AnswerType::Email => json!({"type": "string", "format": "email", "maxLength": field.most}),
        AnswerType::File if kind == "multipart/form-data" => {
            json!({"type": "string", "format": "binary"})
        }
        AnswerType::File => json!({"type": "string", "description": "The token of an upload."}),
        AnswerType::Choice | AnswerType::Reference => {
            json!({"type": "string", "enum": field.choices})
        }
        AnswerType::Text | AnswerType::Phone => {
            json!({"type": "string", "maxLength": field.most, "pattern": field.pattern.as_ref().map(|text| format!("^(?:{text})$"))})
        }
    };
    let value = |field: &FormField| {
        let mut schema = one(field);
        if let Some(schema) = schema.as_object_mut() {
            schema.retain(|_, value| !value.is_null());
        }
        if field.list {
            json!({"type": "array", "items": schema})
        } else {
            schema
        }
    };
    let mut properties: Map<String, Value> = form
        .fields
        .iter()
        .map(|field| (field.name.clone(), value(field)))
        .collect();
    let agreed = json!({"type": "string", "description": "The hash of the text that the visitor agreed to."});
    properties.extend(
        form.consents
            .iter()
            .map(|name| (name.clone(), agreed.clone())),
    );
    if form.captcha {
        properties.insert(
            forms::TOKEN.to_owned(),
            json!({"type": "string", "description": "The token of the solved captcha."}),
        );
    }
    let fields = form
        .fields
        .iter()
        .filter(|field| field.required && field.shown_when.is_empty());
    let required: Vec<&String> = fields
        .map(|field| &field.name)
        .chain(&form.consents)
        .collect();
    json!({"type": "object", "additionalProperties": false, "properties": properties, "required": required})
}

/// Returns this document.
#[utoipa::path(
    get,
    path = "/api/openapi.json",
    operation_id = "document",
    responses((status = 200, description = "The document.", body = Object))
)]
pub(super) async fn get(State(api): State<Arc<Api>>) -> Response {
    let mut document = api.site().map_or_else(document, |site| of_site(&site));
    if let Some(site) = api.leads.as_ref().and_then(leads::Leads::site) {
        add_forms(&mut document, &site.forms);
    }
    (
        [(header::CACHE_CONTROL, api.settings().cache_control())],
        Json(document),
    )
        .into_response()
}
