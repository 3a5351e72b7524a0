//! Which receivers of leads fail. A process knows what it has tried by itself.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::super::lead::Delivery;
use super::super::queue::Queue;

/// The receivers that have failed since they last took something.
#[derive(Debug)]
pub(super) struct Watch {
    /// For how long a receiver must have taken nothing until it fails.
    fails_after: Duration,
    receivers: Mutex<BTreeMap<Queue, Failing>>,
}

#[derive(Debug)]
struct Failing {
    since: Instant,
    /// An attempt that failed. Another one of the same counts if it says nothing about the lead.
    tries: u32,
    last: String,
}

impl Failing {
    fn is_sure(&self, now: Instant, fails_after: Duration) -> bool {
        self.tries > 1 && now.duration_since(self.since) >= fails_after
    }
}

impl Watch {
    /// A watch by which a receiver fails that has taken nothing for so long.
    pub(super) fn new(fails_after: Duration) -> Watch {
        Watch {
            fails_after,
            receivers: Mutex::default(),
        }
    }

    /// Notes that a receiver has taken something.
    pub(super) fn took(&self, queue: &Queue) {
        self.lock().remove(queue);
    }

    /// Notes that a receiver has not taken a delivery. Returns whether it fails. A refusal can be meant for the lead,
    /// and so can the reply of a mail server about the address of a visitor: these count once for each lead.
    pub(super) fn refused(
        &self,
        queue: &Queue,
        delivery: &Delivery,
        is_for_good: bool,
        now: Instant,
    ) -> bool {
        let mut receivers = self.lock();
        let failing = receivers.entry(queue.clone()).or_insert_with(|| Failing {
            since: now,
            tries: 0,
            last: String::new(),
        });
        let is_about_lead = is_for_good || delivery.channel.is_to_visitor();
        if !is_about_lead || failing.last != delivery.lead {
            failing.tries += 1;
        }
        failing.last.clone_from(&delivery.lead);
        failing.is_sure(now, self.fails_after)
    }

    /// The receivers that fail.
    pub(super) fn failing(&self, now: Instant) -> Vec<Queue> {
        self.lock()
            .iter()
            .filter(|(_, failing)| failing.is_sure(now, self.fails_after))
            .map(|(queue, _)| queue.clone())
            .collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<Queue, Failing>> {
        self.receivers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::lead::{Channel, DeliveryState};
    use super::*;

    const FAILS_AFTER: Duration = Duration::from_secs(20);

    fn delivery(lead: &str, channel: Channel) -> Delivery {
        Delivery {
            id: Delivery::id(lead, channel),
            lead: lead.into(),
            channel,
            state: DeliveryState::Due(0),
            attempts: 1,
            since: 0,
            trouble: None,
        }
    }

    #[test]
    fn a_receiver_fails_once_it_has_taken_nothing_for_a_while() {
        let (watch, start) = (Watch::new(FAILS_AFTER), Instant::now());
        let fails = |lead: &str, seconds| {
            let now = start + Duration::from_secs(seconds);
            watch.refused(&Queue::Mail, &delivery(lead, Channel::Mail), false, now)
        };
        assert!(
            !fails("A", 0)
                && !fails("A", 10)
                && watch.failing(start + Duration::from_secs(19)).is_empty()
        );
        assert_eq!(watch.failing(start + FAILS_AFTER), [Queue::Mail]);
        assert!(fails("A", 30));
        watch.took(&Queue::Mail);
        assert!(!fails("A", 70) && watch.failing(start + Duration::from_secs(700)).is_empty());
    }

    #[test]
    fn one_lead_that_is_refused_is_no_failure() {
        let (watch, start) = (Watch::new(FAILS_AFTER), Instant::now());
        let fails = |lead: &str, channel: Channel, seconds| {
            let queue = if channel == Channel::Webhook {
                Queue::Webhook("crm".into())
            } else {
                Queue::Mail
            };
            let now = start + Duration::from_secs(seconds);
            watch.refused(
                &queue,
                &delivery(lead, channel),
                channel == Channel::Webhook,
                now,
            )
        };
        for channel in [Channel::Webhook, Channel::Confirm] {
            assert!(!fails("A", channel, 0) && !fails("A", channel, 100));
            assert!(fails("B", channel, 200), "another one");
        }
    }
}
