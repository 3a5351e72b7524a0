//! The message to the operator about a receiver that takes no leads. Each receiver has one a day at most, however many leads it
//! refuses.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::clock::{DAY, Millis};

use super::super::lead::Delivery;
use super::super::queue::Queue;

/// Which receivers the operator has heard of, and when. Another process keeps count by itself.
#[derive(Debug, Default)]
pub(super) struct Notices(Mutex<BTreeMap<Queue, Millis>>);

impl Notices {
    /// Whether the operator is to hear of a receiver now. If so, they are not told again for a day.
    pub(super) fn is_due(&self, queue: &Queue, now: Millis) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = told
            .get(queue)
            .is_some_and(|at| (*at..at + DAY).contains(&now));
        if !is_known {
            told.insert(queue.clone(), now);
        }
        !is_known
    }
}

/// A receiver that has not taken a lead.
#[derive(Debug)]
pub(super) struct Refusal {
    pub queue: Queue,
    /// The id of the lead.
    pub lead: String,
    pub why: String,
    /// Whether the lead is not sent there again by itself.
    pub is_for_good: bool,
}

impl Refusal {
    /// The refusal of a delivery.
    pub(super) fn of(queue: &Queue, delivery: &Delivery, why: &str, is_for_good: bool) -> Refusal {
        Refusal {
            queue: queue.clone(),
            lead: delivery.lead.clone(),
            why: why.to_owned(),
            is_for_good,
        }
    }

    /// Subject and text of the message. Nothing of a lead is in it but its id.
    pub(super) fn words(&self) -> (String, String) {
        let Refusal {
            queue,
            lead,
            why,
            is_for_good,
        } = self;
        let about = format!("The {queue} isn't accepting leads");
        let next = if *is_for_good {
            "is stored, but won't be sent there again automatically. Other leads may be affected too.\nOnce the problem is fixed, send them again with:"
        } else {
            "is stored, like those after it, and will be retried for a day, at increasing intervals.\n\
             Once the problem is fixed, you can send them right away with:"
        };
        let text = format!(
            "{about}: {why}.\n\nThe lead {lead} {next}\n\n    sitegen leads retry\n\n\
             You'll get this message at most once a day.\n"
        );
        (about, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_hears_of_each_receiver_once_a_day() {
        let notices = Notices::default();
        let (crm, mail) = (Queue::Webhook("crm".into()), Queue::Mail);
        assert!(notices.is_due(&crm, 10) && notices.is_due(&mail, 10));
        assert!(!notices.is_due(&crm, 11) && !notices.is_due(&crm, 9 + DAY));
        assert!(notices.is_due(&crm, 10 + DAY));
        // A clock that was put back does not silence it.
        assert!(notices.is_due(&crm, 0));
    }
}
