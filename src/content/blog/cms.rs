//! Posts of a CMS: fetched, or taken from the snapshot when the CMS is down.
//!
//! A list is published whole or not at all. What came is compared with the snapshot before it takes its place, so that
//! half an answer never unpublishes the other half.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;

use crate::config::{BlogSource, Config, LanguageBy, SnapshotMode};
use crate::content::Images;
use crate::content::rich::Piece;
use diagnostics::problem::{Code, Place, Problem, Problems};

use super::fetch::Fetcher;
use super::import::{Imported, import};
use super::pictures::{self, Pictures};
use super::snapshot::{self, Changes, Posts, Snapshot};
use super::{Blog, posts_api, wordpress};

/// `serve` asks the CMS no more often than this, in seconds.
const RECENT: i64 = 300;

/// Posts, from wherever this run takes them.
struct Found {
    posts: Posts,
    changes: Option<Changes>,
    /// Asks for pictures; none when the CMS is not to be asked.
    fetcher: Option<Arc<Fetcher>>,
}

/// Loads the blog of a CMS; its pictures join `images`.
pub(super) fn load(config: &Config, images: &mut Images, asking: &dyn Fn(&str, u64)) -> (Blog, Problems) {
    let mut problems = Problems::new();
    // An address that is none was reported when the settings were read.
    let Some(base) = origins(config).into_iter().next() else { return (Blog::default(), problems) };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return (Blog::default(), refused(config, &error.to_string()).into()),
    };
    let host = base.host_str().unwrap_or_default();
    let waiting = |seconds| asking(host, seconds);
    let found = match runtime.block_on(with_progress(find(config, &mut problems), &waiting)) {
        Ok(found) => found,
        Err(problem) => {
            problems.push(*problem);
            return (Blog::default(), problems);
        }
    };
    let imported = problems.take(import(config, &found.posts, &base));
    let fresh = config.snapshot == SnapshotMode::Refresh;
    let fetcher = found.fetcher.as_ref();
    let pictures = pictures::collect(config, fetcher, &imported.wanted, fresh);
    let pictures = problems.take(runtime.block_on(with_progress(pictures, &waiting)));
    if fetcher.is_some() && config.snapshot != SnapshotMode::Frozen {
        pictures::prune(config, &imported.wanted);
    }
    let blog = Blog { changes: found.changes, ..published(imported, &pictures) };
    images.0.extend(pictures.into_values().map(|(key, file)| (key, Some(file))));
    (blog, problems)
}

/// Waits for work, and reports each second how many have passed.
async fn with_progress<T>(work: impl Future<Output = T>, report: &dyn Fn(u64)) -> T {
    let mut work = std::pin::pin!(work);
    let mut seconds = 0;
    loop {
        if let Ok(done) = tokio::time::timeout(Duration::from_secs(1), work.as_mut()).await {
            return done;
        }
        seconds += 1;
        report(seconds);
    }
}

async fn find(config: &Config, problems: &mut Problems) -> Result<Found, Box<Problem>> {
    let mode = config.snapshot;
    let old = match mode {
        SnapshotMode::Refresh => None,
        _ => snapshot::open(config)?,
    };
    let kept = |old: Snapshot| Found { posts: old.posts, changes: None, fetcher: None };
    match (mode, old) {
        (SnapshotMode::Offline, Some(old)) => Ok(kept(old)),
        (SnapshotMode::Offline, None) => {
            let problem = Problem::error(Code::BlogSnapshot, "there is no snapshot of the CMS for `--offline`");
            Err(Box::new(problem.at(place(config)).hint("build once while the CMS answers")))
        }
        (SnapshotMode::Recent, Some(old)) if (0..RECENT).contains(&(config.now.0 - old.fetched)) => Ok(kept(old)),
        (_, old) => {
            let fetcher = Fetcher::new(config, origins(config), mode == SnapshotMode::Refresh).map(Arc::new);
            let answer = match fetcher {
                Ok(fetcher) => fetch(config, &fetcher).await.map(|posts| (posts, fetcher)),
                Err(why) => Err(why),
            };
            match answer {
                Ok((posts, fetcher)) => {
                    let changes = accept(config, old.as_ref(), &posts)?;
                    Ok(Found { posts, changes, fetcher: Some(fetcher) })
                }
                Err(why) => stand_in(config, old, &why, problems).map(kept),
            }
        }
    }
}

