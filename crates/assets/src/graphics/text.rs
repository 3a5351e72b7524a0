//! Breaks text into lines that fit a box: in the largest size that fits, or else truncated with an ellipsis.
//!
//! Characters that no font has (mostly emoji) are dropped: a card without an emoji looks complete, and one with an empty
//! box does not. Letters among them are reported ([`missing`]). Widths are measured by the layout engine that draws the
//! card.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use resvg::usvg::Node;
use serde::Serialize;

use api_types::html::escape;

use super::fonts::Fonts;

/// The box for a text, and its style. Lengths are in units of the drawing.
#[derive(Debug, Clone)]
pub(super) struct TextBox {
    pub width: f32,
    pub height: f32,
    /// Sizes to try, the largest first.
    pub sizes: Vec<f32>,
    /// Line height, as a multiple of the size.
    pub leading: f32,
    pub font: String,
    pub weight: u32,
    /// Letter spacing in ems.
    pub tracking: f32,
}

/// Consecutive letters in one font. The font of each run is explicit, because the fallback of the drawing engine shapes
/// the line again, which breaks the joined letters of Arabic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct TextRun {
    pub text: String,
    pub font: String,
}

/// The letters of a text that can be drawn, each with the family that has it.
type Alphabet = BTreeMap<char, String>;

/// A text broken into lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct TextLayout {
    pub size: f32,
    pub leading: f32,
    /// The runs of each line.
    pub lines: Vec<Vec<TextRun>>,
    /// Whether the text runs from right to left.
    pub rtl: bool,
}

/// The font size at which widths are measured once; they are scaled to other sizes.
const MEASURED: f32 = 100.0;

/// A word with its width at [`MEASURED`].
#[derive(Debug, Clone)]
struct MeasuredWord {
    text: String,
    width: f32,
}

/// The letters of a text that no font has.
pub(super) fn missing(fonts: &Fonts, text: &str) -> Result<String, String> {
    // Without any font, the drawing itself is an error.
    let Some(font) = fonts.first() else {
        return Ok(String::new());
    };
    let room = TextBox {
        width: MEASURED,
        height: MEASURED,
        sizes: Vec::new(),
        leading: 1.0,
        font: format!("'{font}'"),
        weight: 400,
        tracking: 0.0,
    };
    let alphabet = alphabet(fonts, text, &room)?;
    let mut missing: Vec<char> = text
        .chars()
        .filter(|c| c.is_alphabetic() && !alphabet.contains_key(c))
        .collect();
    missing.sort_unstable();
    missing.dedup();
    Ok(missing.into_iter().collect())
}

/// The width of a text in ems, and the letters that no font has, which it leaves out. An error if the font is missing.
pub(super) fn width(fonts: &Fonts, text: &str, room: &TextBox) -> Result<(f32, String), String> {
    let room = &TextBox {
        font: fonts.families(&room.font)?,
        ..room.clone()
    };
    let alphabet = alphabet(fonts, text, room)?;
    let (shown, missing): (String, String) = text
        .chars()
        .partition(|c| c.is_whitespace() || alphabet.contains_key(c));
    let measured = Ruler {
        fonts,
        room,
        alphabet: &alphabet,
    }
    .measure(vec![shown])?;
    Ok((
        measured.first().map_or(0.0, |word| word.width) / MEASURED,
        missing,
    ))
}

/// The number of lines that fit the height, at least one.
fn most(room: &TextBox, size: f32, leading: f32) -> usize {
    (2..100u16)
        .take_while(|lines| f32::from(*lines) * size * leading <= room.height)
        .count()
        + 1
}

/// Breaks a text into lines that fit the box. An error if the font is missing.
pub(super) fn fit(fonts: &Fonts, text: &str, room: &TextBox) -> Result<TextLayout, String> {
    let room = &TextBox {
        font: fonts.families(&room.font)?,
        ..room.clone()
    };
    let alphabet = alphabet(fonts, &format!("{text}n…"), room)?;
    let shown: String = text
        .chars()
        .filter(|c| c.is_whitespace() || alphabet.contains_key(c))
        .collect();
    let ruler = Ruler {
        fonts,
        room,
        alphabet: &alphabet,
    };
    let rtl = is_rtl(&shown);
    let words = ruler.measure(shown.split_whitespace().map(str::to_owned).collect())?;
    let spare = ruler.measure(vec!["…".into(), "n n".into(), "nn".into()])?;
    let (ellipsis, space) = (&spare[0], spare[1].width - spare[2].width);
    // Arabic and Hebrew have marks above and below their letters, which would touch those of the next line.
    let leading = if rtl {
        room.leading * 1.25
    } else {
        room.leading
    };
    for &size in &room.sizes {
        let width = room.width * MEASURED / size;
        let lines = balanced(&words, space, width);
        if lines.len() <= most(room, size, leading) && words.iter().all(|word| word.width <= width)
        {
            return Ok(TextLayout {
                size,
                leading,
                lines: ruler.runs(&lines, rtl),
                rtl,
            });
        }
    }
    let size = room.sizes.last().copied().ok_or("`sizes` is empty")?;
    let width = room.width * MEASURED / size;
    let mut pieces = Vec::new();
    for word in words {
        if word.width <= width {
            pieces.push(word);
        } else {
            pieces.extend(ruler.split(&word, width)?);
        }
    }
    let mut lines = wrap(&pieces, space, width);
    if lines.len() > most(room, size, leading) {
        lines.truncate(most(room, size, leading));
        let last = lines.last_mut().ok_or("there is no line")?;
        while last.len() > 1 && breadth(last, space) + ellipsis.width > width {
            last.pop();
        }
        if let Some(word) = last.last_mut() {
            word.text.truncate(
                word.text
                    .trim_end_matches(['.', ',', ';', ':', '·', '-', '–', '—'])
                    .len(),
            );
            if word.width + ellipsis.width > width {
                word.text.pop();
            }
            word.text.push('…');
        }
    }
    Ok(TextLayout {
        size,
        leading,
        lines: ruler.runs(&lines, rtl),
        rtl,
    })
}

