//! `sitegen schema`: prints and writes the JSON Schemas of the YAML files of a site.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use config::Config;
use content::sections::Kinds;
use diagnostics::problem::{Problem, Problems, did_you_mean};
use workspace::kinds::Kind;
use workspace::{cache, files};

use super::{Format, GlobalOptions, stderr, stdout};

/// Where the editor settings of a new site name the schemas.
pub(super) const FOLDER: &str = ".vscode/schemas";

#[derive(Debug, Args)]
pub(super) struct SchemaArguments {
    /// The kind of file, such as `page`.
    kind: Option<String>,
    /// Write all schemas to this folder, as `KIND.json` [default: `.vscode/schemas` in the folder of the site].
    #[arg(long, value_name = "FOLDER", conflicts_with = "kind")]
    #[expect(
        clippy::option_option,
        reason = "how clap expresses a flag with an optional value"
    )]
    write: Option<Option<PathBuf>>,
}

/// A kind of file with its schema.
struct DescribedKind {
    name: String,
    meaning: String,
    files: Vec<String>,
    text: String,
}

pub(super) fn schema(shared: &GlobalOptions, own: &SchemaArguments) -> u8 {
    // Mistakes in the settings are no matter of schemas: `sitegen check` reports them.
    let (config, _) = shared.config();
    let (kinds, mut problems) = config
        .as_ref()
        .map_or_else(|| (Kinds::of_theme(), Problems::new()), json_schema::kinds);
    let all = described(config.as_ref(), &kinds);
    if let Some(name) = &own.kind {
        let Some(kind) = all.iter().find(|kind| kind.name == *name) else {
            let hint = did_you_mean(name, all.iter().map(|kind| kind.name.as_str()))
                .unwrap_or_else(|| "`sitegen schema` lists all kinds".to_owned());
            stderr(&format!(
                "error: there is no kind of file `{name}`\n  hint: {hint}\n"
            ));
            return 2;
        };
        stdout(&kind.text);
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

fn write(folder: &Path, all: &[DescribedKind]) -> Result<(), Problem> {
    all.iter().try_for_each(|kind| {
        let file = folder.join(format!("{}.json", kind.name));
        cache::keep(&file, kind.text.as_bytes())
            .map_err(|error| files::not_written(&file.to_string_lossy(), &error))
    })
}

/// Writes the schemas of a site again, if it has them: after one of its section kinds or collections was added.
pub(super) fn refresh(config: &Config) -> Result<(), Problem> {
    let folder = config.paths.root.join(FOLDER);
    if folder.is_dir() {
        write(
            &folder,
            &described(Some(config), &json_schema::kinds(config).0),
        )
    } else {
        Ok(())
    }
}

/// The kinds of files that every site has, and those of the collections of a site, sorted by name.
fn described(config: Option<&Config>, kinds: &Kinds) -> Vec<DescribedKind> {
    let of_collections = config.map(json_schema::of_collections).unwrap_or_default();
    // A site may add fields to posts.
    let of_sites =
        Kind::all().filter(|kind| of_collections.iter().all(|own| own.name != kind.name()));
    let of_sites = of_sites.map(|kind| DescribedKind {
        name: kind.name().to_owned(),
        meaning: kind.meaning().to_owned(),
        files: kind.patterns(),
        text: document(json_schema::schema_of(kind, kinds)),
    });
    let mut all: Vec<DescribedKind> = of_sites.collect();
    all.extend(of_collections.into_iter().map(|kind| DescribedKind {
        name: kind.name,
        meaning: kind.meaning,
        files: kind.files,
        text: document(kind.schema),
    }));
    all.sort_by(|one, next| one.name.cmp(&next.name));
    all
}

/// The name and text of each schema of the files that every site has.
pub(super) fn documents(kinds: &Kinds) -> Vec<(String, String)> {
    described(None, kinds)
        .into_iter()
        .map(|kind| (format!("{}.json", kind.name), kind.text))
        .collect()
}

/// A schema without the keywords that only the editors of sitegen know.
fn document(mut schema: Value) -> String {
    without_keywords(&mut schema);
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

fn without_keywords(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => {
            keywords.retain(|keyword, _| !keyword.starts_with("x-"));
            keywords.values_mut().for_each(without_keywords);
        }
        Value::Array(items) => items.iter_mut().for_each(without_keywords),
        _ => {}
    }
}

fn list(shared: &GlobalOptions, all: &[DescribedKind]) {
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
