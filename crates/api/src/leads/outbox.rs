//! Delivers notifications of leads at least once, in the background. Failed deliveries are retried for a day. The first
//! retry comes after 10 seconds (`LEADS_RETRY_AFTER`), and the delay doubles up to two hours. What a service says will never
//! succeed is given up at once. The operator hears of a receiver that fails, by another one that works.
//!
//! Each receiver has a queue of its own ([`Queue`]), which is worked off for itself: one that hangs delays no other.
//!
//! A delivery is written in the same transaction as its lead. A process claims it for a [`LEASE`]; if the process dies,
//! the delivery becomes due again. The receiver sees the same delivery id on each attempt.

mod address;
mod answer;
mod mail;
mod notice;
pub(super) mod preset;
mod subject;
mod tidy;
mod watch;
mod webhook;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::task::JoinSet;

use api_types::lead_site::LeadSite;

use crate::clock::{self, DAY, Millis};
use crate::log::Log;
use crate::metrics::{Metric, Metrics};

use super::confirm;
use super::http_client;
use super::lead::{Channel, Delivery, Lead};
use super::queue::Queue;
use super::settings::{LeadSettings, MailSettings, WebhookSettings};
use super::site_file::SiteFile;
use super::store::{DeliveryOutcome, Store, StoreError};
use mail::Mail;
use notice::{Notices, Refusal};
use preset::Failure;
use watch::Watch;
use webhook::Webhook;

/// How long a claim lasts, in milliseconds. It is longer than [`DELIVERY_TIMEOUT`].
const LEASE: Millis = 30_000;
/// Timeout of one attempt, by webhook or mail.
const DELIVERY_TIMEOUT: Duration = http_client::TIMEOUT;
/// Maximum number of concurrent deliveries to one receiver.
const AT_ONCE: u32 = 16;
/// Maximum delay between attempts, in milliseconds.
const LONGEST_RETRY_DELAY: Millis = 2 * 60 * 60 * 1000;
/// How long a delivery is retried, in milliseconds.
const GIVE_UP: Millis = DAY;
/// How often a delivery is tried before it is given up, so that a clock that jumps ahead gives up none.
const GIVE_UP_ATTEMPTS: u32 = 10;
/// How often the store is polled at most for deliveries queued by other processes (`sitegen leads release`).
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// The outbox.
#[derive(Debug)]
pub struct Outbox {
    store: Arc<dyn Store>,
    site: Arc<SiteFile>,
    senders: Arc<Senders>,
    /// The queues, each with what wakes it.
    queues: Vec<(Queue, Notify)>,
    metrics: Arc<Metrics>,
    /// Whether the store knows the channels.
    is_started: AtomicBool,
    /// Whether this is the preview, which has channels only to try them.
    is_preview: bool,
    /// When old leads were last deleted.
    tidied: AtomicI64,
    /// When files that another process had left were last put in their place.
    settled: AtomicI64,
    /// The number of leads that have expired and were kept, because deleting them looked like a mistake.
    held: AtomicU32,
    /// The receivers that fail.
    watch: Watch,
    /// The receivers that the operator has heard of.
    notices: Notices,
    /// Time until the first retry. Each further one takes twice as long.
    retry_after: Duration,
    /// How often the store is polled.
    poll_interval: Duration,
}

/// The clients that send notifications.
#[derive(Debug)]
struct Senders {
    webhook: Option<Webhook>,
    /// The webhooks that forms name.
    webhooks: BTreeMap<String, Webhook>,
    mail: Option<Mail>,
}

/// Validates the mail settings.
pub(super) fn check_mail(settings: &MailSettings) -> Result<(), String> {
    Mail::new(settings).map(drop)
}

impl Outbox {
    /// Creates an outbox for a store. The error names an invalid mail setting.
    pub fn new(
        settings: &LeadSettings,
        site: Arc<SiteFile>,
        store: Arc<dyn Store>,
        client: &reqwest::Client,
        metrics: Arc<Metrics>,
    ) -> Result<Outbox, String> {
        let hook = |settings: &WebhookSettings| Webhook::new(settings.clone(), client.clone());
        let webhooks = settings
            .webhooks
            .iter()
            .map(|(name, settings)| Ok((name.clone(), hook(settings)?)));
        let senders = Senders {
            webhook: settings.webhook.as_ref().map(hook).transpose()?,
            webhooks: webhooks.collect::<Result<_, String>>()?,
            mail: settings.mail.as_ref().map(Mail::new).transpose()?,
        };
        let retry_after = Duration::from_secs(settings.retry_after.max(1).into());
        Ok(Outbox {
            store,
            site,
            queues: senders
                .queues()
                .into_iter()
                .map(|queue| (queue, Notify::new()))
                .collect(),
            senders: Arc::new(senders),
            metrics,
            is_started: AtomicBool::new(false),
            is_preview: settings.own_host,
            tidied: AtomicI64::new(0),
            settled: AtomicI64::new(0),
            held: AtomicU32::new(0),
            // One that is started anew is back before.
            watch: Watch::new(retry_after * 2),
            notices: Notices::default(),
            retry_after,
            poll_interval: POLL_INTERVAL.min(retry_after / 2),
        })
    }

