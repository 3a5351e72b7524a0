//! Words into lines: as large as the room allows, then smaller, and at the end cut with an ellipsis.
//!
//! Characters that none of the site's fonts has (emoji, mostly) are left out: a card without a smile is whole, and one
//! with an empty box is not. Widths come from the same layout that draws the card.

use serde::Serialize;

use super::fonts::Fonts;

/// The room that a text may take, in the units of the drawing.
#[derive(Debug, Clone)]
pub(super) struct Room {
    pub width: f32,
    pub height: f32,
    /// Sizes to try, the largest first.
    pub sizes: Vec<f32>,
    /// Line height, as a multiple of the size.
    pub leading: f32,
    pub font: String,
    pub weight: u32,
    /// In ems, as CSS writes it.
    pub tracking: f32,
}

/// A text in lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Fitted {
    pub size: f32,
    pub leading: f32,
    pub lines: Vec<String>,
    /// The text runs from right to left.
    pub rtl: bool,
}

/// Widths are measured once, at this size, and scaled.
const MEASURED: f32 = 100.0;

/// A word with its width at [`MEASURED`].
#[derive(Debug, Clone)]
struct Word {
    text: String,
    width: f32,
}

/// Puts a text into a room.
pub(super) fn fit(fonts: &Fonts, text: &str, room: &Room) -> Result<Fitted, String> {
    fonts.check(&room.font)?;
    let whole = text;
    let text = drawable(fonts, whole, room)?;
    if text.is_empty() && whole.chars().any(char::is_alphabetic) {
        return Err(format!("the fonts of the style sheets have no letter of `{whole}`; load one that has"));
    }
    let rtl = is_rtl(&text);
    let words = measure(fonts, text.split_whitespace().map(str::to_owned).collect(), room)?;
    let spare = measure(fonts, vec!["…".into(), "n n".into(), "nn".into()], room)?;
    let (ellipsis, space) = (&spare[0], spare[1].width - spare[2].width);
    let most = |size: f32| ((room.height / (size * room.leading)).floor().max(1.0)) as usize;
    for &size in &room.sizes {
        let width = room.width * MEASURED / size;
        let lines = wrap(&words, space, width);
        if lines.len() <= most(size) && words.iter().all(|word| word.width <= width) {
            return Ok(Fitted { size, leading: room.leading, lines: written(&lines, rtl), rtl });
        }
    }
    let size = room.sizes.last().copied().ok_or("`sizes` is empty")?;
    let width = room.width * MEASURED / size;
    let mut pieces = Vec::new();
    for word in words {
        if word.width <= width {
            pieces.push(word);
        } else {
            pieces.extend(cut_up(fonts, &word, width, room)?);
        }
    }
    let mut lines = wrap(&pieces, space, width);
    if lines.len() > most(size) {
        lines.truncate(most(size));
        let last = lines.last_mut().ok_or("there is no line")?;
        while last.len() > 1 && breadth(last, space) + ellipsis.width > width {
            last.pop();
        }
        if let Some(word) = last.last_mut() {
            word.text.truncate(word.text.trim_end_matches(['.', ',', ';', ':', '·', '-', '–', '—']).len());
            if word.width + ellipsis.width > width {
                word.text.pop();
            }
            word.text.push('…');
        }
    }
    Ok(Fitted { size, leading: room.leading, lines: written(&lines, rtl), rtl })
}

fn wrap(words: &[Word], space: f32, width: f32) -> Vec<Vec<Word>> {
    let mut lines: Vec<Vec<Word>> = vec![Vec::new()];
    for word in words {
        let line = lines.last().map_or(0.0, |line| if line.is_empty() { 0.0 } else { breadth(line, space) + space });
        if line > 0.0 && line + word.width > width {
            lines.push(Vec::new());
        }
        lines.last_mut().into_iter().for_each(|line| line.push(word.clone()));
    }
    lines
}

#[expect(clippy::cast_precision_loss, reason = "a line has a few words")]
fn breadth(line: &[Word], space: f32) -> f32 {
    line.iter().map(|word| word.width).sum::<f32>() + space * line.len().saturating_sub(1) as f32
}

