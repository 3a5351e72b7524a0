//! Checks the items of portfolios: the studies that they name, and the keys that they need without one.

use crate::content::case_studies::{CaseStudyFiles, StudyFile};
use crate::content::pages::PageFile;
use crate::content::sections::{Body, Portfolio};
use diagnostics::problem::{Code, Problem, Problems, Source, Span, did_you_mean};

/// The studies that pages name, each with the file and the span of its name.
pub fn studies(pages: &[PageFile]) -> impl Iterator<Item = (&str, &Source, Span)> {
    let sections = pages.iter().flat_map(|page| page.sections.iter().map(|section| (&*page.source, &section.body)));
    let portfolios = sections.filter_map(|(source, body)| match body {
        Body::Portfolio(portfolio) => Some((source, portfolio)),
        _ => None,
    });
    portfolios.flat_map(|(source, portfolio)| {
        let named = portfolio.items.iter().filter_map(|item| item.study.as_ref());
        named.map(move |study| (study.0.value.as_str(), source, study.0.span))
    })
}

/// Checks the studies that pages name.
pub(super) fn check(pages: &[PageFile], studies: &CaseStudyFiles) -> Problems {
    let mut problems = Problems::new();
    let known: Vec<&str> = studies.studies.iter().map(StudyFile::slug).collect();
    for page in pages {
        for section in &page.sections {
            if let Body::Portfolio(portfolio) = &section.body {
                check_portfolio(portfolio, &page.source, &known, &mut problems);
            }
        }
    }
    problems
}

fn check_portfolio(portfolio: &Portfolio, source: &Source, known: &[&str], problems: &mut Problems) {
    for item in &portfolio.items {
        if let Some(study) = &item.study
            && !known.contains(&study.0.value.as_str())
        {
            let message = format!("there is no case study `{}`", study.0.value);
            let problem = Problem::error(Code::UnknownId, message).at(source.place(study.0.span));
            let near = did_you_mean(&study.0.value, known.iter().copied());
            problems.push(problem.maybe_hint(near));
        }
        for key in item.missing() {
            let message = format!("the key `{key}` is missing in this item of the portfolio");
            let problem = Problem::error(Code::MissingKey, message).at(source.place(item.label.0.span));
            problems.push(problem.hint(format!("add `{key}: …`, or `study: …` to take it from a case study")));
        }
    }
}
