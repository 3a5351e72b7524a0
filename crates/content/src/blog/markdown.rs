//! Reads posts in Markdown: `content/blog/<locale>/<slug>.md`, or `<slug>/index.md` with pictures next to it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use rayon::prelude::*;

use config::source_index::SourceIndex;
use config::{Config, SiteSettings};
use diagnostics::marks::TextOrigin;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span, did_you_mean};
use diagnostics::yaml::{self, Spanned};
use schema::Each;
use schema::types::{Dates, Image, Reference, Slug, Typed, When, caseless, composed};
use workspace::files::{self, FileSet, Stamp};
use workspace::kinds::Kind;
use workspace::sources::{Hash, hash};

use crate::collections::PostsSchema;
use crate::images::{folders_of, is_picture};
use crate::{Images, front_matter, placeholders};
use text::markdown::{self, Rules};
use text::rich::{Heading, InlinePicture, Marked, Piece, Rich, Target};
use text::{accessibility, sanitize};

use super::post_cache::{self, CachedPost};
use super::{
    Added, Author, Blog, Body, BrokenPost, Fingerprints, Origin, Post, PostImage, PostInputs,
    PostPart,
};
use super::{RESERVED, excerpt, parts};

/// The keys without which there is no post.
const OF_EVERY_POST: [&str; 3] = ["title", "date", "author"];
/// The folder of the posts.
const FOLDER: &str = Kind::Post.folder();

/// A file next to a post that is not read: the comments that an import kept.
pub(crate) const COMMENTS: &str = "comments.json";

/// Maximum number of warnings about the text of a post: each finds its line, which may be long.
const MAX_NOTICES: usize = 100;
/// Maximum number of tags of a post. Each has a page, which lists all others.
const MAX_TAGS: usize = 100;

/// The path of a post, and what follows from it.
struct PostFile<'a> {
    path: &'a Path,
    /// The path below `content/blog/`.
    relative: &'a str,
    locale: &'a str,
    slug: &'a str,
    /// Its stamp before it was read; `None` if metadata does not show every change.
    stamp: Option<Stamp>,
}

impl PostFile<'_> {
    /// Its path as problems print it.
    fn shown(&self) -> String {
        [FOLDER, "/", self.relative].concat()
    }

    fn origin(&self, files: &FileSet) -> Origin {
        Origin::File {
            files: files.clone(),
            shown: self.shown(),
        }
    }
}

/// The result of loading a post.
#[derive(Default)]
struct LoadedPost {
    post: Option<Box<Post>>,
    stamp: Option<Stamp>,
    /// Hash of the file's text.
    source: Hash,
    /// Each picture reference as written, and the key of the picture.
    pictures: Vec<(String, String)>,
    /// Its cache entry is missing or out of date.
    is_stale: bool,
    /// The parts that differ from the cached post.
    edits: Vec<PostPart>,
    problems: Problems,
}

/// The inputs that all posts share.
struct Reader<'a> {
    config: &'a Config,
    images: &'a Images,
    inputs: &'a PostInputs,
    /// The keys that front matter must have.
    required: Vec<&'static str>,
    authors: &'a BTreeMap<String, Author>,
    sources: &'a SourceIndex,
}

