//! `sitegen next-change`: when the site must be built again although nobody has changed anything.

use std::fmt::Write as _;

use serde::Serialize;

use diagnostics::problem::Summary;
use sitegen::config::BlogSource;
use sitegen::content::{self, blog::NextChange};
use sitegen::content_types::{Moment, duration_words};

use super::{Format, GlobalOptions, stdout};

/// What `--format json` prints.
#[derive(Serialize)]
struct NextChangeAnswer<'a> {
    version: u32,
    /// RFC 3339, in UTC.
    next_change: Option<String>,
    /// From now, for a scheduler that counts.
    in_seconds: Option<i64>,
    published: &'a [String],
    withdrawn: &'a [String],
}

pub(super) fn next_change(shared: &GlobalOptions) -> u8 {
    let (config, mut problems) = shared.config();
    let Some(config) = config else { return shared.report(problems, Summary::default()) };
    // A CMS publishes when it likes and names no moment beforehand, so it is not asked.
    let next = match config.site.blog.source {
        BlogSource::Markdown => problems.take(content::load(&config)).blog.next_change.clone(),
        BlogSource::Wordpress | BlogSource::PostsApi => None,
    };
    stdout(&match shared.format {
        Format::Json => json(next.as_ref(), config.now),
        Format::Human | Format::Github => human(next.as_ref(), config.now),
    });
    // The moment is the result; problems go to stderr, whatever their format would be elsewhere.
    GlobalOptions { format: Format::Human, ..shared.clone() }.report(problems, Summary::default())
}

/// The moment alone on the first line, for `head -1`; then what happens.
fn human(next: Option<&NextChange>, now: Moment) -> String {
    let Some(NextChange { at, published, withdrawn }) = next else {
        return "nothing is scheduled: the site stays as it is until its content changes\n".into();
    };
    let mut text = format!("{at}\nin {}:\n", duration_words(at.0 - now.0));
    for (verb, posts) in [("publishes", published), ("withdraws", withdrawn)] {
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
    };
    // A struct of texts always serializes.
    serde_json::to_string(&answer).unwrap_or_default() + "\n"
}
