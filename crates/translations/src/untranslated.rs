//! Texts that a language does not have yet: copied from another one and not translated, or lent by `fallback`.

use config::Config;
use content::Content;
use diagnostics::problem::{Code, Problem, Source};
use diagnostics::yaml::{self, Node, Value};
use languages::locale::Locale;
use workspace::kinds::Kind;

use super::texts::{Text, Texts, below};
use super::{State, Translation};
use languages::typography::is_in_other_language;

/// Texts of fewer words may be the same in two languages.
const WORDS: usize = 4;

/// The warning about the texts of a translation that are those of its counterpart, word for word. The first of the two
/// languages is that of the counterpart.
pub fn copied(
    locales: &[Locale],
    files: [(&String, &Texts); 2],
    source: &Source,
) -> Option<Problem> {
    let [(reference, there), (code, here)] = files;
    let found = [reference, code].map(|code| locales.iter().find(|locale| locale.code == *code));
    let [Some(other), Some(own)] = found else {
        return None;
    };
    if own.primary() == other.primary() || here.untranslated || there.untranslated {
        return None;
    }
    let mut copied: Vec<&Text> = here
        .texts
        .iter()
        .filter(|text| {
            is_prose(&text.text)
                && !own
                    .typography
                    .literals
                    .iter()
                    .any(|literal| literal.trim() == text.text.trim())
        })
        .filter(|text| {
            there
                .texts
                .iter()
                .any(|other| other.name == text.name && other.text == text.text)
        })
        .collect();
    // Of two equal texts, the one in the wrong language is the other one, which is reported there.
    copied.retain(|text| !is_in_other_language(&text.text, other));
    let first = copied.first()?;
    let name = if first.name.is_empty() {
        String::new()
    } else {
        format!(", such as `{}`", first.name)
    };
    let message = match copied.len() {
        1 => format!("one string is identical to the one in `{reference}`"),
        count => format!("{count} strings are identical to those in `{reference}`{name}"),
    };
    let problem = Problem::warning(Code::Untranslated, message).at(source.place(first.span));
    // Of an entry in one file, or a row of a table, only the texts of the language can go.
    let is_file = source
        .path
        .split('/')
        .any(|part| part.split('.').next() == Some(code.as_str()));
    if !is_file {
        return Some(problem.hint(format!(
            "finish the translation, or remove the text in `{code}`"
        )));
    }
    Some(problem.hint(format!(
        "finish the translation, or remove the file: with `fallback: {{{code}: {reference}}}` in `site.yaml`, the page shows the text in `{reference}`"
    )))
}

/// Whether a text has words beside names, numbers, code, addresses and placeholders.
pub fn is_prose(text: &str) -> bool {
    if text.starts_with("```") || text.starts_with("~~~") {
        return false;
    }
    let mut words = 0;
    let mut is_code = false;
    for word in text.split_whitespace() {
        is_code ^= word.matches('`').count() % 2 == 1;
        let is_technical = is_code || word.contains(['`', '{', '}', '/', '@', '<', '=', '_']);
        let letters: Vec<char> = word.chars().filter(|c| c.is_alphabetic()).collect();
        words += match letters.first() {
            Some(first) if !is_technical && first.is_lowercase() => 1,
            // A script without upper case, whose words may have no spaces between them.
            Some(first) if !is_technical && !first.is_uppercase() => letters.len().div_ceil(3),
            _ => 0,
        };
    }
    words >= WORDS
}