/// Reads all posts.
pub(super) fn load(
    config: &Config,
    images: &Images,
    inputs: &PostInputs,
    authors: BTreeMap<String, Author>,
    sources: &SourceIndex,
) -> (Blog, Problems) {
    let root = &config.paths.root;
    // Nearly all files are posts, and parts of a path take longer to find.
    let (files, mut problems) = sources.list(root, FOLDER, &|path| {
        path.as_os_str().as_encoded_bytes().ends_with(b".md")
            || !is_picture(path) && !path.ends_with(COMMENTS)
    });
    let folder = root.join(FOLDER);
    let files: Vec<_> = files
        .into_iter()
        .map(|(path, stamp)| (composed(files::shown(&folder, &path)), path, stamp))
        .collect();
    let mut post_files = Vec::with_capacity(files.len());
    for (relative, path, stamp) in files.iter().filter(|(relative, ..)| {
        !relative
            .split_once('/')
            .is_some_and(|(language, _)| config.site.is_withheld(language))
    }) {
        match name(config, relative, path, *stamp) {
            Ok(post_file) => post_files.push(post_file),
            Err(problem) => problems.push(problem.at(Place::file(files::shown(root, path)))),
        }
    }
    let required = inputs.schema.fields.required();
    let reader = Reader {
        config,
        images,
        inputs,
        required,
        authors: &authors,
        sources,
    };
    let cache = post_cache::open(config, &inputs.languages, inputs.schema);
    let read: Vec<(PostFile, LoadedPost)> = post_files
        .into_par_iter()
        .map(|post_file| {
            let loaded = reader.load(&post_file, cache.take(post_file.relative));
            (post_file, loaded)
        })
        .collect();
    let entries = read.iter().filter_map(|(post_file, loaded)| {
        let entry = CachedPost {
            stamp: loaded.stamp,
            source: loaded.source,
            pictures: (&loaded.pictures).into(),
            // The cache has no texts, of which sections consist.
            post: loaded
                .post
                .as_deref()
                .filter(|post| loaded.problems.is_empty() && post.parts.is_empty())?,
        };
        Some((post_file.relative, entry, loaded.is_stale))
    });
    cache.save(&entries.collect::<Vec<_>>());
    let (mut posts, mut broken_posts) = (Vec::with_capacity(read.len()), Vec::new());
    let mut edits = BTreeMap::new();
    for (post_file, loaded) in read {
        if !loaded.edits.is_empty() {
            edits.insert(post_file.shown(), loaded.edits);
        }
        problems.extend(loaded.problems);
        if let Some(post) = loaded.post {
            posts.push(post);
        } else {
            broken_posts.push(BrokenPost {
                locale: post_file.locale.to_owned(),
                slug: post_file.slug.to_owned(),
            });
        }
    }
    check_duplicates(&posts, &mut problems);
    (
        Blog {
            posts,
            authors,
            broken_posts,
            edits,
            ..Blog::default()
        },
        problems,
    )
}

impl Blog {
    /// Reads the file of a post again, without the cache; `None` if it is not in the folder of posts.
    pub(crate) fn reread(
        &self,
        config: &Config,
        images: &Images,
        file: &Path,
    ) -> Option<(Option<Box<Post>>, Problems)> {
        let folder = config.paths.root.join(FOLDER);
        let relative = composed(files::shown(
            &folder,
            file.strip_prefix(&folder).ok().map(|_| file)?,
        ));
        let sources = SourceIndex::default();
        Some(match name(config, &relative, file, None) {
            Ok(post_file) => {
                let (inputs, sources) = (&self.inputs, &sources);
                let reader = Reader {
                    config,
                    images,
                    inputs,
                    required: inputs.schema.fields.required(),
                    authors: &self.authors,
                    sources,
                };
                let loaded = reader.load(&post_file, None);
                (loaded.post, loaded.problems)
            }
            Err(problem) => (
                None,
                problem
                    .at(Place::file(files::shown(&config.paths.root, file)))
                    .into(),
            ),
        })
    }
}

