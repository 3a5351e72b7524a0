//! Checks of entries and of the lists of pages: files, references, names of collections and fields.

use std::collections::BTreeMap;

use config::SiteSettings;
use content::Content;
use content::collections::{FILTER_PLACEHOLDERS, LIST_ADDRESS, field_at};
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span, did_you_mean, nearest};
use diagnostics::yaml;
use languages::locale::placeholder_names;
use schema::types::{Reference, Typed};
use schema::{Field as SchemaField, Takes};

use super::super::fields::Field;
use super::super::page::{Body, Page, Section};
use super::places::is_part;
use super::{Collection, Collections, per_page, plain, wanted};

/// Reports files that `static/` does not contain.
pub(super) fn files(content: &Content, field: &Field, source: &Source, problems: &mut Problems) {
    match field {
        Field::List(items) => items
            .iter()
            .for_each(|item| files(content, item, source, problems)),
        Field::Map(entries) => entries
            .iter()
            .for_each(|(_, item)| files(content, item, source, problems)),
        Field::Typed(typed) => {
            if let Typed::File(path, span) = &**typed
                && !content.static_files.iter().any(|file| file.is(path))
            {
                let known = content.static_files.iter().map(|file| file.path.as_str());
                let problem =
                    Problem::error(Code::DeadLink, format!("there is no file `static/{path}`"));
                problems.push(
                    problem
                        .at(source.place(*span))
                        .maybe_hint(did_you_mean(path, known)),
                );
            }
        }
        _ => {}
    }
}

/// Reports references to entries that do not exist, and tells whether there are any, or some to entries that could not be
/// read. An entry that is not public now leaves a gap, and no mistake.
pub(super) fn references(
    content: &Content,
    collections: &Collections,
    pages: &[Page],
    problems: &mut Problems,
) -> bool {
    let mut is_dead = false;
    // Those to collections without any entry, which were deleted probably.
    let mut emptied: BTreeMap<&str, Vec<Problem>> = BTreeMap::new();
    let mut check = |reference: &Reference, source: &Source| {
        let Reference { to, key, span } = reference;
        if collections.find(to, key).is_some() {
            return;
        }
        let Some(collection) = content.collections.named(to) else {
            // A schema that names it was reported.
            is_dead = true;
            return;
        };
        if collection.withdrawn.iter().any(|entry| entry.key == *key) {
            return;
        }
        is_dead = true;
        if !collection.broken.contains(key) {
            let known = collection.entries.iter().map(|entry| entry.key.as_str());
            let known = known.chain(collection.withdrawn.iter().map(|entry| entry.key.as_str()));
            let problem = Problem::error(Code::UnknownId, format!("`{to}` has no entry `{key}`"));
            // Nobody can correct the posts of a CMS in files.
            let is_of_cms = source.path.contains("://");
            let problem = if is_of_cms {
                problem.as_warning()
            } else {
                problem
            };
            let place = if is_of_cms {
                Place::file(source.path.clone())
            } else {
                source.place(*span)
            };
            let problem = problem.at(place).maybe_hint(did_you_mean(key, known));
            if collection.is_empty() && !is_of_cms {
                let found = emptied.entry(collection.schema.name).or_default();
                // Languages share what is a fact.
                if !found.contains(&problem) {
                    found.push(problem);
                }
            } else {
                problems.push(problem);
            }
        }
    };
    for (fields, source) in collections.texts() {
        fields.references(&mut |reference| check(reference, source));
    }
    for page in pages.iter().filter(|page| page.body == Body::Sections) {
        for section in page.sections.iter() {
            section
                .fields
                .references(&mut |reference| check(reference, &page.source));
        }
    }
    for (name, found) in emptied {
        together(
            found,
            |count| format!("`{name}` has no entries, but is referenced {count} times"),
            "restore its entries, or remove the references",
            problems,
        );
    }
    for (fields, source) in collections.texts() {
        twice(fields, source, problems);
    }
    is_dead
}

/// Reports problems of one cause: as they are if there is one, or else once, at the first place.
fn together(
    found: Vec<Problem>,
    message: impl Fn(usize) -> String,
    hint: &str,
    problems: &mut Problems,
) {
    let count = found.len();
    let Some(first) = found.into_iter().next() else {
        return;
    };
    problems.push(if count == 1 {
        first
    } else {
        Problem {
            message: message(count),
            ..first
        }
        .hint(hint)
    });
}

/// Warns of required references to entries that a language leaves out: the page of that language would lack them without a
/// word.
pub(super) fn left_out(content: &Content, collections: &Collections, problems: &mut Problems) {
    for collection in &collections.list {
        let required: Vec<&SchemaField> = collection
            .schema
            .fields
            .fields
            .iter()
            .filter(|field| field.required && matches!(field.takes, Takes::Reference(_)))
            .collect();
        for (locale, text) in collection
            .entries
            .iter()
            .flat_map(|entry| entry.texts.iter().enumerate())
        {
            let Some(text) = text else { continue };
            for field in &required {
                text.fields.get(field.name).iter().for_each(|value| {
                    value.references(&mut |reference: &Reference| {
                        let target = collections.find(&reference.to, &reference.key);
                        if target.is_none_or(|target| collections.text(target, locale).is_some()) {
                            return;
                        }
                        let (code, key) = (
                            &content.locales[locale].code,
                            format!("{}/{}", reference.to, reference.key),
                        );
                        let message = format!(
                            "`{}` is required, but `{key}` is left out in `{code}`",
                            field.name
                        );
                        let problem = Problem::warning(Code::TranslationMissing, message);
                        let hint = format!(
                            "add the text of `{key}` in `{code}`, or leave out this entry as well"
                        );
                        problems.push(problem.at(text.source.place(reference.span)).hint(hint));
                    });
                });
            }
        }
    }
}

