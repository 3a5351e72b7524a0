//! `blog:` in `content/site.yaml`: the source of posts, and limits for requests to a CMS.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use diagnostics::problem::{Code, Problem, Problems, Source};
use diagnostics::yaml::Spanned;

use super::environment;

/// The settings of the blog. Pages show only those that are serialized.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct BlogSettings {
    /// Where posts come from.
    #[serde(skip_serializing)]
    pub source: BlogSource,
    /// URL of the CMS: the home page of WordPress, or the server of `/api/posts`.
    #[serde(skip_serializing)]
    pub url: Option<Spanned<String>>,
    /// How posts of one language are requested from WordPress.
    #[serde(skip_serializing)]
    pub language_by: LanguageBy,
    /// Name of the query parameter for the language.
    #[serde(skip_serializing)]
    pub language_parameter: String,
    /// By locale: the parameter's value if it is not the locale code, the category slug, or the home page.
    #[serde(skip_serializing)]
    pub languages: BTreeMap<String, Spanned<String>>,
    /// Whether the search index for the API is written.
    pub search: bool,
    /// Whether each post without a photograph gets a sharing card with its title. Otherwise it has the card of the blog's page.
    #[serde(skip_serializing)]
    pub sharing_cards: bool,
    /// Folder of the CMS snapshot, relative to the site folder.
    #[serde(skip_serializing)]
    pub snapshot: Option<Spanned<String>>,
    /// Maximum age, in days, of a snapshot that is used when the CMS doesn't respond.
    #[serde(skip_serializing)]
    pub max_age: f64,
    /// The fraction of posts that can disappear between two builds, from 0 to 1.
    #[serde(skip_serializing)]
    pub max_shrink: f64,
    /// Timeout of one request, in seconds.
    #[serde(skip_serializing)]
    pub timeout: f64,
    /// Timeout for all lists of posts together, in seconds; the build then falls back to the snapshot. For images,
    /// the number of seconds without any response.
    #[serde(skip_serializing)]
    pub deadline: f64,
    /// Maximum number of retries of a request.
    #[serde(skip_serializing)]
    pub retries: u32,
    /// Maximum size of a response, including images, in megabytes.
    #[serde(skip_serializing)]
    pub max_answer: f64,
    /// The content of the post list in the browser if the API doesn't respond.
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
            sharing_cards: false,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlogSource {
    /// `content/blog/<locale>/<slug>.md`.
    Markdown,
    /// The REST API of WordPress, `/wp-json/wp/v2/`.
    Wordpress,
    /// A server with the same `/api/posts` as this site's API.
    PostsApi,
}

/// The content of the post list in the browser when the posts API fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The list empties, and an error panel says so.
    Error,
    /// Placeholder entries: one with the searched words, or some in the place of the next page.
    Placeholder,
}

/// How WordPress or one of its plugins separates languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LanguageBy {
    /// `?lang=es`, as in Polylang and WPML.
    Parameter,
    /// Each language is a category.
    Category,
    /// Each language is a separate WordPress.
    BaseUrl,
}

/// How a run uses the CMS and its snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub enum SnapshotMode {
    /// Fetch from the CMS; fall back to the snapshot if it does not respond.
    #[default]
    Fallback,
    /// Use the snapshot only.
    Offline,
    /// Fetch from the CMS. No fallback, and no comparison with the snapshot.
    Refresh,
    /// Fetch from the CMS, and fail if the posts differ from the snapshot.
    Frozen,
    /// Fetch from the CMS if the snapshot is older than 5 minutes: for `serve`, which builds after each save. A CMS that
    /// has not answered is left alone for a while.
    Recent,
    /// Like `Recent`, but use a snapshot of any age: for answers that somebody waits for.
    Kept,
}

/// Credentials for requests to the CMS. Never printed.
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

