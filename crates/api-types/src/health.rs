//! The response of `GET /api/health`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The API is healthy.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// Always `ok`.
    pub status: String,
    /// The id of the build that the API serves, equal to the one in the site's `/build.json`.
    pub build: String,
}
