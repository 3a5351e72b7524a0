//! What crosses between the site's own programs: answers and requests of the API, which the build, the API, the posts
//! source and the islands all read. Each type is written here once; TypeScript's side and the OpenAPI document follow.

pub mod error;
pub mod health;
pub mod leads;
pub mod posts;
