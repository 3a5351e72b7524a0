//! Diagnostics for authors, and a YAML reader that keeps source spans.
//!
//! [`problem`] defines problems as data, with places, hints and printers. [`yaml`] reads a file into typed values and
//! reports every mistake with its place. This crate does not depend on sites or pages.

pub mod differences;
pub mod limits;
pub mod marks;
pub mod problem;
pub mod text;
pub mod yaml;
