//! Where a site is edited: the language server of editors, the forms of the preview, and the exchange of texts with
//! translators. Each of them changes sources; none of them builds.

pub mod cms;
pub mod exchange;
pub mod lsp;

use diagnostics::problem::{Code, Place, Problem};
use workspace::files;

/// The problem of files that were not written, at one of them. `outcome` says what follows for the author, and what to do if
/// somebody else has changed a file meanwhile.
fn not_written(path: &str, error: &std::io::Error, (outcome, again): (&str, &str)) -> Problem {
    if error.kind() != std::io::ErrorKind::ResourceBusy {
        return files::not_written(path, error).hint(outcome);
    }
    let problem = Problem::error(Code::SaveConflict, error.to_string()).at(Place::file(path));
    problem.hint(format!("{outcome}: {again}"))
}
