//! Data fetched for a build: posts of a CMS, and entries from URLs. A new response replaces the cached one once the
//! site was read with it; one that the site has a problem with gives way to the cached one.

use config::Config;
use diagnostics::problem::{Problem, Problems, Severity};

use super::collections::NewAnswer;
use super::{Content, blog};

/// Posts and entries that were fetched, and the problems with the sources of collections.
#[derive(Debug, Clone)]
pub struct FetchedPosts {
    pub(super) posts: Option<blog::Fetched>,
    /// The answers that are not kept yet.
    pub(super) entries: Vec<NewAnswer>,
    pub(super) of_collections: Problems,
}

impl FetchedPosts {
    /// Whether the site can differ from one that is made of the kept responses without a problem.
    pub fn has_news(&self) -> bool {
        self.posts.is_some() || !self.entries.is_empty() || !self.of_collections.is_empty()
    }
}

/// The answers that may be the cause of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suspects {
    /// Those that an error is in.
    Named,
    /// All: an error elsewhere, such as a link to what is gone, may follow from one.
    All,
}

impl FetchedPosts {
    /// Whether there are answers that differ from the kept ones.
    pub fn is_new(&self) -> bool {
        !self.entries.is_empty() || self.posts.as_ref().is_some_and(blog::Fetched::is_new)
    }

    /// The same with the kept answers in place of suspects, with a warning for each. `None` if there is no suspect that
    /// another answer can stand in for.
    pub fn without(
        &self,
        config: &Config,
        suspects: Suspects,
        problems: &Problems,
    ) -> Option<FetchedPosts> {
        let mut rest = self.clone();
        let mut is_changed = false;
        rest.entries.clear();
        for answer in &self.entries {
            let own = errors(problems).find(|error| answer.has(error));
            let error = own.or_else(|| {
                errors(problems)
                    .next()
                    .filter(|_| suspects == Suspects::All)
            });
            match error.filter(|_| answer.can_be_refused()) {
                Some(error) => {
                    rest.of_collections.push(answer.refused(config, error));
                    is_changed = true;
                }
                None => rest.entries.push(answer.clone()),
            }
        }
        if suspects == Suspects::All
            && let Some(error) = errors(problems).next()
            && let Some(posts) = rest.posts.take_if(|posts| posts.can_be_refused())
        {
            rest.posts = Some(posts.refused(config, error));
            is_changed = true;
        }
        is_changed.then_some(rest)
    }

    /// The problems with answers that the schemas of a site have left little of.
    pub fn shrunk(&self, config: &Config, content: &Content) -> Problems {
        let mut problems = Problems::new();
        for answer in &self.entries {
            answer
                .shrunk(config, &content.collections)
                .into_iter()
                .for_each(|problem| problems.push(problem));
        }
        problems
    }

    /// Keeps the new answers, but for those that a problem is in.
    pub fn keep(&self, config: &Config, problems: &Problems) -> Problems {
        let mut failed = Problems::new();
        for answer in self
            .entries
            .iter()
            .filter(|answer| !errors(problems).any(|error| answer.has(error)))
        {
            failed.extend(
                answer
                    .keep(config)
                    .err()
                    .map_or_else(Problems::new, Problems::from),
            );
        }
        let posts = self
            .posts
            .as_ref()
            .map_or(Ok(()), |posts| posts.keep(config));
        failed.extend(posts.err().map_or_else(Problems::new, Problems::from));
        failed
    }
}

fn errors(problems: &Problems) -> impl Iterator<Item = &Problem> {
    problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
}
