//! The files of a site as of a moment, their stamps, and what is kept of them between builds: caches that may always be
//! deleted.

pub mod cache;
pub mod files;
pub mod kinds;
pub mod media_types;
pub mod parallel;
pub mod sources;
pub mod timings;
