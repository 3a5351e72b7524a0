//! Meters of how much of its limit a name has used, in a table of fixed size.
//!
//! A meter is one number: the time at which it will be empty again (the generic cell rate algorithm). A name shares its
//! slots with others, like in a count-min sketch: it has one slot in each of four rows, and the emptiest one counts. So a
//! name is never allowed more than its limit; memory and time do not depend on the number of names; and a name is refused
//! for what others did only if all of its slots are full, which nobody can arrange, because hashes are keyed at random.
//!
//! Whether a name was used at all is in a second table. Both are taken back, and a slot of one that was lowered for the other
//! would allow a name more than its limit.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Microseconds since the start of the process.
pub(super) type Micros = i64;

/// A minute.
const MINUTE: Micros = 60_000_000;
/// Slots in each row. With 3,000 full meters, 1 of 230,000 other names would share all of its slots with them; with two
/// rows it would be 1 of 470, and a network with a few visitors is refused once in a hundred floods.
const SLOTS: usize = 1 << 16;
/// Rows of the table.
const ROWS: usize = 4;

/// A limit that a request counts against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Quota {
    /// The name of the limit.
    pub name: String,
    /// The limit per minute.
    pub limit: u32,
    /// Whether, once it is used up, as much again is left for names of the level below that were not used
    /// in the last minute.
    pub has_reserve: bool,
    /// Whether it limits a sender; otherwise a network, or all.
    pub is_sender: bool,
}

impl Quota {
    pub(super) fn new(name: String, limit: u32) -> Quota {
        Quota {
            name,
            limit,
            has_reserve: false,
            is_sender: false,
        }
    }

    pub(super) fn reserve(self) -> Quota {
        Quota {
            name: format!("reserve {}", self.name),
            ..self
        }
    }

    /// The time that one request uses up.
    fn cost(&self) -> Micros {
        (MINUTE / Micros::from(self.limit.max(1))).max(1)
    }
}

/// The table.
#[derive(Debug)]
pub(super) struct Meters {
    rows: [RandomState; ROWS],
    /// When each meter will be empty, and behind them until when each name counts as used. Zeroed memory, of which the system
    /// provides what is used.
    slots: Mutex<Vec<Micros>>,
}

impl Meters {
    pub(super) fn new() -> Meters {
        Meters {
            rows: std::array::from_fn(|_| RandomState::new()),
            slots: Mutex::new(vec![0; 2 * ROWS * SLOTS]),
        }
    }

    /// Counts against all quotas, or against none of them: then returns how long to wait. Each quota limits those after it.
    pub(super) fn take(&self, quotas: &[Quota], now: Micros) -> Result<Vec<Quota>, Micros> {
        let mut slots = self.lock();
        let mut taken = Vec::with_capacity(quotas.len());
        for (index, quota) in quotas.iter().enumerate() {
            let wait = self.wait(&slots, quota, now);
            let is_unseen = |below: &Quota| self.end(&slots, &seen(&below.name)) <= now;
            let reserve = || {
                let may_use = quota.has_reserve && quotas.get(index + 1).is_some_and(is_unseen);
                may_use
                    .then(|| quota.clone().reserve())
                    .filter(|reserve| self.wait(&slots, reserve, now) <= 0)
            };
            match if wait <= 0 {
                Some(quota.clone())
            } else {
                reserve()
            } {
                Some(quota) => taken.push(quota),
                None => return Err(wait),
            }
        }
        for quota in &taken {
            let end = self.end(&slots, &quota.name).max(now) + quota.cost();
            self.raise(&mut slots, &quota.name, end);
        }
        for quota in quotas {
            self.raise(&mut slots, &seen(&quota.name), now + MINUTE);
        }
        Ok(taken)
    }

    /// Takes one request of a quota back.
    pub(super) fn give_back(&self, quota: &Quota) {
        let mut slots = self.lock();
        for (name, cost) in [
            (quota.name.clone(), quota.cost()),
            (seen(&quota.name), MINUTE),
        ] {
            let end = self.end(&slots, &name);
            // A fuller slot also counts others.
            self.places(&name)
                .into_iter()
                .for_each(|slot| slots[slot] -= if slots[slot] == end { cost } else { 0 });
        }
    }

    /// Remembers until when a name is used up.
    pub(super) fn close(&self, name: &str, until: Micros) {
        self.raise(&mut self.lock(), &closed(name), until);
    }

    /// Whether a name is known to be used up.
    pub(super) fn is_closed(&self, name: &str, now: Micros) -> bool {
        self.end(&self.lock(), &closed(name)) > now
    }

