//! Publishes the page of one edited post early, before the build, so that its author sees it in about 25 ms regardless
//! of the size of the site.
//!
//! `serve` keeps the [`Plan`] of its last build. If a save changed only the text of one post, its page is rendered from
//! that plan and published. A change that other pages show as well (title, excerpt, tags, picture), an unknown link,
//! and every other problem are left to the build, so that only the build reports problems. The build follows as soon
//! as saves pause, and normally finds nothing left to write.

use std::path::Path;
use std::sync::Arc;

use crate::publish;
use site::config::Config;
use site::content::blog::Post;
use site::files::FileLock;
use site::model::{BlogPage, Body};
use site::routes::{Route, file_of};

use super::{LOCK, Plan};

impl Plan {
    /// Publishes the page of the post in `file`. Returns false and changes nothing if more than the text of the post
    /// may have changed, if it has a problem, or if another build is running: then a full build is needed.
    pub fn publish_post(&mut self, config: &Config, file: &Path) -> bool {
        let lock = FileLock::try_take(&config.paths.cache.join(LOCK));
        matches!(lock, Ok(Some(_))) && self.try_publish_post(config, file).is_some()
    }

    fn try_publish_post(&mut self, config: &Config, file: &Path) -> Option<()> {
        let (index, post) = self.site.blog.content.reread(config, &self.content.images, file)?;
        let is_post = |body: Body| body == Body::Blog(BlogPage::Post(index));
        let at = self.site.pages.iter().position(|page| is_post(page.body))?;
        let known = self.site.blog.post(index);
        // Sections of the site have pictures and links of their own.
        let has_parts = !known.parts.is_empty() || !post.parts.is_empty();
        if has_parts || !known.has_same_summary(&post) || !self.links_are_alive(at, &post) {
            return None;
        }
        self.site.pages[at].anchors = post.body.links().anchors.to_vec();
        let posts = &mut Arc::get_mut(&mut self.site.blog.content)?.posts;
        posts[index] = post;
        let (html, sheets) = self.render_page(config, at).ok()?;
        // A style sheet that no page has used so far is published by a full build.
        let is_published = |path: &str| config.paths.out.join(path).is_file();
        let page = &self.site.pages[at];
        let is_canonical = matches!(self.routes.get(&page.path), Some(Route::Page { page, .. }) if *page == at);
        if !is_canonical || !sheets.iter().all(|sheet| is_published(&sheet.path)) {
            return None;
        }
        publish::replace_file(config, &file_of(&page.path), html.as_bytes()).ok().flatten()
    }

    fn links_are_alive(&self, at: usize, post: &Post) -> bool {
        let page = &self.site.pages[at];
        let locale = self.site.locale_index(&page.locale);
        // An anchor on the page itself may be new: a full build looks it up.
        let is_alive = |to: &str| !to.starts_with('#') && self.routes.resolve(&self.site, to, locale, None).is_ok();
        post.links().all(|target| is_alive(&target.to))
    }
}