/// Reads the credentials from the environment. A token takes precedence over a user.
#[expect(
    clippy::disallowed_methods,
    reason = "these settings come from the environment"
)]
pub fn credentials() -> Option<Credentials> {
    let read = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    read(environment::BLOG_TOKEN)
        .map(Credentials::Token)
        .or_else(|| {
            Some(Credentials::Password(
                read(environment::BLOG_USER)?,
                read(environment::BLOG_PASSWORD)?,
            ))
        })
}

impl BlogSettings {
    /// The folder of the snapshot.
    pub fn snapshot_folder(&self, root: &std::path::Path, cache: &std::path::Path) -> PathBuf {
        self.snapshot.as_ref().map_or_else(
            || cache.join("blog-snapshot"),
            |folder| root.join(&folder.value),
        )
    }

    /// Checks the constraints that the types do not express.
    pub fn check(&self, locales: &[Spanned<String>], source: &Source, problems: &mut Problems) {
        let mut report = |at: Option<&Spanned<String>>, message: String, hint: &str| {
            let place = at.map_or_else(
                || diagnostics::problem::Place::file(source.path.clone()),
                |at| source.place(at.span),
            );
            problems.push(
                Problem::error(Code::InvalidValue, message)
                    .at(place)
                    .hint(hint),
            );
        };
        let by_url =
            self.source == BlogSource::Wordpress && self.language_by == LanguageBy::BaseUrl;
        match &self.url {
            Some(url) if !is_url(url) => report(
                Some(url),
                format!("`{}` is not the URL of a CMS", url.value),
                "write a URL such as `https://cms.example.com`; set the user and the password with `BLOG_USER` and `BLOG_PASSWORD` in the environment",
            ),
            None if self.source != BlogSource::Markdown && !by_url => {
                report(
                    None,
                    "`blog.source` is a CMS, but `blog.url` is missing".into(),
                    "add `url: https://…` below `blog:`",
                );
            }
            _ => {}
        }
        for (code, value) in &self.languages {
            if locales.iter().all(|locale| locale.value != *code) {
                report(
                    Some(value),
                    format!("`{code}` is not a locale of this site"),
                    "use a code from `locales`",
                );
            } else if by_url && !is_url(value) {
                report(
                    Some(value),
                    format!("`{}` is not a URL", value.value),
                    "write a URL such as `https://es.example.com`",
                );
            }
        }
        if self.source == BlogSource::Wordpress && self.language_by != LanguageBy::Parameter {
            for locale in locales
                .iter()
                .filter(|locale| !self.languages.contains_key(&locale.value))
            {
                let message = format!("`blog.languages` has no entry for `{}`", locale.value);
                report(None, message, "add the category or the URL of this locale");
            }
        }
        if let Some(folder) = &self.snapshot
            && (folder.starts_with('/')
                || folder
                    .split('/')
                    .any(|part| matches!(part, "" | "." | "..")))
        {
            report(
                Some(folder),
                format!(
                    "`{}` is not a folder inside the site's folder",
                    folder.value
                ),
                "write a path such as `content/blog-snapshot`",
            );
        }
        for (name, value, most) in [
            ("max_age", self.max_age, 36_500.0),
            ("max_shrink", self.max_shrink, 1.0),
            ("timeout", self.timeout, 3600.0),
            ("deadline", self.deadline, 86_400.0),
            ("max_answer", self.max_answer, 1000.0),
        ] {
            let is_positive = matches!(name, "timeout" | "deadline" | "max_answer");
            if !(0.0..=most).contains(&value) || is_positive && value == 0.0 {
                let range = if is_positive {
                    format!("greater than 0 and at most {most}")
                } else {
                    format!("from 0 to {most}")
                };
                report(
                    None,
                    format!("`blog.{name}` is {value}, which is out of range"),
                    &format!("write a number {range}"),
                );
            }
        }
    }
}

/// Tells whether a text is a URL without a query, a fragment or a name of a user.
fn is_url(url: &str) -> bool {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        !rest.is_empty() && !rest.starts_with('/') && !rest.contains([' ', '@', '?', '#'])
    })
}
