//! Delivers news of leads: at least once, retried for a day, and never in the visitor's way. The first retry comes after
//! 10 seconds (`FIRST_RETRY_DELAY`), and the delay doubles up to two hours.
//!
//! A delivery is written in the same commit as its lead. Whoever delivers takes it for a while ([`LEASE`]); when the
//! process dies in between, the next one finds it due again. The receiver sees the same delivery id on each try.

mod mail;
mod webhook;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::clock::{self, DAY, Millis};
use crate::log::Log;
use crate::metrics::{Metric, Metrics};

use super::lead::{Channel, Delivery, Lead};
use super::settings::{LeadSettings, MailSettings};
use super::store::{DeliveryOutcome, Store, StoreError};
use mail::Mail;
use webhook::Webhook;

/// How long a delivery belongs to whoever has taken it, in milliseconds. Longer than a try can take.
const LEASE: Millis = 30_000;
/// How long a try can take, in seconds.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(15);
/// At most this many are delivered at the same time.
const AT_ONCE: u32 = 16;
/// How long after the first failed try the next one is made, in milliseconds; each further delay is twice as long.
const FIRST_RETRY_DELAY: Millis = 10_000;
/// No delay is longer than this, in milliseconds.
const LONGEST_RETRY_DELAY: Millis = 2 * 60 * 60 * 1000;
/// How long a delivery is tried, in milliseconds.
const GIVE_UP: Millis = DAY;
/// How often the store is asked for deliveries of other processes (`sitegen leads release`), in seconds.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// How often old leads are deleted, in milliseconds.
const TIDY_EVERY: Millis = 60 * 60 * 1000;
/// How long the mark of a captcha's token is kept, in milliseconds. The token itself is good for minutes.
const TOKENS_KEPT: Millis = DAY;

/// What delivers.
#[derive(Debug)]
pub struct Outbox {
    store: Arc<dyn Store>,
    webhook: Option<Webhook>,
    mail: Option<Mail>,
    news: Notify,
    metrics: Arc<Metrics>,
    /// When old leads were last deleted.
    tidied: AtomicI64,
}

/// What a round has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Round {
    /// Deliveries that arrived.
    pub done: u32,
    /// Deliveries that will be tried again.
    pub again: u32,
    /// Deliveries that were given up.
    pub dead: u32,
}

/// A client for requests that a lead causes: it follows no redirect, so that nothing is sent where nobody has said.
pub(super) fn client() -> Result<reqwest::Client, String> {
    // Fails when it was done before, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .timeout(DELIVERY_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("sitegen/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|_| "no way to ask other servers could be set up; are the system's certificates installed?".into())
}

/// Refuses settings with which no mail can be sent.
pub(super) fn check_mail(settings: &MailSettings) -> Result<(), String> {
    Mail::new(settings).map(drop)
}

impl Outbox {
    /// An outbox over a store.
    pub fn new(
        settings: &LeadSettings,
        store: Arc<dyn Store>,
        client: reqwest::Client,
        metrics: Arc<Metrics>,
    ) -> Result<Outbox, String> {
        let webhook = settings.webhook.clone().map(|settings| Webhook::new(settings, client));
        let mail = settings.mail.as_ref().map(Mail::new).transpose()?;
        Ok(Outbox { store, webhook, mail, news: Notify::new(), metrics, tidied: AtomicI64::new(0) })
    }

    /// Where news of a lead goes.
    pub fn channels(&self) -> Vec<Channel> {
        let is_set = |channel: &Channel| match channel {
            Channel::Webhook => self.webhook.is_some(),
            Channel::Mail => self.mail.is_some(),
        };
        Channel::ALL.into_iter().filter(is_set).collect()
    }

    /// Says that there is something to deliver.
    pub fn wake(&self) {
        self.news.notify_one();
    }

    /// Delivers until the process ends, and deletes what has been kept long enough. `keep_days` is asked each time,
    /// because a new build may say something else.
    pub async fn work(self: Arc<Self>, log: Log, keep_days: impl Fn() -> Option<u32>) {
        loop {
            if !self.round_and_tidy(log, keep_days()).await {
                let _ = tokio::time::timeout(POLL_INTERVAL, self.news.notified()).await;
            }
        }
    }

    /// One round, and once in an hour a look for what has been kept long enough. Says whether there may be more to do.
    pub async fn round_and_tidy(&self, log: Log, keep_days: Option<u32>) -> bool {
        let round = self.round(log).await;
        let now = clock::now();
        if now - self.tidied.load(Ordering::Relaxed) > TIDY_EVERY {
            self.tidied.store(now, Ordering::Relaxed);
            self.tidy(log, keep_days).await;
        }
        matches!(round, Ok(round) if round != Round::default())
    }

