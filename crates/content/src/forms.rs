//! Reads the forms that a site declares: `content/forms/<name>/form.yaml` has the fields of a form, and a file beside it the
//! words of each language.
//!
//! Dependencies on collections and pages are checked when those are known (`model/forms.rs`).

mod declared;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use config::Config;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, did_you_mean};
use schema::types::Markdown;
use workspace::files;
use workspace::kinds::Kind;

use super::origins;

pub use declared::FormFile;
pub use declared::{Call, Consent, DeclaredField, FormDeclaration, Look, MailTarget};

/// The folder of all forms.
const FOLDER: &str = Kind::Form.folder();
/// The file with the fields of a form.
const FILE: &str = "form.yaml";

/// The forms of a site.
#[derive(Debug, Clone, Default)]
pub struct Forms {
    /// Sorted by name.
    pub list: Vec<FormSources>,
    /// Names of forms that could not be read, which was reported.
    pub broken: BTreeSet<String>,
}

/// The files of a form.
#[derive(Debug, Clone)]
pub struct FormSources {
    /// The name of its folder.
    pub name: String,
    /// Its declaration.
    pub form: Arc<FormDeclaration>,
    /// Its file.
    pub source: Arc<Source>,
    /// The words of each language, with their file.
    pub words: BTreeMap<String, (Arc<FormWords>, Arc<Source>)>,
}

/// The texts of a form in one language.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct FormWords {
    /// Its title, which emails and lists of leads also show.
    pub title: Option<String>,
    /// A sentence or two above the fields.
    pub lead: Option<Markdown>,
    /// The texts of each field, by its name.
    pub fields: BTreeMap<String, FieldWords>,
    /// The texts of each step, in the order of `steps` in `form.yaml`.
    pub steps: Vec<StepWords>,
    /// The consents that the visitor must give, by name.
    pub consent: BTreeMap<String, Markdown>,
    /// The label of the button.
    pub submit: Option<String>,
    /// The message once the answer is stored.
    pub success: Option<SuccessWords>,
    /// The email to the visitor. `{name}` is the value that they entered in the field `name`.
    pub answer: Option<MailText>,
    /// The email that asks the visitor to confirm an answer.
    pub confirm: Option<ConfirmText>,
    /// The message of a form with `endpoint: leads`: `{name}` is the value entered in the field `name`. A line whose fields
    /// have no value is left out.
    pub message: Option<String>,
}

/// An email to the visitor.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct MailText {
    /// Its subject.
    pub subject: String,
    /// Its text.
    pub text: Markdown,
}

/// The email that asks the visitor to confirm an answer.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct ConfirmText {
    /// The subject of the email.
    pub subject: String,
    /// Its text; the link follows.
    pub text: Markdown,
    /// The text of the link, and of the button on the page that it goes to.
    pub button: String,
    /// The message once the answer is confirmed.
    pub done: Markdown,
    /// The message if the link is too old.
    pub expired: Markdown,
}

/// The texts of a field.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct FieldWords {
    /// Its name for visitors.
    pub label: String,
    /// How to fill it in, below the label.
    pub hint: Option<String>,
    /// The message if the value is wrong, instead of the interface's message for each kind of mistake.
    pub error: Option<String>,
    /// The messages by the kind of mistake, instead of `error`: `required`, `one_required`, `invalid_email`, `invalid_value`,
    /// `out_of_range`, `too_long`.
    #[serde(default)]
    pub mistakes: BTreeMap<String, String>,
    /// The text of a menu in which nothing is chosen.
    pub unchosen: Option<String>,
    /// The label above the preview of a choice; `{choice}` is its name.
    pub chosen: Option<String>,
    /// The names of its choices.
    #[serde(default)]
    pub choices: BTreeMap<String, String>,
    /// A sentence for each choice, on its card.
    #[serde(default)]
    pub texts: BTreeMap<String, String>,
    /// The text that is shown once a choice is made, by the choice.
    #[serde(default)]
    pub previews: BTreeMap<String, Markdown>,
}

