//! Words with a text for each category of numbers that a language has: `{one: "{count} article", other: "{count} articles"}`.
//!
//! Which number is in which category is known from CLDR. In a message, the texts are one text with the language's code, which
//! templates and islands (`react/lib/words.ts`) read: `{count, plural, en, one {{count} article} other {{count} articles}}`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use icu_locale_core::Locale as Tag;
use icu_plurals::{PluralCategory, PluralRules};
use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// The names of all categories, in the order of CLDR.
const CATEGORIES: [(&str, PluralCategory); 6] = [
    ("zero", PluralCategory::Zero),
    ("one", PluralCategory::One),
    ("two", PluralCategory::Two),
    ("few", PluralCategory::Few),
    ("many", PluralCategory::Many),
    ("other", PluralCategory::Other),
];

// A word as it is written: one text, or one for each category. A doc comment would describe each word in a schema.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged, inline)]
pub(super) enum WordText {
    One(String),
    Each(#[schemars(with = "CategoryTexts")] BTreeMap<String, String>),
}

impl<'de> Deserialize<'de> for WordText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WordText, D::Error> {
        struct PluralWord;
        impl<'de> Visitor<'de> for PluralWord {
            type Value = WordText;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("text, or a block with text for `one` and `other`")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<WordText, E> {
                Ok(WordText::One(text.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<WordText, A::Error> {
                let mut texts = BTreeMap::new();
                while let Some((category, text)) = access.next_entry::<String, String>()? {
                    texts.insert(category, text);
                }
                Ok(WordText::Each(texts))
            }
        }
        deserializer.deserialize_any(PluralWord)
    }
}

#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its JSON schema is used")]
struct CategoryTexts {
    #[serde(default)]
    zero: String,
    #[serde(default)]
    one: String,
    #[serde(default)]
    two: String,
    #[serde(default)]
    few: String,
    #[serde(default)]
    many: String,
    other: String,
}

/// The texts of a word as one message in the language with this code. The error is what is wrong, and what to write.
pub(super) fn message(
    texts: &BTreeMap<String, String>,
    tag: &str,
) -> Result<String, (String, String)> {
    let needed = needed(tag);
    if let Some(unknown) = texts
        .keys()
        .find(|name| CATEGORIES.iter().all(|(known, _)| known != name))
    {
        return Err((
            format!("there is no plural category `{unknown}`"),
            format!("write text for {}", quoted_list(&needed)),
        ));
    }
    let missing: Vec<&str> = needed
        .iter()
        .copied()
        .filter(|name| !texts.contains_key(*name))
        .collect();
    if !missing.is_empty() {
        let message = format!(
            "there is no text for {}, which plurals in `{tag}` need",
            quoted_list(&missing)
        );
        return Err((message, format!("write text for {}", quoted_list(&needed))));
    }
    let mut message = format!("{{count, plural, {tag},");
    for (name, _) in CATEGORIES {
        let Some(text) = texts.get(name) else {
            continue;
        };
        if !is_balanced(text) {
            let hint = "use braces only around placeholders, such as `{count}`".to_owned();
            return Err((
                format!("the text for `{name}` has an unmatched brace"),
                hint,
            ));
        }
        let _ = write!(message, " {name} {{{text}}}");
    }
    Ok(message + "}")
}

/// Names between backticks.
fn quoted_list(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// The categories of whole numbers that visitors meet: those of up to 200. Spanish has `many` for millions only.
fn needed(tag: &str) -> Vec<&'static str> {
    let Some(rules) = rules(tag) else {
        return vec!["other"];
    };
    let found: Vec<PluralCategory> = (0..=200_u32)
        .map(|number| rules.category_for(number))
        .collect();
    CATEGORIES
        .iter()
        .filter(|(_, category)| *category == PluralCategory::Other || found.contains(category))
        .map(|(name, _)| *name)
        .collect()
}

fn rules(tag: &str) -> Option<PluralRules> {
    PluralRules::try_new_cardinal(Tag::try_from_str(tag).ok()?.into()).ok()
}

fn is_balanced(text: &str) -> bool {
    let mut depth = 0;
    text.chars().all(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        (0..=1).contains(&depth)
    }) && depth == 0
}

/// The code of a language, and texts by category.
type Texts<'a> = (&'a str, Vec<(&'a str, &'a str)>);

/// The texts of a message for numbers, from what follows its `{`, and what follows the message.
pub(super) fn parse(rest: &str) -> Option<(Texts<'_>, &str)> {
    let rest = rest.strip_prefix("count, plural, ")?;
    let (tag, mut rest) = rest.split_once(',')?;
    let mut texts = Vec::new();
    loop {
        if let Some(behind) = rest.strip_prefix('}') {
            return Some(((tag, texts), behind));
        }
        let (name, text) = rest.strip_prefix(' ')?.split_once(" {")?;
        let mut depth = 1;
        let end = text.find(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0
        })?;
        texts.push((name, &text[..end]));
        rest = &text[end + 1..];
    }
}

