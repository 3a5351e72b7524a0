//! The `sitegen` program: parses its arguments, hands them to [`cli`], and turns the answer into an exit code.
//!
//! The command line belongs to the program and not to the library, so that a change in a command compiles this part alone.

mod cli;

use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(cli::run(cli::Arguments::parse()))
}