/// Gets locale and slug from the path below `content/blog/`.
fn name<'a>(
    config: &Config,
    relative: &'a str,
    path: &'a Path,
    stamp: Option<Stamp>,
) -> Result<PostFile<'a>, Problem> {
    let parts: Vec<&str> = relative.split('/').collect();
    let (locale, slug) = match parts[..] {
        [locale, slug, "index.md"] => (locale, Some(slug)),
        [locale, name] => (locale, name.strip_suffix(".md")),
        _ => ("", None),
    };
    let Some(name) = slug.filter(|slug| !slug.is_empty()) else {
        let hint = "put a post in `content/blog/<locale>/<slug>.md`, or in `<slug>/index.md` with its images next to it";
        return Err(unexpected("nothing reads this file").hint(hint));
    };
    if !config.site.locales.iter().any(|code| code.value == locale) {
        let codes = config.site.locales.iter().map(|code| code.value.as_str());
        return Err(
            unexpected(&format!("`{locale}` is not a locale in `site.yaml`"))
                .maybe_hint(did_you_mean(locale, codes)),
        );
    }
    if !Slug::is(name) {
        let problem = Problem::error(
            Code::BadPath,
            format!(
                "the name of the post's file or folder is part of its URL, but `{name}` contains a space, an uppercase letter or another character that is not allowed there"
            ),
        );
        return Err(problem.maybe_hint(Slug::of(name).map(|slug| format!("name it `{slug}`"))));
    }
    if RESERVED.contains(&name) {
        let problem = Problem::error(
            Code::BadPath,
            format!("`{name}` is reserved: other URLs begin with `/blog/{name}/`"),
        );
        return Err(problem.hint("choose a different name for the file or its folder"));
    }
    Ok(PostFile {
        path,
        relative,
        locale,
        slug: name,
        stamp,
    })
}

/// A problem with a file that is not a post.
fn unexpected(message: &str) -> Problem {
    Problem::error(Code::UnexpectedFile, message)
}

