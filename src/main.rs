//! The `sitegen` program: parses its arguments, hands them to [`sitegen::cli`], and turns the answer into an exit code.

use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(sitegen::cli::run(sitegen::cli::Arguments::parse()))
}
