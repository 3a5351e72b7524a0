//! Number of things that are done at the same time for a network and for all, such as captcha tokens that are verified: each
//! is a request to the provider, so a slow provider and a flood of tokens together would open connections without end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Captcha calls at a time, for all and for one network.
pub const CAPTCHA: Share = Share {
    all: 64,
    network: 16,
};

/// Maximum numbers at a time.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// For all; as many again are left for networks that have none.
    pub all: usize,
    /// For one network.
    pub network: usize,
}

/// The calls that are running.
#[derive(Debug)]
pub struct Calls {
    share: Share,
    /// Their number by network. A network without a call has no entry.
    running: Arc<Mutex<HashMap<String, usize>>>,
}

/// A running call. It ends when this is dropped.
#[derive(Debug)]
pub struct Call {
    running: Arc<Mutex<HashMap<String, usize>>>,
    network: String,
}

impl Calls {
    /// Calls with these maximum numbers.
    pub fn new(share: Share) -> Calls {
        Calls {
            share,
            running: Arc::default(),
        }
    }

    /// Begins a call for a network. `None` if too many are running.
    pub fn begin(&self, network: String) -> Option<Call> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = running.values().sum();
        let of_network = running.get(&network).copied().unwrap_or_default();
        let max = if of_network == 0 {
            2 * self.share.all
        } else {
            self.share.all
        };
        if of_network >= self.share.network || all >= max {
            return None;
        }
        *running.entry(network.clone()).or_default() += 1;
        Some(Call {
            running: Arc::clone(&self.running),
            network,
        })
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = running.get_mut(&self.network) {
            *count -= 1;
            if *count == 0 {
                running.remove(&self.network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_gets_its_share_and_leaves_the_rest() {
        let calls = Calls::new(CAPTCHA);
        let many = |network: &str| -> Vec<Call> {
            std::iter::from_fn(|| calls.begin(network.into()))
                .take(99)
                .collect()
        };
        let held: Vec<Vec<Call>> = (0..6).map(|network| many(&network.to_string())).collect();
        let counts: Vec<usize> = held.iter().map(Vec::len).collect();
        assert_eq!(counts, [16, 16, 16, 16, 1, 1]);
        let one_each: Vec<Call> = (0..99)
            .filter_map(|network| calls.begin(format!("other {network}")))
            .collect();
        assert_eq!(one_each.len(), 2 * CAPTCHA.all - 66);
        drop((held, one_each));
        assert!(calls.running.lock().expect("the calls").is_empty());
    }
}
