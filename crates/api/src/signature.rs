//! AWS Signature Version 4, without the official SDK, which takes minutes to compile. Credentials come from the
//! environment, where Lambda provides them.

use data_encoding::HEXLOWER;
use ring::digest::{SHA256, digest};
use ring::hmac;

use super::clock::{self, Millis};

/// AWS's environment variables.
mod environment {
    pub const ACCESS_KEY: &str = "AWS_ACCESS_KEY_ID";
    pub const SECRET_KEY: &str = "AWS_SECRET_ACCESS_KEY";
    pub const SESSION_TOKEN: &str = "AWS_SESSION_TOKEN";
    pub const REGION: &str = "AWS_REGION";
}

/// Signs requests with the credentials of the process.
#[derive(Clone)]
pub(super) struct Signer {
    /// The AWS region.
    pub region: String,
    access_key: String,
    secret_key: String,
    session_token: Option<String>,
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Signer").field("region", &self.region).finish_non_exhaustive()
    }
}

/// A request to sign. It has no query string.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unsigned<'a> {
    pub service: &'a str,
    pub method: &'a str,
    /// The host, with the port unless it is the default one.
    pub host: &'a str,
    /// The path, percent-encoded as it is sent.
    pub path: &'a str,
    /// Further headers to sign, with lower-case names.
    pub headers: &'a [(&'a str, &'a str)],
    pub body: &'a [u8],
}

impl Signer {
    /// Reads AWS's environment variables. The error names the missing one, and the service that needs it.
    pub fn new(service: &str, read: impl Fn(&str) -> Option<String>) -> Result<Signer, String> {
        let read = |name: &str| read(name).filter(|value| !value.is_empty());
        let need = |name: &str| read(name).ok_or_else(|| format!("{name} is not set; it is required for {service}"));
        Ok(Signer {
            region: need(environment::REGION)?,
            access_key: need(environment::ACCESS_KEY)?,
            secret_key: need(environment::SECRET_KEY)?,
            session_token: read(environment::SESSION_TOKEN),
        })
    }

    /// Returns the headers to send, including those of the request, without `Host`, which HTTP clients set.
    pub fn sign(&self, request: &Unsigned, at: Millis) -> Vec<(String, String)> {
        let time: String = clock::iso(at).chars().take(19).filter(char::is_ascii_alphanumeric).chain(['Z']).collect();
        let mut headers: Vec<(&str, &str)> = request.headers.to_vec();
        headers.extend([("host", request.host), ("x-amz-date", time.as_str())]);
        headers.extend(self.session_token.as_deref().map(|token| ("x-amz-security-token", token)));
        headers.sort_unstable();
        let signed = self.authorization(request, &headers, &time);
        let sent = headers.into_iter().filter(|(name, _)| *name != "host").chain([("authorization", signed.as_str())]);
        sent.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    fn authorization(&self, request: &Unsigned, headers: &[(&str, &str)], time: &str) -> String {
        let Unsigned { service, method, path, body, .. } = request;
        let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let lines = headers.iter().fold(String::new(), |lines, (name, value)| lines + name + ":" + value + "\n");
        let canonical = format!("{method}\n{path}\n\n{lines}\n{names}\n{}", hash(body));
        let day = &time[..8];
        let scope = format!("{day}/{}/{service}/aws4_request", self.region);
        let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", hash(canonical.as_bytes()));
        let first = format!("AWS4{}", self.secret_key);
        let key = [day, &self.region, service, "aws4_request"]
            .into_iter()
            .fold(first.into_bytes(), |key, part| signed(&key, part));
        let signature = HEXLOWER.encode(&signed(&key, &text));
        format!("AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={signature}", self.access_key)
    }
}

/// The host of a URL, with the port unless it is the default one.
pub(super) fn host(url: &reqwest::Url) -> Option<String> {
    let host = url.host_str()?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// SHA-256 in lower-case hex.
pub(super) fn hash(bytes: &[u8]) -> String {
    HEXLOWER.encode(digest(&SHA256, bytes).as_ref())
}

fn signed(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec()
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
        let authorization = headers.iter().find(|(name, _)| name == "authorization").expect("a signature");
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
            headers: &[("x-amz-target", "DynamoDB_20120810.GetItem"), ("content-type", "application/x-amz-json-1.0")],
            body: b"{\"TableName\":\"leads\"}",
        };
        let headers = signer.sign(&request, 1_741_944_605_000);
        let authorization = headers.iter().find(|(name, _)| name == "authorization").expect("a signature");
        assert_eq!(
            authorization.1,
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20250314/us-east-1/dynamodb/aws4_request, \
             SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, \
             Signature=b2567a2713bfa598377934b65af1eb61250046763a509b6db366b59e80b583ba"
        );
    }

    #[test]
    fn a_missing_variable_is_named() {
        let why = Signer::new("DynamoDB", |_| None).map(drop);
        assert_eq!(why, Err("AWS_REGION is not set; it is required for DynamoDB".into()));
    }
}
