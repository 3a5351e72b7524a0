//! A place in a file of the site, as the panel of the preview gets it: with the address that opens it in an editor.

use serde::Serialize;

use config::Editor;
use diagnostics::problem::Place;
use workspace::files::FileSet;

/// A place that the panel shows as a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Link {
    /// The path below the folder of the site.
    path: String,
    /// From 1; `None` for the whole file.
    line: Option<u32>,
    /// From 1, in characters.
    column: Option<u32>,
    /// The text of the line.
    text: Option<String>,
    /// The address that opens it; `None` without an editor, and for what is no file of the site.
    pub url: Option<String>,
}

/// Makes links to places.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlaceLinks<'a> {
    /// The folder of the site.
    pub root: &'a FileSet,
    pub editor: &'a Editor,
}

impl PlaceLinks<'_> {
    /// The link to a place.
    pub fn to(self, place: &Place) -> Link {
        let start = place.range.map(|range| range.start);
        let (line, column) = (
            start.map(|start| start.line),
            start.map(|start| start.column),
        );
        Link {
            path: place.path.clone(),
            line,
            column,
            text: place
                .line_text
                .as_deref()
                .map(|line| line.trim().to_owned()),
            url: self.url(&place.path, line.unwrap_or(1), column.unwrap_or(1)),
        }
    }

    /// The link to a whole file.
    pub fn to_file(self, path: &str) -> Link {
        self.to(&Place::file(path))
    }

    /// `None` for a file that does not exist, or that a symbolic link or `..` places outside of the site.
    fn url(self, path: &str, line: u32, column: u32) -> Option<String> {
        let file = self.root.join(path);
        let is_own = file
            .canonicalize()
            .ok()?
            .starts_with(self.root.canonicalize().ok()?);
        is_own.then(|| self.editor.address(&file, line, column))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_site_are_opened() {
        let site = tempfile::tempdir().expect("a folder");
        std::fs::write(site.path().join("a.yaml"), "a: 1\n").expect("a file");
        let editor = Editor::default();
        let url = |path: &str| {
            PlaceLinks {
                root: &FileSet::open(site.path()),
                editor: &editor,
            }
            .to_file(path)
            .url
        };
        assert!(url("a.yaml").expect("an address").ends_with("/a.yaml:1:1"));
        for path in [
            "b.yaml",
            "../",
            "/etc/passwd",
            "https://cms.example/post",
            "--set",
        ] {
            assert_eq!(url(path), None, "{path}");
        }
    }
}
