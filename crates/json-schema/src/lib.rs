//! The content of the YAML files of a site: what a place in them takes. Forms, editors and translators ask it, and
//! `sitegen schema` writes it as JSON Schemas.
//!
//! It comes from the structs that read the files, and from the fields that YAML declares, so it knows every key, type and
//! allowed value, and what each means. It describes one file: relations between files, such as a link and its target, only
//! `sitegen check` knows.

mod declared;
mod expected;
mod json;

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde_json::Value as Json;

use config::{Config, Redirect, SiteSettings, VisitsPreset};
use diagnostics::problem::Problems;
use languages::locale::LocaleFile;

use config::design::DeclaredPair;
use config::fonts::Font;
use config::look::DeclaredLook;
use content::collections::{
    Collection, CollectionFile, CollectionSchema, Collections, KEY_OF_ROW, SETTINGS, posts_of_theme,
};
use content::forms::{FormFile, FormWords};
use content::gallery::{ComponentFile, SectionExample};
use content::pages::{self, PageHead};
use content::sections::{self, Kinds, SchemaFile, SectionKind};
use content::style_guide::SidebarLink;
use schema::Field;
use workspace::kinds::Kind;

use declared::{block, in_languages};
use json::of;

pub use declared::field_of_entry;
pub use expected::{
    AllowedValue, Expected, FileContents, KeyBlock, NamedType, Property, Scalar, ScalarKind,
    Sections, Simplest, ValueForm,
};
pub use json::read;

/// The content of a kind of file in a site with these section kinds.
pub fn contents(kind: Kind, kinds: &Kinds) -> FileContents {
    let whole = match kind {
        Kind::Page | Kind::PageStructure | Kind::SectionExamples => {
            return with_sections(kind, kinds);
        }
        // The fields of a site's own posts go before those of the theme.
        Kind::Post => entry(posts_of_theme(), &[]).into(),
        Kind::Collection => of::<CollectionFile>(),
        Kind::ComponentExamples => of::<ComponentFile>(),
        Kind::Design => of::<DesignFile>(),
        Kind::Form => of::<FormFile>(),
        Kind::FormWords => of::<FormWords>(),
        Kind::Locale => of::<LocaleFile>(),
        Kind::Redirects => of::<Vec<Redirect>>(),
        Kind::SectionKind => of::<SchemaFile>(),
        Kind::Sidebar => of::<Vec<SidebarLink>>(),
        Kind::Site => {
            let mut site = of::<SiteSettings>().unnamed();
            for key in site.keys_mut() {
                key.required = SiteSettings::REQUIRED.contains(&&*key.name);
            }
            site
        }
        Kind::Terms => of::<Vec<translations::terms::Term>>(),
        Kind::VisitsPreset => of::<VisitsPreset>(),
    };
    whole.into()
}

/// Files that have one schema.
#[derive(Debug)]
pub struct DescribedFiles {
    /// The name of the kind of file, such as `page`. Those of collections are `collection-events`, or
    /// `collection-events-words` for files of one language.
    pub name: String,
    /// The purpose of such a file.
    pub meaning: String,
    /// Patterns of its paths, as those of a [`Kind`].
    pub files: Vec<String>,
    /// The JSON Schema, draft 2020-12.
    pub schema: Json,
}

impl DescribedFiles {
    fn new(name: &str, meaning: &str, files: Vec<String>, content: &FileContents) -> Self {
        DescribedFiles {
            name: name.to_owned(),
            meaning: meaning.to_owned(),
            files,
            schema: json::document(meaning, content),
        }
    }
}

/// The kinds of files of a site, those of its collections and of the theme included, sorted by name. Without a site, those
/// that every site has.
pub fn files(config: Option<&Config>, kinds: &Kinds) -> Vec<DescribedFiles> {
    let mut all = config.map(of_collections).unwrap_or_default();
    for kind in Kind::all() {
        // A site may add fields to posts.
        if all.iter().all(|own| own.name != kind.name()) {
            all.push(DescribedFiles::new(
                kind.name(),
                kind.meaning(),
                kind.patterns(),
                &contents(kind, kinds),
            ));
        }
    }
    all.sort_by(|one, next| one.name.cmp(&next.name));
    all
}

