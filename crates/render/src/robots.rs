//! `robots.txt`, which links to the sitemap, and `llms.txt`, which describes the pages for language models.

use std::fmt::Write as _;
use std::sync::Arc;

use assets::output::Output;

use super::{Renderer, sitemap};

impl Renderer<'_> {
    /// Allows crawlers everything: pages that must not be listed have `noindex`, which a crawler has to read.
    pub(super) fn robots(&self) -> Output {
        let mut text = "User-agent: *\nAllow: /\n".to_owned();
        if self.settings.is_indexed() {
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "\nSitemap: {}\n",
                self.routes.absolute(sitemap::ADDRESS)
            );
        }
        Output::bytes("robots.txt", Arc::new(text.into_bytes()))
    }

    /// The file by which search engines know that `sitegen indexnow` speaks for the site.
    pub(super) fn indexnow_key(&self) -> Option<Output> {
        let key = &self
            .settings
            .indexnow
            .as_ref()
            .filter(|_| self.settings.is_indexed())?
            .key
            .value;
        Some(Output::bytes(
            format!("{key}.txt"),
            Arc::new(key.clone().into_bytes()),
        ))
    }

    /// The pages of each language with their descriptions (<https://llmstxt.org>), if `llms_txt` is set in `site.yaml`.
    pub(super) fn llms(&self) -> Option<Output> {
        let settings = self.settings;
        if !settings.llms_txt || !settings.is_indexed() {
            return None;
        }
        let mut text = format!("# {}\n", settings.product.name);
        for (locale, frame) in self.site.locales.iter().zip(&self.site.frames) {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n## {}\n\n{}\n\n", locale.name, frame.tagline.text);
            let product = &settings.in_language(&locale.code).product.name;
            let pages = self
                .site
                .pages
                .iter()
                .filter(|page| page.locale == locale.code && !page.noindex);
            for page in pages {
                let name = page.name(product).replace(['[', ']'], "");
                let twin = self
                    .twin_file(page)
                    .map(|file| self.routes.absolute(&format!("/{file}")));
                let url = twin.unwrap_or_else(|| self.routes.absolute(&page.path));
                let _ = writeln!(
                    text,
                    "- [{name}]({url}): {}",
                    page.description.replace('\n', " ")
                );
            }
        }
        Some(Output::bytes("llms.txt", Arc::new(text.into_bytes())))
    }
}
