//! `sitegen schema`: prints and writes the JSON Schemas of the YAML files of a site.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use diagnostics::problem::{Problem, Problems, did_you_mean};
use generator::cache;
use generator::config::Config;
use generator::content::schemas::{self, FILE_KINDS, FileKind};
use generator::content::sections::Kinds;
use generator::files;

use super::{Format, GlobalOptions, stderr, stdout};

/// Where the editor settings of a new site name the schemas.
pub(super) const FOLDER: &str = ".vscode/schemas";

#[derive(Debug, Args)]
pub(super) struct SchemaArguments {
    /// The kind of file, such as `page`.
    kind: Option<String>,
    /// Write all schemas to this folder, as `KIND.json` [default: `.vscode/schemas` in the folder of the site].
    #[arg(long, value_name = "FOLDER", conflicts_with = "kind")]
    #[expect(clippy::option_option, reason = "how clap expresses a flag with an optional value")]
    write: Option<Option<PathBuf>>,
}

pub(super) fn schema(shared: &GlobalOptions, own: &SchemaArguments) -> u8 {
    if let Some(name) = &own.kind {
        let Some(kind) = FILE_KINDS.iter().find(|kind| kind.name == name) else {
            let hint = did_you_mean(name, FILE_KINDS.iter().map(|kind| kind.name))
                .unwrap_or_else(|| "`sitegen schema` lists all kinds".to_owned());
            stderr(&format!("error: there is no kind of file `{name}`\n  hint: {hint}\n"));
            return 2;
        };
        let (kinds, problems) = kinds(shared);
        stdout(&document(kind, &kinds));
        return shared.report_beside(problems);
    }
    if let Some(folder) = &own.write {
        let (kinds, mut problems) = kinds(shared);
        let folder = folder.as_ref().map_or_else(|| shared.root.join(FOLDER), |folder| files::absolute(folder));
        if let Err(problem) = write(&folder, &kinds) {
            problems.push(problem);
        }
        return shared.report_beside(problems);
    }
    list(shared);
    0
}

fn write(folder: &Path, kinds: &Kinds) -> Result<(), Problem> {
    documents(kinds).into_iter().try_for_each(|(name, text)| {
        let file = folder.join(name);
        cache::keep(&file, text.as_bytes()).map_err(|error| files::not_written(&file.to_string_lossy(), &error))
    })
}

/// Writes the schemas of a site again, if it has them: after one of its section kinds was added.
pub(super) fn refresh(config: &Config) -> Result<(), Problem> {
    let folder = config.paths.root.join(FOLDER);
    if folder.is_dir() { write(&folder, &schemas::kinds(config).0) } else { Ok(()) }
}

/// The name and text of each schema.
pub(super) fn documents(kinds: &Kinds) -> Vec<(String, String)> {
    FILE_KINDS.iter().map(|kind| (format!("{}.json", kind.name), document(kind, kinds))).collect()
}

fn document(kind: &FileKind, kinds: &Kinds) -> String {
    serde_json::to_string_pretty(&kind.schema(kinds)).unwrap_or_default() + "\n"
}

/// The section kinds of the site; outside a site, those of the theme.
fn kinds(shared: &GlobalOptions) -> (Kinds, Problems) {
    // Mistakes in the settings are no matter of schemas: `sitegen check` reports them.
    let (config, _) = shared.config();
    config.map(|config| schemas::kinds(&config)).unwrap_or_default()
}

fn list(shared: &GlobalOptions) {
    if shared.format == Format::Json {
        let row = |kind: &FileKind| json!({"kind": kind.name, "meaning": kind.meaning, "files": kind.files});
        let rows: Vec<_> = FILE_KINDS.iter().map(row).collect();
        stdout(&(serde_json::to_string_pretty(&rows).unwrap_or_default() + "\n"));
        return;
    }
    let width = FILE_KINDS.iter().map(|kind| kind.name.len()).max().unwrap_or(0);
    for kind in FILE_KINDS {
        stdout(&format!("{:width$}  {}\n", kind.name, kind.meaning));
        for files in kind.files {
            stdout(&format!("{:width$}  {files}\n", ""));
        }
    }
}
