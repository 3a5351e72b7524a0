//! DynamoDB's protocol: JSON over HTTP, signed with AWS's signature of version 4.
//!
//! The official SDK does the same and takes minutes to compile; a table needs seven calls. Credentials come from the
//! environment, where Lambda puts them.

use std::fmt::Write as _;
use std::time::Duration;

use ring::digest::{SHA256, digest};
use ring::hmac;
use serde_json::Value;

use crate::api::clock;

use super::super::captcha::reason;
use super::super::store::StoreError;

const TRIES: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(40);
const TIMEOUT: Duration = Duration::from_secs(4);

/// AWS's own variables.
mod environment {
    pub const ACCESS_KEY: &str = "AWS_ACCESS_KEY_ID";
    pub const SECRET_KEY: &str = "AWS_SECRET_ACCESS_KEY";
    pub const SESSION_TOKEN: &str = "AWS_SESSION_TOKEN";
    pub const REGION: &str = "AWS_REGION";
    /// Another address, such as that of an emulator.
    pub const ENDPOINT: &str = "AWS_ENDPOINT_URL_DYNAMODB";
}

/// What a call answers when it is refused.
#[derive(Debug, Clone)]
pub(super) enum Refused {
    /// A condition did not hold. For a transaction: why, for each of its parts.
    Condition(Vec<String>),
    /// Anything else.
    Other(StoreError),
}

/// The way to DynamoDB.
pub(super) struct Client {
    client: reqwest::Client,
    endpoint: String,
    host: String,
    region: String,
    access_key: String,
    secret_key: String,
    session_token: Option<String>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Client").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Client {
    /// Reads AWS's variables. The error names the one that is missing.
    pub(super) fn new(client: reqwest::Client) -> Result<Client, String> {
        let read = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let need = |name: &str| read(name).ok_or_else(|| format!("{name} is not set, which DynamoDB needs"));
        let region = need(environment::REGION)?;
        let endpoint =
            read(environment::ENDPOINT).unwrap_or_else(|| format!("https://dynamodb.{region}.amazonaws.com"));
        let url = reqwest::Url::parse(&endpoint).map_err(|_| format!("{} is no address", environment::ENDPOINT))?;
        let host = match (url.host_str(), url.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (Some(host), None) => host.to_owned(),
            (None, _) => return Err(format!("{} names no host", environment::ENDPOINT)),
        };
        Ok(Client {
            client,
            endpoint,
            host,
            region,
            access_key: need(environment::ACCESS_KEY)?,
            secret_key: need(environment::SECRET_KEY)?,
            session_token: read(environment::SESSION_TOKEN),
        })
    }

    /// Makes a call, again when DynamoDB asks for that.
    pub(super) async fn call(&self, operation: &str, body: &Value) -> Result<Value, Refused> {
        let body = body.to_string();
        let mut pause = FIRST_PAUSE;
        let mut last = StoreError::Busy;
        for attempt in 0..TRIES {
            if attempt > 0 {
                tokio::time::sleep(pause).await;
                pause *= 3;
            }
            match self.attempt(operation, &body).await {
                Ok(answer) => return Ok(answer),
                Err(Tried::Again(error)) => last = error,
                Err(Tried::Final(refused)) => return Err(refused),
            }
        }
        Err(Refused::Other(last))
    }

