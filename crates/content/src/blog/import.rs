//! Converts posts of a CMS. Invalid or missing values are reported, and pages show a fallback; only posts that cannot
//! be shown at all are skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use percent_encoding::percent_decode_str;
use reqwest::Url;
use serde_json::{Map, json};

use config::Config;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};
use diagnostics::yaml;
use schema::types::{DateTime, Localized, Slug, When};
use schema::{Block, Each};
use text::rich::{InlinePicture, Marked, Target};
use text::sanitize::{self, plain_text};
use workspace::files::TEXT_LIMIT;
use workspace::parallel;

use super::claims::Claims;
use super::raw::{self, RawAuthor, RawPost};
use super::snapshot::Posts;
use super::{Added, Author, Body, Fingerprints, Origin, Post, PostImage, RESERVED, excerpt};

/// Maximum length of a summary, in characters: a card has three lines.
const MAX_EXCERPT_CHARS: usize = 300;

/// Maximum number of tags of a post. Each is a chip on the page of the post, and a filter on the list of all posts.
const MAX_TAGS: usize = 50;
/// Maximum length of a title, the name of a tag or of an author, a biography and an alternative text, in characters.
const MAX_TITLE: usize = 500;
const MAX_NAME: usize = 300;
const MAX_WORDS: usize = 2_000;

/// Converted posts. Pictures still have the URLs of the CMS.
#[derive(Debug, Clone, Default)]
pub(super) struct Imported {
    pub posts: Vec<Post>,
    pub authors: BTreeMap<String, Author>,
    /// URLs of pictures, each with the location of its first use.
    pub wanted: BTreeMap<String, String>,
}

/// A post with its slug and key.
struct NamedPost<'a> {
    raw: &'a RawPost,
    locale: &'a str,
    slug: String,
    key: String,
    /// The location for problems.
    place: String,
}

/// Converts posts. `base` is the URL of the CMS, to resolve relative URLs; `claims` are the addresses that the site has
/// given to others, `fields` those of posts.
pub(super) fn import(
    config: &Config,
    posts: &Posts,
    claims: &Claims,
    fields: &'static Block,
    base: &Url,
) -> (Imported, Problems) {
    let mut problems = Problems::new();
    let mut named: Vec<NamedPost> = Vec::new();
    for (locale, posts) in posts {
        let mut slugs = BTreeSet::new();
        named.extend(posts.iter().filter_map(|raw| {
            name(
                locale,
                raw,
                base,
                &|slug: &str| claims.has(locale, slug),
                &mut slugs,
                &mut problems,
            )
        }));
    }
    link_translations(config, &mut named);
    let addresses = addresses(&named, claims, base);
    let converted: Vec<(Post, Vec<String>, Problems)> = parallel::map(&named, |post| {
        convert(post, base, claims, fields, &addresses)
    });
    let mut imported = Imported::default();
    for (named, (mut post, pictures, found)) in named.iter().zip(converted) {
        problems.extend(found);
        let mut want = |url: String| {
            imported
                .wanted
                .entry(url)
                .or_insert_with(|| named.place.clone());
        };
        pictures.into_iter().for_each(&mut want);
        if let Some((author, avatar)) = named.raw.author.as_ref().and_then(|raw| author(raw, base))
        {
            avatar.clone().into_iter().for_each(&mut want);
            post.author = Some(author.slug.clone());
            let known = imported
                .authors
                .entry(author.slug.clone())
                .or_insert(author);
            known.avatar = known.avatar.take().or(avatar);
            if let Some(text) = named
                .raw
                .author
                .as_ref()
                .and_then(|raw| raw.description.as_deref())
            {
                known
                    .description
                    .0
                    .entry(named.locale.to_owned())
                    .or_insert_with(|| cut(plain_text(text), MAX_WORDS));
            }
        }
        imported.posts.push(post);
    }
    (imported, problems)
}

fn fault(place: &str, message: String) -> Problem {
    Problem::warning(Code::BlogPost, message).at(Place::file(place.to_owned()))
}

