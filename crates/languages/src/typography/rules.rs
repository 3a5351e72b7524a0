//! The rules of typography for one text: which characters are wrong, and what belongs in their place.
//!
//! The rules would rather miss a mistake than report correct text. A number alone is touched only if it must be
//! thousands: `3.11` may be a version, `1.200` a fraction. `5'` and `27"` may be feet and inches.

use std::ops::Range;

use crate::locale::typography::{Percent, Separator, Typography};

use super::prose::{Glyph, is_space, paragraphs};

const NO_BREAK_SPACE: char = '\u{a0}';
/// The apostrophe of all languages that write with one.
const APOSTROPHE: &str = "’";

/// A mistake in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mistake {
    /// The bytes that are wrong.
    pub range: Range<usize>,
    /// The correction in their place.
    pub right: String,
    /// The kind of mistake, for a message.
    pub what: &'static str,
}

/// The mistakes in a Markdown text, in order.
pub(super) fn mistakes(text: &str, typography: &Typography) -> Vec<Mistake> {
    let mut found = Vec::new();
    for paragraph in paragraphs(text) {
        quotes(&paragraph, typography, &mut found);
        marks(&paragraph, typography, &mut found);
        numbers(&paragraph, typography, &mut found);
    }
    let literals = literals(text, typography);
    found.retain(|mistake| !is_literal(&literals, &mistake.range));
    found.sort_by_key(|mistake| mistake.range.start);
    found
}

/// The places of each literal of the language in a text, in order. They are found once, whatever the number of mistakes.
fn literals(text: &str, typography: &Typography) -> Vec<Vec<Range<usize>>> {
    let literals = typography
        .literals
        .iter()
        .filter(|literal| !literal.is_empty());
    literals
        .map(|literal| {
            text.match_indices(literal.as_str())
                .map(|(at, found)| at..at + found.len())
                .collect()
        })
        .collect()
}

/// Whether a range of a text is part of a literal of the language.
fn is_literal(literals: &[Vec<Range<usize>>], range: &Range<usize>) -> bool {
    literals.iter().any(|places| {
        let at = places.partition_point(|place| place.end < range.end);
        places
            .get(at)
            .is_some_and(|place| place.start <= range.start && range.end <= place.end)
    })
}

fn char_at(glyphs: &[Glyph], at: usize) -> Option<char> {
    glyphs.get(at).map(|glyph| glyph.c)
}

fn char_before(glyphs: &[Glyph], at: usize) -> Option<char> {
    at.checked_sub(1).and_then(|at| char_at(glyphs, at))
}

fn quotes(glyphs: &[Glyph], typography: &Typography, found: &mut Vec<Mistake>) {
    let Some(quotes) = typography.quotes() else {
        return;
    };
    let (mut is_double_open, mut is_single_open) = (false, false);
    let last_close = last_close(glyphs);
    for (at, glyph) in glyphs.iter().enumerate() {
        let (before, after) = (char_before(glyphs, at), char_at(glyphs, at + 1));
        let (right, what) = match glyph.c {
            '"' if begins(glyphs, at) => {
                is_double_open = true;
                (quotes.double.0, "a straight quotation mark")
            }
            '"' if is_double_open || !is_digit(before) => {
                is_double_open = false;
                (quotes.double.1, "a straight quotation mark")
            }
            '\'' if is_letter(before) && is_letter(after) => (APOSTROPHE, "a straight apostrophe"),
            // `'90s` and `'twas` begin with an apostrophe; a quote has an end.
            '\'' if begins(glyphs, at)
                && !is_digit(after)
                && !is_shortened(glyphs, at)
                && last_close.is_some_and(|close| close >= at + 2) =>
            {
                is_single_open = true;
                (quotes.single.0, "a straight quotation mark")
            }
            '\'' if is_single_open && before.is_some_and(|c| !is_space(c)) => {
                is_single_open = false;
                (quotes.single.1, "a straight quotation mark")
            }
            '\'' if is_letter(before) && !is_digit(before) || begins(glyphs, at) => {
                (APOSTROPHE, "a straight apostrophe")
            }
            _ => continue,
        };
        found.push(Mistake {
            range: glyph.range.clone(),
            right: right.to_owned(),
            what,
        });
    }
}

/// Tells whether there is a digit.
fn is_digit(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_digit())
}

/// Tells whether a quote here stands before a word, not in one or behind it.
fn begins(glyphs: &[Glyph], at: usize) -> bool {
    let is_boundary = char_before(glyphs, at).is_none_or(|c| {
        is_space(c)
            || matches!(
                c,
                '(' | '[' | '{' | '¿' | '¡' | '—' | '–' | '/' | '"' | '“' | '‘' | '«'
            )
    });
    is_boundary && char_at(glyphs, at + 1).is_some_and(|c| !is_space(c))
}

