//! Limits of forms with files: how many are received at a time, how much memory they take, and how many bytes a network may
//! send a day.
//!
//! The first two guard a process, which counts them in memory. The bytes of a day guard the store: it counts them if it counts
//! for several processes.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::client::networks;
use crate::clock::{DAY, Millis};

use super::super::lead::hash;
use super::super::store::{Store, StoreError};
use super::MINUTE;
use super::calls::{Call, Calls, Share};

/// Forms at a time. One network leaves six of eight places to others, however slow it is.
const AT_ONCE: Share = Share { all: 4, network: 2 };
/// Memory for the bodies of all forms, in KiB. A larger form is received alone.
const MEMORY: u32 = 160 * 1024;
/// Bytes that one sender may send a day.
const SENDER_BYTES: u64 = 250 << 20;
/// Bytes that the senders of one network may send a day: a quarter of what a store takes in all.
const NETWORK_BYTES: u64 = 1 << 30;
/// Networks that are remembered; with more, all are forgotten. They would be a flood of another kind.
const NETWORKS_MAX: usize = 100_000;
/// The `Retry-After` header while too many forms are received, in seconds.
const WAIT: u32 = 5;
/// The same for a network that has sent its bytes of the day.
const LONG_WAIT: u32 = 3_600;

/// The bodies that are received now, and those that were received today.
#[derive(Debug)]
pub struct Intake {
    running: Calls,
    memory: Arc<Semaphore>,
    today: Mutex<Today>,
}

#[derive(Debug, Default)]
struct Today {
    day: i64,
    bytes: HashMap<String, u64>,
}

/// A form that is being received, or that is in memory. It ends when this is dropped.
#[derive(Debug)]
pub struct Place {
    call: Option<Call>,
    _memory: Option<OwnedSemaphorePermit>,
}

impl Place {
    /// The memory of a form that is received, without its place among those that are being received.
    #[must_use]
    pub fn received(mut self) -> Place {
        drop(self.call.take());
        self
    }
}

impl Intake {
    /// An intake that has received nothing.
    pub fn new() -> Intake {
        let memory = Arc::new(Semaphore::new(MEMORY as usize));
        Intake {
            running: Calls::new(AT_ONCE),
            memory,
            today: Mutex::default(),
        }
    }

    /// Begins to receive a form of so many bytes. The error is the number of seconds to wait.
    pub fn begin(&self, address: Option<IpAddr>, bytes: u64) -> Result<Place, u32> {
        let [_, network, _] = names(address);
        let call = self.running.begin(network).ok_or(WAIT)?;
        let memory = Arc::clone(&self.memory)
            .try_acquire_many_owned(need(bytes))
            .map_err(|_| WAIT)?;
        Ok(Place {
            call: Some(call),
            _memory: Some(memory),
        })
    }

    /// The same for an API without limits: once there is memory for the form.
    pub async fn wait(&self, bytes: u64) -> Place {
        let memory = Arc::clone(&self.memory).acquire_many_owned(need(bytes));
        Place {
            call: None,
            // Nobody closes the semaphore.
            _memory: memory.await.ok(),
        }
    }

    /// Counts the bytes of a form against those of the day. The inner error is the number of seconds to wait.
    pub async fn count(
        &self,
        store: &dyn Store,
        address: Option<IpAddr>,
        bytes: u64,
        now: Millis,
    ) -> Result<Result<(), u32>, StoreError> {
        let kibibytes = i32::try_from(bytes.div_ceil(1024)).unwrap_or(i32::MAX);
        // The store knows minutes: a day is its last one.
        let day = (now.div_euclid(DAY) + 1) * DAY / MINUTE - 1;
        let mut counted = Vec::new();
        for (name, limit) in limits(address) {
            let key = hash(format!("bytes {name}").as_bytes());
            let Some(sum) = store.count(key, day, kibibytes).await? else {
                return Ok(self.count_here(address, bytes, now));
            };
            counted.push(key);
            if u64::from(sum) > limit / 1024 {
                for key in counted {
                    // What is not given back makes the limit stricter until the end of the day.
                    let _ = store.count(key, day, -kibibytes).await;
                }
                return Ok(Err(LONG_WAIT));
            }
        }
        Ok(Ok(()))
    }