/// Reports references that a list has twice.
fn twice(fields: &Field, source: &Source, problems: &mut Problems) {
    let Field::Map(fields) = fields else { return };
    for (_, field) in fields {
        let Field::List(items) = field else { continue };
        let mut keys: Vec<&str> = Vec::new();
        for item in items {
            item.references(&mut |reference| {
                // A computed field has no places.
                if keys.contains(&reference.key.as_str())
                    && reference.span != Span::default()
                    && !matches!(item, Field::Map(_))
                {
                    let problem = Problem::error(
                        Code::DuplicateId,
                        format!("`{}` is listed twice", reference.key),
                    );
                    problems.push(problem.at(source.place(reference.span)));
                }
                keys.push(&reference.key);
            });
        }
    }
}

/// Reports collections whose entries have no pages because no page lists them, lists of which only the first counts, and
/// placeholders in the words of a list that its pages do not have.
pub(super) fn places(
    content: &Content,
    settings: &SiteSettings,
    collections: &Collections,
    pages: &[Page],
    problems: &mut Problems,
) {
    let is_read = content.broken_pages.is_empty() && pages.iter().all(|page| !page.partial);
    for (collection, file) in collections.list.iter().zip(&content.collections.list) {
        let name = collection.schema.name;
        // A list that is not public now is one all the same.
        let mut absent = content.withdrawn_pages.iter().flat_map(|page| &page.lists);
        let is_known = is_read && !absent.any(|list| list == name);
        let is_below = |pattern: &content::collections::PerLanguage| {
            content.locales.iter().any(|locale| {
                pattern
                    .get(&locale.code)
                    .is_some_and(|text| text.starts_with(LIST_ADDRESS))
            })
        };
        if collection.schema.address.as_ref().is_some_and(is_below) {
            if let (true, true, Some(entry)) = (
                is_known,
                collection.lists.iter().all(Option::is_none),
                file.entries.first(),
            ) {
                let message =
                    format!("no page lists the entries of `{name}`, so none are published");
                let problem = Problem::warning(Code::UnexpectedFile, message)
                    .at(Place::file(entry.source.path.clone()));
                problems.push(problem.hint("add a section that lists them to a page; their URLs begin with the URL of that page"));
            }
            second_lists(collection, pages, problems);
        }
        let filter = collection
            .schema
            .filters
            .iter()
            .find(|filter| !is_below(&filter.address));
        let is_hidden = collection.schema.filter_template.is_none()
            && collection.lists.iter().all(Option::is_none);
        if let Some(filter) = filter.filter(|_| is_hidden && is_known) {
            let place = collection.schema.source.place(filter.span);
            let problem = Problem::error(
                Code::TemplateMissing,
                "the pages of `filters` have no template",
            )
            .at(place);
            let hint = format!(
                "add `templates/collections/{name}/filter.html`, or add a section that lists `{name}` to a page"
            );
            problems.push(problem.hint(hint));
        }
        for place in collection.lists.iter().flatten() {
            let page = &pages[place.page];
            words_of_list(
                settings,
                collections,
                collection,
                page,
                &page.sections[place.section],
                problems,
            );
        }
    }
}

/// Reports further pages that list all entries, although the addresses of entries are below the first one.
fn second_lists(collection: &Collection, pages: &[Page], problems: &mut Problems) {
    for first in collection.lists.iter().flatten() {
        let first = &pages[first.page];
        let others = pages.iter().filter(|page| {
            page.locale == first.locale
                && page.key != first.key
                && page.noindex == first.noindex
                && page.body == Body::Sections
                && page.sections.iter().any(|section| {
                    section.lists.as_deref() == Some(collection.schema.name) && !is_part(section)
                })
        });
        for page in others {
            let name = collection.schema.name;
            let message = format!(
                "`{}` already lists `{name}` in this language",
                first.source.path
            );
            let problem = Problem::error(Code::DuplicateId, message)
                .at(Place::file(page.source.path.clone()));
            problems
                .push(problem.hint("keep one list per language, and link to it from other pages"));
        }
    }
}

