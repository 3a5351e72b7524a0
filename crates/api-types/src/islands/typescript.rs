//! The TypeScript types of props, requests and responses. The test below generates `react/generated/wire.ts` from the
//! structs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ts_rs::{Config, TS, TypeVisitor};

use crate::forms::{FormAnswer, FormUploads};
use crate::posts::PostsAnswer;

use super::Props;

const FILE: &str = "../../react/generated/wire.ts";
const HEAD: &str = "// The props of the islands, what they send and what the API answers, made from the structs in crates/api-types/. Do not edit: `cargo test -p api-types` writes it.\n";

/// Collects type declarations by name, and the props of each island.
#[derive(Default)]
pub(super) struct Declarations {
    types: BTreeMap<String, String>,
    islands: String,
}

impl Declarations {
    pub(super) fn island<P: Props + TS + 'static>(&mut self, name: &str) {
        let config = Config::default();
        // Writing to a string cannot fail.
        let _ = writeln!(self.islands, "  {name:?}: {};", P::name(&config));
        self.visit::<P>();
    }
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        let config = Config::default();
        // Types without an output path are built into TypeScript: string, boolean, arrays.
        if T::output_path().is_none() || self.types.contains_key(&T::name(&config)) {
            return;
        }
        let declaration: Vec<String> = T::decl(&config)
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect();
        self.types.insert(T::name(&config), declaration.join("\n"));
        T::visit_dependencies(self);
    }
}

#[test]
fn wire_types_are_those_of_the_props() {
    let mut write = Declarations::default();
    super::declarations(&mut write);
    write.visit::<PostsAnswer>();
    write.visit::<FormAnswer>();
    write.visit::<FormUploads>();
    let types = write
        .types
        .values()
        .fold(String::new(), |types, declaration| {
            types + "\nexport " + declaration + "\n"
        });
    let wanted = format!(
        "{HEAD}{types}\n/** The props of every island, by its name. */\nexport interface Islands {{\n{}}}\n",
        write.islands
    );
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    if found != wanted {
        std::fs::write(&path, &wanted).expect("the file can be written");
        panic!(
            "react/generated/wire.ts was out of date with the structs in crates/api-types/; it has been regenerated: review and commit it"
        );
    }
}
