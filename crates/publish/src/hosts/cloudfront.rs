//! CloudFront: a function that maps addresses to files, and a CloudFormation template with that function and the
//! response headers.
//!
//! A bucket has keys, not pages: it has no object for `/about` or `/about/`, so the function maps them to the file. It
//! cannot check whether a file exists, so it contains a table of numbered pages. `Cache-Control` of hashed files is set
//! at the upload, because a policy would also set it on their 404s.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use config::Config;
use diagnostics::problem::Problems;

use super::rules::{Rules, ScopedHeader};

/// The maximum size of a function's code, in bytes.
const FUNCTION_LIMIT: usize = 10_240;
/// The maximum number of headers in a policy, security headers excluded.
const CUSTOM_HEADERS_LIMIT: usize = 10;

const HANDLER: &str = include_str!("cloudfront.js");

pub(super) fn function(rules: &Rules) -> String {
    let numbered: serde_json::Map<String, Value> = rules
        .numbered
        .iter()
        .map(|(listing, numbers)| {
            (
                rules.href(listing),
                numbers.iter().map(u32::to_string).collect(),
            )
        })
        .collect();
    let redirects: BTreeMap<String, &String> = rules
        .redirects
        .iter()
        .map(|(from, to)| (rules.href(from), to))
        .collect();
    let gone: BTreeMap<String, u8> = rules
        .gone
        .iter()
        .map(|path| (rules.href(path), 1))
        .collect();
    let temporary = rules.temporary.iter().map(|from| (rules.href(from), 1));
    let temporary: BTreeMap<String, u8> = temporary.collect();
    let folders: BTreeMap<String, &String> = rules
        .folders
        .iter()
        .map(|(from, to)| (rules.href(from), to))
        .collect();
    let queries: BTreeMap<String, _> = rules
        .queries
        .iter()
        .map(|(path, names)| (rules.href(path), names))
        .collect();
    let hosts: BTreeMap<&str, [String; 2]> = rules
        .hosts
        .iter()
        .map(|host| {
            let origin = api_types::base_url::parts(&host.base_url).0.to_owned();
            (host.name.as_str(), [rules.href(&host.home), origin])
        })
        .collect();
    let dotted: Vec<String> = rules
        .dotted_pages
        .iter()
        .map(|path| rules.href(path.trim_end_matches('/')))
        .collect();
    let dotless: Vec<String> = rules
        .dotless_files
        .iter()
        .map(|path| rules.href(path))
        .collect();
    format!(
        "// {}.\nvar HOSTS = {};\nvar REDIRECTS = {};\nvar GONE = {};\nvar FOLDERS = {};\nvar TEMPORARY = {};\nvar QUERIES = {};\nvar NUMBERED = {};\nvar DOTTED_PAGES = {};\nvar DOTLESS_FILES = {};\n\n{HANDLER}",
        super::MARK,
        json!(hosts),
        json!(redirects),
        json!(gone),
        json!(folders),
        json!(temporary),
        json!(queries),
        Value::from(numbered),
        json!(dotted),
        json!(dotless),
    )
}

/// Warns if AWS would reject the function or the policy.
pub(super) fn limits(config: &Config, rules: &Rules, function: &str) -> Problems {
    let mut problems = Problems::new();
    if function.len() > FUNCTION_LIMIT {
        let message = format!(
            "with all redirects, the CloudFront function is {} bytes, but the limit is {FUNCTION_LIMIT}",
            function.len()
        );
        let hint = "remove redirects that are no longer used";
        problems.push(super::limit(config, "redirects", message, hint));
    }
    let custom = rules
        .everywhere()
        .filter(|header| security(header).is_none())
        .count();
    if custom > CUSTOM_HEADERS_LIMIT {
        let message = format!(
            "the CloudFront policy has {custom} headers, but the limit is {CUSTOM_HEADERS_LIMIT}"
        );
        problems.push(super::limit(
            config,
            "headers",
            message,
            "remove some of the headers in `headers`",
        ));
    }
    problems
}

