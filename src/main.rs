//! The program `sitegen`; the library beside it has the commands.

use std::process::ExitCode;

fn main() -> ExitCode {
    sitegen::run()
}
