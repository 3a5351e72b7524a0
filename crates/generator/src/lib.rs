//! The generator: builds a site, from content and a theme to the files of `dist/`.
//!
//! ```text
//! content/ ─load─► Content ─resolve─► Site ─plan─► Routes ─render─► outputs ─publish─► dist/
//!                                                     ▲
//! react/, templates/**/*.css, design tokens ─bundle─► Manifest
//! ```
//!
//! Read [`pipeline`] first: it runs these stages in order. The first three are in the crate `site`. `ARCHITECTURE.md`
//! describes the stages and what holds across modules, and lists which module uses which; a test compares that list with
//! the paths in the code.
//!
//! Everything here takes part in building a large site, so this crate is optimized.

pub mod assets;
pub mod build_cache;
pub mod graphics;
pub mod indexing;
pub mod indexnow;
pub mod islands;
pub mod link_check;
pub mod output;
pub mod pipeline;
pub mod publish;
pub mod render;
pub mod timings;
pub mod xml;

// Here rather than in the program, which is not optimized: each call would go through three functions that are not inlined.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
