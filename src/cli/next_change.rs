//! `sitegen next-change`: when the site must be built next without an edit, because content is published or expires.

use std::fmt::Write as _;

use serde::Serialize;

use config::BlogSource;
use content::blog::NextChange;
use diagnostics::problem::ProblemSummary;
use schema::types::{Moment, duration_words};

use super::{Format, GlobalOptions, stdout};

/// The output of `--format json`.
#[derive(Serialize)]
struct NextChangeAnswer<'a> {
    version: u32,
    /// RFC 3339, in UTC.
    next_change: Option<String>,
    /// Seconds from now, for a scheduler that takes a delay.
    in_seconds: Option<i64>,
    published: &'a [String],
    withdrawn: &'a [String],
    /// Entries whose date passes, in lists of what is upcoming or past.
    passed: &'a [String],
}

pub(super) fn next_change(shared: &GlobalOptions) -> u8 {
    let (config, mut problems) = shared.config();
    let Some(config) = config else {
        return shared.report(problems, ProblemSummary::default());
    };
    // A CMS does not announce when it will publish a post, so it is not requested.
    let next = match config.site.blog.source {
        BlogSource::Markdown => problems
            .take(content::load(&config))
            .next_change(config.run.now),
        BlogSource::Wordpress | BlogSource::PostsApi => content::next_change_without_posts(&config),
    };
    stdout(&match shared.format {
        Format::Json => json(next.as_ref(), config.run.now),
        _ => human(next.as_ref(), config.run.now),
    });
    // The time is the result, so problems go to stderr as text, whatever `--format` says.
    GlobalOptions {
        format: Format::Human,
        ..shared.clone()
    }
    .report(problems, ProblemSummary::default())
}

/// The time alone on the first line, for `head -1`; then what appears or expires.
fn human(next: Option<&NextChange>, now: Moment) -> String {
    let Some(NextChange {
        at,
        published,
        withdrawn,
        passed,
    }) = next
    else {
        return "nothing is scheduled: no rebuild is needed until the content changes\n".into();
    };
    let mut text = format!("{at}\nin {}:\n", duration_words(at.0 - now.0));
    for (verb, posts) in [
        ("publishes", published),
        ("withdraws", withdrawn),
        ("lists as begun or past", passed),
    ] {
        for post in posts {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {verb} {post}");
        }
    }
    text
}

fn json(next: Option<&NextChange>, now: Moment) -> String {
    let answer = NextChangeAnswer {
        version: 1,
        next_change: next.map(|next| next.at.to_string()),
        in_seconds: next.map(|next| next.at.0 - now.0),
        published: next.map_or(&[], |next| &next.published),
        withdrawn: next.map_or(&[], |next| &next.withdrawn),
        passed: next.map_or(&[], |next| &next.passed),
    };
    // A struct of strings always serializes.
    serde_json::to_string(&answer).unwrap_or_default() + "\n"
}
