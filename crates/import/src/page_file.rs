//! Writes the file of a page: its main heading, its text, and a section for each picture.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use diagnostics::yaml;

use super::convert::{Converted, Converter};
use super::markdown;
use super::plain::{Part, parts};
use super::plain_text;
use super::plan::PlannedPage;
use super::shapes::{squeeze, words_of};
use super::simplify::Lookup as _;
use super::source::SourceText;
use super::tree::Node;

/// The longest description, in characters: search engines show no more.
const DESCRIPTION: usize = 155;

/// The texts that all pages of a language share: titles and descriptions that are taken.
pub(super) type Taken = BTreeMap<String, BTreeSet<String>>;

impl Converter<'_> {
    /// Converts a page with its text. Its title and its description become the only ones of its language.
    pub fn convert_page(
        &self,
        page: &PlannedPage,
        source: &SourceText,
        taken: &mut Taken,
    ) -> Converted {
        let (nodes, own, mut notes) = self.simplified(page.post, &page.locale, source);
        let mut title = plain_text(&page.post.title);
        if title.is_empty() {
            notes.insert("it has no title; its URL is used instead".to_owned());
            title = words_of(page.path.trim_end_matches('/'));
        }
        let paragraph = nodes
            .iter()
            .filter_map(Node::element)
            .find(|own| own.name == "p" && !own.text().trim().is_empty());
        let words = paragraph
            .map(|own| squeeze(&own.text()))
            .unwrap_or_default();
        let excerpt = plain_text(&source.excerpt);
        // The title makes it another one than that of a post with the same text.
        let is_excerpt = !excerpt.is_empty();
        let said = [excerpt, words].into_iter().find(|text| !text.is_empty());
        let whole = said.map_or_else(|| title.clone(), |said| format!("{title}: {said}"));
        let description = page
            .post
            .description
            .as_deref()
            .map_or_else(|| cut(&whole), plain_text);
        if is_excerpt && (page.post.description.is_some() || description != whole) {
            own.left_out(
                &plain_text(&source.excerpt),
                "a page has a short description in place of an excerpt",
            );
        }
        let known = taken.entry(page.locale.clone()).or_default();
        let [head_title, description] = [&title, &description].map(|text| {
            let own = if known.contains(text) {
                format!("{text} ({})", page.path)
            } else {
                text.clone()
            };
            known.insert(own.clone());
            own
        });
        let mut out = format!(
            "path: {}\ntitle: {}\ndescription: {}\nunlinked: true\n",
            yaml::value_text(&page.path, false),
            yaml::quoted_text(&format!("{} · {{product.name}}", unbraced(&head_title))),
            yaml::quoted_text(&unbraced(&description)),
        );
        let featured = page
            .post
            .picture
            .and_then(|number| Some((number, self.source.media.get(&number)?)));
        if let Some((file, number)) =
            featured.and_then(|(number, media)| Some((own.picture_file(&media.address)?, number)))
            && !file.ends_with(".svg")
        {
            let alt = own.media_alt(number);
            let alt = alt.map_or_else(
                || "decorative: true".to_owned(),
                |alt| format!("alt: {}", yaml::value_text(&alt, true)),
            );
            let _ = writeln!(
                out,
                "image: {{src: {}, {alt}}}",
                yaml::value_text(&file, true)
            );
        }
        let _ = write!(
            out,
            "sections:\n  - kind: hero\n    title: {}\n",
            yaml::quoted_text(&unbraced(&title))
        );
        titles(&nodes, &mut |title| {
            own.left_out(title, "a tooltip was left out: pages can't contain HTML");
        });
        let mut lost = BTreeSet::new();
        for part in parts(nodes) {
            match part {
                Part::Text(nodes) => {
                    let written = markdown::write_without_html(&nodes);
                    lost.extend(written.as_html);
                    if !written.markdown.trim().is_empty() {
                        out.push_str("  - kind: prose\n    body: |\n");
                        for line in unbraced(&written.markdown).lines() {
                            let _ = writeln!(
                                out,
                                "{}{line}",
                                if line.is_empty() { "" } else { "      " }
                            );
                        }
                    }
                }
                Part::Picture(picture, caption) => {
                    let [src, alt] =
                        ["src", "alt"].map(|name| picture.get(name).unwrap_or_default());
                    let (src, alt) = (
                        yaml::value_text(src, true),
                        yaml::value_text(&unbraced(alt), true),
                    );
                    let _ = writeln!(
                        out,
                        "  - kind: photo\n    image: {{src: {src}, alt: {alt}}}"
                    );
                    let caption = markdown::write_without_html(&caption).markdown;
                    if !caption.trim().is_empty() {
                        let _ = writeln!(
                            out,
                            "    caption: {}",
                            yaml::quoted_text(&unbraced(caption.trim()))
                        );
                    }
                }
            }
        }
        for kind in lost {
            notes.insert(format!(
                "a `<{kind}>` lost its markup, because page text can't contain HTML"
            ));
        }
        own.finish(out, notes)
    }
}

/// The texts that appear below the pointer at abbreviations and pictures.
fn titles(nodes: &[Node], found: &mut dyn FnMut(&str)) {
    for element in nodes.iter().filter_map(Node::element) {
        if matches!(element.name.as_str(), "abbr" | "img") {
            element.get("title").into_iter().for_each(&mut *found);
        }
        titles(&element.children, found);
    }
}

/// The first words of a text.
fn cut(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(DESCRIPTION) else {
        return text.to_owned();
    };
    let end = text[..end].rfind(' ').unwrap_or(end);
    format!(
        "{}…",
        text[..end].trim_end_matches([',', ';', ':', '.', ' '])
    )
}

/// Parts braces from what they hold with an invisible sign, where they would be taken for a placeholder.
fn unbraced(text: &str) -> String {
    super::convert::without_placeholders(text, "\u{2060}")
}
