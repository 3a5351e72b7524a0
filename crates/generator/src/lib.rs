//! The generator: builds a site, from content and a theme to the files of `dist/`.
//!
//! ```text
//! content/ ─load─► Content ─resolve─► Site ─plan─► Routes ─render─► outputs ─publish─► dist/
//!                                                     ▲
//! react/, templates/**/*.css, design tokens ─bundle─► Manifest
//! ```
//!
//! Read [`pipeline`] first: it runs these stages in order. The first three are in the crate `site`, the others in `assets`,
//! `render` and `publish`. `ARCHITECTURE.md` describes the stages and what holds across modules, and lists which module uses
//! which; a test compares that list with the paths in the code.

pub mod indexing;
pub mod indexnow;
pub mod pipeline;

// Here rather than in the program, which is not optimized: each call would go through three functions that are not inlined.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Identifies this generator: its version, and the hash of its sources and of those that it calls.
pub const MADE_BY: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("SITEGEN_SOURCES"));
