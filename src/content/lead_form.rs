//! The lead form: what can be asked for, in `content/lead-form/services.yaml`, and how each language says it, in
//! `content/lead-form/<locale>.yaml`. Also the section that shows the form.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::content_types::{Action, Link, Markdown};
use crate::files;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, did_you_mean};
use diagnostics::yaml::{self, Spanned};

const FOLDER: &str = "content/lead-form";
const SERVICES: &str = "services.yaml";

/// All that was read about the form.
#[derive(Debug, Clone, Default)]
pub struct LeadFormFiles {
    /// What can be asked for, and its file; none when it is not there or could not be read.
    pub services: Option<(Services, Arc<Source>)>,
    /// By locale: how its language says it, and its file.
    pub words: BTreeMap<String, (LeadFormWords, Arc<Source>)>,
    /// A file is there but could not be read, which is a problem already.
    pub broken: bool,
}

/// `content/lead-form/services.yaml`.
#[derive(Debug, Clone, Deserialize)]
pub struct Services {
    /// The ways to begin, in order.
    pub choices: Vec<Choice>,
}

/// A way to begin.
#[derive(Debug, Clone, Deserialize)]
pub struct Choice {
    /// Its name.
    pub id: Spanned<String>,
    /// One of the icon set.
    pub icon: Spanned<String>,
    /// What can be asked for, in order.
    pub services: Vec<Service>,
}

/// Something that can be asked for.
#[derive(Debug, Clone, Deserialize)]
pub struct Service {
    /// Its name.
    pub id: Spanned<String>,
    /// One of the icon set.
    pub icon: Spanned<String>,
    /// Where it is told of.
    pub link: Link,
    /// The form links there: it is a page with details.
    #[serde(default)]
    pub has_details_page: bool,
    /// Anchors of the form's address that choose it; choosing it writes the first one there.
    #[serde(default)]
    pub hashes: Vec<Spanned<String>>,
}

/// `content/lead-form/<locale>.yaml`.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct LeadFormWords {
    /// By the ids of `services.yaml`.
    pub choices: BTreeMap<String, ChoiceWords>,
    /// By the ids of `services.yaml`.
    pub services: BTreeMap<String, ServiceWords>,
    /// By their ids.
    pub app_types: BTreeMap<String, String>,
    /// The heading of each step.
    pub steps: Steps,
}

/// What a choice says.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct ChoiceWords {
    /// In a word or two.
    pub title: String,
    /// What it is for.
    pub text: String,
}

/// What a service says.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct ServiceWords {
    /// What it is called.
    pub title: String,
    /// What a visitor would say.
    pub request: String,
    /// What it is.
    pub description: String,
}

/// The heading of each step.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Steps {
    /// What brings you here?
    pub choice: StepWords,
    /// Which service?
    pub service: StepWords,
    /// Who are you?
    pub contact: StepWords,
    /// What is it about?
    pub project: StepWords,
    /// Thank you.
    pub success: StepWords,
}

/// The heading of a step.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct StepWords {
    /// In the line of steps.
    pub label: String,
    /// The heading itself.
    pub title: String,
    /// One or two sentences.
    pub text: String,
}

/// The lead form, one question at a time.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct LeadFormSection {
    /// Above the form.
    title: String,
    /// Below the title.
    lead: Option<String>,
    /// Ways around the form.
    #[serde(default)]
    links: Vec<Action>,
    /// What becomes of what is typed.
    privacy: Markdown,
}

/// Reads the folder.
pub(super) fn load(config: &Config) -> (LeadFormFiles, Problems) {
    let folder = config.root.join(FOLDER);
    let (paths, mut problems) = files::list(&config.root, &folder);
    let mut form = LeadFormFiles::default();
    for path in paths {
        let name = files::shown(&folder, &path);
        let locale = name.strip_suffix(".yaml").filter(|code| config.site.locales.iter().any(|own| own.value == *code));
        if locale.is_none() && name != SERVICES {
            let locales = config.site.locales.iter().map(|code| format!("{}.yaml", code.value));
            let known: Vec<String> = locales.chain([SERVICES.to_owned()]).collect();
            let problem = Problem::error(Code::UnexpectedFile, "nothing reads this file");
            let problem = problem.at(Place::file(files::shown(&config.root, &path)));
            problems.push(problem.maybe_hint(did_you_mean(&name, known.iter().map(String::as_str))));
            continue;
        }
        let source = match files::read_text(&config.root, &path) {
            Ok(source) => source,
            Err(problem) => {
                problems.push(problem);
                form.broken = true;
                continue;
            }
        };
        match locale {
            None => form.services = yaml::load(&source, &mut problems).map(|services| (services, source)),
            Some(code) => {
                form.words.extend(yaml::load(&source, &mut problems).map(|words| (code.to_owned(), (words, source))));
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
