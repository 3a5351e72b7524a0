//! Converts posts of a CMS. Invalid or missing values are reported, and pages show a fallback; only posts that cannot
//! be shown at all are skipped.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use percent_encoding::percent_decode_str;
use reqwest::Url;

use crate::config::Config;
use crate::content::rich::{InlinePicture, Marked, Target};
use crate::content::sanitize::{self, plain_text};
use crate::content_types::{DateTime, Localized, Slug};
use crate::files::TEXT_LIMIT;
use crate::parallel;
use diagnostics::problem::{Code, Place, Problem, Problems, Span};

use super::raw::{RawAuthor, RawPost};
use super::snapshot::Posts;
use super::{Author, Body, Fingerprints, Origin, Post, PostImage, RESERVED, excerpt};

/// Maximum length of a summary, in characters: a card has three lines.
const MAX_EXCERPT_CHARS: usize = 300;

/// Converted posts. Pictures still have the URLs of the CMS.
#[derive(Default)]
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

/// Converts posts. `base` is the URL of the CMS, to resolve relative URLs.
pub(super) fn import(config: &Config, posts: &Posts, base: &Url) -> (Imported, Problems) {
    let mut problems = Problems::new();
    let mut named: Vec<NamedPost> = Vec::new();
    for (locale, posts) in posts {
        let mut slugs = BTreeSet::new();
        named.extend(posts.iter().filter_map(|raw| name(locale, raw, base, &mut slugs, &mut problems)));
    }
    link_translations(config, &mut named);
    let addresses = addresses(&named, base);
    let converted: Vec<(Post, Vec<String>, Problems)> = parallel::map(&named, |post| convert(post, base, &addresses));
    let mut imported = Imported::default();
    for (named, (mut post, pictures, found)) in named.iter().zip(converted) {
        problems.extend(found);
        let mut want = |url: String| {
            imported.wanted.entry(url).or_insert_with(|| named.place.clone());
        };
        pictures.into_iter().for_each(&mut want);
        if let Some((author, avatar)) = named.raw.author.as_ref().and_then(|raw| author(raw, base)) {
            avatar.clone().into_iter().for_each(&mut want);
            post.author = Some(author.slug.clone());
            let known = imported.authors.entry(author.slug.clone()).or_insert(author);
            known.avatar = known.avatar.take().or(avatar);
            if let Some(text) = named.raw.author.as_ref().and_then(|raw| raw.description.as_deref()) {
                known.description.0.entry(named.locale.to_owned()).or_insert_with(|| plain_text(text));
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
    slugs: &mut BTreeSet<String>,
    problems: &mut Problems,
) -> Option<NamedPost<'a>> {
    let place = raw.link.clone().unwrap_or_else(|| base.to_string());
    let mut report = |message: String| problems.push(fault(&place, message));
    if raw.id.is_empty() {
        report("a post without an id is left out".into());
        return None;
    }
    if raw.content.as_ref().is_some_and(|content| content.len() as u64 > TEXT_LIMIT) {
        report(format!("post {} is left out: its text has more than {} MB", raw.id, TEXT_LIMIT / 1_000_000));
        return None;
    }
    let id = Slug::or_hash(&raw.id, "id");
    let fallback = format!("post-{id}");
    let written = raw.slug.as_deref().unwrap_or_default();
    let mut own = usable_slug(written).unwrap_or_else(|| fallback.clone());
    if slugs.contains(&own) {
        report(format!("post {} has the same slug as another post, `{own}`", raw.id));
        own = Slug::or_hash(&format!("{own}-{id}"), "post").into_string();
    } else if !is_same(written, &own) {
        let what = if written.is_empty() { "no slug".to_owned() } else { format!("the slug `{written}`") };
        report(format!("post {} has {what}; its address ends in `{own}`", raw.id));
    }
    if !slugs.insert(own.clone()) {
        report(format!("post {} is left out: its address is taken", raw.id));
        return None;
    }
    raw.faults.iter().for_each(|what| report(format!("post {} `{own}`: {what}", raw.id)));
    let texts = [&raw.title, &raw.content, &raw.excerpt].into_iter().flatten();
    if texts.clone().any(|text| text.contains(char::REPLACEMENT_CHARACTER)) {
        report(format!(
            "post {} `{own}` contains an invalid character, shown as `{}`",
            raw.id,
            char::REPLACEMENT_CHARACTER
        ));
    }
    for (is_missing, what) in [
        (raw.title.is_none(), "title"),
        (raw.date.as_deref().and_then(DateTime::parse_local).is_none(), "date that can be parsed"),
        (raw.author.is_none(), "author"),
        (raw.content.is_none(), "text"),
    ] {
        if is_missing {
            report(format!("post {} `{own}` has no {what}", raw.id));
        }
    }
    Some(NamedPost { raw, locale, key: own.clone(), slug: own, place })
}

/// The slug of a post; `None` if no valid character is left or the slug is reserved.
fn usable_slug(written: &str) -> Option<String> {
    Slug::of(written).map(Slug::into_string).filter(|slug| !RESERVED.contains(&slug.as_str()))
}

/// Whether a slug of the CMS, decoded or percent-encoded, equals the slug in the URL.
fn is_same(written: &str, slug: &str) -> bool {
    percent_decode_str(written).decode_utf8().is_ok_and(|decoded| decoded == slug)
}

/// Gives translations the same key: the slug of the translation in the first locale.
fn link_translations(config: &Config, named: &mut [NamedPost]) {
    let order = |locale: &str| config.site.locales.iter().position(|code| code.value == locale);
    let slugs: HashMap<(&str, String), (Option<usize>, String)> = named
        .iter()
        .map(|post| ((post.locale, post.raw.id.clone()), (order(post.locale), post.slug.clone())))
        .collect();
    let locales: BTreeSet<&str> = named.iter().map(|post| post.locale).collect();
    let mut taken = BTreeSet::new();
    for post in named {
        let others =
            post.raw.translations.iter().flat_map(|id| locales.iter().map(move |locale| (*locale, id.clone())));
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
fn addresses(named: &[NamedPost], base: &Url) -> HashMap<String, String> {
    let mut addresses = HashMap::new();
    let mut add = |link: &str, key: String| {
        if let Ok(url) = base.join(link) {
            addresses.insert(comparable(&url), format!("page:blog/{key}"));
        }
    };
    // Most posts share tags and authors, and parsing each name as HTML is expensive.
    let mut seen = HashSet::new();
    for post in named {
        for (link, name) in post.raw.tag_links.iter().filter(|(link, _)| seen.insert(link.as_str())) {
            let name = plain_text(name);
            if !name.is_empty() {
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
        post.raw.link.iter().for_each(|link| add(link, post.key.clone()));
    }
    addresses
}

/// A URL without scheme, port, query and trailing slash, for comparison.
fn comparable(url: &Url) -> String {
    format!("{}{}", url.host_str().unwrap_or_default(), url.path().trim_end_matches('/'))
}

fn convert(named: &NamedPost, base: &Url, addresses: &HashMap<String, String>) -> (Post, Vec<String>, Problems) {
    let raw = named.raw;
    let mut problems = Problems::new();
    let mut wanted = Vec::new();
    let base = raw.link.as_deref().and_then(|link| base.join(link).ok()).unwrap_or_else(|| base.clone());
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
        Some(Target { to, span: Span::default() })
    };
    let mut picture = |src: &str, alt: Option<&str>| {
        let url = picture_address(&base, src)?;
        without_alt += usize::from(alt.is_none());
        wanted.push(url.clone());
        Some(InlinePicture { src: url, alt: alt.unwrap_or_default().to_owned(), span: Span::default() })
    };
    let open = sanitize::Open { link: &mut link, picture: &mut picture, shortcodes: true };
    let marked = Marked { html: raw.content.clone().unwrap_or_default(), ..Marked::default() };
    let marked = sanitize::clean(marked, open);
    let mut report = |what: String| {
        problems.push(fault(&named.place, format!("post {} `{}`: {what}", raw.id, named.slug)));
    };
    if without_alt > 0 {
        report(format!("{without_alt} of its pictures have no alternative text (`alt`)"));
    }
    let image = raw.image.as_ref().and_then(|image| {
        let src = picture_address(&base, &image.src)?;
        if image.alt.is_none() {
            report("its featured image has no alternative text (`alt`)".into());
        }
        wanted.push(src.clone());
        // Plain text in the media library: `<` and `&` need no decoding.
        let words = image.alt.as_deref().unwrap_or_default().split_whitespace();
        let alt = words.collect::<Vec<_>>().join(" ");
        Some(PostImage { src, alt, focus: None, span: Span::default() })
    });
    let mut tags: Vec<String> = Vec::new();
    for tag in raw.tags.iter().map(|tag| plain_text(tag)).filter(|tag| !tag.is_empty()) {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    let date = |text: &Option<String>| text.as_deref().and_then(DateTime::parse_local);
    let post = Post {
        id: raw.id.clone(),
        key: named.key.clone(),
        locale: named.locale.to_owned(),
        slug: named.slug.clone(),
        title: raw.title.as_deref().map(plain_text).filter(|title| !title.is_empty()),
        date: date(&raw.date),
        modified: date(&raw.modified),
        body: Body::read(marked.finish()),
        excerpt: summary(raw.excerpt.as_deref()).or_else(|| excerpt(&marked.lead)),
        headings: marked.headings,
        words: marked.words,
        author: None,
        image,
        tags,
        draft: false,
        publish_at: None,
        expires_at: None,
        origin: Origin::Address(named.place.clone()),
        fingerprints: Fingerprints::default(),
    };
    (post, wanted, problems)
}

fn picture_address(base: &Url, src: &str) -> Option<String> {
    let url = base.join(src).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.to_string())
}

/// The summary of an editor or WordPress as plain text, without the ellipsis at its end.
fn summary(html: Option<&str>) -> Option<String> {
    let text = plain_text(html?);
    let text = text.trim_end_matches("[…]").trim_end_matches("[...]").trim_end();
    if text.chars().count() > MAX_EXCERPT_CHARS {
        return excerpt(text);
    }
    (!text.is_empty()).then(|| text.to_owned())
}

/// The author, and the URL of the portrait.
fn author(raw: &RawAuthor, base: &Url) -> Option<(Author, Option<String>)> {
    let name = raw.name.as_deref().map(plain_text).filter(|name| !name.is_empty());
    let slug = raw.slug.as_deref().and_then(Slug::of).or_else(|| Slug::of(name.as_deref()?))?.into_string();
    let avatar = raw.avatar.as_deref().and_then(|avatar| picture_address(base, avatar));
    let name = name.unwrap_or_else(|| slug.clone());
    let author = Author { slug, name, role: Localized::default(), description: Localized::default(), avatar: None };
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
        assert!(is_same("dise%c3%b1o", "diseño") && is_same("diseño", "diseño") && !is_same("Diseño", "diseño"));
    }

    #[test]
    fn the_ellipsis_of_a_summary_is_removed() {
        assert_eq!(summary(Some("<p>One &amp; two [&hellip;]</p>")).as_deref(), Some("One & two"));
        assert_eq!(summary(Some("<script>x</script>")), None);
    }
}
