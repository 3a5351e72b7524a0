//! `sitegen lsp`: the language server, for editors.

use std::io::IsTerminal as _;

use assets::icon_names;
use generator::pipeline::{self, BuildScope, Purpose};
use language_server::Generator;
use workspace::timings::Timings;

use super::{GlobalOptions, stderr};

pub(super) fn lsp(shared: &GlobalOptions) -> u8 {
    if std::io::stdin().is_terminal() {
        stderr(
            "This is the language server. Editors start it themselves; press Ctrl+D to stop it.\n",
        );
    }
    let generator = Generator {
        check: |workspace, between| {
            let whole = BuildScope::Site(workspace);
            pipeline::build(whole, Purpose::CHECK, &|_| between(), &Timings::new(false)).1
        },
        icons: icon_names,
    };
    match language_server::run(&shared.options(), generator) {
        Ok(()) => 0,
        Err(why) => {
            stderr(&format!(
                "error: the connection to the editor was lost ({why})\n"
            ));
            3
        }
    }
}
