//! `sitegen new entry` and `sitegen new author`: an entry of a collection with its required fields.

use config::Config;
use content::collections::{AUTHORS, CollectionSchema, Missing};
use diagnostics::problem::did_you_mean;
use diagnostics::yaml::{quoted_text, value_text};
use schema::types::FieldType;
use schema::{Field, Takes};

use super::Created;
use super::content::{NewFiles, refused, slug};

/// The fields that the title of a new entry is written to, by precedence.
const NAMES: [&str; 4] = ["title", "name", "term", "question"];

/// An entry with all required fields, and the others as comments.
pub(super) fn entry(config: &Config, collection: &str, title: &str) -> NewFiles {
    let (schemas, _) = content::collection_schemas(config);
    let Some(schema) = schemas.iter().find(|schema| schema.name == collection) else {
        let problem = refused(format!("there is no collection `{collection}`"));
        let known: Vec<&str> = schemas
            .iter()
            .filter(|schema| !schema.is_of_posts())
            .map(|schema| schema.name)
            .collect();
        return Err(if known.is_empty() {
            problem.hint(format!("`sitegen new collection {collection}` creates it"))
        } else {
            problem.maybe_hint(did_you_mean(collection, known))
        });
    };
    if schema.is_of_posts() {
        let problem = refused(format!(
            "`{collection}` is the blog, whose entries are posts"
        ));
        return Err(problem.hint(format!("run `sitegen new post {}`", quoted_text(title))));
    }
    let key = slug(title)?;
    let named = NAMES.iter().find(|name| {
        schema
            .fields
            .field(name)
            .is_some_and(|field| matches!(field.takes, Takes::Text))
    });
    let lines = schema
        .fields
        .fields
        .iter()
        .filter(|field| !matches!(field.takes, Takes::Reverse(..)))
        .map(|field| {
            let value = if named == Some(&field.name) {
                quoted_text(title)
            } else {
                example(config, title, field)
            };
            let value = if field.list {
                format!("[{value}]")
            } else {
                value
            };
            let value = if field.words {
                in_languages(config, schema.missing, &value)
            } else {
                value
            };
            let comment = if field.required || named == Some(&field.name) {
                ""
            } else {
                "# "
            };
            let meaning = field.meaning.trim_end().replace('\n', "\n# ");
            format!("# {meaning}\n{comment}{}: {value}\n", field.name)
        });
    let text = languages_note(config, schema) + &lines.collect::<String>();
    let next = format!(
        "edit the values; `sitegen check` reports those that don't match `{}`",
        schema.source.path
    );
    Ok(Created::new(
        vec![(
            format!("content/{collection}/{key}.yaml"),
            text.into_bytes(),
        )],
        next,
    ))
}

/// An author: an entry of their collection.
pub(super) fn author(config: &Config, name: &str) -> NewFiles {
    let created = entry(config, AUTHORS, name)?;
    let next = format!(
        "edit the values, and name the author in posts with `author: {}`",
        value_text(&slug(name)?, false)
    );
    Ok(Created { next, ..created })
}

/// Says where the words of other languages stand, in a site that has some.
fn languages_note(config: &Config, schema: &CollectionSchema) -> String {
    let locales = &config.site.locales;
    let [main, other, ..] = &locales[..] else {
        return String::new();
    };
    let has_words = schema.fields.fields.iter().any(|field| field.words);
    if !has_words || schema.missing == Missing::Error {
        return String::new();
    }
    format!(
        "# To add text in another language, write: {{{}: …, {}: …}}.\n\n",
        main.value, other.value
    )
}

/// A word with its text in the main language, or in each one if none may lack it. A copied text would be no translation.
fn in_languages(config: &Config, missing: Missing, value: &str) -> String {
    let count = if missing == Missing::Error {
        usize::MAX
    } else {
        1
    };
    let words = config
        .site
        .locales
        .iter()
        .take(count)
        .map(|code| format!("{}: {value}", code.value));
    format!("{{{}}}", words.collect::<Vec<_>>().join(", "))
}

/// A value of the type of a field, in an entry with this title.
fn example(config: &Config, title: &str, field: &Field) -> String {
    match &field.takes {
        // With the title, because two pages with the same description are an error.
        Takes::Text | Takes::Markdown => quoted_text(&format!("{title}: write this.")),
        Takes::Link => "/".to_owned(),
        Takes::Number => "1".to_owned(),
        Takes::Flag => "true".to_owned(),
        Takes::Choice { names, .. } => names.first().copied().unwrap_or_default().to_owned(),
        Takes::Picture => "{src: photo.jpg, alt: What it shows}".to_owned(),
        Takes::DecorativePicture => "photo.jpg".to_owned(),
        Takes::Action => "{label: Read on, to: /}".to_owned(),
        Takes::Reference(to) => first_key(config, to),
        Takes::Typed(FieldType::Date | FieldType::Moment) if field.required => {
            config.run.now.date()
        }
        Takes::Typed(typed) => typed.example().to_owned(),
        Takes::Block(block) => {
            let fields = block.fields.iter();
            let required: Vec<&Field> = fields
                .filter(|inner| inner.required || inner.required_unless.is_some())
                .collect();
            let shown = if required.is_empty() {
                block.fields.iter().take(1).collect()
            } else {
                required
            };
            let values = shown.into_iter().map(|inner| {
                let value = example(config, title, inner);
                format!(
                    "{}: {}",
                    inner.name,
                    if inner.list {
                        format!("[{value}]")
                    } else {
                        value
                    }
                )
            });
            format!("{{{}}}", values.collect::<Vec<_>>().join(", "))
        }
        // Computed, or in sections only.
        Takes::Reverse(..)
        | Takes::Like(_)
        | Takes::Name
        | Takes::FlagOrText
        | Takes::Values
        | Takes::Token(_) => "{}".to_owned(),
    }
}

/// The key of the first entry of a collection.
fn first_key(config: &Config, collection: &str) -> String {
    let (content, _) = content::load(config);
    let first = content
        .collections
        .named(collection)
        .and_then(|collection| collection.entries.first());
    first.map_or_else(|| "key".to_owned(), |entry| entry.key.clone())
}
