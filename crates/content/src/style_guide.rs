//! Reads the sidebar of the style guide, `content/style-guide/sidebar.yaml`, and checks that the sections of the guide
//! match the design.
//!
//! Sections refer to tokens by name; values are from `content/design.yaml`. Where a section also contains the value,
//! for readers of the file, both are compared, so that the guide cannot be out of date.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use config::Config;
use diagnostics::problem::{Code, Problem, Problems, Source};
use diagnostics::yaml;
use schema::types::{Link, TOKEN, Token};
use workspace::kinds::Kind;

use super::origins;
use super::pages::PageFile;
use super::sections::{Section, SectionRole};
use config::design::Design;

/// The file with which a site adds a style guide.
pub(super) const SIDEBAR: &str = Kind::Sidebar.path();

/// The sidebar of the guide; empty for a site without a guide.
#[derive(Debug, Clone, Default)]
pub struct Sidebar {
    /// Links, in order.
    pub links: Vec<SidebarLink>,
    /// The source file.
    pub source: Option<Arc<Source>>,
}

/// A link of the sidebar.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SidebarLink {
    /// Its label.
    pub name: String,
    /// Its target.
    pub path: Link,
    /// Nested links.
    #[serde(default)]
    pub links: Vec<SidebarLink>,
}

/// Reads the sidebar.
pub(super) fn load(config: &Config) -> (Sidebar, Problems) {
    let root = &config.paths.root;
    let mut problems = Problems::new();
    let path = root.join(SIDEBAR);
    if !root.exists(&path) {
        return (Sidebar::default(), problems);
    }
    let read = root
        .read_text(&path)
        .and_then(|source| yaml::parse(&source, 0..source.text.len()).map(|node| (source, node)));
    match read {
        Ok((source, mut node)) => {
            origins::mark_tree(&config.site, &source, &mut node);
            let links = yaml::read(&source, &node, &mut problems).unwrap_or_default();
            (
                Sidebar {
                    links,
                    source: Some(source),
                },
                problems,
            )
        }
        Err(problem) => (Sidebar::default(), problem.into()),
    }
}

/// The icons that the guide shows, each with its source file.
pub fn icons<'a>(
    pages: impl Iterator<Item = &'a PageFile>,
) -> impl Iterator<Item = (&'a Source, Token)> {
    named_tokens(pages).filter(|(_, token)| token.group == ICON)
}

/// The colors in the swatches of the guide.
pub fn colors<'a>(pages: impl Iterator<Item = &'a PageFile>) -> impl Iterator<Item = String> {
    let swatches =
        sections(pages).filter(|(_, section)| section.kind.role == SectionRole::Swatches);
    swatches
        .flat_map(|(_, section)| tokens_in(&section.fields))
        .map(|token| token.name)
}

/// The group of the names of icons, which are files and not in `content/design.yaml`.
const ICON: &str = "icon";

fn sections<'a>(
    pages: impl Iterator<Item = &'a PageFile>,
) -> impl Iterator<Item = (&'a Source, &'a Section)> {
    pages.flat_map(|page| page.sections.iter().map(|section| (&*page.source, section)))
}

/// The tokens in the fields of a section, in order.
fn tokens_in(fields: &Json) -> Vec<Token> {
    match fields {
        Json::Array(items) => items.iter().flat_map(tokens_in).collect(),
        Json::Object(map) => match map.get(TOKEN) {
            Some(token) => Token::deserialize(token).into_iter().collect(),
            None => map.values().flat_map(tokens_in).collect(),
        },
        _ => Vec::new(),
    }
}

fn named_tokens<'a>(
    pages: impl Iterator<Item = &'a PageFile>,
) -> impl Iterator<Item = (&'a Source, Token)> {
    sections(pages).flat_map(|(source, section)| {
        tokens_in(&section.fields)
            .into_iter()
            .map(move |token| (source, token))
    })
}

/// The tokens that the guide names, each with its source file.
pub fn tokens<'a>(pages: impl Iterator<Item = &'a PageFile> + Clone) -> Vec<(&'a Source, Token)> {
    let mut found: Vec<(&Source, Token)> = named_tokens(pages.clone())
        .filter(|(_, token)| token.group != ICON)
        .collect();
    // The uses of a group are by the names of its tokens.
    for (source, section) in
        sections(pages).filter(|(_, section)| section.kind.role == SectionRole::Tokens)
    {
        let group = section.fields["group"].as_str().unwrap_or_default();
        let uses = section.fields["uses"].as_object().into_iter().flatten();
        found.extend(uses.map(|(name, _)| {
            let span = yaml::span_of_key(source, &["uses", name]).unwrap_or_default();
            (
                source,
                Token {
                    group: group.to_owned(),
                    name: name.clone(),
                    span,
                },
            )
        }));
    }
    found
}

/// Checks that the guide matches the tokens.
pub fn check<'a>(pages: impl Iterator<Item = &'a PageFile> + Clone, design: &Design) -> Problems {
    let mut problems = Problems::new();
    for (source, section) in
        sections(pages.clone()).filter(|(_, section)| section.kind.role == SectionRole::Tokens)
    {
        let group = section.fields["group"].as_str().unwrap_or_default();
        if design.group(group).next().is_none() && !design.broken {
            let problem = Problem::error(
                Code::UnknownToken,
                format!("there are no tokens in the group `{group}`"),
            );
            problems.push(problem.at(yaml::place_of_text(source, &["group"], group)));
        }
    }
    for (source, Token { group, name, span }) in tokens(pages) {
        if let Some(problem) = design.unknown(&group, &name) {
            problems.push(problem.at(source.place(span)));
        }
    }
    problems
}
