//! The interface of a lead store, with two implementations: SQLite for one machine, DynamoDB for many.
//!
//! When a method returns `Ok`, its writes are durable: they survive a crash of the process and a power failure.

use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;

use api_types::leads::STORED_MAX;

use crate::clock::Millis;

use super::contents::Contents;
use super::erase::Erase;
use super::expiry::{Erasure, Expired, Expiry};
use super::file_bucket::FileBucket;
use super::lead::{Channel, Delivery, Hash, Lead, Status, hash, new_id};
use super::lead_files::{NewFile, StoredFile, UploadedFile};
use super::listing::{Facets, Filter, Listing};
use super::queue::Queue;

pub use super::store_error::StoreError;

/// The most mails that an address gets a day, whoever typed it. Anybody can type the address of somebody else, who must not get
/// one mail after the other. A store counts where it stores a lead: forty answers at once would all find no other before them.
pub(super) const MAILS_PER_DAY: u32 = 5;

/// The future that methods of a [`Store`] return.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

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
    /// The channels to notify; empty while the lead is held. Above [`MAILS_PER_DAY`], those to the visitor are left out.
    pub channels: Vec<Channel>,
    /// Its files.
    pub files: Vec<NewFile>,
}

impl NewLead {
    /// A lead that is as large as one can be, to find out whether it could be stored.
    pub(super) fn largest(now: Millis) -> NewLead {
        let id = new_id(now);
        let key = hash(id.as_bytes());
        let contents = Contents {
            page: "x".repeat(STORED_MAX),
            ..Contents::default()
        };
        NewLead {
            fingerprint: contents.fingerprint(),
            lead: Lead {
                id,
                at: now,
                locale: "en".into(),
                status: Status::Verified,
                reason: None,
                contents,
            },
            key: Some(key),
            token: Some(key),
            channels: Channel::ALL.to_vec(),
            files: Vec::new(),
        }
    }
}

impl NewLead {
    /// Whether it would wait for a confirmation that nobody is asked for, if only these channels are left.
    pub(super) fn waits_for_nothing(&self, left: &[Channel]) -> bool {
        self.channels.contains(&Channel::Confirm) && !left.contains(&Channel::Confirm)
    }
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
    /// A file that a browser has uploaded belongs to another lead.
    FileUsed,
    /// The address has had its mails of the day, and only a mail could have the lead confirmed.
    NoMailLeft,
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

/// The state of the notifications of a lead that was released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forwarding {
    /// Deliveries are queued for these channels, which are all that the API has.
    Queued(Vec<Channel>),
    /// No API has named its channels yet. The next one that starts queues the deliveries.
    AtStart,
}

/// The number of open deliveries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Deliveries that will be attempted.
    pub due: u32,
    /// Deliveries that were given up.
    pub dead: u32,
}

/// How many leads are read at a time if all are wanted. A DynamoDB table returns at most 1 MB at a time.
const PAGE: u32 = 5_000;

impl dyn Store {
    /// All leads of a list, oldest first.
    pub async fn all(&self, filter: Filter) -> Result<Vec<Lead>, StoreError> {
        let mut all: Vec<Lead> = Vec::new();
        loop {
            let before = all.last().map(|lead| lead.id.clone());
            let page = self.listed(filter.clone(), before, PAGE).await?;
            all.extend(page.leads.into_iter().map(|listed| listed.lead));
            if !page.has_more {
                all.reverse();
                return Ok(all);
            }
        }
    }
}

