//! `sitegen why [PAGE]`: why the last build rendered a page again, or why it did not. Without a page, all pages that it
//! rendered, with the reasons.

use diagnostics::problem::{Code, Problem, ProblemSummary, did_you_mean};
use manifest::{BuildManifest, PageEntry, RebuildReason};

use super::{GlobalOptions, stdout};

pub(super) fn why(shared: &GlobalOptions, address: Option<&str>) -> u8 {
    let (config, problems) = shared.config();
    let Some(config) = config else {
        return shared.report(problems, ProblemSummary::default());
    };
    let last_build = BuildManifest::load(&config, generator::MADE_BY).unwrap_or_default();
    let was_up_to_date = BuildManifest::was_up_to_date(&config);
    if last_build.pages().entries.is_empty() {
        let problem = Problem::error(Code::BadSetting, "there is no cached build of this site");
        return shared.report(
            problem.hint("run `sitegen build`").into(),
            ProblemSummary::default(),
        );
    }
    let Some(address) = address else {
        stdout(&rendered_pages(&last_build, was_up_to_date));
        return 0;
    };
    let with_slashes = format!("/{}/", address.trim_matches('/'));
    let wanted = [
        address,
        if address.trim_matches('/').is_empty() {
            "/"
        } else {
            &with_slashes
        },
    ];
    let entry = last_build
        .pages()
        .entries
        .values()
        .find(|entry| wanted.contains(&entry.address.as_str()));
    let Some(entry) = entry else {
        let addresses = last_build
            .pages()
            .entries
            .values()
            .map(|entry| entry.address.as_str());
        let problem = Problem::error(
            Code::BadSetting,
            format!("the last build has no page at `{address}`"),
        )
        .maybe_hint(did_you_mean(&with_slashes, addresses));
        return shared.report(problem.into(), ProblemSummary::default());
    };
    let reason = if was_up_to_date {
        &RebuildReason::Unchanged
    } else {
        &entry.reason
    };
    stdout(&explanation(&last_build, entry, reason));
    0
}

/// Each rendered page with its reasons, by address.
fn rendered_pages(last_build: &BuildManifest, was_up_to_date: bool) -> String {
    let entries = last_build.pages().entries.values();
    let mut rendered: Vec<&PageEntry> = entries
        .filter(|entry| !was_up_to_date && entry.reason != RebuildReason::Unchanged)
        .collect();
    rendered.sort_by(|a, b| a.address.cmp(&b.address));
    let mut text = format!(
        "the last build rendered {} of {} pages\n",
        rendered.len(),
        last_build.pages().entries.len()
    );
    for entry in rendered {
        text.extend([entry.address.as_str(), "\n"]);
        text += &lines(last_build, entry);
    }
    text
}

/// A line for each reason.
fn lines(last_build: &BuildManifest, entry: &PageEntry) -> String {
    last_build
        .reasons(entry)
        .into_iter()
        .flat_map(|reason| ["  - ", reason, "\n"])
        .collect()
}

/// The sentence for one page.
fn explanation(last_build: &BuildManifest, entry: &PageEntry, reason: &RebuildReason) -> String {
    let address = &entry.address;
    match reason {
        RebuildReason::Unchanged => {
            format!(
                "`{address}` was not rendered in the last build, because none of its inputs had changed\n"
            )
        }
        RebuildReason::New => {
            format!(
                "`{address}` was rendered in the last build, because the cache had no entry for it\n"
            )
        }
        RebuildReason::Missing => format!(
            "`{address}` was rendered again in the last build, because its output file was missing or had been edited\n"
        ),
        RebuildReason::Changed(_) => {
            let lines = lines(last_build, entry);
            format!(
                "`{address}` was rendered again in the last build, because of changes in:\n{lines}"
            )
        }
    }
}