impl Reader<'_> {
    /// Loads a post: from the cache if its file has not changed, else from the file.
    fn load(&self, post_file: &PostFile, known: Option<CachedPost>) -> LoadedPost {
        let stamp = post_file
            .stamp
            .and_then(|stamp| self.sources.settled(stamp));
        let known = known.filter(|cached| self.is_valid(post_file, cached));
        let from_cache = |CachedPost {
                              mut post,
                              source,
                              pictures,
                              ..
                          }: CachedPost,
                          is_stale| {
            post.origin = post_file.origin(&self.config.paths.root);
            let pictures = pictures.into_owned();
            let (edits, problems) = (Vec::new(), Problems::new());
            LoadedPost {
                post: Some(post),
                stamp,
                source,
                pictures,
                is_stale,
                edits,
                problems,
            }
        };
        let known = match known {
            Some(cached) if cached.stamp.is_some() && cached.stamp == post_file.stamp => {
                return from_cache(cached, false);
            }
            known => known,
        };
        let mut loaded = LoadedPost {
            stamp,
            is_stale: true,
            ..LoadedPost::default()
        };
        let source = match self.config.paths.root.read_text(post_file.path) {
            Ok(source) => source,
            Err(problem) => {
                return LoadedPost {
                    problems: problem.into(),
                    ..loaded
                };
            }
        };
        loaded.source = hash(source.text.as_bytes());
        match known {
            Some(cached) if cached.source == loaded.source => from_cache(cached, true),
            known => {
                loaded.post = self.read(
                    post_file,
                    &source,
                    &mut loaded.pictures,
                    &mut loaded.problems,
                );
                let both = known.as_ref().zip(loaded.post.as_ref());
                loaded.edits = both.map_or_else(Vec::new, |(old, new)| old.post.differences(new));
                loaded
            }
        }
    }

    /// Whether a cached post is valid for the current authors and pictures: its author exists, and its pictures have
    /// the same keys.
    fn is_valid(&self, post_file: &PostFile, cached: &CachedPost) -> bool {
        let has_author = cached
            .post
            .author
            .as_ref()
            .is_some_and(|slug| self.authors.contains_key(slug));
        has_author
            && cached
                .pictures
                .iter()
                .all(|(written, key)| self.find(post_file, written).as_ref() == Some(key))
    }

    fn read(
        &self,
        post_file: &PostFile,
        source: &Arc<Source>,
        pictures: &mut Vec<(String, String)>,
        problems: &mut Problems,
    ) -> Option<Box<Post>> {
        let (front, body) = front_matter::split(source)
            .map_err(|problem| problems.push(problem))
            .ok()?;
        let node = yaml::parse(source, front)
            .map_err(|problem| problems.push(problem))
            .ok()?;
        let mut read_problems = Problems::new();
        let PostsSchema {
            fields,
            is_substitute,
            ..
        } = self.inputs.schema;
        let head = Each::read(source, node, fields, &self.required, &mut read_problems);
        head.lacking(source, fields, &mut read_problems);
        // Without the schema of the site, nobody knows the fields that it adds.
        let is_consequence = |problem: &Problem| is_substitute && problem.code == Code::UnknownKey;
        problems.extend(
            front_matter::with_counterparts(&read_problems, fields).without(is_consequence),
        );
        let is_whole = OF_EVERY_POST.iter().all(|key| head.has(key));
        let mut post = self.post(post_file, source, head, body, pictures, problems);
        post.fingerprint();
        is_whole.then_some(Box::new(post))
    }

    fn post(
        &self,
        post_file: &PostFile,
        source: &Arc<Source>,
        mut head: Each,
        body: Range<usize>,
        pictures: &mut Vec<(String, String)>,
        problems: &mut Problems,
    ) -> Post {
        let config = self.config;
        let (title, author) = (head.plain::<String>("title"), author(&mut head));
        for (key, text) in [("title", &title), ("author", &author)] {
            if let Some(text) = text.as_ref().filter(|text| text.value.trim().is_empty()) {
                let problem = Problem::error(Code::InvalidValue, format!("`{key}` is empty"));
                problems.push(
                    problem
                        .at(source.place(text.span))
                        .hint(format!("write `{key}: …`")),
                );
            }
        }
        let (title, author) = (title.unwrap_or_default(), author.unwrap_or_default());
        let filled = std::cell::RefCell::new(Vec::new());
        let fill = |text: &str| {
            if !text.contains('{') {
                return text.to_owned();
            }
            filled.borrow_mut().push(text.to_owned());
            placeholders::fill(text, config.site.in_language(post_file.locale))
        };
        let marked = mark(source, body.clone(), &fill, None);
        if let Some(what) = marked.over_limit {
            let message = format!(
                "the HTML has {what}; tags beyond the limit are left out, but their text is kept"
            );
            problems.push(
                Problem::warning(Code::TooLarge, message).at(Place::file(source.path.clone())),
            );
        }
        let notices = marked.notices.iter().take(MAX_NOTICES);
        notices.for_each(|(range, problem)| {
            problems.push(
                problem
                    .clone()
                    .at(source.place(Span::new(body.start + range.start, body.start + range.end))),
            );
        });
        let part = |range| parts::read(source, body.start, range, &self.inputs.kinds, problems);
        let parts = marked.parts.iter().map(part).collect();
        let mut text = marked.finish();
        let language = self
            .inputs
            .languages
            .get(post_file.locale)
            .map_or(post_file.locale, String::as_str);
        problems.extend(accessibility::of_post(
            &marked,
            &text,
            language,
            source,
            body.clone(),
        ));
        self.find_pictures(post_file, source, &mut text, pictures, problems);
        let key = composed(&author.value);
        if !key.is_empty() && !self.authors.contains_key(&*key) {
            let names = self.authors.keys().map(String::as_str);
            let problem = Problem::error(
                Code::UnknownId,
                format!("there is no author `{}`", author.value),
            )
            .at(source.place(author.span))
            .hint(format!("add `content/authors/{}.yaml`", author.value));
            problems.push(problem.maybe_hint(did_you_mean(&author.value, names)));
        }
        let image = head
            .image("image")
            .and_then(|image| self.image(post_file, source, &image, pictures, problems));
        let short = head
            .plain::<String>("excerpt")
            .map_or_else(|| excerpt(&marked.lead), |text| Some(fill(&text.value)));
        let title = fill(&title);
        let tags = self.tags(source, &head.texts("tags"), language, problems);
        let (from, until) = (when(&mut head, "publish_at"), when(&mut head, "expires_at"));
        let dates = Dates::read(
            from.as_ref(),
            until.as_ref(),
            &config.site.timezone,
            source,
            problems,
        );
        let whole = Span::new(0, source.text.len());
        for text in filled.borrow().iter() {
            placeholders::check(
                text,
                &config.site,
                &|written| source.place(source.locate(whole, written)),
                problems,
            );
        }
        Post {
            id: post_file.slug.to_owned(),
            key: head
                .plain("key")
                .map_or_else(|| post_file.slug.to_owned(), |key| key.value),
            locale: post_file.locale.to_owned(),
            slug: post_file.slug.to_owned(),
            title: Some(title),
            date: when(&mut head, "date").map(|date| date.value),
            modified: when(&mut head, "modified").map(|date| date.value),
            body: Body::read(text),
            parts,
            headings: marked.headings,
            words: marked.words,
            ideographs: marked.ideographs,
            excerpt: short,
            author: Some(key.into_owned()),
            image,
            tags,
            draft: head.plain("draft").is_some_and(|flag| flag.value),
            publish_at: dates.from,
            expires_at: dates.until,
            html_budget: head.plain("html_budget").map(|most| most.value),
            added: Added::new(
                self.inputs.schema.fields,
                head.rest(),
                &source.text[..body.start],
            ),
            origin: post_file.origin(&self.config.paths.root),
            fingerprints: Fingerprints::default(),
        }
    }

    fn tags(
        &self,
        source: &Source,
        tags: &[Spanned<String>],
        language: &str,
        problems: &mut Problems,
    ) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let mut known = HashSet::new();
        if let Some(tag) = tags.get(MAX_TAGS) {
            let message = format!(
                "the post has {} tags, but the limit is {MAX_TAGS}",
                tags.len()
            );
            let problem = Problem::error(Code::TooLarge, message).at(source.place(tag.span));
            problems.push(
                problem.hint("keep the ones that readers look for: each tag has its own page"),
            );
        }
        for tag in tags.iter().take(MAX_TAGS) {
            let name = tag.value.trim();
            let is_duplicate = !known.insert(caseless(name, language));
            if name.is_empty() || is_duplicate {
                let (message, hint) = if name.is_empty() {
                    ("a tag is empty".into(), "remove it")
                } else {
                    (
                        format!("the tag `{name}` is listed twice"),
                        "remove one of the two",
                    )
                };
                problems.push(
                    Problem::error(Code::InvalidValue, message)
                        .at(source.place(tag.span))
                        .hint(hint),
                );
            } else {
                names.push(placeholders::fill(name, &self.config.site));
            }
        }
        names
    }

    /// The key of a picture that a post references; `None` if it does not exist.
    fn find(&self, post_file: &PostFile, written: &str) -> Option<String> {
        self.images.find(&post_file.shown(), written)
    }

    fn missing(&self, post_file: &PostFile, written: &str) -> Problem {
        let path = post_file.shown();
        let folders = folders_of(&path);
        let near = self.images.keys().map(|key| {
            let beside = folders
                .iter()
                .find_map(|folder| key.strip_prefix(folder)?.strip_prefix('/'));
            beside.unwrap_or(key)
        });
        let message =
            format!("there is no image `{written}` next to this post or in `content/images/`");
        Problem::error(Code::MissingImage, message).maybe_hint(did_you_mean(written, near))
    }

    fn image(
        &self,
        post_file: &PostFile,
        source: &Source,
        image: &Image,
        pictures: &mut Vec<(String, String)>,
        problems: &mut Problems,
    ) -> Option<PostImage> {
        let written = &image.src.value;
        let alt = image.alt.as_deref().map(str::trim).unwrap_or_default();
        if alt.is_empty() && !image.is_decorative() {
            let problem = Problem::error(Code::MissingAlt, "the image has no alternative text");
            let hint = "add `alt: …`, or `decorative: true` if the image adds nothing to the text";
            problems.push(problem.at(source.place(image.src.span)).hint(hint));
        }
        let Some(src) = self.find(post_file, written) else {
            problems.push(
                self.missing(post_file, written)
                    .at(source.place(image.src.span)),
            );
            return None;
        };
        pictures.push((written.clone(), src.clone()));
        Some(PostImage {
            src,
            alt: placeholders::fill(alt, self.config.site.in_language(post_file.locale)),
            focus: image.focus,
            span: image.src.span,
        })
    }

    /// Replaces the references of pictures in the body with their keys. Removes and reports missing ones.
    fn find_pictures(
        &self,
        post_file: &PostFile,
        source: &Source,
        body: &mut Rich,
        pictures: &mut Vec<(String, String)>,
        problems: &mut Problems,
    ) {
        body.pieces.retain_mut(|piece| {
            let Piece::Picture(InlinePicture { src, alt, span }) = piece else {
                return true;
            };
            if alt.trim().is_empty() {
                let problem = Problem::error(Code::MissingAlt, "the image has no alternative text");
                problems.push(
                    problem
                        .at(source.place(*span))
                        .hint(format!("write `![what it shows]({src})`")),
                );
            }
            if src.contains("://") || src.starts_with("//") {
                let problem = Problem::error(
                    Code::MissingImage,
                    format!("`{src}` is an image on another site"),
                );
                problems.push(
                    problem
                        .at(source.place(*span))
                        .hint("copy it next to the post, if its license allows that"),
                );
                return false;
            }
            let key = self.find(post_file, src);
            if key.is_none() {
                problems.push(self.missing(post_file, src).at(source.place(*span)));
            }
            key.map(|key| pictures.push((std::mem::replace(src, key.clone()), key)))
                .is_some()
        });
    }
}

