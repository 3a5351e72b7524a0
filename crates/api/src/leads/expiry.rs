//! Deletes leads when they expire, with a brake: a clock that is wrong would delete all of them.
//!
//! The store remembers the last time that was beyond doubt. If the clock has jumped ahead since, or most leads would go
//! at once, nothing is deleted until the operator confirms it with `sitegen leads expire --yes`.

use std::collections::BTreeMap;

use api_types::lead_site::LeadSite;

use crate::clock::{DAY, Millis, iso};

use super::lead::{Lead, Status};

/// How long hashes of used captcha tokens are kept, in milliseconds. A token itself is valid for minutes.
const TOKEN_LIFETIME: Millis = DAY;

/// A clock that is ahead of the last known time by more than this has jumped, or the API was off.
const JUMP: Millis = 7 * DAY;
/// Up to this many leads are deleted at once, even if they are most of the store.
pub(super) const FEW: u32 = 20;

/// The result of deleting leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erasure {
    /// The number of leads that were deleted.
    pub leads: u32,
    /// Why files of the store still contain their text, if they do.
    pub remains: Option<String>,
}

/// The rules of expiry at a time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expiry {
    /// The current time.
    pub now: Millis,
    /// Leads older than this are deleted, if it is set.
    pub leads: Option<Millis>,
    /// The same for answers to forms that have a time of their own, by the name of the form.
    pub forms: BTreeMap<String, Millis>,
    /// Leads that were not confirmed are deleted if they are older than this, by the name of the form.
    pub unconfirmed: BTreeMap<String, Millis>,
    /// Token hashes older than this are deleted.
    pub tokens: Millis,
    /// Whether the operator has confirmed it.
    pub is_confirmed: bool,
}

impl Expiry {
    /// The rules of a site, at this time.
    pub fn of(site: &LeadSite, now: Millis) -> Expiry {
        let forms = site
            .forms
            .iter()
            .filter_map(|form| Some((form.name.clone(), before(now, form.keep_days?))));
        let unconfirmed = site
            .forms
            .iter()
            .filter_map(|form| Some((form.name.clone(), before(now, form.confirm_days?))));
        let unconfirmed = unconfirmed.collect();
        Expiry {
            unconfirmed,
            forms: forms.collect(),
            leads: site.rules.keep_days.map(|days| before(now, days)),
            ..Expiry::now(now)
        }
    }

    /// The rules if all leads are kept for as many days.
    pub fn after(days: u32, now: Millis) -> Expiry {
        Expiry {
            leads: Some(before(now, days)),
            ..Expiry::now(now)
        }
    }

    /// Only what is kept for a fixed time.
    pub fn now(now: Millis) -> Expiry {
        Expiry {
            now,
            tokens: now - TOKEN_LIFETIME,
            ..Expiry::default()
        }
    }

    /// Whether a lead has expired.
    pub fn has_expired(&self, lead: &Lead) -> bool {
        let of_form = |times: &BTreeMap<String, Millis>| times.get(&lead.contents.form).copied();
        let is_unconfirmed = lead.status == Status::Unconfirmed;
        let waited = of_form(&self.unconfirmed)
            .filter(|_| is_unconfirmed)
            .is_some_and(|before| lead.at < before);
        waited
            || of_form(&self.forms)
                .or(self.leads)
                .is_some_and(|before| lead.at < before)
    }

    /// The time after which no lead has expired. `None` if none expires.
    pub(super) fn latest(&self) -> Option<Millis> {
        self.forms
            .values()
            .chain(self.unconfirmed.values())
            .copied()
            .chain(self.leads)
            .max()
    }
}

fn before(now: Millis, days: u32) -> Millis {
    now - Millis::from(days) * DAY
}

/// The result of an expiry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expired {
    /// Leads were deleted.
    Deleted(Erasure),
    /// No lead was deleted.
    Held {
        /// The number of leads that would be deleted.
        leads: u32,
        /// Why that looks like a mistake.
        why: String,
    },
}

/// The times that a store remembers of the clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct KnownTime {
    /// The last time that was beyond doubt.
    pub sure: Option<Millis>,
    /// The time after a jump, when it was first seen.
    pub doubtful: Option<Millis>,
}

