//! Rendered text with unresolved links and pictures, from Markdown or from the HTML of a CMS.
//!
//! Links can be resolved only after all URLs of the site are planned, and pictures only after they are processed. So
//! the HTML is stored in pieces, with a [`Target`] or an [`InlinePicture`] between them, which the render stage fills
//! in. While HTML is written, their positions are marked with a [`MARK`], a character that no text can contain.

use std::ops::Range;
use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use serde::{Deserialize, Serialize};

use api_types::html::escape;
use diagnostics::problem::{Problem, Span};
use unicode_normalization::char::is_combining_mark;

use schema::types::{Callout, composed};

/// Rendered text, complete except for its links and pictures.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rich {
    /// Pieces in document order.
    pub pieces: Vec<Piece>,
    /// Ids that links can refer to; shared with [`Rich::links_only`].
    pub anchors: Arc<[String]>,
}

/// A part of rendered text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// Safe HTML.
    Html(String),
    /// The `href` and other attributes of a link.
    Link(Target),
    /// A complete `<picture>` element.
    Picture(InlinePicture),
    /// The word at the top of a callout, in the language of the page.
    Word(Callout),
    /// The address of a film or a sound.
    Media(MediaAttribute, Target),
    /// A section or an island, by its number in the text, and how it is written.
    Part(usize, String),
}

/// An attribute with the address of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MediaAttribute {
    /// The file.
    Src,
    /// The picture in place of a film that has not begun.
    Poster,
}

impl MediaAttribute {
    /// As HTML has it.
    pub fn name(self) -> &'static str {
        match self {
            MediaAttribute::Src => "src",
            MediaAttribute::Poster => "poster",
        }
    }
}

impl Rich {
    /// Its links, pictures and anchors, without the text between them.
    #[must_use]
    pub fn links_only(&self) -> Rich {
        let open = self
            .pieces
            .iter()
            .filter(|piece| !matches!(piece, Piece::Html(_)));
        Rich {
            pieces: open.cloned().collect(),
            anchors: Arc::clone(&self.anchors),
        }
    }
}

/// The target of a link as written, and its location.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// `page:<key>#anchor`, a path, `#anchor`, or an external URL; placeholders are filled in.
    pub to: String,
    /// Its span in the file.
    pub span: Span,
}

/// A picture in running text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InlinePicture {
    /// The path as written; later the key in the images of a site.
    pub src: String,
    /// Alternative text; empty for a decorative picture.
    pub alt: String,
    /// Its span in the file.
    pub span: Span,
}

/// A heading in running text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// Level, 2 to 6. Level 1 is the main heading of the page.
    pub level: u8,
    /// Its anchor.
    pub id: String,
    /// Plain text.
    pub text: String,
}

/// A rendered text with [`MARK`]s at the positions of links, pictures and heading ids.
#[derive(Debug, Default)]
pub struct Marked {
    /// HTML with marks: `\0L3\0` for the link with index 3, `P` for pictures, `H` for heading ids, `A` for finished
    /// parts, `S` and `O` for addresses of films and sounds.
    pub html: String,
    /// Links in order.
    pub targets: Vec<Target>,
    /// Pictures in order.
    pub pictures: Vec<InlinePicture>,
    /// Headings in order.
    pub headings: Vec<Heading>,
    /// Indices of the headings whose ids the author gave.
    pub given_ids: Vec<usize>,
    /// Where the sections and islands of the text are written.
    pub parts: Vec<Range<usize>>,
    /// Parts that are finished: formulas, words of the page's language.
    pub atoms: Vec<Piece>,
    /// The problems: content that was lost or is probably wrong, by its bytes in the text.
    pub notices: Vec<(Range<usize>, Problem)>,
    /// Other ids in the text.
    pub anchors: Vec<String>,
    /// Word count.
    pub words: usize,
    /// How many of the words are characters of Chinese, or kana.
    pub ideographs: usize,
    /// Plain text of its first paragraph.
    pub lead: String,
    /// It contains raw HTML of its author that is not sanitized yet.
    pub has_raw_html: bool,
    /// Some of it was raw HTML of its author, which is sanitized now.
    pub had_raw_html: bool,
    /// The content above the limits of HTML, if some of its tags were left out.
    pub over_limit: Option<&'static str>,
}

/// No source text contains it: files with NUL are refused, and HTML parsers replace it.
pub const MARK: char = '\0';

/// Opens a table in a scrollable container, which must be focusable with the keyboard.
pub const TABLE_START: &str = "<div class=\"table-scroll\" tabindex=\"0\"><table>";
/// Closes [`TABLE_START`].
pub const TABLE_END: &str = "</table></div>";

impl Marked {
    /// Splits the HTML into pieces.
    pub fn finish(&self) -> Rich {
        let mut pieces = Vec::with_capacity(2 * (self.targets.len() + self.pictures.len()) + 1);
        // A clone has no unused capacity, while shrinking may keep twice the length: tens of thousands of texts may be
        // in memory.
        let mut text = String::new();
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
                "S" | "O" => {
                    let attribute = if kind == "S" {
                        MediaAttribute::Src
                    } else {
                        MediaAttribute::Poster
                    };
                    self.targets
                        .get(number)
                        .cloned()
                        .map(|target| Piece::Media(attribute, target))
                }
                "A" => match self.atoms.get(number) {
                    Some(Piece::Html(html)) => {
                        text.push_str(html);
                        None
                    }
                    other => other.cloned(),
                },
                _ => {
                    text.push_str(
                        &self
                            .headings
                            .get(number)
                            .map(|heading| escape(&heading.id))
                            .unwrap_or_default(),
                    );
                    None
                }
            };
            if let Some(piece) = piece {
                pieces.push(Piece::Html(text.clone()));
                pieces.push(piece);
                text.clear();
            }
        }
        text.truncate(text.trim_end_matches('\n').len());
        pieces.push(Piece::Html(text.clone()));
        pieces.retain(|piece| !matches!(piece, Piece::Html(html) if html.is_empty()));
        pieces.shrink_to_fit();
        let ids = self.headings.iter().map(|heading| heading.id.clone());
        Rich {
            pieces,
            anchors: ids.chain(self.anchors.iter().cloned()).collect(),
        }
    }
}

