//! What lists and feeds say in the place of what a post lacks. The page of a post has words of its own for it, in its
//! template.

use crate::config::Config;
use crate::content::blog::Post;
use crate::locale;
use crate::model::Site;

/// A word in the post's language, with the product's name.
fn word(site: &Site, post: &Post, key: &str, product: &str) -> String {
    let own = &site.locales[site.locale_index(&post.locale)];
    let pattern = own.word(key, &site.locales[0]).unwrap_or_default();
    locale::fill(pattern, |name| (name == "product").then(|| product.to_owned())).unwrap_or_default()
}

/// The title, or that there is none.
pub(super) fn title(site: &Site, post: &Post) -> String {
    post.title.clone().unwrap_or_else(|| word(site, post, "untitled_post", ""))
}

/// The author's name; a post without an author is the team's.
pub(super) fn author(config: &Config, site: &Site, post: &Post) -> String {
    let known = post.author.as_deref().and_then(|slug| site.blog.author(slug));
    known.map_or_else(|| word(site, post, "team", &config.site.product.name), |author| author.name.clone())
}
