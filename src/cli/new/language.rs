//! `sitegen new locale`: adds a language to a site, so that only words are left to translate. It adds the code to `locales`
//! and to `fallback` in `content/site.yaml`, and a home page; all texts are those of the main language until they are
//! translated.

use std::collections::BTreeMap;

use config::Config;
use diagnostics::problem::{Place, Source};
use diagnostics::yaml::{self, Node, Value};
use schema::types::Tag;
use workspace::kinds::Kind;

use super::content::{NewFiles, check_language, refused};
use super::{Created, NewContent};

/// The settings, which name the languages.
const SETTINGS: &str = Kind::Site.path();

/// Adds a language to a site.
pub(super) fn locale(config: &Config, code: &str) -> NewFiles {
    let code = &check_language(code)?;
    let site = &config.site;
    let main = site.default_locale();
    let listed = site
        .locales
        .iter()
        .find(|known| known.eq_ignore_ascii_case(code));
    // One that was listed by hand may still need a fallback and a home page.
    let code = listed.map_or(code.as_str(), |listed| listed.value.as_str());
    if listed.is_some() && (code == main || site.fallback.contains_key(code)) {
        return Err(
            refused(format!("the site already has the language `{code}`"))
                .hint("`sitegen translations` lists what is not translated yet"),
        );
    }
    // A regional language has the texts of its language, if the site has it.
    let mut parents =
        std::iter::successors(code.rsplit_once('-'), |(rest, _)| rest.rsplit_once('-'))
            .map(|(rest, _)| rest);
    let from = parents
        .find(|code| site.locales.iter().any(|known| known.value == *code))
        .unwrap_or(main);
    let root = &config.paths.root;
    let source = root.read_text(&root.join(SETTINGS))?;
    let node = yaml::parse(&source, 0..source.text.len())?;
    let text =
        added(&source.text, &node, code, from).filter(|text| is_right(config, text, code, from));
    let Some(text) = text else {
        let problem =
            refused(format!("`{code}` could not be added to this file")).at(Place::file(SETTINGS));
        return Err(problem.hint(format!(
            "nothing was changed; add `{code}` to `locales` by hand, and add `fallback: {{{code}: {from}}}`"
        )));
    };
    let name = Tag::parse(code)
        .ok()
        .and_then(|tag| tag.english())
        .unwrap_or(code);
    let next = format!(
        "all pages show text in `{from}` until it is translated; `sitegen translations` lists what is left to translate into {name}"
    );
    Ok(Created {
        files: home(config, main, code).into_iter().collect(),
        changed: vec![(SETTINGS.to_owned(), text.into_bytes())],
        next,
    })
}

/// The home page in the new language: its address, without words. None if there is one, or no home page.
fn home(config: &Config, main: &str, code: &str) -> Option<NewContent> {
    let (content, _) = content::load(config);
    let (prefix, main_home) = (
        format!("{}/", config.site.prefix(code)),
        format!("{}/", config.site.prefix(main)),
    );
    if content
        .pages
        .iter()
        .any(|page| page.head.path.value == prefix)
    {
        return None;
    }
    let page = content
        .pages
        .iter()
        .find(|page| page.locale == main && page.head.path.value == main_home)?;
    let path = Kind::Page.file(&page.key, code);
    if config.paths.root.join(&path).exists() {
        return None;
    }
    let text = format!(
        "# The title, description and sections come from another language until you write them here.\npath: {prefix}\n"
    );
    Some((path, text.into_bytes()))
}

/// The end of the line of a place.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end)
}

