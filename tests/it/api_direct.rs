//! Runs the API's tests against the router.

pub use crate::api_site::Direct as Client;

#[path = "api.rs"]
mod tests;
