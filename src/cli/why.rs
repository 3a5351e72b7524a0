//! `sitegen why PAGE`: why the last build rendered a page again, or why it did not.

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
            Problem::error(Code::BadSetting, "there is no cached build of this site").hint("run `sitegen build`")
        } else {
            let addresses = last_build.pages.values().map(|entry| entry.address.as_str());
            Problem::error(Code::BadSetting, format!("the last build has no page at `{address}`"))
                .maybe_hint(did_you_mean(&with_slashes, addresses))
        };
        return shared.report(problem.into(), Summary::default());
    };
    let reason = if BuildManifest::was_up_to_date(&config) { &RebuildReason::Unchanged } else { &entry.reason };
    stdout(&explanation(&entry.address, reason));
    0
}

/// The sentence for one page.
fn explanation(address: &str, reason: &RebuildReason) -> String {
    match reason {
        RebuildReason::Unchanged => {
            format!("`{address}` was not rendered in the last build, because none of its inputs had changed\n")
        }
        RebuildReason::New => {
            format!("`{address}` was rendered in the last build, because the cache had no entry for it\n")
        }
        RebuildReason::Missing => format!(
            "`{address}` was rendered again in the last build, because its output file was missing or had been edited\n"
        ),
        RebuildReason::Changed(dependencies) => {
            let changed = dependencies.iter().filter_map(|at| DEPENDENCIES.get(usize::from(*at)));
            let lines: String = changed.flat_map(|(_, description)| ["  - ", description, "\n"]).collect();
            format!("`{address}` was rendered again in the last build, because of changes in:\n{lines}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::explanation;
    use sitegen::build_cache::{Dependency, RebuildReason};

    #[test]
    fn changed_dependencies_are_named() {
        let changed = RebuildReason::Changed(vec![Dependency::Templates as u8, Dependency::Frame as u8]);
        let text = explanation("/a/", &changed);
        assert!(text.contains("\n  - a template that it uses\n  - the frame around it"), "{text}");
    }
}
