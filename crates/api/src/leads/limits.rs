//! Rate limits: how many leads one sender may send, how many may fail the captcha, and how many are stored in all.
//!
//! A lead passes up to two counts. Before the captcha, an attempt counts against its sender, against the networks that the
//! sender belongs to, and against all attempts; networks and all get it back if the captcha was solved. So bad tokens use
//! up what is left to their own network, and each of them costs at most one call to the provider. After the captcha, a lead
//! counts against the total: what was refused never does. A lead that no captcha proves, because it was sent without
//! JavaScript or because the provider does not answer, gets a fifth of each limit.
//!
//! With a store for one machine, a process counts in memory (`meters.rs`), refilled continuously. A store for many machines counts
//! in fixed windows of one minute, and a process remembers which windows are full. A limit of 0 means unlimited.

mod calls;
mod intake;
mod meters;

use std::net::IpAddr;
use std::time::Instant;

use crate::client::networks;
use crate::clock::{self, Millis};

use super::lead::hash;
use super::store::{Store, StoreError};

use meters::{Meters, Micros, Quota};

pub use calls::{CAPTCHA, Call, Calls};
pub use intake::{Intake, Place};

/// A minute in milliseconds.
const MINUTE: Millis = 60_000;
/// Limits are divided by this for leads that no captcha proves.
const UNPROVEN_DIVISOR: u32 = 5;
/// How many times as many attempts a network may make as one in the level below it.
const NETWORK_FACTOR: u32 = 8;
/// One network may use up this part of the total of leads that no captcha proves.
const NETWORK_SHARE: u32 = 4;
/// Attempts in all, as a multiple of the total of leads.
const ATTEMPTS_FACTOR: u32 = 5;
/// How many times as often as one lead a sender may ask for uploads and send them: a form is sent again after a mistake.
const FILES_FACTOR: u32 = 4;

/// The kinds of requests that are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A lead whose captcha is still to be verified.
    Attempt,
    /// A lead to be stored whose captcha was solved.
    Proven,
    /// A lead to be stored that no captcha proves.
    Unproven,
    /// Files for which a browser asks, or which it says that it has sent: both cost requests to the bucket.
    Files,
}

/// The quotas that a request was counted against.
#[derive(Debug, Clone)]
#[must_use]
pub struct Admission {
    quotas: Vec<Quota>,
    /// The minute in which the store counted it; `None` if it was counted in memory.
    minute: Option<i64>,
}

/// The rate limits and their state.
#[derive(Debug)]
pub struct Limits {
    per_address: u32,
    total: u32,
    meters: Meters,
    /// Limits in memory do not follow the system's clock, which may be set back.
    started: Instant,
}

impl Limits {
    /// Creates limits per minute.
    pub fn new(per_address: u32, total: u32) -> Limits {
        Limits {
            per_address,
            total,
            meters: Meters::new(),
            started: Instant::now(),
        }
    }

    /// Counts a request. The inner error is the number of seconds to wait. Clients without an address are one client.
    pub async fn admit(
        &self,
        store: &dyn Store,
        kind: Kind,
        address: Option<IpAddr>,
    ) -> Result<Result<Admission, u32>, StoreError> {
        let quotas = self.quotas(kind, address);
        let now = clock::now();
        let wait = match self.count(store, &quotas, now).await? {
            Some(Ok(quotas)) => {
                return Ok(Ok(Admission {
                    quotas,
                    minute: Some(now / MINUTE),
                }));
            }
            Some(Err(millis)) => millis,
            None => match self.meters.take(&quotas, self.elapsed()) {
                Ok(quotas) => {
                    return Ok(Ok(Admission {
                        quotas,
                        minute: None,
                    }));
                }
                Err(micros) => (micros + 999) / 1000,
            },
        };
        Ok(Err(u32::try_from((wait + 999) / 1000).unwrap_or(60)))
    }

    /// Takes an admission back: the lead was proven, or not stored. What counts against its sender stays.
    pub async fn give_back(&self, store: &dyn Store, admission: Admission) {
        for quota in admission.quotas.iter().filter(|quota| !quota.is_sender) {
            match admission.minute {
                None => self.meters.give_back(quota),
                // The lead was answered already; a failure only makes the limits stricter until the end of the minute.
                Some(minute) => drop(store.count(hash(quota.name.as_bytes()), minute, -1).await),
            }
        }
    }

