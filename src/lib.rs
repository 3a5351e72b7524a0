//! `sitegen`: the generator and its preview server.
//!
//! ```text
//! content/ ─load─► Content ─resolve─► Site ─plan─► Routes ─render─► outputs ─publish─► dist/
//!                                                     ▲
//! react/, templates/**/*.css, design tokens ─bundle─► Manifest
//! ```
//!
//! Read [`pipeline`] first: it runs these stages in order. `ARCHITECTURE.md` describes the stages and what holds across
//! modules, and lists which module uses which; a test compares that list with the paths in `src/`.
//!
//! The other crates of the workspace do not use this one: `diagnostics` (problems and YAML), `api-types` (types shared
//! with the API and with TypeScript), `pictures` (photographs), `search-index`, `api` (the router that `serve`
//! includes), and `site-api` (the API as a program).

mod addresses;
pub mod assets;
pub mod build_cache;
pub mod cache;
pub mod config;
pub mod content;
pub mod content_types;
pub mod diff;
pub mod files;
pub mod graphics;
pub mod import;
pub mod indexing;
pub mod islands;
pub mod link_check;
pub mod locale;
pub mod lsp;
pub mod model;
pub mod output;
pub mod pipeline;
pub mod publish;
pub mod render;
pub mod routes;
pub mod serve;
pub mod theme;
pub mod timings;
pub mod verify;
mod xml;
