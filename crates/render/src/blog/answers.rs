//! Posts as the API returns them, with texts, addresses and pictures as they are published.

use std::collections::BTreeMap;
use std::sync::Weak;

use crate::Inputs;
use crate::drawn;
use crate::post_views::PostViews;
use crate::values::Values;
use api_types::posts::{
    Author, AvatarUrls, FeaturedImage, ImageSource, MediaDetails, Post, Size, Sizes,
};
use diagnostics::problem::Problem;
use site::model::Page;
use site::model::blog::{post_key, tag_slug};
use workspace::parallel;

/// The minimum width of a card's picture, in pixels.
const CARD_WIDTH: u32 = 768;

/// The posts of a language, in the order of its list.
#[derive(Debug)]
pub struct LanguagePosts {
    /// Its code.
    pub locale: String,
    /// Its BCP 47 tag.
    pub language: String,
    /// Names of all its tags.
    pub categories: Vec<String>,
    /// Each post with its body, and the slugs of its tags.
    pub posts: Vec<(Post, Vec<String>)>,
}

/// The posts of all languages, in the order of the settings. An error if the source file of a post cannot be read
/// again.
pub fn posts(inputs: &Inputs) -> Result<Vec<LanguagePosts>, Problem> {
    let site = inputs.site;
    // Rendering has reported the problem.
    let (shared, _) = PostViews::new(site);
    let pages: BTreeMap<(&str, usize), &Page> = site
        .pages
        .iter()
        .filter_map(|page| Some(((page.locale.as_str(), page.body.post()?), page)))
        .collect();
    site.locales
        .iter()
        .enumerate()
        .map(|(locale, about)| {
            let language = site.blog.languages.get(&about.code);
            let places = language.map_or(&[] as &[usize], |language| &language.posts);
            let post = |index: &usize| {
                let Some(page) = pages.get(&(about.code.as_str(), *index)) else {
                    return Ok(None);
                };
                let Inputs {
                    settings,
                    routes,
                    manifest,
                    ..
                } = *inputs;
                let settings = settings.in_language(&about.code);
                let values = Values {
                    settings,
                    site,
                    routes,
                    manifest,
                    shared: &shared,
                    entries: Weak::new(),
                    locale,
                    page,
                };
                let content = values.html(&*site.blog.post(*index).text(settings)?);
                let post = Post {
                    content,
                    ..post(&values, *index)
                };
                Ok(Some((
                    post,
                    site.blog
                        .post(*index)
                        .tags
                        .iter()
                        .map(|tag| tag_slug(tag))
                        .collect(),
                )))
            };
            Ok(LanguagePosts {
                locale: about.code.clone(),
                language: about.language.clone(),
                categories: language
                    .into_iter()
                    .flat_map(|own| &own.tags)
                    .map(|tag| tag.name.clone())
                    .collect(),
                posts: parallel::map(places, post)
                    .into_iter()
                    .filter_map(Result::transpose)
                    .collect::<Result<_, _>>()?,
            })
        })
        .collect()
}

/// The post at an index, without its body.
pub(super) fn post(values: &Values, index: usize) -> Post {
    let post = values.site.blog.post(index);
    let image = image(values, index);
    Post {
        id: post.id.clone(),
        key: post.key.clone(),
        title: post.title.clone().unwrap_or_default(),
        slug: post.slug.clone(),
        link: values.link(&format!("page:{}", post_key(&post.key))).href,
        date: post.date.map(|date| date.local().to_string()),
        modified: post.modified.map(|date| date.local().to_string()),
        content: String::new(),
        excerpt: post.excerpt.clone().unwrap_or_default(),
        author: author(values, index),
        cover: image.is_none().then(|| {
            values
                .shared
                .covers
                .draw(&post.id, &drawn::colors(values.manifest))
                .address(values.settings)
        }),
        featured_image: image,
        tags: post.tags.clone(),
    }
}

fn author(values: &Values, index: usize) -> Author {
    let blog = &values.site.blog;
    let known = blog
        .post(index)
        .author
        .as_deref()
        .and_then(|slug| blog.author(slug));
    let description = known.and_then(|author| author.description.get(&values.page.locale));
    let avatar = known.and_then(|author| values.manifest.images.get(author.avatar.as_ref()?));
    Author {
        name: known.map(|author| author.name.clone()).unwrap_or_default(),
        slug: known.map(|author| author.slug.clone()).unwrap_or_default(),
        description: description.cloned().unwrap_or_default(),
        avatar_urls: AvatarUrls {
            large: avatar.map(|avatar| avatar.src.clone()).unwrap_or_default(),
        },
    }
}

fn image(values: &Values, index: usize) -> Option<FeaturedImage> {
    let image = values.site.blog.post(index).image.as_ref()?;
    let prepared = values.manifest.images.get(&image.src)?;
    // Every browser that runs the site's scripts supports WebP.
    let webp = prepared
        .sources
        .iter()
        .find(|(mime, _)| *mime == "image/webp");
    let files: Vec<(&str, u32)> = webp
        .into_iter()
        .flat_map(|(_, srcset)| srcset.split(", "))
        .filter_map(candidate)
        .collect();
    let size = |file: Option<&(&str, u32)>| {
        file.map(|(address, _)| Size {
            source_url: (*address).to_owned(),
        })
    };
    let card = files
        .iter()
        .find(|(_, width)| *width >= CARD_WIDTH)
        .or(files.last());
    let file = values.site.images.get(&image.src).map(|used| &used.file);
    let (width, height) = prepared
        .size
        .or(file.map(|file| (file.width, file.height)))
        .unwrap_or_default();
    Some(FeaturedImage {
        source_url: prepared.src.clone(),
        alt_text: image.alt.clone(),
        media_details: MediaDetails {
            width,
            height,
            sources: prepared
                .sources
                .iter()
                .map(|(mime, srcset)| ImageSource {
                    mime: (*mime).to_owned(),
                    srcset: srcset.clone(),
                })
                .collect(),
            sizes: Sizes {
                medium_large: size(card),
                large: size(files.last()),
            },
        },
        focus: image.focus.map(Into::into),
    })
}

/// Parses a candidate of a `srcset`: its address and its width in pixels.
fn candidate(part: &str) -> Option<(&str, u32)> {
    let (address, width) = part.rsplit_once(' ')?;
    Some((address, width.strip_suffix('w')?.parse().ok()?))
}
