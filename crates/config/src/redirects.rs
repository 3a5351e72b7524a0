//! `content/redirects/*.yaml`: more redirects than one writes by hand, such as those of an import. Each file is a list
//! like `redirects` in `content/site.yaml`.

use diagnostics::problem::Problems;
use diagnostics::yaml;
use workspace::files::FileSet;
use workspace::kinds::Kind;

use super::settings::Redirect;

/// Reads the redirects of all files. Without the folder there are none.
pub fn read(root: &FileSet) -> (Vec<Redirect>, Problems) {
    let (files, mut problems) = root.list(&root.join(Kind::Redirects.folder()));
    let mut redirects = Vec::new();
    for file in files {
        let parsed = root.read_text(&file).and_then(|source| {
            let node = yaml::parse(&source, 0..source.text.len())?;
            Ok((source, node))
        });
        match parsed {
            Ok((source, node)) => {
                let read =
                    yaml::read::<Vec<Redirect>>(&source, &node, &mut problems).unwrap_or_default();
                redirects.extend(read.into_iter().map(|redirect| Redirect {
                    source: source.clone(),
                    ..redirect
                }));
            }
            Err(problem) => problems.push(problem),
        }
    }
    (redirects, problems)
}
