//! The work of the outbox between deliveries: it deletes leads that have expired, and puts files in their place.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::clock::{self, Millis};
use crate::log::Log;

use super::super::expiry::{Erasure, Expired, Expiry};
use super::Outbox;

/// Interval between deletions of old leads, in milliseconds.
const TIDY_INTERVAL: Millis = 60 * 60 * 1000;
/// Interval between looks for files that are not in their place, in milliseconds. The schedule on Lambda is as long.
const SETTLE_INTERVAL: Millis = 55 * 1000;

/// Whether so much time has passed since the last time, which this is then.
fn is_due(last: &AtomicI64, interval: Millis) -> bool {
    let now = clock::now();
    let is_due = now - last.load(Ordering::Relaxed) > interval;
    if is_due {
        last.store(now, Ordering::Relaxed);
    }
    is_due
}

impl Outbox {
    /// Deletes old leads once per hour, and looks for files once per minute.
    pub(super) async fn tidy_if_due(&self, log: Log) {
        if is_due(&self.settled, SETTLE_INTERVAL)
            && let Err(error) = self.store.settle().await
        {
            log.event("files_not_in_place", &[("why", error.to_string().into())]);
        }
        if is_due(&self.tidied, TIDY_INTERVAL) {
            self.tidy(log).await;
        }
    }

    /// Deletes expired leads and token hashes.
    pub async fn tidy(&self, log: Log) {
        let now = clock::now();
        let expiry = self
            .site
            .get()
            .map_or_else(|| Expiry::now(now), |site| Expiry::of(&site, now));
        let expired = self.store.expire(expiry).await;
        self.held.store(0, Ordering::Relaxed);
        match expired {
            Ok(Expired::Deleted(Erasure { leads: 0, .. })) => {}
            Ok(Expired::Deleted(Erasure { leads, remains })) => {
                let remains = remains.map(|why| ("text_remains", why.into()));
                let fields: Vec<_> = [("count", leads.into())]
                    .into_iter()
                    .chain(remains)
                    .collect();
                log.event("leads_deleted", &fields);
            }
            Ok(Expired::Held { leads, why }) => {
                self.held.store(leads, Ordering::Relaxed);
                let hint = "to delete them, run: sitegen leads expire --yes";
                let fields = [
                    ("count", leads.into()),
                    ("why", why.into()),
                    ("hint", hint.into()),
                ];
                log.event("leads_expired_but_kept", &fields);
            }
            Err(error) => log.event("leads_not_deleted", &[("why", error.to_string().into())]),
        }
    }
}
