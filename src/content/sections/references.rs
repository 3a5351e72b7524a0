//! Checks names in sections that refer to something else: the studies of a portfolio, the plans of a price table.

use crate::content::case_studies::CaseStudyFiles;
use crate::content::pages::PageFile;
use diagnostics::problem::{Code, Problem, Problems, Source, Span, did_you_mean};

use super::{Body, Portfolio, PricingTable};

/// Checks the studies that pages name.
pub fn check(pages: &[PageFile], studies: &CaseStudyFiles) -> Problems {
    let mut problems = Problems::new();
    let known: Vec<&str> = studies.studies.iter().map(|file| file.slug()).collect();
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

/// Checks that each row of a table has one value for each plan. `None` if a value is missing.
pub(super) fn check_plans(table: &PricingTable, source: &Source, problems: &mut Problems) -> Option<()> {
    let mut is_whole = true;
    let plans: Vec<&str> = table.plans.iter().map(|plan| plan.name.0.value.as_str()).collect();
    for (at, plan) in table.plans.iter().enumerate() {
        if plans[..at].contains(&plans[at]) {
            let message = format!("another plan of this table is called `{}`", plans[at]);
            problems.push(Problem::error(Code::DuplicateId, message).at(source.place(plan.name.0.span)));
        }
    }
    for row in &table.rows {
        for (plan, _) in &row.values.0 {
            if !plans.contains(&plan.as_str()) {
                // The keys follow the label.
                let rest = Span::new(row.label.0.span.start as usize, source.text.len());
                let place = source.place(source.locate(rest, &format!("{plan}:")));
                let problem = Problem::error(Code::UnknownId, format!("the table has no plan `{plan}`")).at(place);
                problems.push(problem.maybe_hint(did_you_mean(plan, plans.iter().copied())));
            }
        }
        for plan in plans.iter().filter(|plan| row.values.0.iter().all(|(named, _)| named != *plan)) {
            let message = format!("the row `{}` has no value for the plan `{plan}`", row.label.0.value);
            let problem = Problem::error(Code::MissingKey, message).at(source.place(row.label.0.span));
            problems.push(problem.hint(format!("add `{plan}: …` to its `values`: `true`, `false` or text")));
            is_whole = false;
        }
    }
    is_whole.then_some(())
}
