//! The last response of the CMS, stored after each complete fetch, so that a build works while the CMS is down.
//!
//! A snapshot is a folder with `snapshot.json` (source and time), `posts-<locale>.json` (one post per line, so that a
//! committed snapshot has readable diffs) and `pictures/`. It contains posts as the CMS sent them ([`RawPost`]).
//!
//! By default the folder is part of the cache, because a build should not write to source folders; `blog.snapshot`
//! sets a folder to commit instead.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use config::{BlogSettings, BlogSource, Config, LanguageBy};
use diagnostics::problem::{Code, Place, Problem};
use schema::types::{Moment, duration_words};
use workspace::{cache, files};

use super::raw::RawPost;

/// Format version. Snapshots with another version are ignored.
const VERSION: u32 = 1;

/// Posts by locale.
pub(super) type Posts = BTreeMap<String, Vec<RawPost>>;

/// A snapshot.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    /// Time of the fetch, in seconds since 1970.
    pub fetched: i64,
    pub posts: Posts,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    version: u32,
    /// The settings of the request (see [`source`]): a snapshot of another CMS is ignored.
    source: String,
    /// Time of the fetch, in seconds since 1970.
    fetched: i64,
    locales: Vec<String>,
}

/// Changes in the CMS since the last snapshot, as `locale: title`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// New posts.
    pub added: Vec<String>,
    /// Changed posts.
    pub changed: Vec<String>,
    /// Removed posts.
    pub removed: Vec<String>,
}

impl Changes {
    /// Whether nothing has changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

/// The folder of the snapshot.
pub(super) fn folder(config: &Config) -> PathBuf {
    config
        .site
        .blog
        .snapshot_folder(&config.paths.root, &config.paths.cache)
}

/// Reads the snapshot of this CMS, if there is one. Fails if its files cannot be read.
pub(super) fn open(config: &Config) -> Result<Option<Snapshot>, Problem> {
    let folder = folder(config);
    let head_file = folder.join("snapshot.json");
    if !head_file.exists() {
        return Ok(None);
    }
    let head: Head = read(config, &head_file)?;
    let locales: Vec<String> = config
        .site
        .locales
        .iter()
        .map(|code| code.value.clone())
        .collect();
    if head.version != VERSION
        || head.source != source(&config.site.blog)
        || head.locales != locales
    {
        return Ok(None);
    }
    let mut posts = Posts::new();
    for locale in locales {
        let of_locale = read(config, &folder.join(format!("posts-{locale}.json")))?;
        posts.insert(locale, of_locale);
    }
    Ok(Some(Snapshot {
        fetched: head.fetched,
        posts,
    }))
}

fn read<T: serde::de::DeserializeOwned>(config: &Config, file: &Path) -> Result<T, Problem> {
    let bad = |why: String| {
        Problem::error(
            Code::BlogSnapshot,
            format!("the snapshot of the CMS cannot be used ({why})"),
        )
        .at(Place::file(files::shown(&config.paths.root, file)))
        .hint("restore the file, or remove its folder and build again while the CMS is available")
    };
    let bytes = std::fs::read(file).map_err(|error| bad(files::reason(&error)))?;
    serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))
}

/// Stores a snapshot. Unchanged files are not written, except for `snapshot.json` with the time of the fetch.
pub(super) fn keep(config: &Config, posts: &Posts) -> Result<(), Problem> {
    let folder = folder(config);
    let write = |name: &str, text: String| {
        let file = folder.join(name);
        if std::fs::read(&file).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(());
        }
        cache::keep(&file, text.as_bytes()).map_err(|error| {
            let message = format!(
                "the snapshot of the CMS could not be written ({})",
                files::reason(&error)
            );
            Problem::error(Code::OutFailed, message)
                .at(Place::file(files::shown(&config.paths.root, &file)))
        })
    };
    for (locale, posts) in posts {
        let lines: Vec<String> = posts
            .iter()
            .map(|post| serde_json::to_string(post).unwrap_or_default())
            .collect();
        write(
            &format!("posts-{locale}.json"),
            format!("[\n{}\n]\n", lines.join(",\n")),
        )?;
    }
    // Written last: a run that is killed leaves the old head. Each posts file is complete either way.
    let locales = config
        .site
        .locales
        .iter()
        .map(|code| code.value.clone())
        .collect();
    let head = Head {
        version: VERSION,
        source: source(&config.site.blog),
        fetched: config.run.clock.0,
        locales,
    };
    write(
        "snapshot.json",
        format!(
            "{}\n",
            serde_json::to_string_pretty(&head).unwrap_or_default()
        ),
    )
}

/// The settings of the request in one line, which identify the source of a snapshot.
pub(super) fn source(settings: &BlogSettings) -> String {
    let url = settings.url.as_ref().map_or("", |url| url.value.as_str());
    let languages: Vec<String> = settings
        .languages
        .iter()
        .map(|(locale, value)| format!("{locale}={}", value.value))
        .collect();
    let by = match (settings.source, settings.language_by) {
        (BlogSource::Wordpress, LanguageBy::Parameter) => settings.language_parameter.as_str(),
        (BlogSource::Wordpress, LanguageBy::Category) => "by category",
        (BlogSource::Wordpress, LanguageBy::BaseUrl) => "by address",
        _ => "posts",
    };
    format!("{:?} {url} {by} {}", settings.source, languages.join(" "))
        .trim_end()
        .to_owned()
}

