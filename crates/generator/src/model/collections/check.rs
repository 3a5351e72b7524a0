//! Checks of entries and of the lists of pages: files, references, names of collections and fields.

use crate::content::Content;
use crate::content::sections::SectionRole;
use crate::content_types::{Reference, Typed};
use diagnostics::problem::{Code, Problem, Problems, Source, Span, did_you_mean};

use super::super::fields::Field;
use super::super::page::{Body, Page};
use super::{Collections, plain};

/// Reports files that `static/` does not contain.
pub(super) fn files(content: &Content, field: &Field, source: &Source, problems: &mut Problems) {
    match field {
        Field::List(items) => items.iter().for_each(|item| files(content, item, source, problems)),
        Field::Map(entries) => entries.iter().for_each(|(_, item)| files(content, item, source, problems)),
        Field::Typed(typed) => {
            if let Typed::File(path, span) = &**typed
                && !content.static_files.iter().any(|file| file.is(path))
            {
                let known = content.static_files.iter().map(|file| file.path.as_str());
                let problem = Problem::error(Code::DeadLink, format!("there is no file `static/{path}`"));
                problems.push(problem.at(source.place(*span)).maybe_hint(did_you_mean(path, known)));
            }
        }
        _ => {}
    }
}

/// Reports references to entries that do not exist. An entry that is not public now leaves a gap, and no mistake.
pub(super) fn references(content: &Content, collections: &Collections, pages: &[Page], problems: &mut Problems) {
    let mut check = |reference: &Reference, source: &Source| {
        let Reference { to, key, span } = reference;
        if collections.find(to, key).is_some() {
            return;
        }
        let Some(collection) = content.collections.named(to) else {
            // A schema that names it was reported.
            return;
        };
        let is_known = collection.broken.contains(key) || collection.withdrawn.iter().any(|entry| entry.key == *key);
        if !is_known {
            let known = collection.entries.iter().map(|entry| entry.key.as_str());
            let known = known.chain(collection.withdrawn.iter().map(|entry| entry.key.as_str()));
            let problem = Problem::error(Code::UnknownId, format!("`{to}` has no entry `{key}`"));
            problems.push(problem.at(source.place(*span)).maybe_hint(did_you_mean(key, known)));
        }
    };
    for (fields, source) in collections.texts() {
        fields.references(&mut |reference| check(reference, source));
    }
    for page in pages.iter().filter(|page| page.body == Body::Sections) {
        for section in page.sections.iter() {
            section.fields.references(&mut |reference| check(reference, &page.source));
        }
    }
}

/// Reports lists of pages that name collections or fields that do not exist.
pub(super) fn lists(collections: &Collections, pages: &[Page], problems: &mut Problems) {
    let lists = pages.iter().filter(|page| page.body == Body::Sections).flat_map(|page| {
        let sections = page.sections.iter().filter(|section| section.kind.role == SectionRole::Entries);
        sections.map(move |section| (page, &section.fields))
    });
    for (page, fields) in lists {
        let Some(Field::Text(of)) = fields.get("of") else { continue };
        let place = |written: &str| {
            let whole = Span::new(0, page.source.text.len());
            page.source.place(page.source.locate(whole, written))
        };
        if collections.broken.contains(of) {
            continue;
        }
        let Some(at) = collections.position(of) else {
            let names = collections.list.iter().map(|collection| collection.schema.name);
            let problem = Problem::error(Code::UnknownId, format!("there is no collection `{of}`")).at(place(of));
            problems.push(problem.maybe_hint(did_you_mean(of, names)));
            continue;
        };
        let schema = collections.list[at].schema;
        let mut names: Vec<String> = Vec::new();
        if let Some(Field::Map(filters)) = fields.get("where") {
            names.extend(filters.iter().map(|(name, _)| name.clone()));
        }
        if let Some(Field::List(sort)) = fields.get("sort") {
            names.extend(sort.iter().filter_map(plain).map(|name| name.trim_start_matches('-').to_owned()));
        }
        let single = ["upcoming", "past", "group"].into_iter().filter_map(|key| fields.get(key).and_then(plain));
        names.extend(single);
        for name in names.iter().filter(|name| schema.fields.field(name.as_str()).is_none()) {
            let (message, near) = schema.fields.unknown(name);
            let problem = Problem::error(Code::UnknownId, format!("{message} in `{of}`")).at(place(name));
            problems.push(problem.maybe_hint(near));
        }
    }
}
