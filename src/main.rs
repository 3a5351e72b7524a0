//! `sitegen`: the commands, the preview server, the language server and the importer. The package
//! `generator` builds sites.
//!
//! Here, code runs once for a command or a request, so it is compiled quickly rather than optimized.

mod cli;
mod cms;
mod import;
mod lsp;
mod serve;
mod verify;

use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(cli::run(cli::Arguments::parse()))
}
