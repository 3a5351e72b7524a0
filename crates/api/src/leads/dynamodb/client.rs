//! DynamoDB's protocol: signed JSON over HTTP.
//!
//! The store needs five operations, and the official SDK takes minutes to compile. Without the SDK there is no need for
//! a Cargo feature per store, so the tested program is the deployed one. `tests/leads/stores.test.mjs` runs the same
//! tests against both stores, with the table defined in `deploy/aws.yaml`.

use std::time::Duration;

use serde_json::Value;

use crate::clock;
use bucket::signature::{self, Signer, Unsigned};

use super::super::http_client::{AttemptError, reason, retried};
use super::super::store::StoreError;

/// Number of attempts.
const TRIES: u32 = 4;
/// Delay before the first retry, in milliseconds. Each further delay is three times as long.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(40);
/// Timeout of one attempt, in seconds.
const TIMEOUT: Duration = Duration::from_secs(4);

/// AWS's variable for another endpoint, such as an emulator.
const ENDPOINT: &str = "AWS_ENDPOINT_URL_DYNAMODB";

/// Why a call failed.
#[derive(Debug, Clone)]
pub(super) enum CallError {
    /// A condition failed. For a transaction, holds the reason code of each item.
    Condition(Vec<String>),
    /// Any other error.
    Other(StoreError),
}

impl From<StoreError> for CallError {
    fn from(error: StoreError) -> CallError {
        CallError::Other(error)
    }
}

/// A DynamoDB client.
pub(super) struct Client {
    client: reqwest::Client,
    endpoint: String,
    host: String,
    signer: Signer,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Client")
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Reads AWS's environment variables. The error names the missing one.
    #[expect(
        clippy::disallowed_methods,
        reason = "these settings come from the environment"
    )]
    pub(super) fn new(client: reqwest::Client) -> Result<Client, String> {
        let read = |name: &str| std::env::var(name).ok();
        let signer = Signer::new("DynamoDB", read)?;
        let endpoint = read(ENDPOINT).filter(|value| !value.is_empty());
        let endpoint =
            endpoint.unwrap_or_else(|| format!("https://dynamodb.{}.amazonaws.com", signer.region));
        let url = reqwest::Url::parse(&endpoint).map_err(|_| format!("{ENDPOINT} is not a URL"))?;
        let host = signature::host(&url).ok_or_else(|| format!("{ENDPOINT} has no host"))?;
        Ok(Client {
            client,
            endpoint,
            host,
            signer,
        })
    }

    /// Calls an operation. Transient errors are retried.
    pub(super) async fn call(&self, operation: &str, body: &Value) -> Result<Value, CallError> {
        let body = body.to_string();
        retried(TRIES, FIRST_RETRY_DELAY, || self.attempt(operation, &body)).await
    }

    async fn attempt(&self, operation: &str, body: &str) -> Result<Value, AttemptError<CallError>> {
        let target = format!("DynamoDB_20120810.{operation}");
        let unsigned = Unsigned {
            service: "dynamodb",
            method: "POST",
            host: &self.host,
            path: "/",
            headers: &[
                ("content-type", "application/x-amz-json-1.0"),
                ("x-amz-target", &target),
            ],
            body: body.as_bytes(),
        };
        let mut request = self.client.post(&self.endpoint).timeout(TIMEOUT);
        for (name, value) in self.signer.sign(&unsigned, clock::now()) {
            request = request.header(name, value);
        }
        let unreachable = |error: &reqwest::Error| {
            AttemptError::Transient(StoreError::Unavailable(format!(
                "DynamoDB: {}",
                reason(error)
            )))
        };
        let response = request
            .body(body.to_owned())
            .send()
            .await
            .map_err(|error| unreachable(&error))?;
        let status = response.status();
        let bytes = response
            .bytes()
            .await
            .map_err(|error| unreachable(&error))?;
        let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        if status.is_success() {
            return Ok(answer);
        }
        let kind = answer["__type"].as_str().unwrap_or_default();
        Err(judge(
            kind.rsplit('#').next().unwrap_or_default(),
            status.as_u16(),
            &answer,
        ))
    }
}

fn judge(kind: &str, status: u16, answer: &Value) -> AttemptError<CallError> {
    // DynamoDB's message may contain values of the lead; the error type does not.
    let error = StoreError::Unavailable(format!("DynamoDB responded with {status} {kind}"));
    match kind {
        "ConditionalCheckFailedException" => {
            AttemptError::Permanent(CallError::Condition(Vec::new()))
        }
        "TransactionCanceledException" => {
            let reasons = answer["CancellationReasons"]
                .as_array()
                .into_iter()
                .flatten();
            let codes: Vec<String> = reasons
                .map(|reason| reason["Code"].as_str().unwrap_or_default().to_owned())
                .collect();
            let is_transient =
                |code: &String| ["TransactionConflict", "ThrottlingError"].contains(&code.as_str());
            if codes.iter().any(is_transient) {
                AttemptError::Transient(error)
            } else {
                AttemptError::Permanent(CallError::Condition(codes))
            }
        }
        "ProvisionedThroughputExceededException"
        | "ThrottlingException"
        | "RequestLimitExceeded" => AttemptError::Transient(StoreError::Busy),
        "TransactionInProgressException" => AttemptError::Transient(error),
        _ if status >= 500 => AttemptError::Transient(error),
        _ => AttemptError::Permanent(CallError::Other(error)),
    }
}