/// Tells whether the word behind an apostrophe has lost its beginning: `'twas`, the `'n'` of `rock 'n' roll`, Dutch `'s avonds`.
/// One letter between two apostrophes is a quote, except for `n`.
fn is_shortened(glyphs: &[Glyph], at: usize) -> bool {
    let letters = glyphs[at + 1..].iter().map(|glyph| glyph.c);
    let word: String = letters
        .clone()
        .take_while(|c| c.is_alphanumeric())
        .collect();
    let is_quoted = letters.clone().nth(word.chars().count()) == Some('\'');
    match word.to_lowercase().as_str() {
        "n" => true,
        "twas" | "tis" | "twere" | "twill" | "til" | "em" | "k" | "m" | "s" | "t" => !is_quoted,
        _ => false,
    }
}

/// Tells whether there is a letter or a digit.
fn is_letter(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphanumeric)
}

/// The last single quote that closes behind some words.
fn last_close(glyphs: &[Glyph]) -> Option<usize> {
    (1..glyphs.len()).rev().find(|at| {
        let at = *at;
        glyphs[at].c == '\''
            && !is_space(glyphs[at - 1].c)
            && char_at(glyphs, at + 1).is_none_or(|after| !after.is_alphanumeric())
    })
}

/// Periods in place of an ellipsis, and hyphens in place of a dash.
fn marks(glyphs: &[Glyph], typography: &Typography, found: &mut Vec<Mistake>) {
    for (at, glyph) in glyphs.iter().enumerate() {
        let (before, after) = (char_before(glyphs, at), char_at(glyphs, at + 1));
        if let Some(ellipsis) = &typography.ellipsis
            && (at..at + 3).all(|at| char_at(glyphs, at) == Some('.'))
            && ![before, char_at(glyphs, at + 3)]
                .iter()
                .any(|c| matches!(c, Some('.' | '/')))
        {
            let range = glyph.range.start..glyphs[at + 2].range.end;
            found.push(Mistake {
                range,
                right: ellipsis.clone(),
                what: "three periods in place of an ellipsis",
            });
        }
        let beyond = [
            at.checked_sub(2).and_then(|at| char_at(glyphs, at)),
            char_at(glyphs, at + 2),
        ];
        if let Some(dash) = &typography.dash
            && glyph.c == '-'
            && is_between(before)
            && is_between(after)
            && beyond
                .iter()
                .all(|c| c.is_some_and(|c| !is_space(c) && c != '-'))
            && !beyond.into_iter().all(is_digit)
        {
            // Spaces that stay are left as they are: one of them may be a line break.
            let is_spaced = dash.starts_with(char::is_whitespace);
            let range = if is_spaced {
                glyph.range.clone()
            } else {
                glyphs[at - 1].range.start..glyphs[at + 1].range.end
            };
            let right = if is_spaced { dash.trim() } else { dash };
            found.push(Mistake {
                range,
                right: right.to_owned(),
                what: "a hyphen in place of a dash",
            });
        }
    }
}

/// Tells whether a letter is a space between words.
fn is_between(c: Option<char>) -> bool {
    c.is_some_and(|c| matches!(c, ' ' | '\n'))
}

/// Numbers with a percent sign or a unit.
fn numbers(glyphs: &[Glyph], typography: &Typography, found: &mut Vec<Mistake>) {
    let mut at = 0;
    while at < glyphs.len() {
        let start = at;
        at += 1;
        // A digit within a word, a time or a version begins no number.
        let is_within = char_before(glyphs, start).is_some_and(|c| {
            c.is_alphanumeric()
                || matches!(c, '.' | ',' | ':' | '/' | '_' | '#' | super::prose::OPAQUE)
        });
        if !is_digit(char_at(glyphs, start)) || is_within {
            continue;
        }
        let mut end = start + 1;
        while is_digit(char_at(glyphs, end))
            || matches!(char_at(glyphs, end), Some('.' | ',')) && is_digit(char_at(glyphs, end + 1))
        {
            end += 1;
        }
        at = end;
        let gap =
            char_at(glyphs, end).filter(|c| matches!(*c, ' ' | '\n' | NO_BREAK_SPACE | '\u{202f}'));
        let unit_start = end + usize::from(gap.is_some());
        let number: String = glyphs[start..end].iter().map(|glyph| glyph.c).collect();
        let grouped = typography
            .thousands
            .and_then(|thousands| with_thousands(&number, thousands));
        let Some((unit_end, wanted_gap)) = unit(glyphs, unit_start, gap, typography) else {
            if let Some(right) = grouped {
                let range = glyphs[start].range.start..glyphs[end - 1].range.end;
                found.push(Mistake {
                    range,
                    right,
                    what: "the thousands separator of another language",
                });
            }
            continue;
        };
        let is_grouped = grouped.is_some();
        let right_number = grouped.or_else(|| {
            typography
                .decimal
                .and_then(|decimal| with_decimal(&number, decimal))
        });
        if right_number.is_none() && gap == wanted_gap {
            continue;
        }
        // Marks between number and unit would be lost.
        if glyphs[start..unit_end]
            .windows(2)
            .any(|pair| pair[0].range.end != pair[1].range.start)
        {
            continue;
        }
        let unit: String = glyphs[unit_start..unit_end]
            .iter()
            .map(|glyph| glyph.c)
            .collect();
        let what = match (&right_number, gap) {
            (Some(_), _) if is_grouped => "the thousands separator of another language",
            (Some(_), _) => "the decimal separator of another language",
            (None, Some(' ' | '\n')) if wanted_gap.is_some() => "a space that allows a line break",
            (None, Some(_)) => "a space in front of the percent sign",
            (None, None) => "no space in front of the percent sign",
        };
        let gap = wanted_gap.map(String::from).unwrap_or_default();
        let right = [right_number.unwrap_or(number).as_str(), &gap, &unit].concat();
        found.push(Mistake {
            range: glyphs[start].range.start..glyphs[unit_end - 1].range.end,
            right,
            what,
        });
    }
}

