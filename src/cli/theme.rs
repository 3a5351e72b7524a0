//! The theme in the program, and `sitegen theme`: lists its files, copies those that a site changes, and compares them.

mod merge;

use std::collections::{BTreeMap, BTreeSet};

use clap::{Args, Subcommand};
use include_dir::{Dir, include_dir};

use config::theme::{FOLDERS, LOCK, Theme};
use diagnostics::problem::{Code, Place, Problem, ProblemSummary, Problems, Source, did_you_mean};
use diagnostics::yaml::{self, Node, Value};
use workspace::files::FileSet;
use workspace::kinds::Kind;
use workspace::{cache, files};

use super::{GlobalOptions, stdout};

static TEMPLATES: Dir = include_dir!("$CARGO_MANIFEST_DIR/templates");
static REACT: Dir = include_dir!("$CARGO_MANIFEST_DIR/react");
/// Interface words, which a site takes over one by one, and the settings with which TypeScript is compiled.
static OTHERS: [(&str, &[u8]); 11] = [
    (
        "content/locales/en.yaml",
        include_bytes!("../../content/locales/en.yaml"),
    ),
    (
        "content/locales/es.yaml",
        include_bytes!("../../content/locales/es.yaml"),
    ),
    (
        "content/locales/ar.yaml",
        include_bytes!("theme/locales/ar.yaml"),
    ),
    (
        "content/locales/de.yaml",
        include_bytes!("theme/locales/de.yaml"),
    ),
    (
        "content/locales/fr.yaml",
        include_bytes!("theme/locales/fr.yaml"),
    ),
    (
        "content/locales/it.yaml",
        include_bytes!("theme/locales/it.yaml"),
    ),
    (
        "content/locales/nl.yaml",
        include_bytes!("theme/locales/nl.yaml"),
    ),
    (
        "content/locales/pl.yaml",
        include_bytes!("theme/locales/pl.yaml"),
    ),
    (
        "content/locales/pt-BR.yaml",
        include_bytes!("theme/locales/pt-BR.yaml"),
    ),
    (
        "content/locales/zh-Hans.yaml",
        include_bytes!("theme/locales/zh-Hans.yaml"),
    ),
    ("tsconfig.json", include_bytes!("../../tsconfig.json")),
];

/// The lines around a difference that `theme diff` shows.
const CONTEXT: usize = 3;

#[derive(Debug, Args)]
pub(super) struct ThemeArguments {
    #[command(subcommand)]
    command: ThemeCommand,
}

#[derive(Debug, Subcommand)]
enum ThemeCommand {
    /// List the theme's and the site's files, and show which ones the site overrides.
    List,
    /// Print theme files, such as one with a macro that a template imports.
    Show {
        /// A file or folder in the theme: `components/figure`, `layouts/base.html`.
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<String>,
    },
    /// Copy theme files into the site to change them there.
    Copy {
        /// A file or folder in the theme: `sections/hero`, `islands/menu`, `templates/layouts/base.html`, `locales/en`.
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<String>,
        /// Replace the site's copies.
        #[arg(long)]
        force: bool,
        /// Copy nothing; record that the site's copies are up to date with the theme.
        #[arg(long, conflicts_with = "force")]
        keep: bool,
    },
    /// Merge the theme's changes to copied files with the site's changes.
    Merge {
        /// Files or folders [default: all copied files].
        #[arg(value_name = "PATH")]
        paths: Vec<String>,
    },
    /// Show how the site's files differ from the theme's, or what has changed since an upgrade.
    Diff {
        /// Files or folders [default: all theme files that the site overrides].
        #[arg(value_name = "PATH")]
        paths: Vec<String>,
    },
}

/// The section kinds of this repository's own site, in the folder of the theme's kinds. No other site is offered them.
const OWN_KINDS: [&str; 1] = ["sections/scroll_test/"];

