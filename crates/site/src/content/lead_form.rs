//! Reads the lead form: its services from `content/lead-form/services.yaml`, and the texts of each locale from
//! `content/lead-form/<locale>.yaml`. Also defines the section that shows the form.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::content_types::{Action, Link, Markdown};
use crate::files;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, did_you_mean};
use diagnostics::yaml::Spanned;

use super::origins;

const FOLDER: &str = "content/lead-form";
const SERVICES: &str = "services.yaml";

/// All source files of the form.
#[derive(Debug, Clone, Default)]
pub struct LeadFormFiles {
    /// The services and their file; `None` if it does not exist or could not be read.
    pub services: Option<(Services, Arc<Source>)>,
    /// The texts and their file, by locale.
    pub words: BTreeMap<String, (LeadFormWords, Arc<Source>)>,
    /// A file exists but could not be read, which was reported.
    pub broken: bool,
}

/// `content/lead-form/services.yaml`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Services {
    /// The choices of the first step, in order.
    pub choices: Vec<Choice>,
}

/// A choice of the first step.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Choice {
    /// Its id.
    pub id: Spanned<String>,
    /// Name of an icon.
    pub icon: Spanned<String>,
    /// Its services, in order.
    pub services: Vec<Service>,
}

/// A service that visitors can request.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Service {
    /// Its id.
    pub id: Spanned<String>,
    /// Name of an icon.
    pub icon: Spanned<String>,
    /// The page that describes it.
    pub link: Link,
    /// The form links to that page.
    #[serde(default)]
    pub has_details_page: bool,
    /// URL fragments that preselect it. Selecting it sets the first one.
    #[serde(default)]
    pub hashes: Vec<Spanned<String>>,
}

/// `content/lead-form/<locale>.yaml`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct LeadFormWords {
    /// Texts of choices, by id in `services.yaml`.
    pub choices: BTreeMap<String, ChoiceWords>,
    /// Texts of services, by id in `services.yaml`.
    pub services: BTreeMap<String, ServiceWords>,
    /// Names of application types, by id.
    pub app_types: BTreeMap<String, String>,
    /// The headings of the steps.
    pub steps: Steps,
}

/// Texts of a choice.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct ChoiceWords {
    /// Its name, in a word or two.
    pub title: String,
    /// Its purpose.
    pub text: String,
}

/// Texts of a service.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct ServiceWords {
    /// Its name.
    pub title: String,
    /// The request in the words of a visitor.
    pub request: String,
    /// A description.
    pub description: String,
}

/// The headings of the steps.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Steps {
    /// The step that selects a choice.
    pub choice: StepWords,
    /// The step that selects a service.
    pub service: StepWords,
    /// The step with contact data.
    pub contact: StepWords,
    /// The step about the project.
    pub project: StepWords,
    /// The confirmation.
    pub success: StepWords,
}

/// The heading of a step.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct StepWords {
    /// Label in the list of steps.
    pub label: String,
    /// The heading itself.
    pub title: String,
    /// One or two sentences.
    pub text: String,
}

/// The lead form, in several steps.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct LeadFormSection {
    /// The heading above the form.
    title: String,
    /// A sentence below the heading.
    lead: Option<String>,
    /// Alternatives to the form.
    #[serde(default)]
    links: Vec<Action>,
    /// How the data of visitors is used.
    privacy: Markdown,
}

/// Reads all files of the lead form.
pub(super) fn load(config: &Config) -> (LeadFormFiles, Problems) {
    let folder = config.paths.root.join(FOLDER);
    let (paths, mut problems) = config.paths.root.list(&folder);
    let mut form = LeadFormFiles::default();
    for path in paths {
        let name = files::shown(&folder, &path);
        let locale = name.strip_suffix(".yaml").filter(|code| config.site.locales.iter().any(|own| own.value == *code));
        if name.strip_suffix(".yaml").is_some_and(|code| config.site.is_withheld(code)) {
            continue;
        }
        if locale.is_none() && name != SERVICES {
            let locales = config.site.locales.iter().map(|code| format!("{}.yaml", code.value));
            let known: Vec<String> = locales.chain([SERVICES.to_owned()]).collect();
            let problem = Problem::error(Code::UnexpectedFile, "nothing reads this file");
            let problem = problem.at(Place::file(files::shown(&config.paths.root, &path)));
            problems.push(problem.maybe_hint(did_you_mean(&name, known.iter().map(String::as_str))));
            continue;
        }
        let source = match config.paths.root.read_text(&path) {
            Ok(source) => source,
            Err(problem) => {
                problems.push(problem);
                form.broken = true;
                continue;
            }
        };
        match locale {
            None => {
                form.services = origins::load(&config.site, &source, &mut problems).map(|services| (services, source));
            }
            Some(code) => {
                form.words.extend(
                    origins::load(&config.site, &source, &mut problems).map(|words| (code.to_owned(), (words, source))),
                );
            }
        }
        form.broken |= if locale.is_some() {
            !form.words.contains_key(locale.unwrap_or_default())
        } else {
            form.services.is_none()
        };
    }
    (form, problems)
}
