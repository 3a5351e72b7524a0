//! A site as it is read: its files, settings, languages and content, the model that is made of them, and the address of
//! each page. Nothing here renders or publishes.
//!
//! `generator` builds from it; the language server, the forms and the importer work on it without building.

pub mod addresses;
pub mod cache;
pub mod config;
pub mod content;
pub mod content_types;
pub mod files;
pub mod locale;
pub mod markup;
pub mod media_types;
pub mod model;
pub mod parallel;
pub mod planned;
pub mod routes;
pub mod sources;
pub mod svg;
pub mod theme;
pub mod timings;
