//! The editor in which the preview opens a file: the scheme of addresses that the editor registers with the system.

use std::path::Path;

use diagnostics::problem::{Code, Problem, did_you_mean};

use super::{environment, text_in};

/// Names of editors with their addresses, the default one first.
const KNOWN: &[(&str, &str)] = &[
    ("vscode", "vscode://file{path}:{line}:{column}"),
    ("cursor", "cursor://file{path}:{line}:{column}"),
    ("vscodium", "vscodium://file{path}:{line}:{column}"),
    ("windsurf", "windsurf://file{path}:{line}:{column}"),
    ("zed", "zed://file{path}:{line}:{column}"),
    (
        "idea",
        "idea://open?file={path}&line={line}&column={column}",
    ),
    (
        "textmate",
        "txmt://open?url=file://{path}&line={line}&column={column}",
    ),
];

/// The name that stands for no editor.
const NONE: &str = "none";

/// The characters of a path that would end it, or begin something else, in the address of an editor.
const ENCODED: &percent_encoding::AsciiSet = &percent_encoding::CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'&')
    .add(b'?')
    .add(b'<')
    .add(b'>')
    .add(b':');

/// The editor that opens files from the preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editor {
    /// An address with `{path}`, `{line}` and `{column}`; `None` if paths are copied instead.
    template: Option<String>,
}

impl Default for Editor {
    fn default() -> Editor {
        Editor {
            template: Some(KNOWN[0].1.to_owned()),
        }
    }
}

impl Editor {
    /// The editor of this name or address, else the one that the environment names, else Visual Studio Code.
    ///
    /// The error is a name that is unknown, or an address without `{path}` or with a scheme that browsers run.
    pub fn named(name: Option<&str>) -> Result<Editor, Problem> {
        let set = text_in(environment::EDITOR);
        let Some(name) = name.or(set.as_deref()) else {
            return Ok(Editor::default());
        };
        if name == NONE {
            return Ok(Editor { template: None });
        }
        if let Some((_, template)) = KNOWN.iter().find(|(known, _)| *known == name) {
            return Ok(Editor {
                template: Some((*template).to_owned()),
            });
        }
        let scheme = name
            .split_once(':')
            .map(|(scheme, _)| scheme.to_lowercase());
        if scheme.is_some_and(|scheme| is_scheme(&scheme)) && name.contains("{path}") {
            return Ok(Editor {
                template: Some(name.to_owned()),
            });
        }
        let names = KNOWN.iter().map(|(known, _)| *known).chain([NONE]);
        let listed = names.clone().collect::<Vec<_>>().join("`, `");
        let problem = Problem::error(
            Code::BadSetting,
            format!("`{name}` is not an editor that the preview can open"),
        )
        .hint(format!(
            "write `{listed}`, or a URL such as `myeditor://open?file={{path}}&line={{line}}`"
        ));
        Err(problem.maybe_hint(did_you_mean(name, names)))
    }

    /// The address that opens a file at a line and a column, both from 1. `None` without an editor.
    pub fn address(&self, file: &Path, line: u32, column: u32) -> Option<String> {
        let path = file.to_string_lossy().replace('\\', "/");
        // Windows names a drive first: `/C:/site`.
        let path = if path.starts_with('/') {
            path
        } else {
            format!("/{path}")
        };
        let path = percent_encoding::utf8_percent_encode(&path, ENCODED).to_string();
        let template = self.template.as_ref()?;
        let numbered = template
            .replace("{line}", &line.to_string())
            .replace("{column}", &column.to_string());
        Some(numbered.replace("{path}", &path))
    }
}

/// Tells whether a text is the scheme of a URL that starts an editor, and no script.
fn is_scheme(scheme: &str) -> bool {
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        && !["javascript", "data", "blob", "vbscript"].contains(&scheme)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expect: Option<&str>) {
        let editor = Editor::named(Some(name)).expect("an editor");
        assert_eq!(
            editor.address(Path::new("/a site/ñ.yaml"), 3, 7).as_deref(),
            expect,
            "{name}"
        );
    }

    #[test]
    fn editors_have_addresses() {
        check("vscode", Some("vscode://file/a%20site/%C3%B1.yaml:3:7"));
        check(
            "idea",
            Some("idea://open?file=/a%20site/%C3%B1.yaml&line=3&column=7"),
        );
        check("none", None);
        check(
            "my+editor://{path}?at={line}",
            Some("my+editor:///a%20site/%C3%B1.yaml?at=3"),
        );
    }

    #[test]
    fn other_names_are_refused() {
        for name in [
            "vscod",
            "",
            "javascript:alert('{path}')",
            "JavaScript:{path}",
            "x://{line}",
            "://{path}",
            "a b:{path}",
        ] {
            assert_eq!(
                Editor::named(Some(name)).expect_err(name).code,
                Code::BadSetting,
                "{name}"
            );
        }
        let hint = Editor::named(Some("vscod"))
            .expect_err("a misspelled name")
            .hint
            .expect("a hint");
        assert!(hint.contains("`vscode`"), "{hint}");
    }
}
