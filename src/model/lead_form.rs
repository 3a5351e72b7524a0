//! The lead form in each language: what can be asked for, with its words, checked against each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::Config;
use crate::content::Content;
use crate::content::lead_form::{LeadFormWords, Services, Steps};
use crate::content::placeholders;
use crate::content::rich::Target;
use api_types::leads::AppType;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span, did_you_mean};
use diagnostics::yaml::Spanned;

use super::pages::Page;

/// The kind of section that shows the form.
const FORM: &str = "lead_form";

/// The form in each language that has a page with it.
#[derive(Debug, Default)]
pub struct LeadForm {
    /// By locale.
    pub languages: BTreeMap<String, LeadFormLanguage>,
    /// `services.yaml`, for problems found later.
    pub source: Option<Arc<Source>>,
}

/// The form in one language.
#[derive(Debug)]
pub struct LeadFormLanguage {
    /// The page that has the form: its position.
    pub page: usize,
    /// The ways to begin, in order.
    pub choices: Vec<LeadChoice>,
    /// Ids and words of the kinds of application.
    pub app_types: Vec<(String, String)>,
    /// The heading of each step.
    pub steps: Steps,
}

/// A way to begin.
#[derive(Debug)]
pub struct LeadChoice {
    /// Its name.
    pub id: String,
    /// One of the icon set, as it was written.
    pub icon: Spanned<String>,
    /// In a word or two.
    pub title: String,
    /// What it is for.
    pub text: String,
    /// What can be asked for, in order.
    pub services: Vec<LeadService>,
}

/// Something that can be asked for.
#[derive(Debug)]
pub struct LeadService {
    /// Its name.
    pub id: String,
    /// One of the icon set, as it was written.
    pub icon: Spanned<String>,
    /// What it is called.
    pub title: String,
    /// What a visitor would say.
    pub request: String,
    /// What it is.
    pub description: String,
    /// Where it is told of.
    pub link: Target,
    /// The form links there.
    pub has_details_page: bool,
    /// Anchors of the form's address that choose it.
    pub hashes: Vec<String>,
}

impl LeadForm {
    /// Every link. All languages have the same ones.
    pub fn links(&self) -> impl Iterator<Item = &Target> {
        let choices = self.languages.values().take(1).flat_map(|language| &language.choices);
        choices.flat_map(|choice| &choice.services).map(|service| &service.link)
    }
}

/// Joins services and words for each language whose page shows the form. Anchors that choose a service are anchors of the page.
pub(super) fn resolve(config: &Config, content: &Content, pages: &mut [Page], problems: &mut Problems) -> LeadForm {
    let files = &content.lead_form;
    let mut form = LeadForm::default();
    let shows = |page: &Page| page.sections.iter().any(|section| section.kind == FORM);
    let showing: Vec<usize> = (0..pages.len()).filter(|index| shows(&pages[*index])).collect();
    let Some((services, source)) = &files.services else {
        if let (Some(page), false) = (showing.first(), files.broken) {
            let problem = Problem::error(Code::UnknownId, "the lead form has no list of services");
            let problem = problem.at(Place::file(pages[*page].source.path.clone()));
            problems.push(problem.hint("write it in `content/lead-form/services.yaml`"));
        }
        return form;
    };
    if let (Some(page), true) = (showing.first(), config.site.leads.captcha.site_key.is_empty()) {
        let problem = Problem::error(
            Code::IncompleteData,
            "the lead form needs a captcha, and `content/site.yaml` gives no key for one",
        );
        let problem = problem.at(Place::file(pages[*page].source.path.clone()));
        problems.push(problem.hint("add `leads:` with `captcha: {site_key: …}`"));
    }
    check_ids(services, source, problems);
    form.source = Some(Arc::clone(source));
    for index in showing {
        let page = &mut pages[index];
        let Some((words, words_source)) = files.words.get(&page.locale) else {
            if !files.broken {
                let message = format!("the lead form has no words for the locale `{}`", page.locale);
                let problem = Problem::error(Code::TranslationMissing, message);
                let hint = format!("write them in `content/lead-form/{}.yaml`", page.locale);
                problems.push(problem.at(Place::file(page.source.path.clone())).hint(hint));
            }
            continue;
        };
        if form.languages.contains_key(&page.locale) {
            let problem = Problem::error(Code::DuplicateId, "another page of this language has the lead form already");
            let problem = problem.at(Place::file(page.source.path.clone()));
            problems.push(problem.hint("one page of a language has it: all others link to it"));
            continue;
        }
        page.anchors.extend(hashes(services).map(|hash| hash.value.clone()));
        let join = Join { config, services, source, words, words_source };
        form.languages.extend(join.language(index, problems).map(|language| (page.locale.clone(), language)));
    }
    form
}

fn hashes(services: &Services) -> impl Iterator<Item = &Spanned<String>> {
    services.choices.iter().flat_map(|choice| &choice.services).flat_map(|service| &service.hashes)
}

