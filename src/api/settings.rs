//! The settings of the API, all of them from the environment, read once.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::leads::LeadSettings;
use super::log::Log;

/// The environment variables that the API reads, all of them.
pub mod environment {
    /// The folder that a build writes beside `dist/`; `search` unless said otherwise.
    pub const SITE_ARTIFACT: &str = "SITE_ARTIFACT";
    /// Where to listen, when not on Lambda; `127.0.0.1:4100` unless said otherwise.
    pub const LISTEN: &str = "LISTEN";
    /// Other sites whose pages may read the answers: origins with commas between them. The site itself always may.
    pub const SITE_ORIGINS: &str = "SITE_ORIGINS";
}

/// What the environment says.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The folder of the artefact.
    pub artifact: PathBuf,
    /// Where to listen.
    pub listen: SocketAddr,
    /// Further origins that may read the answers.
    pub origins: Vec<String>,
    /// Where the log goes.
    pub log: Log,
    /// What concerns leads.
    pub leads: LeadSettings,
}

impl Settings {
    /// Reads the environment. The error names the variable, and what it should say.
    pub fn from_environment() -> Result<Settings, String> {
        let read = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let listen = read(environment::LISTEN).unwrap_or_else(|| "127.0.0.1:4100".into());
        let origins = read(environment::SITE_ORIGINS).unwrap_or_default();
        Ok(Settings {
            artifact: read(environment::SITE_ARTIFACT).unwrap_or_else(|| "search".into()).into(),
            listen: listen
                .parse()
                .map_err(|_| format!("{}: `{listen}` is no address such as 0.0.0.0:4100", environment::LISTEN))?,
            origins: origins
                .split(',')
                .map(|origin| origin.trim().to_owned())
                .filter(|origin| !origin.is_empty())
                .collect(),
            log: Log::Lines,
            leads: LeadSettings::from(&read)?,
        })
    }
}