/// Lines of about the same width, as few as fit: no word is alone in the last one if it need not be.
fn balanced(words: &[MeasuredWord], space: f32, width: f32) -> Vec<Vec<MeasuredWord>> {
    let widest = |lines: &[Vec<MeasuredWord>]| {
        let widths = lines.iter().map(|line| breadth(line, space));
        widths.fold(0.0, f32::max)
    };
    let mut lines = wrap(words, space, width);
    loop {
        let narrower = wrap(words, space, widest(&lines).next_down());
        if narrower.len() > lines.len() || widest(&narrower) >= widest(&lines) {
            return lines;
        }
        lines = narrower;
    }
}

fn wrap(words: &[MeasuredWord], space: f32, width: f32) -> Vec<Vec<MeasuredWord>> {
    let mut lines: Vec<Vec<MeasuredWord>> = vec![Vec::new()];
    for word in words {
        let line = lines.last().map_or(0.0, |line| {
            if line.is_empty() {
                0.0
            } else {
                breadth(line, space) + space
            }
        });
        if line > 0.0 && line + word.width > width {
            lines.push(Vec::new());
        }
        lines
            .last_mut()
            .into_iter()
            .for_each(|line| line.push(word.clone()));
    }
    lines
}

#[expect(clippy::cast_precision_loss, reason = "a line has a few words")]
fn breadth(line: &[MeasuredWord], space: f32) -> f32 {
    line.iter().map(|word| word.width).sum::<f32>() + space * line.len().saturating_sub(1) as f32
}

/// A line as text. The drawing engine assumes left-to-right, so other lines are put into a right-to-left isolate.
fn joined(line: &[MeasuredWord], rtl: bool) -> String {
    let text = line
        .iter()
        .map(|word| word.text.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    if rtl {
        format!("\u{2067}{text}\u{2069}")
    } else {
        text
    }
}

/// Splits a text into runs of one font. Characters without a font (spaces, isolates) belong to the run before them.
fn parts(alphabet: &Alphabet, text: &str) -> Vec<TextRun> {
    let mut parts: Vec<TextRun> = Vec::new();
    for c in text.chars() {
        match (alphabet.get(&c), parts.last_mut()) {
            (Some(font), Some(part)) if part.font == *font => part.text.push(c),
            (Some(font), Some(part)) if part.font.is_empty() => {
                part.text.push(c);
                part.font.clone_from(font);
            }
            (None, Some(part)) => part.text.push(c),
            (font, _) => parts.push(TextRun {
                text: c.into(),
                font: font.cloned().unwrap_or_default(),
            }),
        }
    }
    parts
}

/// The letters of a text that the site's fonts have, found by laying out each letter alone.
fn alphabet(fonts: &Fonts, text: &str, room: &TextBox) -> Result<Alphabet, String> {
    let mut letters: Vec<char> = text
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control())
        .collect();
    letters.sort_unstable();
    letters.dedup();
    let tree = fonts.tree(&sheet(
        letters.iter().map(|c| {
            vec![TextRun {
                text: (*c).into(),
                font: String::new(),
            }]
        }),
        room,
    ))?;
    let families = letters.into_iter().enumerate().filter_map(|(index, c)| {
        let Some(Node::Text(text)) = tree.node_by_id(&format!("t{index}")) else {
            return None;
        };
        let mut glyphs = text
            .layouted()
            .iter()
            .flat_map(|span| &span.positioned_glyphs)
            .peekable();
        let font = glyphs.peek()?.font;
        Some((
            c,
            glyphs
                .all(|glyph| glyph.id.0 != 0)
                .then(|| fonts.family(font, room.weight))??,
        ))
    });
    Ok(families.collect())
}

/// Measures words with the layout engine that draws them.
struct Ruler<'a> {
    fonts: &'a Fonts,
    room: &'a TextBox,
    alphabet: &'a Alphabet,
}

