//! Reads the `@font-face` rules of a style sheet of a package, and writes them for the pages of a site.
//!
//! Only what is understood is kept, and it is written anew: a package cannot bring other rules into the sheets of a site.
//! The rules of bundled sheets are read in the same way.

use std::fmt::Write as _;

/// The weights of a rule without one.
const NORMAL: u16 = 400;
/// The last character of Unicode.
const LAST: u32 = 0x10_FFFF;

/// A font file, and for what browsers load it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Face {
    /// The name of its family, e.g. `Source Sans 3 Variable`.
    pub family: String,
    /// Whether its letters are slanted.
    pub is_italic: bool,
    /// Its lightest and its heaviest weight, which differ in a variable font.
    pub weights: (u16, u16),
    /// Its WOFF2 file: relative to the style sheet in a package, an address in a bundled sheet.
    pub file: String,
    /// The first and last characters of its ranges; none if it is for all characters.
    pub ranges: Vec<(u32, u32)>,
}

impl Face {
    /// Whether browsers load it for a character.
    pub fn covers(&self, character: char) -> bool {
        let code = u32::from(character);
        self.ranges.is_empty()
            || self
                .ranges
                .iter()
                .any(|(first, last)| (*first..=*last).contains(&code))
    }

    /// Whether it has a weight.
    pub fn has_weight(&self, weight: u16) -> bool {
        (self.weights.0..=self.weights.1).contains(&weight)
    }

    /// The rule for a file at an address.
    pub fn rule(&self, address: &str) -> String {
        let mut css = format!("@font-face{{font-family:{};", quoted(&self.family));
        if self.is_italic {
            css.push_str("font-style:italic;");
        }
        // Writing to a string cannot fail.
        let _ = match self.weights {
            (first, last) if first == last => write!(css, "font-weight:{first};"),
            (first, last) => write!(css, "font-weight:{first} {last};"),
        };
        let _ = write!(css, "font-display:swap;src:url({address})format(\"woff2\")");
        for (at, (first, last)) in self.ranges.iter().enumerate() {
            css.push_str(if at == 0 { ";unicode-range:" } else { "," });
            let _ = if first == last {
                write!(css, "U+{first:X}")
            } else {
                write!(css, "U+{first:X}-{last:X}")
            };
        }
        css.push_str("}\n");
        css
    }
}

/// A name as a string of CSS.
pub(super) fn quoted(name: &str) -> String {
    let letters = name.chars().filter(|c| !c.is_control());
    let written = letters.flat_map(|c| {
        ['"', '\\']
            .contains(&c)
            .then_some('\\')
            .into_iter()
            .chain([c])
    });
    format!("\"{}\"", written.collect::<String>())
}

/// The faces of a style sheet that have a WOFF2 file, in the order of the sheet.
pub(crate) fn read(css: &str) -> Vec<Face> {
    let css = without_comments(css);
    let mut faces = Vec::new();
    let mut rest = css.as_str();
    while let Some((_, after)) = rest.split_once("@font-face") {
        rest = after;
        let Some(block) = after.trim_start().strip_prefix('{') else {
            continue;
        };
        faces.extend(face(block_of(block)));
    }
    faces
}

/// The declarations before the bracket that closes a rule.
fn block_of(text: &str) -> &str {
    let mut quote = None;
    let end = text.char_indices().find(|(_, c)| match (quote, c) {
        (Some(open), c) if open == *c => {
            quote = None;
            false
        }
        (None, '"' | '\'') => {
            quote = Some(*c);
            false
        }
        (None, '}') => true,
        _ => false,
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// The value of a property: the last one.
fn value<'a>(declarations: &[(String, &'a str)], name: &str) -> Option<&'a str> {
    declarations
        .iter()
        .rev()
        .find(|(found, _)| found == name)
        .map(|(_, value)| *value)
}

/// The face of the declarations of a rule.
fn face(block: &str) -> Option<Face> {
    let declarations: Vec<(String, &str)> = split(block, ';')
        .into_iter()
        .filter_map(|declaration| declaration.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim()))
        .collect();
    let family = unquoted(value(&declarations, "font-family")?);
    let style = value(&declarations, "font-style").unwrap_or_default();
    let weights = value(&declarations, "font-weight").map_or(Some((NORMAL, NORMAL)), weights)?;
    let ranges = value(&declarations, "unicode-range").map_or(Some(Vec::new()), |list| {
        list.split(',').map(range).collect()
    })?;
    let is_italic = style.starts_with("italic") || style.starts_with("oblique");
    (!family.is_empty()).then_some(())?;
    Some(Face {
        family,
        is_italic,
        weights,
        file: woff2(value(&declarations, "src")?)?,
        ranges,
    })
}

