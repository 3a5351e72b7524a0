//! A post as the API tells it: the same value in a page's props and in the index that the API answers from.

use crate::model::fields::Picture;
use crate::render::context::Values;
use crate::routes::encoded;
use crate::wire::posts::{Author, AvatarUrls, FeaturedImage, ImageSource, MediaDetails, Post, Size, Sizes};

use super::drawn;

/// The widths, in CSS pixels, of the forms for a card and for the head of a post.
const MEDIUM_LARGE: &str = "768w";
const LARGE: &str = "1200w";

/// The post at a position, without its text.
pub(super) fn answer(values: &Values, index: usize) -> Post {
    let blog = &values.site.blog;
    let post = blog.post(index);
    let author = post.author.as_deref().and_then(|slug| blog.author(slug));
    let image = post.image.as_ref().filter(|image| values.site.images.contains_key(&image.src));
    let featured = image.map(|image| featured(values, &Picture { src: image.src.clone(), alt: image.alt.clone() }));
    let base = super::language(values).map_or("/", |language| &values.site.pages[language.list.0].path.value);
    let colours = drawn::colours(values.manifest);
    Post {
        id: post.id.clone(),
        key: post.key.clone(),
        title: post.title.clone().unwrap_or_default(),
        slug: post.slug.clone(),
        link: encoded(&format!("{base}{}/", post.slug)),
        modified: post.modified.map(|date| date.to_string()),
        date: post.date.map(|date| date.to_string()),
        content: String::new(),
        excerpt: post.excerpt.clone().unwrap_or_default(),
        author: author.map_or_else(Author::default, |author| Author {
            name: author.name.clone(),
            slug: author.slug.clone(),
            description: author.description.get(&values.page.locale).cloned().unwrap_or_default(),
            avatar_urls: AvatarUrls { large: super::portrait_address(values, author) },
        }),
        placeholder_image: if featured.is_some() { String::new() } else { drawn::cover(&post.id, &colours).address() },
        featured_image: featured,
        tags: post.tags.clone(),
    }
}

/// A picture in the forms that the build made of it. Vector art has one form, and its drawing's size.
fn featured(values: &Values, picture: &Picture) -> FeaturedImage {
    let prepared = values.manifest.images.get(&picture.src).cloned().unwrap_or_default();
    let file = values.site.images.get(&picture.src).map(|image| &image.file);
    let (width, height) = prepared.size.or(file.map(|file| (file.width, file.height))).unwrap_or_default();
    let source = |(mime, srcset): &(&str, String)| ImageSource { mime: (*mime).to_owned(), srcset: srcset.clone() };
    let sources: Vec<ImageSource> = prepared.sources.iter().map(source).collect();
    let form = |width: &str| {
        let parts = sources.iter().filter(|source| source.mime == "image/webp").flat_map(|s| s.srcset.split(", "));
        let found = parts.filter_map(|part| part.rsplit_once(' ')).find(|(_, of)| *of == width);
        found.map(|(address, _)| Size { source_url: address.to_owned() })
    };
    let sizes = Sizes { medium_large: form(MEDIUM_LARGE), large: form(LARGE) };
    FeaturedImage {
        source_url: prepared.src.clone(),
        alt_text: picture.alt.clone(),
        media_details: MediaDetails { width, height, sources, sizes },
    }
}