/// The texts of a step.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct StepWords {
    /// Its heading.
    pub title: String,
    /// Its name in the list of steps; by default its heading.
    pub label: Option<String>,
    /// A sentence or two below the heading.
    pub text: Option<Markdown>,
    /// The text below the fields.
    pub note: Option<Markdown>,
}

/// The message once the answer is stored.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct SuccessWords {
    /// A heading.
    pub title: String,
    /// The text about the next steps.
    pub text: Option<Markdown>,
    /// The label of a button that clears the form for another answer.
    pub again: Option<String>,
}

/// Reads all forms.
pub(super) fn load(config: &Config) -> (Forms, Problems) {
    let root = &config.paths.root;
    let folder = root.join(FOLDER);
    let (paths, mut problems) = root.list(&folder);
    let mut forms = Forms::default();
    let mut found: BTreeMap<String, BTreeMap<String, Arc<Source>>> = BTreeMap::new();
    let locales: Vec<&str> = config
        .site
        .locales
        .iter()
        .map(|code| code.value.as_str())
        .collect();
    for path in paths {
        let shown = files::shown(&folder, &path);
        let place = || Place::file(files::shown(root, &path));
        let is_known = |file: &str| {
            file == FILE
                || file
                    .strip_suffix(".yaml")
                    .is_some_and(|code| locales.contains(&code))
        };
        match shown.split_once('/') {
            Some((name, file)) if is_known(file) => match root.read_text(&path) {
                Ok(source) => drop(
                    found
                        .entry(name.to_owned())
                        .or_default()
                        .insert(file.to_owned(), source),
                ),
                Err(problem) => {
                    problems.push(problem);
                    forms.broken.insert(name.to_owned());
                }
            },
            Some((_, file))
                if file
                    .strip_suffix(".yaml")
                    .is_some_and(|code| config.site.is_withheld(code)) => {}
            _ => {
                let known: Vec<String> = locales
                    .iter()
                    .map(|code| format!("{code}.yaml"))
                    .chain([FILE.into()])
                    .collect();
                let written = shown.rsplit('/').next().unwrap_or_default();
                let near = did_you_mean(written, known.iter().map(String::as_str));
                let problem =
                    Problem::error(Code::UnexpectedFile, "nothing reads this file").at(place());
                problems.push(problem.maybe_hint(near));
            }
        }
    }
    for (name, mut files) in found {
        let Some(source) = files.remove(FILE) else {
            if forms.broken.insert(name.clone()) {
                let message = format!("the form `{name}` has no `{FILE}`");
                let problem = Problem::error(Code::FormDeclaration, message)
                    .at(Place::file(format!("{FOLDER}/{name}/")));
                problems
                    .push(problem.hint(format!("declare its fields in `{FOLDER}/{name}/{FILE}`")));
            }
            continue;
        };
        if !is_address(&name) {
            let message = format!("`{name}` is not a valid name for a form");
            let problem =
                Problem::error(Code::FormDeclaration, message).at(Place::file(source.path.clone()));
            problems.push(
                problem.hint("form names are part of URLs: use lowercase letters, digits and `-`"),
            );
            forms.broken.insert(name);
            continue;
        }
        let mut words = BTreeMap::new();
        let mut is_broken = false;
        for (file, source) in files {
            let read: Option<FormWords> = origins::load(&config.site, &source, &mut problems);
            is_broken |= read.is_none();
            let code = file.trim_end_matches(".yaml").to_owned();
            words.extend(read.map(|read| (code, (Arc::new(read), source))));
        }
        match declared::read(&source, &mut problems) {
            Some(form) if !is_broken => {
                forms.list.push(FormSources {
                    name,
                    form: Arc::new(form),
                    source,
                    words,
                });
            }
            _ => drop(forms.broken.insert(name)),
        }
    }
    forms.list.retain(|form| !forms.broken.contains(&form.name));
    (forms, problems)
}

/// Whether a name can be a part of an address as it is.
fn is_address(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}