/// Compares two sets of posts.
pub(super) fn compare(old: &Posts, new: &Posts) -> Changes {
    let mut changes = Changes::default();
    let none = Vec::new();
    let name = |locale: &str, post: &RawPost| {
        let title = post
            .title
            .as_deref()
            .map(text::sanitize::plain_text)
            .unwrap_or_default();
        format!(
            "{locale}: {}",
            if title.is_empty() { &post.id } else { &title }
        )
    };
    for (locale, posts) in new {
        let before: BTreeMap<&str, &RawPost> = old
            .get(locale)
            .unwrap_or(&none)
            .iter()
            .map(|post| (post.id.as_str(), post))
            .collect();
        for post in posts {
            match before.get(post.id.as_str()) {
                None => changes.added.push(name(locale, post)),
                Some(old) if *old != post => changes.changed.push(name(locale, post)),
                Some(_) => {}
            }
        }
        changes
            .removed
            .extend(removed(old, new, locale).map(|post| name(locale, post)));
    }
    changes
}

/// The posts of a locale that no longer exist.
fn removed<'a>(old: &'a Posts, new: &'a Posts, locale: &str) -> impl Iterator<Item = &'a RawPost> {
    let now: foldhash::HashSet<&str> = new
        .get(locale)
        .into_iter()
        .flatten()
        .map(|post| post.id.as_str())
        .collect();
    old.get(locale)
        .into_iter()
        .flatten()
        .filter(move |post| !now.contains(post.id.as_str()))
}

/// Reports a locale that lost more than the fraction `most` of its posts: an incomplete response must not unpublish
/// posts. A single post may always be removed, unless it was the last.
pub(super) fn shrunk(old: &Posts, new: &Posts, most: f64) -> Option<String> {
    old.iter().find_map(|(locale, posts)| {
        let (before, gone) = (posts.len(), removed(old, new, locale).count());
        #[expect(clippy::cast_precision_loss, reason = "numbers of posts are small")]
        let share = gone as f64 / before.max(1) as f64;
        let is_last = new.get(locale).is_none_or(Vec::is_empty);
        (share > most && (gone > 1 || is_last)).then(|| match before {
            1 => format!("the only post in `{locale}` has disappeared"),
            _ => format!("{gone} of {before} posts in `{locale}` have disappeared"),
        })
    })
}

/// A part that most posts of a CMS have.
type Part = (&'static str, fn(&RawPost) -> bool);

/// Reports a part that more than the fraction `most` of the posts of a locale have lost, such as their titles: a key
/// with another name must not replace every text of a blog.
pub(super) fn lost(old: &Posts, new: &Posts, most: f64) -> Option<String> {
    const PARTS: [Part; 4] = [
        ("title", |post| post.title.is_some()),
        ("text", |post| post.content.is_some()),
        ("date", |post| post.date.is_some()),
        ("slug", |post| post.slug.is_some()),
    ];
    let none = Vec::new();
    for (locale, posts) in old {
        let after: BTreeMap<&str, &RawPost> = new
            .get(locale)
            .unwrap_or(&none)
            .iter()
            .map(|post| (post.id.as_str(), post))
            .collect();
        let both = posts
            .iter()
            .filter_map(|post| Some((post, *after.get(post.id.as_str())?)));
        let both: Vec<(&RawPost, &RawPost)> = both.collect();
        let fields = posts
            .iter()
            .flat_map(|post| post.fields.keys())
            .collect::<BTreeSet<_>>();
        let counts = PARTS.iter().map(|(name, has)| {
            (
                *name,
                both.iter()
                    .filter(|(old, _)| has(old))
                    .map(|(_, new)| has(new))
                    .collect::<Vec<bool>>(),
            )
        });
        let of_fields = fields.into_iter().map(|name| {
            let had = both.iter().filter(|(old, _)| old.fields.contains_key(name));
            (
                name.as_str(),
                had.map(|(_, new)| new.fields.contains_key(name))
                    .collect::<Vec<bool>>(),
            )
        });
        for (name, has) in counts.chain(of_fields) {
            let (before, gone) = (has.len(), has.iter().filter(|has| !**has).count());
            #[expect(clippy::cast_precision_loss, reason = "numbers of posts are small")]
            let share = gone as f64 / before.max(1) as f64;
            if share > most && (gone > 1 || before == 1 && both.len() == 1) {
                return Some(match before {
                    1 => format!("the only post in `{locale}` has lost its {name}"),
                    _ => format!("{gone} of {before} posts in `{locale}` have lost their {name}"),
                });
            }
        }
    }
    None
}

/// The age of a snapshot in words.
pub(super) fn age(snapshot: &Snapshot, now: Moment) -> String {
    duration_words(now.0 - snapshot.fetched)
}