    /// The configured channels.
    pub fn channels(&self) -> Vec<Channel> {
        let webhook = self.senders.webhook.is_some().then_some(Channel::Webhook);
        let mail = self.senders.mail.is_some().then_some(Channel::Mail);
        webhook.into_iter().chain(mail).collect()
    }

    /// The ways by which leads leave this machine: channels, and webhooks of forms by their names.
    pub fn ways(&self) -> Vec<String> {
        let channels = self
            .channels()
            .into_iter()
            .map(|channel| channel.name().to_owned());
        channels
            .chain(
                self.senders
                    .webhooks
                    .keys()
                    .map(|name| format!("webhook `{name}`")),
            )
            .collect()
    }

    /// The channels of a lead.
    pub fn channels_of(&self, lead: &Lead) -> Vec<Channel> {
        if self.is_idle() {
            Vec::new()
        } else {
            lead.channels(&self.channels())
        }
    }

    /// Whether visitors can be asked to confirm; a preview only stores what they send.
    pub fn can_ask(&self) -> bool {
        self.is_preview || self.senders.mail.is_some()
    }

    /// Whether this is a preview that sends nothing.
    fn is_idle(&self) -> bool {
        self.is_preview && self.channels().is_empty() && self.senders.webhooks.is_empty()
    }

    /// The number of leads that have expired and were kept.
    pub fn held(&self) -> u32 {
        self.held.load(Ordering::Relaxed)
    }

    /// The receivers that fail.
    pub fn failing(&self) -> Vec<Queue> {
        self.watch.failing(Instant::now())
    }

    /// Tells the store the channels, for `sitegen leads release`: a shell may have other variables than the API.
    async fn start(&self, log: Log) {
        let channels = self.channels();
        let is_unknown = !self.is_started.load(Ordering::Relaxed);
        // A preview without channels must not hide those of the API.
        if !is_unknown || (self.is_preview && channels.is_empty()) {
            return;
        }
        match self.store.start(channels, clock::now()).await {
            Ok(()) => self.is_started.store(true, Ordering::Relaxed),
            Err(error) => log.event("channels_not_stored", &[("why", error.to_string().into())]),
        }
    }

    /// Wakes [`Outbox::work`] after a delivery was queued.
    pub fn wake(&self) {
        self.queues
            .iter()
            .for_each(|(_, wakeup)| wakeup.notify_one());
    }

    /// Delivers and deletes expired leads until the process ends.
    pub async fn work(self: Arc<Self>, log: Log) {
        let mut works = JoinSet::new();
        for place in 0..self.queues.len() {
            works.spawn(Arc::clone(&self).work_off(place, log));
        }
        loop {
            self.start(log).await;
            self.tidy_if_due(log).await;
            tokio::time::sleep(self.poll_interval).await;
        }
    }

    /// Works off the queue at a place until the process ends.
    async fn work_off(self: Arc<Self>, place: usize, log: Log) {
        let (queue, wakeup) = &self.queues[place];
        loop {
            let round = self.round(queue, log).await;
            // After a round with deliveries there may be more.
            if !matches!(round, Ok(count) if count > 0) {
                let _ = tokio::time::timeout(self.poll_interval, wakeup.notified()).await;
            }
        }
    }

    /// Attempts due deliveries of each queue once, and deletes expired leads once per hour.
    pub async fn round_and_tidy(self: Arc<Self>, log: Log) {
        self.start(log).await;
        let mut rounds = JoinSet::new();
        for place in 0..self.queues.len() {
            let outbox = Arc::clone(&self);
            rounds.spawn(async move { outbox.round(&outbox.queues[place].0, log).await });
        }
        while rounds.join_next().await.is_some() {}
        self.tidy_if_due(log).await;
    }