    /// Counts in the store, from the sender to all. The inner error is the number of milliseconds to wait. `None` if the
    /// store does not count.
    async fn count(
        &self,
        store: &dyn Store,
        quotas: &[Quota],
        now: Millis,
    ) -> Result<Option<Result<Vec<Quota>, Millis>>, StoreError> {
        let (minute, wait) = (now / MINUTE, MINUTE - now % MINUTE);
        if quotas
            .iter()
            .any(|quota| self.meters.is_closed(&quota.name, self.elapsed()))
        {
            return Ok(Some(Err(wait)));
        }
        let mut taken: Vec<Quota> = Vec::new();
        // The level below, and whether it has counted nothing else in this minute.
        let mut below: Option<(&str, bool)> = None;
        for quota in quotas.iter().rev() {
            let add = |quota: &Quota| store.count(hash(quota.name.as_bytes()), minute, 1);
            let Some(count) = add(quota).await? else {
                return Ok(None);
            };
            let mut quota_used = quota.clone();
            if count > quota.limit {
                let refused = match below {
                    Some((_, true)) if quota.has_reserve => {
                        quota_used = quota.clone().reserve();
                        let is_left = add(&quota_used)
                            .await?
                            .is_some_and(|count| count <= quota.limit);
                        (!is_left).then_some(quota.name.as_str())
                    }
                    // Others below may still pass.
                    Some((below, false)) if quota.has_reserve => Some(below),
                    _ => Some(quota.name.as_str()),
                };
                if let Some(name) = refused {
                    self.meters.close(name, self.elapsed() + wait * 1000);
                    return Ok(Some(Err(wait)));
                }
            }
            taken.push(quota_used);
            below = Some((&quota.name, count == 1));
        }
        Ok(if quotas.is_empty() {
            None
        } else {
            Some(Ok(taken))
        })
    }

    fn elapsed(&self) -> Micros {
        Micros::try_from(self.started.elapsed().as_micros()).unwrap_or(Micros::MAX)
    }

    /// The quotas of a request, from all requests to its sender. Those without a limit are left out.
    fn quotas(&self, kind: Kind, address: Option<IpAddr>) -> Vec<Quota> {
        let part = |limit: u32| {
            if limit > 0 {
                (limit / UNPROVEN_DIVISOR).max(1)
            } else {
                0
            }
        };
        let (per_address, total) = match kind {
            Kind::Attempt => (self.per_address, self.total.saturating_mul(ATTEMPTS_FACTOR)),
            Kind::Proven => (0, self.total),
            Kind::Files => {
                let per_address = self.per_address.saturating_mul(FILES_FACTOR);
                (per_address, self.total.saturating_mul(ATTEMPTS_FACTOR))
            }
            Kind::Unproven => (part(self.per_address), part(self.total)),
        };
        let cap = if kind == Kind::Unproven && total > 0 {
            (total / NETWORK_SHARE).max(1)
        } else {
            u32::MAX
        };
        let name = |what: &str| format!("{kind:?} {what}");
        let mut quotas = vec![Quota::new(name("all"), total)];
        quotas[0].has_reserve = kind == Kind::Attempt;
        let [wide, middle, sender] = address.map_or_else(<[String; 3]>::default, |address| {
            networks(address).map(|network| network.to_string())
        });
        for (network, factor) in [
            (wide, NETWORK_FACTOR * NETWORK_FACTOR),
            (middle, NETWORK_FACTOR),
        ] {
            if !network.is_empty() {
                let limit = per_address.saturating_mul(factor).min(cap);
                quotas.push(Quota {
                    has_reserve: true,
                    ..Quota::new(name(&network), limit)
                });
            }
        }
        quotas.push(Quota {
            is_sender: true,
            ..Quota::new(name(&sender), per_address)
        });
        quotas.retain(|quota| quota.limit > 0);
        quotas
    }
}

/// The widest network of an address.
pub fn network(address: Option<IpAddr>) -> String {
    address.map_or_else(String::new, |address| networks(address)[0].to_string())
}

/// The narrowest network of an address: its sender.
pub fn sender(address: Option<IpAddr>) -> String {
    address.map_or_else(String::new, |address| networks(address)[2].to_string())
}

#[cfg(test)]
mod tests;
