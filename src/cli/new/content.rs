//! New files of a site: posts, pages and authors.

use unicode_normalization::UnicodeNormalization as _;

use config::Config;
use config::theme::Theme;
use diagnostics::problem::{Code, Problem, did_you_mean};
use diagnostics::yaml::{self, Value, quoted_text};
use schema::types::{Tag, is_mark, lower_case};
use workspace::files;
use workspace::kinds::Kind;

use super::{Created, NewContent};

/// Files to write, and what the author does next.
pub(super) type NewFiles = Result<Created, Problem>;

/// A post in some languages of the site, or in the main one.
pub(super) fn post(config: &Config, title: &str, languages: &[String]) -> NewFiles {
    let (slug, known) = (slug(title)?, languages_of(config));
    check_known(config, languages)?;
    let Some(author) = first_author(config) else {
        return Err(
            refused("the site has no author, but a post needs one".into())
                .hint("create one: `sitegen new author \"Ana Díaz\"`"),
        );
    };
    let wanted: Vec<&str> = if languages.is_empty() {
        known[..1].to_vec()
    } else {
        languages.iter().map(String::as_str).collect()
    };
    let text = format!(
        "---
title: {title}
date: {date}
author: {author}
tags: []
excerpt: {excerpt}
draft: true # remove this line to publish the post
---
The first paragraph says what the post is about.

## A heading

Text with **emphasis** and a list:

- one
- two.
",
        title = quoted_text(title),
        excerpt = quoted_text(&format!(
            "{title}: one or two sentences for lists and search engines."
        )),
        date = config.run.now.date(),
    );
    let files = wanted
        .into_iter()
        .map(|code| (Kind::Post.file(&slug, code), text.clone().into_bytes()));
    Ok(Created::new(
        files.collect(),
        "see it with `sitegen serve --drafts`".to_owned(),
    ))
}

/// Refuses languages that the site does not have.
fn check_known(config: &Config, languages: &[String]) -> Result<(), Problem> {
    let known = languages_of(config);
    let Some(unknown) = languages
        .iter()
        .find(|code| !known.contains(&code.as_str()))
    else {
        return Ok(());
    };
    let problem = refused(format!("the site has no language `{unknown}`"));
    Err(problem.maybe_hint(did_you_mean(unknown, known.iter().copied())))
}

/// The sections of a new page.
const SECTIONS: &str = "\
sections:
  hero: {kind: hero}
  # Other kinds of sections are `link_cards`, `numbered_list` or `faq`; `sitegen theme list` names all.
  text: {kind: prose, id: text}
";

/// A page in some languages, or in every language of the site that shows no other's texts: its sections, with their text for
/// each language. One that other languages have gets their text.
pub(super) fn page(config: &Config, title: &str, languages: &[String]) -> NewFiles {
    check_known(config, languages)?;
    let key = slug(title)?;
    let languages = if languages.is_empty() {
        written_in(config)
    } else {
        languages.iter().map(String::as_str).collect()
    };
    let own = text_of(config, &key)?;
    let short = quoted_text(title);
    let text = own.clone().unwrap_or_else(|| {
        format!(
            "hero.title: {short}
hero.lead: What this page is about, in a sentence or two.
text.body: |
  Write Markdown here.
"
        )
    });
    let mut files = Vec::new();
    if own.is_none() {
        files.push((Kind::PageStructure.file(&key, ""), SECTIONS.into()));
    }
    files.extend(languages.iter().map(|code| {
        let prefix = config.site.prefix(code);
        let full = quoted_text(&format!("{title} · {{product.name}}"));
        let description = quoted_text(&format!(
            "{title}: say in one sentence what the page is about ({code})."
        ));
        let text =
            format!("path: {prefix}/{key}/\ntitle: {full}\ndescription: {description}\n\n{text}");
        (Kind::Page.file(&key, code), text.into_bytes())
    }));
    let next = format!(
        "link to it with `to: page:{key}`, for example in `header.menu` of content/site.yaml"
    );
    // They show the words of another language until they have a file.
    let others: Vec<&str> = languages_of(config)
        .into_iter()
        .filter(|code| !languages.contains(code))
        .filter(|code| !config.paths.root.join(Kind::Page.file(&key, code)).exists())
        .collect();
    if others.is_empty() {
        return Ok(Created::new(files, next));
    }
    let (title, codes) = (quoted_text(title), others.join(","));
    let command = format!("sitegen new page {title} --languages {codes}");
    Ok(Created::new(
        files,
        format!("{next}\nwrite it in other languages too: `{command}`"),
    ))
}