/// The key of the author.
fn author(head: &mut Each) -> Option<Spanned<String>> {
    let Spanned { value, span } = head.typed("author")?;
    match value {
        Typed::Reference(Reference { key, .. }) => Some(Spanned { value: key, span }),
        _ => None,
    }
}

/// A point in time.
fn when(head: &mut Each, name: &str) -> Option<Spanned<When>> {
    let Spanned { value, span } = head.typed(name)?;
    match value {
        Typed::Moment(value) => Some(Spanned { value, span }),
        _ => None,
    }
}

/// Renders the Markdown of a file. `fill` fills in placeholders.
pub(crate) fn mark(
    source: &Source,
    body: Range<usize>,
    fill: &dyn Fn(&str) -> String,
    origin: Option<&dyn Fn(usize) -> String>,
) -> Marked {
    let (text, offset) = (&source.text[body.clone()], body.start);
    let locate = |target: &str, range: Range<usize>| {
        source.locate(Span::new(range.start + offset, range.end + offset), target)
    };
    let marked = markdown::mark(
        text,
        Rules {
            article: true,
            taken: &[],
            fill: &fill,
            locate: &locate,
            origin,
        },
    );
    if !marked.has_raw_html {
        return marked;
    }
    // The parser gives no span for targets in raw HTML, but comes to them in the order of the text.
    let from = Cell::new(body.start);
    let span_of = |address: &str| {
        let found = attribute_value(&source.text, from.get()..body.end, address);
        if let Some(found) = &found {
            from.set(found.end);
        }
        found.map_or_else(
            || source.locate(Span::new(body.start, body.end), address),
            |found| Span::new(found.start, found.end),
        )
    };
    let mut notices = Vec::new();
    let mut media = |address: &str| {
        if address.starts_with('/') && !address.starts_with("//") {
            return Some(Target {
                to: fill(address),
                span: span_of(address),
            });
        }
        let span = span_of(address);
        let message =
            format!("`{address}` cannot be played: video and audio files belong in `static/`");
        let name = address.rsplit('/').next().unwrap_or_default();
        let hint = format!("copy it to `static/media/`, and write `/media/{name}`");
        let problem = Problem::warning(Code::RemovedHtml, message).hint(hint);
        let at = |byte: u32| (byte as usize).saturating_sub(offset);
        notices.push((at(span.start)..at(span.end), problem));
        None
    };
    let open = sanitize::Open {
        media: Some(&mut media),
        link: &mut |href| {
            (!href.is_empty()).then(|| Target {
                to: fill(href),
                span: span_of(href),
            })
        },
        picture: &mut |src, alt| {
            let alt = alt.unwrap_or_default().to_owned();
            Some(InlinePicture {
                src: src.to_owned(),
                alt,
                span: span_of(src),
            })
        },
        shortcodes: false,
    };
    let mut marked = sanitize::clean(marked, open);
    marked.notices.extend(notices);
    Marked {
        had_raw_html: true,
        ..marked
    }
}

