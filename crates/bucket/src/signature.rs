//! AWS Signature Version 4, without the official SDK, which takes minutes to compile. Credentials come from the
//! environment, where Lambda provides them.

use std::collections::BTreeMap;

use data_encoding::{BASE64, HEXLOWER};
use ring::digest::{SHA256, digest};
use ring::hmac;
use serde_json::json;

use crate::clock::{self, Millis};

/// AWS's environment variables.
mod environment {
    pub const ACCESS_KEY: &str = "AWS_ACCESS_KEY_ID";
    pub const SECRET_KEY: &str = "AWS_SECRET_ACCESS_KEY";
    pub const SESSION_TOKEN: &str = "AWS_SESSION_TOKEN";
    pub const REGION: &str = "AWS_REGION";
}

/// Signs requests with the credentials of the process.
#[derive(Clone)]
pub struct Signer {
    /// The AWS region.
    pub region: String,
    access_key: String,
    secret_key: String,
    session_token: Option<String>,
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Signer")
            .field("region", &self.region)
            .finish_non_exhaustive()
    }
}

/// A request to sign. It has no query string.
#[derive(Debug, Clone, Copy)]
pub struct Unsigned<'a> {
    /// AWS's name of the service: `s3`, `dynamodb`.
    pub service: &'a str,
    /// The HTTP method, in capital letters.
    pub method: &'a str,
    /// The host, with the port unless it is the default one.
    pub host: &'a str,
    /// The path, percent-encoded as it is sent.
    pub path: &'a str,
    /// Further headers to sign, with lower-case names.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body, whose hash is signed.
    pub body: &'a [u8],
}

impl Signer {
    /// Reads AWS's environment variables. The error names the missing one, and the service that needs it.
    pub fn new(service: &str, read: impl Fn(&str) -> Option<String>) -> Result<Signer, String> {
        let read = |name: &str| read(name).filter(|value| !value.is_empty());
        let need = |name: &str| {
            read(name).ok_or_else(|| format!("`{name}` is not set; it is required for {service}"))
        };
        Ok(Signer {
            region: need(environment::REGION)?,
            access_key: need(environment::ACCESS_KEY)?,
            secret_key: need(environment::SECRET_KEY)?,
            session_token: read(environment::SESSION_TOKEN),
        })
    }

    /// Returns the headers to send, including those of the request, without `Host`, which HTTP clients set.
    pub fn sign(&self, request: &Unsigned, at: Millis) -> Vec<(String, String)> {
        let time = compact(at);
        let mut headers: Vec<(&str, &str)> = request.headers.to_vec();
        headers.extend([("host", request.host), ("x-amz-date", time.as_str())]);
        headers.extend(
            self.session_token
                .as_deref()
                .map(|token| ("x-amz-security-token", token)),
        );
        headers.sort_unstable();
        let signed = self.authorization(request, &headers, &time);
        let sent = headers
            .into_iter()
            .filter(|(name, _)| *name != "host")
            .chain([("authorization", signed.as_str())]);
        sent.map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    fn authorization(&self, request: &Unsigned, headers: &[(&str, &str)], time: &str) -> String {
        let Unsigned {
            service,
            method,
            path,
            body,
            ..
        } = request;
        let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let lines = headers.iter().fold(String::new(), |lines, (name, value)| {
            lines + name + ":" + value + "\n"
        });
        let canonical = format!("{method}\n{path}\n\n{lines}\n{names}\n{}", hash(body));
        let scope = self.scope(service, time);
        let text = format!(
            "AWS4-HMAC-SHA256\n{time}\n{scope}\n{}",
            hash(canonical.as_bytes())
        );
        let signature = self.signature(service, time, &text);
        format!(
            "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={signature}",
            self.access_key
        )
    }
}

/// The form fields that a browser sends to a bucket with a file: they contain the conditions and a signature of these.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-post-example.html>
#[derive(Debug, Clone, Copy)]
pub struct PostPolicy<'a> {
    /// The name of the bucket.
    pub bucket: &'a str,
    /// The fields that the form has, and their values.
    pub fields: &'a [(&'a str, &'a str)],
    /// The size of the file, in bytes.
    pub size: u64,
    /// When it can no longer be sent.
    pub until: Millis,
}

