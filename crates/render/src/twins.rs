//! The content of a page as Markdown, in a file beside it: `/about-us/index.md`.

use std::sync::Arc;

use api_types::base_url::parts;
use assets::output::{Body, Output};
use content::pages::Status;
use site::model::Page;
use site::routes::file_of;
use text::markup::main::markdown_of;

use super::Renderer;

impl Renderer<'_> {
    /// The path of the Markdown of a page below the output folder; `None` for a page that search engines do not list, and
    /// for a site without `markdown_twins`.
    pub(super) fn twin_file(&self, page: &Page) -> Option<String> {
        let is_wanted = self.settings.markdown_twins && self.settings.is_indexed();
        let is_listed = !page.noindex && page.status == Status::Found;
        let file = (is_wanted && is_listed).then(|| file_of(&page.path))?;
        let twin = format!("{}.md", file.strip_suffix(".html").unwrap_or(&file));
        (!self.is_authored(&twin)).then_some(twin)
    }

    /// The Markdown of a page whose HTML was rendered, or is unchanged.
    pub(super) fn twin(&self, index: usize, page_body: &Body) -> Option<Output> {
        let page = &self.site.pages[index];
        let path = self.twin_file(page)?;
        let body = match page_body {
            Body::Bytes(html) => {
                let html = String::from_utf8_lossy(html);
                let title = page.name(&self.settings.in_language(&page.locale).product.name);
                let origin = parts(self.routes.hosts().of_path(&page.path)).0;
                Body::Bytes(Arc::new(markdown_of(&html, title, origin).into_bytes()))
            }
            // A page is unchanged only if the file beside it is there.
            Body::Unchanged(_) => Body::Unchanged(self.render_cache.published(&path)?),
            Body::File(_) => return None,
        };
        Some(Output { path, body })
    }
}
