//! The commands of `sitegen`, the preview server, the language server and the importer. The package `generator` builds sites.
//!
//! A library, because Cargo compiles one while the code of `generator` is still being made; a program would wait for it. Here,
//! code runs once for a command or a request, so it is compiled quickly rather than optimized.

mod cli;
mod cms;
mod exchange;
mod import;
mod lsp;
mod serve;
mod verify;

use std::process::ExitCode;

use clap::Parser;

/// Runs the command that the arguments of the process name, and returns its exit code.
pub fn run() -> ExitCode {
    ExitCode::from(cli::run(cli::Arguments::parse()))
}
