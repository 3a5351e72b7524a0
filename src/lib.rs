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
//! Beside it stand the crates of the workspace: `diagnostics` (problems and YAML), `api-types` (what crosses to the API and
//! to TypeScript), `search-index`, and `site-api`, which knows nothing of pages and is compiled without this crate.

mod addresses;
pub mod assets;
pub mod cache;
pub mod cli;
pub mod config;
pub mod content;
pub mod drawing;
pub mod external;
pub mod fields;
pub mod files;
pub mod indexing;
pub mod inspect;
pub mod islands;
pub mod locale;
pub mod model;
pub mod output;
pub mod pipeline;
pub mod publish;
pub mod record;
pub mod render;
pub mod routes;
pub mod serve;
pub mod timings;
pub mod verify;
mod xml;