/// Lines as text. The drawing engine takes a line for left-to-right; an isolate says otherwise.
fn written(lines: &[Vec<Word>], rtl: bool) -> Vec<String> {
    let line = |line: &Vec<Word>| {
        let text = line.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        if rtl { format!("\u{2067}{text}\u{2069}") } else { text }
    };
    lines.iter().map(line).collect()
}

/// A word that is wider than a line, in parts that are not: addresses, and languages that write no spaces.
fn cut_up(fonts: &Fonts, word: &Word, width: f32, room: &Room) -> Result<Vec<Word>, String> {
    let letters = measure(fonts, word.text.chars().map(String::from).collect(), room)?;
    let mut parts: Vec<Word> = Vec::new();
    for letter in letters {
        match parts.last_mut() {
            Some(part) if part.width + letter.width <= width => {
                part.text.push_str(&letter.text);
                part.width += letter.width;
            }
            _ => parts.push(letter),
        }
    }
    Ok(parts)
}

/// The text without what the fonts cannot show.
fn drawable(fonts: &Fonts, text: &str, room: &Room) -> Result<String, String> {
    let mut letters: Vec<char> = text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    letters.sort_unstable();
    letters.dedup();
    let tree = fonts.tree(&sheet(letters.iter().map(|c| String::from(*c)), room))?;
    let lacking: Vec<char> = letters
        .into_iter()
        .enumerate()
        .filter(|(index, _)| match tree.node_by_id(&format!("t{index}")) {
            Some(resvg::usvg::Node::Text(text)) => {
                let mut glyphs = text.layouted().iter().flat_map(|span| &span.positioned_glyphs).peekable();
                glyphs.peek().is_none() || glyphs.any(|glyph| glyph.id.0 == 0)
            }
            _ => true,
        })
        .map(|(_, c)| c)
        .collect();
    let shown: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .filter(|c| c.is_whitespace() || !lacking.contains(c))
        .collect();
    Ok(shown.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn measure(fonts: &Fonts, texts: Vec<String>, room: &Room) -> Result<Vec<Word>, String> {
    let tree = fonts.tree(&sheet(texts.iter().cloned(), room))?;
    let width = |index: usize| match tree.node_by_id(&format!("t{index}")) {
        Some(resvg::usvg::Node::Text(text)) => text.bounding_box().width(),
        _ => 0.0,
    };
    Ok(texts.into_iter().enumerate().map(|(index, text)| Word { width: width(index), text }).collect())
}

/// A drawing of nothing but texts, each with an id.
fn sheet(texts: impl Iterator<Item = String>, room: &Room) -> String {
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10" font-family="{}" font-weight="{}" font-size="{MEASURED}" letter-spacing="{}" xml:space="preserve">"#,
        crate::html::escape(&room.font),
        room.weight,
        room.tracking * MEASURED
    );
    for (index, text) in texts.enumerate() {
        svg.push_str(&format!(r#"<text id="t{index}">{}</text>"#, crate::html::escape(&text)));
    }
    svg.push_str("</svg>");
    svg
}

/// Whether the first letter that has a direction runs from right to left (rule P2 of the bidirectional algorithm, for
/// the scripts in daily use).
fn is_rtl(text: &str) -> bool {
    let is_rtl = |c: char| matches!(c, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}');
    text.chars().find(|c| c.is_alphabetic()).is_some_and(is_rtl)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word> {
        // Each letter as wide as the next.
        text.split(' ').map(|word| Word { text: word.into(), width: 10.0 * word.chars().count() as f32 }).collect()
    }

    fn check(text: &str, width: f32, lines: &[&str]) {
        assert_eq!(written(&wrap(&words(text), 10.0, width), false), lines, "{text}");
    }

    #[test]
    fn lines_break_where_the_room_ends() {
        check("one two three", 130.0, &["one two three"]);
        check("one two three", 129.0, &["one two", "three"]);
        check("one two three", 60.0, &["one", "two", "three"]);
    }

    #[test]
    fn the_first_letter_says_where_a_text_begins() {
        assert!(is_rtl("שלום world"));
        assert!(is_rtl("1. مرحبا"));
        assert!(!is_rtl("Hello שלום"));
        assert!(!is_rtl("123"));
    }

    #[test]
    fn a_line_from_right_to_left_says_so() {
        assert_eq!(written(&wrap(&words("שלום 7"), 10.0, 100.0), true), ["\u{2067}שלום 7\u{2069}"]);
    }
}
