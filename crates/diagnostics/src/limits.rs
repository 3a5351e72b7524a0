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

/// The byte at which a tag begins that may have more than [`ATTRIBUTES`]. Each has at most as many as there are equals signs up
/// to the next tag.
pub fn crowded_tag(xml: &str) -> Option<usize> {
    let tag = xml
        .split('<')
        .find(|part| part.bytes().filter(|byte| *byte == b'=').count() > ATTRIBUTES)?;
    Some(tag.as_ptr() as usize - xml.as_ptr() as usize)
}

#[cfg(test)]
mod tests {
    use super::{ATTRIBUTES, crowded_tag};

    #[test]
    fn a_tag_with_too_many_attributes_is_found() {
        let tag = |count: usize| {
            (0..count)
                .map(|at| format!(" a{at}='1'"))
                .collect::<Vec<_>>()
                .concat()
        };
        assert_eq!(
            crowded_tag(&format!("<a><b{}/></a>", tag(ATTRIBUTES))),
            None
        );
        assert_eq!(
            crowded_tag(&format!("<a><b{}/></a>", tag(ATTRIBUTES + 1))),
            Some(4)
        );
    }
}
