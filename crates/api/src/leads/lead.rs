//! A lead as it is kept, and the news of it that has to be delivered.

use ring::digest::{SHA256, digest};
use ring::rand::SecureRandom as _;
use serde::{Deserialize, Serialize};

use crate::clock::Millis;
use api_types::leads::LeadRequest;

/// A SHA-256: what must be recognized, and need not be known.
pub type Hash = [u8; 32];

/// The hash of a text.
pub fn hash(text: &[u8]) -> Hash {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, text).as_ref());
    hash
}

/// What is known of whoever sent a lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The captcha's provider says that it was a person.
    Verified,
    /// The provider could not be asked.
    Unverified,
    /// Came from a form without script, which cannot show a captcha. Waits for somebody to look at it.
    Quarantined,
    /// Looks as if a program had sent it.
    Spam,
    /// Was held back, and somebody has let it go.
    Released,
}

impl Status {
    /// As stores and people write it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Verified => "verified",
            Status::Unverified => "unverified",
            Status::Quarantined => "quarantined",
            Status::Spam => "spam",
            Status::Released => "released",
        }
    }

    /// The status of a name.
    pub fn named(name: &str) -> Option<Status> {
        use Status::{Quarantined, Released, Spam, Unverified, Verified};
        [Verified, Unverified, Quarantined, Spam, Released].into_iter().find(|status| status.name() == name)
    }

    /// Whether it is kept back until somebody has looked at it.
    pub fn is_held(self) -> bool {
        matches!(self, Status::Quarantined | Status::Spam)
    }
}

/// What the visitor said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "they are those of `LeadRequest`")]
pub struct Contents {
    pub name: String,
    pub email: String,
    pub company: String,
    /// Of the form without script; the other one writes it into the message.
    pub position: String,
    pub phone: String,
    pub project_type: String,
    pub message: String,
    pub app_name: Option<String>,
    pub app_type: Option<String>,
    pub app_description: Option<String>,
}

impl Contents {
    /// What a checked request says.
    pub fn of(request: LeadRequest, position: String) -> Contents {
        Contents {
            name: request.name,
            email: request.email,
            company: request.company,
            position,
            phone: request.phone,
            project_type: request.project_type,
            message: request.message,
            app_name: request.app_name,
            app_type: request.app_type,
            app_description: request.app_description,
        }
    }

    /// The same for the same lead, whatever captcha was solved for it.
    pub fn fingerprint(&self) -> Hash {
        // Texts always serialize.
        hash(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// A lead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lead {
    /// 26 letters and digits; a later lead has a greater one.
    pub id: String,
    /// When it came.
    pub at: Millis,
    /// The language of the visitor's page.
    pub locale: String,
    /// What is known of the sender.
    pub status: Status,
    /// Why it is held back.
    pub reason: Option<String>,
    /// What the visitor said.
    #[serde(flatten)]
    pub contents: Contents,
}

/// An id that nothing else has: the time, and chance (a ULID).
pub fn new_id(at: Millis) -> String {
    let mut chance = [0_u8; 16];
    // The system's random numbers do not fail once it runs; if they did, the store refuses a second lead of one id.
    let _ = ring::rand::SystemRandom::new().fill(&mut chance[6..]);
    written(at, u128::from_be_bytes(chance) & ((1 << 80) - 1))
}

/// No id of that time or a later one is less than this.
pub fn first_id(at: Millis) -> String {
    written(at.max(0), 0)
}

fn written(at: Millis, chance: u128) -> String {
    const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let number = (u128::from(at.unsigned_abs()) << 80) | chance;
    (0..26).rev().map(|place| char::from(LETTERS[(number >> (place * 5)) as usize & 31])).collect()
}

/// Where the news of a lead goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// A signed request to another program.
    Webhook,
    /// A mail.
    Mail,
}

impl Channel {
    /// Both.
    pub const ALL: [Channel; 2] = [Channel::Webhook, Channel::Mail];

    /// As stores and people write it.
    pub fn name(self) -> &'static str {
        match self {
            Channel::Webhook => "webhook",
            Channel::Mail => "mail",
        }
    }

    /// The channel of a name.
    pub fn named(name: &str) -> Option<Channel> {
        Channel::ALL.into_iter().find(|channel| channel.name() == name)
    }
}

/// Where a delivery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// It will be tried at this time.
    Due(Millis),
    /// It arrived.
    Done,
    /// It was tried for a day. Somebody has to look, and to write `sitegen leads retry`.
    Dead,
}

/// The news of a lead, on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The same on every try, so that a receiver recognizes what it has: the lead's id and the channel.
    pub id: String,
    /// The lead.
    pub lead: String,
    /// The way.
    pub channel: Channel,
    /// Where it stands.
    pub state: DeliveryState,
    /// How often it was tried.
    pub attempts: u32,
    /// When it was put on its way.
    pub since: Millis,
    /// Why the last try failed; never words of the lead.
    pub trouble: Option<String>,
}

impl Delivery {
    /// The delivery of a lead over a channel.
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
        assert!(first_id(5) <= new_id(5) && new_id(4) < first_id(5));
    }

    #[test]
    fn names_are_read_back() {
        for name in ["verified", "unverified", "quarantined", "spam", "released"] {
            assert_eq!(Status::named(name).map(Status::name), Some(name));
        }
        for channel in Channel::ALL {
            assert_eq!(Channel::named(channel.name()), Some(channel));
        }
    }
}
