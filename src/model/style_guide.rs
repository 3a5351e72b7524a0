//! The style guide's sidebar, ready for links, and the pairs of colors that it shows.

use std::sync::Arc;

use crate::config::Config;
use crate::content::design::Pair;
use crate::content::style_guide::{self, SidebarLink};
use crate::content::{Content, placeholders};
use diagnostics::problem::{Problems, Source};

use super::{LabeledLink, Target};

/// What the guide shows beside the sections of its pages.
#[derive(Debug, Default)]
pub struct StyleGuide {
    /// The links beside every page.
    pub sidebar: Vec<SidebarEntry>,
    /// Pairs of text and ground.
    pub pairs: Vec<Pair>,
    /// The sidebar's file.
    pub source: Option<Arc<Source>>,
}

/// A link of the sidebar, and those below it.
#[derive(Debug)]
pub struct SidebarEntry {
    /// Itself.
    pub link: LabeledLink,
    /// What lies below it.
    pub below: Vec<SidebarEntry>,
}

impl SidebarEntry {
    /// Calls `visit` for the link and all below it.
    pub fn links<'a>(&'a self, visit: &mut dyn FnMut(&'a Target)) {
        visit(&self.link.target);
        self.below.iter().for_each(|entry| entry.links(visit));
    }
}

/// Compares the guide with the tokens, and reads its sidebar.
pub(super) fn resolve(config: &Config, content: &Content) -> (StyleGuide, Problems) {
    let guide = StyleGuide {
        sidebar: content.sidebar.links.iter().map(|link| entry(config, link)).collect(),
        pairs: content.design.pairs.clone(),
        source: content.sidebar.source.clone(),
    };
    (guide, style_guide::check(&content.pages, &content.design))
}

fn entry(config: &Config, link: &SidebarLink) -> SidebarEntry {
    let target = Target { to: placeholders::fill(&link.path.0.value, config), span: link.path.0.span };
    SidebarEntry {
        link: LabeledLink { label: placeholders::fill(&link.name, config), target },
        below: link.links.iter().map(|link| entry(config, link)).collect(),
    }
}
