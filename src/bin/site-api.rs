//! The site's API alone: reads its settings from the environment and answers until it is stopped.

use std::io::Write as _;
use std::process::ExitCode;

use sitegen::api::{Settings, run};

fn main() -> ExitCode {
    match Settings::from_environment().and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "error: {why}");
            ExitCode::FAILURE
        }
    }
}
