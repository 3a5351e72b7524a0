//! `sitegen`: content goes in at the left, bytes come out at the right.
//!
//! ```text
//! content/ ─load─► Content ─resolve─► Site ─plan─► Routes ─render─► outputs ─publish─► dist/
//!                                                     ▲
//! react/, templates/**/*.css, design tokens ─bundle─► Manifest
//! ```
//!
//! Read [`pipeline`] first: it is the line above, spelled in Rust. Every station is a plain function over values that
//! do not change after they are made. The modules stand here in the order in which one reads them; an arrow between
//! two of them points upwards only, and a test holds the table in `ARCHITECTURE.md` against the `use` lines.
//!
//! Beside the line stands the site's API: [`wire`], [`artifact`], [`search`] and [`api`] know nothing of pages, and are all
//! that is compiled with the feature `api` alone. Feature gates stand here and nowhere else.

pub mod wire;

pub mod artifact;

pub mod html;

pub mod search;

pub mod api;

#[cfg(feature = "cli")]
pub mod problem;

#[cfg(feature = "cli")]
pub mod yaml;

#[cfg(feature = "cli")]
pub mod files;

#[cfg(feature = "cli")]
pub mod cache;

#[cfg(feature = "cli")]
pub mod timings;

#[cfg(feature = "cli")]
pub mod fields;

#[cfg(feature = "cli")]
pub mod locale;

#[cfg(feature = "cli")]
pub mod config;

#[cfg(feature = "cli")]
pub mod record;

#[cfg(feature = "cli")]
pub mod content;

#[cfg(feature = "cli")]
pub mod model;

#[cfg(feature = "cli")]
pub mod routes;

#[cfg(feature = "cli")]
pub mod assets;

#[cfg(feature = "cli")]
pub mod output;

#[cfg(feature = "cli")]
pub mod islands;

#[cfg(feature = "cli")]
pub mod drawing;

#[cfg(feature = "cli")]
pub mod render;

#[cfg(feature = "cli")]
pub mod inspect;

#[cfg(feature = "cli")]
pub mod external;

#[cfg(feature = "cli")]
pub mod indexing;

#[cfg(feature = "cli")]
pub mod publish;

#[cfg(feature = "cli")]
pub mod pipeline;

#[cfg(feature = "cli")]
pub mod verify;

#[cfg(feature = "cli")]
pub mod serve;

#[cfg(feature = "cli")]
pub mod cli;