/// Reports placeholders in the titles and descriptions that a section gives to the pages of a collection.
fn words_of_list(
    settings: &SiteSettings,
    collections: &Collections,
    collection: &Collection,
    page: &Page,
    section: &Section,
    problems: &mut Problems,
) {
    let mut check = |of: &str, words: &Field, hint: &dyn Fn(&str) -> Option<String>| {
        for text in ["title", "description"]
            .iter()
            .filter_map(|key| plain(words.get(key)?))
        {
            let names =
                placeholder_names(&text).filter(|name| settings.placeholder(name).is_none());
            for (name, hint) in names.filter_map(|name| Some((name, hint(name)?))) {
                let written = format!("{{{name}}}");
                let place = yaml::place_of_text(&page.source, &[of], &written);
                if !problems
                    .iter()
                    .any(|problem| problem.place.as_ref() == Some(&place))
                {
                    let message = format!("`{written}` is not a placeholder here");
                    problems.push(
                        Problem::error(Code::UnknownPlaceholder, message)
                            .at(place)
                            .hint(hint),
                    );
                }
            }
        }
    };
    if let Some(words) = section.fields.get("entry") {
        check("entry", words, &|path: &str| {
            let problem =
                field_at(collection.schema, path, &|name| collections.schema(name)).err()?;
            Some(
                problem
                    .hint
                    .unwrap_or_else(|| format!("name a field of `{}`", collection.schema.name)),
            )
        });
    }
    if let Some(Field::Map(filters)) = section.fields.get("filtered") {
        filters.iter().for_each(|(_, words)| {
            check("filtered", words, &|name: &str| {
                let near = did_you_mean(name, FILTER_PLACEHOLDERS);
                near.filter(|_| !FILTER_PLACEHOLDERS.contains(&name))
            });
        });
        let known = || {
            collection
                .schema
                .filters
                .iter()
                .map(|filter| filter.field.as_str())
        };
        for (field, _) in filters
            .iter()
            .filter(|(field, _)| known().all(|known| known != field))
        {
            let message = format!("`{}` has no filter `{field}`", collection.schema.name);
            let place = yaml::place_of_key(&page.source, &["filtered", field]);
            let problem = Problem::error(Code::UnknownId, message).at(place);
            problems.push(problem.maybe_hint(did_you_mean(field, known())));
        }
    }
}

/// Reports lists of pages that name collections or fields that do not exist.
pub(super) fn lists(collections: &Collections, pages: &[Page], problems: &mut Problems) {
    let mut unknown: BTreeMap<&str, Vec<Problem>> = BTreeMap::new();
    let lists = pages
        .iter()
        .filter(|page| page.body == Body::Sections)
        .flat_map(|page| {
            page.sections
                .iter()
                .filter_map(move |section| Some((page, section, section.lists.as_deref()?)))
        });
    for (page, section, of) in lists {
        let source = section.source.as_ref().unwrap_or(&page.source);
        let fields = &section.fields;
        if collections.broken.contains(of) {
            continue;
        }
        let Some(at) = collections.position(of) else {
            let names = collections
                .list
                .iter()
                .map(|collection| collection.schema.name);
            let place = yaml::place_of_text(source, &["of"], of);
            let problem =
                Problem::error(Code::UnknownId, format!("there is no collection `{of}`")).at(place);
            match nearest(of, names) {
                Some(name) => problems.push(problem.hint(format!("did you mean `{name}`?"))),
                None => unknown
                    .entry(of)
                    .or_default()
                    .push(problem.hint(format!("create it with `sitegen new collection {of}`"))),
            }
            continue;
        };
        if matches!(fields.get("search"), Some(Field::Text(_))) && per_page(fields).is_some() {
            let problem = Problem::error(
                Code::InvalidValue,
                "a search within the page finds only the entries on it, but `per_page` puts some on other pages",
            );
            problems.push(
                problem.at(yaml::place_of_key(source, &["search"])).hint(
                    "remove `per_page`, or search the whole site with a `kind: search` section",
                ),
            );
        }
        let schema = collections.list[at].schema;
        let mut names: Vec<(String, Place)> = Vec::new();
        if let Some(Field::Map(filters)) = fields.get("where") {
            names.extend(
                filters
                    .iter()
                    .map(|(name, _)| (name.clone(), yaml::place_of_key(source, &["where", name]))),
            );
        }
        let mut named = |key: &str, name: &str| {
            names.push((name.to_owned(), yaml::place_of_text(source, &[key], name)));
        };
        if let Some(Field::List(sort)) = fields.get("sort") {
            sort.iter()
                .filter_map(plain)
                .for_each(|name| named("sort", name.trim_start_matches('-')));
        }
        for key in ["upcoming", "current", "past", "group"] {
            fields
                .get(key)
                .and_then(plain)
                .iter()
                .for_each(|name| named(key, name));
        }
        for (name, place) in names
            .into_iter()
            .filter(|(name, _)| schema.fields.field(name.as_str()).is_none())
        {
            let (message, near) = schema.fields.unknown(&name);
            let problem = Problem::error(Code::UnknownId, format!("{message} in `{of}`")).at(place);
            problems.push(problem.maybe_hint(near));
        }
        let wrong = wanted::of_section(collections, schema, fields, source);
        wrong.into_iter().for_each(|problem| problems.push(problem));
    }
    for (of, found) in unknown {
        let hint = format!("create it with `sitegen new collection {of}`, or remove the sections");
        together(
            found,
            |count| format!("there is no collection `{of}`, but {count} sections list its entries"),
            &hint,
            problems,
        );
    }
}
