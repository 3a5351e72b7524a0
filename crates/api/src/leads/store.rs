//! What a place to keep leads must be able to do. Two know how: SQLite on one machine, DynamoDB on many.
//!
//! Whatever a method has answered with `Ok` is durable: it survives the end of the process and of the machine's power.

use std::fmt;
use std::pin::Pin;

use crate::clock::Millis;

use super::lead::{Channel, Delivery, Hash, Lead};

/// An answer that takes a moment.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

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

/// What became of a lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It is stored.
    New,
    /// It was stored before, under the same key.
    Again,
    /// The key names another lead.
    OtherLead,
    /// The token was used for another lead.
    TokenUsed,
}

/// What became of a try to deliver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It arrived.
    Done,
    /// It shall be tried again.
    Again {
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
    fn keep(&self, new: NewLead) -> Answer<'_, Kept>;
    /// The fingerprint of the lead that a key names.
    fn known(&self, key: Hash) -> Answer<'_, Option<Hash>>;
    /// A lead.
    fn lead(&self, id: String) -> Answer<'_, Option<Lead>>;
    /// Leads from the newest on, those before an id when one is given.
    fn leads(&self, before: Option<String>, count: u32) -> Answer<'_, Vec<Lead>>;
    /// The deliveries of a lead.
    fn deliveries(&self, lead: String) -> Answer<'_, Vec<Delivery>>;
    /// Lets a lead go that was held back; `false` when there is none of that id, or it was not.
    fn release(&self, id: String, channels: Vec<Channel>, now: Millis) -> Answer<'_, bool>;
    /// Deletes every lead of an e-mail address, in whatever case it was written; tells how many.
    fn forget(&self, email: String) -> Answer<'_, u32>;
    /// Deletes leads that came before a time, and marks of tokens that nobody can use any more.
    fn forget_before(&self, leads: Option<Millis>, tokens: Millis) -> Answer<'_, u32>;
    /// Takes deliveries that are due; until `until` nobody else gets them.
    fn claim(&self, now: Millis, until: Millis, count: u32) -> Answer<'_, Vec<(Delivery, Lead)>>;
    /// Writes down what became of a delivery.
    fn settle(&self, id: String, outcome: Outcome) -> Answer<'_, ()>;
    /// Puts deliveries that were given up on their way again, of one lead or of all; tells how many.
    fn retry(&self, lead: Option<String>, now: Millis) -> Answer<'_, u32>;
    /// What the outbox holds.
    fn backlog(&self) -> Answer<'_, Backlog>;
    /// Whether a lead could be stored now.
    fn check(&self) -> Answer<'_, ()>;
    /// Counts a try of somebody in a minute and gives the number; none when the process itself can count.
    fn count(&self, who: Hash, minute: i64) -> Answer<'_, Option<u32>>;
}
