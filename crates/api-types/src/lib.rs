//! What crosses between the programs of a site, and to TypeScript: requests and answers of the API, the limits that both
//! sides keep, the props of the islands, and what a build tells the API of the lead form. Also what both sides compute in one way: escaping, dates.
//!
//! Each type is written here once. TypeScript's side (`react/generated/wire.ts`) and the OpenAPI document follow from it.

pub mod calendar;
pub mod error;
pub mod health;
pub mod html;
pub mod islands;
pub mod lead_site;
pub mod leads;
pub mod posts;