/// The end of the percent sign or unit at an offset, and what belongs in front of it. `None` if nothing is known of it.
fn unit(
    glyphs: &[Glyph],
    at: usize,
    gap: Option<char>,
    typography: &Typography,
) -> Option<(usize, Option<char>)> {
    if char_at(glyphs, at) == Some('%') {
        let is_whole = char_at(glyphs, at + 1).is_none_or(|c| !is_word(c));
        let wanted = match typography.percent {
            Some(Percent::None) => None,
            Some(Percent::Space) => Some(NO_BREAK_SPACE),
            None => gap,
        };
        return is_whole.then_some((at + 1, wanted));
    }
    let word: String = glyphs
        .get(at..)?
        .iter()
        .map(|glyph| glyph.c)
        .take_while(|c| is_word(*c))
        .collect();
    let is_unit = gap.is_some() && typography.units.contains(&word);
    let wanted = if gap == Some('\u{202f}') {
        gap
    } else {
        Some(NO_BREAK_SPACE)
    };
    is_unit.then(|| (at + word.chars().count(), wanted))
}

/// Tells whether a letter can be part of a word or a unit.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '°' | '_' | '%')
}

/// The number with the decimal separator of the language; `None` if it has it, or has no fraction. Three digits may be
/// thousands: `1,200`.
fn with_decimal(number: &str, decimal: Separator) -> Option<String> {
    let (right, wrong) = decimal.and_other();
    let (_, fraction) = number.split_once(wrong)?;
    let is_decimal = fraction.len() != 3
        && fraction.chars().all(|c| c.is_ascii_digit())
        && !number.contains(right);
    is_decimal.then(|| number.replace(wrong, &right.to_string()))
}