/// The CloudFormation template with the function and the policy. A distribution refers to them by the stack's outputs.
pub(super) fn template(config: &Config, rules: &Rules, function: &str) -> (String, Problems) {
    let mut problems = Problems::new();
    let mut security_headers = serde_json::Map::new();
    let mut custom = Vec::new();
    for header in rules.everywhere() {
        match security(header) {
            Some(Ok((name, value))) => {
                security_headers.insert(name.to_owned(), value);
            }
            Some(Err(hint)) => {
                let message = format!(
                    "a CloudFront policy cannot contain `{}: {}`",
                    header.name, header.value
                );
                problems.push(super::limit(config, "headers", message, hint));
            }
            None => {
                // A value that was set at the upload of a file takes precedence over the default.
                let is_default = header.name == "Cache-Control";
                custom.push(
                    json!({"Header": header.name, "Value": header.value, "Override": !is_default}),
                );
            }
        }
    }
    let template = json!({
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": format!("{}. Function and response headers of the site; create the stack in us-east-1.", super::MARK),
        "Resources": {
            "SiteFunction": {
                "Type": "AWS::CloudFront::Function",
                "Properties": {
                    "Name": {"Fn::Sub": "${AWS::StackName}-addresses"},
                    "AutoPublish": true,
                    "FunctionConfig": {"Comment": "Redirects and slash forms", "Runtime": "cloudfront-js-2.0"},
                    "FunctionCode": function,
                },
            },
            "SiteHeaders": {
                "Type": "AWS::CloudFront::ResponseHeadersPolicy",
                "Properties": {
                    "ResponseHeadersPolicyConfig": {
                        "Name": {"Fn::Sub": "${AWS::StackName}-headers"},
                        "SecurityHeadersConfig": security_headers,
                        "CustomHeadersConfig": {"Items": custom},
                    },
                },
            },
        },
        "Outputs": {
            "SiteFunctionArn": {"Value": {"Fn::GetAtt": ["SiteFunction", "FunctionMetadata.FunctionARN"]}},
            "SiteHeadersId": {"Value": {"Ref": "SiteHeaders"}},
        },
    });
    // A tree of strings and numbers always serializes.
    (
        serde_json::to_string_pretty(&template).unwrap_or_default() + "\n",
        problems,
    )
}

/// A security header as a policy requires it, or the hint if it cannot be converted. AWS rejects these headers as
/// custom headers. `None` for other headers.
fn security(header: &ScopedHeader) -> Option<Result<(&'static str, Value), &'static str>> {
    let value = header.value.as_str();
    let pair = match header.name.to_ascii_lowercase().as_str() {
        "content-security-policy" => (
            "ContentSecurityPolicy",
            json!({"ContentSecurityPolicy": value, "Override": true}),
        ),
        "x-content-type-options" if value.eq_ignore_ascii_case("nosniff") => {
            ("ContentTypeOptions", json!({"Override": true}))
        }
        "x-content-type-options" => return Some(Err("write `nosniff`, the only valid value")),
        "referrer-policy" => (
            "ReferrerPolicy",
            json!({"ReferrerPolicy": value, "Override": true}),
        ),
        "x-frame-options" => (
            "FrameOptions",
            json!({"FrameOption": value.to_ascii_uppercase(), "Override": true}),
        ),
        "x-xss-protection" => {
            return Some(Err(
                "remove it: browsers ignore it, and `Content-Security-Policy` replaces it",
            ));
        }
        "strict-transport-security" => return Some(transport_security(value)),
        _ => return None,
    };
    Some(Ok(pair))
}

fn transport_security(value: &str) -> Result<(&'static str, Value), &'static str> {
    let parts: Vec<String> = value
        .split(';')
        .map(|part| part.trim().to_ascii_lowercase())
        .collect();
    let age = parts
        .iter()
        .find_map(|part| part.strip_prefix("max-age="))
        .and_then(|age| age.parse::<u32>().ok());
    let age = age.ok_or("write `max-age=31536000; includeSubDomains`")?;
    let policy = json!({
        "AccessControlMaxAgeSec": age,
        "IncludeSubdomains": parts.iter().any(|part| part == "includesubdomains"),
        "Preload": parts.iter().any(|part| part == "preload"),
        "Override": true,
    });
    Ok(("StrictTransportSecurity", policy))
}