/// Ids and anchors are there once.
fn check_ids(services: &Services, source: &Source, problems: &mut Problems) {
    let of_choices = services.choices.iter().map(|choice| ("choice", &choice.id));
    let of_services =
        services.choices.iter().flat_map(|choice| &choice.services).map(|service| ("service", &service.id));
    let anchors = hashes(services).map(|hash| ("anchor", hash));
    let mut seen = Vec::new();
    for (what, id) in of_choices.chain(of_services).chain(anchors) {
        if seen.contains(&(what, id.value.as_str())) {
            let problem = Problem::error(Code::DuplicateId, format!("the {what} `{}` is there twice", id.value));
            problems.push(problem.at(source.place(id.span)).hint("remove one of the two"));
        }
        seen.push((what, id.value.as_str()));
    }
}

/// One language's words and the services they are for.
struct Join<'a> {
    config: &'a Config,
    services: &'a Services,
    source: &'a Arc<Source>,
    words: &'a LeadFormWords,
    words_source: &'a Arc<Source>,
}

impl Join<'_> {
    fn language(&self, page: usize, problems: &mut Problems) -> Option<LeadFormLanguage> {
        self.check_placeholders(problems);
        let before = problems.iter().count();
        let fill = |text: &str| placeholders::fill(text, self.config);
        let choice_ids: Vec<&Spanned<String>> = self.services.choices.iter().map(|choice| &choice.id).collect();
        let service_ids: Vec<&Spanned<String>> =
            self.services.choices.iter().flat_map(|choice| &choice.services).map(|service| &service.id).collect();
        self.same_ids("choices", &choice_ids, self.words.choices.keys(), problems);
        self.same_ids("services", &service_ids, self.words.services.keys(), problems);
        self.same_app_types(problems);
        if problems.iter().count() > before {
            return None;
        }
        let choices = self.services.choices.iter().filter_map(|choice| {
            let own = self.words.choices.get(&choice.id.value)?;
            let services = choice.services.iter().filter_map(|service| {
                let own = self.words.services.get(&service.id.value)?;
                Some(LeadService {
                    id: service.id.value.clone(),
                    icon: service.icon.clone(),
                    title: fill(&own.title),
                    request: fill(&own.request),
                    description: fill(&own.description),
                    link: Target { to: fill(&service.link.0.value), span: service.link.0.span },
                    has_details_page: service.has_details_page,
                    hashes: service.hashes.iter().map(|hash| hash.value.clone()).collect(),
                })
            });
            Some(LeadChoice {
                id: choice.id.value.clone(),
                icon: choice.icon.clone(),
                title: fill(&own.title),
                text: fill(&own.text),
                services: services.collect(),
            })
        });
        let mut steps = self.words.steps.clone();
        for step in [&mut steps.choice, &mut steps.service, &mut steps.contact, &mut steps.project, &mut steps.success]
        {
            step.label = fill(&step.label);
            step.title = fill(&step.title);
            step.text = fill(&step.text);
        }
        let app_types = AppType::NAMES.iter().filter_map(|id| {
            let word = self.words.app_types.get(*id)?;
            Some(((*id).to_owned(), fill(word)))
        });
        Some(LeadFormLanguage { page, choices: choices.collect(), app_types: app_types.collect(), steps })
    }

    /// Each id has words, and all words have an id.
    fn same_ids<'k>(
        &self,
        what: &str,
        ids: &[&Spanned<String>],
        words: impl Iterator<Item = &'k String>,
        problems: &mut Problems,
    ) {
        let words: Vec<&str> = words.map(String::as_str).collect();
        for id in ids.iter().filter(|id| !words.contains(&id.value.as_str())) {
            let message = format!("`{}` has no words in `{}`", id.value, self.words_source.path);
            let problem = Problem::error(Code::TranslationMissing, message).at(self.source.place(id.span));
            problems.push(problem.hint(format!("add `{}` below `{what}` there", id.value)));
        }
        for word in words.iter().filter(|word| ids.iter().all(|id| id.value != **word)) {
            let message = format!("`services.yaml` has no `{word}` among its {what}");
            let near = did_you_mean(word, ids.iter().map(|id| id.value.as_str()));
            let problem = Problem::error(Code::UnknownId, message).at(self.place(&format!("{word}:")));
            problems.push(problem.maybe_hint(near));
        }
    }

    /// The API takes these kinds of application and no others.
    fn same_app_types(&self, problems: &mut Problems) {
        let known = AppType::NAMES;
        for id in known.iter().filter(|id| !self.words.app_types.contains_key(**id)) {
            let problem = Problem::error(Code::TranslationMissing, format!("`app_types` has no word for `{id}`"));
            problems.push(problem.at(self.place("app_types:")).hint(format!("add `{id}: …`")));
        }
        for word in self.words.app_types.keys().filter(|word| !known.contains(&word.as_str())) {
            let message = format!("`{word}` is not a kind of application that the API takes");
            let problem = Problem::error(Code::UnknownId, message).at(self.place(&format!("{word}:")));
            problems.push(problem.maybe_hint(did_you_mean(word, known.iter().copied())));
        }
    }

    fn check_placeholders(&self, problems: &mut Problems) {
        placeholders::check(&self.words_source.text, self.config, &|written| self.place(written), problems);
        for service in self.services.choices.iter().flat_map(|choice| &choice.services) {
            let place = |_: &str| self.source.place(service.link.0.span);
            placeholders::check(&service.link.0.value, self.config, &place, problems);
        }
    }

    fn place(&self, written: &str) -> Place {
        let source = self.words_source;
        source.place(source.locate(Span::new(0, source.text.len()), written))
    }
}
