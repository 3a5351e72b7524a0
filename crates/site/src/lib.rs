//! A site made of its content: the references between files resolved, the model that pages show, and the URL of each page.
//! Nothing here renders or publishes.
//!
//! `generator` builds from it; the language server, the forms and the importer work on it without building.

pub mod model;
mod origins;
pub mod planned;
pub mod routes;

pub use planned::{Planned, SiteChange, Workspace};
