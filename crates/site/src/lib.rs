//! A site as it is read: its files, settings, languages and content, the model that is made of them, and the address of
//! each page. Nothing here renders or publishes.
//!
//! `generator` builds from it; the language server, the forms and the importer work on it without building.

pub mod content;
pub mod model;
pub mod planned;
pub mod routes;

/// Identifies these sources of sitegen to the values that are kept: its version, and the hash of this crate and of those that
/// it calls.
const MADE_BY: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("SITEGEN_SOURCES"));
