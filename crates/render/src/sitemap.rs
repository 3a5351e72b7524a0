//! `sitemap.xml`: every page without `noindex`, with its translations and photographs.
//!
//! Dates come only from `updated` of a page or from `content/changed.lock`. The time of a build or the mtime of a file
//! does not mean that the page changed for readers, and search engines ignore the dates of a site that claims so.

use std::sync::Arc;

use assets::output::Output;
use site::routes::{Alternate, Route};
use text::xml::Document;

use super::{Renderer, blog, entry_lists};

/// The maximum number of pages per file (<https://www.sitemaps.org/protocol.html>).
const LIMIT: usize = 50_000;

/// The address of the sitemap or of its index, which `robots.txt` contains.
pub(super) const ADDRESS: &str = "/sitemap.xml";

/// One page.
pub(super) struct SitemapEntry {
    url: String,
    updated: Option<String>,
    alternates: Vec<Alternate>,
    images: Vec<String>,
}

impl Renderer<'_> {
    /// The sitemap: one file, or an index and several files.
    pub(super) fn sitemap(&self) -> Vec<Output> {
        let entries: Vec<SitemapEntry> = self
            .routes
            .iter()
            .filter_map(|(path, route)| self.entry(path, route))
            .collect();
        files(&entries, |path| self.routes.absolute(path))
    }

    fn entry(&self, path: &str, route: &Route) -> Option<SitemapEntry> {
        let Route::Page {
            page,
            canonical: true,
        } = route
        else {
            return None;
        };
        let page = &self.site.pages[*page];
        let mut images = Vec::new();
        let photograph = |src: &str| {
            let prepared = self
                .manifest
                .images
                .get(src)
                .filter(|prepared| prepared.size.is_some())?;
            Some(self.routes.absolute_href(&prepared.src))
        };
        self.site.fields(page).for_each(|fields| {
            fields.pictures(&mut |picture| images.extend(photograph(&picture.src)));
        });
        entry_lists::pictures(self.site, page, &mut |picture| {
            images.extend(photograph(&picture.src));
        });
        images.extend(blog::own_pictures(self.site, page).filter_map(|(src, _)| photograph(src)));
        images.dedup();
        (!page.noindex).then(|| SitemapEntry {
            url: self.routes.absolute(path),
            updated: page.updated.clone(),
            alternates: self.routes.alternates(self.site, page),
            images,
        })
    }
}

/// One file, or an index and its parts if there are more than [`LIMIT`] entries.
fn files(entries: &[SitemapEntry], absolute: impl Fn(&str) -> String) -> Vec<Output> {
    let output = |path: &str, xml: Document| {
        Output::bytes(path.trim_start_matches('/'), Arc::new(xml.into_bytes()))
    };
    if entries.len() <= LIMIT {
        return vec![output(ADDRESS, url_set(entries))];
    }
    let mut index = Document::begin();
    index.open("sitemapindex", &[("xmlns", SCHEMA)]);
    index.line();
    let mut parts = Vec::new();
    for (number, part) in (1..).zip(entries.chunks(LIMIT)) {
        let address = format!("/sitemap-{number}.xml");
        let latest = part
            .iter()
            .filter_map(|entry| entry.updated.as_deref())
            .max();
        index.open("sitemap", &[]);
        index.element("loc", &absolute(&address));
        latest
            .into_iter()
            .for_each(|day| index.element("lastmod", day));
        index.close("sitemap");
        index.line();
        parts.push(output(&address, url_set(part)));
    }
    index.close("sitemapindex");
    index.line();
    parts.push(output(ADDRESS, index));
    parts
}

const SCHEMA: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

fn url_set(entries: &[SitemapEntry]) -> Document {
    let mut xml = Document::begin();
    let namespaces = [
        ("xmlns", SCHEMA),
        ("xmlns:xhtml", "http://www.w3.org/1999/xhtml"),
        (
            "xmlns:image",
            "http://www.google.com/schemas/sitemap-image/1.1",
        ),
    ];
    xml.open("urlset", &namespaces);
    xml.line();
    for entry in entries {
        xml.open("url", &[]);
        xml.element("loc", &entry.url);
        entry
            .updated
            .iter()
            .for_each(|day| xml.element("lastmod", day));
        for Alternate { hreflang, url } in &entry.alternates {
            xml.empty(
                "xhtml:link",
                &[("rel", "alternate"), ("hreflang", hreflang), ("href", url)],
            );
        }
        for image in &entry.images {
            xml.open("image:image", &[]);
            xml.element("image:loc", image);
            xml.close("image:image");
        }
        xml.close("url");
        xml.line();
    }
    xml.close("urlset");
    xml.line();
    xml
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(count: usize) -> Vec<SitemapEntry> {
        (0..count)
            .map(|number| SitemapEntry {
                url: format!("https://small.example/{number}/"),
                updated: (number == 7).then(|| "2025-03-31".to_owned()),
                alternates: Vec::new(),
                images: Vec::new(),
            })
            .collect()
    }

    fn paths(count: usize) -> Vec<String> {
        files(&entries(count), |path: &str| {
            format!("https://small.example{path}")
        })
        .into_iter()
        .map(|output| output.path)
        .collect()
    }

    #[test]
    fn a_small_site_has_one_file() {
        assert_eq!(paths(50_000), ["sitemap.xml"]);
    }

    #[test]
    fn sixty_thousand_addresses_are_split() {
        assert_eq!(
            paths(60_000),
            ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"]
        );
        let parts = files(&entries(60_000), |path| {
            format!("https://small.example{path}")
        });
        let texts: Vec<String> = parts
            .into_iter()
            .map(|output| match output.body {
                assets::output::Body::Bytes(bytes) => {
                    String::from_utf8(bytes.to_vec()).expect("text")
                }
                assets::output::Body::File(_) | assets::output::Body::Unchanged(_) => String::new(),
            })
            .collect();
        let counts: Vec<usize> = texts
            .iter()
            .map(|text| text.matches("<loc>").count())
            .collect();
        assert_eq!(counts, [50_000, 10_000, 2]);
        assert!(texts[2].contains(
            "<sitemap><loc>https://small.example/sitemap-1.xml</loc><lastmod>2025-03-31</lastmod></sitemap>\n\
             <sitemap><loc>https://small.example/sitemap-2.xml</loc></sitemap>"
        ));
    }
}
