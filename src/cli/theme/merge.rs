//! `sitegen theme merge`: takes over what the theme has changed in the files that a site has copied, beside the site's own
//! changes. Both are compared with the file as it was copied, which is kept in `.theme-base/`.

use std::collections::BTreeSet;

use config::theme::{LOCK, Theme, ThemeCopy};
use diagnostics::problem::{Code, Place, Problem, Problems};
use workspace::files::FileSet;
use workspace::{cache, files};

/// The sides of a conflict, as its markers name them.
const SIDES: [(&str, &str); 3] = [
    ("<<<<<<< ours", "<<<<<<< site"),
    ("||||||| original", "||||||| base"),
    (">>>>>>> theirs", ">>>>>>> theme"),
];
/// How alike a file and the base of a copy are, at least, if the theme has moved it.
const IS_MOVED: f32 = 0.6;

/// The outcome for a copy.
enum MergeOutcome {
    /// The site's file is this text now.
    Merged(String),
    /// The same, with conflict markers.
    Conflicts(String),
    /// The site has what the theme has.
    Same,
}

/// Merges the copies that `is_wanted` selects. Prints a line for each that is not as it was.
pub(super) fn merge(
    root: &FileSet,
    theme: &Theme,
    is_wanted: &dyn Fn(&str) -> bool,
    problems: &mut Problems,
) -> String {
    let (mut lines, mut done, mut moved) = (String::new(), Vec::new(), Vec::new());
    let copies = theme.copies(root);
    let copied: BTreeSet<&str> = copies.iter().map(|copy| copy.path.as_str()).collect();
    for copy in copies.iter().filter(|copy| is_wanted(&copy.path)) {
        let (mut path, is_there) = (copy.path.as_str(), root.join(&copy.path).is_file());
        if theme.get(path).is_none() {
            match moved_to(theme, copy, &copied) {
                // The site has followed.
                Some(to) if !is_there && root.join(to).is_file() => {
                    moved.push(path.to_owned());
                    path = to;
                }
                to => {
                    problems.extend(
                        is_there
                            .then(|| gone(path, to))
                            .map(Problems::from)
                            .unwrap_or_default(),
                    );
                    continue;
                }
            }
        }
        let (Ok(own), Some(of_theme)) = (fs_err::read(root.join(path)), theme.get(path)) else {
            continue;
        };
        if copy.base.as_deref() == Some(of_theme) && path == copy.path {
            continue;
        }
        match merged(&own, copy.base.as_deref(), of_theme) {
            Ok(MergeOutcome::Same) => {}
            Ok(MergeOutcome::Merged(text) | MergeOutcome::Conflicts(text)) => {
                if let Err(error) = cache::keep(&root.join(path), text.as_bytes()) {
                    problems.push(files::not_written(path, &error));
                    continue;
                }
                match files::conflict(path, &text) {
                    Some(problem) => {
                        lines.extend(["conflict ", path, "\n"]);
                        problems.push(problem);
                    }
                    None => lines.extend(["merged   ", path, "\n"]),
                }
            }
            Err((message, hint)) => {
                problems.push(
                    Problem::warning(Code::ThemeChanged, message)
                        .at(Place::file(path))
                        .hint(hint),
                );
                continue;
            }
        }
        done.push(path.to_owned());
    }
    // Last: a run that was killed merges again, and what was merged is the same on both sides then.
    if !done.is_empty()
        && let Err(error) = theme.lock(root, &done, &moved)
    {
        problems.push(files::not_written(LOCK, &error));
    }
    lines
}

fn merged(
    own: &[u8],
    base: Option<&[u8]>,
    of_theme: &'static [u8],
) -> Result<MergeOutcome, (&'static str, String)> {
    if own == of_theme {
        return Ok(MergeOutcome::Same);
    }
    let (Ok(own_text), Ok(theme_text)) = (str::from_utf8(own), str::from_utf8(of_theme)) else {
        let hint = "copy the changes by hand, then run `sitegen theme copy --keep PATH`".to_owned();
        return Err((
            "both the theme and the site have changed this file, which isn't text",
            hint,
        ));
    };
    // An unchanged copy follows the theme.
    if base == Some(own) {
        return Ok(MergeOutcome::Merged(theme_text.to_owned()));
    }
    let Some(base) = base.and_then(|base| str::from_utf8(base).ok()) else {
        let hint =
            "compare your copy with the theme's file by running `sitegen theme diff`, then run `sitegen theme copy --keep PATH`"
                .to_owned();
        return Err((
            "the theme has changed this file, but the originally copied version is not in `.theme-base/`",
            hint,
        ));
    };
    // A checkout on Windows may have other ends of lines.
    let unix = own_text.replace("\r\n", "\n");
    let result = diffy::merge(base, &unix, theme_text);
    let is_windows = own_text.contains("\r\n");
    let (text, outcome): (_, fn(String) -> MergeOutcome) = match result {
        Ok(text) => (text, MergeOutcome::Merged),
        Err(text) => (named(&text), MergeOutcome::Conflicts),
    };
    Ok(outcome(if is_windows {
        text.replace('\n', "\r\n")
    } else {
        text
    }))
}

/// A text with conflicts whose markers name the sides.
fn named(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    let named =
        lines.map(
            |line| match SIDES.iter().find(|(marker, _)| line.trim_end() == *marker) {
                Some((marker, side)) => line.replacen(marker, side, 1),
                None => line.to_owned(),
            },
        );
    named.collect()
}

/// The file of the theme that was at the place of a copy before: one that is like its base, and of which there is no copy.
fn moved_to<'t>(theme: &'t Theme, copy: &ThemeCopy, copied: &BTreeSet<&str>) -> Option<&'t str> {
    let base = str::from_utf8(copy.base.as_deref()?).ok()?;
    let candidates = theme.files().filter(|(path, _)| {
        !copied.contains(path) && path.rsplit('.').next() == copy.path.rsplit('.').next()
    });
    let rated = candidates.filter_map(|(path, bytes)| {
        let likeness = similar::TextDiff::from_lines(base, str::from_utf8(bytes).ok()?).ratio();
        (likeness >= IS_MOVED).then(|| {
            (
                likeness,
                path.rsplit('/').next() == copy.path.rsplit('/').next(),
                path,
            )
        })
    });
    rated
        .max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
        .map(|(_, _, path)| path)
}

/// The problem with a copy of a file that the theme does not have.
fn gone(path: &str, moved_to: Option<&str>) -> Problem {
    let (message, hint) = match moved_to {
        Some(to) => (
            format!("the theme has moved this file to `{to}`, so your copy is not used"),
            format!(
                "move your copy with `git mv {path} {to}`, then run `sitegen theme merge` again"
            ),
        ),
        None => (
            "the theme does not have this file anymore".to_owned(),
            format!("check whether a template still uses it, then remove its line from `{LOCK}`"),
        ),
    };
    Problem::warning(Code::ThemeChanged, message)
        .at(Place::file(path))
        .hint(hint)
}