fn of_collections(config: &Config) -> Vec<DescribedFiles> {
    // A mistake in the theme has nothing to do with schemas.
    let _ = content::lay_out_theme(config);
    let languages: Vec<&str> = config
        .site
        .locales
        .iter()
        .map(|code| &code.value)
        .chain(&config.site.withheld)
        .map(String::as_str)
        .collect();
    let ((schemas, _), _) = content::collections::load_schemas(config);
    schemas
        .iter()
        .flat_map(|schema| files_of_collection(schema, &languages))
        .collect()
}

/// The front matter of posts in a site, with the fields that it adds.
pub fn of_posts(config: &Config) -> FileContents {
    let ((schemas, _), _) = content::collections::load_schemas(config);
    let schema = schemas
        .into_iter()
        .find(|schema| schema.is_of_posts())
        .unwrap_or_else(posts_of_theme);
    Expected::from(entry(schema, &[])).into()
}

fn files_of_collection(schema: &CollectionSchema, languages: &[&str]) -> Vec<DescribedFiles> {
    let name = schema.name;
    let whole = entry(schema, languages);
    let kind = |name: &str, files: Vec<String>, content: Expected| {
        DescribedFiles::new(name, &schema.meaning, files, &content.into())
    };
    if name == SETTINGS {
        let file = "content/settings.yaml".to_owned();
        return vec![kind("settings", vec![file], whole.into())];
    }
    if schema.is_of_posts() {
        let post = Kind::Post;
        return vec![kind(post.name(), post.patterns(), whole.into())];
    }
    if schema.url.is_some() {
        return Vec::new();
    }
    let kind_name = format!("collection-{name}");
    if let Some((file, _)) = &schema.file {
        if !file.ends_with(".yaml") {
            return Vec::new();
        }
        let mut row = whole.clone();
        let key = Expected::text().meaning("Its key.");
        row.keys.push(Property::new(KEY_OF_ROW, key));
        let table = ValueForm::Either(vec![
            KeyBlock::map_of(whole.into()).into(),
            Expected::from(row).listed(),
        ]);
        let files = vec![format!("content/{name}/{file}")];
        return vec![kind(&kind_name, files, table.into())];
    }
    let mut words = whole.clone();
    for key in &mut words.keys {
        key.required = false;
    }
    // A file of one language may replace a part of a value by its path: `prices.1.label`.
    words.paths = Some(Box::default());
    let file_of = |pattern: &str| format!("content/{name}/{pattern}");
    let of_words = vec![file_of("*/*.yaml"), format!("!{}", file_of("*/entry.yaml"))];
    vec![
        kind(&format!("{kind_name}-words"), of_words, words.into()),
        kind(
            &kind_name,
            vec![file_of("*.yaml"), file_of("*/entry.yaml")],
            whole.into(),
        ),
    ]
}

/// The values of an entry. What a file of a language may give is not required in that of facts.
fn entry(schema: &CollectionSchema, languages: &[&str]) -> KeyBlock {
    block(&schema.fields, |field| {
        let key = declared::key(field);
        Property {
            required: key.required && !field.words,
            value: in_languages(field, key.value, languages),
            ..key
        }
    })
}

/// The entries of a collection, for editors. A field may have a text for each language, and the values of a reference are
/// the entries that there are, with their names.
pub fn entry_contents(
    collections: &Collections,
    collection: &Collection,
    languages: &[&str],
) -> FileContents {
    // All fields of a post are in its file.
    let is_whole = collection.schema.is_of_posts();
    let key = |field: &Field| Property {
        required: is_whole && field.absent().is_none(),
        ..Property::new(
            field.name,
            in_languages(field, field_of_entry(collections, field), languages),
        )
    };
    Expected::from(block(&collection.schema.fields, key)).into()
}

/// The section kinds of a site, and their problems.
pub fn kinds(config: &Config) -> (Kinds, Problems) {
    let mut problems = content::lay_out_theme(config);
    let kinds = problems.take(sections::load_kinds(
        &config.paths.root,
        &config.paths.theme_root(),
    ));
    (kinds, problems)
}

// The keys of `content/design.yaml`, which is read part by part.
#[derive(Default, JsonSchema)]
#[serde(default)]
#[expect(dead_code, reason = "only its JSON schema is used")]
struct DesignFile {
    /// Pairs of text and background with enough contrast.
    contrast: Vec<DeclaredPair>,
    /// Pairs that text must not use, each with the reason.
    forbidden: Vec<DeclaredPair>,
    /// Variants of the theme.
    look: DeclaredLook,
    /// Fonts from npm packages, by token.
    fonts: Vec<Font>,
    /// Names of font files that pages load before anything else.
    preload_fonts: Vec<String>,
    #[serde(flatten)]
    groups: BTreeMap<String, TokenGroup>,
}

