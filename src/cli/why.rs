//! `sitegen why PAGE`: whether the last build rendered a page again, and what had changed.

use diagnostics::problem::{Code, Problem, Summary, did_you_mean};
use sitegen::build_cache::{BuildManifest, DEPENDENCIES, RebuildReason};

use super::{GlobalOptions, stdout};

pub(super) fn why(shared: &GlobalOptions, address: &str) -> u8 {
    let (config, problems) = shared.config();
    let Some(config) = config else { return shared.report(problems, Summary::default()) };
    let (last_build, _) = BuildManifest::load(&config);
    let with_slashes = format!("/{}/", address.trim_matches('/'));
    let wanted = [address, if address.trim_matches('/').is_empty() { "/" } else { &with_slashes }];
    let entry = last_build.pages.values().find(|entry| wanted.contains(&entry.address.as_str()));
    let Some(entry) = entry else {
        let problem = if last_build.pages.is_empty() {
            Problem::error(Code::BadSetting, "no build of this site is remembered").hint("run `sitegen build`")
        } else {
            let addresses = last_build.pages.values().map(|entry| entry.address.as_str());
            Problem::error(Code::BadSetting, format!("the last build made no page at `{address}`"))
                .maybe_hint(did_you_mean(&with_slashes, addresses))
        };
        return shared.report(problem.into(), Summary::default());
    };
    let reason = if BuildManifest::was_up_to_date(&config) { &RebuildReason::Unchanged } else { &entry.reason };
    stdout(&words(&entry.address, reason));
    0
}

/// What a build did with the page, and why.
fn words(address: &str, reason: &RebuildReason) -> String {
    match reason {
        RebuildReason::Unchanged => {
            format!(
                "`{address}` stands as it was: nothing that it is made from had changed when the site was last built\n"
            )
        }
        RebuildReason::New => {
            format!("`{address}` was rendered in the last build, because no earlier one that made it is remembered\n")
        }
        RebuildReason::Missing => format!(
            "`{address}` was rendered again in the last build, because its file was gone, or not as it had been written\n"
        ),
        RebuildReason::Changed(dependencies) => {
            let changed = dependencies.iter().filter_map(|at| DEPENDENCIES.get(usize::from(*at)));
            let lines: String = changed.flat_map(|(_, words)| ["  - ", words, "\n"]).collect();
            format!("`{address}` was rendered again in the last build, because this had changed:\n{lines}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::words;
    use sitegen::build_cache::{Dependency, RebuildReason};

    #[test]
    fn what_has_changed_is_named() {
        let changed = RebuildReason::Changed(vec![Dependency::Templates as u8, Dependency::Frame as u8]);
        let text = words("/a/", &changed);
        assert!(text.contains("\n  - a template that it uses\n  - the frame around it"), "{text}");
    }
}
