//! Checks forms in steps: the words of each step, and that a page shows one such form, because the history of the browser
//! leads through its steps.

use std::collections::BTreeMap;
use std::sync::Arc;

use content::Content;
use content::forms::FormWords;
use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use diagnostics::yaml;

use super::super::page::Page;
use super::Join;

impl Join<'_> {
    /// Reports steps without words, and words without a step.
    pub(super) fn check_steps(&mut self, words: &FormWords, source: &Arc<Source>) {
        let (steps, written) = (self.sources.form.steps.len(), words.steps.len());
        let place = || yaml::place_of_key(source, &["steps"]);
        if written < steps {
            let place = if written == 0 {
                Place::file(source.path.clone())
            } else {
                place()
            };
            let message = format!(
                "the form has {steps} steps, but {} has no text",
                nth(written)
            );
            let hint = "add `- {title: …}` below `steps:`".to_owned();
            self.report(Code::MissingKey, place, message, hint);
        } else if written > steps {
            let message = match steps {
                0 => "the form has no steps".to_owned(),
                steps => format!("the form has {steps} steps, but text for {written}"),
            };
            let hint = format!(
                "remove the extra text, or add steps to `content/forms/{}/form.yaml`",
                self.sources.name
            );
            self.report(Code::UnknownId, place(), message, hint);
        }
    }
}

fn nth(at: usize) -> String {
    if at == 0 {
        "the first one".to_owned()
    } else {
        format!("step {}", at + 1)
    }
}

/// Reports pages that show two forms with steps. `shown` are forms with the language and the index of their page.
pub(super) fn check_pages(
    content: &Content,
    pages: &[Page],
    shown: &[(String, usize, usize)],
    problems: &mut Problems,
) {
    let has_steps = |name: &str| {
        content
            .forms
            .list
            .iter()
            .any(|form| form.name == name && !form.form.steps.is_empty())
    };
    let mut first: BTreeMap<usize, &str> = BTreeMap::new();
    for (name, _, index) in shown.iter().filter(|(name, ..)| has_steps(name)) {
        let page = &pages[*index];
        let Some(other) = first.insert(*index, name) else {
            continue;
        };
        let place = yaml::place_of_text(&page.source, &["form"], name);
        let message = format!("this page shows two forms with steps, `{other}` and `{name}`");
        let problem = Problem::error(Code::FormDeclaration, message).at(place);
        problems.push(
            problem.hint("show one of them on another page: the browser’s Back button can only move through one form"),
        );
    }
}