/// Gives a post its slug; `None` if it cannot be shown.
fn name<'a>(
    locale: &'a str,
    raw: &'a RawPost,
    base: &Url,
    is_taken: &dyn Fn(&str) -> bool,
    slugs: &mut BTreeSet<String>,
    problems: &mut Problems,
) -> Option<NamedPost<'a>> {
    let place = raw.link.clone().unwrap_or_else(|| base.to_string());
    let mut report = |message: String| problems.push(fault(&place, message));
    if raw.id.is_empty() {
        report("a post without an id is left out".into());
        return None;
    }
    if raw
        .content
        .as_ref()
        .is_some_and(|content| content.len() as u64 > TEXT_LIMIT)
    {
        report(format!(
            "post {} is left out: its text is larger than {} MB",
            raw.id,
            TEXT_LIMIT / 1_000_000
        ));
        return None;
    }
    let id = Slug::or_hash(&raw.id, "id");
    let fallback = format!("post-{id}");
    let written = raw.slug.as_deref().unwrap_or_default();
    let mut own = usable_slug(written).unwrap_or_else(|| fallback.clone());
    if slugs.contains(&own) {
        report(format!(
            "post {} has the same slug as another post (`{own}`), so its URL ends in `{own}-{id}`",
            raw.id
        ));
        own = Slug::or_hash(&format!("{own}-{id}"), "post").into_string();
    } else if is_taken(&own) {
        report(format!(
            "post {} has the slug `{own}`, but the site already uses that URL, so the post's URL ends in `{own}-{id}`",
            raw.id
        ));
        own = Slug::or_hash(&format!("{own}-{id}"), "post").into_string();
    } else if !is_same(written, &own) {
        let what = if written.is_empty() {
            "no slug".to_owned()
        } else {
            format!("the slug `{written}`")
        };
        report(format!(
            "post {} has {what}; its URL ends in `{own}`",
            raw.id
        ));
    }
    if is_taken(&own) || !slugs.insert(own.clone()) {
        report(format!(
            "post {} is left out: another page already uses its URL",
            raw.id
        ));
        return None;
    }
    raw.faults
        .iter()
        .for_each(|what| report(format!("post {} `{own}`: {what}", raw.id)));
    let texts = [&raw.title, &raw.content, &raw.excerpt]
        .into_iter()
        .flatten();
    if texts
        .clone()
        .any(|text| text.contains(char::REPLACEMENT_CHARACTER))
    {
        report(format!(
            "post {} `{own}` contains an invalid character, shown as `{}`",
            raw.id,
            char::REPLACEMENT_CHARACTER
        ));
    }
    for (is_missing, what) in [
        (raw.title.is_none(), "title"),
        (
            raw.date
                .as_deref()
                .and_then(DateTime::parse_local)
                .is_none(),
            "valid date",
        ),
        (raw.author.is_none(), "author"),
        (raw.content.is_none(), "text"),
    ] {
        if is_missing {
            report(format!("post {} `{own}` has no {what}", raw.id));
        }
    }
    Some(NamedPost {
        raw,
        locale,
        key: own.clone(),
        slug: own,
        place,
    })
}

/// The slug of a post; `None` if no valid character is left or the slug is reserved.
fn usable_slug(written: &str) -> Option<String> {
    Slug::of(written)
        .map(Slug::into_string)
        .filter(|slug| !RESERVED.contains(&slug.as_str()))
}

/// Whether a slug of the CMS, decoded or percent-encoded, equals the slug in the URL.
fn is_same(written: &str, slug: &str) -> bool {
    percent_decode_str(written)
        .decode_utf8()
        .is_ok_and(|decoded| decoded == slug)
}

