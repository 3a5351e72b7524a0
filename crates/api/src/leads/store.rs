//! The interface of a lead store, with two implementations: SQLite for one machine, DynamoDB for many.
//!
//! When a method returns `Ok`, its writes are durable: they survive a crash of the process and a power failure.

use std::fmt;
use std::pin::Pin;

use crate::clock::Millis;

use super::lead::{Channel, Delivery, Hash, Lead};

/// The future that methods of a [`Store`] return.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Why a store operation failed. The visitor is asked to try again; the details are logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// The queue is full.
    Busy,
    /// The store cannot be read or written. The message contains no data of a lead.
    Unavailable(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Busy => to.write_str("too many leads are waiting to be stored"),
            StoreError::Unavailable(why) => to.write_str(why),
        }
    }
}

/// A lead to be stored, with the hashes that prevent duplicates.
#[derive(Debug, Clone)]
pub struct NewLead {
    /// The lead.
    pub lead: Lead,
    /// The hash of the idempotency key, if there is one.
    pub key: Option<Hash>,
    /// The hash of the lead's contents.
    pub fingerprint: Hash,
    /// The hash of the captcha token, which can be used once.
    pub token: Option<Hash>,
    /// The channels to notify; empty while the lead is held.
    pub channels: Vec<Channel>,
}

/// The result of storing a lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertOutcome {
    /// The lead was stored.
    New,
    /// The same lead is already stored with this key.
    Duplicate,
    /// The key was used for a different lead.
    OtherLead,
    /// The token was used for another lead.
    TokenUsed,
}

/// The result of a delivery attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The delivery succeeded.
    Done,
    /// The delivery failed and will be retried.
    Retry {
        /// When to retry.
        at: Millis,
        /// Why it failed.
        trouble: String,
    },
    /// The delivery failed and is given up.
    Dead {
        /// Why it failed.
        trouble: String,
    },
}

/// The number of open deliveries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Deliveries that will be attempted.
    pub due: u32,
    /// Deliveries that were given up.
    pub dead: u32,
}

/// A lead store.
pub trait Store: fmt::Debug + Send + Sync {
    /// Stores a lead once.
    fn insert(&self, new: NewLead) -> StoreFuture<'_, InsertOutcome>;
    /// The fingerprint of the lead stored with a key.
    fn fingerprint(&self, key: Hash) -> StoreFuture<'_, Option<Hash>>;
    /// The lead with an id.
    fn lead(&self, id: String) -> StoreFuture<'_, Option<Lead>>;
    /// Up to `count` leads, newest first; only those older than the id `before`, if given.
    fn leads(&self, before: Option<String>, count: u32) -> StoreFuture<'_, Vec<Lead>>;
    /// The deliveries of a lead.
    fn deliveries(&self, lead: String) -> StoreFuture<'_, Vec<Delivery>>;
    /// Releases a held lead and queues its deliveries. Returns `false` if no held lead has this id.
    fn release(&self, id: String, channels: Vec<Channel>, now: Millis) -> StoreFuture<'_, bool>;
    /// Deletes all leads with an email address, ignoring case. Returns their number.
    fn delete_by_email(&self, email: String) -> StoreFuture<'_, u32>;
    /// Deletes leads older than `leads` and token hashes older than `tokens`. Returns the number of leads.
    fn delete_before(&self, leads: Option<Millis>, tokens: Millis) -> StoreFuture<'_, u32>;
    /// Claims up to `count` due deliveries. No other caller gets them before `until`.
    fn claim(&self, now: Millis, until: Millis, count: u32) -> StoreFuture<'_, Vec<(Delivery, Lead)>>;
    /// Stores the outcome of a delivery attempt.
    fn complete(&self, id: String, outcome: DeliveryOutcome) -> StoreFuture<'_, ()>;
    /// Queues deliveries that were given up, of one lead or of all. Returns their number.
    fn retry(&self, lead: Option<String>, now: Millis) -> StoreFuture<'_, u32>;
    /// The number of open deliveries.
    fn backlog(&self) -> StoreFuture<'_, Backlog>;
    /// Checks whether leads can be stored.
    fn check(&self) -> StoreFuture<'_, ()>;
    /// Adds `by` to the count of a rate-limit key in a minute, and returns the count. `None` if the process counts by itself.
    fn count(&self, key: Hash, minute: i64, by: i32) -> StoreFuture<'_, Option<u32>>;
}