impl Signer {
    /// Returns all fields to send before the file.
    pub fn sign_post(&self, policy: &PostPolicy, at: Millis) -> BTreeMap<String, String> {
        let time = compact(at);
        let credential = format!("{}/{}", self.access_key, self.scope("s3", &time));
        let mut fields: BTreeMap<String, String> = policy
            .fields
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let mut add =
            |name: &str, value: &str| drop(fields.insert(name.to_owned(), value.to_owned()));
        add("x-amz-algorithm", "AWS4-HMAC-SHA256");
        add("x-amz-credential", &credential);
        add("x-amz-date", &time);
        self.session_token
            .iter()
            .for_each(|token| add("x-amz-security-token", token));
        let mut conditions = vec![
            json!({"bucket": policy.bucket}),
            json!(["content-length-range", policy.size, policy.size]),
        ];
        conditions.extend(fields.iter().map(|(name, value)| json!({name: value})));
        let document = json!({"expiration": clock::iso(policy.until), "conditions": conditions});
        let text = BASE64.encode(document.to_string().as_bytes());
        fields.insert(
            "x-amz-signature".to_owned(),
            self.signature("s3", &time, &text),
        );
        fields.insert("policy".to_owned(), text);
        fields
    }

    /// The scope of a signature, at a [`compact`] time.
    fn scope(&self, service: &str, time: &str) -> String {
        format!("{}/{}/{service}/aws4_request", &time[..8], self.region)
    }

    /// The signature of a text, in lower-case hex.
    fn signature(&self, service: &str, time: &str, text: &str) -> String {
        let first = format!("AWS4{}", self.secret_key);
        let key = [&time[..8], &self.region, service, "aws4_request"]
            .into_iter()
            .fold(first.into_bytes(), |key, part| signed(&key, part));
        HEXLOWER.encode(&signed(&key, text))
    }
}

/// A time as `20260314T093005Z`.
fn compact(at: Millis) -> String {
    clock::iso(at)
        .chars()
        .take(19)
        .filter(char::is_ascii_alphanumeric)
        .chain(['Z'])
        .collect()
}

/// The host of a URL, with the port unless it is the default one.
pub fn host(url: &reqwest::Url) -> Option<String> {
    let host = url.host_str()?;
    Some(
        url.port()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")),
    )
}

/// SHA-256 in lower-case hex.
pub fn hash(bytes: &[u8]) -> String {
    HEXLOWER.encode(digest(&SHA256, bytes).as_ref())
}

