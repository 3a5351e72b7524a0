//! The languages of a site: messages and plurals, dates and numbers, and the typography of texts.

pub mod locale;
pub mod typography;

/// Identifies these sources of sitegen to the values that are kept: its version, and the hash of this crate and of those that
/// it calls.
const MADE_BY: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("SITEGEN_SOURCES"));