/// The first WOFF2 file among the sources of a face. A file of another site is left out.
fn woff2(sources: &str) -> Option<String> {
    split(sources, ',').into_iter().find_map(|source| {
        let (_, address) = source.split_once("url(")?;
        let address = unquoted(split(address, ')').first()?);
        let file = address.split(['?', '#']).next()?.to_owned();
        let is_file = file.ends_with(".woff2") && !file.contains(':') && !file.starts_with("//");
        is_file.then_some(file)
    })
}

/// `400`, `bold`, `200 900`.
fn weights(value: &str) -> Option<(u16, u16)> {
    let mut words = value.split_whitespace().map(|word| match word {
        "normal" => Some(NORMAL),
        "bold" => Some(700),
        number => number
            .parse()
            .ok()
            .filter(|weight| (1..=1000).contains(weight)),
    });
    let first = words.next()??;
    let last = words.next().unwrap_or(Some(first))?;
    Some((first.min(last), first.max(last)))
}

/// `U+26`, `U+0-7F`, `U+4??`.
fn range(text: &str) -> Option<(u32, u32)> {
    let text = text.trim();
    let digits = text
        .strip_prefix("U+")
        .or_else(|| text.strip_prefix("u+"))?;
    let (first, last) = match digits.split_once('-') {
        Some((first, last)) => (first.to_owned(), last.to_owned()),
        None => (digits.replace('?', "0"), digits.replace('?', "F")),
    };
    code_point(&first)
        .zip(code_point(&last))
        .filter(|(first, last)| first <= last)
}

/// The code point that hexadecimal digits write, if a letter can have it.
fn code_point(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 16)
        .ok()
        .filter(|code| *code <= LAST)
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).replace('\\', "")
}

/// The style sheet with a blank in place of each comment.
fn without_comments(css: &str) -> String {
    let mut left = String::with_capacity(css.len());
    let mut quote = None;
    let mut rest = css;
    while let Some(c) = rest.chars().next() {
        if quote.is_none() && rest.starts_with("/*") {
            left.push(' ');
            rest = rest[2..].split_once("*/").map_or("", |(_, after)| after);
            continue;
        }
        if quote == Some(c) {
            quote = None;
        } else if quote.is_none() && matches!(c, '"' | '\'') {
            quote = Some(c);
        }
        left.push(c);
        rest = &rest[c.len_utf8()..];
    }
    left
}

/// The parts between separators that are in no string and no brackets.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut from, mut depth, mut quote) = (Vec::new(), 0, 0_usize, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, c) if c == separator && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + c.len_utf8();
            }
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_are_read_as_packages_write_them() {
        let css = "/* lora; } @font-face { */\n.a { color: red }\n@font-face {\n  font-family: 'Lora';\n  font-style: italic;\n\
                   font-weight: 200 900;\n  src: url(./files/lora-latin.woff2) format('woff2'), url(./files/lora.woff);\n\
                   unicode-range: U+0000-00FF,U+131, u+4??;\n}\n\
                   @font-face{font-family:\"A; } B\";src:local('A'),url(\"b.woff2?v=1\")format(\"woff2\")}";
        let faces = read(css);
        let expected = Face {
            family: "Lora".to_owned(),
            is_italic: true,
            weights: (200, 900),
            file: "./files/lora-latin.woff2".to_owned(),
            ranges: vec![(0, 0xFF), (0x131, 0x131), (0x400, 0x4FF)],
        };
        assert_eq!(faces[0], expected);
        assert_eq!(
            (
                faces[1].family.as_str(),
                faces[1].file.as_str(),
                faces[1].weights
            ),
            ("A; } B", "b.woff2", (400, 400))
        );
        assert_eq!(faces.len(), 2);
        assert!(faces[0].covers('ж') && !faces[0].covers('ą') && faces[1].covers('ą'));
        assert!(faces[0].has_weight(650) && !faces[1].has_weight(700));
    }

    #[test]
    fn a_written_face_is_read_as_the_same() {
        let css = "@font-face{font-family:'Li\"la';font-weight:300;src:url(a.woff2);unicode-range:U+0-7F,U+2074}";
        let faces = read(css);
        assert_eq!(
            faces[0].rule("/_assets/files/a-x.woff2"),
            "@font-face{font-family:\"Li\\\"la\";font-weight:300;font-display:swap;\
             src:url(/_assets/files/a-x.woff2)format(\"woff2\");unicode-range:U+0-7F,U+2074}\n"
        );
    }

    #[test]
    fn a_face_that_is_not_understood_is_left_out() {
        for bad in [
            "src: url(a.woff2)",
            "font-family: A; src: url(a.woff)",
            "font-family: A; src: url(https://fonts.example/a.woff2)",
            "font-family: A; src: url(//fonts.example/a.woff2)",
            "font-family: A; src: url(a.woff2); font-weight: heavy",
            "font-family: A; src: url(a.woff2); unicode-range: U+110000",
            "font-family: A; src: url(a.woff2); unicode-range: U+7F-0",
        ] {
            assert_eq!(read(&format!("@font-face {{ {bad} }}")), [], "{bad}");
        }
    }
}
