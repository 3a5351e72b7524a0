//! Renders one page again with every text marked by where it is written, so that the preview knows the source of what is
//! clicked. Texts are marked when they are read; templates, Markdown and islands pass the marks on.
//!
//! The site is read and resolved once more for this, apart from posts, pictures and assets. A build is not involved: its
//! settings have no marks, so its pages have none.

use std::collections::BTreeMap;
use std::sync::Arc;

use assets::islands::Prerenderer;
use config::Config;
use content::blog::split_front_matter;
use content::origins;
use diagnostics::marks::{self, TextOrigin};
use diagnostics::problem::{Place, Problems, Source, Span};
use diagnostics::yaml::{self, Node, Value};
use site::model::blog::tag_slug;
use site::model::{self, Site};
use site::routes::{self, Route, Routes};

use super::Plan;

/// A site whose texts are marked.
pub struct MarkedSite {
    config: Config,
    site: Site,
    routes: Routes,
    islands: Arc<Prerenderer>,
}

/// The cache of the islands of marked pages, in the cache folder. It ends with the site: marks have other numbers then.
const FOLDER: &str = "marked";

impl Drop for MarkedSite {
    fn drop(&mut self) {
        // A folder that is left costs a few kilobytes, and is removed the next time.
        let _ = fs_err::remove_dir_all(self.config.paths.cache.join(FOLDER));
    }
}

impl std::fmt::Debug for MarkedSite {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("MarkedSite").finish_non_exhaustive()
    }
}

/// A page whose texts are marked.
#[derive(Debug)]
pub struct MarkedPage {
    /// Its HTML. Without the marks, it is that of the published page.
    pub html: String,
    /// Where the texts are written, by the numbers of their marks.
    pub places: BTreeMap<u32, Place>,
}

impl Plan {
    /// Reads the site again with marks.
    pub fn marked(&self, config: &Config) -> MarkedSite {
        let config = config.marked(&config.paths.cache.join(FOLDER), &origins::mark_tree);
        let content = self.content.marked(&config, &self.site.blog.content);
        // Problems were reported by the build.
        let (mut site, _) = model::resolve(&config.site, &content);
        if let Some(marks) = &config.site.marks {
            for tag in site
                .blog
                .languages
                .values_mut()
                .flat_map(|language| &mut language.tags)
            {
                tag.name = marks.marked(TextOrigin::Tag(tag.slug.clone()), &tag.name);
            }
        }
        let (routes, _) = routes::plan(&config.site, &site);
        let islands = Arc::new(Prerenderer::new(
            &config,
            &self.manifest.islands,
            &site.locales,
        ));
        MarkedSite {
            config,
            site,
            routes,
            islands,
        }
    }
}

impl MarkedSite {
    /// The page at an address, rendered with the assets of the plan that this site was made from.
    ///
    /// # Errors
    /// There is no page, or it could not be rendered.
    pub fn page(&self, plan: &Plan, address: &str) -> Result<MarkedPage, Problems> {
        let Some(Route::Page { page, .. }) = self.routes.get(address) else {
            return Err(Problems::new());
        };
        let (html, _) =
            plan.render_page_of(&self.config, &self.site, &self.routes, &self.islands, *page)?;
        let table = self.config.site.marks.as_ref();
        let places = marks::numbers(&html)
            .filter_map(|number| Some((number, self.place(*page, &table?.origin(number)?)?)))
            .collect();
        Ok(MarkedPage { html, places })
    }

    fn place(&self, page: usize, origin: &TextOrigin) -> Option<Place> {
        match origin {
            TextOrigin::Written(..) => origin.place(),
            TextOrigin::Key { path, keys } => Some(self.place_of_key(path, |node| {
                keys.iter()
                    .try_fold(node, |node, key| node.get(key))
                    .map(|node| node.span)
            })),
            TextOrigin::Tag(slug) => {
                let page = &self.site.pages[page];
                let term = self
                    .site
                    .blog
                    .languages
                    .get(&page.locale)?
                    .tags
                    .iter()
                    .find(|tag| tag.slug == *slug)?;
                let own = page.body.post().filter(|post| term.posts.contains(post));
                let post = self.site.blog.post(own.or(term.posts.first().copied())?);
                Some(self.place_of_key(post.origin.path(), |node| {
                    let tags = node.get("tags")?;
                    let Value::List(items) = &tags.value else {
                        return Some(tags.span);
                    };
                    Some(
                        items
                            .iter()
                            .find(|item| item.as_text().is_some_and(|name| tag_slug(name) == *slug))
                            .unwrap_or(tags)
                            .span,
                    )
                }))
            }
        }
    }

    /// The place of a value in a file that is read now. A value that is not written, such as an excerpt, comes from the
    /// body.
    fn place_of_key(&self, path: &str, find: impl FnOnce(&Node) -> Option<Span>) -> Place {
        let root = &self.config.paths.root;
        let Ok(source) = root.read_text(&root.join(path)) else {
            return Place::file(path);
        };
        let (front, body) = parts(&source);
        let node = yaml::parse(&source, front);
        let span = node.as_ref().ok().and_then(find).unwrap_or_else(|| {
            let text = &source.text[body.clone()];
            let start = body.start + text.len() - text.trim_start().len();
            Span::new(start, start)
        });
        source.place(span)
    }
}

/// The parts of a file with keys, and with a text.
fn parts(source: &Source) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let whole = 0..source.text.len();
    if source.path.ends_with(".md") {
        split_front_matter(source).unwrap_or((0..0, whole))
    } else {
        (whole, 0..0)
    }
}