/// The theme that this program brings.
pub(super) fn embedded() -> Theme {
    let mut files: BTreeMap<String, &'static [u8]> = BTreeMap::new();
    for (folder, dir) in FOLDERS.into_iter().zip([&TEMPLATES, &REACT]) {
        let of_theme =
            files_of(dir).filter(|(path, _)| !OWN_KINDS.iter().any(|own| path.starts_with(own)));
        files.extend(of_theme.map(|(path, bytes)| (format!("{folder}/{path}"), bytes)));
    }
    files.extend(
        OTHERS
            .iter()
            .map(|(path, bytes)| ((*path).to_owned(), *bytes)),
    );
    Theme::new(env!("CARGO_PKG_VERSION"), files)
}

/// All files below a folder in the program, with forward slashes, without tests and those of editors.
pub(super) fn files_of(dir: &'static Dir) -> Box<dyn Iterator<Item = (String, &'static [u8])>> {
    let own = dir.files().map(|file| {
        (
            file.path().to_string_lossy().replace('\\', "/"),
            file.contents(),
        )
    });
    let own = own.filter(|(path, _)| is_wanted(path));
    Box::new(own.chain(dir.dirs().flat_map(files_of)))
}

pub(super) fn theme(shared: &GlobalOptions, own: ThemeArguments) -> u8 {
    let (root, theme) = (FileSet::open(&shared.root), embedded());
    let mut problems = Problems::new();
    let text = match own.command {
        ThemeCommand::List => list(&root, &theme),
        ThemeCommand::Show { paths } => show(&theme, &problems.take(named(&theme, &paths))),
        ThemeCommand::Copy { paths, force, keep } => {
            if let Err(problem) = config::check_site(&shared.root) {
                return shared.report(problem.into(), ProblemSummary::default());
            }
            let files = problems.take(named(&theme, &paths));
            if keep {
                note(&root, &theme, files, &mut problems)
            } else {
                copy(&root, &theme, files, force, &mut problems)
            }
        }
        ThemeCommand::Diff { paths } => {
            let files = if paths.is_empty() {
                theme.files().map(|(path, _)| path.to_owned()).collect()
            } else {
                problems.take(named(&theme, &paths))
            };
            let copies: BTreeMap<String, Option<Vec<u8>>> = theme
                .copies(&root)
                .into_iter()
                .map(|copy| (copy.path, copy.base))
                .collect();
            let base = files
                .iter()
                .map(|path| (path, copies.get(path).and_then(Option::as_deref)));
            base.filter_map(|(path, base)| diff(&root, &theme, path, base))
                .collect()
        }
        ThemeCommand::Merge { paths } => {
            if let Err(problem) = config::check_site(&shared.root) {
                return shared.report(problem.into(), ProblemSummary::default());
            }
            let copied: Vec<String> = theme
                .copies(&root)
                .into_iter()
                .map(|copy| copy.path)
                .collect();
            for path in paths
                .iter()
                .filter(|path| !copied.iter().any(|file| is_named(file, path)))
            {
                let message = format!("the site has no copy of `{path}`");
                let near = did_you_mean(path, copied.iter().map(String::as_str));
                problems.push(Problem::error(Code::ThemeFile, message).maybe_hint(near));
            }
            merge::merge(
                &root,
                &theme,
                &|file: &str| paths.is_empty() || paths.iter().any(|path| is_named(file, path)),
                &mut problems,
            )
        }
    };
    let status = shared.report(problems, ProblemSummary::default());
    if !shared.format.is_document() {
        stdout(&text);
    }
    status
}

fn list(root: &FileSet, theme: &Theme) -> String {
    let theirs = theme
        .files()
        .map(|(path, bytes)| match fs_err::read(root.join(path)) {
            Ok(own) if own == bytes => format!("same    {path}\n"),
            Ok(_) => format!("changed {path}\n"),
            Err(_) => format!("theme   {path}\n"),
        });
    // Folders that the theme does not have: sections, islands and collections of the site's own.
    let own = FOLDERS
        .iter()
        .flat_map(|folder| root.list(&root.join(folder)).0);
    let own = own
        .map(|path| files::shown(root, &path))
        .filter(|path| theme.get(path).is_none() && is_wanted(path));
    theirs
        .chain(own.map(|path| format!("own     {path}\n")))
        .collect::<Vec<_>>()
        .concat()
}

