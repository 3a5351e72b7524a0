//! `sitegen schema`: prints and writes the JSON Schemas of the YAML files of a site.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use config::Config;
use content::sections::Kinds;
use diagnostics::problem::{Problem, Problems, did_you_mean};
use json_schema::DescribedFiles;
use workspace::{cache, files};

use super::{Format, GlobalOptions, stderr, stdout};

/// Where the editor settings of a new site name the schemas.
pub(super) const FOLDER: &str = ".vscode/schemas";

#[derive(Debug, Args)]
pub(super) struct SchemaArguments {
    /// The kind of file, such as `page`.
    kind: Option<String>,
    /// Write all schemas to this folder, as `KIND.json` [default: `.vscode/schemas` in the site's folder].
    #[arg(long, value_name = "FOLDER", conflicts_with = "kind")]
    #[expect(
        clippy::option_option,
        reason = "how clap expresses a flag with an optional value"
    )]
    write: Option<Option<PathBuf>>,
}

pub(super) fn schema(shared: &GlobalOptions, own: &SchemaArguments) -> u8 {
    // Mistakes in the settings are no matter of schemas: `sitegen check` reports them.
    let (config, _) = shared.config();
    let (kinds, mut problems) = config
        .as_ref()
        .map_or_else(|| (Kinds::of_theme(), Problems::new()), json_schema::kinds);
    let all = json_schema::files(config.as_ref(), &kinds);
    if let Some(name) = &own.kind {
        let Some(kind) = all.iter().find(|kind| kind.name == *name) else {
            let hint = did_you_mean(name, all.iter().map(|kind| kind.name.as_str()))
                .unwrap_or_else(|| "`sitegen schema` lists all kinds".to_owned());
            stderr(&format!(
                "error: there is no kind of file `{name}`\n  hint: {hint}\n"
            ));
            return 2;
        };
        stdout(&document(kind));
        return shared.report_beside(problems);
    }
    if let Some(folder) = &own.write {
        let folder = folder.as_ref().map_or_else(
            || shared.root.join(FOLDER),
            |folder| files::absolute(folder),
        );
        if let Err(problem) = write(&folder, &all) {
            problems.push(problem);
        }
        return shared.report_beside(problems);
    }
    list(shared, &all);
    0
}

fn write(folder: &Path, all: &[DescribedFiles]) -> Result<(), Problem> {
    all.iter().try_for_each(|kind| {
        let file = folder.join(format!("{}.json", kind.name));
        cache::keep(&file, document(kind).as_bytes())
            .map_err(|error| files::not_written(&file.to_string_lossy(), &error))
    })
}

/// Writes the schemas of a site again, if it has them: after one of its section kinds or collections was added.
pub(super) fn refresh(config: &Config) -> Result<(), Problem> {
    let folder = config.paths.root.join(FOLDER);
    if folder.is_dir() {
        write(
            &folder,
            &json_schema::files(Some(config), &json_schema::kinds(config).0),
        )
    } else {
        Ok(())
    }
}

/// The name and text of each schema of the files that every site has.
pub(super) fn documents(kinds: &Kinds) -> Vec<(String, String)> {
    json_schema::files(None, kinds)
        .iter()
        .map(|kind| (format!("{}.json", kind.name), document(kind)))
        .collect()
}

fn document(kind: &DescribedFiles) -> String {
    serde_json::to_string_pretty(&kind.schema).unwrap_or_default() + "\n"
}

fn list(shared: &GlobalOptions, all: &[DescribedFiles]) {
    if shared.format == Format::Json {
        let rows = all.iter();
        let rows = rows
            .map(|kind| json!({"kind": kind.name, "meaning": kind.meaning, "files": kind.files}));
        let rows: Vec<_> = rows.collect();
        stdout(&(serde_json::to_string_pretty(&rows).unwrap_or_default() + "\n"));
        return;
    }
    let width = all.iter().map(|kind| kind.name.len()).max().unwrap_or(0);
    for kind in all {
        stdout(&format!("{:width$}  {}\n", kind.name, kind.meaning));
        for files in &kind.files {
            stdout(&format!("{:width$}  {files}\n", ""));
        }
    }
}
