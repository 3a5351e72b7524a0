//! Finds interface messages that nothing reads, so that nobody translates or corrects a text that is never shown.
//!
//! A message is read by a template (`t("menu")`), by an island (its list of messages) or by Rust code
//! ([`Word`], [`lead_error_key`]). Calls in templates are found in their text, as [`Templates`] finds the templates
//! that a template uses, so no list of them can be out of date.

use std::collections::BTreeSet;
use std::ops::Range;

use api_types::islands::ISLANDS;
use api_types::leads::LeadErrorCode;
use diagnostics::problem::{Code, Problem, Problems, nearest};
use languages::locale::{FLAG_WORDS, Locale, Word, lead_error_key};

use super::Templates;

/// Warns of each message that nothing reads. Nothing is reported if a template could not be read: it may use any.
pub(super) fn check(locales: &[Locale], templates: &Templates) -> Problems {
    let mut problems = Problems::new();
    if !templates.broken.is_empty() || templates.html.is_empty() {
        return problems;
    }
    let mut read = Read::default();
    templates
        .html
        .values()
        .for_each(|template| read.add_template(&template.text));
    read.keys.extend(
        ISLANDS
            .iter()
            .flat_map(|island| island.messages)
            .map(|key| (*key).to_owned()),
    );
    read.keys
        .extend(Word::ALL.iter().map(|word| word.key().to_owned()));
    read.keys
        .extend(FLAG_WORDS.iter().map(|(_, word)| (*word).to_owned()));
    read.keys
        .extend(LeadErrorCode::ALL.iter().map(|code| lead_error_key(*code)));
    // A message that the default locale does not have is reported as such.
    let is_known = |key: &str| {
        locales
            .first()
            .is_some_and(|default| default.messages.contains_key(key))
    };
    // A misspelt key in a template is reported where it is.
    let misspelt: Vec<&str> = read
        .keys
        .iter()
        .map(String::as_str)
        .filter(|key| !is_known(key))
        .collect();
    for locale in locales {
        for (key, message) in locale
            .own_messages()
            .filter(|(key, _)| is_known(key) && !read.contains(key))
        {
            if nearest(key, misspelt.iter().copied()).is_some() {
                continue;
            }
            let problem = Problem::warning(
                Code::UnusedMessage,
                format!("nothing uses the interface message `{key}`"),
            )
            .at(locale.source().place(message.span));
            problems.push(problem.hint("delete it from every file in `content/locales/`"));
        }
    }
    problems
}

/// The messages that are read.
#[derive(Debug, Default)]
struct Read {
    keys: BTreeSet<String>,
    /// The beginnings of computed keys: `t("takes_" ~ kind)`.
    beginnings: Vec<String>,
}

impl Read {
    fn contains(&self, key: &str) -> bool {
        self.keys.contains(key)
            || self
                .beginnings
                .iter()
                .any(|beginning| key.starts_with(beginning))
    }

    /// Adds the messages that a template reads.
    fn add_template(&mut self, text: &str) {
        for (key, _, is_beginning) in calls(text) {
            if is_beginning {
                self.beginnings.push(key.to_owned());
            } else {
                self.keys.insert(key.to_owned());
            }
        }
    }
}

/// The keys that a template reads, with their spans; the last value is whether it is only the beginning of a key.
///
/// They are the texts in quotes in the first argument of each call of `t`. If the argument has none (`t(key)`), the key is
/// written elsewhere in the template, so every text in quotes counts.
pub fn calls(template: &str) -> Vec<(&str, Range<usize>, bool)> {
    let text = without_comments(template);
    let mut found = BTreeSet::new();
    for start in starts_of_calls(&text, "t(") {
        let argument = first_argument(&text[start..]);
        match quoted(argument) {
            spans if spans.is_empty() => {
                found.extend(
                    quoted(&text)
                        .into_iter()
                        .map(|span| (span.start, span.end, false)),
                );
            }
            spans => found.extend(spans.into_iter().map(|span| {
                let is_beginning = argument[span.end + 1..].trim_start().starts_with('~');
                (start + span.start, start + span.end, is_beginning)
            })),
        }
    }
    found
        .into_iter()
        .map(|(start, end, is_beginning)| (&template[start..end], start..end, is_beginning))
        .collect()
}

