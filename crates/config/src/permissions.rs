//! Permissions that content cannot give to itself: who edits `content/site.yaml` decides neither which folders of the
//! machine are read nor which host gets the credentials of a build. The environment does.

use std::path::{Path, PathBuf};

use diagnostics::problem::{Code, Problem, Problems};

use super::blog::{BlogSettings, BlogSource, SnapshotMode};
use super::{SiteSettings, environment};
use workspace::files::FileSet;

/// Folders of the system, in which files are programs, secrets, devices and the state of programs.
const OF_SYSTEM: [&str; 14] = [
    "/proc",
    "/sys",
    "/dev",
    "/etc",
    "/run",
    "/boot",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/var/run",
];
/// A file system in memory, which is below one of them.
const MEMORY: &str = "/dev/shm";
/// The folders that hold home folders.
const OF_HOMES: [&str; 2] = ["/home", "/Users"];
/// Home folders that are elsewhere.
const HOMES: [&str; 2] = ["/root", "/var/root"];

/// The canonical folders that the environment allows links to.
#[expect(
    clippy::disallowed_methods,
    reason = "these settings come from the environment"
)]
fn allowed_folders() -> Vec<PathBuf> {
    std::env::var_os(environment::LINKED_FOLDERS)
        .map(|folders| {
            std::env::split_paths(&folders)
                .filter_map(|folder| folder.canonicalize().ok())
                .collect()
        })
        .unwrap_or_default()
}

/// Lets `content` itself be a symbolic link if the environment allows it: the settings, which name other folders, are read
/// through this link.
pub fn with_linked_content(root: FileSet) -> FileSet {
    let content = root.join("content");
    match content.canonicalize() {
        Ok(folder)
            if content.is_symlink() && linked_problem(&folder, &allowed_folders()).is_none() =>
        {
            root.with_linked(vec![folder])
        }
        _ => root,
    }
}

/// Lets symbolic links of the site lead to the folders that its settings name and the environment allows.
pub fn with_linked(root: FileSet, site: &SiteSettings) -> (FileSet, Problems) {
    let allowed = allowed_folders();
    let mut problems = Problems::new();
    let mut folders = Vec::new();
    for named in &site.linked_folders {
        let problem = match root.join(&named.value).canonicalize() {
            Ok(folder) if folder.is_dir() => {
                let Some(problem) = linked_problem(&folder, &allowed) else {
                    folders.push(folder);
                    continue;
                };
                problem
            }
            _ => {
                let message = format!("there is no folder `{}`", named.value);
                let hint = "write its path relative to the site's folder, such as `../shared`";
                Problem::error(Code::InvalidValue, message).hint(hint)
            }
        };
        problems.push(problem.at(site.source.place(named.span)));
    }
    (root.with_linked(folders), problems)
}

fn linked_problem(folder: &Path, allowed: &[PathBuf]) -> Option<Problem> {
    let shown = folder.display();
    if is_never_linked(folder) {
        let message = format!(
            "symbolic links cannot point to `{shown}`, which contains files that do not belong to a site"
        );
        let hint = "name a folder that contains only files you can publish";
        return Some(Problem::error(Code::LinkOutside, message).hint(hint));
    }
    (!allowed.iter().any(|allowed| folder.starts_with(allowed))).then(|| {
        let message = format!(
            "`{shown}` is named in `content/`, but the environment does not allow symbolic links to it"
        );
        let hint = format!(
            "set `{}={shown}` in the environment that sitegen runs in, or add the folder if the variable is already set",
            environment::LINKED_FOLDERS
        );
        Problem::error(Code::LinkOutside, message).hint(hint)
    })
}

/// Says if a folder is the root, one of the system, a home folder, one that contains homes, or of Git.
#[expect(
    clippy::disallowed_methods,
    reason = "these settings come from the environment"
)]
fn is_never_linked(folder: &Path) -> bool {
    let home = std::env::var_os(environment::HOME)
        .and_then(|home| PathBuf::from(home).canonicalize().ok());
    let homes = HOMES.iter().map(PathBuf::from).chain(home);
    let is_of_system = OF_SYSTEM
        .iter()
        .any(|of_system| folder.starts_with(of_system) || Path::new(of_system).starts_with(folder));
    is_of_system && !folder.starts_with(MEMORY)
        || homes.into_iter().any(|home| home.starts_with(folder))
        || OF_HOMES
            .iter()
            .any(|homes| folder.parent() == Some(Path::new(homes)) || Path::new(homes) == folder)
        || folder.iter().any(|part| part == ".git")
}

/// The hosts that get the credentials of the environment, in lower case, with a port if one is named.
#[expect(
    clippy::disallowed_methods,
    reason = "these settings come from the environment"
)]
pub fn credential_hosts() -> Vec<String> {
    let hosts = std::env::var(environment::BLOG_HOST).unwrap_or_default();
    let split = hosts
        .split([',', ' '])
        .map(|host| host.trim().to_ascii_lowercase());
    split.filter(|host| !host.is_empty()).collect()
}

/// Says if `hosts` name the host of a URL, which then gets the credentials.
pub fn gets_credentials(hosts: &[String], url: &url::Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    let port = url.port_or_known_default().unwrap_or_default();
    hosts
        .iter()
        .any(|named| *named == host || *named == format!("{host}:{port}"))
}

/// Reports a CMS that content names and the environment does not, while there are credentials. They are not sent then,
/// and their owner should hear of it before the CMS answers that it does not know them.
pub fn check_credentials(
    blog: &BlogSettings,
    mode: SnapshotMode,
    hosts: &[String],
    site: &SiteSettings,
) -> Option<Problem> {
    if blog.source == BlogSource::Markdown || mode == SnapshotMode::Offline {
        return None;
    }
    let all = blog.url.iter().chain(blog.languages.values());
    let (written, url) = all
        .filter_map(|written| Some((written, url::Url::parse(&written.value).ok()?)))
        .find(|(_, url)| url.has_host() && !gets_credentials(hosts, url))?;
    let host = url.host_str().unwrap_or_default();
    let message = format!(
        "`{host}` is named only in `content/`, so it does not get the credentials in the environment"
    );
    let hint = format!(
        "set `{}={host}` in the same environment",
        environment::BLOG_HOST
    );
    Some(
        Problem::error(Code::BadSetting, message)
            .at(site.source.place(written.span))
            .hint(hint),
    )
}
