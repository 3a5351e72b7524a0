//! A stored lead, and the deliveries of its notifications.

use std::sync::{Mutex, PoisonError};

use ring::digest::{SHA256, digest};
use ring::rand::SecureRandom as _;
use serde::{Deserialize, Serialize};

use serde_json::{Map, Value, json};

use crate::clock::Millis;

use super::contents::Contents;

/// A SHA-256 hash. Keys and captcha tokens are stored as hashes only.
pub type Hash = [u8; 32];

/// Computes the SHA-256 hash of bytes.
pub fn hash(text: &[u8]) -> Hash {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, text).as_ref());
    hash
}

/// The verification status of a lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The captcha was solved.
    Verified,
    /// The captcha could not be verified.
    Unverified,
    /// Sent from a form without JavaScript, which cannot show a captcha. Waits for a review.
    Quarantined,
    /// The spam signals indicate a bot.
    Spam,
    /// Was held, and has been released after a review.
    Released,
    /// The visitor has not confirmed it by mail yet.
    Unconfirmed,
    /// The visitor has confirmed it by mail.
    Confirmed,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 7] = [
        Status::Verified,
        Status::Unverified,
        Status::Quarantined,
        Status::Spam,
        Status::Released,
        Status::Unconfirmed,
        Status::Confirmed,
    ];

    /// The name in stores and in output.
    pub fn name(self) -> &'static str {
        match self {
            Status::Verified => "verified",
            Status::Unverified => "unverified",
            Status::Quarantined => "quarantined",
            Status::Spam => "spam",
            Status::Released => "released",
            Status::Unconfirmed => "unconfirmed",
            Status::Confirmed => "confirmed",
        }
    }

    /// Looks up a status by name.
    pub fn named(name: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether notifications are held until the lead is released or confirmed.
    pub fn is_held(self) -> bool {
        matches!(
            self,
            Status::Quarantined | Status::Spam | Status::Unconfirmed
        )
    }
}

/// A stored lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lead {
    /// A ULID: 26 letters and digits, greater for later leads.
    pub id: String,
    /// When it was received.
    pub at: Millis,
    /// The language of the visitor's page.
    pub locale: String,
    /// The verification status.
    pub status: Status,
    /// Why it is held or unverified.
    pub reason: Option<String>,
    /// The visitor's answers.
    pub contents: Contents,
}

impl Lead {
    /// The lead as JSON, as webhooks and exports have it.
    pub fn json(&self) -> Map<String, Value> {
        let Lead {
            id,
            at,
            locale,
            status,
            reason,
            contents,
        } = self;
        let known =
            json!({"id": id, "at": at, "locale": locale, "status": status, "reason": reason});
        let known = if let Value::Object(known) = known {
            known
        } else {
            Map::new()
        };
        known.into_iter().chain(contents.json()).collect()
    }

    /// The channels by which it is forwarded and answered, if the API has these channels. A form that names a webhook is sent
    /// there even if the API does not know it yet, so that nothing is lost.
    pub fn channels(&self, of_api: &[Channel]) -> Vec<Channel> {
        let Contents {
            email,
            webhook,
            is_answered,
            ..
        } = &self.contents;
        let is_waiting = self.status == Status::Unconfirmed;
        let has_mail = of_api.contains(&Channel::Mail);
        let has = |channel: &Channel| match channel {
            Channel::Confirm => is_waiting && has_mail && !email.is_empty(),
            _ if self.status.is_held() => false,
            Channel::Webhook => of_api.contains(channel) || webhook.is_some(),
            Channel::Mail => has_mail,
            Channel::Answer => has_mail && *is_answered && !email.is_empty(),
        };
        Channel::ALL.into_iter().filter(has).collect()
    }
}

/// Creates a unique id (a ULID): the time and 80 random bits. Ids that a process creates in one millisecond are in order
/// too, so that lists show the newest lead first.
pub fn new_id(at: Millis) -> String {
    static LAST: Mutex<u128> = Mutex::new(0);
    ulid(next_id(
        &mut LAST.lock().unwrap_or_else(PoisonError::into_inner),
        at,
    ))
}