/// A lead store.
pub trait Store: fmt::Debug + Send + Sync {
    /// Stores a lead once.
    fn insert(&self, new: NewLead) -> StoreFuture<'_, InsertOutcome>;
    /// The fingerprint of the lead stored with a key.
    fn fingerprint(&self, key: Hash) -> StoreFuture<'_, Option<Hash>>;
    /// The lead with an id.
    fn lead(&self, id: String) -> StoreFuture<'_, Option<Lead>>;
    /// Up to `count` leads of a list, newest first; only those older than the id `before`, if given.
    fn listed(
        &self,
        filter: Filter,
        before: Option<String>,
        count: u32,
    ) -> StoreFuture<'_, Listing>;
    /// By which values leads can be filtered.
    fn facets(&self) -> StoreFuture<'_, Facets>;
    /// Whether a lead is marked as read.
    fn is_read(&self, id: String) -> StoreFuture<'_, bool>;
    /// Marks leads as read or unread, and returns how many were marked otherwise. Ids without a lead are skipped.
    fn mark(&self, ids: Vec<String>, is_read: bool) -> StoreFuture<'_, u32>;
    /// The files of a lead, in the order in which they were sent.
    fn files(&self, lead: String) -> StoreFuture<'_, Vec<StoredFile>>;
    /// The bucket to which browsers can send files by themselves; `None` if the store holds files itself, or none.
    fn bucket(&self) -> Option<&FileBucket> {
        None
    }
    /// The facts about a lead's file from the bucket, by the id of the upload. `None` if it belongs to no lead.
    fn uploaded(&self, _: String) -> StoreFuture<'_, Option<UploadedFile>> {
        Box::pin(std::future::ready(Ok(None)))
    }
    /// Puts files of stored leads in their place, if a process has ended before it did.
    fn settle(&self) -> StoreFuture<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
    /// The deliveries of a lead.
    fn deliveries(&self, lead: String) -> StoreFuture<'_, Vec<Delivery>>;
    /// Remembers the channels of this API, and queues the deliveries of leads that were released before.
    fn start(&self, channels: Vec<Channel>, now: Millis) -> StoreFuture<'_, ()>;
    /// Releases a held lead and queues its deliveries. Returns `None` if no held lead has this id.
    fn release(&self, id: String, now: Millis) -> StoreFuture<'_, Option<Forwarding>>;
    /// Marks a lead as confirmed by its visitor, and queues its deliveries. Nothing happens if it does not wait for that.
    fn confirm(&self, id: String, now: Millis) -> StoreFuture<'_, ()>;
    /// The key that signs links to leads. It is made on first use.
    fn link_key(&self) -> StoreFuture<'_, String>;
    /// Deletes leads and their text.
    fn erase(&self, which: Erase) -> StoreFuture<'_, Erasure>;
    /// Deletes leads and token hashes that have expired, unless that looks like a mistake.
    fn expire(&self, expiry: Expiry) -> StoreFuture<'_, Expired>;
    /// Claims up to `count` due deliveries of a queue. No other caller gets them before `until`.
    fn claim(
        &self,
        now: Millis,
        until: Millis,
        count: u32,
        queue: Queue,
    ) -> StoreFuture<'_, Vec<(Delivery, Lead)>>;
    /// Stores the outcome of a delivery attempt.
    fn complete(&self, id: String, outcome: DeliveryOutcome) -> StoreFuture<'_, ()>;
    /// Makes deliveries due that were given up or wait for another attempt, of one lead or of all. One lead also gets those
    /// that it lacks, unless it is held. Returns their number.
    fn retry(&self, lead: Option<String>, now: Millis) -> StoreFuture<'_, u32>;
    /// The number of open deliveries.
    fn backlog(&self) -> StoreFuture<'_, Backlog>;
    /// Copies the store to a file that does not exist yet, while others use it.
    fn copy_to(&self, file: PathBuf) -> StoreFuture<'_, ()>;
    /// Checks whether leads can be stored, by writing what the largest lead writes.
    fn check(&self) -> StoreFuture<'_, ()>;
    /// Adds `by` to the count of a rate-limit key in a minute, and returns the count. `None` if the process counts by itself.
    fn count(&self, key: Hash, minute: i64, by: i32) -> StoreFuture<'_, Option<u32>>;
}
