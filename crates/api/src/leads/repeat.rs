//! Tells answers that were sent again without JavaScript, which have no key of their own.

use crate::clock::{self, DAY};

use super::answer::Visitor;
use super::lead::{self, Lead};
use super::limits;

/// The key of a form that was sent without JavaScript: the same words of a sender on a day. The words alone would not do:
/// "please call me" comes from many visitors.
pub(super) fn key_of_plain(fingerprint: &lead::Hash, visitor: &Visitor) -> lead::Hash {
    let sender = format!("plain {} {} ", clock::now() / DAY, limits::sender(visitor.address));
    lead::hash(&[sender.as_bytes(), &fingerprint[..]].concat())
}

/// Says in a lead that the same was sent before.
pub(super) fn mark(lead: &mut Lead) {
    const REPEAT: &str = "the same words came from the same sender before on this day";
    let reason = lead.reason.take().map_or_else(|| REPEAT.to_owned(), |reason| format!("{reason}; {REPEAT}"));
    lead.reason = Some(reason);
}
