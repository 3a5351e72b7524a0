//! Limits of what is read, in one table: a document that is deeper, wider or longer is a problem, and never the end of a
//! process. What is below them is read in a time that grows with its length; `tests/it/growth.rs` has a test for each
//! format.

/// Locales of a site. Each multiplies pages, words and checks.
pub const LOCALES: usize = 200;
/// Rows of a table with entries, and entries of a list.
pub const ROWS: usize = 100_000;
/// Columns of a table with entries.
pub const COLUMNS: usize = 1_000;
/// Keys of a block with named fields, which are read one by one.
pub const KEYS: usize = 1_000;
/// Unknown keys of a block that are reported one by one.
pub const UNKNOWN_KEYS: usize = 100;
/// Attributes of one element of XML: parsers compare each with all others.
pub const ATTRIBUTES: usize = 500;
/// Namespaces that elements in each other declare: parsers look through them for each element.
pub const NAMESPACES: usize = 100;
/// Depth of elements in each other, in drawings and files of translators.
pub const XML_DEPTH: usize = 100;
/// Elements and texts of a drawing.
pub const DRAWING_NODES: u32 = 100_000;
/// Parts of a formula that can contain others, such as commands, braces and indices.
pub const FORMULA_PARTS: usize = 2_000;
/// Depth of the parts of a formula in each other.
pub const FORMULA_DEPTH: usize = 200;

/// Bytes of a text that a template writes at once. One that doubles itself in a loop has them after twenty rounds.
pub const TEMPLATE_TEXT: usize = 16 << 20;
/// Bytes of all texts that the templates of a page write.
pub const TEMPLATE_OUTPUT: usize = 128 << 20;

/// The reason why an XML parser would take too long, and the byte at which that element begins. It is found before the text is
/// parsed: an element has at most as many attributes as its tag has equals signs.
pub fn excess_of_xml(xml: &str) -> Option<(usize, String)> {
    // The namespaces that each open element declares, and their sum.
    let (mut open, mut declared): (Vec<usize>, usize) = (Vec::new(), 0);
    let mut at = 0;
    while let Some(found) = xml[at..].find('<') {
        at += found;
        let markup = &xml[at..];
        if let Some((_, end)) = NO_TAGS.iter().find(|(start, _)| markup.starts_with(start)) {
            at += markup.find(end)? + end.len();
            continue;
        }
        let tag = &markup[..end_of_tag(markup)?];
        if tag.bytes().filter(|byte| *byte == b'=').count() > ATTRIBUTES {
            let what = format!("an element has more than {ATTRIBUTES} attributes");
            return Some((at, what));
        }
        if tag.starts_with("</") {
            declared -= open.pop().unwrap_or_default();
        } else {
            let namespaces = tag.matches("xmlns").count();
            if declared + namespaces > NAMESPACES {
                let what =
                    format!("elements in each other declare more than {NAMESPACES} namespaces");
                return Some((at, what));
            }
            if !tag.ends_with("/>") {
                open.push(namespaces);
                declared += namespaces;
            }
        }
        at += tag.len();
    }
    None
}

/// Markup that is no tag: how it begins and ends.
const NO_TAGS: [(&str, &str); 4] = [
    ("<!--", "-->"),
    ("<![CDATA[", "]]>"),
    ("<?", "?>"),
    ("<!", ">"),
];

/// The length of a tag, which may contain `>` in quotes. `None` if it does not end, so that no parser reads it.
fn end_of_tag(markup: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in markup.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{ATTRIBUTES, NAMESPACES, excess_of_xml};

    fn attributes(name: &str, count: usize) -> String {
        (0..count)
            .map(|at| format!(" {name}{at}='1'"))
            .collect::<Vec<_>>()
            .concat()
    }

    fn place(xml: &str) -> Option<usize> {
        excess_of_xml(xml).map(|(at, _)| at)
    }

    #[test]
    fn a_tag_with_too_many_attributes_is_found() {
        let with = |count| format!("<a><b{}/></a>", attributes("a", count));
        assert_eq!(place(&with(ATTRIBUTES)), None);
        assert_eq!(place(&with(ATTRIBUTES + 1)), Some(3));
    }

    #[test]
    fn too_many_namespaces_in_each_other_are_found() {
        let nested = |count: usize| {
            (0..count)
                .map(|at| format!("<g xmlns:a{at}='b{at}'>"))
                .collect::<Vec<_>>()
                .concat()
        };
        assert_eq!(place(&nested(NAMESPACES)), None);
        assert!(place(&nested(NAMESPACES + 1)).is_some());
        // Elements beside each other may declare as many as they like.
        let beside = "<g xmlns:a='b'><i xmlns=''/></g>".repeat(5 * NAMESPACES);
        assert_eq!(place(&beside), None);
        let tag = format!("<g{}/>", attributes("xmlns:a", NAMESPACES + 1));
        assert_eq!(place(&tag), Some(0));
        // No text that looks like the end of an element hides one.
        for hidden in ["<!-- </g> -->", "<![CDATA[</g>]]>", "<?a </g>?>"] {
            let nested = nested(NAMESPACES + 1).replace('>', &format!(" a='/>'>{hidden}"));
            assert!(place(&nested).is_some(), "{hidden}");
        }
    }
}
