//! Rendered text whose links and pictures are still open, whether it comes from Markdown or from the HTML of a CMS.
//!
//! Where a link leads is known only when every address of the site is, and how a picture is published only when it is
//! prepared. So the HTML is kept in pieces, with a [`Target`] or an [`InlinePicture`] between them; the render stage
//! fills them in. While HTML is being written, a [`MARK`] that no text can contain keeps their places.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use api_types::html::escape;
use diagnostics::problem::Span;

/// Rendered text, ready but for its links and pictures.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rich {
    /// In order.
    pub pieces: Vec<Piece>,
    /// Ids that links can lead to.
    pub anchors: Vec<String>,
}

/// A part of rendered text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// Safe HTML.
    Html(String),
    /// The attributes of a link, from `href` on.
    Link(Target),
    /// A whole picture.
    Picture(InlinePicture),
}

impl Rich {
    /// Its links, pictures and anchors, without the text between them.
    #[must_use]
    pub fn links_only(&self) -> Rich {
        let open = self.pieces.iter().filter(|piece| !matches!(piece, Piece::Html(_)));
        Rich { pieces: open.cloned().collect(), anchors: self.anchors.clone() }
    }
}

/// Where a link leads, as it was written, and where it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// `page:<key>#anchor`, a path, `#anchor`, or an outside address; placeholders are filled in.
    pub to: String,
    /// Its bytes in the file.
    pub span: Span,
}

/// A picture in running text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InlinePicture {
    /// As it was written, until a source finds the picture; then its key in [`super::Images`].
    pub src: String,
    /// What it shows; empty when it adds nothing to the text.
    pub alt: String,
    /// Where it was written.
    pub span: Span,
}

/// A heading in running text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// 2 to 6: the first level is the page's own.
    pub level: u8,
    /// Its anchor.
    pub id: String,
    /// Its words, plain.
    pub text: String,
}

/// A text, rendered with marks in the places of what is open.
#[derive(Debug, Default)]
pub struct Marked {
    /// HTML with [`MARK`]s: `\0L3\0` stands for the third link, and so on.
    pub html: String,
    /// Links in order.
    pub targets: Vec<Target>,
    /// Pictures in order.
    pub pictures: Vec<InlinePicture>,
    /// Headings in order.
    pub headings: Vec<Heading>,
    /// Other ids in the text.
    pub anchors: Vec<String>,
    /// How many words it has.
    pub words: usize,
    /// The words of its first paragraph.
    pub lead: String,
    /// It holds HTML as its author wrote it, which nobody has looked at.
    pub has_raw_html: bool,
}

/// No text of an author holds it: files and answers with a NUL are refused, and HTML parsers replace it.
pub const MARK: char = '\0';

/// A wide table scrolls by itself; the keyboard must be able to reach what scrolls.
pub const TABLE_START: &str = "<div class=\"table-scroll\" tabindex=\"0\"><table>";
/// See [`TABLE_START`].
pub const TABLE_END: &str = "</table></div>";

impl Marked {
    /// The HTML in pieces.
    pub fn finish(&self) -> Rich {
        let mut pieces = Vec::with_capacity(2 * (self.targets.len() + self.pictures.len()) + 1);
        let mut text = String::new();
        // Tens of thousands of texts wait for their pages: none may keep room that it does not need.
        let html = |mut text: String| {
            text.shrink_to_fit();
            Piece::Html(text)
        };
        for (index, part) in self.html.split(MARK).enumerate() {
            if index % 2 == 0 {
                text.push_str(part);
                continue;
            }
            let (kind, number) = part.split_at_checked(1).unwrap_or_default();
            let number = number.parse().unwrap_or(usize::MAX);
            let piece = match kind {
                "L" => self.targets.get(number).cloned().map(Piece::Link),
                "P" => self.pictures.get(number).cloned().map(Piece::Picture),
                _ => {
                    text.push_str(&self.headings.get(number).map(|heading| escape(&heading.id)).unwrap_or_default());
                    None
                }
            };
            if let Some(piece) = piece {
                pieces.push(html(std::mem::take(&mut text)));
                pieces.push(piece);
            }
        }
        text.truncate(text.trim_end_matches('\n').len());
        pieces.push(html(text));
        pieces.retain(|piece| !matches!(piece, Piece::Html(html) if html.is_empty()));
        pieces.shrink_to_fit();
        let ids = self.headings.iter().map(|heading| heading.id.clone());
        Rich { pieces, anchors: ids.chain(self.anchors.iter().cloned()).collect() }
    }
}

/// How many words a text has; a dash between blanks is none.
///
/// ```
/// assert_eq!(sitegen::content::rich::words("Two bridges – *and* año 3"), 5);
/// ```
pub fn words(text: &str) -> usize {
    let (mut words, mut in_word) = (0, false);
    let mut at = 0;
    // Every letter of a site passes here: those of ASCII are looked at as bytes.
    while let Some(byte) = text.as_bytes().get(at) {
        let (is_letter, is_blank, length) = if byte.is_ascii() {
            (byte.is_ascii_alphanumeric(), matches!(byte, b' ' | b'\t'..=b'\r'), 1)
        } else {
            let c = text[at..].chars().next().unwrap_or_default();
            (c.is_alphanumeric(), c.is_whitespace(), c.len_utf8())
        };
        words += usize::from(is_letter && !in_word);
        in_word = is_letter || in_word && !is_blank;
        at += length;
    }
    words
}

/// A heading's words as an anchor: lower case, letters and digits of any language, hyphens between.
pub fn slug(words: &str) -> String {
    let mut slug = String::with_capacity(words.len());
    for c in words.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// The ids of a text, each once.
#[derive(Debug, Default)]
pub struct Ids {
    taken: HashSet<String>,
    /// The number that comes next for a slug that was taken before; without it, equal headings would take quadratic time.
    next: HashMap<String, usize>,
}

impl Ids {
    /// Reserves an id. Returns false if it is taken already.
    pub fn take(&mut self, id: &str) -> bool {
        !self.taken.contains(id) && self.taken.insert(id.to_owned())
    }

    /// Reserves the slug, with a number behind it if it is taken, and returns it.
    ///
    /// ```
    /// let mut ids = sitegen::content::rich::Ids::default();
    /// assert_eq!((ids.unique("plans"), ids.unique("plans")), ("plans".to_owned(), "plans-2".to_owned()));
    /// ```
    pub fn unique(&mut self, slug: &str) -> String {
        let slug = if slug.is_empty() { "section" } else { slug };
        if self.take(slug) {
            return slug.to_owned();
        }
        let mut number = self.next.get(slug).copied().unwrap_or(2);
        let mut candidate = format!("{slug}-{number}");
        while !self.take(&candidate) {
            number += 1;
            candidate = format!("{slug}-{number}");
        }
        self.next.insert(slug.to_owned(), number + 1);
        candidate
    }
}
