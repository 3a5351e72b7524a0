//! Markdown, the HTML of other systems, and drawings, as functions from text to text that know of no site.

pub mod accessibility;
pub mod highlight;
pub mod markdown;
pub mod markup;
pub mod rich;
pub mod sanitize;
pub mod svg;
pub mod xml;
