//! Posts of a CMS: fetched, or read from the snapshot if the CMS is down.
//!
//! Lists are published completely or not at all. New posts are compared with the snapshot before they replace it, so
//! that an incomplete response never unpublishes posts.

use std::collections::BTreeMap;
use std::sync::Arc;

use reqwest::Url;

use crate::Images;
use config::source_index::SourceIndex;
use config::{BlogSource, Config, LanguageBy, SnapshotMode};
use diagnostics::problem::{Code, Place, Problem, Problems};
use schema::Block;
use text::rich::Piece;
use workspace::cache;
use workspace::files::Clock;

use super::claims::Claims;
use super::fetch::{Fetcher, RECENT, rested, with_progress};
use super::import::{Imported, import};
use super::pictures::{self, Pictures};
use super::snapshot::{self, Changes, Posts, Snapshot};
use super::{Blog, posts_api, raw, wordpress};

/// Why the posts of the CMS are not used.
enum Trouble {
    /// It does not respond, or not with posts.
    Down(String),
    /// The site has a problem with them.
    Refused(String),
}

impl Trouble {
    fn message(&self) -> String {
        match self {
            Trouble::Down(why) => format!("the CMS posts could not be fetched ({why})"),
            Trouble::Refused(why) => format!("the CMS posts could not be used ({why})"),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = "fix the posts in the CMS, or build with `--refresh` to accept them";
        matches!(self, Trouble::Refused(_)).then(|| hint.to_owned())
    }
}

/// Posts from the CMS or the snapshot.
struct LoadedPosts {
    posts: Posts,
    changes: Option<Changes>,
    /// For pictures; `None` if the posts are from the snapshot.
    fetcher: Option<Arc<Fetcher>>,
    /// Whether they differ from the snapshot.
    is_new: bool,
    /// Whether there is a snapshot.
    has_old: bool,
}

/// Posts that replace the snapshot once the site was read with them.
#[derive(Debug, Clone)]
struct NewPosts {
    posts: Posts,
    /// Whether there is a snapshot.
    has_old: bool,
    /// When the fetch began.
    start: Option<Clock>,
}

/// The posts of a CMS and their pictures.
#[derive(Debug, Clone)]
pub(crate) struct Fetched {
    /// The addresses that the site had given to others.
    claims: Claims,
    /// The fields of posts.
    fields: &'static Block,
    imported: Imported,
    /// Why pictures could not be fetched, by their URLs.
    failed: BTreeMap<String, String>,
    changes: Option<Changes>,
    problems: Problems,
    new: Option<NewPosts>,
}

/// Fetches posts and pictures, or reads them from the snapshot. This may take minutes, so the caller holds no lock.
/// `fields` are those of posts.
pub(super) fn fetch(
    config: &Config,
    claims: Claims,
    fields: &'static Block,
    on_wait: &dyn Fn(&str, u64),
) -> Fetched {
    let file = config.paths.cache.join("clock");
    let start = cache::keep(&file, &[]).ok().and_then(|()| Clock::of(&file));
    let (imported, failed) = Default::default();
    let mut fetched = Fetched {
        claims,
        fields,
        imported,
        failed,
        changes: None,
        problems: Problems::new(),
        new: None,
    };
    let problems = &mut fetched.problems;
    // An invalid URL was reported when the settings were read.
    let Some(base) = origins(config).into_iter().next() else {
        return fetched;
    };
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            problems.push(unavailable(config, &Trouble::Down(error.to_string())));
            return fetched;
        }
    };
    let host = base.host_str().unwrap_or_default();
    let report = |seconds| on_wait(host, seconds);
    let loaded =
        match runtime.block_on(with_progress(load_posts(config, fields, problems), &report)) {
            Ok(loaded) => loaded,
            Err(problem) => {
                problems.push(*problem);
                return fetched;
            }
        };
    fetched.imported = problems.take(import(
        config,
        &loaded.posts,
        &fetched.claims,
        fields,
        &base,
    ));
    let fresh = config.run.snapshot == SnapshotMode::Refresh;
    let fetcher = loaded.fetcher.as_ref();
    let pictures = pictures::fetch_all(config, fetcher, &fetched.imported.wanted, fresh);
    fetched.failed = runtime.block_on(with_progress(pictures, &report));
    fetched.new = loaded.is_new.then_some(NewPosts {
        posts: loaded.posts,
        has_old: loaded.has_old,
        start,
    });
    // The snapshot still needs the pictures of its own posts.
    if fetcher.is_some() && fetched.new.is_none() && config.run.snapshot != SnapshotMode::Frozen {
        pictures::prune(config, &fetched.imported.wanted, start);
    }
    fetched.changes = loaded.changes;
    fetched
}

