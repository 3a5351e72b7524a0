//! The choices in a form: the entries that a reference names, those that belong to the entry of another answer, and the
//! fragments of the page's URL that make a choice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api_types::forms::FormField;
use content::Content;
use content::forms::DeclaredField;
use diagnostics::problem::{Code, Problem, Problems};
use schema::Takes;

use super::super::brand;
use super::super::page::{EntryId, Page};
use super::{Join, options};

impl Join<'_> {
    /// Reports a field of entries that does not name those of another answer, and a drawing that the site does not have.
    pub(super) fn check_choices(&mut self) {
        let form = Arc::clone(&self.sources.form);
        let source = Arc::clone(&self.sources.source);
        for DeclaredField {
            field,
            to,
            entries_by,
            ..
        } in &form.fields
        {
            let (Some(to), Some(path), Some(by)) = (to, entries_by, &field.choices_by) else {
                continue;
            };
            let other = form
                .field(&by.field)
                .and_then(|other| other.to.as_ref())
                .map(|to| to.value.as_str());
            // A collection that does not exist is reported with the reference.
            let (Some(other), Some(collection)) =
                (other, self.content.collections.named(&to.value))
            else {
                continue;
            };
            let fields = &collection.schema.fields;
            let message = match fields.field(&path.value).map(|field| &field.takes) {
                Some(Takes::Reference(name)) if *name == other => continue,
                Some(_) => format!(
                    "`{}` in `{}` is not a reference to `{other}`",
                    path.value, to.value
                ),
                None => format!("`{}` has no field `{}`", to.value, path.value),
            };
            let hint = format!(
                "name the field of `{}` that is a reference to `{other}`",
                to.value
            );
            self.report(Code::UnknownId, source.place(path.span), message, hint);
        }
        if let Some(span) = form.drawing
            && self.content.images.get("brand/success.svg").is_none()
        {
            let message = "the site has no drawing to show after a form is sent".to_owned();
            let hint = format!("add `{}`, or remove `drawing`", brand::path_of("success"));
            self.report(Code::IncompleteData, source.place(span), message, hint);
        }
    }

    /// A field as the API takes it: a reference with the keys of the entries that can be chosen.
    pub(super) fn with_entries(&self, declared: &DeclaredField) -> FormField {
        let mut field = declared.field.clone();
        let Some(to) = &declared.to else { return field };
        let keys = self
            .content
            .locales
            .iter()
            .enumerate()
            .flat_map(|locale| options(self.collections, &to.value, &locale))
            .map(|(key, _)| key);
        field.choices = keys.collect::<BTreeSet<String>>().into_iter().collect();
        if let (Some(by), Some(path)) = (&mut field.choices_by, &declared.entries_by) {
            by.choices = self.entries_by(&to.value, &path.value);
        }
        field
    }

    /// The keys of the entries of a collection by those of the entries that a field of theirs names, in any language.
    fn entries_by(&self, to: &str, path: &str) -> BTreeMap<String, Vec<String>> {
        let mut by: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let Some(collection) = self.collections.position(to) else {
            return by;
        };
        let list = &self.collections.list[collection];
        for locale in self.content.locales.iter().enumerate() {
            for entry in list.order[locale.0].iter().copied() {
                let key = &list.entries[entry].key;
                for other in self
                    .collections
                    .each(EntryId { collection, entry }, &locale, path)
                {
                    let keys = by.entry(other).or_default();
                    if !keys.contains(key) {
                        keys.push(key.clone());
                    }
                }
            }
        }
        by
    }
}

/// Adds the fragments that make a choice in one of these forms to the anchors of the page, and reports those that it has.
pub(super) fn add_anchors(
    content: &Content,
    names: &BTreeSet<String>,
    page: &mut Page,
    problems: &mut Problems,
) {
    for form in content
        .forms
        .list
        .iter()
        .filter(|form| names.contains(&form.name))
    {
        for field in &form.form.fields {
            for name in field.anchors.values().flatten() {
                if page.anchors.contains(name) {
                    let message = format!(
                        "`{}` already uses the anchor `{name}` for something else",
                        page.path.value
                    );
                    let problem = Problem::error(Code::DuplicateId, message)
                        .at(form.source.place(field.span));
                    problems.push(problem.hint("give one of the two a different name"));
                }
                page.anchors.extend([name.clone()]);
            }
        }
    }
}
