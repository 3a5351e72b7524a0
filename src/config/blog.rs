//! `blog:` in `content/site.yaml`: where posts come from, and how much is asked of a CMS.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use diagnostics::problem::{Code, Problem, Problems, Source};
use diagnostics::yaml::Spanned;

use super::environment;

/// The settings of the blog.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub struct BlogSettings {
    /// Where posts come from.
    pub source: BlogSource,
    /// The CMS: WordPress's home page, or the server that answers `/api/posts`.
    pub url: Option<Spanned<String>>,
    /// How WordPress is asked for a language.
    pub language_by: LanguageBy,
    /// The name of the query's part that says the language.
    pub language_parameter: String,
    /// By locale: the parameter's value where it is not the locale's code, the category's slug, or the home page.
    pub languages: BTreeMap<String, Spanned<String>>,
    /// Whether an index of the posts is written for the API.
    pub search: bool,
    /// Where the snapshot of the CMS is kept, below the site's folder.
    pub snapshot: Option<Spanned<String>>,
    /// A snapshot that is older, in days, stands in for the CMS no longer.
    pub max_age: f64,
    /// The share of posts that may vanish between two builds.
    pub max_shrink: f64,
    /// Seconds for one answer.
    pub timeout: f64,
    /// Seconds for all lists of posts together; after them the snapshot stands in. While pictures are fetched, seconds
    /// without any answer.
    pub deadline: f64,
    /// How often an answer is asked for again.
    pub retries: u32,
    /// Megabytes of one answer, and of one picture.
    pub max_answer: f64,
    /// What a reader sees whose search, or whose further articles, could not be had.
    pub on_failure: OnFailure,
}

impl Default for BlogSettings {
    fn default() -> BlogSettings {
        BlogSettings {
            source: BlogSource::Markdown,
            url: None,
            language_by: LanguageBy::Parameter,
            language_parameter: "lang".into(),
            languages: BTreeMap::new(),
            search: true,
            snapshot: None,
            max_age: 14.0,
            max_shrink: 0.2,
            timeout: 30.0,
            deadline: 60.0,
            retries: 3,
            max_answer: 20.0,
            on_failure: OnFailure::Error,
        }
    }
}

/// Where posts come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlogSource {
    /// `content/blog/<locale>/<slug>.md`.
    Markdown,
    /// The REST API of WordPress, `/wp-json/wp/v2/`.
    Wordpress,
    /// An API that answers `/api/posts` as this site's own does.
    PostsApi,
}

/// What the list of posts shows in the browser when the posts API fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The list empties, and an error panel says so.
    Error,
    /// Placeholder entries: one with the searched words, or some in the place of the next page.
    Placeholder,
}

/// How WordPress, or a plugin of it, keeps languages apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LanguageBy {
    /// `?lang=es`, as Polylang and WPML read it.
    Parameter,
    /// Each language is a category.
    Category,
    /// Each language is a WordPress of its own.
    BaseUrl,
}

/// How a run deals with a CMS and the snapshot of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SnapshotMode {
    /// The CMS is asked; the snapshot stands in when it does not answer.
    #[default]
    Fallback,
    /// The CMS is not asked.
    Offline,
    /// The snapshot stands in for nothing, and is not compared with.
    Refresh,
    /// The CMS must say what the snapshot says.
    Frozen,
    /// The CMS is asked when the snapshot is older than some minutes: for `serve`, which builds at each save.
    Recent,
}

/// Who asks the CMS. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub enum Credentials {
    /// `Authorization: Bearer …`.
    Token(String),
    /// User and (application) password.
    Password(String, String),
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Credentials(…)")
    }
}

/// From the environment.
pub(super) fn credentials() -> Option<Credentials> {
    let read = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    read(environment::BLOG_TOKEN)
        .map(Credentials::Token)
        .or_else(|| Some(Credentials::Password(read(environment::BLOG_USER)?, read(environment::BLOG_PASSWORD)?)))
}

impl BlogSettings {
    /// The folder of the snapshot.
    pub fn snapshot_folder(&self, root: &std::path::Path, cache: &std::path::Path) -> PathBuf {
        self.snapshot.as_ref().map_or_else(|| cache.join("blog-snapshot"), |folder| root.join(&folder.value))
    }

    /// What the types alone cannot say.
    pub(super) fn check(&self, locales: &[Spanned<String>], source: &Source, problems: &mut Problems) {
        let mut report = |at: Option<&Spanned<String>>, message: String, hint: &str| {
            let place =
                at.map_or_else(|| diagnostics::problem::Place::file(source.path.clone()), |at| source.place(at.span));
            problems.push(Problem::error(Code::InvalidValue, message).at(place).hint(hint));
        };
        let is_url = |url: &str| {
            let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
            rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/') && !rest.contains([' ', '@', '?', '#']))
        };
        let by_url = self.source == BlogSource::Wordpress && self.language_by == LanguageBy::BaseUrl;
        match &self.url {
            Some(url) if !is_url(url) => report(
                Some(url),
                format!("`{}` is not the address of a CMS", url.value),
                "write `https://cms.example.com`; a user and a password come from the environment",
            ),
            None if self.source != BlogSource::Markdown && !by_url => {
                report(
                    None,
                    "`blog.url` is missing, and the posts come from a CMS".into(),
                    "add `url: https://…` below `blog:`",
                );
            }
            _ => {}
        }
        for (code, value) in &self.languages {
            if locales.iter().all(|locale| locale.value != *code) {
                report(Some(value), format!("`{code}` is not a locale of this site"), "name it as in `locales`");
            } else if by_url && !is_url(value) {
                report(Some(value), format!("`{}` is not an address", value.value), "write `https://es.example.com`");
            }
        }
        if self.source == BlogSource::Wordpress && self.language_by != LanguageBy::Parameter {
            for locale in locales.iter().filter(|locale| !self.languages.contains_key(&locale.value)) {
                let message = format!("`blog.languages` says nothing of `{}`", locale.value);
                report(None, message, "each locale needs its category or its address there");
            }
        }
        if let Some(folder) = &self.snapshot
            && (folder.starts_with('/') || folder.split('/').any(|part| matches!(part, "" | "." | "..")))
        {
            report(
                Some(folder),
                format!("`{}` is not a folder below the site's", folder.value),
                "write `content/blog-snapshot`",
            );
        }
        for (name, value, most) in [
            ("max_age", self.max_age, 36_500.0),
            ("max_shrink", self.max_shrink, 1.0),
            ("timeout", self.timeout, 3600.0),
            ("deadline", self.deadline, 86_400.0),
            ("max_answer", self.max_answer, 1000.0),
        ] {
            if !(0.0..=most).contains(&value) || value == 0.0 && matches!(name, "timeout" | "deadline" | "max_answer") {
                report(None, format!("`blog.{name}` is {value}"), &format!("write a number up to {most}"));
            }
        }
    }
}
