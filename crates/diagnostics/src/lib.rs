//! What an author must mend, and YAML that knows where its values stand.
//!
//! [`problem`] holds problems as data, with places, hints and printers; [`yaml`] turns a file into typed values and names
//! every mistake with its place. This crate knows nothing of sites or pages.

pub mod problem;
pub mod text;
pub mod yaml;