fn signed(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes())
        .as_ref()
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first example of <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>.
    #[test]
    fn a_request_is_signed_as_in_the_example_of_aws() {
        let variables = |name: &str| match name {
            environment::ACCESS_KEY => Some("AKIAIOSFODNN7EXAMPLE".to_owned()),
            environment::SECRET_KEY => Some("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned()),
            environment::REGION => Some("us-east-1".to_owned()),
            _ => None,
        };
        let signer = Signer::new("the test", variables).expect("credentials");
        let empty = hash(b"");
        let request = Unsigned {
            service: "s3",
            method: "GET",
            host: "examplebucket.s3.amazonaws.com",
            path: "/test.txt",
            headers: &[("range", "bytes=0-9"), ("x-amz-content-sha256", &empty)],
            body: b"",
        };
        let headers = signer.sign(&request, 1_369_353_600_000);
        let authorization = headers
            .iter()
            .find(|(name, _)| name == "authorization")
            .expect("a signature");
        assert_eq!(
            authorization.1,
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, \
             SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, \
             Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
    }

    #[test]
    fn a_request_is_signed_as_by_botocore() {
        let signer = Signer {
            region: "us-east-1".into(),
            access_key: "AKIDEXAMPLE".into(),
            secret_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into(),
            session_token: Some("session".into()),
        };
        let request = Unsigned {
            service: "dynamodb",
            method: "POST",
            host: "dynamodb.us-east-1.amazonaws.com",
            path: "/",
            headers: &[
                ("x-amz-target", "DynamoDB_20120810.GetItem"),
                ("content-type", "application/x-amz-json-1.0"),
            ],
            body: b"{\"TableName\":\"leads\"}",
        };
        let headers = signer.sign(&request, 1_741_944_605_000);
        let authorization = headers
            .iter()
            .find(|(name, _)| name == "authorization")
            .expect("a signature");
        assert_eq!(
            authorization.1,
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20250314/us-east-1/dynamodb/aws4_request, \
             SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, \
             Signature=b2567a2713bfa598377934b65af1eb61250046763a509b6db366b59e80b583ba"
        );
    }

    /// <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-post-example.html>
    #[test]
    fn what_a_browser_may_send_is_signed_as_in_the_example_of_aws() {
        let signer = Signer {
            region: "us-east-1".into(),
            access_key: "AKIAIOSFODNN7EXAMPLE".into(),
            secret_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".into(),
            session_token: Some("session".into()),
        };
        let text = "eyAiZXhwaXJhdGlvbiI6ICIyMDE1LTEyLTMwVDEyOjAwOjAwLjAwMFoiLA0KICAiY29uZGl0aW9ucyI6IFsNCiAgICB7ImJ1Y2tl\
             dCI6ICJzaWd2NGV4YW1wbGVidWNrZXQifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRrZXkiLCAidXNlci91c2VyMS8iXSwNCiAg\
             ICB7ImFjbCI6ICJwdWJsaWMtcmVhZCJ9LA0KICAgIHsic3VjY2Vzc19hY3Rpb25fcmVkaXJlY3QiOiAiaHR0cDovL3NpZ3Y0ZXhh\
             bXBsZWJ1Y2tldC5zMy5hbWF6b25hd3MuY29tL3N1Y2Nlc3NmdWxfdXBsb2FkLmh0bWwifSwNCiAgICBbInN0YXJ0cy13aXRoIiwg\
             IiRDb250ZW50LVR5cGUiLCAiaW1hZ2UvIl0sDQogICAgeyJ4LWFtei1tZXRhLXV1aWQiOiAiMTQzNjUxMjM2NTEyNzQifSwNCiAg\
             ICB7IngtYW16LXNlcnZlci1zaWRlLWVuY3J5cHRpb24iOiAiQUVTMjU2In0sDQogICAgWyJzdGFydHMtd2l0aCIsICIkeC1hbXot\
             bWV0YS10YWciLCAiIl0sDQoNCiAgICB7IngtYW16LWNyZWRlbnRpYWwiOiAiQUtJQUlPU0ZPRE5ON0VYQU1QTEUvMjAxNTEyMjkv\
             dXMtZWFzdC0xL3MzL2F3czRfcmVxdWVzdCJ9LA0KICAgIHsieC1hbXotYWxnb3JpdGhtIjogIkFXUzQtSE1BQy1TSEEyNTYifSwN\
             CiAgICB7IngtYW16LWRhdGUiOiAiMjAxNTEyMjlUMDAwMDAwWiIgfQ0KICBdDQp9";
        let signature = "8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e";
        assert_eq!(signer.signature("s3", "20151229T000000Z", text), signature);
        let policy = PostPolicy {
            bucket: "files",
            fields: &[("key", "incoming/1")],
            size: 7,
            until: 1_451_476_800_000,
        };
        let fields = signer.sign_post(&policy, 1_451_347_200_000);
        let document = BASE64.decode(fields["policy"].as_bytes()).expect("Base64");
        let document: serde_json::Value = serde_json::from_slice(&document).expect("JSON");
        assert_eq!(document["expiration"], "2015-12-30T12:00:00.000Z");
        let conditions = document["conditions"].as_array().expect("conditions");
        // S3 refuses a field that no condition names.
        for (name, value) in fields
            .iter()
            .filter(|(name, _)| !["policy", "x-amz-signature"].contains(&name.as_str()))
        {
            assert!(conditions.contains(&json!({name: value})), "{name}");
        }
        assert!(
            conditions.contains(&json!(["content-length-range", 7, 7])),
            "{document}"
        );
        assert_eq!(
            fields["x-amz-credential"],
            "AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request"
        );
        assert_eq!(fields["x-amz-security-token"], "session");
    }

    #[test]
    fn a_missing_variable_is_named() {
        let why = Signer::new("DynamoDB", |_| None).map(drop);
        assert_eq!(
            why,
            Err("`AWS_REGION` is not set; it is required for DynamoDB".into())
        );
    }
}
