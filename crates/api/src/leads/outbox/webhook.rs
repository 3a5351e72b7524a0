//! Notifications by HTTP request: as a service expects them, by its [preset](super::preset), or signed.
//!
//! `X-Lead-Signature: sha256=<hex>` is the HMAC-SHA-256 of the timestamp, a full stop and the body. `X-Lead-Timestamp`
//! is in seconds since the Unix epoch. A receiver should verify the signature, reject timestamps older than five
//! minutes, and ignore delivery ids that it has already processed.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, RequestBuilder, Url};
use ring::hmac;
use serde::Serialize;
use serde_json::{Map, Value, json};

use api_types::forms::Form;

use crate::clock;

use super::super::http_client::reason;
use super::super::lead::{Delivery, Lead, new_id};
use super::super::settings::WebhookSettings;
use super::preset::{self, Failure, Preset};

/// A webhook client.
#[derive(Debug, Clone)]
pub(super) struct Webhook {
    settings: WebhookSettings,
    preset: Preset,
    client: reqwest::Client,
}

#[derive(Serialize)]
struct Notification<'a> {
    delivery: &'a str,
    /// When the lead was received, in ISO 8601.
    received: String,
    lead: Map<String, Value>,
}

impl Webhook {
    /// Creates a client. The error is an unknown preset, which reading the settings has ruled out.
    pub(super) fn new(
        settings: WebhookSettings,
        client: reqwest::Client,
    ) -> Result<Webhook, String> {
        let name = settings.preset.as_str();
        let preset =
            Preset::named(name).ok_or_else(|| format!("there is no webhook preset `{name}`"))?;
        Ok(Webhook {
            settings,
            preset,
            client,
        })
    }

    /// Sends a lead. `form` is its form, if the site still has it.
    pub(super) async fn send(
        &self,
        delivery: &Delivery,
        lead: &Lead,
        form: Option<&Form>,
        base_url: &str,
    ) -> Result<(), Failure> {
        if self.preset.requires_email && lead.contents.email.is_empty() {
            return Err(Failure::Unfit(
                "the lead has no email address, which the service requires".into(),
            ));
        }
        let request = match &self.preset.body {
            None => {
                let notification = Notification {
                    delivery: &delivery.id,
                    received: clock::iso(lead.at),
                    lead: lead.json(),
                };
                let body = serde_json::to_vec(&notification)
                    .map_err(|_| "the lead could not be serialized")?;
                self.signed(&delivery.id, body)
            }
            Some(body) => self.as_preset(body, &self.preset.values(lead, form, base_url))?,
        };
        self.answered(request).await
    }

    /// Whether it takes messages for people.
    pub(super) fn takes_notices(&self) -> bool {
        self.preset.takes_notices
    }

    /// Sends a message to the operator.
    pub(super) async fn tell(&self, subject: &str, text: &str) -> Result<(), Failure> {
        let now = clock::now();
        let id = format!("{}-notice", new_id(now));
        let request = match &self.preset.body {
            None => {
                let notice = json!({"subject": subject, "text": text});
                let body = json!({"delivery": id, "received": clock::iso(now), "notice": notice})
                    .to_string();
                self.signed(&id, body.into_bytes())
            }
            Some(body) => self.as_preset(body, &self.preset.notice(subject, text))?,
        };
        self.answered(request).await
    }

    /// Sends a request, and judges its response.
    async fn answered(&self, request: RequestBuilder) -> Result<(), Failure> {
        let response = request.send().await.map_err(|error| reason(&error))?;
        let location = response.headers().get(reqwest::header::LOCATION);
        let location = location
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        self.preset.judge(response.status().as_u16(), location)
    }

    /// A body as signed JSON.
    fn signed(&self, id: &str, body: Vec<u8>) -> RequestBuilder {
        let timestamp = (clock::now() / 1000).to_string();
        let mut request = self
            .client
            .post(&self.settings.url)
            .header("content-type", "application/json")
            .header("x-lead-delivery", id)
            .header("x-lead-timestamp", &timestamp);
        if let Some(secret) = &self.settings.secret {
            request = request.header("x-lead-signature", signature(secret, &timestamp, &body));
        }
        request.body(body)
    }

    /// The request of a preset, with the values of a lead or of a message.
    fn as_preset(
        &self,
        body: &serde_json::Value,
        values: &BTreeMap<&'static str, String>,
    ) -> Result<RequestBuilder, Failure> {
        let given = |name: &str| self.settings.values.get(name).cloned();
        let value = |name: &str| values.get(name).cloned().or_else(|| given(name));
        let body = preset::filled_json(body, &value);
        let method = Method::from_bytes(self.preset.method.as_bytes())
            .map_err(|_| "the preset's method is not an HTTP method")?;
        let mut request = self.client.request(method, self.address(&value)?);
        request = request.header("content-type", "application/json");
        for (name, template) in &self.preset.headers {
            // Values of the operator only: what a visitor has typed is in no header.
            request = request.header(name, preset::filled(template, &given));
        }
        if let Some([user, password]) = &self.preset.basic {
            request = request.basic_auth(
                preset::filled(user, &given),
                Some(preset::filled(password, &given)),
            );
        }
        Ok(request.body(body.to_string()))
    }

    /// The address of a request: that of the service, at the operator's host if they have named one.
    fn address(&self, value: &dyn Fn(&str) -> Option<String>) -> Result<Url, Failure> {
        let wrong = |_| Failure::from("the webhook URL is invalid");
        let Some(template) = &self.preset.url else {
            return Url::parse(&self.settings.url).map_err(wrong);
        };
        let part = |name: &str| {
            value(name).map(|text| utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string())
        };
        let mut address = Url::parse(&preset::filled(template, &part)).map_err(wrong)?;
        if !self.settings.url.is_empty() {
            let host = Url::parse(&self.settings.url).map_err(wrong)?;
            let (path, query) = (
                address.path().to_owned(),
                address.query().map(str::to_owned),
            );
            address = host;
            address.set_path(&path);
            address.set_query(query.as_deref());
        }
        Ok(address)
    }
}

fn signature(secret: &str, timestamp: &str, body: &[u8]) -> String {
    let mut context =
        hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()));
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
