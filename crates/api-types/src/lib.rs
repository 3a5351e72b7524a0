//! Types shared between the generator, the API and TypeScript: requests and responses of the API, their limits, the
//! props of the islands, and `leads.json`. Also helpers that both programs need: HTML escaping and dates.
//!
//! Each type is defined here once. `react/generated/wire.ts` and the OpenAPI document are generated from it.

pub mod base_url;
pub mod captcha;
pub mod error;
pub mod forms;
pub mod health;
pub mod html;
pub mod islands;
pub mod lead_site;
pub mod leads;
pub mod posts;