/// The first place in a part of a text at which an attribute has a value.
fn attribute_value(text: &str, part: Range<usize>, value: &str) -> Option<Range<usize>> {
    let mut found = text.get(part.clone())?.match_indices(value);
    found.find_map(|(at, _)| {
        let (start, end) = (part.start + at, part.start + at + value.len());
        let rest = &text[end..];
        let is_whole = match text[..start].chars().next_back()? {
            quote @ ('"' | '\'') => rest.starts_with(quote),
            '=' => rest.starts_with([' ', '>', '\n']),
            _ => false,
        };
        is_whole.then_some(start..end)
    })
}

/// Renders the body of a cached post from its file, whose path in the site is given, and returns it with its headings.
/// `links` are those of the cache.
pub(super) fn text(
    settings: &SiteSettings,
    files: &FileSet,
    path: &str,
    links: &Rich,
) -> Result<(Rich, Vec<Heading>), Problem> {
    let source = files.read_listed(path)?;
    let (_, body) = front_matter::split(&source)?;
    let (start, marks) = (body.start, settings.marks.as_ref());
    let origin = marks.map(|marks| {
        |at: usize| {
            marks.mark(TextOrigin::Written(
                Arc::clone(&source),
                Span::new(start + at, start + at + 1),
            ))
        }
    });
    let origin = origin
        .as_ref()
        .map(|origin| origin as &dyn Fn(usize) -> String);
    let marked = mark(
        &source,
        body,
        &|text| placeholders::fill(text, settings),
        origin,
    );
    let mut text = marked.finish();
    // The keys of the pictures were found when the post was first parsed.
    let mut resolved = links
        .pieces
        .iter()
        .filter(|piece| matches!(piece, Piece::Picture(_)));
    for piece in text
        .pieces
        .iter_mut()
        .filter(|piece| matches!(piece, Piece::Picture(_)))
    {
        resolved
            .next()
            .into_iter()
            .for_each(|known| known.clone_into(piece));
    }
    Ok((text, marked.headings))
}

/// Reports posts of the same locale with the same slug or key.
fn check_duplicates(posts: &[Box<Post>], problems: &mut Problems) {
    let mut slugs: HashMap<(&str, &str), &Post> = HashMap::with_capacity(posts.len());
    let mut keys: HashMap<(&str, &str), &Post> = HashMap::with_capacity(posts.len());
    for post in posts {
        if let Some(first) = slugs.insert((&post.locale, &post.slug), post) {
            // Names that differ in how an accent is encoded are reported for all sources.
            if first.origin.path() == post.origin.path() {
                continue;
            }
            let message = format!(
                "two files have the slug `{}`, so they would have the same URL",
                post.slug
            );
            let problem = Problem::error(Code::PathTaken, message).at(post.origin.whole());
            problems.push(problem.hint(format!("rename this one or `{}`", first.origin.path())));
        } else if let Some(first) = keys.insert((&post.locale, &post.key), post) {
            let message = format!("two posts in the same language have the key `{}`", post.key);
            let problem = Problem::error(Code::PathTaken, message).at(post.origin.whole());
            let hint = format!(
                "a key links translations of the same post; change the key here or in `{}`",
                first.origin.path()
            );
            problems.push(problem.hint(hint));
        }
    }
}