/// The text of a page in the first language that has it, without its own keys, such as `path`.
fn text_of(config: &Config, key: &str) -> Result<Option<String>, Problem> {
    let root = &config.paths.root;
    let mut files = languages_of(config)
        .into_iter()
        .map(|code| root.join(Kind::Page.file(key, code)));
    let Some(file) = files.find(|file| root.exists(file)) else {
        return Ok(None);
    };
    let source = root.read_text(&file)?;
    let mut node = yaml::parse(&source, 0..source.text.len())?;
    if let Value::Map(entries) = &mut node.value {
        entries.retain(|(key, _)| {
            !["path", "also_at", "title", "description"].contains(&key.name.as_str())
        });
    }
    Ok(Some(yaml::write(&node)))
}

/// The English words of the theme, to be translated into the main language of a site.
pub(super) fn locale_file(theme: &Theme, code: &str) -> Result<NewContent, Problem> {
    let source = theme.source(&Kind::Locale.file("", "en")).ok_or_else(|| {
        refused("this program contains no interface messages to translate".into())
    })?;
    let words = source
        .text
        .split_once("\nmessages:")
        .map_or("", |(_, words)| words);
    let text = format!("# Translate this file: its texts are in English.\nmessages:{words}");
    Ok((Kind::Locale.file("", code), text.into_bytes()))
}

/// The code of a language as the standard writes it. Refuses what is none, such as `english`.
pub(super) fn check_language(code: &str) -> Result<String, Problem> {
    let tag = Tag::parse(code).map_err(|bad| refused(bad.message).hint(bad.hint))?;
    Ok(tag.as_str().to_owned())
}

/// The languages for which new texts are written: links lead to pages in these from one that has a fallback.
fn written_in(config: &Config) -> Vec<&str> {
    languages_of(config)
        .into_iter()
        .filter(|code| !config.site.fallback.contains_key(*code))
        .collect()
}

fn languages_of(config: &Config) -> Vec<&str> {
    config
        .site
        .locales
        .iter()
        .map(|code| code.value.as_str())
        .collect()
}

/// The author whose file comes first.
fn first_author(config: &Config) -> Option<String> {
    let entries = fs_err::read_dir(config.paths.root.join("content/authors")).ok()?;
    let keys = entries.flatten().filter_map(|entry| {
        let (name, is_folder) = (entry.file_name().into_string().ok()?, entry.path().is_dir());
        let key = if is_folder {
            Some(name.as_str())
        } else {
            name.strip_suffix(".yaml")
        };
        key.filter(|_| !files::is_litter(&name)).map(str::to_owned)
    });
    keys.min()
}

/// The words of a title in the letters of an address: `Más rápido` → `mas-rapido`.
pub(super) fn ascii_slug(title: &str) -> String {
    if !title.contains(char::is_alphanumeric) {
        return String::new();
    }
    let mut plain = String::with_capacity(title.len());
    for c in lower_case(title).nfkd().filter(|c| !is_mark(*c)) {
        match search_index::typed(c) {
            Some(letters) => plain.push_str(letters),
            None => plain.push(c),
        }
    }
    let slug = site::model::blog::tag_slug(&plain);
    let ascii: String = slug
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .collect();
    ascii
        .split('-')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

/// Makes a part of a URL from a title: in Latin letters, or in its own script if that is another one.
pub(super) fn slug(title: &str) -> Result<String, Problem> {
    let (latin, others) = title
        .nfd()
        .filter(|c| c.is_alphabetic())
        .partition::<Vec<char>, _>(char::is_ascii);
    let slug = if latin.len() < others.len() {
        own_slug(title)
    } else {
        ascii_slug(title)
    };
    if slug.is_empty() {
        let message = format!("`{title}` has no letter or digit that a URL can contain");
        return Err(
            refused(message).hint("choose a title with letters, then change it in the file")
        );
    }
    Ok(slug)
}

/// Makes one from a title in its own letters, which can need marks: `カフェと本` → `カフェと本`.
fn own_slug(title: &str) -> String {
    let slug = site::model::blog::tag_slug(title);
    slug.split(|c: char| !c.is_alphanumeric() && !is_mark(c))
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

pub(super) fn refused(message: String) -> Problem {
    Problem::error(Code::NewRefused, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_become_file_names() {
        assert_eq!(
            slug("Más rápido que ayer").ok().as_deref(),
            Some("mas-rapido-que-ayer")
        );
        assert_eq!(slug("Acme \"& Söhne\"").ok().as_deref(), Some("acme-sohne"));
        assert_eq!(slug("../../etc").ok().as_deref(), Some("etc"));
        assert_eq!(slug("東京 2026、夏").ok().as_deref(), Some("東京-2026-夏"));
        assert_eq!(slug("カフェがある").ok().as_deref(), Some("カフェがある"));
        assert_eq!(slug("हिन्दी में").ok().as_deref(), Some("हिन्दी-में"));
        assert_eq!(slug("Straße, Łódź").ok().as_deref(), Some("strasse-lodz"));
        assert!(slug("").is_err() && slug(" – ").is_err());
    }
}
