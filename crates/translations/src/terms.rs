//! `content/terms.yaml`: the words that a company uses for a thing in each language, and the words that it does not want.
//!
//! A text and its translation are compared in both directions: each term that one of them has must be in the other. Forms of a
//! word are listed (`[Krone, Kronen]`), because no rule finds them in all languages.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use config::Config;
use content::Content;
use content::blog::Post;
use diagnostics::problem::{Code, Problem, Problems, Source};
use diagnostics::yaml::{self, Spanned};
use schema::types::OneOrMore;
use workspace::files::FileSet;
use workspace::kinds::Kind;
use workspace::parallel;

use super::texts::Text;
use super::{Item, LanguageComparison, TranslatedFile, items, lock};

/// The path of the file.
pub const FILE: &str = Kind::Terms.path();

/// A thing with its words.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Term {
    /// The word in each language, or all of its forms: `{en: crown, de: [Krone, Kronen]}`. The first one is recommended.
    pub words: BTreeMap<String, OneOrMore>,
    /// Words that are not used for it, by language.
    pub forbidden: BTreeMap<String, OneOrMore>,
    /// An explanation for translators.
    pub note: Option<String>,
    /// Whether capital letters count: `Apple` and not `apple`.
    pub case: bool,
}

/// All terms of a site.
#[derive(Debug, Clone, Default)]
pub struct Terms(Vec<Term>);

impl Terms {
    /// The terms of a site; none if it has no file.
    pub fn load(config: &Config) -> (Terms, Problems) {
        let root: &FileSet = &config.paths.root;
        let path = root.join(FILE);
        let mut problems = Problems::new();
        if !root.exists(&path) {
            return (Terms::default(), problems);
        }
        let source = match root.read_text(&path) {
            Ok(source) => source,
            Err(problem) => return (Terms::default(), problem.into()),
        };
        let terms: Vec<Spanned<Term>> = yaml::load(&source, &mut problems).unwrap_or_default();
        for term in &terms {
            let named = term.value.words.keys().chain(term.value.forbidden.keys());
            for code in named.filter(|code| !config.site.has_language(code)) {
                let place = source.place(source.locate(term.span, &format!("{code}:")));
                problems.push(config.site.unknown_language(code).at(place));
            }
        }
        (
            Terms(terms.into_iter().map(|term| term.value).collect()),
            problems,
        )
    }

