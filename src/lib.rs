//! The commands of `sitegen`. What they do is in the crates: `site` reads; `assets`, `render`, `publish` and, with all stages in
//! order, `generator` build; `authoring` edits, `preview` serves, `import` and `diff` are their names.
//!
//! A library, because Cargo compiles one while the code of those crates is still being made; a program would wait for it.
//! Here, code runs once for a command, so it is compiled quickly rather than optimized.

mod cli;
mod verify;

use std::process::ExitCode;

/// Runs the command that the arguments of the process name, and returns its exit code.
pub fn run() -> ExitCode {
    ExitCode::from(cli::run())
}
