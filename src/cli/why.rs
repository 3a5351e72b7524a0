//! `sitegen why PAGE`: whether the last build rendered a page again, and what had changed.

use crate::record::{PARTS, Record, Verdict};
use diagnostics::problem::{Code, Problem, Summary, did_you_mean};

use super::{Shared, stdout};

pub(super) fn why(shared: &Shared, address: &str) -> u8 {
    let (config, problems) = shared.config();
    let Some(config) = config else { return shared.report(problems, Summary::default()) };
    let (record, _) = Record::open(&config);
    let with_slashes = format!("/{}/", address.trim_matches('/'));
    let wanted = [address, if address.trim_matches('/').is_empty() { "/" } else { &with_slashes }];
    let made = record.pages.values().find(|made| wanted.contains(&made.address.as_str()));
    let Some(made) = made else {
        let problem = if record.pages.is_empty() {
            Problem::error(Code::BadSetting, "no build of this site is remembered").hint("run `sitegen build`")
        } else {
            let addresses = record.pages.values().map(|made| made.address.as_str());
            Problem::error(Code::BadSetting, format!("the last build made no page at `{address}`"))
                .maybe_hint(did_you_mean(&with_slashes, addresses))
        };
        return shared.report(problem.into(), Summary::default());
    };
    let verdict = if Record::was_still(&config) { &Verdict::Kept } else { &made.verdict };
    stdout(&words(&made.address, verdict));
    0
}

/// What a build did with the page, and why.
fn words(address: &str, verdict: &Verdict) -> String {
    match verdict {
        Verdict::Kept => {
            format!(
                "`{address}` stands as it was: nothing that it is made from had changed when the site was last built\n"
            )
        }
        Verdict::New => {
            format!("`{address}` was rendered in the last build, because no earlier one that made it is remembered\n")
        }
        Verdict::Missing => format!(
            "`{address}` was rendered again in the last build, because its file was gone, or not as it had been written\n"
        ),
        Verdict::Changed(parts) => {
            let parts = parts.iter().filter_map(|at| PARTS.get(usize::from(*at)));
            let lines: String = parts.flat_map(|(_, words)| ["  - ", words, "\n"]).collect();
            format!("`{address}` was rendered again in the last build, because this had changed:\n{lines}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::words;
    use crate::record::{Part, Verdict};

    #[test]
    fn what_has_changed_is_named() {
        let text = words("/a/", &Verdict::Changed(vec![Part::Templates as u8, Part::Frame as u8]));
        assert!(text.contains("\n  - a template that it uses\n  - the frame around it"), "{text}");
    }
}