    async fn attempt(&self, operation: &str, body: &str) -> Result<Value, Tried> {
        let target = format!("DynamoDB_20120810.{operation}");
        let now = clock::iso(clock::now());
        let time: String = now.chars().take(19).filter(char::is_ascii_alphanumeric).chain(['Z']).collect();
        let mut headers =
            vec![("content-type", "application/x-amz-json-1.0"), ("host", &self.host), ("x-amz-date", &time)];
        headers.extend(self.session_token.as_deref().map(|token| ("x-amz-security-token", token)));
        headers.push(("x-amz-target", &target));
        let signed = self.authorization(&headers, &time, body);
        let mut request = self.client.post(&self.endpoint).timeout(TIMEOUT).header("authorization", signed);
        for (name, value) in headers.into_iter().filter(|(name, _)| *name != "host") {
            request = request.header(name, value);
        }
        let unreachable =
            |error: &reqwest::Error| Tried::Again(StoreError::Unavailable(format!("DynamoDB: {}", reason(error))));
        let response = request.body(body.to_owned()).send().await.map_err(|error| unreachable(&error))?;
        let status = response.status();
        let bytes = response.bytes().await.map_err(|error| unreachable(&error))?;
        let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        if status.is_success() {
            return Ok(answer);
        }
        let kind = answer["__type"].as_str().unwrap_or_default();
        Err(judge(kind.rsplit('#').next().unwrap_or_default(), status.as_u16(), &answer))
    }

    fn authorization(&self, headers: &[(&str, &str)], time: &str, body: &str) -> String {
        let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let lines = headers.iter().fold(String::new(), |lines, (name, value)| lines + name + ":" + value + "\n");
        let canonical = format!("POST\n/\n\n{lines}\n{names}\n{}", hex(digest(&SHA256, body.as_bytes()).as_ref()));
        let day = &time[..8];
        let scope = format!("{day}/{}/dynamodb/aws4_request", self.region);
        let text =
            format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", hex(digest(&SHA256, canonical.as_bytes()).as_ref()));
        let first = format!("AWS4{}", self.secret_key);
        let key = [day, &self.region, "dynamodb", "aws4_request"]
            .into_iter()
            .fold(first.into_bytes(), |key, part| signed(&key, part));
        let signature = hex(&signed(&key, &text));
        format!("AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={signature}", self.access_key)
    }
}

/// What follows from a try.
enum Tried {
    Again(StoreError),
    Final(Refused),
}

fn judge(kind: &str, status: u16, answer: &Value) -> Tried {
    // The message may hold values; its kind does not.
    let error = StoreError::Unavailable(format!("DynamoDB answers {status} {kind}"));
    match kind {
        "ConditionalCheckFailedException" => Tried::Final(Refused::Condition(Vec::new())),
        "TransactionCanceledException" => {
            let reasons = answer["CancellationReasons"].as_array().into_iter().flatten();
            let codes: Vec<String> =
                reasons.map(|reason| reason["Code"].as_str().unwrap_or_default().to_owned()).collect();
            let is_passing = |code: &String| ["TransactionConflict", "ThrottlingError"].contains(&code.as_str());
            if codes.iter().any(is_passing) { Tried::Again(error) } else { Tried::Final(Refused::Condition(codes)) }
        }
        "ProvisionedThroughputExceededException" | "ThrottlingException" | "RequestLimitExceeded" => {
            Tried::Again(StoreError::Busy)
        }
        "TransactionInProgressException" => Tried::Again(error),
        _ if status >= 500 => Tried::Again(error),
        _ => Tried::Final(Refused::Other(error)),
    }
}

fn signed(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec()
}

/// Bytes as letters.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_aws() {
        let client = Client {
            client: super::super::super::outbox::client().expect("a client"),
            endpoint: String::new(),
            host: "dynamodb.us-east-1.amazonaws.com".into(),
            region: "us-east-1".into(),
            access_key: "AKIDEXAMPLE".into(),
            secret_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into(),
            session_token: Some("session".into()),
        };
        let headers = [
            ("content-type", "application/x-amz-json-1.0"),
            ("host", &client.host),
            ("x-amz-date", "20250314T093005Z"),
            ("x-amz-security-token", "session"),
            ("x-amz-target", "DynamoDB_20120810.GetItem"),
        ];
        let found = client.authorization(&headers, "20250314T093005Z", "{\"TableName\":\"leads\"}");
        // As botocore signs the same request.
        let expect = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20250314/us-east-1/dynamodb/aws4_request, \
            SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, \
            Signature=b2567a2713bfa598377934b65af1eb61250046763a509b6db366b59e80b583ba";
        assert_eq!(found, expect);
    }
}