    /// How long to wait until one more request fits.
    fn wait(&self, slots: &[Micros], quota: &Quota, now: Micros) -> Micros {
        self.end(slots, &quota.name).max(now) + quota.cost() - MINUTE - now
    }

    fn end(&self, slots: &[Micros], name: &str) -> Micros {
        let ends = self.places(name).map(|slot| slots[slot]);
        ends.into_iter().min().unwrap_or_default()
    }

    fn raise(&self, slots: &mut [Micros], name: &str, end: Micros) {
        for slot in self.places(name) {
            slots[slot] = slots[slot].max(end);
        }
    }

    fn places(&self, name: &str) -> [usize; ROWS] {
        let table = if name.starts_with(SEEN) { ROWS } else { 0 };
        std::array::from_fn(|row| {
            // The remainder fits: it is less than the number of slots.
            let slot = self.rows[row].hash_one(name) % SLOTS as u64;
            (table + row) * SLOTS + usize::try_from(slot).unwrap_or_default()
        })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Micros>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first letters of names that count for a minute whether others were used at all.
const SEEN: &str = "seen ";

fn seen(name: &str) -> String {
    format!("{SEEN}{name}")
}

fn closed(name: &str) -> String {
    format!("closed {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Micros = 1_000_000;

    #[test]
    fn a_meter_fills_up_and_empties_continuously() {
        let meters = Meters::new();
        let take = |name: &str, now| {
            meters
                .take(&[Quota::new(name.to_owned(), 2)], now)
                .map(|_| ())
        };
        assert_eq!([take("a", 0), take("a", 0)], [Ok(()), Ok(())]);
        assert_eq!(take("a", 0), Err(30 * SECOND));
        assert_eq!(take("a", 30 * SECOND - 1), Err(1));
        assert_eq!(take("a", 30 * SECOND), Ok(()));
        assert_eq!(take("b", 30 * SECOND), Ok(()), "another name");
        assert_eq!(
            [take("a", 900 * SECOND), take("a", 900 * SECOND)],
            [Ok(()), Ok(())]
        );
        assert_eq!(
            take("a", 900 * SECOND),
            Err(30 * SECOND),
            "never more than the limit at once"
        );
        meters.give_back(&Quota::new("a".to_owned(), 2));
        assert_eq!(take("a", 900 * SECOND), Ok(()));
    }

    /// Of so many names, some share a slot with every meter.
    #[test]
    fn nothing_is_given_back_to_another_name() {
        let meters = Meters::new();
        let flood = [Quota::new("flood".into(), 60)];
        while meters.take(&flood, 0).is_ok() {}
        for name in 0..200_000 {
            let visitor = [Quota::new(name.to_string(), 60)];
            if let Ok(taken) = meters.take(&visitor, 0) {
                taken.iter().for_each(|quota| meters.give_back(quota));
            }
        }
        assert!(meters.take(&flood, 0).is_err());
    }

    #[test]
    fn what_is_refused_counts_against_nothing() {
        let meters = Meters::new();
        let quotas = [Quota::new("all".into(), 3), Quota::new("sender".into(), 1)];
        assert!(meters.take(&quotas, 0).is_ok());
        for _ in 0..10 {
            assert!(meters.take(&quotas, 0).is_err());
        }
        assert!(meters.take(&quotas[..1], 0).is_ok() && meters.take(&quotas[..1], 0).is_ok());
        assert!(meters.take(&quotas[..1], 0).is_err());
    }

    proptest::proptest! {
        /// Also when more names are in use than there are slots.
        #[test]
        fn no_name_gets_more_than_its_limit(seed in 0_u32..1000, limit in 1_u32..20, steps in 1_i64..3_000_000) {
            let (meters, mut now) = (Meters::new(), 0);
            let mut passed = std::collections::HashMap::<u32, Vec<Micros>>::new();
            for request in 0..2_000_u32 {
                now += steps * i64::from(request % 3) / 2;
                let name = (request.wrapping_mul(2_654_435_761).wrapping_add(seed)) % 97;
                if meters.take(&[Quota::new(name.to_string(), limit)], now).is_ok() {
                    passed.entry(name).or_default().push(now);
                }
            }
            for times in passed.values() {
                for (first, at) in times.iter().enumerate() {
                    // A quota that empties within a minute can be used again in it.
                    let within = times[first..].iter().filter(|time| **time - at < MINUTE).count();
                    assert!(within <= 2 * limit as usize, "{within} in a minute with a limit of {limit}");
                }
            }
        }
    }
}
