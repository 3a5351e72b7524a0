//! What a host must know to answer as `sitegen serve` does, in the languages of several hosts.
//!
//! [`Rules`] is the one table: response headers, redirects, numbered pages, error pages. `serve` follows it itself; the
//! files below translate it. `_headers` and `_redirects` lie in `dist/`, where their hosts look for them. What the owner
//! of a server or an AWS account configures is written elsewhere by `sitegen hosts`, since it is not for visitors.

mod cloudfront;
pub mod content_types;
mod netlify;
mod nginx;
mod rules;

use std::path::{Path, PathBuf};

use crate::config::{Config, Host};
use crate::files;
use crate::output::Output;
use diagnostics::problem::{Code, Place, Problem, Problems, Span};

pub use rules::{Header, Rules, Scope};

/// Begins every file of `sitegen hosts`, so that it is known again and may be replaced.
const MARK: &str = "Made by `sitegen hosts`";

/// A file for whoever configures a host.
#[derive(Debug, Clone)]
pub struct PrivateFile {
    /// Its name.
    pub name: &'static str,
    /// What stands in it.
    pub text: String,
}

/// The files of `dist/` that tell a host what to do.
pub fn public_files(config: &Config, rules: &Rules) -> (Vec<Output>, Problems) {
    match config.site.host {
        None | Some(Host::Netlify | Host::Cloudflare) => netlify::files(config, rules),
        Some(Host::Nginx | Host::Cloudfront | Host::GithubPages) => (Vec::new(), Problems::new()),
    }
}

/// The files for whoever configures a server or a distribution.
pub fn private_files(config: &Config, rules: &Rules) -> (Vec<PrivateFile>, Problems) {
    let (mut files, mut problems) = (Vec::new(), Problems::new());
    if config.site.host != Some(Host::Cloudfront) {
        files.push(PrivateFile { name: "nginx.conf", text: nginx::snippet(rules) });
    }
    if config.site.host != Some(Host::Nginx) {
        let function = cloudfront::function(rules);
        problems.extend(cloudfront::limits(config, rules, &function));
        let template = problems.take(cloudfront::template(config, rules, &function));
        files.push(PrivateFile { name: "cloudfront-function.js", text: function });
        files.push(PrivateFile { name: "cloudfront-template.json", text: template });
    }
    (files, problems)
}

/// Writes the private files into a folder and gives their paths. Nothing is written when one of them would replace
/// what somebody else wrote, or would lie among the public files.
pub fn write(config: &Config, folder: &Path, private_files: &[PrivateFile]) -> Result<Vec<PathBuf>, Problem> {
    if folder.starts_with(&config.out) {
        let message = format!("`{}` lies in the output folder, which is public", folder.display());
        return Err(Problem::error(Code::OutInside, message).hint("name another folder, such as `deploy`"));
    }
    let failed = |error: std::io::Error| {
        let message = format!("`{}` could not be written ({})", folder.display(), files::reason(&error));
        Problem::error(Code::OutFailed, message)
    };
    let paths: Vec<PathBuf> = private_files.iter().map(|file| folder.join(file.name)).collect();
    for path in &paths {
        let is_ours = std::fs::read(path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(MARK));
        if std::fs::symlink_metadata(path).is_ok() && !is_ours {
            let problem = Problem::error(Code::ForeignFile, "`sitegen hosts` did not write this, and would replace it");
            let place = Place::file(files::shown(&config.root, path));
            return Err(problem.at(place).hint("move it away, or name another folder"));
        }
    }
    fs_err::create_dir_all(folder).map_err(failed)?;
    for (path, file) in paths.iter().zip(private_files) {
        fs_err::write(path, &file.text).map_err(failed)?;
    }
    Ok(paths)
}

/// A rule that a host would pass over, or refuse; reported at the key of `site.yaml` that it comes from.
fn limit(config: &Config, key: &str, message: String, hint: &str) -> Problem {
    let (text, written) = (&config.source.text, format!("{key}:"));
    let mut found = text.match_indices(&written).map(|(at, _)| at);
    let at = found.find(|at| *at == 0 || text[..*at].ends_with('\n'));
    let place = at.map_or_else(
        || Place::file(config.source.path.clone()),
        |at| config.source.place(Span::new(at, at + key.len())),
    );
    Problem::warning(Code::HostLimit, message).at(place).hint(hint)
}
