//! Reads `templates/`: HTML by name, and the style sheets of each template.
//!
//! The style sheet of a component or section is in its folder. The folders that a template uses are found in its
//! text: the literal names of templates, style sheets and folders of components, and `island("<name>"`. So style sheets
//! need no list, and a page gets the styles of what it uses. `styles("components/chip")` names those that only an island uses.

pub(super) mod blocked;
pub mod blocks;
pub(super) mod unclosed;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};
use workspace::files::{self, FileSet};

/// Bytes of a tag, such as `{{ … }}`. The longest one of the theme has a twentieth of it. The engine follows an expression
/// as deep as it is long, and a stack ends.
const MAX_TAG: usize = 4096;
/// How many `elif` a template may have, which the engine follows into each other.
const MAX_ELIFS: usize = 200;

/// All templates and their style sheets.
#[derive(Debug, Clone, Default)]
pub struct Templates {
    /// By name, relative to `templates/`.
    pub html: BTreeMap<String, Arc<Source>>,
    /// SVG templates that are rendered at build time, by name (`drawings/card.svg`): sharing cards and icons.
    pub drawings: BTreeMap<String, Arc<Source>>,
    /// Style sheets that have the name of their folder, by folder (`components/action`).
    pub styles: BTreeMap<String, PathBuf>,
    /// Names of templates that could not be read, which was reported.
    pub broken: BTreeSet<String>,
    /// By template, the templates that its text names.
    uses: BTreeMap<String, Vec<String>>,
    /// By template, other folders that its text names: those of islands, and of style sheets that only islands use.
    folders: BTreeMap<String, Vec<String>>,
}

impl Templates {
    fn new(html: BTreeMap<String, Arc<Source>>, styles: BTreeMap<String, PathBuf>) -> Templates {
        let used = |source: &Source| {
            html.keys()
                .filter(|other| uses(&source.text, other))
                .cloned()
                .collect()
        };
        let uses = html
            .iter()
            .map(|(name, source)| (name.clone(), used(source)))
            .collect();
        let folders = html
            .iter()
            .map(|(name, source)| {
                (
                    name.clone(),
                    [
                        islands(&source.text),
                        styles
                            .keys()
                            .filter(|folder| uses_sheet(&source.text, folder))
                            .cloned()
                            .collect::<Vec<_>>(),
                    ]
                    .concat(),
                )
            })
            .collect();
        Templates {
            html,
            styles,
            uses,
            folders,
            ..Templates::default()
        }
    }

    /// Adds a template that has no file of its own.
    pub(super) fn add(&mut self, name: String, source: Arc<Source>) {
        let uses = self
            .html
            .keys()
            .filter(|other| uses(&source.text, other))
            .cloned()
            .collect();
        let sheets = self
            .styles
            .keys()
            .filter(|folder| uses_sheet(&source.text, folder))
            .cloned();
        let folders = islands(&source.text).into_iter().chain(sheets).collect();
        self.uses.insert(name.clone(), uses);
        self.folders.insert(name.clone(), folders);
        self.html.insert(name, source);
    }

    /// The folders that a template uses, directly or indirectly, including its own.
    pub fn folders(&self, name: &str) -> BTreeSet<String> {
        let used = self.used_by(name).into_iter();
        used.flat_map(|name| {
            let folders = self.folders.get(&name).into_iter().flatten().cloned();
            folder_of(&name)
                .into_iter()
                .chain(folders)
                .collect::<Vec<_>>()
        })
        .collect()
    }

    /// The templates among these that call a macro of another one, or include it.
    pub fn callers<'t>(
        &self,
        name: &str,
        macro_name: Option<&str>,
        among: &'t BTreeSet<String>,
    ) -> Vec<&'t str> {
        let call = macro_name.map(|name| format!("{name}("));
        among
            .iter()
            .filter(|other| *other != name)
            .filter(|other| {
                let text = self
                    .html
                    .get(*other)
                    .map(|source| source.text.as_str())
                    .unwrap_or_default();
                self.uses
                    .get(*other)
                    .is_some_and(|used| used.iter().any(|used| used == name))
                    && call.as_ref().is_none_or(|call| text.contains(call))
            })
            .map(String::as_str)
            .collect()
    }

    /// The templates that a template uses, directly or indirectly, including itself.
    pub fn used_by(&self, name: &str) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut open = vec![name.to_owned()];
        while let Some(name) = open.pop() {
            if seen.insert(name.clone()) {
                open.extend(self.uses.get(&name).into_iter().flatten().cloned());
            }
        }
        seen
    }
}