/// The text of `site.yaml` with the language in `locales` and in `fallback`; `None` if a list has a form that is not known.
fn added(text: &str, node: &Node, code: &str, from: &str) -> Option<String> {
    let locales = node.get("locales")?;
    let Value::List(items) = &locales.value else {
        return None;
    };
    let last = items.last()?.span;
    let (start, last) = (locales.span.start as usize, last.end as usize);
    let is_listed = items.iter().any(|item| item.as_text() == Some(code));
    let mut inserted: Vec<(usize, String)> = Vec::new();
    let mut after = line_end(text, last);
    if text[start..].starts_with('[') {
        inserted.extend((!is_listed).then(|| (last, format!(", {code}"))));
        after = line_end(text, text[last..].find(']')? + last);
    } else {
        let line = text[..last].rfind('\n').map_or(0, |at| at + 1);
        let dash = text[line..last].find('-')? + line;
        inserted.extend((!is_listed).then(|| (after, format!("\n{}- {code}", &text[line..dash]))));
    }
    match node.get("fallback") {
        None => inserted.push((after, format!("\nfallback: {{{code}: {from}}}"))),
        Some(Node {
            value: Value::Map(entries),
            span,
            ..
        }) => {
            let end = entries.last()?.1.span.end as usize;
            if text[span.start as usize..].starts_with('{') {
                inserted.push((end, format!(", {code}: {from}")));
            } else {
                let key = entries.last()?.0.span.start as usize;
                let line = text[..key].rfind('\n').map_or(0, |at| at + 1);
                inserted.push((
                    line_end(text, end),
                    format!("\n{}{code}: {from}", &text[line..key]),
                ));
            }
        }
        Some(_) => return None,
    }
    inserted.sort_by_key(|(at, _)| *at);
    let mut text = text.to_owned();
    inserted
        .iter()
        .rev()
        .for_each(|(at, new)| text.insert_str(*at, new));
    Some(text)
}

/// Whether a text is that of `site.yaml` with one language more.
fn is_right(config: &Config, text: &str, code: &str, from: &str) -> bool {
    let source = Source::new(SETTINGS.to_owned(), text.to_owned());
    let Ok(node) = yaml::parse(&source, 0..text.len()) else {
        return false;
    };
    let before: Vec<&str> = config
        .site
        .locales
        .iter()
        .map(|code| code.value.as_str())
        .collect();
    let locales: Vec<&str> = match node.get("locales") {
        Some(Node {
            value: Value::List(items),
            ..
        }) => items.iter().filter_map(Node::as_text).collect(),
        _ => Vec::new(),
    };
    let fallback: BTreeMap<&str, &str> = match node.get("fallback") {
        Some(Node {
            value: Value::Map(entries),
            ..
        }) => entries
            .iter()
            .filter_map(|(key, value)| Some((key.name.as_str(), value.as_text()?)))
            .collect(),
        _ => BTreeMap::new(),
    };
    let has_before = config
        .site
        .fallback
        .iter()
        .all(|(key, to)| fallback.get(key.as_str()) == Some(&to.value.as_str()));
    let wanted = if before.contains(&code) {
        before
    } else {
        [before, vec![code]].concat()
    };
    locales == wanted && fallback.get(code) == Some(&from) && has_before
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, expect: &str) {
        let source = Source::new(SETTINGS.into(), before.into());
        let node = yaml::parse(&source, 0..before.len()).expect("YAML");
        assert_eq!(added(before, &node, "fr", "en").as_deref(), Some(expect));
    }

    #[test]
    fn a_language_is_added_to_lists_of_every_form() {
        check(
            "locales: [en]  # the first\na: b\n",
            "locales: [en, fr]  # the first\nfallback: {fr: en}\na: b\n",
        );
        check(
            "locales: [en, \"es\", ]\n",
            "locales: [en, \"es\", fr, ]\nfallback: {fr: en}\n",
        );
        check(
            "locales:\n  - en\n  - es # two\na: b\n",
            "locales:\n  - en\n  - es # two\n  - fr\nfallback: {fr: en}\na: b\n",
        );
        check(
            "locales: [en]\nfallback: {es: en}\n",
            "locales: [en, fr]\nfallback: {es: en, fr: en}\n",
        );
        check(
            "locales:\n- en\nfallback:\n  es: en # x\nb: c\n",
            "locales:\n- en\n- fr\nfallback:\n  es: en # x\n  fr: en\nb: c\n",
        );
        check(
            "locales: [en, fr]\n",
            "locales: [en, fr]\nfallback: {fr: en}\n",
        );
        check(
            "locales: [en,\n  es]\n",
            "locales: [en,\n  es, fr]\nfallback: {fr: en}\n",
        );
    }
}
