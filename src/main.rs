//! The `sitegen` program: parses its arguments, passes them to [`cli`], and returns the exit code.
//!
//! The command line belongs to the program, not to the library, so that a change in a command does not recompile the
//! library.

mod cli;

use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(cli::run(cli::Arguments::parse()))
}