    /// Delivers what is due now, once.
    pub async fn round(&self, log: Log) -> Result<Round, StoreError> {
        if self.channels().is_empty() {
            return Ok(Round::default());
        }
        let now = clock::now();
        let due = self.store.claim(now, now + LEASE, AT_ONCE).await.inspect_err(|error| {
            log.event("outbox_not_read", &[("why", error.to_string().into())]);
        })?;
        let mut tries = JoinSet::new();
        for (delivery, lead) in due {
            let (webhook, mail) = (self.webhook.clone(), self.mail.clone());
            tries.spawn(async move {
                let tried = tokio::time::timeout(DELIVERY_TIMEOUT, deliver(webhook, mail, &delivery, &lead)).await;
                (delivery, tried.unwrap_or_else(|_| Err("no answer in time".into())))
            });
        }
        let mut round = Round::default();
        while let Some(tried) = tries.join_next().await {
            let Ok((delivery, result)) = tried else { continue };
            let id = delivery.id.clone();
            let outcome = outcome(&delivery, result, clock::now());
            match &outcome {
                DeliveryOutcome::Done => {
                    round.done += 1;
                    self.metrics.count(log, Metric::Deliveries, "done");
                }
                DeliveryOutcome::Retry { trouble, .. } => {
                    round.again += 1;
                    self.metrics.count(log, Metric::Deliveries, "again");
                    log.event("delivery_failed", &[("delivery", id.clone().into()), ("why", trouble.clone().into())]);
                }
                DeliveryOutcome::Dead { trouble } => {
                    round.dead += 1;
                    self.metrics.count(log, Metric::Deliveries, "dead");
                    self.metrics.count(log, Metric::DeliveriesGivenUp, "");
                    log.event("delivery_given_up", &[("delivery", id.clone().into()), ("why", trouble.clone().into())]);
                }
            }
            if let Err(error) = self.store.complete(id, outcome).await {
                // It stays taken until the lease ends, and arrives twice at worst.
                log.event("delivery_not_settled", &[("why", error.to_string().into())]);
            }
        }
        Ok(round)
    }

    /// Deletes what has been kept long enough.
    pub async fn tidy(&self, log: Log, keep_days: Option<u32>) {
        let now = clock::now();
        let leads = keep_days.map(|days| now - Millis::from(days) * DAY);
        match self.store.delete_before(leads, now - TOKENS_KEPT).await {
            Ok(0) => {}
            Ok(count) => log.event("leads_deleted", &[("count", count.into())]),
            Err(error) => log.event("leads_not_deleted", &[("why", error.to_string().into())]),
        }
    }
}

async fn deliver(webhook: Option<Webhook>, mail: Option<Mail>, delivery: &Delivery, lead: &Lead) -> Result<(), String> {
    match delivery.channel {
        Channel::Webhook => match webhook {
            Some(webhook) => webhook.send(delivery, lead).await,
            None => Err("no webhook is set any more".into()),
        },
        Channel::Mail => match mail {
            Some(mail) => mail.send(delivery, lead).await,
            None => Err("no mail server is set any more".into()),
        },
    }
}

/// What follows from a try. The pauses differ a little, so that not all of what has failed comes back at once.
fn outcome(delivery: &Delivery, tried: Result<(), String>, now: Millis) -> DeliveryOutcome {
    let Err(trouble) = tried else { return DeliveryOutcome::Done };
    if now - delivery.since >= GIVE_UP {
        return DeliveryOutcome::Dead { trouble };
    }
    let doubled = FIRST_RETRY_DELAY.saturating_mul(1 << delivery.attempts.min(20));
    let pause = doubled.min(LONGEST_RETRY_DELAY);
    let spread = Millis::from(delivery.id.bytes().fold(0_u8, u8::wrapping_add)) * pause / 2_560;
    DeliveryOutcome::Retry { at: now + pause + spread, trouble }
}

#[cfg(test)]
mod tests {
    use super::super::lead::DeliveryState;
    use super::*;

    #[test]
    fn pauses_grow_until_a_day_is_over() {
        let mut now = 0;
        let mut delivery = Delivery {
            id: "x".into(),
            lead: "l".into(),
            channel: Channel::Webhook,
            state: DeliveryState::Due(0),
            attempts: 0,
            since: 0,
            trouble: None,
        };
        let mut pauses = Vec::new();
        while let DeliveryOutcome::Retry { at, .. } = outcome(&delivery, Err("no".into()), now) {
            pauses.push(at - now);
            now = at;
            delivery.attempts += 1;
        }
        assert!(pauses.is_sorted() && pauses[0] < 11_000, "{pauses:?}");
        assert!((DAY..DAY + 3 * 60 * 60 * 1000).contains(&now), "{now}");
        assert!((15..30).contains(&pauses.len()), "{}", pauses.len());
    }
}