/// Adds the texts that `fallback` lends: of pages to their translations, and of words and labels as translations of their own.
pub fn add_lent(config: &Config, content: &Content, compared: &mut Vec<Translation>) {
    let pages = content.page_files();
    for page in pages.filter(|page| !page.lent.is_empty()) {
        let key = format!("pages/{}", page.key);
        let Some(one) = compared
            .iter_mut()
            .find(|one| one.key == key && one.locale == page.locale)
        else {
            continue;
        };
        let from = &page.lent[0].1;
        let names: Vec<String> = page
            .lent
            .iter()
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        one.untranslated.push(format!(
            "text still shown in `{from}`: {}",
            names.join(", ")
        ));
        one.state = State::Untranslated;
        one.structure.clear();
    }
    for locale in content
        .locales
        .iter()
        .filter(|locale| !locale.fallbacks.is_empty())
    {
        let reference = &content.locales[locale.fallbacks[0]].code;
        let lent = locale.lent_words().count();
        let path = Kind::Locale.file("", &locale.code);
        let words = format!(
            "interface messages still shown in `{reference}`: {lent}; translate them in {path}"
        );
        let words = if lent > 0 { vec![words] } else { Vec::new() };
        let labels = lacking_labels(config, &locale.code);
        let rows = [
            ("words", path, words),
            ("labels", Kind::Site.path().to_owned(), labels),
        ]
        .into_iter();
        let rows = rows.filter(|(.., untranslated)| !untranslated.is_empty());
        compared.extend(rows.map(|(key, path, untranslated)| Translation {
            key: key.to_owned(),
            locale: locale.code.clone(),
            reference: reference.clone(),
            path,
            state: State::Untranslated,
            structure: Vec::new(),
            untranslated,
            changed: None,
            now: None,
            known: None,
            drafts: std::collections::BTreeSet::new(),
            problem: None,
            copied: None,
            drafted: None,
        }));
    }
}

/// The error about each language that shows more texts of its fallback than `translations.borrowed` allows.
pub fn over_limit(config: &Config, content: &Content) -> Vec<Problem> {
    let Some(limit) = &config.site.translations.borrowed else {
        return Vec::new();
    };
    let borrowers = content
        .locales
        .iter()
        .filter(|locale| !locale.fallbacks.is_empty());
    let counted = borrowers.map(|locale| {
        let pages = content.page_files();
        let pages = pages
            .filter(|page| page.locale == locale.code)
            .map(|page| page.lent.len());
        let count = pages.sum::<usize>()
            + locale.lent_words().count()
            + lacking_labels(config, &locale.code).len();
        (locale, count)
    });
    let over = counted.filter(|(_, count)| *count > limit.value);
    over.map(|(locale, count)| {
        let message = format!(
            "in `{}`, the number of strings from other languages is {count}, but the limit is {}",
            locale.code, limit.value
        );
        let place = config.site.source.place(limit.span);
        Problem::error(Code::Untranslated, message).at(place).hint(
            "translate some of the strings that `sitegen translations` lists, or raise the limit",
        )
    })
    .collect()
}

/// The places of labels that have texts in other languages and none in this one.
fn lacking_labels(config: &Config, code: &str) -> Vec<String> {
    let codes: Vec<&str> = config
        .site
        .locales
        .iter()
        .map(|code| code.value.as_str())
        .collect();
    let source = &config.site.source;
    let mut found = Vec::new();
    // A file that cannot be read was reported.
    let Ok(node) = yaml::parse(source, 0..source.text.len()) else {
        return found;
    };
    walk(&node, "", &codes, code, &mut |name, node| {
        let line = source
            .place(node.span)
            .range
            .map_or(1, |range| range.start.line);
        found.push(format!("{}:{line} {name}", source.path));
    });
    found
}

fn walk(node: &Node, path: &str, codes: &[&str], code: &str, found: &mut impl FnMut(&str, &Node)) {
    match &node.value {
        Value::List(items) => {
            for (at, item) in items.iter().enumerate() {
                walk(
                    item,
                    &below(path, &(at + 1).to_string()),
                    codes,
                    code,
                    found,
                );
            }
        }
        Value::Map(entries) => {
            let is_localized = codes.first().is_some_and(|main| node.get(main).is_some())
                && entries
                    .iter()
                    .all(|(key, _)| codes.contains(&key.name.as_str()));
            if is_localized {
                if node.get(code).is_none() {
                    found(path, node);
                }
                return;
            }
            entries
                .iter()
                .for_each(|(key, value)| walk(value, &below(path, &key.name), codes, code, found));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::is_prose;

    #[test]
    fn names_numbers_and_code_are_no_prose() {
        for (text, expect) in [
            ("We build software that holds.", true),
            ("Software web bien hecho y bien cuidado.", true),
            ("Amazon Web Services", false),
            ("`npm run build` and `npm test`", false),
            ("© {year} {company}", false),
            ("99.9 %", false),
            ("https://example.com/a/page/of/some/length", false),
            ("نعيد بناء الذاكرة المؤقتة", true),
            ("我们建造可靠的软件并长期维护", true),
            ("```sh\nthe code of a post is not translated\n```", false),
        ] {
            assert_eq!(is_prose(text), expect, "{text}");
        }
    }
}