/// Gives translations the same key: the slug of the translation in the first locale.
fn link_translations(config: &Config, named: &mut [NamedPost]) {
    let order = |locale: &str| {
        config
            .site
            .locales
            .iter()
            .position(|code| code.value == locale)
    };
    let slugs: HashMap<(&str, String), (Option<usize>, String)> = named
        .iter()
        .map(|post| {
            (
                (post.locale, post.raw.id.clone()),
                (order(post.locale), post.slug.clone()),
            )
        })
        .collect();
    let locales: BTreeSet<&str> = named.iter().map(|post| post.locale).collect();
    let mut taken = BTreeSet::new();
    for post in named {
        let others = post
            .raw
            .translations
            .iter()
            .flat_map(|id| locales.iter().map(move |locale| (*locale, id.clone())));
        let first = others.filter_map(|other| slugs.get(&other)).min();
        let key = post
            .raw
            .key
            .as_deref()
            .and_then(Slug::of)
            .map(Slug::into_string)
            .or_else(|| first.map(|(_, slug)| slug.clone()));
        if let Some(key) = key.filter(|key| !key.is_empty()) {
            post.key = key;
        }
        if !taken.insert((post.locale, post.key.clone())) {
            post.key = format!("{}-{}", post.slug, post.locale);
        }
    }
}

/// Maps URLs of the CMS to the posts, tags and authors of this site.
fn addresses(named: &[NamedPost], claims: &Claims, base: &Url) -> HashMap<String, String> {
    let mut addresses = HashMap::new();
    let mut add = |link: &str, key: String| {
        if let Ok(url) = base.join(link) {
            addresses.insert(comparable(&url), format!("page:blog/{key}"));
        }
    };
    // Tags above the limit of each post have no page.
    let shown = named.iter().flat_map(|post| {
        post.raw
            .tags
            .iter()
            .take(MAX_TAGS)
            .map(|tag| (post.locale, tag.as_str()))
    });
    let shown: HashSet<(&str, &str)> = shown.collect();
    // Most posts share tags and authors, and parsing each name as HTML is expensive.
    let mut seen = HashSet::new();
    for post in named {
        let is_shown = |name: &str| shown.contains(&(post.locale, name));
        let links = post.raw.tag_links.iter().filter(|(_, name)| is_shown(name));
        for (link, name) in links.filter(|(link, _)| seen.insert(link.as_str())) {
            let name = cut(plain_text(name), MAX_NAME);
            if has_page(&name, post.locale, claims) {
                add(link, format!("tag/{}/{}", post.locale, Slug::of_tag(&name)));
            }
        }
        if let Some(raw) = &post.raw.author
            && let Some(link) = raw.link.as_deref().filter(|link| seen.insert(link))
            && let Some((author, _)) = author(raw, base)
        {
            add(link, format!("author/{}", author.slug));
        }
    }
    // Last, so that posts take precedence.
    for post in named {
        post.raw
            .link
            .iter()
            .for_each(|link| add(link, post.key.clone()));
    }
    addresses
}

/// A URL without scheme, port, query and trailing slash, for comparison.
fn comparable(url: &Url) -> String {
    format!(
        "{}{}",
        url.host_str().unwrap_or_default(),
        url.path().trim_end_matches('/')
    )
}

/// Whether a tag has a page: its name is not empty, and the site has no page, file or redirect there.
fn has_page(tag: &str, locale: &str, claims: &Claims) -> bool {
    !tag.is_empty() && !claims.has(locale, &format!("tag/{}", Slug::of_tag(tag)))
}

