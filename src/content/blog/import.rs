//! Posts of a CMS into posts of this site. A fault in one of them is reported, and what the reader then sees instead is
//! the fallback of the page; only what cannot be shown at all is left out.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use percent_encoding::percent_decode_str;
use rayon::prelude::*;
use reqwest::Url;

use crate::config::Config;
use crate::content::rich::{InlinePicture, Marked, Target};
use crate::content::sanitize::{self, plain_text};
use crate::content_types::{DateTime, Localized, Slug};
use crate::files::TEXT_LIMIT;
use diagnostics::problem::{Code, Place, Problem, Problems, Span};

use super::raw::{RawAuthor, RawPost};
use super::snapshot::Posts;
use super::{Author, Body, Fingerprints, Origin, Post, PostImage, RESERVED, excerpt};

/// Longer summaries are cut: a card has three lines.
const EXCERPT_LETTERS: usize = 300;

/// What was made of a snapshot. Pictures still have the addresses of the CMS.
#[derive(Default)]
pub(super) struct Imported {
    pub posts: Vec<Post>,
    pub authors: BTreeMap<String, Author>,
    /// Addresses of pictures, each with the place that names it first.
    pub wanted: BTreeMap<String, String>,
}

/// A post with its slug and key.
struct NamedPost<'a> {
    raw: &'a RawPost,
    locale: &'a str,
    slug: String,
    key: String,
    /// The place that problems name.
    place: String,
}

/// Makes posts. `base` is the address of the CMS, against which addresses are read.
pub(super) fn import(config: &Config, posts: &Posts, base: &Url) -> (Imported, Problems) {
    let mut problems = Problems::new();
    let mut named: Vec<NamedPost> = Vec::new();
    for (locale, posts) in posts {
        let mut slugs = BTreeSet::new();
        named.extend(posts.iter().filter_map(|raw| name(locale, raw, base, &mut slugs, &mut problems)));
    }
    link_translations(config, &mut named);
    let addresses = addresses(&named, base);
    let made: Vec<(Post, Vec<String>, Problems)> = named.par_iter().map(|post| make(post, base, &addresses)).collect();
    let mut imported = Imported::default();
    for (named, (mut post, pictures, found)) in named.iter().zip(made) {
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

/// Gives a post its slug; none when it cannot be shown.
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
        report(format!("post {} has the slug of another one, `{own}`", raw.id));
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
    let halves = [&raw.title, &raw.content, &raw.excerpt].into_iter().flatten();
    if halves.clone().any(|text| text.contains(char::REPLACEMENT_CHARACTER)) {
        report(format!(
            "post {} `{own}` holds a damaged character, shown as `{}`",
            raw.id,
            char::REPLACEMENT_CHARACTER
        ));
    }
    for (is_missing, what) in [
        (raw.title.is_none(), "title"),
        (raw.date.as_deref().and_then(DateTime::parse_local).is_none(), "date that can be read"),
        (raw.author.is_none(), "author"),
        (raw.content.is_none(), "text"),
    ] {
        if is_missing {
            report(format!("post {} `{own}` has no {what}", raw.id));
        }
    }
    Some(NamedPost { raw, locale, key: own.clone(), slug: own, place })
}

/// The slug of a post; none when the name has none, or when the address means something else.
fn usable_slug(written: &str) -> Option<String> {
    Slug::of(written).map(Slug::into_string).filter(|slug| !RESERVED.contains(&slug.as_str()))
}

/// Whether a slug of the CMS is the one in the address, written out or percent-encoded.
fn is_same(written: &str, slug: &str) -> bool {
    percent_decode_str(written).decode_utf8().is_ok_and(|decoded| decoded == slug)
}

/// Translations get one key: the slug of the one in the first language that has it.
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
        let tied = post
            .raw
            .key
            .as_deref()
            .and_then(Slug::of)
            .map(Slug::into_string)
            .or_else(|| first.map(|(_, slug)| slug.clone()));
        if let Some(key) = tied.filter(|key| !key.is_empty()) {
            post.key = key;
        }
        if !taken.insert((post.locale, post.key.clone())) {
            post.key = format!("{}-{}", post.slug, post.locale);
        }
    }
}

/// Where addresses of the CMS lead on this site: to posts, tags and authors.
fn addresses(named: &[NamedPost], base: &Url) -> HashMap<String, String> {
    let mut addresses = HashMap::new();
    let mut add = |link: &str, key: String| {
        if let Ok(url) = base.join(link) {
            addresses.insert(comparable(&url), format!("page:blog/{key}"));
        }
    };
    // Most posts share their tags and authors, and each name is HTML to be parsed.
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
    // Last, so that nothing takes the address of a post.
    for post in named {
        post.raw.link.iter().for_each(|link| add(link, post.key.clone()));
    }
    addresses
}

/// An address without what does not change where it leads.
fn comparable(url: &Url) -> String {
    format!("{}{}", url.host_str().unwrap_or_default(), url.path().trim_end_matches('/'))
}

fn make(named: &NamedPost, base: &Url, addresses: &HashMap<String, String>) -> (Post, Vec<String>, Problems) {
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
        report(format!("{without_alt} of its pictures do not say what they show (`alt`)"));
    }
    let image = raw.image.as_ref().and_then(|image| {
        let src = picture_address(&base, &image.src)?;
        if image.alt.is_none() {
            report("the picture above it does not say what it shows (`alt`)".into());
        }
        wanted.push(src.clone());
        // The media library keeps it as plain text, whatever signs it holds.
        let words = image.alt.as_deref().unwrap_or_default().split_whitespace();
        let alt = words.collect::<Vec<_>>().join(" ");
        Some(PostImage { src, alt, span: Span::default() })
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

/// What an editor or WordPress wrote as a summary.
fn summary(html: Option<&str>) -> Option<String> {
    let text = plain_text(html?);
    let text = text.trim_end_matches("[…]").trim_end_matches("[...]").trim_end();
    if text.chars().count() > EXCERPT_LETTERS {
        return excerpt(text);
    }
    (!text.is_empty()).then(|| text.to_owned())
}

/// The author, and where the portrait is.
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
    fn a_slug_becomes_one_that_can_stand_in_an_address() {
        check("devops-2", Some("devops-2"));
        check("Upper-Case", Some("upper-case"));
        check("a%2Fb", Some("a-b"));
        check("../etc", Some("-etc"));
        check("", None);
        check("dise%C3%B1o-y-c%C3%B3digo", Some("diseño-y-código"));
        check("tag", None);
    }

    #[test]
    fn a_slug_that_is_only_encoded_is_no_other_one() {
        assert!(is_same("dise%c3%b1o", "diseño") && is_same("diseño", "diseño") && !is_same("Diseño", "diseño"));
    }

    #[test]
    fn a_summary_ends_as_a_sentence_or_with_dots() {
        assert_eq!(summary(Some("<p>One &amp; two [&hellip;]</p>")).as_deref(), Some("One & two"));
        assert_eq!(summary(Some("<script>x</script>")), None);
    }
}
