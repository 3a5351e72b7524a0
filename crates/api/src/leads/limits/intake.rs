//! Limits of forms with files: how many are received at a time, how much memory they take, and how many bytes a network may
//! send a day. Counted in memory, for each process by itself.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::client::networks;
use crate::clock::{DAY, Millis};

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

/// A form that is being received. It ends when this is dropped.
#[derive(Debug)]
pub struct Place {
    _call: Call,
    _memory: OwnedSemaphorePermit,
}

impl Intake {
    /// An intake that has received nothing.
    pub fn new() -> Intake {
        let memory = Arc::new(Semaphore::new(MEMORY as usize));
        Intake { running: Calls::new(AT_ONCE), memory, today: Mutex::default() }
    }

    /// Begins to receive a form of so many bytes. The error is the number of seconds to wait.
    pub fn begin(&self, address: Option<IpAddr>, bytes: u64, now: Millis) -> Result<Place, u32> {
        let [_, network, sender] =
            address.map_or_else(<[String; 3]>::default, |address| networks(address).map(|network| network.to_string()));
        let call = self.running.begin(network.clone()).ok_or(WAIT)?;
        let need = u32::try_from(bytes.div_ceil(1024)).unwrap_or(MEMORY).clamp(1, MEMORY);
        let memory = Arc::clone(&self.memory).try_acquire_many_owned(need).map_err(|_| WAIT)?;
        let mut today = self.today.lock().unwrap_or_else(PoisonError::into_inner);
        if today.day != now.div_euclid(DAY) || today.bytes.len() > NETWORKS_MAX {
            *today = Today { day: now.div_euclid(DAY), bytes: HashMap::new() };
        }
        let limits = [(format!("{sender} sender"), SENDER_BYTES), (network, NETWORK_BYTES)];
        let sum = |name: &String| today.bytes.get(name).copied().unwrap_or_default().saturating_add(bytes);
        if limits.iter().any(|(name, limit)| sum(name) > *limit) {
            return Err(LONG_WAIT);
        }
        for (name, _) in limits {
            *today.bytes.entry(name).or_default() += bytes;
        }
        drop(today);
        Ok(Place { _call: call, _memory: memory })
    }
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
        let slow: Vec<Place> =
            (0..8).filter_map(|at| intake.begin(address(&format!("2001:db8:1:{at}::1")), 1, NOW).ok()).collect();
        assert_eq!(slow.len(), 2);
        let others = |at: u8| intake.begin(address(&format!("192.0.2{at}.1")), 1, NOW);
        let held: Vec<Place> = (10..30).filter_map(|at| others(at).ok()).collect();
        assert_eq!(held.len(), 6);
        assert_eq!(others(40).map(drop), Err(WAIT));
        drop(slow);
        assert!(others(40).is_ok());
    }

    #[test]
    fn bodies_take_no_more_memory_than_is_there() {
        let intake = Intake::new();
        let large: Vec<Place> =
            (10..18).filter_map(|at| intake.begin(address(&format!("192.0.2{at}.1")), 50 * MB, NOW).ok()).collect();
        assert_eq!(large.len(), 3);
        assert!(intake.begin(address("198.51.100.1"), MB, NOW).is_ok(), "a small one has room beside them");
        drop(large);
        let whole = intake.begin(address("198.51.100.1"), 500 * MB, NOW);
        assert_eq!(whole.map(drop), Err(LONG_WAIT));
        assert!(intake.begin(address("198.51.100.2"), 200 * MB, NOW).is_ok());
    }

    #[test]
    fn a_network_has_a_share_of_the_store_a_day() {
        let intake = Intake::new();
        let sent = |text: &str, count: usize, now: Millis| {
            (0..count).filter(|_| intake.begin(address(text), 50 * MB, now).is_ok()).count()
        };
        assert_eq!(sent("2001:db8:1:1::1", 20, NOW), 5);
        assert_eq!(sent("2001:db8:1:1::2", 20, NOW), 0, "another address of the same sender");
        let all: usize = (2..40).map(|net| sent(&format!("2001:db8:1:{net}::1"), 5, NOW)).sum();
        assert_eq!(all + 5, 20, "a network sends a gigabyte");
        assert_eq!(sent("2001:db8:2:1::1", 2, NOW), 2);
        assert_eq!(sent("2001:db8:1:1::1", 2, NOW + DAY), 2);
    }
}