/// The texts of files; before each of several stands its path.
fn show(theme: &Theme, files: &BTreeSet<String>) -> String {
    let texts =
        files.iter().map(
            |path| match str::from_utf8(theme.get(path).unwrap_or_default()) {
                Ok(text) if files.len() == 1 => text.to_owned(),
                Ok(text) => format!("==> {path}\n{}\n\n", text.trim_end()),
                Err(_) => format!("==> {path}\nnot a text file\n\n"),
            },
        );
    texts.collect()
}

/// Whether a file is a part of a theme: no test, and none of an editor.
fn is_wanted(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    !files::is_litter(name) && !name.contains(".test.")
}

/// Whether a path names a file or the folder that it is in. Folders may be named without `templates/`, `react/` or
/// `content/`.
fn is_named(file: &str, path: &str) -> bool {
    let wanted = path.trim_start_matches("./").trim_end_matches('/');
    let below = ["templates/", "react/", "content/"]
        .iter()
        .filter_map(|folder| file.strip_prefix(folder));
    std::iter::once(file).chain(below).any(|file| {
        file == wanted
            || file
                .strip_prefix(wanted)
                .is_some_and(|rest| rest.starts_with('/') || rest == ".yaml")
    })
}

/// The files of the theme that these paths name.
fn named(theme: &Theme, paths: &[String]) -> (BTreeSet<String>, Problems) {
    let (mut found, mut problems) = (BTreeSet::new(), Problems::new());
    for path in paths {
        let wanted = path.trim_start_matches("./").trim_end_matches('/');
        let before = found.len();
        found.extend(
            theme
                .files()
                .map(|(file, _)| file)
                .filter(|file| is_named(file, path))
                .map(str::to_owned),
        );
        if found.len() == before && !found.iter().any(|file| is_named(file, path)) {
            let folders: BTreeSet<&str> = theme
                .files()
                .filter_map(|(file, _)| file.split_once('/')?.1.rsplit_once('/'))
                .map(|(folder, _)| folder)
                .collect();
            let problem = Problem::error(
                Code::ThemeFile,
                format!("the theme has no file or folder `{path}`"),
            );
            // Without the folder above it: `hero`.
            let whole = folders
                .iter()
                .find(|folder| folder.rsplit('/').next() == Some(wanted));
            let hint = whole.map(|folder| format!("did you mean `{folder}`?"));
            problems.push(
                problem.maybe_hint(hint.or_else(|| did_you_mean(wanted, folders.iter().copied()))),
            );
        }
    }
    (found, problems)
}

fn copy(
    root: &FileSet,
    theme: &Theme,
    files: BTreeSet<String>,
    force: bool,
    problems: &mut Problems,
) -> String {
    let changed = files.iter().filter(|path| {
        !force && fs_err::read(root.join(path)).is_ok_and(|own| Some(&own[..]) != theme.get(path))
    });
    for path in changed {
        let problem = Problem::error(
            Code::ThemeFile,
            "the site already has this file, with different content",
        );
        problems.push(
            problem
                .at(Place::file(path.as_str()))
                .hint("add `--force` to replace it; nothing was copied"),
        );
    }
    if problems.has_errors() {
        return String::new();
    }
    let mut copied = Vec::new();
    for path in files {
        match cache::keep(&root.join(&path), theme.get(&path).unwrap_or_default()) {
            Ok(()) => copied.push(path),
            Err(error) => problems.push(files::not_written(&path, &error)),
        }
    }
    lock(root, theme, &copied, problems);
    lines("copied", &copied)
}