fn convert(
    named: &NamedPost,
    base: &Url,
    claims: &Claims,
    fields: &'static Block,
    addresses: &HashMap<String, String>,
) -> (Post, Vec<String>, Problems) {
    let raw = named.raw;
    let mut problems = Problems::new();
    let mut wanted = Vec::new();
    let base = raw
        .link
        .as_deref()
        .and_then(|link| base.join(link).ok())
        .unwrap_or_else(|| base.clone());
    let mut without_alt = 0;
    let mut link = |href: &str| {
        if href.starts_with('#') || href.is_empty() {
            return None;
        }
        let url = base.join(href).ok()?;
        let to = match url.scheme() {
            "http" | "https" => match addresses.get(&comparable(&url)) {
                Some(own) if url.query().is_none() => own.clone(),
                _ => url.to_string(),
            },
            "mailto" | "tel" if !url.path().is_empty() => url.to_string(),
            _ => return None,
        };
        Some(Target {
            to,
            span: Span::default(),
        })
    };
    let mut picture = |src: &str, alt: Option<&str>| {
        let url = picture_address(&base, src)?;
        without_alt += usize::from(alt.is_none());
        wanted.push(url.clone());
        let alt = cut(alt.unwrap_or_default().to_owned(), MAX_WORDS);
        Some(InlinePicture {
            src: url,
            alt,
            span: Span::default(),
        })
    };
    let open = sanitize::Open {
        link: &mut link,
        picture: &mut picture,
        media: None,
        shortcodes: true,
    };
    let marked = Marked {
        html: raw.content.clone().unwrap_or_default(),
        ..Marked::default()
    };
    let marked = sanitize::clean(marked, open);
    let mut report = |what: String| {
        problems.push(fault(
            &named.place,
            format!("post {} `{}`: {what}", raw.id, named.slug),
        ));
    };
    if let Some(what) = marked.over_limit {
        report(format!(
            "it has {what}; tags beyond the limit are left out, but their text is kept"
        ));
    }
    if without_alt > 0 {
        let images = if without_alt == 1 { "image" } else { "images" };
        report(format!(
            "it has {without_alt} {images} without alternative text (`alt`)"
        ));
    }
    let image = raw.image.as_ref().and_then(|image| {
        let src = picture_address(&base, &image.src)?;
        if image.alt.is_none() {
            report("its featured image has no alternative text (`alt`)".into());
        }
        wanted.push(src.clone());
        // Plain text in the media library: `<` and `&` need no decoding.
        let words = image.alt.as_deref().unwrap_or_default().split_whitespace();
        let alt = cut(words.collect::<Vec<_>>().join(" "), MAX_WORDS);
        Some(PostImage {
            src,
            alt,
            focus: None,
            span: Span::default(),
        })
    });
    let mut tags: Vec<String> = Vec::new();
    for tag in raw
        .tags
        .iter()
        .take(MAX_TAGS)
        .map(|tag| cut(plain_text(tag), MAX_NAME))
    {
        if !has_page(&tag, named.locale, claims) {
            if !tag.is_empty() {
                report(format!(
                    "its tag `{tag}` is left out, because another page of the site has the tag's URL"
                ));
            }
        } else if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    if raw.tags.len() > MAX_TAGS {
        report(format!(
            "it has {} tags, but only the first {MAX_TAGS} are kept",
            raw.tags.len()
        ));
    }
    let title = raw
        .title
        .as_deref()
        .map(plain_text)
        .filter(|title| !title.is_empty());
    if title
        .as_ref()
        .is_some_and(|title| title.chars().count() > MAX_TITLE)
    {
        report(format!("its title is cut after {MAX_TITLE} characters"));
    }
    let added = added(raw, fields, &named.place, &mut report);
    let date = |text: &Option<String>| {
        let text = text.as_deref()?;
        let with_offset = When::parse(text).filter(|when| when.has_offset());
        with_offset.or_else(|| DateTime::parse_local(text).map(When::of))
    };
    let post = Post {
        id: raw.id.clone(),
        key: named.key.clone(),
        locale: named.locale.to_owned(),
        slug: named.slug.clone(),
        title: title.map(|title| cut(title, MAX_TITLE)),
        date: date(&raw.date),
        modified: date(&raw.modified),
        body: Body::read(marked.finish()),
        excerpt: summary(raw.excerpt.as_deref()).or_else(|| excerpt(&marked.lead)),
        headings: marked.headings,
        words: marked.words,
        ideographs: marked.ideographs,
        author: None,
        image,
        tags,
        draft: false,
        publish_at: None,
        expires_at: None,
        added,
        html_budget: None,
        origin: Origin::Address(named.place.clone()),
        parts: Vec::new(),
        fingerprints: Fingerprints::default(),
    };
    (post, wanted, problems)
}

/// The fields that the site adds. A value that does not fit its type is reported, and left out.
fn added(
    raw: &RawPost,
    fields: &'static Block,
    place: &str,
    report: &mut dyn FnMut(String),
) -> Option<Box<Added>> {
    let mut values = Map::new();
    for field in raw::filled(fields) {
        let Some(value) = raw.fields.get(field.name) else {
            if field.absent().is_none() {
                report(format!("the field `{}` is missing", field.name));
            }
            continue;
        };
        let source = Arc::new(Source::new(
            place.to_owned(),
            json!({field.name: raw::written(field, value)}).to_string(),
        ));
        let mut found = Problems::new();
        match yaml::parse(&source, 0..source.text.len()) {
            Ok(node) => {
                let read = Each::read(&source, node, fields, &[], &mut found).rest();
                values.extend(read.into_iter().filter(|_| found.is_empty()));
            }
            Err(problem) => found.push(problem),
        }
        for problem in &found {
            report(format!("the field `{}`: {}", field.name, problem.message));
        }
    }
    Added::new(fields, values, "")
}

/// The beginning of a text, with an ellipsis if it has more characters.
fn cut(text: String, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text,
    }
}

