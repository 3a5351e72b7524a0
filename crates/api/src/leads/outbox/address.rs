//! Addresses as mail is sent to them: with their domains in Punycode.

use lettre::Address;
use lettre::message::{Mailbox, Mailboxes};

use super::super::email;
use super::super::lead::Lead;

/// The visitor's address, as mail is sent to it.
pub(super) fn visitor(lead: &Lead) -> Option<Address> {
    email::deliverable(&lead.contents.email)?.parse().ok()
}

/// A mailbox with its domain in Punycode.
pub(super) fn in_ascii(mailbox: Mailbox) -> Mailbox {
    let address =
        email::deliverable(mailbox.email.as_ref()).and_then(|address| address.parse().ok());
    Mailbox::new(mailbox.name, address.unwrap_or(mailbox.email))
}

/// Mailboxes that are separated by commas, with their domains in Punycode.
pub(super) fn mailboxes(text: &str) -> Option<Mailboxes> {
    Some(
        text.parse::<Mailboxes>()
            .ok()?
            .into_iter()
            .map(in_ascii)
            .collect(),
    )
}
