//! `sitegen cms`: writes the page of the forms for a published site, whose forms commit to a Git host.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};

use diagnostics::problem::{Code, Place, Problem, ProblemSummary, Problems};
use site::Workspace;
use workspace::{cache, files};

use desk::{Backend, PAGE_FILES, Scripts};

use super::{GlobalOptions, stdout};

/// The first line of a folder that this command wrote: other folders are not overwritten.
const MARK: &str =
    "# Written by `sitegen cms`. Headers of the page of the forms, for Netlify and Cloudflare.\n";

#[derive(Debug, Args)]
pub(super) struct CmsArguments {
    /// The folder to write the forms to.
    #[arg(default_value = "forms", value_name = "FOLDER")]
    folder: PathBuf,
    /// The Git host, by its name in Decap CMS: `github`, `gitlab`, `gitea`, `bitbucket`, `git-gateway` …
    #[arg(long, default_value = "github", value_name = "NAME")]
    backend: String,
    /// The repository, such as `company/website`.
    #[arg(long, value_name = "OWNER/NAME")]
    repo: Option<String>,
    /// The branch that the forms commit to.
    #[arg(long, default_value = "main", value_name = "NAME")]
    branch: String,
    /// Another key of Decap's `backend`, such as `base_url=https://login.example.com`. Repeatable.
    #[arg(long, value_name = "KEY=VALUE")]
    option: Vec<String>,
    /// Print the configuration without writing any files.
    #[arg(long)]
    print: bool,
}

pub(super) fn cms(shared: &GlobalOptions, own: &CmsArguments) -> u8 {
    let (config, mut problems) = shared.config();
    let Some(config) = config else {
        return shared.report(problems, ProblemSummary::default());
    };
    let workspace = Workspace::open(config);
    let config = workspace.config();
    problems.extend(workspace.problems());
    let written = backend(own).and_then(|backend| {
        let page = desk::config(config, Some(&workspace.site().site), &backend);
        if own.print {
            stdout(&(serde_json::to_string_pretty(&page["config"]).unwrap_or_default() + "\n"));
            return Ok(());
        }
        write(own, config, &page)
    });
    problems.extend(written.err().map(Problems::from).unwrap_or_default());
    shared.report_beside(problems)
}

fn backend(own: &CmsArguments) -> Result<Backend, Problem> {
    let mut keys = Map::new();
    keys.insert("name".to_owned(), json!(own.backend));
    keys.insert("branch".to_owned(), json!(own.branch));
    keys.extend(own.repo.iter().map(|repo| ("repo".to_owned(), json!(repo))));
    if own.repo.is_none() && own.backend != "git-gateway" {
        let problem = Problem::error(
            Code::BadSetting,
            format!("the backend `{}` needs a repository", own.backend),
        );
        return Err(problem.hint("add `--repo OWNER/NAME`"));
    }
    for option in &own.option {
        let Some((key, value)) = option.split_once('=') else {
            let problem = Problem::error(
                Code::BadSetting,
                format!("`--option {option}` has no value"),
            );
            return Err(problem.hint("write `--option KEY=VALUE`"));
        };
        keys.insert(key.to_owned(), json!(value));
    }
    Ok(Backend::Git(keys))
}

fn write(own: &CmsArguments, config: &config::Config, page: &Value) -> Result<(), Problem> {
    let folder = config.paths.root.join(&own.folder);
    let shown = files::shown(&config.paths.root, &folder);
    let headers = folder.join("_headers");
    let is_own = std::fs::read_to_string(&headers).is_ok_and(|text| text.starts_with(MARK));
    let is_empty = std::fs::read_dir(&folder).map_or(true, |mut entries| entries.next().is_none());
    if !is_own && !is_empty {
        let problem = Problem::error(
            Code::NewRefused,
            "this folder already exists, and `sitegen cms` didn't write it",
        );
        return Err(problem
            .at(Place::file(shown))
            .hint("name another folder: `sitegen cms FOLDER`"));
    }
    let scripts = Scripts::fetch(&config.paths.cache)?;
    // First of all, so that a folder that was written halfway can be written again.
    let headers = format!("{MARK}/*\n  Content-Security-Policy: {}\n", policy());
    let mut written = vec![("_headers".to_owned(), headers.into_bytes())];
    written.extend(scripts.paths().into_iter().map(|path| {
        let script = scripts.read(&path).unwrap_or_default();
        (path, script)
    }));
    written.extend(
        PAGE_FILES
            .iter()
            .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())),
    );
    let page = serde_json::to_string(page).unwrap_or_default() + "\n";
    written.push(("config.json".to_owned(), page.into_bytes()));
    for (name, bytes) in written {
        cache::keep(&folder.join(&name), &bytes)
            .map_err(|error| files::not_written(&format!("{shown}/{name}"), &error))?;
    }
    stdout(&format!(
        "wrote the forms to {shown}/; publish this folder at a separate URL\n"
    ));
    Ok(())
}

/// The Content Security Policy of the page: the API and the images of a Git host can be on any host.
fn policy() -> String {
    desk::POLICY
        .replace("connect-src 'self'", "connect-src 'self' https:")
        .replace("img-src 'self'", "img-src 'self' https:")
}
