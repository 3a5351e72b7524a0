//! Fallbacks in lists and feeds for a missing title or author. The page of a post has its own fallbacks, in its
//! template.

use config::SiteSettings;
use content::blog::Post;
use languages::locale::{self, Word};
use site::model::Site;

/// An interface text in the post's language, with the product's name filled in.
fn word(site: &Site, post: &Post, key: Word, product: &str) -> String {
    let own = &site.locales[site.locale_index(&post.locale)];
    let pattern = own.own_word(key, &site.locales[0]).unwrap_or_default();
    locale::fill(pattern, |name| {
        (name == "product").then(|| product.to_owned())
    })
    .unwrap_or_default()
}

/// The title, or the interface text `untitled_post`.
pub(super) fn title(site: &Site, post: &Post) -> String {
    post.title
        .clone()
        .unwrap_or_else(|| word(site, post, Word::UntitledPost, ""))
}

/// The author's name, or the interface text `team`.
pub(super) fn author(settings: &SiteSettings, site: &Site, post: &Post) -> String {
    let known = post
        .author
        .as_deref()
        .and_then(|slug| site.blog.author(slug));
    known.map_or_else(
        || {
            word(
                site,
                post,
                Word::Team,
                &settings.in_language(&post.locale).product.name,
            )
        },
        |author| author.name.clone(),
    )
}
