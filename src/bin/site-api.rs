//! The site's API alone: reads its settings from the environment and answers until it is stopped.

use std::io::Write as _;
use std::process::ExitCode;

use sitegen::api::{Api, Settings, run};

fn main() -> ExitCode {
    let tell = |words: &str| drop(writeln!(std::io::stderr(), "{words}"));
    let start = || {
        let settings = Settings::from_environment()?;
        settings.leads.check_published(false)?;
        run(&Api::new(settings)?, tell)
    };
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            tell(&format!("error: {why}"));
            ExitCode::FAILURE
        }
    }
}