impl Ruler<'_> {
    fn measure(&self, texts: Vec<String>) -> Result<Vec<MeasuredWord>, String> {
        let tree = self.fonts.tree(&sheet(
            texts.iter().map(|text| parts(self.alphabet, text)),
            self.room,
        ))?;
        let words = texts.into_iter().enumerate().map(|(index, text)| {
            let width = match tree.node_by_id(&format!("t{index}")) {
                Some(Node::Text(text)) => text.bounding_box().width(),
                _ => 0.0,
            };
            MeasuredWord { text, width }
        });
        Ok(words.collect())
    }

    /// Splits a word that is wider than a line (an address, or text in a language without spaces) into parts that fit.
    fn split(&self, word: &MeasuredWord, width: f32) -> Result<Vec<MeasuredWord>, String> {
        let mut pieces: Vec<MeasuredWord> = Vec::new();
        for letter in self.measure(word.text.chars().map(String::from).collect())? {
            match pieces.last_mut() {
                Some(piece) if piece.width + letter.width <= width => {
                    piece.text.push_str(&letter.text);
                    piece.width += letter.width;
                }
                _ => pieces.push(letter),
            }
        }
        Ok(pieces)
    }

    fn runs(&self, lines: &[Vec<MeasuredWord>], rtl: bool) -> Vec<Vec<TextRun>> {
        lines
            .iter()
            .map(|line| parts(self.alphabet, &joined(line, rtl)))
            .collect()
    }
}

/// An SVG that contains only texts, each with an id.
fn sheet(texts: impl Iterator<Item = Vec<TextRun>>, room: &TextBox) -> String {
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10" font-family="{}" font-weight="{}" font-size="{MEASURED}" letter-spacing="{}" xml:space="preserve">"#,
        escape(&room.font),
        room.weight,
        room.tracking * MEASURED
    );
    for (index, parts) in texts.enumerate() {
        let _ = write!(svg, r#"<text id="t{index}">"#);
        for TextRun { text, font } in parts {
            let font = if font.is_empty() {
                room.font.clone()
            } else {
                format!("'{font}'")
            };
            let _ = write!(
                svg,
                r#"<tspan font-family="{}">{}</tspan>"#,
                escape(&font),
                escape(&text)
            );
        }
        svg.push_str("</text>");
    }
    svg.push_str("</svg>");
    svg
}

/// Whether the first letter with a direction is right-to-left (rule P2 of the Unicode bidirectional algorithm, for
/// common scripts).
fn is_rtl(text: &str) -> bool {
    text.chars().find(|c| c.is_alphabetic()).is_some_and(
        |c| matches!(c, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}'),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<MeasuredWord> {
        // All letters have the same width.
        let width = |word: &str| word.chars().map(|_| 10.0).sum();
        text.split(' ')
            .map(|word| MeasuredWord {
                text: word.into(),
                width: width(word),
            })
            .collect()
    }

    fn check(text: &str, width: f32, lines: &[&str]) {
        let found: Vec<String> = wrap(&words(text), 10.0, width)
            .iter()
            .map(|line| joined(line, false))
            .collect();
        assert_eq!(found, lines, "{text}");
    }

    #[test]
    fn lines_break_at_the_width_of_the_box() {
        check("one two three", 130.0, &["one two three"]);
        check("one two three", 129.0, &["one two", "three"]);
        check("one two three", 60.0, &["one", "two", "three"]);
    }

    #[test]
    fn lines_are_about_equally_wide() {
        let lines = |text: &str, width: f32| -> Vec<String> {
            let lines = balanced(&words(text), 10.0, width);
            lines.iter().map(|line| joined(line, false)).collect()
        };
        assert_eq!(lines("one two six ten", 130.0), ["one two", "six ten"]);
        assert_eq!(lines("one two", 130.0), ["one two"]);
        assert_eq!(lines("a abcdefghijkl b", 60.0), ["a", "abcdefghijkl", "b"]);
        assert_eq!(lines("", 60.0), [""]);
    }

    #[test]
    fn the_first_letter_determines_the_direction() {
        assert!(is_rtl("שלום world"));
        assert!(is_rtl("1. مرحبا"));
        assert!(!is_rtl("Hello שלום"));
        assert!(!is_rtl("123"));
    }

    #[test]
    fn a_right_to_left_line_is_isolated() {
        assert_eq!(joined(&words("שלום 7"), true), "\u{2067}שלום 7\u{2069}");
    }

    #[test]
    fn each_part_of_a_line_has_one_font() {
        let alphabet: Alphabet = [('a', "Latin"), (':', "Latin"), ('ש', "Hebrew")]
            .map(|(c, font)| (c, font.into()))
            .into();
        let found: Vec<(String, String)> = parts(&alphabet, "\u{2067}שש: a ש\u{2069}")
            .into_iter()
            .map(|part| (part.font, part.text))
            .collect();
        let wanted = [
            ("Hebrew", "\u{2067}שש"),
            ("Latin", ": a "),
            ("Hebrew", "ש\u{2069}"),
        ];
        assert_eq!(
            found,
            wanted.map(|(font, text)| (font.to_owned(), text.to_owned()))
        );
    }
}