/// A group of tokens: `ink` in `color` is the custom property `--color-ink`.
#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "only its JSON schema is used")]
struct TokenGroup(BTreeMap<String, String>);

/// The files that contain sections, and the texts of a page.
fn with_sections(kind: Kind, kinds: &Kinds) -> FileContents {
    let sections = all_sections(kinds);
    let section = any_section(&sections);
    let mut words = None;
    let whole = match kind {
        Kind::SectionExamples => {
            let mut example = of::<SectionExample>().unnamed();
            for key in example.keys_mut() {
                if key.name == "section" {
                    key.value = section.clone();
                }
            }
            example.listed()
        }
        Kind::PageStructure => {
            let named = Expected::from(KeyBlock::map_of(section));
            page(named.meaning("The sections by name, in order.")).into()
        }
        _ => {
            words = Some(words_of_page());
            let mut page = page(section.listed().meaning("The sections, in order."));
            for key in &mut page.keys {
                key.required = pages::REQUIRED.contains(&&*key.name);
            }
            page.into()
        }
    };
    FileContents {
        whole,
        words,
        sections,
        // The languages add words, so nothing but kinds is required.
        is_part: kind == Kind::PageStructure,
    }
}

/// The keys of a page with such sections.
fn page(sections: Expected) -> KeyBlock {
    let mut keys = of::<PageHead>().properties().to_vec();
    keys.push(Property::new("sections", sections));
    KeyBlock::of(keys)
}

fn words_of_page() -> Expected {
    let KeyBlock { keys, .. } = page(Expected::text().listed().meaning(
        "The names of the sections in this language's order, if it differs from `page.yaml`.",
    ));
    // A page that is like another one needs nothing of its own but what differs.
    let names = keys.iter().map(|key| key.name.clone());
    let not_enough = names.filter(|name| name != "like" && name != "sections");
    let not_enough = Some(not_enough.collect());
    let any = Expected::from(KeyBlock::map_of(Expected::default()));
    let path = Expected::default().meaning("Text, by its path in the page: `hero.title`.");
    let words = KeyBlock {
        keys,
        paths: Some(Box::new(path)),
        not_enough,
        ..KeyBlock::map_of(any.meaning("The text of a section, by the section's name."))
    };
    words.into()
}

fn all_sections(kinds: &Kinds) -> Sections {
    let section = |kind: &'static SectionKind| {
        let name = ValueForm::Choice(vec![AllowedValue::new(kind.name, None)]);
        let name = Expected::from(name);
        let mut keys = vec![Property::new("kind", name.meaning(&kind.meaning))];
        for fields in [sections::common(), kind.fields] {
            keys.extend(block(fields, declared::key).keys);
        }
        let section = Expected::from(KeyBlock::of(keys));
        (kind.name, section.meaning(&kind.meaning))
    };
    Arc::new(kinds.iter().map(section).collect())
}

/// A section of any kind.
fn any_section(sections: &Sections) -> Expected {
    let names = sections
        .iter()
        .map(|(name, section)| AllowedValue::new(*name, section.meaning.clone()));
    let kind = Expected::from(ValueForm::Choice(names.collect()))
        .meaning("The kind of section, which determines its keys.");
    let section = KeyBlock {
        keys: vec![Property {
            required: true,
            ..Property::new("kind", kind)
        }],
        kinds: Arc::clone(sections),
        ..KeyBlock::map_of(Expected::default())
    };
    section.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_definition_that_a_schema_names_is_in_it() {
        let kinds = Kinds::of_theme();
        assert!(kinds.iter().count() >= 44, "the kinds of the theme");
        for kind in Kind::all() {
            let schema = json::document(kind.meaning(), &contents(kind, &kinds));
            let text = schema.to_string();
            for reference in text
                .split("\"$ref\":\"")
                .skip(1)
                .filter_map(|rest| rest.split('"').next())
            {
                let name = reference.strip_prefix("#/$defs/").expect(reference);
                assert!(
                    schema["$defs"].get(name).is_some(),
                    "{}: {reference}",
                    kind.name()
                );
            }
        }
    }
}