/// How many words a text has, and which characters it has that markup may begin with.
#[derive(Debug, Clone, Copy)]
pub struct WordCount {
    /// All words.
    pub words: usize,
    /// Those that are read faster: characters of Chinese, and kana.
    pub ideographs: usize,
    /// It has one of ``{ [ : ! ? = ^ \ @``, with which the markup of other programs and addresses begin.
    pub has_signs: bool,
    /// It has a period.
    pub has_periods: bool,
}

/// Counts the words of a text; a dash between spaces is not a word, and each character of Chinese is one.
///
/// ```
/// let count = text::rich::count("第一段，abc です。カタカナ");
/// assert_eq!((count.words, count.ideographs), (7, 5));
/// let count = text::rich::count("Two bridges – *and* año 3");
/// assert_eq!((count.words, count.has_signs), (5, false));
/// ```
pub fn count(text: &str) -> WordCount {
    const LETTER: u8 = 1;
    const BLANK: u8 = 1 << 1;
    const LONG: u8 = 1 << 2;
    const SIGN: u8 = 1 << 3;
    const PERIOD: u8 = 1 << 4;
    // Hot path: all text of the site is counted, so the class of an ASCII character is looked up, and nothing else looks
    // at the characters of most texts.
    const CLASSES: [u8; 256] = {
        let mut classes = [0; 256];
        let mut byte = 0_u8;
        loop {
            classes[byte as usize] = match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => LETTER,
                b' ' | b'\t'..=b'\r' => BLANK,
                128.. => LONG,
                b'{' | b'[' | b':' | b'!' | b'?' | b'=' | b'^' | b'\\' | b'@' => SIGN,
                b'.' => PERIOD,
                _ => 0,
            };
            if byte == u8::MAX {
                break classes;
            }
            byte += 1;
        }
    };
    // `in_word` is 0 or 1: without a branch, a character takes half the time.
    let (mut words, mut in_word, mut seen) = (0, 0_u8, 0);
    let mut see = |class: u8| {
        seen |= class;
        let letter = class & LETTER;
        words += usize::from(letter & !in_word);
        in_word = letter | in_word & !(class >> 1);
    };
    let mut ideographs = 0;
    // Letters of scripts whose words only a dictionary can tell apart.
    let mut unspaced = 0_usize;
    let mut rest = text;
    loop {
        let classes = rest.bytes().map(|byte| CLASSES[usize::from(byte)]);
        let mut ascii = 0;
        for class in classes.take_while(|class| *class != LONG) {
            see(class);
            ascii += 1;
        }
        let mut characters = rest[ascii..].chars();
        let Some(c) = characters.next() else { break };
        rest = characters.as_str();
        // No script before Thai is written without spaces.
        if c >= '\u{e01}' && (is_ideograph(c) || is_written_without_spaces(c)) {
            unspaced += usize::from(is_written_without_spaces(c));
            ideographs += usize::from(is_ideograph(c));
            see(BLANK);
        } else if c.is_alphanumeric() {
            see(LETTER);
        } else if c.is_whitespace() {
            see(BLANK);
        }
    }
    WordCount {
        words: words + ideographs + unspaced.div_ceil(LETTERS_PER_WORD),
        ideographs,
        has_signs: seen & SIGN != 0,
        has_periods: seen & PERIOD != 0,
    }
}

/// Letters of a word in Thai, Lao, Khmer and Burmese, vowel signs left out.
const LETTERS_PER_WORD: usize = 4;

/// Whether a character is a segment of its own by Unicode's rules for words (UAX 29): Han and Hiragana. Katakana join.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c), 0x3005..=0x3007 | 0x3041..=0x309f | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

/// Whether a character is a letter of a script without spaces between words.
fn is_written_without_spaces(c: char) -> bool {
    matches!(u32::from(c), 0xe01..=0xe2e | 0xe81..=0xeae | 0x1000..=0x1021 | 0x1780..=0x17b3)
}

/// The anchor of a heading: lower-case letters and digits of any script, separated by hyphens. A vowel sign or an accent
/// belongs to its letter.
///
/// ```
/// assert_eq!(text::rich::slug("हिन्दी में, शीर्षक!"), "हिन्दी-में-शीर्षक");
/// ```
pub fn slug(words: &str) -> String {
    let mut slug = String::with_capacity(words.len());
    for c in composed(words).chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() || is_combining_mark(c) && !slug.is_empty() && !slug.ends_with('-') {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// The ids of the layout, which no text may have as well: a link or a script would find the wrong one.
pub const LAYOUT_IDS: [&str; 2] = ["main", "site-menu"];

/// The ids that are taken in a text, besides those of the layout.
#[derive(Debug, Default)]
pub struct Ids {
    taken: HashSet<String>,
    /// The next number for a slug that was taken before; without it, equal headings would take quadratic time.
    next: HashMap<String, usize>,
}

impl Ids {
    /// Reserves an id. Returns `false` if it is already taken.
    pub fn take(&mut self, id: &str) -> bool {
        !LAYOUT_IDS.contains(&id) && !self.taken.contains(id) && self.taken.insert(id.to_owned())
    }

    /// Reserves the slug, with a number appended if it is taken, and returns it.
    ///
    /// ```
    /// let mut ids = text::rich::Ids::default();
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