impl KnownTime {
    /// Decides about `leads` of `of` leads. Returns what to remember, and why they must be kept, if so.
    pub(super) fn judge(self, expiry: &Expiry, leads: u32, of: u32) -> (KnownTime, Option<String>) {
        let Expiry {
            now, is_confirmed, ..
        } = *expiry;
        let sure = self.sure.unwrap_or(now);
        if is_confirmed {
            return (
                KnownTime {
                    sure: Some(now),
                    doubtful: None,
                },
                None,
            );
        }
        if now - sure > JUMP {
            let since = self
                .doubtful
                .filter(|since| (0..=JUMP + DAY).contains(&(now - since)))
                .unwrap_or(now);
            if leads > 0 {
                let why = format!(
                    "the time is {}, but it was {} at the last check",
                    iso(now),
                    iso(sure)
                );
                return (
                    KnownTime {
                        doubtful: Some(since),
                        ..self
                    },
                    Some(why),
                );
            }
            // The API was off, as a wrong clock would not go on for a week.
            let is_real = now - since >= JUMP;
            let doubtful = (!is_real).then_some(since);
            return (
                KnownTime {
                    sure: Some(if is_real { now } else { sure }),
                    doubtful,
                },
                None,
            );
        }
        let why = (leads > FEW && leads > of / 2)
            .then(|| format!("{leads} of {of} leads would be deleted in one run"));
        (
            KnownTime {
                sure: Some(sure.max(now)),
                doubtful: None,
            },
            why,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Millis = 1_700_000_000_000;
    const HOUR: Millis = DAY / 24;

    fn at(now: Millis) -> Expiry {
        Expiry {
            now,
            leads: Some(0),
            ..Expiry::default()
        }
    }

    #[test]
    fn a_clock_that_jumps_deletes_nothing_and_is_forgotten_when_it_is_right_again() {
        let mut known = KnownTime::default().judge(&at(START), 0, 50).0;
        for minute in 0..3 {
            let (next, why) = known.judge(&at(START + 800 * DAY + minute * 60_000), 3, 50);
            assert!(why.expect("a reason").contains("the time is "));
            known = next;
        }
        let (next, why) = known.judge(&at(START + HOUR), 1, 50);
        assert_eq!(
            (next, why),
            (
                KnownTime {
                    sure: Some(START + HOUR),
                    doubtful: None
                },
                None
            )
        );
    }

    #[test]
    fn an_api_that_was_off_deletes_again_after_a_week_or_when_it_is_confirmed() {
        let known = KnownTime {
            sure: Some(START),
            doubtful: None,
        };
        let now = START + 30 * DAY;
        assert!(known.judge(&at(now), 1, 50).1.is_some());
        let confirmed = known.judge(
            &Expiry {
                is_confirmed: true,
                ..at(now)
            },
            1,
            50,
        );
        assert_eq!(
            confirmed,
            (
                KnownTime {
                    sure: Some(now),
                    doubtful: None
                },
                None
            )
        );
        let mut known = known;
        for hour in 0..24 * 8 {
            known = known.judge(&at(now + hour * HOUR), 0, 50).0;
        }
        assert_eq!(known.judge(&at(now + 9 * DAY), 1, 50).1, None);
    }

    #[test]
    fn two_jumps_are_not_taken_for_a_clock_that_goes_on() {
        let mut known = KnownTime {
            sure: Some(START),
            doubtful: None,
        };
        for jump in 1..20 {
            known = known.judge(&at(START + jump * 100 * DAY), 0, 50).0;
        }
        assert_eq!(known.sure, Some(START));
    }

    #[test]
    fn most_leads_at_once_need_a_confirmation() {
        let known = KnownTime {
            sure: Some(START),
            doubtful: None,
        };
        let why = |leads, of| known.judge(&at(START + HOUR), leads, of).1;
        assert_eq!(
            why(26, 50).as_deref(),
            Some("26 of 50 leads would be deleted in one run")
        );
        assert_eq!([why(25, 50), why(20, 20), why(0, 0)], [None, None, None]);
    }
}