    /// Attempts due deliveries of a queue once, and returns their number.
    async fn round(&self, queue: &Queue, log: Log) -> Result<usize, StoreError> {
        // Without any channel, a lead may still have been sent to a webhook that this API does not know.
        if self.is_idle() {
            return Ok(0);
        }
        let now = clock::now();
        let due = self
            .store
            .claim(now, now + LEASE, AT_ONCE, queue.clone())
            .await
            .inspect_err(|error| {
                log.event("outbox_not_read", &[("why", error.to_string().into())]);
            })?;
        let count = due.len();
        let mut tries = JoinSet::new();
        for (delivery, lead) in due {
            let (senders, site, store) = (
                Arc::clone(&self.senders),
                self.site.get(),
                Arc::clone(&self.store),
            );
            tries.spawn(async move {
                let deliver = senders.deliver(site.as_deref(), &*store, &delivery, &lead);
                let tried = tokio::time::timeout(DELIVERY_TIMEOUT, deliver).await;
                (
                    delivery,
                    tried.unwrap_or_else(|_| Err("the request timed out".into())),
                )
            });
        }
        let mut refusal = None;
        while let Some(tried) = tries.join_next().await {
            let Ok((delivery, result)) = tried else {
                continue;
            };
            refusal = self
                .conclude(queue, &delivery, result, log)
                .await
                .or(refusal);
        }
        // Only once all is stored: a receiver of the message that hangs must delay nothing.
        if let Some(refusal) = refusal {
            self.tell_operator(&refusal, log).await;
        }
        Ok(count)
    }

    /// Stores the outcome of an attempt. Returns what the operator has to hear of.
    async fn conclude(
        &self,
        queue: &Queue,
        delivery: &Delivery,
        result: Result<(), Failure>,
        log: Log,
    ) -> Option<Refusal> {
        let is_about_lead = matches!(result, Err(Failure::Unfit(_)));
        let outcome = outcome(delivery, result, self.retry_after, clock::now());
        let refusal = match &outcome {
            DeliveryOutcome::Done => {
                self.metrics.count(log, Metric::Deliveries, "done");
                self.watch.took(queue);
                None
            }
            DeliveryOutcome::Retry { trouble, .. } => {
                self.metrics.count(log, Metric::Deliveries, "again");
                log_failure(log, "delivery_failed", delivery, trouble);
                let fails = self.watch.refused(queue, delivery, false, Instant::now());
                fails.then(|| Refusal::of(queue, delivery, trouble, false))
            }
            DeliveryOutcome::Dead { trouble } => {
                self.metrics.count(log, Metric::Deliveries, "dead");
                self.metrics.count(log, Metric::DeliveriesGivenUp, "");
                log_failure(log, "delivery_given_up", delivery, trouble);
                if !is_about_lead {
                    self.watch.refused(queue, delivery, true, Instant::now());
                }
                Some(Refusal::of(queue, delivery, trouble, true))
            }
        };
        if let Err(error) = self.store.complete(delivery.id.clone(), outcome).await {
            // The claim remains until the lease ends; at worst, the delivery arrives twice.
            log.event("delivery_not_settled", &[("why", error.to_string().into())]);
        }
        refusal
    }

    /// Tells the operator that a receiver takes no leads, unless they have heard of it today.
    async fn tell_operator(&self, refusal: &Refusal, log: Log) {
        if !self.notices.is_due(&refusal.queue, clock::now()) {
            return;
        }
        let (subject, text) = refusal.words();
        let told = self.senders.tell(&refusal.queue, &subject, &text).await;
        if let Err(why) = told {
            log.event(
                "operator_not_told",
                &[("about", subject.into()), ("why", why.into())],
            );
        }
    }
}

impl Senders {
    /// The queues of these receivers, and that of the webhooks which forms name and this API does not know.
    fn queues(&self) -> Vec<Queue> {
        let of_all_forms = self.webhook.is_some().then(String::new);
        let names: Vec<String> = of_all_forms
            .into_iter()
            .chain(self.webhooks.keys().cloned())
            .collect();
        let known = names.iter().cloned().map(Queue::Webhook);
        [Queue::Mail]
            .into_iter()
            .chain(known)
            .chain([Queue::OtherWebhooks(names.clone())])
            .collect()
    }

    /// Tells the operator about a receiver, by the first other one that takes the message. The error says why none did.
    async fn tell(&self, about: &Queue, subject: &str, text: &str) -> Result<(), String> {
        let mut why = "there is no other channel to send the message through".to_owned();
        if let Some(mail) = self.mail.as_ref().filter(|_| *about != Queue::Mail) {
            match mail.tell(subject, text).await {
                Ok(()) => return Ok(()),
                Err(trouble) => why = trouble,
            }
        }
        let of_all_forms = self.webhook.iter().map(|webhook| (String::new(), webhook));
        let named = self
            .webhooks
            .iter()
            .map(|(name, webhook)| (name.clone(), webhook));
        for (name, webhook) in of_all_forms
            .chain(named)
            .filter(|(_, webhook)| webhook.takes_notices())
        {
            if *about != Queue::Webhook(name) {
                match webhook.tell(subject, text).await {
                    Ok(()) => return Ok(()),
                    Err(failure) => why = failure.trouble(),
                }
            }
        }
        Err(why)
    }

