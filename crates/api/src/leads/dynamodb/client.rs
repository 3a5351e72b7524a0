//! DynamoDB's protocol: signed JSON over HTTP.
//!
//! The store needs five operations, and the official SDK takes minutes to compile. Without it no Cargo feature selects
//! a store, so the tested program is the deployed one. `tests/leads/stores.test.mjs` asks both stores the same
//! questions; its table is read from `deploy/aws.yaml`.

use std::time::Duration;

use serde_json::Value;

use crate::clock;
use crate::signature::{self, Signer, Unsigned};

use super::super::captcha::reason;
use super::super::store::StoreError;

const TRIES: u32 = 4;
/// How long after the first failed try the next one is made, in milliseconds; each further delay is three times as
/// long.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(40);
/// How long one try may take, in seconds.
const TIMEOUT: Duration = Duration::from_secs(4);

/// AWS's own variable for another address, such as that of an emulator.
const ENDPOINT: &str = "AWS_ENDPOINT_URL_DYNAMODB";

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
    signer: Signer,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Client").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Client {
    /// Reads AWS's variables. The error names the one that is missing.
    pub(super) fn new(client: reqwest::Client) -> Result<Client, String> {
        let read = |name: &str| std::env::var(name).ok();
        let signer = Signer::new("DynamoDB", read)?;
        let endpoint = read(ENDPOINT).filter(|value| !value.is_empty());
        let endpoint = endpoint.unwrap_or_else(|| format!("https://dynamodb.{}.amazonaws.com", signer.region));
        let url = reqwest::Url::parse(&endpoint).map_err(|_| format!("{ENDPOINT} is no address"))?;
        let host = signature::host(&url).ok_or_else(|| format!("{ENDPOINT} names no host"))?;
        Ok(Client { client, endpoint, host, signer })
    }

    /// Makes a call, again when DynamoDB asks for that.
    pub(super) async fn call(&self, operation: &str, body: &Value) -> Result<Value, Refused> {
        let body = body.to_string();
        let mut pause = FIRST_RETRY_DELAY;
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
        let unsigned = Unsigned {
            service: "dynamodb",
            method: "POST",
            host: &self.host,
            path: "/",
            headers: &[("content-type", "application/x-amz-json-1.0"), ("x-amz-target", &target)],
            body: body.as_bytes(),
        };
        let mut request = self.client.post(&self.endpoint).timeout(TIMEOUT);
        for (name, value) in self.signer.sign(&unsigned, clock::now()) {
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
