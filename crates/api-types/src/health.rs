//! The response of `GET /api/health`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The API is healthy.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// `ok`, or `failing` if leads are stored and not forwarded.
    pub status: String,
    /// The channels that aren't accepting leads, `mail` or `webhook`, as this process has found. Left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<String>,
    /// The id of the build that the API serves, equal to the one in the site's `/build.json`.
    pub build: String,
}
