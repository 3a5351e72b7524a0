//! The sidebar of the style guide, and the color pairs that it shows.

use std::sync::Arc;

use config::SiteSettings;
use config::design::Pair;
use content::style_guide::{self, SidebarLink};
use content::{Content, placeholders};
use diagnostics::problem::{Problems, Source};

use super::{LabeledLink, Target, Words};

/// The parts of the guide that are not sections of its pages.
#[derive(Debug, Default)]
pub struct StyleGuide {
    /// The links of the sidebar.
    pub sidebar: Vec<SidebarEntry>,
    /// Pairs of text and background colors.
    pub pairs: Vec<Pair>,
    /// The source file of the sidebar.
    pub source: Option<Arc<Source>>,
}

/// A link of the sidebar with its nested links.
#[derive(Debug)]
pub struct SidebarEntry {
    /// The link.
    pub link: LabeledLink,
    /// Nested links.
    pub below: Vec<SidebarEntry>,
}

impl SidebarEntry {
    /// Calls `visit` for the link and all nested links.
    pub fn links<'a>(&'a self, visit: &mut dyn FnMut(&'a Target)) {
        visit(&self.link.target);
        self.below.iter().for_each(|entry| entry.links(visit));
    }
}

/// Resolves the sidebar, and checks that the guide matches the tokens.
pub(super) fn resolve(settings: &SiteSettings, content: &Content) -> (StyleGuide, Problems) {
    let guide = StyleGuide {
        sidebar: content
            .sidebar
            .links
            .iter()
            .map(|link| entry(settings, link))
            .collect(),
        pairs: content.design.pairs.clone(),
        source: content.sidebar.source.clone(),
    };
    (
        guide,
        style_guide::check(content.page_files(), &content.design),
    )
}

fn entry(settings: &SiteSettings, link: &SidebarLink) -> SidebarEntry {
    let target = Target {
        to: placeholders::fill(&link.path.0.value, settings),
        span: link.path.0.span,
    };
    SidebarEntry {
        link: LabeledLink {
            label: Words::of_page(placeholders::fill(&link.name, settings)),
            target,
        },
        below: link
            .links
            .iter()
            .map(|link| entry(settings, link))
            .collect(),
    }
}
