//! Reads the sidebar of the style guide, `content/style-guide/sidebar.yaml`, and checks that the sections of the guide
//! match the design.
//!
//! Sections refer to tokens by name; values are from `content/design.yaml`. Where a section also contains the value,
//! for readers of the file, both are compared, so that the guide cannot be out of date.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use config::Config;
use diagnostics::problem::{Code, Problem, Problems, Source, Span};
use diagnostics::yaml::{self, Spanned};
use schema::types::Link;

use super::origins;
use super::pages::PageFile;
use super::sections::Body;
use super::sections::guide::Name;
use config::design::Design;

const SIDEBAR: &str = "content/style-guide/sidebar.yaml";

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
    let read =
        root.read_text(&path).and_then(|source| yaml::parse(&source, 0..source.text.len()).map(|node| (source, node)));
    match read {
        Ok((source, mut node)) => {
            origins::mark_tree(&config.site, &source, &mut node);
            let links = yaml::read(&source, &node, &mut problems).unwrap_or_default();
            (Sidebar { links, source: Some(source) }, problems)
        }
        Err(problem) => (Sidebar::default(), problem.into()),
    }
}

/// The icons that the guide shows, each with its source file.
pub fn icons<'a>(pages: impl Iterator<Item = &'a PageFile>) -> impl Iterator<Item = (&'a Source, &'a Spanned<String>)> {
    bodies(pages)
        .filter_map(|(source, body)| match body {
            Body::GuideIcons(section) => Some((source, section)),
            _ => None,
        })
        .flat_map(|(source, section)| section.icons.iter().map(move |name| (source, &name.0)))
}

/// The colors in the swatches of the guide.
pub fn colors<'a>(pages: impl Iterator<Item = &'a PageFile>) -> impl Iterator<Item = &'a str> {
    bodies(pages)
        .filter_map(|(_, body)| match body {
            Body::GuideSwatches(section) => Some(&section.swatches),
            _ => None,
        })
        .flatten()
        .map(|swatch| swatch.color.0.value.as_str())
}

fn bodies<'a>(pages: impl Iterator<Item = &'a PageFile>) -> impl Iterator<Item = (&'a Source, &'a Body)> {
    pages.flat_map(|page| page.sections.iter().map(|section| (&*page.source, &section.body)))
}

/// A token that the guide names: its group, its name and where that is written.
#[derive(Debug)]
pub struct TokenUse<'a> {
    /// Such as `color`.
    pub group: &'a str,
    /// Such as `ink`.
    pub name: &'a str,
    /// The file.
    pub source: &'a Source,
    /// The span of its name.
    pub span: Span,
}

/// The tokens that the guide names.
pub fn tokens<'a>(pages: impl Iterator<Item = &'a PageFile>) -> Vec<TokenUse<'a>> {
    let mut found: Vec<(&'a str, &'a str, &'a Source, Span)> = Vec::new();
    for (source, body) in bodies(pages) {
        let mut add =
            |group: &'static str, name: &'a Name| found.push((group, name.0.value.as_str(), source, name.0.span));
        match body {
            Body::GuideSwatches(section) => section.swatches.iter().for_each(|swatch| add("color", &swatch.color)),
            Body::GuideContrast(section) => section.grounds.iter().for_each(|name| add("color", name)),
            Body::GuideType(section) => add("font", &section.font),
            Body::GuideLogo(section) => {
                for variant in &section.variants {
                    add("color", &variant.color);
                    add("color", &variant.ground);
                }
            }
            Body::GuideTokens(section) => {
                let group = section.group.0.value.as_str();
                for name in section.uses.keys() {
                    found.push((
                        group,
                        name.as_str(),
                        source,
                        yaml::span_of_key(source, &["uses", name]).unwrap_or_default(),
                    ));
                }
            }
            _ => {}
        }
    }
    found.into_iter().map(|(group, name, source, span)| TokenUse { group, name, source, span }).collect()
}

/// Checks that the guide matches the tokens.
pub fn check<'a>(pages: impl Iterator<Item = &'a PageFile> + Clone, design: &Design) -> Problems {
    let mut problems = Problems::new();
    for (source, body) in bodies(pages.clone()) {
        let Body::GuideTokens(section) = body else { continue };
        let group = &section.group.0;
        if design.group(group).next().is_none() && !design.broken {
            let problem = Problem::error(Code::UnknownToken, format!("there are no tokens `{}`", group.value));
            problems.push(problem.at(source.place(group.span)));
        }
    }
    for TokenUse { group, name, source, span } in tokens(pages) {
        if let Some(problem) = design.unknown(group, name) {
            problems.push(problem.at(source.place(span)));
        }
    }
    problems
}
