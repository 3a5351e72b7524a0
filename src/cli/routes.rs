//! `sitegen routes`: lists every address of the site.

use std::collections::BTreeSet;

use clap::Args;
use serde::Serialize;

use diagnostics::problem::ProblemSummary;
use site::model::Site;
use site::routes::Route;
use site::{Planned, Workspace};

use super::{Format, GlobalOptions, stdout};

#[derive(Debug, Args)]
pub(super) struct RoutesArguments {
    /// Print a JSON list of objects with `path`, `kind` (`page`, `copy`, `redirect`, `gone`, `static`), `status`, `locale`,
    /// `key`, `canonical` and `to`.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct RouteRow<'a> {
    path: &'a str,
    kind: &'static str,
    status: u16,
    locale: Option<&'a str>,
    key: Option<&'a str>,
    canonical: Option<&'a str>,
    to: Option<&'a str>,
}

impl<'a> RouteRow<'a> {
    fn redirect(path: &'a str, to: &'a str, temporary: &BTreeSet<&str>) -> RouteRow<'a> {
        RouteRow {
            path,
            kind: "redirect",
            status: if temporary.contains(path) { 302 } else { 301 },
            locale: None,
            key: None,
            canonical: None,
            to: Some(to),
        }
    }

    fn gone(path: &'a str) -> RouteRow<'a> {
        RouteRow {
            path,
            kind: "gone",
            status: 410,
            locale: None,
            key: None,
            canonical: None,
            to: None,
        }
    }
}

pub(super) fn routes(shared: &GlobalOptions, own: &RoutesArguments) -> u8 {
    let (config, mut problems) = shared.config();
    let Some(config) = config else {
        return shared.report(problems, ProblemSummary::default());
    };
    let workspace = Workspace::open(config);
    problems.extend(workspace.problems());
    let Planned { site, routes, .. } = workspace.site();
    let queries: Vec<(String, &str)> = routes
        .queries()
        .map(|(from, to)| (from.to_string(), to))
        .collect();
    let temporary = routes.temporary().collect();
    let mut rows: Vec<RouteRow> = routes
        .iter()
        .map(|(path, route)| row(site, path, route, &temporary))
        .collect();
    rows.extend(routes.gone().map(RouteRow::gone));
    rows.extend(
        queries
            .iter()
            .map(|(from, to)| RouteRow::redirect(from, to, &temporary)),
    );
    if own.json || shared.format == Format::Json {
        stdout(&(serde_json::to_string_pretty(&rows).unwrap_or_default() + "\n"));
    } else {
        let width = rows
            .iter()
            .map(|row| row.path.chars().count())
            .max()
            .unwrap_or(0);
        for row in &rows {
            let rest = match row.kind {
                "page" => format!(
                    "{} ({})",
                    row.key.unwrap_or_default(),
                    row.locale.unwrap_or_default()
                ),
                "copy" => format!("copy of {}", row.canonical.unwrap_or_default()),
                "redirect" => format!("to {}", row.to.unwrap_or_default()),
                _ => String::new(),
            };
            stdout(&format!(
                "{:width$}  {}  {:8}  {rest}\n",
                row.path, row.status, row.kind
            ));
        }
    }
    shared.report_beside(problems)
}

fn row<'a>(
    site: &'a Site,
    path: &'a str,
    route: &'a Route,
    temporary: &BTreeSet<&str>,
) -> RouteRow<'a> {
    let empty = RouteRow {
        path,
        kind: "static",
        status: 200,
        locale: None,
        key: None,
        canonical: None,
        to: None,
    };
    match route {
        Route::Page { page, canonical } => {
            let page = &site.pages[*page];
            RouteRow {
                kind: if *canonical { "page" } else { "copy" },
                status: page.status.number(),
                locale: Some(&page.locale),
                key: Some(&page.key),
                canonical: Some(&page.path.value),
                ..empty
            }
        }
        Route::Redirect { to } => RouteRow::redirect(path, to, temporary),
        Route::Static => empty,
    }
}
