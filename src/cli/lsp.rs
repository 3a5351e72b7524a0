//! `sitegen lsp`: the language server, for editors.

use super::{GlobalOptions, stderr};

pub(super) fn lsp(shared: &GlobalOptions) -> u8 {
    match sitegen::lsp::run(&shared.options()) {
        Ok(()) => 0,
        Err(why) => {
            stderr(&format!("error: the editor ended the conversation ({why})\n"));
            3
        }
    }
}