/// The number with the thousands separator of the language. `None` if it has it, or if its separator may be a decimal
/// one: two groups, a fraction behind the groups, or the group `000` leave no doubt.
fn with_thousands(number: &str, thousands: Separator) -> Option<String> {
    let (right, wrong) = thousands.and_other();
    let (whole, fraction) = number
        .split_once(right)
        .map_or((number, None), |(whole, rest)| (whole, Some(rest)));
    let groups: Vec<&str> = whole.split(wrong).collect();
    let (first, rest) = groups.split_first()?;
    let is_grouped = !rest.is_empty()
        && (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && rest.iter().all(|group| group.len() == 3)
        && fraction.is_none_or(|fraction| fraction.chars().all(|c| c.is_ascii_digit()));
    // 192.168.100.200
    let is_address = groups.len() == 4 && groups.iter().all(|group| group.parse::<u8>().is_ok());
    let is_certain = rest.len() > 1 || fraction.is_some() || *rest == ["000"];
    (is_grouped && is_certain && !is_address).then(|| {
        groups.join(&right.to_string())
            + &fraction
                .map(|fraction| format!("{wrong}{fraction}"))
                .unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use diagnostics::problem::{Problems, Source};
    use diagnostics::yaml;

    use super::{Typography, mistakes};

    const ENGLISH: &str = "{quotes: [“, ”, ‘, ’], ellipsis: …, dash: —, decimal: '.', thousands: ',', percent: none, units: [GB, ms, min]}";
    const SPANISH: &str = "{quotes: [“, ”, ‘, ’], ellipsis: …, dash: ' – ', decimal: ',', thousands: '.', percent: space, units: [GB, ms, min]}";

    fn check(language: &str, text: &str, expect: &str) {
        let source = Arc::new(Source::new("t.yaml".into(), language.into()));
        let typography: Typography = yaml::load(&source, &mut Problems::new()).expect("settings");
        let mut right = text.to_owned();
        for mistake in mistakes(text, &typography).into_iter().rev() {
            right.replace_range(mistake.range, &mistake.right);
        }
        assert_eq!(right, expect, "{text}");
        assert_eq!(mistakes(&right, &typography), [], "{right} is right");
    }

    fn unchanged(language: &str, text: &str) {
        check(language, text, text);
    }

    #[test]
    fn quotes_and_apostrophes() {
        check(
            ENGLISH,
            r#""It's 'so'," he said. "Don't!""#,
            "“It’s ‘so’,” he said. “Don’t!”",
        );
        check(
            ENGLISH,
            "the '90s, the clients' site, rock 'n roll",
            "the ’90s, the clients’ site, rock ’n roll",
        );
        check(
            ENGLISH,
            r#"("a") **"b"** ["c"](d "e")"#,
            r#"(“a”) **“b”** [“c”](d "e")"#,
        );
        check(
            SPANISH,
            r#"¿"Qué"? {count} para "{query}""#,
            "¿“Qué”? {count} para “{query}”",
        );
        check(
            ENGLISH,
            "'Twas rock 'n' roll, get 'em 'til five, the clients' 's'",
            "’Twas rock ’n’ roll, get ’em ’til five, the clients’ ‘s’",
        );
        unchanged(ENGLISH, r#"5' 10", `"x"`, “a”, it’s"#);
    }

    #[test]
    fn an_escaped_quote_loses_its_escape() {
        check(ENGLISH, r#"a \"b\" c"#, "a “b” c");
    }

    #[test]
    fn literals_stay_as_they_are() {
        let language = ENGLISH.replace("units:", "literals: [\"what you're\"], units:");
        check(
            &language,
            "what you're after, and it's",
            "what you're after, and it’s",
        );
    }

    #[test]
    fn ellipses_and_dashes() {
        check(ENGLISH, "Wait... a - b", "Wait… a—b");
        check(SPANISH, "Espera... a - b", "Espera… a – b");
        unchanged(ENGLISH, "a.... ../.../x 5 - 3 well-known\n\n- item");
    }

    #[test]
    fn percent_signs() {
        check(ENGLISH, "99.9 % and 50\u{a0}%", "99.9% and 50%");
        check(
            SPANISH,
            "99.9% y 50 %, 7%",
            "99,9\u{a0}% y 50\u{a0}%, 7\u{a0}%",
        );
        unchanged(SPANISH, "https://example.com/50%25 `50%` 99,9\u{a0}%");
        unchanged(ENGLISH, "width:50%25, 100%ile");
    }

    #[test]
    fn units_and_decimals() {
        check(ENGLISH, "1,5 GB in 20 ms", "1.5\u{a0}GB in 20\u{a0}ms");
        check(
            SPANISH,
            "2.4 GB, 1.200 ms y 5\nmin",
            "2,4\u{a0}GB, 1.200\u{a0}ms y 5\u{a0}min",
        );
        unchanged(ENGLISH, "Python 3,11 and 10.0.0.1, 5 minutes, 5GB, v1,5 GB");
        unchanged(SPANISH, "PHP 8.3, 14.3.2025, 12.5 puntos");
    }

    #[test]
    fn thousands() {
        check(
            SPANISH,
            "1,234,567 visitas, 2,000 sitios y 1,234.5 GB",
            "1.234.567 visitas, 2.000 sitios y 1.234,5\u{a0}GB",
        );
        check(
            ENGLISH,
            "1.234.567 visits, 1.234,5",
            "1,234,567 visits, 1,234.5",
        );
        unchanged(SPANISH, "1.234.567, 1,200, 0,000, 3,14159, 2026");
        unchanged(ENGLISH, "192.168.100.200, 1,234,567.89, 3.141, 12.345.6");
    }

    #[test]
    fn marks_between_number_and_unit_are_left_alone() {
        unchanged(ENGLISH, "**5** ms");
    }

    proptest::proptest! {
        /// Whatever the text is, its mistakes are apart, in order, and at the boundaries of characters.
        #[test]
        fn mistakes_can_be_corrected_one_by_one(text in "[-ab5\"'.,% \n*`\\\\&;#|<>é\u{a0}“]{0,40}") {
            let source = Arc::new(Source::new("t.yaml".into(), ENGLISH.into()));
            let typography: Typography = yaml::load(&source, &mut Problems::new()).expect("settings");
            let mut end = 0;
            for mistake in mistakes(&text, &typography) {
                assert!(mistake.range.start >= end && text.get(mistake.range.clone()).is_some(), "{mistake:?}");
                end = mistake.range.end;
            }
        }
    }

    #[test]
    fn a_site_checks_what_it_sets() {
        unchanged("{percent: none}", "\"It's...\" - 1,5 GB");
        unchanged("{}", "5 %");
    }
}
