//! Runs the API's tests against the program on an emulated Lambda.

pub use crate::lambda::Lambda as Client;

#[path = "api.rs"]
#[expect(clippy::duplicate_mod, reason = "the same tests, another client")]
mod tests;
