//! The API's tests once more, asked of the program as Lambda asks it.

pub use crate::lambda::Lambda as Client;

#[path = "api.rs"]
#[expect(clippy::duplicate_mod, reason = "the same tests, another client")]
mod tests;
