//! The words of a page that a language does not have yet, taken from its fallbacks (`fallback` in `site.yaml`): title and
//! description, and whole sections, so that no section is in two languages.

use std::sync::Arc;

use crate::origins;
use crate::sections::Section;
use config::Config;
use diagnostics::problem::{Code, Problems, Source};
use diagnostics::yaml::{Key, Node, Value};

use super::PagePlace;
use super::structure::{self, LENT_HEAD, LENT_LOOK, LENT_STATE, Lender};

/// The parts that other languages lend to a page.
#[derive(Default)]
pub(super) struct Borrowed {
    lenders: Vec<Lender>,
    /// The language that lends all sections.
    list_of: Option<String>,
    /// The borrowed parts, each with the language.
    pub lent: Vec<(String, String)>,
}

/// A section that was read, and its problems.
type Read = (Option<Section>, Problems);

impl Borrowed {
    /// Adds title and description to a page that lacks them, with the dates of the page that they are from, and all its sections
    /// if it has none. The source is that of the page, with the files of the languages that lend after it.
    pub(super) fn head(
        &mut self,
        config: &Config,
        place: PagePlace,
        source: Arc<Source>,
        node: &mut Node,
    ) -> Arc<Source> {
        if !config.site.fallback.contains_key(place.locale) {
            return source;
        }
        let Value::Map(entries) = &mut node.value else {
            return source;
        };
        let root = &config.paths.root;
        let others = config.site.with_fallbacks(place.locale).skip(1);
        let (source, lenders) = structure::lenders(root, place, others, source);
        self.lenders = lenders;
        // The places of texts are those of the files that have the words.
        for lender in &mut self.lenders {
            for node in lender.sections.values_mut().chain(&mut lender.list) {
                origins::mark_tree(&config.site, &source, node);
            }
        }
        let span = node.span;
        let is_missing = |name: &str| entries.iter().all(|(key, _)| key.name != name);
        let mut lent: Vec<(&str, Node, &str)> = Vec::new();
        let mut looks: Vec<(&str, &Lender)> = Vec::new();
        for name in LENT_HEAD.into_iter().filter(|name| is_missing(name)) {
            let found = self
                .lenders
                .iter()
                .find_map(|lender| Some((lender, lender.head.get(name)?)));
            lent.extend(found.map(|(lender, node)| (name, node.clone(), lender.locale.as_str())));
            if let (Some((lender, _)), "title") = (found, name) {
                looks.extend(LENT_STATE.iter().map(|name| (*name, lender)));
            }
        }
        if let Some(lender) = self
            .lenders
            .iter()
            .find(|lender| is_missing("sections") && !lender.list.is_empty())
        {
            lent.push((
                "sections",
                Node::new(Value::List(lender.list.clone()), span),
                &lender.locale,
            ));
            self.list_of = Some(lender.locale.clone());
            looks.push((LENT_LOOK, lender));
        }
        let looks: Vec<(Key, Node)> = looks
            .into_iter()
            .filter(|(name, _)| is_missing(name))
            .filter_map(|(name, lender)| {
                let node = lender.head.get(name)?.clone();
                let name = name.to_owned();
                Some((Key { name, span }, node))
            })
            .collect();
        entries.extend(looks);
        for (name, node, from) in lent {
            entries.push((
                Key {
                    name: name.to_owned(),
                    span,
                },
                node,
            ));
            self.lent.push((name.to_owned(), from.to_owned()));
        }
        source
    }

    /// A section of a page; that of the nearest fallback if the page has no words for it, or not all that it needs.
    pub(super) fn section(
        &mut self,
        read: Read,
        name: Option<&(String, bool)>,
        again: impl Fn(&Node, &mut Problems) -> Option<Section>,
    ) -> Read {
        let Some((name, has_words)) = name.filter(|_| !self.lenders.is_empty()) else {
            return match (&self.list_of, read) {
                (Some(from), (Some(section), _)) => (
                    Some(Section {
                        lent: Some(from.clone()),
                        ..section
                    }),
                    Problems::new(),
                ),
                (_, read) => read,
            };
        };
        if *has_words && !is_lacking(&read.1) {
            return read;
        }
        let found = self
            .lenders
            .iter()
            .find_map(|lender| Some((lender, lender.sections.get(name)?)));
        let Some((lender, node)) = found else {
            return read;
        };
        // Its problems are reported with the page that it is from.
        let section = again(node, &mut Problems::new());
        self.lent.push((name.clone(), lender.locale.clone()));
        (
            section.map(|section| Section {
                lent: Some(lender.locale.clone()),
                ..section
            }),
            Problems::new(),
        )
    }
}

/// Tells whether the only errors are that keys are missing.
fn is_lacking(problems: &Problems) -> bool {
    problems.has_errors()
        && problems
            .iter()
            .all(|problem| problem.code == Code::MissingKey)
}