    async fn deliver(
        &self,
        site: Option<&LeadSite>,
        store: &dyn Store,
        delivery: &Delivery,
        lead: &Lead,
    ) -> Result<(), Failure> {
        let mail = || {
            self.mail
                .as_ref()
                .ok_or("the mail server is no longer configured")
        };
        let form = site.and_then(|site| site.form(&lead.contents.form));
        match delivery.channel {
            Channel::Webhook => {
                let base_url = site
                    .map(|site| site.hosts().of_locale(&lead.locale))
                    .unwrap_or_default();
                self.webhook_of(lead)?
                    .send(delivery, lead, form, base_url)
                    .await
            }
            Channel::Mail => {
                let zone = site.map(|site| site.timezone.as_str()).unwrap_or_default();
                Ok(mail()?.send(delivery, lead, form, zone).await?)
            }
            Channel::Answer | Channel::Confirm => {
                let none = "the site has no email text for this form and language";
                let form = form.ok_or(none)?;
                let language = form.languages.get(&lead.locale).ok_or(none)?;
                if delivery.channel == Channel::Answer {
                    let answer = language.answer.as_ref().ok_or(none)?;
                    return mail()?.answer(delivery, lead, (form, answer)).await;
                }
                let words = language.confirm.as_ref().ok_or(none)?;
                let key = store.link_key().await.map_err(|error| error.to_string())?;
                let link = confirm::link(site.ok_or(none)?, &form.name, lead, &key);
                let mail_words = answer::with_link(words, &link);
                mail()?.answer(delivery, lead, (form, &mail_words)).await
            }
        }
    }

    fn webhook_of(&self, lead: &Lead) -> Result<&Webhook, String> {
        match &lead.contents.webhook {
            Some(name) => self
                .webhooks
                .get(name)
                .ok_or_else(|| format!("the webhook `{name}` is not in `LEADS_WEBHOOKS`")),
            None => self
                .webhook
                .as_ref()
                .ok_or_else(|| "the webhook is no longer configured".into()),
        }
    }
}

fn log_failure(log: Log, event: &str, delivery: &Delivery, why: &str) {
    log.event(
        event,
        &[
            ("delivery", delivery.id.clone().into()),
            ("why", why.into()),
        ],
    );
}

/// The outcome of an attempt. Delays vary by delivery id, so that failed deliveries are not all retried at once.
fn outcome(
    delivery: &Delivery,
    tried: Result<(), Failure>,
    retry_after: Duration,
    now: Millis,
) -> DeliveryOutcome {
    let trouble = match tried {
        Ok(()) => return DeliveryOutcome::Done,
        Err(Failure::Permanent(trouble) | Failure::Unfit(trouble)) => {
            return DeliveryOutcome::Dead { trouble };
        }
        Err(Failure::Temporary(trouble)) => trouble,
    };
    if now - delivery.since >= GIVE_UP && delivery.attempts >= GIVE_UP_ATTEMPTS {
        return DeliveryOutcome::Dead { trouble };
    }
    let first = Millis::try_from(retry_after.as_millis()).unwrap_or(LONGEST_RETRY_DELAY);
    let doubled = first.saturating_mul(1 << delivery.attempts.min(20));
    let delay = doubled.min(LONGEST_RETRY_DELAY);
    let jitter = Millis::from(delivery.id.bytes().fold(0_u8, u8::wrapping_add)) * delay / 2_560;
    DeliveryOutcome::Retry {
        at: now + delay + jitter,
        trouble,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lead::DeliveryState;
    use super::*;

    const RETRY: Duration = Duration::from_secs(10);

    #[test]
    fn retry_delays_grow_until_a_day_is_over() {
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
        let mut delays = Vec::new();
        while let DeliveryOutcome::Retry { at, .. } =
            outcome(&delivery, Err("no".into()), RETRY, now)
        {
            delays.push(at - now);
            now = at;
            delivery.attempts += 1;
        }
        assert!(delays.is_sorted() && delays[0] < 11_000, "{delays:?}");
        assert!((DAY..DAY + 3 * 60 * 60 * 1000).contains(&now), "{now}");
        assert!((15..30).contains(&delays.len()), "{}", delays.len());
    }

    #[test]
    fn a_clock_that_jumps_gives_up_no_delivery() {
        let delivery = Delivery {
            id: "x".into(),
            lead: "l".into(),
            channel: Channel::Webhook,
            state: DeliveryState::Due(0),
            attempts: 1,
            since: 0,
            trouble: None,
        };
        let tried = outcome(&delivery, Err("no".into()), RETRY, 800 * DAY);
        assert!(matches!(tried, DeliveryOutcome::Retry { .. }), "{tried:?}");
    }
}