impl Fetched {
    /// Whether there are posts that differ from the snapshot.
    pub(crate) fn is_new(&self) -> bool {
        self.new.is_some()
    }

    /// Whether the snapshot can stand in for them.
    pub(crate) fn can_be_refused(&self) -> bool {
        self.new.as_ref().is_some_and(|new| new.has_old)
    }

    /// The posts of the snapshot, because the site has a problem with these.
    pub(crate) fn refused(self, config: &Config, problem: &Problem) -> Fetched {
        let mut kept = fetch(&offline(config), self.claims, self.fields, &|_, _| ());
        let place = problem
            .place
            .as_ref()
            .map_or_else(String::new, |place| format!("`{}`: ", place.path));
        let trouble = Trouble::Refused(format!("{place}{}", problem.message));
        let old = snapshot::open(config).map_err(Box::new);
        if let Err(problem) =
            old.and_then(|old| fall_back(config, old, &trouble, &mut kept.problems))
        {
            kept.problems.push(*problem);
        }
        kept
    }

    /// Replaces the snapshot, if there is something new.
    pub(crate) fn keep(&self, config: &Config) -> Result<(), Problem> {
        let Some(new) = &self.new else { return Ok(()) };
        snapshot::keep(config, &new.posts)?;
        pictures::prune(config, &self.imported.wanted, new.start);
        Ok(())
    }

    /// Makes the blog. Its pictures are added to `images`. If the site has other addresses than when the posts were
    /// fetched, the posts are read from the snapshot again.
    pub(super) fn into_blog(
        mut self,
        config: &Config,
        images: &mut Images,
        sources: &SourceIndex,
        claims: Claims,
    ) -> (Blog, Problems) {
        if self.claims != claims && !self.imported.posts.is_empty() {
            if let (Some(new), Some(base)) = (&self.new, origins(config).first()) {
                let again = import(config, &new.posts, &claims, self.fields, base);
                self.imported = self.problems.take(again);
            } else {
                let again = fetch(&offline(config), claims, self.fields, &|_, _| ());
                (self.imported, self.failed) = (again.imported, again.failed);
                self.problems.extend(again.problems);
            }
        }
        let added = pictures::add(config, images, sources, &self.imported.wanted, self.failed);
        let pictures = self.problems.take(added);
        let blog = Blog {
            changes: self.changes,
            ..resolve_pictures(self.imported, &pictures)
        };
        (blog, self.problems)
    }
}

/// The settings for reading the snapshot alone.
fn offline(config: &Config) -> Config {
    let mut offline = config.clone();
    offline.run.snapshot = SnapshotMode::Offline;
    offline
}

