//! The choices of a schema: each value with what it means, or with its name in each language of the site.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::Value as Json;

use crate::types::{Choice, Typed};
use diagnostics::problem::Span;
use diagnostics::yaml::{self, Node, Spanned, Value};

use super::{SchemaReader, Takes, leaked, marked};

/// The name of a value in each language.
#[derive(Debug, PartialEq, Eq)]
pub struct ChoiceNames {
    /// By the code of the language.
    pub names: BTreeMap<String, String>,
    /// The place of the block.
    pub span: Span,
}

/// The description of a value in a schema, for its JSON Schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is read key by key, in order")]
pub enum ChoiceEntry {
    /// Its meaning, in a sentence for editors.
    Meaning(String),
    /// Its name in each language, as pages show it.
    Names(BTreeMap<String, String>),
}

impl Takes {
    /// A value of a choice by its key: the key, or the key with the names that pages show.
    pub fn choice(&self, key: &str) -> Json {
        let Takes::Choice { names, shown, .. } = self else {
            return Json::from(key);
        };
        let Some(place) = names
            .iter()
            .position(|name| *name == key)
            .filter(|at| *at < shown.len())
        else {
            return Json::from(key);
        };
        let names = shown[place].names.clone();
        marked(&Typed::Choice(Choice {
            key: key.to_owned(),
            names,
            place: u32::try_from(place).unwrap_or_default(),
        }))
    }
}

impl SchemaReader<'_> {
    pub fn choice(&mut self, default: Option<&Spanned<String>>, node: &Node) -> Option<Takes> {
        let entries = self.entries(
            node,
            "write each value with its meaning, `wide: As wide as the page`, or with its names, `easy: {en: Easy}`",
        )?;
        let names: Vec<&'static str> = entries.iter().map(|(key, _)| leaked(&key.name)).collect();
        let (mut meanings, mut shown) = (Vec::new(), Vec::new());
        for (_, said) in entries {
            if let Value::Map(_) = said.value {
                let names: BTreeMap<String, String> = yaml::read(self.source, said, self.problems)?;
                meanings.push(names.values().next().cloned().unwrap_or_default());
                shown.push(ChoiceNames {
                    names,
                    span: said.span,
                });
            } else {
                meanings.push(yaml::read::<String>(self.source, said, self.problems)?);
            }
        }
        if !shown.is_empty() && shown.len() < names.len() {
            let plain = entries
                .iter()
                .find(|(_, said)| !matches!(said.value, Value::Map(_)))
                .map_or(node, |(_, at)| at);
            let hint = "write this one as a block of languages, too: `easy: {en: Easy, es: Fácil}`";
            self.report(
                plain,
                "other choices of this field have a name in each language",
                hint,
            );
            return None;
        }
        let named =
            |written: &Spanned<String>| names.iter().copied().find(|name| **name == written.value);
        if let Some(written) = default
            && named(written).is_none()
        {
            let hint = format!("choose one of `{}`", names.join("`, `"));
            self.report_at(
                written.span,
                format!("`{}` is not one of the choices", written.value),
                hint,
            );
            return None;
        }
        let default = default.and_then(named);
        Some(Takes::Choice {
            names,
            meanings,
            default,
            shown,
        })
    }
}
