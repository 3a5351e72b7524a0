//! CloudFront: a function for addresses, and a CloudFormation template with that function and the response headers.
//!
//! Files lie in a bucket that knows neither `/about` nor `/about/`, so the function names the file. It cannot look
//! whether one exists: which addresses have numbered pages is a table in it. `Cache-Control` of hashed files is set
//! where they are uploaded, because a policy would also set it on their 404s.

use serde_json::{Value, json};

use crate::config::Config;
use diagnostics::problem::Problems;

use super::rules::{Header, Rules};

/// The whole code of a function, in bytes.
const FUNCTION_LIMIT: usize = 10_240;
/// Headers of a policy that are not security headers.
const CUSTOM_HEADERS_LIMIT: usize = 10;

const HANDLER: &str = include_str!("cloudfront.js");

pub(super) fn function(rules: &Rules) -> String {
    let numbered: serde_json::Map<String, Value> = rules
        .numbered
        .iter()
        .map(|(listing, numbers)| (listing.clone(), numbers.iter().map(u32::to_string).collect()))
        .collect();
    let dotted: Vec<&str> = rules.dotted_pages.iter().map(|path| path.trim_end_matches('/')).collect();
    format!(
        "// {}.\nvar REDIRECTS = {};\nvar NUMBERED = {};\nvar DOTTED_PAGES = {};\nvar DOTLESS_FILES = {};\n\n{HANDLER}",
        super::MARK,
        json!(rules.redirects),
        Value::from(numbered),
        json!(dotted),
        json!(rules.dotless_files),
    )
}

/// What AWS would refuse.
pub(super) fn limits(config: &Config, rules: &Rules, function: &str) -> Problems {
    let mut problems = Problems::new();
    if function.len() > FUNCTION_LIMIT {
        let message = format!(
            "the CloudFront function has {} bytes with all redirects in it, and may have {FUNCTION_LIMIT}",
            function.len()
        );
        let hint = "remove redirects that nobody follows any more; the pages of last resort stand in for others";
        problems.push(super::limit(config, "redirects", message, hint));
    }
    let custom = rules.everywhere().filter(|header| security(header).is_none()).count();
    if custom > CUSTOM_HEADERS_LIMIT {
        let message = format!("the CloudFront policy has {custom} headers, and may have {CUSTOM_HEADERS_LIMIT}");
        problems.push(super::limit(config, "headers", message, "remove some of `headers`"));
    }
    problems
}

/// A CloudFormation template with the function and the policy; a distribution refers to them by the stack's outputs.
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
                let message = format!("a CloudFront policy cannot hold `{}: {}`", header.name, header.value);
                problems.push(super::limit(config, "headers", message, hint));
            }
            None => {
                // What was set on a file where it was uploaded counts more than what holds for all.
                let is_default = header.name == "Cache-Control";
                custom.push(json!({"Header": header.name, "Value": header.value, "Override": !is_default}));
            }
        }
    }
    let name = |what: &str| json!({"Fn::Sub": format!("${{AWS::StackName}}-{what}")});
    let template = json!({
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": format!("{}. Function and response headers of the site; create it in us-east-1.", super::MARK),
        "Resources": {
            "SiteFunction": {
                "Type": "AWS::CloudFront::Function",
                "Properties": {
                    "Name": name("addresses"),
                    "AutoPublish": true,
                    "FunctionConfig": {"Comment": "Redirects and slash forms", "Runtime": "cloudfront-js-2.0"},
                    "FunctionCode": function,
                },
            },
            "SiteHeaders": {
                "Type": "AWS::CloudFront::ResponseHeadersPolicy",
                "Properties": {
                    "ResponseHeadersPolicyConfig": {
                        "Name": name("headers"),
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
    // A tree of text and numbers always serializes.
    (serde_json::to_string_pretty(&template).unwrap_or_default() + "\n", problems)
}

/// A header that a policy knows under a name of its own, or what to write so that it does. AWS refuses these as custom
/// headers.
fn security(header: &Header) -> Option<Result<(&'static str, Value), &'static str>> {
    let value = header.value.as_str();
    let pair = match header.name.to_ascii_lowercase().as_str() {
        "content-security-policy" => {
            ("ContentSecurityPolicy", json!({"ContentSecurityPolicy": value, "Override": true}))
        }
        "x-content-type-options" if value.eq_ignore_ascii_case("nosniff") => {
            ("ContentTypeOptions", json!({"Override": true}))
        }
        "x-content-type-options" => return Some(Err("write `nosniff`, the only value there is")),
        "referrer-policy" => ("ReferrerPolicy", json!({"ReferrerPolicy": value, "Override": true})),
        "x-frame-options" => ("FrameOptions", json!({"FrameOption": value.to_ascii_uppercase(), "Override": true})),
        "x-xss-protection" => {
            return Some(Err("remove it: browsers no longer heed it, and the policy of content does more"));
        }
        "strict-transport-security" => return Some(transport_security(value)),
        _ => return None,
    };
    Some(Ok(pair))
}

fn transport_security(value: &str) -> Result<(&'static str, Value), &'static str> {
    let parts: Vec<String> = value.split(';').map(|part| part.trim().to_ascii_lowercase()).collect();
    let age = parts.iter().find_map(|part| part.strip_prefix("max-age=")).and_then(|age| age.parse::<u32>().ok());
    let age = age.ok_or("write `max-age=31536000; includeSubDomains`")?;
    let has = |name: &str| parts.iter().any(|part| part == name);
    let policy = json!({
        "AccessControlMaxAgeSec": age,
        "IncludeSubdomains": has("includesubdomains"),
        "Preload": has("preload"),
        "Override": true,
    });
    Ok(("StrictTransportSecurity", policy))
}