/// Looks at what came, and keeps it.
fn accept(config: &Config, old: Option<&Snapshot>, posts: &Posts) -> Result<Option<Changes>, Box<Problem>> {
    let changes = old.map(|old| snapshot::compare(&old.posts, posts));
    if config.snapshot == SnapshotMode::Frozen {
        let message = match &changes {
            Some(changes) if changes.is_empty() => return Ok(None),
            Some(Changes { added, changed, removed }) => {
                let names: Vec<&str> = added.iter().chain(changed).chain(removed).take(5).map(String::as_str).collect();
                format!(
                    "the CMS differs from the snapshot: {} added, {} changed, {} removed ({})",
                    added.len(),
                    changed.len(),
                    removed.len(),
                    names.join(", ")
                )
            }
            None => "there is no snapshot of the CMS to compare with".into(),
        };
        let problem = Problem::error(Code::BlogChanged, message).at(place(config));
        return Err(Box::new(problem.hint("build without `--frozen` to take what the CMS says")));
    }
    if let Some(message) = old.and_then(|old| snapshot::shrunk(&old.posts, posts, config.site.blog.max_shrink)) {
        let problem = Problem::error(Code::BlogShrunk, message).at(place(config));
        return Err(Box::new(problem.hint(
            "if they were really removed, build once with `--refresh`; `blog.max_shrink` says how many may go at a time",
        )));
    }
    snapshot::keep(config, posts)?;
    Ok(changes)
}

/// The snapshot in the place of a CMS that does not answer.
fn stand_in(
    config: &Config,
    old: Option<Snapshot>,
    why: &str,
    problems: &mut Problems,
) -> Result<Snapshot, Box<Problem>> {
    let Some(old) = old.filter(|_| config.snapshot != SnapshotMode::Frozen) else {
        return Err(Box::new(refused(config, why)));
    };
    let age = snapshot::age(&old, config.now);
    #[expect(clippy::cast_precision_loss, reason = "seconds of some years")]
    let days = (config.now.0 - old.fetched) as f64 / 86_400.0;
    if days > config.site.blog.max_age {
        let problem = Problem::error(
            Code::BlogSnapshot,
            format!("the CMS does not answer ({why}), and the snapshot is {age} old: more than `blog.max_age` allows"),
        );
        return Err(Box::new(problem.at(place(config)).hint("mend the CMS, or build with `--offline`")));
    }
    let message = format!("the posts are those of {age} ago, because the CMS does not answer ({why})");
    problems.push(Problem::warning(Code::BlogSnapshot, message).at(place(config)));
    Ok(old)
}

fn refused(config: &Config, why: &str) -> Problem {
    let problem = Problem::error(Code::BlogUnreachable, format!("the posts could not be fetched: {why}"));
    let problem = problem.at(place(config));
    match config.snapshot {
        SnapshotMode::Refresh => problem.hint("without `--refresh` the snapshot stands in"),
        SnapshotMode::Frozen => problem,
        _ => problem.hint("there is no snapshot yet that could stand in; build again when the CMS answers"),
    }
}

fn place(config: &Config) -> Place {
    config
        .site
        .blog
        .url
        .as_ref()
        .map_or_else(|| Place::file(config.source.path.clone()), |url| config.source.place(url.span))
}

/// The addresses of the CMS: one, or one for each language.
fn origins(config: &Config) -> Vec<Url> {
    let settings = &config.site.blog;
    let by_language = settings.languages.values().filter(|_| settings.language_by == LanguageBy::BaseUrl);
    let parsed = settings.url.iter().chain(by_language).filter_map(|url| Url::parse(&url.value).ok());
    parsed.filter(|url| url.username().is_empty() && url.password().is_none()).collect()
}

/// All posts of all languages, or why not.
async fn fetch(config: &Config, fetcher: &Arc<Fetcher>) -> Result<Posts, String> {
    let settings = &config.site.blog;
    let mut posts = Posts::new();
    for (index, locale) in config.site.locales.iter().map(|code| code.value.as_str()).enumerate() {
        let of_locale = match settings.source {
            BlogSource::PostsApi => {
                let parameter = settings.languages.get(locale).map(|value| value.value.as_str());
                posts_api::posts(fetcher, settings, parameter.or((index > 0).then_some(locale))).await?
            }
            _ => wordpress::posts(fetcher, settings, locale).await?,
        };
        posts.insert(locale.to_owned(), of_locale);
    }
    if settings.source == BlogSource::Wordpress && settings.language_by == LanguageBy::Parameter {
        check_distinct(&posts)?;
    }
    Ok(posts)
}

/// Checks that languages differ: a WordPress without a plugin for languages answers the same posts for each of them.
fn check_distinct(posts: &Posts) -> Result<(), String> {
    let ids: BTreeMap<&str, Vec<&str>> = posts
        .iter()
        .map(|(locale, posts)| (locale.as_str(), posts.iter().map(|post| post.id.as_str()).collect()))
        .collect();
    for (locale, own) in ids.iter().filter(|(_, own)| !own.is_empty()) {
        if let Some((other, _)) = ids.iter().find(|(other, theirs)| *other < locale && *theirs == own) {
            return Err(format!("the CMS answers the same posts for `{other}` and `{locale}`: set `blog.language_by`"));
        }
    }
    Ok(())
}

/// Posts and authors with their pictures; one that could not be had was reported.
fn published(imported: Imported, pictures: &Pictures) -> Blog {
    let key = |address: &str| pictures.get(address).map(|(key, _)| key.clone());
    let Imported { mut posts, mut authors, .. } = imported;
    for post in &mut posts {
        post.image = post.image.take().and_then(|image| Some(super::PostImage { src: key(&image.src)?, ..image }));
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
    Blog { posts, authors, ..Blog::default() }
}
