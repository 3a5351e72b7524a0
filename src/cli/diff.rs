//! `sitegen diff`: compares two outputs. A side that is a commit is built first, in a worktree of git below the cache
//! folder, where it finds the npm packages of the site.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use config::{self, Options};
use diagnostics::problem::{Code, Problem, ProblemSummary, Problems};
use diff::{self, Comparison, OutputFolder};
use generator::pipeline::{self, BuildScope, Finished, Purpose};
use site::Workspace;
use workspace::files;
use workspace::timings::Timings;

use super::{Format, GlobalOptions, stderr, stdout};

/// The exit status if something differs that a gate asks for.
const DIFFERS: u8 = 1;
/// The exit status if a side could not be read or built.
const TROUBLE: u8 = 2;

#[derive(Debug, Args)]
pub(super) struct DiffArguments {
    /// The old side: an output folder, or a commit, branch or tag.
    #[arg(value_name = "OLD")]
    old: String,
    /// The new side [default: the site's output folder].
    #[arg(value_name = "NEW")]
    new: Option<String>,
    /// Print Markdown, for a pull request.
    #[arg(long)]
    markdown: bool,
    /// The maximum length of the Markdown, in characters.
    #[arg(
        long,
        default_value_t = 60_000,
        value_name = "NUMBER",
        requires = "markdown"
    )]
    limit: usize,
    /// Exit with 1 if anything differs.
    #[arg(long)]
    exit_code: bool,
    /// Exit with 1 if a URL no longer works: a page was removed or moved without a redirect, or a redirect
    /// was removed.
    #[arg(long)]
    fail_on_lost: bool,
    /// Keep the commits' outputs in this folder, as `old` and `new`.
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
}

pub(super) fn diff(shared: &GlobalOptions, own: &DiffArguments) -> u8 {
    let root = files::absolute(&shared.root);
    let mut workshop = Workshop::new(&root, own.save.as_deref());
    let compared = compare(shared, own, &root, &mut workshop);
    workshop.clear();
    let comparison = match compared {
        Ok(comparison) => comparison,
        Err(problems) => {
            shared.report(problems, ProblemSummary::default());
            return TROUBLE;
        }
    };
    if shared.format == Format::Json {
        // The types have no keys that are not text.
        let json = serde_json::to_string_pretty(&comparison).unwrap_or_default();
        stdout(&format!("{json}\n"));
    } else if own.markdown {
        stdout(&diff::markdown(&comparison, own.limit));
    } else {
        stdout(&diff::text(&comparison));
    }
    let is_lost = own.fail_on_lost && comparison.lost().next().is_some();
    if is_lost || own.exit_code && !comparison.is_same() {
        DIFFERS
    } else {
        0
    }
}

fn compare(
    shared: &GlobalOptions,
    own: &DiffArguments,
    root: &Path,
    workshop: &mut Workshop,
) -> Result<Comparison, Problems> {
    let new = own
        .new
        .clone()
        .unwrap_or_else(|| config::out_of(&shared.options()).display().to_string());
    // Both sides are looked up before one of them is built.
    let sides = [("old", &own.old), ("new", &new)]
        .map(|(side, named)| (side, named, Side::of(root, named)));
    let mut folders = Vec::new();
    for (side, named, found) in sides {
        let folder = match found? {
            Side::Folder(folder) => folder,
            Side::Commit(commit) => {
                if !shared.quiet {
                    stderr(&format!("building {named}\n"));
                }
                workshop.build(shared, side, named, &commit)?
            }
        };
        folders.push(OutputFolder::read(&folder, root)?);
    }
    let [old, mut new] = <[OutputFolder; 2]>::try_from(folders).map_err(|_| Problems::new())?;
    Ok(diff::compare(&old, &mut new)?)
}

/// The kind of a side.
enum Side {
    Folder(PathBuf),
    /// The hash of a commit.
    Commit(String),
}

impl Side {
    fn of(root: &Path, named: &str) -> Result<Side, Problem> {
        let path = Path::new(named);
        if path.exists() {
            return Ok(Side::Folder(path.to_owned()));
        }
        // A name that begins with a hyphen would be an option.
        let commit = format!("{named}^{{commit}}");
        if !named.starts_with('-')
            && let Ok(hash) = git(
                root,
                &[
                    "rev-parse",
                    "--verify",
                    "--quiet",
                    "--end-of-options",
                    &commit,
                ],
            )
        {
            return Ok(Side::Commit(hash));
        }
        let message =
            format!("`{named}` is neither a folder nor a commit in the site's repository");
        Err(Problem::error(Code::DiffInput, message)
            .hint("name an output folder such as `dist`, or a commit, branch or tag"))
    }
}

/// The folder in which commits are built.
struct Workshop {
    root: PathBuf,
    /// Worktrees, and outputs that are not kept.
    folder: PathBuf,
    /// Where outputs stay.
    save: Option<PathBuf>,
    trees: Vec<Worktree>,
}