async fn load_posts(
    config: &Config,
    fields: &'static Block,
    problems: &mut Problems,
) -> Result<LoadedPosts, Box<Problem>> {
    let mode = config.run.snapshot;
    let old = match mode {
        SnapshotMode::Refresh => None,
        _ => snapshot::open(config)?,
    };
    let from_snapshot = |old: Snapshot| LoadedPosts {
        posts: old.posts,
        changes: None,
        fetcher: None,
        is_new: false,
        has_old: true,
    };
    match (mode, old) {
        (SnapshotMode::Offline | SnapshotMode::Kept, Some(old)) => Ok(from_snapshot(old)),
        (SnapshotMode::Offline, None) => {
            let problem = Problem::error(
                Code::BlogSnapshot,
                "there is no snapshot of the CMS for `--offline`",
            );
            Err(Box::new(problem.at(place(config)).hint(
                "build once without `--offline`, while the CMS is available",
            )))
        }
        (SnapshotMode::Recent, Some(old))
            if (0..RECENT).contains(&(config.run.clock.0 - old.fetched)) =>
        {
            Ok(from_snapshot(old))
        }
        (_, old) => {
            let fetcher =
                Fetcher::new(config, origins(config), mode == SnapshotMode::Refresh).map(Arc::new);
            let fetched = match fetcher {
                Ok(fetcher) => {
                    let posts = request(config, fields, &fetcher);
                    rested(
                        mode,
                        &snapshot::source(&config.site.blog),
                        old.is_some(),
                        posts,
                    )
                    .await
                    .map(|posts| (posts, fetcher))
                }
                Err(why) => Err(why),
            };
            match fetched {
                Ok((posts, fetcher)) => {
                    let most = config.site.blog.max_shrink;
                    if let Some(lost) = old
                        .as_ref()
                        .and_then(|old| snapshot::lost(&old.posts, &posts, most))
                    {
                        return fall_back(config, old, &Trouble::Refused(lost), problems)
                            .map(from_snapshot);
                    }
                    let changes = accept(config, old.as_ref(), &posts)?;
                    let is_new = mode != SnapshotMode::Frozen
                        && !changes.as_ref().is_some_and(Changes::is_empty);
                    Ok(LoadedPosts {
                        posts,
                        changes,
                        fetcher: Some(fetcher),
                        is_new,
                        has_old: old.is_some(),
                    })
                }
                Err(why) => {
                    fall_back(config, old, &Trouble::Down(why), problems).map(from_snapshot)
                }
            }
        }
    }
}

/// Compares new posts with the snapshot, and notes the time if they are the same. Fails if the posts may not change (`--frozen`) or too many
/// have disappeared.
fn accept(
    config: &Config,
    old: Option<&Snapshot>,
    posts: &Posts,
) -> Result<Option<Changes>, Box<Problem>> {
    let changes = old.map(|old| snapshot::compare(&old.posts, posts));
    if config.run.snapshot == SnapshotMode::Frozen {
        let (message, hint) = match &changes {
            Some(changes) if changes.is_empty() => return Ok(None),
            Some(Changes {
                added,
                changed,
                removed,
            }) => {
                let names: Vec<&str> = added
                    .iter()
                    .chain(changed)
                    .chain(removed)
                    .take(5)
                    .map(String::as_str)
                    .collect();
                let message = format!(
                    "the CMS posts differ from the snapshot: {} added, {} changed, {} removed ({})",
                    added.len(),
                    changed.len(),
                    removed.len(),
                    names.join(", ")
                );
                (message, "build without `--frozen` to accept the changes")
            }
            None => (
                "there is no snapshot of the CMS to compare with".into(),
                "build without `--frozen` to create one",
            ),
        };
        let problem = Problem::error(Code::BlogChanged, message).at(place(config));
        return Err(Box::new(problem.hint(hint)));
    }
    if let Some(message) =
        old.and_then(|old| snapshot::shrunk(&old.posts, posts, config.site.blog.max_shrink))
    {
        let problem = Problem::error(Code::BlogShrunk, message).at(place(config));
        return Err(Box::new(problem.hint(
            "if they were removed on purpose, build once with `--refresh`; `blog.max_shrink` limits how many can disappear between two builds",
        )));
    }
    if changes.as_ref().is_some_and(Changes::is_empty) {
        snapshot::keep(config, posts)?;
    }
    Ok(changes)
}

/// Falls back to the snapshot. Fails if there is none or it is too old.
fn fall_back(
    config: &Config,
    old: Option<Snapshot>,
    trouble: &Trouble,
    problems: &mut Problems,
) -> Result<Snapshot, Box<Problem>> {
    let Some(old) = old.filter(|_| config.run.snapshot != SnapshotMode::Frozen) else {
        return Err(Box::new(unavailable(config, trouble)));
    };
    let (age, message) = (snapshot::age(&old, config.run.clock), trouble.message());
    #[expect(clippy::cast_precision_loss, reason = "exact for any realistic age")]
    let days = (config.run.clock.0 - old.fetched) as f64 / 86_400.0;
    if days > config.site.blog.max_age {
        let problem = Problem::error(
            Code::BlogSnapshot,
            format!("{message}, and the snapshot is {age} old, more than `blog.max_age` allows"),
        );
        return Err(Box::new(
            problem
                .at(place(config))
                .hint("fix the CMS, or build with `--offline`"),
        ));
    }
    let message = format!("{message}, so the build uses the posts fetched {age} ago");
    problems.push(
        Problem::warning(Code::BlogSnapshot, message)
            .at(place(config))
            .maybe_hint(trouble.hint()),
    );
    Ok(old)
}

