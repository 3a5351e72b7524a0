//! Tells answers that were sent again without JavaScript, which have no key of their own.

use crate::clock::{self, DAY};

use super::answer::Visitor;
use super::lead::{self, Lead};
use super::limits;
use super::store::{InsertOutcome, NewLead, Store, StoreError};

/// The key of a form that was sent without JavaScript: the same words of a sender on a day. The words alone would not do:
/// "please call me" comes from many visitors.
pub(super) fn key_of_plain(fingerprint: &lead::Hash, visitor: &Visitor) -> lead::Hash {
    let sender = format!(
        "plain {} {} ",
        clock::now() / DAY,
        limits::sender(visitor.address)
    );
    lead::hash(&[sender.as_bytes(), &fingerprint[..]].concat())
}

/// Says in a lead that the same was sent before.
pub(super) fn mark(lead: &mut Lead) {
    const REPEAT: &str = "the same text came from the same sender earlier that day";
    let reason = lead
        .reason
        .take()
        .map_or_else(|| REPEAT.to_owned(), |reason| format!("{reason}; {REPEAT}"));
    lead.reason = Some(reason);
}

/// Stores an answer. One that came without JavaScript and that another machine has stored meanwhile is stored as a repeat.
pub(super) async fn insert(
    store: &dyn Store,
    new: NewLead,
    is_plain: bool,
) -> Result<InsertOutcome, StoreError> {
    let again = (is_plain && new.key.is_some()).then(|| new.clone());
    match (again, store.insert(new).await?) {
        (Some(mut again), InsertOutcome::Duplicate) => {
            again.key = None;
            mark(&mut again.lead);
            store.insert(again).await
        }
        (_, outcome) => Ok(outcome),
    }
}
