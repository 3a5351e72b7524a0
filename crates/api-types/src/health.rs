//! `GET /api/health`: what is answered.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The API can answer.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// `ok`.
    pub status: String,
    /// The build that it answers from, as `/build.json` of the site names it.
    pub build: String,
}
