//! The program `site-api`: reads its settings from the environment and answers until it is stopped.

mod lambda;
mod server;

use std::io::Write as _;
use std::process::ExitCode;

use api::Settings;

fn main() -> ExitCode {
    match Settings::from_environment().and_then(server::run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "error: {why}");
            ExitCode::FAILURE
        }
    }
}
