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
#![cfg(feature = "cli")]

pub mod problem;

pub mod yaml;

pub mod files;

pub mod cache;

pub mod fields;

pub mod html;

pub mod locale;

pub mod config;

pub mod content;

pub mod model;

pub mod routes;

pub mod assets;

pub mod output;

pub mod islands;

pub mod drawing;

pub mod render;

pub mod inspect;

pub mod external;

pub mod publish;

pub mod pipeline;

pub mod serve;

pub mod cli;
