//! How many files a host takes, and how large they may be: Cloudflare Pages refuses the upload of others.

use config::{Config, Host};
use diagnostics::problem::{Code, Place, Problem, Problems};

/// The most files of a site on Cloudflare Pages, on its free plan.
const FILES: usize = 20_000;
/// The most bytes of one of them.
const BYTES: u64 = 25 * 1024 * 1024;

/// The limits of the site's host.
#[derive(Debug)]
pub(crate) struct FileLimits {
    /// Where the site names its host.
    place: Option<Place>,
}

impl FileLimits {
    /// The limits of the host that the site names; `None` if it has none.
    pub(crate) fn of(config: &Config) -> Option<FileLimits> {
        (config.site.host == Some(Host::Cloudflare)).then(|| FileLimits {
            place: super::limit(config, "host", String::new(), "").place,
        })
    }

    /// Warns of what the host would refuse, by the paths and lengths of all files.
    pub(crate) fn check<'a>(&self, files: impl Iterator<Item = (&'a str, u64)>) -> Problems {
        let (mut count, mut large) = (0, None);
        for (path, length) in files {
            count += 1;
            large = large.max(Some((length, path)).filter(|(length, _)| *length > BYTES));
        }
        let mut problems = Problems::new();
        if count > FILES {
            let message =
                format!("the site has {count} files, but Cloudflare Pages accepts at most {FILES}");
            let hint = "publish each language as a separate site, or name another `host`";
            problems.push(self.warning(message, hint));
        }
        if let Some((length, path)) = large {
            let message = format!(
                "`{path}` is {} MiB, but Cloudflare Pages accepts files of up to {} MiB",
                length.div_ceil(1024 * 1024),
                BYTES / (1024 * 1024)
            );
            problems.push(self.warning(
                message,
                "make it smaller, or put it in object storage, such as Cloudflare R2, and link to it there",
            ));
        }
        problems
    }

    fn warning(&self, message: String, hint: &str) -> Problem {
        let problem = Problem::warning(Code::HostLimit, message).hint(hint);
        Problem {
            place: self.place.clone(),
            ..problem
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_files_and_large_ones_are_reported() {
        let limits = FileLimits { place: None };
        let messages = |count: usize, length: u64| -> Vec<String> {
            let names: Vec<String> = (0..count).map(|number| format!("{number}.html")).collect();
            let found = limits.check(names.iter().map(|name| (name.as_str(), length)));
            (&found)
                .into_iter()
                .map(|problem| problem.message.clone())
                .collect()
        };
        assert_eq!(messages(FILES, BYTES), [""; 0]);
        let many = messages(FILES + 1, 1);
        assert!(
            many.len() == 1 && many[0].starts_with("the site has 20001 files"),
            "{many:?}"
        );
        assert_eq!(
            messages(1, BYTES + 1),
            ["`0.html` is 26 MiB, but Cloudflare Pages accepts files of up to 25 MiB"]
        );
    }
}
