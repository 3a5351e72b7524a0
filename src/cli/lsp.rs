//! `sitegen lsp`: the language server, for editors.

use std::io::IsTerminal as _;

use super::{GlobalOptions, stderr};

pub(super) fn lsp(shared: &GlobalOptions) -> u8 {
    if std::io::stdin().is_terminal() {
        stderr("This is the language server, which editors start themselves. Ctrl+D ends it.\n");
    }
    match authoring::lsp::run(&shared.options()) {
        Ok(()) => 0,
        Err(why) => {
            stderr(&format!("error: the editor ended the conversation ({why})\n"));
            3
        }
    }
}
