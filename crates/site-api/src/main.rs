//! The program `site-api`: reads its settings from the environment and answers until it is stopped.

mod lambda;
mod server;

use std::io::Write as _;
use std::process::ExitCode;

use api::Settings;

/// The answer to somebody who asks for help, or tries arguments.
const USAGE: &str = "\
site-api stores leads and answers the blog search of a site made with sitegen.

It takes no arguments. Settings are environment variables, such as LISTEN (127.0.0.1:4100 if it isn't set),
SITE_ARTIFACT and LEADS_STORE. docs/api.md and docs/leads.md list them all.
";

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        None => {}
        Some("--help" | "-h" | "help") => return print(USAGE),
        Some("--version" | "-V") => {
            return print(concat!("site-api ", env!("CARGO_PKG_VERSION"), "\n"));
        }
        Some(other) => {
            let _ = write!(
                std::io::stderr(),
                "error: unexpected argument `{other}`\n\n{USAGE}"
            );
            return ExitCode::from(2);
        }
    }
    match Settings::from_environment().and_then(server::run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
