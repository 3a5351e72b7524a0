//! The queues of deliveries: each receiver has its own, so that one that hangs delays no other.

use std::fmt;

use super::lead::{Channel, Lead};

/// The deliveries to one receiver.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Queue {
    /// All mails: one server sends them.
    Mail,
    /// Those to a webhook by its name; an empty name is that of all forms.
    Webhook(String),
    /// Those to webhooks with none of these names, which this API does not know.
    OtherWebhooks(Vec<String>),
}

impl Queue {
    /// Whether deliveries by a channel can be in it.
    pub fn can_have(&self, channel: Channel) -> bool {
        (*self == Queue::Mail) != (channel == Channel::Webhook)
    }

    /// Whether a delivery of a lead is in it.
    pub fn has(&self, channel: Channel, lead: &Lead) -> bool {
        let is_receiver = match self {
            Queue::Mail => true,
            Queue::Webhook(name) => lead.webhook() == name,
            Queue::OtherWebhooks(known) => known.iter().all(|name| lead.webhook() != name),
        };
        is_receiver && self.can_have(channel)
    }

    /// The channel in its name, without the webhook.
    pub fn channel(&self) -> Channel {
        if *self == Queue::Mail {
            Channel::Mail
        } else {
            Channel::Webhook
        }
    }
}

/// Its name in a sentence.
impl fmt::Display for Queue {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Queue::Mail => to.write_str("mail server"),
            Queue::Webhook(name) if name.is_empty() => to.write_str("webhook for all forms"),
            Queue::Webhook(name) => write!(to, "webhook `{name}`"),
            Queue::OtherWebhooks(_) => {
                to.write_str("webhook of a form, which is not in `LEADS_WEBHOOKS`,")
            }
        }
    }
}

impl Lead {
    /// The name of the webhook that it is sent to; empty for that of all forms.
    fn webhook(&self) -> &str {
        self.contents.webhook.as_deref().unwrap_or_default()
    }
}
