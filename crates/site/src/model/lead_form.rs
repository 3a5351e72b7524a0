//! The lead form in each locale: services with their texts, checked against each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::SiteSettings;
use crate::content::Content;
use crate::content::lead_form::{LeadFormWords, Services, Steps};
use crate::content::placeholders;
use crate::content::rich::Target;
use crate::content::sections::SectionRole;
use api_types::leads::AppType;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span, did_you_mean};
use diagnostics::yaml::Spanned;

use super::page::Page;

/// The form in each locale with a page that shows it.
#[derive(Debug, Default)]
pub struct LeadForm {
    /// The forms by locale.
    pub languages: BTreeMap<String, LeadFormLanguage>,
    /// The text of `services.yaml`, for problems that later stages find.
    pub source: Option<Arc<Source>>,
}

/// The form in one locale.
#[derive(Debug)]
pub struct LeadFormLanguage {
    /// Index of the page with the form.
    pub page: usize,
    /// The choices of the first step, in order.
    pub choices: Vec<LeadChoice>,
    /// Ids and names of the application types.
    pub app_types: Vec<(String, String)>,
    /// The headings of the steps.
    pub steps: Steps,
}

/// A choice of the first step.
#[derive(Debug)]
pub struct LeadChoice {
    /// Its id.
    pub id: String,
    /// Name of an icon.
    pub icon: Spanned<String>,
    /// Its name, in a word or two.
    pub title: String,
    /// Its purpose.
    pub text: String,
    /// Its services, in order.
    pub services: Vec<LeadService>,
}

/// A service that visitors can request.
#[derive(Debug)]
pub struct LeadService {
    /// Its id.
    pub id: String,
    /// Name of an icon.
    pub icon: Spanned<String>,
    /// Its name.
    pub title: String,
    /// The request in the words of a visitor.
    pub request: String,
    /// A description.
    pub description: String,
    /// The page that describes it.
    pub link: Target,
    /// The form links to that page.
    pub has_details_page: bool,
    /// URL fragments that preselect it.
    pub hashes: Vec<String>,
}

impl LeadForm {
    /// All links. They are the same in all locales.
    pub fn links(&self) -> impl Iterator<Item = &Target> {
        let choices = self.languages.values().take(1).flat_map(|language| &language.choices);
        choices.flat_map(|choice| &choice.services).map(|service| &service.link)
    }
}

/// Combines services and texts for each locale with a page that shows the form. Adds the fragments that preselect a
/// service to the anchors of that page.
pub(super) fn resolve(
    settings: &SiteSettings,
    content: &Content,
    pages: &mut [Page],
    problems: &mut Problems,
) -> LeadForm {
    let files = &content.lead_form;
    let mut form = LeadForm::default();
    let shows = |page: &Page| page.sections.iter().any(|section| section.kind.role == SectionRole::LeadForm);
    let showing: Vec<usize> = (0..pages.len()).filter(|index| shows(&pages[*index])).collect();
    let Some((services, source)) = &files.services else {
        if let (Some(page), false) = (showing.first(), files.broken) {
            let problem = Problem::error(Code::UnknownId, "the lead form has no list of services");
            let problem = problem.at(Place::file(pages[*page].source.path.clone()));
            problems.push(problem.hint("write it in `content/lead-form/services.yaml`"));
        }
        return form;
    };
    if let (Some(page), true) = (showing.first(), settings.leads.captcha.lacks_key()) {
        let problem = Problem::error(
            Code::IncompleteData,
            "the lead form needs a captcha, and `content/site.yaml` gives no key for one",
        );
        let problem = problem.at(Place::file(pages[*page].source.path.clone()));
        problems.push(problem.hint("add `leads:` with `captcha: {site_key: …}` or `captcha: {provider: altcha}`"));
    }
    check_ids(services, source, problems);
    form.source = Some(Arc::clone(source));
    for index in showing {
        let page = &mut pages[index];
        let mut codes = settings.with_fallbacks(&page.locale);
        let Some((words, words_source)) = codes.find_map(|code| files.words.get(code)) else {
            if !files.broken {
                let message = format!("the lead form has no words for the locale `{}`", page.locale);
                let problem = Problem::error(Code::TranslationMissing, message);
                let hint = format!("write them in `content/lead-form/{}.yaml`", page.locale);
                problems.push(problem.at(Place::file(page.source.path.clone())).hint(hint));
            }
            continue;
        };
        if form.languages.contains_key(&page.locale) {
            let problem = Problem::error(Code::DuplicateId, "another page in this language already has the lead form");
            let problem = problem.at(Place::file(page.source.path.clone()));
            problems.push(problem.hint("keep one form per language, and link to it from other pages"));
            continue;
        }
        page.anchors.extend(hashes(services).map(|hash| hash.value.clone()));
        let join = Join { settings: settings.in_language(&page.locale), services, source, words, words_source };
        form.languages.extend(join.language(index, problems).map(|language| (page.locale.clone(), language)));
    }
    form
}

fn hashes(services: &Services) -> impl Iterator<Item = &Spanned<String>> {
    services.choices.iter().flat_map(|choice| &choice.services).flat_map(|service| &service.hashes)
}

/// Reports duplicate ids and anchors.
fn check_ids(services: &Services, source: &Source, problems: &mut Problems) {
    let of_choices = services.choices.iter().map(|choice| ("choice", &choice.id));
    let of_services =
        services.choices.iter().flat_map(|choice| &choice.services).map(|service| ("service", &service.id));
    let anchors = hashes(services).map(|hash| ("anchor", hash));
    let mut seen = Vec::new();
    for (what, id) in of_choices.chain(of_services).chain(anchors) {
        if seen.contains(&(what, id.value.as_str())) {
            let problem = Problem::error(Code::DuplicateId, format!("the {what} `{}` is listed twice", id.value));
            problems.push(problem.at(source.place(id.span)).hint("remove one of the two"));
        }
        seen.push((what, id.value.as_str()));
    }
}

/// The texts of one locale and the services.
struct Join<'a> {
    settings: &'a SiteSettings,
    services: &'a Services,
    source: &'a Arc<Source>,
    words: &'a LeadFormWords,
    words_source: &'a Arc<Source>,
}

impl Join<'_> {
    fn language(&self, page: usize, problems: &mut Problems) -> Option<LeadFormLanguage> {
        self.check_placeholders(problems);
        let before = problems.iter().count();
        let fill = |text: &str| placeholders::fill(text, self.settings);
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

    /// Reports ids without texts, and texts without an id.
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

    /// Reports missing and unknown application types. The API accepts only these.
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
        placeholders::check(&self.words_source.text, self.settings, &|written| self.place(written), problems);
        for service in self.services.choices.iter().flat_map(|choice| &choice.services) {
            let place = |_: &str| self.source.place(service.link.0.span);
            placeholders::check(&service.link.0.value, self.settings, &place, problems);
        }
    }

    fn place(&self, written: &str) -> Place {
        let source = self.words_source;
        source.place(source.locate(Span::new(0, source.text.len()), written))
    }
}
