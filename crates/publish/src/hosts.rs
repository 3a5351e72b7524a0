//! Writes the configuration with which several hosts answer as `sitegen serve` does.
//!
//! [`Rules`] is the one table: response headers, redirects, numbered pages, error pages. `serve` follows it directly;
//! one file per host translates it. `_headers` and `_redirects` are written to `dist/`, where hosts look for them.
//! Configuration of a server or an AWS account is not public, so `sitegen hosts` writes it to another folder.

mod cloudfront;
mod file_limits;
mod languages;
mod netlify;
mod nginx;
mod rules;

use std::path::{Path, PathBuf};

use assets::output::Output;
use config::{Config, Host};
use diagnostics::problem::{Code, Place, Problem, Problems, Span};
use workspace::{cache, files};

pub(crate) use file_limits::FileLimits;
pub use languages::{SiteHost, local, with_local_links};
pub use rules::{HeaderScope, Rules, ScopedHeader};

/// A comment in every file of `sitegen hosts`. A file without it is not replaced.
const MARK: &str = "Made by `sitegen hosts`";

/// A configuration file that is not published.
#[derive(Debug, Clone)]
pub struct PrivateFile {
    /// Its name.
    pub name: &'static str,
    /// Its content.
    pub text: String,
}

/// The configuration files in `dist/`, for Netlify and Cloudflare.
pub fn public_files(config: &Config, rules: &Rules) -> (Vec<Output>, Problems) {
    match config.site.host {
        None | Some(Host::Netlify | Host::Cloudflare) => netlify::files(config, rules),
        Some(Host::GithubPages) => {
            let mut problems = query_limit(config, rules, "GitHub Pages");
            problems.extend(host_limit(
                config,
                rules,
                "GitHub Pages",
                "publish the languages on one host",
            ));
            if let Some(folder) = rules.folders.keys().next() {
                let message = format!(
                    "GitHub Pages has no redirect rules, so `{folder}*` only redirects `{folder}`"
                );
                let hint = "redirect to a folder of the site (`to: /new/*`), or list the old URLs one by one";
                problems.push(limit(config, "redirects", message, hint));
            }
            (Vec::new(), problems)
        }
        Some(Host::Nginx | Host::Cloudfront) => (Vec::new(), Problems::new()),
    }
}

/// The configuration files for nginx and CloudFront.
pub fn private_files(config: &Config, rules: &Rules) -> (Vec<PrivateFile>, Problems) {
    let (mut files, mut problems) = (Vec::new(), Problems::new());
    if config.site.host != Some(Host::Cloudfront) {
        files.push(PrivateFile {
            name: "nginx.conf",
            text: nginx::snippet(rules),
        });
        files.push(PrivateFile {
            name: "nginx-api.conf",
            text: nginx::api(rules),
        });
    }
    if config.site.host != Some(Host::Nginx) {
        let function = cloudfront::function(rules);
        problems.extend(cloudfront::limits(config, rules, &function));
        let template = problems.take(cloudfront::template(config, rules, &function));
        files.push(PrivateFile {
            name: "cloudfront-function.js",
            text: function,
        });
        files.push(PrivateFile {
            name: "cloudfront-template.json",
            text: template,
        });
    }
    (files, problems)
}

/// Writes the private files to a folder and returns their paths. An error, without writing anything, if the folder is
/// public, or if a file that sitegen did not write would be replaced.
pub fn write(
    config: &Config,
    folder: &Path,
    private_files: &[PrivateFile],
) -> Result<Vec<PathBuf>, Problem> {
    if folder.starts_with(&config.paths.out) {
        let message = format!(
            "`{}` is in the output folder, which is public",
            folder.display()
        );
        return Err(
            Problem::error(Code::OutInside, message).hint("name another folder, such as `deploy`")
        );
    }
    let paths: Vec<PathBuf> = private_files
        .iter()
        .map(|file| folder.join(file.name))
        .collect();
    for path in &paths {
        let kind = std::fs::symlink_metadata(path);
        // Behind a link is a file of somebody else, whatever it contains.
        let is_ours = kind.as_ref().is_ok_and(std::fs::Metadata::is_file)
            && std::fs::read(path)
                .is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(MARK));
        if kind.is_ok() && !is_ours {
            let problem = Problem::error(
                Code::ForeignFile,
                "`sitegen hosts` did not write this file and would replace it",
            );
            let place = Place::file(files::shown(&config.paths.root, path));
            return Err(problem
                .at(place)
                .hint("move the file elsewhere, or name another folder"));
        }
    }
    let mut files = paths.iter().zip(private_files);
    let written = fs_err::create_dir_all(folder)
        .and_then(|()| files.try_for_each(|(path, file)| cache::keep(path, file.text.as_bytes())));
    written.map(|()| paths).map_err(|error| {
        let message = format!(
            "`{}` could not be written ({})",
            folder.display(),
            files::reason(&error)
        );
        Problem::error(Code::OutFailed, message)
    })
}

/// The warning for redirects from paths with a parameter, which a host without such rules would ignore.
fn query_limit(config: &Config, rules: &Rules, host: &str) -> Problems {
    let mut problems = Problems::new();
    let mut queries = rules.each_query();
    if let Some((path, name, value, _)) = queries.next() {
        let redirects = match 1 + queries.count() {
            1 => format!("the redirect `{path}?{name}={value}` does"),
            count => format!("{count} redirects such as `{path}?{name}={value}` do"),
        };
        let message = format!("{host} ignores the query of a URL, so {redirects} nothing there");
        let hint =
            "remove redirects with a query, or name a different `host` in `content/site.yaml`";
        problems.push(limit(config, "redirects", message, hint));
    }
    problems
}

/// The warning for languages on hosts of their own, which a host without rules for them would all answer alike.
fn host_limit(config: &Config, rules: &Rules, host: &str, hint: &str) -> Problems {
    let Some(SiteHost { name, home, .. }) = rules.hosts.get(1) else {
        return Problems::new();
    };
    let message = format!(
        "{host} can't apply redirect files to individual hosts, so `{name}/` does not redirect to `{}`",
        rules.href(home)
    );
    limit(config, "base_urls", message, hint).into()
}

/// The warning for a rule that a host would ignore or reject, at the `key` of `site.yaml` that it comes from.
fn limit(config: &Config, key: &str, message: String, hint: &str) -> Problem {
    let (text, pattern) = (&config.site.source.text, format!("{key}:"));
    let mut matches = text.match_indices(&pattern).map(|(at, _)| at);
    let at = matches.find(|at| *at == 0 || text[..*at].ends_with('\n'));
    let place = at.map_or_else(
        || Place::file(config.site.source.path.clone()),
        |at| config.site.source.place(Span::new(at, at + key.len())),
    );
    Problem::warning(Code::HostLimit, message)
        .at(place)
        .hint(hint)
}
