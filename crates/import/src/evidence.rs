//! The parts of a post that a proof needs: the post as a CMS sends it, and what WordPress has filled in.

use std::collections::BTreeSet;

use super::classic;
use super::convert::{Converter, described, excerpt};
use super::plan::Planned;
use super::shapes::squeeze;
use super::source::SourceText;
use super::tree::{self, Node};

impl Converter<'_> {
    /// The post as a CMS sends it, for a proof. Its address and its authors are those of the import, so that the two
    /// pages can be found and links agree; everything else is what WordPress has.
    pub fn as_cms(&self, planned: &Planned, text: &SourceText) -> serde_json::Value {
        let post = planned.post;
        let content = text.rendered.clone().unwrap_or_else(|| {
            let html = self.html(post, text, &mut BTreeSet::new());
            self.source
                .reusable
                .iter()
                .fold(html, |html, (number, block)| {
                    let reference = format!("<!-- wp:block {{\"ref\":{number}}} /-->");
                    if html.contains(&reference) {
                        html.replace(
                            &reference,
                            &classic::html(block, &mut |_| classic::Expanded::Text),
                        )
                    } else {
                        html
                    }
                })
        });
        let author = self.source.authors.get(&post.author).map(|author| {
            serde_json::json!({"slug": planned.author, "name": author.name, "description": author.description})
        });
        let media = post
            .picture
            .and_then(|number| self.source.media.get(&number));
        let image = media.and_then(|media| {
            let src = self.base(&post.link)?.join(&media.address).ok()?;
            Some(serde_json::json!({"src": src.as_str(), "alt": described(media)}))
        });
        // Names that differ in case only are one tag, whose names the count compares.
        let tags = &planned.tags;
        serde_json::json!({
            "id": post.number.to_string(),
            "slug": planned.slug,
            "key": planned.key,
            "link": post.link,
            "title": post.title,
            "date": minute(&post.date),
            "modified": minute(&post.modified),
            "content": content,
            "excerpt": excerpt(post, text),
            "author": author,
            "image": image,
            "tags": tags,
        })
    }

    /// The pictures in what WordPress has rendered: address as it is written, and that of the picture in full size.
    pub fn pictures_in(&self, planned: &Planned, text: &SourceText) -> Vec<(String, String)> {
        fn collect(nodes: &[Node], found: &mut Vec<String>) {
            for element in nodes.iter().filter_map(Node::element) {
                found.extend(
                    element
                        .get("src")
                        .filter(|_| element.name == "img")
                        .map(str::to_owned),
                );
                collect(&element.children, found);
            }
        }
        let mut found = Vec::new();
        collect(
            &tree::parse(text.rendered.as_deref().unwrap_or_default()),
            &mut found,
        );
        let base = self.base(&planned.post.link);
        found
            .iter()
            .filter_map(|address| base.as_ref()?.join(address).ok().map(|url| url.to_string()))
            .map(|address| (address.clone(), self.full_size(&address)))
            .collect()
    }

    /// The content that WordPress has filled in for dynamic blocks that notes say were left out, each with its note.
    pub fn filled_in(text: &SourceText, notes: &BTreeSet<String>) -> BTreeSet<(String, String)> {
        let rendered = tree::parse(text.rendered.as_deref().unwrap_or_default());
        let root = tree::Element::new("body", rendered);
        let mut found = BTreeSet::new();
        let named = notes
            .iter()
            .filter_map(|note| Some((note.strip_prefix("the block `")?.split_once('`')?.0, note)));
        for (name, note) in named {
            let class = format!("wp-block-{}", name.rsplit('/').next().unwrap_or(name));
            found.extend(
                root.find(&|own| own.has_class(&class))
                    .map(|own| (squeeze(&own.text()), note.clone())),
            );
        }
        found
    }
}

/// A time down to the minute, as `2035-01-31T09:30`.
/// The dates of a file have no seconds.
fn minute(time: &str) -> Option<String> {
    let time = time.trim().replace(' ', "T");
    Some(time.get(..16).unwrap_or(&time).to_owned()).filter(|time| !time.is_empty())
}