    /// The terms of a text, each with what it is in another language and what it means.
    pub fn of(&self, text: &str, from: &str, to: &str) -> Vec<(String, String)> {
        let found = self.0.iter().filter_map(|term| {
            let (words, others) = (forms(term.words.get(from)), forms(term.words.get(to)));
            let word = words
                .iter()
                .find(|word| find(text, word, term.case).is_some())?;
            let note = term
                .note
                .as_ref()
                .map(|note| format!(" ({note})"))
                .unwrap_or_default();
            (!others.is_empty())
                .then(|| ((*word).to_owned(), format!("{}{note}", others.join(", "))))
        });
        found.collect()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn forms(words: Option<&OneOrMore>) -> Vec<&str> {
    match words {
        None => Vec::new(),
        Some(OneOrMore::One(word)) => vec![word.as_str()],
        Some(OneOrMore::More(words)) => words.iter().map(String::as_str).collect(),
    }
}

/// Where a word is in a text, as a whole word if its script has spaces.
fn find(text: &str, word: &str, case: bool) -> Option<std::ops::Range<usize>> {
    if word.is_empty() {
        return None;
    }
    let (folded, wanted) = if case {
        (text.to_owned(), word.to_owned())
    } else {
        (fold(text), fold(word))
    };
    folded
        .match_indices(&wanted)
        .map(|(at, found)| at..at + found.len())
        .find(|range| {
            let before = folded[..range.start].chars().next_back();
            let after = folded[range.end..].chars().next();
            [
                [before, wanted.chars().next()],
                [after, wanted.chars().next_back()],
            ]
            .into_iter()
            .all(|around| !around.into_iter().all(|c| c.is_some_and(has_spaces)))
        })
}

/// Tells whether a letter is of a script with spaces between words.
fn has_spaces(c: char) -> bool {
    c.is_alphanumeric() && c < '\u{2e80}'
}

/// A text in lower case, with each letter as long as it was.
/// Letters whose other case is longer would move what follows.
fn fold(text: &str) -> String {
    text.chars()
        .map(|c| {
            c.to_lowercase()
                .next()
                .filter(|l| l.len_utf8() == c.len_utf8())
                .unwrap_or(c)
        })
        .collect::<String>()
}

/// Warns of words that are forbidden, and of terms that a translation has not.
pub fn check(config: &Config, content: &Content, posts: &[Box<Post>]) -> Problems {
    let (terms, mut problems) = Terms::load(config);
    if terms.is_empty() {
        return problems;
    }
    let root = &config.paths.root;
    let locales: Vec<&str> = config
        .site
        .locales
        .iter()
        .map(|code| code.value.as_str())
        .collect();
    let known: Vec<&str> = locales
        .iter()
        .copied()
        .chain(config.site.withheld.iter().map(String::as_str))
        .collect();
    let lock = lock::Lock::default();
    let comparison = LanguageComparison {
        root,
        content: None,
        locales: &locales,
        known: &known,
        lock: &lock,
    };
    let found: Vec<Vec<Problem>> =
        parallel::map(&items(root, content, posts, &locales), |item: &Item| {
            let files = comparison.files(item);
            let mut found = Vec::new();
            for (locale, _, file) in &files {
                forbidden(&terms, locale, file, &mut found);
            }
            if let Some(((reference, _, there), others)) = files.split_first() {
                for (locale, _, here) in others {
                    missing(&terms, (reference, there), (locale, here), &mut found);
                }
            }
            found
        });
    found
        .into_iter()
        .flatten()
        .for_each(|problem| problems.push(problem));
    problems
}

fn forbidden(terms: &Terms, locale: &str, file: &TranslatedFile, found: &mut Vec<Problem>) {
    for text in &file.texts.texts {
        for term in &terms.0 {
            for word in forms(term.forbidden.get(locale)) {
                if let Some(range) = find(&text.text, word, term.case) {
                    let right = forms(term.words.get(locale));
                    let hint = match right.first() {
                        Some(right) => format!("write `{right}`"),
                        None => "use a different word".to_owned(),
                    };
                    let message = format!("`{}` is forbidden in `{locale}`", &text.text[range]);
                    found.push(
                        Problem::warning(Code::TermForbidden, message)
                            .at(place(&file.source, text, word))
                            .hint(hint),
                    );
                }
            }
        }
    }
}

/// The terms that one of two texts has and the other has not.
fn missing(
    terms: &Terms,
    (reference, there): (&str, &TranslatedFile),
    (locale, here): (&str, &TranslatedFile),
    found: &mut Vec<Problem>,
) {
    for (theirs, ours) in pairs(&there.texts.texts, &here.texts.texts) {
        for term in &terms.0 {
            let (from, to) = (
                forms(term.words.get(reference)),
                forms(term.words.get(locale)),
            );
            if from.is_empty() || to.is_empty() {
                continue;
            }
            let (in_theirs, in_ours) = (has(&theirs, &from, term.case), has(&ours, &to, term.case));
            let (message, place, hint) = match (in_theirs, in_ours) {
                (Some((_, word)), None) => (
                    format!(
                        "`{word}` in `{reference}` is `{0}` in `{locale}`, but this text does not contain `{0}`",
                        to[0]
                    ),
                    place(&here.source, ours[0], ""),
                    format!("write `{}`, or add the form you used to `{FILE}`", to[0]),
                ),
                (None, Some((text, word))) => (
                    format!(
                        "`{word}` is the term for `{0}`, but the text in `{reference}` does not contain `{0}`",
                        from[0]
                    ),
                    place(&here.source, text, &word),
                    format!(
                        "write a different word, or add `{}` to the text in `{reference}`",
                        from[0]
                    ),
                ),
                _ => continue,
            };
            found.push(
                Problem::warning(Code::TermMissing, message)
                    .at(place)
                    .hint(hint),
            );
        }
    }
}

/// The first of some words that texts have, and the text.
fn has<'t>(texts: &[&'t Text], words: &[&str], case: bool) -> Option<(&'t Text, String)> {
    words.iter().find_map(|word| {
        let text = texts
            .iter()
            .find(|text| find(&text.text, word, case).is_some())?;
        Some((*text, (*word).to_owned()))
    })
}

/// The texts of two files that belong together: those of one name, and both bodies.
fn pairs<'t>(theirs: &'t [Text], ours: &'t [Text]) -> Vec<(Vec<&'t Text>, Vec<&'t Text>)> {
    let mut pairs: Vec<(Vec<&Text>, Vec<&Text>)> = Vec::new();
    for text in ours.iter().filter(|text| !text.name.is_empty()) {
        if let Some(other) = theirs.iter().find(|other| other.name == text.name) {
            pairs.push((vec![other], vec![text]));
        }
    }
    let [there, here] = [theirs, ours].map(|texts| {
        texts
            .iter()
            .filter(|text| text.name.is_empty())
            .collect::<Vec<_>>()
    });
    if there.len() == here.len() {
        pairs.extend(
            there
                .into_iter()
                .zip(here)
                .map(|(there, here)| (vec![there], vec![here])),
        );
    } else if !there.is_empty() && !here.is_empty() {
        pairs.push((there, here));
    }
    pairs
}

fn place(source: &Arc<Source>, text: &Text, word: &str) -> diagnostics::problem::Place {
    source.place(if word.is_empty() {
        text.span
    } else {
        source.locate(text.span, word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole_where_there_are_spaces() {
        for (text, word, case, expect) in [
            ("A crown.", "crown", false, true),
            ("Crowns and more", "crown", false, false),
            ("CROWN", "crown", false, true),
            ("CROWN", "crown", true, false),
            ("Die Zahnkrone", "Krone", false, false),
            ("一个牙冠的", "牙冠", false, true),
            ("un implante.", "implante", false, true),
            ("İmplant crown", "crown", false, true),
        ] {
            assert_eq!(find(text, word, case).is_some(), expect, "{text}");
        }
    }
}