    /// The same in memory.
    fn count_here(&self, address: Option<IpAddr>, bytes: u64, now: Millis) -> Result<(), u32> {
        let mut today = self.today.lock().unwrap_or_else(PoisonError::into_inner);
        if today.day != now.div_euclid(DAY) || today.bytes.len() > NETWORKS_MAX {
            *today = Today {
                day: now.div_euclid(DAY),
                bytes: HashMap::new(),
            };
        }
        let sum = |name: &String| {
            today
                .bytes
                .get(name)
                .copied()
                .unwrap_or_default()
                .saturating_add(bytes)
        };
        if limits(address)
            .iter()
            .any(|(name, limit)| sum(name) > *limit)
        {
            return Err(LONG_WAIT);
        }
        for (name, _) in limits(address) {
            *today.bytes.entry(name).or_default() += bytes;
        }
        Ok(())
    }
}

/// The memory of a form of so many bytes, in KiB.
fn need(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(1024))
        .unwrap_or(MEMORY)
        .clamp(1, MEMORY)
}

/// The names of the networks of a client, from the widest to the sender.
fn names(address: Option<IpAddr>) -> [String; 3] {
    address.map_or_else(<[String; 3]>::default, |address| {
        networks(address).map(|network| network.to_string())
    })
}

/// The names under which the bytes of a client are counted, with their limits.
fn limits(address: Option<IpAddr>) -> [(String, u64); 2] {
    let [_, network, sender] = names(address);
    [
        (format!("{sender} sender"), SENDER_BYTES),
        (network, NETWORK_BYTES),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = 1_801_483_200_000;
    const MB: u64 = 1 << 20;

    fn address(text: &str) -> Option<IpAddr> {
        text.parse().ok()
    }

    #[test]
    fn one_network_leaves_places_to_others() {
        let intake = Intake::new();
        let slow: Vec<Place> = (0..8)
            .filter_map(|at| {
                intake
                    .begin(address(&format!("2001:db8:1:{at}::1")), 1)
                    .ok()
            })
            .collect();
        assert_eq!(slow.len(), 2);
        let others = |at: u8| intake.begin(address(&format!("192.0.2{at}.1")), 1);
        let held: Vec<Place> = (10..30).filter_map(|at| others(at).ok()).collect();
        assert_eq!(held.len(), 6);
        assert_eq!(others(40).map(drop), Err(WAIT));
        drop(slow);
        assert!(others(40).is_ok());
    }

    #[test]
    fn bodies_take_no_more_memory_than_is_there() {
        let intake = Intake::new();
        let large: Vec<Place> = (10..18)
            .filter_map(|at| {
                intake
                    .begin(address(&format!("192.0.2{at}.1")), 50 * MB)
                    .ok()
            })
            .collect();
        assert_eq!(large.len(), 3);
        assert!(
            intake.begin(address("198.51.100.1"), MB).is_ok(),
            "a small one has room beside them"
        );
        drop(large);
        assert_eq!(
            intake.count_here(address("198.51.100.1"), 500 * MB, NOW),
            Err(LONG_WAIT)
        );
        assert!(intake.begin(address("198.51.100.2"), 200 * MB).is_ok());
    }

    #[test]
    fn a_network_has_a_share_of_the_store_a_day() {
        let intake = Intake::new();
        let sent = |text: &str, count: usize, now: Millis| {
            (0..count)
                .filter(|_| intake.count_here(address(text), 50 * MB, now).is_ok())
                .count()
        };
        assert_eq!(sent("2001:db8:1:1::1", 20, NOW), 5);
        assert_eq!(
            sent("2001:db8:1:1::2", 20, NOW),
            0,
            "another address of the same sender"
        );
        let all: usize = (2..40)
            .map(|net| sent(&format!("2001:db8:1:{net}::1"), 5, NOW))
            .sum();
        assert_eq!(all + 5, 20, "a network sends a gigabyte");
        assert_eq!(sent("2001:db8:2:1::1", 2, NOW), 2);
        assert_eq!(sent("2001:db8:1:1::1", 2, NOW + DAY), 2);
    }
}