/// A worktree, and the folder of its repository.
struct Worktree {
    repository: PathBuf,
    tree: PathBuf,
}

impl Workshop {
    fn new(root: &Path, save: Option<&Path>) -> Workshop {
        let folder = root.join(format!(".sitegen/diff/{}", std::process::id()));
        Workshop {
            root: root.to_owned(),
            folder,
            save: save.map(files::absolute),
            trees: Vec::new(),
        }
    }

    /// Builds a commit, and returns its output.
    fn build(
        &mut self,
        shared: &GlobalOptions,
        side: &str,
        named: &str,
        commit: &str,
    ) -> Result<PathBuf, Problems> {
        let tree = self.folder.join(side).join("tree");
        let below = git(&self.root, &["rev-parse", "--show-prefix"])
            .map_err(|why| git_failed(named, &why))?;
        let above = git(&self.root, &["rev-parse", "--show-toplevel"])
            .map_err(|why| git_failed(named, &why))?;
        self.check_out(&self.root.clone(), &tree, commit)
            .map_err(|why| git_failed(named, &why))?;
        self.check_out_submodules(Path::new(&above), &tree, named)?;
        let outputs = self.save.clone().unwrap_or_else(|| self.folder.clone());
        let out = outputs.join(side).join("dist");
        let cache = shared
            .cache
            .clone()
            .unwrap_or_else(|| self.root.join(".sitegen/diff/cache").display().to_string());
        let options = Options {
            root: tree.join(below),
            out: Some(out.clone()),
            cache: Some(cache),
            ..shared.options()
        };
        let (config, mut problems) = config::load(&options);
        let report = config
            .filter(|_| !problems.has_errors())
            .and_then(|config| {
                let whole = BuildScope::Site(Workspace::open(config));
                let (finished, found) =
                    pipeline::build(whole, Purpose::Build, &|_| {}, &Timings::off());
                problems.extend(found);
                finished.map(Finished::into_report)
            });
        if report.is_some() && !problems.has_errors() {
            return Ok(out);
        }
        let message = format!("`{named}` could not be built; the problems are in that commit");
        problems.push(Problem::error(Code::DiffInput, message));
        Err(problems)
    }

    fn check_out(&mut self, repository: &Path, tree: &Path, commit: &str) -> Result<(), String> {
        let path = tree.display().to_string();
        git(
            repository,
            &["worktree", "add", "--detach", "--force", &path, commit],
        )?;
        self.trees.push(Worktree {
            repository: repository.to_owned(),
            tree: tree.to_owned(),
        });
        Ok(())
    }

    /// Checks out the submodules of a worktree, from those of the repository: the content of a site may be one. One that is
    /// not there is left out.
    fn check_out_submodules(
        &mut self,
        above: &Path,
        tree: &Path,
        named: &str,
    ) -> Result<(), Problem> {
        // Without submodules, the list is empty. A line has a mark, the commit, and the path.
        let list = git(tree, &["submodule", "status"]).unwrap_or_default();
        for (commit, path) in list
            .lines()
            .filter_map(|line| line.trim_start_matches(['-', '+', ' ']).split_once(' '))
        {
            let repository = above.join(path);
            if repository.join(".git").exists() {
                self.check_out(&repository, &tree.join(path), commit)
                    .map_err(|why| {
                        let hint = format!("fetch its commits: `git -C {path} fetch`");
                        let message = format!(
                            "git could not check out the submodule `{path}` of `{named}` ({why})"
                        );
                        Problem::error(Code::DiffInput, message).hint(hint)
                    })?;
            }
        }
        Ok(())
    }

    /// Removes what only this run needs. Worktrees in others come first.
    fn clear(&self) {
        for Worktree { repository, tree } in self.trees.iter().rev() {
            // Git removes none that has submodules.
            let _ = fs_err::remove_dir_all(tree);
            let _ = git(repository, &["worktree", "prune"]);
        }
        let _ = fs_err::remove_dir_all(&self.folder);
    }
}

fn git_failed(named: &str, why: &str) -> Problem {
    let hint = "run the command in a Git repository with its full history; `git fetch --unshallow` fetches it";
    Problem::error(
        Code::DiffInput,
        format!("git could not check out `{named}` ({why})"),
    )
    .hint(hint)
}

/// The output of a git command; its last message if it fails.
#[expect(clippy::disallowed_methods, reason = "runs a program of others")]
pub(super) fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    // Variables of a hook would name another repository.
    let command = Command::new("git")
        .current_dir(folder)
        .args(arguments)
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .output();
    let output = command.map_err(|error| files::reason(&error))?;
    let [out, error] = [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
    if output.status.success() {
        return Ok(out);
    }
    Err(error.lines().last().unwrap_or("no message").to_owned())
}
