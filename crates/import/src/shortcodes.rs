//! The HTML of shortcodes: those of WordPress itself, and of plugins that show code, videos and footnotes.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use api_types::html::escape;

use super::classic::{self, Expanded, Shortcode};
use super::convert::{Converter, plain_alt};
use super::shapes::squeeze;

impl Converter<'_> {
    /// Replaces a shortcode.
    pub fn shortcode(
        &self,
        post: u64,
        code: &Shortcode,
        extra: &mut String,
        count: &mut usize,
        notes: &mut BTreeSet<String>,
    ) -> Expanded {
        let content = code.content.unwrap_or_default();
        // An attribute without a name has an empty one.
        let first = code.get("");
        let address = code
            .get("src")
            .or(code.get("url"))
            .or(first)
            .unwrap_or(content.trim());
        match code.name {
            "caption" | "wp_caption" => {
                let (picture, words) = match content
                    .rfind("/>")
                    .map(|at| at + 2)
                    .or_else(|| content.rfind("</a>").map(|at| at + 4))
                    .or_else(|| content.rfind('>').map(|at| at + 1))
                {
                    Some(end) => content.split_at(end),
                    None => ("", content),
                };
                let (picture, words) = match words.trim_start().strip_prefix("</a>") {
                    Some(rest) => (format!("{picture}</a>"), rest),
                    None => (picture.to_owned(), words),
                };
                let words = code.get("caption").unwrap_or(words).trim();
                Expanded::Html(format!(
                    "\n\n<figure>{picture}<figcaption>{words}</figcaption></figure>\n\n"
                ))
            }
            "gallery" | "playlist" => Expanded::Html(self.gallery(post, code, notes)),
            "embed" | "youtube" | "vimeo" | "tiktok" | "twitter" | "instagram" => {
                Expanded::Html(format!(
                    "\n\n<figure class=\"wp-block-embed\"><div class=\"wp-block-embed__wrapper\">{}</div></figure>\n\n",
                    escape(address)
                ))
            }
            "audio" | "video" => {
                let named = ["mp3", "mp4", "m4a", "m4v", "ogg", "ogv", "wav", "webm"]
                    .into_iter()
                    .find_map(|name| code.get(name));
                Expanded::Html(format!(
                    "\n\n<{0} src=\"{1}\"></{0}>\n\n",
                    code.name,
                    escape(named.unwrap_or(address))
                ))
            }
            "code" | "sourcecode" | "source" | "cc" => {
                let language = code
                    .get("language")
                    .or(code.get("lang"))
                    .or(first)
                    .unwrap_or_default();
                Expanded::Html(classic::code_block(language, content))
            }
            "php" | "js" | "javascript" | "css" | "html" | "xml" | "bash" | "shell" | "sql"
            | "python" | "java" | "ruby" | "json" | "yaml"
                if code.content.is_some() =>
            {
                Expanded::Html(classic::code_block(code.name, content))
            }
            "footnote" | "ref" | "fn" if code.content.is_some() => {
                *count += 1;
                let _ = write!(extra, "<li id=\"note-{count}\">{content}</li>");
                Expanded::Html(format!(
                    "<sup class=\"fn\" data-fn=\"note-{count}\"><a href=\"#note-{count}\">{count}</a></sup>"
                ))
            }
            // WordPress shows brackets as text unless a plugin knows the name. Plugins are unknown here, but words in
            // brackets have neither an end tag nor attributes with names.
            _ if code.content.is_some()
                || code.attributes.iter().any(|(name, _)| !name.is_empty()) =>
            {
                notes.insert(format!(
                    "the shortcode `{}` was removed{}",
                    squeeze(code.source),
                    if content.is_empty() {
                        ""
                    } else {
                        ", and its text was kept"
                    }
                ));
                Expanded::Unwrapped
            }
            name => {
                if name.contains('_') {
                    notes.insert(format!(
                        "`{}` stays as text; remove it if a plugin showed something there",
                        code.source
                    ));
                }
                Expanded::Text
            }
        }
    }

    /// The pictures that a gallery names, or those that were uploaded for the post.
    fn gallery(&self, post: u64, code: &Shortcode, notes: &mut BTreeSet<String>) -> String {
        let mut ids: Vec<u64> = code
            .get("ids")
            .or(code.get("include"))
            .unwrap_or_default()
            .split([',', ' '])
            .filter_map(|id| id.trim().parse().ok())
            .collect();
        if ids.is_empty() {
            ids = self
                .source
                .media
                .iter()
                .filter(|(_, media)| media.parent == post)
                .map(|(number, _)| *number)
                .collect();
        }
        let mut html = String::from("\n\n<figure class=\"gallery\">");
        for id in ids {
            let Some(media) = self.source.media.get(&id) else {
                notes.insert(format!(
                    "image {id} of a gallery is not in the media library"
                ));
                continue;
            };
            let caption = if media.caption.trim().is_empty() {
                String::new()
            } else {
                format!("<figcaption>{}</figcaption>", media.caption)
            };
            let _ = write!(
                html,
                "<figure><img class=\"wp-image-{id}\" src=\"{}\" alt=\"{}\">{caption}</figure>",
                escape(&media.address),
                escape(&plain_alt(&media.alt))
            );
        }
        if !html.contains("<img") {
            notes.insert("a gallery has no images".to_owned());
            return String::new();
        }
        html + "</figure>\n\n"
    }
}