fn unavailable(config: &Config, trouble: &Trouble) -> Problem {
    let problem = Problem::error(Code::BlogUnreachable, trouble.message()).at(place(config));
    match config.run.snapshot {
        SnapshotMode::Refresh => {
            problem.hint("build without `--refresh` to use the snapshot, if there is one")
        }
        SnapshotMode::Frozen => problem,
        _ => problem
            .hint("there is no snapshot to fall back to; build again when the CMS is available"),
    }
}

fn place(config: &Config) -> Place {
    config.site.blog.url.as_ref().map_or_else(
        || Place::file(config.site.source.path.clone()),
        |url| config.site.source.place(url.span),
    )
}

/// The URLs of the CMS: one, or one per language.
fn origins(config: &Config) -> Vec<Url> {
    let settings = &config.site.blog;
    let by_language = settings
        .languages
        .values()
        .filter(|_| settings.language_by == LanguageBy::BaseUrl);
    let parsed = settings
        .url
        .iter()
        .chain(by_language)
        .filter_map(|url| Url::parse(&url.value).ok());
    parsed
        .filter(|url| url.username().is_empty() && url.password().is_none())
        .collect()
}

/// Fetches the posts of all locales. Fails if one of them cannot be fetched completely.
async fn request(
    config: &Config,
    fields: &'static Block,
    fetcher: &Arc<Fetcher>,
) -> Result<Posts, String> {
    let settings = &config.site.blog;
    let names: Vec<&str> = raw::filled(fields).map(|field| field.name).collect();
    let mut posts = Posts::new();
    for (index, locale) in config
        .site
        .locales
        .iter()
        .map(|code| code.value.as_str())
        .enumerate()
    {
        let of_locale = match settings.source {
            BlogSource::PostsApi => {
                let parameter = settings
                    .languages
                    .get(locale)
                    .map(|value| value.value.as_str());
                posts_api::posts(
                    fetcher,
                    settings,
                    parameter.or((index > 0).then_some(locale)),
                    &names,
                )
                .await?
            }
            _ => wordpress::posts(fetcher, settings, locale, &names).await?,
        };
        posts.insert(locale.to_owned(), of_locale);
    }
    if settings.source == BlogSource::Wordpress && settings.language_by == LanguageBy::Parameter {
        check_distinct(&posts)?;
    }
    Ok(posts)
}

/// Checks that languages differ: a WordPress without a translation plugin returns the same posts for each of them.
fn check_distinct(posts: &Posts) -> Result<(), String> {
    let ids: BTreeMap<&str, Vec<&str>> = posts
        .iter()
        .map(|(locale, posts)| {
            (
                locale.as_str(),
                posts.iter().map(|post| post.id.as_str()).collect(),
            )
        })
        .collect();
    for (locale, own) in ids.iter().filter(|(_, own)| !own.is_empty()) {
        if let Some((other, _)) = ids
            .iter()
            .find(|(other, theirs)| *other < locale && *theirs == own)
        {
            return Err(format!(
                "the CMS returns the same posts for `{other}` and `{locale}`: set `blog.language_by`"
            ));
        }
    }
    Ok(())
}

/// Replaces the URLs of pictures with their keys. Removes pictures that could not be fetched, which was reported.
fn resolve_pictures(imported: Imported, pictures: &Pictures) -> Blog {
    let key = |address: &str| pictures.get(address).cloned();
    let Imported {
        mut posts,
        mut authors,
        ..
    } = imported;
    for post in &mut posts {
        post.image = post.image.take().and_then(|image| {
            Some(super::PostImage {
                src: key(&image.src)?,
                ..image
            })
        });
        post.body.edit(|text| {
            text.pieces.retain_mut(|piece| match piece {
                Piece::Picture(picture) => key(&picture.src).map(|key| picture.src = key).is_some(),
                _ => true,
            });
        });
        post.fingerprint();
    }
    for author in authors.values_mut() {
        author.avatar = author.avatar.take().and_then(|avatar| key(&avatar));
    }
    Blog {
        posts: posts.into_iter().map(Box::new).collect(),
        authors,
        is_of_cms: true,
        ..Blog::default()
    }
}
