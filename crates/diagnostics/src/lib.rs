//! What an author must fix, and YAML whose values know their places.
//!
//! [`problem`] holds problems as data, with places, hints and printers; [`yaml`] turns a file into typed values and
//! names every mistake with its place. This crate knows nothing of sites or pages.

pub mod problem;
pub mod text;
pub mod yaml;
