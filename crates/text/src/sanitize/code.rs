//! Highlights code blocks in the HTML of a CMS like those in Markdown, if a class names the language.

use api_types::html::unescape;

use super::tags::{HtmlPart, Tag};

/// A code block without highlighting.
pub(super) struct CodeBlock {
    pub language: String,
    pub text: String,
    /// Number of its parts.
    pub length: usize,
}

/// The code block at the beginning of the parts: `<pre><code class="language-php">…</code></pre>`, or with the class
/// on the `pre`. `None` if it contains other elements, because the CMS has already highlighted it.
pub(super) fn block(parts: &[HtmlPart]) -> Option<CodeBlock> {
    let pre = parts.first()?.start().filter(|tag| tag.name == "pre")?;
    let end = parts
        .iter()
        .position(|part| matches!(part, HtmlPart::End("pre")))?;
    let (code, inner) = match &parts[1..end] {
        [HtmlPart::Start(code), inner @ .., HtmlPart::End("code")] if code.name == "code" => {
            (Some(code), inner)
        }
        inner => (None, inner),
    };
    let language = code.into_iter().chain([pre]).find_map(language)?;
    let text = inner.iter().map(|part| match part {
        HtmlPart::Text(text) => Some(unescape(text)),
        HtmlPart::Start(tag) if tag.name == "br" => Some("\n".to_owned()),
        _ => None,
    });
    Some(CodeBlock {
        language,
        text: text.collect::<Option<String>>()?,
        length: end + 1,
    })
}

fn language(tag: &Tag) -> Option<String> {
    let class = tag.get("class")?;
    let language = class
        .split_whitespace()
        .find_map(|class| class.strip_prefix("language-"))?;
    (!language.is_empty()).then(|| language.to_owned())
}
