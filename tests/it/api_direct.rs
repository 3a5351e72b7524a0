//! The API's tests, asked of the router itself.

pub use crate::api_site::Direct as Client;

#[path = "api.rs"]
mod tests;
