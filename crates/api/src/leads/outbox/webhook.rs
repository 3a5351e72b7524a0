//! Notifications by signed HTTP request.
//!
//! `X-Lead-Signature: sha256=<hex>` is the HMAC-SHA-256 of the timestamp, a full stop and the body. `X-Lead-Timestamp`
//! is in seconds since the Unix epoch. A receiver should verify the signature, reject timestamps older than five
//! minutes, and ignore delivery ids that it has already processed.

use data_encoding::HEXLOWER;
use ring::hmac;
use serde::Serialize;

use crate::clock;

use super::super::http_client::reason;
use super::super::lead::{Delivery, Lead};
use super::super::settings::WebhookSettings;

/// A webhook client.
#[derive(Debug, Clone)]
pub(super) struct Webhook {
    settings: WebhookSettings,
    client: reqwest::Client,
}

#[derive(Serialize)]
struct Notification<'a> {
    delivery: &'a str,
    /// When the lead was received, in ISO 8601.
    received: String,
    lead: &'a Lead,
}

impl Webhook {
    pub(super) fn new(settings: WebhookSettings, client: reqwest::Client) -> Webhook {
        Webhook { settings, client }
    }

    pub(super) async fn send(&self, delivery: &Delivery, lead: &Lead) -> Result<(), String> {
        let notification = Notification { delivery: &delivery.id, received: clock::iso(lead.at), lead };
        let body = serde_json::to_vec(&notification).map_err(|_| "the lead could not be serialized")?;
        let timestamp = (clock::now() / 1000).to_string();
        let mut request = self
            .client
            .post(&self.settings.url)
            .header("content-type", "application/json")
            .header("x-lead-delivery", &delivery.id)
            .header("x-lead-timestamp", &timestamp);
        if let Some(secret) = &self.settings.secret {
            request = request.header("x-lead-signature", signature(secret, &timestamp, &body));
        }
        let response = request.body(body).send().await.map_err(|error| reason(&error))?;
        if response.status().is_success() { Ok(()) } else { Err(format!("status {}", response.status().as_u16())) }
    }
}

fn signature(secret: &str, timestamp: &str, body: &[u8]) -> String {
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()));
    context.update(timestamp.as_bytes());
    context.update(b".");
    context.update(body);
    format!("sha256={}", HEXLOWER.encode(context.sign().as_ref()))
}

#[cfg(test)]
mod tests {
    use super::signature;

    #[test]
    fn signatures_match_openssl() {
        // printf '1700000000.{}' | openssl dgst -sha256 -hmac secret
        let expect = "sha256=b8569b78799ff9e3cbff0fc2d63a33a2b57f3282abd07c37ae5e8e7d79a5f163";
        assert_eq!(signature("secret", "1700000000", b"{}"), expect);
    }
}
