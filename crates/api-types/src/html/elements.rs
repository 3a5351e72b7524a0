//! Which HTML elements are parts of a line, which are blocks, and which are neither: every question of this kind is answered
//! here. Elements of no list, such as images and unknown ones, separate words and are no blocks.

/// Whether an element is a part of a line, and may be a part of a word. All others separate words.
#[inline]
pub fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "abbr"
            | "b"
            | "bdi"
            | "bdo"
            | "cite"
            | "code"
            | "data"
            | "del"
            | "dfn"
            | "em"
            | "i"
            | "ins"
            | "kbd"
            | "mark"
            | "q"
            | "s"
            | "samp"
            | "small"
            | "span"
            | "strong"
            | "sub"
            | "sup"
            | "time"
            | "u"
            | "var"
            | "wbr"
    )
}

/// Whether an element is a block of a text: it begins a line, and what follows it begins another one.
pub fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "li"
            | "main"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tr"
            | "ul"
            | "video"
    )
}

/// Whether a paragraph ends before and after an element: a block, a part of a table or a script.
pub fn ends_paragraph(name: &str) -> bool {
    let is_part = matches!(
        name,
        "audio"
            | "canvas"
            | "caption"
            | "col"
            | "colgroup"
            | "script"
            | "style"
            | "tfoot"
            | "th"
            | "thead"
    );
    is_part || is_block(name)
}

/// Whether the lines of text in an element are paragraphs in HTML that is written without tags of paragraphs, as the
/// older editor of WordPress does. In other blocks, such as lists and headings, they are not.
pub fn holds_paragraphs(name: &str) -> bool {
    matches!(
        name,
        "article"
            | "aside"
            | "blockquote"
            | "body"
            | "center"
            | "details"
            | "div"
            | "footer"
            | "form"
            | "header"
            | "main"
            | "section"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_has_one_kind() {
        for inline in ["a", "b", "code", "em", "span", "strong", "wbr"] {
            assert!(
                is_inline(inline) && !is_block(inline) && !ends_paragraph(inline),
                "{inline}"
            );
        }
        for block in [
            "article",
            "blockquote",
            "div",
            "h1",
            "hr",
            "li",
            "p",
            "pre",
            "section",
            "table",
            "td",
            "ul",
            "video",
        ] {
            assert!(
                is_block(block) && ends_paragraph(block) && !is_inline(block),
                "{block}"
            );
        }
        for other in ["br", "img", "iframe", "svg", "x-unknown", ""] {
            assert!(
                !is_inline(other) && !is_block(other) && !ends_paragraph(other),
                "{other}"
            );
        }
        for holder in ["body", "blockquote", "div", "section"] {
            assert!(holds_paragraphs(holder) && is_block(holder), "{holder}");
        }
        assert!(ends_paragraph("th") && !is_block("th"));
    }
}