/// Whether the program itself reads a message, or an island.
pub fn is_read_by_program(key: &str) -> bool {
    ISLANDS.iter().any(|island| island.messages.contains(&key))
        || Word::ALL.iter().any(|word| word.key() == key)
        || FLAG_WORDS.iter().any(|(_, word)| *word == key)
        || LeadErrorCode::ALL
            .iter()
            .any(|code| lead_error_key(*code) == key)
}

/// The arguments of each call of a function in a template, as spans.
pub fn arguments_of(template: &str, function: &str) -> Vec<Vec<Range<usize>>> {
    let text = without_comments(template);
    starts_of_calls(&text, &format!("{function}("))
        .map(|mut start| {
            let mut found = Vec::new();
            loop {
                let end = start + first_argument(&text[start..]).len();
                found.push(start..end);
                if !text[end..].starts_with(',') {
                    return found;
                }
                start = end + 1;
            }
        })
        .collect()
}

/// Where the arguments of a function begin, whose name ends with the bracket. A longer name that ends in the same way is another
/// function.
fn starts_of_calls<'a>(text: &'a str, call: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(call)
        .filter(move |(at, _)| {
            !text[..*at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'))
        })
        .map(|(at, call)| at + call.len())
}

/// The text of a template with blanks in place of `{# … #}`.
fn without_comments(text: &str) -> String {
    let mut plain = text.to_owned();
    let mut from = 0;
    while let Some(open) = text[from..].find("{#").map(|at| from + at) {
        let close = text[open..]
            .find("#}")
            .map_or(text.len(), |at| open + at + 2);
        plain.replace_range(open..close, &" ".repeat(close - open));
        from = close;
    }
    plain
}

/// The text up to the comma or bracket that ends the first argument of a call.
fn first_argument(text: &str) -> &str {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ',') if depth == 0 => return &text[..at],
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text
}

/// The spans of the texts in quotes, without the quotes.
pub fn quoted(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find(['"', '\'']).map(|at| from + at) {
        let quote = &text[open..=open];
        let Some(length) = text[open + 1..].find(quote) else {
            break;
        };
        from = open + length + 2;
        found.push(open + 1..open + 1 + length);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Read, calls};

    fn check(template: &str, key: &str, expect: bool) {
        let mut read = Read::default();
        read.add_template(template);
        assert_eq!(read.contains(key), expect, "{template}");
    }

    #[test]
    fn a_call_reads_its_message() {
        check(r#"<p>{{ t("menu") }}</p>"#, "menu", true);
        check(r#"{{ t('copyright', year="menu") }}"#, "copyright", true);
        check(r#"{{ t("copyright", year="menu") }}"#, "menu", false);
        check(
            r#"<nav aria-label="menu">{{ first("menu") }}"#,
            "menu",
            false,
        );
    }

    #[test]
    fn a_call_that_chooses_reads_both() {
        let call = r#"{{ t("article" if count == 1 else "articles", count=count) }}"#;
        check(call, "article", true);
        check(call, "articles", true);
    }

    #[test]
    fn a_computed_key_reads_all_that_begin_so() {
        check(r#"{{ t("takes_" ~ field.takes) }}"#, "takes_text", true);
        check(r#"{{ t("takes_" ~ field.takes) }}"#, "text", false);
    }

    #[test]
    fn a_key_in_a_variable_is_any_text_of_its_template() {
        check(r#"{% set key = "menu" %}{{ t(key) }}"#, "menu", true);
        check(r#"{% set key = "menu" %}{{ t(key) }}"#, "home", false);
    }

    #[test]
    fn calls_have_their_places() {
        let template = r#"{# é t("no") #}<p>{{ t("menu") }} {{ t('home' if a else "team") }} {{ t("takes_" ~ kind) }}"#;
        let found: Vec<_> = calls(template)
            .into_iter()
            .map(|(key, span, begins)| (key, template[span].len(), begins))
            .collect();
        assert_eq!(
            found,
            [
                ("menu", 4, false),
                ("home", 4, false),
                ("team", 4, false),
                ("takes_", 6, true)
            ]
        );
    }

    #[test]
    fn a_call_in_a_comment_reads_nothing() {
        check(r#"{# {{ t("menu") }} #}{{ t("home") }}"#, "menu", false);
        check(r#"{# {{ t("menu") }} #}{{ t("home") }}"#, "home", true);
    }
}
