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
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {}
        ["--help" | "-h" | "help"] => return print(USAGE),
        ["--version" | "-V"] => {
            return print(concat!("site-api ", env!("CARGO_PKG_VERSION"), "\n"));
        }
        [first, ..] => {
            let _ = write!(
                std::io::stderr(),
                "error: unexpected argument `{first}`\n\n{USAGE}"
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