/// Whether the text of a template contains a name in quotes.
fn mentions(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (
            text[..at].chars().next_back(),
            text[at + name.len()..].chars().next(),
        );
        matches!(
            (before, after),
            (Some('"'), Some('"')) | (Some('\''), Some('\''))
        )
    })
}

/// Whether the text of a template names another one, or the folder of a component, which stands for its template.
fn uses(text: &str, template: &str) -> bool {
    let of_component = folder_of(template)
        .filter(|folder| own_file(folder, "html") == template)
        .is_some_and(|folder| mentions(text, &folder));
    of_component || mentions(text, template)
}

/// Whether the text of a template names the style sheet of a folder, or the folder.
fn uses_sheet(text: &str, folder: &str) -> bool {
    mentions(text, folder) || mentions(text, &own_file(folder, "css"))
}

/// The folders of the islands in the text of a template: `island("menu", …)` → `islands/menu`.
fn islands(text: &str) -> Vec<String> {
    let names = text
        .split("island(\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    names.map(|name| format!("islands/{name}")).collect()
}

/// `components/action/action.html` → `components/action`.
fn folder_of(name: &str) -> Option<String> {
    let (folder, _) = name.rsplit_once('/')?;
    let has_styles = ["components/", "sections/", "collections/"]
        .iter()
        .any(|kind| folder.starts_with(kind));
    has_styles.then(|| folder.to_owned())
}

/// `components/action` → `components/action/action.css`.
fn own_file(folder: &str, ending: &str) -> String {
    let stem = folder.rsplit('/').next().unwrap_or(folder);
    format!("{folder}/{stem}.{ending}")
}

/// An error for a template that the engine could not follow: a stack that ends cannot be reported, only prevented.
pub fn within_limits(source: Arc<Source>) -> Result<Arc<Source>, Problem> {
    let wrong = |at: usize, message: String, hint: &str| {
        let place = source.place(Span::new(at, at + 2));
        Err(Problem::error(Code::TemplateSyntax, message)
            .at(place)
            .hint(hint))
    };
    let text = &source.text;
    let (mut at, mut elifs) = (0, 0);
    while let Some(found) = text[at..].find('{') {
        let start = at + found;
        let end = match text.as_bytes().get(start + 1) {
            Some(b'{') => "}}",
            Some(b'%') => "%}",
            _ => {
                at = start + 1;
                continue;
            }
        };
        let length = text[start..].find(end).unwrap_or(text.len() - start);
        if length > MAX_TAG {
            return wrong(
                start,
                format!("this tag is {length} bytes long, but the limit is {MAX_TAG}"),
                "split it into several tags with `{% set … %}`",
            );
        }
        let is_elif = text[start + 2..]
            .trim_start_matches(['-', '+', ' ', '\n'])
            .starts_with("elif");
        elifs += usize::from(is_elif);
        if elifs > MAX_ELIFS {
            return wrong(
                start,
                format!("the template has more than {MAX_ELIFS} `elif` tags"),
                "split the template into several with `{% include … %}`",
            );
        }
        at = start + length.max(2);
    }
    Ok(source)
}

/// Reads all `.html` and `.xml` files and the drawings, and finds the style sheets.
pub(super) fn load(root: &FileSet) -> (Templates, Problems) {
    let folder = root.join("templates");
    let (paths, mut problems) = root.list(&folder);
    let (mut html, mut styles, mut broken) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
    let mut drawings = BTreeMap::new();
    for path in paths {
        let name = files::shown(&folder, &path);
        match path.extension().and_then(|extension| extension.to_str()) {
            Some(ending @ ("html" | "xml" | "svg")) => match root.read_text(&path) {
                Ok(source) => {
                    let source = within_limits(source).unwrap_or_else(|problem| {
                        problems.push(problem);
                        // Others may include it.
                        Arc::new(Source::new(files::shown(root, &path), String::new()))
                    });
                    let all = if ending == "svg" {
                        &mut drawings
                    } else {
                        &mut html
                    };
                    all.insert(name, source);
                }
                Err(problem) => {
                    problems.push(problem);
                    broken.insert(name);
                }
            },
            Some("css") => match folder_of(&name) {
                Some(folder) if own_file(&folder, "css") == name => {
                    drop(styles.insert(folder, path));
                }
                None if name.starts_with("styles/") => {}
                _ => {
                    let hint = "name it after its folder, `<folder>/<name>/<name>.css`, or move it to `templates/styles/` and import it in `site.css`";
                    let problem =
                        Problem::error(Code::UnexpectedFile, "nothing loads this style sheet");
                    problems.push(
                        problem
                            .at(Place::file(files::shown(root, &path)))
                            .hint(hint),
                    );
                }
            },
            _ => {}
        }
    }
    (
        Templates {
            drawings,
            broken,
            ..Templates::new(html, styles)
        },
        problems,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn templates(files: &[(&str, &str)]) -> Templates {
        let html = files.iter().map(|(name, text)| {
            (
                (*name).to_owned(),
                Arc::new(Source::new((*name).into(), (*text).into())),
            )
        });
        Templates::new(html.collect(), BTreeMap::new())
    }

    #[test]
    fn a_template_that_is_too_deep_for_a_stack_is_refused() {
        let check = |text: String, fits: bool| {
            let source = Arc::new(Source::new("a.html".into(), text));
            assert_eq!(
                within_limits(Arc::clone(&source)).is_ok(),
                fits,
                "{:.80}",
                source.text
            );
        };
        let tag = |length: usize| format!("a {{{{ {}1 }}}} b", "-".repeat(length));
        check(tag(MAX_TAG / 2), true);
        check(tag(MAX_TAG), false);
        check(format!("{{% if {} %}}", "not ".repeat(MAX_TAG)), false);
        check(format!("{{{{ 1{}", "+1".repeat(MAX_TAG)), false);
        check(tag(10).repeat(MAX_TAG), true);
        let chain =
            |count: usize| format!("{{% if 1 %}}{}{{% endif %}}", "{%- elif 1 %}".repeat(count));
        check(chain(MAX_ELIFS), true);
        check(chain(MAX_ELIFS + 1), false);
        check("{{{% %{".to_owned(), true);
    }

    #[test]
    fn folders_follow_imports() {
        let templates = templates(&[
            (
                "sections/hero/hero.html",
                "{% from \"components/action/action.html\" import action %}",
            ),
            (
                "components/action/action.html",
                "{% include 'components/icon/icon.html' %}",
            ),
            (
                "components/icon/icon.html",
                "{{ island(\"bell\", {}, \"none\") }}",
            ),
            ("components/unused/unused.html", ""),
        ]);
        let found: Vec<_> = templates
            .folders("sections/hero/hero.html")
            .into_iter()
            .collect();
        assert_eq!(
            found,
            [
                "components/action",
                "components/icon",
                "islands/bell",
                "sections/hero"
            ]
        );
    }

    #[test]
    fn the_folder_of_a_component_stands_for_its_template_and_its_styles() {
        let source = |text: &str| Arc::new(Source::new("list.html".into(), text.into()));
        let html = [
            (
                "sections/list/list.html",
                "{{ styles(\"components/card\", \"components/field\") }}",
            ),
            (
                "components/card/card.html",
                "{% from \"components/icon/icon.html\" import icon %}",
            ),
            ("components/icon/icon.html", ""),
        ];
        let html = html.map(|(name, text)| (name.to_owned(), source(text)));
        let styles = ["components/field", "components/other"]
            .map(|folder| (folder.to_owned(), PathBuf::new()));
        let found = Templates::new(html.into(), styles.into()).folders("sections/list/list.html");
        let expected = [
            "components/card",
            "components/field",
            "components/icon",
            "sections/list",
        ];
        assert_eq!(found, expected.map(str::to_owned).into());
    }
}