/// The text for a number, as it was written.
pub(super) fn chosen<'a>(tag: &str, texts: &[(&'a str, &'a str)], number: &str) -> &'a str {
    let category = rules(tag).zip(number.parse::<u64>().ok());
    let category = category.map(|(rules, number)| rules.category_for(number));
    let name = CATEGORIES
        .iter()
        .find(|(_, known)| Some(*known) == category)
        .map_or("other", |(name, _)| *name);
    let mut found = [name, "other"]
        .into_iter()
        .filter_map(|name| texts.iter().find(|(known, _)| *known == name));
    found.next().map_or("", |(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::fill;

    fn word(tag: &str, texts: &[(&str, &str)]) -> Result<String, (String, String)> {
        message(
            &texts
                .iter()
                .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
                .collect(),
            tag,
        )
    }

    fn filled(message: &str, count: &str) -> String {
        fill(message, |name| (name == "count").then(|| count.to_owned())).expect("a number")
    }

    #[test]
    fn a_number_chooses_the_text_of_its_category() {
        let polish = [
            ("one", "{count} wpis"),
            ("few", "{count} wpisy"),
            ("many", "{count} wpisów"),
            ("other", "{count} wpisu"),
        ];
        let polish = word("pl", &polish).expect("a word");
        for (count, expect) in [
            ("1", "1 wpis"),
            ("3", "3 wpisy"),
            ("5", "5 wpisów"),
            ("22", "22 wpisy"),
            ("112", "112 wpisów"),
            ("1.5", "1.5 wpisu"),
        ] {
            assert_eq!(filled(&polish, count), expect);
        }
        let arabic = ["zero", "one", "two", "few", "many", "other"].map(|name| (name, name));
        let arabic = word("ar", &arabic).expect("a word");
        for (count, expect) in [
            ("0", "zero"),
            ("1", "one"),
            ("2", "two"),
            ("7", "few"),
            ("42", "many"),
            ("100", "other"),
        ] {
            assert_eq!(filled(&arabic, count), expect);
        }
        assert_eq!(filled(&polish, "{count}"), polish, "a script fills it in");
        assert_eq!(
            filled(
                &word("zh-Hans", &[("other", "{count} 篇文章")]).expect("a word"),
                "1"
            ),
            "1 篇文章"
        );
        assert_eq!(
            filled(
                &format!(
                    "({})",
                    word("en", &[("one", "a post"), ("other", "{count} posts")]).expect("a word")
                ),
                "1"
            ),
            "(a post)"
        );
    }

    #[test]
    fn categories_that_a_language_needs_are_asked_for() {
        let expect = "there is no text for `few` and `many`, which plurals in `pl` need";
        assert_eq!(
            word("pl", &[("one", "a"), ("other", "b")]).map_err(|(message, _)| message),
            Err(expect.to_owned())
        );
        assert!(
            word("es", &[("one", "a"), ("other", "b")]).is_ok(),
            "`many` is for millions"
        );
        assert!(word("en", &[("one", "a"), ("others", "b")]).is_err());
        assert!(word("en", &[("one", "a}"), ("other", "b")]).is_err());
    }
}
