//! The message to the operator about a webhook that takes no more leads. Each webhook has one a day at most, however many leads
//! it refuses.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::clock::{DAY, Millis};

/// Which webhooks the operator has heard of, and when. Another process keeps count by itself.
#[derive(Debug, Default)]
pub(super) struct Notices(Mutex<BTreeMap<String, Millis>>);

impl Notices {
    /// Whether the operator is to hear of a webhook now. If so, they are not told again for a day.
    pub(super) fn is_due(&self, webhook: &str, now: Millis) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = told.get(webhook).is_some_and(|at| (*at..at + DAY).contains(&now));
        if !is_known {
            told.insert(webhook.to_owned(), now);
        }
        !is_known
    }
}

/// Subject and text of the message. Nothing of a lead is in it but its id.
pub(super) fn words(webhook: &str, lead: &str, why: &str) -> (String, String) {
    let name = if webhook.is_empty() { "for all forms".to_owned() } else { format!("`{webhook}`") };
    let text = format!(
        "The webhook {name} does not take leads: {why}.\n\n\
         The lead {lead} is stored, and is not sent there again by itself. This may be so for others.\n\
         When the webhook works, send them again:\n\n    sitegen leads retry\n\n\
         You get this message once a day at most.\n"
    );
    (format!("The webhook {name} does not take leads"), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_hears_of_each_webhook_once_a_day() {
        let notices = Notices::default();
        assert!(notices.is_due("crm", 10) && notices.is_due("", 10));
        assert!(!notices.is_due("crm", 11) && !notices.is_due("crm", 9 + DAY));
        assert!(notices.is_due("crm", 10 + DAY));
        // A clock that was put back does not silence it.
        assert!(notices.is_due("crm", 0));
    }
}