fn note(root: &FileSet, theme: &Theme, files: BTreeSet<String>, problems: &mut Problems) -> String {
    let own: Vec<String> = files
        .into_iter()
        .filter(|path| root.join(path).is_file())
        .collect();
    lock(root, theme, &own, problems);
    lines("recorded", &own)
}

fn lines(verb: &str, paths: &[String]) -> String {
    paths
        .iter()
        .map(|path| format!("{verb} {path}\n"))
        .collect::<Vec<_>>()
        .concat()
}

fn lock(root: &FileSet, theme: &Theme, paths: &[String], problems: &mut Problems) {
    if !paths.is_empty()
        && let Err(error) = theme.lock(root, paths, &[])
    {
        problems.push(files::not_written(LOCK, &error));
    }
}

/// A patch from one side to another, each with its name.
fn patch(path: &str, from: (&str, &str), to: (&str, &str)) -> String {
    let (before, after) = (format!("{}/{path}", from.0), format!("{}/{path}", to.0));
    let diff = similar::TextDiff::from_lines(from.1, to.1);
    diff.unified_diff()
        .context_radius(CONTEXT)
        .header(&before, &after)
        .to_string()
}

/// How the site's own file differs, as a patch; `None` if the site has none, or the same. If the theme has changed it since
/// it was copied, there are two patches of the base: what the site has changed, and what the theme has.
fn diff(root: &FileSet, theme: &Theme, path: &str, base: Option<&[u8]>) -> Option<String> {
    let (own, of_theme) = (fs_err::read(root.join(path)).ok()?, theme.get(path)?);
    if own == of_theme {
        return None;
    }
    let (Ok(own), Ok(of_theme)) = (str::from_utf8(&own), str::from_utf8(of_theme)) else {
        return Some(format!("{path} differs, but is not a text file\n"));
    };
    if let Some(base) = base
        .filter(|base| *base != of_theme.as_bytes())
        .and_then(|base| str::from_utf8(base).ok())
    {
        let base = ("base", base);
        return Some(patch(path, base, ("site", own)) + &patch(path, base, ("theme", of_theme)));
    }
    let shared = if Kind::Locale.has(path) {
        shared_words(path, own, of_theme)
    } else {
        None
    };
    let of_theme = shared.as_deref().unwrap_or(of_theme);
    Some(patch(path, ("theme", of_theme), ("site", own)))
}

/// The theme's words without those that the site's file does not have: a site takes over one by one, so the others are
/// not removed. `None` if a file is no YAML.
fn shared_words(path: &str, own: &str, of_theme: &str) -> Option<String> {
    let [of_site, parsed] = [own, of_theme].map(|text| {
        let source = Source::new(path.to_owned(), text.to_owned());
        yaml::parse(&source, 0..text.len()).ok()
    });
    let mut unshared = Vec::new();
    unshared_keys(&of_site?, &parsed?, of_theme.len(), &mut unshared);
    let (mut shared, mut end) = (String::new(), 0);
    for line in of_theme.split_inclusive('\n') {
        end += line.len();
        // The key begins somewhere in its line.
        let is_unshared = unshared
            .iter()
            .any(|range| range.start < end && end <= range.end);
        let is_note = line.trim().is_empty() || line.trim().starts_with('#');
        if !is_unshared && (!is_note || own.lines().any(|own| own.trim() == line.trim())) {
            shared.push_str(line);
        }
    }
    Some(shared)
}

/// The ranges of the keys that `own` does not have, each to the next key.
fn unshared_keys(own: &Node, theme: &Node, end: usize, found: &mut Vec<std::ops::Range<usize>>) {
    let Value::Map(entries) = &theme.value else {
        return;
    };
    for (at, (key, value)) in entries.iter().enumerate() {
        let start = key.span.start as usize;
        let end = entries
            .get(at + 1)
            .map_or(end, |(next, _)| next.span.start as usize);
        match own.get(&key.name) {
            Some(own) => unshared_keys(own, value, end, found),
            None => found.push(start..end),
        }
    }
}
