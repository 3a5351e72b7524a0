//! Rate limits: leads per minute from one address and in total. A limit of 0 means unlimited.
//!
//! A single process uses token buckets in memory, which refill continuously. If several processes share a store, the
//! store counts requests in fixed windows of one minute.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use crate::clock::{self, Millis};

use super::lead::{Hash, hash};
use super::store::{Store, StoreError};

/// A minute in milliseconds.
const MINUTE: Millis = 60_000;
/// Maximum number of tracked addresses. If more send leads within a minute, only the total limit applies to the new
/// ones.
const MAX_TRACKED_ADDRESSES: usize = 50_000;
/// Limits are divided by this for forms without JavaScript, which no captcha protects.
const PLAIN_FORM_DIVISOR: u32 = 5;

/// The rate limits and the state of their buckets.
#[derive(Debug)]
pub struct Limits {
    per_address: u32,
    total: u32,
    buckets: Mutex<HashMap<Hash, TokenBucket>>,
}

#[derive(Debug)]
struct TokenBucket {
    /// Remaining leads, times 60,000. Per millisecond, the bucket refills by the limit per minute.
    left: i64,
    at: Millis,
}

impl Limits {
    /// Creates limits per minute.
    pub fn new(per_address: u32, total: u32) -> Limits {
        Limits { per_address, total, buckets: Mutex::default() }
    }

    /// Counts a request. The inner error is the number of seconds to wait.
    pub async fn admit(
        &self,
        store: &dyn Store,
        address: Option<IpAddr>,
        plain: bool,
    ) -> Result<Result<(), u32>, StoreError> {
        let reduced = |limit: u32| if plain && limit > 0 { (limit / PLAIN_FORM_DIVISOR).max(1) } else { limit };
        let now = clock::now();
        let kind = if plain { "plain" } else { "form" };
        let mut checks = vec![(hash(kind.as_bytes()), reduced(self.total))];
        if let Some(address) = address {
            checks.insert(0, (hash(format!("{kind} {}", network(address)).as_bytes()), reduced(self.per_address)));
        }
        for (key, limit) in checks.into_iter().filter(|(_, limit)| *limit > 0) {
            let wait = match store.count(key, now / MINUTE).await? {
                Some(count) if count <= limit => None,
                Some(_) => Some(MINUTE - now % MINUTE),
                None => self.take(key, limit, now),
            };
            if let Some(millis) = wait {
                return Ok(Err(u32::try_from((millis + 999) / 1000).unwrap_or(60)));
            }
        }
        Ok(Ok(()))
    }

    /// Takes a token from a bucket. If there is none, returns the milliseconds until the next one.
    fn take(&self, key: Hash, limit: u32, now: Millis) -> Option<Millis> {
        let (limit, full) = (i64::from(limit), i64::from(limit) * MINUTE);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MAX_TRACKED_ADDRESSES {
            buckets.retain(|_, bucket| now - bucket.at < MINUTE);
        }
        if buckets.len() >= MAX_TRACKED_ADDRESSES && !buckets.contains_key(&key) {
            return None;
        }
        let bucket = buckets.entry(key).or_insert(TokenBucket { left: full, at: now });
        bucket.left = bucket.left.saturating_add((now - bucket.at).max(0).saturating_mul(limit)).min(full);
        bucket.at = now;
        if bucket.left < MINUTE {
            return Some((MINUTE - bucket.left + limit - 1) / limit);
        }
        bucket.left -= MINUTE;
        None
    }
}

/// The rate-limit key: the address for IPv4, the /64 prefix for IPv6.
fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("{:x?}", &address.segments()[..4]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_and_refills_continuously() {
        let limits = Limits::new(0, 0);
        let who = [1; 32];
        assert_eq!([limits.take(who, 2, 0), limits.take(who, 2, 0)], [None, None]);
        assert_eq!(limits.take(who, 2, 0), Some(30_000));
        assert_eq!(limits.take(who, 2, 29_999), Some(1));
        assert_eq!(limits.take(who, 2, 30_000), None);
        assert_eq!(limits.take([2; 32], 2, 30_000), None, "another address");
        assert_eq!([limits.take(who, 2, 900_000), limits.take(who, 2, 900_000)], [None, None]);
        assert_eq!(limits.take(who, 2, 900_000), Some(30_000), "never more than the limit at once");
    }

    #[test]
    fn an_ipv6_prefix_is_one_address() {
        let network = |text: &str| network(text.parse().expect("an address"));
        assert_eq!(network("2001:db8:1:2:3::4"), network("2001:db8:1:2:ffff::1"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
    }
}