fn picture_address(base: &Url, src: &str) -> Option<String> {
    let url = base.join(src).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.to_string())
}

/// The summary of an editor or WordPress as plain text, without the ellipsis at its end.
fn summary(html: Option<&str>) -> Option<String> {
    let text = plain_text(html?);
    let text = text
        .trim_end_matches("[…]")
        .trim_end_matches("[...]")
        .trim_end();
    if text.chars().count() > MAX_EXCERPT_CHARS {
        return excerpt(text);
    }
    (!text.is_empty()).then(|| text.to_owned())
}

/// The author, and the URL of the portrait.
fn author(raw: &RawAuthor, base: &Url) -> Option<(Author, Option<String>)> {
    let name = raw
        .name
        .as_deref()
        .map(|name| cut(plain_text(name), MAX_NAME))
        .filter(|name| !name.is_empty());
    let slug = raw
        .slug
        .as_deref()
        .and_then(Slug::of)
        .or_else(|| Slug::of(name.as_deref()?))?
        .into_string();
    let avatar = raw
        .avatar
        .as_deref()
        .and_then(|avatar| picture_address(base, avatar));
    let name = name.unwrap_or_else(|| slug.clone());
    let author = Author {
        slug,
        name,
        role: Localized::default(),
        description: Localized::default(),
        avatar: None,
    };
    Some((author, avatar))
}

#[cfg(test)]
mod tests {
    use super::{is_same, summary, usable_slug};

    fn check(written: &str, expect: Option<&str>) {
        assert_eq!(usable_slug(written).as_deref(), expect, "{written}");
    }

    #[test]
    fn slugs_of_the_cms_are_made_valid() {
        check("devops-2", Some("devops-2"));
        check("Upper-Case", Some("upper-case"));
        check("a%2Fb", Some("a-b"));
        check("../etc", Some("-etc"));
        check("", None);
        check("dise%C3%B1o-y-c%C3%B3digo", Some("diseño-y-código"));
        check("tag", None);
    }

    #[test]
    fn an_encoded_slug_equals_the_decoded_one() {
        assert!(
            is_same("dise%c3%b1o", "diseño")
                && is_same("diseño", "diseño")
                && !is_same("Diseño", "diseño")
        );
    }

    #[test]
    fn the_ellipsis_of_a_summary_is_removed() {
        assert_eq!(
            summary(Some("<p>One &amp; two [&hellip;]</p>")).as_deref(),
            Some("One & two")
        );
        assert_eq!(summary(Some("<script>x</script>")), None);
    }
}
