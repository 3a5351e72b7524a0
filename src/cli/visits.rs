//! `sitegen visits`: counts the pages that were read, from the access logs of nginx, CloudFront or Cloudflare. Nothing that
//! could name a visitor is kept or printed: no address, no program, no query of a page, and no group below five.

mod count;
mod lines;
mod read;
mod robots;
mod show;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use diagnostics::problem::{Code, Problem, ProblemSummary, Problems};
use schema::types::Date;
use site::{Planned, Workspace};

use super::{Format, GlobalOptions, leads, stdout};
use count::{VisitCounts, VisitedPages};

#[derive(Debug, Args)]
pub(super) struct VisitsArguments {
    /// Access logs, compressed with gzip or not: nginx (`combined` or JSON), CloudFront, or Cloudflare's Logpush. `-` reads
    /// from stdin.
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// The length of a period.
    #[arg(long, value_enum, default_value_t = PeriodLength::Month)]
    by: PeriodLength,
    /// Count only visits from this day on, such as `2027-01-31`.
    #[arg(long, value_name = "DAY")]
    since: Option<String>,
    /// Print CSV for spreadsheets; `--format json` prints JSON.
    #[arg(long)]
    csv: bool,
    /// Also count the leads in this store: `leads.sqlite3`, `dynamodb:TABLE`.
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
}

/// The length of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PeriodLength {
    /// A day, in the log's time zone.
    Day,
    /// A week, starting on Monday.
    Week,
    /// A month.
    Month,
}

impl PeriodLength {
    /// The period of a day: `2027-01-31`, the Monday of a week, or `2027-01`.
    fn of(self, day: &str) -> Option<String> {
        Date::parse(day)?;
        match self {
            PeriodLength::Day => Some(day.to_owned()),
            PeriodLength::Month => day.get(..7).map(str::to_owned),
            PeriodLength::Week => {
                let day: jiff::civil::Date = day.parse().ok()?;
                let since_monday = i64::from(day.weekday().to_monday_zero_offset());
                Some(
                    day.checked_sub(jiff::Span::new().days(since_monday))
                        .ok()?
                        .to_string(),
                )
            }
        }
    }
}

pub(super) fn visits(shared: &GlobalOptions, own: &VisitsArguments) -> u8 {
    let (config, mut problems) = shared.config();
    let Some(config) = config else {
        return shared.report(problems, ProblemSummary::default());
    };
    if let Some(since) = own
        .since
        .as_ref()
        .filter(|since| Date::parse(since).is_none())
    {
        let message =
            format!("`{since}` is not a date; write the year, month and day, as in `2027-01-31`");
        return shared.report(
            Problem::error(Code::BadSetting, message).into(),
            ProblemSummary::default(),
        );
    }
    // The pages are known even if some texts have mistakes, which `check` reports.
    let workspace = Workspace::open(config);
    problems = Problems::new();
    let Planned { site, routes, .. } = workspace.site();
    let pages = VisitedPages::new(workspace.config(), site, routes);
    let mut counts = VisitCounts::new(&pages);
    for log in &own.logs {
        let found = read::log(log, &mut |hit| {
            if own.since.as_deref().is_some_and(|since| hit.day < since) {
                return;
            }
            if let Some(period) = own.by.of(hit.day) {
                counts.add(period, hit);
            }
        });
        found.into_iter().for_each(|problem| problems.push(problem));
    }
    let mut has_leads = false;
    if let Some(store) = &own.store {
        match leads::days(shared, store) {
            Ok(days) => {
                has_leads = true;
                let days = days.iter().filter(|day| {
                    own.since
                        .as_deref()
                        .is_none_or(|since| day.as_str() >= since)
                });
                days.filter_map(|day| own.by.of(day))
                    .for_each(|period| counts.add_lead(period));
            }
            Err(problem) => problems.push(problem),
        }
    }
    let report = counts.report(has_leads);
    if own.csv {
        stdout(&show::csv(&report));
    } else if shared.format == Format::Json {
        stdout(&show::json(&report));
    } else {
        stdout(&show::table(&report));
    }
    shared.report_beside(problems)
}