/// The number of the next id; `last` is the greatest number so far.
fn next_id(last: &mut u128, at: Millis) -> u128 {
    let mut random = [0_u8; 16];
    // The system's random number generator does not fail once seeded. If it did, the store would reject a duplicate id.
    let _ = ring::rand::SystemRandom::new().fill(&mut random[6..]);
    let random = u128::from_be_bytes(random);
    let first = first_number(at);
    // Within a millisecond the step is random, so that nobody can guess an id from the one before.
    let number = if first >> 80 == *last >> 80 {
        *last + 1 + (random >> 32)
    } else {
        first | random
    };
    *last = number.max(*last);
    number
}

/// Creates a key of 256 random bits, in hex.
pub fn new_key() -> String {
    let mut random = [0_u8; 32];
    // See [`new_id`].
    let _ = ring::rand::SystemRandom::new().fill(&mut random);
    data_encoding::HEXLOWER.encode(&random)
}

/// The smallest id for a time.
pub fn first_id(at: Millis) -> String {
    ulid(first_number(at))
}

fn first_number(at: Millis) -> u128 {
    u128::from(at.max(0).unsigned_abs()) << 80
}

fn ulid(number: u128) -> String {
    const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    (0..26)
        .rev()
        .map(|place| char::from(LETTERS[(number >> (place * 5)) as usize & 31]))
        .collect()
}

/// How a notification is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// A signed HTTP request.
    Webhook,
    /// An email.
    Mail,
    /// An email to the visitor.
    Answer,
    /// An email that asks the visitor to confirm.
    Confirm,
}

impl Channel {
    /// All channels.
    pub const ALL: [Channel; 4] = [
        Channel::Webhook,
        Channel::Mail,
        Channel::Answer,
        Channel::Confirm,
    ];

    /// Says if it is a mail to the address that a visitor has typed.
    pub fn is_to_visitor(self) -> bool {
        matches!(self, Channel::Answer | Channel::Confirm)
    }

    /// The name in stores and in output.
    pub fn name(self) -> &'static str {
        match self {
            Channel::Webhook => "webhook",
            Channel::Mail => "mail",
            Channel::Answer => "answer",
            Channel::Confirm => "confirm",
        }
    }

    /// The names of channels, separated by blanks.
    pub fn names(channels: &[Channel]) -> String {
        channels
            .iter()
            .map(|channel| channel.name())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Looks up a channel by name.
    pub fn named(name: &str) -> Option<Channel> {
        Channel::ALL
            .into_iter()
            .find(|channel| channel.name() == name)
    }
}

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// The next attempt is at this time.
    Due(Millis),
    /// It was delivered.
    Done,
    /// It was given up, after a day or because the receiver is gone. `sitegen leads retry` tries again.
    Dead,
}

impl DeliveryState {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            DeliveryState::Due(_) => "due",
            DeliveryState::Done => "done",
            DeliveryState::Dead => "dead",
        }
    }

    /// When it is tried next.
    pub fn next(self) -> Option<Millis> {
        match self {
            DeliveryState::Due(at) => Some(at),
            DeliveryState::Done | DeliveryState::Dead => None,
        }
    }
}

/// The delivery of a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The lead's id and the channel. It is the same for all attempts, so that the receiver can drop duplicates.
    pub id: String,
    /// The lead's id.
    pub lead: String,
    /// The channel.
    pub channel: Channel,
    /// The state.
    pub state: DeliveryState,
    /// The number of attempts.
    pub attempts: u32,
    /// When it was queued.
    pub since: Millis,
    /// Why the last attempt failed; contains no data of the lead.
    pub trouble: Option<String>,
}

impl Delivery {
    /// The id for a lead and a channel.
    pub fn id(lead: &str, channel: Channel) -> String {
        format!("{lead}-{}", channel.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_ids_are_greater_and_no_two_are_equal() {
        let ids: Vec<String> = (0..1000).map(|at| new_id(1_741_944_605_000 + at)).collect();
        assert!(ids.is_sorted());
        assert!(ids.iter().all(|id| id.len() == 26));
        assert_ne!(new_id(1), new_id(1));
        let mut last = 0;
        let of_one_moment: Vec<String> = (0..1000)
            .map(|_| ulid(next_id(&mut last, 1_741_944_700_000)))
            .collect();
        assert!(of_one_moment.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(first_id(5) <= new_id(5) && new_id(4) < first_id(5));
    }

    #[test]
    fn names_are_parsed_back() {
        for status in Status::ALL {
            assert_eq!(Status::named(status.name()), Some(status));
        }
        for channel in Channel::ALL {
            assert_eq!(Channel::named(channel.name()), Some(channel));
        }
    }
}
