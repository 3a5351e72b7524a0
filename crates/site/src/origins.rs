//! Finds where the texts of a page are written, by the marks in its HTML. Texts are marked when they are read; templates,
//! Markdown and islands pass the marks on.

use std::collections::BTreeMap;

use content::front_matter;
use diagnostics::marks::{self, TextOrigin};
use diagnostics::problem::{Place, Source, Span};
use diagnostics::yaml::{self, Node, Value};

use crate::model::blog::tag_slug;
use crate::planned::Planned;

impl Planned {
    /// Where the texts of a page are written, by the numbers of their marks. Empty without [`SiteChange::Marks`].
    ///
    /// [`SiteChange::Marks`]: crate::SiteChange::Marks
    pub fn origins(&self, page: usize, html: &str) -> BTreeMap<u32, Place> {
        let table = self.config.site.marks.as_ref();
        marks::numbers(html)
            .filter_map(|number| Some((number, self.place(page, &table?.origin(number)?)?)))
            .collect()
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
        front_matter::split(source).unwrap_or((0..0, whole))
    } else {
        (whole, 0..0)
    }
}
