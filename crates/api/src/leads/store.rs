//! What a place to keep leads must be able to do. Two know how: SQLite on one machine, DynamoDB on many.
//!
//! Whatever a method has answered with `Ok` is durable: it survives the end of the process and of the machine's power.

use std::fmt;
use std::pin::Pin;

use crate::clock::Millis;

use super::lead::{Channel, Delivery, Hash, Lead};

/// What a method of a [`Store`] returns.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Why a store did not do what it was asked. The visitor is told to try again, and the log the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// More is waiting than can be stored in time.
    Busy,
    /// It cannot be written or read now. Holds no words of a lead.
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

/// A lead to be kept, with what makes it the only one.
#[derive(Debug, Clone)]
pub struct NewLead {
    /// The lead.
    pub lead: Lead,
    /// Names the submission, when the sender has named it.
    pub key: Option<Hash>,
    /// Of the lead's contents.
    pub fingerprint: Hash,
    /// The captcha's token, which counts once.
    pub token: Option<Hash>,
    /// Where news of it goes; nowhere while it is held back.
    pub channels: Vec<Channel>,
}

/// What became of a lead that was to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertOutcome {
    /// It is stored.
    New,
    /// It was stored before, under the same key.
    Duplicate,
    /// The key names another lead.
    OtherLead,
    /// The token was used for another lead.
    TokenUsed,
}

/// What became of a try to deliver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// It arrived.
    Done,
    /// It shall be tried again.
    Retry {
        /// When.
        at: Millis,
        /// Why it failed.
        trouble: String,
    },
    /// It was tried often enough.
    Dead {
        /// Why it failed.
        trouble: String,
    },
}

/// What the outbox holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Deliveries that are on their way.
    pub due: u32,
    /// Deliveries that were given up.
    pub dead: u32,
}

/// A place to keep leads.
pub trait Store: fmt::Debug + Send + Sync {
    /// Stores a lead, once.
    fn insert(&self, new: NewLead) -> StoreFuture<'_, InsertOutcome>;
    /// The fingerprint of the lead that a key names.
    fn fingerprint(&self, key: Hash) -> StoreFuture<'_, Option<Hash>>;
    /// A lead.
    fn lead(&self, id: String) -> StoreFuture<'_, Option<Lead>>;
    /// Leads from the newest on, those before an id when one is given.
    fn leads(&self, before: Option<String>, count: u32) -> StoreFuture<'_, Vec<Lead>>;
    /// The deliveries of a lead.
    fn deliveries(&self, lead: String) -> StoreFuture<'_, Vec<Delivery>>;
    /// Lets a lead go that was held back; `false` when there is none of that id, or it was not.
    fn release(&self, id: String, channels: Vec<Channel>, now: Millis) -> StoreFuture<'_, bool>;
    /// Deletes every lead of an e-mail address, in whatever case it was written; returns how many.
    fn delete_by_email(&self, email: String) -> StoreFuture<'_, u32>;
    /// Deletes leads that came before a time, and marks of tokens that nobody can use any more.
    fn delete_before(&self, leads: Option<Millis>, tokens: Millis) -> StoreFuture<'_, u32>;
    /// Takes deliveries that are due; until `until` nobody else gets them.
    fn claim(&self, now: Millis, until: Millis, count: u32) -> StoreFuture<'_, Vec<(Delivery, Lead)>>;
    /// Writes down what became of a delivery.
    fn complete(&self, id: String, outcome: DeliveryOutcome) -> StoreFuture<'_, ()>;
    /// Puts deliveries that were given up on their way again, of one lead or of all; returns how many.
    fn retry(&self, lead: Option<String>, now: Millis) -> StoreFuture<'_, u32>;
    /// What the outbox holds.
    fn backlog(&self) -> StoreFuture<'_, Backlog>;
    /// Whether a lead could be stored now.
    fn check(&self) -> StoreFuture<'_, ()>;
    /// Counts a try of somebody in a minute and gives the number; none when the process itself can count.
    fn count(&self, who: Hash, minute: i64) -> StoreFuture<'_, Option<u32>>;
}
