//! Old addresses of `site.yaml` that lead to new ones.

use crate::config::{Config, Redirect};
use crate::content::placeholders;
use crate::model::Site;
use crate::problem::{Code, Problem, Problems};

use super::{Claims, Route, Routes, paths};

/// Adds the redirects to the addresses. Both slash forms of an old address lead on.
pub(super) fn plan(config: &Config, site: &Site, routes: &mut Routes, claims: &mut Claims, problems: &mut Problems) {
    let sources: Vec<String> = config.site.redirects.iter().map(|redirect| from(config, redirect)).collect();
    for (redirect, from) in config.site.redirects.iter().zip(&sources) {
        match target(config, site, routes, redirect, from, &sources) {
            Ok(to) if claims.claim(from, config.source.place(redirect.from.span), problems) => {
                routes.by_path.insert(from.clone(), Route::Redirect { to });
            }
            Ok(_) => {}
            Err(problem) => problems.push(problem),
        }
    }
}

fn from(config: &Config, redirect: &Redirect) -> String {
    let path = placeholders::fill(&redirect.from.value, config);
    format!("{}/", path.trim_end_matches('/'))
}

fn target(
    config: &Config,
    site: &Site,
    routes: &Routes,
    redirect: &Redirect,
    from: &str,
    sources: &[String],
) -> Result<String, Problem> {
    let at_from = |problem: Problem| problem.at(config.source.place(redirect.from.span));
    let at_to = |problem: Problem| problem.at(config.source.place(redirect.to.0.span));
    let reserved = ["/_assets/", "/_sitegen/"].iter().any(|folder| from.starts_with(folder));
    if !from.starts_with('/') || reserved || paths::segments_problem(from).is_some() {
        let message = format!("`{}` is not a path that can be redirected", redirect.from.value);
        let hint = "write a path such as `/old-page/`, in lower case, without query or fragment";
        return Err(at_from(Problem::error(Code::RedirectConflict, message).hint(hint)));
    }
    if sources.iter().filter(|other| *other == from).count() > 1 {
        return Err(at_from(
            Problem::error(Code::RedirectConflict, format!("two redirects lead away from `{from}`"))
                .hint("remove one of the two"),
        ));
    }
    if routes.get(from).is_some() {
        let message = format!("`{from}` is an address of the site, so a redirect would hide it");
        return Err(at_from(Problem::error(Code::RedirectConflict, message).hint("remove the redirect, or the page")));
    }
    let to = placeholders::fill(&redirect.to.0.value, config);
    let path = to.split('#').next().unwrap_or_default();
    let with_slash = format!("{}/", path.trim_end_matches('/'));
    if sources.contains(&with_slash) {
        let message = if with_slash == from {
            format!("`{from}` leads to itself")
        } else {
            format!("`{to}` is itself redirected")
        };
        return Err(at_to(Problem::error(Code::RedirectConflict, message).hint("lead to the last address at once")));
    }
    let locale = site.locales.iter().position(|locale| from.starts_with(&format!("/{}/", locale.code))).unwrap_or(0);
    routes.resolve(site, &to, locale, None).map(|href| href.href).map_err(at_to)
}
